//! A scenario comes to life: participants, their applications, the network and time.
use crate::dice::Dice;
use crate::ledger::{Ledger, ReaderRecord, WriterRecord};
use crate::load;
use crate::participant::{self, News, Participant};
use crate::scenario::{MS, SECOND, Scenario, Seconds, Taking};
use dunlin_qos::{DataReaderQos, DataWriterQos, Duration, Reliability, ResourceLimits};
use dunlin_rtps::discovery::LossReason;
use dunlin_rtps::{Change, ChangeKind, ReaderConfig, Time, WriteError, WriterConfig};
use dunlin_transport::{Faults, MemoryNetwork, MemoryTransport};
use dunlin_wire::{EntityId, EntityKind, Guid, GuidPrefix, ReaderData, SequenceNumber, WriterData};
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
    keys: u32,
}

struct WriterApp {
    guid: Option<Guid>,
    left: u32,
    /// A write that waits for room.
    blocked: Option<Change>,
}

struct ReaderApp {
    guid: Option<Guid>,
}

#[derive(Clone, Copy)]
enum Action {
    Start(usize),
    Stop(usize, bool),
    AddWriter(usize),
    AddReader(usize),
    Write(usize),
    Take(usize),
    Cut(usize),
    Heal(usize),
}

impl World {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let network = MemoryNetwork::with_virtual_time(scenario.seed, scenario.faults);
        let place = |_| Place {
            transport: network.host(),
            participant: None,
            lives: 0,
            keys: 0,
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
            self.at(0, Action::Start(who));
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
            self.at(restart.until, Action::Start(restart.who));
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
            let arrival = self.network.next_arrival();
            let arrival = arrival.map(|at| i64::try_from(at.as_nanos()).unwrap());
            let timers = self.places.iter().filter_map(|p| p.participant.as_ref());
            let timer = timers.filter_map(|p| p.next_timeout()).min().map(|t| t.0);
            let next = [action, arrival, timer].into_iter().flatten().min();
            let Some(next) = next.map(|t| t.max(self.now)).filter(|t| *t <= end) else {
                break;
            };
            self.advance(next);
            self.steps += 1;
            if self.steps > self.most_steps {
                self.ledger.fail(format!("{} things happened", self.steps));
            }
            if arrival.is_some_and(|at| at <= self.now) {
                self.each_participant(Participant::receive);
            }
            if timer.is_some_and(|at| at <= self.now) {
                self.each_participant(|participant, now| {
                    if participant.next_timeout().is_some_and(|at| at <= now) {
                        participant.handle_timeout(now);
                    }
                });
            }
            while let Some(first) = self.actions.first_entry()
                && first.key().0 <= self.now
            {
                let action = first.remove();
                self.act(action);
                self.follow_news();
            }
        }
        self.advance(end);
    }

    fn advance(&mut self, to: i64) {
        let by = u64::try_from(to - self.now).unwrap();
        self.network.advance(std::time::Duration::from_nanos(by));
        self.now = to;
    }

    fn each_participant(&mut self, mut action: impl FnMut(&mut Participant, Time)) {
        let now = Time(self.now);
        for place in &mut self.places {
            if let Some(participant) = &mut place.participant {
                action(participant, now);
            }
        }
        self.follow_news();
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::Start(who) => self.start(who),
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
                self.network.heal();
                self.part();
            }
        }
    }

    /// Cuts what the present partitions cut.
    fn part(&self) {
        for cut in &self.cuts {
            let side = self.scenario.partitions[*cut].side;
            let inside = |n: &usize| side & (1 << n) != 0;
            for a in (0..self.places.len()).filter(inside) {
                for b in (0..self.places.len()).filter(|n| !inside(n)) {
                    let [a, b] = [a, b].map(|n| self.places[n].transport.address());
                    self.network.cut(a, b);
                }
            }
        }
    }

    fn start(&mut self, who: usize) {
        let place = &mut self.places[who];
        place.lives += 1;
        let mut prefix = *b"DLsim\0\0\0\0\0\0\0";
        prefix[10] = place.lives;
        prefix[11] = u8::try_from(who).unwrap();
        let transport = place.transport.clone();
        let mut participant = Participant::new(GuidPrefix(prefix), transport, self.prints);
        participant.start(Time(self.now));
        place.participant = Some(participant);
        for n in 0..self.writers.len() {
            self.add_writer(n);
        }
        for n in 0..self.readers.len() {
            self.add_reader(n);
        }
    }

    fn stop(&mut self, who: usize, graceful: bool) {
        let Some(mut participant) = self.places[who].participant.take() else {
            return;
        };
        if graceful {
            participant.goodbye(Time(self.now));
        }
        let trace = &participant.datagrams.trace;
        self.past.write_u64(trace.hash());
        self.past_datagrams += trace.datagrams;
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

    fn entity(&mut self, who: usize, kinds: [EntityKind; 2]) -> EntityId {
        self.places[who].keys += 1;
        let kind = kinds[usize::from(self.scenario.instances.is_some())];
        EntityId::user(self.places[who].keys, kind)
    }

    /// The writer's participant as it is now, unless the writer is not yet to come or already there.
    fn add_writer(&mut self, n: usize) {
        let plan = self.scenario.writers[n].clone();
        let there = self.places[plan.at].participant.is_some();
        if !there || plan.joins > self.now || self.writers[n].guid.is_some() {
            return;
        }
        let kinds = [EntityKind::WriterNoKey, EntityKind::WriterWithKey];
        let entity = self.entity(plan.at, kinds);
        let place = &mut self.places[plan.at];
        let participant = place.participant.as_mut().unwrap();
        let guid = Guid::new(participant.prefix(), entity);
        let limits = ResourceLimits {
            max_samples: plan.limit,
            ..ResourceLimits::default()
        };
        let config = WriterConfig {
            first_sequence: SequenceNumber(self.scenario.first),
            reliability: plan.reliability,
            durability: plan.durability,
            history: plan.history,
            resource_limits: limits,
            fragment_size: self.scenario.fragment_size,
            send_key_hash: self.scenario.send_key_hash,
            ..WriterConfig::new(guid)
        };
        let mut data = WriterData::new(guid, "Square", "Shape");
        data.qos = DataWriterQos {
            durability: plan.durability,
            history: plan.history,
            resource_limits: limits,
            reliability: Reliability {
                kind: plan.reliability,
                max_blocking_time: Duration::INFINITE,
            },
            ..DataWriterQos::default()
        };
        let record = WriterRecord {
            plan: n,
            number: u32::try_from(self.ledger.writers.len()).unwrap(),
            alive: true,
            origin: self.scenario.first - 1,
            changes: Vec::new(),
            readers: BTreeMap::new(),
            incompatible: BTreeSet::new(),
            before_epilogue: 0,
        };
        self.ledger.writers.insert(guid, record);
        self.writers[n].guid = Some(guid);
        participant.add_writer(Time(self.now), config, data);
    }

    fn add_reader(&mut self, n: usize) {
        let plan = self.scenario.readers[n].clone();
        let there = self.places[plan.at].participant.is_some();
        if !there || plan.joins > self.now || self.readers[n].guid.is_some() {
            return;
        }
        let kinds = [EntityKind::ReaderNoKey, EntityKind::ReaderWithKey];
        let entity = self.entity(plan.at, kinds);
        let place = &mut self.places[plan.at];
        let participant = place.participant.as_mut().unwrap();
        let guid = Guid::new(participant.prefix(), entity);
        let limits = ResourceLimits {
            max_samples: plan.limit,
            ..ResourceLimits::default()
        };
        let config = ReaderConfig {
            reliability: plan.reliability,
            durability: plan.durability,
            history: plan.history,
            resource_limits: limits,
            keyed: self.scenario.instances.is_some(),
            max_pending: plan.max_pending,
            ..ReaderConfig::new(guid)
        };
        let mut data = ReaderData::new(guid, "Square", "Shape");
        if self.scenario.multicast {
            data.multicast = vec![participant::samples()];
        }
        data.qos = DataReaderQos {
            durability: plan.durability,
            history: plan.history,
            resource_limits: limits,
            reliability: Reliability {
                kind: plan.reliability,
                ..Reliability::RELIABLE
            },
            ..DataReaderQos::default()
        };
        let record = ReaderRecord {
            plan: n,
            alive: true,
            writers: BTreeMap::new(),
            states: BTreeMap::new(),
            incompatible: BTreeSet::new(),
        };
        self.ledger.readers.insert(guid, record);
        self.readers[n].guid = Some(guid);
        participant.add_reader(Time(self.now), config, data);
    }

    /// It is time for the application to write.
    fn tick(&mut self, n: usize) {
        let app = &mut self.writers[n];
        if app.left == 0 {
            return;
        }
        let interval = self.scenario.writers[n].interval;
        let idle = app.guid.is_none() || app.blocked.is_some();
        let pause = if idle {
            interval.max(100 * MS)
        } else {
            interval
        };
        self.at(self.now + pause, Action::Write(n));
        if idle {
            return;
        }
        self.writers[n].left -= 1;
        let plan = &self.scenario.writers[n];
        let instances = self.scenario.instances;
        let instance = instances.map(|n| self.dice.up_to(n as usize - 1));
        let ends = plan.ends;
        let size = match self.dice.percent(plan.large.0) {
            true => plan.large.1,
            false => load::SMALLEST + 4 * self.dice.up_to(46),
        };
        let kind = match instance.is_some() && self.dice.percent(ends) {
            true => self.dice.one_of(&[
                ChangeKind::Disposed,
                ChangeKind::Unregistered,
                ChangeKind::DisposedUnregistered,
            ]),
            false => ChangeKind::Alive,
        };
        let change = self.compose(n, kind, instance, size);
        self.write(n, change);
    }

    fn compose(&self, n: usize, kind: ChangeKind, instance: Option<usize>, size: usize) -> Change {
        let record = &self.ledger.writers[&self.writers[n].guid.unwrap()];
        let number = u32::try_from(record.changes.len()).unwrap();
        let instance = instance.map(|i| match self.scenario.private {
            true => (record.number << 8) + i as u32,
            false => i as u32,
        });
        match (kind, instance) {
            (ChangeKind::Alive, _) | (_, None) => {
                load::sample(instance, record.number, number, size)
            }
            (kind, Some(instance)) => load::end(kind, instance, number),
        }
    }

    fn write(&mut self, n: usize, change: Change) {
        let now = Time(self.now);
        let guid = self.writers[n].guid.unwrap();
        let at = self.scenario.writers[n].at;
        let participant = self.places[at].participant.as_mut().unwrap();
        let record = self.ledger.writers.get_mut(&guid).unwrap();
        let next = record.last() + 1;
        record.changes.push(change.clone());
        match participant.write(now, guid.entity, &change) {
            Ok(number) if number.0 == next => {}
            Ok(number) => self
                .ledger
                .fail(format!("{next} was written as {number:?}")),
            Err(WriteError::Full) => {
                record.changes.pop();
                self.writers[n].blocked = Some(change);
            }
            Err(error) => self.ledger.fail(format!("{guid} cannot write: {error}")),
        }
    }

    fn take(&mut self, n: usize, most: usize) {
        let Some(guid) = self.readers[n].guid else {
            return;
        };
        let at = self.scenario.readers[n].at;
        let participant = self.places[at].participant.as_mut().unwrap();
        for sample in participant.take(guid.entity, most) {
            self.ledger.took(guid, &sample);
        }
    }

    /// Does what applications do when something happens to their endpoints.
    fn follow_news(&mut self) {
        for who in 0..self.places.len() {
            while let Some(participant) = &mut self.places[who].participant {
                let news = participant.news();
                if news.is_empty() {
                    break;
                }
                for news in news {
                    self.follow(news);
                }
            }
        }
    }

    fn follow(&mut self, news: News) {
        if self.prints && !matches!(news, News::Data { .. } | News::Taken { .. }) {
            eprintln!("{} {news:?}", Seconds(self.now));
        }
        match news {
            News::ReaderMatched {
                writer,
                reader,
                last,
            } => {
                self.ledger.reader_matched(writer, reader, last);
            }
            News::ReaderUnmatched { writer, reader } => {
                self.ledger.reader_unmatched(writer, reader);
            }
            News::WriterMatched { reader, writer } => self.ledger.writer_matched(reader, writer),
            News::WriterUnmatched { reader, writer } => {
                self.ledger.writer_unmatched(reader, writer);
            }
            News::Incompatible { local, remote } => {
                let writers = self.ledger.writers.get_mut(&local);
                let readers = self.ledger.readers.get_mut(&local);
                let writers = writers.map(|w| &mut w.incompatible);
                let mut all = writers
                    .into_iter()
                    .chain(readers.map(|r| &mut r.incompatible));
                all.next().unwrap().insert(remote);
            }
            News::Room { writer } => {
                let mut apps = self.writers.iter_mut();
                let app = apps.position(|app| app.guid == Some(writer));
                if let Some(n) = app
                    && let Some(change) = self.writers[n].blocked.take()
                {
                    self.write(n, change);
                }
            }
            News::Data { reader } => {
                let mut apps = self.readers.iter();
                let n = apps.position(|app| app.guid == Some(reader)).unwrap();
                if self.scenario.readers[n].taking == Taking::AtOnce {
                    self.take(n, usize::MAX);
                }
            }
            News::Taken { reader, samples } => {
                for sample in &samples {
                    self.ledger.took(reader, sample);
                }
            }
            News::Lost {
                reader,
                writer,
                count,
            } => self.ledger.lost(reader, writer, count),
            News::ParticipantLost { prefix, reason } => self.lost(prefix, reason),
        }
    }

    /// A participant that lives and is not cut off for long must not be given up.
    fn lost(&mut self, prefix: GuidPrefix, reason: LossReason) {
        let mut lives = self.places.iter().filter_map(|p| p.participant.as_ref());
        let lives = lives.any(|p| p.prefix() == prefix);
        if lives && reason == LossReason::LeaseExpired && self.is_calm() {
            let now = Seconds(self.now);
            self.ledger
                .fail(format!("{prefix:?} lives and was given up at {now}"));
        }
    }

    /// No lease should run out.
    pub(crate) fn is_calm(&self) -> bool {
        let parted: i64 = self
            .scenario
            .partitions
            .iter()
            .map(|p| p.until - p.from)
            .sum();
        self.scenario.faults.drop <= 0.3 && parted <= 4 * SECOND
    }

    /// Is everything written that was to be written, and nothing planned any more?
    pub(crate) fn is_done(&self) -> bool {
        let written = self
            .writers
            .iter()
            .all(|w| w.left == 0 && w.blocked.is_none());
        let lasting = |a: &Action| matches!(a, Action::Take(_) | Action::Write(_));
        written && self.actions.values().all(lasting)
    }

    /// Who waits for room, in words.
    pub(crate) fn unwritten(&self) -> String {
        let apps = self.writers.iter().enumerate();
        let waiting = apps.filter(|(_, w)| w.left > 0 || w.blocked.is_some());
        let words = waiting.map(|(n, w)| {
            let blocked = if w.blocked.is_some() { ", blocked" } else { "" };
            format!("writer {n} has {} to write{blocked}", w.left)
        });
        words.collect::<Vec<_>>().join("; ")
    }

    /// From now on the network loses nothing and keeps the order.
    pub(crate) fn heal(&mut self) {
        self.network.set_faults(Faults {
            delay: self.scenario.faults.delay,
            ..Faults::default()
        });
    }

    /// Each writer has some more to say, ends of instances among it.
    pub(crate) fn begin_epilogue(&mut self) {
        for n in 0..self.writers.len() {
            let guid = self.writers[n].guid.unwrap();
            let record = self.ledger.writers.get_mut(&guid).unwrap();
            record.before_epilogue = record.last();
            self.writers[n].left = 8;
            self.scenario.writers[n].interval = 20 * MS;
            self.at(self.now, Action::Write(n));
        }
    }

    pub(crate) fn take_all(&mut self) {
        for n in 0..self.readers.len() {
            self.take(n, usize::MAX);
        }
        self.follow_news();
    }

    pub(crate) fn datagrams(&self) -> u64 {
        let places = self.places.iter().filter_map(|p| p.participant.as_ref());
        let present = places.map(|p| p.datagrams.trace.datagrams);
        self.past_datagrams + present.sum::<u64>()
    }

    /// A fingerprint of every datagram and every sample.
    pub(crate) fn trace(&self) -> u64 {
        let mut hasher = self.past.clone();
        for participant in self.participants() {
            hasher.write_u64(participant.datagrams.trace.hash());
        }
        for (guid, reader) in &self.ledger.readers {
            hasher.write(&guid.to_bytes());
            for source in reader.writers.values() {
                source.taken.iter().for_each(|n| hasher.write_i64(*n));
            }
        }
        hasher.finish()
    }

    pub(crate) fn participants(&self) -> impl Iterator<Item = &Participant> {
        self.places.iter().filter_map(|p| p.participant.as_ref())
    }

    pub(crate) fn participant_of(&self, endpoint: Guid) -> Option<&Participant> {
        self.participants().find(|p| p.prefix() == endpoint.prefix)
    }
}
