//! Readers of this process, which are spoken to directly, get what others get by a network that
//! loses nothing: the same samples, with the same states, whatever the QoS.
use crate::dice::Dice;
use crate::domain::{Domain, SECOND, of_instance, reliable};
use crate::sample::{Keyed, Shape};
use dunlin::simulation::{self, ChangeKind};
use dunlin::{
    AccessScope, DataReader, DataReaderQos, DataWriter, DataWriterQos, DestinationOrder,
    DomainParticipant, Durability, Guid, History, Ownership, Presentation, PublisherQos,
    Reliability, Select, SubscriberQos,
};

const SEEDS: u64 = 150;

/// What applications do, and what they see.
struct Course {
    dice: Dice,
    domain: Domain,
    participants: [DomainParticipant; 2],
    /// What they all have.
    writes: DataWriterQos,
    reads: DataReaderQos,
    presentation: Presentation,
    writers: Vec<Option<DataWriter<Keyed>>>,
    /// Of all writers, also of those that are gone.
    names: Vec<Guid>,
    readers: Vec<Option<DataReader<Keyed>>>,
    number: u32,
    seen: Vec<String>,
}

impl Course {
    fn new(seed: u64, local: bool) -> Self {
        let mut dice = Dice(seed);
        let domain = Domain::new(0);
        let participants = [(); 2].map(|()| domain.join(local));
        let (mut writes, mut reads) = reliable();
        let durability = dice.one_of(&[Durability::Volatile, Durability::TransientLocal]);
        let ownership = dice.one_of(&[Ownership::Shared, Ownership::Shared, Ownership::Exclusive]);
        let order = dice.one_of(DestinationOrder::ALL);
        (writes.durability, reads.durability) = (durability, durability);
        (writes.ownership, reads.ownership) = (ownership, ownership);
        (writes.destination_order, reads.destination_order) = (order, order);
        let histories = [History::KeepAll, History::KeepLast(1), History::KeepLast(3)];
        writes.history = dice.one_of(&histories);
        reads.history = dice.one_of(&histories);
        if dice.percent(30) {
            reads.reliability = Reliability::BEST_EFFORT;
        }
        let presentation = Presentation {
            access_scope: dice.one_of(&[AccessScope::Instance, AccessScope::Topic]),
            coherent_access: false,
            ordered_access: dice.percent(50),
        };
        Self {
            dice,
            domain,
            participants,
            writes,
            reads,
            presentation,
            writers: Vec::new(),
            names: Vec::new(),
            readers: Vec::new(),
            number: 0,
            seen: Vec::new(),
        }
    }

    fn run(mut self) -> Vec<String> {
        self.domain.run_for(5 * SECOND);
        self.add_writer();
        self.add_reader();
        self.domain.run_for(SECOND);
        for _ in 0..60 {
            match self.dice.up_to(99) {
                0..5 => self.add_writer(),
                5..10 => self.add_reader(),
                10..13 => self.delete_writer(),
                13..16 => self.delete_reader(),
                16..40 => self.take(),
                _ => self.burst(),
            }
            // However long it takes: a late joiner may have to ask.
            self.domain.run_for(SECOND);
        }
        for reader in 0..self.readers.len() {
            self.take_of(reader, usize::MAX);
        }
        let mut rest = self.readers.iter().flatten();
        assert!(rest.all(|reader| reader.take().is_empty()));
        self.seen
    }

    fn participant(&mut self) -> DomainParticipant {
        self.participants[self.dice.up_to(1)].clone()
    }

    fn add_writer(&mut self) {
        let participant = self.participant();
        let publisher = participant.create_publisher(PublisherQos {
            presentation: self.presentation,
            ..PublisherQos::default()
        });
        let topic = participant.create_topic("Square", Default::default());
        let mut qos = self.writes.clone();
        qos.ownership_strength = i32::try_from(self.writers.len()).unwrap();
        let writer = publisher.create_datawriter(&topic.unwrap(), qos).unwrap();
        self.names.push(writer.guid());
        self.writers.push(Some(writer));
    }

    fn add_reader(&mut self) {
        let participant = self.participant();
        let subscriber = participant.create_subscriber(SubscriberQos {
            presentation: self.presentation,
            ..SubscriberQos::default()
        });
        let topic = participant.create_topic::<Keyed>("Square", Default::default());
        let qos = self.reads.clone();
        let reader = subscriber.create_datareader(&topic.unwrap(), qos);
        self.readers.push(Some(reader.unwrap()));
    }

    fn delete_writer(&mut self) {
        let nth = self.dice.up_to(self.writers.len() - 1);
        self.writers[nth] = None;
    }

    fn delete_reader(&mut self) {
        let nth = self.dice.up_to(self.readers.len() - 1);
        self.readers[nth] = None;
    }

    /// A writer writes, now and then ends an instance, without a pause.
    fn burst(&mut self) {
        let nth = self.dice.up_to(self.writers.len() - 1);
        for _ in 0..1 + self.dice.up_to(4) {
            self.number += 1;
            // Each writer has instances of its own: no order among writers is promised.
            let instance = u32::try_from(10 * nth + self.dice.up_to(2)).unwrap();
            let kind = match self.dice.up_to(9) {
                0 => ChangeKind::Disposed,
                1 => ChangeKind::DisposedUnregistered,
                2 => ChangeKind::Unregistered,
                _ => ChangeKind::Alive,
            };
            if let Some(writer) = &self.writers[nth] {
                let sample = of_instance(instance, self.number);
                simulation::change(writer, kind, &sample, None).unwrap();
            }
        }
    }

    fn take(&mut self) {
        let (nth, most) = (self.dice.up_to(self.readers.len() - 1), self.dice.up_to(6));
        self.take_of(nth, most);
    }

    /// Notes all that a reader says of its samples, those of each writer by themselves.
    fn take_of(&mut self, nth: usize, most: usize) {
        let Some(reader) = &self.readers[nth] else {
            return;
        };
        let select = Select {
            // What is there of several writers comes in any order.
            max: if self.names.len() == 1 {
                most
            } else {
                usize::MAX
            },
            ..Select::default()
        };
        let mut lines: Vec<_> = Vec::new();
        for sample in reader.take_with(&select) {
            let mut info = sample.info;
            let writer = self.names.iter().position(|name| *name == info.publication);
            info.publication = Guid::UNKNOWN;
            let number = sample.into_data().map(|data| data.load().number);
            lines.push((
                writer,
                format!("reader {nth}, writer {writer:?}: {number:?} {info:?}"),
            ));
        }
        lines.sort_by_key(|(writer, _)| *writer);
        self.seen.extend(lines.into_iter().map(|(_, line)| line));
    }
}

#[test]
fn readers_of_this_process_get_what_readers_elsewhere_get() {
    let (mut all, mut differ) = (0, Vec::new());
    let seeds = std::env::var("DUNLIN_SIM_SEEDS").map_or(SEEDS, |n| n.parse().unwrap());
    for seed in 0..seeds {
        let [local, remote] = [true, false].map(|local| Course::new(seed, local).run());
        all += local.len();
        if local != remote {
            let mut pairs = local.iter().zip(&remote);
            let first = pairs.find(|(local, remote)| local != remote);
            differ.push((
                seed,
                local.len(),
                remote.len(),
                first.map(|(l, r)| [l.clone(), r.clone()]),
            ));
        }
    }
    assert!(
        differ.is_empty(),
        "{} differ: {:#?}",
        differ.len(),
        &differ[..differ.len().min(5)]
    );
    assert!(all > 5_000, "{all} samples");
}
