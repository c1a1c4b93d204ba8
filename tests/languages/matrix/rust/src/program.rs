// A publisher, a subscriber, or what all have to print. It is included where the types are.

mod draw;
mod print;

mod finals {
    use crate::matrix::Finals as types;
    include!("values.rs");
}

mod appendables {
    use crate::matrix::Appendables as types;
    include!("values.rs");
}

mod mutables {
    use crate::matrix::Mutables as types;
    include!("values.rs");
}

use dunlin::{
    DataReader, DataReaderQos, DataRepresentation, DataWriter, DataWriterQos, DomainParticipant,
    Durability, Duration, History, InstanceState, ReadCondition, Reliability, ReliabilityKind,
    Select, TopicData, WaitSet, WriterDataLifecycle,
};

/// How many samples each topic has of each publisher.
const SAMPLES: u32 = 64;
/// How many instances a keyed topic has of each publisher.
const INSTANCES: u32 = 8;
const PATIENCE: Duration = Duration::from_secs(20);

/// A type of the matrix.
trait Value: TopicData + Send + Sync {
    const IS_KEYED: bool;
    fn make(from: &str, order: u32) -> Self;
    fn print(&self) -> String;
    fn print_key(&self) -> String {
        String::new()
    }
}

/// How many lines each publisher makes on a topic.
fn lines_of<T: Value>() -> u32 {
    SAMPLES + if T::IS_KEYED { INSTANCES } else { 0 }
}

/// An instance with an even number is disposed, one with an odd number is unregistered.
fn end_of(number: u32) -> &'static str {
    match number % 2 {
        0 => "disposed",
        _ => "unregistered",
    }
}

/// The lines that all subscribers print of a publisher on a topic.
fn expected<T: Value>(topic: &str, from: &str) -> Vec<String> {
    let values = (0..SAMPLES).map(|order| format!("{topic} {}", T::make(from, order).print()));
    let numbers = (0..INSTANCES).filter(|_| T::IS_KEYED);
    let ends = numbers.map(|number| {
        let key = T::make(from, number).print_key();
        format!("{topic} {key} {}", end_of(number))
    });
    values.chain(ends).collect()
}

/// Encodings by the last character of a topic's name. What has XCDR1 is written before anybody
/// knows the writer, so its readers are late joiners.
fn representation(topic: &str) -> (DataRepresentation, Durability) {
    match topic.ends_with('1') {
        true => (DataRepresentation::Xcdr1, Durability::TransientLocal),
        false => (DataRepresentation::Xcdr2, Durability::Volatile),
    }
}

fn writer<T: Value>(on: &DomainParticipant, topic: &str) -> dunlin::Result<DataWriter<T>> {
    let (representation, durability) = representation(topic);
    let qos = DataWriterQos {
        representation,
        durability,
        history: History::KeepAll,
        reliability: Reliability {
            kind: ReliabilityKind::Reliable,
            max_blocking_time: PATIENCE,
        },
        writer_data_lifecycle: WriterDataLifecycle {
            autodispose_unregistered_instances: false,
        },
        ..Default::default()
    };
    on.writer_with(topic, qos)
}

fn reader<T: Value>(on: &DomainParticipant, topic: &str) -> dunlin::Result<DataReader<T>> {
    let (representation, durability) = representation(topic);
    let qos = DataReaderQos {
        representation: vec![representation],
        durability,
        history: History::KeepAll,
        reliability: Reliability::RELIABLE,
        ..Default::default()
    };
    on.reader_with(topic, qos)
}

trait Publication {
    fn write_all(&self, from: &str) -> dunlin::Result<()>;
    fn unregister_all(&self, from: &str) -> dunlin::Result<()>;
    fn wait_for_readers(&self, count: usize) -> dunlin::Result<()>;
    fn wait_for_all(&self) -> dunlin::Result<()>;
}

impl<T: Value> Publication for DataWriter<T> {
    fn write_all(&self, from: &str) -> dunlin::Result<()> {
        for order in 0..SAMPLES {
            self.write(&T::make(from, order))?;
        }
        for number in (0..INSTANCES).step_by(2).filter(|_| T::IS_KEYED) {
            self.dispose(&T::make(from, number))?;
        }
        Ok(())
    }

    fn unregister_all(&self, from: &str) -> dunlin::Result<()> {
        for number in (1..INSTANCES).step_by(2).filter(|_| T::IS_KEYED) {
            self.unregister_instance(&T::make(from, number))?;
        }
        Ok(())
    }

    fn wait_for_readers(&self, count: usize) -> dunlin::Result<()> {
        self.wait_for_matched(count, PATIENCE)
    }

    fn wait_for_all(&self) -> dunlin::Result<()> {
        self.wait_for_acknowledgments(PATIENCE)
    }
}

trait Subscription {
    fn condition(&self) -> ReadCondition;
    fn take_all(&self, topic: &str, lines: &mut Vec<String>);
    fn lines_each(&self) -> u32;
}

impl<T: Value> Subscription for DataReader<T> {
    fn condition(&self) -> ReadCondition {
        self.read_condition(Select::default())
    }

    fn take_all(&self, topic: &str, lines: &mut Vec<String>) {
        for sample in self.take() {
            let line = match (sample.data(), sample.key(), sample.info.instance_state) {
                (Some(value), _, _) => value.print(),
                (None, Some(key), InstanceState::NotAliveDisposed) => key.print_key() + " disposed",
                (None, Some(key), InstanceState::NotAliveNoWriters) if T::IS_KEYED => {
                    key.print_key() + " unregistered"
                }
                _ => continue,
            };
            lines.push(format!("{topic} {line}"));
        }
    }

    fn lines_each(&self) -> u32 {
        lines_of::<T>()
    }
}

/// Whether a topic takes part: those that `MATRIX_WITHOUT` names do not.
fn takes_part(topic: &str) -> bool {
    let without = std::env::var("MATRIX_WITHOUT").unwrap_or_default();
    without.split(',').all(|name| name != topic)
}

/// Calls a function for each topic that takes part with its type and its name.
macro_rules! each_topic {
    ($call:ident($($arguments:expr),*)) => {
        [
            takes_part("Finals_Flat_1").then(|| $call::<matrix::Finals::Flat>($($arguments,)* "Finals_Flat_1")),
            takes_part("Finals_Flat_2").then(|| $call::<matrix::Finals::Flat>($($arguments,)* "Finals_Flat_2")),
            takes_part("Finals_Many_1").then(|| $call::<matrix::Finals::Many>($($arguments,)* "Finals_Many_1")),
            takes_part("Finals_Many_2").then(|| $call::<matrix::Finals::Many>($($arguments,)* "Finals_Many_2")),
            takes_part("Finals_Deep_1").then(|| $call::<matrix::Finals::Deep>($($arguments,)* "Finals_Deep_1")),
            takes_part("Finals_Deep_2").then(|| $call::<matrix::Finals::Deep>($($arguments,)* "Finals_Deep_2")),
            takes_part("Appendables_Flat_1").then(|| $call::<matrix::Appendables::Flat>($($arguments,)* "Appendables_Flat_1")),
            takes_part("Appendables_Flat_2").then(|| $call::<matrix::Appendables::Flat>($($arguments,)* "Appendables_Flat_2")),
            takes_part("Appendables_Many_1").then(|| $call::<matrix::Appendables::Many>($($arguments,)* "Appendables_Many_1")),
            takes_part("Appendables_Many_2").then(|| $call::<matrix::Appendables::Many>($($arguments,)* "Appendables_Many_2")),
            takes_part("Appendables_Deep_1").then(|| $call::<matrix::Appendables::Deep>($($arguments,)* "Appendables_Deep_1")),
            takes_part("Appendables_Deep_2").then(|| $call::<matrix::Appendables::Deep>($($arguments,)* "Appendables_Deep_2")),
            takes_part("Mutables_Flat_1").then(|| $call::<matrix::Mutables::Flat>($($arguments,)* "Mutables_Flat_1")),
            takes_part("Mutables_Flat_2").then(|| $call::<matrix::Mutables::Flat>($($arguments,)* "Mutables_Flat_2")),
            takes_part("Mutables_Many_1").then(|| $call::<matrix::Mutables::Many>($($arguments,)* "Mutables_Many_1")),
            takes_part("Mutables_Many_2").then(|| $call::<matrix::Mutables::Many>($($arguments,)* "Mutables_Many_2")),
            takes_part("Mutables_Deep_1").then(|| $call::<matrix::Mutables::Deep>($($arguments,)* "Mutables_Deep_1")),
            takes_part("Mutables_Deep_2").then(|| $call::<matrix::Mutables::Deep>($($arguments,)* "Mutables_Deep_2")),
        ]
        .into_iter()
        .flatten()
    };
}

fn publication<T: Value + 'static>(
    on: &DomainParticipant,
    topic: &'static str,
) -> dunlin::Result<(&'static str, Box<dyn Publication>)> {
    Ok((topic, Box::new(writer::<T>(on, topic)?)))
}

fn publish(from: &str, readers: usize) -> dunlin::Result<()> {
    let participant = DomainParticipant::new(0)?;
    let writers = each_topic!(publication(&participant));
    let writers = writers.collect::<dunlin::Result<Vec<_>>>()?;
    let of = |digit| {
        writers
            .iter()
            .filter(move |(topic, _)| topic.ends_with(digit))
    };
    of('1').try_for_each(|(_, writer)| writer.write_all(from))?;
    let all = || writers.iter().map(|(_, writer)| writer);
    all().try_for_each(|writer| writer.wait_for_readers(readers))?;
    of('2').try_for_each(|(_, writer)| writer.write_all(from))?;
    // Not before: late joiners do not hear of what is unregistered.
    all().try_for_each(|writer| writer.unregister_all(from))?;
    all().try_for_each(|writer| writer.wait_for_all())
}

fn subscription<T: Value + 'static>(
    on: &DomainParticipant,
    topic: &'static str,
) -> dunlin::Result<(&'static str, Box<dyn Subscription>)> {
    Ok((topic, Box::new(reader::<T>(on, topic)?)))
}

fn subscribe(publishers: usize) -> dunlin::Result<()> {
    let participant = DomainParticipant::new(0)?;
    let readers = each_topic!(subscription(&participant));
    let readers = readers.collect::<dunlin::Result<Vec<_>>>()?;
    let waits = WaitSet::new();
    for (_, reader) in &readers {
        waits.attach(reader.condition());
    }
    let each: u32 = readers.iter().map(|(_, reader)| reader.lines_each()).sum();
    let wanted = publishers * each as usize;
    let mut lines = Vec::with_capacity(wanted);
    while lines.len() < wanted && waits.wait_for(PATIENCE)? {
        for (topic, reader) in &readers {
            reader.take_all(topic, &mut lines);
        }
    }
    print(&lines);
    if lines.len() < wanted {
        eprintln!("rust: {} lines of {wanted} came", lines.len());
        std::process::exit(1);
    }
    Ok(())
}

fn expect<T: Value>(from: &str, topic: &str) -> Vec<String> {
    expected::<T>(topic, from)
}

fn print(lines: &[String]) {
    println!("{}", lines.join("\n"));
}

fn main() -> dunlin::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match (&arguments[..], arguments.last().map(|count| count.parse())) {
        (["publish", from, _], Some(Ok(readers))) => publish(from, readers),
        (["subscribe", _], Some(Ok(publishers))) => subscribe(publishers),
        (["expected", all @ ..], _) => {
            for from in all {
                print(&each_topic!(expect(from)).flatten().collect::<Vec<_>>());
            }
            Ok(())
        }
        _ => Err(dunlin::Error::BadParameter(
            "publish FROM READERS, subscribe PUBLISHERS, or expected FROM...".into(),
        )),
    }
}
