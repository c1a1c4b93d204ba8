//! How much memory the readers of a participant may take for samples that cannot be shown yet, and
//! who gets how much of it.
//!
//! What strangers send decides how much is incomplete, so all of it is paid from one budget: what
//! came and a little for each piece, not what was announced. While there is room, anybody gets it,
//! but a quarter is kept for those who have less than their share. The share of a peer is the
//! budget divided by the peers that have anything in it and one that may come, and that of a writer
//! is its peer's share divided by the peer's writers. Who is refused makes the budget short for a
//! while: then readers drop what got nothing for some time.
use crate::Time;
use alloc::sync::Arc;
use core::fmt;
use core::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering::Relaxed};
use dunlin_qos::Duration;
use dunlin_wire::GuidPrefix;

/// The budget counts as short for so long after somebody was refused.
const SHORT: Duration = Duration::from_millis(500);

/// The memory of all samples that a participant's readers cannot show yet. Numbers are changed by
/// several readers at once, so a share may be judged by numbers of a moment ago; the limit itself
/// is never exceeded, but by what cannot be dropped.
#[derive(Debug)]
pub struct ReassemblyBudget {
    limit: usize,
    used: AtomicUsize,
    /// Peers that have anything in it.
    peers: AtomicUsize,
    /// When somebody was refused.
    refused: AtomicI64,
    dropped: AtomicU64,
}

/// What one peer has of a budget, in all readers together.
#[derive(Debug)]
pub struct PeerBudget {
    budget: Arc<ReassemblyBudget>,
    used: AtomicUsize,
    /// Writers that have anything in it.
    writers: AtomicUsize,
}

/// Finds what a peer has of the budget that a reader belongs to.
#[derive(Clone)]
pub struct Budgets(Arc<dyn Fn(GuidPrefix) -> Arc<PeerBudget> + Send + Sync>);

impl ReassemblyBudget {
    /// A budget of so many bytes.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            used: AtomicUsize::new(0),
            peers: AtomicUsize::new(0),
            refused: AtomicI64::new(i64::MIN),
            dropped: AtomicU64::new(0),
        })
    }

    /// Bytes of which it consists.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Bytes that are in use.
    pub fn used(&self) -> usize {
        self.used.load(Relaxed)
    }

    /// Fragments, and samples that were incomplete or came too early, that were dropped for want of
    /// it, ever.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Relaxed)
    }

    /// Somebody was refused lately.
    fn is_short(&self, now: Time) -> bool {
        let refused = self.refused.load(Relaxed);
        refused != i64::MIN && now.since(Time(refused)) < SHORT
    }

    fn take(&self, bytes: usize, most: usize) -> bool {
        let more = |used: usize| used.checked_add(bytes).filter(|sum| *sum <= most);
        self.used.fetch_update(Relaxed, Relaxed, more).is_ok()
    }
}

impl PeerBudget {
    /// A peer that has nothing of the budget yet.
    pub fn new(budget: &Arc<ReassemblyBudget>) -> Arc<Self> {
        Arc::new(Self {
            budget: Arc::clone(budget),
            used: AtomicUsize::new(0),
            writers: AtomicUsize::new(0),
        })
    }

    /// Bytes that its samples take.
    pub fn used(&self) -> usize {
        self.used.load(Relaxed)
    }

    /// As if one more peer came: there is room for it when it does.
    fn share(&self) -> usize {
        let newcomer = usize::from(self.used() == 0);
        let peers = self.budget.peers.load(Relaxed).saturating_add(newcomer);
        self.budget.limit / peers.saturating_add(1)
    }
}

impl Budgets {
    /// By this function, which gives the same answer for the same peer.
    pub fn new(peer: impl Fn(GuidPrefix) -> Arc<PeerBudget> + Send + Sync + 'static) -> Self {
        Self(Arc::new(peer))
    }

    /// For a reader that matches one writer of each peer and shares the budget with no other
    /// reader.
    pub fn of_each_writer(limit: usize) -> Self {
        let budget = ReassemblyBudget::new(limit);
        Self::new(move |_| PeerBudget::new(&budget))
    }

    pub(crate) fn of(&self, peer: GuidPrefix) -> Arc<PeerBudget> {
        (self.0)(peer)
    }
}

impl fmt::Debug for Budgets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Budgets")
    }
}

/// What one writer has of the budget, in one reader. Gives all of it back at its end.
pub(crate) struct Share {
    peer: Arc<PeerBudget>,
    used: usize,
}

impl Share {
    pub(crate) fn new(peer: Arc<PeerBudget>) -> Self {
        Self { peer, used: 0 }
    }

    pub(crate) fn used(&self) -> usize {
        self.used
    }

    pub(crate) fn used_by_peer(&self) -> usize {
        self.peer.used()
    }

    /// Room for what is incomplete; false if there is none.
    #[must_use]
    pub(crate) fn take(&mut self, now: Time, bytes: usize) -> bool {
        let limit = self.peer.budget.limit;
        let most = match self.is_modest(bytes) {
            true => limit,
            false => limit - limit / 4,
        };
        self.take_of(now, bytes, most)
    }

    /// Room for what came before its turn, which nothing but the turn lets go of: of half of the
    /// budget.
    #[must_use]
    pub(crate) fn take_early(&mut self, now: Time, bytes: usize) -> bool {
        self.take_of(now, bytes, self.peer.budget.limit / 2)
    }

    fn take_of(&mut self, now: Time, bytes: usize, most: usize) -> bool {
        let budget = &self.peer.budget;
        if !budget.take(bytes, most) {
            budget.refused.store(now.0, Relaxed);
            return false;
        }
        self.note(bytes);
        true
    }

    /// Room for what cannot be dropped.
    pub(crate) fn take_anyway(&mut self, bytes: usize) {
        self.peer.budget.used.fetch_add(bytes, Relaxed);
        self.note(bytes);
    }

    fn note(&mut self, bytes: usize) {
        if bytes == 0 {
            return;
        }
        if self.used == 0 {
            self.peer.writers.fetch_add(1, Relaxed);
        }
        self.used += bytes;
        if self.peer.used.fetch_add(bytes, Relaxed) == 0 {
            self.peer.budget.peers.fetch_add(1, Relaxed);
        }
    }

    /// It is not needed any more.
    pub(crate) fn give(&mut self, bytes: usize) {
        let bytes = bytes.min(self.used);
        if bytes == 0 {
            return;
        }
        self.used -= bytes;
        if self.used == 0 {
            self.peer.writers.fetch_sub(1, Relaxed);
        }
        if self.peer.used.fetch_sub(bytes, Relaxed) == bytes {
            self.peer.budget.peers.fetch_sub(1, Relaxed);
        }
        self.peer.budget.used.fetch_sub(bytes, Relaxed);
    }

    /// Something was dropped for want of room.
    pub(crate) fn note_dropped(&self) {
        self.peer.budget.dropped.fetch_add(1, Relaxed);
    }

    pub(crate) fn is_short(&self, now: Time) -> bool {
        self.peer.budget.is_short(now)
    }

    /// Even with so many bytes more, the peer and the writer have no more than their shares.
    pub(crate) fn is_modest(&self, more: usize) -> bool {
        let share = self.peer.share();
        let newcomer = usize::from(self.used == 0);
        let writers = self.peer.writers.load(Relaxed).saturating_add(newcomer);
        self.peer.used().saturating_add(more) <= share
            && self.used.saturating_add(more) <= share / writers.max(1)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.give(self.used);
    }
}
