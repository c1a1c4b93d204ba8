//! What others announce, as events.
use super::DomainParticipant;
use crate::discovery::matching::watch::Wake;
use crate::discovery::observe::DiscoveryEvent;
use crate::entity::guard_condition::GuardCondition;
use crate::entity::shared::Shared;
use std::fmt;
use std::sync::Arc;

/// Which participants, writers and readers of others come, change and go, with all that they say of
/// themselves: for routers, recorders and monitors.
///
/// ```
/// use dunlin::observe::{DiscoveryEvent, EntityChange};
/// # fn main() -> dunlin::Result<()> {
/// let participant = dunlin::DomainParticipant::new(0)?;
/// let events = participant.discovery_events();
/// let waits = dunlin::WaitSet::new();
/// waits.attach(events.condition());
/// while waits.wait_for(dunlin::Duration::from_millis(10))? {
///     for event in events.take() {
///         if let DiscoveryEvent::Writer(EntityChange::Added(writer)) = event {
///             println!("{} writes {}", writer.guid, writer.topic);
///         }
///     }
/// }
/// # Ok(())
/// # }
/// ```
pub struct DiscoveryEvents {
    shared: Arc<Shared>,
    condition: GuardCondition,
    wake: Arc<Wake>,
}

impl DomainParticipant {
    /// Events of discovery, beginning with all that is known of others now. Each call makes a
    /// stream of its own.
    pub fn discovery_events(&self) -> DiscoveryEvents {
        let shared = Arc::clone(&self.guard.shared);
        let condition = GuardCondition::new();
        let woken = condition.clone();
        let wake: Arc<Wake> = Arc::new(move || woken.set_trigger_value(true));
        shared.discover(|matching, _| matching.watch(&wake));
        DiscoveryEvents {
            shared,
            condition,
            wake,
        }
    }
}

impl DiscoveryEvents {
    /// True while there may be events to take.
    pub fn condition(&self) -> GuardCondition {
        self.condition.clone()
    }

    /// What has happened since the last call. Each entity is told once, as it is now: one that
    /// changed twice has changed, one that came and went is left out. Participants come before
    /// their endpoints and go after them.
    pub fn take(&self) -> Vec<DiscoveryEvent> {
        self.condition.set_trigger_value(false);
        let mut matching = self.shared.matching.lock();
        matching.take_discovery_events(&self.wake)
    }
}

impl fmt::Debug for DiscoveryEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DiscoveryEvents").finish_non_exhaustive()
    }
}
