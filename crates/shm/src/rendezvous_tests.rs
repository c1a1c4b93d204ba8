//! Participants of one process that find each other; the clock is in the tests' hands.
#[path = "rendezvous_hostile_tests.rs"]
mod hostile;

use super::*;
use crate::names::neighbours;
use crate::pool::Class;
use crate::ring::Incoming;
use crate::{Control, PoolView};

const A: Identity = *b"aaaaaaaaaaaaaaaa";
const B: Identity = *b"bbbbbbbbbbbbbbbb";

/// A group of this test's own.
fn group(test: u32) -> u32 {
    std::process::id() << 8 | test
}

/// One that accepts connections for both directions.
fn participant(group: u32, identity: Identity) -> Rendezvous {
    let limits = Limits {
        accepted: LinkSize::default(),
        ..Limits::default()
    };
    Rendezvous::new(group, identity, limits).unwrap()
}

fn joined(events: Vec<Event>) -> Vec<Connection> {
    let joined = |event| match event {
        Event::Joined(connection) => *connection,
        Event::Failed(peer, error) => panic!("{peer:?}: {error}"),
    };
    events.into_iter().map(joined).collect()
}

fn only(events: Vec<Event>) -> Connection {
    let mut all = joined(events);
    assert_eq!(all.len(), 1);
    all.remove(0)
}

fn connect(a: &mut Rendezvous, b: &mut Rendezvous) -> (Connection, Connection) {
    let now = Instant::now();
    a.dial(b.identity, now).unwrap();
    let at_b = only(b.poll(now));
    (only(a.poll(now)), at_b)
}

fn failure(events: Vec<Event>) -> Error {
    match events.into_iter().next() {
        Some(Event::Failed(_, error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn two_find_each_other_and_talk() {
    let group = group(1);
    let (mut a, mut b) = (participant(group, A), participant(group, B));
    assert_eq!(neighbours(group).unwrap(), [A, B]);
    let (mut at_a, mut at_b) = connect(&mut a, &mut b);
    assert_eq!((at_a.peer, at_b.peer), (B, A));
    assert_eq!(at_a.process, std::process::id());
    at_a.sender.try_send(&[b"hello"]).unwrap();
    let mut buffer = vec![0; at_b.receiver.longest()];
    assert_eq!(
        at_b.receiver.try_recv(&mut buffer).unwrap(),
        Some(Incoming::Message(5))
    );
    at_b.sender.try_send(&[&buffer[..5], b" back"]).unwrap();
    assert_eq!(
        at_a.receiver.try_recv(&mut buffer).unwrap(),
        Some(Incoming::Message(10))
    );
    assert_eq!(&buffer[..10], b"hello back");
    a.dial(B, Instant::now()).unwrap();
    assert!(b.poll(Instant::now()).is_empty(), "they are connected");
    drop(at_a);
    assert!(matches!(at_b.line.control().unwrap(), Some(Control::End)));
}

#[test]
fn who_has_many_peers_has_smaller_rings_to_further_ones() {
    let group = group(60);
    let limits = Limits {
        roomy: 1,
        ..Limits::default()
    };
    let mut a = Rendezvous::new(group, A, limits).unwrap();
    let [mut b, mut c] = [B, *b"cccccccccccccccc"].map(|name| participant(group, name));
    let longest = |of: LinkSize| of.slots as usize / 2 * 248;
    let (to_b, _at_b) = connect(&mut a, &mut b);
    assert_eq!(to_b.sender.longest(), longest(LinkSize::default()));
    let (to_c, _at_c) = connect(&mut a, &mut c);
    assert_eq!(to_c.sender.longest(), longest(LinkSize::CROWDED));
    drop(to_b);
    b = participant(group, *b"dddddddddddddddd");
    let (to_d, _at_d) = connect(&mut a, &mut b);
    assert_eq!(
        to_d.sender.longest(),
        longest(LinkSize::CROWDED),
        "c is still there"
    );
}

#[test]
fn links_for_little_are_small_and_take_no_place_of_those_for_data() {
    let group = group(61);
    let limits = Limits {
        peers: 1,
        roomy: 1,
        ..Limits::default()
    };
    let mut a = Rendezvous::new(group, A, limits).unwrap();
    let names = [B, *b"cccccccccccccccc", *b"dddddddddddddddd"];
    let [mut b, mut c, _d] = names.map(|name| participant(group, name));
    let now = Instant::now();
    let longest = |of: LinkSize| of.slots as usize / 2 * 248;
    a.dial_for(names[1], Traffic::Sparse, now).unwrap();
    let (to_c, _at_c) = connect(&mut a, &mut c);
    assert_eq!(to_c.sender.longest(), longest(LinkSize::CROWDED));
    let (to_b, _at_b) = connect(&mut a, &mut b);
    assert_eq!(to_b.sender.longest(), longest(LinkSize::default()));
    for traffic in [Traffic::Sparse, Traffic::Data] {
        let refused = a.dial_for(names[2], traffic, now);
        assert!(matches!(refused, Err(Error::Limit(_))), "{traffic:?}");
    }
    drop(to_c);
    a.dial_for(names[2], Traffic::Sparse, now).unwrap();
}

#[test]
fn calls_that_cross_make_a_connection_for_each_direction() {
    for a_first in [true, false] {
        let group = group(2);
        let (mut a, mut b) = (participant(group, A), participant(group, B));
        let now = Instant::now();
        a.dial(B, now).unwrap();
        b.dial(A, now).unwrap();
        let (mut at_a, mut at_b) = (Vec::new(), Vec::new());
        for round in 0..4 {
            if (round % 2 == 0) == a_first {
                at_a.extend(joined(a.poll(now)));
            } else {
                at_b.extend(joined(b.poll(now)));
            }
        }
        a.dial(B, now).unwrap();
        b.dial(A, now).unwrap();
        assert!(b.poll(now).is_empty() && a.poll(now).is_empty());
        assert_eq!((at_a.len(), at_b.len()), (2, 2));
        at_a.sort_by_key(|connection| connection.dialled);
        at_b.sort_by_key(|connection| !connection.dialled);
        for (one, other) in at_a.iter_mut().zip(&mut at_b) {
            assert_ne!(one.dialled, other.dialled);
            one.sender.try_send(&[b"x"]).unwrap();
            assert!(other.receiver.is_ready());
        }
    }
}

#[test]
fn who_accepts_needs_no_ring_and_sends_no_pools() {
    let group = group(14);
    let limits = Limits::default();
    let mut a = Rendezvous::new(group, A, limits).unwrap();
    let mut b = Rendezvous::new(group, B, limits).unwrap();
    let classes = [Class {
        capacity: 4096,
        count: 2,
    }];
    let (of_a, of_b) = (
        Pool::new(0, &classes).unwrap(),
        Pool::new(0, &classes).unwrap(),
    );
    a.add_pool(of_a.clone()).unwrap();
    b.add_pool(of_b.clone()).unwrap();
    let (mut at_a, mut at_b) = connect(&mut a, &mut b);
    assert!(at_a.dialled && !at_b.dialled);
    let chunk = of_a.allocate(4096).unwrap().publish();
    at_a.sender
        .try_send_attached(&[&[1; 9000]], 77, chunk.clone(), 5..4000)
        .unwrap();
    let mut buffer = vec![0; at_b.receiver.longest()];
    let attached = Incoming::Attached {
        inline: 9000,
        at: 77,
        length: 3995,
    };
    assert_eq!(at_b.receiver.try_recv(&mut buffer).unwrap(), Some(attached));
    assert_eq!(at_b.receiver.hold_chunk().unwrap().len(), 3995);
    assert!(
        at_b.sender.longest() < 256,
        "the acceptor's link is small, so is what it can say"
    );
    let chunk = of_b.allocate(1).unwrap().publish();
    at_b.sender.try_send_chunk(&chunk).unwrap();
    assert!(at_a.receiver.try_recv(&mut []).unwrap().is_some());
    assert!(matches!(at_a.receiver.hold_chunk(), Err(Error::Limit(_))));
}

#[test]
fn the_end_of_a_connection_is_not_the_end_of_the_peer() {
    let group = group(15);
    let (mut a, mut b) = (participant(group, A), participant(group, B));
    let (at_a, at_b) = connect(&mut a, &mut b);
    drop(at_b);
    assert!(matches!(at_a.line.control().unwrap(), Some(Control::End)));
    assert!(a.is_listening(&B).unwrap());
    assert!(b.poll(Instant::now()).is_empty(), "a question is no event");
    assert_eq!(b.sockets().count(), 1);
    drop(b);
    assert!(!a.is_listening(&B).unwrap());
}

#[test]
fn other_groups_and_the_dead_are_not_found() {
    let b = participant(group(4), B);
    let mut a = participant(group(3), A);
    assert_eq!(neighbours(group(3)).unwrap(), [A]);
    assert!(matches!(a.dial(B, Instant::now()), Err(Error::Gone)));
    drop(b);
    assert!(neighbours(group(4)).unwrap().is_empty());
    assert!(
        Rendezvous::new(group(3), A, Limits::default()).is_err(),
        "the identity is taken"
    );
}

#[test]
fn whoever_says_nothing_is_given_up_and_makes_room() {
    let limits = Limits {
        handshakes: 2,
        ..Limits::default()
    };
    let group = group(5);
    let mut a = Rendezvous::new(group, A, limits).unwrap();
    let now = Instant::now();
    let mut silent: Vec<_> = (0..3)
        .map(|_| socket::connect(&name(group, &A)).unwrap())
        .collect();
    assert!(a.poll(now).is_empty());
    assert!(matches!(failure(a.poll(now)), Error::Limit(_)));
    assert_eq!(a.next_timeout(), Some(now + limits.patience));
    assert_eq!(a.poll(now + limits.patience).len(), 2);
    assert_eq!(a.sockets().count(), 1);
    silent.clear();
    let mut b = participant(group, B);
    connect(&mut b, &mut a);
}

#[test]
fn no_more_peers_than_allowed() {
    let group = group(6);
    let limits = Limits {
        peers: 1,
        ..Limits::default()
    };
    let mut a = Rendezvous::new(group, A, limits).unwrap();
    let (mut b, mut c) = (participant(group, B), participant(group, [7; 16]));
    let connection = connect(&mut b, &mut a);
    let now = Instant::now();
    c.dial(A, now).unwrap();
    assert!(matches!(failure(a.poll(now)), Error::Limit(_)));
    assert!(matches!(failure(c.poll(now)), Error::Gone));
    drop(connection);
    connect(&mut c, &mut a);
}

#[test]
fn the_memory_of_a_withdrawn_pool_goes_on_both_sides_and_can_come_again() {
    let group = group(77);
    let (mut a, mut b) = (participant(group, A), participant(group, B));
    let class = Class {
        capacity: 1 << 20,
        count: 2,
    };
    let pool = Pool::new(0, &[class]).unwrap();
    a.add_pool(pool.clone()).unwrap();
    let (mut at_a, mut at_b) = connect(&mut a, &mut b);
    let send = |sender: &mut crate::Sender, with| {
        let mut chunk = pool.allocate(1 << 20).unwrap();
        chunk.bytes_mut().fill(with);
        sender.try_send_chunk(&chunk.publish()).unwrap();
    };
    send(&mut at_a.sender, 1);
    at_b.receiver.try_recv(&mut []).unwrap();
    let loan = at_b.receiver.hold_chunk().unwrap();
    at_a.sender.reclaim().unwrap();
    assert!(!pool.withdraw() && pool.give_back().is_err());
    drop(loan);
    for round in 2..5 {
        at_a.sender.reclaim().unwrap();
        assert!(pool.withdraw());
        pool.give_back().unwrap();
        a.remove_pool(0);
        assert!(pool.file().is_none() && at_a.line.announce(&pool).is_err());
        let withdrawal = at_a.sender.try_withdraw(0).unwrap();
        let incoming = at_b.receiver.try_recv(&mut []).unwrap();
        assert_eq!(incoming, Some(Incoming::Withdrawal));
        assert!(at_b.receiver.forget_pool().unwrap() && withdrawal.is_heeded());
        let announce = || {
            assert!(pool.allocate(1).is_err(), "before it is announced");
            at_a.line.announce(&pool).unwrap();
        };
        pool.renew(announce).unwrap();
        send(&mut at_a.sender, round);
        let Some(Control::Pool(again)) = at_b.line.control().unwrap() else {
            panic!("a pool was announced");
        };
        at_b.receiver.add_pool(again).unwrap();
        at_b.receiver.try_recv(&mut []).unwrap();
        let mut bytes = vec![0; 1 << 20];
        assert_eq!(at_b.receiver.copy_chunk(&mut bytes).unwrap(), 1 << 20);
        assert!(bytes.iter().all(|byte| *byte == round));
    }
}

#[test]
fn pools_come_with_the_hello_and_later() {
    let group = group(7);
    let (mut a, mut b) = (participant(group, A), participant(group, B));
    let classes = [Class {
        capacity: 4096,
        count: 2,
    }];
    let (early, late) = (
        Pool::new(0, &classes).unwrap(),
        Pool::new(1, &classes).unwrap(),
    );
    a.add_pool(early.clone()).unwrap();
    let (mut at_a, mut at_b) = connect(&mut a, &mut b);
    for pool in [&early, &late] {
        let mut chunk = pool.allocate(4096).unwrap();
        chunk.bytes_mut().fill(9);
        at_a.sender.try_send_chunk(&chunk.publish()).unwrap();
    }
    let mut next = || at_b.receiver.try_recv(&mut []).unwrap();
    let whole = Some(Incoming::Attached {
        inline: 0,
        at: 0,
        length: 4096,
    });
    assert_eq!(next(), whole);
    let loan = at_b.receiver.hold_chunk().unwrap();
    assert_eq!(at_b.receiver.try_recv(&mut []).unwrap(), whole);
    assert!(matches!(at_b.receiver.hold_chunk(), Err(Error::Limit(_))));
    at_a.line.announce(&late).unwrap();
    let Some(Control::Pool(pool)) = at_b.line.control().unwrap() else {
        panic!("a pool was announced");
    };
    assert_eq!(PoolView::number(&pool), 1);
    at_b.receiver.add_pool(pool).unwrap();
    let other = at_b.receiver.hold_chunk().unwrap();
    drop((at_a, a, early, late));
    let mut bytes = [0; 4096];
    for loan in [&loan, &other] {
        loan.read(0, &mut bytes).unwrap();
        assert_eq!(
            bytes, [9; 4096],
            "it outlives its owner's end of the connection"
        );
    }
}

/// What an attacker says instead of a hello, and the violation that it is.
fn refuse(test: u32, bytes: &[u8], fds: &[BorrowedFd<'_>], expected: Violation) {
    let group = group(test);
    let mut a = participant(group, A);
    let caller = socket::connect(&name(group, &A)).unwrap();
    socket::send_packet(&caller, bytes, fds).unwrap();
    let now = Instant::now();
    match failure(a.poll(now)) {
        Error::Violation(violation) => assert_eq!(violation, expected),
        other => panic!("{other}"),
    }
    let mut b = participant(group, B);
    connect(&mut b, &mut a);
}

#[test]
fn malformed_hellos_are_refused_and_harm_nobody() {
    let link = Segment::new(LinkSize::default().bytes()).unwrap();
    Layout::create(&link.owner(), LinkSize::default()).unwrap();
    let empty = Segment::new(4096).unwrap();
    let plain = rustix::fs::memfd_create("plain", rustix::fs::MemfdFlags::CLOEXEC).unwrap();
    rustix::fs::ftruncate(&plain, 4096).unwrap();
    let hello = |group, sizes: &[usize]| {
        let sizes = sizes.to_vec();
        let identity = [9; 16];
        Announcement {
            group,
            identity,
            sizes,
        }
        .to_bytes()
    };
    let test = 8;
    let ours = group(test);
    let size = link.len();
    refuse(test, b"nonsense", &[], Violation::Header);
    refuse(test, &[0; LONGEST + 1], &[], Violation::Header);
    refuse(
        test,
        &hello(ours + 1, &[size]),
        &[link.as_fd()],
        Violation::Header,
    );
    refuse(test, &hello(ours, &[]), &[], Violation::Header);
    refuse(
        test,
        &hello(ours, &[size, size]),
        &[link.as_fd()],
        Violation::Header,
    );
    refuse(
        test,
        &hello(ours, &[size]),
        &[link.as_fd(), link.as_fd()],
        Violation::Header,
    );
    refuse(
        test,
        &hello(ours, &[size + 4096]),
        &[link.as_fd()],
        Violation::Segment,
    );
    refuse(
        test,
        &hello(ours, &[usize::MAX]),
        &[link.as_fd()],
        Violation::Segment,
    );
    refuse(
        test,
        &hello(ours, &[4096]),
        &[plain.as_fd()],
        Violation::Segment,
    );
    refuse(
        test,
        &hello(ours, &[4096]),
        &[empty.as_fd()],
        Violation::Header,
    );
    refuse(
        test,
        &hello(ours, &[size, 4096]),
        &[link.as_fd(), empty.as_fd()],
        Violation::Header,
    );
}

#[test]
fn whoever_calls_in_our_own_name_is_refused() {
    let link = Segment::new(LinkSize::default().bytes()).unwrap();
    Layout::create(&link.owner(), LinkSize::default()).unwrap();
    let hello = Announcement {
        group: group(16),
        identity: A,
        sizes: vec![link.len()],
    };
    refuse(16, &hello.to_bytes(), &[link.as_fd()], Violation::Header);
}

#[test]
fn malformed_control_is_a_violation() {
    let group = group(9);
    let (mut a, mut b) = (participant(group, A), participant(group, B));
    let segment = Segment::new(4096).unwrap();
    let cases: [(&[u8], bool); 5] = [
        (&[0], false),
        (&[1, 1], false),
        (&[2], true),
        (&[2; 9], true),
        (&[1; 100], false),
    ];
    for (bytes, with) in cases {
        let (at_a, at_b) = connect(&mut a, &mut b);
        let fds = [segment.as_fd()];
        socket::send_packet(&at_a.line.shared(), bytes, &fds[..usize::from(with)]).unwrap();
        assert!(matches!(at_b.line.control(), Err(Error::Violation(_))));
    }
}

#[test]
fn a_reader_that_polls_is_woken_through_the_socket() {
    use crate::{Doorbell, Woken};
    let group = group(10);
    let (mut a, mut b) = (participant(group, A), participant(group, B));
    let (mut at_a, mut at_b) = connect(&mut a, &mut b);
    let mut doorbell = Doorbell::new().unwrap();
    let writer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(20));
        at_a.sender.try_send(&[b"x"]).unwrap();
        at_a.sender.notify();
        at_a
    });
    let line = at_b.line.clone();
    let long = Duration::from_secs(20);
    let woken = doorbell.wait_polling(&mut [&mut at_b.receiver], &[line.as_fd()], long);
    assert_eq!(woken.unwrap(), Woken::Ready);
    assert!(at_b.receiver.is_ready());
    let _at_a = writer.join().unwrap();
    assert!(matches!(line.control().unwrap(), Some(Control::Ring)));
    assert!(line.control().unwrap().is_none());
}

#[test]
fn a_reader_that_polls_hears_which_of_many_sockets_have_something() {
    use crate::Doorbell;
    let group = group(17);
    let names = [
        *b"one of the three",
        *b"two of the three",
        *b"all of the three",
    ];
    let mut reader = participant(group, B);
    let mut pairs: Vec<_> = names
        .map(|name| connect(&mut participant(group, name), &mut reader))
        .into();
    let lines: Vec<_> = pairs.iter().map(|(_, at_b)| at_b.line.clone()).collect();
    let lines: Vec<_> = lines.iter().map(|line| line.as_fd()).collect();
    let mut doorbell = Doorbell::new().unwrap();
    let mut wait = |pairs: &mut Vec<(Connection, Connection)>, limit| {
        let mut readers: Vec<_> = pairs.iter_mut().map(|(_, b)| &mut b.receiver).collect();
        doorbell.wait_polling(&mut readers, &lines, limit).unwrap();
        doorbell.ready().to_vec()
    };
    assert!(wait(&mut pairs, Duration::ZERO).is_empty());
    let long = Duration::from_secs(20);
    for writers in [vec![1], vec![0, 2]] {
        for &writer in &writers {
            socket::ring(&pairs[writer].0.line.shared());
        }
        assert_eq!(wait(&mut pairs, long), writers);
        for &writer in &writers {
            assert!(matches!(
                pairs[writer].1.line.control().unwrap(),
                Some(Control::Ring)
            ));
        }
    }
    assert!(wait(&mut pairs, Duration::ZERO).is_empty());
}

#[test]
fn many_that_start_at_once_have_one_connection_each_way() {
    const MANY: u8 = 20;
    let group = group(13);
    let limits = Limits {
        dialled: LinkSize { slots: 8, loans: 4 },
        accepted: LinkSize { slots: 2, loans: 4 },
        ..Limits::default()
    };
    let mut all: Vec<_> = (0..MANY)
        .map(|i| Rendezvous::new(group, [i; 16], limits).unwrap())
        .collect();
    let now = Instant::now();
    for participant in &mut all {
        for peer in neighbours(group).unwrap() {
            participant.dial(peer, now).unwrap();
        }
    }
    let mut connections: Vec<Vec<Connection>> = (0..MANY).map(|_| Vec::new()).collect();
    for _ in 0..4 {
        for (participant, its) in all.iter_mut().zip(&mut connections) {
            its.extend(joined(participant.poll(now)));
        }
    }
    for its in &mut connections {
        let mut peers: Vec<_> = its.iter().map(|connection| connection.peer).collect();
        peers.sort_unstable();
        peers.dedup();
        assert_eq!(
            (peers.len(), its.len()),
            (usize::from(MANY) - 1, 2 * (usize::from(MANY) - 1))
        );
        its.iter_mut()
            .filter(|connection| connection.dialled)
            .for_each(|connection| connection.sender.try_send(&[b"hello"]).unwrap());
    }
    for connection in connections.iter_mut().flatten() {
        if connection.dialled {
            continue;
        }
        let got = connection.receiver.try_recv(&mut [0; 8]).unwrap();
        assert_eq!(
            got,
            Some(Incoming::Message(5)),
            "both ends belong to one connection"
        );
    }
}
