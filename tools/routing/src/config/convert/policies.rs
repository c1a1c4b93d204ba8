//! Policies that are not the default, in both languages.
use super::time;
use super::xml::Tag;
use dunlin::{
    DataReaderQos, DataRepresentation, DataWriterQos, DestinationOrder, Durability, Duration,
    History, Liveliness, LivelinessKind, Ownership, Reliability, ResourceLimits,
};

/// A policy.
pub(super) struct Policy {
    /// `key = value`.
    pub(super) toml: String,
    pub(super) xml: Tag,
}

impl Policy {
    fn new(key: &str, value: String, xml: Tag) -> Self {
        Self {
            toml: format!("{key} = {value}"),
            xml,
        }
    }

    /// A policy that is one time.
    fn time(key: &str, inside: &str, value: Duration) -> Self {
        let xml = Tag::new(key).with(duration_tag(inside, value));
        Self::new(key, format!("\"{}\"", time(value)), xml)
    }

    /// A policy that is one kind.
    fn kind(key: &str, toml: &str) -> Self {
        let ending = format!("_{}_QOS", key.to_ascii_uppercase());
        let kind = format!("{}{}", toml.to_ascii_uppercase(), ending);
        Self::new(
            key,
            format!("\"{toml}\""),
            Tag::new(key).with(Tag::text("kind", kind)),
        )
    }
}

/// What readers and writers have alike.
struct Common<'q> {
    reliability: &'q Reliability,
    durability: Durability,
    history: History,
    resource_limits: &'q ResourceLimits,
    deadline: Duration,
    latency_budget: Duration,
    liveliness: &'q Liveliness,
    ownership: Ownership,
    destination_order: DestinationOrder,
}

macro_rules! common {
    ($qos:expr) => {
        Common {
            reliability: &$qos.reliability,
            durability: $qos.durability,
            history: $qos.history,
            resource_limits: &$qos.resource_limits,
            deadline: $qos.deadline,
            latency_budget: $qos.latency_budget,
            liveliness: &$qos.liveliness,
            ownership: $qos.ownership,
            destination_order: $qos.destination_order,
        }
    };
}

/// The policies of a reader, and whether there are others.
pub(super) fn of_reader(qos: &DataReaderQos) -> (Vec<Policy>, bool) {
    let default = DataReaderQos::default();
    let mut policies = of_both(&common!(qos), &common!(default));
    if qos.time_based_filter != Duration::ZERO {
        policies.push(Policy::time(
            "time_based_filter",
            "minimum_separation",
            qos.time_based_filter,
        ));
    }
    if let [one] = qos.representation.as_slice() {
        policies.extend(representation(*one));
    }
    let rest = DataReaderQos {
        user_data: qos.user_data.clone(),
        property: qos.property.clone(),
        entity_name: qos.entity_name.clone(),
        reader_data_lifecycle: qos.reader_data_lifecycle,
        type_consistency: qos.type_consistency,
        multicast: qos.multicast.clone(),
        ..DataReaderQos::default()
    };
    (policies, rest != default)
}

/// The policies of a writer, and whether there are others.
pub(super) fn of_writer(qos: &DataWriterQos) -> (Vec<Policy>, bool) {
    let default = DataWriterQos::default();
    let mut policies = of_both(&common!(qos), &common!(default));
    if qos.lifespan != default.lifespan {
        policies.push(Policy::time("lifespan", "duration", qos.lifespan));
    }
    for (key, value) in [
        ("transport_priority", qos.transport_priority),
        ("ownership_strength", qos.ownership_strength),
    ] {
        if value != 0 {
            let xml = Tag::new(key).with(Tag::text("value", value.to_string()));
            policies.push(Policy::new(key, value.to_string(), xml));
        }
    }
    if qos.batching.max_bytes > 0 {
        let bytes = qos.batching.max_bytes.to_string();
        let xml = Tag::new("batch")
            .with(Tag::text("enable", "true"))
            .with(Tag::text("max_data_bytes", &*bytes));
        policies.push(Policy::new("batch_bytes", bytes, xml));
    }
    if qos.representation != default.representation {
        policies.extend(representation(qos.representation));
    }
    let rest = DataWriterQos {
        user_data: qos.user_data.clone(),
        property: qos.property.clone(),
        entity_name: qos.entity_name.clone(),
        writer_data_lifecycle: qos.writer_data_lifecycle,
        durability_service: qos.durability_service,
        ..DataWriterQos::default()
    };
    (policies, rest != default)
}

fn of_both(qos: &Common<'_>, default: &Common<'_>) -> Vec<Policy> {
    let mut policies = reliability(qos.reliability, default.reliability);
    if qos.durability != default.durability {
        let kind = match qos.durability {
            Durability::Volatile => "volatile",
            Durability::TransientLocal => "transient_local",
            Durability::Transient => "transient",
            Durability::Persistent => "persistent",
        };
        policies.push(Policy::kind("durability", kind));
    }
    if qos.history != default.history {
        policies.push(history(qos.history));
    }
    if qos.resource_limits != default.resource_limits {
        policies.push(resource_limits(qos.resource_limits));
    }
    if qos.deadline != default.deadline {
        policies.push(Policy::time("deadline", "period", qos.deadline));
    }
    if qos.latency_budget != default.latency_budget {
        let budget = Policy::time("latency_budget", "duration", qos.latency_budget);
        policies.push(budget);
    }
    if qos.liveliness != default.liveliness {
        policies.push(liveliness(qos.liveliness));
    }
    if qos.ownership != default.ownership {
        let kind = match qos.ownership {
            Ownership::Shared => "shared",
            Ownership::Exclusive => "exclusive",
        };
        policies.push(Policy::kind("ownership", kind));
    }
    if qos.destination_order != default.destination_order {
        let kind = match qos.destination_order {
            DestinationOrder::ByReceptionTimestamp => "by_reception_timestamp",
            DestinationOrder::BySourceTimestamp => "by_source_timestamp",
        };
        let name = kind.to_ascii_uppercase();
        let xml = Tag::text("kind", format!("{name}_DESTINATIONORDER_QOS"));
        let xml = Tag::new("destination_order").with(xml);
        policies.push(Policy::new("destination_order", format!("\"{kind}\""), xml));
    }
    policies
}

fn reliability(qos: &Reliability, default: &Reliability) -> Vec<Policy> {
    let mut policies = Vec::new();
    if qos == default {
        return policies;
    }
    let kind = match qos.is_reliable() {
        true => "reliable",
        false => "best_effort",
    };
    let mut policy = Policy::kind("reliability", kind);
    let blocking = qos.max_blocking_time;
    if blocking != default.max_blocking_time {
        policy.toml = format!(
            "{}, max_blocking_time = \"{}\"",
            policy.toml,
            time(blocking)
        );
        policy.xml = policy.xml.with(duration_tag("max_blocking_time", blocking));
    }
    policies.push(policy);
    policies
}

fn history(history: History) -> Policy {
    match history {
        History::KeepAll => Policy::kind("history", "keep_all"),
        History::KeepLast(depth) => {
            let xml = Tag::new("history")
                .with(Tag::text("kind", "KEEP_LAST_HISTORY_QOS"))
                .with(Tag::text("depth", depth.to_string()));
            Policy::new("history", format!("{{ keep_last = {depth} }}"), xml)
        }
    }
}

fn resource_limits(limits: &ResourceLimits) -> Policy {
    let all = [
        ("max_samples", limits.max_samples),
        ("max_instances", limits.max_instances),
        ("max_samples_per_instance", limits.max_samples_per_instance),
    ];
    let given = all
        .into_iter()
        .filter_map(|(name, limit)| Some((name, limit?)));
    let (mut xml, mut toml) = (Tag::new("resource_limits"), Vec::new());
    for (name, limit) in given {
        xml = xml.with(Tag::text(name, limit.to_string()));
        toml.push(format!("{name} = {limit}"));
    }
    Policy::new("resource_limits", format!("{{ {} }}", toml.join(", ")), xml)
}

fn liveliness(liveliness: &Liveliness) -> Policy {
    let kind = match liveliness.kind {
        LivelinessKind::Automatic => "automatic",
        LivelinessKind::ManualByParticipant => "manual_by_participant",
        LivelinessKind::ManualByTopic => "manual_by_topic",
    };
    let lease = liveliness.lease_duration;
    let mut policy = Policy::kind("liveliness", kind);
    let toml = format!(
        "{{ kind = \"{kind}\", lease_duration = \"{}\" }}",
        time(lease)
    );
    policy.toml = format!("liveliness = {toml}");
    policy.xml = policy.xml.with(duration_tag("lease_duration", lease));
    policy
}

fn representation(representation: DataRepresentation) -> Option<Policy> {
    let (toml, xml) = match representation {
        DataRepresentation::Xcdr1 => ("\"xcdr1\"", "XCDR_DATA_REPRESENTATION"),
        DataRepresentation::Xcdr2 => ("\"xcdr2\"", "XCDR2_DATA_REPRESENTATION"),
        DataRepresentation::Xml => return None,
    };
    let list = Tag::new("value").with(Tag::text("element", xml));
    let xml = Tag::new("representation").with(list);
    Some(Policy::new("representation", toml.to_owned(), xml))
}

/// A time as an element.
pub(super) fn duration_tag(name: &str, duration: Duration) -> Tag {
    if duration.is_infinite() {
        return Tag::new(name)
            .with(Tag::text("sec", "DURATION_INFINITE_SEC"))
            .with(Tag::text("nanosec", "DURATION_INFINITE_NSEC"));
    }
    let nanos = duration.as_nanos();
    Tag::new(name)
        .with(Tag::text("sec", (nanos / 1_000_000_000).to_string()))
        .with(Tag::text("nanosec", (nanos % 1_000_000_000).to_string()))
}
