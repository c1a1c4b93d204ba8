//! The subscribers of a run, as the publisher knows them from their announcements.

use std::sync::Mutex;

use super::control::{Kind, Note, Tag, read};
use crate::clock::{Nanos, monotonic};
use crate::messaging::Sample;

/// Announcements of more subscribers than this are not kept.
const MEMBERS: usize = 1_023;

/// Shared by the reader of announcements and the sending thread.
pub(super) struct Roster {
    tag: Tag,
    members: Mutex<Members>,
}

#[derive(Default)]
struct Members {
    list: Vec<Member>,
    /// An id that two processes use.
    twice: Option<u32>,
}

struct Member {
    id: u32,
    nonce: u32,
    heard: Nanos,
    /// Segments whose end was confirmed.
    ended: u32,
}

impl Roster {
    /// Nobody yet.
    pub(super) fn new(tag: Tag) -> Self {
        Self {
            tag,
            members: Mutex::default(),
        }
    }

    /// Takes an announcement; those for other runs are not ours.
    pub(super) fn on_announcement(&self, sample: &Sample<'_>) {
        let Some((tag, kind)) = read(sample).filter(|(tag, _)| tag.run() == self.tag.run()) else {
            return;
        };
        let Some(note) = Note::decode(sample.data) else {
            return;
        };
        self.with(|members| members.heard(tag.id(), kind, &note));
    }

    /// How many subscribers have announced themselves.
    pub(super) fn present(&self) -> usize {
        self.with(|members| members.list.len())
    }

    /// Whether all subscribers have confirmed the end of this segment.
    pub(super) fn all_ended(&self, segment: u32) -> bool {
        self.with(|members| members.list.iter().all(|member| member.ended > segment))
    }

    /// When the quietest subscriber was last heard.
    pub(super) fn quietest(&self) -> Nanos {
        self.with(|members| {
            members
                .list
                .iter()
                .map(|member| member.heard)
                .min()
                .unwrap_or(Nanos::MAX)
        })
    }

    /// Takes all subscribers as heard now: a new phase begins.
    pub(super) fn refresh(&self) {
        let now = monotonic();
        self.with(|members| {
            members
                .list
                .iter_mut()
                .for_each(|member| member.heard = now)
        });
    }

    /// An id that two processes use, once.
    pub(super) fn take_twice(&self) -> Option<u32> {
        self.with(|members| members.twice.take())
    }

    fn with<R>(&self, then: impl FnOnce(&mut Members) -> R) -> R {
        then(
            &mut self
                .members
                .lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner()),
        )
    }
}

impl Members {
    fn heard(&mut self, id: u32, kind: Kind, note: &Note) {
        let now = monotonic();
        let full = self.list.len() >= MEMBERS;
        let known = self.list.iter_mut().find(|member| member.id == id);
        match (known, kind) {
            (Some(member), _) if member.nonce != note.nonce => self.twice = Some(id),
            (Some(member), _) => {
                member.heard = now;
                if kind == Kind::End {
                    member.ended = member.ended.max(note.segment.saturating_add(1));
                }
            }
            (None, Kind::Hello) if !full => self.list.push(Member {
                id,
                nonce: note.nonce,
                heard: now,
                ended: 0,
            }),
            (None, _) => {}
        }
    }
}
