//! What the writers of a publisher have in common: coherent sets (DDS 1.4 2.2.2.4.1.10) and, with
//! scope GROUP, one numbering of their changes (RTPS 2.5 8.7.6).
//!
//! A writer knows its group only if PRESENTATION asks for one of these, so others pay nothing for
//! it. The group's lock is a leaf: a writer asks for a number under its state's lock, while it is
//! certain that the change goes out; nobody locks a writer under the group's.
use crate::entity::member::MemberWriter;
use crate::error::{Error, Result};
use crate::runtime::lock::{LEAF, Ranked};
use dunlin_qos::{AccessScope, Presentation, PublisherQos};
use dunlin_rtps::{GroupOf, InGroup};
use dunlin_wire::EntityId;
use md5::{Digest, Md5};
use std::sync::{Arc, Weak};

/// The writers of a publisher.
pub(crate) struct WriterGroup<W> {
    /// Who the publisher is to others.
    id: EntityId,
    presentation: Presentation,
    state: Ranked<State<W>, LEAF>,
}

struct State<W> {
    writers: Vec<Weak<W>>,
    /// How often a set was begun and not ended.
    begun: u32,
    /// How often publications were suspended and not resumed.
    suspended: u32,
    /// Of who the writers are.
    digest: [u8; 4],
    /// The number of the last change of any writer.
    last: i64,
    /// The number of the first change of the set under way.
    first: Option<i64>,
}

impl<W> Default for State<W> {
    fn default() -> Self {
        Self {
            writers: Vec::new(),
            begun: 0,
            suspended: 0,
            digest: [0; 4],
            last: 0,
            first: None,
        }
    }
}

impl<W: MemberWriter + 'static> WriterGroup<W> {
    pub(crate) fn new(id: EntityId, qos: &PublisherQos) -> Self {
        Self {
            id,
            presentation: qos.presentation,
            state: Ranked::default(),
        }
    }

    /// For a new writer, if it means anything.
    pub(crate) fn for_writer(self: &Arc<Self>) -> Option<Arc<Self>> {
        let matters = self.presentation.coherent_access || self.is_numbered();
        matters.then(|| Arc::clone(self))
    }

    /// The writer can be reached from now on; it is in the set under way, if there is one.
    pub(crate) fn enter(&self, writer: &Arc<W>) {
        if !writer.is_grouped() {
            return;
        }
        let (writers, begun) = {
            let mut state = self.state.lock();
            let new = Arc::downgrade(writer);
            state
                .writers
                .retain(|writer| writer.strong_count() > 0 && !writer.ptr_eq(&new));
            state.writers.push(new);
            (state.living(), state.begun > 0)
        };
        let ids = writers.iter().map(|writer| writer.guid().entity);
        let digest = digest(ids.collect());
        self.state.lock().digest = digest;
        if begun && self.presentation.coherent_access {
            writer.begin_set();
        }
    }

    /// Who the publisher is, if that matters to readers.
    pub(crate) fn id(&self) -> Option<EntityId> {
        self.is_numbered().then_some(self.id)
    }

    /// Tells how far all writers are, if their changes are numbered together.
    pub(crate) fn current(self: &Arc<Self>) -> Option<GroupOf> {
        let group = Arc::clone(self);
        self.is_numbered().then(|| {
            GroupOf::new(move || {
                let state = group.state.lock();
                (state.last, state.digest)
            })
        })
    }

    /// Are changes numbered over all writers?
    fn is_numbered(&self) -> bool {
        let Presentation {
            access_scope,
            coherent_access,
            ordered_access,
        } = self.presentation;
        access_scope == AccessScope::Group && (coherent_access || ordered_access)
    }

    /// The next change of any writer; `None` without a common numbering.
    pub(crate) fn number(&self) -> Option<InGroup> {
        if !self.is_numbered() {
            return None;
        }
        let mut state = self.state.lock();
        state.last += 1;
        let sequence = state.last;
        if state.begun > 0 && self.presentation.coherent_access {
            state.first.get_or_insert(sequence);
        }
        Some(InGroup {
            sequence,
            first: state.first,
            writers: None,
        })
    }

    pub(crate) fn begin_set(&self) {
        let writers = {
            let mut state = self.state.lock();
            state.begun = state.begun.saturating_add(1);
            match state.begun {
                1 => state.living(),
                _ => Vec::new(),
            }
        };
        if self.presentation.coherent_access {
            writers.iter().for_each(|writer| writer.begin_set());
        }
    }

    pub(crate) fn end_set(&self) -> Result<()> {
        let (writers, first) = {
            let mut state = self.state.lock();
            state.begun = state
                .begun
                .checked_sub(1)
                .ok_or_else(|| unbalanced("end_coherent_changes", "begin_coherent_changes"))?;
            match state.begun {
                0 => (state.living(), state.first.take()),
                _ => (Vec::new(), None),
            }
        };
        if !self.presentation.coherent_access {
            return Ok(());
        }
        let digest = self.state.lock().digest;
        let mut result = Ok(());
        for writer in &writers {
            let ended = writer.end_set(|| self.end_number(first, digest));
            result = result.and(ended);
        }
        result
    }

    /// What the mark behind a set says; `None` without a common numbering, or if nobody wrote
    /// anything.
    fn end_number(&self, first: Option<i64>, digest: [u8; 4]) -> Option<InGroup> {
        first?;
        let number = self.number()?;
        Some(InGroup {
            first,
            writers: Some(digest),
            ..number
        })
    }

    pub(crate) fn suspend(&self) {
        let mut state = self.state.lock();
        state.suspended = state.suspended.saturating_add(1);
    }

    pub(crate) fn resume(&self) -> Result<()> {
        let mut state = self.state.lock();
        let left = state.suspended.checked_sub(1);
        state.suspended =
            left.ok_or_else(|| unbalanced("resume_publications", "suspend_publications"))?;
        Ok(())
    }
}

impl<W: MemberWriter> State<W> {
    fn living(&self) -> Vec<Arc<W>> {
        let writers = self.writers.iter().filter_map(Weak::upgrade);
        writers.filter(|writer| !writer.is_closed()).collect()
    }
}

fn unbalanced(this: &str, other: &str) -> Error {
    Error::PreconditionNotMet(format!(
        "publisher: {this} without {other}: each needs one call of the other before it"
    ))
}

/// The digest by which a set of writers is told from another (RTPS 2.5 8.3.5.10, 9.3.2.5).
fn digest(mut writers: Vec<EntityId>) -> [u8; 4] {
    writers.sort_unstable();
    let count = u32::try_from(writers.len()).unwrap_or(u32::MAX);
    let mut bytes = count.to_be_bytes().to_vec();
    for writer in writers {
        bytes.extend_from_slice(&writer.0);
    }
    let [a, b, c, d, ..]: [u8; 16] = Md5::digest(&bytes).into();
    [a, b, c, d]
}
