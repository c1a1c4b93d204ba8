//! Samples that are looked at where they are.
use crate::error::{Error, Result};
use crate::receive::loan_table::{self, Aside, Kept, Withdrawn};
use crate::typed::reader::Sample;
use crate::typed::topic::TopicData;
use crate::untyped::reader::ReaderCore;
use bytes::Bytes;
use dunlin_cdr::{
    Plain, bytemuck, from_payload_around, from_payload_bytes, longest_octets, plain_at,
};
use dunlin_rtps::SampleInfo;
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
    // Goes before `kept`, which looks whether it was the last.
    payload: Bytes,
    kept: Option<Kept>,
    core: Arc<ReaderCore>,
    /// What is elsewhere looks as our memory does.
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
            Self::Withdrawn => f.write_str("its writer has used its memory again"),
        }
    }
}

/// Decodes a sample, or the key that stands for one.
pub(crate) fn decode<T: TopicData>(
    core: &ReaderCore,
    info: &SampleInfo,
    payload: &Bytes,
    kept: Option<&Kept>,
) -> std::result::Result<Option<T>, Fault> {
    match (info.valid_data, payload.is_empty()) {
        (true, _) => value(core, payload, kept).map(Some),
        (false, true) => Ok(None),
        (false, false) => Ok(dunlin_cdr::key_from_payload(payload).map(Some)?),
    }
}

fn value<T: TopicData>(
    core: &ReaderCore,
    payload: &Bytes,
    kept: Option<&Kept>,
) -> std::result::Result<T, Fault> {
    let Some((kept, aside)) = kept.and_then(|kept| Some((kept, kept.aside()?))) else {
        return Ok(from_payload_bytes(payload)?);
    };
    let trust = core.shared.config.trusts_peers;
    if T::PLAIN.is_none()
        && let Some(octets) = in_place(kept, aside, trust)
        && let Ok(value) = around(aside, &octets)
    {
        return Ok(value);
    }
    Ok(from_payload_bytes(&core.whole(aside)?)?)
}

/// The octets as counted bytes, if nobody changes them.
fn in_place(kept: &Kept, aside: Aside<'_>, trust: Option<Trust>) -> Option<Bytes> {
    match (aside.octets(), trust) {
        (loan_table::Octets::Own(bytes), _) => Some(bytes.clone()),
        (loan_table::Octets::Loan(_), Some(trust)) => {
            let kept = kept.share()?;
            Some(Bytes::from_owner(Trusted { kept, trust }))
        }
        _ => None,
    }
}

/// Octets of a peer as the owner of bytes.
struct Trusted {
    kept: Kept,
    trust: Trust,
}

impl AsRef<[u8]> for Trusted {
    fn as_ref(&self) -> &[u8] {
        let octets = self.kept.aside().map(|aside| aside.octets());
        octets
            .and_then(|octets| octets.trusted(Some(self.trust)))
            .unwrap_or_default()
    }
}

fn around<T: TopicData>(
    aside: Aside<'_>,
    octets: &Bytes,
) -> std::result::Result<T, dunlin_cdr::Error> {
    let (filler, length) = (aside.filler(), aside.octets().len());
    from_payload_around(aside.rest(), aside.at(), filler, length, octets)
}

/// Bytes of a sample where they are.
enum Place<'a> {
    Aside(&'a loan_table::Octets),
    Here(&'a [u8]),
}

impl<'a> Place<'a> {
    fn len(&self) -> usize {
        match self {
            Self::Aside(octets) => octets.len(),
            Self::Here(bytes) => bytes.len(),
        }
    }

    fn read(&self, offset: usize, into: &mut [u8]) -> std::result::Result<(), Withdrawn> {
        match self {
            Self::Aside(octets) => octets.read(offset, into),
            Self::Here(bytes) => {
                let range = offset..offset.saturating_add(into.len());
                into.copy_from_slice(bytes.get(range).ok_or(Withdrawn)?);
                Ok(())
            }
        }
    }

    fn trusted(&self, trust: Option<Trust>) -> Option<&'a [u8]> {
        match self {
            Self::Aside(octets) => octets.trusted(trust),
            Self::Here(bytes) => Some(bytes),
        }
    }
}

impl<T: TopicData> View<T> {
    pub(crate) fn new(core: &Arc<ReaderCore>, mut raw: dunlin_rtps::Sample) -> Self {
        let kept = match T::PLAIN {
            Some(_) => core.shared.desk.claim(&mut raw.payload),
            // Members of type `Bytes` of a decoded sample may share it with the view.
            None => core.shared.desk.find(&raw.payload),
        };
        let is_plain = T::PLAIN.is_some() && kept.is_some();
        Self {
            info: raw.info,
            is_alike: is_plain && core.is_alike(&raw.info.publication),
            kept,
            payload: raw.payload,
            core: Arc::clone(core),
            moved: OnceLock::new(),
        }
    }

    fn aside(&self) -> Option<Aside<'_>> {
        self.kept.as_ref()?.aside()
    }

    /// Whether the sample lies where its writer built it.
    pub fn is_in_place(&self) -> bool {
        self.aside().is_some()
    }

    /// Whether the writer's process has left the sample alone so far.
    pub fn is_valid(&self) -> bool {
        self.aside().is_none_or(|aside| aside.octets().is_valid())
    }

    /// The sample as [`DataReader::take`](crate::DataReader::take) gives it: decoded, with a copy
    /// of what is elsewhere.
    ///
    /// # Errors
    /// `Deserialization`, `Withdrawn`.
    pub fn sample(&self) -> Result<Sample<T>> {
        let value = decode(&self.core, &self.info, &self.payload, self.kept.as_ref())
            .map_err(|fault| self.error(fault))?;
        Ok(Sample::new(self.info, value))
    }

    /// The sample without its longest member of type [`Bytes`], which is empty: look at that by
    /// [`octets`](Self::octets).
    ///
    /// # Errors
    /// `Deserialization`, `PreconditionNotMet` if the sample has no data.
    pub fn header(&self) -> Result<T> {
        self.check_data()?;
        let header = match self.aside() {
            Some(aside) => match around(aside, &Bytes::new()) {
                Ok(header) => return Ok(header),
                // The reader's type has it otherwise.
                Err(_) => value(&self.core, &self.payload, self.kept.as_ref()),
            },
            None => self.plain_header().map_err(Fault::Cdr),
        };
        header.map_err(|fault| self.error(fault))
    }

    fn plain_header(&self) -> std::result::Result<T, dunlin_cdr::Error> {
        match longest_octets::<T>(&self.payload)? {
            None => from_payload_bytes(&self.payload),
            Some(range) => {
                let length = range.len();
                from_payload_around(&self.payload, range.start, length, length, &Bytes::new())
            }
        }
    }

    /// The longest member of type [`Bytes`], where it is; `None` if there is none. Of a plain
    /// sample that is in place: all of it.
    pub fn octets(&self) -> Option<Octets<'_>> {
        let place = match self.aside() {
            Some(aside) => Place::Aside(aside.octets()),
            None if self.info.valid_data => {
                let range = longest_octets::<T>(&self.payload).ok()??;
                Place::Here(self.payload.get(range)?)
            }
            None => return None,
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
        match self.aside() {
            Some(aside) => {
                let is_it = self.is_alike
                    && plain_at::<T>(aside.head()) == Some(aside.at())
                    && aside.octets().len() == size;
                is_it.then(|| Place::Aside(aside.octets()))
            }
            None => {
                let at = plain_at::<T>(&self.payload)?;
                let end = at.checked_add(size)?;
                Some(Place::Here(self.payload.get(at..end)?))
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
        *into = value(&self.core, &self.payload, self.kept.as_ref())?;
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
        let place = Place::Here(bytemuck::bytes_of(moved));
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
        let in_place = self.kept.is_some();
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
