//! Forward: copies a topic from domain 0 to domain 1 without knowing its type, every change as it
//! was sent and with its origin. It never waits in a write, so one thread could serve many topics.
//!
//! `forward measure [COUNT]` says how many samples a second it copies, of 32 octets and batched;
//! `forward measure COUNT direct` how many go without it. With `subscribe`, `forward` and `publish`
//! in the place of `direct` these are three processes, of which the second ends with its input.
use dunlin::untyped::{
    Piece, TryWriteError, TypeSupport, UntypedReaderOptions, UntypedSample, WriteOptions,
};
use dunlin::{
    Batching, DataReaderQos, DataWriterQos, DomainParticipant, Duration, GuardCondition, History,
    PublisherQos, Reliability, ResourceLimits, SampleOrigin, Select, StatusMask, SubscriberQos,
    Topic, TopicQos, UntypedWriter, UntypedWriterListener, WaitSet,
};
use std::io;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Instant;

/// What writers keep for readers that are behind; then `write` waits, and the forwarder takes no
/// more.
const LIMITS: ResourceLimits = ResourceLimits {
    max_samples: Some(10_000),
    max_instances: None,
    max_samples_per_instance: None,
};

/// Samples that are taken at once.
const AT_ONCE: usize = 32;
/// A payload up to this length is copied sooner than it is shared.
const SHORT: usize = 4096;

/// Wakes the thread that forwards when the writer has room again.
struct Room(GuardCondition);

impl UntypedWriterListener for Room {
    fn on_room(&self, _: &UntypedWriter) {
        self.0.set_trigger_value(true);
    }
}

/// Writes a sample as it came; false if there is no room.
fn write(writer: &UntypedWriter, sample: &UntypedSample) -> dunlin::Result<bool> {
    let info = &sample.info;
    let options = WriteOptions {
        timestamp: info.source_timestamp,
        instance: Some(info.instance),
        origin: Some(SampleOrigin {
            original_writer: Some(info.identity()),
            related: info.related_sample_identity(),
            foreign_key_hash: info.foreign_key_hash,
            ..Default::default()
        }),
    };
    let payload = match sample.as_slice() {
        Some(bytes) if bytes.len() <= SHORT => Piece::Copied(bytes),
        _ => Piece::Shared(sample.payload()?),
    };
    match writer.try_write(info.change_kind, &[payload], &options) {
        Ok(_) => Ok(true),
        Err(TryWriteError::Full) => Ok(false),
        Err(TryWriteError::Failed(error)) => Err(error),
    }
}

/// Forwards until `stop` is set; says when the first reader is there.
fn forward(
    topic: &str,
    ty: &TypeSupport,
    batching: Batching,
    stop: &GuardCondition,
    ready: &Sender<()>,
) -> dunlin::Result<()> {
    let (from, to) = (DomainParticipant::new(0)?, DomainParticipant::new(1)?);
    let source = from.create_untyped_topic(topic, ty, TopicQos::default())?;
    let target = to.create_untyped_topic(topic, ty, TopicQos::default())?;
    let qos = DataReaderQos {
        reliability: Reliability::RELIABLE,
        ..Default::default()
    };
    let stream = UntypedReaderOptions {
        stream: true,
        ..Default::default()
    };
    let reader = from
        .create_subscriber(SubscriberQos::default())
        .create_untyped_datareader_with_options(&source, qos, stream, None::<()>)?;
    let qos = DataWriterQos {
        history: History::KeepAll,
        batching,
        resource_limits: LIMITS,
        ..Default::default()
    };
    let writer = to
        .create_publisher(PublisherQos::default())
        .create_untyped_datawriter(&target, qos)?;
    writer.wait_for_matched(1, Duration::from_secs(30))?;
    ready.send(()).expect("somebody waits for it");
    let room = GuardCondition::new();
    writer.set_listener(Room(room.clone()), StatusMask::NONE);
    let (data, waits) = (reader.read_condition(Select::default()), WaitSet::new());
    waits.attach(data.clone());
    waits.attach(room.clone());
    waits.attach(stop.clone());
    let batch = Select {
        max: AT_ONCE,
        ..Default::default()
    };
    let (mut taken, mut written) = (Vec::new(), 0);
    while !stop.trigger_value() {
        waits.wait_for(Duration::from_secs(1))?;
        room.set_trigger_value(false);
        loop {
            // No more is taken than can be written: a slow reader holds up the writer at the
            // source.
            if written == taken.len() {
                taken.clear();
                written = 0;
                reader.take(&batch, &mut taken);
            }
            let Some(next) = taken.get(written) else {
                break;
            };
            if !write(&writer, next)? {
                break;
            }
            written += 1;
        }
        // Nobody knows when the next one comes.
        writer.flush();
        // Data does not wake anybody while there is no room for it.
        match taken.is_empty() {
            true => waits.attach(data.clone()),
            false => drop(waits.detach(data.clone())),
        }
    }
    Ok(())
}

#[derive(Topic, Debug)]
struct Position {
    #[key]
    bird: u32,
    x: f64,
}

fn publish() -> dunlin::Result<()> {
    let qos = DataWriterQos {
        history: History::KeepAll,
        ..Default::default()
    };
    let writer = DomainParticipant::new(0)?.writer_with::<Position>("Positions", qos)?;
    writer.wait_for_matched(1, Duration::from_secs(30))?;
    for step in 0..1_000 {
        let (bird, x) = (step % 10, f64::from(step));
        writer.write(&Position { bird, x })?;
    }
    writer.dispose(&Position { bird: 9, x: 0.0 })?;
    writer.wait_for_acknowledgments(Duration::from_secs(30))
}

fn subscribe() -> dunlin::Result<()> {
    let qos = DataReaderQos {
        reliability: Reliability::RELIABLE,
        history: History::KeepAll,
        ..Default::default()
    };
    let reader = DomainParticipant::new(1)?.reader_with::<Position>("Positions", qos)?;
    let (mut count, mut last) = (0, None);
    while last.is_none() {
        reader.wait_for_data(Duration::from_secs(30))?;
        // Samples of an instance are together, so the end of one may come before others.
        for sample in reader.take() {
            count += 1;
            if sample.data().is_none() {
                last = sample.info.original_writer();
            }
        }
    }
    println!("{count} samples in domain 1; the end of bird 9 was {last:?}");
    Ok(())
}

/// A sample of 32 octets.
#[derive(Topic, Debug)]
struct Block {
    number: u64,
    rest: [u64; 3],
}

const BATCH: Batching = Batching { max_bytes: 8192 };
const WARM_UP: u64 = 100_000;

/// Samples that are measured, after the warm-up.
fn measured() -> u64 {
    let count = std::env::args().nth(2);
    count.map_or(10_000_000, |count| count.parse().expect("a number"))
}

fn publish_blocks() -> dunlin::Result<()> {
    publish_blocks_in(0)
}

fn publish_blocks_in(domain: u32) -> dunlin::Result<()> {
    // Whoever is behind is waited for.
    let reliability = Reliability {
        max_blocking_time: Duration::from_secs(30),
        ..Reliability::RELIABLE
    };
    let qos = DataWriterQos {
        reliability,
        history: History::KeepAll,
        batching: BATCH,
        resource_limits: LIMITS,
        ..Default::default()
    };
    let writer = DomainParticipant::new(domain)?.writer_with::<Block>("Blocks", qos)?;
    writer.wait_for_matched(1, Duration::from_secs(30))?;
    for number in 1..=WARM_UP + measured() {
        let rest = [number; 3];
        writer.write(&Block { number, rest })?;
    }
    writer.wait_for_acknowledgments(Duration::from_secs(30))
}

/// Counts what arrives in domain 1 from the end of the warm-up on.
fn count_blocks() -> dunlin::Result<()> {
    let qos = DataReaderQos {
        reliability: Reliability::RELIABLE,
        history: History::KeepAll,
        ..Default::default()
    };
    let reader = DomainParticipant::new(1)?.reader_with::<Block>("Blocks", qos)?;
    let measured = measured();
    let (mut count, mut start) = (0, Instant::now());
    while count < WARM_UP + measured {
        reader.wait_for_data(Duration::from_secs(30))?;
        reader.take_each(|sample| {
            count += u64::from(sample.data().is_some());
            if count == WARM_UP {
                start = Instant::now();
            }
        });
    }
    let rate = measured as f64 / start.elapsed().as_secs_f64();
    println!("{rate:.0} samples a second, of {measured} samples");
    Ok(())
}

/// Runs the forwarder between the two sides.
fn run<T: dunlin::TopicData>(
    topic: &'static str,
    is_keyed: bool,
    batching: Batching,
    publish: fn() -> dunlin::Result<()>,
    subscribe: fn() -> dunlin::Result<()>,
) -> dunlin::Result<()> {
    let stop = GuardCondition::new();
    let stopped = stop.clone();
    let (ready, is_ready) = mpsc::channel();
    let forwarder = thread::spawn(move || {
        let ty = TypeSupport::discovered(T::TYPE_NAME, is_keyed);
        forward(topic, &ty, batching, &stopped, &ready)
    });
    let subscriber = thread::spawn(subscribe);
    is_ready.recv().expect("the forwarder is there");
    publish()?;
    subscriber.join().expect("the subscriber ends")?;
    stop.set_trigger_value(true);
    forwarder.join().expect("the forwarder ends")
}

/// Forwards blocks until there is no more input.
fn forward_blocks() -> dunlin::Result<()> {
    let stop = GuardCondition::new();
    let stopped = stop.clone();
    thread::spawn(move || {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        stop.set_trigger_value(true);
    });
    let (ready, _is_ready) = mpsc::channel();
    let ty = TypeSupport::discovered(<Block as dunlin::TopicData>::TYPE_NAME, false);
    forward("Blocks", &ty, BATCH, &stopped, &ready)
}

fn measure(part: Option<&str>) -> dunlin::Result<()> {
    match part {
        Some("publish") => publish_blocks(),
        Some("forward") => forward_blocks(),
        Some("subscribe") => count_blocks(),
        Some("direct") => {
            let subscriber = thread::spawn(count_blocks);
            publish_blocks_in(1)?;
            subscriber.join().expect("the subscriber ends")
        }
        _ => run::<Block>("Blocks", false, BATCH, publish_blocks, count_blocks),
    }
}

fn main() -> dunlin::Result<()> {
    match std::env::args().nth(1).as_deref() {
        Some("measure") => measure(std::env::args().nth(3).as_deref()),
        _ => run::<Position>("Positions", true, Batching::default(), publish, subscribe),
    }
}
