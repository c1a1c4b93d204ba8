//! Samples of which a part lies in memory of their writer.
mod common;

use bytes::{Bytes, BytesMut};
use common::{Recorder, handle, reader_guid, reliable_reader, writer_guid};
use dunlin_qos::{Durability, Duration, History, ResourceLimits};
use dunlin_rtps::{
    ContentFilter, Delivery, InstanceHandle, KeyOf, Loaned, LoanedPayload, Payload,
    PayloadAllocator, Reader, ReaderConfig, RejectionReason, Sample, Select, Time, Withdrawn,
    WriterProxyConfig,
};
use dunlin_wire::{
    Data, EntityId, Heartbeat, InlineQos, Parameters, Payload as SerializedPayload, SequenceNumber,
    SetMembership,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

/// Bytes that each sample has in memory of its writer.
const LOAN: usize = 100_000;
/// Bytes that each sample has in its datagram: the number of its instance and its own.
const HEAD: usize = 8;

/// What the writer lends, as it sees it.
#[derive(Default)]
struct Pool {
    lent: AtomicUsize,
    ever: AtomicUsize,
    withdrawn: AtomicBool,
}

/// A sample: what its datagram has, and behind it bytes of the writer.
struct Lent {
    head: Vec<u8>,
    pool: Arc<Pool>,
}

impl LoanedPayload for Lent {
    fn len(&self) -> usize {
        self.head.len() + LOAN
    }

    fn append_to(&self, out: &mut BytesMut) -> Result<(), Withdrawn> {
        if self.pool.withdrawn.load(SeqCst) {
            return Err(Withdrawn);
        }
        out.extend_from_slice(&self.head);
        out.resize(out.len() + LOAN, 7);
        Ok(())
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.pool.lent.fetch_sub(1, SeqCst);
    }
}

/// Keeps what every datagram brings as a loan.
#[derive(Default)]
struct Loans(Arc<Pool>);

impl Loans {
    fn loan(&self, head: &[u8]) -> Payload {
        self.0.lent.fetch_add(1, SeqCst);
        self.0.ever.fetch_add(1, SeqCst);
        Loaned::new(Arc::new(Lent {
            head: head.to_vec(),
            pool: Arc::clone(&self.0),
        }))
        .into()
    }

    fn lent(&self) -> usize {
        self.0.lent.load(SeqCst)
    }
}

impl PayloadAllocator for Loans {
    fn keep(&mut self, bytes: &[u8]) -> Payload {
        self.loan(bytes)
    }

    fn length(&self, bytes: &[u8]) -> usize {
        bytes.len() + LOAN
    }

    fn assemble(&mut self, size: usize) -> BytesMut {
        BytesMut::with_capacity(size)
    }

    fn passes(&mut self, filter: &ContentFilter, sample: &[u8]) -> bool {
        filter.passes_payload(&self.loan(sample))
    }

    fn instance(&mut self, payload: SerializedPayload<'_>) -> Option<InstanceHandle> {
        let instance = *payload.bytes().first_chunk()?;
        Some(handle(u32::from_be_bytes(instance)))
    }
}

/// A reader, its one writer, and what that lends.
struct Scene {
    reader: Reader,
    loans: Loans,
}

impl Scene {
    fn new(config: ReaderConfig, lifespan: Duration) -> Self {
        let mut reader = Reader::new(ReaderConfig {
            keyed: true,
            ..config
        });
        let writer = WriterProxyConfig {
            guid: writer_guid(1),
            reliable: true,
            durability: Durability::Volatile,
            ownership_strength: 0,
            lifespan,
            vendor: dunlin_wire::VendorId::UNKNOWN,
        };
        reader.add_writer(Time(0), writer, &mut Recorder::default());
        let heartbeat = Heartbeat {
            reader: reader_guid(1).entity,
            writer: writer_guid(1).entity,
            first: SequenceNumber(1),
            last: SequenceNumber(0),
            count: 1,
            is_final: true,
            liveliness: false,
            group: None,
        };
        let (writer, out) = (writer_guid(1), &mut Recorder::default());
        reader.handle_heartbeat(Time(0), writer, &heartbeat, out);
        Self {
            reader,
            loans: Loans::default(),
        }
    }

    fn reliable() -> Self {
        Self::new(reliable_reader(), Duration::INFINITE)
    }

    fn hear(&mut self, sequence: i64, instance: u32) -> Delivery {
        self.hear_of_set(sequence, instance, SetMembership::NONE)
    }

    fn hear_of_set(&mut self, sequence: i64, instance: u32, set: SetMembership) -> Delivery {
        let number = u32::try_from(sequence).unwrap();
        let head = [instance.to_be_bytes(), number.to_be_bytes()].concat();
        let data = Data {
            reader: EntityId::UNKNOWN,
            writer: writer_guid(1).entity,
            sequence: SequenceNumber(sequence),
            inline_qos: Parameters::NONE,
            payload: SerializedPayload::Data(&head),
        };
        let inline = InlineQos {
            set,
            ..InlineQos::default()
        };
        let (writer, out) = (writer_guid(1), &mut Recorder::default());
        let loans = &mut self.loans;
        self.reader
            .handle_data(Time(0), writer, None, &data, &inline, loans, out)
    }

    fn take(&mut self) -> Vec<Sample> {
        let mut all = Vec::new();
        self.reader.take(&Select::default(), |s| all.push(s));
        all
    }
}

/// As `key_of` of a reader's configuration: the instance.
fn key(sample: &Bytes) -> Bytes {
    assert_eq!(sample.len(), HEAD + LOAN);
    sample.slice(..4)
}

#[test]
fn a_loaned_sample_is_handed_out_as_one_and_goes_back_when_nobody_has_it() {
    let mut scene = Scene::reliable();
    assert_eq!(scene.hear(1, 5), Delivery::NEW);
    let mut read = Vec::new();
    scene
        .reader
        .read(&Select::default(), |s| read.push(s.payload));
    let taken = scene.take().remove(0).payload;
    assert!(taken.as_inline().is_none());
    assert_eq!(taken.len(), HEAD + LOAN);
    let bytes = taken.to_bytes().unwrap();
    assert_eq!(bytes[..HEAD], [0, 0, 0, 5, 0, 0, 0, 1]);
    assert_eq!(bytes[HEAD..], [7; LOAN]);
    assert_eq!(scene.loans.lent(), 1);
    drop(taken);
    assert_eq!(scene.loans.lent(), 1);
    drop(read);
    assert_eq!(scene.loans.lent(), 0);
}

#[test]
fn the_largest_sample_counts_what_is_loaned() {
    let config = ReaderConfig {
        max_sample_size: (HEAD + LOAN) as u32 - 1,
        ..reliable_reader()
    };
    let mut scene = Scene::new(config.clone(), Duration::INFINITE);
    let delivery = scene.hear(1, 5);
    assert_eq!(delivery.too_large, Some((HEAD + LOAN) as u32));
    assert_eq!((delivery.lost, delivery.available), (1, false));
    let config = ReaderConfig {
        max_sample_size: config.max_sample_size + 1,
        ..config
    };
    let mut scene = Scene::new(config, Duration::INFINITE);
    assert_eq!(scene.hear(1, 5), Delivery::NEW);
}

#[test]
fn what_waits_for_its_turn_counts_what_is_loaned() {
    let config = ReaderConfig {
        max_reassembly_bytes: 2 * (HEAD + LOAN),
        ..reliable_reader()
    };
    let mut scene = Scene::new(config, Duration::INFINITE);
    for sequence in [2, 3, 4] {
        assert!(!scene.hear(sequence, 5).available);
    }
    let holdings = scene.reader.holdings();
    assert_eq!(holdings.early, 2);
    assert_eq!(holdings.early_bytes, 2 * (HEAD + LOAN));
    assert_eq!(scene.loans.lent(), 2);
    assert!(scene.hear(1, 5).available);
    assert_eq!(scene.reader.holdings().early_bytes, 0);
    assert_eq!(scene.take().len(), 3);
    assert_eq!(scene.loans.lent(), 0);
}

#[test]
fn what_waits_for_the_end_of_its_set_counts_what_is_loaned() {
    let config = ReaderConfig {
        coherent: true,
        history: History::KeepAll,
        max_reassembly_bytes: 3 * LOAN,
        ..reliable_reader()
    };
    let set = SetMembership {
        first: SequenceNumber(1),
        ..SetMembership::NONE
    };
    let mut scene = Scene::new(config.clone(), Duration::INFINITE);
    for sequence in [1, 2] {
        assert!(!scene.hear_of_set(sequence, 5, set).available);
    }
    assert_eq!(scene.reader.holdings().in_sets_bytes, 2 * (HEAD + LOAN));
    assert!(scene.hear(3, 5).available);
    assert_eq!(scene.reader.holdings().in_sets_bytes, 0);
    assert_eq!(scene.take().len(), 3);
    // A set that is too large is dropped as a whole, and all of it goes back.
    let mut scene = Scene::new(config, Duration::INFINITE);
    let lost = [1, 2, 3].map(|sequence| scene.hear_of_set(sequence, 5, set).lost);
    assert_eq!(lost, [0, 0, 3]);
    assert_eq!(scene.loans.lent(), 0);
}

#[test]
fn a_sample_without_room_is_not_loaned() {
    let config = ReaderConfig {
        history: History::KeepAll,
        resource_limits: ResourceLimits {
            max_samples: Some(1),
            ..ResourceLimits::default()
        },
        ..reliable_reader()
    };
    let mut scene = Scene::new(config, Duration::INFINITE);
    assert_eq!(scene.hear(1, 5), Delivery::NEW);
    let rejection = scene.hear(2, 5).rejected.unwrap();
    assert_eq!(rejection.reason, RejectionReason::Samples);
    assert_eq!(scene.loans.0.ever.load(SeqCst), 1);
    assert_eq!(scene.take().len(), 1);
    scene
        .reader
        .handle_timeout(Time(0), &mut Recorder::default());
    assert_eq!(scene.hear(2, 5), Delivery::NEW);
    assert_eq!(scene.loans.lent(), 1);
}

#[test]
fn what_is_replaced_or_expires_goes_back_and_so_does_all_at_the_end() {
    let second = Duration::from_secs(1);
    let config = ReaderConfig {
        history: History::KeepLast(1),
        ..reliable_reader()
    };
    let mut scene = Scene::new(config, second);
    let loans = Loans(Arc::clone(&scene.loans.0));
    for sequence in 1..=3 {
        assert!(scene.hear(sequence, 5).available);
    }
    assert_eq!(loans.lent(), 1);
    scene.reader.expire(Time(0).after(second));
    assert_eq!(loans.lent(), 0);
    scene.hear(4, 5);
    // Before its turn.
    scene.hear(6, 5);
    assert_eq!(loans.lent(), 2);
    drop(scene);
    assert_eq!(loans.lent(), 0);
}

#[test]
fn filters_and_queries_see_the_whole_sample() {
    let whole = |sample: &[u8]| sample.len() == HEAD + LOAN && sample.ends_with(&[7]);
    let wanted = move |number: u8| ContentFilter::new(move |s| whole(s) && s[HEAD - 1] == number);
    let config = ReaderConfig {
        content_filter: Some(wanted(2)),
        ..reliable_reader()
    };
    let mut scene = Scene::new(config, Duration::INFINITE);
    assert!(!scene.hear(1, 5).available);
    assert!(scene.hear(2, 5).available);
    assert_eq!(scene.reader.filtered(), 1);
    assert_eq!(scene.loans.lent(), 1);

    let mut scene = Scene::reliable();
    scene.hear(1, 5);
    scene.reader.set_query(Some(wanted(2)));
    assert!(scene.take().is_empty());
    scene.reader.set_query(Some(wanted(1)));
    scene.loans.0.withdrawn.store(true, SeqCst);
    assert!(scene.take().is_empty());
    scene.loans.0.withdrawn.store(false, SeqCst);
    assert_eq!(scene.take().len(), 1);
}

#[test]
fn the_key_of_an_instance_is_cut_out_of_the_whole_sample() {
    let config = ReaderConfig {
        key_of: Some(KeyOf::new(key)),
        ..reliable_reader()
    };
    let mut scene = Scene::new(config, Duration::INFINITE);
    scene.hear(1, 5);
    assert_eq!(scene.reader.key(handle(5)).unwrap()[..], [0, 0, 0, 5]);
    scene.loans.0.withdrawn.store(true, SeqCst);
    scene.hear(2, 6);
    assert_eq!(scene.reader.key(handle(6)), None);
}
