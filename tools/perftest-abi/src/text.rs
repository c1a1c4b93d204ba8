//! Text and lists of it as C takes them.

use std::ffi::{CString, c_char};

/// A text that ends with NUL. One that has a NUL within ends there.
pub(crate) fn c_text(text: &str) -> CString {
    let until_nul = text.split('\0').next().unwrap_or_default();
    CString::new(until_nul).unwrap_or_default()
}

/// Several texts, and where they are.
pub(crate) struct Texts {
    _texts: Vec<CString>,
    places: Vec<*const c_char>,
}

impl Texts {
    pub(crate) fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let texts: Vec<CString> = texts.map(c_text).collect();
        Self {
            places: texts.iter().map(|text| text.as_ptr()).collect(),
            _texts: texts,
        }
    }

    pub(crate) fn places(&self) -> *const *const c_char {
        self.places.as_ptr()
    }

    pub(crate) fn count(&self) -> u64 {
        self.places.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_ends_with_nul_once() {
        assert_eq!(c_text("a\0b").as_bytes(), b"a");
        let texts = Texts::of(["x", ""].into_iter());
        assert_eq!(texts.count(), 2);
    }
}
