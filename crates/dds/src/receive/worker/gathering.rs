//! Datagrams that are there already when one was worked through: readers hear of them together.
use super::Worker;
use crate::receive::participant::ReceivingParticipant;
use dunlin_rtps::Time;
use dunlin_transport::Wait;
use std::sync::Arc;

/// Datagrams that are worked through before anybody hears of the first.
const IN_A_ROW: usize = 8;
/// None comes in a row behind a longer one, which takes its time.
const SHORT: usize = 4 * 1024;
/// As `IN_A_ROW`, where they bring parts of a sample.
const PARTS_IN_A_ROW: usize = 64;

impl<P: ReceivingParticipant> Worker<P> {
    /// Takes in what else is there: whoever is behind tells of several datagrams together, if no
    /// reader loses samples by that.
    #[inline(never)]
    pub(super) fn catch_up(&mut self, shared: &Arc<P>, now: Time, mut length: usize) {
        for _ in 1..IN_A_ROW {
            let waits = self
                .arrivals
                .as_ref()
                .is_none_or(|arrivals| arrivals.may_wait());
            if length > SHORT || !waits || !self.receiver.is_ready() {
                return;
            }
            let Some(from) = self.receive(Wait::Poll) else {
                return;
            };
            length = self.take_in(shared, now, from);
        }
    }

    /// Takes in what else is there of a sample of which a part came. Who passes it on is called
    /// once for all of that, and can send it with one call of the kernel.
    #[inline]
    pub(super) fn gather_parts(&mut self, shared: &Arc<P>) {
        if self.part {
            self.gather_more_parts(shared);
        }
    }

    #[inline(never)]
    fn gather_more_parts(&mut self, shared: &Arc<P>) {
        for _ in 1..PARTS_IN_A_ROW {
            if !std::mem::take(&mut self.part) {
                return;
            }
            let Some(from) = self.receive(Wait::Poll) else {
                return;
            };
            let now = self.clock.now();
            self.take_in(shared, now, from);
        }
        self.part = false;
    }
}
