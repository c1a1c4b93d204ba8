//! Why: two endpoints that do not match, and what Dunlin says about it.
use dunlin::{
    DataReaderQos, DataWriterQos, DomainParticipant, Durability, Duration, Reliability, Topic,
};

#[derive(Topic, Debug)]
struct Command {
    code: u32,
}

fn main() -> dunlin::Result<()> {
    let one = DomainParticipant::new(0)?;
    let other = DomainParticipant::new(0)?;
    let writer = one.writer_with::<Command>(
        "Commands",
        DataWriterQos {
            reliability: Reliability::BEST_EFFORT,
            ..Default::default()
        },
    )?;
    let _reader = other.reader_with::<Command>(
        "Commands",
        DataReaderQos {
            reliability: Reliability::RELIABLE,
            durability: Durability::TransientLocal,
            ..Default::default()
        },
    )?;
    if let Err(error) = writer.wait_for_matched(1, Duration::from_secs(2)) {
        println!("{error}\n");
    }
    for finding in other.why("Commands", Duration::from_secs(1)) {
        println!("{finding}");
    }
    Ok(())
}
