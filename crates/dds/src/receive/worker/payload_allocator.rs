//! Where payloads go that outlive their datagram.
use super::COPY_LIMIT;
use crate::receive::loaned::Beside;
use crate::runtime::clock;
use crate::runtime::pool::Pool;
use crate::untyped::reader::ReaderCore;
use bytes::{Bytes, BytesMut};
use dunlin_qos::Duration;
use dunlin_rtps::{ContentFilter, InstanceHandle, PayloadAllocator};
use dunlin_wire::{Payload, Timestamp};

/// Keeps payloads beyond their datagram, and knows instances by the reader's type.
pub(super) struct ReceivedPayloads<'a> {
    pub(super) pool: &'a mut Pool,
    pub(super) whole: Option<&'a Bytes>,
    pub(super) beside: Option<&'a mut Beside>,
    pub(super) reader: &'a ReaderCore,
    /// Nobody comes after this reader.
    pub(super) last: bool,
}

impl PayloadAllocator for ReceivedPayloads<'_> {
    fn keep(&mut self, bytes: &[u8]) -> Bytes {
        if let Some(beside) = &mut self.beside
            && let Some(kept) = beside.keep(bytes, &self.reader.shared.desk, self.pool, self.last)
        {
            return kept;
        }
        match self.whole {
            Some(datagram) if bytes.len() > COPY_LIMIT => datagram.slice_ref(bytes),
            _ => self.pool.copy(bytes),
        }
    }

    fn assemble(&mut self, size: usize) -> BytesMut {
        self.pool.take(size)
    }

    fn passes(&mut self, filter: &ContentFilter, sample: &[u8]) -> bool {
        match &mut self.beside {
            Some(beside) => beside.passes(filter, sample, self.reader, self.pool),
            None => filter.passes(sample),
        }
    }

    fn age(&mut self, written: Timestamp) -> Option<Duration> {
        clock::age(written)
    }

    fn instance(&mut self, payload: Payload<'_>) -> Option<InstanceHandle> {
        if let (Some(beside), Payload::Data(bytes)) = (&mut self.beside, payload)
            && let Some(whole) = beside.whole(bytes, self.pool)
        {
            return self.reader.instance(Payload::Data(&whole));
        }
        self.reader.instance(payload)
    }
}
