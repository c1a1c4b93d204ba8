//! Receiving in a thread of the application's own.
use super::{DomainParticipant, ParticipantGuard, held};
use crate::entity::shared::Shared;
use crate::receive::role::Role;
use std::sync::Arc;

impl DomainParticipant {
    /// Does the receive work that is there now, in the calling thread and without waiting: one
    /// datagram (a few, if they come faster than that) of each receiver whose work no other thread
    /// does, listeners included. Returns whether there was any.
    ///
    /// It is for a thread that serves several participants, or that has more to do than to wait.
    /// A thread that polls at least once each millisecond has the work on user data to itself,
    /// from its second call on: the participant's own threads take it over from one that polls no
    /// longer. Discovery stays with its thread. A thread that only waits uses a
    /// [`WaitSet`](crate::WaitSet), which costs less. After the participant has ended, or failed,
    /// there is no work.
    pub fn poll_once(&self) -> bool {
        self.guard.poll_once()
    }
}

impl ParticipantGuard {
    fn poll_once(&self) -> bool {
        let shared = &self.shared;
        if shared.is_ended() {
            return false;
        }
        shared.send_held_back();
        let mut done = shared.user.poll(shared, true);
        for index in 0.. {
            let Some(role) = self.group(index) else { break };
            done |= role.poll(shared, true);
        }
        done | shared.meta.poll(shared, false)
    }

    /// The receiver of one of the multicast groups, in the order in which they were joined.
    fn group(&self, index: usize) -> Option<Arc<Role<Shared>>> {
        let groups = held(&self.groups);
        groups.get(index).map(|(_, role)| Arc::clone(role))
    }
}
