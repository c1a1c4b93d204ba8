//! How datagrams travel: one trait, [`Transport`], with UDP, TCP, shared memory and an in-memory network behind it, and wrappers that
//! capture ([`Tap`]) or disturb ([`Fault`]) what any transport carries.
//!
//! A transport neither looks into a datagram nor promises that it arrives. It starts no thread: who sends, sends, and
//! who receives, receives. ([`Fault`] alone needs a thread, to bring late datagrams.)
#![forbid(unsafe_code)]

mod both;
mod dice;
mod fault;
pub mod file;
mod memory;
pub mod panics;
mod pcap;
mod shm;
mod tap;
mod tcp;
mod traits;
mod udp;

pub use both::UdpAndShm;
pub use dice::Faults;
pub use fault::Fault;
pub use memory::{MemoryNetwork, MemoryTransport};
pub use shm::{ShmConfig, ShmTransport};
pub use tap::Tap;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub use tcp::ear;
pub use tcp::{TcpConfig, TcpTransport, TlsConfig};
pub use traits::{
    Attached, Gauge, Lane, Listen, Outgoing, Reach, Received, Receiver, Reception, Sent, Transport,
    Wait, Waker, Watcher, nearest,
};
pub use udp::{UdpConfig, UdpTransport};

pub use dunlin_udp::Buffers;
