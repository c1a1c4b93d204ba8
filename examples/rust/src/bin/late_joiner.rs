//! Late joiner: a reader that comes later gets what was written before, and knows when it has all
//! of that.
use dunlin::{
    DataReaderQos, DataWriterQos, DomainParticipant, Durability, Duration, Reliability, Topic,
};

#[derive(Topic, Debug)]
struct Setting {
    #[key]
    name: String,
    value: i32,
}

fn publish() -> dunlin::Result<()> {
    let writer = DomainParticipant::new(0)?.writer_with::<Setting>(
        "Settings",
        DataWriterQos {
            durability: Durability::TransientLocal,
            ..Default::default()
        },
    )?;
    // Nobody may be there yet. The last value of each setting is kept.
    for (name, value) in [("gain", 1), ("gain", 2), ("limit", 10)] {
        let name = name.into();
        writer.write(&Setting { name, value })?;
    }
    println!("written");
    // What is kept goes with the writer, so it stays until a reader came and has everything.
    for _ in 0..3000 {
        if writer.publication_matched_status().total_count > 0 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    writer.wait_for_acknowledgments(Duration::from_secs(30))
}

fn subscribe() -> dunlin::Result<()> {
    std::thread::sleep(std::time::Duration::from_millis(300));
    let reader = DomainParticipant::new(0)?.reader_with::<Setting>(
        "Settings",
        DataReaderQos {
            durability: Durability::TransientLocal,
            reliability: Reliability::RELIABLE,
            ..Default::default()
        },
    )?;
    reader.wait_for_data(Duration::from_secs(30))?;
    reader.wait_for_historical_data(Duration::from_secs(30))?;
    for sample in reader.take() {
        println!("{:?}", sample.data());
    }
    Ok(())
}

fn main() -> dunlin::Result<()> {
    dunlin_examples::run(publish, subscribe)
}
