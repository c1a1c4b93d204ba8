//! Which instance the next sample belongs to.

/// The keys `0..instances` in turn, or always the same one.
pub(super) struct Keys {
    instances: u32,
    fixed: Option<u32>,
    next: u32,
}

impl Keys {
    /// All keys in turn, or only `fixed`.
    pub(super) fn new(instances: u32, fixed: Option<u32>) -> Self {
        Self {
            instances,
            fixed,
            next: 0,
        }
    }

    /// The key of the next sample, as it travels.
    pub(super) fn next(&mut self) -> [u8; 4] {
        if let Some(key) = self.fixed {
            return key.to_le_bytes();
        }
        let key = self.next;
        self.next = if key + 1 < self.instances { key + 1 } else { 0 };
        key.to_le_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_in_turn_unless_one_is_fixed() {
        let mut keys = Keys::new(3, None);
        let drawn: Vec<_> = (0..4).map(|_| keys.next()[0]).collect();
        assert_eq!(drawn, [0, 1, 2, 0]);
        assert_eq!(Keys::new(1, None).next(), [0; 4]);
        assert_eq!(Keys::new(500, Some(300)).next(), [44, 1, 0, 0]);
    }
}
