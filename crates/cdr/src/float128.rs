//! `long double`.

use crate::layout::number_end;
use crate::{Deserialize, Endianness, Error, Layout, Reader, Serialize, Sink, Type, Writer};

/// An IDL `long double`: IEEE 754 binary128. There is no arithmetic with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Float128([u8; 16]);

impl Float128 {
    /// The number of these bytes, the least significant one first.
    pub const fn from_le_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Its bytes, the least significant one first.
    pub const fn to_le_bytes(self) -> [u8; 16] {
        self.0
    }
}

impl From<f64> for Float128 {
    fn from(value: f64) -> Self {
        /// What exponents of binary64 and binary128 begin at.
        const SHIFT: u128 = 16_383 - 1_023;
        let bits = value.to_bits();
        let sign = u128::from(bits >> 63) << 127;
        let exponent = u128::from((bits >> 52) & 0x7ff);
        let fraction = u128::from(bits & ((1 << 52) - 1));
        let magnitude = match (exponent, fraction) {
            (0, 0) => 0,
            // A subnormal number has its first bit where it has it.
            (0, _) => {
                let first = 127 - fraction.leading_zeros();
                let rest = (fraction ^ (1 << first)) << (112 - first);
                ((SHIFT + 1 + u128::from(first) - 52) << 112) | rest
            }
            (0x7ff, _) => (0x7fff << 112) | (fraction << 60),
            _ => ((exponent + SHIFT) << 112) | (fraction << 60),
        };
        Self((sign | magnitude).to_le_bytes())
    }
}

impl Layout for Float128 {
    const PRIMITIVE: bool = true;
    const MIN_SIZE: usize = 16;

    #[inline]
    fn key_end(at: usize) -> Option<usize> {
        Some(number_end(at, 16))
    }

    fn describe() -> Option<Type> {
        Some(Type::Float128)
    }
}

impl Serialize for Float128 {
    #[inline]
    fn serialize<S: Sink>(&self, w: &mut Writer<S>) -> Result<(), Error> {
        let number = u128::from_le_bytes(self.0);
        let bytes = match w.endianness() {
            Endianness::Big => number.to_be_bytes(),
            Endianness::Little => number.to_le_bytes(),
        };
        w.put_numbers(16, &bytes);
        Ok(())
    }
}

impl Deserialize for Float128 {
    #[inline]
    fn deserialize(r: &mut Reader<'_>) -> Result<Self, Error> {
        let bytes = r.take()?;
        let number = match r.endianness() {
            Endianness::Big => u128::from_be_bytes(bytes),
            Endianness::Little => u128::from_le_bytes(bytes),
        };
        Ok(Self(number.to_le_bytes()))
    }

    #[inline]
    fn default_value() -> Self {
        Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sign, exponent and the first bits of the fraction.
    fn parts(value: f64) -> (u8, u16, u64) {
        let number = u128::from_le_bytes(Float128::from(value).to_le_bytes());
        let exponent = ((number >> 112) & 0x7fff) as u16;
        ((number >> 127) as u8, exponent, (number >> 48) as u64)
    }

    #[test]
    fn doubles_keep_their_value() {
        assert_eq!(parts(1.0), (0, 16_383, 0));
        assert_eq!(parts(-1.5), (1, 16_383, 1 << 63));
        assert_eq!(parts(0.0), (0, 0, 0));
        assert_eq!(parts(f64::INFINITY), (0, 0x7fff, 0));
        // The smallest of all: 2^-1074.
        assert_eq!(parts(f64::from_bits(1)), (0, 16_383 - 1_074, 0));
        // 1.5 * 2^-1073.
        assert_eq!(parts(f64::from_bits(3)), (0, 16_383 - 1_073, 1 << 63));
    }
}
