//! Topics: a name and a type (DDS 1.4 2.2.2.3.2).
mod topic_core;

use crate::discovery::matching::MatchedTopic;
use crate::entity::identity::same_entity;
use crate::entity::participant::{DomainParticipant, ParticipantGuard};
use crate::error::Result;
use crate::status::{InconsistentTopicStatus, StatusKind, StatusMask};
use crate::untyped::condition::StatusCondition;
use crate::untyped::listener::TopicListener;
use crate::untyped::type_support::TypeSupport;
use dunlin_qos::TopicQos;
use dunlin_rtps::InstanceHandle;
use dunlin_wire::Guid;
use std::sync::Arc;

pub(crate) use topic_core::TopicCore;

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

impl TopicCore {
    fn tell_inconsistent(self: &Arc<Self>, remote: Guid, difference: &str) {
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

impl MatchedTopic for TopicCore {
    fn name(&self) -> &str {
        &self.name
    }

    fn note_inconsistent(self: &Arc<Self>, remote: Guid, difference: &str) {
        self.tell_inconsistent(remote, difference);
    }
}
