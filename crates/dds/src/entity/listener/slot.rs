//! Where an entity keeps its listener, and which statuses that one wants to hear of (DDS 1.4
//! 2.2.4.2.3).
use crate::entity::listener::dispatch::Listener;
use crate::runtime::lock::{LEAF, Ranked};
use crate::status::{StatusKind, StatusMask};
use std::sync::Arc;

/// A listener's place. The listener itself is only ever called, and dropped, without this or any
/// other lock.
pub(crate) struct ListenerSlot<L: ?Sized>(Ranked<Place<L>, LEAF>);

struct Place<L: ?Sized> {
    listener: Option<Listener<L>>,
    mask: StatusMask,
}

impl<L: ?Sized> Default for ListenerSlot<L> {
    fn default() -> Self {
        Self(Ranked::new(Place {
            listener: None,
            mask: StatusMask::NONE,
        }))
    }
}

impl<L: ?Sized> ListenerSlot<L> {
    /// From now on this one is told of what is in `mask`. The old one is given back: the caller
    /// waits for its calls (`Shared::wait_for_calls`), and drops it without a lock, for what it
    /// owns may be an entity.
    #[must_use]
    pub(crate) fn set(&self, listener: Arc<L>, mask: StatusMask) -> Option<Listener<L>> {
        self.replace(Some(Listener::new(listener)), mask)
    }

    /// From now on nobody is told here. As `set` for the old one.
    #[must_use]
    pub(crate) fn clear(&self) -> Option<Listener<L>> {
        self.replace(None, StatusMask::NONE)
    }

    fn replace(&self, listener: Option<Listener<L>>, mask: StatusMask) -> Option<Listener<L>> {
        let mut place = self.0.lock();
        place.mask = mask;
        std::mem::replace(&mut place.listener, listener)
    }

    /// Does a listener want to hear of this? Asked under locks, where a listener must not come to
    /// its end.
    pub(crate) fn wants(&self, kind: StatusKind) -> bool {
        let place = self.0.lock();
        place.listener.is_some() && place.mask.contains(kind)
    }

    /// The listener, if it wants to hear of this.
    pub(crate) fn for_status(&self, kind: StatusKind) -> Option<Listener<L>> {
        let place = self.0.lock();
        place.listener.clone().filter(|_| place.mask.contains(kind))
    }

    /// The listener, whatever it wants to hear of.
    pub(crate) fn any(&self) -> Option<Listener<L>> {
        self.0.lock().listener.clone()
    }
}
