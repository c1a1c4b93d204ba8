//! Sockets whose end is the end of this process for others. A forked child has them, too, and would
//! keep a dead parent alive: it closes them.
use std::ops::Deref;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Descriptors are noted up to this number. Those above are kept by a child until it ends.
const MOST: usize = 65_536;
const WORDS: usize = MOST / 64;

/// A bit for each descriptor that a [`Lifeline`] has. A table of fixed size without a lock: it is
/// read between a fork and all else.
static NOTED: [AtomicU64; WORDS] = [const { AtomicU64::new(0) }; WORDS];

/// A socket that shows the life of this process.
#[derive(Debug)]
pub struct Lifeline(OwnedFd);

/// Which bit of which word.
fn place(socket: &OwnedFd) -> Option<(&'static AtomicU64, u64)> {
    let number = usize::try_from(socket.as_raw_fd()).ok()?;
    Some((NOTED.get(number / 64)?, 1 << (number % 64)))
}

impl Lifeline {
    /// Notes it.
    pub fn new(socket: OwnedFd) -> Self {
        if let Some((word, bit)) = place(&socket) {
            word.fetch_or(bit, Relaxed);
        }
        Self(socket)
    }
}

impl Drop for Lifeline {
    fn drop(&mut self) {
        // Before it is closed, for its number is somebody else's then.
        if let Some((word, bit)) = place(&self.0) {
            word.fetch_and(!bit, Relaxed);
        }
    }
}

impl Deref for Lifeline {
    type Target = OwnedFd;

    fn deref(&self) -> &OwnedFd {
        &self.0
    }
}

impl AsFd for Lifeline {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Closes all of them, in a process that was forked.
///
/// # Safety
/// Nothing may use or drop a [`Lifeline`] of before the fork any more. No other thread may run.
pub unsafe fn close_lifelines() {
    for (at, word) in NOTED.iter().enumerate() {
        let mut bits = word.swap(0, Relaxed);
        while bits != 0 {
            let number = at * 64 + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            if let Ok(number) = i32::try_from(number) {
                // SAFETY: it is the descriptor of a lifeline, and the caller says that nobody uses it.
                unsafe { rustix::io::close(number) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_noted(number: i32) -> bool {
        let number = usize::try_from(number).unwrap();
        NOTED[number / 64].load(Relaxed) & 1 << (number % 64) != 0
    }

    #[test]
    fn a_lifeline_is_noted_as_long_as_it_is_open() {
        let (near, _far) = std::os::unix::net::UnixStream::pair().unwrap();
        let line = Lifeline::new(near.into());
        let number = line.as_raw_fd();
        assert!(is_noted(number));
        drop(line);
        // Another test may have got the number meanwhile, and has noted nothing.
        assert!(!is_noted(number));
    }
}
