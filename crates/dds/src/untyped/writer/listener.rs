//! Listeners of untyped writers (DDS 1.4 2.2.2.4.4).
use super::{UntypedWriter, WriterCore, WriterEvents};
use crate::status::{
    DeadlineMissedStatus, IncompatibleQosStatus, LivelinessLostStatus, MatchedStatus, StatusMask,
};
use std::sync::Arc;

/// Hears of a writer's statuses (DDS 1.4 2.2.2.4.4), on Dunlin's threads; each method does nothing
/// by default.
#[allow(unused_variables, reason = "the names document the arguments")]
pub trait UntypedWriterListener: Send + Sync + 'static {
    /// Which statuses it wants to hear of if it is given to a writer at its creation; all of them,
    /// unless it says otherwise.
    fn statuses(&self) -> StatusMask {
        StatusMask::ALL
    }
    /// A reader came or went.
    fn on_publication_matched(&self, writer: &UntypedWriter, status: &MatchedStatus) {}
    /// A reader asks for more than this writer offers.
    fn on_offered_incompatible_qos(&self, writer: &UntypedWriter, status: &IncompatibleQosStatus) {}
    /// An instance was not written within the writer's DEADLINE.
    fn on_offered_deadline_missed(&self, writer: &UntypedWriter, status: &DeadlineMissedStatus) {}
    /// The writer was not asserted within its lease: to its readers it is not alive now.
    fn on_liveliness_lost(&self, writer: &UntypedWriter, status: &LivelinessLostStatus) {}
    /// The history may have room again after [`UntypedWriter::try_write`] found it full. Several
    /// calls that found it full before there is room are told of once. Called without any lock by
    /// the thread that received the acknowledgement.
    fn on_room(&self, writer: &UntypedWriter) {}
}

impl UntypedWriterListener for () {}

/// A listener with the writer that it listens to.
struct Bound<L> {
    writer: UntypedWriter,
    listener: L,
}

impl<L: UntypedWriterListener> WriterEvents for Bound<L> {
    fn matched(&self, status: &MatchedStatus) {
        self.listener.on_publication_matched(&self.writer, status);
    }

    fn incompatible(&self, status: &IncompatibleQosStatus) {
        self.listener
            .on_offered_incompatible_qos(&self.writer, status);
    }

    fn deadline_missed(&self, status: &DeadlineMissedStatus) {
        self.listener
            .on_offered_deadline_missed(&self.writer, status);
    }

    fn liveliness_lost(&self, status: &LivelinessLostStatus) {
        self.listener.on_liveliness_lost(&self.writer, status);
    }

    fn room(&self) {
        self.listener.on_room(&self.writer);
    }
}

impl WriterCore {
    /// A listener as the writer keeps it.
    fn bound(self: &Arc<Self>, listener: impl UntypedWriterListener) -> Arc<dyn WriterEvents> {
        let writer = UntypedWriter::borrowed(self);
        Arc::new(Bound { writer, listener })
    }

    /// The listener that it is created with.
    pub(crate) fn set_first_listener(self: &Arc<Self>, listener: impl UntypedWriterListener) {
        let mask = listener.statuses();
        self.set_events(Some(self.bound(listener)), mask);
    }
}

impl UntypedWriter {
    /// From now on this one hears of the statuses in `mask`, and of room, nobody before it any
    /// more. Returns when no other thread is in a call of the old one.
    pub fn set_listener(&self, listener: impl UntypedWriterListener, mask: StatusMask) {
        self.core.set_events(Some(self.core.bound(listener)), mask);
    }

    /// From now on the publisher's listener hears of this writer, or the participant's. As
    /// [`set_listener`](Self::set_listener) for the old one.
    pub fn clear_listener(&self) {
        self.core.set_events(None, StatusMask::NONE);
    }
}
