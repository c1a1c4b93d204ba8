//! What a peer says of its endpoints, for tests of this crate inside and outside of it.
use dunlin_wire::{Data, EntityId, Heartbeat, Parameters, Payload, SequenceNumber, Submessage};

/// A writer's description, the `number`th that the peer has said.
pub(crate) fn described(number: i64, payload: &[u8]) -> Submessage<'_> {
    Submessage::Data(Data {
        reader: EntityId::SEDP_PUBLICATIONS_READER,
        writer: EntityId::SEDP_PUBLICATIONS_WRITER,
        sequence: SequenceNumber(number),
        inline_qos: Parameters::NONE,
        payload: Payload::Data(payload),
    })
}

/// The peer's built-in writer has said what goes up to this number.
pub(crate) fn has(writer: EntityId, last: i64) -> Submessage<'static> {
    Submessage::Heartbeat(Heartbeat {
        reader: EntityId::UNKNOWN,
        writer,
        first: SequenceNumber::FIRST,
        last: SequenceNumber(last),
        count: 1,
        is_final: false,
        liveliness: false,
        group: None,
    })
}
