//! Parameter lists: ids, lengths and values that a reader may skip (RTPS 2.5 9.4.2.11).
use crate::cursor::Cursor;
use crate::{Endianness, Error};

/// Says what a parameter's value means (RTPS 2.5 9.6.4, DDS-XTypes 1.3 7.6.3.1.2); without the
/// must-understand bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ParameterId(pub u16);

#[allow(missing_docs, reason = "each name is the standard's own")]
impl ParameterId {
    pub const PAD: Self = Self(0x0000);
    pub const SENTINEL: Self = Self(0x0001);
    pub const PARTICIPANT_LEASE_DURATION: Self = Self(0x0002);
    pub const TIME_BASED_FILTER: Self = Self(0x0004);
    pub const TOPIC_NAME: Self = Self(0x0005);
    pub const OWNERSHIP_STRENGTH: Self = Self(0x0006);
    pub const TYPE_NAME: Self = Self(0x0007);
    pub const DOMAIN_ID: Self = Self(0x000f);
    /// 0x4014 in the standard: always written with the must-understand bit.
    pub const DOMAIN_TAG: Self = Self(0x0014);
    pub const PROTOCOL_VERSION: Self = Self(0x0015);
    pub const VENDOR_ID: Self = Self(0x0016);
    pub const RELIABILITY: Self = Self(0x001a);
    pub const LIVELINESS: Self = Self(0x001b);
    pub const DURABILITY: Self = Self(0x001d);
    pub const DURABILITY_SERVICE: Self = Self(0x001e);
    pub const OWNERSHIP: Self = Self(0x001f);
    pub const PRESENTATION: Self = Self(0x0021);
    pub const DEADLINE: Self = Self(0x0023);
    pub const DESTINATION_ORDER: Self = Self(0x0025);
    pub const LATENCY_BUDGET: Self = Self(0x0027);
    pub const PARTITION: Self = Self(0x0029);
    pub const LIFESPAN: Self = Self(0x002b);
    pub const USER_DATA: Self = Self(0x002c);
    pub const GROUP_DATA: Self = Self(0x002d);
    pub const TOPIC_DATA: Self = Self(0x002e);
    pub const UNICAST_LOCATOR: Self = Self(0x002f);
    pub const MULTICAST_LOCATOR: Self = Self(0x0030);
    pub const DEFAULT_UNICAST_LOCATOR: Self = Self(0x0031);
    pub const METATRAFFIC_UNICAST_LOCATOR: Self = Self(0x0032);
    pub const METATRAFFIC_MULTICAST_LOCATOR: Self = Self(0x0033);
    pub const PARTICIPANT_MANUAL_LIVELINESS_COUNT: Self = Self(0x0034);
    pub const CONTENT_FILTER_PROPERTY: Self = Self(0x0035);
    pub const HISTORY: Self = Self(0x0040);
    pub const RESOURCE_LIMITS: Self = Self(0x0041);
    pub const EXPECTS_INLINE_QOS: Self = Self(0x0043);
    pub const DEFAULT_MULTICAST_LOCATOR: Self = Self(0x0048);
    pub const TRANSPORT_PRIORITY: Self = Self(0x0049);
    pub const PARTICIPANT_GUID: Self = Self(0x0050);
    pub const GROUP_GUID: Self = Self(0x0052);
    pub const GROUP_ENTITY_ID: Self = Self(0x0053);
    pub const CONTENT_FILTER_INFO: Self = Self(0x0055);
    pub const COHERENT_SET: Self = Self(0x0056);
    pub const DIRECTED_WRITE: Self = Self(0x0057);
    pub const BUILTIN_ENDPOINT_SET: Self = Self(0x0058);
    pub const PROPERTY_LIST: Self = Self(0x0059);
    pub const ENDPOINT_GUID: Self = Self(0x005a);
    pub const TYPE_MAX_SIZE_SERIALIZED: Self = Self(0x0060);
    pub const ORIGINAL_WRITER_INFO: Self = Self(0x0061);
    pub const ENTITY_NAME: Self = Self(0x0062);
    pub const GROUP_COHERENT_SET: Self = Self(0x0063);
    pub const GROUP_SEQUENCE_NUMBER: Self = Self(0x0064);
    pub const WRITER_GROUP_INFO: Self = Self(0x0065);
    pub const SECURE_WRITER_GROUP_INFO: Self = Self(0x0066);
    pub const KEY_HASH: Self = Self(0x0070);
    pub const STATUS_INFO: Self = Self(0x0071);
    pub const TYPE_OBJECT: Self = Self(0x0072);
    pub const DATA_REPRESENTATION: Self = Self(0x0073);
    pub const TYPE_CONSISTENCY: Self = Self(0x0074);
    pub const TYPE_INFORMATION: Self = Self(0x0075);
    pub const BUILTIN_ENDPOINT_QOS: Self = Self(0x0077);
    pub const RELATED_SAMPLE_IDENTITY: Self = Self(0x0083);
    /// Of Fast DDS: what RELATED_SAMPLE_IDENTITY says, under its older number.
    pub const FAST_DDS_RELATED_SAMPLE_IDENTITY: Self = Self(Self::VENDOR_SPECIFIC | 0x000f);
    /// Of Cyclone DDS alone: flags, and its version as text.
    pub const CYCLONE_VERSION_INFO: Self = Self(Self::VENDOR_SPECIFIC | 0x0007);
    /// Dunlin's own: how the type lies in memory.
    pub const MEMORY_LAYOUT: Self = Self(Self::VENDOR_SPECIFIC | 0x0d01);
    /// Dunlin's own: the endpoint on the other side of a question.
    pub const OTHER_ENDPOINT: Self = Self(Self::VENDOR_SPECIFIC | 0x0d02);
    /// Dunlin's own: the largest sample that a reader takes.
    pub const MAX_SAMPLE_SIZE: Self = Self(Self::VENDOR_SPECIFIC | 0x0d05);
    /// Dunlin's own: when the writer is deleted its instances are disposed.
    pub const AUTODISPOSE: Self = Self(Self::VENDOR_SPECIFIC | 0x0d06);
    /// Dunlin's own: how a forwarded sample came here.
    pub const FORWARDED: Self = Self(Self::VENDOR_SPECIFIC | 0x0d07);
    /// Dunlin's own: what TYPE_INFORMATION says, told to Dunlin's participants alone.
    pub const DUNLIN_TYPE_INFORMATION: Self = Self(Self::VENDOR_SPECIFIC | 0x0d08);
    /// Dunlin's own: what is said of an endpoint.
    pub const FACTS: Self = Self(Self::VENDOR_SPECIFIC | 0x0d03);
}

impl ParameterId {
    /// Set in ids that nobody may skip (RTPS 2.5 9.6.2.2.1).
    pub const MUST_UNDERSTAND: u16 = 0x4000;
    /// Set in ids that each vendor defines for itself.
    pub const VENDOR_SPECIFIC: u16 = 0x8000;
}

/// One parameter of a list.
#[derive(Clone, Copy, Debug)]
pub struct Parameter<'a> {
    /// What the value means.
    pub id: ParameterId,
    /// A receiver that does not know the id must not go on.
    pub must_understand: bool,
    pub(crate) value: Cursor<'a>,
}

impl<'a> Parameter<'a> {
    /// The value as it came, padded to a multiple of 4 bytes.
    pub fn value(&self) -> &'a [u8] {
        self.value.rest()
    }

    /// What to do with an id that the caller does not know: skip it, or fail if it must be
    /// understood.
    pub fn skip(&self) -> Result<(), Error> {
        if self.must_understand {
            let id = self.id.0 | ParameterId::MUST_UNDERSTAND;
            return Err(Error::MustUnderstand { id });
        }
        Ok(())
    }
}

/// An encoded parameter list, sentinel included, and its byte order; empty bytes are no list at
/// all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Parameters<'a> {
    bytes: &'a [u8],
    endianness: Endianness,
}

impl<'a> Parameters<'a> {
    /// No list.
    pub const NONE: Self = Self {
        bytes: &[],
        endianness: Endianness::Little,
    };

    /// A list in the given byte order; it is checked when it is read.
    pub const fn new(bytes: &'a [u8], endianness: Endianness) -> Self {
        Self { bytes, endianness }
    }

    /// A list that Dunlin wrote.
    pub const fn little_endian(bytes: &'a [u8]) -> Self {
        Self::new(bytes, Endianness::Little)
    }

    /// The encoded list.
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Its byte order.
    pub const fn endianness(&self) -> Endianness {
        self.endianness
    }

    /// True if there is no list.
    pub const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The parameters up to the sentinel. A list without sentinel ends in an error.
    pub fn iter(&self) -> ParameterIter<'a> {
        ParameterIter {
            rest: Cursor::new(self.bytes, self.endianness, "parameter list"),
            done: self.bytes.is_empty(),
        }
    }
}

impl<'a> IntoIterator for Parameters<'a> {
    type Item = Result<Parameter<'a>, Error>;
    type IntoIter = ParameterIter<'a>;

    fn into_iter(self) -> ParameterIter<'a> {
        self.iter()
    }
}

/// Goes through a parameter list; ends after the sentinel or the first error.
#[derive(Clone, Debug)]
pub struct ParameterIter<'a> {
    rest: Cursor<'a>,
    done: bool,
}

impl<'a> ParameterIter<'a> {
    pub(crate) fn over(rest: Cursor<'a>) -> Self {
        Self {
            rest: rest.of("parameter list"),
            done: false,
        }
    }

    /// Bytes after the sentinel once the iteration has ended.
    pub(crate) fn rest(&self) -> Cursor<'a> {
        self.rest
    }

    #[inline]
    fn read(&mut self) -> Result<Option<Parameter<'a>>, Error> {
        let id = self.rest.u16()?;
        let length = self.rest.u16()?;
        if id == ParameterId::SENTINEL.0 {
            return Ok(None);
        }
        if length % 4 != 0 {
            return Err(self.rest.invalid_as("parameter length"));
        }
        Ok(Some(Parameter {
            id: ParameterId(id & !ParameterId::MUST_UNDERSTAND),
            must_understand: id & ParameterId::MUST_UNDERSTAND != 0,
            value: self.rest.split(usize::from(length))?.of("parameter"),
        }))
    }
}

impl<'a> Iterator for ParameterIter<'a> {
    type Item = Result<Parameter<'a>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        while !self.done {
            let item = self.read();
            match item {
                Ok(Some(parameter)) if parameter.id == ParameterId::PAD => {}
                Ok(Some(parameter)) => return Some(Ok(parameter)),
                Ok(None) => self.done = true,
                Err(error) => {
                    self.done = true;
                    return Some(Err(error));
                }
            }
        }
        None
    }
}
