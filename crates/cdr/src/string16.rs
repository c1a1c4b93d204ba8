//! `wstring`.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Display, Formatter, Write};

use crate::layout::number_end;
use crate::{Bounded, Deserialize, Error, Layout, Reader, Serialize, Sink, Type, Writer};

/// An IDL `wstring`: text in UTF-16, as it is on the wire. Its bound counts UTF-16 units.
///
/// ```
/// use dunlin_cdr::String16;
///
/// let text = String16::from("\u{1d11e}");
/// assert_eq!(text.units(), [0xd834, 0xdd1e]);
/// assert_eq!(text.to_string(), "\u{1d11e}");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct String16(Vec<u16>);

impl String16 {
    /// Without text.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The text of these UTF-16 units; `None` if they are no text: a surrogate lacks the other.
    pub fn from_units(units: Vec<u16>) -> Option<Self> {
        is_text(&units).then_some(Self(units))
    }

    /// The UTF-16 units.
    pub fn units(&self) -> &[u16] {
        &self.0
    }
}

fn is_text(units: &[u16]) -> bool {
    char::decode_utf16(units.iter().copied()).all(|character| character.is_ok())
}

impl From<&str> for String16 {
    fn from(text: &str) -> Self {
        Self(text.encode_utf16().collect())
    }
}

impl From<String> for String16 {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl Display for String16 {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut characters = char::decode_utf16(self.0.iter().copied());
        characters.try_for_each(|character| {
            f.write_char(character.unwrap_or(char::REPLACEMENT_CHARACTER))
        })
    }
}

impl Layout for String16 {
    const LENGTH_CODE: u32 = 5;
    const MIN_SIZE: usize = 4;

    fn key_end(_: usize) -> Option<usize> {
        None
    }

    fn describe() -> Option<Type> {
        Some(Type::String16)
    }
}

/// The length counts bytes, and there is no NUL behind the text (DDS-XTypes 1.3 7.4.1.1.3).
impl Serialize for String16 {
    fn serialize<S: Sink>(&self, w: &mut Writer<S>) -> Result<(), Error> {
        w.put_length(self.0.len().saturating_mul(2))?;
        u16::serialize_slice(&self.0, w)
    }
}

impl Deserialize for String16 {
    fn deserialize(r: &mut Reader<'_>) -> Result<Self, Error> {
        let length = r.take_length()?;
        if length % 2 != 0 {
            return Err(Error::NotUtf16);
        }
        let units = u16::deserialize_vec(length / 2, r)?;
        Self::from_units(units).ok_or(Error::NotUtf16)
    }

    #[inline]
    fn default_value() -> Self {
        Self::new()
    }
}

impl Bounded for String16 {
    #[inline]
    fn bounded_len(&self) -> usize {
        self.0.len()
    }

    #[inline]
    fn bounded_key_end(at: usize, bound: usize) -> Option<usize> {
        number_end(at, 4).checked_add(bound.checked_mul(2)?)
    }

    fn truncate(&mut self, bound: usize) {
        let is_cut = |unit: &u16| (0xdc00..0xe000).contains(unit);
        let end = match self.0.get(bound) {
            Some(unit) if is_cut(unit) => bound.saturating_sub(1),
            _ => bound,
        };
        self.0.truncate(end);
    }
}
