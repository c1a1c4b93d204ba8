//! What the next read of a connection is likely to bring, from what came before.
//!
//! Messages of one kind follow each other: after a large one comes another of the same size, at
//! most with something small, such as an acknowledgement, before it. Where that holds, a message is
//! read directly to its place with one call. Where small and large ones come mixed, what was read
//! to the wrong place has to be copied, so it is not tried again for a while.

/// Longer messages are large: they get a buffer of their own if they are not complete.
pub(super) const LARGE: usize = 16 * 1024;
/// So many large messages come before it is tried again after a failure.
const WARY: u8 = 32;
/// Small messages in a row after which no large one is expected.
const SMALL: u8 = 2;

/// What is known of the messages of one connection.
#[derive(Debug, Default)]
pub(super) struct ReadPredictor {
    /// Bytes of the last large message in the stream.
    size: usize,
    /// Small messages since.
    small: u8,
    wary: u8,
}

impl ReadPredictor {
    /// The next message is so long; it need not be there yet.
    #[inline]
    pub(super) fn note(&mut self, size: usize) {
        if size > LARGE {
            (self.size, self.small) = (size, 0);
            self.wary = self.wary.saturating_sub(1);
        } else {
            self.small = self.small.saturating_add(1);
        }
    }

    /// Another large one may follow the last, which was large.
    pub(super) fn may_be_large(&self) -> bool {
        self.size > 0 && self.small == 0
    }

    /// The size of the next message, if it is likely to be large and to come with nothing before
    /// it.
    #[inline]
    pub(super) fn size(&self) -> Option<usize> {
        (self.size > 0 && self.small < SMALL && self.wary == 0).then_some(self.size)
    }

    /// It did not, and what came had to be copied.
    pub(super) fn failed(&mut self) {
        self.wary = WARY;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_messages_announce_others_of_their_size() {
        let mut forecast = ReadPredictor::default();
        assert_eq!((forecast.size(), forecast.may_be_large()), (None, false));
        forecast.note(LARGE);
        assert_eq!((forecast.size(), forecast.may_be_large()), (None, false));
        for size in [LARGE + 1, 1 << 20, LARGE + 1] {
            forecast.note(size);
            assert_eq!(
                (forecast.size(), forecast.may_be_large()),
                (Some(size), true)
            );
        }
        forecast.note(72);
        assert_eq!(
            (forecast.size(), forecast.may_be_large()),
            (Some(LARGE + 1), false)
        );
        forecast.note(72);
        assert_eq!((forecast.size(), forecast.may_be_large()), (None, false));
    }

    #[test]
    fn what_fails_is_not_tried_again_at_once() {
        let mut forecast = ReadPredictor::default();
        forecast.note(1 << 20);
        forecast.failed();
        for _ in 0..WARY {
            assert_eq!((forecast.size(), forecast.may_be_large()), (None, true));
            forecast.note(1 << 20);
        }
        assert_eq!(forecast.size(), Some(1 << 20));
    }
}
