//! A peer that breaks the protocol harms only itself.
use super::*;

/// Numbers that are the same in each run.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// A peer that speaks the protocol and then writes what it likes into its link and its pool.
struct Hostile {
    link: Segment,
    _line: OwnedFd,
    connection: Connection,
}

const WORDS: usize = 1024;

fn hostile(group: u32, victim: &mut Rendezvous, pool: &Pool, chance: &mut Chance) -> Hostile {
    let link = Segment::new(LinkSize::default().bytes()).unwrap();
    Layout::create(&link.owner(), LinkSize::default()).unwrap();
    let line = socket::connect(&name(group, &victim.identity)).unwrap();
    let (file, length) = pool.file().unwrap();
    let hello = Announcement {
        group,
        identity: u128::from(chance.next()).to_be_bytes(),
        sizes: vec![link.len(), length],
    };
    socket::send_packet(&line, &hello.to_bytes(), &[link.as_fd(), file.as_fd()]).unwrap();
    let connection = only(victim.poll(Instant::now()));
    Hostile {
        link,
        _line: line,
        connection,
    }
}

/// What is in the first slot: the header word, then the words of a descriptor.
fn first_slot(kind: usize, chance: &mut Chance) -> [u64; 5] {
    use crate::memory::WORD;
    let random = chance.next();
    let at = |kind: u64, length: u64| 1 << 32 | kind << 24 | length;
    match kind {
        // A chunk that does not exist, a length beyond it, a sequence from the future, a length
        // beyond the ring, anything.
        0 => [
            at(2, 4 * WORD as u64),
            1 << 32 | (random % 0xff_fff0 + 4),
            0,
            0,
            64,
        ],
        1 => [
            at(2, 4 * WORD as u64),
            1 << 32,
            0,
            random % 4097,
            4097 + random % (1 << 40),
        ],
        2 => [(2 + random % 1_000_000) << 32 | 1 << 24 | 5, 0, 0, 0, 0],
        3 => [at(1, 31_745 + random % (1 << 23)), 0, 0, 0, 0],
        4 => [at(1, 249 + random % 20_000), random, random, 0, 0],
        5 => [random | 1, chance.next(), chance.next(), 0, 0],
        // The place of the attachment, the begin of its range, the number of its inline slots.
        6 => [at(2, 40), 1 << 32, 9 + random % (1 << 40), 0, 64],
        7 => [at(2, 40), 1 << 32, 8, 4097 + random, 1],
        _ => [at(2, 249 + random % 20_000), 1 << 32, 8, 0, 64],
    }
}

#[test]
fn no_garbage_of_a_hostile_peer_does_more_than_end_its_connection() {
    use crate::memory::Ordering;
    let group = group(11);
    let mut victim = participant(group, A);
    let mut friend = participant(group, B);
    let (mut at_friend, mut at_victim) = connect(&mut friend, &mut victim);
    let pool = Pool::new(
        0,
        &[Class {
            capacity: 4096,
            count: 4,
        }],
    )
    .unwrap();
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    let mut buffer = vec![0; at_victim.receiver.longest()];
    for run in 0..9 * 200_usize {
        let mut hostile = hostile(group, &mut victim, &pool, &mut chance);
        let ring = Layout::open(&hostile.link.owner()).unwrap().slot(0);
        let owner = hostile.link.owner();
        let words = first_slot(run / 200, &mut chance);
        for (index, word) in words.into_iter().enumerate().rev() {
            owner.store(ring + index, word, Ordering::Release);
        }
        let receiver = &mut hostile.connection.receiver;
        assert!(
            matches!(receiver.try_recv(&mut buffer), Err(Error::Violation(_))),
            "run {run}: {words:x?}"
        );
        assert!(receiver.try_recv(&mut buffer).is_err() && receiver.hold_chunk().is_err());
        // Its cursor: beyond what was sent.
        owner.store(
            crate::link::CURSOR,
            1 + chance.next() % (1 << 40),
            Ordering::Release,
        );
        assert!(hostile.connection.sender.reclaim().is_err());
        at_friend.sender.try_send(&[&run.to_le_bytes()]).unwrap();
        assert_eq!(
            at_victim.receiver.try_recv(&mut buffer).unwrap(),
            Some(Incoming::Message(8))
        );
    }
}

#[test]
fn a_peer_that_scribbles_while_we_read_harms_only_itself() {
    use crate::memory::Ordering;
    use std::sync::atomic::AtomicBool;
    let group = group(12);
    let mut victim = participant(group, A);
    let pool = Pool::new(
        0,
        &[Class {
            capacity: 4096,
            count: 4,
        }],
    )
    .unwrap();
    let mut chance = Chance(0x1234_5678_9abc_def1);
    let mut buffer = vec![0; 1 << 16];
    for _ in 0..50 {
        let mut hostile = hostile(group, &mut victim, &pool, &mut chance);
        let (owner, stop, seed) = (
            hostile.link.owner(),
            AtomicBool::new(false),
            chance.next() | 1,
        );
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut chance = Chance(seed);
                while !stop.load(Ordering::Relaxed) {
                    let word = 8 + chance.next() as usize % WORDS;
                    // Often what could be true: a small message or descriptor at one of the first
                    // positions.
                    let header = (1 + chance.next() % 3) << 24 | (chance.next() % 600);
                    let near = (1 + chance.next() % 8) << 32 | header;
                    let value = if chance.next().is_multiple_of(3) {
                        chance.next()
                    } else {
                        near
                    };
                    owner.store(word, value, Ordering::Relaxed);
                }
            });
            for _ in 0..2000 {
                let _ = hostile.connection.receiver.try_recv(&mut buffer);
                let _ = hostile.connection.receiver.hold_chunk();
                let _ = hostile.connection.sender.try_send(&[b"hello"]);
                let _ = hostile.connection.sender.reclaim();
                hostile.connection.sender.notify();
            }
            stop.store(true, Ordering::Relaxed);
        });
    }
}
