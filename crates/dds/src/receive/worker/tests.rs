//! The way of a stream's samples and that of everything else lead to the same.
use super::*;
use crate::entity::shared::Shared;
use crate::runtime::clock::Clock;
use crate::{DataReader, DataReaderQos, DataWriter, History, ParticipantConfig, Topic};
use crate::{DomainParticipant, Transports};
use dunlin_rtps::Select;
use dunlin_transport::{Faults, MemoryNetwork, ReceiveStatistics, Received, Reception};
use dunlin_wire::{InlineQos, Parameters, Payload, SequenceNumber};
use std::io;
use std::path::Path;

#[derive(Topic)]
#[topic(crate = "dunlin_cdr")]
struct Number {
    #[key]
    _number: u32,
}

/// Nothing ever comes: what is to come is given to the worker.
struct Silence;

impl Receiver for Silence {
    fn receive(&mut self, _: &mut bytes::BytesMut, _: Wait) -> io::Result<Option<Received>> {
        Ok(None)
    }
    fn waker(&self) -> Arc<dyn Waker> {
        Arc::new(Silence)
    }
    fn locators(&self) -> Vec<Locator> {
        Vec::new()
    }
    fn statistics(&self) -> Arc<dyn ReceiveStatistics> {
        Arc::new(Silence)
    }
}

impl ReceiveStatistics for Silence {
    fn read(&self) -> Reception {
        Reception::default()
    }
}

impl Waker for Silence {
    fn wake(&self) {}
}

/// A participant with a reader, and what works for it.
struct Side {
    participant: DomainParticipant,
    reader: DataReader<Number>,
    worker: Worker<Shared>,
}

impl Side {
    fn new(network: &MemoryNetwork) -> Self {
        let participant = participant(network);
        let qos = DataReaderQos {
            history: History::KeepAll,
            ..DataReaderQos::default()
        };
        Self {
            reader: participant.reader_with("T", qos).unwrap(),
            participant,
            // What comes is not sealed, as if from this host.
            worker: Worker::new(
                Box::new(Silence),
                Clock::default(),
                WaitStrategy::Block,
                false,
            ),
        }
    }

    /// Takes in a datagram; says what there is to take then, and what was counted.
    fn hear(&mut self, datagram: &[u8], from: Locator) -> (Vec<String>, [u64; 2]) {
        let shared = &self.participant.guard.shared;
        self.worker.work(shared, Time(1), datagram, None, from);
        let mut heard = Vec::new();
        self.reader.core().take(&Select::default(), |sample| {
            heard.push(format!("{:?} {:?}", sample.info, sample.payload));
        });
        let counters = self.participant.counters();
        (heard, [counters.malformed, counters.damaged])
    }
}

fn participant(network: &MemoryNetwork) -> DomainParticipant {
    let config = ParticipantConfig {
        transport: Some(Arc::new(network.host())),
        transports: Transports::UDP,
        ..ParticipantConfig::default()
    };
    DomainParticipant::with_config(0, config).unwrap()
}

/// A sample of a writer, alone in its datagram.
fn datagram(writer: Guid, number: i64, with_hash: bool) -> Vec<u8> {
    let (mut out, mut inline) = (Vec::new(), Vec::new());
    let mut hash = [0; 16];
    hash[..4].copy_from_slice(&7u32.to_be_bytes());
    let qos = InlineQos {
        key_hash: with_hash.then_some(hash),
        ..InlineQos::NONE
    };
    qos.encode(&mut inline);
    let data = Data {
        reader: EntityId::UNKNOWN,
        writer: writer.entity,
        sequence: SequenceNumber(number),
        inline_qos: match with_hash {
            true => Parameters::little_endian(&inline),
            false => Parameters::NONE,
        },
        payload: Payload::Data(&[0, 1, 0, 0, 7, 0, 0, 0]),
    };
    let timestamp = Timestamp(number << 32);
    data.encode_alone(&Header::new(writer.prefix), timestamp, &mut out);
    out
}

/// What strangers send: the inputs of the fuzzed parser of datagrams.
fn corpus() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/datagram");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
        .iter()
        .map(|file| std::fs::read(file).unwrap())
        .collect()
}

#[test]
fn samples_of_a_stream_and_all_else_come_to_the_same() {
    let network = MemoryNetwork::new(1, Faults::default());
    let peer = participant(&network);
    let writer: DataWriter<Number> = peer.writer("T").unwrap();
    let mut sides = [(); 2].map(|()| Side::new(&network));
    writer
        .wait_for_matched(2, crate::Duration::INFINITE)
        .unwrap();
    for side in &sides {
        side.reader
            .wait_for_matched(1, crate::Duration::INFINITE)
            .unwrap();
    }
    let guid = writer.guid();
    let routes = sides[0].participant.guard.shared.routes();
    let from = routes.destination(&guid)[0].locator;
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random as usize
    };
    let (mut number, mut delivered, mut of_streams) = (0, 0, 0);
    let mut check = |sides: &mut [Side; 2], input: &[u8]| {
        let [quick, slow] = sides;
        // One of them never has a stream.
        (slow.worker.stream, slow.worker.recent) = (None, None);
        let stream = quick.worker.stream.as_ref();
        of_streams += usize::from(stream.is_some_and(|stream| stream.reads(input, from)));
        let heard = quick.hear(input, from);
        assert_eq!(heard, slow.hear(input, from), "{input:x?}");
        delivered += heard.0.len();
    };
    let corpus = corpus();
    for round in 0..400 {
        let with_hash = round % 2 == 0;
        for _ in 0..2 {
            number += 1;
            check(&mut sides, &datagram(guid, number, with_hash));
        }
        number += 1;
        let mut damaged = datagram(guid, number, with_hash);
        for _ in 0..next() % 3 {
            let at = next() % damaged.len();
            match next() % 8 {
                0 => damaged.truncate(at.max(1)),
                // The number stays near, or all that follows would be old.
                _ if !(48..56).contains(&at) => damaged[at] = next() as u8,
                _ => {}
            }
        }
        check(&mut sides, &damaged);
        // Anybody's messages, as the writer's.
        let mut input = corpus[next() % corpus.len()].clone();
        check(&mut sides, &input);
        if let Some(header) = input.get_mut(..Header::SIZE) {
            header.copy_from_slice(&datagram(guid, number, false)[..Header::SIZE]);
        }
        check(&mut sides, &input);
    }
    assert!(delivered > 900, "{delivered} samples");
    assert!(of_streams > 400, "{of_streams} samples of streams");
}
