//! Coherent sets: seen whole or not at all, whatever the network, the limits and the time do (RTPS
//! 2.5 8.7.5).
mod common;

use common::*;
use dunlin_qos::{Durability, Duration, History, ReliabilityKind, ResourceLimits};
use dunlin_rtps::{
    Change, ChangeKind, InGroup, ReaderConfig, Select, SetPlace, Time, To, Writer, WriterConfig,
};
use dunlin_wire::{Guid, InlineQos, Parameters, SequenceNumber, SetMembership, Timestamp};
use std::collections::BTreeMap;

const QUICK: Link = Link {
    loss: 0,
    duplicate: 0,
    reorder: 0,
    delay: MS / 10,
    jitter: 0,
};

fn lossy(loss: u64) -> Link {
    Link {
        loss,
        duplicate: 5,
        reorder: 20,
        delay: MS / 10,
        jitter: 2 * MS,
    }
}

fn writer() -> WriterConfig {
    WriterConfig {
        history: History::KeepAll,
        fragment_size: Some(1_000),
        ..reliable_writer()
    }
}

fn transient_writer() -> WriterConfig {
    WriterConfig {
        durability: Durability::TransientLocal,
        ..writer()
    }
}

fn reader() -> ReaderConfig {
    ReaderConfig {
        coherent: true,
        ..reliable_reader()
    }
}

fn limited(max_samples: u32) -> ReaderConfig {
    ReaderConfig {
        resource_limits: ResourceLimits {
            max_samples: Some(max_samples),
            ..ResourceLimits::default()
        },
        ..reader()
    }
}

/// A writer of sets, the number of which is in each sample's, and what a reader has seen of them.
struct Stage {
    world: World,
    writer: Guid,
    reader: Guid,
    /// How many samples each set has.
    sizes: BTreeMap<u32, usize>,
    seen: Vec<u32>,
}

impl Stage {
    fn new(link: Link, writer: &WriterConfig, reader: &ReaderConfig) -> Self {
        let mut world = World::pair(7, link, writer, reader);
        world.takes = false;
        world.run_for(5 * MS);
        Self {
            world,
            writer: writer.guid,
            reader: reader.guid,
            sizes: BTreeMap::new(),
            seen: Vec::new(),
        }
    }

    fn sample(set: u32, nth: u32) -> Change {
        sample(
            nth % 5,
            set * 1_000 + nth,
            if nth % 7 == 6 { 3_000 } else { 40 },
        )
    }

    fn begin(&mut self, set: u32, samples: u32) {
        self.sizes.insert(set, samples as usize);
        self.world.begin_set(self.writer);
        for nth in 0..samples {
            let change = Self::sample(set, nth);
            self.world.write_blocking(self.writer, &change);
        }
    }

    fn write(&mut self, set: u32, samples: u32) {
        self.begin(set, samples);
        self.world.end_set(self.writer);
    }

    /// Lets time pass and looks after each thing that happens.
    fn run(&mut self, duration: i64) {
        let end = Time(self.world.now.0 + duration);
        while self.world.now < end {
            self.world.run_for(MS / 10);
            self.look();
        }
    }

    /// Takes what there is: only whole sets.
    fn look(&mut self) {
        let before = self.world.taken[&self.reader].len();
        self.world.take(self.reader);
        let mut counts = BTreeMap::new();
        for sample in &self.world.taken[&self.reader][before..] {
            if sample.info.valid_data {
                *counts.entry(number_of(sample) / 1_000).or_insert(0) += 1;
            }
        }
        for (set, count) in counts {
            assert_eq!(count, self.sizes[&set], "set {set}");
            self.seen.push(set);
        }
    }

    fn holds(&self) -> (usize, usize) {
        let holdings = self.world.readers[&self.reader].holdings();
        (holdings.in_sets, holdings.valid_samples)
    }
}

#[test]
fn what_is_said_of_a_set() {
    let mut w = Writer::new(writer());
    let mut out = Recorder::default();
    let far = proxy_of_reader(&reader());
    w.add_reader(Time(0), far, &mut out);
    out.said();
    w.write(Time(0), &sample(1, 0, 8), &mut out).unwrap();
    w.begin_set();
    for n in 1..3 {
        w.write(Time(0), &sample(n, n, 8), &mut out).unwrap();
    }
    for _ in 0..2 {
        let end = w.end_set(Time(0), Timestamp(9), || None, &mut out);
        assert_eq!(end, Ok(()));
    }
    w.begin_set();
    let end = w.end_set(Time(0), Timestamp(9), || None, &mut out);
    assert_eq!((end, w.last_sequence()), (Ok(()), SequenceNumber(4)));
    w.begin_set();
    let group = InGroup {
        sequence: 70,
        first: Some(66),
        writers: Some([1, 2, 3, 4]),
    };
    w.write_in_group(
        Time(0),
        &mut sample(1, 3, 8),
        None,
        || Some(group),
        &mut out,
    )
    .unwrap();
    let said: Vec<_> = out.messages.iter().filter_map(said_of_sets).collect();
    let set = |first| SetMembership {
        first: SequenceNumber(first),
        ..SetMembership::NONE
    };
    let end = set(SequenceNumber::UNKNOWN.0);
    let in_group = SetMembership {
        group_sequence: SequenceNumber(70),
        group_first: SequenceNumber(66),
        writers: Some([1, 2, 3, 4]),
        ..set(5)
    };
    let expected = [
        (1, SetMembership::NONE, false),
        (2, set(2), false),
        (3, set(2), false),
        (4, end, true),
        (5, in_group, false),
    ];
    assert_eq!(said, expected);
}

/// Number, membership and whether there is no payload.
fn said_of_sets(
    (_, _, message): &(To, Option<Timestamp>, Message),
) -> Option<(i64, SetMembership, bool)> {
    let Message::Data(sequence, inline, payload, _) = message else {
        return None;
    };
    let inline = InlineQos::parse(Parameters::little_endian(inline)).unwrap();
    assert_eq!(inline.key_hash.is_none(), payload.is_empty());
    Some((sequence.0, inline.set, payload.is_empty()))
}

#[test]
fn sets_are_seen_whole_whatever_the_loss() {
    for loss in [0, 10, 30, 50] {
        let mut stage = Stage::new(lossy(loss), &writer(), &reader());
        for set in 0..100 {
            stage.write(set, 1 + set * 7 % 13);
            stage.run(MS);
        }
        stage.run(3_000 * MS);
        assert!(stage.seen.iter().copied().eq(0..100), "{loss} %");
        assert_eq!((stage.world.lost, stage.holds()), (0, (0, 0)));
        assert_eq!(stage.world.writers[&stage.writer].kept(), 0);
    }
}

#[test]
fn nothing_is_seen_before_the_end() {
    let mut stage = Stage::new(QUICK, &writer(), &reader());
    stage.begin(1, 6);
    stage.run(50 * MS);
    assert_eq!((stage.seen.len(), stage.holds()), (0, (6, 0)));
    // What waits is acknowledged: a writer whose history is full could not end its set otherwise.
    stage.run(500 * MS);
    assert!(stage.world.writers[&stage.writer].is_acknowledged(SequenceNumber(6)));
    stage.world.end_set(stage.writer);
    stage.run(MS);
    assert_eq!((&stage.seen[..], stage.holds()), (&[1][..], (0, 0)));
    // A sample of no set is seen at once.
    stage.sizes.insert(2, 1);
    let single = Stage::sample(2, 0);
    stage.world.write(stage.writer, &single).unwrap();
    stage.run(MS);
    assert_eq!(stage.seen, [1, 2]);
}

#[test]
fn disposals_belong_to_their_set() {
    let mut stage = Stage::new(QUICK, &writer(), &reader());
    stage.write(1, 5);
    stage.begin(2, 2);
    let gone = end(ChangeKind::Disposed, 3);
    stage.world.write(stage.writer, &gone).unwrap();
    stage.run(MS);
    let infos = stage.world.infos(stage.reader);
    assert!(infos.iter().all(|info| info.valid_data));
    stage.world.end_set(stage.writer);
    stage.run(MS);
    let infos = stage.world.infos(stage.reader);
    assert!(infos.last().is_some_and(|info| !info.valid_data));
    assert_eq!(stage.seen, [1, 2]);
}

#[test]
fn in_stream_mode_each_change_says_where_it_stands_in_its_set() {
    let stream = ReaderConfig {
        stream: true,
        keyed: false,
        across_instances: true,
        ..reader()
    };
    let mut stage = Stage::new(QUICK, &writer(), &stream);
    stage.write(1, 3);
    stage.write(2, 1);
    stage.sizes.insert(3, 1);
    let single = Stage::sample(3, 0);
    stage.world.write(stage.writer, &single).unwrap();
    stage.write(4, 2);
    stage.begin(5, 2);
    stage.run(50 * MS);
    let places = stage.world.infos(stage.reader).into_iter();
    let places: Vec<SetPlace> = places.map(|info| info.set).collect();
    use SetPlace::*;
    let expected = [
        [First, Following, Following].as_slice(),
        &[First],
        &[Outside],
        &[First, Following],
    ];
    assert_eq!(places, expected.concat());
}

#[test]
fn best_effort_drops_what_is_not_whole() {
    let w = WriterConfig {
        reliability: ReliabilityKind::BestEffort,
        ..writer()
    };
    let r = ReaderConfig {
        reliability: ReliabilityKind::BestEffort,
        ..reader()
    };
    let mut stage = Stage::new(lossy(5), &w, &r);
    for set in 0..300 {
        stage.write(set, 4);
        stage.run(4 * MS);
    }
    let seen = stage.seen.len();
    assert!((50..290).contains(&seen), "{seen} of 300");
    assert!(stage.world.lost > 0);
    assert!(stage.holds().0 < 8);
}

#[test]
fn a_reader_that_wants_no_sets_sees_samples_at_once() {
    let mut world = World::pair(7, QUICK, &writer(), &reliable_reader());
    world.run_for(5 * MS);
    let (w, r) = (writer().guid, reliable_reader().guid);
    world.begin_set(w);
    for n in 0..3 {
        world.write(w, &sample(n, n, 8)).unwrap();
    }
    world.run_for(MS);
    assert_eq!(world.numbers(r), [0, 1, 2]);
    world.end_set(w);
    world.write(w, &sample(0, 3, 8)).unwrap();
    world.settle();
    assert_eq!(world.numbers(r), [0, 1, 2, 3]);
    assert_eq!((world.lost, world.writers[&w].kept()), (0, 0));
}

#[test]
fn late_joiners_get_whole_sets() {
    for loss in [0, 30] {
        let w = transient_writer();
        let mut stage = Stage::new(lossy(loss), &w, &reliable_reader());
        for set in 0..20 {
            stage.write(set, 3);
        }
        stage.begin(20, 2);
        stage.world.run_for(20 * MS);
        let late = ReaderConfig {
            guid: reader_guid(2),
            durability: Durability::TransientLocal,
            ..reader()
        };
        let volatile = ReaderConfig {
            guid: reader_guid(3),
            ..reader()
        };
        for config in [&late, &volatile] {
            stage.world.add_reader(config);
            stage.world.connect(&w, config);
        }
        stage.reader = late.guid;
        stage.run(1_000 * MS);
        assert!(stage.seen.iter().copied().eq(0..20), "{loss} %");
        let rest = Stage::sample(20, 2);
        stage.world.write(w.guid, &rest).unwrap();
        stage.sizes.insert(20, 3);
        stage.world.end_set(w.guid);
        stage.write(21, 4);
        stage.run(1_000 * MS);
        assert!(stage.seen.iter().copied().eq(0..22), "{loss} %");
        // The other one came in the middle of a set, and sees those that began in its time.
        stage.reader = volatile.guid;
        stage.seen.clear();
        stage.look();
        assert_eq!(stage.seen, [21]);
    }
}

#[test]
fn a_history_that_overwrites_breaks_sets_but_never_shows_a_part() {
    for durability in [Durability::Volatile, Durability::TransientLocal] {
        let w = WriterConfig {
            history: History::KeepLast(1),
            durability,
            ..writer()
        };
        let mut stage = Stage::new(lossy(40), &w, &reader());
        for set in 0..2_000 {
            stage.write(set, 1 + set % 5);
            if set % 4 == 0 {
                stage.run(MS / 2);
            }
            let kept = stage.world.writers[&w.guid].kept();
            assert!(kept < 200, "{kept} are kept");
        }
        stage.write(2_000, 5);
        stage.run(3_000 * MS);
        assert_eq!(stage.seen.last(), Some(&2_000));
        assert!(stage.seen.is_sorted());
        assert_eq!(stage.holds().0, 0);
    }
}

#[test]
fn a_writer_that_goes_takes_its_open_set_along() {
    let mut stage = Stage::new(QUICK, &writer(), &reader());
    stage.write(1, 3);
    stage.begin(2, 4);
    stage.run(MS);
    stage.world.remove_writer(stage.writer, stage.reader);
    stage.look();
    assert_eq!((&stage.seen[..], stage.world.lost), (&[1][..], 4));
    assert_eq!(stage.holds().0, 0);
}

#[test]
fn a_set_expires_as_a_whole() {
    let w = WriterConfig {
        lifespan: Duration::from_millis(100),
        ..writer()
    };
    let mut world = World::new(7, QUICK);
    world.add_writer(&w);
    world.add_reader(&reader());
    world.takes = false;
    let mut proxy = proxy_of_writer(&w);
    proxy.lifespan = w.lifespan;
    world.connect(&w, &reader());
    let mut out = Recorder::default();
    let r = world.readers.get_mut(&reader().guid).unwrap();
    r.add_writer(Time(0), proxy, &mut out);
    world.run_for(5 * MS);
    world.begin_set(w.guid);
    for n in 0..3 {
        world.write(w.guid, &sample(n, n, 8)).unwrap();
        world.run_for(30 * MS);
    }
    world.end_set(w.guid);
    world.run_for(MS);
    let count = |world: &mut World| {
        let r = world.readers.get_mut(&reader().guid).unwrap();
        r.expire(world.now);
        r.read(&Select::default(), |_| {})
    };
    assert_eq!(count(&mut world), 3);
    world.run_for(10 * MS);
    assert_eq!(count(&mut world), 0, "the first has expired");
    assert_eq!(world.lost, 0);
}

#[test]
fn what_can_never_fit_is_dropped_and_holds_nobody_up() {
    let w = WriterConfig {
        resource_limits: ResourceLimits {
            max_samples: Some(5),
            ..ResourceLimits::default()
        },
        ..writer()
    };
    let mut stage = Stage::new(QUICK, &w, &limited(4));
    stage.write(1, 40);
    stage.write(2, 4);
    stage.run(500 * MS);
    assert_eq!((&stage.seen[..], stage.world.lost), (&[2][..], 40));
}

#[test]
fn a_set_waits_for_room_as_a_whole() {
    for reliability in [ReliabilityKind::Reliable, ReliabilityKind::BestEffort] {
        let r = ReaderConfig {
            reliability,
            ..limited(4)
        };
        let mut stage = Stage::new(QUICK, &writer(), &r);
        stage.write(1, 3);
        stage.world.run_for(5 * MS);
        stage.write(2, 2);
        stage.write(3, 1);
        stage.world.run_for(50 * MS);
        assert!(stage.world.rejected > 0);
        match reliability {
            ReliabilityKind::Reliable => {
                assert_eq!(stage.holds(), (2, 3));
                stage.run(500 * MS);
                assert_eq!(stage.seen, [1, 2, 3]);
                assert_eq!(stage.world.lost, 0);
            }
            ReliabilityKind::BestEffort => {
                stage.run(500 * MS);
                assert_eq!(stage.seen, [1, 3]);
                assert_eq!(stage.world.lost, 2);
            }
        }
    }
}

#[test]
fn a_set_that_never_ends_needs_no_more_than_its_share() {
    let r = ReaderConfig {
        max_reassembly_bytes: 10_000,
        ..reader()
    };
    let mut stage = Stage::new(QUICK, &writer(), &r);
    for begin in 0..20 {
        stage.begin(1, 10);
        stage.run(MS);
        let holdings = stage.world.readers[&r.guid].holdings();
        assert!(
            holdings.in_sets_bytes < 10_000 && holdings.in_sets < 100,
            "{begin}"
        );
    }
    stage.world.end_set(stage.writer);
    stage.write(2, 3);
    stage.run(500 * MS);
    assert_eq!(stage.seen, [2]);
}

#[test]
fn marks_are_no_samples_to_a_limited_history() {
    let w = WriterConfig {
        resource_limits: ResourceLimits {
            max_samples: Some(3),
            ..ResourceLimits::default()
        },
        ..transient_writer()
    };
    let mut stage = Stage::new(QUICK, &w, &reader());
    for set in 0..200 {
        stage.write(set, 3);
        stage.run(MS);
    }
    stage.run(200 * MS);
    assert!(stage.world.writers[&w.guid].kept() <= 5);
    let late = ReaderConfig {
        guid: reader_guid(2),
        durability: Durability::TransientLocal,
        ..reader()
    };
    stage.world.add_reader(&late);
    stage.world.connect(&w, &late);
    stage.reader = late.guid;
    stage.seen.clear();
    stage.run(200 * MS);
    assert_eq!(stage.seen, [199]);
}
