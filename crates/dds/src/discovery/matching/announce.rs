//! Where a participant announces itself: the multicast groups that it meets others at, and its
//! peers, which come and go.
use super::{MANY, Matching, OwnParticipant};
use crate::discovery::peers::{ParticipantAddresses, PeerDescriptor, PeerStatus};
use crate::error::Result;
use crate::send::destination::Destination;
use dunlin_rtps::Time;
use dunlin_transport::{Reach, Transport};
use dunlin_wire::Locator;
use std::net::Ipv4Addr;
use std::time::Duration;

/// Where many are known, what they announce to groups is read together: each by itself would wake
/// all of them. It waits so long for each of them ...
const PAUSE_OF_EACH: Duration = Duration::from_micros(500);
/// ... and no longer than this.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

impl<P: OwnParticipant> Matching<P> {
    /// For how long what comes by groups waits for more; zero where few are known.
    pub(crate) fn pause_of_groups(&self) -> Duration {
        let known = self.discovery.participants().len();
        match u32::try_from(known) {
            _ if known < MANY => Duration::ZERO,
            Ok(known) => PAUSE_OF_EACH.saturating_mul(known).min(LONGEST_PAUSE),
            Err(_) => LONGEST_PAUSE,
        }
    }

    /// Each place once, whoever names it.
    pub(super) fn set_announce(&mut self) {
        let mut places = self.groups_met.clone();
        for place in self.peer_list.places() {
            if !places.contains(&place) {
                places.push(place);
            }
        }
        self.announce = places.into_iter().map(Destination::open).collect();
    }

    /// False if the peer is there already.
    pub(crate) fn add_peer(&mut self, now: Time, peer: PeerDescriptor) -> Result<bool> {
        let added = self.peer_list.add(peer)?;
        if added {
            self.set_announce();
            self.start(now);
        }
        Ok(added)
    }

    pub(crate) fn remove_peer(&mut self, peer: &PeerDescriptor) {
        if self.peer_list.remove(peer) {
            self.set_announce();
        }
    }

    /// The name of some peers' host was looked up.
    pub(crate) fn resolved(
        &mut self,
        now: Time,
        name: &str,
        found: &std::result::Result<Ipv4Addr, String>,
    ) {
        if self.peer_list.resolved(name, found) {
            self.set_announce();
            self.start(now);
        }
    }

    pub(crate) fn has_names(&self) -> bool {
        self.peer_list.has_names()
    }

    /// Names of hosts where no participant is known.
    pub(crate) fn doubtful_names(&self, transport: &dyn Transport) -> Vec<String> {
        self.peer_list.doubtful(&self.whereabouts(transport))
    }

    pub(crate) fn peers(&self, transport: &dyn Transport) -> Vec<PeerStatus> {
        self.peer_list.status(&self.whereabouts(transport))
    }

    fn whereabouts(&self, transport: &dyn Transport) -> Vec<ParticipantAddresses<'_>> {
        // Asking may make the transport dial: only if somebody wants to know.
        let wanted = self.peer_list.asks_for_memory();
        let by_memory = |l: &Locator| {
            wanted && l.kind == Locator::KIND_SHMEM && transport.reaches(l) == Reach::Memory
        };
        let known = self.discovery.whereabouts();
        known
            .map(|(data, source)| ParticipantAddresses {
                guid: data.guid,
                announced: &data.metatraffic_unicast,
                groups: &data.metatraffic_multicast,
                source,
                shares_memory: data.metatraffic_unicast.iter().any(by_memory),
            })
            .collect()
    }
}
