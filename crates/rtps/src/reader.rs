//! A reader: puts changes in order, asks for what is missing, and keeps samples until they are
//! taken (RTPS 2.5 8.4.10 to 8.4.12).
mod access;
mod ack_nack;
mod arrival;
mod arriving;
mod cache;
mod coherent_sets;
mod config;
mod departed;
mod foreign_key_hashes;
mod group_access;
mod instance;
mod intervals;
mod nack_pacing;
mod origins;
mod outcome;
mod partial;
mod presentation_order;
mod reassembly;
mod resource_limits;
mod submessages;
mod timers;
mod writer_proxy;

pub use arriving::Arriving;
pub use config::{
    Delivery, Holdings, KeyOf, OriginBounds, ReaderConfig, Rejection, RejectionReason,
    WriterProxyConfig,
};
pub use group_access::{GroupFront, GroupOrder, GroupStanding};

use crate::budget::{PeerBudget, ReassemblyBudget, Share};
use crate::proxies::Proxies;
use crate::{
    ContentFilter, InstanceHandle, MissedDeadlines, Outbox, Payload, PayloadAllocator, Sample,
    SampleInfo, Select, Time,
};
use alloc::boxed::Box;
use alloc::vec::Vec;
use bytes::Bytes;
use cache::Cache;
use coherent_sets::CoherentSets;
use core::cmp::Reverse;
use departed::Departed;
use dunlin_qos::{Durability, Duration, ReaderDataLifecycle, ReliabilityKind};
use dunlin_wire::{DataFrag, Guid, InlineQos, SequenceNumber, SequenceNumberSet, Timestamp};
pub use origins::Origins;
pub use outcome::{PassedOver, Standing};
use reassembly::Progress;
use timers::Timers;
use writer_proxy::{Ordering, WriterIdentity, WriterProxy};

/// Incomplete samples that yield at once to one that needs memory.
const MOST_YIELDING: usize = 16;

/// A stateful reader, best effort or reliable.
///
/// What a writer that is not matched sends is ignored.
pub struct Reader {
    config: ReaderConfig,
    /// Ascending by GUID.
    writers: Proxies<WriterProxy>,
    /// Writers that may come back.
    departed: Departed,
    /// Where the last arrival's writer stands.
    recent: usize,
    next_id: u32,
    /// Count of ACKNACKs and of NACK_FRAGs; it goes on when a writer is matched again.
    answers: u32,
    cache: Cache,
    /// Samples that did not pass the content filter.
    filtered: u64,
    /// Some writer's next change met a limit.
    blocked: bool,
    /// When samples are looked for that will not be completed, if there are incomplete ones.
    tidies: Option<Time>,
    /// When somebody else's sample was last looked for that could yield.
    made_way: Option<Time>,
    /// Something is handed out of a sample that is not whole.
    hands_out: bool,
    /// Such samples of writers that were forgotten since.
    left_off: Vec<(Guid, i64)>,
    /// Not later than the first thing that is due.
    due: Option<Time>,
}

impl Reader {
    /// A reader without writers.
    pub fn new(config: ReaderConfig) -> Self {
        Self {
            cache: Cache::new(&config),
            config,
            writers: Proxies::new(),
            departed: Departed::default(),
            recent: 0,
            next_id: 0,
            answers: 0,
            filtered: 0,
            blocked: false,
            tidies: None,
            made_way: None,
            hands_out: false,
            left_off: Vec::new(),
            due: None,
        }
    }

    /// Who it is.
    pub fn guid(&self) -> Guid {
        self.config.guid
    }

    /// From now on other samples pass. One that has a filter has one for ever, if only one that
    /// lets everything pass.
    pub fn set_content_filter(&mut self, filter: ContentFilter) {
        self.config.content_filter = Some(filter);
        self.cache.ignores_strangers = true;
    }

    /// Which samples pass, if not all do.
    pub fn content_filter(&self) -> Option<ContentFilter> {
        self.config.content_filter.clone()
    }

    /// How many samples came that did not pass the content filter.
    pub fn filtered(&self) -> u64 {
        self.filtered
    }

    /// Matches a writer; a reliable one is asked at once what it has (RTPS 2.5 8.4.12.2).
    pub fn add_writer(&mut self, now: Time, writer: WriterProxyConfig, out: &mut impl Outbox) {
        let reliable = writer.reliable && self.config.reliability == ReliabilityKind::Reliable;
        if !writer.lifespan.is_infinite() && self.cache.timers.is_none() {
            self.cache.timers = Some(Timers::new(&self.config));
        }
        match self.index(writer.guid) {
            Some(index) => {
                if let Some(proxy) = self.writers.get_mut(index) {
                    proxy.author.strength = writer.ownership_strength;
                    proxy.lifespan = writer.lifespan;
                    self.cache.set_strength(proxy.author);
                }
            }
            None => {
                let author = WriterIdentity {
                    id: self.next_id,
                    guid: writer.guid,
                    strength: writer.ownership_strength,
                };
                self.next_id = self.next_id.wrapping_add(1);
                let history = self.config.durability.min(writer.durability) != Durability::Volatile;
                let share = self.share_of(writer.guid);
                let mut proxy = WriterProxy::new(author, writer.vendor, reliable, history, share);
                proxy.lifespan = writer.lifespan;
                let has_history = writer.durability != Durability::Volatile;
                proxy.may_hear_gap = reliable && has_history && !history && !proxy.is_ours();
                if let Some(had) = self.departed.recall(now, writer.guid) {
                    proxy.resume(had);
                }
                if self.config.keeps_back() {
                    proxy.sets = Some(Box::new(CoherentSets::new(&self.config)));
                }
                let index = self.writers.insert(proxy);
                self.recent = index;
                if reliable {
                    self.meet(now, index, out);
                }
            }
        }
    }

    /// From now on samples of an instance are expected and wanted so often, and dead instances are
    /// kept for so long.
    pub fn set_timing(
        &mut self,
        now: Time,
        deadline: Duration,
        time_based_filter: Duration,
        lifecycle: ReaderDataLifecycle,
    ) {
        self.config.deadline = deadline;
        self.config.time_based_filter = time_based_filter;
        self.config.lifecycle = lifecycle;
        match &mut self.cache.timers {
            Some(timers) => timers.adjust(now, &self.config),
            none => *none = Timers::needed_for(&self.config),
        }
        self.note_due();
    }

    /// Asks a writer, matched or not, for an answer, whatever it has.
    pub fn hail(&mut self, writer: Guid, out: &mut impl Outbox) {
        let state = SequenceNumberSet::new(SequenceNumber::FIRST);
        self.push_ack_nack(writer, state, false, out);
    }

    /// Answers a writer that is not matched: nothing before `first` is wanted, and nothing from
    /// there on yet.
    pub fn answer_stranger(&mut self, writer: Guid, first: SequenceNumber, out: &mut impl Outbox) {
        self.push_ack_nack(writer, SequenceNumberSet::new(first), true, out);
    }

    /// Forgets a writer; instances that nobody else writes lose their last one. Its samples can
    /// still be taken, but not those of a set that it did not end.
    pub fn remove_writer(&mut self, now: Time, writer: Guid) -> Delivery {
        self.forget_writer(now, writer, false)
    }

    fn forget_writer(&mut self, now: Time, writer: Guid, disposes: bool) -> Delivery {
        let Some(mut proxy) = self.writers.remove(writer) else {
            return Delivery::default();
        };
        self.leave_off(&proxy);
        if self.blocked {
            self.unblock();
        }
        self.cache.forget_names_of(proxy.author);
        Delivery {
            lost: proxy.sets.as_mut().map_or(0, |sets| sets.abandon()),
            arriving: self.leaves_off(),
            ..self.leave_all(now, proxy.author, disposes)
        }
    }

    /// A writer's liveliness is lost: until it writes again, its instances have one live writer
    /// less (DDS 1.4 2.2.2.5.1.3, 2.2.3.9.2).
    pub fn silence_writer(&mut self, now: Time, writer: Guid) -> Delivery {
        let index = self.index(writer);
        let author = index.and_then(|index| Some(self.writers.get(index)?.author));
        author.map_or_else(Delivery::default, |author| {
            self.leave_all(now, author, false)
        })
    }

    fn leave_all(&mut self, now: Time, author: WriterIdentity, disposes: bool) -> Delivery {
        let available = self.cache.leave_all(now, author, disposes);
        self.note_due();
        Delivery {
            available,
            ..Delivery::default()
        }
    }

    /// Does what is due.
    pub fn handle_timeout(&mut self, now: Time, out: &mut impl Outbox) -> Delivery {
        if self.due.is_none_or(|due| due > now) {
            return Delivery::default();
        }
        self.due = None;
        self.tidy(now);
        let mut all = Delivery::default();
        for index in 0..self.writers.len() {
            let delivery = self.writer_timeout(now, index, out);
            all.available |= delivery.available;
            all.lost = all.lost.saturating_add(delivery.lost);
            all.rejected = all.rejected.or(delivery.rejected);
            all.gathers |= delivery.gathers;
            if let Some(due) = self.writers.get(index).and_then(|w| w.due) {
                self.wake_at(due);
            }
        }
        self.expire(now);
        let before = self.cache.samples.len();
        all.available |= self.cache.pass_time(now);
        self.unblock_if_below(before);
        self.note_due();
        all.arriving = self.leaves_off();
        all
    }

    /// Deadlines that were missed since this was asked last; they are found by `handle_timeout`.
    pub fn take_missed_deadlines(&mut self) -> Option<MissedDeadlines> {
        self.cache.timers.as_mut()?.take_missed()
    }

    /// No samples wait to be taken or lie there read.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.cache.samples.len() == 0
    }

    /// Is there more than one sample?
    #[inline]
    pub fn has_several(&self) -> bool {
        self.cache.samples.len() > 1
    }

    /// Are there samples that expire? Then `expire` comes before `take`, `read` and `has_data`.
    #[inline]
    pub fn is_timed(&self) -> bool {
        self.cache.timers.is_some()
    }

    /// Lets go of samples that are not valid any more, should the timer be late.
    pub fn expire(&mut self, now: Time) {
        let before = self.cache.samples.len();
        self.cache.expire(now);
        self.unblock_if_below(before);
    }

    fn unblock_if_below(&mut self, samples: usize) {
        if self.blocked && self.cache.samples.len() < samples {
            self.unblock();
        }
    }

    /// When to call `handle_timeout`, unless something else happens first. Look again after `take`:
    /// room may have come for samples that wait, and then it is at once.
    pub fn next_timeout(&self) -> Option<Time> {
        self.due
    }

    /// Moves the selected samples out, in order of arrival, those of an instance together unless
    /// `across_instances`; says how many.
    #[inline]
    pub fn take(&mut self, select: &Select, sink: impl FnMut(Sample)) -> usize {
        let count = self.cache.access(select, true, sink);
        if count > 0 && self.blocked {
            self.unblock();
        }
        count
    }

    /// Moves the oldest sample in one of these states out; as `take` of one, but what is said about
    /// it is put where it is to stay, since it is large.
    #[inline]
    pub fn take_oldest(&mut self, sample_states: u32, info: &mut SampleInfo) -> Option<Payload> {
        let payload = self.cache.take_oldest(sample_states, info)?;
        if self.blocked {
            self.unblock();
        }
        Some(payload)
    }

    /// Shows the selected samples and keeps them; says how many.
    pub fn read(&mut self, select: &Select, sink: impl FnMut(Sample)) -> usize {
        self.cache.access(select, false, sink)
    }

    /// From now on `take`, `read` and `has_data` are about samples that pass this alone, and not
    /// about notices without data; `None`: about all again.
    pub fn set_query(&mut self, query: Option<ContentFilter>) {
        self.cache.query = query;
    }

    /// Is there a sample in any of these states? At once if all view and instance states will do.
    pub fn has_data(&self, sample_states: u32, view_states: u32, instance_states: u32) -> bool {
        self.cache.has(&Select {
            sample_states,
            view_states,
            instance_states,
            ..Select::default()
        })
    }

    /// Is the instance known?
    pub fn lookup(&self, instance: InstanceHandle) -> bool {
        self.cache.knows(instance)
    }

    /// The serialized key of an instance, if it is known and remembered (`ReaderConfig::key_of`).
    pub fn key(&self, instance: InstanceHandle) -> Option<Bytes> {
        self.cache.key(instance)
    }

    /// The matched writers.
    pub fn writers(&self) -> impl Iterator<Item = Guid> {
        self.writers.iter().map(|w| w.author.guid)
    }

    /// True if nothing is missing of what matched reliable writers said that they have; for waiting
    /// for historical data (DDS 1.4 2.2.2.5.3.24).
    pub fn is_complete(&self) -> bool {
        self.writers.iter().all(WriterProxy::is_complete)
    }

    /// As `is_complete`, of one writer; false if it is not matched.
    pub fn is_complete_of(&self, writer: Guid) -> bool {
        let proxy = self.index(writer);
        let proxy = proxy.and_then(|index| self.writers.get(index));
        proxy.is_some_and(WriterProxy::is_complete)
    }

    /// Takes in a fragment, if there is memory for it.
    fn assemble(
        &mut self,
        now: Time,
        index: usize,
        timestamp: Option<Timestamp>,
        frag: &DataFrag<'_>,
        inline: &InlineQos,
        allocator: &mut impl PayloadAllocator,
    ) -> Progress {
        let Some(proxy) = self.writers.get_mut(index) else {
            return Progress::Ignored;
        };
        let (reliable, config) = (proxy.reliable, &self.config);
        let (partials, share) = (&mut proxy.partials, &mut proxy.share);
        partials.add(
            now, timestamp, frag, inline, config, reliable, share, allocator,
        )
    }

    /// There is no memory for a change: drops one that its own writer can repeat later, or, of the
    /// peer and its writer that have most, the one that got nothing for longest. False if none
    /// yields.
    #[cold]
    fn make_way(&mut self, now: Time, index: usize, sequence: i64) -> bool {
        if let Some(proxy) = self.writers.get_mut(index)
            && proxy.reliable
            && proxy.partials.drop_newer(sequence, &mut proxy.share)
        {
            return true;
        }
        if self
            .made_way
            .is_some_and(|at| now.since(at) < reassembly::FRESH)
        {
            return false;
        }
        let idle = self.writers.iter().enumerate().filter_map(|(at, proxy)| {
            let since = proxy.partials.most_idle(now, &proxy.share)?;
            let greed = (proxy.share.used_by_peer(), proxy.share.used());
            Some((greed, Reverse(since), at))
        });
        let Some((_, _, at)) = idle.max() else {
            self.made_way = Some(now);
            return false;
        };
        if let Some(proxy) = self.writers.get_mut(at) {
            proxy.partials.drop_most_idle(&mut proxy.share);
        }
        true
    }

    /// Drops what will not be completed, if it is time to look.
    fn tidy(&mut self, now: Time) {
        if self.tidies.is_some_and(|at| at <= now) {
            let mut some = false;
            for proxy in self.writers.iter_mut() {
                // What best-effort ones held counts as lost when the next sample shows that it was
                // skipped.
                let (reliable, share) = (proxy.reliable, &mut proxy.share);
                proxy.partials.forget_stale(now, reliable, share);
                some |= !proxy.partials.is_empty();
            }
            self.tidies = some.then(|| now.after(reassembly::LOOK));
        }
        if let Some(at) = self.tidies {
            self.wake_at(at);
        }
    }

    /// What a writer has of the budget before it has anything.
    fn share_of(&self, writer: Guid) -> Share {
        Share::new(match &self.config.budget {
            Some(budgets) => budgets.of(writer.prefix),
            None => PeerBudget::new(&ReassemblyBudget::new(usize::MAX)),
        })
    }

    /// A change is too large: it is lost for good, and those behind it have their turn.
    #[cold]
    fn refuse(&mut self, now: Time, index: usize, sequence: i64, length: u32) -> Delivery {
        let window = i64::from(self.config.max_pending);
        let Some(proxy) = self.writers.get_mut(index) else {
            return Delivery::default();
        };
        let too_early = proxy.reliable && sequence.saturating_sub(proxy.next) > window;
        let before = match proxy.turn(sequence) {
            Ordering::Past => return Delivery::default(),
            _ if too_early || proxy.must_wait() => return Delivery::default(),
            Ordering::Now { lost } => lost,
            Ordering::Early => 0,
        };
        let again = sequence < proxy.had;
        let delivery = match proxy.reliable {
            true => {
                proxy.saw(sequence);
                proxy.gaps.add(sequence, sequence + 1);
                self.advance(now, index)
            }
            false => {
                proxy.settle(sequence);
                Delivery::default()
            }
        };
        Delivery {
            lost: (before.saturating_add(delivery.lost)).saturating_add(u32::from(!again)),
            too_large: Some(length),
            ..delivery
        }
    }

    /// A HEARTBEAT says what cannot be believed as yet.
    #[cold]
    fn doubt(&mut self, now: Time, index: usize, asks: bool, out: &mut impl Outbox) -> Delivery {
        if asks {
            self.ask_for_heartbeat(now, index, out);
        }
        Delivery {
            implausible: true,
            ..Delivery::default()
        }
    }

    fn index(&self, writer: Guid) -> Option<usize> {
        self.writers.index(writer)
    }

    #[inline]
    fn find(&mut self, writer: Guid) -> Option<usize> {
        if let Some(proxy) = self.writers.get(self.recent)
            && proxy.author.guid == writer
        {
            return Some(self.recent);
        }
        self.recent = self.index(writer)?;
        Some(self.recent)
    }

    fn wake_at(&mut self, time: Time) {
        self.due = Some(self.due.map_or(time, |due| due.min(time)));
    }

    /// Time will do something to samples or instances.
    #[inline]
    fn note_due(&mut self) {
        if let Some(due) = self.cache.timers.as_ref().and_then(|c| c.next()) {
            self.wake_at(due);
        }
    }

    /// Room may have come for what was rejected.
    fn unblock(&mut self) {
        self.blocked = false;
        for proxy in self.writers.iter_mut().filter(|w| w.blocked) {
            proxy.due = Some(Time::PAST);
        }
        self.due = Some(Time::PAST);
    }

    fn writer_timeout(&mut self, now: Time, index: usize, out: &mut impl Outbox) -> Delivery {
        let Some(proxy) = self.writers.get_mut(index) else {
            return Delivery::default();
        };
        if proxy.due.is_none_or(|due| due > now) {
            return Delivery::default();
        }
        proxy.due = None;
        let asks_again = proxy.reliable && proxy.has_claim(now);
        if !proxy.reliable {
            return Delivery::default();
        }
        let mut delivery = Delivery::default();
        if proxy.blocked {
            proxy.blocked = false;
            delivery = self.advance(now, index);
            self.answer(now, index, false, out);
        } else if !proxy.started {
            self.greet(now, index, out);
        } else if proxy.owes_answer {
            self.answer(now, index, false, out);
        } else {
            self.ask_if_lacking(now, index, out);
        }
        if asks_again {
            self.ask_for_heartbeat(now, index, out);
        }
        if self.config.ordered {
            self.ask_for_news(now, index, out);
        }
        delivery
    }
}
