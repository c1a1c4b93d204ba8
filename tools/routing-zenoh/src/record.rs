//! What a site says of the endpoints of a topic: as RTPS discovery says it, one after the other.
use super::attachment::take;
use super::keys::Direction;
use bytes::{BufMut, Bytes, BytesMut};
use dunlin::GuidPrefix;
use dunlin::observe::{ReaderData, WriterData};
use std::collections::HashMap;

/// Of an answer with several records; the next one goes on.
const MOST_ANSWER: usize = 1 << 20;
/// Of a record.
const MOST_BYTES: usize = 256 << 10;
const MOST_ENDPOINTS: usize = 1024;

/// An endpoint of another site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    Writer(Box<WriterData>),
    Reader(Box<ReaderData>),
}

impl Endpoint {
    pub(crate) fn guid(&self) -> dunlin::Guid {
        match self {
            Self::Writer(data) => data.guid,
            Self::Reader(data) => data.guid,
        }
    }

    pub(crate) fn topic(&self) -> &str {
        match self {
            Self::Writer(data) => &data.topic,
            Self::Reader(data) => &data.topic,
        }
    }
}

/// The record of these endpoints. What does not fit into a record is left out.
pub(crate) fn encode<'a>(endpoints: impl Iterator<Item = &'a Endpoint>) -> Bytes {
    let mut bytes = BytesMut::new();
    for endpoint in endpoints.take(MOST_ENDPOINTS) {
        let encoded = match endpoint {
            Endpoint::Writer(data) => data.encode(),
            Endpoint::Reader(data) => data.encode(),
        };
        if let Ok(encoded) = encoded
            && bytes.len() + 4 + encoded.len() <= MOST_BYTES
        {
            bytes.put_u32_le(encoded.len() as u32);
            bytes.put_slice(&encoded);
        }
    }
    bytes.freeze()
}

/// The endpoints of a record; `None` if it is not one of this site, topic and direction.
pub(crate) fn parse(
    mut rest: &[u8],
    direction: Direction,
    topic: &str,
    site: GuidPrefix,
) -> Option<Vec<Endpoint>> {
    if rest.len() > MOST_BYTES {
        return None;
    }
    let mut endpoints = Vec::new();
    while !rest.is_empty() {
        let length = u32::from_le_bytes(take(&mut rest)?) as usize;
        let (one, left) = rest.split_at_checked(length)?;
        rest = left;
        let endpoint = match direction {
            Direction::Offer => Endpoint::Writer(Box::new(WriterData::parse(one).ok()?)),
            Direction::Want => Endpoint::Reader(Box::new(ReaderData::parse(one).ok()?)),
        };
        let is_of_it = endpoint.topic() == topic && endpoint.guid().prefix == site;
        if !is_of_it || endpoints.len() >= MOST_ENDPOINTS {
            return None;
        }
        endpoints.push(endpoint);
    }
    Some(endpoints)
}

/// The digests that a question for records names.
pub(crate) fn parse_digests(bytes: &[u8]) -> impl Iterator<Item = u64> {
    let (digests, _) = bytes.as_chunks();
    digests.iter().map(|digest| u64::from_le_bytes(*digest))
}

/// Such a question.
pub(crate) fn encode_digests(digests: impl Iterator<Item = u64>) -> Vec<u8> {
    digests.flat_map(u64::to_le_bytes).collect()
}

/// Records with their digests, as an answer. What does not fit is left out.
pub(crate) fn encode_all<'a>(records: impl Iterator<Item = (u64, &'a [u8])>) -> Bytes {
    let mut bytes = BytesMut::new();
    for (digest, record) in records {
        if bytes.len() + record.len() > MOST_ANSWER {
            break;
        }
        bytes.put_u64_le(digest);
        bytes.put_u32_le(record.len() as u32);
        bytes.put_slice(record);
    }
    bytes.freeze()
}

/// The records of an answer, up to what is damaged.
pub(crate) fn parse_all(mut rest: &[u8]) -> HashMap<u64, &[u8]> {
    fn begin(rest: &mut &[u8]) -> Option<(u64, usize)> {
        let digest = u64::from_le_bytes(take(rest)?);
        Some((digest, u32::from_le_bytes(take(rest)?) as usize))
    }
    let mut records = HashMap::new();
    while let Some((digest, length)) = begin(&mut rest)
        && let Some((record, left)) = rest.split_at_checked(length)
    {
        records.insert(digest, record);
        rest = left;
    }
    records
}

/// Tells a record from others (FNV-1a).
pub(crate) fn digest(bytes: &[u8]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325_u64;
    bytes.iter().fold(start, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
