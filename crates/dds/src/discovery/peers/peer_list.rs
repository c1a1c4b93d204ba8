//! The peers of a participant while it lives: what they stand for now, and who was found there.
//! Owned by the directory.
use super::{AvailableTransports, PeerClass, PeerDescriptor, PeerHost};
use crate::error::{Error, Result};
use dunlin_wire::{Guid, Locator};
use std::net::Ipv4Addr;

/// Peers of one participant.
const MOST: usize = 4096;

/// A peer and what has come of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerStatus {
    /// The descriptor.
    pub peer: PeerDescriptor,
    /// Where announcements for it go; nowhere while the name of its host is not known.
    pub places: Vec<Locator>,
    /// The participants that were found there and are still known. Of those that are at one address
    /// and port by several descriptors, each has all.
    pub participants: Vec<Guid>,
    /// Why there are no places, or not the right ones.
    pub trouble: Option<String>,
}

/// Where a participant is.
pub(crate) struct ParticipantAddresses<'a> {
    pub(crate) guid: Guid,
    pub(crate) announced: &'a [Locator],
    pub(crate) groups: &'a [Locator],
    /// Where its answers come from.
    pub(crate) source: Option<Locator>,
    pub(crate) shares_memory: bool,
}

impl ParticipantAddresses<'_> {
    fn is_at(&self, place: &Locator) -> bool {
        if place.kind == Locator::KIND_SHMEM {
            return self.shares_memory;
        }
        let seen = self.source.is_some_and(|from| from.is_same_host(place));
        self.announced.contains(place)
            || self.groups.contains(place)
            || (seen && self.announced.iter().any(|l| l.port == place.port))
    }
}

struct Entry {
    peer: PeerDescriptor,
    class: PeerClass,
    address: Option<Ipv4Addr>,
    trouble: Option<String>,
}

/// All peers of a participant.
pub(crate) struct PeerList {
    domain: u32,
    carriers: AvailableTransports,
    entries: Vec<Entry>,
}

impl PeerList {
    /// Fails if a peer needs a transport that there is not.
    pub(crate) fn new(
        domain: u32,
        carriers: AvailableTransports,
        peers: Vec<PeerDescriptor>,
    ) -> Result<Self> {
        let mut peer_list = Self {
            domain,
            carriers,
            entries: Vec::new(),
        };
        for peer in peers {
            peer_list.add(peer)?;
        }
        Ok(peer_list)
    }

    /// False if it is there already.
    pub(crate) fn add(&mut self, peer: PeerDescriptor) -> Result<bool> {
        let class = self.carriers.class(&peer).map_err(Error::BadParameter)?;
        if self.entries.iter().any(|entry| entry.peer == peer) {
            return Ok(false);
        }
        if self.entries.len() >= MOST {
            return Err(Error::BadParameter(format!(
                "peer descriptor {peer}: a participant has at most {MOST} peers; remove one first"
            )));
        }
        let unknown = matches!(peer.host, PeerHost::Name(_));
        self.entries.push(Entry {
            peer,
            class,
            address: None,
            trouble: unknown.then(|| "the name of the host is being looked up".into()),
        });
        Ok(true)
    }

    /// False if it is not there.
    pub(crate) fn remove(&mut self, peer: &PeerDescriptor) -> bool {
        let before = self.entries.len();
        self.entries.retain(|entry| entry.peer != *peer);
        self.entries.len() < before
    }

    /// Where announcements go.
    pub(crate) fn places(&self) -> Vec<Locator> {
        self.entries
            .iter()
            .flat_map(|entry| self.places_of(entry))
            .collect()
    }

    fn places_of(&self, entry: &Entry) -> Vec<Locator> {
        entry
            .peer
            .places(entry.class, self.carriers, self.domain, entry.address)
    }

    /// What has come of each peer, `participants` being all that are known.
    pub(crate) fn status(&self, participants: &[ParticipantAddresses<'_>]) -> Vec<PeerStatus> {
        let status = |entry: &Entry| {
            let places = self.places_of(entry);
            let is_there =
                |who: &&ParticipantAddresses<'_>| places.iter().any(|place| who.is_at(place));
            let found = participants.iter().filter(is_there);
            PeerStatus {
                participants: found.map(|who| who.guid).collect(),
                peer: entry.peer.clone(),
                trouble: entry.trouble.clone(),
                places,
            }
        };
        self.entries.iter().map(status).collect()
    }

    /// True if some peer is whoever shares memory with us.
    pub(crate) fn asks_for_memory(&self) -> bool {
        let local_readers = |entry: &Entry| entry.class == PeerClass::Shmem;
        self.entries.iter().any(local_readers)
    }

    /// True if some peer's host has a name.
    pub(crate) fn has_names(&self) -> bool {
        let named = |entry: &Entry| matches!(entry.peer.host, PeerHost::Name(_));
        self.entries.iter().any(named)
    }

    /// Names of hosts where nobody was found: their addresses may have changed.
    pub(crate) fn doubtful(&self, participants: &[ParticipantAddresses<'_>]) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for status in self.status(participants) {
            if let PeerHost::Name(name) = status.peer.host
                && status.participants.is_empty()
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
        names
    }

    /// A name was looked up; true if it stands for something else than before. What it stood for is
    /// kept while it cannot be had.
    pub(crate) fn resolved(
        &mut self,
        name: &str,
        found: &std::result::Result<Ipv4Addr, String>,
    ) -> bool {
        let mut changed = false;
        let named = |entry: &&mut Entry| matches!(&entry.peer.host, PeerHost::Name(n) if n == name);
        for entry in self.entries.iter_mut().filter(named) {
            match found {
                Ok(address) => {
                    changed |= entry.address != Some(*address);
                    entry.address = Some(*address);
                    entry.trouble = None;
                }
                Err(why) => entry.trouble = Some(why.clone()),
            }
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dunlin_wire::{EntityId, GuidPrefix};

    fn peer_list(peers: &[&str]) -> PeerList {
        let carriers = AvailableTransports {
            datagrams: Some(Locator::KIND_UDP_V4),
            shmem: true,
            ..AvailableTransports::default()
        };
        let peers = peers.iter().map(|peer| peer.parse().unwrap()).collect();
        PeerList::new(0, carriers, peers).unwrap()
    }

    fn at(last: u8, port: u16) -> Locator {
        Locator::udp_v4([10, 0, 0, last].into(), port)
    }

    fn who(announced: &[Locator]) -> ParticipantAddresses<'_> {
        ParticipantAddresses {
            guid: Guid::new(GuidPrefix([7; 12]), EntityId::PARTICIPANT),
            announced,
            groups: &[],
            source: None,
            shares_memory: false,
        }
    }

    #[test]
    fn peers_come_and_go() {
        let mut peer_list = peer_list(&["[0]@10.0.0.1"]);
        assert!(peer_list.add("[1]@10.0.0.2".parse().unwrap()).unwrap());
        assert!(!peer_list.add("[1]@10.0.0.2".parse().unwrap()).unwrap());
        assert_eq!(peer_list.places(), [at(1, 7410), at(2, 7412)]);
        assert!(peer_list.remove(&"0@10.0.0.1".parse().unwrap()));
        assert!(!peer_list.remove(&"0@10.0.0.1".parse().unwrap()));
        assert_eq!(peer_list.places(), [at(2, 7412)]);
        assert!(
            peer_list
                .add("tcpv4_lan://10.0.0.1".parse().unwrap())
                .is_err()
        );
    }

    #[test]
    fn a_participant_is_found_where_it_says_or_where_it_was_heard() {
        let peer_list = peer_list(&["0@10.0.0.1", "0@127.0.0.1", "[3]@10.0.0.1", "shmem://"]);
        let mut who = who(&[]);
        let found = |who: ParticipantAddresses<'_>| -> Vec<bool> {
            let status = peer_list.status(&[who]);
            status.iter().map(|s| !s.participants.is_empty()).collect()
        };
        let announced = [at(1, 7410)];
        who.announced = &announced;
        who.source = Some(Locator::udp_v4([127, 0, 0, 1].into(), 50_000));
        assert_eq!(found(who), [true, true, false, false]);
        let local_readers = ParticipantAddresses {
            shares_memory: true,
            ..self::who(&[])
        };
        assert_eq!(found(local_readers), [false, false, false, true]);
    }

    #[test]
    fn a_name_is_doubtful_while_nobody_is_there() {
        let mut peer_list = peer_list(&["0@a", "[1]@a", "0@10.0.0.9", "0@b"]);
        assert!(peer_list.has_names());
        assert_eq!(peer_list.doubtful(&[]), ["a", "b"]);
        assert_eq!(peer_list.places(), [at(9, 7410)]);
        assert!(peer_list.resolved("a", &Ok([10, 0, 0, 1].into())));
        assert!(!peer_list.resolved("a", &Ok([10, 0, 0, 1].into())));
        assert!(!peer_list.resolved("b", &Err("unknown".into())));
        assert_eq!(peer_list.places(), [at(1, 7410), at(1, 7412), at(9, 7410)]);
        let status = peer_list.status(&[]);
        assert_eq!(status[0].trouble, None);
        assert_eq!(status[3].trouble, Some("unknown".into()));
        let both = [at(1, 7410), at(1, 7412)];
        assert_eq!(peer_list.doubtful(&[who(&both)]), ["b"]);
        assert!(
            peer_list.resolved("a", &Ok([10, 0, 0, 2].into())),
            "it has moved"
        );
        assert_eq!(peer_list.places()[0], at(2, 7410));
        assert!(!peer_list.resolved("a", &Err("gone".into())));
        assert_eq!(peer_list.places()[0], at(2, 7410), "it may come back");
    }
}
