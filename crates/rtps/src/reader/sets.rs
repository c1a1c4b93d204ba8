//! Coherent sets on their way in: what belongs to one is kept from the application's eyes until all of it is here
//! (RTPS 2.5 8.7.5, DDS 1.4 2.2.3.6).
//!
//! Changes come here in the order of their numbers, between a writer's proxy and the cache; only a reader that asks for coherent
//! access has this. The first change that says that it is not of the set, a mark without data or any other, is the end of the
//! set. If none of its changes is missing they go into the cache together, otherwise none does. What waits is acknowledged all the
//! same, so the end, which is still to be written, can always come; a set for which there can never be room is dropped.
use super::cache::Cache;
use super::room::Room;
use super::writer_proxy::{Author, Sort, Waiting};
use super::{ReaderConfig, Rejection, arrival};
use crate::{ChangeKind, Time};
use alloc::vec::Vec;
use dunlin_qos::History;

/// What a change that waits costs beside its payload.
const OVERHEAD: usize = 128;

/// One writer's sets.
pub(super) struct Sets {
    open: Option<Open>,
    /// At most so many bytes wait.
    most_bytes: usize,
    /// At most so many samples wait.
    most: Option<u32>,
}

/// A set that is not complete yet.
struct Open {
    /// The number of its first change.
    first: i64,
    /// Something of it is missing for good.
    broken: bool,
    changes: Vec<(i64, Waiting)>,
    /// How many of them are samples.
    samples: u32,
    bytes: usize,
}

/// What became of a change.
#[derive(Default)]
pub(super) struct Passed {
    /// There is something new to take.
    pub(super) available: bool,
    /// So many changes were dropped because their sets are not complete.
    pub(super) lost: u32,
    /// What a best-effort reader had no room for.
    pub(super) rejected: Option<Rejection>,
}

/// Where changes go when they may be seen.
pub(super) struct Inside<'a> {
    pub(super) cache: &'a mut Cache,
    pub(super) now: Time,
    pub(super) author: Author,
    /// What finds no room now waits for it.
    pub(super) reliable: bool,
}

impl Sets {
    pub(super) fn new(config: &ReaderConfig) -> Self {
        let most = config.resource_limits.max_samples;
        Self {
            open: None,
            most_bytes: config.max_reassembly_bytes,
            // Of what KEEP_LAST replaces within a set the limit takes no notice.
            most: most.filter(|_| config.history == History::KeepAll),
        }
    }

    /// Changes that wait for the end of their set, and the bytes of their payloads.
    pub(super) fn held(&self) -> (usize, usize) {
        let open = self.open.as_ref();
        open.map_or((0, 0), |open| (open.changes.len(), open.bytes))
    }

    /// Something between the last change and the next one will never come. It may have been of the set.
    pub(super) fn skip(&mut self) {
        if let Some(open) = &mut self.open {
            open.broken = true;
        }
    }

    /// The writer is gone: says how many changes are lost with a set that it did not end.
    pub(super) fn abandon(&mut self) -> u32 {
        self.open.take().map_or(0, |open| count(open.changes.len()))
    }

    /// The next change by number. On error nothing has happened, and it should come again when there may be room.
    pub(super) fn pass(
        &mut self,
        inside: &mut Inside<'_>,
        sequence: i64,
        change: &Waiting,
    ) -> Result<Passed, Rejection> {
        let mut passed = Passed::default();
        let first = change.set.first.0;
        // What claims to be of a set that begins behind it is of none.
        let set = (first >= 1 && first <= sequence).then_some(first);
        if let Some(open) = &self.open
            && set != Some(open.first)
        {
            self.close(inside, &mut passed)?;
        }
        match (set, &change.sort) {
            (Some(first), _) => passed.lost += self.join(first, sequence, change),
            (None, Sort::Change) => match let_in(inside, sequence, change, change.expires) {
                Ok(available) => passed.available |= available,
                Err(rejection) if inside.reliable => return Err(rejection),
                Err(rejection) => passed.rejected = Some(rejection),
            },
            (None, Sort::Mark | Sort::Void | Sort::Unwanted) => {}
        }
        Ok(passed)
    }

    /// Puts a change to its set; says how many are lost by that.
    fn join(&mut self, first: i64, sequence: i64, change: &Waiting) -> u32 {
        let open = self.open.get_or_insert_with(|| Open {
            first,
            broken: first != sequence,
            changes: Vec::new(),
            samples: 0,
            bytes: 0,
        });
        if change.sort == Sort::Void {
            open.broken = true;
        }
        open.bytes = open.bytes.saturating_add(change.payload.len());
        let sample = change.sort == Sort::Change && change.kind == ChangeKind::Alive;
        open.samples = open.samples.saturating_add(u32::from(sample));
        let total = open.changes.len() + 1;
        let bytes = open.bytes.saturating_add(total.saturating_mul(OVERHEAD));
        let too_many = self.most.is_some_and(|most| open.samples > most);
        if open.broken || bytes > self.most_bytes || too_many {
            open.broken = true;
            open.bytes = 0;
            let dropped = core::mem::take(&mut open.changes).len();
            return count(dropped).saturating_add(u32::from(change.sort == Sort::Change));
        }
        if change.sort == Sort::Change {
            open.changes.push((sequence, change.clone()));
        }
        0
    }

    /// The set is over: all of it is seen from now on, or nothing.
    fn close(&mut self, inside: &mut Inside<'_>, passed: &mut Passed) -> Result<(), Rejection> {
        let Some(open) = &self.open else {
            return Ok(());
        };
        let room = match open.broken {
            true => Room::Never,
            false => inside.cache.room_for(&open.changes),
        };
        match room {
            Room::Now => {}
            Room::Later(rejection) if inside.reliable => return Err(rejection),
            Room::Later(rejection) => {
                passed.rejected = Some(rejection);
                passed.lost += self.abandon();
                return Ok(());
            }
            Room::Never => {
                passed.lost += self.abandon();
                return Ok(());
            }
        }
        let changes = self.open.take().map(|open| open.changes);
        let changes = changes.unwrap_or_default();
        // Nor is it seen in part later: it ends as a whole.
        let expires = changes.iter().map(|(_, change)| change.expires).min();
        let expires = expires.unwrap_or(Time::NEVER);
        for (sequence, change) in &changes {
            passed.available |= let_in(inside, *sequence, change, expires).unwrap_or(false);
        }
        Ok(())
    }
}

fn let_in(
    inside: &mut Inside<'_>,
    sequence: i64,
    change: &Waiting,
    expires: Time,
) -> Result<bool, Rejection> {
    arrival::let_in(
        inside.cache,
        inside.now,
        inside.author,
        sequence,
        change,
        expires,
    )
}

fn count(changes: usize) -> u32 {
    u32::try_from(changes).unwrap_or(u32::MAX)
}
