//! The instances that the application has registered, and their keys: for those who ask a writer
//! about instances.
//!
//! Registering says nothing to anybody, and writing does not look here, unless readers of other
//! products will have to be told how the writer ended (`autodispose`).
use super::WriterCore;
use crate::runtime::lock::{LEAF, Ranked};
use bytes::Bytes;
use dunlin_rtps::InstanceHandle;
use std::collections::HashMap;

/// Serialized keys, by instance.
#[derive(Default)]
pub(crate) struct Registered(Ranked<HashMap<InstanceHandle, Instance>, LEAF>);

struct Instance {
    key: Bytes,
    /// Others have heard of it.
    written: bool,
}

impl Registered {
    pub(crate) fn add(&self, instance: InstanceHandle, key: Bytes) {
        let mut all = self.0.lock();
        let written = all.get(&instance).is_some_and(|known| known.written);
        all.insert(instance, Instance { key, written });
    }

    /// Whether it is not known that this one was written, and there is room for it.
    pub(crate) fn is_to_be_noted(&self, instance: InstanceHandle, most: usize) -> bool {
        let mut all = self.0.lock();
        match all.get_mut(&instance) {
            Some(known) => {
                known.written = true;
                false
            }
            None => all.len() < most,
        }
    }

    pub(crate) fn note_written(&self, instance: InstanceHandle, key: Bytes) {
        let written = true;
        self.0.lock().insert(instance, Instance { key, written });
    }

    /// Those that were written.
    pub(crate) fn written(&self) -> Vec<InstanceHandle> {
        let all = self.0.lock();
        let written = all.iter().filter(|(_, instance)| instance.written);
        written.map(|(handle, _)| *handle).collect()
    }

    pub(crate) fn remove(&self, instance: InstanceHandle) {
        self.0.lock().remove(&instance);
    }

    pub(crate) fn clear(&self) {
        self.0.lock().clear();
    }

    fn key(&self, instance: InstanceHandle) -> Option<Bytes> {
        let all = self.0.lock();
        all.get(&instance).map(|instance| instance.key.clone())
    }
}

/// What tells the key of an instance.
pub(crate) enum Known {
    /// The serialized key.
    Key(Bytes),
    /// A serialized sample.
    Sample(Bytes),
}

impl WriterCore {
    /// What the writer knows of an instance: by its being registered, or by what the history keeps
    /// of it.
    pub(crate) fn known(&self, instance: InstanceHandle) -> Option<Known> {
        if let Some(key) = self.registered.key(instance) {
            return Some(Known::Key(key));
        }
        let newest = self.state.lock().newest(instance).cloned()?;
        if newest.kind.is_unregister() {
            return None;
        }
        let payload = match newest.payload.whole() {
            Some(whole) => whole.clone(),
            None => {
                let pieces = newest.payload.pieces(0..newest.payload.len());
                pieces.map(|piece| piece.bytes).concat().into()
            }
        };
        Some(match newest.kind.is_dispose() {
            true => Known::Key(payload),
            false => Known::Sample(payload),
        })
    }
}
