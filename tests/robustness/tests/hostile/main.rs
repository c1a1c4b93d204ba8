//! A participant with a healthy partner, while somebody sends it whatever hurts.
mod absent;
mod forged;
mod packet;
mod stream;
mod vectors;

use dunlin_robustness_tests::{
    Answer, Idle, Place, Process, Stretch, Threads, in_namespace, measure,
};
use packet::{Packet, Prefix, SPDP_WRITER, locator, participant};
use std::net::{Ipv4Addr, UdpSocket};
use std::time::{Duration, Instant};
use vectors::Cast;

const PEER: &str = env!("CARGO_BIN_EXE_robust_peer");
/// Where the first participant of domain 0 listens.
const META: (&str, u16) = ("127.0.0.1", 7410);
const USER: (&str, u16) = ("127.0.0.1", 7411);

/// No thread may compute longer than this on account of a packet.
const HANG: Duration = Duration::from_millis(10);

/// The runs that take minutes were asked for.
fn is_long() -> bool {
    std::env::var("DUNLIN_ROBUSTNESS").as_deref() == Ok("long")
}

/// What the kernel dropped because nobody took it from the socket with this port in time.
fn dropped_at(port: u16) -> u64 {
    let sockets = std::fs::read_to_string("/proc/self/net/udp").unwrap();
    let port = format!(":{port:04X}");
    let here = sockets.lines().filter_map(|line| {
        let words: Vec<_> = line.split_whitespace().collect();
        let drops = words.get(1)?.ends_with(&port).then(|| words.last())??;
        drops.parse::<u64>().ok()
    });
    here.sum()
}

fn start(arguments: &str) -> Process {
    Place::HERE.start(PEER, arguments)
}

/// Victim and partner, each writing 1000 samples a second to the other.
fn pair() -> (Process, Process) {
    pair_by("", "")
}

/// ... with these options besides.
fn pair_by(victim: &str, healthy: &str) -> (Process, Process) {
    // What it keeps for a partner that waits for a processor is bounded, and is no growth.
    let mut victim = start(&format!(
        "write=B read=A keep=0 limit=1000 block=300000 {victim}"
    ));
    let mut healthy = start(&format!("write=A read=B keep=0 {healthy}"));
    for peer in [&mut victim, &mut healthy] {
        peer.wait("matched");
    }
    for peer in [&mut victim, &mut healthy] {
        peer.ask("write 10000000 1000");
    }
    // Until everything that is made once has been made.
    victim.wait("received 1000");
    (victim, healthy)
}

/// The longest computation without a pause while nobody attacks, looked at as often as later. On a
/// busy machine the looks are further apart, and what several sleeps lay between counts as one
/// stretch.
fn usual(victim: &Process) -> Duration {
    let mut threads = Threads::of(victim.id());
    for _ in 0..200 {
        std::thread::sleep(Duration::from_millis(2));
        threads.look("nothing");
    }
    threads.longest().duration
}

/// Whether a stretch is longer than the usual one by no more than is allowed.
fn judge(busiest: &Stretch, usual: Duration) -> Result<(), String> {
    match busiest.duration > usual + HANG {
        true => Err(format!("{busiest:?}, usually {usual:?}")),
        false => Ok(()),
    }
}

fn guid(greeting: &Answer, name: &str) -> (Prefix, [u8; 4]) {
    let hex = greeting.get(name).to_owned();
    let byte = |i: usize| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap();
    let bytes: [u8; 16] = std::array::from_fn(byte);
    (
        bytes[..12].try_into().unwrap(),
        bytes[12..].try_into().unwrap(),
    )
}

/// The victim believes that the enemy is where it says.
fn prove(cast: &Cast, enemy: &UdpSocket) {
    let pause = Duration::from_millis(100);
    enemy.set_read_timeout(Some(pause)).unwrap();
    let say = |packet: &[u8]| {
        enemy.send_to(packet, META).unwrap();
    };
    let hear = || {
        let mut room = vec![0; 65_536];
        let length = enemy.recv(&mut room).unwrap_or(0);
        room.truncate(length);
        room
    };
    prove_by(cast, say, hear);
}

/// Announces the enemy until the victim asks where it is, and answers.
fn prove_by(cast: &Cast, mut say: impl FnMut(&[u8]), mut hear: impl FnMut() -> Vec<u8>) {
    let announcement = cast.introduction(["A", "B"]).swap_remove(0);
    for _ in 0..200 {
        say(&announcement);
        if let Some(answer) = cast.proof(&hear()) {
            return say(&answer);
        }
    }
}

/// Asks for a report of what happened since the last one.
fn interval(peer: &mut Process) -> Answer {
    let report = peer.ask("report");
    peer.ask("restart");
    report
}

/// Ends the conversation; nothing may be missing on either side.
fn check(victim: &mut Process, healthy: &mut Process) {
    let wrote = [healthy.ask("stop"), victim.ask("stop")];
    for (peer, wrote) in [victim, healthy].into_iter().zip(wrote) {
        assert_eq!(wrote.get("error"), "none", "{}", wrote.text);
        peer.wait(&format!("received {}", wrote.number("wrote")));
        let report = peer.ask("report");
        for fault in ["missing", "doubled", "disordered", "damaged"] {
            assert_eq!(report.number(fault), 0, "{}", report.text);
        }
    }
}

#[test]
fn hostile_packets_disturb_nobody() {
    in_namespace("hostile_packets_disturb_nobody", || {
        let (mut victim, mut healthy) = pair();
        let (own, writer) = guid(&victim.greeting, "writer");
        let (partner, partner_writer) = guid(&healthy.greeting, "writer");
        let enemy = UdpSocket::bind("127.0.0.1:0").unwrap();
        let cast = Cast {
            victim: own,
            writer,
            healthy: partner,
            healthy_writer: partner_writer,
            mallory: *b"mallory lies",
            kind: 1,
            port: u32::from(enemy.local_addr().unwrap().port()),
        };
        prove(&cast, &enemy);
        for packet in cast.introduction(["A", "B"]) {
            enemy.send_to(&packet, META).unwrap();
            std::thread::sleep(Duration::from_millis(20));
        }
        let known = victim.ask("discovery").text;
        assert_eq!(
            known.matches("writer ").count(),
            2,
            "the enemy is believed so far: {known}"
        );
        interval(&mut victim);
        std::thread::sleep(Duration::from_secs(2));
        let before = interval(&mut victim);
        let vectors = cast.vectors();
        assert!(vectors.len() >= 60);
        for row in 1..=20 {
            assert!(
                vectors.iter().any(|v| v.0 == row),
                "no vector for row {row}"
            );
        }
        let rounds = if is_long() { 100 } else { 10 };
        let mut seen = None;
        measure(|| {
            let usual = usual(&victim);
            let idle = Idle::begin();
            let mut threads = Threads::of(victim.id());
            for _ in 0..rounds {
                for (row, name, packet) in &vectors {
                    for to in [META, USER] {
                        enemy.send_to(packet, to).unwrap();
                    }
                    std::thread::sleep(Duration::from_millis(2));
                    threads.look(&format!("row {row}, {name}"));
                }
            }
            let busiest = threads.longest().clone();
            judge(&busiest, usual)?;
            // First fragments of samples that are never completed.
            for sequence in 100..5100 {
                let frag = Packet::from(cast.mallory).to(own).frag(
                    vectors::MALLORY_WRITER,
                    sequence,
                    1,
                    1,
                    64,
                    60 << 20,
                );
                enemy.send_to(&frag.0, USER).unwrap();
            }
            std::thread::sleep(Duration::from_millis(1500));
            let (report, _) = seen.insert((interval(&mut victim), busiest));
            let most = 10_000 + 2 * before.number("gap");
            match report.number("gap") > most && idle.judge() {
                true => Err(format!("a gap of {} us", report.get("gap"))),
                false => Ok(()),
            }
        });
        let (after, busiest) = seen.unwrap();
        assert_eq!(victim.ask("unmatched 0").text, "timeout");
        check(&mut victim, &mut healthy);
        let grown = after.number("rss") - before.number("rss");
        println!(
            "FIGURE {} vectors x {rounds} x 2 ports and 5000 first fragments: healthy peer at 1 kHz lost 0, longest computation without a \
             pause {} us ({}, {}), longest gap {} us (undisturbed {} us), p99 {} us (undisturbed {} us), RSS {grown:+} KiB, {} malformed",
            vectors.len(),
            busiest.duration.as_micros(),
            busiest.thread,
            busiest.during,
            after.get("gap"),
            before.get("gap"),
            after.get("p99"),
            before.get("p99"),
            after.get("malformed")
        );
        assert!(grown <= 8 << 10, "RSS grew by {grown} KiB");
    });
}

#[test]
fn a_participant_joins_in_the_middle_of_a_flood_of_inventions() {
    let name = "a_participant_joins_in_the_middle_of_a_flood_of_inventions";
    in_namespace(name, || measure(join_a_flood));
}

fn join_a_flood() -> Result<(), String> {
    let (mut victim, mut healthy) = pair();
    let before = interval(&mut victim);
    let seconds = if is_long() { 20 } else { 5 };
    victim.forget_peak();
    let idle = Idle::begin();
    let flood = std::thread::spawn(move || flood(5000 * seconds, 5000));
    // One joins early, and one when the victim knows as many inventions as it ever will.
    let joined = [1, seconds - 3].map(|after| {
        std::thread::sleep(Duration::from_secs(u64::from(after)));
        assert!(!flood.is_finished(), "nothing to join in the middle of");
        let begin = Instant::now();
        let mut late = start("read=B");
        late.wait("matched");
        begin.elapsed()
    });
    let (sent, took) = flood.join().unwrap();
    let after = interval(&mut victim);
    let grown = victim.peak_kib() - before.number("rss");
    let unread = dropped_at(META.1);
    check(&mut victim, &mut healthy);
    println!(
        "FIGURE {sent} invented participants in {:.1} s: healthy peer at 1 kHz lost 0, longest gap {} us (undisturbed {} us), \
             RSS {grown:+} KiB at most, participants joined in {} and {} ms, {unread} datagrams dropped by the kernel",
        took.as_secs_f64(),
        after.get("gap"),
        before.get("gap"),
        joined[0].as_millis(),
        joined[1].as_millis()
    );
    assert!(grown <= 32 << 10, "RSS grew by {grown} KiB");
    let (due, quiet) = (Duration::from_secs(seconds.into()), idle.judge());
    match quiet {
        true if joined.iter().any(|after| *after > Duration::from_secs(3)) => {
            Err(format!("joined after {joined:?}"))
        }
        true if took > due + due / 10 => Err(format!("no flood of 5000 a second: {took:?}")),
        true if unread > u64::from(sent / 10) => {
            Err(format!("the victim has not seen {unread} of the flood"))
        }
        _ => Ok(()),
    }
}

/// Announces so many participants that do not exist.
fn flood(count: u32, rate: u32) -> (u32, Duration) {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let place = locator(1, 9999, [127, 0, 0, 9]);
    let begin = Instant::now();
    for n in 0..count {
        let mut prefix = *b"invented....";
        prefix[8..].copy_from_slice(&n.wrapping_mul(0x9e37_79b1).to_be_bytes());
        let packet = Packet::from(prefix).data(SPDP_WRITER, 1, &participant(prefix, &place, &[]));
        socket.send_to(&packet.0, META).unwrap();
        let due = begin + Duration::from_secs_f64(f64::from(n) / f64::from(rate));
        if n % 50 == 0 {
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
        }
    }
    (count, begin.elapsed())
}

#[test]
fn nobody_is_sent_more_than_three_times_what_came_in_its_name() {
    let name = "nobody_is_sent_more_than_three_times_what_came_in_its_name";
    in_namespace(name, || {
        let (_victim, _healthy) = pair();
        let group = Ipv4Addr::new(239, 66, 0, 1);
        let bystander = UdpSocket::bind("127.0.0.9:9999").unwrap();
        let service = UdpSocket::bind("127.0.0.9:53").ok();
        let listeners = UdpSocket::bind((group, 9999)).unwrap();
        listeners
            .join_multicast_v4(&group, &Ipv4Addr::LOCALHOST)
            .unwrap();
        let enemy = UdpSocket::bind("127.0.0.8:0").unwrap();
        let mut sent = [0; 3];
        let places = [
            ([127, 0, 0, 9], 9999),
            ([127, 0, 0, 9], 53),
            ([239, 66, 0, 1], 9999),
        ];
        for repeat in 0..3 {
            for (which, (address, port)) in places.into_iter().enumerate() {
                let mut prefix = *b"spoofed  ...";
                prefix[9] = which as u8;
                let data = participant(prefix, &locator(1, port, address), &[]);
                let packet = Packet::from(prefix).data(SPDP_WRITER, 1, &data);
                sent[which] += enemy.send_to(&packet.0, META).unwrap();
            }
            std::thread::sleep(Duration::from_secs(2 + repeat % 2));
        }
        let drawn = received(&bystander);
        println!(
            "FIGURE amplification in 7 s: {} bytes in its name drew {drawn} bytes to a bystander, {:.2} x",
            sent[0],
            drawn as f64 / sent[0] as f64
        );
        assert!(drawn > 0 && drawn <= 3 * sent[0], "{drawn} of {}", sent[0]);
        assert_eq!(
            service.as_ref().map_or(0, received),
            0,
            "to a port below 1024"
        );
        assert_eq!(received(&listeners), 0, "to a group");
    });
}

/// Bytes that have come.
fn received(socket: &UdpSocket) -> usize {
    socket.set_nonblocking(true).unwrap();
    let mut buffer = [0; 65_536];
    std::iter::from_fn(|| socket.recv(&mut buffer).ok()).sum()
}

/// Twenty writers, each with as many samples begun as are kept, of which one fragment came that
/// lies far behind a hole.
#[test]
fn fragments_behind_holes_cost_what_came() {
    in_namespace("fragments_behind_holes_cost_what_came", || {
        let (mut victim, mut healthy) = pair();
        let (own, writer) = guid(&victim.greeting, "writer");
        let (partner, partner_writer) = guid(&healthy.greeting, "writer");
        let enemy = UdpSocket::bind("127.0.0.1:0").unwrap();
        let cast = Cast {
            victim: own,
            writer,
            healthy: partner,
            healthy_writer: partner_writer,
            mallory: *b"mallory lies",
            kind: 1,
            port: u32::from(enemy.local_addr().unwrap().port()),
        };
        prove(&cast, &enemy);
        for packet in cast.introduction(["A", "B"]) {
            enemy.send_to(&packet, META).unwrap();
            std::thread::sleep(Duration::from_millis(20));
        }
        let writers: Vec<_> = (20..40).map(|n| [0, 0, n, 0x03]).collect();
        for (sequence, writer) in (2..).zip(&writers) {
            let packet = cast.publication(sequence, *writer, "A");
            enemy.send_to(&packet, META).unwrap();
            std::thread::sleep(Duration::from_millis(5));
        }
        let known = victim.ask("discovery").text;
        assert_eq!(
            known.matches("writer ").count(),
            22,
            "the enemy is believed so far: {known}"
        );
        interval(&mut victim);
        std::thread::sleep(Duration::from_secs(1));
        let before = interval(&mut victim);
        for sequence in 1..=64 {
            for writer in &writers {
                // Of 64 bytes each, 2 MiB behind the beginning.
                let packet = Packet::from(cast.mallory).to(own);
                let frag = packet.frag(*writer, sequence, 32_000, 1, 64, 3 << 20);
                enemy.send_to(&frag.0, USER).unwrap();
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        std::thread::sleep(Duration::from_secs(1));
        let after = interval(&mut victim);
        check(&mut victim, &mut healthy);
        let most = victim.peak_kib() - before.number("rss");
        let grown = after.number("rss") - before.number("rss");
        println!(
            "FIGURE 20 invented writers, 64 samples each with a fragment behind a hole of 2 MiB: healthy peer at 1 kHz lost 0, longest gap {} \
             us, RSS {grown:+} KiB, at its highest {most:+} KiB",
            after.get("gap")
        );
        assert!(grown <= 8 << 10, "RSS grew by {grown} KiB");
        assert!(most <= 32 << 10, "RSS grew by {most} KiB for a while");
    });
}
