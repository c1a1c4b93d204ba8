//! The one budget that all readers of a participant pay incomplete and early samples from.
use crate::runtime::lock::{LEAF, Ranked};
use dunlin_rtps::{Budgets, PeerBudget, ReassemblyBudget};
use dunlin_wire::GuidPrefix;
use hashbrown::HashMap;
use std::sync::{Arc, Weak};

/// The budget, and what each peer has of it.
pub(crate) struct Memory {
    pub(crate) budget: Arc<ReassemblyBudget>,
    peers: Ranked<HashMap<GuidPrefix, Weak<PeerBudget>>, LEAF>,
}

impl Memory {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            budget: ReassemblyBudget::new(limit),
            peers: Ranked::default(),
        })
    }

    /// For a reader of the participant.
    pub(crate) fn budgets(self: &Arc<Self>) -> Budgets {
        let memory = Arc::clone(self);
        Budgets::new(move |prefix| memory.of(prefix))
    }

    fn of(&self, prefix: GuidPrefix) -> Arc<PeerBudget> {
        let mut peers = self.peers.lock();
        if let Some(known) = peers.get(&prefix).and_then(Weak::upgrade) {
            return known;
        }
        // Those who are gone are forgotten when somebody comes.
        peers.retain(|_, peer| peer.strong_count() > 0);
        let peer = PeerBudget::new(&self.budget);
        peers.insert(prefix, Arc::downgrade(&peer));
        peer
    }
}
