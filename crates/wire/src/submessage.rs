//! The submessages of RTPS (RTPS 2.5 8.3.8, 9.4.5) as plain structs over borrowed bytes.
use crate::{
    EntityId, FragmentNumber, FragmentNumberSet, GuidPrefix, Locator, Parameters, ProtocolVersion,
    SequenceNumber, SequenceNumberSet, Timestamp, VendorId,
};
use alloc::vec::Vec;
use core::ops::Range;

/// At most this many locators of each list that a peer sends are kept.
pub const MAX_LOCATORS: usize = 8;

/// Kinds of submessages (RTPS 2.5 9.4.5.1.1).
pub(crate) mod id {
    pub(crate) const HEADER_EXTENSION: u8 = 0x00;
    pub(crate) const PAD: u8 = 0x01;
    pub(crate) const ACKNACK: u8 = 0x06;
    pub(crate) const HEARTBEAT: u8 = 0x07;
    pub(crate) const GAP: u8 = 0x08;
    pub(crate) const INFO_TS: u8 = 0x09;
    pub(crate) const INFO_SRC: u8 = 0x0c;
    pub(crate) const INFO_REPLY_IP4: u8 = 0x0d;
    pub(crate) const INFO_DST: u8 = 0x0e;
    pub(crate) const INFO_REPLY: u8 = 0x0f;
    pub(crate) const NACK_FRAG: u8 = 0x12;
    pub(crate) const HEARTBEAT_FRAG: u8 = 0x13;
    pub(crate) const DATA: u8 = 0x15;
    pub(crate) const DATA_FRAG: u8 = 0x16;
}

/// Flags: the first bit is common, the others belong to a kind (RTPS 2.5 9.4.5).
pub(crate) mod flag {
    pub(crate) const LITTLE_ENDIAN: u8 = 0x01;
    pub(crate) const INLINE_QOS: u8 = 0x02;
    pub(crate) const DATA_DATA: u8 = 0x04;
    pub(crate) const DATA_KEY: u8 = 0x08;
    pub(crate) const FRAG_KEY: u8 = 0x04;
    /// Of HEARTBEAT and ACKNACK.
    pub(crate) const FINAL: u8 = 0x02;
    pub(crate) const LIVELINESS: u8 = 0x04;
    pub(crate) const GROUP: u8 = 0x08;
    /// Of INFO_TS.
    pub(crate) const INVALIDATE: u8 = 0x02;
    /// Of INFO_REPLY.
    pub(crate) const MULTICAST: u8 = 0x02;
    /// These of HEADER_EXTENSION.
    pub(crate) const LENGTH: u8 = 0x02;
    pub(crate) const TIMESTAMP: u8 = 0x04;
    pub(crate) const U_EXTENSION: u8 = 0x08;
    pub(crate) const W_EXTENSION: u8 = 0x10;
    pub(crate) const CHECKSUM_32: u8 = 0x20;
    pub(crate) const CHECKSUM_64: u8 = 0x40;
    pub(crate) const CHECKSUM: u8 = 0x60;
    pub(crate) const PARAMETERS: u8 = 0x80;
}

/// What a DATA or DATA_FRAG carries after its inline QoS, encapsulation header included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Payload<'a> {
    /// Nothing: the change is described by inline QoS alone.
    #[default]
    None,
    /// A serialized sample (flag D).
    Data(&'a [u8]),
    /// The serialized key only (flag K).
    Key(&'a [u8]),
}

/// A whole change (RTPS 2.5 8.3.8.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data<'a> {
    /// Destination reader, `EntityId::UNKNOWN` for all matched.
    pub reader: EntityId,
    /// Source writer.
    pub writer: EntityId,
    /// Number of the change.
    pub sequence: SequenceNumber,
    /// Inline QoS, `Parameters::NONE` if there is none; `InlineQos::parse` reads it.
    pub inline_qos: Parameters<'a>,
    /// The sample or key.
    pub payload: Payload<'a>,
}

/// Consecutive fragments of a change (RTPS 2.5 8.3.8.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataFrag<'a> {
    /// Destination reader, `EntityId::UNKNOWN` for all matched.
    pub reader: EntityId,
    /// Source writer.
    pub writer: EntityId,
    /// Number of the change.
    pub sequence: SequenceNumber,
    /// First fragment in this submessage.
    pub first: FragmentNumber,
    /// How many fragments this submessage holds.
    pub count: u16,
    /// Bytes in each fragment but the last.
    pub fragment_size: u16,
    /// Bytes in the whole payload.
    pub sample_size: u32,
    /// Inline QoS as in `Data`.
    pub inline_qos: Parameters<'a>,
    /// True if the fragments belong to a serialized key rather than a sample.
    pub key: bool,
    /// The fragments' bytes.
    pub payload: &'a [u8],
}

impl DataFrag<'_> {
    /// Which bytes of the sample the fragments are; `None` if there are no such fragments.
    #[inline]
    pub fn range(&self) -> Option<Range<usize>> {
        let size = u64::from(self.fragment_size);
        let sample = u64::from(self.sample_size);
        let first = u64::from(self.first.0).checked_sub(1)?;
        let start = first.checked_mul(size)?;
        // Where the last fragment begins must lie within the sample, too.
        let last = first
            .checked_add(u64::from(self.count.checked_sub(1)?))?
            .checked_mul(size)?;
        if size == 0 || last >= sample {
            return None;
        }
        let end = last.checked_add(size)?.min(sample);
        Some(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
    }
}

/// What a writer has (RTPS 2.5 8.3.8.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heartbeat {
    /// Destination reader, `EntityId::UNKNOWN` for all matched.
    pub reader: EntityId,
    /// Source writer.
    pub writer: EntityId,
    /// Lowest available number.
    pub first: SequenceNumber,
    /// Highest available number; `first - 1` if there is none.
    pub last: SequenceNumber,
    /// Grows with each new heartbeat; repeats are duplicates.
    pub count: u32,
    /// No answer is required (flag F).
    pub is_final: bool,
    /// Asserts liveliness (flag L).
    pub liveliness: bool,
    /// How far all writers of the publisher are (flag G).
    pub group: Option<GroupInfo>,
}

/// Where a writer stands among those of its publisher, all of whose changes have one numbering
/// (RTPS 2.5 8.3.8.6, 8.7.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct GroupInfo {
    /// The number of the last change of any writer.
    pub current: SequenceNumber,
    /// The number of the writer's lowest available change.
    pub first: SequenceNumber,
    /// The number of its highest.
    pub last: SequenceNumber,
    /// A digest of the writers.
    pub writers: [u8; 4],
    /// The same of those that are protected.
    pub secure_writers: [u8; 4],
}

/// Which fragments of a change a writer has (RTPS 2.5 8.3.8.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeartbeatFrag {
    /// Destination reader, `EntityId::UNKNOWN` for all matched.
    pub reader: EntityId,
    /// Source writer.
    pub writer: EntityId,
    /// The change.
    pub sequence: SequenceNumber,
    /// All fragments up to this one are available.
    pub last: FragmentNumber,
    /// Grows with each new heartbeat.
    pub count: u32,
}

/// What a reader has and lacks (RTPS 2.5 8.3.8.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckNack {
    /// Source reader.
    pub reader: EntityId,
    /// Destination writer.
    pub writer: EntityId,
    /// All below the base is acknowledged; the members are missing.
    pub state: SequenceNumberSet,
    /// Grows with each new answer.
    pub count: u32,
    /// No answer is required (flag F).
    pub is_final: bool,
}

/// Which fragments a reader lacks (RTPS 2.5 8.3.8.10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NackFrag {
    /// Source reader.
    pub reader: EntityId,
    /// Destination writer.
    pub writer: EntityId,
    /// The change.
    pub sequence: SequenceNumber,
    /// The missing fragments.
    pub state: FragmentNumberSet,
    /// Grows with each new answer.
    pub count: u32,
}

/// Changes that will never come (RTPS 2.5 8.3.8.4): `start .. list.base()` and the members of
/// `list`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Destination reader, `EntityId::UNKNOWN` for all matched.
    pub reader: EntityId,
    /// Source writer.
    pub writer: EntityId,
    /// First irrelevant number.
    pub start: SequenceNumber,
    /// End of the range and further numbers.
    pub list: SequenceNumberSet,
}

/// Facts about the whole message that follow its header (RTPS 2.5 8.3.7, 9.4.5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct HeaderExtension<'a> {
    /// Bytes in the message.
    pub message_length: Option<u32>,
    /// When the message was sent.
    pub timestamp: Option<Timestamp>,
    /// Reserved for later versions (flag U).
    pub u_extension: Option<[u8; 4]>,
    /// Reserved for later versions (flag W).
    pub w_extension: Option<[u8; 8]>,
    /// Over the whole message with this field zero; not verified here.
    pub checksum: Option<Checksum>,
    /// Further facts.
    pub parameters: Parameters<'a>,
}

/// A message's checksum (RTPS 2.5 9.4.2.15).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checksum {
    /// CRC-32C.
    Crc32c([u8; 4]),
    /// CRC-64-XZ.
    Crc64([u8; 8]),
    /// MD5.
    Md5([u8; 16]),
}

/// One submessage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Submessage<'a> {
    /// A whole change.
    Data(Data<'a>),
    /// Fragments of a change.
    DataFrag(DataFrag<'a>),
    /// What a writer has.
    Heartbeat(Heartbeat),
    /// Which fragments a writer has.
    HeartbeatFrag(HeartbeatFrag),
    /// What a reader has and lacks.
    AckNack(AckNack),
    /// Which fragments a reader lacks.
    NackFrag(NackFrag),
    /// Changes that will never come.
    Gap(Gap),
    /// Source time of the changes that follow, `None` to forget it (RTPS 2.5 8.3.8.9).
    InfoTimestamp(Option<Timestamp>),
    /// Whom the submessages that follow address (RTPS 2.5 8.3.8.7).
    InfoDestination(GuidPrefix),
    /// Who sent the submessages that follow (RTPS 2.5 8.3.8.10).
    InfoSource {
        /// Version of the original message.
        version: ProtocolVersion,
        /// Vendor of the original message.
        vendor: VendorId,
        /// Sender of the original message.
        prefix: GuidPrefix,
    },
    /// Where to send answers (RTPS 2.5 8.3.8.8); at most a few locators are kept.
    InfoReply {
        /// Unicast locators.
        unicast: Vec<Locator>,
        /// Multicast locators.
        multicast: Vec<Locator>,
    },
    /// Nothing (RTPS 2.5 8.3.8.11).
    Pad,
    /// Facts about the whole message (RTPS 2.5 8.3.7).
    HeaderExtension(HeaderExtension<'a>),
    /// A submessage of an unknown or vendor-specific kind, to be skipped.
    Unknown(u8),
}

impl Submessage<'_> {
    /// The reader and the writer that an entity submessage names (RTPS 2.5 8.3.8); `None` for
    /// interpreter submessages.
    #[inline]
    pub fn endpoints(&self) -> Option<(EntityId, EntityId)> {
        match self {
            Self::Data(m) => Some((m.reader, m.writer)),
            Self::DataFrag(m) => Some((m.reader, m.writer)),
            Self::Heartbeat(m) => Some((m.reader, m.writer)),
            Self::HeartbeatFrag(m) => Some((m.reader, m.writer)),
            Self::AckNack(m) => Some((m.reader, m.writer)),
            Self::NackFrag(m) => Some((m.reader, m.writer)),
            Self::Gap(m) => Some((m.reader, m.writer)),
            _ => None,
        }
    }
}
