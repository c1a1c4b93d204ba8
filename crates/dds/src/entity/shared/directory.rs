//! A participant and its directory of the domain: who asks it, and what follows from that.
use super::Shared;
use crate::discovery::matching::ways::{PATIENCE, WayChange};
use crate::discovery::matching::{Matching, MatchingEvent, OwnParticipant};
use crate::entity::due::Due;
use crate::receive::deferred;
use crate::receive::role::Role;
use crate::receive::routes::Routes;
use dunlin_qos::Duration;
use dunlin_rtps::Time;
use dunlin_transport::panics::log;
use dunlin_transport::{Transport, Watcher};
use dunlin_wire::{EntityId, GuidPrefix, Locator};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// How long what a participant said before it ended is given to be read.
const LAST_WORDS: Duration = Duration::from_millis(20);

/// How often a thread looks whether a way has been found.
const LOOK: std::time::Duration = std::time::Duration::from_micros(100);

/// Addresses that change come in several steps, such as the old one going and the new one coming.
const SETTLING: Duration = Duration::from_millis(50);

impl OwnParticipant for Shared {
    fn transport(&self) -> &dyn Transport {
        &*self.transport
    }

    fn delivers_locally(&self) -> bool {
        self.config.transports.local
    }

    fn answers_questions(&self) -> bool {
        self.config.answers_questions
    }

    fn hears_itself(&self) -> bool {
        self.hears_itself.load(Relaxed)
    }

    fn dropped(&self) -> u64 {
        self.user.reception().dropped
    }

    fn set_routes(&self, routes: Routes<Self>) {
        Shared::set_routes(self, routes);
    }
}

impl Shared {
    /// Runs `work` on the directory and carries out what follows from it: proxies, routes, answers,
    /// and at last, without the lock, statuses and listeners.
    pub(crate) fn discover<R>(
        self: &Arc<Self>,
        work: impl FnOnce(&mut Matching<Self>, Time) -> R,
    ) -> R {
        let _deferred = deferred::scope();
        let mut matching_events = Vec::new();
        let (result, next) = {
            let mut matching = self.matching.lock();
            let now = self.clock.now();
            let result = work(&mut matching, now);
            matching.settle(self, now, &mut matching_events);
            (result, matching.next_timeout())
        };
        if let Some(at) = next {
            self.timer
                .schedule(at, &self.discovery_scheduled, || Due::Discovery);
        }
        matching_events.into_iter().for_each(MatchingEvent::run);
        result
    }

    /// Waits until what discovery has just decided is carried out: matches are counted before their
    /// routes stand.
    pub(crate) fn settled(&self) {
        drop(self.matching.lock());
    }

    pub(crate) fn discovery_timeout(self: &Arc<Self>) {
        let failure = self.transport_failure.lock().take();
        if let Some(why) = failure {
            return self.fail(&why);
        }
        self.follow_addresses();
        let now = self.clock.now();
        let due = |way: &mut (GuidPrefix, WayChange, Time)| way.2 <= now;
        let (ways, next) = {
            let mut ways = self.ways.lock();
            let due: Vec<_> = ways.extract_if(.., due).collect();
            (due, ways.iter().map(|(_, _, at)| *at).min())
        };
        self.discover(|matching, now| {
            for (peer, change, _) in ways {
                matching.change_way(now, peer, change);
            }
            matching.handle_timeout(now);
        });
        if let Some(at) = next {
            self.timer
                .schedule(at, &self.discovery_scheduled, || Due::Discovery);
        }
    }

    /// The ways to the participant at this address have changed, which is to be heeded then.
    fn note_way(&self, peer: &Locator, change: WayChange, at: Time) {
        let [prefix @ .., _, _, _, _] = peer.address;
        self.ways.lock().push((GuidPrefix(prefix), change, at));
        self.timer
            .schedule(at, &self.discovery_scheduled, || Due::Discovery);
    }

    /// Waits until the matches of a new writer with readers that are known are carried out, so that
    /// what is written next is for them. Not long, and without a lock: other threads go on, and
    /// this one does what they might do.
    pub(crate) fn await_ways(self: &Arc<Self>, writer: EntityId) {
        let until = self.clock.now().after(PATIENCE);
        while self.matching.lock().awaits_ways(writer) {
            let now = self.clock.now();
            if now >= until {
                return;
            }
            let answered = self.ways.lock().iter().any(|(_, _, at)| *at <= now);
            match answered {
                true => self.discovery_timeout(),
                false => std::thread::sleep(LOOK),
            }
        }
    }

    /// The addresses of this host are not what they were: announces the participant where it is
    /// now, and finds the ways to all others anew.
    fn follow_addresses(self: &Arc<Self>) {
        let now = self.clock.now();
        let due = self.addresses_due.lock().take_if(|due| *due <= now);
        if due.is_some() && self.transport.follow_addresses() {
            let unicast = |role: &Role<Self>| {
                let mut places = self.transport.relocated(role.locators());
                places.retain(|place| !place.is_multicast());
                places
            };
            let (meta, user) = (unicast(&self.meta), unicast(&self.user));
            let moved = self.discover(|matching, now| matching.move_to(now, meta, user));
            if let Err(error) = moved {
                log::warn!(%error, "the participant cannot be announced at its new addresses");
            }
        }
        let later = *self.addresses_due.lock();
        if let Some(at) = later {
            self.timer
                .schedule(at, &self.discovery_scheduled, || Due::Discovery);
        }
    }
}

impl Watcher for Shared {
    fn addresses_changed(&self) {
        let at = self.clock.now().after(SETTLING);
        let mut due = self.addresses_due.lock();
        let at = *due.get_or_insert(at);
        drop(due);
        self.timer
            .schedule(at, &self.discovery_scheduled, || Due::Discovery);
    }

    fn changed(&self, peer: &Locator, ended: bool) {
        // What it said before it ended may still be read: that it leaves, or has deleted its
        // writers.
        let now = self.clock.now();
        match ended {
            true => self.note_way(peer, WayChange::Ended, now.after(LAST_WORDS)),
            false => self.note_way(peer, WayChange::Lost, now),
        }
    }

    fn answered(&self, peer: &Locator) {
        self.note_way(peer, WayChange::Answered, self.clock.now());
    }

    fn failed(&self, why: &str) {
        *self.transport_failure.lock() = Some(why.to_owned());
        self.timer
            .schedule(self.clock.now(), &self.discovery_scheduled, || {
                Due::Discovery
            });
    }
}
