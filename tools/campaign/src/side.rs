//! One side of a run: what it runs, and where.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::systems::Trouble;

/// What a side prints beyond this is not read.
const OUTPUT_MAX: u64 = 1 << 20;

/// Of a log, how many bytes are read and how many lines are told when the process has failed.
const TAIL: u64 = 4 << 10;
const LINES: usize = 3;

/// How a line with an error begins, and how many lines it may take.
const ERROR: &str = "Error: ";
const EXPLANATION: usize = 12;

/// Which program.
#[derive(Clone, Debug, PartialEq)]
pub enum Program {
    /// Perftest itself, the one that is running.
    Perftest,
    /// Another one, on this machine.
    Other(PathBuf),
}

/// What one side runs. Its standard input is closed when the publisher has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// What.
    pub program: Program,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Added to the environment.
    pub environment: Vec<(String, String)>,
    /// All that it prints goes to this file, for it may be long; else it is kept until it ends.
    pub log: Option<PathBuf>,
}

/// What a side left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ended {
    /// Its standard output.
    pub output: String,
    /// Why it failed: the last line that it complained with.
    pub failure: Option<String>,
}

/// Where a side runs: here, or at an agent.
pub trait Place {
    /// Starts it.
    fn start(&self, task: &Task) -> Result<Box<dyn Running>, Trouble>;
}

/// A side that runs. Dropping it ends it.
pub trait Running {
    /// What it left, once it has ended; never waits.
    fn ended(&mut self) -> Result<Option<Ended>, Trouble>;

    /// Closes its standard input.
    fn release(&mut self);

    /// Asks it to end, as Ctrl-C does.
    fn interrupt(&mut self) {}

    /// Its process, if that is one of this machine.
    fn process(&self) -> Option<u32> {
        None
    }
}

/// This machine.
#[derive(Clone, Debug)]
pub struct Local {
    /// The program perftest, and the words that make it perftest if it is another one.
    pub perftest: Vec<String>,
    /// Words before every command: what enters a namespace, and what ends the side together with
    /// the campaign.
    pub before: Vec<String>,
}

impl Local {
    /// As a command of this machine.
    pub fn command(&self, task: &Task) -> Command {
        let program = match &task.program {
            Program::Perftest => self.perftest.clone(),
            Program::Other(path) => vec![path.to_string_lossy().into_owned()],
        };
        let mut words = self.before.iter().chain(&program).chain(&task.arguments);
        let mut command = Command::new(words.next().map_or("", String::as_str));
        command
            .args(words)
            .envs(task.environment.iter().map(|(name, value)| (name, value)))
            // Ctrl-C is for the campaign, which ends its sides itself.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

impl Place for Local {
    fn start(&self, task: &Task) -> Result<Box<dyn Running>, Trouble> {
        let mut command = self.command(task);
        let name = command.get_program().to_string_lossy().into_owned();
        let failed = |error| Trouble::Failed(format!("{name}: {error}"));
        if let Some(log) = &task.log {
            let file = File::create(log).map_err(failed)?;
            command
                .stdout(file.try_clone().map_err(failed)?)
                .stderr(file);
        }
        let child = command.spawn().map_err(failed)?;
        Ok(Box::new(Process {
            child,
            log: task.log.clone(),
        }))
    }
}

/// A child process. What it prints fits into a pipe, so it is read when it has ended.
pub struct Process {
    child: Child,
    /// Where all that it prints goes, if that is no pipe.
    log: Option<PathBuf>,
}

impl Running for Process {
    fn ended(&mut self) -> Result<Option<Ended>, Trouble> {
        let status = self.child.try_wait();
        let status = status.map_err(|error| Trouble::Failed(error.to_string()))?;
        Ok(status.map(|status| self.left(status)))
    }

    fn release(&mut self) {
        drop(self.child.stdin.take());
    }

    fn interrupt(&mut self) {
        let process = i32::try_from(self.child.id()).ok();
        if let Some(process) = process.and_then(Pid::from_raw) {
            // Who has ended already is still ours, so nobody else gets it.
            let _ = kill_process(process, Signal::INT);
        }
    }

    fn process(&self) -> Option<u32> {
        Some(self.child.id())
    }
}

impl Process {
    fn left(&mut self, status: ExitStatus) -> Ended {
        let complaints = text(self.child.stderr.take());
        let last = match &self.log {
            Some(log) => last_words(&end_of(log), LINES),
            None => last_words(&complaints, 1),
        };
        Ended {
            output: text(self.child.stdout.take()),
            failure: (!status.success()).then(|| reason(status, last)),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Nothing happens to a child that has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn reason(status: ExitStatus, last: Option<String>) -> String {
    if let Some(signal) = status.signal() {
        return format!("it was ended by signal {signal}");
    }
    let last = last.unwrap_or_else(|| "no reason given".into());
    last.trim_start_matches(ERROR).to_string()
}

/// What it said last, as one line: its last error with what belongs to that, else so many lines.
fn last_words(text: &str, lines: usize) -> Option<String> {
    let said: Vec<_> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let error = said.iter().rposition(|line| line.starts_with(ERROR));
    let begin = error.unwrap_or(said.len().saturating_sub(lines));
    let words: Vec<_> = said.into_iter().skip(begin).take(EXPLANATION).collect();
    (!words.is_empty()).then(|| words.join(" / "))
}

/// The end of a log, as far as it is there.
fn end_of(log: &Path) -> String {
    let Ok(mut file) = File::open(log) else {
        return String::new();
    };
    let length = file.metadata().map_or(0, |found| found.len());
    // Where the end cannot be found, the beginning is better than nothing.
    let _ = file.seek(SeekFrom::Start(length.saturating_sub(TAIL)));
    text(Some(file))
}

fn text(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        // What cannot be read is missed by the parser.
        let _ = pipe.take(OUTPUT_MAX).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_words_are_an_error_with_all_that_belongs_to_it() {
        let text = "Waiting\nError: gave up: nobody is there.\n  writer a\n\n  writer b\n";
        let all = "Error: gave up: nobody is there. / writer a / writer b";
        assert_eq!(last_words(text, 1).as_deref(), Some(all));
        assert_eq!(
            last_words("one\ntwo\nthree\n", 2).as_deref(),
            Some("two / three")
        );
        assert_eq!(last_words("\n\n", 1), None);
    }
}
