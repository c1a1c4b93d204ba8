//! SEDP publications: what a participant says about a writer (RTPS 2.5 8.5.4, 9.6.2.2).
use super::identity::Identity;
use super::value;
use super::{EncodedTypeInformation, UnknownParameters};
use crate::{EntityId, Error, Guid, Locator, Parameter, ParameterId, ParameterWriter};
use alloc::string::String;
use alloc::vec::Vec;
use bytes::Bytes;
use dunlin_qos::{DataWriterQos, PublisherQos};

/// What is known of a remote writer, or told of an own one.
///
/// Of the QoS, `batching` concerns nobody else and does not travel; of `writer_data_lifecycle` only
/// Dunlin's own are told (`autodispose`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriterData {
    /// Who it is.
    pub guid: Guid,
    /// Whose it is.
    pub participant: Guid,
    /// Topic.
    pub topic: String,
    /// Type of the topic.
    pub type_name: String,
    /// Its policies.
    pub qos: DataWriterQos,
    /// Its publisher's policies.
    pub publisher: PublisherQos,
    /// Its publisher, where changes of several writers of one belong together.
    pub group: Option<EntityId>,
    /// TOPIC_DATA of its topic.
    pub topic_data: Vec<u8>,
    /// How the memory of its type looks, if it is plain: means something only between Dunlin's own.
    pub layout: Option<u64>,
    /// What it announces of its type (DDS-XTypes 1.3 7.6.3.2.2).
    pub type_information: Option<EncodedTypeInformation>,
    /// Its deletion disposes its instances (DDS 1.4 2.2.3.21): means something only between
    /// Dunlin's own.
    pub autodispose: bool,
    /// Where answers reach it; empty means its participant's default.
    pub unicast: Vec<Locator>,
    /// Groups where answers reach it.
    pub multicast: Vec<Locator>,
    /// What else is said of it.
    pub unknown: UnknownParameters,
}

impl WriterData {
    /// A writer with the policies that the standard assumes where nothing is said.
    pub fn new(guid: Guid, topic: impl Into<String>, type_name: impl Into<String>) -> Self {
        Self {
            guid,
            participant: Guid::new(guid.prefix, EntityId::PARTICIPANT),
            topic: topic.into(),
            type_name: type_name.into(),
            qos: DataWriterQos::default(),
            publisher: PublisherQos::default(),
            group: None,
            topic_data: Vec::new(),
            layout: None,
            type_information: None,
            autodispose: false,
            unicast: Vec::new(),
            multicast: Vec::new(),
            unknown: UnknownParameters::default(),
        }
    }

    /// Reads a payload of the publications topic, encapsulation header included.
    pub fn parse(payload: &[u8]) -> Result<Self, Error> {
        let mut data = Self::new(Guid::UNKNOWN, "", "");
        let mut identity = Identity::default();
        for parameter in value::parameters(payload)? {
            let parameter = parameter?;
            if !identity.take(&parameter)? {
                data.take(&parameter)?;
            }
        }
        let checked = identity.check(payload.len())?;
        (data.guid, data.participant) = (checked.guid, checked.participant);
        (data.topic, data.type_name) = (checked.topic, checked.type_name);
        Ok(data)
    }

    fn take(&mut self, parameter: &Parameter<'_>) -> Result<(), Error> {
        let mut value = parameter.value;
        let qos = &mut self.qos;
        match parameter.id {
            ParameterId::DURABILITY => qos.durability = value.durability()?,
            ParameterId::DEADLINE => qos.deadline = value.duration()?,
            ParameterId::LATENCY_BUDGET => qos.latency_budget = value.duration()?,
            ParameterId::LIVELINESS => qos.liveliness = value.liveliness()?,
            ParameterId::RELIABILITY => qos.reliability = value.reliability()?,
            ParameterId::DESTINATION_ORDER => qos.destination_order = value.destination_order()?,
            ParameterId::HISTORY => qos.history = value.history()?,
            ParameterId::RESOURCE_LIMITS => qos.resource_limits = value.resource_limits()?,
            ParameterId::LIFESPAN => qos.lifespan = value.duration()?,
            ParameterId::DURABILITY_SERVICE => {
                qos.durability_service = value.durability_service()?;
            }
            ParameterId::TRANSPORT_PRIORITY => qos.transport_priority = value.i32()?,
            // Nothing depends on it: better to know nothing of the properties than nothing of the
            // endpoint.
            ParameterId::PROPERTY_LIST => qos.property = value.properties().unwrap_or_default(),
            ParameterId::ENTITY_NAME => qos.entity_name = value.entity_name(),
            ParameterId::USER_DATA => qos.user_data = value.octets()?,
            ParameterId::OWNERSHIP => qos.ownership = value.ownership()?,
            ParameterId::OWNERSHIP_STRENGTH => qos.ownership_strength = value.i32()?,
            ParameterId::DATA_REPRESENTATION => match value.representation()? {
                // A writer offers the first of its list (DDS-XTypes 1.3 7.6.3.1.1).
                (kinds, true) => kinds
                    .first()
                    .into_iter()
                    .for_each(|k| qos.representation = *k),
                _ => return Err(value.invalid_as("DATA_REPRESENTATION")),
            },
            ParameterId::PRESENTATION => self.publisher.presentation = value.presentation()?,
            ParameterId::PARTITION => self.publisher.partition = value.partition()?,
            ParameterId::GROUP_DATA => self.publisher.group_data = value.octets()?,
            ParameterId::GROUP_ENTITY_ID => self.group = value.entity().ok(),
            ParameterId::TOPIC_DATA => self.topic_data = value.octets()?,
            // Another vendor's parameter of this number may be anything.
            ParameterId::MEMORY_LAYOUT => {
                self.layout = value.array().ok().map(u64::from_le_bytes);
            }
            ParameterId::TYPE_INFORMATION | ParameterId::DUNLIN_TYPE_INFORMATION => {
                let taken = EncodedTypeInformation::take(parameter, &mut self.unknown)?;
                EncodedTypeInformation::keep(&mut self.type_information, taken);
            }
            ParameterId::AUTODISPOSE => self.autodispose = value.array() == Ok([1, 0, 0, 0]),
            ParameterId::UNICAST_LOCATOR => value::keep(&mut self.unicast, value.locator()?),
            ParameterId::MULTICAST_LOCATOR => value::keep(&mut self.multicast, value.locator()?),
            _ => self.unknown.keep(parameter)?,
        }
        Ok(())
    }

    /// The payload for the publications topic, encapsulation header included. Fails if a name, the
    /// partitions or opaque data are too long.
    pub fn encode(&self) -> Result<Bytes, Error> {
        let mut out = ParameterWriter::payload();
        out.identity(self.guid, self.participant, &self.topic, &self.type_name);
        let qos = &self.qos;
        out.durability(qos.durability);
        out.limit(ParameterId::DEADLINE, qos.deadline);
        out.duration(ParameterId::LATENCY_BUDGET, qos.latency_budget);
        out.liveliness(qos.liveliness);
        out.reliability(qos.reliability);
        out.destination_order(qos.destination_order);
        out.history(qos.history);
        out.resource_limits(qos.resource_limits);
        out.limit(ParameterId::LIFESPAN, qos.lifespan);
        out.durability_service(qos.durability_service);
        if qos.transport_priority != 0 {
            out.i32(ParameterId::TRANSPORT_PRIORITY, qos.transport_priority);
        }
        out.ownership(qos.ownership);
        out.i32(ParameterId::OWNERSHIP_STRENGTH, qos.ownership_strength);
        out.representation(&[qos.representation]);
        out.octets(ParameterId::USER_DATA, &qos.user_data);
        out.properties(&qos.property);
        out.entity_name(&qos.entity_name);
        out.presentation(self.publisher.presentation);
        out.partition(&self.publisher.partition);
        out.octets(ParameterId::GROUP_DATA, &self.publisher.group_data);
        if let Some(group) = self.group {
            out.put(ParameterId::GROUP_ENTITY_ID, |out| {
                out.extend_from_slice(&group.0);
            });
        }
        out.octets(ParameterId::TOPIC_DATA, &self.topic_data);
        if let Some(layout) = self.layout {
            out.put(ParameterId::MEMORY_LAYOUT, |out| {
                out.extend_from_slice(&layout.to_le_bytes());
            });
        }
        if let Some(information) = &self.type_information {
            information.encode(&mut out);
        }
        if self.autodispose {
            out.put(ParameterId::AUTODISPOSE, |out| {
                out.extend_from_slice(&[1, 0, 0, 0]);
            });
        }
        out.locators(ParameterId::UNICAST_LOCATOR, &self.unicast);
        out.locators(ParameterId::MULTICAST_LOCATOR, &self.multicast);
        self.unknown.encode(&mut out);
        out.finish()
    }
}
