//! How readers end: with their last handle, or before if the application says so (DDS 1.4
//! 2.2.2.5.2.6, 2.2.2.5.2.14).
use super::{DataReader, Subscriber};
use crate::entity::group::SubscriberCore;
use crate::error::{Error, Result};
use crate::typed::topic::TopicData;
use crate::untyped::reader::ReaderCore;
use std::sync::Arc;

impl Subscriber {
    /// Ends a reader of this subscriber now, whoever still has handles of it: these have no samples
    /// any more. Without this call it ends with the last handle.
    ///
    /// # Errors
    /// `PreconditionNotMet` for another subscriber's reader, `AlreadyDeleted`.
    pub fn delete_datareader<T: TopicData>(&self, reader: &DataReader<T>) -> Result<()> {
        let core = reader.core();
        if !Arc::ptr_eq(&core.group, &self.core) {
            let entity = core.describe();
            let what = format!("{entity} belongs to another subscriber, which deletes it");
            return Err(Error::PreconditionNotMet(what));
        }
        core.check_living()?;
        end(core);
        Ok(())
    }

    /// Ends all readers of this subscriber as `delete_datareader` does.
    pub fn delete_contained_entities(&self) {
        end_all(&self.core);
    }

    pub(crate) fn core(&self) -> &Arc<SubscriberCore> {
        &self.core
    }
}

/// Ends all readers of a subscriber.
pub(crate) fn end_all(subscriber: &SubscriberCore) {
    subscriber.readers().iter().for_each(end);
}

/// Leaves the domain; once.
pub(super) fn end(core: &Arc<ReaderCore>) {
    if !core.close() {
        return;
    }
    core.shared
        .discover(|matching, now| matching.remove_reader(now, core.guid));
    // The routes, which others still have, may keep the core for a while.
    core.clear();
    core.group.group_access.leave(core);
}
