//! iceoryx2 by its public API, polling: `iceoryx2 ROLE ...` with the roles and options of
//! `../peer.h`.
//!
//! With `--zero-copy` a sample is loaned, gets its number, and is sent; the receiver looks at the
//! number. Without, a sample is copied from private memory into a loan, and out of it on the other
//! side.
// The course of a run is shared with Dunlin's peer, which needs more of it.
#![allow(dead_code)]

#[path = "../../../src/peer/figures.rs"]
mod figures;
#[path = "../../../src/peer/lifeline.rs"]
mod lifeline;
#[path = "../../../src/peer/options.rs"]
mod options;
#[path = "../../../src/peer/ping.rs"]
mod ping;
#[path = "../../../src/peer/stream.rs"]
mod stream;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use iceoryx2::config::Config;
use iceoryx2::port::publisher::Publisher;
use iceoryx2::port::subscriber::Subscriber;
use iceoryx2::prelude::*;
use iceoryx2::service::port_factory::publish_subscribe::PortFactory as Service;
use iceoryx2_bb_container::semantic_string::SemanticString;
use iceoryx2_bb_system_types::path::Path;

use figures::{Usage, now};
use lifeline::wait_for_close;
use options::{Options, Role};
use ping::{Next, PATIENCE, Rally};
use stream::Tally;

/// Why a peer could not do its work.
type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

type Local = ipc::Service;
type Topic = Service<Local, [u8], ()>;

/// Files of iceoryx2, where its memory is as well: in the benchmark's own mount namespace.
const ROOT: &[u8] = b"/dev/shm/iceoryx2";
/// Samples that wait for a subscriber.
const QUEUE: usize = 64;
/// Empty polls between two looks at the clock.
const POLLS: u32 = 64;
const NUMBER: usize = size_of::<u64>();

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    lifeline::die_with_parent();
    match Options::parse(&words).and_then(run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: Options) -> Outcome<()> {
    let counted = Arc::new(Tally::default());
    match options.role {
        Role::Ping => ping(&options),
        Role::Send => send(&options),
        Role::Pong => {
            let before = Usage::now();
            in_thread(&options, &counted, pong);
            wait_for_close();
            println!("samples={} {}", counted.count(), before.since_then());
            Ok(())
        }
        Role::Receive => {
            in_thread(&options, &counted, count);
            counted.watch(&options);
            Ok(())
        }
        Role::Match => Err("not asked of iceoryx2".into()),
    }
}

/// Runs a side that never ends in a thread of its own.
fn in_thread(options: &Options, counted: &Arc<Tally>, work: fn(&Options, &Tally) -> Outcome<()>) {
    let (options, counted) = (options.clone(), Arc::clone(counted));
    std::thread::spawn(move || {
        if let Err(error) = work(&options, &counted) {
            eprintln!("{error}");
            std::process::exit(1);
        }
    });
}

fn ping(options: &Options) -> Outcome<()> {
    let mut link = Link::open(options, Some("ping"), Some("pong"))?;
    link.wait_for_peer()?;
    let mut rally = Rally::new(options);
    let mut next = Next::Ping(rally.serve());
    while next != Next::Done {
        if let Next::Ping(number) = next {
            link.send(number)?;
        }
        next = match link.receive(now() + PATIENCE)? {
            Some(number) => rally.pong(number),
            None => rally.repeat().map_or(Next::Nothing, Next::Ping),
        };
        if rally.is_hopeless() {
            return Err("no pong since long ago".into());
        }
    }
    rally.report(options)
}

fn pong(options: &Options, counted: &Tally) -> Outcome<()> {
    let mut link = Link::open(options, Some("pong"), Some("ping"))?;
    loop {
        if let Some(number) = link.receive(u64::MAX)? {
            counted.received(number);
            link.send(number)?;
        }
    }
}

fn send(options: &Options) -> Outcome<()> {
    let mut link = Link::open(options, Some("stream"), None)?;
    link.wait_for_peer()?;
    stream::send(options, |number| link.send(number), || Ok(()))
}

fn count(options: &Options, counted: &Tally) -> Outcome<()> {
    let mut link = Link::open(options, None, Some("stream"))?;
    loop {
        if let Some(number) = link.receive(u64::MAX)? {
            counted.received(number);
        }
    }
}

/// What one side writes to, and what it reads from.
struct Link {
    topic: Option<Topic>,
    publisher: Option<Publisher<Local, [u8], ()>>,
    subscriber: Option<Subscriber<Local, [u8], ()>>,
    zero_copy: bool,
    /// Private memory that samples are copied from and to.
    sample: Vec<u8>,
    _node: Node<Local>,
}

impl Link {
    fn open(options: &Options, writes: Option<&str>, reads: Option<&str>) -> Outcome<Self> {
        set_log_level(LogLevel::Error);
        let mut config = Config::default();
        config.global.set_root_path(&Path::new(ROOT)?);
        let node = NodeBuilder::new().config(&config).create::<Local>()?;
        let topic = |name: &str| -> Outcome<Topic> {
            let builder = node.service_builder(&name.try_into()?);
            let builder = builder.publish_subscribe::<[u8]>();
            // Nothing gets lost: who writes waits for room.
            let builder = builder.enable_safe_overflow(false).history_size(0);
            let builder = builder.subscriber_max_buffer_size(QUEUE);
            Ok(builder
                .payload_alignment(Alignment::new(NUMBER).ok_or("alignment")?)
                .max_publishers(1)
                .max_subscribers(1)
                .open_or_create()?)
        };
        let written = writes.map(topic).transpose()?;
        let publisher = match &written {
            Some(topic) => {
                let builder = topic.publisher_builder();
                let builder = builder.initial_max_slice_len(options.size);
                let strategy = BackpressureStrategy::RetryUntilDelivered;
                Some(builder.backpressure_strategy(strategy).create()?)
            }
            None => None,
        };
        let subscriber = match reads {
            Some(name) => Some(topic(name)?.subscriber_builder().create()?),
            None => None,
        };
        Ok(Self {
            topic: written,
            publisher,
            subscriber,
            zero_copy: options.zero_copy,
            sample: vec![1; options.size],
            _node: node,
        })
    }

    /// Returns when somebody subscribes to what is written here.
    fn wait_for_peer(&self) -> Outcome<()> {
        let topic = self.topic.as_ref().ok_or("nothing is written")?;
        for _ in 0..5_000 {
            if topic.dynamic_config().number_of_subscribers() > 0 {
                // The other side may still be about to open its publisher.
                std::thread::sleep(Duration::from_millis(100));
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Err("nobody subscribes".into())
    }

    fn send(&mut self, number: u64) -> Outcome<()> {
        let publisher = self.publisher.as_ref().ok_or("nothing is written")?;
        let mut loan = publisher.loan_slice_uninit(self.sample.len())?;
        let sample = if self.zero_copy {
            for (place, byte) in loan.payload_mut().iter_mut().zip(number.to_le_bytes()) {
                place.write(byte);
            }
            // SAFETY: the memory is a mapping that the kernel has filled with zeroes, and any byte
            // is a `u8`.
            unsafe { loan.assume_init() }
        } else {
            self.sample[..NUMBER].copy_from_slice(&number.to_le_bytes());
            loan.write_from_slice(&self.sample)
        };
        sample.send()?;
        Ok(())
    }

    /// The number of the next sample; `None` at the deadline.
    fn receive(&mut self, deadline: u64) -> Outcome<Option<u64>> {
        let subscriber = self.subscriber.as_ref().ok_or("nothing is read")?;
        let mut polls = 0_u32;
        loop {
            if let Some(sample) = subscriber.receive()? {
                let mut bytes = sample.payload();
                if !self.zero_copy {
                    self.sample.copy_from_slice(bytes);
                    bytes = &self.sample;
                }
                let number = bytes.first_chunk::<NUMBER>().ok_or("a short sample")?;
                return Ok(Some(u64::from_le_bytes(*number)));
            }
            polls = polls.wrapping_add(1);
            if polls.is_multiple_of(POLLS) && now() >= deadline {
                return Ok(None);
            }
        }
    }
}
