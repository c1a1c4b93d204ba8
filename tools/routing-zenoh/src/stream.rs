//! The changes of one writer as a reader gets them: in order, and whole if they are reliable.
//!
//! zenoh repairs each link only; what a reconnection or a full queue loses shows as a gap between
//! numbers and is asked for. There is no clock and no network here.
use crate::attachment::Attachment;
use crate::page::Page;
use bytes::Bytes;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// A gap may close by itself within this time.
const PATIENCE: Duration = Duration::from_millis(20);
/// An answer takes no longer, or is lost; the next time twice as long, and so on ...
const ANSWER: Duration = Duration::from_millis(200);
/// ... up to this.
const LONGEST: Duration = Duration::from_secs(5);
/// The same of where to begin: many may ask that at once.
const BEGIN: Duration = Duration::from_secs(1);
/// Changes between two holes that are sent again with these.
const BETWEEN: u32 = 16;
/// New changes wait so long for what was written before.
const HISTORY: Duration = Duration::from_secs(5);
/// Of changes that wait for others, or to be taken.
const MOST: usize = 4096;
const MOST_BYTES: usize = 16 << 20;

/// A change that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arrived {
    pub(crate) about: Attachment,
    pub(crate) payload: Bytes,
}

/// What is ready to be taken from a reader.
#[derive(Debug, Default)]
pub(crate) struct Ready {
    queue: VecDeque<Arrived>,
    bytes: usize,
}

impl Ready {
    fn has_room(&self) -> bool {
        self.queue.len() < MOST && self.bytes < MOST_BYTES
    }

    fn push(&mut self, arrived: Arrived) {
        self.bytes += arrived.payload.len();
        self.queue.push_back(arrived);
    }

    pub(crate) fn pop(&mut self) -> Option<Arrived> {
        let arrived = self.queue.pop_front()?;
        self.bytes -= arrived.payload.len();
        Some(arrived)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }
}

/// What a reader wants of a writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    /// What comes.
    BestEffort,
    /// All that is written from now on.
    Reliable,
    /// What HISTORY keeps as well.
    History,
}

/// A range of numbers to be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ask {
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) history: bool,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Stream {
    /// The next number to be handed out.
    next: u64,
    /// The highest number that was heard of.
    known: u64,
    /// What comes after a gap.
    held: BTreeMap<u64, Arrived>,
    held_bytes: usize,
    /// Until it knows where to begin: since when, and whether history comes first.
    joins: Option<(Duration, bool)>,
    is_reliable: bool,
    /// Nothing has come yet: what the store lacks was written for nobody.
    is_new: bool,
    /// Since when something is missing, how often it was asked for, and when again.
    gap: Option<Gap>,
    /// What was missing and will not come.
    pub(crate) lost: u64,
}

#[derive(Clone, Copy, Debug)]
struct Gap {
    tries: u32,
    due: Duration,
}

impl Stream {
    pub(crate) fn new(now: Duration, want: Want) -> Self {
        Self {
            next: 1,
            known: 0,
            held: BTreeMap::new(),
            held_bytes: 0,
            joins: match want {
                Want::BestEffort => None,
                Want::Reliable => Some((now, false)),
                Want::History => Some((now, true)),
            },
            is_reliable: want != Want::BestEffort,
            is_new: true,
            gap: None,
            lost: 0,
        }
    }

    /// It begins behind this change.
    pub(crate) fn begin(&mut self, last: u64) {
        self.next = last.saturating_add(1);
        self.known = last;
        self.joins = None;
    }

    /// These will not come.
    fn lose(&mut self, count: u64) {
        if self.joins.is_none() && !self.is_new {
            self.lost += count;
        }
    }

    /// A change arrives.
    pub(crate) fn arrive(&mut self, now: Duration, arrived: Arrived, ready: &mut Ready) {
        let number = arrived.about.number;
        if number < self.next {
            return;
        }
        self.known = self.known.max(number);
        if !self.is_reliable {
            if self.next > 1 {
                self.lost += number - self.next;
            }
            self.next = number + 1;
            match ready.has_room() {
                true => ready.push(arrived),
                false => self.lost += 1,
            }
            return;
        }
        if self.joins.is_none() && number == self.next && ready.has_room() {
            self.next = number + 1;
            self.is_new = false;
            ready.push(arrived);
        } else if self.held.len() < MOST && self.held_bytes < MOST_BYTES {
            let length = arrived.payload.len();
            if self.held.insert(number, arrived).is_none() {
                self.held_bytes += length;
            }
        }
        self.release(now, ready);
    }

    /// The writer says that this is the number of its last change.
    pub(crate) fn hear(&mut self, now: Duration, last: u64) {
        if self.is_reliable && last > self.known {
            self.known = last;
            self.note_gap(now);
        }
    }

    /// The store answers what was asked.
    pub(crate) fn answer(
        &mut self,
        now: Duration,
        page: Page,
        mut ours: impl FnMut(&Attachment) -> bool,
        ready: &mut Ready,
    ) {
        let Some(gap) = self.gap else {
            return;
        };
        let joins = self.joins.map(|(_, history)| history);
        let is_of_now = page.from == self.next || joins == Some(false);
        if gap.tries == 0 || !is_of_now {
            return;
        }
        self.gap = None;
        self.known = self.known.max(page.last);
        if joins == Some(false) {
            // What was held before this answer came is not old.
            let first = self.held.first_key_value().map(|(number, _)| *number);
            let begin = page.last.saturating_add(1);
            self.next = first.map_or(begin, |first| first.min(begin));
            self.joins = None;
            return self.release(now, ready);
        }
        for (attachment, payload) in page.items {
            let Some(about) = Attachment::parse(&attachment).filter(&mut ours) else {
                continue;
            };
            if about.number < self.next || about.number >= page.next {
                continue;
            }
            if !ready.has_room() {
                self.note_gap(now);
                return;
            }
            self.lose(about.number - self.next);
            self.next = about.number + 1;
            self.is_new = false;
            ready.push(Arrived { about, payload });
        }
        // Between these and the next page there is nothing any more.
        let next = page.next.min(self.known.saturating_add(1));
        self.lose(next.saturating_sub(self.next));
        self.next = self.next.max(next);
        if joins.is_some() && self.next > page.last {
            self.joins = None;
        }
        self.release(now, ready);
    }

    /// Something was taken, or time has passed: hands out what can be, and says what to ask for.
    pub(crate) fn poll(&mut self, now: Duration, ready: &mut Ready) -> Option<Ask> {
        if let Some((since, _)) = self.joins
            && now >= since + HISTORY
            && let Some((first, _)) = self.held.first_key_value()
        {
            // Nobody answers: what is new goes on.
            self.next = self.next.max(*first);
            self.joins = None;
            self.gap = None;
        }
        self.release(now, ready);
        let gap = self.gap?;
        if gap.due > now || !ready.has_room() {
            return None;
        }
        let answer = match self.joins {
            Some((_, false)) => BEGIN,
            _ => ANSWER,
        };
        let wait = (answer * (1 << gap.tries.min(5))).min(LONGEST);
        self.gap = Some(Gap {
            tries: gap.tries.saturating_add(1),
            due: now + wait,
        });
        Some(match self.joins {
            Some((_, false)) => Ask {
                from: u64::MAX,
                to: u64::MAX,
                history: false,
            },
            Some((_, true)) => Ask {
                from: self.next,
                to: u64::MAX,
                history: true,
            },
            None => Ask {
                from: self.next,
                to: self.end_of_gap(),
                history: false,
            },
        })
    }

    /// The last number to ask for: holes with little between them are one.
    fn end_of_gap(&self) -> u64 {
        let (mut end, mut run, mut after) = (self.known, 0, self.next);
        for number in self.held.keys() {
            if *number > after {
                (end, run) = (number - 1, 0);
            }
            (run, after) = (run + 1, number + 1);
            if run > BETWEEN {
                return end;
            }
        }
        if after <= self.known { self.known } else { end }
    }

    /// When to look again.
    pub(crate) fn due(&self) -> Option<Duration> {
        let joins = self.joins.filter(|_| !self.held.is_empty());
        let joins = joins.map(|(since, _)| since + HISTORY);
        let gap = self.gap.map(|gap| gap.due);
        joins.into_iter().chain(gap).min()
    }

    /// Hands out what was held, up to the next gap.
    fn release(&mut self, now: Duration, ready: &mut Ready) {
        while self.joins.is_none() && ready.has_room() {
            let Some(first) = self.held.first_entry().filter(|f| *f.key() <= self.next) else {
                break;
            };
            let arrived = first.remove();
            self.held_bytes -= arrived.payload.len();
            if arrived.about.number == self.next {
                self.next += 1;
                self.is_new = false;
                ready.push(arrived);
            }
        }
        match self.is_reliable && (self.joins.is_some() || self.next <= self.known) {
            true => self.note_gap(now),
            false => self.gap = None,
        }
    }

    fn note_gap(&mut self, now: Duration) {
        let wait = match self.joins {
            Some(_) => Duration::ZERO,
            None => PATIENCE,
        };
        let due = now + wait;
        self.gap.get_or_insert(Gap { tries: 0, due });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Request;
    use crate::store::{Item, Store};
    use dunlin::untyped::WriteOptions;
    use dunlin::{ChangeKind, Guid, InstanceHandle};
    use std::sync::Arc;

    const fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    fn about(number: u64) -> Attachment {
        Attachment {
            writer: Guid::UNKNOWN,
            number,
            kind: ChangeKind::Alive,
            options: WriteOptions::default(),
        }
    }

    fn arrived(number: u64) -> Arrived {
        let payload = Bytes::copy_from_slice(&number.to_le_bytes());
        let about = about(number);
        Arrived { about, payload }
    }

    fn push(store: &mut Store, now: Duration, number: u64, instance: u8) {
        let item = Item {
            number,
            is_alive: true,
            instance: InstanceHandle([instance; 16]),
            attachment: about(number).encode(),
            payload: arrived(number).payload,
        };
        store.push(now, Arc::new(item));
    }

    fn answer(stream: &mut Stream, now: Duration, store: &Store, ask: Ask, ready: &mut Ready) {
        let Ask { from, to, history } = ask;
        let writer = [0; 4];
        let page = store.page(&Request {
            asker: [0; 12],
            writer,
            from,
            to,
            history,
        });
        stream.answer(now, page, |_| true, ready);
    }

    fn drain(ready: &mut Ready) -> Vec<u64> {
        std::iter::from_fn(|| ready.pop())
            .map(|arrived| arrived.about.number)
            .collect()
    }

    /// A stream that has joined a writer that has written so many.
    fn joined(store: &Store, ready: &mut Ready) -> Stream {
        let mut stream = Stream::new(ms(0), Want::Reliable);
        let ask = stream.poll(ms(0), ready).unwrap();
        answer(&mut stream, ms(0), store, ask, ready);
        assert_eq!(stream.due(), None);
        stream
    }

    #[test]
    fn a_gap_is_asked_for_and_comes_in_order() {
        let (mut store, mut ready) = (Store::new(None), Ready::default());
        let mut stream = joined(&store, &mut ready);
        (1..=6).for_each(|number| push(&mut store, ms(1), number, 1));
        for number in [1, 2, 5, 6] {
            stream.arrive(ms(1), arrived(number), &mut ready);
        }
        assert_eq!(drain(&mut ready), [1, 2]);
        assert_eq!(stream.poll(ms(10), &mut ready), None, "it may come yet");
        assert_eq!(stream.due(), Some(ms(21)));
        let ask = stream.poll(ms(21), &mut ready).unwrap();
        assert_eq!((ask.from, ask.to), (3, 4));
        answer(&mut stream, ms(25), &store, ask, &mut ready);
        assert_eq!(drain(&mut ready), [3, 4, 5, 6]);
        assert_eq!((stream.due(), stream.lost), (None, 0));
    }

    #[test]
    fn who_knows_where_to_begin_asks_for_what_was_missed_meanwhile() {
        let (mut store, mut ready) = (Store::new(None), Ready::default());
        let mut stream = Stream::new(ms(0), Want::Reliable);
        stream.begin(4);
        assert_eq!((stream.poll(ms(0), &mut ready), stream.due()), (None, None));
        // Nobody had asked for number 5, so it is not kept, and not lost either.
        (6..=8).for_each(|number| push(&mut store, ms(1), number, 1));
        stream.arrive(ms(1), arrived(8), &mut ready);
        let ask = stream.poll(ms(21), &mut ready).unwrap();
        assert_eq!((ask.from, ask.to), (5, 7));
        answer(&mut stream, ms(25), &store, ask, &mut ready);
        assert_eq!((drain(&mut ready), stream.lost), (vec![6, 7, 8], 0));
    }

    #[test]
    fn a_lost_tail_is_asked_for_and_an_answer_that_is_lost_again() {
        let (mut store, mut ready) = (Store::new(None), Ready::default());
        let mut stream = joined(&store, &mut ready);
        push(&mut store, ms(1), 1, 1);
        stream.hear(ms(1), 1);
        let ask = stream.poll(ms(21), &mut ready).unwrap();
        assert_eq!((ask.from, ask.to), (1, 1));
        assert_eq!(stream.poll(ms(220), &mut ready), None);
        let again = stream.poll(ms(221), &mut ready).unwrap();
        assert_eq!((again, stream.due()), (ask, Some(ms(621))));
        answer(&mut stream, ms(230), &store, again, &mut ready);
        // The first answer comes as well.
        answer(&mut stream, ms(231), &store, ask, &mut ready);
        assert_eq!(drain(&mut ready), [1]);
    }

    #[test]
    fn what_the_store_lacks_is_lost_and_passed_over() {
        let (mut store, mut ready) = (Store::new(None), Ready::default());
        let mut stream = joined(&store, &mut ready);
        for number in 1..=30 {
            push(&mut store, Duration::from_secs(number), number, 1);
        }
        let now = Duration::from_secs(30);
        stream.arrive(now, arrived(1), &mut ready);
        stream.hear(now, 30);
        let ask = stream.poll(now + PATIENCE, &mut ready).unwrap();
        answer(&mut stream, now, &store, ask, &mut ready);
        let mut all = vec![1];
        all.extend(21..=30);
        assert_eq!((drain(&mut ready), stream.lost), (all, 19));
    }

    #[test]
    fn late_joiners_get_history_first_and_then_what_is_new() {
        let (mut store, mut ready) = (Store::new(Some(1)), Ready::default());
        for number in 1..=2000 {
            push(&mut store, ms(number), number, (number % 200) as u8);
        }
        let mut stream = Stream::new(ms(5000), Want::History);
        stream.arrive(ms(5000), arrived(2001), &mut ready);
        push(&mut store, ms(5000), 2001, 3);
        while let Some(ask) = stream.poll(ms(5001), &mut ready) {
            answer(&mut stream, ms(5001), &store, ask, &mut ready);
        }
        let got = drain(&mut ready);
        assert_eq!(got.len(), 200);
        assert!(got.is_sorted() && got.last() == Some(&2001));
        assert_eq!((stream.lost, stream.due()), (0, None));
        stream.arrive(ms(5002), arrived(2002), &mut ready);
        assert_eq!(drain(&mut ready), [2002]);
    }

    #[test]
    fn nobody_answers_and_what_is_new_goes_on() {
        let mut ready = Ready::default();
        let mut stream = Stream::new(ms(0), Want::History);
        assert!(stream.poll(ms(0), &mut ready).is_some());
        stream.arrive(ms(100), arrived(8), &mut ready);
        assert!(stream.poll(ms(4999), &mut ready).is_some());
        assert!(ready.is_empty());
        stream.poll(ms(5000), &mut ready);
        assert_eq!(drain(&mut ready), [8]);
    }

    #[test]
    fn a_reader_that_takes_nothing_costs_a_bound_and_loses_nothing() {
        let (mut store, mut ready) = (Store::new(None), Ready::default());
        let mut stream = joined(&store, &mut ready);
        let count = 3 * MOST as u64;
        for number in 1..=count {
            push(&mut store, ms(1), number, 1);
            stream.arrive(ms(1), arrived(number), &mut ready);
        }
        assert!(ready.queue.len() <= MOST && stream.held.len() <= MOST);
        let (mut got, mut now) = (Vec::new(), ms(2));
        while got.len() < count as usize {
            got.extend(drain(&mut ready));
            if let Some(ask) = stream.poll(now, &mut ready) {
                answer(&mut stream, now, &store, ask, &mut ready);
            }
            now += ms(1000);
            assert!(now < Duration::from_secs(1000), "{}", got.len());
        }
        assert_eq!(got, (1..=count).collect::<Vec<_>>());
        assert_eq!(stream.lost, 0);
    }

    #[test]
    fn best_effort_asks_for_nothing() {
        let mut ready = Ready::default();
        let mut stream = Stream::new(ms(0), Want::BestEffort);
        for number in [5, 6, 9, 7] {
            stream.arrive(ms(0), arrived(number), &mut ready);
        }
        stream.hear(ms(0), 20);
        assert_eq!(stream.poll(ms(900), &mut ready), None);
        assert_eq!((drain(&mut ready), stream.lost), (vec![5, 6, 9], 2));
    }

    #[test]
    fn random_loss_ends_with_all_in_order() {
        // A number generator of its own, so that each run is the same.
        let mut seed = 1_u64;
        let mut random = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as u32
        };
        let (mut store, mut ready) = (Store::new(None), Ready::default());
        let mut stream = joined(&store, &mut ready);
        let (mut got, mut now) = (Vec::new(), ms(0));
        for number in 1..=2000 {
            now += ms(1);
            push(&mut store, now, number, 1);
            if random() % 2 == 0 {
                stream.arrive(now, arrived(number), &mut ready);
            }
            if let Some(ask) = stream.poll(now, &mut ready)
                && random() % 2 == 0
            {
                answer(&mut stream, now, &store, ask, &mut ready);
            }
            got.extend(drain(&mut ready));
        }
        stream.hear(now, 2000);
        for _ in 0..1000 {
            now += ms(5);
            if let Some(ask) = stream.poll(now, &mut ready) {
                answer(&mut stream, now, &store, ask, &mut ready);
            }
            got.extend(drain(&mut ready));
        }
        assert!(got.iter().copied().eq(1..=2000), "{}", got.len());
        assert_eq!(stream.lost, 0);
    }
}
