//! Whose changes an input takes, of the writers that its reader is matched with.
//!
//! A reliable writer waits for the acknowledgements of each reader that suits it, and does not know
//! which of them declines it. So the readers of a route are matched with all writers that suit
//! them, acknowledge everything, and what is not for them is dropped here.
use super::lock;
use dunlin::Guid;
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// What discovery has said of each writer. It says so before the writer is matched.
#[derive(Debug, Default)]
pub(crate) struct Admission {
    writers: Mutex<HashMap<Guid, bool>>,
    /// How often that has changed.
    changes: AtomicU64,
    /// Those that no application's endpoint supports.
    unsupported: Mutex<HashSet<Guid>>,
    /// Those that nothing is passed on of.
    returning: Mutex<Vec<Guid>>,
}

/// So many writers that are gone are remembered.
const FORGOTTEN: usize = 256;

/// The writer that was asked for last.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Latest(Option<(Guid, u64, bool)>);

impl Admission {
    /// A writer was discovered, or says something else of itself.
    pub(crate) fn note(&self, writer: Guid, is_admitted: bool) {
        let before = lock(&self.writers).insert(writer, is_admitted);
        if before != Some(is_admitted) {
            self.changes.fetch_add(1, SeqCst);
        }
    }

    /// Something supports a writer, or not any more.
    pub(crate) fn note_support(&self, writer: Guid, is_supported: bool) {
        let mut unsupported = lock(&self.unsupported);
        if is_supported {
            unsupported.remove(&writer);
            return;
        }
        if unsupported.len() >= FORGOTTEN {
            unsupported.clear();
        }
        unsupported.insert(writer);
    }

    /// Nothing is passed on of these writers.
    pub(crate) fn note_returning(&self, writers: &[Guid]) {
        *lock(&self.returning) = writers.to_vec();
    }

    /// Those.
    pub(crate) fn each_returning(&self, each: impl FnMut(&Guid)) {
        lock(&self.returning).iter().for_each(each);
    }

    /// May there come an output for a writer alone? Not while nothing supports it.
    pub(crate) fn may_have_output(&self, writer: &Guid) -> bool {
        !lock(&self.unsupported).contains(writer) && !lock(&self.returning).contains(writer)
    }

    /// Are its changes taken?
    #[inline]
    pub(crate) fn admits(&self, writer: &Guid, latest: &mut Latest) -> bool {
        let changes = self.changes.load(SeqCst);
        match latest.0 {
            Some((guid, at, is_admitted)) if guid == *writer && at == changes => is_admitted,
            _ => {
                let is_admitted = self.look(writer);
                latest.0 = Some((*writer, changes, is_admitted));
                is_admitted
            }
        }
    }

    /// As `admits`, now and then.
    pub(crate) fn look(&self, writer: &Guid) -> bool {
        lock(&self.writers).get(writer).copied().unwrap_or(true)
    }

    /// Forgets all writers but these, if there are many: a writer that was discovered just now is
    /// not among them yet.
    pub(crate) fn keep(&self, there: &[Guid]) {
        let mut writers = lock(&self.writers);
        if writers.len() > FORGOTTEN + 2 * there.len() {
            writers.retain(|writer, _| there.contains(writer));
        }
        drop(writers);
        lock(&self.unsupported).retain(|writer| there.contains(writer));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dunlin::{EntityId, EntityKind, GuidPrefix};

    #[test]
    fn the_latest_word_counts() {
        let entity = EntityId::user(1, EntityKind::WriterWithKey);
        let [a, b] = [1, 2].map(|n| Guid::new(GuidPrefix([n; 12]), entity));
        let (admission, mut latest) = (Admission::default(), Latest::default());
        assert!(admission.admits(&a, &mut latest));
        admission.note(a, false);
        assert!(!admission.admits(&a, &mut latest) && admission.admits(&b, &mut latest));
        admission.note(a, true);
        assert!(admission.admits(&a, &mut latest));
        admission.note(a, false);
        admission.keep(&[]);
        assert!(!admission.admits(&a, &mut latest));
        for n in 0..=FORGOTTEN as u32 {
            let entity = EntityId::user(n, EntityKind::WriterWithKey);
            admission.note(Guid::new(GuidPrefix([3; 12]), entity), false);
        }
        admission.keep(&[]);
        assert!(admission.look(&a), "it is forgotten");
    }

    #[test]
    fn what_nothing_supports_gets_no_output_before_something_does() {
        let entity = EntityId::user(1, EntityKind::WriterWithKey);
        let guid = |n: u32| Guid::new(GuidPrefix([1; 12]), EntityId::user(n, entity.kind()));
        let admission = Admission::default();
        assert!(admission.may_have_output(&guid(1)));
        admission.note_support(guid(1), false);
        assert!(!admission.may_have_output(&guid(1)));
        admission.note_support(guid(1), true);
        assert!(admission.may_have_output(&guid(1)));
        for n in 0..10_000 {
            admission.note_support(guid(n), false);
            assert!(!admission.may_have_output(&guid(n)));
        }
        assert!(lock(&admission.unsupported).len() <= FORGOTTEN);
    }
}
