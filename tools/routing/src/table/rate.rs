//! How many endpoints are made and removed in a second.
use super::Time;

/// Lets a second's worth through at once, and then as much as time brings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rate {
    /// Between two, in the long run.
    every: Time,
    /// When all that were let through would be over if they came evenly.
    busy_until: Time,
}

impl Rate {
    /// So far ahead of an even pace it may be.
    const AHEAD: Time = Time::from_secs(1);

    pub(super) fn new(per_second: u32) -> Self {
        Self {
            every: Time::from_secs(1) / per_second.max(1),
            busy_until: Time::ZERO,
        }
    }

    /// As this one, but for so many a second.
    pub(super) fn at(self, per_second: u32) -> Self {
        Self {
            busy_until: self.busy_until,
            ..Self::new(per_second)
        }
    }

    /// Takes one, or says when there will be one.
    pub(super) fn take(&mut self, now: Time) -> Result<(), Time> {
        let next = self.busy_until.max(now) + self.every;
        if next > now + Self::AHEAD {
            return Err(next.saturating_sub(Self::AHEAD));
        }
        self.busy_until = next;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_s_worth_goes_at_once_and_the_rest_evenly() {
        let mut rate = Rate::new(200);
        let passed = (0..1000).filter(|_| rate.take(Time::ZERO).is_ok()).count();
        assert_eq!(passed, 200);
        let at = rate.take(Time::ZERO).unwrap_err();
        assert_eq!(at, Time::from_millis(5));
        assert!(rate.take(at).is_ok() && rate.take(at).is_err());
        // A long rest saves up no more than a second.
        let later = Time::from_secs(1000);
        let passed = (0..1000).filter(|_| rate.take(later).is_ok()).count();
        assert_eq!(passed, 200);
    }

    #[test]
    fn another_rate_counts_from_now_on() {
        let mut rate = Rate::new(1);
        assert!(rate.take(Time::ZERO).is_ok() && rate.take(Time::ZERO).is_err());
        let mut rate = rate.at(1000);
        let later = Time::from_secs(1);
        let passed = (0..2000).filter(|_| rate.take(later).is_ok()).count();
        assert_eq!(passed, 1000);
    }
}
