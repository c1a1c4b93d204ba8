//! Sets of all writers of a publisher (PRESENTATION with scope GROUP, RTPS 2.5 8.7.6): what a
//! reader has of them waits until those who know all readers of the subscriber say that the others
//! have theirs. With ordered access so does each change of no set, until what was written before it
//! has had its turn.
//!
//! The reader only tells how it stands with each writer (`group_fronts`) and does as it is told
//! (`release_group`). A change that comes behind a set that waits does not overtake it.
use super::coherent_sets::{CoherentSets, Inside, count, let_in};
use super::resource_limits::Room;
use super::writer_proxy::{NumberKind, Waiting};
use super::{Delivery, Reader, arrival};
use crate::Time;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use dunlin_wire::Guid;

/// How a reader stands with a writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupFront {
    /// Which writer.
    pub writer: Guid,
    /// Does it repeat what is lost?
    pub reliable: bool,
    /// Which set is the next one.
    pub standing: GroupStanding,
    /// Something of a later set is here as well.
    pub goes_on: bool,
    /// Sets that began above the first of these numbers and up to the second may lack something for
    /// good.
    pub hole: Option<(i64, i64)>,
}

/// The next set of a writer; sets go by the number of their first change among all changes of the
/// publisher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupStanding {
    /// All that the writer has to say in this set is here.
    Sealed {
        /// Which set.
        first: i64,
        /// No change of any writer with this number or a higher one belongs to it.
        end: i64,
        /// It is a change of no set, that waits for its turn.
        single: bool,
        /// Nothing of it is missing.
        intact: bool,
        /// It can be let in.
        room: bool,
    },
    /// More may come in this set.
    IncompleteSet {
        /// Which set.
        first: i64,
    },
    /// Nothing waits.
    Idle {
        /// Of what the publisher wrote up to this number nothing will come.
        heard: i64,
        /// Nor will anything of the sets up to this one.
        ended: i64,
    },
}

/// A set, or a change of none, whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupOrder {
    /// The number of its first change.
    pub first: i64,
    /// That of its last.
    pub last: i64,
    /// Nothing of it is missing: it is to be seen, otherwise dropped.
    pub whole: bool,
}

impl GroupFront {
    /// Of how a subscriber's readers stand with the writers of one publisher: what is next; `None`
    /// while something may come before it or in it. Of sets up to `broken` something is known to be
    /// missing; all changes up to `seen` had their turn.
    pub fn next_turn(fronts: &[Self], broken: i64, seen: i64) -> Option<GroupOrder> {
        let (first, end) = Self::first(fronts)?;
        let Some(end) = end else {
            let waits = fronts.iter().any(|front| front.holds_up(first, seen));
            return (!waits).then_some(GroupOrder {
                first,
                last: first,
                whole: true,
            });
        };
        let turn = |whole| GroupOrder {
            first,
            last: end.saturating_sub(1).max(first),
            whole,
        };
        let goes_on = fronts.iter().any(|front| front.is_beyond(first));
        if first <= broken || fronts.iter().any(|f| f.lacks(first, end, goes_on)) {
            return Some(turn(false));
        }
        let waits = fronts.iter().any(|front| match front.standing {
            GroupStanding::Sealed { first: f, room, .. } => f == first && !room,
            GroupStanding::IncompleteSet { first: f } => f <= first,
            GroupStanding::Idle { heard, ended } => heard < end && ended < first,
        });
        (!waits).then(|| turn(true))
    }

    /// Who has to say how far it is, and up to which number, since a change of no set waits for
    /// that.
    pub fn silent(fronts: &[Self], seen: i64) -> Option<(i64, impl Iterator<Item = Guid>)> {
        let (first, end) = Self::first(fronts)?;
        let number = first.saturating_sub(1);
        let waits = end.is_none() && seen < number;
        let silent = fronts.iter().filter(move |front| front.may_precede(first));
        waits.then(|| (number, silent.map(|front| front.writer)))
    }

    /// The first that waits, and for a set where it ends.
    fn first(fronts: &[Self]) -> Option<(i64, Option<i64>)> {
        let sealed = fronts.iter().filter_map(|front| match front.standing {
            GroupStanding::Sealed {
                first, end, single, ..
            } => Some((first, (!single).then_some(end))),
            _ => None,
        });
        // A set ends where the first of its writers says so.
        sealed.min()
    }

    /// Must a change of no set wait for this one?
    fn holds_up(&self, number: i64, seen: i64) -> bool {
        match self.standing {
            GroupStanding::Sealed { first, room, .. } => first == number && !room && self.reliable,
            GroupStanding::IncompleteSet { first } => first < number,
            GroupStanding::Idle { .. } => {
                seen < number.saturating_sub(1) && self.may_precede(number)
            }
        }
    }

    /// May something come that was written before this? Best effort is not waited for.
    fn may_precede(&self, number: i64) -> bool {
        let GroupStanding::Idle { heard, .. } = self.standing else {
            return false;
        };
        self.reliable && heard < number.saturating_sub(1)
    }

    /// Has something of a later set come?
    fn is_beyond(&self, set: i64) -> bool {
        self.goes_on
            || match self.standing {
                GroupStanding::Sealed { first, single, .. } => !single && first > set,
                GroupStanding::IncompleteSet { first } => first > set,
                GroupStanding::Idle { .. } => false,
            }
    }

    /// Will something of this set never come? What best effort has not brought when the publisher
    /// `goes_on` is lost, and be it the end alone.
    fn lacks(&self, set: i64, end: i64, goes_on: bool) -> bool {
        let gone = goes_on && !self.reliable;
        let standing = match self.standing {
            GroupStanding::Sealed { first, intact, .. } => first == set && !intact,
            GroupStanding::IncompleteSet { first } => first <= set && gone,
            GroupStanding::Idle { heard, ended } => heard < end && ended < set && gone,
        };
        standing || self.hole.is_some_and(|(from, to)| from < set && set <= to)
    }
}

/// What one writer has said in sets that wait for others.
#[derive(Default)]
pub(super) struct GroupSets {
    sealed: VecDeque<Sealed>,
    /// How many changes wait, and the bytes of their payloads.
    changes: usize,
    bytes: usize,
    /// The highest number among all changes of the publisher that this writer's had.
    heard: i64,
    /// The last set of which it said that it is over.
    ended: i64,
    /// With this number of its own it was as far as this one of the publisher's.
    told: (i64, i64),
    /// The writer has to say how it stands with this number.
    pub(super) wanted: i64,
    hole: Option<(i64, i64)>,
}

/// A set, or a change of none: with `group` 0 one that the publisher has not numbered, otherwise
/// one that waits for its turn, a `single`.
struct Sealed {
    group: i64,
    end: i64,
    single: bool,
    intact: bool,
    changes: Vec<(i64, Waiting)>,
}

impl GroupSets {
    /// Does something wait?
    pub(super) fn waits(&self) -> bool {
        !self.sealed.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.sealed.len()
    }

    /// Changes that wait, and the bytes of their payloads.
    pub(super) fn held(&self) -> (usize, usize) {
        (self.changes, self.bytes)
    }

    fn pop(&mut self) -> Option<Sealed> {
        let front = self.sealed.pop_front()?;
        self.changes -= front.changes.len();
        self.bytes = self.bytes.saturating_sub(bytes_of(&front.changes));
        Some(front)
    }

    /// Something will never come; it may have been a whole set.
    pub(super) fn skip(&mut self) {
        if self.heard > 0 {
            self.miss(self.heard);
        }
    }

    /// Something is missing of sets that began after this number.
    pub(super) fn miss(&mut self, after: i64) {
        let from = self.hole.map_or(after, |(from, _)| from.min(after));
        self.hole = Some((from, i64::MAX));
    }

    /// A change has come; true if others should know. The end of a set to which this writer had
    /// nothing to say is one, too.
    pub(super) fn note(&mut self, change: &Waiting) -> bool {
        let number = change.set.group_sequence.0;
        if number > self.heard {
            self.heard = number;
            if let Some((_, to @ i64::MAX)) = &mut self.hole {
                // Whether something of its own set is missing, the set knows.
                let group = change.set.group_first.0;
                let in_set = change.set.first.0 > 0 && group > 0;
                *to = if in_set { group - 1 } else { number };
            }
        }
        let is_end = change.sort == NumberKind::Mark && change.set.group_first.0 > 0;
        if is_end {
            self.ended = self.ended.max(change.set.group_first.0);
        }
        is_end
    }

    /// A set is over at this number of the publisher's.
    pub(super) fn push(
        &mut self,
        group: i64,
        end: i64,
        intact: bool,
        changes: Vec<(i64, Waiting)>,
    ) {
        self.changes += changes.len();
        self.bytes = self.bytes.saturating_add(bytes_of(&changes));
        self.sealed.push_back(Sealed {
            group,
            end: end.max(group),
            single: false,
            intact,
            changes,
        });
    }

    /// A change of no set, or a number that stands for nothing, waits for its turn.
    pub(super) fn push_single(&mut self, number: i64, changes: Vec<(i64, Waiting)>) {
        self.push(number, number, true, changes);
        if let Some(last) = self.sealed.back_mut() {
            last.single = true;
        }
    }

    /// Of what the publisher wrote up to this number nothing will come from a writer of which all
    /// below `next` is here.
    pub(super) fn heard(&self, next: i64) -> i64 {
        let (last, current) = self.told;
        let told = if next > last { current } else { 0 };
        self.heard.max(told)
    }

    /// Is something of a set here, besides what is next?
    fn goes_on(&self) -> bool {
        let mut behind = self.sealed.iter().skip(1);
        behind.any(|sealed| sealed.group > 0 && !sealed.single)
    }
}

fn bytes_of(changes: &[(i64, Waiting)]) -> usize {
    changes.iter().map(|(_, change)| change.payload.len()).sum()
}

impl CoherentSets {
    /// The writer said that with its change `last` the publisher's were as far as `current`. One
    /// that does not say how far is not waited for.
    pub(super) fn hear(&mut self, last: i64, current: Option<i64>) {
        if let Some(gathering) = &mut self.gathering
            && last >= gathering.told.0
        {
            gathering.told = (last, current.unwrap_or(gathering.wanted));
        }
    }

    /// Changes of no set that nothing keeps any longer. On `false` there is no room for the next.
    pub(super) fn drain(&mut self, inside: &mut Inside<'_>, delivery: &mut Delivery) -> bool {
        let Some(gathering) = &mut self.gathering else {
            return true;
        };
        while let Some(front) = gathering.sealed.front().filter(|front| front.group == 0) {
            for (sequence, change) in &front.changes {
                match let_in(inside, *sequence, change, change.expires) {
                    Ok(available) => delivery.available |= available,
                    Err(rejection) => {
                        delivery.rejected = Some(rejection);
                        if inside.reliable {
                            return false;
                        }
                    }
                }
            }
            gathering.pop();
        }
        true
    }

    /// Takes out what has its turn; its changes, if nothing of them is missing.
    fn release(&mut self, first: i64, whole: bool) -> Option<Released> {
        let gathering = self.gathering.as_mut()?;
        let front = gathering.sealed.front();
        front.filter(|front| front.group == first)?;
        let front = gathering.pop()?;
        Some(match whole && front.intact {
            true => Ok(front.changes),
            false => Err(count(front.changes.len())),
        })
    }
}

/// Changes that are seen now, or how many never will be.
type Released = Result<Vec<(i64, Waiting)>, u32>;

impl Reader {
    /// How it stands with each writer, if it is `grouped`.
    pub fn group_fronts(&self) -> impl Iterator<Item = GroupFront> {
        self.writers.iter().filter_map(|proxy| {
            let sets = proxy.sets.as_deref()?;
            let gathering = sets.gathering.as_ref()?;
            let open = sets.open.as_ref().filter(|open| open.group > 0);
            let standing = match (gathering.sealed.front(), open) {
                (Some(front), _) => {
                    let room = self.cache.room_for(&front.changes);
                    GroupStanding::Sealed {
                        first: front.group,
                        end: front.end,
                        single: front.single,
                        intact: front.intact && !matches!(room, Room::Never),
                        room: !matches!(room, Room::Later(_)),
                    }
                }
                (None, Some(open)) => GroupStanding::IncompleteSet { first: open.group },
                (None, None) => GroupStanding::Idle {
                    heard: gathering.heard(proxy.next),
                    ended: gathering.ended,
                },
            };
            Some(GroupFront {
                writer: proxy.author.guid,
                reliable: proxy.reliable,
                standing,
                goes_on: gathering.goes_on() || gathering.waits() && open.is_some(),
                hole: gathering.hole,
            })
        })
    }

    /// The latest set of which a writer has said something that waits.
    pub fn last_group_set(&self, writer: Guid) -> Option<i64> {
        let proxy = self.writers.get(self.index(writer)?)?;
        let sets = proxy.sets.as_deref()?;
        let sealed = sets.gathering.iter().flat_map(|g| &g.sealed);
        let sealed = sealed.filter(|sealed| !sealed.single);
        let sealed = sealed.map(|sealed| sealed.group);
        let open = sets.open.iter().map(|open| open.group);
        sealed.chain(open).max().filter(|group| *group > 0)
    }

    /// Lets in what these writers have said in a set that is complete, or drops it if it is not
    /// `whole`. What has its turn later has the higher `turn` with all readers of the subscriber.
    pub fn release_group(
        &mut self,
        now: Time,
        writers: &[Guid],
        first: i64,
        whole: bool,
        turn: u64,
    ) -> Delivery {
        let mut delivery = Delivery::default();
        let mut all = Vec::new();
        for writer in writers {
            let Some(index) = self.index(*writer) else {
                continue;
            };
            let sets = self.writers.get_mut(index).and_then(|w| w.sets.as_mut());
            match sets.and_then(|sets| sets.release(first, whole)) {
                Some(Ok(changes)) => all.extend(changes.into_iter().map(|c| (index, c))),
                Some(Err(lost)) => delivery.lost = delivery.lost.saturating_add(lost),
                None => {}
            }
        }
        if self.config.is_ordered() {
            all.sort_by_key(|(_, (_, change))| change.set.group_sequence);
        }
        delivery.available |= self.show(now, &all, turn);
        for writer in writers {
            self.drain_sets(now, *writer, &mut delivery);
        }
        if self.blocked {
            // What is gone from where it waited has left room there.
            self.unblock();
        }
        self.note_due();
        delivery
    }

    /// Lets in a set for which there is room; true if there is something new to take.
    fn show(&mut self, now: Time, changes: &[(usize, (i64, Waiting))], turn: u64) -> bool {
        // Nor is it seen in part later: it ends as a whole.
        let expires = changes.iter().map(|(_, (_, change))| change.expires).min();
        let expires = expires.unwrap_or(Time::NEVER);
        let mut available = false;
        for (index, (sequence, change)) in changes {
            let Some(proxy) = self.writers.get(*index) else {
                continue;
            };
            self.cache.set_turn(turn, change.set.group_sequence.0);
            let (cache, author) = (&mut self.cache, proxy.author);
            let let_in = arrival::let_in(cache, now, author, *sequence, change, expires);
            available |= let_in.unwrap_or(false);
        }
        available
    }

    /// Lets in what of a writer nothing keeps any longer.
    fn drain_sets(&mut self, now: Time, writer: Guid, delivery: &mut Delivery) {
        let Some(index) = self.index(writer) else {
            return;
        };
        let Some(proxy) = self.writers.get_mut(index) else {
            return;
        };
        let Some(sets) = &mut proxy.sets else {
            return;
        };
        let mut inside = Inside {
            cache: &mut self.cache,
            now,
            author: proxy.author,
            reliable: proxy.reliable,
        };
        if !sets.drain(&mut inside, delivery) {
            proxy.blocked = true;
            self.blocked = true;
        }
    }
}
