//! Participants that speak TCP, and a way between them that ends and comes back.
use dunlin_robustness_tests::{Answer, Host, Idle, Patience, Process, in_namespace, measure};
use std::time::{Duration, Instant};

const PEER: &str = env!("CARGO_BIN_EXE_robust_peer");
const FAULTS: [&str; 4] = ["missing", "doubled", "disordered", "damaged"];

fn assert_none(faults: &[&str], report: &Answer) {
    for fault in faults {
        assert_eq!(report.number(fault), 0, "{fault}: {}", report.text);
    }
}

/// How a way ends and comes back.
#[derive(Clone, Copy, Debug)]
enum Cut {
    /// The interface of the one who writes, and has dialled, goes down.
    Near,
    /// The interface of the other goes down; both ends of a cable see that.
    Far,
    /// A router between them drops everything, and neither sees it.
    Hole,
}

/// A writer and a reader with a router between them.
struct Way {
    near: Host,
    router: Host,
    far: Host,
}

impl Way {
    fn new() -> Self {
        let [near, router, far] = [(); 3].map(|()| Host::new());
        near.join(&router, ["eth0", "r0"], ["10.1.0.2", "10.1.0.1"]);
        far.join(&router, ["eth0", "r1"], ["10.2.0.2", "10.2.0.1"]);
        let way = Self { near, router, far };
        way.route_near();
        way.route_far();
        way.router.forward(true);
        way
    }

    fn route_near(&self) {
        self.near
            .place()
            .shell("ip route replace default via 10.1.0.1");
    }

    fn route_far(&self) {
        self.far
            .place()
            .shell("ip route replace default via 10.2.0.1");
    }

    fn cut(&self, cut: Cut) {
        match cut {
            Cut::Near => self.near.place().shell("ip link set eth0 down"),
            Cut::Far => self.far.place().shell("ip link set eth0 down"),
            Cut::Hole => self.router.forward(false),
        }
    }

    /// Routes do not survive the fall of their interface.
    fn heal(&self, cut: Cut) {
        match cut {
            Cut::Near => {
                self.near.place().shell("ip link set eth0 up");
                self.route_near();
            }
            Cut::Far => {
                self.far.place().shell("ip link set eth0 up");
                self.route_far();
            }
            Cut::Hole => self.router.forward(true),
        }
    }
}

/// Writes 200 samples a second while the way is cut for so long; returns how long after its return
/// the first sample came that was written since, in milliseconds, and what the reader has seen.
fn write_through(cut: Cut, duration: Duration, qos: &str) -> (i64, Answer) {
    let way = Way::new();
    let common = format!("transports=tcp size=1000 {qos}");
    let start = |host: &Host, role: &str| host.place().start(PEER, &format!("{role} {common}"));
    let mut writer = start(&way.near, "write=T peers=10.2.0.2:7400");
    let mut reader = start(&way.far, "read=T");
    writer.wait("matched");
    reader.wait("matched");
    writer.ask("write 1000000 200");
    std::thread::sleep(Duration::from_millis(500));
    way.cut(cut);
    std::thread::sleep(duration);
    way.heal(cut);
    let back = Instant::now();
    let new = writer.ask("next").number("next");
    await_number(&mut reader, new);
    let after = back.elapsed().as_millis() as i64;
    std::thread::sleep(Duration::from_millis(300));
    let wrote = writer.ask("stop");
    assert_eq!(wrote.get("error"), "none", "{}", wrote.text);
    await_number(&mut reader, wrote.number("wrote") - 1);
    let report = reader.ask("report");
    println!(
        "FIGURE {cut:?} cut for {} s, {common}: first new sample {after} ms after its return; {} written, {}",
        duration.as_secs(),
        wrote.number("wrote"),
        report.text
    );
    assert_eq!(report.number("first"), 0, "{}", report.text);
    (after, report)
}

/// Waits until a sample has come that was written as this one or later.
fn await_number(reader: &mut Process, number: i64) {
    let mut patience = Patience::begin();
    loop {
        let report = reader.ask("report");
        let highest = report.number("highest");
        if highest >= number {
            return;
        }
        assert!(
            patience.lasts(highest),
            "{number} has not come: {}",
            report.text
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Shorter than the lease: nobody notices but by the delay.
fn short(cut: Cut) {
    measure(|| {
        let idle = Idle::begin();
        let (after, report) = write_through(cut, Duration::from_secs(3), "");
        assert_none(&FAULTS, &report);
        idle.in_time("the first new sample came", after, 1000)
    });
}

/// Longer than the lease: they find each other again, and the reader gets what it missed of the
/// history.
fn long(cut: Cut, duration: u64, lease: &str) {
    let qos = format!("transient=true {lease}");
    measure(|| {
        let idle = Idle::begin();
        let (after, report) = write_through(cut, Duration::from_secs(duration), &qos);
        assert_none(&FAULTS, &report);
        idle.in_time("the first new sample came", after, 3000)
    });
}

#[test]
fn tcp_is_back_within_a_second_after_the_own_interface() {
    in_namespace(
        "tcp_is_back_within_a_second_after_the_own_interface",
        || short(Cut::Near),
    );
}

#[test]
fn tcp_is_back_within_a_second_after_the_other_interface() {
    in_namespace(
        "tcp_is_back_within_a_second_after_the_other_interface",
        || short(Cut::Far),
    );
}

#[test]
fn tcp_is_back_within_a_second_after_a_black_hole() {
    in_namespace("tcp_is_back_within_a_second_after_a_black_hole", || {
        short(Cut::Hole)
    });
}

#[test]
fn tcp_is_back_after_the_lease() {
    in_namespace("tcp_is_back_after_the_lease", || {
        long(Cut::Hole, 8, "lease=5")
    });
}

#[test]
#[ignore = "two minutes: docs/testing.md names the command"]
fn tcp_is_back_after_30_s() {
    in_namespace("tcp_is_back_after_30_s", || {
        for cut in [Cut::Near, Cut::Far, Cut::Hole] {
            long(cut, 30, "");
        }
    });
}
