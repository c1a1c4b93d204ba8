//! Datagrams between sockets of this process over 127.0.0.1, and what they cost.
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::AsFd;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use dunlin_udp::{Buffers, Datagram, Egress, Event, Socket, interfaces, poll_readable};

const LONG: Option<Duration> = Some(Duration::from_secs(120));

fn socket() -> Socket {
    Socket::unicast(
        SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0),
        Buffers::default(),
    )
    .unwrap()
}

fn datagram<'a>(to: &Socket, parts: [&'a [u8]; 3]) -> Datagram<'a> {
    Datagram {
        to: to.local_addr(),
        via: None,
        dscp: 0,
        parts,
    }
}

#[test]
fn three_parts_arrive_as_one_datagram() {
    let (a, b) = (socket(), socket());
    let sent = a.send([datagram(&b, [b"head ", b"payload", b" tail"])]);
    assert_eq!((sent.datagrams, sent.failed), (1, 0));
    let mut buffer = BytesMut::with_capacity(65536);
    buffer.extend_from_slice(b"before ");
    let arrival = b.receive(&mut buffer, true).unwrap();
    assert_eq!(&buffer[..], b"before head payload tail");
    assert_eq!((arrival.length, arrival.from), (17, a.local_addr()));
    assert_eq!((arrival.to, arrival.truncated), (None, false));
}

#[test]
fn nothing_there_is_said_at_once() {
    let mut buffer = BytesMut::with_capacity(65536);
    let error = socket().receive(&mut buffer, false).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WouldBlock);
    assert!(buffer.is_empty());
}

#[test]
fn many_datagrams_keep_their_order() {
    let (a, b) = (socket(), socket());
    let texts: Vec<String> = (0..150).map(|n| n.to_string()).collect();
    let sent = a.send(
        texts
            .iter()
            .map(|t| datagram(&b, [t.as_bytes(), b"", b"!"])),
    );
    assert_eq!((sent.datagrams, sent.failed), (150, 0));
    for text in texts {
        let mut buffer = BytesMut::with_capacity(64);
        b.receive(&mut buffer, true).unwrap();
        assert_eq!(&buffer[..], format!("{text}!").as_bytes());
    }
}

/// Sends runs of one size to two sockets in turn, and expects each to get its own in their order.
fn send_runs(from: &Socket) {
    let (b, c) = (socket(), socket());
    let bytes: Vec<Vec<u8>> = (0..=255).map(|n| vec![n; 1400]).collect();
    let run = |to: &Socket, from: usize, lengths: &[usize]| -> Vec<_> {
        let parts = bytes[from..].iter().zip(lengths);
        let parts = parts.map(|(bytes, length)| bytes[..*length].split_at(length / 3));
        parts
            .map(|(head, tail)| datagram(to, [head, b"", tail]))
            .collect()
    };
    // Equal ones and a shorter last one, then longer ones; more than one message may have; an empty
    // one between; single ones in turn.
    let first = [1000, 1000, 1000, 700, 1400, 1400, 1399];
    let long = [1400; 150];
    let last = [0, 8, 8, 0, 8];
    let mut all = run(&b, 0, &first);
    all.extend(run(&c, 7, &long));
    all.extend(run(&b, 157, &last));
    all.extend((0..4).flat_map(|n| {
        let to = if n % 2 == 0 { &b } else { &c };
        run(to, 162 + n, &[100])
    }));
    let sent = from.send(all.iter().copied());
    assert_eq!((sent.datagrams, sent.failed), (all.len(), 0));
    let mut buffer = BytesMut::with_capacity(65536);
    for sent in all {
        let to = if sent.to == b.local_addr() { &b } else { &c };
        buffer.clear();
        to.receive(&mut buffer, true).unwrap();
        assert_eq!(&buffer[..], sent.parts.concat());
    }
}

#[test]
fn runs_of_one_size_arrive_as_the_datagrams_they_are() {
    send_runs(&socket());
}

/// The kernel does not cut messages of such a socket.
#[test]
fn where_messages_are_not_cut_each_datagram_is_one() {
    let from = socket();
    let on: libc::c_int = 1;
    // SAFETY: the value is an int of this frame, and the length is that of an int.
    let result = unsafe {
        libc::setsockopt(
            from.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_NO_CHECK,
            (&raw const on).cast(),
            size_of_val(&on) as libc::socklen_t,
        )
    };
    assert_eq!(result, 0);
    send_runs(&from);
    send_runs(&from);
}

#[test]
fn a_datagram_that_cannot_be_sent_is_skipped() {
    let (a, b) = (socket(), socket());
    let huge = vec![0; 65508];
    let good = datagram(&b, [b"good", b"", b""]);
    let bad = datagram(&b, [b"", &huge, b""]);
    let sent = a.send([good, bad, good, bad]);
    assert_eq!((sent.datagrams, sent.failed), (2, 2));
    assert_eq!(sent.error.unwrap().raw_os_error(), Some(libc::EMSGSIZE));
    let sent = a.send([bad]);
    assert_eq!((sent.datagrams, sent.failed), (0, 1));
}

#[test]
fn a_datagram_longer_than_the_buffer_leaves_nothing_behind() {
    let (a, b) = (socket(), socket());
    a.send([datagram(&b, [&[7; 100], b"", b""])]);
    let mut buffer = BytesMut::with_capacity(64);
    let arrival = b.receive(&mut buffer, true).unwrap();
    assert!(arrival.truncated);
    assert_eq!((arrival.length, buffer.len()), (0, 0));
}

#[test]
fn the_largest_and_the_smallest_datagram_travel() {
    let (a, b) = (socket(), socket());
    let large = vec![9; 65507];
    a.send([
        datagram(&b, [&large, b"", b""]),
        datagram(&b, [b"", b"", b""]),
    ]);
    let mut buffer = BytesMut::with_capacity(1 << 17);
    assert_eq!(b.receive(&mut buffer, true).unwrap().length, 65507);
    assert_eq!(b.receive(&mut buffer, true).unwrap().length, 0);
    assert!(buffer.iter().all(|byte| *byte == 9));
}

#[test]
fn what_the_kernel_drops_is_counted() {
    let a = socket();
    let tight = Buffers {
        receive: 1,
        send: 1 << 20,
    };
    let b = Socket::unicast(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0), tight).unwrap();
    for _ in 0..200 {
        a.send([datagram(&b, [b"x", b"", b""])]);
    }
    let mut buffer = BytesMut::with_capacity(65536);
    while b.receive(&mut buffer, false).is_ok() {}
    let kept = u32::try_from(buffer.len()).unwrap();
    assert!(kept < 200);
    assert_eq!(b.dropped().unwrap(), 200 - kept);
}

#[test]
fn a_socket_tells_the_address_that_was_meant() {
    let (a, mut b) = (socket(), socket());
    b.report_destination().unwrap();
    a.send([datagram(&b, [b"x", b"", b""])]);
    let mut buffer = BytesMut::with_capacity(64);
    let arrival = b.receive(&mut buffer, true).unwrap();
    assert_eq!(arrival.to, Some(Ipv4Addr::LOCALHOST));
}

#[test]
fn an_interface_can_be_named_for_a_datagram() {
    let (a, b) = (socket(), socket());
    let lo = interfaces()
        .unwrap()
        .into_iter()
        .find(|i| i.loopback)
        .unwrap();
    let via = Some(Egress {
        index: lo.index,
        source: Ipv4Addr::LOCALHOST,
    });
    let named = Datagram {
        via,
        ..datagram(&b, [b"x", b"", b""])
    };
    assert_eq!(a.send([named, named]).datagrams, 2);
    assert_eq!(a.send([named]).datagrams, 1);
}

#[test]
fn a_wait_ends_by_datagram_event_or_time() {
    let (a, b, c) = (socket(), socket(), socket());
    let event = Event::new().unwrap();
    let start = Instant::now();
    let ready = poll_readable(
        [b.as_fd(), c.as_fd()],
        Some(&event),
        Some(Duration::from_millis(20)),
    )
    .unwrap();
    assert!(start.elapsed() >= Duration::from_millis(20));
    assert_eq!(ready, Default::default());

    a.send([datagram(&c, [b"x", b"", b""])]);
    let ready = poll_readable([b.as_fd(), c.as_fd()], Some(&event), LONG).unwrap();
    assert_eq!(
        (ready.socket(0), ready.socket(1), ready.event),
        (false, true, false)
    );

    event.set();
    let ready = poll_readable([b.as_fd()], Some(&event), LONG).unwrap();
    assert_eq!((ready.socket(0), ready.event), (false, true));
    event.clear();
    let ready = poll_readable([b.as_fd()], Some(&event), Some(Duration::ZERO)).unwrap();
    assert!(!ready.event);
}

#[test]
fn sending_and_receiving_allocate_nothing() {
    let (a, b) = (socket(), socket());
    let mut buffer = BytesMut::with_capacity(1 << 20);
    let one = datagram(&b, [b"head", b"payload", b"tail"]);
    let before = allocations();
    for _ in 0..100 {
        assert_eq!(a.send([one]).datagrams, 1);
        assert_eq!(a.send([one, one, one]).datagrams, 3);
        for _ in 0..4 {
            b.receive(&mut buffer, true).unwrap();
        }
        assert!(b.receive(&mut buffer, false).is_err());
        buffer.clear();
    }
    assert_eq!(allocations() - before, 0);
}

fn allocations() -> u64 {
    COUNT.with(Cell::get)
}

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, counting the calls of each thread.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

// SAFETY: every call is handed to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promise is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is the same.
        unsafe { System.dealloc(pointer, layout) }
    }
}
