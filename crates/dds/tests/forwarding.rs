//! What a forwarded sample costs in the steady state, counted: no allocation in the publisher, the
//! forwarder and the subscriber, though each sample says where it comes from.
mod common;
#[path = "../../transport/tests/conformance/namespace.rs"]
#[allow(dead_code, reason = "other tests use the other networks")]
mod namespace;

use common::{Plain, SOON, reliable_all};
use dunlin::untyped::{
    Piece, TypeSupport, UntypedReaderOptions, UntypedSample, UntypedWriter, WriteOptions,
};
use dunlin::*;
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// Samples that are on their way at once: more than any fixed store of spare memory has.
const BURST: u32 = 3_000;

fn participant(transports: Transports) -> DomainParticipant {
    let config = ParticipantConfig {
        announce_period: Duration::from_secs(1000),
        transports,
        ..Default::default()
    };
    DomainParticipant::with_config(0, config).unwrap()
}

/// A publisher that says which samples its own answer, a forwarder that repeats them without
/// knowing their type, and a subscriber.
struct Chain {
    publisher: DataWriter<Plain>,
    incoming: UntypedReader,
    outgoing: UntypedWriter,
    subscriber: DataReader<Plain>,
    taken: Vec<UntypedSample>,
    number: u32,
}

impl Chain {
    fn new(transports: Transports) -> Self {
        let (a, b, c) = (
            participant(transports),
            participant(transports),
            participant(transports),
        );
        let (wqos, rqos) = reliable_all();
        let wqos = DataWriterQos {
            batching: Batching { max_bytes: 8192 },
            ..wqos
        };
        let publisher = common::writer::<Plain>(&a, "From", wqos.clone());
        let ty = TypeSupport::discovered(<Plain as TopicData>::TYPE_NAME, false);
        let topic = |name| {
            b.create_untyped_topic(name, &ty, Default::default())
                .unwrap()
        };
        let options = UntypedReaderOptions {
            stream: true,
            ..Default::default()
        };
        let incoming = b
            .create_subscriber(Default::default())
            .create_untyped_datareader_with_options(
                &topic("From"),
                rqos.clone(),
                options,
                None::<()>,
            )
            .unwrap();
        let outgoing = b
            .create_publisher(Default::default())
            .create_untyped_datawriter(&topic("To"), wqos)
            .unwrap();
        let subscriber = common::reader::<Plain>(&c, "To", rqos);
        for matched in [
            publisher.wait_for_matched(1, SOON),
            incoming.wait_for_matched(1, SOON),
            outgoing.wait_for_matched(1, SOON),
            subscriber.wait_for_matched(1, SOON),
        ] {
            matched.unwrap();
        }
        Self {
            publisher,
            incoming,
            outgoing,
            subscriber,
            taken: Vec::new(),
            number: 0,
        }
    }

    /// Allocations while a burst passes.
    fn round(&mut self) -> u64 {
        let blocks = dhat::HeapStats::get().total_blocks;
        self.burst();
        dhat::HeapStats::get().total_blocks - blocks
    }

    fn burst(&mut self) {
        for _ in 0..BURST {
            self.number += 1;
            self.publish();
        }
        self.forward();
        self.receive();
    }

    fn publish(&self) {
        // In XCDR1, little endian: the header, `number`, the length of `data`, `data`.
        let mut payload = [7; 32];
        payload[..4].copy_from_slice(&[0, 1, 0, 0]);
        payload[4..8].copy_from_slice(&self.number.to_le_bytes());
        payload[8..12].copy_from_slice(&20_u32.to_le_bytes());
        let options = WriteOptions {
            origin: Some(SampleOrigin {
                related: Some(self.answered()),
                ..SampleOrigin::default()
            }),
            ..WriteOptions::default()
        };
        let untyped: &UntypedWriter = &self.publisher;
        untyped
            .write(ChangeKind::Alive, &payload, &options)
            .unwrap();
    }

    /// What the newest sample answers.
    fn answered(&self) -> SampleIdentity {
        SampleIdentity {
            writer: self.publisher.guid(),
            sequence: SequenceNumber(i64::from(self.number) + 7),
        }
    }

    fn forward(&mut self) {
        let (begun, mut count) = (Instant::now(), 0);
        while count < BURST {
            assert!(begun.elapsed().as_secs() < 30, "{count} of {BURST} came");
            self.incoming.take(&Select::default(), &mut self.taken);
            for sample in self.taken.drain(..) {
                count += 1;
                let mut hops = Hops::default();
                assert!(hops.push(5));
                let options = WriteOptions {
                    timestamp: sample.info.source_timestamp,
                    instance: None,
                    origin: Some(SampleOrigin {
                        original_writer: Some(sample.info.identity()),
                        related: sample.info.related_sample_identity(),
                        foreign_key_hash: false,
                        hops,
                    }),
                };
                let payload = [Piece::Shared(sample.payload().unwrap())];
                self.outgoing
                    .write_pieces(sample.info.change_kind, &payload, &options)
                    .unwrap();
            }
            std::thread::yield_now();
        }
    }

    fn receive(&self) {
        let (begun, mut count) = (Instant::now(), 0);
        while count < BURST {
            assert!(begun.elapsed().as_secs() < 30, "{count} of {BURST} came");
            while let Some(sample) = self.subscriber.take_next_sample() {
                count += 1;
                let number = sample.data().unwrap().number;
                let original = sample.info.original_writer().unwrap();
                assert_eq!(original.writer, self.publisher.guid());
                assert_eq!(original.sequence.0, i64::from(number));
                let related = sample.info.related_sample_identity().unwrap();
                assert_eq!(related.sequence.0, i64::from(number) + 7);
            }
            std::thread::yield_now();
        }
    }
}

#[test]
fn a_forwarded_sample_costs_no_allocation() {
    let name = "a_forwarded_sample_costs_no_allocation";
    namespace::in_namespace(name, namespace::LOOPBACK, || {
        let _profiler = dhat::Profiler::builder().testing().build();
        for transports in [Transports::UDP, Transports::default()] {
            let mut chain = Chain::new(transports);
            for _ in 0..5 {
                chain.burst();
            }
            // Discovery speaks now and then: one round must be clean.
            assert!(
                (0..20).any(|_| chain.round() == 0),
                "{transports:?}: allocations of {BURST} samples: {}",
                chain.round()
            );
        }
    });
}
