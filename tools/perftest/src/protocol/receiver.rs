//! What a subscriber does with each sample, in the thread that receives it: echo first, then count.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dunlin_lock::Lock;

use super::control::{Kind, Note, Tag, read};
use super::keys::Keys;
use crate::clock::{Nanos, SECOND, coarse, monotonic};
use crate::cost::Usage;
use crate::driver::{Counted, Driver};
use crate::messaging::{Header, Publish, Sample, Wake};

/// A publisher that said hello and then nothing for this time may be replaced by another run.
const ABANDONED: Nanos = 2 * SECOND;

/// Most results that wait for the main thread.
const RESULTS: usize = 64;

/// Shared by the reader of data and the main thread of a subscriber.
pub(super) struct Reception {
    /// The main thread has something to do.
    attention: AtomicBool,
    state: Lock<State>,
}

/// What has been received.
pub(super) struct State {
    /// One place per expected publisher id.
    pub(super) places: Vec<Place>,
    /// The segment under way.
    pub(super) traffic: Traffic,
    /// Segments that are over, oldest first.
    pub(super) results: VecDeque<Traffic>,
    segments: u32,
    /// What had been spent when the segment began.
    before: Usage,
    /// Publishers whose id is beyond `-numPublishers`.
    pub(super) stray: Option<u32>,
    pub(super) echo_failures: u64,
    /// Some samples are not for us, so nobody knows which are lost.
    filtered: bool,
}

/// What is known of one publisher.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    pub(super) tag: Option<Tag>,
    pub(super) heard: Nanos,
    /// It measures by ping-pong.
    pub(super) latency_test: bool,
    /// An answer that the main thread owes it.
    pub(super) owes_hello: bool,
    pub(super) owes_end: Option<u32>,
    /// It has nothing more to send.
    pub(super) over: bool,
    /// The next sequence number.
    expected: u32,
    started: bool,
    segments: u32,
    /// What a driver had counted when it was last asked.
    counted: Counted,
}

/// Counters of one segment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Traffic {
    pub(super) size: usize,
    pub(super) packets: u64,
    pub(super) bytes: u64,
    pub(super) lost: u64,
    /// Arrival of the first sample, and of the end.
    pub(super) first: Nanos,
    pub(super) end: Nanos,
    pub(super) complete: bool,
    /// By this process, between the two.
    pub(super) spent: Usage,
}

impl Traffic {
    /// Seconds from the first sample to the end, or to `now` while there is none.
    pub(super) fn seconds(&self, now: Nanos) -> f64 {
        let end = if self.end > 0 { self.end } else { now };
        end.saturating_sub(self.first) as f64 / SECOND as f64
    }
}

impl Reception {
    /// Nothing yet, from `publishers` publishers.
    pub(super) fn new(publishers: u32) -> Self {
        Self {
            attention: AtomicBool::new(false),
            state: Lock::new(State {
                places: vec![Place::default(); publishers as usize],
                traffic: Traffic::default(),
                results: VecDeque::with_capacity(RESULTS),
                segments: 0,
                before: Usage::default(),
                stray: None,
                echo_failures: 0,
                filtered: false,
            }),
        }
    }

    /// As `new`, where samples pass a content filter first.
    pub(super) fn behind_filter(publishers: u32) -> Self {
        let new = Self::new(publishers);
        new.with(|state| state.filtered = true);
        new
    }

    /// Whether the main thread has something to do.
    pub(super) fn needs_attention(&self) -> bool {
        self.attention.load(Ordering::Acquire)
    }

    /// Looks at the state, taking the request for attention back.
    pub(super) fn attend<R>(&self, then: impl FnOnce(&mut State) -> R) -> R {
        self.attention.store(false, Ordering::Release);
        self.with(then)
    }

    /// Takes over what a driver has counted.
    pub(super) fn sync(&self, driver: &dyn Driver) {
        self.with(|state| {
            for publisher in 0..state.places.len() {
                state.sync(publisher, driver.traffic(publisher as u32));
            }
        });
    }

    /// Looks at the state.
    pub(super) fn with<R>(&self, then: impl FnOnce(&mut State) -> R) -> R {
        then(&mut self.state.lock())
    }
}

/// Owned by the reader of data.
pub(super) struct Receiver<P, W> {
    id: u32,
    echo: P,
    keys: Keys,
    /// The runs that we belong to, by publisher id: the receiving thread's own copy, so that an
    /// echo needs no lock.
    attached: Vec<Option<Tag>>,
    reception: Arc<Reception>,
    /// Whatever ping comes is answered: those of our own may have been filtered.
    answers_all: bool,
    /// Who echoes and counts instead of us.
    driver: Option<Arc<dyn Driver>>,
    waker: W,
}

impl<P: Publish, W: Wake> Receiver<P, W> {
    /// A receiver that echoes pings for subscriber `id` through `echo`.
    pub(super) fn new(
        id: u32,
        publishers: u32,
        echo: P,
        keys: Keys,
        reception: Arc<Reception>,
        waker: W,
    ) -> Self {
        Self {
            id,
            echo,
            keys,
            attached: vec![None; publishers as usize],
            answers_all: reception.with(|state| state.filtered),
            reception,
            driver: None,
            waker,
        }
    }

    /// Data and warm-up are a driver's, which echoes and counts: of data it passes on the first
    /// sample of a segment.
    pub(super) fn driven_by(self, driver: Option<Arc<dyn Driver>>) -> Self {
        Self { driver, ..self }
    }

    /// Takes one sample.
    pub(super) fn on_sample(&mut self, sample: &Sample<'_>) {
        let Some((tag, kind)) = read(sample) else {
            return;
        };
        let place = tag.id() as usize;
        let ours = self
            .attached
            .get(place)
            .is_some_and(|run| *run == Some(tag));
        match kind {
            Kind::Hello => self.hello(tag, place, sample),
            _ if !ours => {}
            Kind::Data(_) if self.driver.is_some() => self.reception.with(State::begin),
            Kind::Data(ping) => {
                if ping.is_some_and(|id| self.answers_all || id == self.id) {
                    self.send_echo(sample);
                }
                let (seq, size) = (sample.header.seq_num, sample.data_len());
                self.reception.with(|state| state.count(place, seq, size));
            }
            Kind::WarmUp => {
                if tag.id() == 0 {
                    self.send_echo(sample);
                }
                self.reception.with(|state| state.alive(place));
            }
            Kind::Alive => self.reception.with(|state| state.alive(place)),
            Kind::End => {
                if let Some(note) = Note::decode(sample.data) {
                    self.end(tag, place, &note);
                }
            }
        }
    }

    fn end(&self, tag: Tag, place: usize, note: &Note) {
        if let Some(driver) = &self.driver {
            self.reception.sync(&**driver);
            driver.attach(tag.id(), tag.entity_id(), note.next_seq);
        }
        self.reception.with(|state| state.end(place, note));
        self.call();
    }

    /// The same sample back, in full size.
    fn send_echo(&mut self, sample: &Sample<'_>) {
        let header = Header {
            key: self.keys.next(),
            ..sample.header
        };
        let echo = Sample { header, ..*sample };
        match self.echo.write(&echo) {
            Ok(()) => self.echo.flush(),
            Err(_) => self.reception.with(|state| state.echo_failures += 1),
        }
    }

    fn hello(&mut self, tag: Tag, place: usize, sample: &Sample<'_>) {
        let Some(note) = Note::decode(sample.data) else {
            return;
        };
        let Some(mine) = self.attached.get_mut(place) else {
            self.reception.with(|state| state.stray = Some(tag.id()));
            return self.call();
        };
        let before = *mine;
        *mine = self.reception.with(|state| state.hello(place, tag, &note));
        if let (Some(driver), Some(run)) = (&self.driver, *mine)
            && before != Some(run)
        {
            driver.attach(run.id(), run.entity_id(), note.next_seq);
        }
        self.call();
    }

    fn call(&self) {
        self.reception.attention.store(true, Ordering::Release);
        self.waker.wake();
    }
}

impl State {
    /// A run asks for subscribers; returns the run that we belong to now.
    fn hello(&mut self, place: usize, tag: Tag, note: &Note) -> Option<Tag> {
        let place = self.places.get_mut(place)?;
        let now = monotonic();
        let abandoned = !place.started && now > place.heard.saturating_add(ABANDONED);
        if place.tag.is_none() || (place.tag != Some(tag) && abandoned) {
            *place = Place {
                tag: Some(tag),
                latency_test: note.latency_test,
                expected: note.next_seq,
                ..Place::default()
            };
        }
        if place.tag == Some(tag) {
            place.heard = now;
            place.owes_hello = true;
        }
        place.tag
    }

    fn alive(&mut self, place: usize) {
        if let Some(place) = self.places.get_mut(place) {
            place.heard = monotonic();
        }
    }

    /// The first sample of a segment is here.
    fn begin(&mut self) {
        if self.traffic.first == 0 {
            self.traffic.first = monotonic();
            self.before = Usage::now();
        }
    }

    fn count(&mut self, place: usize, seq: u32, size: usize) {
        self.begin();
        let Some(place) = self.places.get_mut(place) else {
            return;
        };
        place.heard = coarse();
        place.started = true;
        let traffic = &mut self.traffic;
        traffic.size = size;
        traffic.packets += 1;
        traffic.bytes += size as u64;
        if !self.filtered {
            traffic.note_gap(&mut place.expected, seq);
        }
    }

    /// A driver has counted so much by now.
    fn sync(&mut self, place: usize, now: Counted) {
        let Some(place) = self.places.get_mut(place) else {
            return;
        };
        let before = std::mem::replace(&mut place.counted, now);
        if (now.packets, now.others) != (before.packets, before.others) {
            place.heard = coarse();
        }
        self.echo_failures += now.echo_failures.saturating_sub(before.echo_failures);
        let packets = now.packets.saturating_sub(before.packets);
        if packets == 0 {
            return;
        }
        place.started = true;
        let traffic = &mut self.traffic;
        traffic.size = now.size as usize;
        traffic.packets += packets;
        traffic.bytes += now.bytes.saturating_sub(before.bytes);
        if !self.filtered {
            traffic.lost = traffic
                .lost
                .saturating_add_signed(now.lost.saturating_sub(before.lost));
            place.expected = now.expected;
        }
    }

    fn end(&mut self, place: usize, note: &Note) {
        let Some(from) = self.places.get_mut(place) else {
            return;
        };
        from.heard = monotonic();
        from.started = true;
        from.owes_end = Some(note.segment);
        if note.segment < from.segments {
            return;
        }
        // Samples that were sent last and never came.
        let missing = note.next_seq.wrapping_sub(from.expected);
        if missing < u32::MAX / 2 && !self.filtered {
            self.traffic.lost += u64::from(missing);
        }
        from.expected = note.next_seq;
        from.segments = note.segment.saturating_add(1);
        from.over |= note.last;
        let ended = from.segments;
        if self.traffic.size == 0 {
            self.traffic.size = note.data_len as usize;
        }
        self.traffic.complete =
            note.complete && (self.traffic.complete || self.first_to_end(ended));
        if self
            .places
            .iter()
            .all(|place| place.segments >= ended || place.over)
        {
            self.close(ended);
        }
    }

    /// Whether no other publisher has ended the segment before.
    fn first_to_end(&self, segments: u32) -> bool {
        self.places
            .iter()
            .filter(|place| place.segments >= segments)
            .count()
            <= 1
    }

    fn close(&mut self, ended: u32) {
        let mut result = std::mem::take(&mut self.traffic);
        result.end = monotonic();
        result.spent = Usage::now().since(self.before);
        if result.first == 0 {
            result.first = result.end;
        }
        self.segments = self.segments.max(ended);
        if self.results.len() < RESULTS {
            self.results.push_back(result);
        }
    }
}

impl Traffic {
    /// Counts what is missing before this sample; one that comes after all was counted as missing
    /// before.
    fn note_gap(&mut self, expected: &mut u32, seq: u32) {
        let gap = seq.wrapping_sub(*expected);
        if gap < u32::MAX / 2 {
            self.lost += u64::from(gap);
            *expected = seq.wrapping_add(1);
        } else {
            self.lost = self.lost.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(sequence: &[u32], first: u32) -> (u64, u32) {
        let (mut traffic, mut expected) = (Traffic::default(), first);
        sequence
            .iter()
            .for_each(|seq| traffic.note_gap(&mut expected, *seq));
        (traffic.lost, expected)
    }

    #[test]
    fn gaps_are_lost_and_latecomers_are_not() {
        assert_eq!(lost(&[0, 1, 2], 0), (0, 3));
        assert_eq!(lost(&[2, 5], 0), (4, 6));
        assert_eq!(lost(&[0, 2, 1, 3], 0), (0, 4));
        assert_eq!(lost(&[u32::MAX, 1], u32::MAX), (1, 2));
    }

    #[test]
    fn samples_missing_at_the_end_are_lost_too() {
        let mut state = Reception::new(1).state.into_inner();
        let tag = Tag::new_run(0);
        state.hello(0, tag, &Note::default());
        state.count(0, 0, 32);
        let end = Note {
            next_seq: 4,
            last: true,
            complete: true,
            ..Note::default()
        };
        state.end(0, &end);
        state.end(0, &end);
        assert_eq!(state.results.len(), 1);
        let result = state.results[0];
        assert_eq!((result.packets, result.lost, result.complete), (1, 3, true));
        assert_eq!(state.traffic, Traffic::default());
    }

    #[test]
    fn behind_a_filter_nothing_is_lost() {
        let mut state = Reception::behind_filter(1).state.into_inner();
        let tag = Tag::new_run(0);
        state.hello(0, tag, &Note::default());
        state.count(0, 5, 32);
        state.count(0, 9, 32);
        let end = Note {
            next_seq: 40,
            last: true,
            complete: true,
            ..Note::default()
        };
        state.end(0, &end);
        let result = state.results[0];
        assert_eq!((result.packets, result.lost, result.complete), (2, 0, true));
    }

    #[test]
    fn a_place_is_taken_by_one_run_until_it_is_abandoned() {
        let mut state = Reception::new(1).state.into_inner();
        let (first, second) = (Tag::new_run(0), Tag::new_run(0));
        assert_eq!(state.hello(0, first, &Note::default()), Some(first));
        assert_eq!(state.hello(0, second, &Note::default()), Some(first));
        state.places[0].heard = 0;
        assert_eq!(state.hello(0, second, &Note::default()), Some(second));
        state.count(0, 0, 32);
        state.places[0].heard = 0;
        assert_eq!(state.hello(0, first, &Note::default()), Some(second));
    }

    #[test]
    fn a_segment_is_over_when_all_publishers_have_ended_it() {
        let mut state = Reception::new(2).state.into_inner();
        let end = |complete| Note {
            complete,
            last: true,
            ..Note::default()
        };
        state.end(0, &end(true));
        assert!(state.results.is_empty());
        state.end(1, &end(false));
        assert!(!state.results[0].complete);
    }
}
