//! One side of a run: what it runs, and where.

use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::systems::Trouble;

/// What a side prints beyond this is not read.
const OUTPUT_MAX: u64 = 1 << 20;

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
        let child = command.spawn();
        let child = child.map_err(|error| Trouble::Failed(format!("{name}: {error}")))?;
        Ok(Box::new(Process(child)))
    }
}

/// A child process. What it prints fits into a pipe, so it is read when it has ended.
pub struct Process(pub Child);

impl Running for Process {
    fn ended(&mut self) -> Result<Option<Ended>, Trouble> {
        let status = self.0.try_wait();
        let status = status.map_err(|error| Trouble::Failed(error.to_string()))?;
        Ok(status.map(|status| self.left(status)))
    }

    fn release(&mut self) {
        drop(self.0.stdin.take());
    }
}

impl Process {
    fn left(&mut self, status: ExitStatus) -> Ended {
        let complaints = text(self.0.stderr.take());
        Ended {
            output: text(self.0.stdout.take()),
            failure: (!status.success()).then(|| reason(status, &complaints)),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Nothing happens to a child that has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn reason(status: ExitStatus, complaints: &str) -> String {
    if let Some(signal) = status.signal() {
        return format!("it was ended by signal {signal}");
    }
    let last = complaints.lines().last().unwrap_or("no reason given");
    last.trim_start_matches("Error: ").to_string()
}

fn text(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        // What cannot be read is missed by the parser.
        let _ = pipe.take(OUTPUT_MAX).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
