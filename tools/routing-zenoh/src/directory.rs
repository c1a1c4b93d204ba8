//! Which sites there are and what they have.
//!
//! A site has one token, which names the hash of all its topics. When they change it tells all
//! others what is new. Where the hash is not that of what is known of the site, it is asked what
//! has changed. News get lost, and tokens are hints: they get lost, doubled and left over. A
//! site's beats name the hash as well, so that each site finds out when it is wrong. There is no
//! clock and no network here.
mod site;
#[cfg(test)]
mod tests;

use crate::keys::Direction;
use crate::listing::{Answer, Key, MOST_TOPIC, News, Question};
use crate::record::{self, Endpoint};
use bytes::Bytes;
use dunlin::observe::{DiscoveryEvent, EntityChange, WriterData};
use dunlin::{EntityId, Guid, GuidPrefix, VendorId};
use site::Site;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

/// Beats of a site among few come so often.
pub(crate) const BEAT: Duration = Duration::from_secs(10);
/// So many sites are few. Each hears the beats of all, so among more of them each beats more
/// rarely, and is believed to be there for longer.
const FEW: usize = 50;
/// The most times more rarely.
const MOST_RARELY: usize = 12;
/// Of all that is believed.
const MOST_SITES: usize = 10_000;
const MOST_TOPICS: usize = 100_000;
/// Sites that are asked at once. Where many join, what all ask of all is in the way of answers.
const MOST_ASKED: usize = 8;

/// By which the endpoints of a site are known.
pub(crate) fn prefix(zid: &str) -> GuidPrefix {
    let hash = record::digest(zid.as_bytes());
    let again = record::digest(&hash.to_le_bytes());
    let mut prefix = [0; 12];
    let vendor = VendorId::DUNLIN.0.into_iter();
    let rest = hash.to_le_bytes().into_iter().chain(again.to_le_bytes());
    for (place, octet) in prefix.iter_mut().zip(vendor.chain(rest)) {
        *place = octet;
    }
    GuidPrefix(prefix)
}

/// What has changed of a topic at other sites.
#[derive(Debug, Default)]
pub(crate) struct TopicChange {
    /// Writers that came, changed or went.
    pub(crate) writers: Vec<Guid>,
    /// Sites want it, or do not any more.
    pub(crate) has_readers: bool,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Directory {
    sites: BTreeMap<Arc<str>, Site>,
    by_prefix: HashMap<GuidPrefix, Arc<str>>,
    /// The sites that have endpoints of a topic.
    by_topic: HashMap<Key, BTreeSet<Arc<str>>>,
    /// When to look at a site again.
    schedule: BTreeSet<(Duration, Arc<str>)>,
    /// Sites that are asked just now, and those that will be.
    asked: BTreeSet<Arc<str>>,
    waiting: VecDeque<Arc<str>>,
    /// Records of all sites.
    records: usize,
    events: Vec<DiscoveryEvent>,
    changes: HashMap<String, TopicChange>,
    /// The numbers of the last changes of writers that have just been told of.
    lasts: HashMap<Guid, u64>,
}

impl Directory {
    /// How many times as long as among few sites it takes until a beat comes, or is missed.
    pub(crate) fn pace(&self) -> u32 {
        (self.sites.len() / FEW).clamp(1, MOST_RARELY) as u32
    }

    /// A token with this hash is there, or is not any more.
    pub(crate) fn token(&mut self, now: Duration, zid: &str, hash: u64, is_there: bool) {
        let Some(site) = self.site(now, zid, is_there) else {
            return;
        };
        match is_there {
            true => site.token(now, hash),
            false => site.no_token(now, hash),
        }
        self.settle(now, zid);
    }

    /// A site shows that it is there, and what the hash of its topics is.
    pub(crate) fn beat(&mut self, now: Duration, zid: &str, hash: u64) {
        if let Some(site) = self.site(now, zid, true) {
            site.beat(now, hash);
            self.settle(now, zid);
        }
    }

    /// A site answers what was asked of it.
    pub(crate) fn answer(&mut self, now: Duration, zid: &str, asked: &Question, answer: &Bytes) {
        let Some(answer) = Answer::parse(answer) else {
            return;
        };
        let Some((zid, site)) = self.sites.get_key_value(zid) else {
            return;
        };
        if !site.waits_for(asked) {
            return;
        }
        let last = answer.topics.last().map(|(key, _)| key.clone());
        if last.is_some() && last <= asked.after {
            return;
        }
        let zid = Arc::clone(zid);
        let (more, hash) = (last.filter(|_| answer.has_more), answer.hash);
        let is_cut = self.learn(&zid, asked.after.as_ref(), more.as_ref(), answer);
        if let Some(site) = self.sites.get_mut(&zid) {
            site.answered(now, more, hash, is_cut);
        }
        self.settle(now, &zid);
    }

    /// A site tells all others what it has now. Who has missed something asks.
    pub(crate) fn news(&mut self, now: Duration, zid: &str, news: &Bytes) {
        let Some(News { known, answer }) = News::parse(news) else {
            return;
        };
        let Some(site) = self.site(now, zid, true) else {
            return;
        };
        site.beat(now, answer.hash);
        let is_next = answer.is_whole || site.is_known_as(known);
        if is_next
            && !answer.has_more
            && let Some((zid, _)) = self.sites.get_key_value(zid)
        {
            let (zid, hash) = (Arc::clone(zid), answer.hash);
            let is_cut = self.learn(&zid, None, None, answer);
            if let Some(site) = self.sites.get_mut(&zid) {
                site.told(hash, is_cut);
            }
        }
        self.settle(now, zid);
    }

    /// What a site was asked ended without an answer. It is in nobody's way.
    pub(crate) fn refused(&mut self, now: Duration, zid: &str, asked: &Question) {
        let Some((zid, _)) = self.sites.get_key_value(zid) else {
            return;
        };
        let zid = Arc::clone(zid);
        let site = self.sites.get_mut(&zid);
        if site.is_some_and(|site| site.refused(now, asked)) {
            self.asked.remove(&zid);
            self.take_turns(now);
            self.reschedule(zid);
        }
    }

    /// Takes in what a site says of its topics behind one and up to another one; true if there is
    /// no room for all of it.
    fn learn(
        &mut self,
        zid: &Arc<str>,
        after: Option<&Key>,
        end: Option<&Key>,
        answer: Answer,
    ) -> bool {
        let prefix = prefix(zid);
        for (entity, last) in &answer.lasts {
            self.lasts
                .insert(Guid::new(prefix, EntityId(*entity)), *last);
        }
        if answer.is_whole
            && let Some(site) = self.sites.get(zid)
        {
            let told: HashSet<&Key> = answer.topics.iter().map(|(key, _)| key).collect();
            let known = site.between(after, end);
            for key in known.into_iter().filter(|key| !told.contains(key)) {
                self.set(zid, key, None);
            }
        }
        let mut is_cut = false;
        for (key, record) in answer.topics {
            is_cut |= !self.set(zid, key, record.as_deref());
        }
        is_cut
    }

    /// The record of a topic of a site is this one; false if there is no room for it.
    fn set(&mut self, zid: &Arc<str>, key: Key, record: Option<&[u8]>) -> bool {
        let Some(site) = self.sites.get_mut(zid) else {
            return false;
        };
        let is_known = site.records().contains_key(&key);
        let has_room = is_known || self.records < MOST_TOPICS;
        let new = match record {
            Some(_) if !has_room || key.1.len() > MOST_TOPIC => return false,
            Some(bytes) => {
                let (direction, topic) = &key;
                // What is not understood counts, but has no endpoints.
                let parsed = record::parse(bytes, *direction, topic, prefix(zid));
                Some((record::digest(bytes), parsed.unwrap_or_default()))
            }
            None => None,
        };
        let after = new.as_ref().map(|(_, endpoints)| endpoints.clone());
        let before = site.set(key.clone(), new).unwrap_or_default();
        let after = after.unwrap_or_default();
        self.records += usize::from(record.is_some());
        self.records -= usize::from(is_known);
        match (before.is_empty(), after.is_empty()) {
            (true, false) => {
                let all = self.by_topic.entry(key.clone()).or_default();
                all.insert(Arc::clone(zid));
            }
            (false, true) => self.forget_topic(zid, &key),
            _ => {}
        }
        self.note(&key, before, after);
        true
    }

    fn forget_topic(&mut self, zid: &Arc<str>, key: &Key) {
        if let Some(all) = self.by_topic.get_mut(key) {
            all.remove(zid);
            if all.is_empty() {
                self.by_topic.remove(key);
            }
        }
    }

    /// What changes if these take the place of those.
    fn note(&mut self, (direction, topic): &Key, before: Vec<Endpoint>, after: Vec<Endpoint>) {
        let there: HashSet<Guid> = after.iter().map(Endpoint::guid).collect();
        let known: HashMap<Guid, Endpoint> = before.into_iter().map(|e| (e.guid(), e)).collect();
        let mut changed = Vec::new();
        for (guid, endpoint) in &known {
            if !there.contains(guid) {
                changed.push(*guid);
                self.events.push(match endpoint {
                    Endpoint::Writer(_) => DiscoveryEvent::Writer(EntityChange::Gone(*guid)),
                    Endpoint::Reader(_) => DiscoveryEvent::Reader(EntityChange::Gone(*guid)),
                });
            }
        }
        for endpoint in after {
            let before = known.get(&endpoint.guid());
            if before == Some(&endpoint) {
                continue;
            }
            let is_new = before.is_none();
            changed.push(endpoint.guid());
            self.events.push(match endpoint {
                Endpoint::Writer(data) if is_new => {
                    DiscoveryEvent::Writer(EntityChange::Added(data))
                }
                Endpoint::Writer(data) => DiscoveryEvent::Writer(EntityChange::Changed(data)),
                Endpoint::Reader(data) if is_new => {
                    DiscoveryEvent::Reader(EntityChange::Added(data))
                }
                Endpoint::Reader(data) => DiscoveryEvent::Reader(EntityChange::Changed(data)),
            });
        }
        if changed.is_empty() {
            return;
        }
        let change = self.changes.entry(topic.clone()).or_default();
        match direction {
            Direction::Offer => change.writers.extend(changed),
            Direction::Want => change.has_readers = true,
        }
    }

    /// The site of this id; a new one if there is room and `is_new` allows it.
    fn site(&mut self, now: Duration, zid: &str, is_new: bool) -> Option<&mut Site> {
        if !self.sites.contains_key(zid) {
            if !is_new || self.sites.len() >= MOST_SITES {
                return None;
            }
            let own: Arc<str> = zid.into();
            self.by_prefix.insert(prefix(zid), Arc::clone(&own));
            let site = Site::new(now);
            self.schedule.insert((site.due, Arc::clone(&own)));
            self.sites.insert(own, site);
        }
        self.sites.get_mut(zid)
    }

    /// A site that says that it has nothing has nothing. When to look at it again may be another
    /// time now.
    fn settle(&mut self, now: Duration, zid: &str) {
        let Some((zid, site)) = self.sites.get_key_value(zid) else {
            return;
        };
        let zid = Arc::clone(zid);
        if site.has_ended() {
            for key in site.between(None, None) {
                self.set(&zid, key, None);
            }
        }
        if let Some(site) = self.sites.get_mut(&zid) {
            site.compare(now);
            if !site.asks() && self.asked.remove(&zid) {
                self.take_turns(now);
            }
        }
        self.reschedule(zid);
    }

    fn reschedule(&mut self, zid: Arc<str>) {
        let pace = self.pace();
        if let Some(site) = self.sites.get_mut(&zid) {
            let due = site.next(pace);
            let before = std::mem::replace(&mut site.due, due);
            if before != due {
                let old = (before, Arc::clone(&zid));
                self.schedule.remove(&old);
                self.schedule.insert((due, zid));
            }
        }
    }

    /// As many of those that wait as may are asked next.
    fn take_turns(&mut self, now: Duration) {
        let mut room = MOST_ASKED.saturating_sub(self.asked.len());
        while room > 0
            && let Some(zid) = self.waiting.pop_front()
        {
            // It may have told meanwhile.
            let site = self.sites.get_mut(&zid);
            if site.is_some_and(|site| site.is_next(now)) {
                room -= 1;
                self.asked.insert(Arc::clone(&zid));
                self.reschedule(zid);
            }
        }
    }

    /// What is to be asked of which site now.
    pub(crate) fn poll(&mut self, now: Duration) -> Vec<(String, Question)> {
        let mut questions = Vec::new();
        let pace = self.pace();
        while let Some((due, _)) = self.schedule.first()
            && *due <= now
            && let Some((_, zid)) = self.schedule.pop_first()
        {
            let Some(site) = self.sites.get_mut(&zid) else {
                continue;
            };
            if site.is_over(now, pace) {
                self.forget(&zid);
                continue;
            }
            let has_turn = self.asked.len() < MOST_ASKED || self.asked.contains(&zid);
            if site.asks_first(now) && !has_turn {
                site.waits();
                self.waiting.push_back(Arc::clone(&zid));
            } else if let Some((question, is_first)) = site.ask(now) {
                // One that does not answer is in nobody's way.
                match is_first {
                    true => self.asked.insert(Arc::clone(&zid)),
                    false => self.asked.remove(&zid),
                };
                questions.push((zid.to_string(), question));
            }
            site.due = site.next(pace);
            self.schedule.insert((site.due, zid));
        }
        self.take_turns(now);
        questions
    }

    /// A site is not there any more. It is not in the schedule either.
    fn forget(&mut self, zid: &Arc<str>) {
        let Some(site) = self.sites.remove(zid) else {
            return;
        };
        self.by_prefix.remove(&prefix(zid));
        self.asked.remove(zid);
        for (key, (_, endpoints)) in site.into_records() {
            self.records -= 1;
            self.forget_topic(zid, &key);
            self.note(&key, endpoints, Vec::new());
        }
    }

    /// When to poll again though nothing happens.
    pub(crate) fn due(&self) -> Option<Duration> {
        self.schedule.first().map(|(due, _)| *due)
    }

    /// What has changed since the last call.
    pub(crate) fn take_events(&mut self) -> Vec<DiscoveryEvent> {
        std::mem::take(&mut self.events)
    }

    /// How much those writers have written that came with these changes.
    pub(crate) fn take_lasts(&mut self) -> HashMap<Guid, u64> {
        std::mem::take(&mut self.lasts)
    }

    /// The same by topic.
    pub(crate) fn take_changes(&mut self) -> HashMap<String, TopicChange> {
        std::mem::take(&mut self.changes)
    }

    /// The sites that are known to have something.
    pub(crate) fn sites(&self) -> Vec<&str> {
        let known = self
            .sites
            .iter()
            .filter(|(_, site)| !site.records().is_empty());
        known.map(|(zid, _)| &**zid).collect()
    }

    fn endpoints(&self, direction: Direction, topic: &str) -> impl Iterator<Item = &Endpoint> {
        let key = (direction, topic.to_owned());
        let sites = self.by_topic.get(&key).into_iter().flatten();
        let sites = sites.filter_map(|zid| self.sites.get(zid));
        sites.flat_map(move |site| site.endpoints(&key))
    }

    /// The writers of a topic.
    pub(crate) fn writers(&self, topic: &str) -> impl Iterator<Item = &WriterData> {
        let all = self.endpoints(Direction::Offer, topic);
        all.filter_map(|endpoint| match endpoint {
            Endpoint::Writer(data) => Some(&**data),
            Endpoint::Reader(_) => None,
        })
    }

    /// The writer of this GUID.
    pub(crate) fn writer(&self, topic: &str, guid: Guid) -> Option<&WriterData> {
        let site = self.sites.get(self.by_prefix.get(&guid.prefix)?)?;
        let all = site.endpoints(&(Direction::Offer, topic.to_owned()));
        all.iter().find_map(|endpoint| match endpoint {
            Endpoint::Writer(data) if data.guid == guid => Some(&**data),
            _ => None,
        })
    }

    /// How many sites want a topic, without these.
    pub(crate) fn wanting(&self, topic: &str, without: &BTreeSet<[u8; 12]>) -> usize {
        let key = (Direction::Want, topic.to_owned());
        let Some(all) = self.by_topic.get(&key) else {
            return 0;
        };
        let without = without.iter().filter(|own| {
            let zid = self.by_prefix.get(&GuidPrefix(**own));
            zid.is_some_and(|zid| all.contains(zid))
        });
        all.len() - without.count()
    }

    /// The site of which a writer is.
    pub(crate) fn site_of(&self, own: GuidPrefix) -> Option<&str> {
        self.by_prefix.get(&own).map(|zid| &**zid)
    }
}

/// Behind this key, or all.
fn behind(after: Option<&Key>) -> Bound<&Key> {
    match after {
        Some(key) => Bound::Excluded(key),
        None => Bound::Unbounded,
    }
}
