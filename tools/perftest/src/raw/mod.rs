//! UDP sockets, TCP connections or shared memory without DDS: the same measurement over the least
//! that the machine can do, as a floor to compare with.
//!
//! The thread that waits receives, so a ping-pong has no hand-off. Only a publisher that streams
//! has a thread of its own for the pongs, because its main thread is busy writing.

mod address;
mod calls;
mod datagram;
mod floor;
mod gathering;
mod line;
mod lines;
mod meeting;
mod pair;
mod relay;
mod shm;
mod tcp;
mod udp;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::thread::{self, JoinHandle, Thread};
use std::time::Duration;

pub(crate) use datagram::MAX_DATA_LEN;
pub(crate) use lines::Lines;
pub(crate) use relay::relay;
pub(crate) use shm::Shm;
pub(crate) use tcp::Tcp;
pub(crate) use udp::Udp;

use crate::clock::{MILLISECOND, Nanos, coarse, monotonic};
use crate::messaging::{EndpointQos, Messaging, Publish, Sample, Topic, Wake, WriteError};
use crate::options::{Options, Role};
use floor::Floor;

/// Empty polls before the processor is offered to others.
const PATIENCE: u32 = 20_000;

/// Between two looks for partners.
const TEND: Nanos = 5 * MILLISECOND;

/// Longest sleep of a waiting thread before it looks at its condition again.
const NAP: Duration = Duration::from_millis(10);

type Callback = Box<dyn FnMut(&Sample<'_>) + Send>;

/// A raw participant.
pub(crate) struct Raw<F: Floor> {
    floor: Arc<F>,
    dispatch: Arc<Mutex<Dispatch<F>>>,
    bell: Arc<Bell>,
    /// Receiving is the business of this thread, started by the first wait.
    thread: Option<OnceLock<JoinHandle<()>>>,
    closing: Arc<AtomicBool>,
}

/// What is needed to receive.
struct Dispatch<F: Floor> {
    floor: Arc<F>,
    state: F::ReceiveState,
    readers: [Option<Callback>; 3],
    /// When to look for partners.
    tend: Nanos,
    /// Why nothing can be received any more.
    fault: Option<String>,
}

/// Wakes the main thread where another one receives.
#[derive(Default)]
struct Bell {
    sleeper: Mutex<Option<Thread>>,
    asleep: AtomicBool,
}

/// A writer of one topic.
pub(crate) struct RawWriter<F: Floor> {
    floor: Arc<F>,
    dispatch: Arc<Mutex<Dispatch<F>>>,
    topic: Topic,
    max_blocking: Nanos,
}

impl<F: Floor> Clone for RawWriter<F> {
    fn clone(&self) -> Self {
        Self {
            floor: Arc::clone(&self.floor),
            dispatch: Arc::clone(&self.dispatch),
            ..*self
        }
    }
}

/// The handle of callbacks.
#[derive(Clone)]
pub(crate) struct RawWaker(Arc<Bell>);

impl<F: Floor> Raw<F> {
    /// Opens what it takes. The error is text for the user.
    pub(crate) fn open(options: &Options) -> Result<Self, String> {
        let streams =
            matches!(&options.role, Role::Publisher(publisher) if !publisher.latency_test);
        let own_thread = streams || options.read_thread.is_some();
        let blocking = options.transport.raw_blocking || own_thread;
        let floor = Arc::new(F::open(options, blocking)?);
        Ok(Self {
            dispatch: Arc::new(Mutex::new(Dispatch {
                state: floor.receive_state(),
                floor: Arc::clone(&floor),
                readers: [None, None, None],
                tend: 0,
                fault: None,
            })),
            floor,
            bell: Arc::default(),
            thread: own_thread.then(OnceLock::new),
            closing: Arc::default(),
        })
    }

    /// Receives in this thread until the condition holds.
    fn receive_until<P: Fn() -> bool>(&self, until: P, deadline: Nanos) -> bool {
        let mut dispatch = lock(&self.dispatch);
        let mut empty = 0u32;
        loop {
            if until() {
                return true;
            }
            if dispatch.receive() {
                empty = 0;
                continue;
            }
            empty = empty.saturating_add(1);
            if empty.is_multiple_of(F::POLLS) || empty < 2 {
                let now = monotonic();
                if now >= deadline {
                    return false;
                }
                dispatch.tend(now);
            }
            if empty > PATIENCE {
                // The other side may need this very processor.
                thread::yield_now();
            }
        }
    }

    fn start_thread(&self, thread: &OnceLock<JoinHandle<()>>) {
        thread.get_or_init(|| {
            let (dispatch, closing) = (Arc::clone(&self.dispatch), Arc::clone(&self.closing));
            thread::spawn(move || {
                let mut dispatch = lock(&dispatch);
                while !closing.load(Ordering::Relaxed) {
                    dispatch.receive();
                    dispatch.tend(coarse());
                }
            })
        });
    }
}

impl<F: Floor> Drop for Raw<F> {
    fn drop(&mut self) {
        self.closing.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take().and_then(OnceLock::into_inner) {
            // It ends by itself within its receive time-out; a panic in it has been printed
            // already.
            let _ = thread.join();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl<F: Floor> Dispatch<F> {
    /// Takes one message, if there is one.
    fn receive(&mut self) -> bool {
        if self.fault.is_some() {
            return false;
        }
        let readers = &mut self.readers;
        let received = self.floor.receive(&mut self.state, |topic, sample| {
            if let Some(Some(reader)) = readers.get_mut(topic as usize) {
                reader(sample);
            }
        });
        received.unwrap_or_else(|reason| {
            self.fault = Some(reason);
            false
        })
    }

    fn tend(&mut self, now: Nanos) {
        if now >= self.tend {
            self.tend = now + TEND;
            self.floor.tend();
        }
    }
}

impl Bell {
    fn wait<P: Fn() -> bool>(&self, until: P, deadline: Nanos) -> bool {
        lock(&self.sleeper).get_or_insert_with(thread::current);
        loop {
            // Announced before the condition is read; `ring` reads it after the condition was
            // written.
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

impl<F: Floor> RawWriter<F> {
    /// Offers a sample again until there is room. Whoever waits receives meanwhile, unless another
    /// thread does: the other side may be waiting for room, too.
    #[cold]
    fn wait_for_room(&self, sample: &Sample<'_>) -> Result<(), WriteError> {
        let deadline = monotonic() + self.max_blocking;
        let mut tries = 0u32;
        loop {
            if let Ok(mut dispatch) = self.dispatch.try_lock() {
                dispatch.receive();
            }
            match self.floor.send(self.topic, sample) {
                Err(WriteError::Timeout) => {}
                done => return done,
            }
            tries = tries.saturating_add(1);
            if tries.is_multiple_of(F::POLLS) && monotonic() >= deadline {
                return Err(WriteError::Timeout);
            }
            if tries > PATIENCE {
                thread::yield_now();
            }
        }
    }
}

impl<F: Floor> Publish for RawWriter<F> {
    fn register_instances(&self, _: u32) -> Result<(), WriteError> {
        Ok(())
    }

    fn write(&self, sample: &Sample<'_>) -> Result<(), WriteError> {
        match self.floor.send(self.topic, sample) {
            Err(WriteError::Timeout) => self.wait_for_room(sample),
            done => done,
        }
    }

    fn flush(&self) {}
}

impl<F: Floor> Messaging for Raw<F> {
    type Writer = RawWriter<F>;
    type Waker = RawWaker;

    fn writer(&mut self, topic: Topic, qos: &EndpointQos) -> Result<RawWriter<F>, String> {
        Ok(RawWriter {
            floor: Arc::clone(&self.floor),
            dispatch: Arc::clone(&self.dispatch),
            topic,
            max_blocking: qos.max_blocking,
        })
    }

    fn reader<R>(&mut self, topic: Topic, _: &EndpointQos, on_sample: R) -> Result<(), String>
    where
        R: FnMut(&Sample<'_>) + Send + 'static,
    {
        if let Some(place) = lock(&self.dispatch).readers.get_mut(topic as usize) {
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
        self.floor.partners()
    }

    fn losses(&self) -> Option<String> {
        self.dispatch.try_lock().ok()?.fault.clone()
    }

    fn describe_discovery(&self) -> String {
        self.floor.describe()
    }
}
