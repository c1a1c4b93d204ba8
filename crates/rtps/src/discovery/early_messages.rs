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
use dunlin_wire::{GuidPrefix, Header, Heartbeat, Message, Submessage, Timestamp};

/// Bytes that are kept of one stranger: what some thirty endpoints take.
const MOST: usize = 16 << 10;
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
}

impl EarlyMessages {
    /// Keeps a submessage of a built-in topic, if there is room; `age` is the stranger's number.
    fn keep(
        &mut self,
        (prefix, age): (GuidPrefix, u64),
        timestamp: Option<Timestamp>,
        message: &Submessage<'_>,
        strangers: &mut UnverifiedParticipants,
    ) {
        if let Submessage::Heartbeat(heartbeat) = message {
            let mut known = self.heartbeats.iter_mut();
            match known.find(|known| known.writer == heartbeat.writer) {
                Some(known) => *known = *heartbeat,
                None if strangers.keeps(age, size_of::<Heartbeat>()) => {
                    self.heartbeats.push(*heartbeat);
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
        if self.message.is_empty() {
            Header::new(prefix).encode(&mut self.message);
        }
        stamp.encode(&mut self.message);
        message.encode(&mut self.message);
    }
}

impl Discovery {
    /// Keeps what a stranger says of its endpoints until it is believed.
    pub(super) fn keep_early(
        &mut self,
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
            early.keep(who, timestamp, message, &mut self.strangers);
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
        let peer = self.peers.get_mut(&source.prefix);
        let Some(early) = peer.map(|peer| core::mem::take(&mut peer.early)) else {
            return;
        };
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
                early.keep((prefix, age), None, &message, &mut strangers);
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
                early.keep(who, None, &has(writer, last), &mut strangers);
            }
        }
        let lasts: Vec<_> = early.heartbeats.iter().map(|h| h.last.0).collect();
        assert_eq!(lasts, [999, 999]);
        assert!(early.message.is_empty());
    }
}
