//! Endpoints whose type is known at run time: what they write, take, refuse and relay.

mod common;
#[path = "untyped/filters.rs"]
mod filters;

use bytes::{Bytes, BytesMut};
use common::{Keyed, Net, Plain, SOON, reliable_all};
use dunlin::cdr::{Xcdr, key_hash, key_to_payload, to_payload};
use dunlin::untyped::{
    ChangeKind, Piece, TryWriteError, TypeSupport, UntypedReaderOptions, UntypedSample,
    WriteOptions, WriterPredicate,
};
use dunlin::{
    DataReaderQos, DataWriterQos, DomainParticipant, Error, GuardCondition, History,
    InstanceHandle, PublisherQos, ResourceLimits, Select, StatusMask, SubscriberQos, Topic,
    TopicData, TopicQos, UntypedReader, UntypedWriter, UntypedWriterListener, WaitSet,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

fn payload<T: TopicData>(sample: &T) -> Vec<u8> {
    let mut out = BytesMut::new();
    to_payload(sample, Xcdr::V1, &mut out).unwrap();
    out.to_vec()
}

fn key_payload<T: TopicData>(sample: &T) -> Vec<u8> {
    let mut out = BytesMut::new();
    key_to_payload(sample, Xcdr::V1, &mut out).unwrap();
    out.to_vec()
}

fn keyed(name: &str, number: u32) -> Keyed {
    let name = name.into();
    Keyed { name, number }
}

fn writer(at: &DomainParticipant, ty: &TypeSupport, qos: DataWriterQos) -> UntypedWriter {
    let topic = at
        .create_untyped_topic("T", ty, TopicQos::default())
        .unwrap();
    let publisher = at.create_publisher(PublisherQos::default());
    publisher.create_untyped_datawriter(&topic, qos).unwrap()
}

fn reader(at: &DomainParticipant, ty: &TypeSupport, qos: DataReaderQos) -> UntypedReader {
    let topic = at
        .create_untyped_topic("T", ty, TopicQos::default())
        .unwrap();
    let subscriber = at.create_subscriber(SubscriberQos::default());
    subscriber.create_untyped_datareader(&topic, qos).unwrap()
}

fn stream(at: &DomainParticipant, ty: &TypeSupport, qos: DataReaderQos) -> UntypedReader {
    let topic = at
        .create_untyped_topic("T", ty, TopicQos::default())
        .unwrap();
    let subscriber = at.create_subscriber(SubscriberQos::default());
    let options = UntypedReaderOptions {
        stream: true,
        ..Default::default()
    };
    subscriber
        .create_untyped_datareader_with_options(&topic, qos, options, None::<()>)
        .unwrap()
}

/// Takes until there are so many samples.
fn take(reader: &UntypedReader, count: usize) -> Vec<UntypedSample> {
    let mut samples = Vec::new();
    let waits = WaitSet::new();
    waits.attach(reader.read_condition(Select::default()));
    while samples.len() < count {
        waits.wait(SOON).unwrap();
        reader.take(&Select::default(), &mut samples);
    }
    samples
}

#[test]
fn bytes_go_as_they_are_and_typed_endpoints_understand_them() {
    let net = Net::new(0.0);
    let (wqos, rqos) = reliable_all();
    let (a, b) = (net.participant(), net.participant());
    let ty = TypeSupport::of::<Keyed>();
    let writer = writer(&a, &ty, wqos);
    let typed = b.reader_with::<Keyed>("T", rqos.clone()).unwrap();
    let bytes = reader(&b, &ty, rqos);
    writer.wait_for_matched(2, SOON).unwrap();
    let sent = payload(&keyed("one", 1));
    let options = WriteOptions::default();
    writer.write(ChangeKind::Alive, &sent, &options).unwrap();
    let key = key_payload(&keyed("one", 1));
    writer.write(ChangeKind::Disposed, &key, &options).unwrap();
    let samples = take(&bytes, 2);
    assert_eq!(samples[0].payload().unwrap(), sent);
    assert_eq!(samples[0].as_slice(), Some(&sent[..]));
    let mut part = [0; 4];
    samples[0].copy_to(4, &mut part).unwrap();
    assert_eq!(part, sent[4..8]);
    assert!(samples[0].copy_to(sent.len(), &mut part).is_err());
    let instance = InstanceHandle(key_hash(&keyed("one", 1)).unwrap());
    assert_eq!(samples[0].info.instance, instance);
    assert_eq!(samples[1].info.change_kind, ChangeKind::Disposed);
    assert!(!samples[1].info.valid_data && !samples[1].is_empty());
    typed.wait_for_data(SOON).unwrap();
    assert_eq!(typed.take()[0].data(), Some(&keyed("one", 1)));
}

#[test]
fn payloads_that_are_not_the_writers_are_refused_with_the_reason() {
    let net = Net::new(0.0);
    let at = net.participant();
    let ty = TypeSupport::of::<Keyed>();
    let writer = writer(&at, &ty, DataWriterQos::default());
    let options = WriteOptions::default();
    let refused = |kind, payload: &[u8], options: &WriteOptions| {
        let refused = writer.write(kind, payload, options).unwrap_err();
        refused.to_string()
    };
    let error = refused(ChangeKind::Alive, &[0, 1], &options);
    assert!(error.contains("has 2 octets"), "{error}");
    let mut xcdr2 = BytesMut::new();
    to_payload(&keyed("one", 1), Xcdr::V2, &mut xcdr2).unwrap();
    let error = refused(ChangeKind::Alive, &xcdr2, &options);
    assert!(
        error.contains("in XCDR2") && error.contains("is XCDR1"),
        "{error}"
    );
    let error = refused(ChangeKind::Alive, &[0, 3, 0, 0, 1, 0, 0, 0], &options);
    assert!(error.contains("Mutable"), "{error}");
    let error = refused(ChangeKind::Alive, &[0x7f, 0xff, 0, 0], &options);
    assert!(error.contains("neither XCDR1 nor XCDR2"), "{error}");
    let error = refused(ChangeKind::Alive, &payload(&keyed("one", 1))[..7], &options);
    assert!(error.contains("no key"), "{error}");
    let foreign = WriteOptions {
        instance: Some(InstanceHandle([7; 16])),
        ..options
    };
    let one = payload(&keyed("one", 1));
    let error = writer.write(ChangeKind::Alive, &one, &foreign).unwrap_err();
    assert!(matches!(error, Error::PreconditionNotMet(_)), "{error}");
    writer.write(ChangeKind::Alive, &one, &options).unwrap();
}

#[test]
fn a_closed_handle_is_an_error() {
    let net = Net::new(0.0);
    let at = net.participant();
    let ty = TypeSupport::of::<Plain>();
    let (writer, reader) = (
        writer(&at, &ty, DataWriterQos::default()),
        reader(&at, &ty, DataReaderQos::default()),
    );
    let (again, sample) = (writer.clone(), payload(&plain(1)));
    writer.close();
    writer.close();
    reader.close();
    let written = again.write(ChangeKind::Alive, &sample, &WriteOptions::default());
    assert!(matches!(written, Err(Error::AlreadyDeleted { .. })));
    assert_eq!(reader.take(&Select::default(), &mut Vec::new()), 0);
    let other = net.participant();
    let topic = other
        .create_untyped_topic("T", &ty, TopicQos::default())
        .unwrap();
    let publisher = at.create_publisher(PublisherQos::default());
    let foreign = publisher.create_untyped_datawriter(&topic, DataWriterQos::default());
    assert!(matches!(foreign, Err(Error::PreconditionNotMet(_))));
}

fn plain(number: u32) -> Plain {
    let data = Bytes::from(vec![number as u8; 100]);
    Plain { number, data }
}

#[test]
fn a_clone_of_a_handle_keeps_the_writer() {
    let net = Net::new(0.0);
    let at = net.participant();
    let publisher = at.create_publisher(PublisherQos::default());
    let topic = at
        .create_untyped_topic("T", &TypeSupport::of::<Plain>(), TopicQos::default())
        .unwrap();
    let qos = DataWriterQos::default();
    let writer = publisher.create_untyped_datawriter(&topic, qos).unwrap();
    let looked_up = publisher.lookup_datawriter("T").unwrap();
    drop(writer);
    let sample = payload(&plain(1));
    looked_up
        .write(ChangeKind::Alive, &sample, &WriteOptions::default())
        .unwrap();
    drop(looked_up);
    assert!(publisher.lookup_datawriter("T").is_none());
}

#[test]
fn pieces_and_loans_make_the_same_payload() {
    let net = Net::new(0.0);
    let (wqos, rqos) = reliable_all();
    let (a, b) = (net.participant(), net.participant());
    let ty = TypeSupport::of::<Plain>();
    let (writer, reader) = (writer(&a, &ty, wqos), reader(&b, &ty, rqos));
    writer.wait_for_matched(1, SOON).unwrap();
    let large = Plain {
        number: 5,
        data: Bytes::from(vec![0x5a; 100_000]),
    };
    let sent = payload(&large);
    let shared = Bytes::from(sent.clone());
    let pieces = [
        Piece::Copied(&sent[..12]),
        Piece::Shared(shared.slice(12..100_000)),
        Piece::Copied(&sent[100_000..]),
    ];
    let options = WriteOptions::default();
    writer
        .write_pieces(ChangeKind::Alive, &pieces, &options)
        .unwrap();
    let mut loan = writer.loan(sent.len());
    loan.copy_from_slice(&sent);
    assert_eq!(loan[4..].as_ptr() as usize % 8, 0);
    writer.write_loan(loan, &options).unwrap();
    for sample in take(&reader, 2) {
        assert_eq!(sample.payload().unwrap(), sent);
    }
}

/// Counts the calls that say that there is room.
struct Room(Arc<AtomicUsize>, GuardCondition);

impl UntypedWriterListener for Room {
    fn on_room(&self, writer: &UntypedWriter) {
        assert_eq!(writer.topic_name(), "T");
        self.0.fetch_add(1, SeqCst);
        self.1.set_trigger_value(true);
    }
}

#[test]
fn try_write_never_waits_and_tells_of_room() {
    let net = Net::new(0.0);
    let (wqos, rqos) = reliable_all();
    let (a, b) = (net.participant(), net.participant());
    let ty = TypeSupport::of::<Plain>();
    let wqos = DataWriterQos {
        resource_limits: ResourceLimits {
            max_samples: Some(4),
            ..Default::default()
        },
        ..wqos
    };
    let (writer, reader) = (writer(&a, &ty, wqos), reader(&b, &ty, rqos));
    let (calls, there) = (Arc::new(AtomicUsize::new(0)), GuardCondition::new());
    writer.set_listener(Room(Arc::clone(&calls), there.clone()), StatusMask::NONE);
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    net.set_drop(1.0);
    let sample = payload(&plain(1));
    let pieces = [Piece::Copied(&sample)];
    let options = WriteOptions::default();
    let mut written = 0;
    let full = loop {
        match writer.try_write(ChangeKind::Alive, &pieces, &options) {
            Ok(_) => written += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(full, TryWriteError::Full), "{full}");
    assert_eq!((written, calls.load(SeqCst)), (4, 0));
    net.set_drop(0.0);
    let waits = WaitSet::new();
    waits.attach(there);
    waits.wait(SOON).unwrap();
    assert!(calls.load(SeqCst) >= 1);
    let until = std::time::Instant::now() + Duration::from_secs(30);
    while writer
        .try_write(ChangeKind::Alive, &pieces, &options)
        .is_err()
    {
        assert!(std::time::Instant::now() < until);
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn stream_mode_gives_every_change_as_it_was_sent() {
    let net = Net::new(0.1);
    let (wqos, rqos) = reliable_all();
    let (a, b) = (net.participant(), net.participant());
    let ty = TypeSupport::of::<Keyed>();
    let writer = writer(&a, &ty, wqos);
    // The type of the stream is known by name only, as that of a relay may be.
    let name_only = TypeSupport::discovered(ty.name(), true);
    let rqos = DataReaderQos {
        history: History::KeepLast(1),
        ..rqos
    };
    let reader = stream(&b, &name_only, rqos);
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    let options = WriteOptions::default();
    let mut sent = Vec::new();
    for round in 0..50 {
        for name in ["one", "two"] {
            let sample = keyed(name, round);
            let key = key_payload(&sample);
            let changes = [
                (ChangeKind::Alive, payload(&sample)),
                (ChangeKind::Disposed, key.clone()),
                (ChangeKind::Disposed, key.clone()),
                (ChangeKind::DisposedUnregistered, key),
            ];
            for (kind, bytes) in changes {
                writer.write(kind, &bytes, &options).unwrap();
                sent.push((kind, bytes, key_hash(&sample).unwrap()));
            }
        }
    }
    let samples = take(&reader, sent.len());
    assert_eq!(samples.len(), sent.len());
    for (number, (sample, (kind, bytes, hash))) in (1..).zip(samples.iter().zip(&sent)) {
        assert_eq!(sample.info.sequence.0, number);
        assert_eq!(sample.info.change_kind, *kind);
        assert_eq!(sample.info.valid_data, *kind == ChangeKind::Alive);
        assert_eq!(sample.info.instance.0, *hash);
        assert_eq!(&sample.payload().unwrap()[..], &bytes[..]);
    }
    writer.close();
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(reader.take(&Select::default(), &mut Vec::new()), 0);
}

#[test]
fn what_is_not_of_the_type_is_left_out_and_counted() {
    let net = Net::new(0.0);
    let (wqos, rqos) = reliable_all();
    let (a, b) = (net.participant(), net.participant());
    let ty = TypeSupport::of::<Plain>();
    // This one does not know what it writes.
    let writer = writer(&a, &TypeSupport::discovered(ty.name(), false), wqos);
    let reader = reader(&b, &ty, rqos);
    writer.wait_for_matched(1, SOON).unwrap();
    let options = WriteOptions::default();
    let good = payload(&plain(1));
    for bytes in [&good[..], &good[..9], &good[..]] {
        writer.write(ChangeKind::Alive, bytes, &options).unwrap();
    }
    let samples = take(&reader, 2);
    assert_eq!(samples.len(), 2);
    assert_eq!(reader.sample_lost_status().total_count, 1);
    // Nor is it in the way of what is behind it, if one is wanted at most.
    for bytes in [&good[..9], &good[..9], &good[..]] {
        writer.write(ChangeKind::Alive, bytes, &options).unwrap();
    }
    writer.wait_for_acknowledgments(SOON).unwrap();
    let mut samples = Vec::new();
    let one = Select {
        max: 1,
        ..Select::default()
    };
    assert_eq!(reader.take(&one, &mut samples), 1);
    assert_eq!(&samples[0].payload().unwrap()[..], &good[..]);
    assert_eq!(reader.sample_lost_status().total_count, 3);
    // Who decodes all of them anyhow gets all of them, and says what is wrong.
    writer
        .write(ChangeKind::Alive, &good[..9], &options)
        .unwrap();
    let get = |takes, into: &mut Vec<UntypedSample>| {
        let all = Select::default();
        reader.get_undecoded(takes, &all, None, into).unwrap();
    };
    let mut samples = Vec::new();
    let until = std::time::Instant::now() + Duration::from_secs(20);
    while samples.is_empty() && std::time::Instant::now() < until {
        std::thread::sleep(Duration::from_millis(2));
        get(false, &mut samples);
    }
    get(true, &mut samples);
    let [_, sample] = &samples[..] else {
        panic!("{samples:?}")
    };
    // It is sent in whole words.
    assert_eq!(&sample.payload().unwrap()[..9], &good[..9]);
    reader.reject(sample.info.publication, &"too short");
    assert_eq!(reader.sample_lost_status().total_count, 4);
}

#[derive(Topic)]
#[topic(name = "common::Another")]
struct Another {
    #[allow(dead_code, reason = "only the type is of use")]
    number: u64,
}

#[test]
fn a_reader_matches_the_writers_that_it_accepts() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let ty = TypeSupport::of::<Plain>();
    let named = |name: &str| DataWriterQos {
        user_data: name.as_bytes().to_vec(),
        ..reliable_all().0
    };
    let (wanted, other) = (
        writer(&a, &ty, named("ours")),
        writer(&a, &ty, named("theirs")),
    );
    let topic = b
        .create_untyped_topic("T", &ty, TopicQos::default())
        .unwrap();
    let options = UntypedReaderOptions {
        accepts: Some(WriterPredicate::new(|writer| {
            assert_ne!(writer.qos.user_data, b"panics", "as an application may");
            writer.qos.user_data == b"ours"
        })),
        ..Default::default()
    };
    let reader = b
        .create_subscriber(SubscriberQos::default())
        .create_untyped_datareader_with_options(&topic, reliable_all().1, options, None::<()>)
        .unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    assert_eq!(reader.matched_publications(), [wanted.guid()]);
    let why = reader.explain_matching().join("\n");
    assert!(
        why.contains("not accepted by the reader's application"),
        "{why}"
    );
    // What a writer announces later counts as well.
    other.set_qos(named("ours")).unwrap();
    reader.wait_for_matched(2, SOON).unwrap();
    wanted.set_qos(named("panics")).unwrap();
    let until = std::time::Instant::now() + Duration::from_secs(30);
    while reader.matched_count() > 1 && std::time::Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(reader.matched_publications(), [other.guid()]);
}

#[test]
fn a_reader_that_is_given_up_does_not_hold_up_the_writer() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let ty = TypeSupport::of::<Plain>();
    let (wqos, rqos) = reliable_all();
    let wqos = DataWriterQos {
        resource_limits: ResourceLimits {
            max_samples: Some(4),
            ..Default::default()
        },
        ..wqos
    };
    let (writer, reader) = (writer(&a, &ty, wqos), reader(&b, &ty, rqos));
    let (calls, there) = (Arc::new(AtomicUsize::new(0)), GuardCondition::new());
    writer.set_listener(Room(Arc::clone(&calls), there), StatusMask::NONE);
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    let write = |number| {
        let sent = payload(&plain(number));
        writer.try_write(
            ChangeKind::Alive,
            &[Piece::Copied(&sent)],
            &WriteOptions::default(),
        )
    };
    write(0).unwrap();
    take(&reader, 1);
    writer.wait_for_acknowledgments(SOON).unwrap();
    net.set_drop(1.0);
    for number in 1..=4 {
        write(number).unwrap();
    }
    assert!(matches!(write(5), Err(TryWriteError::Full)));
    assert_eq!(writer.backlog_status().slowest, Some(reader.guid()));
    assert!(writer.give_up(reader.guid()));
    assert_eq!(calls.load(SeqCst), 1, "there is room");
    assert!(!writer.give_up(reader.guid()), "it lacks nothing any more");
    net.set_drop(0.0);
    write(5).unwrap();
    let next = take(&reader, 1);
    assert_eq!(next[0].payload().unwrap(), payload(&plain(5)));
    assert_eq!(reader.sample_lost_status().total_count, 4);
}

#[test]
fn one_name_has_one_type() {
    let net = Net::new(0.0);
    let at = net.participant();
    let qos = TopicQos::default;
    let topic = at
        .create_untyped_topic("T", &TypeSupport::of::<Plain>(), qos())
        .unwrap();
    let again = at.create_topic::<Plain>("T", qos()).unwrap();
    assert!(*again == topic);
    let other = at.create_untyped_topic("T", &TypeSupport::of::<Another>(), qos());
    assert!(matches!(other, Err(Error::PreconditionNotMet(_))));
}

#[test]
fn a_participant_that_is_closed_leaves_at_once() {
    let net = Net::new(0.0);
    let (wqos, rqos) = reliable_all();
    let (a, b) = (net.participant(), net.participant());
    let ty = TypeSupport::of::<Plain>();
    let (writer, reader) = (writer(&a, &ty, wqos.clone()), reader(&b, &ty, rqos));
    reader.wait_for_matched(1, SOON).unwrap();
    let waits = WaitSet::new();
    waits.attach(writer.status_condition());
    let publisher = writer.publisher().unwrap();
    let topic = a
        .create_untyped_topic("T", &ty, TopicQos::default())
        .unwrap();
    a.close();
    a.close();
    let until = std::time::Instant::now() + Duration::from_secs(30);
    while reader.matched_count() > 0 {
        assert!(std::time::Instant::now() < until);
        std::thread::sleep(Duration::from_millis(1));
    }
    let sample = payload(&plain(1));
    let written = writer.write(ChangeKind::Alive, &sample, &WriteOptions::default());
    assert!(matches!(written, Err(Error::AlreadyDeleted { .. })));
    assert!(matches!(
        waits.wait(SOON),
        Ok(()) | Err(Error::AlreadyDeleted { .. })
    ));
    let created = publisher.create_untyped_datawriter(&topic, wqos);
    assert!(matches!(created, Err(Error::AlreadyDeleted { .. })));
    let topic = a.create_untyped_topic("U", &ty, TopicQos::default());
    assert!(matches!(topic, Err(Error::AlreadyDeleted { .. })));
}

#[test]
fn conditions_come_and_go_while_a_thread_waits() {
    let waits = Arc::new(WaitSet::new());
    let (idle, wanted) = (GuardCondition::new(), GuardCondition::new());
    waits.attach(idle.clone());
    let (waiting, waiter) = (std::sync::mpsc::channel(), Arc::clone(&waits));
    let (tell, hear) = waiting;
    let thread = std::thread::spawn(move || {
        tell.send(()).unwrap();
        loop {
            match waiter.wait(SOON) {
                Err(Error::PreconditionNotMet(_)) => std::thread::yield_now(),
                other => return other,
            }
        }
    });
    hear.recv().unwrap();
    // Whoever waits meanwhile finds the place taken sooner or later.
    let until = std::time::Instant::now() + Duration::from_secs(30);
    while !matches!(
        waits.wait(Duration::from_millis(1)),
        Err(Error::PreconditionNotMet(_))
    ) {
        assert!(std::time::Instant::now() < until);
    }
    waits.detach(idle.clone()).unwrap();
    assert!(waits.detach(idle).is_err());
    wanted.set_trigger_value(true);
    waits.attach(wanted.clone());
    thread.join().unwrap().unwrap();
    assert!(waits.active()[0] == wanted && waits.active().len() == 1);
    assert!(!WaitSet::new().wait_for(Duration::from_millis(1)).unwrap());
}
