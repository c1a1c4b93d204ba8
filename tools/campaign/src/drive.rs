//! The course of a campaign: run after run until none is missing, each recorded before the next one
//! begins.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

use crate::bench::Bench;
use crate::plan::missing;
use crate::record::{Campaign, Cell, Directory, Outcome, RecordError, Run};
use crate::rivals::Awake;
use crate::systems::{System, Trouble, Turn};

/// What a run takes beyond its measurement, until that is known: finding each other, warm-up,
/// farewell.
const OVERHEAD: Duration = Duration::from_millis(700);

/// Octets that must fit on the disk for a failed run to be no matter of the disk: more than any log
/// of a run.
const ROOM: usize = 1 << 20;

/// Everything that a course needs.
pub struct Course<'a> {
    /// What was planned.
    pub campaign: &'a Campaign,
    /// Where it is recorded.
    pub directory: &'a Directory,
    /// Who is in it.
    pub systems: &'a [Box<dyn System>],
    /// Where both sides start, by [`Campaign::network_of`].
    pub benches: &'a BTreeMap<String, Bench>,
}

/// Where a course is.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Runs that have ended.
    pub done: usize,
    /// Runs of the campaign.
    pub total: usize,
    /// Of them, how many failed.
    pub failed: usize,
    /// Time left, guessed from the runs so far.
    pub remaining: Duration,
    /// Which run begins or has ended.
    pub cell: &'a Cell,
    /// Its number, from 0.
    pub repetition: u32,
}

/// Who is told of the progress. Between the calls a run is measured: nothing may be drawn then.
pub trait View {
    /// A run begins.
    fn begins(&mut self, progress: &Progress<'_>);

    /// A run has ended and is on disk.
    fn ended(&mut self, progress: &Progress<'_>, run: &Run);
}

/// Why a course ended before its time. What is recorded so far stays, and `--resume` goes on.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    /// By the user.
    #[error("interrupted")]
    Interrupted,
    /// A side's place is gone.
    #[error("{0}")]
    Unreachable(String),
    /// Nothing can be written any more.
    #[error("the disk is full ({0}); make room")]
    DiskFull(String),
    /// The directory cannot be used for another reason.
    #[error(transparent)]
    Record(RecordError),
    /// The campaign names somebody who cannot be measured now.
    #[error("{0}")]
    Absent(String),
}

impl Course<'_> {
    /// Does every run that is missing.
    pub fn run(&self, view: &mut dyn View) -> Result<(), Stopped> {
        let runs = self.directory.runs().map_err(stopped)?;
        let failed = |run: &&Run| matches!(run.outcome, Outcome::Failed(_));
        let mut failures = runs.iter().filter(failed).count();
        let todo = missing(self.campaign, &runs);
        let total = self.campaign.total();
        let started = Instant::now();
        for (count, (index, repetition)) in todo.iter().enumerate() {
            let Some(cell) = self.campaign.cells.get(*index) else {
                continue;
            };
            let mut progress = Progress {
                done: total - todo.len() + count,
                total,
                failed: failures,
                remaining: self.remaining(started, count, todo.len()),
                cell,
                repetition: *repetition,
            };
            view.begins(&progress);
            let run = self.measure(cell, *repetition)?;
            self.directory.add(&run).map_err(stopped)?;
            failures += usize::from(failed(&&run));
            progress.done += 1;
            progress.failed = failures;
            progress.remaining = self.remaining(started, count + 1, todo.len());
            view.ended(&progress, &run);
        }
        Ok(())
    }

    fn measure(&self, cell: &Cell, repetition: u32) -> Result<Run, Stopped> {
        let network = self.campaign.network_of(cell);
        let bench = self.benches.get(network).ok_or_else(|| {
            Stopped::Absent(format!(
                "{network} is in this campaign and cannot be had here now"
            ))
        })?;
        if bench.stop.load(Ordering::Relaxed) {
            return Err(Stopped::Interrupted);
        }
        let system = self.systems.iter().find(|one| one.name() == cell.system);
        let system = system.ok_or_else(|| {
            let name = &cell.system;
            Stopped::Absent(format!(
                "{name} is in this campaign and cannot be measured here now"
            ))
        })?;
        let started = now();
        let turn = Turn {
            cell,
            repetition,
            seconds: self.campaign.seconds_of(cell),
            bench,
            directory: self.directory,
        };
        let _awake = cell.variant.awake.then(|| Awake::start(bench.pins));
        let outcome = match system.run(&turn) {
            Ok(measured) => Outcome::Measured(Box::new(measured)),
            Err(Trouble::Failed(reason)) => {
                self.check_disk()?;
                Outcome::Failed(reason)
            }
            Err(Trouble::Interrupted) => return Err(Stopped::Interrupted),
            Err(Trouble::Unreachable(reason)) => return Err(Stopped::Unreachable(reason)),
        };
        Ok(Run {
            cell: cell.clone(),
            repetition,
            started,
            outcome,
        })
    }

    /// A run that failed since nothing could be written says nothing about its cell.
    fn check_disk(&self) -> Result<(), Stopped> {
        let probe = self.directory.histogram("probe");
        let written = std::fs::write(&probe, vec![0; ROOM]);
        // If it was not written there is nothing to remove, or nothing that matters.
        let _ = std::fs::remove_file(&probe);
        match written {
            Err(error) if is_full(&error) => Err(full(&error, &probe.display().to_string())),
            _ => Ok(()),
        }
    }

    fn remaining(&self, started: Instant, done: usize, todo: usize) -> Duration {
        let measurement = Duration::try_from_secs_f64(self.campaign.seconds).unwrap_or_default();
        let each = match u32::try_from(done) {
            Ok(done) if done > 0 => started.elapsed() / done,
            _ => measurement + OVERHEAD,
        };
        each.saturating_mul(u32::try_from(todo.saturating_sub(done)).unwrap_or(u32::MAX))
    }
}

/// RFC 3339, UTC.
pub fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}

/// What a directory that cannot be used means for the course.
pub fn stopped(error: RecordError) -> Stopped {
    match error {
        RecordError::Io { path, source } if is_full(&source) => {
            full(&source, &path.display().to_string())
        }
        error => Stopped::Record(error),
    }
}

fn full(error: &io::Error, path: &str) -> Stopped {
    Stopped::DiskFull(format!("{path}: {error}"))
}

fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::bench::Network;
    use crate::record::{FORMAT, Measured, Mode};
    use crate::side::Local;

    /// Ends each run as the script says, or well.
    struct Scripted(RefCell<Vec<Trouble>>);

    impl System for Scripted {
        fn name(&self) -> &'static str {
            "scripted"
        }
        fn has(&self, _: &Cell) -> Result<(), String> {
            Ok(())
        }
        fn prepare(&mut self) -> Result<(), String> {
            Ok(())
        }
        fn run(&self, _: &Turn<'_>) -> Result<Measured, Trouble> {
            match self.0.borrow_mut().pop() {
                None => Ok(Measured::default()),
                Some(trouble) => Err(trouble),
            }
        }
    }

    #[derive(Default)]
    struct Seen(Vec<(usize, usize, usize)>);

    impl View for Seen {
        fn begins(&mut self, _: &Progress<'_>) {}
        fn ended(&mut self, progress: &Progress<'_>, _: &Run) {
            self.0
                .push((progress.done, progress.total, progress.failed));
        }
    }

    fn campaign() -> Campaign {
        let cell = |size| Cell {
            system: "scripted".into(),
            transport: "SHMEM".into(),
            mode: Mode::Latency,
            reliable: true,
            keyed: false,
            zero_copy: false,
            blocking: false,
            size,
            chapter: String::new(),
            variant: Default::default(),
        };
        Campaign {
            format: FORMAT,
            name: "test".into(),
            started: now(),
            version: String::new(),
            seconds: 0.1,
            repetitions: 2,
            cells: vec![cell(32), cell(64)],
            skipped: vec![],
            network: String::new(),
            hosts: vec![],
            chapters: vec![],
        }
    }

    fn bench(stop: bool) -> Bench {
        let here = || -> Box<dyn crate::side::Place> {
            Box::new(Local {
                perftest: vec![],
                before: vec![],
            })
        };
        Bench {
            seconds: 0.1,
            network: Network::Namespace,
            pins: [None; 2],
            places: [here(), here()],
            between: None,
            counts_calls: false,
            stop: Arc::new(AtomicBool::new(stop)),
        }
    }

    fn run(directory: &Directory, script: Vec<Trouble>, stop: bool) -> (Result<(), Stopped>, Seen) {
        let systems: Vec<Box<dyn System>> = vec![Box::new(Scripted(RefCell::new(script)))];
        let mut seen = Seen::default();
        let course = Course {
            campaign: &campaign(),
            directory,
            systems: &systems,
            benches: &BTreeMap::from([(String::new(), bench(stop))]),
        };
        (course.run(&mut seen), seen)
    }

    #[test]
    fn a_run_that_fails_is_recorded_and_the_rest_goes_on() {
        let place = tempfile::tempdir().unwrap();
        let directory = Directory::create(place.path(), &campaign()).unwrap();
        let failure = Trouble::Failed("publisher: gone".into());
        let (outcome, seen) = run(&directory, vec![failure], false);
        assert!(outcome.is_ok());
        assert_eq!(seen.0, [(1, 4, 1), (2, 4, 1), (3, 4, 1), (4, 4, 1)]);
        let runs = directory.runs().unwrap();
        assert_eq!(runs[0].outcome, Outcome::Failed("publisher: gone".into()));
    }

    #[test]
    fn what_is_interrupted_is_done_again_and_nothing_twice() {
        let place = tempfile::tempdir().unwrap();
        let directory = Directory::create(place.path(), &campaign()).unwrap();
        let gone = || Trouble::Unreachable("the agent is gone".into());
        let (outcome, _) = run(&directory, vec![gone()], false);
        assert!(matches!(outcome, Err(Stopped::Unreachable(_))));
        let (outcome, _) = run(&directory, vec![], true);
        assert!(matches!(outcome, Err(Stopped::Interrupted)));
        assert_eq!(directory.runs().unwrap(), []);
        let (outcome, seen) = run(&directory, vec![], false);
        assert!(outcome.is_ok());
        assert_eq!(seen.0.last(), Some(&(4, 4, 0)));
        let (outcome, seen) = run(&directory, vec![gone()], false);
        assert!(outcome.is_ok() && seen.0.is_empty());
    }

    #[test]
    fn a_full_disk_is_named_as_such() {
        let error = RecordError::Io {
            path: "runs.jsonl".into(),
            source: io::ErrorKind::StorageFull.into(),
        };
        let text = stopped(error).to_string();
        assert!(text.starts_with("the disk is full (runs.jsonl: "), "{text}");
    }
}
