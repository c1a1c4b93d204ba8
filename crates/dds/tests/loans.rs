//! Samples built in loaned memory.
mod common;
use bytes::Bytes;
use common::*;
use dunlin::transport::{
    Listen, MemoryNetwork, Outgoing, Reach, Receiver, SendPath, Sent, Transport,
    TransportProperties,
};
use dunlin::*;
use dunlin_shm::{Chunk, Class, Pool};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// A transport with memory that peers could read, and which counts what it sends from there.
struct Lending {
    inner: Arc<dyn Transport>,
    pool: Pool,
    begin: AtomicUsize,
    sent: AtomicUsize,
}

const CAPACITY: usize = 64 * 1024;
const CHUNKS: u32 = 4;

impl Lending {
    fn new() -> Arc<Self> {
        let class = Class {
            capacity: CAPACITY,
            count: CHUNKS,
        };
        let pool = Pool::new(0, &[class]).unwrap();
        let first = pool.allocate(1).unwrap().bytes().as_ptr() as usize;
        Arc::new(Self {
            inner: Arc::new(MemoryNetwork::new(1, Default::default()).host()),
            pool,
            begin: AtomicUsize::new(first),
            sent: AtomicUsize::new(0),
        })
    }

    fn participant(self: &Arc<Self>) -> DomainParticipant {
        let config = ParticipantConfig {
            transport: Some(self.clone()),
            transports: Transports::UDP,
            ..Default::default()
        };
        DomainParticipant::with_config(0, config).unwrap()
    }
}

impl Transport for Lending {
    fn chunk(&self, length: usize) -> Option<Chunk> {
        self.pool.allocate(length).ok()
    }

    fn holds(&self, bytes: &[u8]) -> bool {
        let begin = self.begin.load(SeqCst);
        let end = begin + (CAPACITY + 64) * CHUNKS as usize;
        (begin..end).contains(&(bytes.as_ptr() as usize))
    }

    fn send(&self, datagrams: &[Outgoing<'_>]) -> Sent {
        let held = datagrams.iter().filter(|d| self.holds(d.payload));
        self.sent.fetch_add(held.count(), SeqCst);
        self.inner.send(datagrams)
    }

    fn properties(&self) -> &'static [TransportProperties] {
        self.inner.properties()
    }

    fn open(&self, listen: &[Listen]) -> io::Result<Box<dyn Receiver>> {
        self.inner.open(listen)
    }

    fn reaches(&self, to: &Locator) -> Reach {
        self.inner.reaches(to)
    }

    fn lane(&self, to: &Locator) -> Option<SendPath> {
        self.inner.lane(to)
    }

    fn max_datagram(&self) -> usize {
        self.inner.max_datagram()
    }

    fn max_whole_datagram(&self, to: &Locator) -> usize {
        self.inner.max_whole_datagram(to)
    }
}

#[derive(Topic, Clone, Copy, Debug, PartialEq)]
#[topic(plain)]
#[repr(C)]
struct Image {
    #[key]
    camera: u32,
    number: u32,
    pixels: [u8; 30_000],
}

#[derive(Topic, Clone, Copy, Debug, PartialEq)]
#[topic(plain)]
#[repr(C)]
struct Small {
    number: u32,
    list: [Pair; 2],
}

#[derive(Data, Clone, Copy, Debug, PartialEq)]
#[topic(plain)]
#[repr(C)]
struct Pair {
    left: u16,
    right: u16,
}

fn write_images(p: &DomainParticipant, qos: DataWriterQos) -> (DataWriter<Image>, Vec<Image>) {
    let (_, wants) = reliable_all();
    let reader = reader::<Image>(p, "Images", wants);
    let writer = writer::<Image>(p, "Images", qos);
    writer.wait_for_matched(1, SOON).unwrap();
    let mut expected = Vec::new();
    for number in 0..20 {
        let mut image = writer.loan().unwrap();
        assert_eq!((image.number, image.pixels), (0, [0; 30_000]));
        image.camera = number % 3;
        image.number = number;
        image.pixels.fill(number as u8 + 1);
        expected.push(*image);
        writer.write_loan(image).unwrap();
        writer.wait_for_acknowledgments(SOON).unwrap();
    }
    let samples = take(&reader, 20);
    let mut images: Vec<Image> = samples.into_iter().filter_map(Sample::into_data).collect();
    images.sort_by_key(|image| image.number);
    assert_eq!(images, expected);
    (writer, images)
}

fn keep_last() -> DataWriterQos {
    let (writes, _) = reliable_all();
    DataWriterQos {
        history: History::KeepLast(1),
        ..writes
    }
}

#[test]
fn a_loaned_sample_is_sent_from_where_it_was_built() {
    let lending = Lending::new();
    let p = lending.participant();
    let (writer, _) = write_images(&p, keep_last());
    assert!(lending.sent.load(SeqCst) >= 20);
    drop(writer);
    drop(p);
    assert_eq!(lending.pool.free(), CHUNKS as usize);
}

#[test]
fn without_such_memory_a_loan_is_ordinary_memory() {
    let p = Net::new(0.0).participant();
    let (writer, _) = write_images(&p, keep_last());
    assert!(!writer.loan().unwrap().is_shared());
    assert!(!writer.loan_bytes(5).is_shared());
    assert_eq!(writer.loan_bytes(5)[..], [0; 5]);
}

#[test]
fn when_all_chunks_are_lent_a_loan_is_ordinary_memory() {
    let lending = Lending::new();
    let p = lending.participant();
    let writer = writer::<Image>(&p, "Images", keep_last());
    let loans: Vec<_> = (0..CHUNKS + 2).map(|_| writer.loan().unwrap()).collect();
    let shared = loans.iter().filter(|loan| loan.is_shared()).count();
    assert_eq!(shared, CHUNKS as usize);
    drop(loans);
    assert_eq!(lending.pool.free(), CHUNKS as usize);
    // What was there before is what a loan without clearing has.
    let mut one = writer.loan_unset().unwrap();
    one.number = 77;
    drop(one);
    assert_eq!(writer.loan_unset().unwrap().number, 77);
}

#[test]
fn any_representation_and_batching_write_the_same_sample() {
    let lending = Lending::new();
    let p = lending.participant();
    let sample = Small {
        number: 9,
        list: [Pair { left: 1, right: 2 }, Pair { left: 3, right: 4 }],
    };
    for (topic, representation, max_bytes) in [
        ("a", DataRepresentation::Xcdr1, 0),
        ("b", DataRepresentation::Xcdr2, 0),
        ("c", DataRepresentation::Xcdr1, 1000),
    ] {
        let (_, wants) = reliable_all();
        let reader = reader::<Small>(&p, topic, wants);
        let qos = DataWriterQos {
            representation,
            batching: Batching { max_bytes },
            ..keep_last()
        };
        let writer = writer::<Small>(&p, topic, qos);
        writer.wait_for_matched(1, SOON).unwrap();
        let mut loan = writer.loan().unwrap();
        *loan = sample;
        writer.write_loan(loan).unwrap();
        writer.flush();
        assert_eq!(take(&reader, 1)[0].data(), Some(&sample));
    }
}

#[test]
fn loaned_octets_are_sent_from_where_they_were_filled() {
    let lending = Lending::new();
    let p = lending.participant();
    for (topic, durability) in [
        ("a", Durability::Volatile),
        ("b", Durability::TransientLocal),
    ] {
        let before = lending.sent.load(SeqCst);
        let (_, wants) = reliable_all();
        let reader = reader::<common::Plain>(&p, topic, wants);
        let qos = DataWriterQos {
            durability,
            ..keep_last()
        };
        let writer = writer::<common::Plain>(&p, topic, qos);
        writer.wait_for_matched(1, SOON).unwrap();
        for number in 0..10 {
            let mut octets = writer.loan_bytes(40_000);
            octets.fill(number as u8);
            octets.truncate(20_000 + number as usize);
            let data = octets.freeze();
            assert!(lending.holds(&data));
            writer.write(&common::Plain { number, data }).unwrap();
            writer.wait_for_acknowledgments(SOON).unwrap();
            // Not what was loaned, so it is serialized.
            let data = Bytes::from_static(&[1; 100]);
            writer.write(&common::Plain { number, data }).unwrap();
            writer.wait_for_acknowledgments(SOON).unwrap();
        }
        let samples = take(&reader, 20);
        assert_eq!(samples.len(), 20);
        for (at, sample) in samples.iter().enumerate() {
            let sample = sample.data().unwrap();
            let (byte, length) = match at % 2 {
                0 => (sample.number as u8, 20_000 + sample.number as usize),
                _ => (1, 100),
            };
            assert_eq!(sample.data[..], vec![byte; length]);
        }
        assert!(lending.sent.load(SeqCst) >= before + 10);
    }
}
