//! Of which types the listeners are that a participant and its entities have.
//!
//! The layer above implements this trait.
use crate::discovery::matching::MatchedEntities;
use crate::entity::group::SubscriberCore;
use crate::entity::participant::ParticipantGuard;
use std::sync::Arc;

/// Of which types the listeners of a participant's entities are, and what they are told about.
pub(crate) trait ContainedEntities: MatchedEntities {
    type Subscriber;
    type ParticipantListener: ?Sized;
    type PublisherListener: ?Sized;
    type SubscriberListener: ?Sized;
    type TopicListener: ?Sized;

    /// The handle of a subscriber.
    fn subscriber(
        core: Arc<SubscriberCore>,
        participant: Arc<ParticipantGuard>,
    ) -> Self::Subscriber;

    /// The participant's listener as that of a publisher.
    fn as_publisher_listener(
        listener: Arc<Self::ParticipantListener>,
    ) -> Arc<Self::PublisherListener>;

    /// The participant's listener as that of a subscriber.
    fn as_subscriber_listener(
        listener: Arc<Self::ParticipantListener>,
    ) -> Arc<Self::SubscriberListener>;

    /// The participant's listener as that of a topic.
    fn as_topic_listener(listener: Arc<Self::ParticipantListener>) -> Arc<Self::TopicListener>;

    /// Tells a listener of DATA_ON_READERS.
    fn tell_data_on_readers(listener: &Self::SubscriberListener, subscriber: &Self::Subscriber);
}
