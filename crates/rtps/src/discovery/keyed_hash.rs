//! Numbers that nobody foresees who does not know a secret, and that stay the same: SipHash-2-4.
use core::fmt;

/// What only one participant knows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Secret([u64; 2]);

impl Secret {
    /// `bytes` are to be drawn at random, once for each participant.
    pub fn new(bytes: [u8; 16]) -> Self {
        let (low, high) = bytes.split_at(8);
        Self([word_of(low), word_of(high)])
    }

    /// The number that belongs to these parts. Where one part ends and the next begins counts.
    pub(super) fn hash<'a>(&self, parts: impl IntoIterator<Item = &'a [u8]>) -> u64 {
        let mut state = State::new(self.0);
        for part in parts {
            state.add(part);
        }
        state.finish()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// The four words of the hash.
struct State([u64; 4]);

impl State {
    fn new([low, high]: [u64; 2]) -> Self {
        Self([
            low ^ 0x736f_6d65_7073_6575,
            high ^ 0x646f_7261_6e64_6f6d,
            low ^ 0x6c79_6765_6e65_7261,
            high ^ 0x7465_6462_7974_6573,
        ])
    }

    /// A part, its length in the last word.
    fn add(&mut self, part: &[u8]) {
        let mut words = part.chunks_exact(8);
        for word in &mut words {
            self.mix(word_of(word));
        }
        let length = u64::try_from(part.len()).unwrap_or(u64::MAX);
        self.mix(word_of(words.remainder()) | length << 56);
    }

    fn mix(&mut self, word: u64) {
        self.0[3] ^= word;
        self.round();
        self.round();
        self.0[0] ^= word;
    }

    fn finish(mut self) -> u64 {
        self.0[2] ^= 0xff;
        (0..4).for_each(|_| self.round());
        self.0.iter().fold(0, |all, word| all ^ word)
    }

    fn round(&mut self) {
        let [a, b, c, d] = &mut self.0;
        *a = a.wrapping_add(*b);
        *b = b.rotate_left(13) ^ *a;
        *a = a.rotate_left(32);
        *c = c.wrapping_add(*d);
        *d = d.rotate_left(16) ^ *c;
        *a = a.wrapping_add(*d);
        *d = d.rotate_left(21) ^ *a;
        *c = c.wrapping_add(*b);
        *b = b.rotate_left(17) ^ *c;
        *c = c.rotate_left(32);
    }
}

/// At most eight bytes, the first one lowest.
fn word_of(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |word, byte| word << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// Of the authors' reference implementation.
    #[test]
    fn one_part_gives_what_the_reference_gives() {
        let count: Vec<u8> = (0..16).collect();
        let secret = Secret::new(count.clone().try_into().unwrap());
        for (length, hash) in [
            (0, 0x726f_db47_dd0e_0e31),
            (1, 0x74f8_39c5_93dc_67fd),
            (8, 0x93f5_f579_9a93_2462),
            (15, 0xa129_ca61_49be_45e5),
        ] {
            assert_eq!(secret.hash([&count[..length]]), hash, "{length} bytes");
        }
    }

    #[test]
    fn where_a_part_ends_counts() {
        let secret = Secret::new([7; 16]);
        let of = |parts: &[&[u8]]| secret.hash(parts.iter().copied());
        assert_ne!(of(&[b"ab", b"c"]), of(&[b"a", b"bc"]));
        assert_ne!(of(&[b"abc"]), Secret::new([8; 16]).hash([&b"abc"[..]]));
    }
}
