//! Where payloads go that outlive their datagram.
use super::COPY_LIMIT;
use crate::receive::loaned::PendingLoan;
use crate::receive::participant::ReceivingReader;
use crate::runtime::pool::Pool;
use bytes::{Bytes, BytesMut};
use dunlin_qos::Duration;
use dunlin_rtps::{ContentFilter, InstanceHandle, Payload, PayloadAllocator};
use dunlin_wire::{Payload as SerializedPayload, Timestamp};

/// Keeps payloads beyond their datagram, and knows instances by the reader's type.
pub(super) struct ReceivedPayloads<'a, R> {
    pub(super) pool: &'a mut Pool,
    pub(super) whole: Option<&'a Bytes>,
    /// The loan that came with the datagram.
    pub(super) loan: Option<&'a mut PendingLoan>,
    pub(super) reader: &'a R,
    /// Nobody comes after this reader.
    pub(super) last: bool,
}

impl<R: ReceivingReader> PayloadAllocator for ReceivedPayloads<'_, R> {
    fn keep(&mut self, bytes: &[u8]) -> Payload {
        if let Some(loan) = &mut self.loan
            && let table = self.reader.loan_table()
            && let Some(payload) = loan.keep(bytes, table, self.pool, self.last)
        {
            return payload;
        }
        Payload::Inline(match self.whole {
            Some(datagram) if bytes.len() > COPY_LIMIT => datagram.slice_ref(bytes),
            _ => self.pool.copy(bytes),
        })
    }

    #[inline]
    fn length(&self, bytes: &[u8]) -> usize {
        match &self.loan {
            None => bytes.len(),
            Some(loan) => loan.length(bytes),
        }
    }

    fn assemble(&mut self, size: usize) -> BytesMut {
        self.pool.take(size)
    }

    fn passes(&mut self, filter: &ContentFilter, sample: &[u8]) -> bool {
        match &mut self.loan {
            Some(loan) => loan.passes(filter, sample, self.pool),
            None => filter.passes(sample),
        }
    }

    fn age(&mut self, written: Timestamp) -> Option<Duration> {
        self.reader.age(written)
    }

    fn instance(&mut self, payload: SerializedPayload<'_>) -> Option<InstanceHandle> {
        if let (Some(loan), SerializedPayload::Data(bytes)) = (&mut self.loan, payload)
            && let Some(whole) = loan.contiguous(bytes, self.pool)
        {
            return self.reader.instance(SerializedPayload::Data(&whole));
        }
        self.reader.instance(payload)
    }
}
