//! Values of members, and how they compare.

use core::cmp::Ordering;

/// An integer that a member of any integer type can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Number {
    Signed(i64),
    /// Above the largest `i64`.
    Large(u64),
}

impl From<u64> for Number {
    fn from(number: u64) -> Self {
        i64::try_from(number).map_or(Self::Large(number), Self::Signed)
    }
}

impl Number {
    /// `-magnitude`, if an `i64` can have it.
    pub(crate) fn negative(magnitude: u64) -> Option<Self> {
        0i64.checked_sub_unsigned(magnitude).map(Self::Signed)
    }

    fn wide(self) -> i128 {
        match self {
            Self::Signed(number) => number.into(),
            Self::Large(number) => number.into(),
        }
    }

    /// Exactly, whatever the size of both.
    fn compare_float(self, float: f64) -> Option<Ordering> {
        if float.is_nan() {
            return None;
        }
        // Saturates beyond what an integer member can have.
        let whole = float as i128;
        let fraction = || 0.0_f64.partial_cmp(&(float - whole as f64));
        match self.wide().cmp(&whole) {
            Ordering::Equal => fraction(),
            unequal => Some(unequal),
        }
    }
}

/// The value of a member in one sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Value<'a> {
    Absent,
    Number(Number),
    Float(f64),
    Boolean(bool),
    /// Its code.
    Character(u32),
    /// Without the final NUL.
    Text(&'a [u8]),
}

impl Value<'_> {
    /// `None` if one is absent, or no number.
    pub(crate) fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Number(Number::Signed(one)), Self::Number(Number::Signed(other))) => {
                Some(one.cmp(other))
            }
            (Self::Number(one), Self::Number(other)) => Some(one.wide().cmp(&other.wide())),
            (Self::Float(one), Self::Float(other)) => one.partial_cmp(other),
            (Self::Number(one), Self::Float(other)) => one.compare_float(*other),
            (Self::Float(one), Self::Number(other)) => {
                other.compare_float(*one).map(Ordering::reverse)
            }
            (Self::Boolean(one), Self::Boolean(other)) => Some(one.cmp(other)),
            (Self::Character(one), Self::Character(other)) => Some(one.cmp(other)),
            (Self::Text(one), Self::Text(other)) => Some(one.cmp(other)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_and_floats_compare_exactly() {
        let number = |n: i64| Value::Number(Number::Signed(n));
        let large = Value::Number(Number::from(u64::MAX));
        let float = Value::Float;
        for (one, other, expected) in [
            (number(2), float(2.0), Some(Ordering::Equal)),
            (number(2), float(2.5), Some(Ordering::Less)),
            (number(-2), float(-2.5), Some(Ordering::Greater)),
            (number(-3), float(-2.5), Some(Ordering::Less)),
            (
                number(i64::MAX),
                float(9_223_372_036_854_775_807.0),
                Some(Ordering::Less),
            ),
            (
                number((1 << 53) + 1),
                float(9_007_199_254_740_992.0),
                Some(Ordering::Greater),
            ),
            (large, float(f64::INFINITY), Some(Ordering::Less)),
            (large, number(i64::MIN), Some(Ordering::Greater)),
            (number(0), float(f64::NEG_INFINITY), Some(Ordering::Greater)),
            (number(0), float(-0.0), Some(Ordering::Equal)),
            (number(0), float(f64::NAN), None),
            (number(0), Value::Absent, None),
        ] {
            assert_eq!(one.compare(&other), expected, "{one:?} {other:?}");
            let reverse = expected.map(Ordering::reverse);
            assert_eq!(other.compare(&one), reverse, "{other:?} {one:?}");
        }
    }
}
