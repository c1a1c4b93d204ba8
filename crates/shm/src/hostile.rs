//! For tests of what a hostile peer may do: writes into its own link what no honest process would.
use crate::Receiver;
use crate::memory::Ordering;

impl Receiver {
    /// Changes a word of our own link, which the peer reads: `link.rs` says what lies where.
    ///
    /// # Panics
    /// If the link has no such word.
    pub fn scribble(&self, word: usize, value: u64) {
        self.own.store(word, value, Ordering::Release);
    }
}
