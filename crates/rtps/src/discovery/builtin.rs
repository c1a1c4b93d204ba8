//! The built-in topics that have endpoints: one writer and one reader of our own for each (RTPS 2.5
//! 8.5.4.2, 8.4.13.2).
use super::Source;
use super::proof::{Asking, Shifted, shifted, unshifted};
use super::registry::{BUILTIN_TOPICS, BuiltinTopicEntry, Handler};
use super::unverified_participants::HEADERS;
use crate::{
    Budgets, Change, InstanceHandle, Outbox, Payload, PayloadAllocator, Reader, ReaderConfig,
    ReaderProxyConfig, Sample, Select, Time, To, Writer, WriterConfig, WriterProxyConfig, crowd,
};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use bytes::{Bytes, BytesMut};
use dunlin_qos::{Duration, History, ReliabilityKind};
use dunlin_wire::{
    EntityId, Guid, GuidPrefix, InlineQos, ParticipantMessage, Payload as SerializedPayload,
    SequenceNumber, Submessage, Timestamp, VendorId, parse_key,
};

/// The largest description of an endpoint that is put together from fragments, in bytes.
const MAX_SAMPLE_SIZE: u32 = 512 << 10;
/// Bytes per peer that may wait in incomplete samples.
const MAX_REASSEMBLY: usize = 1 << 20;
/// And of all peers together.
const MAX_WAITING: usize = 32 << 20;
/// Samples per peer that may wait for an earlier one.
const MAX_PENDING: u32 = 1024;

/// Names the instance of a serialized sample or key that came without a key hash.
pub(super) type KeyOf = fn(&[u8]) -> Option<InstanceHandle>;

/// The key of a topic whose instances are GUIDs.
pub(super) fn endpoint_key_of(payload: &[u8]) -> Option<InstanceHandle> {
    let guid = parse_key(payload).ok()?;
    Some(InstanceHandle(guid.to_bytes()))
}

/// The key of participant messages.
pub(super) fn message_key_of(payload: &[u8]) -> Option<InstanceHandle> {
    let message = ParticipantMessage::parse(payload).ok()?;
    Some(InstanceHandle(message.key_hash()))
}

/// Our endpoints of all topics that the table says have some, in its order.
pub(super) struct BuiltinTopics(Vec<BuiltinTopic>);

impl BuiltinTopics {
    /// Those of a participant.
    pub(super) fn new(own: GuidPrefix) -> Self {
        let all = BUILTIN_TOPICS.iter();
        Self(
            all.filter_map(|entry| BuiltinTopic::new(own, entry))
                .collect(),
        )
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &BuiltinTopic> {
        self.0.iter()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut BuiltinTopic> {
        self.0.iter_mut()
    }

    /// The topic with this writer.
    pub(super) fn get_mut(&mut self, writer: EntityId) -> Option<&mut BuiltinTopic> {
        self.iter_mut().find(|topic| topic.entry.writer == writer)
    }

    /// Publishes a change by this writer.
    pub(super) fn write(
        &mut self,
        writer: EntityId,
        now: Time,
        change: &Change,
        out: &mut impl Outbox,
    ) {
        if let Some(topic) = self.get_mut(writer) {
            topic.write(now, change, out);
        }
    }
}

/// One built-in topic.
pub(super) struct BuiltinTopic {
    writer: Writer,
    reader: Reader,
    pub(super) entry: &'static BuiltinTopicEntry,
    /// Remote readers. Every change goes to each of them on its own: a peer need not listen to
    /// multicast.
    readers: BTreeMap<Guid, Attention>,
    key_of: KeyOf,
}

/// How often a peer's reader was asked in vain. While it is silent it is asked ever more seldom: in
/// a crowd its answers wait behind those of all others, and each question would add one.
#[derive(Clone, Copy, Debug)]
struct Attention {
    /// Questions since it spoke last, of those in quick succession one.
    asked: u32,
    /// When the last of them was.
    last: Time,
    /// It is not asked again before this.
    not_before: Time,
    /// By how much the numbers of our writer are moved for it.
    shift: i64,
}

/// Questions within this time are one.
const ONE_QUESTION: Duration = Duration::from_millis(50);
/// The pause behind the first, longer in a crowd; each further one is twice as long ...
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// ... so many times: 25.6 s.
const DOUBLINGS: u32 = 8;

impl Attention {
    const fn new(shift: i64) -> Self {
        Self {
            asked: 0,
            last: Time::PAST,
            not_before: Time::PAST,
            shift,
        }
    }

    /// May it be asked now? If so it counts as asked.
    fn ask(&mut self, now: Time, first_pause: Duration) -> bool {
        if self.asked > 0 && now.since(self.last) < ONE_QUESTION {
            return true;
        }
        if now < self.not_before {
            return false;
        }
        let pause = first_pause.as_nanos() << self.asked.min(DOUBLINGS);
        self.not_before = now.after(Duration::from_nanos(pause));
        self.last = now;
        self.asked = self.asked.saturating_add(1);
        true
    }
}

impl BuiltinTopic {
    /// Bytes of what `hail` sends, an ACKNACK and a HEARTBEAT that may go in two datagrams, without
    /// the headers of the first.
    pub(super) const HAIL_SIZE: usize = 28 + HEADERS + 32;

    /// `None` for a topic without endpoints of its own.
    fn new(own: GuidPrefix, entry: &'static BuiltinTopicEntry) -> Option<Self> {
        let Handler::Endpoints { key_of, .. } = entry.handler else {
            return None;
        };
        let qos = entry.qos;
        Some(Self {
            writer: Writer::new(WriterConfig {
                reliability: qos.reliability,
                durability: qos.durability,
                history: qos.history,
                keyed: qos.keyed,
                asks_each: true,
                ..WriterConfig::new(Guid::new(own, entry.writer))
            }),
            reader: Reader::new(reader(own, entry)),
            entry,
            readers: BTreeMap::new(),
            key_of,
        })
    }

    /// Asks a peer's writer for all that it has.
    pub(super) fn listen_to(
        &mut self,
        now: Time,
        (peer, vendor): (GuidPrefix, VendorId),
        out: &mut impl Outbox,
    ) {
        let writer = WriterProxyConfig {
            guid: Guid::new(peer, self.entry.writer),
            reliable: self.entry.qos.reliability == ReliabilityKind::Reliable,
            durability: self.entry.qos.durability,
            ownership_strength: 0,
            lifespan: Duration::INFINITE,
            vendor,
        };
        self.reader.add_writer(now, writer, out);
    }

    /// The peer's writer has said what it has: what we asked it arrived.
    pub(super) fn hears(&self, peer: GuidPrefix) -> bool {
        let writer = Guid::new(peer, self.entry.writer);
        let standing = self.reader.standing(writer);
        standing.is_some_and(|standing| standing.heard)
    }

    /// All is known that the peer's writer has said that it has.
    pub(super) fn has_all_of(&self, peer: GuidPrefix) -> bool {
        let writer = Guid::new(peer, self.entry.writer);
        let standing = self.reader.standing(writer);
        standing.is_some_and(|standing| standing.complete)
    }

    /// Asks a participant that we do not listen to for a sign of life; one that knows us gives it.
    /// Its reader has to answer our heartbeat; many a writer answers an ACKNACK, and does so
    /// without delay.
    pub(super) fn hail(&mut self, peer: GuidPrefix, shift: i64, out: &mut impl Outbox) {
        self.reader.hail(Guid::new(peer, self.entry.writer), out);
        let out = &mut Asking { by: shift, out };
        self.writer.hail(Guid::new(peer, self.entry.reader), out);
    }

    /// Answers what a reader says that we tell nothing yet: it is asked how far it has come.
    pub(super) fn ask_stranger(&mut self, peer: GuidPrefix, shift: i64, out: &mut impl Outbox) {
        let out = &mut Asking { by: shift, out };
        self.writer
            .answer_stranger(Guid::new(peer, self.entry.reader), out);
    }

    /// Answers a participant that we do not listen to: we have nothing of what it has from `first`
    /// on, and ask for nothing.
    pub(super) fn prove(&mut self, peer: GuidPrefix, first: SequenceNumber, out: &mut impl Outbox) {
        let writer = Guid::new(peer, self.entry.writer);
        self.reader.answer_stranger(writer, first, out);
    }

    /// The number that follows all that was written.
    pub(super) fn end(&self) -> i64 {
        self.writer.last().saturating_add(1)
    }

    /// Sends all that we have to a peer's reader.
    pub(super) fn tell(
        &mut self,
        now: Time,
        (peer, vendor): (GuidPrefix, VendorId),
        shift: i64,
        reliable: bool,
        out: &mut impl Outbox,
    ) {
        let reader = ReaderProxyConfig {
            guid: Guid::new(peer, self.entry.reader),
            reliable,
            durability: self.entry.qos.durability,
            expects_inline_qos: false,
            vendor,
        };
        self.readers.insert(reader.guid, Attention::new(shift));
        let out = &mut ToReaders {
            readers: &mut self.readers,
            now,
            out,
        };
        self.writer.add_reader(now, reader, out);
    }

    /// Stops listening to a peer.
    pub(super) fn ignore(&mut self, now: Time, peer: GuidPrefix) {
        self.reader
            .remove_writer(now, Guid::new(peer, self.entry.writer));
        // What the peer's absence made of its instances says nothing that its loss does not say.
        self.reader.take(&Select::default(), |_| {});
    }

    /// Forgets a peer.
    pub(super) fn forget(&mut self, now: Time, peer: GuidPrefix) {
        self.ignore(now, peer);
        let reader = Guid::new(peer, self.entry.reader);
        self.readers.remove(&reader);
        self.writer.remove_reader(reader);
    }

    /// A peer speaks: it is asked as often as any other.
    pub(super) fn heard_from(&mut self, peer: GuidPrefix) {
        let reader = Guid::new(peer, self.entry.reader);
        if let Some(attention) = self.readers.get_mut(&reader) {
            *attention = Attention::new(attention.shift);
        }
    }

    /// Asks a peer's reader for an answer, whatever it says.
    pub(super) fn probe(&mut self, now: Time, peer: GuidPrefix, out: &mut impl Outbox) {
        let reader = Guid::new(peer, self.entry.reader);
        let by = self.readers.get(&reader).map_or(0, |reader| reader.shift);
        let out = &mut Shifted { by, out };
        self.writer.probe(now, reader, out);
    }

    /// Publishes a description, or its end.
    pub(super) fn write(&mut self, now: Time, change: &Change, out: &mut impl Outbox) {
        let out = &mut ToReaders {
            readers: &mut self.readers,
            now,
            out,
        };
        // Nothing limits a KEEP_LAST writer without resource limits.
        let _ = self.writer.write(now, change, out);
    }

    /// Takes in a submessage of this topic, in either direction; returns what is news.
    pub(super) fn handle(
        &mut self,
        now: Time,
        source: &Source,
        timestamp: Option<Timestamp>,
        message: &Submessage<'_>,
        out: &mut impl Outbox,
    ) -> Vec<Sample> {
        let intake = &mut Copying {
            key_of: self.key_of,
        };
        let answers = matches!(message, Submessage::AckNack(_) | Submessage::NackFrag(_));
        if answers {
            self.heard_from(source.prefix);
        }
        let reader = Guid::new(source.prefix, self.entry.reader);
        let by = self.readers.get(&reader).map_or(0, |reader| reader.shift);
        let moved = answers.then(|| unshifted(message, by));
        let out = &mut ToReaders {
            readers: &mut self.readers,
            now,
            out,
        };
        let (reader, writer) = (&mut self.reader, &mut self.writer);
        if let Some(moved) = moved {
            if let Some(message) = &moved {
                answer(writer, now, source.prefix, message, out);
            }
            return Vec::new();
        }
        match receive(reader, now, source.prefix, timestamp, message, intake, out) {
            true => take(reader),
            false => Vec::new(),
        }
    }

    /// Does what is due; returns what is news.
    pub(super) fn handle_timeout(&mut self, now: Time, out: &mut impl Outbox) -> Vec<Sample> {
        let out = &mut ToReaders {
            readers: &mut self.readers,
            now,
            out,
        };
        self.writer.handle_timeout(now, out);
        match self.reader.handle_timeout(now, out).available {
            true => take(&mut self.reader),
            false => Vec::new(),
        }
    }

    pub(super) fn next_timeout(&self) -> Option<Time> {
        let times = [self.writer.next_timeout(), self.reader.next_timeout()];
        times.into_iter().flatten().min()
    }
}

/// A built-in reader of ours.
pub(super) fn reader(own: GuidPrefix, entry: &BuiltinTopicEntry) -> ReaderConfig {
    let qos = entry.qos;
    // The catalog knows all endpoints: the reader need not remember each as an instance.
    let stream = entry.describes_endpoints;
    ReaderConfig {
        reliability: qos.reliability,
        durability: qos.durability,
        history: match stream {
            true => History::KeepAll,
            false => qos.history,
        },
        keyed: qos.keyed && !stream,
        stream,
        max_sample_size: MAX_SAMPLE_SIZE,
        max_reassembly_bytes: MAX_REASSEMBLY,
        budget: Some(Budgets::of_each_writer(MAX_WAITING)),
        max_pending: MAX_PENDING,
        patient: true,
        ..ReaderConfig::new(Guid::new(own, entry.reader))
    }
}

/// What a peer's reader says to a writer of ours.
pub(super) fn answer(
    writer: &mut Writer,
    now: Time,
    peer: GuidPrefix,
    message: &Submessage<'_>,
    out: &mut impl Outbox,
) {
    match message {
        Submessage::AckNack(m) => {
            writer.handle_ack_nack(now, Guid::new(peer, m.reader), m, out);
        }
        Submessage::NackFrag(m) => {
            writer.handle_nack_frag(now, Guid::new(peer, m.reader), m, out);
        }
        _ => {}
    }
}

/// What a peer's writer says to a reader of ours; true if there is news.
pub(super) fn receive(
    reader: &mut Reader,
    now: Time,
    peer: GuidPrefix,
    timestamp: Option<Timestamp>,
    message: &Submessage<'_>,
    intake: &mut Copying,
    out: &mut impl Outbox,
) -> bool {
    let from = |entity| Guid::new(peer, entity);
    let delivery = match message {
        Submessage::Data(data) => {
            let Ok(inline) = InlineQos::parse(data.inline_qos) else {
                return false;
            };
            let from = from(data.writer);
            reader.handle_data(now, from, timestamp, data, &inline, intake, out)
        }
        Submessage::DataFrag(frag) => {
            let Ok(inline) = InlineQos::parse(frag.inline_qos) else {
                return false;
            };
            let from = from(frag.writer);
            reader.handle_data_frag(now, from, timestamp, frag, &inline, intake, out)
        }
        Submessage::Heartbeat(m) => reader.handle_heartbeat(now, from(m.writer), m, out),
        Submessage::HeartbeatFrag(m) => reader.handle_heartbeat_frag(now, from(m.writer), m, out),
        Submessage::Gap(m) => reader.handle_gap(now, from(m.writer), m, out),
        _ => return false,
    };
    delivery.available
}

/// All that a reader of ours has.
pub(super) fn take(reader: &mut Reader) -> Vec<Sample> {
    let mut samples = Vec::new();
    reader.take(&Select::default(), |sample| samples.push(sample));
    samples
}

/// Copies what comes in: descriptions are rare and must not pin a datagram.
pub(super) struct Copying {
    pub(super) key_of: KeyOf,
}

impl PayloadAllocator for Copying {
    fn keep(&mut self, bytes: &[u8]) -> Payload {
        Bytes::copy_from_slice(bytes).into()
    }

    fn assemble(&mut self, size: usize) -> BytesMut {
        BytesMut::with_capacity(size)
    }

    fn instance(&mut self, payload: SerializedPayload<'_>) -> Option<InstanceHandle> {
        match payload {
            SerializedPayload::Data(bytes) | SerializedPayload::Key(bytes) => (self.key_of)(bytes),
            SerializedPayload::None => None,
        }
    }
}

/// Sends what is for all matched readers to each of them, and asks those that are silent seldom.
struct ToReaders<'a, O> {
    readers: &'a mut BTreeMap<Guid, Attention>,
    now: Time,
    out: &'a mut O,
}

impl<O: Outbox> Outbox for ToReaders<'_, O> {
    fn push(&mut self, to: To, message: Submessage<'_>, payload: &Bytes) {
        let asks = matches!(&message, Submessage::Heartbeat(h) if !h.is_final);
        let pause = crowd::longer(FIRST_PAUSE, self.readers.len());
        if to != To::Matched {
            let attention = match to {
                To::Endpoint(reader) => self.readers.get_mut(&reader),
                _ => None,
            };
            // What our reader says to a writer has that one's numbers, which nobody moves.
            let Some(attention) = attention else {
                return self.out.push(to, message, payload);
            };
            if !asks || attention.ask(self.now, pause) {
                self.out
                    .push(to, shifted(message, attention.shift), payload);
            }
            return;
        }
        for (reader, attention) in self.readers.iter_mut() {
            if !asks || attention.ask(self.now, pause) {
                let message = shifted(message.clone(), attention.shift);
                self.out.push(To::Endpoint(*reader), message, payload);
            }
        }
    }
}

/// Sends what is for all matched readers to each of them.
pub(super) struct Spread<'a, R, O> {
    pub(super) readers: R,
    pub(super) out: &'a mut O,
}

impl<'r, R: IntoIterator<Item = &'r Guid> + Copy, O: Outbox> Outbox for Spread<'_, R, O> {
    fn push(&mut self, to: To, message: Submessage<'_>, payload: &Bytes) {
        if to != To::Matched {
            return self.out.push(to, message, payload);
        }
        for reader in self.readers {
            self.out
                .push(To::Endpoint(*reader), message.clone(), payload);
        }
    }
}
