//! What is known of single endpoints and topics, and in which of two forms an endpoint is kept: as
//! it is while somebody here has its topic, and else in little room.
use super::compact::Description;
use super::{Catalog, entities};
use alloc::borrow::{Cow, ToOwned};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::slice;
use dunlin_wire::{Guid, GuidPrefix, Locator, ReaderData, WriterData};

/// A description of which endpoints are kept as they are.
pub(super) trait Kept: Description {
    fn all(catalog: &mut Catalog) -> &mut BTreeMap<Guid, Self>;
}

impl Kept for WriterData {
    fn all(catalog: &mut Catalog) -> &mut BTreeMap<Guid, Self> {
        &mut catalog.writers
    }
}

impl Kept for ReaderData {
    fn all(catalog: &mut Catalog) -> &mut BTreeMap<Guid, Self> {
        &mut catalog.readers
    }
}

impl Catalog {
    /// What a writer says of itself, whoever's it is.
    pub(in crate::discovery) fn writer(&self, guid: Guid) -> Option<Cow<'_, WriterData>> {
        let here = self.writers.get(&guid).map(Cow::Borrowed);
        here.or_else(|| self.others.get(guid).map(Cow::Owned))
    }

    /// What a reader says of itself, whoever's it is.
    pub(in crate::discovery) fn reader(&self, guid: Guid) -> Option<Cow<'_, ReaderData>> {
        let here = self.readers.get(&guid).map(Cow::Borrowed);
        here.or_else(|| self.others.get(guid).map(Cow::Owned))
    }

    pub(in crate::discovery) fn writers(&self) -> impl Iterator<Item = Cow<'_, WriterData>> {
        let here = self.writers.values().map(Cow::Borrowed);
        here.chain(self.others.all().map(Cow::Owned))
    }

    pub(in crate::discovery) fn readers(&self) -> impl Iterator<Item = Cow<'_, ReaderData>> {
        let here = self.readers.values().map(Cow::Borrowed);
        here.chain(self.others.all().map(Cow::Owned))
    }

    /// A writer of ours, or one that has a topic of ours.
    pub(in crate::discovery) fn near_writer(&self, guid: Guid) -> Option<&WriterData> {
        self.writers.get(&guid)
    }

    /// A reader of ours, or one that has a topic of ours.
    pub(in crate::discovery) fn near_reader(&self, guid: Guid) -> Option<&ReaderData> {
        self.readers.get(&guid)
    }

    pub(in crate::discovery) fn own_writers(&self) -> impl Iterator<Item = &WriterData> {
        let own = self.writers.range(entities(self.own));
        own.map(|(_, writer)| writer)
    }

    pub(in crate::discovery) fn own_readers(&self) -> impl Iterator<Item = &ReaderData> {
        let own = self.readers.range(entities(self.own));
        own.map(|(_, reader)| reader)
    }

    pub(in crate::discovery) fn contains(&self, guid: Guid) -> bool {
        self.writers.contains_key(&guid)
            || self.readers.contains_key(&guid)
            || self.others.contains(guid)
    }

    /// The writers, or the readers, of a topic that one of ours has.
    pub(in crate::discovery) fn of_topic(
        &self,
        name: &str,
        writers: bool,
    ) -> impl Iterator<Item = Guid> {
        let topic = self.topics.get(name);
        let all = topic.into_iter().flat_map(move |topic| match writers {
            true => &topic.writers,
            false => &topic.readers,
        });
        all.copied()
    }

    /// The writers, or the readers, of all topics, and the topics' names.
    pub(in crate::discovery) fn by_topic(
        &self,
        writers: bool,
    ) -> impl Iterator<Item = (&str, Guid)> {
        let here = self.topics.iter().flat_map(move |(name, topic)| {
            let all = match writers {
                true => &topic.writers,
                false => &topic.readers,
            };
            all.iter().map(|guid| (name.as_str(), *guid))
        });
        let others = self.others.topics();
        here.chain(others.filter(move |(_, guid)| guid.entity.is_writer() == writers))
    }

    /// Where the endpoints of a participant listen that do not listen where the participant does.
    pub(in crate::discovery) fn unicast_of(
        &self,
        prefix: GuidPrefix,
    ) -> impl Iterator<Item = &[Locator]> {
        let writers = self.writers.range(entities(prefix));
        let readers = self.readers.range(entities(prefix));
        let of_writers = writers.map(|(_, writer)| &*writer.unicast);
        let of_readers = readers.map(|(_, reader)| &*reader.unicast);
        let of_others = self.others.places_of(prefix).map(slice::from_ref);
        of_writers.chain(of_readers).chain(of_others)
    }

    /// Somebody here has the topic.
    fn has_own(&self, topic: &str) -> bool {
        let topic = self.topics.get(topic);
        topic.is_some_and(|topic| {
            let mut writers = topic.writers.range(entities(self.own));
            let mut readers = topic.readers.range(entities(self.own));
            writers.next().is_some() || readers.next().is_some()
        })
    }

    /// Keeps an endpoint of others in little room, if nobody here has its topic; else gives it
    /// back, to be kept as it is. Those that have the topic of a new one of ours are, too.
    pub(super) fn put_other<D: Kept>(&mut self, data: D) -> Option<D> {
        let guid = data.guid();
        if guid.prefix == self.own {
            self.expand(data.topic());
            return Some(data);
        }
        if self.has_own(data.topic()) {
            return Some(data);
        }
        let was_other = self.others.remove::<D>(guid);
        let was_here = D::all(self).contains_key(&guid);
        let topic = data.topic().to_owned();
        match self.others.put(data) {
            Ok(()) if was_here => {
                D::all(self).remove(&guid);
                self.leave_topic(&topic, guid);
            }
            Ok(()) if !was_other => self.count(guid.prefix, 1),
            Ok(()) => {}
            Err(data) => {
                if was_other {
                    self.count(guid.prefix, -1);
                }
                return Some(data);
            }
        }
        None
    }

    /// Forgets one that is kept in little room; false if it is not.
    pub(super) fn remove_other(&mut self, guid: Guid) -> bool {
        let removed =
            self.others.remove::<WriterData>(guid) || self.others.remove::<ReaderData>(guid);
        if removed {
            self.note(guid);
            self.forget_type(guid);
            self.count(guid.prefix, -1);
        }
        removed
    }

    /// How many endpoints each participant has of topics that nobody here has.
    pub(in crate::discovery) fn others_of_each(&self) -> BTreeMap<GuidPrefix, usize> {
        self.others.of_each().collect()
    }

    /// Lets so many of them go; says which.
    pub(in crate::discovery) fn let_go(&mut self, prefix: GuidPrefix, most: usize) -> Vec<Guid> {
        let mut all = self.others.of(prefix);
        all.truncate(most);
        for guid in &all {
            self.remove_other(*guid);
        }
        all
    }

    /// Somebody here is about to have the topic.
    fn expand(&mut self, topic: &str) {
        let all: Vec<Guid> = self.others.of_topic(topic).collect();
        for guid in all {
            self.expand_as::<WriterData>(guid);
            self.expand_as::<ReaderData>(guid);
        }
    }

    fn expand_as<D: Kept>(&mut self, guid: Guid) {
        let Some(data) = self.others.get::<D>(guid) else {
            return;
        };
        self.others.remove::<D>(guid);
        let topic = self.topic_of(data.topic());
        match D::IS_WRITER {
            true => topic.writers.insert(guid),
            false => topic.readers.insert(guid),
        };
        D::all(self).insert(guid, data);
    }

    /// Somebody here may have had the topic, and perhaps nobody has it any more.
    pub(super) fn compact(&mut self, topic: &str) {
        if self.has_own(topic) {
            return;
        }
        let writers: Vec<Guid> = self.of_topic(topic, true).collect();
        let readers: Vec<Guid> = self.of_topic(topic, false).collect();
        for guid in writers {
            self.compact_as::<WriterData>(guid, topic);
        }
        for guid in readers {
            self.compact_as::<ReaderData>(guid, topic);
        }
    }

    fn compact_as<D: Kept>(&mut self, guid: Guid, topic: &str) {
        let Some(data) = D::all(self).remove(&guid) else {
            return;
        };
        match self.others.put(data) {
            Ok(()) => self.leave_topic(topic, guid),
            Err(data) => {
                D::all(self).insert(guid, data);
            }
        }
    }

    fn leave_topic(&mut self, topic: &str, guid: Guid) {
        self.leave(topic, |topic| match guid.entity.is_writer() {
            true => topic.writers.remove(&guid),
            false => topic.readers.remove(&guid),
        });
    }
}
