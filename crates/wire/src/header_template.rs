//! How the datagrams of a stream begin. Those of small samples differ in time, number and payload
//! only, so what is before is read once, and compared from then on.
use crate::inline_qos::only_hash;
use crate::{Data, EntityId, Message, Parameters, Payload, SequenceNumber, Timestamp};
use core::ops::Range;

/// Bytes up to the inline QoS or payload: the header, an INFO_TS, and the beginning of a DATA (RTPS
/// 2.5 9.4.4, 9.4.5.4, 9.4.5.11).
const LENGTH: usize = 56;
/// Bytes of inline QoS that is nothing but the hash of a key.
const HASH: usize = 24;
/// Bytes up to the end of the header of DATA.
const BEFORE: usize = 36;

/// What is the same in datagrams that have nothing but a timestamp and a sample of one user's
/// writer, with the hash of its key or no inline QoS, in little endian.
#[derive(Clone, Debug)]
pub struct HeaderTemplate {
    bytes: [u8; LENGTH],
    has_hash: bool,
}

impl HeaderTemplate {
    /// That of this datagram, if it is one of these.
    pub fn of(datagram: &[u8]) -> Option<Self> {
        let mut submessages = Message::parse(datagram).ok()?.submessages;
        let (timestamp, data) = submessages.next_user_sample()?;
        let bytes = *datagram.first_chunk()?;
        let alone = submessages.is_empty() && Self::suits(&data) && timestamp.is_some();
        alone.then_some(Self {
            bytes,
            has_hash: !data.inline_qos.is_empty(),
        })
    }

    /// Whether a sample is one of these, if its datagram has nothing else.
    #[inline]
    pub fn suits(data: &Data<'_>) -> bool {
        data.inline_qos.is_empty() || only_hash(data.inline_qos).is_some()
    }

    /// What another datagram says, if it begins like this one: as `Message::parse` and
    /// `next_user_sample` would read it.
    #[inline]
    pub fn read<'a>(&self, datagram: &'a [u8]) -> Option<(Timestamp, Data<'a>)> {
        let (opening, mut payload) = datagram.split_first_chunk::<LENGTH>()?;
        if !is_alike(opening, &self.bytes) {
            return None;
        }
        let mut inline_qos = Parameters::NONE;
        if self.has_hash {
            let (hash, rest) = payload.split_first_chunk::<HASH>()?;
            (inline_qos, payload) = (Parameters::little_endian(hash), rest);
            only_hash(inline_qos)?;
        }
        let words = opening.as_chunks::<4>().0;
        let [.., seconds, fraction, length, _, reader, writer, high, low] = words else {
            return None;
        };
        let [_, _, first, second] = *length;
        let length = usize::from(u16::from_le_bytes([first, second]));
        if length != 0 && Some(length) != datagram.len().checked_sub(BEFORE) {
            return None;
        }
        let number =
            i64::from(i32::from_le_bytes(*high)) << 32 | i64::from(u32::from_le_bytes(*low));
        let [seconds, fraction] = [seconds, fraction].map(|word| u32::from_le_bytes(*word));
        let timestamp = Timestamp::from_wire(seconds, fraction);
        if number <= 0 || timestamp == Timestamp::INVALID {
            return None;
        }
        let data = Data {
            reader: EntityId(*reader),
            writer: EntityId(*writer),
            sequence: SequenceNumber(number),
            inline_qos,
            payload: Payload::Data(payload),
        };
        Some((timestamp, data))
    }
}

/// Are they the same but for the timestamp, the length and the number?
#[inline]
fn is_alike(one: &[u8; LENGTH], other: &[u8; LENGTH]) -> bool {
    let same = |range: Range<usize>| one.get(range.clone()) == other.get(range);
    same(0..24) && same(32..34) && same(36..48)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GuidPrefix, Header, InlineQos};
    use alloc::vec::Vec;
    use proptest::prelude::*;

    fn datagram(number: i64, seconds: u32, hash: Option<u8>, payload: &[u8]) -> Vec<u8> {
        let (mut out, mut inline) = (Vec::new(), Vec::new());
        let qos = InlineQos {
            key_hash: hash.map(|byte| [byte; 16]),
            ..InlineQos::NONE
        };
        qos.encode(&mut inline);
        let data = Data {
            reader: EntityId::UNKNOWN,
            writer: EntityId([0, 0, 1, 3]),
            sequence: SequenceNumber(number),
            inline_qos: Parameters::little_endian(&inline),
            payload: Payload::Data(payload),
        };
        let header = Header::new(GuidPrefix([7; 12]));
        data.encode_alone(&header, Timestamp::from_wire(seconds, 5), &mut out);
        out
    }

    /// The long way.
    fn parse(datagram: &[u8]) -> Option<(Timestamp, Data<'_>)> {
        let mut submessages = Message::parse(datagram).ok()?.submessages;
        let (timestamp, data) = submessages.next_user_sample()?;
        (submessages.is_empty()).then_some((timestamp?, data))
    }

    proptest! {
        #[test]
        fn what_begins_alike_is_read_as_if_it_were_parsed(
            (number, seconds) in (1..i64::MAX, any::<u32>()),
            (first, second) in (any::<Option<u8>>(), any::<Option<u8>>()),
            payload in prop::collection::vec(any::<u8>(), 1..60),
            changes in prop::collection::vec((0..120usize, any::<u8>()), 0..3),
            cut in 0..100usize,
        ) {
            let Some(opening) = HeaderTemplate::of(&datagram(1, 2, first, b"first")) else {
                return Err(TestCaseError::fail("no opening"));
            };
            let mut other = datagram(number, seconds, second, &payload);
            match (opening.read(&other), first.is_some() == second.is_some()) {
                (None, false) => {}
                (read, _) => prop_assert_eq!(read, parse(&other)),
            }
            for (at, value) in changes {
                if let Some(byte) = other.get_mut(at) {
                    *byte = value;
                }
            }
            if cut < 50 {
                other.truncate(other.len() - cut.min(other.len()));
            }
            if let Some(read) = opening.read(&other) {
                prop_assert_eq!(Some(read), parse(&other));
            }
        }
    }

    #[test]
    fn only_a_sample_alone_opens() {
        let one = datagram(1, 2, None, b"abcd");
        assert!(HeaderTemplate::of(&one).is_some());
        let [header, rest @ ..] = &one[..] else {
            unreachable!()
        };
        assert_eq!(*header, b'R');
        let mut two = one.clone();
        two.extend_from_slice(&rest[19..]);
        assert!(HeaderTemplate::of(&two).is_none());
        let mut without_time = one.clone();
        without_time.drain(20..32);
        assert!(HeaderTemplate::of(&without_time).is_none());
        assert!(HeaderTemplate::of(&one[..50]).is_none());
    }
}
