//! Liveliness between participants (RTPS 2.5 8.4.13, 9.6.3.1).
use super::value;
use crate::parameter_writer::put_len;
use crate::{Error, GuidPrefix};
use alloc::vec::Vec;
use bytes::Bytes;

/// ParticipantMessageData: "I live", or whatever a vendor wants to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParticipantMessage<'a> {
    /// Whose writers live.
    pub prefix: GuidPrefix,
    /// What is said: one of the constants, or a vendor's own with the first bit set.
    pub kind: [u8; 4],
    /// Opaque.
    pub data: &'a [u8],
}

impl<'a> ParticipantMessage<'a> {
    /// Writers with automatic liveliness live.
    pub const AUTOMATIC: [u8; 4] = [0, 0, 0, 1];
    /// Writers with liveliness by participant live.
    pub const MANUAL_BY_PARTICIPANT: [u8; 4] = [0, 0, 0, 2];

    /// The instance that such messages update: the prefix and the kind.
    pub fn key_hash(&self) -> [u8; 16] {
        crate::Guid::new(self.prefix, crate::EntityId(self.kind)).to_bytes()
    }

    /// Reads a payload, encapsulation header (CDR) included.
    pub fn parse(payload: &'a [u8]) -> Result<Self, Error> {
        let (identifier, rest) = value::encapsulation(payload)?;
        let mut rest = rest.of("participant message");
        if identifier > 1 {
            return Err(rest.invalid());
        }
        Ok(Self {
            prefix: rest.prefix()?,
            kind: rest.array()?,
            data: {
                let length = rest.u32()? as usize;
                rest.bytes(length)?
            },
        })
    }

    /// The payload, encapsulation header included.
    pub fn encode(&self) -> Bytes {
        let mut out = Vec::with_capacity(self.data.len().saturating_add(24));
        out.extend_from_slice(&[0, 1, 0, 0]);
        out.extend_from_slice(&self.prefix.0);
        out.extend_from_slice(&self.kind);
        put_len(&mut out, self.data.len());
        out.extend_from_slice(self.data);
        out.into()
    }
}
