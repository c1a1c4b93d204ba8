//! Numbers, booleans and characters.

use alloc::vec::Vec;

use crate::layout::number_end;
use crate::{Deserialize, Endianness, Error, Layout, Reader, Serialize, Sink, Type, Writer};

/// An IDL `char`: one byte, in whatever character set the two sides agreed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct Char8(pub u8);

/// An IDL `wchar`: one UTF-16 code unit (DDS-XTypes 1.3 7.2.2.2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct Char16(pub u16);

macro_rules! numbers {
    ($($number:ty: $length_code:literal, $type:ident);*) => {$(
        impl Layout for $number {
            const PRIMITIVE: bool = true;
            const LENGTH_CODE: u32 = $length_code;
            const MIN_SIZE: usize = size_of::<$number>();

            #[inline]
            fn key_end(at: usize) -> Option<usize> {
                Some(number_end(at, size_of::<$number>()))
            }

            fn describe() -> Option<Type> {
                Some(Type::$type)
            }
        }

        impl Serialize for $number {
            #[inline(always)]
            fn serialize<S: Sink>(&self, w: &mut Writer<S>) -> Result<(), Error> {
                w.put(match w.endianness() {
                    Endianness::Big => self.to_be_bytes(),
                    Endianness::Little => self.to_le_bytes(),
                });
                Ok(())
            }

            #[inline]
            fn serialize_slice<S: Sink>(values: &[Self], w: &mut Writer<S>) -> Result<(), Error> {
                if size_of::<Self>() == 1 || w.endianness() == Endianness::NATIVE {
                    w.put_numbers(size_of::<Self>(), bytemuck::cast_slice(values));
                    Ok(())
                } else {
                    values.iter().try_for_each(|value| value.serialize(w))
                }
            }
        }

        impl Deserialize for $number {
            #[inline(always)]
            fn deserialize(r: &mut Reader<'_>) -> Result<Self, Error> {
                let bytes = r.take()?;
                Ok(match r.endianness() {
                    Endianness::Big => Self::from_be_bytes(bytes),
                    Endianness::Little => Self::from_le_bytes(bytes),
                })
            }

            #[inline]
            fn default_value() -> Self {
                Self::default()
            }

            #[inline]
            fn deserialize_vec(count: usize, r: &mut Reader<'_>) -> Result<Vec<Self>, Error> {
                let (chunks, _) = r.take_numbers(count, size_of::<Self>())?.as_chunks();
                r.charge(size_of_val(chunks))?;
                let mut values = Vec::with_capacity(chunks.len());
                let to = values.spare_capacity_mut().as_ptr().cast();
                for chunks in chunks.chunks(at_once(chunks, to)) {
                    match r.endianness() {
                        Endianness::Big => {
                            values.extend(chunks.iter().map(|c| Self::from_be_bytes(*c)));
                        }
                        Endianness::Little => {
                            values.extend(chunks.iter().map(|c| Self::from_le_bytes(*c)));
                        }
                    }
                }
                Ok(values)
            }

            #[inline]
            fn deserialize_array(values: &mut [Self], r: &mut Reader<'_>) -> Result<(), Error> {
                let (chunks, _) = r.take_numbers(values.len(), size_of::<Self>())?.as_chunks();
                let step = at_once(chunks, values.as_ptr().cast());
                for (values, chunks) in values.chunks_mut(step).zip(chunks.chunks(step)) {
                    let pairs = values.iter_mut().zip(chunks);
                    match r.endianness() {
                        Endianness::Big => pairs.for_each(|(v, c)| *v = Self::from_be_bytes(*c)),
                        Endianness::Little => pairs.for_each(|(v, c)| *v = Self::from_le_bytes(*c)),
                    }
                }
                Ok(())
            }
        }
    )*};
}

/// How many numbers to copy to `to` at once: the compiler makes a call of the library's copy of
/// each loop that changes no order of bytes.
#[inline]
fn at_once<const N: usize>(numbers: &[[u8; N]], to: *const u8) -> usize {
    let bytes = dunlin_copy::piece(numbers.as_ptr().cast(), to, size_of_val(numbers));
    bytes.div_ceil(N).max(1)
}

numbers!(
    u8: 0, UInt8; i8: 0, Int8;
    u16: 1, UInt16; i16: 1, Int16;
    u32: 2, UInt32; i32: 2, Int32;
    u64: 3, UInt64; i64: 3, Int64;
    f32: 2, Float32; f64: 3, Float64
);

/// Types that are a number on the wire and something else in Rust.
macro_rules! transparent {
    ($($name:ty = $number:ty, $type:ident, $into:expr, $from:expr);*) => {$(
        impl Layout for $name {
            const PRIMITIVE: bool = true;
            const LENGTH_CODE: u32 = <$number>::LENGTH_CODE;
            const MIN_SIZE: usize = <$number>::MIN_SIZE;

            #[inline]
            fn key_end(at: usize) -> Option<usize> {
                <$number>::key_end(at)
            }

            fn describe() -> Option<Type> {
                Some(Type::$type)
            }
        }

        impl Serialize for $name {
            #[inline]
            fn serialize<S: Sink>(&self, w: &mut Writer<S>) -> Result<(), Error> {
                let into: fn($name) -> $number = $into;
                into(*self).serialize(w)
            }
        }

        impl Deserialize for $name {
            #[inline]
            fn deserialize(r: &mut Reader<'_>) -> Result<Self, Error> {
                let from: fn($number) -> Result<$name, Error> = $from;
                from(<$number>::deserialize(r)?)
            }

            #[inline]
            fn default_value() -> Self {
                Self::default()
            }

            #[inline]
            fn deserialize_vec(count: usize, r: &mut Reader<'_>) -> Result<Vec<Self>, Error> {
                let from: fn($number) -> Result<$name, Error> = $from;
                <$number>::deserialize_vec(count, r)?.into_iter().map(from).collect()
            }
        }
    )*};
}

transparent!(
    bool = u8, Boolean, u8::from, |byte| match byte {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(Error::InvalidBool(other)),
    };
    Char8 = u8, Char8, |c| c.0, |byte| Ok(Char8(byte));
    Char16 = u16, Char16, |c| c.0, |unit| Ok(Char16(unit))
);
