//! Services that are killed and started again while reliable writers and readers go on, each test
//! in a network namespace of its own.
mod common;
use common::*;
use dunlin::*;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::SeqCst};
use std::thread::JoinHandle;
use std::time::{Duration as Span, Instant};

const KILLS: usize = 20;
/// Kills after which nothing grows any more.
const WARM: usize = 20;
/// Longer than anything takes on a machine that has much else to do.
const SOON: Span = Span::from_secs(120);
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
topics = [\"Up\"]
[[routes]]
from = \"far\"
to = \"near\"
topics = [\"Down\"]
";

const COLORS: [&str; 4] = ["RED", "BLUE", "GREEN", "CYAN"];

/// A service; it is killed when it is dropped, without a word to anybody.
struct Router(Child);

impl Router {
    fn start(file: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dunlin"));
        command.args(["route", "run", "-verbosity", "0"]).arg(file);
        let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
        Self(quiet.spawn().unwrap())
    }
}

impl Drop for Router {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A reliable writer that writes a number each millisecond, and a reader beyond.
struct Line {
    writer: DataWriter<Shape>,
    reader: DataReader<Shape>,
    /// By colour, what came last.
    seen: HashMap<String, i32>,
    written: Arc<AtomicI32>,
    stops: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Line {
    fn new(from: &DomainParticipant, to: &DomainParticipant, topic: &str) -> Self {
        let history = History::KeepAll;
        let wqos = DataWriterQos {
            history,
            ..Default::default()
        };
        let rqos = DataReaderQos {
            reliability: Reliability::RELIABLE,
            history,
            ..Default::default()
        };
        let writer = writer::<Shape>(from, topic, wqos, Default::default());
        let (written, stops) = (
            Arc::new(AtomicI32::new(0)),
            Arc::new(AtomicBool::new(false)),
        );
        let (own, number, stop) = (writer.clone(), Arc::clone(&written), Arc::clone(&stops));
        let thread = std::thread::spawn(move || {
            while !stop.load(SeqCst) {
                let x = number.load(SeqCst) + 1;
                let color = COLORS[x as usize % COLORS.len()].into();
                // One that finds no room is written again.
                if own.write(&Shape { color, x }).is_ok() {
                    number.store(x, SeqCst);
                }
                std::thread::sleep(Span::from_millis(1));
            }
        });
        Self {
            reader: reader::<Shape>(to, topic, rqos, Default::default()),
            writer,
            seen: HashMap::new(),
            written,
            stops,
            thread: Some(thread),
        }
    }

    /// Takes what has come: of each instance in the order in which it was written, and once.
    fn take(&mut self) {
        let seen = &mut self.seen;
        self.reader.take_each(|sample| {
            let Some(Shape { color, x }) = sample.into_data() else {
                return;
            };
            let last = seen.get(&color).copied().unwrap_or(0);
            assert!(last < x, "{color}: {x} comes after {last}");
            seen.insert(color, x);
        });
    }

    /// Waits until something comes that was written after `number`.
    fn wait_for(&mut self, number: i32) {
        let begun = Instant::now();
        while self.seen.values().all(|x| *x <= number) {
            assert!(begun.elapsed() < SOON, "nothing passes after {number}");
            let _ = self.reader.wait_for_data(Duration::from_millis(100));
            self.take();
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.stops.store(true, SeqCst);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What this process has of what grows: bytes of memory, open files, threads.
fn usage() -> [u64; 3] {
    let statm = fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = statm.split(' ').nth(1).unwrap().parse().unwrap();
    let count = |path: &str| fs::read_dir(path).unwrap().count() as u64;
    [
        pages * 4096,
        count("/proc/self/fd"),
        count("/proc/self/task"),
    ]
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < SOON, "{what}");
        std::thread::sleep(Span::from_millis(5));
    }
}

/// Kills services as long as `goes_on` for the number of kills; returns how long it took at most
/// until one routed, and what was used when it was warm and before the last.
fn storm(goes_on: impl Fn(usize) -> bool) -> (Span, [[u64; 3]; 2]) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("yard.toml");
    fs::write(&file, TOML).unwrap();
    let (near, far) = (participant(0, "near"), participant(1, "far"));
    let mut lines = [Line::new(&near, &far, "Up"), Line::new(&far, &near, "Down")];
    let (mut longest, mut used) = (Span::ZERO, [[0; 3]; 2]);
    for kill in 0.. {
        if !goes_on(kill) {
            break;
        }
        used[1] = usage();
        if kill <= WARM {
            used[0] = used[1];
        }
        let begun = Instant::now();
        let router = Router::start(&file);
        for line in &mut lines {
            let number = line.written.load(SeqCst);
            line.wait_for(number);
        }
        longest = longest.max(begun.elapsed());
        drop(router);
    }
    // One that lives still routes, and nothing is left of the others.
    let mut router = Router::start(&file);
    for line in &mut lines {
        let number = line.written.load(SeqCst);
        line.wait_for(number);
    }
    let others = || [&near, &far].map(|one| one.discovered_participants().len());
    let matched = || {
        let of = |line: &Line| [line.writer.matched_count(), line.reader.matched_count()];
        lines.each_ref().map(of)
    };
    until("services that were killed stay", || {
        others() == [1, 1] && matched() == [[1, 1], [1, 1]]
    });
    let id = router.0.id().to_string();
    Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert_eq!(router.0.wait().unwrap().code(), Some(0));
    until("the last service stays", || others() == [0, 0]);
    (longest, used)
}

#[test]
fn twenty_services_that_are_killed_under_load_leave_nothing() {
    let test = "twenty_services_that_are_killed_under_load_leave_nothing";
    in_namespace(test, LOOPBACK, || {
        let begun = Instant::now();
        let (longest, _) = storm(|kill| kill < KILLS);
        let all = begun.elapsed();
        println!("{KILLS} kills in {all:?}; routed after {longest:?} at most");
    });
}

/// `DUNLIN_SOAK_SECONDS` of the same [600].
#[test]
#[ignore = "takes ten minutes"]
fn memory_stays_as_it_is_while_services_are_killed_for_ten_minutes() {
    let test = "memory_stays_as_it_is_while_services_are_killed_for_ten_minutes";
    in_namespace(test, LOOPBACK, || {
        let seconds = std::env::var("DUNLIN_SOAK_SECONDS").ok();
        let seconds = seconds.map_or(600, |seconds| seconds.parse().unwrap());
        let begun = Instant::now();
        let is_on = |kill| kill <= WARM || begun.elapsed().as_secs() < seconds;
        let (longest, [warm, now]) = storm(is_on);
        println!("routed after {longest:?} at most; memory, files, threads {warm:?}, then {now:?}");
        assert!(now[0] <= warm[0] + SLACK, "{warm:?} {now:?}");
        assert!(now[1] <= warm[1] && now[2] <= warm[2], "{warm:?} {now:?}");
    });
}
