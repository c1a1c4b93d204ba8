//! Before the readers of a subscriber: sets of several writers of a publisher wait here until all
//! of them have all of it, and while the application looks (PRESENTATION with scope GROUP, DDS 1.4
//! 2.2.3.6, 2.2.2.5.2.8). With ordered access all changes of a publisher pass one by one, in the
//! order in which it wrote them.
//!
//! The readers keep what waits; the gate only asks each how it stands with its writers, and tells
//! them what to let in. That is done under the gate's lock, which `begin_access` takes as well: it
//! comes before or after a set, never amid it.
use crate::entity::member::MemberReader;
use crate::error::{Error, Result};
use crate::receive::deferred;
use crate::runtime::lock::{GATE, Ranked};
use dunlin_qos::{AccessScope, SubscriberQos};
use dunlin_rtps::{GroupFront, GroupOrder, GroupStanding};
use dunlin_wire::{EntityId, Guid, GuidPrefix};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Weak};

/// A publisher; of those that do not say which they are, all of a participant count as one.
type PublisherId = (GuidPrefix, Option<EntityId>);

pub(crate) struct GroupAccess<R> {
    /// Do sets, or changes, of several writers wait for each other?
    gathers: AtomicBool,
    /// Do all changes?
    orders: AtomicBool,
    state: Ranked<State<R>, GATE>,
}

struct State<R> {
    readers: Vec<Weak<R>>,
    /// Whose the matched writers are.
    publishers: BTreeMap<Guid, PublisherId>,
    /// Up to which set something of a publisher's is missing.
    broken: BTreeMap<PublisherId, i64>,
    /// Up to which number all changes of a publisher had their turn.
    seen: BTreeMap<PublisherId, i64>,
    /// How many sets and changes had their turn.
    turns: u64,
    /// How often the application has begun to look and not ended.
    accesses: u32,
}

/// How one reader stands with one writer.
type Place<R> = (Arc<R>, GroupFront);

impl<R> Default for State<R> {
    fn default() -> Self {
        Self {
            readers: Vec::new(),
            publishers: BTreeMap::new(),
            broken: BTreeMap::new(),
            seen: BTreeMap::new(),
            turns: 0,
            accesses: 0,
        }
    }
}

impl<R: MemberReader> GroupAccess<R> {
    pub(crate) fn new(qos: &SubscriberQos) -> Self {
        let group_access = Self {
            gathers: AtomicBool::new(false),
            orders: AtomicBool::new(false),
            state: Ranked::default(),
        };
        group_access.adapt(qos);
        group_access
    }

    /// The subscriber's QoS is another, which it may be before it is enabled.
    pub(crate) fn adapt(&self, qos: &SubscriberQos) {
        let presentation = qos.presentation;
        let over_group = presentation.access_scope == AccessScope::Group;
        let orders = presentation.ordered_access && over_group;
        let gathers = presentation.coherent_access && over_group;
        self.orders.store(orders, Relaxed);
        self.gathers.store(gathers || orders, Relaxed);
    }

    /// Are samples to be taken in one order over all readers?
    pub(crate) fn orders(&self) -> bool {
        self.orders.load(Relaxed)
    }

    /// Do sets, or changes, of several writers wait for each other here?
    #[inline]
    pub(crate) fn gathers(&self) -> bool {
        self.gathers.load(Relaxed)
    }

    pub(crate) fn enter(&self, reader: &Arc<R>) {
        if self.gathers() {
            let mut state = self.state.lock();
            state.readers.retain(|reader| reader.strong_count() > 0);
            state.readers.push(Arc::downgrade(reader));
        }
    }

    /// The reader is being deleted; others may hold it for a while.
    pub(crate) fn leave(&self, reader: &Arc<R>) {
        if self.gathers() {
            let gone = Arc::downgrade(reader);
            let mut state = self.state.lock();
            state.readers.retain(|reader| !reader.ptr_eq(&gone));
            drop(state);
            self.open();
        }
    }

    /// A writer matches one of the readers.
    pub(crate) fn know(&self, writer: Guid, publisher: Option<EntityId>) {
        if self.gathers() {
            let publisher = (writer.prefix, publisher);
            self.state.lock().publishers.insert(writer, publisher);
        }
    }

    /// A writer has left a reader, with something of the sets up to `last` that nobody has seen.
    pub(crate) fn lose(&self, writer: Guid, last: Option<i64>) {
        let mut state = self.state.lock();
        if let Some(last) = last
            && let Some(publisher) = state.publishers.get(&writer).copied()
        {
            state.note_broken(publisher, last);
        }
        let readers = state.readers.iter().filter_map(Weak::upgrade);
        let readers: Vec<_> = readers.collect();
        let writes = |reader: &Arc<R>| {
            let fronts = reader.group_fronts();
            fronts.iter().any(|front| front.writer == writer)
        };
        if !readers.iter().any(writes) {
            state.publishers.remove(&writer);
        }
        drop(state);
        readers.into_iter().for_each(deferred::add_if_last);
        self.open();
    }

    /// The application begins to look: until it ends, nothing new is let in.
    pub(crate) fn begin_access(&self) {
        let mut state = self.state.lock();
        state.accesses = state.accesses.saturating_add(1);
    }

    pub(crate) fn end_access(&self) -> Result<()> {
        let _deferred = deferred::scope();
        let mut state = self.state.lock();
        let left = state.accesses.checked_sub(1);
        state.accesses = left.ok_or_else(|| {
            let why = "subscriber: end_access without begin_access: each needs one call of the other before it";
            Error::PreconditionNotMet(why.into())
        })?;
        drop(state);
        self.open();
        Ok(())
    }

    /// Lets in what is complete. Listeners are called by the thread that receives.
    pub(crate) fn open(&self) {
        if !self.gathers() {
            return;
        }
        let mut state = self.state.lock();
        if state.accesses > 0 {
            return;
        }
        while state.open_once(self.orders()) {}
    }
}

impl<R: MemberReader> State<R> {
    fn note_broken(&mut self, publisher: PublisherId, last: i64) {
        let broken = self.broken.entry(publisher).or_insert(last);
        *broken = last.max(*broken);
    }

    /// Lets in, or drops, the next set of each publisher; false if there was none. With `asks`
    /// writers are asked that keep the next one waiting.
    fn open_once(&mut self, asks: bool) -> bool {
        let places = self.places();
        let mut opened = false;
        for (publisher, places) in &places {
            let fronts: Vec<_> = places.iter().map(|(_, front)| *front).collect();
            let broken = self.broken.get(publisher).copied().unwrap_or(0);
            let seen = self.seen.get(publisher).copied().unwrap_or(0);
            let Some(turn) = GroupFront::next_turn(&fronts, broken, seen) else {
                if asks && let Some((number, silent)) = GroupFront::silent(&fronts, seen) {
                    ask(places, number, &silent.collect::<Vec<_>>());
                }
                continue;
            };
            if !turn.whole {
                self.note_broken(*publisher, turn.first);
            }
            self.seen.insert(*publisher, turn.last.max(seen));
            self.turns += 1;
            release(places, turn, self.turns);
            opened = true;
        }
        for (reader, _) in places.into_values().flatten() {
            deferred::add_if_last(reader);
        }
        opened
    }

    /// How all readers stand with all writers, by publisher. What nobody needs any more is
    /// forgotten.
    fn places(&mut self) -> BTreeMap<PublisherId, Vec<Place<R>>> {
        let mut places: BTreeMap<PublisherId, Vec<Place<R>>> = BTreeMap::new();
        for reader in self.readers.iter().filter_map(Weak::upgrade) {
            for front in reader.group_fronts() {
                let publisher = self.publishers.get(&front.writer).copied();
                let publisher = publisher.unwrap_or((front.writer.prefix, None));
                let all = places.entry(publisher).or_default();
                all.push((Arc::clone(&reader), front));
            }
            deferred::add_if_last(reader);
        }
        self.broken
            .retain(|publisher, _| places.contains_key(publisher));
        self.seen
            .retain(|publisher, _| places.contains_key(publisher));
        places
    }
}

/// The set, or change, has its turn with each reader that has something of it.
fn release<R: MemberReader>(places: &[Place<R>], turn: GroupOrder, nth: u64) {
    let part = |(reader, front): &Place<R>| match front.standing {
        GroupStanding::Sealed { first, .. } if first == turn.first => {
            Some((Arc::clone(reader), front.writer))
        }
        _ => None,
    };
    let parts: Vec<_> = places.iter().filter_map(part).collect();
    // Those of one reader come one after the other.
    for of_one in parts.chunk_by(|(a, _), (b, _)| Arc::ptr_eq(a, b)) {
        let writers: Vec<_> = of_one.iter().map(|(_, writer)| *writer).collect();
        if let Some((reader, _)) = of_one.first() {
            reader.release_group(reader.now(), &writers, turn, nth);
        }
    }
    for (reader, _) in parts {
        deferred::add_if_last(reader);
    }
}

/// These writers are asked whether anything of what their publisher wrote up to this number is to
/// come.
fn ask<R: MemberReader>(places: &[Place<R>], number: i64, writers: &[Guid]) {
    for (reader, front) in places {
        if writers.contains(&front.writer) {
            reader.want_news(reader.now(), front.writer, number);
        }
    }
}
