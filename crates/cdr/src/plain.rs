//! Types whose memory is their encoding, so that a sample can be built and read where it lies.

use alloc::boxed::Box;
use core::ops::Deref;

use bytemuck::Pod;
use bytes::{Bytes, BytesMut};

use crate::payload::append;
use crate::{
    Endianness, Error, Extensibility, HEADER_SIZE, KEY_HASH_SIZE, Layout, LoanedPart,
    Representation, Topic, Xcdr, key_hash, key_to_payload,
};

/// A type without padding of which any bits are a value: numbers, arrays of them, and structs with
/// `#[topic(plain)]`.
///
/// Such a struct is `#[repr(C)]`, `Clone`, `Copy`, and final or appendable; its members are plain.
/// The derive checks at compile time that each member begins where the one before ends: then memory
/// is laid out as XCDR1 has it.
///
/// ```
/// use dunlin_derive::Topic;
///
/// #[derive(Topic, Clone, Copy)]
/// #[topic(crate = "dunlin_cdr", plain)]
/// #[repr(C)]
/// struct Image {
///     #[key]
///     camera: u32,
///     number: u32,
///     taken: u64,
///     pixels: [u8; 640 * 480],
/// }
/// ```
///
/// A member behind padding is an error that names it:
///
/// ```compile_fail
/// # use dunlin_derive::Topic;
/// #[derive(Topic, Clone, Copy)]
/// #[topic(crate = "dunlin_cdr", plain)]
/// #[repr(C)]
/// struct Image {
///     number: u32,
///     taken: u64, // put it first
/// }
/// ```
///
/// So is one whose values do not have all bit patterns, such as `bool`:
///
/// ```compile_fail
/// # use dunlin_derive::Topic;
/// #[derive(Topic, Clone, Copy)]
/// #[topic(crate = "dunlin_cdr", plain)]
/// #[repr(C)]
/// struct Image {
///     valid: bool,
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not plain: plain types are numbers, arrays of plain types, and structs with `#[topic(plain)]`",
    label = "not plain"
)]
pub trait Plain: Pod + Layout {
    /// Tells apart layouts: names, types, offsets and sizes of members.
    const HASH: u64;
    /// Whether a member of this type looks in memory as in XCDR1.
    const XCDR1: bool;
    /// Whether a member of this type looks in memory as in XCDR2, which puts lengths before
    /// appendable structs and before arrays of structs.
    const XCDR2: bool;
}

/// Whatever `#[topic(crate = "..")]` names as the place of `Plain`, members have to be `Pod` for
/// the struct to be so:
///
/// ```
/// mod other {
///     pub use dunlin_cdr::*;
///     pub trait Plain {
///         const HASH: u64 = 0;
///         const XCDR1: bool = true;
///         const XCDR2: bool = true;
///     }
///     impl Plain for u8 {}
///     impl Plain for bool {}
/// }
/// #[derive(dunlin_derive::Data, Clone, Copy)]
/// #[topic(crate = "other", extensibility = "final", plain)]
/// #[repr(C)]
/// struct Flag {
///     flag: u8,
/// }
/// ```
///
/// ```compile_fail,E0277
/// mod other {
///     pub use dunlin_cdr::*;
///     pub trait Plain {
///         const HASH: u64 = 0;
///         const XCDR1: bool = true;
///         const XCDR2: bool = true;
///     }
///     impl Plain for u8 {}
///     impl Plain for bool {}
/// }
/// #[derive(dunlin_derive::Data, Clone, Copy)]
/// #[topic(crate = "other", extensibility = "final", plain)]
/// #[repr(C)]
/// struct Flag {
///     flag: bool,
/// }
/// ```
#[cfg(doctest)]
struct AnotherPlain;

/// What the memory of a topic's type has to do with its encoding.
#[derive(Clone, Copy, Debug)]
pub struct PlainLayout {
    /// [`Plain::HASH`]: writer and reader mean the same if it is the same.
    pub hash: u64,
    /// Bytes of a value.
    pub size: usize,
    /// The memory is what follows the headers in XCDR1.
    pub xcdr1: bool,
    /// The memory is what follows the headers in XCDR2.
    pub xcdr2: bool,
    key_hash: fn(&[u8]) -> Result<[u8; KEY_HASH_SIZE], Error>,
    key_to_payload: fn(&[u8], Xcdr, &mut BytesMut) -> Result<(), Error>,
}

impl PlainLayout {
    /// That of `T`, for the derive.
    #[doc(hidden)]
    pub const fn of<T: Topic + Plain>(xcdr2: bool) -> Self {
        Self {
            hash: T::HASH,
            size: size_of::<T>(),
            xcdr1: T::XCDR1,
            xcdr2,
            key_hash: |memory| key_hash(&*value_in::<T>(memory)?),
            key_to_payload: |memory, xcdr, out| key_to_payload(&*value_in::<T>(memory)?, xcdr, out),
        }
    }

    /// As [`key_hash`](crate::key_hash) of the value that begins `memory`, which is not moved: it
    /// may be too large for a stack.
    ///
    /// # Errors
    /// [`Error::NotPlain`] if `memory` is too short.
    pub fn key_hash(&self, memory: &[u8]) -> Result<[u8; KEY_HASH_SIZE], Error> {
        (self.key_hash)(memory)
    }

    /// As [`key_to_payload`](crate::key_to_payload) of the value that begins `memory`, which is not
    /// moved.
    ///
    /// # Errors
    /// [`Error::NotPlain`] if `memory` is too short.
    pub fn key_to_payload(
        &self,
        memory: &[u8],
        xcdr: Xcdr,
        out: &mut BytesMut,
    ) -> Result<(), Error> {
        (self.key_to_payload)(memory, xcdr, out)
    }

    /// Whether the memory is the encoding.
    #[inline]
    pub const fn is_encoding(&self, xcdr: Xcdr) -> bool {
        match xcdr {
            Xcdr::V1 => self.xcdr1,
            Xcdr::V2 => self.xcdr2,
        }
    }
}

/// The value that begins `memory`: where it is, if that is aligned.
fn value_in<T: Plain>(memory: &[u8]) -> Result<Value<'_, T>, Error> {
    let memory = memory.get(..size_of::<T>()).ok_or(Error::NotPlain)?;
    if let Ok(value) = bytemuck::try_from_bytes(memory) {
        return Ok(Value::There(value));
    }
    // A slice, since a `Box<T>` takes the way over the stack in builds without optimization.
    let mut copy = bytemuck::zeroed_slice_box::<T>(1);
    dunlin_copy::copy_bytes(bytemuck::cast_slice_mut(&mut copy), memory);
    Ok(Value::Copied(copy))
}

enum Value<'a, T> {
    There(&'a T),
    Copied(Box<[T]>),
}

impl<T> Deref for Value<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::There(value) => value,
            Self::Copied(value) => &value[0],
        }
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Plain for $number {
            const HASH: u64 = mix(HASH_BASIS, stringify!($number).as_bytes());
            const XCDR1: bool = align_of::<$number>() == size_of::<$number>();
            const XCDR2: bool = true;
        }
    )*};
}

numbers!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64);

impl<T: Plain, const N: usize> Plain for [T; N] {
    const HASH: u64 = mix(
        mix_number(mix(HASH_BASIS, b"[]"), N),
        &T::HASH.to_le_bytes(),
    );
    const XCDR1: bool = T::XCDR1;
    const XCDR2: bool = T::XCDR2 && T::FLAT;
}

const HASH_BASIS: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a.
const fn mix(mut hash: u64, bytes: &[u8]) -> u64 {
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    hash
}

const fn mix_number(hash: u64, number: usize) -> u64 {
    mix(hash, &(number as u64).to_le_bytes())
}

/// Begins the hash of a struct of `size` bytes, for the derive.
#[doc(hidden)]
pub const fn hash_struct(size: usize) -> u64 {
    let hash = mix(HASH_BASIS, Endianness::NATIVE.name());
    mix_number(hash, size)
}

/// Adds a member to the hash of a struct, for the derive.
#[doc(hidden)]
pub const fn hash_member(hash: u64, name: &str, offset: usize, size: usize, ty: u64) -> u64 {
    let hash = mix_number(mix(hash, name.as_bytes()), name.len());
    let hash = mix_number(mix_number(hash, offset), size);
    mix(hash, &ty.to_le_bytes())
}

impl Endianness {
    const fn name(self) -> &'static [u8] {
        match self {
            Self::Big => b"big",
            Self::Little => b"little",
        }
    }
}

/// Appends the payload of a sample of a plain type, of which `memory` is the value. With `loaned`,
/// `memory` is missing in `out`, and what is returned says where it belongs.
///
/// # Errors
/// [`Error::NotPlain`] if memory is not the encoding, or not of the type's size: write the value,
/// then.
pub fn plain_to_payload<T: Topic>(
    memory: &Bytes,
    xcdr: Xcdr,
    loaned: bool,
    out: &mut BytesMut,
) -> Result<Option<LoanedPart>, Error> {
    let fits = |plain: PlainLayout| plain.is_encoding(xcdr) && plain.size == memory.len();
    if !T::PLAIN.is_some_and(fits) {
        return Err(Error::NotPlain);
    }
    let leave_out = if loaned { memory.len() } else { usize::MAX };
    append::<T>(xcdr, Endianness::NATIVE, leave_out, out, |w| {
        let scope = w.begin(T::EXTENSIBILITY);
        w.put_shared(memory);
        w.end(scope, T::EXTENSIBILITY)
    })
}

/// Where in a payload the memory of the value is, if the payload is one of a plain type whose
/// encoding is the memory of this machine. `payload` need not go on behind its headers.
#[inline]
pub fn plain_at<T: Topic>(payload: &[u8]) -> Option<usize> {
    let plain = T::PLAIN?;
    let (&[high, low, ..], body) = payload.split_first_chunk::<HEADER_SIZE>()?;
    let kind = Representation::from_id(u16::from_be_bytes([high, low])).ok()?;
    if kind.endianness != Endianness::NATIVE || !plain.is_encoding(kind.xcdr) {
        return None;
    }
    match (kind.xcdr, kind.extensibility) {
        (Xcdr::V1, Extensibility::Final) | (Xcdr::V2, Extensibility::Final) => Some(HEADER_SIZE),
        (Xcdr::V2, Extensibility::Appendable) => {
            let (length, _) = body.split_first_chunk::<4>()?;
            let whole = usize::try_from(u32::from_ne_bytes(*length)).ok() == Some(plain.size);
            whole.then_some(HEADER_SIZE + 4)
        }
        _ => None,
    }
}
