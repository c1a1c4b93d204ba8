//! What the table knows of one route.
use super::known::{Known, is_keyed};
use super::rate::Rate;
use super::{Command, End, Place, RouteId, Side, Slot, Time, TypeFacts};
use crate::plan::{CreationMode, Route};
use crate::state::State;
use dunlin::untyped::EncodedTypeInformation;
use std::collections::BTreeMap;
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
    inputs: Vec<Fact>,
    outputs: Vec<Fact>,
    wanted: BTreeMap<Slot, TypeFacts>,
    slots: BTreeMap<Slot, Have>,
    /// When it is to be looked at again.
    due: Option<Time>,
}

/// D of an input or output: whether a remote endpoint supports it.
#[derive(Clone, Copy, Debug, Default)]
struct Fact {
    /// As discovery has it now.
    is_true: bool,
    /// It was true until then; believed a while longer.
    until: Option<Time>,
}

/// The type of a route.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Settled {
    keyed: bool,
    /// By input.
    inputs: Vec<String>,
    /// By output.
    outputs: Vec<String>,
    information: Option<EncodedTypeInformation>,
}

/// An endpoint that is there, or is to be.
#[derive(Clone, Debug)]
struct Have {
    ty: TypeFacts,
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

/// How it is with an input or output, for those who look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SlotState {
    pub(crate) state: State,
    pub(crate) note: Option<String>,
}

/// How it is with a route.
pub(crate) type RouteState = SlotState;

impl Fact {
    /// As it is now; true for those who believe it.
    fn see(&mut self, now: Time, is_true: bool, linger: Time) {
        match (self.is_true, is_true) {
            (true, false) => self.until = Some(now + linger),
            (_, true) => self.until = None,
            (false, false) => self.until = self.until.filter(|until| *until > now),
        }
        self.is_true = is_true;
    }

    fn is_believed(&self) -> bool {
        self.is_true || self.until.is_some()
    }
}

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
            wanted: BTreeMap::new(),
            slots: BTreeMap::new(),
            due: None,
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

    pub(super) fn is_due(&self, now: Time) -> bool {
        self.due.is_some_and(|due| due <= now)
    }

    pub(super) fn due(&self) -> Option<Time> {
        self.due
    }

    /// Inputs and outputs that are there or being made.
    pub(super) fn endpoints(&self) -> usize {
        self.slots.len()
    }

    /// What should be there, from what is known now.
    pub(super) fn recompute(&mut self, now: Time, connections: &[Known]) {
        self.see(now, connections);
        self.wanted = BTreeMap::new();
        let ends = self.plan.inputs.len() + self.plan.outputs.len();
        let used = (0..connections.len()).filter(|c| self.uses(*c));
        self.is_up = used.clone().all(|c| connections[c].is_up);
        if !self.enabled || ends == 0 {
            self.settled = None;
            return;
        }
        if self.settled.is_none() {
            self.settled = self.find_type(connections);
        }
        let Some(settled) = &self.settled else { return };
        let (inputs, outputs) = self.existing();
        let sides = [(Side::Output, outputs), (Side::Input, inputs)];
        for (side, exists) in sides {
            for (index, _) in exists.iter().enumerate().filter(|(_, exists)| **exists) {
                let connection = self.connection(side, index);
                let is_up = |c: usize| connections.get(c).is_some_and(|known| known.is_up);
                let Some(ty) = settled
                    .of(side, index)
                    .filter(|_| connection.is_some_and(is_up))
                else {
                    continue;
                };
                let group = 0;
                self.wanted.insert(Slot { side, index, group }, ty);
            }
        }
        let nobody = |facts: &[Fact]| !facts.iter().any(Fact::is_believed);
        if self.wanted.is_empty() && nobody(&self.inputs) && nobody(&self.outputs) {
            self.settled = None;
        }
    }

    /// D of each input and output.
    fn see(&mut self, now: Time, connections: &[Known]) {
        let linger = Time::try_from(self.plan.settings.linger).unwrap_or(Time::MAX / 4);
        for index in 0..self.inputs.len() {
            let is_true = self.sources(connections, index).next().is_some();
            self.inputs[index].see(now, is_true, linger);
        }
        for index in 0..self.outputs.len() {
            let is_true = self.sinks(connections, index).next().is_some();
            self.outputs[index].see(now, is_true, linger);
        }
    }

    /// The writers that an input is for.
    fn sources<'a>(
        &'a self,
        connections: &'a [Known],
        index: usize,
    ) -> impl Iterator<Item = &'a dunlin::observe::WriterData> {
        let end = self.plan.inputs.get(index);
        let known = self.connection(Side::Input, index);
        let known = known.and_then(|connection| connections.get(connection));
        let all = known.zip(end).into_iter();
        let all = all.flat_map(|(known, end)| known.writers(&end.topic));
        all.filter(move |data| self.is_of_type(Side::Input, index, &data.type_name))
    }

    /// The readers that an output is for.
    fn sinks<'a>(
        &'a self,
        connections: &'a [Known],
        index: usize,
    ) -> impl Iterator<Item = &'a dunlin::observe::ReaderData> {
        let end = self.plan.outputs.get(index);
        let known = self.connection(Side::Output, index);
        let known = known.and_then(|connection| connections.get(connection));
        let all = known.zip(end).into_iter();
        let all = all.flat_map(|(known, end)| known.readers(&end.topic));
        all.filter(move |data| self.is_of_type(Side::Output, index, &data.type_name))
    }

    /// The type of an input or output, as far as it is known.
    pub(crate) fn type_name(&self, side: Side, index: usize) -> Option<&str> {
        let planned = self.end(side, index).and_then(End::type_name);
        let settled = self.settled.as_ref();
        planned.or_else(|| settled.and_then(|s| s.name(side, index)))
    }

    /// Is it the type of this input or output? While that is not known, any is.
    fn is_of_type(&self, side: Side, index: usize, name: &str) -> bool {
        let wanted = self.type_name(side, index);
        wanted.is_none_or(|wanted| wanted == name)
    }

    /// The type: what the plan says, else what the first endpoint that is known says.
    fn find_type(&self, connections: &[Known]) -> Option<Settled> {
        let inputs = 0..self.plan.inputs.len();
        let outputs = 0..self.plan.outputs.len();
        let sources = || inputs.clone().flat_map(|i| self.sources(connections, i));
        let sinks = || outputs.clone().flat_map(|o| self.sinks(connections, o));
        let planned = self.plan.inputs.iter().find_map(|input| input.keyed);
        let seen = || {
            let guids = sources().map(|w| w.guid).chain(sinks().map(|r| r.guid));
            let mut guids = guids;
            guids.find_map(|guid| is_keyed(&guid))
        };
        let keyed = planned.or_else(seen)?;
        let inputs_planned = self.plan.inputs.iter().filter_map(|i| i.type_name.clone());
        let outputs_planned = self.plan.outputs.iter().filter_map(|o| o.type_name.clone());
        let any = inputs_planned.chain(sources().map(|w| w.type_name.clone()));
        let mut any = any
            .chain(sinks().map(|r| r.type_name.clone()))
            .chain(outputs_planned);
        let any = any.next()?;
        let input_name = |(at, input): (usize, &crate::plan::Input)| {
            let seen = || {
                self.sources(connections, at)
                    .next()
                    .map(|w| w.type_name.clone())
            };
            input
                .type_name
                .clone()
                .or_else(seen)
                .unwrap_or_else(|| any.clone())
        };
        let inputs: Vec<String> = self
            .plan
            .inputs
            .iter()
            .enumerate()
            .map(input_name)
            .collect();
        let first = inputs.first().unwrap_or(&any).clone();
        let output_name = |output: &crate::plan::Output| {
            let own = output.type_name.clone();
            own.unwrap_or_else(|| first.clone())
        };
        let outputs: Vec<String> = self.plan.outputs.iter().map(output_name).collect();
        let passes = self.plan.settings.route_types;
        let information = sources().next().and_then(|w| w.type_information.clone());
        Some(Settled {
            keyed,
            inputs,
            outputs,
            information: information.filter(|_| passes),
        })
    }

    /// Which inputs and outputs should exist: the least that support each other.
    fn existing(&self) -> (Vec<bool>, Vec<bool>) {
        let mut inputs = vec![false; self.inputs.len()];
        let mut outputs = vec![false; self.outputs.len()];
        let wanted = self.outputs.iter().any(Fact::is_believed);
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
                    CreationMode::OnDemand { always } => fact.is_believed() || always && offered,
                    mode => exists(mode, fact.is_believed(), beyond),
                });
            }
            if before == (inputs.clone(), outputs.clone()) {
                return (inputs, outputs);
            }
        }
    }

    /// Says what is to be done so that there is what should be.
    pub(super) fn reconcile(
        &mut self,
        now: Time,
        id: RouteId,
        rates: &mut [Rate],
        room: &mut usize,
        commands: &mut Vec<Command>,
    ) {
        let facts = self.inputs.iter().chain(&self.outputs);
        let mut due: Vec<Time> = facts.filter_map(|fact| fact.until).collect();
        for slot in self.outdated() {
            match self.take_turn(now, slot, rates) {
                Ok(()) => {
                    self.slots.remove(&slot);
                    *room += 1;
                    commands.push(Command::Remove(id, slot));
                }
                Err(at) => due.push(at),
            }
        }
        let wanted: Vec<Slot> = self.wanted.keys().copied().collect();
        for slot in wanted {
            match self.slots.get(&slot).map(|have| &have.status) {
                Some(Status::Making | Status::Made) => continue,
                Some(Status::Failed(at, _)) if *at > now => {
                    due.push(*at);
                    continue;
                }
                None if *room == 0 => {
                    due.push(now + Time::from_secs(1));
                    continue;
                }
                _ => {}
            }
            match self.take_turn(now, slot, rates) {
                Ok(()) => self.make(id, slot, room, commands),
                Err(at) => due.push(at),
            }
        }
        self.due = due.into_iter().min();
    }

    /// Endpoints that should not be there, or not as they are.
    fn outdated(&mut self) -> Vec<Slot> {
        let wanted = &self.wanted;
        let fits = |slot: &Slot, have: &Have| {
            let is_alike = |ty: &TypeFacts| ty.name == have.ty.name && ty.keyed == have.ty.keyed;
            wanted.get(slot).is_some_and(is_alike)
        };
        // What failed is not there.
        let is_failed = |have: &Have| matches!(have.status, Status::Failed(..));
        self.slots
            .retain(|slot, have| fits(slot, have) || !is_failed(have));
        let made = self
            .slots
            .iter()
            .filter(|(_, have)| have.status == Status::Made);
        let outdated = made.filter(|(slot, have)| !fits(slot, have));
        outdated.map(|(slot, _)| *slot).collect()
    }

    /// One more endpoint of a participant is made or removed.
    fn take_turn(&self, now: Time, slot: Slot, rates: &mut [Rate]) -> Result<(), Time> {
        let connection = self.connection(slot.side, slot.index);
        match connection.and_then(|connection| rates.get_mut(connection)) {
            Some(rate) => rate.take(now),
            None => Ok(()),
        }
    }

    fn make(&mut self, id: RouteId, slot: Slot, room: &mut usize, commands: &mut Vec<Command>) {
        let Some(ty) = self.wanted.get(&slot).cloned() else {
            return;
        };
        let before = self.slots.get(&slot).map(|have| have.failures);
        if before.is_none() {
            *room = room.saturating_sub(1);
        }
        let have = Have {
            ty: ty.clone(),
            status: Status::Making,
            failures: before.unwrap_or_default(),
        };
        self.slots.insert(slot, have);
        commands.push(Command::Make(id, slot, Box::new(ty)));
    }

    fn is_made(&self, side: Side) -> bool {
        let mut all = self.slots.iter();
        all.any(|(slot, have)| slot.side == side && have.status == Status::Made)
    }

    /// How it is with the route.
    pub(crate) fn state(&self) -> RouteState {
        let (state, note) = match () {
            () if !self.enabled => (State::Disabled, None),
            () if self.is_made(Side::Input) && self.is_made(Side::Output) => (State::Running, None),
            () if self.settled.is_some() => (State::Started, self.why_not_running()),
            () => (State::Enabled, Some(self.why_not_started())),
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
        never.then(|| "nothing would ever start: each side waits for the other".to_owned())
    }

    /// How it is with an input or output.
    pub(crate) fn slot_state(&self, side: Side, index: usize) -> SlotState {
        let of = |slot: &Slot| slot.side == side && slot.index == index;
        let mut own = self
            .slots
            .iter()
            .filter(|(slot, _)| of(slot))
            .map(|(_, h)| h);
        let failed = own.clone().find_map(|have| match &have.status {
            Status::Failed(_, reason) => Some(reason.clone()),
            _ => None,
        });
        let state = match failed {
            _ if !self.enabled => State::Disabled,
            Some(reason) => State::Failed(reason),
            None if own.any(|have| have.status == Status::Made) => State::Running,
            None if self.settled.is_some() => State::Started,
            None => State::Enabled,
        };
        SlotState { state, note: None }
    }
}

impl Settled {
    fn name(&self, side: Side, index: usize) -> Option<&str> {
        let names = match side {
            Side::Input => &self.inputs,
            Side::Output => &self.outputs,
        };
        names.get(index).map(String::as_str)
    }

    fn of(&self, side: Side, index: usize) -> Option<TypeFacts> {
        let name = self.name(side, index)?;
        // The parameters are about the type of that name.
        let is_renamed = side == Side::Output && !self.inputs.iter().any(|input| input == name);
        let information = self.information.clone();
        Some(TypeFacts {
            name: name.to_owned(),
            keyed: self.keyed,
            information: information.filter(|_| side == Side::Output && !is_renamed),
        })
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
