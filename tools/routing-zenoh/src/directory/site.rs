//! What is known of one site, and what is to be asked of it.
use super::behind;
use crate::listing::{Key, Question, hash_of};
use crate::record::Endpoint;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::time::Duration;

/// Among few sites one without a beat for so long is gone.
pub(super) const SILENCE: Duration = Duration::from_secs(30);
/// Among few sites one whose token vanished is believed to be gone after this, if no beat says
/// otherwise: links come back within it.
pub(super) const DOUBT: Duration = Duration::from_secs(10);
/// An answer takes no longer: those who answer may have much to do. Questions that end without an
/// answer say so before.
pub(super) const ANSWER: Duration = Duration::from_secs(10);
/// After an answer of no use, or a question that ended without one; the next time twice as long.
pub(super) const AGAIN: Duration = Duration::from_millis(250);
const MOST_AGAIN: u32 = 4;
/// A site may change several times in a row.
pub(super) const GATHER: Duration = Duration::from_millis(10);
/// Who has just joined asks after that time. Later a site that has changed tells all others what,
/// and is asked only if that does not come.
pub(super) const JOINS: Duration = Duration::from_secs(1);
pub(super) const NEWS: Duration = Duration::from_millis(200);
/// Tokens of a site: one, and such as are left over.
const MOST_TOKENS: usize = 16;

/// The record of a topic: its digest, and what it says.
type Record = (u64, Vec<Endpoint>);

#[derive(Debug)]
pub(super) struct Site {
    /// The hashes of its tokens.
    tokens: BTreeSet<u64>,
    /// What it said last of its topics.
    said: Option<u64>,
    /// Of what is known of them.
    hash: u64,
    records: BTreeMap<Key, Record>,
    /// When it showed last that it is there.
    heard: Duration,
    /// Since when there is no token.
    doubts: Option<Duration>,
    asks: Option<Ask>,
    /// There was no room for all of what has this hash.
    cut: Option<u64>,
    /// Where it is in the schedule.
    pub(super) due: Duration,
}

/// Something that is asked, perhaps again.
#[derive(Debug)]
struct Ask {
    question: Question,
    /// What the site had said when it was asked.
    said: Option<u64>,
    due: Duration,
    tries: u32,
    is_cut: bool,
}

impl Ask {
    fn at(due: Duration, question: Question) -> Self {
        Self {
            question,
            said: None,
            due,
            tries: 0,
            is_cut: false,
        }
    }
}

impl Site {
    pub(super) fn new(now: Duration) -> Self {
        Self {
            tokens: BTreeSet::new(),
            said: None,
            hash: 0,
            records: BTreeMap::new(),
            heard: now,
            doubts: None,
            asks: None,
            cut: None,
            due: now + SILENCE,
        }
    }

    pub(super) fn token(&mut self, now: Duration, hash: u64) {
        if self.tokens.len() < MOST_TOKENS {
            self.tokens.insert(hash);
        }
        self.heard = now;
        self.doubts = None;
        self.said = Some(hash);
    }

    pub(super) fn no_token(&mut self, now: Duration, hash: u64) {
        if self.tokens.remove(&hash) && self.tokens.is_empty() {
            self.doubts = Some(now);
        }
    }

    pub(super) fn beat(&mut self, now: Duration, hash: u64) {
        self.heard = now;
        self.doubts = None;
        self.said = Some(hash);
    }

    /// It has said that it has nothing, and something is known of it.
    pub(super) fn has_ended(&self) -> bool {
        self.said == Some(0) && !self.records.is_empty()
    }

    pub(super) fn records(&self) -> &BTreeMap<Key, Record> {
        &self.records
    }

    pub(super) fn into_records(self) -> BTreeMap<Key, Record> {
        self.records
    }

    pub(super) fn endpoints(&self, key: &Key) -> &[Endpoint] {
        self.records.get(key).map_or(&[], |(_, all)| all)
    }

    /// The topics that are known behind one and up to another one.
    pub(super) fn between(&self, after: Option<&Key>, end: Option<&Key>) -> Vec<Key> {
        let end = end.map_or(Bound::Unbounded, Bound::Included);
        // There is nothing between these.
        if let (Bound::Excluded(after), Bound::Included(end)) = (behind(after), end)
            && end <= after
        {
            return Vec::new();
        }
        let all = self.records.range::<Key, _>((behind(after), end));
        all.map(|(key, _)| key.clone()).collect()
    }

    /// The record of a topic is this one; returns the endpoints of the one before.
    pub(super) fn set(&mut self, key: Key, record: Option<Record>) -> Option<Vec<Endpoint>> {
        if let Some((digest, _)) = &record {
            self.hash ^= hash_of(&key, *digest);
        }
        let before = match record {
            Some(record) => self.records.insert(key.clone(), record),
            None => self.records.remove(&key),
        };
        let (digest, endpoints) = before?;
        self.hash ^= hash_of(&key, digest);
        Some(endpoints)
    }

    /// Does it wait for an answer to this?
    pub(super) fn waits_for(&self, question: &Question) -> bool {
        self.asks
            .as_ref()
            .is_some_and(|ask| ask.tries > 0 && ask.question == *question)
    }

    /// What it was asked ended without an answer: it is asked again, ever more rarely. True if it
    /// was asked that.
    pub(super) fn refused(&mut self, now: Duration, question: &Question) -> bool {
        let is_of_now = self.waits_for(question);
        if let Some(ask) = self.asks.as_mut().filter(|_| is_of_now) {
            ask.due = ask.due.min(now + again(ask.tries));
        }
        is_of_now
    }

    /// Is this what is known of it?
    pub(super) fn is_known_as(&self, hash: u64) -> bool {
        self.hash == hash
    }

    /// It has told all others what it has. What has this hash may be more than there was room for.
    pub(super) fn told(&mut self, hash: u64, is_cut: bool) {
        self.cut = is_cut.then_some(hash);
    }

    /// What was asked has been answered by a page, behind which there may be more.
    pub(super) fn answered(&mut self, now: Duration, more: Option<Key>, hash: u64, is_cut: bool) {
        let Some(mut ask) = self.asks.take() else {
            return;
        };
        ask.is_cut |= is_cut;
        // Where there is no room the rest is of no use.
        if more.is_some() && !ask.is_cut {
            ask.question.after = more;
            (ask.due, ask.tries) = (now, 0);
            self.asks = Some(ask);
            return;
        }
        self.heard = self.heard.max(now);
        self.doubts = None;
        if hash == self.hash || ask.is_cut {
            self.cut = ask.is_cut.then_some(hash);
            // It is as it says now, unless it has said something else meanwhile.
            if self.said == ask.said {
                self.said = Some(hash);
            }
            return;
        }
        // It changed between two pages: all is asked for, ever more rarely.
        let mut next = Ask::at(now + again(ask.tries), Question::default());
        next.tries = ask.tries;
        self.asks = Some(next);
    }

    /// Is what is known what it says? Else it is to be asked.
    pub(super) fn compare(&mut self, now: Duration) {
        let is_right = self.said.is_none_or(|said| said == self.hash);
        if is_right || self.cut == self.said {
            self.asks = None;
        } else if self.asks.is_none() {
            let question = Question {
                known: self.hash,
                after: None,
            };
            let wait = if now < JOINS { GATHER } else { NEWS };
            self.asks = Some(Ask::at(now + wait, question));
        }
    }

    /// `pace` says how many times as long as among few sites is waited.
    pub(super) fn is_over(&self, now: Duration, pace: u32) -> bool {
        let doubts = self.doubts.is_some_and(|since| now >= since + DOUBT * pace);
        doubts || now >= self.heard + SILENCE * pace
    }

    /// There is something to be asked, now or later.
    pub(super) fn asks(&self) -> bool {
        self.asks.is_some()
    }

    /// It is to be asked now, and was not.
    pub(super) fn asks_first(&self, now: Duration) -> bool {
        let ask = self.asks.as_ref();
        ask.is_some_and(|ask| ask.due <= now && ask.tries == 0)
    }

    /// It is asked when it is its turn.
    pub(super) fn waits(&mut self) {
        if let Some(ask) = &mut self.asks {
            ask.due = Duration::MAX;
        }
    }

    /// It is its turn; false if it waits for none any more.
    pub(super) fn is_next(&mut self, now: Duration) -> bool {
        let ask = self.asks.as_mut().filter(|ask| ask.due == Duration::MAX);
        ask.map(|ask| ask.due = now).is_some()
    }

    /// What is to be asked now, and whether it is for the first time.
    pub(super) fn ask(&mut self, now: Duration) -> Option<(Question, bool)> {
        let ask = self.asks.as_mut().filter(|ask| ask.due <= now)?;
        let is_first = ask.tries == 0;
        ask.due = now + ANSWER;
        ask.tries = ask.tries.saturating_add(1);
        ask.said = self.said;
        Some((ask.question.clone(), is_first))
    }

    /// When to look again.
    pub(super) fn next(&self, pace: u32) -> Duration {
        let doubts = self.doubts.map(|since| since + DOUBT * pace);
        let asks = self.asks.as_ref().map(|ask| ask.due);
        let silence = self.heard + SILENCE * pace;
        [doubts, asks]
            .into_iter()
            .flatten()
            .fold(silence, Duration::min)
    }
}

fn again(tries: u32) -> Duration {
    AGAIN * (1 << tries.saturating_sub(1).min(MOST_AGAIN))
}
