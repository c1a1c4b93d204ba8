//! By which of its locators a participant is reached.
use dunlin_rtps::discovery::Discovery;
use dunlin_transport::{Reach, Transport, nearest};
use dunlin_wire::{GuidPrefix, Locator};

/// A participant, and how it has answered.
#[derive(Clone, Copy)]
pub(super) struct Whom {
    peer: GuidPrefix,
    /// By a connection, or, before it answers, it was heard of by one.
    by_connection: bool,
    /// By connections of its own, and from nowhere that it says to be.
    only_calls: bool,
}

pub(super) fn whom(transport: &dyn Transport, discovery: &Discovery, peer: GuidPrefix) -> Whom {
    let source = discovery.source(peer);
    Whom {
        peer,
        by_connection: source.is_some_and(|source| is_connected(transport, source.kind)),
        only_calls: discovery.only_calls(peer),
    }
}

/// The nearest of a peer's unicast locators. Others name them, so what no participant can have is
/// passed over: groups, broadcast addresses, and the ports below 1024, which belong to other
/// services.
///
/// A peer that has answered by a connection is reached by one, unless it shares memory: it may be
/// behind an address translator, where datagrams do not get. All others are reached by connections
/// only if nothing else leads to them: anybody can make one in their name.
pub(super) fn unicast_locator_of(
    transport: &dyn Transport,
    whom: Whom,
    locators: &[Locator],
) -> Option<Locator> {
    let possible = locators
        .iter()
        .filter(|l| !l.is_multicast() && is_possible(l));
    let (connections, datagrams): (Vec<Locator>, Vec<Locator>) =
        possible.partition(|l| is_connected(transport, l.kind));
    let suits = |l: &&Locator| !whom.by_connection || transport.reaches(l) == Reach::Memory;
    let datagrams: Vec<Locator> = datagrams.iter().filter(suits).copied().collect();
    let by_datagrams = nearest(transport, &datagrams).copied();
    by_datagrams.or_else(|| connection_to(transport, whom, &connections))
}

/// As `unicast_locator_of`, for discovery. Unless the peer `is_near`, so that it speaks by memory
/// itself, that is left to user data: a ring for each participant that is never matched would cost
/// too much.
pub(super) fn metatraffic_locator_of(
    transport: &dyn Transport,
    whom: Whom,
    is_near: bool,
    locators: &[Locator],
) -> Option<Locator> {
    let by_network = |l: &&Locator| l.kind != Locator::KIND_SHMEM;
    let far: Vec<Locator> = locators.iter().filter(by_network).copied().collect();
    let found = unicast_locator_of(transport, whom, &far).filter(|_| !is_near);
    found.or_else(|| unicast_locator_of(transport, whom, locators))
}

/// Where somebody else is, the peer is not: behind address translators hosts of many networks have
/// the same addresses. If the peer has made a connection, that leads to it, and where nobody is
/// known to be is not tried; nor, if it `only_calls`, where it says to be: that may be anybody's
/// address.
fn connection_to(
    transport: &dyn Transport,
    Whom {
        peer, only_calls, ..
    }: Whom,
    locators: &[Locator],
) -> Option<Locator> {
    let by_name = Locator::tcp_caller(peer.0);
    let calls = transport.leads_to(&by_name, peer.0) == Some(true);
    let tries = !calls && !only_calls;
    let suits = |l: &&Locator| transport.leads_to(l, peer.0).unwrap_or(tries);
    let suitable = locators.iter().filter(suits).copied();
    let all: Vec<Locator> = suitable.chain(calls.then_some(by_name)).collect();
    nearest(transport, &all).copied()
}

/// The nearest group of a peer's; none if it has answered by a connection.
pub(super) fn multicast_locator_of(
    transport: &dyn Transport,
    whom: Whom,
    locators: &[Locator],
) -> Option<Locator> {
    let suits = |l: &&Locator| !whom.by_connection && l.is_multicast() && is_possible(l);
    let groups = locators.iter().filter(suits);
    let groups: Vec<Locator> = groups.copied().collect();
    nearest(transport, &groups).copied()
}

/// Whether what goes to locators of this kind goes by connections.
fn is_connected(transport: &dyn Transport, kind: i32) -> bool {
    let mut properties = transport.properties().iter();
    properties.any(|way| way.kind == kind && way.connected)
}

pub(super) fn is_possible(locator: &Locator) -> bool {
    const FIRST_FREE_PORT: u16 = 1024;
    match locator.socket_addr() {
        None => matches!(
            locator.kind,
            Locator::KIND_MEMORY | Locator::KIND_SHMEM | Locator::KIND_TCP_CALLER
        ),
        Some(to) => to.port() >= FIRST_FREE_PORT && !to.ip().is_unspecified(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dunlin_transport::{Listen, Outgoing, Reach, Receiver, Sent, TransportProperties};
    use std::collections::HashMap;
    use std::io;

    const PEER: GuidPrefix = GuidPrefix([7; 12]);
    const OTHER: GuidPrefix = GuidPrefix([8; 12]);

    /// Who was met at which address, and who has called.
    #[derive(Default)]
    struct Met {
        at: HashMap<Locator, GuidPrefix>,
        callers: Vec<GuidPrefix>,
    }

    impl Transport for Met {
        fn properties(&self) -> &'static [TransportProperties] {
            const {
                &[
                    TransportProperties::datagrams(Locator::KIND_UDP_V4),
                    TransportProperties::memory(Locator::KIND_SHMEM),
                    TransportProperties::connections(Locator::KIND_TCP_V4),
                ]
            }
        }
        fn send(&self, _: &[Outgoing<'_>]) -> Sent {
            Sent::default()
        }
        fn open(&self, _: &[Listen]) -> io::Result<Box<dyn Receiver>> {
            Err(io::ErrorKind::Unsupported.into())
        }
        fn reaches(&self, to: &Locator) -> Reach {
            let called = |name: &GuidPrefix| Locator::tcp_caller(name.0) == *to;
            match to.kind {
                Locator::KIND_TCP_V4 | Locator::KIND_UDP_V4 => Reach::Subnet,
                Locator::KIND_SHMEM => Reach::Memory,
                Locator::KIND_TCP_CALLER if self.callers.iter().any(called) => Reach::Far,
                _ => Reach::No,
            }
        }
        fn leads_to(&self, to: &Locator, peer: [u8; 12]) -> Option<bool> {
            let by_name = |name: &GuidPrefix| Locator::tcp_caller(name.0) == *to;
            let called = self.callers.iter().find(|name| by_name(name));
            self.at.get(to).or(called).map(|met| met.0 == peer)
        }
        fn max_datagram(&self) -> usize {
            0
        }
        fn max_whole_datagram(&self, _: &Locator) -> usize {
            0
        }
    }

    fn at(last: u8) -> Locator {
        Locator::tcp_v4([10, 1, 0, last].into(), 7400)
    }

    fn peer(only_calls: bool) -> Whom {
        Whom {
            peer: PEER,
            by_connection: only_calls,
            only_calls,
        }
    }

    #[test]
    fn a_peer_is_where_it_was_met_or_has_called_from_or_where_it_says() {
        let by_name = Locator::tcp_caller(PEER.0);
        let said = [at(2), at(3)];
        let rows: [(&[_], &[_], bool, _); 8] = [
            (&[], &[], false, Some(at(2))),
            (&[(at(3), PEER)], &[], false, Some(at(2))),
            (&[(at(2), OTHER)], &[], false, Some(at(3))),
            (&[], &[PEER], false, Some(by_name)),
            (&[], &[OTHER], false, Some(at(2))),
            (&[(at(3), PEER)], &[PEER], true, Some(at(3))),
            (&[(at(2), OTHER)], &[PEER], true, Some(by_name)),
            // It has hung up: what it said is not believed.
            (&[(at(2), OTHER)], &[], true, None),
        ];
        for (met, callers, only_calls, way) in rows {
            let transport = Met {
                at: met.iter().copied().collect(),
                callers: callers.to_vec(),
            };
            let found = unicast_locator_of(&transport, peer(only_calls), &said);
            assert_eq!(found, way, "{met:?} {callers:?} {only_calls}");
        }
    }

    #[test]
    fn who_has_answered_by_a_connection_is_reached_by_one_and_others_by_datagrams() {
        let by_name = Locator::tcp_caller(PEER.0);
        let udp = Locator::udp_v4([10, 1, 0, 2].into(), 7411);
        let group = Locator::udp_v4([239, 255, 0, 1].into(), 7401);
        let memory = Locator {
            kind: Locator::KIND_SHMEM,
            port: 7411,
            address: [7; 16],
        };
        let callers = [PEER];
        let rows: [(&[Locator], &[_], bool, _); 7] = [
            (&[udp, at(2)], &[], false, udp),
            (&[at(2)], &[], false, at(2)),
            // Anybody can make a connection in the name of a peer.
            (&[udp, at(2)], &callers, false, udp),
            (&[udp, at(2)], &callers, true, by_name),
            (&[udp, at(2)], &[], true, at(2)),
            (&[udp, at(2), memory], &callers, true, memory),
            (&[udp, at(2), memory], &[], false, memory),
        ];
        for (said, callers, by_connection, way) in rows {
            let transport = Met {
                callers: callers.to_vec(),
                ..Met::default()
            };
            let whom = Whom {
                by_connection,
                ..peer(false)
            };
            let found = unicast_locator_of(&transport, whom, said);
            assert_eq!(found, Some(way), "{said:?} {callers:?} {by_connection}");
            let found = multicast_locator_of(&transport, whom, &[group]);
            assert_eq!(found, (!by_connection).then_some(group));
        }
    }

    #[test]
    fn what_no_participant_can_have_is_passed_over() {
        let low = Locator { port: 80, ..at(2) };
        let group = Locator::tcp_v4([239, 255, 0, 1].into(), 7400);
        for impossible in [low, group] {
            assert_eq!(
                unicast_locator_of(&Met::default(), peer(false), &[impossible, at(3)]),
                Some(at(3))
            );
        }
    }
}
