//! What there is in a service and how it is: a snapshot, as a tree.
use crate::plan::Path;
use std::fmt;
use std::time::Duration;

/// The state of an entity of a service. Only participants, inputs and outputs fail by themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum State {
    /// Waits for an administrator to enable it.
    Disabled,
    /// May start as soon as what contains it has started.
    Enabled,
    /// Service, domain route, session: participants have joined. Route: its type is known. Input
    /// and output: its mode says that it is not time for it.
    Started,
    /// Route: has an input and an output. Input and output: the endpoint exists.
    Running,
    /// Takes nothing; its readers stay matched.
    Paused,
    /// Has ended.
    Stopped,
    /// Could not start, for this reason. It is tried again. An input of whose outputs none could is
    /// not made: what it would take is nobody's.
    Failed(String),
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disabled => f.write_str("Disabled"),
            Self::Enabled => f.write_str("Enabled"),
            Self::Started => f.write_str("Started"),
            Self::Running => f.write_str("Running"),
            Self::Paused => f.write_str("Paused"),
            Self::Stopped => f.write_str("Stopped"),
            Self::Failed(reason) => write!(f, "Failed ({reason})"),
        }
    }
}

/// What sort of entity a node of the tree stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EntityKind {
    /// The service.
    Service,
    /// A domain route.
    DomainRoute,
    /// A connection of a domain route.
    Connection,
    /// A session.
    Session,
    /// A route, be it written in the configuration or made by an auto route.
    Route,
    /// An auto route.
    AutoRoute,
    /// An input of a route.
    Input,
    /// An output of a route.
    Output,
}

/// An entity with all that it contains.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where it is.
    pub path: Path,
    /// What it is.
    pub kind: EntityKind,
    /// How it is.
    pub state: State,
    /// What it waits for, in a sentence, if that is not obvious.
    pub note: Option<String>,
    /// What has passed; of routes, inputs and outputs.
    pub counters: Counters,
    /// How long samples took through the service; of routes.
    pub hop: Option<HopLatency>,
    /// Endpoints of other participants that it is matched with; of inputs and outputs.
    pub matched: usize,
    /// Where it reads or writes; of inputs and outputs.
    pub end: Option<EndPlace>,
    /// What it contains.
    pub children: Vec<Node>,
}

/// Where an input reads or an output writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndPlace {
    /// The name of its connection.
    pub connection: String,
    /// Its topic.
    pub topic: String,
    /// The registered name of its type, as far as it is known.
    pub type_name: Option<String>,
    /// Whose word it is what that type is, if the route needs to know and does.
    pub type_source: Option<String>,
}

/// The whole of a service: [`Service::state`](crate::Service::state).
pub type Tree = Node;

impl Node {
    /// A node without children that has passed nothing.
    pub fn new(path: Path, kind: EntityKind, state: State) -> Self {
        Self {
            path,
            kind,
            state,
            note: None,
            counters: Counters::default(),
            hop: None,
            matched: 0,
            end: None,
            children: Vec::new(),
        }
    }

    /// The entity at a path in this tree.
    pub fn at(&self, path: &str) -> Option<&Self> {
        if self.path.0 == path {
            return Some(self);
        }
        self.children.iter().find_map(|child| child.at(path))
    }

    /// This entity and all that it contains, parents before their children.
    pub fn walk(&self) -> Vec<&Self> {
        let mut all = vec![self];
        let mut at = 0;
        while let Some(node) = all.get(at).copied() {
            at += 1;
            for (offset, child) in node.children.iter().enumerate() {
                all.insert(at + offset, child);
            }
        }
        all
    }
}

/// What has passed since the entity started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Counters {
    /// Samples.
    pub samples: u64,
    /// Bytes of payload, encapsulation headers included.
    pub bytes: u64,
    /// Disposes.
    pub disposes: u64,
    /// Unregisters, those that dispose included.
    pub unregisters: u64,
    /// Changes that came a second time by another way, or had been here before.
    pub duplicates: u64,
    /// Changes that the configuration holds back: lifecycle that is not propagated, filters, rates.
    pub held_back: u64,
    /// Best-effort samples for which a reliable output had no room.
    pub dropped_full: u64,
    /// Changes that could not be written; the node's note has the last reason.
    pub failed: u64,
    /// Samples that an output began to write before they were whole.
    pub cut_through: u64,
    /// Samples that it began and did not complete, since the rest never came or something had to
    /// be written before them.
    pub cut_short: u64,
    /// Changes that wait for room, now.
    pub backlog: u64,
    /// Bytes of these.
    pub backlog_bytes: u64,
    /// How often a reader was given up that had held up an output for the route's stall timeout.
    pub given_up: u64,
}

impl Counters {
    /// The sum of two.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            samples: self.samples + other.samples,
            bytes: self.bytes + other.bytes,
            disposes: self.disposes + other.disposes,
            unregisters: self.unregisters + other.unregisters,
            duplicates: self.duplicates + other.duplicates,
            held_back: self.held_back + other.held_back,
            dropped_full: self.dropped_full + other.dropped_full,
            failed: self.failed + other.failed,
            cut_through: self.cut_through + other.cut_through,
            cut_short: self.cut_short + other.cut_short,
            backlog: self.backlog + other.backlog,
            backlog_bytes: self.backlog_bytes + other.backlog_bytes,
            given_up: self.given_up + other.given_up,
        }
    }
}

/// How long bursts took from the call of the input's listener until the last output had sent. One
/// burst in 64 is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct HopLatency {
    /// Bursts that were measured.
    pub count: u64,
    /// Half of them took no longer.
    pub p50: Duration,
    /// 99 of 100.
    pub p99: Duration,
    /// 9,999 of 10,000.
    pub p9999: Duration,
    /// All of them.
    pub max: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(path: &str, children: Vec<Node>) -> Node {
        Node {
            children,
            ..Node::new(Path(path.into()), EntityKind::Service, State::Running)
        }
    }

    #[test]
    fn a_tree_is_walked_from_the_top() {
        let deep = node("/a/b", vec![node("/a/b/c", vec![])]);
        let tree = node("/a", vec![deep, node("/a/d", vec![])]);
        let paths: Vec<_> = tree.walk().iter().map(|n| n.path.0.clone()).collect();
        assert_eq!(paths, ["/a", "/a/b", "/a/b/c", "/a/d"]);
        assert!(tree.at("/a/b/c").is_some() && tree.at("/b").is_none());
    }
}
