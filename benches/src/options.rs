//! What to measure: the environment and the command line.
use std::path::PathBuf;

/// A table of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Latency,
    Throughput,
    FanOut,
    Footprint,
    /// All of shared memory: latency, throughput, footprint, system calls.
    Memory,
    /// TCP and TLS.
    Tcp,
}

/// How much to measure.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// Seconds of measurement in each run, at least 1.
    pub(crate) seconds: u32,
    pub(crate) repeat: usize,
    /// Also what the issue sets no target for: all sizes, best effort and reliable.
    pub(crate) full: bool,
    only: Option<Section>,
    /// Rows whose name contains this.
    filter: String,
    pub(crate) markdown: Option<PathBuf>,
}

const USAGE: &str = "usage: bench [--markdown FILE] [NAME]
  NAME            only rows whose name contains it
  BENCH_SECONDS   seconds of measurement per run [1]
  BENCH_REPEAT    repetitions, of which the median counts [3]
  BENCH_ONLY      latency, throughput, fan-out, footprint, shm or tcp
  BENCH_FULL      any value: also sizes without a target";

impl Options {
    /// What the user said.
    pub(crate) fn from_process() -> Result<Self, String> {
        let mut options = Self {
            seconds: number("BENCH_SECONDS", 1)?,
            repeat: number("BENCH_REPEAT", 3)? as usize,
            full: std::env::var_os("BENCH_FULL").is_some(),
            only: only()?,
            filter: String::new(),
            markdown: None,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            match word.as_str() {
                "--markdown" => {
                    options.markdown = Some(words.next().ok_or(USAGE)?.into());
                }
                flag if flag.starts_with('-') => return Err(USAGE.into()),
                _ => options.filter = word,
            }
        }
        Ok(options)
    }

    pub(crate) fn wants(&self, section: Section) -> bool {
        self.only.is_none_or(|only| only == section)
    }

    /// Whether anything beside the rivals over UDP is asked for.
    pub(crate) fn wants_udp(&self) -> bool {
        !matches!(self.only, Some(Section::Memory | Section::Tcp))
    }

    /// Whether the filter lets a row pass.
    pub(crate) fn names(&self, row: &str) -> bool {
        row.to_lowercase().contains(&self.filter.to_lowercase())
    }
}

fn number(name: &str, default: u32) -> Result<u32, String> {
    let Ok(text) = std::env::var(name) else {
        return Ok(default);
    };
    match text.parse() {
        Ok(number) if (1..=3600).contains(&number) => Ok(number),
        _ => Err(format!(
            "{name}={text}: a whole number from 1 to 3600 is wanted"
        )),
    }
}

fn only() -> Result<Option<Section>, String> {
    match std::env::var("BENCH_ONLY").as_deref() {
        Err(_) | Ok("") => Ok(None),
        Ok("latency") => Ok(Some(Section::Latency)),
        Ok("throughput") => Ok(Some(Section::Throughput)),
        Ok("fan-out") => Ok(Some(Section::FanOut)),
        Ok("footprint") => Ok(Some(Section::Footprint)),
        Ok("shm") => Ok(Some(Section::Memory)),
        Ok("tcp") => Ok(Some(Section::Tcp)),
        Ok(other) => Err(format!(
            "BENCH_ONLY={other}: latency, throughput, fan-out, footprint, shm or tcp is wanted"
        )),
    }
}
