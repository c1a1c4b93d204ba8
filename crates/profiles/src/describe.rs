//! What settings come to, policy by policy, for people.

use std::fmt::Display;

use dunlin::{DataRepresentation, Printable, Properties};
use dunlin_document::{Problem, Span};

use crate::Entity;
use crate::settings::Settings;

/// A policy of an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyLine {
    /// Its element: `reliability`.
    pub element: &'static str,
    /// Its value in words.
    pub value: String,
    /// Whether that is what the standard, or Dunlin, has without any file.
    pub is_default: bool,
    /// Where files say so.
    pub origins: Vec<Span>,
}

impl Settings {
    /// Every policy of an entity with these settings, in the order of the standard.
    ///
    /// # Errors
    ///
    /// Values that contradict each other.
    pub fn policies(&self, entity: Entity) -> Result<Vec<PolicyLine>, Box<Problem>> {
        let values = self.words(entity)?;
        let defaults = Self::default().words(entity)?;
        let lines = values.into_iter().zip(defaults);
        Ok(lines
            .map(|((element, value), (_, default))| {
                let below = self.iter().filter(|(path, _)| {
                    let rest = path.strip_prefix(element);
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '[']))
                });
                let mut origins: Vec<_> = below.map(|(_, setting)| setting.span).collect();
                origins.sort_unstable();
                PolicyLine {
                    element,
                    is_default: value == default,
                    value,
                    origins,
                }
            })
            .collect())
    }

    fn words(&self, entity: Entity) -> Result<Vec<(&'static str, String)>, Box<Problem>> {
        Ok(match entity {
            Entity::Participant => self.participant_words()?,
            Entity::Publisher => {
                let qos = self.publisher()?;
                vec![
                    ("presentation", qos.presentation.to_string()),
                    ("partition", qos.partition.to_string()),
                    ("group_data", octets(&qos.group_data)),
                    ("entity_factory", factory(qos.entity_factory)),
                    ("publisher_name", name(&qos.entity_name)),
                ]
            }
            Entity::Subscriber => {
                let qos = self.subscriber()?;
                vec![
                    ("presentation", qos.presentation.to_string()),
                    ("partition", qos.partition.to_string()),
                    ("group_data", octets(&qos.group_data)),
                    ("entity_factory", factory(qos.entity_factory)),
                    ("subscriber_name", name(&qos.entity_name)),
                ]
            }
            Entity::Topic => self.topic_words()?,
            Entity::Writer => self.writer_words()?,
            Entity::Reader => self.reader_words()?,
        })
    }

    fn participant_words(&self) -> Result<Vec<(&'static str, String)>, Box<Problem>> {
        let config = self.participant()?;
        let peers = config.peers.iter().map(|peer| Printable(peer).to_string());
        let mut discovery = peers.collect::<Vec<_>>().join(", ");
        if config.multicast {
            discovery += if discovery.is_empty() {
                "multicast"
            } else {
                ", and multicast"
            };
        }
        let transports = [
            (config.transports.udp, "UDPv4"),
            (config.transports.shmem, "SHMEM"),
            (config.transports.tcp, "TCP"),
        ];
        let on = transports.iter().filter(|(is_on, _)| *is_on);
        let mut transports: Vec<_> = on.map(|(_, name)| (*name).to_owned()).collect();
        if config.transports.tcp {
            let tls = config.tcp.tls.as_ref().map_or("", |_| ", TLS");
            transports.push(format!("(TCP port {}{tls})", config.tcp.port));
        }
        let interfaces = config
            .interfaces
            .iter()
            .map(|one| Printable(one).to_string());
        if !config.interfaces.is_empty() {
            let interfaces: Vec<_> = interfaces.collect();
            transports.push(format!("on {}", interfaces.join(", ")));
        }
        Ok(vec![
            ("participant_name", name(&config.qos.entity_name)),
            ("user_data", octets(&config.qos.user_data)),
            ("entity_factory", factory(config.qos.entity_factory)),
            ("property", properties(&config.qos.property)),
            ("transport_builtin", transports.join(" ")),
            ("discovery", discovery),
            (
                "discovery_config",
                format!(
                    "lease {}, announced every {}",
                    config.lease_duration, config.announce_period
                ),
            ),
        ])
    }

    fn topic_words(&self) -> Result<Vec<(&'static str, String)>, Box<Problem>> {
        let qos = self.topic()?;
        Ok(vec![
            ("durability", qos.durability.to_string()),
            ("durability_service", qos.durability_service.to_string()),
            ("deadline", qos.deadline.to_string()),
            ("latency_budget", qos.latency_budget.to_string()),
            ("liveliness", qos.liveliness.to_string()),
            ("reliability", qos.reliability.to_string()),
            ("destination_order", qos.destination_order.to_string()),
            ("history", qos.history.to_string()),
            ("resource_limits", qos.resource_limits.to_string()),
            ("transport_priority", qos.transport_priority.to_string()),
            ("lifespan", qos.lifespan.to_string()),
            ("ownership", qos.ownership.to_string()),
            ("representation", representations(&qos.representation)),
            ("topic_data", octets(&qos.topic_data)),
        ])
    }

    fn writer_words(&self) -> Result<Vec<(&'static str, String)>, Box<Problem>> {
        let qos = self.writer()?;
        let lifecycle = match qos.writer_data_lifecycle.autodispose_unregistered_instances {
            true => "disposes what it unregisters",
            false => "disposes nothing by itself",
        };
        Ok(vec![
            ("durability", qos.durability.to_string()),
            ("durability_service", qos.durability_service.to_string()),
            ("deadline", qos.deadline.to_string()),
            ("latency_budget", qos.latency_budget.to_string()),
            ("liveliness", qos.liveliness.to_string()),
            ("reliability", qos.reliability.to_string()),
            ("destination_order", qos.destination_order.to_string()),
            ("history", qos.history.to_string()),
            ("resource_limits", qos.resource_limits.to_string()),
            ("transport_priority", qos.transport_priority.to_string()),
            ("lifespan", qos.lifespan.to_string()),
            ("ownership", qos.ownership.to_string()),
            ("ownership_strength", qos.ownership_strength.to_string()),
            ("writer_data_lifecycle", lifecycle.to_owned()),
            ("representation", qos.representation.to_string()),
            ("batch", qos.batching.to_string()),
            ("user_data", octets(&qos.user_data)),
            ("property", properties(&qos.property)),
            ("publication_name", name(&qos.entity_name)),
        ])
    }

    fn reader_words(&self) -> Result<Vec<(&'static str, String)>, Box<Problem>> {
        let qos = self.reader()?;
        let lifecycle = &qos.reader_data_lifecycle;
        let groups: Vec<_> = qos
            .multicast
            .iter()
            .map(|group| group.to_string())
            .collect();
        Ok(vec![
            ("durability", qos.durability.to_string()),
            ("deadline", qos.deadline.to_string()),
            ("latency_budget", qos.latency_budget.to_string()),
            ("liveliness", qos.liveliness.to_string()),
            ("reliability", qos.reliability.to_string()),
            ("destination_order", qos.destination_order.to_string()),
            ("history", qos.history.to_string()),
            ("resource_limits", qos.resource_limits.to_string()),
            ("ownership", qos.ownership.to_string()),
            ("time_based_filter", qos.time_based_filter.to_string()),
            (
                "reader_data_lifecycle",
                format!(
                    "keeps what has no writer {}, what is disposed {}",
                    lifecycle.autopurge_nowriter_samples_delay,
                    lifecycle.autopurge_disposed_samples_delay
                ),
            ),
            ("representation", representations(&qos.representation)),
            ("type_consistency", type_consistency(&qos.type_consistency)),
            ("multicast", or_none(groups.join(", "))),
            ("user_data", octets(&qos.user_data)),
            ("property", properties(&qos.property)),
            ("subscription_name", name(&qos.entity_name)),
        ])
    }
}

fn or_none(text: String) -> String {
    match text.is_empty() {
        true => "none".to_owned(),
        false => text,
    }
}

fn name(text: &str) -> String {
    match text {
        "" => "none".to_owned(),
        text => format!("\"{}\"", Printable(text)),
    }
}

fn octets(octets: &[u8]) -> String {
    match octets.len() {
        0 => "none".to_owned(),
        count => format!("{count} bytes"),
    }
}

fn properties(properties: &Properties) -> String {
    or_none(properties.to_string())
}

fn representations(all: &[DataRepresentation]) -> String {
    let names: Vec<_> = all.iter().map(|one| one.to_string()).collect();
    or_none(names.join(" or "))
}

fn factory(factory: dunlin::EntityFactory) -> String {
    match factory.autoenable_created_entities {
        true => "enables what it creates".to_owned(),
        false => "leaves what it creates disabled".to_owned(),
    }
}

fn type_consistency(policy: &dunlin::TypeConsistencyEnforcement) -> String {
    let flags = [
        (policy.ignore_sequence_bounds, "ignore_sequence_bounds"),
        (policy.ignore_string_bounds, "ignore_string_bounds"),
        (policy.ignore_member_names, "ignore_member_names"),
        (policy.prevent_type_widening, "prevent_type_widening"),
    ];
    let on = flags.iter().filter(|(is_on, _)| *is_on);
    let on: Vec<_> = on.map(|(_, name)| *name).collect();
    let display: &dyn Display = policy;
    match on.is_empty() {
        true => display.to_string(),
        false => format!("{display}, {}", on.join(", ")),
    }
}
