//! Sets of all writers of a publisher (PRESENTATION with scope GROUP, RTPS 2.5 8.7.6): what a reader has of them waits until those who
//! know all readers of the subscriber say that the others have theirs.
//!
//! The reader only tells how it stands with each writer (`group_fronts`) and does as it is told (`release_group`). A change that comes
//! behind a set that waits does not overtake it.
use super::room::Room;
use super::sets::{Inside, Sets, count, let_all_in, let_in};
use super::writer_proxy::{Sort, Waiting};
use super::{Delivery, Reader};
use crate::Time;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use dunlin_wire::Guid;

/// How a reader stands with a writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupFront {
    /// Which writer.
    pub writer: Guid,
    /// Which set is the next one.
    pub standing: GroupStanding,
    /// Sets that began above the first of these numbers and up to the second may lack something for good.
    pub hole: Option<(i64, i64)>,
}

/// The next set of a writer; sets go by the number of their first change among all changes of the publisher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupStanding {
    /// All that the writer has to say in this set is here.
    Sealed {
        /// Which set.
        first: i64,
        /// No change of any writer with this number or a higher one belongs to it.
        end: i64,
        /// Nothing of it is missing.
        intact: bool,
        /// It can be let in.
        room: bool,
    },
    /// More may come in this set.
    Open {
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

impl GroupFront {
    /// Of how a subscriber's readers stand with the writers of one publisher: the set that is next, and whether it is whole; `None`
    /// while more may come. Of sets up to `broken` something is known to be missing.
    pub fn next_set(fronts: &[Self], broken: i64) -> Option<(i64, bool)> {
        let sealed = fronts.iter().filter_map(|front| match front.standing {
            GroupStanding::Sealed { first, .. } => Some(first),
            _ => None,
        });
        let next = sealed.min()?;
        let ends = fronts.iter().filter_map(|front| match front.standing {
            GroupStanding::Sealed { first, end, .. } if first == next => Some(end),
            _ => None,
        });
        let end = ends.min()?;
        let lacks = |front: &Self| {
            let hole = front.hole;
            let in_hole = hole.is_some_and(|(from, to)| from < next && next <= to);
            let standing = front.standing;
            in_hole
                || matches!(standing, GroupStanding::Sealed { first, intact: false, .. } if first == next)
        };
        if next <= broken || fronts.iter().any(lacks) {
            return Some((next, false));
        }
        let waits = fronts.iter().any(|front| match front.standing {
            GroupStanding::Sealed { first, room, .. } => first == next && !room,
            GroupStanding::Open { first } => first <= next,
            GroupStanding::Idle { heard, ended } => heard < end && ended < next,
        });
        (!waits).then_some((next, true))
    }
}

/// What one writer has said in sets that wait for others.
#[derive(Default)]
pub(super) struct Gathering {
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
    hole: Option<(i64, i64)>,
}

/// A set, or with `group` 0 a change of none.
struct Sealed {
    group: i64,
    end: i64,
    intact: bool,
    changes: Vec<(i64, Waiting)>,
}

impl Gathering {
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

    fn pop(&mut self) {
        if let Some(front) = self.sealed.pop_front() {
            self.changes -= front.changes.len();
            self.bytes = self.bytes.saturating_sub(bytes_of(&front.changes));
        }
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

    /// A change has come; true if others should know. The end of a set to which this writer had nothing to say is one, too.
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
        let is_end = change.sort == Sort::Mark && change.set.group_first.0 > 0;
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
            intact,
            changes,
        });
    }
}

fn bytes_of(changes: &[(i64, Waiting)]) -> usize {
    changes.iter().map(|(_, change)| change.payload.len()).sum()
}

impl Sets {
    /// The writer said that with its change `last` the publisher's were as far as `current`.
    pub(super) fn hear(&mut self, last: i64, current: i64) {
        if let Some(gathering) = &mut self.gathering
            && last >= gathering.told.0
        {
            gathering.told = (last, current);
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

    fn release(
        &mut self,
        first: i64,
        whole: bool,
        inside: &mut Inside<'_>,
        delivery: &mut Delivery,
    ) {
        let Some(gathering) = &mut self.gathering else {
            return;
        };
        let Some(front) = gathering
            .sealed
            .front()
            .filter(|front| front.group == first)
        else {
            return;
        };
        match whole && front.intact {
            true => delivery.available |= let_all_in(inside, &front.changes),
            false => delivery.lost = count(front.changes.len()),
        }
        gathering.pop();
    }
}

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
                        intact: front.intact && !matches!(room, Room::Never),
                        room: !matches!(room, Room::Later(_)),
                    }
                }
                (None, Some(open)) => GroupStanding::Open { first: open.group },
                (None, None) => {
                    let (last, current) = gathering.told;
                    let told = if proxy.next > last { current } else { 0 };
                    GroupStanding::Idle {
                        heard: gathering.heard.max(told),
                        ended: gathering.ended,
                    }
                }
            };
            Some(GroupFront {
                writer: proxy.author.guid,
                standing,
                hole: gathering.hole,
            })
        })
    }

    /// The latest set of which a writer has said something that waits.
    pub fn last_group_set(&self, writer: Guid) -> Option<i64> {
        let proxy = self.writers.get(self.index(writer).ok()?)?;
        let sets = proxy.sets.as_deref()?;
        let sealed = sets.gathering.iter().flat_map(|g| &g.sealed);
        let sealed = sealed.map(|sealed| sealed.group);
        let open = sets.open.iter().map(|open| open.group);
        sealed.chain(open).max().filter(|group| *group > 0)
    }

    /// Lets in what a writer has said in a set that is complete, or drops it if it is not `whole`.
    pub fn release_group(&mut self, now: Time, writer: Guid, first: i64, whole: bool) -> Delivery {
        let mut delivery = Delivery::default();
        let Ok(index) = self.index(writer) else {
            return delivery;
        };
        let Some(proxy) = self.writers.get_mut(index) else {
            return delivery;
        };
        if let Some(sets) = &mut proxy.sets {
            let mut inside = Inside {
                cache: &mut self.cache,
                now,
                author: proxy.author,
                reliable: proxy.reliable,
            };
            sets.release(first, whole, &mut inside, &mut delivery);
            if !sets.drain(&mut inside, &mut delivery) {
                proxy.blocked = true;
                self.blocked = true;
            }
        }
        self.note_due();
        delivery
    }
}
