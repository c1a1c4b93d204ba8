//! What the passing of time does to a writer: samples that are not valid any more, instances that
//! should have been written, and those that late joiners need not know any more (DDS 1.4 2.2.3.16
//! LIFESPAN, 2.2.3.7 DEADLINE, 2.2.3.5 `service_cleanup_delay`).
//!
//! A writer has one of these only if its QoS needs it. All samples live equally long, so they go in
//! the order in which they came. The appointment of an instance is not moved when it is written: it
//! is found too early, and made anew.
use super::WriterConfig;
use crate::deadline::MissedDeadlines;
use crate::timer_queue::TimerQueue;
use crate::{Change, ChangeKind, InstanceHandle, Time};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use dunlin_qos::Duration;
use hashbrown::HashMap;

pub(super) struct Timers {
    lifespan: Duration,
    deadline: Duration,
    /// Numbers of samples that are kept.
    expiries: VecDeque<(Time, i64)>,
    /// Until when each instance is to be written.
    due: HashMap<InstanceHandle, Time>,
    /// One for each of these.
    agenda: TimerQueue<InstanceHandle>,
    missed: Option<MissedDeadlines>,
    /// How long an instance is kept that its writer has left.
    cleanup: Option<Duration>,
    /// Those, by the number of the change that says so.
    left: VecDeque<(Time, i64, InstanceHandle)>,
}

impl Timers {
    pub(super) fn needed_for(config: &WriterConfig) -> Option<Box<Self>> {
        let cleanup = config.service().map(|s| s.service_cleanup_delay);
        let cleanup = cleanup.filter(|delay| *delay != Duration::ZERO && !delay.is_infinite());
        let needed = !config.lifespan.is_infinite() || !config.deadline.is_infinite();
        let needed = needed || cleanup.is_some();
        needed.then(|| {
            Box::new(Self {
                lifespan: config.lifespan,
                deadline: config.deadline,
                expiries: VecDeque::new(),
                due: HashMap::new(),
                agenda: TimerQueue::default(),
                missed: None,
                cleanup,
                left: VecDeque::new(),
            })
        })
    }

    /// From now on samples live so long, and instances are due so often. What is kept lives by the
    /// new lifespan too, unless it was to live for ever.
    pub(super) fn adjust(&mut self, now: Time, lifespan: Duration, deadline: Duration) {
        if lifespan.is_infinite() {
            self.expiries.clear();
        } else {
            let longer = lifespan.as_nanos().saturating_sub(self.lifespan.as_nanos());
            for (at, _) in &mut self.expiries {
                at.0 = at.0.saturating_add(longer);
            }
        }
        if deadline != self.deadline {
            self.agenda = TimerQueue::default();
            let at = now.after(deadline);
            match deadline.is_infinite() {
                true => self.due.clear(),
                false => self.due.values_mut().for_each(|due| *due = at),
            }
            self.due.keys().for_each(|i| self.agenda.add(at, *i));
        }
        (self.lifespan, self.deadline) = (lifespan, deadline);
    }

    /// A change was written; `kept_from` is the lowest number that is kept, if this one is.
    pub(super) fn wrote(
        &mut self,
        now: Time,
        sequence: i64,
        change: &Change,
        kept_from: Option<i64>,
    ) {
        if change.kind == ChangeKind::Alive
            && !self.lifespan.is_infinite()
            && let Some(first) = kept_from
        {
            while self.expiries.front().is_some_and(|(_, s)| *s < first) {
                self.expiries.pop_front();
            }
            self.expiries
                .push_back((now.after(self.lifespan), sequence));
        }
        if change.kind.is_unregister()
            && let (Some(delay), Some(first)) = (self.cleanup, kept_from)
        {
            while self.left.front().is_some_and(|(_, s, _)| *s < first) {
                self.left.pop_front();
            }
            let at = now.after(delay);
            self.left.push_back((at, sequence, change.instance));
        }
        if self.deadline.is_infinite() {
            return;
        }
        if change.kind != ChangeKind::Alive {
            self.due.remove(&change.instance);
            return;
        }
        let at = now.after(self.deadline);
        if self.due.insert(change.instance, at).is_none() {
            self.agenda.add(at, change.instance);
            // Instances that came and went leave theirs behind.
            if self.agenda.len() > 2 * self.due.len() + 64 {
                self.agenda = TimerQueue::default();
                for (instance, at) in &self.due {
                    self.agenda.add(*at, *instance);
                }
            }
        }
    }

    /// The number of a sample that is not valid any more.
    pub(super) fn next_expired(&mut self, now: Time) -> Option<i64> {
        let (at, _) = self.expiries.front()?;
        if *at > now {
            return None;
        }
        self.expiries.pop_front().map(|(_, sequence)| sequence)
    }

    /// An instance whose time is over since the writer left it, and the number of the change that
    /// said so.
    pub(super) fn next_left(&mut self, now: Time) -> Option<(i64, InstanceHandle)> {
        let (at, ..) = self.left.front()?;
        if *at > now {
            return None;
        }
        let (_, sequence, instance) = self.left.pop_front()?;
        Some((sequence, instance))
    }

    /// Counts the instances that should have been written.
    pub(super) fn miss(&mut self, now: Time) {
        while let Some((_, instance)) = self.agenda.pop(now) {
            let Some(at) = self.due.get_mut(&instance) else {
                continue;
            };
            if *at <= now {
                let missed = &mut self.missed;
                *at = MissedDeadlines::count(missed, instance, *at, now, self.deadline);
            }
            self.agenda.add(*at, instance);
        }
    }

    pub(super) fn take_missed(&mut self) -> Option<MissedDeadlines> {
        self.missed.take()
    }

    pub(super) fn next(&self) -> Option<Time> {
        let expiry = self.expiries.front().map(|(at, _)| *at);
        let left = self.left.front().map(|(at, ..)| *at);
        let due = [expiry, left, self.agenda.next()];
        due.into_iter().flatten().min()
    }
}
