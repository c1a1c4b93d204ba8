//! Octets that are built where peers can read them.
use bytes::Bytes;
use dunlin_shm::Chunk;
use dunlin_transport::Transport;
use std::ops::{Deref, DerefMut};

/// Octets that are built where peers of this host can read them, for a member of type [`Bytes`]; in
/// ordinary memory if no such memory is to be had, or if they are so few that a copy is faster.
#[derive(Debug)]
pub struct LoanedBytes {
    octets: Octets,
}

#[derive(Debug)]
enum Octets {
    Chunk(Chunk),
    Own(Vec<u8>),
}

impl LoanedBytes {
    pub(crate) fn new(transport: &dyn Transport, length: usize) -> Self {
        let octets = match transport.chunk(length) {
            Some(mut chunk) if chunk.len() >= length => {
                chunk.truncate(length);
                Octets::Chunk(chunk)
            }
            _ => Octets::Own(vec![0; length]),
        };
        Self { octets }
    }

    /// Makes them fewer, if they are more.
    pub fn truncate(&mut self, length: usize) {
        match &mut self.octets {
            Octets::Chunk(chunk) => chunk.truncate(length),
            Octets::Own(own) => own.truncate(length),
        }
    }

    /// Whether readers of this host will see this memory, rather than a copy.
    pub fn is_shared(&self) -> bool {
        matches!(self.octets, Octets::Chunk(_))
    }

    /// Makes them immutable, to be put into a sample. The memory is given back when the last
    /// reference is dropped and no reader holds it.
    pub fn freeze(self) -> Bytes {
        match self.octets {
            Octets::Chunk(chunk) => Bytes::from_owner(chunk.publish()),
            Octets::Own(own) => own.into(),
        }
    }
}

impl Deref for LoanedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.octets {
            Octets::Chunk(chunk) => chunk.bytes(),
            Octets::Own(own) => own,
        }
    }
}

impl DerefMut for LoanedBytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        match &mut self.octets {
            Octets::Chunk(chunk) => chunk.bytes_mut(),
            Octets::Own(own) => own,
        }
    }
}

impl From<LoanedBytes> for Bytes {
    fn from(octets: LoanedBytes) -> Self {
        octets.freeze()
    }
}
