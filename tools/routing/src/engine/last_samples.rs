//! The last sample of each instance, so that those come to life again beyond that were unregistered
//! when their source vanished, once it returns.
use dunlin::{ChangeKind, Guid, InstanceHandle, Timestamp};
use std::collections::HashMap;

/// Instances that are kept, and bytes of their samples; further ones are not.
const MOST: usize = 100_000;
const MOST_BYTES: usize = 64 << 20;

/// An instance, and the number of its group of sources.
type Key = (u64, InstanceHandle);

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct LastSamples {
    samples: HashMap<Key, Last>,
    bytes: usize,
}

/// A last sample.
#[derive(Debug)]
pub(crate) struct Last {
    /// Written over, so that nothing is allocated for samples of one length.
    pub(crate) payload: Vec<u8>,
    pub(crate) timestamp: Option<Timestamp>,
    pub(crate) writer: Guid,
    /// Its instance was unregistered, since its source was gone.
    is_orphan: bool,
}

impl LastSamples {
    /// A change of an instance was passed on. What its source has ended itself does not come back.
    pub(crate) fn note(
        &mut self,
        key: Key,
        kind: ChangeKind,
        (writer, timestamp): (Guid, Option<Timestamp>),
        payload: &[u8],
    ) {
        let before = self.samples.get(&key).map_or(0, |last| last.payload.len());
        let bytes = self.bytes - before;
        let is_new = before == 0 && !self.samples.contains_key(&key);
        let has_room =
            bytes + payload.len() <= MOST_BYTES && (!is_new || self.samples.len() < MOST);
        if kind != ChangeKind::Alive || !has_room {
            self.samples.remove(&key);
            self.bytes = bytes;
            return;
        }
        let last = self.samples.entry(key).or_insert_with(|| Last {
            payload: Vec::new(),
            timestamp,
            writer,
            is_orphan: false,
        });
        last.payload.clear();
        last.payload.extend_from_slice(payload);
        (last.timestamp, last.writer, last.is_orphan) = (timestamp, writer, false);
        self.bytes = bytes + payload.len();
    }

    /// The instance was unregistered, since its last source is gone.
    pub(crate) fn orphan(&mut self, key: Key) {
        if let Some(last) = self.samples.get_mut(&key) {
            last.is_orphan = true;
        }
    }

    /// The instance was disposed, since a source of it was deleted.
    pub(crate) fn forget(&mut self, key: Key) {
        if let Some(last) = self.samples.remove(&key) {
            self.bytes -= last.payload.len();
        }
    }

    /// The samples of these sources of a group whose instances were unregistered; each is told once.
    pub(crate) fn returned(
        &mut self,
        scope: u64,
        there: &[Guid],
    ) -> impl Iterator<Item = (Key, &Last)> {
        let all = self.samples.iter_mut();
        let own = all.filter(move |(key, last)| {
            last.is_orphan && key.0 == scope && there.contains(&last.writer)
        });
        own.map(|(key, last)| {
            last.is_orphan = false;
            (*key, &*last)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dunlin::{EntityId, EntityKind, GuidPrefix};

    fn writer(number: u8) -> Guid {
        let entity = EntityId::user(1, EntityKind::WriterWithKey);
        Guid::new(GuidPrefix([number; 12]), entity)
    }

    const fn key(number: u8) -> Key {
        (0, InstanceHandle([number; 16]))
    }

    fn returned(last: &mut LastSamples, there: &[Guid]) -> Vec<(Key, Vec<u8>)> {
        let mut all: Vec<_> = last
            .returned(0, there)
            .map(|(key, last)| (key, last.payload.clone()))
            .collect();
        all.sort_unstable();
        all
    }

    #[test]
    fn what_was_orphaned_returns_once_with_its_source() {
        use ChangeKind::*;
        let (mut last, [a, b]) = (LastSamples::default(), [writer(1), writer(2)]);
        for (number, by) in [(1, a), (2, a), (3, b), (4, a), (5, a)] {
            last.note(key(number), Alive, (by, None), &[number; 3]);
        }
        last.note(key(1), Alive, (a, None), b"later");
        // Its source has ended it.
        last.note(key(4), Unregistered, (a, None), &[]);
        for number in 1..=5 {
            last.orphan(key(number));
        }
        // Somebody else has taken it over.
        last.note(key(5), Alive, (b, None), b"b");
        assert_eq!(returned(&mut last, &[]), []);
        let expected = [(key(1), b"later".to_vec()), (key(2), vec![2; 3])];
        assert_eq!(returned(&mut last, &[a]), expected);
        assert_eq!(returned(&mut last, &[a]), []);
        assert_eq!(returned(&mut last, &[a, b]), [(key(3), vec![3; 3])]);
        assert_eq!(last.bytes, 5 + 3 + 3 + 1);
    }

    #[test]
    fn its_memory_is_bounded() {
        let mut last = LastSamples::default();
        let large = vec![0; MOST_BYTES / 2];
        for number in 1..=3 {
            last.note(key(number), ChangeKind::Alive, (writer(1), None), &large);
        }
        assert_eq!((last.samples.len(), last.bytes), (2, MOST_BYTES));
        // One that has no room any more is not kept as it was before.
        last.note(key(1), ChangeKind::Alive, (writer(1), None), &[1; 9]);
        last.note(
            key(2),
            ChangeKind::Alive,
            (writer(1), None),
            &[0; MOST_BYTES],
        );
        assert_eq!((last.samples.len(), last.bytes), (1, 9));
    }
}
