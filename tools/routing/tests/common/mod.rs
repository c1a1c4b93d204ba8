//! Plans, and applications on both sides of a service, each test in a network namespace of its own.
#![allow(dead_code, reason = "each test uses a part")]
#[path = "../../../../crates/transport/tests/conformance/namespace.rs"]
pub(crate) mod namespace;

use bytes::Bytes;
use dunlin::*;
use dunlin_routing::Service;
use dunlin_routing::plan::*;
use dunlin_routing::state::{Node, State};
use std::time::Instant;

/// Longer than anything takes on a machine that has much else to do.
pub(crate) const SOON: Duration = Duration::from_secs(120);
/// The domains of the two sides.
pub(crate) const NEAR: u32 = 0;
pub(crate) const FAR: u32 = 1;

/// No key.
#[derive(Topic, Clone, Debug, PartialEq)]
pub(crate) struct Keyless {
    pub(crate) number: u32,
    pub(crate) data: Bytes,
}

/// A key longer than 16 bytes.
#[derive(Topic, Clone, Debug, PartialEq, Default)]
pub(crate) struct Keyed {
    #[key]
    #[topic(bound = 64)]
    pub(crate) name: String,
    pub(crate) number: u32,
}

pub(crate) fn keyless(number: u32, size: usize) -> Keyless {
    let data = vec![number as u8; size].into();
    Keyless { number, data }
}

pub(crate) fn keyed(name: &str, number: u32) -> Keyed {
    let name = name.into();
    Keyed { name, number }
}

/// Reliable, all kept.
pub(crate) fn reliable() -> (DataWriterQos, DataReaderQos) {
    let reliability = Reliability {
        max_blocking_time: SOON,
        ..Reliability::RELIABLE
    };
    let writer = DataWriterQos {
        reliability,
        history: History::KeepAll,
        ..Default::default()
    };
    let reader = DataReaderQos {
        reliability,
        history: History::KeepAll,
        ..Default::default()
    };
    (writer, reader)
}

/// A route of one topic from one connection (0 near, 1 far) to the other.
pub(crate) fn route<T: TopicData>(topic: &str, from: usize) -> Route {
    let (writer, reader) = reliable();
    let type_name = Some(T::TYPE_NAME.to_owned());
    let input = Input {
        name: "in".into(),
        connection: from,
        topic: topic.into(),
        type_name: type_name.clone(),
        keyed: Some(T::HAS_KEY),
        mode: CreationMode::Immediate,
        qos: EndpointQos::Explicit(Box::new(reader)),
        filter: None,
        max_rate: None,
        partitions: None,
    };
    let output = Output {
        name: "out".into(),
        connection: 1 - from,
        topic: topic.into(),
        type_name,
        keyed: None,
        mode: CreationMode::Immediate,
        qos: EndpointQos::Explicit(Box::new(writer)),
        writers: Writers::One,
        transformation: None,
        representation: None,
        partitions: Vec::new(),
    };
    Route {
        name: topic.into(),
        enabled: true,
        settings: RouteSettings::xml(),
        inputs: vec![input],
        outputs: vec![output],
    }
}

fn connection(name: &str, domain: u32, transports: Transports) -> Connection {
    let participant = ParticipantPlan {
        domain,
        transports: Some(transports),
        ..Default::default()
    };
    Connection {
        name: name.into(),
        kind: ConnectionKind::Participant(Box::new(participant)),
    }
}

/// A service with these routes between the two domains.
pub(crate) fn plan(transports: Transports, routes: Vec<Route>) -> Plan {
    let session = Session {
        name: "s".into(),
        enabled: true,
        threads: ThreadPool::default(),
        publisher: PublisherQos::default(),
        subscriber: SubscriberQos::default(),
        period: None,
        routes,
        auto_routes: Vec::new(),
    };
    Plan {
        name: "test".into(),
        group: String::new(),
        enabled: true,
        administration: None,
        monitoring: None,
        limits: Limits::default(),
        types: dunlin_routing::types::Types::default(),
        domain_routes: vec![DomainRoute {
            name: "d".into(),
            enabled: true,
            connections: vec![
                connection("near", NEAR, transports),
                connection("far", FAR, transports),
            ],
            sessions: vec![session],
        }],
    }
}

/// Where the session of `plan` is.
pub(crate) const SESSION: &str = "/routing_services/test/domain_routes/d/sessions/s";

pub(crate) fn route_path(name: &str) -> String {
    format!("{SESSION}/routes/{name}")
}

/// An application.
pub(crate) fn participant(domain: u32, transports: Transports) -> DomainParticipant {
    let config = ParticipantConfig {
        transports,
        announce_period: Duration::from_secs(1000),
        ..Default::default()
    };
    DomainParticipant::with_config(domain, config).unwrap()
}

/// A reader that has matched.
pub(crate) fn reader<T: TopicData>(
    participant: &DomainParticipant,
    topic: &str,
    qos: DataReaderQos,
) -> DataReader<T> {
    let reader = participant.reader_with::<T>(topic, qos).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    reader
}

/// A writer that has matched.
pub(crate) fn writer<T: TopicData>(
    participant: &DomainParticipant,
    topic: &str,
    qos: DataWriterQos,
) -> DataWriter<T> {
    let writer = participant.writer_with::<T>(topic, qos).unwrap();
    writer.wait_for_matched(1, SOON).unwrap();
    writer
}

/// Takes until there are so many samples.
pub(crate) fn take<T: TopicData>(reader: &DataReader<T>, count: usize) -> Vec<Sample<T>> {
    let mut samples = Vec::new();
    while samples.len() < count {
        reader.wait_for_data(SOON).unwrap();
        samples.extend(reader.take());
    }
    samples
}

/// Waits until an entity of the service is as wanted.
pub(crate) fn wait_for(service: &Service, path: &str, is_so: impl Fn(&Node) -> bool) -> Node {
    let begun = Instant::now();
    loop {
        let tree = service.state();
        let node = tree.at(path);
        if let Some(node) = node.filter(|node| is_so(node)) {
            return node.clone();
        }
        assert!(begun.elapsed().as_secs() < 120, "{path} is {node:#?}");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Waits until the service, too, has matched the one writer and the one reader of a route: a reader
/// beyond may know the service's writer before that knows the reader.
pub(crate) fn wait_until_joined(service: &Service, route: &str) {
    for end in ["inputs/in", "outputs/out"] {
        wait_for(service, &format!("{route}/{end}"), |node| node.matched == 1);
    }
}

pub(crate) fn is_running(node: &Node) -> bool {
    node.state == State::Running
}

/// An auto route of all topics from one connection to the other, as TOML has it.
pub(crate) fn auto(from: usize) -> AutoRoute {
    let demand = CreationMode::OnDemand { always: true };
    let route = route::<Keyless>("", from);
    let input = Input {
        type_name: None,
        keyed: None,
        mode: demand,
        qos: EndpointQos::AsSource,
        ..route.inputs[0].clone()
    };
    let output = Output {
        type_name: None,
        mode: demand,
        qos: EndpointQos::AsSource,
        writers: Writers::Group,
        ..route.outputs[0].clone()
    };
    AutoRoute {
        name: format!("all {from}"),
        enabled: true,
        settings: RouteSettings {
            linger: Duration::from_millis(300),
            ..RouteSettings::toml()
        },
        topics: Filter::default(),
        types: Filter::default(),
        input,
        outputs: vec![output],
        renames: Vec::new(),
    }
}

/// A service with these auto routes between the two domains.
pub(crate) fn with_auto(auto_routes: Vec<AutoRoute>) -> Plan {
    let mut plan = plan(Transports::UDP, Vec::new());
    plan.domain_routes[0].sessions[0].auto_routes = auto_routes;
    plan
}
