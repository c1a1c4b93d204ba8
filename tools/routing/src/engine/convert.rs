//! Samples in another representation than the one in which they came.
use bytes::{Bytes, BytesMut};
use dunlin::ChangeKind;
use dunlin::cdr::{Endianness, Xcdr};
use dunlin::xtypes::{Converter, DynamicType, ValueError};

/// Room for payloads; taken again as soon as nobody has the ones before.
const ROOM: usize = 4096;

/// What an output does to payloads before it writes them.
pub(crate) struct Conversion {
    converter: Converter,
    buffer: BytesMut,
}

impl Conversion {
    /// To this version of XCDR. Byte orders stay: a reader takes both.
    pub(crate) fn new(ty: &DynamicType, xcdr: Xcdr) -> Self {
        Self {
            converter: Converter::new(ty, xcdr, Endianness::NATIVE),
            buffer: BytesMut::with_capacity(ROOM),
        }
    }

    /// The payload as it is to be written. Allocates only if it has more bytes than any before, or
    /// if the writer keeps those before.
    pub(crate) fn apply(&mut self, kind: ChangeKind, payload: &Bytes) -> Result<Bytes, ValueError> {
        // A dispose need not say what it is of.
        if payload.is_empty() || !self.converter.is_needed(payload) {
            return Ok(payload.clone());
        }
        self.buffer.clear();
        match kind {
            ChangeKind::Alive => self.converter.convert(payload, &mut self.buffer),
            _ => self.converter.convert_key(payload, &mut self.buffer),
        }?;
        Ok(self.buffer.split().freeze())
    }
}
