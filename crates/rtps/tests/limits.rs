//! Limits of length and of memory: fragments with holes, many writers that complete nothing, and
//! samples that a reader does not take.
mod common;

use bytes::{Bytes, BytesMut};
use common::*;
use dunlin_qos::{Duration, History, ReliabilityKind};
use dunlin_rtps::{
    Budgets, Delivery, InstanceHandle, PayloadAllocator, PeerBudget, Reader, ReaderConfig,
    ReassemblyBudget, Select, Time, WriteError, WriterConfig, WriterProxyConfig,
};
use dunlin_wire::{
    Data, DataFrag, EntityId, FragmentNumber, Guid, GuidPrefix, InlineQos, Parameters, Payload,
    SequenceNumber,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

const KIB: usize = 1024;
/// The size of the fragments.
const SIZE: usize = 4 * KIB;

/// One budget for all readers, as a participant has it.
fn budgets(limit: usize) -> (Arc<ReassemblyBudget>, Budgets) {
    let budget = ReassemblyBudget::new(limit);
    let peers = Mutex::new(HashMap::<GuidPrefix, Arc<PeerBudget>>::new());
    let shared = Arc::clone(&budget);
    let of = move |prefix| {
        let mut peers = peers.lock().unwrap();
        Arc::clone(
            peers
                .entry(prefix)
                .or_insert_with(|| PeerBudget::new(&shared)),
        )
    };
    (budget, Budgets::new(of))
}

/// Counts the memory that it lends for samples.
#[derive(Default)]
struct Lender {
    lent: usize,
}

impl PayloadAllocator for Lender {
    fn keep(&mut self, bytes: &[u8]) -> dunlin_rtps::Payload {
        Bytes::copy_from_slice(bytes).into()
    }

    fn assemble(&mut self, size: usize) -> BytesMut {
        self.lent += size;
        BytesMut::with_capacity(size)
    }

    fn instance(&mut self, _: Payload<'_>) -> Option<InstanceHandle> {
        None
    }
}

/// A reader, the writers that speak to it, and the time.
struct Hearing {
    reader: Reader,
    now: Time,
    lender: Lender,
}

impl Hearing {
    fn new(config: ReaderConfig, writers: &[Guid], reliability: ReliabilityKind) -> Self {
        let mut reader = Reader::new(ReaderConfig {
            keyed: false,
            reliability,
            ..config
        });
        for writer in writers {
            let writer = WriterProxyConfig {
                guid: *writer,
                ..proxy_of_writer(&WriterConfig {
                    reliability,
                    ..reliable_writer()
                })
            };
            reader.add_writer(Time(0), writer, &mut Recorder::default());
        }
        Self {
            reader,
            now: Time(0),
            lender: Lender::default(),
        }
    }

    fn frag(&mut self, writer: Guid, sequence: i64, number: usize, size: usize) -> Delivery {
        let first = u32::try_from(number).unwrap();
        let start = (number - 1) * SIZE;
        let payload: Vec<u8> = (start..(start + SIZE).min(size)).map(byte).collect();
        let frag = DataFrag {
            reader: EntityId::UNKNOWN,
            writer: writer.entity,
            sequence: SequenceNumber(sequence),
            first: FragmentNumber(first),
            count: 1,
            fragment_size: SIZE as u16,
            sample_size: size as u32,
            inline_qos: Parameters::NONE,
            key: false,
            payload: &payload,
        };
        let (inline, out) = (InlineQos::default(), &mut Recorder::default());
        let (now, lender) = (self.now, &mut self.lender);
        self.reader
            .handle_data_frag(now, writer, None, &frag, &inline, lender, out)
    }

    fn pass(&mut self, time: Duration) {
        let end = self.now.after(time);
        while let Some(next) = self.reader.next_timeout().filter(|next| *next <= end) {
            self.now = self.now.max(next);
            self.reader
                .handle_timeout(self.now, &mut Recorder::default());
        }
        self.now = end;
    }

    fn taken(&mut self) -> Vec<Bytes> {
        let mut payloads = Vec::new();
        self.reader.take(&Select::default(), |sample| {
            payloads.push(bytes_of(&sample))
        });
        payloads
    }
}

fn byte(at: usize) -> u8 {
    (at / 7) as u8
}

/// The writer of a peer.
fn writer_of(peer: u8, n: u8) -> Guid {
    let mut guid = writer_guid(n);
    guid.prefix.0[1] = peer;
    guid.prefix.0[2] = 0x99;
    guid
}

#[test]
fn fragments_beyond_a_hole_cost_what_came_and_nothing_for_the_hole() {
    let writers: Vec<Guid> = (0..20).map(|peer| writer_of(peer, 1)).collect();
    for reliability in [ReliabilityKind::Reliable, ReliabilityKind::BestEffort] {
        let (budget, budgets) = budgets(512 << 20);
        let config = ReaderConfig {
            budget: Some(budgets),
            max_reassembly_bytes: 512 << 20,
            ..reliable_reader()
        };
        let mut h = Hearing::new(config, &writers, reliability);
        let size = 8 << 20;
        for writer in &writers {
            for sequence in 1..=64 {
                h.frag(*writer, sequence, size / SIZE - 1, size);
            }
        }
        let holdings = h.reader.holdings();
        assert_eq!((holdings.incomplete, h.lender.lent), (20 * 64, 0));
        let came = 20 * 64 * SIZE;
        assert!(holdings.incomplete_bytes < came * 3 / 2, "{holdings:?}");
        assert_eq!(budget.used(), holdings.incomplete_bytes);
        // Nothing more comes: all of it is given back.
        h.pass(Duration::from_secs(11));
        assert_eq!((budget.used(), h.reader.holdings().incomplete), (0, 0));
        assert_eq!(budget.dropped(), 0);
    }
}

#[test]
fn what_a_writer_has_is_given_back_when_it_goes() {
    let (budget, budgets) = budgets(1 << 20);
    let config = ReaderConfig {
        budget: Some(budgets),
        ..reliable_reader()
    };
    let writer = writer_of(1, 1);
    let mut h = Hearing::new(config, &[writer], ReliabilityKind::Reliable);
    h.frag(writer, 1, 2, 10 * SIZE);
    h.frag(writer, 2, 1, 10 * SIZE);
    assert!(budget.used() > 2 * SIZE);
    h.reader.remove_writer(h.now, writer);
    assert_eq!(budget.used(), 0);
}

#[test]
fn holes_in_any_place_are_named_and_the_sample_is_whole_in_the_end() {
    let writer = writer_of(1, 1);
    let mut h = Hearing::new(reliable_reader(), &[writer], ReliabilityKind::BestEffort);
    let size = 300 * SIZE - 100;
    let mut numbers: Vec<usize> = (1..=300).collect();
    let mut rng = Rng(7);
    for at in (1..numbers.len()).rev() {
        numbers.swap(at, rng.below(at as u64 + 1) as usize);
    }
    for number in numbers {
        h.frag(writer, 1, number, size);
        h.frag(writer, 1, number, size);
    }
    let taken = h.taken();
    assert_eq!(taken.len(), 1);
    assert!(taken[0].iter().enumerate().all(|(at, b)| *b == byte(at)));
    assert_eq!((taken[0].len(), h.lender.lent), (size, size));
}

#[test]
fn a_sample_of_a_quarter_of_the_budget_passes_whatever_one_peer_leaves_incomplete() {
    let limit = 4 << 20;
    for reliability in [ReliabilityKind::Reliable, ReliabilityKind::BestEffort] {
        let (budget, budgets) = budgets(limit);
        let config = ReaderConfig {
            budget: Some(budgets),
            max_reassembly_bytes: limit,
            ..reliable_reader()
        };
        let honest = writer_of(99, 1);
        let mut writers: Vec<Guid> = (0..20).map(|n| writer_of(1, n)).collect();
        writers.push(honest);
        let mut h = Hearing::new(config, &writers, reliability);
        let (size, large) = (limit / 5, limit / 4 - 64 * KIB);
        let mut round = 0;
        let mut attack = |h: &mut Hearing| {
            round += 1;
            for writer in &writers[..20] {
                let number = 2 + round % (size / SIZE - 1);
                h.frag(*writer, 1 + (round / 50) as i64, number, size);
            }
        };
        for _ in 0..200 {
            attack(&mut h);
        }
        assert!(
            budget.used() > limit / 2 && budget.used() <= limit,
            "{}",
            budget.used()
        );
        if reliability == ReliabilityKind::Reliable {
            // Where it begins it hears first.
            begin(&mut h, honest);
        }
        for number in 1..=large.div_ceil(SIZE) {
            h.frag(honest, 1, number, large);
            attack(&mut h);
            h.pass(Duration::from_nanos(100_000));
            assert!(budget.used() <= limit);
        }
        let taken = h.taken();
        assert_eq!(taken.iter().map(Bytes::len).collect::<Vec<_>>(), [large]);
        assert!(budget.dropped() > 0);
    }
}

fn begin(h: &mut Hearing, writer: Guid) {
    let heartbeat = dunlin_wire::Heartbeat {
        reader: reader_guid(1).entity,
        writer: writer.entity,
        first: SequenceNumber(1),
        last: SequenceNumber(0),
        count: 1,
        is_final: true,
        liveliness: false,
        group: None,
    };
    h.reader
        .handle_heartbeat(h.now, writer, &heartbeat, &mut Recorder::default());
}

#[test]
fn idle_samples_of_the_greediest_yield_and_others_stay() {
    let limit = 1 << 20;
    let (budget, budgets) = budgets(limit);
    let config = ReaderConfig {
        budget: Some(budgets),
        max_reassembly_bytes: limit,
        ..reliable_reader()
    };
    let (greedy, modest, third) = (writer_of(1, 1), writer_of(2, 1), writer_of(3, 1));
    let writers = [greedy, modest, third];
    let mut h = Hearing::new(config, &writers, ReliabilityKind::BestEffort);
    for sequence in 1..=2 {
        for number in 2..=80 {
            h.frag(greedy, sequence, number, 100 * SIZE);
        }
    }
    h.frag(modest, 1, 2, 100 * SIZE);
    assert_eq!(h.reader.holdings().incomplete, 3);
    h.pass(Duration::from_millis(150));
    // The second of the greedy one goes on.
    h.frag(greedy, 2, 81, 100 * SIZE);
    for number in 1..=99 {
        h.frag(third, 1, number, 100 * SIZE);
    }
    assert!(budget.used() <= limit && budget.dropped() > 0);
    let before = budget.used();
    h.frag(third, 1, 100, 100 * SIZE);
    assert_eq!(h.taken().len(), 1);
    // Its oldest went; its other one and that of the modest one are here.
    assert_eq!(h.reader.holdings().incomplete, 2);
    assert!(budget.used() < before);
    h.frag(modest, 1, 1, 100 * SIZE);
    h.frag(greedy, 2, 1, 100 * SIZE);
    assert_eq!(h.reader.holdings().incomplete, 2);
}

#[test]
fn another_reader_gives_back_what_is_idle_while_memory_is_short() {
    let limit = 1 << 20;
    let (budget, budgets) = budgets(limit);
    let config = |n| ReaderConfig {
        budget: Some(budgets.clone()),
        max_reassembly_bytes: limit,
        ..ReaderConfig {
            guid: reader_guid(n),
            ..reliable_reader()
        }
    };
    let (greedy, honest) = (writer_of(1, 1), writer_of(2, 1));
    let mut one = Hearing::new(config(1), &[greedy], ReliabilityKind::Reliable);
    let mut other = Hearing::new(config(2), &[honest], ReliabilityKind::BestEffort);
    for number in 2..=250 {
        one.frag(greedy, 1, number, 256 * SIZE - 1);
    }
    let size = 100 * SIZE;
    for number in 1..=100 {
        other.frag(honest, 1, number, size);
    }
    assert!(other.taken().is_empty() && budget.dropped() > 0);
    one.pass(Duration::from_millis(300));
    other.pass(Duration::from_millis(300));
    assert_eq!(one.reader.holdings().incomplete, 0);
    for number in 1..=100 {
        other.frag(honest, 1, number, size);
    }
    assert_eq!(other.taken().len(), 1);
    assert_eq!(budget.used(), 0);
}

#[test]
fn samples_before_their_turn_take_half_of_the_budget_at_most() {
    let limit = 1 << 20;
    let (budget, budgets) = budgets(limit);
    let config = ReaderConfig {
        budget: Some(budgets),
        max_reassembly_bytes: limit,
        ..reliable_reader()
    };
    let writers: Vec<Guid> = (0..4).map(|peer| writer_of(peer, 1)).collect();
    let mut h = Hearing::new(config, &writers, ReliabilityKind::Reliable);
    let payload = vec![0; 8 * KIB];
    for writer in &writers {
        begin(&mut h, *writer);
        for sequence in 2..100 {
            let data = Data {
                reader: EntityId::UNKNOWN,
                writer: writer.entity,
                sequence: SequenceNumber(sequence),
                inline_qos: Parameters::NONE,
                payload: Payload::Data(&payload),
            };
            let (inline, out) = (InlineQos::default(), &mut Recorder::default());
            h.reader
                .handle_data(h.now, *writer, None, &data, &inline, &mut h.lender, out);
        }
    }
    let held = h.reader.holdings().early_bytes;
    assert!(held > limit / 3 && budget.used() <= limit / 2, "{held}");
    for writer in &writers {
        h.reader.remove_writer(h.now, *writer);
    }
    assert_eq!(budget.used(), 0);
}

/// Writers that fragment, and one that does not, as by shared memory.
fn voices() -> [WriterConfig; 2] {
    [Some(1000), None].map(|fragment_size| WriterConfig {
        fragment_size,
        history: History::KeepAll,
        ..reliable_writer()
    })
}

#[test]
fn what_no_reader_takes_is_not_written_and_the_error_names_the_one_that_takes_most() {
    for writer in voices() {
        let reader = |n, max_sample_size| ReaderConfig {
            guid: reader_guid(n),
            max_sample_size,
            ..reliable_reader()
        };
        let readers = [reader(1, 5000), reader(2, 7000)];
        let mut world = World::new(1, Link::default());
        world.add_writer(&writer);
        for reader in &readers {
            world.add_reader(reader);
            world.connect(&writer, reader);
            let w = world.writers.get_mut(&writer.guid).unwrap();
            w.set_reader_limit(reader.guid, Some(reader.max_sample_size));
        }
        let refused = world.write(writer.guid, &sample(1, 1, 7001));
        let (reader, limit) = (reader_guid(2), 7000);
        assert_eq!(refused, Err(WriteError::TooLarge { reader, limit }));
        let written = world.write(writer.guid, &sample(1, 2, 7000));
        assert_eq!(written, Ok(SequenceNumber(1)));
        // One that says nothing may take anything.
        let w = world.writers.get_mut(&writer.guid).unwrap();
        w.set_reader_limit(reader_guid(1), None);
        let written = world.write(writer.guid, &sample(1, 3, 100_000));
        assert_eq!(written, Ok(SequenceNumber(2)));
    }
}

#[test]
fn who_takes_a_long_sample_gets_it_and_who_does_not_loses_exactly_it() {
    for (loss, writer) in [(0, 0), (0, 1), (30, 0), (30, 1)] {
        for seed in 0..20 {
            let writer = voices()[writer].clone();
            let small = ReaderConfig {
                max_sample_size: 5000,
                ..reliable_reader()
            };
            let large = ReaderConfig {
                guid: reader_guid(2),
                ..reliable_reader()
            };
            let link = Link {
                loss,
                delay: MS,
                ..Link::default()
            };
            let mut world = World::new(seed, link);
            world.add_writer(&writer);
            for reader in [&small, &large] {
                world.add_reader(reader);
                world.connect(&writer, reader);
                let w = world.writers.get_mut(&writer.guid).unwrap();
                w.set_reader_limit(reader.guid, Some(reader.max_sample_size));
            }
            world.run_for(1_000 * MS);
            for (n, size) in [(1, 3000), (2, 20_000), (3, 4000), (4, 5001), (5, 5000)] {
                world.write_blocking(writer.guid, &sample(1, n, size));
            }
            world.run_for(30_000 * MS);
            let numbers = |world: &World, reader: &ReaderConfig| {
                let taken = world.taken[&reader.guid].iter();
                taken.map(number_of).collect::<Vec<_>>()
            };
            assert_eq!(numbers(&world, &large), [1, 2, 3, 4, 5], "seed {seed}");
            assert_eq!(numbers(&world, &small), [1, 3, 5], "seed {seed}");
            assert_eq!(world.lost, 2, "seed {seed}");
            let w = &world.writers[&writer.guid];
            assert!(w.is_acknowledged(SequenceNumber(5)));
            assert_eq!(w.reader_refusing(20_000), Some((small.guid, 5000)));
            assert_eq!(w.reader_refusing(5000), None);
        }
    }
}

#[test]
fn a_best_effort_reader_counts_what_it_does_not_take_once() {
    let writer = writer_of(1, 1);
    let config = ReaderConfig {
        max_sample_size: 3 * SIZE as u32,
        ..reliable_reader()
    };
    let mut h = Hearing::new(config, &[writer], ReliabilityKind::BestEffort);
    let first = h.frag(writer, 1, 1, 3 * SIZE);
    assert_eq!((first.lost, first.too_large), (0, None));
    let refused = h.frag(writer, 2, 1, 3 * SIZE + 1);
    assert_eq!(
        (refused.lost, refused.too_large),
        (1, Some(3 * SIZE as u32 + 1))
    );
    for number in 2..=4 {
        assert_eq!(h.frag(writer, 2, number, 3 * SIZE + 1), Delivery::default());
    }
    for number in 1..=3 {
        assert_eq!(h.frag(writer, 3, number, 3 * SIZE).lost, 0);
    }
    assert_eq!(h.taken().len(), 1);
}
