//! Buffers that are used again: steady traffic allocates nothing per sample.
//!
//! A pool owns `BytesMut` handles. Bytes split off and frozen keep the buffer busy; once all of
//! them are gone the pool's own handle is the only one left and the space is reclaimed in place.
use bytes::BytesMut;

/// Small payloads share chunks of this size.
const CHUNK: usize = 128 * 1024;
/// Larger payloads get a buffer of their own.
const SHARED_LIMIT: usize = 16 * 1024;
/// More busy buffers than this are left to their users and not taken back. A writer keeps some 77
/// samples of 63,000 bytes between two answers of its readers.
const MOST: usize = 128;
/// Of large buffers so many bytes are kept; beyond that their last user frees them.
const KEPT: usize = 32 * 1024 * 1024;
/// Large buffers are sized in steps, so that slightly different sizes share them.
const LARGE_STEP: usize = 64 * 1024;

/// A pool of receive or payload buffers, owned by one thread or one lock.
#[derive(Default)]
pub(crate) struct Pool {
    chunks: Ring,
    large: Ring,
}

#[derive(Default)]
struct Ring {
    buffers: Vec<BytesMut>,
    /// How large each of them was made.
    sizes: Vec<usize>,
    current: usize,
    /// What they all take.
    bytes: usize,
}

impl Pool {
    /// An empty region of at least `size` bytes of capacity; the caller fills it and splits it off.
    #[inline]
    pub(crate) fn reserve(&mut self, size: usize) -> &mut BytesMut {
        if size <= SHARED_LIMIT {
            self.chunks.reserve(size, CHUNK)
        } else {
            self.large.reserve(size, size.next_multiple_of(LARGE_STEP))
        }
    }

    /// The buffer that `reserve` gave last for such a size.
    pub(crate) fn reserved(&mut self, size: usize) -> &mut BytesMut {
        let ring = match size <= SHARED_LIMIT {
            true => &mut self.chunks,
            false => &mut self.large,
        };
        if ring.buffers.is_empty() {
            ring.add(BytesMut::new());
        }
        &mut ring.buffers[ring.current]
    }

    /// A counted copy of `bytes`.
    pub(crate) fn copy(&mut self, bytes: &[u8]) -> bytes::Bytes {
        let buffer = self.reserve(bytes.len());
        dunlin_copy::append(buffer, bytes);
        let copy = buffer.split().freeze();
        self.trim();
        copy
    }

    /// Lets go of what was reserved and split off last, if more is kept than should be: to be
    /// called when large buffers are split off.
    #[inline]
    pub(crate) fn trim(&mut self) {
        if self.large.bytes > KEPT {
            self.large.trim();
        }
    }

    /// A buffer of the caller's own with at least `size` bytes of capacity.
    pub(crate) fn take(&mut self, size: usize) -> BytesMut {
        let buffer = self.reserve(size);
        let mut rest = buffer.split_off(size.min(buffer.capacity()));
        std::mem::swap(buffer, &mut rest);
        self.trim();
        rest
    }
}

impl Ring {
    #[inline]
    fn reserve(&mut self, size: usize, fresh: usize) -> &mut BytesMut {
        // Mostly there is room, and nobody has to look elsewhere.
        let has_room = |buffer: &BytesMut| buffer.is_empty() && buffer.capacity() >= size;
        if !self.buffers.get(self.current).is_some_and(has_room) {
            self.go_on(size, fresh);
        }
        &mut self.buffers[self.current]
    }

    #[cold]
    fn go_on(&mut self, size: usize, fresh: usize) {
        self.current = self.find(size).unwrap_or_else(|| self.grow(fresh));
    }

    /// The current buffer if it has room, else the first one, in turn, whose users have gone.
    fn find(&mut self, size: usize) -> Option<usize> {
        let count = self.buffers.len();
        (self.current..count)
            .chain(0..self.current.min(count))
            .find(|&index| {
                let buffer = &mut self.buffers[index];
                buffer.clear();
                buffer.capacity() >= size || buffer.try_reclaim(size)
            })
    }

    fn grow(&mut self, capacity: usize) -> usize {
        let buffer = BytesMut::with_capacity(capacity);
        if self.buffers.len() < MOST {
            return self.add(buffer);
        }
        let size = &mut self.sizes[self.current];
        self.bytes = self.bytes - *size + capacity;
        *size = capacity;
        self.buffers[self.current] = buffer;
        self.current
    }

    fn add(&mut self, buffer: BytesMut) -> usize {
        self.sizes.push(buffer.capacity());
        self.bytes += buffer.capacity();
        self.buffers.push(buffer);
        self.buffers.len() - 1
    }

    #[cold]
    fn trim(&mut self) {
        while self.bytes > KEPT && self.current < self.buffers.len() {
            self.bytes -= self.sizes.swap_remove(self.current);
            self.buffers.swap_remove(self.current);
            self.current = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_released_buffer_is_used_again() {
        let mut pool = Pool::default();
        for size in [100, 20_000, 1_000_000] {
            let first = pool.copy(&vec![1; size]);
            let place = first.as_ptr();
            drop(first);
            for _ in 0..10_000_000 / size {
                drop(pool.copy(&vec![2; size]));
            }
            let places: Vec<_> = (0..3).map(|_| pool.copy(&vec![3; size]).as_ptr()).collect();
            assert!(
                pool.large.buffers.len() <= 2 && pool.chunks.buffers.len() <= 2,
                "{places:?} {place:?}"
            );
        }
    }

    #[test]
    fn few_bytes_of_large_buffers_are_kept() {
        let mut pool = Pool::default();
        let held: Vec<_> = (0..20).map(|_| pool.take(10_000_000)).collect();
        assert!(pool.large.bytes <= KEPT && pool.large.buffers.len() == 3);
        drop(held);
        drop(pool.take(2 * KEPT));
        assert!(pool.large.bytes <= KEPT);
        // What is kept is used again.
        let places: Vec<_> = (0..2).map(|_| pool.take(10_000_000).as_ptr()).collect();
        assert_eq!(places[0], places[1]);
    }

    #[test]
    fn held_bytes_are_never_overwritten() {
        let mut pool = Pool::default();
        let held: Vec<_> = (0..200u8).map(|i| pool.copy(&[i; 3000])).collect();
        for (i, bytes) in held.iter().enumerate() {
            assert!(bytes.iter().all(|b| usize::from(*b) == i));
        }
    }

    #[test]
    fn a_taken_buffer_is_its_owners() {
        let mut pool = Pool::default();
        let mut a = pool.take(1_000_000);
        let mut b = pool.take(1_000_000);
        a.resize(1_000_000, 1);
        b.resize(1_000_000, 2);
        assert!(a.iter().all(|x| *x == 1) && b.iter().all(|x| *x == 2));
    }
}
