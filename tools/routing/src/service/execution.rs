//! What the thread of a service does: it tells the table what happened, and does what that says.
use super::ends::{self, Endpoint, Ends};
use super::site::{Identity, Site};
use super::{Action, StartError, UnknownPath};
use crate::engine::{Budget, RouteCore, Rules};
use crate::plan::{ConnectionKind, Plan};
use crate::table::{Command, RouteId, Side, Slot, Table, Time, TypeFacts};
use dunlin::WaitSet;
use dunlin::observe::{DiscoveryEvent, EntityChange};
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Instant;

/// How long outputs are waited for at the end, all together.
const LAST_WORDS: Time = Time::from_secs(1);

/// A plan that is carried out.
pub(super) struct Execution {
    pub(super) plan: Plan,
    pub(super) table: Table,
    pub(super) sites: Vec<Site>,
    pub(super) routes: HashMap<RouteId, Ends>,
    who: Identity,
    budget: Arc<Budget>,
    started: Instant,
    /// How many sites the wait set knows.
    watched: Vec<bool>,
    pub(super) has_ended: bool,
}

impl Execution {
    pub(super) fn start(plan: Plan) -> Result<Self, StartError> {
        let random =
            || getrandom::u64().map_err(|e| StartError::System(io::Error::other(e.to_string())));
        let (router, execution) = (random()?, random()?);
        let who = Identity {
            service: plan.name.clone(),
            group: plan.group.clone(),
            // 0 stands for nobody.
            router: (router as u32).max(1),
            execution,
        };
        let sites: Vec<Site> = sites(&plan);
        let mut execution = Self {
            table: Table::new(&plan),
            watched: vec![false; sites.len()],
            sites,
            routes: HashMap::new(),
            who,
            budget: Budget::new(plan.limits.payload_bytes),
            started: Instant::now(),
            plan,
            has_ended: false,
        };
        let failed = execution.join();
        let joined = execution.sites.iter().any(|site| site.joined().is_some());
        match failed.is_empty() || joined {
            true => Ok(execution),
            false => Err(StartError::NoParticipant(failed)),
        }
    }

    fn now(&self) -> Time {
        self.started.elapsed()
    }

    /// Joins what has not been joined and is due; returns what failed.
    fn join(&mut self) -> Vec<(String, dunlin::Error)> {
        let mut failed = Vec::new();
        for at in 0..self.sites.len() {
            let now = self.now();
            let Some(site) = self.sites.get_mut(at) else {
                continue;
            };
            match site.join(now, &self.who) {
                Ok(true) => self.table.connection(now, at, true),
                Ok(false) => {}
                Err(error) => failed.push((site.name.clone(), error)),
            }
        }
        failed
    }

    /// One turn: what discovery says, what is due, what is to be done. Returns endpoints that end
    /// when they are dropped.
    pub(super) fn turn(&mut self, waits: &WaitSet) -> Vec<Endpoint> {
        self.join();
        for at in 0..self.sites.len() {
            self.watch(at, waits);
            self.discover(at);
        }
        self.table.handle_timeout(self.now());
        self.relieve();
        self.carry_out()
    }

    /// When the next turn is due though nothing happens.
    pub(super) fn next_timeout(&self) -> Option<Time> {
        let sites = self.sites.iter().filter_map(Site::due);
        let due = sites.chain(self.table.next_timeout()).min()?;
        Some(due.saturating_sub(self.now()))
    }

    /// No far reader holds up its topic for ever.
    fn relieve(&mut self) {
        let now = self.now();
        for (route, ends) in &mut self.routes {
            let entry = self.table.route(*route);
            let patience = entry.map(|entry| entry.plan.settings.stall_timeout);
            // One without end is no time of the standard library.
            if let Some(Ok(patience)) = patience.map(Time::try_from) {
                ends.relieve(now, patience);
            }
        }
    }

    fn watch(&mut self, at: usize, waits: &WaitSet) {
        if let (Some(site), Some(watched)) = (self.sites.get(at), self.watched.get_mut(at))
            && site.joined().is_some()
            && !std::mem::replace(watched, true)
        {
            site.watch(waits);
        }
    }

    fn discover(&mut self, at: usize) {
        let Some(joined) = self.sites.get(at).and_then(Site::joined) else {
            return;
        };
        let (events, now) = (joined.events.take(), self.now());
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
                DiscoveryEvent::Participant(_) => {}
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
                    Command::Make(route, slot, ty) => self.make(route, slot, &ty),
                    Command::Remove(route, slot) => {
                        let ends = self.routes.get_mut(&route);
                        ended.extend(ends.and_then(|ends| ends.remove(slot)));
                    }
                }
            }
        }
    }

    fn make(&mut self, route: RouteId, slot: Slot, ty: &TypeFacts) {
        let made = self.try_make(route, slot, ty);
        let now = self.now();
        match made {
            Ok(()) => self.table.made(now, route, slot),
            Err(reason) => self.table.failed(now, route, slot, reason),
        }
    }

    fn try_make(&mut self, route: RouteId, slot: Slot, ty: &TypeFacts) -> Result<(), String> {
        let gone = || "its route is gone".to_owned();
        let entry = self.table.route(route).ok_or_else(gone)?;
        let domain_route = self.plan.domain_routes.get(entry.place.domain_route);
        let session = domain_route.and_then(|d| d.sessions.get(entry.place.session));
        let session = session.ok_or_else(gone)?;
        let site = entry.connection(slot.side, slot.index);
        let site = site
            .and_then(|at| self.sites.get(at))
            .and_then(Site::joined);
        let site = ends::Site {
            joined: site.ok_or("its participant has not joined")?,
            session,
            budget: &self.budget,
        };
        let rules = Rules::new(&entry.plan.settings, self.who.router);
        let ends = self.routes.entry(route);
        let ends = ends.or_insert_with(|| Ends::new(RouteCore::new(rules)));
        let made = ends.make(&site, &entry.plan, slot, ty);
        made.map_err(|error| error.to_string())
    }

    /// What an administrator wants.
    pub(super) fn act(&mut self, path: &str, action: Action) -> Result<Vec<Endpoint>, UnknownPath> {
        let contains = |place: &str| {
            let rest = place.strip_prefix(path);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let all = self.table.routes();
        let named = all.filter(|(_, entry)| contains(&entry.place.path.0));
        let named: Vec<RouteId> = named.map(|(id, _)| id).collect();
        if named.is_empty() {
            return Err(UnknownPath(path.to_owned()));
        }
        let now = self.now();
        for route in named {
            match action {
                Action::Enable => self.table.enable(now, route, true),
                Action::Disable => self.table.enable(now, route, false),
                Action::Pause | Action::Resume => self.pause(route, action == Action::Pause),
            }
        }
        Ok(self.carry_out())
    }

    fn pause(&mut self, route: RouteId, pauses: bool) {
        if let Some(ends) = self.routes.get_mut(&route) {
            ends.is_paused = pauses;
            ends.core.pause(pauses);
        }
    }

    /// Ends everything: nothing more is taken, and what was written has a moment to arrive.
    pub(super) fn end(&mut self) {
        if std::mem::replace(&mut self.has_ended, true) {
            return;
        }
        let until = self.now() + LAST_WORDS;
        let all = self.routes.values_mut();
        let readers: Vec<Endpoint> = all.flat_map(|ends| ends.remove_all(Side::Input)).collect();
        drop(readers);
        let all = self.routes.values_mut();
        let writers: Vec<Endpoint> = all.flat_map(|ends| ends.remove_all(Side::Output)).collect();
        for writer in writers.iter().filter_map(Endpoint::writer) {
            let left = until.saturating_sub(self.now());
            // Whoever has not got everything by then does not get it.
            let _ = writer.wait_for_acknowledgments(left);
        }
        self.sites.iter_mut().for_each(Site::leave);
    }
}

/// The connections of a plan.
fn sites(plan: &Plan) -> Vec<Site> {
    let mut sites = Vec::new();
    for domain_route in &plan.domain_routes {
        let enabled = plan.enabled && domain_route.enabled;
        for connection in &domain_route.connections {
            let ConnectionKind::Participant(participant) = &connection.kind;
            let site = Site::new(&domain_route.name, &connection.name, participant, enabled);
            sites.push(site);
        }
    }
    sites
}
