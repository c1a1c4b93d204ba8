//! What participants, publishers and subscribers are made with: the command line over `-qosFile`
//! over what is built in.

use std::path::PathBuf;

use dunlin::transport::TlsConfig;
use dunlin::{
    AccessScope, ParticipantConfig, Presentation, PublisherQos, SubscriberQos, TcpSettings,
};

use super::terms::{ANNOUNCE, HEARTBEAT, LEASE, LINGER, transports};
use crate::options::{Carrier, Options};

/// The error is text for the user.
pub(super) fn participant_config(options: &Options) -> Result<ParticipantConfig, String> {
    let (carrier, stream) = (options.transport.carrier, &options.transport.stream);
    let xml = options.xml.as_ref();
    let base = xml
        .map(|xml| xml.participant())
        .transpose()?
        .unwrap_or_default();
    let says = |path: &str| xml.is_some_and(|xml| xml.has(path));
    let peers = options.transport.peers.iter();
    let peers: Vec<_> = peers.map(|peer| peer.descriptor.to_string()).collect();
    let own_transports = says("transport_builtin/mask") || base.transports.tcp;
    let from_xml = carrier == Carrier::Both && own_transports;
    let lease = "discovery_config/participant_liveliness_lease_duration/sec";
    let period = "discovery_config/participant_liveliness_assert_period/sec";
    Ok(ParticipantConfig {
        name: "Perftest Participant".into(),
        interfaces: options.transport.nics.clone(),
        multicast: peers.is_empty() && base.multicast && !carrier.is_stream(),
        peers: if peers.is_empty() { base.peers } else { peers },
        transports: if from_xml {
            base.transports
        } else {
            transports(carrier)
        },
        tcp: match from_xml {
            true => base.tcp,
            false => TcpSettings {
                port: stream.bind_port(),
                public: stream.public,
                tls: stream.certificates.clone().map(tls),
            },
        },
        lease_duration: if says(lease) {
            base.lease_duration
        } else {
            LEASE
        },
        announce_period: if says(period) {
            base.announce_period
        } else {
            ANNOUNCE
        },
        heartbeat_period: HEARTBEAT,
        linger: LINGER,
        qos: base.qos,
        ..ParticipantConfig::default()
    })
}

/// Of the publisher and the subscriber: samples of a topic keep their order.
pub(super) fn group_qos(options: &Options) -> Result<(PublisherQos, SubscriberQos), String> {
    let ordered = Presentation {
        access_scope: AccessScope::Topic,
        ordered_access: true,
        ..Presentation::default()
    };
    let xml = options.xml.as_ref();
    let publisher = xml.map(|xml| xml.publisher()).transpose()?;
    let (mut publisher, presents) = publisher.unwrap_or_default();
    if !presents {
        publisher.presentation = ordered;
    }
    let subscriber = xml.map(|xml| xml.subscriber()).transpose()?;
    let (mut subscriber, presents) = subscriber.unwrap_or_default();
    if !presents {
        subscriber.presentation = ordered;
    }
    Ok((publisher, subscriber))
}

fn tls([authorities, certificates, key]: [PathBuf; 3]) -> TlsConfig {
    TlsConfig {
        authorities,
        certificates,
        key,
    }
}
