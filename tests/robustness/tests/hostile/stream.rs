//! The same by TCP, and what only streams can suffer.
use crate::packet::{Packet, Prefix};
use crate::vectors::{self, Cast};
use crate::{check, guid, interval, judge, pair_by, prove_by, start, usual};
use dunlin_robustness_tests::{
    Control, Figures, Holdings, Idle, Place, Threads, in_namespace, measure,
};
use dunlin_wire::stream::{self, HEAD};
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{SocketAddrV4, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const VICTIM: &str = "transports=tcp port=7400";
const HEALTHY: &str = "transports=tcp port=7500 peers=127.0.0.1:7400";
const ENEMY: Prefix = *b"mallory lies";

/// What the victim says by connections of its own.
type Heard = Arc<Mutex<Vec<u8>>>;

/// A connection to the victim; `None` if it has no room at present.
fn dial() -> Option<TcpStream> {
    let to = SocketAddrV4::new([127, 0, 0, 1].into(), 7400);
    let stream = TcpStream::connect_timeout(&to.into(), Duration::from_secs(5)).ok()?;
    stream.set_nonblocking(true).ok()?;
    Some(stream)
}

/// A connection on which this has been said, as much as went at once. The victim may have ended it.
fn say(bytes: &[u8]) -> Option<TcpStream> {
    let mut stream = dial()?;
    let _ = stream.write_all(bytes);
    Some(stream)
}

/// A message as it stands in a stream; what has no header has no place there for its length.
fn frame(packet: &[u8]) -> Vec<u8> {
    match packet.split_first_chunk() {
        Some((header, rest)) => [&stream::head(header, packet.len() as u32), rest].concat(),
        None => packet.to_vec(),
    }
}

/// The head of a message that claims to have so many bytes.
fn claim(length: u32) -> [u8; HEAD] {
    let header = Packet::from(ENEMY).0;
    let header = header.first_chunk().expect("a packet begins with a header");
    stream::head(header, length)
}

/// The end of a connection without a farewell.
fn reset(stream: TcpStream) {
    let _ = rustix::net::sockopt::set_socket_linger(&stream, Some(Duration::ZERO));
}

/// What takes place beside the healthy peer, for about six seconds, evenly. `turns` is called every
/// second. What it returns is open until it is dropped.
fn besiege(begin: Instant, turns: &mut impl FnMut()) -> Vec<TcpStream> {
    let mut open = Vec::new();
    let mut slow: Vec<_> = (0..50).filter_map(|_| dial()).collect();
    let head = claim(1000);
    let mut noise: u64 = 0x9e37_79b9_7f4a_7c15;
    for turn in 1..=600 {
        for _ in 0..2 {
            open.extend(dial());
            dial().into_iter().for_each(reset);
            say(&head[..10]).into_iter().for_each(reset);
        }
        if turn % 2 == 0 {
            let garbage = (0..4096).map(|_| {
                noise ^= noise << 13;
                noise ^= noise >> 7;
                noise ^= noise << 17;
                noise as u8
            });
            open.extend(say(&garbage.collect::<Vec<_>>()));
            open.extend(say(&[&head[..], &[0x5a; 2000]].concat()));
        }
        if turn % 3 == 0 {
            let length = [u32::MAX - 8, 1 << 30, (256 << 20) - 100][turn / 3 % 3];
            open.extend(say(&[&claim(length)[..], &[0; 64 << 10]].concat()));
        }
        if turn % 100 == 0 {
            for stream in &mut slow {
                let _ = stream.write_all(&head[turn / 100 - 1..turn / 100]);
            }
            turns();
        }
        let due = begin + Duration::from_millis(10 * turn as u64);
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
    }
    open.extend(slow);
    open
}

/// Handshakes that are never completed, if the kernel can be made to: what would complete them is
/// dropped.
fn half_open() -> usize {
    let rules = "add table ip half\nadd chain ip half out { type filter hook output priority 0; }\n\
         add rule ip half out ip saddr 127.0.0.66 tcp dport 7400 tcp flags & (syn | ack) == ack drop\n";
    if !Place::HERE.filter(rules) {
        return 0;
    }
    let begun = (0..500).filter_map(|_| {
        let socket = half_socket()?;
        let to = SocketAddrV4::new([127, 0, 0, 1].into(), 7400);
        let _ = rustix::net::connect(&socket, &to);
        Some(socket)
    });
    begun.collect::<Vec<_>>().len()
}

fn half_socket() -> Option<std::os::fd::OwnedFd> {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, socket_with};
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None).ok()?;
    bind(&socket, &SocketAddrV4::new([127, 0, 0, 66].into(), 0)).ok()?;
    Some(socket)
}

/// A receiver that once had many connections keeps the set in which it awaits them.
fn with_a_set(holdings: Holdings) -> Holdings {
    Holdings {
        descriptors: holdings.descriptors + 1,
        ..holdings
    }
}

fn siege() -> Result<(), String> {
    let (mut victim, mut healthy) = pair_by(VICTIM, HEALTHY);
    let control = Control::start();
    let [mut undisturbed, mut beside] = [(); 2].map(|()| Figures::default());
    let before = interval(&mut victim);
    control.p99();
    for _ in 0..6 {
        std::thread::sleep(Duration::from_secs(1));
        undisturbed.note(interval(&mut victim).number("p99"), &control);
    }
    let holdings = victim.holdings();
    victim.forget_peak();
    let idle = Idle::begin();
    let mut most = 0;
    let begun = half_open();
    let open = besiege(Instant::now(), &mut || {
        most = most.max(victim.holdings().descriptors);
        beside.note(interval(&mut victim).number("p99"), &control);
    });
    let quiet = idle.judge();
    let grown = victim.peak_kib() - before.number("rss");
    let refused = victim.ask("report").number("connections_refused");
    assert_eq!(victim.ask("unmatched 0").text, "timeout");
    check(&mut victim, &mut healthy);
    let tried = open.len();
    drop(open);
    victim.comes_back_to(with_a_set(holdings));
    println!(
        "FIGURE {tried} hostile connections, 2400 resets and {begun} half-open ones: healthy peer at 1 kHz by TCP lost 0, median p99 {beside}, \
         undisturbed {undisturbed}, RSS {grown:+} KiB at most, at most {most} descriptors, then {} as before, {refused} refused",
        holdings.descriptors
    );
    assert!(grown <= 32 << 10, "RSS grew by {grown} KiB");
    // As many as there are for which it has no place; on a busy machine fewer have come by then.
    assert!(
        refused > if quiet { 500 } else { 0 },
        "{refused} were refused"
    );
    drop(healthy);
    let mut again = start(&format!("write=A read=B {HEALTHY}"));
    again.wait("matched");
    match quiet {
        true => beside.judge(&undisturbed),
        false => Ok(()),
    }
}

#[test]
fn hostile_connections_disturb_nobody() {
    in_namespace("stream::hostile_connections_disturb_nobody", || {
        measure(siege)
    });
}

/// Accepts what the victim dials, and reads all that it says: the first of that can be heard.
fn listen(stopped: &Arc<AtomicBool>, heard: &Heard) -> u32 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port of its own");
    listener
        .set_nonblocking(true)
        .expect("a socket may not wait");
    let port = listener.local_addr().expect("it is bound").port();
    let (stopped, heard) = (Arc::clone(stopped), Arc::clone(heard));
    std::thread::spawn(move || {
        let mut streams: Vec<TcpStream> = Vec::new();
        let mut room = [0; 65_536];
        while !stopped.load(SeqCst) {
            if let Ok((stream, _)) = listener.accept() {
                let _ = stream.set_nonblocking(true);
                streams.push(stream);
            }
            streams.retain_mut(|stream| match stream.read(&mut room) {
                Ok(0) => false,
                Ok(length) => {
                    let mut heard = heard.lock().unwrap();
                    if heard.len() < 1 << 20 {
                        heard.extend(&room[..length]);
                    }
                    true
                }
                Err(_) => true,
            });
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    port.into()
}

#[test]
fn hostile_packets_in_streams_disturb_nobody() {
    in_namespace("stream::hostile_packets_in_streams_disturb_nobody", || {
        let (mut victim, mut healthy) = pair_by(VICTIM, HEALTHY);
        let holdings = victim.holdings();
        let (own, writer) = guid(&victim.greeting, "writer");
        let (partner, partner_writer) = guid(&healthy.greeting, "writer");
        let stopped = Arc::new(AtomicBool::new(false));
        let heard = Heard::default();
        let cast = Cast {
            victim: own,
            writer,
            healthy: partner,
            healthy_writer: partner_writer,
            mallory: ENEMY,
            kind: 4,
            port: listen(&stopped, &heard),
        };
        let mut enemy = dial().expect("the victim listens");
        let mut answers = enemy.try_clone().expect("a descriptor is left");
        let hear = || {
            std::thread::sleep(Duration::from_millis(50));
            let mut room = [0; 65_536];
            let length = answers.read(&mut room).unwrap_or(0);
            let mut all = heard.lock().unwrap();
            all.extend(&room[..length]);
            all.clone()
        };
        let tell = |packet: &[u8]| enemy.write_all(&frame(packet)).expect("the victim reads");
        prove_by(&cast, tell, hear);
        drop(answers);
        for packet in cast.introduction(["A", "B"]) {
            enemy.write_all(&frame(&packet)).expect("the victim reads");
            std::thread::sleep(Duration::from_millis(50));
        }
        let known = victim.ask("discovery").text;
        assert_eq!(
            known.matches("writer ").count(),
            2,
            "the enemy is believed so far: {known}"
        );
        let before = interval(&mut victim);
        let usual = usual(&victim);
        let mut threads = Threads::of(victim.id());
        let mut open = VecDeque::new();
        let vectors = cast.vectors();
        for _ in 0..3 {
            for (row, name, packet) in &vectors {
                open.push_back(say(&frame(packet)));
                open.push_back(say(packet));
                if open.len() > 100 {
                    open.drain(..2);
                }
                std::thread::sleep(Duration::from_millis(2));
                threads.look(&format!("row {row}, {name}"));
            }
        }
        let busiest = threads.longest().clone();
        enemy.set_nonblocking(false).expect("a socket may wait");
        for sequence in 100..2100 {
            let packet = Packet::from(ENEMY).to(own);
            let frag = packet.frag(vectors::MALLORY_WRITER, sequence, 1, 1, 64, 60 << 20);
            let _ = enemy.write_all(&frame(&frag.0));
        }
        std::thread::sleep(Duration::from_millis(500));
        let after = interval(&mut victim);
        assert_eq!(victim.ask("unmatched 0").text, "timeout");
        check(&mut victim, &mut healthy);
        let grown = after.number("rss") - before.number("rss");
        println!(
            "FIGURE {} vectors x 3 in streams, framed and not, and 2000 first fragments: healthy peer at 1 kHz by TCP lost 0, longest computation \
             without a pause {} us ({}, {}), RSS {grown:+} KiB, {} malformed, {} connections refused",
            vectors.len(),
            busiest.duration.as_micros(),
            busiest.thread,
            busiest.during,
            after.get("malformed"),
            after.get("connections_refused")
        );
        assert!(grown <= 8 << 10, "RSS grew by {grown} KiB");
        assert_eq!(judge(&busiest, usual), Ok(()));
        drop((open, enemy));
        stopped.store(true, SeqCst);
        victim.comes_back_to(with_a_set(holdings));
    });
}
