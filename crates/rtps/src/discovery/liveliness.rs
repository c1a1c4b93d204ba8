//! Which writers still assert that they live, and when ours must (RTPS 2.5 8.4.13, DDS 1.4
//! 2.2.3.11).
use super::catalog::entities;
use super::timer_queue::RenewableTimers;
use crate::Time;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use dunlin_qos::{Duration, Liveliness, LivelinessKind};
use dunlin_wire::{Guid, GuidPrefix};

/// Assertions go out so many times per lease, so that two may get lost.
const ASSERTIONS_PER_LEASE: i64 = 3;
/// However short a lease, assertions are not more frequent.
const MIN_PERIOD: Duration = Duration::from_millis(1);

/// Watches the writers that have a finite lease: remote ones, and local ones that the application
/// asserts.
#[derive(Debug)]
pub(super) struct LivelinessMonitor {
    own: GuidPrefix,
    leases: BTreeMap<Guid, Lease>,
    deadlines: RenewableTimers<Guid>,
    automatic: AssertionTimer,
    manual: AssertionTimer,
}

#[derive(Debug)]
struct Lease {
    kind: LivelinessKind,
    duration: Duration,
    alive: bool,
}

/// When the next participant message of one kind is due.
#[derive(Debug, Default)]
struct AssertionTimer {
    leases: BTreeMap<Guid, Duration>,
    last: Option<Time>,
    due: Option<Time>,
}

impl LivelinessMonitor {
    pub(super) fn new(own: GuidPrefix) -> Self {
        Self {
            own,
            leases: BTreeMap::new(),
            deadlines: RenewableTimers::default(),
            automatic: AssertionTimer::default(),
            manual: AssertionTimer::default(),
        }
    }

    /// Begins to watch a writer, which counts as alive, or takes over a change of its policy.
    pub(super) fn add(&mut self, now: Time, writer: Guid, policy: Liveliness) {
        let known = self.leases.get(&writer);
        if known.is_some_and(|l| l.kind == policy.kind && l.duration == policy.lease_duration) {
            return;
        }
        // A silent writer stays silent until it is heard, whatever it promises now.
        let alive = self.is_alive(writer);
        self.remove(&writer);
        if policy.lease_duration.is_infinite() {
            return;
        }
        if writer.prefix == self.own {
            match policy.kind {
                LivelinessKind::Automatic => {
                    self.automatic.add(writer, policy.lease_duration);
                    self.automatic.repeat(now);
                    return;
                }
                LivelinessKind::ManualByParticipant => {
                    self.manual.add(writer, policy.lease_duration);
                }
                LivelinessKind::ManualByTopic => {}
            }
        }
        if alive {
            self.deadlines.set(writer, now.after(policy.lease_duration));
        }
        self.leases.insert(
            writer,
            Lease {
                kind: policy.kind,
                duration: policy.lease_duration,
                alive,
            },
        );
    }

    pub(super) fn remove(&mut self, writer: &Guid) {
        self.leases.remove(writer);
        self.deadlines.remove(writer);
        self.automatic.remove(writer);
        self.manual.remove(writer);
    }

    /// Forgets every writer of a participant.
    pub(super) fn remove_all(&mut self, prefix: GuidPrefix) {
        let writers: Vec<Guid> = self
            .leases
            .range(entities(prefix))
            .map(|(g, _)| *g)
            .collect();
        writers.iter().for_each(|writer| self.remove(writer));
    }

    /// A writer showed that it lives; returns the writers that were silent before. One that the
    /// participant asserts speaks for all such writers of the participant.
    pub(super) fn assert_writer(&mut self, now: Time, writer: Guid) -> Vec<Guid> {
        match self.leases.get(&writer).map(|lease| lease.kind) {
            None => Vec::new(),
            Some(LivelinessKind::ManualByTopic) => self.assert(now, writer).into_iter().collect(),
            Some(kind) => self.assert_all(now, writer.prefix, kind),
        }
    }

    /// All writers of one kind of one participant live; returns those that were silent before.
    pub(super) fn assert_all(
        &mut self,
        now: Time,
        prefix: GuidPrefix,
        kind: LivelinessKind,
    ) -> Vec<Guid> {
        let leases = self.leases.range(entities(prefix));
        let writers: Vec<Guid> = leases
            .filter(|(_, lease)| lease.kind == kind)
            .map(|(guid, _)| *guid)
            .collect();
        writers
            .into_iter()
            .filter_map(|writer| self.assert(now, writer))
            .collect()
    }

    fn assert(&mut self, now: Time, writer: Guid) -> Option<Guid> {
        let lease = self.leases.get_mut(&writer)?;
        // Signs are told late and not in order; an older one takes nothing from a later one.
        self.deadlines.put_off(writer, now.after(lease.duration));
        let was_alive = core::mem::replace(&mut lease.alive, true);
        (!was_alive).then_some(writer)
    }

    /// The writers whose lease has just run out.
    pub(super) fn lapsed(&mut self, now: Time) -> Vec<Guid> {
        let lapsed = self.deadlines.expired(now);
        for writer in &lapsed {
            if let Some(lease) = self.leases.get_mut(writer) {
                lease.alive = false;
            }
        }
        lapsed
    }

    /// False for a writer whose lease has run out.
    pub(super) fn is_alive(&self, writer: Guid) -> bool {
        self.leases.get(&writer).is_none_or(|lease| lease.alive)
    }

    /// The application asserts the participant: tell the others soon, though not each time.
    pub(super) fn request_manual(&mut self, now: Time) {
        self.manual.request(now);
    }

    /// Kinds of participant messages that are due now.
    pub(super) fn due(&mut self, now: Time) -> impl Iterator<Item = LivelinessKind> + use<> {
        let automatic = self.automatic.take(now);
        if automatic {
            self.automatic.repeat(now);
        }
        let manual = self.manual.take(now);
        let automatic = automatic.then_some(LivelinessKind::Automatic);
        let manual = manual.then_some(LivelinessKind::ManualByParticipant);
        automatic.into_iter().chain(manual)
    }

    pub(super) fn next_timeout(&self) -> Option<Time> {
        let times = [self.deadlines.next(), self.automatic.due, self.manual.due];
        times.into_iter().flatten().min()
    }
}

impl AssertionTimer {
    fn add(&mut self, writer: Guid, lease: Duration) {
        self.leases.insert(writer, lease);
    }

    fn remove(&mut self, writer: &Guid) {
        self.leases.remove(writer);
        if self.leases.is_empty() {
            self.due = None;
        }
    }

    fn period(&self) -> Option<Duration> {
        let shortest = self.leases.values().min()?;
        let period = Duration::from_nanos(shortest.as_nanos() / ASSERTIONS_PER_LEASE);
        Some(period.max(MIN_PERIOD))
    }

    /// Due one period from now, unless it is sooner anyway.
    fn repeat(&mut self, now: Time) {
        let next = self.period().map(|period| now.after(period));
        self.due = match (self.due, next) {
            (Some(due), Some(next)) => Some(due.min(next)),
            (due, next) => next.or(due),
        };
    }

    /// Due now, or one period after the last if that is later.
    fn request(&mut self, now: Time) {
        let Some(period) = self.period() else {
            return;
        };
        let earliest = self.last.map_or(now, |last| last.after(period));
        self.due = Some(self.due.unwrap_or(now.max(earliest)));
    }

    fn take(&mut self, now: Time) -> bool {
        let due = self.due.is_some_and(|due| due <= now);
        if due {
            self.due = None;
            self.last = Some(now);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dunlin_wire::{EntityId, EntityKind};

    const OWN: GuidPrefix = GuidPrefix([1; 12]);
    const OTHER: GuidPrefix = GuidPrefix([2; 12]);

    fn writer(prefix: GuidPrefix, key: u32) -> Guid {
        Guid::new(prefix, EntityId::user(key, EntityKind::WriterNoKey))
    }

    fn policy(kind: LivelinessKind, millis: u32) -> Liveliness {
        Liveliness {
            kind,
            lease_duration: Duration::from_millis(millis),
        }
    }

    fn ms(n: i64) -> Time {
        Time(n * 1_000_000)
    }

    #[test]
    fn an_automatic_writer_is_asserted_three_times_per_lease() {
        let mut watch = LivelinessMonitor::new(OWN);
        watch.add(
            ms(0),
            writer(OWN, 1),
            policy(LivelinessKind::Automatic, 300),
        );
        for beat in 1..5 {
            assert_eq!(watch.next_timeout(), Some(ms(100 * beat)));
            assert!(watch.lapsed(ms(100 * beat)).is_empty());
            let due: Vec<_> = watch.due(ms(100 * beat)).collect();
            assert_eq!(due, [LivelinessKind::Automatic]);
        }
        watch.remove(&writer(OWN, 1));
        assert_eq!(watch.next_timeout(), None);
    }

    #[test]
    fn a_silent_remote_writer_lapses_and_comes_back() {
        let mut watch = LivelinessMonitor::new(OWN);
        let (a, b) = (writer(OTHER, 1), writer(OTHER, 2));
        watch.add(ms(0), a, policy(LivelinessKind::Automatic, 300));
        watch.add(ms(0), b, policy(LivelinessKind::ManualByTopic, 300));
        assert_eq!(watch.lapsed(ms(299)), []);
        assert!(
            watch
                .assert_all(ms(299), OTHER, LivelinessKind::Automatic)
                .is_empty()
        );
        assert_eq!(watch.lapsed(ms(300)), [b]);
        assert!(watch.is_alive(a) && !watch.is_alive(b));
        assert_eq!(watch.assert_writer(ms(400), b), [b]);
        assert!(watch.is_alive(b));
    }

    #[test]
    fn one_manual_writer_speaks_for_its_participant() {
        let mut watch = LivelinessMonitor::new(OWN);
        let (a, b) = (writer(OTHER, 1), writer(OTHER, 2));
        let manual = policy(LivelinessKind::ManualByParticipant, 300);
        watch.add(ms(0), a, manual);
        watch.add(ms(0), b, manual);
        assert_eq!(watch.assert_writer(ms(200), a), []);
        assert_eq!(watch.lapsed(ms(400)), []);
        assert_eq!(watch.lapsed(ms(500)), [a, b]);
    }

    #[test]
    fn many_manual_assertions_become_few_messages() {
        let mut watch = LivelinessMonitor::new(OWN);
        watch.add(
            ms(0),
            writer(OWN, 1),
            policy(LivelinessKind::ManualByParticipant, 300),
        );
        let mut sent = 0;
        for t in 0..1000 {
            watch.request_manual(ms(t));
            sent += watch.due(ms(t)).count();
        }
        assert_eq!(sent, 10);
    }
}
