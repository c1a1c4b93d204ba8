//! Octets that are built where peers can read them.
use bytes::{Bytes, BytesMut};
use dunlin_shm::Chunk;
use dunlin_transport::Transport;
use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};

/// Octets that are built where peers of this host can read them, for a member of type [`Bytes`]; in
/// ordinary memory if no such memory is to be had, or if they are so few that a copy is faster.
#[derive(Debug)]
pub struct LoanedBytes {
    buffer: Buffer,
}

#[derive(Debug)]
enum Buffer {
    Chunk(Chunk),
    /// So many octets of ordinary memory, which may have more.
    Own(BytesMut, usize),
}

/// Ordinary memory that a writer has lent, to be lent again once nobody needs what was written in
/// it: large payloads would otherwise be allocated and filled with zeros for each sample.
#[derive(Debug, Default)]
pub(crate) struct LoanStock {
    /// The oldest first.
    lent: VecDeque<Bytes>,
    bytes: usize,
}

impl LoanStock {
    /// So many are kept; their users free the others. A writer keeps some 77 samples of 63,000
    /// octets between two answers of its readers.
    const MOST: usize = 128;
    /// So many of the oldest are looked at: what is written first is let go first.
    const LOOKS: usize = 4;
    /// So many octets of all are kept.
    const MOST_BYTES: usize = 32 << 20;
    /// Sizes that differ by less share memory.
    const STEP: usize = 4096;

    /// Memory of at least `length` octets that nobody uses any more, with what was in it.
    fn take(&mut self, length: usize) -> Option<BytesMut> {
        let fits = |bytes: &Bytes| bytes.len() >= length && bytes.is_unique();
        let at = self.lent.iter().take(Self::LOOKS).position(fits)?;
        let bytes = self.lent.remove(at)?;
        self.bytes -= bytes.len();
        bytes.try_into_mut().ok()
    }

    /// Keeps a reference to what was lent, in the place of the oldest if there are too many.
    fn keep(&mut self, bytes: &Bytes) {
        if bytes.len() > Self::MOST_BYTES {
            return;
        }
        self.bytes += bytes.len();
        self.lent.push_back(bytes.clone());
        while self.lent.len() > Self::MOST || self.bytes > Self::MOST_BYTES {
            let oldest = self.lent.pop_front();
            self.bytes -= oldest.map_or(0, |oldest| oldest.len());
        }
    }
}

impl LoanedBytes {
    pub(crate) fn new(transport: &dyn Transport, length: usize) -> Self {
        let buffer = match transport.chunk(length) {
            Some(mut chunk) if chunk.len() >= length => {
                chunk.truncate(length);
                Buffer::Chunk(chunk)
            }
            _ => Buffer::Own(BytesMut::zeroed(length), length),
        };
        Self { buffer }
    }

    /// In ordinary memory, with whatever was there before.
    pub(crate) fn private(length: usize, stock: &mut LoanStock) -> Self {
        let memory = stock.take(length).unwrap_or_else(|| {
            let size = length.next_multiple_of(LoanStock::STEP);
            let mut memory = BytesMut::zeroed(size + 1);
            // What was split once is counted from the start, and so without an allocation later.
            memory.split_to(size)
        });
        Self {
            buffer: Buffer::Own(memory, length),
        }
    }

    /// As [`freeze`](Self::freeze); ordinary memory comes back to the stock.
    pub(crate) fn freeze_into(self, stock: &mut LoanStock) -> Bytes {
        match self.buffer {
            Buffer::Own(own, length) => {
                let whole = own.freeze();
                stock.keep(&whole);
                whole.slice(..length)
            }
            chunk @ Buffer::Chunk(_) => Self { buffer: chunk }.freeze(),
        }
    }

    /// Makes them fewer, if they are more.
    pub fn truncate(&mut self, length: usize) {
        match &mut self.buffer {
            Buffer::Chunk(chunk) => chunk.truncate(length),
            Buffer::Own(_, own) => *own = length.min(*own),
        }
    }

    /// Whether readers of this host will see this memory, rather than a copy.
    pub fn is_shared(&self) -> bool {
        matches!(self.buffer, Buffer::Chunk(_))
    }

    /// Makes them immutable, to be put into a sample. The memory is given back when the last
    /// reference is dropped and no reader holds it.
    pub fn freeze(self) -> Bytes {
        match self.buffer {
            Buffer::Chunk(chunk) => Bytes::from_owner(chunk.publish()),
            Buffer::Own(own, length) => own.freeze().slice(..length),
        }
    }
}

impl Deref for LoanedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.buffer {
            Buffer::Chunk(chunk) => chunk.bytes(),
            Buffer::Own(own, length) => own.get(..*length).unwrap_or_default(),
        }
    }
}

impl DerefMut for LoanedBytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        match &mut self.buffer {
            Buffer::Chunk(chunk) => chunk.bytes_mut(),
            Buffer::Own(own, length) => own.get_mut(..*length).unwrap_or_default(),
        }
    }
}

impl From<LoanedBytes> for Bytes {
    fn from(bytes: LoanedBytes) -> Self {
        bytes.freeze()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_lent_again_when_nobody_needs_it() {
        let mut stock = LoanStock::default();
        let mut first = LoanedBytes::private(100_000, &mut stock);
        first.fill(7);
        let place = first.as_ptr();
        let written = first.freeze_into(&mut stock);
        // Somebody may still read it.
        let second = LoanedBytes::private(90_000, &mut stock);
        assert!(second.as_ptr() != place && second.len() == 90_000);
        assert!(written.iter().all(|octet| *octet == 7));
        drop(written);
        let mut third = LoanedBytes::private(99_000, &mut stock);
        assert!(third.as_ptr() == place && third.len() == 99_000);
        third.truncate(10);
        assert_eq!((third.len(), third.freeze_into(&mut stock).len()), (10, 10));
        // A shorter sample has not made the memory shorter.
        assert_eq!(LoanedBytes::private(100_000, &mut stock).as_ptr(), place);
    }

    #[test]
    fn little_is_kept() {
        let mut stock = LoanStock::default();
        let lend =
            |stock: &mut LoanStock, length| LoanedBytes::private(length, stock).freeze_into(stock);
        let held: Vec<Bytes> = (0..200).map(|_| lend(&mut stock, 5000)).collect();
        assert_eq!(stock.lent.len(), LoanStock::MOST);
        drop(held);
        let held: Vec<Bytes> = (0..9).map(|_| lend(&mut stock, 10 << 20)).collect();
        assert!(stock.bytes <= LoanStock::MOST_BYTES && stock.lent.len() <= 3);
        drop(held);
        drop(lend(&mut stock, LoanStock::MOST_BYTES + 1));
        let kept: usize = stock.lent.iter().map(Bytes::len).sum();
        assert!(kept == stock.bytes && kept <= LoanStock::MOST_BYTES);
    }
}
