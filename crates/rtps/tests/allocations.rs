//! In the steady state neither side allocates: counted by the allocator itself.
mod common;

use bytes::{Bytes, BytesMut};
use common::{
    Rng, end, handle, proxy_of_reader, proxy_of_writer, reliable_reader, reliable_writer,
};
use dunlin_qos::{Durability, History, ReliabilityKind, ResourceLimits};
use dunlin_rtps::{
    Change, ChangeKind, InstanceHandle, Outbox, PayloadAllocator, Reader, ReaderConfig, Select,
    Time, To, Writer, WriterConfig,
};
use dunlin_wire::{
    AckNack, Hops, InlineQos, Payload, SampleIdentity, SampleOrigin, SequenceNumber, Submessage,
    Timestamp,
};

/// Keeps what was received as a slice of the sender's own bytes: this test is about the protocol's
/// allocations.
struct Slices<'a>(&'a Bytes);

impl PayloadAllocator for Slices<'_> {
    fn keep(&mut self, bytes: &[u8]) -> dunlin_rtps::Payload {
        self.0.slice_ref(bytes).into()
    }

    fn assemble(&mut self, size: usize) -> BytesMut {
        BytesMut::with_capacity(size)
    }

    fn instance(&mut self, _: Payload<'_>) -> Option<InstanceHandle> {
        None
    }
}

/// Hands each message to the reader as it is said, and remembers the answer.
struct Wire<'a> {
    now: Time,
    writer: dunlin_wire::Guid,
    timestamp: Option<Timestamp>,
    reader: &'a mut Reader,
    answer: DiagnosticReply,
}

#[derive(Default)]
struct DiagnosticReply(Option<AckNack>);

impl Outbox for DiagnosticReply {
    fn push(&mut self, _: To, message: Submessage<'_>, _: &Bytes) {
        if let Submessage::AckNack(ack_nack) = message {
            self.0 = Some(ack_nack);
        }
    }
}

impl Outbox for Wire<'_> {
    fn push(&mut self, _: To, message: Submessage<'_>, payload: &Bytes) {
        match message {
            Submessage::InfoTimestamp(timestamp) => self.timestamp = timestamp,
            Submessage::Data(data) => {
                let inline = InlineQos::parse(data.inline_qos).unwrap();
                self.reader.handle_data(
                    self.now,
                    self.writer,
                    self.timestamp,
                    &data,
                    &inline,
                    &mut Slices(payload),
                    &mut self.answer,
                );
            }
            Submessage::Heartbeat(heartbeat) => {
                let out = &mut self.answer;
                self.reader
                    .handle_heartbeat(self.now, self.writer, &heartbeat, out);
            }
            other => panic!("{other:?}"),
        }
    }
}

struct Case {
    writer: WriterConfig,
    reader: ReaderConfig,
    instances: u32,
    /// What each change says of its origin.
    origin: Option<SampleOrigin>,
}

/// Writes, delivers and takes so many samples; returns how many were taken.
fn run(
    writer: &mut Writer,
    reader: &mut Reader,
    changes: &[Change],
    origin: Option<&SampleOrigin>,
    now: &mut Time,
    rng: &mut Rng,
) -> usize {
    let mut taken = 0;
    for nth in 0..20_000_usize {
        *now = Time(now.0 + 10_000);
        let index = match rng.percent(50) {
            true => nth % changes.len(),
            false => rng.below(changes.len() as u64) as usize,
        };
        let mut wire = Wire {
            now: *now,
            writer: writer.guid(),
            timestamp: None,
            reader,
            answer: DiagnosticReply::default(),
        };
        let mut change = changes[index].clone();
        writer
            .write_in_group(*now, &mut change, origin, || None, &mut wire)
            .unwrap();
        let answer = wire.answer.0.take();
        if let Some(ack_nack) = answer {
            let mut out = DiagnosticReply::default();
            writer.handle_ack_nack(*now, reader.guid(), &ack_nack, &mut out);
        }
        taken += reader.take(&Select::default(), |sample| {
            assert_eq!(sample.info.origin.as_ref(), origin);
        });
    }
    taken
}

fn assert_steady(name: &str, case: Case) {
    let mut writer = Writer::new(case.writer.clone());
    let mut reader = Reader::new(case.reader.clone());
    let changes: Vec<_> = (0..case.instances.max(1))
        .map(|n| Change {
            kind: ChangeKind::Alive,
            instance: if case.instances == 0 {
                InstanceHandle::NIL
            } else {
                handle(n)
            },
            timestamp: Timestamp(i64::from(n)),
            // Owned bytes, so that a clone is a count and not a copy.
            payload: Bytes::from(vec![1; 256]).into(),
        })
        .collect();
    for change in &changes {
        drop(change.payload.clone()); // the first clone makes the counter
    }
    let mut out = DiagnosticReply::default();
    reader.add_writer(Time(0), proxy_of_writer(&case.writer), &mut out);
    writer.add_reader(
        Time(0),
        proxy_of_reader(&case.reader),
        &mut DiagnosticReply::default(),
    );
    let (mut now, mut rng) = (Time(0), Rng(42));
    let origin = case.origin.as_ref();
    for _ in 0..4 {
        let taken = run(
            &mut writer,
            &mut reader,
            &changes,
            origin,
            &mut now,
            &mut rng,
        );
        assert_eq!(taken, 20_000, "{name}");
    }
    let mut taken = 0;
    let asked = allocation_counter::measure(|| {
        taken = run(
            &mut writer,
            &mut reader,
            &changes,
            origin,
            &mut now,
            &mut rng,
        );
    });
    assert_eq!(asked.count_total, 0, "{name}");
    assert_eq!(taken, 20_000, "{name}");
}

fn best_effort(instances: u32) -> Case {
    Case {
        writer: WriterConfig {
            reliability: ReliabilityKind::BestEffort,
            ..reliable_writer()
        },
        reader: ReaderConfig {
            reliability: ReliabilityKind::BestEffort,
            keyed: instances > 0,
            ..reliable_reader()
        },
        instances,
        origin: None,
    }
}

fn reliable(instances: u32, history: History, durability: Durability) -> Case {
    Case {
        writer: WriterConfig {
            history,
            durability,
            resource_limits: ResourceLimits {
                max_samples: (history == History::KeepAll).then_some(1_000),
                ..ResourceLimits::default()
            },
            ..reliable_writer()
        },
        reader: ReaderConfig {
            keyed: instances > 0,
            durability,
            ..reliable_reader()
        },
        instances,
        origin: None,
    }
}

#[test]
fn best_effort_allocates_nothing() {
    assert_steady("without keys", best_effort(0));
    assert_steady("1000 instances", best_effort(1_000));
}

#[test]
fn reliable_allocates_nothing() {
    let volatile = Durability::Volatile;
    for instances in [0, 1_000] {
        assert_steady("keep all", reliable(instances, History::KeepAll, volatile));
        assert_steady(
            "keep last 1",
            reliable(instances, History::KeepLast(1), volatile),
        );
        assert_steady(
            "keep last 8",
            reliable(instances, History::KeepLast(8), volatile),
        );
    }
}

#[test]
fn transient_local_allocates_nothing() {
    let kept = Durability::TransientLocal;
    for instances in [0, 1_000] {
        assert_steady(
            "keep last 1",
            reliable(instances, History::KeepLast(1), kept),
        );
        assert_steady(
            "keep last 4",
            reliable(instances, History::KeepLast(4), kept),
        );
    }
}

#[test]
fn origins_allocate_nothing() {
    let mut hops = Hops::default();
    assert!(hops.push(7));
    let identity = SampleIdentity {
        writer: common::writer_guid(9),
        sequence: SequenceNumber(40),
    };
    let origin = Some(SampleOrigin {
        original_writer: Some(identity),
        related: Some(identity),
        foreign_key_hash: false,
        hops,
    });
    let kept = Durability::TransientLocal;
    for instances in [0, 1_000] {
        for case in [
            best_effort(instances),
            reliable(instances, History::KeepAll, Durability::Volatile),
            reliable(instances, History::KeepLast(8), kept),
        ] {
            assert_steady("with origins", Case { origin, ..case });
        }
    }
}

#[test]
fn a_best_effort_writer_keeps_nothing() {
    let mut writer = Writer::new(best_effort(0).writer);
    let out = &mut DiagnosticReply::default();
    for n in 0..100 {
        writer
            .write(Time(n), &end(ChangeKind::Disposed, 1), out)
            .unwrap();
    }
    assert_eq!(writer.kept(), 0);
}
