//! Content filter: a reader gets a part of a topic; the writer does not send it the rest.
use dunlin::{
    DataReaderQos, DataWriterQos, DomainParticipant, Duration, History, Reliability, Topic,
};

#[derive(Topic, Debug)]
struct Reading {
    #[key]
    sensor: String,
    celsius: f64,
}

fn publish() -> dunlin::Result<()> {
    let writer = DomainParticipant::new(0)?.writer_with::<Reading>(
        "Readings",
        DataWriterQos {
            history: History::KeepAll,
            ..Default::default()
        },
    )?;
    writer.wait_for_matched(1, Duration::from_secs(30))?;
    for celsius in [20.0, 35.5, 60.0, 80.5, 100.0] {
        let sensor = "motor".into();
        writer.write(&Reading { sensor, celsius })?;
    }
    writer.wait_for_acknowledgments(Duration::from_secs(5))
}

fn subscribe() -> dunlin::Result<()> {
    let participant = DomainParticipant::new(0)?;
    let topic = participant.create_topic::<Reading>("Readings", Default::default())?;
    let hot = participant.create_contentfilteredtopic(
        "Hot readings",
        &topic,
        "sensor = 'motor' AND celsius > %0",
        &["50"],
    )?;
    let reader = participant
        .create_subscriber(Default::default())
        .create_datareader(
            &hot,
            DataReaderQos {
                reliability: Reliability::RELIABLE,
                history: History::KeepAll,
                ..Default::default()
            },
        )?;
    let mut seen = 0;
    while seen < 3 {
        reader.wait_for_data(Duration::from_secs(30))?;
        while let Some(reading) = reader.take_next_sample().and_then(|s| s.into_data()) {
            println!("{reading:?}");
            seen += 1;
        }
    }
    Ok(())
}

fn main() -> dunlin::Result<()> {
    dunlin_examples::run(publish, subscribe)
}
