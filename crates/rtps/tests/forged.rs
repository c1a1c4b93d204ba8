//! Somebody speaks in a peer's name of samples that the peer never announced: nobody goes deaf, and
//! nothing is lost.
mod common;

use bytes::Bytes;
use common::*;
use dunlin_qos::{History, ReliabilityKind};
use dunlin_rtps::{Reader, ReaderConfig, Select, Time, Writer, WriterConfig};
use dunlin_wire::{
    AckNack, EntityId, Gap, Guid, GuidPrefix, Heartbeat, SequenceNumber, SequenceNumberSet,
};

const FAR: i64 = 1 << 40;

/// A reader and what its writer is said to say.
struct Scene {
    reader: Reader,
    writer: Guid,
    out: Recorder,
    now: i64,
    lost: u64,
    implausible: u32,
}

impl Scene {
    fn new(writer: Guid, config: ReaderConfig) -> Self {
        let mut scene = Self {
            reader: Reader::new(config),
            writer,
            out: Recorder::default(),
            now: 0,
            lost: 0,
            implausible: 0,
        };
        let proxy = proxy_of_writer(&WriterConfig::new(writer));
        scene.reader.add_writer(Time(0), proxy, &mut scene.out);
        scene
    }

    /// One of a Dunlin writer, and one of somebody else's.
    fn both(config: &ReaderConfig) -> [Self; 2] {
        [GuidPrefix(*b"DLabcdefghij"), writer_guid(1).prefix].map(|prefix| {
            let writer = Guid::new(prefix, writer_guid(1).entity);
            Self::new(writer, config.clone())
        })
    }

    fn hear(&mut self, message: &Message) -> Vec<String> {
        let (now, writer) = (Time(self.now), self.writer);
        let delivery = feed(&mut self.reader, now, writer, None, message, &mut self.out);
        self.lost += u64::from(delivery.lost);
        self.implausible += u32::from(delivery.implausible);
        self.out.said()
    }

    fn data(&mut self, sequence: i64) -> Vec<String> {
        let inline = dunlin_wire::InlineQos {
            key_hash: Some(handle(1).0),
            ..dunlin_wire::InlineQos::default()
        };
        let mut bytes = Vec::new();
        inline.encode(&mut bytes);
        let payload = Bytes::from_static(&[0; 8]);
        self.hear(&Message::Data(
            SequenceNumber(sequence),
            bytes,
            payload,
            false,
        ))
    }

    fn heartbeat(&mut self, first: i64, last: i64, count: u32) -> Vec<String> {
        self.hear(&Message::Heartbeat(Heartbeat {
            reader: reader_guid(1).entity,
            writer: self.writer.entity,
            first: SequenceNumber(first),
            last: SequenceNumber(last),
            count,
            is_final: false,
            liveliness: false,
            group: None,
        }))
    }

    fn gap(&mut self, reader: EntityId, start: i64, end: i64) -> Vec<String> {
        self.hear(&Message::Gap(Gap {
            reader,
            writer: self.writer.entity,
            start: SequenceNumber(start),
            list: SequenceNumberSet::new(SequenceNumber(end)),
        }))
    }

    fn wait(&mut self, ms: i64) -> Vec<String> {
        self.now += ms * MS;
        let delivery = self.reader.handle_timeout(Time(self.now), &mut self.out);
        self.lost += u64::from(delivery.lost);
        self.out.said()
    }

    fn taken(&mut self) -> Vec<i64> {
        let mut all = Vec::new();
        let select = Select::default();
        self.reader.take(&select, |s| all.push(s.info.sequence.0));
        all
    }

    /// The first five samples have come.
    fn begun(mut self) -> Self {
        self.heartbeat(1, 5, 1);
        for sequence in 1..=5 {
            self.data(sequence);
        }
        assert_eq!(self.taken(), [1, 2, 3, 4, 5]);
        self
    }
}

fn best_effort() -> ReaderConfig {
    ReaderConfig {
        reliability: ReliabilityKind::BestEffort,
        ..reliable_reader()
    }
}

#[test]
fn a_gap_beyond_what_was_announced_deafens_nobody() {
    for reader in [EntityId::UNKNOWN, reader_guid(1).entity] {
        for scene in Scene::both(&reliable_reader()) {
            let mut scene = scene.begun();
            scene.gap(reader, 1, FAR);
            scene.gap(reader, 1, i64::MAX);
            scene.data(6);
            // What is lost on the way comes again.
            scene.data(8);
            scene.heartbeat(1, 8, 2);
            scene.data(7);
            assert_eq!(scene.taken(), [6, 7, 8]);
            assert_eq!((scene.lost, scene.implausible), (0, 1));
        }
    }
}

#[test]
fn a_gap_beyond_what_was_announced_does_not_cover_what_was_lost_on_its_way() {
    for scene in Scene::both(&reliable_reader()) {
        let mut scene = scene.begun();
        scene.data(8);
        scene.gap(EntityId::UNKNOWN, 1, FAR);
        scene.heartbeat(6, 9, 2);
        for sequence in [6, 7, 9] {
            scene.data(sequence);
        }
        assert_eq!(scene.taken(), [6, 7, 8, 9]);
        assert_eq!(scene.lost, 0);
    }
}

#[test]
fn a_gap_before_all_else_does_not_decide_where_a_reader_begins() {
    for reader in [EntityId::UNKNOWN, reader_guid(1).entity] {
        for mut scene in Scene::both(&reliable_reader()) {
            scene.gap(reader, 1, FAR);
            scene.heartbeat(1, 2, 1);
            scene.data(1);
            scene.data(2);
            assert_eq!(scene.taken(), [1, 2]);
            assert_eq!((scene.lost, scene.implausible), (0, 1));
        }
    }
}

#[test]
fn a_gap_and_the_heartbeat_behind_it_say_where_a_late_joiner_begins() {
    for start in [6, 1 << 31, 1 << 32, i64::MAX - 10] {
        for mut scene in Scene::both(&reliable_reader()) {
            scene.gap(reader_guid(1).entity, 1, start);
            scene.heartbeat(start + 2, start + 3, 1);
            scene.data(start + 2);
            scene.data(start + 3);
            assert_eq!(scene.taken(), [start + 2, start + 3]);
            // The two between were promised.
            assert_eq!((scene.lost, scene.implausible), (2, 0));
        }
    }
}

#[test]
fn numbers_of_a_gap_are_passed_over_once_they_are_announced_and_are_not_lost() {
    for scene in Scene::both(&reliable_reader()) {
        let mut scene = scene.begun();
        let own = reader_guid(1).entity;
        scene.gap(own, 6, 8);
        assert_eq!(scene.data(8), [] as [&str; 0]);
        scene.gap(own, 9, 12);
        assert_eq!(scene.heartbeat(1, 11, 2), ["ACKNACK 12 [] !"]);
        scene.gap(own, 12, 100_000);
        assert_eq!(scene.data(100_000), [] as [&str; 0]);
        assert_eq!(scene.taken(), [8, 100_000]);
        assert_eq!((scene.lost, scene.implausible), (0, 0));
    }
}

/// A GAP that reached beyond what was announced waits; the change behind it shows that it was right.
#[test]
fn a_change_that_waits_behind_a_gap_comes_once_when_a_later_one_shows_that_its_turn_has_come() {
    for scene in Scene::both(&reliable_reader()) {
        let mut scene = scene.begun();
        scene.data(8);
        scene.gap(EntityId::UNKNOWN, 6, 20);
        assert_eq!(scene.taken(), []);
        scene.data(30);
        assert_eq!(scene.taken(), [8]);
        scene.data(8);
        assert_eq!(scene.taken(), []);
        assert_eq!((scene.lost, scene.implausible), (0, 0));
    }
}

#[test]
fn a_heartbeat_far_ahead_counts_only_if_the_writer_says_it_again_when_asked() {
    for (first, last) in [(FAR, FAR), (1, FAR), (FAR, i64::MAX - 1)] {
        for scene in Scene::both(&reliable_reader()) {
            let mut scene = scene.begun();
            assert_eq!(scene.heartbeat(first, last, 900), ["ACKNACK 6 []? !"]);
            assert_eq!(scene.heartbeat(first, last, 901), [] as [&str; 0]);
            // The writer itself answers.
            scene.heartbeat(1, 6, 2);
            scene.data(6);
            scene.wait(60);
            assert_eq!(scene.heartbeat(first, last, 902).len(), 1);
            scene.data(7);
            assert_eq!(scene.taken(), [6, 7]);
            assert_eq!((scene.lost, scene.implausible), (0, 3));
        }
    }
}

#[test]
fn a_writer_that_really_is_far_ahead_is_believed_after_a_moment() {
    for scene in Scene::both(&reliable_reader()) {
        let mut scene = scene.begun();
        let first = 1 << 20;
        assert_eq!(scene.heartbeat(first, first, 2), ["ACKNACK 6 []? !"]);
        for count in 3..43 {
            assert_eq!(scene.wait(50), ["ACKNACK 6 []? !"]);
            scene.heartbeat(first, first, count);
        }
        scene.data(first);
        assert_eq!(scene.taken(), [first]);
        assert_eq!(scene.lost, first as u64 - 6);
    }
}

#[test]
fn a_reader_that_was_led_far_ahead_comes_back() {
    for mut scene in Scene::both(&reliable_reader()) {
        // Before the writer is heard, whatever comes is believed.
        scene.heartbeat(FAR, FAR, 900);
        scene.data(FAR);
        assert_eq!(scene.taken(), [FAR]);
        scene.wait(3000);
        scene.heartbeat(1, 2, 1);
        scene.data(1);
        scene.data(2);
        assert_eq!(scene.taken(), [1, 2]);
        assert_eq!(scene.implausible, 1);
    }
}

#[test]
fn one_change_far_ahead_makes_no_heartbeat_plausible_and_two_do() {
    for scene in Scene::both(&reliable_reader()) {
        let mut scene = scene.begun();
        scene.data(FAR);
        assert_eq!(scene.heartbeat(FAR, FAR + 1, 900), ["ACKNACK 6 []? !"]);
        scene.data(6);
        assert_eq!((scene.taken(), scene.lost), (vec![6], 0));
        scene.data(FAR + 1);
        scene.heartbeat(FAR, FAR + 1, 901);
        scene.data(FAR);
        assert_eq!(scene.taken(), [FAR]);
    }
}

/// The writer is asked and says nothing for a while, since its machine is busy.
fn lead_away(scene: &mut Scene) {
    for count in 900..941 {
        scene.heartbeat(1, FAR, count);
        scene.wait(60);
    }
    scene.gap(EntityId::UNKNOWN, 1, FAR);
}

#[test]
fn a_reader_that_was_led_away_by_a_heartbeat_and_a_gap_comes_back_although_their_counts_are_high() {
    for scene in Scene::both(&reliable_reader()) {
        let mut scene = scene.begun();
        lead_away(&mut scene);
        scene.data(6);
        assert_eq!(scene.taken(), [] as [i64; 0]);
        // And further still.
        scene.heartbeat(FAR + 7, FAR + 8, 941);
        assert_eq!(scene.heartbeat(6, 6, 2).len(), 1, "it is asked");
        scene.heartbeat(6, 6, 3);
        scene.data(6);
        scene.data(7);
        assert_eq!(scene.taken(), [6, 7]);
    }
}

#[test]
fn a_late_joiner_is_not_led_back_by_an_old_heartbeat() {
    for mut scene in Scene::both(&reliable_reader()) {
        scene.heartbeat(100_000, 100_000, 900);
        scene.data(100_000);
        for _ in 0..3 {
            scene.heartbeat(1, 1, 1);
        }
        scene.data(1);
        scene.data(100_001);
        assert_eq!(scene.taken(), [100_000, 100_001]);
    }
}

#[test]
fn a_change_contradicts_a_heartbeat_far_ahead() {
    for scene in Scene::both(&reliable_reader()) {
        let mut scene = scene.begun();
        scene.heartbeat(FAR, FAR, 900);
        scene.wait(60);
        scene.data(6);
        scene.heartbeat(FAR, FAR, 901);
        scene.data(7);
        assert_eq!(scene.taken(), [6, 7]);
        assert_eq!((scene.lost, scene.implausible), (0, 2));
    }
}

#[test]
fn what_a_false_gap_covered_comes_later_and_what_was_delivered_does_not_come_twice() {
    for scene in Scene::both(&reliable_reader()) {
        let mut scene = scene.begun();
        // Number 6 is late.
        scene.data(7);
        scene.data(8);
        lead_away(&mut scene);
        assert_eq!(scene.taken(), [7, 8]);
        scene.heartbeat(6, 8, 2);
        scene.heartbeat(6, 8, 3);
        for sequence in 6..=9 {
            scene.data(sequence);
        }
        assert_eq!(scene.taken(), [6, 9]);
    }
}

#[test]
fn a_best_effort_reader_is_not_led_away_for_good() {
    let own = reader_guid(1).entity;
    for mut scene in Scene::both(&best_effort()) {
        scene.data(5);
        scene.gap(own, 1, FAR);
        scene.data(6);
        // What does not pass its filter is not lost.
        scene.gap(own, 7, 9);
        scene.data(10);
        assert_eq!(scene.taken(), [5, 6, 10]);
        assert_eq!((scene.lost, scene.implausible), (1, 1));
        scene.data(FAR);
        scene.data(11);
        scene.data(12);
        assert_eq!(scene.taken(), [FAR, 11, 12]);
        assert_eq!(scene.implausible, 2);
    }
}

#[test]
fn an_acknowledgement_of_what_was_never_written_counts_for_nothing() {
    let mut writer = Writer::new(WriterConfig {
        history: History::KeepAll,
        ..reliable_writer()
    });
    let mut out = Recorder::default();
    writer.add_reader(Time(0), proxy_of_reader(&reliable_reader()), &mut out);
    for number in 1..=5 {
        writer
            .write(Time(0), &sample(1, number, 8), &mut out)
            .unwrap();
    }
    for (count, base) in [7, FAR, i64::MAX].into_iter().enumerate() {
        let forged = AckNack {
            reader: reader_guid(1).entity,
            writer: writer_guid(1).entity,
            state: SequenceNumberSet::new(SequenceNumber(base)),
            count: 100 + count as u32,
            is_final: true,
        };
        let acknowledgement = writer.handle_ack_nack(Time(0), reader_guid(1), &forged, &mut out);
        assert!(acknowledgement.implausible && !acknowledgement.room);
    }
    assert_eq!(writer.kept(), 5);
}
