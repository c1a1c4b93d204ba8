//! The other participants: finding, keeping and losing them (RTPS 2.5 8.5.3).
use super::announcer::detector;
use super::{Discovery, Event, LossReason, Source};
use crate::{ChangeKind, Outbox, Time, To};
use alloc::vec::Vec;
use dunlin_qos::Duration;
use dunlin_wire::{
    BuiltinEndpoints, Data, EntityId, Guid, GuidPrefix, InlineQos, ParticipantData, Payload,
    parse_key,
};

/// However short a lease a peer announces, it is kept for so long.
const MIN_LEASE: Duration = Duration::from_millis(100);
/// After this part of its lease a silent peer is asked whether it lives ...
const DOUBT: (i64, i64) = (2, 5);
/// ... and then so many times per lease: at a loss of half of all datagrams the lease of a living peer does not run out.
const PROBES_PER_LEASE: i64 = 64;
/// Bit of the built-in endpoints' QoS: participant messages are taken in without acknowledgement (RTPS 2.5 9.3.2.13).
const BEST_EFFORT_MESSAGES: u32 = 1;
/// One that never answered is not believed for longer, whatever lease it announces: it may not exist.
const UNVERIFIED_LEASE: Duration = Duration::from_secs(60);
/// An announcement that was sent before a goodbye and comes after it must not bring the participant back.
const FAREWELL: Duration = Duration::from_secs(1);

/// Another participant: what it says about itself, and how far we trust it.
#[derive(Debug)]
pub(super) struct Peer {
    pub(super) data: ParticipantData,
    /// Its announcements reach us by multicast, so ours are taken to reach it that way too.
    pub(super) multicast: bool,
    /// Something beside announcements came from it.
    pub(super) verified: bool,
    /// It announced too many endpoints, or too much nonsense; its endpoints are heard no more.
    pub(super) refused: bool,
    /// Descriptions of endpoints that made no sense.
    pub(super) strikes: usize,
}

impl Peer {
    fn lease(&self) -> Duration {
        let most = match self.verified {
            true => Duration::INFINITE,
            false => UNVERIFIED_LEASE,
        };
        self.data.lease_duration.clamp(MIN_LEASE, most)
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
}

impl Discovery {
    /// An SPDP announcement or goodbye.
    pub(super) fn handle_announcement(
        &mut self,
        now: Time,
        source: &Source,
        data: &Data<'_>,
        out: &mut impl Outbox,
        events: &mut Vec<Event>,
    ) {
        let Ok(inline) = InlineQos::parse(data.inline_qos) else {
            self.heard.malformed += 1;
            return;
        };
        let kind = ChangeKind::from_status(inline.status_info.unwrap_or(0));
        match data.payload {
            payload if kind != ChangeKind::Alive => {
                self.handle_goodbye(now, source, inline.key_hash, payload, events);
            }
            Payload::Data(bytes) => match ParticipantData::parse(bytes) {
                Ok(data) if data.guid.prefix == source.prefix => {
                    self.handle_participant(now, source, data, out, events);
                }
                _ => self.heard.malformed += 1,
            },
            _ => self.heard.malformed += 1,
        }
    }

    fn handle_goodbye(
        &mut self,
        now: Time,
        source: &Source,
        key_hash: Option<[u8; 16]>,
        payload: Payload<'_>,
        events: &mut Vec<Event>,
    ) {
        let own = Guid::new(source.prefix, EntityId::PARTICIPANT);
        let by_hash = key_hash.map(|hash| hash == own.to_bytes());
        let by_payload = match payload {
            Payload::Data(bytes) | Payload::Key(bytes) => parse_key(bytes).ok().map(|g| g == own),
            Payload::None => None,
        };
        if by_hash.or(by_payload) != Some(true) {
            self.heard.malformed += 1;
            return;
        }
        if self.peers.contains_key(&source.prefix) {
            self.lose(now, source.prefix, LossReason::Goodbye, events);
            self.departed.expired(now);
            self.departed.set(source.prefix, now.after(FAREWELL));
        }
    }

    fn handle_participant(
        &mut self,
        now: Time,
        source: &Source,
        data: ParticipantData,
        out: &mut impl Outbox,
        events: &mut Vec<Event>,
    ) {
        if !self.is_of_our_domain(&data) {
            self.heard.other_domain += 1;
            return;
        }
        self.departed.expired(now);
        if self.departed.contains(&source.prefix) {
            return;
        }
        let Some(peer) = self.peers.get_mut(&source.prefix) else {
            return self.meet(now, source, data, out, events);
        };
        peer.multicast |= source.multicast;
        let changed = peer.data != data;
        let before = core::mem::replace(&mut peer.data, data);
        self.renew(now, source.prefix);
        if changed {
            self.update(now, source.prefix, before.builtin_endpoints, out, events);
        }
    }

    fn is_of_our_domain(&self, data: &ParticipantData) -> bool {
        data.domain
            .is_none_or(|domain| domain == self.config.domain)
            && data.domain_tag == self.config.domain_tag
    }

    /// A participant that we did not know: it gets our announcement and all our endpoints at once, so that both sides
    /// need not wait for a timer.
    fn meet(
        &mut self,
        now: Time,
        source: &Source,
        data: ParticipantData,
        out: &mut impl Outbox,
        events: &mut Vec<Event>,
    ) {
        if !self.make_room(now, events) {
            self.heard.no_room += 1;
            return;
        }
        let prefix = source.prefix;
        events.push(Event::ParticipantFound {
            prefix,
            vendor: data.vendor,
            name: data.entity_name.clone(),
        });
        self.peers.insert(
            prefix,
            Peer {
                data,
                multicast: source.multicast,
                verified: false,
                refused: false,
                strikes: 0,
            },
        );
        self.renew(now, prefix);
        let timestamp = self.config.timestamp(now);
        self.announcer.announce(timestamp, detector(prefix), out);
        self.update(now, prefix, BuiltinEndpoints(0), out, events);
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
        let now_has = peer.data.builtin_endpoints;
        let gained = |endpoint| now_has.contains(endpoint) && !before.contains(endpoint);
        if !peer.refused {
            if gained(BuiltinEndpoints::PUBLICATIONS_ANNOUNCER) {
                self.publications.listen_to(now, prefix, out);
            }
            if gained(BuiltinEndpoints::SUBSCRIPTIONS_ANNOUNCER) {
                self.subscriptions.listen_to(now, prefix, out);
            }
        }
        if gained(BuiltinEndpoints::PARTICIPANT_MESSAGE_WRITER) {
            self.messages.listen_to(now, prefix, out);
        }
        if gained(BuiltinEndpoints::PUBLICATIONS_DETECTOR) {
            self.publications.tell(now, prefix, true, out);
        }
        if gained(BuiltinEndpoints::SUBSCRIPTIONS_DETECTOR) {
            self.subscriptions.tell(now, prefix, true, out);
        }
        if gained(BuiltinEndpoints::PARTICIPANT_MESSAGE_READER) {
            let best_effort = peer.data.builtin_endpoint_qos & BEST_EFFORT_MESSAGES != 0;
            self.messages.tell(now, prefix, !best_effort, out);
        }
    }

    /// Forgets a participant and all that came from it.
    pub(super) fn lose(
        &mut self,
        now: Time,
        prefix: GuidPrefix,
        reason: LossReason,
        events: &mut Vec<Event>,
    ) {
        if self.peers.remove(&prefix).is_none() {
            return;
        }
        self.leases.remove(&prefix);
        self.doubts.remove(&prefix);
        self.watch.remove_all(prefix);
        self.catalog.remove_home(prefix, reason, events);
        self.publications.forget(now, prefix);
        self.subscriptions.forget(now, prefix);
        self.messages.forget(now, prefix);
        events.push(Event::ParticipantLost { prefix, reason });
    }

    /// Something beside an announcement came from a participant, such as a sample, and it lives; false if it is unknown.
    /// Built-in messages say so by themselves; the caller may add others, say once per second.
    pub fn heard_from(&mut self, now: Time, prefix: GuidPrefix) -> bool {
        let Some(peer) = self.peers.get_mut(&prefix) else {
            return false;
        };
        peer.verified = true;
        self.renew(now, prefix);
        true
    }

    fn renew(&mut self, now: Time, prefix: GuidPrefix) {
        if let Some(peer) = self.peers.get(&prefix) {
            let lease = peer.lease();
            self.leases.set(prefix, now.after(lease));
            let (part, whole) = DOUBT;
            let trust = Duration::from_nanos(lease.as_nanos() / whole * part);
            self.doubts.set(prefix, now.after(trust));
        }
    }

    /// Asks those that are silent for long whether they live, and gives up those that are for too long.
    pub(super) fn check_leases(
        &mut self,
        now: Time,
        out: &mut impl Outbox,
        events: &mut Vec<Event>,
    ) {
        for prefix in self.leases.expired(now) {
            self.lose(now, prefix, LossReason::LeaseExpired, events);
        }
        for prefix in self.doubts.expired(now) {
            // One that never answered may not exist: it is not asked again and again.
            if let Some(peer) = self.peers.get(&prefix).filter(|peer| peer.verified) {
                let pause = Duration::from_nanos(peer.lease().as_nanos() / PROBES_PER_LEASE);
                self.doubts.set(prefix, now.after(pause));
                self.publications.probe(now, prefix, out);
            }
        }
    }

    /// True if there is room for one more participant, if need be in place of one that never answered.
    fn make_room(&mut self, now: Time, events: &mut Vec<Event>) -> bool {
        if self.peers.len() < self.config.limits.participants {
            return true;
        }
        let silent = self.peers.iter().find(|(_, peer)| !peer.verified);
        let Some(prefix) = silent.map(|(prefix, _)| *prefix) else {
            return false;
        };
        self.lose(now, prefix, LossReason::Displaced, events);
        true
    }

    /// Announces us, if it is time, where announcements go and to those who may not hear them there.
    pub(super) fn announce_if_due(&mut self, now: Time, out: &mut impl Outbox) {
        if !self.announcer.is_due(now) {
            return;
        }
        let timestamp = self.config.timestamp(now);
        self.announcer.announce(timestamp, To::Announce, out);
        for (prefix, peer) in &self.peers {
            if !peer.multicast {
                self.announcer.announce(timestamp, detector(*prefix), out);
            }
        }
    }
}
