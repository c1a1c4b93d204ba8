//! The end of a writer for readers of other products.
//!
//! Deleting a writer unregisters its instances, and so disposes them if WRITER_DATA_LIFECYCLE says
//! so (DDS 1.4 2.2.3.21). Readers of ours conclude that from what the writer announced of itself.
//! Others have to be told of each instance before the writer goes, so while such a reader matches,
//! the writer remembers the keys of what it writes.
use super::{Known, NewChange, WriterCore};
use crate::runtime::clock;
use bytes::{Bytes, BytesMut};
use dunlin_cdr::{KeyForm, Xcdr};
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
pub(crate) const KEY_ROOM: usize = 256;

/// How keys of the writer's type are got and written.
#[derive(Clone, Copy)]
pub(crate) struct KeyCodec {
    /// The key of a serialized sample; empty if it has none.
    pub(crate) of_sample: fn(&Bytes) -> Bytes,
    /// Writes the payload of a dispose.
    pub(crate) write: fn(&Bytes, Xcdr, KeyForm, &mut BytesMut) -> Result<(), dunlin_cdr::Error>,
}

impl WriterCore {
    /// Some matched reader has to be told of each instance when the writer ends.
    #[inline]
    pub(crate) fn remembers_instances(&self) -> bool {
        self.dialects.has_others() && self.autodispose.load(Relaxed)
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
        let Some(codec) = self.codec.filter(|_| self.remembers_instances()) else {
            return;
        };
        let mut instances: HashSet<_> = self.registered.written().into_iter().collect();
        // What was written before such a reader came, and sent to it all the same.
        instances.extend(self.state.lock().instances().take(MOST));
        let all = instances.len();
        let told = instances.into_iter().take(MOST);
        let told = told.take_while(|of| self.dispose_until(codec, *of, until));
        let left = all - told.count();
        if left > 0 {
            log::warn!(
                writer = %self.guid, topic = self.topic, instances = all, left,
                "readers of other products are not told that these instances are disposed: the writer ended before they had room for that"
            );
        }
    }

    /// False if the time is over, or nothing can be written.
    fn dispose_until(self: &Arc<Self>, codec: KeyCodec, of: InstanceHandle, until: Time) -> bool {
        let key = match self.known(of) {
            Some(Known::Key(key)) => key,
            Some(Known::Sample(sample)) => match catch_unwind(|| (codec.of_sample)(&sample)) {
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
            size: KEY_ROOM,
            fill: &mut |out| (codec.write)(&key, xcdr, form, out).map(|()| None),
        };
        // The application's own code may serialize, and panic.
        let written = catch_unwind(AssertUnwindSafe(|| self.write_until(change, Some(until))));
        self.registered.remove(of);
        !matches!(written, Ok(Err(_))) && clock::now() < until
    }

    pub(crate) fn xcdr(&self) -> Xcdr {
        match self.fixed().representation {
            DataRepresentation::Xcdr2 => Xcdr::V2,
            DataRepresentation::Xcdr1 | DataRepresentation::Xml => Xcdr::V1,
        }
    }
}
