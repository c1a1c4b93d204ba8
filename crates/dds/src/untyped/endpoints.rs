//! Of which types the entities and listeners of a participant are. The layers below leave that open.
use crate::discovery::matching::MatchedEntities;
use crate::entity::contained::ContainedEntities;
use crate::entity::group::SubscriberCore;
use crate::entity::participant::ParticipantGuard;
use crate::entity::shared::Shared;
use crate::receive::participant::Endpoints;
use crate::untyped::listener::{
    DomainParticipantListener, PublisherListener, SubscriberListener, TopicListener,
};
use crate::untyped::reader::ReaderCore;
use crate::untyped::subscriber::Subscriber;
use crate::untyped::topic::TopicCore;
use crate::untyped::writer::WriterCore;
use std::sync::Arc;

impl Endpoints for Shared {
    type Reader = ReaderCore;
    type Writer = WriterCore;
}

impl MatchedEntities for Shared {
    type Topic = TopicCore;
}

impl ContainedEntities for Shared {
    type Subscriber = Subscriber;
    type ParticipantListener = dyn DomainParticipantListener;
    type PublisherListener = dyn PublisherListener;
    type SubscriberListener = dyn SubscriberListener;
    type TopicListener = dyn TopicListener;

    fn subscriber(core: Arc<SubscriberCore>, participant: Arc<ParticipantGuard>) -> Subscriber {
        Subscriber::of(core, participant)
    }

    fn as_publisher_listener(
        listener: Arc<dyn DomainParticipantListener>,
    ) -> Arc<dyn PublisherListener> {
        listener
    }

    fn as_subscriber_listener(
        listener: Arc<dyn DomainParticipantListener>,
    ) -> Arc<dyn SubscriberListener> {
        listener
    }

    fn as_topic_listener(listener: Arc<dyn DomainParticipantListener>) -> Arc<dyn TopicListener> {
        listener
    }

    fn tell_data_on_readers(listener: &dyn SubscriberListener, subscriber: &Subscriber) {
        listener.on_data_on_readers(subscriber);
    }
}
