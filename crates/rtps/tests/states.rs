//! Instances, their states and generations, and what `read` and `take` say (DDS 1.4 2.2.2.5.1).
mod common;

use InstanceState::{Alive, NotAliveDisposed, NotAliveNoWriters};
use ViewState::{New, NotNew};
use common::*;
use dunlin_qos::{DestinationOrder, History, Ownership, ReliabilityKind, ResourceLimits};
use dunlin_rtps::{
    Change, ChangeKind, InstanceState, Reader, ReaderConfig, RejectionReason, Sample, SampleInfo,
    SampleState, Select, Time, ViewState, Which, Writer, WriterConfig, WriterProxyConfig,
};
use dunlin_wire::Timestamp;

/// Writers and a reader wired together without a network.
struct Bench {
    writers: Vec<Writer>,
    reader: Reader,
}

impl Bench {
    fn new(config: ReaderConfig, strengths: &[i32]) -> Self {
        let mut bench = Self {
            writers: Vec::new(),
            reader: Reader::new(config.clone()),
        };
        for (n, strength) in (1..).zip(strengths) {
            let config_w = WriterConfig::new(writer_guid(n));
            let mut writer = Writer::new(config_w.clone());
            let proxy = WriterProxyConfig {
                ownership_strength: *strength,
                ..proxy_of_writer(&config_w)
            };
            bench
                .reader
                .add_writer(Time(0), proxy, &mut Recorder::default());
            writer.add_reader(Time(0), proxy_of_reader(&config), &mut Recorder::default());
            bench.writers.push(writer);
        }
        bench
    }

    fn write(&mut self, writer: usize, change: &Change) -> dunlin_rtps::Delivery {
        let mut out = Recorder::default();
        self.writers[writer]
            .write(Time(0), change, &mut out)
            .unwrap();
        let guid = self.writers[writer].guid();
        let (_, timestamp, message) = &out.messages[0];
        feed(
            &mut self.reader,
            Time(0),
            guid,
            *timestamp,
            message,
            &mut Recorder::default(),
        )
    }

    fn take(&mut self) -> Vec<SampleInfo> {
        let mut all = Vec::new();
        self.reader.take(&Select::default(), |s| all.push(s.info));
        all
    }

    fn numbers(&mut self) -> Vec<u32> {
        let mut all = Vec::new();
        self.reader.take(&Select::default(), |s| {
            if s.info.valid_data {
                all.push(number_of(&s));
            }
        });
        all
    }
}

fn states(infos: &[SampleInfo]) -> Vec<(bool, InstanceState, ViewState)> {
    let state = |i: &SampleInfo| (i.valid_data, i.instance_state, i.view_state);
    infos.iter().map(state).collect()
}

#[test]
fn an_instance_lives_dies_and_lives_again() {
    let mut bench = Bench::new(reliable_reader(), &[0]);
    bench.write(0, &sample(1, 10, 8));
    assert_eq!(states(&bench.take()), [(true, Alive, New)]);
    bench.write(0, &sample(1, 11, 8));
    assert!(bench.write(0, &end(ChangeKind::Disposed, 1)).available);
    assert!(!bench.write(0, &end(ChangeKind::Disposed, 1)).available);
    let infos = bench.take();
    assert_eq!(
        states(&infos),
        [
            (true, NotAliveDisposed, NotNew),
            (false, NotAliveDisposed, NotNew)
        ]
    );
    bench.write(0, &sample(1, 12, 8));
    bench.write(0, &end(ChangeKind::Unregistered, 1));
    bench.write(0, &sample(1, 13, 8));
    let infos = bench.take();
    assert_eq!(
        states(&infos),
        [(true, Alive, New), (false, Alive, New), (true, Alive, New)]
    );
    let ranks: Vec<_> = infos
        .iter()
        .map(|i| {
            (
                i.disposed_generation_count,
                i.no_writers_generation_count,
                i.sample_rank,
                i.generation_rank,
                i.absolute_generation_rank,
            )
        })
        .collect();
    assert_eq!(ranks, [(1, 0, 2, 1, 1), (1, 0, 1, 1, 1), (1, 1, 0, 0, 0)]);
}

#[test]
fn a_disposed_and_unregistered_instance_is_forgotten_once_seen() {
    let mut bench = Bench::new(reliable_reader(), &[0]);
    for n in 0..1_000 {
        bench.write(0, &sample(n, n, 8));
        bench.write(0, &end(ChangeKind::DisposedUnregistered, n));
        assert!(bench.reader.lookup(handle(n)));
        assert_eq!(bench.take().len(), 2);
        assert!(!bench.reader.lookup(handle(n)));
    }
}

#[test]
fn an_instance_without_writers() {
    let mut bench = Bench::new(reliable_reader(), &[0, 0]);
    bench.write(0, &sample(1, 1, 8));
    bench.write(1, &sample(1, 2, 8));
    bench.write(1, &sample(2, 3, 8));
    assert_eq!(bench.take().len(), 3);
    let gone = writer_guid(1);
    assert!(!bench.reader.remove_writer(Time(0), gone).available);
    assert!(
        bench
            .reader
            .remove_writer(Time(0), writer_guid(2))
            .available
    );
    let infos = bench.take();
    assert_eq!(
        states(&infos),
        [
            (false, NotAliveNoWriters, NotNew),
            (false, NotAliveNoWriters, NotNew)
        ]
    );
    assert!(!bench.reader.lookup(handle(1)) && !bench.reader.lookup(handle(2)));
}

#[test]
fn a_deleted_writer_disposes_what_it_writes_whoever_else_does() {
    let mut bench = Bench::new(reliable_reader(), &[0, 0]);
    bench.write(0, &sample(1, 1, 8));
    bench.write(1, &sample(1, 2, 8));
    bench.write(1, &sample(2, 3, 8));
    assert_eq!(bench.take().len(), 3);
    assert!(
        bench
            .reader
            .delete_writer(Time(0), writer_guid(1))
            .available
    );
    assert_eq!(states(&bench.take()), [(false, NotAliveDisposed, NotNew)]);
    // The other one leaves an instance that is dead already, and one that is not.
    assert!(
        bench
            .reader
            .delete_writer(Time(0), writer_guid(2))
            .available
    );
    assert_eq!(states(&bench.take()), [(false, NotAliveDisposed, NotNew)]);
    assert!(!bench.reader.lookup(handle(1)) && !bench.reader.lookup(handle(2)));
}

#[test]
fn with_exclusive_ownership_a_deleted_writer_disposes_what_it_owns() {
    let config = ReaderConfig {
        ownership: Ownership::Exclusive,
        ..reliable_reader()
    };
    let mut bench = Bench::new(config, &[1, 2]);
    bench.write(0, &sample(1, 1, 8));
    bench.write(0, &sample(2, 2, 8));
    bench.write(1, &sample(1, 3, 8));
    assert_eq!(bench.take().len(), 3);
    assert!(
        bench
            .reader
            .delete_writer(Time(0), writer_guid(1))
            .available
    );
    let ends = bench.take();
    assert_eq!(states(&ends), [(false, NotAliveDisposed, NotNew)]);
    assert_eq!(ends[0].instance, handle(2));
}

#[test]
fn one_unregister_among_two_writers_changes_nothing() {
    let mut bench = Bench::new(reliable_reader(), &[0, 0]);
    bench.write(0, &sample(1, 1, 8));
    bench.write(1, &sample(1, 2, 8));
    assert!(!bench.write(0, &end(ChangeKind::Unregistered, 1)).available);
    assert_eq!(states(&bench.take()), [(true, Alive, New); 2]);
    assert!(bench.write(1, &end(ChangeKind::Unregistered, 1)).available);
    assert_eq!(states(&bench.take()), [(false, NotAliveNoWriters, NotNew)]);
}

#[test]
fn a_dispose_alone_brings_the_key() {
    let mut bench = Bench::new(reliable_reader(), &[0]);
    assert!(!bench.write(0, &end(ChangeKind::Unregistered, 7)).available);
    bench.write(0, &end(ChangeKind::Disposed, 7));
    let mut keys = Vec::new();
    bench
        .reader
        .take(&Select::default(), |s| keys.push(bytes_of(&s)));
    assert_eq!(keys, [end(ChangeKind::Disposed, 7).payload]);
}

#[test]
fn keep_last_keeps_the_newest_of_each_instance() {
    let config = ReaderConfig {
        history: History::KeepLast(2),
        ..reliable_reader()
    };
    let mut bench = Bench::new(config, &[0]);
    for n in 0..10 {
        bench.write(0, &sample(n % 2, n, 8));
    }
    bench.write(0, &end(ChangeKind::Disposed, 1));
    assert_eq!(bench.numbers(), [6, 7, 8, 9]);
}

#[test]
fn read_leaves_and_take_removes() {
    let mut bench = Bench::new(reliable_reader(), &[0]);
    for n in 0..4 {
        bench.write(0, &sample(n % 2, n, 8));
    }
    let unread = Select {
        sample_states: SampleState::NotRead.mask(),
        ..Select::default()
    };
    let two = Select { max: 2, ..unread };
    let mut infos = Vec::new();
    assert_eq!(bench.reader.read(&two, |s| infos.push(s.info)), 2);
    assert_eq!(infos[0].sample_state, SampleState::NotRead);
    assert!(
        bench
            .reader
            .has_data(SampleState::Read.mask(), Select::ANY, Select::ANY)
    );
    let new = ViewState::New.mask();
    assert!(!bench.reader.has_data(Select::ANY, new, Select::ANY));
    infos.clear();
    assert_eq!(
        bench
            .reader
            .read(&Select::default(), |s| infos.push(s.info)),
        4
    );
    let read: Vec<_> = infos
        .iter()
        .map(|i| i.sample_state == SampleState::Read)
        .collect();
    assert_eq!(read, [true, true, false, false]);
    assert_eq!(infos[0].view_state, NotNew);
    assert_eq!(bench.reader.read(&unread, |_| ()), 0);
    assert!(
        !bench
            .reader
            .has_data(SampleState::NotRead.mask(), Select::ANY, Select::ANY)
    );
    assert_eq!(bench.numbers(), [0, 1, 2, 3]);
    assert!(!bench.reader.has_data(Select::ANY, Select::ANY, Select::ANY));
}

#[test]
fn one_instance_after_the_other() {
    let mut bench = Bench::new(reliable_reader(), &[0]);
    for n in 0..9 {
        bench.write(0, &sample(2 - n % 3, n, 8));
    }
    let mut select = Select {
        instance: Some(Which::Next(dunlin_rtps::InstanceHandle::NIL)),
        ..Select::default()
    };
    let mut seen = Vec::new();
    loop {
        let mut last = None;
        let count = bench.reader.read(&select, |s| last = Some(s.info.instance));
        let Some(instance) = last else { break };
        seen.push((instance, count));
        select.instance = Some(Which::Next(instance));
    }
    assert_eq!(seen, [(handle(0), 3), (handle(1), 3), (handle(2), 3)]);
    select.instance = Some(Which::This(handle(1)));
    assert_eq!(
        bench
            .reader
            .take(&select, |s| assert_eq!(s.info.instance, handle(1))),
        3
    );
    select.instance = Some(Which::This(handle(9)));
    assert_eq!(bench.reader.take(&select, |_| ()), 0);
    assert_eq!(bench.take().len(), 6);
}

#[test]
fn the_strongest_writer_owns_an_instance() {
    let config = ReaderConfig {
        ownership: Ownership::Exclusive,
        ..reliable_reader()
    };
    let mut bench = Bench::new(config, &[1, 5]);
    bench.write(0, &sample(1, 1, 8));
    bench.write(1, &sample(1, 2, 8));
    assert!(!bench.write(0, &sample(1, 3, 8)).available);
    assert!(!bench.write(0, &end(ChangeKind::Disposed, 1)).available);
    bench.write(0, &sample(2, 4, 8));
    assert_eq!(bench.numbers(), [1, 2, 4]);
    bench.reader.remove_writer(Time(0), writer_guid(2));
    bench.write(0, &sample(1, 5, 8));
    assert_eq!(bench.numbers(), [5]);
}

#[test]
fn the_source_may_set_the_order() {
    let config = ReaderConfig {
        destination_order: DestinationOrder::BySourceTimestamp,
        ..reliable_reader()
    };
    let at = |number, time| Change {
        timestamp: Timestamp(time),
        ..sample(1, number, 8)
    };
    let mut bench = Bench::new(config.clone(), &[0, 0]);
    bench.write(0, &at(1, 100));
    bench.write(0, &at(3, 300));
    bench.write(1, &at(2, 200));
    bench.write(1, &at(4, 400));
    bench.write(1, &at(0, 50));
    assert_eq!(bench.numbers(), [0, 1, 2, 3, 4]);
    assert!(!bench.write(0, &at(9, 399)).available);
    assert!(bench.write(0, &at(5, 400)).available);
    let last = ReaderConfig {
        history: History::KeepLast(1),
        ..config
    };
    let mut bench = Bench::new(last, &[0, 0]);
    bench.write(0, &at(1, 100));
    assert!(!bench.write(1, &at(2, 99)).available);
    bench.write(1, &at(3, 101));
    assert_eq!(bench.numbers(), [3]);
}

#[test]
fn limits_reject_with_a_reason() {
    let limits = ResourceLimits {
        max_samples: Some(3),
        max_instances: Some(2),
        max_samples_per_instance: Some(2),
    };
    let config = ReaderConfig {
        reliability: ReliabilityKind::BestEffort,
        resource_limits: limits,
        ..reliable_reader()
    };
    let mut bench = Bench::new(config, &[0]);
    let mut reason = |instance, number| {
        let delivery = bench.write(0, &sample(instance, number, 8));
        delivery.rejected.map(|r| r.reason)
    };
    assert_eq!(reason(1, 1), None);
    assert_eq!(reason(1, 2), None);
    assert_eq!(reason(1, 3), Some(RejectionReason::SamplesPerInstance));
    assert_eq!(reason(2, 4), None);
    assert_eq!(reason(2, 5), Some(RejectionReason::Samples));
    assert_eq!(reason(3, 6), Some(RejectionReason::Instances));
    assert_eq!(bench.numbers(), [1, 2, 4]);
}

#[test]
fn a_hundred_thousand_instances() {
    let config = ReaderConfig {
        history: History::KeepLast(1),
        ..reliable_reader()
    };
    let mut bench = Bench::new(config, &[0]);
    for round in 0..2 {
        for n in 0..100_000 {
            bench.write(0, &sample(n, round, 8));
        }
    }
    assert_eq!(bench.take().len(), 100_000);
    assert!(
        bench
            .reader
            .remove_writer(Time(0), writer_guid(1))
            .available
    );
    assert_eq!(bench.take().len(), 100_000);
    assert!(!bench.reader.lookup(handle(5)));
}

#[test]
fn samples_of_an_instance_come_together_unless_the_order_of_all_counts() {
    for across_instances in [false, true] {
        let config = ReaderConfig {
            across_instances,
            ..reliable_reader()
        };
        let mut bench = Bench::new(config, &[0]);
        for number in 0..6 {
            bench.write(0, &sample(number % 3, number, 8));
        }
        let mut ranks = Vec::new();
        bench
            .reader
            .read(&Select::default(), |s| ranks.push(s.info.sample_rank));
        let most = Select {
            max: 3,
            ..Select::default()
        };
        let mut first = Vec::new();
        bench.reader.take(&most, |s| first.push(number_of(&s)));
        match across_instances {
            true => {
                assert_eq!(ranks, [1, 1, 1, 0, 0, 0]);
                assert_eq!(first, [0, 1, 2]);
                assert_eq!(bench.numbers(), [3, 4, 5]);
            }
            false => {
                assert_eq!(ranks, [1, 0, 1, 0, 1, 0]);
                assert_eq!(first, [0, 3, 1]);
                assert_eq!(bench.numbers(), [2, 5, 4]);
            }
        }
    }
}

#[test]
fn in_stream_mode_a_take_says_what_a_read_says() {
    let config = ReaderConfig {
        stream: true,
        keyed: false,
        across_instances: true,
        history: History::KeepAll,
        ..reliable_reader()
    };
    let bench = || {
        let mut bench = Bench::new(config.clone(), &[0]);
        for number in 0..5 {
            bench.write(0, &sample(number % 2, number, 8));
        }
        bench.write(0, &end(ChangeKind::Disposed, 1));
        bench
    };
    let (mut takes, mut reads) = (bench(), bench());
    for max in [2, 1, 9] {
        let select = Select {
            max,
            ..Select::default()
        };
        let (mut taken, mut read) = (Vec::new(), Vec::new());
        takes
            .reader
            .take(&select, |s| taken.push((s.info, bytes_of(&s))));
        reads
            .reader
            .read(&select, |s| read.push((s.info, bytes_of(&s))));
        assert_eq!(taken, read);
        reads.reader.take(&select, |_| {});
    }
    for bench in [&mut takes, &mut reads] {
        assert!(bench.reader.is_empty());
        bench.write(0, &sample(1, 5, 8));
        bench.write(0, &sample(1, 6, 8));
        assert_eq!(bench.take().len(), 2);
    }
}

#[test]
fn in_stream_mode_whoever_takes_is_told_whose_deletion_disposes() {
    for stream in [false, true] {
        let config = ReaderConfig {
            stream,
            ..reliable_reader()
        };
        let mut reader = Bench::new(config, &[0, 0, 0]).reader;
        reader.delete_writer(Time(0), writer_guid(2));
        reader.delete_writer(Time(0), writer_guid(2));
        reader.remove_writer(Time(0), writer_guid(1));
        reader.lose_writer(Time(0), writer_guid(3));
        let deleted: &[_] = if stream { &[writer_guid(2)] } else { &[] };
        assert_eq!(reader.take_deleted_writers(), deleted);
        assert_eq!(reader.take_deleted_writers(), []);
    }
}

#[test]
fn the_oldest_is_taken_with_what_a_read_says_of_it() {
    let [read, unread] = [SampleState::Read, SampleState::NotRead].map(SampleState::mask);
    let one = |sample_states| Select {
        max: 1,
        sample_states,
        ..Select::default()
    };
    for stream in [false, true] {
        let config = ReaderConfig {
            stream,
            keyed: !stream,
            across_instances: stream,
            history: History::KeepAll,
            ..reliable_reader()
        };
        let bench = || {
            let mut bench = Bench::new(config.clone(), &[0, 0]);
            for number in 0..6 {
                bench.write(number as usize % 2, &sample(number % 3, number, 8));
            }
            bench.write(0, &end(ChangeKind::Disposed, 1));
            bench.write(1, &sample(1, 6, 8));
            bench
        };
        let (mut takes, mut reads) = (bench(), bench());
        for _ in 0..8 {
            let (mut expected, mut info) = (None, SampleInfo::default());
            let show = |s: Sample| expected = Some((s.info, bytes_of(&s)));
            assert_eq!(reads.reader.read(&one(unread), show), 1);
            assert_eq!(reads.reader.take(&one(read), |_| {}), 1);
            let payload = takes.reader.take_oldest(unread, &mut info).unwrap();
            let taken = (info, bytes_of(&Sample { info, payload }));
            assert_eq!(Some(taken), expected, "{stream}");
        }
        assert!(takes.reader.is_empty() && reads.reader.is_empty());
        // The first was read already, so it is not the oldest of the others.
        let mut bench = bench();
        assert_eq!(bench.reader.read(&one(unread), |_| {}), 1);
        for (states, sequence) in [(unread, 1), (read, 1), (read, 0)] {
            let mut info = SampleInfo::default();
            let taken = bench.reader.take_oldest(states, &mut info);
            assert_eq!(taken.is_some(), sequence > 0, "{stream}");
            assert_eq!(info.sequence.0, sequence, "{stream}");
        }
    }
}
