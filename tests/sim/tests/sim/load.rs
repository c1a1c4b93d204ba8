//! What is written: payloads that say by whom, which and of what instance they are, and that can be
//! checked.
use bytes::Bytes;
use dunlin_rtps::{Change, ChangeKind, InstanceHandle};
use dunlin_wire::Timestamp;

/// Plain CDR; sizes are multiples of 4, since a submessage is padded to that.
const ENCAPSULATION: [u8; 4] = [0, 1, 0, 0];
/// Encapsulation header, instance, writer, number.
pub(crate) const SMALLEST: usize = 16;

/// The handle of an instance; nil for the one of a topic without keys.
pub(crate) fn handle(instance: Option<u32>) -> InstanceHandle {
    let Some(instance) = instance else {
        return InstanceHandle::NIL;
    };
    let mut bytes = [0xa5; 16];
    bytes[12..].copy_from_slice(&instance.to_be_bytes());
    InstanceHandle(bytes)
}

/// The instance that a sample or a key names.
pub(crate) fn instance_of(payload: &[u8]) -> Option<InstanceHandle> {
    let instance = payload.get(4..8)?.try_into().ok()?;
    Some(handle(Some(u32::from_be_bytes(instance))))
}

pub(crate) fn sample(
    timestamp: Timestamp,
    instance: Option<u32>,
    writer: u32,
    number: u32,
    size: usize,
) -> Change {
    let mut payload = Vec::with_capacity(size);
    payload.extend_from_slice(&ENCAPSULATION);
    payload.extend_from_slice(&instance.unwrap_or(0).to_be_bytes());
    payload.extend_from_slice(&writer.to_be_bytes());
    payload.extend_from_slice(&number.to_be_bytes());
    let pattern = (writer ^ number.wrapping_mul(31)) as u8;
    let rest = size.max(SMALLEST) - SMALLEST;
    payload.extend(
        (0..rest).map(|i| (i as u8).wrapping_mul(7).wrapping_add((i >> 8) as u8) ^ pattern),
    );
    Change {
        kind: ChangeKind::Alive,
        instance: handle(instance),
        timestamp,
        payload: Bytes::from(payload).into(),
        origin: None,
    }
}

pub(crate) fn end(timestamp: Timestamp, kind: ChangeKind, instance: u32) -> Change {
    let mut key = ENCAPSULATION.to_vec();
    key.extend_from_slice(&instance.to_be_bytes());
    Change {
        kind,
        instance: handle(Some(instance)),
        timestamp,
        payload: Bytes::from(key).into(),
        origin: None,
    }
}
