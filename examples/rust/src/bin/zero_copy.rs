//! Zero copy: a sample is built in shared memory and looked at where it is, by processes of this
//! host.
use dunlin::{DataReaderQos, DomainParticipant, Duration, History, Reliability, Topic};

const PIXELS: usize = 1 << 20;
const SAMPLES: u32 = 5;

// `plain`: the memory of the struct is its encoding on the wire.
#[derive(Topic, Clone, Copy)]
#[topic(plain)]
#[repr(C)]
struct Image {
    number: u32,
    pixels: [u8; PIXELS],
}

fn publish() -> dunlin::Result<()> {
    let writer = DomainParticipant::new(0)?.writer::<Image>("Images")?;
    writer.wait_for_matched(1, Duration::from_secs(30))?;
    for number in 1..=SAMPLES {
        let mut image = writer.loan()?;
        image.number = number;
        image.pixels[0] = 42;
        writer.write_loan(image)?;
        writer.wait_for_acknowledgments(Duration::from_secs(5))?;
    }
    Ok(())
}

fn subscribe() -> dunlin::Result<()> {
    let reader = DomainParticipant::new(0)?.reader_with::<Image>(
        "Images",
        DataReaderQos {
            reliability: Reliability::RELIABLE,
            history: History::KeepAll,
            ..Default::default()
        },
    )?;
    let mut last = 0;
    while last < SAMPLES {
        reader.wait_for_data(Duration::from_secs(30))?;
        while let Some(view) = reader.take_next_view() {
            // Without data it tells that the writer is gone.
            if !view.info.valid_data {
                continue;
            }
            let (mut number, mut pixel) = ([0; 4], [0; 1]);
            view.copy_to(std::mem::offset_of!(Image, number), &mut number)?;
            view.copy_to(std::mem::offset_of!(Image, pixels), &mut pixel)?;
            last = u32::from_ne_bytes(number);
            let place = if view.is_in_place() {
                "in place"
            } else {
                "copied"
            };
            println!("image {last}: first pixel {}, {place}", pixel[0]);
        }
    }
    Ok(())
}

fn main() -> dunlin::Result<()> {
    dunlin_examples::run(publish, subscribe)
}
