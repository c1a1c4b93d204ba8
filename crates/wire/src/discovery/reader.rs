//! SEDP subscriptions: what a participant says about a reader (RTPS 2.5 8.5.4, 9.6.2.2).
use super::identity::Identity;
use super::value;
use super::{ContentFilterProperty, EncodedTypeInformation, UnknownParameters};
use crate::{Error, Guid, Locator, Parameter, ParameterId, ParameterWriter};
use alloc::string::String;
use alloc::vec::Vec;
use bytes::Bytes;
use dunlin_qos::{DataReaderQos, DataRepresentation, SubscriberQos, TypeConsistencyEnforcement};

/// What is known of a remote reader, or told of an own one.
///
/// Of the QoS, `reader_data_lifecycle` concerns nobody else and does not travel; the groups of
/// `qos.multicast` travel as locators, in `multicast`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReaderData {
    /// Who it is.
    pub guid: Guid,
    /// Whose it is.
    pub participant: Guid,
    /// Topic.
    pub topic: String,
    /// Type of the topic.
    pub type_name: String,
    /// Its policies.
    pub qos: DataReaderQos,
    /// Its subscriber's policies.
    pub subscriber: SubscriberQos,
    /// TOPIC_DATA of its topic.
    pub topic_data: Vec<u8>,
    /// Which samples it wants; all if there is none.
    pub content_filter: Option<ContentFilterProperty>,
    /// How the memory of its type looks, if it is plain: means something only between Dunlin's own.
    pub layout: Option<u64>,
    /// What it announces of its type (DDS-XTypes 1.3 7.6.3.2.2).
    pub type_information: Option<EncodedTypeInformation>,
    /// The largest sample that it takes, in bytes of its serialized form, header included; `None`
    /// if it does not say: means something only between Dunlin's own.
    pub max_sample_size: Option<u32>,
    /// TYPE_CONSISTENCY_ENFORCEMENT is left out; `qos` has what stands for it then.
    pub leaves_out_type_consistency: bool,
    /// It wants policies with each sample.
    pub expects_inline_qos: bool,
    /// Where samples reach it; empty means its participant's default.
    pub unicast: Vec<Locator>,
    /// Groups where samples reach it.
    pub multicast: Vec<Locator>,
    /// What else is said of it.
    pub unknown: UnknownParameters,
}

impl ReaderData {
    /// A reader with the policies that the standard assumes where nothing is said: it understands
    /// XCDR1 alone, and no type but its own (DDS-XTypes 1.3 7.6.3.7).
    pub fn new(guid: Guid, topic: impl Into<String>, type_name: impl Into<String>) -> Self {
        Self {
            guid,
            participant: Guid::new(guid.prefix, crate::EntityId::PARTICIPANT),
            topic: topic.into(),
            type_name: type_name.into(),
            qos: DataReaderQos {
                representation: alloc::vec![DataRepresentation::Xcdr1],
                type_consistency: TypeConsistencyEnforcement::DISALLOW,
                ..DataReaderQos::default()
            },
            subscriber: SubscriberQos::default(),
            topic_data: Vec::new(),
            content_filter: None,
            layout: None,
            type_information: None,
            max_sample_size: None,
            leaves_out_type_consistency: false,
            expects_inline_qos: false,
            unicast: Vec::new(),
            multicast: Vec::new(),
            unknown: UnknownParameters::default(),
        }
    }

    /// Reads a payload of the subscriptions topic, encapsulation header included.
    pub fn parse(payload: &[u8]) -> Result<Self, Error> {
        let mut data = Self::new(Guid::UNKNOWN, "", "");
        data.leaves_out_type_consistency = true;
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
            // Nothing depends on it: better to know nothing of the properties than nothing of the
            // endpoint.
            ParameterId::PROPERTY_LIST => qos.property = value.properties().unwrap_or_default(),
            ParameterId::ENTITY_NAME => qos.entity_name = value.entity_name(),
            ParameterId::USER_DATA => qos.user_data = value.octets()?,
            ParameterId::OWNERSHIP => qos.ownership = value.ownership()?,
            ParameterId::TIME_BASED_FILTER => qos.time_based_filter = value.duration()?,
            ParameterId::DATA_REPRESENTATION => qos.representation = value.representation()?.0,
            ParameterId::TYPE_CONSISTENCY => {
                qos.type_consistency = value.type_consistency()?;
                self.leaves_out_type_consistency = false;
            }
            ParameterId::PRESENTATION => self.subscriber.presentation = value.presentation()?,
            ParameterId::PARTITION => self.subscriber.partition = value.partition()?,
            ParameterId::GROUP_DATA => self.subscriber.group_data = value.octets()?,
            ParameterId::TOPIC_DATA => self.topic_data = value.octets()?,
            // Who gets samples that do not pass filters them itself: better than to know nothing of
            // the reader.
            ParameterId::CONTENT_FILTER_PROPERTY => {
                self.content_filter = value.content_filter().ok();
            }
            // Another vendor's parameter of this number may be anything.
            ParameterId::MEMORY_LAYOUT => {
                self.layout = value.array().ok().map(u64::from_le_bytes);
            }
            ParameterId::TYPE_INFORMATION | ParameterId::DUNLIN_TYPE_INFORMATION => {
                let taken = EncodedTypeInformation::take(parameter, &mut self.unknown)?;
                EncodedTypeInformation::keep(&mut self.type_information, taken);
            }
            ParameterId::MAX_SAMPLE_SIZE => {
                self.max_sample_size = value.array().ok().map(u32::from_le_bytes);
            }
            ParameterId::EXPECTS_INLINE_QOS => self.expects_inline_qos = value.boolean()?,
            ParameterId::UNICAST_LOCATOR => value::keep(&mut self.unicast, value.locator()?),
            ParameterId::MULTICAST_LOCATOR => value::keep(&mut self.multicast, value.locator()?),
            _ => self.unknown.keep(parameter)?,
        }
        Ok(())
    }

    /// The payload for the subscriptions topic, encapsulation header included. Fails if a name, the
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
        out.ownership(qos.ownership);
        out.duration(ParameterId::TIME_BASED_FILTER, qos.time_based_filter);
        out.representation(&qos.representation);
        if !self.leaves_out_type_consistency {
            out.type_consistency(qos.type_consistency);
        }
        out.octets(ParameterId::USER_DATA, &qos.user_data);
        out.properties(&qos.property);
        out.entity_name(&qos.entity_name);
        out.presentation(self.subscriber.presentation);
        out.partition(&self.subscriber.partition);
        out.octets(ParameterId::GROUP_DATA, &self.subscriber.group_data);
        out.octets(ParameterId::TOPIC_DATA, &self.topic_data);
        if let Some(filter) = &self.content_filter {
            out.content_filter(filter);
        }
        if let Some(layout) = self.layout {
            out.put(ParameterId::MEMORY_LAYOUT, |out| {
                out.extend_from_slice(&layout.to_le_bytes());
            });
        }
        if let Some(information) = &self.type_information {
            information.encode(&mut out);
        }
        if let Some(size) = self.max_sample_size {
            out.put(ParameterId::MAX_SAMPLE_SIZE, |out| {
                out.extend_from_slice(&size.to_le_bytes());
            });
        }
        if self.expects_inline_qos {
            out.bool(ParameterId::EXPECTS_INLINE_QOS, true);
        }
        out.locators(ParameterId::UNICAST_LOCATOR, &self.unicast);
        out.locators(ParameterId::MULTICAST_LOCATOR, &self.multicast);
        self.unknown.encode(&mut out);
        out.finish()
    }
}
