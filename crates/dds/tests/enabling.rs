//! Entities that are created without being enabled (DDS 1.4 2.2.2.1.1.7, 2.2.3.20), and how
//! entities are found and told apart.
mod common;

use common::{Keyed, Net, Plain, SOON, reader, reliable_all, take, writer};
use dunlin::*;

const MANUAL: EntityFactory = EntityFactory {
    autoenable_created_entities: false,
};

fn bird(number: u32) -> Keyed {
    let name = "dunlin".into();
    Keyed { name, number }
}

fn not_enabled<T>(result: dunlin::Result<T>) {
    match result {
        Err(Error::NotEnabled { entity }) => assert!(entity.contains("topic \"T\""), "{entity}"),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it is enabled"),
    }
}

#[test]
fn nobody_hears_of_a_writer_or_reader_before_it_is_enabled() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (wqos, rqos) = reliable_all();
    let topic = a.create_topic::<Keyed>("T", Default::default()).unwrap();
    let publisher = a.create_publisher(PublisherQos {
        entity_factory: MANUAL,
        ..Default::default()
    });
    let best_effort = DataWriterQos {
        reliability: Reliability::BEST_EFFORT,
        ..wqos.clone()
    };
    let writer = publisher.create_datawriter(&topic, best_effort).unwrap();
    not_enabled(writer.write(&bird(0)));
    not_enabled(writer.dispose(&bird(0)));
    not_enabled(writer.register_instance(&bird(0)));
    not_enabled(writer.wait_for_acknowledgments(SOON));
    writer.set_qos(wqos).unwrap();

    let topic = b.create_topic::<Keyed>("T", Default::default()).unwrap();
    let subscriber = b.create_subscriber(SubscriberQos {
        entity_factory: MANUAL,
        ..Default::default()
    });
    let lazy = subscriber
        .create_datareader(&topic, Default::default())
        .unwrap();
    not_enabled(lazy.wait_for_historical_data(SOON));
    assert!(lazy.take().is_empty());
    lazy.set_qos(rqos.clone()).unwrap();
    let witness = reader::<Keyed>(&b, "U", rqos.clone());
    let told = common::writer::<Keyed>(&a, "U", reliable_all().0);
    witness.wait_for_matched(1, SOON).unwrap();
    told.wait_for_matched(1, SOON).unwrap();
    let domain = b.domain();
    assert!(domain.writers.iter().all(|w| w.topic != "T"));
    assert!(domain.readers.iter().all(|r| r.topic != "T"));

    lazy.enable().unwrap();
    writer.enable().unwrap();
    writer.enable().unwrap();
    writer.wait_for_matched(1, SOON).unwrap();
    lazy.wait_for_matched(1, SOON).unwrap();
    writer.write(&bird(1)).unwrap();
    assert_eq!(take(&lazy, 1)[0].data(), Some(&bird(1)));
    assert_eq!(writer.publication_matched_status().total_count, 1);
}

#[test]
fn what_a_prepared_writer_keeps_is_there_for_the_first_who_hears_of_it() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (wqos, rqos) = reliable_all();
    let durability = Durability::TransientLocal;
    let wqos = DataWriterQos { durability, ..wqos };
    let rqos = DataReaderQos { durability, ..rqos };
    let topic = a.create_topic::<Plain>("T", Default::default()).unwrap();
    let publisher = a.create_publisher(PublisherQos {
        entity_factory: MANUAL,
        ..Default::default()
    });
    let writer = publisher.create_datawriter(&topic, wqos.clone()).unwrap();
    let plain = |number| Plain {
        number,
        data: vec![7; 10].into(),
    };
    not_enabled(writer.write(&plain(0)));
    writer.prepare().unwrap();
    for number in 0..3 {
        writer.write(&plain(number)).unwrap();
    }
    // What may change is changed, and still nobody is told.
    let user_data = vec![1];
    writer.set_qos(DataWriterQos { user_data, ..wqos }).unwrap();
    let reader = reader::<Plain>(&b, "T", rqos);
    let witness = common::reader::<Plain>(&b, "U", reliable_all().1);
    let told = common::writer::<Plain>(&a, "U", reliable_all().0);
    witness.wait_for_matched(1, SOON).unwrap();
    told.wait_for_matched(1, SOON).unwrap();
    assert!(b.domain().writers.iter().all(|w| w.topic != "T"));

    writer.enable().unwrap();
    writer.prepare().unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_historical_data(SOON).unwrap();
    let numbers = reader.take().into_iter();
    let numbers: Vec<u32> = numbers.filter_map(|s| Some(s.data()?.number)).collect();
    assert_eq!(numbers, [0, 1, 2]);
    let told = b.domain().writers;
    let told = told.iter().find(|w| w.topic == "T").unwrap();
    assert_eq!(told.qos.user_data, [1]);
}

#[test]
fn a_participant_joins_the_domain_when_it_is_enabled_with_what_was_made_in_it() {
    let net = Net::new(0.0);
    let a = net.participant();
    let (wqos, rqos) = reliable_all();
    let heard = reader::<Keyed>(&a, "T", rqos);
    let late = net.configured(ParticipantConfig {
        enabled: false,
        ..Default::default()
    });
    let topic = late.create_topic::<Keyed>("T", Default::default()).unwrap();
    let publisher = late.create_publisher(Default::default());
    let writer = publisher.create_datawriter(&topic, wqos).unwrap();
    not_enabled(writer.write(&bird(0)));
    let error = writer.enable().unwrap_err();
    assert!(
        error.to_string().contains("before its publisher"),
        "{error}"
    );
    let error = publisher.enable().unwrap_err();
    assert!(
        error.to_string().contains("before its participant"),
        "{error}"
    );
    let witness = net.participant();
    let other = common::writer::<Keyed>(&witness, "U", reliable_all().0);
    let told = reader::<Keyed>(&a, "U", reliable_all().1);
    told.wait_for_matched(1, SOON).unwrap();
    assert_eq!(a.domain().participants.len(), 1);
    drop(other);
    late.enable().unwrap();
    late.enable().unwrap();
    writer.wait_for_matched(1, SOON).unwrap();
    heard.wait_for_matched(1, SOON).unwrap();
    writer.write(&bird(1)).unwrap();
    assert_eq!(take(&heard, 1).len(), 1);
    // And one that never was goes without a word.
    drop(net.configured(ParticipantConfig {
        enabled: false,
        ..Default::default()
    }));
}

#[test]
fn a_factory_that_enables_nothing_leaves_it_to_the_application() {
    let net = Net::new(0.0);
    let a = net.configured(ParticipantConfig {
        qos: DomainParticipantQos {
            entity_factory: MANUAL,
            ..Default::default()
        },
        ..Default::default()
    });
    let topic = a.create_topic::<Keyed>("T", Default::default()).unwrap();
    let publisher = a.create_publisher(Default::default());
    let subscriber = a.create_subscriber(Default::default());
    // Before it is enabled even PRESENTATION may change, as long as there are no writers.
    let mut qos = publisher.qos();
    qos.presentation.access_scope = AccessScope::Topic;
    publisher.set_qos(qos.clone()).unwrap();
    let (wqos, rqos) = reliable_all();
    let writer = publisher.create_datawriter(&topic, wqos).unwrap();
    let reader = subscriber.create_datareader(&topic, rqos).unwrap();
    not_enabled(writer.write(&bird(0)));
    qos.presentation.ordered_access = true;
    assert!(publisher.set_qos(qos).is_err());
    publisher.enable().unwrap();
    subscriber.enable().unwrap();
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    writer.write(&bird(1)).unwrap();
    assert_eq!(take(&reader, 1).len(), 1);
}

#[test]
fn entities_have_names_and_know_what_they_belong_to() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let topic = a.create_topic::<Keyed>("T", Default::default()).unwrap();
    let publisher = a.create_publisher(Default::default());
    let subscriber = a.create_subscriber(Default::default());
    let (wqos, rqos) = reliable_all();
    let writer = publisher.create_datawriter(&topic, wqos.clone()).unwrap();
    let reader = subscriber.create_datareader(&topic, rqos).unwrap();
    let handles = [
        topic.instance_handle(),
        publisher.instance_handle(),
        subscriber.instance_handle(),
        writer.instance_handle(),
        reader.instance_handle(),
    ];
    for handle in handles {
        assert!(a.contains_entity(handle));
        assert!(!b.contains_entity(handle));
    }
    let distinct: std::collections::BTreeSet<_> = handles.into_iter().collect();
    assert_eq!(distinct.len(), handles.len());
    assert!(!a.contains_entity(InstanceHandle::NIL));
    assert_eq!(a.instance_handle(), InstanceHandle(a.guid().to_bytes()));
    let own = writer.publisher().unwrap();
    assert_eq!(own.instance_handle(), publisher.instance_handle());
    let own = reader.subscriber().unwrap();
    assert_eq!(own.instance_handle(), subscriber.instance_handle());
    assert_eq!(own.participant().guid(), a.guid());
    assert_eq!(reader.topic().name(), topic.name());
    assert_eq!(topic.participant().map(|p| p.guid()), Some(a.guid()));

    let found = publisher.lookup_datawriter("T").unwrap();
    assert_eq!(found.guid(), writer.guid());
    assert!(found.typed::<Plain>().is_none());
    assert_eq!(
        subscriber.lookup_datareader("T").unwrap().guid(),
        reader.guid()
    );
    assert!(publisher.lookup_datawriter("U").is_none());
    assert_eq!(a.lookup_topic("T").unwrap().type_name(), topic.type_name());
    assert!(a.lookup_topic("U").is_none());
    let handle = writer.instance_handle();
    drop((found, writer));
    assert!(publisher.lookup_datawriter("T").is_none());
    assert!(!a.contains_entity(handle));
    drop(reader);
    assert!(subscriber.lookup_datareader("T").is_none());
}

#[test]
fn a_topic_is_found_as_soon_as_somebody_has_it() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let short = Duration::from_millis(20);
    let error = a.find_topic::<Keyed>("T", short).err().unwrap();
    assert!(matches!(error, Error::Timeout { .. }), "{error}");
    let finder = {
        let a = a.clone();
        std::thread::spawn(move || a.find_topic::<Keyed>("T", SOON))
    };
    let other = writer::<Plain>(&b, "T", Default::default());
    drop(other);
    let _writer = writer::<Keyed>(&b, "T", Default::default());
    let topic = finder.join().unwrap().unwrap();
    assert_eq!(topic.name(), "T");
    assert!(a.find_topic::<Keyed>("T", short).is_ok());
}
