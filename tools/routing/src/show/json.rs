//! The tree of a service as JSON.
use crate::state::{Counters, EntityKind, HopLatency, Node, State};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// An entity and all that it contains. Latencies are in microseconds.
pub fn tree_to_json(node: &Node) -> Value {
    let mut object = Map::new();
    let mut put = |name: &str, value: Value| object.insert(name.to_owned(), value);
    put("path", node.path.0.clone().into());
    put("name", name(node).into());
    put("kind", kind(node.kind).into());
    put("state", state(&node.state).into());
    if let State::Failed(reason) = &node.state {
        put("reason", reason.clone().into());
    }
    if let Some(note) = &node.note {
        put("note", note.clone().into());
    }
    if let Some(end) = &node.end {
        put("connection", end.connection.clone().into());
        put("topic", end.topic.clone().into());
        put("type", end.type_name.clone().into());
        if let Some(source) = &end.type_source {
            put("type_source", source.clone().into());
        }
    }
    if matches!(
        node.kind,
        EntityKind::Route | EntityKind::Input | EntityKind::Output
    ) {
        put("counters", counters(&node.counters));
    }
    if matches!(node.kind, EntityKind::Input | EntityKind::Output) {
        put("matched", node.matched.into());
    }
    if let Some(hop) = &node.hop {
        put("hop", latency(hop));
    }
    if !node.children.is_empty() {
        let children = node.children.iter().map(tree_to_json).collect();
        put("children", Value::Array(children));
    }
    Value::Object(object)
}

/// The last part of its path.
pub(super) fn name(node: &Node) -> &str {
    node.path.0.rsplit('/').next().unwrap_or_default()
}

/// A state in one word, as it is written in requests and metrics too.
pub(crate) fn state(state: &State) -> &'static str {
    match state {
        State::Disabled => "disabled",
        State::Enabled => "enabled",
        State::Started => "started",
        State::Running => "running",
        State::Paused => "paused",
        State::Stopped => "stopped",
        State::Failed(_) => "failed",
    }
}

/// The element of RTI Routing Service's XML that such an entity is written as.
pub(crate) fn kind(kind: EntityKind) -> &'static str {
    match kind {
        EntityKind::Service => "routing_service",
        EntityKind::DomainRoute => "domain_route",
        EntityKind::Connection => "connection",
        EntityKind::Session => "session",
        EntityKind::Route => "route",
        EntityKind::AutoRoute => "auto_route",
        EntityKind::Input => "input",
        EntityKind::Output => "output",
    }
}

fn counters(all: &Counters) -> Value {
    let named = numbers(all).into_iter();
    Value::Object(named.map(|(name, n)| (name.to_owned(), n.into())).collect())
}

/// Each counter with its name.
pub(super) fn numbers(all: &Counters) -> [(&'static str, u64); 13] {
    [
        ("samples", all.samples),
        ("bytes", all.bytes),
        ("disposes", all.disposes),
        ("unregisters", all.unregisters),
        ("duplicates", all.duplicates),
        ("held_back", all.held_back),
        ("dropped_full", all.dropped_full),
        ("failed", all.failed),
        ("cut_through", all.cut_through),
        ("cut_short", all.cut_short),
        ("backlog", all.backlog),
        ("backlog_bytes", all.backlog_bytes),
        ("given_up", all.given_up),
    ]
}

fn latency(hop: &HopLatency) -> Value {
    json!({
        "count": hop.count,
        "p50": microseconds(hop.p50),
        "p99": microseconds(hop.p99),
        "p9999": microseconds(hop.p9999),
        "max": microseconds(hop.max),
    })
}

fn microseconds(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1000.0
}
