//! Whole payloads: encapsulation header, value, padding; and key hashes.

use bytes::{Bytes, BytesMut};
use md5::{Digest, Md5};

use crate::representation::HEADER_SIZE;
use crate::{
    Buffer, Counter, Endianness, Error, Extensibility, LoanedPart, Reader, Representation, Topic,
    Writer, Xcdr,
};

/// The most bytes behind a value that count as padding (RTPS 2.5 10.5).
const MAX_PADDING: usize = 3;

/// Length of a key hash, in bytes.
pub const KEY_HASH_SIZE: usize = 16;

/// Appends the payload of a sample in the byte order of this machine (RTPS 2.5 9.4.2.12, 10.5).
/// Allocates only if `out` has less room than [`serialized_size`] says.
///
/// # Errors
/// Those of [`Serialize::serialize`](crate::Serialize::serialize); `out` is then as before.
#[inline]
pub fn to_payload<T: Topic>(value: &T, xcdr: Xcdr, out: &mut BytesMut) -> Result<(), Error> {
    to_payload_as(value, xcdr, Endianness::NATIVE, out)
}

/// [`to_payload`] in a byte order of choice.
///
/// # Errors
/// As [`to_payload`].
#[inline]
pub fn to_payload_as<T: Topic>(
    value: &T,
    xcdr: Xcdr,
    endianness: Endianness,
    out: &mut BytesMut,
) -> Result<(), Error> {
    append::<T>(xcdr, endianness, usize::MAX, out, |w| value.serialize(w)).map(|_| ())
}

/// [`to_payload`] without a copy of the first member of type [`Bytes`] that has at least `length`
/// bytes: it is missing in `out`, and what is returned says where it belongs, from where `out`
/// ended before.
///
/// # Errors
/// As [`to_payload`].
#[inline]
pub fn to_payload_loaned<T: Topic>(
    value: &T,
    xcdr: Xcdr,
    length: usize,
    out: &mut BytesMut,
) -> Result<Option<LoanedPart>, Error> {
    append::<T>(xcdr, Endianness::NATIVE, length, out, |w| {
        value.serialize(w)
    })
}

/// Appends the payload of a dispose or unregister message: the key members only, in the
/// representation that samples of the type have (RTPS 2.5 9.6.3.9). Nothing but the header if the
/// type has no key.
///
/// # Errors
/// As [`to_payload`].
pub fn key_to_payload<T: Topic>(value: &T, xcdr: Xcdr, out: &mut BytesMut) -> Result<(), Error> {
    key_to_payload_as(value, xcdr, Endianness::NATIVE, out)
}

/// What readers of other products need of a serialized key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyForm {
    /// No headers of XCDR2 in it, whatever the extensibility of the type: Cyclone DDS up to 0.10
    /// expects none.
    pub bare: bool,
    /// At least `LONG_KEY` bytes, zeros behind it: Fast DDS takes a shorter payload itself for the
    /// name of the instance.
    pub long: bool,
}

impl KeyForm {
    /// Makes a key payload that begins here as long as it has to be.
    pub fn lengthen(self, xcdr: Xcdr, begin: usize, out: &mut BytesMut) {
        if self.long && xcdr == Xcdr::V1 && out.len() - begin < LONG_KEY {
            out.resize(begin + LONG_KEY, 0);
        }
    }
}

/// Bytes of a payload that cannot be taken for a key hash.
const LONG_KEY: usize = KEY_HASH_SIZE + 4;

/// [`key_to_payload`] for whoever needs another form.
///
/// # Errors
/// As [`to_payload`].
pub fn key_to_payload_in<T: Topic>(
    value: &T,
    xcdr: Xcdr,
    form: KeyForm,
    out: &mut BytesMut,
) -> Result<(), Error> {
    let begin = out.len();
    append::<T>(xcdr, Endianness::NATIVE, usize::MAX, out, |w| {
        if form.bare && xcdr == Xcdr::V2 {
            w.set_plain();
        }
        if T::HAS_KEY {
            value.serialize_key(w)
        } else {
            Ok(())
        }
    })?;
    form.lengthen(xcdr, begin, out);
    Ok(())
}

/// [`key_to_payload`] in a byte order of choice.
///
/// # Errors
/// As [`to_payload`].
pub fn key_to_payload_as<T: Topic>(
    value: &T,
    xcdr: Xcdr,
    endianness: Endianness,
    out: &mut BytesMut,
) -> Result<(), Error> {
    append::<T>(xcdr, endianness, usize::MAX, out, |w| {
        if T::HAS_KEY {
            value.serialize_key(w)
        } else {
            Ok(())
        }
    })
    .map(|_| ())
}

/// The exact length of what [`to_payload`] appends, in bytes. For a value that `to_payload`
/// refuses, that of the part before the fault.
#[inline]
pub fn serialized_size<T: Topic>(value: &T, xcdr: Xcdr) -> usize {
    extent(value, xcdr).size
}

/// How long a payload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// As [`serialized_size`] says.
    pub size: usize,
    /// The longest member of type [`Bytes`], which [`to_payload_loaned`] can leave out; 0 if there
    /// is none.
    pub longest: usize,
}

/// [`serialized_size`], and how much of it one member may be.
#[inline]
pub fn extent<T: Topic>(value: &T, xcdr: Xcdr) -> Extent {
    let mut w = Writer::<Counter>::counting(xcdr);
    w.encapsulation([0; HEADER_SIZE]);
    // The error comes back, with its reason, when the value is written.
    let _ = value.serialize(&mut w);
    w.pad_payload(0);
    Extent {
        size: w.position(),
        longest: w.sink().longest(),
    }
}

#[inline]
pub(crate) fn append<T: Topic>(
    xcdr: Xcdr,
    endianness: Endianness,
    leave_out: usize,
    out: &mut BytesMut,
    body: impl FnOnce(&mut Writer<Buffer<'_>>) -> Result<(), Error>,
) -> Result<Option<LoanedPart>, Error> {
    let representation = Representation {
        xcdr,
        extensibility: T::EXTENSIBILITY,
        endianness,
    };
    let length = out.len();
    let mut w = Writer::new(out, xcdr, endianness);
    w.sink_mut().leave_out(leave_out);
    w.encapsulation(representation.header());
    let result = body(&mut w);
    w.pad_payload(0);
    w.finish();
    let loaned = w.sink_mut().take_loaned();
    if result.is_err() {
        out.truncate(length);
    }
    result.map(|()| loaned)
}

/// Reads the payload of a sample, in whatever representation its header names.
///
/// # Errors
/// Whatever is wrong with the payload.
#[inline]
pub fn from_payload<T: Topic>(payload: &[u8]) -> Result<T, Error> {
    let (mut r, representation) = open::<T>(payload, None)?;
    whole((&mut r, representation))
}

/// As [`from_payload`], but fields of type [`Bytes`] become slices of the payload and keep it
/// alive: nothing is copied.
///
/// # Errors
/// Whatever is wrong with the payload.
#[inline]
pub fn from_payload_bytes<T: Topic>(payload: &Bytes) -> Result<T, Error> {
    let (mut r, representation) = open::<T>(payload, Some(payload))?;
    whole((&mut r, representation))
}

/// All of a payload as one value: at most 3 bytes are behind it, for not all vendors announce their
/// padding. Behind an appendable value in XCDR1 may be members of a later version, for nothing says
/// how long the value is.
#[inline]
pub(crate) fn whole<T: Topic>(
    (r, representation): (&mut Reader<'_>, Representation),
) -> Result<T, Error> {
    let end = r.remaining();
    adapt(r, representation, T::EXTENSIBILITY)?;
    let value = T::deserialize(r)?;
    let left = end.saturating_sub(r.position());
    if left <= MAX_PADDING || may_go_on::<T>(representation) {
        Ok(value)
    } else {
        Err(Error::TrailingBytes(left))
    }
}

#[inline]
fn may_go_on<T: Topic>(representation: Representation) -> bool {
    T::EXTENSIBILITY == Extensibility::Appendable && representation.xcdr == Xcdr::V1
}

/// Reads the payload of a dispose or unregister message; members that are no key get their default
/// value.
///
/// Cyclone DDS 0.10 writes the XCDR2 keys of appendable and mutable types without their headers;
/// those are understood too.
///
/// # Errors
/// Whatever is wrong with the payload.
pub fn key_from_payload<T: Topic>(payload: &[u8]) -> Result<T, Error> {
    let (r, representation) = open::<T>(payload, None)?;
    let plain = || plain_key::<T>(r.clone());
    let regular = || {
        let mut r = r.clone();
        adapt(&mut r, representation, T::EXTENSIBILITY)?;
        T::deserialize_key(&mut r)
    };
    if !T::HAS_KEY {
        Ok(T::default_value())
    } else if representation.xcdr == Xcdr::V1
        || representation.extensibility == Extensibility::Final
    {
        regular()
    } else if is_delimited(r.clone()) {
        regular().or_else(|error| plain().map_err(|_| error))
    } else {
        plain().or_else(|_| regular())
    }
}

/// Whether the data begins with a DHEADER that covers all of it. Vendors that do not announce
/// padding leave up to three bytes over.
fn is_delimited(mut r: Reader<'_>) -> bool {
    r.take_length().is_ok_and(|length| {
        r.remaining()
            .checked_sub(length)
            .is_some_and(|rest| rest < 4)
    })
}

fn plain_key<T: Topic>(mut r: Reader<'_>) -> Result<T, Error> {
    r.set_plain();
    let value = T::deserialize_key(&mut r)?;
    if r.remaining() < 4 {
        Ok(value)
    } else {
        Err(Error::MemberHeader)
    }
}

/// A reader of what is behind the encapsulation header of a sample, for a type of this
/// extensibility.
///
/// # Errors
/// [`Error::Truncated`], [`Error::UnknownRepresentation`], [`Error::Padding`] or
/// [`Error::WrongExtensibility`].
pub fn reader_of(payload: &[u8], extensibility: Extensibility) -> Result<Reader<'_>, Error> {
    let (body, representation) = unwrap(payload)?;
    let mut r = Reader::new(body, representation.xcdr, representation.endianness);
    adapt(&mut r, representation, extensibility)?;
    Ok(r)
}

/// What is behind the encapsulation header, without padding.
#[inline]
fn unwrap(payload: &[u8]) -> Result<(&[u8], Representation), Error> {
    let Some((&[high, low, _, options], body)) = payload.split_first_chunk::<HEADER_SIZE>() else {
        return Err(Error::Truncated {
            wanted: HEADER_SIZE,
            left: payload.len(),
        });
    };
    let id = u16::from_be_bytes([high, low]);
    let representation = Representation::from_id(id)?;
    let padding = usize::from(options & 3);
    let length = body.len().checked_sub(padding).ok_or(Error::Padding)?;
    Ok((body.get(..length).unwrap_or_default(), representation))
}

#[inline]
pub(crate) fn open<'a, T: Topic>(
    payload: &'a [u8],
    owner: Option<&'a Bytes>,
) -> Result<(Reader<'a>, Representation), Error> {
    let (body, representation) = unwrap(payload)?;
    let mut r = Reader::new(body, representation.xcdr, representation.endianness)
        .with_budget(payload.len(), T::EXPANSION);
    if let Some(owner) = owner {
        r = r.with_owner(owner, HEADER_SIZE);
    }
    Ok((r, representation))
}

/// Vendors do not agree whether a type without annotation is final or appendable, so either is read
/// as the header says. A type that is mutable on one side only is an error.
#[inline]
fn adapt(
    r: &mut Reader<'_>,
    representation: Representation,
    extensibility: Extensibility,
) -> Result<(), Error> {
    use Extensibility::{Appendable, Final, Mutable};
    match (representation.extensibility, extensibility) {
        (Mutable, Mutable) | (Final, Final) | (Appendable, Appendable) => {}
        (Final, Appendable) if representation.xcdr == Xcdr::V1 => {}
        (Final, Appendable) => r.set_undelimited(),
        (Appendable, Final) => {
            let _ = r.begin_delimited()?;
        }
        _ => return Err(Error::WrongExtensibility(representation.id())),
    }
    Ok(())
}

/// The hash that names an instance (RTPS 2.5 9.6.4.8, DDS-XTypes 1.3 7.6.8): the key members in the
/// order of their ids as plain big-endian XCDR2, filled up with zeros if they always fit 16 bytes,
/// else their MD5. All zeros if the type has no key. Allocates only for keys of more than 256
/// bytes.
///
/// # Errors
/// Those of [`Serialize::serialize`](crate::Serialize::serialize).
#[inline]
pub fn key_hash<T: Topic>(value: &T) -> Result<[u8; KEY_HASH_SIZE], Error> {
    if !T::HAS_KEY {
        return Ok([0; KEY_HASH_SIZE]);
    }
    let mut overflow = BytesMut::new();
    let sink = Buffer::<256>::new(&mut overflow);
    let mut w = Writer::with_sink(sink, Xcdr::V2, Endianness::Big);
    w.set_plain();
    value.serialize_key(&mut w)?;
    if let Some(key) = w.sink().staged() {
        return Ok(hash(key, fits_hash::<T>()));
    }
    w.finish();
    Ok(hash(&overflow, fits_hash::<T>()))
}

/// The most bytes that a key of this type takes in plain XCDR2; `None` if it has no bound. Above 16
/// the value is only known to be above 16.
#[inline]
pub fn key_max_size<T: Topic>() -> Option<usize> {
    if T::HAS_KEY { T::key_end(0) } else { Some(0) }
}

#[inline]
fn fits_hash<T: Topic>() -> bool {
    key_max_size::<T>().is_some_and(|size| size <= KEY_HASH_SIZE)
}

#[inline]
fn hash(key: &[u8], fits: bool) -> [u8; KEY_HASH_SIZE] {
    let mut hash = [0; KEY_HASH_SIZE];
    match hash.get_mut(..key.len()) {
        Some(prefix) if fits => prefix.copy_from_slice(key),
        _ => hash = Md5::digest(key).into(),
    }
    hash
}
