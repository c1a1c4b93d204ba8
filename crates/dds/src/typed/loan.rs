//! Samples, and octets of samples, that are built where peers can read them.
use crate::error::{Error, Result};
use crate::untyped::writer::SERIALIZE_LIMIT;
use bytes::Bytes;
use dunlin_cdr::{Plain, bytemuck};
use dunlin_shm::Chunk;
use dunlin_transport::Transport;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// Chunks begin at multiples of this; types that need more lie in ordinary memory.
const CHUNK_ALIGN: usize = 64;

/// A sample that is built where peers of this host can read it, for
/// [`DataWriter::write_loan`](crate::DataWriter::write_loan). It lies in ordinary memory, and is
/// sent as any other, if no such memory is to be had, or if it is so small that a copy is faster.
/// Dropping it gives the memory back.
pub struct Loan<T: Plain> {
    memory: Memory<T>,
}

enum Memory<T> {
    Chunk(Chunk),
    /// One: a `Box<T>` would take the way over the stack in builds without optimization.
    Own(Box<[T]>),
}

impl<T: Plain> Loan<T> {
    /// Memory that holds whatever was there before.
    pub(crate) fn new(transport: &dyn Transport, entity: impl Fn() -> String) -> Result<Self> {
        let size = size_of::<T>();
        if align_of::<T>() <= CHUNK_ALIGN
            && let Some(mut chunk) = transport.chunk(size)
            && bytemuck::try_from_bytes_mut::<T>(chunk.bytes_mut()).is_ok()
        {
            return Ok(Self {
                memory: Memory::Chunk(chunk),
            });
        }
        let own = match size <= SERIALIZE_LIMIT {
            true => Ok(small()),
            false => bytemuck::try_zeroed_slice_box(1),
        };
        let own = own.map_err(|()| Error::OutOfResources {
            entity: entity(),
            limit: format!("there is no memory for a sample of {size} bytes; give back loans, or lend fewer at a time"),
        })?;
        Ok(Self {
            memory: Memory::Own(own),
        })
    }

    /// Sets all bytes to zero, unless they are.
    pub(crate) fn cleared(mut self) -> Self {
        if let Memory::Chunk(chunk) = &mut self.memory {
            chunk.bytes_mut().fill(0);
        }
        self
    }

    /// Whether readers of this host will see this memory, rather than a copy.
    pub fn is_shared(&self) -> bool {
        matches!(self.memory, Memory::Chunk(_))
    }

    /// Whether its memory is worth keeping until it is sent.
    pub(crate) fn is_kept(&self) -> bool {
        self.is_shared() || size_of::<T>() > SERIALIZE_LIMIT
    }

    /// The memory, not to be changed any more.
    pub(crate) fn freeze(self) -> Bytes
    where
        T: Send,
    {
        match self.memory {
            Memory::Chunk(chunk) => Bytes::from_owner(chunk.publish()),
            Memory::Own(own) => Bytes::from_owner(Own(own)),
        }
    }
}

impl<T: Plain> Deref for Loan<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match &self.memory {
            // Size and alignment were found right when it was made.
            Memory::Chunk(chunk) => bytemuck::from_bytes(chunk.bytes()),
            Memory::Own(own) => &own[0],
        }
    }
}

impl<T: Plain> DerefMut for Loan<T> {
    fn deref_mut(&mut self) -> &mut T {
        match &mut self.memory {
            Memory::Chunk(chunk) => bytemuck::from_bytes_mut(chunk.bytes_mut()),
            Memory::Own(own) => &mut own[0],
        }
    }
}

/// Faster than to ask for zeroed memory. By way of the stack, on which nothing large may have its
/// place, be it in vain.
#[inline(never)]
fn small<T: Plain>() -> Box<[T]> {
    vec![T::zeroed()].into()
}

impl<T: Plain + fmt::Debug> fmt::Debug for Loan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// A value as bytes that own it.
struct Own<T>(Box<[T]>);

impl<T: Plain> AsRef<[u8]> for Own<T> {
    fn as_ref(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }
}

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
