//! A Routing Service that passes all topics from domain 0 to domain 1, until its standard input
//! closes.
use dunlin_routing::Service;
use dunlin_routing::plan::*;
use std::io::Read;

fn connection(name: &str, domain: u32) -> Connection {
    let participant = ParticipantPlan {
        domain,
        ..Default::default()
    };
    Connection {
        name: name.into(),
        kind: ConnectionKind::Participant(Box::new(participant)),
    }
}

/// As the short form of a configuration has it: everything as the sources are, on demand.
fn all_topics() -> AutoRoute {
    let mode = CreationMode::OnDemand { always: true };
    let input = Input {
        name: "in".into(),
        connection: 0,
        topic: String::new(),
        type_name: None,
        keyed: None,
        mode,
        qos: EndpointQos::AsSource,
        filter: None,
        max_rate: None,
        partitions: None,
    };
    let output = Output {
        name: "out".into(),
        connection: 1,
        topic: String::new(),
        type_name: None,
        keyed: None,
        mode,
        qos: EndpointQos::AsSource,
        writers: Writers::Group,
        transformation: None,
        representation: None,
        partitions: Vec::new(),
    };
    AutoRoute {
        name: "all".into(),
        enabled: true,
        settings: RouteSettings::toml(),
        topics: Filter::default(),
        types: Filter::default(),
        input,
        outputs: vec![output],
        renames: Vec::new(),
    }
}

fn plan() -> Plan {
    let session = Session {
        name: "s".into(),
        enabled: true,
        threads: ThreadPool::default(),
        publisher: dunlin::PublisherQos::default(),
        subscriber: dunlin::SubscriberQos::default(),
        period: None,
        routes: Vec::new(),
        auto_routes: vec![all_topics()],
    };
    let domain_route = DomainRoute {
        name: "d".into(),
        enabled: true,
        connections: vec![connection("near", 0), connection("far", 1)],
        sessions: vec![session],
    };
    Plan {
        name: "between".into(),
        group: String::new(),
        enabled: true,
        administration: None,
        monitoring: None,
        limits: Limits::default(),
        types: dunlin_routing::types::Types::default(),
        domain_routes: vec![domain_route],
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let service = Service::start(plan())?;
    println!("up");
    std::io::stdin().read_to_end(&mut Vec::new())?;
    for node in service.state().walk() {
        println!(
            "{} {} {:?} {:?}",
            node.path, node.state, node.note, node.counters
        );
    }
    service.stop();
    Ok(())
}
