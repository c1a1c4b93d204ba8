//! TCP: the suite, and what is special to connections.
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use dunlin_transport::{TcpConfig, TcpTransport};

use crate::namespace::{BARE, in_namespace};
use crate::suite::conforms;

/// A participant with a name of its own.
pub(crate) fn config() -> TcpConfig {
    static COUNT: AtomicU32 = AtomicU32::new(1);
    let mut name = [0x44; 12];
    let (number, process) = name.split_at_mut(4);
    number.copy_from_slice(&COUNT.fetch_add(1, Relaxed).to_be_bytes());
    process[..4].copy_from_slice(&std::process::id().to_be_bytes());
    TcpConfig::new(name)
}

#[test]
fn tcp_conforms() {
    in_namespace("tcp::tcp_conforms", BARE, || {
        conforms(&|| Box::new(TcpTransport::new(&config()).unwrap()));
    });
}
