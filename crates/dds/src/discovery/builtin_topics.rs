//! Built-in topics: discovery as data (DDS 1.4 2.2.5). Four ordinary readers, DCPSParticipant,
//! DCPSTopic, DCPSPublication and DCPSSubscription, show which participants, topics, writers and
//! readers others have ([`BuiltinSubscriber`](crate::BuiltinSubscriber)).
use bytes::Bytes;
use dunlin_derive::Topic;
use dunlin_qos::{
    BinaryProperty, DataReaderQos, DataWriterQos, Properties, PublisherQos, SubscriberQos,
};
use dunlin_wire::{Guid, ParticipantData, ReaderData, VendorId, WriterData};
use md5::{Digest, Md5};
use std::collections::BTreeMap;

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
    /// The key that a topic of this name and type has here.
    pub fn key_of(name: &str, type_name: &str) -> [u8; 16] {
        let mut digest = Md5::new();
        digest.update(name);
        digest.update([0]);
        digest.update(type_name);
        digest.finalize().into()
    }

    pub(crate) fn of(name: &str, type_name: &str, topic_data: &[u8]) -> Self {
        Self {
            key: Self::key_of(name, type_name),
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

    /// TOPIC_DATA of its topic.
    pub fn topic_data(&self) -> Vec<u8> {
        self.data().map(|data| data.topic_data).unwrap_or_default()
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

    /// TOPIC_DATA of its topic.
    pub fn topic_data(&self) -> Vec<u8> {
        self.data().map(|data| data.topic_data).unwrap_or_default()
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
