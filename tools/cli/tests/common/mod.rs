//! The command as a process, and endpoints for it to look at.
#![allow(dead_code, unused_imports, reason = "each test uses a part")]
#[path = "../../../../crates/transport/tests/conformance/namespace.rs"]
pub(crate) mod namespace;

use dunlin::*;
use std::process::{Command, Output};

pub(crate) use namespace::{LOOPBACK, in_namespace};

/// What moves on the screen.
#[derive(Topic, Clone, Debug, Default)]
#[topic(name = "ShapeType", extensibility = "appendable")]
pub(crate) struct Shape {
    #[key]
    #[topic(bound = 128)]
    pub(crate) color: String,
    pub(crate) x: i32,
}

/// Runs `dunlin` to its end.
pub(crate) fn dunlin(arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dunlin"))
        .args(arguments.split_whitespace())
        .output()
        .unwrap()
}

/// What it prints when it succeeds.
pub(crate) fn printed(arguments: &str) -> String {
    let output = dunlin(arguments);
    let text = String::from_utf8(output.stdout).unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments}:\n{text}{complaint}");
    text
}

/// A participant that is as far from the others of this process as from other processes.
pub(crate) fn participant(domain: u32, name: &str) -> DomainParticipant {
    DomainParticipant::with_config(domain, config(name)).unwrap()
}

/// Of participants that exchange nothing within the process.
pub(crate) fn config(name: &str) -> ParticipantConfig {
    ParticipantConfig {
        name: name.into(),
        transports: Transports {
            local: false,
            ..Transports::default()
        },
        ..ParticipantConfig::default()
    }
}

pub(crate) fn writer<T: TopicData>(
    participant: &DomainParticipant,
    topic: &str,
    qos: DataWriterQos,
    publisher: PublisherQos,
) -> DataWriter<T> {
    let topic = participant.create_topic(topic, Default::default()).unwrap();
    let publisher = participant.create_publisher(publisher);
    publisher.create_datawriter(&topic, qos).unwrap()
}

pub(crate) fn reader<T: TopicData>(
    participant: &DomainParticipant,
    topic: &str,
    qos: DataReaderQos,
    subscriber: SubscriberQos,
) -> DataReader<T> {
    let topic = participant.create_topic(topic, Default::default()).unwrap();
    let subscriber = participant.create_subscriber(subscriber);
    subscriber.create_datareader(&topic, qos).unwrap()
}
