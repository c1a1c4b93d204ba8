//! Sites of one process: services with a domain each, joined by zenoh over loopback.
#![allow(dead_code, reason = "each test uses a part")]
#[path = "../../../../crates/transport/tests/conformance/namespace.rs"]
pub(crate) mod namespace;

use dunlin::*;
use dunlin_routing::config::{Input, Options, load};
use dunlin_routing::plan::Plan;
use dunlin_routing::state::Node;
use dunlin_routing::{Service, StartError};
use std::process::{Child, Command, Stdio};
use std::time::Instant;
use zenoh::Wait;

#[allow(unused_imports, reason = "each test uses a part")]
pub(crate) use namespace::{LOOPBACK, in_namespace};

/// Longer than anything takes on a machine that has much else to do.
pub(crate) const SOON: Duration = Duration::from_secs(60);

#[derive(Topic, Clone, Debug, PartialEq, Default)]
pub(crate) struct Pose {
    #[key]
    #[topic(bound = 64)]
    pub(crate) name: String,
    pub(crate) number: u32,
}

pub(crate) fn pose(name: &str, number: u32) -> Pose {
    let name = name.into();
    Pose { name, number }
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

/// Reliable, the last one of each instance is kept for those who join late.
pub(crate) fn durable() -> (DataWriterQos, DataReaderQos) {
    let (writer, reader) = reliable();
    let writer = DataWriterQos {
        durability: Durability::TransientLocal,
        history: History::KeepLast(1),
        ..writer
    };
    let reader = DataReaderQos {
        durability: Durability::TransientLocal,
        ..reader
    };
    (writer, reader)
}

/// What a site reads: all topics, both ways. `zenoh` is the table of that name.
pub(crate) fn configuration(name: &str, domain: u32, zenoh: &str) -> String {
    configuration_with(name, domain, zenoh, "")
}

/// The same; `more` is said of each route.
pub(crate) fn configuration_with(name: &str, domain: u32, zenoh: &str, more: &str) -> String {
    format!(
        "name = \"{name}\"\n\
         [participants.lan]\ndomain = {domain}\ntransports = \"udp\"\n\
         [participants.cloud]\nzenoh = {zenoh}\n\
         [[routes]]\nfrom = \"lan\"\nto = \"cloud\"\ntopics = [\"*\"]\n{more}\n\
         [[routes]]\nfrom = \"cloud\"\nto = \"lan\"\ntopics = [\"*\"]\n{more}\n"
    )
}

/// A process of these tests, which ends as by `kill -9`.
pub(crate) struct Process(Child);

impl Process {
    /// Runs an ignored test of this program, which finds `value` in a variable.
    pub(crate) fn start(test: &str, variable: &str, value: &str) -> Self {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--ignored"])
            .env(variable, value)
            .stdout(Stdio::null())
            .spawn();
        Self(child.unwrap())
    }

    /// Its memory, in KiB.
    pub(crate) fn resident(&self) -> u64 {
        resident(&self.0.id().to_string())
    }

    /// Its processor time, in seconds.
    pub(crate) fn processor_time(&self) -> f64 {
        processor_time(&self.0.id().to_string())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The memory of a process, in KiB.
pub(crate) fn resident(process: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.unwrap().parse().unwrap()
}

/// Processor time of a process, in seconds.
pub(crate) fn processor_time(process: &str) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let rest = stat.rsplit_once(") ").unwrap().1;
    let of = |at: usize| rest.split(' ').nth(at).unwrap().parse::<f64>().unwrap();
    (of(11) + of(12)) / 100.0
}

/// A process of these tests finds in it the configuration of its service.
const SITE: &str = "DUNLIN_TEST_SITE";

/// A service in a process of its own, which is the ignored test `site_process`.
pub(crate) fn site_apart(configuration: &str) -> Process {
    Process::start("site_process", SITE, configuration)
}

/// Is that service.
pub(crate) fn be_site() {
    if let Ok(configuration) = std::env::var(SITE) {
        let _site = Service::start(plan(configuration)).unwrap();
        // Whoever started it ends it; it does not stay for ever if that one is gone.
        std::thread::sleep(std::time::Duration::from_secs(600));
    }
}

pub(crate) fn plan(text: String) -> Plan {
    // Another test of this process may have done so.
    let _ = dunlin_routing_zenoh::register();
    let name = "site.toml".to_owned();
    let read = load(&[Input::Text { name, text }], &Options::default());
    read.plan.unwrap_or_else(|| panic!("{:?}", read.problems))
}

pub(crate) fn try_site(
    name: &str,
    domain: u32,
    zenoh: &str,
) -> std::result::Result<Service, StartError> {
    Service::start(plan(configuration(name, domain, zenoh)))
}

pub(crate) fn site(name: &str, domain: u32, zenoh: &str) -> Service {
    try_site(name, domain, zenoh).unwrap()
}

/// A node of zenoh's, as `zenohd` is one.
pub(crate) fn node(port: u16) -> zenoh::Session {
    let mut config = zenoh::Config::default();
    for (key, value) in [
        ("mode", "\"router\"".to_owned()),
        ("listen/endpoints", format!("[\"tcp/127.0.0.1:{port}\"]")),
        ("scouting/multicast/enabled", "false".to_owned()),
    ] {
        config.insert_json5(key, &value).unwrap();
    }
    zenoh::open(config).wait().unwrap()
}

/// A process of these tests finds in it which port its node has.
const PORT: &str = "DUNLIN_TEST_NODE_PORT";

/// A node in a process of its own, which is the ignored test of this name.
pub(crate) fn start_node(test: &str) -> Process {
    let process = Process::start(test, PORT, "7447");
    let begun = Instant::now();
    while std::net::TcpStream::connect("127.0.0.1:7447").is_err() {
        assert!(begun.elapsed().as_secs() < 60, "there is no node");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    process
}

/// Is that node.
pub(crate) fn be_node() {
    if let Ok(port) = std::env::var(PORT) {
        let _node = node(port.parse().unwrap());
        // As in `be_site`.
        std::thread::sleep(std::time::Duration::from_secs(1200));
    }
}

/// An application.
pub(crate) fn participant(domain: u32) -> DomainParticipant {
    let config = ParticipantConfig {
        transports: Transports::UDP,
        ..Default::default()
    };
    DomainParticipant::with_config(domain, config).unwrap()
}

pub(crate) fn writer(
    participant: &DomainParticipant,
    topic: &str,
    qos: DataWriterQos,
) -> DataWriter<Pose> {
    participant.writer_with::<Pose>(topic, qos).unwrap()
}

pub(crate) fn reader(
    participant: &DomainParticipant,
    topic: &str,
    qos: DataReaderQos,
) -> DataReader<Pose> {
    participant.reader_with::<Pose>(topic, qos).unwrap()
}

/// Takes until there are so many samples.
pub(crate) fn take(reader: &DataReader<Pose>, count: usize) -> Vec<Sample<Pose>> {
    let mut samples = Vec::new();
    while samples.len() < count {
        let waited = reader.wait_for_data(SOON);
        let last = samples.last().and_then(Sample::data);
        let all = samples.len();
        assert!(waited.is_ok(), "{all} of {count}, {last:?}: {waited:?}");
        samples.extend(reader.take());
    }
    samples
}

/// Waits until what is looked at is as wanted.
pub(crate) fn wait_until(service: &Service, is_so: impl Fn(&Node) -> bool) -> Node {
    let begun = Instant::now();
    loop {
        let tree = service.state();
        if is_so(&tree) {
            return tree;
        }
        assert!(begun.elapsed().as_secs() < 60, "{tree:#?}");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// An input or output of a topic hears somebody: `inputs/lan` and the like.
pub(crate) fn is_matched(tree: &Node, end: &str, topic: &str) -> bool {
    tree.walk().iter().any(|node| {
        let is_of_topic = node.end.as_ref().is_some_and(|end| end.topic == topic);
        is_of_topic && node.path.0.contains(end) && node.matched > 0
    })
}
