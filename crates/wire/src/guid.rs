//! GUIDs: who an endpoint is (RTPS 2.5 8.2.4, 9.3.1).
use core::fmt;
use core::hash::{Hash, Hasher};

/// The version of RTPS that a message follows (RTPS 2.5 8.3.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProtocolVersion {
    /// Major number; another major number is another protocol.
    pub major: u8,
    /// Minor number; higher minor numbers are readable.
    pub minor: u8,
}

impl ProtocolVersion {
    /// What Dunlin speaks.
    pub const CURRENT: Self = Self { major: 2, minor: 5 };
}

/// Which product sends (RTPS 2.5 8.3.3.1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VendorId(pub [u8; 2]);

impl VendorId {
    /// Nobody in particular.
    pub const UNKNOWN: Self = Self([0, 0]);
    /// Dunlin. OMG assigns ids in the 0x01xx range upwards; 0x44 ('D') 0x4c ('L') lies outside and
    /// is assigned to nobody.
    pub const DUNLIN: Self = Self([0x44, 0x4c]);
    /// eProsima Fast DDS.
    pub const FAST_DDS: Self = Self([1, 15]);
    /// Eclipse Cyclone DDS.
    pub const CYCLONE_DDS: Self = Self([1, 16]);
}

/// Which participant (RTPS 2.5 9.3.1.1).
///
/// The first two bytes are the vendor id, as long as no security plugin computes the prefix. So
/// whose product a participant is is told by its participant data alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct GuidPrefix(pub [u8; 12]);

impl GuidPrefix {
    /// Nobody, or everybody as a destination.
    pub const UNKNOWN: Self = Self([0; 12]);
}

/// Which entity within a participant (RTPS 2.5 9.3.1.2): a 3-byte key and a kind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct EntityId(pub [u8; 4]);

/// What sort of endpoint an `EntityId` names (RTPS 2.5 table 9.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntityKind {
    /// Writer of a topic with keys.
    WriterWithKey,
    /// Writer of a topic without keys.
    WriterNoKey,
    /// Reader of a topic with keys.
    ReaderWithKey,
    /// Reader of a topic without keys.
    ReaderNoKey,
    /// A participant.
    Participant,
    /// Anything else.
    Other,
}

impl EntityId {
    /// No entity, or every matching entity as a destination.
    pub const UNKNOWN: Self = Self([0; 4]);
    /// The participant itself.
    pub const PARTICIPANT: Self = Self([0, 0, 1, 0xc1]);
    /// SEDP topics writer.
    pub const SEDP_TOPICS_WRITER: Self = Self([0, 0, 2, 0xc2]);
    /// SEDP topics reader.
    pub const SEDP_TOPICS_READER: Self = Self([0, 0, 2, 0xc7]);
    /// SEDP publications writer.
    pub const SEDP_PUBLICATIONS_WRITER: Self = Self([0, 0, 3, 0xc2]);
    /// SEDP publications reader.
    pub const SEDP_PUBLICATIONS_READER: Self = Self([0, 0, 3, 0xc7]);
    /// SEDP subscriptions writer.
    pub const SEDP_SUBSCRIPTIONS_WRITER: Self = Self([0, 0, 4, 0xc2]);
    /// SEDP subscriptions reader.
    pub const SEDP_SUBSCRIPTIONS_READER: Self = Self([0, 0, 4, 0xc7]);
    /// SPDP participant writer.
    pub const SPDP_WRITER: Self = Self([0, 1, 0, 0xc2]);
    /// SPDP participant reader.
    pub const SPDP_READER: Self = Self([0, 1, 0, 0xc7]);
    /// Participant message (liveliness) writer.
    pub const PARTICIPANT_MESSAGE_WRITER: Self = Self([0, 2, 0, 0xc2]);
    /// Participant message (liveliness) reader.
    pub const PARTICIPANT_MESSAGE_READER: Self = Self([0, 2, 0, 0xc7]);
    /// Writer of the requests of the TypeLookup service (DDS-XTypes 1.3 7.6.3.3).
    pub const TYPE_LOOKUP_REQUEST_WRITER: Self = Self([0, 3, 0, 0xc3]);
    /// Reader of the requests of the TypeLookup service.
    pub const TYPE_LOOKUP_REQUEST_READER: Self = Self([0, 3, 0, 0xc4]);
    /// Writer of the replies of the TypeLookup service.
    pub const TYPE_LOOKUP_REPLY_WRITER: Self = Self([0, 3, 1, 0xc3]);
    /// Reader of the replies of the TypeLookup service.
    pub const TYPE_LOOKUP_REPLY_READER: Self = Self([0, 3, 1, 0xc4]);

    /// Dunlin's own: writer of introductions.
    pub const INTRODUCTIONS_WRITER: Self = Self([0x4c, 0, 1, 0x42]);
    /// Dunlin's own: reader of introductions.
    pub const INTRODUCTIONS_READER: Self = Self([0x4c, 0, 1, 0x47]);

    /// A user endpoint: `key` (24 bits) counts the participant's entities.
    pub const fn user(key: u32, kind: EntityKind) -> Self {
        let k = key.to_be_bytes();
        let kind = match kind {
            EntityKind::WriterWithKey => 0x02,
            EntityKind::WriterNoKey => 0x03,
            EntityKind::ReaderNoKey => 0x04,
            EntityKind::ReaderWithKey => 0x07,
            EntityKind::Participant => 0xc1,
            EntityKind::Other => 0x00,
        };
        Self([k[1], k[2], k[3], kind])
    }

    /// The sort of entity, whether built in, user defined or vendor specific.
    pub const fn kind(self) -> EntityKind {
        let [.., kind] = self.0;
        match kind & 0x3f {
            0x01 => EntityKind::Participant,
            0x02 => EntityKind::WriterWithKey,
            0x03 => EntityKind::WriterNoKey,
            0x04 => EntityKind::ReaderNoKey,
            0x07 => EntityKind::ReaderWithKey,
            _ => EntityKind::Other,
        }
    }

    /// True for the endpoints of discovery and liveliness, Dunlin's own included.
    pub const fn is_builtin(self) -> bool {
        let [a, b, c, kind] = self.0;
        kind & 0xc0 == 0xc0
            || matches!(
                [a, b, c, kind],
                [0x4c, 0, 1, 0x42 | 0x47] | [0x4c, 0, 2 | 3, 0x43 | 0x44]
            )
    }

    /// True for writers of any sort.
    pub const fn is_writer(self) -> bool {
        matches!(
            self.kind(),
            EntityKind::WriterWithKey | EntityKind::WriterNoKey
        )
    }
}

/// Globally unique name of a participant or endpoint.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Guid {
    /// Which participant.
    pub prefix: GuidPrefix,
    /// Which of its entities.
    pub entity: EntityId,
}

impl Guid {
    /// Nobody.
    pub const UNKNOWN: Self = Self {
        prefix: GuidPrefix::UNKNOWN,
        entity: EntityId::UNKNOWN,
    };

    /// Puts the two halves together.
    pub const fn new(prefix: GuidPrefix, entity: EntityId) -> Self {
        Self { prefix, entity }
    }

    /// The 16 bytes on the wire, which are also the key hash of discovery data about this entity.
    pub const fn to_bytes(self) -> [u8; 16] {
        let [a, b, c, d, e, f, g, h, i, j, k, l] = self.prefix.0;
        let [m, n, o, p] = self.entity.0;
        [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
    }

    /// The GUID that 16 bytes name.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = bytes;
        Self {
            prefix: GuidPrefix([a, b, c, d, e, f, g, h, i, j, k, l]),
            entity: EntityId([m, n, o, p]),
        }
    }
}

/// As one number: each sample's writer is looked up by it.
impl Hash for Guid {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u128(u128::from_ne_bytes(self.to_bytes()));
    }
}

fn hex(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    bytes.iter().try_for_each(|b| write!(f, "{b:02x}"))
}

impl fmt::Debug for GuidPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex(f, &self.0)
    }
}

impl fmt::Debug for EntityId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex(f, &self.0)
    }
}

impl fmt::Debug for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}:{:?}", self.prefix, self.entity)
    }
}

impl fmt::Display for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
