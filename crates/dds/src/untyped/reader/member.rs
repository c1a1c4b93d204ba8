//! A reader as its subscriber and its participant see it.
use super::{ReaderCore, ReaderEvents};
use crate::entity::listener::dispatch::Listener;
use crate::entity::member::MemberReader;
use crate::error::Result;
use dunlin_rtps::{GroupFront, GroupOrder, Time};
use dunlin_wire::Guid;
use std::sync::Arc;

impl MemberReader for ReaderCore {
    type Told = Option<Listener<dyn ReaderEvents>>;

    fn subscriber(&self) -> Guid {
        self.group.guid
    }

    fn enable(self: &Arc<Self>) -> Result<()> {
        ReaderCore::enable(self)
    }

    fn is_closed(&self) -> bool {
        ReaderCore::is_closed(self)
    }

    fn bind(self: &Arc<Self>) -> Self::Told {
        ReaderCore::bind(self)
    }

    fn calls_in(&self, id: u64, this: usize) -> Option<usize> {
        ReaderCore::calls_in(self, id, this)
    }

    fn now(&self) -> Time {
        self.shared.clock.now()
    }

    fn group_fronts(&self) -> Vec<GroupFront> {
        ReaderCore::group_fronts(self)
    }

    fn release_group(self: &Arc<Self>, now: Time, writers: &[Guid], set: GroupOrder, turn: u64) {
        ReaderCore::release_group(self, now, writers, set, turn);
    }

    fn want_news(self: &Arc<Self>, now: Time, writer: Guid, number: i64) {
        ReaderCore::want_news(self, now, writer, number);
    }

    fn raise_all(&self) {
        ReaderCore::raise_all(self);
    }
}
