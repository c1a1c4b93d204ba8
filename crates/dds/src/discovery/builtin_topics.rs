//! Built-in topics: discovery as data (DDS 1.4 2.2.5). Four ordinary readers, DCPSParticipant,
//! DCPSTopic, DCPSPublication and DCPSSubscription, show which participants, topics, writers and
//! readers others have.
//!
//! Nothing of it is on the wire, and nothing is done for who does not ask: the readers exist while
//! somebody has a [`BuiltinSubscriber`], and are fed by the directory with what discovery has taken
//! in. They keep the last state of each entity; one that is gone leaves a notice, which goes by
//! itself after a minute.
use crate::entity::participant::DomainParticipant;
use crate::entity::subscriber::Subscriber;
use crate::typed::reader::DataReader;
use crate::untyped::reader::ReaderCore;
use crate::untyped::topic::TopicCore;
use crate::untyped::type_support::TypeSupport;
use bytes::Bytes;
use dunlin_cdr::Topic as TopicData;
use dunlin_derive::Topic;
use dunlin_qos::{
    BinaryProperty, DataReaderQos, DataWriterQos, Durability, Duration, History, Properties,
    PublisherQos, ReaderDataLifecycle, Reliability, ResourceLimits, SubscriberQos,
};
use dunlin_wire::{Guid, ParticipantData, ReaderData, VendorId, WriterData};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Entities that each reader keeps, the gone ones among them.
const MOST: u32 = 1 << 17;
/// How long the notice stays that an entity is gone, if nobody takes it.
const NOTICE: Duration = Duration::from_secs(60);

/// A reader of a built-in topic, if somebody still has it.
pub(crate) type Fed = std::sync::Weak<ReaderCore>;

/// Another participant (DCPSParticipant).
#[derive(Topic, Clone, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", name = "DDS::ParticipantBuiltinTopicData")]
pub struct ParticipantBuiltinTopicData {
    /// Its GUID.
    #[key]
    pub key: [u8; 16],
    /// The name that it gives itself.
    pub name: String,
    /// Its USER_DATA.
    pub user_data: Vec<u8>,
    /// Whose product it is.
    pub vendor: [u8; 2],
    texts: BTreeMap<String, String>,
    octets: BTreeMap<String, Vec<u8>>,
}

/// A topic that others have (DCPSTopic), as far as their writers and readers tell.
#[derive(Topic, Clone, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", name = "DDS::TopicBuiltinTopicData")]
pub struct TopicBuiltinTopicData {
    /// The same for the same name and type.
    #[key]
    pub key: [u8; 16],
    /// Its name.
    pub name: String,
    /// Name of its type.
    pub type_name: String,
    /// Its TOPIC_DATA.
    pub topic_data: Vec<u8>,
}

/// A writer of another participant (DCPSPublication).
#[derive(Topic, Clone, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", name = "DDS::PublicationBuiltinTopicData")]
pub struct PublicationBuiltinTopicData {
    /// Its GUID.
    #[key]
    pub key: [u8; 16],
    /// GUID of its participant.
    pub participant_key: [u8; 16],
    /// Name of its topic.
    pub topic_name: String,
    /// Name of its type.
    pub type_name: String,
    announced: Bytes,
}

/// A reader of another participant (DCPSSubscription).
#[derive(Topic, Clone, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", name = "DDS::SubscriptionBuiltinTopicData")]
pub struct SubscriptionBuiltinTopicData {
    /// Its GUID.
    #[key]
    pub key: [u8; 16],
    /// GUID of its participant.
    pub participant_key: [u8; 16],
    /// Name of its topic.
    pub topic_name: String,
    /// Name of its type.
    pub type_name: String,
    announced: Bytes,
}

impl ParticipantBuiltinTopicData {
    /// Which participant.
    pub fn guid(&self) -> Guid {
        Guid::from_bytes(self.key)
    }

    /// Its properties, as far as others are told, by name: PROPERTY, and what its product tells of
    /// itself.
    pub fn properties(&self) -> Properties {
        let told = Properties::default();
        let mut told = self.texts.iter().fold(told, |all, (n, v)| all.with(n, v));
        let octets = self.octets.iter().map(|(name, value)| BinaryProperty {
            name: name.clone(),
            value: value.clone(),
            propagate: true,
        });
        told.binary_values.extend(octets);
        told
    }

    pub(crate) fn of(data: &ParticipantData) -> Self {
        let VendorId(vendor) = data.vendor;
        let told = &data.properties;
        let texts = told.propagated().map(|p| (p.name.clone(), p.value.clone()));
        let octets = told.propagated_binary();
        let octets = octets.map(|p| (p.name.clone(), p.value.clone()));
        Self {
            key: data.guid.to_bytes(),
            name: data.entity_name.clone(),
            user_data: data.user_data.clone(),
            vendor,
            texts: texts.collect(),
            octets: octets.collect(),
        }
    }
}

impl TopicBuiltinTopicData {
    pub(crate) fn of(name: &str, type_name: &str, topic_data: &[u8]) -> Self {
        Self {
            key: topic_key(name, type_name),
            name: name.to_owned(),
            type_name: type_name.to_owned(),
            topic_data: topic_data.to_owned(),
        }
    }
}

impl PublicationBuiltinTopicData {
    /// Which writer.
    pub fn guid(&self) -> Guid {
        Guid::from_bytes(self.key)
    }

    /// Its QoS, as far as others are told.
    pub fn qos(&self) -> DataWriterQos {
        self.data().map(|data| data.qos).unwrap_or_default()
    }

    /// Its publisher's QoS, as far as others are told.
    pub fn publisher_qos(&self) -> PublisherQos {
        self.data().map(|data| data.publisher).unwrap_or_default()
    }

    fn data(&self) -> Option<WriterData> {
        WriterData::parse(&self.announced).ok()
    }

    pub(crate) fn of(data: &WriterData) -> Self {
        Self {
            key: data.guid.to_bytes(),
            participant_key: data.participant.to_bytes(),
            topic_name: data.topic.clone(),
            type_name: data.type_name.clone(),
            announced: data.encode().unwrap_or_default(),
        }
    }
}

impl SubscriptionBuiltinTopicData {
    /// Which reader.
    pub fn guid(&self) -> Guid {
        Guid::from_bytes(self.key)
    }

    /// Its QoS, as far as others are told.
    pub fn qos(&self) -> DataReaderQos {
        self.data().map(|data| data.qos).unwrap_or_default()
    }

    /// Its subscriber's QoS, as far as others are told.
    pub fn subscriber_qos(&self) -> SubscriberQos {
        self.data().map(|data| data.subscriber).unwrap_or_default()
    }

    fn data(&self) -> Option<ReaderData> {
        ReaderData::parse(&self.announced).ok()
    }

    pub(crate) fn of(data: &ReaderData) -> Self {
        Self {
            key: data.guid.to_bytes(),
            participant_key: data.participant.to_bytes(),
            topic_name: data.topic.clone(),
            type_name: data.type_name.clone(),
            announced: data.encode().unwrap_or_default(),
        }
    }
}

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

/// A topic of others is known by this.
pub(crate) fn topic_key(name: &str, type_name: &str) -> [u8; 16] {
    use md5::{Digest, Md5};
    let mut digest = Md5::new();
    digest.update(name);
    digest.update([0]);
    digest.update(type_name);
    digest.finalize().into()
}
