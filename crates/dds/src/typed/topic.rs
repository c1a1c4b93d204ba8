//! Topics of a Rust type.
use crate::typed::handle::typed_handle;
use crate::untyped::UntypedTopic;
use bytes::{Bytes, BytesMut};
use dunlin_cdr::{PlainLayout, Xcdr, plain_at};
use dunlin_rtps::InstanceHandle;
use dunlin_wire::Payload;
use std::marker::PhantomData;

pub use dunlin_cdr::Topic as TopicData;

/// A name in the domain with the type `T` (DDS 1.4 2.2.2.3.2). Clones are the same topic.
///
/// It is an [`UntypedTopic`], and has its methods.
pub struct Topic<T> {
    untyped: UntypedTopic,
    marker: PhantomData<fn() -> T>,
}

typed_handle!(Topic, UntypedTopic);

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
