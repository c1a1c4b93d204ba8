//! Octets that are built where peers can read them.
use bytes::Bytes;
use dunlin_shm::Chunk;
use dunlin_transport::Transport;
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
    Own(Vec<u8>),
}

impl LoanedBytes {
    pub(crate) fn new(transport: &dyn Transport, length: usize) -> Self {
        let buffer = match transport.chunk(length) {
            Some(mut chunk) if chunk.len() >= length => {
                chunk.truncate(length);
                Buffer::Chunk(chunk)
            }
            _ => Buffer::Own(vec![0; length]),
        };
        Self { buffer }
    }

    /// In ordinary memory.
    pub(crate) fn private(length: usize) -> Self {
        Self {
            buffer: Buffer::Own(vec![0; length]),
        }
    }

    /// Makes them fewer, if they are more.
    pub fn truncate(&mut self, length: usize) {
        match &mut self.buffer {
            Buffer::Chunk(chunk) => chunk.truncate(length),
            Buffer::Own(own) => own.truncate(length),
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
            Buffer::Own(own) => own.into(),
        }
    }
}

impl Deref for LoanedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.buffer {
            Buffer::Chunk(chunk) => chunk.bytes(),
            Buffer::Own(own) => own,
        }
    }
}

impl DerefMut for LoanedBytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        match &mut self.buffer {
            Buffer::Chunk(chunk) => chunk.bytes_mut(),
            Buffer::Own(own) => own,
        }
    }
}

impl From<LoanedBytes> for Bytes {
    fn from(bytes: LoanedBytes) -> Self {
        bytes.freeze()
    }
}
