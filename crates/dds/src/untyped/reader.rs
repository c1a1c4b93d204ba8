//! The untyped reader: a cache of bytes with states. Every language and every type goes through it.
mod access;
mod arriving;
mod change;
pub(crate) mod deletion;
mod guard;
mod handle;
mod listener;
mod local;
mod matched_writers;
mod member;
mod receiving;
mod report;
mod status;
mod take;
mod timing;

use crate::entity::config::ParticipantConfig;
use crate::entity::group::SubscriberCore;
use crate::entity::listener::dispatch::Dispatch;
use crate::entity::listener::slot::ListenerSlot;
use crate::entity::shared::Shared;
use crate::receive::deferred::{self, DeferredCall};
use crate::runtime::lock::{LEAF, READER, Ranked, assert_none_held};
use crate::runtime::pool::Pool;
use crate::runtime::signal::Waiters;
use crate::send::datagram::Datagrams;
use crate::status::{
    DeadlineMissedStatus, IncompatibleQosStatus, LivelinessChangedStatus, LivelinessTally,
    MatchTally, MatchedStatus, SampleCountStatus, SampleRejectedStatus, StatusFlags, StatusKind,
};
use crate::untyped::topic::TopicCore;
use crate::untyped::type_support::TypeSupport;
use bytes::Bytes;
use dunlin_qos::{AccessScope, DataReaderQos, DestinationOrder, Duration, History, Ownership};
use dunlin_rtps::discovery::WriterPredicate;
use dunlin_rtps::{
    ContentFilter, Delivery, GroupFront, GroupOrder, InstanceHandle, KeyOf, Loaned, OriginBounds,
    PayloadAllocator, Reader, ReaderConfig, Time, Withdrawn,
};
use dunlin_transport::panics::{log, quietly};
use dunlin_wire::{
    ContentFilterProperty, Guid, InlineQos, Locator, Payload, Submessage, Timestamp,
};
use std::collections::VecDeque;
use std::fmt::Display;
use std::sync::atomic::{
    AtomicBool, AtomicI64,
    Ordering::{Acquire, Relaxed, Release, SeqCst},
};
use std::sync::{Arc, OnceLock, Weak};

pub use handle::UntypedReader;
pub use listener::UntypedReaderListener;

/// A thread that has something else to do calls a listener so many times in a row.
const MOST_CALLS: u32 = 16;
/// Writers whose layout is remembered; the samples of further ones are decoded.
const MOST_ALIKE: usize = 1024;

/// Calls into the typed layer, on the thread that received.
pub(crate) trait ReaderEvents: Send + Sync {
    fn data_available(&self);
    fn matched(&self, status: &MatchedStatus);
    fn incompatible(&self, status: &IncompatibleQosStatus);
    fn liveliness(&self, status: &LivelinessChangedStatus);
    fn deadline_missed(&self, status: &DeadlineMissedStatus);
    fn lost(&self, status: &SampleCountStatus);
    fn rejected(&self, status: &SampleRejectedStatus);
}

/// How an untyped reader differs from others.
#[derive(Clone, Debug)]
pub struct UntypedReaderOptions {
    /// Stream mode, for whoever relays or records: every change is handed out as it was sent, in
    /// the order of its writer. There are no instances, so nothing is collapsed, and `dispose` and
    /// `unregister` are changes like others. HISTORY counts as KEEP_ALL, OWNERSHIP as SHARED and
    /// DESTINATION_ORDER as BY_RECEPTION_TIMESTAMP; TIME_BASED_FILTER does nothing.
    pub stream: bool,
    /// Does a sample that several writers forward, or one forwards beside its original writer, come
    /// once only, and within which bounds is that known? By default it does, of 4,096 original
    /// writers for an hour, as for typed readers; `None`: it comes as often as it is sent.
    pub duplicates: Option<OriginBounds>,
    /// Which writers it is matched with, of those that suit it; `None` for all. It is asked when a
    /// writer is discovered and when what that announces changes. If it panics, the answer is no.
    /// A declined writer does not know of it: a reliable one waits for this reader's
    /// acknowledgements.
    pub accepts: Option<WriterPredicate>,
    /// Samples of more fragments than this can be had as they come, before they are whole
    /// ([`UntypedReader::take_arriving`]); `None`: none can. Only in stream mode.
    pub arriving: Option<u32>,
}

impl Default for UntypedReaderOptions {
    fn default() -> Self {
        Self {
            stream: false,
            duplicates: Some(OriginBounds {
                // So what strangers make up costs 8 MiB at most.
                max_origins: 4096,
                // As long as writers are remembered that fell silent: a service that is started
                // again brings all that its sources keep.
                forget_after: Duration::from_secs(3600),
            }),
            accepts: None,
            arriving: None,
        }
    }
}

/// A reader without a type.
pub(crate) struct ReaderCore {
    pub(crate) guid: Guid,
    pub(crate) topic: String,
    pub(crate) type_support: TypeSupport,
    pub(crate) options: UntypedReaderOptions,
    /// Its public handles, as long as there are some.
    owner: OnceLock<Weak<guard::ReaderGuard>>,
    /// Its QoS as it is now.
    live: Ranked<DataReaderQos, LEAF>,
    /// Its QoS as it was when it was enabled, of which most cannot change any more; not yet enabled
    /// without.
    fixed: OnceLock<DataReaderQos>,
    pub(crate) group: Arc<SubscriberCore>,
    pub(crate) topic_core: Arc<TopicCore>,
    /// Groups on which this reader wants its samples.
    pub(crate) multicast: Vec<Locator>,
    /// Which samples it wants, as others are told.
    pub(crate) content_filter: Ranked<Option<ContentFilterProperty>, LEAF>,
    pub(crate) shared: Arc<Shared>,
    state: Ranked<Reader, READER>,
    /// The latest writers whose samples lie in memory as ours do.
    alike: Ranked<VecDeque<Guid>, LEAF>,
    /// Where loaned samples are copied that are needed in one piece.
    copies: Ranked<Pool, LEAF>,
    /// When the timer will look at this reader; `i64::MAX` if it will not.
    pub(crate) scheduled: AtomicI64,
    next: AtomicI64,
    /// There may be something to take.
    holds: AtomicBool,
    /// The listener as it is called for data.
    calls: Dispatch<dyn ReaderEvents>,
    pub(crate) flags: StatusFlags,
    /// Those who wait for data by read conditions.
    pub(crate) data: Waiters,
    matched: Ranked<MatchTally, LEAF>,
    incompatible: Ranked<IncompatibleQosStatus, LEAF>,
    liveliness: Ranked<LivelinessTally, LEAF>,
    deadline_missed: Ranked<DeadlineMissedStatus, LEAF>,
    lost: Ranked<SampleCountStatus, LEAF>,
    /// Of which writer.
    #[cfg(feature = "simulation")]
    lost_by_writer: Ranked<std::collections::BTreeMap<Guid, u64>, LEAF>,
    rejected: Ranked<SampleRejectedStatus, LEAF>,
    /// The reader's own listener.
    events: ListenerSlot<dyn ReaderEvents>,
    /// It is being deleted: nobody is told of it any more.
    closed: AtomicBool,
}

impl ReaderCore {
    pub(crate) fn new(
        guid: Guid,
        topic: &Arc<TopicCore>,
        type_support: TypeSupport,
        options: UntypedReaderOptions,
        qos: DataReaderQos,
        group: &Arc<SubscriberCore>,
    ) -> Self {
        let shared = &group.shared;
        let config = config(guid, &type_support, &options, &qos, group);
        Self {
            guid,
            topic: topic.name.clone(),
            type_support,
            options,
            owner: OnceLock::new(),
            fixed: OnceLock::new(),
            group: Arc::clone(group),
            topic_core: Arc::clone(topic),
            multicast: shared.groups(&qos.multicast),
            content_filter: Ranked::default(),
            shared: Arc::clone(shared),
            state: Ranked::new(Reader::new(config)),
            alike: Ranked::default(),
            copies: Ranked::default(),
            scheduled: AtomicI64::new(i64::MAX),
            next: AtomicI64::new(i64::MAX),
            holds: AtomicBool::new(false),
            calls: Dispatch::default(),
            flags: StatusFlags::default(),
            data: Waiters::default(),
            matched: Ranked::default(),
            incompatible: Ranked::default(),
            liveliness: Ranked::default(),
            deadline_missed: Ranked::default(),
            lost: Ranked::default(),
            #[cfg(feature = "simulation")]
            lost_by_writer: Ranked::default(),
            rejected: Ranked::default(),
            events: ListenerSlot::default(),
            closed: AtomicBool::new(false),
            live: Ranked::new(qos),
        }
    }

    /// From now on only these samples are wanted.
    pub(crate) fn set_content_filter(&self, told: ContentFilterProperty, filter: ContentFilter) {
        *self.content_filter.lock() = Some(told);
        self.state.lock().set_content_filter(filter);
    }

    /// How many samples did not pass it.
    pub(crate) fn filtered(&self) -> u64 {
        self.state.lock().filtered()
    }

    /// Instance of a payload by the reader's type.
    pub(crate) fn instance(&self, payload: Payload<'_>) -> Option<InstanceHandle> {
        if self.type_support.is_keyed() {
            // A type of the application's own may panic.
            quietly(|| self.type_support.instance(payload)).flatten()
        } else {
            Some(InstanceHandle::NIL)
        }
    }

    /// Takes in a submessage of a writer, whose inline QoS is read already. No user code runs here:
    /// `count` and `tell_troubles` are left to the caller.
    #[allow(
        clippy::too_many_arguments,
        reason = "what a submessage says and two sinks"
    )]
    pub(crate) fn accept(
        &self,
        now: Time,
        from: Guid,
        timestamp: Option<Timestamp>,
        message: &Submessage<'_>,
        inline: &InlineQos,
        allocator: &mut impl PayloadAllocator,
        out: &mut Datagrams,
    ) -> Delivery {
        let mut state = self.state.lock();
        let delivery = take_in(
            &mut state, now, from, timestamp, message, inline, allocator, out,
        );
        self.note_next(&state);
        delivery
    }

    /// What may be asked without the lock: for `schedule`, and for a `take` in vain. Noted under
    /// it, or what another thread notes could be overwritten; in the steady state hardly anything
    /// is written.
    fn note_next(&self, state: &Reader) {
        let next = state.next_timeout().map_or(i64::MAX, |at| at.0);
        if self.next.load(Relaxed) != next {
            self.next.store(next, SeqCst);
        }
        let holds = !state.is_empty();
        if self.holds.load(Relaxed) != holds {
            self.holds.store(holds, Release);
        }
    }

    /// There is nothing to take, and no status says that there is. Whoever hears of a sample hears
    /// of this before.
    #[inline]
    pub(crate) fn is_bare(&self) -> bool {
        !self.holds.load(Acquire) && !self.flags.has_data() && !self.group.attends()
    }

    fn note(self: &Arc<Self>, writer: Guid, delivery: &Delivery) -> bool {
        self.count(writer, delivery);
        self.tell_troubles((delivery.lost > 0, delivery.rejected.is_some()));
        if delivery.gathers {
            let _deferred = deferred::scope();
            self.group.group_access.open();
        }
        // Whoever takes what arrives is called as for data.
        delivery.available || delivery.arriving
    }

    /// How it stands with each writer whose sets wait for those of others.
    pub(crate) fn group_fronts(&self) -> Vec<GroupFront> {
        self.state.lock().group_fronts().collect()
    }

    /// What writers said in a set that all have now is seen, or dropped; whom that concerns is told
    /// by the thread that receives.
    pub(crate) fn release_group(
        self: &Arc<Self>,
        now: Time,
        writers: &[Guid],
        set: GroupOrder,
        turn: u64,
    ) {
        let mut state = self.state.lock();
        let delivery = state.release_group(now, writers, set.first, set.whole, turn);
        self.note_next(&state);
        drop(state);
        self.count(Guid::UNKNOWN, &delivery);
        self.schedule();
        if delivery.available {
            self.shared.defer_data(self);
        }
        self.defer_troubles(&delivery);
    }

    /// Has listeners told of what was lost or rejected as soon as this thread holds no lock.
    fn defer_troubles(self: &Arc<Self>, delivery: &Delivery) {
        let troubles = (delivery.lost > 0, delivery.rejected.is_some());
        if troubles != (false, false) {
            let reader = Arc::clone(self);
            deferred::add(DeferredCall::Trouble(reader, troubles));
        }
    }

    /// A writer is asked whether anything is to come from it of what its publisher wrote up to this
    /// number.
    pub(crate) fn want_news(self: &Arc<Self>, now: Time, writer: Guid, number: i64) {
        let mut state = self.state.lock();
        state.want_news(now, writer, number);
        self.note_next(&state);
        drop(state);
        self.schedule();
    }

    /// Counts what was lost or rejected.
    #[cfg_attr(
        not(feature = "simulation"),
        allow(unused_variables, reason = "who lost it is asked by simulations alone")
    )]
    pub(crate) fn count(&self, writer: Guid, delivery: &Delivery) {
        if delivery.lost > 0 {
            self.lost.lock().count(delivery.lost);
            #[cfg(feature = "simulation")]
            self.count_lost_of(writer, delivery.lost);
            self.flags.raise(StatusKind::SampleLost);
        }
        if let Some(length) = delivery.too_large {
            let limit = self.shared.config.max_sample_size;
            let counters = &self.shared.counters;
            counters.too_large(self.guid, &self.topic, length, limit);
        }
        if let Some(rejection) = delivery.rejected {
            self.rejected.lock().count(rejection);
            self.flags.raise(StatusKind::SampleRejected);
        }
        if delivery.implausible {
            self.shared.counters.implausible(self.guid);
        }
    }

    /// As `announce_data`, by a thread that has something else to do; false if the listener should
    /// be called again.
    pub(crate) fn announce_data_briefly(self: &Arc<Self>) -> bool {
        self.announce(MOST_CALLS)
    }

    fn announce(self: &Arc<Self>, most: u32) -> bool {
        assert_none_held();
        let done = match self.group.attends() {
            false => {
                let done = self.call(most);
                // Mostly the listener has taken everything, and there is nothing to wait for.
                if !self.holds.load(Acquire) {
                    return done;
                }
                self.flags.raise_data();
                done
            }
            true => self.announce_to_group(most),
        };
        self.data.raise_all();
        done
    }

    /// Does the writer's type lie in memory as this reader's does?
    pub(crate) fn is_alike(&self, writer: &Guid) -> bool {
        self.alike.lock().iter().rev().any(|alike| alike == writer)
    }

    /// A copy of a loaned payload in one piece.
    pub(crate) fn contiguous(&self, loaned: &Loaned) -> Result<Bytes, Withdrawn> {
        let mut out = self.copies.lock().take(loaned.len());
        loaned.append_to(&mut out)?;
        Ok(out.freeze())
    }

    pub(crate) fn knows(&self, instance: InstanceHandle) -> bool {
        self.state.lock().lookup(instance)
    }

    pub(crate) fn key(&self, instance: InstanceHandle) -> Option<Bytes> {
        self.state.lock().key(instance)
    }

    /// Nothing is missing of what matched reliable writers have said that they have.
    pub(crate) fn is_complete(&self) -> bool {
        self.state.lock().is_complete()
    }

    /// As `is_complete`, of one writer; false if it is not matched.
    pub(crate) fn is_complete_of(&self, writer: Guid) -> bool {
        self.state.lock().is_complete_of(writer)
    }

    pub(crate) fn forget_lost_writer(&self, writer: Guid) {
        self.state.lock().forget_lost_writer(writer);
    }

    pub(crate) fn take_deleted_writers(&self) -> Vec<Guid> {
        self.state.lock().take_deleted_writers()
    }

    /// Counts a sample that is not of the reader's type as lost.
    pub(crate) fn note_undecodable(self: &Arc<Self>, writer: Guid, error: &dyn Display) {
        log::warn!(reader = %self.guid, topic = self.topic, %writer, %error, "a sample could not be decoded");
        let delivery = Delivery {
            lost: 1,
            ..Delivery::default()
        };
        self.note(writer, &delivery);
    }

    /// Name for messages to the user.
    pub(crate) fn describe(&self) -> String {
        format!(
            "{} of topic {:?} (type {:?}, {})",
            crate::error::called("reader", &self.live.lock().entity_name),
            self.topic,
            self.type_support.name(),
            self.guid
        )
    }
}

/// Has a reader take in a submessage of a writer, whose inline QoS is read already.
#[allow(
    clippy::too_many_arguments,
    reason = "what a submessage says and two sinks"
)]
#[inline]
fn take_in(
    state: &mut Reader,
    now: Time,
    from: Guid,
    timestamp: Option<Timestamp>,
    message: &Submessage<'_>,
    inline: &InlineQos,
    allocator: &mut impl PayloadAllocator,
    out: &mut Datagrams,
) -> Delivery {
    match message {
        Submessage::Data(data) => {
            state.handle_data(now, from, timestamp, data, inline, allocator, out)
        }
        Submessage::DataFrag(frag) => {
            state.handle_data_frag(now, from, timestamp, frag, inline, allocator, out)
        }
        Submessage::Heartbeat(heartbeat) => state.handle_heartbeat(now, from, heartbeat, out),
        Submessage::HeartbeatFrag(heartbeat) => {
            state.handle_heartbeat_frag(now, from, heartbeat, out)
        }
        Submessage::Gap(gap) => state.handle_gap(now, from, gap, out),
        _ => Delivery::default(),
    }
}

/// How the protocol's reader behaves.
fn config(
    guid: Guid,
    type_support: &TypeSupport,
    options: &UntypedReaderOptions,
    qos: &DataReaderQos,
    group: &SubscriberCore,
) -> ReaderConfig {
    let presentation = group.qos().presentation;
    let config = ReaderConfig {
        reliability: qos.reliability.kind,
        durability: qos.durability,
        history: qos.history,
        resource_limits: qos.resource_limits,
        keyed: type_support.is_keyed(),
        key_of: type_support.is_keyed().then(|| key_of(type_support)),
        ownership: qos.ownership,
        destination_order: qos.destination_order,
        across_instances: presentation.ordered_access
            && presentation.access_scope > AccessScope::Instance,
        coherent: presentation.coherent_access,
        grouped: group.group_access.gathers(),
        ordered: presentation.ordered_access,
        deadline: qos.deadline,
        time_based_filter: qos.time_based_filter,
        lifecycle: qos.reader_data_lifecycle,
        max_sample_size: group.shared.config.max_sample_size,
        max_reassembly_bytes: most_of_a_writer(&group.shared.config),
        budget: Some(group.shared.memory.budgets()),
        duplicates: options.duplicates,
        ..ReaderConfig::new(guid)
    };
    let config = match options.stream {
        false => config,
        true => ReaderConfig {
            stream: true,
            keyed: false,
            key_of: None,
            history: History::KeepAll,
            ownership: Ownership::Shared,
            destination_order: DestinationOrder::ByReceptionTimestamp,
            time_based_filter: Duration::ZERO,
            across_instances: true,
            arriving: options.arriving,
            ..config
        },
    };
    #[cfg(feature = "simulation")]
    let config = group.shared.tuning.lock().tune_reader(config);
    config
}

/// Half of the budget, so that a writer with many large samples under way completes the first of
/// them.
fn most_of_a_writer(config: &ParticipantConfig) -> usize {
    (config.max_reassembly_bytes / 2).max(config.max_sample_size as usize)
}

/// How the key of a sample is cut out.
fn key_of(type_support: &TypeSupport) -> KeyOf {
    let type_support = type_support.clone();
    KeyOf::new(move |payload| quietly(|| type_support.key(payload)).unwrap_or_default())
}
