//! In which order samples of several readers are to be taken (PRESENTATION ordered with scope
//! GROUP, DDS 1.4 2.2.2.5.2.10).
//!
//! Whoever gives changes of a publisher's writers their turn counts the turns, over all readers of
//! the subscriber. The cache notes beside each sample which turn it came in; only a reader that
//! keeps this order has such notes.
use super::Reader;
use super::cache::Cache;
use crate::{Outbox, Select, Time};
use alloc::vec::Vec;
use dunlin_qos::Duration;
use dunlin_wire::{Guid, SequenceNumber, SequenceNumberSet};

/// Between two questions how far a writer is.
const PATIENCE: Duration = Duration::from_millis(20);

/// A turn, and where in it: the number among all changes of the publisher.
type Place = (u64, i64);

/// The notes of a cache.
#[derive(Default)]
pub(super) struct Order {
    /// By where samples are.
    places: Vec<Place>,
    /// Of what comes next.
    now: Place,
}

impl Order {
    /// A sample is there from now on.
    pub(super) fn note(&mut self, sample: u32) {
        let index = sample as usize;
        if index >= self.places.len() {
            self.places.resize(index + 1, (0, 0));
        }
        if let Some(place) = self.places.get_mut(index) {
            *place = self.now;
        }
    }
}

impl Cache {
    /// What is let in next has this turn.
    pub(super) fn set_turn(&mut self, turn: u64, number: i64) {
        if let Some(order) = &mut self.order {
            order.now = (turn, number);
        }
    }

    fn places(&self, select: &Select, mut found: impl FnMut(Place)) {
        let Some(order) = &self.order else {
            return;
        };
        // One after the other they leave in the order of the chain, whatever their turns.
        let mut latest = (0, 0);
        self.choose(select, |sample| {
            let place = order.places.get(sample as usize).copied();
            latest = latest.max(place.unwrap_or_default());
            found(latest);
        });
    }
}

impl Reader {
    /// The turns of the selected samples, and the number of each in its turn, as these leave if
    /// they are taken one by one; nothing unless it is `ordered`.
    pub fn places(&self, select: &Select, found: impl FnMut((u64, i64))) {
        self.cache.places(select, found);
    }

    /// What comes next waits for a writer to say whether anything of what the publisher wrote up to
    /// this number is to come from it: it is asked by `handle_timeout`, until it has.
    pub fn want_news(&mut self, now: Time, writer: Guid, number: i64) {
        let Some(index) = self.index(writer) else {
            return;
        };
        let proxy = self.writers.get_mut(index).filter(|w| w.reliable);
        let Some(proxy) = proxy else {
            return;
        };
        let gathering = proxy.sets.as_mut().and_then(|s| s.gathering.as_mut());
        let Some(gathering) = gathering.filter(|g| g.wanted < number) else {
            return;
        };
        gathering.wanted = number;
        proxy.due = Some(proxy.due.map_or(now, |due| due.min(now)));
        self.wake_at(now);
    }

    /// Asks how far a writer is, if somebody waits for that.
    pub(super) fn ask_for_news(&mut self, now: Time, index: usize, out: &mut impl Outbox) {
        let Some(proxy) = self.writers.get_mut(index) else {
            return;
        };
        let gathering = proxy.sets.as_ref().and_then(|s| s.gathering.as_ref());
        if gathering.is_none_or(|g| g.wanted <= g.heard(proxy.next)) {
            return;
        }
        let then = now.after(PATIENCE);
        proxy.due = Some(proxy.due.map_or(then, |due| due.min(then)));
        let (writer, next) = (proxy.author.guid, proxy.next);
        let state = SequenceNumberSet::new(SequenceNumber(next));
        self.push_ack_nack(writer, state, false, out);
        self.wake_at(then);
    }
}
