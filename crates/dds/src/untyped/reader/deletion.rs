//! How readers end: with their last handle, or before if the application says so (DDS 1.4
//! 2.2.2.5.2.6, 2.2.2.5.2.14).
use super::ReaderCore;
use crate::entity::group::SubscriberCore;
use crate::receive::deferred;
use std::sync::Arc;

/// Ends all readers of a subscriber.
pub(crate) fn end_all(subscriber: &SubscriberCore) {
    subscriber.readers().iter().for_each(end);
}

/// Leaves the domain; once.
pub(crate) fn end(core: &Arc<ReaderCore>) {
    if !core.close() {
        return;
    }
    // Sets of several writers may have waited for this reader: what others of the subscriber get or
    // lose by its end is told when this returns.
    let _deferred = deferred::scope();
    core.shared
        .discover(|matching, now| matching.remove_reader(now, core.guid));
    // The routes, which others still have, may keep the core for a while.
    core.clear();
    core.group.group_access.leave(core);
}
