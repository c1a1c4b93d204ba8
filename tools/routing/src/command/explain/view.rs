//! What is printed of a plan: the objects of `dunlin route explain --json`.
use super::Seen;
use crate::config::values::CREATION_MODES;
use crate::plan::{
    AutoRoute, Connection, ConnectionKind, CreationMode, DomainRoute, EndpointQos, Filter, Input,
    Output, Plan, Plugin, Route, RouteSettings, Session, ThreadPool, Writers, passes_all_on,
    why_whole,
};
use dunlin::{History, Transports};
use serde::Serialize;
use std::collections::BTreeSet;

/// A service.
#[derive(Debug, Serialize)]
pub(super) struct ServiceView {
    pub(super) name: String,
    pub(super) group: String,
    pub(super) domain_routes: Vec<DomainRouteView>,
    pub(super) memory: String,
}

/// A domain route.
#[derive(Debug, Serialize)]
pub(super) struct DomainRouteView {
    pub(super) name: String,
    pub(super) connections: Vec<ConnectionView>,
    pub(super) sessions: Vec<SessionView>,
}

/// A participant.
#[derive(Debug, Serialize)]
pub(super) struct ConnectionView {
    pub(super) name: String,
    /// Of a participant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) domain: Option<u32>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) transports: String,
    /// What leads beyond, with its properties.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) adapter: Option<String>,
}

/// A session.
#[derive(Debug, Serialize)]
pub(super) struct SessionView {
    pub(super) name: String,
    pub(super) threads: String,
    pub(super) routes: Vec<RouteView>,
}

/// A route or an auto route.
#[derive(Debug, Serialize)]
pub(super) struct RouteView {
    pub(super) kind: &'static str,
    pub(super) name: String,
    pub(super) inputs: Vec<String>,
    pub(super) outputs: Vec<String>,
    pub(super) patterns: Option<String>,
    pub(super) path: String,
    /// What becomes of coherent sets.
    pub(super) sets: String,
    /// When samples of several fragments pass.
    pub(super) large: String,
    /// What is asked of the sources for the filters of readers beyond, if the route asks at all.
    pub(super) filters: Option<&'static str>,
    pub(super) if_full: String,
    pub(super) backlog: String,
    /// `null` if nobody has looked.
    pub(super) matches: Option<Vec<String>>,
}

impl ServiceView {
    pub(super) fn of(plan: &Plan, seen: Option<&Seen>) -> Self {
        let domain_routes = plan.domain_routes.iter();
        let limits = plan.limits;
        Self {
            name: plan.name.clone(),
            group: plan.group.clone(),
            domain_routes: domain_routes
                .map(|route| domain_route(route, seen))
                .collect(),
            memory: format!(
                "at most {} MiB of payloads in backlogs, {} routes, {} endpoints",
                limits.payload_bytes >> 20,
                limits.routes,
                limits.endpoints
            ),
        }
    }
}

fn domain_route(route: &DomainRoute, seen: Option<&Seen>) -> DomainRouteView {
    let sessions = route.sessions.iter();
    DomainRouteView {
        name: route.name.clone(),
        connections: route.connections.iter().map(connection).collect(),
        sessions: sessions.map(|one| session(one, route, seen)).collect(),
    }
}

fn connection(connection: &Connection) -> ConnectionView {
    let name = connection.name.clone();
    match &connection.kind {
        ConnectionKind::Participant(participant) => ConnectionView {
            name,
            domain: Some(participant.domain),
            transports: transports(participant.transports.unwrap_or_default()),
            adapter: None,
        },
        ConnectionKind::Adapter(plugin) => ConnectionView {
            name,
            domain: None,
            transports: String::new(),
            adapter: Some(adapter(plugin)),
        },
    }
}

/// An adapter with its properties.
fn adapter(plugin: &Plugin) -> String {
    let all = plugin.properties.iter();
    let all = all.map(|(name, value)| format!(", {name} {value}"));
    let properties: String = all.collect();
    format!("{}{properties}", plugin.class)
}

fn transports(transports: Transports) -> String {
    let all = [
        (transports.udp, "udp"),
        (transports.shmem, "shmem"),
        (transports.tcp, "tcp"),
        (transports.local, "local"),
    ];
    let names = all.into_iter().filter(|(is_used, _)| *is_used);
    names.map(|(_, name)| name).collect::<Vec<_>>().join(", ")
}

fn session(session: &Session, domain_route: &DomainRoute, seen: Option<&Seen>) -> SessionView {
    let connections = &domain_route.connections;
    let routes = session
        .routes
        .iter()
        .map(|one| route(one, session, connections, seen));
    let auto_routes = session.auto_routes.iter();
    let auto_routes = auto_routes.map(|one| auto_route(one, session, connections, seen));
    SessionView {
        name: session.name.clone(),
        threads: threads(&session.threads),
        routes: routes.chain(auto_routes).collect(),
    }
}

fn threads(threads: &ThreadPool) -> String {
    let forwards = match threads.size {
        1 => "whoever receives forwards".to_owned(),
        size => format!("{size} participants a connection, topics dealt among them"),
    };
    match &*threads.processors {
        [] => forwards,
        processors => format!("{forwards}, on processors {processors:?}"),
    }
}

fn route(
    route: &Route,
    session: &Session,
    connections: &[Connection],
    seen: Option<&Seen>,
) -> RouteView {
    let inputs = route.inputs.iter();
    let outputs = route.outputs.iter();
    let matches = seen.map(|seen| {
        let mut found = BTreeSet::new();
        for input in &route.inputs {
            let wanted = |topic: &str, type_name: &str| {
                let typed = input.type_name.as_deref();
                topic == input.topic && typed.is_none_or(|typed| typed == type_name)
            };
            found.extend(matching(
                seen,
                connections,
                input.connection,
                "writer",
                wanted,
            ));
        }
        for output in &route.outputs {
            let wanted = |topic: &str, _: &str| topic == output.topic;
            found.extend(matching(
                seen,
                connections,
                output.connection,
                "reader",
                wanted,
            ));
        }
        found.into_iter().collect()
    });
    RouteView {
        kind: "route",
        name: route.name.clone(),
        inputs: inputs.map(|one| input(one, connections)).collect(),
        outputs: outputs.map(|one| output(one, connections)).collect(),
        patterns: None,
        path: path(&route.settings, &route.inputs, &route.outputs),
        sets: sets(
            session,
            &route.settings,
            (&route.inputs, &route.outputs),
            connections,
        ),
        large: large(
            &route.settings,
            (&route.inputs, &route.outputs),
            connections,
        ),
        filters: filters(&route.settings, &route.outputs),
        if_full: if_full(&route.settings, &route.inputs, &route.outputs),
        backlog: backlog(&route.settings, route.outputs.len()),
        matches,
    }
}

fn auto_route(
    route: &AutoRoute,
    session: &Session,
    connections: &[Connection],
    seen: Option<&Seen>,
) -> RouteView {
    let inputs = std::slice::from_ref(&route.input);
    let outputs = route.outputs.iter();
    let matches = seen.map(|seen| {
        let wanted = |topic: &str, type_name: &str| {
            route.topics.passes(topic) && route.types.passes(type_name)
        };
        let mut found = matching(seen, connections, route.input.connection, "writer", wanted);
        for output in &route.outputs {
            found.extend(matching(
                seen,
                connections,
                output.connection,
                "reader",
                wanted,
            ));
        }
        found.into_iter().collect()
    });
    RouteView {
        kind: "auto route",
        name: route.name.clone(),
        inputs: vec![input(&route.input, connections)],
        outputs: outputs.map(|one| output(one, connections)).collect(),
        patterns: Some(patterns(&route.topics)),
        path: path(&route.settings, inputs, &route.outputs),
        sets: sets(
            session,
            &route.settings,
            (inputs, &route.outputs),
            connections,
        ),
        large: large(&route.settings, (inputs, &route.outputs), connections),
        filters: filters(&route.settings, &route.outputs),
        if_full: if_full(&route.settings, inputs, &route.outputs),
        backlog: backlog(&route.settings, route.outputs.len()),
        matches,
    }
}

/// Endpoints of a domain that are wanted, a line for each topic, type and number of them.
fn matching(
    seen: &Seen,
    connections: &[Connection],
    connection: usize,
    kind: &str,
    wanted: impl Fn(&str, &str) -> bool,
) -> BTreeSet<String> {
    let Some(connection) = connections.get(connection) else {
        return BTreeSet::new();
    };
    let participant = connection.kind.participant();
    let domain = participant.and_then(|participant| seen.get(&participant.domain));
    let endpoints = domain.iter().flat_map(|domain| &domain.endpoints);
    let those = endpoints.filter(|one| one.kind == kind && wanted(&one.topic, &one.type_name));
    let mut counts = std::collections::BTreeMap::new();
    for one in those {
        *counts.entry((&one.topic, &one.type_name)).or_insert(0) += 1;
    }
    let lines = counts.into_iter().map(|((topic, type_name), count)| {
        let plural = if count == 1 { "" } else { "s" };
        format!(
            "{topic} ({type_name}): {count} {kind}{plural} at {}",
            connection.name
        )
    });
    lines.collect()
}

fn name(connections: &[Connection], connection: usize) -> &str {
    connections.get(connection).map_or("", |found| &found.name)
}

fn input(input: &Input, connections: &[Connection]) -> String {
    let mut text = name(connections, input.connection).to_owned();
    if !input.topic.is_empty() {
        text.push_str(&format!(" topic {}", input.topic));
    }
    if let Some(type_name) = &input.type_name {
        text.push_str(&format!(" type {type_name}"));
    }
    let qos = match &input.qos {
        EndpointQos::AsSource => "QoS as the source's".to_owned(),
        EndpointQos::Explicit(qos) => words(qos.reliability.is_reliable(), qos.history),
    };
    text.push_str(&format!(", {}, {qos}", mode(input.mode)));
    if let Some(rate) = input.max_rate {
        text.push_str(&format!(", {rate} samples a second of an instance at most"));
    }
    if let Some(filter) = &input.filter {
        text.push_str(&format!(", where {}", filter.expression));
    }
    text
}

fn output(output: &Output, connections: &[Connection]) -> String {
    let mut text = name(connections, output.connection).to_owned();
    if !output.topic.is_empty() {
        text.push_str(&format!(" topic {}", output.topic));
    }
    let qos = match &output.qos {
        EndpointQos::AsSource => "QoS as the source's".to_owned(),
        EndpointQos::Explicit(qos) => words(qos.reliability.is_reliable(), qos.history),
    };
    let writers = match output.writers {
        Writers::One => "one writer",
        Writers::Group => "a writer for each group of sources",
        Writers::Mirror => "a writer for each source",
    };
    text.push_str(&format!(", {}, {qos}, {writers}", mode(output.mode)));
    text
}

fn words(is_reliable: bool, history: History) -> String {
    let reliability = if is_reliable {
        "reliable"
    } else {
        "best effort"
    };
    match history {
        History::KeepAll => format!("{reliability} keep all"),
        History::KeepLast(depth) => format!("{reliability} keep last {depth}"),
    }
}

fn mode(mode: CreationMode) -> String {
    let named = CREATION_MODES.iter().find(|(_, other)| *other == mode);
    match (named, mode) {
        (Some((name, _)), _) => (*name).to_owned(),
        (None, CreationMode::OnDemand { always: true }) => "while there is a source".to_owned(),
        (None, _) => "on demand".to_owned(),
    }
}

fn patterns(filter: &Filter) -> String {
    let list = |patterns: &[crate::plan::Pattern]| {
        let texts: Vec<_> = patterns.iter().map(|pattern| pattern.text()).collect();
        texts.join(", ")
    };
    match filter.deny.is_empty() {
        true => list(&filter.allow),
        false => format!("{}, but not {}", list(&filter.allow), list(&filter.deny)),
    }
}

/// How samples pass, and why not in a shorter way.
fn path(settings: &RouteSettings, inputs: &[Input], outputs: &[Output]) -> String {
    let mut reasons = Vec::new();
    if let Some(processor) = &settings.processor
        && processor.class != "forward"
    {
        reasons.push(format!("processor {}", processor.class));
    }
    for output in outputs {
        if let Some(transformation) = &output.transformation {
            reasons.push(format!("transformation {}", transformation.class));
        }
        if output.representation.is_some() {
            reasons.push("representation is converted".to_owned());
        }
    }
    if inputs.iter().any(|input| input.filter.is_some()) {
        reasons.push("filter, if a file or a source tells the type".to_owned());
    }
    if inputs.iter().any(|input| input.max_rate.is_some()) {
        reasons.push("max_rate".to_owned());
    }
    match reasons.is_empty() {
        true => "relay: the received bytes are sent as they are".to_owned(),
        false => format!("process, for: {}", reasons.join(", ")),
    }
}

/// What becomes of coherent sets, and why they do not pass whole.
fn sets(
    session: &Session,
    settings: &RouteSettings,
    (inputs, outputs): (&[Input], &[Output]),
    connections: &[Connection],
) -> String {
    let mut reasons = BTreeSet::new();
    let is_explicit = |qos: &EndpointQos<_>| matches!(qos, EndpointQos::Explicit(_));
    if inputs.iter().any(|input| is_explicit(&input.qos))
        && !session.subscriber.presentation.coherent_access
    {
        reasons.insert("the subscriber's PRESENTATION");
    }
    if outputs.iter().any(|output| output.writers == Writers::One) {
        reasons.insert("one writer for all sources");
    }
    if settings.processor.is_some() {
        reasons.insert("processor");
    }
    let all = inputs.iter().map(|input| input.connection);
    let mut all = all.chain(outputs.iter().map(|output| output.connection));
    if all.any(|at| is_adapter(connections, at)) {
        reasons.insert("adapter");
    }
    match reasons.is_empty() {
        true => "pass whole, those of several topics topic by topic".to_owned(),
        false => {
            let reasons: Vec<&str> = reasons.into_iter().collect();
            format!("dissolve into samples, for: {}", reasons.join(", "))
        }
    }
}

fn is_adapter(connections: &[Connection], at: usize) -> bool {
    let connection = connections.get(at);
    connection.is_some_and(|connection| connection.kind.participant().is_none())
}

/// When samples of several fragments pass, and why some only when they are whole.
fn large(
    settings: &RouteSettings,
    (inputs, outputs): (&[Input], &[Output]),
    connections: &[Connection],
) -> String {
    let mut reasons = BTreeSet::new();
    for input in inputs {
        reasons.extend(why_whole(settings, inputs, outputs, input));
    }
    let leads_beyond = |input: &Input| is_adapter(connections, input.connection);
    let ends_beyond = |output: &Output| is_adapter(connections, output.connection);
    if inputs.iter().any(leads_beyond) || outputs.iter().all(ends_beyond) {
        reasons.insert("adapter");
    }
    let shares = |output: &Output| output.writers == Writers::One;
    match reasons.is_empty() {
        true if outputs.iter().any(shares) => {
            "pass fragment by fragment while there is one source".to_owned()
        }
        true => "pass fragment by fragment".to_owned(),
        false => {
            let reasons: Vec<&str> = reasons.into_iter().collect();
            format!("pass when they are whole, for: {}", reasons.join(", "))
        }
    }
}

/// Whether filters of readers beyond are asked of the sources.
fn filters(settings: &RouteSettings, outputs: &[Output]) -> Option<&'static str> {
    let asks = settings.filter_propagation.is_some() && passes_all_on(settings, outputs);
    asks.then_some("of readers beyond are asked of the sources, as one")
}

/// What happens when an output can take no more.
fn if_full(settings: &RouteSettings, inputs: &[Input], outputs: &[Output]) -> String {
    let keeps_all = |history| history == History::KeepAll;
    let waits = outputs.iter().any(|output| match &output.qos {
        EndpointQos::AsSource => true,
        EndpointQos::Explicit(qos) => qos.reliability.is_reliable() && keeps_all(qos.history),
    });
    let blocks = inputs.iter().any(|input| match &input.qos {
        EndpointQos::AsSource => true,
        EndpointQos::Explicit(qos) => qos.reliability.is_reliable() && keeps_all(qos.history),
    });
    if !waits {
        return "the newest sample of an instance takes the place of older ones".to_owned();
    }
    if !blocks {
        return "new samples are dropped and counted".to_owned();
    }
    let timeout = match settings.stall_timeout.is_infinite() {
        true => "for ever".to_owned(),
        false => format!(
            "for {}, then the slowest far readers are given up",
            duration_text(settings.stall_timeout)
        ),
    };
    format!("reliable sources that keep all wait {timeout}")
}

/// A time as configurations have it.
fn duration_text(duration: dunlin::Duration) -> String {
    match std::time::Duration::try_from(duration) {
        Ok(time) => humantime::format_duration(time).to_string(),
        Err(_) => "infinite".to_owned(),
    }
}

fn backlog(settings: &RouteSettings, outputs: usize) -> String {
    let backlog = settings.backlog;
    format!(
        "{} samples or {} KiB for each of {outputs} outputs",
        backlog.samples,
        backlog.bytes >> 10
    )
}
