//! Content filtered topics: over a network, and within a process.
mod common;

use common::*;
use dunlin::*;

const NONE: [&str; 0] = [];

/// Writer and reader on two hosts, on two participants of a process, and on one.
fn pairs() -> Vec<(Net, DomainParticipant, DomainParticipant)> {
    let apart = Net::new(0.0);
    let (a, b) = (apart.participant(), apart.participant());
    let near = Net::new(0.0);
    let [c, d] = [(); 2].map(|()| near.within(ParticipantConfig::default()));
    let same = Net::new(0.0);
    let e = same.within(ParticipantConfig::default());
    vec![(apart, a, b), (near, c, d), (same, e.clone(), e)]
}

/// Any text.
#[derive(Debug, Clone, Topic)]
struct Note {
    number: u32,
    text: String,
}

fn part(
    p: &DomainParticipant,
    expression: &str,
    parameters: &[&str],
) -> ContentFilteredTopic<Keyed> {
    let topic = p.create_topic::<Keyed>("T", Default::default()).unwrap();
    p.create_contentfilteredtopic("Part", &topic, expression, parameters)
        .unwrap()
}

fn reader_of(
    p: &DomainParticipant,
    part: &impl TopicDescription<Keyed>,
    qos: DataReaderQos,
) -> DataReader<Keyed> {
    let subscriber = p.create_subscriber(Default::default());
    subscriber.create_datareader(part, qos).unwrap()
}

fn matched(writer: &DataWriter<Keyed>, readers: &[&DataReader<Keyed>]) {
    writer.wait_for_matched(readers.len(), SOON).unwrap();
    for reader in readers {
        reader.wait_for_matched(1, SOON).unwrap();
    }
}

fn keyed(name: &str, number: u32) -> Keyed {
    Keyed {
        name: name.into(),
        number,
    }
}

fn numbers(samples: &[Sample<Keyed>]) -> Vec<u32> {
    let data = samples.iter().filter_map(Sample::data);
    data.map(|sample| sample.number).collect()
}

#[test]
fn only_what_passes_is_taken_and_nothing_is_lost() {
    for (net, a, b) in pairs() {
        let (wqos, rqos) = reliable_all();
        let writer = writer::<Keyed>(&a, "T", wqos);
        let small = reader_of(&b, &part(&b, "number < 10", &NONE), rqos.clone());
        let red = part(&b, "name = %0", &["'red'"]);
        let red = reader_of(&b, &red, rqos.clone());
        let all = reader::<Keyed>(&b, "T", rqos);
        matched(&writer, &[&small, &red, &all]);
        net.set_drop(0.1);
        for number in 0..100 {
            let name = if number % 4 == 0 { "red" } else { "blue" };
            writer.write(&keyed(name, number)).unwrap();
        }
        writer.wait_for_acknowledgments(SOON).unwrap();
        // Of each instance in order.
        let mut got = numbers(&small.take());
        got.sort_unstable();
        assert_eq!(got, (0..10).collect::<Vec<_>>());
        let fourth: Vec<u32> = (0..25).map(|n| 4 * n).collect();
        assert_eq!(numbers(&red.take()), fourth);
        assert_eq!(all.take().len(), 100);
        for reader in [&small, &red, &all] {
            assert_eq!(reader.sample_lost_status().total_count, 0);
            assert!(reader.take().is_empty());
        }
        assert_eq!(all.filtered_sample_count(), 0);
    }
}

#[test]
fn a_writer_does_not_send_what_nobody_at_a_place_wants() {
    for (_net, a, b) in pairs() {
        let (wqos, rqos) = reliable_all();
        let writer = writer::<Keyed>(&a, "T", wqos);
        let one = reader_of(&b, &part(&b, "number < 5", &NONE), rqos.clone());
        let same = reader_of(&b, &part(&b, "number < 5", &NONE), rqos.clone());
        matched(&writer, &[&one, &same]);
        for number in 0..50 {
            writer.write(&keyed("one", number)).unwrap();
        }
        writer.wait_for_acknowledgments(SOON).unwrap();
        for reader in [&one, &same] {
            assert_eq!(numbers(&reader.take()), [0, 1, 2, 3, 4]);
            assert_eq!(reader.filtered_sample_count(), 0);
        }
        // What another reader there wants goes there, and each takes its own, whatever the way.
        let other = reader_of(&b, &part(&b, "number >= 40", &NONE), rqos);
        other.wait_for_matched(1, SOON).unwrap();
        writer.wait_for_matched(3, SOON).unwrap();
        for number in 0..50 {
            writer.write(&keyed("one", number)).unwrap();
        }
        writer.wait_for_acknowledgments(SOON).unwrap();
        assert_eq!(numbers(&one.take()), [0, 1, 2, 3, 4]);
        assert_eq!(numbers(&other.take()), (40..50).collect::<Vec<_>>());
        assert!(other.filtered_sample_count() <= 5);
    }
}

#[test]
fn more_filters_than_a_writer_judges_are_left_to_their_readers() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (wqos, rqos) = reliable_all();
    let writer = writer::<Keyed>(&a, "T", wqos);
    let readers: Vec<_> = (0..40)
        .map(|n| {
            let expression = format!("number = {n}");
            reader_of(&b, &part(&b, &expression, &NONE), rqos.clone())
        })
        .collect();
    writer.wait_for_matched(40, SOON).unwrap();
    for reader in &readers {
        reader.wait_for_matched(1, SOON).unwrap();
    }
    for number in 0..60 {
        writer.write(&keyed("one", number)).unwrap();
    }
    writer.wait_for_acknowledgments(SOON).unwrap();
    for (number, reader) in (0..).zip(&readers) {
        assert_eq!(numbers(&reader.take()), [number]);
        assert_eq!(reader.sample_lost_status().total_count, 0);
    }
}

#[test]
fn a_filter_that_takes_too_many_steps_is_left_to_its_reader_and_said() {
    use dunlin::observe::{DiagnosticFact, DiagnosticRequest};
    for (_net, a, b) in pairs() {
        let (wqos, rqos) = reliable_all();
        let writer = writer::<Note>(&a, "N", wqos);
        let reader_of = |expression: &str, parameters: &[&str]| {
            let topic = b.create_topic::<Note>("N", Default::default()).unwrap();
            let part = b.create_contentfilteredtopic("Part", &topic, expression, parameters);
            let subscriber = b.create_subscriber(Default::default());
            let reader = subscriber.create_datareader(&part.unwrap(), rqos.clone());
            reader.unwrap()
        };
        let patterns: Vec<String> = (0..100)
            .map(|n| format!("%_{}b%", "a".repeat(100 + n)))
            .collect();
        let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
        let many = |n: usize| format!("text NOT LIKE %{n} AND ");
        let expression = (0..100).map(many).collect::<String>() + "number > 1";
        let costly = reader_of(&expression, &patterns);
        let cheap = reader_of("number = 1", &NONE);
        writer.wait_for_matched(2, SOON).unwrap();
        costly.wait_for_matched(1, SOON).unwrap();
        cheap.wait_for_matched(1, SOON).unwrap();
        let note = |text: &str, number| Note {
            number,
            text: text.into(),
        };
        let numbers = |samples: &[Sample<Note>]| {
            let data = samples.iter().filter_map(Sample::data);
            data.map(|note| note.number).collect::<Vec<u32>>()
        };
        let given_up = |reader: &DataReader<Note>| {
            let question = DiagnosticRequest {
                about: writer.guid(),
                other: reader.guid(),
            };
            let answers = a.ask(&[question], SOON);
            answers[0].fact(DiagnosticFact::FilterGivenUp)
        };
        writer.write(&note("short", 0)).unwrap();
        assert_eq!(writer.given_up_filter_count(), 0);
        let long = "a".repeat(1_500);
        for number in 1..=5 {
            writer.write(&note(&long, number)).unwrap();
        }
        assert_eq!(writer.given_up_filter_count(), 1);
        assert_eq!((given_up(&costly), given_up(&cheap)), (Some(1), None));
        writer.wait_for_acknowledgments(SOON).unwrap();
        assert_eq!(numbers(&costly.take()), [2, 3, 4, 5]);
        assert_eq!(numbers(&cheap.take()), [1]);
    }
}

#[test]
fn a_late_joiner_gets_the_history_that_passes() {
    for (_net, a, b) in pairs() {
        let (mut wqos, mut rqos) = reliable_all();
        wqos.durability = Durability::TransientLocal;
        rqos.durability = Durability::TransientLocal;
        let writer = writer::<Keyed>(&a, "T", wqos);
        for number in 0..1_000 {
            writer.write(&keyed("one", number)).unwrap();
        }
        let part = part(&b, "number BETWEEN 300 AND 304 OR number >= 998", &NONE);
        let reader = reader_of(&b, &part, rqos);
        matched(&writer, &[&reader]);
        reader.wait_for_historical_data(SOON).unwrap();
        writer.write(&keyed("one", 1_000)).unwrap();
        writer.wait_for_acknowledgments(SOON).unwrap();
        let expected = [300, 301, 302, 303, 304, 998, 999, 1_000];
        assert_eq!(numbers(&reader.take()), expected);
        assert_eq!(reader.sample_lost_status().total_count, 0);
    }
}

#[test]
fn parameters_change_while_samples_come() {
    for (_net, a, b) in pairs() {
        let (wqos, rqos) = reliable_all();
        let writer = writer::<Keyed>(&a, "T", wqos);
        let part = part(&b, "number >= %0 AND name <> %1", &["5", "'none'"]);
        let reader = reader_of(&b, &part, rqos);
        matched(&writer, &[&reader]);
        for number in 0..10 {
            writer.write(&keyed("one", number)).unwrap();
        }
        writer.wait_for_acknowledgments(SOON).unwrap();
        part.set_expression_parameters(&["8", "'none'"]).unwrap();
        assert_eq!(part.expression_parameters(), ["8", "'none'"]);
        for number in 0..10 {
            writer.write(&keyed("one", number)).unwrap();
        }
        writer.wait_for_acknowledgments(SOON).unwrap();
        assert_eq!(numbers(&reader.take()), [5, 6, 7, 8, 9, 8, 9]);

        let error = part.set_expression_parameters(&["many", ""]).unwrap_err();
        assert!(
            error.to_string().contains("parameter %0 is \"many\""),
            "{error}"
        );
        assert_eq!(part.expression_parameters(), ["8", "'none'"]);

        // Less is filtered: that the writer sends it takes until it has heard of that.
        part.set_expression_parameters(&["0", "'none'"]).unwrap();
        let mut got = Vec::new();
        while got.last() != Some(&1) {
            writer.write(&keyed("one", 1)).unwrap();
            writer.wait_for_acknowledgments(SOON).unwrap();
            got.extend(numbers(&reader.take()));
        }
    }
}

#[test]
fn the_end_of_an_instance_is_told_if_one_of_its_samples_passed() {
    for (_net, a, b) in pairs() {
        let (wqos, rqos) = reliable_all();
        let writer = writer::<Keyed>(&a, "T", wqos);
        let reader = reader_of(&b, &part(&b, "number = 1", &NONE), rqos);
        matched(&writer, &[&reader]);
        writer.write(&keyed("passes", 1)).unwrap();
        writer.write(&keyed("does not", 2)).unwrap();
        writer.dispose(&keyed("passes", 0)).unwrap();
        writer.dispose(&keyed("does not", 0)).unwrap();
        writer.wait_for_acknowledgments(SOON).unwrap();
        let samples = reader.take();
        let [first, end] = &samples[..] else {
            panic!("{samples:?}")
        };
        assert_eq!(first.data(), Some(&keyed("passes", 1)));
        assert!(end.data().is_none());
        assert_eq!(end.key().unwrap().name, "passes");
        assert_eq!(end.info.instance_state, InstanceState::NotAliveDisposed);
    }
}

#[test]
fn a_best_effort_reader_does_not_take_what_is_filtered_for_lost() {
    for (_net, a, b) in pairs() {
        let best_effort = Reliability::BEST_EFFORT;
        let wqos = DataWriterQos {
            reliability: best_effort,
            ..Default::default()
        };
        let rqos = DataReaderQos {
            reliability: best_effort,
            history: History::KeepAll,
            ..Default::default()
        };
        let writer = writer::<Keyed>(&a, "T", wqos);
        let reader = reader_of(&b, &part(&b, "number > 5", &NONE), rqos);
        matched(&writer, &[&reader]);
        let mut got = Vec::new();
        while got.is_empty() {
            for number in 0..10 {
                writer.write(&keyed("one", number)).unwrap();
            }
            got = numbers(&take(&reader, 4));
        }
        assert!(got.iter().all(|number| *number > 5), "{got:?}");
        assert_eq!(reader.sample_lost_status().total_count, 0);
    }
}

#[test]
fn an_expression_that_does_not_suit_the_type_is_shown() {
    let net = Net::new(0.0);
    let p = net.participant();
    let topic = p.create_topic::<Keyed>("T", Default::default()).unwrap();
    let refused = |name: &str, expression, parameters: &[&str]| {
        let part = p.create_contentfilteredtopic(name, &topic, expression, parameters);
        part.err().unwrap().to_string()
    };
    assert_eq!(
        refused("Part", "numbr = 1", &NONE),
        "content filtered topic \"Part\": no member \"numbr\" in Keyed; did you mean \"number\"?\n  numbr = 1\n  ^~~~~"
    );
    assert!(refused("Part", "number = %0", &NONE).contains("no value"));
    assert!(refused("", "number = 1", &NONE).contains("1 to 255 bytes"));

    let part = p
        .create_contentfilteredtopic("Part", &topic, "number = %0", &["1"])
        .unwrap();
    assert_eq!(
        (part.name(), part.filter_expression()),
        ("Part", "number = %0")
    );
    assert_eq!(part.related_topic().name(), "T");
    let other = net.participant();
    let subscriber = other.create_subscriber(Default::default());
    let foreign = subscriber.create_datareader(&part, DataReaderQos::default());
    assert!(matches!(foreign, Err(Error::PreconditionNotMet(_))));
}

#[test]
fn a_query_waits_for_content_and_takes_what_it_asks_for() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (wqos, rqos) = reliable_all();
    let writer = writer::<Keyed>(&a, "T", wqos);
    let reader = reader::<Keyed>(&b, "T", rqos.clone());
    matched(&writer, &[&reader]);
    let query = reader
        .query_condition(Select::default(), "number >= %0 AND name = 'b'", &["5"])
        .unwrap();
    for number in 0..5 {
        writer.write(&keyed("b", number)).unwrap();
    }
    writer.wait_for_acknowledgments(SOON).unwrap();
    assert!(!query.trigger_value());
    let set = WaitSet::new();
    set.attach(query.clone());
    assert!(set.wait(Duration::from_millis(1)).is_err());

    for number in 5..10 {
        writer.write(&keyed("b", number)).unwrap();
        writer.write(&keyed("a", number)).unwrap();
    }
    writer.dispose(&keyed("b", 0)).unwrap();
    set.wait(SOON).unwrap();
    writer.wait_for_acknowledgments(SOON).unwrap();
    let read = reader.read_with_condition(&query).unwrap();
    assert_eq!(numbers(&read), [5, 6, 7, 8, 9]);
    // A condition on states does the same without content; what was read is told from the rest.
    let unread = reader.read_condition(Select {
        sample_states: SampleState::NotRead.mask(),
        ..Select::default()
    });
    let rest = reader.read_with_condition(&unread).unwrap();
    assert_eq!(rest.len(), 11);

    query.set_query_parameters(&["8"]).unwrap();
    assert_eq!(query.query_parameters(), ["8"]);
    assert_eq!(query.query_expression(), "number >= %0 AND name = 'b'");
    let taken = reader.take_with_condition(&query).unwrap();
    assert_eq!(numbers(&taken), [8, 9]);
    assert!(!query.trigger_value());
    query.set_query_parameters(&["0"]).unwrap();
    assert!(query.trigger_value());
    assert_eq!(reader.take().len(), 14);
    assert!(!query.trigger_value());

    let error = query.set_query_parameters(&NONE).unwrap_err().to_string();
    assert!(error.contains("%0 has no value"), "{error}");
    let other = common::reader::<Keyed>(&b, "T", rqos);
    assert!(matches!(
        other.take_with_condition(&query),
        Err(Error::PreconditionNotMet(_))
    ));
    assert!(
        reader
            .query_condition(Select::default(), "x = 1", &NONE)
            .is_err()
    );
}
