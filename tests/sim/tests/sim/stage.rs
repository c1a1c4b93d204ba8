//! Some participants and a clock that a test moves by the nanosecond: what happens, and when, is
//! the test's to say.
use crate::participant::{News, Participant, Setup};
use crate::sample::{Keyed, Shape, Written};
use dunlin::simulation::Tuning;
use dunlin::{
    DataReaderQos, DataWriterQos, Guid, GuidPrefix, ParticipantConfig, PublisherQos, SubscriberQos,
    Timestamp,
};
use dunlin_rtps::Time;
use dunlin_transport::{Faults, MemoryNetwork, MemoryTransport};
use std::time::Duration as Span;

pub(crate) const MS: i64 = 1_000_000;
pub(crate) const SECOND: i64 = 1000 * MS;
/// From participant to participant, unless a test says otherwise.
pub(crate) const DELAY: i64 = MS;
/// What wall clocks show at the start.
const EPOCH: i64 = 1_700_000_000 * SECOND;

pub(crate) struct Stage {
    pub(crate) now: i64,
    pub(crate) network: MemoryNetwork,
    hosts: Vec<MemoryTransport>,
    participants: Vec<Option<Participant>>,
    /// What happened, in order: when, and to whom.
    pub(crate) news: Vec<(i64, News)>,
    lives: u8,
    /// When something came, and to whom, since somebody cleared it.
    pub(crate) heard: Vec<(usize, i64)>,
}

impl Stage {
    /// So many participants that know each other, on a network without faults.
    pub(crate) fn new(participants: usize) -> Self {
        let mut stage = Self::with_faults(participants, 0, steady());
        for who in 0..participants {
            stage.start(who, |_| {});
        }
        stage.run_for(3 * SECOND);
        stage
    }

    /// Places for participants, none of which is started.
    pub(crate) fn with_faults(places: usize, seed: u64, faults: Faults) -> Self {
        let network = MemoryNetwork::with_virtual_time(seed, faults);
        Self {
            now: 0,
            hosts: (0..places).map(|_| network.host()).collect(),
            participants: (0..places).map(|_| None).collect(),
            network,
            news: Vec::new(),
            lives: 0,
            heard: Vec::new(),
        }
    }

    pub(crate) fn start(&mut self, who: usize, change: impl FnOnce(&mut ParticipantConfig)) {
        self.lives += 1;
        let mut prefix = *b"DLpol\0\0\0\0\0\0\0";
        prefix[10] = self.lives;
        prefix[11] = u8::try_from(who).unwrap();
        let setup = Setup {
            prefix: GuidPrefix(prefix),
            entities: 0,
            tuning: Tuning::default(),
            local: false,
        };
        let host = self.hosts[who].clone();
        let (now, wall) = (Time(self.now), self.wall().0);
        let participant = Participant::configured(setup, host, now, wall, change);
        self.participants[who] = Some(participant);
        self.step();
    }

    /// Ends a participant, with or without a goodbye.
    pub(crate) fn stop(&mut self, who: usize, graceful: bool) {
        let participant = self.participants[who].take().unwrap();
        if !graceful {
            participant.link.go_down();
        }
    }

    /// Nothing goes to or comes from this one until `heal`.
    pub(crate) fn cut(&self, who: usize) {
        for other in self
            .hosts
            .iter()
            .filter(|h| h.address() != self.hosts[who].address())
        {
            self.network.cut(self.hosts[who].address(), other.address());
        }
    }

    pub(crate) fn is_there(&self, who: usize) -> bool {
        self.participants[who].is_some()
    }

    pub(crate) fn participant(&self, who: usize) -> &Participant {
        self.participants[who].as_ref().unwrap()
    }

    pub(crate) fn participant_mut(&mut self, who: usize) -> &mut Participant {
        self.participants[who].as_mut().unwrap()
    }

    /// Whose endpoint it is.
    pub(crate) fn of(&self, endpoint: Guid) -> &Participant {
        let mut all = self.participants.iter().flatten();
        all.find(|p| p.prefix() == endpoint.prefix).unwrap()
    }

    pub(crate) fn writer(&mut self, who: usize, qos: DataWriterQos) -> Guid {
        self.writer_of(who, "Square", qos, PublisherQos::default())
    }

    pub(crate) fn writer_of(
        &mut self,
        who: usize,
        topic: &str,
        qos: DataWriterQos,
        publisher: PublisherQos,
    ) -> Guid {
        let participant = self.participants[who].as_mut().unwrap();
        let guid = participant.add_writer::<Keyed>(topic, qos, publisher);
        self.step();
        guid
    }

    pub(crate) fn reader(&mut self, who: usize, qos: DataReaderQos) -> Guid {
        self.reader_of(who, "Square", qos, SubscriberQos::default())
    }

    pub(crate) fn reader_of(
        &mut self,
        who: usize,
        topic: &str,
        qos: DataReaderQos,
        subscriber: SubscriberQos,
    ) -> Guid {
        self.reader_as::<Keyed>(who, topic, qos, subscriber)
    }

    /// A reader that has its own notion of the type.
    pub(crate) fn reader_as<T: Shape>(
        &mut self,
        who: usize,
        topic: &str,
        qos: DataReaderQos,
        subscriber: SubscriberQos,
    ) -> Guid {
        let participant = self.participants[who].as_mut().unwrap();
        let guid = participant.add_reader::<T>(topic, qos, subscriber, false);
        self.step();
        guid
    }

    /// What wall clocks show.
    pub(crate) fn wall(&self) -> Timestamp {
        Timestamp(EPOCH + self.now)
    }

    /// Writes, with the change's own time stamp; false if there is no room.
    pub(crate) fn write(&mut self, writer: Guid, change: &Written) -> bool {
        let participant = self.of(writer);
        let written = participant.write_with(writer.entity, change, Some(change.timestamp));
        self.step();
        written.is_some()
    }

    pub(crate) fn change_writer(&mut self, guid: Guid, change: impl FnOnce(&mut DataWriterQos)) {
        self.of(guid).change_writer(guid.entity, change);
        self.step();
    }

    pub(crate) fn change_reader(&mut self, guid: Guid, change: impl FnOnce(&mut DataReaderQos)) {
        self.of(guid).change_reader(guid.entity, change);
        self.step();
    }

    pub(crate) fn run_for(&mut self, span: i64) {
        self.run_until(self.now + span);
    }

    /// Lets everything happen that happens until then, and at that very moment.
    pub(crate) fn run_until(&mut self, end: i64) {
        loop {
            self.step();
            let arrival = self.network.next_arrival();
            let arrival = arrival.map(|at| i64::try_from(at.as_nanos()).unwrap());
            let there = self.participants.iter().flatten();
            let timer = there.filter_map(Participant::next_due).min();
            let next = [arrival, timer.map(|at| at.0)].into_iter().flatten().min();
            let Some(next) = next.map(|at| at.max(self.now)).filter(|at| *at <= end) else {
                break;
            };
            self.advance(next);
            for (who, host) in self.hosts.iter().enumerate() {
                let came = host.next_arrival();
                if came.is_some_and(|at| at <= self.network.now()) {
                    self.heard.push((who, next));
                }
            }
        }
        self.advance(end);
    }

    fn advance(&mut self, to: i64) {
        let by = u64::try_from(to - self.now).unwrap();
        self.network.advance(Span::from_nanos(by));
        self.now = to;
        for participant in self.participants.iter().flatten() {
            participant.set_time(Time(to), EPOCH + to);
        }
    }

    /// Each does what is to be done now.
    fn step(&mut self) {
        for participant in self.participants.iter().flatten() {
            participant.step();
            let news = participant.news().into_iter();
            self.news.extend(news.map(|news| (self.now, news)));
        }
    }
}

/// A network that takes its time and does nothing else.
pub(crate) fn steady() -> Faults {
    Faults {
        delay: Span::from_nanos(DELAY.unsigned_abs()),
        ..Faults::default()
    }
}
