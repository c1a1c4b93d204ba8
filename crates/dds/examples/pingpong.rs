//! Ping-pong between two processes over UDP: `pingpong pong` and `pingpong ping [SIZE] [reliable]`.
use bytes::Bytes;
use dunlin::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

#[derive(Topic, Clone)]
#[topic(extensibility = "final")]
struct Ball {
    number: u64,
    data: Bytes,
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().collect();
    let ping = args.get(1).is_some_and(|a| a == "ping");
    let size = args.get(2).and_then(|s| s.parse().ok()).unwrap_or(20);
    let reliable = args.iter().any(|a| a == "reliable");
    let reliability = if reliable {
        Reliability::RELIABLE
    } else {
        Reliability::BEST_EFFORT
    };
    let participant = DomainParticipant::new(0)?;
    let (publisher, subscriber) = (
        participant.create_publisher(Default::default()),
        participant.create_subscriber(Default::default()),
    );
    let out =
        participant.create_topic::<Ball>(if ping { "Ping" } else { "Pong" }, Default::default())?;
    let back =
        participant.create_topic::<Ball>(if ping { "Pong" } else { "Ping" }, Default::default())?;
    let writer = publisher.create_datawriter(
        &out,
        DataWriterQos {
            reliability,
            ..Default::default()
        },
    )?;
    let seen = Arc::new(AtomicU64::new(0));
    let guard = GuardCondition::new();
    let listener = {
        let (seen, guard, writer) = (Arc::clone(&seen), guard.clone(), writer.clone());
        move |reader: &DataReader<Ball>| {
            while let Some(sample) = reader.take_next_sample() {
                let Some(ball) = sample.data() else { continue };
                seen.store(ball.number, Relaxed);
                if ping {
                    guard.set_trigger_value(true);
                } else if let Err(e) = writer.write(ball) {
                    eprintln!("{e}");
                }
            }
        }
    };
    let qos = DataReaderQos {
        reliability,
        ..Default::default()
    };
    let reader = subscriber.create_datareader_with_listener(&back, qos, listener)?;
    let start = Instant::now();
    writer.wait_for_matched(1, Duration::from_secs(20))?;
    reader.wait_for_matched(1, Duration::from_secs(20))?;
    eprintln!("matched after {:?}", start.elapsed());
    if !ping {
        while reader.matched_count() > 0 {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        return Ok(());
    }
    let set = WaitSet::new();
    set.attach(guard.clone());
    set.attach(reader.status_condition());
    reader
        .status_condition()
        .set_enabled_statuses(StatusMask::NONE);
    let mut times = Vec::new();
    let (mut lost, count) = (0, 200_000 / (1 + size as u64 / 2000));
    for number in 1..=count {
        let begin = Instant::now();
        writer.write(&Ball {
            number,
            data: Bytes::from(vec![0; size]),
        })?;
        while seen.load(Relaxed) != number {
            guard.set_trigger_value(false);
            if seen.load(Relaxed) != number && set.wait(Duration::from_secs(2)).is_err() {
                lost += 1;
                break;
            }
        }
        times.push(begin.elapsed().as_nanos() / 2);
    }
    times.sort_unstable();
    let at = |p: usize| times[times.len() * p / 1000] as f64 / 1000.0;
    println!(
        "{size} B reliable {reliable}: p50 {} p90 {} p99 {} p99.9 {} us, lost {lost}",
        at(500),
        at(900),
        at(990),
        at(999)
    );
    Ok(())
}
