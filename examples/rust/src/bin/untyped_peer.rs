//! Untyped peer: publishes or subscribes to a keyed type that is built at run time, with a program
//! of any product at the other side. The tests in `tests/interop` run it with Cyclone DDS and
//! Fast DDS; its options and its output are those of their peers (`tests/interop/peer.h`).
use dunlin::cdr::Extensibility;
use dunlin::untyped::{ChangeKind, TypeSupport, UntypedSample, WriteOptions};
use dunlin::xtypes::{DynamicType, MemberPath, TypeIndex, TypeTreeBuilder, Value};
use dunlin::{
    DataReaderQos, DataWriterQos, DomainParticipant, Durability, Duration, Error, History,
    InstanceHandle, PublisherQos, Reliability, Result, Select, SubscriberQos, TopicQos,
    UntypedReader, UntypedTopic, UntypedWriter, WaitSet,
};
use std::collections::HashSet;
use std::io::Read;
use std::time::Instant;

/// The options of the command line.
#[derive(Debug)]
struct Options {
    topic: String,
    count: i32,
    instances: i32,
    /// Octets of `data`.
    size: usize,
    period_us: u64,
    settle_ms: u64,
    timeout_s: u64,
    wait_match: usize,
    durability: Durability,
    filter: Option<String>,
    dispose: bool,
    /// Samples are built in memory that the writer lends.
    loan: bool,
    /// After `done`, stay until standard input is closed.
    hold: bool,
}

fn bad(what: impl std::fmt::Display) -> Error {
    Error::BadParameter(what.to_string())
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self> {
        let mut options = Self {
            topic: String::new(),
            count: 10,
            instances: 1,
            size: 32,
            period_us: 0,
            settle_ms: 200,
            timeout_s: 10,
            wait_match: 1,
            durability: Durability::Volatile,
            filter: None,
            dispose: false,
            loan: false,
            hold: false,
        };
        while let Some(name) = arguments.next() {
            let flag = match name.as_str() {
                "--dispose" => &mut options.dispose,
                "--loan" => &mut options.loan,
                "--hold" => &mut options.hold,
                _ => {
                    let value = arguments.next().ok_or_else(|| bad(&name))?;
                    options.set(&name, value)?;
                    continue;
                }
            };
            *flag = true;
        }
        Ok(options)
    }

    fn set(&mut self, name: &str, value: String) -> Result<()> {
        fn number<N: std::str::FromStr<Err: std::fmt::Display>>(text: &str) -> Result<N> {
            text.parse().map_err(|e| bad(format!("{text:?}: {e}")))
        }
        match (name, value.as_str()) {
            ("--topic", _) => self.topic = value,
            ("--filter", _) => self.filter = Some(value),
            ("--count", text) => self.count = number(text)?,
            ("--instances", text) => self.instances = number::<i32>(text)?.max(1),
            ("--size", text) => self.size = number(text)?,
            ("--period-us", text) => self.period_us = number(text)?,
            ("--settle-ms", text) => self.settle_ms = number(text)?,
            ("--timeout-s", text) => self.timeout_s = number(text)?,
            ("--wait-match", text) => self.wait_match = number(text)?,
            ("--durability", "transient-local") => self.durability = Durability::TransientLocal,
            // This peer has no others.
            ("--type", "keyed") | ("--reliability", "reliable") | ("--history", "keep-all") => {}
            _ => return Err(bad(format!("{name} {value}: not an option of this peer"))),
        }
        Ok(())
    }
}

/// `interop::Keyed` of `tests/interop/interop.idl`.
fn keyed_type() -> Result<DynamicType> {
    let mut types = TypeTreeBuilder::new();
    let name = types.string(64);
    let data = types.sequence(TypeIndex::BYTE, 0);
    let keyed = types
        .structure("interop::Keyed", Extensibility::Final)
        .member("name", name)
        .key()
        .member("seq", TypeIndex::INT32)
        .member("data", data)
        .finish();
    types.build(keyed).map_err(bad)
}

fn name_of(sequence: i32, options: &Options) -> String {
    format!("bird-{}", (sequence - 1) % options.instances)
}

/// The octet of `data` at an index, by the number of the sample.
fn octet(sequence: i32, index: usize) -> u8 {
    let sum = (sequence as usize)
        .wrapping_mul(131)
        .wrapping_add(index * 7 + index / 251);
    sum as u8
}

/// The serialized key in XCDR1, little endian.
fn key(name: &str) -> Vec<u8> {
    let mut out = vec![0, 1, 0, 0];
    out.extend((name.len() as u32 + 1).to_le_bytes());
    out.extend(name.bytes().chain([0]));
    out
}

/// A serialized sample in XCDR1, little endian.
fn sample(sequence: i32, options: &Options) -> Vec<u8> {
    let mut out = key(&name_of(sequence, options));
    out.resize(out.len().next_multiple_of(4), 0);
    out.extend(sequence.to_le_bytes());
    out.extend((options.size as u32).to_le_bytes());
    out.extend((0..options.size).map(|index| octet(sequence, index)));
    out
}

fn write_all(writer: &UntypedWriter, options: &Options) -> Result<()> {
    for sequence in 1..=options.count {
        let payload = sample(sequence, options);
        if options.loan {
            let mut loan = writer.loan(payload.len());
            loan.copy_from_slice(&payload);
            writer.write_loan(loan, &WriteOptions::default())?;
        } else {
            writer.write(ChangeKind::Alive, &payload, &WriteOptions::default())?;
        }
        std::thread::sleep(std::time::Duration::from_micros(options.period_us));
    }
    println!("written {}", options.count);
    if options.dispose {
        for instance in 1..=options.instances {
            let key = key(&name_of(instance, options));
            writer.write(ChangeKind::Disposed, &key, &WriteOptions::default())?;
        }
    }
    Ok(())
}

fn publish(participant: &DomainParticipant, topic: &UntypedTopic, o: &Options) -> Result<()> {
    let qos = DataWriterQos {
        history: History::KeepAll,
        durability: o.durability,
        ..Default::default()
    };
    let publisher = participant.create_publisher(PublisherQos::default());
    let writer = publisher.create_untyped_datawriter(topic, qos)?;
    let timeout = std::time::Duration::from_secs(o.timeout_s);
    writer.wait_for_matched(o.wait_match, timeout)?;
    // The reader may match a little later than the writer.
    std::thread::sleep(std::time::Duration::from_millis(o.settle_ms));
    write_all(&writer, o)?;
    writer.wait_for_acknowledgments(timeout)?;
    println!("done sent={}", o.count);
    wait_for_release(o);
    Ok(())
}

/// What a subscriber has got.
struct Received<'a> {
    options: &'a Options,
    sequence: MemberPath,
    name: MemberPath,
    count: i32,
    all_good: bool,
    disposed: HashSet<InstanceHandle>,
}

impl Received<'_> {
    fn receive(&mut self, sample: &UntypedSample, reader: &UntypedReader) -> Result<()> {
        if sample.info.valid_data {
            return self.receive_data(&sample.payload()?);
        }
        let instance = sample.info.instance;
        if sample.info.change_kind != ChangeKind::Alive && self.disposed.insert(instance) {
            // Some products send the hash of the key only.
            let key = match sample.payload()? {
                key if key.is_empty() => reader.key_value(instance).unwrap_or_default(),
                key => key,
            };
            let name = self.name.locate(&key).map_err(bad)?;
            if let Some(Value::Text(name)) = name.and_then(|name| name.value()) {
                let name = String::from_utf8_lossy(name);
                println!("instance key={name} state=disposed");
            }
        }
        Ok(())
    }

    fn receive_data(&mut self, payload: &[u8]) -> Result<()> {
        let found = self.sequence.locate(payload).map_err(bad)?;
        let Some(Value::Signed(sequence)) = found.and_then(|found| found.value()) else {
            return Err(bad("a sample without `seq`"));
        };
        let sequence = i32::try_from(sequence).map_err(bad)?;
        // Other products may leave padding behind a sample.
        let expected = self::sample(sequence, self.options);
        let content = payload.get(4..expected.len());
        let good = content == expected.get(4..) && payload.len() < expected.len() + 4;
        println!(
            "sample seq={sequence} size={} state=alive content={}",
            self.options.size,
            if good { "good" } else { "bad" }
        );
        self.count += 1;
        self.all_good &= good;
        Ok(())
    }

    fn is_complete(&self) -> bool {
        let ended = self.disposed.len() >= self.options.instances as usize;
        self.count >= self.options.count && (ended || !self.options.dispose)
    }
}

fn subscribe(participant: &DomainParticipant, topic: &UntypedTopic, o: &Options) -> Result<()> {
    let qos = DataReaderQos {
        reliability: Reliability::RELIABLE,
        history: History::KeepAll,
        durability: o.durability,
        ..Default::default()
    };
    let subscriber = participant.create_subscriber(SubscriberQos::default());
    let reader = match &o.filter {
        None => subscriber.create_untyped_datareader(topic, qos)?,
        Some(filter) => {
            let none: [&str; 0] = [];
            let part =
                participant.create_untyped_contentfilteredtopic("Part", topic, filter, &none)?;
            subscriber.create_untyped_datareader(&part, qos)?
        }
    };
    let ty = keyed_type()?;
    let mut received = Received {
        options: o,
        sequence: MemberPath::new(&ty, "seq").map_err(bad)?,
        name: MemberPath::new(&ty, "name").map_err(bad)?,
        count: 0,
        all_good: true,
        disposed: HashSet::new(),
    };
    let waits = WaitSet::new();
    waits.attach(reader.read_condition(Select::default()));
    let end = Instant::now() + std::time::Duration::from_secs(o.timeout_s);
    let mut samples = Vec::new();
    while !received.is_complete() {
        let left = end.saturating_duration_since(Instant::now());
        waits.wait(Duration::from(left))?;
        reader.take(&Select::default(), &mut samples);
        for sample in samples.drain(..) {
            received.receive(&sample, &reader)?;
        }
    }
    println!("done received={}", received.count);
    wait_for_release(o);
    match received.all_good {
        true => Ok(()),
        false => Err(bad("the content is not what the number of the sample says")),
    }
}

fn wait_for_release(options: &Options) {
    let mut input = std::io::stdin();
    while options.hold && input.read(&mut [0; 64]).is_ok_and(|length| length > 0) {}
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let side = arguments.next().unwrap_or_default();
    let options = Options::parse(arguments)?;
    let participant = DomainParticipant::new(0)?;
    let ty = TypeSupport::from_type(&keyed_type()?)?;
    let topic = participant.create_untyped_topic(&options.topic, &ty, TopicQos::default())?;
    match side.as_str() {
        "pub" => publish(&participant, &topic, &options),
        "sub" => subscribe(&participant, &topic, &options),
        other => Err(bad(format!("{other:?}: `pub` or `sub`"))),
    }
}
