//! Two participants that share memory: what lies in a pool goes by a ring, everything else by the
//! network in memory.
use bytes::BytesMut;
use dunlin::transport::{
    Listen, MemoryNetwork, Outgoing, Reach, ReceiveStatistics, Received, ReceivedLoan, Receiver,
    SendPath, Sent, Transport, TransportProperties, Wait, Waker,
};
use dunlin::*;
use dunlin_shm::{
    Chunk, Class, Connection, Event, Incoming, Limits, LinkSize, Pool, Receiver as Ring,
    Rendezvous, Sender,
};
use std::io;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Chunks of each participant.
pub(crate) const CHUNKS: usize = 8;
/// Chunks that a participant may hold.
pub(crate) const LOANS: u32 = 4;

pub(crate) struct Near {
    inner: Arc<dyn Transport>,
    pub(crate) pool: Pool,
    sender: Mutex<Sender>,
    ring: Arc<Mutex<Ring>>,
    /// The other's receivers.
    wakes: Wakers,
    woken: Wakers,
    /// Datagrams that went by the ring.
    pub(crate) attached: AtomicUsize,
}

type Wakers = Arc<Mutex<Vec<Arc<dyn Waker>>>>;

impl Near {
    /// Both ends.
    pub(crate) fn pair(capacity: usize) -> [Arc<Self>; 2] {
        static NEXT: AtomicU8 = AtomicU8::new(0);
        let number = NEXT.fetch_add(1, SeqCst);
        let network = MemoryNetwork::new(1, Default::default());
        let class = Class {
            capacity,
            count: CHUNKS as u32,
        };
        let pools = [(); 2].map(|()| Pool::new(0, &[class]).unwrap());
        let [one, other] = connect(number, &pools);
        let wakers: [Wakers; 2] = Default::default();
        let end = |connection: Connection, at: usize| {
            Arc::new(Self {
                inner: Arc::new(network.host()),
                pool: pools[at].clone(),
                sender: Mutex::new(connection.sender),
                ring: Arc::new(Mutex::new(connection.receiver)),
                wakes: wakers[1 - at].clone(),
                woken: wakers[at].clone(),
                attached: AtomicUsize::new(0),
            })
        };
        [end(one, 0), end(other, 1)]
    }

    pub(crate) fn participant(self: &Arc<Self>, trusts_peers: Option<Trust>) -> DomainParticipant {
        self.configured(ParticipantConfig {
            trusts_peers,
            transports: Transports {
                local: false,
                ..Default::default()
            },
            ..Default::default()
        })
    }

    pub(crate) fn configured(self: &Arc<Self>, config: ParticipantConfig) -> DomainParticipant {
        let config = ParticipantConfig {
            transport: Some(self.clone()),
            heartbeat_period: Duration::from_millis(10),
            ..config
        };
        DomainParticipant::with_config(0, config).unwrap()
    }

    /// Chunks that nobody has, after those that the other has given back were looked for.
    pub(crate) fn free(&self) -> usize {
        self.sender.lock().unwrap().reclaim().unwrap();
        self.pool.free()
    }

    fn attach(&self, datagram: &Outgoing<'_>) -> bool {
        let Some((chunk, at)) = self.pool.find(datagram.payload) else {
            return false;
        };
        let range = at..at + datagram.payload.len();
        let inline = [datagram.head, datagram.tail];
        let mut sender = self.sender.lock().unwrap();
        let sent = sender.try_send_attached(&inline, datagram.head.len(), chunk.clone(), range);
        sender.reclaim().unwrap();
        drop(sender);
        self.attached.fetch_add(1, SeqCst);
        self.wakes
            .lock()
            .unwrap()
            .iter()
            .for_each(|waker| waker.wake());
        sent.is_ok()
    }
}

fn connect(number: u8, pools: &[Pool; 2]) -> [Connection; 2] {
    let size = LinkSize {
        loans: LOANS,
        ..LinkSize::default()
    };
    let limits = Limits {
        dialled: size,
        accepted: size,
        ..Limits::default()
    };
    let group = std::process::id() << 8 | u32::from(number);
    let identities = [[1; 16], [2; 16]];
    let mut both = [0, 1].map(|at| {
        let mut rendezvous = Rendezvous::new(group, identities[at], limits).unwrap();
        rendezvous.add_pool(pools[at].clone()).unwrap();
        rendezvous
    });
    both[0].dial(identities[1], Instant::now()).unwrap();
    let mut found = [None, None];
    while found.iter().any(Option::is_none) {
        for (rendezvous, found) in both.iter_mut().zip(&mut found) {
            for event in rendezvous.poll(Instant::now()) {
                match event {
                    Event::Joined(connection) => *found = Some(*connection),
                    Event::Failed(_, error) => panic!("{error}"),
                }
            }
        }
    }
    found.map(Option::unwrap)
}

impl Transport for Near {
    fn chunk(&self, length: usize) -> Option<Chunk> {
        self.free();
        self.pool.allocate(length).ok()
    }

    fn holds(&self, bytes: &[u8]) -> bool {
        self.pool.contains(bytes)
    }

    fn send(&self, datagrams: &[Outgoing<'_>]) -> Sent {
        let mut sent = Sent::default();
        for datagram in datagrams.iter().filter(|datagram| !self.attach(datagram)) {
            sent = self.inner.send(std::slice::from_ref(datagram));
        }
        sent
    }

    fn open(&self, listen: &[Listen]) -> io::Result<Box<dyn Receiver>> {
        let inner = self.inner.open(listen)?;
        self.woken.lock().unwrap().push(inner.waker());
        Ok(Box::new(NearReceiver {
            inner,
            ring: self.ring.clone(),
            loan: None,
        }))
    }

    fn properties(&self) -> &'static [TransportProperties] {
        self.inner.properties()
    }

    /// Nothing is sealed within a host.
    fn reaches(&self, to: &Locator) -> Reach {
        match self.inner.reaches(to) {
            Reach::No => Reach::No,
            _ => Reach::Memory,
        }
    }

    fn lane(&self, to: &Locator) -> Option<SendPath> {
        self.inner.lane(to)
    }

    fn max_datagram(&self) -> usize {
        self.inner.max_datagram()
    }

    fn max_whole_datagram(&self, _: &Locator) -> usize {
        1 << 30
    }
}

struct NearReceiver {
    inner: Box<dyn Receiver>,
    ring: Arc<Mutex<Ring>>,
    loan: Option<ReceivedLoan>,
}

impl NearReceiver {
    fn look(&mut self, buffer: &mut BytesMut) -> Option<Received> {
        let mut ring = self.ring.lock().unwrap();
        let mut message = [0; 4096];
        let Incoming::Attached { inline, at, length } = ring.try_recv(&mut message).unwrap()?
        else {
            panic!("nothing else goes by the ring");
        };
        let mut message = message[..inline].to_vec();
        match ring.hold_chunk() {
            Ok(loan) => self.loan = Some(ReceivedLoan { at, loan }),
            Err(dunlin_shm::Error::Limit(_)) => {
                let mut chunk = vec![0; length];
                ring.copy_chunk(&mut chunk).unwrap();
                message.splice(at..at, chunk);
            }
            Err(error) => panic!("{error}"),
        }
        if buffer.capacity() - buffer.len() < message.len() {
            buffer.reserve(message.len());
        }
        buffer.extend_from_slice(&message);
        Some(Received {
            length: message.len(),
            from: Locator::udp_v4([127, 0, 0, 1].into(), 9),
            loaned: self.loan.is_some(),
        })
    }
}

impl Receiver for NearReceiver {
    fn receive(&mut self, buffer: &mut BytesMut, wait: Wait) -> io::Result<Option<Received>> {
        if let Some(received) = self.look(buffer) {
            return Ok(Some(received));
        }
        match self.inner.receive(buffer, wait)? {
            None => Ok(self.look(buffer)),
            received => Ok(received),
        }
    }

    fn loan(&mut self) -> Option<ReceivedLoan> {
        self.loan.take()
    }

    fn waker(&self) -> Arc<dyn Waker> {
        self.inner.waker()
    }

    fn locators(&self) -> Vec<Locator> {
        self.inner.locators()
    }

    fn statistics(&self) -> Arc<dyn ReceiveStatistics> {
        self.inner.statistics()
    }
}
