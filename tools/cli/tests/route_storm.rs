//! Services, sources and readers that are killed and started again, each test in a network
//! namespace of its own.
mod common;
use common::*;
use dunlin::*;
use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::parent_id;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::SeqCst};
use std::thread::JoinHandle;
use std::time::{Duration as Span, Instant, SystemTime, UNIX_EPOCH};

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

/// What a process of the storm over all does, and the start of its clock.
const ROLE: &str = "DUNLIN_STORM_ROLE";
const EPOCH: &str = "DUNLIN_STORM_EPOCH";
/// The processes that are killed in turn.
const ROLES: [&str; 3] = ["source", "router", "reader"];
/// How often, in the test that does not take long.
const KILLS_OF_ALL: usize = 12;

fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    now.as_millis() as u64
}

/// Milliseconds since the storm began, by the clock of this host.
fn since(epoch: u64) -> i32 {
    i32::try_from(now() - epoch).unwrap()
}

/// A source of samples that say when they were written, or a reader that prints what it takes,
/// until it is killed or the test is gone.
fn play(role: &str) {
    let epoch = std::env::var(EPOCH).unwrap().parse().unwrap();
    let history = History::KeepAll;
    let parent = parent_id();
    let goes_on = || parent_id() == parent;
    match role {
        "source" => {
            let near = participant(0, "source");
            let qos = DataWriterQos {
                history,
                ..Default::default()
            };
            let writer = writer::<Shape>(&near, "Up", qos, Default::default());
            while goes_on() {
                let (color, x) = ("RED".into(), since(epoch));
                let _ = writer.write(&Shape { color, x });
                std::thread::sleep(Span::from_millis(2));
            }
        }
        _ => {
            let far = participant(1, "reader");
            let qos = DataReaderQos {
                reliability: Reliability::RELIABLE,
                history,
                ..Default::default()
            };
            let reader = reader::<Shape>(&far, "Up", qos, Default::default());
            while goes_on() {
                let _ = reader.wait_for_data(Duration::from_secs(1));
                let mut last = None;
                reader.take_each(|sample| last = sample.into_data().or(last.take()));
                if let Some(Shape { x, .. }) = last {
                    println!("taken {x}");
                }
            }
        }
    }
}

/// The processes of the storm over all.
struct Cast {
    test: &'static str,
    file: std::path::PathBuf,
    epoch: u64,
    /// When the youngest sample was written that the reader has taken.
    taken: Arc<AtomicI32>,
    all: [Router; 3],
}

impl Cast {
    fn new(test: &'static str, file: &Path) -> Self {
        let (epoch, taken) = (now(), Arc::new(AtomicI32::new(0)));
        let file = file.to_owned();
        let all = ROLES.map(|role| Self::start(test, &file, epoch, &taken, role));
        Self {
            test,
            file,
            epoch,
            taken,
            all,
        }
    }

    fn start(
        test: &str,
        file: &Path,
        epoch: u64,
        taken: &Arc<AtomicI32>,
        role: &'static str,
    ) -> Router {
        if role == "router" {
            return Router::start(file);
        }
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--include-ignored", "--exact", test, "--nocapture"])
            .env(ROLE, role)
            .env(EPOCH, epoch.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (lines, taken) = (
            BufReader::new(child.stdout.take().unwrap()),
            Arc::clone(taken),
        );
        // Ends with the process.
        std::thread::spawn(move || {
            for line in lines.lines().map_while(|line| line.ok()) {
                let number = line.strip_prefix("taken ").and_then(|x| x.parse().ok());
                if let Some(x) = number {
                    taken.fetch_max(x, SeqCst);
                }
            }
        });
        Router(child)
    }

    /// Kills one and starts it again; returns how long it takes until something passes that was
    /// written after that.
    fn replace(&mut self, at: usize) -> Span {
        let (one, role) = (&mut self.all[at], ROLES[at]);
        let _ = one.0.kill();
        let _ = one.0.wait();
        let begun = Instant::now();
        let started = since(self.epoch);
        *one = Self::start(self.test, &self.file, self.epoch, &self.taken, role);
        until("nothing passes", || self.taken.load(SeqCst) > started);
        begun.elapsed()
    }
}

/// Kills sources, services and readers in turn, one each `pace`, as long as `goes_on` for the
/// number of kills; prints how long each took to be heard again.
fn storm_over_all(test: &'static str, pace: Span, goes_on: impl Fn(usize) -> bool) {
    if let Ok(role) = std::env::var(ROLE) {
        return play(&role);
    }
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("yard.toml");
    fs::write(&file, TOML).unwrap();
    // Those who stay: what they have seen of the others must not pile up.
    let witnesses = [participant(0, "witness"), participant(1, "witness")];
    let mut cast = Cast::new(test, &file);
    until("nothing passes", || cast.taken.load(SeqCst) > 0);
    let (mut longest, mut late, mut kills) = ([Span::ZERO; 3], 0, 0);
    let mut used = [usage(); 2];
    while goes_on(kills) {
        let begun = Instant::now();
        let at = kills % ROLES.len();
        let took = cast.replace(at);
        longest[at] = longest[at].max(took);
        late += usize::from(took > Span::from_millis(1500));
        kills += 1;
        used[1] = usage();
        if kills <= WARM {
            used[0] = used[1];
        }
        std::thread::sleep(pace.saturating_sub(begun.elapsed()));
    }
    for (role, longest) in ROLES.iter().zip(longest) {
        println!("{role}: heard {longest:?} after its start at most");
    }
    let [warm, last] = used;
    println!(
        "{kills} kills, {late} heard after more than 1.5 s; memory, files, threads {warm:?}, then {last:?}"
    );
    assert!(last[0] <= warm[0] + SLACK, "{warm:?} {last:?}");
    assert!(
        last[1] <= warm[1] + 2 && last[2] <= warm[2] + 2,
        "{warm:?} {last:?}"
    );
    let seen = || {
        witnesses
            .each_ref()
            .map(|one| one.discovered_participants().len())
    };
    // On either side the service, and who writes or reads.
    until("who was killed stays", || seen() == [2, 2]);
    drop(cast);
    until("the last ones stay", || seen() == [0, 0]);
}

#[test]
fn sources_services_and_readers_that_are_killed_in_turn_are_heard_again() {
    let test = "sources_services_and_readers_that_are_killed_in_turn_are_heard_again";
    in_namespace(test, LOOPBACK, || {
        storm_over_all(test, Span::ZERO, |kills| kills < KILLS_OF_ALL);
    });
}

/// `DUNLIN_SOAK_SECONDS` of the same [600], a kill each two seconds.
#[test]
#[ignore = "takes ten minutes"]
fn sources_services_and_readers_are_killed_in_turn_for_ten_minutes() {
    let test = "sources_services_and_readers_are_killed_in_turn_for_ten_minutes";
    in_namespace(test, LOOPBACK, || {
        let seconds = std::env::var("DUNLIN_SOAK_SECONDS").ok();
        let seconds = seconds.map_or(600, |seconds| seconds.parse().unwrap());
        let begun = Instant::now();
        let goes_on = |_| begun.elapsed().as_secs() < seconds;
        storm_over_all(test, Span::from_secs(2), goes_on);
    });
}
