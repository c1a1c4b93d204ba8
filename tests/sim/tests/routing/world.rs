//! Domains, applications and services on one network in memory and one virtual clock.
//!
//! There is one thread. Who waits in it, such as a service for the readers of a writer that it
//! deletes, lets the world go on meanwhile.
use crate::dice::Dice;
use crate::link::Link;
use dunlin::simulation::{self, SimulatedClock, Time, Tuning};
use dunlin::transport::{Faults, MemoryNetwork, MemoryTransport};
use dunlin::{
    DomainParticipant, Duration, EntityId, Error, GuidPrefix, ParticipantConfig, Transports,
};
use dunlin_routing::plan::Plan;
use dunlin_routing::simulation::{Simulation, SteppedService};
use dunlin_routing::state::{EntityKind, Tree};
use dunlin_wire::{Message, Submessage};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration as Span;

pub(crate) const MS: i64 = 1_000_000;
pub(crate) const SECOND: i64 = 1_000 * MS;
/// What wall clocks show at the start.
const EPOCH: i64 = 1_700_000_000 * SECOND;
/// More than this does not happen at one time.
const MOST_AT_ONCE: usize = 1_000_000;
/// No turn of a service is due because of news.
const NEVER: i64 = i64::MAX;
/// The thread of a service is as late as this when it wakes.
const LATEST: u64 = 5 * MS as u64;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends everything when it is dropped.
pub(crate) struct World(Arc<Inner>);

struct Inner {
    network: MemoryNetwork,
    clock: Arc<SimulatedClock>,
    dice: Mutex<Dice>,
    members: Mutex<Vec<Member>>,
    services: Mutex<Vec<Arc<Routing>>>,
    /// Participants there have been, and services.
    names: AtomicU32,
    ids: AtomicU32,
    /// Datagrams that travel in one piece.
    whole: Option<usize>,
    lease: Duration,
    /// Nothing happens any more.
    over: AtomicBool,
}

#[derive(Clone)]
struct Member {
    participant: DomainParticipant,
    domain: u32,
    link: Link,
    host: MemoryTransport,
    /// The service that it is of; 0 if it is an application's.
    of: u32,
}

/// A service in the world.
struct Routing {
    id: u32,
    service: SteppedService,
    /// It has its turn now, or is ended.
    busy: AtomicBool,
    /// When its thread wakes for news.
    wakes: AtomicI64,
}

/// What a world is like.
pub(crate) struct Nature {
    pub(crate) seed: u64,
    pub(crate) faults: Faults,
    /// Larger datagrams are not sent to others; `None` if all sizes are.
    pub(crate) whole: Option<usize>,
    /// Of all participants.
    pub(crate) lease: Duration,
}

impl Nature {
    /// Nothing is lost, and all that is sent arrives within half a millisecond.
    pub(crate) fn quiet(seed: u64) -> Self {
        Self {
            seed,
            faults: Faults {
                delay: Span::from_micros(200),
                jitter: Span::from_micros(300),
                ..Faults::default()
            },
            whole: None,
            lease: Duration::from_secs(10),
        }
    }
}

/// The name of a service in its world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ServiceId(u32);

impl World {
    pub(crate) fn new(nature: Nature) -> Self {
        let clock = SimulatedClock::new(0, EPOCH);
        let inner = Arc::new(Inner {
            network: MemoryNetwork::with_virtual_time(nature.seed, nature.faults),
            clock: Arc::clone(&clock),
            dice: Mutex::new(Dice(nature.seed ^ 0x5eed)),
            members: Mutex::default(),
            services: Mutex::default(),
            names: AtomicU32::new(0),
            ids: AtomicU32::new(0),
            whole: nature.whole,
            lease: nature.lease,
            over: AtomicBool::new(false),
        });
        let (world, own) = (Arc::downgrade(&inner), Arc::downgrade(&clock));
        clock.on_wait(move |until| match (world.upgrade(), own.upgrade()) {
            (Some(world), _) => world.go_on(until.0),
            (None, Some(clock)) => clock.set(until.0, EPOCH + until.0),
            (None, None) => {}
        });
        Self(inner)
    }

    /// An application's participant.
    pub(crate) fn join(&self, domain: u32) -> DomainParticipant {
        let config = ParticipantConfig::default();
        self.0.join(domain, config, 0).unwrap()
    }

    /// Ends an application's participant with a goodbye.
    pub(crate) fn leave(&self, participant: &DomainParticipant) {
        participant.close();
        let is_it = |member: &Member| member.participant == *participant;
        lock(&self.0.members).retain(|member| !is_it(member));
        self.0.step();
    }

    /// Ends an application's participant that nobody hears of: as if its process was killed.
    pub(crate) fn crash_application(&self, participant: DomainParticipant) {
        lock(&self.0.members).retain(|member| {
            let is_it = member.participant == participant;
            if is_it {
                member.link.go_down();
            }
            !is_it
        });
        // It does not act any more, not even by saying goodbye.
        std::mem::forget(participant);
    }

    pub(crate) fn start(&self, plan: Plan) -> ServiceId {
        let id = 1 + self.0.ids.fetch_add(1, SeqCst);
        let world = Arc::downgrade(&self.0);
        let simulation = Simulation {
            clock: Arc::clone(&self.0.clock),
            join: Box::new(move |domain, config| match world.upgrade() {
                Some(world) => world.join(domain, config, id),
                None => Err(Error::BadParameter("the world is gone".into())),
            }),
            router: id,
            execution: u64::from(id),
        };
        let service = dunlin_routing::simulation::start(plan, simulation).unwrap();
        lock(&self.0.services).push(Arc::new(Routing {
            id,
            service,
            busy: AtomicBool::new(false),
            wakes: AtomicI64::new(NEVER),
        }));
        self.0.step();
        ServiceId(id)
    }

    /// Ends a service that nobody hears of: as if its process was killed.
    pub(crate) fn crash(&self, ServiceId(id): ServiceId) {
        let service = self.take(id);
        lock(&self.0.members).retain(|member| {
            if member.of == id {
                member.link.go_down();
            }
            member.of != id
        });
        // Its writers would wait for their readers.
        std::mem::forget(service);
    }

    /// Ends a service as an administrator does.
    pub(crate) fn stop(&self, ServiceId(id): ServiceId) {
        let service = self.take(id);
        let Ok(service) = Arc::try_unwrap(service) else {
            panic!("a service ends while it has its turn");
        };
        service.service.stop();
        lock(&self.0.members).retain(|member| member.of != id);
        self.0.step();
    }

    fn take(&self, id: u32) -> Arc<Routing> {
        let mut services = lock(&self.0.services);
        let at = services.iter().position(|service| service.id == id);
        services.remove(at.unwrap())
    }

    pub(crate) fn state(&self, ServiceId(id): ServiceId) -> Tree {
        let services = self.0.services();
        let found = services.iter().find(|service| service.id == id);
        found.unwrap().service.state()
    }

    /// What all services have lost, in words; empty if that is nothing.
    pub(crate) fn losses(&self) -> Vec<String> {
        let mut losses = Vec::new();
        for service in self.0.services() {
            for node in service.service.state().walk() {
                let counters = &node.counters;
                let lost = [counters.failed, counters.dropped_full, counters.given_up];
                if lost != [0; 3] {
                    let path = &node.path.0;
                    losses.push(format!("{path}: failed, dropped, given up: {lost:?}"));
                }
            }
        }
        losses
    }

    /// The routes of all services.
    pub(crate) fn routes(&self) -> usize {
        let of = |service: &Arc<Routing>| {
            let tree = service.service.state();
            let all = tree.walk();
            all.iter().filter(|n| n.kind == EntityKind::Route).count()
        };
        self.0.services().iter().map(of).sum()
    }

    pub(crate) fn now(&self) -> i64 {
        self.0.now()
    }

    pub(crate) fn set_faults(&self, faults: Faults) {
        self.0.network.set_faults(faults);
    }

    /// Nobody hears anybody in a domain until `heal`.
    pub(crate) fn cut(&self, domain: u32) {
        let members = self.0.members();
        let hosts = members.iter().filter(|m| m.domain == domain);
        let hosts: Vec<_> = hosts.map(|member| member.host.address()).collect();
        for (at, one) in hosts.iter().enumerate() {
            for other in &hosts[at + 1..] {
                self.0.network.cut(*one, *other);
            }
        }
    }

    /// Nobody hears this participant, nor does it hear anybody, until `heal`.
    pub(crate) fn cut_off(&self, participant: &DomainParticipant) {
        let members = self.0.members();
        let of = |own: bool| {
            let all = members.iter();
            all.filter(move |member| (member.participant == *participant) == own)
        };
        for own in of(true) {
            for other in of(false) {
                let hosts = [own, other].map(|member| member.host.address());
                self.0.network.cut(hosts[0], hosts[1]);
            }
        }
    }

    pub(crate) fn heal(&self) {
        self.0.network.heal();
    }

    /// Lets time pass, and whatever happens in it.
    pub(crate) fn run_for(&self, span: i64) {
        let end = self.now() + span;
        self.0.step();
        while self.now() < end {
            self.0.go_on(end);
        }
        for member in self.0.members() {
            assert_eq!(simulation::unsettled(&member.participant), None);
        }
    }

    /// Lets time pass until it is so; false if it is not within `most`.
    pub(crate) fn run_until(&self, most: i64, is_so: impl Fn() -> bool) -> bool {
        let end = self.now() + most;
        while !is_so() {
            if self.now() >= end {
                return false;
            }
            self.run_for(50 * MS);
        }
        true
    }

    /// Begins to listen to what is said.
    pub(crate) fn listen(&self) {
        for member in self.0.members() {
            member.link.record();
        }
    }

    /// What was said since `listen`: samples of applications, and words about endpoints.
    pub(crate) fn heard(&self) -> Said {
        let mut said = Said::default();
        for member in self.0.members() {
            for (_, datagram) in member.link.record() {
                let message = Message::parse(&datagram).unwrap();
                for submessage in message.submessages {
                    let writer = match submessage.unwrap() {
                        Submessage::Data(data) => data.writer,
                        Submessage::DataFrag(data) => data.writer,
                        _ => continue,
                    };
                    match writer {
                        EntityId::SPDP_WRITER => {}
                        writer if writer.is_builtin() => said.of_endpoints += 1,
                        _ => said.samples += 1,
                    }
                }
            }
        }
        said
    }
}

/// Submessages with data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) samples: u64,
    pub(crate) of_endpoints: u64,
}

impl Drop for World {
    fn drop(&mut self) {
        self.0.over.store(true, SeqCst);
        let members = std::mem::take(&mut *lock(&self.0.members));
        members.iter().for_each(|member| member.link.go_down());
        let services = std::mem::take(&mut *lock(&self.0.services));
        drop(services);
    }
}

impl Inner {
    fn join(
        &self,
        domain: u32,
        mut config: ParticipantConfig,
        of: u32,
    ) -> dunlin::Result<DomainParticipant> {
        let mut prefix = *b"DLroute\0\0\0\0\0";
        prefix[8..].copy_from_slice(&self.names.fetch_add(1, SeqCst).to_be_bytes());
        let host = self.network.host();
        let link = Link::new(host.clone(), &self.clock);
        link.set_whole(self.whole);
        config.transport = Some(Arc::new(link.clone()));
        config.transports = Transports {
            local: false,
            ..Transports::default()
        };
        config.announces_process = false;
        config.lease_duration = self.lease;
        let simulation = simulation::Simulation {
            prefix: GuidPrefix(prefix),
            clock: Arc::clone(&self.clock),
            entities: 0,
            tuning: Tuning::default(),
        };
        let participant = simulation::join(domain, config, simulation)?;
        lock(&self.members).push(Member {
            participant: participant.clone(),
            domain,
            link,
            host,
            of,
        });
        Ok(participant)
    }

    fn now(&self) -> i64 {
        self.clock.time().0
    }

    fn members(&self) -> Vec<Member> {
        lock(&self.members).clone()
    }

    fn services(&self) -> Vec<Arc<Routing>> {
        lock(&self.services).clone()
    }

    /// What happens next, if it happens by then; otherwise it is then.
    fn go_on(&self, until: i64) {
        if self.over.load(SeqCst) {
            return self.set_time(until.max(self.now()));
        }
        let now = self.now();
        let mut next = self.next_after(now - 1);
        if next <= now {
            if self.step() {
                return;
            }
            // It is of somebody who has ended, or who waits further up the stack.
            next = self.next_after(now);
        }
        let next = next.min(until);
        assert!(next < Time::NEVER.0, "a wait never ends");
        self.set_time(next.max(now));
        self.step();
    }

    /// When something happens that happens after this time.
    fn next_after(&self, time: i64) -> i64 {
        let mut next = NEVER;
        let mut note = |at: i64| {
            if at > time {
                next = next.min(at);
            }
        };
        for member in self.members() {
            let arrival = member.host.next_arrival();
            let arrival = arrival.map(|at| i64::try_from(at.as_nanos()).unwrap());
            let due = simulation::next_due(&member.participant).map(|at| at.0);
            arrival.into_iter().chain(due).for_each(&mut note);
        }
        for service in self.services() {
            note(service.next(self.now()));
        }
        next
    }

    fn set_time(&self, to: i64) {
        let by = Span::from_nanos((to - self.now()).unsigned_abs());
        self.network.advance(by);
        self.clock.set(to, EPOCH + to);
    }

    /// Each does what can be done now; false if there is nothing. Those who wait further up the
    /// stack have their roles.
    fn step(&self) -> bool {
        let mut most = 0..MOST_AT_ONCE;
        let mut has_done = false;
        loop {
            let mut any = false;
            for member in self.members() {
                let participant = &member.participant;
                while simulation::run_due(participant) || participant.poll_once() {
                    any = true;
                    assert!(most.next().is_some(), "there is no end to it");
                }
            }
            for service in self.services() {
                any |= self.turn(&service);
            }
            if !any {
                return has_done;
            }
            has_done = true;
        }
    }

    /// A service has its turn, if its thread has woken.
    fn turn(&self, service: &Routing) -> bool {
        if service.busy.swap(true, SeqCst) {
            return false;
        }
        let now = self.now();
        if service.wakes.load(SeqCst) == NEVER && service.service.is_due() {
            let late = lock(&self.dice).within(0, LATEST);
            service.wakes.store(now + late.cast_signed(), SeqCst);
        }
        let wakes = service.wakes.load(SeqCst) <= now;
        if wakes {
            service.wakes.store(NEVER, SeqCst);
            service.service.turn();
        }
        service.busy.store(false, SeqCst);
        wakes
    }
}

impl Routing {
    /// When it is to be looked at again.
    fn next(&self, now: i64) -> i64 {
        // It waits further up the stack.
        if self.busy.load(SeqCst) {
            return NEVER;
        }
        match self.wakes.load(SeqCst) {
            NEVER => {
                let ahead = self.service.next_due().as_nanos();
                now.saturating_add(i64::try_from(ahead).unwrap())
            }
            at => at,
        }
    }
}
