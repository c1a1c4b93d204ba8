//! What an application calls its entities, and what else it says of them: ENTITY_NAME and PROPERTY.
mod common;

use common::{Keyed, Net, SOON, reader, reliable_all, writer};
use dunlin::*;
use std::time::{Duration as Span, Instant};

#[track_caller]
fn soon(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Span::from_secs(300), "{what}");
        std::thread::sleep(Span::from_millis(5));
    }
}

fn place(value: &str) -> Properties {
    Properties::default().with("place", value)
}

#[test]
fn properties_reach_others_and_change() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (mut wqos, mut rqos) = reliable_all();
    (wqos.property, rqos.property) = (place("mud"), place("sand"));
    wqos.property.binary_values.push(BinaryProperty {
        name: "depth".into(),
        value: vec![0, 7],
        propagate: true,
    });
    wqos.property.values.push(Property {
        name: "hidden".into(),
        ..Property::default()
    });
    let writer = writer::<Keyed>(&a, "T", wqos.clone());
    let reader = reader::<Keyed>(&b, "T", rqos.clone());
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    let of_writer = || reader.matched_publication_data(writer.guid());
    let of_reader = || writer.matched_subscription_data(reader.guid());
    let told = of_writer().unwrap().qos().property;
    assert_eq!(told.value("place"), Some("mud"));
    assert_eq!(told.binary_value("depth"), Some(&[0, 7][..]));
    assert_eq!(told.value("hidden"), None);
    assert_eq!(of_reader().unwrap().qos().property, place("sand"));
    assert_eq!(writer.qos().property.value("hidden"), Some(""));

    (wqos.property, rqos.property) = (place("sea"), place("air"));
    writer.set_qos(wqos).unwrap();
    reader.set_qos(rqos).unwrap();
    soon("the changes are heard of", || {
        let told = (of_writer(), of_reader());
        let (Some(writer), Some(reader)) = told else {
            return false;
        };
        (writer.qos().property, reader.qos().property) == (place("sea"), place("air"))
    });
    assert_eq!(writer.publication_matched_status().current_count, 1);
    let qos = DomainParticipantQos {
        property: place("north"),
        ..a.qos()
    };
    a.set_qos(qos).unwrap();
    soon("the participant's is heard of", || {
        let told = b.discovered_participant_data(a.guid());
        told.is_some_and(|told| told.properties().value("place") == Some("north"))
    });
}

#[test]
fn a_name_that_is_there_twice_is_refused_with_the_entity() {
    let net = Net::new(0.0);
    let a = net.participant();
    let twice = place("mud").with("place", "sand");
    let refused = |error: Error| {
        assert!(matches!(error, Error::InconsistentPolicy { .. }), "{error}");
        let said = error.to_string();
        assert!(said.contains("PROPERTY \"place\""), "{said}");
    };
    let topic = a.create_topic::<Keyed>("T", Default::default()).unwrap();
    let publisher = a.create_publisher(Default::default());
    let qos = |property| DataWriterQos {
        property,
        ..Default::default()
    };
    let created = publisher.create_datawriter(&topic, qos(twice.clone()));
    refused(created.err().unwrap());
    let writer = publisher.create_datawriter(&topic, qos(place("mud")));
    let changed = writer.unwrap().set_qos(qos(twice.clone()));
    refused(changed.unwrap_err());
    let subscriber = a.create_subscriber(Default::default());
    let qos = DataReaderQos {
        property: twice.clone(),
        ..Default::default()
    };
    refused(subscriber.create_datareader(&topic, qos).err().unwrap());
    let qos = DomainParticipantQos {
        property: twice,
        ..Default::default()
    };
    refused(a.set_qos(qos.clone()).unwrap_err());
    let config = ParticipantConfig {
        qos,
        ..Default::default()
    };
    refused(DomainParticipant::with_config(0, config).err().unwrap());
}

#[test]
fn names_reach_others_and_stand_where_entities_are_named() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (mut wqos, mut rqos) = reliable_all();
    wqos.entity_name = "left wing".into();
    rqos.entity_name = "right wing".into();
    let writer = writer::<Keyed>(&a, "T", wqos);
    let reader = reader::<Keyed>(&b, "T", rqos);
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    let told = reader.matched_publication_data(writer.guid()).unwrap();
    assert_eq!(told.qos().entity_name, "left wing");
    let told = writer.matched_subscription_data(reader.guid()).unwrap();
    assert_eq!(told.qos().entity_name, "right wing");
    let matches = format!("\"right wing\" {} matches", reader.guid());
    assert_eq!(writer.explain_matching(), [matches]);
    let mut qos = writer.qos();
    qos.entity_name = "tail".into();
    let refused = writer.set_qos(qos).unwrap_err().to_string();
    let words = ["writer \"left wing\" of topic", "ENTITY_NAME", "tail"];
    assert!(words.iter().all(|word| refused.contains(word)), "{refused}");
}

#[test]
fn a_participant_is_named_by_its_qos_or_by_its_configuration() {
    let net = Net::new(0.0);
    let named = |name: &str, entity_name: &str| {
        net.configured(ParticipantConfig {
            name: name.into(),
            qos: DomainParticipantQos {
                entity_name: entity_name.into(),
                ..Default::default()
            },
            ..Default::default()
        })
    };
    let (a, b) = (named("dunlin", ""), named("dunlin", "sanderling"));
    let name = |from: &DomainParticipant, of: &DomainParticipant| {
        let told = from.discovered_participant_data(of.guid());
        told.map(|told| told.name)
    };
    soon("both are found", || {
        name(&a, &b).is_some() && name(&b, &a).is_some()
    });
    assert_eq!(name(&b, &a).unwrap(), "dunlin");
    assert_eq!(name(&a, &b).unwrap(), "sanderling");
    // What its configuration says is not among the policies.
    a.set_qos(DomainParticipantQos::default()).unwrap();
    let refused = b.set_qos(DomainParticipantQos::default()).unwrap_err();
    assert!(
        matches!(refused, Error::ImmutablePolicy { .. }),
        "{refused}"
    );
    let publisher = a.create_publisher(PublisherQos {
        entity_name: "wings".into(),
        ..Default::default()
    });
    assert_eq!(publisher.qos().entity_name, "wings");
    assert!(publisher.set_qos(PublisherQos::default()).is_err());
}
