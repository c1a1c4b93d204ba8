//! Samples that follow each other in a datagram, from one writer to the same readers: they are
//! taken in under one lock.
use dunlin_wire::{Data, EntityId, Submessages, Timestamp};

/// A reader's lock is held for so many samples at most.
const MOST: u32 = 32;

/// What is left of a run. Copies of it go through the same samples again, for further readers.
#[derive(Clone)]
pub(crate) struct Run<'a> {
    first: Option<Data<'a>>,
    /// That of the last sample read.
    timestamp: Option<Timestamp>,
    /// How many may follow.
    left: u32,
    /// What nobody has read yet.
    rest: Submessages<'a>,
    /// Whose all are.
    writer: EntityId,
    /// Whom all are for.
    reader: EntityId,
}

impl<'a> Run<'a> {
    /// The samples from `first` on; `rest` comes after it.
    #[inline]
    pub(super) fn new(
        timestamp: Option<Timestamp>,
        first: Data<'a>,
        rest: Submessages<'a>,
    ) -> Self {
        Self {
            writer: first.writer,
            reader: first.reader,
            first: Some(first),
            timestamp,
            left: MOST - 1,
            rest,
        }
    }

    /// All of it read.
    pub(super) fn skipped(mut self) -> Self {
        self.by_ref().for_each(drop);
        self
    }

    /// What comes after those that were read, and the timestamp that holds for it.
    pub(super) fn end(self) -> (Submessages<'a>, Option<Timestamp>) {
        (self.rest, self.timestamp)
    }
}

impl<'a> Iterator for Run<'a> {
    type Item = (Option<Timestamp>, Data<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if let Some(first) = self.first.take() {
            return Some((self.timestamp, first));
        }
        self.left = self.left.checked_sub(1)?;
        let (timestamp, data) = self.rest.next_sample_between(self.writer, self.reader)?;
        self.timestamp = timestamp.or(self.timestamp);
        Some((self.timestamp, data))
    }
}
