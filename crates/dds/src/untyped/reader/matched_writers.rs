//! The matched writers of a reader: they come, change, fall silent and go.
use super::{MOST_ALIKE, ReaderCore};
use crate::discovery::matching::WriterEnd;
use crate::send::datagram::Datagrams;
use dunlin_rtps::{Time, WriterProxyConfig};
use dunlin_wire::Guid;
use std::sync::Arc;

impl ReaderCore {
    pub(crate) fn add_writer(
        self: &Arc<Self>,
        now: Time,
        proxy: WriterProxyConfig,
        out: &mut Datagrams,
    ) {
        let mut state = self.state.lock();
        state.add_writer(now, proxy, out);
        self.note_next(&state);
        drop(state);
        self.schedule();
    }

    /// Forgets a writer; true if that leaves something new to take.
    pub(crate) fn remove_writer(self: &Arc<Self>, now: Time, writer: Guid, end: WriterEnd) -> bool {
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

    /// A writer is silent for longer than its lease; true if that leaves something new to take.
    pub(crate) fn silence_writer(self: &Arc<Self>, now: Time, writer: Guid) -> bool {
        let mut state = self.state.lock();
        let delivery = state.silence_writer(now, writer);
        self.note_next(&state);
        drop(state);
        self.schedule();
        delivery.available
    }

    /// A writer matches whose type lies in memory like this.
    pub(crate) fn note_layout(&self, writer: Guid, layout: Option<u64>) {
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
}
