//! Endpoints of topics that nobody here has: what is needed to find them again, in little room.
//!
//! The endpoints of a domain differ in their names and topics, and most of what else they say many
//! say alike. That is kept once, as it goes over the wire. One that cannot be made again from what
//! goes over the wire is not kept here.
use super::interned::Interned;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use bytes::Bytes;
use core::mem;
use dunlin_wire::{EntityId, Error, Guid, GuidPrefix, Locator, ReaderData, WriterData};

/// A locator before all others.
const FIRST: Locator = Locator {
    kind: i32::MIN,
    port: 0,
    address: [0; 16],
};

/// What a writer or a reader says of itself.
pub(in crate::discovery) trait Description: Clone + PartialEq {
    const IS_WRITER: bool;
    fn guid(&self) -> Guid;
    fn topic(&self) -> &str;
    fn unicast(&self) -> &[Locator];
    /// Puts others in place of its name, its participant's and its topic's.
    fn rename(&mut self, guid: Guid, topic: String) -> String;
    fn encode(&self) -> Result<Bytes, Error>;
    fn parse(payload: &[u8]) -> Result<Self, Error>;
}

macro_rules! description {
    ($data:ty, $is_writer:expr) => {
        impl Description for $data {
            const IS_WRITER: bool = $is_writer;

            fn guid(&self) -> Guid {
                self.guid
            }

            fn topic(&self) -> &str {
                &self.topic
            }

            fn unicast(&self) -> &[Locator] {
                &self.unicast
            }

            fn rename(&mut self, guid: Guid, topic: String) -> String {
                self.guid = guid;
                self.participant = Guid::new(guid.prefix, EntityId::PARTICIPANT);
                mem::replace(&mut self.topic, topic)
            }

            fn encode(&self) -> Result<Bytes, Error> {
                <$data>::encode(self)
            }

            fn parse(payload: &[u8]) -> Result<Self, Error> {
                <$data>::parse(payload)
            }
        }
    };
}

description!(WriterData, true);
description!(ReaderData, false);

/// Where an endpoint's topic and description are.
#[derive(Clone, Copy)]
struct Entry {
    entity: EntityId,
    topic: u32,
    description: u32,
}

#[derive(Default)]
pub(super) struct CompactEndpoints {
    /// Of each participant those that it has, ascending.
    endpoints: BTreeMap<GuidPrefix, Vec<Entry>>,
    count: usize,
    by_topic: BTreeSet<(u32, Guid)>,
    topics: Interned<str>,
    /// What endpoints say beside their names and topics.
    descriptions: Interned<[u8]>,
    /// Where endpoints listen that do not listen where their participants do, and how many do.
    places: BTreeMap<(GuidPrefix, Locator), u32>,
}

impl CompactEndpoints {
    /// Keeps an endpoint that is not there; gives it back if it cannot be kept here.
    pub(super) fn put<D: Description>(&mut self, mut data: D) -> Result<(), D> {
        let guid = data.guid();
        let topic = data.rename(Guid::UNKNOWN, String::new());
        let kept = data.encode().ok();
        let kept = kept.filter(|bytes| D::parse(bytes).as_ref() == Ok(&data));
        let kept = kept.and_then(|bytes| self.descriptions.add(&bytes));
        let Some(description) = kept else {
            data.rename(guid, topic);
            return Err(data);
        };
        let Some(at) = self.topics.add(&topic) else {
            self.descriptions.remove(description);
            data.rename(guid, topic);
            return Err(data);
        };
        for place in data.unicast() {
            let uses = self.places.entry((guid.prefix, *place)).or_default();
            *uses = uses.saturating_add(1);
        }
        self.by_topic.insert((at, guid));
        let entry = Entry {
            entity: guid.entity,
            topic: at,
            description,
        };
        let all = self.endpoints.entry(guid.prefix).or_default();
        let at = all.partition_point(|known| known.entity < guid.entity);
        all.insert(at, entry);
        self.count = self.count.saturating_add(1);
        Ok(())
    }

    /// Forgets an endpoint; false if it is not here.
    pub(super) fn remove<D: Description>(&mut self, guid: Guid) -> bool {
        if guid.entity.is_writer() != D::IS_WRITER {
            return false;
        }
        let Some(entry) = self.take(guid) else {
            return false;
        };
        if self.places_of(guid.prefix).next().is_some()
            && let Some(data) = self.description::<D>(&entry)
        {
            for place in data.unicast() {
                self.leave((guid.prefix, *place));
            }
        }
        self.by_topic.remove(&(entry.topic, guid));
        self.topics.remove(entry.topic);
        self.descriptions.remove(entry.description);
        true
    }

    fn take(&mut self, guid: Guid) -> Option<Entry> {
        let all = self.endpoints.get_mut(&guid.prefix)?;
        let at = all.binary_search_by_key(&guid.entity, |entry| entry.entity);
        let entry = all.remove(at.ok()?);
        if all.is_empty() {
            self.endpoints.remove(&guid.prefix);
        }
        self.count = self.count.saturating_sub(1);
        Some(entry)
    }

    fn entry(&self, guid: Guid) -> Option<&Entry> {
        let all = self.endpoints.get(&guid.prefix)?;
        let at = all.binary_search_by_key(&guid.entity, |entry| entry.entity);
        all.get(at.ok()?)
    }

    fn leave(&mut self, place: (GuidPrefix, Locator)) {
        if let Some(uses) = self.places.get_mut(&place) {
            *uses = uses.saturating_sub(1);
            if *uses == 0 {
                self.places.remove(&place);
            }
        }
    }

    fn description<D: Description>(&self, entry: &Entry) -> Option<D> {
        D::parse(self.descriptions.get(entry.description)?).ok()
    }

    /// What an endpoint says of itself.
    pub(super) fn get<D: Description>(&self, guid: Guid) -> Option<D> {
        let is_one = guid.entity.is_writer() == D::IS_WRITER;
        let entry = self.entry(guid).filter(|_| is_one)?;
        let mut data: D = self.description(entry)?;
        data.rename(guid, self.topics.get(entry.topic)?.into());
        Some(data)
    }

    /// All writers, or all readers.
    pub(super) fn all<D: Description>(&self) -> impl Iterator<Item = D> {
        self.guids().filter_map(|guid| self.get(guid))
    }

    pub(super) fn contains(&self, guid: Guid) -> bool {
        self.entry(guid).is_some()
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn guids(&self) -> impl Iterator<Item = Guid> {
        let homes = self.endpoints.iter();
        homes.flat_map(|(prefix, all)| all.iter().map(|entry| Guid::new(*prefix, entry.entity)))
    }

    /// The endpoints of a participant.
    pub(super) fn of(&self, prefix: GuidPrefix) -> Vec<Guid> {
        let all = self.endpoints.get(&prefix).into_iter().flatten();
        all.map(|entry| Guid::new(prefix, entry.entity)).collect()
    }

    /// How many endpoints each participant has.
    pub(super) fn of_each(&self) -> impl Iterator<Item = (GuidPrefix, usize)> {
        let homes = self.endpoints.iter();
        homes.map(|(prefix, all)| (*prefix, all.len()))
    }

    /// The endpoints of a topic.
    pub(super) fn of_topic(&self, name: &str) -> impl Iterator<Item = Guid> {
        let topic = self.topics.find(name);
        topic.into_iter().flat_map(|topic| {
            let all = (topic, Guid::UNKNOWN)..=(topic, super::LAST);
            self.by_topic.range(all).map(|(_, guid)| *guid)
        })
    }

    /// Each topic, and its endpoints.
    pub(super) fn topics(&self) -> impl Iterator<Item = (&str, Guid)> {
        let all = self.by_topic.iter();
        all.filter_map(|(topic, guid)| Some((self.topics.get(*topic)?, *guid)))
    }

    /// Where the endpoints of a participant listen that do not listen where the participant does.
    pub(super) fn places_of(&self, prefix: GuidPrefix) -> impl Iterator<Item = &Locator> {
        let places = self.places.range((prefix, FIRST)..);
        let places = places.take_while(move |((of, _), _)| *of == prefix);
        places.map(|((_, place), _)| place)
    }
}
