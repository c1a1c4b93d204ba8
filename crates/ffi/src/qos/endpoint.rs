//! QoS of writers and readers.
use super::limits::*;
use super::named::{Texts, properties};
use super::policies::{common_policies, service_policies};
use super::structs::*;
use super::{Qos, expect_kind};
use crate::error::{Failure, Outcome};
use crate::memory::list;
use dunlin::{
    Batching, DataReaderQos, DataWriterQos, ReaderDataLifecycle, TypeConsistencyEnforcement,
    TypeConsistencyKind, WriterDataLifecycle,
};
use std::net::Ipv4Addr;

const TYPE_CONSISTENCY: [(i32, TypeConsistencyKind); 2] = [
    (0, TypeConsistencyKind::DisallowTypeCoercion),
    (1, TypeConsistencyKind::AllowTypeCoercion),
];

impl Qos for DataWriterQos {
    type Raw = dunlin_writer_qos;

    fn read(raw: &dunlin_writer_qos) -> Outcome<Self> {
        expect_kind(raw.kind, DUNLIN_QOS_WRITER)?;
        Ok(common_policies!(read DataWriterQos, raw, {
            durability_service: service_policies!(read raw),
            transport_priority: raw.transport_priority,
            lifespan: duration(raw.lifespan, "lifespan")?,
            user_data: raw.user_data.get("user_data")?.to_vec(),
            property: properties(raw.properties, raw.property_count)?,
            entity_name: raw.entity_name.get("entity_name")?.to_owned(),
            ownership_strength: raw.ownership_strength,
            writer_data_lifecycle: WriterDataLifecycle {
                autodispose_unregistered_instances: raw.autodispose != 0,
            },
            representation: enumerator(&REPRESENTATION, raw.representation, "representation")?,
            batching: Batching {
                max_bytes: raw.batch_bytes,
            },
        }))
    }

    fn write(&self, texts: &mut Texts) -> dunlin_writer_qos {
        let (properties, property_count) = texts.properties(&self.property);
        service_policies!(write dunlin_writer_qos, DUNLIN_QOS_WRITER, self, {
            entity_name: texts.text(&self.entity_name),
            user_data: texts.bytes(&self.user_data),
            properties,
            property_count,
            ownership_strength: self.ownership_strength,
            representation: number(&REPRESENTATION, self.representation),
            batch_bytes: self.batching.max_bytes,
            autodispose: self
                .writer_data_lifecycle
                .autodispose_unregistered_instances
                .into(),
            reserved: [0; 3],
        })
    }
}

impl Default for dunlin_writer_qos {
    fn default() -> Self {
        DataWriterQos::default().write(&mut Texts::default())
    }
}

impl Qos for DataReaderQos {
    type Raw = dunlin_reader_qos;

    fn read(raw: &dunlin_reader_qos) -> Outcome<Self> {
        expect_kind(raw.kind, DUNLIN_QOS_READER)?;
        let groups = list(raw.multicast, raw.multicast_count, "multicast")?.iter();
        let multicast: Vec<_> = groups.map(|group| Ipv4Addr::from(*group)).collect();
        if let Some(other) = multicast.iter().find(|group| !group.is_multicast()) {
            return Err(Failure::bad(format!(
                "multicast has {other}, which is no multicast group: 224.0.0.0 to 239.255.255.255 are"
            )));
        }
        Ok(common_policies!(read DataReaderQos, raw, {
            user_data: raw.user_data.get("user_data")?.to_vec(),
            property: properties(raw.properties, raw.property_count)?,
            entity_name: raw.entity_name.get("entity_name")?.to_owned(),
            time_based_filter: duration(raw.minimum_separation, "minimum_separation")?,
            reader_data_lifecycle: ReaderDataLifecycle {
                autopurge_nowriter_samples_delay: duration(
                    raw.autopurge_nowriter,
                    "autopurge_nowriter",
                )?,
                autopurge_disposed_samples_delay: duration(
                    raw.autopurge_disposed,
                    "autopurge_disposed",
                )?,
            },
            representation: representations(raw.representations)?,
            type_consistency: TypeConsistencyEnforcement {
                kind: enumerator(&TYPE_CONSISTENCY, raw.type_consistency, "type_consistency")?,
                ignore_sequence_bounds: raw.ignore_sequence_bounds != 0,
                ignore_string_bounds: raw.ignore_string_bounds != 0,
                ignore_member_names: raw.ignore_member_names != 0,
                prevent_type_widening: raw.prevent_type_widening != 0,
                force_type_validation: raw.force_type_validation != 0,
            },
            multicast,
        }))
    }

    fn write(&self, texts: &mut Texts) -> dunlin_reader_qos {
        let (properties, property_count) = texts.properties(&self.property);
        let groups = self.multicast.iter().map(|group| u32::from(*group));
        let (multicast, multicast_count) = texts.numbers(groups.collect());
        let lifecycle = &self.reader_data_lifecycle;
        let consistency = &self.type_consistency;
        common_policies!(write dunlin_reader_qos, DUNLIN_QOS_READER, self, {
            minimum_separation: self.time_based_filter.as_nanos(),
            autopurge_nowriter: lifecycle.autopurge_nowriter_samples_delay.as_nanos(),
            autopurge_disposed: lifecycle.autopurge_disposed_samples_delay.as_nanos(),
            entity_name: texts.text(&self.entity_name),
            user_data: texts.bytes(&self.user_data),
            properties,
            property_count,
            multicast,
            multicast_count,
            representations: representation_bits(&self.representation),
            type_consistency: number(&TYPE_CONSISTENCY, consistency.kind),
            ignore_sequence_bounds: consistency.ignore_sequence_bounds.into(),
            ignore_string_bounds: consistency.ignore_string_bounds.into(),
            ignore_member_names: consistency.ignore_member_names.into(),
            prevent_type_widening: consistency.prevent_type_widening.into(),
            force_type_validation: consistency.force_type_validation.into(),
            reserved: [0; 3],
        })
    }
}

impl Default for dunlin_reader_qos {
    fn default() -> Self {
        DataReaderQos::default().write(&mut Texts::default())
    }
}
