//! The streams of all writers that a reader hears, and which of them to look at when.
//!
//! There may be many, of which few have something to do. There is no clock and no network here.
use crate::stream::Stream;
use dunlin::Guid;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::Duration;

#[derive(Debug)]
struct Entry {
    stream: Stream,
    /// Where it is in the schedule.
    due: Option<Duration>,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    all: HashMap<Guid, Entry>,
    schedule: BTreeSet<(Duration, Guid)>,
    /// What waits for room has some.
    has_room: bool,
}

impl Streams {
    pub(crate) fn contains(&self, writer: Guid) -> bool {
        self.all.contains_key(&writer)
    }

    pub(crate) fn writers(&self) -> impl Iterator<Item = Guid> {
        self.all.keys().copied()
    }

    /// Follows a writer; the stream is looked at now.
    pub(crate) fn insert(&mut self, now: Duration, writer: Guid, stream: Stream) {
        self.remove(writer);
        let due = Some(now);
        self.all.insert(writer, Entry { stream, due });
        self.schedule.insert((now, writer));
    }

    pub(crate) fn remove(&mut self, writer: Guid) {
        if let Some(due) = self.all.remove(&writer).and_then(|entry| entry.due) {
            self.schedule.remove(&(due, writer));
        }
    }

    /// Something happens to the stream of a writer; returns what comes of it, and when to look at
    /// that stream again.
    pub(crate) fn with<T>(
        &mut self,
        writer: Guid,
        does: impl FnOnce(&mut Stream) -> T,
    ) -> Option<(T, Option<Duration>)> {
        let entry = self.all.get_mut(&writer)?;
        let done = does(&mut entry.stream);
        let due = entry.stream.due();
        let before = std::mem::replace(&mut entry.due, due);
        if before != due {
            if let Some(before) = before {
                self.schedule.remove(&(before, writer));
            }
            if let Some(due) = due {
                self.schedule.insert((due, writer));
            }
        }
        Some((done, due))
    }

    /// Something was taken; true if a stream may wait for that.
    pub(crate) fn make_room(&mut self) -> bool {
        let waits = !self.schedule.is_empty();
        self.has_room |= waits;
        waits
    }

    /// The writers whose streams are to be looked at now.
    pub(crate) fn due_now(&mut self, now: Duration) -> Vec<Guid> {
        let has_room = std::mem::take(&mut self.has_room);
        let due = self.schedule.iter();
        let due = due.take_while(|(due, _)| has_room || *due <= now);
        due.map(|(_, writer)| *writer).collect()
    }

    /// When to look again.
    pub(crate) fn due(&self) -> Option<Duration> {
        match self.has_room {
            true => Some(Duration::ZERO),
            false => self.schedule.first().map(|(due, _)| *due),
        }
    }

    /// What was lost, of all writers that there are.
    pub(crate) fn lost(&self) -> u64 {
        self.all.values().map(|entry| entry.stream.lost).sum()
    }

    /// Those of these writers that are followed.
    pub(crate) fn known(&self, writers: impl Iterator<Item = Guid>) -> HashSet<Guid> {
        writers.filter(|writer| self.contains(*writer)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::{Ready, Want};
    use dunlin::{EntityId, EntityKind, GuidPrefix};

    const fn secs(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    fn writer(number: u32) -> Guid {
        let entity = EntityId::user(number, EntityKind::WriterWithKey);
        Guid::new(GuidPrefix([1; 12]), entity)
    }

    #[test]
    fn of_many_streams_those_are_looked_at_that_have_something_to_do() {
        let (mut streams, mut ready) = (Streams::default(), Ready::default());
        for number in 0..1000 {
            let mut stream = Stream::new(secs(0), Want::Reliable);
            stream.begin(7);
            streams.insert(secs(0), writer(number), stream);
        }
        let all = streams.due_now(secs(0));
        assert_eq!(all.len(), 1000);
        for one in all {
            let (asked, due) = streams.with(one, |s| s.poll(secs(0), &mut ready)).unwrap();
            assert_eq!((asked, due), (None, None));
        }
        assert_eq!((streams.due_now(secs(9)), streams.due()), (vec![], None));
        assert!(!streams.make_room());
        // One has a gap.
        streams.with(writer(3), |s| s.hear(secs(9), 8)).unwrap();
        let due = streams.due().unwrap();
        assert!(due > secs(9) && streams.due_now(secs(9)).is_empty());
        assert_eq!(streams.due_now(due), [writer(3)]);
        let asked = streams
            .with(writer(3), |s| s.poll(due, &mut ready))
            .unwrap();
        assert!(asked.0.is_some() && asked.1 > Some(due));
        // It may wait for room.
        assert!(streams.make_room());
        assert_eq!(streams.due(), Some(secs(0)));
        assert_eq!(streams.due_now(secs(0)), [writer(3)]);
        assert_eq!(streams.due(), asked.1);
        streams.remove(writer(3));
        assert_eq!((streams.due(), streams.contains(writer(3))), (None, false));
        assert_eq!(streams.writers().count(), 999);
    }
}
