//! What can be asked of a world, and how a run comes to its end.
use super::{Action, World};
use crate::participant::Participant;
use crate::scenario::{MS, SECOND, Seconds};
use dunlin_transport::Faults;
use dunlin_wire::{Guid, GuidPrefix};
use std::hash::Hasher;

impl World {
    /// A participant that lives and is not cut off for long must not be given up.
    pub(super) fn lost(&mut self, prefix: GuidPrefix, silent: bool) {
        let mut lives = self.places.iter().filter_map(|p| p.participant.as_ref());
        let lives = lives.any(|p| p.prefix() == prefix);
        if lives && (!silent || self.is_calm()) {
            let now = Seconds(self.now);
            self.ledger
                .fail(format!("{prefix:?} lives and was given up at {now}"));
        }
    }

    /// No lease should run out.
    pub(crate) fn is_calm(&self) -> bool {
        let parted: i64 = self
            .scenario
            .partitions
            .iter()
            .map(|p| p.until - p.from)
            .sum();
        let paused: i64 = self.scenario.pauses.iter().map(|p| p.until - p.from).sum();
        self.scenario.faults.drop <= 0.3 && parted + paused <= 4 * SECOND
    }

    /// Is everything written that was to be written, and nothing planned any more?
    pub(crate) fn is_done(&self) -> bool {
        let written = self
            .writers
            .iter()
            .all(|w| w.left == 0 && w.blocked.is_none());
        let lasting = |a: &Action| matches!(a, Action::Take(_) | Action::Write(_));
        written && self.actions.values().all(lasting)
    }

    /// Who waits for room, in words.
    pub(crate) fn unwritten(&self) -> String {
        let apps = self.writers.iter().enumerate();
        let waiting = apps.filter(|(_, w)| w.left > 0 || w.blocked.is_some());
        let words = waiting.map(|(n, w)| {
            let blocked = if w.blocked.is_some() { ", blocked" } else { "" };
            format!("writer {n} has {} to write{blocked}", w.left)
        });
        words.collect::<Vec<_>>().join("; ")
    }

    /// From now on the network loses nothing and keeps the order.
    pub(crate) fn heal(&mut self) {
        self.network.set_faults(Faults {
            delay: self.scenario.faults.delay,
            ..Faults::default()
        });
    }

    /// Each writer has some more to say, ends of instances among it.
    pub(crate) fn begin_epilogue(&mut self) {
        for n in 0..self.writers.len() {
            let guid = self.writers[n].guid.unwrap();
            let record = self.ledger.writers.get_mut(&guid).unwrap();
            record.before_epilogue = record.last();
            self.writers[n].left = 8;
            self.scenario.writers[n].interval = 20 * MS;
            self.at(self.now, Action::Write(n));
        }
    }

    pub(crate) fn take_all(&mut self) {
        for n in 0..self.readers.len() {
            self.take(n, usize::MAX);
        }
        self.follow_news();
    }

    pub(crate) fn datagrams(&self) -> u64 {
        let places = self.places.iter().filter_map(|p| p.participant.as_ref());
        let present = places.map(|p| p.link.datagrams());
        self.past_datagrams + present.sum::<u64>()
    }

    /// A fingerprint of every datagram and every sample.
    pub(crate) fn trace(&self) -> u64 {
        let mut hasher = self.past.clone();
        for participant in self.participants() {
            hasher.write_u64(participant.link.trace());
        }
        hasher.write_u64(self.ledger.course.finish());
        hasher.finish()
    }

    pub(crate) fn participants(&self) -> impl Iterator<Item = &Participant> {
        self.places.iter().filter_map(|p| p.participant.as_ref())
    }

    pub(crate) fn participant_of(&self, endpoint: Guid) -> Option<&Participant> {
        self.participants().find(|p| p.prefix() == endpoint.prefix)
    }
}
