//! What one reader gets beyond what all get: history when it joins, and again what it lacks (RTPS
//! 2.5 8.4.7.5, 8.4.9.2).
//!
//! An answer is bounded, whatever was asked for; the heartbeat that closes it makes the reader ask
//! for the rest.
use super::data_output::{Annotations, Recipients};
use super::filters::Judge;
use super::gaps::GapList;
use super::{ReaderProxy, ReaderProxyConfig, Writer};
use crate::{Outbox, Time, To, crowd};
use bytes::Bytes;
use dunlin_qos::{Durability, Duration};
use dunlin_wire::{Guid, NackFrag, SequenceNumberSet, Submessage, VendorId};

/// An answer stops once it has reached so many bytes.
const ANSWER_BYTES: usize = 1 << 20;
/// A late joiner gets at most so many samples unasked.
const GREETING_SAMPLES: usize = 256;
/// So many samples are measured by a reader's filter for one answer, in
/// [`ReaderFilter::STEPS`](super::ReaderFilter::STEPS) at most.
const JUDGED_AT_ONCE: usize = 4096;
/// A change is repeated whole for those who ask for its fragments at most this often.
const WHOLE_INTERVAL: Duration = Duration::from_millis(1);
/// Who asks without lacking anything is told what there is at most this often.
const TELL_INTERVAL: Duration = Duration::from_millis(5);
/// Fewer than one in so many readers are few.
const FEW: usize = 4;

impl ReaderProxy {
    pub(super) fn audience(&self) -> Recipients {
        Recipients {
            to: To::Endpoint(self.config.guid),
            reader: self.config.guid.entity,
            expects_inline_qos: self.config.expects_inline_qos,
        }
    }
}

impl Writer {
    /// A reader that joins need not be told yet where it begins. Most pairs of a crowd never say
    /// anything. A volatile reader waits for nothing before the first change, and those of other
    /// products take the silence for a loss.
    pub(super) fn may_be_told_by_first(&self, reader: &ReaderProxyConfig) -> bool {
        let waits_for_history = reader.durability != Durability::Volatile;
        let is_ours = reader.vendor == VendorId::DUNLIN;
        let is_crowd = crowd::is_one(self.readers.len());
        let is_silent = self.last == 0 && self.open.is_none();
        is_silent && is_crowd && reader.reliable && is_ours && !waits_for_history
    }

    /// The first change is about to be written: those are told where they begin that have not been.
    #[cold]
    pub(super) fn greet_with_first(&mut self, now: Time, out: &mut impl Outbox) {
        for index in 0..self.readers.len() {
            let proxy = self.readers.get_mut(index);
            let put_off = proxy.is_some_and(|p| core::mem::take(&mut p.told_by_first) && !p.begun);
            if put_off {
                self.greet(now, index, out);
            }
        }
    }

    /// The history that a new reader wants, and what there is.
    pub(super) fn greet(&mut self, now: Time, index: usize, out: &mut impl Outbox) {
        let proxy = self.readers.get(index);
        let Some(proxy) = proxy.filter(|proxy| !proxy.told_by_first) else {
            return;
        };
        let audience = proxy.audience();
        let reliable = proxy.config.reliable;
        // A best-effort reader cannot ask for the rest: it gets the newest.
        let skip = match reliable {
            true => 0,
            false => self.history.len().saturating_sub(GREETING_SAMPLES),
        };
        let mut judge = Judge::of(proxy);
        let most = match judge.is_needed() {
            true => JUDGED_AT_ONCE,
            false => GREETING_SAMPLES,
        };
        let mut gaps = GapList::new(audience.reader, self.config.guid.entity);
        let tells = proxy.hears_gaps();
        let push = |gap, out: &mut _| {
            if tells {
                Outbox::push(out, audience.to, Submessage::Gap(gap), &Bytes::new());
            }
        };
        let mut samples = 0;
        let mut budget = ANSWER_BYTES;
        let wanted = self.history.from(proxy.acknowledged.saturating_add(1));
        for (sequence, kept) in wanted.skip(skip).take(most) {
            if budget == 0 || samples == GREETING_SAMPLES {
                break;
            }
            let (change, notes) = (&kept.change, self.history.annotations(kept));
            match judge.is_unwanted(change, notes.set) {
                Some(true) => {
                    gaps.add(sequence, sequence + 1, |gap| push(gap, out));
                    continue;
                }
                // It asks for the rest. Others cannot.
                None if reliable => break,
                _ => {}
            }
            gaps.finish(|gap| push(gap, out));
            let said = match proxy.refuses(change.payload.len()) {
                true => self
                    .voice
                    .say_length(audience, sequence, change, notes, out),
                false => self
                    .voice
                    .say(audience, sequence, change, notes, budget, out),
            };
            budget = budget.saturating_sub(said.max(1));
            samples += 1;
        }
        gaps.finish(|gap| push(gap, out));
        if reliable {
            self.ask(now, index, out);
        }
    }

    /// Says again what was asked for, or that it is gone; to the reader that asked, nobody else.
    pub(super) fn repeat(
        &mut self,
        now: Time,
        index: usize,
        wanted: &SequenceNumberSet,
        out: &mut impl Outbox,
    ) {
        let Some(proxy) = self.readers.get(index) else {
            return;
        };
        let audience = proxy.audience();
        let mut gaps = GapList::new(audience.reader, self.config.guid.entity);
        let push = |gap, out: &mut _| {
            Outbox::push(out, audience.to, Submessage::Gap(gap), &Bytes::new());
        };
        let mut kept = self.history.from(wanted.base().0).peekable();
        let mut judge = Judge::of(proxy);
        let mut judged = JUDGED_AT_ONCE;
        // The filter has cost enough for one answer.
        let mut is_over = false;
        let mut budget = ANSWER_BYTES;
        let mut settled = 0;
        for number in wanted.iter().map(|n| n.0) {
            if number > self.last || budget == 0 {
                break;
            }
            if number < settled {
                continue;
            }
            if number < proxy.start {
                settled = proxy.start;
                if !proxy.counts_by_heartbeat() {
                    gaps.add(number, settled, |gap| push(gap, out));
                }
                continue;
            }
            while kept.next_if(|(n, _)| *n < number).is_some() {}
            let mut end = number;
            // What else is not for it behind this number need not be asked for.
            while judge.is_needed()
                && judged > 0
                && kept
                    .next_if(|(n, kept)| {
                        let set = kept.set.as_deref();
                        let mut unwanted = || judge.is_unwanted(&kept.change, set);
                        let verdict = (*n == end).then(&mut unwanted);
                        is_over |= verdict == Some(None);
                        verdict == Some(Some(true))
                    })
                    .is_some()
            {
                judged -= 1;
                end += 1;
            }
            if end > number {
                settled = end;
                gaps.add(number, end, |gap| push(gap, out));
                continue;
            }
            if is_over {
                break;
            }
            match kept.peek() {
                Some((n, kept)) if *n == number => {
                    let (change, notes) = (&kept.change, self.history.annotations(kept));
                    let said = match proxy.refuses(change.payload.len()) {
                        true => self.voice.say_length(audience, number, change, notes, out),
                        false => self.voice.say(audience, number, change, notes, budget, out),
                    };
                    budget = budget.saturating_sub(said.max(1));
                }
                next => {
                    settled = next.map_or(self.last + 1, |(n, _)| *n);
                    gaps.add(number, settled, |gap| push(gap, out));
                }
            }
        }
        gaps.finish(|gap| push(gap, out));
        drop(kept);
        if wanted.iter().any(|n| self.is_open_number(n.0)) {
            self.repeat_open(now, index, out);
        }
        self.ask(now, index, out);
    }

    /// Says these fragments again, or that the change is gone.
    pub(super) fn repeat_fragments(
        &mut self,
        now: Time,
        index: usize,
        wanted: &NackFrag,
        out: &mut impl Outbox,
    ) {
        let Some(proxy) = self.readers.get_mut(index) else {
            return;
        };
        let sequence = wanted.sequence.0;
        let audience = proxy.audience();
        let kept = self.history.get(sequence);
        let kept = kept.filter(|_| sequence >= proxy.start);
        let notes = kept.map_or(Annotations::NONE, |kept| self.history.annotations(kept));
        let change = kept.map(|kept| &kept.change);
        match change.map(|change| (change, self.voice.splits(sequence, change))) {
            Some((change, _)) if proxy.refuses(change.payload.len()) => {
                self.voice
                    .say_length(audience, sequence, change, notes, out);
            }
            Some((change, Some(size))) => {
                let numbers = wanted.state.iter().map(|n| n.0 as usize);
                let numbers = numbers.take((ANSWER_BYTES / size).max(1));
                self.voice
                    .say_fragments(audience, sequence, change, notes, numbers, out);
            }
            Some((change, None)) => {
                // It may lack many fragments, and ask for them in several messages at once.
                if proxy
                    .whole
                    .is_some_and(|(n, at)| n == sequence && now.since(at) < WHOLE_INTERVAL)
                {
                    return;
                }
                proxy.whole = Some((sequence, now));
                self.voice
                    .say(audience, sequence, change, notes, usize::MAX, out);
            }
            None => {
                let mut gaps = GapList::new(audience.reader, self.config.guid.entity);
                gaps.add(sequence, sequence + 1, |_| {});
                gaps.finish(|gap| out.push(audience.to, Submessage::Gap(gap), &Bytes::new()));
            }
        }
        self.ask(now, index, out);
    }

    /// A reliable reader is not waited for any more: whatever it has not acknowledged it loses, and
    /// it goes on with the next change. True if it held something back.
    pub fn give_up(&mut self, now: Time, reader: Guid, out: &mut impl Outbox) -> bool {
        let last = self.last;
        let writer = self.config.guid.entity;
        let Some((index, proxy)) = self.reliable_reader(reader) else {
            return false;
        };
        let first = proxy.acknowledged + 1;
        if first > last {
            return false;
        }
        (proxy.start, proxy.acknowledged) = (last + 1, last);
        proxy.progress.given_up();
        // One that counts by heartbeat learns from that what it lost.
        if !proxy.counts_by_heartbeat() {
            let mut gaps = GapList::new(reader.entity, writer);
            gaps.add(first, last + 1, |_| {});
            gaps.finish(|gap| out.push(To::Endpoint(reader), Submessage::Gap(gap), &Bytes::new()));
        }
        let room = self.settle();
        let complete = self.is_complete();
        self.pulse.answered(now, complete);
        self.ask(now, index, out);
        room
    }

    /// Tells a reader that asked what there is.
    pub(super) fn tell(&mut self, now: Time, index: usize, is_final: bool, out: &mut impl Outbox) {
        let Some(proxy) = self.readers.get_mut(index) else {
            return;
        };
        if proxy.told.is_some_and(|at| now.since(at) < TELL_INTERVAL) {
            return;
        }
        proxy.told = Some(now);
        let only = Some((proxy.config.guid, proxy.wanted_from()));
        self.push_heartbeat(only, is_final, false, out);
    }

    /// Asks all that lag for an answer now, for instance before waiting for room; nothing happens
    /// if none does.
    pub fn heartbeat(&mut self, now: Time, out: &mut impl Outbox) {
        self.note_asked(now);
        if self.silence.any {
            self.ask_silent(now, out);
        }
        let last = self.last;
        let mut lagging = self.readers.iter().filter(|r| r.lags(last));
        let Some(proxy) = lagging.next() else {
            return;
        };
        // All of a crowd would answer, for the sake of a few.
        let few = self.readers.len() / FEW;
        let others = lagging.take(few.max(1)).count();
        let each = self.config.asks_each || others + 1 < few;
        // One that does not know yet where it begins learns it from what is said to it alone.
        let only = others == 0 && (self.readers.len() > 1 || !proxy.begun);
        let only = only.then_some((proxy.config.guid, proxy.wanted_from()));
        match only.is_none() && each {
            true => self.ask_each_that_lags(out),
            false => self.push_heartbeat(only, false, false, out),
        }
        self.pulse.asked(now, last);
    }

    /// Asks each reader alone that lags.
    fn ask_each_that_lags(&mut self, out: &mut impl Outbox) {
        for index in 0..self.readers.len() {
            let last = self.last;
            let proxy = self.readers.get(index).filter(|r| r.lags(last));
            if let Some(proxy) = proxy {
                let only = (proxy.config.guid, proxy.wanted_from());
                self.push_heartbeat(Some(only), false, false, out);
            }
        }
    }

    /// Asks one reader what it lacks now.
    pub(super) fn ask(&mut self, now: Time, index: usize, out: &mut impl Outbox) {
        let Some(proxy) = self.readers.get(index) else {
            return;
        };
        let lags = proxy.lags(self.last);
        let only = Some((proxy.config.guid, proxy.wanted_from()));
        self.push_heartbeat(only, false, false, out);
        if lags {
            self.pulse.asked(now, self.last);
        }
    }
}
