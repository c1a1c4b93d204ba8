//! UDP sockets without DDS: the same measurement over the least that the kernel can do, as a floor to compare with.
//!
//! The thread that waits receives, so a ping-pong has no hand-off. Only a publisher that streams has a thread of its
//! own for the pongs, because its main thread is busy writing.

mod datagram;
mod link;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::thread::{self, JoinHandle, Thread};
use std::time::Duration;

pub(crate) use datagram::MAX_DATA_LEN;

use crate::clock::{Nanos, monotonic};
use crate::messaging::{EndpointQos, Messaging, Publish, Sample, Topic, Wake, WriteError};
use crate::options::{Options, Role};
use datagram::{Assembly, MAX_DATAGRAM, decode};
use link::{Link, Received};

/// Empty polls between two looks at the clock, and before the processor is offered to others.
const POLLS: u32 = 16;
const PATIENCE: u32 = 20_000;

/// Longest sleep of a waiting thread before it looks at its condition again.
const NAP: Duration = Duration::from_millis(10);

type Callback = Box<dyn FnMut(&Sample<'_>) + Send>;

/// A raw participant.
pub(crate) struct Raw {
    link: Arc<Link>,
    intake: Arc<Mutex<Intake>>,
    bell: Arc<Bell>,
    /// Receiving is the business of this thread, started by the first wait.
    thread: Option<OnceLock<JoinHandle<()>>>,
    closing: Arc<AtomicBool>,
}

/// What is needed to receive.
struct Intake {
    link: Arc<Link>,
    buffer: Vec<u8>,
    assembly: Assembly,
    readers: [Option<Callback>; 3],
}

/// Wakes the main thread where another one receives.
#[derive(Default)]
struct Bell {
    sleeper: Mutex<Option<Thread>>,
    asleep: AtomicBool,
}

/// A writer: the link and a topic.
#[derive(Clone)]
pub(crate) struct RawWriter {
    link: Arc<Link>,
    topic: Topic,
}

/// The handle of callbacks.
#[derive(Clone)]
pub(crate) struct RawWaker(Arc<Bell>);

impl Raw {
    /// Opens the socket. The error is text for the user.
    pub(crate) fn open(options: &Options) -> Result<Self, String> {
        let streams =
            matches!(&options.role, Role::Publisher(publisher) if !publisher.latency_test);
        let own_thread = streams || options.read_thread.is_some();
        let blocking = options.transport.raw_blocking || own_thread;
        let link = Arc::new(Link::open(options, blocking)?);
        Ok(Self {
            intake: Arc::new(Mutex::new(Intake {
                link: Arc::clone(&link),
                buffer: vec![0; MAX_DATAGRAM],
                assembly: Assembly::default(),
                readers: [None, None, None],
            })),
            link,
            bell: Arc::default(),
            thread: own_thread.then(OnceLock::new),
            closing: Arc::default(),
        })
    }

    /// Receives in this thread until the condition holds.
    fn receive_until<P: Fn() -> bool>(&self, until: P, deadline: Nanos) -> bool {
        let mut intake = lock(&self.intake);
        let mut empty = 0u32;
        loop {
            if until() {
                return true;
            }
            if intake.receive() {
                empty = 0;
                continue;
            }
            empty = empty.saturating_add(1);
            if (empty.is_multiple_of(POLLS) || empty < 2) && monotonic() >= deadline {
                return false;
            }
            if empty > PATIENCE {
                // The other side may need this very processor.
                thread::yield_now();
            }
        }
    }

    fn start_thread(&self, thread: &OnceLock<JoinHandle<()>>) {
        thread.get_or_init(|| {
            let (intake, closing) = (Arc::clone(&self.intake), Arc::clone(&self.closing));
            thread::spawn(move || {
                let mut intake = lock(&intake);
                while !closing.load(Ordering::Relaxed) {
                    intake.receive();
                }
            })
        });
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        self.closing.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take().and_then(OnceLock::into_inner) {
            // It ends by itself within its receive time-out; a panic in it has been printed already.
            let _ = thread.join();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Intake {
    /// Takes one datagram, if there is one.
    fn receive(&mut self) -> bool {
        let Received::Datagram(length) = self.link.receive(&mut self.buffer) else {
            return false;
        };
        let Some((header, piece, payload)) = self.buffer.get(..length).and_then(decode) else {
            return true;
        };
        let whole = if piece.total == 1 {
            Some(payload)
        } else {
            self.assembly.take(&header, piece, payload)
        };
        let reader = self
            .readers
            .get_mut(piece.topic as usize)
            .and_then(Option::as_mut);
        if let (Some(data), Some(reader)) = (whole, reader) {
            reader(&Sample {
                header,
                data,
                shared: None,
            });
        }
        true
    }
}

impl Bell {
    fn wait<P: Fn() -> bool>(&self, until: P, deadline: Nanos) -> bool {
        lock(&self.sleeper).get_or_insert_with(thread::current);
        loop {
            // Announced before the condition is read; `ring` reads it after the condition was written.
            self.asleep.store(true, Ordering::SeqCst);
            let now = monotonic();
            let met = until();
            if met || now >= deadline {
                self.asleep.store(false, Ordering::SeqCst);
                return met;
            }
            thread::park_timeout(NAP.min(Duration::from_nanos(deadline - now)));
        }
    }

    fn ring(&self) {
        if self.asleep.swap(false, Ordering::SeqCst)
            && let Some(sleeper) = lock(&self.sleeper).as_ref()
        {
            sleeper.unpark();
        }
    }
}

impl Wake for RawWaker {
    fn wake(&self) {
        self.0.ring();
    }
}

impl Publish for RawWriter {
    fn register_instances(&self, _: u32) -> Result<(), WriteError> {
        Ok(())
    }

    fn write(&self, sample: &Sample<'_>) -> Result<(), WriteError> {
        self.link.send(self.topic, sample)
    }

    fn flush(&self) {}
}

impl Messaging for Raw {
    type Writer = RawWriter;
    type Waker = RawWaker;

    fn writer(&mut self, topic: Topic, _: &EndpointQos) -> Result<RawWriter, String> {
        Ok(RawWriter {
            link: Arc::clone(&self.link),
            topic,
        })
    }

    fn reader<F>(&mut self, topic: Topic, _: &EndpointQos, on_sample: F) -> Result<(), String>
    where
        F: FnMut(&Sample<'_>) + Send + 'static,
    {
        if let Some(place) = lock(&self.intake).readers.get_mut(topic as usize) {
            *place = Some(Box::new(on_sample));
        }
        Ok(())
    }

    fn waker(&self) -> RawWaker {
        RawWaker(Arc::clone(&self.bell))
    }

    fn wait<P: Fn() -> bool>(&self, until: P, deadline: Nanos) -> bool {
        match &self.thread {
            None => self.receive_until(until, deadline),
            Some(thread) => {
                self.start_thread(thread);
                self.bell.wait(until, deadline)
            }
        }
    }

    fn matched(&self, _: Topic) -> usize {
        self.link.partners()
    }

    fn describe_discovery(&self) -> String {
        self.link.describe()
    }
}
