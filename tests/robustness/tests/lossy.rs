//! Two processes on a wire that loses, doubles, reorders and corrupts, and that is cut for a while.
use dunlin_robustness_tests::{Answer, Idle, Lan, Process, in_namespace, measure};
use std::time::Duration;

const WIRE: &str = env!("CARGO_BIN_EXE_lossy_wire");
const PEER: &str = env!("CARGO_BIN_EXE_robust_peer");

/// A writing and a reading process on hosts of their own, matched.
fn pair(lan: &Lan, writer: &str, reader: &str) -> (Process, Process) {
    let mut writing = lan.host(0).start(PEER, &format!("write=T {writer}"));
    let mut reading = lan.host(1).start(PEER, &format!("read=T {reader}"));
    writing.wait("matched");
    reading.wait("matched");
    (writing, reading)
}

/// Longer runs if `DUNLIN_ROBUSTNESS=long`.
fn long(short: u32, long: u32) -> u32 {
    match std::env::var("DUNLIN_ROBUSTNESS").as_deref() {
        Ok("long") => long,
        _ => short,
    }
}

/// Writes at 500 Hz over a wire with so much loss each way; returns the share of samples that had
/// arrived when the last one was written, in percent.
fn goodput(name: char, loss: u32) -> f64 {
    let count = long(3000, 20_000);
    let faults = format!("seed=7 loss={loss} dup=3 reorder=5");
    let lan = Lan::new(WIRE, name, &faults);
    let (mut writer, mut reader) = pair(&lan, "", "");
    writer.ask(&format!("write {count} 500"));
    let wrote = writer.ask("join");
    assert_eq!(wrote.number("wrote"), i64::from(count), "{}", wrote.text);
    let in_time = reader.ask("report");
    let late = reader.ask(&format!("received {count}"));
    let report = reader.ask("report");
    assert_intact(&report);
    assert_eq!(
        report.number("received"),
        i64::from(count),
        "{}",
        report.text
    );
    let share = in_time.number("received") as f64 * 100.0 / f64::from(count);
    println!(
        "FIGURE loss {loss} % each way, 3 % doubled, 5 % reordered, 500 Hz x 256 B: {count} written, goodput {share:.1} %, \
         the rest {}, lost 0, p50 {} us, p99 {} us",
        late.text,
        report.get("p50"),
        report.get("p99")
    );
    share
}

#[test]
fn reliable_samples_arrive_once_in_order_and_in_time_over_a_lossy_wire() {
    let name = "reliable_samples_arrive_once_in_order_and_in_time_over_a_lossy_wire";
    in_namespace(name, || measure(goodputs));
}

fn goodputs() -> Result<(), String> {
    let idle = Idle::begin();
    let wanted = [
        ('a', 0, 99.0),
        ('b', 10, 99.0),
        ('c', 30, 80.0),
        ('d', 50, 20.0),
    ];
    let runs = wanted.map(|(name, loss, least)| {
        let run = std::thread::spawn(move || goodput(name, loss));
        (run, loss, least)
    });
    let mut poor = Vec::new();
    for (run, loss, least) in runs {
        let share = run.join().expect("see above");
        if share < least {
            poor.push(format!(
                "goodput {share} % at {loss} % loss, at least {least} % is wanted"
            ));
        }
    }
    match poor.is_empty() || !idle.judge() {
        true => Ok(()),
        false => Err(poor.join("; ")),
    }
}

#[test]
fn large_samples_arrive_whole_over_a_lossy_wire() {
    in_namespace("large_samples_arrive_whole_over_a_lossy_wire", || {
        let count = long(30, 200);
        let lan = Lan::new(WIRE, 'a', "seed=9 loss=5 dup=3 reorder=5");
        let (mut writer, mut reader) = pair(&lan, "size=1048576", "");
        let start = std::time::Instant::now();
        writer.ask(&format!("write {count} 10"));
        writer.ask("join");
        // On a busy machine all of them may take minutes, but not one.
        for received in 1..=count {
            reader.wait(&format!("received {received}"));
        }
        let report = reader.ask("report");
        assert_intact(&report);
        println!(
            "FIGURE 1 MiB samples at 10 Hz, 5 % loss: {count} written, lost 0, all there after {:.1} s, p50 {} us, p99 {} us",
            start.elapsed().as_secs_f64(),
            report.get("p50"),
            report.get("p99")
        );
    });
}

/// Cuts the wire while samples are written; `cut` seconds.
fn partition(lan: &mut Lan, writer: &mut Process, cut: u64) -> i64 {
    writer.ask("write 1000000 500");
    std::thread::sleep(Duration::from_millis(500));
    lan.set("cut");
    std::thread::sleep(Duration::from_secs(cut));
    let wrote = writer.ask("stop");
    lan.set("heal");
    wrote.number("wrote")
}

#[test]
fn a_partition_shorter_than_the_lease_loses_nothing() {
    in_namespace("a_partition_shorter_than_the_lease_loses_nothing", || {
        measure(short_partition);
    });
}

fn short_partition() -> Result<(), String> {
    let mut lan = Lan::new(WIRE, 'a', "seed=3");
    let (mut writer, mut reader) = pair(&lan, "", "");
    let wrote = partition(&mut lan, &mut writer, 3);
    let idle = Idle::begin();
    let recovered = reader.wait(&format!("received {wrote}"));
    assert_eq!(
        reader.ask("unmatched 0").text,
        "timeout",
        "matched all the time"
    );
    assert_intact(&reader.ask("report"));
    println!(
        "FIGURE cut for 3 s, lease 10 s: {wrote} samples, lost 0, all there {recovered} ms after the wire was healed"
    );
    idle.in_time("all there", recovered, 1000)
}

#[test]
fn after_a_partition_longer_than_the_lease_history_is_complete() {
    let name = "after_a_partition_longer_than_the_lease_history_is_complete";
    in_namespace(name, || measure(long_partition));
}

fn long_partition() -> Result<(), String> {
    let mut lan = Lan::new(WIRE, 'a', "seed=4");
    let (lease, durable) = ("lease=5", "lease=5 transient=true");
    let (mut writer, mut reader) = pair(&lan, durable, durable);
    let wrote = partition(&mut lan, &mut writer, u64::from(long(8, 15)));
    let idle = Idle::begin();
    let matched = (writer.wait("matched"), reader.wait("matched"));
    let recovered = reader.wait(&format!("received {wrote}"));
    let report = reader.ask("report");
    for fault in ["missing", "doubled", "disordered", "damaged", "lost"] {
        assert_eq!(report.number(fault), 0, "{}", report.text);
    }
    let after = matched.0.max(matched.1);
    println!(
        "FIGURE cut for longer than the {lease} s: matched again {after} ms after the wire was healed, {wrote} samples complete {recovered} ms later"
    );
    idle.in_time("matched again", after, 3000)
}

#[test]
fn corrupted_datagrams_are_never_delivered() {
    in_namespace("corrupted_datagrams_are_never_delivered", || {
        let mut lan = Lan::new(WIRE, 'a', "seed=5");
        let (mut writer, mut reader) = pair(&lan, "", "");
        lan.set("corrupt=10");
        writer.ask("write 1000 500");
        writer.ask("join");
        let counts = lan.set("corrupt=0");
        reader.wait("received 1000");
        let report = reader.ask("report");
        assert_intact(&report);
        println!(
            "FIGURE {} corrupted datagrams: received {}, damaged {}, malformed {}",
            counts.get("corrupted"),
            report.get("received"),
            report.get("damaged"),
            report.get("malformed")
        );
        assert!(counts.number("corrupted") > 50, "{}", counts.text);
    });
}

fn assert_intact(report: &Answer) {
    for fault in ["missing", "doubled", "disordered", "damaged", "lost"] {
        assert_eq!(report.number(fault), 0, "{}", report.text);
    }
}
