//! The transports that a configuration asks for.
use crate::entity::config::{ParticipantConfig, Transports};
use crate::error::{Error, Result};
use dunlin_transport::panics::log;
use dunlin_transport::{
    CompositeTransport, ShmConfig, ShmTransport, TcpConfig, TcpTransport, Transport, UdpConfig,
    UdpTransport,
};
use dunlin_wire::GuidPrefix;
use std::sync::Arc;

/// Whether its ports are reached by connections.
pub(super) fn is_connected(transport: &dyn Transport) -> bool {
    let properties = transport.properties().first();
    properties.is_some_and(|properties| properties.connected)
}

/// What the configuration wants. Shared memory that cannot be had is done without if there is
/// something else.
pub(super) fn transport(
    config: &ParticipantConfig,
    domain: u32,
    prefix: GuidPrefix,
) -> Result<Arc<dyn Transport>> {
    let Transports {
        udp, shmem, tcp, ..
    } = config.transports;
    let udp = udp.then(|| self::udp(config)).transpose()?;
    let shm = match shmem.then(|| self::shm(domain, prefix)).transpose() {
        Err(error) if udp.is_some() || tcp => {
            log::warn!(%error, "without shared memory; peers of this host are reached by the network");
            None
        }
        shm => shm?,
    };
    let tcp = tcp.then(|| self::tcp(config, prefix)).transpose()?;
    Ok(match (udp, shm, tcp) {
        (None, None, None) => {
            return Err(Error::BadParameter(format!(
                "a participant needs a transport: UDP, shared memory or TCP, or several of them, in ParticipantConfig::transports or {}",
                Transports::VARIABLE
            )));
        }
        (Some(udp), None, None) => Arc::new(udp),
        (None, Some(shm), None) => Arc::new(shm),
        (None, None, Some(tcp)) => Arc::new(tcp),
        (udp, shm, tcp) => Arc::new(CompositeTransport::new(udp, shm, tcp)),
    })
}

fn shm(domain: u32, prefix: GuidPrefix) -> Result<ShmTransport> {
    ShmTransport::new(&ShmConfig {
        group: domain,
        name: prefix.0,
    })
    .map_err(|error| Error::Io {
        what: format!(
            "opening shared memory (without it: udp alone in ParticipantConfig::transports or {})",
            Transports::VARIABLE
        ),
        error,
    })
}

fn udp(config: &ParticipantConfig) -> Result<UdpTransport> {
    let interfaces = (!config.interfaces.is_empty()).then(|| config.interfaces.clone());
    UdpTransport::new(&UdpConfig {
        interfaces,
        ..UdpConfig::default()
    })
    .map_err(|error| Error::Io {
        what: "opening UDP".into(),
        error,
    })
}

fn tcp(config: &ParticipantConfig, prefix: GuidPrefix) -> Result<TcpTransport> {
    let interfaces = (!config.interfaces.is_empty()).then(|| config.interfaces.clone());
    TcpTransport::new(&TcpConfig {
        interfaces,
        client_only: config.tcp.port == 0,
        public: config.tcp.public,
        tls: config.tcp.tls.clone(),
        ..TcpConfig::new(prefix.0)
    })
    .map_err(|error| Error::Io {
        what: match config.tcp.tls {
            None => "opening TCP".into(),
            Some(_) => "opening TCP with TLS".into(),
        },
        error,
    })
}
