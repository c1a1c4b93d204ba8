//! Whom we dial, who waits for the answer, and who is tried again.
//!
//! Mostly nobody waits ([`ConnectionTable::begin`]): the participant is told when the answer has
//! come. Few such conversations go on at once, all others wait in a queue, so that a crowd is
//! greeted as fast as it answers and no faster. Of a large crowd most are never sent anything: who
//! comes when there are many ways already is greeted when there is something to be sent.
use super::super::receiver::Inbox;
use super::super::send_channel::SendChannel;
use super::super::{identity_at, locator, name, port};
use super::{ConnectionTable, Ended, State};
use crate::panics::log;
use crate::traits::Begun;
use dunlin_shm::{Error, Identity, Traffic};
use dunlin_wire::Locator;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// How long a thread waits for a peer's answer; who takes longer is reached some other way until it
/// comes.
const PATIENCE: Duration = Duration::from_millis(50);
/// A peer that could not be reached is not tried again for this long.
const PAUSE: Duration = Duration::from_secs(1);
/// ... nor one that has ended the connection.
pub(super) const LONG_PAUSE: Duration = Duration::from_secs(10);
/// A peer with which endpoints match is tried again by itself after this long, then after twice as
/// long each time, up to so long.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(64);
/// Whoever comes speaks to those who are there, and so is known to them; a look now and then finds
/// who was overlooked.
const LOOK_AGAIN: Duration = Duration::from_secs(30);
/// Conversations that nobody waits for, at once. A rendezvous takes some more, which are for those
/// that somebody waits for.
const AT_ONCE: usize = 48;
/// Participants to whom ways for user data are made when endpoints match; to others they are made
/// when there is something to send.
const AT_A_MATCH: usize = 8;
/// Of more participants no way is made at a match: all would choose those whom they met first.
const CROWD: usize = 64;
/// Peers that are remembered: for not being reachable, for being the next, for being tried again.
const MOST: usize = 4096;

/// Conversations with peers that we dial.
#[derive(Debug, Default)]
pub(super) struct Dialling {
    /// Those that we have greeted and that have not answered.
    greeted: HashMap<Identity, Greeted>,
    /// Those that are greeted as soon as others have answered.
    queue: VecDeque<Identity>,
    /// Those that are greeted when there is something to be sent.
    put_off: HashSet<Identity>,
    /// Peers that are not to be dialled until then, `None` for never again.
    refused: HashMap<Identity, Option<Instant>>,
    /// Peers that are tried again by themselves.
    retries: HashMap<Identity, Retry>,
}

#[derive(Debug)]
struct Greeted {
    /// How many pools it has heard of.
    pools: usize,
    /// Some thread waits for the answer.
    awaited: bool,
    /// The participant is told when the answer comes.
    told: bool,
}

#[derive(Debug)]
struct Retry {
    at: Instant,
    pause: Duration,
}

/// What the answer of a peer means for others.
pub(super) struct Answer {
    /// How many pools the peer has heard of.
    pub(super) pools: usize,
    /// The participant is to be told.
    pub(super) told: bool,
}

impl Dialling {
    /// Nobody is greeted.
    pub(super) fn is_over(&self) -> bool {
        self.greeted.is_empty()
    }

    /// When somebody is to be tried again. If there is no room for that, an answer comes first.
    pub(super) fn next_timeout(&self) -> Option<Instant> {
        let retries = self.retries.values().map(|retry| retry.at).min();
        retries.filter(|_| self.greeted.len() < AT_ONCE)
    }

    fn is_refused(&self, peer: &Identity, now: Instant) -> bool {
        let until = self.refused.get(peer);
        until.is_some_and(|until| until.is_none_or(|until| now < until))
    }

    pub(super) fn note_refused(&mut self, peer: Identity, until: Option<Instant>) {
        if self.refused.len() >= MOST {
            let now = Instant::now();
            self.refused
                .retain(|_, until| until.is_none_or(|until| now < until));
        }
        if self.refused.len() < MOST {
            self.refused.insert(peer, until);
        }
        if until.is_none() {
            self.retries.remove(&peer);
        }
    }

    /// A peer has answered and is connected.
    pub(super) fn note_joined(&mut self, peer: &Identity) -> Answer {
        self.refused.remove(peer);
        self.retries.remove(peer);
        let greeted = self.greeted.remove(peer);
        Answer {
            pools: greeted.as_ref().map_or(0, |greeted| greeted.pools),
            told: greeted.is_some_and(|greeted| greeted.told),
        }
    }

    /// A conversation has failed, or could not begin. One that the participant wants is tried
    /// again, if that may help; true if it is to be told that it has to do without for now.
    fn note_failed(&mut self, peer: Identity, wanted: bool, error: &Error, now: Instant) -> bool {
        if let Error::Violation(_) = error {
            self.note_refused(peer, None);
            return wanted;
        }
        let before = self.retries.get(&peer).map(|retry| retry.pause);
        let wanted = wanted || before.is_some();
        // Where nobody listens nobody is waited for: it is on another host, or has ended.
        let pause = match wanted && !matches!(error, Error::Gone) {
            true => before.map_or(FIRST_PAUSE, |pause| (pause * 2).min(LONGEST_PAUSE)),
            false => PAUSE,
        };
        let at = now + pause;
        self.note_refused(peer, Some(at));
        let room = self.retries.len() < MOST || before.is_some();
        match wanted && room && !matches!(error, Error::Gone) {
            true => drop(self.retries.insert(peer, Retry { at, pause })),
            false => drop(self.retries.remove(&peer)),
        }
        wanted && before.is_none()
    }

    /// Who is to be greeted now: one that is to be tried again, or the first of the queue.
    fn next(&mut self, now: Instant) -> Option<Identity> {
        if self.greeted.len() >= AT_ONCE {
            return None;
        }
        let due = |retry: &Retry| retry.at <= now;
        let again = self.retries.iter_mut().find(|(_, retry)| due(retry));
        if let Some((peer, retry)) = again {
            // It answers before that, or fails; both change this.
            retry.at = now + LONGEST_PAUSE;
            self.refused.remove(peer);
            return Some(*peer);
        }
        self.queue.pop_front()
    }

    /// The way to a peer is made later, if ever. So few are forgotten that it does not matter that
    /// these are dialled at the next occasion.
    fn put_off(&mut self, peer: Identity) {
        if self.put_off.len() >= MOST {
            self.put_off.clear();
        }
        self.put_off.insert(peer);
    }

    /// Puts those of these into the queue that were put off; true if there was one.
    fn want(&mut self, peers: impl IntoIterator<Item = Identity>) -> bool {
        let before = self.queue.len();
        for peer in peers {
            if self.put_off.remove(&peer) {
                self.enqueue(peer);
            }
        }
        self.queue.len() > before
    }

    /// False if there is no room.
    fn enqueue(&mut self, peer: Identity) -> bool {
        let room = self.queue.len() < MOST;
        if room {
            self.queue.push_back(peer);
        }
        room
    }

    /// Who calls us has something for us, and is to be answered: the same for its ports.
    pub(super) fn want_caller(&mut self, caller: &Identity) -> bool {
        let of_caller = |peer: &&Identity| name(peer) == name(caller);
        let ports: Vec<_> = self.put_off.iter().filter(of_caller).copied().collect();
        self.want(ports)
    }
}

impl ConnectionTable {
    /// Begins to make the way to a unicast locator, unless there are many already, or the peer is
    /// one of a crowd; waits for nothing.
    pub(in crate::shm) fn begin(&self, to: &Locator, known: usize) -> Begun {
        let Some(peer) = identity_at(to) else {
            return Begun::Known;
        };
        let mut state = self.state();
        if state.outlets.contains_key(&peer) {
            return Begun::Known;
        }
        if let Some(greeted) = state.dialling.greeted.get_mut(&peer) {
            greeted.told = true;
            return Begun::Awaited;
        }
        if state.dialling.queue.contains(&peer) {
            return Begun::Awaited;
        }
        if state.dialling.is_refused(&peer, Instant::now()) {
            return Begun::Known;
        }
        if known > CROWD || state.acquaintances() >= AT_A_MATCH {
            state.dialling.put_off(peer);
            return Begun::PutOff;
        }
        state.dialling.put_off.remove(&peer);
        if state.dialling.greeted.len() >= AT_ONCE {
            return match state.dialling.enqueue(peer) {
                true => Begun::Awaited,
                false => Begun::Known,
            };
        }
        self.dial(&mut state, peer, false, true);
        match state.dialling.greeted.contains_key(&peer) {
            true => Begun::Awaited,
            false => Begun::Known,
        }
    }

    /// There is something to be sent to these: whoever was put off is greeted.
    pub(in crate::shm) fn want(&self, to: &[Locator]) {
        let peers = to.iter().filter_map(identity_at);
        if self.state().dialling.want(peers) {
            self.ring();
        }
    }

    /// The way to a unicast locator, made if there is none yet; waits for the peer's answer for
    /// some milliseconds, unless that was begun before.
    pub(in crate::shm) fn connect(&self, to: &Locator) -> Option<Arc<SendChannel>> {
        let peer = identity_at(to)?;
        let mut state = self.state();
        if let Some(send_channel) = state.outlets.get(&peer) {
            return Some(Arc::clone(send_channel));
        }
        let later = &state.dialling;
        if later.queue.contains(&peer) || later.put_off.contains(&peer) {
            return None;
        }
        self.dial(&mut state, peer, true, false);
        let state = self.await_answers(state, &[peer]);
        state.outlets.get(&peer).cloned()
    }

    /// The ways to all neighbours that listen to a group.
    pub(in crate::shm) fn neighbours(&self, group: &Locator) -> Vec<Arc<SendChannel>> {
        let Ok(group) = u16::try_from(group.port) else {
            return Vec::new();
        };
        let mut state = self.state();
        let known = state.in_group(group);
        let looked = state.looked.is_some_and(|at| at.elapsed() < LOOK_AGAIN);
        if looked && !known.is_empty() {
            return known;
        }
        state.looked = Some(Instant::now());
        drop(state);
        let found = dunlin_shm::neighbours(self.group).unwrap_or_default();
        let is_one = |peer: &Identity| port(peer).group == group;
        let found: Vec<Identity> = found.into_iter().filter(is_one).collect();
        self.tell_of_strangers();
        let mut state = self.state();
        for peer in &found {
            self.dial(&mut state, *peer, true, false);
        }
        self.await_answers(state, &found).in_group(group)
    }

    /// Where those neighbours listen to a group whose names are not known: at most so many, and
    /// first those that come after us, so that not all of a crowd ask the same few. Those that have
    /// to be dialled are among them next time, or now, if it `waits`.
    pub(in crate::shm) fn unknown_neighbours(
        &self,
        group: &Locator,
        most: usize,
        known: &dyn Fn([u8; 12]) -> bool,
        waits: bool,
    ) -> Vec<Locator> {
        let Some(group) = u16::try_from(group.port).ok().filter(|_| most > 0) else {
            return Vec::new();
        };
        let mut found = dunlin_shm::neighbours(self.group).unwrap_or_default();
        self.tell_of_strangers();
        let first = found.partition_point(|peer| name(peer) <= self.name);
        found.rotate_left(first);
        let mut state = self.state();
        let now = Instant::now();
        found.retain(|peer| {
            let name = name(peer);
            let unknown = name != self.name && port(peer).group == group && !known(name);
            unknown && !state.dialling.is_refused(peer, now)
        });
        found.truncate(most);
        for peer in &found {
            if waits || state.dialling.greeted.len() < AT_ONCE {
                self.dial(&mut state, *peer, waits, false);
            }
        }
        let state = self.await_answers(state, &found);
        let connected = found
            .iter()
            .filter(|peer| state.outlets.contains_key(*peer));
        connected.map(locator).collect()
    }

    /// Greets a peer, unless it is connected, has been greeted or is refused.
    fn dial(&self, state: &mut State, peer: Identity, awaited: bool, told: bool) {
        let now = Instant::now();
        if let Some(greeted) = state.dialling.greeted.get_mut(&peer) {
            greeted.told |= told;
            return;
        }
        if state.outlets.contains_key(&peer) || state.dialling.is_refused(&peer, now) {
            return;
        }
        let pools = state.pools.len();
        match state.caller.dial_for(peer, port(&peer).traffic(), now) {
            Ok(()) => {
                let greeted = Greeted {
                    pools,
                    awaited,
                    told,
                };
                state.dialling.greeted.insert(peer, greeted);
                state.await_sockets(&self.events);
                self.ring();
            }
            Err(error) => {
                self.refuse(state, peer, told, &error);
            }
        }
    }

    /// Greets those of the queue for whom there is room, and those that are to be tried again;
    /// returns the names of those of the queue of whom all is known at once.
    pub(super) fn dial_next(&self, state: &mut State, now: Instant) -> Vec<[u8; 12]> {
        let mut known = Vec::new();
        while let Some(peer) = state.dialling.next(now) {
            let before = state.dialling.retries.contains_key(&peer);
            self.dial(state, peer, false, true);
            if !before && !state.dialling.greeted.contains_key(&peer) {
                known.push(name(&peer));
            }
        }
        known
    }

    /// Waits for the answers of those who have been greeted; who takes too long is not waited for
    /// any more.
    fn await_answers<'a>(
        &self,
        mut state: MutexGuard<'a, State>,
        peers: &[Identity],
    ) -> MutexGuard<'a, State> {
        let until = Instant::now() + PATIENCE;
        let awaited = |state: &State| {
            let mut greeted = peers
                .iter()
                .filter_map(|peer| state.dialling.greeted.get(peer));
            greeted.any(|greeted| greeted.awaited)
        };
        while awaited(&state) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                for peer in peers {
                    if let Some(greeted) = state.dialling.greeted.get_mut(peer) {
                        greeted.told |= std::mem::take(&mut greeted.awaited);
                    }
                }
                break;
            }
            let waited = self.settled.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state
    }

    /// A conversation has failed; true if the participant is to be told.
    pub(super) fn hear_failure(&self, state: &mut State, peer: Identity, error: &Error) -> bool {
        let greeted = state.dialling.greeted.remove(&peer);
        let told = greeted.is_some_and(|greeted| greeted.told);
        self.refuse(state, peer, told, error)
    }

    /// A peer cannot be reached, for now; true if the participant is to be told.
    fn refuse(&self, state: &mut State, peer: Identity, wanted: bool, error: &Error) -> bool {
        let told = state
            .dialling
            .note_failed(peer, wanted, error, Instant::now());
        if let Some(total) = self.count_refusal(error) {
            log::info!(peer = ?locator(&peer), %error, total, "memory is not shared with this peer; another transport has to do");
        }
        told
    }

    /// How many have been greeted and have not answered, and how many are to be greeted.
    #[cfg(test)]
    pub(in crate::shm) fn conversations(&self) -> (usize, usize) {
        let state = self.state();
        (
            state.dialling.greeted.len(),
            state.dialling.queue.len() + state.dialling.retries.len(),
        )
    }
}

impl State {
    /// Participants with whom there are ways for user data, or will be.
    fn acquaintances(&self) -> usize {
        let dialling = &self.dialling;
        let dialled = self.outlets.keys().chain(dialling.greeted.keys());
        let dialled = dialled.chain(&dialling.queue);
        let dialled = dialled.filter(|peer| port(peer).traffic() == Traffic::Data);
        let all: HashSet<_> = dialled.chain(self.callers()).map(name).collect();
        all.len()
    }

    /// Who has called at our ports for user data.
    fn callers(&self) -> impl Iterator<Item = &Identity> {
        let is_for_data = |at: &Weak<Inbox>| {
            let mut ports = self.ports.iter();
            ports.any(|(rendezvous, inbox)| {
                let traffic = port(&rendezvous.identity()).traffic();
                std::ptr::eq(Arc::as_ptr(inbox), at.as_ptr()) && traffic == Traffic::Data
            })
        };
        let lines = self.lines.values();
        lines.filter_map(move |watched| match &watched.end {
            Ended::ReceiveChannel(at, caller) if is_for_data(at) => Some(caller),
            _ => None,
        })
    }

    /// Those who listen to a group, as far as we are connected.
    fn in_group(&self, group: u16) -> Vec<Arc<SendChannel>> {
        let outlets = self.outlets.iter();
        let found = outlets.filter(|(peer, _)| port(peer).group == group);
        found
            .map(|(_, send_channel)| Arc::clone(send_channel))
            .collect()
    }
}

#[cfg(test)]
mod tests;
