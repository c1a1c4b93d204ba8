//! A connection of a domain route: a participant, and what is made of it.
use super::ends::EndError;
use crate::plan::ParticipantPlan;
use crate::table::{Time, TypeFacts};
use dunlin::observe::{self, ParticipantData};
use dunlin::untyped::{TypeSupport, UntypedTopic};
use dunlin::xtypes::DynamicType;
use dunlin::{
    DiscoveryEvents, DomainParticipant, ParticipantConfig, Properties, TopicQos, WaitSet,
};
use std::collections::BTreeSet;

/// The longest time between two tries to join.
const LONGEST_WAIT: Time = Time::from_secs(60);
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
    plan: ParticipantPlan,
    /// To be joined at all.
    enabled: bool,
    joined: Option<Joined>,
    failure: Option<Failure>,
}

/// A participant that has joined.
pub(super) struct Joined {
    pub(super) participant: DomainParticipant,
    pub(super) events: DiscoveryEvents,
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
        plan: &ParticipantPlan,
        enabled: bool,
    ) -> Self {
        Self {
            domain_route: domain_route.to_owned(),
            name: name.to_owned(),
            plan: plan.clone(),
            enabled,
            joined: None,
            failure: None,
        }
    }

    pub(super) fn joined(&self) -> Option<&Joined> {
        self.joined.as_ref()
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
    pub(super) fn join(&mut self, now: Time, who: &Identity) -> dunlin::Result<bool> {
        let waits = self.due().is_some_and(|due| due > now);
        if !self.enabled || self.joined.is_some() || waits {
            return Ok(false);
        }
        match DomainParticipant::with_config(self.plan.domain, config(&self.plan, who)) {
            Ok(participant) => {
                self.failure = None;
                let events = participant.discovery_events();
                self.joined = Some(Joined {
                    participant,
                    events,
                });
                Ok(true)
            }
            Err(error) => {
                let count = self.failure.as_ref().map_or(0, |failure| failure.count);
                let wait = Time::from_secs(1 << count.min(6)).min(LONGEST_WAIT);
                self.failure = Some(Failure {
                    reason: error.to_string(),
                    again: now + wait,
                    count: count.saturating_add(1),
                });
                Err(error)
            }
        }
    }

    /// Has the thread of the service wake for what this participant discovers.
    pub(super) fn watch(&self, waits: &WaitSet) {
        if let Some(joined) = &self.joined {
            waits.attach(joined.events.condition());
        }
    }

    /// Which other executions there are in its domain that are of the same group.
    pub(super) fn twins(&self, who: &Identity) -> Option<String> {
        let others = self.joined.as_ref()?.participant.ignored_participants();
        let twins: BTreeSet<String> = others.iter().filter_map(|o| who.twin(o)).collect();
        let twins: Vec<String> = twins.into_iter().collect();
        (!twins.is_empty()).then(|| twins.join("; "))
    }

    /// Leaves its domain.
    pub(super) fn leave(&mut self) {
        if let Some(joined) = self.joined.take() {
            joined.participant.close();
        }
    }
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
    config
}

impl Joined {
    /// A topic of a type that nobody here needs to understand, unless it is `made` here.
    pub(super) fn topic(
        &self,
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
        self.participant
            .create_untyped_topic(name, &support, TopicQos::default())
    }
}
