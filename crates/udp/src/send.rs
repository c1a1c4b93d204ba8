//! Sending: one `sendmsg` for one datagram, `sendmmsg` for more, and never a long wait.
//!
//! Datagrams of one size that follow each other to the same place, such as the fragments of a large
//! sample, are one message to the kernel, which cuts it (UDP_SEGMENT, Linux 4.18): they pass its
//! stack, bridges and virtual links as one packet instead of one by one.
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
/// The most bytes of one message: those of the largest datagram.
const LARGEST_MESSAGE: usize = 65_507;

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
                let mut parts = [NO_PART; PARTS];
                let (used, _) = gather(datagram, &mut parts);
                let parts = parts.get_mut(..used).unwrap_or_default();
                let mut slot = Slot::EMPTY;
                slot.set(datagram.to, datagram.via, datagram.dscp, connected);
                self.offer(|| {
                    let header = slot.header(parts);
                    // SAFETY: the header points into `slot`, `parts` and the borrowed bytes, which
                    // stay where they are during the call.
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
        let mut batch = Batch::EMPTY;
        for datagram in [first, second].into_iter().chain(rest) {
            if !batch.has_room() {
                self.send_batch(&mut batch);
                batch.filled = 0;
            }
            batch.push(&datagram);
        }
        self.send_batch(&mut batch);
    }

    fn send_batch(&mut self, batch: &mut Batch) {
        let connected = self.socket.peer().is_some();
        let mut done = 0;
        let mut retried = false;
        while done < batch.filled {
            let mut slots = [const { Slot::EMPTY }; BATCH];
            let mut headers = [const { EMPTY_HEADER }; BATCH];
            let mut counts = [0; BATCH];
            let segments = self.socket.segments();
            let mut next = done;
            let mut messages = 0;
            for ((slot, header), count) in slots.iter_mut().zip(&mut headers).zip(&mut counts) {
                *count = batch.alike(next, connected, segments);
                if *count == 0 {
                    break;
                }
                header.msg_hdr = batch.message(next, *count, connected, slot);
                next += *count;
                messages += 1;
            }
            // SAFETY: each header points into its slot, the batch and the borrowed parts, which
            // stay where they are during the call; as many headers as `messages` says are filled.
            let result = unsafe {
                libc::sendmmsg(
                    self.socket.as_raw_fd(),
                    headers.as_mut_ptr(),
                    messages,
                    libc::MSG_DONTWAIT as _,
                )
            };
            match usize::try_from(result) {
                Ok(taken) => {
                    let datagrams: usize = counts.iter().take(taken).sum();
                    self.sent.datagrams += datagrams;
                    done += datagrams;
                    retried = false;
                }
                Err(_) => {
                    let error = io::Error::last_os_error();
                    if self.try_again(&error, &mut retried) {
                        continue;
                    }
                    if counts.first().is_some_and(|count| *count > 1) {
                        // A link without checksum offload, or with an MTU below the datagrams'.
                        self.socket.send_no_segments();
                        continue;
                    }
                    self.sent.fail(error);
                    done += 1;
                    retried = false;
                }
            }
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

/// Datagrams for one `sendmmsg`.
struct Batch {
    parts: [libc::iovec; BATCH * PARTS],
    datagrams: [Queued; BATCH],
    filled: usize,
}

/// A datagram of a batch; its bytes are among the batch's parts.
#[derive(Clone, Copy)]
struct Queued {
    to: SocketAddrV4,
    via: Option<Egress>,
    dscp: u8,
    length: usize,
    /// Where its parts begin, and how many there are.
    first: usize,
    used: usize,
}

impl Batch {
    const EMPTY: Self = Self {
        parts: [NO_PART; BATCH * PARTS],
        datagrams: [Queued::EMPTY; BATCH],
        filled: 0,
    };

    fn has_room(&self) -> bool {
        self.filled < BATCH
    }

    fn push(&mut self, datagram: &Datagram<'_>) {
        let first = match self
            .filled
            .checked_sub(1)
            .and_then(|n| self.datagrams.get(n))
        {
            Some(last) => last.first + last.used,
            None => 0,
        };
        let parts = self.parts.get_mut(first..).unwrap_or_default();
        let (used, length) = gather(datagram, parts);
        if let Some(place) = self.datagrams.get_mut(self.filled) {
            *place = Queued {
                to: datagram.to,
                via: datagram.via,
                dscp: datagram.dscp,
                length,
                first,
                used,
            };
            self.filled += 1;
        }
    }

    /// How many datagrams from `at` on can be one message; 0 at the end.
    fn alike(&self, at: usize, connected: bool, segments: bool) -> usize {
        let waiting = self.datagrams.get(at..self.filled).unwrap_or_default();
        let Some((first, rest)) = waiting.split_first() else {
            return 0;
        };
        let mut count = 1;
        let mut total = first.length;
        if !segments || first.length == 0 {
            return count;
        }
        for next in rest {
            let same_way = (connected || next.to == first.to)
                && (next.via, next.dscp) == (first.via, first.dscp);
            let fits =
                (1..=first.length).contains(&next.length) && total + next.length <= LARGEST_MESSAGE;
            if !same_way || !fits {
                break;
            }
            count += 1;
            total += next.length;
            if next.length < first.length {
                break; // Only the last may be shorter.
            }
        }
        count
    }

    /// The message of `count` datagrams from `at` on; valid while `self` and `slot` stay where they
    /// are.
    fn message(
        &mut self,
        at: usize,
        count: usize,
        connected: bool,
        slot: &mut Slot,
    ) -> libc::msghdr {
        let run = self.datagrams.get(at..at + count).unwrap_or_default();
        let Some(first) = run.first() else {
            return EMPTY_HEADER.msg_hdr;
        };
        slot.set(first.to, first.via, first.dscp, connected);
        if let (2.., Ok(size)) = (count, u16::try_from(first.length)) {
            slot.control.set_segments(size);
        }
        let used: usize = run.iter().map(|datagram| datagram.used).sum();
        let from = first.first;
        let parts = self.parts.get_mut(from..from + used).unwrap_or_default();
        slot.header(parts)
    }
}

impl Queued {
    const EMPTY: Self = Self {
        to: SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0),
        via: None,
        dscp: 0,
        length: 0,
        first: 0,
        used: 0,
    };
}

const NO_PART: libc::iovec = libc::iovec {
    iov_base: std::ptr::null_mut(),
    iov_len: 0,
};

/// Puts the parts that are not empty into `parts`; tells how many there are and their bytes in all.
#[inline]
fn gather(datagram: &Datagram<'_>, parts: &mut [libc::iovec]) -> (usize, usize) {
    let (mut used, mut length) = (0, 0);
    let present = datagram.parts.iter().filter(|p| !p.is_empty());
    for (part, bytes) in parts.iter_mut().zip(present) {
        part.iov_base = bytes.as_ptr().cast_mut().cast();
        part.iov_len = bytes.len();
        used += 1;
        length += bytes.len();
    }
    (used, length)
}

/// What the kernel reads for one message, except the bytes.
struct Slot {
    name: libc::sockaddr_in,
    has_name: bool,
    control: Control,
}

impl Slot {
    const EMPTY: Self = Self {
        // SAFETY: numbers, for which zero is a value.
        name: unsafe { mem::zeroed() },
        has_name: false,
        control: Control::EMPTY,
    };

    #[inline]
    fn set(&mut self, to: SocketAddrV4, via: Option<Egress>, dscp: u8, connected: bool) {
        if !connected {
            self.name.sin_family = libc::AF_INET as libc::sa_family_t;
            self.name.sin_port = to.port().to_be();
            self.name.sin_addr = in_addr(*to.ip());
            self.has_name = true;
        }
        self.control.set(via, dscp);
    }

    /// Valid while `self` and `parts` stay where they are.
    #[inline]
    fn header(&mut self, parts: &mut [libc::iovec]) -> libc::msghdr {
        let mut header = EMPTY_HEADER.msg_hdr;
        if self.has_name {
            header.msg_name = (&raw mut self.name).cast();
            header.msg_namelen = size_of::<libc::sockaddr_in>() as libc::socklen_t;
        }
        header.msg_iov = parts.as_mut_ptr();
        header.msg_iovlen = parts.len() as _;
        let (control, length) = self.control.place();
        header.msg_control = control;
        header.msg_controllen = length as _;
        header
    }
}
