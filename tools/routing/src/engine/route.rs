//! A route at work.
use super::input::InputLane;
use super::lock;
use super::output::{OutputLane, Passing};
use super::process::Process;
use super::tally::add;
use crate::plan::RouteSettings;
use crate::processor::{Change, Processor};
use crate::state::HopLatency;
use crate::table::{Side, Slot};
use dunlin::untyped::{UntypedSample, WriteOptions};
use dunlin::{ChangeKind, InstanceHandle, SampleOrigin, Select};
use hdrhistogram::Histogram;
use std::sync::Mutex;
use std::sync::atomic::{
    AtomicBool, AtomicUsize,
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

/// What becomes of a change on its way, the same for all outputs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// It says which sample it repeats, and that it came through this service.
    pub(crate) original_info: bool,
    /// It keeps its source timestamp.
    pub(crate) original_timestamp: bool,
    /// Disposes pass.
    pub(crate) disposes: bool,
    /// Unregisters pass.
    pub(crate) unregisters: bool,
    /// By which others know the service.
    pub(crate) router: u32,
}

impl Rules {
    pub(crate) fn new(settings: &RouteSettings, router: u32) -> Self {
        Self {
            original_info: settings.original_info,
            original_timestamp: settings.original_timestamp,
            disposes: settings.propagate_dispose,
            unregisters: settings.propagate_unregister,
            router,
        }
    }

    /// As what a change passes; `None` if it does not.
    fn kind(&self, kind: ChangeKind) -> Option<ChangeKind> {
        match (kind, self.disposes, self.unregisters) {
            (ChangeKind::Alive, _, _) => Some(kind),
            (ChangeKind::Disposed, true, _) => Some(kind),
            (ChangeKind::Unregistered, _, true) => Some(kind),
            (ChangeKind::DisposedUnregistered, true, true) => Some(kind),
            (ChangeKind::DisposedUnregistered, true, false) => Some(ChangeKind::Disposed),
            (ChangeKind::DisposedUnregistered, false, true) => Some(ChangeKind::Unregistered),
            _ => None,
        }
    }

    /// What is said of a change beside its payload; `None` if it has been here before, or has come
    /// too far.
    fn options(&self, sample: &UntypedSample, is_keyed: bool) -> Option<WriteOptions> {
        let info = &sample.info;
        let came = info.origin.unwrap_or_default();
        let mut hops = came.hops;
        if hops.ids().contains(&self.router) || self.original_info && !hops.push(self.router) {
            return None;
        }
        // Without a hash nobody knows the instance: what is sent in its place is not to be
        // believed.
        let unnamed = is_keyed && info.instance == InstanceHandle::NIL;
        let origin = SampleOrigin {
            original_writer: self.original_info.then(|| info.identity()),
            related: came.related,
            foreign_key_hash: info.foreign_key_hash || unnamed,
            hops,
        };
        Some(WriteOptions {
            timestamp: info.source_timestamp.filter(|_| self.original_timestamp),
            instance: Some(info.instance),
            origin: (!origin.is_empty()).then_some(origin),
        })
    }
}

/// A change of the endpoints of a route.
pub(crate) enum Edit {
    AddInput(InputLane),
    AddOutput(OutputLane),
    Remove(Slot),
}

/// A route as its inputs and outputs know it.
pub(crate) struct RouteCore {
    rules: Rules,
    /// How often somebody had news since the route was last at rest. Whoever makes it 1 works.
    news: AtomicUsize,
    /// Takes nothing.
    paused: AtomicBool,
    /// The period of the processor is over.
    ticked: AtomicBool,
    /// Its clock begins here.
    started: Instant,
    edits: Mutex<Vec<Edit>>,
    edited: AtomicBool,
    /// What is worked with; away while somebody works.
    work: Mutex<Option<Box<Work>>>,
    /// Nanoseconds that turns took; made by the first that is measured.
    hops: Mutex<Option<Histogram<u64>>>,
}

/// What the thread that works a route has for itself.
#[derive(Default)]
struct Work {
    inputs: Vec<InputLane>,
    outputs: Vec<OutputLane>,
    taken: Vec<UntypedSample>,
    processor: Option<Process>,
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
    /// A route without endpoints; times are those since `started`.
    pub(crate) fn new(
        rules: Rules,
        processor: Option<Box<dyn Processor>>,
        outputs: usize,
        started: Instant,
    ) -> Self {
        let processor = processor.map(|processor| Process::new(processor, outputs));
        Self {
            rules,
            news: AtomicUsize::new(0),
            paused: AtomicBool::new(false),
            ticked: AtomicBool::new(false),
            started,
            edits: Mutex::default(),
            edited: AtomicBool::new(false),
            work: Mutex::new(Some(Box::new(Work {
                processor,
                ..Work::default()
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

    /// The period of the processor is over.
    pub(crate) fn tick(&self) {
        self.ticked.store(true, SeqCst);
        self.pump();
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
            self.apply(std::mem::take(&mut *lock(&route.edits)));
        }
        self.outputs.iter_mut().for_each(OutputLane::drain);
        if route.ticked.swap(false, SeqCst)
            && let Some(process) = &mut self.processor
        {
            let now = route.started.elapsed();
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
        self.outputs.iter_mut().for_each(OutputLane::flush);
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
            any |= self.burst_of(at, most, route);
        }
        any
    }

    /// How many changes may be taken so that each finds a place, at once or in a backlog.
    fn room(&self) -> usize {
        let room = self.outputs.iter().map(OutputLane::room);
        room.min().unwrap_or(BURST).min(BURST)
    }

    fn burst_of(&mut self, at: usize, most: usize, route: &RouteCore) -> bool {
        let Self {
            inputs,
            outputs,
            taken,
            processor,
            ..
        } = self;
        let Some(input) = inputs.get_mut(at) else {
            return false;
        };
        let select = Select {
            max: most,
            ..Select::default()
        };
        input.reader.take(&select, taken);
        let any = !taken.is_empty();
        for sample in taken.drain(..) {
            forward(route, input, outputs, processor.as_mut(), &sample);
        }
        any
    }

    fn apply(&mut self, edits: Vec<Edit>) {
        for edit in edits {
            match edit {
                Edit::AddInput(input) => self.inputs.push(input),
                Edit::AddOutput(output) => self.outputs.push(output),
                Edit::Remove(slot) => match slot.side {
                    Side::Input => self.inputs.retain(|input| input.slot != slot),
                    Side::Output => self.outputs.retain(|output| output.slot != slot),
                },
            }
        }
        let outputs = &self.outputs;
        self.inputs.iter_mut().for_each(|input| input.aim(outputs));
    }
}

/// Passes one change on.
fn forward(
    route: &RouteCore,
    input: &InputLane,
    outputs: &mut [OutputLane],
    process: Option<&mut Process>,
    sample: &UntypedSample,
) {
    let rules = &route.rules;
    let tally = &input.tally;
    let Some(kind) = rules.kind(sample.info.change_kind) else {
        return add(&tally.held_back, 1);
    };
    let Some(options) = rules.options(sample, input.is_keyed) else {
        return add(&tally.duplicates, 1);
    };
    let Ok(payload) = sample.payload() else {
        return add(&tally.failed, 1);
    };
    tally.note(kind, payload.len());
    let writer = sample.info.publication;
    if let Some(process) = process {
        let change = Change {
            kind,
            payload,
            options,
            input: input.slot.index,
            writer,
            is_reliable: input.is_reliable,
            group: input.slot.group,
        };
        let now = route.started.elapsed();
        let failed = process.call(outputs, |processor, out| {
            processor.on_data(now, change, out)
        });
        route.pause_if(process.is_out());
        return add(&tally.failed, u64::from(failed));
    }
    let change = Passing {
        kind,
        payload: &payload,
        options: &options,
        is_reliable: input.is_reliable,
    };
    for at in input.targets(&writer) {
        if let Some(output) = outputs.get_mut(at) {
            output.put(&change);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(disposes: bool, unregisters: bool) -> Rules {
        Rules {
            original_info: false,
            original_timestamp: false,
            disposes,
            unregisters,
            router: 7,
        }
    }

    #[test]
    fn what_is_not_propagated_is_taken_out_of_a_change() {
        use ChangeKind::*;
        let both = rules(true, true);
        for kind in [Alive, Disposed, Unregistered, DisposedUnregistered] {
            assert_eq!(both.kind(kind), Some(kind));
        }
        let disposes = rules(true, false);
        assert_eq!(disposes.kind(Unregistered), None);
        assert_eq!(disposes.kind(DisposedUnregistered), Some(Disposed));
        let unregisters = rules(false, true);
        assert_eq!(unregisters.kind(Disposed), None);
        assert_eq!(unregisters.kind(DisposedUnregistered), Some(Unregistered));
        assert_eq!(rules(false, false).kind(DisposedUnregistered), None);
    }

    #[test]
    fn a_route_without_endpoints_rests() {
        let route = RouteCore::new(both(), None, 0, Instant::now());
        route.pump();
        route.pump();
        assert_eq!(route.news.load(SeqCst), 0);
        assert!(lock(&route.work).is_some() && route.hop_latency().is_none());
    }

    fn both() -> Rules {
        rules(true, true)
    }
}
