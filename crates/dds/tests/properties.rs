//! What an application calls its entities, and what else it says of them: PROPERTY.
mod common;

use common::{Keyed, Net, SOON, reader, reliable_all, writer};
use dunlin::*;
use std::time::{Duration as Span, Instant};

#[track_caller]
fn soon(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Span::from_secs(60), "{what}");
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
