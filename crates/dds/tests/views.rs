//! Samples that are looked at where their writer has built them.
mod common;
#[path = "common/near.rs"]
mod near;
use bytes::Bytes;
use common::*;
use dunlin::*;
use near::{CHUNKS, LOANS, Near};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

#[derive(Topic, Clone, Copy, Debug, PartialEq)]
#[topic(plain)]
#[repr(C)]
struct Image {
    #[key]
    camera: u32,
    number: u32,
    pixels: [u8; 10_000],
}

/// The same on the wire, not plain.
#[derive(Topic, Clone, Debug, PartialEq)]
#[topic(name = "Image")]
struct Decoded {
    #[key]
    camera: u32,
    number: u32,
    pixels: [u8; 10_000],
}

#[derive(Topic, Clone, Debug, PartialEq)]
struct Frame {
    #[key]
    camera: u32,
    small: Bytes,
    pixels: Bytes,
    note: String,
}

fn qos() -> (DataWriterQos, DataReaderQos) {
    let (writes, reads) = reliable_all();
    let writes = DataWriterQos {
        history: History::KeepLast(1),
        ..writes
    };
    (writes, reads)
}

/// The participants of this test keep the promise: nobody writes to a chunk but Dunlin.
fn trust() -> Option<Trust> {
    // SAFETY: as above.
    Some(unsafe { Trust::promise() })
}

fn views<T: TopicData>(reader: &DataReader<T>, count: usize) -> Vec<View<T>> {
    let set = WaitSet::new();
    set.attach(reader.read_condition(Select::default()));
    let mut views = Vec::new();
    while views.len() < count && set.wait(Duration::from_secs(60)).is_ok() {
        views.extend(reader.take_views(usize::MAX));
    }
    views
}

fn write_image(writer: &DataWriter<Image>, number: u32) {
    let mut image = writer.loan().unwrap();
    assert!(image.is_shared());
    (image.camera, image.number) = (number % 2, number);
    image.pixels.fill(number as u8);
    image.pixels[9_999] = 0xee;
    writer.write_loan(image).unwrap();
}

fn is_image(image: &Image, number: u32) -> bool {
    (image.camera, image.number) == (number % 2, number)
        && image.pixels[..9_999].iter().all(|p| *p == number as u8)
        && image.pixels[9_999] == 0xee
}

/// Waits until all chunks but so many are free.
fn has_back(near: &Near, but: usize) {
    let begin = std::time::Instant::now();
    while near.free() != CHUNKS - but {
        assert!(begin.elapsed().as_secs() < 300, "{} are free", near.free());
        std::thread::yield_now();
    }
}

#[test]
fn a_plain_sample_is_seen_where_it_was_built() {
    for trusts in [None, trust()] {
        let [one, other] = Near::pair(128 * 1024);
        let (p, q) = (one.participant(None), other.participant(trusts));
        let (writes, reads) = qos();
        let reader = reader::<Image>(&q, "Images", reads);
        let writer = writer::<Image>(&p, "Images", writes);
        writer.wait_for_matched(1, SOON).unwrap();
        for number in 0..20 {
            write_image(&writer, number);
            let view = &views(&reader, 1)[0];
            assert!(
                view.is_in_place() && view.is_valid(),
                "number {number} {:?}",
                view
            );
            let mut copy = bytemuck_box();
            view.read_into(&mut copy).unwrap();
            assert!(is_image(&copy, number));
            let mut part = [0; 6];
            view.copy_to(4, &mut part).unwrap();
            assert_eq!(part, [number as u8, 0, 0, 0, number as u8, number as u8]);
            assert!(view.copy_to(10_003, &mut part).is_err());
            assert!(view.copy_to(usize::MAX, &mut part).is_err());
            let trusted = view.trusted();
            assert_eq!(trusted.is_some(), trusts.is_some());
            if let Some(image) = trusted {
                assert!(is_image(image, number));
                assert!(
                    !one.pool.contains(image.pixels.as_slice()),
                    "our own mapping of it"
                );
            }
            assert_eq!(view.octets().unwrap().len(), size_of::<Image>());
            assert!(is_image(view.sample().unwrap().data().unwrap(), number));
        }
        assert!(one.attached.load(SeqCst) >= 20);
        writer.wait_for_acknowledgments(SOON).unwrap();
        drop(writer);
        has_back(&one, 0);
    }
}

#[test]
fn the_largest_sample_of_a_reader_counts_what_is_loaned() {
    let [one, other] = Near::pair(128 * 1024);
    let q = other.configured(ParticipantConfig {
        max_sample_size: 5000,
        transports: Transports {
            local: false,
            ..Transports::default()
        },
        ..ParticipantConfig::default()
    });
    let p = one.configured(ParticipantConfig::default());
    let (writes, reads) = reliable_all();
    let small = reader::<Image>(&q, "Images", reads.clone());
    // What no reader takes is not written.
    let large = reader::<Image>(&p, "Images", reads);
    let writer = writer::<Image>(&p, "Images", writes);
    writer.wait_for_matched(2, SOON).unwrap();
    write_image(&writer, 1);
    writer.wait_for_acknowledgments(SOON).unwrap();
    assert_eq!(views(&large, 1).len(), 1);
    assert!(one.attached.load(SeqCst) > 0);
    assert_eq!(small.sample_lost_status().total_count, 1);
    assert!(small.take_views(1).is_empty());
}

fn bytemuck_box() -> Box<Image> {
    cdr::bytemuck::zeroed_box()
}

#[test]
fn two_readers_share_what_is_held_and_ordinary_ones_decode_it() {
    let [one, other] = Near::pair(128 * 1024);
    let (p, q) = (one.participant(None), other.participant(None));
    let (writes, reads) = qos();
    let first = reader::<Image>(&q, "Images", reads.clone());
    let second = reader::<Image>(&q, "Images", reads.clone());
    let third = reader::<Decoded>(&q, "Images", reads);
    let writer = writer::<Image>(&p, "Images", writes);
    writer.wait_for_matched(3, SOON).unwrap();
    for number in 0..10 {
        write_image(&writer, number);
        let views = [views(&first, 1), views(&second, 1)];
        for view in views.iter().flatten() {
            assert!(view.is_in_place());
            assert!(is_image(&view.read().unwrap(), number));
        }
        let decoded = take(&third, 1);
        let decoded = decoded[0].data().unwrap();
        assert_eq!((decoded.number, decoded.pixels[5]), (number, number as u8));
    }
    // All of them together held each chunk once.
    writer.wait_for_acknowledgments(SOON).unwrap();
    has_back(&one, 0);
}

/// As long as `Image`, and otherwise laid out.
#[derive(Topic, Clone, Copy, Debug, PartialEq)]
#[topic(name = "Image", plain)]
#[repr(C)]
struct Renamed {
    #[key]
    camera: u32,
    count: u32,
    pixels: [u8; 10_000],
}

#[test]
fn a_writer_with_another_layout_is_decoded() {
    let [one, other] = Near::pair(128 * 1024);
    let (p, q) = (one.participant(None), other.participant(trust()));
    let (writes, mut reads) = qos();
    reads.type_consistency.ignore_member_names = true;
    let reader = reader::<Renamed>(&q, "Images", reads);
    let writer = writer::<Image>(&p, "Images", writes);
    writer.wait_for_matched(1, SOON).unwrap();
    write_image(&writer, 7);
    let view = &views(&reader, 1)[0];
    assert!(view.is_in_place());
    let moved = view.trusted().unwrap();
    assert_eq!((moved.count, moved.pixels[9]), (7, 7));
    assert_eq!(*moved, view.read().unwrap());
    assert!(!other.pool.contains(&moved.pixels) && view.octets().is_some());
    let at = view.octets().unwrap().trusted().unwrap().as_ptr();
    assert_ne!(at, std::ptr::from_ref(moved).cast());
}

#[test]
fn what_a_reader_holds_does_not_stop_the_writer() {
    let [one, other] = Near::pair(128 * 1024);
    let (p, q) = (one.participant(None), other.participant(None));
    let (writes, reads) = qos();
    let reader = reader::<Image>(&q, "Images", reads);
    let writer = writer::<Image>(&p, "Images", writes);
    writer.wait_for_matched(1, SOON).unwrap();
    let mut held = VecDeque::new();
    for number in 0..50 {
        write_image(&writer, number);
        held.extend(views(&reader, 1));
        if held.len() > 20 {
            held.pop_front();
        }
        for (view, number) in held.iter().rev().zip((0..=number).rev()) {
            assert!(is_image(&view.read().unwrap(), number));
        }
    }
    let in_place = held.iter().filter(|view| view.is_in_place()).count();
    assert!(in_place <= LOANS as usize);
    assert!(held.len() > in_place);
    drop((writer, held));
    has_back(&one, 0);
}

#[test]
fn samples_that_nobody_takes_are_given_back() {
    let [one, other] = Near::pair(128 * 1024);
    let (p, q) = (one.participant(None), other.participant(None));
    let (writes, reads) = qos();
    let last = DataReaderQos {
        history: History::KeepLast(1),
        ..reads
    };
    let reader = reader::<Image>(&q, "Images", last);
    let writer = writer::<Image>(&p, "Images", writes);
    writer.wait_for_matched(1, SOON).unwrap();
    for number in 0..100 {
        write_image(&writer, number);
        writer.wait_for_acknowledgments(SOON).unwrap();
    }
    // One of each instance is in the cache; the last is the writer's history, too.
    has_back(&one, 2);
    // A reader that goes lets go of them.
    drop(reader);
    drop(writer);
    has_back(&one, 0);
}

#[test]
fn a_writer_that_is_gone_leaves_what_it_has_written() {
    let [one, other] = Near::pair(128 * 1024);
    let (p, q) = (one.participant(None), other.participant(trust()));
    let (writes, reads) = qos();
    let reader = reader::<Image>(&q, "Images", reads);
    let writer = writer::<Image>(&p, "Images", writes);
    writer.wait_for_matched(1, SOON).unwrap();
    write_image(&writer, 7);
    let views = views(&reader, 1);
    drop((writer, p, one));
    assert!(views[0].is_valid());
    assert!(is_image(&views[0].read().unwrap(), 7));
    assert!(is_image(views[0].trusted().unwrap(), 7));
}

#[test]
fn octets_stay_where_they_are() {
    for trusts in [None, trust()] {
        let [one, other] = Near::pair(128 * 1024);
        let (p, q) = (one.participant(None), other.participant(trusts));
        let (writes, reads) = qos();
        let reader = reader::<Frame>(&q, "Frames", reads.clone());
        let taker = common::reader::<Frame>(&q, "Frames", reads);
        let writer = writer::<Frame>(&p, "Frames", writes);
        writer.wait_for_matched(2, SOON).unwrap();
        for number in 0..60 {
            // Small and large ones, of each remainder.
            let length = if number % 2 == 0 {
                number as usize + 4
            } else {
                90_000 + number as usize
            };
            // The history of each instance keeps a chunk until it is acknowledged.
            writer.wait_for_acknowledgments(SOON).unwrap();
            let mut pixels = writer.loan_bytes(length);
            pixels.fill(number as u8);
            let frame = Frame {
                camera: number,
                small: Bytes::from_static(b"abc"),
                pixels: pixels.freeze(),
                note: format!("number {number}"),
            };
            writer.write(&frame).unwrap();
            let view = &views(&reader, 1)[0];
            assert!(view.is_in_place(), "number {number}");
            let empty = Frame {
                pixels: Bytes::new(),
                ..frame.clone()
            };
            assert_eq!(view.header().unwrap(), empty);
            let octets = view.octets().unwrap();
            assert_eq!(octets.len(), length);
            let mut end = [0; 3];
            octets.copy_to(length - 3, &mut end).unwrap();
            assert_eq!(end, [number as u8; 3]);
            assert!(octets.copy_to(length - 2, &mut end).is_err());
            assert_eq!(octets.trusted().is_some(), trusts.is_some());
            if let Some(octets) = octets.trusted() {
                assert_eq!(octets, &frame.pixels[..]);
            }
            assert_eq!(view.sample().unwrap().data(), Some(&frame));
            let at = view.octets().unwrap().trusted().map(<[u8]>::as_ptr);
            let taken = take(&taker, 1);
            let taken = taken[0].data().unwrap();
            assert_eq!(taken, &frame);
            // Trusted octets are not copied at all.
            if let Some(at) = at {
                assert_eq!(taken.pixels.as_ptr(), at);
            }
        }
        drop(writer);
        has_back(&one, 0);
    }
}

#[test]
fn samples_that_came_otherwise_are_viewed_by_the_same_calls() {
    let net = Net::new(0.0);
    let (p, q) = (net.participant(), net.participant());
    let (writes, reads) = reliable_all();
    for representation in [DataRepresentation::Xcdr1, DataRepresentation::Xcdr2] {
        let writes = DataWriterQos {
            representation,
            ..writes.clone()
        };
        let topic = format!("Images in {representation:?}");
        let reader = reader::<Image>(&q, &topic, reads.clone());
        let writer = writer::<Image>(&p, &topic, writes.clone());
        writer.wait_for_matched(1, SOON).unwrap();
        let mut image = writer.loan().unwrap();
        (image.camera, image.number) = (1, 3);
        image.pixels.fill(3);
        image.pixels[9_999] = 0xee;
        writer.write_loan(image).unwrap();
        let view = &views(&reader, 1)[0];
        assert!(!view.is_in_place() && view.is_valid());
        assert!(is_image(&view.read().unwrap(), 3));
        assert!(is_image(view.trusted().unwrap(), 3));
        let mut part = [0; 6];
        view.copy_to(4, &mut part).unwrap();
        assert_eq!(part, [3, 0, 0, 0, 3, 3]);
    }
    let reader = reader::<Frame>(&q, "Frames", reads);
    let writer = writer::<Frame>(&p, "Frames", writes);
    writer.wait_for_matched(1, SOON).unwrap();
    let frame = Frame {
        camera: 3,
        small: Bytes::from_static(b"abc"),
        pixels: vec![8; 1000].into(),
        note: "!".into(),
    };
    writer.write(&frame).unwrap();
    writer.dispose(&frame).unwrap();
    let views = views(&reader, 2);
    let octets = views[0].octets().unwrap();
    assert_eq!(octets.trusted().unwrap(), &frame.pixels[..]);
    let empty = Frame {
        pixels: Bytes::new(),
        ..frame
    };
    assert_eq!(views[0].header().unwrap(), empty);
    // A notice has no data.
    assert!(views[1].header().is_err() && views[1].octets().is_none());
    assert_eq!(views[1].sample().unwrap().key().unwrap().camera, 3);
}

#[test]
fn a_view_may_go_to_another_thread() {
    fn is_sent<T: Send + Sync>() {}
    is_sent::<View<Image>>();
    is_sent::<View<Frame>>();
    is_sent::<Loan<Image>>();
    is_sent::<LoanedBytes>();
    is_sent::<Arc<Near>>();
}
