//! What a sample costs in the steady state, counted: no allocation and no thread hand-off, over UDP
//! and within a process.
mod common;
#[path = "../../transport/tests/conformance/namespace.rs"]
#[allow(dead_code, reason = "other tests use the other networks")]
mod namespace;

use bytes::{Bytes, BytesMut};
use common::{Plain, SOON, reliable_all};
use dunlin::cdr::{Xcdr, to_payload};
use dunlin::untyped::{TypeSupport, WriteOptions};
use dunlin::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// Round trips before counting, and in each count: so few that on a busy machine some count sees no
/// announcement.
const fn round_trips(size: usize) -> u32 {
    if size > 100_000 { 100 } else { 600 }
}

/// Two participants that throw a ball back and forth: one waits in a wait set, the other echoes in
/// its listener.
struct Game {
    writer: DataWriter<Plain>,
    back: DataReader<Plain>,
    seen: Arc<AtomicU32>,
    set: WaitSet,
    guard: GuardCondition,
    number: u32,
    _echo: DataReader<Plain>,
}

fn participant(transports: Transports) -> DomainParticipant {
    let config = ParticipantConfig {
        waiting: WaitStrategy::Spin,
        announce_period: Duration::from_secs(1000),
        transports,
        ..Default::default()
    };
    DomainParticipant::with_config(0, config).unwrap()
}

fn entities(
    p: &DomainParticipant,
    out: &str,
    back: &str,
    reliability: Reliability,
    listener: impl FnOnce(DataWriter<Plain>) -> Box<dyn Fn(&DataReader<Plain>) + Send + Sync>,
) -> (DataWriter<Plain>, DataReader<Plain>) {
    let wqos = DataWriterQos {
        reliability,
        ..Default::default()
    };
    let rqos = DataReaderQos {
        reliability,
        ..Default::default()
    };
    let writer = common::writer::<Plain>(p, out, wqos);
    let topic = p.create_topic::<Plain>(back, Default::default()).unwrap();
    let listener = listener(writer.clone());
    let reader = p
        .create_subscriber(Default::default())
        .create_datareader_with_listener(&topic, rqos, move |r: &DataReader<Plain>| listener(r))
        .unwrap();
    (writer, reader)
}

impl Game {
    fn new(reliability: Reliability, transports: Transports) -> Self {
        let (a, b) = (participant(transports), participant(transports));
        let (_, echo) = entities(&b, "Pong", "Ping", reliability, |writer| {
            Box::new(move |reader| {
                while let Some(sample) = reader.take_next_sample() {
                    if let Some(ball) = sample.data() {
                        writer.write(ball).unwrap();
                    }
                }
            })
        });
        let (seen, guard) = (Arc::new(AtomicU32::new(0)), GuardCondition::new());
        let (number, heard) = (Arc::clone(&seen), guard.clone());
        let (writer, back) = entities(&a, "Ping", "Pong", reliability, |_| {
            Box::new(move |reader| {
                while let Some(sample) = reader.take_next_sample() {
                    if let Some(ball) = sample.data() {
                        number.store(ball.number, SeqCst);
                        heard.set_trigger_value(true);
                    }
                }
            })
        });
        for matched in [
            writer.wait_for_matched(1, SOON),
            back.wait_for_matched(1, SOON),
            echo.wait_for_matched(1, SOON),
        ] {
            matched.unwrap();
        }
        let set = WaitSet::new();
        set.attach(guard.clone());
        back.status_condition()
            .set_enabled_statuses(StatusMask::NONE);
        set.attach(back.status_condition());
        Self {
            writer,
            back,
            seen,
            set,
            guard,
            number: 0,
            _echo: echo,
        }
    }

    /// Allocations and sleeps of a count.
    fn round(&mut self, data: &Bytes) -> (u64, u64) {
        let slept = sleeps();
        let blocks = dhat::HeapStats::get().total_blocks;
        self.play(round_trips(data.len()), data);
        let blocks = dhat::HeapStats::get().total_blocks - blocks;
        (blocks, sleeps() - slept)
    }

    fn play(&mut self, count: u32, data: &Bytes) {
        for _ in 0..count {
            self.number += 1;
            self.writer
                .write(&Plain {
                    number: self.number,
                    data: data.clone(),
                })
                .unwrap();
            while self.seen.load(SeqCst) != self.number {
                self.guard.set_trigger_value(false);
                if self.seen.load(SeqCst) != self.number
                    && self.set.wait(Duration::from_secs(2)).is_err()
                {
                    break;
                }
            }
        }
    }
}

/// Samples that are written while their bytes still come, and are taken before the next.
struct Parts {
    writer: UntypedWriter,
    reader: DataReader<Plain>,
    payload: Bytes,
}

impl Parts {
    fn new(size: usize) -> Self {
        let (a, b) = (participant(Transports::UDP), participant(Transports::UDP));
        let (wqos, rqos) = reliable_all();
        let ty = TypeSupport::of::<Plain>();
        let topic = a.create_untyped_topic("Parts", &ty, TopicQos::default());
        let publisher = a.create_publisher(PublisherQos::default());
        let writer = publisher.create_untyped_datawriter(&topic.unwrap(), wqos);
        let (writer, reader) = (writer.unwrap(), common::reader::<Plain>(&b, "Parts", rqos));
        writer.wait_for_matched(1, SOON).unwrap();
        reader.wait_for_matched(1, SOON).unwrap();
        let data = vec![7; size].into();
        let mut payload = BytesMut::new();
        to_payload(&Plain { number: 1, data }, Xcdr::V1, &mut payload).unwrap();
        Self {
            writer,
            reader,
            payload: payload.freeze(),
        }
    }

    /// Allocations while some pass.
    fn round(&self) -> u64 {
        let blocks = dhat::HeapStats::get().total_blocks;
        for _ in 0..20 {
            let (whole, options) = (&self.payload, WriteOptions::default());
            let open = self.writer.open(whole.len(), &options).unwrap().unwrap();
            open.extend(whole.slice(..whole.len() / 2));
            open.complete(whole.clone()).unwrap();
            let begun = std::time::Instant::now();
            while self.reader.take_next_sample().is_none() {
                assert!(begun.elapsed().as_secs() < 60, "it never comes");
                std::thread::yield_now();
            }
        }
        dhat::HeapStats::get().total_blocks - blocks
    }
}

/// Times that threads of this process went to sleep.
fn sleeps() -> u64 {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let of = |task: std::fs::DirEntry| -> Option<u64> {
        let status = std::fs::read_to_string(task.path().join("status")).ok()?;
        let line = status
            .lines()
            .find(|l| l.starts_with("voluntary_ctxt_switches"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    };
    tasks.filter_map(|task| of(task.ok()?)).sum()
}

#[test]
fn a_sample_costs_no_allocation_and_no_hand_off() {
    let name = "a_sample_costs_no_allocation_and_no_hand_off";
    namespace::in_namespace(name, namespace::LOOPBACK, || {
        let _profiler = dhat::Profiler::builder().testing().build();
        let local = Transports::default();
        for (reliability, transports) in [
            (Reliability::BEST_EFFORT, Transports::UDP),
            (Reliability::RELIABLE, Transports::UDP),
            (Reliability::BEST_EFFORT, local),
            (Reliability::RELIABLE, local),
        ] {
            let mut game = Game::new(reliability, transports);
            for size in [20, 8_000, 63_000, 1_000_000] {
                let data = Bytes::from(vec![7; size]);
                let count = round_trips(size);
                game.play(count, &data);
                // The first quick announcements of a participant are over by now or come between
                // two counts.
                let cpus = std::thread::available_parallelism().map_or(1, usize::from);
                let awake = cpus > 1 && size < 100_000;
                // Discovery speaks now and then, and a busy machine preempts: one round must be
                // clean.
                let clean = |&(blocks, slept): &(u64, u64)| {
                    blocks == 0 && (!awake || slept < u64::from(count))
                };
                assert!(
                    (0..20).any(|_| clean(&game.round(&data))),
                    "{size} B, {reliability:?}, {transports:?}: (allocations, sleeps) of {count} round trips: {:?}",
                    game.round(&data)
                );
            }
            assert_eq!(game.back.sample_lost_status().total_count, 0);
        }
        let parts = Parts::new(1_000_000);
        let clean = (0..20).any(|_| parts.round() == 0);
        assert!(clean, "allocations of 20 in parts: {}", parts.round());
    });
}
