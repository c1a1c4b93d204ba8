//! Another plan takes the place of the one that the table was made by.
//!
//! What both have alike stays, with its endpoints. What is new is made before what is gone is
//! removed.
use super::auto::Auto;
use super::entry::Entry;
use super::known::Known;
use super::rate::Rate;
use super::{Command, Place, RouteId, Slot, Table, Time, sessions};
use crate::plan::diff::{self, ConnectionIn, Fate, RouteIn};
use crate::plan::{DomainRoute, Path, Plan, Route, Session};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Which connection of the plan before each connection of a plan is.
pub(crate) type Kept = Vec<Option<usize>>;

/// All connections of a plan, by the number that the table knows them by.
pub(crate) fn connections(plan: &Plan) -> impl Iterator<Item = (&DomainRoute, usize)> {
    let all = plan.domain_routes.iter();
    all.flat_map(|domain_route| {
        (0..domain_route.connections.len()).map(move |at| (domain_route, at))
    })
}

/// The connections of `old` that stay in `new`.
pub(crate) fn kept(old: &Plan, new: &Plan) -> Kept {
    let before: HashMap<_, _> = connections(old)
        .enumerate()
        .filter_map(|(number, (domain_route, at))| {
            let connection = domain_route.connections.get(at)?;
            let key = (&*domain_route.name, &*connection.name);
            Some((key, (number, domain_route, connection)))
        })
        .collect();
    let of = |(domain_route, at): (&DomainRoute, usize)| {
        let connection = domain_route.connections.get(at)?;
        let key = (&*domain_route.name, &*connection.name);
        let (number, was_in, known) = before.get(&key)?;
        let was = ConnectionIn {
            plan: old,
            domain_route: was_in,
            connection: known,
        };
        let is = ConnectionIn {
            plan: new,
            domain_route,
            connection,
        };
        (diff::connection(&was, &is) == Fate::Same).then_some(*number)
    };
    connections(new).map(of).collect()
}

/// The routes and auto routes of before, by path.
struct Before<'p> {
    plan: &'p Plan,
    routes: BTreeMap<Path, (RouteId, Entry)>,
    autos: BTreeMap<Path, Auto>,
}

/// A route of the plan before, with what it was in.
fn in_plan<'p>(plan: &'p Plan, place: &Place, route: &'p Route) -> Option<RouteIn<'p>> {
    let domain_route = plan.domain_routes.get(place.domain_route)?;
    let session = domain_route.sessions.get(place.session)?;
    Some(RouteIn {
        plan,
        domain_route,
        session,
        part: route,
    })
}

impl Table {
    /// Takes over `new` in the place of `old`; `kept` is what [`kept`] says of both. The connections
    /// that do not stay are down until [`connection`](Table::connection) says otherwise.
    pub(crate) fn reload(&mut self, now: Time, (old, new): (&Plan, &Plan), kept: &Kept) {
        self.limits = new.limits;
        self.move_connections(new, kept);
        let routes = std::mem::take(&mut self.routes).into_iter();
        let autos = std::mem::take(&mut self.autos).into_iter();
        let mut before = Before {
            plan: old,
            routes: routes
                .map(|(id, entry)| (entry.place.path.clone(), (id, entry)))
                .collect(),
            autos: autos.map(|auto| (auto.place.path.clone(), auto)).collect(),
        };
        self.by_topic.clear();
        let mut changed = Vec::new();
        for (place, session, _) in sessions(new) {
            for route in &session.routes {
                let place = place.of(&format!("routes/{}", route.name));
                self.succeed(&mut before, new, place, route, &mut changed);
            }
            self.reload_autos(&mut before, new, (&place, session), &mut changed);
        }
        for at in 0..self.connections.len() {
            self.offer_all(at);
        }
        self.dirty.extend(self.routes.keys().copied());
        self.settle(now);
        for id in changed {
            self.change_all(id);
        }
        for (id, entry) in before.routes.into_values() {
            // Inputs first, so that nothing is taken that cannot be written.
            let made: Vec<Slot> = entry.designs().map(|(slot, _)| slot).collect();
            let removals = made.into_iter().rev();
            self.retired
                .extend(removals.map(|slot| Command::Remove(id, slot)));
            self.retired.push(Command::Forget(id));
        }
    }

    fn move_connections(&mut self, new: &Plan, kept: &Kept) {
        let mut known: Vec<Option<Known>> = std::mem::take(&mut self.connections)
            .into_iter()
            .map(Some)
            .collect();
        let of = |at: &Option<usize>| at.and_then(|at| known.get_mut(at)?.take());
        self.connections = kept.iter().map(of).map(Option::unwrap_or_default).collect();
        let before = std::mem::take(&mut self.rates);
        let most = new.limits.endpoints_per_second;
        let of = |at: &Option<usize>| {
            let known = at.and_then(|at| before.get(at));
            known.map_or(Rate::new(most), |rate| rate.at(most))
        };
        self.rates = kept.iter().map(of).collect();
    }

    /// A route of the new plan: that of before goes on if it can, else it is a new one.
    fn succeed(
        &mut self,
        before: &mut Before<'_>,
        new: &Plan,
        place: Place,
        route: &Route,
        changed: &mut Vec<RouteId>,
    ) -> Option<RouteId> {
        let wanted = in_plan(new, &place, route)?;
        let starts = wanted.starts();
        let known = before.routes.get(&place.path);
        let fate = known.map(|(_, known)| {
            let was = in_plan(before.plan, &known.place, &known.plan);
            let was_started = was.as_ref().is_some_and(RouteIn::starts);
            let fate = was.map_or(Fate::Anew(Vec::new()), |was| diff::route(&was, &wanted));
            (fate, was_started)
        });
        let (fate, was_started) = match fate {
            None => return self.add_route(place, route, starts),
            Some((Fate::Anew(_), was_started)) => {
                let said = known.filter(|_| was_started == starts);
                let enabled = said.map_or(starts, |(_, known)| known.enabled);
                return self.add_route(place, route, enabled);
            }
            Some(stays) => stays,
        };
        let (id, mut entry) = before.routes.remove(&place.path)?;
        // What an administrator has said counts until the configuration says something else.
        if was_started != starts {
            entry.enabled = starts;
        }
        self.note_topics(id, &place, route);
        entry.place = place;
        if fate != Fate::Same {
            entry.plan = Arc::new(route.clone());
            // It may be what it failed for that is different now.
            entry.try_again();
            changed.push(id);
        }
        self.routes.insert(id, entry);
        Some(id)
    }

    fn reload_autos(
        &mut self,
        before: &mut Before<'_>,
        new: &Plan,
        (place, session): (&Place, &Session),
        changed: &mut Vec<RouteId>,
    ) {
        for plan in &session.auto_routes {
            let place = place.of(&format!("auto_routes/{}", plan.name));
            let starts = |of: &Plan, place: &Place, own: bool| {
                let domain_route = of.domain_routes.get(place.domain_route);
                let session = domain_route.and_then(|d| d.sessions.get(place.session));
                let above = domain_route.zip(session);
                above.is_some_and(|(d, s)| of.enabled && d.enabled && s.enabled && own)
            };
            let enabled = starts(new, &place, plan.enabled);
            let mut auto = Auto::new(place, plan.clone(), enabled);
            if let Some(known) = before.autos.remove(&auto.place.path) {
                auto.go_on_as(&known);
                if starts(before.plan, &known.place, known.plan.enabled) == enabled {
                    auto.enabled = known.enabled;
                }
                for (topic, type_name) in known.names() {
                    let Some((place, route)) = auto.route_of(topic, type_name) else {
                        continue;
                    };
                    let id = self.succeed(before, new, place, &route, changed);
                    if let Some(id) = id {
                        auto.note(topic, type_name, id);
                    }
                }
            }
            self.autos.push(auto);
        }
    }

    /// Offers everything that is known of a connection to the auto routes.
    fn offer_all(&mut self, at: usize) {
        let Some(known) = self.connections.get(at) else {
            return;
        };
        let router = self.router;
        let all = known.names(|via| via.counts(router));
        for (side, topic, type_name) in all {
            self.offer(side, at, &topic, &type_name);
        }
    }

    /// Has all endpoints of a route take over what its plan says now.
    fn change_all(&mut self, id: RouteId) {
        let Some(entry) = self.routes.get(&id) else {
            return;
        };
        let changes: Vec<(Slot, _)> = entry.designs().collect();
        self.commands.push(Command::Reform(id));
        for (slot, design) in changes {
            self.commands
                .push(Command::Change(id, slot, Box::new(design)));
        }
    }
}
