//! Settings become the QoS structs of the product.

use std::net::SocketAddrV4;

use dunlin::transport::TlsConfig;
use dunlin::{
    AccessScope, DataReaderQos, DataWriterQos, DestinationOrder, DomainParticipantQos, Durability,
    DurabilityService, Duration, EntityFactory, History, InvalidQos, Liveliness, LivelinessKind,
    Ownership, ParticipantConfig, Partition, Presentation, Properties, Property, PublisherQos,
    Reliability, ReliabilityKind, ResourceLimits, SubscriberQos, TcpSettings, TopicQos, Transports,
    TypeConsistencyEnforcement, TypeConsistencyKind,
};
use dunlin_document::{Problem, Span, quoted};

use crate::settings::{Settings, Value};
use crate::value::DISCOVERY_SERVICE;

/// Settings that make no QoS, and where the reason stands, if it stands somewhere.
type Built<T> = Result<T, Box<Problem>>;

/// What a batch has at most if nothing says so: the default of the product whose XML this is.
const BATCH_BYTES: u32 = 1024;
/// What an unlimited batch has at most: it would otherwise grow until somebody flushes it.
const MOST_BATCH_BYTES: u32 = 64 << 10;

/// Where participants announce themselves unless they are told otherwise (RTPS 2.5 9.6.2.4.1).
const STANDARD_GROUP: &str = "239.255.0.1";

/// Takes a value of one kind over, if it is set.
macro_rules! take {
    ($settings:expr, $path:expr, $kind:ident, $field:expr) => {
        if let Some(Value::$kind(value)) = $settings.get($path).map(|setting| &setting.value) {
            $field = value.clone();
        }
    };
}

impl Settings {
    /// QoS of a participant, and what else its files say of it. What they do not say is as
    /// `ParticipantConfig::default` has it.
    ///
    /// # Errors
    ///
    /// Values that contradict each other.
    pub fn participant(&self) -> Built<ParticipantConfig> {
        let mut qos = DomainParticipantQos::default();
        take!(self, "user_data/value", Octets, qos.user_data);
        take!(self, "participant_name/name", Text, qos.entity_name);
        self.entity_factory(&mut qos.entity_factory);
        qos.property = self.properties();
        self.checked(qos.validate())?;
        let mut config = ParticipantConfig {
            qos,
            ..ParticipantConfig::default()
        };
        take!(
            self,
            "transport_builtin/mask",
            Transports,
            config.transports
        );
        self.discovery(&mut config)?;
        self.interfaces(&mut config)?;
        let lease = "discovery_config/participant_liveliness_lease_duration";
        self.duration(lease, &mut config.lease_duration);
        let period = "discovery_config/participant_liveliness_assert_period";
        self.duration(period, &mut config.announce_period);
        self.tcp(&mut config)?;
        Ok(config)
    }

    /// QoS of a publisher.
    ///
    /// # Errors
    ///
    /// Values that contradict each other.
    pub fn publisher(&self) -> Built<PublisherQos> {
        let mut qos = PublisherQos::default();
        self.presentation(&mut qos.presentation);
        self.partition(&mut qos.partition);
        self.entity_factory(&mut qos.entity_factory);
        take!(self, "group_data/value", Octets, qos.group_data);
        take!(self, "publisher_name/name", Text, qos.entity_name);
        Ok(qos)
    }

    /// QoS of a subscriber.
    ///
    /// # Errors
    ///
    /// Values that contradict each other.
    pub fn subscriber(&self) -> Built<SubscriberQos> {
        let mut qos = SubscriberQos::default();
        self.presentation(&mut qos.presentation);
        self.partition(&mut qos.partition);
        self.entity_factory(&mut qos.entity_factory);
        take!(self, "group_data/value", Octets, qos.group_data);
        take!(self, "subscriber_name/name", Text, qos.entity_name);
        Ok(qos)
    }

    /// QoS of a topic.
    ///
    /// # Errors
    ///
    /// Values that contradict each other.
    pub fn topic(&self) -> Built<TopicQos> {
        let mut qos = TopicQos::default();
        self.durability(&mut qos.durability);
        self.durability_service(&mut qos.durability_service);
        self.duration("deadline/period", &mut qos.deadline);
        self.duration("latency_budget/duration", &mut qos.latency_budget);
        self.liveliness(&mut qos.liveliness);
        self.reliability(&mut qos.reliability);
        self.destination_order(&mut qos.destination_order);
        self.history("history/kind", "history/depth", &mut qos.history);
        self.resource_limits("resource_limits", &mut qos.resource_limits);
        self.duration("lifespan/duration", &mut qos.lifespan);
        self.ownership(&mut qos.ownership);
        take!(
            self,
            "transport_priority/value",
            Integer,
            qos.transport_priority
        );
        take!(self, "topic_data/value", Octets, qos.topic_data);
        if let Some(Value::Representations(all)) = self.value("representation/value")
            && !all.is_empty()
        {
            qos.representation.clone_from(all);
        }
        self.checked(qos.validate())?;
        Ok(qos)
    }

    /// QoS of a writer.
    ///
    /// # Errors
    ///
    /// Values that contradict each other.
    pub fn writer(&self) -> Built<DataWriterQos> {
        let mut qos = DataWriterQos::default();
        self.durability(&mut qos.durability);
        self.durability_service(&mut qos.durability_service);
        self.duration("deadline/period", &mut qos.deadline);
        self.duration("latency_budget/duration", &mut qos.latency_budget);
        self.liveliness(&mut qos.liveliness);
        self.reliability(&mut qos.reliability);
        self.destination_order(&mut qos.destination_order);
        self.history("history/kind", "history/depth", &mut qos.history);
        self.resource_limits("resource_limits", &mut qos.resource_limits);
        self.duration("lifespan/duration", &mut qos.lifespan);
        self.ownership(&mut qos.ownership);
        take!(
            self,
            "ownership_strength/value",
            Integer,
            qos.ownership_strength
        );
        take!(
            self,
            "transport_priority/value",
            Integer,
            qos.transport_priority
        );
        take!(self, "user_data/value", Octets, qos.user_data);
        take!(self, "publication_name/name", Text, qos.entity_name);
        qos.property = self.properties();
        take!(
            self,
            "writer_data_lifecycle/autodispose_unregistered_instances",
            Boolean,
            qos.writer_data_lifecycle.autodispose_unregistered_instances
        );
        if let Some(Value::Representations(all)) = self.value("representation/value")
            && let Some(first) = all.first()
        {
            qos.representation = *first;
        }
        if let Some(Value::Boolean(true)) = self.value("batch/enable") {
            qos.batching.max_bytes = match self.value("batch/max_data_bytes") {
                Some(Value::Length(bytes)) => bytes.unwrap_or(MOST_BATCH_BYTES),
                _ => BATCH_BYTES,
            };
        }
        self.checked(qos.validate())?;
        Ok(qos)
    }

    /// QoS of a reader.
    ///
    /// # Errors
    ///
    /// Values that contradict each other.
    pub fn reader(&self) -> Built<DataReaderQos> {
        let mut qos = DataReaderQos::default();
        self.durability(&mut qos.durability);
        self.duration("deadline/period", &mut qos.deadline);
        self.duration("latency_budget/duration", &mut qos.latency_budget);
        self.liveliness(&mut qos.liveliness);
        self.reliability(&mut qos.reliability);
        self.destination_order(&mut qos.destination_order);
        self.history("history/kind", "history/depth", &mut qos.history);
        self.resource_limits("resource_limits", &mut qos.resource_limits);
        self.ownership(&mut qos.ownership);
        self.duration(
            "time_based_filter/minimum_separation",
            &mut qos.time_based_filter,
        );
        take!(self, "user_data/value", Octets, qos.user_data);
        take!(self, "subscription_name/name", Text, qos.entity_name);
        take!(self, "multicast/value", Groups, qos.multicast);
        qos.property = self.properties();
        let lifecycle = &mut qos.reader_data_lifecycle;
        self.duration(
            "reader_data_lifecycle/autopurge_nowriter_samples_delay",
            &mut lifecycle.autopurge_nowriter_samples_delay,
        );
        self.duration(
            "reader_data_lifecycle/autopurge_disposed_samples_delay",
            &mut lifecycle.autopurge_disposed_samples_delay,
        );
        if let Some(Value::Representations(all)) = self.value("representation/value")
            && !all.is_empty()
        {
            qos.representation.clone_from(all);
        }
        self.type_consistency(&mut qos.type_consistency);
        self.checked(qos.validate())?;
        Ok(qos)
    }

    fn value(&self, path: &str) -> Option<&Value> {
        self.get(path).map(|setting| &setting.value)
    }

    fn choice(&self, path: &str) -> Option<&'static str> {
        match self.value(path) {
            Some(Value::Choice(name)) => Some(name),
            _ => None,
        }
    }

    fn duration(&self, path: &str, field: &mut Duration) {
        let part = |name: &str| match self.value(&format!("{path}/{name}")) {
            Some(Value::Time(time)) => Some(*time),
            _ => None,
        };
        let (sec, nanosec) = (part("sec"), part("nanosec"));
        *field = match (sec, nanosec) {
            (None, None) => return,
            (Some(None), _) | (None, Some(None)) => Duration::INFINITE,
            (Some(Some(sec)), nanosec) => {
                let nanosec = nanosec.flatten().unwrap_or(0);
                Duration::from_nanos(i64::from(sec) * 1_000_000_000 + i64::from(nanosec))
            }
            (None, Some(Some(nanosec))) => Duration::from_nanos(i64::from(nanosec)),
        };
    }

    fn durability(&self, field: &mut Durability) {
        *field = match self.choice("durability/kind") {
            Some("VOLATILE") => Durability::Volatile,
            Some("TRANSIENT_LOCAL") => Durability::TransientLocal,
            Some("TRANSIENT") => Durability::Transient,
            Some("PERSISTENT") => Durability::Persistent,
            _ => return,
        };
    }

    fn durability_service(&self, field: &mut DurabilityService) {
        self.duration(
            "durability_service/service_cleanup_delay",
            &mut field.service_cleanup_delay,
        );
        self.history(
            "durability_service/history_kind",
            "durability_service/history_depth",
            &mut field.history,
        );
        self.resource_limits("durability_service", &mut field.resource_limits);
    }

    fn liveliness(&self, field: &mut Liveliness) {
        self.duration("liveliness/lease_duration", &mut field.lease_duration);
        field.kind = match self.choice("liveliness/kind") {
            Some("AUTOMATIC") => LivelinessKind::Automatic,
            Some("MANUAL_BY_PARTICIPANT") => LivelinessKind::ManualByParticipant,
            Some("MANUAL_BY_TOPIC") => LivelinessKind::ManualByTopic,
            _ => return,
        };
    }

    fn reliability(&self, field: &mut Reliability) {
        self.duration(
            "reliability/max_blocking_time",
            &mut field.max_blocking_time,
        );
        field.kind = match self.choice("reliability/kind") {
            Some("RELIABLE") => ReliabilityKind::Reliable,
            Some("BEST_EFFORT") => ReliabilityKind::BestEffort,
            _ => return,
        };
    }

    fn destination_order(&self, field: &mut DestinationOrder) {
        *field = match self.choice("destination_order/kind") {
            Some("BY_RECEPTION_TIMESTAMP") => DestinationOrder::ByReceptionTimestamp,
            Some("BY_SOURCE_TIMESTAMP") => DestinationOrder::BySourceTimestamp,
            _ => return,
        };
    }

    fn ownership(&self, field: &mut Ownership) {
        *field = match self.choice("ownership/kind") {
            Some("SHARED") => Ownership::Shared,
            Some("EXCLUSIVE") => Ownership::Exclusive,
            _ => return,
        };
    }

    fn history(&self, kind: &str, depth: &str, field: &mut History) {
        let depth = match self.value(depth) {
            Some(Value::Length(Some(depth))) => Some(*depth),
            _ => None,
        };
        *field = match (self.choice(kind), depth) {
            (Some("KEEP_ALL"), _) => History::KeepAll,
            (Some(_), depth) => History::KeepLast(depth.unwrap_or(1)),
            (None, Some(depth)) => History::KeepLast(depth),
            (None, None) => return,
        };
    }

    fn resource_limits(&self, element: &str, field: &mut ResourceLimits) {
        let path = |name: &str| format!("{element}/{name}");
        take!(self, &path("max_samples"), Length, field.max_samples);
        take!(self, &path("max_instances"), Length, field.max_instances);
        let per_instance = path("max_samples_per_instance");
        take!(self, &per_instance, Length, field.max_samples_per_instance);
    }

    fn presentation(&self, field: &mut Presentation) {
        take!(
            self,
            "presentation/coherent_access",
            Boolean,
            field.coherent_access
        );
        take!(
            self,
            "presentation/ordered_access",
            Boolean,
            field.ordered_access
        );
        field.access_scope = match self.choice("presentation/access_scope") {
            Some("INSTANCE") => AccessScope::Instance,
            Some("TOPIC") => AccessScope::Topic,
            Some("GROUP") => AccessScope::Group,
            _ => return,
        };
    }

    fn partition(&self, field: &mut Partition) {
        take!(self, "partition/name", Texts, field.0);
    }

    fn entity_factory(&self, field: &mut EntityFactory) {
        take!(
            self,
            "entity_factory/autoenable_created_entities",
            Boolean,
            field.autoenable_created_entities
        );
    }

    fn type_consistency(&self, field: &mut TypeConsistencyEnforcement) {
        let path = |name: &str| format!("type_consistency/{name}");
        take!(
            self,
            &path("ignore_sequence_bounds"),
            Boolean,
            field.ignore_sequence_bounds
        );
        take!(
            self,
            &path("ignore_string_bounds"),
            Boolean,
            field.ignore_string_bounds
        );
        take!(
            self,
            &path("ignore_member_names"),
            Boolean,
            field.ignore_member_names
        );
        take!(
            self,
            &path("prevent_type_widening"),
            Boolean,
            field.prevent_type_widening
        );
        take!(
            self,
            &path("force_type_validation"),
            Boolean,
            field.force_type_validation
        );
        field.kind = match self.choice("type_consistency/kind") {
            Some("DISALLOW_TYPE_COERCION") => TypeConsistencyKind::DisallowTypeCoercion,
            Some(_) => TypeConsistencyKind::AllowTypeCoercion,
            None => return,
        };
    }

    fn properties(&self) -> Properties {
        let named = self.iter().filter_map(|(path, setting)| {
            let name = path.strip_prefix("property[")?.strip_suffix(']')?;
            match &setting.value {
                Value::Property { value, propagate } => Some(Property {
                    name: name.to_owned(),
                    value: value.clone(),
                    propagate: *propagate,
                }),
                _ => None,
            }
        });
        Properties {
            values: named.collect(),
            binary_values: Vec::new(),
        }
    }

    /// A property and where it stands.
    fn property(&self, name: &str) -> Option<(&str, Span)> {
        let setting = self.get(&format!("property[{name}]"))?;
        match &setting.value {
            Value::Property { value, .. } => Some((value, setting.span)),
            _ => None,
        }
    }

    /// Does it name another product's discovery service as a peer?
    pub(crate) fn needs_discovery_service(&self) -> bool {
        let peers = self.value("discovery/initial_peers");
        let Some(Value::Texts(peers)) = peers else {
            return false;
        };
        peers.iter().any(|peer| peer.starts_with(DISCOVERY_SERVICE))
    }

    /// Whom it announces itself to, and where it listens.
    fn discovery(&self, config: &mut ParticipantConfig) -> Built<()> {
        if let Some(setting) = self.get("discovery/initial_peers")
            && let Value::Texts(peers) = &setting.value
        {
            let mut all = peers.iter();
            if let Some(peer) = all.find(|peer| peer.starts_with(DISCOVERY_SERVICE)) {
                let message = format!("{} is a discovery service", quoted(peer));
                let help = "those of other products are not spoken to: name the peers themselves";
                let problem = Problem::error(setting.span, message).help(help.to_owned());
                return Err(Box::new(problem));
            }
            config.peers.clone_from(peers);
            config.multicast = false;
        }
        let groups = self.value("discovery/multicast_receive_addresses");
        if let Some(Value::Texts(groups)) = groups {
            config.multicast &= groups.iter().any(|group| group.ends_with(STANDARD_GROUP));
            let others = groups
                .iter()
                .filter(|group| !group.ends_with(STANDARD_GROUP));
            config.peers.extend(others.cloned());
        }
        Ok(())
    }

    /// Interfaces of UDP are chosen by properties.
    fn interfaces(&self, config: &mut ParticipantConfig) -> Built<()> {
        let names = ["deny_interfaces_list", "deny_multicast_interfaces_list"];
        for name in names {
            let name = format!("dds.transport.UDPv4.builtin.parent.{name}");
            if let Some((list, span)) = self.property(&name)
                && !list.is_empty()
            {
                let message = format!("{name} is not supported");
                let help = "name those that are allowed in allow_interfaces_list".to_owned();
                return Err(Box::new(Problem::error(span, message).help(help)));
            }
        }
        let name = "dds.transport.UDPv4.builtin.parent.allow_interfaces_list";
        let Some((list, span)) = self.property(name) else {
            return Ok(());
        };
        for entry in list
            .split(',')
            .map(str::trim)
            .filter(|entry| !entry.is_empty())
        {
            if entry.contains(['*', '?', '[']) {
                let message = format!("{} is a pattern", quoted(entry));
                let help = "write names or addresses of interfaces".to_owned();
                return Err(Box::new(Problem::error(span, message).help(help)));
            }
            config.interfaces.push(entry.to_owned());
        }
        Ok(())
    }

    /// The TCP transport is set up by properties, below a name that a first one loads.
    fn tcp(&self, config: &mut ParticipantConfig) -> Built<()> {
        let Some((plugins, span)) = self.property("dds.transport.load_plugins") else {
            return Ok(());
        };
        let mut names = plugins
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty());
        let Some(plugin) = names.next() else {
            return Ok(());
        };
        if let Some(second) = names.next() {
            let message = format!(
                "{} is a second TCP transport: one is possible",
                quoted(second)
            );
            return Err(Box::new(Problem::error(span, message)));
        }
        let of = |name: &str| self.property(&format!("{plugin}.{name}"));
        config.transports = Transports {
            tcp: true,
            ..config.transports
        };
        let mut tcp = TcpSettings {
            port: 0,
            ..TcpSettings::default()
        };
        if let Some((text, at)) = of("server_bind_port") {
            tcp.port = text.parse().map_err(|_| {
                let message = format!("{} is no port, 0 to 65535 are", quoted(text));
                Box::new(Problem::error(at, message))
            })?;
        }
        if let Some((text, at)) = of("public_address") {
            let address: Result<SocketAddrV4, _> = text.parse();
            tcp.public = Some(address.map_err(|_| {
                let message = format!("{} is no address and port", quoted(text));
                let help = "write 192.0.2.1:7400".to_owned();
                Box::new(Problem::error(at, message).help(help))
            })?);
        }
        let files = [
            "tls.verify.ca_file",
            "tls.identity.certificate_chain_file",
            "tls.identity.private_key_file",
        ];
        let [authorities, certificates, key] = files.map(|name| of(name).map(|found| found.0));
        tcp.tls = match (authorities, certificates, key) {
            (Some(authorities), Some(certificates), Some(key)) => Some(TlsConfig {
                authorities: authorities.into(),
                certificates: certificates.into(),
                key: key.into(),
            }),
            (None, None, None) => {
                let class = of("parent.classid");
                if let Some((class, at)) = class.filter(|(class, _)| class.contains("TLS")) {
                    let message = format!("{} needs {}", quoted(class), files.join(", "));
                    return Err(Box::new(Problem::error(at, message)));
                }
                None
            }
            _ => {
                let message = format!("TLS needs all of {}", files.join(", "));
                return Err(Box::new(Problem::error(span, message)));
            }
        };
        config.tcp = tcp;
        Ok(())
    }

    fn checked(&self, result: Result<(), InvalidQos>) -> Built<()> {
        let Err(invalid) = result else { return Ok(()) };
        let policy = invalid.policy().name().to_ascii_lowercase();
        let elements: &[&str] = match &*policy {
            "data_representation" => &["representation"],
            "entity_name" => &["participant_name", "publication_name", "subscription_name"],
            "transport_multicast" => &["multicast"],
            name => &[name],
        };
        let spans = elements.iter().filter_map(|name| self.span_below(name));
        Err(Box::new(Problem::error(spans.max(), invalid.to_string())))
    }
}
