//! `<domain_route>` and its participants.
use super::plugins::Kind;
use super::{Reader, each, path};
use crate::adapter;
use crate::plan::{Connection, ConnectionKind, DomainRoute, ParticipantPlan, Plugin};
use dunlin_document::{Element, Problem, quoted};
use std::collections::BTreeMap;

/// What the inputs and outputs of a domain route refer to.
pub(super) struct Connections<'d> {
    pub(super) all: Vec<Connection>,
    /// Where each is written.
    pub(super) elements: Vec<Element<'d>>,
    /// Of each, whether registered types have keys, as far as that is known.
    pub(super) types: Vec<BTreeMap<String, Option<bool>>>,
}

impl Reader<'_> {
    pub(super) fn domain_route(
        &mut self,
        element: Element<'_>,
        name: String,
        path: &str,
    ) -> DomainRoute {
        let enabled = self.enabled(element);
        let connections = self.connections(element, path);
        let mut sessions = Vec::new();
        for (position, child) in each(element, &["session"]) {
            let name = self.name(child, position);
            let path = path::session(path, &name);
            self.once(child, "session", &path);
            sessions.push(self.session(child, name, &path, &connections));
        }
        if sessions.is_empty() {
            let message = format!("domain route {} has no session", quoted(&name));
            let help = "add <session> with routes".to_owned();
            self.problems
                .push(Problem::error(element.span(), message).help(help));
        }
        DomainRoute {
            name,
            enabled,
            connections: connections.all,
            sessions,
        }
    }

    fn connections<'d>(&mut self, element: Element<'d>, path: &str) -> Connections<'d> {
        let mut connections = Connections {
            all: Vec::new(),
            elements: Vec::new(),
            types: Vec::new(),
        };
        for (position, child) in each(element, &["participant", "connection"]) {
            let name = self.name(child, position);
            let path = path::connection(path, &name);
            self.once(child, "connection", &path);
            let adapter = match child.name() {
                "connection" => self.adapter(child),
                _ => None,
            };
            let types = self.registered_types(child);
            let kind = match (adapter, child.name()) {
                (Some(adapter), _) => {
                    self.places.set(path, child.span());
                    ConnectionKind::Adapter(adapter)
                }
                (None, "participant") => {
                    ConnectionKind::Participant(Box::new(self.participant(child, &path)))
                }
                (None, _) => ConnectionKind::Participant(Box::default()),
            };
            connections.all.push(Connection { name, kind });
            connections.elements.push(child);
            connections.types.push(types);
        }
        if connections.all.is_empty() {
            let message = "the domain route has no participant";
            let help = "add <participant name=\"..\"> with a domain_id".to_owned();
            self.problems
                .push(Problem::error(element.span(), message).help(help));
        }
        connections
    }

    /// A connection of an adapter, if that is compiled in.
    fn adapter(&mut self, element: Element<'_>) -> Option<Plugin> {
        if !adapter::names().is_empty() {
            return self.plugin(element, Kind::Adapter);
        }
        let named = element.attribute("plugin_name");
        let span = named.map_or(element.span(), |named| named.span);
        let message = match named {
            Some(named) => format!("there is no adapter {}", quoted(named.text)),
            None => "the connection has no plugin_name".to_owned(),
        };
        let help = "this program has no adapters; use <participant>".to_owned();
        self.problems.push(Problem::error(span, message).help(help));
        None
    }

    fn participant(&mut self, element: Element<'_>, path: &str) -> ParticipantPlan {
        let mut plan = self.participant_qos(element);
        if let Some(domain) = self.domain(element) {
            plan.domain = domain.saturating_add(self.domain_base);
            let text = element.child("domain_id").and_then(|child| child.text());
            if let Some(text) = text {
                self.places.set(format!("{path}/domain"), text.span);
            }
        }
        plan
    }

    fn registered_types(&mut self, element: Element<'_>) -> BTreeMap<String, Option<bool>> {
        let mut types = BTreeMap::new();
        for (_, child) in each(element, &["register_type", "registered_type"]) {
            let Some(name) = child.attribute("name") else {
                let message = format!("{} has no name", child.name());
                self.error(child.span(), message);
                continue;
            };
            let reference = child.attribute("type_ref");
            let reference = reference.or_else(|| child.attribute("type_name"));
            let reference = reference.or_else(|| child.child("type_ref").and_then(|c| c.text()));
            let Some(reference) = reference else {
                let message = format!("{} has no type_ref", child.name());
                self.error(child.span(), message);
                continue;
            };
            let keyed = self.types.get(reference.text).copied();
            if keyed.is_none() {
                let names = self.types.keys().map(String::as_str);
                let help = dunlin_document::did_you_mean(reference.text, names);
                let help = help.unwrap_or_else(|| "define it in <types>".to_owned());
                let message = format!("there is no type {}", quoted(reference.text));
                self.undefined(reference, message, Some(help));
            }
            self.route_types.register(name.text, reference.text);
            types.insert(name.text.to_owned(), keyed);
        }
        types
    }
}
