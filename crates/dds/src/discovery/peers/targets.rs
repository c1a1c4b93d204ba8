//! What a peer descriptor stands for, given the transports of a participant.
use super::{PeerClass, PeerDescriptor, PeerHost, PeerIndexes};
use crate::runtime::environment::TRANSPORTS;
use dunlin_wire::{Locator, ports};
use std::net::Ipv4Addr;

/// Indexes that are tried if a descriptor states none.
const DEFAULT_INDEXES: PeerIndexes = PeerIndexes { first: 0, last: 4 };
/// Where servers listen for TCP unless they say otherwise.
const TCP_PORT: u16 = 7400;

/// What a participant sends by, as far as peer descriptors can ask for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct AvailableTransports {
    /// The kind of locators that `udpv4` stands for.
    pub(crate) datagrams: Option<i32>,
    pub(crate) shmem: bool,
    pub(crate) tcp: bool,
    pub(crate) tls: bool,
}

impl AvailableTransports {
    fn has(self, class: PeerClass) -> bool {
        match class {
            PeerClass::Udpv4 => self.datagrams.is_some(),
            PeerClass::Shmem => self.shmem,
            PeerClass::Tcpv4Lan | PeerClass::Tcpv4Wan => self.tcp,
            PeerClass::Tlsv4Lan | PeerClass::Tlsv4Wan => self.tls,
        }
    }

    /// The class by which a descriptor without one is reached.
    fn preferred(self) -> Option<PeerClass> {
        let by_address = [PeerClass::Udpv4, PeerClass::Tcpv4Lan, PeerClass::Tlsv4Lan];
        by_address.into_iter().find(|class| self.has(*class))
    }

    /// By what `peer` is reached; otherwise says why it cannot be.
    pub(crate) fn class(self, peer: &PeerDescriptor) -> Result<PeerClass, String> {
        let wanted = peer.class.filter(|class| self.has(*class));
        let without_class = || self.preferred().filter(|_| peer.class.is_none());
        wanted.or_else(without_class).ok_or_else(|| {
            let needs = peer.class.map_or("udpv4 or tcpv4_lan", PeerClass::name);
            let all = PeerClass::ALL.into_iter().filter(|class| self.has(*class));
            let all: Vec<_> = all.map(PeerClass::name).collect();
            format!(
                "peer descriptor {peer}: it needs the transport {needs}, which this participant is without; it has {}. Name one of these, \
                 or switch the transport on (ParticipantConfig::transports, {TRANSPORTS})",
                all.join(", ")
            )
        })
    }
}

/// Everybody who shares memory with us and listens for discovery there.
pub(crate) fn neighbours(domain: u32) -> Option<Locator> {
    let port = ports::metatraffic_multicast(domain)?;
    Some(Locator {
        kind: Locator::KIND_SHMEM,
        ..Locator::udp_v4(ports::SPDP_GROUP, port)
    })
}

impl PeerDescriptor {
    /// The multicast group that it names.
    pub fn group(&self) -> Option<Ipv4Addr> {
        match self.host {
            PeerHost::Address(address) => Some(address).filter(Ipv4Addr::is_multicast),
            PeerHost::Name(_) | PeerHost::Here => None,
        }
    }

    /// Where announcements for it go in `domain`, by `class`; `address` is what its host's name
    /// stands for, if it has one.
    pub(crate) fn places(
        &self,
        class: PeerClass,
        carriers: AvailableTransports,
        domain: u32,
        address: Option<Ipv4Addr>,
    ) -> Vec<Locator> {
        let address = match self.host {
            PeerHost::Address(address) => Some(address),
            PeerHost::Name(_) => address,
            PeerHost::Here => None,
        };
        match (class, address) {
            (PeerClass::Shmem, _) => neighbours(domain).into_iter().collect(),
            (_, None) => Vec::new(),
            (PeerClass::Udpv4, Some(address)) => {
                let kind = carriers.datagrams.unwrap_or(Locator::KIND_UDP_V4);
                let at = |port| Locator {
                    kind,
                    ..Locator::udp_v4(address, port)
                };
                self.udp_ports(domain, address.is_multicast())
                    .into_iter()
                    .map(at)
                    .collect()
            }
            (_, Some(address)) => {
                let at = |port| Locator::tcp_v4(address, port);
                self.tcp_ports().into_iter().map(at).collect()
            }
        }
    }

    fn udp_ports(&self, domain: u32, multicast: bool) -> Vec<u16> {
        if let Some(port) = self.port {
            return vec![port];
        }
        if multicast {
            return ports::metatraffic_multicast(domain).into_iter().collect();
        }
        let PeerIndexes { first, last } = self.indexes.unwrap_or(DEFAULT_INDEXES);
        (first..=last)
            .filter_map(|index| ports::metatraffic_unicast(domain, index))
            .collect()
    }

    /// A server has one port, whatever the domain; participants of one host that have the default
    /// take those after it.
    fn tcp_ports(&self) -> Vec<u16> {
        match (self.port, self.indexes) {
            (Some(port), _) => vec![port],
            (None, None) => vec![TCP_PORT],
            (None, Some(PeerIndexes { first, last })) => (first..=last)
                .filter_map(|index| TCP_PORT.checked_add(u16::try_from(index).ok()?))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: AvailableTransports = AvailableTransports {
        datagrams: Some(Locator::KIND_UDP_V4),
        shmem: true,
        tcp: true,
        tls: true,
    };

    fn places(text: &str, domain: u32) -> Vec<Locator> {
        let peer: PeerDescriptor = text.parse().unwrap();
        let class = ALL.class(&peer).unwrap();
        peer.places(class, ALL, domain, None)
    }

    fn ports(text: &str, domain: u32) -> Vec<u32> {
        places(text, domain).iter().map(|l| l.port).collect()
    }

    #[test]
    fn an_index_says_how_many_ports_are_tried() {
        assert_eq!(ports("127.0.0.1", 0), [7410, 7412, 7414, 7416, 7418]);
        assert_eq!(ports("2@udpv4://127.0.0.1", 0), [7410, 7412, 7414]);
        assert_eq!(ports("[2]@udpv4://127.0.0.1", 0), [7414]);
        assert_eq!(ports("[1-2]@127.0.0.1", 1), [7662, 7664]);
        assert_eq!(ports("3@127.0.0.1:7500", 3), [7500]);
        assert_eq!(ports("119@127.0.0.1", 232).len(), 63, "up to 65535");
    }

    #[test]
    fn a_group_is_one_place() {
        let group = Locator::udp_v4([239, 255, 0, 1].into(), 7650);
        assert_eq!(places("4@builtin.udpv4://239.255.0.1", 1), [group]);
    }

    #[test]
    fn a_server_is_one_place_unless_indexes_say_otherwise() {
        let server = |port| Locator::tcp_v4([172, 16, 0, 1].into(), port);
        assert_eq!(places("0@tcpv4_lan://172.16.0.1:7400", 9), [server(7400)]);
        assert_eq!(places("4@tlsv4_wan://172.16.0.1:8000", 9), [server(8000)]);
        assert_eq!(places("tcpv4_wan://172.16.0.1", 9), [server(7400)]);
        assert_eq!(
            places("1@tcpv4_lan://172.16.0.1", 9),
            [server(7400), server(7401)]
        );
    }

    #[test]
    fn memory_is_all_neighbours() {
        assert_eq!(places("14@builtin.shmem://", 0), [neighbours(0).unwrap()]);
        assert!(neighbours(0).unwrap().is_multicast());
    }

    #[test]
    fn a_name_is_nowhere_until_it_is_looked_up() {
        let peer: PeerDescriptor = "0@example".parse().unwrap();
        assert!(peer.places(PeerClass::Udpv4, ALL, 0, None).is_empty());
        let found = peer.places(PeerClass::Udpv4, ALL, 0, Some([10, 0, 0, 1].into()));
        assert_eq!(found, [Locator::udp_v4([10, 0, 0, 1].into(), 7410)]);
    }

    #[test]
    fn a_class_without_its_transport_is_refused_with_those_that_there_are() {
        let only = AvailableTransports {
            shmem: true,
            ..AvailableTransports::default()
        };
        for text in [
            "udpv4://10.0.0.1",
            "10.0.0.1",
            "tcpv4_lan://10.0.0.1",
            "tlsv4_wan://h",
        ] {
            let error = only.class(&text.parse().unwrap()).unwrap_err();
            assert!(
                error.contains(text) && error.contains("it has shmem."),
                "{error}"
            );
        }
        assert_eq!(
            only.class(&"shmem://".parse().unwrap()),
            Ok(PeerClass::Shmem)
        );
        let tcp = AvailableTransports {
            tcp: true,
            ..AvailableTransports::default()
        };
        assert_eq!(
            tcp.class(&"10.0.0.1".parse().unwrap()),
            Ok(PeerClass::Tcpv4Lan)
        );
    }
}
