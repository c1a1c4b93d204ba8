//! Every endpoint that is known, and which of them suit each other.
mod compact;
mod interned;
mod lookup;
mod type_states;

use super::types::KnownTypes;
use super::verdict::{Verdict, WriterPredicate, compare};
use super::{Event, LossReason, UnmatchReason};
use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use compact::CompactEndpoints;
use core::ops::RangeInclusive;
use dunlin_wire::{EntityId, Guid, GuidPrefix, Locator, ReaderData, WriterData};

/// Ordered maps throughout: the events come in the same order in each run with the same input.
pub(super) struct Catalog {
    own: GuidPrefix,
    homes: BTreeMap<GuidPrefix, DefaultLocators>,
    /// Our own endpoints, and those of others that have a topic of one of ours.
    writers: BTreeMap<Guid, WriterData>,
    readers: BTreeMap<Guid, ReaderData>,
    topics: BTreeMap<String, Topic>,
    /// All others.
    others: CompactEndpoints,
    pairs: BTreeMap<(Guid, Guid), Verdict>,
    /// What is known of the types of endpoints, where identifiers do not suffice.
    types: KnownTypes,
    /// Endpoints whose types a verdict waits for and nobody has asked for yet.
    wanted: BTreeSet<Guid>,
    /// Endpoints whose types nobody needs any more.
    unwanted: BTreeSet<Guid>,
    /// The endpoints of others that came, changed or went since somebody asked last, if somebody
    /// does.
    news: Option<BTreeSet<Guid>>,
    /// Which writers local readers accept, of those that do not accept all.
    accepted: BTreeMap<Guid, WriterPredicate>,
    /// What the application does not want to hear of: endpoints, and topics of others.
    ignored: BTreeSet<Guid>,
    ignored_topics: BTreeSet<String>,
}

/// Where a participant's endpoints are reached unless they say otherwise.
#[derive(Debug, Default, PartialEq, Eq)]
struct DefaultLocators {
    unicast: Vec<Locator>,
    multicast: Vec<Locator>,
    endpoints: usize,
}

#[derive(Debug, Default)]
pub(super) struct Topic {
    pub(super) writers: BTreeSet<Guid>,
    pub(super) readers: BTreeSet<Guid>,
}

/// What an endpoint says as before.
#[derive(Clone, Copy)]
struct Same {
    all: bool,
    topic: bool,
    ty: bool,
}

/// Which side of a pair the latest news is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Writer,
    Reader,
}

impl Catalog {
    /// `own` is the local participant's prefix; endpoints with another one are only compared with
    /// local ones.
    pub(super) fn new(own: GuidPrefix, unicast: &[Locator], multicast: &[Locator]) -> Self {
        let mut catalog = Self {
            own,
            homes: BTreeMap::new(),
            writers: BTreeMap::new(),
            readers: BTreeMap::new(),
            topics: BTreeMap::new(),
            others: CompactEndpoints::default(),
            pairs: BTreeMap::new(),
            types: KnownTypes::default(),
            wanted: BTreeSet::new(),
            unwanted: BTreeSet::new(),
            news: None,
            accepted: BTreeMap::new(),
            ignored: BTreeSet::new(),
            ignored_topics: BTreeSet::new(),
        };
        catalog.put_home(own, unicast, multicast, &mut Vec::new());
        catalog
    }

    /// Adds a participant or changes its default locators.
    pub(super) fn put_home(
        &mut self,
        prefix: GuidPrefix,
        unicast: &[Locator],
        multicast: &[Locator],
        events: &mut Vec<Event>,
    ) {
        let home = self.homes.entry(prefix).or_default();
        if home.unicast == unicast && home.multicast == multicast {
            return;
        }
        home.unicast = unicast.to_vec();
        home.multicast = multicast.to_vec();
        for guid in members(&self.writers, prefix) {
            let own = self.writers.get(&guid).map(|w| (&w.unicast, &w.multicast));
            if own.is_some_and(|(u, m)| u.is_empty() || m.is_empty()) {
                self.judge_writer(guid, events);
            }
        }
        for guid in members(&self.readers, prefix) {
            let own = self.readers.get(&guid).map(|r| (&r.unicast, &r.multicast));
            if own.is_some_and(|(u, m)| u.is_empty() || m.is_empty()) {
                self.judge_reader(guid, events);
            }
        }
    }

    /// Reports all matched endpoints of a participant, or of all, as changed.
    pub(super) fn relocate(&self, whose: Option<GuidPrefix>, events: &mut Vec<Event>) {
        let is_one = |prefix| whose.is_none_or(|whose| whose == prefix);
        let matched = self
            .pairs
            .iter()
            .filter(|(_, verdict)| **verdict == Verdict::Matched);
        for ((writer, reader), _) in matched {
            if is_one(reader.prefix) {
                self.changed(*writer, *reader, Side::Reader, events);
            }
            if is_one(writer.prefix) {
                self.changed(*writer, *reader, Side::Writer, events);
            }
        }
    }

    /// Forgets a participant and its endpoints.
    pub(super) fn remove_home(
        &mut self,
        prefix: GuidPrefix,
        reason: LossReason,
        events: &mut Vec<Event>,
    ) {
        let reason = UnmatchReason::ParticipantLost(reason);
        for guid in members(&self.writers, prefix) {
            self.remove_writer(guid, reason, events);
        }
        for guid in members(&self.readers, prefix) {
            self.remove_reader(guid, reason, events);
        }
        for guid in self.others.of(prefix) {
            self.remove_other(guid);
        }
        self.homes.remove(&prefix);
    }

    /// Adds or replaces a writer; one of an unknown participant is ignored.
    pub(super) fn put_writer(&mut self, writer: WriterData, events: &mut Vec<Event>) {
        let guid = writer.guid;
        let same = self.writer(guid).as_deref().map(|known| Same {
            all: *known == writer,
            topic: known.topic == writer.topic,
            ty: known.type_information == writer.type_information,
        });
        match same {
            Some(Same { all: true, .. }) => return,
            Some(Same { topic: false, .. }) => {
                self.remove_writer(guid, UnmatchReason::Deleted, events);
            }
            Some(Same { ty: false, .. }) => self.forget_type(guid),
            _ => {}
        }
        if !self.homes.contains_key(&guid.prefix) || self.ignores(guid, &writer.topic) {
            return;
        }
        self.note(guid);
        let Some(writer) = self.put_other(writer) else {
            return;
        };
        self.topic_of(&writer.topic).writers.insert(guid);
        if self.writers.insert(guid, writer).is_none() {
            self.count(guid.prefix, 1);
        }
        self.judge_writer(guid, events);
    }

    /// Adds or replaces a reader; one of an unknown participant is ignored.
    pub(super) fn put_reader(&mut self, reader: ReaderData, events: &mut Vec<Event>) {
        let guid = reader.guid;
        let same = self.reader(guid).as_deref().map(|known| Same {
            all: *known == reader,
            topic: known.topic == reader.topic,
            ty: known.type_information == reader.type_information,
        });
        match same {
            Some(Same { all: true, .. }) => return,
            Some(Same { topic: false, .. }) => {
                self.remove_reader(guid, UnmatchReason::Deleted, events);
            }
            Some(Same { ty: false, .. }) => self.forget_type(guid),
            _ => {}
        }
        if !self.homes.contains_key(&guid.prefix) || self.ignores(guid, &reader.topic) {
            return;
        }
        self.note(guid);
        let Some(reader) = self.put_other(reader) else {
            return;
        };
        self.topic_of(&reader.topic).readers.insert(guid);
        if self.readers.insert(guid, reader).is_none() {
            self.count(guid.prefix, 1);
        }
        self.judge_reader(guid, events);
    }

    /// A local reader that is going to be added accepts these writers only.
    pub(super) fn accept_only(&mut self, reader: Guid, writers: WriterPredicate) {
        self.accepted.insert(reader, writers);
    }

    /// Forgets a writer; false if there is none of that name.
    pub(super) fn remove_writer(
        &mut self,
        guid: Guid,
        reason: UnmatchReason,
        events: &mut Vec<Event>,
    ) -> bool {
        let Some(writer) = self.writers.remove(&guid) else {
            return guid.entity.is_writer() && self.remove_other(guid);
        };
        self.note(guid);
        for reader in self.readers_for(guid, &writer.topic) {
            if self.pairs.remove(&(guid, reader)) == Some(Verdict::Matched) {
                self.unmatched(guid, reader, reason, events);
            }
        }
        self.leave(&writer.topic, |topic| topic.writers.remove(&guid));
        self.forget_type(guid);
        self.count(guid.prefix, -1);
        if guid.prefix == self.own {
            self.compact(&writer.topic);
        }
        true
    }

    /// Forgets a reader; false if there is none of that name.
    pub(super) fn remove_reader(
        &mut self,
        guid: Guid,
        reason: UnmatchReason,
        events: &mut Vec<Event>,
    ) -> bool {
        let Some(reader) = self.readers.remove(&guid) else {
            return !guid.entity.is_writer() && self.remove_other(guid);
        };
        self.accepted.remove(&guid);
        self.note(guid);
        for writer in self.writers_for(guid, &reader.topic) {
            if self.pairs.remove(&(writer, guid)) == Some(Verdict::Matched) {
                self.unmatched(writer, guid, reason, events);
            }
        }
        self.leave(&reader.topic, |topic| topic.readers.remove(&guid));
        self.forget_type(guid);
        self.count(guid.prefix, -1);
        if guid.prefix == self.own {
            self.compact(&reader.topic);
        }
        true
    }

    pub(super) fn verdict(&self, writer: Guid, reader: Guid) -> Option<&Verdict> {
        self.pairs.get(&(writer, reader))
    }

    /// How many endpoints a participant has.
    pub(super) fn endpoints_of(&self, prefix: GuidPrefix) -> usize {
        self.homes.get(&prefix).map_or(0, |home| home.endpoints)
    }

    /// How many endpoints there are, local ones included.
    pub(super) fn len(&self) -> usize {
        self.writers.len() + self.readers.len() + self.others.len()
    }

    /// True if an endpoint of a participant is matched with a local one.
    pub(super) fn is_matched_with(&self, prefix: GuidPrefix) -> bool {
        let all = entities(prefix);
        let of_writers = (*all.start(), Guid::UNKNOWN)..=(*all.end(), LAST);
        let matched = |verdict: &Verdict| *verdict == Verdict::Matched;
        let mut readers = self.readers.range(all);
        self.pairs.range(of_writers).any(|(_, v)| matched(v))
            || readers.any(|(guid, reader)| {
                let mut writers = self.writers_for(*guid, &reader.topic).into_iter();
                writers.any(|writer| self.verdict(writer, *guid).is_some_and(matched))
            })
    }

    /// The local readers that are matched with a writer.
    pub(super) fn local_readers_matched_with(&self, writer: Guid) -> impl Iterator<Item = Guid> {
        let pairs = (writer, Guid::UNKNOWN)..=(writer, LAST);
        self.pairs
            .range(pairs)
            .filter(|((_, reader), verdict)| {
                reader.prefix == self.own && **verdict == Verdict::Matched
            })
            .map(|((_, reader), _)| *reader)
    }

    /// From now on it is remembered which endpoints of others come, change or go; all that are
    /// there have come. Or not any more.
    pub(super) fn watch(&mut self, on: bool) {
        let here = self.writers.keys().chain(self.readers.keys()).copied();
        let others = here.filter(|guid| guid.prefix != self.own);
        let others = others.chain(self.others.guids());
        self.news = on.then(|| others.collect());
    }

    /// Those that came, changed or went since this was asked last.
    pub(super) fn take_news(&mut self) -> BTreeSet<Guid> {
        let news = self.news.as_mut();
        news.map(core::mem::take).unwrap_or_default()
    }

    /// An endpoint of somebody else is forgotten, and not taken in again.
    pub(super) fn ignore(&mut self, guid: Guid, events: &mut Vec<Event>) {
        if guid.prefix == self.own {
            return;
        }
        self.ignored.insert(guid);
        self.remove_writer(guid, UnmatchReason::Ignored, events);
        self.remove_reader(guid, UnmatchReason::Ignored, events);
    }

    /// The same with all endpoints that others have of a topic.
    pub(super) fn ignore_topic(&mut self, name: &str, events: &mut Vec<Event>) {
        self.ignored_topics.insert(name.to_owned());
        let topic = self.topics.get(name);
        let endpoints = topic.into_iter().flat_map(|t| t.writers.union(&t.readers));
        let others = endpoints.filter(|guid| guid.prefix != self.own).copied();
        let others: Vec<Guid> = others.chain(self.others.of_topic(name)).collect();
        for guid in others {
            self.remove_writer(guid, UnmatchReason::Ignored, events);
            self.remove_reader(guid, UnmatchReason::Ignored, events);
        }
    }

    /// True if one of somebody else is ignored, by its name or by the topic of a local one.
    pub(super) fn ignores_endpoint(&self, local: Guid, guid: Guid) -> bool {
        self.ignores(guid, &self.topic_name(local))
    }

    fn ignores(&self, guid: Guid, topic: &str) -> bool {
        guid.prefix != self.own
            && (self.ignored.contains(&guid) || self.ignored_topics.contains(topic))
    }

    fn note(&mut self, guid: Guid) {
        if let Some(news) = self.news.as_mut().filter(|_| guid.prefix != self.own) {
            news.insert(guid);
        }
    }

    fn topic_of(&mut self, name: &str) -> &mut Topic {
        if !self.topics.contains_key(name) {
            self.topics.insert(name.to_owned(), Topic::default());
        }
        self.topics.entry(name.to_owned()).or_default()
    }

    fn leave(&mut self, name: &str, remove: impl FnOnce(&mut Topic) -> bool) {
        if let Some(topic) = self.topics.get_mut(name) {
            remove(topic);
            if topic.writers.is_empty() && topic.readers.is_empty() {
                self.topics.remove(name);
            }
        }
    }

    fn count(&mut self, prefix: GuidPrefix, change: isize) {
        if let Some(home) = self.homes.get_mut(&prefix) {
            home.endpoints = home.endpoints.saturating_add_signed(change);
        }
    }

    fn writers_for(&self, reader: Guid, topic: &str) -> Vec<Guid> {
        let topic = self.topics.get(topic);
        topic.map_or_else(Vec::new, |t| self.partners(reader, &t.writers))
    }

    fn readers_for(&self, writer: Guid, topic: &str) -> Vec<Guid> {
        let topic = self.topics.get(topic);
        topic.map_or_else(Vec::new, |t| self.partners(writer, &t.readers))
    }

    /// Those of `others` with which `endpoint` can be paired: two remote endpoints never are, and
    /// there may be many.
    fn partners(&self, endpoint: Guid, others: &BTreeSet<Guid>) -> Vec<Guid> {
        if endpoint.prefix == self.own {
            others.iter().copied().collect()
        } else {
            others.range(entities(self.own)).copied().collect()
        }
    }

    fn judge_writer(&mut self, writer: Guid, events: &mut Vec<Event>) {
        let Some(description) = self.writers.get(&writer) else {
            return;
        };
        for reader in self.readers_for(writer, &description.topic) {
            self.judge(writer, reader, Some(Side::Writer), events);
        }
    }

    fn judge_reader(&mut self, reader: Guid, events: &mut Vec<Event>) {
        let Some(description) = self.readers.get(&reader) else {
            return;
        };
        for writer in self.writers_for(reader, &description.topic) {
            self.judge(writer, reader, Some(Side::Reader), events);
        }
    }

    /// Compares the two, of which `news` is new or has changed, and reports what is different from
    /// before. Without `news` it is only known better what they are.
    fn judge(&mut self, writer: Guid, reader: Guid, news: Option<Side>, events: &mut Vec<Event>) {
        let (Some(w), Some(r)) = (self.writers.get(&writer), self.readers.get(&reader)) else {
            return;
        };
        let accepted = self.accepted.get(&reader);
        let verdict = match accepted.is_none_or(|writers| writers.accepts(w)) {
            true => compare(w, r, &self.types),
            false => Verdict::Declined,
        };
        if verdict == Verdict::Pending {
            let unknown = [writer, reader].into_iter();
            let unknown = unknown.filter(|endpoint| self.types.state(*endpoint).is_none());
            self.wanted.extend(unknown);
        }
        let before = self.pairs.insert((writer, reader), verdict.clone());
        let was_matched = before == Some(Verdict::Matched);
        match verdict {
            Verdict::Matched if was_matched => {
                if let Some(news) = news {
                    self.changed(writer, reader, news, events);
                }
            }
            Verdict::Matched => self.matched(writer, reader, events),
            verdict => {
                if was_matched {
                    self.unmatched(writer, reader, UnmatchReason::Changed, events);
                }
                // That their types differ is said once, however much better it is known later.
                let is_old = news.is_none() && matches!(before, Some(Verdict::Type(_)));
                if before.as_ref() != Some(&verdict) && !is_old {
                    self.refused(writer, reader, &verdict, events);
                }
            }
        }
    }

    fn matched(&self, writer: Guid, reader: Guid, events: &mut Vec<Event>) {
        if writer.prefix == self.own
            && let Some(reader) = self.resolved_reader(reader)
        {
            events.push(Event::ReaderMatched { writer, reader });
        }
        if reader.prefix == self.own
            && let Some(writer) = self.resolved_writer(writer)
        {
            events.push(Event::WriterMatched { reader, writer });
        }
    }

    fn changed(&self, writer: Guid, reader: Guid, news: Side, events: &mut Vec<Event>) {
        if news == Side::Reader
            && writer.prefix == self.own
            && let Some(reader) = self.resolved_reader(reader)
        {
            events.push(Event::ReaderChanged { writer, reader });
        }
        if news == Side::Writer
            && reader.prefix == self.own
            && let Some(writer) = self.resolved_writer(writer)
        {
            events.push(Event::WriterChanged { reader, writer });
        }
    }

    fn unmatched(
        &self,
        writer: Guid,
        reader: Guid,
        reason: UnmatchReason,
        events: &mut Vec<Event>,
    ) {
        if writer.prefix == self.own {
            events.push(Event::ReaderUnmatched {
                writer,
                reader,
                reason,
            });
        }
        if reader.prefix == self.own {
            events.push(Event::WriterUnmatched {
                reader,
                writer,
                reason,
            });
        }
    }

    fn refused(&self, writer: Guid, reader: Guid, verdict: &Verdict, events: &mut Vec<Event>) {
        for (local, remote) in [(writer, reader), (reader, writer)] {
            if local.prefix != self.own {
                continue;
            }
            match verdict {
                Verdict::Matched | Verdict::Partition | Verdict::Pending | Verdict::Declined => {}
                Verdict::Qos(mismatches) => events.push(Event::IncompatibleQos {
                    local,
                    remote,
                    mismatches: mismatches.clone(),
                }),
                Verdict::Type(difference) => events.push(Event::InconsistentTopic {
                    local,
                    remote,
                    topic: self.topic_name(local),
                    difference: difference.clone(),
                }),
            }
        }
    }

    fn topic_name(&self, endpoint: Guid) -> String {
        let writer = self.writers.get(&endpoint).map(|w| &w.topic);
        let reader = self.readers.get(&endpoint).map(|r| &r.topic);
        writer.or(reader).cloned().unwrap_or_default()
    }

    fn resolved_writer(&self, guid: Guid) -> Option<Box<WriterData>> {
        let mut writer = Box::new(self.writers.get(&guid)?.clone());
        let home = self.homes.get(&guid.prefix)?;
        home.complete(&mut writer.unicast, &mut writer.multicast);
        Some(writer)
    }

    fn resolved_reader(&self, guid: Guid) -> Option<Box<ReaderData>> {
        let mut reader = Box::new(self.readers.get(&guid)?.clone());
        let home = self.homes.get(&guid.prefix)?;
        home.complete(&mut reader.unicast, &mut reader.multicast);
        Some(reader)
    }
}

impl DefaultLocators {
    /// Fills in the default locators where the endpoint has none (RTPS 2.5 8.5.4.4).
    fn complete(&self, unicast: &mut Vec<Locator>, multicast: &mut Vec<Locator>) {
        if unicast.is_empty() {
            unicast.clone_from(&self.unicast);
        }
        if multicast.is_empty() {
            multicast.clone_from(&self.multicast);
        }
    }
}

/// A GUID behind all others.
const LAST: Guid = Guid::new(GuidPrefix([0xff; 12]), EntityId([0xff; 4]));

fn members<T>(endpoints: &BTreeMap<Guid, T>, prefix: GuidPrefix) -> Vec<Guid> {
    endpoints
        .range(entities(prefix))
        .map(|(guid, _)| *guid)
        .collect()
}

/// Every name that an endpoint of a participant can have.
pub(super) fn entities(prefix: GuidPrefix) -> RangeInclusive<Guid> {
    Guid::new(prefix, EntityId::UNKNOWN)..=Guid::new(prefix, LAST.entity)
}
