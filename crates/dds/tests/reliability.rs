//! What reliable delivery promises, with whole participants and real threads over a network that
//! loses datagrams.
mod common;
use bytes::Bytes;
use common::{Keyed, Net, Plain, SOON, reader, reliable_all, take, writer};
use dunlin::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

#[test]
fn ten_thousand_samples_arrive_once_and_in_order_though_a_fifth_of_the_datagrams_is_lost() {
    let net = Net::new(0.2);
    let (wqos, rqos) = reliable_all();
    let wqos = DataWriterQos {
        resource_limits: ResourceLimits {
            max_samples: Some(200),
            ..Default::default()
        },
        ..wqos
    };
    let (a, b) = (net.participant(), net.participant());
    let writer = writer::<Plain>(&a, "T", wqos);
    let reader = reader::<Plain>(&b, "T", rqos);
    writer.wait_for_matched(1, SOON).unwrap();
    let sender = std::thread::spawn(move || {
        let data = Bytes::from(vec![0x5a; 1024]);
        for number in 0..10_000 {
            writer
                .write(&Plain {
                    number,
                    data: data.clone(),
                })
                .unwrap();
        }
        writer.wait_for_acknowledgments(SOON).unwrap();
    });
    let samples = take(&reader, 10_000);
    sender.join().unwrap();
    let mut data = samples.iter().filter_map(|s| s.data());
    for number in 0..10_000 {
        let ball = data
            .next()
            .map(|d| (d.number, d.data.iter().all(|b| *b == 0x5a)));
        assert_eq!(ball, Some((number, true)), "of {} samples", samples.len());
    }
    let rest = reader.take();
    let beyond = data.count() + rest.iter().filter(|s| s.data().is_some()).count();
    assert_eq!(
        beyond, 0,
        "only the news that the writer has gone may follow"
    );
}

#[test]
fn large_samples_survive_the_loss_of_fragments() {
    let net = Net::new(0.1);
    let (wqos, rqos) = reliable_all();
    let (a, b) = (net.participant(), net.participant());
    let writer = writer::<Plain>(&a, "Large", wqos);
    let reader = reader::<Plain>(&b, "Large", rqos);
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    let data: Bytes = (0..1_000_000u32).map(|i| i as u8).collect();
    for number in 0..20 {
        writer
            .write(&Plain {
                number,
                data: data.clone(),
            })
            .unwrap();
    }
    let samples = take(&reader, 20);
    assert_eq!(samples.len(), 20);
    for (number, sample) in (0..).zip(&samples) {
        assert_eq!(
            sample.data(),
            Some(&Plain {
                number,
                data: data.clone()
            })
        );
    }
}

#[test]
fn a_damaged_message_is_noticed_and_repeated() {
    let net = Net::new(0.0);
    let (wqos, rqos) = reliable_all();
    let (a, b) = (net.participant(), net.participant());
    let writer = writer::<Plain>(&a, "T", wqos);
    let reader = reader::<Plain>(&b, "T", rqos);
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    net.set_faults(dunlin::transport::Faults {
        corrupt: 0.05,
        ..Default::default()
    });
    let data = Bytes::from(vec![0x5a; 300]);
    // Samples that are written quickly share datagrams, so how many there are is not known.
    for _ in 0..20 {
        for number in 0..3_000 {
            let data = data.clone();
            writer.write(&Plain { number, data }).unwrap();
        }
        let samples = take(&reader, 3_000);
        for (number, sample) in (0..).zip(&samples) {
            let data = data.clone();
            assert_eq!(sample.data(), Some(&Plain { number, data }));
        }
        assert_eq!(samples.len(), 3_000);
        if b.counters().damaged > 50 {
            return;
        }
    }
    panic!("{:?}", b.counters());
}

#[test]
fn a_late_joiner_gets_the_history_that_a_transient_local_writer_keeps() {
    let net = Net::new(0.2);
    let (wqos, rqos) = reliable_all();
    let wqos = DataWriterQos {
        durability: Durability::TransientLocal,
        history: History::KeepLast(3),
        ..wqos
    };
    let writer = writer::<Keyed>(&net.participant(), "T", wqos);
    for number in 0..10 {
        for name in ["one", "two"] {
            writer
                .write(&Keyed {
                    name: name.into(),
                    number,
                })
                .unwrap();
        }
    }
    let durable = DataReaderQos {
        durability: Durability::TransientLocal,
        ..rqos.clone()
    };
    let late = reader::<Keyed>(&net.participant(), "T", durable);
    let got: Vec<_> = take(&late, 6)
        .into_iter()
        .filter_map(Sample::into_data)
        .collect();
    let expected: Vec<_> = (7..10)
        .flat_map(|number| {
            ["one", "two"].map(|name| Keyed {
                name: name.into(),
                number,
            })
        })
        .collect();
    let sorted = |mut v: Vec<Keyed>| {
        v.sort_by_key(|k| (k.number, k.name.clone()));
        v
    };
    assert_eq!(sorted(got), expected);
    let volatile = reader::<Keyed>(&net.participant(), "T", rqos);
    volatile.wait_for_matched(1, SOON).unwrap();
    writer.wait_for_matched(2, SOON).unwrap();
    writer
        .write(&Keyed {
            name: "one".into(),
            number: 99,
        })
        .unwrap();
    let first = take(&volatile, 1);
    assert_eq!(first[0].data().map(|d| d.number), Some(99));
}

#[test]
fn a_full_history_blocks_for_as_long_as_allowed_and_says_who_is_behind() {
    let net = Net::new(0.0);
    let (wqos, rqos) = reliable_all();
    let wqos = DataWriterQos {
        reliability: Reliability {
            max_blocking_time: Duration::from_millis(50),
            ..Reliability::RELIABLE
        },
        resource_limits: ResourceLimits {
            max_samples: Some(4),
            ..Default::default()
        },
        ..wqos
    };
    let rqos = DataReaderQos {
        resource_limits: ResourceLimits {
            max_samples: Some(4),
            ..Default::default()
        },
        ..rqos
    };
    let (a, b) = (net.participant(), net.participant());
    let writer = writer::<Plain>(&a, "T", wqos);
    let reader = reader::<Plain>(&b, "T", rqos);
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    let mut number = 0;
    let error = loop {
        match writer.write(&Plain {
            number,
            data: Bytes::new(),
        }) {
            Ok(_) => number += 1,
            Err(error) => break error,
        }
        assert!(
            number <= 8,
            "a reader with room for 4 and a writer with room for 4 hold at most 8"
        );
    };
    let text = error.to_string();
    assert!(matches!(error, Error::Timeout { .. }), "{text}");
    assert!(
        text.contains(&reader.guid().to_string()) && text.contains("max_blocking_time"),
        "{text}"
    );
    let mut got = take(&reader, number as usize);
    writer
        .write(&Plain {
            number,
            data: Bytes::new(),
        })
        .unwrap();
    got.extend(take(&reader, 1));
    assert!(
        got.iter()
            .filter_map(|s| s.data())
            .map(|d| d.number)
            .eq(0..=number)
    );
}

#[test]
fn a_writer_that_goes_waits_until_what_it_wrote_has_arrived() {
    let net = Net::new(0.3);
    let (wqos, rqos) = reliable_all();
    let (a, b) = (net.participant(), net.participant());
    let reader = reader::<Plain>(&b, "T", rqos);
    {
        let writer = writer::<Plain>(&a, "T", wqos);
        writer.wait_for_matched(1, SOON).unwrap();
        for number in 0..100 {
            writer
                .write(&Plain {
                    number,
                    data: Bytes::new(),
                })
                .unwrap();
        }
    }
    let numbers: Vec<_> = take(&reader, 100)
        .iter()
        .filter_map(|s| s.data())
        .map(|d| d.number)
        .collect();
    assert!(numbers.iter().copied().eq(0..100), "{numbers:?}");
}

#[test]
fn a_writer_that_waits_for_room_receives_meanwhile_and_its_listeners_may_write() {
    let net = Net::new(0.0);
    let (wqos, rqos) = reliable_all();
    let wqos = DataWriterQos {
        resource_limits: ResourceLimits {
            max_samples: Some(4),
            ..Default::default()
        },
        ..wqos
    };
    let (a, b) = (net.participant(), net.participant());
    let (ping, pong) = (
        writer::<Plain>(&a, "Ping", wqos.clone()),
        writer::<Plain>(&b, "Pong", wqos.clone()),
    );
    let topic = b.create_topic::<Plain>("Ping", Default::default()).unwrap();
    let answers = pong.clone();
    let echo = move |reader: &DataReader<Plain>| {
        while let Some(sample) = reader.take_next_sample() {
            sample.data().map(|ball| answers.write(ball).unwrap());
        }
    };
    let _echo = b
        .create_subscriber(Default::default())
        .create_datareader_with_listener(&topic, rqos.clone(), echo)
        .unwrap();
    let topic = a.create_topic::<Plain>("Pong", Default::default()).unwrap();
    let (seen, also) = (
        Arc::new(AtomicU32::new(0)),
        writer::<Plain>(&a, "Also", wqos),
    );
    let count = Arc::clone(&seen);
    let back = a
        .create_subscriber(Default::default())
        .create_datareader_with_listener(&topic, rqos, move |reader: &DataReader<Plain>| {
            while let Some(sample) = reader.take_next_sample() {
                count.fetch_add(1, Ordering::SeqCst);
                sample.data().map(|ball| also.write(ball).unwrap());
            }
        })
        .unwrap();
    ping.wait_for_matched(1, SOON).unwrap();
    back.wait_for_matched(1, SOON).unwrap();
    pong.wait_for_matched(1, SOON).unwrap();
    for number in 0..2_000 {
        let data = Bytes::from_static(b"ball");
        ping.write(&Plain { number, data }).unwrap();
    }
    ping.wait_for_acknowledgments(SOON).unwrap();
    let until = Instant::now() + std::time::Duration::from_secs(300);
    while seen.load(Ordering::SeqCst) < 2_000 && Instant::now() < until {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(seen.load(Ordering::SeqCst), 2_000);
}

/// Bytes of an application that hears of their end, and uses the middleware then.
struct Watched {
    bytes: Vec<u8>,
    news: DataWriter<Plain>,
    ended: Arc<AtomicU32>,
}

impl AsRef<[u8]> for Watched {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let data = Bytes::new();
        self.news.write(&Plain { number: 1, data }).unwrap();
        self.news.matched_count();
        self.ended.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn large_bytes_of_the_application_are_not_copied_and_end_once_acknowledged_without_any_lock() {
    let net = Net::new(0.0);
    let (wqos, rqos) = reliable_all();
    let (a, b) = (net.participant(), net.participant());
    let news = writer::<Plain>(&a, "News", DataWriterQos::default());
    let large = writer::<Plain>(&a, "Large", wqos);
    let back = reader::<Plain>(&b, "Large", rqos);
    large.wait_for_matched(1, SOON).unwrap();
    let ended = Arc::new(AtomicU32::new(0));
    // Nobody answers before it was looked at the first ones.
    net.set_drop(1.0);
    for number in 0..20 {
        let length = 5_000 + 20_000 * number as usize;
        let data = Bytes::from_owner(Watched {
            bytes: vec![number as u8; length],
            news: news.clone(),
            ended: Arc::clone(&ended),
        });
        large.write(&Plain { number, data }).unwrap();
        // Later ones may be acknowledged by now: an answer is asked for at every so many bytes.
        let kept = number > 4 || ended.load(Ordering::SeqCst) <= number;
        assert!(kept, "copied, not kept");
        if number % 5 == 4 {
            net.set_drop(0.0);
            large.wait_for_acknowledgments(SOON).unwrap();
            let patience = Instant::now();
            while ended.load(Ordering::SeqCst) <= number {
                assert!(patience.elapsed().as_secs() < 300, "kept for ever");
                std::thread::yield_now();
            }
        }
    }
    let samples = take(&back, 20);
    for (number, sample) in (0..).zip(&samples) {
        let data = &sample.data().unwrap().data;
        assert_eq!(data.len(), 5_000 + 20_000 * usize::from(number));
        assert!(data.iter().all(|byte| *byte == number));
    }
}
