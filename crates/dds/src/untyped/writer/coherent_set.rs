//! A writer's part in its publisher's coherent sets.
use super::{WriteError, WriterCore};
use crate::error::Error;
use crate::receive::deferred;
use dunlin_rtps::InGroup;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

impl WriterCore {
    /// What is written from now on is a set.
    pub(crate) fn begin_set(&self) {
        self.state.lock().begin_set();
    }

    /// The set is complete: readers are told at once, with all that was held back.
    pub(crate) fn end_set(
        self: &Arc<Self>,
        number: impl FnOnce() -> Option<InGroup>,
    ) -> Result<(), Error> {
        let _deferred = deferred::scope();
        let mut turn = self.publish.lock();
        let limit = self.datagram_limit.load(SeqCst);
        turn.datagrams.set_limit(limit);
        self.refresh(&mut turn);
        let (ended, next) = {
            let mut state = self.state.lock();
            let (now, time) = (self.shared.clock.now(), self.shared.clock.wall());
            let ended = state.end_set(now, time, number, &mut turn.datagrams);
            (ended, state.next_timeout())
        };
        turn.datagrams.hand_over();
        self.flush_turn(&mut turn);
        drop(turn);
        self.schedule(next);
        ended.map_err(|error| match error {
            WriteError::OutOfResources(limit) => self.exhausted(limit),
            // A mark needs no room.
            WriteError::Full | WriteError::TooLarge { .. } | WriteError::NotOpen => self.blocked(),
        })
    }
}
