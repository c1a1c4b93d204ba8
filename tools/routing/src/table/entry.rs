//! What the table knows of one route.
mod asks;
mod facts;
mod far_filters;
mod outlets;
mod reconcile;
mod returns;
mod types;

use super::known::Known;
use super::sources::{Basis, Sources};
use super::{Design, End, Place, Side, Slot, Time, Via};
use crate::plan::{CreationMode, EndpointQos, Route, Writers};
use crate::state::State;
use crate::types::Knowledge;
use dunlin::untyped::EncodedTypeInformation;
use facts::{Fact, Settled, View};
pub(crate) use far_filters::Asked;
use far_filters::FarFilters;
pub(crate) use returns::{SOURCE, source_of};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The longest time between two tries to make an endpoint.
const LONGEST_WAIT: Time = Time::from_secs(60);

/// One route.
pub(crate) struct Entry {
    pub(crate) place: Place,
    pub(crate) plan: Arc<Route>,
    pub(crate) enabled: bool,
    /// All connections of its inputs and outputs are there.
    is_up: bool,
    /// What its type is; kept while anything of it is there.
    settled: Option<Settled>,
    /// What is known of what its type is, if it wants to know.
    knowledge: Option<Knowledge>,
    inputs: Vec<Fact>,
    outputs: Vec<Fact>,
    /// Who writes; kept only if somebody asks for it.
    sources: Sources,
    /// The ways to real writers, and to real readers.
    ways: [Via; 2],
    far_filters: FarFilters,
    wanted: BTreeMap<Slot, Design>,
    slots: BTreeMap<Slot, Have>,
    /// What is wanted and finds no room: there are as many endpoints as there may be.
    crowded: BTreeSet<Slot>,
    /// Outputs, and sources that would come back by them; until when, if that is not so any more.
    returned: BTreeMap<(usize, u64), Option<Time>>,
    /// When it is to be looked at again.
    due: Option<Time>,
    broken: Option<Broken>,
}

/// It has done harm, and is not tried again before some time.
#[derive(Clone, Debug)]
struct Broken {
    reason: String,
    until: Time,
    /// That time has not come yet.
    holds: bool,
    /// How often in a row.
    count: u32,
}

/// An endpoint that is there, or is to be.
#[derive(Clone, Debug)]
struct Have {
    design: Design,
    /// When that was last announced.
    changed: Time,
    status: Status,
    /// How often it failed in a row.
    failures: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Status {
    Making,
    Made,
    /// Tried again then.
    Failed(Time, String),
}

impl Have {
    /// Why it could not be made when that was tried last.
    fn why_failed(&self) -> Option<&str> {
        match &self.status {
            Status::Failed(_, reason) => Some(reason),
            Status::Making | Status::Made => None,
        }
    }
}

/// How it is with an input or output, for those who look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SlotState {
    pub(crate) state: State,
    pub(crate) note: Option<String>,
}

/// How it is with a route.
pub(crate) type RouteState = SlotState;

impl Entry {
    pub(super) fn new(place: Place, plan: Arc<Route>, enabled: bool) -> Self {
        Self {
            inputs: vec![Fact::default(); plan.inputs.len()],
            outputs: vec![Fact::default(); plan.outputs.len()],
            place,
            plan,
            enabled,
            is_up: false,
            settled: None,
            knowledge: None,
            sources: Sources::default(),
            ways: [Via::Nowhere, Via::Nowhere],
            far_filters: FarFilters::default(),
            wanted: BTreeMap::new(),
            slots: BTreeMap::new(),
            crowded: BTreeSet::new(),
            returned: BTreeMap::new(),
            due: None,
            broken: None,
        }
    }

    /// Does an input or output use this connection?
    pub(super) fn uses(&self, connection: usize) -> bool {
        let inputs = self.plan.inputs.iter().map(|i| i.connection);
        let mut all = inputs.chain(self.plan.outputs.iter().map(|o| o.connection));
        all.any(|own| self.place.connections + own == connection)
    }

    /// A participant is gone, and its endpoints with it.
    pub(super) fn lose(&mut self, connection: usize) {
        let lost = |slot: &Slot| self.connection(slot.side, slot.index) == Some(connection);
        let lost: Vec<Slot> = self.slots.keys().copied().filter(lost).collect();
        lost.iter().for_each(|slot| drop(self.slots.remove(slot)));
    }

    fn end(&self, side: Side, index: usize) -> Option<&dyn End> {
        match side {
            Side::Input => self.plan.inputs.get(index).map(|end| end as &dyn End),
            Side::Output => self.plan.outputs.get(index).map(|end| end as &dyn End),
        }
    }

    /// The number of an input's or output's connection among all.
    pub(crate) fn connection(&self, side: Side, index: usize) -> Option<usize> {
        self.end(side, index)
            .map(|end| self.place.connections + end.connection())
    }

    pub(super) fn made(&mut self, slot: Slot) {
        if let Some(have) = self.slots.get_mut(&slot) {
            have.status = Status::Made;
            have.failures = 0;
        }
    }

    /// Tried again after 1, 2, 4 ... 60 s.
    pub(super) fn failed(&mut self, now: Time, slot: Slot, reason: String) {
        if let Some(have) = self.slots.get_mut(&slot) {
            let wait = Time::from_secs(1 << have.failures.min(6)).min(LONGEST_WAIT);
            have.status = Status::Failed(now + wait, reason);
            have.failures = have.failures.saturating_add(1);
        }
    }

    /// It has done harm: its endpoints go, and it is tried again after 1, 2, 4 ... 60 s.
    pub(super) fn break_off(&mut self, now: Time, reason: String) {
        let recently = |broken: &&Broken| now < broken.until + LONGEST_WAIT;
        let count = self.broken.as_ref().filter(recently);
        let count = count.map_or(0, |broken| broken.count);
        let wait = Time::from_secs(1 << count.min(6)).min(LONGEST_WAIT);
        self.broken = Some(Broken {
            reason,
            until: now + wait,
            holds: true,
            count: count.saturating_add(1),
        });
    }

    /// Until when it is not tried, and why.
    fn broken(&self) -> Option<&Broken> {
        self.broken.as_ref().filter(|broken| broken.holds)
    }

    pub(super) fn is_due(&self, now: Time) -> bool {
        self.due.is_some_and(|due| due <= now)
    }

    pub(super) fn due(&self) -> Option<Time> {
        self.due
    }

    /// The endpoints that are there, as they were announced.
    pub(super) fn designs(&self) -> impl Iterator<Item = (Slot, Design)> {
        let all = self.slots.iter();
        let made = all.filter(|(_, have)| have.status == Status::Made);
        made.map(|(slot, have)| (*slot, have.design.clone()))
    }

    /// Inputs and outputs that are there or being made.
    pub(super) fn endpoints(&self) -> usize {
        self.slots.len()
    }

    /// What should be there, from what is known now.
    pub(super) fn recompute(&mut self, now: Time, connections: &[Known], router: u32) {
        let view = View {
            connections,
            router,
        };
        self.see(now, view);
        self.see_filters(now, view);
        self.wanted = BTreeMap::new();
        let mut used = (0..connections.len()).filter(|connection| self.uses(*connection));
        let is_up = |at: usize| connections.get(at).is_some_and(|known| known.is_up);
        self.is_up = used.all(is_up);
        if let Some(broken) = &mut self.broken {
            broken.holds = broken.until > now;
        }
        if !self.enabled || self.broken().is_some() {
            self.settled = None;
            return;
        }
        if self.settled.is_none() {
            self.settled = self.find_type(view);
        }
        if let Some(settled) = self.settled.clone() {
            let told = self.told_type(view);
            self.note_returns(now, connections);
            let (mut inputs, outputs) = self.existing();
            let is_down = |index| !self.connection(Side::Output, index).is_some_and(is_up);
            let mut existing = (0..outputs.len())
                .filter(|index| outputs[*index])
                .peekable();
            // What an input takes while no output can be made is nobody's.
            let leads_nowhere = existing.peek().is_some() && existing.all(is_down);
            if self.lacks_type() || leads_nowhere {
                inputs.fill(false);
            }
            for (side, exists) in [(Side::Output, outputs), (Side::Input, inputs)] {
                for (index, _) in exists.iter().enumerate().filter(|(_, exists)| **exists) {
                    if self.connection(side, index).is_some_and(is_up) {
                        self.want((side, index), &settled, told.as_ref(), router);
                    }
                }
            }
            self.close_inputs();
            self.ask(&settled, connections);
        }
        if self.wanted.is_empty() && !self.is_supported() {
            self.settled = None;
            self.forget_type();
        }
    }

    /// Does a remote endpoint support any input or output?
    fn is_supported(&self) -> bool {
        let mut all = self.inputs.iter().chain(&self.outputs);
        all.any(Fact::is_believed)
    }

    /// Is there nothing of it, and nothing for it?
    pub(super) fn is_over(&self) -> bool {
        self.wanted.is_empty() && self.slots.is_empty() && !self.is_supported()
    }

    /// An input or output is to exist, with one endpoint or with several.
    fn want(
        &mut self,
        (side, index): (Side, usize),
        settled: &Settled,
        told: Option<&EncodedTypeInformation>,
        router: u32,
    ) {
        let [there, back] = self.ways.clone();
        let (via, bases) = match side {
            Side::Output => (there, self.output_bases(index)),
            Side::Input => (back, self.input_bases(index)),
        };
        for (group, basis) in bases {
            // What the source says of its type, not what the first of all says.
            let told = match &basis {
                Basis::Plan | Basis::Asks => told,
                Basis::Group(_, _, writer) | Basis::Writer(_, writer) => {
                    writer.type_information.as_ref().filter(|_| told.is_some())
                }
            };
            let Some(ty) = settled.of(side, index, told) else {
                continue;
            };
            let slot = Slot { side, index, group };
            let is_returned = self.returned.contains_key(&(index, group));
            if side == Side::Output && is_returned && matches!(basis, Basis::Writer(..)) {
                continue;
            }
            let is_alive = self.sources.is_alive(group);
            let via = match (&basis, side) {
                // That of its own source: by the shortest way of all it would seem to be near, and
                // services in a mesh would pass it on to each other for ever.
                (Basis::Writer(_, source), Side::Output) => {
                    let own = is_alive.then(|| Via::of(&source.qos.property));
                    Via::through(router, own.into_iter())
                }
                _ => via.clone(),
            };
            let design = Design {
                ty,
                basis,
                via,
                is_alive,
                returning: self.returning(slot),
                asked: match side {
                    Side::Input => self.asked(),
                    Side::Output => None,
                },
            };
            self.wanted.insert(slot, design);
        }
    }

    fn input_bases(&self, index: usize) -> Vec<(u64, Basis)> {
        match self.plan.inputs.get(index).map(|input| &input.qos) {
            Some(EndpointQos::AsSource) => self.sources.inputs(index),
            _ => vec![(0, Basis::Plan)],
        }
    }

    fn output_bases(&self, index: usize) -> Vec<(u64, Basis)> {
        let Some(output) = self.plan.outputs.get(index) else {
            return Vec::new();
        };
        let is_planned = matches!(output.qos, EndpointQos::Explicit(_));
        // Sources in an input that takes all of them are not in groups.
        let mut inputs = self.plan.inputs.iter();
        let in_groups = inputs.all(|input| matches!(input.qos, EndpointQos::AsSource));
        let writers = match output.writers {
            Writers::Group if is_planned || !in_groups => Writers::One,
            writers => writers,
        };
        match writers {
            Writers::One if is_planned => vec![(0, Basis::Plan)],
            writers => self.sources.outputs(writers),
        }
    }

    /// Do inputs or outputs depend on who the sources are?
    fn asks_for_sources(&self) -> bool {
        let mut inputs = self.plan.inputs.iter();
        let mut outputs = self.plan.outputs.iter();
        inputs.any(|input| matches!(input.qos, EndpointQos::AsSource))
            || outputs.any(|output| {
                matches!(output.qos, EndpointQos::AsSource) || output.writers == Writers::Mirror
            })
    }

    /// Which inputs and outputs should exist: the least that support each other.
    fn existing(&self) -> (Vec<bool>, Vec<bool>) {
        let mut inputs = vec![false; self.inputs.len()];
        let mut outputs = vec![false; self.outputs.len()];
        // What sources keep is here before somebody beyond asks for it.
        let durable = self.sources.are_durable();
        let wanted = durable || self.outputs.iter().any(Fact::is_believed);
        let offered = self.inputs.iter().any(Fact::is_believed);
        loop {
            let before = (inputs.clone(), outputs.clone());
            let beyond = outputs.contains(&true);
            for (at, fact) in self.inputs.iter().enumerate() {
                let mode = self.end(Side::Input, at).map(End::mode);
                inputs[at] = mode.is_some_and(|mode| match mode {
                    CreationMode::OnDemand { .. } => fact.is_believed() && wanted,
                    mode => exists(mode, fact.is_believed(), beyond),
                });
            }
            let beyond = inputs.contains(&true);
            for (at, fact) in self.outputs.iter().enumerate() {
                let mode = self.end(Side::Output, at).map(End::mode);
                outputs[at] = mode.is_some_and(|mode| match mode {
                    CreationMode::OnDemand { always } => {
                        fact.is_believed() || (always || durable) && offered
                    }
                    mode => exists(mode, fact.is_believed(), beyond),
                });
            }
            if before == (inputs.clone(), outputs.clone()) {
                return (inputs, outputs);
            }
        }
    }

    /// The type of an input or output, as far as it is known.
    pub(crate) fn type_name(&self, side: Side, index: usize) -> Option<&str> {
        let planned = self.end(side, index).and_then(End::type_name);
        let settled = self.settled.as_ref();
        planned.or_else(|| settled.and_then(|s| s.name(side, index)))
    }

    fn is_made(&self, side: Side) -> bool {
        let mut all = self.slots.iter();
        all.any(|(slot, have)| slot.side == side && !slot.asks() && have.status == Status::Made)
    }

    /// How it is with the route.
    pub(crate) fn state(&self) -> RouteState {
        let broken = self.broken().map(|broken| broken.reason.clone());
        let (state, note) = match broken {
            _ if !self.enabled => (State::Disabled, None),
            Some(reason) => (State::Failed(reason), None),
            None if self.is_made(Side::Input) && self.is_made(Side::Output) => (
                State::Running,
                self.why_not_whole().or_else(|| self.why_no_type()),
            ),
            None if self.settled.is_some() => (State::Started, self.why_not_running()),
            None => (State::Enabled, Some(self.why_not_started())),
        };
        SlotState { state, note }
    }

    fn why_not_started(&self) -> String {
        let topic = self.plan.inputs.first().map_or("", |input| &input.topic);
        match self.is_up {
            false => "waits for its participants".to_owned(),
            true => format!(
                "waits for an endpoint of {topic:?} to learn whether it has keys; or <register_type>"
            ),
        }
    }

    fn why_not_running(&self) -> Option<String> {
        let route_match = |end: &dyn End| end.mode() == CreationMode::OnRouteMatch;
        let mut inputs = self.plan.inputs.iter().map(|end| end as &dyn End);
        let mut outputs = self.plan.outputs.iter().map(|end| end as &dyn End);
        let never = inputs.all(route_match) && outputs.all(route_match);
        let never =
            never.then(|| "nothing would ever start: each side waits for the other".to_owned());
        never
            .or_else(|| self.why_not_whole())
            .or_else(|| self.why_no_type())
    }

    /// Is somebody there for an input or output?
    pub(crate) fn is_supported_at(&self, side: Side, index: usize) -> bool {
        let facts = match side {
            Side::Input => &self.inputs,
            Side::Output => &self.outputs,
        };
        facts.get(index).is_some_and(|fact| fact.is_true)
    }

    /// How it is with an input or output.
    pub(crate) fn slot_state(&self, side: Side, index: usize) -> SlotState {
        let of = |slot: &Slot| slot.side == side && slot.index == index && !slot.asks();
        let mut own = self
            .slots
            .iter()
            .filter(|(slot, _)| of(slot))
            .map(|(_, h)| h);
        let state = match self.failure(side, index) {
            _ if !self.enabled => State::Disabled,
            Some(reason) => State::Failed(reason.to_owned()),
            None if own.any(|have| have.status == Status::Made) => State::Running,
            None if self.settled.is_some() => State::Started,
            None => State::Enabled,
        };
        let note = self.note_of(side, index).filter(|_| self.enabled);
        SlotState { state, note }
    }
}

/// Does an endpoint exist whose domain matches or not, and on whose other side there is one?
fn exists(mode: CreationMode, domain: bool, route: bool) -> bool {
    match mode {
        CreationMode::Immediate => true,
        CreationMode::OnDomainMatch => domain,
        CreationMode::OnRouteMatch => route,
        CreationMode::OnDomainAndRouteMatch => domain && route,
        CreationMode::OnDomainOrRouteMatch => domain || route,
        CreationMode::OnDemand { .. } => false,
    }
}
