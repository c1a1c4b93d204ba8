//! How a thread that blocks in a receive is woken, at no cost to those that are not.
//!
//! A receiver with a unicast socket is sent an empty datagram, by that socket to itself, so that it
//! can block in `recvmsg` and needs one system call per datagram. Where that does not arrive (`lo`
//! is down, a firewall) or the receiver listens to groups only, an event takes its place, and the
//! receiver blocks in `ppoll`. Where it stops arriving later, the receiver looks by itself, some
//! seconds late.
//!
//! The flag carries the wish when the datagram does not fit into the socket's queue: the queue is
//! full, so that the receiver does not block now, and before it next does, it looks at the flag.
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::BytesMut;
use dunlin_udp::{Datagram, Event, Socket, poll_readable};

use crate::traits::Waker;

/// Between a receiver and its wakers.
#[derive(Debug)]
pub(super) struct Line {
    /// Set by a waker before it rings, taken by the receiver before it blocks (Release in `ring`,
    /// Acquire in `take`).
    asked: AtomicBool,
    bell: Bell,
}

#[derive(Debug)]
enum Bell {
    Datagram(Arc<Socket>),
    Event(Event),
}

impl Line {
    /// `ear`: a unicast socket that hears itself.
    pub(super) fn new(ear: Option<Arc<Socket>>) -> io::Result<Arc<Self>> {
        let bell = match ear {
            Some(socket) => Bell::Datagram(socket),
            None => Bell::Event(Event::new()?),
        };
        Ok(Arc::new(Self {
            asked: AtomicBool::new(false),
            bell,
        }))
    }

    /// The event to watch, if wakers do not send a datagram.
    pub(super) fn event(&self) -> Option<&Event> {
        match &self.bell {
            Bell::Datagram(_) => None,
            Bell::Event(event) => Some(event),
        }
    }

    /// True once for each time that somebody rang, or less often.
    pub(super) fn take(&self) -> bool {
        // Without a wish, this is a plain load.
        self.asked.load(Ordering::Relaxed) && self.asked.swap(false, Ordering::Acquire)
    }

    /// Something for other threads, which does not keep the socket open.
    pub(super) fn waker(self: &Arc<Self>) -> Arc<dyn Waker> {
        Arc::new(UdpWaker(Arc::downgrade(self)))
    }

    fn ring(&self) {
        if self.asked.swap(true, Ordering::Release) {
            return;
        }
        match &self.bell {
            Bell::Datagram(socket) => knock(socket),
            Bell::Event(event) => event.set(),
        }
    }
}

struct UdpWaker(Weak<Line>);

impl Waker for UdpWaker {
    fn wake(&self) {
        if let Some(line) = self.0.upgrade() {
            line.ring();
        }
    }
}

/// True if an empty datagram from this socket, to which nobody else sends yet, comes back to it.
pub(super) fn hears_itself(socket: &Socket) -> bool {
    const PATIENCE: Duration = Duration::from_millis(100);
    knock(socket);
    let arrived =
        poll_readable([socket.as_fd()], None, Some(PATIENCE)).is_ok_and(|ready| ready.socket(0));
    // It must not wake the socket's receiver; whatever it is, nobody is there yet to miss it.
    let mut buffer = BytesMut::with_capacity(64);
    arrived && socket.receive(&mut buffer, false).is_ok()
}

/// Sends an empty datagram from a socket to itself.
fn knock(socket: &Socket) {
    let local = socket.local_addr();
    let ip = match *local.ip() {
        Ipv4Addr::UNSPECIFIED => Ipv4Addr::LOCALHOST,
        bound => bound,
    };
    socket.send([Datagram {
        to: SocketAddrV4::new(ip, local.port()),
        via: None,
        dscp: 0,
        parts: [&[], &[], &[]],
    }]);
}
