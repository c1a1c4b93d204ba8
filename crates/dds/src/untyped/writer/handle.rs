//! The public handle of a writer: all that does not depend on what its samples look like.
use super::guard::WriterGuard;
use super::{WriterCore, deletion};
use crate::discovery::builtin_topics::SubscriptionBuiltinTopicData;
use crate::entity::identity::same_entity;
use crate::entity::participant::ParticipantGuard;
use crate::error::{Error, Result};
use crate::runtime::signal::PooledSignal;
use crate::status::{
    BacklogStatus, DeadlineMissedStatus, IncompatibleQosStatus, LivelinessLostStatus,
    MatchedStatus, StatusMask,
};
use crate::untyped::condition::StatusCondition;
use crate::untyped::loan::LoanedBytes;
use crate::untyped::publisher::Publisher;
use crate::untyped::topic::UntypedTopic;
use dunlin_qos::{DataWriterQos, Duration};
use dunlin_rtps::InstanceHandle;
use dunlin_wire::Guid;
use std::sync::{Arc, Weak};

/// A writer of serialized samples, whose type is known at run time (DDS 1.4 2.2.2.4.2). Clones are
/// the same writer, which is deleted when the last of them is dropped, or by
/// [`close`](Self::close).
///
/// A [`DataWriter`](crate::DataWriter) is one too, that serializes by itself.
pub struct UntypedWriter {
    pub(super) core: Arc<WriterCore>,
    /// `None`: the handle does not keep the writer.
    guard: Option<Arc<WriterGuard>>,
}

/// A clone of a handle that a listener was given keeps the writer as well.
impl Clone for UntypedWriter {
    fn clone(&self) -> Self {
        let owner = || self.core.owner.get().and_then(Weak::upgrade);
        Self {
            core: Arc::clone(&self.core),
            guard: self.guard.clone().or_else(owner),
        }
    }
}

same_entity!(UntypedWriter, core, |writer| writer.core.describe());

impl UntypedWriter {
    /// The first handle of a new writer.
    pub(crate) fn owning(core: Arc<WriterCore>, participant: &Arc<ParticipantGuard>) -> Self {
        let guard = Arc::new(WriterGuard::new(&core, participant));
        let _ = core.owner.set(Arc::downgrade(&guard));
        Self {
            core,
            guard: Some(guard),
        }
    }

    /// A handle that keeps the writer, unless it is being deleted.
    pub(crate) fn of(core: &Arc<WriterCore>) -> Self {
        Self::borrowed(core).clone()
    }

    /// A handle that does not keep the writer: for what the writer itself owns.
    pub(crate) fn borrowed(core: &Arc<WriterCore>) -> Self {
        Self {
            core: Arc::clone(core),
            guard: None,
        }
    }

    /// A handle that does not keep the writer, so that a listener may have one of the writer that
    /// it listens to.
    pub fn unowned(&self) -> Self {
        Self::borrowed(&self.core)
    }

    pub(crate) fn core(&self) -> &Arc<WriterCore> {
        &self.core
    }

    /// Name of its type.
    pub fn type_name(&self) -> &str {
        self.core.type_name()
    }

    /// Deletes the writer now, whoever still has handles of it; by these nothing can be written any
    /// more, and each call that would fails with `AlreadyDeleted`. It waits as long for readers
    /// that lack something as dropping the last handle does. A second call does nothing.
    pub fn close(&self) {
        deletion::end(&self.core);
        self.core.empty();
    }

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

    /// Does not wait for a matched reliable reader any more: what it has not acknowledged it loses,
    /// and counts in SAMPLE_LOST if it is one of Dunlin's. It stays matched, and gets what is
    /// written from now on. For routers and others that must not be held up by one reader; whom to
    /// give up says [`backlog_status`](Self::backlog_status). False if it lacks nothing, is best
    /// effort or is not matched.
    pub fn give_up(&self, reader: Guid) -> bool {
        self.core.give_up(reader)
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
        let clock = &self.core.shared.clock;
        let deadline = (!timeout.is_infinite()).then(|| clock.now().after(timeout));
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
        let matched = self.core.matched_count();
        let known = self.explain_matching().join("; ");
        let why = format!("{matched} of {readers} readers match: {known}");
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

    /// A condition on this writer's statuses.
    pub fn status_condition(&self) -> StatusCondition {
        StatusCondition::of_writer(&self.core)
    }

    /// Takes over another QoS: any before it is enabled, then one that differs in policies only
    /// that may change. What it is matched with follows from it at once, and others are told.
    ///
    /// # Errors
    /// `ImmutablePolicy` with the policy and both values, `InconsistentPolicy`, `BadParameter` for
    /// data that is too long to announce; then nothing has changed.
    pub fn set_qos(&self, qos: DataWriterQos) -> Result<()> {
        self.core.set_qos(qos)
    }

    /// Announces a writer that was created without being enabled. One that is enabled already stays
    /// so.
    ///
    /// # Errors
    /// `PreconditionNotMet` if its publisher is not enabled; `BadParameter` for what is too long to
    /// announce.
    pub fn enable(&self) -> Result<()> {
        self.core.enable()
    }

    /// Lets a writer that was created without being enabled be written to, while nobody else is
    /// told of it: what it keeps by its DURABILITY and HISTORY is there for the first reader that
    /// [`enable`](Self::enable) lets it match. Of one that is enabled nothing changes.
    ///
    /// # Errors
    /// `PreconditionNotMet` if its publisher is not enabled.
    pub fn prepare(&self) -> Result<()> {
        self.core.prepare()
    }

    /// Names it among the entities of the domain: its GUID.
    pub fn instance_handle(&self) -> InstanceHandle {
        InstanceHandle(self.core.guid.to_bytes())
    }

    /// Its topic.
    pub fn topic(&self) -> UntypedTopic {
        UntypedTopic::of(&self.core.topic_core)
    }

    /// Its publisher; `None` if the participant is coming to its end.
    pub fn publisher(&self) -> Option<Publisher> {
        let guard = self.core.group.participant()?;
        let core = Arc::clone(&self.core.group);
        Some(Publisher::of(core, guard))
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

    /// What a matched reader says of itself (DDS 1.4 2.2.2.4.2.24); `None` if it does not match.
    pub fn matched_subscription_data(&self, reader: Guid) -> Option<SubscriptionBuiltinTopicData> {
        let core = self.core();
        let matched = core.matched_endpoints().contains(&reader);
        let matching = core.shared.matching.lock();
        let data = matching.knowledge().reader(reader).filter(|_| matched);
        data.as_deref().map(SubscriptionBuiltinTopicData::of)
    }
}
