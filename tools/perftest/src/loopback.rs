//! A middleware inside one process, for tests: it can lose and delay samples and let a side die
//! without a word.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Weak};
use std::time::{Duration, Instant};

use crate::clock::{Nanos, monotonic};
use crate::messaging::{EndpointQos, Header, Messaging, Publish, Sample, Topic, Wake, WriteError};

/// What happens to one sample on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fate {
    Deliver,
    Drop,
    Delay(Duration),
}

type Faults = Box<dyn FnMut(Topic, &Header) -> Fate + Send>;
type Callback = Box<dyn FnMut(&Sample<'_>) + Send>;

/// What connects the participants.
#[derive(Clone)]
pub(crate) struct Bus(Arc<Shared>);

struct Shared {
    nodes: Mutex<Vec<Arc<Node>>>,
    faults: Mutex<Faults>,
}

struct Node {
    inbox: Mutex<Inbox>,
    changed: Condvar,
    readers: Mutex<[Option<Callback>; 3]>,
    reads: Mutex<[bool; 3]>,
    writes: Mutex<[bool; 3]>,
}

#[derive(Default)]
struct Inbox {
    samples: VecDeque<(Instant, Topic, Header, Vec<u8>)>,
    closed: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Bus {
    /// A bus that delivers everything.
    pub(crate) fn new() -> Self {
        Self(Arc::new(Shared {
            nodes: Mutex::default(),
            faults: Mutex::new(Box::new(|_, _| Fate::Deliver)),
        }))
    }

    /// Asks `faults` about each sample from now on.
    pub(crate) fn disturb(&self, faults: impl FnMut(Topic, &Header) -> Fate + Send + 'static) {
        *lock(&self.0.faults) = Box::new(faults);
    }

    /// A new participant, with a thread that receives for it.
    pub(crate) fn participant(&self) -> Loopback {
        let node = Arc::new(Node {
            inbox: Mutex::default(),
            changed: Condvar::new(),
            readers: Mutex::default(),
            reads: Mutex::default(),
            writes: Mutex::default(),
        });
        lock(&self.0.nodes).push(Arc::clone(&node));
        let receiving = Arc::downgrade(&node);
        std::thread::spawn(move || receive(receiving));
        Loopback {
            bus: self.clone(),
            node,
        }
    }
}

/// Delivers until the participant is dropped.
fn receive(node: Weak<Node>) {
    while let Some(node) = node.upgrade() {
        let mut inbox = lock(&node.inbox);
        if inbox.closed {
            return;
        }
        let now = Instant::now();
        let due = inbox.samples.iter().position(|(at, ..)| *at <= now);
        let Some((_, topic, header, data)) = due.and_then(|due| inbox.samples.remove(due)) else {
            let _ = node.changed.wait_timeout(inbox, Duration::from_micros(500));
            continue;
        };
        drop(inbox);
        if let Some(callback) = &mut lock(&node.readers)[topic as usize] {
            callback(&Sample {
                header,
                data: &data,
                shared: None,
            });
        }
        node.changed.notify_all();
    }
}

/// One participant.
pub(crate) struct Loopback {
    bus: Bus,
    node: Arc<Node>,
}

impl Drop for Loopback {
    fn drop(&mut self) {
        lock(&self.bus.0.nodes).retain(|node| !Arc::ptr_eq(node, &self.node));
        lock(&self.node.inbox).closed = true;
    }
}

/// Sends samples of one topic to all other participants.
#[derive(Clone)]
pub(crate) struct LoopbackWriter {
    bus: Bus,
    node: Weak<Node>,
    topic: Topic,
}

/// Wakes the waiting thread of a participant.
#[derive(Clone)]
pub(crate) struct LoopbackWaker(Weak<Node>);

impl Wake for LoopbackWaker {
    fn wake(&self) {
        if let Some(node) = self.0.upgrade() {
            node.changed.notify_all();
        }
    }
}

impl Publish for LoopbackWriter {
    fn register_instances(&self, _: u32) -> Result<(), WriteError> {
        Ok(())
    }

    fn write(&self, sample: &Sample<'_>) -> Result<(), WriteError> {
        let delay = match (lock(&self.bus.0.faults))(self.topic, &sample.header) {
            Fate::Drop => return Ok(()),
            Fate::Deliver => Duration::ZERO,
            Fate::Delay(delay) => delay,
        };
        let nodes = lock(&self.bus.0.nodes).clone();
        for node in nodes {
            let own = self
                .node
                .upgrade()
                .is_some_and(|own| Arc::ptr_eq(&own, &node));
            if own || !lock(&node.reads)[self.topic as usize] {
                continue;
            }
            let mut inbox = lock(&node.inbox);
            if inbox.samples.len() > 1_000 {
                return Err(WriteError::Timeout);
            }
            let at = Instant::now() + delay;
            inbox
                .samples
                .push_back((at, self.topic, sample.header, sample.data.to_vec()));
            node.changed.notify_all();
        }
        Ok(())
    }

    fn flush(&self) {}
}

impl Messaging for Loopback {
    type Writer = LoopbackWriter;
    type Waker = LoopbackWaker;

    fn writer(&mut self, topic: Topic, _: &EndpointQos) -> Result<LoopbackWriter, String> {
        lock(&self.node.writes)[topic as usize] = true;
        Ok(LoopbackWriter {
            bus: self.bus.clone(),
            node: Arc::downgrade(&self.node),
            topic,
        })
    }

    fn reader<F>(&mut self, topic: Topic, _: &EndpointQos, on_sample: F) -> Result<(), String>
    where
        F: FnMut(&Sample<'_>) + Send + 'static,
    {
        lock(&self.node.readers)[topic as usize] = Some(Box::new(on_sample));
        lock(&self.node.reads)[topic as usize] = true;
        Ok(())
    }

    fn waker(&self) -> LoopbackWaker {
        LoopbackWaker(Arc::downgrade(&self.node))
    }

    fn wait<P: Fn() -> bool>(&self, until: P, deadline: Nanos) -> bool {
        loop {
            if until() {
                return true;
            }
            if monotonic() >= deadline {
                return false;
            }
            let inbox = lock(&self.node.inbox);
            let _ = self
                .node
                .changed
                .wait_timeout(inbox, Duration::from_micros(500));
        }
    }

    fn matched(&self, topic: Topic) -> usize {
        let writer = lock(&self.node.writes)[topic as usize];
        lock(&self.bus.0.nodes)
            .iter()
            .filter(|node| !Arc::ptr_eq(node, &self.node))
            .filter(|node| {
                let other = if writer { &node.reads } else { &node.writes };
                lock(other)[topic as usize]
            })
            .count()
    }

    fn describe_discovery(&self) -> String {
        format!(
            "{} participant(s) on the bus.",
            lock(&self.bus.0.nodes).len()
        )
    }
}
