//! Sets of several writers of a publisher: what a reader keeps for the others, and when the next
//! set is complete (RTPS 2.5 8.7.6).
mod common;

use common::*;
use dunlin_qos::{History, ReliabilityKind, ResourceLimits};
use dunlin_rtps::{
    Change, ChangeKind, GroupFront, GroupOf, GroupOrder, GroupStanding, InGroup, Reader,
    ReaderConfig, Select, Time, Writer, WriterConfig,
};
use dunlin_wire::Guid;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};

/// Two writers with one numbering, and a reader of both.
struct Stage {
    writers: Vec<Writer>,
    reader: Reader,
    out: [Recorder; 2],
    back: Recorder,
    number: Arc<AtomicI64>,
    /// The first number of the set under way.
    first: Option<i64>,
    /// All up to here have had their turn.
    seen: i64,
}

const W: [u8; 2] = [1, 2];

impl Stage {
    fn new(config: ReaderConfig) -> Self {
        let number = Arc::new(AtomicI64::new(0));
        let config = ReaderConfig {
            coherent: !config.ordered,
            grouped: true,
            ..config
        };
        let mut reader = Reader::new(config.clone());
        let mut out = [(); 2].map(|()| Recorder::default());
        let mut back = Recorder::default();
        let mut writers = Vec::new();
        for (n, out) in W.into_iter().zip(&mut out) {
            let counter = Arc::clone(&number);
            let writer = WriterConfig {
                history: History::KeepAll,
                group: Some(GroupOf::new(move || (counter.load(SeqCst), [7; 4]))),
                ..WriterConfig::new(writer_guid(n))
            };
            reader.add_writer(Time(0), proxy_of_writer(&writer), &mut back);
            let mut writer = Writer::new(writer);
            writer.add_reader(Time(0), proxy_of_reader(&config), out);
            writers.push(writer);
        }
        Self {
            writers,
            reader,
            out,
            back,
            number,
            first: None,
            seen: 0,
        }
    }

    fn begin(&mut self) {
        self.first = Some(self.number.load(SeqCst) + 1);
        self.writers.iter_mut().for_each(Writer::begin_set);
    }

    fn write(&mut self, writer: usize, change: &Change) {
        let group = InGroup {
            sequence: self.number.fetch_add(1, SeqCst) + 1,
            first: self.first,
            writers: None,
        };
        let out = &mut self.out[writer];
        self.writers[writer]
            .write_in_group(Time(0), &mut change.clone(), None, || Some(group), out)
            .unwrap();
    }

    fn end(&mut self) {
        for writer in 0..2 {
            let group = InGroup {
                sequence: self.number.fetch_add(1, SeqCst) + 1,
                first: self.first,
                writers: Some([7; 4]),
            };
            let out = &mut self.out[writer];
            self.writers[writer]
                .end_set(Time(0), dunlin_wire::Timestamp(0), || Some(group), out)
                .unwrap();
        }
        self.first = None;
    }

    /// What one writer has said arrives, but for changes of these places.
    fn deliver(&mut self, writer: usize, lost: &[usize]) -> bool {
        let mut gathers = false;
        let messages = std::mem::take(&mut self.out[writer].messages);
        for (place, (_, timestamp, message)) in messages.into_iter().enumerate() {
            if !lost.contains(&place) {
                let from = writer_guid(W[writer]);
                let reader = &mut self.reader;
                let delivery = feed(reader, Time(0), from, timestamp, &message, &mut self.back);
                gathers |= delivery.gathers;
                assert!(!delivery.available);
            }
        }
        gathers
    }

    fn deliver_all(&mut self) {
        for writer in 0..2 {
            self.deliver(writer, &[]);
        }
    }

    fn fronts(&self) -> Vec<GroupFront> {
        self.reader.group_fronts().collect()
    }

    /// Opens the gate; says for which set and how, and what is seen then.
    fn open(&mut self) -> Option<(i64, bool, Vec<u32>)> {
        let fronts = self.fronts();
        let turn = GroupFront::next_turn(&fronts, 0, self.seen)?;
        self.seen = turn.last.max(self.seen);
        let GroupOrder { first, whole, .. } = turn;
        let writers: Vec<_> = fronts.iter().map(|front| front.writer).collect();
        let nth = u64::try_from(self.seen).unwrap();
        self.reader
            .release_group(Time(0), &writers, first, whole, nth);
        let mut seen = Vec::new();
        self.reader
            .take(&Select::default(), |s| seen.push(number_of(&s)));
        Some((first, whole, seen))
    }
}

fn front(writer: u8, standing: GroupStanding) -> GroupFront {
    GroupFront {
        writer: guid(writer),
        reliable: true,
        standing,
        goes_on: false,
        hole: None,
    }
}

fn turn(fronts: &[GroupFront], broken: i64) -> Option<(i64, bool)> {
    let turn = GroupFront::next_turn(fronts, broken, 0);
    turn.map(|turn| (turn.first, turn.whole))
}

fn guid(writer: u8) -> Guid {
    writer_guid(writer)
}

#[test]
fn when_the_next_set_is_complete() {
    use GroupStanding::{Idle, IncompleteSet, Sealed};
    let sealed = |first| Sealed {
        first,
        end: first + 4,
        single: false,
        intact: true,
        room: true,
    };
    let idle = |heard, ended| Idle { heard, ended };
    let next = |standings: &[GroupStanding]| {
        let fronts = (1..).zip(standings).map(|(n, s)| front(n, *s));
        turn(&fronts.collect::<Vec<_>>(), 0)
    };
    assert_eq!(next(&[]), None);
    assert_eq!(next(&[idle(9, 0), IncompleteSet { first: 3 }]), None);
    assert_eq!(next(&[sealed(3), sealed(3)]), Some((3, true)));
    assert_eq!(next(&[sealed(3), sealed(8)]), Some((3, true)));
    // Others have written in the set, and this one may, until it is over.
    assert_eq!(next(&[sealed(3), idle(6, 0)]), None);
    assert_eq!(next(&[sealed(3), idle(7, 0)]), Some((3, true)));
    assert_eq!(next(&[sealed(3), idle(4, 3)]), Some((3, true)));
    assert_eq!(next(&[sealed(3), IncompleteSet { first: 3 }]), None);
    assert_eq!(
        next(&[sealed(3), IncompleteSet { first: 8 }]),
        Some((3, true))
    );
    let broken = Sealed {
        first: 3,
        end: 7,
        single: false,
        intact: false,
        room: true,
    };
    assert_eq!(
        next(&[broken, IncompleteSet { first: 3 }]),
        Some((3, false))
    );
    let full = Sealed {
        first: 3,
        end: 7,
        single: false,
        intact: true,
        room: false,
    };
    assert_eq!(next(&[full, sealed(3)]), None);
    let fronts = [front(1, sealed(3))];
    assert_eq!(turn(&fronts, 3), Some((3, false)));
    let mut holed = [front(1, sealed(3)), front(2, idle(9, 0))];
    holed[1].hole = Some((2, 5));
    assert_eq!(turn(&holed, 0), Some((3, false)));
    holed[1].hole = Some((3, 5));
    assert_eq!(turn(&holed, 0), Some((3, true)));
}

#[test]
fn a_writer_waits_for_the_other() {
    let mut stage = Stage::new(reliable_reader());
    stage.deliver_all();
    stage.begin();
    for n in 0..4 {
        stage.write(n as usize % 2, &sample(n, n, 8));
    }
    stage.end();
    // Of no set, but behind one.
    stage.write(0, &sample(9, 9, 8));
    assert!(stage.deliver(0, &[]));
    assert_eq!(stage.open(), None);
    assert_eq!(stage.reader.holdings().in_sets, 3);
    assert!(stage.deliver(1, &[]));
    assert_eq!(stage.open(), Some((1, true, vec![0, 2, 1, 3, 9])));
    assert_eq!(stage.open(), None);
    assert_eq!(stage.reader.holdings().in_sets, 0);
}

#[test]
fn a_writer_with_nothing_to_say_says_so() {
    let mut stage = Stage::new(reliable_reader());
    stage.deliver_all();
    stage.begin();
    stage.write(0, &sample(1, 1, 8));
    stage.end();
    stage.deliver(0, &[]);
    assert_eq!(stage.open(), None);
    assert!(stage.deliver(1, &[]));
    assert_eq!(stage.open(), Some((1, true, vec![1])));
}

#[test]
fn a_writer_that_joins_late_tells_by_a_heartbeat_that_it_has_nothing() {
    let mut stage = Stage::new(reliable_reader());
    stage.begin();
    stage.write(0, &sample(1, 1, 8));
    stage.end();
    stage.deliver(0, &[]);
    // Of the other one nothing has come yet.
    assert_eq!(stage.open(), None);
    stage.out[1].said();
    let config = reliable_reader();
    let mut late = Recorder::default();
    stage.writers[1].remove_reader(config.guid);
    stage.writers[1].add_reader(Time(0), proxy_of_reader(&config), &mut late);
    stage.out[1] = late;
    stage.deliver(1, &[]);
    let heard = stage.fronts()[1].standing;
    // It has a mark that did not concern the late joiner; with what it is told, that is known.
    assert!(
        matches!(heard, GroupStanding::Idle { heard: 3, .. }),
        "{heard:?}"
    );
    assert_eq!(stage.open(), Some((1, true, vec![1])));
}

#[test]
fn what_is_lost_with_one_writer_is_lost_with_all() {
    let config = ReaderConfig {
        reliability: ReliabilityKind::BestEffort,
        ..reliable_reader()
    };
    let mut stage = Stage::new(config);
    stage.deliver_all();
    for set in 0..3 {
        stage.begin();
        for n in 0..4 {
            stage.write(n as usize % 2, &sample(n, set * 10 + n, 8));
        }
        stage.end();
        stage.deliver(0, &[]);
        // A change, then a whole set with its end.
        let lost: &[usize] = [&[1][..], &[0, 1, 2], &[]][set as usize];
        stage.deliver(1, lost);
    }
    assert_eq!(stage.open(), Some((1, false, vec![])));
    assert_eq!(stage.open(), Some((7, false, vec![])));
    assert_eq!(stage.open(), Some((13, true, vec![20, 22, 21, 23])));
    assert_eq!(stage.reader.holdings().in_sets, 0);
}

#[test]
fn a_set_waits_for_room_in_all_readers() {
    let limits = ResourceLimits {
        max_samples: Some(3),
        ..ResourceLimits::default()
    };
    let mut stage = Stage::new(ReaderConfig {
        resource_limits: limits,
        ..reliable_reader()
    });
    stage.deliver_all();
    for n in 0..2 {
        stage.write(0, &sample(n, n, 8));
    }
    let messages = std::mem::take(&mut stage.out[0].messages);
    for (_, timestamp, message) in messages {
        let from = writer_guid(1);
        feed(
            &mut stage.reader,
            Time(0),
            from,
            timestamp,
            &message,
            &mut stage.back,
        );
    }
    stage.begin();
    stage.write(0, &sample(2, 2, 8));
    stage.write(0, &sample(3, 3, 8));
    stage.end();
    stage.deliver_all();
    assert_eq!(stage.open(), None);
    stage.reader.take(&Select::default(), |_| {});
    assert_eq!(stage.open(), Some((3, true, vec![2, 3])));
}

#[test]
fn best_effort_that_lost_an_end_holds_nobody_up_once_the_publisher_goes_on() {
    use GroupStanding::{Idle, IncompleteSet, Sealed};
    let sealed = |first| Sealed {
        first,
        end: first + 4,
        single: false,
        intact: true,
        room: true,
    };
    let mute = Idle { heard: 4, ended: 0 };
    for other in [mute, IncompleteSet { first: 3 }] {
        let mut fronts = [front(1, sealed(3)), front(2, other), front(3, sealed(3))];
        fronts[1].reliable = false;
        assert_eq!(turn(&fronts, 0), None);
        // Something of the next set is here.
        fronts[2].goes_on = true;
        assert_eq!(turn(&fronts, 0), Some((3, false)));
        fronts[2] = front(3, IncompleteSet { first: 9 });
        assert_eq!(turn(&fronts, 0), Some((3, false)));
        // Who repeats what is lost is waited for.
        fronts[1].reliable = true;
        assert_eq!(turn(&fronts, 0), None);
    }
}

#[test]
fn when_a_change_of_no_set_has_its_turn() {
    use GroupStanding::{Idle, IncompleteSet, Sealed};
    let single = |first| Sealed {
        first,
        end: first,
        single: true,
        intact: true,
        room: true,
    };
    let idle = |heard| Idle { heard, ended: 0 };
    let next = |standings: &[GroupStanding], seen| {
        let fronts = (1..).zip(standings).map(|(n, s)| front(n, *s));
        let fronts: Vec<_> = fronts.collect();
        let silent = GroupFront::silent(&fronts, seen);
        let silent = silent.map(|(number, who)| (number, who.count()));
        let turn = GroupFront::next_turn(&fronts, 0, seen);
        (turn.map(|turn| turn.first), silent)
    };
    // All before it were seen.
    assert_eq!(next(&[single(5), idle(1)], 4), (Some(5), None));
    assert_eq!(next(&[single(5), idle(1)], 9), (Some(5), None));
    // One was not: the other writer may have it.
    assert_eq!(next(&[single(5), idle(3)], 3), (None, Some((4, 1))));
    assert_eq!(next(&[single(5), idle(4)], 3), (Some(5), Some((4, 0))));
    assert_eq!(next(&[single(5), single(8)], 3).0, Some(5));
    assert_eq!(next(&[single(5), IncompleteSet { first: 4 }], 3).0, None);
    assert_eq!(next(&[single(5), IncompleteSet { first: 6 }], 3).0, Some(5));
    let mut fronts = [front(1, single(5)), front(2, idle(3))];
    fronts[1].reliable = false;
    assert_eq!(turn(&fronts, 0), Some((5, true)));
}

fn ordered() -> Stage {
    Stage::new(ReaderConfig {
        coherent: false,
        ordered: true,
        ..reliable_reader()
    })
}

#[test]
fn what_was_written_first_is_seen_first_whoever_wrote_it() {
    let mut stage = ordered();
    stage.deliver_all();
    stage.write(0, &sample(1, 1, 8));
    stage.write(1, &sample(1, 2, 8));
    stage.write(0, &sample(1, 3, 8));
    stage.deliver(0, &[]);
    assert_eq!(stage.open(), Some((1, true, vec![1])));
    assert_eq!(stage.open(), None);
    // It is asked how far the other one is, until that has said so.
    let writer = writer_guid(W[1]);
    stage.reader.want_news(Time(0), writer, 2);
    stage.back.said();
    for again in 0..3 {
        let now = Time(again * 20 * MS);
        assert_eq!(stage.reader.next_timeout(), Some(now));
        stage.reader.handle_timeout(now, &mut stage.back);
        assert_eq!(stage.back.said(), ["ACKNACK 1 []? !"]);
    }
    stage.deliver(1, &[]);
    stage.reader.handle_timeout(Time(60 * MS), &mut stage.back);
    assert_eq!(stage.back.said(), [""; 0]);
    assert_eq!(stage.reader.next_timeout(), None);
    let fronts = stage.fronts();
    for number in [2, 3] {
        let writers: Vec<_> = fronts.iter().map(|front| front.writer).collect();
        let turn = GroupFront::next_turn(&stage.fronts(), 0, number - 1).unwrap();
        let nth = u64::try_from(number).unwrap();
        stage
            .reader
            .release_group(Time(0), &writers, turn.first, true, nth);
    }
    let mut places = Vec::new();
    let all = Select::default();
    stage.reader.places(&all, |place| places.push(place));
    assert_eq!(places, [(2, 2), (3, 3)]);
    let mut numbers = Vec::new();
    stage.reader.take(&all, |s| numbers.push(number_of(&s)));
    assert_eq!(numbers, [2, 3]);
}

#[test]
fn what_waits_for_its_turn_is_limited_and_lost_by_nobody() {
    let limits = ResourceLimits {
        max_samples: Some(2),
        ..ResourceLimits::default()
    };
    let mut stage = Stage::new(ReaderConfig {
        coherent: false,
        ordered: true,
        resource_limits: limits,
        ..reliable_reader()
    });
    stage.deliver_all();
    for number in 0..5 {
        stage.write(0, &sample(1, number, 8));
    }
    stage.deliver(0, &[]);
    assert_eq!(stage.reader.holdings().in_sets, 2);
    let mut all = Vec::new();
    for _ in 0..5 {
        let (_, whole, seen) = stage.open().unwrap();
        assert!(whole);
        all.extend(seen);
        // What found no room is asked for.
        stage.reader.handle_timeout(Time(10), &mut stage.back);
        for (_, _, message) in std::mem::take(&mut stage.back.messages) {
            if let Message::AckNack(ack) = message {
                let from = stage.reader.guid();
                let out = &mut stage.out[0];
                stage.writers[0].handle_ack_nack(Time(10), from, &ack, out);
            }
        }
        stage.deliver(0, &[]);
    }
    assert_eq!(all, [0, 1, 2, 3, 4]);
}

#[test]
fn what_waits_for_its_turn_takes_no_more_than_its_share_whatever_it_is() {
    let mut stage = Stage::new(ReaderConfig {
        coherent: false,
        ordered: true,
        max_reassembly_bytes: 2048,
        ..reliable_reader()
    });
    stage.deliver_all();
    stage.write(1, &sample(1, 1, 8));
    for instance in 0..100 {
        stage.write(0, &end(ChangeKind::Disposed, instance));
    }
    stage.deliver(0, &[]);
    let held = stage.reader.holdings();
    assert!((1..8).contains(&held.in_sets), "{held:?}");
    // It comes again once there is room.
    stage.deliver(1, &[]);
    assert_eq!(stage.open(), Some((1, true, vec![1])));
    assert_eq!(stage.open().map(|(first, ..)| first), Some(2));
    assert_eq!(stage.reader.next_timeout(), Some(Time::PAST));
}
