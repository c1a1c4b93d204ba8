//! Receiving into growing buffers.
//!
//! The invariant of the `unsafe` block: the spare room of a buffer is written, by copies that write
//! all of what they say, before its length says so.
use std::mem::MaybeUninit;

use bytes::BytesMut;

use crate::{Error, Incoming, Loan, Receiver};

impl Receiver {
    /// As [`Self::try_recv`], into the spare room of a buffer, which does not grow.
    ///
    /// # Errors
    /// As `try_recv`; the buffer is then as before.
    #[inline]
    pub fn try_append(&mut self, buffer: &mut BytesMut) -> Result<Option<Incoming>, Error> {
        append(buffer, |spare| {
            let incoming = self.receive(spare)?;
            let length = match incoming {
                None | Some(Incoming::Withdrawal) => 0,
                Some(Incoming::Message(length)) => length,
                Some(Incoming::Attached { inline, .. }) => inline,
            };
            Ok((length, incoming))
        })
    }

    /// As [`Self::copy_chunk`], into the spare room of a buffer, which does not grow.
    ///
    /// # Errors
    /// As `copy_chunk`; the buffer is then as before.
    pub fn append_chunk(&mut self, buffer: &mut BytesMut) -> Result<usize, Error> {
        append(buffer, |spare| {
            self.take_chunk(spare).map(|length| (length, length))
        })
    }
}

impl Loan {
    /// Copies all of it into the spare room of a buffer, which does not grow.
    ///
    /// # Errors
    /// `Argument` if there is not enough room, `Violation` if the owner has used the chunk again;
    /// the buffer is then as before.
    pub fn append_to(&self, buffer: &mut BytesMut) -> Result<(), Error> {
        append(buffer, |spare| {
            let into = spare.get_mut(..self.len());
            let into = into.ok_or(Error::Argument("the chunk is longer than the buffer"))?;
            self.copy_to(0, into).map(|()| (self.len(), ()))
        })
    }
}

#[inline]
fn append<T>(
    buffer: &mut BytesMut,
    fill: impl FnOnce(&mut [MaybeUninit<u8>]) -> Result<(usize, T), Error>,
) -> Result<T, Error> {
    let before = buffer.len();
    let (length, result) = fill(buffer.spare_capacity_mut())?;
    debug_assert!(length <= buffer.capacity() - before);
    // SAFETY: `receive`, `take_chunk` and `Loan::copy_to` have written so many bytes from the
    // beginning of the spare room.
    unsafe { buffer.set_len(before + length) };
    Ok(result)
}
