//! QoS of topics.
use super::limits::*;
use super::named::Texts;
use super::policies::{common_policies, service_policies};
use super::structs::*;
use super::{Qos, expect_kind};
use crate::error::Outcome;
use dunlin::TopicQos;

impl Qos for TopicQos {
    type Raw = dunlin_topic_qos;

    fn read(raw: &dunlin_topic_qos) -> Outcome<Self> {
        expect_kind(raw.kind, DUNLIN_QOS_TOPIC)?;
        Ok(common_policies!(read TopicQos, raw, {
            topic_data: raw.topic_data.get("topic_data")?.to_vec(),
            durability_service: service_policies!(read raw),
            transport_priority: raw.transport_priority,
            lifespan: duration(raw.lifespan, "lifespan")?,
            representation: representations(raw.representations)?,
        }))
    }

    fn write(&self, texts: &mut Texts) -> dunlin_topic_qos {
        service_policies!(write dunlin_topic_qos, DUNLIN_QOS_TOPIC, self, {
            topic_data: texts.bytes(&self.topic_data),
            representations: representation_bits(&self.representation),
            reserved: 0,
        })
    }
}

impl Default for dunlin_topic_qos {
    fn default() -> Self {
        TopicQos::default().write(&mut Texts::default())
    }
}
