//! How writers end: with their last handle, or before if the application says so (DDS 1.4
//! 2.2.2.4.1.6, 2.2.2.4.1.14).
use super::WriterCore;
use crate::entity::group::PublisherCore;
use std::sync::Arc;

/// Ends all writers of a publisher.
pub(crate) fn end_all(publisher: &PublisherCore) {
    for writer in publisher.writers() {
        end(&writer);
        writer.empty();
    }
}

/// Waits for those who lack something, then leaves the domain; once.
pub(crate) fn end(core: &Arc<WriterCore>) {
    if core.is_closed() {
        return;
    }
    core.flush();
    if !std::thread::panicking() {
        let until = core.shared.clock.now().after(core.shared.config.linger);
        core.dispose_for_others(until);
        core.flush();
        if core.has_unacknowledged() {
            // A reader that does not answer in time loses what it did not ask for; the writer is
            // gone either way.
            let _ = core.wait_for_acknowledgments(until.since(core.shared.clock.now()));
        }
    }
    if core.close() {
        core.shared
            .discover(|matching, now| matching.remove_writer(now, core.guid));
    }
}
