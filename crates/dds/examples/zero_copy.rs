//! Images that are built in shared memory and looked at there.
//!
//! `cargo run --release -p dunlin --example zero_copy subscribe` in one terminal,
//! `... zero_copy publish` in another: two processes of one user. With `UDP` alone
//! (`DUNLIN_TRANSPORTS=udp`) the same program works with copies.
use dunlin::*;

const PIXELS: usize = 1920 * 1080 * 3;
const IMAGES: u32 = 100;

/// Memory is encoding: numbers and arrays of them, and no padding between them. Too large for a
/// stack.
#[derive(Topic, Clone, Copy)]
#[topic(plain)]
#[repr(C)]
struct Image {
    #[key]
    camera: u32,
    number: u32,
    pixels: [u8; PIXELS],
}

fn main() -> Result<()> {
    let participant = DomainParticipant::new(0)?;
    let topic = participant.create_topic::<Image>("Images", Default::default())?;
    match std::env::args().nth(1).as_deref() {
        Some("publish") => publish(&participant, &topic),
        Some("subscribe") => subscribe(&participant, &topic),
        _ => {
            eprintln!("zero_copy publish | subscribe");
            Ok(())
        }
    }
}

fn publish(participant: &DomainParticipant, topic: &Topic<Image>) -> Result<()> {
    let publisher = participant.create_publisher(Default::default());
    let writer = publisher.create_datawriter(topic, DataWriterQos::default())?;
    writer.wait_for_matched(1, Duration::from_secs(60))?;
    for number in 0..IMAGES {
        // What an older image has left in it is overwritten where it matters.
        let mut image = writer.loan_unset()?;
        (image.camera, image.number) = (1, number);
        image.pixels.fill(number as u8);
        let shared = image.is_shared();
        let begin = std::time::Instant::now();
        writer.write_loan(image)?;
        println!(
            "image {number}: written in {:?}, in shared memory: {shared}",
            begin.elapsed()
        );
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    writer.wait_for_acknowledgments(Duration::from_secs(5))
}

fn subscribe(participant: &DomainParticipant, topic: &Topic<Image>) -> Result<()> {
    let subscriber = participant.create_subscriber(Default::default());
    let qos = DataReaderQos {
        reliability: Reliability::RELIABLE,
        ..Default::default()
    };
    let reader = subscriber.create_datareader(topic, qos)?;
    let set = WaitSet::new();
    set.attach(reader.read_condition(Select::default()));
    loop {
        set.wait(Duration::from_secs(60))?;
        while let Some(view) = reader.take_next_view() {
            if !view.info.valid_data {
                continue;
            }
            // Two of its six million bytes are copied.
            let mut ends = [0; 2];
            view.copy_to(8, &mut ends[..1])?;
            view.copy_to(8 + PIXELS - 1, &mut ends[1..])?;
            let mut number = [0; 4];
            view.copy_to(4, &mut number)?;
            let number = u32::from_ne_bytes(number);
            println!(
                "image {number}: {ends:?}, where it was built: {}",
                view.is_in_place()
            );
            if number + 1 == IMAGES {
                return Ok(());
            }
        }
    }
}
