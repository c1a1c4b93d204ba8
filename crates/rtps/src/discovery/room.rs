//! Who gets the room for participants and endpoints when it gets short.
//!
//! Whoever answers may announce as many participants and endpoints as it likes. So of each limit
//! a quarter is kept from whoever is at one and the same address, and a participant whose
//! endpoints found no room is heard again once there is some. Who is silent and matched with
//! nothing gives way to a newcomer, and then whoever has most to whom has less.
//!
//! Some places are kept for strangers, so that a newcomer is asked where it is though the others
//! have all the rest. If it answers, and nobody gives way, it takes the place of one that came
//! lately and is matched with nothing: so newcomers, honest or not, take turns, and those that were
//! there before stay.
mod shares;

use super::{Discovery, Event, LossReason, Peer};
use crate::{Outbox, Time};
use alloc::vec::Vec;
use dunlin_qos::Duration;
use dunlin_wire::{GuidPrefix, Locator};

/// A participant that was refused is looked at again after so long. Each time that it is refused
/// anew it is heard again only after twice as long ...
const FORGIVE: Duration = Duration::from_secs(5);
/// ... so many times.
const DOUBLINGS: u32 = 6;
/// Participants that are looked at together; to look at one may take a look at all others.
const AT_ONCE: usize = 64;
/// How long the next of them wait.
const NEXT: Duration = Duration::from_millis(100);

/// What those at one address get of a limit.
fn most_of_one(limit: usize) -> usize {
    limit - limit / 4
}

/// Of the places for participants so many are kept for strangers. As many of those that are matched
/// with nothing take turns, the last that came.
fn kept(limit: usize) -> usize {
    limit / 64
}

/// Silent participants of which it is found out whether they are matched, the most silent first.
const MOST_LOOKED_AT: usize = 64;
/// If none of them gives way, so long nobody is looked for.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

impl Discovery {
    /// True if those at an address have not yet all the places that one address gets. They are only
    /// counted when there are so many participants that it matters.
    pub(super) fn has_share_at(&self, place: &Locator) -> bool {
        let most = most_of_one(self.config.limits.participants);
        self.verified_count() < most || self.verified_at(*place).count() < most
    }

    fn verified_count(&self) -> usize {
        self.peers.len().saturating_sub(self.strangers.len())
    }

    /// True if one more participant at an address may be verified, if need be in place of another.
    pub(super) fn find_room_at(
        &mut self,
        now: Time,
        place: Locator,
        events: &mut Vec<Event>,
    ) -> bool {
        if !self.has_share_at(&place) {
            return self.make_way(now, Some(place), events);
        }
        let limit = self.config.limits.participants;
        self.verified_count() < limit - kept(limit)
            || self.make_way(now, None, events)
            || self.crowd_out(now, place, events)
            || self.take_turns(now, events)
    }

    /// Lets go of the first of the last few that came and are matched with nothing. False if there
    /// is none.
    fn take_turns(&mut self, now: Time, events: &mut Vec<Event>) -> bool {
        if self.turns.is_some_and(|at| now < at) {
            return false;
        }
        let some = kept(self.config.limits.participants);
        let verified = self.peers.iter().filter(|(_, peer)| peer.verified);
        let mut last: Vec<_> = verified
            .map(|(prefix, peer)| (peer.age(), *prefix))
            .collect();
        last.sort_unstable();
        let newest = last.into_iter().rev().take(MOST_LOOKED_AT + some);
        let unmatched = newest.filter(|(_, prefix)| !self.catalog.is_matched_with(*prefix));
        match unmatched.take(some).last() {
            Some((_, prefix)) => {
                self.lose(now, prefix, LossReason::Displaced, events);
                true
            }
            None => {
                self.turns = Some(now.after(LOOK_AGAIN));
                false
            }
        }
    }

    /// True if there is room for one more endpoint of a participant.
    pub(super) fn has_room_for_endpoint(&self, prefix: GuidPrefix) -> bool {
        let limits = self.config.limits;
        let Some(peer) = self.peers.get(&prefix) else {
            return false;
        };
        let used = self.catalog.endpoints_of(prefix);
        if used.saturating_add(peer.strikes) >= limits.endpoints_per_participant
            || self.catalog.len() >= limits.endpoints
        {
            return false;
        }
        let most = most_of_one(limits.endpoints);
        self.catalog.len() < most || {
            let there = self.verified_at(peer.source());
            let used: usize = there.map(|peer| self.catalog.endpoints_of(peer)).sum();
            used < most
        }
    }

    /// Nobody new finds room, at an address or at all: lets go of a participant that is matched
    /// with nothing and silent for long. False if there is none. To look for one takes a look at
    /// all, so it is not done often in vain.
    pub(super) fn make_way(
        &mut self,
        now: Time,
        place: Option<Locator>,
        events: &mut Vec<Event>,
    ) -> bool {
        if self.gives_way.is_some_and(|at| now < at) {
            return false;
        }
        let there = |peer: &Peer| {
            place.is_none_or(|place| {
                let source = peer.source();
                (source.kind, source.address) == (place.kind, place.address)
            })
        };
        let idle = self.peers.iter();
        let idle = idle.filter(|(_, peer)| peer.is_idle(now) && there(peer));
        let mut idle: Vec<_> = idle
            .map(|(prefix, peer)| (peer.precedence(), *prefix))
            .collect();
        idle.sort_unstable();
        let mut idle = idle.into_iter().take(MOST_LOOKED_AT);
        match idle.find(|(_, prefix)| !self.catalog.is_matched_with(*prefix)) {
            Some((_, prefix)) => {
                self.lose(now, prefix, LossReason::Displaced, events);
                true
            }
            None => {
                self.gives_way = Some(now.after(LOOK_AGAIN));
                false
            }
        }
    }

    fn verified_at(&self, place: Locator) -> impl Iterator<Item = GuidPrefix> {
        let address = (place.kind, place.address);
        let there = self.peers.iter().filter(move |(_, peer)| {
            let source = peer.source();
            peer.verified && (source.kind, source.address) == address
        });
        there.map(|(prefix, _)| *prefix)
    }

    /// Hears no further endpoints of a participant; those that are known stay.
    pub(super) fn refuse(&mut self, now: Time, prefix: GuidPrefix, events: &mut Vec<Event>) {
        let Some(peer) = self.peers.get_mut(&prefix) else {
            return;
        };
        peer.refused = true;
        let pause = FORGIVE.as_nanos() << peer.refusals.min(DOUBLINGS);
        peer.refusals = peer.refusals.saturating_add(1);
        let until = now.after(Duration::from_nanos(pause));
        peer.refused_until = until;
        self.forgiveness = Some(self.forgiveness.map_or(until, |due| due.min(until)));
        for topic in self.topics.iter_mut() {
            if topic.entry.describes_endpoints {
                topic.ignore(now, prefix);
            }
        }
        events.push(Event::TooManyEndpoints { prefix });
    }

    /// Hears those again for whose endpoints there is room now.
    pub(super) fn forgive(&mut self, now: Time, out: &mut impl Outbox) {
        if self.forgiveness.is_none_or(|due| now < due) {
            return;
        }
        self.forgiveness = None;
        let due = self.peers.iter();
        let due = due.filter(|(_, peer)| peer.refused && peer.refused_until <= now);
        let due: Vec<GuidPrefix> = due.map(|(prefix, _)| *prefix).take(AT_ONCE).collect();
        for prefix in due {
            let has_room = self.has_room_for_endpoint(prefix);
            let Some(peer) = self.peers.get_mut(&prefix) else {
                continue;
            };
            if has_room {
                peer.refused = false;
                let who = (prefix, peer.data.vendor);
                let has = peer.data.builtin_endpoints;
                for topic in self.topics.iter_mut() {
                    let entry = topic.entry;
                    if entry.describes_endpoints && entry.has_writer(has) {
                        topic.listen_to(now, who, out);
                    }
                }
            } else {
                peer.refused_until = now.after(FORGIVE);
            }
        }
        let refused = self.peers.values().filter(|peer| peer.refused);
        let next = refused.map(|peer| peer.refused_until).min();
        self.forgiveness = next.map(|due| due.max(now.after(NEXT)));
    }
}
