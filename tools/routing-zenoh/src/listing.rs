//! What a site has, as it tells those who ask: its topics with their records, in pages.
//!
//! Who asks names the hash of what it knows of the site, and is told what has changed since. If
//! that is not known any more, it is told all. A change is told to all sites at once, so that those
//! who know what was before need not ask. Questions, answers and news come from a network.
use super::attachment::take;
use super::beat::Lasts;
use super::keys::Direction;
use super::record;
use bytes::{BufMut, Bytes, BytesMut};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Bound;

const VERSION: u8 = 1;
/// A page with more is complete.
const PAGE: usize = 256 << 10;
/// A page is not longer, with its last record.
const MOST_BYTES: usize = 2 * PAGE + MOST_TOPIC + 12 * MOST_LASTS + 64;
/// Writers whose numbers a page has.
const MOST_LASTS: usize = 4096;
/// No topic with a longer name is told of.
pub(crate) const MOST_TOPIC: usize = 1024;
/// Changes of what a site has that are remembered, ...
const MOST_CHANGES: usize = 64;
/// ... and topics of them all.
const MOST_CHANGED: usize = 4096;

const IS_WHOLE: u8 = 1;
const HAS_MORE: u8 = 2;
const WANT: u8 = 1;
const IS_GONE: u8 = 2;

/// A topic, and which way it goes.
pub(crate) type Key = (Direction, String);

/// What a topic adds to the hash of a site, by the digest of its record. The hash of several is the
/// exclusive or of all.
pub(crate) fn hash_of((direction, topic): &Key, digest: u64) -> u64 {
    record::digest(format!("{} {topic} {digest}", direction.name()).as_bytes())
}

/// What is asked of a site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Question {
    /// The hash of what is known of it; 0 asks for all.
    pub(crate) known: u64,
    /// The last topic of the page before.
    pub(crate) after: Option<Key>,
}

impl Question {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        bytes.extend(self.known.to_le_bytes());
        if let Some((direction, topic)) = &self.after {
            bytes.push(flag(*direction));
            bytes.extend(topic.as_bytes());
        }
        bytes
    }

    pub(crate) fn parse(mut rest: &[u8]) -> Option<Self> {
        let [version] = take(&mut rest)?;
        let known = u64::from_le_bytes(take(&mut rest)?);
        let after = match take(&mut rest) {
            None => None,
            Some([direction]) => {
                let topic = std::str::from_utf8(rest).ok()?;
                Some((direction_of(direction), topic.to_owned()))
            }
        };
        (version == VERSION).then_some(Self { known, after })
    }
}

fn flag(direction: Direction) -> u8 {
    match direction {
        Direction::Offer => 0,
        Direction::Want => WANT,
    }
}

fn direction_of(flags: u8) -> Direction {
    match flags & WANT {
        0 => Direction::Offer,
        _ => Direction::Want,
    }
}

/// A page of what a site has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// Of what is asked behind, all that there is; else what has changed.
    pub(crate) is_whole: bool,
    pub(crate) has_more: bool,
    /// Of all that the site has.
    pub(crate) hash: u64,
    /// In order, with their records; `None` if there is no such topic any more.
    pub(crate) topics: Vec<(Key, Option<Bytes>)>,
    /// The numbers of the last changes of the writers of these topics.
    pub(crate) lasts: Lasts,
}

impl Answer {
    pub(crate) fn encode(&self) -> Bytes {
        let mut bytes = BytesMut::new();
        let set = |flag, is_set| if is_set { flag } else { 0 };
        bytes.put_u8(VERSION);
        bytes.put_u8(set(IS_WHOLE, self.is_whole) | set(HAS_MORE, self.has_more));
        bytes.put_u64_le(self.hash);
        let lasts = &self.lasts[..self.lasts.len().min(MOST_LASTS)];
        bytes.put_u16_le(lasts.len() as u16);
        for (entity, last) in lasts {
            bytes.put_slice(entity);
            bytes.put_u64_le(*last);
        }
        for ((direction, topic), record) in &self.topics {
            bytes.put_u8(flag(*direction) | set(IS_GONE, record.is_none()));
            bytes.put_u16_le(topic.len() as u16);
            bytes.put_slice(topic.as_bytes());
            if let Some(record) = record {
                bytes.put_u32_le(record.len() as u32);
                bytes.put_slice(record);
            }
        }
        bytes.freeze()
    }

    pub(crate) fn parse(bytes: &Bytes) -> Option<Self> {
        let mut rest = &bytes[..];
        let [version, flags] = take(&mut rest)?;
        let hash = u64::from_le_bytes(take(&mut rest)?);
        if version != VERSION || bytes.len() > MOST_BYTES {
            return None;
        }
        let count = u16::from_le_bytes(take(&mut rest)?);
        let mut lasts = Lasts::new();
        for _ in 0..count {
            lasts.push((take(&mut rest)?, u64::from_le_bytes(take(&mut rest)?)));
        }
        let part = |rest: &mut &[u8], length: usize| {
            let (part, left) = rest.split_at_checked(length)?;
            *rest = left;
            Some(bytes.slice_ref(part))
        };
        let mut topics = Vec::new();
        while !rest.is_empty() {
            let [flags] = take(&mut rest)?;
            let length = u16::from_le_bytes(take(&mut rest)?);
            let topic = part(&mut rest, length.into())?;
            let topic = std::str::from_utf8(&topic).ok()?.to_owned();
            let record = match flags & IS_GONE {
                0 => {
                    let length = u32::from_le_bytes(take(&mut rest)?);
                    Some(part(&mut rest, length as usize)?)
                }
                _ => None,
            };
            topics.push(((direction_of(flags), topic), record));
        }
        Some(Self {
            is_whole: flags & IS_WHOLE != 0,
            has_more: flags & HAS_MORE != 0,
            hash,
            topics,
            lasts,
        })
    }
}

/// What a site tells all others when it has something else than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct News {
    /// The hash before: they are for whoever knows that, unless they are whole.
    pub(crate) known: u64,
    pub(crate) answer: Answer,
}

impl News {
    pub(crate) fn encode(&self) -> Vec<u8> {
        [&self.known.to_le_bytes()[..], &self.answer.encode()].concat()
    }

    pub(crate) fn parse(bytes: &Bytes) -> Option<Self> {
        let mut rest = &bytes[..];
        let known = u64::from_le_bytes(take(&mut rest)?);
        let answer = Answer::parse(&bytes.slice_ref(rest))?;
        Some(Self { known, answer })
    }
}

/// What this site has.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    records: BTreeMap<Key, Bytes>,
    hash: u64,
    /// The hash before each of the last changes, and the topics of the change.
    changes: VecDeque<(u64, BTreeSet<Key>)>,
}

impl Listing {
    /// Of all that there is; 0 if that is nothing.
    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }

    /// The topics, and which way they go.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &Key> {
        self.records.keys()
    }

    /// Takes the place of what there was; true if it is something else.
    pub(crate) fn set(&mut self, mut records: BTreeMap<Key, Bytes>) -> bool {
        records.retain(|(_, topic), _| topic.len() <= MOST_TOPIC);
        let both = self.records.keys().chain(records.keys());
        let changed: BTreeSet<Key> = both
            .filter(|key| self.records.get(*key) != records.get(*key))
            .cloned()
            .collect();
        if changed.is_empty() {
            return false;
        }
        let before = self.hash;
        for key in &changed {
            for record in [self.records.get(key), records.get(key)]
                .into_iter()
                .flatten()
            {
                self.hash ^= hash_of(key, record::digest(record));
            }
        }
        self.records = records;
        self.changes.push_back((before, changed));
        let mut sum: usize = self.changes.iter().map(|(_, keys)| keys.len()).sum();
        while self.changes.len() > MOST_CHANGES || sum > MOST_CHANGED {
            let Some((_, keys)) = self.changes.pop_front() else {
                break;
            };
            sum -= keys.len();
        }
        true
    }

    /// What a site that asks is told, but for the numbers.
    pub(crate) fn answer(&self, question: &Question) -> Answer {
        let mut since = self.changes.iter();
        let since = since.rposition(|(hash, _)| *hash == question.known);
        let is_known = question.known == self.hash || since.is_some();
        let is_whole = question.known == 0 || !is_known;
        let changed: BTreeSet<&Key> = match since {
            Some(at) if !is_whole && question.known != self.hash => {
                let later = self.changes.range(at..);
                later.flat_map(|(_, keys)| keys).collect()
            }
            _ => BTreeSet::new(),
        };
        let behind = match &question.after {
            Some(key) => Bound::Excluded(key),
            None => Bound::Unbounded,
        };
        let whole = self.records.range::<Key, _>((behind, Bound::Unbounded));
        let whole = whole.map(|(key, record)| (key, Some(record)));
        let changed = changed
            .range::<Key, _>((behind, Bound::Unbounded))
            .map(|key| (*key, self.records.get(*key)));
        let mut answer = Answer {
            is_whole,
            has_more: false,
            hash: self.hash,
            topics: Vec::new(),
            lasts: Lasts::new(),
        };
        let mut length = 0;
        for (key, record) in whole.filter(|_| is_whole).chain(changed) {
            if length >= PAGE {
                answer.has_more = true;
                break;
            }
            length += 7 + key.1.len() + record.map_or(0, Bytes::len);
            answer.topics.push((key.clone(), record.cloned()));
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(topic: &str) -> Key {
        (Direction::Offer, topic.to_owned())
    }

    fn records(all: &[(&str, &str)]) -> BTreeMap<Key, Bytes> {
        let owned = |(topic, record): &(&str, &str)| {
            let record = Bytes::copy_from_slice(record.as_bytes());
            (key(topic), record)
        };
        all.iter().map(owned).collect()
    }

    fn ask(listing: &Listing, known: u64) -> Answer {
        let question = Question { known, after: None };
        let question = Question::parse(&question.encode()).unwrap();
        Answer::parse(&listing.answer(&question).encode()).unwrap()
    }

    fn topics(answer: &Answer) -> Vec<(&str, bool)> {
        let all = answer.topics.iter();
        all.map(|((_, topic), record)| (&**topic, record.is_some()))
            .collect()
    }

    #[test]
    fn who_asks_is_told_what_has_changed_since_it_asked() {
        let mut listing = Listing::default();
        assert!(listing.set(records(&[("A", "1"), ("B", "1")])));
        let first = ask(&listing, 0);
        assert!(first.is_whole && !first.has_more);
        assert_eq!(topics(&first), [("A", true), ("B", true)]);
        assert!(!listing.set(records(&[("B", "1"), ("A", "1")])));
        assert!(listing.set(records(&[("A", "1"), ("C", "1")])));
        assert!(listing.set(records(&[("A", "2"), ("C", "1")])));
        let next = ask(&listing, first.hash);
        assert!(!next.is_whole);
        assert_eq!(topics(&next), [("A", true), ("B", false), ("C", true)]);
        assert_eq!(next.hash, listing.hash());
        assert_eq!(topics(&ask(&listing, next.hash)), []);
        let stranger = ask(&listing, 77);
        assert!(stranger.is_whole);
        assert_eq!(topics(&stranger), [("A", true), ("C", true)]);
        assert_eq!(ask(&listing, 0), stranger);
        assert!(listing.set(records(&[])));
        assert_eq!(listing.hash(), 0);
    }

    #[test]
    fn what_is_remembered_of_changes_has_a_bound() {
        let mut listing = Listing::default();
        listing.set(records(&[("A", "0")]));
        let old = listing.hash();
        for number in 1..=MOST_CHANGES {
            listing.set(records(&[("A", &number.to_string())]));
        }
        assert!(!ask(&listing, old).is_whole);
        listing.set(records(&[("A", "last")]));
        assert!(ask(&listing, old).is_whole);
        let many: Vec<String> = (0..=MOST_CHANGED).map(|n| n.to_string()).collect();
        let many: Vec<(&str, &str)> = many.iter().map(|topic| (&**topic, "")).collect();
        let old = listing.hash();
        listing.set(records(&many));
        assert!(ask(&listing, old).is_whole);
        assert!(listing.changes.is_empty());
    }

    #[test]
    fn what_is_large_is_told_in_pages() {
        let mut listing = Listing::default();
        let record = "x".repeat(PAGE / 4);
        let names: Vec<String> = (0..10).map(|n| format!("T{n}")).collect();
        let all: Vec<(&str, &str)> = names.iter().map(|name| (&**name, &*record)).collect();
        listing.set(records(&all));
        let (mut question, mut told) = (Question::default(), Vec::new());
        loop {
            let question_again = Question::parse(&question.encode()).unwrap();
            assert_eq!(question_again, question);
            let answer = Answer::parse(&listing.answer(&question).encode()).unwrap();
            assert!(answer.topics.len() <= 4 && answer.is_whole);
            question.after = answer.topics.last().map(|(key, _)| key.clone());
            told.extend(answer.topics.into_iter().map(|((_, topic), _)| topic));
            if !answer.has_more {
                break;
            }
        }
        assert_eq!(told, names);
        let long = "x".repeat(MOST_TOPIC + 1);
        assert!(!Listing::default().set(records(&[(&long, "")])));
    }

    #[test]
    fn what_is_damaged_is_nothing() {
        let mut listing = Listing::default();
        listing.set(records(&[("A", "1")]));
        let mut answer = listing.answer(&Question::default());
        answer.lasts.push(([1, 2, 3, 4], 5));
        let whole = answer.encode();
        assert_eq!(Answer::parse(&whole), Some(answer));
        for end in (0..whole.len()).filter(|end| *end != 24) {
            assert_eq!(Answer::parse(&whole.slice(..end)), None, "{end}");
        }
        let answer = Answer::parse(&whole).unwrap();
        let news = News { known: 7, answer };
        let whole = Bytes::from(news.encode());
        assert_eq!(News::parse(&whole), Some(news));
        for end in (0..whole.len()).filter(|end| *end != 32) {
            assert_eq!(News::parse(&whole.slice(..end)), None, "{end}");
        }
        for wrong in [
            &[][..],
            &[1],
            &[2; 9],
            &[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff],
        ] {
            assert_eq!(Question::parse(wrong), None, "{wrong:?}");
        }
    }
}
