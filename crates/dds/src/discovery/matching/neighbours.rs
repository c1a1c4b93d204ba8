//! How participants of this host are met that the network does not bring.
//!
//! Who has the network announces itself there alone: a ring to each participant of a host costs
//! memory and processor time on both sides. By memory it speaks to those that it did not hear of.
use super::{MANY, Matching, OwnParticipant};
use crate::send::destination::Destination;
use dunlin_rtps::To;
use dunlin_rtps::discovery::{Discovery, Source};
use dunlin_transport::Transport;
use dunlin_wire::{GuidPrefix, Locator};
use std::collections::BTreeSet;

/// So many announcements a participant of this host is given to answer by the network.
const HEARD: u32 = 8;
/// From then on it is looked around only at each so many announcements.
const SELDOM: u32 = 10;

/// Participants of this host that memory can be shared with.
#[derive(Default)]
pub(super) struct Neighbours {
    /// Where they listen, if announcements go there only for want of the network.
    group: Option<Locator>,
    /// Announcements that were sent.
    announced: u32,
    /// Those that discovery is exchanged with by memory: they have used it.
    near: BTreeSet<GuidPrefix>,
}

impl Neighbours {
    pub(super) fn new(group: Option<Locator>) -> Self {
        Self {
            group,
            ..Self::default()
        }
    }

    /// True for a participant that has said something of discovery by memory.
    pub(super) fn are_near(&self, prefix: &GuidPrefix) -> bool {
        self.near.contains(prefix)
    }

    /// The participant is not there any more, or the memory is not.
    pub(super) fn forget(&mut self, prefix: &GuidPrefix) {
        self.near.remove(prefix);
    }

    /// Whom to tell by memory of an announcement that the network gets at the same time.
    fn whom_to_tell(
        &mut self,
        transport: &dyn Transport,
        discovery: &Discovery,
        hears_itself: bool,
    ) -> Vec<Destination> {
        let Some(group) = self.group else {
            return Vec::new();
        };
        self.announced = self.announced.saturating_add(1);
        let crowd = discovery.participants().len() >= MANY;
        let most = most(self.announced, hears_itself, crowd);
        if most == 0 {
            return Vec::new();
        }
        // A crowd that hears itself by the network need not hurry.
        let waits = !hears_itself;
        let places = if self.announced < HEARD {
            let known = |name| discovery.knows(GuidPrefix(name));
            transport.neighbours(&group, most, &known, waits)
        } else {
            let answered = discovery.whereabouts().map(|(data, _)| data.guid.prefix.0);
            let answered: BTreeSet<[u8; 12]> = answered.collect();
            transport.neighbours(&group, most, &|name| answered.contains(&name), waits)
        };
        places.into_iter().map(Destination::open).collect()
    }
}

/// To how many strangers an announcement goes by memory, of which it is the nth. Whoever hears its
/// own announcements by multicast is heard that way by nearly all others of this host, too: the
/// network gets some time, and a crowd that starts at once does not dial each other meanwhile. Who
/// knows many by the network gives it all the time: those of a crowd that are not known yet are
/// busy, and a ring to each of them makes them busier.
fn most(nth: u32, hears_itself: bool, crowd: bool) -> usize {
    const ALL: usize = 4096;
    match (nth, hears_itself) {
        (0 | 1, _) | (2, true) => 0,
        (nth, true) if crowd && nth < SELDOM => 0,
        (2, false) => 16,
        (3, true) => 4,
        (4, true) => 8,
        (3 | 4, false) => 64,
        (nth, _) if nth > HEARD && !nth.is_multiple_of(SELDOM) => 0,
        (_, true) => 16,
        (_, false) => ALL,
    }
}

impl<P: OwnParticipant> Matching<P> {
    /// Discovery goes by memory to whoever has used that for it: it may not be heard otherwise.
    pub(super) fn note_way(&mut self, source: &Source) {
        let prefix = source.prefix;
        if source.from.kind == Locator::KIND_SHMEM
            && !self.neighbours.near.contains(&prefix)
            && self.discovery.knows(prefix)
        {
            self.neighbours.near.insert(prefix);
            self.peers.remove(&prefix);
        }
    }

    /// The places where an announcement goes that is about to be sent, if one is, beside those
    /// where each goes.
    pub(super) fn beside_network(&mut self, participant: &P) -> Vec<Destination> {
        let announces = self.datagrams.destinations().any(|to| to == To::Announce);
        match announces {
            true => self.neighbours.whom_to_tell(
                participant.transport(),
                &self.discovery,
                participant.hears_itself(),
            ),
            false => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowd_that_hears_itself_asks_few_and_who_hears_nothing_asks_all() {
        let sum = |hears, crowd| (0..=8).map(|nth| most(nth, hears, crowd)).sum::<usize>();
        assert!(sum(true, false) < 100, "{}", sum(true, false));
        assert!(sum(false, true) > 4096);
        assert_eq!(sum(true, true), 0, "who knows many by the network waits");
        let most = |nth, hears| most(nth, hears, false);
        assert_eq!([most(1, false), most(1, true), most(9, true)], [0; 3]);
        assert!(most(10, true) > 0, "who is overlooked is found in the end");
    }
}
