//! SPDP: what a participant announces (RTPS 2.5 8.5.3, 9.6.2.2).
use super::{MAX_NAME, UnknownParameters, value};
use crate::cursor::Cursor;
use crate::{
    Error, Guid, GuidPrefix, Locator, Parameter, ParameterId, ParameterWriter, ProtocolVersion,
    VendorId,
};
use alloc::string::String;
use alloc::vec::Vec;
use bytes::Bytes;
use dunlin_qos::{Duration, Properties};

/// Which built-in endpoints a participant has (RTPS 2.5 9.3.2.12).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct BuiltinEndpoints(pub u32);

impl BuiltinEndpoints {
    /// SPDP writer.
    pub const PARTICIPANT_ANNOUNCER: Self = Self(1);
    /// SPDP reader.
    pub const PARTICIPANT_DETECTOR: Self = Self(1 << 1);
    /// SEDP publications writer.
    pub const PUBLICATIONS_ANNOUNCER: Self = Self(1 << 2);
    /// SEDP publications reader.
    pub const PUBLICATIONS_DETECTOR: Self = Self(1 << 3);
    /// SEDP subscriptions writer.
    pub const SUBSCRIPTIONS_ANNOUNCER: Self = Self(1 << 4);
    /// SEDP subscriptions reader.
    pub const SUBSCRIPTIONS_DETECTOR: Self = Self(1 << 5);
    /// Liveliness writer.
    pub const PARTICIPANT_MESSAGE_WRITER: Self = Self(1 << 10);
    /// Liveliness reader.
    pub const PARTICIPANT_MESSAGE_READER: Self = Self(1 << 11);
    /// Writer of the requests of the TypeLookup service (DDS-XTypes 1.3 7.6.3.3).
    pub const TYPE_LOOKUP_REQUEST_WRITER: Self = Self(1 << 12);
    /// Reader of the requests of the TypeLookup service.
    pub const TYPE_LOOKUP_REQUEST_READER: Self = Self(1 << 13);
    /// Writer of the replies of the TypeLookup service.
    pub const TYPE_LOOKUP_REPLY_WRITER: Self = Self(1 << 14);
    /// Reader of the replies of the TypeLookup service.
    pub const TYPE_LOOKUP_REPLY_READER: Self = Self(1 << 15);
    /// SEDP topics writer.
    pub const TOPICS_ANNOUNCER: Self = Self(1 << 28);
    /// SEDP topics reader.
    pub const TOPICS_DETECTOR: Self = Self(1 << 29);
    /// Those of SPDP and SEDP that each participant must have: assumed of one that does not say.
    pub const REQUIRED: Self = Self(0x3f);

    /// True if all of `other` are there.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl core::fmt::Debug for BuiltinEndpoints {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

/// What a participant says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParticipantData {
    /// Who it is.
    pub guid: Guid,
    /// Which RTPS it speaks.
    pub version: ProtocolVersion,
    /// Which product it is.
    pub vendor: VendorId,
    /// The product's version in its own words, such as "host/0.10.2/Linux/Linux", where it is known
    /// how to ask; else empty.
    pub product_version: String,
    /// Its domain, if it says so.
    pub domain: Option<u32>,
    /// Splits a domain; empty by default.
    pub domain_tag: String,
    /// Its discovery and liveliness endpoints.
    pub builtin_endpoints: BuiltinEndpoints,
    /// Bit 0: its liveliness reader is best effort (RTPS 2.5 9.3.2.13).
    pub builtin_endpoint_qos: u32,
    /// Silence longer than this means that it is gone; 100 s if it does not say.
    pub lease_duration: Duration,
    /// Its readers want inline QoS.
    pub expects_inline_qos: bool,
    /// Grows with each assertion of manual liveliness.
    pub manual_liveliness_count: i32,
    /// Where discovery traffic reaches it.
    pub metatraffic_unicast: Vec<Locator>,
    /// Groups where discovery traffic reaches it.
    pub metatraffic_multicast: Vec<Locator>,
    /// Where samples reach it, unless an endpoint says otherwise.
    pub default_unicast: Vec<Locator>,
    /// Groups where samples reach it, unless an endpoint says otherwise.
    pub default_multicast: Vec<Locator>,
    /// Name for people.
    pub entity_name: String,
    /// USER_DATA of the participant.
    pub user_data: Vec<u8>,
    /// Names and values for people and tools; the first few.
    pub properties: Properties,
    /// What else it says.
    pub unknown: UnknownParameters,
}

impl ParticipantData {
    /// A participant that says nothing but who it is: all else as the standard assumes it.
    pub fn new(prefix: GuidPrefix) -> Self {
        Self {
            guid: Guid::new(prefix, crate::EntityId::PARTICIPANT),
            version: ProtocolVersion::CURRENT,
            vendor: VendorId::UNKNOWN,
            product_version: String::new(),
            domain: None,
            domain_tag: String::new(),
            builtin_endpoints: BuiltinEndpoints::REQUIRED,
            builtin_endpoint_qos: 0,
            lease_duration: Duration::from_secs(100),
            expects_inline_qos: false,
            manual_liveliness_count: 0,
            metatraffic_unicast: Vec::new(),
            metatraffic_multicast: Vec::new(),
            default_unicast: Vec::new(),
            default_multicast: Vec::new(),
            entity_name: String::new(),
            user_data: Vec::new(),
            properties: Properties::default(),
            unknown: UnknownParameters::default(),
        }
    }

    /// Reads an SPDP payload, encapsulation header included.
    pub fn parse(payload: &[u8]) -> Result<Self, Error> {
        let mut data = Self::new(GuidPrefix::UNKNOWN);
        let mut guid = None;
        for parameter in value::parameters(payload)? {
            let mut parameter = parameter?;
            match parameter.id {
                ParameterId::PARTICIPANT_GUID => guid = Some(parameter.value.guid()?),
                _ => data.take(&parameter)?,
            }
        }
        if data.vendor != VendorId::CYCLONE_DDS {
            // The parameter means something else then.
            data.product_version.clear();
        }
        data.guid = guid.ok_or(Error::Missing {
            what: "participant GUID",
        })?;
        if data.guid.entity != crate::EntityId::PARTICIPANT {
            return Err(Error::Invalid {
                what: "participant GUID",
                offset: payload.len(),
            });
        }
        Ok(data)
    }

    fn take(&mut self, parameter: &Parameter<'_>) -> Result<(), Error> {
        let mut value = parameter.value;
        match parameter.id {
            ParameterId::PROTOCOL_VERSION => {
                let [major, minor] = value.array()?;
                self.version = ProtocolVersion { major, minor };
            }
            ParameterId::VENDOR_ID => self.vendor = VendorId(value.array()?),
            ParameterId::DOMAIN_ID => self.domain = Some(value.u32()?),
            ParameterId::DOMAIN_TAG => self.domain_tag = value.name("domain tag")?,
            ParameterId::BUILTIN_ENDPOINT_SET => {
                self.builtin_endpoints = BuiltinEndpoints(value.u32()?);
            }
            ParameterId::BUILTIN_ENDPOINT_QOS => self.builtin_endpoint_qos = value.u32()?,
            ParameterId::PARTICIPANT_LEASE_DURATION => self.lease_duration = value.duration()?,
            ParameterId::EXPECTS_INLINE_QOS => self.expects_inline_qos = value.boolean()?,
            ParameterId::PARTICIPANT_MANUAL_LIVELINESS_COUNT => {
                self.manual_liveliness_count = value.i32()?;
            }
            ParameterId::METATRAFFIC_UNICAST_LOCATOR => {
                value::keep(&mut self.metatraffic_unicast, value.locator()?);
            }
            ParameterId::METATRAFFIC_MULTICAST_LOCATOR => {
                value::keep(&mut self.metatraffic_multicast, value.locator()?);
            }
            ParameterId::DEFAULT_UNICAST_LOCATOR => {
                value::keep(&mut self.default_unicast, value.locator()?);
            }
            ParameterId::DEFAULT_MULTICAST_LOCATOR => {
                value::keep(&mut self.default_multicast, value.locator()?);
            }
            ParameterId::ENTITY_NAME => self.entity_name = value.text()?,
            ParameterId::USER_DATA => self.user_data = value.octets()?,
            ParameterId::CYCLONE_VERSION_INFO => {
                self.product_version = version_info(value).unwrap_or_default();
            }
            ParameterId::PROPERTY_LIST => self.properties = value.properties()?,
            _ => self.unknown.keep(parameter)?,
        }
        Ok(())
    }

    /// The SPDP payload, encapsulation header included. Fails if a name or the user data is too
    /// long.
    pub fn encode(&self) -> Result<Bytes, Error> {
        let mut out = ParameterWriter::payload();
        let ProtocolVersion { major, minor } = self.version;
        out.put(ParameterId::PROTOCOL_VERSION, |v| {
            v.extend_from_slice(&[major, minor]);
        });
        out.put(ParameterId::VENDOR_ID, |v| {
            v.extend_from_slice(&self.vendor.0);
        });
        out.guid(ParameterId::PARTICIPANT_GUID, self.guid);
        if let Some(domain) = self.domain {
            out.u32(ParameterId::DOMAIN_ID, domain);
        }
        if !self.domain_tag.is_empty() {
            let id = ParameterId::DOMAIN_TAG.0 | ParameterId::MUST_UNDERSTAND;
            out.string(ParameterId(id), &self.domain_tag, "domain tag", MAX_NAME);
        }
        let builtin = self.builtin_endpoints.0;
        out.u32(ParameterId::BUILTIN_ENDPOINT_SET, builtin);
        if self.builtin_endpoint_qos != 0 {
            let qos = self.builtin_endpoint_qos;
            out.u32(ParameterId::BUILTIN_ENDPOINT_QOS, qos);
        }
        let lease = self.lease_duration;
        out.duration(ParameterId::PARTICIPANT_LEASE_DURATION, lease);
        if self.expects_inline_qos {
            out.bool(ParameterId::EXPECTS_INLINE_QOS, true);
        }
        if self.manual_liveliness_count != 0 {
            let count = self.manual_liveliness_count;
            out.i32(ParameterId::PARTICIPANT_MANUAL_LIVELINESS_COUNT, count);
        }
        self.encode_locators(&mut out);
        out.entity_name(&self.entity_name);
        out.octets(ParameterId::USER_DATA, &self.user_data);
        out.properties(&self.properties);
        self.unknown.encode(&mut out);
        out.finish()
    }

    fn encode_locators(&self, out: &mut ParameterWriter) {
        use ParameterId as Id;
        out.locators(Id::METATRAFFIC_UNICAST_LOCATOR, &self.metatraffic_unicast);
        let groups = &self.metatraffic_multicast;
        out.locators(Id::METATRAFFIC_MULTICAST_LOCATOR, groups);
        out.locators(Id::DEFAULT_UNICAST_LOCATOR, &self.default_unicast);
        out.locators(Id::DEFAULT_MULTICAST_LOCATOR, &self.default_multicast);
    }
}

/// Behind a version of the parameter, flags and three words for later.
fn version_info(mut value: Cursor<'_>) -> Result<String, Error> {
    for _ in 0..5 {
        value.u32()?;
    }
    value.text()
}
