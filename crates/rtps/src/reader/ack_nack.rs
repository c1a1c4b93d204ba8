//! What a reader tells its writers: what it has, and what it lacks (RTPS 2.5 8.4.12.2, 8.3.8.1,
//! 8.3.8.10).
//!
//! A heartbeat is answered at once. What is missing is also asked for when later changes show it,
//! but never more than once in a few milliseconds, of large samples only a portion at a time, the
//! lowest first, and again after a while.
use super::Reader;
use super::writer_proxy::{CONFIRM, WriterProxy};
use crate::{Outbox, Time, To, crowd};
use bytes::Bytes;
use dunlin_qos::Duration;
use dunlin_wire::{
    AckNack, FragmentNumber, FragmentNumberSet, Guid, HeartbeatFrag, NackFrag, SequenceNumber,
    SequenceNumberSet, Submessage,
};

/// Incomplete changes that are asked for at a time.
const MOST_CHANGES: usize = 8;
/// Sets of 256 fragments that are asked for at a time, of each.
const MOST_SETS: usize = 4;

/// The GAP that goes with a writer's first HEARTBEAT has come by then.
const GAP_DELAY: Duration = Duration::from_millis(5);

/// Fragments that an incomplete change lacks.
struct Lacking {
    writer: Guid,
    sequence: SequenceNumber,
    state: FragmentNumberSet,
    /// Bytes of each.
    size: usize,
}

impl Reader {
    /// A new writer is asked what it has: at once, or in a crowd only if it does not speak first.
    /// Our own writers tell each new reader what they have, and in a crowd everybody is behind with
    /// what has come already: a question would only make the writer tell it twice. One without
    /// history for this reader is not asked at all: whether there is something yet is all that it
    /// could say, and it repeats that until it is answered.
    pub(super) fn meet(&mut self, now: Time, index: usize, out: &mut impl Outbox) {
        let pause = crowd::pause(self.writers.len());
        let proxy = self.writers.get_mut(index).filter(|proxy| proxy.is_ours());
        let (Some(pause), Some(proxy)) = (pause, proxy) else {
            return self.greet(now, index, out);
        };
        if proxy.has_history() {
            proxy.due = Some(now.after(pause));
            self.keep_time(index);
        }
    }

    /// Asks a writer that has not spoken yet what it has.
    pub(super) fn greet(&mut self, now: Time, index: usize, out: &mut impl Outbox) {
        if let Some(proxy) = self.writers.get_mut(index) {
            let state = SequenceNumberSet::new(SequenceNumber::FIRST);
            let writer = proxy.author.guid;
            proxy.asked(now, 0, 0);
            self.wait_in_crowd(now, index);
            self.keep_time(index);
            self.push_ack_nack(writer, state, false, out);
        }
    }

    /// The question is not repeated soon if many writers are asked.
    fn wait_in_crowd(&mut self, now: Time, index: usize) {
        let pause = crowd::pause(self.writers.len());
        if let (Some(pause), Some(proxy)) = (pause, self.writers.get_mut(index)) {
            proxy.due = proxy.due.map(|due| due.max(now.after(pause)));
        }
    }

    /// Asks a writer how far it is, now and again soon, since what was said about that is to be
    /// confirmed.
    pub(super) fn ask_for_heartbeat(&mut self, now: Time, index: usize, out: &mut impl Outbox) {
        let Some(proxy) = self.writers.get_mut(index) else {
            return;
        };
        let (writer, state) = (
            proxy.author.guid,
            SequenceNumberSet::new(SequenceNumber(proxy.next)),
        );
        let then = now.after(CONFIRM);
        proxy.due = Some(proxy.due.map_or(then, |due| due.min(then)));
        self.keep_time(index);
        self.push_ack_nack(writer, state, false, out);
    }

    /// Waits a little before the first HEARTBEAT is answered, if a GAP may say that what it names is
    /// not for this reader; true if so (RTPS 2.5 8.4.12.2 heartbeatResponseDelay).
    pub(super) fn put_answer_off(&mut self, now: Time, index: usize) -> bool {
        let Some(proxy) = self.writers.get_mut(index) else {
            return false;
        };
        let puts_off = core::mem::take(&mut proxy.may_hear_gap) && proxy.lacks();
        if puts_off {
            proxy.owes_answer = true;
            proxy.due = Some(now.after(GAP_DELAY));
            self.keep_time(index);
        }
        puts_off
    }

    /// Answers a heartbeat.
    pub(super) fn answer(
        &mut self,
        now: Time,
        index: usize,
        is_final: bool,
        out: &mut impl Outbox,
    ) {
        let most = self.most_to_ask();
        let Some(proxy) = self.writers.get_mut(index) else {
            return;
        };
        proxy.owes_answer = false;
        if proxy.lacks() && !proxy.blocked {
            self.ask(now, index, out);
            return;
        }
        proxy.rest();
        if !is_final {
            let (writer, state) = (proxy.author.guid, proxy.state(most, usize::MAX));
            let asks = !state.is_empty();
            self.push_ack_nack(writer, state, !asks, out);
        }
    }

    /// Asks for what is missing, if anything is.
    pub(super) fn ask_if_lacking(&mut self, now: Time, index: usize, out: &mut impl Outbox) {
        match self.writers.get_mut(index) {
            Some(proxy) if proxy.lacks() => self.ask(now, index, out),
            Some(proxy) => proxy.rest(),
            None => {}
        }
    }

    /// Asks for what is missing, now or as soon as it may.
    pub(super) fn ask(&mut self, now: Time, index: usize, out: &mut impl Outbox) {
        let most = self.most_to_ask();
        let Some(proxy) = self.writers.get_mut(index) else {
            return;
        };
        if proxy.blocked {
            return;
        }
        if !proxy.may_ask(now) {
            self.keep_time(index);
            return;
        }
        if proxy.must_wait() {
            return self.greet(now, index, out);
        }
        proxy.questions.learn();
        let state = proxy.state(most, proxy.changes_to_ask());
        let (writer, usual) = (proxy.author.guid, proxy.questions.usual());
        let changes = state.iter().count();
        let is_final = changes == 0;
        self.push_ack_nack(writer, state, is_final, out);
        let (bytes, messages) = self.ask_for_incomplete(now, index, out);
        if let Some(proxy) = self.writers.get_mut(index) {
            let wanted = changes.saturating_mul(usual).saturating_add(bytes);
            proxy.asked(now, wanted, messages + usize::from(!is_final));
        }
        if self.config.patient {
            self.wait_in_crowd(now, index);
        }
        self.keep_time(index);
    }

    /// So many changes fit: what came beyond that would be dropped and have to come again. One is
    /// always asked for, since it may be the end of an instance, which needs no room.
    fn most_to_ask(&self) -> u32 {
        let room = self.cache.room(self.config.keyed).unwrap_or(usize::MAX);
        let room = u32::try_from(room).unwrap_or(u32::MAX);
        room.min(self.config.max_pending.saturating_add(1)).max(1)
    }

    /// Asks for the fragments that a HEARTBEAT_FRAG showed to be missing.
    pub(super) fn ask_fragments(
        &mut self,
        now: Time,
        index: usize,
        heartbeat: &HeartbeatFrag,
        out: &mut impl Outbox,
    ) {
        let window = i64::from(self.config.max_pending);
        let Some(proxy) = self.writers.get_mut(index) else {
            return;
        };
        let sequence = heartbeat.sequence;
        let wanted = sequence.0 >= proxy.next
            && sequence.0 < i64::MAX
            && sequence.0 - proxy.next <= window
            && !proxy.waiting.contains_key(&sequence.0)
            && proxy.gaps.end_of(sequence.0).is_none();
        if !wanted
            || proxy.must_wait()
            || heartbeat.last.0 == 0
            || proxy.blocked
            || !proxy.may_ask(now)
        {
            return;
        }
        let missing = match proxy.partials.contains(sequence.0) {
            true => proxy.partials.missing(sequence.0, 1, heartbeat.last.0, 256),
            false => Some(first_fragments(heartbeat.last.0)),
        };
        if let Some(state) = missing {
            proxy.saw(sequence.0);
            proxy.questions.learn();
            let size = proxy.partials.extent(sequence.0).map_or(0, |e| e.0);
            proxy.asked(now, state.iter().count().saturating_mul(size), 1);
            let writer = proxy.author.guid;
            self.keep_time(index);
            self.push_nack_frag(writer, sequence, state, out);
        }
    }

    /// Asks for fragments until they make a portion; says how many bytes that is, in how many
    /// messages.
    fn ask_for_incomplete(
        &mut self,
        now: Time,
        index: usize,
        out: &mut impl Outbox,
    ) -> (usize, usize) {
        let portion = self.writers.get(index).map(|w| w.questions.portion());
        let portion = portion.unwrap_or(0);
        let (mut bytes, mut messages) = (0, 0);
        for nth in 0..MOST_CHANGES {
            let mut from = 1;
            for _ in 0..MOST_SETS {
                if bytes >= portion {
                    return (bytes, messages);
                }
                let lacks = self.incomplete(now, index, nth, from, portion - bytes);
                let Some(Lacking {
                    writer,
                    sequence,
                    state,
                    size,
                }) = lacks
                else {
                    break;
                };
                from = state.base().0.saturating_add(256);
                bytes = bytes.saturating_add(state.iter().count().saturating_mul(size));
                messages += 1;
                self.push_nack_frag(writer, sequence, state, out);
            }
        }
        (bytes, messages)
    }

    /// What the `nth` incomplete change lacks from a fragment on, about `most` bytes of it.
    fn incomplete(
        &self,
        now: Time,
        index: usize,
        nth: usize,
        from: u32,
        most: usize,
    ) -> Option<Lacking> {
        let proxy: &WriterProxy = self.writers.get(index)?;
        let sequence = proxy.incomplete().nth(nth)?;
        let (size, reach) = proxy.partials.extent(sequence.0)?;
        let to = match proxy.is_on_its_way(now, sequence.0) {
            true => reach,
            false => u32::MAX,
        };
        let most = most.div_ceil(size);
        let state = proxy.partials.missing(sequence.0, from, to, most)?;
        Some(Lacking {
            writer: proxy.author.guid,
            sequence,
            state,
            size,
        })
    }

    /// The writer's timer may have moved.
    fn keep_time(&mut self, index: usize) {
        if let Some(due) = self.writers.get(index).and_then(|w| w.due) {
            self.wake_at(due);
        }
    }

    pub(super) fn push_ack_nack(
        &mut self,
        writer: Guid,
        state: SequenceNumberSet,
        is_final: bool,
        out: &mut impl Outbox,
    ) {
        self.answers = self.answers.wrapping_add(1);
        let ack_nack = AckNack {
            reader: self.config.guid.entity,
            writer: writer.entity,
            state,
            count: self.answers,
            is_final,
        };
        out.push(
            To::Endpoint(writer),
            Submessage::AckNack(ack_nack),
            &Bytes::new(),
        );
    }

    fn push_nack_frag(
        &mut self,
        writer: Guid,
        sequence: SequenceNumber,
        state: FragmentNumberSet,
        out: &mut impl Outbox,
    ) {
        self.answers = self.answers.wrapping_add(1);
        let nack_frag = NackFrag {
            reader: self.config.guid.entity,
            writer: writer.entity,
            sequence,
            state,
            count: self.answers,
        };
        out.push(
            To::Endpoint(writer),
            Submessage::NackFrag(nack_frag),
            &Bytes::new(),
        );
    }
}

fn first_fragments(last: u32) -> FragmentNumberSet {
    let mut set = FragmentNumberSet::new(FragmentNumber(1));
    for number in 1..=last.min(256) {
        set.insert(FragmentNumber(number));
    }
    set
}
