//! Where a [`Writer`](crate::Writer) puts its bytes: into a buffer, or nowhere, only to count them.

use bytes::{Bytes, BytesMut};

/// From a value to a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A member of a struct or union, by its id.
    Member(u32),
    /// An element of a sequence or array.
    Element(usize),
    /// The key of an entry of a map.
    Key(usize),
    /// The value of an entry of a map.
    Value(usize),
}

/// Takes the bytes of a [`Writer`](crate::Writer). Implemented by [`Buffer`], [`Counter`] and what
/// looks for a fault, and by nothing else.
pub trait Sink: sealed::Sealed {
    /// Bytes taken so far.
    fn position(&self) -> usize;
    /// Appends `padding` (at most 8) zero bytes and then `bytes`.
    fn put<const N: usize>(&mut self, padding: usize, bytes: [u8; N]);
    /// Appends a run of bytes.
    fn put_slice(&mut self, bytes: &[u8]);
    /// Appends a run of bytes that others may share, so that a large one need not be copied.
    fn put_shared(&mut self, bytes: &Bytes);
    /// Overwrites bytes taken earlier, from position `at`.
    fn patch<const N: usize>(&mut self, at: usize, bytes: [u8; N]);
    /// Makes room for `N` bytes at position `at` and moves what follows.
    fn insert<const N: usize>(&mut self, at: usize, bytes: [u8; N]);
    /// A part of the value is about to be written; of interest when one looks for a fault.
    #[inline(always)]
    fn enter(&mut self, _: Step) {}
    /// The part that was entered last is written.
    #[inline(always)]
    fn leave(&mut self) {}
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Counter {}
    impl Sealed for crate::place::Trail {}
    impl<const STAGE: usize> Sealed for super::Buffer<'_, STAGE> {}
}

/// Counts bytes and forgets them.
#[derive(Debug, Default)]
pub struct Counter {
    position: usize,
    longest: usize,
}

impl Counter {
    /// The length of the longest run that may be shared.
    #[inline]
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }
}

impl Sink for Counter {
    #[inline]
    fn position(&self) -> usize {
        self.position
    }

    #[inline]
    fn put<const N: usize>(&mut self, padding: usize, _: [u8; N]) {
        self.position += padding + N;
    }

    #[inline]
    fn put_slice(&mut self, bytes: &[u8]) {
        self.position += bytes.len();
    }

    #[inline]
    fn put_shared(&mut self, bytes: &Bytes) {
        self.longest = self.longest.max(bytes.len());
        self.put_slice(bytes);
    }

    #[inline]
    fn patch<const N: usize>(&mut self, _: usize, _: [u8; N]) {}

    #[inline]
    fn insert<const N: usize>(&mut self, _: usize, _: [u8; N]) {
        self.position += N;
    }
}

/// A part of a payload that was not copied: the application's own bytes, counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoanedPart {
    /// Where in the payload they belong.
    pub at: usize,
    /// The bytes.
    pub bytes: Bytes,
}

impl LoanedPart {
    fn end(&self) -> usize {
        self.at + self.bytes.len()
    }
}

/// Appends to a [`BytesMut`].
///
/// Single values gather in a small array first, where the compiler folds positions and paddings
/// into constants; the buffer itself is touched once per [`STAGE`](Self) bytes. Bytes reach it at
/// the latest when [`flush`](Self::flush) is called, so nobody may drop a `Buffer` before that.
#[derive(Debug)]
pub struct Buffer<'a, const STAGE: usize = 64> {
    out: &'a mut BytesMut,
    /// Length of `out` when writing began.
    base: usize,
    /// Bytes that went to `out` since, or were left out.
    flushed: usize,
    stage: [u8; STAGE],
    staged: usize,
    /// The first shared run of at least so many bytes is left out of `out`.
    leaves_out: usize,
    loaned: Option<LoanedPart>,
}

/// Padding and number of one `put` never exceed this.
const ROOM: usize = 16;

impl<'a, const STAGE: usize> Buffer<'a, STAGE> {
    /// A sink that appends to `out`.
    #[inline]
    pub fn new(out: &'a mut BytesMut) -> Self {
        const { assert!(STAGE >= 2 * ROOM) };
        Self {
            base: out.len(),
            out,
            flushed: 0,
            stage: [0; STAGE],
            staged: 0,
            leaves_out: usize::MAX,
            loaned: None,
        }
    }

    /// Leaves the first shared run of at least `length` bytes where it is;
    /// [`take_loaned`](Self::take_loaned) tells which.
    #[inline]
    pub(crate) fn leave_out(&mut self, length: usize) {
        self.leaves_out = length;
    }

    #[inline]
    pub(crate) fn take_loaned(&mut self) -> Option<LoanedPart> {
        self.loaned.take()
    }

    /// Where in `out` the byte at position `at` stands.
    #[inline]
    fn place(&self, at: usize) -> usize {
        let absent = match &self.loaned {
            Some(loaned) if at >= loaned.end() => loaned.bytes.len(),
            _ => 0,
        };
        self.base + at - absent
    }

    #[cold]
    #[inline(never)]
    fn set_loaned(&mut self, bytes: &Bytes) {
        self.flush();
        self.loaned = Some(LoanedPart {
            at: self.flushed,
            bytes: bytes.clone(),
        });
        self.flushed += bytes.len();
    }

    /// Moves what is staged to the buffer.
    #[inline]
    pub fn flush(&mut self) {
        self.out.extend_from_slice(&self.stage[..self.staged]);
        self.flushed += self.staged;
        self.staged = 0;
    }

    /// The bytes written, if all of them still fit the stage.
    #[inline]
    pub(crate) fn staged(&self) -> Option<&[u8]> {
        (self.flushed == 0).then(|| &self.stage[..self.staged])
    }

    /// Passes the stage by, for runs that do not fit it.
    #[inline(never)]
    fn put_directly(&mut self, bytes: &[u8]) {
        self.flush();
        dunlin_copy::append(self.out, bytes);
        self.flushed += bytes.len();
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        self.flush();
    }
}

impl<const STAGE: usize> Sink for Buffer<'_, STAGE> {
    #[inline]
    fn position(&self) -> usize {
        self.flushed + self.staged
    }

    #[inline(always)]
    fn put<const N: usize>(&mut self, padding: usize, bytes: [u8; N]) {
        const { assert!(N <= 8) };
        if self.staged > STAGE - ROOM {
            self.make_room();
        }
        let at = self.staged;
        if padding > 0 {
            self.stage[at..at + 8].fill(0);
        }
        let at = at + (padding & 7);
        self.stage[at..at + N].copy_from_slice(&bytes);
        self.staged = at + N;
    }

    #[inline(always)]
    fn put_slice(&mut self, bytes: &[u8]) {
        let end = self.staged.saturating_add(bytes.len());
        if end <= STAGE {
            self.stage[self.staged..end].copy_from_slice(bytes);
            self.staged = end;
        } else {
            self.put_directly(bytes);
        }
    }

    #[inline]
    fn put_shared(&mut self, bytes: &Bytes) {
        if bytes.len() >= self.leaves_out && self.loaned.is_none() {
            self.set_loaned(bytes);
        } else {
            self.put_slice(bytes);
        }
    }

    #[inline]
    fn patch<const N: usize>(&mut self, at: usize, bytes: [u8; N]) {
        if at >= self.flushed {
            let at = at - self.flushed;
            self.stage[at..at + N].copy_from_slice(&bytes);
        } else {
            // A number is staged whole, and flushed whole, so it is never in both places.
            let at = self.place(at);
            self.out[at..at + N].copy_from_slice(&bytes);
        }
    }

    #[cold]
    fn insert<const N: usize>(&mut self, at: usize, bytes: [u8; N]) {
        self.flush();
        let place = self.place(at);
        if let Some(loaned) = &mut self.loaned
            && at <= loaned.at
        {
            loaned.at += N;
        }
        let at = place;
        let end = self.out.len();
        self.out.extend_from_slice(&bytes);
        self.out.copy_within(at..end, at + N);
        self.out[at..at + N].copy_from_slice(&bytes);
        self.flushed += N;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_appends_patches_and_inserts_across_its_stage() {
        let mut out = BytesMut::from(&b"before"[..]);
        let mut sink: Buffer<'_> = Buffer::new(&mut out);
        let mut expected = std::vec::Vec::new();
        for n in 0..200u32 {
            sink.put((n % 8) as usize, n.to_le_bytes());
            expected.extend_from_slice(&[0; 8][..(n % 8) as usize]);
            expected.extend_from_slice(&n.to_le_bytes());
            assert_eq!(sink.position(), expected.len());
        }
        sink.put_slice(&[7; 300]);
        expected.extend_from_slice(&[7; 300]);
        sink.put_slice(b"xyz");
        expected.extend_from_slice(b"xyz");
        let last = expected.len() - 2;
        for at in [1, last] {
            sink.patch(at, [0xee]);
            expected[at] = 0xee;
        }
        sink.insert(5, *b"inserted");
        expected.splice(5..5, *b"inserted");
        assert_eq!(sink.position(), expected.len());
        sink.flush();
        assert_eq!(&out[..6], b"before");
        assert_eq!(&out[6..], &expected[..]);
    }

    #[test]
    fn what_is_left_out_counts_as_written() {
        let mut out = BytesMut::from(&b"before"[..]);
        let mut sink: Buffer<'_> = Buffer::new(&mut out);
        sink.leave_out(1000);
        sink.put(0, [1; 4]);
        sink.put_shared(&Bytes::from_static(&[2; 999]));
        sink.put_shared(&Bytes::from_static(&[3; 1000]));
        sink.put_shared(&Bytes::from_static(&[4; 2000]));
        sink.put(4, [5; 4]);
        sink.flush();
        assert_eq!(sink.position(), 4 + 999 + 1000 + 2000 + 8);
        sink.patch(2, [0xaa; 2]);
        sink.patch(2004, [0xbb; 2]);
        sink.insert(4, [6; 8]);
        sink.insert(2011, [7; 8]);
        let loaned = sink.take_loaned().unwrap();
        assert_eq!((loaned.at, &loaned.bytes[..]), (1011, &[3; 1000][..]));
        let parts: [&[u8]; 10] = [
            b"before",
            &[1, 1, 0xaa, 0xaa],
            &[6; 8],
            &[2; 999],
            &[7; 8],
            &[4],
            &[0xbb; 2],
            &[4; 1997],
            &[0; 4],
            &[5; 4],
        ];
        assert_eq!(&out[..], parts.concat());
    }
}
