//! Segments, greetings and connections of shared memory, made by hand, so that everything in them
//! can be wrong.
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
use rustix::net::{
    AddressFamily, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketAddrUnix,
    SocketFlags, SocketType, accept, bind, connect, listen, recv, sendmsg, socket_with,
};
use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

/// What the layout of `docs/shared-memory.md` and `crates/shm/src/link.rs` says now.
const VERSION: u64 = 3;
const SLOTS: u64 = 256;
const LOANS: u64 = 32;
const WORD: usize = 8;
pub(crate) const CURSOR: usize = 8;
pub(crate) const PLACES: usize = 9;
pub(crate) const BOARD: usize = 32;
const RING: usize = 64;
const SLOT: usize = 32;
/// Bytes of a message in a slot.
const ROOM: usize = 248;
/// The domain.
pub(crate) const GROUP: u32 = 0;
/// Nothing takes longer, whatever else the machine does.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);
/// No packet comes with more descriptors.
const MOST: usize = 40;

/// Nobody, the owner included, can resize the file or write it.
pub(crate) const SEALS: SealFlags = SealFlags::SHRINK
    .union(SealFlags::GROW)
    .union(SealFlags::FUTURE_WRITE)
    .union(SealFlags::SEAL);

/// Numbers that are the same in each run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Below so much.
    pub(crate) fn below(&mut self, most: u64) -> u64 {
        self.next() % most
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next() as u8).collect()
    }
}

/// A segment before it is sealed.
#[derive(Clone)]
pub(crate) struct Segment(pub(crate) Vec<u64>);

impl Segment {
    /// A link as it should be: nothing is in its ring.
    pub(crate) fn link() -> Self {
        let mut words = vec![0; RING + SLOTS as usize * SLOT];
        words[0] = u64::from_le_bytes(*b"dunlink\0");
        words[1..4].copy_from_slice(&[VERSION, SLOTS, LOANS]);
        Self(pages(words))
    }

    /// A pool with four chunks of 4096 bytes, all of generation 1.
    pub(crate) fn pool(number: u64) -> Self {
        let mut words = vec![0; 64 + 4 * (8 + 512)];
        words[0] = u64::from_le_bytes(*b"dunpool\0");
        words[1..6].copy_from_slice(&[VERSION, number, 1, 4096, 4]);
        for chunk in 0..4 {
            words[64 + chunk * (8 + 512)] = 1;
        }
        Self(pages(words))
    }

    /// The same with some words from `at` on.
    pub(crate) fn with(mut self, at: usize, words: &[u64]) -> Self {
        self.0[at..at + words.len()].copy_from_slice(words);
        self
    }

    /// The same with some words in the slot at `position`.
    pub(crate) fn slot(self, position: usize, words: &[u64]) -> Self {
        self.with(RING + position * SLOT, words)
    }

    /// The same with a message from the slot at `position` on.
    pub(crate) fn message(mut self, position: usize, bytes: &[u8]) -> Self {
        for (nth, piece) in bytes.chunks(ROOM).enumerate() {
            let place = (position + nth) as u64;
            let header = match nth {
                0 => header(place, 1, bytes.len() as u64),
                _ => header(place, 3, 0),
            };
            let words = piece.chunks(WORD).map(|piece| {
                let mut word = [0; WORD];
                word[..piece.len()].copy_from_slice(piece);
                u64::from_le_bytes(word)
            });
            let words: Vec<u64> = std::iter::once(header).chain(words).collect();
            self = self.slot(position + nth, &words);
        }
        self
    }

    /// The same with messages one after the other from the first slot on.
    pub(crate) fn messages(self, messages: &[Vec<u8>]) -> Self {
        let put = |(link, position): (Self, usize), message: &Vec<u8>| {
            let next = position + message.len().div_ceil(ROOM);
            (link.message(position, message), next)
        };
        messages.iter().fold((self, 0), put).0
    }

    pub(crate) fn len(&self) -> u64 {
        (self.0.len() * WORD) as u64
    }

    /// All of it in memory, and sealed so.
    pub(crate) fn file(&self, seals: SealFlags) -> OwnedFd {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let file = std::fs::File::from(memfd_create("intruder", flags).expect("a memory file"));
        let bytes: Vec<u8> = self.0.iter().flat_map(|word| word.to_le_bytes()).collect();
        file.write_all_at(&bytes, 0).expect("memory");
        fcntl_add_seals(&file, seals).expect("seals");
        file.into()
    }
}

fn pages(mut words: Vec<u64>) -> Vec<u64> {
    words.resize(words.len().next_multiple_of(4096 / WORD), 0);
    words
}

/// The header of a slot: 1 is a message, 2 one with a chunk, 3 what belongs to the one before.
pub(crate) fn header(position: u64, kind: u64, length: u64) -> u64 {
    (position + 1) << 32 | kind << 24 | length
}

/// Which chunk: its generation, its pool, its index.
pub(crate) fn token(generation: u64, pool: u64, index: u64) -> u64 {
    generation << 32 | pool << 24 | index
}

/// Twelve bytes that say who it is, and four that say which port of it.
pub(crate) type Identity = [u8; 16];

/// The first packet of a conversation.
pub(crate) fn hello(identity: Identity, sizes: &[u64]) -> Vec<u8> {
    let mut bytes = b"dunlshm\n".to_vec();
    bytes.extend((VERSION as u32).to_le_bytes());
    bytes.extend(GROUP.to_le_bytes());
    bytes.extend(identity);
    bytes.extend(sizes.iter().flat_map(|size| size.to_le_bytes()));
    bytes
}

fn beginning() -> String {
    let user = rustix::process::geteuid().as_raw();
    format!("dunlin-shm-1.{user}.{GROUP:08x}.")
}

/// Everybody who listens in this namespace.
pub(crate) fn listening() -> Vec<Identity> {
    let table = std::fs::read_to_string("/proc/net/unix").expect("the kernel's list");
    let beginning = beginning();
    let names = table.lines().filter_map(|line| {
        let name = line.rsplit(' ').next()?.strip_prefix('@')?;
        let number = u128::from_str_radix(name.strip_prefix(&beginning)?, 16).ok()?;
        Some(number.to_be_bytes())
    });
    let mut found: Vec<Identity> = names.collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn name(of: &Identity) -> SocketAddrUnix {
    let name = format!("{}{:032x}", beginning(), u128::from_be_bytes(*of));
    SocketAddrUnix::new_abstract_name(name.as_bytes()).expect("a short name")
}

fn socket() -> OwnedFd {
    let flags = SocketFlags::CLOEXEC;
    socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None).expect("a socket")
}

/// Where somebody listens whose answers are wrong.
pub(crate) struct Listener(OwnedFd);

impl Listener {
    pub(crate) fn at(port: &Identity) -> Self {
        let socket = socket();
        bind(&socket, &name(port)).expect("a name that nobody has");
        listen(&socket, 16).expect("a socket that listens");
        Self(socket)
    }

    /// Waits for a call.
    pub(crate) fn accept(&self) -> Line {
        let until = Instant::now() + PATIENCE;
        assert!(await_input(&self.0, until), "nobody calls");
        Line(accept(&self.0).expect("a call"))
    }
}

/// A socket that is connected with one of the victim's ports.
pub(crate) struct Line(pub(crate) OwnedFd);

impl Line {
    /// Waits if many others are in the queue.
    pub(crate) fn to(port: &Identity) -> Self {
        let socket = socket();
        connect(&socket, &name(port)).expect("the victim listens");
        Self(socket)
    }

    /// The victim may have closed its end: then nobody hears it.
    pub(crate) fn say(&self, bytes: &[u8], fds: &[BorrowedFd<'_>]) {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if !fds.is_empty() {
            assert!(control.push(SendAncillaryMessage::ScmRights(fds)));
        }
        let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
        let _ = sendmsg(&self.0, &[IoSlice::new(bytes)], &mut control, flags);
    }

    /// Greets with these segments, well sealed.
    pub(crate) fn greet(&self, identity: Identity, segments: &[Segment]) {
        let files: Vec<OwnedFd> = segments.iter().map(|of| of.file(SEALS)).collect();
        let fds: Vec<_> = files.iter().map(AsFd::as_fd).collect();
        let sizes: Vec<u64> = segments.iter().map(Segment::len).collect();
        self.say(&hello(identity, &sizes), &fds);
    }

    /// Waits for the victim's answer, whose descriptors are closed at once.
    pub(crate) fn hear(&self) -> bool {
        await_input(&self.0, Instant::now() + PATIENCE)
            && recv(&self.0, &mut [0; 4096], RecvFlags::DONTWAIT).is_ok_and(|(_, count)| count > 0)
    }

    /// Whether the victim closes its end.
    pub(crate) fn is_dropped(&self) -> bool {
        let until = Instant::now() + PATIENCE;
        while await_input(&self.0, until) {
            match recv(&self.0, &mut [0; 4096], RecvFlags::DONTWAIT) {
                Ok((_, 0)) | Err(rustix::io::Errno::CONNRESET | rustix::io::Errno::PIPE) => {
                    return true;
                }
                _ => {}
            }
        }
        false
    }
}

fn await_input(socket: &OwnedFd, until: Instant) -> bool {
    let left = until.saturating_duration_since(Instant::now());
    let limit = Timespec::try_from(left).expect("a short time");
    let mut fds = [PollFd::new(socket, PollFlags::IN)];
    poll(&mut fds, Some(&limit)).is_ok_and(|count| count > 0)
}
