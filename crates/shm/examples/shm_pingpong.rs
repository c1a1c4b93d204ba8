//! One way between two processes pinned to cores 0 and 1, copy in and copy out, beside the floor:
//! two bare slots in shared memory.
//!
//! `cargo run --release -p dunlin-shm --example shm_pingpong` prints microseconds. The floor is
//! what the machine allows: the sender copies into one slot and counts up one word, the receiver
//! spins on it and copies out.
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use dunlin_shm::{
    BEST_INLINE, Class, Connection, Event, Identity, Incoming, Limits, LinkSize, Pool, Rendezvous,
};
use rustix::mm::{MapFlags, ProtFlags, mmap};
use rustix::process::{Signal, set_parent_process_death_signal};
use rustix::thread::{CpuSet, sched_setaffinity};

const PARENT: Identity = [1; 16];
const SIZES: [usize; 6] = [32, 1024, 4096, 16_384, 63_000, 1 << 20];
const SLOT: usize = 2 << 20;

fn main() {
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next()) {
        (Some("child"), Some(group)) => echo(group.parse().expect("a group")),
        _ => ping(),
    }
}

fn rounds(size: usize) -> usize {
    (1 << 29) / (size + 20_000)
}

fn pin(core: usize) {
    let mut set = CpuSet::new();
    set.set(core);
    if let Err(error) = sched_setaffinity(None, &set) {
        eprintln!("not pinned to core {core}: {error}");
    }
}

/// Both directions on one connection.
fn limits() -> Limits {
    Limits {
        accepted: LinkSize::default(),
        ..Limits::default()
    }
}

fn pool() -> Pool {
    let class = Class {
        capacity: 1 << 20,
        count: 4,
    };
    Pool::new(0, &[class]).expect("memory")
}

fn ping() {
    pin(0);
    let floor = Floor::new(None);
    let group = std::process::id();
    let pool = pool();
    let mut rendezvous = Rendezvous::new(group, PARENT, limits()).expect("a socket");
    rendezvous.add_pool(pool.clone()).expect("room");
    let program = std::env::current_exe().expect("this program");
    let fd = floor.name();
    let mut child: Child = Command::new(program)
        .args(["child", &group.to_string(), &fd])
        .spawn()
        .expect("a process");
    let mut ends = Ends::new(next(&mut rendezvous), pool);
    println!(
        "{:>10} {:>12} {:>9} {:>9} {:>9}",
        "bytes", "way", "p50 us", "p99 us", "rounds"
    );
    for size in SIZES {
        let count = rounds(size);
        report(size, "bare slots", count, || floor.ping(size));
        report(
            size,
            if size <= BEST_INLINE {
                "ring"
            } else {
                "ring + chunk"
            },
            count,
            || ends.ping(size),
        );
        if size > BEST_INLINE {
            report(size, "chunk, held", count, || ends.ping_held(size));
        }
    }
    drop(ends);
    child.wait().expect("a child");
}

/// Half of each round trip, over half a warm-up.
fn report(size: usize, way: &str, rounds: usize, mut once: impl FnMut()) {
    let mut times = Vec::with_capacity(rounds);
    for _ in 0..rounds / 10 {
        once();
    }
    for _ in 0..rounds {
        let start = Instant::now();
        once();
        times.push(start.elapsed() / 2);
    }
    times.sort_unstable();
    let micros = |part: usize| times[rounds * part / 100].as_nanos() as f64 / 1000.0;
    println!(
        "{size:>10} {way:>12} {:>9.3} {:>9.3} {rounds:>9}",
        micros(50),
        micros(99)
    );
}

fn echo(group: u32) {
    pin(1);
    // A parent that fails takes this process with it.
    set_parent_process_death_signal(Some(Signal::KILL)).expect("a signal");
    let floor = Floor::new(std::env::args().nth(3));
    let mut identity = [2; 16];
    identity[..4].copy_from_slice(&std::process::id().to_le_bytes());
    let pool = pool();
    let mut rendezvous = Rendezvous::new(group, identity, limits()).expect("a socket");
    rendezvous.add_pool(pool.clone()).expect("room");
    rendezvous.dial(PARENT, Instant::now()).expect("a parent");
    let mut ends = Ends::new(next(&mut rendezvous), pool);
    for size in SIZES {
        let all = |rounds: usize| rounds + rounds / 10;
        (0..all(rounds(size))).for_each(|_| floor.pong(size));
        (0..all(rounds(size))).for_each(|_| ends.pong());
        if size > BEST_INLINE {
            (0..all(rounds(size))).for_each(|_| ends.pong_held());
        }
    }
}

fn next(rendezvous: &mut Rendezvous) -> Connection {
    let end = Instant::now() + Duration::from_secs(10);
    while Instant::now() < end {
        if let Some(event) = rendezvous.poll(Instant::now()).into_iter().next() {
            match event {
                Event::Joined(connection) => return *connection,
                Event::Failed(_, error) => panic!("{error}"),
            }
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("nobody came");
}

/// Both directions through the crate.
struct Ends {
    connection: Connection,
    pool: Pool,
    data: Vec<u8>,
    buffer: Vec<u8>,
}

impl Ends {
    fn new(connection: Connection, pool: Pool) -> Self {
        Self {
            connection,
            pool,
            data: vec![7; SLOT],
            buffer: vec![0; SLOT],
        }
    }

    fn ping(&mut self, size: usize) {
        self.send(size);
        assert_eq!(self.receive(), size);
    }

    fn pong(&mut self) {
        let size = self.receive();
        self.send(size);
    }

    /// Without a copy: the chunk is filled already, and only held by the reader.
    fn ping_held(&mut self, size: usize) {
        self.send_chunk(size, false);
        self.hold();
    }

    fn pong_held(&mut self) {
        let size = self.hold();
        self.send_chunk(size, false);
    }

    fn send(&mut self, size: usize) {
        if size > BEST_INLINE {
            return self.send_chunk(size, true);
        }
        self.connection
            .sender
            .try_send(&[&self.data[..size]])
            .expect("room");
        self.connection.sender.notify();
    }

    fn send_chunk(&mut self, size: usize, copy: bool) {
        let mut chunk = self.pool.allocate(size).expect("a free chunk");
        if copy {
            chunk.write(0, &self.data[..size]).expect("room");
        }
        self.connection
            .sender
            .try_send_chunk(&chunk.publish())
            .expect("room");
        self.connection.sender.notify();
        // While the message is on its way: nobody waits for this.
        self.connection.sender.reclaim().expect("honest");
    }

    fn receive(&mut self) -> usize {
        loop {
            match self
                .connection
                .receiver
                .try_recv(&mut self.buffer)
                .expect("honest")
            {
                Some(Incoming::Message(length)) => return length,
                Some(Incoming::Attached { .. }) => {
                    return self
                        .connection
                        .receiver
                        .copy_chunk(&mut self.buffer)
                        .expect("honest");
                }
                Some(Incoming::Withdrawal) => unreachable!("no pool is withdrawn"),
                None => std::hint::spin_loop(),
            }
        }
    }

    fn hold(&mut self) -> usize {
        while self
            .connection
            .receiver
            .try_recv(&mut self.buffer)
            .expect("honest")
            .is_none()
        {
            std::hint::spin_loop();
        }
        self.connection.receiver.hold_chunk().expect("room").len()
    }
}

/// Two slots, each a word and bytes, one for each direction.
struct Floor {
    base: *mut u8,
    file: std::os::fd::OwnedFd,
    data: Vec<u8>,
    buffer: std::cell::RefCell<Vec<u8>>,
}

impl Floor {
    fn new(name: Option<String>) -> Self {
        use rustix::fs::{MemfdFlags, Mode, OFlags, ftruncate, memfd_create, open};
        let file = match name {
            Some(name) => open(name, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())
                .expect("the parent's file"),
            None => memfd_create("floor", MemfdFlags::CLOEXEC).expect("a file"),
        };
        ftruncate(&file, 2 * SLOT as u64).expect("room");
        let (protection, flags) = (
            ProtFlags::READ | ProtFlags::WRITE,
            MapFlags::SHARED | MapFlags::POPULATE,
        );
        // SAFETY: a new mapping, which replaces nothing.
        let base = unsafe { mmap(std::ptr::null_mut(), 2 * SLOT, protection, flags, &file, 0) }
            .expect("a mapping");
        Self {
            base: base.cast(),
            file,
            data: vec![7; SLOT],
            buffer: vec![0; SLOT].into(),
        }
    }

    fn name(&self) -> String {
        use std::os::fd::AsRawFd;
        format!("/proc/{}/fd/{}", std::process::id(), self.file.as_raw_fd())
    }

    fn word(&self, slot: usize) -> &AtomicU64 {
        // SAFETY: inside the mapping, aligned, and only used as an atomic.
        unsafe { AtomicU64::from_ptr(self.base.add(slot * SLOT).cast()) }
    }

    fn send(&self, slot: usize, size: usize) {
        // SAFETY: the slot has room for a word and 1 MiB, and the other process does not touch it
        // before the word changes.
        unsafe {
            std::ptr::copy_nonoverlapping(self.data.as_ptr(), self.base.add(slot * SLOT + 8), size)
        };
        let word = self.word(slot);
        word.store(word.load(Ordering::Relaxed) + 1, Ordering::Release);
    }

    fn receive(&self, slot: usize, size: usize, before: u64) {
        while self.word(slot).load(Ordering::Acquire) == before {
            std::hint::spin_loop();
        }
        // SAFETY: as above; the other process waits for our answer.
        unsafe {
            std::ptr::copy_nonoverlapping(
                self.base.add(slot * SLOT + 8),
                self.buffer.borrow_mut().as_mut_ptr(),
                size,
            )
        };
    }

    fn ping(&self, size: usize) {
        let before = self.word(1).load(Ordering::Relaxed);
        self.send(0, size);
        self.receive(1, size, before);
    }

    fn pong(&self, size: usize) {
        let answered = self.word(1).load(Ordering::Relaxed);
        self.receive(0, size, answered);
        self.send(1, size);
    }
}
