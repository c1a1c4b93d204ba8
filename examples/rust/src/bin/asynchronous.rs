//! Asynchronous: samples as a stream, in any runtime; here tokio's, on one thread. Needs the
//! feature `async`.
use dunlin::{
    DataReaderQos, DataWriterQos, DomainParticipant, Duration, History, Reliability, Topic,
};
use futures_util::StreamExt;

#[derive(Topic, Debug)]
struct Tick {
    number: u32,
}

const TICKS: u32 = 3;

fn publish() -> dunlin::Result<()> {
    let writer = DomainParticipant::new(0)?.writer_with::<Tick>(
        "Ticks",
        DataWriterQos {
            history: History::KeepAll,
            ..Default::default()
        },
    )?;
    writer.wait_for_matched(1, Duration::from_secs(30))?;
    for number in 1..=TICKS {
        writer.write(&Tick { number })?;
    }
    writer.wait_for_acknowledgments(Duration::from_secs(5))
}

#[tokio::main(flavor = "current_thread")]
async fn subscribe() -> dunlin::Result<()> {
    let reader = DomainParticipant::new(0)?.reader_with::<Tick>(
        "Ticks",
        DataReaderQos {
            reliability: Reliability::RELIABLE,
            history: History::KeepAll,
            ..Default::default()
        },
    )?;
    let mut ticks = reader.stream().take(TICKS as usize);
    let limit = std::time::Duration::from_secs(30);
    while let Ok(Some(sample)) = tokio::time::timeout(limit, ticks.next()).await {
        println!("{:?}", sample.data());
    }
    Ok(())
}

fn main() -> dunlin::Result<()> {
    dunlin_examples::run(publish, subscribe)
}
