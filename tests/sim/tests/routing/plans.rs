//! Configurations of services.
use dunlin_routing::config::{self, Input, Options};
use dunlin_routing::plan::Plan;

fn plan(text: String) -> Plan {
    let name = "service.toml".to_owned();
    let loaded = config::load(&[Input::Text { name, text }], &Options::default());
    let report = loaded.report();
    loaded.plan.unwrap_or_else(|| panic!("{report}"))
}

fn participants(name: &str, one: u32, two: u32) -> String {
    format!(
        "name = \"{name}\"\n[participants.one]\ndomain = {one}\n[participants.two]\ndomain = {two}\n"
    )
}

/// An output is there while there is a source: the next service in a row has to see one.
const ALWAYS: &str = "announce = \"always\"\n";

fn route(from: &str, to: &str, settings: &str) -> String {
    format!("[[routes]]\nfrom = \"{from}\"\nto = \"{to}\"\ntopics = [\"*\"]\n{settings}\n")
}

/// From one domain to another one, all topics.
pub(crate) fn one_way(name: &str, from: u32, to: u32, settings: &str) -> Plan {
    let way = route("one", "two", &format!("{ALWAYS}{settings}"));
    plan(participants(name, from, to) + &way)
}

/// The same with new names, while somebody is there for them.
pub(crate) fn renamed(name: &str, from: u32, to: u32, rename: &str) -> Plan {
    let way = route("one", "two", &format!("rename = {rename}"));
    plan(participants(name, from, to) + &way)
}

/// Between two domains, all topics, both ways.
pub(crate) fn both_ways(name: &str, one: u32, two: u32) -> Plan {
    both_ways_by(name, one, two, ALWAYS)
}

/// The same, with endpoints while somebody is there for them.
pub(crate) fn on_demand(name: &str, one: u32, two: u32) -> Plan {
    both_ways_by(name, one, two, "")
}

/// The same, by these settings.
pub(crate) fn both_ways_by(name: &str, one: u32, two: u32, settings: &str) -> Plan {
    let ways = route("one", "two", settings) + &route("two", "one", settings);
    plan(participants(name, one, two) + &ways)
}
