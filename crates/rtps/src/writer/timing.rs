//! What a writer does because time has passed.
use super::Writer;
use super::timers::Timers;
use crate::{MissedDeadlines, Outbox, Time};
use dunlin_qos::Duration;

impl Writer {
    /// From now on samples are valid for so long, and each instance is to be written so often.
    pub fn set_timing(&mut self, now: Time, lifespan: Duration, deadline: Duration) {
        (self.config.lifespan, self.config.deadline) = (lifespan, deadline);
        let needed = Timers::needed_for(&self.config);
        match (&mut self.timers, needed) {
            (Some(timers), Some(_)) => timers.adjust(now, lifespan, deadline),
            (timers, needed) => *timers = needed,
        }
    }

    /// Does what is due; true if there may be room now, as after an acknowledgement.
    pub fn handle_timeout(&mut self, now: Time, out: &mut impl Outbox) -> bool {
        let room = self.expire(now);
        if let Some(timers) = &mut self.timers {
            timers.miss(now);
        }
        self.tell_open_if_due(now, out);
        self.beat(now, out) || room
    }

    /// Deadlines that were missed since this was asked last; they are found by `handle_timeout`.
    pub fn take_missed_deadlines(&mut self) -> Option<MissedDeadlines> {
        self.timers.as_mut()?.take_missed()
    }

    /// Lets go of samples that are not valid any more; true if there were some.
    #[inline]
    pub(super) fn expire(&mut self, now: Time) -> bool {
        let Some(timers) = &mut self.timers else {
            return false;
        };
        let before = self.history.len();
        while let Some(sequence) = timers.next_expired(now) {
            self.history.expire(sequence);
        }
        while let Some((sequence, instance)) = timers.next_left(now) {
            self.history.end(sequence, instance, self.acknowledged);
        }
        self.history.len() < before
    }

    /// Asks those that lag, when it is time; true if one of them is not waited for any more, and
    /// that makes room.
    fn beat(&mut self, now: Time, out: &mut impl Outbox) -> bool {
        if self.pulse.due().is_none_or(|due| due > now) {
            return false;
        }
        let room = self.pass_over_silent(now);
        if self.is_complete() {
            self.pulse.stop();
            return room;
        }
        self.pulse.slow_down();
        self.heartbeat(now, out);
        room
    }

    /// When to call `handle_timeout`, unless something else happens first.
    pub fn next_timeout(&self) -> Option<Time> {
        let due = self.timers.as_ref().and_then(|c| c.next());
        let all = [self.pulse.due(), due, self.open_due()];
        all.into_iter().flatten().min()
    }
}
