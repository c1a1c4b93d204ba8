//! Zenoh by its public API, in callbacks: `zenoh ROLE ...` with the roles and options of
//! `../peer.h`.
//!
//! Two peers on loopback without scouting: who answers listens, who begins connects. `BENCH_ZENOH`
//! says by what: `tcp` (the default), `udp`, or `shm`, which is TCP whose payloads lie in shared
//! memory, as far as zenoh puts them there by itself; its interface for allocating there is not
//! stable. Reliable means that a full queue holds the writer up; over UDP nothing is repeated, so
//! there it is best effort.
// The course of a run is shared with Dunlin's peer, which needs more of it.
#![allow(dead_code)]

#[path = "../../../src/peer/figures.rs"]
mod figures;
#[path = "../../../src/peer/lifeline.rs"]
mod lifeline;
#[path = "../../../src/peer/options.rs"]
mod options;
#[path = "../../../src/peer/ping.rs"]
mod ping;
#[path = "../../../src/peer/stream.rs"]
mod stream;

use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use zenoh::pubsub::Publisher;
use zenoh::qos::{CongestionControl, Priority};
use zenoh::sample::Sample;
use zenoh::{Config, Session, Wait};

use figures::Usage;
use lifeline::wait_for_close;
use options::{Options, Role};
use ping::{Next, Rally};
use stream::Tally;

/// Why a peer could not do its work.
type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const PING: &str = "bench/ping";
const PONG: &str = "bench/pong";
const STREAM: &str = "bench/stream";

const ADDRESS: &str = "127.0.0.1:7447";
const NUMBER: usize = size_of::<u64>();
const NAP: Duration = Duration::from_millis(20);
/// The transport for small messages only cuts nothing into pieces.
const UNCUT: usize = 60_000;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    lifeline::die_with_parent();
    let outcome = Options::parse(&words).and_then(|options| run(&options));
    if let Err(error) = &outcome {
        eprintln!("{error}");
    }
    // Not through the clean-up of its threads: the other side has what it needs.
    std::process::exit(i32::from(outcome.is_err()));
}

fn run(options: &Options) -> Outcome<()> {
    let session = zenoh::open(config(options)?).wait().map_err(text)?;
    match options.role {
        Role::Ping => ping(&session, options),
        Role::Pong => pong(&session),
        Role::Send => send(&session, options),
        Role::Receive => receive(&session, options),
        Role::Match => Err("not asked of zenoh".into()),
    }
}

/// Set up for speed: no scouting, no priorities, no compression, each message at once.
fn config(options: &Options) -> Outcome<Config> {
    let link = std::env::var("BENCH_ZENOH").unwrap_or("tcp".into());
    let protocol = if link == "udp" { "udp" } else { "tcp" };
    let begins = matches!(options.role, Role::Ping | Role::Send);
    let endpoint = format!("[\"{protocol}/{ADDRESS}\"]");
    let (listens, connects) = match begins {
        true => ("[]", endpoint.as_str()),
        false => (endpoint.as_str(), "[]"),
    };
    let small = options.size <= UNCUT && link == "tcp";
    let words = [
        ("mode", "\"peer\"".to_string()),
        ("listen/endpoints", listens.into()),
        ("connect/endpoints", connects.into()),
        // The other side may not listen yet.
        ("connect/timeout_ms", "20000".into()),
        ("connect/exit_on_failure", "true".into()),
        ("scouting/multicast/enabled", "false".into()),
        ("scouting/gossip/enabled", "false".into()),
        ("transport/unicast/qos/enabled", "false".into()),
        ("transport/unicast/lowlatency", small.to_string()),
        (
            "transport/shared_memory/enabled",
            (link == "shm").to_string(),
        ),
    ];
    let mut config = Config::default();
    for (name, value) in words {
        config.insert_json5(name, &value).map_err(text)?;
    }
    Ok(config)
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn publisher<'a>(session: &Session, topic: &'static str, batch: bool) -> Outcome<Publisher<'a>> {
    let publisher = session
        .declare_publisher(topic)
        .congestion_control(CongestionControl::Block)
        .priority(Priority::RealTime)
        .express(!batch);
    Ok(publisher.wait().map_err(text)?)
}

/// Calls for each sample with its number, as long as the session lives.
fn subscribe(
    session: &Session,
    topic: &'static str,
    heard: impl Fn(u64, Sample) + Send + Sync + 'static,
) -> Outcome<()> {
    let numbered = move |sample: Sample| {
        let payload = sample.payload().to_bytes();
        let number = payload.first_chunk::<NUMBER>().copied();
        // A sample of nobody we know.
        let Some(number) = number else { return };
        drop(payload);
        heard(u64::from_le_bytes(number), sample);
    };
    let subscriber = session.declare_subscriber(topic).callback(numbered);
    Ok(subscriber.background().wait().map_err(text)?)
}

/// Returns when somebody subscribes to what is written here.
fn wait_for_peer(publisher: &Publisher<'_>) -> Outcome<()> {
    for _ in 0..20_000 {
        if publisher.matching_status().wait().map_err(text)?.matching() {
            // The other side may still be about to hear of our subscriber.
            std::thread::sleep(5 * NAP);
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Err("nobody subscribes".into())
}

/// What a sample is copied from.
struct Mint<'a> {
    publisher: Publisher<'a>,
    sample: Vec<u8>,
}

impl Mint<'_> {
    fn send(&mut self, number: u64) -> Outcome<()> {
        if let Some(place) = self.sample.first_chunk_mut::<NUMBER>() {
            *place = number.to_le_bytes();
        }
        let sent = self.publisher.put(self.sample.as_slice()).wait();
        Ok(sent.map_err(text)?)
    }
}

/// Where the ping side plays: the callback and the main thread take turns.
struct Court {
    rally: Mutex<Rally>,
    mint: Mutex<Mint<'static>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Court {
    fn send(&self, number: u64) {
        or_die(lock(&self.mint).send(number));
    }

    fn heard(&self, number: u64) {
        let next = lock(&self.rally).pong(number);
        if let Next::Ping(number) = next {
            self.send(number);
        }
    }
}

/// Where no error can be returned, it ends the program.
fn or_die(outcome: Outcome<()>) {
    if let Err(error) = outcome {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

fn ping(session: &Session, options: &Options) -> Outcome<()> {
    let court = Arc::new(Court {
        rally: Mutex::new(Rally::new(options)),
        mint: Mutex::new(Mint {
            publisher: publisher(session, PING, false)?,
            sample: vec![1; options.size],
        }),
    });
    let hearing = Arc::clone(&court);
    subscribe(session, PONG, move |number, _| hearing.heard(number))?;
    wait_for_peer(&lock(&court.mint).publisher)?;
    let first = {
        let mut rally = lock(&court.rally);
        // Discovery has taken time: the clock starts now.
        *rally = Rally::new(options);
        rally.serve()
    };
    court.send(first);
    loop {
        std::thread::sleep(NAP);
        let mut rally = lock(&court.rally);
        if rally.is_over() {
            return rally.report(options);
        }
        if rally.is_hopeless() {
            return Err("no pong since long ago".into());
        }
        let lost = rally.repeat();
        drop(rally);
        if let Some(number) = lost {
            court.send(number);
        }
    }
}

fn pong(session: &Session) -> Outcome<()> {
    let (before, counted) = (Usage::now(), Arc::new(Tally::default()));
    let (writer, counting) = (publisher(session, PONG, false)?, Arc::clone(&counted));
    subscribe(session, PING, move |number, sample| {
        counting.received(number);
        let sent = writer.put(sample.payload().clone()).wait();
        or_die(sent.map_err(|error| text(error).into()));
    })?;
    wait_for_close();
    println!("samples={} {}", counted.count(), before.since_then());
    Ok(())
}

fn send(session: &Session, options: &Options) -> Outcome<()> {
    let mut mint = Mint {
        publisher: publisher(session, STREAM, options.batch > 0)?,
        sample: vec![1; options.size],
    };
    wait_for_peer(&mint.publisher)?;
    stream::send(options, |number| mint.send(number), || Ok(()))?;
    // What is on its way is lost when the program ends; closing sends it first.
    Ok(session.close().wait().map_err(text)?)
}

fn receive(session: &Session, options: &Options) -> Outcome<()> {
    let tally = Arc::new(Tally::default());
    let counting = Arc::clone(&tally);
    subscribe(session, STREAM, move |number, _| counting.received(number))?;
    tally.watch(options);
    Ok(())
}
