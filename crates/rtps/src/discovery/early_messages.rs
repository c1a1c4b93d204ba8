//! What a stranger says before it has shown where it is.
//!
//! Other products say what they have as soon as they have met us, which is before we believe them,
//! and say it again only after a second or more. So this is kept, and taken in when the stranger is
//! believed. Nothing is known by it meanwhile.
use super::registry::{Handler, topic_of};
use super::unverified_participants::UnverifiedParticipants;
use super::{Discovery, Event, Source};
use crate::{Outbox, Time};
use alloc::vec::Vec;
use dunlin_qos::Duration;
use dunlin_wire::{GuidPrefix, Header, Heartbeat, Message, Submessage, Timestamp, VendorId};

/// Bytes that are kept of one stranger: what some thirty endpoints take.
const MOST: usize = 16 << 10;
/// After a silence of so long what a stranger said before is of no account: it may have ended and
/// be back under its name with other endpoints, which have the same numbers. Who lives says what it
/// has more often.
const SILENCE: Duration = Duration::from_secs(5);
/// Bytes of a message's header.
const HEADER: usize = 20;

/// What one stranger said.
#[derive(Debug, Default)]
pub(super) struct EarlyMessages {
    /// A message with its samples and gaps, in the order in which they came.
    message: Vec<u8>,
    /// The last HEARTBEAT of each writer. They come last: what they name is there then, and need
    /// not be asked for.
    heartbeats: Vec<Heartbeat>,
    /// When it said something last.
    last: Time,
    /// What it takes among all strangers.
    bytes: usize,
}

impl EarlyMessages {
    /// Keeps a submessage of a built-in topic, if there is room; `age` is the stranger's number.
    fn keep(
        &mut self,
        now: Time,
        (prefix, age): (GuidPrefix, u64),
        timestamp: Option<Timestamp>,
        message: &Submessage<'_>,
        strangers: &mut UnverifiedParticipants,
    ) {
        if self.is_stale(now) {
            strangers.give_back(age, self.bytes);
            *self = Self::default();
        }
        self.last = now;
        if let Submessage::Heartbeat(heartbeat) = message {
            let mut known = self.heartbeats.iter_mut();
            match known.find(|known| known.writer == heartbeat.writer) {
                Some(known) => *known = *heartbeat,
                None if strangers.keeps(age, size_of::<Heartbeat>()) => {
                    self.heartbeats.push(*heartbeat);
                    self.bytes += size_of::<Heartbeat>();
                }
                None => {}
            }
            return;
        }
        if !matches!(
            message,
            Submessage::Data(_) | Submessage::DataFrag(_) | Submessage::Gap(_)
        ) {
            return;
        }
        let stamp = Submessage::InfoTimestamp(timestamp);
        let size = stamp.encoded_len().saturating_add(message.encoded_len());
        let fits = self.message.len().max(HEADER).saturating_add(size) <= MOST;
        if !fits || !strangers.keeps(age, size) {
            return;
        }
        self.bytes += size;
        if self.message.is_empty() {
            Header::new(prefix).encode(&mut self.message);
        }
        stamp.encode(&mut self.message);
        message.encode(&mut self.message);
    }

    fn is_stale(&self, now: Time) -> bool {
        now.since(self.last) > SILENCE
    }
}

impl Discovery {
    /// Keeps what a stranger says of its endpoints until it is believed.
    pub(super) fn keep_early(
        &mut self,
        now: Time,
        prefix: GuidPrefix,
        timestamp: Option<Timestamp>,
        message: &Submessage<'_>,
    ) {
        let handler = topic_of(message).map(|topic| topic.handler);
        if matches!(handler, Some(Handler::Endpoints { .. }))
            && self.must_prove(prefix)
            && let Some(peer) = self.peers.get_mut(&prefix).filter(|peer| !peer.verified)
        {
            let who = (prefix, peer.age());
            let early = &mut peer.early;
            early.keep(now, who, timestamp, message, &mut self.strangers);
        }
    }

    /// A stranger is believed: what it has said is taken in as if it came now.
    pub(super) fn take_in_early(
        &mut self,
        now: Time,
        source: &Source,
        out: &mut impl Outbox,
        events: &mut Vec<Event>,
    ) {
        let Some(peer) = self.peers.get_mut(&source.prefix) else {
            return;
        };
        let early = core::mem::take(&mut peer.early);
        // Dunlin tells all that it has once it believes us. Before that it asks by a HEARTBEAT, and
        // to ask for what that names would only make it say the same twice.
        let only_asked = peer.data.vendor == VendorId::DUNLIN && early.message.is_empty();
        if early.is_stale(now) || only_asked {
            return;
        }
        let message = Message::parse(&early.message).into_iter().flatten();
        let mut timestamp = None;
        for submessage in message.map_while(Result::ok) {
            match submessage {
                Submessage::InfoTimestamp(stamp) => timestamp = stamp,
                other => self.handle(now, source, timestamp, &other, out, events),
            }
        }
        for heartbeat in early.heartbeats {
            let heartbeat = Submessage::Heartbeat(heartbeat);
            self.handle(now, source, None, &heartbeat, out, events);
        }
    }
}

#[cfg(test)]
#[path = "../../tests/discovery/messages.rs"]
mod messages;

#[cfg(test)]
mod tests {
    use super::messages::{described, has};
    use super::*;
    use alloc::vec;
    use dunlin_wire::EntityId;

    #[test]
    fn each_stranger_has_its_share_and_all_together_have_half() {
        let mut strangers = UnverifiedParticipants::default();
        let payload = vec![7; 1000];
        let mut kept = Vec::new();
        for n in 0..1000 {
            let prefix = GuidPrefix([n as u8; 12]);
            let age = strangers.add(prefix, 100);
            let mut early = EarlyMessages::default();
            for number in 0..100 {
                let message = described(number, &payload);
                early.keep(Time(0), (prefix, age), None, &message, &mut strangers);
            }
            kept.push((age, early));
        }
        assert!(kept.iter().all(|(_, early)| early.message.len() <= MOST));
        let all: usize = kept.iter().map(|(_, early)| early.message.len()).sum();
        assert!((1 << 20..=2 << 20).contains(&all), "{all}");
        assert!(strangers.has_room(1 << 20), "announcements find room");
        kept.iter().for_each(|(age, _)| strangers.remove(*age));
        assert!(strangers.has_room(4 << 20), "all is given back");
    }

    #[test]
    fn of_heartbeats_the_last_of_each_writer_is_kept() {
        let mut strangers = UnverifiedParticipants::default();
        let who = (GuidPrefix::UNKNOWN, strangers.add(GuidPrefix::UNKNOWN, 1));
        let mut early = EarlyMessages::default();
        for last in 0..1000 {
            for writer in [
                EntityId::SEDP_PUBLICATIONS_WRITER,
                EntityId::SEDP_SUBSCRIPTIONS_WRITER,
            ] {
                early.keep(Time(0), who, None, &has(writer, last), &mut strangers);
            }
        }
        let lasts: Vec<_> = early.heartbeats.iter().map(|h| h.last.0).collect();
        assert_eq!(lasts, [999, 999]);
        assert!(early.message.is_empty());
    }

    #[test]
    fn what_was_said_before_a_long_silence_is_forgotten_and_its_room_given_back() {
        let mut strangers = UnverifiedParticipants::default();
        let who = (GuidPrefix::UNKNOWN, strangers.add(GuidPrefix::UNKNOWN, 1));
        let mut early = EarlyMessages::default();
        let payload = vec![7; 1000];
        let mut lengths = Vec::new();
        for second in 0..1000 {
            // Each eighth is late.
            let now = Time::default().after(Duration::from_secs(second + second / 8 * 10));
            let message = described(second.into(), &payload);
            early.keep(now, who, None, &message, &mut strangers);
            let heartbeat = has(EntityId::SEDP_PUBLICATIONS_WRITER, second.into());
            early.keep(now, who, None, &heartbeat, &mut strangers);
            lengths.push(early.message.len() / 1000);
        }
        assert!(
            lengths.chunks(8).all(|all| all == [1, 2, 3, 4, 5, 6, 7, 8]),
            "{lengths:?}"
        );
        strangers.give_back(who.1, early.bytes);
        assert!(
            strangers.has_room((4 << 20) - 1),
            "all but its announcement"
        );
    }
}
