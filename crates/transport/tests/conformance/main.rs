//! One suite for every transport, and what is special to each.
mod memory;
mod namespace;
mod shm;
mod suite;
mod tcp;
mod together;
mod udp;
mod wrappers;
