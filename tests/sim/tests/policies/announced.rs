//! Policies that are there for others to read, or whose effect is a match: what is told, and what
//! changes.
use crate::looking::reliable;
use crate::participant::News;
use crate::sample::{Another, Extended, Keyed};
use crate::stage::{SECOND, Stage, steady};
use dunlin::simulation::Discovery;
use dunlin_qos::{
    DataReaderQos, DataRepresentation, Properties, Property, PublisherQos, SubscriberQos, TopicQos,
    TypeConsistencyEnforcement,
};
use dunlin_wire::{Guid, ParticipantData, ReaderData, WriterData};

/// What a participant knows of another one.
fn participant(stage: &Stage, who: usize, of: usize) -> ParticipantData {
    let prefix = stage.participant(of).prefix();
    let known = stage.participant(who);
    known.discovery(|known| known.participant(prefix).unwrap().clone())
}

/// What a participant knows of a writer.
fn writer_data(stage: &Stage, who: usize, writer: Guid) -> WriterData {
    let known = stage.participant(who);
    known.discovery(|known| known.writer(writer).unwrap().into_owned())
}

/// What a participant knows of a reader.
fn reader_data(stage: &Stage, who: usize, reader: Guid) -> ReaderData {
    let known = stage.participant(who);
    known.discovery(|known| known.reader(reader).unwrap().into_owned())
}

#[test]
fn user_data_of_each_entity_reaches_others_and_changes() {
    let mut stage = Stage::with_faults(2, 0, steady());
    stage.start(0, |config| config.qos.user_data = b"dunlin".to_vec());
    stage.start(1, |_| {});
    let (mut wqos, mut rqos) = reliable();
    wqos.user_data = b"writes".to_vec();
    rqos.user_data = b"reads".to_vec();
    let writer = stage.writer(0, wqos);
    let reader = stage.reader(0, rqos);
    stage.run_for(5 * SECOND);
    assert_eq!(participant(&stage, 1, 0).user_data, b"dunlin");
    assert_eq!(writer_data(&stage, 1, writer).qos.user_data, b"writes");
    assert_eq!(reader_data(&stage, 1, reader).qos.user_data, b"reads");
    stage.change_writer(writer, |w| w.user_data = b"rests".to_vec());
    stage.change_reader(reader, |r| r.user_data = vec![]);
    stage.run_for(SECOND);
    assert_eq!(writer_data(&stage, 1, writer).qos.user_data, b"rests");
    assert_eq!(reader_data(&stage, 1, reader).qos.user_data, b"");
}

#[test]
fn topic_data_and_group_data_reach_others_and_change() {
    let (mut stage, writer, reader) = Stage::pair(|_, _| {});
    for word in [&b"mud"[..], b"sand", b""] {
        for who in [0, 1] {
            let qos = TopicQos {
                topic_data: word.to_vec(),
                ..TopicQos::default()
            };
            stage.participant_mut(who).set_topic_qos("Square", qos);
        }
        let publisher = PublisherQos {
            group_data: [word, b"!"].concat(),
            ..PublisherQos::default()
        };
        let of_writer = &stage.participant(0).publishers()[0];
        of_writer.set_qos(publisher).unwrap();
        let subscriber = SubscriberQos {
            group_data: [word, b"?"].concat(),
            ..SubscriberQos::default()
        };
        let of_reader = &stage.participant(1).subscribers()[0];
        of_reader.set_qos(subscriber).unwrap();
        stage.run_for(SECOND);
        let data = writer_data(&stage, 1, writer);
        assert_eq!(data.topic_data, word);
        assert_eq!(data.publisher.group_data, [word, b"!"].concat());
        let data = reader_data(&stage, 0, reader);
        assert_eq!(data.topic_data, word);
        assert_eq!(data.subscriber.group_data, [word, b"?"].concat());
        assert!(stage.is_matched(writer, reader), "nobody is parted by it");
    }
}

#[test]
fn transport_priority_reaches_others_and_changes() {
    let (mut stage, writer, reader) = Stage::pair(|w, _| w.transport_priority = 7);
    let told = |stage: &Stage| writer_data(stage, 1, writer).qos.transport_priority;
    assert_eq!(told(&stage), 7);
    stage.change_writer(writer, |w| w.transport_priority = 40);
    stage.run_for(SECOND);
    assert_eq!(told(&stage), 40);
    assert!(stage.is_matched(writer, reader));
}

#[test]
fn data_representation_matches_readers_that_understand_it() {
    use DataRepresentation::{Xcdr1, Xcdr2};
    for (offered, requested, matches) in [
        (Xcdr1, vec![Xcdr1, Xcdr2], true),
        (Xcdr2, vec![Xcdr2], true),
        (Xcdr1, vec![Xcdr2], false),
        (Xcdr2, vec![Xcdr1], false),
        // An empty list is XCDR1.
        (Xcdr1, vec![], true),
        (Xcdr2, vec![], false),
    ] {
        let (mut wqos, mut rqos) = reliable();
        wqos.representation = offered;
        rqos.representation = requested.clone();
        let mut stage = Stage::new(2);
        let writer = stage.writer(0, wqos);
        let reader = stage.reader(1, rqos);
        stage.run_for(SECOND);
        let both = (offered, requested);
        assert_eq!(stage.is_matched(writer, reader), matches, "{both:?}");
        let told = |news: &&(i64, News)| matches!(news.1, News::Incompatible { .. });
        let told = stage.news.iter().filter(told).count();
        assert_eq!(told, if matches { 0 } else { 2 }, "{both:?}");
    }
}

#[test]
fn type_consistency_enforcement_refuses_what_the_reader_does_not_take_for_its_type() {
    let (wqos, rqos) = reliable();
    let allow = TypeConsistencyEnforcement::default();
    let disallow = TypeConsistencyEnforcement::DISALLOW;
    let force = TypeConsistencyEnforcement {
        force_type_validation: true,
        ..allow
    };
    // A participant has one type of a name, so each reader has a participant of its own.
    let readers: [(Make, _, _); 6] = [
        (Stage::reader_as::<Keyed>, allow, true),
        (Stage::reader_as::<Keyed>, force, true),
        // The same type by another name, which does not count where both announce it (DDS-XTypes
        // 1.3 7.6.3.4.2).
        (Stage::reader_as::<Extended>, allow, true),
        // Another type of the same name, and what it is decides.
        (Stage::reader_as::<Another>, allow, false),
        (Stage::reader_as::<Another>, disallow, false),
        (Stage::reader_as::<Another>, force, false),
    ];
    let mut stage = Stage::new(1 + readers.len());
    let writer = stage.writer(0, wqos);
    let mut expected = Vec::new();
    for (nth, (make, wanted, matches)) in readers.into_iter().enumerate() {
        let mut qos = rqos.clone();
        qos.type_consistency = wanted;
        let reader = make(&mut stage, 1 + nth, "Square", qos, SubscriberQos::default());
        stage.run_for(SECOND);
        assert_eq!(stage.is_matched(writer, reader), matches, "{nth}");
        if !matches {
            expected.extend([reader, writer]);
        }
    }
    let news = stage.news.iter();
    let inconsistent = news.filter_map(|(_, news)| match news {
        News::InconsistentTopic { topic, remote } if topic == "Square" => Some(*remote),
        _ => None,
    });
    let mut inconsistent: Vec<_> = inconsistent.collect();
    inconsistent.sort_unstable();
    expected.sort_unstable();
    assert_eq!(inconsistent, expected);
}

/// Makes a reader of some type.
type Make = fn(&mut Stage, usize, &str, DataReaderQos, SubscriberQos) -> Guid;

#[test]
fn property_of_each_entity_reaches_others_and_changes() {
    let mut stage = Stage::with_faults(2, 0, steady());
    let place = |value: &str| Properties::default().with("place", value);
    let hidden = |value| {
        let mut all = place(value);
        all.values.push(Property {
            name: "hidden".into(),
            ..Property::default()
        });
        all
    };
    let process = "dds.sys_info.process_id";
    stage.start(0, |config| {
        config.announces_process = true;
        config.qos.property = hidden("mudflat").with(process, "another");
    });
    stage.start(1, |_| {});
    let (mut wqos, mut rqos) = reliable();
    wqos.property = hidden("sand");
    rqos.property = hidden("stones");
    let writer = stage.writer(0, wqos);
    let reader = stage.reader(0, rqos);
    stage.run_for(5 * SECOND);
    let told = participant(&stage, 1, 0).properties;
    let value = |name: &str| {
        told.propagated()
            .find(|p| p.name == name)
            .map(|p| &*p.value)
    };
    assert_eq!((value("place"), value("hidden")), (Some("mudflat"), None));
    // Tools of other products look under their own names.
    let number = std::process::id().to_string();
    for name in ["fastdds.physical_data.process", "__Pid"] {
        assert_eq!(value(name), Some(&*number), "{name}");
    }
    let host = value("dds.sys_info.hostname");
    assert!(host.is_some_and(|host| !host.is_empty()));
    for name in ["fastdds.physical_data.host", "__Hostname"] {
        assert_eq!(value(name), host, "{name}");
    }
    for name in ["fastdds.physical_data.user", "__ProcessName"] {
        assert!(value(name).is_some_and(|value| !value.is_empty()), "{name}");
    }
    // What it says of itself, nobody says for it.
    assert_eq!(value(process), Some(&*std::process::id().to_string()));
    assert_eq!(writer_data(&stage, 1, writer).qos.property, place("sand"));
    assert_eq!(reader_data(&stage, 1, reader).qos.property, place("stones"));
    stage.change_writer(writer, |w| w.property = place("sea"));
    stage.change_reader(reader, |r| r.property = Properties::default());
    stage.run_for(SECOND);
    assert_eq!(writer_data(&stage, 1, writer).qos.property, place("sea"));
    assert!(reader_data(&stage, 1, reader).qos.property.is_empty());
}

#[test]
fn entity_name_of_each_entity_reaches_others() {
    let mut stage = Stage::with_faults(2, 0, steady());
    stage.start(0, |config| config.name = "dunlin".into());
    stage.start(1, |config| {
        config.name = "not told".into();
        config.qos.entity_name = "sanderling".into();
    });
    let (mut wqos, mut rqos) = reliable();
    wqos.entity_name = "left wing".into();
    rqos.entity_name = "right wing".into();
    let writer = stage.writer(0, wqos);
    let reader = stage.reader(1, rqos);
    stage.run_for(5 * SECOND);
    assert_eq!(participant(&stage, 1, 0).entity_name, "dunlin");
    assert_eq!(participant(&stage, 0, 1).entity_name, "sanderling");
    assert_eq!(writer_data(&stage, 1, writer).qos.entity_name, "left wing");
    let called = |known: &Discovery| known.called(writer);
    let called = stage.participant(1).discovery(called);
    assert_eq!(called, format!("\"left wing\" {writer}"));
    let said = |known: &Discovery| {
        let said = known.explain(writer, |_, _| false);
        let said = said.iter().map(|explanation| known.sentence(explanation));
        said.collect::<Vec<_>>()
    };
    let expected = format!("\"right wing\" {reader} matches");
    assert_eq!(stage.participant(0).discovery(said), [expected]);
}
