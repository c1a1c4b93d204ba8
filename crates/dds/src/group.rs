//! What the readers of one subscriber, and the writers of one publisher, have in common: QoS, a listener, DATA_ON_READERS.
//!
//! Where nobody asks for DATA_ON_READERS a reader finds out by one look at `attention` and goes its own way.
use crate::calls::Calls;
use crate::listener::{PublisherListener, SubscriberListener};
use crate::participant::ParticipantGuard;
use crate::reader::ReaderCore;
use crate::sets::WriterGroup;
use crate::shared::Shared;
use crate::slot::Slot;
use crate::status::{StatusFlags, StatusKind};
use crate::subscriber::Subscriber;
use dunlin_qos::{PublisherQos, SubscriberQos};
use std::sync::atomic::{AtomicU8, Ordering::SeqCst};
use std::sync::{Arc, Weak};

/// A listener wants DATA_ON_READERS.
const LISTENER: u8 = 1;
/// A condition may.
const CONDITION: u8 = 2;

/// What all handles of a publisher and all its writers share.
pub(crate) struct PublisherCore {
    pub(crate) qos: PublisherQos,
    pub(crate) listener: Slot<dyn PublisherListener>,
    pub(crate) sets: Arc<WriterGroup>,
}

impl PublisherCore {
    pub(crate) fn new(qos: PublisherQos) -> Self {
        Self {
            sets: Arc::new(WriterGroup::new(&qos)),
            qos,
            listener: Slot::default(),
        }
    }
}

/// What all handles of a subscriber and all its readers share.
pub(crate) struct SubscriberCore {
    pub(crate) qos: SubscriberQos,
    pub(crate) shared: Arc<Shared>,
    participant: Weak<ParticipantGuard>,
    pub(crate) listener: Slot<dyn SubscriberListener>,
    pub(crate) flags: StatusFlags,
    /// Who cares for DATA_ON_READERS.
    attention: AtomicU8,
    /// The listener as it is called for DATA_ON_READERS: its own, or the participant's.
    calls: Calls<dyn SubscriberListener>,
}

impl SubscriberCore {
    pub(crate) fn new(qos: SubscriberQos, participant: &Arc<ParticipantGuard>) -> Self {
        Self {
            qos,
            shared: Arc::clone(&participant.shared),
            participant: Arc::downgrade(participant),
            listener: Slot::default(),
            flags: StatusFlags::default(),
            attention: AtomicU8::new(0),
            calls: Calls::default(),
        }
    }

    /// Finds out who is told of DATA_ON_READERS from now on. What was told before is given back, to be dropped without a lock.
    pub(crate) fn bind(&self) -> Option<Arc<dyn SubscriberListener>> {
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

    /// A reader has data. Calls the listener at most so often; false if another call is due.
    pub(crate) fn call(self: &Arc<Self>, most: u32) -> bool {
        let Some(participant) = self.participant.upgrade() else {
            return true;
        };
        let subscriber = Subscriber::of(Arc::clone(self), participant);
        let call = |listener: &dyn SubscriberListener| listener.on_data_on_readers(&subscriber);
        self.calls.call_up_to(most, call)
    }

    /// The readers that the application has of this subscriber.
    pub(crate) fn readers(self: &Arc<Self>) -> Vec<Arc<ReaderCore>> {
        let directory = self.shared.directory.lock();
        let readers = directory.readers.values();
        let mut readers: Vec<_> = readers
            .filter(|reader| Arc::ptr_eq(&reader.group, self))
            .cloned()
            .collect();
        drop(directory);
        readers.sort_by_key(|reader| reader.guid);
        readers
    }
}
