//! Participants without multicast learn of each other through those that they have in common.
//!
//! Who announces itself to us without knowing our name has us among its peers: a *neighbour*, and
//! so are we to it. Neighbours of our own kind that listen to no multicast group tell each other
//! whom they know, by a reliable topic of their own with one instance for each participant and
//! teller. Whoever is told of a stranger announces itself to it (`PeerGossip` says how often), and
//! the stranger's answer does the rest. So nothing is believed that its subject has not confirmed.
use super::announcer::detector;
use super::peer_gossip::MOST_OF_ONE;
use super::registry::BuiltinMatching;
use super::{Discovery, Event, Peer};
use crate::{Change, ChangeKind, InstanceHandle, Outbox, Sample, Time, ViewState};
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use dunlin_qos::Duration;
use dunlin_wire::{EntityId, GossipedParticipant, Guid, GuidPrefix, VendorId, endpoint_key};

/// So many are introduced at once ...
const BATCH: usize = 64;
/// ... and the next ones after so long.
const PAUSE: Duration = Duration::from_millis(250);
/// Nobody is told of more, since nobody remembers more of what one teller says.
const MOST: usize = MOST_OF_ONE;
/// A teller whose words make no sense so often is listened to no more.
const MOST_NONSENSE: usize = 16;

/// Whom we have introduced and have still to introduce.
#[derive(Debug, Default)]
pub(super) struct GossipSender {
    /// Somebody listens.
    active: bool,
    waiting: BTreeSet<GuidPrefix>,
    introduced: BTreeSet<GuidPrefix>,
    /// Participants that would have been too many.
    passed_over: BTreeSet<GuidPrefix>,
    due: Option<Time>,
    /// Before this nothing is said.
    rest: Option<Time>,
}

impl GossipSender {
    pub(super) fn next_timeout(&self) -> Option<Time> {
        self.due
    }

    fn queue(&mut self, now: Time, prefix: GuidPrefix) {
        if self.active {
            self.waiting.insert(prefix);
            self.due = Some(self.rest.unwrap_or(now).max(now));
        }
    }

    /// True if others may be told of a participant; else it waits for somebody's leave.
    fn admits(&mut self, prefix: GuidPrefix) -> bool {
        let admits = self.introduced.len() < MOST || self.introduced.contains(&prefix);
        match admits {
            true => self.introduced.insert(prefix),
            false => self.passed_over.insert(prefix),
        };
        admits
    }

    /// Others are told no longer of a participant, if they were: somebody else may be introduced.
    fn dismiss(&mut self, now: Time, prefix: GuidPrefix) -> bool {
        self.passed_over.remove(&prefix);
        let was_introduced = self.introduced.remove(&prefix);
        if was_introduced && let Some(next) = self.passed_over.pop_first() {
            self.queue(now, next);
        }
        was_introduced
    }

    /// The next ones, if it is time.
    fn take(&mut self, now: Time) -> Vec<GuidPrefix> {
        if self.due.is_none_or(|due| now < due) {
            return Vec::new();
        }
        let batch: Vec<GuidPrefix> = self.waiting.iter().take(BATCH).copied().collect();
        batch.iter().for_each(|prefix| {
            self.waiting.remove(prefix);
        });
        self.rest = Some(now.after(PAUSE));
        self.due = self.rest.filter(|_| !self.waiting.is_empty());
        batch
    }
}

impl Peer {
    /// Somebody else may reach it where it says to be. Of one that is behind an address translator
    /// nobody is told.
    fn can_be_called(&self) -> bool {
        self.verified && !self.only_calls() && !self.data.metatraffic_unicast.is_empty()
    }

    /// It hears of nobody by multicast, and understands introductions.
    fn wants_introductions(&self) -> bool {
        self.verified
            && self.data.vendor == VendorId::DUNLIN
            && self.data.metatraffic_multicast.is_empty()
    }
}

impl Discovery {
    /// A participant is known to be where it says, or has moved: others are to hear of it.
    pub(super) fn introduce(&mut self, now: Time, prefix: GuidPrefix) {
        self.introducer.queue(now, prefix);
    }

    /// A participant has us among its peers, or treats us as a neighbour: we tell each other whom
    /// we know.
    pub(super) fn befriend(&mut self, now: Time, prefix: GuidPrefix, out: &mut impl Outbox) {
        let peer = self.peers.get_mut(&prefix);
        let Some(peer) = peer.filter(|peer| !peer.neighbour && peer.wants_introductions()) else {
            return;
        };
        peer.neighbour = true;
        let who = (prefix, VendorId::DUNLIN);
        let neighbours = self.topics.iter_mut();
        for topic in neighbours.filter(|t| t.entry.matching == BuiltinMatching::Neighbours) {
            topic.listen_to(now, who, out);
            let reliable = topic.entry.is_reliable_to(&peer.data);
            topic.tell(now, who, peer.shift, reliable, out);
        }
        if !core::mem::replace(&mut self.introducer.active, true) {
            let verified = self.peers.iter().filter(|(_, peer)| peer.verified);
            let all: Vec<GuidPrefix> = verified.map(|(prefix, _)| *prefix).collect();
            all.into_iter()
                .for_each(|prefix| self.introducer.queue(now, prefix));
        }
    }

    /// A participant is gone, and with it what it said of others.
    pub(super) fn part_company(&mut self, now: Time, prefix: GuidPrefix) {
        self.hearsay.forget(prefix);
        self.introducer.queue(now, prefix);
    }

    /// Introduces those who are due, and calls those of whom others tell.
    pub(super) fn keep_company(&mut self, now: Time, out: &mut impl Outbox) {
        for prefix in self.introducer.take(now) {
            self.say(now, prefix, out);
        }
        let timestamp = self.config.timestamp(now);
        for prefix in self.hearsay.calls(now) {
            self.announcer.announce(timestamp, detector(prefix), out);
        }
    }

    /// Tells the neighbours of a participant, or that we know it no longer.
    fn say(&mut self, now: Time, prefix: GuidPrefix, out: &mut impl Outbox) {
        let own = self.config.prefix;
        let key = GossipedParticipant::key(prefix, own);
        let peer = self.peers.get(&prefix);
        let peer = peer.filter(|peer| peer.can_be_called());
        let (kind, payload) = match peer {
            Some(_) if !self.introducer.admits(prefix) => return,
            Some(peer) => {
                let introduction = GossipedParticipant {
                    prefix,
                    teller: own,
                    locators: peer.data.metatraffic_unicast.clone(),
                };
                (ChangeKind::Alive, introduction.encode())
            }
            None if self.introducer.dismiss(now, prefix) => {
                (ChangeKind::DisposedUnregistered, endpoint_key(key))
            }
            None => return,
        };
        let change = Change {
            kind,
            instance: InstanceHandle(key.to_bytes()),
            timestamp: self.config.timestamp(now),
            payload: payload.into(),
        };
        self.topics
            .write(EntityId::INTRODUCTIONS_WRITER, now, &change, out);
    }

    /// What neighbours say.
    pub(super) fn take_introductions(
        &mut self,
        now: Time,
        samples: Vec<Sample>,
        _: &mut Vec<Event>,
    ) {
        for sample in samples {
            let teller = sample.info.publication.prefix;
            let key = Guid::from_bytes(sample.info.instance.0);
            if !sample.info.valid_data {
                self.hearsay.withdraw(teller, key.prefix);
                if let Some(peer) = self.peers.get_mut(&teller) {
                    peer.words = peer.words.saturating_sub(1);
                }
                continue;
            }
            match GossipedParticipant::parse(sample.builtin_payload(), teller) {
                Ok(said) if said.prefix == self.config.prefix => {}
                Ok(said) if said.prefix == key.prefix => {
                    let known = self.peers.contains_key(&said.prefix);
                    self.hearsay.hear(now, said, known);
                    let new = sample.info.view_state == ViewState::New;
                    self.count_words(now, teller, usize::from(new));
                }
                _ => {
                    self.heard.malformed += 1;
                    let weight = self.config.limits.participants / MOST_NONSENSE;
                    self.count_words(now, teller, weight.max(1));
                }
            }
        }
    }

    /// Who tells of more participants than there may be is listened to no more: the reader below
    /// remembers each.
    fn count_words(&mut self, now: Time, teller: GuidPrefix, words: usize) {
        let most = self.config.limits.participants;
        let Some(peer) = self.peers.get_mut(&teller) else {
            return;
        };
        peer.words = peer.words.saturating_add(words);
        if peer.words > most {
            if let Some(topic) = self.topics.get_mut(EntityId::INTRODUCTIONS_WRITER) {
                topic.ignore(now, teller);
            }
            self.hearsay.forget(teller);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_told_of_more_than_anybody_remembers() {
        let prefix = |n: usize| {
            let mut bytes = [0; 12];
            bytes[4..].copy_from_slice(&n.to_be_bytes());
            GuidPrefix(bytes)
        };
        let mut sender = GossipSender {
            active: true,
            ..GossipSender::default()
        };
        assert!((0..MOST).all(|n| sender.admits(prefix(n))));
        assert!(!sender.admits(prefix(MOST)) && !sender.admits(prefix(MOST + 1)));
        assert!(sender.admits(prefix(7)), "it may have moved");
        assert!(!sender.dismiss(Time(0), prefix(MOST)), "nobody knows it");
        assert!(sender.dismiss(Time(0), prefix(3)));
        assert_eq!(sender.take(Time(0)), [prefix(MOST + 1)]);
        assert!(sender.admits(prefix(MOST + 1)) && !sender.admits(prefix(MOST + 2)));
    }
}
