//! `dunlin route explain`: what a plan comes to, as a tree, and what matches now.
use super::options::Options;
use super::{exit, load, print};
use crate::plan::{DomainRoute, Plan};
use dunlin_observe::observer::{Domains, Observers};
use dunlin_observe::view::DomainView;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;
use view::{RouteView, ServiceView};

mod view;

/// The longest time to look at the domains.
const LOOK: Duration = Duration::from_secs(2);

/// Prints the tree.
pub(super) fn explain(options: Options) -> u8 {
    let loaded = load(&options);
    let Some(plan) = loaded.plan else {
        return exit::MISUSED;
    };
    let seen = match options.look {
        true => look(&plan),
        false => Ok(None),
    };
    let seen = seen.unwrap_or_else(|error| {
        eprintln!("the domains cannot be looked at: {error}");
        None
    });
    let view = ServiceView::of(&plan, seen.as_ref());
    match options.json {
        true => match serde_json::to_string_pretty(&view) {
            Ok(text) => print(&format!("{text}\n")),
            Err(error) => {
                eprintln!("{error}");
                return exit::FAILED;
            }
        },
        false => print(&text(&view)),
    }
    exit::DONE
}

/// What is in the domains of a plan, by domain.
type Seen = BTreeMap<u32, DomainView>;

fn look(plan: &Plan) -> Result<Option<Seen>, String> {
    let mut domains: Vec<u32> = plan.domain_routes.iter().flat_map(domains_of).collect();
    domains.sort_unstable();
    domains.dedup();
    let observers = Observers::join("dunlin route explain", &Domains(domains), &[])?;
    let seen = observers.gather(LOOK);
    let views = seen
        .iter()
        .map(|domain| (domain.id, DomainView::of(domain, None)));
    Ok(Some(views.collect()))
}

fn domains_of(route: &DomainRoute) -> impl Iterator<Item = u32> {
    let participants = route.connections.iter();
    participants.filter_map(|connection| Some(connection.kind.participant()?.domain))
}

fn text(view: &ServiceView) -> String {
    let mut out = String::new();
    let group = match view.group.is_empty() {
        true => "no group".to_owned(),
        false => format!("group {}", view.group),
    };
    let _ = writeln!(out, "service {} ({group})", view.name);
    for domain_route in &view.domain_routes {
        let _ = writeln!(out, "  domain route {}", domain_route.name);
        for connection in &domain_route.connections {
            let name = &connection.name;
            let _ = match (&connection.adapter, connection.domain) {
                (Some(adapter), _) => writeln!(out, "    connection {name}: {adapter}"),
                (None, domain) => writeln!(
                    out,
                    "    participant {name}: domain {}, {}",
                    domain.unwrap_or_default(),
                    connection.transports
                ),
            };
        }
        for session in &domain_route.sessions {
            let _ = writeln!(out, "    session {}: {}", session.name, session.threads);
            for route in &session.routes {
                route_text(&mut out, route);
            }
        }
    }
    let _ = writeln!(out, "memory: {}", view.memory);
    out
}

fn route_text(out: &mut String, route: &RouteView) {
    let _ = writeln!(out, "      {} {}", route.kind, route.name);
    let mut line = |name: &str, text: &str| {
        let _ = writeln!(out, "        {name:<10} {text}");
    };
    for input in &route.inputs {
        line("from", input);
    }
    for output in &route.outputs {
        line("to", output);
    }
    if let Some(patterns) = &route.patterns {
        line("topics", patterns);
    }
    line("path", &route.path);
    line("sets", &route.sets);
    line("large", &route.large);
    if let Some(filters) = route.filters {
        line("filters", filters);
    }
    line("if full", &route.if_full);
    line("backlog", &route.backlog);
    for matched in route.matches.iter().flatten() {
        line("now", matched);
    }
    if route.matches.as_ref().is_some_and(Vec::is_empty) {
        line("now", "no endpoint that is there matches");
    }
}
