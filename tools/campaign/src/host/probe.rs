//! What only a measurement tells: some tenths of a second of waking, sleeping and looking at the
//! clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// For each of the measurements.
const TIME: Duration = Duration::from_millis(60);

/// For how long it is looked what others do.
const LOOK: Duration = Duration::from_millis(300);

/// A moment in which this processor did something else.
const AWAY: Duration = Duration::from_micros(20);

/// The sleep that is asked for.
const NAP: Duration = Duration::from_micros(100);

/// Times, in nanoseconds. Absent is what could not be measured, on a machine with one processor for
/// instance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Probe {
    /// Processors that others kept busy meanwhile, or that the host of this machine took away.
    pub others: Option<f64>,
    /// From one thread to another that sleeps for it, one way.
    pub woken: Option<u64>,
    /// Likewise, to one that spins.
    pub spun: Option<u64>,
    /// How much longer a short sleep takes than was asked for.
    pub overslept: Option<u64>,
    /// A look at the clock.
    pub clock: Option<u64>,
    /// A system call that does nothing.
    pub call: Option<u64>,
    /// The longest time that a thread which never sleeps was held up, and how often in a second one
    /// of [`AWAY`] came.
    pub held_up: Option<(u64, f64)>,
}

impl Probe {
    /// Measures all of it.
    pub fn run(processors: &[usize]) -> Self {
        let two = processors.first_chunk().copied();
        Self {
            others: others(),
            // On one processor these would be the times of two switches.
            woken: two.and_then(|two| hand_over(true, two)),
            spun: two.and_then(|two| hand_over(false, two)),
            overslept: overslept(),
            clock: each(Instant::now),
            call: each(rustix::process::getppid),
            held_up: Some(held_up()),
        }
    }
}

/// How many processors were busy while this thread slept.
fn others() -> Option<f64> {
    let look = || std::fs::read_to_string("/proc/stat").ok();
    let before = look()?;
    thread::sleep(LOOK);
    busy_processors(&before, &look()?)
}

/// The same from two texts of `/proc/stat`: of what all processors did, what was not idling or
/// waiting for a disk.
fn busy_processors(before: &str, after: &str) -> Option<f64> {
    let times = |text: &str| -> Option<(u64, u64)> {
        let all = text.lines().next()?.strip_prefix("cpu ")?;
        // What guests take is in the first two already.
        let times = all.split_whitespace().take(8).map(str::parse);
        let times: Vec<u64> = times.collect::<Result<_, _>>().ok()?;
        let total: u64 = times.iter().sum();
        Some((total, times.get(3)?.saturating_add(*times.get(4)?)))
    };
    let processors = after.lines().skip(1).take_while(|l| l.starts_with("cpu"));
    let (total, idle) = times(before)?;
    let (total_after, idle_after) = times(after)?;
    let passed = total_after
        .checked_sub(total)
        .filter(|passed| *passed > 0)?;
    let busy = passed.saturating_sub(idle_after.saturating_sub(idle));
    Some(busy as f64 / passed as f64 * processors.count() as f64)
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn median(mut times: Vec<u64>) -> Option<u64> {
    times.sort_unstable();
    times.get(times.len() / 2).copied()
}

/// Runs the calling thread on this processor. Where that is refused it runs where it does.
fn stay_on(cpu: usize) {
    let mut set = rustix::thread::CpuSet::new();
    set.set(cpu);
    let _ = rustix::thread::sched_setaffinity(None, &set);
}

/// A ball between threads on two processors: half of its round trip.
fn hand_over(sleeping: bool, processors: [usize; 2]) -> Option<u64> {
    // In a thread of its own, which keeps that processor to its end.
    let both = thread::spawn(move || play(sleeping, processors));
    both.join().ok().flatten()
}

fn play(sleeping: bool, [near, far]: [usize; 2]) -> Option<u64> {
    const OVER: u32 = u32::MAX;
    let ball = Arc::new(AtomicU32::new(0));
    let wait = move |ball: &AtomicU32, turn: u32| {
        // It is odd for one of them and even for the other one.
        while ball.load(Ordering::Acquire) & 1 != turn {
            match sleeping {
                true => thread::park_timeout(TIME),
                false => std::hint::spin_loop(),
            }
        }
        ball.load(Ordering::Acquire)
    };
    let here = thread::current();
    let theirs = Arc::clone(&ball);
    stay_on(near);
    let other = thread::spawn(move || {
        stay_on(far);
        loop {
            let seen = wait(&theirs, 1);
            if seen == OVER {
                return;
            }
            pass(&theirs, seen + 1, sleeping.then_some(&here));
        }
    });
    let mut times = vec![];
    let (begun, mut next) = (Instant::now(), 1);
    while begun.elapsed() < TIME {
        let sent = Instant::now();
        pass(&ball, next, sleeping.then_some(other.thread()));
        wait(&ball, 0);
        times.push(nanos(sent.elapsed()) / 2);
        next += 2;
    }
    pass(&ball, OVER, Some(other.thread()));
    // It has nothing to panic about.
    let _ = other.join();
    median(times)
}

fn pass(ball: &AtomicU32, value: u32, sleeper: Option<&Thread>) {
    ball.store(value, Ordering::Release);
    if let Some(sleeper) = sleeper {
        sleeper.unpark();
    }
}

fn overslept() -> Option<u64> {
    let begun = Instant::now();
    let mut times = vec![];
    while begun.elapsed() < TIME {
        let from = Instant::now();
        thread::sleep(NAP);
        times.push(nanos(from.elapsed().saturating_sub(NAP)));
    }
    median(times)
}

/// What one of many costs.
fn each<T>(action: impl Fn() -> T) -> Option<u64> {
    const MANY: u32 = 2_000;
    let batches = (0..9).map(|_| {
        let from = Instant::now();
        (0..MANY).for_each(|_| drop(std::hint::black_box(action())));
        nanos(from.elapsed()) / u64::from(MANY)
    });
    median(batches.collect())
}

/// Looks at the clock without pause: a gap is somebody else's time.
fn held_up() -> (u64, f64) {
    let begun = Instant::now();
    let (mut last, mut longest, mut times) = (begun, Duration::ZERO, 0u32);
    while last.duration_since(begun) < 2 * TIME {
        let now = Instant::now();
        let gap = now.duration_since(last);
        longest = longest.max(gap);
        times += u32::from(gap >= AWAY);
        last = now;
    }
    (
        nanos(longest),
        f64::from(times) / last.duration_since(begun).as_secs_f64(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_do_is_all_but_idling_and_waiting() {
        let one = "cpu  100 0 100 1000 50 0 10 70 0 0\ncpu0 1 2 3\ncpu1 1 2 3\nintr 1\n";
        let two = "cpu  140 0 110 1050 60 0 10 80 0 0\ncpu0 1 2 3\ncpu1 1 2 3\nintr 1\n";
        assert_eq!(busy_processors(one, two), Some(1.0));
        assert_eq!(busy_processors(one, one), None, "no time has passed");
        assert_eq!(busy_processors(two, one), None, "time goes back");
        assert_eq!(busy_processors("cpu  1 x\n", two), None);
    }

    #[test]
    fn everything_takes_some_time() {
        let files = crate::host::Files::of_this_machine();
        let probe = Probe::run(&files.affinity);
        assert_eq!(probe.woken.is_some(), files.affinity.len() > 1);
        assert!(probe.clock.is_some() && probe.call.is_some());
        assert!(probe.overslept > Some(0) && probe.held_up.is_some_and(|(longest, _)| longest > 0));
    }
}
