//! The header of each RTPS message (RTPS 2.5 8.3.6, 9.4.4).
use crate::cursor::Cursor;
use crate::{Error, GuidPrefix, ProtocolVersion, VendorId};
use bytes::BufMut;

/// Who sends and in which version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Version of the message.
    pub version: ProtocolVersion,
    /// Product that sends.
    pub vendor: VendorId,
    /// Participant that sends.
    pub prefix: GuidPrefix,
}

impl Header {
    /// Bytes on the wire.
    pub const SIZE: usize = 20;

    /// Dunlin's header for the participant `prefix`.
    pub const fn new(prefix: GuidPrefix) -> Self {
        Self {
            version: ProtocolVersion::CURRENT,
            vendor: VendorId::DUNLIN,
            prefix,
        }
    }

    /// Writes `SIZE` bytes.
    #[inline]
    pub fn encode(&self, out: &mut impl BufMut) {
        out.put_slice(self.words().as_flattened());
    }

    #[inline(always)]
    pub(crate) fn words(&self) -> [[u8; 4]; 5] {
        let [v0, v1] = self.vendor.0;
        let ProtocolVersion { major, minor } = self.version;
        let [a, b, c, d, e, f, g, h, i, j, k, l] = self.prefix.0;
        let product = [major, minor, v0, v1];
        [*b"RTPS", product, [a, b, c, d], [e, f, g, h], [i, j, k, l]]
    }

    /// Refuses other protocols and other major versions (RTPS 2.5 8.3.6.3).
    #[inline]
    pub(crate) fn parse(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        if cursor.array()? != *b"RTPS" {
            return Err(cursor.invalid());
        }
        let [major, minor] = cursor.array()?;
        if major != ProtocolVersion::CURRENT.major {
            return Err(cursor.invalid_as("protocol version"));
        }
        Ok(Self {
            version: ProtocolVersion { major, minor },
            vendor: VendorId(cursor.array()?),
            prefix: cursor.prefix()?,
        })
    }
}
