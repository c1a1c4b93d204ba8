//! How a participant shows that it is where it says.
//!
//! Plain RTPS has no field that a receiver gives back unchanged, but for sequence numbers: who gets
//! a HEARTBEAT acknowledges up to the first number in it, or further (RTPS 2.5 8.4.12.2). So each
//! participant sees the numbers of our built-in writers moved by a random one of its own. It learns
//! them from what is sent to its address, and its first ACKNACK with them shows that this arrived.
//! Whoever only knows our name, and forges a source address, does not know them.
use super::registry::BUILTIN_TOPICS;
use super::{Discovery, Source};
use crate::{Outbox, To};
use bytes::Bytes;
use dunlin_wire::{
    AckNack, Data, DataFrag, Gap, GuidPrefix, Heartbeat, HeartbeatFrag, NackFrag, ParticipantData,
    SequenceNumber, SequenceNumberSet, Submessage,
};

/// The numbers are moved by so much at least, and at most. Products that read but 32 bits of them
/// are content.
const LEAST: i64 = 1 << 16;
const MOST: i64 = 1 << 30;
/// Bytes of an ACKNACK that asks for nothing.
const ANSWER_SIZE: usize = 28;

/// What random bits say by how much the numbers of one participant are moved.
pub(super) fn shift(random: u64) -> i64 {
    let range = (MOST - LEAST).unsigned_abs();
    LEAST.saturating_add_unsigned(random % range)
}

/// True if a participant acknowledges anything of what it is told.
fn can_acknowledge(peer: &ParticipantData) -> bool {
    let has = peer.builtin_endpoints;
    let mut topics = BUILTIN_TOPICS.iter();
    topics.any(|entry| entry.has_reader(has) && entry.is_reliable_to(peer))
}

impl Discovery {
    /// A participant is believed only once it has repeated a number that was sent to its address.
    /// One that acknowledges nothing cannot, and is sent next to nothing.
    pub(super) fn must_prove(&self, prefix: GuidPrefix) -> bool {
        let peer = self.peers.get(&prefix);
        peer.is_some_and(|peer| peer.shift > 0 && can_acknowledge(&peer.data))
    }

    /// True if a message of a stranger shows that what was sent to its address arrived there.
    pub(super) fn proves(&mut self, prefix: GuidPrefix, message: &Submessage<'_>) -> bool {
        if !self.must_prove(prefix) {
            return true;
        }
        let (Submessage::AckNack(answer), Some(peer)) = (message, self.peers.get(&prefix)) else {
            return false;
        };
        let base = answer.state.base().0.saturating_sub(peer.shift);
        let topic = self.topics.get_mut(answer.writer);
        topic.is_some_and(|topic| (1..=topic.end()).contains(&base))
    }

    /// A stranger asks whether we are where we say, and gets the number that it asked with, as far
    /// as its credit goes.
    pub(super) fn prove(
        &mut self,
        source: &Source,
        message: &Submessage<'_>,
        out: &mut impl Outbox,
    ) {
        let Submessage::Heartbeat(question) = message else {
            return;
        };
        let Some(peer) = self.peers.get_mut(&source.prefix) else {
            return;
        };
        if question.is_final || peer.shift == 0 {
            return;
        }
        peer.earn(message.encoded_len());
        if let Some(topic) = self.topics.get_mut(question.writer)
            && peer.pay(ANSWER_SIZE)
        {
            topic.prove(source.prefix, question.first, out);
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
        for random in [0, 1, 77, u64::MAX / 3, u64::MAX] {
            assert!((LEAST..MOST).contains(&shift(random)), "{random}");
        }
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
