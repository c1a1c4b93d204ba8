//! Memory that begins with a cache line.
//!
//! A copy takes two to four times as long if its target lies a few bytes further within a page than
//! its source, unless these are a multiple of 16. What is sent begins with a cache line in the
//! kernel's memory and in shared memory, so what is received has to do that, too.

use std::ops::{Deref, DerefMut};

use bytes::Bytes;

const LINE: usize = 64;

/// Bytes, the first of which is the first of a cache line.
pub(crate) struct Lines {
    bytes: Vec<u8>,
    begin: usize,
    length: usize,
}

impl Lines {
    /// So many zeroes.
    pub(crate) fn new(length: usize) -> Self {
        let bytes = vec![0; length + LINE];
        let begin = bytes.as_ptr().align_offset(LINE).min(LINE);
        Self {
            bytes,
            begin,
            length,
        }
    }

    /// Makes room for so many bytes; keeps those that are there.
    #[cold]
    pub(crate) fn grow(&mut self, length: usize) {
        if length > self.length {
            let mut longer = Self::new(length);
            longer[..self.length].copy_from_slice(self);
            *self = longer;
        }
    }

    /// The same memory, counted.
    pub(crate) fn into_bytes(self) -> Bytes {
        Bytes::from(self.bytes).slice(self.begin..self.begin + self.length)
    }
}

impl Deref for Lines {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.bytes[self.begin..self.begin + self.length]
    }
}

impl DerefMut for Lines {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.begin..self.begin + self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_begins_with_a_line_before_and_after_it_grows() {
        for length in [0, 1, 63, 64, 65_536, 3 << 20] {
            let mut lines = Lines::new(length);
            lines.fill(7);
            lines.grow(length / 2);
            assert_eq!(lines.len(), length);
            lines.grow(length + 100_000);
            assert_eq!(lines.as_ptr().align_offset(LINE), 0);
            assert_eq!(lines.len(), length + 100_000);
            assert!(lines[..length].iter().all(|byte| *byte == 7));
            let bytes = lines.into_bytes();
            assert_eq!(bytes.as_ptr().align_offset(LINE), 0);
            assert_eq!(bytes.len(), length + 100_000);
        }
    }
}
