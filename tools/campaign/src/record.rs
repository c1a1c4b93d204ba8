//! What a campaign leaves behind: the directory that measuring fills and reporting reads.
//!
//! `campaign.json` is written once, at the start. `runs.jsonl` gets one line for each run that has
//! ended, well or not, so a campaign that was interrupted knows where to go on; a line that was cut
//! short by a full disk or a kill is measured again. `histograms/` holds one HdrHistogram log per
//! latency, `logs/` what routers between the sides had to say. Times are nanoseconds, rates are per
//! second.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::calls::Calls;
use crate::input;
use crate::rows::{Goals, Variant};
use crate::whole;

/// The format of the directory; a reader refuses another one.
pub const FORMAT: u32 = 1;

const HEAD: &str = "campaign.json";
const RUNS: &str = "runs.jsonl";
const HISTOGRAMS: &str = "histograms";
const LOGS: &str = "logs";

/// What was planned, and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Campaign {
    /// [`FORMAT`].
    pub format: u32,
    /// Of the built-in campaign or of its file.
    pub name: String,
    /// RFC 3339, UTC.
    pub started: String,
    /// Of Dunlin.
    pub version: String,
    /// Of one run's measurement.
    pub seconds: f64,
    /// How often each cell is measured.
    pub repetitions: u32,
    /// Every cell, in the order of the report.
    pub cells: Vec<Cell>,
    /// What was left out, and why: an absent rival, a mode that a system does not have.
    pub skipped: Vec<String>,
    /// How the sides reach each other: "one network namespace", "two network namespaces", "three
    /// network namespaces at a switch", an agent's address.
    pub network: String,
    /// The machine of the publisher, then that of the subscriber where it is another one.
    pub hosts: Vec<Host>,
    /// What the report tells apart, in its order; none if that is the transports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chapters: Vec<Chapter>,
}

impl Campaign {
    /// How the sides of a cell reach each other.
    pub fn network_of(&self, cell: &Cell) -> &str {
        let chapter = self.chapters.iter().find(|one| one.title == cell.chapter);
        chapter.map_or(&self.network, |chapter| &chapter.network)
    }

    /// What a run of a cell measures, seconds.
    pub fn seconds_of(&self, cell: &Cell) -> f64 {
        self.seconds * self.goals_of(cell).map_or(1.0, |goals| goals.share)
    }

    /// How often a cell is measured.
    pub fn repetitions_of(&self, cell: &Cell) -> u32 {
        let most = self
            .goals_of(cell)
            .map_or(u32::MAX, |goals| goals.repetitions);
        self.repetitions.min(most)
    }

    /// Runs of all cells.
    pub fn total(&self) -> usize {
        let each = self
            .cells
            .iter()
            .map(|cell| self.repetitions_of(cell) as usize);
        each.sum()
    }

    fn goals_of(&self, cell: &Cell) -> Option<&Goals> {
        let chapter = self.chapters.iter().find(|one| one.title == cell.chapter);
        chapter.and_then(|chapter| chapter.goals.as_ref())
    }

    /// Those that its cells use, each once.
    pub fn networks(&self) -> Vec<&str> {
        let mut all: Vec<_> = self
            .cells
            .iter()
            .map(|cell| self.network_of(cell))
            .collect();
        let mut seen = HashSet::new();
        all.retain(|network| seen.insert(*network));
        all
    }
}

/// A part of the campaign with a heading of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chapter {
    /// As [`Cell::chapter`] names it: "TCP, C++98".
    pub title: String,
    /// How its sides reach each other, as [`Campaign::network`] tells.
    pub network: String,
    /// The system that it is about; the others are what that is compared with.
    pub subject: System,
    /// Why it has no cells: what is not here, and how to make it.
    #[serde(default)]
    pub missing: Option<String>,
    /// Its rows, where something is asked of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goals: Option<Goals>,
}

/// Who is measured: "dunlin", "dunlin-c", "dunlin-cpp98", "dunlin-java", "dunlin-cs",
/// "dunlin-routed", "dunlin-routed-twice", "dunlin-cpp98-routed", "raw", "raw-relay", "cyclone",
/// "fastdds", "iceoryx2", "zenoh"; "dunlin-api", "plain-udp", "plain-shm", "sealed-tcp".
pub type System = String;

/// One point of the campaign; its repetitions are runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// Who.
    pub system: System,
    /// As `-transport` takes it: "UDPv4", "SHMEM", "TCP", "TLS".
    pub transport: String,
    /// What is asked.
    pub mode: Mode,
    /// Whether the samples are reliable.
    pub reliable: bool,
    /// Whether the type has a key.
    pub keyed: bool,
    /// Whether samples are built where the receiver looks at them.
    pub zero_copy: bool,
    /// Whether everybody sleeps in the kernel for data, instead of waiting as they do by
    /// themselves.
    #[serde(default)]
    pub blocking: bool,
    /// Bytes of a sample, as `-dataLen` counts them.
    pub size: u64,
    /// The title of the chapter; empty if there are none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub chapter: String,
    /// How it is measured beyond that, where rows have goals.
    #[serde(default, skip_serializing_if = "Variant::is_plain")]
    pub variant: Variant,
}

/// What a cell asks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// One sample in flight.
    Latency,
    /// As many as go through.
    Throughput {
        /// Whether samples share messages.
        batched: bool,
    },
    /// Latency at a fixed rate, whatever the answers do.
    Loaded {
        /// Samples per second.
        rate: f64,
    },
    /// What a participant costs that does nothing, and how soon it finds one that is up already.
    Footprint,
    /// System calls for a round trip.
    Calls {
        /// For a sample of a stream instead.
        stream: bool,
    },
}

/// One run that has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Of what.
    pub cell: Cell,
    /// From 0.
    pub repetition: u32,
    /// RFC 3339, UTC.
    pub started: String,
    /// What came of it.
    pub outcome: Outcome,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// With figures.
    Measured(Box<Measured>),
    /// Without, and why: one line for the user.
    Failed(String),
}

/// The figures of one run; what its mode does not ask for is absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Half of a round trip; at a fixed rate from the moment when the sample was sent (service
    /// time).
    pub latency: Option<Latency>,
    /// At a fixed rate only: from the moment when the sample should have been sent.
    pub response: Option<Latency>,
    /// What the receiver counted.
    pub throughput: Option<Throughput>,
    /// Samples before the measurement, not counted.
    pub warm_up: u64,
    /// How the sides wait for data: "spin, then block", "listener, blocking".
    pub waiting: String,
    /// Of the publisher and of the subscriber, where they were counted.
    pub cost: [Option<Cost>; 2],
    /// Of what is between them, if anything is.
    #[serde(default)]
    pub middle: Option<Middle>,
    /// Of an idle participant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub footprint: Option<Footprint>,
    /// System calls by name, of the publisher and of the subscriber.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<[Calls; 2]>,
}

/// What a participant with a writer and a reader costs, matched and idle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Footprint {
    /// From before its process is started until its writer and its reader are matched,
    /// milliseconds.
    pub match_ms: f64,
    /// Resident, bytes.
    pub memory: u64,
    /// Of the process.
    pub threads: u64,
    /// Processors in use while nothing happens.
    pub idle: f64,
}

/// What routers or relays between the sides spent, all of them together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Middle {
    /// How many there are in a row.
    pub processes: u32,
    /// Processor time for a sample (of latency: for a round trip), nanoseconds.
    pub cpu: f64,
    /// Processors in use during the measurement.
    pub load: f64,
    /// The most memory that they have had, bytes.
    pub memory: u64,
}

/// Latencies of one run, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// How many.
    pub samples: u64,
    /// Never answered.
    pub lost: u64,
    /// Answered when nobody waited any longer.
    pub late: u64,
    /// Mean.
    pub average: f64,
    /// Standard deviation.
    pub deviation: f64,
    /// Shortest.
    pub min: u64,
    /// Longest.
    pub max: u64,
    /// 50, 90, 99, 99.99 and 99.9999 %.
    pub percentiles: [u64; 5],
    /// The log in `histograms/`.
    pub histogram: Option<String>,
}

/// The percentiles of [`Latency`], in percent.
pub const PERCENTILES: [f64; 5] = [50.0, 90.0, 99.0, 99.99, 99.9999];

/// What a receiver counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Throughput {
    /// How many.
    pub samples: u64,
    /// How many a second.
    pub samples_per_second: f64,
    /// 10^6 bits of samples a second.
    pub mbps: f64,
    /// Sent, and never received.
    pub lost: u64,
    /// Sent in all, where the sender told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<u64>,
    /// Received in all, where the receiver told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<u64>,
    /// Datagrams for which a receive buffer of this host had no room meanwhile, where they were
    /// counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<u64>,
}

/// What one side spent on a sample (of latency: on a round trip).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Processor time, nanoseconds.
    pub cpu: f64,
    /// Voluntary and involuntary.
    pub context_switches: f64,
    /// Minor and major.
    pub page_faults: f64,
    /// Where they could be counted.
    pub system_calls: Option<f64>,
    /// Where they could be counted.
    pub allocations: Option<f64>,
}

/// The machine of one side, as far as it matters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// Name.
    pub name: String,
    /// Label and value, in order: "processor" "Intel ...", "kernel", "governor", "idle states",
    /// "affinity", "interface", "MTU", "offloads".
    pub facts: Vec<(String, String)>,
    /// What `perftest doctor` would say, one line each.
    pub advice: Vec<String>,
}

/// Why a directory could not be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The system refused.
    #[error("{path}: {source}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// Not what was written there.
    #[error("{path}, line {line}: {reason}")]
    Content {
        /// Which file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// Of another version.
    #[error(
        "{path} has format {found}, this program reads {FORMAT}: use the version that wrote it"
    )]
    Format {
        /// Which file.
        path: PathBuf,
        /// Its format.
        found: u32,
    },
    /// Something is there already.
    #[error(
        "{0} holds a campaign already: go on with it (--resume) or name another directory (--output)"
    )]
    Taken(PathBuf),
}

/// The directory of one campaign.
#[derive(Clone, Debug)]
pub struct Directory {
    path: PathBuf,
}

impl Directory {
    /// A new one, with its head written.
    pub fn create(path: impl Into<PathBuf>, campaign: &Campaign) -> Result<Self, RecordError> {
        let directory = Self { path: path.into() };
        let head = directory.path.join(HEAD);
        if head.exists() {
            return Err(RecordError::Taken(directory.path));
        }
        let histograms = directory.path.join(HISTOGRAMS);
        fs::create_dir_all(&histograms).map_err(io_error(&histograms))?;
        let text = serde_json::to_vec_pretty(campaign).map_err(io::Error::other);
        text.and_then(|text| whole::write(&head, &text))
            .map_err(io_error(&head))?;
        Ok(directory)
    }

    /// One that is there, and what was planned in it.
    pub fn open(path: impl Into<PathBuf>) -> Result<(Self, Campaign), RecordError> {
        #[derive(Deserialize)]
        struct Format {
            format: u32,
        }
        let directory = Self { path: path.into() };
        let head = directory.path.join(HEAD);
        let text = input::text(&head).map_err(io_error(&head))?;
        let content = |error: serde_json::Error| RecordError::Content {
            path: head.clone(),
            line: error.line(),
            reason: error.to_string(),
        };
        let Format { format } = serde_json::from_str(&text).map_err(content)?;
        if format != FORMAT {
            return Err(RecordError::Format {
                path: head,
                found: format,
            });
        }
        let campaign = serde_json::from_str(&text).map_err(content)?;
        Ok((directory, campaign))
    }

    /// Of a path where nothing is looked at yet.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the log of that name is.
    pub fn histogram(&self, name: &str) -> PathBuf {
        self.path.join(HISTOGRAMS).join(name)
    }

    /// Where a process between the sides writes what it has to say, by the name of the log.
    pub fn log(&self, name: &str) -> Result<PathBuf, RecordError> {
        let logs = self.path.join(LOGS);
        fs::create_dir_all(&logs).map_err(io_error(&logs))?;
        Ok(logs.join(name))
    }

    /// Adds a run, on disk when this returns.
    pub fn add(&self, run: &Run) -> Result<(), RecordError> {
        let path = self.path.join(RUNS);
        let mut line = serde_json::to_vec(run)
            .map_err(io::Error::other)
            .map_err(io_error(&path))?;
        line.push(b'\n');
        append(&path, &line).map_err(io_error(&path))
    }

    /// Every run so far. A last line without its end does not count.
    pub fn runs(&self) -> Result<Vec<Run>, RecordError> {
        let path = self.path.join(RUNS);
        let text = match input::text(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
            text => text.map_err(io_error(&path))?,
        };
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let lines = whole.lines().enumerate();
        lines
            .map(|(index, line)| {
                serde_json::from_str(line).map_err(|error| RecordError::Content {
                    path: path.clone(),
                    line: index + 1,
                    reason: error.to_string(),
                })
            })
            .collect()
    }
}

/// Adds a line behind the last whole one.
fn append(path: &Path, line: &[u8]) -> io::Result<()> {
    let file = File::options().create(true).append(true).open(path)?;
    drop_torn_line(path, &file)?;
    whole::append_to(&file, |out| out.write_all(line))?;
    file.sync_data()
}

fn drop_torn_line(path: &Path, file: &File) -> io::Result<()> {
    let bytes = fs::read(path)?;
    let whole = bytes
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |end| end + 1);
    match whole == bytes.len() {
        true => Ok(()),
        false => file.set_len(whole as u64),
    }
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> RecordError {
    let path = path.to_owned();
    move |source| RecordError::Io { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell() -> Cell {
        Cell {
            system: "dunlin".into(),
            transport: "SHMEM".into(),
            mode: Mode::Loaded { rate: 1000.0 },
            reliable: true,
            keyed: false,
            zero_copy: false,
            blocking: false,
            size: 32,
            chapter: String::new(),
            variant: Default::default(),
        }
    }

    fn campaign() -> Campaign {
        Campaign {
            format: FORMAT,
            name: "quick".into(),
            started: "2026-11-22T00:00:00Z".into(),
            version: "0.1.0".into(),
            seconds: 1.0,
            repetitions: 3,
            cells: vec![cell()],
            skipped: vec![],
            network: "one network namespace".into(),
            hosts: vec![Host::default()],
            chapters: vec![],
        }
    }

    fn run(repetition: u32) -> Run {
        Run {
            cell: cell(),
            repetition,
            started: "2026-11-22T00:00:01Z".into(),
            outcome: Outcome::Failed("the subscriber is gone".into()),
        }
    }

    #[test]
    fn what_was_written_is_read() {
        let place = tempfile::tempdir().unwrap();
        let directory = Directory::create(place.path(), &campaign()).unwrap();
        assert_eq!(directory.runs().unwrap(), []);
        directory.add(&run(0)).unwrap();
        directory.add(&run(1)).unwrap();
        let (directory, read) = Directory::open(place.path()).unwrap();
        assert_eq!(read, campaign());
        assert_eq!(directory.runs().unwrap(), [run(0), run(1)]);
    }

    #[test]
    fn a_line_that_was_cut_short_is_measured_again() {
        let place = tempfile::tempdir().unwrap();
        let directory = Directory::create(place.path(), &campaign()).unwrap();
        directory.add(&run(0)).unwrap();
        append(&place.path().join(RUNS), b"{\"cell\":").unwrap();
        assert_eq!(directory.runs().unwrap(), [run(0)]);
        directory.add(&run(1)).unwrap();
        assert_eq!(directory.runs().unwrap(), [run(0), run(1)]);
    }

    #[test]
    fn another_format_and_a_second_start_are_refused() {
        let place = tempfile::tempdir().unwrap();
        Directory::create(place.path(), &campaign()).unwrap();
        let again = Directory::create(place.path(), &campaign());
        assert!(matches!(again, Err(RecordError::Taken(_))));
        let other = Campaign {
            format: 2,
            ..campaign()
        };
        let text = serde_json::to_string(&other).unwrap();
        fs::write(place.path().join(HEAD), text).unwrap();
        let error = Directory::open(place.path()).unwrap_err().to_string();
        assert!(error.contains("format 2"), "{error}");
    }
}
