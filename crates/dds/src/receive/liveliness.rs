//! Signs of life of writers with a finite lease, told to discovery now and then instead of one by
//! one.
//!
//! Whoever writes or receives notes each sign by a store. Discovery is told at most a few times per
//! lease, and besides before it decides that a lease has run out, so no lease is cut short although
//! most signs are never told.
use dunlin_qos::Liveliness;
use dunlin_rtps::Time;
use dunlin_wire::Guid;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};

/// Discovery is told of a busy writer so many times per lease.
const TELLS_PER_LEASE: i64 = 4;
/// Before all time.
const NEVER: i64 = i64::MIN;

/// When a writer last showed that it lives (DDS 1.4 2.2.3.11).
pub(crate) struct LivelinessAssertion {
    pub(crate) writer: Guid,
    period: i64,
    last: AtomicI64,
    /// The sign of which discovery knows.
    told: AtomicI64,
}

impl LivelinessAssertion {
    /// `None` if the writer need not show anything.
    pub(crate) fn new(writer: Guid, policy: Liveliness) -> Option<Arc<Self>> {
        let lease = policy.lease_duration;
        (!lease.is_infinite()).then(|| {
            Arc::new(Self {
                writer,
                period: lease.as_nanos() / TELLS_PER_LEASE,
                last: AtomicI64::new(NEVER),
                told: AtomicI64::new(NEVER),
            })
        })
    }

    /// The writer lives; true if discovery is to be told of it now.
    pub(crate) fn note(&self, now: Time) -> bool {
        self.last.store(now.0, SeqCst);
        now.0.saturating_sub(self.told.load(SeqCst)) >= self.period
    }

    /// The last sign, once, if discovery does not know of it.
    pub(crate) fn untold(&self) -> Option<Time> {
        let last = self.last.load(SeqCst);
        (self.told.swap(last, SeqCst) != last).then_some(Time(last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dunlin_qos::{Duration, LivelinessKind};

    fn sign(lease_duration: Duration) -> Option<Arc<LivelinessAssertion>> {
        let kind = LivelinessKind::ManualByTopic;
        LivelinessAssertion::new(
            Guid::UNKNOWN,
            Liveliness {
                kind,
                lease_duration,
            },
        )
    }

    #[test]
    fn many_signs_are_told_a_few_times_per_lease_and_none_is_forgotten() {
        assert!(sign(Duration::INFINITE).is_none());
        let sign = sign(Duration::from_millis(100)).unwrap();
        assert_eq!(sign.untold(), None);
        let mut told = 0;
        for now in 0..1_000_000 {
            if sign.note(Time(now * 1000)) {
                assert_eq!(sign.untold(), Some(Time(now * 1000)));
                told += 1;
            }
        }
        assert_eq!(told, 40);
        assert_eq!(sign.untold(), Some(Time(999_999_000)));
        assert_eq!(sign.untold(), None);
    }
}
