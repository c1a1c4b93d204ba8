//! Sending: one `sendmsg` for one datagram, `sendmmsg` for more, and never a long wait.
use std::io;
use std::mem;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use crate::control::{Control, in_addr};
use crate::poll::wait_writable;
use crate::{Socket, call};

/// How long one call may wait in all for room in the socket's send queue.
const PATIENCE: Duration = Duration::from_millis(10);
/// Datagrams per `sendmmsg`.
const BATCH: usize = 64;
const PARTS: usize = 3;

/// One datagram, gathered from up to three parts.
#[derive(Clone, Copy, Debug)]
pub struct Datagram<'a> {
    /// Where it goes; a connected socket sends to its peer whatever this says.
    pub to: SocketAddrV4,
    /// The interface for it; a multicast datagram needs one, others take the kernel's route.
    pub via: Option<Egress>,
    /// Its DiffServ code point, 0 to 63 (RFC 2474); what says 0 goes as all of the socket does. The
    /// kernel's own queues take it for the datagram's priority, too.
    pub dscp: u8,
    /// The bytes, one part after the other; parts may be empty.
    pub parts: [&'a [u8]; PARTS],
}

/// The interface that a datagram leaves by, and the address it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Egress {
    /// The kernel's number of the interface.
    pub index: u32,
    /// One of its addresses.
    pub source: Ipv4Addr,
}

/// What became of the datagrams of one call.
#[derive(Debug, Default)]
pub struct Sent {
    /// The kernel took these.
    pub datagrams: usize,
    /// Given up: no route, no room in time, or whatever `error` says.
    pub failed: usize,
    /// Why the first of them failed.
    pub error: Option<io::Error>,
}

impl Sent {
    /// Counts one datagram that was not sent.
    pub fn fail(&mut self, error: io::Error) {
        self.failed += 1;
        self.error.get_or_insert(error);
    }

    /// Adds what became of others.
    pub fn add(&mut self, other: Sent) {
        self.datagrams += other.datagrams;
        self.failed += other.failed;
        self.error = self.error.take().or(other.error);
    }
}

impl Socket {
    /// Sends the datagrams in order. A full queue is waited for, 10 ms at most in one call; a
    /// datagram that cannot be sent is skipped and counted, and is no obstacle for those behind it.
    pub fn send<'a>(&self, datagrams: impl IntoIterator<Item = Datagram<'a>>) -> Sent {
        let mut call = Call {
            socket: self,
            deadline: None,
            sent: Sent::default(),
        };
        let mut rest = datagrams.into_iter();
        match (rest.next(), rest.next()) {
            (None, _) => {}
            (Some(only), None) => call.send_one(&only),
            (Some(first), Some(second)) => call.send_many(first, second, rest),
        }
        call.sent
    }
}

/// One call of [`Socket::send`] under way.
struct Call<'s> {
    socket: &'s Socket,
    /// Set when the queue is first found full.
    deadline: Option<Instant>,
    sent: Sent,
}

impl Call<'_> {
    fn send_one(&mut self, datagram: &Datagram<'_>) {
        let fd = self.socket.as_raw_fd();
        let connected = self.socket.peer().is_some();
        match datagram.parts {
            [only, [], []] if connected && datagram.via.is_none() && datagram.dscp == 0 => {
                self.offer(|| call::send(fd, only).map(drop));
            }
            _ => {
                let mut slot = Slot::new(datagram, connected);
                self.offer(|| {
                    let header = slot.header();
                    // SAFETY: the header points into `slot` and the borrowed parts, which stay
                    // where they are during the call.
                    unsafe { call::send_message(fd, &header).map(drop) }
                });
            }
        }
    }

    /// Makes the call until the datagram is sent or given up.
    fn offer(&mut self, mut send: impl FnMut() -> io::Result<()>) {
        let mut retried = false;
        loop {
            match send() {
                Ok(()) => {
                    self.sent.datagrams += 1;
                    return;
                }
                Err(error) if self.try_again(&error, &mut retried) => {}
                Err(error) => return self.sent.fail(error),
            }
        }
    }

    // Not inlined, so that its large frame is no burden to the single datagram.
    #[inline(never)]
    fn send_many<'a>(
        &mut self,
        first: Datagram<'a>,
        second: Datagram<'a>,
        rest: impl Iterator<Item = Datagram<'a>>,
    ) {
        let connected = self.socket.peer().is_some();
        let mut slots = [const { Slot::EMPTY }; BATCH];
        let mut filled = 0;
        for datagram in [first, second].into_iter().chain(rest) {
            if filled == BATCH {
                self.send_batch(&mut slots);
                filled = 0;
            }
            if let Some(slot) = slots.get_mut(filled) {
                *slot = Slot::new(&datagram, connected);
                filled += 1;
            }
        }
        self.send_batch(slots.get_mut(..filled).unwrap_or_default());
    }

    fn send_batch(&mut self, slots: &mut [Slot]) {
        let mut headers = [const { EMPTY_HEADER }; BATCH];
        for (header, slot) in headers.iter_mut().zip(slots.iter_mut()) {
            header.msg_hdr = slot.header();
        }
        let mut rest = headers.get_mut(..slots.len()).unwrap_or_default();
        let mut retried = false;
        while !rest.is_empty() {
            // SAFETY: each header points into its slot and the borrowed parts, which stay where
            // they are during the call; the count is that of the slice.
            let result = unsafe {
                libc::sendmmsg(
                    self.socket.as_raw_fd(),
                    rest.as_mut_ptr(),
                    rest.len() as libc::c_uint,
                    libc::MSG_DONTWAIT as _,
                )
            };
            let done = match usize::try_from(result) {
                Ok(taken) => {
                    self.sent.datagrams += taken;
                    taken
                }
                Err(_) => {
                    let error = io::Error::last_os_error();
                    if self.try_again(&error, &mut retried) {
                        continue;
                    }
                    self.sent.fail(error);
                    1
                }
            };
            rest = rest.get_mut(done..).unwrap_or_default();
            retried = false;
        }
    }

    /// True if the datagram that failed with `error` should be offered once more.
    fn try_again(&mut self, error: &io::Error, retried: &mut bool) -> bool {
        match error.raw_os_error() {
            Some(libc::EINTR) => true,
            Some(libc::EAGAIN) => self.wait_for_room(),
            // The first is an ICMP answer to something sent earlier; the second may have passed
            // already.
            Some(libc::ECONNREFUSED | libc::ENOBUFS) => !mem::replace(retried, true),
            _ => false,
        }
    }

    fn wait_for_room(&mut self) -> bool {
        let now = Instant::now();
        let deadline = *self.deadline.get_or_insert(now + PATIENCE);
        let left = deadline.saturating_duration_since(now);
        !left.is_zero() && wait_writable(self.socket, left)
    }
}

const EMPTY_HEADER: libc::mmsghdr = {
    // SAFETY: all zeroes is a message without address, bytes or control data.
    unsafe { mem::zeroed() }
};

/// What the kernel reads for one datagram, except the bytes.
struct Slot {
    name: libc::sockaddr_in,
    has_name: bool,
    parts: [libc::iovec; PARTS],
    used: usize,
    control: Control,
}

impl Slot {
    const EMPTY: Self = {
        // SAFETY: null pointers with length 0, numbers, and `false`.
        unsafe { mem::zeroed() }
    };

    fn new(datagram: &Datagram<'_>, connected: bool) -> Self {
        let mut slot = Self::EMPTY;
        if !connected {
            slot.name.sin_family = libc::AF_INET as libc::sa_family_t;
            slot.name.sin_port = datagram.to.port().to_be();
            slot.name.sin_addr = in_addr(*datagram.to.ip());
            slot.has_name = true;
        }
        let present = datagram.parts.iter().filter(|p| !p.is_empty());
        for (part, bytes) in slot.parts.iter_mut().zip(present) {
            part.iov_base = bytes.as_ptr().cast_mut().cast();
            part.iov_len = bytes.len();
            slot.used += 1;
        }
        slot.control.set(datagram.via, datagram.dscp);
        slot
    }

    /// Valid while `self` stays where it is.
    fn header(&mut self) -> libc::msghdr {
        let mut header = EMPTY_HEADER.msg_hdr;
        if self.has_name {
            header.msg_name = (&raw mut self.name).cast();
            header.msg_namelen = size_of::<libc::sockaddr_in>() as libc::socklen_t;
        }
        header.msg_iov = self.parts.as_mut_ptr();
        header.msg_iovlen = self.used as _;
        let (control, length) = self.control.place();
        header.msg_control = control;
        header.msg_controllen = length as _;
        header
    }
}
