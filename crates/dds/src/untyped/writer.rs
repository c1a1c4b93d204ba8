//! The untyped writer: bytes, instances and QoS. Every language and every type goes through it.
mod autodispose;
mod back_pressure;
mod change;
mod coherent_set;
pub(crate) mod deletion;
mod filters;
mod gathered;
mod guard;
mod handle;
mod listener;
mod local;
mod matched_readers;
mod member;
mod open_sample;
mod registered_instances;
mod report;
mod sending;
mod status;
mod write;

use crate::entity::coherent_set::WriterGroup;
use crate::entity::due::{Due, Work};
use crate::entity::group::PublisherCore;
use crate::entity::listener::slot::ListenerSlot;
use crate::entity::shared::Shared;
use crate::error::Error;
use crate::receive::counters::worth_telling;
use crate::receive::deferred;
use crate::receive::liveliness::LivelinessAssertion;
use crate::runtime::lock::{LEAF, PUBLISH, Ranked, WRITER};
use crate::runtime::pool::Pool;
use crate::runtime::signal::Waiters;
use crate::send::coalescing::Coalescer;
use crate::send::datagram::Datagrams;
use crate::send::destination::Destination;
use crate::send::local_queue::LocalReader;
use crate::send::vendor_quirks::VendorQuirks;
use crate::status::{
    DeadlineMissedStatus, IncompatibleQosStatus, LivelinessLostStatus, MatchTally, MatchedStatus,
    StatusFlags,
};
use crate::untyped::loan::LoanStock;
use crate::untyped::topic::TopicCore;
use crate::untyped::type_support::TypeSupport;
use bytes::{Bytes, BytesMut};
use change::{autodisposes, code_point, config, is_timed};
use dunlin_cdr::LoanedPart;
use dunlin_qos::{DataWriterQos, LivelinessKind};
use dunlin_rtps::{Body, Change, ChangeKind, InstanceHandle, SpareParts, Time, WriteError, Writer};
use dunlin_transport::panics::log;
use dunlin_transport::panics::quietly;
use dunlin_wire::{Guid, Locator, SampleOrigin, SequenceNumber, Timestamp};
use filters::Filters;
pub use handle::UntypedWriter;
pub use listener::UntypedWriterListener;
pub use open_sample::OpenSample;
pub(crate) use registered_instances::Known;
use registered_instances::Registered;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{
    AtomicBool, AtomicI64, AtomicU8, AtomicU64, AtomicUsize,
    Ordering::{Relaxed, SeqCst},
};
use std::sync::{Arc, OnceLock, Weak};
pub use write::{PayloadLoan, Piece, TryWriteError, WriteOptions};

/// Bytes of the application up to this size are serialized; larger ones stay where they are until
/// they are sent.
pub(crate) const SERIALIZE_LIMIT: usize = 4096;
/// Bytes of the application that are let go between two looks at the history.
const AT_ONCE: usize = 16;

/// Calls into the typed layer.
pub(crate) trait WriterEvents: Send + Sync {
    fn matched(&self, status: &MatchedStatus);
    fn incompatible(&self, status: &IncompatibleQosStatus);
    fn deadline_missed(&self, status: &DeadlineMissedStatus);
    fn liveliness_lost(&self, status: &LivelinessLostStatus);
    /// After a write that found none.
    fn room(&self) {}
}

/// A writer without a type.
pub(crate) struct WriterCore {
    pub(crate) guid: Guid,
    pub(crate) topic: String,
    pub(crate) type_support: TypeSupport,
    /// Its public handles, as long as there are some.
    owner: OnceLock<Weak<guard::WriterGuard>>,
    /// Its QoS as it is now.
    live: Ranked<DataWriterQos, LEAF>,
    /// Its QoS as it was when it was enabled, of which most cannot change any more; not yet enabled
    /// without.
    fixed: OnceLock<DataWriterQos>,
    /// Others are told of it.
    announced: AtomicBool,
    /// Policies that may change and are asked for by each write.
    timed: AtomicBool,
    pub(crate) autodispose: AtomicBool,
    /// The DiffServ code point of its datagrams, which is its TRANSPORT_PRIORITY.
    dscp: AtomicU8,
    pub(crate) group: Arc<PublisherCore>,
    /// Its publisher's writers, if they have sets or numbers in common.
    pub(crate) sets: Option<Arc<WriterGroup<Self>>>,
    pub(crate) topic_core: Arc<TopicCore>,
    pub(crate) shared: Arc<Shared>,
    publish: Ranked<Publish, PUBLISH>,
    state: Ranked<Writer, WRITER>,
    destinations: Ranked<Arc<[Destination]>, LEAF>,
    /// Ways to its readers that are made when it writes.
    put_off: Ranked<Vec<Locator>, LEAF>,
    /// Matched readers in this process.
    local_readers: Ranked<Arc<[LocalReader]>, LEAF>,
    /// There are some.
    has_near: AtomicBool,
    /// What readers want, if it is less than everything.
    pub(crate) filters: Ranked<Filters, LEAF>,
    /// Some do.
    has_filters: AtomicBool,
    /// Instances that the application has registered.
    pub(crate) registered: Registered,
    destinations_generation: AtomicU64,
    /// Bytes of a datagram that reaches all destinations whole.
    datagram_limit: AtomicUsize,
    /// When the timer will look at this writer; `i64::MAX` if it will not.
    pub(crate) scheduled: AtomicI64,
    /// When the timer will look for samples that a pause left behind; `i64::MAX` if it will not.
    pub(crate) watched: AtomicI64,
    /// Those who wait for room in the history or for acknowledgements.
    room: Waiters,
    /// Grows whenever there may be more room than before.
    room_epoch: AtomicU64,
    /// The listener is to be told of room.
    wants_room: AtomicBool,
    /// Samples may have members that peers can see where they are.
    lent: AtomicBool,
    /// Ordinary memory that was lent.
    stock: Ranked<LoanStock, LEAF>,
    /// Datagrams wait for `flush`, or for others. Noted under the lock `publish` and asked without
    /// it.
    waits: AtomicBool,
    /// Samples that some matched reader did not take for their length.
    too_large: AtomicU64,
    pub(crate) dialects: VendorQuirks,
    /// If the application has to show that the writer lives.
    pub(crate) sign: OnceLock<Arc<LivelinessAssertion>>,
    pub(crate) flags: StatusFlags,
    deadline_missed: Ranked<DeadlineMissedStatus, LEAF>,
    liveliness_lost: Ranked<LivelinessLostStatus, LEAF>,
    matched: Ranked<MatchTally, LEAF>,
    incompatible: Ranked<IncompatibleQosStatus, LEAF>,
    /// The writer's own listener.
    pub(crate) events: ListenerSlot<dyn WriterEvents>,
    /// It is being deleted: nobody is told of it any more.
    closed: AtomicBool,
}

/// What the thread whose turn it is to publish works with.
struct Publish {
    pool: Pool,
    datagrams: Datagrams,
    destinations: Arc<[Destination]>,
    generation: u64,
    /// Ways to them that are made when there is a sample.
    put_off: Vec<Locator>,
    batch: Option<Batch>,
    /// Bytes of the application that the history has let go of, and whether there are more.
    retired: Option<(Bytes, bool)>,
    /// For samples with bytes of the application.
    spares: SpareParts,
    /// A reader that does not take the sample at hand, and the most that it takes.
    refusing: Option<(Guid, u32)>,
    coalescer: Coalescer,
}

/// A batch under way. The clocks are looked at for its first sample.
#[derive(Clone, Copy)]
struct Batch {
    /// The source timestamp that its samples share, and so one INFO_TS.
    stamp: Timestamp,
    begun: Time,
}

/// How long a write waits for room in the history.
#[derive(Clone, Copy)]
enum Patience {
    /// RELIABILITY.max_blocking_time.
    BlockingTime,
    Until(Time),
    None,
}

/// What a reader's answer led to.
pub(crate) struct Outcome {
    /// There may be room now.
    pub(crate) room: bool,
    /// The history has let go of bytes of the application.
    pub(crate) retired: bool,
}

/// A change that its author serializes into the writer's buffer.
pub struct NewChange<'a> {
    /// A sample, or which end of the instance.
    pub kind: ChangeKind,
    /// Its instance: the hash of its key (RTPS 2.5 9.6.4.8), `NIL` for a type without one.
    pub instance: InstanceHandle,
    /// When it was written; the time of day of the call without.
    pub timestamp: Option<Timestamp>,
    /// Which samples it repeats or answers, if it says so.
    pub origin: Option<&'a SampleOrigin>,
    /// Octets that `fill` will write; more make the buffer grow.
    pub size: usize,
    /// The serialized key of its instance, in XCDR2; called only if readers of other products match
    /// (`docs/qos.md`, "The end of a writer").
    pub key: &'a dyn Fn() -> Option<Bytes>,
    /// Appends the payload; returns what it left where the application has it. A buffer may hold
    /// other samples before this one.
    pub fill: &'a mut dyn FnMut(&mut BytesMut) -> Result<Option<LoanedPart>, dunlin_cdr::Error>,
}

impl WriterCore {
    pub(crate) fn new(
        guid: Guid,
        topic: &Arc<TopicCore>,
        type_support: TypeSupport,
        qos: DataWriterQos,
        group: &Arc<PublisherCore>,
        shared: &Arc<Shared>,
    ) -> Self {
        let none: Arc<[Destination]> = Arc::new([]);
        Self {
            guid,
            topic: topic.name.clone(),
            owner: OnceLock::new(),
            fixed: OnceLock::new(),
            timed: AtomicBool::new(is_timed(&qos)),
            autodispose: AtomicBool::new(autodisposes(&qos)),
            dscp: AtomicU8::new(code_point(&qos)),
            group: Arc::clone(group),
            sets: group.sets().for_writer(),
            topic_core: Arc::clone(topic),
            shared: Arc::clone(shared),
            publish: Ranked::new(Publish {
                pool: Pool::default(),
                datagrams: shared.datagrams(),
                destinations: Arc::clone(&none),
                generation: 0,
                put_off: Vec::new(),
                batch: None,
                retired: None,
                spares: SpareParts::default(),
                refusing: None,
                coalescer: Coalescer::new(qos.latency_budget),
            }),
            state: Ranked::new(Writer::new(config(
                guid,
                type_support.is_keyed(),
                &qos,
                shared,
                group,
            ))),
            type_support,
            destinations: Ranked::new(none),
            put_off: Ranked::default(),
            local_readers: Ranked::new(Arc::new([])),
            has_near: AtomicBool::new(false),
            filters: Ranked::new(Filters::default()),
            has_filters: AtomicBool::new(false),
            registered: Registered::default(),
            destinations_generation: AtomicU64::new(0),
            datagram_limit: AtomicUsize::new(shared.transport.max_datagram()),
            announced: AtomicBool::new(false),
            scheduled: AtomicI64::new(i64::MAX),
            watched: AtomicI64::new(i64::MAX),
            room: Waiters::default(),
            room_epoch: AtomicU64::new(0),
            wants_room: AtomicBool::new(false),
            lent: AtomicBool::new(false),
            stock: Ranked::new(LoanStock::default()),
            waits: AtomicBool::new(false),
            too_large: AtomicU64::new(0),
            dialects: VendorQuirks::new(),
            sign: OnceLock::new(),
            flags: StatusFlags::default(),
            deadline_missed: Ranked::default(),
            liveliness_lost: Ranked::default(),
            matched: Ranked::default(),
            incompatible: Ranked::default(),
            events: ListenerSlot::default(),
            closed: AtomicBool::new(false),
            live: Ranked::new(qos),
        }
    }

    /// Name of its type.
    pub(crate) fn type_name(&self) -> &str {
        self.type_support.name()
    }

    /// Writes one change: serialize, store, send, all in the caller's thread (see `docs/walk.md`).
    /// Waits for room.
    #[inline]
    pub(crate) fn write(self: &Arc<Self>, change: NewChange<'_>) -> Result<SequenceNumber, Error> {
        match self.write_or_wait(change, Patience::BlockingTime)? {
            Some(sequence) => Ok(sequence),
            None => Err(self.blocked()),
        }
    }

    /// As `write`; it waits for room no longer than `until`.
    fn write_until(
        self: &Arc<Self>,
        change: NewChange<'_>,
        until: Time,
    ) -> Result<SequenceNumber, Error> {
        let written = self.write_or_wait(change, Patience::Until(until))?;
        written.ok_or_else(|| self.blocked())
    }

    /// As `write`; `None` without room, and then the listener is told when there may be some.
    pub(crate) fn try_write(
        self: &Arc<Self>,
        change: NewChange<'_>,
    ) -> Result<Option<SequenceNumber>, Error> {
        self.write_or_wait(change, Patience::None)
    }

    fn write_or_wait(
        self: &Arc<Self>,
        change: NewChange<'_>,
        mut patience: Patience,
    ) -> Result<Option<SequenceNumber>, Error> {
        self.check_enabled()?;
        // Listeners of readers in this process are called at the end.
        let _deferred = deferred::scope();
        let mut turn = self.publish.lock();
        let buffer = turn.pool.reserve(change.size);
        // A type of the application's own may panic, and leave a part of the sample here.
        let filled = catch_unwind(AssertUnwindSafe(|| (change.fill)(buffer)));
        let loaned = match filled {
            Ok(Ok(loaned)) => loaned,
            Err(panic) => {
                buffer.clear();
                drop(turn);
                resume_unwind(panic);
            }
            Ok(Err(error)) => {
                buffer.clear();
                return Err(Error::Serialization {
                    entity: self.describe(),
                    member: "the sample".into(),
                    error,
                });
            }
        };
        let plain = buffer.split().freeze();
        turn.pool.trim();
        let mut stamp = self.stamp(&mut turn);
        let origin = change.origin;
        let mut change = Change {
            kind: change.kind,
            instance: change.instance,
            payload: match loaned {
                None => plain.into(),
                Some(LoanedPart { at, bytes }) => {
                    Body::around_in(&mut turn.spares, plain, at, bytes)
                }
            },
            timestamp: change.timestamp.unwrap_or(stamp),
        };
        let size = change.payload.len();
        loop {
            let epoch = self.room_epoch.load(SeqCst);
            if let Some((sequence, next)) = self.store(&mut turn, &mut change, origin)? {
                let batching = self.fixed().batching.max_bytes;
                if batching == 0 {
                    turn.datagrams.hand_over();
                }
                let latest = match batching {
                    _ if turn.datagrams.is_empty() => {
                        turn.batch = None;
                        None
                    }
                    0 => {
                        self.send_or_hold(&mut turn, stamp, size);
                        None
                    }
                    most => self.send_if_full(&mut turn, most as usize),
                };
                let retired = turn.retired.take();
                // Of a sample that is not kept, until this returns.
                let _loaned = change.payload.take_loaned(&mut turn.spares);
                let refusing = turn.refusing.take();
                self.note_waiting(&turn);
                drop(turn);
                if let Some((one, more)) = retired {
                    quietly(|| drop(one));
                    if more {
                        self.release_retired();
                    }
                }
                if let Some(refusing) = refusing {
                    self.note_too_large(size, refusing);
                }
                self.schedule(next.into_iter().chain(latest).min());
                if let Some(sign) = self.sign.get() {
                    self.show_life(sign);
                }
                return Ok(Some(sequence));
            }
            if matches!(patience, Patience::None) {
                // Room that came before this was said is found by looking again.
                if self.wants_room.swap(true, SeqCst) {
                    return Ok(None);
                }
                continue;
            }
            // Whoever waits may receive, and so run listeners, which must find no lock held.
            drop(turn);
            let until = match patience {
                Patience::Until(until) => until,
                _ => {
                    let limit = self.fixed().reliability.max_blocking_time;
                    self.shared.clock.now().after(limit)
                }
            };
            patience = Patience::Until(until);
            if !self.wait_for_room(epoch, until) {
                return Ok(None);
            }
            self.check_enabled()?;
            self.check_present()?;
            turn = self.publish.lock();
            stamp = self.stamp(&mut turn);
            turn.coalescer.resume(stamp.0);
        }
    }

    /// Some matched readers take the sample, but not this one.
    #[cold]
    fn note_too_large(&self, length: usize, (reader, limit): (Guid, u32)) {
        if let Some(total) = worth_telling(&self.too_large) {
            log::warn!(
                writer = %self.guid, topic = self.topic, %reader, length, limit, total,
                "a matched reader does not take so long a sample and loses it; raise ParticipantConfig::max_sample_size there \
                 (DUNLIN_MAX_SAMPLE_SIZE)"
            );
        }
    }

    /// The source timestamp of a change that came without one.
    fn stamp(&self, publish: &mut Publish) -> Timestamp {
        match self.fixed().batching.max_bytes {
            0 => self.shared.clock.wall(),
            _ => self.batch(publish).stamp,
        }
    }

    /// The application wrote or asserts: discovery hears of it a few times per lease.
    fn show_life(&self, sign: &LivelinessAssertion) {
        if sign.note(self.shared.clock.now()) {
            self.shared.discover(|matching, _| matching.tell(sign));
        }
    }

    /// The application says that the writer lives (DDS 1.4 2.2.2.4.2.22).
    pub(crate) fn assert_liveliness(&self) {
        let Some(sign) = self.sign.get() else { return };
        if self.fixed().liveliness.kind == LivelinessKind::ManualByTopic {
            let _deferred = deferred::scope();
            let mut turn = self.publish.lock();
            self.refresh(&mut turn);
            self.state.lock().assert_liveliness(&mut turn.datagrams);
            self.flush_turn(&mut turn);
        }
        self.show_life(sign);
    }

    /// Puts a change into the history, where its payload goes if it is kept; `None` if it is full,
    /// and then the readers have been asked what they have.
    fn store(
        self: &Arc<Self>,
        publish: &mut Publish,
        change: &mut Change,
        origin: Option<&SampleOrigin>,
    ) -> Result<Option<(SequenceNumber, Option<Time>)>, Error> {
        // Mostly only heartbeats depend on it, and their period is longer than a tick, and no
        // shorter than a batch waits; a writer without room asks ten times as often.
        let now = match (self.timed.load(Relaxed), publish.batch) {
            (true, _) => self.shared.clock.now(),
            (false, Some(batch)) => batch.begun,
            (false, None) => self.shared.clock.coarse(),
        };
        let limit = self.datagram_limit.load(SeqCst);
        publish.datagrams.set_limit(limit);
        self.refresh(publish);
        self.want_ways(publish);
        let length = change.payload.len();
        let next = {
            let mut state = self.state.lock();
            let out = &mut publish.datagrams;
            let number = || self.sets.as_ref().and_then(|group| group.number());
            let written = state.write_in_group(now, change, origin, number, out);
            match written {
                Ok(sequence) => {
                    publish.refusing = state.reader_refusing(length);
                    publish.spares.take_from(state.spares());
                    let retired = state.retired();
                    if let Some(one) = retired.pop() {
                        publish.retired = Some((one, !retired.is_empty()));
                    }
                    return Ok(Some((sequence, state.next_timeout())));
                }
                Err(WriteError::Full) => {
                    state.ask_for_room(self.shared.clock.now(), &mut publish.datagrams);
                }
                Err(WriteError::TooLarge { reader, limit }) => {
                    return Err(Error::SampleTooLarge {
                        entity: self.describe(),
                        length,
                        reader,
                        limit,
                    });
                }
                Err(WriteError::OutOfResources(limit)) => {
                    return Err(self.exhausted(limit));
                }
                // Nothing that is written whole.
                Err(WriteError::NotOpen) => return Err(self.blocked()),
            }
            state.next_timeout()
        };
        self.flush_turn(publish);
        self.schedule(next);
        Ok(None)
    }

    /// The timer's work: batches that wait, heartbeats.
    pub(crate) fn handle_timeout(self: &Arc<Self>, now: Time, out: &mut Datagrams) {
        if let Some(mut publish) = self.publish.try_lock() {
            self.flush_turn(&mut publish);
        }
        self.aim(out);
        let (room, missed, retired, next) = {
            let mut state = self.state.lock();
            let room = state.handle_timeout(now, out);
            let missed = state.take_missed_deadlines();
            let retired = !state.retired().is_empty();
            (room, missed, retired, state.next_timeout())
        };
        self.ask(out);
        self.schedule(next);
        if retired {
            self.release_retired();
        }
        if room {
            self.announce_room();
        }
        if let Some(missed) = missed {
            self.note_deadline_missed(missed);
        }
    }

    #[inline]
    pub(crate) fn schedule(self: &Arc<Self>, next: Option<Time>) {
        if let Some(at) = next {
            self.shared.timer.schedule(at, &self.scheduled, || {
                let writer = Arc::downgrade(self);
                Due::Endpoint(writer, Work::Timeout)
            });
        }
    }

    /// Name for messages to the user.
    pub(crate) fn describe(&self) -> String {
        format!(
            "{} of topic {:?} (type {:?}, {})",
            crate::error::called("writer", &self.live.lock().entity_name),
            self.topic,
            self.type_name(),
            self.guid
        )
    }
}
