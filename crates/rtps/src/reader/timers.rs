//! What the passing of time does to samples and instances: LIFESPAN, DEADLINE, TIME_BASED_FILTER
//! and the delays of READER_DATA_LIFECYCLE (DDS 1.4 2.2.3.16, 2.2.3.7, 2.2.3.12, 2.2.3.22).
//!
//! A cache has one of these only if some policy needs it. An appointment is not moved when a sample
//! puts off what was due: it is kept, found too early, and made anew. So a sample costs no more
//! than a few stores, and there are at most a few appointments for each instance, however many
//! samples come.
use super::ReaderConfig;
use super::cache::Header;
use crate::deadline::MissedDeadlines;
use crate::timer_queue::TimerQueue;
use crate::{InstanceHandle, InstanceState, Payload, Time};
use alloc::boxed::Box;
use alloc::vec::Vec;
use dunlin_qos::{Duration, ReaderDataLifecycle, ReliabilityKind};
use dunlin_wire::SampleOrigin;

/// Pointless appointments for samples that are tolerated however few there are.
const SLACK: usize = 64;

/// A sample that came too soon.
pub(super) struct Held {
    pub(super) header: Header<'static>,
    /// What the header says of its origin.
    pub(super) origin: Option<Box<SampleOrigin>>,
    pub(super) payload: Payload,
}

/// What is due for one instance, each `Time::NEVER` if nothing is.
struct Timing {
    /// A sample must come by then.
    deadline: Time,
    /// Samples before then come too soon.
    ready: Time,
    /// Its samples go then.
    purge: Time,
    /// The earliest appointment.
    noted: Time,
    /// The latest sample that came too soon.
    held: Option<Box<Held>>,
}

impl Timing {
    const NONE: Self = Self {
        deadline: Time::NEVER,
        ready: Time::NEVER,
        purge: Time::NEVER,
        noted: Time::NEVER,
        held: None,
    };

    fn next(&self) -> Time {
        let ready = match self.held {
            Some(_) => self.ready,
            None => Time::NEVER,
        };
        self.deadline.min(self.purge).min(ready)
    }
}

/// What has become due for an instance.
pub(super) struct Due {
    pub(super) place: u32,
    /// No sample came in time.
    pub(super) missed: bool,
    /// What came too soon, and may be seen now.
    pub(super) release: Option<Box<Held>>,
    /// It is dead for so long that its samples go.
    pub(super) purge: bool,
}

pub(super) struct Timers {
    deadline: Duration,
    separation: Duration,
    holds_last: bool,
    lifecycle: ReaderDataLifecycle,
    /// By the place of a sample.
    expiries: TimerQueue<u32>,
    /// By the place of an instance.
    instances: TimerQueue<u32>,
    timings: Vec<Timing>,
    missed: Option<MissedDeadlines>,
}

impl Timers {
    /// `None` if the reader's QoS needs none; its writers' may.
    pub(super) fn needed_for(config: &ReaderConfig) -> Option<Box<Self>> {
        let lifecycle = config.lifecycle;
        let needed = !config.deadline.is_infinite()
            || config.time_based_filter > Duration::ZERO
            || !lifecycle.autopurge_nowriter_samples_delay.is_infinite()
            || !lifecycle.autopurge_disposed_samples_delay.is_infinite();
        needed.then(|| Self::new(config))
    }

    pub(super) fn new(config: &ReaderConfig) -> Box<Self> {
        Box::new(Self {
            deadline: config.deadline,
            separation: config.time_based_filter,
            holds_last: config.reliability == ReliabilityKind::Reliable,
            lifecycle: config.lifecycle,
            expiries: TimerQueue::default(),
            instances: TimerQueue::default(),
            timings: Vec::new(),
            missed: None,
        })
    }

    /// From now on this is what instances are due for. What was put off already keeps its
    /// appointment, unless nothing is expected any more.
    pub(super) fn adjust(&mut self, now: Time, config: &ReaderConfig) {
        let old = (self.deadline, self.separation);
        self.lifecycle = config.lifecycle;
        (self.deadline, self.separation) = (config.deadline, config.time_based_filter);
        if old == (self.deadline, self.separation) {
            return;
        }
        for place in 0..u32::try_from(self.timings.len()).unwrap_or(u32::MAX) {
            let Some(timing) = self.timings.get_mut(place as usize) else {
                return;
            };
            if timing.deadline != Time::NEVER && old.0 != config.deadline {
                timing.deadline = match config.deadline.is_infinite() {
                    true => Time::NEVER,
                    false => now.after(config.deadline),
                };
            }
            if timing.ready != Time::NEVER && old.1 != config.time_based_filter {
                timing.ready = timing.ready.min(now.after(config.time_based_filter));
            }
            self.note(place);
        }
    }

    pub(super) fn next(&self) -> Option<Time> {
        let both = [self.expiries.next(), self.instances.next()];
        both.into_iter().flatten().min()
    }

    pub(super) fn take_missed(&mut self) -> Option<MissedDeadlines> {
        self.missed.take()
    }

    fn timing(&mut self, place: u32) -> Option<&mut Timing> {
        let place = place as usize;
        if place >= self.timings.len() {
            self.timings.resize_with(place + 1, || Timing::NONE);
        }
        self.timings.get_mut(place)
    }

    /// Makes an appointment for what is due next, unless there is one that is not later.
    fn note(&mut self, place: u32) {
        let Some(timing) = self.timing(place) else {
            return;
        };
        let next = timing.next();
        if next < timing.noted {
            timing.noted = next;
            self.instances.add(next, place);
        }
    }

    /// A new instance has this place. Appointments of the one before it stay.
    pub(super) fn begin(&mut self, place: u32) {
        if let Some(timing) = self.timing(place) {
            *timing = Timing {
                noted: timing.noted,
                ..Timing::NONE
            };
        }
    }

    /// Does a sample come too soon after the last one?
    pub(super) fn is_too_soon(&mut self, place: u32, now: Time) -> bool {
        self.separation > Duration::ZERO
            && self
                .timing(place)
                .is_some_and(|timing| timing.ready != Time::NEVER && now < timing.ready)
    }

    /// Keeps what came too soon, in place of an earlier one: a reliable reader sees the last in the
    /// end.
    pub(super) fn hold(
        &mut self,
        place: u32,
        header: &Header<'_>,
        payload: impl FnOnce() -> Payload,
    ) {
        if !self.holds_last {
            return;
        }
        if let Some(timing) = self.timing(place) {
            timing.held = Some(Box::new(Held {
                header: Header {
                    origin: None,
                    ..*header
                },
                origin: header.origin.copied().map(Box::new),
                payload: payload(),
            }));
        }
        self.note(place);
    }

    /// What came too soon, before something else happens to the instance.
    pub(super) fn release(&mut self, place: u32) -> Option<Box<Held>> {
        self.timing(place)?.held.take()
    }

    /// A sample was taken in.
    pub(super) fn took_in(&mut self, place: u32, now: Time) {
        let (deadline, separation) = (self.deadline, self.separation);
        let Some(timing) = self.timing(place) else {
            return;
        };
        timing.held = None;
        timing.purge = Time::NEVER;
        if separation > Duration::ZERO {
            timing.ready = now.after(separation);
        }
        if !deadline.is_infinite() {
            timing.deadline = now.after(deadline);
            self.note(place);
        }
    }

    /// The instance is not alive any more: nothing is expected of it, and its samples stay for a
    /// while.
    pub(super) fn died(&mut self, place: u32, state: InstanceState, now: Time) {
        let delay = match state {
            InstanceState::Alive => return,
            InstanceState::NotAliveDisposed => self.lifecycle.autopurge_disposed_samples_delay,
            InstanceState::NotAliveNoWriters => self.lifecycle.autopurge_nowriter_samples_delay,
        };
        if let Some(timing) = self.timing(place) {
            timing.deadline = Time::NEVER;
            timing.purge = match delay.is_infinite() {
                true => Time::NEVER,
                false => now.after(delay),
            };
        }
        self.note(place);
    }

    /// A sample has to go at `at`. `is_there` tells whether one still does so.
    pub(super) fn expires(
        &mut self,
        at: Time,
        sample: u32,
        samples: usize,
        is_there: impl Fn(u32, Time) -> bool,
    ) {
        self.expiries.add(at, sample);
        if self.expiries.len() > 2 * samples + SLACK {
            self.expiries.retain(|at, sample| is_there(sample, at));
        }
    }

    /// The place of a sample that may have to go.
    pub(super) fn next_expired(&mut self, now: Time) -> Option<u32> {
        self.expiries.pop(now).map(|(_, sample)| sample)
    }

    /// What has become due for an instance; `handle` tells which one has a place.
    pub(super) fn next_due(
        &mut self,
        now: Time,
        handle: impl Fn(u32) -> Option<InstanceHandle>,
    ) -> Option<Due> {
        loop {
            let (at, place) = self.instances.pop(now)?;
            let deadline = self.deadline;
            let Some(timing) = self.timings.get_mut(place as usize) else {
                continue;
            };
            if timing.noted != at {
                continue;
            }
            timing.noted = Time::NEVER;
            let mut due = Due {
                place,
                missed: false,
                release: None,
                purge: false,
            };
            if let Some(handle) = handle(place) {
                if timing.deadline <= now {
                    due.missed = true;
                    timing.deadline = MissedDeadlines::count(
                        &mut self.missed,
                        handle,
                        timing.deadline,
                        now,
                        deadline,
                    );
                }
                if timing.ready <= now {
                    due.release = timing.held.take();
                }
                if timing.purge <= now {
                    due.purge = true;
                    timing.purge = Time::NEVER;
                }
            } else {
                *timing = Timing::NONE;
            }
            self.note(place);
            return Some(due);
        }
    }
}
