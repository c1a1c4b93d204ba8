//! How a participant shows that it is where it says.
//!
//! Plain RTPS has no field that a receiver gives back unchanged, but for sequence numbers: who gets
//! a HEARTBEAT acknowledges up to the first number in it, or further (RTPS 2.5 8.4.12.2). So each
//! participant sees the numbers of our built-in writers moved by one of its own. It learns them
//! from what is sent to its address, and its first ACKNACK with them shows that this arrived.
//! Whoever only knows our name, and forges a source address, does not know them.
//!
//! By how much they are moved depends on a secret of ours, on the participant's name, and on where
//! what is sent to it goes. So one that we have forgotten, and that has not forgotten us, finds the
//! numbers that it knows, and what somebody learns at one address is of no use at another. Should
//! it have moved meanwhile, the numbers are others. A reader takes higher ones at once, and
//! Dunlin's lower ones too; from one that keeps to what it had the numbers go on.
use super::keyed_hash::Secret;
use super::registry::BUILTIN_TOPICS;
use super::{Discovery, Event, Source};
use crate::{Outbox, Time, To};
use alloc::vec::Vec;
use bytes::Bytes;
use dunlin_qos::Duration;
use dunlin_wire::{
    AckNack, Data, DataFrag, Gap, GuidPrefix, Heartbeat, HeartbeatFrag, Locator, NackFrag,
    ParticipantData, SequenceNumber, SequenceNumberSet, Submessage, VendorId,
};

/// The numbers are moved by so much at least, and at most. Products that read but 32 bits of them
/// are content.
const LEAST: i64 = 1 << 16;
const MOST: i64 = 1 << 30;
/// Bytes of an ACKNACK that asks for nothing, and of a HEARTBEAT.
const ANSWER_SIZE: usize = 28;
const QUESTION_SIZE: usize = 32;
/// A stranger that answers with wrong numbers is not asked again sooner: Dunlin's readers want to
/// hear numbers far from theirs several times, with such pauses.
const ASK_AGAIN: Duration = Duration::from_millis(50);
/// Numbers beyond this are nobody's, and are not gone on from.
const FURTHEST: i64 = i64::MAX / 2;

/// By how much the numbers of our built-in writers are moved for a participant.
pub(super) fn shift(secret: &Secret, peer: &ParticipantData, by_connection: bool) -> i64 {
    let places: Vec<u8> = peer.metatraffic_unicast.iter().flat_map(bytes_of).collect();
    let way = [u8::from(by_connection)];
    in_range(secret.hash([&peer.guid.prefix.0[..], &places[..], &way]))
}

fn bytes_of(place: &Locator) -> impl Iterator<Item = u8> {
    let (kind, port) = (place.kind.to_le_bytes(), place.port.to_le_bytes());
    kind.into_iter().chain(port).chain(place.address)
}

fn in_range(hash: u64) -> i64 {
    let range = (MOST - LEAST).unsigned_abs();
    LEAST.saturating_add_unsigned(hash % range)
}

/// True if a participant acknowledges anything of what it is told.
fn can_acknowledge(peer: &ParticipantData) -> bool {
    let has = peer.builtin_endpoints;
    let mut topics = BUILTIN_TOPICS.iter();
    topics.any(|entry| entry.has_reader(has) && entry.is_reliable_to(peer))
}

/// True if a participant may say that it has endpoints, so that samples are sent to it.
fn can_announce(peer: &ParticipantData) -> bool {
    let has = peer.builtin_endpoints;
    let mut topics = BUILTIN_TOPICS.iter();
    topics.any(|entry| entry.describes_endpoints && entry.has_writer(has))
}

impl Discovery {
    /// A participant is believed only once it has repeated a number that was sent to its address.
    /// One that neither acknowledges nor announces anything cannot, and is sent next to nothing.
    pub(super) fn must_prove(&self, prefix: GuidPrefix) -> bool {
        let peer = self.peers.get(&prefix).filter(|peer| peer.shift > 0);
        peer.is_some_and(|peer| can_acknowledge(&peer.data) || can_announce(&peer.data))
    }

    /// True if a message of a stranger shows that what was sent to its address arrived there. What
    /// was sent by a connection shows nothing of an address from which datagrams come.
    pub(super) fn proves(&mut self, source: &Source, message: &Submessage<'_>) -> bool {
        if !self.must_prove(source.prefix) {
            return true;
        }
        let peer = self.peers.get_mut(&source.prefix);
        let (Submessage::AckNack(answer), Some(peer)) = (message, peer) else {
            return false;
        };
        let Some(topic) = self.topics.get_mut(answer.writer) else {
            return false;
        };
        let by_connection = source.is_by_connection();
        let current = (by_connection || !peer.by_connection).then_some(peer.shift);
        // It may have announced itself by datagrams too, and have been asked by these later.
        let secret = self.config.secret.filter(|_| by_connection);
        let other = secret.map(|secret| shift(&secret, &peer.data, true));
        let base = answer.state.base().0;
        let is_right = |shift: &i64| (1..=topic.end()).contains(&base.saturating_sub(*shift));
        let right = current.into_iter().chain(other).find(is_right);
        peer.shift = right.unwrap_or(peer.shift);
        right.is_some()
    }

    /// A stranger announces itself again, by a connection or not: it is asked in the same way, with
    /// the numbers that belong to that.
    pub(super) fn follow_way(&mut self, source: &Source, events: &mut Vec<Event>) {
        let prefix = source.prefix;
        let by_connection = source.is_by_connection();
        let peer = self.peers.get_mut(&prefix);
        if let Some(peer) = peer.filter(|peer| peer.by_connection != by_connection)
            && let Some(secret) = &self.config.secret
        {
            (peer.by_connection, peer.source) = (by_connection, source.from);
            peer.shift = shift(secret, &peer.data, by_connection);
            events.push(Event::ParticipantChanged { prefix });
        }
    }

    /// A stranger said something that shows nothing. If it asks whether we are where we say, it
    /// gets the number that it asked with. If it answers with other numbers than it was sent, it
    /// knows us already, or from before, and is asked again. All this as far as its credit goes.
    pub(super) fn prove(
        &mut self,
        now: Time,
        source: &Source,
        message: &Submessage<'_>,
        out: &mut impl Outbox,
    ) {
        let Some(peer) = self.peers.get_mut(&source.prefix) else {
            return;
        };
        if peer.shift == 0 {
            return;
        }
        match message {
            Submessage::Heartbeat(question) if !question.is_final => {
                peer.earn(message.encoded_len());
                if let Some(topic) = self.topics.get_mut(question.writer)
                    && peer.pay(ANSWER_SIZE)
                {
                    topic.prove(source.prefix, question.first, out);
                }
            }
            Submessage::AckNack(answer) => {
                peer.earn(message.encoded_len());
                self.ask_with_other_numbers(now, source.prefix, answer, out);
            }
            _ => {}
        }
    }

    /// A reader that takes lower numbers than it had for repetitions answers with what it had:
    /// from now on the numbers are higher than that. No product is known to forget the numbers of
    /// one topic and not those of another.
    fn ask_with_other_numbers(
        &mut self,
        now: Time,
        prefix: GuidPrefix,
        answer: &AckNack,
        out: &mut impl Outbox,
    ) {
        let base = answer.state.base().0;
        let end = self.topics.iter().map(|topic| topic.end()).max();
        let end = end.unwrap_or(1);
        let Some(peer) = self.peers.get_mut(&prefix) else {
            return;
        };
        let waits = !answer.is_final || base > 1;
        if !waits || base >= FURTHEST || now < peer.ask_again || !peer.pay(QUESTION_SIZE) {
            return;
        }
        peer.ask_again = now.after(ASK_AGAIN);
        let keeps = peer.data.vendor != VendorId::DUNLIN;
        if let Some(secret) = self.config.secret.filter(|_| keeps)
            && base > peer.shift.saturating_add(end)
        {
            let hash = secret.hash([&prefix.0[..], &base.to_le_bytes()]);
            peer.shift = base.saturating_add(end).saturating_add(in_range(hash));
        }
        let shift = peer.shift;
        if let Some(topic) = self.topics.get_mut(answer.writer) {
            topic.ask_stranger(prefix, shift, out);
        }
    }
}

/// Moves the numbers of what our writer says to one participant.
pub(super) struct Shifted<'a, O> {
    pub(super) by: i64,
    pub(super) out: &'a mut O,
}

impl<O: Outbox> Outbox for Shifted<'_, O> {
    fn push(&mut self, to: To, message: Submessage<'_>, payload: &Bytes) {
        self.out.push(to, shifted(message, self.by), payload);
    }
}

/// As a participant sees what our writer says.
pub(super) fn shifted(message: Submessage<'_>, by: i64) -> Submessage<'_> {
    let up = |number: SequenceNumber| SequenceNumber(number.0.saturating_add(by));
    match message {
        _ if by == 0 => message,
        Submessage::Data(data) => Submessage::Data(Data {
            sequence: up(data.sequence),
            ..data
        }),
        Submessage::DataFrag(frag) => Submessage::DataFrag(DataFrag {
            sequence: up(frag.sequence),
            ..frag
        }),
        Submessage::Heartbeat(heartbeat) => Submessage::Heartbeat(Heartbeat {
            first: up(heartbeat.first),
            last: up(heartbeat.last),
            ..heartbeat
        }),
        Submessage::HeartbeatFrag(heartbeat) => Submessage::HeartbeatFrag(HeartbeatFrag {
            sequence: up(heartbeat.sequence),
            ..heartbeat
        }),
        Submessage::Gap(gap) => Submessage::Gap(Gap {
            // From the first number on means all that there ever was.
            start: match gap.start {
                SequenceNumber::FIRST => gap.start,
                start => up(start),
            },
            list: moved(&gap.list, by),
            ..gap
        }),
        other => other,
    }
}

/// As our writer sees what a participant's reader answers; `None` if it is about nothing that was
/// ever said.
pub(super) fn unshifted<'a>(message: &Submessage<'a>, by: i64) -> Option<Submessage<'a>> {
    match message {
        _ if by == 0 => Some(message.clone()),
        Submessage::AckNack(answer) => Some(Submessage::AckNack(AckNack {
            state: moved(&answer.state, by.saturating_neg()),
            ..*answer
        })),
        Submessage::NackFrag(answer) => {
            let sequence = answer.sequence.0.saturating_sub(by);
            (sequence >= 1).then_some(Submessage::NackFrag(NackFrag {
                sequence: SequenceNumber(sequence),
                ..*answer
            }))
        }
        other => Some(other.clone()),
    }
}

/// The set with its numbers moved, without those that would be none. A base that would be none is
/// the first number: whoever says so has nothing.
fn moved(set: &SequenceNumberSet, by: i64) -> SequenceNumberSet {
    let base = set.base().0.saturating_add(by).max(1);
    let mut all = SequenceNumberSet::new(SequenceNumber(base));
    for number in set.iter().map(|number| number.0.saturating_add(by)) {
        if number >= base {
            all.insert(SequenceNumber(number));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn shifts_are_neither_small_nor_large() {
        for hash in [0, 1, 77, u64::MAX / 3, u64::MAX] {
            assert!((LEAST..MOST).contains(&in_range(hash)), "{hash}");
        }
    }

    #[test]
    fn shifts_stay_the_same_and_are_others_at_another_place() {
        let secret = Secret::new([7; 16]);
        let mut peer = ParticipantData::new(GuidPrefix([1; 12]));
        let place = Locator::udp_v4([10, 0, 0, 1].into(), 7410);
        peer.metatraffic_unicast = alloc::vec![place];
        let here = shift(&secret, &peer, false);
        peer.entity_name = "another name".into();
        assert_eq!(shift(&secret, &peer, false), here);
        assert_ne!(shift(&secret, &peer, true), here, "by a connection");
        assert_ne!(shift(&Secret::new([8; 16]), &peer, false), here);
        peer.metatraffic_unicast[0].port += 1;
        assert_ne!(shift(&secret, &peer, false), here);
    }

    #[test]
    fn what_is_moved_there_and_back_is_the_same() {
        let mut set = SequenceNumberSet::new(SequenceNumber(5));
        for number in [5, 9, 200] {
            set.insert(SequenceNumber(number));
        }
        let there = moved(&set, 1000);
        assert_eq!(there.base(), SequenceNumber(1005));
        assert_eq!(moved(&there, -1000), set);
    }

    #[test]
    fn who_has_nothing_has_nothing_of_what_was_moved() {
        let nothing = SequenceNumberSet::new(SequenceNumber::FIRST);
        assert_eq!(moved(&nothing, -1000), nothing);
        let mut half = SequenceNumberSet::new(SequenceNumber(990));
        half.insert(SequenceNumber(999));
        half.insert(SequenceNumber(1002));
        let seen: Vec<_> = moved(&half, -1000).iter().map(|n| n.0).collect();
        assert_eq!(seen, [2]);
    }
}
