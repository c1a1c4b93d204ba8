//! Who gives way although it speaks: whoever has most, to whom has less.
//!
//! Addresses compare before the participants at them do, so that a host gains nothing by taking
//! more names. What is matched with something here never gives way.
use super::{LOOK_AGAIN, MOST_LOOKED_AT};
use crate::Time;
use crate::discovery::{Discovery, Event, LossReason, Peer};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use dunlin_wire::{GuidPrefix, Locator};

/// So many endpoints give way together: to find out whose takes a look at all.
const BATCH: usize = 256;

type Address = (i32, [u8; 16]);

fn address(place: Locator) -> Address {
    (place.kind, place.address)
}

/// The address that has most, and how much; the lowest of several.
fn largest(shares: &BTreeMap<Address, usize>) -> Option<(Address, usize)> {
    let shares = shares.iter().map(|(address, share)| (*address, *share));
    shares.max_by_key(|(address, share)| (*share, core::cmp::Reverse(*address)))
}

impl Discovery {
    fn verified(&self) -> impl Iterator<Item = (GuidPrefix, &Peer)> {
        let verified = self.peers.iter().filter(|(_, peer)| peer.verified);
        verified.map(|(prefix, peer)| (*prefix, peer))
    }

    /// Lets go of a participant at the address that has most of them, if the newcomer's has less
    /// even with the newcomer; false if there is none that is matched with nothing.
    pub(in crate::discovery) fn crowd_out(
        &mut self,
        now: Time,
        newcomer: Locator,
        events: &mut Vec<Event>,
    ) -> bool {
        if self.crowds_out.is_some_and(|at| now < at) {
            return false;
        }
        let mut shares: BTreeMap<Address, usize> = BTreeMap::new();
        for (_, peer) in self.verified() {
            *shares.entry(address(peer.source())).or_default() += 1;
        }
        let own = shares.get(&address(newcomer)).copied().unwrap_or(0);
        let from = largest(&shares).filter(|(_, most)| *most > own.saturating_add(1));
        let from = from.map(|(from, _)| from);
        let there = self.verified();
        let there = there.filter(|(_, peer)| Some(address(peer.source())) == from);
        let mut there: Vec<_> = there
            .map(|(prefix, peer)| (peer.precedence(), prefix))
            .collect();
        there.sort_unstable();
        let mut there = there.into_iter().take(MOST_LOOKED_AT);
        match there.find(|(_, prefix)| !self.catalog.is_matched_with(*prefix)) {
            Some((_, prefix)) => {
                self.lose(now, prefix, LossReason::Displaced, events);
                true
            }
            None => {
                self.crowds_out = Some(now.after(LOOK_AGAIN));
                false
            }
        }
    }

    /// Lets go of endpoints of topics that nobody here has, of whoever has most, if the participant
    /// has less. Whose endpoints they are is heard again once there is room. False if none gives
    /// way.
    pub(in crate::discovery) fn crowd_endpoints_out(
        &mut self,
        now: Time,
        newcomer: GuidPrefix,
        events: &mut Vec<Event>,
    ) -> bool {
        let Some(peer) = self.peers.get(&newcomer) else {
            return false;
        };
        let place = address(peer.source());
        let own = self.catalog.endpoints_of(newcomer);
        let is_greedy =
            own.saturating_add(peer.strikes) >= self.config.limits.endpoints_per_participant;
        if is_greedy || self.crowds_endpoints_out.is_some_and(|at| now < at) {
            return false;
        }
        let mut shares: BTreeMap<Address, usize> = BTreeMap::new();
        for (prefix, peer) in self.verified() {
            let share = shares.entry(address(peer.source())).or_default();
            *share = share.saturating_add(self.catalog.endpoints_of(prefix));
        }
        let of_own = shares.get(&place).copied().unwrap_or(0);
        // At the same address whoever has most gives way.
        let (from, fair) = match largest(&shares) {
            Some((from, most)) if from != place && most > of_own.saturating_add(1) => {
                (from, (most - of_own) / 2)
            }
            _ => (place, usize::MAX),
        };
        let idle = self.catalog.others_of_each();
        let there = self.verified().filter(|(prefix, peer)| {
            let has_more = self.catalog.endpoints_of(*prefix) > own.saturating_add(1);
            address(peer.source()) == from && (from != place || has_more)
        });
        let there = there.map(|(prefix, _)| (idle.get(&prefix).copied().unwrap_or(0), prefix));
        let Some((some, prefix)) = there.max().filter(|(some, _)| *some > 0) else {
            self.crowds_endpoints_out = Some(now.after(LOOK_AGAIN));
            return false;
        };
        let fair = match from == place {
            true => (self.catalog.endpoints_of(prefix) - own) / 2,
            false => fair,
        };
        for guid in self.catalog.let_go(prefix, some.min(fair).clamp(1, BATCH)) {
            self.watch.remove(&guid);
        }
        if self.peers.get(&prefix).is_some_and(|peer| !peer.refused) {
            self.refuse(now, prefix, events);
        }
        true
    }
}
