//! One writer and many readers: a sample is serialized as often as for one of them.
mod common;

use common::{Net, SOON, reader, reliable_all, take, writer};
use dunlin::cdr::{Deserialize, Layout, Reader, Serialize, Sink, Writer};
use dunlin::{ParticipantConfig, Reliability, Topic, Transports};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

const READERS: usize = 10;
const SAMPLES: u32 = 100;

static SERIALIZED: AtomicUsize = AtomicUsize::new(0);

/// Counts how often it is written.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Counted(u32);

impl Layout for Counted {
    const MIN_SIZE: usize = u32::MIN_SIZE;

    fn key_end(at: usize) -> Option<usize> {
        u32::key_end(at)
    }
}

impl Serialize for Counted {
    fn serialize<S: Sink>(&self, w: &mut Writer<S>) -> Result<(), dunlin::cdr::Error> {
        SERIALIZED.fetch_add(1, SeqCst);
        self.0.serialize(w)
    }
}

impl Deserialize for Counted {
    fn deserialize(r: &mut Reader<'_>) -> Result<Self, dunlin::cdr::Error> {
        u32::deserialize(r).map(Self)
    }

    fn default_value() -> Self {
        Self(0)
    }
}

#[derive(Topic, Clone, Debug, PartialEq)]
#[topic(extensibility = "final")]
struct Measured {
    number: Counted,
}

/// Passes over the type for each sample, with so many readers in participants of their own, all of
/// which get all samples: by the network, or within the process.
fn passes(readers: usize, reliable: bool, local: bool) -> usize {
    let net = Net::new(0.0);
    let (mut wqos, mut rqos) = reliable_all();
    if !reliable {
        wqos.reliability = Reliability::BEST_EFFORT;
        rqos.reliability = Reliability::BEST_EFFORT;
    }
    let config = ParticipantConfig {
        transports: Transports {
            local,
            ..Default::default()
        },
        ..Default::default()
    };
    let writing = net.within(config.clone());
    let participants: Vec<_> = (0..readers).map(|_| net.within(config.clone())).collect();
    let readers: Vec<_> = participants
        .iter()
        .map(|p| reader::<Measured>(p, "T", rqos.clone()))
        .collect();
    let writer = writer::<Measured>(&writing, "T", wqos);
    writer.wait_for_matched(readers.len(), SOON).unwrap();
    for reader in &readers {
        reader.wait_for_matched(1, SOON).unwrap();
    }
    let before = SERIALIZED.load(SeqCst);
    for number in 0..SAMPLES {
        let number = Counted(number);
        writer.write(&Measured { number }).unwrap();
    }
    for reader in &readers {
        let samples = take(reader, SAMPLES as usize);
        let numbers = samples.iter().map(|s| s.data().unwrap().number.0);
        assert!(numbers.eq(0..SAMPLES));
    }
    let passes = SERIALIZED.load(SeqCst) - before;
    assert_eq!(passes % SAMPLES as usize, 0, "{passes}");
    passes / SAMPLES as usize
}

#[test]
fn ten_readers_cost_one_serialization() {
    for (reliable, local) in [(true, false), (false, false), (true, true), (false, true)] {
        let one = passes(1, reliable, local);
        // Once for its size, once into the buffer that all readers are sent.
        assert!((1..=2).contains(&one), "{one} passes for a sample");
        let many = passes(READERS, reliable, local);
        assert_eq!(many, one, "reliable {reliable}, local {local}");
    }
}
