//! Which values are values of another type too.

use alloc::boxed::Box;
use core::time::Duration;

use dunlin_cdr::{Constant, Endianness};

use super::Part;
use crate::assign::{Encoding, Rules, Verdict, assignable};
use crate::{DynamicType, TypeKind, Value};

/// Types have to be the same.
const SAME: Rules = Rules {
    allow_coercion: false,
    ignore_sequence_bounds: false,
    ignore_string_bounds: false,
    ignore_member_names: false,
    prevent_type_widening: true,
};

/// How a value gets from one type to the other.
#[derive(Clone, Debug)]
pub(super) enum Way {
    /// The types are the same.
    Whole,
    /// A number of another type.
    Number(DynamicType),
    /// A string of so many bytes at most.
    Text(u32),
}

/// The bytes of a number, least significant first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bits {
    bytes: [u8; 16],
    size: u8,
}

impl Bits {
    pub(super) fn new(number: u128, size: usize) -> Self {
        Self {
            bytes: number.to_le_bytes(),
            size: size as u8,
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.size)).unwrap_or_default()
    }

    pub(super) const ORDER: Endianness = Endianness::Little;
}

/// How a type says what time it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Moment {
    /// Nanoseconds since 1970, in 64 bits.
    Nanoseconds,
    /// Seconds since 1970, in 32 bits with a sign or without.
    Seconds { is_signed: bool },
    /// Nanoseconds beyond the seconds, in 32 bits.
    Fraction,
    /// Seconds since 1970, as a double.
    Double,
}

impl Moment {
    /// As this type has it; `None` if it has none.
    pub(super) fn of(ty: &DynamicType) -> Option<Self> {
        Some(match ty.kind() {
            TypeKind::Int64 | TypeKind::UInt64 => Self::Nanoseconds,
            TypeKind::Int32 => Self::Seconds { is_signed: true },
            TypeKind::UInt32 => Self::Seconds { is_signed: false },
            TypeKind::Float64 => Self::Double,
            _ => return None,
        })
    }

    /// `None` if the type ends before.
    pub(super) fn bits(self, now: Duration) -> Option<Bits> {
        Some(match self {
            Self::Nanoseconds => Bits::new(i64::try_from(now.as_nanos()).ok()? as u128, 8),
            Self::Seconds { is_signed: true } => {
                Bits::new(i32::try_from(now.as_secs()).ok()? as u128, 4)
            }
            Self::Seconds { is_signed: false } => {
                Bits::new(u32::try_from(now.as_secs()).ok()?.into(), 4)
            }
            Self::Fraction => Bits::new(now.subsec_nanos().into(), 4),
            Self::Double => Bits::new(now.as_secs_f64().to_bits().into(), 8),
        })
    }
}

/// How a value of one type becomes one of the other; `None` if it never does. Both are without
/// aliases.
pub(super) fn way(from: &DynamicType, to: &DynamicType) -> Option<Way> {
    if assignable(to, from, &SAME, Encoding::Xcdr2) == Ok(Verdict::Same) {
        return Some(Way::Whole);
    }
    let (a, b) = (from.kind(), to.kind());
    if a == TypeKind::String8 && b == TypeKind::String8 {
        return Some(Way::Text(to.bound().unwrap_or(u32::MAX)));
    }
    let fits = match b {
        TypeKind::Float32 | TypeKind::Float64 => is_integer(a) || is_float(a),
        TypeKind::Enumeration => is_integer(a) && a != TypeKind::Enumeration,
        _ => is_integer(a) && is_integer(b),
    };
    fits.then(|| Way::Number(to.clone()))
}

fn is_float(kind: TypeKind) -> bool {
    matches!(kind, TypeKind::Float32 | TypeKind::Float64)
}

/// Integers, and what is read as one.
fn is_integer(kind: TypeKind) -> bool {
    is_plain_integer(kind) || kind == TypeKind::Enumeration
}

fn is_plain_integer(kind: TypeKind) -> bool {
    use TypeKind::*;
    matches!(
        kind,
        Byte | Int8 | UInt8 | Int16 | UInt16 | Int32 | UInt32 | Int64 | UInt64
    )
}

/// A number as one of another type; `None` if that does not have it.
pub(super) fn convert(value: Value<'_>, to: &DynamicType) -> Option<Bits> {
    match value {
        Value::Signed(number) => integer(number.into(), to),
        Value::Unsigned(number) => integer(number.into(), to),
        Value::Enumerator(number) => integer(number.into(), to),
        Value::Float32(number) => float(number.into(), to),
        Value::Float64(number) => float(number, to),
        _ => None,
    }
}

/// An integer as a value of a type.
fn integer(number: i128, to: &DynamicType) -> Option<Bits> {
    let size = to.number_size()?;
    let within = |least: i128, most: i128| (least..=most).contains(&number);
    let fits = match to.kind() {
        TypeKind::Float32 => {
            let float = number as f32;
            return (float as i128 == number).then(|| Bits::new(float.to_bits().into(), 4));
        }
        TypeKind::Float64 => {
            let float = number as f64;
            return (float as i128 == number).then(|| Bits::new(float.to_bits().into(), 8));
        }
        TypeKind::Boolean => within(0, 1),
        TypeKind::Int8 => within(i8::MIN.into(), i8::MAX.into()),
        TypeKind::Int16 => within(i16::MIN.into(), i16::MAX.into()),
        TypeKind::Int32 => within(i32::MIN.into(), i32::MAX.into()),
        TypeKind::Int64 => within(i64::MIN.into(), i64::MAX.into()),
        TypeKind::Byte | TypeKind::UInt8 => within(0, u8::MAX.into()),
        TypeKind::UInt16 => within(0, u16::MAX.into()),
        TypeKind::UInt32 => within(0, u32::MAX.into()),
        TypeKind::UInt64 => within(0, u64::MAX.into()),
        TypeKind::Enumeration => to
            .literals()
            .iter()
            .any(|l| i128::from(l.value()) == number),
        TypeKind::Bitmask => {
            let flags = to.flags().iter();
            let mask = flags.fold(0_i128, |mask, flag| mask | 1 << flag.position().min(64));
            number >= 0 && number & !mask == 0
        }
        TypeKind::Bitset => {
            let bits = u32::from(to.bit_bound().unwrap_or(0).min(64));
            within(0, (1_i128 << bits) - 1)
        }
        _ => false,
    };
    fits.then(|| Bits::new(number as u128, size))
}

/// A floating point number as a value of a type.
fn float(number: f64, to: &DynamicType) -> Option<Bits> {
    match to.kind() {
        TypeKind::Float64 => Some(Bits::new(number.to_bits().into(), 8)),
        TypeKind::Float32 => {
            let float = number as f32;
            let fits = float.is_finite() || !number.is_finite();
            fits.then(|| Bits::new(float.to_bits().into(), 4))
        }
        _ => None,
    }
}

/// A constant as a value of a type; `None` if it is none.
pub(super) fn constant(value: &Constant, to: &DynamicType) -> Option<Part> {
    let kind = to.kind();
    Some(match (value, kind) {
        (Constant::Boolean(is), TypeKind::Boolean) => Part::Bits(Bits::new((*is).into(), 1)),
        (Constant::Integer(number), _) => Part::Bits(integer(*number, to)?),
        (Constant::Float(number), _) => Part::Bits(float(*number, to)?),
        (Constant::Float128(bytes), TypeKind::Float128) => {
            Part::Bits(Bits::new(u128::from_le_bytes(*bytes), 16))
        }
        (Constant::Char8(one), TypeKind::Char8) => Part::Bits(Bits::new((*one).into(), 1)),
        (Constant::Char16(one), TypeKind::Char16) => Part::Bits(Bits::new((*one).into(), 2)),
        (Constant::String8(text), TypeKind::String8) => {
            let bound = to.bound().unwrap_or(u32::MAX) as usize;
            let fits = text.len() <= bound && !text.contains('\0');
            Part::Text(fits.then(|| Box::from(&**text))?)
        }
        _ => return None,
    })
}
