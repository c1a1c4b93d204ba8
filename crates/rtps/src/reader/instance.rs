//! One instance as a reader sees it (DDS 1.4 2.2.2.5.1.3: instance state, view state, generations).
use super::writer_proxy::Author;
use crate::slab::NONE;
use crate::{InstanceHandle, InstanceState, ViewState};
use alloc::vec::Vec;
use bytes::Bytes;
use dunlin_qos::Ownership;
use dunlin_wire::Timestamp;

/// Which writers write an instance; nearly always it is one.
pub(super) enum Writers {
    Few(Option<u32>),
    Many(Vec<u32>),
}

impl Writers {
    #[inline]
    pub(super) fn insert(&mut self, id: u32) {
        match self {
            Self::Few(Some(one)) if *one == id => {}
            Self::Few(None) => *self = Self::Few(Some(id)),
            Self::Few(Some(one)) => *self = Self::Many(Vec::from([*one, id])),
            Self::Many(all) if all.contains(&id) => {}
            Self::Many(all) => all.push(id),
        }
    }

    /// False if it was not among them.
    pub(super) fn remove(&mut self, id: u32) -> bool {
        match self {
            Self::Few(one) if *one == Some(id) => {
                *one = None;
                true
            }
            Self::Few(_) => false,
            Self::Many(all) => {
                let before = all.len();
                all.retain(|w| *w != id);
                all.len() < before
            }
        }
    }

    /// Is it this one alone?
    pub(super) fn are_only(&self, id: u32) -> bool {
        match self {
            Self::Few(one) => *one == Some(id),
            Self::Many(all) => all.as_slice() == [id],
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Few(one) => one.is_none(),
            Self::Many(all) => all.is_empty(),
        }
    }
}

pub(super) struct Instance {
    pub(super) handle: InstanceHandle,
    pub(super) state: InstanceState,
    pub(super) view: ViewState,
    pub(super) disposed_generations: i32,
    pub(super) no_writers_generations: i32,
    pub(super) writers: Writers,
    /// The serialized key, if it is remembered.
    pub(super) key: Bytes,
    /// What writers call it that do not hash keys as we do: at most one name for each.
    pub(super) names: Vec<(u32, InstanceHandle)>,
    pub(super) owner: Option<Author>,
    /// Its samples, from oldest to newest.
    pub(super) oldest: u32,
    pub(super) newest: u32,
    /// Samples with data.
    pub(super) count: u32,
    /// The sample without data that tells of the last change of state; there is never more than one.
    pub(super) notice: u32,
    /// The source time of the last sample that was taken.
    pub(super) taken: Option<Timestamp>,
    /// While samples are selected: how many of this instance, and the generation of the last of these.
    pub(super) selected: i32,
    pub(super) selected_generation: i32,
}

impl Instance {
    pub(super) fn new(handle: InstanceHandle) -> Self {
        Self {
            handle,
            state: InstanceState::Alive,
            view: ViewState::New,
            disposed_generations: 0,
            no_writers_generations: 0,
            writers: Writers::Few(None),
            key: Bytes::new(),
            names: Vec::new(),
            owner: None,
            oldest: NONE,
            newest: NONE,
            count: 0,
            notice: NONE,
            taken: None,
            selected: 0,
            selected_generation: 0,
        }
    }

    /// A sample came: a dead instance comes back to life, in a new generation.
    #[inline]
    pub(super) fn revive(&mut self) {
        let generations = match self.state {
            InstanceState::Alive => return,
            InstanceState::NotAliveDisposed => &mut self.disposed_generations,
            InstanceState::NotAliveNoWriters => &mut self.no_writers_generations,
        };
        *generations = generations.saturating_add(1);
        self.state = InstanceState::Alive;
        self.view = ViewState::New;
    }

    /// With exclusive ownership, may this writer speak for the instance? (DDS 1.4 2.2.3.9.2)
    #[inline]
    pub(super) fn heeds(&mut self, author: Author, ownership: Ownership) -> bool {
        if ownership == Ownership::Shared {
            return true;
        }
        let rank = |a: &Author| (a.strength, core::cmp::Reverse(a.guid));
        let yields = match &self.owner {
            Some(owner) => owner.id == author.id || rank(&author) > rank(owner),
            None => true,
        };
        if yields {
            self.owner = Some(author);
        }
        yields
    }

    /// A writer left; true if that was the last one of a living instance.
    pub(super) fn leave(&mut self, id: u32) -> bool {
        if self.owner.is_some_and(|o| o.id == id) {
            self.owner = None;
        }
        let left = self.writers.remove(id);
        left && self.writers.is_empty() && self.state == InstanceState::Alive
    }

    /// Nobody would miss it.
    pub(super) fn is_forgettable(&self) -> bool {
        self.state != InstanceState::Alive && self.oldest == NONE && self.writers.is_empty()
    }
}
