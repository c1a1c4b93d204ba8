//! A chunk of our own: first it is written, by one handle, then it is read, by any number of
//! counted references.
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use super::{Pool, Token, WRITING};
use crate::Error;

/// A chunk that is being written.
#[derive(Debug)]
pub struct Chunk(pub(super) Published);

impl Chunk {
    /// Bytes.
    pub fn len(&self) -> usize {
        self.0.length
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.0.length == 0
    }

    /// Makes it shorter, if it is longer.
    pub fn truncate(&mut self, length: usize) {
        self.0.length = self.0.length.min(length);
    }

    /// Copies bytes into it.
    ///
    /// # Errors
    /// `Argument` if they do not fit.
    pub fn write(&mut self, offset: usize, bytes: &[u8]) -> Result<(), Error> {
        let end = offset.checked_add(bytes.len());
        if end.is_none_or(|end| end > self.0.length) {
            return Err(Error::Argument("beyond the end of the chunk"));
        }
        self.0.pool.inner.owner.write(self.0.offset + offset, bytes);
        Ok(())
    }

    /// The bytes as they are so far.
    #[cfg(not(loom))]
    pub fn bytes(&self) -> &[u8] {
        self.0.as_ref()
    }

    /// The bytes, for writing in place. They hold whatever was there before. Aligned to 64.
    #[cfg(not(loom))]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        let base = self.0.pool.inner.owner.address(self.0.offset).cast_mut();
        // SAFETY: the pool placed the chunk inside its memory; it belongs to this `Chunk` alone, no
        // other process can write it, and no reader of this process has its token before it is
        // published.
        unsafe { std::slice::from_raw_parts_mut(base, self.0.length) }
    }

    pub(crate) fn as_published(&self) -> &Published {
        &self.0
    }

    /// Makes it immutable, to be sent.
    pub fn publish(self) -> Published {
        // Nobody else has counted it. Pairs with the Acquire in `Pool::find`.
        self.0
            .count()
            .store(1, std::sync::atomic::Ordering::Release);
        self.0
    }
}

/// A chunk that may be read by others, and is not changed until nobody refers to it any more.
#[derive(Debug)]
pub struct Published {
    pub(super) pool: Pool,
    pub(super) token: Token,
    pub(super) offset: usize,
    pub(super) length: usize,
    pub(super) siblings: u32,
}

impl Published {
    pub(crate) fn token(&self) -> Token {
        self.token
    }

    /// Bytes.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// How many chunks of this size its pool has.
    #[inline]
    pub(crate) fn siblings(&self) -> usize {
        self.siblings as usize
    }

    /// Whether another is of the same size and pool.
    pub(crate) fn is_sibling(&self, other: &Self) -> bool {
        let class = |chunk: &Self| chunk.pool.inner.table.class(chunk.token.index());
        Arc::ptr_eq(&self.pool.inner, &other.pool.inner) && class(self) == class(other)
    }

    fn count(&self) -> &AtomicUsize {
        &self.pool.inner.counts[self.token.index() as usize]
    }
}

#[cfg(not(loom))]
impl AsRef<[u8]> for Published {
    fn as_ref(&self) -> &[u8] {
        let base = self.pool.inner.owner.address(self.offset);
        // SAFETY: inside the pool's memory, which this process alone can write, and does not while
        // this reference is counted.
        unsafe { std::slice::from_raw_parts(base, self.length) }
    }
}

impl Clone for Published {
    fn clone(&self) -> Self {
        self.count()
            .fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Self {
            pool: self.pool.clone(),
            ..*self
        }
    }
}

impl Drop for Published {
    fn drop(&mut self) {
        // As with any counted reference: what others did with the chunk happened before the last
        // one gives it back.
        let count = self
            .count()
            .fetch_sub(1, std::sync::atomic::Ordering::AcqRel);
        if count & !WRITING == 1 {
            self.pool.inner.release(self.token.index(), self.offset);
        }
    }
}
