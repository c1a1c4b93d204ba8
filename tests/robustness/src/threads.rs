//! How long the threads of a participant compute without a pause, seen from outside.
//!
//! Time on a processor is what counts, not time that passes: on a machine with more to do than it
//! has processors a thread that waits for its turn does no harm of its own.
use std::fs::read_to_string;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The threads of one process that Dunlin started.
pub struct Threads {
    threads: Vec<Thread>,
    longest: Stretch,
}

/// A time of computing without a pause.
#[derive(Clone, Debug, Default)]
pub struct Stretch {
    /// How long, if anything too long: by no more than was computed between the looks at its ends.
    pub duration: Duration,
    /// By which thread.
    pub thread: String,
    /// What was going on when it was seen last.
    pub during: String,
}

struct Thread {
    name: String,
    path: PathBuf,
    last: Look,
    /// Computed since it was last seen to have slept.
    stretch: Duration,
}

#[derive(Clone, Copy, Default)]
struct Look {
    computed: Duration,
    slept: u64,
}

impl Threads {
    /// Those of process `id` that exist now.
    ///
    /// # Panics
    /// If there are none, or if the kernel does not account for them (CONFIG_SCHED_INFO).
    pub fn of(id: u32) -> Self {
        let tasks = std::fs::read_dir(format!("/proc/{id}/task")).expect("a running process");
        let threads = tasks.flatten().filter_map(|task| {
            let path = task.path();
            let name = read_to_string(path.join("comm")).ok()?.trim().to_owned();
            let last = Look::at(&path)?;
            name.starts_with("dunlin-").then_some(Thread {
                name,
                path,
                last,
                stretch: Duration::ZERO,
            })
        });
        let threads: Vec<_> = threads.collect();
        assert!(!threads.is_empty(), "no threads of Dunlin's in {id}");
        Self {
            threads,
            longest: Stretch::default(),
        }
    }

    /// Sees what they have done since the last look, while `during` was going on.
    pub fn look(&mut self, during: &str) {
        for thread in &mut self.threads {
            let Some(now) = Look::at(&thread.path) else {
                continue;
            };
            let before = std::mem::replace(&mut thread.last, now);
            let computed = now.computed.saturating_sub(before.computed);
            thread.stretch += computed;
            if thread.stretch > self.longest.duration {
                self.longest = Stretch {
                    duration: thread.stretch,
                    thread: thread.name.clone(),
                    during: during.to_owned(),
                };
            }
            if now.slept != before.slept {
                // What part of it came after the sleep is not known: all of it counts once more.
                thread.stretch = computed;
            }
        }
    }

    /// The longest stretch so far.
    pub fn longest(&self) -> &Stretch {
        &self.longest
    }
}

impl Look {
    /// Time on a processor, and how often the thread gave the processor away by itself.
    fn at(path: &Path) -> Option<Self> {
        let computed = read_to_string(path.join("schedstat")).ok()?;
        let computed = computed.split_whitespace().next()?.parse().ok()?;
        let status = read_to_string(path.join("status")).ok()?;
        let mut lines = status.lines();
        let slept = lines.find_map(|l| l.strip_prefix("voluntary_ctxt_switches:"))?;
        Some(Self {
            computed: Duration::from_nanos(computed),
            slept: slept.trim().parse().ok()?,
        })
    }
}
