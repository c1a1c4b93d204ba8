//! What is asked of a writer.
use super::Writer;
use crate::{Change, InstanceHandle};
use dunlin_wire::{Guid, SequenceNumber};

impl Writer {
    /// True if every reliable reader has everything up to `up_to`.
    pub fn is_acknowledged(&self, up_to: SequenceNumber) -> bool {
        up_to.0.min(self.last) <= self.acknowledged
    }

    /// The number of the last change, 0 if there is none.
    pub fn last_sequence(&self) -> SequenceNumber {
        SequenceNumber(self.last)
    }

    /// The reliable reader that has acknowledged least, and how far.
    pub fn slowest_reader(&self) -> Option<(Guid, SequenceNumber)> {
        let reliable = self.readers.iter().filter(|r| r.config.reliable);
        let slowest = reliable.min_by_key(|r| r.acknowledged)?;
        Some((slowest.config.guid, SequenceNumber(slowest.acknowledged)))
    }

    /// Up to where a matched reader has acknowledged; `None` for one that is not matched or is best
    /// effort.
    pub fn acknowledged_by(&self, reader: Guid) -> Option<SequenceNumber> {
        let proxy = self.readers.get(self.index(reader)?)?;
        let acknowledged = SequenceNumber(proxy.acknowledged);
        proxy.config.reliable.then_some(acknowledged)
    }

    /// How many changes are kept.
    pub fn kept(&self) -> usize {
        self.history.len()
    }

    /// The newest change that is kept of an instance; of a writer that keeps all for its readers
    /// only, and has no limits for instances, none, since it does not tell instances apart.
    pub fn newest(&self, instance: InstanceHandle) -> Option<&Change> {
        self.history.newest(instance)
    }

    /// The instances of which changes are kept, if this writer tells instances apart.
    pub fn instances(&self) -> impl Iterator<Item = InstanceHandle> {
        self.history.instances()
    }

    /// The matched readers.
    pub fn readers(&self) -> impl Iterator<Item = Guid> {
        self.readers.iter().map(|r| r.config.guid)
    }
}
