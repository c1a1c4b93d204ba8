//! What receivers count that went wrong without hurting anybody.
use dunlin_rtps::discovery::Source;
use dunlin_transport::panics::log;
use dunlin_wire::{Guid, Locator};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// What went wrong without hurting anybody.
#[derive(Default)]
pub(crate) struct Counters {
    pub(crate) malformed: AtomicU64,
    pub(crate) damaged: AtomicU64,
    /// Samples that a reader of ours did not take for their length.
    too_large: AtomicU64,
    pub(crate) misplaced: AtomicU64,
    pub(crate) implausible: AtomicU64,
}

impl Counters {
    pub(crate) fn malformed(&self, from: Locator, error: &dunlin_wire::Error) {
        if let Some(total) = worth_telling(&self.malformed) {
            log::warn!(?from, %error, total, "malformed RTPS message dropped");
        }
    }

    /// A reader of ours has lost a sample for its length.
    pub(crate) fn too_large(&self, reader: Guid, topic: &str, length: u32, limit: u32) {
        if let Some(total) = worth_telling(&self.too_large) {
            log::warn!(
                %reader, topic, length, limit, total,
                "a sample that is longer than the reader takes is lost; raise ParticipantConfig::max_sample_size (DUNLIN_MAX_SAMPLE_SIZE)"
            );
        }
    }

    pub(crate) fn damaged(&self, from: Locator) {
        if let Some(total) = worth_telling(&self.damaged) {
            log::warn!(
                ?from,
                total,
                "message with a wrong or missing checksum dropped"
            );
        }
    }

    /// Somebody speaks in the name of a participant that is somewhere else.
    pub(crate) fn misplaced(&self, source: &Source) {
        if let Some(total) = worth_telling(&self.misplaced) {
            let (from, prefix) = (source.from, source.prefix);
            log::warn!(
                ?from,
                ?prefix,
                total,
                "message dropped that came from an address which its participant does not announce"
            );
        }
    }

    /// Somebody, perhaps not the remote endpoint itself, speaks of samples that were never
    /// announced, or never written.
    pub(crate) fn implausible(&self, local: Guid) {
        if let Some(total) = worth_telling(&self.implausible) {
            log::warn!(
                %local,
                total,
                "GAP, HEARTBEAT or ACKNACK about samples that nobody has announced was not believed"
            );
        }
    }
}

/// Counts one more; says how many there are at the first, second, fourth, eighth...
pub(crate) fn worth_telling(counter: &AtomicU64) -> Option<u64> {
    let total = counter.fetch_add(1, SeqCst) + 1;
    total.is_power_of_two().then_some(total)
}
