//! Topics: a name and a type (DDS 1.4 2.2.2.3.2).
use crate::entity::identity::same_entity;
use crate::entity::listener::TopicListener;
use crate::entity::listener::slot::ListenerSlot;
use crate::entity::participant::{DomainParticipant, ParticipantGuard};
use crate::entity::shared::Shared;
use crate::error::{Error, Result};
use crate::runtime::lock::{LEAF, Ranked};
use crate::status::{InconsistentTopicStatus, StatusFlags, StatusKind, StatusMask};
use crate::untyped::condition::StatusCondition;
use crate::untyped::type_support::TypeSupport;
use dunlin_qos::{PolicyDifference, TopicQos};
use dunlin_rtps::InstanceHandle;
use dunlin_wire::Guid;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

/// A name in the domain with a type that is known at run time (DDS 1.4 2.2.2.3.2). Clones are the
/// same topic.
///
/// A [`Topic`](struct@crate::Topic) is one too.
#[derive(Clone)]
pub struct UntypedTopic {
    core: Arc<TopicCore>,
    /// The same type as the core's; another handle may have been made of another description of it.
    type_support: TypeSupport,
    /// Keeps the participant; not of a topic that a listener is told of.
    guard: Option<Arc<ParticipantGuard>>,
}

same_entity!(UntypedTopic, core, |topic| topic.core.describe());

impl UntypedTopic {
    pub(crate) fn new(
        core: Arc<TopicCore>,
        type_support: TypeSupport,
        guard: Arc<ParticipantGuard>,
    ) -> Self {
        Self {
            core,
            type_support,
            guard: Some(guard),
        }
    }

    /// A handle that does not keep the participant.
    pub(crate) fn of(core: &Arc<TopicCore>) -> Self {
        Self {
            core: Arc::clone(core),
            type_support: core.type_support.clone(),
            guard: None,
        }
    }

    pub(crate) fn core(&self) -> &Arc<TopicCore> {
        &self.core
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.core.name
    }

    /// Name of its type.
    pub fn type_name(&self) -> &str {
        self.type_support.name()
    }

    /// Its type.
    pub fn type_support(&self) -> &TypeSupport {
        &self.type_support
    }

    /// Its QoS.
    pub fn qos(&self) -> TopicQos {
        self.core.qos()
    }

    /// Takes over another QoS. TOPIC_DATA is announced anew by the writers and readers of the
    /// topic; the rest is advice for those to come.
    ///
    /// # Errors
    /// `ImmutablePolicy`, `InconsistentPolicy`; `BadParameter` for data that is too long to
    /// announce.
    pub fn set_qos(&self, qos: TopicQos) -> Result<()> {
        self.core.set_qos(qos)
    }

    /// Names it among the entities of its participant.
    pub fn instance_handle(&self) -> InstanceHandle {
        InstanceHandle(self.core.guid.to_bytes())
    }

    /// Its participant; `None` of a handle that does not keep it.
    pub fn participant(&self) -> Option<DomainParticipant> {
        let guard = self.guard.clone()?;
        Some(DomainParticipant { guard })
    }

    /// INCONSISTENT_TOPIC; resets its change.
    pub fn inconsistent_topic_status(&self) -> InconsistentTopicStatus {
        self.core.inconsistent_status()
    }

    /// Statuses that changed and were not read yet.
    pub fn status_changes(&self) -> StatusMask {
        self.core.flags.changes()
    }

    /// A condition on this topic's status.
    pub fn status_condition(&self) -> StatusCondition {
        StatusCondition::of_topic(&self.core)
    }

    /// From now on this one hears of the statuses in `mask`, nobody before it any more.
    pub fn set_listener(&self, listener: impl TopicListener, mask: StatusMask) {
        let old = self.core.listener.set(Arc::new(listener), mask);
        self.core.shared.wait_for_calls(old);
    }

    /// From now on the participant's listener hears of the topic.
    pub fn clear_listener(&self) {
        let old = self.core.listener.clear();
        self.core.shared.wait_for_calls(old);
    }
}

/// What all handles of a topic share, and all its writers and readers in this participant.
pub(crate) struct TopicCore {
    pub(crate) name: String,
    pub(crate) type_support: TypeSupport,
    pub(crate) guid: Guid,
    qos: Ranked<TopicQos, LEAF>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) listener: ListenerSlot<dyn TopicListener>,
    pub(crate) flags: StatusFlags,
    inconsistent: Ranked<InconsistentTopicStatus, LEAF>,
    deleted: AtomicBool,
}

impl TopicCore {
    pub(crate) fn new(
        name: &str,
        type_support: TypeSupport,
        qos: TopicQos,
        shared: &Arc<Shared>,
    ) -> Self {
        Self {
            name: name.to_owned(),
            type_support,
            guid: Guid::new(shared.prefix, shared.new_entity()),
            qos: Ranked::new(qos),
            shared: Arc::clone(shared),
            listener: ListenerSlot::default(),
            flags: StatusFlags::default(),
            inconsistent: Ranked::default(),
            deleted: AtomicBool::new(false),
        }
    }

    /// Nothing is created for it any more.
    pub(crate) fn delete(&self) {
        self.deleted.store(true, SeqCst);
        let old = self.listener.clear();
        self.flags.waiters.raise_all();
        self.shared.wait_for_calls(old);
    }

    pub(crate) fn check_living(&self) -> Result<()> {
        let deleted = self.deleted.load(SeqCst);
        crate::entity::group::living(|| format!("topic {:?}", self.name), deleted)
    }

    /// Name for messages to the user.
    pub(crate) fn describe(&self) -> String {
        format!(
            "topic {:?} (type {:?})",
            self.name,
            self.type_support.name()
        )
    }

    pub(crate) fn qos(&self) -> TopicQos {
        self.qos.lock().clone()
    }

    fn set_qos(&self, qos: TopicQos) -> Result<()> {
        let entity = || format!("topic {:?}", self.name);
        qos.validate().map_err(|error| Error::InconsistentPolicy {
            entity: entity(),
            error,
        })?;
        let allowed = self.qos().check_change(&qos);
        allowed.map_err(|error| Error::ImmutablePolicy {
            entity: entity(),
            error,
        })?;
        let announced = self.shared.discover(|matching, now| {
            let before = std::mem::replace(&mut *self.qos.lock(), qos);
            let announced = matching.announce_again(
                now,
                |writer| std::ptr::eq(&*writer.topic_core, self),
                |reader| std::ptr::eq(&*reader.topic_core, self),
            );
            if announced.is_err() {
                *self.qos.lock() = before;
            }
            announced
        });
        announced.map_err(|error| {
            Error::BadParameter(format!("{} cannot be announced: {error}", entity()))
        })
    }

    /// Two topics of one name in one participant are the same.
    pub(crate) fn check_alike(&self, wanted: &Self) -> Result<()> {
        let refused = |differences: &str, cure| {
            Err(Error::PreconditionNotMet(format!(
                "topic {:?} exists in this participant with another {differences}: {cure}, or name the topic otherwise",
                self.name
            )))
        };
        if let Some(difference) = self.type_support.difference(&wanted.type_support) {
            return refused(&difference, "use the same type");
        }
        let differences = self.qos().differences(&wanted.qos());
        if differences.is_empty() {
            return Ok(());
        }
        let words = |d: &PolicyDifference| {
            let PolicyDifference { policy, one, other } = d;
            format!("{policy}, {one}; wanted is {other}")
        };
        let all: Vec<_> = differences.iter().map(words).collect();
        refused(&all.join("; another "), "ask for the same")
    }

    pub(crate) fn inconsistent_status(&self) -> InconsistentTopicStatus {
        self.flags.clear(StatusKind::InconsistentTopic);
        self.inconsistent.lock().take()
    }

    /// An endpoint of somebody else has the topic's name with another type.
    pub(crate) fn note_inconsistent(self: &Arc<Self>, remote: Guid, difference: &str) {
        if !self.inconsistent.lock().count(remote, difference) {
            return;
        }
        let kind = StatusKind::InconsistentTopic;
        self.flags.raise(kind);
        let run = self.shared.running.begin(self.guid);
        let own = self.listener.for_status(kind);
        let Some(listener) = own.or_else(|| self.shared.listener_for_topic(kind)) else {
            return;
        };
        run.calls(listener.id());
        if let Some(code) = listener.code() {
            let describe = || format!("topic {:?}", self.name);
            let call = || {
                let status = self.inconsistent_status();
                code.on_inconsistent_topic(&UntypedTopic::of(self), &status);
            };
            let panics = &self.shared.panics;
            panics.call(self.guid, describe, "on_inconsistent_topic", call);
        }
        // Should this be its end, then as a part of the call.
        drop(listener);
    }
}
