//! How writers end: with their last handle, or before if the application says so (DDS 1.4
//! 2.2.2.4.1.6, 2.2.2.4.1.14).
use super::{DataWriter, Publisher};
use crate::entity::group::PublisherCore;
use crate::error::{Error, Result};
use crate::runtime::clock;
use crate::typed::topic::TopicData;
use crate::untyped::writer::WriterCore;
use std::sync::Arc;

impl Publisher {
    /// Ends a writer of this publisher now, whoever still has handles of it: by these nothing can
    /// be written any more. Without this call it ends with the last handle.
    ///
    /// # Errors
    /// `PreconditionNotMet` for another publisher's writer, `AlreadyDeleted`.
    pub fn delete_datawriter<T: TopicData>(&self, writer: &DataWriter<T>) -> Result<()> {
        let core = writer.core();
        if !Arc::ptr_eq(&core.group, &self.core) {
            let entity = core.describe();
            let what = format!("{entity} belongs to another publisher, which deletes it");
            return Err(Error::PreconditionNotMet(what));
        }
        core.check_living()?;
        end(core);
        core.empty();
        Ok(())
    }

    /// Ends all writers of this publisher as `delete_datawriter` does.
    pub fn delete_contained_entities(&self) {
        end_all(&self.core);
    }

    pub(crate) fn core(&self) -> &Arc<PublisherCore> {
        &self.core
    }
}

/// Ends all writers of a publisher.
pub(crate) fn end_all(publisher: &PublisherCore) {
    for writer in publisher.writers() {
        end(&writer);
        writer.empty();
    }
}

/// Waits for those who lack something, then leaves the domain; once.
pub(super) fn end(core: &Arc<WriterCore>) {
    if core.is_closed() {
        return;
    }
    core.flush();
    if !std::thread::panicking() {
        let until = clock::now().after(core.shared.config.linger);
        core.dispose_for_others(until);
        core.flush();
        if core.has_unacknowledged() {
            // A reader that does not answer in time loses what it did not ask for; the writer is
            // gone either way.
            let _ = core.wait_for_acknowledgments(until.since(clock::now()));
        }
    }
    if core.close() {
        core.shared
            .discover(|matching, now| matching.remove_writer(now, core.guid));
    }
}
