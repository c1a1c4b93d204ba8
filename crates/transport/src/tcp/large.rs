//! A large message that arrives in parts: the buffer that it grows in, the memory that this may
//! take, and buffers to be used again.
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use bytes::{Buf, BytesMut};
use dunlin_wire::Header;
use dunlin_wire::stream::Carried;

use super::receive_channel::Fault;

/// The first size of a large message's buffer, if there is none to use again; it doubles from
/// there.
const FIRST: usize = 256 * 1024;
/// Buffers that wait to be used again.
const SPARES: usize = 4;

/// Memory for messages under way, of all connections of a participant together.
#[derive(Debug)]
pub(super) struct Budget {
    used: AtomicUsize,
    most: usize,
}

impl Budget {
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            used: AtomicUsize::new(0),
            most,
        })
    }

    #[cfg(any(test, feature = "fuzzing"))]
    pub(super) fn used(&self) -> usize {
        self.used.load(Relaxed)
    }

    fn take(&self, bytes: usize) -> bool {
        let before = self.used.fetch_add(bytes, Relaxed);
        let granted = before.saturating_add(bytes) <= self.most;
        if !granted {
            self.give(bytes);
        }
        granted
    }

    fn give(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Relaxed);
    }
}

/// A message that arrives in a buffer of its own.
pub(super) struct Large {
    /// As it stands in the stream.
    pub(super) bytes: BytesMut,
    pub(super) size: usize,
    budget: Arc<Budget>,
    charged: usize,
}

impl Drop for Large {
    fn drop(&mut self) {
        self.budget.give(self.charged);
    }
}

impl Large {
    /// One of `size` bytes, of which those in `bytes` have come. The buffer counts: until the
    /// message is complete, nobody else can use it.
    pub(super) fn new(bytes: BytesMut, size: usize, budget: &Arc<Budget>) -> Result<Self, Fault> {
        let charged = bytes.capacity();
        if !budget.take(charged) {
            return Err(Fault::NoMemory);
        }
        Ok(Self {
            bytes,
            size,
            budget: Arc::clone(budget),
            charged,
        })
    }

    pub(super) fn left(&self) -> usize {
        self.size.saturating_sub(self.bytes.len())
    }

    /// Makes room for `more` bytes at least, and for as much again as there is, but never for more
    /// than the message has.
    pub(super) fn grow(&mut self, more: usize) -> Result<(), Fault> {
        let length = self.bytes.len();
        if self.bytes.capacity() > length.saturating_add(more) {
            return Ok(());
        }
        let room = length.max(FIRST).max(more).min(self.left());
        if !self.budget.take(room) {
            return Err(Fault::NoMemory);
        }
        self.charged += room;
        // No more than that: what is behind a message would keep its buffer from being used again.
        let mut larger = BytesMut::with_capacity(length.saturating_add(room));
        dunlin_copy::append(&mut larger, &self.bytes);
        self.bytes = larger;
        Ok(())
    }
}

/// Buffers that are not in use.
#[derive(Default)]
pub(super) struct Shelf(Vec<BytesMut>);

impl Shelf {
    /// One that has room for so many bytes, the last that was used, or else one that has yet to
    /// grow.
    pub(super) fn take(&mut self, size: usize) -> BytesMut {
        let fits = |spare: &mut BytesMut| spare.capacity() >= size || spare.try_reclaim(size);
        let found = self.0.iter_mut().rposition(fits);
        found.map_or_else(BytesMut::new, |place| self.0.swap_remove(place))
    }

    /// Of too many the smallest goes.
    pub(super) fn put(&mut self, mut spare: BytesMut) {
        spare.clear();
        if self.0.len() < SPARES {
            self.0.push(spare);
        } else if let Some(least) = self.0.iter_mut().min_by_key(|kept| kept.capacity())
            && least.capacity() < spare.capacity()
        {
            *least = spare;
        }
    }
}

/// Takes out of a large message what only the stream needs, without moving what it carries.
pub(super) fn strip(message: &mut BytesMut) {
    let carried = Carried::parse(message);
    let added = message.len().saturating_sub(carried.length());
    if let Carried::Message(header, _) = carried
        && let Some(header) = header.first_chunk::<{ Header::SIZE }>().copied()
        && let Some(place) = message.get_mut(added..added.saturating_add(header.len()))
    {
        place.copy_from_slice(&header);
    }
    message.advance(added);
}

pub(super) fn append(buffer: &mut BytesMut, carried: &Carried<'_>) {
    match carried {
        Carried::Message(header, rest) => {
            buffer.extend_from_slice(header);
            dunlin_copy::append(buffer, rest);
        }
        Carried::Opaque(bytes) => dunlin_copy::append(buffer, bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_used_again_when_nobody_needs_what_was_in_it() {
        let mut shelf = Shelf::default();
        let budget = Budget::new(1 << 20);
        let mut large = Large::new(shelf.take(1 << 20), 1 << 20, &budget).unwrap();
        while large.left() > 0 {
            large.grow(0).unwrap();
            let room = large.bytes.capacity() - large.bytes.len();
            large.bytes.extend_from_slice(&vec![7; room]);
        }
        let mut bytes = std::mem::take(&mut large.bytes);
        let place = bytes.as_ptr();
        let sample = bytes.split().freeze();
        shelf.put(bytes);
        assert_eq!(shelf.take(1 << 20).capacity(), 0);
        drop(sample);
        assert_eq!(shelf.take(1 << 20).as_ptr(), place);
    }

    #[test]
    fn a_shelf_keeps_the_largest() {
        let mut shelf = Shelf::default();
        for size in [3, 1, 4, 1, 5, 9, 2, 6] {
            shelf.put(BytesMut::with_capacity(size << 16));
        }
        for size in [9, 6, 5, 4] {
            assert!(shelf.take(size << 16).capacity() >= size << 16, "{size}");
        }
        assert_eq!(shelf.take(1).capacity(), 0);
    }
}
