//! Listeners of untyped readers (DDS 1.4 2.2.2.5.7).
use super::{ReaderCore, ReaderEvents, UntypedReader};
use crate::status::{
    DeadlineMissedStatus, IncompatibleQosStatus, LivelinessChangedStatus, MatchedStatus,
    SampleCountStatus, SampleRejectedStatus, StatusKind, StatusMask,
};
use std::sync::Arc;

/// Hears of a reader's data and statuses (DDS 1.4 2.2.2.5.7); each method does nothing by default.
#[allow(unused_variables, reason = "the names document the arguments")]
pub trait UntypedReaderListener: Send + Sync + 'static {
    /// Which statuses it wants to hear of if it is given to a reader at its creation; all of them,
    /// unless it says otherwise. What it leaves out is told to the subscriber's listener, or the
    /// participant's.
    fn statuses(&self) -> StatusMask {
        StatusMask::ALL
    }
    /// There is data to take. If a writer of this process wrote it, the thread that writes calls,
    /// before its `write` returns, unless
    /// [`ParticipantConfig::listener_thread`](crate::ParticipantConfig::listener_thread) says
    /// otherwise.
    fn on_data_available(&self, reader: &UntypedReader) {}
    /// A writer came or went.
    fn on_subscription_matched(&self, reader: &UntypedReader, status: &MatchedStatus) {}
    /// A writer offers less than this reader asks for.
    fn on_requested_incompatible_qos(
        &self,
        reader: &UntypedReader,
        status: &IncompatibleQosStatus,
    ) {
    }
    /// A matched writer became alive or not alive.
    fn on_liveliness_changed(&self, reader: &UntypedReader, status: &LivelinessChangedStatus) {}
    /// No sample of an instance came within the reader's DEADLINE.
    fn on_requested_deadline_missed(&self, reader: &UntypedReader, status: &DeadlineMissedStatus) {}
    /// Samples were lost.
    fn on_sample_lost(&self, reader: &UntypedReader, status: &SampleCountStatus) {}
    /// A sample was refused for a resource limit.
    fn on_sample_rejected(&self, reader: &UntypedReader, status: &SampleRejectedStatus) {}
}

impl<F: Fn(&UntypedReader) + Send + Sync + 'static> UntypedReaderListener for F {
    fn statuses(&self) -> StatusMask {
        StatusKind::DataAvailable.into()
    }

    fn on_data_available(&self, reader: &UntypedReader) {
        self(reader);
    }
}

impl UntypedReaderListener for () {}

/// A listener with the reader that it listens to.
struct Bound<L> {
    reader: UntypedReader,
    listener: L,
}

impl<L: UntypedReaderListener> ReaderEvents for Bound<L> {
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
    /// A listener as the reader keeps it.
    fn bound(self: &Arc<Self>, listener: impl UntypedReaderListener) -> Arc<dyn ReaderEvents> {
        let reader = UntypedReader::borrowed(self);
        Arc::new(Bound { reader, listener })
    }

    /// The listener that it is created with.
    pub(crate) fn set_first_listener(self: &Arc<Self>, listener: impl UntypedReaderListener) {
        let mask = listener.statuses();
        self.set_first_events(self.bound(listener), mask);
    }
}

impl UntypedReader {
    /// From now on this one hears of the statuses in `mask`, nobody before it any more. Returns
    /// when no other thread is in a call of the old one.
    pub fn set_listener(&self, listener: impl UntypedReaderListener, mask: StatusMask) {
        self.core.set_events(self.core.bound(listener), mask);
    }

    /// From now on the subscriber's listener hears of this reader, or the participant's. As
    /// [`set_listener`](Self::set_listener) for the old one.
    pub fn clear_listener(&self) {
        self.core.clear_events();
    }
}
