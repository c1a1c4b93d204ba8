//! Samples that are looked at where they are.
use crate::error::{Error, Result};
use crate::receive::loan_table::LoanedSample;
use crate::typed::reader::Sample;
use crate::typed::topic::TopicData;
use crate::untyped::reader::ReaderCore;
use bytes::Bytes;
use dunlin_cdr::{
    Plain, bytemuck, from_payload_around, from_payload_bytes, longest_octets, plain_at,
};
use dunlin_rtps::{Loaned, Payload, SampleInfo, Withdrawn};
use dunlin_shm::Trust;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A sample that was taken and not copied: if its writer built it in loaned memory, it still lies
/// there, in the writer's process. The writer gets the memory back when the view is dropped.
///
/// That process could change what it has published. So the ways to read are copies of what is
/// wanted, after which it is known whether the sample was still there, and
/// [`trusted`](Self::trusted), for those who [trust](crate::ParticipantConfig::trusts_peers) their
/// peers. Samples that came otherwise are read by the same calls.
pub struct View<T> {
    /// States, time and origin (DDS 1.4 2.2.2.5.5).
    pub info: SampleInfo,
    payload: Payload,
    core: Arc<ReaderCore>,
    /// What is loaned lies in memory as our values do.
    is_alike: bool,
    /// A value that had to be moved to be looked at.
    moved: OnceLock<Box<[T]>>,
}

/// What is wrong with a sample.
pub(crate) enum Fault {
    Cdr(dunlin_cdr::Error),
    Withdrawn,
}

impl From<dunlin_cdr::Error> for Fault {
    fn from(error: dunlin_cdr::Error) -> Self {
        Self::Cdr(error)
    }
}

impl From<Withdrawn> for Fault {
    fn from(_: Withdrawn) -> Self {
        Self::Withdrawn
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cdr(error) => error.fmt(f),
            Self::Withdrawn => Withdrawn.fmt(f),
        }
    }
}

/// Decodes a sample, or the key that stands for one.
pub(crate) fn decode<T: TopicData>(
    core: &ReaderCore,
    info: &SampleInfo,
    payload: &Payload,
) -> std::result::Result<Option<T>, Fault> {
    match info.valid_data {
        true => value(core, payload).map(Some),
        false if payload.is_empty() => Ok(None),
        false => Ok(dunlin_cdr::key_from_payload(&payload.to_bytes()?).map(Some)?),
    }
}

fn value<T: TopicData>(core: &ReaderCore, payload: &Payload) -> std::result::Result<T, Fault> {
    match payload {
        Payload::Inline(bytes) => Ok(from_payload_bytes(bytes)?),
        Payload::Loaned(loaned) => loaned_value(core, loaned),
    }
}

/// A value whose member of type [`Bytes`] stays where it is, if the peer is trusted to leave it as
/// it is; otherwise one that is decoded from a copy.
#[inline(never)]
fn loaned_value<T: TopicData>(core: &ReaderCore, loaned: &Loaned) -> std::result::Result<T, Fault> {
    if T::PLAIN.is_none()
        && let Some(trust) = core.shared.config.trusts_peers
        && let Some(sample) = loaned.owner::<LoanedSample>()
        && let loaned = loaned.clone()
        && let Ok(value) = around(sample, &Bytes::from_owner(Trusted { loaned, trust }))
    {
        return Ok(value);
    }
    Ok(from_payload_bytes(&core.contiguous(loaned)?)?)
}

/// Loaned bytes as the owner of [`Bytes`].
struct Trusted {
    loaned: Loaned,
    trust: Trust,
}

impl AsRef<[u8]> for Trusted {
    fn as_ref(&self) -> &[u8] {
        let sample = self.loaned.owner::<LoanedSample>();
        let bytes = sample.and_then(|sample| sample.trusted(self.trust));
        bytes.unwrap_or_default()
    }
}

/// Decodes a loaned sample with `bytes` in place of what is loaned.
fn around<T: TopicData>(
    sample: &LoanedSample,
    bytes: &Bytes,
) -> std::result::Result<T, dunlin_cdr::Error> {
    let (filler, length) = (sample.filler(), sample.loan_len());
    from_payload_around(sample.rest(), sample.at(), filler, length, bytes)
}

/// Bytes of a sample where they are.
enum Place<'a> {
    Loaned(&'a LoanedSample),
    Inline(&'a [u8]),
}

impl<'a> Place<'a> {
    fn len(&self) -> usize {
        match self {
            Self::Loaned(sample) => sample.loan_len(),
            Self::Inline(bytes) => bytes.len(),
        }
    }

    fn read(&self, offset: usize, into: &mut [u8]) -> std::result::Result<(), Withdrawn> {
        match self {
            Self::Loaned(sample) => sample.read(offset, into),
            Self::Inline(bytes) => {
                let range = offset..offset.saturating_add(into.len());
                dunlin_copy::copy_bytes(into, bytes.get(range).ok_or(Withdrawn)?);
                Ok(())
            }
        }
    }

    fn trusted(&self, trust: Option<Trust>) -> Option<&'a [u8]> {
        match self {
            Self::Loaned(sample) => sample.trusted(trust?),
            Self::Inline(bytes) => Some(bytes),
        }
    }
}

impl<T: TopicData> View<T> {
    pub(crate) fn new(core: &Arc<ReaderCore>, raw: dunlin_rtps::Sample) -> Self {
        let is_plain = T::PLAIN.is_some() && matches!(raw.payload, Payload::Loaned(_));
        Self {
            is_alike: is_plain && core.is_alike(&raw.info.publication),
            info: raw.info,
            payload: raw.payload,
            core: Arc::clone(core),
            moved: OnceLock::new(),
        }
    }

    fn loaned(&self) -> Option<&LoanedSample> {
        LoanedSample::of(&self.payload)
    }

    /// Whether the sample lies where its writer built it.
    pub fn is_in_place(&self) -> bool {
        self.loaned().is_some()
    }

    /// Whether the writer's process has left the sample alone so far.
    pub fn is_valid(&self) -> bool {
        self.loaned().is_none_or(LoanedSample::is_valid)
    }

    /// The sample as [`DataReader::take`](crate::DataReader::take) gives it: decoded, with a copy
    /// of what is loaned.
    ///
    /// # Errors
    /// `Deserialization`, `Withdrawn`.
    pub fn sample(&self) -> Result<Sample<T>> {
        let value = decode(&self.core, &self.info, &self.payload);
        let value = value.map_err(|fault| self.error(fault))?;
        Ok(Sample::new(self.info, value))
    }

    /// The sample without its longest member of type [`Bytes`], which is empty: look at that by
    /// [`octets`](Self::octets).
    ///
    /// # Errors
    /// `Deserialization`, `PreconditionNotMet` if the sample has no data.
    pub fn header(&self) -> Result<T> {
        self.check_data()?;
        let header = match self.loaned() {
            Some(sample) => match around(sample, &Bytes::new()) {
                Ok(header) => return Ok(header),
                // The reader's type has it otherwise.
                Err(_) => value(&self.core, &self.payload),
            },
            None => self.inline_header(),
        };
        header.map_err(|fault| self.error(fault))
    }

    fn inline_header(&self) -> std::result::Result<T, Fault> {
        let payload = self.payload.to_bytes()?;
        let header = match longest_octets::<T>(&payload)? {
            None => from_payload_bytes(&payload),
            Some(range) => {
                let length = range.len();
                from_payload_around(&payload, range.start, length, length, &Bytes::new())
            }
        };
        Ok(header?)
    }

    /// The longest member of type [`Bytes`], where it is; `None` if there is none. Of a plain
    /// sample that is in place: all of it.
    pub fn octets(&self) -> Option<Octets<'_>> {
        let place = match &self.payload {
            Payload::Loaned(loaned) => Place::Loaned(loaned.owner()?),
            Payload::Inline(payload) if self.info.valid_data => {
                let range = longest_octets::<T>(payload).ok()??;
                Place::Inline(payload.get(range)?)
            }
            Payload::Inline(_) => return None,
        };
        Some(Octets {
            place,
            core: &self.core,
        })
    }

    fn check_data(&self) -> Result<()> {
        match self.info.valid_data {
            true => Ok(()),
            false => Err(Error::PreconditionNotMet(format!(
                "{}: the sample has no data, it only tells of a change of its instance's state",
                self.core.describe()
            ))),
        }
    }

    fn error(&self, fault: Fault) -> Error {
        let entity = self.core.describe();
        match fault {
            Fault::Cdr(error) => Error::Deserialization { entity, error },
            Fault::Withdrawn => Error::Withdrawn { entity },
        }
    }
}

impl<T: TopicData + Plain> View<T> {
    /// The memory of the value; `None` if the sample is encoded otherwise.
    fn place(&self) -> Option<Place<'_>> {
        let size = size_of::<T>();
        match &self.payload {
            Payload::Loaned(loaned) => {
                let sample = loaned.owner::<LoanedSample>()?;
                let is_it = self.is_alike
                    && plain_at::<T>(sample.head()) == Some(sample.at())
                    && sample.loan_len() == size;
                is_it.then_some(Place::Loaned(sample))
            }
            Payload::Inline(payload) => {
                let at = plain_at::<T>(payload)?;
                let end = at.checked_add(size)?;
                Some(Place::Inline(payload.get(at..end)?))
            }
        }
    }

    /// A copy of the sample.
    ///
    /// # Errors
    /// `Withdrawn`, `Deserialization`, `PreconditionNotMet` if the sample has no data.
    pub fn read(&self) -> Result<T> {
        let mut value = T::zeroed();
        self.read_into(&mut value)?;
        Ok(value)
    }

    /// Copies the sample to where it is wanted: for samples that are too large for a stack.
    ///
    /// # Errors
    /// As [`read`](Self::read); what was there is then overwritten in part.
    pub fn read_into(&self, into: &mut T) -> Result<()> {
        self.check_data()?;
        let read = match self.place() {
            Some(place) => place
                .read(0, bytemuck::bytes_of_mut(into))
                .map_err(Fault::from),
            None => self.decode_into(into),
        };
        read.map_err(|fault| self.error(fault))
    }

    /// By a value on the stack, for which there may be no room where memory is copied.
    #[inline(never)]
    fn decode_into(&self, into: &mut T) -> std::result::Result<(), Fault> {
        *into = value(&self.core, &self.payload)?;
        Ok(())
    }

    /// Copies a part of the sample: as many bytes of its memory, from `offset` on, as `into` has
    /// room for.
    ///
    /// # Errors
    /// `BadParameter` if the sample ends before that; otherwise as [`read`](Self::read).
    pub fn copy_to(&self, offset: usize, into: &mut [u8]) -> Result<()> {
        self.check_data()?;
        if let Some(place) = self.place() {
            let core = &self.core;
            return Octets { place, core }.copy_to(offset, into);
        }
        let moved = self.moved()?;
        let place = Place::Inline(bytemuck::bytes_of(moved));
        let core = &self.core;
        Octets { place, core }.copy_to(offset, into)
    }

    /// The sample where it is; `None` if it has no data, or if a process has it that is not
    /// [trusted](crate::ParticipantConfig::trusts_peers) to leave it as it is.
    pub fn trusted(&self) -> Option<&T> {
        self.check_data().ok()?;
        if let Some(place) = self.place() {
            let bytes = place.trusted(self.core.shared.config.trusts_peers)?;
            if let Ok(value) = bytemuck::try_from_bytes(bytes) {
                return Some(value);
            }
        }
        self.moved().ok()
    }

    /// A value that had to be moved, to where it is aligned, or since it is encoded otherwise.
    fn moved(&self) -> Result<&T> {
        if let Some(moved) = self.moved.get() {
            return Ok(&moved[0]);
        }
        // One: a `Box<T>` would take the way over the stack in builds without optimization.
        let mut moved = bytemuck::zeroed_slice_box(1);
        self.read_into(&mut moved[0])?;
        Ok(&self.moved.get_or_init(|| moved)[0])
    }
}

impl<T> fmt::Debug for View<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let in_place = matches!(self.payload, Payload::Loaned(_));
        f.debug_struct("View")
            .field("info", &self.info)
            .field("in_place", &in_place)
            .finish_non_exhaustive()
    }
}

/// Octets of a sample, where they are.
pub struct Octets<'a> {
    place: Place<'a>,
    core: &'a ReaderCore,
}

impl<'a> Octets<'a> {
    /// How many they are.
    pub fn len(&self) -> usize {
        self.place.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copies as many, from `offset` on, as `into` has room for.
    ///
    /// # Errors
    /// `BadParameter` if they end before that, `Withdrawn` if their writer's process has used the
    /// memory again.
    pub fn copy_to(&self, offset: usize, into: &mut [u8]) -> Result<()> {
        let end = offset.checked_add(into.len());
        if end.is_none_or(|end| end > self.len()) {
            return Err(Error::BadParameter(format!(
                "{} bytes from byte {offset} on are not all in a sample's {}",
                into.len(),
                self.len()
            )));
        }
        let entity = || self.core.describe();
        let read = self.place.read(offset, into);
        read.map_err(|_| Error::Withdrawn { entity: entity() })
    }

    /// The octets themselves; `None` if a process has them that is not
    /// [trusted](crate::ParticipantConfig::trusts_peers) to leave them as they are.
    pub fn trusted(&self) -> Option<&'a [u8]> {
        self.place.trusted(self.core.shared.config.trusts_peers)
    }
}

impl fmt::Debug for Octets<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Octets({})", self.len())
    }
}
