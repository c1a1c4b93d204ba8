//! What a reader of bytes wants of a writer's samples, told without a Rust type.
use super::*;
use dunlin::{Durability, Reliability};

#[test]
fn a_late_joiner_and_a_filter_work_without_a_rust_type() {
    let net = Net::new(0.0);
    let (wqos, rqos) = reliable_all();
    let (a, b) = (net.participant(), net.participant());
    let ty = TypeSupport::of::<Keyed>();
    let wqos = DataWriterQos {
        durability: Durability::TransientLocal,
        ..wqos
    };
    let writer = writer(&a, &ty, wqos);
    for number in 0..10 {
        let sample = payload(&keyed("one", number));
        writer
            .write(ChangeKind::Alive, &sample, &WriteOptions::default())
            .unwrap();
    }
    let topic = b
        .create_untyped_topic("T", &ty, TopicQos::default())
        .unwrap();
    let part = b
        .create_untyped_contentfilteredtopic("Large", &topic, "number >= %0", &["7"])
        .unwrap();
    let subscriber = b.create_subscriber(SubscriberQos::default());
    let rqos = DataReaderQos {
        durability: Durability::TransientLocal,
        reliability: Reliability::RELIABLE,
        ..rqos
    };
    let reader = subscriber.create_untyped_datareader(&part, rqos).unwrap();
    assert_eq!(take(&reader, 3).len(), 3);
    let query = reader
        .query_condition(Select::default(), "number = 3", &[] as &[&str])
        .unwrap();
    assert_eq!(
        reader.take_with_condition(&query, &mut Vec::new()).unwrap(),
        0
    );
    let mut none: Vec<UntypedSample> = Vec::new();
    assert!(reader.read_with_condition(&query, &mut none).is_ok());
}

#[test]
fn a_filter_is_announced_without_the_type() {
    let net = Net::new(0.0);
    let (wqos, rqos) = reliable_all();
    let (a, b) = (net.participant(), net.participant());
    let writer = writer(&a, &TypeSupport::of::<Keyed>(), wqos);
    let ty = TypeSupport::discovered(<Keyed as TopicData>::TYPE_NAME, true);
    let reader = stream(&b, &ty, rqos);
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    let send = |number| {
        let sample = payload(&keyed("one", number));
        writer
            .write(ChangeKind::Alive, &sample, &WriteOptions::default())
            .unwrap();
    };
    let filter_at_writer = || {
        let readers = a.domain().readers;
        let ours = readers.into_iter().find(|r| r.guid == reader.guid());
        ours.and_then(|r| r.content_filter).map(|f| f.expression)
    };
    let until = |wanted: Option<&str>| {
        let end = std::time::Instant::now() + Duration::from_secs(30);
        while filter_at_writer().as_deref() != wanted {
            assert!(std::time::Instant::now() < end, "{:?}", filter_at_writer());
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    reader
        .announce_filter(Some(("number >= %0", &["7"])))
        .unwrap();
    until(Some("number >= %0"));
    (0..10).for_each(&send);
    let sent: Vec<_> = take(&reader, 3)
        .iter()
        .map(|s| s.payload().unwrap())
        .collect();
    assert_eq!(sent, [7, 8, 9].map(|n| payload(&keyed("one", n))));
    // The reader judges nothing, so all that a writer sends is taken.
    reader.announce_filter(None::<(&str, &[&str])>).unwrap();
    until(None);
    (0..3).for_each(&send);
    assert_eq!(take(&reader, 3).len(), 3);
    let long = "x".repeat(5_000);
    let error = reader.announce_filter(Some((&long, &[] as &[&str])));
    let error = error.unwrap_err().to_string();
    assert!(error.contains("5000") && error.contains("4096"), "{error}");
}
