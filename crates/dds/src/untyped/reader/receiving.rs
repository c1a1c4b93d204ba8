//! What receivers hand to a reader.
use super::ReaderCore;
use crate::receive::loan_table::LoanTable;
use crate::receive::participant::ReceivingReader;
use crate::receive::worker::Run;
use crate::send::datagram::Datagrams;
use dunlin_qos::{Duration, History};
use dunlin_rtps::{Delivery, InstanceHandle, PayloadAllocator, Time};
use dunlin_wire::{Data, Guid, InlineQos, Parameters, Payload, Submessage, Timestamp};
use std::sync::Arc;

impl ReceivingReader for ReaderCore {
    #[inline]
    fn handle_sample(
        self: &Arc<Self>,
        now: Time,
        from: Guid,
        timestamp: Option<Timestamp>,
        data: &Data<'_>,
        allocator: &mut impl PayloadAllocator,
        out: &mut Datagrams,
    ) -> bool {
        // It is large, and mostly says nothing.
        let said;
        let inline = if data.inline_qos.is_empty() {
            &InlineQos::NONE
        } else {
            let Ok(inline) = InlineQos::parse(data.inline_qos) else {
                return false;
            };
            said = inline;
            &said
        };
        let mut state = self.state.lock();
        let delivery = state.handle_data(now, from, timestamp, data, inline, allocator, out);
        self.note_next(&state);
        drop(state);
        match delivery == Delivery::NEW {
            true => true,
            false => self.note(from, &delivery),
        }
    }

    #[inline(never)]
    fn handle_run(
        self: &Arc<Self>,
        now: Time,
        from: Guid,
        run: &mut Run<'_>,
        allocator: &mut impl PayloadAllocator,
        out: &mut Datagrams,
    ) -> bool {
        let mut available = false;
        loop {
            let mut state = self.state.lock();
            let mut odd = None;
            for (timestamp, data) in run.by_ref() {
                // It is large, and mostly says nothing.
                let said;
                let inline = if data.inline_qos.is_empty() {
                    &InlineQos::NONE
                } else {
                    let Ok(inline) = InlineQos::parse(data.inline_qos) else {
                        continue;
                    };
                    said = inline;
                    &said
                };
                let delivery =
                    state.handle_data(now, from, timestamp, &data, inline, allocator, out);
                if delivery != Delivery::NEW {
                    odd = Some(delivery);
                    break;
                }
                available = true;
            }
            self.note_next(&state);
            drop(state);
            // What is to be told of is told without the lock.
            match odd {
                Some(delivery) => available |= self.note(from, &delivery),
                None => return available,
            }
        }
    }

    #[inline(never)]
    fn handle(
        self: &Arc<Self>,
        now: Time,
        from: Guid,
        timestamp: Option<Timestamp>,
        message: &Submessage<'_>,
        allocator: &mut impl PayloadAllocator,
        out: &mut Datagrams,
    ) -> bool {
        let Ok(inline) = inline_qos(message) else {
            return false;
        };
        let delivery = self.accept(now, from, timestamp, message, &inline, allocator, out);
        self.note(from, &delivery)
    }

    #[inline]
    fn schedule(self: &Arc<Self>) {
        ReaderCore::schedule(self);
    }

    #[inline]
    fn announce_data(self: &Arc<Self>) {
        self.announce(u32::MAX);
    }

    fn has_parts_alone(&self) -> bool {
        self.options.arriving.is_some() && self.is_bare()
    }

    fn keeps(&self, samples: u32) -> bool {
        let keeps = |limit: Option<u32>| limit.is_none_or(|limit| limit >= samples);
        self.fixed.get().is_some_and(|qos| {
            let limits = &qos.resource_limits;
            qos.history == History::KeepAll
                && keeps(limits.max_samples)
                && keeps(limits.max_samples_per_instance)
        })
    }

    #[inline]
    fn instance(&self, payload: Payload<'_>) -> Option<InstanceHandle> {
        ReaderCore::instance(self, payload)
    }

    #[inline]
    fn age(&self, written: Timestamp) -> Option<Duration> {
        self.shared.clock.age(written)
    }

    #[inline]
    fn loan_table(&self) -> &Arc<LoanTable> {
        &self.shared.loan_table
    }
}

/// What a submessage says beside its payload.
fn inline_qos(message: &Submessage<'_>) -> Result<InlineQos, dunlin_wire::Error> {
    let parameters = match message {
        Submessage::Data(data) => data.inline_qos,
        Submessage::DataFrag(frag) => frag.inline_qos,
        _ => Parameters::NONE,
    };
    InlineQos::parse(parameters)
}
