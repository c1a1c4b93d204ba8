//! Participants on one virtual clock, with as many as wait in it.
use crate::link::Link;
use crate::sample::{Keyed, Load, Shape};
use bytes::Bytes;
use dunlin::simulation::{self, SimulatedClock, Simulation, Time, Tuning};
use dunlin::transport::{Faults, MemoryNetwork};
use dunlin::{
    DataReader, DataReaderQos, DataWriter, DataWriterQos, DomainParticipant, Duration, Guid,
    GuidPrefix, History, ParticipantConfig, Reliability, Transports,
};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration as Span;

pub(crate) const US: i64 = 1_000;
pub(crate) const MS: i64 = 1_000 * US;
pub(crate) const SECOND: i64 = 1_000 * MS;
/// From participant to participant.
pub(crate) const DELAY: i64 = MS;
/// What wall clocks show at the start.
const EPOCH: i64 = 1_700_000_000 * SECOND;
/// More than this does not happen at one time.
const MOST_AT_ONCE: usize = 100_000;

/// Clones are the same.
#[derive(Clone)]
pub(crate) struct Domain(Arc<Inner>);

struct Inner {
    network: MemoryNetwork,
    clock: Arc<SimulatedClock>,
    members: Mutex<Vec<(DomainParticipant, Link)>>,
}

impl Domain {
    /// `delay` nanoseconds from participant to participant.
    pub(crate) fn new(delay: i64) -> Self {
        let faults = Faults {
            delay: Span::from_nanos(delay.unsigned_abs()),
            ..Faults::default()
        };
        let domain = Self(Arc::new(Inner {
            network: MemoryNetwork::with_virtual_time(0, faults),
            clock: SimulatedClock::new(0, EPOCH),
            members: Mutex::default(),
        }));
        let weak = Arc::downgrade(&domain.0);
        domain.0.clock.on_wait(move |until| {
            let inner = weak.upgrade().expect("somebody waits when all is over");
            Self(inner).go_on(until.0);
        });
        domain
    }

    /// A participant; `local` if it speaks directly to others of this process.
    pub(crate) fn join(&self, local: bool) -> DomainParticipant {
        self.join_with(local, |_| {})
    }

    pub(crate) fn join_with(
        &self,
        local: bool,
        change: impl FnOnce(&mut ParticipantConfig),
    ) -> DomainParticipant {
        // Endpoints of a process are known by their names.
        static NAMES: AtomicU64 = AtomicU64::new(0);
        let mut prefix = *b"DLrt\0\0\0\0\0\0\0\0";
        prefix[4..].copy_from_slice(&NAMES.fetch_add(1, SeqCst).to_be_bytes());
        let link = Link::new(self.0.network.host(), &self.0.clock);
        let mut config = ParticipantConfig {
            transport: Some(Arc::new(link.clone())),
            transports: Transports {
                local,
                ..Transports::default()
            },
            announces_process: false,
            linger: Duration::ZERO,
            ..ParticipantConfig::default()
        };
        change(&mut config);
        let simulation = Simulation {
            prefix: GuidPrefix(prefix),
            clock: Arc::clone(&self.0.clock),
            entities: 0,
            tuning: Tuning::default(),
        };
        let participant = simulation::join(0, config, simulation).unwrap();
        let member = (participant.clone(), link);
        self.0.members.lock().unwrap().push(member);
        participant
    }

    /// What a participant says, and when.
    pub(crate) fn link(&self, participant: &DomainParticipant) -> Link {
        let members = self.0.members.lock().unwrap();
        let found = members.iter().find(|(member, _)| member == participant);
        found.unwrap().1.clone()
    }

    /// Whose endpoint it is.
    pub(crate) fn of(&self, endpoint: Guid) -> DomainParticipant {
        let mut all = self.members().into_iter();
        all.find(|member| member.guid().prefix == endpoint.prefix)
            .unwrap()
    }

    pub(crate) fn now(&self) -> i64 {
        self.0.clock.time().0
    }

    /// Lets time pass, and whatever happens in it.
    pub(crate) fn run_for(&self, span: i64) {
        let end = self.now() + span;
        self.step();
        while self.now() < end {
            self.go_on(end);
        }
        assert_eq!(self.unsettled(), None);
    }

    /// The application computes: time passes, and nobody does anything.
    pub(crate) fn compute(&self, span: i64) {
        self.set_time(self.now() + span);
    }

    /// What happens next, if it happens by then; otherwise it is then.
    fn go_on(&self, until: i64) {
        let arrival = self.0.network.next_arrival();
        let arrival = arrival.map(|at| i64::try_from(at.as_nanos()).unwrap());
        let due = self.members();
        let due = due.iter().filter_map(simulation::next_due).map(|at| at.0);
        let next = due.chain(arrival).min().unwrap_or(until);
        assert!(next < Time::NEVER.0, "a wait never ends");
        self.set_time(next.min(until).max(self.now()));
        self.step();
    }

    fn set_time(&self, to: i64) {
        let by = Span::from_nanos((to - self.now()).unsigned_abs());
        self.0.network.advance(by);
        self.0.clock.set(to, EPOCH + to);
    }

    /// Each does what can be done now. Those who wait further up the stack have their roles.
    pub(crate) fn step(&self) {
        for participant in self.members() {
            let mut most = 0..MOST_AT_ONCE;
            while simulation::run_due(&participant) || participant.poll_once() {
                assert!(most.next().is_some(), "there is no end to it");
            }
        }
    }

    /// What timers do meanwhile.
    pub(crate) fn step_timers(&self) {
        for participant in self.members() {
            while simulation::run_due(&participant) {}
        }
    }

    /// What is wrong where nobody waits.
    pub(crate) fn unsettled(&self) -> Option<String> {
        self.members().iter().find_map(simulation::unsettled)
    }

    fn members(&self) -> Vec<DomainParticipant> {
        let members = self.0.members.lock().unwrap();
        members.iter().map(|(member, _)| member.clone()).collect()
    }

    /// A reliable writer and a reliable reader that keep all, and match.
    pub(crate) fn pair(&self, local: bool) -> (DataWriter<Keyed>, DataReader<Keyed>) {
        let (here, there) = (self.join(local), self.join(local));
        let (writes, reads) = reliable();
        let writer = here.writer_with::<Keyed>("Square", writes).unwrap();
        let reader = there.reader_with::<Keyed>("Square", reads).unwrap();
        self.run_for(5 * SECOND);
        assert_eq!((writer.matched_count(), reader.matched_count()), (1, 1));
        (writer, reader)
    }
}

impl Drop for Domain {
    fn drop(&mut self) {
        // The last one besides what waits for nothing.
        if Arc::strong_count(&self.0) == 1 {
            let members = std::mem::take(&mut *self.0.members.lock().unwrap());
            members.iter().for_each(|(_, link)| link.go_down());
        }
    }
}

pub(crate) fn reliable() -> (DataWriterQos, DataReaderQos) {
    let writer = DataWriterQos {
        history: History::KeepAll,
        ..DataWriterQos::default()
    };
    let reader = DataReaderQos {
        history: History::KeepAll,
        reliability: Reliability::RELIABLE,
        ..DataReaderQos::default()
    };
    (writer, reader)
}

pub(crate) fn sample(number: u32) -> Keyed {
    of_instance(number % 3, number)
}

pub(crate) fn of_instance(instance: u32, number: u32) -> Keyed {
    Keyed::of(Load {
        instance,
        writer: 0,
        number,
        rest: Bytes::new(),
    })
}

/// The numbers of all that a reader has.
pub(crate) fn numbers(reader: &DataReader<Keyed>) -> Vec<u32> {
    let samples = reader.take().into_iter();
    let loads = samples.filter_map(|sample| sample.into_data());
    loads.map(|sample| sample.load().number).collect()
}
