//! Content filters between two processes that share memory, over samples that are copied there and
//! over those that were built there.
mod common;
#[path = "../../transport/tests/conformance/namespace.rs"]
#[allow(dead_code, reason = "other tests use the other networks")]
mod namespace;

use bytes::Bytes;
use common::*;
use dunlin::*;
use std::process::{Child, Command};
use std::time::Duration as Span;

const PIXELS: usize = 100_000;
/// So many samples are written on each topic.
const WRITTEN: u32 = 50;
/// Who wants a part wants this one.
const PART: &str = "number BETWEEN 10 AND 19";

#[derive(Topic, Clone, Copy)]
#[topic(plain)]
#[repr(C)]
struct Image {
    #[key]
    camera: u32,
    number: u32,
    pixels: [u8; PIXELS],
}

#[derive(Topic, Clone, Debug, PartialEq)]
struct Frame {
    number: u32,
    pixels: Bytes,
}

const ROLE: &str = "DUNLIN_TEST_ROLE";

fn participant() -> DomainParticipant {
    let config = ParticipantConfig {
        transports: Transports::SHMEM,
        ..Default::default()
    };
    DomainParticipant::with_config(0, config).unwrap()
}

/// Writes all three kinds of samples, and stays until it is killed, or nobody does that.
fn write() {
    let p = participant();
    let (wqos, _) = reliable_all();
    let birds = writer::<Keyed>(&p, "Birds", wqos.clone());
    let images = writer::<Image>(&p, "Images", wqos.clone());
    let frames = writer::<Frame>(&p, "Frames", wqos);
    birds.wait_for_matched(1, SOON).unwrap();
    images.wait_for_matched(1, SOON).unwrap();
    frames.wait_for_matched(1, SOON).unwrap();
    for number in 0..WRITTEN {
        let name = "dunlin".into();
        birds.write(&Keyed { name, number }).unwrap();
        let mut image = images.loan_unset().unwrap();
        (image.camera, image.number) = (0, number);
        image.pixels[PIXELS - 1] = number as u8;
        images.write_loan(image).unwrap();
        let mut pixels = frames.loan_bytes(PIXELS);
        pixels[PIXELS - 1] = number as u8;
        let pixels = pixels.freeze();
        frames.write(&Frame { number, pixels }).unwrap();
    }
    std::thread::sleep(Span::from_secs(60));
}

/// The other process; it goes with this value.
struct Other(Child);

impl Other {
    fn start(test: &str) -> Self {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture"])
            .env(ROLE, "writer")
            .spawn();
        Self(child.unwrap())
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn part<T: TopicData>(p: &DomainParticipant, topic: &str, qos: &DataReaderQos) -> DataReader<T> {
    let topic = p.create_topic::<T>(topic, Default::default()).unwrap();
    let name = format!("PartOf{}", topic.name());
    let none: [&str; 0] = [];
    let part = p.create_contentfilteredtopic(&name, &topic, PART, &none);
    p.create_subscriber(Default::default())
        .create_datareader(&part.unwrap(), qos.clone())
        .unwrap()
}

/// Views of all that passes; to be judged it was copied.
fn views<T: TopicData>(reader: &DataReader<T>) -> Vec<View<T>> {
    let set = WaitSet::new();
    set.attach(reader.read_condition(Select::default()));
    let mut views = Vec::new();
    while views.len() < 10 {
        set.wait(SOON).unwrap();
        views.extend(reader.take_views(usize::MAX));
    }
    views
}

fn look(test: &str) {
    let p = participant();
    let (_, rqos) = reliable_all();
    let birds = part::<Keyed>(&p, "Birds", &rqos);
    let images = part::<Image>(&p, "Images", &rqos);
    let frames = part::<Frame>(&p, "Frames", &rqos);
    let _writer = Other::start(test);
    let numbers: Vec<u32> = take(&birds, 10)
        .iter()
        .map(|sample| sample.data().unwrap().number)
        .collect();
    assert!(numbers.iter().copied().eq(10..20), "{numbers:?}");
    let pictures = views(&images);
    let numbers = pictures.iter().map(|view| {
        let mut number = [0; 4];
        view.copy_to(4, &mut number).unwrap();
        let mut last = [0];
        view.copy_to(8 + PIXELS - 1, &mut last).unwrap();
        let number = u32::from_ne_bytes(number);
        assert_eq!(last, [number as u8]);
        number
    });
    assert!(numbers.eq(10..20));
    let frames_seen = views(&frames);
    let numbers = frames_seen.iter().map(|view| {
        let mut last = [0];
        let octets = view.octets().unwrap();
        octets.copy_to(octets.len() - 1, &mut last).unwrap();
        let number = view.header().unwrap().number;
        assert_eq!(last, [number as u8]);
        number
    });
    assert!(numbers.eq(10..20));
    // Nothing more comes, and nothing is missing. What was built in memory that is lent goes to
    // all, and was judged here.
    assert!(images.filtered_sample_count() >= 10);
    for lost in [
        birds.sample_lost_status(),
        images.sample_lost_status(),
        frames.sample_lost_status(),
    ] {
        assert_eq!(lost.total_count, 0);
    }
    assert!(birds.take().is_empty() && frames.take_next_view().is_none());
    assert!(images.take_next_view().is_none());
}

#[test]
fn what_passes_comes_from_the_memory_of_another_process() {
    let test = "what_passes_comes_from_the_memory_of_another_process";
    match std::env::var(ROLE) {
        Ok(_) => write(),
        Err(_) => namespace::in_namespace(test, namespace::BARE, || look(test)),
    }
}
