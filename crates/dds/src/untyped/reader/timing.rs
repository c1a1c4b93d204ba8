//! What a reader does when time, not data, asks for it.
use super::ReaderCore;
use crate::entity::due::{Due, TimedEndpoint, Work};
use crate::receive::participant::ReceivingReader;
use crate::send::datagram::Datagrams;
use dunlin_rtps::Time;
use dunlin_wire::Guid;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};

impl ReaderCore {
    /// Asks the timer to look at this reader when it next needs it.
    #[inline]
    pub(crate) fn schedule(self: &Arc<Self>) {
        let next = self.next.load(SeqCst);
        if next != i64::MAX {
            self.shared.timer.schedule(Time(next), &self.scheduled, || {
                let reader = Arc::downgrade(self);
                Due::Endpoint(reader, Work::Timeout)
            });
        }
    }

    /// The timer's work.
    pub(crate) fn handle_timeout(self: &Arc<Self>, now: Time, out: &mut Datagrams) {
        let (delivery, missed) = {
            let mut state = self.state.lock();
            let delivery = state.handle_timeout(now, out);
            self.note_next(&state);
            (delivery, state.take_missed_deadlines())
        };
        self.shared.send_answers(out);
        if let Some(missed) = missed {
            self.note_deadline_missed(missed);
        }
        if self.note(Guid::UNKNOWN, &delivery) {
            ReceivingReader::announce_data(self);
        }
        self.schedule();
    }
}

impl TimedEndpoint for ReaderCore {
    fn scheduled(&self, _: Work) -> &AtomicI64 {
        &self.scheduled
    }

    fn handle_due(self: Arc<Self>, _: Work, now: Time, out: &mut Datagrams) {
        self.handle_timeout(now, out);
    }
}
