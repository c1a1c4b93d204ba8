//! The other participants: finding, keeping and losing them (RTPS 2.5 8.5.3).
mod announcements;
mod leases;
mod moves;

use super::announcer::detector;
use super::builtin::BuiltinTopic;
use super::early_messages::EarlyMessages;
use super::unverified_participants::Credit;
use super::{Discovery, DiscoveryConfig, Event, LossReason, Source, proof};
use crate::{Outbox, Time, crowd};
use alloc::vec::Vec;
use dunlin_qos::Duration;
use dunlin_wire::{
    BuiltinEndpoints, GuidPrefix, Locator, ParticipantData, SequenceNumber, Submessage, Timestamp,
};

/// However short a lease a peer announces, it is kept for so long.
const MIN_LEASE: Duration = Duration::from_millis(100);
/// After this part of its lease a silent peer is asked whether it lives ...
const DOUBT: (i64, i64) = (2, 5);
/// ... and then so many times per lease: at a loss of half of all datagrams the lease of a living
/// peer does not run out.
const PROBES_PER_LEASE: i64 = 64;
/// A timer that is so late shows that our process stood still. What others said meanwhile waits.
pub(super) const STANDSTILL: Duration = Duration::from_secs(1);
/// They are then kept for this part of their lease, in which they are asked whether they live.
const GRACE: i64 = 4;
/// One that never answered is remembered for so long, whatever lease it announces: it may not
/// exist.
const UNVERIFIED_LEASE: Duration = Duration::from_secs(60);
/// It is called again after so long, then after twice as long, and so on, as far as its credit
/// goes, while there are but a few such.
const CALL_AGAIN: Duration = Duration::from_millis(100);
const DOUBLINGS: u32 = 6;
const FEW: usize = 64;
/// However long the lease, a participant that is silent for two fifths of this is idle.
const MOST_IDLE: Duration = Duration::from_secs(60);
/// An announcement that was sent before a goodbye and comes after it must not bring the participant
/// back.
const FAREWELL: Duration = Duration::from_secs(1);
/// A goodbye from elsewhere than the participant counts if the participant keeps silent for so long
/// ... Its answers are behind all else that has come, which may be seconds' worth in a flood.
const SILENCE: Duration = Duration::from_secs(4);
/// ... though it is asked so often.
const SILENCE_PROBE: Duration = Duration::from_millis(100);

/// Another participant: what it says about itself, and how far we trust it.
#[derive(Debug)]
pub(super) struct Peer {
    pub(super) data: ParticipantData,
    /// When it was last heard to announce itself by multicast.
    by_multicast: Option<Time>,
    /// It answered: what we sent to it arrived.
    pub(super) verified: bool,
    /// Where the datagram came from with which it answered first: its own socket.
    pub(super) source: Locator,
    /// What it may be sent while it is not verified.
    credit: Credit,
    /// By how much the numbers of our built-in writers are moved for it; 0 if they are not.
    pub(super) shift: i64,
    /// It announced itself by a connection, and so what is sent to it goes by one.
    pub(super) by_connection: bool,
    /// How far it has come in showing where it is.
    pub(super) trial: proof::Trial,
    /// What it has said before.
    pub(super) early: EarlyMessages,
    /// It named us, so it needs no announcement.
    knows_us: bool,
    /// How many strangers were met before it.
    age: u64,
    /// The goodbye that is not proven counts then.
    silent_until: Option<Time>,
    /// Where it seems to be now.
    moving: Option<moves::Move>,
    /// When it was last heard.
    heard: Time,
    /// Announcements to it alone that came due since.
    unheard: u32,
    /// What it announces, as a keyed hash of the bytes; `None` if it has not said so again.
    announces: Option<u64>,
    /// It has answered a writer of ours.
    acknowledges: bool,
    /// It announced too many endpoints, or too much nonsense; its endpoints are heard no more.
    pub(super) refused: bool,
    /// It is not heard again before this.
    pub(super) refused_until: Time,
    /// How often it was refused.
    pub(super) refusals: u32,
    /// Descriptions of endpoints that made no sense.
    pub(super) strikes: usize,
    /// It announced itself without knowing our name: we are one of its peers.
    asks: bool,
    /// Our announcement was sent to it alone.
    called: bool,
    /// When it was believed.
    met: Time,
    /// The last announcement of ours that it knows, or was sent alone.
    told: SequenceNumber,
    /// So often it was called since it announced itself last.
    calls: u32,
    /// When that was last.
    called_at: Time,
    /// We tell each other whom we know.
    pub(super) neighbour: bool,
    /// Participants of which it has told.
    pub(super) words: usize,
}

impl Peer {
    /// So many bytes came in its name.
    pub(super) fn earn(&mut self, bytes: usize) {
        self.credit.earn(bytes);
    }

    /// It may be sent so many bytes, and is.
    pub(super) fn pay(&mut self, bytes: usize) -> bool {
        self.credit.pay(bytes)
    }

    /// Where the datagram came from with which it answered first.
    pub(super) fn source(&self) -> Locator {
        self.source
    }

    /// The lower, the longer it is known.
    pub(super) fn age(&self) -> u64 {
        self.age
    }

    fn lease(&self) -> Duration {
        match self.verified {
            true => self.data.lease_duration.max(MIN_LEASE),
            false => UNVERIFIED_LEASE,
        }
    }

    /// It answered by a connection that it has made, and from nowhere that it says to be: only that
    /// leads back to it.
    pub(super) fn only_calls(&self) -> bool {
        self.verified && self.source == self.by_name()
    }

    /// What leads back through the connections that it has made.
    fn by_name(&self) -> Locator {
        Locator::tcp_caller(self.data.guid.prefix.0)
    }

    /// Where a datagram came from, if it may be its own: it says to be there, or showed it, or it
    /// is on our own host. Else it may be behind an address translator, and have called us.
    fn origin(&self, source: &Source, config: &DiscoveryConfig) -> Option<Locator> {
        let (from, by_name) = (source.from, self.by_name());
        if self.only_calls() {
            return (source.called || from == by_name).then_some(by_name);
        }
        let announced = [&self.data.metatraffic_unicast, &self.data.default_unicast];
        let mut announced = announced.into_iter().flatten();
        let may_be_there = (self.verified && self.source.may_have_sent(&from))
            || announced.clone().any(|l| l.may_have_sent(&from))
            || config.is_own(&from);
        match may_be_there {
            // It listens nowhere, so it has no port of its own.
            true if source.called && announced.any(|l| *l == by_name) => Some(by_name),
            true => Some(from),
            false => (source.called && !self.verified).then_some(by_name),
        }
    }
}

impl Peer {
    /// It is silent for so long that it may give way, if it is matched with nothing.
    pub(super) fn is_idle(&self, now: Time) -> bool {
        self.verified && now.since(self.heard) > self.trust()
    }

    /// Those that never answered a writer of ours give way first, then those that were not heard
    /// for longest.
    pub(super) fn precedence(&self) -> (bool, Time) {
        (self.acknowledges, self.heard)
    }
}

/// What was heard and not taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Heard {
    /// Announcements of participants of another domain or with another domain tag.
    pub other_domain: u64,
    /// Announcements, descriptions and messages that made no sense.
    pub malformed: u64,
    /// Announcements of participants for which there was no room.
    pub no_room: u64,
    /// What came in a participant's name from where it is not.
    pub misplaced: u64,
}

impl Discovery {
    /// A participant that we did not know.
    fn meet(
        &mut self,
        now: Time,
        source: &Source,
        data: ParticipantData,
        size: usize,
        out: &mut impl Outbox,
        events: &mut Vec<Event>,
    ) {
        if !self.make_room(now, source.from, size, events) {
            self.heard.no_room += 1;
            return;
        }
        let prefix = source.prefix;
        events.push(Event::ParticipantFound {
            prefix,
            vendor: data.vendor,
            name: data.entity_name.clone(),
        });
        let mut credit = Credit::default();
        credit.earn(size);
        let by_connection = source.is_by_connection();
        let secret = self.config.secret.as_ref();
        let shift = secret.map_or(0, |secret| proof::shift(secret, &data, by_connection));
        self.peers.insert(
            prefix,
            Peer {
                data,
                by_multicast: source.multicast.then_some(now),
                verified: false,
                source: source.from,
                credit,
                shift,
                by_connection,
                trial: proof::Trial::default(),
                early: EarlyMessages::default(),
                knows_us: false,
                age: self.strangers.add(prefix, size),
                silent_until: None,
                moving: None,
                heard: now,
                unheard: 0,
                announces: None,
                acknowledges: false,
                refused: false,
                refused_until: Time::PAST,
                refusals: 0,
                strikes: 0,
                asks: !source.addressed && !source.multicast,
                called: self.hearsay.meet(prefix),
                told: SequenceNumber(0),
                met: now,
                calls: 0,
                called_at: Time::PAST,
                neighbour: false,
                words: 0,
            },
        );
        self.renew(now, prefix);
        self.greet(now, source, out, events);
    }

    /// A stranger announced itself. If it speaks to us by name it knows our announcement already,
    /// else it gets it, and a question that it has to answer once it knows us, as far as its credit
    /// goes: the answer shows that it is where it says, and neither side need wait for a timer.
    fn greet(
        &mut self,
        now: Time,
        source: &Source,
        out: &mut impl Outbox,
        events: &mut Vec<Event>,
    ) {
        let Some(peer) = self.peers.get_mut(&source.prefix) else {
            return;
        };
        let origin = peer.origin(source, &self.config);
        // Where there is no multicast it may have our name from others, and has not heard us yet.
        let owes = !peer.called && peer.data.metatraffic_multicast.is_empty();
        peer.knows_us |= source.addressed && !owes;
        let may_be = origin.filter(|_| source.addressed);
        if let Some(origin) = may_be.filter(|_| !self.must_prove(source.prefix)) {
            let is_met = self.verify(now, source.prefix, origin, out, events);
            if owes && is_met {
                let timestamp = self.config.timestamp(now);
                let to = detector(source.prefix);
                self.announcer.announce(timestamp, to, out);
            }
            return;
        }
        let patience = crowd::longer(self.strangers.patience(), self.peers.len());
        if let Some(peer) = self.peers.get_mut(&source.prefix) {
            if now < peer.called_at.after(patience) {
                return;
            }
            peer.calls = 0;
        }
        self.call(now, source.prefix, out);
    }

    /// Asks a stranger for an answer, and tells it who we are if its credit is enough for both. A
    /// peer may take in our announcement after the question that follows it, and then passes over
    /// the question: so this is repeated.
    fn call(&mut self, now: Time, prefix: GuidPrefix, out: &mut impl Outbox) {
        let (size, pause) = (
            self.announcer.size(),
            crowd::longer(CALL_AGAIN, self.peers.len()),
        );
        let Some(peer) = self.peers.get_mut(&prefix).filter(|p| !p.verified) else {
            return;
        };
        let announces = !peer.knows_us && peer.credit.pay_both(BuiltinTopic::HAIL_SIZE, size);
        // Without our announcement it understands the question only if it has heard us elsewhere.
        let may_know_us = peer.called || peer.by_multicast.is_some() || peer.knows_us;
        let asks = announces || (may_know_us && peer.credit.pay(BuiltinTopic::HAIL_SIZE));
        if !asks {
            return;
        }
        let pause = pause.as_nanos() << peer.calls.min(DOUBLINGS);
        peer.calls = peer.calls.saturating_add(1);
        peer.called_at = now;
        peer.called |= announces;
        let shift = peer.shift;
        if announces {
            let timestamp = self.config.timestamp(now);
            self.announcer.announce(timestamp, detector(prefix), out);
        }
        if let Some(topic) = self.answering(prefix) {
            topic.hail(prefix, shift, out);
        }
        if self.strangers.len() <= FEW {
            self.doubts
                .set(prefix, now.after(Duration::from_nanos(pause)));
        }
    }

    /// A stranger answered: it knows what only whoever is where it says can know (`proof`). It gets
    /// all our endpoints. False if too many are there already: it stays a stranger.
    fn verify(
        &mut self,
        now: Time,
        prefix: GuidPrefix,
        origin: Locator,
        out: &mut impl Outbox,
        events: &mut Vec<Event>,
    ) -> bool {
        if !self.find_room_at(now, origin, events) {
            self.heard.no_room += 1;
            return false;
        }
        let Some(peer) = self.peers.get_mut(&prefix) else {
            return false;
        };
        peer.verified = true;
        // It answered a question that only those understand who know us.
        peer.told = self.announcer.sequence();
        peer.met = now;
        peer.source = origin;
        let asks = peer.asks;
        self.strangers.remove(peer.age);
        self.renew(now, prefix);
        self.update(now, prefix, BuiltinEndpoints(0), out, events);
        self.introduce(now, prefix);
        if asks {
            self.befriend(now, prefix, out);
        }
        true
    }

    /// True if a built-in message may be its sender's, which has shown to be where it says.
    pub(super) fn recognize(
        &mut self,
        now: Time,
        source: &Source,
        timestamp: Option<Timestamp>,
        message: &Submessage<'_>,
        out: &mut impl Outbox,
        events: &mut Vec<Event>,
    ) -> bool {
        let Some(peer) = self.peers.get_mut(&source.prefix) else {
            return false;
        };
        let Some(origin) = peer.origin(source, &self.config) else {
            self.heard.misplaced += 1;
            return false;
        };
        if !peer.verified {
            if !source.addressed {
                self.keep_early(now, source.prefix, timestamp, message);
                return false;
            }
            if !self.proves(now, source, message, out) {
                self.prove(now, source, message, out);
                self.keep_early(now, source.prefix, timestamp, message);
                return false;
            }
            if !self.verify(now, source.prefix, origin, out, events) {
                return false;
            }
        }
        self.heard_from(now, source.prefix)
    }

    /// Takes over what a participant says anew; `before` are the built-in endpoints that it had.
    fn update(
        &mut self,
        now: Time,
        prefix: GuidPrefix,
        before: BuiltinEndpoints,
        out: &mut impl Outbox,
        events: &mut Vec<Event>,
    ) {
        let Some(peer) = self.peers.get(&prefix) else {
            return;
        };
        let (unicast, multicast) = (&peer.data.default_unicast, &peer.data.default_multicast);
        self.catalog.put_home(prefix, unicast, multicast, events);
        let who = (prefix, peer.data.vendor);
        let now_has = peer.data.builtin_endpoints;
        for topic in self.topics.iter_mut() {
            let entry = topic.entry;
            let gained = entry.has_writer(now_has) && !entry.has_writer(before);
            if gained && !(peer.refused && entry.describes_endpoints) {
                topic.listen_to(now, who, out);
            }
        }
        for topic in self.topics.iter_mut() {
            let entry = topic.entry;
            if entry.has_reader(now_has) && !entry.has_reader(before) {
                let reliable = entry.is_reliable_to(&peer.data);
                topic.tell(now, who, peer.shift, reliable, out);
            }
        }
    }

    /// True if there is room for one more participant with an announcement of so many bytes, if
    /// need be in place of those that have not answered for longest, of one that is of no use, or
    /// of one whose host has more of them.
    fn make_room(
        &mut self,
        now: Time,
        from: Locator,
        size: usize,
        events: &mut Vec<Event>,
    ) -> bool {
        while self.peers.len() >= self.config.limits.participants || !self.strangers.has_room(size)
        {
            match self.strangers.oldest() {
                Some(oldest) => self.lose(now, oldest, LossReason::Displaced, events),
                None if self.make_way(now, None, events) => {}
                None if self.crowd_out(now, from, events) => {}
                None => return false,
            }
        }
        true
    }
}
