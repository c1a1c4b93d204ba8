//! What the passing of time does: LIFESPAN, DEADLINE, TIME_BASED_FILTER and the delays of
//! READER_DATA_LIFECYCLE, exact to the nanosecond of a virtual clock.
mod common;

use common::*;
use dunlin_qos::{
    Durability, Duration, History, Ownership, ReaderDataLifecycle, ReliabilityKind, ResourceLimits,
};
use dunlin_rtps::{
    Change, ChangeKind, Delivery, InstanceState, MissedDeadlines, Reader, ReaderConfig, Select,
    Time, WriteError, Writer, WriterConfig, WriterProxyConfig,
};

const SECOND: i64 = 1_000_000_000;

fn seconds(seconds: u32) -> Duration {
    Duration::from_secs(seconds)
}

/// Writers and a reader wired together without a network, and a clock that the test moves.
struct Bench {
    now: Time,
    writers: Vec<Writer>,
    reader: Reader,
}

impl Bench {
    fn new(writer: WriterConfig, reader: ReaderConfig, strengths: &[i32]) -> Self {
        let mut bench = Self {
            now: Time(0),
            writers: Vec::new(),
            reader: Reader::new(reader.clone()),
        };
        for (n, strength) in (1..).zip(strengths) {
            let config = WriterConfig {
                guid: writer_guid(n),
                ..writer.clone()
            };
            let proxy = WriterProxyConfig {
                ownership_strength: *strength,
                lifespan: config.lifespan,
                ..proxy_of_writer(&config)
            };
            let out = &mut Recorder::default();
            bench.reader.add_writer(Time(0), proxy, out);
            let mut writer = Writer::new(config);
            writer.add_reader(Time(0), proxy_of_reader(&reader), out);
            bench.writers.push(writer);
        }
        bench
    }

    fn write_by(&mut self, writer: usize, change: &Change) -> Delivery {
        let mut out = Recorder::default();
        self.writers[writer]
            .write(self.now, change, &mut out)
            .unwrap();
        let guid = self.writers[writer].guid();
        let (_, timestamp, message) = &out.messages[0];
        feed(
            &mut self.reader,
            self.now,
            guid,
            *timestamp,
            message,
            &mut Recorder::default(),
        )
    }

    fn write(&mut self, change: &Change) -> bool {
        self.write_by(0, change).available
    }

    /// Moves the clock, by way of every moment at which something is due to the reader; true if
    /// that brought something.
    fn until(&mut self, time: i64) -> bool {
        let mut news = false;
        while let Some(due) = self.reader.next_timeout().filter(|due| due.0 <= time) {
            self.now = due.max(self.now);
            let out = &mut Recorder::default();
            news |= self.reader.handle_timeout(self.now, out).available;
        }
        self.now = Time(time);
        news
    }

    fn take(&mut self) -> Vec<(u32, bool, InstanceState)> {
        let mut all = Vec::new();
        self.reader.take(&Select::default(), |s| {
            let number = if s.info.valid_data { number_of(&s) } else { 0 };
            all.push((number, s.info.valid_data, s.info.instance_state));
        });
        all
    }

    fn numbers(&mut self) -> Vec<u32> {
        let valid = self.take().into_iter().filter(|(_, valid, _)| *valid);
        valid.map(|(number, ..)| number).collect()
    }

    fn missed(&mut self) -> Option<(u32, u32)> {
        let missed = self.reader.take_missed_deadlines()?;
        let instance = (0..100).find(|n| handle(*n) == missed.last).unwrap();
        Some((missed.count, instance))
    }
}

fn living(lifespan: Duration) -> WriterConfig {
    WriterConfig {
        lifespan,
        ..reliable_writer()
    }
}

#[test]
fn a_sample_goes_when_its_lifespan_is_over_to_the_nanosecond() {
    let mut bench = Bench::new(living(seconds(2)), reliable_reader(), &[0]);
    bench.write(&sample(1, 10, 8));
    bench.until(SECOND);
    bench.write(&sample(1, 11, 8));
    assert!(!bench.until(2 * SECOND - 1));
    assert_eq!(bench.reader.holdings().samples, 2);
    bench.until(2 * SECOND);
    assert_eq!(bench.reader.holdings().samples, 1);
    assert_eq!(bench.numbers(), [11]);
    bench.until(10 * SECOND);
    assert_eq!(bench.reader.next_timeout(), None);
}

#[test]
fn a_timer_that_is_late_shows_nothing_that_is_over() {
    let mut bench = Bench::new(living(seconds(2)), reliable_reader(), &[0]);
    bench.write(&sample(1, 10, 8));
    assert!(bench.reader.is_timed());
    bench.reader.expire(Time(2 * SECOND));
    assert_eq!(bench.numbers(), []);
}

#[test]
fn what_is_over_makes_room_for_what_a_limit_kept_out() {
    let config = ReaderConfig {
        resource_limits: ResourceLimits {
            max_samples: Some(1),
            ..Default::default()
        },
        ..reliable_reader()
    };
    let mut bench = Bench::new(living(seconds(2)), config, &[0]);
    bench.write(&sample(1, 10, 8));
    bench.until(SECOND);
    assert!(bench.write_by(0, &sample(1, 11, 8)).rejected.is_some());
    // Whoever looks before the timer leaves the asking to it.
    bench.reader.expire(Time(2 * SECOND));
    assert_eq!(bench.reader.next_timeout(), Some(Time::PAST));
    let mut out = Recorder::default();
    bench.reader.handle_timeout(Time(2 * SECOND), &mut out);
    assert_eq!(out.words, ["ACKNACK 2 [2]? !"]);
}

#[test]
fn a_deadline_of_no_time_is_missed_and_does_not_hang() {
    let mut bench = Bench::new(reliable_writer(), within(Duration::ZERO), &[0]);
    bench.write(&sample(1, 1, 8));
    let now = Time(10);
    bench.reader.handle_timeout(now, &mut Recorder::default());
    assert_eq!(bench.missed(), Some((11, 1)));
    assert_eq!(bench.reader.next_timeout(), Some(Time(11)));
}

#[test]
fn who_takes_in_time_leaves_no_appointments_behind() {
    let mut bench = Bench::new(living(seconds(1_000)), reliable_reader(), &[0]);
    for number in 0..10_000 {
        bench.write(&sample(1, number, 8));
        assert_eq!(bench.numbers(), [number]);
    }
    // Each would be a timer call of its own otherwise.
    let mut calls = 0;
    while let Some(due) = bench.reader.next_timeout() {
        bench.reader.handle_timeout(due, &mut Recorder::default());
        calls += 1;
    }
    assert!(calls <= 100, "{calls}");
}

#[test]
fn a_writer_forgets_what_is_over_and_late_joiners_never_hear_of_it() {
    let config = WriterConfig {
        durability: Durability::TransientLocal,
        history: History::KeepAll,
        ..living(seconds(2))
    };
    let mut writer = Writer::new(config);
    let mut out = Recorder::default();
    writer.write(Time(0), &sample(1, 10, 8), &mut out).unwrap();
    writer
        .write(Time(SECOND), &sample(1, 11, 8), &mut out)
        .unwrap();
    assert_eq!(writer.next_timeout(), Some(Time(2 * SECOND)));
    assert!(writer.handle_timeout(Time(2 * SECOND), &mut out));
    assert_eq!(writer.kept(), 1);
    let late = ReaderConfig {
        durability: Durability::TransientLocal,
        ..reliable_reader()
    };
    let mut out = Recorder::default();
    writer.add_reader(Time(3 * SECOND), proxy_of_reader(&late), &mut out);
    assert_eq!(writer.kept(), 0);
    assert!(
        !out.words.iter().any(|w| w.starts_with("DATA")),
        "{:?}",
        out.words
    );
}

#[test]
fn what_is_over_makes_room_for_a_writer_that_waits_and_is_not_lost() {
    let config = WriterConfig {
        history: History::KeepAll,
        resource_limits: ResourceLimits {
            max_samples: Some(1),
            ..Default::default()
        },
        ..living(seconds(1))
    };
    let mut bench = Bench::new(config, reliable_reader(), &[0]);
    let mut out = Recorder::default();
    let writer = &mut bench.writers[0];
    writer.write(Time(0), &sample(1, 1, 8), &mut out).unwrap();
    let full = writer.write(Time(SECOND - 1), &sample(1, 2, 8), &mut out);
    assert_eq!(full, Err(WriteError::Full));
    let mut out = Recorder::default();
    assert!(writer.handle_timeout(Time(SECOND), &mut out));
    writer
        .write(Time(SECOND), &sample(1, 2, 8), &mut out)
        .unwrap();
    writer.heartbeat(Time(SECOND), &mut out);
    // The reader never got the first one. It hears that it will not come, and does not count it as
    // lost.
    assert_eq!(out.words.last().unwrap(), "HEARTBEAT 1..2? !");
}

fn within(deadline: Duration) -> ReaderConfig {
    ReaderConfig {
        deadline,
        ..reliable_reader()
    }
}

#[test]
fn a_reader_counts_each_period_and_instance_without_a_sample() {
    let mut bench = Bench::new(reliable_writer(), within(seconds(1)), &[0]);
    bench.until(5 * SECOND);
    assert_eq!(
        bench.missed(),
        None,
        "nothing is expected before the first sample"
    );
    bench.write(&sample(1, 1, 8));
    bench.until(6 * SECOND - 1);
    bench.write(&sample(2, 2, 8));
    assert_eq!(bench.missed(), None);
    bench.until(6 * SECOND);
    assert_eq!(bench.missed(), Some((1, 1)));
    bench.write(&sample(1, 3, 8));
    bench.until(7 * SECOND - 1);
    assert_eq!(bench.missed(), Some((1, 2)));
    bench.until(9 * SECOND);
    // The first at 7, 8 and 9; the second a nanosecond before 8 and 9.
    assert_eq!(bench.missed(), Some((5, 1)));
    assert_eq!(bench.missed(), None);
}

#[test]
fn a_late_timer_counts_every_period() {
    let mut bench = Bench::new(reliable_writer(), within(seconds(1)), &[0]);
    bench.write(&sample(1, 1, 8));
    let late = Time(3 * SECOND + SECOND / 2);
    bench.reader.handle_timeout(late, &mut Recorder::default());
    assert_eq!(bench.missed(), Some((3, 1)));
    assert_eq!(bench.reader.next_timeout(), Some(Time(4 * SECOND)));
}

#[test]
fn nothing_is_expected_of_an_instance_that_is_not_alive() {
    for kind in [ChangeKind::Disposed, ChangeKind::Unregistered] {
        let mut bench = Bench::new(reliable_writer(), within(seconds(1)), &[0]);
        bench.write(&sample(1, 1, 8));
        bench.write(&end(kind, 1));
        bench.until(5 * SECOND);
        assert_eq!(bench.missed(), None);
        bench.write(&sample(1, 2, 8));
        bench.until(6 * SECOND);
        assert_eq!(bench.missed(), Some((1, 1)));
    }
}

#[test]
fn an_owner_that_misses_its_deadline_yields_to_a_weaker_writer() {
    let config = ReaderConfig {
        ownership: Ownership::Exclusive,
        ..within(seconds(1))
    };
    let mut bench = Bench::new(reliable_writer(), config, &[5, 1]);
    bench.write_by(0, &sample(1, 1, 8));
    bench.write_by(1, &sample(1, 2, 8));
    assert_eq!(bench.numbers(), [1]);
    bench.until(SECOND);
    bench.write_by(1, &sample(1, 3, 8));
    assert_eq!(bench.numbers(), [3]);
    bench.write_by(0, &sample(1, 4, 8));
    bench.write_by(1, &sample(1, 5, 8));
    assert_eq!(bench.numbers(), [4], "the stronger one is back");
}

#[test]
fn a_writer_counts_each_period_and_instance_that_it_did_not_write() {
    let config = WriterConfig {
        deadline: seconds(1),
        ..reliable_writer()
    };
    let mut writer = Writer::new(config);
    let mut out = Recorder::default();
    assert_eq!(writer.next_timeout(), None);
    writer.write(Time(0), &sample(1, 1, 8), &mut out).unwrap();
    writer
        .write(Time(SECOND / 2), &sample(2, 1, 8), &mut out)
        .unwrap();
    let due = |writer: &mut Writer, at: i64| {
        while let Some(due) = writer.next_timeout().filter(|due| due.0 <= at) {
            writer.handle_timeout(due, &mut Recorder::default());
        }
        writer.take_missed_deadlines()
    };
    assert_eq!(due(&mut writer, SECOND - 1), None);
    let missed = |count, instance| {
        Some(MissedDeadlines {
            count,
            last: handle(instance),
        })
    };
    assert_eq!(due(&mut writer, SECOND), missed(1, 1));
    writer
        .write(Time(SECOND), &end(ChangeKind::Disposed, 1), &mut out)
        .unwrap();
    assert_eq!(due(&mut writer, 3 * SECOND), missed(2, 2));
    for round in 0..1_000 {
        writer
            .write(Time(3 * SECOND), &sample(round, 1, 8), &mut out)
            .unwrap();
        let gone = end(ChangeKind::Unregistered, round);
        writer.write(Time(3 * SECOND), &gone, &mut out).unwrap();
    }
    assert_eq!(due(&mut writer, 9 * SECOND), None);
}

fn filtered(reliability: ReliabilityKind) -> ReaderConfig {
    ReaderConfig {
        reliability,
        time_based_filter: seconds(1),
        ..reliable_reader()
    }
}

#[test]
fn samples_of_an_instance_keep_their_distance() {
    let mut bench = Bench::new(
        reliable_writer(),
        filtered(ReliabilityKind::BestEffort),
        &[0],
    );
    assert!(bench.write(&sample(1, 1, 8)));
    assert!(bench.write(&sample(2, 2, 8)), "another instance");
    bench.until(SECOND - 1);
    assert!(!bench.write(&sample(1, 3, 8)));
    bench.until(SECOND);
    assert!(bench.write(&sample(1, 4, 8)));
    assert!(!bench.until(5 * SECOND));
    assert_eq!(bench.numbers(), [1, 2, 4]);
}

#[test]
fn a_reliable_reader_gets_the_last_sample_when_the_time_is_over() {
    let mut bench = Bench::new(reliable_writer(), filtered(ReliabilityKind::Reliable), &[0]);
    bench.write(&sample(1, 1, 8));
    bench.until(SECOND / 2);
    assert!(!bench.write(&sample(1, 2, 8)));
    assert!(!bench.write(&sample(1, 3, 8)));
    assert!(!bench.until(SECOND - 1));
    assert!(bench.until(SECOND));
    assert_eq!(bench.numbers(), [1, 3]);
    bench.until(2 * SECOND - 1);
    assert!(
        !bench.write(&sample(1, 4, 8)),
        "the one held back counts, too"
    );
    assert!(bench.until(2 * SECOND));
    assert_eq!(bench.numbers(), [4]);
}

#[test]
fn the_end_of_an_instance_comes_after_its_last_sample() {
    let mut bench = Bench::new(reliable_writer(), filtered(ReliabilityKind::Reliable), &[0]);
    bench.write(&sample(1, 1, 8));
    bench.write(&sample(1, 2, 8));
    bench.write(&end(ChangeKind::Disposed, 1));
    let state = InstanceState::NotAliveDisposed;
    assert_eq!(
        bench.take(),
        [(1, true, state), (2, true, state), (0, false, state)]
    );
    let mut bench = Bench::new(reliable_writer(), filtered(ReliabilityKind::Reliable), &[0]);
    bench.write(&sample(1, 1, 8));
    bench.write(&sample(1, 2, 8));
    let guid = bench.writers[0].guid();
    assert!(bench.reader.remove_writer(bench.now, guid).available);
    let state = InstanceState::NotAliveNoWriters;
    assert_eq!(
        bench.take(),
        [(1, true, state), (2, true, state), (0, false, state)]
    );
}

#[test]
fn samples_of_dead_instances_go_when_their_time_is_over() {
    let config = ReaderConfig {
        lifecycle: ReaderDataLifecycle {
            autopurge_disposed_samples_delay: seconds(1),
            autopurge_nowriter_samples_delay: seconds(2),
        },
        ..reliable_reader()
    };
    let mut bench = Bench::new(reliable_writer(), config, &[0]);
    bench.write(&sample(1, 1, 8));
    bench.write(&end(ChangeKind::Disposed, 1));
    bench.write(&sample(2, 2, 8));
    bench.write(&end(ChangeKind::Unregistered, 2));
    bench.write(&sample(3, 3, 8));
    bench.write(&end(ChangeKind::Disposed, 3));
    bench.until(SECOND / 2);
    bench.write(&sample(3, 4, 8));
    assert_eq!(bench.reader.holdings().samples, 7);
    bench.until(SECOND);
    assert_eq!(
        bench.reader.holdings().samples,
        5,
        "the first instance's are gone"
    );
    bench.until(2 * SECOND - 1);
    assert_eq!(bench.reader.holdings().samples, 5);
    bench.until(2 * SECOND);
    assert_eq!(bench.numbers(), [3, 4], "the third one lives again");
    assert!(!bench.reader.lookup(handle(2)));
}

#[test]
fn a_lifespan_that_is_changed_holds_for_what_the_writer_keeps_and_for_what_comes() {
    let mut bench = Bench::new(
        WriterConfig {
            durability: Durability::TransientLocal,
            history: History::KeepAll,
            ..living(seconds(10))
        },
        reliable_reader(),
        &[0],
    );
    bench.write(&sample(1, 10, 8));
    bench.writers[0].set_timing(Time(0), seconds(2), Duration::INFINITE);
    bench.writers[0]
        .write(Time(SECOND), &sample(1, 11, 8), &mut Recorder::default())
        .unwrap();
    let out = &mut Recorder::default();
    bench.writers[0].handle_timeout(Time(2 * SECOND), out);
    assert_eq!(bench.writers[0].kept(), 1);
    bench.writers[0].set_timing(Time(2 * SECOND), Duration::INFINITE, Duration::INFINITE);
    bench.writers[0].handle_timeout(Time(100 * SECOND), out);
    assert_eq!(
        bench.writers[0].kept(),
        1,
        "what is kept is kept for ever now"
    );
    bench.writers[0].set_timing(Time(100 * SECOND), seconds(1), Duration::INFINITE);
    bench.writers[0]
        .write(Time(100 * SECOND), &sample(2, 12, 8), out)
        .unwrap();
    bench.writers[0].handle_timeout(Time(101 * SECOND), out);
    assert_eq!(bench.writers[0].kept(), 1, "what was to stay stays");

    // The reader learns of it by discovery.
    let config = living(seconds(3));
    let proxy = WriterProxyConfig {
        lifespan: seconds(3),
        ..proxy_of_writer(&WriterConfig {
            guid: writer_guid(1),
            ..config
        })
    };
    let mut bench = Bench::new(living(Duration::INFINITE), reliable_reader(), &[0]);
    bench.write(&sample(1, 10, 8));
    bench
        .reader
        .add_writer(Time(0), proxy, &mut Recorder::default());
    bench.write(&sample(1, 11, 8));
    bench.until(3 * SECOND);
    assert_eq!(bench.numbers(), [10]);
}

#[test]
fn a_deadline_that_is_changed_counts_from_then_on() {
    let mut bench = Bench::new(living(Duration::INFINITE), reliable_reader(), &[0]);
    let lifecycle = ReaderDataLifecycle::default();
    bench.write(&sample(1, 10, 8));
    bench
        .reader
        .set_timing(Time(0), seconds(4), Duration::ZERO, lifecycle);
    bench.until(100 * SECOND);
    assert_eq!(bench.missed(), None, "it begins with the next sample");
    bench.write(&sample(1, 11, 8));
    bench.until(101 * SECOND);
    bench
        .reader
        .set_timing(bench.now, seconds(2), Duration::ZERO, lifecycle);
    bench.until(103 * SECOND - 1);
    assert_eq!(bench.missed(), None);
    bench.until(103 * SECOND);
    assert_eq!(bench.missed(), Some((1, 1)));
    bench
        .reader
        .set_timing(bench.now, Duration::INFINITE, Duration::ZERO, lifecycle);
    bench.until(200 * SECOND);
    assert_eq!(bench.missed(), None);

    let writer = &mut bench.writers[0];
    let out = &mut Recorder::default();
    writer.set_timing(Time(200 * SECOND), Duration::INFINITE, seconds(3));
    writer
        .write(Time(200 * SECOND), &sample(2, 12, 8), out)
        .unwrap();
    writer.set_timing(Time(200 * SECOND), Duration::INFINITE, seconds(1));
    writer.handle_timeout(Time(202 * SECOND), out);
    assert_eq!(writer.take_missed_deadlines().map(|m| m.count), Some(2));
    writer.set_timing(Time(202 * SECOND), Duration::INFINITE, Duration::INFINITE);
    writer.handle_timeout(Time(300 * SECOND), out);
    assert_eq!(writer.take_missed_deadlines(), None);
}

#[test]
fn a_filter_by_time_that_is_lifted_shows_what_it_held_back() {
    let mut bench = Bench::new(
        living(Duration::INFINITE),
        ReaderConfig {
            time_based_filter: seconds(10),
            ..reliable_reader()
        },
        &[0],
    );
    bench.write(&sample(1, 10, 8));
    bench.write(&sample(1, 11, 8));
    assert_eq!(bench.numbers(), [10]);
    let lifecycle = ReaderDataLifecycle::default();
    bench
        .reader
        .set_timing(Time(0), Duration::INFINITE, Duration::ZERO, lifecycle);
    bench.until(1);
    assert_eq!(bench.numbers(), [11]);
    bench.write(&sample(1, 12, 8));
    bench.write(&sample(1, 13, 8));
    assert_eq!(bench.numbers(), [12, 13].map(|n| n).to_vec());
}

#[test]
fn an_owner_that_becomes_weaker_yields() {
    let config = ReaderConfig {
        ownership: Ownership::Exclusive,
        ..reliable_reader()
    };
    let mut bench = Bench::new(living(Duration::INFINITE), config, &[5, 3]);
    bench.write_by(0, &sample(1, 10, 8));
    bench.write_by(1, &sample(1, 20, 8));
    assert_eq!(bench.numbers(), [10]);
    let weak = WriterProxyConfig {
        ownership_strength: 1,
        ..proxy_of_writer(&WriterConfig {
            guid: writer_guid(1),
            ..reliable_writer()
        })
    };
    bench
        .reader
        .add_writer(Time(0), weak, &mut Recorder::default());
    bench.write_by(1, &sample(1, 21, 8));
    bench.write_by(0, &sample(1, 11, 8));
    assert_eq!(bench.numbers(), [21]);
}
