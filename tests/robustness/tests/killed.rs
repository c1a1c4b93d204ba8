//! Writers and readers that share memory are killed at random moments. `DUNLIN_ROBUSTNESS_KILLS` is
//! how many writers; of readers it is half as many, of both a fifth.
use dunlin_robustness_tests::{Idle, Place, Process, in_namespace, measure, percentile};
use std::time::{Duration, Instant};

const PEER: &str = env!("CARGO_BIN_EXE_robust_peer");
/// In the ring, in several slots of it, in chunks.
const SIZES: &str = "32,200,4000,30000,70000,1048576";
const RATE: u32 = 3000;
/// Cycles after which everything that is made once has been made.
const WARM: usize = 3;

fn kills() -> usize {
    let kills = std::env::var("DUNLIN_ROBUSTNESS_KILLS").ok();
    kills.and_then(|kills| kills.parse().ok()).unwrap_or(100)
}

/// Random enough to hit different instructions.
struct Dice(u64);

impl Dice {
    fn pause(&mut self) -> Duration {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        Duration::from_micros(500 + self.0 % 14_500)
    }
}

/// What the kills of one kind took, in microseconds.
#[derive(Default)]
struct Tally {
    samples: i64,
    starts: Vec<u64>,
    deaths: Vec<u64>,
}

impl Tally {
    /// A process was started then, and its first sample has come.
    fn started(&mut self, then: Instant) {
        self.starts.push(micros(then));
    }

    /// A process was killed then, and the survivor has noticed.
    fn died(&mut self, then: Instant) {
        self.deaths.push(micros(then));
    }

    fn judge(&mut self, what: &str, idle: &Idle) -> Result<(), String> {
        let kills = self.deaths.len();
        let [starts, deaths] = [&mut self.starts, &mut self.deaths]
            .map(|times| [0.5, 0.99, 1.0].map(|share| percentile(times, share) as f64 / 1000.0));
        println!(
            "FIGURE {what}: {kills} kills, {} samples, torn 0, stuck 0; death seen after {deaths:.1?} ms, first sample of the next {starts:.1?} ms after its start (p50, p99, most)",
            self.samples
        );
        let soon = |place: usize| deaths[place] <= 100.0 && starts[place] <= 200.0;
        match idle.judge() && !soon(1) {
            true => Err(format!("{what}: too late")),
            false => Ok(()),
        }
    }
}

fn micros(then: Instant) -> u64 {
    u64::try_from(then.elapsed().as_micros()).unwrap_or(u64::MAX)
}

/// Takes what a reader has seen, all of which must be whole, in order, once and, of one writer that
/// never drops, without holes.
fn sound(reader: &mut Process, may_miss: bool) -> i64 {
    let report = reader.ask("report");
    for fault in ["damaged", "doubled", "disordered", "malformed"] {
        assert_eq!(report.number(fault), 0, "{}", report.text);
    }
    assert!(may_miss || report.number("missing") == 0, "{}", report.text);
    report.number("received")
}

fn nothing_left() {
    let left: Vec<_> = std::fs::read_dir("/dev/shm")
        .into_iter()
        .flatten()
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

fn start(role: &str, transports: &str) -> Process {
    Place::HERE.start(PEER, &format!("{role} transports={transports}"))
}

fn writer(transports: &str) -> Process {
    start(
        &format!("write=T auto={RATE} size={SIZES} keep=50"),
        transports,
    )
}

fn writers(transports: &str, count: usize) -> Result<(), String> {
    let mut reader = start("read=T", transports);
    let (mut dice, mut tally) = (Dice(0x5eed_0001), Tally::default());
    let (idle, mut before) = (Idle::begin(), None);
    for round in 0..count {
        let begin = Instant::now();
        let mut writer = writer(transports);
        reader.wait("received 1");
        tally.started(begin);
        std::thread::sleep(dice.pause());
        let killed = Instant::now();
        writer.kill();
        reader.wait("partners 0");
        tally.died(killed);
        tally.samples += sound(&mut reader, true);
        reader.ask("forget");
        drop(writer);
        if round == WARM {
            before = Some(reader.holdings());
        }
    }
    let judged = tally.judge(&format!("writers killed, {transports}"), &idle);
    before.inspect(|before| reader.comes_back_to(*before));
    nothing_left();
    judged
}

/// Another reader stays, and misses nothing.
fn readers(transports: &str, count: usize) -> Result<(), String> {
    let mut witness = start("read=T", transports);
    let role = format!("write=T auto={RATE} size={SIZES} limit=500");
    let mut writer = start(&role, transports);
    witness.wait("received 1");
    let (mut dice, mut tally) = (Dice(0x5eed_0002), Tally::default());
    let (idle, mut before) = (Idle::begin(), None);
    for round in 0..count {
        let begin = Instant::now();
        let mut reader = start("read=T", transports);
        reader.wait("received 1");
        tally.started(begin);
        std::thread::sleep(dice.pause());
        sound(&mut reader, false);
        let killed = Instant::now();
        reader.kill();
        writer.wait("partners 1");
        tally.died(killed);
        drop(reader);
        if round == WARM {
            before = Some([witness.holdings(), writer.holdings()]);
        }
    }
    let wrote = writer.ask("stop");
    assert_eq!(wrote.get("error"), "none", "{}", wrote.text);
    let highest = wrote.number("wrote") - 1;
    writer.wait("acked");
    tally.samples = sound(&mut witness, false);
    assert_eq!(witness.ask("report").number("highest"), highest);
    let judged = tally.judge(&format!("readers killed, {transports}"), &idle);
    if let Some([of_witness, of_writer]) = before {
        witness.comes_back_to(of_witness);
        writer.comes_back_to(of_writer);
    }
    nothing_left();
    judged
}

/// A third one stays, which both know.
fn both(transports: &str, count: usize) -> Result<(), String> {
    let mut witness = start("read=T", transports);
    let (mut dice, mut tally) = (Dice(0x5eed_0003), Tally::default());
    let (idle, mut before) = (Idle::begin(), None);
    for round in 0..count {
        let begin = Instant::now();
        let mut reader = start("read=T", transports);
        let mut writer = writer(transports);
        reader.wait("received 1");
        tally.started(begin);
        witness.wait("received 1");
        std::thread::sleep(dice.pause());
        sound(&mut reader, true);
        let killed = Instant::now();
        writer.kill();
        reader.kill();
        witness.wait("partners 0");
        tally.died(killed);
        tally.samples += sound(&mut witness, true);
        witness.ask("forget");
        drop((reader, writer));
        if round == WARM {
            before = Some(witness.holdings());
        }
    }
    let judged = tally.judge(&format!("both killed, {transports}"), &idle);
    before.inspect(|before| witness.comes_back_to(*before));
    nothing_left();
    judged
}

#[test]
fn killed_writers_leave_nothing_but_whole_samples() {
    in_namespace("killed_writers_leave_nothing_but_whole_samples", || {
        measure(|| writers("shmem", kills() / 2));
        measure(|| writers("udp,shmem", kills().div_ceil(2)));
    });
}

#[test]
fn killed_readers_harm_nobody() {
    in_namespace("killed_readers_harm_nobody", || {
        measure(|| readers("shmem", kills() / 4));
        measure(|| readers("udp,shmem", kills() / 4));
    });
}

#[test]
fn when_both_are_killed_the_next_two_find_each_other() {
    let name = "when_both_are_killed_the_next_two_find_each_other";
    in_namespace(name, || {
        measure(|| both("shmem", kills() / 10));
        measure(|| both("udp,shmem", kills() / 10));
    });
}
