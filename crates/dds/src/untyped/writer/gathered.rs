//! Bytes of a sample that stay where the application has them: which do, and when they are let go.
use super::{AT_ONCE, SERIALIZE_LIMIT, WriterCore};
use arrayvec::ArrayVec;
use bytes::Bytes;
use dunlin_qos::Durability;
use dunlin_transport::panics::quietly;
use std::sync::atomic::Ordering::Relaxed;

impl WriterCore {
    /// Do these bytes of a sample stay where they are, to be gathered by the kernel, or seen there
    /// by peers? Not in a batch, which is to be one piece, nor where samples are kept for long, nor
    /// if readers in this process share the sample, which they want in one piece, unless they lie
    /// where peers can see them.
    pub(crate) fn gathers(&self, bytes: &[u8]) -> bool {
        let keeps_short = self.keeps_short();
        self.fixed().batching.max_bytes == 0
            && (keeps_short && bytes.len() > SERIALIZE_LIMIT || self.shared.transport.holds(bytes))
    }

    /// Is it worth asking `gathers` for a member of so many bytes?
    pub(crate) fn may_gather(&self, length: usize) -> bool {
        let keeps_short = self.keeps_short();
        self.fixed().batching.max_bytes == 0
            && (keeps_short && length > SERIALIZE_LIMIT || length > 0 && self.lent.load(Relaxed))
    }

    /// Bytes of the application are needed for a moment only.
    fn keeps_short(&self) -> bool {
        self.fixed().durability == Durability::Volatile
            && !self.has_near.load(Relaxed)
            && !self.has_filters.load(Relaxed)
    }

    /// The application has got memory that peers can see.
    pub(crate) fn note_lent(&self) {
        if !self.lent.load(Relaxed) {
            self.lent.store(true, Relaxed);
        }
    }

    /// Lets go of bytes of the application that the history has no use for any more: without a
    /// lock, since this may run its code.
    pub(crate) fn release_retired(&self) {
        loop {
            let mut state = self.state.lock();
            let retired = state.retired();
            let rest = retired.len().saturating_sub(AT_ONCE);
            let some: ArrayVec<Bytes, AT_ONCE> = retired.drain(rest..).collect();
            drop(state);
            let all = some.len() < AT_ONCE;
            for bytes in some {
                quietly(|| drop(bytes));
            }
            if all {
                return;
            }
        }
    }
}
