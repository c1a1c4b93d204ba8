//! What the verdicts know and want to know of the types of endpoints.
use super::Catalog;
use crate::discovery::Event;
use crate::discovery::types::{KnownTypes, TypeState};
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use dunlin_wire::Guid;

impl Catalog {
    /// What is known of the types of endpoints.
    pub(in crate::discovery) fn types(&self) -> &KnownTypes {
        &self.types
    }

    /// The endpoints whose types somebody has to find out; each is named once.
    pub(in crate::discovery) fn take_wanted(&mut self) -> BTreeSet<Guid> {
        core::mem::take(&mut self.wanted)
    }

    /// The endpoints of which nobody needs to know the type any more.
    pub(in crate::discovery) fn take_unwanted(&mut self) -> BTreeSet<Guid> {
        core::mem::take(&mut self.unwanted)
    }

    /// This became known of the type of an endpoint.
    pub(in crate::discovery) fn put_type(
        &mut self,
        guid: Guid,
        state: TypeState,
        events: &mut Vec<Event>,
    ) {
        let topic = self.topic_name(guid);
        let pairs: Vec<(Guid, Guid)> = if self.writers.contains_key(&guid) {
            let readers = self.readers_for(guid, &topic).into_iter();
            readers.map(|reader| (guid, reader)).collect()
        } else if self.readers.contains_key(&guid) {
            let writers = self.writers_for(guid, &topic).into_iter();
            writers.map(|writer| (writer, guid)).collect()
        } else if self.others.contains(guid) {
            Vec::new()
        } else {
            return;
        };
        self.types.insert(guid, state);
        for (writer, reader) in pairs {
            self.judge(writer, reader, None, events);
        }
    }

    pub(super) fn forget_type(&mut self, guid: Guid) {
        self.types.remove(guid);
        self.wanted.remove(&guid);
        self.unwanted.insert(guid);
    }
}
