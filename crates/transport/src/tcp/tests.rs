//! Participants over TCP on `lo`, and others that speak to them with bare sockets.
mod callers;
mod cuts;
mod hostile;
mod node;
mod peers;
mod strangers;
mod stuck;
mod tls;
