//! Coherent sets on their way in: what belongs to one is kept from the application's eyes until all
//! of it is here (RTPS 2.5 8.7.5, DDS 1.4 2.2.3.6).
//!
//! Changes come here in the order of their numbers, between a writer's proxy and the cache; only a
//! reader that asks for coherent access has this. The first change that says that it is not of the
//! set, a mark without data or any other, is the end of the set. If none of its changes is missing
//! they go into the cache together, otherwise none does. What waits is acknowledged all the same,
//! so the end, which is still to be written, can always come; a set for which there can never be
//! room is dropped.
use super::cache::Cache;
use super::group_access::GroupSets;
use super::resource_limits::Room;
use super::writer_proxy::{NumberKind, Waiting, WriterIdentity};
use super::{ReaderConfig, Rejection, RejectionReason, arrival};
use crate::{ChangeKind, Time};
use alloc::vec::Vec;
use dunlin_qos::History;

/// What a change that waits costs beside its payload.
const OVERHEAD: usize = 128;

/// One writer's sets.
pub(super) struct CoherentSets {
    pub(super) open: Option<IncompleteSet>,
    /// What waits for others of the publisher's writers.
    pub(super) gathering: Option<GroupSets>,
    /// Are sets kept together?
    coherent: bool,
    /// Does all that the publisher has numbered wait for its turn?
    ordered: bool,
    /// At most so many bytes wait.
    most_bytes: usize,
    /// At most so many samples wait.
    most: Option<u32>,
}

/// A set that is not complete yet.
pub(super) struct IncompleteSet {
    /// The number of its first change.
    first: i64,
    /// The same among all changes of the publisher, or 0.
    pub(super) group: i64,
    /// Something of it is missing for good.
    broken: bool,
    pub(super) changes: Vec<(i64, Waiting)>,
    /// How many of them are samples.
    samples: u32,
    pub(super) bytes: usize,
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
    /// A set of several writers may be complete.
    pub(super) gathers: bool,
}

/// Where changes go when they may be seen.
pub(super) struct Inside<'a> {
    pub(super) cache: &'a mut Cache,
    pub(super) now: Time,
    pub(super) author: WriterIdentity,
    /// What finds no room now waits for it.
    pub(super) reliable: bool,
}

impl CoherentSets {
    pub(super) fn new(config: &ReaderConfig) -> Self {
        let most = config.resource_limits.max_samples;
        Self {
            open: None,
            gathering: config.grouped.then(GroupSets::default),
            coherent: config.coherent,
            ordered: config.is_ordered(),
            most_bytes: config.max_reassembly_bytes,
            // Of what KEEP_LAST replaces within a set the limit takes no notice.
            most: most.filter(|_| config.history == History::KeepAll),
        }
    }

    /// Changes that wait for the end of their set, and the bytes of their payloads.
    pub(super) fn held(&self) -> (usize, usize) {
        let open = self.open.as_ref();
        let (changes, bytes) = open.map_or((0, 0), |open| (open.changes.len(), open.bytes));
        let gathering = self.gathering.as_ref();
        let (more, more_bytes) = gathering.map_or((0, 0), GroupSets::held);
        (changes + more, bytes.saturating_add(more_bytes))
    }

    /// What all that waits costs.
    fn cost(&self) -> usize {
        let (changes, bytes) = self.held();
        let sealed = self.gathering.as_ref().map_or(0, GroupSets::len);
        let entries = changes.saturating_add(sealed);
        bytes.saturating_add(entries.saturating_mul(OVERHEAD))
    }

    /// Something between the last change and the next one will never come. It may have been of the
    /// set.
    pub(super) fn skip(&mut self) {
        if let Some(open) = &mut self.open {
            open.broken = true;
        }
        if let Some(gathering) = &mut self.gathering {
            gathering.skip();
        }
    }

    /// The writer is gone: says how many changes are lost with a set that it did not end.
    pub(super) fn abandon(&mut self) -> u32 {
        let (changes, _) = self.held();
        self.open = None;
        self.gathering = self.gathering.take().map(|_| GroupSets::default());
        count(changes)
    }

    /// The next change by number. On error nothing has happened, and it should come again when
    /// there may be room.
    pub(super) fn pass(
        &mut self,
        inside: &mut Inside<'_>,
        sequence: i64,
        change: &Waiting,
    ) -> Result<Passed, Rejection> {
        let mut passed = Passed::default();
        let first = change.set.first.0;
        // What claims to be of a set that begins behind it is of none.
        let set = (self.coherent && first >= 1 && first <= sequence).then_some(first);
        if let Some(open) = &self.open
            && set != Some(open.first)
        {
            self.close(inside, change.set.group_sequence.0, &mut passed)?;
        }
        if let Some(gathering) = &mut self.gathering {
            passed.gathers |= gathering.note(change);
        }
        match (set, &change.sort) {
            (None, _) if self.ordered && change.set.group_sequence.0 > 0 => {
                passed.lost += self.line_up(inside, sequence, change)?;
                passed.gathers = true;
            }
            (None, NumberKind::Change) if self.gathering.as_ref().is_some_and(GroupSets::waits) => {
                passed.lost += self.queue(sequence, change);
            }
            (Some(first), _) => passed.lost += self.join(first, sequence, change),
            (None, NumberKind::Change) => match let_in(inside, sequence, change, change.expires) {
                Ok(available) => passed.available |= available,
                Err(rejection) if inside.reliable => return Err(rejection),
                Err(rejection) => passed.rejected = Some(rejection),
            },
            (None, NumberKind::Mark | NumberKind::Void | NumberKind::Unwanted) => {}
        }
        Ok(passed)
    }

    /// The set under way is dropped.
    fn give_up(&mut self) -> u32 {
        self.open.take().map_or(0, |open| count(open.changes.len()))
    }

    /// Puts a change to its set; says how many are lost by that.
    fn join(&mut self, first: i64, sequence: i64, change: &Waiting) -> u32 {
        let cost = self.cost();
        let open = self.open.get_or_insert_with(|| IncompleteSet {
            first,
            group: change.set.group_first.0,
            broken: first != sequence,
            changes: Vec::new(),
            samples: 0,
            bytes: 0,
        });
        if change.sort == NumberKind::Void {
            open.broken = true;
        }
        let sample = change.sort == NumberKind::Change && change.kind == ChangeKind::Alive;
        open.samples = open.samples.saturating_add(u32::from(sample));
        let bytes = cost
            .saturating_add(change.payload.len())
            .saturating_add(OVERHEAD);
        let too_many = self.most.is_some_and(|most| open.samples > most);
        if open.broken || bytes > self.most_bytes || too_many {
            open.broken = true;
            open.bytes = 0;
            let dropped = core::mem::take(&mut open.changes).len();
            return count(dropped).saturating_add(u32::from(change.sort == NumberKind::Change));
        }
        if change.sort == NumberKind::Change {
            open.bytes = open.bytes.saturating_add(change.payload.len());
            open.changes.push((sequence, change.clone()));
        }
        0
    }

    /// A change that others of the publisher's may have to come before; says how many are lost
    /// since there is no place for it. What is no sample takes part, so that nobody waits for its
    /// number.
    fn line_up(
        &mut self,
        inside: &Inside<'_>,
        sequence: i64,
        change: &Waiting,
    ) -> Result<u32, Rejection> {
        let is_change = change.sort == NumberKind::Change;
        let own = is_change.then(|| (sequence, change.clone()));
        let payload = own.as_ref().map_or(0, |(_, own)| own.payload.len());
        let before = self.cost();
        let cost = before.saturating_add(payload).saturating_add(2 * OVERHEAD);
        let Some(gathering) = &mut self.gathering else {
            return Ok(0);
        };
        let fits = cost <= self.most_bytes;
        let is_sample = is_change && change.kind == ChangeKind::Alive;
        let most = self.most.map_or(usize::MAX, |most| most as usize);
        if fits && !(is_sample && gathering.held().0 >= most) {
            let number = change.set.group_sequence.0;
            gathering.push_single(number, own.into_iter().collect());
            return Ok(0);
        }
        // It comes again when something has gone, unless nothing is there that could go.
        match inside.reliable && before > 0 {
            true => Err(Rejection {
                reason: RejectionReason::Samples,
                instance: change.instance,
            }),
            false => Ok(u32::from(is_change)),
        }
    }

    /// A change that must not overtake a set before it; says how many are lost since there is no
    /// place for it.
    fn queue(&mut self, sequence: i64, change: &Waiting) -> u32 {
        let cost = self.cost().saturating_add(change.payload.len());
        let fits = cost.saturating_add(2 * OVERHEAD) <= self.most_bytes;
        match &mut self.gathering {
            Some(gathering) if fits => {
                gathering.push(0, 0, true, [(sequence, change.clone())].into());
                0
            }
            _ => 1,
        }
    }

    /// The set is over, with number `end` among all changes of the publisher: all of it is seen
    /// from now on, or nothing.
    fn close(
        &mut self,
        inside: &mut Inside<'_>,
        end: i64,
        passed: &mut Passed,
    ) -> Result<(), Rejection> {
        let full = self.cost().saturating_add(OVERHEAD) > self.most_bytes;
        if let Some(gathering) = &mut self.gathering
            && let Some(open) = self.open.take_if(|open| open.group > 0)
        {
            match open.broken && full {
                true => gathering.miss(open.group.saturating_sub(1)),
                false => gathering.push(open.group, end, !open.broken, open.changes),
            }
            passed.gathers = true;
            return Ok(());
        }
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
                passed.lost += self.give_up();
                return Ok(());
            }
            Room::Never => {
                passed.lost += self.give_up();
                return Ok(());
            }
        }
        let changes = self.open.take().map(|open| open.changes);
        passed.available |= let_all_in(inside, &changes.unwrap_or_default());
        Ok(())
    }
}

/// Lets in a set for which there is room; true if there is something new to take.
pub(super) fn let_all_in(inside: &mut Inside<'_>, changes: &[(i64, Waiting)]) -> bool {
    // Nor is it seen in part later: it ends as a whole.
    let expires = changes.iter().map(|(_, change)| change.expires).min();
    let expires = expires.unwrap_or(Time::NEVER);
    let mut available = false;
    for (sequence, change) in changes {
        available |= let_in(inside, *sequence, change, expires).unwrap_or(false);
    }
    available
}

pub(super) fn let_in(
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

pub(super) fn count(changes: usize) -> u32 {
    u32::try_from(changes).unwrap_or(u32::MAX)
}
