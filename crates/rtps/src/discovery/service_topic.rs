//! The built-in topics that carry requests and replies: a reader for what all say to us, and a
//! writer for each participant, so that nobody hears what is meant for another and nobody waits for
//! another's acknowledgements.
//!
//! Both sides are matched when there is something to say, by us or by the other.
use super::builtin::{self, Copying, Spread};
use super::registry::{BUILTIN_TOPICS, BuiltinTopicEntry, Handler};
use crate::{
    Change, ChangeKind, InstanceHandle, Outbox, Reader, ReaderConfig, ReaderProxyConfig, Sample,
    Select, Time, Writer, WriterConfig, WriterProxyConfig,
};
use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;
use bytes::Bytes;
use dunlin_qos::{Durability, Duration, ResourceLimits};
use dunlin_wire::{EntityId, Guid, GuidPrefix, SequenceNumber, Submessage, Timestamp, VendorId};

/// Messages to one participant that it has not acknowledged.
const MOST_UNACKNOWLEDGED: u32 = 8;
/// Bytes of them, to all participants together.
const MOST_BYTES: usize = 16 << 20;

/// Our endpoints of all topics that carry requests and replies.
pub(super) struct ServiceTopics(Vec<ServiceTopic>);

impl ServiceTopics {
    /// Those of a participant.
    pub(super) fn new(own: GuidPrefix) -> Self {
        let all = BUILTIN_TOPICS.iter();
        let services = all.filter(|entry| matches!(entry.handler, Handler::Service { .. }));
        Self(
            services
                .map(|entry| ServiceTopic::new(own, entry))
                .collect(),
        )
    }

    /// The topic with this writer.
    pub(super) fn get_mut(&mut self, writer: EntityId) -> Option<&mut ServiceTopic> {
        self.0.iter_mut().find(|topic| topic.entry.writer == writer)
    }

    /// Forgets a peer.
    pub(super) fn forget(&mut self, now: Time, peer: GuidPrefix) {
        for topic in &mut self.0 {
            topic.forget(now, peer);
        }
    }

    pub(super) fn next_timeout(&self) -> Option<Time> {
        let times = self.0.iter().filter_map(ServiceTopic::next_timeout);
        times.min()
    }
}

/// One topic of requests or replies.
pub(super) struct ServiceTopic {
    entry: &'static BuiltinTopicEntry,
    own: GuidPrefix,
    reader: Reader,
    writers: BTreeMap<GuidPrefix, PeerWriter>,
    /// The number of the first message of the next writer. A participant that we forgot may
    /// remember the writer that we had for it.
    next: i64,
    /// When a writer has something to do.
    due: Option<Time>,
}

/// Our writer for one participant.
struct PeerWriter {
    writer: Writer,
    reader: Guid,
    /// What may be unacknowledged, by its number, and its bytes.
    under_way: VecDeque<(SequenceNumber, usize)>,
    bytes: usize,
}

impl ServiceTopic {
    fn new(own: GuidPrefix, entry: &'static BuiltinTopicEntry) -> Self {
        Self {
            entry,
            own,
            reader: Reader::new(ReaderConfig {
                // What was said before we listened is for us as well.
                durability: Durability::TransientLocal,
                ..builtin::reader(own, entry)
            }),
            writers: BTreeMap::new(),
            next: 1,
            due: None,
        }
    }

    /// Says something to a participant; false if too much is unacknowledged.
    pub(super) fn write(
        &mut self,
        now: Time,
        who: (GuidPrefix, VendorId),
        (timestamp, payload): (Timestamp, Bytes),
        out: &mut impl Outbox,
    ) -> bool {
        let bytes = payload.len();
        self.make_room(who.0, bytes);
        let change = Change {
            kind: ChangeKind::Alive,
            instance: InstanceHandle::NIL,
            timestamp,
            payload: payload.into(),
        };
        self.tell(now, who, out);
        let Some(peer) = self.writers.get_mut(&who.0) else {
            return false;
        };
        let readers = &[peer.reader];
        let Ok(sequence) = peer
            .writer
            .write(now, &change, &mut Spread { readers, out })
        else {
            return false;
        };
        peer.under_way.push_back((sequence, bytes));
        peer.bytes = peer.bytes.saturating_add(bytes);
        self.next = self.next.max(sequence.0.saturating_add(1));
        self.note_due(who.0);
        true
    }

    /// Takes in a submessage of a participant; returns what is news.
    pub(super) fn handle(
        &mut self,
        now: Time,
        (peer, vendor): (GuidPrefix, VendorId),
        timestamp: Option<Timestamp>,
        message: &Submessage<'_>,
        out: &mut impl Outbox,
    ) -> Vec<Sample> {
        if matches!(message, Submessage::AckNack(_) | Submessage::NackFrag(_)) {
            self.tell(now, (peer, vendor), out);
            if let Some(one) = self.writers.get_mut(&peer) {
                let readers = &[one.reader];
                let out = &mut Spread { readers, out };
                builtin::answer(&mut one.writer, now, peer, message, out);
                one.settle();
            }
            self.note_due(peer);
            return Vec::new();
        }
        self.listen_to(now, (peer, vendor), out);
        let intake = &mut Copying { key_of: |_| None };
        let reader = &mut self.reader;
        match builtin::receive(reader, now, peer, timestamp, message, intake, out) {
            true => builtin::take(reader),
            false => Vec::new(),
        }
    }

    /// Does what is due; returns what is news.
    pub(super) fn handle_timeout(&mut self, now: Time, out: &mut impl Outbox) -> Vec<Sample> {
        if self.due.is_some_and(|due| due <= now) {
            for peer in self.writers.values_mut() {
                let readers = &[peer.reader];
                peer.writer
                    .handle_timeout(now, &mut Spread { readers, out });
            }
            let times = self.writers.values().map(|peer| peer.writer.next_timeout());
            self.due = times.flatten().min();
        }
        match self.reader.handle_timeout(now, out).available {
            true => builtin::take(&mut self.reader),
            false => Vec::new(),
        }
    }

    fn next_timeout(&self) -> Option<Time> {
        let times = [self.due, self.reader.next_timeout()];
        times.into_iter().flatten().min()
    }

    fn forget(&mut self, now: Time, peer: GuidPrefix) {
        self.writers.remove(&peer);
        let writer = Guid::new(peer, self.entry.writer);
        self.reader.remove_writer(now, writer);
        self.reader.take(&Select::default(), |_| {});
    }

    /// Makes a writer for a participant that has none.
    fn tell(&mut self, now: Time, (peer, vendor): (GuidPrefix, VendorId), out: &mut impl Outbox) {
        if self.writers.contains_key(&peer) {
            return;
        }
        let reader = Guid::new(peer, self.entry.reader);
        let mut writer = Writer::new(WriterConfig {
            first_sequence: SequenceNumber(self.next),
            reliability: self.entry.qos.reliability,
            durability: self.entry.qos.durability,
            history: self.entry.qos.history,
            resource_limits: ResourceLimits {
                max_samples: Some(MOST_UNACKNOWLEDGED),
                ..ResourceLimits::default()
            },
            ..WriterConfig::new(Guid::new(self.own, self.entry.writer))
        });
        let proxy = ReaderProxyConfig {
            guid: reader,
            reliable: true,
            durability: self.entry.qos.durability,
            expects_inline_qos: false,
            vendor,
        };
        let readers = &[reader];
        writer.add_reader(now, proxy, &mut Spread { readers, out });
        let fresh = PeerWriter {
            writer,
            reader,
            under_way: VecDeque::new(),
            bytes: 0,
        };
        self.writers.insert(peer, fresh);
        self.note_due(peer);
    }

    /// Listens to a participant.
    fn listen_to(
        &mut self,
        now: Time,
        (peer, vendor): (GuidPrefix, VendorId),
        out: &mut impl Outbox,
    ) {
        let writer = Guid::new(peer, self.entry.writer);
        if self.reader.standing(writer).is_none() {
            let proxy = WriterProxyConfig {
                guid: writer,
                reliable: true,
                durability: Durability::TransientLocal,
                ownership_strength: 0,
                lifespan: Duration::INFINITE,
                vendor,
            };
            self.reader.add_writer(now, proxy, out);
        }
    }

    fn note_due(&mut self, peer: GuidPrefix) {
        let writer = self.writers.get(&peer).map(|peer| &peer.writer);
        let due = writer.and_then(Writer::next_timeout);
        self.due = [self.due, due].into_iter().flatten().min();
    }

    /// If there is no room for so many bytes, whoever has most unacknowledged has to ask again.
    fn make_room(&mut self, except: GuidPrefix, bytes: usize) {
        let held: usize = self.writers.values().map(|peer| peer.bytes).sum();
        if held.saturating_add(bytes) <= MOST_BYTES {
            return;
        }
        let others = self.writers.iter().filter(|(peer, _)| **peer != except);
        let most = others.max_by_key(|(_, peer)| peer.bytes);
        if let Some((peer, _)) = most {
            let peer = *peer;
            self.writers.remove(&peer);
        }
    }
}

impl PeerWriter {
    /// Lets go of what is acknowledged.
    fn settle(&mut self) {
        while let Some((sequence, bytes)) = self.under_way.front().copied() {
            if !self.writer.is_acknowledged(sequence) {
                break;
            }
            self.under_way.pop_front();
            self.bytes = self.bytes.saturating_sub(bytes);
        }
    }
}
