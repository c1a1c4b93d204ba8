//! Octets: counted bytes, which do not change once they are sealed.
use crate::error::{Failure, Outcome, entry};
use crate::handle::Kind;
use crate::memory::{Array, In, Out, Place, dunlin_release, foreign};
use crate::object::{self, Object, create};
use crate::reader::{dunlin_reader, dunlin_sample, with_sample};
use crate::writer::dunlin_writer;
use bytes::Bytes;
use dunlin::LoanedBytes;
use dunlin::untyped::SamplePayload;
use dunlin_lock::Lock;
use std::ffi::c_void;

/// Counted bytes.
pub type dunlin_octets = u64;

/// Bytes that are being written, or that are not changed any more.
pub(crate) struct Octets(Lock<State>);

enum State {
    Open(Open),
    Sealed(Bytes),
    /// For a moment, while they are sealed.
    Nothing,
}

enum Open {
    Shared(LoanedBytes),
    Own(Vec<u8>),
}

impl Octets {
    pub(crate) fn sealed(bytes: Bytes) -> Self {
        Self(Lock::new(State::Sealed(bytes)))
    }

    /// The bytes, if they are sealed.
    pub(crate) fn get(&self) -> Outcome<Bytes> {
        match &*self.0.lock() {
            State::Sealed(bytes) => Ok(bytes.clone()),
            _ => Err(Failure::precondition(
                "the octets are still being written: call dunlin_octets_seal first",
            )),
        }
    }

    fn seal(&self) -> Outcome {
        let mut state = self.0.lock();
        let sealed = match std::mem::replace(&mut *state, State::Nothing) {
            State::Open(Open::Shared(bytes)) => bytes.freeze(),
            State::Open(Open::Own(bytes)) => bytes.into(),
            before => {
                *state = before;
                return Err(Failure::precondition("the octets are sealed already"));
            }
        };
        *state = State::Sealed(sealed);
        Ok(())
    }
}

fn new_handle(octets: Octets) -> Outcome<dunlin_octets> {
    create(Kind::Octets, Object::Octets(octets))
}

/// Octets to be written: `data` is where, until `dunlin_octets_seal`. With a writer they lie where
/// readers of this host see them, if there is such memory; the writer may be 0.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_octets_new(
    writer: dunlin_writer,
    length: u64,
    data: Out<'_, *mut u8>,
    octets: Out<'_, dunlin_octets>,
) -> i32 {
    entry(|| {
        let data = data.required("data")?;
        let place = octets.required("octets")?;
        let length = checked_length(length)?;
        let mut open = match writer {
            0 => Open::Own(vec![0; length]),
            writer => Open::Shared(object::writer(writer)?.core.loan_bytes(length)),
        };
        let at = match &mut open {
            Open::Shared(bytes) => Place::of(bytes),
            Open::Own(bytes) => Place::of(bytes),
        };
        let handle = new_handle(Octets(Lock::new(State::Open(open))))?;
        data.put(at.address());
        place.put(handle);
        Ok(())
    })
}

/// No more than a sample may have.
pub(crate) fn checked_length(length: u64) -> Outcome<usize> {
    let most = u64::from(dunlin::ParticipantConfig::LARGEST_SAMPLE);
    match usize::try_from(length) {
        Ok(bytes) if length <= most => Ok(bytes),
        _ => Err(Failure::resources(format!(
            "{length} bytes are asked for, and the largest sample has {most}"
        ))),
    }
}

/// The octets are written, and do not change from now on.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_octets_seal(octets: dunlin_octets) -> i32 {
    entry(|| object::octets(octets)?.seal())
}

/// Another reference to the same octets.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_octets_clone(octets: dunlin_octets, clone: Out<'_, dunlin_octets>) -> i32 {
    entry(|| {
        let place = clone.required("clone")?;
        let bytes = object::octets(octets)?.get()?;
        place.put(new_handle(Octets::sealed(bytes))?);
        Ok(())
    })
}

/// A reference to a part of them, which shares their memory.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_octets_slice(
    octets: dunlin_octets,
    offset: u64,
    length: u64,
    slice: Out<'_, dunlin_octets>,
) -> i32 {
    entry(|| {
        let place = slice.required("slice")?;
        let bytes = part(&object::octets(octets)?.get()?, offset, length)?;
        place.put(new_handle(Octets::sealed(bytes))?);
        Ok(())
    })
}

/// A part of counted bytes.
pub(crate) fn part(bytes: &Bytes, offset: u64, length: u64) -> Outcome<Bytes> {
    let end = offset.checked_add(length);
    match end.filter(|end| *end <= bytes.len() as u64) {
        // Both are at most the length, which is a usize.
        Some(end) => Ok(bytes.slice(offset as usize..end as usize)),
        None => Err(Failure::bad(format!(
            "{length} bytes from byte {offset} on are not all in {}",
            bytes.len()
        ))),
    }
}

/// Where they lie, as long as there is a reference to them.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_octets_data(
    octets: dunlin_octets,
    data: Out<'_, *const u8>,
    length: Out<'_, u64>,
) -> i32 {
    entry(|| {
        let data = data.required("data")?;
        let length = length.required("length")?;
        let bytes = object::octets(octets)?.get()?;
        data.put(bytes.as_ptr());
        length.put(bytes.len() as u64);
        Ok(())
    })
}

/// Memory of the application as octets. It does not change until `release` is called with the
/// context: once, on any thread, when the last reference is gone.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_octets_wrap(
    data: Array<'_, u8>,
    length: u64,
    release: dunlin_release,
    context: *mut c_void,
    octets: Out<'_, dunlin_octets>,
) -> i32 {
    entry(|| {
        let place = octets.required("octets")?;
        checked_length(length)?;
        let bytes = data.slice(length, "data")?;
        // The memory is the library's when this has succeeded; before, nothing may release it.
        let handle = new_handle(Octets(Lock::new(State::Nothing)))?;
        *object::octets(handle)?.0.lock() = State::Sealed(foreign(bytes, context, release));
        place.put(handle);
        Ok(())
    })
}

/// A part of a sample, which shares its memory if that is private memory.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_octets_of_sample(
    reader: dunlin_reader,
    sample: In<'_, dunlin_sample>,
    offset: u64,
    length: u64,
    octets: Out<'_, dunlin_octets>,
) -> i32 {
    entry(|| {
        let place = octets.required("octets")?;
        let token = sample.required("sample")?.token;
        let bytes = with_sample(reader, token, SamplePayload::to_bytes)??;
        place.put(new_handle(Octets::sealed(part(&bytes, offset, length)?))?);
        Ok(())
    })
}

/// Gives a reference up.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_octets_free(octets: dunlin_octets) -> i32 {
    entry(|| {
        object::octets(octets)?.close();
        Ok(())
    })
}
