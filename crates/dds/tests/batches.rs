//! Many samples in a datagram: each reader gets each of them once and in order, whatever stands
//! between them.
mod common;

use bytes::Bytes;
use common::{Keyed, Net, Plain, SOON, reader, reliable_all, take, writer};
use dunlin::*;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Instant;

/// More than are taken in, or taken, under one lock.
const SAMPLES: u32 = 200;

/// As `reliable_all`, and all samples fit into one batch.
fn batched() -> (DataWriterQos, DataReaderQos) {
    let (wqos, rqos) = reliable_all();
    let batching = Batching { max_bytes: 60_000 };
    (DataWriterQos { batching, ..wqos }, rqos)
}

fn plain(number: u32) -> Plain {
    let data = Bytes::new();
    Plain { number, data }
}

fn numbers(samples: &[Sample<Plain>]) -> Vec<u32> {
    let data = samples.iter().filter_map(Sample::data);
    data.map(|plain| plain.number).collect()
}

#[test]
fn every_reader_gets_all_of_a_batch_and_one_without_room_gets_the_rest_later() {
    const ROOM: u32 = 5;
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (wqos, rqos) = batched();
    let narrow = DataReaderQos {
        resource_limits: ResourceLimits {
            max_samples: Some(ROOM),
            max_samples_per_instance: Some(ROOM),
            ..rqos.resource_limits
        },
        ..rqos.clone()
    };
    let writer = writer::<Plain>(&a, "T", wqos);
    let wide = [(); 2].map(|()| reader::<Plain>(&b, "T", rqos.clone()));
    let narrow = reader::<Plain>(&b, "T", narrow);
    writer.wait_for_matched(3, SOON).unwrap();
    narrow.wait_for_matched(1, SOON).unwrap();
    let all: Vec<u32> = (0..SAMPLES).collect();
    for number in &all {
        writer.write(&plain(*number)).unwrap();
    }
    writer.flush();
    for reader in &wide {
        let samples = take(reader, all.len());
        assert_eq!(numbers(&samples), all);
        let stamps: Vec<_> = samples.iter().map(|s| s.info.source_timestamp).collect();
        assert!(stamps.is_sorted() && stamps.iter().all(Option::is_some));
    }
    assert_eq!(numbers(&take(&narrow, all.len())), all);
    let rejected = narrow.sample_rejected_status();
    assert!(rejected.total_count > 0, "{rejected:?}");
    writer.wait_for_acknowledgments(SOON).unwrap();
}

/// How often a listener is called, and how many samples it takes, that is busy with the first while
/// all others come, each in a datagram of its own.
fn heard_late(rqos: DataReaderQos) -> (usize, usize) {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let wqos = DataWriterQos {
        reliability: rqos.reliability,
        ..reliable_all().0
    };
    let writer = writer::<Plain>(&a, "T", wqos);
    let heard = Arc::new(Mutex::new((0, 0)));
    let ears = Arc::clone(&heard);
    let (go, wait) = mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let listener = move |reader: &DataReader<Plain>| {
        // Only the first call waits: then nobody is at the other end any more.
        let _ = wait.lock().unwrap().recv();
        let mut taken = 0;
        reader.take_each(|_| taken += 1);
        let mut heard = ears.lock().unwrap();
        *heard = (heard.0 + 1, heard.1 + taken);
    };
    let topic = b.create_topic::<Plain>("T", Default::default()).unwrap();
    let reader = b
        .create_subscriber(Default::default())
        .create_datareader_with_listener(&topic, rqos, listener)
        .unwrap();
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    for number in 0..SAMPLES {
        writer.write(&plain(number)).unwrap();
        writer.flush();
    }
    drop(go);
    let deadline = Instant::now() + std::time::Duration::from_secs(60);
    while heard.lock().unwrap().1 < SAMPLES as usize && Instant::now() < deadline {
        std::thread::yield_now();
    }
    *heard.lock().unwrap()
}

#[test]
fn a_reader_that_is_behind_hears_of_several_datagrams_at_once_if_it_keeps_all_samples() {
    let (calls, taken) = heard_late(reliable_all().1);
    assert_eq!(taken, SAMPLES as usize);
    assert!(calls <= SAMPLES as usize / 4, "{calls} calls");
}

#[test]
fn a_reader_that_keeps_only_the_last_sample_hears_of_each_datagram() {
    let rqos = DataReaderQos {
        reliability: Reliability::BEST_EFFORT,
        history: History::KeepLast(1),
        ..Default::default()
    };
    assert_eq!(heard_late(rqos), (SAMPLES as usize, SAMPLES as usize));
}

#[test]
fn ends_of_instances_stay_between_the_samples_of_a_batch() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (wqos, rqos) = batched();
    let writer = writer::<Keyed>(&a, "T", wqos);
    let reader = reader::<Keyed>(&b, "T", rqos);
    writer.wait_for_matched(1, SOON).unwrap();
    let name = String::from("the only one");
    for number in 0..SAMPLES {
        let sample = Keyed {
            name: name.clone(),
            number,
        };
        writer.write(&sample).unwrap();
        if number % 50 == 49 {
            writer.dispose(&sample).unwrap();
        }
    }
    writer.flush();
    let samples = take(&reader, SAMPLES as usize + 1);
    let generations = samples.iter().filter(|s| s.info.valid_data);
    let generations: Vec<_> = generations
        .map(|s| s.info.disposed_generation_count)
        .collect();
    let expected: Vec<_> = (0..SAMPLES as i32).map(|number| number / 50).collect();
    assert_eq!(generations, expected);
}

#[test]
fn take_each_takes_all_in_order_and_what_comes_meanwhile() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (wqos, rqos) = reliable_all();
    let writer = writer::<Plain>(&a, "T", wqos);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ears = Arc::clone(&heard);
    let topic = b.create_topic::<Plain>("T", Default::default()).unwrap();
    let listener = move |reader: &DataReader<Plain>| {
        reader.take_each(|sample| {
            // The reader may be used: nothing is locked.
            assert!(reader.qos().reliability == Reliability::RELIABLE || sample.info.valid_data);
            ears.lock().unwrap().extend(sample.data().map(|d| d.number));
        });
    };
    let subscriber = b.create_subscriber(Default::default());
    let _listening = subscriber
        .create_datareader_with_listener(&topic, rqos.clone(), listener)
        .unwrap();
    let reader = subscriber.create_datareader(&topic, rqos).unwrap();
    writer.wait_for_matched(2, SOON).unwrap();
    let all: Vec<u32> = (0..SAMPLES).collect();
    for number in &all {
        writer.write(&plain(*number)).unwrap();
    }
    writer.wait_for_acknowledgments(SOON).unwrap();
    // What was read is not taken, but as a view.
    let one = Select {
        max: 1,
        ..Select::default()
    };
    assert_eq!(numbers(&reader.read_with(&one)), [0]);
    let mut taken = Vec::new();
    reader.take_each(|sample| {
        taken.extend(sample.data().map(|d| d.number));
        if taken.len() == 1 {
            writer.write(&plain(SAMPLES)).unwrap();
            writer.wait_for_acknowledgments(SOON).unwrap();
        }
    });
    assert_eq!(taken, (1..=SAMPLES).collect::<Vec<_>>());
    let mut views = Vec::new();
    reader.take_each_view(|view| views.extend(view.sample()));
    assert_eq!(numbers(&views), [0]);
    reader.take_each(|_| panic!("there is nothing left"));
    // Its listener was called before the acknowledgment, or runs in this moment.
    let deadline = Instant::now() + std::time::Duration::from_secs(60);
    while heard.lock().unwrap().len() <= all.len() && Instant::now() < deadline {
        std::thread::yield_now();
    }
    assert_eq!(*heard.lock().unwrap(), (0..=SAMPLES).collect::<Vec<_>>());
}
