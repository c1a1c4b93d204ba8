//! Readers that stop beside readers that do not, and an interface that goes down and comes back.
use dunlin_robustness_tests::{Lan, Place, Process, in_namespace};
use std::time::Duration;

const WIRE: &str = env!("CARGO_BIN_EXE_lossy_wire");
const PEER: &str = env!("CARGO_BIN_EXE_robust_peer");

fn signal(name: &str, process: &Process) {
    Place::HERE.shell(&format!("kill -{name} {}", process.id()));
}

/// The 99th percentile of the latency during a second, in microseconds.
fn p99(reader: &mut Process) -> i64 {
    reader.ask("restart");
    std::thread::sleep(Duration::from_secs(1));
    reader.ask("report").number("p99")
}

fn median(mut figures: Vec<i64>) -> i64 {
    figures.sort_unstable();
    figures[figures.len() / 2]
}

/// What the processors have spent so far: idle, and altogether, in ticks (proc(5), the first line of /proc/stat).
fn ticks() -> [f64; 2] {
    let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let all = text.lines().next().unwrap_or_default().split_whitespace();
    let all: Vec<f64> = all.filter_map(|tick| tick.parse().ok()).collect();
    // Waiting for a disk is idle, too.
    [all.iter().skip(3).take(2).sum(), all.iter().take(8).sum()]
}

/// The share of time that the processors were idle since then.
fn idle_since(begin: [f64; 2]) -> f64 {
    let now = ticks();
    (now[0] - begin[0]) / (now[1] - begin[1]).max(1.0)
}

/// With less time to spare, others compute, and a percentile says how long processes waited for a processor, and nothing
/// about their neighbours.
const LEAST_IDLE: f64 = 0.5;

/// Undisturbed, undisturbed again as a control, and beside a stopped reader take turns, so that whatever else the machine
/// does falls on all three alike.
#[test]
fn a_stopped_reader_does_not_delay_another_one() {
    in_namespace("a_stopped_reader_does_not_delay_another_one", || {
        let mut writer = Place::HERE.start(PEER, "write=T keep=10");
        let mut healthy = Place::HERE.start(PEER, "read=T");
        let mut stopped = Place::HERE.start(PEER, "read=T");
        for reader in [&mut healthy, &mut stopped] {
            reader.wait("matched 10");
        }
        writer.ask("write 1000000 1000");
        let mut figures = [const { Vec::new() }; 3];
        let begin = ticks();
        for _ in 0..5 {
            std::thread::sleep(Duration::from_millis(300));
            figures[0].push(p99(&mut healthy));
            figures[1].push(p99(&mut healthy));
            signal("STOP", &stopped);
            figures[2].push(p99(&mut healthy));
            signal("CONT", &stopped);
        }
        let idle = idle_since(begin);
        let wrote = writer.ask("stop").number("wrote");
        assert_eq!(stopped.ask("unmatched 0").text, "timeout");
        healthy.wait(&format!("received {} 5", wrote - 10));
        println!("FIGURE rounds: undisturbed, control, stopped: {figures:?}");
        let [undisturbed, control, beside] = figures.map(median);
        println!(
            "FIGURE KEEP_LAST 10 at 1 kHz beside a stopped reader: median p99 {beside} us, undisturbed {undisturbed} us, control {control} us"
        );
        if idle < LEAST_IDLE {
            let percent = idle * 100.0;
            println!("FIGURE NOT JUDGED: the processors were idle for {percent:.0} % of the time");
        } else {
            assert!(beside <= 2 * undisturbed.max(control), "{beside} us");
        }
    });
}

#[test]
fn a_write_that_a_stopped_reader_holds_up_says_who_it_is() {
    let name = "a_write_that_a_stopped_reader_holds_up_says_who_it_is";
    in_namespace(name, || {
        let mut writer = Place::HERE.start(PEER, "write=T limit=100 block=300");
        let mut healthy = Place::HERE.start(PEER, "read=T");
        let mut stopped = Place::HERE.start(PEER, "read=T");
        for reader in [&mut healthy, &mut stopped] {
            reader.wait("matched 10");
        }
        writer.wait("matched 10");
        signal("STOP", &stopped);
        writer.ask("write 1000 1000");
        let held_up = writer.ask("join");
        let guid = stopped.greeting.get("reader").to_owned();
        let (prefix, entity) = guid.split_at(24);
        let behind = format!("reader {prefix}:{entity}");
        assert!(
            held_up.text.contains(&behind),
            "{} instead of {behind}",
            held_up.text
        );
        assert!(held_up.text.contains("timed out"), "{}", held_up.text);
        let backlog = writer.ask("backlog");
        assert_eq!(backlog.get("slowest"), guid, "{}", backlog.text);
        assert_eq!(backlog.number("behind"), 100, "{}", backlog.text);
        signal("CONT", &stopped);
        writer.wait("acked 10");
        let backlog = writer.ask("backlog");
        assert_eq!(backlog.get("slowest"), "none", "{}", backlog.text);
        writer.ask("write 1000 2000");
        let wrote = writer.ask("join");
        assert_eq!(wrote.number("wrote"), 1000, "{}", wrote.text);
        println!(
            "FIGURE KEEP_ALL with 100 samples and a stopped reader: {}",
            held_up.text
        );
    });
}

#[test]
fn an_interface_that_comes_back_needs_no_restart() {
    in_namespace("an_interface_that_comes_back_needs_no_restart", || {
        let lan = Lan::new(WIRE, 'a', "seed=6");
        let mut writer = lan.host(0).start(PEER, "write=T");
        let mut reader = lan.host(1).start(PEER, "read=T");
        writer.wait("matched 10");
        reader.wait("matched 10");
        writer.ask("write 1000000 500");
        for host in [1, 0] {
            std::thread::sleep(Duration::from_millis(300));
            lan.host(host).shell("ip link set eth0 down");
            std::thread::sleep(Duration::from_secs(2));
            lan.host(host).shell("ip link set eth0 up");
        }
        std::thread::sleep(Duration::from_millis(300));
        let wrote = writer.ask("stop");
        assert_eq!(wrote.get("error"), "none", "{}", wrote.text);
        let recovered = reader.wait(&format!("received {} 10", wrote.number("wrote")));
        let report = reader.ask("report");
        for fault in ["missing", "doubled", "disordered", "damaged", "lost"] {
            assert_eq!(report.number(fault), 0, "{}", report.text);
        }
        println!(
            "FIGURE interface down for 2 s at each end: {} samples, lost 0, all there {recovered} ms later",
            wrote.get("wrote")
        );
    });
}
