//! The tree of a service as it is now.
use super::execution::Execution;
use crate::plan::{DomainRoute, Path, Session};
use crate::state::{EndPlace, EntityKind, Node, State, Tree};
use crate::table::{Entry, RouteId, Side, session_path};

impl Execution {
    pub(super) fn snapshot(&self) -> Tree {
        let plan = &self.around.plan;
        let path = format!("/routing_services/{}", plan.name);
        let state = self.above(&path, plan.enabled);
        let mut service = Node::new(Path(path), EntityKind::Service, state);
        let refused = self.table.refused();
        let refused = (refused > 0).then(|| {
            let most = plan.limits.routes;
            format!("{refused} times a route was not made, since there are {most}: limits.routes")
        });
        let notes: Vec<String> = refused
            .into_iter()
            .chain(self.unmonitored.clone())
            .collect();
        service.note = (!notes.is_empty()).then(|| notes.join("; "));
        let all = plan.domain_routes.iter().enumerate();
        service.children = all.map(|(at, d)| self.domain_route(at, d)).collect();
        service
    }

    /// The state of what only contains others.
    fn above(&self, path: &str, enabled: bool) -> State {
        match enabled {
            _ if self.has_ended => State::Stopped,
            true if self.words.have_paused(path) => State::Paused,
            true => State::Running,
            false => State::Disabled,
        }
    }

    fn domain_route(&self, at: usize, domain_route: &DomainRoute) -> Node {
        let name = &domain_route.name;
        let path = format!(
            "/routing_services/{}/domain_routes/{name}",
            self.around.plan.name
        );
        let enabled = self.around.plan.enabled && domain_route.enabled;
        let sites = self
            .around
            .sites
            .iter()
            .filter(|site| site.domain_route == *name);
        let connections = sites.map(|site| {
            let path = format!("{path}/connections/{}", site.name);
            let state = match (site.failure(), site.is_up()) {
                _ if self.has_ended => State::Stopped,
                (Some(reason), _) => State::Failed(reason.to_owned()),
                (None, true) => State::Running,
                (None, false) => State::Disabled,
            };
            Node {
                note: site.note(&self.around.who),
                ..Node::new(Path(path), EntityKind::Connection, state)
            }
        });
        let sessions = domain_route.sessions.iter().enumerate();
        let sessions = sessions.map(|(number, session)| self.session(at, number, session, enabled));
        let children = connections.chain(sessions).collect();
        let state = self.above(&path, enabled);
        Node {
            children,
            ..Node::new(Path(path), EntityKind::DomainRoute, state)
        }
    }

    fn session(&self, domain_route: usize, number: usize, session: &Session, above: bool) -> Node {
        let name = self.around.plan.domain_routes.get(domain_route);
        let name = name.map_or("", |domain_route| &domain_route.name);
        let path = Path(session_path(&self.around.plan, name, &session.name));
        let state = self.above(&path.0, above && session.enabled);
        let all = self.table.routes();
        let own = all.filter(|(_, entry)| {
            entry.place.domain_route == domain_route && entry.place.session == number
        });
        let (made, written): (Vec<_>, Vec<_>) =
            own.partition(|(id, _)| self.table.autos().iter().any(|auto| auto.has(*id)));
        let routes = written.into_iter().map(|(id, entry)| self.route(id, entry));
        let autos =
            self.table.autos().iter().filter(|auto| {
                auto.place.domain_route == domain_route && auto.place.session == number
            });
        let autos = autos.map(|auto| {
            let own = made.iter().filter(|(id, _)| auto.has(*id));
            Node {
                children: own.map(|(id, entry)| self.route(*id, entry)).collect(),
                note: auto.note_of_idle().map(str::to_owned),
                ..Node::new(
                    auto.place.path.clone(),
                    EntityKind::AutoRoute,
                    self.above(&auto.place.path.0, auto.enabled),
                )
            }
        });
        Node {
            children: routes.chain(autos).collect(),
            ..Node::new(path, EntityKind::Session, state)
        }
    }

    fn route(&self, id: RouteId, entry: &Entry) -> Node {
        let ends = self.routes.get(&id);
        let said = || self.words.have_paused(&entry.place.path.0);
        let is_paused = ends.map_or_else(said, |ends| ends.core.is_paused());
        let known = entry.state();
        let state = match known.state {
            _ if self.has_ended => State::Stopped,
            State::Enabled | State::Started | State::Running if is_paused => State::Paused,
            state => state,
        };
        let mut node = Node::new(entry.place.path.clone(), EntityKind::Route, state);
        node.note = known.note;
        node.hop = ends.and_then(|ends| ends.core.hop_latency());
        let inputs = entry.plan.inputs.iter().enumerate();
        let inputs = inputs.map(|(at, end)| (Side::Input, at, format!("inputs/{}", end.name)));
        let outputs = entry.plan.outputs.iter().enumerate();
        let outputs = outputs.map(|(at, end)| (Side::Output, at, format!("outputs/{}", end.name)));
        let all = inputs.chain(outputs);
        node.children = all
            .map(|(side, at, name)| self.end_of(id, entry, side, at, &name, is_paused))
            .collect();
        let inputs = node.children.iter().filter(|n| n.kind == EntityKind::Input);
        node.counters = inputs.fold(node.counters, |all, n| all.plus(n.counters));
        node
    }

    fn end_of(
        &self,
        id: RouteId,
        entry: &Entry,
        side: Side,
        index: usize,
        name: &str,
        is_paused: bool,
    ) -> Node {
        let known = entry.slot_state(side, index);
        let state = match known.state {
            _ if self.has_ended => State::Stopped,
            State::Running if is_paused => State::Paused,
            state => state,
        };
        let kind = match side {
            Side::Input => EntityKind::Input,
            Side::Output => EntityKind::Output,
        };
        let path = Path(format!("{}/{name}", entry.place.path));
        let mut node = Node::new(path, kind, state);
        node.note = known.note;
        node.end = self.place_of(entry, side, index);
        if let Some(ends) = self.routes.get(&id) {
            let (counters, matched, fault) = ends.look(side, index);
            node.counters = counters;
            node.matched = matched;
            // Somebody is there who suits by topic and type, so it is policies.
            let is_alone = matched == 0 && entry.is_supported_at(side, index);
            let why = is_alone.then(|| ends.explain(side, index)).flatten();
            node.note = node.note.or(fault).or(why);
        }
        node
    }

    fn place_of(&self, entry: &Entry, side: Side, index: usize) -> Option<EndPlace> {
        let (connection, topic) = match side {
            Side::Input => entry
                .plan
                .inputs
                .get(index)
                .map(|e| (e.connection, &e.topic))?,
            Side::Output => entry
                .plan
                .outputs
                .get(index)
                .map(|e| (e.connection, &e.topic))?,
        };
        let domain_route = self
            .around
            .plan
            .domain_routes
            .get(entry.place.domain_route)?;
        Some(EndPlace {
            connection: domain_route.connections.get(connection)?.name.clone(),
            topic: topic.clone(),
            type_name: entry.type_name(side, index).map(str::to_owned),
            type_source: entry.route_type().map(|ty| ty.source.to_string()),
        })
    }
}
