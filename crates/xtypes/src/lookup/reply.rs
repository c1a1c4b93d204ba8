//! What is answered.

use alloc::vec::Vec;

use bytes::Bytes;
use dunlin_cdr::{Error, Reader};

use super::limits;
use super::message::{self, MessageError, SampleIdentity};
use crate::object::write::{self, Out, Written};
use crate::object::{information, read};
use crate::{TypeIdentifier, TypeIdentifierWithSize};

/// A `TypeLookup_Reply` (DDS-XTypes 1.3 7.6.3.3.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply<'a> {
    /// Which request it is for.
    pub related: SampleIdentity,
    /// How the request went.
    pub exception: RemoteException,
    /// What is answered.
    pub value: Return<'a>,
}

/// `RemoteExceptionCode_t` (DDS-RPC 1.0 7.5.1.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemoteException {
    /// `REMOTE_EX_OK`.
    Ok,
    /// `REMOTE_EX_UNSUPPORTED`.
    Unsupported,
    /// `REMOTE_EX_INVALID_ARGUMENT`.
    InvalidArgument,
    /// `REMOTE_EX_OUT_OF_RESOURCES`.
    OutOfResources,
    /// `REMOTE_EX_UNKNOWN_OPERATION`.
    UnknownOperation,
    /// `REMOTE_EX_UNKNOWN_EXCEPTION`, and whatever else there may be.
    Unknown,
}

/// `TypeLookup_Return`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Return<'a> {
    /// Of `getTypes`.
    Types(Types<'a>),
    /// Of `getTypeDependencies`.
    Dependencies(Dependencies),
    /// No result: of an operation that failed, or of another version of the service.
    None {
        /// The number of the operation.
        operation: u32,
    },
}

/// `TypeLookup_getTypes_Out`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Types<'a> {
    /// Those of the TypeObjects that were asked for which the service has.
    pub types: Vec<TypeObjectPair<'a>>,
    /// Complete identifiers and the minimal ones that were asked for in place of them.
    pub complete_to_minimal: Vec<(TypeIdentifier, TypeIdentifier)>,
}

/// `TypeIdentifierTypeObjectPair`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeObjectPair<'a> {
    /// The identifier.
    pub identifier: TypeIdentifier,
    /// The bytes of the TypeObject: XCDR2, little endian, without encapsulation header.
    pub object: &'a [u8],
}

/// `TypeLookup_getTypeDependencies_Out`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependencies {
    /// Types that those refer to which were asked for.
    pub types: Vec<TypeIdentifierWithSize>,
    /// Empty, or what to ask with for more.
    pub continuation_point: Vec<u8>,
}

impl TypeObjectPair<'_> {
    /// The most bytes that it takes in a reply.
    pub fn reply_size(&self) -> usize {
        // The longest identifier of a TypeObject, and twice padding.
        self.object.len() + 30 + 6
    }
}

impl RemoteException {
    const ALL: [Self; 6] = [
        Self::Ok,
        Self::Unsupported,
        Self::InvalidArgument,
        Self::OutOfResources,
        Self::UnknownOperation,
        Self::Unknown,
    ];

    fn number(self) -> u32 {
        let mut all = (0..).zip(Self::ALL);
        all.find(|(_, one)| *one == self)
            .map_or(5, |(number, _)| number)
    }

    fn from_number(number: u32) -> Self {
        let place = usize::try_from(number).unwrap_or(usize::MAX);
        Self::ALL.get(place).copied().unwrap_or(Self::Unknown)
    }
}

impl<'a> Reply<'a> {
    /// From the payload of a sample. What newer versions append is passed over.
    ///
    /// # Errors
    /// What is wrong with the bytes; [`MessageError::Limit`] for more than
    /// [`FOREIGN_REPLY`](limits::FOREIGN_REPLY) bytes.
    pub fn from_payload(payload: &'a [u8]) -> Result<Self, MessageError> {
        let mut r = message::open(payload, limits::FOREIGN_REPLY)?;
        let r = &mut r;
        let related = message::read_identity(r)?;
        let exception = RemoteException::from_number(r.take_u32()?);
        // Who has no answer may leave out the rest.
        let value = match (r.remaining(), exception) {
            (0, other) if other != RemoteException::Ok => Return::None { operation: 0 },
            _ => message::appendable(r, returned)?,
        };
        Ok(Self {
            related,
            exception,
            value,
        })
    }

    /// As the payload of a sample.
    ///
    /// # Errors
    /// [`Error::TooLong`] for 4 GiB.
    pub fn to_payload(&self) -> Result<Bytes, Error> {
        message::payload(|out| {
            message::write_identity(out, &self.related);
            out.put_u32(self.exception.number());
            match &self.value {
                Return::Types(of) => result(out, message::GET_TYPES, |out| types(out, of)),
                Return::Dependencies(of) => {
                    result(out, message::GET_DEPENDENCIES, |out| dependencies(out, of))
                }
                // A result that is not OK has no value.
                Return::None { operation } => message::union(out, *operation, |out| {
                    message::union(out, u32::MAX, |_| Ok(()))
                }),
            }
        })
    }
}

fn returned<'a>(r: &mut Reader<'a>) -> Result<Return<'a>, MessageError> {
    let operation = r.take_u32()?;
    if ![message::GET_TYPES, message::GET_DEPENDENCIES].contains(&operation) {
        return Ok(Return::None { operation });
    }
    message::appendable(r, |r| match (r.take_u32()?, operation) {
        (0, message::GET_TYPES) => Ok(Return::Types(read_types(r)?)),
        (0, _) => Ok(Return::Dependencies(read_dependencies(r)?)),
        _ => Ok(Return::None { operation }),
    })
}

fn result(
    out: &mut Out<'_>,
    operation: u32,
    value: impl FnOnce(&mut Out<'_>) -> Written,
) -> Written {
    message::union(out, operation, |out| {
        message::union(out, 0, |out| write::appendable(out, value))
    })
}

/// Pairs are final: they have no DHEADER.
fn types(out: &mut Out<'_>, of: &Types<'_>) -> Written {
    message::member(out, message::TYPES, |out| {
        write::sequence(out, of.types.iter(), |out, pair| {
            write::identifier(out, &pair.identifier)?;
            write::type_object(out, pair.object);
            Ok(())
        })
    })?;
    message::member(out, message::COMPLETE_TO_MINIMAL, |out| {
        let pairs = of.complete_to_minimal.iter();
        write::sequence(out, pairs, |out, (complete, minimal)| {
            write::identifier(out, complete)?;
            write::identifier(out, minimal)
        })
    })
}

fn read_types<'a>(r: &mut Reader<'a>) -> Result<Types<'a>, MessageError> {
    let mut all = Types::default();
    message::members(r, |r, id| {
        match id {
            message::TYPES => all.types = message::sequence(r, |_| Ok(()), pair)?,
            message::COMPLETE_TO_MINIMAL => {
                all.complete_to_minimal = message::sequence(
                    r,
                    |_| Ok(()),
                    |r| Ok((read::identifier(r)?, read::identifier(r)?)),
                )?;
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(all)
}

fn pair<'a>(r: &mut Reader<'a>) -> Result<TypeObjectPair<'a>, MessageError> {
    Ok(TypeObjectPair {
        identifier: read::identifier(r)?,
        object: read::type_object(r)?,
    })
}

fn dependencies(out: &mut Out<'_>, of: &Dependencies) -> Written {
    message::member(out, message::DEPENDENT_TYPEIDS, |out| {
        write::sequence(out, of.types.iter(), information::with_size)
    })?;
    message::write_continuation_point(out, &of.continuation_point)
}

fn read_dependencies(r: &mut Reader<'_>) -> Result<Dependencies, MessageError> {
    let mut all = Dependencies::default();
    message::members(r, |r, id| {
        match id {
            message::DEPENDENT_TYPEIDS => {
                all.types = message::sequence(r, |_| Ok(()), |r| Ok(read::with_size(r)?))?;
            }
            message::CONTINUATION_POINT => {
                all.continuation_point = message::read_continuation_point(r)?;
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(all)
}
