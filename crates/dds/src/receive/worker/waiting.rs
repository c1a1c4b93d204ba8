//! How a worker waits for a datagram: polls as the strategy says, then sleeps.
use super::{GLANCE, LARGEST, LONG_YIELD, POLLS, Pause, Spun, Worker, YIELD};
use crate::receive::participant::ReceivingParticipant;
use crate::runtime::wait_strategy::WaitStrategy;
use dunlin_transport::Wait;
use dunlin_transport::panics::log;
use dunlin_wire::Locator;
use std::sync::Arc;

impl<P: ReceivingParticipant> Worker<P> {
    pub(super) fn sleep(&mut self, pause: &Pause<'_>) -> Option<Locator> {
        if self.clock.is_stepped() {
            // Its owner lets time pass when the role is free.
            return self.receive(Wait::Poll);
        }
        let wait = Wait::Until(pause.deadline.map(|at| self.clock.instant(at)));
        match pause.signal {
            None => self.receive(wait),
            Some(signal) => {
                let waker = Arc::clone(&self.waker);
                signal.while_receiving(waker, || self.receive(wait))
            }
        }
    }

    /// Polls for as long as the strategy wants.
    pub(super) fn spin(&mut self, pause: &Pause<'_>) -> Spun {
        if self.waiting == WaitStrategy::Block {
            return if (pause.interrupted)() {
                Spun::Interrupted
            } else {
                Spun::Quiet(self.clock.now())
            };
        }
        let mut ends = self.timeout.ends();
        let (mut since, mut seen) = (None, None);
        let mut others_ran = false;
        self.behind = true;
        loop {
            let polls = if self.yields {
                *POLLS.start()
            } else {
                self.polls
            };
            for _ in 0..polls {
                if let Some(from) = self.receive(Wait::Poll) {
                    // What was there already says nothing.
                    if since.is_some() {
                        self.yields = others_ran;
                    }
                    return Spun::Received(from, seen);
                }
                self.behind = false;
                if (pause.interrupted)() {
                    return Spun::Interrupted;
                }
            }
            let now = self.clock.now();
            if pause.deadline.is_some_and(|at| now >= at) {
                return Spun::Interrupted;
            }
            if self.receiver.flows() {
                self.timeout.stir(now);
                ends = self.timeout.ends();
            }
            if now >= ends {
                return Spun::Quiet(now);
            }
            if let Some(before) = seen.replace(now) {
                self.pace_looks(now.since(before).as_nanos());
            }
            others_ran = false;
            let spun = now.since(*since.get_or_insert(now)).as_nanos();
            if (self.yields || spun >= YIELD) && self.yielding.is_due(now) {
                std::thread::yield_now();
                let then = self.clock.now();
                self.yielding.yielded(now, then);
                others_ran = then.since(now).as_nanos() >= LONG_YIELD;
                (since, seen) = (Some(then), Some(then));
            }
        }
    }

    /// Looks at the clock so often that it costs little and says enough, whatever a poll takes.
    fn pace_looks(&mut self, between: i64) {
        let polls = match between {
            short if short < *GLANCE.start() => self.polls * 2,
            long if long > *GLANCE.end() => self.polls / 2,
            _ => self.polls,
        };
        self.polls = polls.clamp(*POLLS.start(), *POLLS.end());
    }

    /// Receives into the pool's buffer; says from where.
    pub(super) fn receive(&mut self, wait: Wait) -> Option<Locator> {
        let buffer = self.buffers.reserve(self.room);
        match self.receiver.receive(buffer, wait) {
            Ok(Some(received)) => {
                self.room = LARGEST;
                self.loaned = received.loaned;
                Some(received.from)
            }
            Ok(None) => {
                self.room = self.receiver.announced().max(LARGEST);
                None
            }
            Err(error) => {
                log::warn!(%error, "receiving failed");
                std::thread::sleep(std::time::Duration::from_millis(1));
                None
            }
        }
    }
}
