//! Waiting for several sockets, for a limited time, or for another thread's call.
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::time::Duration;

use rustix::event::{EventfdFlags, eventfd};

use crate::Socket;

/// Sockets that one call of [`poll_readable`] can watch.
const MOST: usize = 17;

/// Something that another thread can set to end a wait.
#[derive(Debug)]
pub struct Event(OwnedFd);

impl Event {
    /// An event that is not set.
    pub fn new() -> io::Result<Self> {
        Ok(Self(eventfd(
            0,
            EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK,
        )?))
    }

    /// Ends the wait under way, or else the next one.
    pub fn set(&self) {
        // It fails only if the event is set 2^64 times over, in which case it is set.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }

    /// Takes back all that was set so far.
    pub fn clear(&self) {
        // It fails only if the event is not set.
        let _ = rustix::io::read(&self.0, &mut [0_u8; 8]);
    }
}

impl AsFd for Event {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// What [`poll_readable`] found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ready {
    sockets: u32,
    /// The event is set.
    pub event: bool,
}

impl Ready {
    /// True if the socket with this place in the list has a datagram or an error to receive.
    pub fn socket(&self, place: usize) -> bool {
        u32::try_from(place)
            .ok()
            .and_then(|shift| self.sockets.checked_shr(shift))
            .is_some_and(|bits| bits & 1 != 0)
    }
}

/// Waits until one of up to 17 sockets has a datagram, the event is set, or `timeout` has passed
/// (`None`: for ever).
///
/// One `ppoll`. An empty answer means that time is up or that a signal came.
pub fn poll_readable<'s>(
    sockets: impl IntoIterator<Item = BorrowedFd<'s>>,
    event: Option<&Event>,
    timeout: Option<Duration>,
) -> io::Result<Ready> {
    let mut fds = [libc::pollfd {
        fd: -1,
        events: libc::POLLIN,
        revents: 0,
    }; MOST + 1];
    let mut watched = 0;
    for (entry, socket) in fds.iter_mut().take(MOST).zip(sockets) {
        entry.fd = socket.as_raw_fd();
        watched += 1;
    }
    // The event stands behind the sockets; without one, the entry there is of no file and says
    // nothing.
    if let (Some(event), Some(last)) = (event, fds.get_mut(watched)) {
        last.fd = event.0.as_raw_fd();
    }
    ppoll(fds.get_mut(..=watched).unwrap_or_default(), timeout)?;
    let mut said = fds.iter().map(|entry| entry.revents != 0);
    let sockets = said.by_ref().take(watched).enumerate();
    Ok(Ready {
        sockets: sockets.fold(0, |set, (place, said)| set | u32::from(said) << place),
        event: said.next().unwrap_or(false),
    })
}

/// True if the socket takes a datagram before `timeout` is over.
pub(crate) fn wait_writable(socket: &Socket, timeout: Duration) -> bool {
    let fd: RawFd = socket.as_raw_fd();
    let mut fds = [libc::pollfd {
        fd,
        events: libc::POLLOUT,
        revents: 0,
    }];
    ppoll(&mut fds, Some(timeout)).is_ok_and(|ready| ready > 0)
}

/// The number of entries with something to say; a signal counts as nothing.
fn ppoll(fds: &mut [libc::pollfd], timeout: Option<Duration>) -> io::Result<usize> {
    let limit = timeout.map(|t| libc::timespec {
        tv_sec: libc::time_t::try_from(t.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: t.subsec_nanos() as _,
    });
    let limit = limit.as_ref().map_or(std::ptr::null(), |l| l as *const _);
    // SAFETY: the entries are borrowed for the call with their number; the time limit is null or
    // lives in this frame.
    let ready = unsafe {
        libc::ppoll(
            fds.as_mut_ptr(),
            fds.len() as libc::nfds_t,
            limit,
            std::ptr::null(),
        )
    };
    match usize::try_from(ready) {
        Ok(ready) => Ok(ready),
        Err(_) => match io::Error::last_os_error() {
            error if error.kind() == io::ErrorKind::Interrupted => Ok(0),
            error => Err(error),
        },
    }
}
