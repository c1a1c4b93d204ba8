//! Changes of sources whose own output is still to be made: a reader matches a new source before
//! the service has heard of it.
use super::backlog::Waiting;
use super::output::{OutputLane, Passing, Sources};
use crate::plan::Backlog;
use dunlin::{Guid, SequenceNumber};
use std::collections::VecDeque;
use std::time::Duration;

/// An output comes within this time, or not at all.
const PATIENCE: Duration = Duration::from_secs(10);

/// Changes that wait for an output, in the order in which they came.
#[derive(Debug)]
pub(crate) struct Strays {
    waiting: VecDeque<Stray>,
    bytes: usize,
    bounds: Backlog,
}

#[derive(Debug)]
struct Stray {
    writer: Guid,
    sequence: SequenceNumber,
    until: Duration,
    is_reliable: bool,
    change: Waiting,
}

impl Strays {
    pub(crate) fn new(bounds: Backlog) -> Self {
        Self {
            waiting: VecDeque::new(),
            bytes: 0,
            bounds,
        }
    }

    /// How many more may come.
    pub(crate) fn room(&self) -> usize {
        match self.bytes >= self.bounds.bytes {
            true => 0,
            false => self.bounds.samples.saturating_sub(self.waiting.len()),
        }
    }

    pub(crate) fn push(&mut self, now: Duration, writer: Guid, change: &Passing<'_>) {
        self.bytes += change.payload.len();
        self.waiting.push_back(Stray {
            writer,
            sequence: change.origin.map_or(SequenceNumber(0), |origin| origin.1),
            until: now + PATIENCE,
            is_reliable: change.is_reliable,
            change: Waiting {
                kind: change.kind,
                payload: change.payload.clone(),
                options: *change.options,
                set: change.set,
                ends_set: false,
            },
        });
    }

    /// Nothing of the coherent set follows that this writer's last change is in.
    pub(crate) fn end_set(&mut self, writer: &Guid) {
        let mut all = self.waiting.iter_mut().rev();
        if let Some(last) = all.find(|stray| stray.writer == *writer) {
            last.change.ends_set = true;
        }
    }

    /// A new output takes what is for it.
    pub(crate) fn hand_over(&mut self, output: &mut OutputLane) {
        let Sources::Writer(writer) = output.sources else {
            return;
        };
        for stray in self.waiting.iter().filter(|stray| stray.writer == writer) {
            output.put(&Passing {
                kind: stray.change.kind,
                payload: &stray.change.payload,
                options: &stray.change.options,
                origin: None,
                is_reliable: stray.is_reliable,
                set: stray.change.set,
            });
            output.note_had(stray.sequence);
            if stray.change.ends_set {
                output.end_set();
            }
        }
        self.retain(|stray| stray.writer != writer);
    }

    /// No output comes for this writer, since its samples are beyond already.
    pub(crate) fn drop_of(&mut self, writer: &Guid) {
        if self.waiting.iter().any(|stray| stray.writer == *writer) {
            self.retain(|stray| stray.writer != *writer);
        }
    }

    /// Drops what has waited too long; returns how much that was.
    pub(crate) fn expire(&mut self, now: Duration) -> u64 {
        let before = self.waiting.len();
        if self.due().is_some_and(|due| due <= now) {
            self.retain(|stray| stray.until > now);
        }
        (before - self.waiting.len()) as u64
    }

    fn retain(&mut self, keeps: impl Fn(&Stray) -> bool) {
        self.waiting.retain(keeps);
        let lengths = self.waiting.iter().map(|stray| stray.change.payload.len());
        self.bytes = lengths.sum();
    }

    /// When the first has waited too long.
    pub(crate) fn due(&self) -> Option<Duration> {
        self.waiting.front().map(|stray| stray.until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapter::AdapterWriter;
    use crate::clock::Clock;
    use crate::engine::{Budget, Sink, Tally};
    use crate::table::{Side, Slot};
    use bytes::Bytes;
    use dunlin::observe::WriterData;
    use dunlin::untyped::{TryWriteError, WriteOptions};
    use dunlin::{ChangeKind, EntityId, EntityKind, GuidPrefix, SetPlace};
    use std::sync::{Arc, Mutex};

    /// Takes everything.
    #[derive(Default)]
    struct Written(Mutex<Vec<Bytes>>);

    impl AdapterWriter for Written {
        fn try_write(
            &self,
            _: ChangeKind,
            payload: &Bytes,
            _: &WriteOptions,
        ) -> Result<(), TryWriteError> {
            self.0.lock().unwrap().push(payload.clone());
            Ok(())
        }

        fn matched(&self) -> usize {
            0
        }

        fn announce(&self, _: WriterData) {}

        fn finish(&self, _: Duration) {}

        fn close(&self) {}
    }

    #[test]
    fn an_output_knows_what_came_before_it_was_made() {
        let entity = EntityId::user(1, EntityKind::WriterWithKey);
        let [source, other] = [1, 2].map(|n| Guid::new(GuidPrefix([n; 12]), entity));
        let mut strays = Strays::new(Backlog::default());
        for (number, writer) in [(1, source), (2, source), (3, other)] {
            let change = Passing {
                kind: ChangeKind::Alive,
                payload: &Bytes::from(vec![number]),
                options: &WriteOptions::default(),
                origin: Some((writer, SequenceNumber(number.into()))),
                is_reliable: true,
                set: SetPlace::Outside,
            };
            strays.push(Duration::ZERO, writer, &change);
        }
        let written = Arc::new(Written::default());
        let slot = Slot {
            side: Side::Output,
            index: 0,
            group: 1,
        };
        let mut output = OutputLane::new(
            slot,
            Sources::Writer(source),
            Sink::Beyond(Arc::clone(&written) as Arc<dyn AdapterWriter>),
            crate::engine::Backlog::new(Backlog::default(), &Budget::new(1 << 20)),
            Arc::new(Tally::new(Clock::start())),
            Arc::default(),
        );
        assert!(!output.has(SequenceNumber(1)));
        strays.hand_over(&mut output);
        assert_eq!(*written.0.lock().unwrap(), [&[1_u8][..], &[2]]);
        // Should the input be made anew that took them, they come once more.
        assert!(output.has(SequenceNumber(2)) && !output.has(SequenceNumber(3)));
    }
}
