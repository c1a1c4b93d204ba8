//! Policies that several structures have: written once, by macros, since structures of C have no
//! common part.

/// A QoS of a writer, a reader or a topic, or its structure: what all of them have, and what else
/// this one has.
macro_rules! common_policies {
    (read $qos:ident, $raw:ident, { $($own:tt)* }) => {
        $qos {
            durability: enumerator(&DURABILITY, $raw.durability, "durability")?,
            deadline: duration($raw.deadline, "deadline")?,
            latency_budget: duration($raw.latency_budget, "latency_budget")?,
            liveliness: liveliness($raw.liveliness, $raw.lease_duration)?,
            reliability: reliability($raw.reliability, $raw.max_blocking_time)?,
            destination_order: destination_order($raw.destination_order)?,
            history: history($raw.history, $raw.depth, "history")?,
            resource_limits: resource_limits([
                $raw.max_samples,
                $raw.max_instances,
                $raw.max_samples_per_instance,
            ])?,
            ownership: enumerator(&OWNERSHIP, $raw.ownership, "ownership")?,
            $($own)*
        }
    };
    (write $raw:ident, $kind:ident, $qos:expr, { $($own:tt)* }) => {{
        let (history, depth) = history_numbers($qos.history);
        let limits = limit_numbers($qos.resource_limits);
        $raw {
            size: size_of::<$raw>() as u32,
            kind: $kind,
            deadline: $qos.deadline.as_nanos(),
            latency_budget: $qos.latency_budget.as_nanos(),
            lease_duration: $qos.liveliness.lease_duration.as_nanos(),
            max_blocking_time: $qos.reliability.max_blocking_time.as_nanos(),
            durability: number(&DURABILITY, $qos.durability),
            reliability: number(&RELIABILITY, $qos.reliability.kind),
            liveliness: number(&LIVELINESS, $qos.liveliness.kind),
            ownership: number(&OWNERSHIP, $qos.ownership),
            destination_order: number(&DESTINATION_ORDER, $qos.destination_order),
            history,
            depth,
            max_samples: limits[0],
            max_instances: limits[1],
            max_samples_per_instance: limits[2],
            $($own)*
        }
    }};
}

/// The same for writers and topics, which have DURABILITY_SERVICE, LIFESPAN and TRANSPORT_PRIORITY.
macro_rules! service_policies {
    (read $raw:ident) => {
        durability_service(
            $raw.service_cleanup_delay,
            $raw.service_history,
            $raw.service_depth,
            [
                $raw.service_max_samples,
                $raw.service_max_instances,
                $raw.service_max_samples_per_instance,
            ],
        )?
    };
    (write $raw:ident, $kind:ident, $qos:expr, { $($own:tt)* }) => {{
        let service = &$qos.durability_service;
        let (service_history, service_depth) = history_numbers(service.history);
        let service_limits = limit_numbers(service.resource_limits);
        common_policies!(write $raw, $kind, $qos, {
            lifespan: $qos.lifespan.as_nanos(),
            service_cleanup_delay: service.service_cleanup_delay.as_nanos(),
            service_history,
            service_depth,
            service_max_samples: service_limits[0],
            service_max_instances: service_limits[1],
            service_max_samples_per_instance: service_limits[2],
            transport_priority: $qos.transport_priority,
            $($own)*
        })
    }};
}

pub(super) use {common_policies, service_policies};
