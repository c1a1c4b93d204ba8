//! Samples and keys in another representation than the one in which they came.

use bytes::BytesMut;
use dunlin_cdr::{Endianness, KeyForm, Representation, Xcdr};

use crate::output::Writer;
use crate::payload::{append, open, representation};
use crate::transcode::{Part, Transcoder};
use crate::{DynamicType, KeyPlan, ValueError};

/// Writes payloads of a type anew in one version of XCDR and one byte order (DDS-XTypes 1.3 7.4).
///
/// Nothing is built in between: values go from bytes to bytes. What is written is what
/// `dunlin_cdr` writes of the same value.
#[derive(Clone, Debug)]
pub struct Converter {
    ty: DynamicType,
    keys: KeyPlan,
    xcdr: Xcdr,
    endianness: Endianness,
}

impl Converter {
    /// To this representation, of a type of topics.
    pub fn new(ty: &DynamicType, xcdr: Xcdr, endianness: Endianness) -> Self {
        let ty = ty.resolved();
        Self {
            keys: KeyPlan::new(&ty),
            ty,
            xcdr,
            endianness,
        }
    }

    /// Whether a payload is of another version of XCDR, or none can tell. Byte orders do not count:
    /// every reader takes both.
    #[inline]
    pub fn is_needed(&self, payload: &[u8]) -> bool {
        representation(payload).map(|its| its.xcdr) != Ok(self.xcdr)
    }

    /// Appends the payload of a sample: header, value and padding. Members that the type does not
    /// name are left out. Allocates only if `out` has no room, and for structures that are mutable
    /// and have more than 16 members.
    ///
    /// # Errors
    /// Whatever is wrong with the payload up to the end of the value. A member that is not there,
    /// since the sender has an older version of the type, is [`ValueError::Missing`] unless it is
    /// optional. `out` is then as before.
    pub fn convert(&self, payload: &[u8], out: &mut BytesMut) -> Result<(), ValueError> {
        let to = Representation {
            xcdr: self.xcdr,
            extensibility: self.ty.extensibility(),
            endianness: self.endianness,
        };
        append(&to, out, |out| {
            let mut r = open(payload, self.ty.extensibility())?.reader;
            let mut transcoder = Transcoder {
                tree: self.ty.tree(),
                w: Writer::new(out, self.xcdr, self.endianness, false),
                from_key: false,
                depth: 0,
            };
            transcoder.value(&mut r, self.ty.index(), Part::Whole)
        })
    }

    /// Appends the payload of a dispose or unregister message, which has the key members only. It
    /// is in the byte order of this machine, whatever samples are in.
    ///
    /// # Errors
    /// As [`convert`](Self::convert).
    pub fn convert_key(&self, key: &[u8], out: &mut BytesMut) -> Result<(), ValueError> {
        self.keys
            .rewrite_key(key, self.xcdr, KeyForm::default(), out)
    }
}
