//! A writer: numbers changes, keeps them as long as QoS says, and repeats what readers lack (RTPS
//! 2.5 8.4.7 to 8.4.9).
mod coherent_sets;
mod config;
mod data_output;
mod filters;
mod fragments;
mod gaps;
mod heartbeat_schedule;
mod history;
mod limits;
mod open_change;
mod progress;
mod queries;
mod reader_proxy;
mod repair;
mod silence;
mod timers;
mod timing;

pub use coherent_sets::InGroup;
pub use config::{
    Acknowledgement, GroupOf, ReaderFilter, ReaderProxyConfig, WriteError, WriterConfig,
};
pub use progress::ReaderProgress;

use crate::proxies::Proxies;
use crate::{Change, Outbox, SpareParts, Time, To};
use alloc::boxed::Box;
use alloc::vec::Vec;
use bytes::Bytes;
use coherent_sets::SetState;
use data_output::{Annotations, DataOutput, Recipients};
use dunlin_qos::{Durability, History, ReliabilityKind};
use dunlin_wire::{
    AckNack, EntityId, Gap, Guid, Heartbeat, NackFrag, SampleOrigin, SequenceNumber,
    SequenceNumberSet, SetMembership, Submessage,
};
use filters::Filters;
use heartbeat_schedule::HeartbeatSchedule;
use history::HistoryCache;
use limits::SampleLimits;
use open_change::OpenChange;
use reader_proxy::ReaderProxy;
use silence::Silence;
use timers::Timers;

/// A stateful writer, best effort or reliable.
///
/// It keeps nothing unless a reliable reader is matched or late joiners may ask for history.
pub struct Writer {
    config: WriterConfig,
    last: i64,
    /// What all reliable readers have; `last` if there are none.
    acknowledged: i64,
    heartbeats: u32,
    readers: Proxies<ReaderProxy>,
    /// Reliable readers that are waited for.
    reliable_readers: usize,
    silence: Silence,
    expects_inline_qos: bool,
    /// What readers want, if some do not want everything.
    filters: Option<Box<Filters>>,
    /// How large samples the readers take.
    limits: SampleLimits,
    history: HistoryCache,
    /// A change whose bytes still come.
    open: Option<Box<OpenChange>>,
    /// The memory of the last one.
    spare: Option<Box<OpenChange>>,
    pulse: HeartbeatSchedule,
    voice: DataOutput,
    /// Is a coherent set under way?
    set: SetState,
    /// The last change's number among those of its publisher's writers.
    last_in_group: i64,
    /// What time does, if it does anything.
    timers: Option<Box<Timers>>,
    /// When it was last remembered what readers are asked for.
    noted: Time,
}

impl Writer {
    /// A writer without readers that has written nothing.
    pub fn new(config: WriterConfig) -> Self {
        let transient = config.durability != Durability::Volatile;
        let last = config.first_sequence.0.max(1) - 1;
        Self {
            last,
            acknowledged: last,
            heartbeats: 0,
            readers: Proxies::new(),
            reliable_readers: 0,
            silence: Silence::default(),
            expects_inline_qos: false,
            filters: None,
            limits: SampleLimits::default(),
            history: HistoryCache::new(config.history, config.resource_limits, transient)
                .storing(config.service()),
            open: None,
            spare: None,
            pulse: HeartbeatSchedule::new(&config),
            voice: DataOutput::new(&config),
            set: SetState::None,
            last_in_group: 0,
            timers: Timers::needed_for(&config),
            noted: Time::PAST,
            config,
        }
    }

    /// Who it is.
    pub fn guid(&self) -> Guid {
        self.config.guid
    }

    /// The number of the last change; the one before the first if there is none.
    pub(crate) fn last(&self) -> i64 {
        self.last
    }

    /// Gives the change its number, keeps it if need be, and sends it to all matched readers.
    /// Nothing is changed on error.
    #[inline]
    pub fn write(
        &mut self,
        now: Time,
        change: &Change,
        out: &mut impl Outbox,
    ) -> Result<SequenceNumber, WriteError> {
        self.write_in_group(now, &mut change.clone(), None, || None, out)
    }

    /// As `write` for a writer whose changes are numbered together with those of others; `number`
    /// is asked for this one's as soon as nothing can go wrong. `origin` says which samples it
    /// repeats or answers. The payload is moved out if it is kept, so that nothing has to be
    /// counted.
    #[inline]
    pub fn write_in_group(
        &mut self,
        now: Time,
        change: &mut Change,
        origin: Option<&SampleOrigin>,
        number: impl FnOnce() -> Option<InGroup>,
        out: &mut impl Outbox,
    ) -> Result<SequenceNumber, WriteError> {
        let sequence = self.next_sequence(change)?;
        self.expire(now);
        let keeps = self.keeps();
        if keeps {
            self.history.admit(change, self.acknowledged)?;
        }
        let set = self.set.membership(sequence, number());
        self.publish(now, sequence, change, set, origin, out);
        Ok(SequenceNumber(sequence))
    }

    #[inline]
    fn publish(
        &mut self,
        now: Time,
        sequence: i64,
        change: &mut Change,
        set: Option<Box<SetMembership>>,
        origin: Option<&SampleOrigin>,
        out: &mut impl Outbox,
    ) {
        if self.last == 0 {
            self.greet_with_first(now, out);
        }
        self.last = sequence;
        if let Some(set) = &set {
            self.last_in_group = set.group_sequence.0;
        }
        if !self.readers.is_empty()
            && let Some(to) = self.choose(sequence, change, set.as_deref(), out)
        {
            let audience = Recipients {
                to,
                reader: EntityId::UNKNOWN,
                expects_inline_qos: self.expects_inline_qos,
            };
            let notes = Annotations {
                set: set.as_deref(),
                origin,
            };
            self.voice
                .say(audience, sequence, change, notes, usize::MAX, out);
        }
        self.wrote(now, sequence, change, set, origin, out);
    }

    /// The change was said to all: keeps it if need be, and asks for answers.
    #[inline]
    fn wrote(
        &mut self,
        now: Time,
        sequence: i64,
        change: &mut Change,
        set: Option<Box<SetMembership>>,
        origin: Option<&SampleOrigin>,
        out: &mut impl Outbox,
    ) {
        let keeps = self.keeps();
        let bytes = change.payload.len();
        let is_mark = set.as_deref().is_some_and(coherent_sets::is_mark);
        if keeps {
            self.history.insert(sequence, change, set, origin);
        }
        if let Some(timers) = &mut self.timers
            && !is_mark
        {
            let kept_from = self.history.first().filter(|_| keeps);
            timers.wrote(now, sequence, change, kept_from);
        }
        if self.reliable_readers == 0 {
            self.settle();
            if self.silence.any {
                self.ask_silent(now, out);
            }
        } else {
            let whole = self.voice.fragments.are_none();
            if self.pulse.wrote(now, bytes, whole) {
                self.heartbeat(now, out);
            }
        }
    }

    /// Matches a reader, or learns anew what it expects; a late joiner that asks for history gets
    /// the beginning of it at once and the rest when it asks.
    pub fn add_reader(&mut self, now: Time, reader: ReaderProxyConfig, out: &mut impl Outbox) {
        self.add_filtering_reader(now, reader, None, out);
    }

    /// As `add_reader` for a reader that does not want all samples; it gets no others, if they can
    /// be told from these and if nobody else at the same locator wants them.
    pub fn add_filtering_reader(
        &mut self,
        now: Time,
        reader: ReaderProxyConfig,
        filter: Option<ReaderFilter>,
        out: &mut impl Outbox,
    ) {
        self.expire(now);
        let reliable = reader.reliable && self.config.reliability == ReliabilityKind::Reliable;
        let reader = ReaderProxyConfig { reliable, ..reader };
        let index = match self.index(reader.guid) {
            Some(index) => {
                if let Some(proxy) = self.readers.get_mut(index) {
                    proxy.config = reader;
                }
                index
            }
            None => {
                let mut proxy = ReaderProxy::new(reader, self.first_for(reader.durability));
                proxy.told_by_first = self.may_be_told_by_first(&reader);
                self.readers.insert(proxy)
            }
        };
        if let Some(proxy) = self.readers.get_mut(index) {
            proxy.filter = filter;
        }
        self.readers_changed();
        self.settle();
        self.greet(now, index, out);
    }

    /// Forgets a reader; true if it held something back, so that blocked writes and those who wait
    /// for acknowledgements may go on.
    pub fn remove_reader(&mut self, reader: Guid) -> bool {
        let removed = self.readers.remove(reader).is_some();
        if !removed {
            return false;
        }
        self.readers_changed();
        self.settle()
    }

    /// What the reader `from` has and lacks (RTPS 2.5 8.4.9.2). Repeated, stale and impossible ones
    /// are ignored.
    pub fn handle_ack_nack(
        &mut self,
        now: Time,
        from: Guid,
        ack_nack: &AckNack,
        out: &mut impl Outbox,
    ) -> Acknowledgement {
        self.expire(now);
        let asks = !ack_nack.state.is_empty();
        let base = match ack_nack.state.base().0 {
            0 if !asks => 1, // how Fast DDS greets
            base => base,
        };
        let possible = base >= 1 && base - 1 <= self.last;
        let last = self.last;
        // A writer that keeps no history has nothing to begin anew with.
        let greets = base == 1 && !asks && !ack_nack.is_final && self.is_transient();
        let history = self.first_for(Durability::TransientLocal);
        let Some((index, proxy)) = self.reliable_reader(from) else {
            return Acknowledgement::default();
        };
        if !possible {
            return Acknowledgement {
                implausible: true,
                ..Acknowledgement::default()
            };
        }
        if !proxy.ack_nacks.accept(ack_nack.count, now) {
            return Acknowledgement::default();
        }
        if proxy.silent {
            self.heed(index);
        }
        let Some(proxy) = self.readers.get_mut(index) else {
            return Acknowledgement::default();
        };
        let so_far = (proxy.acknowledged.max(base - 1), last);
        proxy.progress.heard(now, so_far, &ack_nack.state);
        if greets && proxy.wants_history_again() {
            proxy.rewind(history);
            self.settle();
            self.ask(now, index, out);
            return Acknowledgement::default();
        }
        let advanced = base - 1 > proxy.acknowledged;
        let begun = base >= proxy.start && !proxy.begun;
        let news = advanced || begun;
        proxy.acknowledged = proxy.acknowledged.max(base - 1);
        proxy.begun |= begun;
        let lags = proxy.lags(last);
        let room = advanced && self.settle();
        if news {
            let complete = self.is_complete();
            self.pulse.answered(now, complete);
        }
        if asks {
            self.repeat(now, index, &ack_nack.state, out);
        } else if !ack_nack.is_final {
            self.tell(now, index, !lags, out);
        }
        Acknowledgement {
            room,
            implausible: false,
        }
    }

    /// Which fragments the reader `from` lacks (RTPS 2.5 8.3.8.10).
    pub fn handle_nack_frag(
        &mut self,
        now: Time,
        from: Guid,
        nack_frag: &NackFrag,
        out: &mut impl Outbox,
    ) {
        self.expire(now);
        let sequence = nack_frag.sequence.0;
        let is_open = self.is_open_number(sequence);
        let possible = sequence >= 1 && (sequence <= self.last || is_open);
        if let Some((index, proxy)) = self.reliable_reader(from).filter(|_| possible)
            && proxy.nack_frags.accept(nack_frag.count, now)
        {
            match is_open {
                true => self.repeat_open_fragments(index, nack_frag, out),
                false => self.repeat_fragments(now, index, nack_frag, out),
            }
        }
    }

    /// Changes from the next one on are split into fragments of `size` bytes; those that were split
    /// before stay as they are, since readers may have parts of them. `None`: from now on whatever
    /// is said, or said again, goes whole.
    pub fn set_fragment_size(&mut self, size: Option<u16>) {
        let kept_from = self.history.first().unwrap_or(self.last);
        let last = self.last + i64::from(self.open.is_some());
        self.voice.fragments.set(last, kept_from, size);
    }

    /// Asks one reader for an answer even if it lacks nothing: one that lives gives it.
    pub fn probe(&mut self, now: Time, reader: Guid, out: &mut impl Outbox) {
        if let Some(index) = self.index(reader) {
            self.ask(now, index, out);
        }
    }

    /// Asks a reader that is not matched for an answer. It is not told where it begins, so this is
    /// as good as a heartbeat to all.
    pub fn hail(&mut self, reader: Guid, out: &mut impl Outbox) {
        self.ask_stranger(reader, EntityId::UNKNOWN, out);
    }

    /// Answers a reader that is not matched, and may have matched this writer: it begins with what
    /// history there is.
    pub fn answer_stranger(&mut self, reader: Guid, out: &mut impl Outbox) {
        self.ask_stranger(reader, reader.entity, out);
    }

    fn ask_stranger(&mut self, reader: Guid, named: EntityId, out: &mut impl Outbox) {
        self.heartbeats = self.heartbeats.wrapping_add(1);
        let first = self.first_to_name();
        let heartbeat = Heartbeat {
            reader: named,
            writer: self.config.guid.entity,
            first: SequenceNumber(first),
            last: SequenceNumber(self.last),
            count: self.heartbeats,
            is_final: false,
            liveliness: false,
            group: self.group_info(first),
        };
        let to = To::Endpoint(reader);
        out.push(to, Submessage::Heartbeat(heartbeat), &Bytes::new());
    }

    /// Asks for an answer because a write found no room, unless one is under way that will make
    /// some. Should that be lost, the timer asks soon.
    pub fn ask_for_room(&mut self, now: Time, out: &mut impl Outbox) {
        self.pulse.hurry(now);
        if self.pulse.last_asked() <= self.acknowledged {
            self.heartbeat(now, out);
        }
    }

    /// Tells all matched readers that the writer lives (RTPS 2.5 8.3.8.6 flag L).
    pub fn assert_liveliness(&mut self, out: &mut impl Outbox) {
        self.push_heartbeat(None, true, true, out);
    }

    /// The application's own bytes ([`Body::around`](crate::Body::around)) that are not needed any
    /// more. Their end may run its code, so the caller takes them out and drops them where that may
    /// happen.
    pub fn retired(&mut self) -> &mut Vec<Bytes> {
        self.history.retired()
    }

    /// Memory of changes that are gone, for [`Body::around_in`](crate::Body::around_in).
    pub fn spares(&mut self) -> &mut SpareParts {
        self.history.spares()
    }

    fn next_sequence(&self, change: &Change) -> Result<i64, WriteError> {
        self.next_of_length(change.payload.len())
    }

    #[inline]
    fn next_of_length(&self, length: usize) -> Result<i64, WriteError> {
        if u32::try_from(length).is_err() {
            return Err(WriteError::OutOfResources("sample size"));
        }
        self.limits.check(length)?;
        // What follows an open change has a number behind it, and could not be acknowledged.
        if self.open.is_some() {
            return Err(WriteError::Full);
        }
        let next = self.last.checked_add(1).filter(|n| *n < i64::MAX);
        next.ok_or(WriteError::OutOfResources("sequence numbers"))
    }

    fn is_transient(&self) -> bool {
        self.config.durability != Durability::Volatile
    }

    fn keeps(&self) -> bool {
        self.is_transient() || self.reliable_readers > 0
    }

    /// The first number that concerns a reader that joins now.
    fn first_for(&self, durability: Durability) -> i64 {
        let history = self.history.first();
        let history = history.filter(|_| self.is_transient() && durability != Durability::Volatile);
        history.unwrap_or(self.last + 1)
    }

    /// Nobody has to be asked anything.
    fn is_complete(&self) -> bool {
        let mut readers = self.readers.iter();
        self.acknowledged >= self.last && !readers.any(|r| r.lags(self.last))
    }

    /// The first number that heartbeats name. With KEEP_ALL nothing is lost: what is gone and not
    /// acknowledged was forgotten before the time of those who lack it, which a GAP tells them. Nor
    /// are samples lost that are not valid any more.
    fn first_to_name(&self) -> i64 {
        let kept = self.history.first().unwrap_or(self.last + 1);
        match self.config.history {
            History::KeepLast(_) if self.config.lifespan.is_infinite() => kept,
            _ => kept.min(self.acknowledged + 1),
        }
    }

    fn index(&self, reader: Guid) -> Option<usize> {
        self.readers.index(reader)
    }

    fn reliable_reader(&mut self, guid: Guid) -> Option<(usize, &mut ReaderProxy)> {
        let index = self.index(guid)?;
        let proxy = self.readers.get_mut(index)?;
        proxy.config.reliable.then_some((index, proxy))
    }

    fn readers_changed(&mut self) {
        let waited_for = self.readers.iter().filter(|r| r.is_waited_for());
        self.reliable_readers = waited_for.count();
        self.silence.any = self.readers.iter().any(|r| r.silent);
        let mut readers = self.readers.iter();
        self.expects_inline_qos = readers.any(|r| r.config.expects_inline_qos);
        self.filters = Filters::of(&self.readers);
        self.limits = SampleLimits::of(&self.readers);
    }

    /// Finds out what all have by now and lets go of what nobody needs; true if that is more than
    /// before.
    fn settle(&mut self) -> bool {
        let waited_for = self.readers.iter().filter(|r| r.is_waited_for());
        let all = waited_for.map(|r| r.acknowledged).min();
        let before = core::mem::replace(&mut self.acknowledged, all.unwrap_or(self.last));
        if self.is_transient() {
            self.history.store(self.acknowledged);
            self.history.release_unregistered(self.acknowledged);
        } else {
            self.history.release(self.acknowledged);
        }
        self.acknowledged > before
    }

    fn push_heartbeat(
        &mut self,
        only: Option<(Guid, i64)>,
        is_final: bool,
        liveliness: bool,
        out: &mut impl Outbox,
    ) {
        if self.filters.is_some() {
            self.tell_skipped(only.map(|(reader, _)| reader), out);
        }
        self.heartbeats = self.heartbeats.wrapping_add(1);
        let first = self.first_to_name();
        let (to, reader, first) = match only {
            Some((guid, wanted)) => {
                if first > wanted {
                    self.say_start(guid, wanted, out);
                }
                (To::Endpoint(guid), guid.entity, first.max(wanted))
            }
            None => (To::Matched, EntityId::UNKNOWN, first),
        };
        let heartbeat = Heartbeat {
            reader,
            writer: self.config.guid.entity,
            first: SequenceNumber(first),
            last: SequenceNumber(self.last),
            count: self.heartbeats,
            is_final,
            liveliness,
            group: self.group_info(first),
        };
        out.push(to, Submessage::Heartbeat(heartbeat), &Bytes::new());
        if self.open.is_some() && !is_final {
            self.tell_open(to, reader, out);
        }
    }

    /// Tells a reader that may not know it where it begins: the history has gone on since, so a
    /// heartbeat does not say. What it got of that is for it, and what it did not get is lost.
    #[cold]
    fn say_start(&self, reader: Guid, start: i64, out: &mut impl Outbox) {
        let found = self.index(reader);
        let proxy = found.and_then(|index| self.readers.get(index));
        if proxy.is_some_and(|proxy| !proxy.begun && proxy.counts_by_heartbeat()) {
            let gap = Gap {
                reader: reader.entity,
                writer: self.config.guid.entity,
                start: SequenceNumber::FIRST,
                list: SequenceNumberSet::new(SequenceNumber(start)),
            };
            out.push(To::Endpoint(reader), Submessage::Gap(gap), &Bytes::new());
        }
    }
}
