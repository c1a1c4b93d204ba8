//! Both sides of a run, in one process and over a middleware that misbehaves on request.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::control::Kind;
use super::*;
use crate::loopback::{Bus, Fate, Loopback};
use crate::messaging::Topic;
use crate::options::{self, Role};
use crate::output::Report;
use crate::output::tests::Page;

/// What one side left behind.
struct Left {
    outcome: Result<(), String>,
    table: Value,
    log: String,
}

impl Left {
    fn summary(&self, index: usize) -> &Value {
        &self.table["perftest"][index]["summary"]
    }

    fn number(&self, name: &str) -> u64 {
        self.summary(0)[name]
            .as_u64()
            .unwrap_or_else(|| panic!("no {name} in {}", self.table))
    }
}

/// Short, but so long that a thread which waits for a processor is not taken for dead, nor its
/// answer for lost.
fn quick() -> Bounds {
    Bounds {
        repeat: 5 * MILLISECOND,
        report_after: 100 * MILLISECOND,
        report_every: 100 * MILLISECOND,
        ping: 300 * MILLISECOND,
        silence: 1500 * MILLISECOND,
        alive: 50 * MILLISECOND,
        warm_up: 5 * SECOND,
        first_echo: SECOND,
        practice: MILLISECOND,
        drain: 3 * SECOND,
        end: 2 * SECOND,
    }
}

fn run(mut participant: Loopback, line: &str, stop: Arc<AtomicBool>) -> JoinHandle<Left> {
    let mut parsed = options::parse(
        &format!("{line} -outputFormat json -noPrint")
            .split_whitespace()
            .map(String::from)
            .collect::<Vec<_>>(),
    );
    let options = options::options(&mut parsed);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    thread::spawn(move || {
        let (table, log) = (Page::default(), Page::default());
        let mut report = Report::to(Box::new(table.clone()), &options.output);
        let session = Session {
            options: &options,
            log: &Log::to(Box::new(log.clone())),
            stop: &stop,
            bounds: quick(),
        };
        let outcome = match &options.role {
            Role::Publisher(publisher) => {
                publish(&mut participant, &session, publisher, &mut report)
            }
            Role::Subscriber(subscriber) => {
                subscribe(&mut participant, &session, subscriber, &mut report)
            }
        };
        drop(participant);
        report.finish().unwrap();
        Left {
            outcome,
            table: serde_json::from_str(&table.text()).unwrap(),
            log: log.text(),
        }
    })
}

fn start(bus: &Bus, line: &str) -> JoinHandle<Left> {
    run(bus.participant(), line, Arc::default())
}

/// Runs both sides over `bus`.
fn both(bus: &Bus, publisher: &str, subscriber: &str) -> (Left, Left) {
    let (p, s) = (start(bus, publisher), start(bus, subscriber));
    (p.join().unwrap(), s.join().unwrap())
}

#[test]
fn a_latency_test_measures_every_sample_and_both_sides_end() {
    for options in [
        "",
        "-best",
        "-dataLen 1262",
        "-dataLen 1263",
        "-keyed -instances 1000",
    ] {
        let publisher = format!("-pub -latencyTest -numIter 200 -cpu {options}");
        let (p, s) = both(&Bus::new(), &publisher, options);
        assert_eq!(
            (p.outcome.clone(), s.outcome.clone()),
            (Ok(()), Ok(())),
            "{} {}",
            p.log,
            s.log
        );
        assert_eq!((p.number("samples"), p.number("lost_pings")), (200, 0));
        assert_eq!((s.number("packets"), s.number("lost")), (200, 0));
        assert_eq!(p.summary(0)["complete"], true);
        for side in [&p, &s] {
            let cost = &side.summary(0)["cost"];
            assert!(cost["cpu"].as_f64() > Some(0.0), "{cost}");
            assert!(cost["allocations"].is_number() && cost["system_calls"].is_null());
        }
    }
}

#[test]
fn a_throughput_test_loses_nothing_on_a_good_bus() {
    let (p, s) = both(&Bus::new(), "-pub -numIter 3000 -latencyCount 10", "-sub");
    assert_eq!((p.outcome.clone(), s.outcome.clone()), (Ok(()), Ok(())));
    assert_eq!((s.number("packets"), s.number("lost")), (3000, 0));
    // 81 samples of 100 bytes in a batch: a ping each tenth batch.
    assert_eq!(p.number("samples"), 4);
}

#[test]
fn the_time_limit_ends_a_test() {
    let begun = Instant::now();
    let (p, s) = both(&Bus::new(), "-pub -latencyTest -exec 1", "-sub");
    assert_eq!((p.outcome.clone(), s.outcome.clone()), (Ok(()), Ok(())));
    // Without the limit it would take minutes; a busy machine may take its time to end.
    assert!((1_000..20_000).contains(&begun.elapsed().as_millis()));
    assert!(p.number("samples") > 10);
    assert!(p.number("sent") - p.number("samples") <= 1);
}

#[test]
fn a_scan_gives_a_row_per_size_on_both_sides() {
    let (p, s) = both(
        &Bus::new(),
        "-pub -latencyTest -numIter 50 -scan 32:64:1024",
        "-sub",
    );
    assert_eq!((p.outcome.clone(), s.outcome.clone()), (Ok(()), Ok(())));
    for (index, size) in [32, 64, 1024].into_iter().enumerate() {
        assert_eq!(p.table["perftest"][index]["length"], size);
        assert_eq!(s.table["perftest"][index]["length"], size);
        assert_eq!(s.summary(index)["packets"], 50);
        assert_eq!(p.summary(index)["samples"], 50);
    }
}

/// A fault that hits the data pings with these numbers on this topic.
/// Waits until both sides are in the middle of their test.
fn await_traffic(bus: &Bus) {
    let count = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&count);
    bus.disturb(move |topic, header| {
        let data = matches!(Kind::of(header.latency_ping), Some(Kind::Data(_)));
        let sample = data && topic == Topic::Throughput;
        seen.fetch_add(u64::from(sample), Ordering::Relaxed);
        Fate::Deliver
    });
    let begun = Instant::now();
    while count.load(Ordering::Relaxed) < 100 {
        assert!(begun.elapsed() < Duration::from_secs(20), "nothing is sent");
        thread::sleep(Duration::from_millis(1));
    }
}

fn on_data(
    topic: Topic,
    seqs: &'static [u32],
    fate: Fate,
) -> impl FnMut(Topic, &crate::messaging::Header) -> Fate + Send {
    move |at, header| {
        let data = matches!(Kind::of(header.latency_ping), Some(Kind::Data(_)));
        if at == topic && data && seqs.contains(&header.seq_num) {
            fate
        } else {
            Fate::Deliver
        }
    }
}

#[test]
fn a_lost_pong_costs_one_time_out_and_is_counted() {
    let bus = Bus::new();
    bus.disturb(on_data(Topic::Latency, &[20], Fate::Drop));
    let (p, s) = both(&bus, "-pub -latencyTest -best -numIter 100", "-sub -best");
    assert_eq!((p.outcome.clone(), s.outcome.clone()), (Ok(()), Ok(())));
    assert_eq!(
        (
            p.number("samples"),
            p.number("lost_pings"),
            p.number("late_pongs")
        ),
        (99, 1, 0)
    );
    assert!(
        p.number("latency_max") < 50_000,
        "the lost one is not measured"
    );
}

#[test]
fn a_lost_ping_is_lost_on_both_sides() {
    let bus = Bus::new();
    bus.disturb(on_data(Topic::Throughput, &[20, 99], Fate::Drop));
    let (p, s) = both(&bus, "-pub -latencyTest -best -numIter 100", "-sub -best");
    assert_eq!((p.number("samples"), p.number("lost_pings")), (98, 2));
    assert_eq!((s.number("packets"), s.number("lost")), (98, 2));
}

#[test]
fn a_late_pong_is_counted_apart_and_leaves_one_ping_in_flight() {
    let bus = Bus::new();
    let most = Arc::new(AtomicU64::new(0));
    let (flying, seen) = (AtomicU64::new(0), Arc::clone(&most));
    bus.disturb(move |topic, header| {
        let Some(Kind::Data(Some(_))) = Kind::of(header.latency_ping) else {
            return Fate::Deliver;
        };
        let late = header.seq_num == 20;
        match topic {
            Topic::Throughput if !late => {
                seen.fetch_max(
                    flying.fetch_add(1, Ordering::Relaxed) + 1,
                    Ordering::Relaxed,
                );
            }
            Topic::Latency if late => return Fate::Delay(Duration::from_millis(400)),
            Topic::Latency => {
                flying.fetch_sub(1, Ordering::Relaxed);
            }
            _ => {}
        }
        Fate::Deliver
    });
    let line = "-pub -latencyTest -best -numIter 10000 -pubRate 10000";
    let (p, _) = both(&bus, line, "-sub -best");
    assert_eq!((p.number("samples"), p.number("late_pongs")), (9_999, 1));
    assert_eq!(p.number("lost_pings"), 0);
    assert_eq!(most.load(Ordering::Relaxed), 1);
}

#[test]
fn an_open_loop_sends_its_whole_schedule() {
    for options in ["", "-best", "-keyed -instances 10"] {
        let publisher = format!("-pub -openLoop 1000 -numIter 300 {options}");
        let (p, s) = both(&Bus::new(), &publisher, options);
        assert_eq!(
            (p.outcome.clone(), s.outcome.clone()),
            (Ok(()), Ok(())),
            "{} {}",
            p.log,
            s.log
        );
        assert_eq!((p.number("samples"), p.number("sent")), (300, 300));
        assert_eq!((p.number("lost_pings"), p.number("unsent")), (0, 0));
        assert_eq!((s.number("packets"), s.number("lost")), (300, 0));
        let response = &p.summary(0)["response"];
        assert_eq!(response["samples"], 300);
        assert!(response["latency_50"].as_u64() >= p.summary(0)["latency_50"].as_u64());
    }
}

#[test]
fn an_open_loop_does_not_wait_for_pongs_and_counts_what_is_lost() {
    let bus = Bus::new();
    let late = AtomicU64::new(0);
    bus.disturb(move |topic, header| {
        let ping = matches!(Kind::of(header.latency_ping), Some(Kind::Data(Some(_))));
        if !ping || topic != Topic::Latency {
            return Fate::Deliver;
        }
        match late.fetch_add(1, Ordering::Relaxed) {
            // As long as 50 pings take.
            0..100 => Fate::Delay(Duration::from_millis(50)),
            100 => Fate::Drop,
            _ => Fate::Deliver,
        }
    });
    let (p, s) = both(&bus, "-pub -openLoop 1000 -numIter 300 -best", "-sub -best");
    assert_eq!((p.outcome.clone(), s.outcome.clone()), (Ok(()), Ok(())));
    assert_eq!((p.number("sent"), p.number("samples")), (300, 299));
    assert_eq!(p.number("lost_pings"), 1);
    let response = &p.summary(0)["response"];
    assert!(
        response["latency_90"].as_u64() >= Some(25_000),
        "{}",
        p.table
    );
}

#[test]
fn an_open_loop_that_cannot_keep_up_says_so() {
    let bus = Bus::new();
    bus.disturb(|topic, header| {
        // A write takes a millisecond.
        if topic == Topic::Throughput
            && matches!(Kind::of(header.latency_ping), Some(Kind::Data(_)))
        {
            thread::sleep(Duration::from_millis(1));
        }
        Fate::Deliver
    });
    let (p, s) = both(&bus, "-pub -openLoop 100000 -exec 1", "-sub");
    assert_eq!((p.outcome.clone(), s.outcome.clone()), (Ok(()), Ok(())));
    let (sent, unsent) = (p.number("sent"), p.number("unsent"));
    assert_eq!(sent + unsent, 100_000);
    assert!(
        unsent > 90_000 && sent == p.number("samples"),
        "{}",
        p.table
    );
    assert!(p.log.contains("the rate is more than what goes through"));
    assert!(p.summary(0)["response"]["latency_50"].as_u64() > Some(100_000));
}

#[test]
fn the_publisher_notices_a_dead_subscriber_and_keeps_its_row() {
    let bus = Bus::new();
    let stop = Arc::new(AtomicBool::new(false));
    let publisher = start(&bus, "-pub -latencyTest");
    let subscriber = run(bus.participant(), "-sub", Arc::clone(&stop));
    await_traffic(&bus);
    stop.store(true, Ordering::Relaxed);
    let (p, s) = (publisher.join().unwrap(), subscriber.join().unwrap());
    assert!(
        p.outcome
            .clone()
            .unwrap_err()
            .contains("subscriber is gone"),
        "{:?}",
        p.outcome
    );
    assert_eq!(s.outcome, Err("interrupted".into()));
    assert!(p.number("samples") > 0 && s.number("packets") > 0);
    assert_eq!(
        (&p.summary(0)["complete"], &s.summary(0)["complete"]),
        (&false.into(), &false.into())
    );
}

#[test]
fn both_sides_notice_that_the_line_went_dead() {
    for mode in [
        "-latencyTest",
        "-latencyTest -best",
        "-batchSize 0 -pubRate 1000",
        "-best -pubRate 1000",
    ] {
        let bus = Bus::new();
        let best = if mode.contains("-best") { "-best" } else { "" };
        let publisher = start(&bus, &format!("-pub {mode}"));
        let subscriber = start(&bus, &format!("-sub {best}"));
        await_traffic(&bus);
        bus.disturb(|_, _| Fate::Drop);
        let begun = Instant::now();
        let (p, s) = (publisher.join().unwrap(), subscriber.join().unwrap());
        assert!(begun.elapsed() < Duration::from_secs(20), "{mode}");
        assert!(
            p.outcome.is_err() && s.outcome.is_err(),
            "{mode}: {:?} {:?}",
            p.outcome,
            s.outcome
        );
        assert_eq!(
            s.table["perftest"].as_array().map(Vec::len),
            Some(1),
            "{mode}"
        );
    }
}

#[test]
fn an_interrupted_publisher_tells_its_subscriber() {
    let bus = Bus::new();
    let stop = Arc::new(AtomicBool::new(false));
    let subscriber = start(&bus, "-sub");
    let publisher = run(bus.participant(), "-pub -pubRate 1000", Arc::clone(&stop));
    await_traffic(&bus);
    stop.store(true, Ordering::Relaxed);
    let (p, s) = (publisher.join().unwrap(), subscriber.join().unwrap());
    assert_eq!(p.outcome, Err("interrupted".into()));
    assert!(s.outcome.is_err());
    assert!(s.number("packets") > 0);
}

#[test]
fn runs_follow_each_other_on_one_domain_without_mixing() {
    let bus = Bus::new();
    let publishers = bus.clone();
    let publishers = thread::spawn(move || {
        (0..5)
            .map(|run| {
                start(
                    &publishers,
                    &format!("-pub -latencyTest -numIter {}", 100 + run),
                )
                .join()
                .unwrap()
            })
            .collect::<Vec<_>>()
    });
    let subscribers: Vec<_> = (0..5)
        .map(|_| start(&bus, "-sub").join().unwrap())
        .collect();
    let publishers = publishers.join().unwrap();
    for (run, (p, s)) in publishers.iter().zip(&subscribers).enumerate() {
        assert_eq!(
            (p.outcome.clone(), s.outcome.clone()),
            (Ok(()), Ok(())),
            "run {run}: {} {}",
            p.log,
            s.log
        );
        assert_eq!(p.number("samples"), 100 + run as u64);
        assert_eq!(
            (s.number("packets"), s.number("lost")),
            (100 + run as u64, 0)
        );
    }
}

#[test]
fn several_subscribers_take_turns_with_the_pongs() {
    let bus = Bus::new();
    let first = start(&bus, "-sub -sid 0");
    let second = start(&bus, "-sub -sid 1");
    let p = start(&bus, "-pub -latencyTest -numIter 100 -numSubscribers 2")
        .join()
        .unwrap();
    assert_eq!(p.outcome, Ok(()), "{}", p.log);
    assert_eq!(p.number("samples"), 100);
    for s in [first, second].map(|s| s.join().unwrap()) {
        assert_eq!(s.outcome, Ok(()));
        assert_eq!(s.number("packets"), 100);
    }
}

#[test]
fn several_publishers_end_in_one_row() {
    let bus = Bus::new();
    let s = start(&bus, "-sub -numPublishers 2");
    let first = start(
        &bus,
        "-pub -pid 0 -numIter 500 -batchSize 0 -latencyCount 50",
    );
    let second = start(&bus, "-pub -pid 1 -numIter 300 -batchSize 0");
    let s = s.join().unwrap();
    assert_eq!(s.outcome, Ok(()), "{}", s.log);
    assert_eq!((s.number("packets"), s.number("lost")), (800, 0));
    let (first, second) = (first.join().unwrap(), second.join().unwrap());
    assert_eq!(
        (first.outcome.clone(), second.outcome.clone()),
        (Ok(()), Ok(()))
    );
    assert_eq!(first.number("samples"), 10);
    assert_eq!(
        second.table["perftest"][0]["summary"],
        Value::Null,
        "only publisher 0 has a row"
    );
}

#[test]
fn a_lonely_side_says_what_it_sees_and_gives_up() {
    for line in ["-pub -discoveryTimeout 1", "-sub -discoveryTimeout 1"] {
        let left = start(&Bus::new(), line).join().unwrap();
        assert!(
            left.outcome
                .unwrap_err()
                .contains("1 participant(s) on the bus"),
            "{line}"
        );
        assert!(left.log.contains("still waiting: 0 of 1"), "{}", left.log);
    }
}
