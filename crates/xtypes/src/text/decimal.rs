//! Numbers of 113 bits as decimal digits.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

/// So many digits tell all binary128 numbers apart.
const DIGITS: usize = 36;

/// Decimal digits of a binary128, little endian, that read as the same number again: `1.5e0`.
pub(super) fn binary128(bytes: [u8; 16]) -> String {
    let bits = u128::from_le_bytes(bytes);
    let sign = if bits >> 127 == 1 { "-" } else { "" };
    let fraction = bits & ((1 << 112) - 1);
    let exponent = (bits >> 112) as i32 & 0x7fff;
    let (mantissa, power) = match exponent {
        0 => (fraction, 1 - 16_383 - 112),
        _ => (fraction | 1 << 112, exponent - 16_383 - 112),
    };
    if mantissa == 0 {
        return format!("{sign}0.0");
    }
    // m * 2^-n is m * 5^n, the point n digits from the end.
    let mut words = words_of(mantissa);
    for _ in 0..power.unsigned_abs() {
        scale(&mut words, if power < 0 { 5 } else { 2 });
    }
    let digits = digits(words);
    let point = digits.len() as i32 + power.min(0) - 1;
    let (digits, carried) = round(digits);
    let power = point + i32::from(carried);
    let (first, rest) = digits.split_at(1);
    let rest = rest.trim_end_matches('0');
    let rest = if rest.is_empty() { "0" } else { rest };
    format!("{sign}{first}.{rest}e{power}")
}

fn words_of(mut value: u128) -> Vec<u32> {
    let mut words = Vec::new();
    while value > 0 {
        words.push(value as u32);
        value >>= 32;
    }
    words
}

fn scale(words: &mut Vec<u32>, by: u32) {
    let mut carry = 0_u64;
    for word in words.iter_mut() {
        carry += u64::from(*word) * u64::from(by);
        *word = carry as u32;
        carry >>= 32;
    }
    if carry > 0 {
        words.push(carry as u32);
    }
}

fn digits(mut words: Vec<u32>) -> String {
    const PART: u64 = 1_000_000_000;
    let mut parts = vec![];
    while !words.is_empty() {
        let mut rest = 0_u64;
        for word in words.iter_mut().rev() {
            let value = rest << 32 | u64::from(*word);
            *word = (value / PART) as u32;
            rest = value % PART;
        }
        parts.push(rest);
        while words.last() == Some(&0) {
            words.pop();
        }
    }
    let mut parts = parts.into_iter().rev();
    let first = parts.next().unwrap_or(0).to_string();
    parts.fold(first, |text, part| format!("{text}{part:09}"))
}

/// The first digits, rounded; whether that gave one more.
fn round(digits: String) -> (String, bool) {
    let Some((kept, rest)) = digits.split_at_checked(DIGITS) else {
        return (digits, false);
    };
    let up = rest.as_bytes().first().is_some_and(|digit| *digit >= b'5');
    if !up {
        return (kept.to_string(), false);
    }
    let mut kept: Vec<u8> = kept.bytes().collect();
    for digit in kept.iter_mut().rev() {
        if *digit < b'9' {
            *digit += 1;
            return (kept.into_iter().map(char::from).collect(), false);
        }
        *digit = b'0';
    }
    kept.insert(0, b'1');
    (kept.into_iter().map(char::from).collect(), true)
}

#[cfg(test)]
mod tests {
    use super::binary128;

    #[test]
    fn numbers_have_their_digits() {
        let of = |bits: u128| binary128(bits.to_le_bytes());
        assert_eq!(of(0), "0.0");
        assert_eq!(of(0x3fff << 112), "1.0e0");
        assert_eq!(of(0xbfff << 112 | 1 << 111), "-1.5e0");
        assert_eq!(of(0x4005_9000 << 96), "1.0e2");
        assert_eq!(
            of(0x3ffb_9999_9999_9999_9999_9999_9999_999a),
            "1.00000000000000000000000000000000005e-1"
        );
        assert_eq!(of(1), "6.47517511943802511092443895822764655e-4966");
        assert_eq!(
            of(0x7ffe_ffff_ffff_ffff_ffff_ffff_ffff_ffff),
            "1.18973149535723176508575932662800702e4932"
        );
    }
}
