//! A healthy pair at 1 kHz for a long time, beside everything that strangers, neighbours and dying
//! peers can do.
//!
//! `DUNLIN_SOAK_SECONDS` is how long (600), `DUNLIN_SOAK_ATTACKS` names some of the attacks, with
//! commas between, if not all are wanted: those of `attacks.rs`, and `kills`.
#[allow(dead_code, reason = "the test `hostile` uses all of it")]
#[path = "../hostile/absent.rs"]
mod absent;
mod attacks;
#[allow(dead_code, reason = "as above")]
#[path = "../hostile/packet.rs"]
mod packet;
#[allow(dead_code, reason = "as above")]
#[path = "../hostile/vectors.rs"]
mod vectors;

use attacks::{ATTACKS, Attacker};
use dunlin_robustness_tests::{Place, Process, in_namespace};
use packet::Prefix;
use std::net::UdpSocket;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use vectors::Cast;

const PEER: &str = env!("CARGO_BIN_EXE_robust_peer");
/// Where the first participant of domain 0 listens.
pub(crate) const META: (&str, u16) = ("127.0.0.1", 7410);
pub(crate) const USER: (&str, u16) = ("127.0.0.1", 7411);

/// What the victim's memory may grow by, in KiB.
const GROWTH: i64 = 32 << 10;
/// The longest time without a sample, in microseconds. A reader that is deaf until the attacks end gets everything
/// from the writer's history then, so what it missed does not show it.
const SILENCE: i64 = 5_000_000;
/// The short form, in every run.
const SHORT: Duration = Duration::from_secs(10);
const LONG: u64 = 600;

fn start(arguments: &str) -> Process {
    Place::HERE.start(PEER, arguments)
}

/// The prefix and entity that a greeting names.
fn guid(peer: &Process, name: &str) -> (Prefix, [u8; 4]) {
    let hex = peer.greeting.get(name);
    let byte = |i: usize| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap();
    let prefix = std::array::from_fn(byte);
    (prefix, std::array::from_fn(|i| byte(12 + i)))
}

/// Peers that match the victim's writer and are killed; how many.
fn kills(stop: &AtomicBool) -> u32 {
    let mut killed = 0;
    while !stop.load(Relaxed) {
        let mut peer = start("read=B");
        peer.wait("matched");
        std::thread::sleep(Duration::from_millis(200));
        peer.kill();
        killed += 1;
    }
    killed
}

/// Everything that went wrong with the pair.
fn faults(victim: &mut Process, healthy: &mut Process) -> Vec<String> {
    let wrote = [healthy.ask("stop"), victim.ask("stop")];
    let mut faults = Vec::new();
    for ((peer, name), wrote) in [(victim, "victim"), (healthy, "partner")]
        .into_iter()
        .zip(wrote)
    {
        if wrote.get("error") != "none" {
            faults.push(format!("who writes to the {name}: {}", wrote.text));
        }
        let all = peer.ask(&format!("received {} 20", wrote.number("wrote")));
        let report = peer.ask("report");
        let faults_of = ["doubled", "disordered", "damaged"];
        // A forged sample takes the place of one of the partner's, or comes beside it: from the same host plain RTPS
        // cannot tell them apart (docs/plain-rtps.md).
        let missing = report.number("missing") > report.number("forged");
        let timeout = all.text == "timeout" && report.number("forged") == 0;
        if missing || timeout || faults_of.iter().any(|fault| report.number(fault) != 0) {
            let wrote = wrote.number("wrote");
            faults.push(format!("the {name}, of {wrote}: {}", report.text));
        }
        if report.number("gap") > SILENCE {
            faults.push(format!(
                "the {name} heard nothing for {} us",
                report.number("gap")
            ));
        }
        let [p50, p99, gap] = ["p50", "p99", "gap"].map(|name| report.number(name));
        let forged = report.number("forged");
        println!(
            "FIGURE the {name}: latency p50 {p50} us, p99 {p99} us, longest silence {gap} us, forged samples {forged}"
        );
    }
    faults
}

fn soak(duration: Duration) {
    let wanted = std::env::var("DUNLIN_SOAK_ATTACKS").ok();
    let is_wanted = |name: &str| {
        let wanted = wanted.as_deref();
        wanted.is_none_or(|wanted| wanted.split(',').any(|one| one == name))
    };
    let mut victim = start("write=B read=A keep=0");
    let mut healthy = start("write=A read=B keep=0");
    for peer in [&mut victim, &mut healthy] {
        peer.wait("matched");
    }
    for peer in [&mut victim, &mut healthy] {
        peer.ask("write 100000000 1000");
    }
    std::thread::sleep(Duration::from_secs(2));
    let before = victim.private_kib();
    let enemy = UdpSocket::bind("127.0.0.1:0").unwrap();
    let (own, writer) = guid(&victim, "writer");
    let (partner, partner_writer) = guid(&healthy, "writer");
    let cast = Cast {
        victim: own,
        writer,
        healthy: partner,
        healthy_writer: partner_writer,
        mallory: *b"mallory lies",
        kind: 1,
        port: u32::from(enemy.local_addr().unwrap().port()),
    };
    let chosen: Vec<_> = ATTACKS
        .iter()
        .filter(|(name, _)| is_wanted(name))
        .map(|(_, attack)| *attack)
        .collect();
    let mut attacker = Attacker::new(cast, guid(&healthy, "reader").1, enemy);
    let stop = AtomicBool::new(false);
    let killed = std::thread::scope(|scope| {
        let killer = is_wanted("kills").then(|| scope.spawn(|| kills(&stop)));
        attacker.run(&chosen, duration);
        stop.store(true, Relaxed);
        killer.map_or(0, |killer| killer.join().unwrap())
    });
    let known = victim.ask("discovery").text.matches("reader ").count();
    // What was under way comes in.
    std::thread::sleep(Duration::from_secs(1));
    let grown = victim.private_kib() - before;
    let mut faults = faults(&mut victim, &mut healthy);
    if grown > GROWTH {
        faults.push(format!("memory grew by {grown} KiB"));
    }
    println!(
        "FIGURE soak of {} s: {} hostile datagrams, {killed} peers killed, {known} readers known at the end, healthy pair at 1 kHz lost and \
         doubled {}, memory {grown:+} KiB",
        duration.as_secs(),
        attacker.sent,
        if faults.is_empty() { "0" } else { "SOME" },
    );
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn nothing_is_lost_beside_everything_hostile() {
    in_namespace("nothing_is_lost_beside_everything_hostile", || soak(SHORT));
}

/// `cargo test -p dunlin-robustness-tests --test soak -- --ignored --nocapture`
#[test]
#[ignore = "ten minutes"]
fn nothing_is_lost_in_ten_minutes() {
    let seconds = std::env::var("DUNLIN_SOAK_SECONDS").ok();
    let seconds = seconds.and_then(|seconds| seconds.parse().ok());
    let duration = Duration::from_secs(seconds.unwrap_or(LONG));
    in_namespace("nothing_is_lost_in_ten_minutes", || soak(duration));
}
