//! A service with many topics for a long time, each test in a network namespace of its own.
mod common;
use common::*;
use dunlin::*;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration as Span, Instant};

/// Longer than anything takes on a machine that has much else to do.
const SOON: Span = Span::from_secs(300);
/// What allocators keep for themselves.
const SLACK: u64 = 8 << 20;

const TOML: &str = "\
[participants.near]
domain = 0
[participants.far]
domain = 1
[[routes]]
from = \"near\"
to = \"far\"
topics = [\"*\"]
";

/// A service; it is killed when it is dropped, unless it has ended.
struct Router(Child);

impl Router {
    fn start(file: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dunlin"));
        command.args(["route", "run", "-verbosity", "0"]).arg(file);
        let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
        Self(quiet.spawn().unwrap())
    }

    /// Ends it as an administrator does.
    fn stop(mut self) {
        let id = self.0.id().to_string();
        Command::new("kill").args(["-INT", &id]).status().unwrap();
        assert_eq!(self.0.wait().unwrap().code(), Some(0));
    }
}

impl Drop for Router {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What a process has of what grows: bytes of memory, open files, threads.
fn usage(process: &str) -> [u64; 3] {
    let statm = fs::read_to_string(format!("/proc/{process}/statm")).unwrap();
    let pages: u64 = statm.split(' ').nth(1).unwrap().parse().unwrap();
    let count = |what: &str| {
        let entries = fs::read_dir(format!("/proc/{process}/{what}"));
        entries.unwrap().count() as u64
    };
    [pages * 4096, count("fd"), count("task")]
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < SOON, "{what}");
        std::thread::sleep(Span::from_millis(5));
    }
}

fn reliable() -> (DataWriterQos, DataReaderQos) {
    let history = History::KeepAll;
    let writer = DataWriterQos {
        history,
        ..Default::default()
    };
    let reader = DataReaderQos {
        reliability: Reliability::RELIABLE,
        history,
        ..Default::default()
    };
    (writer, reader)
}

/// A topic that passes the service.
struct Line {
    writer: DataWriter<Shape>,
    reader: DataReader<Shape>,
    /// The number that came last.
    seen: i32,
}

impl Line {
    fn new(near: &DomainParticipant, far: &DomainParticipant, topic: &str) -> Self {
        let (wqos, rqos) = reliable();
        Self {
            writer: writer(near, topic, wqos, Default::default()),
            reader: reader(far, topic, rqos, Default::default()),
            seen: 0,
        }
    }

    fn write(&self, x: i32) {
        let color = "RED".into();
        self.writer.write(&Shape { color, x }).unwrap();
    }

    /// Takes what has come: in order, and once.
    fn take(&mut self) {
        let seen = &mut self.seen;
        self.reader.take_each(|sample| {
            if let Some(Shape { x, .. }) = sample.into_data() {
                assert!(*seen < x, "{x} comes after {seen}");
                *seen = x;
            }
        });
    }
}

/// Executions of the service after which nothing grows any more.
const WARM: usize = 3;
const TOPICS: usize = 50;

/// `DUNLIN_SOAK_SECONDS` of it [3,600]. The service is started again each minute, and ten times at
/// least.
#[test]
#[ignore = "takes an hour"]
fn fifty_topics_pass_for_an_hour_while_the_service_starts_again_each_minute() {
    let test = "fifty_topics_pass_for_an_hour_while_the_service_starts_again_each_minute";
    in_namespace(test, LOOPBACK, || {
        let seconds = std::env::var("DUNLIN_SOAK_SECONDS").ok();
        let seconds: u64 = seconds.map_or(3600, |seconds| seconds.parse().unwrap());
        let pace = Span::from_secs((seconds / 10).clamp(1, 60));
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("yard.toml");
        fs::write(&file, TOML).unwrap();
        let (near, far) = (participant(0, "near"), participant(1, "far"));
        let mut lines: Vec<Line> = (0..TOPICS)
            .map(|at| Line::new(&near, &far, &format!("topic {at}")))
            .collect();
        let begun = Instant::now();
        let (mut x, mut longest) = (0, Span::ZERO);
        // Of this process and of the service, at the end of each execution.
        let mut used: Vec<[[u64; 3]; 2]> = Vec::new();
        while used.len() <= WARM || begun.elapsed().as_secs() < seconds {
            let (router, started) = (Router::start(&file), Instant::now());
            let first = x;
            let mut routed = None;
            while started.elapsed() < pace || routed.is_none() {
                assert!(started.elapsed() < SOON, "not all topics pass");
                x += 1;
                for line in &mut lines {
                    line.write(x);
                    line.take();
                }
                if routed.is_none() && lines.iter().all(|line| line.seen > first) {
                    routed = Some(started.elapsed());
                }
                std::thread::sleep(Span::from_millis(20));
            }
            longest = longest.max(routed.unwrap_or_default());
            used.push([usage("self"), usage(&router.0.id().to_string())]);
            // All that is written while a service lives comes, in the order that `take` asks for.
            until("the last samples do not come", || {
                lines.iter_mut().for_each(Line::take);
                lines.iter().all(|line| line.seen == x)
            });
            router.stop();
        }
        let warm = &used[..=WARM];
        for (at, who) in ["applications", "service"].into_iter().enumerate() {
            let most = [0, 1, 2].map(|what| warm.iter().map(|u| u[at][what]).max().unwrap());
            let last = used.last().unwrap()[at];
            println!(
                "{who}: memory, files, threads {most:?}, after {} executions {last:?}",
                used.len()
            );
            assert!(last[0] <= most[0] + SLACK, "{who}: {most:?} {last:?}");
            assert!(
                last[1] <= most[1] && last[2] <= most[2],
                "{who}: {most:?} {last:?}"
            );
        }
        println!("all topics routed after {longest:?} at most");
    });
}

/// Samples that are timed.
const TIMED: usize = 2000;

/// The time from `write` until a thread that waits for it has the sample: p50 and p99, in
/// microseconds.
fn latency(line: &mut Line, x: &mut i32) -> [f64; 2] {
    let mut times: Vec<Span> = (0..TIMED + TIMED / 10)
        .map(|_| {
            *x += 1;
            let begun = Instant::now();
            line.write(*x);
            while line.seen < *x {
                let _ = line.reader.wait_for_data(Duration::from_secs(1));
                line.take();
                assert!(begun.elapsed() < SOON, "sample {x} does not come");
            }
            begun.elapsed()
        })
        .skip(TIMED / 10)
        .collect();
    times.sort_unstable();
    let at = |share: f64| times[(TIMED as f64 * share) as usize].as_secs_f64() * 1e6;
    [at(0.5), at(0.99)]
}

/// `DUNLIN_ROUTES` of them [1,000]; three turns each.
#[test]
#[ignore = "measures, for a minute"]
fn one_topic_among_a_thousand_routes_takes_as_long_as_alone() {
    let test = "one_topic_among_a_thousand_routes_takes_as_long_as_alone";
    in_namespace(test, LOOPBACK, || {
        let routes = std::env::var("DUNLIN_ROUTES").ok();
        let routes: usize = routes.map_or(1000, |routes| routes.parse().unwrap());
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("yard.toml");
        fs::write(&file, TOML).unwrap();
        let _router = Router::start(&file);
        let (near, far) = (participant(0, "near"), participant(1, "far"));
        let mut line = Line::new(&near, &far, "timed");
        let mut x = 0;
        until("nothing passes", || {
            x += 1;
            line.write(x);
            line.take();
            line.seen > 0
        });
        let is_routed =
            |line: &Line| line.writer.matched_count() == 1 && line.reader.matched_count() == 1;
        for turn in 1..=3 {
            let alone = latency(&mut line, &mut x);
            let begun = Instant::now();
            let others: Vec<Line> = (1..routes)
                .map(|at| Line::new(&near, &far, &format!("topic {at}")))
                .collect();
            until("not all are routed", || others.iter().all(is_routed));
            let took = begun.elapsed();
            let among = latency(&mut line, &mut x);
            println!(
                "turn {turn}: alone p50 {:.1} us, p99 {:.1} us; among {routes} routes, matched after {took:.1?}, p50 {:.1} us, \
                 p99 {:.1} us; ratio of p50 {:.3}",
                alone[0],
                alone[1],
                among[0],
                among[1],
                among[0] / alone[0]
            );
            drop(others);
            // What was made for them goes.
            until("routes stay", || {
                let [readers, writers] = [near.domain().readers.len(), far.domain().writers.len()];
                readers <= 1 && writers <= 1
            });
        }
    });
}
