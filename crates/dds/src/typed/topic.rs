//! Topics: a name and a type.
use crate::entity::any::AnyTopic;
use crate::entity::condition::StatusCondition;
use crate::entity::identity::same_entity;
use crate::entity::listener::TopicListener;
use crate::entity::listener::slot::ListenerSlot;
use crate::entity::participant::{DomainParticipant, ParticipantGuard};
use crate::entity::shared::Shared;
use crate::entity::status::{InconsistentTopicStatus, StatusFlags, StatusKind, StatusMask};
use crate::error::{Error, Result};
use crate::runtime::lock::{LEAF, Ranked};
use bytes::{Bytes, BytesMut};
use dunlin_cdr::{KeyForm, PlainLayout, Xcdr, plain_at};
use dunlin_qos::{PolicyDifference, TopicQos};
use dunlin_rtps::InstanceHandle;
use dunlin_wire::{Guid, Payload};
use std::any::TypeId;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

pub use dunlin_cdr::Topic as TopicData;

/// A name in the domain with the type `T` (DDS 1.4 2.2.2.3.2).
pub struct Topic<T> {
    pub(crate) core: Arc<TopicCore>,
    pub(crate) guard: Arc<ParticipantGuard>,
    marker: PhantomData<fn() -> T>,
}

impl<T> Clone for Topic<T> {
    fn clone(&self) -> Self {
        Self {
            core: Arc::clone(&self.core),
            guard: Arc::clone(&self.guard),
            marker: PhantomData,
        }
    }
}

same_entity!(Topic<T>, core, |topic| topic.core.describe());

impl<T: TopicData> Topic<T> {
    pub(crate) fn new(core: Arc<TopicCore>, guard: Arc<ParticipantGuard>) -> Self {
        Self {
            core,
            guard,
            marker: PhantomData,
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.core.name
    }

    /// Name of its type.
    pub fn type_name(&self) -> &'static str {
        T::TYPE_NAME
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

    /// Its participant.
    pub fn participant(&self) -> DomainParticipant {
        DomainParticipant {
            guard: Arc::clone(&self.guard),
        }
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
    pub(crate) type_name: &'static str,
    pub(crate) type_id: TypeId,
    pub(crate) guid: Guid,
    qos: Ranked<TopicQos, LEAF>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) listener: ListenerSlot<dyn TopicListener>,
    pub(crate) flags: StatusFlags,
    inconsistent: Ranked<InconsistentTopicStatus, LEAF>,
    deleted: AtomicBool,
}

impl TopicCore {
    pub(crate) fn new<T: TopicData>(name: &str, qos: TopicQos, shared: &Arc<Shared>) -> Self {
        Self {
            name: name.to_owned(),
            type_name: T::TYPE_NAME,
            type_id: TypeId::of::<T>(),
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
        format!("topic {:?} (type {:?})", self.name, self.type_name)
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
        if self.type_name != wanted.type_name {
            let types = format!(
                "type, {:?}; wanted is {:?}",
                self.type_name, wanted.type_name
            );
            return refused(&types, "use the same type");
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
                code.on_inconsistent_topic(&AnyTopic::new(self), &status);
            };
            let panics = &self.shared.panics;
            panics.call(self.guid, describe, "on_inconsistent_topic", call);
        }
        // Should this be its end, then as a part of the call.
        drop(listener);
    }
}

/// Instance of a serialized sample or key of the type `T`; `None` if it cannot be read.
pub(crate) fn instance_of<T: TopicData>(payload: Payload<'_>) -> Option<InstanceHandle> {
    if let Payload::Data(bytes) = payload
        && let Some((plain, memory)) = plain_in::<T>(bytes)
    {
        return plain.key_hash(memory).ok().map(InstanceHandle);
    }
    instance_of_value::<T>(payload)
}

/// By a value on the stack, for which there is no room where plain ones may be.
#[inline(never)]
fn instance_of_value<T: TopicData>(payload: Payload<'_>) -> Option<InstanceHandle> {
    let value: T = match payload {
        Payload::None => return None,
        Payload::Data(bytes) => dunlin_cdr::from_payload(bytes).ok()?,
        Payload::Key(bytes) => dunlin_cdr::key_from_payload(bytes).ok()?,
    };
    dunlin_cdr::key_hash(&value).ok().map(InstanceHandle)
}

/// Key of a serialized sample of the type `T`, as the payload of a dispose has it; empty if it
/// cannot be read.
pub(crate) fn key_of<T: TopicData>(payload: &Bytes) -> Bytes {
    let mut key = BytesMut::new();
    let written = match plain_in::<T>(payload) {
        Some((plain, memory)) => plain.key_to_payload(memory, Xcdr::V2, &mut key),
        None => value_key::<T>(payload, &mut key),
    };
    match written {
        // Copied, so that an instance keeps exactly the bytes of its key.
        Ok(()) => Bytes::copy_from_slice(&key),
        Err(_) => Bytes::new(),
    }
}

/// The key that `key_of` has found, or a reader was given, as the payload of a dispose in this form.
pub(crate) fn rewrite_key<T: TopicData>(
    key: &Bytes,
    xcdr: Xcdr,
    form: KeyForm,
    out: &mut BytesMut,
) -> std::result::Result<(), dunlin_cdr::Error> {
    let value: T = dunlin_cdr::key_from_payload(key)?;
    dunlin_cdr::key_to_payload_in(&value, xcdr, form, out)
}

/// By a value on the stack, as `instance_of_value`.
#[inline(never)]
fn value_key<T: TopicData>(
    payload: &Bytes,
    key: &mut BytesMut,
) -> std::result::Result<(), dunlin_cdr::Error> {
    let value: T = dunlin_cdr::from_payload_bytes(payload)?;
    dunlin_cdr::key_to_payload(&value, Xcdr::V2, key)
}

/// The memory of the value in a payload, if that is how the type is encoded: then it need not be
/// moved, for which the stacks of our threads may be too small.
fn plain_in<T: TopicData>(payload: &[u8]) -> Option<(PlainLayout, &[u8])> {
    let memory = payload.get(plain_at::<T>(payload)?..)?;
    let plain = T::PLAIN.filter(|plain| memory.len() >= plain.size)?;
    Some((plain, memory))
}
