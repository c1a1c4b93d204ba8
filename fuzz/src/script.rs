//! Bytes as a list of operations with hostile numbers in them.

/// Where number lines begin and end.
const EXTREMES: [i64; 16] = [
    i64::MIN,
    i64::MIN + 1,
    -(1 << 32),
    -1,
    0,
    255,
    256,
    (1 << 31) - 1,
    1 << 31,
    (1 << 32) - 1,
    1 << 32,
    1 << 62,
    i64::MAX - 256,
    i64::MAX - 2,
    i64::MAX - 1,
    i64::MAX,
];
/// So many bytes say a small number as it is.
const SMALL: u8 = 192;

/// Reads a script byte by byte; behind its end all bytes are 0.
pub(crate) struct Script<'a>(&'a [u8]);

impl<'a> Script<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Self {
        Self(data)
    }

    pub(crate) fn is_over(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        match self.0.split_first() {
            Some((byte, rest)) => {
                self.0 = rest;
                *byte
            }
            None => 0,
        }
    }

    /// So many bytes as the next two say, or all that are left.
    pub(crate) fn piece(&mut self) -> &'a [u8] {
        let length = u16::from_le_bytes([self.byte(), self.byte()]);
        let (piece, rest) = self.0.split_at(usize::from(length).min(self.0.len()));
        self.0 = rest;
        piece
    }

    /// All that is left.
    pub(crate) fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }

    /// One of `count` choices.
    pub(crate) fn choice(&mut self, count: u8) -> u8 {
        self.byte() % count.max(1)
    }

    pub(crate) fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    /// A small number, one near `here`, or one that stands at some edge.
    pub(crate) fn number(&mut self, here: i64) -> i64 {
        match self.byte() {
            byte @ 0..SMALL => i64::from(byte),
            byte @ SMALL..240 => here.saturating_add(i64::from(byte - SMALL) - 8),
            byte => EXTREMES[usize::from(byte - 240)],
        }
    }

    /// The same of 32 bits.
    pub(crate) fn short(&mut self) -> u32 {
        self.number(0) as u32
    }

    /// A limit of 1 to 8, or none.
    pub(crate) fn limit(&mut self) -> Option<u32> {
        match self.byte() % 12 {
            0..4 => None,
            limit => Some(u32::from(limit - 3)),
        }
    }

    /// Nanoseconds that pass: mostly milliseconds, at times ages.
    pub(crate) fn pause(&mut self) -> i64 {
        match self.byte() {
            byte @ 0..250 => i64::from(byte) * 1_000_000,
            250 => 3_600_000_000_000,
            251 => i64::MAX / 2,
            _ => 10_000_000_000,
        }
    }
}

/// What the change with this number says: from each byte it can be told whose it is and where it
/// stands.
pub(crate) fn pattern(writer: u8, sequence: i64, size: usize) -> Vec<u8> {
    let seed = sequence
        .wrapping_mul(31)
        .wrapping_add(i64::from(writer) * 101)
        .wrapping_add(size as i64 * 7);
    (0..size)
        .map(|at| 1 + (seed.wrapping_add(at as i64 * 13) as u8 % 255))
        .collect()
}
