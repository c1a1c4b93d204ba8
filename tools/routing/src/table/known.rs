//! What discovery knows of one connection.
use super::{Side, Via};
use dunlin::observe::{ReaderData, WriterData};
use dunlin::{EntityKind, Guid, GuidPrefix, Properties};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The endpoints of others, by topic.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The participant is there.
    pub(super) is_up: bool,
    writers: HashMap<String, BTreeMap<Guid, Box<WriterData>>>,
    readers: HashMap<String, BTreeMap<Guid, Box<ReaderData>>>,
    topics: HashMap<Guid, String>,
    /// Participants of other services.
    services: BTreeSet<GuidPrefix>,
}

impl Known {
    /// Takes in a writer; returns the topic that it had before, if it was another.
    pub(super) fn add_writer(&mut self, data: Box<WriterData>) -> Option<String> {
        let (guid, topic) = (data.guid, data.topic.clone());
        let before = self.move_to(guid, &topic);
        self.writers.entry(topic).or_default().insert(guid, data);
        before
    }

    /// As `add_writer`, a reader.
    pub(super) fn add_reader(&mut self, data: Box<ReaderData>) -> Option<String> {
        let (guid, topic) = (data.guid, data.topic.clone());
        let before = self.move_to(guid, &topic);
        self.readers.entry(topic).or_default().insert(guid, data);
        before
    }

    /// Takes in a participant that is another service's, or is not, or is gone; true if that
    /// changes whether there is one.
    pub(super) fn note_service(&mut self, participant: GuidPrefix, is_there: bool) -> bool {
        let before = self.has_services();
        match is_there {
            true => self.services.insert(participant),
            false => self.services.remove(&participant),
        };
        before != self.has_services()
    }

    /// Is there another service?
    pub(super) fn has_services(&self) -> bool {
        !self.services.is_empty()
    }

    fn move_to(&mut self, guid: Guid, topic: &str) -> Option<String> {
        let moves = self.topics.get(&guid).is_some_and(|known| known != topic);
        let before = moves.then(|| self.remove(&guid)).flatten();
        self.topics.insert(guid, topic.to_owned());
        before
    }

    /// Forgets an endpoint; returns its topic, if it was known.
    pub(super) fn remove(&mut self, guid: &Guid) -> Option<String> {
        let topic = self.topics.remove(guid)?;
        forget(&mut self.writers, &topic, guid);
        forget(&mut self.readers, &topic, guid);
        Some(topic)
    }

    /// The topics and types of all endpoints, for the side of a route that they concern, whose ways
    /// pass.
    pub(super) fn names(&self, passes: impl Fn(&Via) -> bool) -> Vec<(Side, String, String)> {
        let passes = |properties: &Properties| passes(&Via::of(properties));
        let writers = self.writers.values().flat_map(|all| all.values());
        let writers = writers.filter(|writer| passes(&writer.qos.property));
        let writers = writers.map(|w| (Side::Input, w.topic.clone(), w.type_name.clone()));
        let readers = self.readers.values().flat_map(|all| all.values());
        let readers = readers.filter(|reader| passes(&reader.qos.property));
        let readers = readers.map(|r| (Side::Output, r.topic.clone(), r.type_name.clone()));
        let mut all: Vec<_> = writers.chain(readers).collect();
        all.sort();
        all.dedup();
        all
    }

    /// The writers of a topic, by GUID.
    pub(super) fn writers(&self, topic: &str) -> impl Iterator<Item = &WriterData> {
        let all = self.writers.get(topic).into_iter();
        all.flat_map(|all| all.values().map(|data| &**data))
    }

    /// The readers of a topic, by GUID.
    pub(super) fn readers(&self, topic: &str) -> impl Iterator<Item = &ReaderData> {
        let all = self.readers.get(topic).into_iter();
        all.flat_map(|all| all.values().map(|data| &**data))
    }
}

/// Topics without endpoints are not kept.
fn forget<D>(all: &mut HashMap<String, BTreeMap<Guid, Box<D>>>, topic: &str, guid: &Guid) {
    if let Some(of_topic) = all.get_mut(topic) {
        of_topic.remove(guid);
        if of_topic.is_empty() {
            all.remove(topic);
        }
    }
}

/// Whether the topic of an endpoint has a key, if its id tells.
pub(super) fn is_keyed(endpoint: &Guid) -> Option<bool> {
    match endpoint.entity.kind() {
        EntityKind::WriterWithKey | EntityKind::ReaderWithKey => Some(true),
        EntityKind::WriterNoKey | EntityKind::ReaderNoKey => Some(false),
        _ => None,
    }
}
