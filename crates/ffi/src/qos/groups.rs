//! QoS of publishers, subscribers and participants.
use super::limits::*;
use super::named::{Texts, properties};
use super::structs::*;
use super::{Qos, expect_kind};
use crate::error::Outcome;
use crate::memory::texts;
use dunlin::{
    DomainParticipantQos, EntityFactory, Partition, Presentation, PublisherQos, SubscriberQos,
};

impl Qos for PublisherQos {
    type Raw = dunlin_group_qos;

    fn read(raw: &dunlin_group_qos) -> Outcome<Self> {
        expect_kind(raw.kind, DUNLIN_QOS_PUBLISHER)?;
        group(raw)
    }

    fn write(&self, texts: &mut Texts) -> dunlin_group_qos {
        let (partitions, partition_count) = texts.texts(&self.partition.0);
        dunlin_group_qos {
            size: size_of::<dunlin_group_qos>() as u32,
            kind: DUNLIN_QOS_PUBLISHER,
            entity_name: texts.text(&self.entity_name),
            group_data: texts.bytes(&self.group_data),
            partitions,
            partition_count,
            access_scope: number(&ACCESS_SCOPE, self.presentation.access_scope),
            coherent: self.presentation.coherent_access.into(),
            ordered: self.presentation.ordered_access.into(),
            autoenable: self.entity_factory.autoenable_created_entities.into(),
            reserved: 0,
        }
    }
}

/// What the structure says; that of a subscriber is the same.
fn group(raw: &dunlin_group_qos) -> Outcome<PublisherQos> {
    Ok(PublisherQos {
        presentation: Presentation {
            access_scope: enumerator(&ACCESS_SCOPE, raw.access_scope, "access_scope")?,
            coherent_access: raw.coherent != 0,
            ordered_access: raw.ordered != 0,
        },
        partition: Partition(texts(raw.partitions, raw.partition_count, "partitions")?),
        group_data: raw.group_data.get("group_data")?.to_vec(),
        entity_factory: factory(raw.autoenable),
        entity_name: raw.entity_name.get("entity_name")?.to_owned(),
    })
}

fn factory(autoenable: u8) -> EntityFactory {
    EntityFactory {
        autoenable_created_entities: autoenable != 0,
    }
}

impl Qos for SubscriberQos {
    type Raw = dunlin_group_qos;

    fn read(raw: &dunlin_group_qos) -> Outcome<Self> {
        expect_kind(raw.kind, DUNLIN_QOS_SUBSCRIBER)?;
        let PublisherQos {
            presentation,
            partition,
            group_data,
            entity_factory,
            entity_name,
        } = group(raw)?;
        Ok(Self {
            presentation,
            partition,
            group_data,
            entity_factory,
            entity_name,
        })
    }

    fn write(&self, texts: &mut Texts) -> dunlin_group_qos {
        let Self {
            presentation,
            partition,
            group_data,
            entity_factory,
            entity_name,
        } = self.clone();
        let same = PublisherQos {
            presentation,
            partition,
            group_data,
            entity_factory,
            entity_name,
        };
        dunlin_group_qos {
            kind: DUNLIN_QOS_SUBSCRIBER,
            ..same.write(texts)
        }
    }
}

impl Default for dunlin_group_qos {
    /// That of a publisher.
    fn default() -> Self {
        PublisherQos::default().write(&mut Texts::default())
    }
}

impl Qos for DomainParticipantQos {
    type Raw = dunlin_participant_qos;

    fn read(raw: &dunlin_participant_qos) -> Outcome<Self> {
        expect_kind(raw.kind, DUNLIN_QOS_PARTICIPANT)?;
        Ok(Self {
            user_data: raw.user_data.get("user_data")?.to_vec(),
            entity_factory: factory(raw.autoenable),
            property: properties(raw.properties, raw.property_count)?,
            entity_name: raw.entity_name.get("entity_name")?.to_owned(),
        })
    }

    fn write(&self, texts: &mut Texts) -> dunlin_participant_qos {
        let (properties, property_count) = texts.properties(&self.property);
        dunlin_participant_qos {
            size: size_of::<dunlin_participant_qos>() as u32,
            kind: DUNLIN_QOS_PARTICIPANT,
            entity_name: texts.text(&self.entity_name),
            user_data: texts.bytes(&self.user_data),
            properties,
            property_count,
            autoenable: self.entity_factory.autoenable_created_entities.into(),
            reserved: [0; 7],
        }
    }
}

impl Default for dunlin_participant_qos {
    fn default() -> Self {
        DomainParticipantQos::default().write(&mut Texts::default())
    }
}
