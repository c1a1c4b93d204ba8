//! The readers of the built-in topics (DDS 1.4 2.2.5).
//!
//! Nothing of it is on the wire, and nothing is done for who does not ask: the readers exist while
//! somebody has a [`BuiltinSubscriber`], and matching shows them what discovery has taken in. They
//! keep the last state of each entity; one that is gone leaves a notice, which goes by itself after
//! a minute.
use crate::discovery::builtin_topics::{
    ParticipantBuiltinTopicData, PublicationBuiltinTopicData, SubscriptionBuiltinTopicData,
    TopicBuiltinTopicData,
};
use crate::entity::participant::DomainParticipant;
use crate::typed::reader::DataReader;
use crate::untyped::subscriber::Subscriber;
use crate::untyped::topic::TopicCore;
use crate::untyped::type_support::TypeSupport;
use dunlin_cdr::Topic as TopicData;
use dunlin_qos::{
    DataReaderQos, Durability, Duration, History, ReaderDataLifecycle, Reliability, ResourceLimits,
    SubscriberQos,
};
use std::sync::Arc;

/// Entities that each reader keeps, the gone ones among them.
const MOST: u32 = 1 << 17;
/// How long the notice stays that an entity is gone, if nobody takes it.
const NOTICE: Duration = Duration::from_secs(60);

/// The readers of the built-in topics. Clones are the same; the readers are fed while one of them
/// lives. Others, of another call, are fed as well.
#[derive(Clone)]
pub struct BuiltinSubscriber {
    participants: DataReader<ParticipantBuiltinTopicData>,
    topics: DataReader<TopicBuiltinTopicData>,
    publications: DataReader<PublicationBuiltinTopicData>,
    subscriptions: DataReader<SubscriptionBuiltinTopicData>,
    subscriber: Subscriber,
    _wanted: Arc<()>,
}

/// By identity, as that of the subscriber which it is.
impl PartialEq for BuiltinSubscriber {
    fn eq(&self, other: &Self) -> bool {
        self.subscriber == other.subscriber
    }
}

impl Eq for BuiltinSubscriber {}

impl BuiltinSubscriber {
    /// DCPSParticipant: the other participants.
    pub fn participants(&self) -> &DataReader<ParticipantBuiltinTopicData> {
        &self.participants
    }

    /// DCPSTopic: what others write or read.
    pub fn topics(&self) -> &DataReader<TopicBuiltinTopicData> {
        &self.topics
    }

    /// DCPSPublication: the writers of others.
    pub fn publications(&self) -> &DataReader<PublicationBuiltinTopicData> {
        &self.publications
    }

    /// DCPSSubscription: the readers of others.
    pub fn subscriptions(&self) -> &DataReader<SubscriptionBuiltinTopicData> {
        &self.subscriptions
    }

    /// The subscriber that the four belong to: for a listener or a condition on all of them.
    pub fn subscriber(&self) -> &Subscriber {
        &self.subscriber
    }
}

impl DomainParticipant {
    /// Readers of the built-in topics, with all that is known now as samples to take, and what
    /// changes from then on (DDS 1.4 2.2.2.2.1.7). Each call makes its own: what one part of an
    /// application takes is still there for another.
    pub fn builtin_subscriber(&self) -> BuiltinSubscriber {
        let subscriber = self.create_subscriber(SubscriberQos::default());
        let wanted = Arc::new(());
        let builtin = BuiltinSubscriber {
            participants: reader(&subscriber, "DCPSParticipant"),
            topics: reader(&subscriber, "DCPSTopic"),
            publications: reader(&subscriber, "DCPSPublication"),
            subscriptions: reader(&subscriber, "DCPSSubscription"),
            subscriber,
            _wanted: Arc::clone(&wanted),
        };
        let cores = [
            builtin.participants.core(),
            builtin.topics.core(),
            builtin.publications.core(),
            builtin.subscriptions.core(),
        ];
        let shared = &self.guard.shared;
        shared.discover(|matching, now| {
            matching.builtin_publisher(now, cores.map(Arc::downgrade), &wanted)
        });
        builtin
    }
}

fn reader<T: TopicData>(subscriber: &Subscriber, topic: &str) -> DataReader<T> {
    let (shared, ty) = (&subscriber.core().shared, TypeSupport::of::<T>());
    let topic = Arc::new(TopicCore::new(topic, ty, Default::default(), shared));
    DataReader::new(subscriber.create_inner_datareader(
        &topic,
        DataReaderQos {
            reliability: Reliability::RELIABLE,
            durability: Durability::TransientLocal,
            history: History::KeepLast(1),
            resource_limits: ResourceLimits {
                max_instances: Some(MOST),
                ..ResourceLimits::default()
            },
            reader_data_lifecycle: ReaderDataLifecycle {
                autopurge_nowriter_samples_delay: NOTICE,
                autopurge_disposed_samples_delay: NOTICE,
            },
            ..DataReaderQos::default()
        },
    ))
}
