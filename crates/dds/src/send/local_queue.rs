//! Endpoints of the same process speak to each other without any transport
//! (`docs/decisions/local.md`).
//!
//! What a writer or a reader says is the same submessages as ever. For an endpoint of this process
//! they are not encoded: they wait in a queue beside the datagrams, and the thread that sends the
//! datagrams hands them over itself, in order, under the locks that it holds for sending. That
//! fills caches and frees histories; whom it concerns is told once all locks are released
//! (`receive/deferred.rs`).

use crate::runtime::lock::{LEAF, Ranked};
use crate::runtime::pool::Pool;
use crate::send::datagram::Datagrams;
use bytes::Bytes;
use dunlin_rtps::To;
use dunlin_wire::{
    AckNack, Data, EntityId, Gap, Guid, GuidPrefix, Heartbeat, NackFrag, Parameters, Payload,
    SequenceNumber, Submessage, Timestamp,
};
use dunlin_xtypes::DynamicType;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Weak};

/// Submessages that are handed over one after the other, answers to answers included. It does not
/// come to that; should it, the timers find out what is missing.
const MOST_AT_ONCE: usize = 100_000;
/// A reader's lock is held for so many samples at most.
const MOST_IN_A_RUN: usize = 32;

/// The endpoints of this process that may be spoken to directly.
static ENDPOINTS: Ranked<BTreeMap<Guid, Endpoint>, LEAF> = Ranked::new(BTreeMap::new());

/// Their types, as far as these are known. An endpoint itself may end with the last reference to it,
/// and must not where somebody only wants to know its type.
static TYPES: Ranked<BTreeMap<Guid, DynamicType>, LEAF> = Ranked::new(BTreeMap::new());

/// A reader that is spoken to directly.
pub(crate) trait LocalReaderEndpoint: Send + Sync {
    fn guid(&self) -> Guid;
    /// Takes in what a writer says, in order. The reader's answers go to `out`.
    fn receive(self: Arc<Self>, run: LocalRun<'_>, kept: &mut Pool, out: &mut Datagrams);
}

/// A writer that is spoken to directly.
pub(crate) trait LocalWriterEndpoint: Send + Sync {
    fn guid(&self) -> Guid;
    /// Takes in what a reader answers. What the writer says to that goes to `out`.
    fn receive(self: Arc<Self>, from: Guid, answer: &Submessage<'_>, out: &mut Datagrams);
}

/// What a writer says to a reader of the same process: samples that follow each other, or one
/// submessage of another kind.
#[derive(Clone)]
pub(crate) struct LocalRun<'a> {
    /// Who says all of it.
    pub(crate) from: Guid,
    changes: std::slice::Iter<'a, LocalChange>,
    /// What these refer to.
    inline_qos: &'a [u8],
}

/// One submessage of a run.
pub(crate) struct LocalArrival<'a> {
    pub(crate) timestamp: Option<Timestamp>,
    pub(crate) message: Submessage<'a>,
    /// The payload, counted.
    pub(crate) payload: Option<&'a Bytes>,
    /// It proves that the writer's application lives.
    pub(crate) shows_life: bool,
}

impl<'a> Iterator for LocalRun<'a> {
    type Item = LocalArrival<'a>;

    #[inline]
    fn next(&mut self) -> Option<LocalArrival<'a>> {
        self.changes.next().map(|change| LocalArrival {
            timestamp: change.timestamp,
            message: change.message.submessage(self.inline_qos),
            payload: change.message.payload(),
            shows_life: change.message.shows_life(),
        })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.changes.size_hint()
    }
}

impl ExactSizeIterator for LocalRun<'_> {}

#[derive(Clone)]
enum Endpoint {
    Writer(Weak<dyn LocalWriterEndpoint>),
    Reader(Weak<dyn LocalReaderEndpoint>),
}

/// From now on this writer, which may have a type that is known, is spoken to directly.
pub(crate) fn enter_writer(writer: Arc<dyn LocalWriterEndpoint>, ty: Option<&DynamicType>) {
    let endpoint = Endpoint::Writer(Arc::downgrade(&writer));
    enter(writer.guid(), endpoint, ty);
}

/// From now on this reader, which may have a type that is known, is spoken to directly.
pub(crate) fn enter_reader(reader: Arc<dyn LocalReaderEndpoint>, ty: Option<&DynamicType>) {
    let endpoint = Endpoint::Reader(Arc::downgrade(&reader));
    enter(reader.guid(), endpoint, ty);
}

fn enter(guid: Guid, endpoint: Endpoint, ty: Option<&DynamicType>) {
    ENDPOINTS.lock().insert(guid, endpoint);
    if let Some(ty) = ty {
        TYPES.lock().insert(guid, ty.clone());
    }
}

/// The endpoint is gone.
pub(crate) fn leave(guid: &Guid) {
    ENDPOINTS.lock().remove(guid);
    TYPES.lock().remove(guid);
}

/// Is this an endpoint that is spoken to directly?
pub(crate) fn is_here(guid: &Guid) -> bool {
    ENDPOINTS.lock().contains_key(guid)
}

/// The reader with this GUID, if it is one that is spoken to directly.
pub(crate) fn reader(guid: &Guid) -> Option<Weak<dyn LocalReaderEndpoint>> {
    match ENDPOINTS.lock().get(guid) {
        Some(Endpoint::Reader(core)) => Some(Weak::clone(core)),
        _ => None,
    }
}

/// What the type of an endpoint is that is spoken to directly, if that is known.
pub(crate) fn type_of(guid: Guid) -> Option<DynamicType> {
    TYPES.lock().get(&guid).cloned()
}

fn writer(guid: &Guid) -> Option<Arc<dyn LocalWriterEndpoint>> {
    match ENDPOINTS.lock().get(guid) {
        Some(Endpoint::Writer(core)) => core.upgrade(),
        _ => None,
    }
}

/// A matched reader in this process.
#[derive(Clone)]
pub(crate) struct LocalReader {
    pub(crate) core: Weak<dyn LocalReaderEndpoint>,
    /// As `Destination::wanted`.
    pub(crate) wanted: u64,
}

/// What waits to be handed over within the process, beside datagrams that wait to be sent.
pub(crate) struct LocalQueue {
    /// Endpoints of this participant may be spoken to directly, and so it speaks.
    on: bool,
    own: GuidPrefix,
    /// Whose endpoint speaks while submessages are handed over: it answers them, so it says nothing
    /// to others.
    speaker: Option<GuidPrefix>,
    local_readers: Arc<[LocalReader]>,
    /// There are matched readers elsewhere.
    remote: bool,
    timestamp: Option<Timestamp>,
    waiting: Waiting,
    /// The memory of `waiting` while what was in it is handed over, and the other way round.
    spare: Waiting,
    /// Where kept payloads go.
    kept: Pool,
}

/// What waits, in order.
#[derive(Default)]
struct Waiting {
    changes: Vec<LocalChange>,
    /// Parameter lists of samples, one behind the other: most have none.
    inline_qos: Vec<u8>,
    /// Bytes of payloads.
    bytes: usize,
}

impl Waiting {
    fn clear(&mut self) {
        self.changes.clear();
        self.inline_qos.clear();
        self.bytes = 0;
    }
}

struct LocalChange {
    from: GuidPrefix,
    to: LocalRecipients,
    timestamp: Option<Timestamp>,
    message: LocalMessage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LocalRecipients {
    One(Guid),
    /// The matched readers in this process that want it, as `To::Passing` says.
    LocalReader(u64),
}

/// A submessage that owns what it says.
enum LocalMessage {
    Data {
        writer: EntityId,
        sequence: SequenceNumber,
        /// Where `Waiting::inline_qos` has its inline QoS.
        inline_qos: Range<usize>,
        content: Content,
    },
    Heartbeat(Heartbeat),
    Gap(Gap),
    AckNack(AckNack),
    NackFrag(NackFrag),
}

enum Content {
    None,
    Data(Bytes),
    Key(Bytes),
}

impl LocalQueue {
    pub(crate) fn new(own: GuidPrefix) -> Self {
        Self {
            on: false,
            own,
            speaker: None,
            local_readers: Arc::new([]),
            remote: true,
            timestamp: None,
            waiting: Waiting::default(),
            spare: Waiting::default(),
            kept: Pool::default(),
        }
    }

    /// From now on what is for endpoints of this process goes to them directly.
    pub(crate) fn switch_on(&mut self, on: bool) {
        self.on = on;
    }

    /// From now on `To::Matched` means these readers, and if `remote`, others elsewhere.
    pub(crate) fn aim(&mut self, local_readers: Arc<[LocalReader]>, remote: bool) {
        (self.local_readers, self.remote) = (local_readers, remote);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.changes.is_empty()
    }

    /// Bytes of the payloads that wait.
    pub(crate) fn waiting_bytes(&self) -> usize {
        self.waiting.bytes
    }

    /// Is what is for these for nobody in this process, but for others?
    #[inline]
    pub(crate) fn leaves(&self, to: To) -> bool {
        self.local_readers.is_empty() && self.remote && matches!(to, To::Matched | To::Passing(_))
    }

    /// Queues the message, if it is for somebody in this process; false if it is for nobody
    /// else. `payload` makes counted bytes of the message's payload.
    pub(crate) fn write(
        &mut self,
        to: To,
        message: &Submessage<'_>,
        payload: impl FnOnce(&mut Pool) -> Bytes,
    ) -> bool {
        if let Submessage::InfoTimestamp(timestamp) = message {
            self.timestamp = *timestamp;
        }
        match (to, self.wanting(to)) {
            (To::Matched | To::Passing(_), None) => self.remote,
            (To::Matched | To::Passing(_), Some(local_readers)) => {
                self.add(local_readers, message, payload);
                self.remote
            }
            (To::Endpoint(guid), _) if self.is_ours(&guid) => {
                self.add(LocalRecipients::One(guid), message, payload);
                false
            }
            (To::Endpoint(_) | To::Announce, _) => self.speaker.is_none(),
        }
    }

    /// Queues a message that says all of a change of which others get fragments, if it is for
    /// somebody in this process.
    pub(crate) fn write_whole(
        &mut self,
        to: To,
        timestamp: Timestamp,
        message: &Submessage<'_>,
        payload: impl FnOnce(&mut Pool) -> Bytes,
    ) {
        self.timestamp = Some(timestamp);
        match to {
            To::Endpoint(guid) if self.is_ours(&guid) => {
                self.add(LocalRecipients::One(guid), message, payload);
            }
            to => {
                if let Some(local_readers) = self.wanting(to) {
                    self.add(local_readers, message, payload);
                }
            }
        }
    }

    /// The matched readers in this process whom it addresses, if there are any.
    fn wanting(&self, to: To) -> Option<LocalRecipients> {
        let passing = match to {
            To::Matched => u64::MAX,
            To::Passing(passing) => passing,
            _ => return None,
        };
        let mut local_readers = self.local_readers.iter();
        let wanted = local_readers.any(|reader| reader.wanted & passing != 0);
        wanted.then_some(LocalRecipients::LocalReader(passing))
    }

    fn add(
        &mut self,
        to: LocalRecipients,
        message: &Submessage<'_>,
        payload: impl FnOnce(&mut Pool) -> Bytes,
    ) {
        let waiting = &mut self.waiting;
        let payload = || payload(&mut self.kept);
        if let Some(message) = LocalMessage::of(message, &mut waiting.inline_qos, payload) {
            waiting.bytes += message.payload().map_or(0, Bytes::len);
            waiting.changes.push(LocalChange {
                from: self.speaker.unwrap_or(self.own),
                to,
                timestamp: self.timestamp,
                message,
            });
        }
    }

    fn is_ours(&self, guid: &Guid) -> bool {
        self.on && !guid.entity.is_builtin() && is_here(guid)
    }
}

/// Hands over what waits, and the answers to it. Locks of readers' and writers' states are taken
/// one at a time.
#[inline(never)]
pub(crate) fn hand_over(out: &mut Datagrams) {
    let mut count = 0;
    while count < MOST_AT_ONCE {
        let queue = out.local_queue();
        if queue.is_empty() {
            return;
        }
        // Answers wait behind what is handed over now.
        let spare = std::mem::take(&mut queue.spare);
        let mut said = std::mem::replace(&mut queue.waiting, spare);
        count += said.changes.len();
        let mut rest = &said.changes[..];
        while let Some(first) = rest.first() {
            let (run, after) = rest.split_at(first.run_length(rest));
            first.hand_over(run, &said.inline_qos, out);
            rest = after;
        }
        said.clear();
        out.local_queue().spare = said;
    }
    out.local_queue().waiting.clear();
}

impl LocalChange {
    /// How many of these, of which it is the first, are samples that the same writer says to the
    /// same readers; 1 if it is no sample.
    #[inline]
    fn run_length(&self, rest: &[Self]) -> usize {
        let Some(writer) = self.message.sample_of() else {
            return 1;
        };
        let follows = |other: &&Self| {
            other.message.sample_of() == Some(writer)
                && other.to == self.to
                && other.from == self.from
        };
        let run = rest.iter().take(MOST_IN_A_RUN).take_while(follows);
        run.count().max(1)
    }

    /// Hands over `run`, of which it is the first.
    fn hand_over(&self, run: &[Self], inline_qos: &[u8], out: &mut Datagrams) {
        match &self.message {
            LocalMessage::AckNack(_) | LocalMessage::NackFrag(_) => self.answer(out),
            _ => self.deliver(run, inline_qos, out),
        }
    }

    fn answer(&self, out: &mut Datagrams) {
        let LocalRecipients::One(guid) = self.to else {
            return;
        };
        let Some(core) = writer(&guid) else {
            return;
        };
        let message = self.message.submessage(&[]);
        let reader = message.endpoints().map_or(EntityId::UNKNOWN, |(r, _)| r);
        let from = Guid::new(self.from, reader);
        out.local_queue().speaker = Some(core.guid().prefix);
        core.receive(from, &message, out);
        out.local_queue().speaker = None;
    }

    fn deliver(&self, run: &[Self], inline_qos: &[u8], out: &mut Datagrams) {
        let message = self.message.submessage(inline_qos);
        let writer = message.endpoints().map_or(EntityId::UNKNOWN, |(_, w)| w);
        let run = LocalRun {
            from: Guid::new(self.from, writer),
            changes: run.iter(),
            inline_qos,
        };
        let local_queue = out.local_queue();
        let mut kept = std::mem::take(&mut local_queue.kept);
        match self.to {
            LocalRecipients::One(guid) => deliver_to(reader(&guid), run, &mut kept, out),
            LocalRecipients::LocalReader(passing) => {
                let local_readers = Arc::clone(&local_queue.local_readers);
                for reader in local_readers
                    .iter()
                    .filter(|reader| reader.wanted & passing != 0)
                {
                    let core = Some(Weak::clone(&reader.core));
                    deliver_to(core, run.clone(), &mut kept, out);
                }
            }
        }
        out.local_queue().kept = kept;
    }
}

fn deliver_to(
    to: Option<Weak<dyn LocalReaderEndpoint>>,
    run: LocalRun<'_>,
    kept: &mut Pool,
    out: &mut Datagrams,
) {
    let Some(core) = to.and_then(|core| core.upgrade()) else {
        return;
    };
    out.local_queue().speaker = Some(core.guid().prefix);
    core.receive(run, kept, out);
    out.local_queue().speaker = None;
}

impl LocalMessage {
    /// `inline_qos` is where its inline QoS goes.
    fn of(
        message: &Submessage<'_>,
        inline_qos: &mut Vec<u8>,
        payload: impl FnOnce() -> Bytes,
    ) -> Option<Self> {
        Some(match message {
            Submessage::Data(data) => Self::Data {
                writer: data.writer,
                sequence: data.sequence,
                inline_qos: {
                    let begin = inline_qos.len();
                    inline_qos.extend_from_slice(data.inline_qos.bytes());
                    begin..inline_qos.len()
                },
                content: match data.payload {
                    Payload::None => Content::None,
                    Payload::Data(_) => Content::Data(payload()),
                    Payload::Key(_) => Content::Key(payload()),
                },
            },
            Submessage::Heartbeat(heartbeat) => Self::Heartbeat(*heartbeat),
            Submessage::Gap(gap) => Self::Gap(*gap),
            Submessage::AckNack(answer) => Self::AckNack(*answer),
            Submessage::NackFrag(answer) => Self::NackFrag(*answer),
            // What others get in fragments has come whole, and the time is in each entry; no
            // endpoint of ours says anything else.
            _ => return None,
        })
    }

    fn submessage<'a>(&'a self, lists: &'a [u8]) -> Submessage<'a> {
        match self {
            Self::Data {
                writer,
                sequence,
                inline_qos,
                content,
            } => Submessage::Data(Data {
                reader: EntityId::UNKNOWN,
                writer: *writer,
                sequence: *sequence,
                inline_qos: match lists.get(inline_qos.clone()) {
                    Some(list) => Parameters::little_endian(list),
                    None => Parameters::NONE,
                },
                payload: match content {
                    Content::None => Payload::None,
                    Content::Data(bytes) => Payload::Data(bytes),
                    Content::Key(bytes) => Payload::Key(bytes),
                },
            }),
            Self::Heartbeat(heartbeat) => Submessage::Heartbeat(*heartbeat),
            Self::Gap(gap) => Submessage::Gap(*gap),
            Self::AckNack(answer) => Submessage::AckNack(*answer),
            Self::NackFrag(answer) => Submessage::NackFrag(*answer),
        }
    }

    /// Whose sample it is, if it is one.
    #[inline]
    fn sample_of(&self) -> Option<EntityId> {
        match self {
            Self::Data { writer, .. } => Some(*writer),
            _ => None,
        }
    }

    fn payload(&self) -> Option<&Bytes> {
        match self {
            Self::Data {
                content: Content::Data(bytes) | Content::Key(bytes),
                ..
            } => Some(bytes),
            _ => None,
        }
    }

    /// Does this prove that the writer's application lives? (RTPS 2.5 8.3.8.6.1, 8.4.13.5)
    fn shows_life(&self) -> bool {
        match self {
            Self::Data { .. } => true,
            Self::Heartbeat(heartbeat) => heartbeat.liveliness,
            _ => false,
        }
    }
}
