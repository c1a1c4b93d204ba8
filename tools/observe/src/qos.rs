//! The QoS of endpoints in words: only what differs from the standard's defaults.
use dunlin::observe::{ReaderData, WriterData};
use dunlin::{
    DataReaderQos, DataRepresentation, DataWriterQos, Partition, PolicyId, Presentation,
    TypeConsistencyEnforcement,
};
use std::collections::BTreeMap;

/// Value by the name of the policy.
pub(crate) type Words = BTreeMap<&'static str, String>;

/// Notes each field of two QoS structs that is not the same, with the words that stand behind it.
macro_rules! note {
    ($all:ident, $qos:expr, $usual:expr, $($policy:ident $($field:ident).+ $words:path),+ $(,)?) => {
        $(if $qos.$($field).+ != $usual.$($field).+ {
            $all.insert(PolicyId::$policy.name(), $words(&$qos.$($field).+));
        })+
    };
}

pub(crate) fn of_writer(writer: &WriterData) -> Words {
    let mut all = Words::new();
    let (qos, usual) = (&writer.qos, DataWriterQos::default());
    note!(all, qos, usual,
        Reliability reliability.kind ToString::to_string,
        Durability durability ToString::to_string,
        Deadline deadline ToString::to_string,
        LatencyBudget latency_budget ToString::to_string,
        Liveliness liveliness ToString::to_string,
        DestinationOrder destination_order ToString::to_string,
        History history ToString::to_string,
        ResourceLimits resource_limits ToString::to_string,
        Lifespan lifespan ToString::to_string,
        Ownership ownership ToString::to_string,
        OwnershipStrength ownership_strength ToString::to_string,
        DataRepresentation representation ToString::to_string,
        UserData user_data octets,
        Property property ToString::to_string,
    );
    let publisher = &writer.publisher;
    group(&mut all, &publisher.presentation, &publisher.partition);
    data(&mut all, &publisher.group_data, &writer.topic_data);
    all
}

pub(crate) fn of_reader(reader: &ReaderData) -> Words {
    let mut all = Words::new();
    let (qos, usual) = (&reader.qos, DataReaderQos::default());
    note!(all, qos, usual,
        Reliability reliability.kind ToString::to_string,
        Durability durability ToString::to_string,
        Deadline deadline ToString::to_string,
        LatencyBudget latency_budget ToString::to_string,
        Liveliness liveliness ToString::to_string,
        DestinationOrder destination_order ToString::to_string,
        History history ToString::to_string,
        ResourceLimits resource_limits ToString::to_string,
        TimeBasedFilter time_based_filter ToString::to_string,
        Ownership ownership ToString::to_string,
        DataRepresentation representation representations,
        UserData user_data octets,
        Property property ToString::to_string,
    );
    let types = qos.type_consistency;
    // Who does not announce it may mean this, or not know it.
    let silent = types == TypeConsistencyEnforcement::DISALLOW && reader.max_sample_size.is_none();
    if types != usual.type_consistency && !silent {
        let policy = PolicyId::TypeConsistencyEnforcement;
        all.insert(policy.name(), types.to_string());
    }
    if let Some(filter) = &reader.content_filter {
        let parameters = filter.parameters.join(", ");
        let words = format!("{} with [{parameters}]", filter.expression);
        all.insert("CONTENT_FILTER", words);
    }
    let subscriber = &reader.subscriber;
    group(&mut all, &subscriber.presentation, &subscriber.partition);
    data(&mut all, &subscriber.group_data, &reader.topic_data);
    all
}

fn group(all: &mut Words, presentation: &Presentation, partition: &Partition) {
    if *presentation != Presentation::default() {
        all.insert(PolicyId::Presentation.name(), presentation.to_string());
    }
    if *partition != Partition::default() {
        all.insert(PolicyId::Partition.name(), partition.to_string());
    }
}

fn data(all: &mut Words, group: &[u8], topic: &[u8]) {
    for (policy, data) in [(PolicyId::GroupData, group), (PolicyId::TopicData, topic)] {
        if !data.is_empty() {
            all.insert(policy.name(), octets(data));
        }
    }
}

fn octets(data: &[u8]) -> String {
    format!("{} bytes", data.len())
}

fn representations(all: &[DataRepresentation]) -> String {
    let names: Vec<_> = all
        .iter()
        .map(|representation| representation.name())
        .collect();
    names.join(" or ")
}
