//! What writers of the same process say to a reader, and what is deferred for it.
use super::ReaderCore;
use crate::ListenerThread;
use crate::receive::deferred::{self, DeferredCall, DeferredReader};
use crate::runtime::pool::Pool;
use crate::send::datagram::Datagrams;
use crate::send::local_queue::{LocalArrival, LocalReaderEndpoint};
use bytes::{Bytes, BytesMut};
use dunlin_qos::Duration;
use dunlin_rtps::{InstanceHandle, PayloadAllocator};
use dunlin_wire::{Guid, Payload, Submessage, Timestamp};
use std::sync::Arc;

/// Payloads up to this size are copied for each reader, so that an unread sample does not pin the
/// writer's buffer.
const COPY_LIMIT: usize = 8 * 1024;

impl LocalReaderEndpoint for ReaderCore {
    #[inline]
    fn guid(&self) -> Guid {
        self.guid
    }

    fn receive(self: Arc<Self>, arrival: &LocalArrival<'_>, kept: &mut Pool, out: &mut Datagrams) {
        let LocalArrival {
            from,
            timestamp,
            message,
            inline,
            payload,
            shows_life,
        } = arrival;
        let now = match message {
            // Nothing is measured by it.
            Submessage::Data(_) => self.shared.clock.coarse(),
            _ => self.shared.clock.now(),
        };
        let mut allocator = Sharing {
            pool: kept,
            payload: *payload,
            reader: &self,
        };
        let delivery = self.accept(now, *from, *timestamp, message, inline, &mut allocator, out);
        self.schedule();
        if from.prefix != self.shared.prefix
            && *shows_life
            && let Some(sign) = self.shared.life_sign(from)
            && sign.note(self.shared.clock.now())
        {
            let participant = Arc::clone(&self.shared);
            deferred::add(DeferredCall::Alive(participant, sign));
        }
        self.count(*from, &delivery);
        self.defer_troubles(&delivery);
        if delivery.gathers {
            self.group.group_access.open();
        }
        if delivery.available {
            deferred::add(DeferredCall::Data(self));
        } else {
            // Should this be its end, then not under a lock.
            deferred::add_if_last(self);
        }
    }
}

impl DeferredReader for ReaderCore {
    fn announce_data(self: Arc<Self>) -> bool {
        let leaves = self.shared.config.listener_thread == ListenerThread::Receiving;
        if leaves && self.has_listener_for_data() {
            return false;
        }
        self.announce_data_briefly()
    }

    fn leave_data(self: Arc<Self>) {
        self.shared.defer_data(&self);
    }

    fn tell_troubles(self: Arc<Self>, troubles: (bool, bool)) {
        ReaderCore::tell_troubles(&self, troubles);
    }
}

/// Keeps large payloads where the writer has them.
struct Sharing<'a> {
    pool: &'a mut Pool,
    payload: Option<&'a Bytes>,
    reader: &'a ReaderCore,
}

impl PayloadAllocator for Sharing<'_> {
    fn keep(&mut self, bytes: &[u8]) -> dunlin_rtps::Payload {
        dunlin_rtps::Payload::Inline(match self.payload {
            Some(payload) if bytes.len() > COPY_LIMIT => payload.slice_ref(bytes),
            _ => self.pool.copy(bytes),
        })
    }

    fn assemble(&mut self, size: usize) -> BytesMut {
        self.pool.take(size)
    }

    fn age(&mut self, written: Timestamp) -> Option<Duration> {
        self.reader.shared.clock.age(written)
    }

    fn instance(&mut self, payload: Payload<'_>) -> Option<InstanceHandle> {
        self.reader.instance(payload)
    }
}
