//! What the readers of one subscriber, and the writers of one publisher, have in common: QoS, a
//! listener, DATA_ON_READERS, and whether they are enabled.
//!
//! Where nobody asks for DATA_ON_READERS a reader finds out by one look at `attention` and goes its
//! own way.
use crate::entity::coherent_set::WriterGroup;
use crate::entity::contained::ContainedEntities;
use crate::entity::group_access::GroupAccess;
use crate::entity::listener::dispatch::{Dispatch, Listener};
use crate::entity::listener::slot::ListenerSlot;
use crate::entity::member::{MemberReader, MemberWriter};
use crate::entity::participant::ParticipantGuard;
use crate::entity::shared::{Reader, Shared, Writer};
use crate::error::{Error, Result};
use crate::runtime::lock::{LEAF, Ranked};
use crate::status::{StatusFlags, StatusKind};
use dunlin_qos::{DataReaderQos, DataWriterQos, ImmutablePolicy, PublisherQos, SubscriberQos};
use dunlin_wire::{EntityKind, Guid};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::SeqCst};
use std::sync::{Arc, Weak};

/// A listener wants DATA_ON_READERS.
const LISTENER: u8 = 1;
/// A condition may.
const CONDITION: u8 = 2;

type PublisherListener = <Shared as ContainedEntities>::PublisherListener;
type SubscriberListener = <Shared as ContainedEntities>::SubscriberListener;

/// What all handles of a publisher and all its writers share.
pub(crate) struct PublisherCore<W = Writer> {
    pub(crate) guid: Guid,
    pub(crate) shared: Arc<Shared>,
    participant: Weak<ParticipantGuard>,
    qos: Ranked<PublisherQos, LEAF>,
    enabled: AtomicBool,
    deleted: AtomicBool,
    /// Its writers, those that are not enabled yet among them.
    writers: Ranked<Vec<Weak<W>>, LEAF>,
    pub(crate) defaults: Ranked<DataWriterQos, LEAF>,
    pub(crate) listener: ListenerSlot<PublisherListener>,
    /// Another one only while there is no writer.
    sets: Ranked<Arc<WriterGroup<W>>, LEAF>,
}

impl<W: MemberWriter + 'static> PublisherCore<W> {
    pub(crate) fn new(qos: PublisherQos, participant: &Arc<ParticipantGuard>) -> Self {
        let shared = &participant.shared;
        let guid = Guid::new(shared.prefix, shared.new_entity());
        Self {
            guid,
            sets: Ranked::new(Arc::new(WriterGroup::new(guid.entity, &qos))),
            shared: Arc::clone(shared),
            participant: Arc::downgrade(participant),
            qos: Ranked::new(qos),
            enabled: AtomicBool::new(shared.enables()),
            deleted: AtomicBool::new(false),
            writers: Ranked::default(),
            defaults: Ranked::default(),
            listener: ListenerSlot::default(),
        }
    }

    pub(crate) fn qos(&self) -> PublisherQos {
        self.qos.lock().clone()
    }

    /// Takes over another QoS: all of it before it is enabled and has writers, then what may
    /// change, which its writers announce.
    pub(crate) fn set_qos(&self, qos: PublisherQos) -> Result<()> {
        let changes = self.qos().check_change(&qos);
        if self.enabled.load(SeqCst) || !self.writers().is_empty() {
            check("publisher", changes)?;
        } else if changes.is_err() {
            *self.sets.lock() = Arc::new(WriterGroup::new(self.guid.entity, &qos));
        }
        let announced = self.shared.discover(|matching, now| {
            let before = std::mem::replace(&mut *self.qos.lock(), qos);
            let is_ours = |writer: &Writer| MemberWriter::publisher(writer) == self.guid;
            let announced = matching.announce_again(now, is_ours, |_| false);
            if announced.is_err() {
                *self.qos.lock() = before;
            }
            announced
        });
        announced.map_err(|error| unannounced("publisher", &error))
    }

    pub(crate) fn sets(&self) -> Arc<WriterGroup<W>> {
        Arc::clone(&self.sets.lock())
    }

    pub(crate) fn add(&self, writer: &Arc<W>) {
        let mut writers = self.writers.lock();
        writers.retain(|writer| writer.strong_count() > 0);
        writers.push(Arc::downgrade(writer));
    }

    /// Its writers, in the order in which they came.
    pub(crate) fn writers(&self) -> Vec<Arc<W>> {
        let writers = self.writers.lock().clone();
        let writers = writers.iter().filter_map(Weak::upgrade);
        writers.filter(|writer| !writer.is_closed()).collect()
    }

    /// Are entities enabled that are created now?
    pub(crate) fn enables(&self) -> bool {
        let factory = self.qos.lock().entity_factory;
        factory.enables(self.enabled.load(SeqCst))
    }

    pub(crate) fn check_enabled(&self, of: &str) -> Result<()> {
        match self.enabled.load(SeqCst) {
            true => Ok(()),
            false => Err(Error::PreconditionNotMet(format!(
                "{of} cannot be enabled before its publisher: enable that first"
            ))),
        }
    }

    /// Enables it, and its writers if ENTITY_FACTORY says so.
    pub(crate) fn enable(&self) -> Result<()> {
        self.check_living()?;
        self.shared.check_enabled("publisher")?;
        self.enabled.store(true, SeqCst);
        if self.enables() {
            self.writers().iter().try_for_each(W::enable)?;
        }
        Ok(())
    }

    /// Nothing is created by it any more.
    pub(crate) fn delete(&self) {
        self.deleted.store(true, SeqCst);
    }

    pub(crate) fn is_deleted(&self) -> bool {
        self.deleted.load(SeqCst)
    }

    pub(crate) fn check_living(&self) -> Result<()> {
        living(|| "publisher".into(), self.is_deleted())
    }

    pub(crate) fn participant(&self) -> Option<Arc<ParticipantGuard>> {
        self.participant.upgrade()
    }
}

/// What is deleted is of no use any more.
pub(crate) fn living(entity: impl FnOnce() -> String, is_deleted: bool) -> Result<()> {
    match is_deleted {
        false => Ok(()),
        true => Err(Error::AlreadyDeleted { entity: entity() }),
    }
}

fn check(what: &str, allowed: std::result::Result<(), ImmutablePolicy>) -> Result<()> {
    allowed.map_err(|error| Error::ImmutablePolicy {
        entity: what.into(),
        error,
    })
}

fn unannounced(what: &str, error: &dunlin_wire::Error) -> Error {
    Error::BadParameter(format!("{what} cannot be announced: {error}"))
}

/// What all handles of a subscriber and all its readers share.
pub(crate) struct SubscriberCore<R = Reader> {
    pub(crate) guid: Guid,
    qos: Ranked<SubscriberQos, LEAF>,
    pub(crate) shared: Arc<Shared>,
    participant: Weak<ParticipantGuard>,
    enabled: AtomicBool,
    deleted: AtomicBool,
    /// Its readers, those that are not enabled yet among them.
    members: Ranked<Vec<Weak<R>>, LEAF>,
    pub(crate) defaults: Ranked<DataReaderQos, LEAF>,
    pub(crate) listener: ListenerSlot<SubscriberListener>,
    pub(crate) group_access: GroupAccess<R>,
    pub(crate) flags: StatusFlags,
    /// Who cares for DATA_ON_READERS.
    attention: AtomicU8,
    /// The listener as it is called for DATA_ON_READERS: its own, or the participant's.
    calls: Dispatch<SubscriberListener>,
}

impl<R: MemberReader> SubscriberCore<R> {
    pub(crate) fn new(qos: SubscriberQos, participant: &Arc<ParticipantGuard>) -> Self {
        let shared = &participant.shared;
        Self {
            guid: Guid::new(shared.prefix, shared.new_entity()),
            group_access: GroupAccess::new(&qos),
            qos: Ranked::new(qos),
            shared: Arc::clone(shared),
            participant: Arc::downgrade(participant),
            enabled: AtomicBool::new(shared.enables()),
            deleted: AtomicBool::new(false),
            members: Ranked::default(),
            defaults: Ranked::default(),
            listener: ListenerSlot::default(),
            flags: StatusFlags::default(),
            attention: AtomicU8::new(0),
            calls: Dispatch::default(),
        }
    }

    pub(crate) fn qos(&self) -> SubscriberQos {
        self.qos.lock().clone()
    }

    /// Takes over another QoS: all of it before it is enabled, then what may change, which its
    /// readers announce.
    pub(crate) fn set_qos(&self, qos: SubscriberQos) -> Result<()> {
        if self.enabled.load(SeqCst) {
            check("subscriber", self.qos().check_change(&qos))?;
        }
        self.group_access.adapt(&qos);
        let announced = self.shared.discover(|matching, now| {
            let before = std::mem::replace(&mut *self.qos.lock(), qos);
            let is_ours = |reader: &Reader| MemberReader::subscriber(reader) == self.guid;
            let announced = matching.announce_again(now, |_| false, is_ours);
            if announced.is_err() {
                *self.qos.lock() = before;
            }
            announced
        });
        announced.map_err(|error| unannounced("subscriber", &error))
    }

    pub(crate) fn add(&self, reader: &Arc<R>) {
        let mut members = self.members.lock();
        members.retain(|reader| reader.strong_count() > 0);
        members.push(Arc::downgrade(reader));
    }

    /// Its readers, in the order in which they came.
    pub(crate) fn readers(&self) -> Vec<Arc<R>> {
        let members = self.members.lock().clone();
        let readers = members.iter().filter_map(Weak::upgrade);
        readers.filter(|reader| !reader.is_closed()).collect()
    }

    /// Are entities enabled that are created now?
    pub(crate) fn enables(&self) -> bool {
        let factory = self.qos.lock().entity_factory;
        factory.enables(self.enabled.load(SeqCst))
    }

    pub(crate) fn check_enabled(&self, of: &str) -> Result<()> {
        match self.enabled.load(SeqCst) {
            true => Ok(()),
            false => Err(Error::PreconditionNotMet(format!(
                "{of} cannot be enabled before its subscriber: enable that first"
            ))),
        }
    }

    /// Enables it, and its readers if ENTITY_FACTORY says so.
    pub(crate) fn enable(&self) -> Result<()> {
        self.check_living()?;
        self.shared.check_enabled("subscriber")?;
        self.enabled.store(true, SeqCst);
        if self.enables() {
            self.readers().iter().try_for_each(R::enable)?;
        }
        Ok(())
    }

    /// Nothing is created by it any more.
    pub(crate) fn delete(&self) {
        self.deleted.store(true, SeqCst);
    }

    pub(crate) fn is_deleted(&self) -> bool {
        self.deleted.load(SeqCst)
    }

    pub(crate) fn check_living(&self) -> Result<()> {
        living(|| "subscriber".into(), self.is_deleted())
    }

    /// Are its readers those of built-in topics?
    pub(crate) fn is_builtin(&self) -> bool {
        let is_inner = |reader: &Arc<R>| reader.guid().entity.kind() == EntityKind::Other;
        self.readers().iter().any(is_inner)
    }

    pub(crate) fn participant(&self) -> Option<Arc<ParticipantGuard>> {
        self.participant.upgrade()
    }

    /// Finds out who is told of DATA_ON_READERS from now on. What was told before is given back, to
    /// be dropped without a lock.
    #[must_use]
    pub(crate) fn bind(&self) -> Option<Listener<SubscriberListener>> {
        let kind = StatusKind::DataOnReaders;
        let own = self.listener.for_status(kind);
        let listener = own.or_else(|| self.shared.listener_for_subscriber(kind));
        match listener {
            Some(_) => self.attention.fetch_or(LISTENER, SeqCst),
            None => self.attention.fetch_and(!LISTENER, SeqCst),
        };
        self.calls.replace(listener)
    }

    /// From now on the status is kept, too.
    pub(crate) fn attend(&self) {
        self.attention.fetch_or(CONDITION, SeqCst);
    }

    /// Does anybody care for DATA_ON_READERS?
    #[inline]
    pub(crate) fn attends(&self) -> bool {
        self.attention.load(SeqCst) != 0
    }

    /// Is it a listener that does? Then those of the readers hear nothing.
    pub(crate) fn listens(&self) -> bool {
        self.attention.load(SeqCst) & LISTENER != 0
    }

    /// Another thread than `this` that calls the listener with this id.
    pub(crate) fn calls_in(&self, id: u64, this: usize) -> Option<usize> {
        self.calls.thread_in(Some(id), this)
    }
}

impl SubscriberCore {
    /// A reader has data. Calls the listener at most so often; false if another call is due.
    pub(crate) fn call(self: &Arc<Self>, most: u32) -> bool {
        let Some(participant) = self.participant.upgrade() else {
            return true;
        };
        let subscriber = Shared::subscriber(Arc::clone(self), participant);
        let describe = || format!("subscriber {}", self.guid);
        let slow = &self.shared.slow_calls;
        self.calls.call_up_to(most, slow, |listener| {
            let call = || Shared::tell_data_on_readers(listener, &subscriber);
            let panics = &self.shared.panics;
            panics.call(self.guid, describe, "on_data_on_readers", call);
        })
    }
}
