//! Types, which the application describes by their TypeObjects.
use crate::error::{Failure, entry};
use crate::handle::Kind;
use crate::memory::{Array, Out, OutArray, dunlin_block, dunlin_text};
use crate::object::{self, Object, create};
use crate::topic::dunlin_topic;
use bytes::BytesMut;
use dunlin::cdr::{Endianness, Representation};
use dunlin::untyped::{TypeSupport, UntypedTopic};
use dunlin::xtypes::{DynamicType, KeyPlan, idl};

/// A type.
pub type dunlin_type = u64;

/// A type, and what finds keys in its samples.
pub(crate) struct Type {
    pub(crate) support: TypeSupport,
    ty: DynamicType,
    keys: KeyPlan,
}

/// A type of its complete TypeObjects (DDS-XTypes 1.3): a sequence<TypeIdentifierTypeObjectPair> in
/// XCDR2, little endian, without encapsulation header, that of the type itself first. The name by
/// which the domain knows it is that of the TypeObject, unless `name` says another.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_type_new(
    objects: Array<'_, u8>,
    length: u64,
    name: dunlin_text,
    ty: Out<'_, dunlin_type>,
) -> i32 {
    entry(|| {
        let place = ty.required("ty")?;
        let name = name.get("name")?;
        let objects = objects.slice(length, "objects")?;
        let ty = DynamicType::from_type_object_sequence(objects)
            .map_err(|error| Failure::bad(format!("the argument objects is no type: {error}")))?;
        let mut support = TypeSupport::from_type(&ty)?;
        if !name.is_empty() {
            support = support.with_name(name);
        }
        let keys = KeyPlan::new(&ty);
        let object = Object::Type(Type { support, ty, keys });
        place.put(create(Kind::Type, object)?);
        Ok(())
    })
}

/// The type and all that it refers to as IDL.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_type_describe(ty: dunlin_type, text: Out<'_, dunlin_block>) -> i32 {
    entry(|| {
        let place = text.required("text")?;
        let ty = object::ty(ty)?;
        place.put(dunlin_block::text(&idl::print(ty.ty.tree())));
        Ok(())
    })
}

/// Whether a topic, or a part of one, is of a type.
///
/// @return PRECONDITION_NOT_MET if it is of another one.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_type_check(ty: dunlin_type, topic: dunlin_topic) -> i32 {
    entry(|| {
        let ty = object::ty(ty)?;
        let check = |topic: &UntypedTopic| {
            let difference = topic.type_support().difference(&ty.support);
            difference.map_or(Ok(()), |what| {
                let name = topic.name();
                Err(Failure::precondition(format!(
                    "the topic {name:?} has another {what}"
                )))
            })
        };
        match Kind::of(topic) {
            Some(Kind::FilteredTopic) => check(object::filtered_topic(topic)?.related_topic()),
            _ => check(&*object::topic(topic)?),
        }
    })
}

/// The instance of a serialized sample: 16 bytes, zeros if the type has no key. `key`, which may be
/// null, is the payload by which that instance is disposed, in the representation of the sample.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_type_key(
    ty: dunlin_type,
    sample: Array<'_, u8>,
    length: u64,
    instance: OutArray<'_, u8>,
    key: Out<'_, dunlin_block>,
) -> i32 {
    entry(|| {
        let sample = sample.slice(length, "sample")?;
        let ty = object::ty(ty)?;
        let wrong = |error: &dyn std::fmt::Display| {
            let name = ty.support.name();
            Failure::bad(format!(
                "the argument sample has no key of the type {name:?}: {error}"
            ))
        };
        let hash = ty.keys.key_hash(sample).map_err(|error| wrong(&error))?;
        let block = match key.optional() {
            None => None,
            Some(place) => {
                let id = sample.first_chunk().copied().map_or(0, u16::from_be_bytes);
                let is = Representation::from_id(id).map_err(|error| wrong(&error))?;
                let mut out = BytesMut::new();
                let made = ty
                    .keys
                    .key_payload(sample, is.xcdr, Endianness::NATIVE, &mut out);
                made.map_err(|error| wrong(&error))?;
                Some((place, out))
            }
        };
        instance.put16(hash, "instance")?;
        if let Some((place, out)) = block {
            place.put(dunlin_block::bytes(&out));
        }
        Ok(())
    })
}
