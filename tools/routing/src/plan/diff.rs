//! What a changed configuration means for a service that runs: what stays as it is, what is set on
//! what runs, and what is made anew.
//!
//! Things are the same if they have the same path. What stays keeps its GUIDs and histories.
use super::*;
use crate::types::{Wish, wish};
use dunlin::ImmutablePolicy;
use std::collections::BTreeMap;

/// What becomes of something that two plans have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Nothing.
    Same,
    /// What runs takes these over.
    Set(Vec<String>),
    /// It is made anew, since these cannot be changed.
    Anew(Vec<String>),
}

/// One line of what a change of the configuration does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What it is about.
    pub path: Path,
    /// What happens to it.
    pub kind: DifferenceKind,
}

/// What a change does to something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// It was not there.
    Added,
    /// It is there no more.
    Removed,
    /// It stays and takes these over.
    Set(Vec<String>),
    /// Another one takes its place, since these cannot be changed.
    Replaced(Vec<String>),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match &self.kind {
            DifferenceKind::Added => write!(f, "+ {path}"),
            DifferenceKind::Removed => write!(f, "- {path}"),
            DifferenceKind::Set(what) => write!(f, "~ {path}: set {}", what.join(", ")),
            DifferenceKind::Replaced(why) => {
                write!(f, "~ {path}: made anew, {}", why.join(", "))
            }
        }
    }
}

/// What a service that runs cannot take over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherService {
    /// What the service is called.
    pub current: String,
    /// What it would be called.
    pub wanted: String,
}

impl fmt::Display for OtherService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the service is {:?} and cannot become {:?} while it runs: start another one",
            self.current, self.wanted
        )
    }
}

impl std::error::Error for OtherService {}

/// Everything that differs, in the order of the new plan, what is removed last.
///
/// # Errors
/// `OtherService` if they are plans of different services.
pub fn diff(current: &Plan, wanted: &Plan) -> Result<Vec<Difference>, OtherService> {
    if current.name != wanted.name {
        return Err(OtherService {
            current: current.name.clone(),
            wanted: wanted.name.clone(),
        });
    }
    let mut all = Vec::new();
    let own = service(current, wanted);
    note(&mut all, &wanted.path(), own);
    let before = things(current);
    let after = things(wanted);
    for (path, thing) in &after {
        match before.get(path) {
            None => all.push(Difference {
                path: path.clone(),
                kind: DifferenceKind::Added,
            }),
            Some(known) => note(&mut all, path, thing.fate(known)),
        }
    }
    let gone = before.keys().filter(|path| !after.contains_key(path));
    all.extend(gone.map(|path| Difference {
        path: path.clone(),
        kind: DifferenceKind::Removed,
    }));
    Ok(all)
}

fn note(all: &mut Vec<Difference>, path: &Path, fate: Fate) {
    let kind = match fate {
        Fate::Same => return,
        Fate::Set(what) => DifferenceKind::Set(what),
        Fate::Anew(why) => DifferenceKind::Replaced(why),
    };
    all.push(Difference {
        path: path.clone(),
        kind,
    });
}

/// Something that has a path, with what it depends on.
enum Thing<'p> {
    Connection(ConnectionIn<'p>),
    Session(&'p Session, bool),
    Route(RouteIn<'p>),
    Auto(AutoIn<'p>),
}

impl Thing<'_> {
    /// What becomes of `before`.
    fn fate(&self, before: &Thing<'_>) -> Fate {
        match (before, self) {
            (Thing::Connection(old), Thing::Connection(new)) => connection(old, new),
            (Thing::Session(old, was), Thing::Session(new, is)) => session((old, *was), (new, *is)),
            (Thing::Route(old), Thing::Route(new)) => route(old, new),
            (Thing::Auto(old), Thing::Auto(new)) => auto_route(old, new),
            // Paths tell kinds apart.
            _ => Fate::Same,
        }
    }
}

/// A part of a session of a plan, with what it is in.
#[derive(Debug)]
pub struct Within<'p, T> {
    /// The plan.
    pub plan: &'p Plan,
    /// Its domain route.
    pub domain_route: &'p DomainRoute,
    /// Its session.
    pub session: &'p Session,
    /// The part.
    pub part: &'p T,
}

/// A route of a plan.
pub type RouteIn<'p> = Within<'p, Route>;
/// An auto route of a plan.
pub type AutoIn<'p> = Within<'p, AutoRoute>;

impl<'p, T> Within<'p, T> {
    /// Another part in the same place.
    fn place_of<O>(&self, part: &'p O) -> Within<'p, O> {
        Within {
            plan: self.plan,
            domain_route: self.domain_route,
            session: self.session,
            part,
        }
    }
}

/// All that a plan has, by path.
fn things(plan: &Plan) -> BTreeMap<Path, Thing<'_>> {
    let mut all = BTreeMap::new();
    for domain_route in &plan.domain_routes {
        let starts = plan.enabled && domain_route.enabled;
        let of = plan.path().child("domain_routes", &domain_route.name);
        for connection in &domain_route.connections {
            let path = of.child("connections", &connection.name);
            let thing = ConnectionIn {
                plan,
                domain_route,
                connection,
            };
            all.insert(path, Thing::Connection(thing));
        }
        for session in &domain_route.sessions {
            let of = of.child("sessions", &session.name);
            all.insert(of.clone(), Thing::Session(session, starts));
            let place = Within {
                plan,
                domain_route,
                session,
                part: &(),
            };
            for route in &session.routes {
                let thing = Thing::Route(place.place_of(route));
                all.insert(of.child("routes", &route.name), thing);
            }
            for auto in &session.auto_routes {
                let thing = Thing::Auto(place.place_of(auto));
                all.insert(of.child("auto_routes", &auto.name), thing);
            }
        }
    }
    all
}

/// Compares fields of two things: how a field that differs is changed, and what users call it.
macro_rules! compare {
    ($changes:ident, $old:ident, $new:ident: $($how:ident $field:ident $name:literal),+ $(,)?) => {
        $($changes.$how($name, &$old.$field, &$new.$field);)+
    };
}

/// What differs: what can be set, and what cannot.
#[derive(Default)]
struct Changes {
    set: Vec<String>,
    anew: Vec<String>,
}

impl Changes {
    fn set<T: PartialEq>(&mut self, what: &str, old: &T, new: &T) {
        if old != new {
            self.set.push(what.to_owned());
        }
    }

    fn anew<T: PartialEq>(&mut self, what: &str, old: &T, new: &T) {
        if old != new {
            self.anew.push(what.to_owned());
        }
    }

    /// Of QoS, for which the standard says what may change.
    fn qos<Q: PartialEq>(
        &mut self,
        what: &str,
        (old, new): (&Q, &Q),
        check: impl FnOnce(&Q, &Q) -> Result<(), ImmutablePolicy>,
    ) {
        match check(old, new) {
            Err(fixed) => self.anew.push(format!(
                "{what} {} from {} to {}",
                fixed.policy, fixed.current, fixed.wanted
            )),
            Ok(()) => self.set(what, old, new),
        }
    }

    /// Of an endpoint's QoS, which may be what its source offers.
    fn endpoint_qos<Q: PartialEq>(
        &mut self,
        what: &str,
        (old, new): (&EndpointQos<Q>, &EndpointQos<Q>),
        check: impl FnOnce(&Q, &Q) -> Result<(), ImmutablePolicy>,
    ) {
        match (old, new) {
            (EndpointQos::Explicit(old), EndpointQos::Explicit(new)) => {
                self.qos(what, (&**old, &**new), check);
            }
            (old, new) => self.anew(what, old, new),
        }
    }

    fn fate(self) -> Fate {
        match () {
            () if !self.anew.is_empty() => Fate::Anew(self.anew),
            () if !self.set.is_empty() => Fate::Set(self.set),
            () => Fate::Same,
        }
    }
}

/// What becomes of the service itself; it never begins anew.
fn service(old: &Plan, new: &Plan) -> Fate {
    let mut changes = Changes::default();
    compare!(changes, old, new: set limits "limits", set administration "administration", set monitoring "monitoring");
    changes.fate()
}

/// A connection of a plan, with what it is in.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionIn<'p> {
    /// The plan.
    pub plan: &'p Plan,
    /// Its domain route.
    pub domain_route: &'p DomainRoute,
    /// The connection.
    pub connection: &'p Connection,
}

impl ConnectionIn<'_> {
    fn starts(&self) -> bool {
        self.plan.enabled && self.domain_route.enabled
    }

    fn lanes(&self) -> usize {
        self.domain_route.lanes(self.connection)
    }

    fn processors(&self) -> Vec<usize> {
        self.domain_route.processors()
    }
}

/// What becomes of a connection that both plans have.
pub fn connection(old: &ConnectionIn<'_>, new: &ConnectionIn<'_>) -> Fate {
    let mut changes = Changes::default();
    changes.anew("group", &old.plan.group, &new.plan.group);
    changes.anew("enabled", &old.starts(), &new.starts());
    changes.anew("threads", &old.lanes(), &new.lanes());
    changes.anew("processors", &old.processors(), &new.processors());
    let (old, new) = match (&old.connection.kind, &new.connection.kind) {
        (ConnectionKind::Participant(old), ConnectionKind::Participant(new)) => (old, new),
        (old, new) => {
            changes.anew("connection", old, new);
            return changes.fate();
        }
    };
    compare!(changes, old, new:
        anew domain "domain",
        anew qos "participant QoS",
        anew transports "transports",
        anew interfaces "interfaces",
        anew peers "peers",
        anew multicast "multicast",
        anew tcp "tcp",
        anew waiting "waiting",
    );
    changes.fate()
}

fn session((old, was): (&Session, bool), (new, is): (&Session, bool)) -> Fate {
    let mut changes = Changes::default();
    changes.set("enabled", &(old.enabled && was), &(new.enabled && is));
    // The connections say whether they are made anew for it.
    changes.set("thread_pool", &old.threads, &new.threads);
    group_qos(&mut changes, old, new);
    changes.fate()
}

fn group_qos(changes: &mut Changes, old: &Session, new: &Session) {
    let qos = (&old.publisher, &new.publisher);
    changes.qos("publisher QoS", qos, |old, new| old.check_change(new));
    let qos = (&old.subscriber, &new.subscriber);
    changes.qos("subscriber QoS", qos, |old, new| old.check_change(new));
}

impl RouteIn<'_> {
    /// The name of a connection of its domain route.
    fn connection(&self, at: usize) -> Option<&str> {
        let connection = self.domain_route.connections.get(at)?;
        Some(&connection.name)
    }

    /// May it start?
    pub fn starts(&self) -> bool {
        self.plan.enabled && self.domain_route.enabled && self.session.enabled && self.part.enabled
    }
}

/// What becomes of a route that both plans have, as far as it does not depend on whether its
/// connections stay.
pub fn route(old: &RouteIn<'_>, new: &RouteIn<'_>) -> Fate {
    let mut changes = Changes::default();
    changes.set("enabled", &old.starts(), &new.starts());
    group_qos(&mut changes, old.session, new.session);
    changes.set("period", &old.session.period, &new.session.period);
    settings(&mut changes, &old.part.settings, &new.part.settings);
    let connection = |changes: &mut Changes, (before, after)| {
        changes.anew(
            "connection",
            &old.connection(before),
            &new.connection(after),
        );
    };
    let ends = (&old.part.inputs, &new.part.inputs);
    changes.anew(
        "inputs",
        &names(ends.0, |i| &i.name),
        &names(ends.1, |i| &i.name),
    );
    for (a, b) in ends.0.iter().zip(ends.1) {
        connection(&mut changes, (a.connection, b.connection));
        input(&mut changes, a, b);
    }
    let ends = (&old.part.outputs, &new.part.outputs);
    changes.anew(
        "outputs",
        &names(ends.0, |o| &o.name),
        &names(ends.1, |o| &o.name),
    );
    for (a, b) in ends.0.iter().zip(ends.1) {
        connection(&mut changes, (a.connection, b.connection));
        output(&mut changes, a, b);
    }
    if wish(new.part) != Wish::Nothing {
        changes.anew("types of files", &old.plan.types, &new.plan.types);
    }
    stay(&mut changes, old, new);
    changes.fate()
}

fn names<'e, E>(ends: &'e [E], name: impl Fn(&'e E) -> &'e String) -> Vec<&'e String> {
    ends.iter().map(name).collect()
}

/// What is made anew takes its endpoints with it.
fn stay(changes: &mut Changes, old: &RouteIn<'_>, new: &RouteIn<'_>) {
    let inputs = new.part.inputs.iter().map(|input| input.connection);
    let all = inputs.chain(new.part.outputs.iter().map(|output| output.connection));
    for connection in all {
        connection_stays(
            changes,
            (old.plan, old.domain_route),
            (new.plan, new.domain_route),
            connection,
        );
    }
    changes.anew.dedup();
}

fn connection_stays(
    changes: &mut Changes,
    (old_plan, old): (&Plan, &DomainRoute),
    (new_plan, new): (&Plan, &DomainRoute),
    at: usize,
) {
    let Some(wanted) = new.connections.get(at) else {
        return;
    };
    let within = |plan, domain_route, connection| ConnectionIn {
        plan,
        domain_route,
        connection,
    };
    let known = old.connections.iter().find(|c| c.name == wanted.name);
    let stays = known.is_some_and(|known| {
        let was = within(old_plan, old, known);
        connection(&was, &within(new_plan, new, wanted)) == Fate::Same
    });
    if !stays {
        let name = &wanted.name;
        changes
            .anew
            .push(format!("participant {name} is made anew"));
    }
}

fn settings(changes: &mut Changes, old: &RouteSettings, new: &RouteSettings) {
    compare!(changes, old, new:
        set route_types "route_types",
        set linger "linger",
        set stall_timeout "stall_timeout",
        set processor "processor",
        set period "period",
        anew original_info "original_info",
        anew original_timestamp "original_timestamp",
        anew propagate_dispose "propagate_dispose",
        anew propagate_unregister "propagate_unregister",
        anew filter_propagation "filter_propagation",
        anew backlog "backlog",
        anew unregister_delay "unregister_delay",
        anew reassert "reassert",
    );
}

fn input(changes: &mut Changes, old: &Input, new: &Input) {
    compare!(changes, old, new:
        anew topic "topic",
        anew type_name "type",
        anew keyed "keys",
        set mode "creation_mode",
    );
    let qos = (&old.qos, &new.qos);
    changes.endpoint_qos("reader QoS", qos, |old, new| old.check_change(new));
    compare!(changes, old, new:
        set filter "content_filter",
        set max_rate "max_rate",
        set partitions "partitions",
    );
}

fn output(changes: &mut Changes, old: &Output, new: &Output) {
    compare!(changes, old, new:
        anew topic "topic",
        anew type_name "type",
        anew keyed "keys",
        set mode "creation_mode",
    );
    let qos = (&old.qos, &new.qos);
    changes.endpoint_qos("writer QoS", qos, |old, new| old.check_change(new));
    compare!(changes, old, new:
        anew writers "writers",
        anew transformation "transformation",
        anew representation "representation",
        set partitions "partitions",
    );
}

/// What becomes of an auto route that both plans have. The routes that it made are judged one by
/// one.
pub fn auto_route(old: &AutoIn<'_>, new: &AutoIn<'_>) -> Fate {
    let mut changes = Changes::default();
    let (before, after) = (old.part, new.part);
    compare!(changes, before, after:
        set topics "topics",
        set types "types",
        set renames "renames",
    );
    let of = |auto: &AutoRoute| Route {
        name: auto.name.clone(),
        enabled: auto.enabled,
        settings: auto.settings.clone(),
        inputs: vec![auto.input.clone()],
        outputs: auto.outputs.clone(),
    };
    let (before, after) = (of(before), of(after));
    let routes = route(&old.place_of(&before), &new.place_of(&after));
    match routes {
        Fate::Same => {}
        Fate::Set(what) => changes.set.extend(what),
        Fate::Anew(why) => changes.anew.extend(why),
    }
    changes.fate()
}
