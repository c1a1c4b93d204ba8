//! What is between the sides of a run: routers and relays, watched while the sides run.

use std::collections::VecDeque;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use crate::record::Middle;
use crate::side::{Ended, Place, Running, Task};
use crate::systems::Trouble;

/// How many there may be in a row.
pub const MOST: usize = 2;

/// Between two looks at their processor time.
const SAMPLE: Duration = Duration::from_millis(100);

/// Looks that are remembered beyond those of the measurement.
const SPARE: usize = 20;

/// How long they may go on by themselves when the sides have ended, and how long when they have
/// been asked to end.
const FAREWELL: Duration = Duration::from_millis(400);
const PATIENCE: Duration = Duration::from_secs(5);

/// Between two looks whether they have ended.
const LOOK: Duration = Duration::from_millis(10);

/// Nanoseconds of what `/proc/PID/stat` counts processor time in, on all architectures of Linux.
const TICK: u64 = 10_000_000;

/// Where they run.
pub struct Between {
    /// All of them.
    pub place: Box<dyn Place>,
    /// The processor of each, where it is told one.
    pub pins: [Option<usize>; MOST],
}

/// Those that run. Dropping it ends them.
pub(crate) struct Watched {
    all: Vec<Box<dyn Running>>,
    /// Moments, and the processor time of all of them until then, in nanoseconds.
    spent: VecDeque<(Instant, u64)>,
    remembered: usize,
    /// The most memory of all of them so far, in bytes.
    memory: u64,
}

impl Watched {
    /// Starts them, in the order of the data. `seconds`: of the measurement.
    pub(crate) fn start(
        between: Option<&Between>,
        tasks: &[Task],
        seconds: f64,
    ) -> Result<Self, Trouble> {
        let mut all = Vec::with_capacity(tasks.len());
        for task in tasks {
            let Some(between) = between else {
                let reason = "routers and relays run on this host only, not with an agent";
                return Err(Trouble::Failed(reason.into()));
            };
            all.push(between.place.start(task)?);
        }
        let looks = (seconds / SAMPLE.as_secs_f64()).ceil();
        Ok(Self {
            all,
            spent: VecDeque::new(),
            remembered: looks as usize + SPARE,
            memory: 0,
        })
    }

    /// Looks after them while the sides run: one that has failed fails the run.
    pub(crate) fn look(&mut self) -> Result<(), Trouble> {
        for index in 0..self.all.len() {
            // Who has ended well has seen the end of the sides before us.
            if let Some(Ended {
                failure: Some(reason),
                ..
            }) = self.all[index].ended()?
            {
                return Err(Trouble::Failed(self.named(index, &reason)));
            }
        }
        let due = self
            .spent
            .back()
            .is_none_or(|(last, _)| last.elapsed() >= SAMPLE);
        if due && !self.all.is_empty() {
            self.note();
        }
        Ok(())
    }

    /// The sides have ended: what those between spent during the last `seconds`, and their end.
    pub(crate) fn finish(mut self, seconds: f64) -> Result<Option<Middle>, Trouble> {
        if self.all.is_empty() {
            return Ok(None);
        }
        self.note();
        let middle = Middle {
            load: self.load(seconds).unwrap_or(0.0),
            cpu: 0.0,
            memory: self.memory,
            processes: self.all.len() as u32,
        };
        self.end()?;
        Ok(Some(middle))
    }

    /// What all have spent; nothing once one of them has ended.
    fn note(&mut self) {
        let now = Instant::now();
        let sum = |of: fn(u32) -> Option<u64>| -> Option<u64> {
            self.all.iter().map(|one| of(one.process()?)).sum()
        };
        let (Some(sum), Some(memory)) = (sum(processor_time), sum(peak_memory)) else {
            return;
        };
        self.memory = self.memory.max(memory);
        if self.spent.len() >= self.remembered {
            self.spent.pop_front();
        }
        self.spent.push_back((now, sum));
    }

    /// Processors in use during the last `seconds`.
    fn load(&self, seconds: f64) -> Option<f64> {
        let (end, total) = self.spent.back()?;
        let since = |begin: &Instant| end.duration_since(*begin).as_secs_f64();
        let begin = self.spent.iter().find(|(begin, _)| since(begin) <= seconds);
        let (begin, before) = begin.filter(|(begin, _)| begin < end).or_else(|| {
            // The measurement was shorter than what lies between two looks.
            self.spent.iter().rev().nth(1)
        })?;
        let spent = total.saturating_sub(*before) as f64 / 1e9;
        Some(spent / since(begin))
    }

    fn end(&mut self) -> Result<(), Trouble> {
        let mut asked = false;
        let mut until = Instant::now() + FAREWELL;
        let mut ended: Vec<Option<Ended>> = self.all.iter().map(|_| None).collect();
        while ended.iter().any(Option::is_none) {
            for (one, ended) in self.all.iter_mut().zip(&mut ended) {
                if ended.is_none() {
                    *ended = one.ended()?;
                }
            }
            if Instant::now() >= until {
                if asked {
                    return Err(Trouble::Failed("the router did not end in time".into()));
                }
                asked = true;
                until = Instant::now() + PATIENCE;
                self.all.iter_mut().for_each(|one| one.interrupt());
            }
            thread::sleep(LOOK);
        }
        let failures = ended.into_iter().enumerate();
        let mut failures = failures.filter_map(|(index, ended)| Some((index, ended?.failure?)));
        // Who knows no signal has ended by it.
        match failures.find(|(_, reason)| !(asked && reason.contains("by signal"))) {
            Some((index, reason)) => Err(Trouble::Failed(self.named(index, &reason))),
            None => Ok(()),
        }
    }

    fn named(&self, index: usize, reason: &str) -> String {
        match self.all.len() {
            1 => format!("router: {reason}"),
            _ => format!("router {}: {reason}", index + 1),
        }
    }
}

/// Of all threads of a process, those that have ended among them, in nanoseconds.
fn processor_time(process: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name, in parentheses, may hold anything; user and system time are fields 14 and 15.
    let (_, rest) = text.rsplit_once(')')?;
    let mut times = rest.split_whitespace().skip(11);
    let mut ticks = || times.next()?.parse::<u64>().ok();
    Some((ticks()? + ticks()?).saturating_mul(TICK))
}

/// The most memory that a process has had, in bytes.
fn peak_memory(process: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes.saturating_mul(1_024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_spent_time_and_memory() {
        let own = std::process::id();
        assert!(processor_time(own).is_some());
        assert!(peak_memory(own).is_some_and(|bytes| bytes > 100_000));
        assert_eq!(processor_time(0), None);
    }

    #[test]
    fn the_load_is_that_of_the_measurement() {
        let now = Instant::now();
        let at = |tenths: u32, spent: u64| (now + SAMPLE * tenths, spent);
        let watched = |spent: Vec<(Instant, u64)>| Watched {
            all: vec![],
            spent: spent.into(),
            remembered: 100,
            memory: 0,
        };
        // Half a second before it nothing was done, then all of one processor's time was spent.
        let tenth = 100_000_000;
        let looks = (0..=15).map(|n| at(n, u64::from(n.saturating_sub(5)) * tenth));
        let load = watched(looks.collect()).load(1.0).unwrap_or_default();
        assert!((0.999..1.001).contains(&load), "{load}");
        let short = watched(vec![at(0, 0), at(1, tenth / 2)]).load(0.01);
        assert!(
            short.is_some_and(|load| (0.49..0.51).contains(&load)),
            "{short:?}"
        );
        assert_eq!(watched(vec![at(0, 0)]).load(1.0), None);
    }
}
