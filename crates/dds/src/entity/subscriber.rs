//! Subscribers and typed readers.
mod deletion;
mod entity;
mod instances;
mod order;
mod taking;

pub(crate) use deletion::end_all;

use crate::entity::any::AnyDataReader;
use crate::entity::condition::{ReadCondition, StatusCondition};
use crate::entity::group::SubscriberCore;
use crate::entity::identity::same_entity;
use crate::entity::listener::SubscriberListener;
use crate::entity::participant::ParticipantGuard;
use crate::entity::status::{
    DeadlineMissedStatus, IncompatibleQosStatus, LivelinessChangedStatus, MatchedStatus,
    SampleCountStatus, SampleRejectedStatus, StatusKind, StatusMask,
};
use crate::error::{Error, Result};
use crate::runtime::clock;
use crate::runtime::signal::PooledSignal;
use crate::typed::query_condition::QueryCondition;
use crate::typed::topic::TopicData;
use crate::untyped::content_filter::TopicDescription;
use crate::untyped::reader::{ReaderCore, ReaderEvents};
use dunlin_qos::{DataReaderQos, Duration, SubscriberQos};
use dunlin_rtps::{InstanceHandle, SampleInfo, Select, Time};
use dunlin_wire::{EntityKind, Guid};
use std::marker::PhantomData;
use std::sync::Arc;

/// Between two looks at whether a reader is complete.
const GLANCE: Duration = Duration::from_millis(5);
/// A group of readers (DDS 1.4 2.2.2.5.2).
#[derive(Clone)]
pub struct Subscriber {
    core: Arc<SubscriberCore>,
    guard: Arc<ParticipantGuard>,
}

same_entity!(Subscriber, core, |subscriber| format!(
    "subscriber {}",
    subscriber.core.guid
));

impl Subscriber {
    pub(crate) fn new(qos: SubscriberQos, guard: Arc<ParticipantGuard>) -> Self {
        let core = Arc::new(SubscriberCore::new(qos, &guard));
        guard.shared.add_subscriber(&core);
        drop(core.bind());
        Self { core, guard }
    }

    pub(crate) fn of(core: Arc<SubscriberCore>, guard: Arc<ParticipantGuard>) -> Self {
        Self { core, guard }
    }

    /// Its QoS.
    pub fn qos(&self) -> SubscriberQos {
        self.core.qos()
    }

    /// From now on this one hears of the statuses in `mask` that no listener of a reader wants,
    /// nobody before it any more. With DATA_ON_READERS in its mask it is told of data instead of
    /// the readers' listeners.
    pub fn set_listener(&self, listener: impl SubscriberListener, mask: StatusMask) {
        let old = self.core.listener.set(Arc::new(listener), mask);
        self.bind();
        self.guard.shared.wait_for_calls(old);
    }

    /// From now on the participant's listener hears of what the readers' own do not want.
    pub fn clear_listener(&self) {
        let old = self.core.listener.clear();
        self.bind();
        self.guard.shared.wait_for_calls(old);
    }

    fn bind(&self) {
        // It may have no reader yet.
        drop(self.core.bind());
        self.guard.shared.bind_readers();
    }

    /// The readers of this subscriber that hold samples which `select` names (DDS 1.4
    /// 2.2.2.5.2.10); all readers of which the application has a handle are asked.
    ///
    /// With ordered access over GROUP in this subscriber's PRESENTATION each reader is named once
    /// for each such sample, in the order in which they were written: take (or read, if `select` is
    /// about samples that were not read) exactly one from each with the same `select`, between
    /// [`begin_access`](Self::begin_access) and [`end_access`](Self::end_access), so that nothing
    /// changes meanwhile.
    pub fn datareaders(&self, select: &Select) -> Vec<AnyDataReader> {
        let readers = self.core.readers();
        if self.core.group_access.orders() {
            return order::one_by_one(&readers, select);
        }
        let having = readers.iter().filter(|reader| reader.has_data(select));
        having.map(AnyDataReader::new).collect()
    }

    /// Begins to look at several readers (DDS 1.4 2.2.2.5.2.8). With coherent or ordered access
    /// over GROUP in this subscriber's PRESENTATION nothing becomes visible until
    /// [`end_access`](Self::end_access), so what the readers show together is whole; otherwise it
    /// has no effect. Calls may be nested.
    pub fn begin_access(&self) {
        self.core.group_access.begin_access();
    }

    /// Ends it (DDS 1.4 2.2.2.5.2.9).
    ///
    /// # Errors
    /// `PreconditionNotMet` without a call of `begin_access` before it.
    pub fn end_access(&self) -> Result<()> {
        self.core.group_access.end_access()
    }

    /// Has those listeners called that are told of DATA_AVAILABLE, for each reader whose data
    /// nobody has looked at yet (DDS 1.4 2.2.2.5.2.11).
    pub fn notify_datareaders(&self) {
        for reader in self.core.readers() {
            reader.notify();
        }
    }

    /// Statuses that changed and were not read yet: DATA_ON_READERS, from the first call of this or
    /// of `status_condition` on.
    pub fn status_changes(&self) -> StatusMask {
        self.core.attend();
        self.core.flags.changes()
    }

    /// A condition on DATA_ON_READERS: data has come for one of the readers and nobody has read or
    /// taken anything from any of them since.
    pub fn status_condition(&self) -> StatusCondition {
        self.core.attend();
        StatusCondition::of_subscriber(&self.core)
    }

    /// A reader of a topic, or of the part of it that passes a content filter, without a listener.
    ///
    /// # Errors
    /// `InconsistentPolicy` if the QoS contradicts itself, `PreconditionNotMet` if the topic is
    /// another participant's, `Io` if a multicast group cannot be joined.
    pub fn create_datareader<T: TopicData>(
        &self,
        topic: &impl TopicDescription<T>,
        qos: DataReaderQos,
    ) -> Result<DataReader<T>> {
        self.create(topic, qos, None::<()>)
    }

    /// A reader with a listener for the statuses that [`DataReaderListener::statuses`] names. It is
    /// called on the thread that received, which may be one of the application's that waits in a
    /// wait set; calls for one reader do not overlap. A closure listens for data.
    pub fn create_datareader_with_listener<T: TopicData>(
        &self,
        topic: &impl TopicDescription<T>,
        qos: DataReaderQos,
        listener: impl DataReaderListener<T>,
    ) -> Result<DataReader<T>> {
        self.create(topic, qos, Some(listener))
    }

    fn create<T: TopicData>(
        &self,
        description: &impl TopicDescription<T>,
        qos: DataReaderQos,
        listener: Option<impl DataReaderListener<T>>,
    ) -> Result<DataReader<T>> {
        let topic = description.related_topic();
        let entity = format!("reader of topic {:?}", topic.name());
        if !Arc::ptr_eq(&self.guard, &topic.guard) {
            return Err(Error::PreconditionNotMet(format!(
                "{entity}: the topic belongs to another participant; make one of that name in this participant (create_topic)"
            )));
        }
        self.core.check_living()?;
        topic.core.check_living()?;
        qos.validate()
            .map_err(|error| Error::InconsistentPolicy { entity, error })?;
        let shared = &self.guard.shared;
        let kind = if T::HAS_KEY {
            EntityKind::ReaderWithKey
        } else {
            EntityKind::ReaderNoKey
        };
        let type_support = topic.type_support.clone();
        let core = shared.discover(|matching, _| {
            let guid = Guid::new(shared.prefix, matching.new_entity(kind));
            Arc::new(ReaderCore::new(
                guid,
                &topic.core,
                type_support,
                qos,
                &self.core,
            ))
        });
        if let Some(part) = description.content_filter() {
            part.adopt(&core);
        }
        self.core.group_access.enter(&core);
        self.guard.join(&core.multicast)?;
        if let Some(listener) = listener {
            let reader = DataReader::unguarded(Arc::clone(&core));
            let mask = listener.statuses();
            core.set_first_events(Arc::new(Bound { reader, listener }), mask);
        }
        let guard = Arc::new(ReaderGuard {
            core: Arc::clone(&core),
            _participant: Arc::clone(&self.guard),
        });
        self.core.add(&core);
        if self.core.enables() {
            core.enable()?;
        }
        Ok(DataReader {
            guard: Some(guard),
            ..DataReader::unguarded(core)
        })
    }
}

/// Deletes the reader when its last handle goes.
struct ReaderGuard {
    core: Arc<ReaderCore>,
    /// Ends after it.
    _participant: Arc<ParticipantGuard>,
}

impl Drop for ReaderGuard {
    fn drop(&mut self) {
        deletion::end(&self.core);
    }
}

/// A sample as the application gets it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample<T> {
    /// States, time and origin (DDS 1.4 2.2.2.5.5).
    pub info: SampleInfo,
    value: Option<T>,
}

impl<T> Sample<T> {
    pub(crate) fn new(info: SampleInfo, value: Option<T>) -> Self {
        Self { info, value }
    }

    /// The data; `None` if the sample only tells of a change of its instance's state.
    pub fn data(&self) -> Option<&T> {
        self.value.as_ref().filter(|_| self.info.valid_data)
    }

    /// The data by value.
    pub fn into_data(self) -> Option<T> {
        self.value.filter(|_| self.info.valid_data)
    }

    /// The data, or else a value of which only the key members are set: those that the reader has
    /// seen with an earlier sample of the instance, or that the writer sent along. `None` for an
    /// instance of which neither is known.
    pub fn key(&self) -> Option<&T> {
        self.value.as_ref()
    }
}

/// Reads samples of the type `T` (DDS 1.4 2.2.2.5.3). Clones are the same reader.
pub struct DataReader<T> {
    core: Arc<ReaderCore>,
    guard: Option<Arc<ReaderGuard>>,
    marker: PhantomData<fn() -> T>,
}

impl<T> Clone for DataReader<T> {
    fn clone(&self) -> Self {
        Self {
            core: Arc::clone(&self.core),
            guard: self.guard.clone(),
            marker: PhantomData,
        }
    }
}

same_entity!(DataReader<T>, core, |reader| reader.core.describe());

impl<T> DataReader<T> {
    pub(crate) fn unguarded(core: Arc<ReaderCore>) -> Self {
        Self {
            core,
            guard: None,
            marker: PhantomData,
        }
    }
}

impl<T: TopicData> DataReader<T> {
    /// Which reader.
    pub fn guid(&self) -> Guid {
        self.core.guid
    }

    /// Name of its topic.
    pub fn topic_name(&self) -> &str {
        &self.core.topic
    }

    /// Its QoS.
    pub fn qos(&self) -> DataReaderQos {
        self.core.qos()
    }

    /// Waits until at least `writers` writers match.
    ///
    /// # Errors
    /// `Timeout`, saying what was discovered; `AlreadyDeleted` or `ParticipantFailed` as soon as
    /// nothing can match any more.
    pub fn wait_for_matched(&self, writers: usize, timeout: impl Into<Duration>) -> Result<()> {
        let timeout = timeout.into();
        let signal = PooledSignal::new();
        let deadline = (!timeout.is_infinite()).then(|| clock::now().after(timeout));
        self.core.flags.waiters.add(&signal);
        let enough = || self.core.matched_count() >= writers || self.core.is_gone();
        let done = self
            .core
            .shared
            .user
            .wait(&self.core.shared, &signal, deadline, enough);
        self.core.flags.waiters.remove(&signal);
        self.core.check_present()?;
        if done {
            self.core.shared.settled();
            return Ok(());
        }
        let why = self.explain_matching().join("; ");
        Err(Error::Timeout {
            entity: self.core.describe(),
            waited: timeout,
            why,
        })
    }

    /// Waits until everything is here that the matched reliable writers had for this reader when it
    /// joined, and whatever they have written since (DDS 1.4 2.2.2.5.3.24). Without such writers
    /// there is nothing to wait for: `wait_for_matched` comes first.
    ///
    /// # Errors
    /// `Timeout`: a writer has not said yet what it has, samples are still missing, or this
    /// reader's RESOURCE_LIMITS keep them out; `AlreadyDeleted` or `ParticipantFailed` as soon as
    /// nothing comes any more.
    pub fn wait_for_historical_data(&self, timeout: impl Into<Duration>) -> Result<()> {
        let timeout = timeout.into();
        self.core.check_enabled()?;
        let signal = PooledSignal::new();
        let deadline = match timeout.is_infinite() {
            true => Time::NEVER,
            false => clock::now().after(timeout),
        };
        let (core, shared) = (&self.core, &self.core.shared);
        let complete = || core.is_complete() || core.is_gone();
        core.data.add(&signal);
        let mut done = complete();
        // What completes a reader may bring no data, so it is looked at from time to time, too.
        while !done && clock::now() < deadline {
            let soon = clock::now().after(GLANCE).min(deadline);
            done = shared.user.wait(shared, &signal, Some(soon), complete);
        }
        core.data.remove(&signal);
        core.check_present()?;
        if done {
            return Ok(());
        }
        Err(Error::Timeout {
            entity: core.describe(),
            waited: timeout,
            why: "some of the matched writers' samples are still missing; if RESOURCE_LIMITS keep them out, take what is here".into(),
        })
    }

    /// The handle of the instance that has the key of `sample`, if this reader knows it (DDS 1.4
    /// 2.2.2.5.3.28).
    pub fn lookup_instance(&self, sample: &T) -> Option<InstanceHandle> {
        let instance = match T::HAS_KEY {
            true => InstanceHandle(dunlin_cdr::key_hash(sample).ok()?),
            false => InstanceHandle::NIL,
        };
        self.core.knows(instance).then_some(instance)
    }

    /// A value of which the key members are those of the instance (DDS 1.4 2.2.2.5.3.27); `None` if
    /// this reader does not know it.
    pub fn key_value(&self, instance: InstanceHandle) -> Option<T> {
        let key = self.core.key(instance)?;
        dunlin_cdr::key_from_payload(&key).ok()
    }

    /// Why writers of the same or a similar topic do not match, a line each.
    pub fn explain_matching(&self) -> Vec<String> {
        self.core.shared.matching.lock().explain(self.core.guid)
    }

    /// SUBSCRIPTION_MATCHED; resets its changes.
    pub fn subscription_matched_status(&self) -> MatchedStatus {
        self.core.matched_status()
    }

    /// How many writers match now.
    pub fn matched_count(&self) -> usize {
        self.core.matched_count()
    }

    /// The writers that match now.
    pub fn matched_publications(&self) -> Vec<Guid> {
        self.core.matched_endpoints()
    }

    /// REQUESTED_INCOMPATIBLE_QOS; resets its change.
    pub fn requested_incompatible_qos_status(&self) -> IncompatibleQosStatus {
        self.core.incompatible_status()
    }

    /// LIVELINESS_CHANGED; resets its changes.
    pub fn liveliness_changed_status(&self) -> LivelinessChangedStatus {
        self.core.liveliness_status()
    }

    /// REQUESTED_DEADLINE_MISSED; resets its change.
    pub fn requested_deadline_missed_status(&self) -> DeadlineMissedStatus {
        self.core.deadline_missed_status()
    }

    /// SAMPLE_LOST; resets its change.
    pub fn sample_lost_status(&self) -> SampleCountStatus {
        self.core.lost_status()
    }

    /// SAMPLE_REJECTED; resets its change.
    pub fn sample_rejected_status(&self) -> SampleRejectedStatus {
        self.core.rejected_status()
    }

    /// How many samples have come that did not pass the reader's content filter; those that writers
    /// do not even send are not counted.
    pub fn filtered_sample_count(&self) -> u64 {
        self.core.filtered()
    }

    /// Statuses that changed and were not read yet.
    pub fn status_changes(&self) -> StatusMask {
        self.core.flags.changes()
    }

    /// From now on this one hears of the statuses in `mask`, nobody before it any more.
    pub fn set_listener(&self, listener: impl DataReaderListener<T>, mask: StatusMask) {
        let reader = Self::unguarded(Arc::clone(&self.core));
        let bound = Arc::new(Bound { reader, listener });
        self.core.set_events(bound, mask);
    }

    /// From now on the subscriber's listener hears of this reader, or the participant's.
    pub fn clear_listener(&self) {
        self.core.clear_events();
    }

    /// A condition on this reader's statuses.
    pub fn status_condition(&self) -> StatusCondition {
        StatusCondition::of_reader(&self.core)
    }

    /// A condition on samples with the states of `select`.
    pub fn read_condition(&self, select: Select) -> ReadCondition {
        ReadCondition::new(&self.core, select)
    }

    /// A condition on samples with the states of `select` whose content an expression describes, in
    /// the language of content filters (DDS 1.4 2.2.2.5.3.6; `docs/content-filters.md`). What only
    /// tells of the end of an instance has no content, and is never among them.
    ///
    /// # Errors
    /// `BadParameter`, showing what is wrong with the expression or with its parameters, and where.
    pub fn query_condition(
        &self,
        select: Select,
        expression: &str,
        parameters: &[impl AsRef<str>],
    ) -> Result<QueryCondition> {
        QueryCondition::new(&self.core, select, expression, parameters)
    }
}

/// Hears of a reader's data and statuses (DDS 1.4 2.2.2.5.7); each method does nothing by default.
#[allow(unused_variables, reason = "the names document the arguments")]
pub trait DataReaderListener<T: TopicData>: Send + Sync + 'static {
    /// Which statuses it wants to hear of if it is given to a reader at its creation; all of them,
    /// unless it says otherwise. What it leaves out is told to the subscriber's listener, or the
    /// participant's.
    fn statuses(&self) -> StatusMask {
        StatusMask::ALL
    }
    /// There is data to take.
    fn on_data_available(&self, reader: &DataReader<T>) {}
    /// A writer came or went.
    fn on_subscription_matched(&self, reader: &DataReader<T>, status: &MatchedStatus) {}
    /// A writer offers less than this reader asks for.
    fn on_requested_incompatible_qos(
        &self,
        reader: &DataReader<T>,
        status: &IncompatibleQosStatus,
    ) {
    }
    /// A matched writer became alive or not alive.
    fn on_liveliness_changed(&self, reader: &DataReader<T>, status: &LivelinessChangedStatus) {}
    /// No sample of an instance came within the reader's DEADLINE.
    fn on_requested_deadline_missed(&self, reader: &DataReader<T>, status: &DeadlineMissedStatus) {}
    /// Samples were lost.
    fn on_sample_lost(&self, reader: &DataReader<T>, status: &SampleCountStatus) {}
    /// A sample was refused for a resource limit.
    fn on_sample_rejected(&self, reader: &DataReader<T>, status: &SampleRejectedStatus) {}
}

impl<T: TopicData, F: Fn(&DataReader<T>) + Send + Sync + 'static> DataReaderListener<T> for F {
    fn statuses(&self) -> StatusMask {
        StatusKind::DataAvailable.into()
    }

    fn on_data_available(&self, reader: &DataReader<T>) {
        self(reader);
    }
}

impl<T: TopicData> DataReaderListener<T> for () {}

struct Bound<T, L> {
    reader: DataReader<T>,
    listener: L,
}

impl<T: TopicData, L: DataReaderListener<T>> ReaderEvents for Bound<T, L> {
    fn data_available(&self) {
        self.listener.on_data_available(&self.reader);
    }

    fn matched(&self, status: &MatchedStatus) {
        self.listener.on_subscription_matched(&self.reader, status);
    }

    fn incompatible(&self, status: &IncompatibleQosStatus) {
        self.listener
            .on_requested_incompatible_qos(&self.reader, status);
    }

    fn liveliness(&self, status: &LivelinessChangedStatus) {
        self.listener.on_liveliness_changed(&self.reader, status);
    }

    fn deadline_missed(&self, status: &DeadlineMissedStatus) {
        self.listener
            .on_requested_deadline_missed(&self.reader, status);
    }

    fn lost(&self, status: &SampleCountStatus) {
        self.listener.on_sample_lost(&self.reader, status);
    }

    fn rejected(&self, status: &SampleRejectedStatus) {
        self.listener.on_sample_rejected(&self.reader, status);
    }
}
