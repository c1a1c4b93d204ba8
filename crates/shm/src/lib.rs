//! Messages between the processes of one host through shared memory in which **every byte has one
//! writer**.
//!
//! The crate knows processes, opaque identities and bytes, and nothing of DDS. What a process
//! writes lies in memory that it owns and that the kernel lets others only read; so there is no
//! lock, list or counter that two processes change, and nothing to repair when one of them dies.
//! `docs/shared-memory.md` tells the story.
//!
//! Everything that is read from another process is copied once, then checked, then used. The first
//! thing that cannot be true is a [`Violation`], and the connection is dead from then on.
#![deny(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]

#[cfg(not(loom))]
mod append;
mod error;
mod link;
mod memory;
mod pool;
mod ring;

#[cfg(not(loom))]
mod baseline;
#[cfg(not(loom))]
mod connection;
#[cfg(not(loom))]
mod copy;
#[cfg(not(loom))]
mod doorbell;
#[cfg(not(loom))]
mod headroom;
#[cfg(not(loom))]
mod hello;
#[cfg(all(feature = "hostile", not(loom)))]
mod hostile;
#[cfg(not(loom))]
mod inherited;
#[cfg(not(loom))]
mod names;
#[cfg(not(loom))]
mod rendezvous;
#[cfg(not(loom))]
mod segment;
#[cfg(not(loom))]
mod socket;
#[cfg(not(loom))]
mod trust;

#[cfg(all(test, loom))]
mod models;

pub use error::{Error, Violation};
pub use link::LinkSize;
pub use memory::View;
pub use pool::{Chunk, Class, Loan, Pool, PoolView, Published};
pub use ring::{BEST_INLINE, Incoming, Receiver, SendError, Sender, Sleep, Withdrawal};

#[cfg(not(loom))]
pub use baseline::Baseline;
#[cfg(not(loom))]
pub use connection::{Connection, Control, ControlSocket};
#[cfg(not(loom))]
pub use doorbell::{Doorbell, Waker, Woken};
#[cfg(not(loom))]
pub use inherited::{Lifeline, close_lifelines};
#[cfg(not(loom))]
pub use names::{neighbours, strangers};
#[cfg(not(loom))]
pub use rendezvous::{Event, Identity, Limits, Rendezvous, Traffic};
#[cfg(not(loom))]
pub use segment::Segment;
#[cfg(not(loom))]
pub use trust::Trust;
