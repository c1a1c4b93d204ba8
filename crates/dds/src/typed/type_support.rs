//! What the untyped layer needs to know of a Rust type.
use crate::typed::topic::TopicData;
use crate::untyped::type_support::{Compiled, KeyCode, TypeSupport};
use bytes::{Bytes, BytesMut};
use dunlin_cdr::{KeyForm, PlainLayout, Xcdr, plain_at};
use dunlin_rtps::InstanceHandle;
use dunlin_wire::Payload;
use dunlin_xtypes::DynamicType;
use std::marker::PhantomData;
use std::sync::Arc;

impl TypeSupport {
    /// Of a Rust type. Keys are found by its derived code.
    pub fn of<T: TopicData>() -> Self {
        Self::compiled(Compiled {
            name: T::TYPE_NAME,
            is_keyed: T::HAS_KEY,
            extensibility: T::EXTENSIBILITY,
            ty: DynamicType::of::<T>().map_err(|error| error.to_string()),
            keys: Arc::new(Derived::<T>(PhantomData)),
            plain_layout: T::PLAIN.map(|plain| plain.hash),
        })
    }

    /// Whether this is the type `T`. Costs a comparison if it was made of a Rust type, so that
    /// listeners may ask for each sample.
    pub(crate) fn is<T: TopicData>(&self) -> bool {
        self.has_code::<Derived<T>>()
            || self.name() == T::TYPE_NAME && self.difference(&Self::of::<T>()).is_none()
    }
}

/// The code of a Rust type.
struct Derived<T>(PhantomData<fn() -> T>);

impl<T: TopicData> KeyCode for Derived<T> {
    fn instance(&self, payload: Payload<'_>) -> Option<InstanceHandle> {
        instance_of::<T>(payload)
    }

    fn key(&self, sample: &Bytes) -> Bytes {
        key_of::<T>(sample)
    }

    fn rewrite_key(
        &self,
        key: &Bytes,
        xcdr: Xcdr,
        form: KeyForm,
        out: &mut BytesMut,
    ) -> std::result::Result<(), dunlin_cdr::Error> {
        let value: T = dunlin_cdr::key_from_payload(key)?;
        dunlin_cdr::key_to_payload_in(&value, xcdr, form, out)
    }
}

/// Instance of a serialized sample or key of the type `T`; `None` if it cannot be read.
fn instance_of<T: TopicData>(payload: Payload<'_>) -> Option<InstanceHandle> {
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
fn key_of<T: TopicData>(payload: &Bytes) -> Bytes {
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
