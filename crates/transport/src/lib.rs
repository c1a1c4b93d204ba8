//! How datagrams travel: one trait, [`Transport`], with UDP, TCP, shared memory and an in-memory
//! network behind it, and wrappers that capture ([`Tap`]) or disturb ([`Fault`]) what any transport
//! carries.
//!
//! A transport neither looks into a datagram nor promises that it arrives. It starts no thread: who
//! sends, sends, and who receives, receives. ([`Fault`] alone needs a thread, to bring late
//! datagrams.)
#![forbid(unsafe_code)]

mod composite;
mod fault;
pub mod file;
mod memory;
pub mod panics;
mod pcap;
mod properties;
mod rng;
mod send_path;
mod shm;
mod tap;
mod tcp;
pub mod threads;
mod traits;
mod udp;

pub use composite::CompositeTransport;
pub use dunlin_shm::{Lifeline, close_lifelines};
pub use fault::Fault;
pub use memory::{MemoryNetwork, MemoryTransport};
pub use properties::TransportProperties;
pub use rng::Faults;
pub use send_path::SendPath;
pub use shm::{ShmConfig, ShmTransport};
pub use tap::Tap;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub use tcp::isolated_receiver;
pub use tcp::{TcpConfig, TcpTransport, TlsConfig};
pub use traits::{
    Begun, Listen, Outgoing, Reach, ReceiveStatistics, Received, ReceivedLoan, Receiver, Reception,
    Sent, Transport, Wait, Waker, Watcher, nearest,
};
pub use udp::{UdpConfig, UdpTransport};

pub use dunlin_udp::Buffers;
