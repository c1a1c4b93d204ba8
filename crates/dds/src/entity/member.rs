//! The topics, writers and readers of a participant, as the entities that contain them see them.
//!
//! The layer above implements these traits.
use crate::error::Result;
use crate::receive::deferred::DeferredReader;
use crate::send::local_queue::{LocalReaderEndpoint, LocalWriterEndpoint};
use dunlin_rtps::{GroupFront, GroupOrder, InGroup, Time};
use dunlin_wire::Guid;
use std::sync::Arc;

/// A topic of a participant.
pub(crate) trait MemberTopic {
    fn guid(&self) -> Guid;
    /// Whoever waits for something looks whether it can still come.
    fn raise_all(&self);
}

/// A writer of a publisher.
pub(crate) trait MemberWriter: LocalWriterEndpoint {
    /// Which publisher's it is.
    fn publisher(&self) -> Guid;
    /// Announces the writer; once.
    fn enable(self: &Arc<Self>) -> Result<()>;
    /// Is it being deleted?
    fn is_closed(&self) -> bool;
    /// It has sets, or numbers, in common with the other writers of its publisher.
    fn is_grouped(&self) -> bool;
    /// What it writes from now on is one coherent set.
    fn begin_set(&self);
    /// The set is complete; `number` is asked for what the mark behind it says.
    fn end_set(self: &Arc<Self>, number: impl FnOnce() -> Option<InGroup>) -> Result<()>;
    /// Sends what it holds back for the calling thread; false if samples of another thread's still
    /// wait.
    fn send_held_back(&self) -> bool;
    /// Whoever waits for something looks whether it can still come.
    fn raise_all(&self);
}

/// A reader of a subscriber.
pub(crate) trait MemberReader: LocalReaderEndpoint + DeferredReader + 'static {
    /// Who was told of data before.
    type Told;
    /// Which subscriber's it is.
    fn subscriber(&self) -> Guid;
    /// Announces the reader; once.
    fn enable(self: &Arc<Self>) -> Result<()>;
    /// Is it being deleted?
    fn is_closed(&self) -> bool;
    /// Finds out who is told of data from now on. Who was told before is given back, to be dropped
    /// without a lock.
    fn bind(self: &Arc<Self>) -> Self::Told;
    /// Another thread than `this` that calls the listener with this id for data.
    fn calls_in(&self, id: u64, this: usize) -> Option<usize>;
    /// What time it is.
    fn now(&self) -> Time;
    /// How it stands with each writer whose sets wait for those of others.
    fn group_fronts(&self) -> Vec<GroupFront>;
    /// What writers said in a set that all have now is seen, or dropped; whom that concerns is told
    /// by the thread that receives.
    fn release_group(self: &Arc<Self>, now: Time, writers: &[Guid], set: GroupOrder, turn: u64);
    /// A writer is asked whether anything is to come from it of what its publisher wrote up to this
    /// number.
    fn want_news(self: &Arc<Self>, now: Time, writer: Guid, number: i64);
    /// Whoever waits for something looks whether it can still come.
    fn raise_all(&self);
}
