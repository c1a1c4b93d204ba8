//! What two participants that meet say to each other, and in how many datagrams: with
//! `--nocapture` the test prints it. With four topics they said it in 37 before what is for one
//! participant shared datagrams, and in 6 since.
mod common;

use bytes::BytesMut;
use common::{Keyed, Net, SOON, reader, reliable_all, writer};
use dunlin::transport::{
    Listen, MemoryTransport, Outgoing, Reach, ReceiveStatistics, Received, Receiver, Sent,
    Transport, TransportProperties, Wait, Waker,
};
use dunlin::{DomainParticipant, Duration, Locator, ParticipantConfig, Transports};
use dunlin_wire::{EntityId, Message};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

const TOPICS: usize = 4;

thread_local! {
    /// The last datagram that this thread received, by a number of its own.
    static RECEIVED: Cell<Option<usize>> = const { Cell::new(None) };
}

static TURNS: AtomicUsize = AtomicUsize::new(0);

fn next_turn() -> usize {
    TURNS.fetch_add(1, SeqCst)
}

/// One datagram for built-in endpoints of somebody.
#[derive(Clone, Copy)]
struct Said {
    /// What a thread answers to one datagram is of one turn, and what one call sends that answers
    /// nothing.
    turn: usize,
    to: Locator,
    bytes: usize,
    submessages: usize,
}

/// A network that notes what is said to single participants, but for their announcements alone.
#[derive(Clone)]
struct Noting {
    inner: Arc<MemoryTransport>,
    said: Arc<Mutex<Vec<Said>>>,
}

impl Transport for Noting {
    fn properties(&self) -> &'static [TransportProperties] {
        self.inner.properties()
    }

    fn send(&self, datagrams: &[Outgoing<'_>]) -> Sent {
        let turn = RECEIVED.get().unwrap_or_else(next_turn);
        let mut said = self.said.lock().unwrap();
        for datagram in datagrams.iter().filter(|d| !d.to.is_multicast()) {
            let bytes = datagram.to_vec();
            let submessages = of_discovery(&bytes);
            if submessages > 0 {
                said.push(Said {
                    turn,
                    to: datagram.to,
                    bytes: bytes.len(),
                    submessages,
                });
            }
        }
        drop(said);
        self.inner.send(datagrams)
    }

    fn open(&self, listen: &[Listen]) -> io::Result<Box<dyn Receiver>> {
        self.inner
            .open(listen)
            .map(|inner| Box::new(Turning { inner }) as _)
    }

    fn reaches(&self, to: &Locator) -> Reach {
        self.inner.reaches(to)
    }

    fn max_datagram(&self) -> usize {
        self.inner.max_datagram()
    }

    fn max_whole_datagram(&self, to: &Locator) -> usize {
        self.inner.max_whole_datagram(to)
    }
}

/// Begins a turn with each datagram.
struct Turning {
    inner: Box<dyn Receiver>,
}

impl Receiver for Turning {
    fn receive(&mut self, buffer: &mut BytesMut, wait: Wait) -> io::Result<Option<Received>> {
        let received = self.inner.receive(buffer, wait)?;
        if received.is_some() {
            RECEIVED.set(Some(next_turn()));
        }
        Ok(received)
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

/// How many submessages of a datagram are for built-in endpoints; none if it only announces.
fn of_discovery(datagram: &[u8]) -> usize {
    let message = Message::parse(datagram).unwrap();
    let all = message.submessages.map(Result::unwrap);
    let writers = all.filter_map(|submessage| Some(submessage.endpoints()?.1));
    let builtin: Vec<EntityId> = writers.filter(|writer| writer.is_builtin()).collect();
    match builtin
        .iter()
        .all(|writer| *writer == EntityId::SPDP_WRITER)
    {
        true => 0,
        false => builtin.len(),
    }
}

#[test]
fn what_is_for_one_participant_shares_a_datagram_and_so_do_the_answers() {
    let net = Net::new(0.0);
    let transports = [(); 2].map(|()| Noting {
        inner: Arc::new(net.host()),
        said: Arc::default(),
    });
    let participant = |transport: &Noting| {
        let config = ParticipantConfig {
            transport: Some(Arc::new(transport.clone())),
            transports: Transports {
                local: false,
                ..Transports::default()
            },
            announce_period: Duration::from_secs(60),
            ..ParticipantConfig::default()
        };
        DomainParticipant::with_config(0, config).unwrap()
    };
    let [a, b] = transports.each_ref().map(participant);
    let (wqos, rqos) = reliable_all();
    let names: Vec<_> = (0..TOPICS).map(|nth| format!("T{nth}")).collect();
    let writers = names
        .iter()
        .map(|name| writer::<Keyed>(&a, name, wqos.clone()));
    let writers: Vec<_> = writers.collect();
    let readers = names
        .iter()
        .map(|name| reader::<Keyed>(&b, name, rqos.clone()));
    let readers: Vec<_> = readers.collect();
    for writer in &writers {
        writer.wait_for_matched(1, SOON).unwrap();
    }
    for reader in &readers {
        reader.wait_for_matched(1, SOON).unwrap();
    }
    let said = transports
        .each_ref()
        .map(|t| t.said.lock().unwrap().clone());
    let submessages: usize = said.iter().flatten().map(|said| said.submessages).sum();
    let datagrams = said.iter().flatten().count();
    println!("{submessages} submessages in {datagrams} datagrams");
    assert!(submessages > datagrams);
    for (transport, said) in transports.iter().zip(&said) {
        let mut turns: BTreeMap<(usize, Locator), Vec<usize>> = BTreeMap::new();
        for said in said {
            let turn = turns.entry((said.turn, said.to)).or_default();
            turn.push(said.bytes);
        }
        for ((_, to), lengths) in turns {
            let whole = transport.max_whole_datagram(&to);
            for pair in lengths.windows(2) {
                assert!(pair[0] + pair[1] > whole, "{lengths:?} of {whole} bytes");
            }
        }
    }
}
