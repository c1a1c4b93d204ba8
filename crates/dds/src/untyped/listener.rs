//! Listeners above writers and readers: of topics, publishers, subscribers and participants.
//!
//! A status is told to one listener only: the most specific one whose mask has it. That is the
//! writer's or the reader's own, then its publisher's or subscriber's, then the participant's (DDS
//! 1.4 2.2.4.2.3). DATA_ON_READERS goes before DATA_AVAILABLE: where a subscriber's or
//! participant's listener wants it, nobody hears of DATA_AVAILABLE. A status that nobody wants
//! stays for conditions and for whoever asks. The listener `()` hears everything and does nothing.
use crate::status::{
    DeadlineMissedStatus, IncompatibleQosStatus, InconsistentTopicStatus, LivelinessChangedStatus,
    LivelinessLostStatus, MatchedStatus, SampleCountStatus, SampleRejectedStatus,
};
use crate::untyped::subscriber::Subscriber;
use crate::untyped::{UntypedReader, UntypedTopic, UntypedWriter};

/// Hears of a topic's status (DDS 1.4 2.2.2.3.4), on Dunlin's threads.
#[allow(unused_variables, reason = "the names document the arguments")]
pub trait TopicListener: Send + Sync + 'static {
    /// Somebody has a topic of this name with another type.
    fn on_inconsistent_topic(&self, topic: &UntypedTopic, status: &InconsistentTopicStatus) {}
}

/// Hears of the statuses of all writers of a publisher (DDS 1.4 2.2.2.4.3), on Dunlin's threads;
/// each method does nothing by default.
#[allow(unused_variables, reason = "the names document the arguments")]
pub trait PublisherListener: Send + Sync + 'static {
    /// A reader came or went.
    fn on_publication_matched(&self, writer: &UntypedWriter, status: &MatchedStatus) {}
    /// A reader asks for more than the writer offers.
    fn on_offered_incompatible_qos(&self, writer: &UntypedWriter, status: &IncompatibleQosStatus) {}
    /// An instance was not written within the writer's DEADLINE.
    fn on_offered_deadline_missed(&self, writer: &UntypedWriter, status: &DeadlineMissedStatus) {}
    /// The writer was not asserted within its lease: to its readers it is not alive now.
    fn on_liveliness_lost(&self, writer: &UntypedWriter, status: &LivelinessLostStatus) {}
}

/// Hears of the data and statuses of all readers of a subscriber (DDS 1.4 2.2.2.5.6); each method
/// does nothing by default. Called on the thread that received. Calls of `on_data_available` for
/// one reader do not overlap, nor do those of `on_data_on_readers` for one subscriber.
#[allow(unused_variables, reason = "the names document the arguments")]
pub trait SubscriberListener: Send + Sync + 'static {
    /// Some reader of the subscriber has data: [`Subscriber::datareaders`] says which, or
    /// [`Subscriber::notify_datareaders`] has their own listeners called. Who does not want this
    /// leaves [`StatusKind::DataOnReaders`](crate::StatusKind::DataOnReaders) out of the mask.
    fn on_data_on_readers(&self, subscriber: &Subscriber) {
        subscriber.notify_datareaders();
    }
    /// There is data to take.
    fn on_data_available(&self, reader: &UntypedReader) {}
    /// A writer came or went.
    fn on_subscription_matched(&self, reader: &UntypedReader, status: &MatchedStatus) {}
    /// A writer offers less than the reader asks for.
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

/// Hears of everything in a participant that no listener below wants (DDS 1.4 2.2.2.2.3). Whatever
/// implements the three traits is one.
pub trait DomainParticipantListener:
    TopicListener + PublisherListener + SubscriberListener
{
}

impl<L: TopicListener + PublisherListener + SubscriberListener> DomainParticipantListener for L {}

impl TopicListener for () {}
impl PublisherListener for () {}
impl SubscriberListener for () {
    fn on_data_on_readers(&self, _: &Subscriber) {}
}
