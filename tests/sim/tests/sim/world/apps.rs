//! The applications: they make writers and readers, write, take, and follow what happens to their
//! endpoints.
use super::{Action, World};
use crate::ledger::{ReaderRecord, WriterRecord};
use crate::participant::News;
use crate::sample::{Keyed, Keyless, SMALLEST, Written};
use crate::scenario::{MS, Seconds, Taking};
use dunlin_qos::{
    AccessScope, DataReaderQos, DataWriterQos, Duration, Presentation, PublisherQos, Reliability,
    ResourceLimits, SubscriberQos,
};
use dunlin_rtps::ChangeKind;
use dunlin_wire::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::net::Ipv4Addr;

/// Samples are handed out as they came, whatever their instance.
const AS_THEY_CAME: Presentation = Presentation {
    access_scope: AccessScope::Topic,
    coherent_access: false,
    ordered_access: true,
};
/// So much fits into one datagram with its headers.
const WHOLE: usize = 60_000;

impl World {
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
        let participant = self.places[plan.at].participant.as_mut().unwrap();
        let limits = ResourceLimits {
            max_samples: plan.limit,
            ..ResourceLimits::default()
        };
        let qos = DataWriterQos {
            durability: plan.durability,
            history: plan.history,
            resource_limits: limits,
            reliability: Reliability {
                kind: plan.reliability,
                // Whoever finds no room comes again when there may be some.
                max_blocking_time: Duration::ZERO,
            },
            ..DataWriterQos::default()
        };
        let publisher = PublisherQos {
            presentation: AS_THEY_CAME,
            ..PublisherQos::default()
        };
        let guid = match self.scenario.instances {
            Some(_) => participant.add_writer::<Keyed>("Square", qos, publisher),
            None => participant.add_writer::<Keyless>("Square", qos, publisher),
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
        let participant = self.places[plan.at].participant.as_mut().unwrap();
        let limits = ResourceLimits {
            max_samples: plan.limit,
            ..ResourceLimits::default()
        };
        let group = Ipv4Addr::new(239, 255, 0, 2);
        let qos = DataReaderQos {
            durability: plan.durability,
            history: plan.history,
            resource_limits: limits,
            reliability: Reliability {
                kind: plan.reliability,
                ..Reliability::RELIABLE
            },
            multicast: match self.scenario.multicast {
                true => vec![group],
                false => Vec::new(),
            },
            ..DataReaderQos::default()
        };
        participant.set_max_pending(plan.max_pending);
        let takes = plan.taking == Taking::AtOnce;
        let subscriber = SubscriberQos {
            presentation: AS_THEY_CAME,
            ..SubscriberQos::default()
        };
        let guid = match self.scenario.instances {
            Some(_) => participant.add_reader::<Keyed>("Square", qos, subscriber, takes),
            None => participant.add_reader::<Keyless>("Square", qos, subscriber, takes),
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
            false => SMALLEST + 4 * self.dice.up_to(46),
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

    /// From now on writers of this participant split samples, or not, as when the ways to their
    /// readers change.
    fn change_fragments(&mut self, n: usize) {
        let plan = &self.scenario.writers[n];
        let size = self.scenario.fragment_size;
        let sizes = match plan.large.1 <= WHOLE {
            true => [Some(size), Some(size / 2), None, None],
            false => [Some(size), Some(size / 2), Some(size / 3), Some(size)],
        };
        let size = self.dice.one_of(&sizes);
        let participant = self.places[plan.at].participant.as_ref().unwrap();
        participant.set_fragment_size(size);
        participant.step();
    }

    fn compose(&self, n: usize, kind: ChangeKind, instance: Option<usize>, size: usize) -> Written {
        let record = &self.ledger.writers[&self.writers[n].guid.unwrap()];
        let number = u32::try_from(record.forgotten + record.changes.len()).unwrap();
        let instance = instance.map(|i| match self.scenario.private {
            true => (record.number << 8) + i as u32,
            false => i as u32,
        });
        let place = &self.places[self.scenario.writers[n].at];
        Written {
            kind,
            instance,
            timestamp: Timestamp(self.wall(place)),
            writer: record.number,
            number,
            size,
        }
    }

    fn write(&mut self, n: usize, change: Written) {
        let guid = self.writers[n].guid.unwrap();
        let at = self.scenario.writers[n].at;
        let timestamp = Timestamp(self.wall(&self.places[at]));
        let change = Written {
            timestamp,
            ..change
        };
        let participant = self.places[at].participant.as_ref().unwrap();
        let room = participant.room(guid.entity);
        let record = self.ledger.writers.get_mut(&guid).unwrap();
        let next = record.last() + 1;
        match participant.write(guid.entity, &change) {
            Some(number) => {
                record.changes.push(change);
                if number.0 != next {
                    let what = format!("{next} was written as {number:?}");
                    self.ledger.fail(what);
                }
            }
            None => self.writers[n].blocked = Some((change, room)),
        }
    }

    /// Those who wait for room look whether there may be some.
    fn write_blocked(&mut self) {
        for n in 0..self.writers.len() {
            let (at, app) = (self.scenario.writers[n].at, &mut self.writers[n]);
            let Some(guid) = app.guid.filter(|_| self.places[at].pause.is_none()) else {
                continue;
            };
            let participant = self.places[at].participant.as_ref().unwrap();
            let room = participant.room(guid.entity);
            if let Some((change, _)) = app.blocked.take_if(|(_, before)| *before != room) {
                self.write(n, change);
            }
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
        let participant = place.participant.as_ref().unwrap();
        for sample in participant.take(guid.entity, most) {
            self.ledger.took(guid, &sample);
        }
    }

    /// Does what applications do when something happens to their endpoints.
    pub(super) fn follow_news(&mut self) {
        for who in 0..self.places.len() {
            while let Some(participant) = &self.places[who].participant {
                let news = participant.news();
                if news.is_empty() {
                    break;
                }
                for news in news {
                    self.follow(news);
                }
            }
        }
        self.write_blocked();
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
            News::Data { .. } => {}
            News::Taken { reader, samples } => {
                for sample in &samples {
                    self.ledger.took(reader, sample);
                }
            }
            News::ParticipantLost { prefix, silent } => self.lost(prefix, silent),
            News::Liveliness { .. } => {}
            other => self.ledger.fail(format!("unexpected: {other:?}")),
        }
    }
}
