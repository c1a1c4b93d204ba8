//! The instances that the application has registered, and their keys: for those who ask a writer
//! about instances.
//!
//! Registering says nothing to anybody, and writing does not look here.
use super::WriterCore;
use crate::runtime::lock::{LEAF, Ranked};
use bytes::Bytes;
use dunlin_rtps::InstanceHandle;
use std::collections::HashMap;

/// Serialized keys, by instance.
#[derive(Default)]
pub(crate) struct Registered(Ranked<HashMap<InstanceHandle, Bytes>, LEAF>);

impl Registered {
    pub(crate) fn add(&self, instance: InstanceHandle, key: Bytes) {
        self.0.lock().insert(instance, key);
    }

    pub(crate) fn remove(&self, instance: InstanceHandle) {
        self.0.lock().remove(&instance);
    }

    pub(crate) fn clear(&self) {
        self.0.lock().clear();
    }

    fn key(&self, instance: InstanceHandle) -> Option<Bytes> {
        self.0.lock().get(&instance).cloned()
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
