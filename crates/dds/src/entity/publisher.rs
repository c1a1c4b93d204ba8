//! Publishers and typed writers.
mod deletion;
mod entity;
mod instances;

pub(crate) use deletion::end_all;

use crate::entity::condition::StatusCondition;
use crate::entity::group::PublisherCore;
use crate::entity::identity::same_entity;
use crate::entity::listener::PublisherListener;
use crate::entity::participant::ParticipantGuard;
use crate::entity::status::{
    BacklogStatus, DeadlineMissedStatus, IncompatibleQosStatus, LivelinessLostStatus,
    MatchedStatus, StatusMask,
};
use crate::error::{Error, Result};
use crate::runtime::clock;
use crate::runtime::signal::PooledSignal;
use crate::typed::loan::{Loan, LoanedBytes};
use crate::typed::topic::{Topic, TopicData, key_of, rewrite_key};
use crate::untyped::writer::{KEY_ROOM, KeyCodec, NewChange, WriterCore, WriterEvents};
use bytes::BytesMut;
use dunlin_cdr::{
    Apart, Extent, KeyForm, Plain, Xcdr, extent, key_hash, key_to_payload, key_to_payload_in,
    plain_to_payload, to_payload, to_payload_apart,
};
use dunlin_qos::{DataWriterQos, Duration, PublisherQos, WriterDataLifecycle};
use dunlin_rtps::{ChangeKind, InstanceHandle};
use dunlin_wire::{EntityKind, Guid, SequenceNumber, Timestamp};
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// What stands around the memory of a plain sample: headers and padding.
const PLAIN_ROOM: usize = 12;

/// A group of writers (DDS 1.4 2.2.2.4.1).
#[derive(Clone)]
pub struct Publisher {
    core: Arc<PublisherCore>,
    guard: Arc<ParticipantGuard>,
}

same_entity!(Publisher, core, |publisher| format!(
    "publisher {}",
    publisher.core.guid
));

impl Publisher {
    pub(crate) fn new(qos: PublisherQos, guard: Arc<ParticipantGuard>) -> Self {
        let core = Arc::new(PublisherCore::new(qos, &guard));
        guard.shared.add_publisher(&core);
        Self { core, guard }
    }

    /// Its QoS.
    pub fn qos(&self) -> PublisherQos {
        self.core.qos()
    }

    /// What this publisher's writers write from now on, until
    /// [`end_coherent_changes`](Self::end_coherent_changes), is a coherent set: readers whose
    /// PRESENTATION asks for coherent access see all of it at once, or nothing (DDS 1.4
    /// 2.2.2.4.1.10). Sets may be nested; the outermost counts. Without coherent access in this
    /// publisher's PRESENTATION it has no effect.
    pub fn begin_coherent_changes(&self) {
        self.core.sets().begin_set();
    }

    /// The set is complete (DDS 1.4 2.2.2.4.1.11).
    ///
    /// # Errors
    /// `PreconditionNotMet` if none was begun.
    pub fn end_coherent_changes(&self) -> Result<()> {
        self.core.sets().end_set()
    }

    /// A hint that much will be written in a row (DDS 1.4 2.2.2.4.1.8). Samples that are written
    /// faster than datagrams go share these anyway, so nothing is held back for it.
    pub fn suspend_publications(&self) {
        self.core.sets().suspend();
    }

    /// Takes the hint back (DDS 1.4 2.2.2.4.1.9).
    ///
    /// # Errors
    /// `PreconditionNotMet` without a call of `suspend_publications` before it.
    pub fn resume_publications(&self) -> Result<()> {
        self.core.sets().resume()
    }

    /// From now on this one hears of the statuses in `mask` that no listener of a writer wants,
    /// nobody before it any more.
    pub fn set_listener(&self, listener: impl PublisherListener, mask: StatusMask) {
        let old = self.core.listener.set(Arc::new(listener), mask);
        self.guard.shared.wait_for_calls(old);
    }

    /// From now on the participant's listener hears of what the writers' own do not want.
    pub fn clear_listener(&self) {
        let old = self.core.listener.clear();
        self.guard.shared.wait_for_calls(old);
    }

    /// A writer without a listener.
    ///
    /// # Errors
    /// `InconsistentPolicy` if the QoS contradicts itself, `PreconditionNotMet` if the topic is
    /// another participant's.
    pub fn create_datawriter<T: TopicData>(
        &self,
        topic: &Topic<T>,
        qos: DataWriterQos,
    ) -> Result<DataWriter<T>> {
        self.create(topic, qos, None::<()>)
    }

    /// A writer with a listener, which is called on Dunlin's threads for the statuses that
    /// [`DataWriterListener::statuses`] names.
    pub fn create_datawriter_with_listener<T: TopicData>(
        &self,
        topic: &Topic<T>,
        qos: DataWriterQos,
        listener: impl DataWriterListener<T>,
    ) -> Result<DataWriter<T>> {
        self.create(topic, qos, Some(listener))
    }

    fn create<T: TopicData>(
        &self,
        topic: &Topic<T>,
        qos: DataWriterQos,
        listener: Option<impl DataWriterListener<T>>,
    ) -> Result<DataWriter<T>> {
        let entity = format!("writer of topic {:?}", topic.name());
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
            EntityKind::WriterWithKey
        } else {
            EntityKind::WriterNoKey
        };
        let core = shared.discover(|matching, _| {
            let guid = Guid::new(shared.prefix, matching.new_entity(kind));
            let mut core = WriterCore::new(guid, &topic.core, T::HAS_KEY, qos, &self.core, shared);
            core.layout = T::PLAIN.map(|plain| plain.hash);
            core.description = T::describe();
            core.codec = T::HAS_KEY.then_some(KeyCodec {
                of_sample: key_of::<T>,
                write: rewrite_key::<T>,
            });
            Arc::new(core)
        });
        if let Some(listener) = listener {
            let writer = DataWriter::unguarded(Arc::clone(&core));
            let mask = listener.statuses();
            core.set_events(Some(Arc::new(Bound { writer, listener })), mask);
        }
        let guard = Arc::new(WriterGuard {
            core: Arc::clone(&core),
            _participant: Arc::clone(&self.guard),
        });
        self.core.add(&core);
        if self.core.enables() {
            core.enable()?;
        }
        Ok(DataWriter {
            guard: Some(guard),
            ..DataWriter::unguarded(core)
        })
    }
}

/// Deletes the writer when its last handle goes.
struct WriterGuard {
    core: Arc<WriterCore>,
    /// Ends after it.
    _participant: Arc<ParticipantGuard>,
}

impl Drop for WriterGuard {
    fn drop(&mut self) {
        deletion::end(&self.core);
    }
}

/// Writes samples of the type `T` (DDS 1.4 2.2.2.4.2). Clones are the same writer.
pub struct DataWriter<T> {
    core: Arc<WriterCore>,
    guard: Option<Arc<WriterGuard>>,
    marker: PhantomData<fn(T)>,
}

impl<T> Clone for DataWriter<T> {
    fn clone(&self) -> Self {
        Self {
            core: Arc::clone(&self.core),
            guard: self.guard.clone(),
            marker: PhantomData,
        }
    }
}

same_entity!(DataWriter<T>, core, |writer| writer.core.describe());

impl<T> DataWriter<T> {
    pub(crate) fn unguarded(core: Arc<WriterCore>) -> Self {
        Self {
            core,
            guard: None,
            marker: PhantomData,
        }
    }
}

impl<T: TopicData> DataWriter<T> {
    /// Which writer.
    pub fn guid(&self) -> Guid {
        self.core.guid
    }

    /// Name of its topic.
    pub fn topic_name(&self) -> &str {
        &self.core.topic
    }

    /// Its QoS.
    pub fn qos(&self) -> DataWriterQos {
        self.core.qos()
    }

    /// Writes a sample, stamped with the time of day. Serializes and sends in the calling thread.
    ///
    /// # Errors
    /// `Timeout` if a reliable KEEP_ALL history had no room within `RELIABILITY.max_blocking_time`,
    /// `OutOfResources`, `Serialization`.
    pub fn write(&self, sample: &T) -> Result<SequenceNumber> {
        self.change(ChangeKind::Alive, sample, None)
    }

    /// Writes a sample with a time stamp of the caller's.
    pub fn write_with_timestamp(&self, sample: &T, timestamp: Timestamp) -> Result<SequenceNumber> {
        self.change(ChangeKind::Alive, sample, Some(timestamp))
    }

    /// Memory for `length` octets that readers of this host see where they are: fill it, freeze it,
    /// and put it into a member of type [`bytes::Bytes`] of a sample to be written. It holds
    /// whatever was there before.
    pub fn loan_bytes(&self, length: usize) -> LoanedBytes {
        let octets = LoanedBytes::new(&*self.core.shared.transport, length);
        if octets.is_shared() {
            self.core.note_lent();
        }
        octets
    }

    /// Says that the instance of `sample` does not exist any more.
    pub fn dispose(&self, sample: &T) -> Result<SequenceNumber> {
        self.change(ChangeKind::Disposed, sample, None)
    }

    /// As `dispose` with a time stamp of the caller's.
    pub fn dispose_with_timestamp(
        &self,
        sample: &T,
        timestamp: Timestamp,
    ) -> Result<SequenceNumber> {
        self.change(ChangeKind::Disposed, sample, Some(timestamp))
    }

    /// As `unregister_instance` with a time stamp of the caller's.
    pub fn unregister_instance_with_timestamp(
        &self,
        sample: &T,
        timestamp: Timestamp,
    ) -> Result<SequenceNumber> {
        self.change(self.end(), sample, Some(timestamp))
    }

    /// Says that this writer will not write the instance of `sample` any more; disposes it too if
    /// WRITER_DATA_LIFECYCLE says so.
    pub fn unregister_instance(&self, sample: &T) -> Result<SequenceNumber> {
        self.change(self.end(), sample, None)
    }

    /// How unregistering ends an instance.
    fn end(&self) -> ChangeKind {
        ChangeKind::of_unregister(WriterDataLifecycle {
            autodispose_unregistered_instances: self.core.autodispose.load(Relaxed),
        })
    }

    /// Says that this writer lives, if its LIVELINESS is manual with a finite lease (DDS 1.4
    /// 2.2.2.4.2.22). Writing, disposing and unregistering say so too.
    pub fn assert_liveliness(&self) {
        self.core.assert_liveliness();
    }

    /// LIVELINESS_LOST; resets its change.
    pub fn liveliness_lost_status(&self) -> LivelinessLostStatus {
        self.core.liveliness_lost_status()
    }

    /// Sends samples that batching holds back.
    pub fn flush(&self) {
        self.core.flush();
    }

    /// Waits until every matched reliable reader has acknowledged all samples.
    ///
    /// # Errors
    /// `Timeout`, naming the reader that is behind; `AlreadyDeleted` or `ParticipantFailed` as soon
    /// as nobody answers any more.
    pub fn wait_for_acknowledgments(&self, timeout: impl Into<Duration>) -> Result<()> {
        self.core.check_enabled()?;
        self.core.wait_for_acknowledgments(timeout.into())
    }

    /// How much the reliable readers have not acknowledged yet, and which of them is behind: whom
    /// to look at when writes block.
    pub fn backlog_status(&self) -> BacklogStatus {
        self.core.backlog()
    }

    /// How many matched readers are sent everything, and filter by themselves, since it took more
    /// than 262,144 steps to judge a sample by the content filters of this writer's readers, and
    /// theirs took the most (`docs/content-filters.md`).
    pub fn given_up_filter_count(&self) -> usize {
        self.core.given_up_filters()
    }

    /// Waits until at least `readers` readers match.
    ///
    /// # Errors
    /// `Timeout`, saying what was discovered; `AlreadyDeleted` or `ParticipantFailed` as soon as
    /// nothing can match any more.
    pub fn wait_for_matched(&self, readers: usize, timeout: impl Into<Duration>) -> Result<()> {
        let timeout = timeout.into();
        let signal = PooledSignal::new();
        let deadline = (!timeout.is_infinite()).then(|| clock::now().after(timeout));
        self.core.flags.waiters.add(&signal);
        let enough = || self.core.matched_count() >= readers || self.core.is_gone();
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

    /// Why readers of the same or a similar topic do not match, a line each.
    pub fn explain_matching(&self) -> Vec<String> {
        self.core.shared.matching.lock().explain(self.core.guid)
    }

    /// PUBLICATION_MATCHED; resets its changes.
    pub fn publication_matched_status(&self) -> MatchedStatus {
        self.core.matched_status()
    }

    /// How many readers match now.
    pub fn matched_count(&self) -> usize {
        self.core.matched_count()
    }

    /// The readers that match now.
    pub fn matched_subscriptions(&self) -> Vec<Guid> {
        self.core.matched_endpoints()
    }

    /// OFFERED_INCOMPATIBLE_QOS; resets its change.
    pub fn offered_incompatible_qos_status(&self) -> IncompatibleQosStatus {
        self.core.incompatible_status()
    }

    /// OFFERED_DEADLINE_MISSED; resets its change.
    pub fn offered_deadline_missed_status(&self) -> DeadlineMissedStatus {
        self.core.deadline_missed_status()
    }

    /// Statuses that changed and were not read yet.
    pub fn status_changes(&self) -> StatusMask {
        self.core.flags.changes()
    }

    /// From now on this one hears of the statuses in `mask`, nobody before it any more.
    pub fn set_listener(&self, listener: impl DataWriterListener<T>, mask: StatusMask) {
        let writer = Self::unguarded(Arc::clone(&self.core));
        let bound = Arc::new(Bound { writer, listener });
        self.core.set_events(Some(bound), mask);
    }

    /// From now on the publisher's listener hears of this writer, or the participant's.
    pub fn clear_listener(&self) {
        self.core.set_events(None, StatusMask::NONE);
    }

    /// A condition on this writer's statuses.
    pub fn status_condition(&self) -> StatusCondition {
        StatusCondition::of_writer(&self.core)
    }

    fn xcdr(&self) -> Xcdr {
        self.core.xcdr()
    }

    fn instance(&self, sample: &T) -> Result<InstanceHandle> {
        if !T::HAS_KEY {
            return Ok(InstanceHandle::NIL);
        }
        key_hash(sample)
            .map(InstanceHandle)
            .map_err(|error| Error::serialization(self.core.describe(), sample, true, error))
    }

    fn change(
        &self,
        kind: ChangeKind,
        sample: &T,
        timestamp: Option<Timestamp>,
    ) -> Result<SequenceNumber> {
        let instance = self.instance(sample)?;
        let xcdr = self.xcdr();
        let alive = kind == ChangeKind::Alive;
        let (size, apart) = if alive {
            let Extent { size, longest } = extent(sample, xcdr);
            match self.core.may_gather(longest) {
                true => (size - longest, longest),
                false => (size, usize::MAX),
            }
        } else {
            (KEY_ROOM, usize::MAX)
        };
        let form = match alive {
            true => KeyForm::default(),
            false => self.core.dialects.key_form(),
        };
        let fill = &mut |out: &mut BytesMut| {
            if alive {
                self.serialize(sample, xcdr, apart, out)
            } else {
                key_to_payload_in(sample, xcdr, form, out).map(|()| None)
            }
        };
        let written = self.core.write(NewChange {
            kind,
            instance,
            timestamp,
            size,
            fill,
        });
        let written = written.map_err(|error| error.of_sample(sample, !alive))?;
        if kind.is_unregister() {
            self.core.registered.remove(instance);
        } else if T::HAS_KEY && self.core.remembers_instances() {
            self.core.remember(instance, || {
                let mut key = BytesMut::new();
                let serialized = key_to_payload(sample, Xcdr::V2, &mut key);
                serialized.is_ok().then(|| key.freeze())
            });
        }
        Ok(written)
    }

    /// Serializes all but a member of `apart` bytes, if that one is to be gathered.
    fn serialize(
        &self,
        sample: &T,
        xcdr: Xcdr,
        apart: usize,
        out: &mut BytesMut,
    ) -> std::result::Result<Option<Apart>, dunlin_cdr::Error> {
        let begin = out.len();
        match to_payload_apart(sample, xcdr, apart, out)? {
            Some(apart) if !self.core.gathers(&apart.bytes) => {
                out.truncate(begin);
                to_payload(sample, xcdr, out).map(|()| None)
            }
            apart => Ok(apart),
        }
    }
}

impl<T: TopicData + Plain> DataWriter<T> {
    /// A sample of zeros to be filled and written: readers of this host see it where it is, without
    /// any copy.
    ///
    /// # Errors
    /// `OutOfResources` if there is no memory.
    pub fn loan(&self) -> Result<Loan<T>> {
        Ok(self.loan_unset()?.cleared())
    }

    /// As [`loan`](Self::loan) in the same time for any size: the sample holds whatever was there
    /// before, such as an older one.
    ///
    /// # Errors
    /// As [`loan`](Self::loan).
    pub fn loan_unset(&self) -> Result<Loan<T>> {
        Loan::new(&*self.core.shared.transport, || self.core.describe())
    }

    /// Writes a sample that was built in loaned memory, stamped with the time of day.
    ///
    /// # Errors
    /// As [`write`](Self::write); the sample is gone then.
    pub fn write_loan(&self, sample: Loan<T>) -> Result<SequenceNumber> {
        self.change_loan(sample, None)
    }

    /// Writes a sample that was built in loaned memory with a time stamp of the caller's.
    ///
    /// # Errors
    /// As [`write`](Self::write); the sample is gone then.
    pub fn write_loan_with_timestamp(
        &self,
        sample: Loan<T>,
        timestamp: Timestamp,
    ) -> Result<SequenceNumber> {
        self.change_loan(sample, Some(timestamp))
    }

    fn change_loan(&self, sample: Loan<T>, timestamp: Option<Timestamp>) -> Result<SequenceNumber> {
        let xcdr = self.xcdr();
        if !sample.is_kept() || !T::PLAIN.is_some_and(|plain| plain.is_encoding(xcdr)) {
            return self.change(ChangeKind::Alive, &sample, timestamp);
        }
        let instance = self.instance(&sample)?;
        let memory = sample.freeze();
        let apart = self.core.gathers(&memory);
        let size = if apart { 0 } else { memory.len() } + PLAIN_ROOM;
        let written = self.core.write(NewChange {
            kind: ChangeKind::Alive,
            instance,
            timestamp,
            size,
            fill: &mut |out| plain_to_payload::<T>(&memory, xcdr, apart, out),
        })?;
        if T::HAS_KEY && self.core.remembers_instances() {
            self.core.remember(instance, || {
                let mut key = BytesMut::new();
                let serialized = T::PLAIN?.key_to_payload(&memory, Xcdr::V2, &mut key);
                serialized.is_ok().then(|| key.freeze())
            });
        }
        Ok(written)
    }
}

/// Hears of a writer's statuses (DDS 1.4 2.2.2.4.4), on Dunlin's threads; each method does nothing
/// by default.
#[allow(unused_variables, reason = "the names document the arguments")]
pub trait DataWriterListener<T: TopicData>: Send + Sync + 'static {
    /// Which statuses it wants to hear of if it is given to a writer at its creation; all of them,
    /// unless it says otherwise.
    fn statuses(&self) -> StatusMask {
        StatusMask::ALL
    }
    /// A reader came or went.
    fn on_publication_matched(&self, writer: &DataWriter<T>, status: &MatchedStatus) {}
    /// A reader asks for more than this writer offers.
    fn on_offered_incompatible_qos(&self, writer: &DataWriter<T>, status: &IncompatibleQosStatus) {}
    /// An instance was not written within the writer's DEADLINE.
    fn on_offered_deadline_missed(&self, writer: &DataWriter<T>, status: &DeadlineMissedStatus) {}
    /// The writer was not asserted within its lease: to its readers it is not alive now.
    fn on_liveliness_lost(&self, writer: &DataWriter<T>, status: &LivelinessLostStatus) {}
}

impl<T: TopicData> DataWriterListener<T> for () {}

struct Bound<T, L> {
    writer: DataWriter<T>,
    listener: L,
}

impl<T: TopicData, L: DataWriterListener<T>> WriterEvents for Bound<T, L> {
    fn matched(&self, status: &MatchedStatus) {
        self.listener.on_publication_matched(&self.writer, status);
    }

    fn incompatible(&self, status: &IncompatibleQosStatus) {
        self.listener
            .on_offered_incompatible_qos(&self.writer, status);
    }

    fn deadline_missed(&self, status: &DeadlineMissedStatus) {
        self.listener
            .on_offered_deadline_missed(&self.writer, status);
    }

    fn liveliness_lost(&self, status: &LivelinessLostStatus) {
        self.listener.on_liveliness_lost(&self.writer, status);
    }
}
