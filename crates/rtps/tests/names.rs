//! Instances whose writers send only a hash, or another hash than ours, and the keys that readers
//! remember.
mod common;

use bytes::{Bytes, BytesMut};
use common::{Recorder, bytes_of, handle, reader_guid, reliable_reader, vendor_of};
use dunlin_qos::ResourceLimits;
use dunlin_rtps::{
    ChangeKind, InstanceHandle, InstanceState, KeyOf, PayloadAllocator, Reader, ReaderConfig,
    Sample, Select, Time, WriterProxyConfig,
};
use dunlin_wire::{
    Data, EntityId, EntityKind, Guid, GuidPrefix, Heartbeat, InlineQos, Parameters, Payload,
    SequenceNumber, VendorId,
};
use std::cell::Cell;
use std::collections::BTreeMap;

thread_local!(static CUTS: Cell<u32> = const { Cell::new(0) });

/// A sample is its key, one byte, and a number; a key is that byte.
fn key_of(payload: &Bytes) -> Bytes {
    CUTS.set(CUTS.get() + 1);
    payload.slice(..payload.len().min(1))
}

struct Typed;

impl PayloadAllocator for Typed {
    fn keep(&mut self, bytes: &[u8]) -> dunlin_rtps::Payload {
        Bytes::copy_from_slice(bytes).into()
    }

    fn assemble(&mut self, size: usize) -> BytesMut {
        BytesMut::with_capacity(size)
    }

    fn instance(&mut self, payload: Payload<'_>) -> Option<InstanceHandle> {
        match payload {
            Payload::Data(&[key, _]) | Payload::Key(&[key]) => Some(handle(key.into())),
            _ => None,
        }
    }
}

/// Writers by number: 0 is one of our own kind, the others are of two other vendors.
fn writer(n: u8) -> Guid {
    let vendor = [VendorId::DUNLIN.0, [1, 15], [1, 16]][usize::from(n)];
    let prefix = GuidPrefix([vendor[0], vendor[1], n, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    Guid::new(prefix, EntityId::user(1, EntityKind::WriterWithKey))
}

/// How the writer hashes a key.
fn hash(writer: u8, key: u8) -> [u8; 16] {
    let ours = handle(key.into()).0;
    ours.map(|byte| byte ^ writer.wrapping_mul(0x5a))
}

struct Scene {
    reader: Reader,
    sequences: BTreeMap<u8, i64>,
}

impl Scene {
    fn new(config: ReaderConfig) -> Self {
        CUTS.set(0);
        let mut scene = Self {
            reader: Reader::new(ReaderConfig {
                key_of: Some(KeyOf::new(key_of)),
                ..config
            }),
            sequences: BTreeMap::new(),
        };
        (0..3).for_each(|n| scene.join(n));
        scene
    }

    fn join(&mut self, n: u8) {
        let proxy = WriterProxyConfig {
            guid: writer(n),
            reliable: true,
            durability: dunlin_qos::Durability::Volatile,
            ownership_strength: 0,
            lifespan: dunlin_qos::Duration::INFINITE,
            vendor: vendor_of(writer(n)),
        };
        let out = &mut Recorder::default();
        self.reader.add_writer(Time(0), proxy, out);
        let begin = Heartbeat {
            reader: self.reader.guid().entity,
            writer: writer(n).entity,
            first: SequenceNumber(1),
            last: SequenceNumber(0),
            count: 1,
            is_final: true,
            liveliness: false,
            group: None,
        };
        self.reader
            .handle_heartbeat(Time(0), writer(n), &begin, out);
        self.sequences.insert(n, 0);
    }

    fn hear(&mut self, n: u8, kind: ChangeKind, key: u8, payload: Payload<'_>) {
        let sequence = self.next(n);
        self.hear_at(sequence, n, kind, hash(n, key), payload);
    }

    fn next(&mut self, n: u8) -> i64 {
        let sequence = self.sequences.entry(n).or_default();
        *sequence += 1;
        *sequence
    }

    fn hear_at(
        &mut self,
        sequence: i64,
        n: u8,
        kind: ChangeKind,
        hash: [u8; 16],
        payload: Payload<'_>,
    ) {
        let inline = InlineQos {
            key_hash: Some(hash),
            status_info: (kind != ChangeKind::Alive).then(|| kind.status()),
            ..InlineQos::default()
        };
        let data = Data {
            reader: EntityId::UNKNOWN,
            writer: writer(n).entity,
            sequence: SequenceNumber(sequence),
            inline_qos: Parameters::NONE,
            payload,
        };
        let out = &mut Recorder::default();
        self.reader
            .handle_data(Time(0), writer(n), None, &data, &inline, &mut Typed, out);
    }

    fn write(&mut self, n: u8, key: u8) {
        self.hear(n, ChangeKind::Alive, key, Payload::Data(&[key, 7]));
    }

    /// With nothing but the hash.
    fn end(&mut self, n: u8, kind: ChangeKind, key: u8) {
        self.hear(n, kind, key, Payload::None);
    }

    fn take(&mut self) -> Vec<Sample> {
        let mut all = Vec::new();
        self.reader.take(&Select::default(), |s| all.push(s));
        all
    }

    /// Instance, state and key of the notices.
    fn notices(&mut self) -> Vec<(InstanceHandle, InstanceState, Vec<u8>)> {
        let samples = self.take().into_iter().filter(|s| !s.info.valid_data);
        samples
            .map(|s| {
                (
                    s.info.instance,
                    s.info.instance_state,
                    bytes_of(&s).to_vec(),
                )
            })
            .collect()
    }
}

use InstanceState::{NotAliveDisposed, NotAliveNoWriters};

#[test]
fn a_dispose_with_nothing_but_a_hash_gives_the_key_back() {
    for n in 0..3 {
        let mut scene = Scene::new(reliable_reader());
        scene.write(n, 5);
        scene.write(n, 5);
        scene.write(n, 6);
        scene.take();
        scene.end(n, ChangeKind::Disposed, 5);
        scene.end(n, ChangeKind::Unregistered, 6);
        assert_eq!(
            scene.notices(),
            [
                (handle(5), NotAliveDisposed, vec![5]),
                (handle(6), NotAliveNoWriters, vec![6])
            ],
            "writer {n}"
        );
        assert_eq!(CUTS.get(), 2, "once for each instance");
    }
}

#[test]
fn a_writer_that_is_gone_leaves_the_keys_of_its_instances() {
    let mut scene = Scene::new(reliable_reader());
    scene.write(1, 5);
    scene.take();
    scene.reader.remove_writer(Time(0), writer(1));
    assert_eq!(scene.notices(), [(handle(5), NotAliveNoWriters, vec![5])]);
    assert_eq!(scene.reader.holdings().instances, 0);
    // A new life of the instance is learnt anew.
    scene.write(2, 5);
    assert_eq!(CUTS.get(), 2);
}

#[test]
fn writers_of_several_vendors_write_one_instance() {
    let mut scene = Scene::new(reliable_reader());
    for n in 0..3 {
        scene.write(n, 5);
    }
    let samples = scene.take();
    assert!(samples.iter().all(|s| s.info.instance == handle(5)));
    assert_eq!(scene.reader.holdings().instances, 1);
    for n in 0..2 {
        scene.end(n, ChangeKind::Unregistered, 5);
        assert_eq!(scene.notices(), [], "others still write it");
    }
    scene.end(2, ChangeKind::Unregistered, 5);
    assert_eq!(scene.notices(), [(handle(5), NotAliveNoWriters, vec![5])]);
    assert_eq!(scene.reader.holdings().instances, 0);
}

#[test]
fn a_key_in_the_payload_counts_more_than_a_foreign_hash() {
    let mut scene = Scene::new(reliable_reader());
    scene.write(0, 5);
    scene.take();
    scene.hear(1, ChangeKind::Disposed, 5, Payload::Key(&[5]));
    assert_eq!(scene.notices(), [(handle(5), NotAliveDisposed, vec![5])]);
    // Our own kind's hash is taken at its word.
    scene.hear(0, ChangeKind::Disposed, 9, Payload::None);
    assert_eq!(scene.notices(), [(handle(9), NotAliveDisposed, vec![])]);
}

#[test]
fn a_name_is_understood_when_it_comes_before_its_turn() {
    let mut scene = Scene::new(reliable_reader());
    scene.hear_at(2, 1, ChangeKind::Disposed, hash(1, 5), Payload::None);
    assert!(scene.take().is_empty());
    scene.hear_at(1, 1, ChangeKind::Alive, hash(1, 5), Payload::Data(&[5, 7]));
    assert_eq!(scene.notices(), [(handle(5), NotAliveDisposed, vec![5])]);
}

#[test]
fn a_name_belongs_to_its_writer() {
    let mut scene = Scene::new(reliable_reader());
    // The hash that the first vendor has for 5 is the one that the second has for 6.
    let same = [9; 16];
    scene.hear_at(1, 1, ChangeKind::Alive, same, Payload::Data(&[5, 0]));
    scene.hear_at(1, 2, ChangeKind::Alive, same, Payload::Data(&[6, 0]));
    scene.take();
    scene.hear_at(2, 2, ChangeKind::Disposed, same, Payload::None);
    assert_eq!(scene.notices(), [(handle(6), NotAliveDisposed, vec![6])]);
    scene.hear_at(2, 1, ChangeKind::Disposed, same, Payload::None);
    assert_eq!(scene.notices(), [(handle(5), NotAliveDisposed, vec![5])]);
}

#[test]
fn a_writer_that_hashes_too_little_or_too_much_means_the_latest() {
    let mut scene = Scene::new(reliable_reader());
    // One hash for two instances: each keeps its own samples.
    let same = [9; 16];
    for (sequence, key) in [(1, 5), (2, 6), (3, 5)] {
        scene.hear_at(
            sequence,
            1,
            ChangeKind::Alive,
            same,
            Payload::Data(&[key, 0]),
        );
    }
    let instances: Vec<_> = scene.take().iter().map(|s| s.info.instance).collect();
    assert_eq!(instances, [handle(5), handle(6), handle(5)]);
    scene.hear_at(4, 1, ChangeKind::Disposed, same, Payload::None);
    assert_eq!(scene.notices(), [(handle(5), NotAliveDisposed, vec![5])]);
    // Ever new hashes for one instance: only the last one is remembered.
    for n in 5..10_000_i64 {
        let mut other = [3; 16];
        other[..8].copy_from_slice(&n.to_be_bytes());
        scene.hear_at(n, 1, ChangeKind::Alive, other, Payload::Data(&[6, 0]));
        scene.take();
    }
    assert_eq!(scene.reader.holdings().names, 2);
    scene.hear_at(10_000, 1, ChangeKind::Unregistered, same, Payload::None);
    assert_eq!(scene.notices(), []);
    assert_eq!(scene.reader.holdings().names, 1);
    assert_eq!(scene.reader.holdings().instances, 1);
}

#[test]
fn what_is_remembered_is_bounded_by_the_instances_and_goes_with_them() {
    let limits = ResourceLimits {
        max_instances: Some(10),
        ..ResourceLimits::default()
    };
    let config = ReaderConfig {
        resource_limits: limits,
        reliability: dunlin_qos::ReliabilityKind::BestEffort,
        ..ReaderConfig::new(reader_guid(1))
    };
    let keyed = ReaderConfig {
        keyed: true,
        ..config
    };
    let mut scene = Scene::new(keyed);
    for round in 0..50 {
        for key in 0..100 {
            scene.write(1, key);
            scene.write(2, key);
        }
        let holdings = scene.reader.holdings();
        assert_eq!((holdings.instances, holdings.names), (10, 20), "{round}");
        if round % 2 == 0 {
            for key in 0..100 {
                scene.end(1, ChangeKind::DisposedUnregistered, key);
                scene.end(2, ChangeKind::Unregistered, key);
            }
        } else {
            for n in 1..3 {
                scene.reader.remove_writer(Time(0), writer(n));
            }
            (1..3).for_each(|n| scene.join(n));
        }
        scene.take();
        let holdings = scene.reader.holdings();
        assert_eq!((holdings.instances, holdings.names), (0, 0), "{round}");
    }
}
