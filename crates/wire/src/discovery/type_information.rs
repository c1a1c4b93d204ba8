//! What an endpoint announces of its type, as bytes (DDS-XTypes 1.3 7.6.3.2.2).
use super::UnknownParameters;
use crate::{Endianness, Error, Parameter, ParameterId, ParameterWriter};
use bytes::Bytes;

/// The `TypeInformation` of an endpoint as it travels in PID_TYPE_INFORMATION: XCDR2 without
/// encapsulation header, in the byte order of the parameter list that it came in. Nothing here reads
/// it.
///
/// It may have up to three bytes of padding at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedTypeInformation {
    /// The bytes.
    pub bytes: Bytes,
    /// In which byte order the numbers in them are.
    pub endianness: Endianness,
    /// Only Dunlin's participants are told, by a parameter that others skip.
    pub for_dunlin: bool,
}

impl EncodedTypeInformation {
    /// The most bytes that are taken in and told: more than both halves with 128 dependencies each
    /// have.
    pub const MOST: usize = 8192;

    /// In the byte order in which all that Dunlin says is written.
    pub fn little_endian(bytes: impl Into<Bytes>) -> Self {
        Self {
            bytes: bytes.into(),
            endianness: Endianness::Little,
            for_dunlin: false,
        }
    }

    /// What a parameter has. If it is larger than [`MOST`](Self::MOST) the endpoint counts as one
    /// without; that something was left out is noted in `unknown`. Fails only if nobody may skip
    /// the parameter.
    pub(super) fn take(
        parameter: &Parameter<'_>,
        unknown: &mut UnknownParameters,
    ) -> Result<Option<Self>, Error> {
        let bytes = parameter.value();
        if bytes.len() > Self::MOST {
            parameter.skip()?;
            unknown.note_cut();
            return Ok(None);
        }
        Ok((!bytes.is_empty()).then(|| Self {
            bytes: Bytes::copy_from_slice(bytes),
            endianness: parameter.value.endianness(),
            for_dunlin: parameter.id == ParameterId::DUNLIN_TYPE_INFORMATION,
        }))
    }

    /// What is told to everybody goes first: the other parameter may be something else of another
    /// product.
    pub(super) fn keep(known: &mut Option<Self>, taken: Option<Self>) {
        if known.as_ref().is_none_or(|known| known.for_dunlin) && taken.is_some() {
            *known = taken;
        }
    }

    /// Nothing, if numbers in it are in another byte order than in the list.
    pub(super) fn encode(&self, out: &mut ParameterWriter) {
        if self.bytes.len() > Self::MOST {
            out.fail("type information", Self::MOST);
        }
        let id = match self.for_dunlin {
            true => ParameterId::DUNLIN_TYPE_INFORMATION,
            false => ParameterId::TYPE_INFORMATION,
        };
        if self.endianness == Endianness::Little {
            out.put(id, |out| {
                out.extend_from_slice(&self.bytes);
            });
        }
    }
}
