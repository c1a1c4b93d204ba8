//! Topics: a name and a type.
use crate::participant::ParticipantGuard;
use bytes::{Bytes, BytesMut};
use dunlin_cdr::Xcdr;
use dunlin_qos::TopicQos;
use dunlin_rtps::InstanceHandle;
use dunlin_wire::Payload;
use std::marker::PhantomData;
use std::sync::Arc;

pub use dunlin_cdr::Topic as TopicData;

/// A name in the domain with the type `T` (DDS 1.4 2.2.2.3.2).
pub struct Topic<T> {
    name: String,
    qos: TopicQos,
    pub(crate) guard: Arc<ParticipantGuard>,
    marker: PhantomData<fn() -> T>,
}

impl<T> Clone for Topic<T> {
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            qos: self.qos.clone(),
            guard: Arc::clone(&self.guard),
            marker: PhantomData,
        }
    }
}

impl<T: TopicData> Topic<T> {
    pub(crate) fn new(name: &str, qos: TopicQos, guard: Arc<ParticipantGuard>) -> Self {
        Self {
            name: name.to_owned(),
            qos,
            guard,
            marker: PhantomData,
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Name of its type.
    pub fn type_name(&self) -> &'static str {
        T::TYPE_NAME
    }

    /// Its QoS.
    pub fn qos(&self) -> &TopicQos {
        &self.qos
    }
}

/// Instance of a serialized sample or key of the type `T`; `None` if it cannot be read.
pub(crate) fn instance_of<T: TopicData>(payload: Payload<'_>) -> Option<InstanceHandle> {
    let value: T = match payload {
        Payload::None => return None,
        Payload::Data(bytes) => dunlin_cdr::from_payload(bytes).ok()?,
        Payload::Key(bytes) => dunlin_cdr::key_from_payload(bytes).ok()?,
    };
    dunlin_cdr::key_hash(&value).ok().map(InstanceHandle)
}

/// Key of a serialized sample of the type `T`, as the payload of a dispose has it; empty if it cannot be read.
pub(crate) fn key_of<T: TopicData>(payload: &Bytes) -> Bytes {
    let mut key = BytesMut::new();
    let written = dunlin_cdr::from_payload_bytes::<T>(payload)
        .and_then(|value| dunlin_cdr::key_to_payload(&value, Xcdr::V2, &mut key));
    match written {
        // Copied, so that an instance keeps exactly the bytes of its key.
        Ok(()) => Bytes::copy_from_slice(&key),
        Err(_) => Bytes::new(),
    }
}
