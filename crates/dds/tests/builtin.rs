//! What a participant knows of others: as samples of the built-in topics (DDS 1.4 2.2.5), by
//! asking, and what it ignores.
mod common;

use common::{Keyed, Net, Plain, SOON, reader, reliable_all, take, writer};
use dunlin::*;
use std::collections::BTreeMap;
use std::sync::mpsc;
use std::time::{Duration as Span, Instant};

#[track_caller]
fn soon(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Span::from_secs(300), "{what}");
        std::thread::sleep(Span::from_millis(5));
    }
}

/// Takes samples until each of these names is in this state.
#[track_caller]
fn expect<T: TopicData>(
    reader: &DataReader<T>,
    name: fn(&T) -> &str,
    wanted: &[(&str, InstanceState)],
) {
    let mut seen: BTreeMap<InstanceHandle, (String, InstanceState)> = BTreeMap::new();
    soon("the built-in samples come", || {
        for sample in reader.read() {
            if let Some(data) = sample.data() {
                let entry = (name(data).to_owned(), sample.info.instance_state);
                seen.insert(sample.info.instance, entry);
            } else if let Some((_, state)) = seen.get_mut(&sample.info.instance) {
                *state = sample.info.instance_state;
            }
        }
        let seen = |(name, state): &(&str, InstanceState)| {
            seen.values().any(|(n, s)| n == name && s == state)
        };
        wanted.iter().all(seen)
    });
}

fn named(net: &Net, name: &str) -> DomainParticipant {
    net.configured(ParticipantConfig {
        name: name.into(),
        qos: DomainParticipantQos {
            user_data: b"hello".to_vec(),
            property: Properties::default().with("place", "mudflat"),
            ..Default::default()
        },
        ..Default::default()
    })
}

#[test]
fn others_are_seen_as_samples_of_four_topics_while_they_are_there() {
    use InstanceState::{Alive, NotAliveDisposed};
    let net = Net::new(0.0);
    let (a, b) = (named(&net, "a"), named(&net, "b"));
    let (mut wqos, rqos) = reliable_all();
    wqos.user_data = b"data".to_vec();
    let first = writer::<Keyed>(&a, "T", wqos.clone());
    let own = reader::<Keyed>(&b, "T", rqos.clone());
    own.wait_for_matched(1, SOON).unwrap();
    let builtin = b.builtin_subscriber();
    let other = reader::<Plain>(&a, "U", rqos.clone());
    expect(builtin.participants(), |p| &p.name, &[("a", Alive)]);
    expect(builtin.publications(), |p| &p.topic_name, &[("T", Alive)]);
    expect(builtin.subscriptions(), |s| &s.topic_name, &[("U", Alive)]);
    expect(builtin.topics(), |t| &t.name, &[("T", Alive), ("U", Alive)]);
    let participant = builtin.participants().read();
    let participant = participant[0].data().unwrap();
    assert_eq!(
        (participant.guid(), &participant.user_data[..]),
        (a.guid(), &b"hello"[..])
    );
    let place = participant.properties();
    assert_eq!(place.value("place"), Some("mudflat"));
    let seen = builtin.publications().read();
    let publication = seen[0].data().unwrap();
    assert_eq!(publication.guid(), first.guid());
    assert_eq!(seen[0].info.instance, first.instance_handle());
    assert_eq!(publication.qos().user_data, b"data");
    assert_eq!(publication.qos().history, History::KeepAll);
    assert_eq!(Guid::from_bytes(publication.participant_key), a.guid());
    assert_eq!(builtin.subscriptions().read().len(), 1, "not one's own");

    // A change is a new sample of the same instance.
    wqos.user_data = b"other".to_vec();
    first.set_qos(wqos.clone()).unwrap();
    soon("the change is seen", || {
        let seen = builtin.publications().read();
        seen.iter()
            .any(|s| s.data().is_some_and(|p| p.qos().user_data == b"other"))
    });
    let second = writer::<Keyed>(&a, "T", wqos);
    soon("the second is seen", || {
        let seen = builtin.publications().read();
        seen.iter()
            .any(|s| s.data().is_some_and(|p| p.guid() == second.guid()))
    });
    drop(first);
    drop(other);
    let gone = [("T", NotAliveDisposed)];
    expect(builtin.publications(), |p| &p.topic_name, &gone);
    let gone = [("U", NotAliveDisposed)];
    expect(builtin.subscriptions(), |s| &s.topic_name, &gone);
    expect(builtin.topics(), |t| &t.name, &[("T", Alive), gone[0]]);
    drop((second, a));
    expect(builtin.topics(), |t| &t.name, &[("T", NotAliveDisposed)]);
    expect(
        builtin.participants(),
        |p| &p.name,
        &[("a", NotAliveDisposed)],
    );
}

#[test]
fn built_in_readers_work_with_listeners_conditions_and_lookups() {
    let net = Net::new(0.0);
    let (a, b) = (named(&net, "a"), named(&net, "b"));
    let builtin = b.builtin_subscriber();
    let (tell, told) = mpsc::channel();
    let listener = move |reader: &DataReader<PublicationBuiltinTopicData>| {
        for sample in reader.take() {
            let _ = tell.send(sample.data().map(|data| data.topic_name.clone()));
        }
    };
    let kind = StatusKind::DataAvailable;
    builtin.publications().set_listener(listener, kind.into());
    let set = WaitSet::new();
    set.attach(builtin.subscriptions().read_condition(Select::default()));
    let (wqos, rqos) = reliable_all();
    let writer = writer::<Keyed>(&a, "T", wqos);
    let long = Span::from_secs(300);
    assert_eq!(told.recv_timeout(long).unwrap().as_deref(), Some("T"));
    let reader = reader::<Keyed>(&a, "T", rqos);
    set.wait(SOON).unwrap();
    let handle = reader.instance_handle();
    let key = builtin.subscriptions().key_value(handle).unwrap();
    assert_eq!(key.guid(), reader.guid());
    let found = builtin.subscriber().lookup_datareader("DCPSTopic").unwrap();
    assert_eq!(found.guid(), builtin.topics().guid());
    drop(writer);
    assert_eq!(told.recv_timeout(long).unwrap(), None);
    // One that begins later has all that is there.
    let later = b.builtin_subscriber();
    assert_eq!(take(later.subscriptions(), 1).len(), 1);
    drop((builtin, later));
    drop(reader);
}

#[test]
fn each_of_several_built_in_subscribers_sees_everything() {
    use InstanceState::{Alive, NotAliveDisposed};
    let net = Net::new(0.0);
    let (a, b) = (named(&net, "a"), named(&net, "b"));
    let (wqos, rqos) = reliable_all();
    let early = writer::<Keyed>(&a, "T", wqos.clone());
    let subscription = reader::<Plain>(&a, "U", rqos.clone());
    let witness = reader::<Keyed>(&b, "T", rqos);
    witness.wait_for_matched(1, SOON).unwrap();
    let first = b.builtin_subscriber();
    expect(first.publications(), |p| &p.topic_name, &[("T", Alive)]);
    expect(first.subscriptions(), |p| &p.topic_name, &[("U", Alive)]);
    // What one has taken another still has.
    assert_eq!(first.publications().take().len(), 1);
    let second = b.builtin_subscriber();
    let late = writer::<Keyed>(&a, "V", wqos);
    for builtin in [&first, &second] {
        expect(builtin.participants(), |p| &p.name, &[("a", Alive)]);
        expect(builtin.publications(), |p| &p.topic_name, &[("V", Alive)]);
        expect(builtin.subscriptions(), |s| &s.topic_name, &[("U", Alive)]);
        let topics = [("T", Alive), ("U", Alive), ("V", Alive)];
        expect(builtin.topics(), |t| &t.name, &topics);
    }
    // The first knew the early writer, and is not told of it anew.
    assert_eq!(first.publications().read().len(), 1);
    assert_eq!(second.publications().read().len(), 2);
    // One that goes takes nothing from the other.
    drop(first);
    drop((early, subscription));
    let gone = [("T", NotAliveDisposed), ("V", Alive)];
    expect(second.publications(), |p| &p.topic_name, &gone);
    let gone = [("U", NotAliveDisposed)];
    expect(second.subscriptions(), |s| &s.topic_name, &gone);
    drop(second);
    let third = b.builtin_subscriber();
    expect(third.topics(), |t| &t.name, &[("V", Alive)]);
    assert_eq!(third.publications().read().len(), 1);
    drop(late);
    let gone = [("V", NotAliveDisposed)];
    expect(third.publications(), |p| &p.topic_name, &gone);
}

#[test]
fn matched_endpoints_and_discovered_participants_say_what_they_are() {
    let net = Net::new(0.0);
    let (a, b) = (named(&net, "a"), named(&net, "b"));
    let (mut wqos, mut rqos) = reliable_all();
    (wqos.user_data, rqos.user_data) = (b"w".to_vec(), b"r".to_vec());
    let writer = writer::<Keyed>(&a, "T", wqos);
    let reader = reader::<Keyed>(&b, "T", rqos);
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    assert_eq!(writer.matched_subscriptions(), [reader.guid()]);
    let data = writer.matched_subscription_data(reader.guid()).unwrap();
    assert_eq!(
        (data.guid(), data.qos().user_data),
        (reader.guid(), b"r".to_vec())
    );
    let data = reader.matched_publication_data(writer.guid()).unwrap();
    assert_eq!(
        (data.guid(), data.qos().user_data),
        (writer.guid(), b"w".to_vec())
    );
    assert!(reader.matched_publication_data(reader.guid()).is_none());
    assert_eq!(a.discovered_participants(), [b.guid()]);
    let data = a.discovered_participant_data(b.guid()).unwrap();
    assert_eq!((&data.name[..], data.guid()), ("b", b.guid()));
    assert!(a.discovered_participant_data(a.guid()).is_none());
    let topics = a.discovered_topics();
    assert_eq!(
        topics,
        [("T".to_owned(), reader.topic().type_name().to_owned())]
    );
}

#[test]
fn what_is_ignored_does_not_match_and_is_not_seen() {
    let net = Net::new(0.0);
    let (a, b, c) = (named(&net, "a"), named(&net, "b"), named(&net, "c"));
    let (wqos, rqos) = reliable_all();
    let ours = reader::<Keyed>(&b, "T", rqos.clone());
    let builtin = b.builtin_subscriber();
    let first = writer::<Keyed>(&a, "T", wqos.clone());
    let second = writer::<Keyed>(&a, "T", wqos.clone());
    let third = writer::<Keyed>(&c, "T", wqos.clone());
    ours.wait_for_matched(3, SOON).unwrap();
    b.ignore_publication(first.instance_handle());
    soon("the writer is gone", || ours.matched_count() == 2);
    assert_eq!(ours.subscription_matched_status().current_count, 2);
    // What it says from now on is not heard.
    let changed = DataWriterQos {
        user_data: b"x".to_vec(),
        ..wqos.clone()
    };
    first.set_qos(changed.clone()).unwrap();
    second.set_qos(changed).unwrap();
    soon("the other's change is heard", || {
        let data = ours.matched_publication_data(second.guid());
        data.is_some_and(|data| data.qos().user_data == b"x")
    });
    assert_eq!(ours.matched_count(), 2);
    b.ignore_participant(c.instance_handle());
    soon("the participant is gone", || ours.matched_count() == 1);
    assert_eq!(b.discovered_participants(), [a.guid()]);
    b.ignore_topic("T");
    soon("the topic is gone", || ours.matched_count() == 0);
    let witness = reader::<Plain>(&b, "U", rqos);
    let _late = [
        writer::<Keyed>(&a, "T", wqos.clone()),
        writer::<Keyed>(&c, "T", wqos.clone()),
    ];
    let told = writer::<Plain>(&a, "U", wqos);
    witness.wait_for_matched(1, SOON).unwrap();
    assert_eq!(ours.matched_count(), 0);
    assert_eq!(b.discovered_topics().len(), 1);
    let publications = builtin.publications().read();
    let alive = publications
        .iter()
        .filter(|s| s.info.instance_state == InstanceState::Alive);
    let alive: Vec<_> = alive.filter_map(|s| Some(s.data()?.guid())).collect();
    assert_eq!(alive, [told.guid()]);
    drop((first, second, third));
}
