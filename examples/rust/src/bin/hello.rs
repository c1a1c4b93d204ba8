//! Hello: one side writes a sample, the other takes it.
use dunlin::{DataReaderQos, DomainParticipant, Duration, Reliability, Topic};

#[derive(Topic, Debug)]
struct Hello {
    text: String,
}

fn publish() -> dunlin::Result<()> {
    let writer = DomainParticipant::new(0)?.writer::<Hello>("Hello")?;
    writer.wait_for_matched(1, Duration::from_secs(30))?;
    writer.write(&Hello {
        text: "hello, world".into(),
    })?;
    // The writer repeats what a reader lacks, so it must live until the reader has everything.
    writer.wait_for_acknowledgments(Duration::from_secs(5))
}

fn subscribe() -> dunlin::Result<()> {
    let reliable = DataReaderQos {
        reliability: Reliability::RELIABLE,
        ..Default::default()
    };
    let reader = DomainParticipant::new(0)?.reader_with::<Hello>("Hello", reliable)?;
    reader.wait_for_data(Duration::from_secs(30))?;
    if let Some(hello) = reader
        .take_next_sample()
        .and_then(|sample| sample.into_data())
    {
        println!("{}", hello.text);
    }
    Ok(())
}

fn main() -> dunlin::Result<()> {
    dunlin_examples::run(publish, subscribe)
}
