//! Untyped: a type that is built at run time, and samples as bytes. The topic is the "Square" of
//! the shapes demonstration, so the other side may be any product's.
use dunlin::cdr::Extensibility;
use dunlin::untyped::{ChangeKind, TypeSupport, WriteOptions};
use dunlin::xtypes::{TypeIndex, TypeTreeBuilder};
use dunlin::{
    DataReaderQos, DataWriterQos, DomainParticipant, Duration, History, PublisherQos, Reliability,
    Select, SubscriberQos, TopicQos, UntypedTopic, WaitSet,
};

fn shape_type() -> dunlin::Result<TypeSupport> {
    let mut types = TypeTreeBuilder::new();
    let color = types.string(128);
    let payload = types.sequence(TypeIndex::UINT8, 0);
    let shape = types
        .structure("ShapeType", Extensibility::Appendable)
        .member("color", color)
        .key()
        .member("x", TypeIndex::INT32)
        .member("y", TypeIndex::INT32)
        .member("shapesize", TypeIndex::INT32)
        .member("additional_payload_size", payload)
        .finish();
    let shape = types.build(shape);
    TypeSupport::from_type(&shape.map_err(|e| dunlin::Error::BadParameter(e.to_string()))?)
}

fn squares(participant: &DomainParticipant) -> dunlin::Result<UntypedTopic> {
    participant.create_untyped_topic("Square", &shape_type()?, TopicQos::default())
}

/// XCDR1, little endian: the color, and what follows it.
fn payload(color: &str, rest: &[i32]) -> Vec<u8> {
    let mut out = vec![0, 1, 0, 0];
    out.extend((color.len() as u32 + 1).to_le_bytes());
    out.extend(color.bytes().chain([0]));
    out.resize(out.len().next_multiple_of(4), 0);
    rest.iter()
        .for_each(|number| out.extend(number.to_le_bytes()));
    out
}

fn publish() -> dunlin::Result<()> {
    let participant = DomainParticipant::new(0)?;
    let publisher = participant.create_publisher(PublisherQos::default());
    let qos = DataWriterQos {
        history: History::KeepAll,
        ..Default::default()
    };
    let writer = publisher.create_untyped_datawriter(&squares(&participant)?, qos)?;
    writer.wait_for_matched(1, Duration::from_secs(30))?;
    for x in 0..3 {
        let square = payload("BLUE", &[x, 2 * x, 30, 0]);
        writer.write(ChangeKind::Alive, &square, &WriteOptions::default())?;
    }
    // The end of an instance has its key only.
    let key = payload("BLUE", &[]);
    writer.write(ChangeKind::Disposed, &key, &WriteOptions::default())?;
    writer.wait_for_acknowledgments(Duration::from_secs(5))
}

fn subscribe() -> dunlin::Result<()> {
    let participant = DomainParticipant::new(0)?;
    let squares = squares(&participant)?;
    let part =
        participant.create_untyped_contentfilteredtopic("Right", &squares, "x > %0", &["0"])?;
    let subscriber = participant.create_subscriber(SubscriberQos::default());
    let qos = DataReaderQos {
        reliability: Reliability::RELIABLE,
        history: History::KeepAll,
        ..Default::default()
    };
    let reader = subscriber.create_untyped_datareader(&part, qos)?;
    let waits = WaitSet::new();
    waits.attach(reader.read_condition(Select::default()));
    let mut samples = Vec::new();
    loop {
        waits.wait(Duration::from_secs(30))?;
        reader.take(&Select::default(), &mut samples);
        for sample in samples.drain(..) {
            let bytes = sample.payload()?;
            println!("{:?}: {} bytes", sample.info.change_kind, bytes.len());
            if sample.info.change_kind == ChangeKind::Disposed {
                return Ok(());
            }
        }
    }
}

fn main() -> dunlin::Result<()> {
    dunlin_examples::run(publish, subscribe)
}
