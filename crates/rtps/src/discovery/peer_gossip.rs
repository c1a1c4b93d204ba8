//! Who is said to be where: participants that others have introduced to us, and when we call those
//! that we do not know.
//!
//! Anybody who is believed to be where it says may invent participants, at anybody's address. So an
//! introduction draws one announcement, then others after longer and longer pauses; however many
//! are introduced, all together draw no more than `BURST` at once and one for each `PAUSE` after
//! that; and those who introduce take turns, so that whoever tells lies does not keep us from what
//! others say.
use super::timer_queue::RenewableTimers;
use crate::Time;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use dunlin_qos::Duration;
use dunlin_wire::{GossipedParticipant, GuidPrefix, Locator};

/// Participants of whom others tell.
const MOST: usize = 4096;
/// Of whom one participant tells; more is not listened to.
pub(super) const MOST_OF_ONE: usize = 1024;
/// Whose word on one participant is remembered.
const WAYS: usize = 4;
/// So many are called at once ...
const BURST: u32 = 64;
/// ... and then one after each such time.
const PAUSE: Duration = Duration::from_millis(125);
/// The first pause between two calls of the same participant; each further one is twice as long ...
const AGAIN: Duration = Duration::from_secs(1);
/// ... so many times.
const DOUBLINGS: u32 = 6;

/// What others say.
#[derive(Debug, Default)]
pub(super) struct PeerGossip {
    told: BTreeMap<GuidPrefix, GossipEntry>,
    tellers: BTreeMap<GuidPrefix, GossipSource>,
    due: RenewableTimers<GuidPrefix>,
    budget: Budget,
}

/// One participant of whom others tell.
#[derive(Debug, Default)]
struct GossipEntry {
    /// Who says what.
    ways: Vec<(GuidPrefix, Vec<Locator>)>,
    /// Whose word is followed.
    turn: usize,
    /// Calls without an answer.
    calls: u32,
}

#[derive(Debug, Default)]
struct GossipSource {
    /// Ways that are remembered.
    ways: usize,
    /// When its word was last followed.
    followed: Option<Time>,
}

impl PeerGossip {
    /// Takes in what a participant says; `known`: we know the one of whom it tells.
    pub(super) fn hear(&mut self, now: Time, said: GossipedParticipant, known: bool) {
        let GossipedParticipant {
            prefix,
            teller,
            locators,
        } = said;
        let fits = self.told.len() < MOST || self.told.contains_key(&prefix);
        if locators.is_empty() || !fits {
            return;
        }
        let told = self.told.entry(prefix).or_default();
        match told.ways.iter_mut().find(|(who, _)| *who == teller) {
            Some((_, before)) if *before == locators => return,
            Some((_, before)) => {
                *before = locators;
                told.calls = 0;
            }
            None => {
                let from = self.tellers.entry(teller).or_default();
                if told.ways.len() < WAYS && from.ways < MOST_OF_ONE {
                    from.ways = from.ways.saturating_add(1);
                    told.ways.push((teller, locators));
                }
            }
        }
        if told.ways.is_empty() {
            self.told.remove(&prefix);
        } else if !known && !self.due.contains(&prefix) {
            self.due.set(prefix, now);
        }
    }

    /// `teller` says nothing of a participant any more.
    pub(super) fn withdraw(&mut self, teller: GuidPrefix, prefix: GuidPrefix) {
        let Some(told) = self.told.get_mut(&prefix) else {
            return;
        };
        let before = told.ways.len();
        told.ways.retain(|(who, _)| *who != teller);
        if told.ways.len() < before
            && let Some(from) = self.tellers.get_mut(&teller)
        {
            from.ways = from.ways.saturating_sub(1);
        }
        if told.ways.is_empty() {
            self.told.remove(&prefix);
            self.due.remove(&prefix);
        }
    }

    /// Nothing that `teller` has said counts any more.
    pub(super) fn forget(&mut self, teller: GuidPrefix) {
        if self.tellers.get(&teller).is_some_and(|from| from.ways > 0) {
            let all: Vec<GuidPrefix> = self.told.keys().copied().collect();
            all.into_iter()
                .for_each(|prefix| self.withdraw(teller, prefix));
        }
        self.tellers.remove(&teller);
    }

    /// We know a participant ourselves now; true if it is one that we have called.
    pub(super) fn meet(&mut self, prefix: GuidPrefix) -> bool {
        self.due.remove(&prefix);
        let told = self.told.get_mut(&prefix);
        told.is_some_and(|told| core::mem::take(&mut told.calls) > 0)
    }

    /// We know it no longer. If others still do it is called after a while.
    pub(super) fn lose(&mut self, now: Time, prefix: GuidPrefix) {
        if self.told.contains_key(&prefix) {
            self.due.set(prefix, now.after(AGAIN));
        }
    }

    /// Where a participant is to be called; nowhere if nobody tells of it.
    pub(super) fn locators(&self, prefix: GuidPrefix) -> &[Locator] {
        let told = self.told.get(&prefix);
        let way = told.and_then(|told| told.ways.get(told.turn % told.ways.len().max(1)));
        way.map_or(&[], |(_, locators)| locators)
    }

    pub(super) fn next_timeout(&self) -> Option<Time> {
        self.due.next()
    }

    /// Those that are to be called now, each once.
    pub(super) fn calls(&mut self, now: Time) -> Vec<GuidPrefix> {
        let mut due = self.due.expired(now);
        let mut calls = Vec::new();
        while !due.is_empty() && self.budget.take(now) {
            let turns = due.iter().enumerate();
            let next = turns.min_by_key(|(_, prefix)| self.precedence(**prefix));
            let Some((at, prefix)) = next.map(|(at, prefix)| (at, *prefix)) else {
                break;
            };
            due.swap_remove(at);
            self.follow(now, prefix);
            calls.push(prefix);
        }
        let later = now.after(PAUSE);
        due.into_iter()
            .for_each(|prefix| self.due.set(prefix, later));
        calls
    }

    /// Whoever was believed longest ago is believed first, and of what it says that which was tried
    /// least.
    fn precedence(&self, prefix: GuidPrefix) -> (Option<Time>, u32) {
        let told = self.told.get(&prefix);
        let (who, calls) = told.map_or((None, 0), |told| (told.next_teller(), told.calls));
        let teller = who.and_then(|who| self.tellers.get(&who));
        (teller.and_then(|teller| teller.followed), calls)
    }

    fn follow(&mut self, now: Time, prefix: GuidPrefix) {
        let Some(told) = self.told.get_mut(&prefix) else {
            return;
        };
        told.turn = told.next_turn();
        let doublings = told.calls.min(DOUBLINGS);
        let pause = AGAIN.as_nanos().saturating_mul(1_i64 << doublings);
        told.calls = told.calls.saturating_add(1);
        self.due.set(prefix, now.after(Duration::from_nanos(pause)));
        if let Some((who, _)) = told.ways.get(told.turn)
            && let Some(teller) = self.tellers.get_mut(who)
        {
            teller.followed = Some(now);
        }
    }
}

impl GossipEntry {
    fn next_turn(&self) -> usize {
        let next = self.turn.wrapping_add(1);
        next % self.ways.len().max(1)
    }

    fn next_teller(&self) -> Option<GuidPrefix> {
        self.ways.get(self.next_turn()).map(|(who, _)| *who)
    }
}

/// How much may be sent to where nobody has shown to be.
#[derive(Debug)]
struct Budget {
    left: u32,
    since: Time,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            left: BURST,
            since: Time(0),
        }
    }
}

impl Budget {
    fn take(&mut self, now: Time) -> bool {
        let passed = now.0.saturating_sub(self.since.0).max(0);
        let earned = passed.checked_div(PAUSE.as_nanos()).unwrap_or(0);
        if earned > 0 {
            let earned = u32::try_from(earned).unwrap_or(BURST);
            self.left = self.left.saturating_add(earned).min(BURST);
            self.since = now;
        }
        let rest = self.left.checked_sub(1);
        self.left = rest.unwrap_or(0);
        rest.is_some()
    }
}
