//! A connection of a domain route: a participant, and what is made of it.
use super::affinity;
use super::ends::EndError;
use super::platform::Join;
use crate::adapter::{self, Connection, Context};
use crate::plan::{ConnectionKind, ParticipantPlan, Waiting};
use crate::table::{Time, TypeFacts};
use dunlin::observe::{self, DiscoveryEvent, ParticipantData};
use dunlin::untyped::{TypeSupport, UntypedTopic};
use dunlin::xtypes::DynamicType;
use dunlin::{
    DiscoveryEvents, DomainParticipant, GuardCondition, ParticipantConfig, Properties, TopicQos,
    WaitSet, WaitStrategy,
};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The longest time between two tries to join.
const LONGEST_WAIT: Time = Time::from_secs(60);
/// Of an adapter: nodes come back soon, and sites wait for each other when they start.
const LONGEST_ADAPTER_WAIT: Time = Time::from_secs(4);
/// What the participants of one execution have in common, and nobody else.
const SERVICE: &str = "dunlin.route.service";
/// The group of a service, as Dunlin and RTI call it.
const GROUPS: [&str; 2] = ["dunlin.route.group", "rti.routing_service.group_name"];

/// Who the service is.
#[derive(Clone, Debug)]
pub(super) struct Identity {
    pub(super) service: String,
    pub(super) group: String,
    /// By which other routers know it in the hops of a sample.
    pub(super) router: u32,
    /// Tells this execution from others.
    pub(super) execution: u64,
}

impl Identity {
    /// What is said of a participant that is ignored, if it is another execution's.
    fn twin(&self, other: &ParticipantData) -> Option<String> {
        let own = format!("{:016x}", self.execution);
        if other.properties.value(SERVICE) == Some(&*own) {
            return None;
        }
        let host = observe::host(other).map(|host| format!(" on host {host}"));
        let process = observe::process(other).map(|process| format!(" in process {process}"));
        let (host, process) = (host.unwrap_or_default(), process.unwrap_or_default());
        let (name, group) = (&other.entity_name, &self.group);
        Some(format!(
            "service {name:?} of group {group:?} runs already{host}{process}: each ignores the other"
        ))
    }
}

/// A connection.
pub(super) struct Site {
    pub(super) domain_route: String,
    pub(super) name: String,
    plan: ConnectionKind,
    /// To be joined at all.
    enabled: bool,
    threads: Threads,
    joined: Option<Joined>,
    beyond: Option<Beyond>,
    failure: Option<Failure>,
}

/// How its participants receive.
pub(super) struct Threads {
    /// So many participants.
    pub(super) lanes: usize,
    /// Processors that their threads may use; empty means all.
    pub(super) processors: Vec<usize>,
    /// Another thread receives for them.
    pub(super) shared: bool,
}

/// What an adapter reaches.
struct Beyond {
    connection: Box<dyn Connection>,
    wake: GuardCondition,
}

/// A participant that has joined.
pub(super) struct Joined {
    pub(super) participant: DomainParticipant,
    pub(super) events: DiscoveryEvents,
    /// Further ones, that others receive by.
    others: Vec<DomainParticipant>,
}

struct Failure {
    reason: String,
    again: Time,
    count: u32,
}

impl Site {
    pub(super) fn new(
        domain_route: &str,
        name: &str,
        plan: &ConnectionKind,
        enabled: bool,
        threads: Threads,
    ) -> Self {
        Self {
            domain_route: domain_route.to_owned(),
            name: name.to_owned(),
            plan: plan.clone(),
            enabled,
            threads,
            joined: None,
            beyond: None,
            failure: None,
        }
    }

    /// It is to be joined, or not any more: one that has joined stays.
    pub(super) fn enable(&mut self, enabled: bool) {
        self.enabled = enabled;
    }

    pub(super) fn joined(&self) -> Option<&Joined> {
        self.joined.as_ref()
    }

    /// What its adapter reaches, if it is one's.
    pub(super) fn beyond(&self) -> Option<&dyn Connection> {
        self.beyond.as_ref().map(|beyond| &*beyond.connection)
    }

    /// A participant or an adapter's connection is there.
    pub(super) fn is_up(&self) -> bool {
        self.joined.is_some() || self.beyond.is_some()
    }

    /// What was discovered since the last call.
    pub(super) fn take_events(&self) -> Vec<DiscoveryEvent> {
        match (&self.joined, &self.beyond) {
            (Some(joined), _) => joined.events.take(),
            (None, Some(beyond)) => {
                beyond.wake.set_trigger_value(false);
                beyond.connection.take_events()
            }
            (None, None) => Vec::new(),
        }
    }

    /// Why it has not joined.
    pub(super) fn failure(&self) -> Option<&str> {
        self.failure.as_ref().map(|failure| &*failure.reason)
    }

    /// When it is tried again.
    pub(super) fn due(&self) -> Option<Time> {
        self.failure.as_ref().map(|failure| failure.again)
    }

    /// Joins its domain, if it has not and it is time to try; true if it has now.
    pub(super) fn join(&mut self, now: Time, who: &Identity, join: &Join) -> dunlin::Result<bool> {
        let waits = self.due().is_some_and(|due| due > now);
        if !self.enabled || self.is_up() || waits {
            return Ok(false);
        }
        let (joined, longest) = match &self.plan {
            ConnectionKind::Participant(plan) => {
                (self.join_domain(&plan.clone(), who, join), LONGEST_WAIT)
            }
            ConnectionKind::Adapter(plugin) => {
                let plugin = plugin.clone();
                let beyond = self.connect(&plugin.class, &plugin.properties, who);
                (beyond, LONGEST_ADAPTER_WAIT)
            }
        };
        match joined {
            Ok(()) => {
                self.failure = None;
                Ok(true)
            }
            Err(error) => {
                let count = self.failure.as_ref().map_or(0, |failure| failure.count);
                let wait = Time::from_secs(1 << count.min(6)).min(longest);
                self.failure = Some(Failure {
                    reason: error.to_string(),
                    again: now + wait,
                    count: count.saturating_add(1),
                });
                Err(error)
            }
        }
    }

    fn join_domain(
        &mut self,
        plan: &ParticipantPlan,
        who: &Identity,
        join: &Join,
    ) -> dunlin::Result<()> {
        let joined = affinity::within(&self.threads.processors, || {
            Joined::new(plan, who, &self.threads, join)
        });
        self.joined = Some(joined.map_err(dunlin::Error::BadParameter)??);
        Ok(())
    }

    /// The participants that another thread receives for.
    pub(super) fn shared(&self) -> impl Iterator<Item = &DomainParticipant> {
        let joined = self.joined.iter().filter(|_| self.threads.shared);
        joined.flat_map(Joined::all)
    }

    /// Processors that its threads may use; empty means all.
    pub(super) fn processors(&self) -> &[usize] {
        &self.threads.processors
    }

    fn connect(
        &mut self,
        class: &str,
        properties: &adapter::AdapterProperties,
        who: &Identity,
    ) -> dunlin::Result<()> {
        let wake = GuardCondition::new();
        let context = Context {
            service: who.service.clone(),
            connection: self.name.clone(),
            router: who.router,
            wake: wake.clone(),
        };
        let adapter = adapter::find(class).ok_or_else(|| format!("there is no adapter {class:?}"));
        let connection = adapter.and_then(|adapter| adapter.connect(properties, context));
        let connection = connection.map_err(dunlin::Error::BadParameter)?;
        self.beyond = Some(Beyond { connection, wake });
        Ok(())
    }

    /// Has the thread of the service wake for what this participant discovers.
    pub(super) fn watch(&self, waits: &WaitSet) {
        if let Some(joined) = &self.joined {
            waits.attach(joined.events.condition());
        }
        if let Some(beyond) = &self.beyond {
            waits.attach(beyond.wake.clone());
        }
    }

    /// What there is to be said of it.
    pub(super) fn note(&self, who: &Identity) -> Option<String> {
        let beyond = self.beyond.as_ref();
        beyond.map_or_else(|| self.twins(who), |beyond| beyond.connection.note())
    }

    /// Which other executions there are in its domain that are of the same group.
    fn twins(&self, who: &Identity) -> Option<String> {
        let others = self.joined.as_ref()?.participant.ignored_participants();
        let twins: BTreeSet<String> = others.iter().filter_map(|o| who.twin(o)).collect();
        let twins: Vec<String> = twins.into_iter().collect();
        (!twins.is_empty()).then(|| twins.join("; "))
    }

    /// Leaves its domain.
    pub(super) fn leave(&mut self) {
        if let Some(joined) = self.joined.take() {
            joined.all().for_each(DomainParticipant::close);
        }
        if let Some(beyond) = self.beyond.take() {
            beyond.connection.close();
        }
    }
}

/// Is it a participant of a service? Those that this one ignores, such as its own, it is not told
/// of.
pub(super) fn is_service(participant: &ParticipantData) -> bool {
    participant.properties.value(SERVICE).is_some()
}

/// The configuration of a participant of the service: its other participants know it, and leave its
/// endpoints alone.
pub(super) fn config(plan: &ParticipantPlan, who: &Identity) -> ParticipantConfig {
    let mut own = vec![(SERVICE, format!("{:016x}", who.execution))];
    if !who.group.is_empty() {
        own.extend(GROUPS.map(|name| (name, who.group.clone())));
    }
    let mut config = ParticipantConfig {
        name: who.service.clone(),
        qos: plan.qos.clone(),
        interfaces: plan.interfaces.clone(),
        peers: plan.peers.clone(),
        ..ParticipantConfig::default()
    };
    let announced = std::mem::take(&mut config.qos.property);
    let with = |all: Properties, (name, value): &(&str, String)| all.with(*name, value);
    config.qos.property = own.iter().fold(announced, with);
    config.ignored_properties = own.into_iter().map(|(n, v)| (n.to_owned(), v)).collect();
    config.transports = plan.transports.unwrap_or(config.transports);
    config.multicast = plan.multicast.unwrap_or(config.multicast);
    config.tcp = plan.tcp.clone().unwrap_or(config.tcp);
    if let Some(Waiting::Each(strategy)) = plan.waiting {
        config.waiting = strategy;
    }
    config
}

impl Joined {
    /// So many participants in one domain.
    fn new(
        plan: &ParticipantPlan,
        who: &Identity,
        threads: &Threads,
        join: &Join,
    ) -> dunlin::Result<Self> {
        let mut config = config(plan, who);
        if threads.shared {
            config.waiting = WaitStrategy::Block;
        }
        let join = || join(plan.domain, config.clone());
        let participant = join()?;
        let others: Result<Vec<_>, _> = (1..threads.lanes).map(|_| join()).collect();
        Ok(Self {
            events: participant.discovery_events(),
            participant,
            others: others?,
        })
    }

    fn all(&self) -> impl Iterator<Item = &DomainParticipant> {
        std::iter::once(&self.participant).chain(&self.others)
    }

    /// The participant, of as many as the session has threads, that the endpoints of a topic are
    /// of: one thread receives a topic, so its order is kept.
    pub(super) fn lane(&self, topic: &str, threads: usize) -> &DomainParticipant {
        let most = threads.clamp(1, 1 + self.others.len()) as u64;
        let mut hasher = DefaultHasher::new();
        topic.hash(&mut hasher);
        let at = (hasher.finish() % most) as usize;
        self.all().nth(at).unwrap_or(&self.participant)
    }
}

/// A topic of a type that nobody here needs to understand, unless it is `made` here.
pub(super) fn topic(
    participant: &DomainParticipant,
    name: &str,
    ty: &TypeFacts,
    made: Option<&DynamicType>,
) -> Result<UntypedTopic, EndError> {
    let made = made.and_then(|made| TypeSupport::from_type(made).ok());
    let made = made.filter(|made| made.is_keyed() == ty.keyed);
    let support = match made {
        Some(made) => made.with_name(&ty.name),
        None => TypeSupport::discovered(&ty.name, ty.keyed)
            .with_parameters(ty.information.clone(), None),
    };
    participant.create_untyped_topic(name, &support, TopicQos::default())
}
