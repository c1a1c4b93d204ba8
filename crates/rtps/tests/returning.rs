//! Writers and readers that lose each other by their leases and find each other again: what was
//! delivered is not delivered again, and what never comes is counted.
mod common;

use bytes::Bytes;
use common::*;
use dunlin_qos::{Durability, History};
use dunlin_rtps::{ChangeKind, InstanceState, Reader, ReaderConfig, Select, Time, WriterConfig};
use dunlin_wire::{
    Data, EntityId, Guid, GuidPrefix, Heartbeat, InlineQos, Payload, SequenceNumber, VendorId,
};

/// Whose lease runs out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sides {
    Reader,
    Writer,
    Both,
}

const ALL: [Sides; 3] = [Sides::Reader, Sides::Writer, Sides::Both];

const FAST: Link = Link {
    loss: 0,
    duplicate: 0,
    reorder: 0,
    delay: MS / 10,
    jitter: 1,
};

/// A writer of our own kind, whose reader waits until it is told where it begins.
fn own() -> Guid {
    let [high, low] = VendorId::DUNLIN.0;
    let prefix = GuidPrefix([high, low, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    Guid::new(prefix, writer_guid(1).entity)
}

struct Scene {
    world: World,
    writer: WriterConfig,
    reader: ReaderConfig,
    wrote: u32,
}

impl Scene {
    fn new(writer: WriterConfig, reader: ReaderConfig) -> Self {
        Self {
            world: World::pair(21, FAST, &writer, &reader),
            writer,
            reader,
            wrote: 0,
        }
    }

    fn of(guid: Guid, durability: Durability, history: History) -> Self {
        let writer = WriterConfig {
            guid,
            durability,
            history,
            ..reliable_writer()
        };
        // Names in one place, so that it is our own reader, too.
        let reader = ReaderConfig {
            guid: Guid::new(guid.prefix, reader_guid(1).entity),
            durability,
            ..reliable_reader()
        };
        Self::new(writer, reader)
    }

    /// Writes so many samples of one instance.
    fn write(&mut self, count: u32) {
        for _ in 0..count {
            let change = sample(0, self.wrote, 16);
            self.world.write(self.writer.guid, &change).unwrap();
            self.wrote += 1;
        }
    }

    fn lose(&mut self, sides: Sides) {
        let (w, r, now) = (self.writer.guid, self.reader.guid, self.world.now);
        if sides != Sides::Writer {
            let delivery = self.world.readers.get_mut(&r).unwrap().lose_writer(now, w);
            self.world.lost += u64::from(delivery.lost);
        }
        if sides != Sides::Reader {
            self.world.writers.get_mut(&w).unwrap().remove_reader(r);
        }
    }

    /// Who has lost the other finds it again.
    fn find(&mut self, sides: Sides) {
        let (w, r, now) = (self.writer.guid, self.reader.guid, self.world.now);
        if sides != Sides::Writer {
            let mut out = Recorder::default();
            let reader = self.world.readers.get_mut(&r).unwrap();
            reader.add_writer(now, proxy_of_writer(&self.writer), &mut out);
            self.world.post(r, out);
        }
        if sides != Sides::Reader {
            let mut out = Recorder::default();
            let writer = self.world.writers.get_mut(&w).unwrap();
            writer.add_reader(now, proxy_of_reader(&self.reader), &mut out);
            self.world.post(w, out);
        }
    }

    /// 50 samples arrive, the last of which are not acknowledged yet; 20 are written while nothing
    /// gets through, 20 after that.
    fn part(&mut self, sides: Sides) {
        self.world.settle();
        self.write(50);
        self.world.run_for(MS);
        self.world.link.loss = 100;
        self.write(10);
        self.lose(sides);
        self.write(10);
        self.world.run_for(20_000 * MS);
        self.world.link.loss = 0;
        self.find(sides);
        // What KEEP_LAST replaces before it is asked for is not lost, but out of date.
        self.world.run_for(500 * MS);
        self.write(20);
        self.world.settle();
    }

    /// What came; each number once and in order.
    fn got(&self) -> Vec<u32> {
        let got = self.world.numbers(self.reader.guid);
        assert!(got.is_sorted_by(|a, b| a < b), "{got:?}");
        got
    }
}

#[test]
fn what_was_delivered_does_not_come_again_and_what_never_comes_is_counted() {
    for guid in [own(), writer_guid(1)] {
        for durability in [Durability::Volatile, Durability::TransientLocal] {
            for history in [History::KeepAll, History::KeepLast(5)] {
                for sides in ALL {
                    let mut scene = Scene::of(guid, durability, history);
                    for round in 1..=3 {
                        scene.part(sides);
                        let what = format!("{guid} {durability:?} {history:?} {sides:?} {round}");
                        let got = scene.got();
                        let lost = scene.world.lost;
                        assert_eq!(got.len() as u64 + lost, u64::from(scene.wrote), "{what}");
                        assert!(got.ends_with(&[scene.wrote - 1]), "{what}");
                        let keeps = history == History::KeepAll;
                        let owed = durability != Durability::Volatile || sides == Sides::Reader;
                        assert!(!(keeps && owed) || lost == 0, "{what}: {lost} are lost");
                    }
                }
            }
        }
    }
}

#[test]
fn with_loss_and_disorder_each_sample_comes_once_or_is_counted() {
    for seed in 0..100 {
        let mut scene = Scene::of(own(), Durability::Volatile, History::KeepAll);
        scene.world.rng = Rng(seed);
        let link = Link {
            loss: scene.world.rng.below(40),
            duplicate: scene.world.rng.below(20),
            reorder: scene.world.rng.below(40),
            delay: MS,
            jitter: 20 * MS,
        };
        scene.world.settle();
        for _ in 0..6 {
            scene.world.link = link;
            let before = 1 + scene.world.rng.below(60) as u32;
            scene.write(before);
            let pause = scene.world.rng.below(80) as i64 * MS;
            scene.world.run_for(pause);
            let sides = ALL[scene.world.rng.below(3) as usize];
            scene.world.link.loss = 100;
            scene.lose(sides);
            let meanwhile = scene.world.rng.below(30) as u32;
            scene.write(meanwhile);
            scene.world.run_for(12_000 * MS);
            scene.world.link = link;
            scene.find(sides);
        }
        scene.world.link.loss = 0;
        scene.write(1);
        scene.world.settle();
        let (got, lost) = (scene.got().len() as u64, scene.world.lost);
        assert_eq!(
            got + lost,
            u64::from(scene.wrote),
            "seed {seed}: {lost} lost"
        );
    }
}

#[test]
fn a_best_effort_reader_gets_no_history_twice() {
    let mut scene = Scene::of(own(), Durability::TransientLocal, History::KeepAll);
    scene.reader.reliability = dunlin_qos::ReliabilityKind::BestEffort;
    scene = Scene::new(scene.writer, scene.reader);
    scene.part(Sides::Both);
    assert!(scene.got().into_iter().eq(0..90));
    assert_eq!(scene.world.lost, 0);
}

#[test]
fn who_is_handed_each_change_as_it_was_sent_hears_nothing_of_a_return() {
    let mut scene = Scene::of(own(), Durability::TransientLocal, History::KeepAll);
    scene.reader.stream = true;
    scene = Scene::new(scene.writer, scene.reader);
    let w = scene.writer.guid;
    scene.world.write(w, &sample(1, 0, 16)).unwrap();
    scene.world.write(w, &end(ChangeKind::Disposed, 2)).unwrap();
    scene.world.settle();
    scene.lose(Sides::Both);
    scene.find(Sides::Both);
    scene.world.settle();
    scene.world.take(scene.reader.guid);
    let infos = scene.world.infos(scene.reader.guid);
    let told = infos.iter().map(|i| (i.change_kind, i.sequence.0));
    let sent = [(ChangeKind::Alive, 1), (ChangeKind::Disposed, 2)];
    assert!(told.eq(sent), "{infos:#?}");
}

#[test]
fn instances_live_again_though_their_samples_do_not_come_again() {
    for forgotten in [false, true] {
        let mut scene = Scene::of(own(), Durability::TransientLocal, History::KeepAll);
        let w = scene.writer.guid;
        for (number, instance) in [(0, 1), (1, 2), (2, 1)] {
            scene.world.write(w, &sample(instance, number, 16)).unwrap();
        }
        scene.world.write(w, &end(ChangeKind::Disposed, 2)).unwrap();
        scene.world.settle();
        scene.lose(Sides::Both);
        if forgotten {
            // Once the application knows that nobody writes them, the reader forgets them.
            scene.world.take(scene.reader.guid);
        }
        scene.find(Sides::Both);
        scene.world.settle();
        scene.world.take(scene.reader.guid);
        assert_eq!(scene.got(), [0, 1, 2]);
        let infos = scene.world.infos(scene.reader.guid);
        let last = |instance| {
            let mut of = infos.iter().filter(|i| i.instance == handle(instance));
            of.next_back().map(|i| (i.instance_state, i.valid_data))
        };
        assert_eq!(last(1), Some((InstanceState::Alive, false)), "{forgotten}");
        let disposed = Some((InstanceState::NotAliveDisposed, false));
        assert_eq!(last(2), disposed, "{forgotten}");
        assert_eq!(scene.world.lost, 0);
    }
}

#[test]
fn a_writer_that_is_deleted_is_not_remembered_and_those_that_are_have_bounds() {
    let mut reader = Reader::new(reliable_reader());
    let mut out = Recorder::default();
    let hear = |reader: &mut Reader, participant: u8, key: u32, lease: bool| {
        let entity = EntityId::user(key, dunlin_wire::EntityKind::WriterWithKey);
        let guid = Guid::new(GuidPrefix([participant; 12]), entity);
        let config = WriterConfig {
            guid,
            ..reliable_writer()
        };
        let mut out = Recorder::default();
        reader.add_writer(Time(0), proxy_of_writer(&config), &mut out);
        let payload = Bytes::from_static(&[0; 8]);
        let data = Message::Data(SequenceNumber(1), Vec::new(), payload, false);
        feed(reader, Time(0), guid, None, &data, &mut out);
        match lease {
            true => reader.lose_writer(Time(0), guid),
            false => reader.remove_writer(Time(0), guid),
        }
    };
    hear(&mut reader, 1, 1, false);
    assert_eq!(reader.holdings().departed, 0);
    for key in 0..1_000 {
        hear(&mut reader, 1, key, true);
    }
    assert_eq!(reader.holdings().departed, 32, "of one participant");
    for participant in 2..100 {
        for key in 0..10 {
            hear(&mut reader, participant, key, true);
        }
    }
    assert_eq!(reader.holdings().departed, 256);
    // One of which nothing ever came has no place.
    let silent = proxy_of_writer(&reliable_writer());
    let mut fresh = Reader::new(reliable_reader());
    fresh.add_writer(Time(0), silent, &mut out);
    fresh.lose_writer(Time(0), writer_guid(1));
    assert_eq!(fresh.holdings().departed, 0);
}

/// Devices of other vendors may begin anew with the name that they had.
#[test]
fn a_writer_that_is_not_as_far_as_it_was_is_another_one() {
    let mut reader = Reader::new(ReaderConfig {
        keyed: false,
        ..reliable_reader()
    });
    let (guid, mut out) = (writer_guid(1), Recorder::default());
    let writer = proxy_of_writer(&reliable_writer());
    let payload = Bytes::from_static(&[0; 8]);
    for (life, samples) in [(0, 50), (1, 3)] {
        let now = Time(life * 60_000 * MS);
        reader.add_writer(now, writer, &mut out);
        let heartbeat = Heartbeat {
            reader: EntityId::UNKNOWN,
            writer: guid.entity,
            first: SequenceNumber(1),
            last: SequenceNumber(samples),
            count: 1,
            is_final: true,
            liveliness: false,
            group: None,
        };
        reader.handle_heartbeat(now, guid, &heartbeat, &mut out);
        for number in 1..=samples {
            let sequence = SequenceNumber(number);
            let data = Data {
                reader: EntityId::UNKNOWN,
                writer: guid.entity,
                sequence,
                inline_qos: dunlin_wire::Parameters::little_endian(&[]),
                payload: Payload::Data(&payload),
            };
            let inline = InlineQos::default();
            reader.handle_data(now, guid, None, &data, &inline, &mut Copying, &mut out);
        }
        let mut taken = Vec::new();
        reader.take(&Select::default(), |s| {
            if s.info.valid_data {
                taken.push(s.info.sequence.0);
            }
        });
        assert!(taken.into_iter().eq(1..=samples), "life {life}");
        let lost = reader.lose_writer(now, guid).lost;
        assert_eq!(lost, 0);
    }
}
