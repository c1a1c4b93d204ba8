//! Where an entity keeps its listener, and which statuses that one wants to hear of (DDS 1.4 2.2.4.2.3).
use crate::lock::{LEAF, Ranked};
use crate::status::{StatusKind, StatusMask};
use std::sync::Arc;

/// A listener's place. The listener itself is only ever called, and dropped, without this or any other lock.
pub(crate) struct Slot<L: ?Sized>(Ranked<Place<L>, LEAF>);

struct Place<L: ?Sized> {
    listener: Option<Arc<L>>,
    mask: StatusMask,
}

impl<L: ?Sized> Default for Slot<L> {
    fn default() -> Self {
        Self(Ranked::new(Place {
            listener: None,
            mask: StatusMask::NONE,
        }))
    }
}

impl<L: ?Sized> Slot<L> {
    /// From now on this one is told of what is in `mask`.
    pub(crate) fn set(&self, listener: Arc<L>, mask: StatusMask) {
        self.replace(Some(listener), mask);
    }

    /// From now on nobody is told here.
    pub(crate) fn clear(&self) {
        self.replace(None, StatusMask::NONE);
    }

    fn replace(&self, listener: Option<Arc<L>>, mask: StatusMask) {
        let old = {
            let mut place = self.0.lock();
            place.mask = mask;
            std::mem::replace(&mut place.listener, listener)
        };
        // What it owns may be an entity.
        drop(old);
    }

    /// Does a listener want to hear of this? Asked under locks, where a listener must not come to its end.
    pub(crate) fn wants(&self, kind: StatusKind) -> bool {
        let place = self.0.lock();
        place.listener.is_some() && place.mask.contains(kind)
    }

    /// The listener, if it wants to hear of this.
    pub(crate) fn for_status(&self, kind: StatusKind) -> Option<Arc<L>> {
        let place = self.0.lock();
        place.listener.clone().filter(|_| place.mask.contains(kind))
    }
}
