//! The plan of a service: a configuration after all checks, whichever language it was written in.
//!
//! Names are those of RTI Routing Service: a *service* has *domain routes*; a domain route has
//! *connections* and *sessions*; a session has *routes* and *auto routes*; a route has *inputs* and
//! *outputs*. A plan is data: it can be compared with the plan of a changed configuration.
use crate::types::Types;
use dunlin::{
    DataReaderQos, DataRepresentation, DataWriterQos, DomainParticipantQos, Duration, PublisherQos,
    SubscriberQos, Transports,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

pub mod diff;
pub mod pattern;
mod threads;

pub use diff::{Difference, DifferenceKind, OtherService, diff};
pub use pattern::{Pattern, PatternError};
pub use threads::{ThreadPool, Waiting};

/// One execution of one configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The name of the service.
    pub name: String,
    /// Services of one group ignore each other's endpoints, so that samples do not go in circles.
    pub group: String,
    /// Starts when the program starts; otherwise an administrator enables it.
    pub enabled: bool,
    /// Requests from outside.
    pub administration: Option<Administration>,
    /// What is published of the service's state.
    pub monitoring: Option<Monitoring>,
    /// Bounds of the whole service.
    pub limits: Limits,
    /// The types that files define.
    pub types: Types,
    /// The domain routes, by position.
    pub domain_routes: Vec<DomainRoute>,
}

impl Plan {
    /// Where the service is.
    pub fn path(&self) -> Path {
        Path(format!("/routing_services/{}", self.name))
    }
}

/// Bounds of a service. What is new beyond them is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Routes, those that auto routes made included.
    pub routes: usize,
    /// Readers and writers.
    pub endpoints: usize,
    /// Bytes of payloads that wait in backlogs.
    pub payload_bytes: usize,
    /// Endpoints made or deleted in a second, for each participant.
    pub endpoints_per_second: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            routes: 4096,
            endpoints: 16_384,
            payload_bytes: 512 << 20,
            endpoints_per_second: 200,
        }
    }
}

/// Requests from outside, over DDS.
#[derive(Clone, Debug, PartialEq)]
pub struct Administration {
    /// Its domain.
    pub domain: u32,
    /// Its participant, but for the domain.
    pub participant: Box<ParticipantPlan>,
    /// Requests may change something, not only read.
    pub allows_changes: bool,
}

/// What is published of the service's state, over DDS.
#[derive(Clone, Debug, PartialEq)]
pub struct Monitoring {
    /// Its domain.
    pub domain: u32,
    /// Its participant, but for the domain.
    pub participant: Box<ParticipantPlan>,
    /// How often statistics are published.
    pub publication_period: Duration,
    /// How often they are sampled.
    pub sampling_period: Duration,
}

/// Connections, and what passes between them.
#[derive(Clone, Debug, PartialEq)]
pub struct DomainRoute {
    /// Its name.
    pub name: String,
    /// Starts with the service.
    pub enabled: bool,
    /// Two connections at least.
    pub connections: Vec<Connection>,
    /// The sessions, by position.
    pub sessions: Vec<Session>,
}

/// A data domain, or what an adapter reaches.
#[derive(Clone, Debug, PartialEq)]
pub struct Connection {
    /// Its name.
    pub name: String,
    /// What it leads to.
    pub kind: ConnectionKind,
}

/// What a connection leads to.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ConnectionKind {
    /// A participant.
    Participant(Box<ParticipantPlan>),
    /// What an [adapter](crate::adapter) that is compiled in reaches.
    Adapter(Plugin),
}

impl ConnectionKind {
    /// The participant, if it is one.
    pub fn participant(&self) -> Option<&ParticipantPlan> {
        match self {
            Self::Participant(participant) => Some(participant),
            Self::Adapter(_) => None,
        }
    }

    /// As [`participant`](Self::participant), to change it.
    pub fn participant_mut(&mut self) -> Option<&mut ParticipantPlan> {
        match self {
            Self::Participant(participant) => Some(participant),
            Self::Adapter(_) => None,
        }
    }
}

/// A participant of the service. What is `None` is as the environment and the defaults of
/// [`dunlin::ParticipantConfig`] say.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ParticipantPlan {
    /// Its domain.
    pub domain: u32,
    /// QoS. ENTITY_NAME, if there is one, is the name that others see.
    pub qos: DomainParticipantQos,
    /// What it sends and receives by.
    pub transports: Option<Transports>,
    /// Only these interfaces; empty means all.
    pub interfaces: Vec<String>,
    /// Peers beside those found by multicast.
    pub peers: Vec<String>,
    /// Announces by multicast.
    pub multicast: Option<bool>,
    /// How it uses TCP.
    pub tcp: Option<dunlin::TcpSettings>,
    /// How its receivers wait.
    pub waiting: Option<Waiting>,
}

/// Routes that share threads and the QoS of publishers and subscribers.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    /// Its name.
    pub name: String,
    /// Starts with its domain route.
    pub enabled: bool,
    /// Threads that forward.
    pub threads: ThreadPool,
    /// QoS of the publishers of its outputs.
    pub publisher: PublisherQos,
    /// QoS of the subscribers of its inputs.
    pub subscriber: SubscriberQos,
    /// How often processors are called without data; `None` for never.
    pub period: Option<Duration>,
    /// Its routes, by position.
    pub routes: Vec<Route>,
    /// Its auto routes, by position.
    pub auto_routes: Vec<AutoRoute>,
}

impl DomainRoute {
    /// Processors that its participants may use: those of all its sessions; empty means all.
    pub fn processors(&self) -> Vec<usize> {
        let sessions = || {
            self.sessions
                .iter()
                .map(|session| &session.threads.processors)
        };
        if sessions().any(Vec::is_empty) {
            return Vec::new();
        }
        let all: BTreeSet<usize> = sessions().flatten().copied().collect();
        all.into_iter().collect()
    }

    /// So many participants a connection has: as many as the largest of its sessions has threads.
    /// What is found by its TCP port, or as what TLS says, is one.
    pub fn lanes(&self, connection: &Connection) -> usize {
        let ConnectionKind::Participant(participant) = &connection.kind else {
            return 1;
        };
        let sizes = self.sessions.iter().map(|session| session.threads.size);
        let most = sizes.max().unwrap_or(1).max(1);
        participant.tcp.as_ref().map_or(most, |_| 1)
    }
}

/// Inputs, a processor, outputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// Its name.
    pub name: String,
    /// Starts with its session.
    pub enabled: bool,
    /// What inputs and outputs share.
    pub settings: RouteSettings,
    /// At least one.
    pub inputs: Vec<Input>,
    /// At least one.
    pub outputs: Vec<Output>,
}

/// Is what comes out of such a route what came in? Then filters beyond are about the same members.
pub(crate) fn passes_all_on(settings: &RouteSettings, outputs: &[Output]) -> bool {
    let mut outputs = outputs.iter();
    settings.processor.is_none() && outputs.all(|one| one.transformation.is_none())
}

/// Why large samples of an input of such a route pass only when they are whole: somebody has to see
/// all of one first. What is known only when a sample comes is looked at then.
pub(crate) fn why_whole(
    settings: &RouteSettings,
    inputs: &[Input],
    outputs: &[Output],
    input: &Input,
) -> impl Iterator<Item = &'static str> {
    let reasons = [
        (settings.processor.is_some(), "processor"),
        (inputs.iter().any(|one| one.max_rate.is_some()), "max_rate"),
        (input.filter.is_some(), "content filter"),
        (
            outputs.iter().all(|one| one.transformation.is_some()),
            "transformation",
        ),
    ];
    let there = reasons.into_iter().filter(|(is_there, _)| *is_there);
    there.map(|(_, reason)| reason)
}

/// Makes a route for each topic and type name that passes its patterns.
#[derive(Clone, Debug, PartialEq)]
pub struct AutoRoute {
    /// Its name.
    pub name: String,
    /// Starts with its session.
    pub enabled: bool,
    /// Those of the routes that it makes.
    pub settings: RouteSettings,
    /// Names of topics.
    pub topics: Filter,
    /// Names of types.
    pub types: Filter,
    /// The input of each route, but for its topic and type.
    pub input: Input,
    /// The outputs of each route, but for their topics and types.
    pub outputs: Vec<Output>,
    /// New names of topics, by pattern; the first that fits counts. `*` in the new name stands for
    /// what the `*` of the pattern stands for.
    pub renames: Vec<(Pattern, String)>,
}

/// Which names pass: those that an `allow` pattern fits and no `deny` pattern. Names of the
/// built-in topics and of routers' own topics pass only if an `allow` pattern is that very name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Names that pass.
    pub allow: Vec<Pattern>,
    /// Names that do not.
    pub deny: Vec<Pattern>,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            allow: vec![Pattern::any()],
            deny: Vec::new(),
        }
    }
}

impl Filter {
    /// Topics of products' own that nobody means by `*`.
    const RESERVED: [&'static str; 3] = ["rti/", "dunlin/", "DCPS"];

    /// True if `name` passes.
    pub fn passes(&self, name: &str) -> bool {
        let literal = self.allow.iter().any(|pattern| pattern.is_literally(name));
        let reserved = Self::RESERVED.iter().any(|start| name.starts_with(start));
        let allowed = literal || !reserved && self.allow.iter().any(|p| p.matches(name));
        allowed && !self.deny.iter().any(|pattern| pattern.matches(name))
    }
}

/// What the inputs and outputs of a route share.
#[derive(Clone, Debug, PartialEq)]
pub struct RouteSettings {
    /// Outputs announce the type parameters of the source.
    pub route_types: bool,
    /// Forwarded samples say which sample they repeat.
    pub original_info: bool,
    /// Forwarded samples keep the source timestamp.
    pub original_timestamp: bool,
    /// Disposes pass.
    pub propagate_dispose: bool,
    /// Unregisters pass, and the end of the last source of an instance unregisters it.
    pub propagate_unregister: bool,
    /// Content filters of far readers are asked of the sources.
    pub filter_propagation: Option<FilterPropagation>,
    /// What happens between inputs and outputs.
    pub processor: Option<Plugin>,
    /// How often the processor is called without data; `None` for never.
    pub period: Option<Duration>,
    /// A fact of discovery that turns false is believed after this time.
    pub linger: Duration,
    /// Samples that wait for an output that takes no more.
    pub backlog: Backlog,
    /// After this time without progress the slowest far readers are given up; infinite for never.
    pub stall_timeout: Duration,
    /// An instance is kept registered for this time after its last source has ended.
    pub unregister_delay: Duration,
    /// The last sample of each instance is kept, and written again when a source returns of which
    /// the instance was unregistered since it was gone.
    pub reassert: bool,
}

impl RouteSettings {
    /// What counts where the XML says nothing.
    pub fn xml() -> Self {
        Self {
            route_types: true,
            original_info: false,
            original_timestamp: false,
            propagate_dispose: true,
            propagate_unregister: true,
            filter_propagation: None,
            processor: None,
            period: None,
            linger: Duration::from_secs(2),
            backlog: Backlog::default(),
            stall_timeout: Duration::from_secs(5),
            unregister_delay: Duration::ZERO,
            reassert: false,
        }
    }

    /// What counts where the short form says nothing.
    pub fn toml() -> Self {
        Self {
            original_info: true,
            original_timestamp: true,
            ..Self::xml()
        }
    }
}

/// How content filters of far readers are asked of the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilterPropagation {
    /// So many changes of filters are put together at most.
    pub max_event_count: u32,
    /// A change waits at most so long.
    pub max_event_delay: Duration,
}

impl Default for FilterPropagation {
    fn default() -> Self {
        Self {
            max_event_count: 16,
            max_event_delay: Duration::from_millis(100),
        }
    }
}

/// Bounds of the samples that wait for an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backlog {
    /// Samples.
    pub samples: usize,
    /// Bytes.
    pub bytes: usize,
}

impl Default for Backlog {
    fn default() -> Self {
        Self {
            samples: 256,
            bytes: 8 << 20,
        }
    }
}

/// Something that is compiled in and named in the configuration: a processor or a transformation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plugin {
    /// Its name in the table of what is compiled in.
    pub class: String,
    /// Its properties.
    pub properties: BTreeMap<String, String>,
}

/// Where a route reads.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// Which of the domain route's connections, by position.
    pub connection: usize,
    /// Topic; in an auto route empty.
    pub topic: String,
    /// The registered name of the type; `None` if the first endpoint that is discovered tells.
    pub type_name: Option<String>,
    /// Has the type a key? `None` if the type or the first endpoint that is discovered tells.
    pub keyed: Option<bool>,
    /// When there is a reader.
    pub mode: CreationMode,
    /// QoS of the reader.
    pub qos: EndpointQos<DataReaderQos>,
    /// Samples that are wanted.
    pub filter: Option<ContentFilter>,
    /// At most so many samples a second of each instance.
    pub max_rate: Option<f64>,
    /// Partitions, instead of the session's.
    pub partitions: Option<Vec<String>>,
}

/// Where a route writes.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// Which of the domain route's connections, by position.
    pub connection: usize,
    /// Topic; in an auto route empty.
    pub topic: String,
    /// The registered name of the type; `None` for that of the input.
    pub type_name: Option<String>,
    /// Has the type a key? `None` if it has one where that of the input has.
    pub keyed: Option<bool>,
    /// When there is a writer.
    pub mode: CreationMode,
    /// QoS of the writer.
    pub qos: EndpointQos<DataWriterQos>,
    /// Which writers there are.
    pub writers: Writers,
    /// What happens to a sample before it is written.
    pub transformation: Option<Plugin>,
    /// Samples are converted to this representation.
    pub representation: Option<DataRepresentation>,
    /// Partitions of the sources and those that take their place, by pattern; the first that fits
    /// counts.
    pub partitions: Vec<(Pattern, String)>,
}

/// When an endpoint exists. D is true while a remote endpoint of its side matches its topic, R
/// while an endpoint exists on the route's other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum CreationMode {
    /// While the route is started.
    #[default]
    Immediate,
    /// While D.
    OnDomainMatch,
    /// While R.
    OnRouteMatch,
    /// While D and R.
    OnDomainAndRouteMatch,
    /// While D or R.
    OnDomainOrRouteMatch,
    /// An input while D and somebody beyond wants it, an output while D, or while there is a source
    /// if it is announced always.
    OnDemand {
        /// The output exists while there is a source.
        always: bool,
    },
}

/// QoS of an endpoint of a route.
#[derive(Clone, Debug, PartialEq)]
pub enum EndpointQos<Q> {
    /// As the source writers have it: one endpoint for each group of sources that a reader can tell
    /// apart.
    AsSource,
    /// As written.
    Explicit(Box<Q>),
}

/// Which samples an input wants.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContentFilter {
    /// Expression of the SQL of DDS annex B.
    pub expression: String,
    /// Its parameters.
    pub parameters: Vec<String>,
}

impl ContentFilter {
    /// One that lets through what one of these does; `None` if there is none.
    pub(crate) fn any_of<'a>(all: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        let parts: Vec<_> = all.into_iter().map(Self::part).collect();
        Self::made(dunlin_filter::any_of(&parts))
    }

    /// One that lets through what both do; `None` if there is none.
    pub(crate) fn and(&self, other: &Self) -> Option<Self> {
        Self::made(dunlin_filter::all_of(&[self.part(), other.part()]))
    }

    fn part(&self) -> (&str, &[String]) {
        (&self.expression, &self.parameters)
    }

    fn made<E>(made: Result<(String, Vec<String>), E>) -> Option<Self> {
        let (expression, parameters) = made.ok()?;
        Some(Self {
            expression,
            parameters,
        })
    }
}

/// Which writers an output has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writers {
    /// One.
    One,
    /// One for each group of source writers.
    Group,
    /// One for each source writer.
    Mirror,
}

/// Where an entity is in the tree of the service:
/// `/routing_services/S/domain_routes/D/sessions/X/routes/R/inputs/I`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path(pub String);

impl Path {
    /// Of something in it, of a kind such as `routes`.
    pub fn child(&self, kind: &str, name: &str) -> Self {
        Self(format!("{self}/{kind}/{name}"))
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
