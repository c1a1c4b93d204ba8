//! What a plan must not say, whichever language it was written in.
use super::places::{Places, path};
use crate::plan::{
    ConnectionKind, CreationMode, DomainRoute, Filter as Names, Input, Output, Plan, Plugin,
    RouteSettings, Session, passes_all_on,
};
use crate::processor;
use crate::transformation;
use crate::types::{RouteType, Types};
use dunlin::{ParticipantConfig, Transports};
use dunlin_document::{Problem, Problems};
use dunlin_filter::Filter;
use std::collections::HashMap;

/// Reports what is wrong.
pub(super) fn check(plan: &Plan, places: &Places, allow_loop: bool, problems: &mut Problems) {
    let mut checker = Checker { places, problems };
    let service = path::service(&plan.name);
    for route in &plan.domain_routes {
        let at = path::domain_route(&service, &route.name);
        checker.domains(route, &at);
        checker.modes(route, &at);
        checker.routes(route, &at, &plan.types);
        checker.topics(route, &at);
    }
    if !allow_loop && !checker.problems.has_errors() {
        checker.loops(plan, &service);
    }
}

/// The most types of a route that are looked at.
const MOST_TYPES: usize = 64;

/// The most ways, from an input to an output, that are compared with each other.
const MOST_WAYS: usize = 4096;

struct Checker<'c> {
    places: &'c Places,
    problems: &'c mut Problems,
}

/// A way that samples take.
struct Flow<'p> {
    /// Where its route was written.
    path: String,
    /// What people call it.
    name: &'p str,
    from: (usize, u32),
    to: (usize, u32),
    topics: Topics<'p>,
}

enum Topics<'p> {
    /// One topic, and what it is called on the other side.
    One(&'p str, &'p str),
    /// Those of a filter; `renamed` if some have another name on the other side.
    Those { filter: &'p Names, renamed: bool },
}

impl Flow<'_> {
    /// Whether samples that this flow writes may be what the other one reads.
    fn feeds(&self, other: &Self) -> bool {
        let same_domain = self.to.1 == other.from.1;
        same_domain
            && match (&self.topics, &other.topics) {
                (Topics::One(_, written), Topics::One(read, _)) => written == read,
                (Topics::One(_, name), Topics::Those { filter, .. })
                | (Topics::Those { filter, .. }, Topics::One(name, _)) => filter.passes(name),
                (Topics::Those { filter, renamed }, Topics::Those { filter: other, .. }) => {
                    !renamed && may_overlap(filter, other)
                }
            }
    }
}

/// Whether a name may pass both filters.
fn may_overlap(a: &Names, b: &Names) -> bool {
    let literals = |filter: &Names| {
        let names = filter.allow.iter().map(|pattern| pattern.text().to_owned());
        let all: Vec<_> = names.collect();
        let each = filter.allow.iter().zip(&all);
        let literal = each
            .into_iter()
            .all(|(pattern, name)| pattern.is_literally(name));
        literal.then_some(all)
    };
    match (literals(a), literals(b)) {
        (Some(names), _) => names.iter().any(|name| a.passes(name) && b.passes(name)),
        (None, Some(names)) => names.iter().any(|name| a.passes(name) && b.passes(name)),
        (None, None) => true,
    }
}

impl Checker<'_> {
    fn push(&mut self, path: &str, message: String, help: String) {
        let problem = Problem::error(self.places.at(path), message);
        self.problems.push(problem.help(help));
    }

    /// A message, and in a line of its own what is wrong there.
    fn push_lines(&mut self, path: &str, message: &str) {
        let mut lines = message.lines();
        let problem = Problem::error(self.places.at(path), lines.next().unwrap_or_default());
        self.problems.push(match lines.next() {
            Some(line) => problem.help(line.trim().to_owned()),
            None => problem,
        });
    }

    fn domains(&mut self, route: &DomainRoute, at: &str) {
        let most = ParticipantConfig::MAX_DOMAIN;
        for connection in &route.connections {
            let domain = match &connection.kind {
                ConnectionKind::Participant(participant) => participant.domain,
                ConnectionKind::Adapter(plugin) => {
                    self.adapter(plugin, &path::connection(at, &connection.name));
                    continue;
                }
            };
            if domain > most {
                let at = format!("{}/domain", path::connection(at, &connection.name));
                let message = format!("domain {domain} is not 0 to {most}");
                let help = "the ports of a higher one do not fit into 16 bits".to_owned();
                self.push(&at, message, help);
            }
        }
    }

    /// The properties of a connection of an adapter, whose elements are at their own places.
    fn adapter(&mut self, plugin: &Plugin, at: &str) {
        let wrong = crate::adapter::find(&plugin.class).map(|a| a.check(&plugin.properties));
        let Some(Err(wrong)) = wrong else {
            return;
        };
        let own = wrong.name.map(|name| format!("{at}/{name}"));
        let own = own.filter(|own| self.places.exact(own).is_some());
        let at = own.as_deref().unwrap_or(at);
        let problem = Problem::error(self.places.at(at), wrong.message);
        self.problems.push(problem);
    }

    /// Processors that do not exist as they are written, and what would need types.
    fn routes(&mut self, route: &DomainRoute, at: &str, types: &Types) {
        for session in &route.sessions {
            let at = path::session(at, &session.name);
            self.periods(session, &at);
            for route in &session.routes {
                let at = path::route(&at, &route.name);
                let names = route
                    .inputs
                    .iter()
                    .filter_map(|input| input.type_name.as_deref());
                let known: Vec<_> = names.filter_map(|name| types.get(name)).take(1).collect();
                self.settings((&route.settings, &route.outputs), &known, &at);
                self.outputs(&route.outputs, &known, types, &at);
                for input in &route.inputs {
                    let own = input.type_name.as_deref().and_then(|name| types.get(name));
                    self.filter(input, own.as_slice(), &at);
                }
            }
            for route in &session.auto_routes {
                let at = path::auto_route(&at, &route.name);
                // Patterns that are names.
                let allowed = route.types.allow.iter();
                let names = allowed.filter(|pattern| pattern.is_literally(pattern.text()));
                let known = names.filter_map(|pattern| types.get(pattern.text()));
                let known: Vec<_> = known.take(MOST_TYPES).collect();
                self.filter(&route.input, &known, &at);
                self.settings((&route.settings, &route.outputs), &known, &at);
                self.outputs(&route.outputs, &known, types, &at);
            }
        }
    }

    /// `known`: types of the route that files tell.
    fn settings(
        &mut self,
        (settings, outputs): (&RouteSettings, &[Output]),
        known: &[RouteType],
        at: &str,
    ) {
        if let Some(plugin) = &settings.processor {
            let types = known.iter().map(Some).chain([None]);
            let made = types.map(|ty| processor::make(plugin, ty));
            if let Some(error) = made.filter_map(Result::err).next() {
                self.push_lines(at, &error.to_string());
            }
        }
        if settings.filter_propagation.is_some() && !passes_all_on(settings, outputs) {
            let message = "filter_propagation is ignored: what a processor or a transformation makes \
                           of samples is not what the filters of far readers speak of";
            let problem = Problem::warning(self.places.at(at), message);
            self.problems.push(problem);
        }
    }

    /// A filter that is none, or is none for the types of the input that files tell.
    fn filter(&mut self, input: &Input, known: &[RouteType], at: &str) {
        let Some(filter) = &input.filter else {
            return;
        };
        let parameters = &filter.parameters;
        let read = dunlin_filter::any_of(&[(&filter.expression, parameters)]).map(drop);
        let mut types = known.iter();
        let fits = read.and_then(|()| {
            types.try_for_each(|one| Filter::new(&filter.expression, parameters, &one.ty).map(drop))
        });
        if let Err(error) = fits {
            let at = path::input(at, &input.name);
            self.push_lines(&at, &format!("filter of input {}: {error}", input.name));
        }
    }

    /// Periods that nobody goes by.
    fn periods(&mut self, session: &Session, at: &str) {
        let routes = session.routes.iter();
        let routes = routes.map(|one| (path::route(at, &one.name), &one.settings));
        let autos = session.auto_routes.iter();
        let autos = autos.map(|one| (path::auto_route(at, &one.name), &one.settings));
        let all: Vec<_> = routes.chain(autos).collect();
        let goes_by = |settings: &RouteSettings| {
            let plugin = settings.processor.as_ref();
            plugin.is_some_and(|p| p.class == "last" && !p.properties.contains_key("seconds"))
        };
        let without = all.iter().filter(|(_, settings)| !goes_by(settings));
        let without = without.filter(|(_, settings)| settings.period.is_some());
        let mut at_all: Vec<String> = without.map(|(at, _)| at.clone()).collect();
        let used = |settings: &RouteSettings| settings.period.is_none() && goes_by(settings);
        if session.period.is_some() && !all.iter().any(|(_, settings)| used(settings)) {
            at_all.push(at.to_owned());
        }
        for at in at_all {
            let message = "the period is ignored: nothing but the processor \"last\" without \
                           seconds goes by it";
            let problem = Problem::warning(self.places.at(&at), message);
            self.problems.push(problem);
        }
    }

    fn outputs(&mut self, outputs: &[Output], known: &[RouteType], types: &Types, at: &str) {
        for output in outputs {
            let Some(transformation) = &output.transformation else {
                continue;
            };
            let at = path::output(at, &output.name);
            let fits = || {
                let mut known = known.iter();
                known.try_for_each(|one| transformation::check_types(output, &one.ty, types))
            };
            if let Err(message) = transformation::check(transformation).and_then(|()| fits()) {
                self.push_lines(&at, &message);
            }
        }
    }

    /// Topics that a participant would have with two types: the later one cannot be made.
    fn topics(&mut self, route: &DomainRoute, at: &str) {
        let mut known: HashMap<(usize, &str), (&str, &str)> = HashMap::new();
        for session in &route.sessions {
            let at = path::session(at, &session.name);
            for one in &session.routes {
                let inputs = one.inputs.iter();
                let inputs = inputs.map(|end| (end.connection, &end.topic, &end.type_name));
                let outputs = one.outputs.iter();
                let outputs = outputs.map(|end| (end.connection, &end.topic, &end.type_name));
                for (connection, topic, type_name) in inputs.chain(outputs) {
                    let Some(name) = type_name else { continue };
                    let own = (&**name, &*one.name);
                    let (other, other_route) = *known.entry((connection, topic)).or_insert(own);
                    let participant = route.connections.get(connection);
                    // What an adapter reaches may have both.
                    let participant = participant.filter(|c| c.kind.participant().is_some());
                    let Some(participant) = participant.filter(|_| other != name) else {
                        continue;
                    };
                    let message = format!(
                        "topic {topic:?} has type {name:?} in participant {:?}, where route {other_route} has it with type \
                         {other:?}: one of both cannot be made",
                        participant.name
                    );
                    let place = self.places.at(&path::route(&at, &one.name));
                    let problem = Problem::warning(place, message);
                    let help = "rename the topic, or use another participant of that domain";
                    self.problems.push(problem.help(help.to_owned()));
                }
            }
        }
    }

    /// Routes that wait for themselves.
    fn modes(&mut self, route: &DomainRoute, at: &str) {
        for session in &route.sessions {
            let at = path::session(at, &session.name);
            for route in &session.routes {
                let inputs = route.inputs.iter().map(|input| input.mode);
                let outputs = route.outputs.iter().map(|output| output.mode);
                self.mode(inputs, outputs, &path::route(&at, &route.name));
            }
            for route in &session.auto_routes {
                let outputs = route.outputs.iter().map(|output| output.mode);
                let input = std::iter::once(route.input.mode);
                self.mode(input, outputs, &path::auto_route(&at, &route.name));
            }
        }
    }

    fn mode(
        &mut self,
        mut inputs: impl Iterator<Item = CreationMode>,
        mut outputs: impl Iterator<Item = CreationMode>,
        at: &str,
    ) {
        let waits = |mode| mode == CreationMode::OnRouteMatch;
        if inputs.all(waits) && outputs.all(waits) {
            let message = "nothing would ever start: each side waits for the other";
            let help = "ON_DOMAIN_MATCH or IMMEDIATE on one side".to_owned();
            self.push(at, message.to_owned(), help);
        }
    }

    /// Routes that lead back into a domain by another participant than they came from.
    fn loops(&mut self, plan: &Plan, service: &str) {
        let sessions = plan.domain_routes.iter().flat_map(|route| &route.sessions);
        if sessions.map(ways).sum::<usize>() > MOST_WAYS {
            let message = format!("more than {MOST_WAYS} ways: none was looked at for circles");
            let problem = Problem::warning(self.places.at(service), message);
            return self.problems.push(problem);
        }
        let mut flows = Vec::new();
        let mut connections = 0;
        for route in &plan.domain_routes {
            let at = path::domain_route(service, &route.name);
            for session in &route.sessions {
                let at = path::session(&at, &session.name);
                flows.extend(flows_of(route, session, connections, &at));
            }
            connections += route.connections.len();
        }
        let all = plan.domain_routes.iter().flat_map(|r| &r.connections);
        let transports: Vec<_> = all
            .map(|c| c.kind.participant().and_then(|p| p.transports))
            .collect();
        // What is not said may be any.
        let meet = |one: usize, other: usize| match (transports.get(one), transports.get(other)) {
            (Some(Some(one)), Some(Some(other))) => have_in_common(one, other),
            _ => true,
        };
        for (index, flow) in flows.iter().enumerate() {
            let itself = flow.from.1 == flow.to.1 && flow.feeds(flow);
            if itself && plan.group.is_empty() && meet(flow.to.0, flow.from.0) {
                let message = format!(
                    "route {} would feed itself: it leads from domain {} into the same",
                    flow.name, flow.from.1
                );
                let help = "rename the topic, set group_name, or --allow-loop".to_owned();
                self.push(&flow.path, message, help);
            }
            let others = flows.iter().skip(index + 1);
            let mut others = others.filter(|other| {
                let same_ends = flow.to.0 == other.from.0 && other.to.0 == flow.from.0;
                !same_ends
                    && flow.from.1 != flow.to.1
                    && flow.feeds(other)
                    && other.feeds(flow)
                    && meet(flow.to.0, other.from.0)
                    && meet(other.to.0, flow.from.0)
            });
            if let Some(other) = others.next()
                && plan.group.is_empty()
            {
                let message = format!(
                    "routes {} and {} would feed each other: domain {} is there twice",
                    flow.name,
                    other.name,
                    match flow.to.0 == other.from.0 {
                        true => flow.from.1,
                        false => flow.to.1,
                    }
                );
                let help = "use one participant for a domain, set group_name, or --allow-loop";
                self.push(&other.path, message, help.to_owned());
            }
        }
    }
}

/// Is there a transport by which participants find each other?
fn have_in_common(one: &Transports, other: &Transports) -> bool {
    one.udp && other.udp || one.shmem && other.shmem || one.tcp && other.tcp
}

/// How many ways a session has.
fn ways(session: &Session) -> usize {
    let routes = session.routes.iter();
    let ways = routes.map(|route| route.inputs.len() * route.outputs.len());
    let auto_routes = session.auto_routes.iter();
    ways.sum::<usize>() + auto_routes.map(|route| route.outputs.len()).sum::<usize>()
}

/// The ways of a session; participants are numbered over all domain routes, from `first` on.
fn flows_of<'p>(
    domain_route: &'p DomainRoute,
    session: &'p Session,
    first: usize,
    at: &str,
) -> Vec<Flow<'p>> {
    let end = |connection: usize| {
        let found = domain_route.connections.get(connection)?;
        // Sites beyond an adapter are told by their ids, and are no domain twice.
        Some((first + connection, found.kind.participant()?.domain))
    };
    let mut flows = Vec::new();
    for route in &session.routes {
        for input in &route.inputs {
            for output in &route.outputs {
                let (Some(from), Some(to)) = (end(input.connection), end(output.connection)) else {
                    continue;
                };
                flows.push(Flow {
                    path: path::route(at, &route.name),
                    name: &route.name,
                    from,
                    to,
                    topics: Topics::One(&input.topic, &output.topic),
                });
            }
        }
    }
    for route in &session.auto_routes {
        for output in &route.outputs {
            let (Some(from), Some(to)) = (end(route.input.connection), end(output.connection))
            else {
                continue;
            };
            flows.push(Flow {
                path: path::auto_route(at, &route.name),
                name: &route.name,
                from,
                to,
                topics: Topics::Those {
                    filter: &route.topics,
                    renamed: !route.renames.is_empty(),
                },
            });
        }
    }
    flows
}
