//! What travels beside the payload of a sample: whose it is, which one, and what DDS says of it.
//!
//! Samples come from a network, so every octet of this is foreign.
use bytes::Bytes;
use dunlin::untyped::WriteOptions;
use dunlin::{
    ChangeKind, EntityId, Guid, GuidPrefix, Hops, InstanceHandle, SampleIdentity, SampleOrigin,
    SequenceNumber, Timestamp,
};

const VERSION: u8 = 1;

const KIND: u8 = 0b11;
const TIMESTAMP: u8 = 1 << 2;
const INSTANCE: u8 = 1 << 3;
const ORIGINAL: u8 = 1 << 4;
const RELATED: u8 = 1 << 5;
const FOREIGN_HASH: u8 = 1 << 6;
const HOPS: u8 = 1 << 7;

const KINDS: [ChangeKind; 4] = [
    ChangeKind::Alive,
    ChangeKind::Disposed,
    ChangeKind::Unregistered,
    ChangeKind::DisposedUnregistered,
];

/// What is said of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attachment {
    pub(crate) writer: Guid,
    /// Its number among the changes of the writer, from 1 on.
    pub(crate) number: u64,
    pub(crate) kind: ChangeKind,
    pub(crate) options: WriteOptions,
}

impl Attachment {
    pub(crate) fn encode(&self) -> Bytes {
        let origin = self.options.origin.unwrap_or_default();
        let instance = self.options.instance.filter(|i| *i != InstanceHandle::NIL);
        let kind = KINDS.iter().position(|kind| *kind == self.kind);
        let mut flags = kind.unwrap_or_default() as u8;
        let mut set = |flag, is_set: bool| flags |= if is_set { flag } else { 0 };
        set(TIMESTAMP, self.options.timestamp.is_some());
        set(INSTANCE, instance.is_some());
        set(ORIGINAL, origin.original_writer.is_some());
        set(RELATED, origin.related.is_some());
        set(FOREIGN_HASH, origin.foreign_key_hash);
        set(HOPS, !origin.hops.ids().is_empty());
        let mut bytes = vec![VERSION, flags];
        put_guid(&mut bytes, self.writer);
        bytes.extend(self.number.to_le_bytes());
        bytes.extend(
            self.options
                .timestamp
                .iter()
                .flat_map(|t| t.0.to_le_bytes()),
        );
        bytes.extend(instance.iter().flat_map(|instance| instance.0));
        for identity in [origin.original_writer, origin.related]
            .into_iter()
            .flatten()
        {
            put_guid(&mut bytes, identity.writer);
            bytes.extend(identity.sequence.0.to_le_bytes());
        }
        if !origin.hops.ids().is_empty() {
            bytes.push(origin.hops.ids().len() as u8);
            bytes.extend(origin.hops.ids().iter().flat_map(|id| id.to_le_bytes()));
        }
        bytes.into()
    }

    /// `None` if it is not one of ours, or damaged.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let [version, flags] = take(&mut rest)?;
        if version != VERSION {
            return None;
        }
        let has = |flag: u8| flags & flag != 0;
        let writer = take_guid(&mut rest)?;
        let number = u64::from_le_bytes(take(&mut rest)?);
        // Numbers are RTPS numbers, too.
        if number == 0 || i64::try_from(number).is_err() {
            return None;
        }
        let timestamp = match has(TIMESTAMP) {
            true => Some(Timestamp(i64::from_le_bytes(take(&mut rest)?))),
            false => None,
        };
        let instance = match has(INSTANCE) {
            true => Some(InstanceHandle(take(&mut rest)?)).filter(|i| *i != InstanceHandle::NIL),
            false => None,
        };
        let original_writer = match has(ORIGINAL) {
            true => Some(take_identity(&mut rest)?),
            false => None,
        };
        let related = match has(RELATED) {
            true => Some(take_identity(&mut rest)?),
            false => None,
        };
        let mut hops = Hops::default();
        if has(HOPS) {
            let [count] = take(&mut rest)?;
            for _ in 0..count {
                if !hops.push(u32::from_le_bytes(take(&mut rest)?)) {
                    return None;
                }
            }
        }
        let origin = SampleOrigin {
            original_writer,
            related,
            foreign_key_hash: has(FOREIGN_HASH),
            hops,
        };
        let kind = KINDS.get(usize::from(flags & KIND)).copied()?;
        rest.is_empty().then(|| Self {
            writer,
            number,
            kind,
            options: WriteOptions {
                timestamp,
                instance,
                origin: (!origin.is_empty()).then_some(origin),
            },
        })
    }
}

/// The next octets.
pub(crate) fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, left) = rest.split_first_chunk::<N>()?;
    *rest = left;
    Some(*taken)
}

fn put_guid(bytes: &mut Vec<u8>, guid: Guid) {
    bytes.extend(guid.prefix.0);
    bytes.extend(guid.entity.0);
}

fn take_guid(rest: &mut &[u8]) -> Option<Guid> {
    let prefix = GuidPrefix(take(rest)?);
    Some(Guid::new(prefix, EntityId(take(rest)?)))
}

fn take_identity(rest: &mut &[u8]) -> Option<SampleIdentity> {
    let writer = take_guid(rest)?;
    let sequence = SequenceNumber(i64::from_le_bytes(take(rest)?));
    Some(SampleIdentity { writer, sequence })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Attachment {
        let guid = |n| Guid::new(GuidPrefix([n; 12]), EntityId([0, 0, n, 2]));
        let identity = |n| SampleIdentity {
            writer: guid(n),
            sequence: SequenceNumber(i64::from(n) << 33),
        };
        let mut hops = Hops::default();
        (1..=8).for_each(|id| assert!(hops.push(id)));
        Attachment {
            writer: guid(1),
            number: 1 << 40,
            kind: ChangeKind::DisposedUnregistered,
            options: WriteOptions {
                timestamp: Some(Timestamp(123_456_789)),
                instance: Some(InstanceHandle([7; 16])),
                origin: Some(SampleOrigin {
                    original_writer: Some(identity(2)),
                    related: Some(identity(3)),
                    foreign_key_hash: true,
                    hops,
                }),
            },
        }
    }

    #[test]
    fn what_is_said_of_a_sample_arrives() {
        let all = all();
        assert_eq!(Attachment::parse(&all.encode()), Some(all));
        for kind in KINDS {
            let few = Attachment {
                kind,
                options: WriteOptions::default(),
                ..all
            };
            assert_eq!(few.encode().len(), 26);
            assert_eq!(Attachment::parse(&few.encode()), Some(few));
        }
    }

    #[test]
    fn what_is_damaged_is_nothing_and_no_panic() {
        let bytes = all().encode();
        for end in 0..bytes.len() {
            assert_eq!(Attachment::parse(&bytes[..end]), None, "{end}");
        }
        let mut longer = bytes.to_vec();
        longer.push(0);
        assert_eq!(Attachment::parse(&longer), None);
        // Any octet may be any other.
        for at in 0..bytes.len() {
            for value in 0..=255 {
                let mut changed = bytes.to_vec();
                changed[at] = value;
                if let Some(parsed) = Attachment::parse(&changed) {
                    assert!(parsed.number > 0);
                }
            }
        }
        let mut other = bytes.to_vec();
        other[0] = 2;
        assert_eq!(Attachment::parse(&other), None);
    }
}
