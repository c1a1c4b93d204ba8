//! What the thread of a service does: it tells the table what happened, and does what that says.
use super::StartError;
use super::ends::{self, Endpoint, Ends};
use super::platform::Platform;
use super::poller::Poller;
use super::site::{self, Identity, Site, Threads};
use super::words::Words;
use crate::clock::Clock;
use crate::engine::{Budget, RouteCore, Rules};
use crate::plan::{
    Administration, Difference, Monitoring, OtherService, Plan, Route, Waiting, diff,
};
use crate::processor::{self, Processor};
use crate::table::{Command, Design, Entry, RouteId, Side, Slot, Table, Time, reload};
use dunlin::observe::{DiscoveryEvent, EntityChange};
use dunlin::{EntityId, Guid, ParticipantConfig, WaitSet};
use std::collections::{HashMap, hash_map};
use std::num::NonZero;
use std::sync::Arc;

/// A plan that is carried out.
pub(super) struct Execution {
    pub(super) around: Around,
    pub(super) table: Table,
    pub(super) routes: HashMap<RouteId, Ends>,
    /// The plan as it was given.
    pub(super) configured: Plan,
    /// What an administrator has said beside it.
    pub(super) words: Words,
    platform: Platform,
    /// Receives for those that share a thread.
    poller: Option<Poller>,
    /// When a route has something to do again.
    due: Option<Time>,
    /// How many sites the wait set knows.
    watched: Vec<bool>,
    pub(super) has_ended: bool,
    /// Why nothing is published although the plan wants it.
    pub(super) unmonitored: Option<String>,
}

/// What is to end, the endpoints before their participants.
pub(super) struct Ended {
    endpoints: Vec<Endpoint>,
    sites: Vec<Site>,
    clock: Clock,
}

impl Drop for Ended {
    fn drop(&mut self) {
        ends::end(std::mem::take(&mut self.endpoints), &self.clock);
        self.sites.iter_mut().for_each(Site::leave);
    }
}

/// What the routes are in.
pub(super) struct Around {
    pub(super) plan: Plan,
    pub(super) sites: Vec<Site>,
    pub(super) who: Identity,
    budget: Arc<Budget>,
}

impl Around {
    /// How often the processor of a route is called without data.
    fn period(&self, table: &Table, id: RouteId, of: Option<&dyn Processor>) -> Option<Time> {
        let processor = of?;
        let configured = || {
            let entry = table.route(id)?;
            let domain_route = self.plan.domain_routes.get(entry.place.domain_route)?;
            let session = domain_route.sessions.get(entry.place.session)?;
            let period = entry.plan.settings.period.or(session.period)?;
            Time::try_from(period).ok()
        };
        let period = processor.period().or_else(configured);
        period.or_else(|| processor.usual_period())
    }

    /// Where an endpoint of a route is to be made.
    fn site<'a>(
        &'a self,
        table: &Table,
        id: RouteId,
        slot: Slot,
    ) -> Result<(ends::Site<'a>, Arc<Route>), String> {
        let entry = table.route(id).ok_or("its route is gone")?;
        let domain_route = self.plan.domain_routes.get(entry.place.domain_route);
        let session = domain_route.and_then(|d| d.sessions.get(entry.place.session));
        let site = entry.connection(slot.side, slot.index);
        let site = site.and_then(|at| self.sites.get(at));
        let session = session.ok_or("its session is gone")?;
        let topic = entry.plan.inputs.first().map_or("", |input| &input.topic);
        let site = ends::Site {
            place: site
                .and_then(|site| place(site, topic, session.threads.size))
                .ok_or("its participant is gone")?,
            session,
            budget: &self.budget,
            router: self.who.router,
            types: &self.plan.types,
        };
        Ok((site, Arc::clone(&entry.plan)))
    }
}

impl Execution {
    pub(super) fn start(plan: Plan, platform: Platform) -> Result<Self, StartError> {
        let who = Identity {
            service: plan.name.clone(),
            group: plan.group.clone(),
            // 0 stands for nobody.
            router: platform.router.max(1),
            execution: platform.execution,
        };
        let sites: Vec<Site> = sites(&plan);
        let mut execution = Self {
            configured: plan.clone(),
            words: Words::default(),
            table: Table::new(&plan, who.router),
            watched: vec![false; sites.len()],
            around: Around {
                sites,
                who,
                budget: Budget::new(plan.limits.payload_bytes),
                plan,
            },
            routes: HashMap::new(),
            platform,
            poller: None,
            due: None,
            has_ended: false,
            unmonitored: None,
        };
        let failed = execution.join();
        let joined = execution.around.sites.iter().any(Site::is_up);
        match failed.is_empty() || joined {
            true => Ok(execution),
            false => Err(StartError::NoParticipant(failed)),
        }
    }

    pub(super) fn now(&self) -> Time {
        self.platform.clock.now()
    }

    /// Joins what has not been joined and is due; returns what failed.
    fn join(&mut self) -> Vec<(String, dunlin::Error)> {
        let (mut failed, mut joined) = (Vec::new(), Vec::new());
        for at in 0..self.around.sites.len() {
            let now = self.now();
            let Some(site) = self.around.sites.get_mut(at) else {
                continue;
            };
            match site.join(now, &self.around.who, &*self.platform.join) {
                Ok(true) => joined.push(at),
                Ok(false) => {}
                Err(error) => failed.push((site.name.clone(), error)),
            }
        }
        if !joined.is_empty() {
            self.table.connections(self.now(), &joined, true);
            self.share();
        }
        failed
    }

    /// One thread receives for all that share it.
    fn share(&mut self) {
        let sites = || self.around.sites.iter();
        let shared: Vec<_> = sites().flat_map(Site::shared).cloned().collect();
        match &self.poller {
            _ if shared.is_empty() => self.poller = None,
            Some(poller) => poller.set(shared),
            None => {
                let processors = sites().map(Site::processors).find(|list| !list.is_empty());
                // Without it their own threads receive.
                self.poller = Poller::start(shared, processors.unwrap_or_default()).ok();
            }
        }
    }

    /// One turn: what discovery says, what is due, what is to be done. Returns what ends when it is
    /// dropped.
    pub(super) fn turn(&mut self, waits: &WaitSet) -> Ended {
        self.join();
        for at in 0..self.around.sites.len() {
            self.watch(at, waits);
            self.discover(at);
        }
        self.table.handle_timeout(self.now());
        self.end_echoes();
        let relieves = self.relieve();
        let asks = self.learn_types(self.now());
        let ended = self.carried_out();
        // What has just been made has things to do as well.
        let works = self.work_on_time();
        self.due = [relieves, works, asks].into_iter().flatten().min();
        ended
    }

    /// When the next turn is due though nothing happens.
    pub(super) fn next_timeout(&self) -> Option<Time> {
        let sites = self.around.sites.iter().filter_map(Site::due);
        let table = self.table.next_timeout();
        let due = sites.chain(table).chain(self.due).min()?;
        Some(due.saturating_sub(self.now()))
    }

    /// Ends routes whose samples come back to them.
    fn end_echoes(&mut self) {
        let all = self.routes.iter();
        let echoes = all.filter_map(|(id, ends)| Some((*id, ends.core.take_echo()?)));
        let echoes: Vec<(RouteId, Guid)> = echoes.collect();
        let now = self.now();
        for (id, writer) in echoes {
            let sites = self.around.sites.iter();
            let joined = sites.filter_map(Site::joined);
            let participant = Guid::new(writer.prefix, EntityId::PARTICIPANT);
            let mut who = joined
                .filter_map(|joined| joined.participant.discovered_participant_data(participant));
            let name = who.next().map(|data| data.name).unwrap_or_default();
            let (own, group) = (&self.around.who.service, &self.around.who.group);
            let reason = format!(
                "echo: what service {own:?} writes comes back to it from participant {name:?} (writer {writer}), which does \
                 not say that these are copies: have one of the two leave the topic alone, have the other one pass on the \
                 original writer's GUID, or give both the group_name {group:?} if it knows groups"
            );
            self.table.break_off(now, id, reason);
        }
    }

    /// No far reader holds up its topic for ever. Returns when to look again.
    fn relieve(&mut self) -> Option<Time> {
        let now = self.now();
        let all = self.routes.iter_mut();
        let next = all.filter_map(|(route, ends)| {
            let patience = self.table.route(*route)?.plan.settings.stall_timeout;
            // One without end is no time of the standard library.
            ends.relieve(now, Time::try_from(patience).ok()?)
        });
        next.min()
    }

    /// What routes do now and then; returns when again.
    fn work_on_time(&mut self) -> Option<Time> {
        let now = self.now();
        let all = self.routes.values_mut();
        let next = all.flat_map(|ends| {
            let sources = ends.core.forget_sources(now);
            let gates = ends.open_gates(now);
            [ends.assert_liveliness(now), ends.tick(now), sources, gates]
        });
        next.flatten().min()
    }

    fn watch(&mut self, at: usize, waits: &WaitSet) {
        if let (Some(site), Some(watched)) = (self.around.sites.get(at), self.watched.get_mut(at))
            && site.is_up()
            && !std::mem::replace(watched, true)
        {
            site.watch(waits);
        }
    }

    fn discover(&mut self, at: usize) {
        let Some(site) = self.around.sites.get(at) else {
            return;
        };
        let (events, now) = (site.take_events(), self.now());
        for event in events {
            match event {
                DiscoveryEvent::Writer(EntityChange::Gone(guid))
                | DiscoveryEvent::Reader(EntityChange::Gone(guid)) => {
                    self.table.gone(now, at, guid);
                }
                DiscoveryEvent::Writer(EntityChange::Added(data) | EntityChange::Changed(data)) => {
                    self.table.writer(now, at, data)
                }
                DiscoveryEvent::Reader(EntityChange::Added(data) | EntityChange::Changed(data)) => {
                    self.table.reader(now, at, data)
                }
                DiscoveryEvent::Participant(EntityChange::Gone(guid)) => {
                    self.table.service(now, at, guid.prefix, false);
                }
                DiscoveryEvent::Participant(
                    EntityChange::Added(data) | EntityChange::Changed(data),
                ) => {
                    let is_service = site::is_service(&data);
                    self.table.service(now, at, data.guid.prefix, is_service);
                }
            }
        }
    }

    /// Does what the table says.
    fn carry_out(&mut self) -> Vec<Endpoint> {
        let mut ended = Vec::new();
        loop {
            let commands = self.table.take_commands();
            if commands.is_empty() {
                return ended;
            }
            for command in commands {
                match command {
                    Command::Make(route, slot, design) => self.make(route, slot, &design),
                    Command::Change(route, slot, design) => self.change(route, slot, &design),
                    Command::Reform(route) => self.reform(route),
                    Command::Remove(route, slot) => {
                        let ends = self.routes.get_mut(&route);
                        ended.extend(ends.and_then(|ends| ends.remove(slot)));
                    }
                    Command::Forget(route) => drop(self.routes.remove(&route)),
                }
            }
        }
    }

    fn make(&mut self, route: RouteId, slot: Slot, design: &Design) {
        let made = self.try_make(route, slot, design);
        let now = self.now();
        match made {
            Ok(()) => self.table.made(now, route, slot),
            Err(reason) => self.table.failed(now, route, slot, reason),
        }
    }

    fn try_make(&mut self, id: RouteId, slot: Slot, design: &Design) -> Result<(), String> {
        let (site, route) = self.around.site(&self.table, id, slot)?;
        let rules = Rules::new(&route.settings, site.router);
        let ends = match self.routes.entry(id) {
            hash_map::Entry::Occupied(known) => known.into_mut(),
            hash_map::Entry::Vacant(place) => {
                let ty = self.table.route(id).and_then(Entry::route_type);
                let processor = processor::of_route(&route, ty).map_err(|e| e.to_string())?;
                let period = self.around.period(&self.table, id, processor.as_deref());
                let outputs = route.outputs.len();
                let clock = self.platform.clock.clone();
                let core = RouteCore::new(rules, processor, outputs, clock);
                let entry = self.table.route(id);
                core.pause(entry.is_some_and(|entry| self.words.have_paused(&entry.place.path.0)));
                place.insert(Ends::new(core, period))
            }
        };
        let ty = self.table.route(id).and_then(Entry::route_type);
        let made = ends.make(&site, &route, slot, (design, ty));
        made.map_err(|error| error.to_string())
    }

    fn change(&mut self, id: RouteId, slot: Slot, design: &Design) {
        if let Ok((site, route)) = self.around.site(&self.table, id, slot)
            && let Some(ends) = self.routes.get_mut(&id)
        {
            let ty = self.table.route(id).and_then(Entry::route_type);
            ends.change(&site, &route, slot, (design, ty));
        }
    }

    /// Has a route process what it forwards as its plan says now.
    fn reform(&mut self, id: RouteId) {
        let Some(entry) = self.table.route(id) else {
            return;
        };
        let Some(ends) = self.routes.get_mut(&id) else {
            return;
        };
        // Plans are checked before they get here.
        if let Ok(processor) = processor::of_route(&entry.plan, entry.route_type()) {
            let period = self.around.period(&self.table, id, processor.as_deref());
            ends.process(processor, period, entry.plan.outputs.len());
        }
    }

    /// Takes over another plan of the same service; returns what it does, and what ends when it is
    /// dropped.
    pub(super) fn reload(&mut self, plan: Plan) -> Result<(Vec<Difference>, Ended), OtherService> {
        let configured = plan;
        let plan = self.words.over(&configured);
        let differences = diff(&self.around.plan, &plan)?;
        self.words.forget(&configured);
        self.configured = configured;
        let kept = reload::kept(&self.around.plan, &plan);
        let mut before: Vec<Option<Site>> = std::mem::take(&mut self.around.sites)
            .into_iter()
            .map(Some)
            .collect();
        let watched = std::mem::take(&mut self.watched);
        for (at, new) in sites(&plan).into_iter().enumerate() {
            let was = kept.get(at).copied().flatten();
            let known = was.and_then(|was| before.get_mut(was)?.take());
            let is_watched = was.and_then(|was| watched.get(was).copied());
            self.watched
                .push(known.is_some() && is_watched == Some(true));
            self.around.sites.push(known.unwrap_or(new));
        }
        let old = std::mem::replace(&mut self.around.plan, plan);
        self.around
            .budget
            .resize(self.around.plan.limits.payload_bytes);
        let now = self.now();
        self.table.reload(now, (&old, &self.around.plan), &kept);
        // What cannot join yet is tried again.
        self.join();
        self.share();
        let endpoints = self.carry_out();
        let sites = before.into_iter().flatten().collect();
        Ok((differences, self.ended(endpoints, sites)))
    }

    /// What is to be published, and by which participant.
    pub(super) fn monitoring(&self) -> Option<(Monitoring, ParticipantConfig)> {
        let plan = self.around.plan.monitoring.clone()?;
        let config = site::config(&plan.participant, &self.around.who);
        Some((plan, config))
    }

    /// Who answers requests, and by which participant.
    pub(super) fn administration(&self) -> Option<(Administration, ParticipantConfig)> {
        let plan = self.around.plan.administration.clone()?;
        let config = site::config(&plan.participant, &self.around.who);
        Some((plan, config))
    }

    /// What another plan would do.
    pub(super) fn compare(&self, plan: &Plan) -> Result<Vec<Difference>, OtherService> {
        diff(&self.around.plan, &self.words.over(plan))
    }

    /// The domains that are to be joined now.
    pub(super) fn enable_sites(&mut self) {
        let plan = &self.around.plan;
        let all = plan.domain_routes.iter().flat_map(|domain_route| {
            let enabled = plan.enabled && domain_route.enabled;
            domain_route.connections.iter().map(move |_| enabled)
        });
        for (site, enabled) in self.around.sites.iter_mut().zip(all) {
            site.enable(enabled);
        }
    }

    /// Does what the table says, and returns what ends when it is dropped.
    pub(super) fn carried_out(&mut self) -> Ended {
        let endpoints = self.carry_out();
        self.ended(endpoints, Vec::new())
    }

    fn ended(&self, endpoints: Vec<Endpoint>, sites: Vec<Site>) -> Ended {
        Ended {
            endpoints,
            sites,
            clock: self.platform.clock.clone(),
        }
    }

    /// Ends everything: nothing more is taken, and what was written has a moment to arrive.
    pub(super) fn end(&mut self) {
        if std::mem::replace(&mut self.has_ended, true) {
            return;
        }
        for side in [Side::Input, Side::Output] {
            let all = self.routes.values_mut();
            let ended: Vec<Endpoint> = all.flat_map(|ends| ends.remove_all(side)).collect();
            ends::end(ended, &self.platform.clock);
        }
        self.around.sites.iter_mut().for_each(Site::leave);
        self.poller = None;
    }
}

/// Where the endpoints of a connection are made.
fn place<'s>(site: &'s Site, topic: &str, threads: usize) -> Option<ends::Place<'s>> {
    let joined = site.joined();
    let joined = joined.map(|joined| ends::Place::Domain(joined.lane(topic, threads)));
    joined.or_else(|| site.beyond().map(ends::Place::Beyond))
}

/// The connections of a plan.
fn sites(plan: &Plan) -> Vec<Site> {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let mut sites = Vec::new();
    for domain_route in &plan.domain_routes {
        let enabled = plan.enabled && domain_route.enabled;
        for connection in &domain_route.connections {
            let (name, kind) = (&connection.name, &connection.kind);
            let waiting = kind.participant().and_then(|plan| plan.waiting);
            let waiting = waiting.map(|waiting| waiting.with_processors(processors));
            let threads = Threads {
                lanes: domain_route.lanes(connection),
                processors: domain_route.processors(),
                shared: waiting == Some(Waiting::Shared),
            };
            sites.push(Site::new(&domain_route.name, name, kind, enabled, threads));
        }
    }
    sites
}
