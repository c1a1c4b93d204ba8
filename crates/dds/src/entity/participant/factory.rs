//! The participants of this process (DDS 1.4 2.2.2.2.2), and what time it is.
use super::{DomainParticipant, ParticipantGuard};
use crate::error::{Result, consistent};
use dunlin_qos::DomainParticipantQos;
use dunlin_wire::Timestamp;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// In the order in which they were made.
static ALL: Mutex<Vec<Weak<ParticipantGuard>>> = Mutex::new(Vec::new());

/// What participants have whose makers say nothing else; `None` while it is the standard's default.
static DEFAULT: Mutex<Option<DomainParticipantQos>> = Mutex::new(None);

/// There is one more.
pub(super) fn enter(participant: &Arc<ParticipantGuard>) {
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    all.retain(|participant| participant.strong_count() > 0);
    all.push(Arc::downgrade(participant));
}

impl DomainParticipant {
    /// The first participant that this process has in a domain (DDS 1.4 2.2.2.2.2.4).
    pub fn lookup(domain: u32) -> Option<Self> {
        let all = ALL.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // Those that are not wanted may end here, if they are the last handles: not under the lock.
        let participants: Vec<_> = all.iter().filter_map(Weak::upgrade).collect();
        let mut participants = participants.into_iter();
        let guard = participants.find(|guard| guard.shared.domain == domain)?;
        Some(Self { guard })
    }

    /// The QoS of participants that [`DomainParticipant::new`] makes, in this process (DDS 1.4
    /// 2.2.2.2.2.6).
    pub fn default_participant_qos() -> DomainParticipantQos {
        let default = DEFAULT.lock().unwrap_or_else(PoisonError::into_inner);
        default.clone().unwrap_or_default()
    }

    /// What `default_participant_qos` says from now on (DDS 1.4 2.2.2.2.2.5). A
    /// [`ParticipantConfig`](crate::ParticipantConfig) has a QoS of its own.
    ///
    /// # Errors
    /// `InconsistentPolicy`.
    pub fn set_default_participant_qos(qos: DomainParticipantQos) -> Result<()> {
        consistent("default QoS of participants", qos.validate())?;
        *DEFAULT.lock().unwrap_or_else(PoisonError::into_inner) = Some(qos);
        Ok(())
    }

    /// The time that samples are stamped with: that of the day (DDS 1.4 2.2.2.2.1.27).
    pub fn current_time(&self) -> Timestamp {
        self.guard.shared.clock.wall()
    }
}
