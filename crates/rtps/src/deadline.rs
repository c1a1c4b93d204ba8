//! Deadlines that were missed, as both sides count them.
use crate::{InstanceHandle, Time};
use dunlin_qos::Duration;

/// Deadlines that were missed since this was asked last (DDS 1.4 2.2.4.1, OFFERED and
/// REQUESTED_DEADLINE_MISSED).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissedDeadlines {
    /// How many: one for each period and instance.
    pub count: u32,
    /// The instance of the last one.
    pub last: InstanceHandle,
}

impl MissedDeadlines {
    /// Counts the periods that are over for an instance that was due at `due`; returns when it is
    /// due next.
    pub(crate) fn count(
        missed: &mut Option<Self>,
        instance: InstanceHandle,
        due: Time,
        now: Time,
        period: Duration,
    ) -> Time {
        // A period of nothing would never be over.
        let period = period.as_nanos().max(1);
        let over = now.since(due).as_nanos() / period + 1;
        let more = u32::try_from(over).unwrap_or(u32::MAX);
        let count = missed.map_or(0, |missed| missed.count);
        *missed = Some(Self {
            count: count.saturating_add(more),
            last: instance,
        });
        due.after(Duration::from_nanos(period.saturating_mul(over)))
    }
}
