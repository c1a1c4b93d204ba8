//! How much work it is to judge a sample, in steps.
//!
//! A step is a value that is passed over, read or compared, sixteen bytes of text that are
//! compared, or a byte of text that a pattern is held against: none takes more than a few
//! nanoseconds.

/// Bytes of two texts that are compared in one step.
const COMPARED_AT_ONCE: usize = 16;

/// Steps that are left.
#[derive(Debug)]
pub(crate) struct Steps {
    left: usize,
    ran_out: bool,
}

impl Steps {
    pub(crate) fn new(left: usize) -> Self {
        Self {
            left,
            ran_out: false,
        }
    }

    pub(crate) fn left(&self) -> usize {
        self.left
    }

    /// Someone wanted more than there were: what was found out since says nothing.
    pub(crate) fn ran_out(&self) -> bool {
        self.ran_out
    }

    /// Takes some, before or after they are done; false if there are fewer.
    #[inline]
    pub(crate) fn take(&mut self, steps: usize) -> bool {
        match self.left.checked_sub(steps) {
            Some(left) => self.left = left,
            None => return self.exhaust(),
        }
        !self.ran_out
    }

    /// There was more to do than there were steps.
    pub(crate) fn exhaust(&mut self) -> bool {
        (self.left, self.ran_out) = (0, true);
        false
    }

    /// For the comparison of texts of which the shorter has so many bytes.
    pub(crate) fn take_text(&mut self, bytes: usize) -> bool {
        self.take(bytes / COMPARED_AT_ONCE)
    }
}
