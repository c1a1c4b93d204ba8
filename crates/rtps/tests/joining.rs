//! A reader joins a writer: what it asks, and what it takes for lost.
mod common;

use bytes::Bytes;
use common::*;
use dunlin_qos::{Durability, Duration, History};
use dunlin_rtps::{
    Delivery, Reader, ReaderConfig, ReaderProxyConfig, Select, Time, Writer, WriterConfig,
    WriterProxyConfig,
};
use dunlin_wire::{
    AckNack, EntityId, Gap, Guid, GuidPrefix, Heartbeat, SequenceNumber, SequenceNumberSet,
    VendorId,
};

fn joined() -> (Reader, Recorder) {
    let mut reader = Reader::new(reliable_reader());
    let mut out = Recorder::default();
    reader.add_writer(Time(0), proxy_of_writer(&reliable_writer()), &mut out);
    (reader, out)
}

fn heartbeat(reader: EntityId, first: i64, last: i64, count: u32) -> Heartbeat {
    Heartbeat {
        reader,
        writer: writer_guid(1).entity,
        first: SequenceNumber(first),
        last: SequenceNumber(last),
        count,
        is_final: false,
        liveliness: false,
        group: None,
    }
}

fn hear(reader: &mut Reader, heartbeat: &Heartbeat) -> Delivery {
    let now = Time(i64::from(heartbeat.count) * MS);
    let mut out = Recorder::default();
    reader.handle_heartbeat(now, writer_guid(1), heartbeat, &mut out)
}

#[test]
fn what_was_written_before_a_reader_came_is_not_lost() {
    let (mut reader, _) = joined();
    let to_all = heartbeat(EntityId::UNKNOWN, 111, 168, 1);
    assert_eq!(hear(&mut reader, &to_all), Delivery::default());
    let to_it = heartbeat(reader_guid(1).entity, 169, 168, 2);
    assert_eq!(hear(&mut reader, &to_it), Delivery::default());
    let later = heartbeat(EntityId::UNKNOWN, 171, 171, 3);
    assert_eq!(hear(&mut reader, &later).lost, 2);
}

#[test]
fn a_gap_for_the_reader_alone_says_where_it_begins() {
    let (mut reader, mut out) = joined();
    let gap = Gap {
        reader: reader_guid(1).entity,
        writer: writer_guid(1).entity,
        start: SequenceNumber(1),
        list: SequenceNumberSet::new(SequenceNumber(169)),
    };
    reader.handle_gap(Time(0), writer_guid(1), &gap, &mut out);
    let later = heartbeat(EntityId::UNKNOWN, 171, 171, 1);
    assert_eq!(hear(&mut reader, &later).lost, 2);
}

#[test]
fn a_writer_that_was_never_heard_is_asked_on() {
    let (mut reader, mut out) = joined();
    let mut asked = out.said().len();
    while let Some(at) = reader.next_timeout().filter(|at| *at <= Time(10_000 * MS)) {
        reader.handle_timeout(at, &mut out);
        let said = out.said();
        assert_eq!(said, ["ACKNACK 1 []? !"]);
        asked += 1;
    }
    assert!((10..20).contains(&asked), "asked {asked} times in 10 s");
    let nothing = heartbeat(reader_guid(1).entity, 1, 0, 1);
    let now = Time(0).after(Duration::from_secs(10));
    reader.handle_heartbeat(now, writer_guid(1), &nothing, &mut out);
    assert!(reader.is_complete());
    assert_eq!(
        reader.next_timeout().and_then(|at| {
            reader.handle_timeout(at, &mut Recorder::default());
            reader.next_timeout()
        }),
        None
    );
}

/// A writer of our own kind.
fn own() -> Guid {
    let [high, low] = VendorId::DUNLIN.0;
    let prefix = GuidPrefix([high, low, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    Guid::new(prefix, writer_guid(1).entity)
}

/// A reader that one writer tells something.
struct Scene {
    reader: Reader,
    writer: Guid,
    out: Recorder,
}

impl Scene {
    fn new(writer: Guid) -> Self {
        let mut scene = Self {
            reader: Reader::new(ReaderConfig {
                keyed: false,
                ..reliable_reader()
            }),
            writer,
            out: Recorder::default(),
        };
        let proxy = WriterProxyConfig {
            guid: writer,
            vendor: vendor_of(writer),
            ..proxy_of_writer(&reliable_writer())
        };
        scene.reader.add_writer(Time(0), proxy, &mut scene.out);
        scene.out.said();
        scene
    }

    fn arrive(&mut self, number: i64) -> Delivery {
        let (sequence, payload) = (SequenceNumber(number), Bytes::from_static(&[0; 8]));
        let data = Message::Data(sequence, Vec::new(), payload, false);
        let now = Time(0);
        feed(
            &mut self.reader,
            now,
            self.writer,
            None,
            &data,
            &mut self.out,
        )
    }

    /// To the reader alone, or to all.
    fn hear(&mut self, alone: bool, first: i64, last: i64, count: u32) -> Delivery {
        let entity = match alone {
            true => self.reader.guid().entity,
            false => EntityId::UNKNOWN,
        };
        let heartbeat = heartbeat(entity, first, last, count);
        let now = Time(i64::from(count) * 10 * MS);
        self.reader
            .handle_heartbeat(now, self.writer, &heartbeat, &mut self.out)
    }
}

#[test]
fn what_others_at_its_place_get_is_not_let_in_before_the_reader_knows_where_it_begins() {
    let mut scene = Scene::new(own());
    for number in [1, 5, 7] {
        assert_eq!(scene.arrive(number), Delivery::default());
    }
    assert_eq!(scene.hear(false, 1, 7, 1), Delivery::default());
    let said = scene.out.said();
    assert_eq!(said, ["ACKNACK 1 []? !"], "it asks where to begin");
    assert!(!scene.reader.is_complete());
    assert_eq!(scene.hear(true, 6, 7, 2), Delivery::default());
    assert_eq!(scene.out.said(), ["ACKNACK 6 [6]? !"]);
    let holdings = scene.reader.holdings();
    assert_eq!(holdings.early, 1, "5 was never promised");
    assert!(scene.arrive(6).available);
    assert_eq!(scene.hear(false, 10, 10, 3).lost, 2);
}

/// The writer keeps one sample, and is heard by somebody else at the reader's place.
#[test]
fn what_came_before_the_reader_knew_where_it_begins_is_let_in_though_the_writer_has_replaced_it() {
    let config = WriterConfig {
        guid: own(),
        history: History::KeepLast(1),
        ..reliable_writer()
    };
    let proxy = proxy_of_writer(&config);
    let mut writer = Writer::new(config);
    let mut reader = Reader::new(ReaderConfig {
        guid: Guid::new(own().prefix, reader_guid(1).entity),
        ..reliable_reader()
    });
    let (now, mut to_reader, mut to_writer) = (Time(0), Recorder::default(), Recorder::default());
    let joins = ReaderProxyConfig {
        guid: reader.guid(),
        vendor: vendor_of(reader.guid()),
        ..proxy_of_reader(&reliable_reader())
    };
    reader.add_writer(now, proxy, &mut to_writer);
    for (number, comes) in (1..=7).zip([false, true, true, true, true, false, true]) {
        if number == 4 {
            writer.add_reader(now, joins, &mut to_reader);
            assert_eq!(to_reader.said(), ["HEARTBEAT 4..3? !"], "it is lost");
        }
        let change = sample(1, number, 8);
        writer.write(now, &change, &mut to_reader).unwrap();
        for (_, _, message) in to_reader.messages.drain(..).filter(|_| comes) {
            feed(&mut reader, now, own(), None, &message, &mut to_writer);
        }
    }
    to_reader.said();
    assert_eq!(to_writer.said(), ["ACKNACK 1 []? !"]);
    let hail = AckNack {
        reader: reader.guid().entity,
        writer: own().entity,
        state: SequenceNumberSet::new(SequenceNumber(1)),
        count: 1,
        is_final: false,
    };
    writer.handle_ack_nack(now, reader.guid(), &hail, &mut to_reader);
    assert_eq!(to_reader.words, ["GAP 1..4 [] !", "HEARTBEAT 7..7? !"]);
    let messages = to_reader.messages.into_iter();
    let lost = messages
        .map(|(_, _, message)| feed(&mut reader, now, own(), None, &message, &mut to_writer).lost);
    assert_eq!(lost.sum::<u32>(), 1, "6 was promised, 2 and 3 were not");
    let mut taken = Vec::new();
    reader.take(&Select::default(), |sample| {
        taken.push(sample.info.sequence.0)
    });
    assert_eq!(taken, [4, 5, 7]);
    assert_eq!(to_writer.said(), ["ACKNACK 8 [] !"]);
}

#[test]
fn what_other_vendors_name_from_before_its_time_is_not_lost() {
    let mut scene = Scene::new(writer_guid(1));
    assert!(scene.arrive(1).available);
    scene.hear(true, 1, 10, 1);
    let others_have_it = scene.hear(false, 11, 11, 2);
    assert_eq!(others_have_it.lost, 0);
    assert_eq!(scene.hear(false, 14, 14, 3).lost, 3);
}

#[test]
fn what_a_gap_told_of_is_not_lost() {
    let mut scene = Scene::new(own());
    scene.hear(true, 1, 6, 1);
    let gap = Gap {
        reader: EntityId::UNKNOWN,
        writer: own().entity,
        start: SequenceNumber(3),
        list: SequenceNumberSet::new(SequenceNumber(5)),
    };
    let out = &mut scene.out;
    scene.reader.handle_gap(Time(2 * MS), own(), &gap, out);
    assert_eq!(scene.hear(false, 7, 7, 3).lost, 4);
}

#[test]
fn a_question_is_repeated_until_the_writer_answers() {
    let mut scene = Scene::new(own());
    scene.hear(true, 1, 1, 1);
    let mut asked = 0;
    while let Some(at) = scene
        .reader
        .next_timeout()
        .filter(|at| *at <= Time(10_000 * MS))
    {
        scene.out.said();
        scene.reader.handle_timeout(at, &mut scene.out);
        asked += scene.out.said().len();
    }
    assert!((10..20).contains(&asked), "asked {asked} times in 10 s");
    scene.arrive(1);
    let due = scene.reader.next_timeout();
    let out = &mut scene.out;
    due.map(|at| scene.reader.handle_timeout(at, out));
    assert_eq!(scene.reader.next_timeout(), None);
}

/// A volatile reader of another vendor's writer that keeps history for others.
fn volatile_reader_of_a_foreign_writer() -> Scene {
    let mut scene = Scene::new(writer_guid(1));
    scene.reader.remove_writer(Time(0), scene.writer);
    let proxy = WriterProxyConfig {
        durability: Durability::TransientLocal,
        ..proxy_of_writer(&reliable_writer())
    };
    scene.reader.add_writer(Time(0), proxy, &mut scene.out);
    scene.out.said();
    scene
}

/// As Fast DDS greets a volatile reader: HEARTBEAT, then GAP.
#[test]
fn history_that_a_gap_withdraws_is_not_asked_for() {
    let mut scene = volatile_reader_of_a_foreign_writer();
    scene.hear(true, 1, 10, 1);
    assert!(scene.out.said().is_empty(), "it waits for the GAP");
    let gap = Gap {
        reader: scene.reader.guid().entity,
        writer: scene.writer.entity,
        start: SequenceNumber(1),
        list: SequenceNumberSet::new(SequenceNumber(11)),
    };
    let out = &mut scene.out;
    let now = Time(10 * MS);
    scene.reader.handle_gap(now, scene.writer, &gap, out);
    assert_eq!(scene.out.said(), ["ACKNACK 11 [] !"]);
    assert!(scene.reader.is_complete());
    assert!(scene.arrive(11).available);
    assert_eq!(scene.hear(true, 1, 12, 2), Delivery::default());
    assert_eq!(scene.out.said(), ["ACKNACK 12 [12]? !"]);
}

/// The writer matched the reader first, and what it has written since was lost on its way. No
/// heartbeat tells this from history.
#[test]
fn what_was_written_before_the_first_heartbeat_came_is_asked_for() {
    let mut scene = volatile_reader_of_a_foreign_writer();
    scene.hear(true, 1, 3, 1);
    assert!(scene.out.said().is_empty());
    let end = Time(20 * MS);
    while let Some(due) = scene.reader.next_timeout().filter(|due| *due <= end) {
        scene.reader.handle_timeout(due, &mut scene.out);
    }
    let said = scene.out.said();
    assert_eq!(said[0], "ACKNACK 1 [1, 2, 3]? !", "{said:?}");
}
