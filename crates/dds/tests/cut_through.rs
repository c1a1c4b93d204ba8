//! Samples of which the first bytes are sent before the last are there, and readers that have them
//! as they come.
mod common;

use bytes::{Bytes, BytesMut};
use common::{Net, Plain, SOON, reliable_all};
use dunlin::cdr::{Xcdr, to_payload};
use dunlin::untyped::{
    Arriving, ChangeKind, Piece, TryWriteError, TypeSupport, UntypedReaderOptions, UntypedSample,
    WriteOptions,
};
use dunlin::{
    DomainParticipant, PublisherQos, Select, SequenceNumber, SubscriberQos, TopicQos,
    UntypedReader, UntypedWriter,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

const OPTIONS: WriteOptions = WriteOptions {
    timestamp: None,
    instance: None,
    origin: None,
};

fn payload(number: u32, size: usize) -> Bytes {
    let data = vec![number as u8; size].into();
    let mut out = BytesMut::new();
    to_payload(&Plain { number, data }, Xcdr::V1, &mut out).unwrap();
    out.freeze()
}

fn writer(at: &DomainParticipant) -> UntypedWriter {
    let ty = TypeSupport::of::<Plain>();
    let topic = at
        .create_untyped_topic("T", &ty, TopicQos::default())
        .unwrap();
    let publisher = at.create_publisher(PublisherQos::default());
    publisher
        .create_untyped_datawriter(&topic, reliable_all().0)
        .unwrap()
}

/// A reader that has samples as they come, and how often its listener was called.
fn reader(at: &DomainParticipant) -> (UntypedReader, Arc<AtomicUsize>) {
    let ty = TypeSupport::of::<Plain>();
    let topic = at
        .create_untyped_topic("T", &ty, TopicQos::default())
        .unwrap();
    let options = UntypedReaderOptions {
        stream: true,
        arriving: Some(1),
        ..Default::default()
    };
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let listener = move |_: &UntypedReader| {
        counted.fetch_add(1, SeqCst);
    };
    let subscriber = at.create_subscriber(SubscriberQos::default());
    let reader = subscriber
        .create_untyped_datareader_with_options(&topic, reliable_all().1, options, Some(listener))
        .unwrap();
    (reader, calls)
}

fn wait_until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "it never comes");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// What a reader has of incomplete samples.
#[derive(Default)]
struct Seen {
    size: usize,
    bytes: Vec<u8>,
    ended: Option<SequenceNumber>,
}

impl Seen {
    fn look(&mut self, reader: &UntypedReader) {
        let mut news = Vec::new();
        reader.take_arriving(&mut news);
        for one in news {
            match one {
                Arriving::Begins { size, .. } => {
                    *self = Self {
                        size,
                        ..Self::default()
                    }
                }
                Arriving::Grows { bytes, .. } => self.bytes.extend_from_slice(&bytes),
                Arriving::Ends { sequence, .. } => self.ended = Some(sequence),
            }
        }
    }
}

fn take_one(reader: &UntypedReader) -> UntypedSample {
    wait_until(|| {
        let mut taken = Vec::new();
        reader.take(&Select::default(), &mut taken);
        taken.pop()
    })
}

#[test]
fn a_reader_has_the_first_bytes_before_the_writer_has_the_last() {
    for loss in [0.0, 0.2] {
        let net = Net::new(0.0);
        let (a, b) = (net.participant(), net.participant());
        let (writer, (reader, calls)) = (writer(&a), reader(&b));
        writer.wait_for_matched(1, SOON).unwrap();
        reader.wait_for_matched(1, SOON).unwrap();
        net.set_drop(loss);
        for number in 1..=3 {
            let whole = payload(number, 1_000_000);
            let open = writer.open(whole.len(), &OPTIONS).unwrap().unwrap();
            let half = whole.len() / 2;
            for from in (0..half).step_by(50_000) {
                open.extend(whole.slice(from..half.min(from + 50_000)));
            }
            let mut seen = Seen::default();
            wait_until(|| {
                seen.look(&reader);
                (seen.bytes.len() > half - 140_000).then_some(())
            });
            assert_eq!(seen.size, whole.len());
            // The listener may come behind this thread, which looks all the time.
            wait_until(|| (calls.load(SeqCst) > 0).then_some(()));
            assert_eq!(seen.bytes, whole[..seen.bytes.len()]);
            open.complete(whole.clone()).unwrap();
            let sample = take_one(&reader);
            assert_eq!(sample.payload().unwrap(), whole);
            seen.look(&reader);
            assert_eq!(seen.ended, Some(sample.info.sequence));
        }
        net.set_drop(0.0);
        writer.wait_for_acknowledgments(SOON).unwrap();
        assert_eq!(reader.sample_lost_status().total_count, 0);
    }
}

#[test]
fn of_a_sample_that_is_dropped_before_it_is_complete_nothing_is_delivered() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (writer, (reader, _)) = (writer(&a), reader(&b));
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    let (dropped, next) = (payload(1, 1_000_000), payload(2, 1_000_000));
    let open = writer.open(dropped.len(), &OPTIONS).unwrap().unwrap();
    open.extend(dropped.slice(..600_000));
    let write = || writer.try_write(ChangeKind::Alive, &[Piece::Copied(&next)], &OPTIONS);
    assert!(matches!(write(), Err(TryWriteError::Full)));
    assert!(writer.open(next.len(), &OPTIONS).unwrap().is_none());
    let mut seen = Seen::default();
    wait_until(|| {
        seen.look(&reader);
        (!seen.bytes.is_empty()).then_some(())
    });
    drop(open);
    wait_until(|| {
        seen.look(&reader);
        seen.ended
    });
    write().unwrap();
    assert_eq!(take_one(&reader).payload().unwrap(), next);
    writer.wait_for_acknowledgments(SOON).unwrap();
    assert_eq!(reader.sample_lost_status().total_count, 0);
}

#[test]
fn a_payload_that_is_not_what_was_begun_is_refused_and_may_be_written_whole() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (writer, (reader, _)) = (writer(&a), reader(&b));
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    assert!(writer.open(100, &OPTIONS).unwrap().is_none(), "too small");
    let whole = payload(1, 1_000_000);
    let open = writer.open(whole.len() + 8, &OPTIONS).unwrap().unwrap();
    open.extend(whole.slice(..500_000));
    let error = open.complete(whole.clone()).unwrap_err();
    assert!(error.to_string().contains("another length"), "{error}");
    writer.write(ChangeKind::Alive, &whole, &OPTIONS).unwrap();
    assert_eq!(take_one(&reader).payload().unwrap(), whole);
}
