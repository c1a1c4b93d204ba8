//! QoS of topics.
use super::limits::*;
use super::named::Texts;
use super::structs::*;
use super::{Qos, expect_kind};
use crate::error::Outcome;
use dunlin::TopicQos;

impl Qos for TopicQos {
    type Raw = dunlin_topic_qos;

    fn read(raw: &dunlin_topic_qos) -> Outcome<Self> {
        expect_kind(raw.kind, DUNLIN_QOS_TOPIC)?;
        Ok(Self {
            topic_data: raw.topic_data.get("topic_data")?.to_vec(),
            durability: enumerator(&DURABILITY, raw.durability, "durability")?,
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
            transport_priority: raw.transport_priority,
            lifespan: duration(raw.lifespan, "lifespan")?,
            ownership: enumerator(&OWNERSHIP, raw.ownership, "ownership")?,
            representation: representations(raw.representations)?,
        })
    }

    fn write(&self, texts: &mut Texts) -> dunlin_topic_qos {
        let (history, depth) = history_numbers(self.history);
        let service = &self.durability_service;
        let (service_history, service_depth) = history_numbers(service.history);
        let limits = limit_numbers(self.resource_limits);
        let service_limits = limit_numbers(service.resource_limits);
        dunlin_topic_qos {
            size: size_of::<dunlin_topic_qos>() as u32,
            kind: DUNLIN_QOS_TOPIC,
            deadline: self.deadline.as_nanos(),
            latency_budget: self.latency_budget.as_nanos(),
            lifespan: self.lifespan.as_nanos(),
            lease_duration: self.liveliness.lease_duration.as_nanos(),
            max_blocking_time: self.reliability.max_blocking_time.as_nanos(),
            service_cleanup_delay: service.service_cleanup_delay.as_nanos(),
            topic_data: texts.bytes(&self.topic_data),
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
            service_history,
            service_depth,
            service_max_samples: service_limits[0],
            service_max_instances: service_limits[1],
            service_max_samples_per_instance: service_limits[2],
            transport_priority: self.transport_priority,
            representations: representation_bits(&self.representation),
            reserved: 0,
        }
    }
}

impl Default for dunlin_topic_qos {
    fn default() -> Self {
        TopicQos::default().write(&mut Texts::default())
    }
}
