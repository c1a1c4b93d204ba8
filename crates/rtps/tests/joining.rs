//! A reader joins a writer: what it asks, and what it takes for lost.
mod common;

use common::*;
use dunlin_qos::Duration;
use dunlin_rtps::{Delivery, Reader, Time};
use dunlin_wire::{EntityId, Gap, Heartbeat, SequenceNumber, SequenceNumberSet};

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
