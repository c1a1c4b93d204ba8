//! Feeds the readers of the built-in topics with what discovery has taken in. Each built-in
//! subscriber has a feed of its own, so what one takes is not missing in another.
use super::{MatchedEntities, MatchedReader, Matching, MatchingEvent, OwnParticipant};
use crate::discovery::builtin_topics::{
    ParticipantBuiltinTopicData, PublicationBuiltinTopicData, SubscriptionBuiltinTopicData,
    TopicBuiltinTopicData,
};
use crate::receive::deferred;
use crate::receive::participant::Endpoints;
use crate::send::datagram::Datagrams;
use bytes::BytesMut;
use dunlin_cdr::Topic as TopicData;
use dunlin_cdr::{Xcdr, to_payload};
use dunlin_qos::{Durability, Duration};
use dunlin_rtps::discovery::Discovery;
use dunlin_rtps::{ChangeKind, Time, WriterProxyConfig};
use dunlin_wire::{
    Data, EntityId, Guid, GuidPrefix, InlineQos, Parameters, Payload, SequenceNumber, Submessage,
    VendorId,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Weak};

/// A reader of a built-in topic, if somebody still has it.
type Fed<P> = Weak<<P as Endpoints>::Reader>;

/// Who is fed, and what they were told.
pub(super) struct BuiltinPublisher<P: MatchedEntities> {
    /// Of participants, topics, publications and subscriptions.
    readers: [Fed<P>; 4],
    /// Somebody still has them.
    wanted: Weak<()>,
    sequence: i64,
    /// The topic of each endpoint.
    endpoints: BTreeMap<Guid, [u8; 16]>,
    /// How many endpoints each topic has.
    topics: BTreeMap<[u8; 16], usize>,
    /// Participants that came, changed or went, and whether they said goodbye.
    arrivals: Vec<(GuidPrefix, bool)>,
    /// Endpoints that were there already when the feed was set up.
    known: BTreeSet<Guid>,
}

#[derive(Clone, Copy)]
enum Which {
    Participants,
    Topics,
    Publications,
    Subscriptions,
}

/// Where samples are shown, and as whose.
struct Stage<'a, P: MatchedEntities> {
    now: Time,
    source: Guid,
    out: &'a mut Datagrams,
    matching_events: &'a mut Vec<MatchingEvent<P>>,
}

impl<P: OwnParticipant> Matching<P> {
    /// From now on these readers are fed, beginning with all that is known.
    pub(crate) fn builtin_publisher(&mut self, now: Time, readers: [Fed<P>; 4], wanted: &Arc<()>) {
        for reader in readers.iter().filter_map(Weak::upgrade) {
            let writer = WriterProxyConfig {
                guid: self.source(),
                reliable: false,
                durability: Durability::Volatile,
                ownership_strength: 0,
                lifespan: Duration::INFINITE,
                vendor: VendorId::DUNLIN,
            };
            reader.add_writer(now, writer, &mut self.datagrams);
        }
        self.begin_watching();
        let own = self.own();
        let participants = self.discovery.participants();
        let writers = self.discovery.writers().map(|data| data.guid);
        let readers_of_all = self.discovery.readers().map(|data| data.guid);
        let endpoints = writers.chain(readers_of_all);
        self.builtin_publishers.push(BuiltinPublisher {
            readers,
            wanted: Arc::downgrade(wanted),
            sequence: 0,
            endpoints: BTreeMap::new(),
            topics: BTreeMap::new(),
            arrivals: participants.map(|data| (data.guid.prefix, false)).collect(),
            known: endpoints.filter(|guid| guid.prefix != own).collect(),
        });
    }

    /// Has discovery tell which endpoints come, change and go, from the first who wants it on.
    pub(super) fn begin_watching(&mut self) {
        if self.builtin_publishers.is_empty() && self.watches.is_empty() {
            self.discovery.watch_endpoints(true);
        }
    }

    /// As whose samples these are shown.
    fn source(&self) -> Guid {
        Guid::new(self.own(), EntityId::SEDP_PUBLICATIONS_WRITER)
    }

    /// A participant came, changed or went.
    pub(super) fn note_participant(&mut self, prefix: GuidPrefix, goodbye: bool) {
        self.watches.note_participant(prefix, &self.discovery);
        for builtin_publisher in &mut self.builtin_publishers {
            builtin_publisher.arrivals.push((prefix, goodbye));
        }
    }

    /// Shows what is new since the last time.
    pub(super) fn serve(&mut self, now: Time, matching_events: &mut Vec<MatchingEvent<P>>) {
        if self.builtin_publishers.is_empty() && self.watches.is_empty() {
            return;
        }
        let mut builtin_publishers = std::mem::take(&mut self.builtin_publishers);
        builtin_publishers.retain(|builtin_publisher| builtin_publisher.wanted.strong_count() > 0);
        let source = self.source();
        let arrivals = self.discovery.take_endpoint_news();
        self.watches.note_endpoints(&arrivals, &self.discovery);
        matching_events.extend(self.watches.due().map(MatchingEvent::Discovered));
        if builtin_publishers.is_empty() && self.watches.is_empty() {
            return self.discovery.watch_endpoints(false);
        }
        let (discovery, out) = (&self.discovery, &mut self.datagrams);
        let stage = &mut Stage {
            now,
            source,
            out,
            matching_events,
        };
        for builtin_publisher in &mut builtin_publishers {
            builtin_publisher.show_participants(discovery, stage);
            let known = std::mem::take(&mut builtin_publisher.known);
            for guid in known.union(&arrivals) {
                builtin_publisher.show_endpoint(discovery, *guid, stage);
            }
        }
        self.builtin_publishers = builtin_publishers;
    }
}

impl<P: MatchedEntities> BuiltinPublisher<P> {
    fn show_participants(&mut self, discovery: &Discovery, stage: &mut Stage<'_, P>) {
        for (prefix, goodbye) in std::mem::take(&mut self.arrivals) {
            let data = discovery.participant(prefix);
            let data = data.map(ParticipantBuiltinTopicData::of);
            self.show_participant(prefix, data, goodbye, stage);
        }
    }

    fn show_endpoint(&mut self, discovery: &Discovery, guid: Guid, stage: &mut Stage<'_, P>) {
        let (writer, reader) = (discovery.writer(guid), discovery.reader(guid));
        let (writer, reader) = (writer.as_deref(), reader.as_deref());
        let gone = (ChangeKind::DisposedUnregistered, guid.to_bytes());
        let topic = match guid.entity.is_writer() {
            true => {
                let data = writer.map(PublicationBuiltinTopicData::of);
                self.show(Which::Publications, data, gone, stage);
                writer.map(|w| (&w.topic, &w.type_name, &w.topic_data))
            }
            false => {
                let data = reader.map(SubscriptionBuiltinTopicData::of);
                self.show(Which::Subscriptions, data, gone, stage);
                reader.map(|r| (&r.topic, &r.type_name, &r.topic_data))
            }
        };
        let of = TopicBuiltinTopicData::of;
        let topic = topic.map(|(name, type_name, data)| of(name, type_name, data));
        self.show_topic(guid, topic, stage);
    }

    fn show_participant(
        &mut self,
        prefix: GuidPrefix,
        data: Option<ParticipantBuiltinTopicData>,
        goodbye: bool,
        stage: &mut Stage<'_, P>,
    ) {
        let gone = match goodbye {
            true => ChangeKind::DisposedUnregistered,
            false => ChangeKind::Unregistered,
        };
        let key = Guid::new(prefix, EntityId::PARTICIPANT).to_bytes();
        self.show(Which::Participants, data, (gone, key), stage);
    }

    /// Shows an entity as it is now, or that it is gone.
    fn show<T: TopicData>(
        &mut self,
        which: Which,
        sample: Option<T>,
        (gone, key): (ChangeKind, [u8; 16]),
        stage: &mut Stage<'_, P>,
    ) {
        let Some(core) = self.readers.get(which as usize).and_then(Weak::upgrade) else {
            return;
        };
        let mut payload = BytesMut::new();
        if let Some(sample) = &sample
            && to_payload(sample, Xcdr::V2, &mut payload).is_err()
        {
            return;
        }
        self.sequence = self.sequence.saturating_add(1);
        let kind = sample.map_or(gone, |_| ChangeKind::Alive);
        let message = Submessage::Data(Data {
            reader: EntityId::UNKNOWN,
            writer: stage.source.entity,
            sequence: SequenceNumber(self.sequence),
            inline_qos: Parameters::NONE,
            payload: match kind {
                ChangeKind::Alive => Payload::Data(&payload),
                _ => Payload::None,
            },
        });
        let inline = InlineQos {
            key_hash: Some(key),
            status_info: Some(kind.status()),
            ..InlineQos::default()
        };
        let Stage {
            now, source, out, ..
        } = stage;
        match core.show(*now, *source, &message, &inline, out) {
            true => stage.matching_events.push(MatchingEvent::Data(core)),
            // Should this be its end, then not under a lock.
            false => deferred::add_if_last(core),
        }
    }

    /// An endpoint is of this topic now, or of none.
    fn show_topic(
        &mut self,
        endpoint: Guid,
        topic: Option<TopicBuiltinTopicData>,
        stage: &mut Stage<'_, P>,
    ) {
        let key = topic.as_ref().map(|topic| topic.key);
        let before = self.endpoints.remove(&endpoint);
        self.endpoints.extend(key.map(|key| (endpoint, key)));
        if before == key {
            return;
        }
        if let Some(before) = before
            && let Some(count) = self.topics.get_mut(&before)
        {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.topics.remove(&before);
                let gone = (ChangeKind::DisposedUnregistered, before);
                self.show::<TopicBuiltinTopicData>(Which::Topics, None, gone, stage);
            }
        }
        if let Some(key) = key {
            let count = self.topics.entry(key).or_default();
            *count = count.saturating_add(1);
            if *count == 1 {
                let gone = (ChangeKind::DisposedUnregistered, key);
                self.show(Which::Topics, topic, gone, stage);
            }
        }
    }
}
