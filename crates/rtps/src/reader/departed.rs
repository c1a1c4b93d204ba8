//! Writers that fell silent for longer than their lease, and what the reader has had of them.
//!
//! Who was only stopped or cut off comes back with the same GUID and goes on with its numbers. What
//! was delivered before is not delivered again. What was written since and never comes is lost.
//!
//! A reader in stream mode knows of no instances, so whoever takes its changes is told which
//! writers were deleted and dispose what they leave.
use super::{Delivery, Reader};
use crate::Time;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use dunlin_qos::Duration;
use dunlin_wire::Guid;

/// Writers that are remembered; of more, those that fell silent last.
const MOST: usize = 256;
/// So many are of one participant, so that nobody alone takes the place of all others.
const MOST_OF_ONE: usize = 32;
/// Nobody is remembered for longer.
const LONGEST: Duration = Duration::from_secs(3600);
/// Deleted writers of a reader in stream mode that nobody has asked for yet; of more, the last.
const MOST_DELETED: usize = 4096;

/// What a reader has had of a writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Had {
    /// All below is settled: delivered, lost or irrelevant.
    pub(super) below: i64,
    /// From here on everything is owed to the reader; `None` while that is not known.
    pub(super) owed_from: Option<i64>,
}

struct Entry {
    writer: Guid,
    had: Had,
    until: Time,
}

#[derive(Default)]
pub(super) struct Departed {
    /// Ascending by the time when they fell silent.
    silent: VecDeque<Entry>,
    /// In stream mode: those that were deleted and dispose what they leave.
    deleted: VecDeque<Guid>,
}

impl Departed {
    pub(super) fn remember(&mut self, now: Time, writer: Guid, had: Had) {
        self.recall(now, writer);
        let of_one = |entry: &&Entry| entry.writer.prefix == writer.prefix;
        if self.silent.iter().filter(of_one).count() >= MOST_OF_ONE {
            let oldest = self.silent.iter().position(|entry| of_one(&entry));
            oldest.and_then(|oldest| self.silent.remove(oldest));
        } else if self.silent.len() >= MOST {
            self.silent.pop_front();
        }
        self.silent.push_back(Entry {
            writer,
            had,
            until: now.after(LONGEST),
        });
    }

    /// Takes out what was had of a writer, if it is remembered.
    pub(super) fn recall(&mut self, now: Time, writer: Guid) -> Option<Had> {
        while self.silent.front().is_some_and(|entry| entry.until <= now) {
            self.silent.pop_front();
        }
        self.forget(writer)
    }

    fn forget(&mut self, writer: Guid) -> Option<Had> {
        let found = self
            .silent
            .iter()
            .position(|entry| entry.writer == writer)?;
        Some(self.silent.remove(found)?.had)
    }

    fn note_deleted(&mut self, writer: Guid) {
        if self.deleted.len() >= MOST_DELETED {
            self.deleted.pop_front();
        }
        self.deleted.push_back(writer);
    }

    pub(super) fn len(&self) -> usize {
        self.silent.len()
    }
}

impl Reader {
    /// As `remove_writer` for one that was silent for longer than its participant's lease. Should
    /// it be matched again, what was delivered of it is not delivered again, and what it wrote
    /// since and never sends is lost.
    pub fn lose_writer(&mut self, now: Time, writer: Guid) -> Delivery {
        let proxy = self.index(writer);
        let had = proxy.and_then(|index| self.writers.get(index)?.leaves());
        let delivery = self.remove_writer(now, writer);
        if let Some(had) = had {
            self.departed.remember(now, writer, had);
        }
        delivery
    }

    /// As `remove_writer` for one that was deleted and disposes what it leaves: the instances that
    /// it writes are disposed, whoever else writes them; with exclusive ownership those that it
    /// owns (DDS 1.4 2.2.3.21, 2.2.3.9.2). In stream mode `take_deleted_writers` tells it.
    pub fn delete_writer(&mut self, now: Time, writer: Guid) -> Delivery {
        if self.cache.stream.is_some() && self.index(writer).is_some() {
            self.departed.note_deleted(writer);
        }
        self.forget_writer(now, writer, true)
    }

    /// In stream mode: the writers that were deleted since this was asked last and dispose what
    /// they leave.
    pub fn take_deleted_writers(&mut self) -> Vec<Guid> {
        core::mem::take(&mut self.departed.deleted).into()
    }

    /// Should a writer that was lost be matched again, all that it has for this reader is
    /// delivered, as if it had never been matched.
    pub fn forget_lost_writer(&mut self, writer: Guid) {
        self.departed.forget(writer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dunlin_wire::{EntityId, EntityKind, GuidPrefix};

    fn writer(participant: u8, key: u32) -> Guid {
        let entity = EntityId::user(key, EntityKind::WriterNoKey);
        Guid::new(GuidPrefix([participant; 12]), entity)
    }

    fn had(below: i64) -> Had {
        Had {
            below,
            owed_from: None,
        }
    }

    #[test]
    fn what_was_had_is_recalled_once_and_only_for_so_long() {
        let mut departed = Departed::default();
        departed.remember(Time(0), writer(1, 1), had(5));
        departed.remember(Time(1), writer(1, 2), had(7));
        departed.remember(Time(1), writer(1, 1), had(9));
        assert_eq!(departed.len(), 2);
        assert_eq!(departed.recall(Time(2), writer(1, 1)), Some(had(9)));
        assert_eq!(departed.recall(Time(2), writer(1, 1)), None);
        let late = Time(1).after(LONGEST);
        assert_eq!(departed.recall(late, writer(1, 2)), None);
        assert_eq!(departed.len(), 0);
    }

    #[test]
    fn one_participant_does_not_take_the_place_of_another() {
        let mut departed = Departed::default();
        departed.remember(Time(0), writer(1, 1), had(5));
        for key in 0..10_000 {
            departed.remember(Time(1), writer(2, key), had(2));
        }
        assert_eq!(departed.len(), MOST_OF_ONE + 1);
        assert_eq!(departed.recall(Time(2), writer(1, 1)), Some(had(5)));
        assert_eq!(departed.recall(Time(2), writer(2, 9_999)), Some(had(2)));
    }

    #[test]
    fn deleted_writers_that_nobody_asks_for_are_bounded() {
        let mut departed = Departed::default();
        for key in 0..=MOST_DELETED as u32 {
            departed.note_deleted(writer(1, key));
        }
        assert_eq!(departed.deleted.len(), MOST_DELETED);
        assert_eq!(departed.deleted.front(), Some(&writer(1, 1)));
    }

    #[test]
    fn their_number_is_bounded() {
        let mut departed = Departed::default();
        for participant in 0..=u8::MAX {
            for key in 0..10 {
                departed.remember(Time(0), writer(participant, key), had(2));
            }
        }
        assert_eq!(departed.len(), MOST);
    }
}
