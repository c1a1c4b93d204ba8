//! Samples and keys.
use bytes::Bytes;
use dunlin_cdr::{Topic, from_payload, from_payload_bytes, key_from_payload};
use everything::{Big, FinalBig, MutableBig};

#[path = "../../crates/cdr/tests/common/mod.rs"]
mod everything;

/// Reads a payload as types with everything in them; what can be read can be written, and reads the
/// same again.
pub fn cdr(data: &[u8]) {
    let payload = Bytes::copy_from_slice(data);
    weigh::<Big>(&payload);
    weigh::<FinalBig>(&payload);
    weigh::<MutableBig>(&payload);
    everything::read_everything(&payload);
}

/// Reading holds no more memory than the payload warrants. These types are sparse: a tree of which
/// nothing is there takes 24 times its bytes, a map of one entry a node of eleven.
fn weigh<T: Topic>(payload: &Bytes) {
    let readings: [&dyn Fn(); 3] = [
        &|| drop(from_payload::<T>(payload)),
        &|| drop(from_payload_bytes::<T>(payload)),
        &|| drop(key_from_payload::<T>(payload)),
    ];
    for read in readings {
        let held = allocation_counter::measure(read).bytes_max;
        assert!(held <= 32 * payload.len() as u64 + 2048, "{held} bytes");
    }
}

/// The same with plain XCDR1 in front, in both byte orders, as are those that follow.
pub fn xcdr1(data: &[u8]) {
    both_orders(0x00, data);
}

/// XCDR1 parameter lists: mutable types.
pub fn pl_cdr(data: &[u8]) {
    both_orders(0x02, data);
}

/// Plain XCDR2: final types.
pub fn xcdr2(data: &[u8]) {
    both_orders(0x06, data);
}

/// Delimited XCDR2: appendable types.
pub fn d_cdr2(data: &[u8]) {
    both_orders(0x08, data);
}

/// XCDR2 with member headers: mutable types.
pub fn pl_cdr2(data: &[u8]) {
    both_orders(0x0a, data);
}

fn both_orders(representation: u8, data: &[u8]) {
    for order in [0, 1] {
        cdr(&[&[0, representation | order, 0, 0], data].concat());
    }
}
