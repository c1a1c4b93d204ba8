//! How a simulated participant sends and receives: by a network in memory, with a trace of what it
//! says.
use crate::words;
use dunlin::transport::{
    Listen, MemoryTransport, Outgoing, Reach, Receiver, Sent, Transport, TransportProperties,
    Watcher,
};
use dunlin::{Locator, simulation::SimulatedClock};
use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, Weak};

/// Clones are the same.
#[derive(Clone)]
pub(crate) struct Link(Arc<Inner>);

struct Inner {
    host: MemoryTransport,
    clock: Arc<SimulatedClock>,
    /// Nothing is sent any more.
    down: AtomicBool,
    /// Bytes of a datagram that is not cut on its way.
    whole: AtomicUsize,
    watcher: Mutex<Option<Weak<dyn Watcher>>>,
    trace: Mutex<Trace>,
    /// What was sent, and when, if somebody wants to know.
    record: Mutex<Option<Record>>,
    prints: bool,
}

/// Datagrams, and when each was sent.
type Record = Vec<(i64, Vec<u8>)>;

/// A fingerprint of everything that was sent, and when.
#[derive(Default)]
struct Trace {
    hasher: DefaultHasher,
    datagrams: u64,
}

impl Link {
    pub(crate) fn new(host: MemoryTransport, clock: &Arc<SimulatedClock>) -> Self {
        Self(Arc::new(Inner {
            whole: AtomicUsize::new(host.max_datagram()),
            host,
            clock: Arc::clone(clock),
            down: AtomicBool::new(false),
            watcher: Mutex::new(None),
            trace: Mutex::default(),
            record: Mutex::default(),
            prints: std::env::var_os("DUNLIN_SIM_TRACE").is_some(),
        }))
    }

    /// From now on nothing is sent.
    pub(crate) fn go_down(&self) {
        self.0.down.store(true, SeqCst);
    }

    /// From now on datagrams of so many bytes are the longest that travel in one piece, as when
    /// peers have come or gone by another network. `None`: whatever is sent does.
    pub(crate) fn set_whole(&self, bytes: Option<usize>) {
        let most = self.0.host.max_datagram();
        let bytes = bytes.unwrap_or(most).min(most);
        self.0.whole.store(bytes, SeqCst);
    }

    /// Has the participant look anew at its ways to these peers.
    pub(crate) fn change_ways(&self, peers: impl Iterator<Item = dunlin::GuidPrefix>) {
        let watcher = self.0.watcher.lock().unwrap().clone();
        if let Some(watcher) = watcher.and_then(|watcher| watcher.upgrade()) {
            for peer in peers {
                let mut locator = Locator::udp_v4([0, 0, 0, 0].into(), 0);
                locator.address[..12].copy_from_slice(&peer.0);
                watcher.changed(&locator, false);
            }
        }
    }

    pub(crate) fn trace(&self) -> u64 {
        self.0.trace.lock().unwrap().hasher.finish()
    }

    pub(crate) fn datagrams(&self) -> u64 {
        self.0.trace.lock().unwrap().datagrams
    }

    /// Each datagram that is sent from now on, and when; and what was recorded so far.
    pub(crate) fn record(&self) -> Record {
        let before = self.0.record.lock().unwrap().replace(Record::new());
        before.unwrap_or_default()
    }

    fn note(&self, datagram: &Outgoing<'_>) {
        if let Some(record) = &mut *self.0.record.lock().unwrap() {
            record.push((self.0.clock.time().0, datagram.to_vec()));
        }
        let mut trace = self.0.trace.lock().unwrap();
        trace.hasher.write_i64(self.0.clock.time().0);
        trace.hasher.write_u32(datagram.to.port);
        trace.hasher.write(&datagram.to.address);
        let parts = [datagram.head, datagram.payload, datagram.tail];
        parts.iter().for_each(|part| trace.hasher.write(part));
        trace.datagrams += 1;
        if self.0.prints {
            words::print(self.0.clock.time(), &datagram.to, &datagram.to_vec());
        }
    }
}

impl Transport for Link {
    fn properties(&self) -> &'static [TransportProperties] {
        self.0.host.properties()
    }

    fn send(&self, datagrams: &[Outgoing<'_>]) -> Sent {
        if self.0.down.load(SeqCst) {
            return Sent::default();
        }
        datagrams.iter().for_each(|datagram| self.note(datagram));
        let sent = self.0.host.send(datagrams);
        assert_eq!(sent.datagrams, datagrams.len(), "a datagram is not sent");
        sent
    }

    fn open(&self, listen: &[Listen]) -> io::Result<Box<dyn Receiver>> {
        self.0.host.open(listen)
    }

    fn reaches(&self, to: &Locator) -> Reach {
        self.0.host.reaches(to)
    }

    fn watch(&self, watcher: Weak<dyn Watcher>) {
        *self.0.watcher.lock().unwrap() = Some(watcher);
    }

    fn max_datagram(&self) -> usize {
        self.0.host.max_datagram()
    }

    fn max_whole_datagram(&self, _: &Locator) -> usize {
        self.0.whole.load(SeqCst)
    }
}
