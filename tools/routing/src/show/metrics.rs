//! Counters of a service in the text form of Prometheus.
use super::json::{name, numbers, state};
use crate::state::{EntityKind, Node};
use std::fmt::Write;

/// Counters that go up and down; the others only grow.
const GAUGES: [&str; 2] = ["backlog", "backlog_bytes"];

/// One series for each counter of each input and output, and the hop latency and state of each
/// route. At most `most` series.
pub fn tree_to_metrics(tree: &Node, most: usize) -> String {
    let nodes = tree.walk();
    let mut series = Series::new(most);
    series.family("dunlin_routing_up", "gauge", "1 while a route runs.");
    for route in of(&nodes, &[EntityKind::Route]) {
        let runs = f64::from(u8::from(state(&route.state) == "running"));
        series.sample("dunlin_routing_up", &labels(route), runs);
    }
    let ends = [EntityKind::Input, EntityKind::Output];
    for (at, (counter, _)) in numbers(&tree.counters).iter().enumerate() {
        let is_gauge = GAUGES.contains(counter);
        let (suffix, kind) = if is_gauge {
            ("", "gauge")
        } else {
            ("_total", "counter")
        };
        let family = format!("dunlin_routing_{counter}{suffix}");
        series.family(&family, kind, "Of an input or output.");
        for end in of(&nodes, &ends) {
            let value = numbers(&end.counters)
                .get(at)
                .map_or(0, |(_, value)| *value);
            series.sample(&family, &labels(end), value as f64);
        }
    }
    series.family(
        "dunlin_routing_matched",
        "gauge",
        "Endpoints of others that an input or output is matched with.",
    );
    for end in of(&nodes, &ends) {
        series.sample("dunlin_routing_matched", &labels(end), end.matched as f64);
    }
    series.family(
        "dunlin_routing_hop_seconds",
        "summary",
        "Time of one burst in 64 within the service.",
    );
    for route in of(&nodes, &[EntityKind::Route]) {
        let Some(hop) = &route.hop else { continue };
        for (quantile, time) in [("0.5", hop.p50), ("0.99", hop.p99), ("0.9999", hop.p9999)] {
            let labels = format!("{},quantile=\"{quantile}\"", labels(route));
            series.sample("dunlin_routing_hop_seconds", &labels, time.as_secs_f64());
        }
    }
    series.finish()
}

fn of<'a>(nodes: &'a [&'a Node], kinds: &'a [EntityKind]) -> impl Iterator<Item = &'a Node> {
    nodes
        .iter()
        .copied()
        .filter(move |node| kinds.contains(&node.kind))
}

fn labels(node: &Node) -> String {
    let mut labels = format!("path=\"{}\"", escaped(&node.path.0));
    if let Some(end) = &node.end {
        // A label of its own, so that samples can be summed over topics.
        let _ = write!(labels, ",topic=\"{}\"", escaped(&end.topic));
        let _ = write!(labels, ",connection=\"{}\"", escaped(&end.connection));
    } else {
        let _ = write!(labels, ",route=\"{}\"", escaped(name(node)));
    }
    labels
}

/// A label's value as the text form wants it.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            other => out.push(other),
        }
    }
    out
}

struct Series {
    text: String,
    left: usize,
    left_out: usize,
}

impl Series {
    fn new(most: usize) -> Self {
        Self {
            text: String::new(),
            left: most,
            left_out: 0,
        }
    }

    fn family(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn sample(&mut self, name: &str, labels: &str, value: f64) {
        if self.left == 0 {
            self.left_out += 1;
            return;
        }
        self.left -= 1;
        let _ = writeln!(self.text, "{name}{{{labels}}} {value}");
    }

    fn finish(mut self) -> String {
        if self.left_out > 0 {
            let _ = writeln!(self.text, "# {} series are left out", self.left_out);
        }
        self.text
    }
}
