//! What other vendors call our instances.
//!
//! A key hash names an instance (RTPS 2.5 9.6.4.8), but vendors do not agree how to compute it. So
//! a change that carries its key, or a whole sample, is known by our own hash of that, whoever sent
//! it; and beside it we remember, for each writer, which hash it sent along, so that a dispose or
//! unregister with nothing but that hash finds the instance.
use super::cache::{Cache, Header};
use super::writer_proxy::WriterIdentity;
use crate::InstanceHandle;
use hashbrown::HashMap;

/// A writer and its name for an instance, to the instance's place.
pub(super) type ForeignKeyHashes = HashMap<(u32, InstanceHandle), u32>;

impl Cache {
    /// The instance that the writer of a change means by a hash alone.
    pub(super) fn named(&self, header: &Header<'_>) -> Option<u32> {
        let name = header.name.filter(|name| *name == header.instance)?;
        self.names.get(&(header.author.id, name)).copied()
    }

    /// A sample shows what its writer calls its instance. One that means two instances by a name
    /// means the latest.
    pub(super) fn learn_name(&mut self, place: u32, header: &Header<'_>) {
        let Some(name) = header.name.filter(|name| *name != header.instance) else {
            return;
        };
        let Some(instance) = self.instances.get_mut(place) else {
            return;
        };
        let writer = header.author.id;
        let before = instance.call(writer, name);
        if let Some(before) = before.filter(|before| *before != name) {
            self.forget_name(place, writer, before);
        }
        self.names.insert((writer, name), place);
    }

    /// An instance is forgotten, and its names with it.
    pub(super) fn forget_names(&mut self, place: u32, names: &[(u32, InstanceHandle)]) {
        for (writer, name) in names {
            self.forget_name(place, *writer, *name);
        }
    }

    /// A writer is forgotten, and its names with it.
    pub(super) fn forget_names_of(&mut self, author: WriterIdentity) {
        if self.names.is_empty() {
            return;
        }
        self.names.retain(|(writer, _), _| *writer != author.id);
        for place in self.instances.keys() {
            if let Some(instance) = self.instances.get_mut(place) {
                instance.forget_name_of(author.id);
            }
        }
    }

    /// The name may mean another instance by now.
    fn forget_name(&mut self, place: u32, writer: u32, name: InstanceHandle) {
        if self.names.get(&(writer, name)) == Some(&place) {
            self.names.remove(&(writer, name));
        }
    }
}
