//! A type is the same type wherever it was written.

mod common;

use bytes::BytesMut;
use common::{Net, SOON, reliable_all, take};
use dunlin::cdr::{Endianness, Extensibility, Xcdr, key_to_payload, to_payload};
use dunlin::untyped::{ChangeKind, EncodedTypeInformation, TypeSupport, WriteOptions};
use dunlin::xtypes::{DynamicType, TypeIndex, TypeInformation, TypeTreeBuilder};
use dunlin::{
    DataReaderQos, DataRepresentation, DataWriterQos, InstanceState, ParticipantConfig, Topic,
    TopicQos, TypeAnnouncement, TypeSettings,
};

#[derive(Topic, Debug, Clone, PartialEq)]
#[topic(name = "plant::Sensor")]
struct Sensor {
    #[key]
    number: u32,
    value: f64,
}

mod other {
    #[derive(dunlin::Topic)]
    #[topic(name = "plant::Sensor")]
    pub(crate) struct Sensor {
        #[key]
        pub(crate) number: u32,
        pub(crate) value: f64,
    }
}

mod grown {
    #[derive(dunlin::Topic)]
    #[topic(name = "plant::Sensor")]
    pub(crate) struct Sensor {
        #[key]
        pub(crate) number: u32,
        pub(crate) value: f64,
        pub(crate) unit: String,
    }
}

fn built(name: &str, value: TypeIndex) -> DynamicType {
    let mut types = TypeTreeBuilder::new();
    let sensor = types
        .structure(name, Extensibility::Appendable)
        .member("number", TypeIndex::UINT32)
        .key()
        .member("value", value)
        .finish();
    types.build(sensor).unwrap()
}

#[test]
fn a_type_that_was_built_is_the_derived_one() {
    let derived = TypeSupport::of::<Sensor>();
    let same = TypeSupport::from_type(&built("plant::Sensor", TypeIndex::FLOAT64)).unwrap();
    assert_eq!(same.difference(&derived), None);
    assert_eq!(derived.difference(&same), None);
    assert!(same.is_keyed() && same.dynamic_type().is_some());
    assert_eq!(same.name(), "plant::Sensor");
    assert_eq!(same.extensibility(), Extensibility::Appendable);

    let renamed = same.with_name("plant::Probe");
    let difference = renamed.difference(&derived).unwrap();
    assert!(difference.contains("plant::Probe"), "{difference}");
    let renamed = renamed.with_name("plant::Sensor");
    assert_eq!(renamed.difference(&derived), None);

    let float = TypeSupport::from_type(&built("plant::Sensor", TypeIndex::FLOAT32)).unwrap();
    let difference = float.difference(&derived).unwrap();
    assert!(difference.contains("definition"), "{difference}");
}

#[test]
fn of_a_discovered_type_the_name_and_the_key_count() {
    let derived = TypeSupport::of::<Sensor>();
    let seen = TypeSupport::discovered("plant::Sensor", true);
    assert_eq!(seen.difference(&derived), None);
    let keyless = TypeSupport::discovered("plant::Sensor", false);
    let difference = derived.difference(&keyless).unwrap();
    assert!(difference.contains("key"), "{difference}");
    let information = EncodedTypeInformation::little_endian(vec![1, 2]);
    let described = seen.with_parameters(Some(information.clone()), None);
    assert_eq!(described.type_information(), Some(&information));
    assert_eq!(described.type_object(), None);
}

#[test]
fn topics_are_of_structures_and_unions() {
    let mut types = TypeTreeBuilder::new();
    let numbers = types.sequence(TypeIndex::INT32, 0);
    let error = TypeSupport::from_type(&types.build(numbers).unwrap()).unwrap_err();
    assert!(error.to_string().contains("sequence<int32>"), "{error}");
}

#[test]
fn one_topic_has_one_type() {
    let participant = Net::new(0.0).participant();
    let topic = participant
        .create_topic::<Sensor>("Sensors", TopicQos::default())
        .unwrap();
    let same = participant.create_topic::<other::Sensor>("Sensors", TopicQos::default());
    assert_eq!(
        same.unwrap().type_support().digest(),
        topic.type_support().digest()
    );
    let error = participant
        .create_topic::<grown::Sensor>("Sensors", TopicQos::default())
        .unwrap_err();
    assert!(error.to_string().contains("plant::Sensor"), "{error}");

    let subscriber = participant.create_subscriber(Default::default());
    let _reader = subscriber
        .create_datareader(&topic, Default::default())
        .unwrap();
    let any = subscriber.lookup_datareader("Sensors").unwrap();
    assert!(any.typed::<Sensor>().is_some());
    assert!(any.typed::<other::Sensor>().is_some());
    assert!(any.typed::<grown::Sensor>().is_none());
}

/// The bytes of a sample, or of its key alone.
fn payload(number: u32, value: f64, is_key: bool) -> BytesMut {
    let (mut out, sensor) = (BytesMut::new(), Sensor { number, value });
    match is_key {
        true => key_to_payload(&sensor, Xcdr::V1, &mut out).unwrap(),
        false => to_payload(&sensor, Xcdr::V1, &mut out).unwrap(),
    }
    out
}

/// Keys and filters of a writer whose type was built: its readers are spared what they do not want.
#[test]
fn a_writer_of_a_type_that_was_built_serves_derived_readers() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (wqos, rqos) = reliable_all();
    let ty = TypeSupport::from_type(&built("plant::Sensor", TypeIndex::FLOAT64)).unwrap();
    let topic = a
        .create_untyped_topic("Sensors", &ty, TopicQos::default())
        .unwrap();
    let publisher = a.create_publisher(Default::default());
    let writer = publisher.create_untyped_datawriter(&topic, wqos).unwrap();

    let sensors = b
        .create_topic::<Sensor>("Sensors", TopicQos::default())
        .unwrap();
    let warm = b
        .create_contentfilteredtopic("Warm", &sensors, "value >= %0 AND number < 3", &["20"])
        .unwrap();
    let subscriber = b.create_subscriber(Default::default());
    let reader = subscriber.create_datareader(&warm, rqos).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    writer.wait_for_matched(1, SOON).unwrap();

    let options = WriteOptions::default();
    for number in 0..5 {
        for value in [10.0, 20.0, 30.0] {
            let sample = payload(number, value, false);
            writer.write(ChangeKind::Alive, &sample, &options).unwrap();
        }
    }
    let key = payload(1, 0.0, true);
    let dispose = ChangeKind::Disposed;
    writer.write(dispose, &key, &options).unwrap();
    writer.wait_for_acknowledgments(SOON).unwrap();

    let mut got = take(&reader, 7);
    assert_eq!(reader.filtered_sample_count(), 0);
    got.sort_by_key(|sample| sample.key().map(|sensor| sensor.number));
    let values = got
        .iter()
        .map(|sample| sample.data().map(|of| (of.number, of.value)));
    let of = |number| [Some((number, 20.0)), Some((number, 30.0))];
    let expected = [&of(0)[..], &of(1), &[None], &of(2)].concat();
    assert_eq!(values.collect::<Vec<_>>(), expected);
    let gone = InstanceState::NotAliveDisposed;
    assert!(
        got.iter()
            .filter(|sample| sample.info.instance_state == gone)
            .count()
            >= 1
    );
}

#[test]
fn endpoints_have_a_representation_of_their_type() {
    let participant = Net::new(0.0).participant();
    let ty = TypeSupport::of::<Sensor>().with_representations(&[DataRepresentation::Xcdr2]);
    let topic = participant
        .create_untyped_topic("Sensors", &ty, TopicQos::default())
        .unwrap();
    let publisher = participant.create_publisher(Default::default());
    let subscriber = participant.create_subscriber(Default::default());
    let (wqos, rqos) = reliable_all();
    let writer = |representation| {
        let qos = DataWriterQos {
            representation,
            ..wqos.clone()
        };
        publisher.create_untyped_datawriter(&topic, qos)
    };
    assert!(writer(DataRepresentation::Xcdr2).is_ok());
    let error = writer(DataRepresentation::Xcdr1).unwrap_err().to_string();
    assert!(
        error.contains("XCDR1") && error.contains("XCDR2 only"),
        "{error}"
    );
    let reader = |representation| {
        let qos = DataReaderQos {
            representation,
            ..rqos.clone()
        };
        subscriber.create_untyped_datareader(&topic, qos)
    };
    use DataRepresentation::{Xcdr1, Xcdr2};
    assert!(reader(vec![Xcdr1, Xcdr2]).is_ok());
    assert!(reader(vec![Xcdr1]).is_err());
    assert!(reader(vec![]).is_err());
}

const TO_ALL: TypeSettings = TypeSettings {
    announce: TypeAnnouncement::All,
    lookup: true,
    timeout: dunlin::Duration::from_secs(5),
};

/// What the writers of a participant announce of their types.
fn announced(types: TypeSettings, of: &[TypeSupport]) -> Vec<Option<EncodedTypeInformation>> {
    let config = ParticipantConfig {
        types,
        ..Default::default()
    };
    let participant = Net::new(0.0).configured(config);
    let publisher = participant.create_publisher(Default::default());
    let writers: Vec<_> = of
        .iter()
        .enumerate()
        .map(|(number, ty)| {
            let name = format!("Topic {number}");
            let topic = participant.create_untyped_topic(&name, ty, TopicQos::default());
            let qos = DataWriterQos::default();
            publisher
                .create_untyped_datawriter(&topic.unwrap(), qos)
                .unwrap()
        })
        .collect();
    let known = participant.domain().writers;
    let of = |guid| known.iter().find(|known| known.guid == guid);
    let told = writers.iter().map(|writer| of(writer.guid()).unwrap());
    told.map(|known| known.type_information.clone()).collect()
}

#[test]
fn endpoints_announce_what_their_type_is() {
    let derived = TypeSupport::of::<Sensor>();
    let built = TypeSupport::from_type(&built("plant::Sensor", TypeIndex::FLOAT64)).unwrap();
    let seen = TypeSupport::discovered("plant::Sensor", true);
    let types = [derived.clone(), built, seen.clone()];
    let [one, two, three] = announced(TO_ALL, &types).try_into().unwrap();
    let wanted = DynamicType::of::<Sensor>().unwrap();
    let wanted = wanted.type_information().unwrap();
    let told = one.clone().unwrap();
    let read = TypeInformation::from_bytes(&told.bytes, Endianness::Little).unwrap();
    assert_eq!(read, wanted);
    assert_eq!(one, two, "however it was described");
    assert_eq!(three, None, "nothing is known of it");

    let of = |announce| TypeSettings { announce, ..TO_ALL };
    assert_eq!(
        announced(of(TypeAnnouncement::None), std::slice::from_ref(&derived)),
        [None]
    );
    let dunlin = announced(of(TypeAnnouncement::Dunlin), &[derived]);
    assert!(dunlin[0].as_ref().unwrap().for_dunlin);
}

#[test]
fn what_another_participant_said_is_passed_on() {
    let own = DynamicType::of::<Sensor>().unwrap();
    let own = own.type_information().unwrap();
    let foreign = EncodedTypeInformation::little_endian(own.to_bytes(Endianness::Little));
    let seen = TypeSupport::discovered("plant::Sensor", true);
    let seen = seen.with_parameters(Some(foreign.clone()), None);
    let [told] = announced(TO_ALL, &[seen]).try_into().unwrap();
    assert_eq!(told, Some(foreign));
}

/// A label of 64 bits has no place in a TypeObject.
#[test]
fn a_type_that_cannot_be_described_is_not_announced() {
    let mut types = TypeTreeBuilder::new();
    let huge = types
        .union("Huge", Extensibility::Appendable, TypeIndex::INT64)
        .case("x", TypeIndex::INT32, &[1 << 40])
        .finish();
    let huge = TypeSupport::from_type(&types.build(huge).unwrap()).unwrap();
    assert_eq!(announced(TypeSettings::default(), &[huge]), [None]);
}
