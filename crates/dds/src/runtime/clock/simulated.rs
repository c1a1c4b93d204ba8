//! Clocks that a test moves.
use dunlin_rtps::Time;
use dunlin_wire::Timestamp;
use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};

/// What goes on while somebody waits: moves this clock, not beyond the given time, and may step
/// whatever participants there are.
type Pass = Arc<dyn Fn(Time) + Send + Sync>;

/// The clocks of one simulated machine. Both stand still unless somebody sets them.
#[derive(Default)]
pub struct SimulatedClock {
    now: AtomicI64,
    wall: AtomicI64,
    pass: Mutex<Option<Pass>>,
}

impl SimulatedClock {
    /// Clocks that show `now` nanoseconds and, since 1970, `wall` nanoseconds.
    pub fn new(now: i64, wall: i64) -> Arc<Self> {
        let clock = Self::default();
        clock.set(now, wall);
        Arc::new(clock)
    }

    /// Sets both clocks. The first one must not go back.
    pub fn set(&self, now: i64, wall: i64) {
        self.now.store(now, SeqCst);
        self.wall.store(wall, SeqCst);
    }

    /// From now on a thread that waits, as in `WaitSet::wait`, calls `pass` with the time at which
    /// it has to return at the latest ([`Time::NEVER`] if it waits for ever), again and again.
    /// Without this the clocks are set to that time at once.
    pub fn on_wait(&self, pass: impl Fn(Time) + Send + Sync + 'static) {
        *self.pass.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(pass));
    }

    /// What the first of them shows.
    pub fn time(&self) -> Time {
        Time(self.now.load(SeqCst))
    }

    /// What the other one shows.
    pub fn wall(&self) -> Timestamp {
        Timestamp(self.wall.load(SeqCst))
    }

    /// Lets something happen, or time pass until `until`.
    pub(super) fn pass(&self, until: Time) {
        let pass = || self.pass.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever waits meanwhile comes here, too.
        let pass = pass().clone();
        match pass {
            Some(pass) => pass(until),
            None => {
                assert!(
                    until < Time::NEVER,
                    "a wait on a simulated clock never ends"
                );
                let by = until.0.saturating_sub(self.time().0).max(0);
                self.now.fetch_add(by, SeqCst);
                self.wall.fetch_add(by, SeqCst);
            }
        }
    }
}

impl fmt::Debug for SimulatedClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "simulated clock at {} ns", self.time().0)
    }
}
