//! Samples as bytes.
use crate::error::{Error, Result};
use crate::receive::loan_table::LoanedSample;
use crate::untyped::reader::ReaderCore;
use bytes::Bytes;
use dunlin_rtps::{Payload, SampleInfo};
use std::fmt;
use std::sync::Arc;

/// A sample that was taken or read, not deserialized. If its writer lent it, it still lies in that
/// process, which gets the memory back when this is dropped.
pub struct UntypedSample {
    /// States, times, origin, and what the change does to its instance (DDS 1.4 2.2.2.5.5).
    pub info: SampleInfo,
    payload: SamplePayload,
}

/// The payload of a sample that was taken or read, without what DDS says about it.
pub struct SamplePayload {
    payload: Payload,
    core: Arc<ReaderCore>,
}

/// Where the payload of a sample is that was asked for alone.
pub enum NextPayload {
    /// In the memory that the caller has given: so many octets.
    Copied(usize),
    /// Where it was: the caller's memory has no room for it.
    Kept(SamplePayload),
}

/// What became of a question for the only sample of a reader.
#[expect(
    clippy::large_enum_variant,
    reason = "a box for what is taken would be an allocation for each sample"
)]
#[derive(Debug)]
pub enum SoleSample {
    /// The reader has none that was selected.
    None,
    /// It has several samples, and all are still there.
    Several,
    /// It was taken.
    Taken(SampleInfo, NextPayload),
}

impl UntypedSample {
    pub(crate) fn new(core: &Arc<ReaderCore>, raw: dunlin_rtps::Sample) -> Self {
        Self {
            info: raw.info,
            payload: SamplePayload {
                payload: raw.payload,
                core: Arc::clone(core),
            },
        }
    }

    /// Octets of the payload, its encapsulation header included. 0 if a change came without one:
    /// then only `info` tells which instance it is about.
    pub fn len(&self) -> usize {
        self.payload.len()
    }

    /// Whether there is no payload.
    pub fn is_empty(&self) -> bool {
        self.payload.is_empty()
    }

    /// The payload in one piece: the serialized sample if `info.valid_data`, else the serialized
    /// key. What is in this process is shared; what lies in memory of its writer is copied.
    ///
    /// # Errors
    /// `Withdrawn` if the writer's process has used the memory again.
    pub fn payload(&self) -> Result<Bytes> {
        self.payload.to_bytes()
    }

    /// The payload, if it is in this process, without any copy.
    pub fn as_slice(&self) -> Option<&[u8]> {
        self.payload.as_slice()
    }

    /// Whether a part of the sample lies where its writer built it.
    pub fn is_in_place(&self) -> bool {
        self.payload.is_in_place()
    }

    /// Whether the writer's process has left the sample alone so far.
    pub fn is_valid(&self) -> bool {
        self.payload.is_valid()
    }

    /// Copies as many octets of the payload, from `offset` on, as `into` has room for.
    ///
    /// # Errors
    /// `BadParameter` if the payload ends before that, `Withdrawn`.
    pub fn copy_to(&self, offset: usize, into: &mut [u8]) -> Result<()> {
        self.payload.copy_to(offset, into)
    }

    /// Copies the payload into this process if it lies in memory of its writer:
    /// [`as_slice`](Self::as_slice) has it from now on.
    ///
    /// # Errors
    /// `Withdrawn`; then the sample is without a payload.
    pub fn make_contiguous(&mut self) -> Result<()> {
        self.payload.make_contiguous()
    }

    /// The payload alone, for whoever keeps many of them: it takes a sixth of the memory.
    #[inline]
    pub fn into_payload(self) -> SamplePayload {
        self.payload
    }
}

impl SamplePayload {
    /// Octets, the encapsulation header included.
    #[inline]
    pub fn len(&self) -> usize {
        self.payload.len()
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.payload.is_empty()
    }

    /// All of it in one piece, as of [`UntypedSample::payload`].
    ///
    /// # Errors
    /// As there.
    pub fn to_bytes(&self) -> Result<Bytes> {
        let payload = match &self.payload {
            Payload::Inline(bytes) => return Ok(bytes.clone()),
            Payload::Loaned(loaned) => self.core.contiguous(loaned),
        };
        payload.map_err(|_| self.withdrawn())
    }

    /// All of it, if it is in this process, without any copy.
    #[inline]
    pub fn as_slice(&self) -> Option<&[u8]> {
        self.payload.as_inline().map(|bytes| &**bytes)
    }

    /// Whether a part of it lies where its writer built it.
    #[inline]
    pub fn is_in_place(&self) -> bool {
        LoanedSample::of(&self.payload).is_some()
    }

    /// Whether the writer's process has left it alone so far.
    pub fn is_valid(&self) -> bool {
        LoanedSample::of(&self.payload).is_none_or(LoanedSample::is_valid)
    }

    /// Copies as many octets, from `offset` on, as `into` has room for.
    ///
    /// # Errors
    /// `BadParameter` if the payload ends before that, `Withdrawn`.
    pub fn copy_to(&self, offset: usize, into: &mut [u8]) -> Result<()> {
        let end = offset.checked_add(into.len());
        let Some(end) = end.filter(|end| *end <= self.len()) else {
            return Err(Error::BadParameter(format!(
                "{}: {} bytes from byte {offset} on are not all in a payload of {}",
                self.core.describe(),
                into.len(),
                self.len()
            )));
        };
        match &self.payload {
            Payload::Inline(bytes) => {
                dunlin_copy::copy_bytes(into, bytes.get(offset..end).unwrap_or_default());
                Ok(())
            }
            Payload::Loaned(loaned) => match loaned.owner::<LoanedSample>() {
                Some(sample) => sample.copy_to(offset, into).map_err(|_| self.withdrawn()),
                None => Err(self.withdrawn()),
            },
        }
    }

    /// Copies it into this process, as [`UntypedSample::make_contiguous`] does.
    ///
    /// # Errors
    /// As there.
    pub fn make_contiguous(&mut self) -> Result<()> {
        let copied = self.to_bytes();
        let (bytes, result) = match copied {
            Ok(bytes) => (bytes, Ok(())),
            Err(withdrawn) => (Bytes::new(), Err(withdrawn)),
        };
        self.payload = bytes.into();
        result
    }

    #[cold]
    fn withdrawn(&self) -> Error {
        Error::Withdrawn {
            entity: self.core.describe(),
        }
    }
}

impl fmt::Debug for UntypedSample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UntypedSample")
            .field("info", &self.info)
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}

impl NextPayload {
    /// Copies a payload if there is room for it.
    #[inline]
    pub(crate) fn of(core: &Arc<ReaderCore>, payload: Payload, room: &mut [u8]) -> Self {
        if let Payload::Inline(bytes) = &payload
            && let Some(into) = room.get_mut(..bytes.len())
        {
            into.copy_from_slice(bytes);
            return Self::Copied(bytes.len());
        }
        let core = Arc::clone(core);
        SamplePayload { payload, core }.next(room)
    }
}

impl SamplePayload {
    #[cold]
    fn next(self, room: &mut [u8]) -> NextPayload {
        let length = self.len();
        let into = room.get_mut(..length);
        // What its writer has withdrawn is found out again by whoever asks for it.
        match into.is_some_and(|into| self.copy_to(0, into).is_ok()) {
            true => NextPayload::Copied(length),
            false => NextPayload::Kept(self),
        }
    }
}

impl fmt::Debug for NextPayload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Copied(length) => write!(f, "Copied({length})"),
            Self::Kept(payload) => f.debug_tuple("Kept").field(payload).finish(),
        }
    }
}

impl fmt::Debug for SamplePayload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SamplePayload({} bytes)", self.len())
    }
}
