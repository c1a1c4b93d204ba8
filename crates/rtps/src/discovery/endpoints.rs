//! Endpoints and liveliness: telling ours, and taking in those of others (RTPS 2.5 8.5.4, 8.4.13).
use super::{Discovery, Event, UnmatchReason};
use crate::{Change, ChangeKind, InstanceHandle, Outbox, Sample, Time};
use alloc::vec::Vec;
use bytes::Bytes;
use dunlin_qos::{LivelinessKind, TypeConsistencyEnforcement};
use dunlin_wire::{
    EncodedTypeInformation, EntityId, Error, Guid, GuidPrefix, ParticipantMessage, ReaderData,
    VendorId, WriterData, endpoint_key, parse_key,
};

impl Discovery {
    pub(super) fn publish_writer(
        &mut self,
        now: Time,
        writer: &WriterData,
        out: &mut impl Outbox,
    ) -> Result<(), Error> {
        let change = self.alive(now, writer.guid, writer.encode()?);
        self.topics
            .write(EntityId::SEDP_PUBLICATIONS_WRITER, now, &change, out);
        Ok(())
    }

    pub(super) fn publish_reader(
        &mut self,
        now: Time,
        reader: &ReaderData,
        out: &mut impl Outbox,
    ) -> Result<(), Error> {
        let change = self.alive(now, reader.guid, reader.encode()?);
        self.topics
            .write(EntityId::SEDP_SUBSCRIPTIONS_WRITER, now, &change, out);
        Ok(())
    }

    pub(super) fn withdraw_writer(&mut self, now: Time, writer: Guid, out: &mut impl Outbox) {
        let change = self.gone(now, writer);
        self.topics
            .write(EntityId::SEDP_PUBLICATIONS_WRITER, now, &change, out);
    }

    pub(super) fn withdraw_reader(&mut self, now: Time, reader: Guid, out: &mut impl Outbox) {
        let change = self.gone(now, reader);
        self.topics
            .write(EntityId::SEDP_SUBSCRIPTIONS_WRITER, now, &change, out);
    }

    /// Sends the participant messages that are due (RTPS 2.5 8.4.13.5).
    pub(super) fn assert_if_due(&mut self, now: Time, out: &mut impl Outbox) {
        for kind in self.watch.due(now) {
            let message = ParticipantMessage {
                prefix: self.config.prefix,
                kind: match kind {
                    LivelinessKind::Automatic => ParticipantMessage::AUTOMATIC,
                    _ => ParticipantMessage::MANUAL_BY_PARTICIPANT,
                },
                data: &[],
            };
            let change = Change {
                kind: ChangeKind::Alive,
                instance: InstanceHandle(message.key_hash()),
                timestamp: self.config.timestamp(now),
                payload: message.encode().into(),
            };
            self.topics
                .write(EntityId::PARTICIPANT_MESSAGE_WRITER, now, &change, out);
        }
    }

    /// News of writers.
    pub(super) fn take_publications(
        &mut self,
        now: Time,
        samples: Vec<Sample>,
        events: &mut Vec<Event>,
    ) {
        for sample in samples {
            match endpoint(&sample) {
                Some(guid) if !sample.info.valid_data => {
                    self.watch.remove(&guid);
                    self.catalog
                        .remove_writer(guid, UnmatchReason::Deleted, events);
                }
                Some(guid) if guid.entity.is_writer() => {
                    match WriterData::parse(sample.builtin_payload()) {
                        Ok(mut data) if data.guid == guid => {
                            self.keep_own_information(guid.prefix, &mut data.type_information);
                            let known = self.catalog.contains(guid);
                            if known || self.has_room(now, guid.prefix, events) {
                                self.watch.add(now, guid, data.qos.liveliness);
                                self.catalog.put_writer(data, events);
                            }
                        }
                        _ => self.strike(now, &sample, events),
                    }
                }
                _ => self.strike(now, &sample, events),
            }
        }
    }

    /// News of readers.
    pub(super) fn take_subscriptions(
        &mut self,
        now: Time,
        samples: Vec<Sample>,
        events: &mut Vec<Event>,
    ) {
        for sample in samples {
            match endpoint(&sample) {
                Some(guid) if !sample.info.valid_data => {
                    self.catalog
                        .remove_reader(guid, UnmatchReason::Deleted, events);
                }
                Some(guid) if !guid.entity.is_writer() && !guid.entity.is_builtin() => {
                    match ReaderData::parse(sample.builtin_payload()) {
                        Ok(mut data) if data.guid == guid => {
                            self.keep_own_information(guid.prefix, &mut data.type_information);
                            self.keep_own(guid.prefix, &mut data.max_sample_size);
                            self.complete_type_consistency(&mut data);
                            let known = self.catalog.contains(guid);
                            if known || self.has_room(now, guid.prefix, events) {
                                self.catalog.put_reader(data, events);
                            }
                        }
                        _ => self.strike(now, &sample, events),
                    }
                }
                _ => self.strike(now, &sample, events),
            }
        }
    }

    /// Assertions of other participants.
    pub(super) fn take_messages(
        &mut self,
        now: Time,
        samples: Vec<Sample>,
        events: &mut Vec<Event>,
    ) {
        for sample in samples.into_iter().filter(|sample| sample.info.valid_data) {
            let prefix = sample.info.publication.prefix;
            let kind = match ParticipantMessage::parse(sample.builtin_payload()) {
                Ok(m) if m.prefix != prefix => None,
                Ok(m) if m.kind == ParticipantMessage::AUTOMATIC => Some(LivelinessKind::Automatic),
                Ok(m) if m.kind == ParticipantMessage::MANUAL_BY_PARTICIPANT => {
                    Some(LivelinessKind::ManualByParticipant)
                }
                Ok(_) => continue,
                Err(_) => None,
            };
            match kind {
                Some(kind) => {
                    let revived = self.watch.assert_all(now, prefix, kind);
                    self.report_revival(revived, events);
                }
                None => self.strike(now, &sample, events),
            }
        }
    }

    /// Tells the matched readers, or the application whose writer it is, that a writer fell silent.
    pub(super) fn report_lapse(&self, writer: Guid, events: &mut Vec<Event>) {
        if writer.prefix == self.config.prefix {
            events.push(Event::LivelinessLost { writer });
        }
        self.report_liveliness(writer, false, events);
    }

    pub(super) fn report_revival(&self, writers: Vec<Guid>, events: &mut Vec<Event>) {
        for writer in writers {
            self.report_liveliness(writer, true, events);
        }
    }

    fn report_liveliness(&self, writer: Guid, alive: bool, events: &mut Vec<Event>) {
        for reader in self.catalog.local_readers_matched_with(writer) {
            events.push(Event::LivelinessChanged {
                reader,
                writer,
                alive,
            });
        }
    }

    /// A writer may have been silent already when a reader is matched with it: the events from
    /// `from` on are completed.
    pub(super) fn report_silent_writers(&self, from: usize, events: &mut Vec<Event>) {
        let news = events.get(from..).unwrap_or_default();
        let silent: Vec<Event> = news
            .iter()
            .filter_map(|event| match event {
                Event::WriterMatched { reader, writer } if !self.watch.is_alive(writer.guid) => {
                    Some(Event::LivelinessChanged {
                        reader: *reader,
                        writer: writer.guid,
                        alive: false,
                    })
                }
                _ => None,
            })
            .collect();
        events.extend(silent);
    }

    /// Another vendor's parameter of this number may be anything.
    fn keep_own<T>(&self, prefix: GuidPrefix, value: &mut Option<T>) {
        let peer = self.peers.get(&prefix);
        if peer.is_none_or(|peer| peer.data.vendor != VendorId::DUNLIN) {
            *value = None;
        }
    }

    /// The same of what is told to Dunlin's participants alone.
    fn keep_own_information(
        &self,
        prefix: GuidPrefix,
        information: &mut Option<EncodedTypeInformation>,
    ) {
        if information.as_ref().is_some_and(|told| told.for_dunlin) {
            self.keep_own(prefix, information);
        }
    }

    /// Cyclone DDS, and Fast DDS from 3.3 on, leave policies out that have their defaults, and the
    /// default of this one allows type coercion. The standard assumes the opposite of a reader that
    /// says nothing (DDS-XTypes 1.3 7.6.3.7), for it may be of a product that does not know the
    /// policy. So a type that has grown would be refused that they take.
    fn complete_type_consistency(&self, data: &mut ReaderData) {
        let peer = self.peers.get(&data.guid.prefix);
        let vendor = peer.map_or(VendorId::UNKNOWN, |peer| peer.data.vendor);
        let means_default = matches!(vendor, VendorId::CYCLONE_DDS | VendorId::FAST_DDS);
        if data.leaves_out_type_consistency && means_default {
            data.qos.type_consistency = TypeConsistencyEnforcement::default();
        }
    }

    fn alive(&self, now: Time, endpoint: Guid, payload: Bytes) -> Change {
        Change {
            kind: ChangeKind::Alive,
            instance: InstanceHandle(endpoint.to_bytes()),
            timestamp: self.config.timestamp(now),
            payload: payload.into(),
        }
    }

    fn gone(&self, now: Time, endpoint: Guid) -> Change {
        Change {
            kind: ChangeKind::DisposedUnregistered,
            ..self.alive(now, endpoint, endpoint_key(endpoint))
        }
    }

    /// True if a participant may have one more endpoint; else it is heard no more.
    fn has_room(&mut self, now: Time, prefix: GuidPrefix, events: &mut Vec<Event>) -> bool {
        if self.peers.get(&prefix).is_none_or(|peer| peer.refused) {
            return false;
        }
        let room = self.has_room_for_endpoint(prefix)
            || (self.crowd_endpoints_out(now, prefix, events)
                && self.has_room_for_endpoint(prefix));
        if !room {
            self.refuse(now, prefix, events);
        }
        room
    }

    /// A description that makes no sense takes the room of one that does: nobody is heard who says
    /// nothing else.
    fn strike(&mut self, now: Time, sample: &Sample, events: &mut Vec<Event>) {
        self.heard.malformed += 1;
        let prefix = sample.info.publication.prefix;
        if let Some(peer) = self.peers.get_mut(&prefix) {
            peer.strikes = peer.strikes.saturating_add(1);
            self.has_room(now, prefix, events);
        }
    }
}

/// The endpoint that a sample of SEDP is about; it must be one of the participant that speaks.
/// RustDDS also takes leave of its built-in endpoints here, which nobody knows from here.
fn endpoint(sample: &Sample) -> Option<Guid> {
    let by_hash = || Guid::from_bytes(sample.info.instance.0);
    let guid = parse_key(sample.builtin_payload()).unwrap_or_else(|_| by_hash());
    let own = guid.prefix == sample.info.publication.prefix;
    own.then_some(guid)
}
