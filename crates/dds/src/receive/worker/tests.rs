//! The way of a stream's samples and that of everything else lead to the same.
use super::*;
use crate::entity::shared::Shared;
use crate::runtime::clock::Clock;
use crate::untyped::{Arriving, TypeSupport, UntypedReaderOptions};
use crate::{DataReader, DataReaderQos, DataWriter, History, ParticipantConfig, Topic};
use crate::{DataWriterQos, PublisherQos, SubscriberQos, TopicQos, UntypedReader};
use crate::{DomainParticipant, Transports};
use dunlin_rtps::Select;
use dunlin_transport::{Faults, MemoryNetwork, ReceiveStatistics, Received, Reception};
use dunlin_wire::{DataFrag, FragmentNumber, InlineQos, Parameters, Payload, SequenceNumber};
use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::Mutex;

#[derive(Topic)]
#[topic(crate = "dunlin_cdr")]
struct Number {
    #[key]
    _number: u32,
}

#[derive(Topic)]
#[topic(crate = "dunlin_cdr")]
struct Large {
    _data: bytes::Bytes,
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

/// A fragment of a sample, alone in its datagram.
fn fragment(writer: Guid, number: i64, (at, of): (u32, u32)) -> Vec<u8> {
    let mut out = Vec::new();
    Header::new(writer.prefix).encode(&mut out);
    let mut bytes = [0; 1000];
    if at == 1 {
        let head = [[0, 1, 0, 0], (of * 1000 - 8).to_le_bytes()];
        bytes[..8].copy_from_slice(&head.concat());
    }
    let data = DataFrag {
        reader: EntityId::UNKNOWN,
        writer: writer.entity,
        sequence: SequenceNumber(number),
        first: FragmentNumber(at),
        count: 1,
        fragment_size: 1000,
        sample_size: of * 1000,
        inline_qos: Parameters::NONE,
        key: false,
        payload: &bytes,
    };
    Submessage::DataFrag(data).encode(&mut out);
    out
}

/// Datagrams that are there already.
struct Queue(Arc<Mutex<VecDeque<Vec<u8>>>>, Locator);

impl Receiver for Queue {
    fn receive(&mut self, buffer: &mut bytes::BytesMut, _: Wait) -> io::Result<Option<Received>> {
        Ok(self.0.lock().unwrap().pop_front().map(|datagram| {
            buffer.extend_from_slice(&datagram);
            Received {
                length: datagram.len(),
                from: self.1,
                loaned: false,
            }
        }))
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

#[test]
fn parts_of_a_sample_that_are_there_together_are_told_of_together() {
    let network = MemoryNetwork::new(1, Faults::default());
    let (peer, own) = (participant(&network), participant(&network));
    let ty = TypeSupport::of::<Large>();
    let topic = |at: &DomainParticipant| {
        let topic = at.create_untyped_topic("T", &ty, TopicQos::default());
        topic.unwrap()
    };
    let publisher = peer.create_publisher(PublisherQos::default());
    let writer = publisher
        .create_untyped_datawriter(&topic(&peer), DataWriterQos::default())
        .unwrap();
    let options = UntypedReaderOptions {
        stream: true,
        arriving: Some(1),
        ..UntypedReaderOptions::default()
    };
    let subscriber = own.create_subscriber(SubscriberQos::default());
    let reader = subscriber
        .create_untyped_datareader_with_options(
            &topic(&own),
            DataReaderQos::default(),
            options,
            None::<fn(&UntypedReader)>,
        )
        .unwrap();
    let soon = crate::Duration::from_secs(60);
    writer.wait_for_matched(1, soon).unwrap();
    reader.wait_for_matched(1, soon).unwrap();
    let shared = &own.guard.shared;
    let guid = writer.guid();
    let from = shared.routes().destination(&guid)[0].locator;
    let queue = Arc::new(Mutex::new(VecDeque::new()));
    let receiver = Box::new(Queue(Arc::clone(&queue), from));
    let mut worker = Worker::new(receiver, Clock::default(), WaitStrategy::Block, false);
    let mut hear = |number: i64, parts: std::ops::Range<u32>| {
        let parts = parts.map(|at| fragment(guid, number, (at + 1, 200)));
        queue.lock().unwrap().extend(parts);
        let mut turns = Vec::new();
        while let (true, arrivals) = worker.poll(shared) {
            if arrivals.is_none() {
                continue;
            }
            let (mut news, mut taken) = (Vec::new(), Vec::new());
            reader.take(&Select::default(), &mut taken);
            reader.take_arriving(&mut news);
            let bytes = news.iter().map(|one| match one {
                Arriving::Grows { bytes, .. } => bytes.len(),
                _ => 0,
            });
            turns.push((bytes.sum::<usize>(), taken.len()));
        }
        turns
    };
    assert_eq!(hear(1, 0..50), [(50_000, 0)]);
    assert_eq!(hear(1, 50..200), [(64_000, 0), (64_000, 0), (0, 1)]);
    assert_eq!(hear(2, 0..200)[3], (0, 1));
}

#[test]
fn what_is_there_for_discovery_is_taken_in_before_it_answers() {
    let network = MemoryNetwork::new(1, Faults::default());
    let own = participant(&network);
    let shared = &own.guard.shared;
    let stranger = Guid::new(GuidPrefix([7; 12]), EntityId::SPDP_WRITER);
    let from = Locator::udp_v4([10, 0, 0, 1].into(), 7400);
    // A worker for user data makes those wait whose data are behind the answers.
    for (of_user, left) in [(false, [36, 0, 0]), (true, [99, 98, 97])] {
        let all = (1..=100).map(|number| datagram(stranger, number, false));
        let queue = Arc::new(Mutex::new(all.collect::<VecDeque<_>>()));
        let receiver = Box::new(Queue(Arc::clone(&queue), from));
        let clock = Clock::default();
        let mut worker = Worker::new(receiver, clock, WaitStrategy::Block, of_user);
        let after = [(); 3].map(|()| {
            worker.poll(shared);
            queue.lock().unwrap().len()
        });
        assert_eq!(after, left);
    }
}
