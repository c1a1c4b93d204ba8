//! Two processes, real shared memory: samples are looked at where the other process has built them.
mod common;
#[path = "../../transport/tests/conformance/namespace.rs"]
#[allow(dead_code, reason = "other tests use the other networks")]
mod namespace;

use bytes::Bytes;
use common::*;
use dunlin::*;
use std::process::{Child, Command};

const PIXELS: usize = 3 << 20;

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
    note: String,
}

fn participant(transports: Transports) -> DomainParticipant {
    let config = ParticipantConfig {
        transports,
        ..Default::default()
    };
    DomainParticipant::with_config(0, config).unwrap()
}

fn qos() -> (DataWriterQos, DataReaderQos) {
    let (writes, reads) = reliable_all();
    let writes = DataWriterQos {
        history: History::KeepLast(1),
        ..writes
    };
    (writes, reads)
}

const ROLE: &str = "DUNLIN_TEST_ROLE";

/// This test again, as the other process.
fn other(test: &str, role: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(ROLE, role)
        .spawn()
        .unwrap()
}

fn role() -> Option<String> {
    std::env::var(ROLE).ok()
}

/// Writes both kinds of samples until it is killed.
fn write(transports: Transports) {
    let p = participant(transports);
    let (writes, _) = qos();
    let images = writer::<Image>(&p, "Images", writes.clone());
    let frames = writer::<Frame>(&p, "Frames", writes);
    images.wait_for_matched(1, SOON).unwrap();
    frames.wait_for_matched(1, SOON).unwrap();
    for number in 0.. {
        let mut image = images.loan_unset().unwrap();
        (image.camera, image.number) = (number % 2, number);
        image.pixels[0] = number as u8;
        image.pixels[PIXELS - 1] = !number as u8;
        images.write_loan(image).unwrap();
        let mut pixels = frames.loan_bytes(600 + number as usize * 1000);
        let last = pixels.len() - 1;
        pixels[last] = number as u8;
        let frame = Frame {
            number,
            pixels: pixels.freeze(),
            note: number.to_string(),
        };
        frames.write(&frame).unwrap();
        images.wait_for_acknowledgments(SOON).unwrap();
        frames.wait_for_acknowledgments(SOON).unwrap();
    }
}

fn next<T: TopicData>(reader: &DataReader<T>) -> View<T> {
    let set = WaitSet::new();
    set.attach(reader.read_condition(Select::default()));
    loop {
        set.wait(SOON).unwrap();
        match reader.take_next_view() {
            Some(view) if view.info.valid_data => return view,
            _ => {}
        }
    }
}

fn number_of(view: &View<Image>) -> u32 {
    let mut number = [0; 4];
    view.copy_to(4, &mut number).unwrap();
    let number = u32::from_ne_bytes(number);
    let mut ends = [0; 2];
    view.copy_to(8, &mut ends[..1]).unwrap();
    view.copy_to(8 + PIXELS - 1, &mut ends[1..]).unwrap();
    assert_eq!(ends, [number as u8, !number as u8]);
    number
}

fn look(test: &str, transports: Transports) {
    let p = participant(transports);
    let (_, reads) = qos();
    let images = reader::<Image>(&p, "Images", reads.clone());
    let frames = reader::<Frame>(&p, "Frames", reads);
    for _ in 0..2 {
        let mut writer = other(test, "writer");
        let mut held = Vec::new();
        for round in 0..40 {
            let (mut image, mut frame) = (next(&images), next(&frames));
            // What is written before there is a ring comes by UDP, if there is UDP.
            let may_be_early = round == 0 && transports != Transports::SHMEM;
            while may_be_early && !(image.is_in_place() && frame.is_in_place()) {
                (image, frame) = (next(&images), next(&frames));
            }
            assert!(image.is_in_place() && frame.is_in_place(), "round {round}");
            let number = number_of(&image);
            let header = frame.header().unwrap();
            assert_eq!(header.note, header.number.to_string());
            let octets = frame.octets().unwrap();
            assert_eq!(octets.len(), 600 + header.number as usize * 1000);
            let mut last = [0];
            octets.copy_to(octets.len() - 1, &mut last).unwrap();
            assert_eq!(last, [header.number as u8]);
            assert!(octets.trusted().is_none() && image.trusted().is_none());
            if round % 10 == 0 {
                held.push((number, image));
            }
        }
        // A dead writer takes back nothing.
        writer.kill().unwrap();
        writer.wait().unwrap();
        for (number, view) in &held {
            assert!(view.is_valid());
            assert_eq!(number_of(view), *number);
        }
        while images.matched_count() + frames.matched_count() > 0 {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        drop((images.take_views(usize::MAX), frames.take_views(usize::MAX)));
    }
}

#[test]
fn samples_are_seen_in_the_memory_of_another_process() {
    let test = "samples_are_seen_in_the_memory_of_another_process";
    match role() {
        Some(_) => write(Transports::SHMEM),
        None => namespace::in_namespace(test, namespace::BARE, || look(test, Transports::SHMEM)),
    }
}

#[test]
fn samples_are_seen_there_beside_udp_too() {
    let test = "samples_are_seen_there_beside_udp_too";
    match role() {
        Some(_) => write(Transports::default()),
        None => namespace::in_namespace(test, namespace::LOOPBACK, || {
            look(test, Transports::default());
        }),
    }
}

/// Holds what comes, until it is killed.
fn hold() {
    let p = participant(Transports::SHMEM);
    let (_, reads) = qos();
    let reader = reader::<Image>(&p, "Images", reads);
    let mut held = Vec::new();
    loop {
        held.push(next(&reader));
    }
}

#[test]
fn what_a_dead_reader_held_is_free_again() {
    let test = "what_a_dead_reader_held_is_free_again";
    if role().is_some() {
        return hold();
    }
    namespace::in_namespace(test, namespace::BARE, || {
        let p = participant(Transports::SHMEM);
        let (writes, _) = qos();
        let writer = writer::<Image>(&p, "Images", writes);
        // Each reader may hold 32 of the 340 images that there is memory for.
        for _ in 0..15 {
            let mut reader = other(test, "reader");
            writer.wait_for_matched(1, SOON).unwrap();
            for number in 0..40 {
                let mut image = writer.loan_unset().unwrap();
                assert!(image.is_shared());
                (image.camera, image.number) = (0, number);
                writer.write_loan(image).unwrap();
                writer.wait_for_acknowledgments(SOON).unwrap();
            }
            reader.kill().unwrap();
            reader.wait().unwrap();
            while writer.matched_count() > 0 {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
        }
    });
}
