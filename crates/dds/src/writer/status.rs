//! The statuses of a writer and whom they are told (DDS 1.4 2.2.4.1).
use super::{WriterCore, WriterEvents};
use crate::status::{
    BacklogStatus, DeadlineMissedStatus, IncompatibleQosStatus, LivelinessLostStatus,
    MatchedStatus, StatusKind,
};
use dunlin_qos::Incompatibility;
use dunlin_rtps::MissedDeadlines;
use dunlin_wire::{Guid, SequenceNumber};
use std::sync::Arc;

impl WriterCore {
    pub(crate) fn set_events(&self, events: Option<Arc<dyn WriterEvents>>) {
        // What the old listener owns may be an entity: it is dropped without the lock.
        let old = std::mem::replace(&mut *self.events.lock(), events);
        drop(old);
    }

    /// Counts a match or its end; returns what a listener is to be told, if there is one.
    pub(crate) fn count_matched(&self, reader: Guid, change: i32) -> Option<MatchedStatus> {
        let listened = self.events.lock().is_some();
        let mut matched = self.matched.lock();
        matched.count(reader, change);
        listened.then(|| matched.take())
    }

    /// Tells those who wait or listen of a match or its end.
    pub(crate) fn tell_matched(&self, status: Option<MatchedStatus>) {
        // What only a reader that has gone had not acknowledged.
        self.bury();
        self.flags.raise(StatusKind::PublicationMatched);
        let events = self.events.lock().clone();
        if let (Some(events), Some(status)) = (events, status) {
            self.flags.clear(StatusKind::PublicationMatched);
            events.matched(&status);
        }
    }

    pub(crate) fn note_incompatible(&self, reader: Guid, mismatches: &[Incompatibility]) {
        self.incompatible.lock().count(reader, mismatches);
        self.flags.raise(StatusKind::OfferedIncompatibleQos);
        let events = self.events.lock().clone();
        if let Some(events) = events {
            let status = self.incompatible_status();
            events.incompatible(&status);
        }
    }

    /// Counts a lease that ran out; returns what a listener is to be told, if there is one.
    pub(crate) fn count_liveliness_lost(&self) -> Option<LivelinessLostStatus> {
        let listened = self.events.lock().is_some();
        let mut lost = self.liveliness_lost.lock();
        lost.count(1);
        listened.then(|| lost.take())
    }

    /// Tells those who wait or listen of it.
    pub(crate) fn tell_liveliness_lost(&self, status: Option<LivelinessLostStatus>) {
        self.flags.raise(StatusKind::LivelinessLost);
        let events = self.events.lock().clone();
        if let (Some(events), Some(status)) = (events, status) {
            self.flags.clear(StatusKind::LivelinessLost);
            events.liveliness_lost(&status);
        }
    }

    /// Counts deadlines that were missed, and tells those who wait or listen.
    pub(crate) fn note_deadline_missed(&self, missed: MissedDeadlines) {
        self.deadline_missed.lock().count(missed);
        self.flags.raise(StatusKind::OfferedDeadlineMissed);
        let events = self.events.lock().clone();
        if let Some(events) = events {
            let status = self.deadline_missed_status();
            events.deadline_missed(&status);
        }
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
