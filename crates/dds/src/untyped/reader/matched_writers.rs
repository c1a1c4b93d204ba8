//! A reader as matching sees it: its writers come, change, fall silent and go.
use super::{MOST_ALIKE, ReaderCore};
use crate::discovery::matching::{MatchedEndpoint, MatchedReader, WriterEnd};
use crate::send::datagram::Datagrams;
use crate::status::{LivelinessChangedStatus, MatchedStatus, WriterChange};
use bytes::{Bytes, BytesMut};
use dunlin_qos::Incompatibility;
use dunlin_rtps::discovery::WriterPredicate;
use dunlin_rtps::{InstanceHandle, PayloadAllocator, Time, WriterProxyConfig};
use dunlin_wire::{DiagnosticFact, EntityId, Guid, InlineQos, Payload, ReaderData, Submessage};
use dunlin_xtypes::{DynamicType, LocalType};
use std::sync::Arc;

impl MatchedEndpoint for ReaderCore {
    fn dynamic_type(&self) -> Option<&DynamicType> {
        self.type_support.dynamic_type()
    }

    fn local_type(&self) -> Option<&LocalType> {
        self.type_support.local_type()
    }

    fn is_local(&self) -> bool {
        self.shared.config.transports.local
    }

    fn facts(&self, other: Guid) -> Vec<(DiagnosticFact, i64)> {
        ReaderCore::facts(self, other)
    }

    fn count_matched(&self, other: Guid, change: i32) -> Option<MatchedStatus> {
        ReaderCore::count_matched(self, other, change)
    }

    fn tell_matched(self: &Arc<Self>, status: Option<MatchedStatus>) {
        ReaderCore::tell_matched(self, status);
    }

    fn note_incompatible(self: &Arc<Self>, other: Guid, mismatches: &[Incompatibility]) {
        ReaderCore::note_incompatible(self, other, mismatches);
    }
}

impl MatchedReader for ReaderCore {
    fn data(&self) -> ReaderData {
        ReaderCore::data(self)
    }

    fn accepted_writers(&self) -> Option<WriterPredicate> {
        self.options.accepts.clone()
    }

    fn note_publisher(&self, writer: Guid, publisher: Option<EntityId>) {
        self.group.group_access.know(writer, publisher);
    }

    fn add_writer(self: &Arc<Self>, now: Time, proxy: WriterProxyConfig, out: &mut Datagrams) {
        let mut state = self.state.lock();
        state.add_writer(now, proxy, out);
        self.note_next(&state);
        drop(state);
        self.schedule();
    }

    fn remove_writer(self: &Arc<Self>, now: Time, writer: Guid, end: WriterEnd) -> bool {
        let mut state = self.state.lock();
        let last = state.last_group_set(writer);
        let delivery = match end {
            WriterEnd::Silent => state.lose_writer(now, writer),
            WriterEnd::Disposes => state.delete_writer(now, writer),
            WriterEnd::Gone => state.remove_writer(now, writer),
        };
        self.note_next(&state);
        drop(state);
        self.count(writer, &delivery);
        self.defer_troubles(&delivery);
        self.schedule();
        if self.group.group_access.gathers() {
            self.group.group_access.lose(writer, last);
        }
        delivery.available
    }

    fn silence_writer(self: &Arc<Self>, now: Time, writer: Guid) -> bool {
        let mut state = self.state.lock();
        let delivery = state.silence_writer(now, writer);
        self.note_next(&state);
        drop(state);
        self.schedule();
        delivery.available
    }

    fn note_layout(&self, writer: Guid, layout: Option<u64>) {
        if layout.is_none() || layout != self.type_support.plain_layout() {
            return;
        }
        // Its samples may be looked at when it is gone already.
        let mut alike = self.alike.lock();
        if alike.len() >= MOST_ALIKE {
            alike.pop_front();
        }
        alike.push_back(writer);
    }

    fn count_liveliness(&self, writer: Guid, life: WriterChange) -> bool {
        ReaderCore::count_liveliness(self, writer, life)
    }

    fn liveliness_to_tell(&self) -> Option<LivelinessChangedStatus> {
        ReaderCore::liveliness_to_tell(self)
    }

    fn tell_liveliness(self: &Arc<Self>, status: Option<LivelinessChangedStatus>) {
        ReaderCore::tell_liveliness(self, status);
    }

    fn show(
        self: &Arc<Self>,
        now: Time,
        from: Guid,
        message: &Submessage<'_>,
        inline: &InlineQos,
        out: &mut Datagrams,
    ) -> bool {
        let (stamp, intake) = (Some(self.shared.clock.wall()), &mut Copying(self));
        let delivery = self.accept(now, from, stamp, message, inline, intake, out);
        self.count(from, &delivery);
        self.schedule();
        delivery.available
    }
}

/// Copies what is shown: nothing of it is received.
struct Copying<'a>(&'a ReaderCore);

impl PayloadAllocator for Copying<'_> {
    fn keep(&mut self, bytes: &[u8]) -> dunlin_rtps::Payload {
        Bytes::copy_from_slice(bytes).into()
    }

    fn assemble(&mut self, size: usize) -> BytesMut {
        BytesMut::with_capacity(size)
    }

    fn instance(&mut self, payload: Payload<'_>) -> Option<InstanceHandle> {
        self.0.instance(payload)
    }
}
