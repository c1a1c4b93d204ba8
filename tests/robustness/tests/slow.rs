//! Readers that stop beside readers that do not, and an interface that goes down and comes back.
use dunlin_robustness_tests::{
    Control, Figures, Idle, Lan, Patience, Place, Process, in_namespace, measure,
};
use std::time::{Duration, Instant};

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

/// Undisturbed and beside a stopped reader take turns, so that whatever else the machine does falls
/// on both alike.
#[test]
fn a_stopped_reader_does_not_delay_another_one() {
    let name = "a_stopped_reader_does_not_delay_another_one";
    in_namespace(name, || measure(beside_a_stopped_reader));
}

fn beside_a_stopped_reader() -> Result<(), String> {
    let mut writer = Place::HERE.start(PEER, "write=T keep=10");
    let mut healthy = Place::HERE.start(PEER, "read=T");
    let mut stopped = Place::HERE.start(PEER, "read=T");
    for reader in [&mut healthy, &mut stopped] {
        reader.wait("matched");
    }
    writer.ask("write 1000000 1000");
    let control = Control::start();
    let [mut undisturbed, mut beside] = [(); 2].map(|()| Figures::default());
    let idle = Idle::begin();
    for _ in 0..5 {
        std::thread::sleep(Duration::from_millis(300));
        control.p99();
        undisturbed.note(p99(&mut healthy), &control);
        signal("STOP", &stopped);
        beside.note(p99(&mut healthy), &control);
        signal("CONT", &stopped);
    }
    let quiet = idle.judge();
    let wrote = writer.ask("stop").number("wrote");
    assert_eq!(stopped.ask("unmatched 0").text, "timeout");
    await_last(&mut healthy, wrote);
    println!(
        "FIGURE KEEP_LAST 10 at 1 kHz beside a stopped reader: median p99 {beside}, undisturbed {undisturbed}"
    );
    // KEEP_LAST lets a reader miss samples for which it had no processor in time.
    let received = healthy.ask("report").number("received");
    match quiet {
        true if received < wrote - 10 => Err(format!("{received} of {wrote} samples")),
        true => beside.judge(&undisturbed),
        false => Ok(()),
    }
}

/// Waits until the last sample has come, as RELIABLE promises whatever the history drops.
fn await_last(reader: &mut Process, wrote: i64) {
    let mut patience = Patience::begin();
    loop {
        let report = reader.ask("report");
        let highest = report.number("highest");
        if highest == wrote - 1 {
            return;
        }
        let lasts = patience.lasts(highest);
        assert!(lasts, "the last of {wrote} samples: {}", report.text);
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_write_that_a_stopped_reader_holds_up_says_who_it_is() {
    let name = "a_write_that_a_stopped_reader_holds_up_says_who_it_is";
    in_namespace(name, || {
        // Longer than a reader that lives waits for a processor.
        let mut writer = Place::HERE.start(PEER, "write=T limit=100 block=5000");
        let mut healthy = Place::HERE.start(PEER, "read=T");
        let mut stopped = Place::HERE.start(PEER, "read=T");
        for reader in [&mut healthy, &mut stopped] {
            reader.wait("matched");
        }
        writer.wait("matched");
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
        writer.wait("acked");
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
        writer.wait("matched");
        reader.wait("matched");
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
        let recovered = reader.wait(&format!("received {}", wrote.number("wrote")));
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

/// How long a newcomer takes from its start to its match, in milliseconds.
fn join(role: &str) -> u128 {
    let begin = Instant::now();
    let mut newcomer = Place::HERE.start(PEER, role);
    newcomer.wait("matched");
    begin.elapsed().as_millis()
}

/// One of three readers of a writer is stopped for 5 s, and then goes on. A reader that keeps all
/// misses nothing by that.
fn one_stopped_of_three(qos: &str, reader_qos: &str) -> Result<(), String> {
    let writer = format!("write=T {qos}");
    let reader = format!("read=T {reader_qos}");
    let start = |role: &str| Place::HERE.start(PEER, role);
    let mut writer = start(&writer);
    let [mut stopped, mut one, mut other] = [(); 3].map(|()| start(&reader));
    writer.wait("partners 3");
    let newcomer = (0..5).map(|_| join(&reader)).max();
    writer.ask("write 1000000 1000");
    let idle = Idle::begin();
    let control = Control::start();
    let [mut before, mut beside] = [(); 2].map(|()| Figures::default());
    control.p99();
    for _ in 0..3 {
        before.note(p99(&mut one).max(p99(&mut other)), &control);
    }
    signal("STOP", &stopped);
    let begin = Instant::now();
    let newcomer_beside = (0..5).map(|_| join(&reader)).max();
    control.p99();
    while begin.elapsed() < Duration::from_secs(5) {
        beside.note(p99(&mut one).max(p99(&mut other)), &control);
    }
    signal("CONT", &stopped);
    let quiet = idle.judge();
    let keeps_all = reader.contains("keep=0");
    if !keeps_all {
        stopped.ask("forget");
        stopped.wait("received 100");
    }
    let wrote = writer.ask("stop");
    assert_eq!(wrote.get("error"), "none", "{}", wrote.text);
    if keeps_all {
        stopped.wait(&format!("received {}", wrote.number("wrote")));
        let report = stopped.ask("report");
        for fault in ["missing", "doubled", "disordered", "damaged"] {
            assert_eq!(report.number(fault), 0, "{}", report.text);
        }
    }
    let mut lost = Vec::new();
    for reader in [&mut one, &mut other] {
        // Who has no processor for long may lose any number of them by best effort, but hears what
        // comes later.
        reader.wait("received 100");
        let report = reader.ask("report");
        for fault in ["doubled", "disordered", "damaged"] {
            assert_eq!(report.number(fault), 0, "{}", report.text);
        }
        lost.push(report.number("missing"));
    }
    println!(
        "FIGURE {qos}: stopped for 5 s; median p99 of the others {beside}, before {before}; lost {lost:?}; longest write {} us; \
         newcomers matched after at most {newcomer:?} ms before, {newcomer_beside:?} ms meanwhile",
        wrote.number("longest")
    );
    match quiet {
        true if lost != [0, 0] => Err(format!("lost {lost:?}")),
        true if newcomer_beside > newcomer.map(|ms| ms + 100) => {
            Err(format!("matched after {newcomer_beside:?} ms"))
        }
        true => beside.judge(&before),
        false => Ok(()),
    }
}

#[test]
fn a_reader_stopped_for_5_s_harms_no_other_by_shared_memory_alone() {
    let name = "a_reader_stopped_for_5_s_harms_no_other_by_shared_memory_alone";
    in_namespace(name, || {
        let qos = "reliable=false transports=shmem";
        measure(|| one_stopped_of_three(qos, qos));
    });
}

#[test]
fn a_reader_stopped_for_5_s_harms_no_other() {
    in_namespace("a_reader_stopped_for_5_s_harms_no_other", || {
        measure(|| one_stopped_of_three("keep=1000", "keep=1000"));
    });
}

const SERVER: &str = "transports=tcp port=7400";
const CLIENT: &str = "transports=tcp port=0 peers=127.0.0.1:7400";

#[test]
fn a_reader_stopped_for_5_s_harms_no_other_by_tcp() {
    in_namespace("a_reader_stopped_for_5_s_harms_no_other_by_tcp", || {
        let qos = |place| format!("reliable=false {place}");
        measure(|| one_stopped_of_three(&qos(SERVER), &qos(CLIENT)));
    });
}

#[test]
fn a_reader_stopped_for_5_s_misses_nothing_by_tcp() {
    in_namespace("a_reader_stopped_for_5_s_misses_nothing_by_tcp", || {
        let qos = |place| format!("keep=0 {place}");
        measure(|| one_stopped_of_three(&qos(SERVER), &qos(CLIENT)));
    });
}
