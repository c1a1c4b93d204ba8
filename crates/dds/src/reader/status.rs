//! The statuses of a reader and whom they are told (DDS 1.4 2.2.4.1, 2.2.4.2.3): its own listener, its subscriber's or its
//! participant's, whichever wants it first. For data that is decided when listeners change (`bind`), else when it is told.
use super::{ReaderCore, ReaderEvents};
use crate::any::AnyDataReader;
use crate::listener::SubscriberListener;
use crate::status::{
    DeadlineMissedStatus, IncompatibleQosStatus, Life, LivelinessChangedStatus, MatchedStatus,
    SampleCountStatus, SampleRejectedStatus, StatusKind, StatusMask,
};
use dunlin_qos::Incompatibility;
use dunlin_rtps::MissedDeadlines;
use dunlin_wire::Guid;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

/// A listener of the subscriber or of the participant, told of one of its readers.
struct Above {
    reader: AnyDataReader,
    listener: Arc<dyn SubscriberListener>,
}

impl ReaderEvents for Above {
    fn data_available(&self) {
        self.listener.on_data_available(&self.reader);
    }

    fn matched(&self, status: &MatchedStatus) {
        self.listener.on_subscription_matched(&self.reader, status);
    }

    fn incompatible(&self, status: &IncompatibleQosStatus) {
        self.listener
            .on_requested_incompatible_qos(&self.reader, status);
    }

    fn liveliness(&self, status: &LivelinessChangedStatus) {
        self.listener.on_liveliness_changed(&self.reader, status);
    }

    fn deadline_missed(&self, status: &DeadlineMissedStatus) {
        self.listener
            .on_requested_deadline_missed(&self.reader, status);
    }

    fn lost(&self, status: &SampleCountStatus) {
        self.listener.on_sample_lost(&self.reader, status);
    }

    fn rejected(&self, status: &SampleRejectedStatus) {
        self.listener.on_sample_rejected(&self.reader, status);
    }
}

impl ReaderCore {
    /// Gives the reader a listener of its own, before anything can happen to it.
    pub(crate) fn set_first_events(&self, events: Arc<dyn ReaderEvents>, mask: StatusMask) {
        self.events.set(events, mask);
    }

    /// From now on this one is told of what is in `mask`.
    pub(crate) fn set_events(self: &Arc<Self>, events: Arc<dyn ReaderEvents>, mask: StatusMask) {
        self.events.set(events, mask);
        self.rebind();
    }

    /// From now on the listeners above are told.
    pub(crate) fn clear_events(self: &Arc<Self>) {
        self.events.clear();
        self.rebind();
    }

    /// Is it being deleted?
    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(SeqCst)
    }

    /// From now on nobody is told of anything; false if that was so already.
    pub(crate) fn close(self: &Arc<Self>) -> bool {
        let first = !self.closed.swap(true, SeqCst);
        self.clear_events();
        first
    }

    fn rebind(self: &Arc<Self>) {
        // One at a time, or an older decision could replace a later one.
        let directory = self.shared.directory.lock();
        let old = self.bind();
        drop(directory);
        // What it owns may be an entity.
        drop(old);
    }

    /// Finds out who is told of data from now on. What was told before is given back, to be dropped without a lock.
    #[must_use]
    pub(crate) fn bind(self: &Arc<Self>) -> Option<Arc<dyn ReaderEvents>> {
        self.calls.replace(self.listener(StatusKind::DataAvailable))
    }

    /// Who is told of a status.
    fn listener(self: &Arc<Self>, kind: StatusKind) -> Option<Arc<dyn ReaderEvents>> {
        if self.closed.load(SeqCst) {
            return None;
        }
        let own = self.events.for_status(kind);
        own.or_else(|| {
            let above = self.group.listener.for_status(kind);
            let listener = above.or_else(|| self.shared.listener_for_subscriber(kind))?;
            let reader = AnyDataReader::new(self);
            Some(Arc::new(Above { reader, listener }))
        })
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
        self.calls
            .call_up_to(most, |events| events.data_available())
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
        if lost && let Some(events) = self.listener(StatusKind::SampleLost) {
            let status = self.lost_status();
            events.lost(&status);
        }
        if rejected && let Some(events) = self.listener(StatusKind::SampleRejected) {
            let status = self.rejected_status();
            events.rejected(&status);
        }
    }

    /// Counts deadlines that were missed, and tells those who wait or listen.
    pub(super) fn note_deadline_missed(self: &Arc<Self>, missed: MissedDeadlines) {
        let kind = StatusKind::RequestedDeadlineMissed;
        self.deadline_missed.lock().count(missed);
        self.flags.raise(kind);
        if let Some(events) = self.listener(kind) {
            let status = self.deadline_missed_status();
            events.deadline_missed(&status);
        }
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
        if let (Some(events), Some(status)) = (self.listener(kind), status) {
            self.flags.clear(kind);
            events.matched(&status);
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
        if let Some(events) = self.listener(kind) {
            let status = self.incompatible_status();
            events.incompatible(&status);
        }
    }

    /// Counts a writer that became alive or not alive; false if that is no news.
    pub(crate) fn count_liveliness(&self, writer: Guid, life: Life) -> bool {
        self.liveliness.lock().note(writer, life)
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
        if let (Some(events), Some(status)) = (self.listener(kind), status) {
            self.flags.clear(kind);
            events.liveliness(&status);
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
