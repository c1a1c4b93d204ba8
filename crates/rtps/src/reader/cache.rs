//! Samples until they are taken, in the order of arrival, and the instances they belong to (DDS 1.4
//! 2.2.2.5).
//!
//! Samples and instances live in slabs. A sample is a link in two chains: all samples, and those of
//! its instance.
mod admission;
mod recognize;

use super::foreign_key_hashes::ForeignKeyHashes;
use super::instance::Instance;
use super::origins::Origins;
use super::outcome::PassedOver;
use super::presentation_order::Order;
use super::timers::{Due, Held, Timers};
use super::writer_proxy::WriterIdentity;
use super::{KeyOf, ReaderConfig, Rejection, RejectionReason};
use crate::instance_map::InstanceMap;
use crate::slab::{NONE, Slab};
use crate::{ChangeKind, ContentFilter, InstanceHandle, InstanceState, Payload, SetPlace, Time};
use alloc::boxed::Box;
use alloc::vec::Vec;
use bytes::Bytes;
use dunlin_qos::{DestinationOrder, History, Ownership, ResourceLimits};
use dunlin_wire::{Guid, SampleIdentity, SampleOrigin, SequenceNumber, Timestamp};

/// A sample, or the notice that an instance's state changed.
pub(super) struct Stored {
    pub(super) instance: u32,
    pub(super) read: bool,
    pub(super) valid: bool,
    pub(super) foreign_key_hash: bool,
    pub(super) disposed_generations: i32,
    pub(super) no_writers_generations: i32,
    pub(super) timestamp: Option<Timestamp>,
    pub(super) writer: Guid,
    pub(super) sequence: i64,
    /// When it is not valid any more.
    expires: Time,
    pub(super) payload: Payload,
    /// Where `Cache::origins` has its origin; `NONE` if it says nothing of it.
    pub(super) origin: u32,
    pub(super) before: u32,
    pub(super) after: u32,
    pub(super) older: u32,
    pub(super) newer: u32,
}

// Each sample is moved in and out. Up to so many bytes that is done in place, and beyond it is a
// call. What few samples have has a slab of its own.
const _: () = assert!(size_of::<Stored>() <= 128);

/// What is known of a change beside its payload.
#[derive(Clone, Copy)]
pub(super) struct Header<'a> {
    pub(super) author: WriterIdentity,
    pub(super) sequence: i64,
    pub(super) timestamp: Option<Timestamp>,
    /// When it came.
    pub(super) arrived: Time,
    /// When it is not valid any more.
    pub(super) expires: Time,
    pub(super) kind: ChangeKind,
    pub(super) instance: InstanceHandle,
    /// What the writer calls the instance, if it does not hash keys as we do. The same as
    /// `instance` if that name is all that is known.
    pub(super) name: Option<InstanceHandle>,
    /// Another vendor computed the key hash.
    pub(super) foreign_key_hash: bool,
    /// Which samples it repeats or answers.
    pub(super) origin: Option<&'a SampleOrigin>,
    /// In which coherent set it is.
    pub(super) set: SetPlace,
}

impl Header<'_> {
    /// Who wrote it first, and under which number.
    fn identity(&self) -> SampleIdentity {
        let original = self.origin.and_then(|origin| origin.original_writer);
        let original = original.filter(|original| original.sequence.0 > 0);
        original.unwrap_or(SampleIdentity {
            writer: self.author.guid,
            sequence: SequenceNumber(self.sequence),
        })
    }
}

pub(super) struct Cache {
    pub(super) history: History,
    pub(super) limits: ResourceLimits,
    ownership: Ownership,
    by_source: bool,
    /// Samples are handed out as they came, whatever their instance.
    pub(super) across_instances: bool,
    key_of: Option<KeyOf>,
    /// Nothing is said of instances of which no sample was let in.
    pub(super) ignores_strangers: bool,
    pub(super) samples: Slab<Stored>,
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) unread: usize,
    /// Samples with data.
    pub(super) valid: usize,
    pub(super) instances: InstanceMap<Instance>,
    pub(super) names: ForeignKeyHashes,
    /// What time does, if it does anything.
    pub(super) timers: Option<Box<Timers>>,
    /// Which turn samples came in, if several readers share an order.
    pub(super) order: Option<Box<Order>>,
    /// What samples have to be for `read` and `take`, if that depends on their content.
    pub(super) query: Option<ContentFilter>,
    /// Scratch of `read` and `take`.
    pub(super) chosen: Vec<u32>,
    /// Samples that could be seen, ever.
    pub(super) taken_in: u64,
    /// What was not shown, and why.
    pub(super) passed_over: PassedOver,
    /// What came already, by whoever wrote it first, if that is not to come twice and has been said
    /// of a sample.
    pub(super) duplicates: Option<Box<Origins>>,
    /// What samples say of their origin. Most say nothing, so it is not in the samples.
    pub(super) origins: Slab<SampleOrigin>,
    /// What the samples are, where every change is handed out.
    pub(super) stream: Option<Box<Stream>>,
}

/// Of each place in the slab of samples: what is said of its change beside what all samples have.
#[derive(Default)]
pub(super) struct Stream(Vec<Told>);

/// What a reader in stream mode says of a change.
#[derive(Clone, Copy)]
pub(super) struct Told {
    pub(super) kind: ChangeKind,
    /// As it came, if one did.
    pub(super) key_hash: Option<InstanceHandle>,
    pub(super) set: SetPlace,
}

impl Told {
    const NOTHING: Self = Self {
        kind: ChangeKind::Alive,
        key_hash: None,
        set: SetPlace::Outside,
    };
}

impl Stream {
    fn note(&mut self, place: u32, header: &Header<'_>) {
        let place = place as usize;
        if place >= self.0.len() {
            self.0.resize(place + 1, Told::NOTHING);
        }
        if let Some(told) = self.0.get_mut(place) {
            *told = Told {
                kind: header.kind,
                key_hash: header.name,
                set: header.set,
            };
        }
    }

    pub(super) fn at(&self, place: u32) -> Told {
        let told = self.0.get(place as usize).copied();
        told.unwrap_or(Told::NOTHING)
    }
}

impl Cache {
    pub(super) fn new(config: &ReaderConfig) -> Self {
        Self {
            history: config.history,
            limits: config.resource_limits,
            ownership: config.ownership,
            by_source: config.destination_order == DestinationOrder::BySourceTimestamp,
            across_instances: config.across_instances,
            key_of: config.key_of.clone(),
            ignores_strangers: config.content_filter.is_some(),
            samples: Slab::new(),
            first: NONE,
            last: NONE,
            unread: 0,
            valid: 0,
            instances: InstanceMap::new(),
            names: ForeignKeyHashes::new(),
            timers: Timers::needed_for(config),
            order: config.is_ordered().then(Box::default),
            query: None,
            chosen: Vec::new(),
            taken_in: 0,
            passed_over: PassedOver::default(),
            duplicates: None,
            origins: Slab::new(),
            stream: config.stream.then(Box::default),
        }
    }

    /// A writer is stronger or weaker than it was.
    pub(super) fn set_strength(&mut self, author: WriterIdentity) {
        if self.ownership == Ownership::Shared {
            return;
        }
        for place in self.instances.keys() {
            let owner = self.instances.get_mut(place).and_then(Instance::owner_mut);
            if let Some(owner) = owner.filter(|owner| owner.id == author.id) {
                owner.strength = author.strength;
            }
        }
    }

    /// A writer is gone from all instances, of which it `disposes` those that it writes; true if
    /// there is something new to take.
    pub(super) fn leave_all(&mut self, now: Time, author: WriterIdentity, disposes: bool) -> bool {
        let mut changed = false;
        for place in self.instances.keys() {
            if self.timers.is_some()
                && let Some(instance) = self.instances.get(place)
                && (instance.is_written_only_by(author.id)
                    || disposes && instance.is_written_by(author.id))
            {
                changed |= self.release(place);
            }
            let Some(instance) = self.instances.get_mut(place) else {
                continue;
            };
            let before = instance.state;
            if disposes
                && instance.is_written_by(author.id)
                && instance.heeds(author, self.ownership)
            {
                instance.state = InstanceState::NotAliveDisposed;
            }
            if instance.leave(author.id) {
                instance.state = InstanceState::NotAliveNoWriters;
            }
            if instance.state != before && self.stream.is_none() {
                let header = Header {
                    author,
                    sequence: 0,
                    timestamp: None,
                    arrived: now,
                    expires: Time::NEVER,
                    kind: match disposes {
                        true => ChangeKind::DisposedUnregistered,
                        false => ChangeKind::Unregistered,
                    },
                    instance: instance.handle,
                    name: None,
                    foreign_key_hash: false,
                    origin: None,
                    set: SetPlace::Outside,
                };
                let key = Payload::Inline(instance.key.clone());
                self.notify(place, &header, key);
                changed = true;
            } else {
                self.forget_if_dead(place);
            }
        }
        changed
    }

    /// Lets in what came too soon, since something else happens to the instance; true if that is
    /// something new.
    fn release(&mut self, place: u32) -> bool {
        let held = self.timers.as_mut().and_then(|c| c.release(place));
        held.is_some_and(|held| self.let_in(place, *held))
    }

    fn let_in(&mut self, place: u32, held: Held) -> bool {
        let Held {
            header,
            origin,
            payload,
        } = held;
        let header = Header {
            origin: origin.as_deref(),
            ..header
        };
        self.admit(place, &header, || payload).unwrap_or(false)
    }

    /// Does what is due for instances by `now`; true if there is something new to take.
    pub(super) fn pass_time(&mut self, now: Time) -> bool {
        let Some(timers) = &mut self.timers else {
            return false;
        };
        let instances = &self.instances;
        let handle = |place| instances.get(place).map(|instance| instance.handle);
        let all: Vec<Due> = core::iter::from_fn(|| timers.next_due(now, handle)).collect();
        let mut available = false;
        for due in all {
            if due.missed
                && let Some(instance) = self.instances.get_mut(due.place)
            {
                instance.disown();
            }
            if due.purge {
                self.purge(due.place);
            }
            if let Some(mut held) = due.release {
                held.header.arrived = now;
                available |= self.let_in(due.place, *held);
            }
        }
        available
    }

    /// Lets go of samples that are not valid any more.
    pub(super) fn expire(&mut self, now: Time) {
        while let Some(timers) = &mut self.timers
            && let Some(place) = timers.next_expired(now)
        {
            if self.samples.get(place).is_some_and(|s| s.expires <= now)
                && let Some(stored) = self.remove(place)
            {
                self.passed_over.expired += u64::from(!stored.read);
                self.forget_if_dead(stored.instance);
            }
        }
    }

    /// Lets go of all samples of an instance.
    fn purge(&mut self, place: u32) {
        while let Some(oldest) = self.instances.get(place).map(|i| i.oldest)
            && self.remove(oldest).is_some()
        {}
        self.forget_if_dead(place);
    }

    /// Samples with data.
    pub(super) fn valid(&self) -> usize {
        self.valid
    }

    /// How many more samples fit in any case; `None` if that depends on which they are, or if there
    /// is no limit.
    pub(super) fn room(&self, keyed: bool) -> Option<usize> {
        let of_one = self.limits.max_samples_per_instance.filter(|_| !keyed);
        let limits = [self.limits.max_samples, of_one];
        let limit = limits.into_iter().flatten().min();
        let limit = limit.filter(|_| self.history == History::KeepAll)?;
        Some((limit as usize).saturating_sub(self.valid))
    }

    pub(super) fn knows(&self, instance: InstanceHandle) -> bool {
        self.place_of(instance).is_some()
    }

    pub(super) fn key(&self, instance: InstanceHandle) -> Option<Bytes> {
        let instance = self.instances.get(self.place_of(instance)?)?;
        Some(instance.key.clone()).filter(|key| !key.is_empty())
    }

    pub(super) fn place_of(&self, instance: InstanceHandle) -> Option<u32> {
        self.instances.place_of(instance)
    }

    /// Takes a sample out of both chains.
    pub(super) fn remove(&mut self, place: u32) -> Option<Stored> {
        let stored = self.take_out(place)?;
        self.take_origin(&stored);
        Some(stored)
    }

    /// What a sample that was taken out says of its origin.
    #[inline]
    pub(super) fn take_origin(&mut self, stored: &Stored) -> Option<SampleOrigin> {
        match stored.origin {
            NONE => None,
            at => self.origins.remove(at),
        }
    }

    /// As `remove`, but what it says of its origin stays until `take_origin`.
    #[inline]
    pub(super) fn take_out(&mut self, place: u32) -> Option<Stored> {
        let stored = self.samples.remove(place)?;
        if self.samples.len() == 0 {
            // Mostly one sample comes, and is taken: nobody is linked to it.
            (self.first, self.last) = (NONE, NONE);
        } else {
            self.unlink(&stored);
        }
        if let Some(instance) = self.instances.get_mut(stored.instance) {
            if stored.older == NONE {
                instance.oldest = stored.newer;
            }
            if stored.newer == NONE {
                instance.newest = stored.older;
            }
            if instance.notice == place {
                instance.notice = NONE;
            }
            instance.count -= u32::from(stored.valid);
        }
        self.valid -= usize::from(stored.valid);
        self.unread -= usize::from(!stored.read);
        Some(stored)
    }

    fn unlink(&mut self, stored: &Stored) {
        match self.samples.get_mut(stored.before) {
            Some(before) => before.after = stored.after,
            None => self.first = stored.after,
        }
        match self.samples.get_mut(stored.after) {
            Some(after) => after.before = stored.before,
            None => self.last = stored.before,
        }
        if let Some(older) = self.samples.get_mut(stored.older) {
            older.newer = stored.newer;
        }
        if let Some(newer) = self.samples.get_mut(stored.newer) {
            newer.older = stored.older;
        }
    }

    /// Forgets an instance that is not alive, has no samples and no writers.
    pub(super) fn forget_if_dead(&mut self, place: u32) {
        if let Some(instance) = self.instances.get(place)
            && instance.is_forgettable()
            && let Some(instance) = self.instances.remove(place)
        {
            self.forget_names(place, &instance.into_names());
        }
    }

    fn new_instance(&mut self, header: &Header<'_>) -> Result<u32, Rejection> {
        let handle = header.instance;
        let full = reached(self.limits.max_instances, self.instances.len());
        if full {
            return Err(rejection(RejectionReason::Instances, handle));
        }
        if header.kind == ChangeKind::Alive && reached(self.limits.max_samples, self.valid) {
            return Err(rejection(RejectionReason::Samples, handle));
        }
        let place = self.instances.insert(Instance::new(handle));
        if let Some(timers) = &mut self.timers {
            timers.begin(place);
        }
        Ok(place)
    }

    fn check_limits(&self, place: u32, handle: InstanceHandle) -> Result<(), Rejection> {
        let count = self.count(place);
        if reached(self.limits.max_samples_per_instance, count as usize) {
            return Err(rejection(RejectionReason::SamplesPerInstance, handle));
        }
        if reached(self.limits.max_samples, self.valid) {
            return Err(rejection(RejectionReason::Samples, handle));
        }
        Ok(())
    }

    /// How many samples with data an instance has.
    #[inline]
    pub(super) fn count(&self, place: u32) -> u32 {
        self.instances.get(place).map_or(0, |i| i.count)
    }

    /// The oldest sample with data of an instance.
    fn oldest(&self, place: u32) -> u32 {
        let mut oldest = self.instances.get(place).map_or(NONE, |i| i.oldest);
        while let Some(stored) = self.samples.get(oldest)
            && !stored.valid
        {
            oldest = stored.newer;
        }
        oldest
    }

    fn is_older(&self, header: &Header<'_>, than: u32) -> bool {
        let than = self.samples.get(than).and_then(|s| s.timestamp);
        header.timestamp.is_some() && header.timestamp < than
    }

    /// Puts the one notice of an instance's state at the end of its samples.
    fn notify(&mut self, place: u32, header: &Header<'_>, key: Payload) {
        if let Some(old) = self.instances.get(place).map(|i| i.notice) {
            self.remove(old);
        }
        let notice = self.append(place, header, false, key);
        if let Some(instance) = self.instances.get_mut(place) {
            instance.notice = notice;
            if let Some(timers) = &mut self.timers {
                timers.died(place, instance.state, header.arrived);
            }
        }
    }

    #[inline]
    fn append(&mut self, place: u32, header: &Header<'_>, valid: bool, payload: Payload) -> u32 {
        let Some(instance) = self.instances.get_mut(place) else {
            return NONE;
        };
        let (older, newer) = match self.by_source && header.timestamp.is_some() {
            true => by_time(&self.samples, instance.newest, header.timestamp),
            false => (instance.newest, NONE),
        };
        let (alone, after) = (self.first == NONE, newer);
        let before = match after {
            NONE => self.last,
            _ => self.samples.get(after).map_or(NONE, |s| s.before),
        };
        let origin = match header.origin {
            None => NONE,
            Some(origin) => self.origins.insert(*origin),
        };
        let stored = self.samples.insert(Stored {
            instance: place,
            read: false,
            valid,
            foreign_key_hash: header.foreign_key_hash,
            disposed_generations: instance.disposed_generations,
            no_writers_generations: instance.no_writers_generations,
            timestamp: header.timestamp,
            writer: header.author.guid,
            sequence: header.sequence,
            expires: header.expires,
            payload,
            origin,
            before,
            after,
            older,
            newer,
        });
        if let Some(order) = &mut self.order {
            order.note(stored);
        }
        if let Some(stream) = &mut self.stream {
            stream.note(stored, header);
        }
        instance.count += u32::from(valid);
        self.valid += usize::from(valid);
        self.taken_in += u64::from(valid);
        self.unread += 1;
        if alone {
            (instance.oldest, instance.newest) = (stored, stored);
            (self.first, self.last) = (stored, stored);
            return stored;
        }
        match self.samples.get_mut(older) {
            Some(older) => older.newer = stored,
            None => instance.oldest = stored,
        }
        match self.samples.get_mut(newer) {
            Some(newer) => newer.older = stored,
            None => instance.newest = stored,
        }
        match self.samples.get_mut(before) {
            Some(before) => before.after = stored,
            None => self.first = stored,
        }
        match self.samples.get_mut(after) {
            Some(after) => after.before = stored,
            None => self.last = stored,
        }
        stored
    }
}

impl Stored {
    pub(super) fn number(&self) -> SequenceNumber {
        SequenceNumber(self.sequence)
    }

    pub(super) fn generation(&self) -> i32 {
        self.disposed_generations
            .saturating_add(self.no_writers_generations)
    }
}

/// Between which two samples of an instance, from `newest` back, one of this time belongs.
fn by_time(samples: &Slab<Stored>, newest: u32, timestamp: Option<Timestamp>) -> (u32, u32) {
    let (mut older, mut newer) = (newest, NONE);
    while let Some(stored) = samples.get(older)
        && stored.timestamp > timestamp
    {
        newer = older;
        older = stored.older;
    }
    (older, newer)
}

fn reached(limit: Option<u32>, count: usize) -> bool {
    limit.is_some_and(|limit| count >= limit as usize)
}

fn rejection(reason: RejectionReason, instance: InstanceHandle) -> Rejection {
    Rejection { reason, instance }
}
