//! Two types of one name: who takes the one for the other, and who does not (DDS-XTypes 1.3
//! 7.6.3.7).
mod common;

use common::{Net, SOON, reader, reliable_all, take, writer};
use dunlin::*;
use std::time::Instant;

/// As one program has it.
#[derive(Topic, Clone, Debug, PartialEq, Default)]
#[topic(name = "Reading")]
struct Reading {
    #[key]
    sensor: u32,
    value: f32,
}

/// As the other has it: the same bytes mean something else.
#[derive(Topic, Clone, Debug, PartialEq, Default)]
#[topic(name = "Reading")]
struct Renamed {
    #[key]
    sensor: u32,
    pressure: f32,
}

fn wanted(change: impl FnOnce(&mut TypeConsistencyEnforcement)) -> DataReaderQos {
    let (_, mut qos) = reliable_all();
    change(&mut qos.type_consistency);
    qos
}

/// A writer of `Reading` with its participant, and a reader of `T` in another.
fn pair<T: TopicData>(
    net: &Net,
    qos: DataReaderQos,
) -> (DataWriter<Reading>, DataReader<T>, DomainParticipant) {
    let (wqos, _) = reliable_all();
    let (a, b) = (net.participant(), net.participant());
    (writer(&a, "Air", wqos), reader(&b, "Air", qos), a)
}

#[test]
fn the_same_type_matches_whatever_is_wanted() {
    for change in [
        (|_| {}) as fn(&mut TypeConsistencyEnforcement),
        |types| *types = TypeConsistencyEnforcement::DISALLOW,
        |types| types.force_type_validation = true,
    ] {
        let net = Net::new(0.0);
        let (writer, reader, _a) = pair::<Reading>(&net, wanted(change));
        assert!(writer.wait_for_matched(1, SOON).is_ok());
        let sample = Reading {
            sensor: 1,
            value: 2.5,
        };
        writer.write(&sample).unwrap();
        assert_eq!(take(&reader, 1)[0].data(), Some(&sample));
    }
}

#[test]
fn members_of_another_name_match_who_ignores_names() {
    let net = Net::new(0.0);
    let (writer, reader, _a) =
        pair::<Renamed>(&net, wanted(|types| types.ignore_member_names = true));
    assert!(writer.wait_for_matched(1, SOON).is_ok());
    writer.write(&Reading::default()).unwrap();
    assert_eq!(take(&reader, 1)[0].data(), Some(&Renamed::default()));
}

/// As a program does that asks for no types.
#[test]
fn another_type_of_the_same_name_matches_where_nobody_asks_what_it_is() {
    let net = Net::new(0.0);
    let [a, b] = [(); 2].map(|()| {
        net.configured(ParticipantConfig {
            types: TypeSettings {
                lookup: false,
                ..TypeSettings::default()
            },
            ..ParticipantConfig::default()
        })
    });
    let (wqos, rqos) = reliable_all();
    let writer = writer::<Reading>(&a, "Air", wqos);
    let _reader = reader::<Renamed>(&b, "Air", rqos);
    assert!(writer.wait_for_matched(1, SOON).is_ok());
    let said = writer.explain_matching().concat();
    assert!(said.contains("by the name of its type alone"), "{said}");
}

#[test]
fn another_type_of_the_same_name_is_an_inconsistent_topic_for_who_does_not() {
    let disallow = |types: &mut TypeConsistencyEnforcement| {
        *types = TypeConsistencyEnforcement::DISALLOW;
    };
    let net = Net::new(0.0);
    let (writer, reader, a) = pair::<Renamed>(&net, wanted(disallow));
    let topic = a
        .create_topic::<Reading>("Air", Default::default())
        .unwrap();
    let set = WaitSet::new();
    set.attach(topic.status_condition());
    set.wait(SOON).unwrap();
    assert_eq!(topic.inconsistent_topic_status().total_count, 1);
    // The reader hears of it when its own announcement has come as well.
    let said = |text: Vec<String>| text.concat().contains("takes no type but its own");
    let begin = Instant::now();
    while !(said(writer.explain_matching()) && said(reader.explain_matching())) {
        let explained = reader.explain_matching();
        assert!(begin.elapsed().as_secs() < 300, "{explained:?}");
        std::thread::yield_now();
    }
}

#[test]
fn what_is_wanted_of_types_is_fixed_once_the_reader_is_enabled() {
    let net = Net::new(0.0);
    let (_writer, reader, _a) = pair::<Reading>(&net, wanted(|_| {}));
    let mut qos = reader.qos();
    qos.type_consistency.prevent_type_widening = true;
    let refused = reader.set_qos(qos).unwrap_err();
    assert!(
        matches!(refused, Error::ImmutablePolicy { .. }),
        "{refused}"
    );
    let said = refused.to_string();
    assert!(said.contains("TYPE_CONSISTENCY_ENFORCEMENT"), "{said}");
}

/// A reading of a weather station, as one program has it.
#[derive(Topic, Clone, Debug, PartialEq, Default)]
#[topic(name = "Weather")]
struct Weather {
    temperature: f32,
    pressure: f32,
}

/// As the other has it.
#[derive(Topic, Clone, Debug, PartialEq, Default)]
#[topic(name = "Weather")]
struct Turned {
    pressure: f32,
    temperature: f32,
}

/// The same with a member more at the end.
#[derive(Topic, Clone, Debug, PartialEq, Default)]
#[topic(name = "Station")]
struct Grown {
    temperature: f32,
    pressure: f32,
    humidity: f32,
}

/// Members in another order would be read as each other: such types never match where both sides
/// know them, and the member is named.
#[test]
fn members_in_another_order_are_refused_by_name() {
    let net = Net::new(0.0);
    let [one, other] = [(); 2].map(|()| net.within(ParticipantConfig::default()));
    let (wqos, rqos) = reliable_all();
    let writer = writer::<Weather>(&one, "Air", wqos);
    let reader = reader::<Turned>(&other, "Air", rqos);
    let said = |text: &str| {
        let words = [
            "Weather.pressure",
            "pressure with id 0",
            "temperature with id 0",
        ];
        words.iter().all(|word| text.contains(word))
    };
    let begin = Instant::now();
    loop {
        let told = [writer.explain_matching(), reader.explain_matching()].map(|all| all.concat());
        if told.iter().all(|told| said(told)) {
            break;
        }
        assert!(begin.elapsed().as_secs() < 300, "{told:?}");
        std::thread::yield_now();
    }
    assert_eq!(writer.matched_count(), 0);
    let scene = why::Snapshot {
        domain: &one.domain(),
        answers: &[],
        elsewhere: &[],
        group: None,
    };
    let report = why::examine(&scene, why::Subject::Pair(writer.guid(), reader.guid()));
    let found = report.findings.iter().map(ToString::to_string);
    let found: Vec<_> = found.collect();
    assert!(said(&found.concat()), "{found:?}");
}

/// Where both sides know the types, names need not be the same.
#[test]
fn a_type_that_has_grown_matches_and_loses_nothing() {
    let net = Net::new(0.0);
    let [one, other] = [(); 2].map(|()| net.within(ParticipantConfig::default()));
    let (wqos, rqos) = reliable_all();
    let writer = writer::<Grown>(&one, "Air", wqos);
    let reader = reader::<Weather>(&other, "Air", rqos);
    assert!(writer.wait_for_matched(1, SOON).is_ok());
    let sample = Grown {
        temperature: 21.5,
        pressure: 1013.0,
        humidity: 0.4,
    };
    writer.write(&sample).unwrap();
    let expected = Weather {
        temperature: 21.5,
        pressure: 1013.0,
    };
    assert_eq!(take(&reader, 1)[0].data(), Some(&expected));
}
