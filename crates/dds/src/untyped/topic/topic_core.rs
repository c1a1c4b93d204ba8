//! What the handles of a topic share.
use crate::entity::contained::ContainedEntities;
use crate::entity::listener::slot::ListenerSlot;
use crate::entity::member::MemberTopic;
use crate::entity::shared::Shared;
use crate::error::{Error, Result};
use crate::runtime::lock::{LEAF, Ranked};
use crate::status::{InconsistentTopicStatus, StatusFlags, StatusKind};
use crate::untyped::type_support::TypeSupport;
use dunlin_qos::{PolicyDifference, TopicQos};
use dunlin_wire::Guid;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

/// What all handles of a topic share, and all its writers and readers in this participant.
pub(crate) struct TopicCore {
    pub(crate) name: String,
    pub(crate) type_support: TypeSupport,
    pub(crate) guid: Guid,
    qos: Ranked<TopicQos, LEAF>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) listener: ListenerSlot<<Shared as ContainedEntities>::TopicListener>,
    pub(crate) flags: StatusFlags,
    pub(super) inconsistent: Ranked<InconsistentTopicStatus, LEAF>,
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

    pub(super) fn set_qos(&self, qos: TopicQos) -> Result<()> {
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
}

impl MemberTopic for TopicCore {
    fn guid(&self) -> Guid {
        self.guid
    }

    fn raise_all(&self) {
        self.flags.waiters.raise_all();
    }
}
