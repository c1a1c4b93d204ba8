//! The table: which inputs and outputs there should be, from what discovery knows.
//!
//! It decides and does nothing. Events come in with their time: connections, endpoints of others,
//! what became of commands. Commands go out: make this reader, remove that writer. There is no
//! clock and no participant here, so its rules are tested without any.
//!
//! Facts are recomputed from what is known whenever that changes; nothing is counted up and down,
//! so nothing drifts. Whether an input or output should exist is a least fixed point: it begins
//! with none, and those come in that a remote endpoint supports, or one that is in already. So two
//! that only support each other do not keep each other alive.
mod auto;
mod entry;
mod known;
mod rate;
pub(crate) mod reload;
pub(crate) mod sources;
#[cfg(test)]
mod tests;
mod via;

use crate::plan::{CreationMode, Input, Limits, Output, Path, Plan, Route, Session};
use crate::types::Knowledge;
use auto::Auto;
use dunlin::observe::{ReaderData, WriterData};
use dunlin::untyped::EncodedTypeInformation;
use dunlin::{Guid, GuidPrefix};
use known::Known;
use rate::Rate;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

pub(crate) use auto::rename;
pub(crate) use entry::{Asked, Entry, SOURCE, source_of};
pub(crate) use sources::{Basis, writer_qos};
pub(crate) use via::Via;

/// Time since the service started.
pub(crate) type Time = std::time::Duration;

/// Which side of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Side {
    /// Outputs go first, so that nothing is taken before it can be written.
    Output,
    Input,
}

/// A place for an endpoint of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Slot {
    pub(crate) side: Side,
    /// Which of the route's inputs or outputs.
    pub(crate) index: usize,
    /// For which group of sources, or which source; 0 if for all.
    pub(crate) group: u64,
}

impl Slot {
    /// In the place of a group: the reader that asks other services for sources.
    const ASKS: u64 = u64::MAX;

    /// Is it one that asks, so that nothing comes by it?
    fn asks(&self) -> bool {
        self.group == Self::ASKS
    }
}

/// A route, for as long as the service runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct RouteId(pub(crate) usize);

/// What a route knows of its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TypeFacts {
    pub(crate) name: String,
    pub(crate) keyed: bool,
    /// What the source announces of it, if it is to be passed on.
    pub(crate) information: Option<EncodedTypeInformation>,
}

/// How an endpoint is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Design {
    pub(crate) ty: TypeFacts,
    pub(crate) basis: Basis,
    /// The way to what supports it.
    pub(crate) via: Via,
    /// Its source is there, not only believed to be.
    pub(crate) is_alive: bool,
    /// Of an input: sources that nothing is passed on of.
    pub(crate) returning: Vec<Guid>,
    /// Of an input: what the readers beyond want, if that is asked for.
    pub(crate) asked: Asked,
}

impl Design {
    /// May an endpoint of one become one of the other, without being made anew?
    fn is_alike(&self, other: &Self) -> bool {
        let same_type = self.ty.name == other.ty.name && self.ty.keyed == other.ty.keyed;
        same_type && self.basis.is_alike(&other.basis)
    }
}

/// Something to be done.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    /// Make an endpoint; the answer is [`Table::made`] or [`Table::failed`].
    Make(RouteId, Slot, Box<Design>),
    /// Have the route do what its plan says now.
    Reform(RouteId),
    /// Have one that was made announce what it is now.
    Change(RouteId, Slot, Box<Design>),
    /// Remove one that was made.
    Remove(RouteId, Slot),
    /// Forget a route that an auto route had made.
    Forget(RouteId),
}

/// A route that wants to know what its type is.
#[derive(Clone, Debug)]
pub(crate) struct OpenType {
    pub(crate) route: RouteId,
    /// The registered name, as far as it is known.
    pub(crate) name: Option<String>,
    /// Connections and source writers that may be asked.
    pub(crate) witnesses: Vec<(usize, Guid)>,
}

/// Where a route is in the plan.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) path: Path,
    pub(crate) domain_route: usize,
    pub(crate) session: usize,
    /// The number of the first connection of its domain route among all.
    pub(crate) connections: usize,
}

impl Place {
    /// Of something in it.
    fn of(&self, name: &str) -> Self {
        Self {
            path: Path(format!("{}/{name}", self.path)),
            ..self.clone()
        }
    }
}

/// See the module.
pub(crate) struct Table {
    limits: Limits,
    connections: Vec<Known>,
    rates: Vec<Rate>,
    routes: BTreeMap<RouteId, Entry>,
    /// Routes that a topic of a connection concerns.
    by_topic: HashMap<(usize, String), BTreeSet<RouteId>>,
    autos: Vec<Auto>,
    dirty: BTreeSet<RouteId>,
    commands: Vec<Command>,
    /// What ends routes whose place others take, when these are there.
    retired: Vec<Command>,
    /// By which the service is known in [`Via`].
    router: u32,
    /// The next route has this number.
    next: usize,
    /// Routes that were refused for the limit.
    refused: u64,
}

impl Table {
    pub(crate) fn new(plan: &Plan, router: u32) -> Self {
        let connections = plan.domain_routes.iter().map(|d| d.connections.len()).sum();
        let mut table = Self {
            limits: plan.limits,
            connections: (0..connections).map(|_| Known::default()).collect(),
            rates: vec![Rate::new(plan.limits.endpoints_per_second); connections],
            routes: BTreeMap::new(),
            by_topic: HashMap::new(),
            autos: Vec::new(),
            dirty: BTreeSet::new(),
            commands: Vec::new(),
            retired: Vec::new(),
            router,
            next: 0,
            refused: 0,
        };
        for (place, session, enabled) in sessions(plan) {
            for route in &session.routes {
                let place = place.of(&format!("routes/{}", route.name));
                table.add_route(place, route, enabled && route.enabled);
            }
            for auto in &session.auto_routes {
                let place = place.of(&format!("auto_routes/{}", auto.name));
                let auto = Auto::new(place, auto.clone(), enabled && auto.enabled);
                table.autos.push(auto);
            }
        }
        table
    }

    /// Adds a route, unless there are as many as there may be.
    fn add_route(&mut self, place: Place, route: &Route, enabled: bool) -> Option<RouteId> {
        if self.routes.len() >= self.limits.routes {
            self.refused += 1;
            return None;
        }
        let id = RouteId(self.next);
        self.next += 1;
        self.note_topics(id, &place, route);
        let entry = Entry::new(place, Arc::new(route.clone()), enabled);
        self.routes.insert(id, entry);
        self.dirty.insert(id);
        Some(id)
    }

    /// Has the route hear of the topics of its inputs and outputs.
    fn note_topics(&mut self, id: RouteId, place: &Place, route: &Route) {
        let first = place.connections;
        let inputs = route.inputs.iter().map(|i| (i.connection, &i.topic));
        let outputs = route.outputs.iter().map(|o| (o.connection, &o.topic));
        for (connection, topic) in inputs.chain(outputs) {
            let concerned = self.by_topic.entry((first + connection, topic.clone()));
            concerned.or_default().insert(id);
        }
    }

    /// Forgets a route for which nothing is left.
    fn remove_route(&mut self, id: RouteId) {
        self.routes.remove(&id);
        for concerned in self.by_topic.values_mut() {
            concerned.remove(&id);
        }
        self.by_topic.retain(|_, concerned| !concerned.is_empty());
        self.commands.push(Command::Forget(id));
    }

    /// Has auto routes make routes of a topic and type, if they are for it.
    fn offer(&mut self, side: Side, connection: usize, topic: &str, type_name: &str) {
        for at in 0..self.autos.len() {
            let Some(auto) = self.autos.get(at) else {
                continue;
            };
            let Some((place, route)) = auto.route(side, connection, topic, type_name) else {
                continue;
            };
            let enabled = auto.enabled;
            // Of a reader beyond it may be another one.
            let topic = route.inputs.first().map_or(topic, |input| &input.topic);
            let id = self.add_route(place, &route, enabled);
            if let (Some(id), Some(auto)) = (id, self.autos.get_mut(at)) {
                auto.note(topic, type_name, id);
            }
        }
    }

    /// The auto routes.
    pub(crate) fn autos(&self) -> &[Auto] {
        &self.autos
    }

    /// How often a route was refused since there are as many as there may be.
    pub(crate) fn refused(&self) -> u64 {
        self.refused
    }

    /// Participants of connections are there from now on, or none. Endpoints of those before are
    /// gone with them. What joins together is told together, so that no input is made before an
    /// output that can be made as well.
    pub(crate) fn connections(&mut self, now: Time, connections: &[usize], is_up: bool) {
        for connection in connections {
            let Some(known) = self.connections.get_mut(*connection) else {
                continue;
            };
            *known = Known::default();
            known.is_up = is_up;
            let all = self.routes.iter_mut();
            for (id, entry) in all.filter(|(_, entry)| entry.uses(*connection)) {
                entry.lose(*connection);
                self.dirty.insert(*id);
            }
        }
        self.settle(now);
    }

    /// A participant of another service is in the domain of a connection, or not any more.
    pub(crate) fn service(
        &mut self,
        now: Time,
        connection: usize,
        participant: GuidPrefix,
        is_there: bool,
    ) {
        let known = self.known(connection);
        if known.is_some_and(|known| known.note_service(participant, is_there)) {
            let all = self.routes.iter();
            let concerned = all.filter(|(_, entry)| entry.uses(connection));
            self.dirty.extend(concerned.map(|(id, _)| *id));
            self.settle(now);
        }
    }

    /// A writer of another participant is there, or says something else of itself than before.
    pub(crate) fn writer(&mut self, now: Time, connection: usize, data: Box<WriterData>) {
        let topic = data.topic.clone();
        if Via::of(&data.qos.property).counts(self.router) {
            self.offer(Side::Input, connection, &topic, &data.type_name);
        }
        let before = self.known(connection).and_then(|k| k.add_writer(data));
        self.concern(now, connection, [before, Some(topic)]);
    }

    /// As [`writer`](Self::writer), a reader.
    pub(crate) fn reader(&mut self, now: Time, connection: usize, data: Box<ReaderData>) {
        let topic = data.topic.clone();
        if Via::of(&data.qos.property).counts(self.router) {
            self.offer(Side::Output, connection, &topic, &data.type_name);
        }
        let before = self.known(connection).and_then(|k| k.add_reader(data));
        self.concern(now, connection, [before, Some(topic)]);
    }

    /// An endpoint of another participant is gone.
    pub(crate) fn gone(&mut self, now: Time, connection: usize, endpoint: Guid) {
        let topic = self.known(connection).and_then(|k| k.remove(&endpoint));
        self.concern(now, connection, [topic, None]);
    }

    /// An endpoint was made as a command said.
    pub(crate) fn made(&mut self, now: Time, route: RouteId, slot: Slot) {
        self.answered(now, route, |entry| entry.made(slot));
    }

    /// It could not be made, for this reason.
    pub(crate) fn failed(&mut self, now: Time, route: RouteId, slot: Slot, reason: String) {
        self.answered(now, route, |entry| entry.failed(now, slot, reason));
    }

    /// A route does harm, for this reason.
    pub(crate) fn break_off(&mut self, now: Time, route: RouteId, reason: String) {
        self.answered(now, route, |entry| entry.break_off(now, reason));
    }

    /// The routes that want to know what their type is: its registered name, as far as it is known,
    /// and the sources that may be asked.
    pub(crate) fn open_types(&self) -> Vec<OpenType> {
        let open = self.routes.iter().filter(|(_, e)| e.asks_for_type());
        let open = open.map(|(id, entry)| OpenType {
            route: *id,
            name: entry.type_name(Side::Input, 0).map(str::to_owned),
            witnesses: entry.witnesses(&self.connections, self.router),
        });
        open.collect()
    }

    /// This is what the type of a route is, or why that is not known.
    pub(crate) fn learn(&mut self, now: Time, route: RouteId, knowledge: Knowledge) {
        if let (Knowledge::Unknown(why), Some(entry)) = (&knowledge, self.routes.get(&route))
            && entry.has_heard(why)
        {
            return;
        }
        self.answered(now, route, |entry| entry.learn(knowledge));
    }

    /// An administrator enables auto routes, or disables them.
    pub(crate) fn enable_autos(&mut self, is_meant: impl Fn(&str) -> bool, enabled: bool) {
        let all = self.autos.iter_mut();
        let own = all.filter(|auto| is_meant(&auto.place.path.0));
        own.for_each(|auto| auto.enabled = enabled);
    }

    /// An administrator enables a route, or disables it.
    pub(crate) fn enable(&mut self, now: Time, route: RouteId, enabled: bool) {
        self.answered(now, route, |entry| entry.enabled = enabled);
    }

    /// The time has come that [`next_timeout`](Self::next_timeout) said.
    pub(crate) fn handle_timeout(&mut self, now: Time) {
        let due = self.routes.iter().filter(|(_, entry)| entry.is_due(now));
        let due: Vec<RouteId> = due.map(|(id, _)| *id).collect();
        self.dirty.extend(due);
        for auto in &mut self.autos {
            auto.look(now, &self.connections, self.router);
        }
        self.settle(now);
    }

    /// When something is to be done though nothing happens.
    pub(crate) fn next_timeout(&self) -> Option<Time> {
        let routes = self.routes.values().filter_map(Entry::due);
        routes.chain(self.autos.iter().filter_map(Auto::due)).min()
    }

    /// What is to be done, in this order.
    pub(crate) fn take_commands(&mut self) -> Vec<Command> {
        match self.commands.is_empty() {
            true => std::mem::take(&mut self.retired),
            false => std::mem::take(&mut self.commands),
        }
    }

    /// All routes.
    pub(crate) fn routes(&self) -> impl Iterator<Item = (RouteId, &Entry)> {
        self.routes.iter().map(|(id, entry)| (*id, entry))
    }

    pub(crate) fn route(&self, id: RouteId) -> Option<&Entry> {
        self.routes.get(&id)
    }

    fn known(&mut self, connection: usize) -> Option<&mut Known> {
        self.connections.get_mut(connection)
    }

    fn answered(&mut self, now: Time, route: RouteId, change: impl FnOnce(&mut Entry)) {
        if let Some(entry) = self.routes.get_mut(&route) {
            change(entry);
            self.dirty.insert(route);
            self.settle(now);
        }
    }

    /// Endpoints of these topics came, changed or went.
    fn concern(&mut self, now: Time, connection: usize, topics: [Option<String>; 2]) {
        for topic in topics.into_iter().flatten() {
            let concerned = self.by_topic.get(&(connection, topic));
            self.dirty.extend(concerned.into_iter().flatten());
        }
        self.settle(now);
    }

    /// Looks again at all routes that something has changed for.
    fn settle(&mut self, now: Time) {
        let mut room = self.limits.endpoints.saturating_sub(self.endpoints());
        for id in std::mem::take(&mut self.dirty) {
            let Some(entry) = self.routes.get_mut(&id) else {
                continue;
            };
            entry.recompute(now, &self.connections, self.router);
            entry.reconcile(now, id, &mut self.rates, &mut room, &mut self.commands);
            if !entry.is_over() {
                continue;
            }
            // What an administrator said of a route alone is not forgotten with its endpoints.
            let enabled = entry.enabled;
            let mut alike = self.autos.iter_mut().filter(|auto| auto.enabled == enabled);
            if alike.any(|auto| auto.forget(id)) {
                self.remove_route(id);
            }
        }
    }

    /// Inputs and outputs that are there or being made.
    fn endpoints(&self) -> usize {
        self.routes.values().map(Entry::endpoints).sum()
    }
}

/// All sessions of a plan: where they are, and whether what they contain may start.
fn sessions(plan: &Plan) -> Vec<(Place, &Session, bool)> {
    let mut all = Vec::new();
    let mut connections = 0;
    for (at, domain_route) in plan.domain_routes.iter().enumerate() {
        let enabled = plan.enabled && domain_route.enabled;
        for (number, session) in domain_route.sessions.iter().enumerate() {
            let place = Place {
                path: Path(session_path(plan, &domain_route.name, &session.name)),
                domain_route: at,
                session: number,
                connections,
            };
            all.push((place, session, enabled && session.enabled));
        }
        connections += domain_route.connections.len();
    }
    all
}

pub(crate) fn session_path(plan: &Plan, domain_route: &str, session: &str) -> String {
    let service = &plan.name;
    format!("/routing_services/{service}/domain_routes/{domain_route}/sessions/{session}")
}

/// What inputs and outputs have in common for the table.
trait End {
    fn connection(&self) -> usize;
    fn type_name(&self) -> Option<&str>;
    fn mode(&self) -> CreationMode;
}

impl End for Input {
    fn connection(&self) -> usize {
        self.connection
    }
    fn type_name(&self) -> Option<&str> {
        self.type_name.as_deref()
    }
    fn mode(&self) -> CreationMode {
        self.mode
    }
}

impl End for Output {
    fn connection(&self) -> usize {
        self.connection
    }
    fn type_name(&self) -> Option<&str> {
        self.type_name.as_deref()
    }
    fn mode(&self) -> CreationMode {
        self.mode
    }
}
