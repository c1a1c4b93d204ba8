//! How submessages leave: datagrams, coalescing, destinations, and endpoints of the same process.
pub(crate) mod checksum;
pub(crate) mod coalescing;
pub(crate) mod datagram;
pub(crate) mod destination;
pub(crate) mod local_queue;
pub(crate) mod seal;
pub(crate) mod vendor_quirks;
