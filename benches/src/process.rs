//! Child processes: pinned, bounded in time, ended with their owner.
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The `name=value` words of a peer.
pub(crate) type Words = HashMap<String, f64>;

/// A running child; dropping it kills it.
pub(crate) struct Process {
    child: Child,
    name: String,
}

impl Process {
    /// Starts a program, on one processor if told so. Its standard input stays open until
    /// [`Process::release`].
    pub(crate) fn start(mut command: Command, cpu: Option<usize>) -> Result<Self, String> {
        let program = Path::new(command.get_program());
        let name = program.file_name().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = on(cpu, || command.spawn()).map_err(|error| format!("{name}: {error}"))?;
        Ok(Self { child, name })
    }

    /// Its process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Closes its standard input, which peers take as the end.
    pub(crate) fn release(&mut self) {
        drop(self.child.stdin.take());
    }

    /// The next line of its stdout; blocks until there is one or the program ends, which all of
    /// them do in time.
    pub(crate) fn line(&mut self) -> Result<Words, String> {
        let Some(out) = self.child.stdout.as_mut() else {
            return Err(format!("{}: has no output", self.name));
        };
        let mut line = String::new();
        let read = BufReader::with_capacity(1, out).read_line(&mut line);
        match read {
            Ok(n) if n > 0 => Ok(words(&line)),
            _ => Err(self.complaint()),
        }
    }

    /// Waits for its end; gives what it printed.
    pub(crate) fn output(&mut self, patience: Duration) -> Result<String, String> {
        let status = self.wait(patience)?;
        let mut text = String::new();
        if let Some(out) = self.child.stdout.as_mut() {
            // What cannot be read is missed by the parser.
            let _ = out.read_to_string(&mut text);
        }
        if status.success() {
            return Ok(text);
        }
        Err(self.complaint())
    }

    fn wait(&mut self, patience: Duration) -> Result<ExitStatus, String> {
        let until = Instant::now() + patience;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Ok(status),
                Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(5)),
                Ok(None) => return Err(format!("{}: did not end in time", self.name)),
                Err(error) => return Err(format!("{}: {error}", self.name)),
            }
        }
    }

    /// The last line that it complained with.
    fn complaint(&mut self) -> String {
        // It has ended, or is ended now, so that its pipe has an end.
        let _ = self.child.kill();
        let mut text = String::new();
        if let Some(err) = self.child.stderr.as_mut() {
            let _ = err.read_to_string(&mut text);
        }
        let last = text.lines().last().unwrap_or("failed without a reason");
        format!("{}: {last}", self.name)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Nothing happens to a child that has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs `start` on one processor; what it starts stays there.
fn on<T>(cpu: Option<usize>, start: impl FnOnce() -> std::io::Result<T>) -> std::io::Result<T> {
    let Some(cpu) = cpu else { return start() };
    let before = sched_getaffinity(None)?;
    let mut only = CpuSet::new();
    only.set(cpu);
    sched_setaffinity(None, &only)?;
    let started = start();
    sched_setaffinity(None, &before)?;
    started
}

/// The `name=value` words of a text; others are skipped.
pub(crate) fn words(text: &str) -> Words {
    text.split_whitespace()
        .filter_map(|word| word.split_once('='))
        .filter_map(|(name, value)| Some((name.into(), value.parse().ok()?)))
        .collect()
}

/// Processors kept from halting: one process of the policy SCHED_IDLE on each.
pub(crate) struct Awake {
    _spinners: Vec<Process>,
}

impl Awake {
    /// Until this is dropped.
    pub(crate) fn start(peer: &Path, cpus: [usize; 2]) -> Result<Self, String> {
        let spinner = |cpu| {
            let mut command = Command::new("chrt");
            command.args(["--idle", "0"]).arg(peer).arg("awake");
            Process::start(command, Some(cpu))
        };
        let spinners = cpus
            .into_iter()
            .map(spinner)
            .collect::<Result<Vec<_>, _>>()?;
        std::thread::sleep(Duration::from_millis(20));
        Ok(Self {
            _spinners: spinners,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Process {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Process::start(command, None).unwrap()
    }

    #[test]
    fn words_come_out_of_the_output() {
        let mut process = shell("echo samples=12 lost=0 rest");
        let words = words(&process.output(Duration::from_secs(10)).unwrap());
        assert_eq!(
            (words["samples"], words["lost"], words.len()),
            (12.0, 0.0, 2)
        );
    }

    #[test]
    fn a_failure_is_told_by_its_last_line_and_a_hang_is_ended() {
        let failed =
            shell("echo first >&2; echo second >&2; exit 1").output(Duration::from_secs(10));
        assert_eq!(failed, Err("sh: second".into()));
        let hung = shell("exec sleep 60").output(Duration::ZERO);
        assert_eq!(hung, Err("sh: did not end in time".into()));
    }

    #[test]
    fn a_line_can_be_read_while_the_program_goes_on() {
        let mut process = shell("echo matched_at=5; read line");
        assert_eq!(process.line().unwrap()["matched_at"], 5.0);
        process.release();
        let _ = process.output(Duration::from_secs(10));
    }
}
