//! UDP over IPv4 as RTPS needs it, on Linux: one system call per datagram, no copy and no
//! allocation.
//!
//! The crate knows datagrams, sockets and interfaces, and nothing of DDS. Its edge is safe; the
//! system calls inside it are the only `unsafe` code between the network and the protocol.
//!
//! The invariant of every `unsafe` block here: a pointer handed to the kernel points into a value
//! that is alive and unmoved until the call returns, with the length of exactly that value; and
//! memory counts as initialised only for as many bytes as the kernel says that it wrote.
#![deny(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]

mod address_changes;
mod call;
mod control;
mod interface;
mod link;
mod poll;
mod receive;
mod send;
mod socket;
mod stream;

pub use address_changes::AddressChanges;
pub use interface::{Address, Interface, interfaces, source_address};
pub use link::Link;
pub use poll::{Event, Ready, poll_readable};
pub use receive::{Arrival, is_passing};
pub use send::{Datagram, Egress, Sent};
pub use socket::{Buffers, Socket};
pub use stream::append_from;
