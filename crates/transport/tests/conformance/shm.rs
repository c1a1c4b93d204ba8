//! Shared memory.
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use dunlin_transport::{ShmConfig, ShmTransport};

use crate::suite::conforms;

/// A participant of a domain that no other process has.
pub(crate) fn shm() -> ShmTransport {
    static COUNT: AtomicU32 = AtomicU32::new(1);
    let mut name = [0xd1; 12];
    let (number, process) = name.split_at_mut(4);
    number.copy_from_slice(&COUNT.fetch_add(1, Relaxed).to_be_bytes());
    process[..4].copy_from_slice(&std::process::id().to_be_bytes());
    let group = 0x8000_0000 | std::process::id();
    ShmTransport::new(&ShmConfig { group, name }).unwrap()
}

#[test]
fn shm_conforms() {
    conforms(&|| Box::new(shm()));
}
