//! Policies that are there for others to read, or whose effect is a match: what is told, and what
//! changes.
use crate::looking::reliable;
use crate::participant::News;
use crate::stage::{SECOND, Stage, steady};
use dunlin_qos::{DataRepresentation, Properties, Property, TypeConsistencyEnforcement};
use dunlin_wire::{EntityId, EntityKind, Guid, ReaderData};

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
    let prefix = stage.participant(0).prefix();
    let known = &stage.participant(1).discovery;
    assert_eq!(known.participant(prefix).unwrap().user_data, b"dunlin");
    assert_eq!(known.writer(writer).unwrap().qos.user_data, b"writes");
    assert_eq!(known.reader(reader).unwrap().qos.user_data, b"reads");
    stage.change_writer(writer, |w| w.qos.user_data = b"rests".to_vec());
    stage.change_reader(reader, |r| r.qos.user_data = vec![]);
    stage.run_for(SECOND);
    let known = &stage.participant(1).discovery;
    assert_eq!(known.writer(writer).unwrap().qos.user_data, b"rests");
    assert_eq!(known.reader(reader).unwrap().qos.user_data, b"");
}

#[test]
fn topic_data_and_group_data_reach_others_and_change() {
    let (mut stage, writer, reader) = Stage::pair(|_, _| {});
    for word in [&b"mud"[..], b"sand", b""] {
        stage.change_writer(writer, |w| {
            w.topic_data = word.to_vec();
            w.publisher.group_data = [word, b"!"].concat();
        });
        stage.change_reader(reader, |r| {
            r.topic_data = word.to_vec();
            r.subscriber.group_data = [word, b"?"].concat();
        });
        stage.run_for(SECOND);
        let known = &stage.participant(1).discovery;
        let data = known.writer(writer).unwrap();
        assert_eq!(data.topic_data, word);
        assert_eq!(data.publisher.group_data, [word, b"!"].concat());
        let known = &stage.participant(0).discovery;
        let data = known.reader(reader).unwrap();
        assert_eq!(data.topic_data, word);
        assert_eq!(data.subscriber.group_data, [word, b"?"].concat());
        assert!(stage.is_matched(writer, reader), "nobody is parted by it");
    }
}

#[test]
fn transport_priority_reaches_others_and_changes() {
    let (mut stage, writer, reader) = Stage::pair(|w, _| w.transport_priority = 7);
    let told = |stage: &mut Stage| {
        let known = &stage.participant(1).discovery;
        known.writer(writer).unwrap().qos.transport_priority
    };
    assert_eq!(told(&mut stage), 7);
    stage.change_writer(writer, |w| w.qos.transport_priority = 40);
    stage.run_for(SECOND);
    assert_eq!(told(&mut stage), 40);
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
    let mut stage = Stage::new(2);
    let writer = stage.writer(0, wqos);
    stage.change_writer(writer, |w| w.type_digest = Some(7));
    stage.run_for(SECOND);
    let readers = [
        ("Shape", Some(7), allow, true),
        ("ShapeExtended", Some(7), allow, false),
        // Another type of the same name: who allows that gets it, who asks for more does not.
        ("Shape", Some(8), allow, true),
        ("Shape", Some(8), disallow, false),
        ("Shape", Some(8), force, false),
        // What is not known is taken for the same unless somebody wants to know it.
        ("Shape", None, disallow, true),
        ("Shape", None, force, false),
        ("Shape", Some(7), force, true),
    ];
    let mut number = 200;
    let readers = readers.map(|(name, digest, wanted, matches)| {
        number += 1;
        let entity = EntityId::user(number, EntityKind::ReaderWithKey);
        let guid = Guid::new(stage.participant(1).prefix(), entity);
        let mut data = ReaderData::new(guid, "Square", name);
        data.qos = rqos.clone();
        data.qos.type_consistency = wanted;
        data.type_digest = digest;
        (stage.announce_reader(data), matches)
    });
    stage.run_for(SECOND);
    let mut expected = Vec::new();
    for (reader, matches) in readers {
        assert_eq!(stage.is_matched(writer, reader), matches);
        if !matches {
            expected.extend([(writer, reader), (reader, writer)]);
        }
    }
    let news = stage.news.iter();
    let inconsistent = news.filter_map(|(_, news)| match news {
        News::InconsistentTopic { local, remote } => Some((*local, *remote)),
        _ => None,
    });
    let mut inconsistent: Vec<_> = inconsistent.collect();
    inconsistent.sort_unstable();
    expected.sort_unstable();
    assert_eq!(inconsistent, expected);
}

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
    stage.start(0, |config| {
        config.properties = vec![("host".into(), "wadden".into())];
        config.qos.property = hidden("mudflat").with("host", "another");
    });
    stage.start(1, |_| {});
    let (mut wqos, mut rqos) = reliable();
    wqos.property = hidden("sand");
    rqos.property = hidden("stones");
    let writer = stage.writer(0, wqos);
    let reader = stage.reader(0, rqos);
    stage.run_for(5 * SECOND);
    let prefix = stage.participant(0).prefix();
    let known = &stage.participant(1).discovery;
    let told = &known.participant(prefix).unwrap().properties;
    let own = Properties::default().with("host", "wadden");
    assert_eq!(*told, own.with("place", "mudflat"));
    assert_eq!(known.writer(writer).unwrap().qos.property, place("sand"));
    assert_eq!(known.reader(reader).unwrap().qos.property, place("stones"));
    stage.change_writer(writer, |w| w.qos.property = place("sea"));
    stage.change_reader(reader, |r| r.qos.property = Properties::default());
    stage.run_for(SECOND);
    let known = &stage.participant(1).discovery;
    assert_eq!(known.writer(writer).unwrap().qos.property, place("sea"));
    assert!(known.reader(reader).unwrap().qos.property.is_empty());
}

#[test]
fn entity_name_of_each_entity_reaches_others() {
    let mut stage = Stage::with_faults(2, 0, steady());
    stage.start(0, |config| config.entity_name = "dunlin".into());
    stage.start(1, |config| {
        config.entity_name = "not told".into();
        config.qos.entity_name = "sanderling".into();
    });
    let (mut wqos, mut rqos) = reliable();
    wqos.entity_name = "left wing".into();
    rqos.entity_name = "right wing".into();
    let writer = stage.writer(0, wqos);
    let reader = stage.reader(1, rqos);
    stage.run_for(5 * SECOND);
    let prefixes = [0, 1].map(|index| stage.participant(index).prefix());
    let known = &stage.participant(1).discovery;
    let name = |data: &dunlin_wire::ParticipantData| data.entity_name.clone();
    assert_eq!(known.participant(prefixes[0]).map(name).unwrap(), "dunlin");
    let told = &known.writer(writer).unwrap().qos.entity_name;
    assert_eq!(told, "left wing");
    let called = known.called(writer);
    assert_eq!(called, format!("\"left wing\" {writer}"));
    let known = &stage.participant(0).discovery;
    let told = known.participant(prefixes[1]).map(name).unwrap();
    assert_eq!(told, "sanderling");
    let said = known.explain(writer, |_, _| false);
    let said = said.iter().map(|explanation| known.sentence(explanation));
    let expected = format!("\"right wing\" {reader} matches");
    assert_eq!(said.collect::<Vec<_>>(), [expected]);
}
