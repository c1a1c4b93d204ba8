//! Which place of a slab an instance has.
use crate::InstanceHandle;
use hashbrown::HashMap;

/// A map that stays at most half full, so that entries that come and go never make it grow.
pub(crate) struct Index {
    map: HashMap<InstanceHandle, u32>,
    room: usize,
}

impl Index {
    pub(crate) fn new() -> Self {
        Self {
            map: HashMap::new(),
            room: 0,
        }
    }

    #[inline]
    pub(crate) fn get(&self, handle: InstanceHandle) -> Option<u32> {
        self.map.get(&handle).copied()
    }

    pub(crate) fn insert(&mut self, handle: InstanceHandle, place: u32) {
        let len = self.map.len();
        if len >= self.room {
            self.room = (2 * len).max(8);
            self.map.reserve(2 * self.room - len);
        }
        self.map.insert(handle, place);
    }

    pub(crate) fn remove(&mut self, handle: InstanceHandle) {
        self.map.remove(&handle);
    }
}
