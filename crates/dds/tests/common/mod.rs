//! Participants on an in-memory network.
#![allow(dead_code, reason = "each test uses a part")]
pub(crate) mod watching;

use bytes::Bytes;
use dunlin::transport::{Faults, MemoryNetwork};
use dunlin::*;
use std::sync::Arc;

/// No key.
#[derive(Topic, Clone, Debug, PartialEq)]
#[topic(extensibility = "final")]
pub(crate) struct Plain {
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

/// A network whose every participant is a host of its own.
pub(crate) struct Net(MemoryNetwork);

impl Net {
    pub(crate) fn new(drop: f64) -> Self {
        Self(MemoryNetwork::new(
            7,
            Faults {
                drop,
                ..Faults::default()
            },
        ))
    }

    pub(crate) fn set_faults(&self, faults: Faults) {
        self.0.set_faults(faults);
    }

    pub(crate) fn set_drop(&self, drop: f64) {
        self.0.set_faults(Faults {
            drop,
            ..Faults::default()
        });
    }

    /// What carries a participant that is made otherwise.
    pub(crate) fn host(&self) -> dunlin::transport::MemoryTransport {
        self.0.host()
    }

    pub(crate) fn participant(&self) -> DomainParticipant {
        self.configured(ParticipantConfig::default())
    }

    pub(crate) fn configured(&self, config: ParticipantConfig) -> DomainParticipant {
        self.within(ParticipantConfig {
            transports: Transports {
                local: false,
                ..config.transports
            },
            heartbeat_period: Duration::from_millis(10),
            ..config
        })
    }

    /// A participant that may speak to others of this process without the network.
    pub(crate) fn within(&self, config: ParticipantConfig) -> DomainParticipant {
        let config = ParticipantConfig {
            transport: Some(Arc::new(self.0.host())),
            ..config
        };
        DomainParticipant::with_config(0, config).unwrap()
    }
}

pub(crate) fn reliable_all() -> (DataWriterQos, DataReaderQos) {
    let reliability = Reliability {
        max_blocking_time: SOON,
        ..Reliability::RELIABLE
    };
    (
        DataWriterQos {
            reliability,
            history: History::KeepAll,
            ..Default::default()
        },
        DataReaderQos {
            reliability,
            history: History::KeepAll,
            ..Default::default()
        },
    )
}

pub(crate) fn writer<T: TopicData>(
    p: &DomainParticipant,
    topic: &str,
    qos: DataWriterQos,
) -> DataWriter<T> {
    let topic = p.create_topic(topic, Default::default()).unwrap();
    p.create_publisher(Default::default())
        .create_datawriter(&topic, qos)
        .unwrap()
}

pub(crate) fn reader<T: TopicData>(
    p: &DomainParticipant,
    topic: &str,
    qos: DataReaderQos,
) -> DataReader<T> {
    let topic = p.create_topic(topic, Default::default()).unwrap();
    p.create_subscriber(Default::default())
        .create_datareader(&topic, qos)
        .unwrap()
}

/// Takes samples until there are `count` of them or nothing came for a minute.
pub(crate) fn take<T: TopicData>(reader: &DataReader<T>, count: usize) -> Vec<Sample<T>> {
    let set = WaitSet::new();
    set.attach(reader.read_condition(Select::default()));
    let mut samples = Vec::new();
    while samples.len() < count && set.wait(Duration::from_secs(60)).is_ok() {
        samples.extend(reader.take());
    }
    samples
}

/// Longer than anything takes on a machine that has much else to do.
pub(crate) const SOON: Duration = Duration::from_secs(300);
