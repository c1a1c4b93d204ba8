//! What a site says of the endpoints of a topic: as RTPS discovery says it, one after the other.
use super::attachment::take;
use super::keys::Direction;
use bytes::{BufMut, Bytes, BytesMut};
use dunlin::GuidPrefix;
use dunlin::observe::{ReaderData, WriterData};

/// Of a record.
pub(crate) const MOST_BYTES: usize = 256 << 10;
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

/// Tells a record from others (FNV-1a).
pub(crate) fn digest(bytes: &[u8]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325_u64;
    bytes.iter().fold(start, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
