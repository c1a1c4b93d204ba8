//! The applications: they make writers and readers, write, take, and follow what happens to their
//! endpoints.
use super::{Action, World};
use crate::ledger::{ReaderRecord, WriterRecord};
use crate::load;
use crate::participant::{self, News};
use crate::scenario::{MS, Seconds, Taking};
use dunlin_qos::{DataReaderQos, DataWriterQos, Duration, Reliability, ResourceLimits};
use dunlin_rtps::{Change, ChangeKind, ReaderConfig, WriteError, WriterConfig};
use dunlin_wire::{EntityId, EntityKind, Guid, ReaderData, SequenceNumber, Timestamp, WriterData};
use std::collections::{BTreeMap, BTreeSet};

/// So much fits into one datagram with its headers.
const WHOLE: usize = 60_000;

impl World {
    fn entity(&mut self, who: usize, kinds: [EntityKind; 2]) -> EntityId {
        self.places[who].keys += 1;
        let kind = kinds[usize::from(self.scenario.instances.is_some())];
        EntityId::user(self.places[who].keys, kind)
    }

    /// The writer's participant as it is now, unless the writer is not yet to come or already
    /// there.
    pub(super) fn add_writer(&mut self, n: usize) {
        let plan = self.scenario.writers[n].clone();
        if self.places[plan.at].pause.is_some() {
            return self.at(self.now + 100 * MS, Action::AddWriter(n));
        }
        let there = self.places[plan.at].participant.is_some();
        if !there || plan.joins > self.now || self.writers[n].guid.is_some() {
            return;
        }
        let kinds = [EntityKind::WriterNoKey, EntityKind::WriterWithKey];
        let entity = self.entity(plan.at, kinds);
        let place = &mut self.places[plan.at];
        let now = place.time(self.now);
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
            fragment_size: Some(self.scenario.fragment_size),
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
            forgotten: 0,
            readers: BTreeMap::new(),
            incompatible: BTreeSet::new(),
            before_epilogue: 0,
        };
        self.ledger.writers.insert(guid, record);
        self.writers[n].guid = Some(guid);
        participant.add_writer(now, config, data);
    }

    pub(super) fn add_reader(&mut self, n: usize) {
        let plan = self.scenario.readers[n].clone();
        if self.places[plan.at].pause.is_some() {
            return self.at(self.now + 100 * MS, Action::AddReader(n));
        }
        let there = self.places[plan.at].participant.is_some();
        if !there || plan.joins > self.now || self.readers[n].guid.is_some() {
            return;
        }
        let kinds = [EntityKind::ReaderNoKey, EntityKind::ReaderWithKey];
        let entity = self.entity(plan.at, kinds);
        let place = &mut self.places[plan.at];
        let now = place.time(self.now);
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
            across_instances: true,
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
        participant.add_reader(now, config, data);
    }

    /// It is time for the application to write.
    pub(super) fn tick(&mut self, n: usize) {
        let app = &mut self.writers[n];
        if app.left == 0 {
            return;
        }
        let plan = &self.scenario.writers[n];
        let (interval, paused) = (plan.interval, self.places[plan.at].pause.is_some());
        let idle = app.guid.is_none() || app.blocked.is_some() || paused;
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
        if self.dice.percent(self.scenario.whole) {
            self.change_fragments(n);
        }
        let change = self.compose(n, kind, instance, size);
        self.write(n, change);
    }

    /// From now on the writer splits samples, or not, as if readers had come or gone that share
    /// memory with it.
    fn change_fragments(&mut self, n: usize) {
        let plan = &self.scenario.writers[n];
        let size = self.scenario.fragment_size;
        let sizes = match plan.large.1 <= WHOLE {
            true => [Some(size), Some(size / 2), None, None],
            false => [Some(size), Some(size / 2), Some(size / 3), Some(size)],
        };
        let size = self.dice.one_of(&sizes);
        let entity = self.writers[n].guid.unwrap().entity;
        let participant = self.places[plan.at].participant.as_mut().unwrap();
        participant.set_fragment_size(entity, size);
    }

    fn compose(&self, n: usize, kind: ChangeKind, instance: Option<usize>, size: usize) -> Change {
        let record = &self.ledger.writers[&self.writers[n].guid.unwrap()];
        let number = u32::try_from(record.forgotten + record.changes.len()).unwrap();
        let instance = instance.map(|i| match self.scenario.private {
            true => (record.number << 8) + i as u32,
            false => i as u32,
        });
        let place = &self.places[self.scenario.writers[n].at];
        let timestamp = Timestamp(self.scenario.epoch + self.now + place.set_by);
        match (kind, instance) {
            (ChangeKind::Alive, _) | (_, None) => {
                load::sample(timestamp, instance, record.number, number, size)
            }
            (kind, Some(instance)) => load::end(timestamp, kind, instance),
        }
    }

    fn write(&mut self, n: usize, change: Change) {
        let guid = self.writers[n].guid.unwrap();
        let at = self.scenario.writers[n].at;
        let now = self.places[at].time(self.now);
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

    pub(super) fn take(&mut self, n: usize, most: usize) {
        let Some(guid) = self.readers[n].guid else {
            return;
        };
        let place = &mut self.places[self.scenario.readers[n].at];
        if place.pause.is_some() {
            return;
        }
        let participant = place.participant.as_mut().unwrap();
        for sample in participant.take(guid.entity, most) {
            self.ledger.took(guid, &sample);
        }
    }

    /// Does what applications do when something happens to their endpoints.
    pub(super) fn follow_news(&mut self) {
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
            other => self.ledger.fail(format!("unexpected: {other:?}")),
        }
    }
}
