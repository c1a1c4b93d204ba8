//! What shared memory costs at least: words and bytes, with none of this crate's rings, pools and
//! checks. For measuring.
//!
//! The two processes agree by themselves which word tells what. Copies go through the C library, as
//! a program that uses shared memory by hand would do it, but behind an instruction that the
//! compiler does not look into: another process may change what is copied, and then the bytes are
//! whatever they are at that moment.
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rustix::thread::futex;
use rustix::time::Timespec;

use crate::memory::{Owner, View};
use crate::{Error, Segment};

/// A segment of ours, which we write, and one of a peer, which we read. Positions are in bytes; one
/// that is outside is a mistake of the caller and panics.
#[derive(Clone, Debug)]
pub struct Baseline {
    own: Owner,
    peer: View,
}

impl Baseline {
    /// Two segments, which may be of different size.
    pub fn new(own: &Segment, peer: View) -> Self {
        let own = own.owner();
        Self { own, peer }
    }

    /// Writes a word of ours, 8 bytes from `at` on, a multiple of 8. Who reads it sees what was
    /// written before.
    #[inline]
    pub fn store(&self, at: usize, value: u64) {
        self.own.store(at / 8, value, Ordering::Release);
    }

    /// Reads a word of the peer.
    #[inline]
    pub fn load(&self, at: usize) -> u64 {
        self.peer.load_acquire(at / 8)
    }

    /// Copies bytes into our segment.
    #[inline]
    pub fn write(&self, at: usize, bytes: &[u8]) {
        assert!(at <= self.own.len() && bytes.len() <= self.own.len() - at);
        #[cfg(all(not(miri), target_arch = "x86_64"))]
        // SAFETY: both ranges are valid, as was checked, and private memory does not overlap a
        // segment.
        unsafe {
            let to = self.own.address(at).cast_mut();
            crate::copy::by_library(bytes.as_ptr(), to, bytes.len());
        }
        #[cfg(any(miri, not(target_arch = "x86_64")))]
        self.own.write(at, bytes);
    }

    /// Copies bytes out of the peer's segment.
    #[inline]
    pub fn read(&self, at: usize, into: &mut [u8]) {
        assert!(at <= self.peer.len() && into.len() <= self.peer.len() - at);
        #[cfg(all(not(miri), target_arch = "x86_64"))]
        // SAFETY: both ranges are valid, as was checked, and private memory does not overlap a
        // segment.
        unsafe {
            crate::copy::by_library(self.peer.address(at), into.as_mut_ptr(), into.len());
        }
        #[cfg(any(miri, not(target_arch = "x86_64")))]
        self.peer.read(at, crate::memory::room(into));
    }

    /// Sleeps until the peer wakes this word of its own, unless its low half is not `value` any
    /// more; at most for `timeout`.
    ///
    /// # Errors
    /// `System` if the kernel refuses.
    pub fn sleep(&self, at: usize, value: u32, timeout: Duration) -> Result<(), Error> {
        use rustix::io::Errno;
        let limit = Timespec::try_from(timeout).ok();
        let word = half(&self.peer, at);
        match futex::wait(word, futex::Flags::empty(), value, limit.as_ref()) {
            Ok(()) | Err(Errno::AGAIN | Errno::INTR | Errno::TIMEDOUT) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Wakes the peer that sleeps on this word of ours.
    pub fn wake(&self, at: usize) {
        // Nobody sleeps there: nothing is lost.
        let _ = futex::wake(half(&self.own, at), futex::Flags::empty(), 1);
    }
}

/// The low half of a word, for the kernel.
fn half(view: &View, at: usize) -> &AtomicU32 {
    // SAFETY: an aligned word inside the mapping, which `view` keeps; it is only loaded.
    unsafe { AtomicU32::from_ptr(view.futex(at / 8)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    fn pair(bytes: usize) -> [Baseline; 2] {
        let segments = [Segment::new(bytes).unwrap(), Segment::new(bytes).unwrap()];
        let view = |segment: &Segment| {
            let fd = segment.as_fd().try_clone_to_owned().unwrap();
            Segment::map(&fd, segment.len()).unwrap()
        };
        let [a, b] = &segments;
        [Baseline::new(a, view(b)), Baseline::new(b, view(a))]
    }

    #[test]
    fn what_one_side_writes_the_other_one_reads() {
        let [a, b] = pair(8192);
        for length in [0, 1, 31, 32, 1000, 4096] {
            let bytes: Vec<u8> = (0..length).map(|i| i as u8).collect();
            a.write(100, &bytes);
            a.store(64, length as u64);
            assert_eq!(b.load(64), length as u64);
            let mut back = vec![0; length];
            b.read(100, &mut back);
            assert_eq!(back, bytes);
        }
        assert_eq!(a.load(64), 0, "the segments are two");
    }

    #[test]
    fn a_sleeper_is_woken() {
        let [a, b] = pair(4096);
        let sleeper = std::thread::spawn(move || {
            while b.load(0) == 0 {
                b.sleep(0, 0, Duration::from_secs(20)).unwrap();
            }
        });
        std::thread::sleep(Duration::from_millis(20));
        a.store(0, 1);
        a.wake(0);
        sleeper.join().unwrap();
    }

    #[test]
    #[should_panic]
    fn nothing_is_written_beyond_the_end() {
        pair(4096)[0].write(4090, &[0; 7]);
    }
}
