//! A wrapper that loses, doubles, changes and delays what any transport sends.
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use dunlin_wire::Locator;

use crate::properties::TransportProperties;
use crate::rng::{Fate, Faults, Rng, corrupt};
use crate::traits::{Begun, Listen, Outgoing, Reach, Receiver, Sent, Transport, Watcher};

/// Late datagrams that are kept; more are lost.
const MOST_LATE: usize = 65536;

/// A transport with faults on its way out. For tests: it copies what it touches, and a thread
/// brings late datagrams.
///
/// A seed gives the same faults to the same sequence of datagrams. What a fault takes away counts
/// as sent. What is late when the wrapper is dropped is lost.
pub struct Fault<T: Transport> {
    inner: Arc<T>,
    throw: Mutex<Throw>,
    late: Arc<Late>,
    postman: Mutex<Option<JoinHandle<()>>>,
}

struct Throw {
    dice: Rng,
    faults: Faults,
}

impl Throw {
    fn fate(&mut self) -> Fate {
        self.dice.fate(&self.faults)
    }
}

impl<T: Transport + 'static> Fault<T> {
    /// Wraps `inner`.
    pub fn new(inner: T, seed: u64, faults: Faults) -> Self {
        Self {
            inner: Arc::new(inner),
            throw: Mutex::new(Throw {
                dice: Rng::new(seed),
                faults,
            }),
            late: Arc::default(),
            postman: Mutex::new(None),
        }
    }

    /// From now on these faults.
    pub fn set_faults(&self, faults: Faults) {
        lock(&self.throw).faults = faults;
    }

    fn send_one(&self, datagram: &Outgoing<'_>) -> Sent {
        let fate = lock(&self.throw).fate();
        let possible = datagram.to.kind == self.kind() && datagram.length() <= self.max_datagram();
        if !possible || is_harmless(&fate) {
            return self.inner.send(&[*datagram]);
        }
        let mut bytes = datagram.to_vec();
        if let Some(corruption) = fate.corruption {
            corrupt(&mut bytes, corruption);
        }
        for lateness in fate.copies.into_iter().flatten() {
            if lateness.is_zero() {
                self.inner
                    .send(&[whole(datagram.to, datagram.dscp, &bytes)]);
            } else {
                self.post(datagram, bytes.clone(), lateness);
            }
        }
        Sent {
            datagrams: 1,
            ..Sent::default()
        }
    }

    fn post(&self, datagram: &Outgoing<'_>, bytes: Vec<u8>, lateness: Duration) {
        let mut postman = lock(&self.postman);
        if postman.is_none() {
            let (inner, late) = (Arc::clone(&self.inner), Arc::clone(&self.late));
            let name = thread::Builder::new().name("dunlin-late".into());
            *postman = name.spawn(move || late.deliver(&*inner)).ok();
        }
        drop(postman);
        let late = (datagram.to, datagram.dscp, bytes);
        self.late.put(Instant::now() + lateness, late);
    }
}

impl<T: Transport + 'static> Transport for Fault<T> {
    fn properties(&self) -> &'static [TransportProperties] {
        self.inner.properties()
    }

    fn send(&self, datagrams: &[Outgoing<'_>]) -> Sent {
        let mut sent = Sent::default();
        for datagram in datagrams {
            sent.add(self.send_one(datagram));
        }
        sent
    }

    fn open(&self, listen: &[Listen]) -> io::Result<Box<dyn Receiver>> {
        self.inner.open(listen)
    }

    fn reaches(&self, to: &Locator) -> Reach {
        self.inner.reaches(to)
    }

    fn leads_to(&self, to: &Locator, peer: [u8; 12]) -> Option<bool> {
        self.inner.leads_to(to, peer)
    }

    fn begin(&self, to: &Locator, known: usize) -> Begun {
        self.inner.begin(to, known)
    }

    fn want(&self, to: &[Locator]) {
        self.inner.want(to);
    }

    fn neighbours(
        &self,
        group: &Locator,
        most: usize,
        known: &dyn Fn([u8; 12]) -> bool,
        waits: bool,
    ) -> Vec<Locator> {
        self.inner.neighbours(group, most, known, waits)
    }

    fn watch(&self, watcher: Weak<dyn Watcher>) {
        self.inner.watch(watcher);
    }

    fn follow_addresses(&self) -> bool {
        self.inner.follow_addresses()
    }

    fn relocated(&self, locators: &[Locator]) -> Vec<Locator> {
        self.inner.relocated(locators)
    }

    fn failed(&self) -> u64 {
        self.inner.failed()
    }

    fn refused(&self) -> u64 {
        self.inner.refused()
    }

    fn refused_connections(&self) -> u64 {
        self.inner.refused_connections()
    }

    fn hints(&self) -> Vec<String> {
        self.inner.hints()
    }

    fn max_datagram(&self) -> usize {
        self.inner.max_datagram()
    }

    fn max_whole_datagram(&self, to: &Locator) -> usize {
        self.inner.max_whole_datagram(to)
    }
}

impl<T: Transport> Drop for Fault<T> {
    fn drop(&mut self) {
        self.late.close();
        let postman = self.postman.get_mut();
        let postman = postman.unwrap_or_else(PoisonError::into_inner).take();
        if let Some(postman) = postman {
            // It ends by itself; that it panicked is no concern of whoever drops the wrapper.
            let _ = postman.join();
        }
    }
}

/// Where a datagram goes, its code point, and its bytes.
type Copied = (Locator, u8, Vec<u8>);

/// Datagrams whose time has not come.
#[derive(Default)]
struct Late {
    queue: Mutex<Queue>,
    bell: Condvar,
}

#[derive(Default)]
struct Queue {
    closed: bool,
    count: u64,
    waiting: BTreeMap<(Instant, u64), Copied>,
}

impl Late {
    fn put(&self, due: Instant, late: Copied) {
        let mut queue = lock(&self.queue);
        if queue.waiting.len() < MOST_LATE {
            queue.count += 1;
            let key = (due, queue.count);
            queue.waiting.insert(key, late);
            self.bell.notify_one();
        }
    }

    fn close(&self) {
        lock(&self.queue).closed = true;
        self.bell.notify_one();
    }

    fn deliver(&self, inner: &impl Transport) {
        while let Some((to, dscp, bytes)) = self.next() {
            inner.send(&[whole(to, dscp, &bytes)]);
        }
    }

    /// Waits for the next datagram that is due; `None` when closed.
    fn next(&self) -> Option<Copied> {
        let mut queue = lock(&self.queue);
        while !queue.closed {
            let now = Instant::now();
            let due = queue.waiting.first_key_value().map(|((due, _), _)| *due);
            queue = match due {
                Some(due) if due <= now => return queue.waiting.pop_first().map(|(_, late)| late),
                Some(due) => {
                    let left = due.saturating_duration_since(now);
                    let waited = self.bell.wait_timeout(queue, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => {
                    let waited = self.bell.wait(queue);
                    waited.unwrap_or_else(PoisonError::into_inner)
                }
            };
        }
        None
    }
}

fn is_harmless(fate: &Fate) -> bool {
    fate.copies == [Some(Duration::ZERO), None] && fate.corruption.is_none()
}

fn whole(to: Locator, dscp: u8, bytes: &[u8]) -> Outgoing<'_> {
    Outgoing {
        to,
        lane: None,
        head: bytes,
        payload: &[],
        tail: &[],
        patient: false,
        dscp,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
