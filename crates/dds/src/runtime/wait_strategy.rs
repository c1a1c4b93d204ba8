//! How a receiver waits: the largest single lever on latency.
use dunlin_rtps::Time;
use std::time::Duration;

/// Spin, sleep, or first one and then the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitStrategy {
    /// Sleep in the kernel: no idle CPU use, tens of microseconds to wake on virtual machines.
    Block,
    /// Poll for this long after the last arrival, then sleep; up to eight times as long while
    /// sleeps turn out to be short.
    SpinThenBlock(Duration),
    /// Poll for ever: one CPU is always busy.
    Spin,
}

impl Default for WaitStrategy {
    fn default() -> Self {
        Self::SpinThenBlock(Duration::from_micros(50))
    }
}

impl WaitStrategy {
    /// The environment variable that overrides the configuration.
    pub const VARIABLE: &'static str = "DUNLIN_WAITING";

    /// Reads `block`, `spin` or `spin-then-block[:MICROSECONDS]`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let expected = || {
            format!(
                "{text:?} is not a waiting strategy; allowed are block, spin, spin-then-block and spin-then-block:MICROSECONDS"
            )
        };
        match text.split_once(':') {
            None if text == "block" => Ok(Self::Block),
            None if text == "spin" => Ok(Self::Spin),
            None if text == "spin-then-block" => Ok(Self::default()),
            Some(("spin-then-block", micros)) => micros
                .parse()
                .map(|m| Self::SpinThenBlock(Duration::from_micros(m)))
                .map_err(|_| expected()),
            _ => Err(expected()),
        }
    }
}

impl std::fmt::Display for WaitStrategy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Block => f.write_str("block"),
            Self::Spin => f.write_str("spin"),
            Self::SpinThenBlock(d) => write!(f, "spin {} us then block", d.as_micros()),
        }
    }
}

/// The longest time to spin, as a multiple of the strategy's own.
const MOST: i64 = 8;

/// How long one receiver spins before it sleeps.
///
/// A wake-up from sleep takes longer than most answers. Two sides that once fell asleep would each
/// find that the other needs longer than they spin, and stay slow for ever; so a sleep that turns
/// out to have been short doubles the time to spin, and one that was long brings it back to what
/// the strategy says.
#[derive(Debug)]
pub(crate) struct AdaptiveSpin {
    waiting: WaitStrategy,
    /// Nanoseconds.
    window: i64,
    since: Time,
}

impl AdaptiveSpin {
    pub(crate) fn new(waiting: WaitStrategy) -> Self {
        let window = waiting.spin();
        Self {
            waiting,
            window,
            since: Time(0),
        }
    }

    /// Something has come, or is expected from now on.
    pub(crate) fn stir(&mut self, now: Time) {
        self.since = now;
    }

    /// Something has come after a sleep that began at `asleep`.
    pub(crate) fn woke(&mut self, asleep: Time, now: Time) {
        let least = self.waiting.spin();
        let slept = now.0.saturating_sub(asleep.0);
        let most = least.saturating_mul(MOST);
        self.window = if slept < most {
            self.window.saturating_mul(2).min(most)
        } else {
            least
        };
    }

    /// When to stop polling.
    pub(crate) fn ends(&self) -> Time {
        Time(self.since.0.saturating_add(self.window))
    }
}

/// A yield that takes so many nanoseconds, longer than anybody spins, went to one who computes.
const LOST_YIELD: i64 = 1_000_000;
/// Nobody is let run for this multiple of a yield that was lost: the least, and the most, for who
/// takes the processor again and again.
const PATIENCE: std::ops::RangeInclusive<i64> = 16..=1024;

/// When who spins lets others run that wait for its processor.
///
/// The sender may be one of them: then nothing comes before it runs. But one who only computes
/// keeps the processor for milliseconds, and each answer would be late by that. So such a one is
/// let run ever more seldom.
#[derive(Debug)]
pub(crate) struct YieldPacing {
    from: Time,
    patience: i64,
}

impl YieldPacing {
    pub(crate) fn new() -> Self {
        Self {
            from: Time(0),
            patience: *PATIENCE.start(),
        }
    }

    pub(crate) fn is_due(&self, now: Time) -> bool {
        now >= self.from
    }

    /// Others could run from `before` to `after`.
    pub(crate) fn yielded(&mut self, before: Time, after: Time) {
        let took = after.0.saturating_sub(before.0);
        let patience = if took >= LOST_YIELD {
            let pause = took.saturating_mul(self.patience);
            self.from = Time(after.0.saturating_add(pause));
            self.patience * 4
        } else {
            self.patience - self.patience / 64
        };
        self.patience = patience.clamp(*PATIENCE.start(), *PATIENCE.end());
    }
}

impl WaitStrategy {
    /// Nanoseconds to spin.
    fn spin(self) -> i64 {
        match self {
            Self::Block => 0,
            Self::SpinThenBlock(time) => i64::try_from(time.as_nanos()).unwrap_or(i64::MAX),
            Self::Spin => i64::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_each_strategy() {
        assert_eq!(WaitStrategy::parse("block"), Ok(WaitStrategy::Block));
        assert_eq!(WaitStrategy::parse("spin"), Ok(WaitStrategy::Spin));
        assert_eq!(
            WaitStrategy::parse("spin-then-block"),
            Ok(WaitStrategy::default())
        );
        let ten = WaitStrategy::SpinThenBlock(Duration::from_micros(10));
        assert_eq!(WaitStrategy::parse("spin-then-block:10"), Ok(ten));
        assert!(
            WaitStrategy::parse("sleep")
                .unwrap_err()
                .contains("allowed are")
        );
    }

    #[test]
    fn who_computes_is_let_run_ever_more_seldom() {
        let mut yielding = YieldPacing::new();
        let mut now = 0;
        let mut share = |yielding: &mut YieldPacing, took: i64| {
            yielding.yielded(Time(now), Time(now + took));
            now += took;
            let pause = yielding.from.0.saturating_sub(now).max(0);
            assert_eq!(yielding.is_due(Time(now)), pause == 0);
            now += pause;
            assert!(yielding.is_due(Time(now)));
            pause / took
        };
        // Senders that answer at once, one after the other.
        assert!((0..1000).all(|_| share(&mut yielding, 30_000) == 0));
        let lost: Vec<i64> = (0..5).map(|_| share(&mut yielding, 3_000_000)).collect();
        assert_eq!(lost, [16, 64, 256, 1024, 1024]);
        // It is gone, and forgotten after a while.
        assert!((0..300).all(|_| share(&mut yielding, 300) == 0));
        assert!(share(&mut yielding, 1_000_000) <= 64);
    }

    #[test]
    fn short_sleeps_lengthen_the_spin_and_a_long_one_ends_that() {
        let mut timeout = AdaptiveSpin::new(WaitStrategy::SpinThenBlock(Duration::from_micros(50)));
        timeout.stir(Time(1_000_000));
        assert_eq!(timeout.ends(), Time(1_050_000));
        timeout.woke(Time(1_050_000), Time(1_110_000));
        assert_eq!(timeout.ends(), Time(1_100_000));
        for _ in 0..10 {
            timeout.woke(Time(0), Time(60_000));
        }
        assert_eq!(timeout.ends(), Time(1_400_000));
        timeout.woke(Time(0), Time(1_000_000));
        assert_eq!(timeout.ends(), Time(1_050_000));
    }
}
