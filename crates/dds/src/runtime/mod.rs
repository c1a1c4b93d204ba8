//! What everything else runs on: clocks, timer, ranked locks, pools, signals, how a thread waits.
pub(crate) mod clock;
pub(crate) mod environment;
pub(crate) mod lock;
pub(crate) mod pool;
pub(crate) mod signal;
#[cfg(feature = "simulation")]
pub(crate) mod simulated;
pub(crate) mod timer;
pub(crate) mod wait_strategy;
