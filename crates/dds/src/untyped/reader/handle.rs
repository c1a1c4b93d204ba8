//! The public handle of a reader: all that does not depend on what its samples look like.
use super::guard::ReaderGuard;
use super::{ReaderCore, deletion};
use crate::discovery::builtin_topics::PublicationBuiltinTopicData;
use crate::entity::identity::same_entity;
use crate::entity::participant::ParticipantGuard;
use crate::error::{Error, Result};
use crate::runtime::signal::PooledSignal;
use crate::status::{
    DeadlineMissedStatus, IncompatibleQosStatus, LivelinessChangedStatus, MatchedStatus,
    SampleCountStatus, SampleRejectedStatus, StatusMask,
};
use crate::untyped::condition::{ReadCondition, StatusCondition};
use crate::untyped::content_filter;
use crate::untyped::query_condition::QueryCondition;
use crate::untyped::subscriber::Subscriber;
use crate::untyped::topic::UntypedTopic;
use bytes::Bytes;
use dunlin_qos::{DataReaderQos, Duration};
use dunlin_rtps::{InstanceHandle, Select, Time};
use dunlin_wire::Guid;
use std::sync::{Arc, Weak};

/// Between two looks at whether a reader is complete.
const GLANCE: Duration = Duration::from_millis(5);

/// A reader of serialized samples, whose type is known at run time (DDS 1.4 2.2.2.5.3). Clones are
/// the same reader, which is deleted when the last of them is dropped, or by
/// [`close`](Self::close).
///
/// A [`DataReader`](crate::DataReader) is one too, that deserializes by itself.
pub struct UntypedReader {
    pub(super) core: Arc<ReaderCore>,
    /// `None`: the handle does not keep the reader.
    guard: Option<Arc<ReaderGuard>>,
}

/// A clone of a handle that a listener was given keeps the reader as well.
impl Clone for UntypedReader {
    fn clone(&self) -> Self {
        let owner = || self.core.owner.get().and_then(Weak::upgrade);
        Self {
            core: Arc::clone(&self.core),
            guard: self.guard.clone().or_else(owner),
        }
    }
}

same_entity!(UntypedReader, core, |reader| reader.core.describe());

impl UntypedReader {
    /// The first handle of a new reader.
    pub(crate) fn owning(core: Arc<ReaderCore>, participant: &Arc<ParticipantGuard>) -> Self {
        let guard = Arc::new(ReaderGuard::new(&core, participant));
        let _ = core.owner.set(Arc::downgrade(&guard));
        Self {
            core,
            guard: Some(guard),
        }
    }

    /// A handle that keeps the reader, unless it is being deleted.
    pub(crate) fn of(core: &Arc<ReaderCore>) -> Self {
        Self::borrowed(core).clone()
    }

    /// A handle that does not keep the reader: for what the reader itself owns.
    pub(crate) fn borrowed(core: &Arc<ReaderCore>) -> Self {
        Self {
            core: Arc::clone(core),
            guard: None,
        }
    }

    /// A handle that does not keep the reader, so that a listener may have one of the reader that
    /// it listens to.
    pub fn unowned(&self) -> Self {
        Self::borrowed(&self.core)
    }

    pub(crate) fn core(&self) -> &Arc<ReaderCore> {
        &self.core
    }

    /// Name of its type.
    pub fn type_name(&self) -> &str {
        self.core.type_support.name()
    }

    /// Name for messages to the user.
    pub fn describe(&self) -> String {
        self.core.describe()
    }

    /// Deletes the reader now, whoever still has handles of it: these have no samples any more. A
    /// second call does nothing.
    pub fn close(&self) {
        deletion::end(&self.core);
    }

    /// Does this reader know the instance (DDS 1.4 2.2.2.5.3.28)?
    pub fn knows(&self, instance: InstanceHandle) -> bool {
        self.core.knows(instance)
    }

    /// The serialized key of the instance (DDS 1.4 2.2.2.5.3.27); `None` if this reader does not
    /// know it.
    pub fn key_value(&self, instance: InstanceHandle) -> Option<Bytes> {
        self.core.key(instance)
    }

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
        let clock = &self.core.shared.clock;
        let deadline = (!timeout.is_infinite()).then(|| clock.now().after(timeout));
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
        let matched = self.core.matched_count();
        let known = self.explain_matching().join("; ");
        let why = format!("{matched} of {writers} writers match: {known}");
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
            false => self.core.shared.clock.now().after(timeout),
        };
        let (core, shared) = (&self.core, &self.core.shared);
        let complete = || core.is_complete() || core.is_gone();
        core.data.add(&signal);
        let mut done = complete();
        // What completes a reader may bring no data, so it is looked at from time to time, too.
        while !done && shared.clock.now() < deadline {
            let soon = shared.clock.now().after(GLANCE).min(deadline);
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

    /// Is everything here that a matched writer had for this reader when it joined, and whatever it
    /// has written since? Of a best-effort writer nothing more comes than what it writes from now
    /// on. False for a writer that is not matched.
    pub fn has_history_of(&self, writer: Guid) -> bool {
        self.core.is_complete_of(writer)
    }

    /// Is a writer matched, and has it shown within its lease that it lives (DDS 1.4 2.2.3.11)?
    pub fn has_live_writer(&self, writer: Guid) -> bool {
        self.core.has_live_writer(writer)
    }

    /// Should a writer that was lost be matched again, its history comes once more: for those who
    /// keep nothing of what came of it before. Otherwise only what is new does.
    pub fn forget_lost_writer(&self, writer: Guid) {
        self.core.forget_lost_writer(writer);
    }

    /// In stream mode: the writers that were deleted since this was asked last, and by that dispose
    /// the instances that they leave (DDS 1.4 2.2.3.21). A reader that knows of instances shows
    /// these as disposed; in stream mode whoever takes the changes concludes it. What they wrote
    /// can still be there to be taken. Of 4,096 or more that nobody asks for, the last are told.
    pub fn take_deleted_writers(&self) -> Vec<Guid> {
        self.core.take_deleted_writers()
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

    /// Asks writers for a part of the topic only, by an expression with its parameters, or for all
    /// of it with `None`. The reader judges nothing itself, so its type need not be known; a writer
    /// that cannot judge sends everything. It may be changed at any time. For routers, which pass
    /// on what their own readers want; other readers are made for a content filtered topic.
    ///
    /// # Errors
    /// `BadParameter` for what is too long; that the expression suits the type only writers see.
    pub fn announce_filter(&self, part: Option<(&str, &[impl AsRef<str>])>) -> Result<()> {
        content_filter::announce(&self.core, part)
    }

    /// Statuses that changed and were not read yet.
    pub fn status_changes(&self) -> StatusMask {
        self.core.flags.changes()
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

    /// Takes over another QoS: any before it is enabled, then one that differs in policies only
    /// that may change. What it is matched with follows from it at once, and others are told.
    ///
    /// # Errors
    /// `ImmutablePolicy` with the policy and both values, `InconsistentPolicy`, `BadParameter` for
    /// data that is too long to announce; then nothing has changed.
    pub fn set_qos(&self, qos: DataReaderQos) -> Result<()> {
        self.core.set_qos(qos)
    }

    /// Announces a reader that was created without being enabled. One that is enabled already stays
    /// so. Before, it has no samples.
    ///
    /// # Errors
    /// `PreconditionNotMet` if its subscriber is not enabled; `BadParameter` for what is too long
    /// to announce.
    pub fn enable(&self) -> Result<()> {
        self.core.enable()
    }

    /// Names it among the entities of the domain: its GUID.
    pub fn instance_handle(&self) -> InstanceHandle {
        InstanceHandle(self.core.guid.to_bytes())
    }

    /// Its topic.
    pub fn topic(&self) -> UntypedTopic {
        UntypedTopic::of(&self.core.topic_core)
    }

    /// Its subscriber; `None` if the participant is coming to its end.
    pub fn subscriber(&self) -> Option<Subscriber> {
        let guard = self.core.group.participant()?;
        Some(Subscriber::of(Arc::clone(&self.core.group), guard))
    }

    /// What a matched writer says of itself (DDS 1.4 2.2.2.5.3.34); `None` if it does not match.
    pub fn matched_publication_data(&self, writer: Guid) -> Option<PublicationBuiltinTopicData> {
        let core = self.core();
        let matched = core.matched_endpoints().contains(&writer);
        let matching = core.shared.matching.lock();
        let data = matching.knowledge().writer(writer).filter(|_| matched);
        data.as_deref().map(PublicationBuiltinTopicData::of)
    }
}

impl ReadCondition {
    /// Of which reader (DDS 1.4 2.2.2.5.8.1).
    pub fn datareader(&self) -> UntypedReader {
        UntypedReader::of(self.reader())
    }
}
