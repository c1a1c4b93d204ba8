//! What writers of the same process say to a reader, and what is deferred for it.
use super::{ReaderCore, take_in};
use crate::ListenerThread;
use crate::receive::deferred::{self, DeferredCall, DeferredReader};
use crate::runtime::pool::Pool;
use crate::send::datagram::Datagrams;
use crate::send::local_queue::{LocalArrival, LocalReaderEndpoint, LocalRun};
use bytes::{Bytes, BytesMut};
use dunlin_qos::Duration;
use dunlin_rtps::{Delivery, InstanceHandle, PayloadAllocator};
use dunlin_wire::{Guid, InlineQos, Payload, Submessage, Timestamp};
use std::sync::Arc;

/// Payloads up to this size are copied for each reader, so that an unread sample does not pin the
/// writer's buffer.
const COPY_LIMIT: usize = 8 * 1024;

impl LocalReaderEndpoint for ReaderCore {
    #[inline]
    fn guid(&self) -> Guid {
        self.guid
    }

    fn receive(self: Arc<Self>, mut run: LocalRun<'_>, kept: &mut Pool, out: &mut Datagrams) {
        let from = run.from;
        let (mut available, mut gathers, mut lives) = (false, false, false);
        // Nothing is measured by when a sample comes.
        let coarse = self.shared.clock.coarse();
        while run.len() > 0 {
            let mut odd = None;
            let mut state = self.state.lock();
            for arrival in run.by_ref() {
                let LocalArrival {
                    timestamp,
                    message,
                    payload,
                    shows_life,
                } = arrival;
                lives |= shows_life;
                let now = match message {
                    Submessage::Data(_) => coarse,
                    _ => self.shared.clock.now(),
                };
                // It is large, and mostly says nothing.
                let said;
                let inline = match &message {
                    Submessage::Data(data) if !data.inline_qos.is_empty() => {
                        let Ok(inline) = InlineQos::parse(data.inline_qos) else {
                            continue;
                        };
                        said = inline;
                        &said
                    }
                    _ => &InlineQos::NONE,
                };
                let mut allocator = Sharing {
                    pool: kept,
                    payload,
                    reader: &self,
                };
                let delivery = take_in(
                    &mut state,
                    now,
                    from,
                    timestamp,
                    &message,
                    inline,
                    &mut allocator,
                    out,
                );
                if delivery != Delivery::NEW {
                    odd = Some(delivery);
                    break;
                }
                available = true;
            }
            self.note_next(&state);
            drop(state);
            // What is to be told of is noted without the lock.
            if let Some(delivery) = odd {
                self.count(from, &delivery);
                self.defer_troubles(&delivery);
                available |= delivery.available;
                gathers |= delivery.gathers;
            }
        }
        self.schedule();
        if from.prefix != self.shared.prefix
            && lives
            && let Some(sign) = self.shared.life_sign(&from)
            && sign.note(self.shared.clock.now())
        {
            let participant = Arc::clone(&self.shared);
            deferred::add(DeferredCall::Alive(participant, sign));
        }
        if gathers {
            self.group.group_access.open();
        }
        if available {
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
