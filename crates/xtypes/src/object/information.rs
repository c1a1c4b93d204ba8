//! What an endpoint announces of its type.

use alloc::vec::Vec;

use bytes::BytesMut;
use dunlin_cdr::{Endianness, Writer, Xcdr};

use super::write::{self, Out, Written};
use super::{TypeIdentifier, TypeObjects};
use crate::limits;

/// Member ids of `TypeInformation`.
pub(super) const MINIMAL: u32 = 0x1001;
pub(super) const COMPLETE: u32 = 0x1002;
/// In an EMHEADER: the length is behind it.
const LENGTH_CODE_4: u32 = 4 << 28;

/// An identifier, and how large the TypeObject behind it is (DDS-XTypes 1.3 7.6.3.2.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeIdentifierWithSize {
    /// The identifier.
    pub type_id: TypeIdentifier,
    /// Bytes of the TypeObject; 0 if there is none.
    pub typeobject_serialized_size: u32,
}

/// A type, and the types that it refers to (DDS-XTypes 1.3 7.6.3.2.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeIdentifierWithDependencies {
    /// The type itself.
    pub typeid_with_size: TypeIdentifierWithSize,
    /// How many types it refers to, directly and through others. It may be more than are listed,
    /// and -1 if the sender does not say.
    pub dependent_typeid_count: i32,
    /// Those types, breadth first; at most [`DEPENDENCIES`](crate::limits::DEPENDENCIES).
    pub dependent_typeids: Vec<TypeIdentifierWithSize>,
}

impl TypeIdentifierWithDependencies {
    pub(super) fn none() -> Self {
        Self {
            typeid_with_size: TypeIdentifierWithSize {
                type_id: TypeIdentifier::None,
                typeobject_serialized_size: 0,
            },
            dependent_typeid_count: 0,
            dependent_typeids: Vec::new(),
        }
    }

    fn new(objects: &TypeObjects) -> Self {
        let with_size = |(identifier, bytes): (&TypeIdentifier, &[u8])| TypeIdentifierWithSize {
            type_id: identifier.clone(),
            typeobject_serialized_size: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
        };
        let root = objects.identifier();
        let own = objects.iter().next().filter(|(of, _)| *of == root);
        let own_count = usize::from(own.is_some());
        let dependencies = objects.iter().skip(own_count);
        let count = objects.iter().count() - own_count;
        Self {
            typeid_with_size: with_size(own.unwrap_or((root, &[]))),
            dependent_typeid_count: i32::try_from(count).unwrap_or(i32::MAX),
            dependent_typeids: dependencies
                .take(limits::DEPENDENCIES)
                .map(with_size)
                .collect(),
        }
    }
}

/// What an endpoint announces of its type (DDS-XTypes 1.3 7.6.3.2.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeInformation {
    /// By minimal TypeObjects.
    pub minimal: TypeIdentifierWithDependencies,
    /// By complete TypeObjects.
    pub complete: TypeIdentifierWithDependencies,
}

impl TypeInformation {
    pub(super) fn new(minimal: &TypeObjects, complete: &TypeObjects) -> Self {
        Self {
            minimal: TypeIdentifierWithDependencies::new(minimal),
            complete: TypeIdentifierWithDependencies::new(complete),
        }
    }

    /// Its bytes: XCDR2 without encapsulation header, as in `PID_TYPE_INFORMATION`. A parameter
    /// list has it in its own byte order.
    pub fn to_bytes(&self, endianness: Endianness) -> Vec<u8> {
        let mut bytes = BytesMut::new();
        let mut out = Writer::new(&mut bytes, Xcdr::V2, endianness);
        // The dependencies are few, so nothing is too long.
        let written = write::appendable(&mut out, |out| {
            member(out, MINIMAL, &self.minimal)?;
            member(out, COMPLETE, &self.complete)
        });
        out.finish();
        match written {
            Ok(()) => bytes.into(),
            Err(_) => Vec::new(),
        }
    }
}

fn member(out: &mut Out<'_>, id: u32, of: &TypeIdentifierWithDependencies) -> Written {
    out.put_u32(LENGTH_CODE_4 | id);
    // The length of a member is written as that of a structure is: in front, without itself.
    write::appendable(out, |out| {
        write::appendable(out, |out| {
            with_size(out, &of.typeid_with_size)?;
            out.put_u32(of.dependent_typeid_count.cast_unsigned());
            write::sequence(out, of.dependent_typeids.iter(), with_size)
        })
    })
}

pub(crate) fn with_size(out: &mut Out<'_>, of: &TypeIdentifierWithSize) -> Written {
    write::appendable(out, |out| {
        write::identifier(out, &of.type_id)?;
        out.put_u32(of.typeobject_serialized_size);
        Ok(())
    })
}
