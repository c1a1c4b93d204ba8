//! The counts that tell a new heartbeat or acknowledgement from a repeated one (RTPS 2.5 8.3.8.1.5,
//! 8.3.8.6.5).
use crate::Time;
use dunlin_qos::Duration;

/// A peer that stayed without a new count for so long may have begun to count anew.
const FORGET: Duration = Duration::from_secs(2);

/// The last count that a peer sent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counter(Option<(u32, Time)>);

impl Counter {
    /// True if `count` is news; counts wrap around.
    pub(crate) fn accept(&mut self, count: u32, now: Time) -> bool {
        let news = match self.0 {
            None => true,
            Some((last, at)) => {
                count.wrapping_sub(last).cast_signed() > 0 || now.since(at) >= FORGET
            }
        };
        if news {
            self.0 = Some((count, now));
        }
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_and_old_counts_are_no_news() {
        let mut counter = Counter::default();
        let now = Time(5);
        assert!(counter.accept(0, now));
        assert!(!counter.accept(0, now));
        assert!(counter.accept(7, now));
        assert!(!counter.accept(6, now));
        assert!(counter.accept(6, now.after(FORGET)));
    }

    #[test]
    fn counts_wrap_around() {
        let mut counter = Counter::default();
        assert!(counter.accept(u32::MAX, Time(0)));
        assert!(counter.accept(1, Time(0)));
        assert!(!counter.accept(u32::MAX, Time(0)));
    }
}
