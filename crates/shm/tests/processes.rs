//! Processes that are killed at any moment: nothing torn, nobody stuck, nothing left behind.
//!
//! `DUNLIN_SHM_KILLS=1000 cargo test --release -p dunlin-shm --test processes -- --nocapture` for
//! the long run.
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use dunlin_shm::{
    Class, Connection, Control, Doorbell, Error, Event, Identity, Incoming, Limits, LinkSize, Pool,
    Rendezvous, SendError, Woken, neighbours,
};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, Signal, kill_process};
use rustix::time::Timespec;

/// This process's part, if it is a child.
const ROLE: &str = "DUNLIN_SHM_ROLE";
const GROUP: &str = "DUNLIN_SHM_GROUP";

const PARENT: Identity = [1; 16];
const HUB: Identity = [4; 16];
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

/// Longer than anything takes on a machine that has much else to do.
const SOON: Duration = Duration::from_secs(300);

/// Both directions on one connection: the parent sends to readers that dial it. Nobody dials again,
/// so a conversation may take as long as its turns of the scheduler do.
fn limits() -> Limits {
    Limits {
        accepted: LinkSize::default(),
        patience: SOON,
        ..Limits::default()
    }
}

/// In a child, plays its role and never returns.
#[test]
fn role() {
    match std::env::var(ROLE).as_deref() {
        Ok("writer") => write_for_ever(),
        Ok("reader") => read_for_ever(),
        Ok("hub") => gather_for_ever(),
        Ok("spoke") => feed_for_ever(),
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

/// The group that the parent has chosen for its child.
fn from_parent() -> u32 {
    let group = std::env::var(GROUP).ok();
    group.and_then(|group| group.parse().ok()).expect("a group")
}

/// Connects a child to its parent.
fn to_parent(pools: &[Pool]) -> Connection {
    let group = from_parent();
    let mut identity = [2; 16];
    identity[..4].copy_from_slice(&std::process::id().to_le_bytes());
    let mut rendezvous = Rendezvous::new(group, identity, limits()).expect("a socket");
    pools
        .iter()
        .for_each(|pool| rendezvous.add_pool(pool.clone()).expect("room"));
    rendezvous.dial(PARENT, Instant::now()).expect("a parent");
    next(&mut rendezvous)
}

fn next(rendezvous: &mut Rendezvous) -> Connection {
    let end = Instant::now() + SOON;
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

/// Sends a message, sooner or later.
fn send(
    connection: &mut Connection,
    pool: &Pool,
    number: u64,
    pattern: &Pattern,
    chance: &mut Chance,
) {
    let length = length(chance);
    while offer(connection, pool, number, pattern, length).is_err() {
        match connection.line.control() {
            Ok(Some(Control::End)) | Err(_) => return,
            _ => std::thread::yield_now(),
        }
    }
}

/// Mostly small.
fn length(chance: &mut Chance) -> usize {
    let large = chance.below(8) == 0;
    chance.below(if large { LONGEST - 8 } else { 8000 })
}

/// Sends a message if there is room for it now.
fn offer(
    connection: &mut Connection,
    pool: &Pool,
    number: u64,
    pattern: &Pattern,
    length: usize,
) -> Result<(), SendError> {
    let body = pattern.body(number, length);
    let sent = if length >= 8000 {
        connection.sender.reclaim().expect("an honest reader");
        let mut chunk = pool.allocate(8 + length).map_err(|_| SendError::Full)?;
        chunk.bytes_mut()[..8].copy_from_slice(&number.to_le_bytes());
        chunk.bytes_mut()[8..].copy_from_slice(body);
        connection.sender.try_send_chunk(&chunk.publish())
    } else {
        connection.sender.try_send(&[&number.to_le_bytes(), body])
    };
    connection.sender.notify();
    match sent {
        Err(SendError::Full) | Ok(()) => sent,
        Err(error) => panic!("{error}"),
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
                Incoming::Attached { .. } => {
                    loans.push_back(connection.receiver.hold_chunk().expect("room"))
                }
                Incoming::Withdrawal => panic!("no pool is withdrawn"),
            }
            while loans.len() > 3 {
                let loan = loans.pop_front().expect("several");
                loan.read(0, &mut buffer[..loan.len()]).expect("it is ours");
                pattern.check(&buffer[..loan.len()]);
            }
        }
    }
}

/// A reader of all who dial it, its parent among them.
fn gather_for_ever() {
    let mut rendezvous = Rendezvous::new(from_parent(), HUB, limits()).expect("a socket");
    let (pattern, mut buffer) = (Pattern::new(), vec![0; LONGEST]);
    let mut connections: Vec<Connection> = Vec::new();
    loop {
        for event in rendezvous.poll(Instant::now()) {
            if let Event::Joined(connection) = event {
                connections.push(*connection);
            }
        }
        let mut idle = true;
        for connection in &mut connections {
            while take(connection, &mut buffer, &pattern).is_some() {
                idle = false;
            }
        }
        if idle {
            std::thread::sleep(Duration::from_micros(100));
        }
    }
}

/// A writer to its parent and to the hub.
fn feed_for_ever() {
    let pools = [Pool::new(0, &CLASSES).expect("memory")];
    let mut identity = [3; 16];
    identity[..4].copy_from_slice(&std::process::id().to_le_bytes());
    let mut rendezvous = Rendezvous::new(from_parent(), identity, limits()).expect("a socket");
    rendezvous.add_pool(pools[0].clone()).expect("room");
    let mut ways = [PARENT, HUB].map(|peer| {
        rendezvous.dial(peer, Instant::now()).expect("a peer");
        (next(&mut rendezvous), 0)
    });
    let (pattern, mut chance) = (Pattern::new(), Chance::new());
    loop {
        for (connection, number) in &mut ways {
            send(connection, &pools[0], *number, &pattern, &mut chance);
            *number += 1;
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
    kill_pairs(kills() / 2);
    stop_readers(kills() / 10);
    assert_eq!(traces(), before, "descriptors and maps");
}

/// Looks at the connection of a process that was killed. How long it takes to die depends on what
/// else the machine does; once it has died, the connection shows it, behind what was said before.
struct Death {
    killed: Instant,
    looks: u32,
}

impl Death {
    /// Many more than there are words on a line.
    const LOOKS: u32 = 1_000;

    fn of_now() -> Self {
        Self {
            killed: Instant::now(),
            looks: 0,
        }
    }

    /// One look; how long after the kill it shows the end.
    fn look(&mut self, child: &mut Child, connection: &Connection) -> Option<Duration> {
        self.looks += u32::from(child.try_wait().expect("a child").is_some());
        if is_over(connection) {
            return Some(self.killed.elapsed());
        }
        assert!(self.looks < Self::LOOKS, "its death is not seen");
        None
    }
}

/// Waits until the end of a connection is seen, and says how long after the kill.
fn await_end(child: &mut Child, connection: &Connection) -> Duration {
    let mut death = Death::of_now();
    loop {
        if let Some(seen) = death.look(child, connection) {
            return seen;
        }
    }
}

fn longest(seen: Vec<Duration>) -> Duration {
    seen.into_iter().max().unwrap_or_default()
}

fn kill_writers(kills: usize) {
    let group = std::process::id() << 8 | 1;
    let mut rendezvous = Rendezvous::new(group, PARENT, limits()).expect("a socket");
    let (pattern, mut chance) = (Pattern::new(), Chance::new());
    let (mut good, mut seen, mut to_first) = (0, Vec::new(), Duration::ZERO);
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
                killed = Some(Death::of_now());
            }
            if let Some(death) = &mut killed
                && got.is_none()
            {
                if let Some(after) = death.look(&mut writer, &connection) {
                    seen.push(after);
                    break;
                }
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
        longest(seen).as_micros(),
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
        Incoming::Attached { .. } => connection
            .receiver
            .copy_chunk(buffer)
            .expect("an honest writer"),
        Incoming::Withdrawal => panic!("no pool is withdrawn"),
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
    let mut rendezvous = Rendezvous::new(group, PARENT, limits()).expect("a socket");
    rendezvous.add_pool(pool.clone()).expect("room");
    let (pattern, mut chance) = (Pattern::new(), Chance::new());
    let (mut sent, mut seen) = (0_u64, Vec::new());
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
        seen.push(await_end(&mut reader, &connection));
        drop(connection);
        assert_eq!(pool.free(), 20, "what the dead reader held is free");
        reader.wait().expect("a child");
    }
    println!(
        "FIGURE readers killed {kills}: messages {sent}, chunks lost 0, death seen within {} us",
        longest(seen).as_micros()
    );
}

/// A writer and the reader of both of us die at once, in the midst of talking to each other and to
/// us.
fn kill_pairs(kills: usize) {
    let group = std::process::id() << 8 | 3;
    let pool = Pool::new(0, &CLASSES).expect("memory");
    let mut rendezvous = Rendezvous::new(group, PARENT, limits()).expect("a socket");
    rendezvous.add_pool(pool.clone()).expect("room");
    let (pattern, mut chance) = (Pattern::new(), Chance::new());
    let (mut sent, mut got, mut seen) = (0_u64, 0_u64, Vec::new());
    let mut buffer = vec![0; LONGEST];
    for _ in 0..kills {
        let mut hub = child("hub", group);
        await_listener(&rendezvous);
        rendezvous.dial(HUB, Instant::now()).expect("the hub");
        let mut to_hub = next(&mut rendezvous);
        let mut spoke = child("spoke", group);
        let mut from_spoke = next(&mut rendezvous);
        let end = Instant::now() + Duration::from_micros(500 + chance.below(14_500) as u64);
        let mut expected = 0;
        while Instant::now() < end {
            send(&mut to_hub, &pool, sent, &pattern, &mut chance);
            sent += 1;
            while let Some(number) = take(&mut from_spoke, &mut buffer, &pattern) {
                assert_eq!(number, expected, "lost or twice");
                expected += 1;
            }
        }
        for child in [&mut hub, &mut spoke] {
            let alive = child.try_wait().expect("a child").is_none();
            assert!(alive, "it has found something wrong");
        }
        spoke.kill().and(hub.kill()).expect("children");
        seen.push(await_end(&mut hub, &to_hub));
        seen.push(await_end(&mut spoke, &from_spoke));
        while let Some(number) = take(&mut from_spoke, &mut buffer, &pattern) {
            assert_eq!(number, expected, "lost or twice");
            expected += 1;
        }
        got += expected;
        drop((to_hub, from_spoke));
        assert_eq!(pool.free(), 20, "what the dead hub held is free");
        hub.wait().and(spoke.wait()).expect("children");
        assert!(!rendezvous.is_listening(&HUB).expect("a socket"));
    }
    assert_eq!(neighbours(group).expect("proc"), [PARENT]);
    println!(
        "FIGURE pairs killed {kills}: messages {sent} to and {got} from them, torn 0, chunks lost 0, death seen within {} us",
        longest(seen).as_micros()
    );
}

fn await_listener(rendezvous: &Rendezvous) {
    let end = Instant::now() + SOON;
    while !rendezvous.is_listening(&HUB).expect("a socket") {
        assert!(Instant::now() < end, "nobody listens");
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// One of two readers is stopped for a while, and later goes on: the other gets all that is sent,
/// and the first what it had room for.
fn stop_readers(stops: usize) {
    let group = std::process::id() << 8 | 4;
    // Each of the two may hold three, and leave half of the rest unread.
    let classes = CLASSES.map(|class| Class { count: 16, ..class });
    let pool = Pool::new(0, &classes).expect("memory");
    let mut rendezvous = Rendezvous::new(group, PARENT, limits()).expect("a socket");
    rendezvous.add_pool(pool.clone()).expect("room");
    let (pattern, mut chance) = (Pattern::new(), Chance::new());
    let mut start = || (child("reader", group), next(&mut rendezvous));
    let ((stopped, mut slow), (other, mut quick)) = (start(), start());
    let mut children = [stopped, other];
    let (mut sent, mut refused) = (0, 0);
    for _ in 0..stops {
        signal(&children[0], Signal::STOP);
        // Far more than the one that has stopped has room for, large messages among them.
        for number in 0..1000 {
            refused += usize::from(
                offer(&mut slow, &pool, number, &pattern, length(&mut chance)).is_err(),
            );
            send(&mut quick, &pool, number, &pattern, &mut chance);
            sent += 1;
        }
        signal(&children[0], Signal::CONT);
        let end = Instant::now() + SOON;
        while !slow.sender.is_drained().expect("an honest reader") {
            assert!(Instant::now() < end, "it does not go on");
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    assert!(
        refused > 0,
        "nothing was too much for a reader that had stopped"
    );
    for child in &mut children {
        let alive = child.try_wait().expect("a child").is_none();
        assert!(alive, "it has found something wrong");
        child.kill().expect("a child");
        child.wait().expect("a child");
    }
    drop((slow, quick));
    assert_eq!(pool.free(), 32);
    println!("FIGURE readers stopped {stops}: messages {sent} to the other, {refused} refused");
}

fn signal(child: &Child, signal: Signal) {
    let pid = Pid::from_child(child);
    kill_process(pid, signal).expect("a child");
}
