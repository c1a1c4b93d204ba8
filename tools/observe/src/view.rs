//! What is printed of a domain: plain values in a stable order. These are the objects of
//! `dunlin ls --json`.
use crate::qos::{self, Words};
use dunlin::observe::{self, Domain, ParticipantData};
use dunlin::{Guid, Locator, Partition, Properties};
use serde::Serialize;
use std::collections::BTreeMap;

/// One domain.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DomainView {
    /// Domain id.
    pub domain: u32,
    /// By GUID.
    pub participants: Vec<ParticipantView>,
    /// By name, then type.
    pub topics: Vec<TopicView>,
    /// By topic, then type, writers before readers, then GUID.
    pub endpoints: Vec<EndpointView>,
}

/// One participant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ParticipantView {
    /// Its GUID prefix, 24 hexadecimal digits.
    pub guid: String,
    /// Its name; empty if it has none.
    pub name: String,
    /// Whose product it is, or its vendor id as `01.23`.
    pub vendor: String,
    /// Host, if it tells.
    pub host: Option<String>,
    /// Process id, if it tells.
    pub process: Option<String>,
    /// Where discovery reaches it.
    pub addresses: Vec<String>,
    /// Where samples reach it, if it is not said otherwise for an endpoint.
    pub data_addresses: Vec<String>,
    /// What else it tells of itself, by name; of bytes their number.
    pub properties: BTreeMap<String, String>,
    /// Seconds of silence after which it is given up; `null` for never.
    pub lease: Option<f64>,
    /// False: it announces itself, and nothing else is heard of it.
    pub answers: bool,
}

/// One topic and type.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TopicView {
    /// Topic.
    pub name: String,
    /// Type name.
    #[serde(rename = "type")]
    pub type_name: String,
    /// How many writers.
    pub writers: usize,
    /// How many readers.
    pub readers: usize,
}

/// One writer or reader.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EndpointView {
    /// `writer` or `reader`.
    pub kind: &'static str,
    /// Its name; empty if it has none.
    pub name: String,
    /// Its GUID: that of its participant, a colon, 8 hexadecimal digits.
    pub guid: String,
    /// Topic.
    pub topic: String,
    /// Type name.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Partitions, quoted, with commas between.
    pub partition: String,
    /// Policies that are not the standard's default, by name.
    pub qos: Words,
}

impl DomainView {
    /// Those topics that match the pattern, and who has endpoints of them; everything without a
    /// pattern.
    pub fn of(domain: &Domain, pattern: Option<&str>) -> Self {
        let wanted = |topic: &str| pattern.is_none_or(|pattern| matches(pattern, topic));
        let mut endpoints = endpoints(domain);
        endpoints.retain(|endpoint| wanted(&endpoint.topic));
        let mut participants: Vec<_> = domain.participants.iter().map(participant).collect();
        participants
            .retain(|p| pattern.is_none() || endpoints.iter().any(|e| e.guid.starts_with(&p.guid)));
        Self {
            domain: domain.id,
            topics: topics(&endpoints),
            participants,
            endpoints,
        }
    }

    /// Nobody is there.
    pub fn is_empty(&self) -> bool {
        self.participants.is_empty() && self.endpoints.is_empty()
    }
}

/// As partitions match: by name, or by a pattern with `*`, `?` and `[...]`.
pub fn matches(pattern: &str, topic: &str) -> bool {
    let one = |name: &str| Partition(vec![name.to_owned()]);
    pattern == topic || one(pattern).matches(&one(topic))
}

fn participant(seen: &observe::Participant) -> ParticipantView {
    let data = &seen.data;
    let lease = data.lease_duration;
    ParticipantView {
        guid: format!("{:?}", data.guid.prefix),
        name: data.entity_name.clone(),
        vendor: vendor(data),
        host: observe::host(data).map(str::to_owned),
        process: observe::process(data).map(str::to_owned),
        addresses: addresses(&data.metatraffic_unicast),
        data_addresses: addresses(&data.default_unicast),
        properties: properties(&data.properties),
        lease: (!lease.is_infinite()).then(|| lease.as_nanos() as f64 / 1e9),
        answers: seen.answers,
    }
}

fn properties(told: &Properties) -> BTreeMap<String, String> {
    let texts = told.values.iter();
    let texts = texts.map(|p| (p.name.clone(), p.value.clone()));
    let octets = told.binary_values.iter();
    let octets = octets.map(|p| (p.name.clone(), format!("{} bytes", p.value.len())));
    octets.chain(texts).collect()
}

/// Whose product a participant is, or its number.
pub fn vendor(data: &ParticipantData) -> String {
    let [high, low] = data.vendor.0;
    let number = || format!("vendor {high:02x}.{low:02x}");
    observe::vendor_name(data.vendor).map_or_else(number, str::to_owned)
}

fn addresses(locators: &[Locator]) -> Vec<String> {
    locators.iter().map(|l| format!("{l:?}")).collect()
}

fn endpoints(domain: &Domain) -> Vec<EndpointView> {
    let own = domain.own.guid.prefix;
    let view =
        |kind, name: &str, guid: Guid, topic: &str, type_name: &str, partition: &Partition, qos| {
            EndpointView {
                kind,
                name: name.to_owned(),
                guid: guid.to_string(),
                topic: topic.to_owned(),
                type_name: type_name.to_owned(),
                partition: partition.to_string(),
                qos,
            }
        };
    let writers = domain.writers.iter().filter(|w| w.guid.prefix != own);
    let writers = writers.map(|w| {
        let partition = &w.publisher.partition;
        let qos = qos::of_writer(w);
        let name = &w.qos.entity_name;
        view(
            "writer",
            name,
            w.guid,
            &w.topic,
            &w.type_name,
            partition,
            qos,
        )
    });
    let readers = domain.readers.iter().filter(|r| r.guid.prefix != own);
    let readers = readers.map(|r| {
        let partition = &r.subscriber.partition;
        let qos = qos::of_reader(r);
        let name = &r.qos.entity_name;
        view(
            "reader",
            name,
            r.guid,
            &r.topic,
            &r.type_name,
            partition,
            qos,
        )
    });
    let mut all: Vec<_> = writers.chain(readers).collect();
    all.sort_by(|a, b| {
        let key = |e: &EndpointView| (e.kind == "reader", e.guid.clone());
        (&a.topic, &a.type_name, key(a)).cmp(&(&b.topic, &b.type_name, key(b)))
    });
    all
}

fn topics(endpoints: &[EndpointView]) -> Vec<TopicView> {
    let mut counts: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
    for endpoint in endpoints {
        let count = counts.entry((&endpoint.topic, &endpoint.type_name));
        let (writers, readers) = count.or_default();
        match endpoint.kind {
            "writer" => *writers += 1,
            _ => *readers += 1,
        }
    }
    let topics = counts
        .into_iter()
        .map(|((name, type_name), (writers, readers))| TopicView {
            name: name.to_owned(),
            type_name: type_name.to_owned(),
            writers,
            readers,
        });
    topics.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_choose_topics() {
        assert!(matches("Squ*", "Square") && matches("Square", "Square"));
        assert!(!matches("Squ*", "Circle") && !matches("square", "Square"));
        assert!(matches("rt/*", "rt/chatter"));
    }
}
