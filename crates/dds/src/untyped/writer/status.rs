//! The statuses of a writer and whom they are told (DDS 1.4 2.2.4.1, 2.2.4.2.3): its own listener,
//! its publisher's or its participant's, whichever wants it first.
use super::{UntypedWriter, WriterCore, WriterEvents};
use crate::entity::listener::dispatch::{Listener, Of, wait_until_over};
use crate::status::{
    BacklogStatus, DeadlineMissedStatus, IncompatibleQosStatus, LivelinessLostStatus,
    MatchedStatus, StatusKind, StatusMask,
};
use crate::untyped::listener::PublisherListener;
use dunlin_qos::Incompatibility;
use dunlin_rtps::MissedDeadlines;
use dunlin_wire::{Guid, SequenceNumber};
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

/// A listener of the publisher or of the participant, told of one of its writers.
struct EnclosingListener {
    writer: UntypedWriter,
    listener: Listener<dyn PublisherListener>,
}

impl WriterEvents for EnclosingListener {
    fn matched(&self, status: &MatchedStatus) {
        if let Some(listener) = self.listener.code() {
            listener.on_publication_matched(&self.writer, status);
        }
    }

    fn incompatible(&self, status: &IncompatibleQosStatus) {
        if let Some(listener) = self.listener.code() {
            listener.on_offered_incompatible_qos(&self.writer, status);
        }
    }

    fn deadline_missed(&self, status: &DeadlineMissedStatus) {
        if let Some(listener) = self.listener.code() {
            listener.on_offered_deadline_missed(&self.writer, status);
        }
    }

    fn liveliness_lost(&self, status: &LivelinessLostStatus) {
        if let Some(listener) = self.listener.code() {
            listener.on_liveliness_lost(&self.writer, status);
        }
    }
}

impl WriterCore {
    /// Is it being deleted?
    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(SeqCst)
    }

    /// From now on nobody is told of anything, and no other thread is in a call about this writer;
    /// false if that was so already.
    pub(crate) fn close(&self) -> bool {
        let first = !self.closed.swap(true, SeqCst);
        let old = self.events.clear();
        self.raise_all();
        wait_until_over(|this| self.shared.running.thread_in(Of::Entity(self.guid), this));
        drop(old);
        first
    }

    /// Whoever waits for something looks whether it can still come.
    pub(crate) fn raise_all(&self) {
        self.flags.waiters.raise_all();
        self.wake_for_room();
    }

    /// From now on this one is told of what is in `mask`, or none of its own.
    pub(crate) fn set_events(&self, events: Option<Arc<dyn WriterEvents>>, mask: StatusMask) {
        let old = match events {
            Some(events) => self.events.set(events, mask),
            None => self.events.clear(),
        };
        self.shared.wait_for_calls(old);
    }

    /// Who is told of a status.
    fn listener(self: &Arc<Self>, kind: StatusKind) -> Option<Listener<dyn WriterEvents>> {
        if self.closed.load(SeqCst) {
            return None;
        }
        let own = self.events.for_status(kind);
        own.or_else(|| {
            let above = self.group.listener.for_status(kind);
            let listener = above.or_else(|| self.shared.listener_for_publisher(kind))?;
            let (id, writer) = (listener.id(), UntypedWriter::borrowed(self));
            Some(Listener::as_part_of(
                id,
                Arc::new(EnclosingListener { writer, listener }),
            ))
        })
    }

    /// Tells the writer's own listener that there may be room.
    pub(crate) fn tell_room(self: &Arc<Self>) {
        if self.closed.load(SeqCst) {
            return;
        }
        let run = self.shared.running.begin(self.guid);
        let Some(listener) = self.events.any() else {
            return;
        };
        run.calls(listener.id());
        if let Some(events) = listener.code() {
            let panics = &self.shared.panics;
            let describe = || self.describe();
            panics.call(self.guid, describe, "on_room", || events.room());
        }
        drop(listener);
    }

    /// Calls whoever is told of a status.
    fn tell(
        self: &Arc<Self>,
        kind: StatusKind,
        callback: &str,
        call: impl FnOnce(&dyn WriterEvents),
    ) {
        let run = self.shared.running.begin(self.guid);
        let Some(listener) = self.listener(kind) else {
            return;
        };
        run.calls(listener.id());
        if let Some(events) = listener.code() {
            let panics = &self.shared.panics;
            panics.call(self.guid, || self.describe(), callback, || call(events));
        }
        // Should this be its end, then as a part of the call.
        drop(listener);
    }

    /// Is anybody told of a status?
    fn is_listened(&self, kind: StatusKind) -> bool {
        !self.closed.load(SeqCst)
            && (self.events.wants(kind)
                || self.group.listener.wants(kind)
                || self.shared.listener.wants(kind))
    }

    /// Counts a match or its end; returns what a listener is to be told, if there is one.
    pub(crate) fn count_matched(&self, reader: Guid, change: i32) -> Option<MatchedStatus> {
        let listened = self.is_listened(StatusKind::PublicationMatched);
        let mut matched = self.matched.lock();
        matched.count(reader, change);
        listened.then(|| matched.take())
    }

    /// Tells those who wait or listen of a match or its end.
    pub(crate) fn tell_matched(self: &Arc<Self>, status: Option<MatchedStatus>) {
        // What only a reader that has gone had not acknowledged.
        self.release_retired();
        self.flags.raise(StatusKind::PublicationMatched);
        if let Some(status) = status {
            let kind = StatusKind::PublicationMatched;
            self.tell(kind, "on_publication_matched", |events| {
                self.flags.clear(kind);
                events.matched(&status);
            });
        }
    }

    pub(crate) fn note_incompatible(
        self: &Arc<Self>,
        reader: Guid,
        mismatches: &[Incompatibility],
    ) {
        self.incompatible.lock().count(reader, mismatches);
        self.flags.raise(StatusKind::OfferedIncompatibleQos);
        let kind = StatusKind::OfferedIncompatibleQos;
        self.tell(kind, "on_offered_incompatible_qos", |events| {
            events.incompatible(&self.incompatible_status());
        });
    }

    /// Counts a lease that ran out; returns what a listener is to be told, if there is one.
    pub(crate) fn count_liveliness_lost(&self) -> Option<LivelinessLostStatus> {
        let listened = self.is_listened(StatusKind::LivelinessLost);
        let mut lost = self.liveliness_lost.lock();
        lost.count(1);
        listened.then(|| lost.take())
    }

    /// Tells those who wait or listen of it.
    pub(crate) fn tell_liveliness_lost(self: &Arc<Self>, status: Option<LivelinessLostStatus>) {
        self.flags.raise(StatusKind::LivelinessLost);
        if let Some(status) = status {
            let kind = StatusKind::LivelinessLost;
            self.tell(kind, "on_liveliness_lost", |events| {
                self.flags.clear(kind);
                events.liveliness_lost(&status);
            });
        }
    }

    /// Counts deadlines that were missed, and tells those who wait or listen.
    pub(crate) fn note_deadline_missed(self: &Arc<Self>, missed: MissedDeadlines) {
        self.deadline_missed.lock().count(missed);
        self.flags.raise(StatusKind::OfferedDeadlineMissed);
        let kind = StatusKind::OfferedDeadlineMissed;
        self.tell(kind, "on_offered_deadline_missed", |events| {
            events.deadline_missed(&self.deadline_missed_status());
        });
    }

    pub(crate) fn deadline_missed_status(&self) -> DeadlineMissedStatus {
        self.flags.clear(StatusKind::OfferedDeadlineMissed);
        self.deadline_missed.lock().take()
    }

    pub(crate) fn liveliness_lost_status(&self) -> LivelinessLostStatus {
        self.flags.clear(StatusKind::LivelinessLost);
        self.liveliness_lost.lock().take()
    }

    pub(crate) fn matched_status(&self) -> MatchedStatus {
        self.flags.clear(StatusKind::PublicationMatched);
        self.matched.lock().take()
    }

    pub(crate) fn matched_count(&self) -> usize {
        self.matched.lock().current()
    }

    pub(crate) fn matched_endpoints(&self) -> Vec<Guid> {
        self.matched.lock().endpoints()
    }

    pub(crate) fn incompatible_status(&self) -> IncompatibleQosStatus {
        self.flags.clear(StatusKind::OfferedIncompatibleQos);
        self.incompatible.lock().take()
    }

    /// Who is behind, and how far.
    pub(crate) fn backlog(&self) -> BacklogStatus {
        let state = self.state.lock();
        let last = state.last_sequence().0;
        let lag = |acknowledged: SequenceNumber| last.saturating_sub(acknowledged.0);
        let behind = state
            .slowest_reader()
            .map(|(reader, acknowledged)| (reader, lag(acknowledged)))
            .filter(|(_, lag)| *lag > 0);
        BacklogStatus {
            slowest: behind.map(|(reader, _)| reader),
            unacknowledged: behind.map_or(0, |(_, lag)| lag.unsigned_abs()),
            kept: state.kept(),
        }
    }
}
