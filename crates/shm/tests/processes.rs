//! Processes that are killed at any moment: nothing torn, nobody stuck, nothing left behind.
//!
//! `DUNLIN_SHM_KILLS=1000 cargo test --release -p dunlin-shm --test processes -- --nocapture` for the long run.
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use dunlin_shm::{
    Class, Connection, Control, Doorbell, Error, Event, Identity, Incoming, Limits, Pool,
    Rendezvous, SendError, Woken, neighbours,
};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::time::Timespec;

/// This process's part, if it is a child.
const ROLE: &str = "DUNLIN_SHM_ROLE";
const GROUP: &str = "DUNLIN_SHM_GROUP";

const PARENT: Identity = [1; 16];
const CLASSES: [Class; 2] = [
    Class {
        capacity: 64 << 10,
        count: 16,
    },
    Class {
        capacity: 1 << 20,
        count: 4,
    },
];
const LONGEST: usize = 1 << 20;

fn kills() -> usize {
    std::env::var("DUNLIN_SHM_KILLS").map_or(100, |count| count.parse().expect("a number"))
}

/// Numbers that differ from run to run.
struct Chance(u64);

impl Chance {
    fn new() -> Self {
        let now = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .expect("after 1970");
        Self((now.as_nanos() as u64 ^ u64::from(std::process::id()) << 40) | 1)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % limit
    }
}

/// Messages that say what they must contain: a number, then bytes that follow from it.
struct Pattern(Vec<u8>);

impl Pattern {
    fn new() -> Self {
        Self((0..LONGEST + 256).map(|i| (i % 256) as u8).collect())
    }

    fn body(&self, number: u64, length: usize) -> &[u8] {
        let start = (number % 251) as usize;
        &self.0[start..start + length]
    }

    /// Checks a message, returns its number.
    fn check(&self, message: &[u8]) -> u64 {
        let (number, body) = message.split_first_chunk().expect("a number");
        let number = u64::from_le_bytes(*number);
        assert!(
            body == self.body(number, body.len()),
            "torn: message {number}, {} bytes",
            message.len()
        );
        number
    }
}

/// In a child, plays its role and never returns.
#[test]
fn role() {
    match std::env::var(ROLE).as_deref() {
        Ok("writer") => write_for_ever(),
        Ok("reader") => read_for_ever(),
        _ => {}
    }
}

fn child(role: &str, group: u32) -> Child {
    Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "role", "--test-threads=1"])
        .env(ROLE, role)
        .env(GROUP, group.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a process")
}

/// Connects a child to its parent.
fn to_parent(pools: &[Pool]) -> Connection {
    let group = std::env::var(GROUP)
        .ok()
        .and_then(|group| group.parse().ok())
        .expect("a group");
    let mut identity = [2; 16];
    identity[..4].copy_from_slice(&std::process::id().to_le_bytes());
    let mut rendezvous = Rendezvous::new(group, identity, Limits::default()).expect("a socket");
    pools
        .iter()
        .for_each(|pool| rendezvous.add_pool(pool.clone()).expect("room"));
    rendezvous.dial(PARENT, Instant::now()).expect("a parent");
    next(&mut rendezvous)
}

fn next(rendezvous: &mut Rendezvous) -> Connection {
    let end = Instant::now() + Duration::from_secs(20);
    while Instant::now() < end {
        let limit = Timespec {
            tv_sec: 0,
            tv_nsec: 50_000_000,
        };
        let mut sockets: Vec<_> = rendezvous.sockets().collect::<Vec<_>>();
        let mut sockets: Vec<_> = sockets
            .drain(..)
            .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN))
            .collect();
        poll(&mut sockets, Some(&limit)).expect("a poll");
        drop(sockets);
        for event in rendezvous.poll(Instant::now()) {
            match event {
                Event::Joined(connection) => return *connection,
                // The one before was killed while it was calling.
                Event::Failed(..) => {}
            }
        }
    }
    panic!("nobody came");
}

fn write_for_ever() {
    let pools = [Pool::new(0, &CLASSES).expect("memory")];
    let mut connection = to_parent(&pools);
    let (pattern, mut chance) = (Pattern::new(), Chance::new());
    for number in 0.. {
        send(&mut connection, &pools[0], number, &pattern, &mut chance);
    }
}

fn send(
    connection: &mut Connection,
    pool: &Pool,
    number: u64,
    pattern: &Pattern,
    chance: &mut Chance,
) {
    let large = chance.below(8) == 0;
    let length = chance.below(if large { LONGEST - 8 } else { 8000 });
    let body = pattern.body(number, length);
    loop {
        let sent = if large {
            let Ok(mut chunk) = pool.allocate(8 + length) else {
                connection.sender.reclaim().expect("an honest reader");
                match connection.line.control() {
                    Ok(Some(Control::End)) | Err(_) => return,
                    _ => {}
                }
                std::thread::yield_now();
                continue;
            };
            chunk.bytes_mut()[..8].copy_from_slice(&number.to_le_bytes());
            chunk.bytes_mut()[8..].copy_from_slice(body);
            connection.sender.try_send_chunk(&chunk.publish())
        } else {
            connection.sender.try_send(&[&number.to_le_bytes(), body])
        };
        connection.sender.notify();
        match sent {
            Ok(()) => return,
            Err(SendError::Full) => match connection.line.control() {
                Ok(Some(Control::End)) | Err(_) => return,
                _ => std::thread::yield_now(),
            },
            Err(error) => panic!("{error}"),
        }
    }
}

/// A reader that sleeps, and keeps some of what it gets for a while.
fn read_for_ever() {
    let mut connection = to_parent(&[]);
    let (pattern, mut buffer) = (Pattern::new(), vec![0; LONGEST]);
    let mut doorbell = Doorbell::new().expect("an eventfd");
    let mut loans = std::collections::VecDeque::new();
    loop {
        let _ = doorbell
            .wait(&mut [&mut connection.receiver], Duration::from_secs(1))
            .expect("a futex");
        while let Some(incoming) = connection
            .receiver
            .try_recv(&mut buffer)
            .expect("an honest writer")
        {
            match incoming {
                Incoming::Message(length) => _ = pattern.check(&buffer[..length]),
                Incoming::Chunk(_) => {
                    loans.push_back(connection.receiver.hold_chunk().expect("room"))
                }
            }
            while loans.len() > 3 {
                let loan = loans.pop_front().expect("several");
                loan.read(0, &mut buffer[..loan.len()]).expect("it is ours");
                pattern.check(&buffer[..loan.len()]);
            }
        }
    }
}

/// What this process has open and mapped, of what the crate makes.
fn traces() -> (usize, usize) {
    let fds = std::fs::read_dir("/proc/self/fd").expect("proc").count();
    let maps = std::fs::read_to_string("/proc/self/maps").expect("proc");
    (fds, maps.matches("memfd:dunlin").count())
}

/// One test for both: they count descriptors of this process.
#[test]
fn killed_writers_and_readers_leave_nothing_behind() {
    if std::env::var(ROLE).is_ok() {
        return;
    }
    let before = traces();
    kill_writers(kills());
    kill_readers(kills());
    assert_eq!(traces(), before, "descriptors and maps");
}

fn kill_writers(kills: usize) {
    let group = std::process::id() << 8 | 1;
    let mut rendezvous = Rendezvous::new(group, PARENT, Limits::default()).expect("a socket");
    let (pattern, mut chance) = (Pattern::new(), Chance::new());
    let (mut good, mut slowest, mut to_first) = (0, Duration::ZERO, Duration::ZERO);
    let mut buffer = vec![0; LONGEST];
    let mut doorbell = Doorbell::new().expect("an eventfd");
    for _ in 0..kills {
        let started = Instant::now();
        let mut writer = child("writer", group);
        let mut connection = next(&mut rendezvous);
        let end = Instant::now() + Duration::from_micros(500 + chance.below(14_500) as u64);
        let (mut expected, mut killed) = (0, None);
        loop {
            let got = take(&mut connection, &mut buffer, &pattern);
            if let Some(number) = got {
                if number == 0 {
                    to_first = to_first.max(started.elapsed());
                }
                assert_eq!(number, expected, "lost or twice");
                expected += 1;
                good += 1;
            }
            let now = Instant::now();
            if killed.is_none() && now >= end {
                writer.kill().expect("a child");
                killed = Some(now);
            }
            if let Some(killed) = killed
                && got.is_none()
            {
                if is_over(&connection) {
                    slowest = slowest.max(killed.elapsed());
                    break;
                }
                assert!(
                    killed.elapsed() < Duration::from_secs(10),
                    "its death is not seen"
                );
            } else if got.is_none() {
                let woken =
                    doorbell.wait(&mut [&mut connection.receiver], Duration::from_millis(1));
                assert_ne!(woken.expect("a futex"), Woken::Waker);
            }
        }
        // What it had published before it died is still there, and whole.
        while let Some(number) = take(&mut connection, &mut buffer, &pattern) {
            assert_eq!(number, expected, "lost or twice");
            expected += 1;
            good += 1;
        }
        writer.wait().expect("a child");
    }
    assert_eq!(neighbours(group).expect("proc"), [PARENT]);
    println!(
        "FIGURE writers killed {kills}: messages {good}, torn 0, death seen within {} us, start to first message {} ms",
        slowest.as_micros(),
        to_first.as_millis()
    );
}

/// The number of the next message, if there is one.
fn take(connection: &mut Connection, buffer: &mut [u8], pattern: &Pattern) -> Option<u64> {
    let length = match connection
        .receiver
        .try_recv(buffer)
        .expect("an honest writer")?
    {
        Incoming::Message(length) => length,
        Incoming::Chunk(_) => connection
            .receiver
            .copy_chunk(buffer)
            .expect("an honest writer"),
    };
    Some(pattern.check(&buffer[..length]))
}

fn is_over(connection: &Connection) -> bool {
    let mut socket = [PollFd::new(&connection.line, PollFlags::IN)];
    let limit = Timespec {
        tv_sec: 0,
        tv_nsec: 1_000_000,
    };
    let ready = poll(&mut socket, Some(&limit)).expect("a poll");
    ready > 0
        && matches!(
            connection.line.control(),
            Ok(Some(Control::End)) | Err(Error::Gone)
        )
}

fn kill_readers(kills: usize) {
    let group = std::process::id() << 8 | 2;
    let pool = Pool::new(0, &CLASSES).expect("memory");
    let mut rendezvous = Rendezvous::new(group, PARENT, Limits::default()).expect("a socket");
    rendezvous.add_pool(pool.clone()).expect("room");
    let (pattern, mut chance) = (Pattern::new(), Chance::new());
    let (mut sent, mut slowest) = (0_u64, Duration::ZERO);
    for _ in 0..kills {
        let mut reader = child("reader", group);
        let mut connection = next(&mut rendezvous);
        let end = Instant::now() + Duration::from_micros(500 + chance.below(14_500) as u64);
        while Instant::now() < end {
            send(&mut connection, &pool, sent, &pattern, &mut chance);
            sent += 1;
        }
        let alive = reader.try_wait().expect("a child").is_none();
        assert!(alive, "the reader has found something wrong");
        reader.kill().expect("a child");
        let killed = Instant::now();
        while !is_over(&connection) {
            assert!(
                killed.elapsed() < Duration::from_secs(10),
                "its death is not seen"
            );
        }
        slowest = slowest.max(killed.elapsed());
        drop(connection);
        assert_eq!(pool.free(), 20, "what the dead reader held is free");
        reader.wait().expect("a child");
    }
    println!(
        "FIGURE readers killed {kills}: messages {sent}, chunks lost 0, death seen within {} us",
        slowest.as_micros()
    );
}
