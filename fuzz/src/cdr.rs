//! Samples and keys.
use bytes::Bytes;

#[path = "../../crates/cdr/tests/common/mod.rs"]
mod everything;

/// Reads a payload as types with everything in them; what can be read can be written, and reads the same again.
pub fn cdr(data: &[u8]) {
    everything::read_everything(&Bytes::copy_from_slice(data));
}
