//! Dunlin by its public API.
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration as StdDuration;

use dunlin::{
    Batching, DataReader, DataReaderQos, DataWriter, DataWriterQos, DomainParticipant, Duration,
    Error, History, Reliability, ResourceLimits, Select, WaitSet,
};

use crate::Outcome;
use crate::figures::{Usage, now};
use crate::lifeline::wait_for_close;
use crate::options::{Options, Role};
use crate::ping::{Next, Rally};
use crate::samples::{Copied, Huge, Keyed, Large, Load, Medium, Numbered, Small, Tiny};
use crate::stream::{self, Tally};

const PING: &str = "BenchPing";
const PONG: &str = "BenchPong";
const STREAM: &str = "BenchStream";

/// Longest wait for the other side.
const PATIENCE: Duration = Duration::from_secs(20);
const NAP: StdDuration = StdDuration::from_millis(20);

/// Runs one side.
pub(crate) fn run(options: &Options) -> Outcome<()> {
    match (options.zero_copy, options.instances, options.size) {
        (false, 0, _) => play::<Copied>(options),
        (false, ..) => play::<Keyed>(options),
        (true, _, 32) => play::<Tiny>(options),
        (true, _, 1024) => play::<Small>(options),
        (true, _, 63_000) => play::<Medium>(options),
        (true, _, 1_048_576) => play::<Large>(options),
        (true, _, 10_485_760) => play::<Huge>(options),
        (true, _, size) => Err(format!("--zero-copy: there is no type of {size} bytes").into()),
    }
}

fn play<T: Numbered>(options: &Options) -> Outcome<()> {
    let node = Node::<T>::open(options)?;
    match options.role {
        Role::Ping => node.ping(),
        Role::Pong => node.pong(),
        Role::Match => node.find(),
        Role::Send => node.send(),
        Role::Receive => node.receive(),
    }
}

/// A participant and what its endpoints are to be like.
struct Node<'a, T> {
    options: &'a Options,
    participant: DomainParticipant,
    load: Load,
    sample: PhantomData<T>,
}

impl<'a, T: Numbered> Node<'a, T> {
    fn open(options: &'a Options) -> Outcome<Self> {
        Ok(Self {
            options,
            participant: DomainParticipant::new(0)?,
            load: Load::new::<T>(options),
            sample: PhantomData,
        })
    }

    fn reliability(&self) -> Reliability {
        let kind = if self.options.reliable {
            Reliability::RELIABLE
        } else {
            Reliability::BEST_EFFORT
        };
        Reliability {
            max_blocking_time: Duration::from_secs(10),
            ..kind
        }
    }

    fn streams(&self) -> bool {
        matches!(self.options.role, Role::Send | Role::Receive)
    }

    fn history(&self) -> History {
        if self.streams() {
            History::KeepAll
        } else {
            History::default()
        }
    }

    fn topic(&self, name: &str) -> dunlin::Result<dunlin::Topic<T>> {
        self.participant.create_topic(name, Default::default())
    }

    fn writer(&self, name: &str) -> dunlin::Result<DataWriter<T>> {
        // Unacknowledged samples that a receive buffer of the kernel can hold.
        let room = (4 << 20) / self.options.size as u32;
        let limit = self.options.limit.unwrap_or(room.clamp(32, 8192));
        let qos = DataWriterQos {
            reliability: self.reliability(),
            history: self.history(),
            resource_limits: ResourceLimits {
                max_samples: self.streams().then_some(limit),
                ..ResourceLimits::default()
            },
            batching: Batching {
                max_bytes: self.options.batch,
            },
            ..DataWriterQos::default()
        };
        let publisher = self.participant.create_publisher(Default::default());
        publisher.create_datawriter(&self.topic(name)?, qos)
    }

    fn reader_qos(&self) -> DataReaderQos {
        DataReaderQos {
            reliability: self.reliability(),
            history: self.history(),
            multicast: self.options.group.into_iter().collect(),
            ..DataReaderQos::default()
        }
    }

    fn reader(
        &self,
        name: &str,
        listener: impl Fn(&DataReader<T>) + Send + Sync + 'static,
    ) -> dunlin::Result<DataReader<T>> {
        let subscriber = self.participant.create_subscriber(Default::default());
        let qos = self.reader_qos();
        if self.options.waitset {
            return subscriber.create_datareader(&self.topic(name)?, qos);
        }
        subscriber.create_datareader_with_listener(&self.topic(name)?, qos, listener)
    }

    fn ping(&self) -> Outcome<()> {
        let writer = self.writer(PING)?;
        let court = Arc::new(Court {
            rally: Mutex::new(Rally::new(self.options)),
            writer: writer.clone(),
            load: self.load.clone(),
        });
        let listening = Arc::clone(&court);
        let reader = self.reader(PONG, move |reader| listening.drain(reader))?;
        matched(&[&writer], &[&reader])?;
        // The other side may still be about to match.
        std::thread::sleep(5 * NAP);
        court.start(self.options);
        let set = waits_for(&reader);
        loop {
            if self.options.waitset {
                // A time-out is the moment to look at the clock.
                let _ = set.wait(Duration::from_millis(20));
                court.drain(&reader);
            } else {
                std::thread::sleep(NAP);
            }
            let mut rally = court.rally();
            if rally.is_over() {
                return rally.report(self.options);
            }
            if rally.is_hopeless() {
                return Err("no pong since long ago".into());
            }
            if let Some(number) = rally.repeat() {
                court.write(number);
            }
        }
    }

    fn pong(&self) -> Outcome<()> {
        let writer = self.writer(PONG)?;
        let counted = Arc::new(Tally::default());
        let echo = {
            let (writer, counted) = (writer.clone(), Arc::clone(&counted));
            let load = self.load.clone();
            move |reader: &DataReader<T>| {
                T::drain(reader, |seq, sample| {
                    counted.received(seq);
                    written(match sample {
                        Some(sample) => writer.write(sample).map(drop),
                        None => T::write(&writer, seq, &load),
                    });
                })
            }
        };
        let echo = Arc::new(echo);
        let listening = Arc::clone(&echo);
        let reader = self.reader(PING, move |reader| listening(reader))?;
        matched(&[&writer], &[&reader])?;
        let before = Usage::now();
        if self.options.waitset {
            std::thread::spawn(move || {
                let set = waits_for(&reader);
                loop {
                    let _ = set.wait(Duration::from_secs(1));
                    echo(&reader);
                }
            });
            wait_for_close();
        } else {
            wait_for_close();
        }
        println!("samples={} {}", counted.count(), before.since_then());
        Ok(())
    }

    /// Says when both endpoints are matched, and stays.
    fn find(&self) -> Outcome<()> {
        let reader = self.reader(PONG, |_| {})?;
        let writer = self.writer(PING)?;
        matched(&[&writer], &[&reader])?;
        println!("matched_at={}", now());
        wait_for_close();
        Ok(())
    }

    fn send(&self) -> Outcome<()> {
        let writer = self.writer(STREAM)?;
        writer.wait_for_matched(self.options.readers, PATIENCE)?;
        let write = |seq| T::write(&writer, seq, &self.load);
        let finish = || {
            writer.flush();
            if self.options.reliable {
                writer.wait_for_acknowledgments(PATIENCE)?;
            }
            Ok(())
        };
        stream::send(self.options, write, finish).map_err(|error: Error| error.into())
    }

    fn receive(&self) -> Outcome<()> {
        let tally = Arc::new(Tally::default());
        let listening = Arc::clone(&tally);
        let _reader = self.reader(STREAM, move |reader| {
            T::drain(reader, |seq, _| listening.received(seq));
        })?;
        tally.watch(self.options);
        Ok(())
    }
}

/// Where the ping side plays: the listener and the main thread take turns.
struct Court<T> {
    rally: Mutex<Rally>,
    writer: DataWriter<T>,
    load: Load,
}

impl<T: Numbered> Court<T> {
    fn rally(&self) -> std::sync::MutexGuard<'_, Rally> {
        self.rally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Discovery has taken time: the clock starts now.
    fn start(&self, options: &Options) {
        let mut rally = self.rally();
        *rally = Rally::new(options);
        let number = rally.serve();
        self.write(number);
    }

    fn write(&self, seq: u64) {
        written(T::write(&self.writer, seq, &self.load));
    }

    fn drain(&self, reader: &DataReader<T>) {
        T::drain(reader, |seq, _| {
            let mut rally = self.rally();
            if let Next::Ping(number) = rally.pong(seq) {
                self.write(number);
            }
        });
    }
}

fn waits_for<T: Numbered>(reader: &DataReader<T>) -> WaitSet {
    let set = WaitSet::new();
    set.attach(reader.read_condition(Select::default()));
    set
}

fn matched<T: Numbered>(
    writers: &[&DataWriter<T>],
    readers: &[&DataReader<T>],
) -> dunlin::Result<()> {
    for writer in writers {
        writer.wait_for_matched(1, PATIENCE)?;
    }
    for reader in readers {
        reader.wait_for_matched(1, PATIENCE)?;
    }
    Ok(())
}

/// Where no error can be returned, it ends the program.
fn written(outcome: dunlin::Result<()>) {
    if let Err(error) = outcome {
        eprintln!("{error}");
        std::process::exit(1);
    }
}
