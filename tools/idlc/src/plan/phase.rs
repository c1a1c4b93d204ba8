//! What is known of a position before there is a value.

/// The position, counted from where alignment counts, is `remainder` modulo `modulus`. A modulus of
/// 1 says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Phase {
    /// 1, 2, 4 or 8.
    modulus: u64,
    remainder: u64,
}

impl Phase {
    /// Nothing is known.
    pub(super) const ANY: Self = Self {
        modulus: 1,
        remainder: 0,
    };

    /// A multiple of this power of two.
    pub(super) fn multiple(of: u64) -> Self {
        Self {
            modulus: of,
            remainder: 0,
        }
    }

    /// The bytes of padding before a value of this alignment, if they are always as many.
    pub(super) fn padding(self, align: u64) -> Option<u64> {
        let is_known = self.modulus >= align;
        is_known.then(|| self.remainder.wrapping_neg() & (align - 1))
    }

    /// Behind so many bytes.
    pub(super) fn advanced(self, by: u64) -> Self {
        Self {
            remainder: self.remainder.wrapping_add(by) & (self.modulus - 1),
            ..self
        }
    }

    /// What is true of both.
    pub(super) fn join(self, other: Self) -> Self {
        let mut modulus = self.modulus.min(other.modulus);
        while modulus > 1 && (self.remainder ^ other.remainder) & (modulus - 1) != 0 {
            modulus /= 2;
        }
        Self {
            modulus,
            remainder: self.remainder & (modulus - 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_known_where_the_position_is() {
        let at = Phase::multiple(4).advanced(5);
        assert_eq!(at.padding(4), Some(3));
        assert_eq!(at.padding(2), Some(1));
        assert_eq!(at.padding(8), None);
        assert_eq!(Phase::ANY.padding(1), Some(0));
        assert_eq!(Phase::ANY.padding(2), None);
    }

    #[test]
    fn a_join_says_what_both_say() {
        let even = Phase::multiple(8).advanced(2).join(Phase::multiple(4));
        assert_eq!(even, Phase::multiple(2));
        let odd = Phase::multiple(8).advanced(7);
        assert_eq!(odd.join(Phase::multiple(8).advanced(3)).padding(4), Some(1));
        assert_eq!(odd.join(Phase::multiple(8)), Phase::ANY);
    }
}
