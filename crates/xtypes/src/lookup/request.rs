//! What is asked.

use alloc::string::String;
use alloc::vec::Vec;

use bytes::Bytes;
use dunlin_cdr::{Deserialize, Error};

use super::limits;
use super::message::{self, MessageError, SampleIdentity};
use crate::TypeIdentifier;
use crate::object::{read, write};

/// A `TypeLookup_Request` (DDS-XTypes 1.3 7.6.3.3.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Which request it is.
    pub id: SampleIdentity,
    /// Which service is asked; some products leave it empty and ask all.
    pub instance_name: String,
    /// What is asked.
    pub call: Call,
}

/// `TypeLookup_Call`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Call {
    /// The TypeObjects with these identifiers.
    GetTypes(Vec<TypeIdentifier>),
    /// The identifiers of all types that these refer to, directly and through others.
    GetTypeDependencies {
        /// The types.
        types: Vec<TypeIdentifier>,
        /// Empty, or what the reply before it said.
        continuation_point: Vec<u8>,
    },
    /// An operation of another version of the service; its number.
    Unknown(u32),
}

impl Request {
    /// From the payload of a sample. What newer versions append is passed over.
    ///
    /// # Errors
    /// What is wrong with the bytes; [`MessageError::Limit`] for more than
    /// [`REQUEST`](limits::REQUEST) bytes or [`IDS`](limits::IDS) types.
    pub fn from_payload(payload: &[u8]) -> Result<Self, MessageError> {
        let mut r = message::open(payload, limits::REQUEST)?;
        let r = &mut r;
        let id = message::read_identity(r)?;
        let instance_name = String::deserialize(r)?;
        let most = limits::INSTANCE_NAME;
        message::limit("bytes of an instance name", instance_name.len(), most)?;
        let call = message::appendable(r, |r| {
            Ok(match r.take_u32()? {
                message::GET_TYPES => Call::GetTypes(call(r)?.0),
                message::GET_DEPENDENCIES => {
                    let (types, continuation_point) = call(r)?;
                    Call::GetTypeDependencies {
                        types,
                        continuation_point,
                    }
                }
                other => Call::Unknown(other),
            })
        })?;
        Ok(Self {
            id,
            instance_name,
            call,
        })
    }

    /// As the payload of a sample.
    ///
    /// # Errors
    /// [`Error::TooLong`] for 4 GiB.
    pub fn to_payload(&self) -> Result<Bytes, Error> {
        message::payload(|out| {
            message::write_identity(out, &self.id);
            write::string(out, &self.instance_name)?;
            let (number, types) = match &self.call {
                Call::GetTypes(types) => (message::GET_TYPES, types.as_slice()),
                Call::GetTypeDependencies { types, .. } => {
                    (message::GET_DEPENDENCIES, types.as_slice())
                }
                Call::Unknown(number) => return message::union(out, *number, |_| Ok(())),
            };
            message::union(out, number, |out| {
                write::appendable(out, |out| {
                    message::member(out, message::TYPE_IDS, |out| {
                        write::sequence(out, types.iter(), write::identifier)
                    })?;
                    match &self.call {
                        Call::GetTypeDependencies {
                            continuation_point, ..
                        } => message::write_continuation_point(out, continuation_point),
                        _ => Ok(()),
                    }
                })
            })
        })
    }
}

/// The types and the continuation point of either operation.
fn call(r: &mut dunlin_cdr::Reader<'_>) -> Result<(Vec<TypeIdentifier>, Vec<u8>), MessageError> {
    let (mut types, mut continuation_point) = (Vec::new(), Vec::new());
    message::members(r, |r, id| {
        match id {
            message::TYPE_IDS => {
                let check = |count| message::limit("types", count, limits::IDS);
                types = message::sequence(r, check, |r| Ok(read::identifier(r)?))?;
            }
            message::CONTINUATION_POINT => {
                continuation_point = message::read_continuation_point(r)?;
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok((types, continuation_point))
}
