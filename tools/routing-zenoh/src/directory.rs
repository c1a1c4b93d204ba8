//! Which sites there are and what they have.
//!
//! A site has a token for each topic and direction; it names the digest of a record, which is asked
//! for when it is new. Tokens are hints: they get lost, doubled and left over. A site's beats say
//! what its tokens are, by a hash, so that each site finds out when it is wrong, and lists the
//! tokens. There is no clock and no network here.
use crate::keys::{Direction, Summary};
use crate::record::{self, Endpoint};
use dunlin::observe::{DiscoveryEvent, EntityChange};
use dunlin::{Guid, GuidPrefix, VendorId};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

/// Beats come so often.
pub(crate) const BEAT: Duration = Duration::from_secs(10);
/// A site without a beat for so long is gone.
const SILENCE: Duration = Duration::from_secs(30);
/// A token that vanished is believed to be gone after this, if no beat says otherwise: links come
/// back within it.
const DOUBT: Duration = Duration::from_secs(10);
/// An answer takes no longer, or the next time twice as long, and so on: those who answer may have
/// much to do.
const ANSWER: Duration = Duration::from_secs(1);
const MOST_DOUBLED: u32 = 4;
/// The tokens of a site come one by one; their records are asked for together.
const GATHER: Duration = Duration::from_millis(10);
/// Records that are asked for at once.
const MOST_ASKED: usize = 256;
/// A token that a beat speaks of may come behind that.
const ON_THE_WAY: Duration = Duration::from_millis(200);
/// Of all that is believed.
const MOST_SITES: usize = 10_000;
const MOST_TOKENS: usize = 100_000;
/// Of a topic.
const MOST_TOPIC: usize = 1024;

/// The hash of all tokens of a site.
pub(crate) fn hash<'a>(tokens: impl Iterator<Item = &'a Summary>) -> u64 {
    tokens.fold(0, |all, token| all ^ hash_of(token))
}

fn hash_of(token: &Summary) -> u64 {
    let text = format!("{:?} {} {}", token.direction, token.topic, token.digest);
    record::digest(text.as_bytes())
}

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

/// Something to be asked of a site.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Question {
    /// The records of these tokens.
    Records(String, Vec<Summary>),
    /// All tokens.
    Tokens(String),
}

#[derive(Debug, Default)]
struct Site {
    /// The tokens that there are, as far as is known.
    tokens: BTreeSet<Summary>,
    /// Of these tokens.
    hash: u64,
    /// What is believed, with the digest of its record.
    records: BTreeMap<(Direction, String), (u64, Vec<Endpoint>)>,
    /// When it showed last that it is there.
    heard: Duration,
    /// What its last beat said of its tokens.
    said: Option<u64>,
    /// Since when it is not known whether the tokens are right.
    doubts: Option<Duration>,
    /// When to list its tokens.
    lists: Option<Ask>,
    /// Tokens whose records are missing, and when those are asked for.
    missing: BTreeMap<Summary, Ask>,
}

/// Something that is to be asked, perhaps again.
#[derive(Clone, Copy, Debug)]
struct Ask {
    due: Duration,
    tries: u32,
}

impl Ask {
    fn at(due: Duration) -> Self {
        Self { due, tries: 0 }
    }

    /// It is asked now, and again if there is no answer.
    fn ask(&mut self, now: Duration) {
        self.due = now + ANSWER * (1 << self.tries.min(MOST_DOUBLED));
        self.tries += 1;
    }
}

impl Site {
    fn insert(&mut self, token: Summary, ask: Duration) -> bool {
        self.seek(&token, ask);
        let hash = hash_of(&token);
        let is_new = self.tokens.insert(token);
        self.hash ^= if is_new { hash } else { 0 };
        is_new
    }

    fn remove(&mut self, token: &Summary, ask: Duration) -> bool {
        if !self.tokens.remove(token) {
            return false;
        }
        self.hash ^= hash_of(token);
        self.missing.remove(token);
        // Of two tokens of a topic the other one counts again.
        let Summary {
            direction, topic, ..
        } = token;
        let first = Summary {
            digest: 0,
            ..token.clone()
        };
        let others = self.tokens.range(first..);
        let others = others.take_while(|t| t.direction == *direction && t.topic == *topic);
        for other in others.cloned().collect::<Vec<_>>() {
            self.seek(&other, ask);
        }
        true
    }

    /// The record of a token is asked for, unless it is known.
    fn seek(&mut self, token: &Summary, ask: Duration) {
        let key = (token.direction, token.topic.clone());
        let known = self.records.get(&key);
        if known.is_none_or(|(digest, _)| *digest != token.digest) {
            self.missing.entry(token.clone()).or_insert(Ask::at(ask));
        }
    }
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Directory {
    sites: BTreeMap<String, Site>,
    tokens: usize,
    events: Vec<DiscoveryEvent>,
    /// Topics of which something has changed.
    topics: BTreeSet<String>,
}

impl Directory {
    /// A token is there, or is not any more.
    pub(crate) fn token(&mut self, now: Duration, zid: &str, summary: Summary, is_there: bool) {
        if is_there {
            let has_room = self.tokens < MOST_TOKENS && summary.topic.len() <= MOST_TOPIC;
            let Some(site) = self.site(now, zid).filter(|_| has_room) else {
                return;
            };
            let is_new = site.insert(summary, now + GATHER);
            self.tokens += usize::from(is_new);
        } else if let Some(site) = self.sites.get_mut(zid)
            && site.remove(&summary, now + GATHER)
        {
            self.tokens -= 1;
            site.doubts.get_or_insert(now);
        }
        self.compare(now, zid, false);
    }

    /// A site shows that it is there, and what the hash of its tokens is.
    pub(crate) fn beat(&mut self, now: Duration, zid: &str, hash_of_tokens: u64) {
        let Some(site) = self.site(now, zid) else {
            return;
        };
        site.heard = now;
        site.said = Some(hash_of_tokens);
        self.compare(now, zid, true);
    }

    /// Are the tokens of a site what it said? Then what has none is gone.
    fn compare(&mut self, now: Duration, zid: &str, is_heard: bool) {
        let Some(site) = self.sites.get_mut(zid) else {
            return;
        };
        let Some(said) = site.said else {
            return;
        };
        if site.hash == said {
            site.doubts = None;
            site.lists = None;
            self.settle(zid);
        } else if is_heard || site.doubts.is_none() {
            // While a link is away there is nothing to be listed.
            let lists = site.lists.get_or_insert(Ask::at(now + ON_THE_WAY));
            // Tokens come; the rest may follow.
            lists.due = lists.due.max(now + ON_THE_WAY);
        }
    }

    /// These are all tokens of a site.
    pub(crate) fn list(&mut self, now: Duration, zid: &str, tokens: Vec<Summary>) {
        let room = MOST_TOKENS - self.tokens;
        let Some(site) = self.sites.get_mut(zid) else {
            return;
        };
        let tokens: BTreeSet<Summary> = tokens.into_iter().collect();
        // An answer that was lost in part, or is of another moment, is asked for again.
        if site.said != Some(hash(tokens.iter())) {
            return;
        }
        let before = site.tokens.len();
        let gone: Vec<Summary> = site.tokens.difference(&tokens).cloned().collect();
        for token in gone {
            site.remove(&token, now);
        }
        let short = tokens.into_iter().filter(|t| t.topic.len() <= MOST_TOPIC);
        for token in short.take(before + room) {
            site.insert(token, now);
        }
        self.tokens = self.tokens - before + site.tokens.len();
        site.heard = site.heard.max(now);
        site.doubts = None;
        site.lists = None;
        self.settle(zid);
    }

    /// The records of tokens that were asked for, as far as the answer goes.
    pub(crate) fn records(&mut self, now: Duration, zid: &str, asked: &[Summary], answer: &[u8]) {
        let mut found = record::parse_all(answer);
        let (mut has_some, mut is_partial) = (false, false);
        for summary in asked {
            match found.remove(&summary.digest) {
                Some(record) => {
                    has_some = true;
                    self.record(zid, summary, record);
                }
                None => is_partial = true,
            }
        }
        // What did not fit into this answer is in the next one.
        if is_partial
            && has_some
            && let Some(site) = self.sites.get_mut(zid)
        {
            for summary in asked {
                if let Some(ask) = site.missing.get_mut(summary) {
                    *ask = Ask::at(now);
                }
            }
        }
    }

    fn record(&mut self, zid: &str, summary: &Summary, bytes: &[u8]) {
        let Some(site) = self.sites.get_mut(zid) else {
            return;
        };
        if !site.tokens.contains(summary) || record::digest(bytes) != summary.digest {
            return;
        }
        let Summary {
            direction,
            topic,
            digest,
        } = summary;
        let Some(endpoints) = record::parse(bytes, *direction, topic, prefix(zid)) else {
            return;
        };
        site.missing.remove(summary);
        let key = (*direction, topic.clone());
        let before = site.records.insert(key, (*digest, endpoints.clone()));
        let before = before.map(|(_, endpoints)| endpoints).unwrap_or_default();
        self.note(before, endpoints);
    }

    fn site(&mut self, now: Duration, zid: &str) -> Option<&mut Site> {
        if !self.sites.contains_key(zid) {
            if self.sites.len() >= MOST_SITES {
                return None;
            }
            let site = Site {
                heard: now,
                ..Site::default()
            };
            self.sites.insert(zid.to_owned(), site);
        }
        self.sites.get_mut(zid)
    }

    /// Forgets records for which there is no token.
    fn settle(&mut self, zid: &str) {
        let Some(site) = self.sites.get_mut(zid) else {
            return;
        };
        let there: BTreeSet<(Direction, &str)> = site
            .tokens
            .iter()
            .map(|token| (token.direction, &*token.topic))
            .collect();
        let gone: Vec<(Direction, String)> = site
            .records
            .keys()
            .filter(|(direction, topic)| !there.contains(&(*direction, topic)))
            .cloned()
            .collect();
        for key in gone {
            let record = self.sites.get_mut(zid).and_then(|s| s.records.remove(&key));
            self.note(record.map(|(_, all)| all).unwrap_or_default(), Vec::new());
        }
    }

    /// What changes if these take the place of those.
    fn note(&mut self, before: Vec<Endpoint>, after: Vec<Endpoint>) {
        if let Some(one) = before.first().or(after.first()) {
            self.topics.insert(one.topic().to_owned());
        }
        let known: HashMap<Guid, Endpoint> = before.into_iter().map(|e| (e.guid(), e)).collect();
        let there: BTreeSet<[u8; 16]> = after.iter().map(|e| order(e.guid())).collect();
        for (guid, endpoint) in &known {
            if !there.contains(&order(*guid)) {
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
    }

    /// What is to be asked now.
    pub(crate) fn poll(&mut self, now: Duration) -> Vec<Question> {
        let is_over = |site: &Site| {
            let doubts = site.doubts.is_some_and(|since| now >= since + DOUBT);
            doubts && site.tokens.is_empty() || now >= site.heard + SILENCE
        };
        let gone: Vec<String> = self
            .sites
            .iter()
            .filter(|(_, site)| is_over(site))
            .map(|(zid, _)| zid.clone())
            .collect();
        for zid in gone {
            if let Some(site) = self.sites.remove(&zid) {
                self.tokens -= site.tokens.len();
                for (_, endpoints) in site.records.into_values() {
                    self.note(endpoints, Vec::new());
                }
            }
        }
        let mut questions = Vec::new();
        let mut settled = Vec::new();
        for (zid, site) in &mut self.sites {
            if site.doubts.is_some_and(|since| now >= since + DOUBT) {
                site.doubts = None;
                settled.push(zid.clone());
            }
            if let Some(ask) = site.lists.as_mut().filter(|ask| ask.due <= now) {
                ask.ask(now);
                questions.push(Question::Tokens(zid.clone()));
            }
            let due = site.missing.iter_mut().filter(|(_, ask)| ask.due <= now);
            let due = due.take(MOST_ASKED).map(|(token, ask)| {
                ask.ask(now);
                token.clone()
            });
            let due: Vec<Summary> = due.collect();
            if !due.is_empty() {
                questions.push(Question::Records(zid.clone(), due));
            }
        }
        settled.iter().for_each(|zid| self.settle(zid));
        questions
    }

    /// When to poll again though nothing happens.
    pub(crate) fn due(&self) -> Option<Duration> {
        let all = self.sites.values();
        let each = all.flat_map(|site| {
            let doubts = site.doubts.map(|since| since + DOUBT);
            let asked = site.missing.values().map(|ask| ask.due);
            let lists = site.lists.map(|ask| ask.due);
            let own = [Some(site.heard + SILENCE), doubts, lists];
            own.into_iter().flatten().chain(asked)
        });
        each.min()
    }

    /// What has changed since the last call.
    pub(crate) fn take_events(&mut self) -> Vec<DiscoveryEvent> {
        std::mem::take(&mut self.events)
    }

    /// The topics of these changes.
    pub(crate) fn take_topics(&mut self) -> BTreeSet<String> {
        std::mem::take(&mut self.topics)
    }

    /// How many sites are known of which something is.
    pub(crate) fn sites(&self) -> Vec<&str> {
        let known = self
            .sites
            .iter()
            .filter(|(_, site)| !site.records.is_empty());
        known.map(|(zid, _)| &**zid).collect()
    }

    fn endpoints(&self, direction: Direction, topic: &str) -> impl Iterator<Item = &Endpoint> {
        let key = (direction, topic.to_owned());
        let all = self.sites.values();
        all.flat_map(move |site| site.records.get(&key).into_iter().flat_map(|(_, e)| e))
    }

    /// The writers of a topic.
    pub(crate) fn writers(
        &self,
        topic: &str,
    ) -> impl Iterator<Item = &dunlin::observe::WriterData> {
        let all = self.endpoints(Direction::Offer, topic);
        all.filter_map(|endpoint| match endpoint {
            Endpoint::Writer(data) => Some(&**data),
            Endpoint::Reader(_) => None,
        })
    }

    /// The readers of a topic.
    pub(crate) fn readers(
        &self,
        topic: &str,
    ) -> impl Iterator<Item = &dunlin::observe::ReaderData> {
        let all = self.endpoints(Direction::Want, topic);
        all.filter_map(|endpoint| match endpoint {
            Endpoint::Reader(data) => Some(&**data),
            Endpoint::Writer(_) => None,
        })
    }

    /// The site of which a writer is.
    pub(crate) fn site_of(&self, own: GuidPrefix) -> Option<&str> {
        let mut all = self.sites.keys();
        all.find(|zid| prefix(zid) == own).map(|zid| &**zid)
    }
}

fn order(guid: Guid) -> [u8; 16] {
    let mut octets = [0; 16];
    let all = guid.prefix.0.into_iter().chain(guid.entity.0);
    octets.iter_mut().zip(all).for_each(|(to, from)| *to = from);
    octets
}

#[cfg(test)]
mod tests {
    use super::*;
    use dunlin::observe::WriterData;
    use dunlin::{EntityId, EntityKind};

    const fn secs(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    fn writer(zid: &str, topic: &str, number: u32) -> Endpoint {
        let entity = EntityId::user(number, EntityKind::WriterWithKey);
        let data = WriterData::new(Guid::new(prefix(zid), entity), topic, "Shape");
        Endpoint::Writer(Box::new(data))
    }

    /// The token and the record of these writers.
    fn offer(topic: &str, writers: &[Endpoint]) -> (Summary, bytes::Bytes) {
        let bytes = record::encode(writers.iter());
        let summary = Summary {
            direction: Direction::Offer,
            topic: topic.to_owned(),
            digest: record::digest(&bytes),
        };
        (summary, bytes)
    }

    fn kinds(directory: &mut Directory) -> Vec<&'static str> {
        let all = directory.take_events();
        let of = |event: &DiscoveryEvent| match event {
            DiscoveryEvent::Writer(EntityChange::Added(_)) => "added",
            DiscoveryEvent::Writer(EntityChange::Changed(_)) => "changed",
            DiscoveryEvent::Writer(EntityChange::Gone(_)) => "gone",
            _ => "other",
        };
        all.iter().map(of).collect()
    }

    /// The record of one token arrives.
    fn answer(directory: &mut Directory, token: &Summary, bytes: &[u8]) {
        let all = record::encode_all([(token.digest, bytes)].into_iter());
        directory.records(secs(0), "a1", std::slice::from_ref(token), &all);
    }

    /// A site with one writer.
    fn known() -> (Directory, Summary) {
        let mut directory = Directory::default();
        let (token, bytes) = offer("Square", &[writer("a1", "Square", 1)]);
        directory.token(secs(0), "a1", token.clone(), true);
        let asked = Question::Records("a1".into(), vec![token.clone()]);
        assert_eq!(directory.poll(secs(0)), [], "others may come with it");
        assert_eq!(directory.due(), Some(GATHER));
        assert_eq!(directory.poll(GATHER), std::slice::from_ref(&asked));
        assert_eq!(directory.poll(GATHER), []);
        assert_eq!(directory.poll(secs(2)), [asked], "an answer was lost");
        answer(&mut directory, &token, &bytes);
        assert_eq!(kinds(&mut directory), ["added"]);
        assert_eq!(directory.poll(secs(9)), []);
        (directory, token)
    }

    #[test]
    fn a_token_is_asked_about_once_and_a_new_digest_again() {
        let (mut directory, before) = known();
        let two = [writer("a1", "Square", 1), writer("a1", "Square", 2)];
        let (token, bytes) = offer("Square", &two);
        directory.token(secs(9), "a1", token.clone(), true);
        directory.token(secs(9), "a1", before, false);
        assert_eq!(directory.poll(secs(10)).len(), 1);
        answer(&mut directory, &token, &bytes);
        assert_eq!(kinds(&mut directory), ["added"]);
        assert_eq!(directory.writers("Square").count(), 2);
    }

    #[test]
    fn a_token_that_comes_back_is_asked_about_again() {
        let (mut directory, before) = known();
        let (token, bytes) = offer("Square", &[writer("a1", "Square", 2)]);
        directory.token(secs(9), "a1", token.clone(), true);
        answer(&mut directory, &token, &bytes);
        assert_eq!(kinds(&mut directory), ["gone", "added"]);
        assert_eq!(directory.poll(secs(10)), [], "the last one counts");
        directory.token(secs(10), "a1", token, false);
        let asked = Question::Records("a1".into(), vec![before]);
        assert_eq!(directory.poll(secs(11)), [asked]);
    }

    #[test]
    fn records_are_asked_for_together_and_an_answer_may_be_short() {
        let mut directory = Directory::default();
        let of = |n: u32| offer(&format!("T{n}"), &[writer("a1", &format!("T{n}"), n)]);
        let all: Vec<_> = (0..300).map(of).collect();
        for (token, _) in &all {
            directory.token(secs(0), "a1", token.clone(), true);
        }
        let mut rounds = 0;
        while let [Question::Records(_, asked)] = &directory.poll(secs(1))[..] {
            let known = |token: &&Summary| all.iter().find(|(t, _)| t == *token);
            // As if no more than 100 found room.
            let some: Vec<_> = asked.iter().take(100).filter_map(|t| known(&t)).collect();
            let records = some.iter().map(|(token, bytes)| (token.digest, &bytes[..]));
            directory.records(secs(1), "a1", asked, &record::encode_all(records));
            rounds += 1;
        }
        assert_eq!((rounds, kinds(&mut directory).len()), (3, 300));
        assert_eq!(directory.take_topics().len(), 300);
        let whole = directory
            .sites
            .values()
            .all(|s| s.hash == hash(s.tokens.iter()));
        assert!(whole);
    }

    #[test]
    fn a_token_that_vanishes_with_a_link_and_comes_back_changes_nothing() {
        let (mut directory, token) = known();
        directory.token(secs(9), "a1", token.clone(), false);
        directory.poll(secs(15));
        directory.token(secs(15), "a1", token.clone(), true);
        directory.beat(secs(16), "a1", hash([&token].into_iter()));
        assert_eq!(directory.poll(secs(29)), []);
        assert_eq!(kinds(&mut directory), [""; 0]);
    }

    #[test]
    fn what_a_beat_confirms_to_be_gone_goes_at_once() {
        let (mut directory, token) = known();
        directory.token(secs(9), "a1", token, false);
        assert_eq!(kinds(&mut directory), [""; 0]);
        directory.beat(secs(9), "a1", hash([].into_iter()));
        assert_eq!(kinds(&mut directory), ["gone"]);
        // The beat may come first.
        let (mut directory, token) = known();
        directory.beat(secs(9), "a1", hash([].into_iter()));
        assert_eq!(kinds(&mut directory), [""; 0]);
        directory.token(secs(9), "a1", token, false);
        assert_eq!(kinds(&mut directory), ["gone"]);
    }

    #[test]
    fn a_site_that_is_killed_goes_after_a_doubt_and_a_silent_one_too() {
        let (mut directory, token) = known();
        directory.token(secs(9), "a1", token, false);
        directory.poll(secs(18));
        assert_eq!(directory.due(), Some(secs(19)));
        directory.poll(secs(19));
        assert_eq!(kinds(&mut directory), ["gone"]);
        let (mut directory, _) = known();
        directory.poll(secs(29));
        assert_eq!(kinds(&mut directory), [""; 0]);
        directory.poll(secs(30));
        assert_eq!(kinds(&mut directory), ["gone"]);
        assert_eq!((directory.tokens, directory.due()), (0, None));
    }

    #[test]
    fn lost_and_leaked_tokens_heal_by_beats() {
        let (mut directory, leaked) = known();
        let (token, _) = offer("Circle", &[writer("a1", "Circle", 2)]);
        directory.beat(secs(9), "a1", hash([&token].into_iter()));
        assert_eq!(directory.poll(secs(9)), [], "it may come yet");
        assert_eq!(directory.poll(secs(10)), [Question::Tokens("a1".into())]);
        assert_eq!(directory.poll(secs(11)), [Question::Tokens("a1".into())]);
        directory.list(secs(11), "a1", vec![token.clone()]);
        assert_eq!(kinds(&mut directory), ["gone"]);
        assert_eq!(
            directory.poll(secs(11)),
            [Question::Records("a1".into(), vec![token])]
        );
        assert_ne!(leaked.topic, "Circle");
    }

    #[test]
    fn a_site_speaks_for_itself_only() {
        let mut directory = Directory::default();
        let (token, bytes) = offer("Square", &[writer("b2", "Square", 1)]);
        directory.token(secs(0), "a1", token.clone(), true);
        answer(&mut directory, &token, &bytes);
        let (token, bytes) = offer("Circle", &[writer("a1", "Square", 1)]);
        directory.token(secs(0), "a1", token.clone(), true);
        answer(&mut directory, &token, &bytes);
        answer(&mut directory, &token, b"something else");
        answer(&mut directory, &token, &[0xff; 8]);
        directory.records(secs(0), "a1", std::slice::from_ref(&token), &[0xff; 8]);
        assert!(directory.take_events().is_empty());
    }

    #[test]
    fn what_is_believed_has_a_bound() {
        let mut directory = Directory::default();
        for n in 0..MOST_SITES + 10 {
            let (token, _) = offer("Square", &[]);
            directory.token(secs(0), &format!("{n:x}"), token, true);
        }
        assert_eq!(directory.sites.len(), MOST_SITES);
        let (mut token, _) = offer("Square", &[]);
        for digest in 0..2 * MOST_TOKENS as u64 {
            token.digest = digest;
            directory.token(secs(0), "1", token.clone(), true);
        }
        assert!(directory.tokens <= MOST_TOKENS);
        directory.poll(secs(30));
        assert_eq!(directory.tokens, 0);
    }
}
