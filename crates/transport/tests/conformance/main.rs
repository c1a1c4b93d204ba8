//! One suite for every transport, and what is special to each.
mod memory;
mod namespace;
mod suite;
mod udp;
mod wrappers;
