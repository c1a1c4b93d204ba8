//! The statuses of a reader and whom they are told (DDS 1.4 2.2.4.1, 2.2.4.2.3): its own listener,
//! its subscriber's or its participant's, whichever wants it first. For data that is decided when
//! listeners change (`bind`), else when it is told.
use super::{ReaderCore, ReaderEvents, UntypedReader};
use crate::entity::listener::dispatch::{Listener, Of, wait_until_over};
use crate::status::{
    DeadlineMissedStatus, IncompatibleQosStatus, LivelinessChangedStatus, MatchedStatus,
    SampleCountStatus, SampleRejectedStatus, StatusKind, StatusMask, WriterChange,
};
use crate::untyped::listener::SubscriberListener;
use dunlin_qos::Incompatibility;
use dunlin_rtps::MissedDeadlines;
use dunlin_wire::Guid;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

/// A listener of the subscriber or of the participant, told of one of its readers.
struct EnclosingListener {
    reader: UntypedReader,
    listener: Listener<dyn SubscriberListener>,
}

impl ReaderEvents for EnclosingListener {
    fn data_available(&self) {
        if let Some(listener) = self.listener.code() {
            listener.on_data_available(&self.reader);
        }
    }

    fn matched(&self, status: &MatchedStatus) {
        if let Some(listener) = self.listener.code() {
            listener.on_subscription_matched(&self.reader, status);
        }
    }

    fn incompatible(&self, status: &IncompatibleQosStatus) {
        if let Some(listener) = self.listener.code() {
            listener.on_requested_incompatible_qos(&self.reader, status);
        }
    }

    fn liveliness(&self, status: &LivelinessChangedStatus) {
        if let Some(listener) = self.listener.code() {
            listener.on_liveliness_changed(&self.reader, status);
        }
    }

    fn deadline_missed(&self, status: &DeadlineMissedStatus) {
        if let Some(listener) = self.listener.code() {
            listener.on_requested_deadline_missed(&self.reader, status);
        }
    }

    fn lost(&self, status: &SampleCountStatus) {
        if let Some(listener) = self.listener.code() {
            listener.on_sample_lost(&self.reader, status);
        }
    }

    fn rejected(&self, status: &SampleRejectedStatus) {
        if let Some(listener) = self.listener.code() {
            listener.on_sample_rejected(&self.reader, status);
        }
    }
}

impl ReaderCore {
    /// Gives the reader a listener of its own, before anything can happen to it.
    pub(crate) fn set_first_events(&self, events: Arc<dyn ReaderEvents>, mask: StatusMask) {
        drop(self.events.set(events, mask));
    }

    /// From now on this one is told of what is in `mask`.
    pub(crate) fn set_events(self: &Arc<Self>, events: Arc<dyn ReaderEvents>, mask: StatusMask) {
        let old = self.events.set(events, mask);
        self.rebind();
        self.shared.wait_for_calls(old);
    }

    /// From now on the listeners above are told.
    pub(crate) fn clear_events(self: &Arc<Self>) {
        let old = self.events.clear();
        self.rebind();
        self.shared.wait_for_calls(old);
    }

    /// Is it being deleted?
    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(SeqCst)
    }

    /// From now on nobody is told of anything, and no other thread is in a call about this reader;
    /// false if that was so already.
    pub(crate) fn close(self: &Arc<Self>) -> bool {
        let first = !self.closed.swap(true, SeqCst);
        let old = self.events.clear();
        self.rebind();
        self.raise_all();
        wait_until_over(|this| {
            let others = self.shared.running.thread_in(Of::Entity(self.guid), this);
            others.or_else(|| self.calls.thread_in(None, this))
        });
        drop(old);
        first
    }

    /// Whoever waits for something looks whether it can still come.
    pub(crate) fn raise_all(&self) {
        self.flags.waiters.raise_all();
        self.data.raise_all();
    }

    fn rebind(self: &Arc<Self>) {
        // One at a time, or an older decision could replace a later one.
        let matching = self.shared.matching.lock();
        let old = self.bind();
        drop(matching);
        // What it owns may be an entity.
        drop(old);
    }

    /// Finds out who is told of data from now on. What was told before is given back, to be dropped
    /// without a lock.
    #[must_use]
    pub(crate) fn bind(self: &Arc<Self>) -> Option<Listener<dyn ReaderEvents>> {
        self.calls.replace(self.listener(StatusKind::DataAvailable))
    }

    /// Is somebody called when there is data?
    pub(super) fn has_listener_for_data(self: &Arc<Self>) -> bool {
        self.group.attends() || self.listener(StatusKind::DataAvailable).is_some()
    }

    /// Another thread than `this` that calls the listener with this id for data.
    pub(crate) fn calls_in(&self, id: u64, this: usize) -> Option<usize> {
        self.calls.thread_in(Some(id), this)
    }

    /// Who is told of a status.
    fn listener(self: &Arc<Self>, kind: StatusKind) -> Option<Listener<dyn ReaderEvents>> {
        if self.closed.load(SeqCst) {
            return None;
        }
        let own = self.events.for_status(kind);
        own.or_else(|| {
            let above = self.group.listener.for_status(kind);
            let listener = above.or_else(|| self.shared.listener_for_subscriber(kind))?;
            let (id, reader) = (listener.id(), UntypedReader::borrowed(self));
            Some(Listener::as_part_of(
                id,
                Arc::new(EnclosingListener { reader, listener }),
            ))
        })
    }

    /// Calls whoever is told of a status.
    fn tell(
        self: &Arc<Self>,
        kind: StatusKind,
        callback: &str,
        call: impl FnOnce(&dyn ReaderEvents),
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

    /// Calls whoever is told of data; false if another call is due.
    pub(super) fn call(&self, most: u32) -> bool {
        let (panics, slow) = (&self.shared.panics, &self.shared.slow_calls);
        self.calls.call_up_to(most, slow, |events| {
            let call = || events.data_available();
            panics.call(self.guid, || self.describe(), "on_data_available", call);
        })
    }

    /// As `call` where somebody cares for DATA_ON_READERS, and may then ask which reader has data.
    #[cold]
    pub(super) fn announce_to_group(&self, most: u32) -> bool {
        self.flags.raise_data();
        self.group.flags.raise(StatusKind::DataOnReaders);
        match self.group.listens() {
            true => self.group.call(most),
            false => self.call(most),
        }
    }

    /// Has the listener called that is told of data, if there is some.
    pub(crate) fn notify(&self) {
        if self.flags.has_data() {
            self.call(u32::MAX);
        }
    }

    /// The data is looked at.
    pub(super) fn clear_data(&self) {
        self.flags.clear_data();
        if self.group.attends() {
            self.group.flags.clear(StatusKind::DataOnReaders);
        }
    }

    /// Tells of samples that were lost, and of those that were rejected.
    pub(crate) fn tell_troubles(self: &Arc<Self>, (lost, rejected): (bool, bool)) {
        if lost {
            self.tell(StatusKind::SampleLost, "on_sample_lost", |events| {
                events.lost(&self.lost_status());
            });
        }
        if rejected {
            self.tell(StatusKind::SampleRejected, "on_sample_rejected", |events| {
                events.rejected(&self.rejected_status());
            });
        }
    }

    /// Counts deadlines that were missed, and tells those who wait or listen.
    pub(super) fn note_deadline_missed(self: &Arc<Self>, missed: MissedDeadlines) {
        let kind = StatusKind::RequestedDeadlineMissed;
        self.deadline_missed.lock().count(missed);
        self.flags.raise(kind);
        self.tell(kind, "on_requested_deadline_missed", |events| {
            events.deadline_missed(&self.deadline_missed_status());
        });
    }

    /// Counts a match or its end; returns what a listener is to be told, if there is one.
    pub(crate) fn count_matched(&self, writer: Guid, change: i32) -> Option<MatchedStatus> {
        let listened = self.is_listened(StatusKind::SubscriptionMatched);
        let mut matched = self.matched.lock();
        matched.count(writer, change);
        listened.then(|| matched.take())
    }

    /// Tells those who wait or listen of a match or its end.
    pub(crate) fn tell_matched(self: &Arc<Self>, status: Option<MatchedStatus>) {
        let kind = StatusKind::SubscriptionMatched;
        self.flags.raise(kind);
        if let Some(status) = status {
            self.tell(kind, "on_subscription_matched", |events| {
                self.flags.clear(kind);
                events.matched(&status);
            });
        }
    }

    pub(crate) fn note_incompatible(
        self: &Arc<Self>,
        writer: Guid,
        mismatches: &[Incompatibility],
    ) {
        let kind = StatusKind::RequestedIncompatibleQos;
        self.incompatible.lock().count(writer, mismatches);
        self.flags.raise(kind);
        self.tell(kind, "on_requested_incompatible_qos", |events| {
            events.incompatible(&self.incompatible_status());
        });
    }

    /// Counts a writer that became alive or not alive; false if that is no news.
    pub(crate) fn count_liveliness(&self, writer: Guid, life: WriterChange) -> bool {
        self.liveliness.lock().note(writer, life)
    }

    /// Is a writer matched, and has it shown within its lease that it lives?
    pub(crate) fn has_live_writer(&self, writer: Guid) -> bool {
        self.matched.lock().has(writer) && !self.liveliness.lock().is_silent(writer)
    }

    /// What a listener is to be told of it, if there is one.
    pub(crate) fn liveliness_to_tell(&self) -> Option<LivelinessChangedStatus> {
        let listened = self.is_listened(StatusKind::LivelinessChanged);
        listened.then(|| self.liveliness.lock().take())
    }

    /// Tells those who wait or listen of it.
    pub(crate) fn tell_liveliness(self: &Arc<Self>, status: Option<LivelinessChangedStatus>) {
        let kind = StatusKind::LivelinessChanged;
        self.flags.raise(kind);
        if let Some(status) = status {
            self.tell(kind, "on_liveliness_changed", |events| {
                self.flags.clear(kind);
                events.liveliness(&status);
            });
        }
    }

    pub(crate) fn matched_status(&self) -> MatchedStatus {
        self.flags.clear(StatusKind::SubscriptionMatched);
        self.matched.lock().take()
    }

    pub(crate) fn matched_count(&self) -> usize {
        self.matched.lock().current()
    }

    pub(crate) fn matched_endpoints(&self) -> Vec<Guid> {
        self.matched.lock().endpoints()
    }

    pub(crate) fn incompatible_status(&self) -> IncompatibleQosStatus {
        self.flags.clear(StatusKind::RequestedIncompatibleQos);
        self.incompatible.lock().take()
    }

    pub(crate) fn liveliness_status(&self) -> LivelinessChangedStatus {
        self.flags.clear(StatusKind::LivelinessChanged);
        self.liveliness.lock().take()
    }

    pub(crate) fn deadline_missed_status(&self) -> DeadlineMissedStatus {
        self.flags.clear(StatusKind::RequestedDeadlineMissed);
        self.deadline_missed.lock().take()
    }

    pub(crate) fn lost_status(&self) -> SampleCountStatus {
        self.flags.clear(StatusKind::SampleLost);
        self.lost.lock().take()
    }

    pub(crate) fn rejected_status(&self) -> SampleRejectedStatus {
        self.flags.clear(StatusKind::SampleRejected);
        self.rejected.lock().take()
    }
}
