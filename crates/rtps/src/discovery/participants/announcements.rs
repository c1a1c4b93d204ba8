//! What a participant announces of itself, and its goodbye (RTPS 2.5 8.5.3).
use super::super::{Discovery, Event, LossReason, Source};
use super::{FAREWELL, Peer, SILENCE, SILENCE_PROBE};
use crate::{ChangeKind, Outbox, Time};
use alloc::vec::Vec;
use dunlin_wire::{
    Data, EntityId, Guid, GuidPrefix, InlineQos, ParticipantData, Payload, Submessage, VendorId,
    parse_key,
};

impl Discovery {
    /// An SPDP announcement or goodbye.
    pub(in crate::discovery) fn handle_announcement(
        &mut self,
        now: Time,
        source: &Source,
        data: &Data<'_>,
        out: &mut impl Outbox,
        events: &mut Vec<Event>,
    ) {
        let announces = self.hash(source.prefix, data);
        if self.hears_the_same(now, source, announces, out) {
            return;
        }
        let Ok(inline) = InlineQos::parse(data.inline_qos) else {
            self.heard.malformed += 1;
            return;
        };
        let kind = ChangeKind::from_status(inline.status_info.unwrap_or(0));
        match data.payload {
            payload if kind != ChangeKind::Alive => {
                self.handle_goodbye(now, source, inline.key_hash, payload, out, events);
            }
            Payload::Data(bytes) => match ParticipantData::parse(bytes) {
                Ok(mut announced) if announced.guid.prefix == source.prefix => {
                    if announced.vendor == VendorId::UNKNOWN {
                        announced.vendor = source.vendor;
                    }
                    let size = Submessage::Data(*data).encoded_len();
                    let announced = (announced, announces);
                    self.handle_participant(now, source, announced, size, out, events);
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
        out: &mut impl Outbox,
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
        self.avoided.forget(source.prefix);
        // A stranger has nothing that could be lost, and its goodbye may be anybody's.
        let Some(peer) = self.peers.get_mut(&source.prefix).filter(|p| p.verified) else {
            return;
        };
        if peer.origin(source, &self.config) == Some(peer.source) {
            self.part(now, source.prefix, LossReason::Goodbye, events);
        } else if peer.silent_until.is_none() {
            self.heard.misplaced += 1;
            peer.silent_until = Some(now.after(SILENCE));
            self.parting.set(source.prefix, now.after(SILENCE_PROBE));
            self.probe(now, source.prefix, out);
        }
    }

    pub(in crate::discovery) fn part(
        &mut self,
        now: Time,
        prefix: GuidPrefix,
        reason: LossReason,
        events: &mut Vec<Event>,
    ) {
        self.lose(now, prefix, reason, events);
        self.departed.expired(now);
        self.departed.set(prefix, now.after(FAREWELL));
    }

    fn handle_participant(
        &mut self,
        now: Time,
        source: &Source,
        (data, announces): (ParticipantData, Option<u64>),
        size: usize,
        out: &mut impl Outbox,
        events: &mut Vec<Event>,
    ) {
        if !self.config.has_domain_of(&data) {
            self.heard.other_domain += 1;
            return;
        }
        self.departed.expired(now);
        let prefix = source.prefix;
        if self.departed.contains(&prefix) {
            return;
        }
        let asks = !source.addressed && !source.multicast;
        match self.peers.get_mut(&prefix) {
            Some(peer) if peer.verified => {
                self.hear_again(now, source, data, announces, out, events);
            }
            Some(peer) if peer.data == data => {
                peer.credit.earn(size);
                peer.asks |= asks;
                self.follow_way(source, events);
                self.renew(now, prefix);
                self.greet(now, source, out, events);
            }
            known => {
                if known.is_some() {
                    self.lose(now, prefix, LossReason::Displaced, events);
                }
                match self.config.ignores(&data) {
                    true => self.avoided.note(now, data),
                    false => self.meet(now, source, data, size, out, events),
                }
            }
        }
    }

    /// A verified participant announces itself. What it says anew is believed only from its own
    /// socket, or if it has moved.
    fn hear_again(
        &mut self,
        now: Time,
        source: &Source,
        data: ParticipantData,
        announces: Option<u64>,
        out: &mut impl Outbox,
        events: &mut Vec<Event>,
    ) {
        let prefix = source.prefix;
        let Some(peer) = self.peers.get_mut(&prefix) else {
            return;
        };
        let origin = peer.origin(source, &self.config);
        let is_same = peer.data == data;
        // From its host, but not from its socket: what it said when it answered holds.
        if origin.is_none_or(|origin| !is_same && !peer.is_its_socket(&origin)) {
            return match self.has_moved(now, source, &data, out) {
                true => self.take_over_move(now, source, data, out, events),
                false => self.heard.misplaced += 1,
            };
        }
        peer.announces = announces;
        let asks = peer.announced(now, source);
        match is_same {
            true => self.renew(now, prefix),
            false => self.take_over(now, prefix, data, out, events),
        }
        if asks {
            self.befriend(now, prefix, out);
        }
    }

    /// An announcement of a verified participant that says what its last one said: that need not be
    /// read. In a crowd nearly all are.
    fn hears_the_same(
        &mut self,
        now: Time,
        source: &Source,
        announces: Option<u64>,
        out: &mut impl Outbox,
    ) -> bool {
        let peer = self.peers.get_mut(&source.prefix);
        let same = |peer: &&mut Peer| peer.verified && peer.announces == announces;
        let Some(peer) = peer.filter(same).filter(|_| announces.is_some()) else {
            return false;
        };
        if peer.origin(source, &self.config).is_none() {
            return false;
        }
        let asks = peer.announced(now, source);
        self.renew(now, source.prefix);
        if asks {
            self.befriend(now, source.prefix, out);
        }
        true
    }

    /// Of what a verified participant announces; `None` for others, for what is no plain
    /// announcement, and without a key.
    fn hash(&self, prefix: GuidPrefix, data: &Data<'_>) -> Option<u64> {
        let secret = self.config.secret.as_ref()?;
        let peer = self.peers.get(&prefix);
        match data.payload {
            Payload::Data(bytes)
                if data.inline_qos.is_empty() && peer.is_some_and(|peer| peer.verified) =>
            {
                Some(secret.hash([bytes]))
            }
            _ => None,
        }
    }
}

impl Peer {
    /// It announced itself; true if it wants to be told of others.
    fn announced(&mut self, now: Time, source: &Source) -> bool {
        self.by_multicast = source.multicast.then_some(now).or(self.by_multicast);
        self.asks |= !source.addressed && !source.multicast;
        self.asks
    }
}
