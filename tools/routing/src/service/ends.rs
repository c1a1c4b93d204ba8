//! The endpoints of a route as the service keeps them.
use super::asks;
use super::beyond::{self, BeyondEnd, is_reliable};
use super::gate::Gate;
use super::life::Life;
use super::qos;
use super::site;
use super::stall::{GivenUp, Stall};
use crate::adapter::Connection;
use crate::clock::Clock;
use crate::engine::{
    Admission, Backlog, Budget, Conversion, DataListener, Edit, InputLane, OutputLane,
    RoomListener, RouteCore, Sink, Source, Sources, Tally, Transform, lock,
};
use crate::plan::{Input, Output, Route, Session};
use crate::processor::{self, Processor};
use crate::state::Counters;
use crate::table::{Basis, Design, Side, Slot, Time};
use crate::transformation;
use crate::types::{RouteType, Types, converts};
use dunlin::DomainParticipant;
use dunlin::untyped::{UntypedReader, UntypedWriter};
use dunlin::xtypes::DynamicType;
use dunlin_filter::Filter;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

/// Processors are called no more often.
const SHORTEST_PERIOD: Time = Time::from_millis(1);

/// What an output says of itself until it is announced.
const CLOSED: &str = "takes in what its sources keep before it is announced";

/// Why an endpoint was not made.
pub(super) type EndError = dunlin::Error;

/// A route with its endpoints.
pub(super) struct Ends {
    pub(super) core: Arc<RouteCore>,
    /// How often its processor is called, and when next.
    period: Option<Time>,
    next_period: Time,
    pub(super) slots: BTreeMap<Slot, End>,
    /// What passed through endpoints that are gone.
    past: HashMap<(Side, usize), Counters>,
}

pub(super) struct End {
    pub(super) endpoint: Endpoint,
    tally: Arc<Tally>,
    /// The last reason why something could not be written.
    pub(super) fault: Arc<Mutex<Option<String>>>,
    /// It is not announced yet.
    pub(super) gate: Option<Gate>,
    /// Its source is there.
    pub(super) is_alive: bool,
    pub(super) life: Life,
    stall: Stall,
    /// Readers that were given up.
    given_up: u64,
    hung: GivenUp,
}

/// An endpoint; it is deleted when this is dropped.
#[allow(dead_code, reason = "held so that it lives")]
pub(super) enum Endpoint {
    Reader(UntypedReader, Arc<Admission>),
    Writer(UntypedWriter),
    /// Of an adapter.
    Beyond(BeyondEnd),
}

/// In what an endpoint is to be made.
#[derive(Clone, Copy)]
pub(super) enum Place<'a> {
    /// A participant.
    Domain(&'a DomainParticipant),
    /// What an adapter reaches.
    Beyond(&'a dyn Connection),
}

/// Where an endpoint is to be made.
pub(super) struct Site<'a> {
    pub(super) place: Place<'a>,
    pub(super) session: &'a Session,
    pub(super) budget: &'a Arc<Budget>,
    pub(super) router: u32,
    /// The types that files define.
    pub(super) types: &'a Types,
}

impl Ends {
    /// Of a route whose processor is called so often.
    pub(super) fn new(core: RouteCore, period: Option<Time>) -> Self {
        Self {
            core: Arc::new(core),
            period: period.map(|period| period.max(SHORTEST_PERIOD)),
            next_period: Time::ZERO,
            slots: BTreeMap::new(),
            past: HashMap::new(),
        }
    }

    /// Has the route use another processor, called so often.
    pub(super) fn process(
        &mut self,
        processor: Option<Box<dyn Processor>>,
        period: Option<Time>,
        outputs: usize,
    ) {
        self.period = period.map(|period| period.max(SHORTEST_PERIOD));
        self.next_period = Time::ZERO;
        self.core.edit(Edit::Process(processor, outputs));
    }

    /// The type of the route is this: its processor and the outputs that are there do from now on
    /// what needs it.
    pub(super) fn learn(&mut self, route: &Route, ty: &RouteType, types: &Types) {
        // What is wrong with it is told where the inputs are made.
        if let Ok(Some(processor)) = processor::of_route(route, Some(ty)) {
            let outputs = route.outputs.len();
            self.core.edit(Edit::Process(Some(processor), outputs));
        }
        for slot in self.slots.keys().filter(|slot| slot.side == Side::Input) {
            let input = route.inputs.get(slot.index);
            if let Some(Ok(filter)) = input.map(|input| judge(input, Some(ty))) {
                self.core.edit(Edit::Judge(*slot, filter.map(Box::new)));
            }
        }
        for slot in self.slots.keys().filter(|slot| slot.side == Side::Output) {
            let output = route.outputs.get(slot.index);
            let Some(output) = output else {
                continue;
            };
            if let Ok(Some(made)) = transform(route, output, Some(ty), types) {
                self.core.edit(Edit::Transform(*slot, Box::new(made)));
            }
            let written = written_type(route, output, Some(ty), types);
            if let Some(conversion) = conversion(route, output, written.as_ref()) {
                self.core.edit(Edit::Convert(*slot, Box::new(conversion)));
            }
        }
    }

    /// Calls the processor if it is time; returns when it is again.
    pub(super) fn tick(&mut self, now: Time) -> Option<Time> {
        let period = self.period?;
        if now >= self.next_period {
            self.next_period = now + period;
            self.core.tick();
        }
        Some(self.next_period)
    }

    /// Makes an endpoint and has the route use it.
    pub(super) fn make(
        &mut self,
        site: &Site<'_>,
        route: &Route,
        slot: Slot,
        (design, ty): (&Design, Option<&RouteType>),
    ) -> Result<(), EndError> {
        let tally = Arc::new(Tally::new(self.core.clock().clone()));
        let fault = Arc::default();
        let endpoint = match slot.side {
            Side::Input => match route.inputs.get(slot.index) {
                Some(input) => {
                    let about = (slot, design, ty);
                    self.make_reader(site, route, input, about, &tally)?
                }
                None => return Ok(()),
            },
            Side::Output => match route.outputs.get(slot.index) {
                Some(output) => {
                    let sinks = (&tally, &fault);
                    self.make_writer(site, route, output, (slot, design, ty), sinks)?
                }
                None => return Ok(()),
            },
        };
        let end = End {
            gate: endpoint.gate(design),
            endpoint,
            tally,
            fault,
            is_alive: design.is_alive,
            life: Life::of(design),
            stall: Stall::default(),
            given_up: 0,
            hung: GivenUp::default(),
        };
        self.slots.insert(slot, end);
        Ok(())
    }

    fn make_reader(
        &self,
        site: &Site<'_>,
        route: &Route,
        input: &Input,
        (slot, design, ty): (Slot, &Design, Option<&RouteType>),
        tally: &Arc<Tally>,
    ) -> Result<Endpoint, EndError> {
        let judge = judge(input, ty)?;
        if let Err(error) = processor::of_route(route, ty) {
            return Err(dunlin::Error::BadParameter(error.to_string()));
        }
        // Nothing is taken that no output can write.
        for output in &route.outputs {
            transform(route, output, ty, site.types)?;
        }
        let admission = Arc::<Admission>::default();
        admission.note_returning(&design.returning);
        let participant = match site.place {
            Place::Domain(participant) if design.basis == Basis::Asks => {
                return asks::reader(participant, &input.topic, design);
            }
            Place::Domain(participant) => participant,
            Place::Beyond(connection) => {
                let lane = |reader| {
                    InputLane::new(
                        slot,
                        Source::Beyond(reader),
                        is_reliable(site.session, input, design),
                        design.ty.keyed,
                        Arc::clone(tally),
                        Arc::clone(&admission),
                    )
                    .with_filter(judge)
                };
                return beyond::reader(site, connection, input, design, &self.core, lane);
            }
        };
        let topic = site::topic(participant, &input.topic, &design.ty, None)?;
        let (qos, group) = qos::of_reader(site.session, input, design);
        let subscriber = participant.create_subscriber(group);
        let is_reliable = qos.reliability.is_reliable();
        let keeps_sets = subscriber.qos().presentation.coherent_access;
        let cuts_through = qos::cuts_through(route, input);
        let options = qos::options(cuts_through, design, site.router, &admission);
        let listener = Some(DataListener(Arc::clone(&self.core)));
        let reader =
            subscriber.create_untyped_datareader_with_options(&topic, qos, options, listener)?;
        if let Some(filter) = qos::asked_of_sources(input, design) {
            reader.announce_filter(Some((&filter.expression, &filter.parameters)))?;
        }
        let lane = InputLane::new(
            slot,
            Source::Domain(reader.unowned()),
            is_reliable,
            design.ty.keyed,
            Arc::clone(tally),
            Arc::clone(&admission),
        )
        .with_filter(judge)
        .with_origins(route.settings.original_info)
        .with_sets(keeps_sets);
        self.core.edit(Edit::AddInput(Box::new(lane)));
        Ok(Endpoint::Reader(reader, admission))
    }

    fn make_writer(
        &self,
        site: &Site<'_>,
        route: &Route,
        output: &Output,
        (slot, design, ty): (Slot, &Design, Option<&RouteType>),
        (tally, fault): (&Arc<Tally>, &Arc<Mutex<Option<String>>>),
    ) -> Result<Endpoint, EndError> {
        let transform = transform(route, output, ty, site.types)?;
        let written = written_type(route, output, ty, site.types);
        let made = made_type(route, output, ty, site.types);
        // What a source says of the same type passes as it is.
        let made = made.filter(|_| design.ty.information.is_none());
        let (qos, group) = qos::of_writer(site.session, &route.settings, output, design);
        let coherent = group.presentation.coherent_access;
        let (endpoint, sink) = match site.place {
            Place::Domain(participant) => {
                let topic = site::topic(participant, &output.topic, &design.ty, made.as_ref())?;
                let gate = Gate::of(design, qos.durability);
                let group = match gate {
                    Some(_) => Gate::closes(group),
                    None => group,
                };
                let publisher = participant.create_publisher(group);
                let listener = RoomListener(Arc::clone(&self.core));
                let writer =
                    publisher.create_untyped_datawriter_with_listener(&topic, qos, listener)?;
                if gate.is_some() {
                    writer.prepare()?;
                }
                let sink = Sink::Domain(writer.unowned());
                (Endpoint::Writer(writer), sink)
            }
            Place::Beyond(connection) => {
                beyond::writer(connection, output, design, (qos, group), &self.core)?
            }
        };
        let sources = match &design.basis {
            _ if slot.group == 0 => Sources::All,
            Basis::Plan | Basis::Asks => Sources::All,
            Basis::Group(group, ..) => Sources::Group(*group),
            Basis::Writer(_, writer) => Sources::Writer(writer.guid),
        };
        let keeps_sets = coherent && matches!(sources, Sources::Writer(_));
        let lane = OutputLane::new(
            slot,
            sources,
            sink,
            Backlog::new(route.settings.backlog, site.budget),
            Arc::clone(tally),
            Arc::clone(fault),
        )
        .with_sets(keeps_sets)
        .with_transform(transform)
        .with_conversion(conversion(route, output, written.as_ref()));
        self.core.edit(Edit::AddOutput(Box::new(lane)));
        Ok(endpoint)
    }

    /// Has an endpoint announce what it is now.
    pub(super) fn change(
        &mut self,
        site: &Site<'_>,
        route: &Route,
        slot: Slot,
        (design, ty): (&Design, Option<&RouteType>),
    ) {
        let Some(end) = self.slots.get_mut(&slot) else {
            return;
        };
        end.is_alive = design.is_alive;
        let changed = match (&end.endpoint, slot.side) {
            (Endpoint::Beyond(end), _) => {
                let judged = end.change(site.session, route, slot, design, ty);
                Some(judged.map(|judge| {
                    if slot.side == Side::Input {
                        self.core.edit(Edit::Judge(slot, judge.map(Box::new)));
                    }
                }))
            }
            (Endpoint::Reader(reader, _), _) if design.basis == Basis::Asks => {
                Some(reader.set_qos(asks::qos(design).0))
            }
            (Endpoint::Reader(reader, admission), _) => route.inputs.get(slot.index).map(|input| {
                admission.note_returning(&design.returning);
                let (qos, group) = qos::of_reader(site.session, input, design);
                let subscriber = reader.subscriber();
                let regrouped = subscriber.map_or(Ok(()), |subscriber| subscriber.set_qos(group));
                regrouped?;
                reader.set_qos(qos)?;
                let judge = judge(input, ty)?;
                self.core.edit(Edit::Judge(slot, judge.map(Box::new)));
                let filter = qos::asked_of_sources(input, design);
                let filter = filter.as_ref();
                reader.announce_filter(filter.map(|f| (&*f.expression, &*f.parameters)))
            }),
            (Endpoint::Writer(writer), _) => route.outputs.get(slot.index).map(|output| {
                let (qos, group) = qos::of_writer(site.session, &route.settings, output, design);
                let publisher = writer.publisher();
                let regrouped = publisher.map_or(Ok(()), |publisher| publisher.set_qos(group));
                regrouped.and_then(|()| writer.set_qos(qos))
            }),
        };
        if let Some(Err(error)) = changed {
            *lock(&end.fault) = Some(error.to_string());
        }
    }

    /// Takes an endpoint out of the route; it ends when it is dropped.
    pub(super) fn remove(&mut self, slot: Slot) -> Option<Endpoint> {
        self.core.edit(Edit::Remove(slot));
        let end = self.slots.remove(&slot)?;
        let past = self.past.entry((slot.side, slot.index)).or_default();
        *past = past.plus(Counters {
            backlog: 0,
            backlog_bytes: 0,
            ..end.counters()
        });
        Some(end.endpoint)
    }

    /// Gives up the slowest readers of outputs that have stood still for so long; returns when to
    /// look again.
    pub(super) fn relieve(&mut self, now: Time, patience: Time) -> Option<Time> {
        let all = self.slots.values_mut();
        all.filter_map(|end| end.relieve(now, patience)).min()
    }

    /// Takes all endpoints of a side out of the route.
    pub(super) fn remove_all(&mut self, side: Side) -> Vec<Endpoint> {
        let all: Vec<Slot> = self.slots.keys().copied().collect();
        let own = all.into_iter().filter(|slot| slot.side == side);
        own.filter_map(|slot| self.remove(slot)).collect()
    }

    /// Why no endpoint of others is matched with an input or output.
    pub(super) fn explain(&self, side: Side, index: usize) -> Option<String> {
        let of = |slot: &Slot| slot.side == side && slot.index == index;
        let own = self.slots.iter().filter(|(slot, _)| of(slot));
        let lines: Vec<String> = own.flat_map(|(_, end)| end.endpoint.explain()).collect();
        (!lines.is_empty()).then(|| lines.join("; "))
    }

    /// What has passed through an input or output, what it is matched with, and its last fault.
    pub(super) fn look(&self, side: Side, index: usize) -> (Counters, usize, Option<String>) {
        let past = self.past.get(&(side, index)).copied().unwrap_or_default();
        let of = |slot: &Slot| slot.side == side && slot.index == index;
        let own = self.slots.iter().filter(|(slot, _)| of(slot));
        let mut all = (past, 0, None);
        for (_, end) in own {
            all.0 = all.0.plus(end.counters());
            all.1 += end.endpoint.matched();
            let closed = end.gate.map(|_| CLOSED.to_owned());
            all.2 = lock(&end.fault).clone().or(closed).or(all.2);
        }
        all
    }
}

impl End {
    fn counters(&self) -> Counters {
        Counters {
            given_up: self.given_up,
            ..self.tally.counters()
        }
    }

    fn relieve(&mut self, now: Time, patience: Time) -> Option<Time> {
        let Endpoint::Writer(writer) = &self.endpoint else {
            return None;
        };
        let passed = || self.tally.passed();
        let is_still = self.tally.still().is_some();
        let (again, soon) = self.hung.again(now, writer, is_still, passed);
        self.given_up += again;
        let (is_over, due) = self.stall.look(now, self.tally.still(), patience);
        if is_over {
            self.given_up += self.hung.slowest(writer, passed);
        }
        [due, soon].into_iter().flatten().min()
    }
}

/// What an output makes of samples, if it does and the type is known.
fn transform(
    route: &Route,
    output: &Output,
    ty: Option<&RouteType>,
    types: &Types,
) -> Result<Option<Transform>, EndError> {
    let Some(ty) = ty else {
        return Ok(None);
    };
    let made = transformation::of_output(route, output, ty, types);
    let made = made.map_err(dunlin::Error::BadParameter)?;
    Ok(made.map(|(transformation, output)| Transform::new(transformation, &output)))
}

/// What judges the samples of an input that wants a part of them, if the type is known.
pub(super) fn judge(input: &Input, ty: Option<&RouteType>) -> Result<Option<Filter>, EndError> {
    let (Some(filter), Some(ty)) = (&input.filter, ty) else {
        return Ok(None);
    };
    let made = Filter::new(&filter.expression, &filter.parameters, &ty.ty);
    made.map(Some).map_err(|error| {
        let message = format!("filter of input {}: {error}", input.name);
        dunlin::Error::BadParameter(message)
    })
}

/// What an output converts samples to, if it does and the type is known.
fn conversion(route: &Route, output: &Output, ty: Option<&DynamicType>) -> Option<Conversion> {
    Some(Conversion::new(ty?, converts(route, output)?))
}

/// The type of what an output writes, if that is known.
fn written_type(
    route: &Route,
    output: &Output,
    ty: Option<&RouteType>,
    types: &Types,
) -> Option<DynamicType> {
    match output.transformation {
        Some(_) => transformation::output_type(route, output, ty?, types).ok(),
        None => Some(ty?.ty.clone()),
    }
}

/// The type that an output announces although no source does: that of what it makes. A file tells it
/// before there is a source.
fn made_type(
    route: &Route,
    output: &Output,
    ty: Option<&RouteType>,
    types: &Types,
) -> Option<DynamicType> {
    if output.transformation.is_none() || !route.settings.route_types {
        return None;
    }
    let of_file = output.type_name.as_ref().and_then(|name| types.get(name));
    let of_file = of_file.map(|known| known.ty);
    let made = of_file.or_else(|| transformation::output_type(route, output, ty?, types).ok())?;
    Some(made.resolved())
}

/// How long outputs are waited for when they end, all together.
const LAST_WORDS: Time = Time::from_secs(1);

/// Ends endpoints. What their writers have written has a moment to arrive, the same for all: one
/// after the other they would hold up the thread of the service for as many moments.
pub(super) fn end(ended: Vec<Endpoint>, clock: &Clock) {
    if ended.is_empty() {
        return;
    }
    let is_reader = |end: &Endpoint| matches!(end, Endpoint::Reader(..));
    let (readers, others): (Vec<_>, Vec<_>) = ended.into_iter().partition(is_reader);
    drop(readers);
    let until = clock.now() + LAST_WORDS;
    for end in &others {
        end.finish(until.saturating_sub(clock.now()));
    }
    others.iter().for_each(Endpoint::let_go);
}

impl Endpoint {
    fn matched(&self) -> usize {
        match self {
            Self::Reader(reader, admission) => {
                let all = reader.matched_publications();
                all.iter().filter(|writer| admission.look(writer)).count()
            }
            Self::Writer(writer) => writer.matched_count(),
            Self::Beyond(end) => end.matched(),
        }
    }

    /// What it waits for to be announced.
    fn gate(&self, design: &Design) -> Option<Gate> {
        match self {
            Self::Writer(writer) => Gate::of(design, writer.qos().durability),
            Self::Reader(..) | Self::Beyond(_) => None,
        }
    }

    fn explain(&self) -> Vec<String> {
        match self {
            Self::Reader(reader, _) => reader.explain_matching(),
            Self::Writer(writer) => writer.explain_matching(),
            Self::Beyond(_) => Vec::new(),
        }
    }

    /// Who lacks something of a writer does not get it any more, so its end waits for nobody.
    fn let_go(&self) {
        if let Self::Writer(writer) = self {
            GivenUp::default().slowest(writer, || 0);
        }
    }

    /// What a writer has written has so long to arrive.
    fn finish(&self, most: Time) {
        match self {
            // Whoever has not got everything by then does not get it.
            Self::Writer(writer) => drop(writer.wait_for_acknowledgments(most)),
            Self::Beyond(end) => end.finish(most),
            Self::Reader(..) => {}
        }
    }
}
