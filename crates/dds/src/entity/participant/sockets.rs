//! The receivers of a participant: which ports and groups it listens to.
use super::port_holder::holder;
use crate::discovery::peers::{AvailableTransports, InitialPeers, neighbours};
use crate::entity::config::{ParticipantConfig, TcpSettings};
use crate::error::{Error, Result};
use dunlin_transport::{Listen, Receiver, Transport};
use dunlin_wire::{Locator, ports};
use std::io;
use std::net::Ipv4Addr;

/// Participants that use the well-known ports of one host; further ones take any free ports and are
/// found by multicast.
const INDEXES: u32 = 120;

/// The receivers of a participant.
pub(super) struct Sockets {
    pub(super) meta: Box<dyn Receiver>,
    pub(super) user: Box<dyn Receiver>,
}

impl Sockets {
    /// One port for everything.
    pub(super) fn open_stream(transport: &dyn Transport, port: u16) -> Result<Self> {
        let open = |listen| transport.open(&[listen]);
        let receivers = open(Listen::Unicast { port })
            .and_then(|meta| Ok((meta, open(Listen::Beside { port })?)));
        let (meta, user) = receivers.map_err(|error| Self::no_stream(port, error))?;
        Ok(Self { meta, user })
    }

    /// One port for all connections, beside those for datagrams.
    pub(super) fn add_stream(&mut self, port: u16) -> Result<()> {
        let Self { meta, user } = self;
        let added = meta.listen_at(Listen::Unicast { port });
        added
            .and_then(|()| user.listen_at(Listen::Beside { port }))
            .map_err(|error| Self::no_stream(port, error))
    }

    fn no_stream(port: u16, error: io::Error) -> Error {
        Error::Io {
            what: match error.kind() {
                io::ErrorKind::AddrInUse => format!(
                    "listening at TCP port {port}, which {}; choose another port, or 0 to listen nowhere (ParticipantConfig::tcp, \
                     {}, perftest's -transportServerBindPort)",
                    holder(port).map_or_else(
                        || "another participant of this host may have".to_owned(),
                        |holder| format!("{holder} has")
                    ),
                    TcpSettings::VARIABLE
                ),
                _ => format!("listening at TCP port {port}"),
            },
            error,
        }
    }

    /// Opens the ports of the first free participant index, or any free ports.
    pub(super) fn open(transport: &dyn Transport, domain: u32, groups: &[Locator]) -> Result<Self> {
        let well_known = (0..INDEXES).map(|index| {
            (
                ports::metatraffic_unicast(domain, index),
                ports::user_unicast(domain, index),
            )
        });
        let places = well_known
            .filter_map(|(meta, user)| Some((meta?, user?)))
            .chain([(0, 0)]);
        for (meta, user) in places {
            match Self::open_at(transport, meta, user, groups) {
                Ok(sockets) => return Ok(sockets),
                Err(error) if error.kind() == io::ErrorKind::AddrInUse && meta != 0 => {}
                Err(error) => {
                    let what = Self::attempt(domain, meta, user);
                    return Err(Error::Io { what, error });
                }
            }
        }
        Err(Error::BadParameter(format!(
            "domain {domain} has no ports: domain ids go up to {}",
            ParticipantConfig::MAX_DOMAIN
        )))
    }

    /// What was tried when there are no ports, and what may help.
    fn attempt(domain: u32, meta: u16, user: u16) -> String {
        if meta != 0 {
            return format!(
                "domain {domain}: opening port {meta} for discovery and {user} for samples"
            );
        }
        let group = ports::metatraffic_multicast(domain).unwrap_or_default();
        format!(
            "domain {domain}: no participant index from 0 to {} has its two ports free, and any other ports cannot be had either. \
             If another program keeps port {group} of the multicast group to itself, end it (`ss -ulpn` shows it), join another domain, \
             or do without multicast (ParticipantConfig::multicast, NDDS_DISCOVERY_PEERS)",
            INDEXES - 1
        )
    }

    fn open_at(
        transport: &dyn Transport,
        meta: u16,
        user: u16,
        groups: &[Locator],
    ) -> io::Result<Self> {
        let mut listen = vec![Listen::Unicast { port: meta }];
        listen.extend(
            groups
                .iter()
                .map(|group| Listen::Multicast { group: *group }),
        );
        let user = transport.open(&[Listen::Unicast { port: user }])?;
        let mut meta = transport.open(&listen)?;
        meta.watch_addresses();
        Ok(Self { meta, user })
    }
}

/// The groups that a participant listens to: those of the network, which it names to others, and
/// that of shared memory, where whoever shares memory may come unasked.
pub(super) fn meeting(
    carriers: AvailableTransports,
    domain: u32,
    peers: &InitialPeers,
) -> Vec<Locator> {
    let port = ports::metatraffic_multicast(domain);
    let network = carriers.datagrams.zip(port).map(|(kind, port)| {
        let at = move |group: &Ipv4Addr| Locator {
            kind,
            ..Locator::udp_v4(*group, port)
        };
        peers.groups.iter().map(at)
    });
    let memory = neighbours(domain).filter(|_| carriers.shmem);
    network.into_iter().flatten().chain(memory).collect()
}
