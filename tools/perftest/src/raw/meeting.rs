//! How the two sides of a raw run over shared memory find each other: sockets without a file, named
//! after domain, side and id.
//!
//! Publishers wait, subscribers call. Each says in one packet what its segment is like, and sends
//! the segment along.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};

use dunlin_shm::Segment;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg, sockopt,
};

use super::gathering::Meet;
use super::pair::{End, Pair, Shape};
use crate::options::{Options, Role};

const MAGIC: u32 = u32::from_le_bytes(*b"dlr1");

/// Bytes of a hello.
const HELLO: usize = 24;

/// Callers that have not said anything yet.
const CALLERS: usize = 16;

/// Where we are found, and who is being talked to.
pub(super) struct Meeting {
    domain: u32,
    id: u32,
    publisher: bool,
    /// Ids of the other side.
    partners: u32,
    end: End,
    copies: bool,
    /// Only holds the name if we are a subscriber.
    listener: UnixListener,
    waiting: Vec<WaitStrategy>,
}

/// A connection on which the other side has not answered.
struct WaitStrategy {
    line: UnixStream,
    segment: Segment,
    /// Whom we have called; callers tell by themselves.
    called: Option<u32>,
}

impl Meeting {
    /// Takes the name of this side.
    pub(super) fn open(options: &Options, end: End) -> Result<Self, String> {
        let (id, publisher, partners) = match &options.role {
            Role::Publisher(publisher) => (publisher.id, true, publisher.subscribers),
            Role::Subscriber(subscriber) => (subscriber.id, false, subscriber.publishers),
        };
        let address = name(options.domain, publisher, id);
        let listener = address
            .and_then(|address| UnixListener::bind_addr(&address))
            .and_then(|listener| listener.set_nonblocking(true).map(|()| listener))
            .map_err(|error| {
                format!(
                    "raw shared memory in domain {}: {} {id} cannot be here: {error}",
                    options.domain,
                    side(publisher)
                )
            })?;
        Ok(Self {
            domain: options.domain,
            id,
            publisher,
            partners,
            end,
            copies: !options.zero_copy,
            listener,
            waiting: Vec::new(),
        })
    }

    fn accept(&mut self) {
        while self.waiting.len() < CALLERS
            && let Ok((line, _)) = self.listener.accept()
        {
            self.greet(line, None);
        }
    }

    fn call(&mut self, present: &[u32]) {
        for id in 0..self.partners {
            let called = self.waiting.iter().any(|one| one.called == Some(id));
            if called || present.contains(&id) {
                continue;
            }
            let line = name(self.domain, true, id).and_then(|to| UnixStream::connect_addr(&to));
            if let Ok(line) = line {
                self.greet(line, Some(id));
            }
        }
    }

    /// Sends our segment to somebody of our own user.
    fn greet(&mut self, line: UnixStream, called: Option<u32>) {
        let own = sockopt::socket_peercred(&line).is_ok_and(|peer| peer.uid == user());
        let bytes = self.end.shape.bytes().unwrap_or_default();
        if !own || line.set_nonblocking(true).is_err() {
            return;
        }
        // What fails here is tried again with the next call.
        if let Ok(segment) = Segment::new(bytes)
            && say(&line, self.id, self.end, &segment).is_ok()
        {
            self.waiting.push(WaitStrategy {
                line,
                segment,
                called,
            });
        }
    }

    fn join(&self, waiting: WaitStrategy, id: u32, end: End, fd: &OwnedFd) -> Option<Pair> {
        let expected = waiting
            .called
            .map_or(id < self.partners, |called| called == id);
        let own = (&waiting.segment, self.end);
        // Nonsense is somebody else's; whoever is ours calls again.
        expected
            .then(|| Pair::new(own, (fd, end), self.copies, waiting.line, id).ok())
            .flatten()
    }
}

impl Meet for Meeting {
    type Way = Pair;

    fn poll(&mut self, present: &[u32]) -> Vec<Pair> {
        if self.publisher {
            self.accept();
        } else {
            self.call(present);
        }
        let mut came = Vec::new();
        for waiting in std::mem::take(&mut self.waiting) {
            match hear(&waiting.line) {
                Ok(Some((id, end, fd))) => came.extend(self.join(waiting, id, end, &fd)),
                Ok(None) if self.waiting.len() < CALLERS => self.waiting.push(waiting),
                // Gone again, or none of ours: it may call anew.
                Ok(None) | Err(_) => {}
            }
        }
        came
    }

    fn describe(&self, present: usize) -> String {
        format!(
            "Raw shared memory: {} {} in domain {} has met {present} of {} {}(s) of this user on this host; the other side needs the same -domain and its own id.",
            side(self.publisher),
            self.id,
            self.domain,
            self.partners,
            side(!self.publisher)
        )
    }
}

fn side(publisher: bool) -> &'static str {
    if publisher { "publisher" } else { "subscriber" }
}

fn user() -> rustix::process::Uid {
    rustix::process::getuid()
}

fn name(domain: u32, publisher: bool, id: u32) -> io::Result<SocketAddr> {
    let user = user().as_raw();
    let name = format!(
        "dunlin-perftest-raw/{user}/{domain}/{}/{id}",
        side(publisher)
    );
    SocketAddr::from_abstract_name(name)
}

fn say(line: &UnixStream, id: u32, end: End, segment: &Segment) -> rustix::io::Result<()> {
    let words = [
        MAGIC,
        id,
        end.shape.slots,
        end.shape.chunks,
        end.shape.capacity,
        end.sleeps.into(),
    ];
    let mut hello = [0; HELLO];
    for (place, word) in hello.chunks_exact_mut(4).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut along = SendAncillaryBuffer::new(&mut space);
    let fds = [segment.as_fd()];
    along.push(SendAncillaryMessage::ScmRights(&fds));
    let parts = [io::IoSlice::new(&hello)];
    let sent = sendmsg(
        line,
        &parts,
        &mut along,
        SendFlags::DONTWAIT | SendFlags::NOSIGNAL,
    )?;
    if sent == HELLO {
        Ok(())
    } else {
        Err(rustix::io::Errno::IO)
    }
}

/// What the other side has said, if it has.
fn hear(line: &UnixStream) -> Result<Option<(u32, End, OwnedFd)>, ()> {
    let mut hello = [0; HELLO];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut along = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
    let received = recvmsg(
        line,
        &mut [io::IoSliceMut::new(&mut hello)],
        &mut along,
        flags,
    );
    let fd = along.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut fds) => fds.next(),
        _ => None,
    });
    match received {
        Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => return Ok(None),
        Ok(message) if message.bytes == HELLO => {}
        _ => return Err(()),
    }
    let mut words = hello
        .chunks_exact(4)
        .filter_map(|word| word.try_into().ok());
    let mut word = || words.next().map(u32::from_le_bytes).ok_or(());
    if word()? != MAGIC {
        return Err(());
    }
    let id = word()?;
    let shape = Shape {
        slots: word()?,
        chunks: word()?,
        capacity: word()?,
    };
    let sleeps = word()? != 0;
    Ok(Some((id, End { shape, sleeps }, fd.ok_or(())?)))
}
