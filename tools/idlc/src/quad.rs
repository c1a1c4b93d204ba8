//! Numbers of 113 bits, as `long double` has them (IEEE 754 binary128).

use std::cmp::Ordering;

/// A binary128: `mantissa * 2^exponent`, the mantissa with 113 bits or 0. Infinity is not kept:
/// what overflows is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quad {
    is_negative: bool,
    mantissa: u128,
    exponent: i32,
}

const BITS: u32 = 113;
const BIAS: i32 = 16_383;
/// The exponent of the last bit of the smallest normal number.
const LEAST: i32 = 1 - BIAS - 112;
const MOST: i32 = BIAS - 112;

/// A whole number of any size, the least significant word first.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Big(Vec<u32>);

impl Big {
    fn from(mut value: u128) -> Self {
        let mut words = Vec::new();
        while value > 0 {
            words.push(value as u32);
            value >>= 32;
        }
        Self(words)
    }

    fn trim(mut self) -> Self {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }

    /// `self * by + add`.
    fn scale(&mut self, by: u32, add: u32) {
        let mut carry = u64::from(add);
        for word in &mut self.0 {
            carry += u64::from(*word) * u64::from(by);
            *word = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    fn shift_left(&self, bits: u32) -> Self {
        let mut words = vec![0; (bits / 32) as usize];
        let bits = bits % 32;
        let mut carry = 0_u64;
        for word in &self.0 {
            carry |= u64::from(*word) << bits;
            words.push(carry as u32);
            carry >>= 32;
        }
        words.push(carry as u32);
        Self(words).trim()
    }

    fn bits(&self) -> u32 {
        let last = self.0.last().map_or(0, |word| 32 - word.leading_zeros());
        (self.0.len() as u32).saturating_sub(1) * 32 + last
    }

    fn bit(&self, index: u32) -> bool {
        let word = self.0.get((index / 32) as usize).copied().unwrap_or(0);
        word >> (index % 32) & 1 == 1
    }

    fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    fn compare(&self, other: &Self) -> Ordering {
        let lengths = self.0.len().cmp(&other.0.len());
        lengths.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }

    fn subtract(&mut self, other: &Self) {
        let mut borrow = 0_i64;
        for (at, word) in self.0.iter_mut().enumerate() {
            let less = other.0.get(at).copied().unwrap_or(0);
            let value = i64::from(*word) - i64::from(less) + borrow;
            *word = value as u32;
            borrow = value >> 32;
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    fn multiply(&self, other: &Self) -> Self {
        let mut words = vec![0_u32; self.0.len() + other.0.len()];
        for (at, word) in self.0.iter().enumerate() {
            let mut carry = 0_u64;
            let places = words.iter_mut().skip(at);
            for (place, factor) in places.zip(other.0.iter().chain(std::iter::repeat(&0))) {
                carry += u64::from(*place) + u64::from(*word) * u64::from(*factor);
                *place = carry as u32;
                carry >>= 32;
            }
        }
        Self(words).trim()
    }
}

impl Quad {
    const ZERO: Self = Self {
        is_negative: false,
        mantissa: 0,
        exponent: 0,
    };

    /// Rounds `big * 2^exponent`, with `rest` if there is something behind its last bit.
    fn round(is_negative: bool, big: &Big, exponent: i32, rest: bool) -> Option<Self> {
        let bits = big.bits();
        if bits == 0 {
            return Some(Self {
                is_negative,
                ..Self::ZERO
            });
        }
        let mut drop = bits as i32 - BITS as i32;
        // Numbers near 0 have fewer bits.
        drop = drop.max(LEAST - exponent);
        if drop <= 0 {
            let mantissa = (0..bits)
                .rev()
                .fold(0_u128, |all, at| all << 1 | u128::from(big.bit(at)));
            return Self::place(is_negative, mantissa << -drop, exponent + drop);
        }
        let drop_bits = drop as u32;
        let kept = (drop_bits..bits).rev();
        let mut mantissa = kept.fold(0_u128, |all, at| all << 1 | u128::from(big.bit(at)));
        let half = big.bit(drop_bits - 1);
        let below = rest || (0..drop_bits - 1).any(|at| big.bit(at));
        if half && (below || mantissa & 1 == 1) {
            mantissa += 1;
        }
        Self::place(is_negative, mantissa, exponent + drop)
    }

    fn place(is_negative: bool, mantissa: u128, exponent: i32) -> Option<Self> {
        let (mut mantissa, mut exponent) = (mantissa, exponent);
        if mantissa >> BITS != 0 {
            (mantissa, exponent) = (mantissa >> 1, exponent + 1);
        }
        (exponent <= MOST).then_some(Self {
            is_negative,
            mantissa,
            exponent,
        })
    }

    /// The number that decimal digits stand for; `None` if it is too large.
    pub(crate) fn parse(digits: &str) -> Option<Self> {
        let (text, power) = match digits.find(['e', 'E']) {
            Some(at) => (digits.get(..at)?, digits.get(at + 1..)?),
            None => (digits, "0"),
        };
        let mut power: i64 = power
            .parse::<i64>()
            .unwrap_or(match power.starts_with('-') {
                true => i64::from(i32::MIN),
                false => i64::from(i32::MAX),
            });
        let mut big = Big(Vec::new());
        let (mut is_behind, mut length, mut rest) = (false, 0_u32, false);
        for c in text.chars() {
            let Some(digit) = c.to_digit(10) else {
                is_behind = true;
                continue;
            };
            // No decision needs more digits than that but whether there are any.
            let keeps = length < 12_000;
            if keeps {
                big.scale(10, digit);
                length += u32::from(length > 0 || digit > 0);
            } else {
                rest |= digit > 0;
            }
            power += match (keeps, is_behind) {
                (true, true) => -1,
                (false, false) => 1,
                _ => 0,
            };
        }
        if big.is_zero() {
            return Some(Self::ZERO);
        }
        let magnitude = power + i64::from(length);
        if magnitude > 5_000 {
            return None;
        }
        if magnitude < -5_000 {
            return Some(Self::ZERO);
        }
        Self::scaled(big, power as i32, rest)
    }

    /// `big * 10^power`.
    fn scaled(mut big: Big, power: i32, rest: bool) -> Option<Self> {
        if power >= 0 {
            (0..power).for_each(|_| big.scale(10, 0));
            return Self::round(false, &big, 0, rest);
        }
        let mut divisor = Big::from(1);
        (0..-power).for_each(|_| divisor.scale(10, 0));
        Self::ratio(false, &big, &divisor, 0, rest)
    }

    /// `number / divisor * 2^exponent`.
    fn ratio(
        is_negative: bool,
        number: &Big,
        divisor: &Big,
        exponent: i32,
        rest: bool,
    ) -> Option<Self> {
        // So that the quotient has some bits more than are kept.
        let shift = (BITS + 3 + divisor.bits()).saturating_sub(number.bits());
        let number = number.shift_left(shift);
        let bits = number.bits();
        let mut remainder = Big(Vec::new());
        let mut quotient = Big(vec![0; number.0.len()]);
        for at in (0..bits).rev() {
            remainder = remainder.shift_left(1);
            if number.bit(at) {
                match remainder.0.first_mut() {
                    Some(first) => *first |= 1,
                    None => remainder.0.push(1),
                }
            }
            if remainder.compare(divisor) != Ordering::Less {
                remainder.subtract(divisor);
                if let Some(word) = quotient.0.get_mut((at / 32) as usize) {
                    *word |= 1 << (at % 32);
                }
            }
        }
        let rest = rest || !remainder.is_zero();
        Self::round(is_negative, &quotient.trim(), exponent - shift as i32, rest)
    }

    /// Whether it is 0.
    pub(crate) fn is_zero(self) -> bool {
        self.mantissa == 0
    }

    /// `-self`.
    pub(crate) fn negate(self) -> Self {
        Self {
            is_negative: !self.is_negative,
            ..self
        }
    }

    /// `self * other`; `None` if it is too large.
    pub(crate) fn multiply(self, other: Self) -> Option<Self> {
        let product = Big::from(self.mantissa).multiply(&Big::from(other.mantissa));
        let is_negative = self.is_negative != other.is_negative;
        Self::round(is_negative, &product, self.exponent + other.exponent, false)
    }

    /// `self / other`; `None` if it is too large, or `other` is 0.
    pub(crate) fn divide(self, other: Self) -> Option<Self> {
        if other.is_zero() {
            return None;
        }
        let is_negative = self.is_negative != other.is_negative;
        let (number, divisor) = (Big::from(self.mantissa), Big::from(other.mantissa));
        if number.is_zero() {
            return Some(Self {
                is_negative,
                ..Self::ZERO
            });
        }
        Self::ratio(
            is_negative,
            &number,
            &divisor,
            self.exponent - other.exponent,
            false,
        )
    }

    /// `self + other`; `None` if it is too large.
    pub(crate) fn add(self, other: Self) -> Option<Self> {
        if self.is_zero() {
            return Some(other);
        }
        if other.is_zero() {
            return Some(self);
        }
        let least = self.exponent.min(other.exponent);
        let whole = |of: Self| Big::from(of.mantissa).shift_left((of.exponent - least) as u32);
        let (mut one, mut two) = (whole(self), whole(other));
        if self.is_negative == other.is_negative {
            let length = one.0.len().max(two.0.len());
            one.0.resize(length, 0);
            two.0.resize(length, 0);
            let mut carry = 0_u64;
            for (word, more) in one.0.iter_mut().zip(&two.0) {
                carry += u64::from(*word) + u64::from(*more);
                *word = carry as u32;
                carry >>= 32;
            }
            one.0.push(carry as u32);
            return Self::round(self.is_negative, &one.trim(), least, false);
        }
        let is_negative = match one.compare(&two) {
            Ordering::Less => {
                std::mem::swap(&mut one, &mut two);
                other.is_negative
            }
            Ordering::Equal => return Some(Self::ZERO),
            Ordering::Greater => self.is_negative,
        };
        one.subtract(&two);
        Self::round(is_negative, &one, least, false)
    }

    /// Less, equal or greater.
    pub(crate) fn compare(self, other: Self) -> Ordering {
        match self.add(other.negate()) {
            Some(difference) if difference.is_zero() => Ordering::Equal,
            Some(difference) if difference.is_negative => Ordering::Less,
            Some(_) => Ordering::Greater,
            // Only numbers of two signs are that far apart.
            None if self.is_negative => Ordering::Less,
            None => Ordering::Greater,
        }
    }

    /// Its 16 bytes, little endian.
    pub(crate) fn to_le_bytes(self) -> [u8; 16] {
        let sign = u128::from(self.is_negative) << 127;
        let bits = match self.mantissa >> 112 {
            // Too small for a leading bit.
            0 => self.mantissa,
            _ => {
                let exponent = (self.exponent + 112 + BIAS) as u128;
                self.mantissa & ((1 << 112) - 1) | exponent << 112
            }
        };
        (sign | bits).to_le_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(text: &str) -> u128 {
        u128::from_le_bytes(Quad::parse(text).unwrap().to_le_bytes())
    }

    #[test]
    fn decimal_numbers_have_113_bits() {
        assert_eq!(bits("0"), 0);
        assert_eq!(bits("1.0"), 0x3fff << 112);
        assert_eq!(bits("2"), 0x4000 << 112);
        assert_eq!(bits("0.5"), 0x3ffe << 112);
        assert_eq!(bits("0.1"), 0x3ffb_9999_9999_9999_9999_9999_9999_999a);
        assert_eq!(bits("1e0"), 0x3fff << 112);
        assert_eq!(
            bits("3.14159265358979323846264338327950288419716939937510"),
            0x4000_921f_b544_42d1_8469_898c_c517_01b8
        );
        // The largest, and the smallest there is.
        assert_eq!(
            bits("1.18973149535723176508575932662800702e4932"),
            0x7ffe_ffff_ffff_ffff_ffff_ffff_ffff_ffff
        );
        assert_eq!(bits("6.47517511943802511092443895822764655e-4966"), 1);
        assert_eq!(Quad::parse("2e4932"), None);
        assert_eq!(Quad::parse("1e99999999999"), None);
        assert_eq!(bits("1e-99999999999"), 0);
    }

    #[test]
    fn arithmetic_rounds_once() {
        let of = |text: &str| Quad::parse(text).unwrap();
        assert_eq!(of("1").divide(of("10")), Some(of("0.1")));
        assert_eq!(of("1.5").multiply(of("4")), Some(of("6")));
        assert_eq!(of("0.25").add(of("0.5")), Some(of("0.75")));
        assert_eq!(
            of("0.5").add(of("0.75").negate()),
            Some(of("0.25").negate())
        );
        assert_eq!(of("1e4000").multiply(of("1e4000")), None);
        assert_eq!(of("1").divide(of("0")), None);
        assert_eq!(of("1").compare(of("2")), Ordering::Less);
    }
}
