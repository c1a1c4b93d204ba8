//! Routes that know what their types are: filters and other representations.
mod common;

use common::namespace::{LOOPBACK, in_namespace};
use common::*;
use dunlin::cdr::Xcdr;
use dunlin::xtypes::DynamicType;
use dunlin::*;
use dunlin_routing::Service;
use dunlin_routing::plan::*;
use dunlin_routing::service::Action;
use dunlin_routing::state::{Node, State};

fn filter(expression: &str) -> Plugin {
    let properties = [("expression".to_owned(), expression.to_owned())];
    Plugin {
        class: "filter".into(),
        properties: properties.into(),
    }
}

/// What arrives of numbers 0 to 19 of one instance, and of a dispose behind them.
struct Arrived {
    numbers: Vec<u32>,
    state: InstanceState,
    encoding: [u8; 2],
    route: Node,
}

/// Passes samples of `Keyed` through a route, until the dispose has come.
fn pass(route: Route, reader_qos: DataReaderQos) -> Arrived {
    let service = Service::start(plan(Transports::UDP, vec![route])).unwrap();
    let (near, far) = (
        participant(NEAR, Transports::UDP),
        participant(FAR, Transports::UDP),
    );
    let (wqos, _) = reliable();
    let reader = reader::<Keyed>(&far, "T", reader_qos.clone());
    let topic = untyped::TypeSupport::discovered(Keyed::TYPE_NAME, true);
    let topic = far.create_untyped_topic("T", &topic, TopicQos::default());
    let subscriber = far.create_subscriber(SubscriberQos::default());
    let raw = subscriber.create_untyped_datareader(&topic.unwrap(), reader_qos);
    let raw = raw.unwrap();
    let writer = writer::<Keyed>(&near, "T", wqos);
    wait_for(&service, &format!("{}/inputs/in", route_path("T")), |n| {
        n.matched == 1
    });
    wait_for(&service, &format!("{}/outputs/out", route_path("T")), |n| {
        n.matched == 2
    });
    for number in 0..20 {
        writer.write(&keyed("a", number)).unwrap();
    }
    writer.dispose(&keyed("a", 0)).unwrap();
    let mut arrived = Vec::new();
    let state = loop {
        reader.wait_for_data(SOON).unwrap();
        let taken = reader.take();
        let last = taken.last().map(|sample| sample.info.instance_state);
        arrived.extend(taken.iter().filter_map(|s| s.data().map(|d| d.number)));
        match last {
            None | Some(InstanceState::Alive) => {}
            Some(state) => break state,
        }
    };
    let mut samples = Vec::new();
    while samples.is_empty() {
        raw.take(&Select::default(), &mut samples);
    }
    let encoding = samples.first().unwrap().payload().unwrap();
    let encoding = [encoding[0], encoding[1]];
    let tree = service.state();
    let node = tree.at(&route_path("T")).unwrap().clone();
    service.stop();
    Arrived {
        numbers: arrived,
        state,
        encoding,
        route: node,
    }
}

/// Whose word it is what the type is.
fn source(route: &Node) -> String {
    let input = route.children.first().unwrap();
    let source = input.end.as_ref().unwrap().type_source.clone();
    source.unwrap_or_default()
}

#[test]
fn a_filter_goes_by_the_type_that_a_source_tells() {
    in_namespace(
        "a_filter_goes_by_the_type_that_a_source_tells",
        LOOPBACK,
        || {
            let mut route = route::<Keyed>("T", 0);
            route.settings.processor = Some(filter("number BETWEEN 5 AND 7 AND name = 'a'"));
            let arrived = pass(route, reliable().1);
            assert_eq!(arrived.numbers, [5, 6, 7]);
            assert_eq!(arrived.state, InstanceState::NotAliveDisposed);
            let source = source(&arrived.route);
            assert!(source.starts_with("told by writer"), "{source}");
        },
    );
}

#[test]
fn a_filter_asks_what_kind_a_change_is_who_wrote_it_and_how_old_it_is() {
    in_namespace(
        "a_filter_asks_what_kind_a_change_is_who_wrote_it_and_how_old_it_is",
        LOOPBACK,
        || {
            let mut route = route::<Keyed>("T", 0);
            let expression = "@writer LIKE '%:%' AND @age BETWEEN -3600 AND 3600 AND \
                              (@kind <> 'alive' OR number > 17)";
            route.settings.processor = Some(filter(expression));
            // Outputs are told no source timestamp; the filter is all the same.
            route.settings.original_timestamp = false;
            let arrived = pass(route, reliable().1);
            assert_eq!(arrived.numbers, [18, 19]);
            assert_eq!(arrived.state, InstanceState::NotAliveDisposed);
        },
    );
}

/// A service with a route of `Keyless` whose type a file tells, a reader beyond, and a writer of
/// which the service can ask nothing.
fn with_blind_writer(route: Route) -> (Service, DataReader<Keyless>, UntypedWriter) {
    let mut plan = plan(Transports::UDP, vec![route]);
    let ty = DynamicType::of::<Keyless>().unwrap();
    plan.types.add(Keyless::TYPE_NAME, ty, "keyless.idl");
    let service = Service::start(plan).unwrap();
    let (near, far) = (
        participant(NEAR, Transports::UDP),
        participant(FAR, Transports::UDP),
    );
    let (wqos, rqos) = reliable();
    let reader = reader::<Keyless>(&far, "T", rqos);
    let ty = untyped::TypeSupport::discovered(Keyless::TYPE_NAME, false);
    let topic = near.create_untyped_topic("T", &ty, TopicQos::default());
    let publisher = near.create_publisher(PublisherQos::default());
    let writer = publisher.create_untyped_datawriter(&topic.unwrap(), wqos);
    let writer = writer.unwrap();
    writer.wait_for_matched(1, SOON).unwrap();
    wait_until_joined(&service, &route_path("T"));
    (service, reader, writer)
}

#[test]
fn the_filter_of_an_input_is_judged_where_writers_do_not() {
    in_namespace(
        "the_filter_of_an_input_is_judged_where_writers_do_not",
        LOOPBACK,
        || {
            let mut route = route::<Keyless>("T", 0);
            route.inputs[0].filter = Some(ContentFilter {
                expression: "number > %0".into(),
                parameters: vec!["16".into()],
            });
            let (service, reader, writer) = with_blind_writer(route);
            for number in 0..20 {
                let mut payload = bytes::BytesMut::new();
                dunlin::cdr::to_payload(&keyless(number, 5), Xcdr::V1, &mut payload).unwrap();
                let options = untyped::WriteOptions::default();
                writer.write(ChangeKind::Alive, &payload, &options).unwrap();
            }
            let taken = take(&reader, 3);
            let numbers: Vec<u32> = taken.iter().map(|s| s.data().unwrap().number).collect();
            assert_eq!(numbers, [17, 18, 19]);
            let input = format!("{}/inputs/in", route_path("T"));
            let node = wait_for(&service, &input, |node| node.counters.held_back == 17);
            assert_eq!(node.end.unwrap().type_source.unwrap(), "from keyless.idl");
            service.stop();
        },
    );
}

#[test]
fn payloads_that_cannot_be_converted_pause_the_route() {
    in_namespace(
        "payloads_that_cannot_be_converted_pause_the_route",
        LOOPBACK,
        || {
            let mut route = route::<Keyless>("T", 0);
            route.outputs[0].representation = Some(DataRepresentation::Xcdr2);
            let (service, _reader, writer) = with_blind_writer(route);
            let output = format!("{}/outputs/out", route_path("T"));
            // A number, and a length without its octets.
            let damaged = [0, 1, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0];
            let options = untyped::WriteOptions::default();
            for count in 1..=100 {
                let path = route_path("T");
                wait_for(&service, &path, is_running);
                writer.write(ChangeKind::Alive, &damaged, &options).unwrap();
                wait_for(&service, &output, |node| node.counters.failed == count);
            }
            let path = route_path("T");
            wait_for(&service, &path, |node| node.state == State::Paused);
            let node = wait_for(&service, &output, |node| node.note.is_some());
            let note = node.note.unwrap();
            assert!(note.contains("a sample cannot be converted"), "{note}");
            service.act(&path, Action::Resume).unwrap();
            wait_for(&service, &path, is_running);
            service.stop();
        },
    );
}

#[test]
fn samples_are_converted_to_what_the_output_offers() {
    in_namespace(
        "samples_are_converted_to_what_the_output_offers",
        LOOPBACK,
        || {
            let mut route = route::<Keyed>("T", 0);
            route.outputs[0].representation = Some(DataRepresentation::Xcdr2);
            let mut qos = reliable().1;
            qos.representation = vec![DataRepresentation::Xcdr2];
            let arrived = pass(route, qos);
            let all: Vec<u32> = (0..20).collect();
            assert_eq!(arrived.numbers, all);
            assert_eq!(arrived.state, InstanceState::NotAliveDisposed);
            // D_CDR2 (DDS-XTypes 1.3 table 60).
            assert_eq!(arrived.encoding[0], 0);
            assert!(
                [8, 9].contains(&arrived.encoding[1]),
                "{:?}",
                arrived.encoding
            );
            assert!(source(&arrived.route).starts_with("told by writer"));
        },
    );
}

#[test]
fn what_is_wrong_with_a_filter_is_said_where_it_is() {
    in_namespace(
        "what_is_wrong_with_a_filter_is_said_where_it_is",
        LOOPBACK,
        || {
            let mut route = route::<Keyed>("T", 0);
            route.settings.processor = Some(filter("nunber > 5"));
            let service = Service::start(plan(Transports::UDP, vec![route])).unwrap();
            let path = route_path("T");
            let waits = wait_for(&service, &path, |node| node.note.is_some());
            let note = waits.note.unwrap();
            assert!(
                note.contains("waits for a source that tells the type"),
                "{note}"
            );
            let near = participant(NEAR, Transports::UDP);
            let _writer = near.writer_with::<Keyed>("T", reliable().0).unwrap();
            let failed = wait_for(&service, &format!("{path}/inputs/in"), |node| {
                matches!(node.state, State::Failed(_))
            });
            let State::Failed(reason) = failed.state else {
                return;
            };
            let expected = "did you mean \"number\"?\n  nunber > 5\n  ^~~~~~";
            assert!(reason.contains(expected), "{reason}");
            service.stop();
        },
    );
}

#[test]
fn types_come_from_idl_files() {
    in_namespace("types_come_from_idl_files", LOOPBACK, || {
        let text = dunlin::idl::to_string::<Keyed>().unwrap();
        let file = std::env::temp_dir().join(format!("routes-{}.idl", std::process::id()));
        std::fs::write(&file, text).unwrap();
        let toml = format!(
            "idl_files = [{file:?}]\n[participants.a]\ndomain = 0\n[participants.b]\ndomain = 1\n\
             [[routes]]\nfrom = \"a\"\nto = \"b\"\ntopics = [\"*\"]\n"
        );
        let name = "t.toml".to_owned();
        let input = dunlin_routing::config::Input::Text { name, text: toml };
        let read = dunlin_routing::config::load(&[input], &Default::default());
        std::fs::remove_file(&file).unwrap();
        let types = read.plan.as_ref().map(|plan| plan.types.clone());
        let types = types.unwrap_or_else(|| panic!("{}", read.report()));
        assert_eq!(types.names().collect::<Vec<_>>(), [Keyed::TYPE_NAME]);
        // It is known at once, before there is a source.
        let mut route = route::<Keyed>("T", 0);
        route.settings.processor = Some(filter("number > 18"));
        let mut plan = plan(Transports::UDP, vec![route]);
        plan.types = types;
        let service = Service::start(plan).unwrap();
        let node = wait_for(&service, &route_path("T"), is_running);
        assert!(source(&node).ends_with(".idl"), "{}", source(&node));
        service.stop();
    });
}

/// The filter of the service's reader, as the sources know it.
fn asked_for(sources: &DomainParticipant) -> Option<(String, Vec<String>)> {
    let known = sources.domain();
    let reader = known.readers.iter().find(|reader| reader.topic == "T");
    let filter = reader.and_then(|reader| reader.content_filter.clone());
    filter.map(|filter| (filter.expression, filter.parameters))
}

fn wait_until_asked_for(sources: &DomainParticipant, wanted: Option<(&str, &[&str])>) {
    let wanted = wanted.map(|(expression, parameters)| {
        let parameters = parameters.iter().map(|one| (*one).to_owned()).collect();
        (expression.to_owned(), parameters)
    });
    let begun = std::time::Instant::now();
    while asked_for(sources) != wanted {
        let asked = asked_for(sources);
        assert!(begun.elapsed().as_secs() < 120, "{asked:?} {wanted:?}");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// A reader of what passes a filter.
fn filtering(
    participant: &DomainParticipant,
    expression: &str,
    parameter: &str,
) -> DataReader<Keyed> {
    let topic = participant.create_topic::<Keyed>("T", TopicQos::default());
    let topic = topic.unwrap();
    let name = format!("{expression} {parameter}");
    let part = participant.create_contentfilteredtopic(&name, &topic, expression, &[parameter]);
    let subscriber = participant.create_subscriber(SubscriberQos::default());
    let reader = subscriber
        .create_datareader(&part.unwrap(), reliable().1)
        .unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    reader
}

fn numbers(reader: &DataReader<Keyed>, count: usize) -> Vec<u32> {
    let taken = take(reader, count);
    taken
        .iter()
        .filter_map(|sample| sample.data().map(|data| data.number))
        .collect()
}

#[test]
fn sources_send_only_what_readers_beyond_want() {
    in_namespace(
        "sources_send_only_what_readers_beyond_want",
        LOOPBACK,
        || {
            let mut route = route::<Keyed>("T", 0);
            route.settings.filter_propagation = Some(FilterPropagation::default());
            let service = Service::start(plan(Transports::UDP, vec![route])).unwrap();
            let (near, far) = (
                participant(NEAR, Transports::UDP),
                participant(FAR, Transports::UDP),
            );
            let writer = writer::<Keyed>(&near, "T", reliable().0);
            let high = filtering(&far, "number > %0", "16");
            wait_until_asked_for(&near, Some(("(number > %0)", &["16"])));
            for number in 0..20 {
                writer.write(&keyed("a", number)).unwrap();
            }
            assert_eq!(numbers(&high, 3), [17, 18, 19]);
            let input = format!("{}/inputs/in", route_path("T"));
            let came = wait_for(&service, &input, |input| input.counters.samples >= 3);
            assert_eq!(came.counters.samples, 3);
            // One more reader wants others, and one that comes then wants all.
            let low = filtering(&far, "number < %0", "1");
            let both = ("(number < %0) OR (number > %1)", &["1", "16"][..]);
            wait_until_asked_for(&near, Some(both));
            for number in 0..20 {
                writer.write(&keyed("a", number)).unwrap();
            }
            assert_eq!(numbers(&low, 1), [0]);
            assert_eq!(numbers(&high, 3), [17, 18, 19]);
            let all = reader::<Keyed>(&far, "T", reliable().1);
            wait_until_asked_for(&near, None);
            for number in 0..20 {
                writer.write(&keyed("a", number)).unwrap();
            }
            assert_eq!(numbers(&all, 20), (0..20).collect::<Vec<_>>());
            // It goes, and nobody wants the others any more.
            drop(all);
            wait_until_asked_for(&near, Some(both));
            service.stop();
        },
    );
}
