//! The end of a writer for readers of other products.
//!
//! Deleting a writer unregisters its instances, and so disposes them if WRITER_DATA_LIFECYCLE says
//! so (DDS 1.4 2.2.3.21). Readers of ours conclude that from what the writer announced of itself.
//! Others have to be told of each instance before the writer goes, so while such a reader matches,
//! the writer remembers the keys of what it writes.
use super::{Known, NewChange, WriterCore};
use bytes::Bytes;
use dunlin_cdr::Xcdr;
use dunlin_qos::DataRepresentation;
use dunlin_rtps::{ChangeKind, InstanceHandle, Time};
use dunlin_transport::panics::log;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// Instances that one writer disposes at its end, at most.
const MOST: usize = 65_536;
/// Serialized keys are short; a longer one makes its buffer grow.
const KEY_ROOM: usize = 256;

impl WriterCore {
    /// Some matched reader has to be told of each instance when the writer ends.
    #[inline]
    pub(crate) fn remembers_instances(&self) -> bool {
        self.type_support.is_keyed() && self.dialects.has_others() && self.autodispose.load(Relaxed)
    }

    /// The application has written an instance.
    #[cold]
    pub(crate) fn remember(&self, instance: InstanceHandle, key: impl FnOnce() -> Option<Bytes>) {
        if self.registered.is_to_be_noted(instance, MOST)
            && let Some(key) = key()
        {
            self.registered.note_written(instance, key);
        }
    }

    /// Disposes and unregisters each instance that readers of other products may have, as long as
    /// there is time.
    pub(crate) fn dispose_for_others(self: &Arc<Self>, until: Time) {
        if !self.remembers_instances() {
            return;
        }
        let mut instances: HashSet<_> = self.registered.written().into_iter().collect();
        // What was written before such a reader came, and sent to it all the same.
        instances.extend(self.state.lock().instances().take(MOST));
        let all = instances.len();
        let told = instances.into_iter().take(MOST);
        let told = told.take_while(|of| self.dispose_until(*of, until));
        let left = all - told.count();
        if left > 0 {
            log::warn!(
                writer = %self.guid, topic = self.topic, instances = all, left,
                "readers of other products are not told that these instances are disposed: the writer ended before they had room for that"
            );
        }
    }

    /// False if the time is over, or nothing can be written.
    fn dispose_until(self: &Arc<Self>, of: InstanceHandle, until: Time) -> bool {
        let ty = &self.type_support;
        let key = match self.known(of) {
            Some(Known::Key(key)) => key,
            Some(Known::Sample(sample)) => match catch_unwind(AssertUnwindSafe(|| ty.key(&sample)))
            {
                Ok(key) => key,
                Err(_) => return true,
            },
            None => return true,
        };
        let (form, xcdr) = (self.dialects.key_form(), self.xcdr());
        let change = NewChange {
            kind: ChangeKind::DisposedUnregistered,
            instance: of,
            timestamp: None,
            origin: None,
            size: KEY_ROOM,
            key: &|| None,
            fill: &mut |out| ty.rewrite_key(&key, xcdr, form, out).map(|()| None),
        };
        // The application's own code may serialize, and panic.
        let written = catch_unwind(AssertUnwindSafe(|| self.write_until(change, until)));
        self.registered.remove(of);
        !matches!(written, Ok(Err(_))) && self.shared.clock.now() < until
    }

    pub(crate) fn xcdr(&self) -> Xcdr {
        match self.fixed().representation {
            DataRepresentation::Xcdr2 => Xcdr::V2,
            DataRepresentation::Xcdr1 | DataRepresentation::Xml => Xcdr::V1,
        }
    }
}
