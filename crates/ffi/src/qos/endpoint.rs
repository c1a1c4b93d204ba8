//! QoS of writers and readers.
use super::limits::*;
use super::named::{Texts, properties};
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
        Ok(Self {
            durability: enumerator(&DURABILITY, raw.durability, "durability")?,
            deadline: duration(raw.deadline, "deadline")?,
            latency_budget: duration(raw.latency_budget, "latency_budget")?,
            liveliness: liveliness(raw.liveliness, raw.lease_duration)?,
            reliability: reliability(raw.reliability, raw.max_blocking_time)?,
            destination_order: destination_order(raw.destination_order)?,
            history: history(raw.history, raw.depth, "history")?,
            resource_limits: resource_limits([
                raw.max_samples,
                raw.max_instances,
                raw.max_samples_per_instance,
            ])?,
            durability_service: durability_service(
                raw.service_cleanup_delay,
                raw.service_history,
                raw.service_depth,
                [
                    raw.service_max_samples,
                    raw.service_max_instances,
                    raw.service_max_samples_per_instance,
                ],
            )?,
            transport_priority: raw.transport_priority,
            lifespan: duration(raw.lifespan, "lifespan")?,
            user_data: raw.user_data.get("user_data")?.to_vec(),
            property: properties(raw.properties, raw.property_count)?,
            entity_name: raw.entity_name.get("entity_name")?.to_owned(),
            ownership: enumerator(&OWNERSHIP, raw.ownership, "ownership")?,
            ownership_strength: raw.ownership_strength,
            writer_data_lifecycle: WriterDataLifecycle {
                autodispose_unregistered_instances: raw.autodispose != 0,
            },
            representation: enumerator(&REPRESENTATION, raw.representation, "representation")?,
            batching: Batching {
                max_bytes: raw.batch_bytes,
            },
        })
    }

    fn write(&self, texts: &mut Texts) -> dunlin_writer_qos {
        let (history, depth) = history_numbers(self.history);
        let service = &self.durability_service;
        let (service_history, service_depth) = history_numbers(service.history);
        let limits = limit_numbers(self.resource_limits);
        let service_limits = limit_numbers(service.resource_limits);
        let (properties, property_count) = texts.properties(&self.property);
        dunlin_writer_qos {
            size: size_of::<dunlin_writer_qos>() as u32,
            kind: DUNLIN_QOS_WRITER,
            deadline: self.deadline.as_nanos(),
            latency_budget: self.latency_budget.as_nanos(),
            lifespan: self.lifespan.as_nanos(),
            lease_duration: self.liveliness.lease_duration.as_nanos(),
            max_blocking_time: self.reliability.max_blocking_time.as_nanos(),
            service_cleanup_delay: service.service_cleanup_delay.as_nanos(),
            entity_name: texts.text(&self.entity_name),
            user_data: texts.bytes(&self.user_data),
            properties,
            property_count,
            durability: number(&DURABILITY, self.durability),
            reliability: number(&RELIABILITY, self.reliability.kind),
            liveliness: number(&LIVELINESS, self.liveliness.kind),
            ownership: number(&OWNERSHIP, self.ownership),
            ownership_strength: self.ownership_strength,
            destination_order: number(&DESTINATION_ORDER, self.destination_order),
            history,
            depth,
            max_samples: limits[0],
            max_instances: limits[1],
            max_samples_per_instance: limits[2],
            service_history,
            service_depth,
            service_max_samples: service_limits[0],
            service_max_instances: service_limits[1],
            service_max_samples_per_instance: service_limits[2],
            transport_priority: self.transport_priority,
            representation: number(&REPRESENTATION, self.representation),
            batch_bytes: self.batching.max_bytes,
            autodispose: self
                .writer_data_lifecycle
                .autodispose_unregistered_instances
                .into(),
            reserved: [0; 3],
        }
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
        Ok(Self {
            durability: enumerator(&DURABILITY, raw.durability, "durability")?,
            deadline: duration(raw.deadline, "deadline")?,
            latency_budget: duration(raw.latency_budget, "latency_budget")?,
            liveliness: liveliness(raw.liveliness, raw.lease_duration)?,
            reliability: reliability(raw.reliability, raw.max_blocking_time)?,
            destination_order: destination_order(raw.destination_order)?,
            history: history(raw.history, raw.depth, "history")?,
            resource_limits: resource_limits([
                raw.max_samples,
                raw.max_instances,
                raw.max_samples_per_instance,
            ])?,
            user_data: raw.user_data.get("user_data")?.to_vec(),
            property: properties(raw.properties, raw.property_count)?,
            entity_name: raw.entity_name.get("entity_name")?.to_owned(),
            ownership: enumerator(&OWNERSHIP, raw.ownership, "ownership")?,
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
        })
    }

    fn write(&self, texts: &mut Texts) -> dunlin_reader_qos {
        let (history, depth) = history_numbers(self.history);
        let limits = limit_numbers(self.resource_limits);
        let (properties, property_count) = texts.properties(&self.property);
        let groups = self.multicast.iter().map(|group| u32::from(*group));
        let (multicast, multicast_count) = texts.numbers(groups.collect());
        let lifecycle = &self.reader_data_lifecycle;
        let consistency = &self.type_consistency;
        dunlin_reader_qos {
            size: size_of::<dunlin_reader_qos>() as u32,
            kind: DUNLIN_QOS_READER,
            deadline: self.deadline.as_nanos(),
            latency_budget: self.latency_budget.as_nanos(),
            lease_duration: self.liveliness.lease_duration.as_nanos(),
            max_blocking_time: self.reliability.max_blocking_time.as_nanos(),
            minimum_separation: self.time_based_filter.as_nanos(),
            autopurge_nowriter: lifecycle.autopurge_nowriter_samples_delay.as_nanos(),
            autopurge_disposed: lifecycle.autopurge_disposed_samples_delay.as_nanos(),
            entity_name: texts.text(&self.entity_name),
            user_data: texts.bytes(&self.user_data),
            properties,
            property_count,
            multicast,
            multicast_count,
            durability: number(&DURABILITY, self.durability),
            reliability: number(&RELIABILITY, self.reliability.kind),
            liveliness: number(&LIVELINESS, self.liveliness.kind),
            ownership: number(&OWNERSHIP, self.ownership),
            destination_order: number(&DESTINATION_ORDER, self.destination_order),
            history,
            depth,
            max_samples: limits[0],
            max_instances: limits[1],
            max_samples_per_instance: limits[2],
            representations: representation_bits(&self.representation),
            type_consistency: number(&TYPE_CONSISTENCY, consistency.kind),
            ignore_sequence_bounds: consistency.ignore_sequence_bounds.into(),
            ignore_string_bounds: consistency.ignore_string_bounds.into(),
            ignore_member_names: consistency.ignore_member_names.into(),
            prevent_type_widening: consistency.prevent_type_widening.into(),
            force_type_validation: consistency.force_type_validation.into(),
            reserved: [0; 3],
        }
    }
}

impl Default for dunlin_reader_qos {
    fn default() -> Self {
        DataReaderQos::default().write(&mut Texts::default())
    }
}
