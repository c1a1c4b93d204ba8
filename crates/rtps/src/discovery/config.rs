//! What discovery is told at birth.
use super::keyed_hash::Secret;
use super::registry;
use crate::Time;
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use dunlin_qos::{DomainParticipantQos, Duration, Properties};
use dunlin_wire::{
    Guid, GuidPrefix, Locator, ParticipantData, ProtocolVersion, Timestamp, VendorId,
};
use dunlin_xtypes::DynamicType;

/// How a participant announces itself, and how much it takes in (RTPS 2.5 8.5.3, 9.6.2).
#[derive(Clone, Debug)]
pub struct DiscoveryConfig {
    /// Who we are.
    pub prefix: GuidPrefix,
    /// Which domain; participants that say to be of another one are ignored.
    pub domain: u32,
    /// Which part of the domain; participants with another tag are ignored.
    pub domain_tag: String,
    /// Others forget us after so much silence.
    pub lease_duration: Duration,
    /// Time between announcements once the first few, quick ones are sent.
    pub announce_period: Duration,
    /// Where we listen for discovery.
    pub metatraffic_unicast: Vec<Locator>,
    /// Where we listen for discovery, together with others.
    pub metatraffic_multicast: Vec<Locator>,
    /// Where our endpoints listen unless they say otherwise.
    pub default_unicast: Vec<Locator>,
    /// Where our endpoints listen, together with others, unless they say otherwise.
    pub default_multicast: Vec<Locator>,
    /// QoS of the participant.
    pub qos: DomainParticipantQos,
    /// A name for people to read, unless `qos` has one.
    pub entity_name: String,
    /// Names and values for people and tools, such as on which host the participant runs.
    pub properties: Vec<(String, String)>,
    /// Participants that announce one of these names with its value are not there for us.
    pub ignored_properties: Vec<(String, String)>,
    /// What to add to `Time` for nanoseconds since 1970, so that announcements carry a source
    /// timestamp.
    pub clock_offset: i64,
    /// How much is taken in from others.
    pub limits: Limits,
    /// With it a participant is believed only once it has repeated a number that was sent to the
    /// address that it announces, and that nobody foresees who does not know this; without, once it
    /// knows our name.
    pub secret: Option<Secret>,
    /// What the type of somebody else's endpoint is, if that is known without asking: it may be one
    /// of this process.
    pub known_type: fn(Guid) -> Option<DynamicType>,
    /// Others are asked for types that a match depends on, and get those of our endpoints
    /// (DDS-XTypes 1.3 7.6.3.3).
    pub type_lookup: bool,
    /// How long a match waits for a type that is asked for.
    pub type_timeout: Duration,
}

/// How much is taken in from others; what exceeds it is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Participants.
    pub participants: usize,
    /// Endpoints of one participant.
    pub endpoints_per_participant: usize,
    /// Endpoints of all participants, our own included.
    pub endpoints: usize,
    /// The longest lease of a participant that is matched with nothing here: one that announces a
    /// longer one and is silent for so long is forgotten, until it announces itself again.
    pub unmatched_lease: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            participants: 4096,
            endpoints_per_participant: 4096,
            endpoints: 1 << 16,
            unmatched_lease: Duration::from_secs(120),
        }
    }
}

impl DiscoveryConfig {
    /// The standard's lease of 10 s, an announcement each 3 s, and no locators.
    pub fn new(prefix: GuidPrefix, domain: u32) -> Self {
        Self {
            prefix,
            domain,
            domain_tag: String::new(),
            lease_duration: Duration::from_secs(10),
            announce_period: Duration::from_secs(3),
            metatraffic_unicast: Vec::new(),
            metatraffic_multicast: Vec::new(),
            default_unicast: Vec::new(),
            default_multicast: Vec::new(),
            qos: DomainParticipantQos::default(),
            entity_name: String::new(),
            properties: Vec::new(),
            ignored_properties: Vec::new(),
            clock_offset: 0,
            limits: Limits::default(),
            secret: None,
            known_type: |_| None,
            type_lookup: true,
            type_timeout: Duration::from_secs(5),
        }
    }
}

/// Who sent a submessage, as the message's header and its INFO_SRC say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// Which participant.
    pub prefix: GuidPrefix,
    /// Whose product it is.
    pub vendor: VendorId,
    /// Version of the message.
    pub version: ProtocolVersion,
    /// The datagram came by multicast. False if unknown: announcements then also go to the
    /// participant alone.
    pub multicast: bool,
    /// Where the datagram came from, as it claims.
    pub from: Locator,
    /// It came by a connection that was made in this participant's name: what goes back by that
    /// name gets to whoever sent this.
    pub called: bool,
    /// INFO_DST named us, and us alone: the sender knows who we are.
    pub addressed: bool,
}

impl Source {
    /// It came by a connection, which nobody else's address makes.
    pub(super) fn is_by_connection(&self) -> bool {
        self.called
            || matches!(
                self.from.kind,
                Locator::KIND_TCP_V4 | Locator::KIND_TCP_CALLER
            )
    }
}

impl DiscoveryConfig {
    /// True for an address of this host: the system lets nobody else use it as a source.
    pub(super) fn is_own(&self, from: &Locator) -> bool {
        let own = self.metatraffic_unicast.iter().chain(&self.default_unicast);
        from.is_loopback() || own.into_iter().any(|l| l.may_have_sent(from))
    }

    /// True for a participant of our domain, as far as it says of which it is.
    pub(super) fn has_domain_of(&self, data: &ParticipantData) -> bool {
        data.domain.is_none_or(|domain| domain == self.domain) && data.domain_tag == self.domain_tag
    }

    /// True if somebody who is told so listens where the other does.
    pub(super) fn is_at(&self, other: &Self) -> bool {
        self.metatraffic_unicast == other.metatraffic_unicast
            && self.default_unicast == other.default_unicast
    }

    /// Does a participant announce something for which it is ignored?
    pub(super) fn ignores(&self, data: &ParticipantData) -> bool {
        let mut ignored = self.ignored_properties.iter();
        ignored.any(|(name, value)| data.properties.value(name) == Some(value))
    }

    /// What we say about ourselves.
    pub fn announcement(&self) -> ParticipantData {
        ParticipantData {
            vendor: VendorId::DUNLIN,
            domain: Some(self.domain),
            domain_tag: self.domain_tag.clone(),
            builtin_endpoints: registry::endpoint_set(self.type_lookup),
            lease_duration: self.lease_duration,
            metatraffic_unicast: self.metatraffic_unicast.clone(),
            metatraffic_multicast: self.metatraffic_multicast.clone(),
            default_unicast: self.default_unicast.clone(),
            default_multicast: self.default_multicast.clone(),
            entity_name: match &*self.qos.entity_name {
                "" => self.entity_name.clone(),
                name => name.to_owned(),
            },
            user_data: self.qos.user_data.clone(),
            properties: self.told(),
            ..ParticipantData::new(self.prefix)
        }
    }

    /// What Dunlin says itself goes first: a name of its own is not another's.
    fn told(&self) -> Properties {
        let own = |all: Properties, (name, value): &(String, String)| all.with(name, value);
        let mut told = self.properties.iter().fold(Properties::default(), own);
        let is_new = |name: &str| self.properties.iter().all(|(known, _)| known != name);
        let property = &self.qos.property;
        let texts = property.propagated().filter(|p| is_new(&p.name));
        told.values.extend(texts.cloned());
        told.binary_values
            .extend(property.propagated_binary().cloned());
        told
    }

    /// The source timestamp of what is announced now.
    pub(super) fn timestamp(&self, now: Time) -> Timestamp {
        Timestamp(now.0.saturating_add(self.clock_offset))
    }
}
