//! What a DATA says about itself beside its payload (RTPS 2.5 8.7, 9.6.4).
use crate::{Endianness, Error, ParameterId, Parameters, SampleOrigin, SequenceNumber};
use bytes::BufMut;

/// The inline QoS that a reader acts on; policies that came by discovery are not repeated here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct InlineQos {
    /// Which instance (RTPS 2.5 9.6.4.8).
    pub key_hash: Option<[u8; 16]>,
    /// Disposed, unregistered: the `STATUS_` bits (RTPS 2.5 9.6.4.9).
    pub status_info: Option<u32>,
    /// To which coherent set it belongs, if to one.
    pub set: SetMembership,
    /// Which samples it repeats or answers, if it says so.
    pub origin: Option<SampleOrigin>,
}

/// What a change says about the sets of changes that are to be seen together, and about the order
/// over the writers of a publisher (RTPS 2.5 8.7.5, 8.7.6, 9.6.4.2 to 9.6.4.5). 0 stands for what
/// is not said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SetMembership {
    /// Number of the first change of the writer's set, or `SequenceNumber::UNKNOWN`: no set, and
    /// the one before is complete.
    pub first: SequenceNumber,
    /// Its number among all changes of the publisher.
    pub group_sequence: SequenceNumber,
    /// The number among these of the first change of the publisher's set.
    pub group_first: SequenceNumber,
    /// Which writers the publisher had: a digest of their entity ids.
    pub writers: Option<[u8; 4]>,
}

impl SetMembership {
    /// Nothing is said.
    pub const NONE: Self = Self {
        first: SequenceNumber(0),
        group_sequence: SequenceNumber(0),
        group_first: SequenceNumber(0),
        writers: None,
    };
    /// The most bytes that they take.
    const MAX_SIZE: usize = 3 * 12 + 8;

    #[inline]
    fn is_none(&self) -> bool {
        *self == Self::NONE
    }

    fn encode(&self, out: &mut impl BufMut) {
        let numbers = [
            (ParameterId::COHERENT_SET, self.first),
            (ParameterId::GROUP_SEQUENCE_NUMBER, self.group_sequence),
            (ParameterId::GROUP_COHERENT_SET, self.group_first),
        ];
        for (id, number) in numbers.into_iter().filter(|(_, n)| n.0 != 0) {
            out.put_u16_le(id.0);
            out.put_u16_le(8);
            out.put_i32_le((number.0 >> 32) as i32);
            out.put_u32_le(number.0 as u32);
        }
        if let Some(digest) = self.writers {
            out.put_u16_le(ParameterId::WRITER_GROUP_INFO.0);
            out.put_u16_le(4);
            out.put_slice(&digest);
        }
    }
}

impl InlineQos {
    /// Nothing is said.
    pub const NONE: Self = Self {
        key_hash: None,
        status_info: None,
        set: SetMembership::NONE,
        origin: None,
    };
    /// The instance was disposed.
    pub const STATUS_DISPOSED: u32 = 1;
    /// The writer unregistered the instance.
    pub const STATUS_UNREGISTERED: u32 = 2;
    /// The sample did not pass a content filter.
    pub const STATUS_FILTERED: u32 = 4;
    /// The most bytes that `encode` writes.
    pub const MAX_SIZE: usize = 32 + SetMembership::MAX_SIZE + SampleOrigin::MAX_SIZE;

    /// Reads the parameters that matter and skips the others.
    #[inline]
    pub fn parse(parameters: Parameters<'_>) -> Result<Self, Error> {
        if parameters.is_empty() {
            return Ok(Self::NONE);
        }
        match only_hash(parameters) {
            Some(hash) => Ok(Self {
                key_hash: Some(*hash),
                ..Self::NONE
            }),
            None => Self::parse_all(parameters),
        }
    }

    #[inline(never)]
    fn parse_all(parameters: Parameters<'_>) -> Result<Self, Error> {
        let mut qos = Self::default();
        for parameter in parameters {
            let parameter = parameter?;
            let mut value = parameter.value;
            match parameter.id {
                ParameterId::KEY_HASH => qos.key_hash = Some(value.array()?),
                // Bytes, not a number: the flags are in the last one whatever the byte order.
                ParameterId::STATUS_INFO => {
                    qos.status_info = Some(u32::from_be_bytes(value.array()?));
                }
                ParameterId::COHERENT_SET => qos.set.first = value.sequence()?,
                ParameterId::GROUP_SEQUENCE_NUMBER => qos.set.group_sequence = value.sequence()?,
                ParameterId::GROUP_COHERENT_SET => qos.set.group_first = value.sequence()?,
                ParameterId::WRITER_GROUP_INFO => qos.set.writers = value.array().ok(),
                id if id.is_inline_policy() => {}
                id if id.is_origin() => qos.origin.get_or_insert_default().read(id, value),
                _ => parameter.skip()?,
            }
        }
        // What it said of its origin may be what cannot be.
        qos.origin.take_if(|origin| origin.is_empty());
        Ok(qos)
    }

    /// Writes the list, little endian, with its sentinel; nothing at all if there is nothing to
    /// say.
    #[inline]
    pub fn encode(&self, out: &mut impl BufMut) {
        let set = Some(&self.set).filter(|set| !set.is_none());
        let hash = self.key_hash.as_ref();
        Self::encode_parts(hash, self.status_info, set, self.origin.as_ref(), out);
    }

    /// As `encode` of one that says this, for whoever has the parts elsewhere: all of it is long.
    #[inline]
    pub fn encode_parts(
        key_hash: Option<&[u8; 16]>,
        status_info: Option<u32>,
        set: Option<&SetMembership>,
        origin: Option<&SampleOrigin>,
        out: &mut impl BufMut,
    ) {
        match (key_hash, status_info, set, origin) {
            (None, None, None, None) => return,
            (Some(hash), None, None, None) => {
                return out.put_slice(hash_alone(hash).as_flattened());
            }
            _ => {}
        }
        if let Some(hash) = key_hash {
            out.put_slice(&HASH_FOLLOWS);
            out.put_slice(hash);
        }
        if let Some(status) = status_info {
            out.put_slice(&[0x71, 0, 4, 0]);
            out.put_slice(&status.to_be_bytes());
        }
        if let Some(set) = set {
            set.encode(out);
        }
        if let Some(origin) = origin {
            origin.encode(out);
        }
        out.put_slice(&SENTINEL);
    }
}

/// PID_KEY_HASH and its length, and the end of a list (RTPS 2.5 9.6.4.8, 9.4.2.11), in little
/// endian.
const HASH_FOLLOWS: [u8; 4] = [0x70, 0, 16, 0];
const SENTINEL: [u8; 4] = [1, 0, 0, 0];
/// Words of a list that has nothing but the hash.
const HASH_ALONE: usize = 6;

/// The list that has nothing but this hash.
#[inline]
fn hash_alone(hash: &[u8; 16]) -> [[u8; 4]; HASH_ALONE] {
    let mut words = [HASH_FOLLOWS; HASH_ALONE];
    let [_, middle @ .., last] = &mut words;
    middle.as_flattened_mut().copy_from_slice(hash);
    *last = SENTINEL;
    words
}

/// The hash, if the list has nothing else and is written as all write it: nearly every sample with
/// a key.
#[inline]
pub(crate) fn only_hash(parameters: Parameters<'_>) -> Option<&[u8; 16]> {
    let list: &[u8; 4 * HASH_ALONE] = parameters.bytes().try_into().ok()?;
    let little = parameters.endianness() == Endianness::Little;
    if little
        && let Some((&HASH_FOLLOWS, rest)) = list.split_first_chunk()
        && let Some((hash, &SENTINEL)) = rest.split_last_chunk()
    {
        return hash.try_into().ok();
    }
    None
}

impl ParameterId {
    /// Policies and facts that may stand in a DATA and say nothing new to a matched reader (RTPS
    /// 2.5 table 9.19).
    fn is_inline_policy(self) -> bool {
        matches!(
            self,
            Self::TOPIC_NAME
                | Self::DURABILITY
                | Self::PRESENTATION
                | Self::DEADLINE
                | Self::LATENCY_BUDGET
                | Self::OWNERSHIP
                | Self::OWNERSHIP_STRENGTH
                | Self::LIVELINESS
                | Self::PARTITION
                | Self::RELIABILITY
                | Self::TRANSPORT_PRIORITY
                | Self::LIFESPAN
                | Self::DESTINATION_ORDER
        )
    }
}
