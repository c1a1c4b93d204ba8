//! A route at work.
mod forward;
mod sources;

use super::convert::Conversion;
use super::cut_through::CutThrough;
use super::echo::EchoWatch;
use super::input::{InputLane, Source};
use super::last_samples::LastSamples;
use super::lock;
use super::output::{OutputLane, Sources};
use super::process::Process;
use super::registry::{Orphan, Registry};
use super::rules::Rules;
use super::strays::Strays;
use super::transform::Transform;
use crate::adapter::AdapterSample;
use crate::clock::Clock;
use crate::processor::Processor;
use crate::state::HopLatency;
use crate::table::{Side, Slot};
use dunlin::untyped::{Arriving, Time, UntypedSample};
use dunlin::{Guid, Select};
use dunlin_filter::Filter;
use forward::{Between, end_set, forward};
use hdrhistogram::Histogram;
use std::sync::Mutex;
use std::sync::atomic::{
    AtomicBool, AtomicI64, AtomicU64, AtomicUsize,
    Ordering::{Relaxed, SeqCst},
};
use std::time::{Duration, Instant};

/// Changes that are taken at once.
const BURST: usize = 16;
/// One turn in so many is measured.
const MEASURED: u64 = 64;
/// Nanoseconds that are told apart in what is measured, which bounds its memory to some 30 KB.
const SHORTEST: u64 = 64;
const LONGEST: u64 = 10_000_000_000;

/// A change of the endpoints of a route.
pub(crate) enum Edit {
    AddInput(Box<InputLane>),
    AddOutput(Box<OutputLane>),
    /// An output writes in another representation from now on.
    Convert(Slot, Box<Conversion>),
    /// An output makes something else of samples from now on.
    Transform(Slot, Box<Transform>),
    /// An input judges by another filter from now on, or by none.
    Judge(Slot, Option<Box<Filter>>),
    Remove(Slot),
    /// Another processor, or none, for so many outputs in the plan.
    Process(Option<Box<dyn Processor>>, usize),
}

/// A route as its inputs and outputs know it.
pub(crate) struct RouteCore {
    rules: Rules,
    /// How often somebody had news since the route was last at rest. Whoever makes it 1 works.
    news: AtomicUsize,
    /// Takes nothing.
    paused: AtomicBool,
    /// Something is left that was not written.
    behind: AtomicBool,
    /// The period of the processor is over.
    ticked: AtomicBool,
    /// A source may have vanished, or returned.
    thinned: AtomicBool,
    /// Nanoseconds after the start when something that waits is to be given up.
    forgets: AtomicU64,
    /// Nanoseconds after the start when the thread of the service looked last.
    looked: AtomicI64,
    /// Whose samples have been here before.
    echo: Mutex<Option<Guid>>,
    clock: Clock,
    edits: Mutex<Vec<Edit>>,
    edited: AtomicBool,
    /// What is worked with; away while somebody works.
    work: Mutex<Option<Box<Work>>>,
    /// Nanoseconds that turns took; made by the first that is measured.
    hops: Mutex<Option<Histogram<u64>>>,
}

/// What the thread that works a route has for itself.
struct Work {
    inputs: Vec<InputLane>,
    outputs: Vec<OutputLane>,
    taken: Vec<UntypedSample>,
    /// As `taken`, of adapters.
    beyond: Vec<AdapterSample>,
    /// As `taken`, of samples that are not whole.
    arriving: Vec<Arriving>,
    processor: Option<Process>,
    /// There if the outputs unregister or dispose what sources have left.
    registry: Option<Registry>,
    orphans: Vec<Orphan>,
    /// There if what was unregistered comes back with its source.
    last_samples: Option<LastSamples>,
    strays: Strays,
    echoes: EchoWatch,
    turns: u64,
}

/// The work while it is away; brought back also by a panic.
struct Held<'a> {
    route: &'a RouteCore,
    work: Option<Box<Work>>,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        *lock(&self.route.work) = self.work.take();
        if std::thread::panicking() {
            self.route.news.store(0, SeqCst);
        }
    }
}

impl RouteCore {
    /// A route without endpoints.
    pub(crate) fn new(
        rules: Rules,
        processor: Option<Box<dyn Processor>>,
        outputs: usize,
        clock: Clock,
    ) -> Self {
        let processor = processor.map(|processor| Process::new(processor, outputs));
        Self {
            rules,
            news: AtomicUsize::new(0),
            paused: AtomicBool::new(false),
            behind: AtomicBool::new(false),
            ticked: AtomicBool::new(false),
            thinned: AtomicBool::new(false),
            forgets: AtomicU64::new(u64::MAX),
            looked: AtomicI64::new(0),
            echo: Mutex::default(),
            clock,
            edits: Mutex::default(),
            edited: AtomicBool::new(false),
            work: Mutex::new(Some(Box::new(Work {
                inputs: Vec::new(),
                outputs: Vec::new(),
                taken: Vec::new(),
                beyond: Vec::new(),
                arriving: Vec::new(),
                processor,
                registry: (rules.unregisters || rules.disposes)
                    .then(|| Registry::new(rules.unregister_delay)),
                orphans: Vec::new(),
                last_samples: (rules.reasserts && rules.unregisters).then(LastSamples::default),
                strays: Strays::new(rules.backlog),
                echoes: EchoWatch::default(),
                turns: 0,
            }))),
            hops: Mutex::default(),
        }
    }

    /// Works the route until nothing is left to do, unless somebody does: that one hears of it and
    /// looks again.
    pub(crate) fn pump(&self) {
        if self.news.fetch_add(1, SeqCst) > 0 {
            return;
        }
        loop {
            let heard = self.news.load(SeqCst);
            let mut held = Held {
                work: lock(&self.work).take(),
                route: self,
            };
            if let Some(work) = &mut held.work {
                work.turn(self);
            }
            drop(held);
            // Whoever comes after this finds the work in its place.
            if self.news.compare_exchange(heard, 0, SeqCst, SeqCst).is_ok() {
                return;
            }
        }
    }

    /// Changes the endpoints, at once if nobody works, else before that one takes anything more.
    pub(crate) fn edit(&self, edit: Edit) {
        lock(&self.edits).push(edit);
        self.edited.store(true, SeqCst);
        self.pump();
    }

    /// Sources may have vanished: what they leave is unregistered, behind what they wrote. Or they
    /// may have returned.
    pub(crate) fn look_for_sources(&self) {
        self.thinned.store(true, SeqCst);
        self.pump();
    }

    /// Forgets sources that are due to be; returns when the next one is, after the start.
    pub(crate) fn forget_sources(&self, now: Duration) -> Option<Duration> {
        let nanos = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX);
        self.looked.store(nanos, Relaxed);
        let due = || match self.forgets.load(SeqCst) {
            u64::MAX => None,
            nanos => Some(Duration::from_nanos(nanos)),
        };
        if due().is_some_and(|due| due <= now) {
            self.pump();
        }
        due()
    }

    /// Is everything written that has come? If somebody is at it now, then not.
    pub(crate) fn is_through(&self) -> bool {
        self.pump();
        self.news.load(SeqCst) == 0 && !self.behind.load(SeqCst)
    }

    /// The period of the processor is over.
    pub(crate) fn tick(&self) {
        self.ticked.store(true, SeqCst);
        self.pump();
    }

    /// The writer by which samples come back that have been here, if they do; told once.
    pub(crate) fn take_echo(&self) -> Option<Guid> {
        lock(&self.echo).take()
    }

    /// Its processor has failed too often.
    pub(crate) fn is_paused(&self) -> bool {
        self.paused.load(Relaxed)
    }

    /// Takes nothing from now on, or goes on.
    pub(crate) fn pause(&self, paused: bool) {
        self.paused.store(paused, SeqCst);
        if !paused {
            self.pump();
        }
    }

    /// By which it goes.
    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// How long its bursts took; `None` before the first that was measured.
    pub(crate) fn hop_latency(&self) -> Option<HopLatency> {
        let hops = lock(&self.hops);
        let hops = hops.as_ref()?;
        let at = |quantile| Duration::from_nanos(hops.value_at_quantile(quantile));
        Some(HopLatency {
            count: hops.len(),
            p50: at(0.5),
            p99: at(0.99),
            p9999: at(0.9999),
            max: Duration::from_nanos(hops.max()),
        })
    }

    /// Its processor has failed too often to go on.
    fn pause_if(&self, is_out: bool) {
        if is_out {
            self.paused.store(true, SeqCst);
        }
    }

    /// When something that waits is to be given up.
    fn look_again(&self, at: Option<Duration>) {
        let nanos = at.and_then(|at| u64::try_from(at.as_nanos()).ok());
        self.forgets.store(nanos.unwrap_or(u64::MAX), SeqCst);
    }

    /// The time, as far as the thread of the service has said it: it costs no look at the clock.
    fn about_now(&self) -> Time {
        Time(self.looked.load(Relaxed))
    }

    fn note_hop(&self, took: Duration) {
        let mut hops = lock(&self.hops);
        if hops.is_none() {
            *hops = Histogram::new_with_bounds(SHORTEST, LONGEST, 2).ok();
        }
        if let Some(hops) = &mut *hops {
            hops.saturating_record(u64::try_from(took.as_nanos()).unwrap_or(LONGEST));
        }
    }
}

impl Work {
    /// Passes on what there is, as far as there is room.
    fn turn(&mut self, route: &RouteCore) {
        if route.edited.swap(false, SeqCst) {
            let now = route.clock.now();
            self.apply(now, std::mem::take(&mut *lock(&route.edits)));
        }
        self.outputs.iter_mut().for_each(OutputLane::drain);
        if route.ticked.swap(false, SeqCst)
            && let Some(process) = &mut self.processor
        {
            let now = route.clock.now();
            process.call(&mut self.outputs, |processor, out| {
                processor.on_period(now, out);
            });
            route.pause_if(process.is_out());
        }
        self.turns = self.turns.wrapping_add(1);
        let begun = (self.turns % MEASURED == 1).then(Instant::now);
        let mut passed = false;
        while !route.paused.load(Relaxed) && self.burst(route) {
            passed = true;
        }
        route.behind.store(self.is_behind(route), Relaxed);
        self.forget_sources(route);
        self.outputs.iter_mut().for_each(OutputLane::flush);
        for output in &mut self.outputs {
            route.pause_if(output.is_out());
        }
        if let Some(begun) = begun.filter(|_| passed) {
            route.note_hop(begun.elapsed());
        }
    }

    /// Takes some changes of each input and passes them on; false if there were none, or no room
    /// for them.
    fn burst(&mut self, route: &RouteCore) -> bool {
        let mut any = false;
        for at in 0..self.inputs.len() {
            let most = self.room();
            if most == 0 {
                return false;
            }
            any |= self.burst_of(at, most, route) || self.cut_through(at, route);
        }
        any
    }

    /// Passes on what has come of samples that are not whole; false if that is nothing.
    fn cut_through(&mut self, at: usize, route: &RouteCore) -> bool {
        let is_alone = self.inputs.len() == 1;
        let group = self.inputs.get(at).map(|input| input.slot.group);
        let inputs = self.inputs.iter();
        let of_group = inputs.filter(|input| Some(input.slot.group) == group);
        let is_alone_in_group = of_group.count() == 1;
        let Some(input) = self.inputs.get_mut(at).filter(|_| self.processor.is_none()) else {
            return false;
        };
        let mut passing = CutThrough {
            rules: &route.rules,
            now: route.about_now(),
            input,
            is_alone,
            is_alone_in_group,
            outputs: &mut self.outputs,
        };
        passing.pass(&mut self.arriving)
    }

    /// Is there something that is not taken, or not written?
    fn is_behind(&self, route: &RouteCore) -> bool {
        let waits = self.outputs.iter().any(|output| !output.is_empty());
        waits || self.room() == 0 || route.paused.load(Relaxed)
    }

    /// How many changes may be taken so that each finds a place, at once or in a backlog.
    fn room(&self) -> usize {
        let room = self.outputs.iter().map(OutputLane::room);
        let room = room.chain([self.strays.room(), BURST]);
        room.min().unwrap_or(BURST)
    }

    fn burst_of(&mut self, at: usize, most: usize, route: &RouteCore) -> bool {
        let Self {
            inputs,
            outputs,
            taken,
            beyond,
            processor,
            registry,
            strays,
            echoes,
            last_samples,
            ..
        } = self;
        let Some(input) = inputs.get_mut(at) else {
            return false;
        };
        let mut between = Between {
            registry: registry.as_mut(),
            process: processor.as_mut(),
            strays,
            echoes,
            last_samples: last_samples.as_mut(),
        };
        match &input.reader {
            Source::Domain(reader) => {
                let select = Select {
                    max: most,
                    ..Select::default()
                };
                reader.take(&select, taken);
            }
            Source::Beyond(reader) => reader.take(most, beyond),
        }
        let any = !taken.is_empty() || !beyond.is_empty();
        let is_last = taken.len() < most;
        for sample in taken.drain(..) {
            if let Some(writer) = input.set_over(Some(&sample.info)) {
                end_set(input, outputs, between.strays, &writer);
            }
            if input.admits(&sample.info.publication) {
                let payload = || sample.payload();
                forward(route, input, outputs, &mut between, &sample.info, payload);
            } else if route.rules.has_been_here(&sample.info) {
                // Of what the service writes here itself nothing needs to go back.
                input.comes_again(route.about_now(), &sample.info);
            }
        }
        if is_last && let Some(writer) = input.set_over(None) {
            end_set(input, outputs, between.strays, &writer);
        }
        for AdapterSample { info, payload } in beyond.drain(..) {
            forward(route, input, outputs, &mut between, &info, || Ok(payload));
        }
        any
    }

    fn with_output(&mut self, slot: Slot, change: impl FnOnce(&mut OutputLane)) {
        let output = self.outputs.iter_mut().find(|output| output.slot == slot);
        output.map_or((), change)
    }

    /// What it had of its source goes with it: should the source return, its history has to come
    /// once more.
    fn remove_output(&mut self, slot: Slot) {
        let gone = self.outputs.iter().find(|output| output.slot == slot);
        let sources = gone.map(|output| output.sources);
        self.outputs.retain(|output| output.slot != slot);
        let Some(sources @ Sources::Writer(writer)) = sources else {
            return;
        };
        if self.outputs.iter().all(|output| output.sources != sources) {
            let inputs = self.inputs.iter();
            inputs.for_each(|input| input.reader.forget(writer));
        }
    }

    fn apply(&mut self, now: Duration, edits: Vec<Edit>) {
        for edit in edits {
            match edit {
                Edit::AddInput(input) => self.inputs.push(*input),
                Edit::AddOutput(mut output) => {
                    self.strays.hand_over(&mut output);
                    self.outputs.push(*output);
                }
                Edit::Judge(slot, filter) => {
                    let mut inputs = self.inputs.iter_mut();
                    if let Some(input) = inputs.find(|input| input.slot == slot) {
                        input.judge_by(filter.map(|filter| *filter));
                    }
                }
                Edit::Convert(slot, to) => self.with_output(slot, |o| o.convert(*to)),
                Edit::Transform(slot, to) => self.with_output(slot, |o| o.transform(to)),
                Edit::Remove(slot) => match slot.side {
                    Side::Input => {
                        let gone = self.inputs.iter().filter(|input| input.slot == slot);
                        for (input, registry) in gone.zip(&mut self.registry) {
                            input.thin(registry, now, &[]);
                        }
                        self.inputs.retain(|input| input.slot != slot);
                    }
                    Side::Output => self.remove_output(slot),
                },
                Edit::Process(processor, outputs) => {
                    self.processor = processor.map(|one| Process::new(one, outputs));
                }
            }
        }
        let outputs = &self.outputs;
        self.inputs.iter_mut().for_each(|input| input.aim(outputs));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_without_endpoints_rests() {
        let route = RouteCore::new(Rules::that_pass(true, true), None, 0, Clock::start());
        route.pump();
        route.pump();
        assert_eq!(route.news.load(SeqCst), 0);
        assert!(lock(&route.work).is_some() && route.hop_latency().is_none());
    }
}
