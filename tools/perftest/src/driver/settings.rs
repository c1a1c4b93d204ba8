//! What a driver needs to know of the options, as numbers and text.

use std::net::{Ipv4Addr, SocketAddrV4};
use std::path::PathBuf;

use crate::clock::Nanos;
use crate::dds;
use crate::messaging::{Durability, EndpointQos, Topic};
use crate::options::{Options, Role};

/// What the participant, and both sides of a run, need to know.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The domain.
    pub domain: u32,
    /// The type has a key.
    pub keyed: bool,
    /// The type's payload has no bound.
    pub large: bool,
    /// How many instances there are.
    pub instances: u32,
    /// The largest payload that is sent, as far as this side knows.
    pub payload: usize,
    /// The subscriber's number; `None` for a publisher.
    pub subscriber: Option<u32>,
    /// How many publishers a subscriber has.
    pub publishers: u32,
    /// A subscriber echoes pings for others, too.
    pub answers_all: bool,
    /// Samples are built in memory of the middleware.
    pub flat: bool,
    /// Samples are read where they are.
    pub zero_copy: bool,
    /// ... and whether they have changed meanwhile is looked at.
    pub check_consistency: bool,
    /// Announces itself by multicast.
    pub multicast: bool,
    /// Uses UDP.
    pub udp: bool,
    /// Uses shared memory.
    pub shmem: bool,
    /// Uses TCP.
    pub tcp: bool,
    /// Hands samples over within the process.
    pub local: bool,
    /// Only these interfaces; none means all.
    pub interfaces: Vec<String>,
    /// Where to announce itself.
    pub peers: Vec<String>,
    /// The port that TCP listens at; 0 for none.
    pub tcp_port: u16,
    /// Where others find this side behind a translator of addresses.
    pub tcp_public: Option<SocketAddrV4>,
    /// For TLS: certificates of the authorities, the own ones, the private key.
    pub tls: Option<[PathBuf; 3]>,
    /// Silence longer than this means that a participant is gone.
    pub lease_duration: Nanos,
    /// Longest time between two announcements.
    pub announce_period: Nanos,
    /// How often a writer asks silent readers what they have.
    pub heartbeat_period: Nanos,
    /// How long a deleted writer waits for acknowledgements.
    pub linger: Nanos,
}

impl Settings {
    pub(super) fn of(options: &Options) -> Self {
        let (transport, stream) = (&options.transport, &options.transport.stream);
        let carriers = dds::transports(transport.carrier);
        let (payload, subscriber) = match &options.role {
            Role::Publisher(publisher) => {
                let largest = publisher.sizes.iter().copied().max();
                (largest.unwrap_or_default(), None)
            }
            Role::Subscriber(subscriber) => (options.data_len, Some(subscriber)),
        };
        let nanos = |duration: dunlin::Duration| duration.as_nanos().max(0) as Nanos;
        Self {
            domain: options.domain,
            keyed: options.keyed,
            large: options.large(),
            instances: options.instances,
            payload: Options::payload(payload),
            subscriber: subscriber.map(|subscriber| subscriber.id),
            publishers: subscriber.map_or(1, |subscriber| subscriber.publishers),
            answers_all: subscriber.is_some_and(|subscriber| subscriber.keys.is_some()),
            flat: options.flat,
            zero_copy: options.zero_copy,
            check_consistency: options.check_consistency,
            multicast: transport.peers.is_empty() && !transport.carrier.is_stream(),
            udp: carriers.udp,
            shmem: carriers.shmem,
            tcp: carriers.tcp,
            local: carriers.local,
            interfaces: transport.nics.clone(),
            peers: (transport.peers.iter())
                .map(|peer| peer.descriptor.to_string())
                .collect(),
            tcp_port: stream.bind_port(),
            tcp_public: stream.public,
            tls: stream.certificates.clone(),
            lease_duration: nanos(dds::LEASE),
            announce_period: nanos(dds::ANNOUNCE),
            heartbeat_period: nanos(dds::HEARTBEAT),
            linger: nanos(dds::LINGER),
        }
    }
}

/// What a writer or reader is to be like.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// Its topic.
    pub topic: Topic,
    /// RELIABLE, else BEST_EFFORT.
    pub reliable: bool,
    /// TRANSIENT_LOCAL, else VOLATILE.
    pub transient_local: bool,
    /// KEEP_LAST of so many; `None` is KEEP_ALL.
    pub depth: Option<u32>,
    /// RESOURCE_LIMITS; `None` is no limit.
    pub max_samples: Option<u32>,
    /// Samples are gathered until they have so many octets; 0 sends each at once.
    pub batch_bytes: u32,
    /// Longest time that one write may block.
    pub max_blocking: Nanos,
    /// A group where a reader receives.
    pub multicast: Option<Ipv4Addr>,
    /// A reader gets only samples that pass this expression with these parameters.
    pub filter: Option<(&'static str, Vec<String>)>,
}

impl Endpoint {
    pub(super) fn of(topic: Topic, qos: &EndpointQos) -> Self {
        Self {
            topic,
            reliable: qos.reliable,
            transient_local: qos.durability == Durability::TransientLocal,
            depth: qos.depth,
            max_samples: qos.max_samples,
            batch_bytes: qos.batch_bytes,
            max_blocking: qos.max_blocking,
            multicast: None,
            filter: qos.keys.map(|keys| (dds::KEYS, dds::key_parameters(keys))),
        }
    }
}
