//! A writer as its publisher and its participant see it.
use super::WriterCore;
use crate::entity::member::MemberWriter;
use crate::error::Result;
use dunlin_rtps::InGroup;
use dunlin_wire::Guid;
use std::sync::Arc;

impl MemberWriter for WriterCore {
    fn publisher(&self) -> Guid {
        self.group.guid
    }

    fn enable(self: &Arc<Self>) -> Result<()> {
        WriterCore::enable(self)
    }

    fn is_closed(&self) -> bool {
        WriterCore::is_closed(self)
    }

    fn is_grouped(&self) -> bool {
        self.sets.is_some()
    }

    fn begin_set(&self) {
        WriterCore::begin_set(self);
    }

    fn end_set(self: &Arc<Self>, number: impl FnOnce() -> Option<InGroup>) -> Result<()> {
        WriterCore::end_set(self, number)
    }

    fn send_held_back(&self) -> bool {
        WriterCore::send_held_back(self)
    }

    fn raise_all(&self) {
        WriterCore::raise_all(self);
    }
}
