//! Keyed: many instances on one topic, each with a state; an instance is disposed when its object
//! is gone.
use dunlin::{
    DataReaderQos, DataWriterQos, DomainParticipant, Duration, History, InstanceState, Reliability,
    Topic,
};

#[derive(Topic, Debug)]
struct Position {
    #[key]
    bird: u32,
    x: f64,
    y: f64,
}

fn publish() -> dunlin::Result<()> {
    let writer = DomainParticipant::new(0)?.writer_with::<Position>(
        "Positions",
        DataWriterQos {
            history: History::KeepAll,
            ..Default::default()
        },
    )?;
    writer.wait_for_matched(1, Duration::from_secs(30))?;
    for step in 0..3 {
        for bird in 1..=2 {
            let (x, y) = (f64::from(step), f64::from(bird));
            writer.write(&Position { bird, x, y })?;
        }
    }
    for bird in 1..=2 {
        // Only the key of the sample counts.
        let (x, y) = (0.0, 0.0);
        writer.dispose(&Position { bird, x, y })?;
    }
    writer.wait_for_acknowledgments(Duration::from_secs(5))
}

fn subscribe() -> dunlin::Result<()> {
    let reader = DomainParticipant::new(0)?.reader_with::<Position>(
        "Positions",
        DataReaderQos {
            reliability: Reliability::RELIABLE,
            history: History::KeepAll,
            ..Default::default()
        },
    )?;
    let mut gone = 0;
    while gone < 2 {
        reader.wait_for_data(Duration::from_secs(30))?;
        for sample in reader.take() {
            match (sample.data(), sample.key()) {
                (Some(position), _) => println!("{position:?}"),
                (None, Some(key)) => {
                    println!("bird {}: {:?}", key.bird, sample.info.instance_state);
                    gone +=
                        u32::from(sample.info.instance_state == InstanceState::NotAliveDisposed);
                }
                (None, None) => {}
            }
        }
    }
    Ok(())
}

fn main() -> dunlin::Result<()> {
    dunlin_examples::run(publish, subscribe)
}
