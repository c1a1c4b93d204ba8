//! Large data: samples of many megabytes, in fragments, nothing lost; the writer waits where the
//! reader is slower.
use dunlin::{
    DataReaderQos, DataWriterQos, DomainParticipant, Duration, History, Reliability,
    ReliabilityKind, ResourceLimits, Topic,
};

const SIZE: usize = 8 << 20;
const SAMPLES: u32 = 5;

#[derive(Topic)]
struct Frame {
    number: u32,
    pixels: bytes::Bytes,
}

fn publish() -> dunlin::Result<()> {
    let writer = DomainParticipant::new(0)?.writer_with::<Frame>(
        "Frames",
        DataWriterQos {
            // `write` waits for so long if two samples are kept that no reader has acknowledged.
            reliability: Reliability {
                kind: ReliabilityKind::Reliable,
                max_blocking_time: Duration::from_secs(10),
            },
            history: History::KeepAll,
            resource_limits: ResourceLimits {
                max_samples: Some(2),
                ..Default::default()
            },
            ..Default::default()
        },
    )?;
    writer.wait_for_matched(1, Duration::from_secs(30))?;
    let pixels = bytes::Bytes::from(vec![7; SIZE]);
    for number in 1..=SAMPLES {
        // The sample refers to the bytes; they are not copied before they are sent.
        let pixels = pixels.clone();
        writer.write(&Frame { number, pixels })?;
    }
    writer.wait_for_acknowledgments(Duration::from_secs(30))
}

fn subscribe() -> dunlin::Result<()> {
    let reader = DomainParticipant::new(0)?.reader_with::<Frame>(
        "Frames",
        DataReaderQos {
            reliability: Reliability::RELIABLE,
            history: History::KeepAll,
            ..Default::default()
        },
    )?;
    let mut last = 0;
    while last < SAMPLES {
        reader.wait_for_data(Duration::from_secs(30))?;
        while let Some(frame) = reader.take_next_sample().and_then(|s| s.into_data()) {
            println!("frame {}: {} bytes", frame.number, frame.pixels.len());
            last = frame.number;
        }
    }
    Ok(())
}

fn main() -> dunlin::Result<()> {
    dunlin_examples::run(publish, subscribe)
}
