//! Whether the machine had time for what was measured.

/// With less time to spare, others compute, and a percentile says how long processes waited for a
/// processor, and nothing about what was measured.
const LEAST: f64 = 0.5;

/// How idle the processors were since the value was made.
pub struct Idle([f64; 2]);

impl Idle {
    /// From now on.
    pub fn begin() -> Self {
        Self(ticks())
    }

    /// The share of time that the processors were idle.
    pub fn share(&self) -> f64 {
        let now = ticks();
        (now[0] - self.0[0]) / (now[1] - self.0[1]).max(1.0)
    }

    /// Whether times can be judged; if not, says so.
    pub fn judge(&self) -> bool {
        let share = self.share();
        if share < LEAST {
            let percent = share * 100.0;
            println!("FIGURE NOT JUDGED: the processors were idle for {percent:.0} % of the time");
        }
        share >= LEAST
    }

    /// Whether something took no more milliseconds than promised. On a busy machine nobody can
    /// tell.
    ///
    /// # Errors
    /// How long it took, if that was too long.
    pub fn in_time(&self, what: &str, took: i64, most: i64) -> Result<(), String> {
        match took > most && self.judge() {
            true => Err(format!("{what} after {took} ms, promised {most}")),
            false => Ok(()),
        }
    }
}

/// How often something is measured at most.
const ATTEMPTS: usize = 3;

/// Measures until a figure is as it should be, three times at most: that the machine was held up
/// once says nothing about what is measured. `once` panics if something is wrong that no hold-up
/// explains, and says what is too slow.
///
/// # Panics
/// If it is too slow each time.
pub fn measure(mut once: impl FnMut() -> Result<(), String>) {
    for attempt in 1..=ATTEMPTS {
        match once() {
            Ok(()) => return,
            Err(why) if attempt < ATTEMPTS => println!("FIGURE MEASURED AGAIN: {why}"),
            Err(why) => panic!("{why}, {attempt} times in a row"),
        }
    }
}

/// What the processors have spent so far: idle, and altogether, in ticks (proc(5), the first line
/// of /proc/stat).
fn ticks() -> [f64; 2] {
    let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let all = text.lines().next().unwrap_or_default().split_whitespace();
    let all: Vec<f64> = all.filter_map(|tick| tick.parse().ok()).collect();
    // Waiting for a disk is idle, too.
    [all.iter().skip(3).take(2).sum(), all.iter().take(8).sum()]
}

/// What a share of the figures is not above; the figures are sorted. Zero if there are none.
pub fn percentile<T: Ord + Copy + Default>(figures: &mut [T], share: f64) -> T {
    figures.sort_unstable();
    let place = (figures.len() as f64 * share) as usize;
    let found = figures.get(place).or(figures.last());
    found.copied().unwrap_or_default()
}
