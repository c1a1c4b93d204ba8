//! A type of an IDL file, which `build.rs` has made: one side has it from there, the other side has
//! written the same type in Rust.
use dunlin::{DataReaderQos, DomainParticipant, Duration, Reliability, Topic};

mod shape {
    dunlin::include_idl!("shape");
}

#[derive(Topic, Debug)]
struct ShapeType {
    #[key]
    #[topic(bound = 128)]
    color: String,
    x: i32,
    y: i32,
    shapesize: i32,
}

fn publish() -> dunlin::Result<()> {
    let writer = DomainParticipant::new(0)?.writer::<shape::ShapeType>("Square")?;
    writer.wait_for_matched(1, Duration::from_secs(30))?;
    writer.write(&shape::ShapeType {
        color: "BLUE".into(),
        x: 30,
        y: 40,
        ..Default::default()
    })?;
    writer.wait_for_acknowledgments(Duration::from_secs(5))
}

fn subscribe() -> dunlin::Result<()> {
    let reliable = DataReaderQos {
        reliability: Reliability::RELIABLE,
        ..Default::default()
    };
    let reader = DomainParticipant::new(0)?.reader_with::<ShapeType>("Square", reliable)?;
    reader.wait_for_data(Duration::from_secs(30))?;
    while let Some(sample) = reader.take_next_sample() {
        println!("{:?}", sample.data());
    }
    Ok(())
}

fn main() -> dunlin::Result<()> {
    dunlin_examples::run(publish, subscribe)
}

#[cfg(test)]
mod tests {
    #[test]
    fn both_are_the_type_of_the_file() {
        dunlin_build::assert_matches!("idl/shape.idl", super::ShapeType);
        dunlin_build::assert_matches!("idl/shape.idl", super::shape::ShapeType);
    }
}
