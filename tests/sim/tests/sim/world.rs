//! A scenario comes to life: participants, their applications, the network and time.
mod apps;
mod checks;

use crate::dice::Dice;
use crate::ledger::Ledger;
use crate::participant::{Participant, Setup};
use crate::sample::Written;
use crate::scenario::{SECOND, Scenario, Taking};
use dunlin::simulation::Tuning;
use dunlin::{Guid, GuidPrefix, SequenceNumber};
use dunlin_rtps::Time;
use dunlin_transport::{MemoryNetwork, MemoryTransport};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hasher};

/// More things than this do not happen in a usual run.
const MOST_STEPS: u64 = 3_000_000;

pub(crate) struct World {
    pub(crate) scenario: Scenario,
    pub(crate) now: i64,
    pub(crate) ledger: Ledger,
    pub(crate) steps: u64,
    pub(crate) most_steps: u64,
    network: MemoryNetwork,
    places: Vec<Place>,
    writers: Vec<WriterApp>,
    readers: Vec<ReaderApp>,
    dice: Dice,
    actions: BTreeMap<(i64, u64), Action>,
    order: u64,
    cuts: BTreeSet<usize>,
    past: DefaultHasher,
    past_datagrams: u64,
    prints: bool,
}

/// Where participants live, one after the other.
struct Place {
    transport: MemoryTransport,
    participant: Option<Participant>,
    lives: u8,
    /// Participants that there have been.
    stays: u32,
    pause: Option<Paused>,
    /// What its monotonic clock shows at the start of the world; less the more it has slept.
    clock: i64,
    /// By how much its wall clock was set.
    set_by: i64,
}

struct Paused {
    since: i64,
    asleep: bool,
}

struct WriterApp {
    guid: Option<Guid>,
    left: u32,
    /// A write that waits for more room than there was.
    blocked: Option<(Written, u64)>,
}

struct ReaderApp {
    guid: Option<Guid>,
}

#[derive(Clone, Copy)]
enum Action {
    /// As somebody else, unless with the same prefix.
    Start(usize, bool),
    Stop(usize, bool),
    AddWriter(usize),
    AddReader(usize),
    Write(usize),
    Take(usize),
    Cut(usize),
    Heal(usize),
    Pause(usize),
    Resume(usize),
    Jump(usize),
}

impl World {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let network = MemoryNetwork::with_virtual_time(scenario.seed, scenario.faults);
        let place = |who: usize| Place {
            transport: network.host(),
            participant: None,
            lives: 0,
            stays: 0,
            pause: None,
            clock: 1_000_000 * SECOND * who as i64,
            set_by: 0,
        };
        let mut world = Self {
            scenario: scenario.clone(),
            now: 0,
            ledger: Ledger::default(),
            steps: 0,
            most_steps: MOST_STEPS,
            places: (0..scenario.participants).map(place).collect(),
            network,
            writers: Vec::new(),
            readers: Vec::new(),
            dice: Dice(!scenario.seed),
            actions: BTreeMap::new(),
            order: 0,
            cuts: BTreeSet::new(),
            past: DefaultHasher::new(),
            past_datagrams: 0,
            prints: std::env::var_os("DUNLIN_SIM_TRACE").is_some(),
        };
        world.plan(scenario);
        world
    }

    fn plan(&mut self, scenario: &Scenario) {
        for who in 0..scenario.participants {
            self.at(0, Action::Start(who, false));
        }
        for (n, writer) in scenario.writers.iter().enumerate() {
            self.writers.push(WriterApp {
                guid: None,
                left: writer.samples,
                blocked: None,
            });
            self.at(writer.joins, Action::AddWriter(n));
            self.at(writer.joins, Action::Write(n));
        }
        for (n, reader) in scenario.readers.iter().enumerate() {
            self.readers.push(ReaderApp { guid: None });
            self.at(reader.joins, Action::AddReader(n));
            if let Taking::Every(period, _) = reader.taking {
                self.at(period, Action::Take(n));
            }
        }
        for (n, partition) in scenario.partitions.iter().enumerate() {
            self.at(partition.from, Action::Cut(n));
            self.at(partition.until, Action::Heal(n));
        }
        for restart in &scenario.restarts {
            self.at(restart.from, Action::Stop(restart.who, restart.graceful));
            self.at(
                restart.until,
                Action::Start(restart.who, restart.same_prefix),
            );
        }
        for (n, pause) in scenario.pauses.iter().enumerate() {
            self.at(pause.from, Action::Pause(n));
            self.at(pause.until, Action::Resume(n));
        }
        for (n, jump) in scenario.jumps.iter().enumerate() {
            self.at(jump.at, Action::Jump(n));
        }
    }

    fn at(&mut self, time: i64, action: Action) {
        self.order += 1;
        self.actions.insert((time, self.order), action);
    }

    /// Lets everything happen that happens until then.
    pub(crate) fn run_until(&mut self, end: i64) {
        while self.ledger.failures.is_empty() {
            let action = self.actions.first_key_value().map(|((at, _), _)| *at);
            let arrival = self.next_arrival();
            let timer = self.places.iter().filter_map(Place::next_due).min();
            let next = [action, arrival, timer].into_iter().flatten().min();
            let Some(next) = next.map(|t| t.max(self.now)).filter(|t| *t <= end) else {
                break;
            };
            self.advance(next);
            self.steps += 1;
            if self.steps > self.most_steps {
                self.ledger.fail(format!("{} things happened", self.steps));
            }
            if [arrival, timer]
                .into_iter()
                .flatten()
                .any(|at| at <= self.now)
            {
                self.each_participant(Participant::step);
            }
            while let Some(first) = self.actions.first_entry()
                && first.key().0 <= self.now
            {
                let action = first.remove();
                self.set_times();
                self.act(action);
                self.each_participant(Participant::step);
            }
        }
        self.advance(end);
    }

    fn advance(&mut self, to: i64) {
        let by = u64::try_from(to - self.now).unwrap();
        self.network.advance(std::time::Duration::from_nanos(by));
        self.now = to;
    }

    /// When the next datagram reaches somebody who is there to receive it.
    fn next_arrival(&self) -> Option<i64> {
        let first = match self.places.iter().all(|p| p.pause.is_none()) {
            true => self.network.next_arrival(),
            false => {
                let awake = self.places.iter().filter(|p| p.pause.is_none());
                awake.filter_map(|p| p.transport.next_arrival()).min()
            }
        };
        first.map(|at| i64::try_from(at.as_nanos()).unwrap())
    }

    /// Those who are awake, one after the other; then their applications.
    fn each_participant(&mut self, action: impl Fn(&Participant)) {
        self.set_times();
        let awake = self.places.iter().filter(|p| p.pause.is_none());
        awake
            .filter_map(|p| p.participant.as_ref())
            .for_each(action);
        self.follow_news();
    }

    /// All clocks show what they have to.
    fn set_times(&self) {
        for place in self.places.iter().filter(|p| p.pause.is_none()) {
            if let Some(participant) = &place.participant {
                participant.set_time(place.time(self.now), self.wall(place));
            }
        }
    }

    /// What a wall clock shows.
    fn wall(&self, place: &Place) -> i64 {
        self.scenario.epoch + self.now + place.set_by
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::Start(who, same_prefix) => self.start(who, same_prefix),
            Action::Stop(who, graceful) => self.stop(who, graceful),
            Action::AddWriter(n) => self.add_writer(n),
            Action::AddReader(n) => self.add_reader(n),
            Action::Write(n) => self.tick(n),
            Action::Take(n) => {
                if let Taking::Every(period, most) = self.scenario.readers[n].taking {
                    self.take(n, most);
                    self.at(self.now + period, Action::Take(n));
                }
            }
            Action::Cut(n) => {
                self.cuts.insert(n);
                self.part();
            }
            Action::Heal(n) => {
                self.cuts.remove(&n);
                self.part();
            }
            Action::Pause(n) => self.pause(n),
            Action::Resume(n) => self.resume(n),
            Action::Jump(n) => {
                let jump = &self.scenario.jumps[n];
                for (who, place) in self.places.iter_mut().enumerate() {
                    if jump.who.is_none_or(|one| one == who) {
                        place.set_by += jump.by;
                    }
                }
            }
        }
    }

    fn pause(&mut self, n: usize) {
        let plan = &self.scenario.pauses[n];
        let place = &mut self.places[plan.who];
        if place.participant.is_some() {
            place.pause = Some(Paused {
                since: self.now,
                asleep: plan.asleep,
            });
            self.part();
        }
    }

    fn resume(&mut self, n: usize) {
        let place = &mut self.places[self.scenario.pauses[n].who];
        if let Some(pause) = place.pause.take()
            && pause.asleep
        {
            place.clock -= self.now - pause.since;
        }
        self.part();
    }

    /// Cuts what the present partitions cut, and who sleeps.
    fn part(&self) {
        self.network.heal();
        let sides = self.cuts.iter().map(|n| self.scenario.partitions[*n].side);
        let places = self.places.iter().enumerate();
        let sleeping = places.filter(|(_, p)| p.pause.as_ref().is_some_and(|p| p.asleep));
        for side in sides.chain(sleeping.map(|(who, _)| 1 << who)) {
            let inside = |n: &usize| side & (1 << n) != 0;
            for a in (0..self.places.len()).filter(inside) {
                for b in (0..self.places.len()).filter(|n| !inside(n)) {
                    let [a, b] = [a, b].map(|n| self.places[n].transport.address());
                    self.network.cut(a, b);
                }
            }
        }
    }

    fn start(&mut self, who: usize, same_prefix: bool) {
        let place = &mut self.places[who];
        if !same_prefix {
            place.lives += 1;
        }
        let mut prefix = *b"DLsim\0\0\0\0\0\0\0";
        prefix[10] = place.lives;
        prefix[11] = u8::try_from(who).unwrap();
        let transport = place.transport.clone();
        place.stays += 1;
        let (time, entities) = (place.time(self.now), 1000 * place.stays);
        let wall = self.wall(&self.places[who]);
        let setup = Setup {
            prefix: GuidPrefix(prefix),
            entities,
            tuning: Tuning {
                first_sequence: Some(SequenceNumber(self.scenario.first)),
                send_key_hash: Some(self.scenario.send_key_hash),
                max_pending: None,
            },
            local: false,
        };
        let participant = Participant::new(setup, transport, time, wall);
        participant.set_fragment_size(Some(self.scenario.fragment_size));
        self.places[who].participant = Some(participant);
        for n in 0..self.writers.len() {
            self.add_writer(n);
        }
        for n in 0..self.readers.len() {
            self.add_reader(n);
        }
    }

    fn stop(&mut self, who: usize, graceful: bool) {
        let place = &mut self.places[who];
        let Some(participant) = place.participant.take() else {
            return;
        };
        // Whoever is paused cannot say goodbye.
        if !graceful || place.pause.is_some() {
            participant.link.go_down();
        }
        place.pause = None;
        self.part();
        let link = participant.link.clone();
        drop(participant);
        self.past.write_u64(link.trace());
        self.past_datagrams += link.datagrams();
        for (plan, app) in self.scenario.writers.iter().zip(&mut self.writers) {
            if plan.at == who
                && let Some(guid) = app.guid.take()
            {
                app.left += u32::from(app.blocked.take().is_some());
                self.ledger.writers.get_mut(&guid).unwrap().alive = false;
            }
        }
        for (plan, app) in self.scenario.readers.iter().zip(&mut self.readers) {
            if plan.at == who
                && let Some(guid) = app.guid.take()
            {
                self.ledger.readers.get_mut(&guid).unwrap().alive = false;
            }
        }
    }
}

impl Place {
    /// What its monotonic clock shows.
    fn time(&self, now: i64) -> Time {
        Time(now + self.clock)
    }

    /// When it has something to do, on the world's clock.
    fn next_due(&self) -> Option<i64> {
        let participant = self.participant.as_ref().filter(|_| self.pause.is_none())?;
        Some(participant.next_due()?.0.saturating_sub(self.clock))
    }
}
