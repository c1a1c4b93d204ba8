//! Instances of writers that are not our kind: they send key hashes of their own, and disposals
//! without the key.
mod common;

use bytes::BytesMut;
use common::{Keyed, SOON, reader, reliable_all, take, writer};
use dunlin::transport::{
    Faults, Listen, MemoryNetwork, MemoryTransport, Outgoing, Reach, ReceiveStatistics, Received,
    Receiver, Sent, Transport, TransportProperties, Wait, Waker,
};
use dunlin::*;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, OnceLock};

/// Makes a participant speak as one of another vendor's.
#[derive(Clone)]
struct Disguise {
    inner: MemoryTransport,
    accent: Accent,
    own: Arc<OnceLock<[u8; 12]>>,
    /// It says nothing any more.
    silent: Arc<AtomicBool>,
}

#[derive(Clone, Copy, Default)]
struct Accent {
    /// Prefix and vendor are another product's, and so are key hashes.
    foreign: bool,
    /// Of a dispose only the hash is sent.
    terse: bool,
}

impl Disguise {
    /// The prefix under which others know the participant.
    fn mask(own: [u8; 12]) -> [u8; 12] {
        let mut mask = own;
        mask[..2].copy_from_slice(&[1, 15]);
        mask
    }
}

fn replace(bytes: &mut [u8], what: [u8; 12], by: [u8; 12]) {
    for at in 0..bytes.len().saturating_sub(11) {
        if bytes[at..at + 12] == what {
            bytes[at..at + 12].copy_from_slice(&by);
        }
    }
}

/// Others do not know the parameter by which a writer says that its deletion disposes.
fn forget_autodispose(bytes: &mut [u8]) {
    const SAYS_SO: [u8; 8] = [0x06, 0x8d, 4, 0, 1, 0, 0, 0];
    for at in 0..bytes.len().saturating_sub(7) {
        if bytes[at..at + 8] == SAYS_SO {
            bytes[at + 4] = 0;
        }
    }
}

/// Names another vendor where messages and participant data name theirs.
fn rename(datagram: &mut [u8]) {
    datagram[6..8].copy_from_slice(&[1, 15]);
    let parameter = [0x16, 0, 4, 0, 0x44, 0x4c, 0, 0];
    let found = datagram.windows(8).position(|window| window == parameter);
    if let Some(at) = found {
        datagram[at + 4..at + 6].copy_from_slice(&[1, 15]);
    }
}

/// Changes each DATA of a user's writer.
fn speak(datagram: &mut [u8], accent: Accent) {
    let mut rest = &mut datagram[20..];
    while rest.len() > 4 {
        let length = 4 + usize::from(u16::from_le_bytes([rest[2], rest[3]]));
        let (submessage, more) = rest.split_at_mut(length);
        if submessage[0] == 0x15 && submessage[15] >> 6 == 0 {
            if accent.terse {
                submessage[1] &= !0x08;
            }
            let hash = submessage.windows(4).position(|w| w == [0x70, 0, 16, 0]);
            if let Some(at) = hash.filter(|_| accent.foreign) {
                submessage[at + 4..at + 20]
                    .iter_mut()
                    .for_each(|b| *b ^= 0x5a);
            }
        }
        rest = more;
    }
}

impl Transport for Disguise {
    fn properties(&self) -> &'static [TransportProperties] {
        self.inner.properties()
    }

    fn send(&self, datagrams: &[Outgoing<'_>]) -> Sent {
        let mut sent = Sent::default();
        if self.silent.load(SeqCst) {
            return sent;
        }
        for datagram in datagrams {
            let mut bytes = datagram.to_vec();
            let own = *self.own.get_or_init(|| bytes[8..20].try_into().unwrap());
            speak(&mut bytes, self.accent);
            if self.accent.foreign {
                rename(&mut bytes);
                replace(&mut bytes, own, Self::mask(own));
            }
            let disguised = Outgoing {
                to: datagram.to,
                lane: None,
                head: &bytes,
                payload: &[],
                tail: &[],
                patient: false,
                dscp: 0,
            };
            sent.datagrams += self.inner.send(&[disguised]).datagrams;
        }
        sent
    }

    fn open(&self, listen: &[Listen]) -> io::Result<Box<dyn Receiver>> {
        Ok(Box::new(Unmasking {
            inner: self.inner.open(listen)?,
            disguise: self.clone(),
        }))
    }

    /// As if all were on one host, so that no checksum gives the disguise away.
    fn reaches(&self, to: &Locator) -> Reach {
        self.inner.reaches(to).max(Reach::Host)
    }

    fn max_datagram(&self) -> usize {
        self.inner.max_datagram()
    }

    fn max_whole_datagram(&self, to: &Locator) -> usize {
        self.inner.max_whole_datagram(to)
    }
}

struct Unmasking {
    inner: Box<dyn Receiver>,
    disguise: Disguise,
}

impl Receiver for Unmasking {
    fn receive(&mut self, buffer: &mut BytesMut, wait: Wait) -> io::Result<Option<Received>> {
        let before = buffer.len();
        let received = self.inner.receive(buffer, wait)?;
        if let Some(own) = self.disguise.own.get() {
            replace(&mut buffer[before..], Disguise::mask(*own), *own);
        }
        if self.disguise.accent.foreign {
            forget_autodispose(&mut buffer[before..]);
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

fn participant(network: &MemoryNetwork, accent: Accent) -> DomainParticipant {
    disguised(network, accent, Arc::default())
}

fn disguised(
    network: &MemoryNetwork,
    accent: Accent,
    silent: Arc<AtomicBool>,
) -> DomainParticipant {
    let transport = Disguise {
        inner: network.host(),
        accent,
        own: Arc::default(),
        silent,
    };
    let config = ParticipantConfig {
        transport: Some(Arc::new(transport)),
        heartbeat_period: Duration::from_millis(10),
        transports: Transports::UDP,
        ..Default::default()
    };
    DomainParticipant::with_config(0, config).unwrap()
}

fn bird(name: &str, number: u32) -> Keyed {
    let name = name.into();
    Keyed { name, number }
}

fn name_of(sample: &Sample<Keyed>) -> Option<&str> {
    sample.key().map(|key| &*key.name)
}

#[test]
fn a_dispose_with_nothing_but_a_hash_gives_the_key_back() {
    for foreign in [false, true] {
        let network = MemoryNetwork::new(1, Faults::default());
        let accent = Accent {
            foreign,
            terse: true,
        };
        let (a, b) = (
            participant(&network, accent),
            participant(&network, Accent::default()),
        );
        let (wqos, rqos) = reliable_all();
        let reader = reader::<Keyed>(&b, "T", rqos);
        let writer = writer::<Keyed>(&a, "T", wqos);
        writer.wait_for_matched(1, SOON).unwrap();
        reader.wait_for_matched(1, SOON).unwrap();
        writer.write(&bird("dunlin", 1)).unwrap();
        writer.write(&bird("stint", 2)).unwrap();
        assert_eq!(take(&reader, 2).len(), 2);
        writer.dispose(&bird("dunlin", 0)).unwrap();
        writer.unregister_instance(&bird("stint", 0)).unwrap();
        let gone = take(&reader, 2);
        assert_eq!(
            gone.iter().map(name_of).collect::<Vec<_>>(),
            [Some("dunlin"), Some("stint")]
        );
        assert!(gone.iter().all(|s| s.data().is_none()));
        assert_eq!(gone[0].info.instance_state, InstanceState::NotAliveDisposed);

        writer.write(&bird("dunlin", 3)).unwrap();
        take(&reader, 1);
        drop(writer);
        let left = take(&reader, 1);
        assert_eq!(name_of(&left[0]), Some("dunlin"));
        // Others do not say whether the deletion of a writer disposes its instances.
        let state = match foreign {
            true => InstanceState::NotAliveNoWriters,
            false => InstanceState::NotAliveDisposed,
        };
        assert_eq!(left[0].info.instance_state, state);
    }
}

#[test]
fn writers_of_two_vendors_write_one_instance() {
    let network = MemoryNetwork::new(2, Faults::default());
    let foreign = Accent {
        foreign: true,
        terse: true,
    };
    let other = participant(&network, foreign);
    let ours = participant(&network, Accent::default());
    let b = participant(&network, Accent::default());
    let (mut wqos, rqos) = reliable_all();
    wqos.writer_data_lifecycle = WriterDataLifecycle {
        autodispose_unregistered_instances: false,
    };
    let reader = reader::<Keyed>(&b, "T", rqos);
    let writers = [&other, &ours].map(|p| writer::<Keyed>(p, "T", wqos.clone()));
    reader.wait_for_matched(2, SOON).unwrap();
    let handle = writers[1].register_instance(&bird("knot", 0)).unwrap();
    for (number, writer) in (0..).zip(&writers) {
        writer.wait_for_matched(1, SOON).unwrap();
        writer.write(&bird("knot", number)).unwrap();
        let samples = take(&reader, 1);
        assert_eq!(samples[0].info.instance, handle);
        assert_eq!(samples[0].info.foreign_key_hash, number == 0);
    }
    let vendors: Vec<_> = reader
        .matched_publications()
        .iter()
        .map(|w| w.prefix.0[..2] == VendorId::DUNLIN.0)
        .collect();
    assert!(vendors.contains(&true) && vendors.contains(&false));
    writers[0].unregister_instance(&bird("knot", 0)).unwrap();
    writers[0].wait_for_acknowledgments(SOON).unwrap();
    assert!(reader.take().is_empty(), "the other one still writes it");
    writers[1].unregister_instance(&bird("knot", 0)).unwrap();
    let gone = take(&reader, 1);
    assert_eq!(gone[0].info.instance, handle);
    assert_eq!(
        gone[0].info.instance_state,
        InstanceState::NotAliveNoWriters
    );
    assert_eq!(name_of(&gone[0]), Some("knot"));
}

/// How a writer can end.
const WAYS: [fn(Publisher, DataWriter<Keyed>); 3] = [
    |_, writer| drop(writer),
    |publisher, writer| publisher.delete_datawriter(&writer).unwrap(),
    |publisher, _writer| publisher.delete_contained_entities(),
];

#[test]
fn readers_of_other_products_are_told_what_the_deletion_of_a_writer_disposes() {
    let network = MemoryNetwork::new(3, Faults::default());
    let foreign = Accent {
        foreign: true,
        terse: false,
    };
    let (a, b) = (
        participant(&network, Accent::default()),
        participant(&network, foreign),
    );
    let c = participant(&network, Accent::default());
    for (autodispose, state) in [
        (true, InstanceState::NotAliveDisposed),
        (false, InstanceState::NotAliveNoWriters),
    ] {
        for (n, end) in WAYS.into_iter().enumerate() {
            let topic = format!("T {n} {autodispose}");
            let (mut wqos, mut rqos) = reliable_all();
            wqos.durability = Durability::TransientLocal;
            rqos.durability = Durability::TransientLocal;
            wqos.writer_data_lifecycle = WriterDataLifecycle {
                autodispose_unregistered_instances: autodispose,
            };
            let writer = writer::<Keyed>(&a, &topic, wqos);
            // The first two are written before anybody is there.
            for name in ["dunlin", "knot"] {
                writer.write(&bird(name, 1)).unwrap();
            }
            let readers = [&b, &c].map(|of| reader::<Keyed>(of, &topic, rqos.clone()));
            writer.wait_for_matched(2, SOON).unwrap();
            for name in ["stint", "ruff", "turnstone"] {
                writer.write(&bird(name, 2)).unwrap();
            }
            writer.unregister_instance(&bird("ruff", 0)).unwrap();
            writer.dispose(&bird("turnstone", 0)).unwrap();
            // Nobody has heard of this one.
            writer.register_instance(&bird("avocet", 0)).unwrap();
            for reader in &readers {
                assert_eq!(take(reader, 7).len(), 7);
            }
            end(writer.publisher().unwrap(), writer);
            for reader in &readers {
                let ends = take(reader, 3);
                let mut names: Vec<_> = ends.iter().map(name_of).collect();
                names.sort_unstable();
                assert_eq!(names, ["dunlin", "knot", "stint"].map(Some));
                let states = ends.iter().map(|end| end.info.instance_state);
                assert!(states.into_iter().all(|of| of == state), "{topic}");
                assert!(reader.take().is_empty());
            }
        }
    }
}

/// Its history is full, and the reader does not answer: the end of the writer takes no longer than
/// the participant lingers.
#[test]
fn a_writer_ends_in_time_although_others_cannot_be_told() {
    let network = MemoryNetwork::new(4, Faults::default());
    let foreign = Accent {
        foreign: true,
        terse: false,
    };
    let silent = Arc::<AtomicBool>::default();
    let (a, b) = (
        participant(&network, Accent::default()),
        disguised(&network, foreign, Arc::clone(&silent)),
    );
    let (mut wqos, rqos) = reliable_all();
    wqos.reliability.max_blocking_time = Duration::INFINITE;
    wqos.resource_limits.max_samples = Some(2);
    let reader = reader::<Keyed>(&b, "T", rqos);
    let writer = writer::<Keyed>(&a, "T", wqos);
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    silent.store(true, SeqCst);
    for name in ["dunlin", "knot"] {
        writer.write(&bird(name, 1)).unwrap();
    }
    drop(writer);
    silent.store(false, SeqCst);
    let ends = take(&reader, 4);
    assert!(ends.iter().filter(|end| end.data().is_none()).count() == 2);
}
