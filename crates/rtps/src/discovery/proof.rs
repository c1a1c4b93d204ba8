//! How a participant shows that it is where it says.
//!
//! Plain RTPS has no field that a receiver gives back unchanged, but for sequence numbers: who gets
//! a HEARTBEAT acknowledges up to the first number in it, or further (RTPS 2.5 8.4.12.2). So each
//! participant sees the numbers of our built-in writers moved by one of its own. It learns them
//! from what is sent to its address, and its ACKNACK with the first of them shows that this
//! arrived. Whoever only knows our name, and forges a source address, does not know it.
//!
//! By how much they are moved depends on a secret of ours, on the participant's name, and on where
//! what is sent to it goes. So what somebody learns at one address is of no use at another. One
//! that we have forgotten, and that has not forgotten us, answers with a higher number: it is asked
//! on from there, in small steps, and has to get several of them right in a row.
//!
//! The numbers are small: Fast DDS takes a step for each number that it has not seen, in each
//! topic, and hears nothing meanwhile. One guess hits with a chance of one in 49,152, and from an
//! address that has guessed wrong a few times the first number is not enough. Nobody is made to
//! wait for that, since whoever forges an address could then keep the one who is there from being
//! believed.
use super::keyed_hash::Secret;
use super::registry::BUILTIN_TOPICS;
use super::{Discovery, Event, Source};
use crate::{Outbox, Time, To};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use bytes::Bytes;
use dunlin_qos::Duration;
use dunlin_wire::{
    AckNack, Data, DataFrag, Gap, GuidPrefix, Heartbeat, HeartbeatFrag, Locator, NackFrag,
    ParticipantData, SequenceNumber, SequenceNumberSet, Submessage,
};

/// The numbers are moved by so much at least, and by less than that at most.
const LEAST: i64 = 1 << 14;
const MOST: i64 = 1 << 16;
/// A step is smaller than this. Dunlin's readers believe numbers that are not further than 8,192
/// beyond theirs at once.
const STEP: i64 = 1 << 11;
/// So many steps are to be right in a row, if the first number was not ...
const STEPS: u32 = 2;
/// ... and so many, whatever the first number was, from an address that has guessed.
const STEPS_OF_SUSPECTED: u32 = 3;
/// Nobody is asked on from a number beyond this: whoever has forged it would make a participant
/// count that far.
const FURTHEST: i64 = 1 << 24;
/// Bytes of an ACKNACK that asks for nothing, and of a HEARTBEAT.
const ANSWER_SIZE: usize = 28;
const QUESTION_SIZE: usize = 32;
/// A stranger that does not answer right is not asked again sooner: Dunlin's readers want to hear
/// numbers far from theirs several times, with such pauses.
const ASK_AGAIN: Duration = Duration::from_millis(50);
/// From one address so many wrong answers count for nothing ...
const FEW_GUESSES: u32 = 4;
/// ... until all are forgotten, which happens so often.
const FORGET: Duration = Duration::from_secs(600);
/// Addresses of which this is remembered. If there are more, all others are suspected.
const MOST_ADDRESSES: usize = 16;

/// How far a stranger has come.
#[derive(Debug, Default)]
pub(super) struct Trial {
    /// The number from which it is asked on; 0 if it is asked for the first number.
    said: i64,
    /// Which step it is asked for.
    step: u32,
    /// Before this it is not asked again, unless its answer was right.
    not_before: Option<Time>,
}

impl Trial {
    fn may_ask(&self, now: Time) -> bool {
        self.not_before.is_none_or(|at| now >= at)
    }
}

/// From which addresses wrong answers came.
#[derive(Debug, Default)]
pub(super) struct Guesses {
    wrong: BTreeMap<(i32, [u8; 16]), u32>,
    since: Option<Time>,
}

impl Guesses {
    fn note(&mut self, now: Time, from: Locator) {
        let since = *self.since.get_or_insert(now);
        if now.since(since) >= FORGET {
            self.wrong.clear();
            self.since = Some(now);
        }
        let place = (from.kind, from.address);
        if self.wrong.len() < MOST_ADDRESSES || self.wrong.contains_key(&place) {
            let wrong = self.wrong.entry(place).or_default();
            *wrong = wrong.saturating_add(1);
        }
    }

    fn suspects(&self, from: Locator) -> bool {
        match self.wrong.get(&(from.kind, from.address)) {
            Some(wrong) => *wrong >= FEW_GUESSES,
            None => self.wrong.len() >= MOST_ADDRESSES,
        }
    }
}

/// By how much the numbers of our built-in writers are moved for a participant.
pub(super) fn shift(secret: &Secret, peer: &ParticipantData, by_connection: bool) -> i64 {
    let places: Vec<u8> = peer.metatraffic_unicast.iter().flat_map(bytes_of).collect();
    let way = [u8::from(by_connection)];
    let hash = secret.hash([&peer.guid.prefix.0[..], &places[..], &way]);
    LEAST.saturating_add(below(MOST - LEAST, hash))
}

fn bytes_of(place: &Locator) -> impl Iterator<Item = u8> {
    let (kind, port) = (place.kind.to_le_bytes(), place.port.to_le_bytes());
    kind.into_iter().chain(port).chain(place.address)
}

fn below(limit: i64, hash: u64) -> i64 {
    0_i64.saturating_add_unsigned(hash % limit.unsigned_abs().max(1))
}

/// The step from a number. All of a participant's topics are to go on from beyond what was ever
/// said by the one that answers.
fn next(secret: &Secret, peer: &ParticipantData, said: i64) -> i64 {
    let hash = secret.hash([&peer.guid.prefix.0[..], &said.to_le_bytes()]);
    said.saturating_add(below(STEP, hash))
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
    /// was sent by a connection shows nothing of an address from which datagrams come. One that has
    /// to take further steps is asked for the next one.
    pub(super) fn proves(
        &mut self,
        now: Time,
        source: &Source,
        message: &Submessage<'_>,
        out: &mut impl Outbox,
    ) -> bool {
        if !self.must_prove(source.prefix) {
            return true;
        }
        let peer = self.peers.get_mut(&source.prefix);
        let (Submessage::AckNack(answer), Some(peer), Some(secret)) =
            (message, peer, &self.config.secret)
        else {
            return false;
        };
        let end = self.topics.iter().map(|topic| topic.end()).max();
        let by_connection = source.is_by_connection();
        if peer.by_connection && !by_connection {
            return false;
        }
        // It may have announced itself in the other way too, and been asked in that later; and
        // what somebody else says in its name does not make its answer wrong.
        let first = shift(secret, &peer.data, by_connection);
        let base = answer.state.base().0;
        let is_right = |shift: &i64| shift.saturating_add(1) == base;
        let Some(right) = [peer.shift, first].into_iter().find(is_right) else {
            return false;
        };
        let suspected = self.guesses.suspects(source.from);
        let is_first = peer.trial.said == 0 || right != peer.shift;
        let done = match is_first {
            true => !suspected,
            false if suspected => peer.trial.step >= STEPS_OF_SUSPECTED,
            false => peer.trial.step >= STEPS,
        };
        if done {
            peer.shift = right;
            return true;
        }
        peer.earn(message.encoded_len());
        if peer.pay(QUESTION_SIZE) {
            let (step, beyond) = match is_first {
                true => (1, end.unwrap_or(1)),
                false => (peer.trial.step.saturating_add(1), 0),
            };
            peer.trial = Trial {
                said: base,
                step,
                not_before: Some(now.after(ASK_AGAIN)),
            };
            peer.shift = next(secret, &peer.data, base).saturating_add(beyond);
            let shift = peer.shift;
            if let Some(topic) = self.topics.get_mut(answer.writer) {
                topic.ask_stranger(source.prefix, shift, out);
            }
        }
        false
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
            peer.trial = Trial::default();
            events.push(Event::ParticipantChanged { prefix });
        }
    }

    /// A stranger said something that shows nothing. If it asks whether we are where we say, it
    /// gets the number that it asked with. If it answers with another number than it was sent, it
    /// knows us already, or from before, and is asked on from there. All this as far as its credit
    /// goes.
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
                self.ask_on(now, source, answer, out);
            }
            _ => {}
        }
    }

    /// A stranger's answer was not right. If it only says that it waits, or repeats what it has
    /// said, it is asked the same again. If it is further, the numbers go on from there: beyond all
    /// that we have ever said by any topic. No product is known to forget the numbers of one topic
    /// and not those of another.
    ///
    /// What is not as far as something that it has said is of another topic, or answers a question
    /// before the last: were it asked on from there, no answer to that question would ever be in
    /// time where a round trip takes longer than the pause between two questions.
    fn ask_on(&mut self, now: Time, source: &Source, answer: &AckNack, out: &mut impl Outbox) {
        let base = answer.state.base().0;
        let end = self.topics.iter().map(|topic| topic.end()).max();
        let end = end.unwrap_or(1);
        let Some(peer) = self.peers.get_mut(&source.prefix) else {
            return;
        };
        if base > 1 && base != peer.trial.said {
            self.guesses.note(now, source.from);
        }
        let is_further = base > 1 && base > peer.trial.said;
        let waits = !answer.is_final || base > 1;
        let other_way = peer.by_connection && !source.is_by_connection();
        if !waits || other_way || base > FURTHEST || !peer.trial.may_ask(now) {
            return;
        }
        if !peer.pay(QUESTION_SIZE) {
            return;
        }
        peer.trial.not_before = Some(now.after(ASK_AGAIN));
        if let Some(secret) = self.config.secret.filter(|_| is_further) {
            (peer.trial.said, peer.trial.step) = (base, 1);
            peer.shift = next(&secret, &peer.data, base).saturating_add(end);
        }
        let shift = peer.shift;
        if let Some(topic) = self.topics.get_mut(answer.writer) {
            topic.ask_stranger(source.prefix, shift, out);
        }
    }
}

/// Asks a stranger: from the first number on, whatever the history has, so that only one answer is
/// right.
pub(super) struct Asking<'a, O> {
    pub(super) by: i64,
    pub(super) out: &'a mut O,
}

impl<O: Outbox> Outbox for Asking<'_, O> {
    fn push(&mut self, to: To, message: Submessage<'_>, payload: &Bytes) {
        let message = match message {
            Submessage::Heartbeat(heartbeat) if self.by > 0 => Submessage::Heartbeat(Heartbeat {
                first: SequenceNumber::FIRST,
                ..heartbeat
            }),
            other => other,
        };
        self.out.push(to, shifted(message, self.by), payload);
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
        let peer = ParticipantData::new(GuidPrefix([1; 12]));
        for key in 0..200 {
            let secret = Secret::new([key; 16]);
            let first = shift(&secret, &peer, false);
            assert!((LEAST..MOST).contains(&first), "{first}");
            let step = next(&secret, &peer, first) - first;
            assert!((0..STEP).contains(&step), "{step}");
        }
    }

    #[test]
    fn an_address_is_suspected_after_some_wrong_answers_and_for_a_while() {
        let mut guesses = Guesses::default();
        let place = |host| Locator::udp_v4([10, 0, 0, host].into(), 7410);
        for _ in 0..FEW_GUESSES {
            assert!(!guesses.suspects(place(1)));
            guesses.note(Time(0), place(1));
        }
        let other_port = Locator {
            port: 1,
            ..place(1)
        };
        assert!(guesses.suspects(other_port) && !guesses.suspects(place(2)));
        guesses.note(Time(0).after(FORGET), place(2));
        assert!(!guesses.suspects(place(1)));
    }

    #[test]
    fn when_many_addresses_have_guessed_all_others_are_suspected() {
        let mut guesses = Guesses::default();
        let place = |n: u32| Locator::udp_v4(n.to_be_bytes().into(), 7410);
        for n in 0..5000 {
            guesses.note(Time(0), place(n));
        }
        assert_eq!(guesses.wrong.len(), MOST_ADDRESSES);
        assert!(guesses.suspects(place(9999)) && !guesses.suspects(place(1)));
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
