//! A participant whose address changes while it runs.
//!
//! It announces itself from its new address, from which nothing of its was ever taken. Somebody
//! else could do so as well. So its old address is asked: if it keeps silent there, and announces
//! itself from the new one all the while, it has moved.
use super::super::{Discovery, Event, Source};
use super::Peer;
use crate::{Outbox, Time};
use alloc::vec::Vec;
use dunlin_qos::Duration;
use dunlin_wire::{GuidPrefix, Locator, ParticipantData};

/// It is silent for so long at its old address ...
const SILENCE: Duration = Duration::from_secs(1);
/// ... though it is asked so often.
const SILENCE_PROBE: Duration = Duration::from_millis(50);
/// So many questions are to have remained without an answer.
const QUESTIONS: u32 = 8;
/// Where it is silent for longer it is asked less often: one time of so many.
const SELDOM: i64 = 4;
/// One that has not moved after so long is not about to. Other products announce themselves each
/// few seconds.
const GIVES_UP: Duration = Duration::from_secs(12);

/// Where a participant seems to be now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    to: Locator,
    since: Time,
    /// Questions that its old address has not answered since.
    asked: u32,
}

impl Peer {
    /// True if a message came from the socket with which it answered first, or from that port at
    /// another of its addresses: one socket sends from all of them.
    pub(super) fn is_its_socket(&self, origin: &Locator) -> bool {
        let announced = [&self.data.metatraffic_unicast, &self.data.default_unicast];
        let mut announced = announced.into_iter().flatten();
        let same_port = (origin.kind, origin.port) == (self.source.kind, self.source.port);
        self.source == *origin || (same_port && announced.any(|l| l.is_same_host(origin)))
    }

    /// It may be about to move: how long to wait before its old address is asked again.
    pub(super) fn pause_of_move(&mut self, now: Time) -> Option<Duration> {
        let under_way = self.moving.as_mut()?;
        under_way.asked = under_way.asked.saturating_add(1);
        let silence = now.since(under_way.since);
        if silence > GIVES_UP {
            self.moving = None;
            return None;
        }
        let seldom = Duration::from_nanos(SILENCE_PROBE.as_nanos() * SELDOM);
        Some(if silence < SILENCE {
            SILENCE_PROBE
        } else {
            seldom
        })
    }

    /// It was heard where it is known to be, or nobody could be heard.
    pub(super) fn stays(&mut self) {
        self.moving = None;
    }

    /// True if it may have moved to where an announcement comes from: it says to be there, and
    /// names us or is in our network, where all hear our name. If we have moved, too (`lost`), it
    /// does not know where to tell us by name.
    fn may_move(&self, source: &Source, data: &ParticipantData, lost: bool) -> bool {
        let announced = [&data.metatraffic_unicast, &data.default_unicast];
        let mut announced = announced.into_iter().flatten();
        (source.addressed || source.multicast || lost)
            && !source.called
            && !self.only_calls()
            && source.from.kind == self.source.kind
            && announced.any(|l| l.is_same_host(&source.from))
    }
}

impl Discovery {
    /// Our own ways are not what they were: reports all matched endpoints as changed, so that the
    /// caller chooses anew among their locators.
    pub fn relocate_all(&mut self, events: &mut Vec<Event>) {
        self.catalog.relocate(None, events);
    }

    /// A verified participant announces itself from where it was not. True if it has moved there.
    pub(super) fn has_moved(
        &mut self,
        now: Time,
        source: &Source,
        data: &ParticipantData,
        out: &mut impl Outbox,
    ) -> bool {
        let Some(peer) = self.peers.get_mut(&source.prefix) else {
            return false;
        };
        if !peer.may_move(source, data, self.announcer.has_moved_since(now, GIVES_UP)) {
            return false;
        }
        match peer.moving.filter(|under_way| under_way.to == source.from) {
            Some(under_way) => {
                let silent = now.since(under_way.since) >= SILENCE;
                if !silent || under_way.asked < QUESTIONS || !self.has_share_at(&source.from) {
                    return false;
                }
                true
            }
            None => {
                peer.moving = Some(Move {
                    to: source.from,
                    since: now,
                    asked: 0,
                });
                self.doubts.set(source.prefix, now.after(SILENCE_PROBE));
                self.probe(now, source.prefix, out);
                false
            }
        }
    }

    /// A participant is elsewhere from now on, and says so.
    pub(super) fn take_over_move(
        &mut self,
        now: Time,
        source: &Source,
        data: ParticipantData,
        out: &mut impl Outbox,
        events: &mut Vec<Event>,
    ) {
        if let Some(peer) = self.peers.get_mut(&source.prefix) {
            peer.source = source.from;
            self.take_over(now, source.prefix, data, out, events);
        }
    }

    /// What a participant says anew holds from now on.
    pub(super) fn take_over(
        &mut self,
        now: Time,
        prefix: GuidPrefix,
        data: ParticipantData,
        out: &mut impl Outbox,
        events: &mut Vec<Event>,
    ) {
        let Some(peer) = self.peers.get_mut(&prefix) else {
            return;
        };
        let before = core::mem::replace(&mut peer.data, data);
        self.renew(now, prefix);
        events.push(Event::ParticipantChanged { prefix });
        self.update(now, prefix, before.builtin_endpoints, out, events);
        self.introduce(now, prefix);
    }
}
