//! One instance as a reader sees it (DDS 1.4 2.2.2.5.1.3: instance state, view state, generations).
use super::writer_proxy::WriterIdentity;
use crate::instance_map::HasHandle;
use crate::slab::NONE;
use crate::{InstanceHandle, InstanceState, ViewState};
use alloc::boxed::Box;
use alloc::vec::Vec;
use bytes::Bytes;
use dunlin_qos::Ownership;
use dunlin_wire::Timestamp;

/// One takes two cache lines: where there are many, each access waits for memory.
#[repr(align(64))]
pub(super) struct Instance {
    pub(super) handle: InstanceHandle,
    pub(super) state: InstanceState,
    pub(super) view: ViewState,
    pub(super) disposed_generations: i32,
    pub(super) no_writers_generations: i32,
    /// Who writes it; others are with what is rare.
    writer: Option<u32>,
    rare: Option<Box<UncommonState>>,
    /// The serialized key, if it is remembered.
    pub(super) key: Bytes,
    /// Its samples, from oldest to newest.
    pub(super) oldest: u32,
    pub(super) newest: u32,
    /// Samples with data.
    pub(super) count: u32,
    /// The sample without data that tells of the last change of state; there is never more than
    /// one.
    pub(super) notice: u32,
    /// The source time of the last sample that was taken.
    pub(super) taken: Option<Timestamp>,
    /// While samples are selected: how many of this instance, and the generation of the last of
    /// these.
    pub(super) selected: i32,
    pub(super) selected_generation: i32,
}

/// What few instances have.
#[derive(Default)]
struct UncommonState {
    /// Writers beside the first.
    writers: Vec<u32>,
    /// What writers call it that do not hash keys as we do: at most one name for each.
    names: ForeignKeyHashes,
    owner: Option<WriterIdentity>,
}

/// Writers, and what they call the instance.
pub(super) type ForeignKeyHashes = Vec<(u32, InstanceHandle)>;

impl HasHandle for Instance {
    #[inline]
    fn handle(&self) -> InstanceHandle {
        self.handle
    }
}

impl Instance {
    pub(super) fn new(handle: InstanceHandle) -> Self {
        Self {
            handle,
            state: InstanceState::Alive,
            view: ViewState::New,
            disposed_generations: 0,
            no_writers_generations: 0,
            writer: None,
            rare: None,
            key: Bytes::new(),
            oldest: NONE,
            newest: NONE,
            count: 0,
            notice: NONE,
            taken: None,
            selected: 0,
            selected_generation: 0,
        }
    }

    fn rare_mut(&mut self) -> &mut UncommonState {
        self.rare.get_or_insert_default()
    }

    /// A writer writes it from now on, if it did not.
    #[inline]
    pub(super) fn join(&mut self, id: u32) {
        match self.writer {
            Some(one) if one == id => {}
            None => self.writer = Some(id),
            Some(_) => self.join_others(id),
        }
    }

    #[inline(never)]
    fn join_others(&mut self, id: u32) {
        let others = &mut self.rare_mut().writers;
        if !others.contains(&id) {
            others.push(id);
        }
    }

    /// False if it was not among those that write it.
    fn part(&mut self, id: u32) -> bool {
        let others = self.rare.as_mut().map(|rare| &mut rare.writers);
        if self.writer == Some(id) {
            self.writer = others.and_then(Vec::pop);
            return true;
        }
        let Some(others) = others else { return false };
        let before = others.len();
        others.retain(|other| *other != id);
        others.len() < before
    }

    /// Is it written by this one alone?
    pub(super) fn is_written_only_by(&self, id: u32) -> bool {
        let others = self.rare.as_ref().is_some_and(|r| !r.writers.is_empty());
        self.writer == Some(id) && !others
    }

    /// Is it written by this one, and maybe by others?
    pub(super) fn is_written_by(&self, id: u32) -> bool {
        let rare = self.rare.as_deref();
        self.writer == Some(id) || rare.is_some_and(|rare| rare.writers.contains(&id))
    }

    /// A writer calls it so; returns what it called it before.
    pub(super) fn call(&mut self, writer: u32, name: InstanceHandle) -> Option<InstanceHandle> {
        let names = &mut self.rare_mut().names;
        match names.iter_mut().find(|(id, _)| *id == writer) {
            Some((_, known)) => Some(core::mem::replace(known, name)),
            None => {
                names.push((writer, name));
                None
            }
        }
    }

    /// A writer calls it nothing any more.
    pub(super) fn forget_name_of(&mut self, writer: u32) {
        if let Some(rare) = &mut self.rare {
            rare.names.retain(|(id, _)| *id != writer);
        }
    }

    /// The instance is forgotten: these are the names it had.
    pub(super) fn into_names(self) -> ForeignKeyHashes {
        self.rare.map_or(ForeignKeyHashes::new(), |rare| rare.names)
    }

    pub(super) fn owner_mut(&mut self) -> Option<&mut WriterIdentity> {
        self.rare.as_mut()?.owner.as_mut()
    }

    /// Whoever writes next may own it.
    pub(super) fn disown(&mut self) {
        if let Some(rare) = &mut self.rare {
            rare.owner = None;
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
    pub(super) fn heeds(&mut self, author: WriterIdentity, ownership: Ownership) -> bool {
        if ownership == Ownership::Shared {
            return true;
        }
        let rank = |a: &WriterIdentity| (a.strength, core::cmp::Reverse(a.guid));
        let held = &mut self.rare_mut().owner;
        let yields = match held {
            Some(owner) => owner.id == author.id || rank(&author) > rank(owner),
            None => true,
        };
        if yields {
            *held = Some(author);
        }
        yields
    }

    /// A writer left; true if that was the last one of a living instance.
    pub(super) fn leave(&mut self, id: u32) -> bool {
        if self.owner_mut().is_some_and(|owner| owner.id == id) {
            self.disown();
        }
        self.part(id) && self.writer.is_none() && self.state == InstanceState::Alive
    }

    /// Nobody would miss it.
    pub(super) fn is_forgettable(&self) -> bool {
        self.state != InstanceState::Alive && self.oldest == NONE && self.writer.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instance_takes_two_cache_lines() {
        assert_eq!(size_of::<Option<Instance>>(), 128);
    }

    #[test]
    fn the_last_writer_to_leave_is_the_last_whatever_the_order() {
        for order in [[1, 2, 3], [3, 2, 1], [2, 1, 3], [2, 3, 1]] {
            let mut instance = Instance::new(InstanceHandle::NIL);
            for id in [1, 2, 1, 3, 2] {
                instance.join(id);
            }
            assert!(!instance.is_written_only_by(1));
            let [first, second, third] = order;
            assert!(!instance.leave(first) && !instance.leave(first));
            assert!(!instance.leave(second));
            assert!(instance.is_written_only_by(third) && instance.leave(third));
        }
    }
}
