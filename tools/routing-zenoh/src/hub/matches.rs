//! Who of this site and of other sites finds each other.
use super::{Inner, News};
use crate::directory;
use crate::election::Election;
use crate::reader::{Reader, WriterChange};
use crate::writer::Writer;
use dunlin::observe::{DiscoveryEvent, EntityChange, ReaderData, WriterData};
use dunlin::{EntityId, Guid};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

impl Inner {
    /// Which writers of other sites came and went for readers; writers learn how many sites want
    /// them.
    pub(super) fn matches(
        &mut self,
        news: &News,
        readers: &[Arc<Reader>],
        writers: &[Arc<Writer>],
    ) -> Vec<(Arc<Reader>, WriterChange)> {
        let (carries, election) = (self.carries(), &self.election);
        // Services of one site hear each other in its domain.
        let own = election.iter().flat_map(Election::others);
        let own: BTreeSet<[u8; 12]> = own.map(|zid| directory::prefix(zid).0).collect();
        let counts = |guid: Guid| carries && !own.contains(&guid.prefix.0);
        for writer in writers {
            let change = news.topics.get(&writer.topic);
            if news.has_changed || change.is_some_and(|change| change.has_readers) {
                writer.set_sites(match carries {
                    true => self.directory.wanting(&writer.topic, &own),
                    false => 0,
                });
            }
        }
        let mut matches = Vec::new();
        for reader in readers {
            let topic = &reader.topic;
            let is_new = reader.is_new.swap(false, SeqCst);
            let change = if is_new || news.is_elected_anew {
                let all = self.directory.writers(topic);
                let all = all.filter(|writer| counts(writer.guid)).cloned();
                WriterChange::All(all.collect())
            } else if let Some(change) = news.topics.get(topic) {
                let of = |guid: &Guid| {
                    let data = self.directory.writer(topic, *guid);
                    (*guid, data.filter(|_| counts(*guid)).cloned())
                };
                WriterChange::Some(change.writers.iter().map(of).collect())
            } else {
                continue;
            };
            matches.push((Arc::clone(reader), change));
        }
        if news.has_changed || news.has_listeners || !news.topics.is_empty() {
            self.note_strangers(writers, carries);
        }
        matches
    }

    /// Programs that listen and are no sites want what they listen to.
    fn note_strangers(&mut self, writers: &[Arc<Writer>], carries: bool) {
        for writer in writers {
            let entity = writer.guid.entity;
            // Whoever of the sites listens says so itself.
            let is_listened_to = writer.is_listened_to.load(SeqCst);
            let has_strangers = carries && is_listened_to && writer.sites() == 0;
            writer.has_strangers.store(has_strangers, SeqCst);
            let known = self.strangers.get(&entity).copied();
            match (has_strangers, known) {
                (true, None) => {
                    let WriterData {
                        topic, type_name, ..
                    } = writer.data();
                    let prefix = directory::prefix("stranger");
                    let [a, b, c, kind] = entity.0;
                    // A reader with a key or without, as the writer.
                    let reader = EntityId([a, b, c, if kind & 1 == 0 { 0x07 } else { 0x04 }]);
                    let guid = Guid::new(prefix, reader);
                    self.strangers.insert(entity, guid);
                    let data = Box::new(ReaderData::new(guid, topic, type_name));
                    self.events
                        .push(DiscoveryEvent::Reader(EntityChange::Added(data)));
                }
                (false, Some(guid)) => {
                    self.strangers.remove(&entity);
                    self.events
                        .push(DiscoveryEvent::Reader(EntityChange::Gone(guid)));
                }
                _ => {}
            }
        }
    }
}
