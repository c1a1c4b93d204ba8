//! Which participant or endpoint a dispose in SPDP or SEDP is about (RTPS 2.5 8.5, 9.6.2.2).
use super::value;
use crate::parameter::ParameterIter;
use crate::{Error, Guid, ParameterId, ParameterWriter};
use bytes::Bytes;

/// The key-only payload that takes an SPDP announcement back. The key hash is `guid.to_bytes()`.
pub fn participant_key(guid: Guid) -> Bytes {
    key(ParameterId::PARTICIPANT_GUID, guid)
}

/// The key-only payload that takes SEDP data of a writer or reader back. The key hash is
/// `guid.to_bytes()`.
pub fn endpoint_key(guid: Guid) -> Bytes {
    key(ParameterId::ENDPOINT_GUID, guid)
}

fn key(id: ParameterId, guid: Guid) -> Bytes {
    let mut out = ParameterWriter::payload();
    out.guid(id, guid);
    out.finish().unwrap_or_default()
}

/// The GUID in a key-only payload of SPDP or SEDP, as a parameter or as plain CDR.
pub fn parse_key(payload: &[u8]) -> Result<Guid, Error> {
    match value::encapsulation(payload)? {
        (0 | 1, mut rest) => rest.guid(),
        (2 | 3, rest) => in_parameters(ParameterIter::over(rest)),
        (_, rest) => Err(rest.invalid_as("encapsulation of discovery data")),
    }
}

/// An endpoint's GUID before its participant's.
fn in_parameters(list: ParameterIter<'_>) -> Result<Guid, Error> {
    let mut found = None;
    for parameter in list {
        let parameter = parameter?;
        let mut value = parameter.value;
        match parameter.id {
            ParameterId::ENDPOINT_GUID => return value.guid(),
            ParameterId::PARTICIPANT_GUID => found = Some(value.guid()?),
            _ => parameter.skip()?,
        }
    }
    found.ok_or(Error::Missing { what: "GUID" })
}
