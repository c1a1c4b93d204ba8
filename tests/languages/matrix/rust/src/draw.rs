//! Numbers and texts that follow from the number of a sample. All languages draw the same.

use dunlin::cdr::{Char8, Char16, String16};

use crate::matrix::Common::{Marks, Mood};

const WORDS: [&str; 6] = ["", "a", "heron", "Gänsesäger", "カモメ", "🦆 duck"];
const WIDES: [&str; 4] = ["", "a", "äö", "🦆"];

/// The first four samples have the edges: zeros, ones, the least and the greatest number.
pub(crate) struct Draw {
    order: u32,
    state: u64,
}

impl Draw {
    pub(crate) fn new(order: u32) -> Self {
        let state = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(u64::from(order) + 1);
        Self { order, state }
    }

    /// A number of so many bits, 64 at most.
    pub(crate) fn bits(&mut self, count: u32) -> u64 {
        match self.order {
            0 => return 0,
            1 => return u64::MAX >> (64 - count),
            2 => return 1 << (count - 1),
            3 => return (1 << (count - 1)) - 1,
            _ => {}
        }
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> (64 - count)
    }

    pub(crate) fn below(&mut self, end: u64) -> usize {
        (self.bits(8) % end) as usize
    }

    pub(crate) fn flag(&mut self) -> bool {
        self.bits(1) == 1
    }

    pub(crate) fn letter(&mut self) -> Char8 {
        Char8(b'a' + self.below(26) as u8)
    }

    pub(crate) fn sign(&mut self) -> Char16 {
        Char16(0x30a2 + self.below(80) as u16)
    }

    pub(crate) fn i16(&mut self) -> i16 {
        self.bits(16) as i16
    }

    pub(crate) fn i32(&mut self) -> i32 {
        self.bits(32) as i32
    }

    pub(crate) fn i64(&mut self) -> i64 {
        self.bits(64) as i64
    }

    pub(crate) fn f32(&mut self) -> f32 {
        let number = f32::from(self.i16()) / 16.0;
        match self.order {
            1 => -0.0,
            3 => f32::INFINITY,
            _ => number,
        }
    }

    pub(crate) fn f64(&mut self) -> f64 {
        let number = f64::from(self.i32()) / 256.0;
        match self.order {
            1 => -0.0,
            3 => f64::INFINITY,
            _ => number,
        }
    }

    pub(crate) fn word(&mut self) -> String {
        WORDS[self.below(6)].into()
    }

    pub(crate) fn wide(&mut self) -> String16 {
        WIDES[self.below(4)].into()
    }

    pub(crate) fn mood(&mut self) -> Mood {
        [Mood::CALM, Mood::WARY, Mood::LOUD][self.below(3)]
    }

    pub(crate) fn marks(&mut self) -> Marks {
        Marks(self.bits(16) as u16 & 0x8009)
    }

    /// Up to so many elements.
    pub(crate) fn list<T>(&mut self, most: u64, mut element: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = self.below(most + 1);
        (0..count).map(|_| element(self)).collect()
    }
}
