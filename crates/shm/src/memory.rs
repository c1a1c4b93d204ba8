//! Memory as words: on a mapping, or on the heap for tests; written by its [`Owner`], read by
//! everybody with a [`View`].
//!
//! The invariant of every `unsafe` block here: `base` points to `len` words of eight bytes, aligned
//! to eight, that stay where they are for as long as `keep` lives; and whatever is touched lies
//! below `len`, because it was checked. No reference to plain bytes is ever formed: words are
//! atomics, which may change under us, and bytes are copied by instructions that the compiler does
//! not look into (`copy`), or word by word where these do not exist.
//!
//! A peer's memory is mapped for reading only. There Rust defines relaxed loads of up to eight
//! bytes alone (`core::sync::atomic`, "Atomic accesses to read-only memory"), and names what stands
//! for a load with Acquire: a relaxed one, and an Acquire fence behind it. So a [`View`] has no
//! other loads.
use std::mem::MaybeUninit;
use std::sync::Arc;

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicU64, Ordering, fence};
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicU64, Ordering, fence};

/// Bytes of a word.
pub(crate) const WORD: usize = 8;

/// Words of a cache line: what two processes write is never in one line.
pub(crate) const LINE: usize = 8;

/// Memory that may be read, and that its owner, here or in another process, may change at any time.
#[derive(Clone)]
pub struct View {
    base: *const AtomicU64,
    len: usize,
    /// Owns the words; never looked at.
    #[allow(dead_code)]
    keep: Arc<dyn Send + Sync>,
}

// SAFETY: the words are atomics, and `keep`, which owns them, may be sent and shared.
unsafe impl Send for View {}
// SAFETY: as above; nothing is accessed but through atomics and opaque copies.
unsafe impl Sync for View {}

/// Memory that this process may write. Clones write disjoint parts: the crate hands out each word
/// to one of them.
#[derive(Clone)]
pub(crate) struct Owner(View);

impl View {
    /// The mapping of `bytes` bytes at `base`, which lives as long as `keep`.
    ///
    /// # Safety
    /// `base` is aligned to eight bytes, and its `bytes` bytes stay mapped readable until `keep` is
    /// dropped.
    #[cfg(not(loom))]
    pub(crate) unsafe fn new(base: *const u8, bytes: usize, keep: Arc<dyn Send + Sync>) -> Self {
        Self {
            base: base.cast(),
            len: bytes / WORD,
            keep,
        }
    }

    /// Bytes.
    pub fn len(&self) -> usize {
        self.len * WORD
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline]
    fn word(&self, index: usize) -> &AtomicU64 {
        assert!(index < self.len);
        // SAFETY: the index is below `len` (module invariant).
        unsafe { &*self.base.add(index) }
    }

    /// Orders nothing.
    #[inline]
    pub(crate) fn load(&self, index: usize) -> u64 {
        self.word(index).load(Ordering::Relaxed)
    }

    /// What comes after it sees what its writer did before a Release. On x86-64 the fence is no
    /// instruction.
    #[inline]
    pub(crate) fn load_acquire(&self, index: usize) -> u64 {
        let value = self.load(index);
        fence(Ordering::Acquire);
        value
    }

    /// Copies bytes from `offset` on, to all of `into`. Panics if they are not all inside: callers
    /// have checked what a peer said.
    #[inline]
    pub(crate) fn read(&self, offset: usize, into: &mut [MaybeUninit<u8>]) {
        self.check(offset, into.len());
        #[cfg(all(not(loom), not(miri), target_arch = "x86_64"))]
        // SAFETY: both ranges are checked and of this length, and private memory does not overlap a
        // segment.
        unsafe {
            crate::copy::bytes(
                self.base.cast::<u8>().add(offset),
                into.as_mut_ptr().cast(),
                into.len(),
            );
        }
        #[cfg(any(loom, miri, not(target_arch = "x86_64")))]
        self.pieces(offset, into.len(), |index, shift, range| {
            let word = self.load(index).to_le_bytes();
            for (to, byte) in into[range].iter_mut().zip(&word[shift..]) {
                to.write(*byte);
            }
        });
    }

    /// Asks for the cache line of a word that will be read soon.
    #[inline]
    pub(crate) fn fetch(&self, index: usize) {
        #[cfg(all(not(loom), not(miri), target_arch = "x86_64"))]
        crate::copy::fetch(self.base.wrapping_add(index).cast());
        #[cfg(any(loom, miri, not(target_arch = "x86_64")))]
        let _ = index;
    }

    #[inline]
    fn check(&self, offset: usize, length: usize) {
        assert!(offset <= self.len() && length <= self.len() - offset);
    }

    /// Splits a range of bytes at words: the index of each word, where in it the piece begins, and
    /// which bytes of the range.
    #[cfg(any(loom, miri, not(target_arch = "x86_64")))]
    fn pieces(
        &self,
        offset: usize,
        length: usize,
        mut each: impl FnMut(usize, usize, std::ops::Range<usize>),
    ) {
        let mut done = 0;
        while done < length {
            let at = offset + done;
            let shift = at % WORD;
            let count = (WORD - shift).min(length - done);
            each(at / WORD, shift, done..done + count);
            done += count;
        }
    }

    /// The address of the 32 low bits of a word, for the kernel's futexes.
    #[cfg(not(loom))]
    pub(crate) fn futex(&self, index: usize) -> *mut u32 {
        let half = usize::from(cfg!(target_endian = "big"));
        std::ptr::from_ref(self.word(index))
            .cast::<u32>()
            .wrapping_add(half)
            .cast_mut()
    }

    /// Where the byte at `offset` is.
    #[cfg(not(loom))]
    pub(crate) fn address(&self, offset: usize) -> *const u8 {
        assert!(offset <= self.len());
        self.base.cast::<u8>().wrapping_add(offset)
    }
}

/// Bytes as room for bytes.
///
/// The crate only writes to it, and bytes: [`View::read`] does nothing else.
#[inline]
pub(crate) fn room(bytes: &mut [u8]) -> &mut [MaybeUninit<u8>] {
    let length = bytes.len();
    // SAFETY: the same memory for as long, with the layout that `MaybeUninit` promises; what was
    // initialized stays so, as the crate writes nothing but bytes to it.
    unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), length) }
}

impl std::fmt::Debug for View {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "View({} bytes)", self.len())
    }
}

impl std::fmt::Debug for Owner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Owner({} bytes)", self.len())
    }
}

impl Owner {
    /// # Safety
    /// As for [`View::new`], and the memory may be written.
    #[cfg(not(loom))]
    pub(crate) unsafe fn new(base: *mut u8, bytes: usize, keep: Arc<dyn Send + Sync>) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { View::new(base, bytes, keep) })
    }

    /// Zeroed words on the heap, for tests and models.
    #[cfg(any(test, loom))]
    pub(crate) fn heap(bytes: usize) -> Self {
        let words: Arc<[AtomicU64]> = (0..bytes / WORD).map(|_| AtomicU64::new(0)).collect();
        Self(View {
            base: words.as_ptr(),
            len: words.len(),
            keep: Arc::new(words),
        })
    }

    #[cfg(any(test, loom))]
    pub(crate) fn view(&self) -> View {
        self.0.clone()
    }

    /// Asks for the cache line of a word that will be written soon.
    #[inline]
    pub(crate) fn claim(&self, index: usize) {
        #[cfg(all(not(loom), not(miri), target_arch = "x86_64"))]
        crate::copy::claim(self.0.base.wrapping_add(index).cast());
        #[cfg(any(loom, miri, not(target_arch = "x86_64")))]
        let _ = index;
    }

    #[inline]
    pub(crate) fn store(&self, index: usize, value: u64, ordering: Ordering) {
        self.0.word(index).store(value, ordering);
    }

    /// Copies bytes to `offset`. Panics if they do not fit: callers have checked.
    #[inline]
    pub(crate) fn write(&self, offset: usize, bytes: &[u8]) {
        self.0.check(offset, bytes.len());
        #[cfg(all(not(loom), not(miri), target_arch = "x86_64"))]
        // SAFETY: both ranges are checked and of this length, and an `Owner`'s memory may be
        // written.
        unsafe {
            let base = self.0.base.cast::<u8>().cast_mut();
            crate::copy::bytes(bytes.as_ptr(), base.add(offset), bytes.len());
        }
        #[cfg(any(loom, miri, not(target_arch = "x86_64")))]
        self.0.pieces(offset, bytes.len(), |index, shift, range| {
            let word = self.0.word(index);
            let mut merged = word.load(Ordering::Relaxed).to_le_bytes();
            let end = shift + range.len();
            merged[shift..end].copy_from_slice(&bytes[range]);
            word.store(u64::from_le_bytes(merged), Ordering::Relaxed);
        });
    }
}

impl std::ops::Deref for Owner {
    type Target = View;

    #[inline]
    fn deref(&self) -> &View {
        &self.0
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_from_any_offset_and_touch_nothing_else() {
        // Interpreted, all of them would take minutes.
        let step = if cfg!(miri) { 17 } else { 1 };
        for length in (0..70)
            .step_by(step)
            .chain([127, 128, 129, 255, 256, 300, 1000])
        {
            for offset in 0..9 {
                let owner = Owner::heap(1024 + 16);
                let bytes: Vec<u8> = (0..length).map(|i| (i % 250 + 1) as u8).collect();
                owner.write(offset, &bytes);
                let mut all = vec![0; owner.len()];
                owner.read(0, room(&mut all));
                let mut expected = vec![0; owner.len()];
                expected[offset..offset + length].copy_from_slice(&bytes);
                assert_eq!(all, expected);
                let mut back = vec![0; length];
                owner.read(offset, room(&mut back));
                assert_eq!(back, bytes);
            }
        }
    }

    #[test]
    #[should_panic]
    fn nothing_is_read_beyond_the_end() {
        Owner::heap(64).read(60, room(&mut [0; 5]));
    }
}
