//! What every transport does, whichever it is.
use std::io::ErrorKind;
use std::net::Ipv4Addr;
use std::thread;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use dunlin_transport::{
    Listen, Outgoing, Reach, Received, Receiver, Sent, Transport, Wait, nearest,
};
use dunlin_wire::Locator;

/// Long enough for anything that works.
const SOON: Duration = Duration::from_secs(120);
/// Longer datagrams take more memory than a test should.
const MEMORY: usize = 16 << 20;
/// What is said to a group until somebody hears it.
const GREETING: &[u8] = b"hello";
const SHORT: Duration = Duration::from_millis(30);

/// Runs the whole suite. `host` makes a transport of its own for each participant, all on one
/// network.
pub(crate) fn conforms(host: &dyn Fn() -> Box<dyn Transport>) {
    let (a, b) = (host(), host());
    carries_three_parts(&*a, &*b);
    keeps_order(&*a, &*b);
    answers_at_once_or_in_time(&*a);
    guards_its_ports(&*a);
    if has_groups(&*a) {
        carries_to_a_group(&*a, &*b);
        shares_its_groups(&*a, &*b);
    }
    wakes(&*a);
    wakes_before_the_wait(&*a);
    loses_no_wake(&*a, &*b);
    keeps_data_when_woken(&*a, &*b);
    receives_while_blocked(&*a, &*b);
    carries_all_lengths(&*a, &*b);
    skips_what_cannot_be_sent(&*a, &*b);
    drops_what_does_not_fit(&*a, &*b);
    frees_its_port(&*a);
    survives_silence_at_the_other_end(&*a, &*b);
    knows_what_is_near(&*a, &*b);
    refuses_nonsense(&*a);
}

fn carries_three_parts(a: &dyn Transport, b: &dyn Transport) {
    // Whoever listens nowhere may have an address of another kind.
    let _own = unicast(a);
    let mut receiver = unicast(b);
    let to = met(a, &*receiver);
    let sent = a.send(&[Outgoing {
        to,
        lane: None,
        head: b"head ",
        payload: b"payload",
        tail: b" tail",
        patient: false,
        dscp: 0,
    }]);
    assert_all(&sent, 1);
    let mut buffer = BytesMut::with_capacity(1 << 17);
    buffer.extend_from_slice(b"before ");
    let received = wait(&mut *receiver, &mut buffer);
    assert_eq!(&buffer[..], b"before head payload tail");
    // Who has called says also where it would listen.
    let called = received.from.parts_of_called();
    let from = called.map_or(received.from, |(_, seems)| seems);
    assert_eq!((received.length, from.kind), (17, to.kind));
    assert_ne!(from.port, 0);
}

fn keeps_order(a: &dyn Transport, b: &dyn Transport) {
    let mut receiver = unicast(b);
    let to = met(a, &*receiver);
    let texts: Vec<String> = (0..200).map(|n| format!("datagram {n}")).collect();
    let datagrams: Vec<_> = texts.iter().map(|t| outgoing(to, t.as_bytes())).collect();
    assert_all(&a.send(&datagrams), 200);
    for text in &texts {
        assert_eq!(next(&mut *receiver), text.as_bytes());
    }
}

fn answers_at_once_or_in_time(a: &dyn Transport) {
    for mut receiver in [unicast(a), both(a)] {
        let mut buffer = buffer();
        let start = Instant::now();
        for _ in 0..10 {
            let nothing = receiver.receive(&mut buffer, Wait::Poll).unwrap();
            assert_eq!(nothing, None);
        }
        assert!(start.elapsed() < SOON);
        let start = Instant::now();
        let until = Wait::Until(Some(start + SHORT));
        assert_eq!(receiver.receive(&mut buffer, until).unwrap(), None);
        assert!(start.elapsed() >= SHORT);
        assert!(start.elapsed() < SOON);
        let past = Wait::Until(Some(start));
        assert_eq!(receiver.receive(&mut buffer, past).unwrap(), None);
    }
}

fn carries_to_a_group(a: &dyn Transport, b: &dyn Transport) {
    let mut receivers = [multicast(a, 7501), multicast(b, 7501), both(b)];
    let mut other_port = multicast(b, 7502);
    for receiver in &mut receivers {
        met_in_group(a, &group(a, 7501), &mut **receiver);
    }
    let datagram = [outgoing(group(a, 7501), b"to all")];
    let sent = a.send(&datagram);
    assert!(sent.datagrams > 0, "{sent:?}");
    assert_eq!(sent.failed, 0, "{sent:?}");
    for receiver in &mut receivers {
        assert_eq!(next_news(&mut **receiver), b"to all");
    }
    assert_eq!(poll(&mut *other_port), None);
    assert!(a.reaches(&group(a, 7501)) > Reach::No);
}

/// A receiver with its UDP port and its UDP group.
fn by_udp(transport: &dyn Transport, port: u16) -> (Box<dyn Receiver>, Locator, Locator) {
    let group = Locator::udp_v4(Ipv4Addr::new(239, 255, 0, 1), port);
    let listen = [Listen::Unicast { port: 0 }, Listen::Multicast { group }];
    let receiver = transport.open(&listen).unwrap();
    let is_port = |l: &Locator| l.kind == Locator::KIND_UDP_V4 && !l.is_multicast();
    let port = receiver.locators().into_iter().find(is_port).unwrap();
    (receiver, port, group)
}

/// Where UDP is received, what comes by its groups waits while they rest, and nothing else does.
pub(crate) fn rests_its_groups(transport: &dyn Transport) {
    let (mut receiver, port, group) = by_udp(transport, 7506);
    receiver.rest_groups(100 * SOON);
    transport.send(&[outgoing(group, b"to all")]);
    transport.send(&[outgoing(port, b"to one")]);
    assert_eq!(next(&mut *receiver), b"to one");
    assert!(!receiver.was_multicast());
    assert_eq!(poll(&mut *receiver), None);
    let until = Wait::Until(Some(Instant::now() + SHORT));
    assert_eq!(receiver.receive(&mut buffer(), until).unwrap(), None);
    // A wait goes on with the groups when they have rested.
    receiver.rest_groups(SHORT);
    assert_eq!(next(&mut *receiver), b"to all");
    assert!(receiver.was_multicast());
}

/// A stream at one place hides nothing at another one.
pub(crate) fn hears_a_group_beside_a_stream(transport: &dyn Transport) {
    let (mut receiver, port, group) = by_udp(transport, 7507);
    for _ in 0..100 {
        transport.send(&[outgoing(port, b"to one")]);
    }
    transport.send(&[outgoing(group, b"to all")]);
    let before = (0..100).take_while(|_| next(&mut *receiver) == b"to one");
    assert!(before.count() < 50, "the group is looked at between");
}

fn guards_its_ports(a: &dyn Transport) {
    let receiver = unicast(a);
    let locator = receiver.locators()[0];
    let port = u16::try_from(locator.port).unwrap();
    assert_ne!(port, 0);
    let taken = a.open(&[Listen::Unicast { port }]);
    assert_eq!(kind(taken), ErrorKind::AddrInUse);
    // Nothing stays open of what was opened before the port that was taken.
    let free = u16::try_from(unicast(a).locators()[0].port).unwrap();
    let taken = a.open(&[Listen::Unicast { port: free }, Listen::Unicast { port }]);
    assert_eq!(kind(taken), ErrorKind::AddrInUse);
    a.open(&[Listen::Unicast { port: free }]).unwrap();
}

fn shares_its_groups(a: &dyn Transport, b: &dyn Transport) {
    let receivers = [multicast(a, 7503), multicast(a, 7503), multicast(b, 7503)];
    for mut receiver in receivers {
        assert_eq!(receiver.locators(), [group(a, 7503)]);
        met_in_group(a, &group(a, 7503), &mut *receiver);
        a.send(&[outgoing(group(a, 7503), b"shared")]);
        assert_eq!(next_news(&mut *receiver), b"shared");
    }
}

fn wakes(a: &dyn Transport) {
    for mut receiver in all_kinds(a) {
        for deadline in [None, Some(Instant::now() + 2 * SOON)] {
            let waker = receiver.waker();
            let start = Instant::now();
            thread::scope(|scope| {
                scope.spawn(move || {
                    thread::sleep(SHORT);
                    waker.wake();
                });
                let nothing = receiver.receive(&mut buffer(), Wait::Until(deadline));
                assert_eq!(nothing.unwrap(), None);
            });
            assert!(start.elapsed() >= SHORT);
            assert!(start.elapsed() < SOON);
            settle(&mut *receiver);
        }
    }
}

fn wakes_before_the_wait(a: &dyn Transport) {
    for mut receiver in all_kinds(a) {
        receiver.waker().wake();
        receiver.waker().wake();
        // A poll in between does not use the wish up.
        assert_eq!(poll(&mut *receiver), None);
        let start = Instant::now();
        let nothing = receiver.receive(&mut buffer(), Wait::Until(None));
        assert_eq!(nothing.unwrap(), None);
        assert!(start.elapsed() < SOON);
    }
}

/// Wakes and datagrams from two threads: each wake is answered by a `None`, and no datagram is
/// lost.
fn loses_no_wake(a: &dyn Transport, b: &dyn Transport) {
    const ROUNDS: usize = 200;
    for mut receiver in [unicast(b), both(b)] {
        let to = met(a, &*receiver);
        let waker = receiver.waker();
        let (tell, told) = std::sync::mpsc::channel();
        let mut arrived = 0;
        thread::scope(|scope| {
            // If this fails, the thread that wakes does not wait for it.
            let tell = tell;
            let sends = scope.spawn(move || (0..ROUNDS).for_each(|_| send_with_room(a, to, b"x")));
            scope.spawn(move || {
                for _ in 0..ROUNDS {
                    while told.try_recv().is_ok() {}
                    waker.wake();
                    if told.recv_timeout(SOON).is_err() {
                        a.send(&[outgoing(to, b"a wake was lost")]);
                    }
                }
                // Whoever waits for room needs somebody who receives.
                let _ = sends.join();
                send_with_room(a, to, b"end");
            });
            loop {
                let mut buffer = buffer();
                match receiver.receive(&mut buffer, Wait::Until(None)).unwrap() {
                    // The last of them may be more than was asked for.
                    None => drop(tell.send(())),
                    Some(_) if &buffer[..] == b"end" => break,
                    Some(_) => {
                        assert_eq!(&buffer[..], b"x");
                        arrived += 1;
                    }
                }
            }
        });
        // A datagram may come before one that was sent earlier.
        for _ in arrived..ROUNDS {
            assert_eq!(next(&mut *receiver), b"x");
        }
        assert_eq!(poll(&mut *receiver), None);
    }
}

fn keeps_data_when_woken(a: &dyn Transport, b: &dyn Transport) {
    for mut receiver in [unicast(b), both(b)] {
        let to = met(a, &*receiver);
        let waker = receiver.waker();
        waker.wake();
        a.send(&[outgoing(to, b"one")]);
        waker.wake();
        a.send(&[outgoing(to, b"two")]);
        waker.wake();
        assert_eq!(next(&mut *receiver), b"one");
        assert_eq!(next(&mut *receiver), b"two");
    }
}

fn receives_while_blocked(a: &dyn Transport, b: &dyn Transport) {
    for mut receiver in [unicast(b), both(b)] {
        let to = met(a, &*receiver);
        thread::scope(|scope| {
            scope.spawn(move || {
                thread::sleep(SHORT);
                a.send(&[outgoing(to, b"late")]);
            });
            let mut buffer = buffer();
            // `None` may mean nothing at all, for instance that somebody has made a way to here.
            let mut wait = || receiver.receive(&mut buffer, Wait::Until(None)).unwrap();
            let received = std::iter::repeat_with(&mut wait).take(3).flatten().next();
            assert_eq!(received.map(|r| r.length), Some(4));
            assert_eq!(&buffer[..], b"late");
        });
    }
}

fn carries_all_lengths(a: &dyn Transport, b: &dyn Transport) {
    let mut receiver = unicast(b);
    let to = met(a, &*receiver);
    let most = a.max_datagram().min(MEMORY);
    for length in [1, 2, 1471, 1472, 1473, 8192, 65000, most] {
        let bytes: Vec<u8> = (0..length).map(|n| n.to_le_bytes()[0]).collect();
        assert_all(&a.send(&[outgoing(to, &bytes)]), 1);
        assert_eq!(next(&mut *receiver), bytes);
    }
    let reception = receiver.statistics().read();
    assert!(reception.granted > 0);
    assert_eq!((reception.dropped, reception.oversized), (0, 0));
}

fn skips_what_cannot_be_sent(a: &dyn Transport, b: &dyn Transport) {
    let mut receiver = unicast(b);
    let to = met(a, &*receiver);
    let long = vec![0; a.max_datagram().max(a.max_whole_datagram(&to)) + 1];
    let foreign = Locator { kind: 12345, ..to };
    let sent = a.send(&[
        outgoing(to, b"first"),
        outgoing(to, &long),
        outgoing(foreign, b"never"),
        outgoing(to, b"second"),
    ]);
    assert_eq!((sent.datagrams, sent.failed), (2, 2), "{sent:?}");
    assert!(sent.error.is_some());
    assert_eq!(next(&mut *receiver), b"first");
    assert_eq!(next(&mut *receiver), b"second");
    let nothing = a.send(&[]);
    assert_eq!((nothing.datagrams, nothing.failed), (0, 0));
}

fn drops_what_does_not_fit(a: &dyn Transport, b: &dyn Transport) {
    let mut receiver = unicast(b);
    let to = met(a, &*receiver);
    a.send(&[outgoing(to, &[1; 100]), outgoing(to, &[2; 10])]);
    let mut small = BytesMut::with_capacity(50);
    wait(&mut *receiver, &mut small);
    assert_eq!(&small[..], [2; 10]);
    let reception = receiver.statistics().read();
    assert_eq!((reception.dropped, reception.oversized), (0, 1));
}

fn frees_its_port(a: &dyn Transport) {
    let receiver = unicast(a);
    let port = u16::try_from(receiver.locators()[0].port).unwrap();
    let waker = receiver.waker();
    drop(receiver);
    waker.wake();
    a.open(&[Listen::Unicast { port }]).unwrap();
}

fn survives_silence_at_the_other_end(a: &dyn Transport, b: &dyn Transport) {
    let mut receiver = unicast(b);
    let to = met(a, &*receiver);
    let gone = unicast(b).locators()[0];
    for _ in 0..10 {
        a.send(&[outgoing(gone, b"anybody?")]);
        assert_all(&a.send(&[outgoing(to, b"somebody")]), 1);
        assert_eq!(next(&mut *receiver), b"somebody");
    }
}

fn knows_what_is_near(a: &dyn Transport, b: &dyn Transport) {
    let receivers = [unicast(a), unicast(b)];
    // Who has no processor to answer in time is reached later.
    let [own, peer] = receivers.each_ref().map(|receiver| met(a, &**receiver));
    let foreign = Locator { kind: 12345, ..own };
    let near = match own.kind {
        Locator::KIND_SHMEM => Reach::Memory,
        _ => Reach::Host,
    };
    assert_eq!(a.reaches(&own), near);
    assert!(a.reaches(&peer) > Reach::Loopback);
    assert_eq!(a.reaches(&foreign), Reach::No);
    assert_eq!(
        nearest(a, &[foreign, peer, own]).map(|l| a.reaches(l)),
        Some(near)
    );
    assert_eq!(nearest(a, &[foreign]), None);
}

fn refuses_nonsense(a: &dyn Transport) {
    let no_group = Listen::Multicast {
        group: unicast(a).locators()[0],
    };
    let foreign = Listen::Multicast {
        group: Locator {
            kind: 12345,
            ..group(a, 7501)
        },
    };
    assert_eq!(kind(a.open(&[])), ErrorKind::InvalidInput);
    assert_eq!(kind(a.open(&[no_group])), ErrorKind::InvalidInput);
    assert_eq!(kind(a.open(&[foreign])), ErrorKind::InvalidInput);
}

fn unicast(transport: &dyn Transport) -> Box<dyn Receiver> {
    transport.open(&[Listen::Unicast { port: 0 }]).unwrap()
}

fn multicast(transport: &dyn Transport, port: u16) -> Box<dyn Receiver> {
    let group = group(transport, port);
    transport.open(&[Listen::Multicast { group }]).unwrap()
}

/// Whether it knows multicast; TCP does not.
fn has_groups(transport: &dyn Transport) -> bool {
    let group = group(transport, 7505);
    let opened = transport.open(&[Listen::Multicast { group }]);
    !opened.is_err_and(|error| error.kind() == ErrorKind::Unsupported)
}

fn all_kinds(transport: &dyn Transport) -> Vec<Box<dyn Receiver>> {
    let mut all = vec![unicast(transport), both(transport)];
    if has_groups(transport) {
        all.push(multicast(transport, 7504));
    }
    all
}

/// A receiver for a port and a group, as for discovery; for a port only where there are no groups.
fn both(transport: &dyn Transport) -> Box<dyn Receiver> {
    if !has_groups(transport) {
        return unicast(transport);
    }
    let group = group(transport, 7501);
    let listen = [Listen::Unicast { port: 0 }, Listen::Multicast { group }];
    transport.open(&listen).unwrap()
}

fn group(transport: &dyn Transport, port: u16) -> Locator {
    Locator {
        kind: transport.kind(),
        ..Locator::udp_v4(Ipv4Addr::new(239, 255, 0, 1), port)
    }
}

pub(crate) fn outgoing(to: Locator, payload: &[u8]) -> Outgoing<'_> {
    Outgoing {
        to,
        lane: None,
        head: &[],
        payload,
        tail: &[],
        patient: false,
        dscp: 0,
    }
}

/// Sends when there is room: rings may be shorter than the reader is slow.
fn send_with_room(from: &dyn Transport, to: Locator, payload: &[u8]) {
    let deadline = Instant::now() + SOON;
    while from.send(&[outgoing(to, payload)]).datagrams == 0 {
        assert!(Instant::now() < deadline, "there is no room");
        thread::yield_now();
    }
}

/// The next datagram, which must come soon.
pub(crate) fn next(receiver: &mut dyn Receiver) -> Vec<u8> {
    let mut buffer = buffer();
    let deadline = Instant::now() + SOON;
    loop {
        assert!(Instant::now() < deadline, "nothing came");
        buffer.reserve(receiver.announced());
        let until = Wait::Until(Some(deadline));
        if receiver.receive(&mut buffer, until).unwrap().is_some() {
            return buffer.to_vec();
        }
    }
}

/// Where the receiver is, once there is a way: some have to make one first, which takes time on a
/// busy machine.
fn met(from: &dyn Transport, receiver: &dyn Receiver) -> Locator {
    let to = receiver.locators()[0];
    let deadline = Instant::now() + 6 * SOON;
    while from.reaches(&to) == Reach::No && Instant::now() < deadline {
        thread::sleep(SHORT);
    }
    to
}

/// Sends to a group until the receiver hears it, as discovery does: who does not answer in time
/// hears a later one.
fn met_in_group(from: &dyn Transport, group: &Locator, receiver: &mut dyn Receiver) {
    let deadline = Instant::now() + SOON;
    let mut buffer = buffer();
    loop {
        assert!(Instant::now() < deadline, "nothing came");
        from.send(&[outgoing(*group, GREETING)]);
        let until = Wait::Until(Some(Instant::now() + SHORT));
        if receiver.receive(&mut buffer, until).unwrap().is_some() {
            return;
        }
    }
}

/// The next datagram that is no greeting of [`met_in_group`].
fn next_news(receiver: &mut dyn Receiver) -> Vec<u8> {
    let mut all = std::iter::repeat_with(|| next(receiver));
    all.find(|datagram| datagram != GREETING).unwrap()
}

/// A datagram that is there already.
pub(crate) fn poll(receiver: &mut dyn Receiver) -> Option<Vec<u8>> {
    let mut buffer = buffer();
    let received = receiver.receive(&mut buffer, Wait::Poll).unwrap();
    received.map(|_| buffer.to_vec())
}

fn wait(receiver: &mut dyn Receiver, buffer: &mut BytesMut) -> Received {
    let deadline = Instant::now() + SOON;
    loop {
        assert!(Instant::now() < deadline, "nothing came");
        let until = Wait::Until(Some(deadline));
        if let Some(received) = receiver.receive(buffer, until).unwrap() {
            return received;
        }
    }
}

/// Takes what a waker may have left behind.
fn settle(receiver: &mut dyn Receiver) {
    for _ in 0..3 {
        let until = Wait::Until(Some(Instant::now()));
        assert_eq!(receiver.receive(&mut buffer(), until).unwrap(), None);
    }
}

fn buffer() -> BytesMut {
    BytesMut::with_capacity(1 << 16)
}

fn assert_all(sent: &Sent, datagrams: usize) {
    assert_eq!((sent.datagrams, sent.failed), (datagrams, 0), "{sent:?}");
}

fn kind(result: std::io::Result<Box<dyn Receiver>>) -> ErrorKind {
    result.map(|_| ()).unwrap_err().kind()
}
