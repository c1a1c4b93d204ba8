//! A child process that answers each line with a line.
use crate::Patience;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// No command takes longer: those that wait have a bound of their own ([`Patience`]).
const LONGEST: Duration = Duration::from_secs(600);

/// A running program. It is killed when the value is dropped, and when the thread that started it
/// ends.
pub struct Process {
    name: String,
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Its first line.
    pub greeting: Answer,
}

/// Shared memory is a pool from so many bytes on; links are much smaller.
const LEAST_POOL: u64 = 1 << 20;

/// As many as one participant makes at most (docs/shared-memory.md). Who lives on may make some of
/// them late; of peers that have gone, one left behind for each would be more than that.
const MOST_POOLS: usize = 16;

/// What the system holds for a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holdings {
    /// Open files, sockets and the like.
    pub descriptors: usize,
    /// Maps of shared memory, but for pools.
    pub segments: usize,
    /// Maps of pools, its own and those of peers: large, and made when there is first a need, which
    /// may be late.
    pub pools: usize,
    /// Threads.
    pub threads: usize,
}

/// One line of `name=value` words.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The line as it came.
    pub text: String,
    values: HashMap<String, String>,
}

impl Answer {
    /// Splits a line; words without `=` are kept in `text` alone.
    pub fn new(text: &str) -> Self {
        let pairs = text.split_whitespace().filter_map(|w| w.split_once('='));
        let values = pairs.map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
        Self {
            text: text.to_owned(),
            values,
        }
    }

    /// The value of a name as text.
    ///
    /// # Panics
    /// If the line has no such name: the test expects it.
    pub fn get(&self, name: &str) -> &str {
        let value = self.values.get(name);
        value.unwrap_or_else(|| panic!("no {name} in {:?}", self.text))
    }

    /// The value of a name as a number.
    ///
    /// # Panics
    /// If the line has no such number: the test expects it.
    pub fn number(&self, name: &str) -> i64 {
        let value = self.get(name);
        value
            .parse()
            .unwrap_or_else(|_| panic!("{name} is no number in {:?}", self.text))
    }
}

impl Process {
    /// Starts `command`, whose first line is its greeting.
    ///
    /// # Panics
    /// If it cannot be started or says nothing.
    pub fn start(name: &str, mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{name} ({command:?}) does not start: {error}"));
        let output = child.stdout.take().expect("the output is a pipe");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let mut process = Self {
            name: name.to_owned(),
            input: child.stdin.take(),
            child,
            lines,
            greeting: Answer::default(),
        };
        process.greeting = process.hear();
        process
    }

    /// Sends a command and waits for its answer.
    ///
    /// # Panics
    /// If the process has ended or does not answer within ten minutes.
    pub fn ask(&mut self, line: &str) -> Answer {
        self.tell(line);
        self.hear()
    }

    /// Sends a command whose answer `hear` gets later.
    ///
    /// # Panics
    /// If the process has ended.
    pub fn tell(&mut self, line: &str) {
        let input = self
            .input
            .as_mut()
            .expect("the input is open until the drop");
        let sent = writeln!(input, "{line}");
        assert!(
            sent.is_ok(),
            "{} has ended: {:?}",
            self.name,
            self.child.try_wait()
        );
    }

    /// The next line.
    ///
    /// # Panics
    /// If the process ends first or ten minutes pass.
    pub fn hear(&mut self) -> Answer {
        match self.lines.recv_timeout(LONGEST) {
            Ok(line) => Answer::new(&line),
            Err(error) => panic!("{}: {error}; ended: {:?}", self.name, self.child.try_wait()),
        }
    }

    /// Asks with a command that answers `ms=` or `timeout`; the milliseconds.
    ///
    /// # Panics
    /// If it answers anything else than `ms=`.
    pub fn wait(&mut self, line: &str) -> i64 {
        let answer = self.ask(line);
        assert!(
            answer.text.starts_with("ms="),
            "{}: {line}: {}",
            self.name,
            answer.text
        );
        answer.number("ms")
    }

    /// The process's id: that of the program itself, which `nsenter` and `setpriv` become.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills it at once (SIGKILL); its end is awaited when the value is dropped.
    ///
    /// # Panics
    /// If it has ended before: the test expects it to live.
    pub fn kill(&mut self) {
        assert!(self.is_alive(), "{} has ended before", self.name);
        self.child.kill().expect("a child may be killed");
    }

    /// What the system holds for it.
    ///
    /// # Panics
    /// If it has ended.
    pub fn holdings(&self) -> Holdings {
        let count = |what: &str| {
            let entries = std::fs::read_dir(format!("/proc/{}/{what}", self.id()));
            entries.expect("a running process").count()
        };
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", self.id()));
        let maps = maps.expect("a running process");
        let segments = || {
            let lines = maps.lines().filter(|line| line.contains("/memfd:"));
            lines.filter_map(|line| {
                let (begin, rest) = line.split_once('-')?;
                let end = rest.split(' ').next()?;
                let at = |digits| u64::from_str_radix(digits, 16).ok();
                at(end)?.checked_sub(at(begin)?)
            })
        };
        Holdings {
            descriptors: count("fd"),
            segments: segments().filter(|bytes| *bytes < LEAST_POOL).count(),
            pools: segments().filter(|bytes| *bytes >= LEAST_POOL).count(),
            threads: count("task"),
        }
    }

    /// Waits until it holds no more than before, but for pools that it has made late, of which
    /// there are few.
    ///
    /// # Panics
    /// If it still does after a long time, or has ended.
    pub fn comes_back_to(&self, before: Holdings) {
        let mut patience = Patience::begin();
        loop {
            let now = self.holdings();
            // Who makes a pool keeps its descriptor, for peers to come.
            let made = now.pools.saturating_sub(before.pools);
            let more = now.descriptors > before.descriptors + made
                || now.segments > before.segments
                || now.pools > before.pools.max(MOST_POOLS)
                || now.threads > before.threads;
            if !more {
                return;
            }
            assert!(patience.lasts(now), "{before:?} has become {now:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The most memory that it has had in RAM since `forget_peak`, in KiB.
    ///
    /// # Panics
    /// If the process has ended.
    pub fn peak_kib(&self) -> i64 {
        self.status("VmHWM:")
    }

    /// Memory of its own, shared with nobody, that is in RAM now, in KiB.
    ///
    /// # Panics
    /// If the process has ended.
    pub fn private_kib(&self) -> i64 {
        self.status("RssAnon:")
    }

    /// All of its memory that is in RAM now, and the part of it that it shares with others, in KiB.
    ///
    /// # Panics
    /// If the process has ended.
    pub fn resident_kib(&self) -> [i64; 2] {
        ["VmRSS:", "RssShmem:"].map(|of| self.status(of))
    }

    fn status(&self, of: &str) -> i64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id()));
        let status = status.expect("a running process");
        let line = status.lines().find_map(|l| l.strip_prefix(of));
        let number = line.and_then(|l| l.split_whitespace().next()?.parse().ok());
        number.expect("the kernel says how much memory it has")
    }

    /// Time that it has spent on processors so far.
    ///
    /// # Panics
    /// If the process has ended.
    pub fn computed(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.id()));
        let stat = stat.expect("a running process");
        // The name, in brackets, may have blanks. Then come the state and, as 12th and 13th,
        // hundredths of seconds (proc(5)).
        let after = stat.rsplit(')').next().unwrap_or_default();
        let ticks = after.split_whitespace().skip(11).take(2);
        let ticks = ticks
            .filter_map(|ticks| ticks.parse::<u64>().ok())
            .sum::<u64>();
        Duration::from_millis(10 * ticks)
    }

    /// Counts the peak anew.
    ///
    /// # Panics
    /// If the process has ended.
    pub fn forget_peak(&self) {
        let path = format!("/proc/{}/clear_refs", self.id());
        std::fs::write(path, "5").expect("a running process of this user");
    }

    /// True as long as it runs.
    pub fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
