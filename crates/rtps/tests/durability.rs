//! What writers keep for late joiners: with DURABILITY TRANSIENT or PERSISTENT it is
//! DURABILITY_SERVICE that says so, once all matched readers have it (DDS 1.4 2.2.3.5).
mod common;

use common::*;
use dunlin_qos::{Durability, DurabilityService, Duration, History, ResourceLimits};
use dunlin_rtps::{ChangeKind, ReaderConfig, Time, WriteError, Writer, WriterConfig};
use dunlin_wire::{AckNack, EntityId, SequenceNumber, SequenceNumberSet};

const SECOND: i64 = 1_000_000_000;

/// A writer, its scripted readers, and a clock that the test moves.
struct Bench {
    writer: Writer,
    now: i64,
    acknowledgements: u32,
    number: u32,
    out: Recorder,
}

impl Bench {
    fn new(config: WriterConfig) -> Self {
        Self {
            writer: Writer::new(config),
            now: 0,
            acknowledgements: 0,
            number: 0,
            out: Recorder::default(),
        }
    }

    fn try_write(&mut self, instance: u32) -> Result<(), WriteError> {
        self.number += 1;
        let change = sample(instance, self.number, 8);
        let written = self
            .writer
            .write(Time(self.now), &change, &mut self.out)
            .map(|_| ());
        self.out.said();
        written
    }

    fn write(&mut self, instances: impl IntoIterator<Item = u32>) {
        for instance in instances {
            self.try_write(instance).unwrap();
        }
    }

    fn end(&mut self, kind: ChangeKind, instance: u32) {
        self.writer
            .write(Time(self.now), &end(kind, instance), &mut self.out)
            .unwrap();
    }

    fn join(&mut self, n: u8) {
        let reader = ReaderConfig {
            guid: reader_guid(n),
            durability: Durability::Transient,
            ..reliable_reader()
        };
        let now = Time(self.now);
        self.writer
            .add_reader(now, proxy_of_reader(&reader), &mut self.out);
    }

    fn acknowledge(&mut self, n: u8, up_to: i64) {
        self.acknowledgements += 1;
        let answer = AckNack {
            reader: EntityId::UNKNOWN,
            writer: EntityId::UNKNOWN,
            state: SequenceNumberSet::new(SequenceNumber(up_to + 1)),
            count: self.acknowledgements,
            is_final: true,
        };
        let now = Time(self.now);
        self.writer
            .handle_ack_nack(now, reader_guid(n), &answer, &mut self.out);
        self.out.said();
    }

    /// Moves the clock by way of what is due.
    fn until(&mut self, time: i64) {
        while let Some(due) = self.writer.next_timeout().filter(|due| due.0 <= time) {
            self.now = due.0.max(self.now);
            self.writer.handle_timeout(Time(self.now), &mut self.out);
        }
        self.now = time;
        self.out.said();
    }

    /// The numbers of the changes that a late joiner gets.
    fn history(&mut self) -> Vec<i64> {
        self.out.said();
        self.join(99);
        let said = self.out.said();
        self.writer.remove_reader(reader_guid(99));
        let data = said.iter().filter_map(|w| w.strip_prefix("DATA "));
        data.map(|w| w.trim_end_matches(" !").parse().unwrap())
            .collect()
    }
}

fn storing(history: History, service: History) -> WriterConfig {
    WriterConfig {
        durability: Durability::Transient,
        history,
        durability_service: DurabilityService {
            history: service,
            ..DurabilityService::default()
        },
        ..reliable_writer()
    }
}

fn limited(config: WriterConfig, limits: ResourceLimits) -> WriterConfig {
    WriterConfig {
        durability_service: DurabilityService {
            resource_limits: limits,
            ..config.durability_service
        },
        ..config
    }
}

fn cleaning(delay: Duration) -> WriterConfig {
    let config = storing(History::KeepAll, History::KeepAll);
    WriterConfig {
        durability_service: DurabilityService {
            service_cleanup_delay: delay,
            ..config.durability_service
        },
        ..config
    }
}

#[test]
fn late_joiners_get_what_the_service_says_once_all_others_have_it() {
    let mut bench = Bench::new(storing(History::KeepAll, History::KeepLast(2)));
    bench.join(1);
    bench.write([1, 1, 1, 1, 2]);
    // Nobody has it yet: HISTORY decides.
    assert_eq!(bench.history(), [1, 2, 3, 4, 5]);
    bench.acknowledge(1, 3);
    assert_eq!(bench.history(), [3, 4, 5]);
    bench.acknowledge(1, 5);
    assert_eq!(bench.history(), [3, 4, 5]);
    bench.write([1]);
    assert_eq!(bench.history(), [4, 5, 6]);
}

#[test]
fn without_readers_all_is_up_to_the_service() {
    for durability in [Durability::Transient, Durability::Persistent] {
        let config = storing(History::KeepAll, History::KeepLast(3));
        let mut bench = Bench::new(WriterConfig {
            durability,
            ..config
        });
        bench.write([7; 1000]);
        assert_eq!(bench.history(), [998, 999, 1000]);
        assert_eq!(bench.writer.kept(), 3);
    }
}

#[test]
fn the_service_may_keep_more_than_the_history_does() {
    let mut bench = Bench::new(storing(History::KeepLast(1), History::KeepLast(3)));
    bench.write([1, 1, 2, 1, 1]);
    assert_eq!(bench.history(), [2, 3, 4, 5]);
    let mut bench = Bench::new(storing(History::KeepLast(1), History::KeepAll));
    bench.write([1; 100]);
    assert_eq!(bench.history().len(), 100);
}

#[test]
fn a_reader_that_lags_gets_what_the_history_promises() {
    let mut bench = Bench::new(storing(History::KeepLast(4), History::KeepLast(1)));
    bench.join(1);
    bench.write([1; 9]);
    assert_eq!(bench.writer.kept(), 4);
    bench.acknowledge(1, 7);
    assert_eq!(bench.history(), [8, 9]);
    bench.acknowledge(1, 9);
    assert_eq!(bench.history(), [9]);
}

#[test]
fn transient_local_goes_by_the_history() {
    let mut bench = Bench::new(WriterConfig {
        durability: Durability::TransientLocal,
        ..storing(History::KeepLast(5), History::KeepLast(1))
    });
    bench.write([1; 9]);
    assert_eq!(bench.history(), [5, 6, 7, 8, 9]);
}

#[test]
fn of_what_exceeds_the_limits_of_the_service_the_oldest_goes() {
    let keep_all = storing(History::KeepAll, History::KeepAll);
    let limits = ResourceLimits {
        max_samples: Some(4),
        ..ResourceLimits::default()
    };
    let mut bench = Bench::new(limited(keep_all.clone(), limits));
    bench.write([1, 2, 1, 2, 1, 2]);
    assert_eq!(bench.history(), [3, 4, 5, 6]);
    let limits = ResourceLimits {
        max_samples_per_instance: Some(2),
        ..ResourceLimits::default()
    };
    let mut bench = Bench::new(limited(keep_all.clone(), limits));
    bench.write([1, 2, 1, 1]);
    assert_eq!(bench.history(), [2, 3, 4]);
    let limits = ResourceLimits {
        max_instances: Some(2),
        ..ResourceLimits::default()
    };
    let mut bench = Bench::new(limited(keep_all, limits));
    bench.write([1, 2, 2, 1, 3]);
    assert_eq!(bench.history(), [2, 3, 5]);
    bench.write([2]);
    assert_eq!(bench.history(), [2, 3, 5, 6]);
}

#[test]
fn limits_of_the_service_take_nothing_from_a_reader_that_lags() {
    let limits = ResourceLimits {
        max_samples: Some(2),
        max_instances: Some(1),
        max_samples_per_instance: Some(2),
    };
    let keep_all = storing(History::KeepAll, History::KeepAll);
    let mut bench = Bench::new(limited(keep_all, limits));
    bench.join(1);
    bench.write([1, 1, 1, 2, 3]);
    assert_eq!(bench.writer.kept(), 5);
    bench.acknowledge(1, 4);
    assert_eq!(bench.history(), [5]);
}

#[test]
fn an_instance_that_was_disposed_and_left_goes_after_the_delay() {
    let mut bench = Bench::new(cleaning(Duration::from_secs(10)));
    bench.write([1, 2]);
    bench.end(ChangeKind::Disposed, 1);
    bench.until(SECOND);
    bench.end(ChangeKind::Unregistered, 1);
    assert_eq!(bench.history(), [1, 2, 3, 4]);
    bench.until(11 * SECOND - 1);
    assert_eq!(bench.history(), [1, 2, 3, 4]);
    bench.until(11 * SECOND);
    assert_eq!(bench.history(), [2]);
    bench.until(12 * SECOND);
    assert_eq!(bench.writer.next_timeout(), None);
}

#[test]
fn by_default_such_an_instance_goes_when_all_know() {
    let mut bench = Bench::new(cleaning(Duration::ZERO));
    bench.join(1);
    bench.write([1, 2]);
    bench.end(ChangeKind::DisposedUnregistered, 1);
    assert_eq!(bench.history(), [1, 2, 3]);
    bench.acknowledge(1, 3);
    assert_eq!(bench.history(), [2]);
}

#[test]
fn an_instance_that_is_not_disposed_outlives_its_writer_s_interest() {
    for delay in [Duration::ZERO, Duration::from_secs(1), Duration::INFINITE] {
        let mut bench = Bench::new(WriterConfig {
            durability_service: DurabilityService {
                service_cleanup_delay: delay,
                ..DurabilityService::default()
            },
            ..storing(History::KeepLast(1), History::KeepLast(1))
        });
        bench.write([1]);
        bench.end(ChangeKind::Unregistered, 1);
        bench.until(100 * SECOND);
        // The sample is still there: that the writer has left the instance does not take its place.
        assert_eq!(bench.history(), [1, 2]);
        bench.write([1]);
        assert_eq!(bench.history(), [2, 3]);
    }
}

#[test]
fn an_instance_that_comes_back_in_time_stays() {
    let mut bench = Bench::new(cleaning(Duration::from_secs(10)));
    bench.write([1]);
    bench.end(ChangeKind::DisposedUnregistered, 1);
    bench.until(9 * SECOND);
    bench.write([1]);
    bench.until(100 * SECOND);
    assert_eq!(bench.history(), [1, 2, 3]);
}

#[test]
fn a_delay_that_is_over_waits_for_those_who_do_not_know_yet() {
    let mut bench = Bench::new(cleaning(Duration::from_secs(1)));
    bench.join(1);
    bench.write([1]);
    bench.end(ChangeKind::DisposedUnregistered, 1);
    bench.until(5 * SECOND);
    assert_eq!(bench.writer.kept(), 2);
    bench.acknowledge(1, 2);
    assert_eq!(bench.writer.kept(), 0);
}

#[test]
fn instances_that_were_left_make_room_for_new_ones() {
    let mut bench = Bench::new(WriterConfig {
        resource_limits: ResourceLimits {
            max_instances: Some(2),
            ..ResourceLimits::default()
        },
        ..cleaning(Duration::INFINITE)
    });
    bench.write([1, 2]);
    let full = Err(WriteError::OutOfResources("max_instances"));
    assert_eq!(bench.try_write(3), full);
    bench.end(ChangeKind::DisposedUnregistered, 2);
    assert_eq!(bench.try_write(3), Ok(()));
    assert_eq!(bench.history(), [1, 4]);
    assert_eq!(bench.try_write(2), full);
}

#[test]
fn a_late_joiner_gets_all_of_a_long_history_while_the_writer_goes_on() {
    for seed in 0..20 {
        let config = storing(History::KeepAll, History::KeepLast(1));
        let reader = ReaderConfig {
            durability: Durability::Transient,
            ..reliable_reader()
        };
        let link = Link {
            loss: 20,
            duplicate: 5,
            reorder: 20,
            delay: MS,
            jitter: MS,
        };
        let mut world = World::new(seed, link);
        world.add_writer(&config);
        for n in 0..500 {
            world.write(config.guid, &sample(n, n, 16)).unwrap();
        }
        world.add_reader(&reader);
        world.connect(&config, &reader);
        for n in 500..600 {
            world.write(config.guid, &sample(n - 400, n, 16)).unwrap();
            world.run_for(MS);
        }
        world.settle();
        // The newest of each instance has come, and nothing counts as lost.
        let taken = &world.taken[&reader.guid];
        for instance in 0..500 {
            let last = taken.iter().filter(|s| s.info.instance == handle(instance));
            let newest = if (100..200).contains(&instance) {
                instance + 400
            } else {
                instance
            };
            assert_eq!(last.last().map(number_of), Some(newest), "seed {seed}");
        }
        assert_eq!(world.lost, 0, "seed {seed}");
    }
}
