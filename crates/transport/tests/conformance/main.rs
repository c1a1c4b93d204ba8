//! One suite for every transport, and what is special to each.
mod memory;
mod namespace;
mod shm;
mod suite;
mod tcp;
mod udp;
mod wrappers;
