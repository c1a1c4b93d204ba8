//! Communication statuses (DDS 1.4 2.2.4.1) and their flags.
use crate::runtime::signal::Waiters;
use dunlin_qos::{Incompatibility, PolicyId};
use dunlin_rtps::{InstanceHandle, MissedDeadlines, Rejection, RejectionReason};
use dunlin_wire::Guid;
use std::fmt;
use std::sync::atomic::{
    AtomicBool, AtomicU32,
    Ordering::{Relaxed, SeqCst},
};

/// Which status changed; the values are the standard's bits (DDS 1.4 2.3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum StatusKind {
    /// Somebody has a topic of this name with another type.
    InconsistentTopic = 1,
    /// An instance was not written within the writer's DEADLINE.
    OfferedDeadlineMissed = 1 << 1,
    /// No sample of an instance came within the reader's DEADLINE.
    RequestedDeadlineMissed = 1 << 2,
    /// A reader asks for more than the writer offers.
    OfferedIncompatibleQos = 1 << 5,
    /// A writer offers less than the reader asks for.
    RequestedIncompatibleQos = 1 << 6,
    /// Samples were lost before the reader got them.
    SampleLost = 1 << 7,
    /// A sample was refused for a resource limit.
    SampleRejected = 1 << 8,
    /// Some reader of a subscriber has data.
    DataOnReaders = 1 << 9,
    /// There is data to take.
    DataAvailable = 1 << 10,
    /// A writer was not asserted within its lease.
    LivelinessLost = 1 << 11,
    /// A matched writer became alive or not alive.
    LivelinessChanged = 1 << 12,
    /// A reader came or went.
    PublicationMatched = 1 << 13,
    /// A writer came or went.
    SubscriptionMatched = 1 << 14,
}

impl StatusKind {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::InconsistentTopic,
        Self::OfferedDeadlineMissed,
        Self::RequestedDeadlineMissed,
        Self::OfferedIncompatibleQos,
        Self::RequestedIncompatibleQos,
        Self::SampleLost,
        Self::SampleRejected,
        Self::DataOnReaders,
        Self::DataAvailable,
        Self::LivelinessLost,
        Self::LivelinessChanged,
        Self::PublicationMatched,
        Self::SubscriptionMatched,
    ];

    /// The name that the standard gives.
    pub const fn name(self) -> &'static str {
        match self {
            Self::InconsistentTopic => "INCONSISTENT_TOPIC",
            Self::OfferedDeadlineMissed => "OFFERED_DEADLINE_MISSED",
            Self::RequestedDeadlineMissed => "REQUESTED_DEADLINE_MISSED",
            Self::OfferedIncompatibleQos => "OFFERED_INCOMPATIBLE_QOS",
            Self::RequestedIncompatibleQos => "REQUESTED_INCOMPATIBLE_QOS",
            Self::SampleLost => "SAMPLE_LOST",
            Self::SampleRejected => "SAMPLE_REJECTED",
            Self::DataOnReaders => "DATA_ON_READERS",
            Self::DataAvailable => "DATA_AVAILABLE",
            Self::LivelinessLost => "LIVELINESS_LOST",
            Self::LivelinessChanged => "LIVELINESS_CHANGED",
            Self::PublicationMatched => "PUBLICATION_MATCHED",
            Self::SubscriptionMatched => "SUBSCRIPTION_MATCHED",
        }
    }
}

impl fmt::Display for StatusKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A set of statuses.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct StatusMask(u32);

/// The names of its statuses, with ` | ` between; `ALL` and `NONE` for these.
impl fmt::Display for StatusMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::ALL {
            return f.write_str("ALL");
        }
        let mut between = "";
        for kind in StatusKind::ALL.into_iter().filter(|k| self.contains(*k)) {
            write!(f, "{between}{kind}")?;
            between = " | ";
        }
        match between {
            "" => f.write_str("NONE"),
            _ => Ok(()),
        }
    }
}

/// The same words as `Display`: a number says nothing to whoever prints it.
impl fmt::Debug for StatusMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl StatusMask {
    /// No status.
    pub const NONE: Self = Self(0);
    /// Every status.
    pub const ALL: Self = Self(u32::MAX);

    /// Adds a status.
    #[must_use]
    pub const fn with(self, kind: StatusKind) -> Self {
        Self(self.0 | kind as u32)
    }

    /// Leaves a status out.
    #[must_use]
    pub const fn without(self, kind: StatusKind) -> Self {
        Self(self.0 & !(kind as u32))
    }

    /// True if the set holds the status.
    pub const fn contains(self, kind: StatusKind) -> bool {
        self.0 & kind as u32 != 0
    }
}

impl From<StatusKind> for StatusMask {
    fn from(kind: StatusKind) -> Self {
        Self(kind as u32)
    }
}

/// Flags of one entity: what changed since it was last looked at, what its condition cares for, who
/// waits.
pub(crate) struct StatusFlags {
    changed: AtomicU32,
    /// DATA_AVAILABLE, which changes with each sample.
    data: AtomicBool,
    enabled: AtomicU32,
    pub(crate) waiters: Waiters,
}

impl Default for StatusFlags {
    fn default() -> Self {
        Self {
            changed: AtomicU32::new(0),
            data: AtomicBool::new(false),
            enabled: AtomicU32::new(u32::MAX),
            waiters: Waiters::default(),
        }
    }
}

impl StatusFlags {
    pub(crate) fn raise(&self, kind: StatusKind) {
        self.changed.fetch_or(kind as u32, SeqCst);
        self.waiters.raise_all();
    }

    /// There is data.
    pub(crate) fn raise_data(&self) {
        self.data.store(true, SeqCst);
        self.waiters.raise_all();
    }

    /// The data is looked at: called under the lock of what holds it, by which this comes before
    /// whatever is raised for data that is not there yet.
    pub(crate) fn clear_data(&self) {
        if self.data.load(Relaxed) {
            self.data.store(false, Relaxed);
        }
    }

    pub(crate) fn has_data(&self) -> bool {
        self.data.load(SeqCst)
    }

    pub(crate) fn clear(&self, kind: StatusKind) {
        if self.changed.load(SeqCst) & kind as u32 != 0 {
            self.changed.fetch_and(!(kind as u32), SeqCst);
        }
    }

    pub(crate) fn changes(&self) -> StatusMask {
        let data = match self.data.load(SeqCst) {
            true => StatusKind::DataAvailable as u32,
            false => 0,
        };
        StatusMask(self.changed.load(SeqCst) | data)
    }

    pub(crate) fn enable(&self, mask: StatusMask) {
        self.enabled.store(mask.0, SeqCst);
        self.waiters.raise_all();
    }

    pub(crate) fn enabled(&self) -> StatusMask {
        StatusMask(self.enabled.load(SeqCst))
    }

    pub(crate) fn is_triggered(&self) -> bool {
        self.changes().0 & self.enabled.load(SeqCst) != 0
    }
}

/// PUBLICATION_MATCHED and SUBSCRIPTION_MATCHED.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct MatchedStatus {
    /// Matches ever.
    pub total_count: i32,
    /// Since the status was last read.
    pub total_count_change: i32,
    /// Matches now.
    pub current_count: i32,
    /// Since the status was last read.
    pub current_count_change: i32,
    /// Who came or went last.
    pub last_endpoint: Guid,
}

/// OFFERED_INCOMPATIBLE_QOS and REQUESTED_INCOMPATIBLE_QOS.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct IncompatibleQosStatus {
    /// Endpoints that did not suit, ever.
    pub total_count: i32,
    /// Since the status was last read.
    pub total_count_change: i32,
    /// The first policy that stood in the way of the last one.
    pub last_policy: Option<PolicyId>,
    /// The last one.
    pub last_endpoint: Guid,
    /// Each policy that stood in its way, with both values, in words.
    pub last_reasons: Vec<String>,
    /// How often each policy stood in the way.
    pub policies: Vec<(PolicyId, i32)>,
}

/// INCONSISTENT_TOPIC: endpoints of others that have the topic's name with another type.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct InconsistentTopicStatus {
    /// Such endpoints, ever.
    pub total_count: i32,
    /// Since the status was last read.
    pub total_count_change: i32,
    /// The last one.
    pub last_endpoint: Guid,
    /// How its type differs, in words.
    pub last_difference: String,
}

impl InconsistentTopicStatus {
    /// False for an endpoint that was the last one already: each of our endpoints of the topic is
    /// told of it.
    pub(crate) fn count(&mut self, remote: Guid, difference: &str) -> bool {
        let known = self.last_endpoint == remote && self.last_difference == difference;
        if !known {
            self.total_count = self.total_count.saturating_add(1);
            self.total_count_change = self.total_count_change.saturating_add(1);
            self.last_endpoint = remote;
            self.last_difference = difference.to_owned();
        }
        !known
    }

    pub(crate) fn take(&mut self) -> Self {
        let status = self.clone();
        self.total_count_change = 0;
        status
    }
}

/// LIVELINESS_CHANGED.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct LivelinessChangedStatus {
    /// Matched writers that are alive.
    pub alive_count: i32,
    /// Matched writers that are not.
    pub not_alive_count: i32,
    /// Since the status was last read.
    pub alive_count_change: i32,
    /// Since the status was last read.
    pub not_alive_count_change: i32,
    /// The writer that changed last.
    pub last_writer: Guid,
}

/// SAMPLE_LOST and LIVELINESS_LOST.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SampleCountStatus {
    /// Samples, or lost leases, ever.
    pub total_count: i32,
    /// Since the status was last read.
    pub total_count_change: i32,
}

/// SAMPLE_REJECTED.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SampleRejectedStatus {
    /// Samples ever.
    pub total_count: i32,
    /// Since the status was last read.
    pub total_count_change: i32,
    /// The limit that the last one met.
    pub last_reason: Option<RejectionReason>,
    /// The instance of the last one.
    pub last_instance: InstanceHandle,
}

impl SampleRejectedStatus {
    pub(crate) fn count(&mut self, rejection: Rejection) {
        self.total_count = self.total_count.saturating_add(1);
        self.total_count_change = self.total_count_change.saturating_add(1);
        self.last_reason = Some(rejection.reason);
        self.last_instance = rejection.instance;
    }

    pub(crate) fn take(&mut self) -> Self {
        let status = *self;
        self.total_count_change = 0;
        status
    }
}

/// OFFERED_DEADLINE_MISSED and REQUESTED_DEADLINE_MISSED.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeadlineMissedStatus {
    /// Periods in which an instance went without a sample, ever: one for each instance and period.
    pub total_count: i32,
    /// Since the status was last read.
    pub total_count_change: i32,
    /// The instance that went without last.
    pub last_instance: InstanceHandle,
}

impl Default for DeadlineMissedStatus {
    fn default() -> Self {
        Self {
            total_count: 0,
            total_count_change: 0,
            last_instance: InstanceHandle::NIL,
        }
    }
}

impl DeadlineMissedStatus {
    pub(crate) fn count(&mut self, missed: MissedDeadlines) {
        let more = i32::try_from(missed.count).unwrap_or(i32::MAX);
        self.total_count = self.total_count.saturating_add(more);
        self.total_count_change = self.total_count_change.saturating_add(more);
        self.last_instance = missed.last;
    }

    pub(crate) fn take(&mut self) -> Self {
        let status = *self;
        self.total_count_change = 0;
        status
    }
}

/// LIVELINESS_LOST: how often a writer was not asserted within its lease.
pub type LivelinessLostStatus = SampleCountStatus;

impl SampleCountStatus {
    pub(crate) fn count(&mut self, more: u32) {
        let more = i32::try_from(more).unwrap_or(i32::MAX);
        self.total_count = self.total_count.saturating_add(more);
        self.total_count_change = self.total_count_change.saturating_add(more);
    }

    pub(crate) fn take(&mut self) -> Self {
        let status = *self;
        self.total_count_change = 0;
        status
    }
}

/// What a writer's reliable readers still have to acknowledge, and which of them is behind. Readers
/// are asked once per heartbeat period, or earlier when a history fills up, so even the quickest is
/// behind for so long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct BacklogStatus {
    /// The reader that has acknowledged least; `None` if none lacks anything.
    pub slowest: Option<Guid>,
    /// Changes that this reader has not acknowledged.
    pub unacknowledged: u64,
    /// Changes that the writer keeps, for its readers and for late joiners.
    pub kept: usize,
}

/// Keeps a `MatchedStatus` and who is matched.
#[derive(Default)]
pub(crate) struct MatchTally {
    status: MatchedStatus,
    endpoints: Vec<Guid>,
}

impl MatchTally {
    pub(crate) fn count(&mut self, endpoint: Guid, change: i32) {
        self.endpoints.retain(|e| *e != endpoint);
        if change > 0 {
            self.endpoints.push(endpoint);
            grow(&mut self.status.total_count, change);
            grow(&mut self.status.total_count_change, change);
        }
        grow(&mut self.status.current_count, change);
        grow(&mut self.status.current_count_change, change);
        self.status.last_endpoint = endpoint;
    }

    pub(crate) fn take(&mut self) -> MatchedStatus {
        let status = self.status.clone();
        self.status.total_count_change = 0;
        self.status.current_count_change = 0;
        status
    }

    pub(crate) fn current(&self) -> usize {
        self.endpoints.len()
    }

    pub(crate) fn endpoints(&self) -> Vec<Guid> {
        self.endpoints.clone()
    }

    pub(crate) fn has(&self, endpoint: Guid) -> bool {
        self.endpoints.contains(&endpoint)
    }
}

/// What happened to a matched writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriterChange {
    Matched,
    Silent,
    Heard,
    Unmatched,
}

/// Keeps a `LivelinessChangedStatus` and who is silent.
#[derive(Default)]
pub(crate) struct LivelinessTally {
    status: LivelinessChangedStatus,
    silent: Vec<Guid>,
}

impl LivelinessTally {
    /// False if that is no news.
    pub(crate) fn note(&mut self, writer: Guid, life: WriterChange) -> bool {
        let was_silent = self.silent.contains(&writer);
        let (alive, silent) = match (life, was_silent) {
            (WriterChange::Matched, _) => (1, 0),
            (WriterChange::Silent, false) => (-1, 1),
            (WriterChange::Heard, true) => (1, -1),
            (WriterChange::Unmatched, true) => (0, -1),
            (WriterChange::Unmatched, false) => (-1, 0),
            (WriterChange::Silent, true) | (WriterChange::Heard, false) => return false,
        };
        self.silent.retain(|w| *w != writer);
        if life == WriterChange::Silent {
            self.silent.push(writer);
        }
        let status = &mut self.status;
        grow(&mut status.alive_count, alive);
        grow(&mut status.alive_count_change, alive);
        grow(&mut status.not_alive_count, silent);
        grow(&mut status.not_alive_count_change, silent);
        status.last_writer = writer;
        true
    }

    /// Is it one that has not shown for a lease that it lives?
    pub(crate) fn is_silent(&self, writer: Guid) -> bool {
        self.silent.contains(&writer)
    }

    pub(crate) fn take(&mut self) -> LivelinessChangedStatus {
        let status = self.status.clone();
        self.status.alive_count_change = 0;
        self.status.not_alive_count_change = 0;
        status
    }
}

impl IncompatibleQosStatus {
    pub(crate) fn count(&mut self, endpoint: Guid, mismatches: &[Incompatibility]) {
        grow(&mut self.total_count, 1);
        grow(&mut self.total_count_change, 1);
        self.last_endpoint = endpoint;
        self.last_policy = mismatches.first().map(|m| m.policy);
        self.last_reasons = mismatches.iter().map(ToString::to_string).collect();
        for mismatch in mismatches {
            match self
                .policies
                .iter_mut()
                .find(|(policy, _)| *policy == mismatch.policy)
            {
                Some((_, count)) => grow(count, 1),
                None => self.policies.push((mismatch.policy, 1)),
            }
        }
    }

    pub(crate) fn take(&mut self) -> Self {
        let status = self.clone();
        self.total_count_change = 0;
        status
    }
}

/// Counts what others do: however often they do it, a count goes no further than it can.
fn grow(count: &mut i32, more: i32) {
    *count = count.saturating_add(more);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_shown_by_the_names_of_the_standard() {
        let one = StatusMask::from(StatusKind::SubscriptionMatched);
        let two = one.with(StatusKind::DataAvailable);
        let shown = [StatusMask::NONE, one, two, StatusMask::ALL].map(|mask| format!("{mask:?}"));
        let expected = [
            "NONE",
            "SUBSCRIPTION_MATCHED",
            "DATA_AVAILABLE | SUBSCRIPTION_MATCHED",
            "ALL",
        ];
        assert_eq!(shown, expected);
        let all = StatusKind::ALL
            .into_iter()
            .fold(StatusMask::NONE, StatusMask::with);
        assert_eq!(all.to_string().split(" | ").count(), StatusKind::ALL.len());
    }
}
