//! In a crowd a writer that has written nothing and a reader that wants no history have nothing to
//! say to each other: the reader is told where it begins with the first change.
mod common;

use common::*;
use dunlin_qos::{Durability, History};
use dunlin_rtps::{
    Body, Change, Reader, ReaderConfig, ReaderProxyConfig, Time, Writer, WriterConfig,
    WriterProxyConfig,
};
use dunlin_wire::{AckNack, Guid, SequenceNumber, SequenceNumberSet, VendorId};

const NOTHING: [&str; 0] = [];
/// From so many on each further one is one of a crowd.
const CROWD: u8 = 16;

/// A writer with so many readers that have answered.
struct Writing {
    writer: Writer,
    out: Recorder,
}

impl Writing {
    fn among(others: u8, config: WriterConfig) -> Self {
        let mut writing = Self {
            writer: Writer::new(config),
            out: Recorder::default(),
        };
        for n in 1..=others {
            writing.join(n, Durability::Volatile, VendorId::DUNLIN);
            writing.begins_at_first(n);
        }
        assert_eq!(writing.writer.next_timeout(), None);
        writing
    }

    fn join(&mut self, n: u8, durability: Durability, vendor: VendorId) -> Vec<String> {
        let reader = ReaderProxyConfig {
            guid: reader_guid(n),
            reliable: true,
            durability,
            expects_inline_qos: false,
            vendor,
        };
        self.writer.add_reader(Time(0), reader, &mut self.out);
        self.out.said()
    }

    fn begins_at_first(&mut self, n: u8) {
        let ack_nack = AckNack {
            reader: reader_guid(n).entity,
            writer: writer_guid(1).entity,
            state: SequenceNumberSet::new(SequenceNumber(1)),
            count: 1,
            is_final: true,
        };
        self.writer
            .handle_ack_nack(Time(0), reader_guid(n), &ack_nack, &mut self.out);
        self.out.said();
    }

    fn write(&mut self) -> Vec<String> {
        let change = sample(0, 0, 8);
        let written = self.writer.write(Time(0), &change, &mut self.out);
        written.unwrap();
        self.out.said()
    }
}

#[test]
fn one_more_reader_of_many_is_told_where_it_begins_before_the_first_change() {
    let mut w = Writing::among(CROWD, reliable_writer());
    assert_eq!(w.join(100, Durability::Volatile, VendorId::DUNLIN), NOTHING);
    assert_eq!(w.writer.next_timeout(), None, "nothing is left to do");
    assert_eq!(w.write(), ["HEARTBEAT 1..0? !", "DATA 1"]);
    // From then on whoever joins is told at once.
    let said = w.join(101, Durability::Volatile, VendorId::DUNLIN);
    assert_eq!(said, ["HEARTBEAT 2..1? !"]);
}

#[test]
fn a_reader_that_has_asked_need_not_be_told_again() {
    let mut w = Writing::among(CROWD, reliable_writer());
    assert_eq!(w.join(100, Durability::Volatile, VendorId::DUNLIN), NOTHING);
    w.begins_at_first(100);
    assert_eq!(w.write(), ["DATA 1"]);
}

#[test]
fn few_readers_those_of_others_and_those_that_want_history_are_told_at_once() {
    let begins = ["HEARTBEAT 1..0? !"];
    let mut few = Writing::among(CROWD - 1, reliable_writer());
    let said = few.join(100, Durability::Volatile, VendorId::DUNLIN);
    assert_eq!(said, begins);
    let mut others = Writing::among(CROWD, reliable_writer());
    let said = others.join(100, Durability::Volatile, VendorId::CYCLONE_DDS);
    assert_eq!(said, begins);
    let mut durable = Writing::among(
        CROWD,
        WriterConfig {
            durability: Durability::TransientLocal,
            ..reliable_writer()
        },
    );
    let said = durable.join(100, Durability::TransientLocal, VendorId::DUNLIN);
    assert_eq!(said, begins);
}

#[test]
fn the_first_change_goes_whole_if_readers_are_to_be_told_of_it() {
    let mut w = Writing::among(
        CROWD,
        WriterConfig {
            fragment_size: Some(1_000),
            ..reliable_writer()
        },
    );
    w.join(100, Durability::Volatile, VendorId::DUNLIN);
    let change = sample(0, 0, 0);
    let empty = Change {
        payload: Body::default(),
        ..change
    };
    assert_eq!(w.writer.open(Time(0), &empty, 10_000, None), None);
    w.write();
    let opened = w.writer.open(Time(0), &empty, 10_000, None);
    assert_eq!(opened, Some(SequenceNumber(2)));
}

/// A reader among writers that are never asked, since they are best effort.
fn reader_among(others: u8, durability: Durability) -> (Reader, Recorder) {
    let (mut out, config) = (Recorder::default(), reliable_reader());
    let mut reader = Reader::new(ReaderConfig {
        durability,
        ..config
    });
    for n in 2..=others + 1 {
        let writer = proxy_of_writer(&WriterConfig {
            guid: writer_guid(n),
            ..reliable_writer()
        });
        let writer = WriterProxyConfig {
            reliable: false,
            ..writer
        };
        reader.add_writer(Time(0), writer, &mut out);
    }
    let writer = proxy_of_writer(&WriterConfig {
        durability,
        ..reliable_writer()
    });
    let writer = WriterProxyConfig {
        vendor: VendorId::DUNLIN,
        ..writer
    };
    reader.add_writer(Time(0), writer, &mut out);
    (reader, out)
}

#[test]
fn a_reader_asks_one_more_writer_of_many_only_for_history() {
    let (reader, mut out) = reader_among(CROWD - 2, Durability::Volatile);
    assert_eq!(out.said(), ["ACKNACK 1 []? !"], "few are asked at once");
    assert!(reader.next_timeout().is_some());
    let (reader, mut out) = reader_among(CROWD, Durability::Volatile);
    assert_eq!(out.said(), NOTHING);
    assert_eq!(reader.next_timeout(), None);
    assert!(reader.is_complete(), "there is nothing to wait for");
    let (reader, mut out) = reader_among(CROWD, Durability::TransientLocal);
    assert_eq!(out.said(), NOTHING);
    assert!(reader.next_timeout().is_some(), "it asks if nobody speaks");
    assert!(!reader.is_complete(), "there may be history");
}

/// The name of an endpoint of Dunlin's.
fn of_ours(mut guid: Guid) -> Guid {
    let [high, low] = VendorId::DUNLIN.0;
    let [role, n, ..] = guid.prefix.0;
    guid.prefix.0 = [high, low, role, n, 0, 0, 0, 0, 0, 0, 0, 3];
    guid
}

/// Whatever is lost, and whichever side knows the other first.
#[test]
fn in_a_crowd_all_get_the_first_change_of_all() {
    for seed in 1..=20 {
        let link = Link {
            loss: 20,
            duplicate: 5,
            reorder: 10,
            delay: MS,
            jitter: 3 * MS,
        };
        let mut world = World::new(seed, link);
        let writers: Vec<_> = (1..=2 * CROWD)
            .map(|n| WriterConfig {
                guid: of_ours(writer_guid(n)),
                history: History::KeepAll,
                ..reliable_writer()
            })
            .collect();
        let readers: Vec<_> = (1..=2 * CROWD)
            .map(|n| ReaderConfig {
                guid: of_ours(reader_guid(n)),
                ..reliable_reader()
            })
            .collect();
        writers.iter().for_each(|writer| world.add_writer(writer));
        readers.iter().for_each(|reader| world.add_reader(reader));
        for writer in &writers {
            for reader in &readers {
                world.connect(writer, reader);
            }
            world.run_for(MS * i64::from(seed % 3 == 0));
        }
        let said = world.sent.clone();
        for number in 0..5 {
            for (n, writer) in (1..).zip(&writers) {
                let change = sample(n, 10 * n + number, 100);
                world.write(writer.guid, &change).unwrap();
            }
        }
        world.settle();
        for reader in &readers {
            let mut numbers = world.numbers(reader.guid);
            numbers.sort_unstable();
            let all = (1..=u32::from(2 * CROWD)).flat_map(|n| (0..5).map(move |i| 10 * n + i));
            assert!(numbers.into_iter().eq(all), "seed {seed}, before {said:?}");
        }
    }
}
