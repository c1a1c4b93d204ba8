//! What happens for each sample asks for no memory.
mod common;

use bytes::BytesMut;
use common::counting::allocated_by;
use common::{Golden, all};
use dunlin_wire::*;

/// Reads a datagram, its inline QoS included, and writes it again into `out`.
fn relay(golden: &Golden, out: &mut BytesMut) {
    out.clear();
    let message = Message::parse(&golden.bytes).unwrap();
    message.header.encode(out);
    for submessage in message {
        let submessage = submessage.unwrap();
        if let Submessage::Data(data) = &submessage {
            let qos = InlineQos::parse(data.inline_qos).unwrap();
            qos.encode(out);
        }
        submessage.encode(out);
    }
}

#[test]
fn reading_and_writing_messages_allocates_nothing() {
    let goldens = all();
    let mut out = BytesMut::with_capacity(64 * 1024);
    for golden in &goldens {
        assert_eq!(
            allocated_by(|| relay(golden, &mut out)),
            0,
            "{}",
            golden.name
        );
        assert!(out.len() > Header::SIZE);
    }
    assert!(
        allocated_by(|| drop(std::hint::black_box(vec![0_u8; 100]))) >= 100,
        "it does count"
    );
}
