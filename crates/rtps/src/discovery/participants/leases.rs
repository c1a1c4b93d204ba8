//! How long participants that are silent are taken to be there.
use super::super::builtin::BuiltinTopic;
use super::super::registry::BUILTIN_TOPICS;
use super::super::{Discovery, Event, LossReason};
use super::{DOUBT, GRACE, MIN_LEASE, MOST_IDLE, PROBES_PER_LEASE, Peer, SILENCE_PROBE};
use crate::{Outbox, Time};
use alloc::vec::Vec;
use dunlin_qos::Duration;
use dunlin_wire::{BuiltinEndpoints, EntityId, GuidPrefix, SequenceNumber, VendorId};

/// A lease is not renewed more often than this.
const OFTEN: Duration = Duration::from_millis(1);
/// One that was silent for so long speaks again: nothing that was put off waits any longer.
const SPEAKS: Duration = Duration::from_secs(1);
/// Beyond the lease that counts, the pauses between two questions are a sixteenth of the silence ...
const PAUSE_OF_SILENCE: i64 = 16;
/// ... and no longer than this.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// Of the announcements to a silent participant alone each 16th is sent, and the first four, the
/// eighth.
const UNHEARD: (u32, u32) = (16, 4);
/// Whoever hears groups is told alone of each so many announcements: it may have forgotten us and
/// hear us there no more, while we hear it.
const REMINDED: u64 = 10;

impl Peer {
    /// It is silent for so long that it may not be there any more.
    pub(super) fn trust(&self) -> Duration {
        let (part, whole) = DOUBT;
        let lease = self.lease().min(MOST_IDLE);
        Duration::from_nanos(lease.as_nanos() / whole * part)
    }

    /// It is one of Dunlin's, and gives groups where it listens.
    fn listens_to_groups(&self) -> bool {
        self.data.vendor == VendorId::DUNLIN && !self.data.metatraffic_multicast.is_empty()
    }

    /// What we announce to groups is taken to reach it: it listens to some, and its own
    /// announcements come by one. If that is wrong, Dunlin asks whoever seems silent; of other
    /// products we do not know.
    fn hears_groups(&self, now: Time) -> bool {
        let lately = |at: Time| now.since(at) <= self.trust();
        self.listens_to_groups() && self.by_multicast.is_some_and(lately)
    }

    /// Our announcement is due for it alone, as it is for all that do not hear it from groups. The
    /// others get one of those that follow each other in their regular period, not all of them the
    /// same. One that knows what we announce, and listens to groups, gets none of the first, quick
    /// ones, nor any soon after we met: they are for those who may not know us. One that keeps
    /// silent gets fewer and fewer.
    pub(in crate::discovery) fn is_to_be_told(
        &mut self,
        now: Time,
        announcement: SequenceNumber,
        regular: Option<u64>,
    ) -> bool {
        let knows = core::mem::replace(&mut self.told, announcement) == announcement;
        // Its own announcement need not have come by a group yet.
        let is_new = regular.is_none() || now.since(self.met) <= self.trust();
        if knows && is_new && self.listens_to_groups() {
            return false;
        }
        let reminds = |nth: u64| nth.wrapping_add(self.age).is_multiple_of(REMINDED);
        if self.hears_groups(now) && !regular.is_some_and(reminds) {
            return false;
        }
        self.unheard = self.unheard.saturating_add(1);
        let (every, some) = UNHEARD;
        self.unheard <= some || self.unheard.is_power_of_two() || self.unheard.is_multiple_of(every)
    }

    /// Its lease, as far as it counts for one that may be matched with nothing.
    fn counted_lease(&self, most: Duration) -> Duration {
        self.lease().min(most.max(MIN_LEASE))
    }

    /// How long to wait before a silent participant is asked again. One that is silent for longer
    /// than anybody's lease counts is asked less and less often.
    fn probe_pause(&self, now: Time, most: Duration) -> Duration {
        let lease = self.counted_lease(most);
        let silence = now.since(self.heard);
        match silence > lease {
            true => Duration::from_nanos(silence.as_nanos() / PAUSE_OF_SILENCE).min(LONGEST_PAUSE),
            false => Duration::from_nanos(lease.as_nanos() / PROBES_PER_LEASE),
        }
    }
}

impl Discovery {
    /// Forgets a participant and all that came from it.
    pub(in crate::discovery) fn lose(
        &mut self,
        now: Time,
        prefix: GuidPrefix,
        reason: LossReason,
        events: &mut Vec<Event>,
    ) {
        let Some(peer) = self.peers.remove(&prefix) else {
            return;
        };
        self.leases.remove(&prefix);
        self.doubts.remove(&prefix);
        self.parting.remove(&prefix);
        if !matches!(reason, LossReason::Goodbye | LossReason::Ended) {
            self.hearsay.lose(now, prefix);
        }
        let lost = Event::ParticipantLost { prefix, reason };
        if !peer.verified {
            self.strangers.remove(peer.age);
            return events.push(lost);
        }
        self.watch.remove_all(prefix);
        self.catalog.remove_home(prefix, reason, events);
        for topic in self.topics.iter_mut() {
            topic.forget(now, prefix);
        }
        self.services.forget(now, prefix);
        self.type_lookup.forget_peer(prefix);
        self.part_company(now, prefix);
        events.push(lost);
    }

    /// Something beside an announcement came from a participant, such as a sample, and it lives;
    /// false if it is unknown. Built-in messages say so by themselves; the caller may add others,
    /// say once per second.
    pub fn heard_from(&mut self, now: Time, prefix: GuidPrefix) -> bool {
        let Some(peer) = self.peers.get_mut(&prefix).filter(|p| p.verified) else {
            return false;
        };
        if peer.silent_until.take().is_some() {
            self.parting.remove(&prefix);
        }
        // Much comes at once.
        if now.since(peer.heard) >= OFTEN || peer.unheard != 0 {
            self.renew(now, prefix);
        }
        true
    }

    /// A participant has answered a writer of ours.
    pub(in crate::discovery) fn note_acknowledgement(&mut self, prefix: GuidPrefix) {
        if let Some(peer) = self.peers.get_mut(&prefix) {
            peer.acknowledges = true;
        }
    }

    pub(super) fn renew(&mut self, now: Time, prefix: GuidPrefix) {
        let most = self.config.limits.unmatched_lease;
        if let Some(peer) = self.peers.get_mut(&prefix) {
            let was_silent = now.since(peer.heard) > SPEAKS;
            peer.stays();
            (peer.heard, peer.unheard) = (now, 0);
            let lease = peer.counted_lease(most);
            self.leases.set(prefix, now.after(lease));
            if !peer.verified {
                return;
            }
            let (part, whole) = DOUBT;
            let trust = Duration::from_nanos(lease.as_nanos() / whole * part);
            self.doubts.set(prefix, now.after(trust));
            if was_silent {
                let topics = self.topics.iter_mut();
                topics.for_each(|topic| topic.heard_from(prefix));
            }
        }
    }

    /// Nobody is given up because we stood still: whoever lives shows it soon.
    pub(in crate::discovery) fn put_leases_off(&mut self, now: Time) {
        let most = self.config.limits.unmatched_lease;
        for (prefix, peer) in self.peers.iter_mut().filter(|(_, peer)| peer.verified) {
            peer.stays();
            let grace = Duration::from_nanos(peer.counted_lease(most).as_nanos() / GRACE);
            self.leases.put_off(*prefix, now.after(grace));
        }
    }

    /// Calls strangers again, asks those that are silent for long whether they live, and gives up
    /// those that are for too long.
    pub(in crate::discovery) fn check_leases(
        &mut self,
        now: Time,
        out: &mut impl Outbox,
        events: &mut Vec<Event>,
    ) {
        for prefix in self.leases.expired(now) {
            match self.lease_of_matched(now, prefix) {
                Some(until) => self.leases.set(prefix, until),
                None => self.lose(now, prefix, LossReason::LeaseExpired, events),
            }
        }
        for prefix in self.parting.expired(now) {
            let until = self.peers.get(&prefix).and_then(|p| p.silent_until);
            if until.is_some_and(|until| now < until) {
                self.parting.set(prefix, now.after(SILENCE_PROBE));
                self.probe(now, prefix, out);
            } else {
                self.part(now, prefix, LossReason::Silent, events);
            }
        }
        for prefix in self.doubts.expired(now) {
            self.call(now, prefix, out);
            let most = self.config.limits.unmatched_lease;
            if let Some(peer) = self.peers.get_mut(&prefix).filter(|peer| peer.verified) {
                let moves = peer.pause_of_move(now);
                let pause = moves.unwrap_or_else(|| peer.probe_pause(now, most));
                self.doubts.set(prefix, now.after(pause));
                self.probe(now, prefix, out);
            }
        }
    }

    /// A participant is silent for as long as one may be that is matched with nothing: when to look
    /// again, if it is matched, and its own lease is longer.
    fn lease_of_matched(&self, now: Time, prefix: GuidPrefix) -> Option<Time> {
        let peer = self.peers.get(&prefix).filter(|peer| peer.verified)?;
        let until = peer.heard.after(peer.lease());
        let keeps = until > now && self.catalog.is_matched_with(prefix);
        let again = now.after(peer.counted_lease(self.config.limits.unmatched_lease));
        keeps.then_some(until.min(again))
    }

    /// Asks a participant that we know whether it lives.
    pub(super) fn probe(&mut self, now: Time, prefix: GuidPrefix, out: &mut impl Outbox) {
        if let Some(topic) = self.answering(prefix) {
            topic.probe(now, prefix, out);
        }
    }

    /// The topic by which a participant is asked for an answer: one with a reliable reader, which
    /// has to answer a heartbeat (RTPS 2.5 8.4.2.3.2). There is no such duty for its writers.
    /// One without such a reader is asked by a topic of endpoints.
    pub(super) fn answering(&mut self, prefix: GuidPrefix) -> Option<&mut BuiltinTopic> {
        let data = &self.peers.get(&prefix)?.data;
        let has = data.builtin_endpoints;
        let dutiful = BUILTIN_TOPICS
            .iter()
            .find(|entry| entry.has_reader(has) && entry.is_reliable_to(data));
        let writer = match dutiful {
            Some(entry) => entry.writer,
            None if has.contains(BuiltinEndpoints::SUBSCRIPTIONS_ANNOUNCER) => {
                EntityId::SEDP_SUBSCRIPTIONS_WRITER
            }
            None => EntityId::SEDP_PUBLICATIONS_WRITER,
        };
        self.topics.get_mut(writer)
    }
}
