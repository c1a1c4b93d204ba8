//! Routes that are written out, between two domains.
mod common;

use common::namespace::{LOOPBACK, in_namespace};
use common::*;
use dunlin::*;
use dunlin_routing::Service;
use dunlin_routing::plan::*;
use dunlin_routing::service::Action;
use dunlin_routing::state::State;

/// Everything by the network, and as a user has it.
const WAYS: [Transports; 2] = [
    Transports::UDP,
    Transports {
        udp: true,
        shmem: true,
        tcp: false,
        local: true,
    },
];

fn both_ways<T: TopicData>(topic: &str, sample: impl Fn(u32) -> T, number: impl Fn(&T) -> u32) {
    const COUNT: u32 = 2_000;
    for transports in WAYS {
        let routes = vec![
            route::<T>(&format!("{topic}/there"), 0),
            route::<T>(&format!("{topic}/back"), 1),
        ];
        let service = Service::start(plan(transports, routes)).unwrap();
        let (near, far) = (participant(NEAR, transports), participant(FAR, transports));
        let (wqos, rqos) = reliable();
        for (name, from, to) in [("there", &near, &far), ("back", &far, &near)] {
            let topic = format!("{topic}/{name}");
            let reader = reader::<T>(to, &topic, rqos.clone());
            let writer = writer::<T>(from, &topic, wqos.clone());
            wait_until_joined(&service, &route_path(&topic));
            for n in 0..COUNT {
                writer.write(&sample(n)).unwrap();
            }
            let mut taken = Vec::new();
            while taken.len() < COUNT as usize {
                if let Err(error) = reader.wait_for_data(Duration::from_secs(60)) {
                    panic!(
                        "{transports:?} {topic}: {} of {COUNT} came: {error}\n{:?}\n{:?}\n{:#?}",
                        taken.len(),
                        writer.backlog_status(),
                        reader.sample_lost_status(),
                        service.state()
                    );
                }
                taken.extend(reader.take());
            }
            taken.sort_by_key(|sample| sample.info.sequence);
            let numbers: Vec<u32> = taken.iter().map(|s| number(s.data().unwrap())).collect();
            assert!(numbers.into_iter().eq(0..COUNT), "{transports:?} {topic}");
            let path = route_path(&topic);
            let node = wait_for(&service, &path, |n| n.counters.samples == u64::from(COUNT));
            assert!(is_running(&node));
        }
        service.stop();
    }
}

#[test]
fn samples_without_a_key_pass_both_ways() {
    in_namespace("samples_without_a_key_pass_both_ways", LOOPBACK, || {
        both_ways::<Keyless>("Keyless", |n| keyless(n, 20), |sample| sample.number);
    });
}

#[test]
fn samples_with_a_key_pass_both_ways() {
    in_namespace("samples_with_a_key_pass_both_ways", LOOPBACK, || {
        let sample = |n: u32| keyed(&format!("instance {}", n % 10), n);
        both_ways::<Keyed>("Keyed", sample, |sample| sample.number);
    });
}

/// The state of each instance at the end, and how its changes came.
fn ends(settings: RouteSettings) -> Vec<(String, InstanceState)> {
    let mut route = route::<Keyed>("T", 0);
    route.settings = settings;
    let service = Service::start(plan(Transports::UDP, vec![route])).unwrap();
    let (near, far) = (
        participant(NEAR, Transports::UDP),
        participant(FAR, Transports::UDP),
    );
    let (mut wqos, rqos) = reliable();
    wqos.writer_data_lifecycle = WriterDataLifecycle {
        autodispose_unregistered_instances: false,
    };
    let reader = reader::<Keyed>(&far, "T", rqos);
    let writer = writer::<Keyed>(&near, "T", wqos);
    wait_until_joined(&service, &route_path("T"));
    for name in ["a", "b", "c", "last"] {
        writer.write(&keyed(name, 1)).unwrap();
    }
    writer.dispose(&keyed("a", 0)).unwrap();
    writer.unregister_instance(&keyed("b", 0)).unwrap();
    writer.write(&keyed("last", 2)).unwrap();
    let (mut names, mut states) = (std::collections::HashMap::new(), Vec::new());
    let mut is_over = false;
    while !is_over {
        reader.wait_for_data(SOON).unwrap();
        for sample in reader.take() {
            if let Some(data) = sample.data() {
                names.insert(sample.info.instance, data.name.clone());
                is_over |= *data == keyed("last", 2);
            }
            states.retain(|(instance, _)| *instance != sample.info.instance);
            states.push((sample.info.instance, sample.info.instance_state));
        }
    }
    service.stop();
    let named = states
        .into_iter()
        .map(|(i, state)| (names[&i].clone(), state));
    let mut named: Vec<_> = named.collect();
    named.sort_by(|a, b| a.0.cmp(&b.0));
    named
}

#[test]
fn disposes_and_unregisters_pass_unless_held_back() {
    in_namespace(
        "disposes_and_unregisters_pass_unless_held_back",
        LOOPBACK,
        || {
            use InstanceState::{Alive, NotAliveDisposed, NotAliveNoWriters};
            let states = |of_a, of_b| {
                [("a", of_a), ("b", of_b), ("c", Alive), ("last", Alive)]
                    .map(|(name, state)| (name.to_owned(), state))
            };
            let all = RouteSettings::xml();
            assert_eq!(
                ends(all.clone()),
                states(NotAliveDisposed, NotAliveNoWriters)
            );
            let none = RouteSettings {
                propagate_dispose: false,
                propagate_unregister: false,
                ..all
            };
            assert_eq!(ends(none), states(Alive, Alive));
        },
    );
}

#[test]
fn samples_of_a_mebibyte_pass() {
    in_namespace("samples_of_a_mebibyte_pass", LOOPBACK, || {
        for transports in WAYS {
            let routes = vec![route::<Keyless>("T", 0)];
            let service = Service::start(plan(transports, routes)).unwrap();
            let (near, far) = (participant(NEAR, transports), participant(FAR, transports));
            let (wqos, rqos) = reliable();
            let reader = reader::<Keyless>(&far, "T", rqos);
            let writer = writer::<Keyless>(&near, "T", wqos);
            wait_until_joined(&service, &route_path("T"));
            let writes = std::thread::spawn(move || {
                for n in 0..20 {
                    writer.write(&keyless(n, 1 << 20)).unwrap();
                }
                writer.wait_for_acknowledgments(SOON).unwrap();
            });
            for (n, sample) in take(&reader, 20).iter().enumerate() {
                assert!(*sample.data().unwrap() == keyless(n as u32, 1 << 20), "{n}");
            }
            writes.join().unwrap();
            service.stop();
        }
    });
}

#[test]
fn timestamps_and_origins_are_kept_if_the_route_says_so() {
    let name = "timestamps_and_origins_are_kept_if_the_route_says_so";
    in_namespace(name, LOOPBACK, || {
        let mut kept = route::<Keyless>("Kept", 0);
        kept.settings = RouteSettings::toml();
        let routes = vec![kept, route::<Keyless>("Made", 0)];
        let service = Service::start(plan(Transports::UDP, routes)).unwrap();
        let near = participant(NEAR, Transports::UDP);
        let far = participant(FAR, Transports::UDP);
        let (wqos, rqos) = reliable();
        let long_ago = Timestamp(1_000_000_000);
        for topic in ["Kept", "Made"] {
            let reader = reader::<Keyless>(&far, topic, rqos.clone());
            let writer = writer::<Keyless>(&near, topic, wqos.clone());
            wait_until_joined(&service, &route_path(topic));
            writer
                .write_with_timestamp(&keyless(7, 1), long_ago)
                .unwrap();
            let sample = take(&reader, 1).remove(0);
            let (stamp, original) = (sample.info.source_timestamp, sample.info.original_writer());
            if topic == "Made" {
                assert!(stamp > Some(long_ago) && original.is_none());
                continue;
            }
            assert_eq!(stamp, Some(long_ago));
            let original = original.unwrap();
            assert_eq!((original.writer, original.sequence.0), (writer.guid(), 1));
            assert_eq!(sample.info.origin.unwrap().hops.ids().len(), 1);
        }
        service.stop();
    });
}

#[test]
fn a_slow_far_reader_holds_up_the_source_and_loses_nothing() {
    let name = "a_slow_far_reader_holds_up_the_source_and_loses_nothing";
    in_namespace(name, LOOPBACK, || {
        let limited = |most| ResourceLimits {
            max_samples: Some(most),
            ..Default::default()
        };
        let mut route = route::<Keyless>("T", 0);
        route.settings.backlog = Backlog {
            samples: 20,
            bytes: 1 << 20,
        };
        route.settings.stall_timeout = Duration::INFINITE;
        let (mut wqos, mut rqos) = reliable();
        let (mut out, mut input) = reliable();
        out.resource_limits = limited(10);
        input.resource_limits = limited(30);
        route.outputs[0].qos = EndpointQos::Explicit(Box::new(out));
        route.inputs[0].qos = EndpointQos::Explicit(Box::new(input));
        let service = Service::start(plan(Transports::UDP, vec![route])).unwrap();
        let near = participant(NEAR, Transports::UDP);
        let far = participant(FAR, Transports::UDP);
        wqos.resource_limits = limited(10);
        wqos.reliability.max_blocking_time = Duration::from_secs(2);
        rqos.resource_limits = limited(10);
        let reader = reader::<Keyless>(&far, "T", rqos);
        let writer = writer::<Keyless>(&near, "T", wqos);
        wait_until_joined(&service, &route_path("T"));
        let mut written = 0;
        let blocked = loop {
            match writer.write(&keyless(written, 20)) {
                Ok(_) => written += 1,
                Err(error) => break error,
            }
            // The reader, the output, the backlog, the input and the writer hold 80, and a burst
            // may be on its way.
            assert!(written < 200, "nothing holds up the writer");
        };
        assert!(matches!(blocked, Error::Timeout { .. }), "{blocked}");
        let path = format!("{}/outputs/out", route_path("T"));
        wait_for(&service, &path, |node| node.counters.backlog == 20);
        let mut numbers = Vec::new();
        while numbers.len() < written as usize {
            reader.wait_for_data(SOON).unwrap();
            numbers.extend(reader.take().iter().map(|s| s.data().unwrap().number));
        }
        assert!(numbers.into_iter().eq(0..written));
        writer.write(&keyless(written, 20)).unwrap();
        assert_eq!(take(&reader, 1)[0].data().unwrap().number, written);
        let node = wait_for(&service, &path, |node| node.counters.backlog == 0);
        assert_eq!(node.counters.dropped_full + node.counters.failed, 0);
        service.stop();
    });
}

#[test]
fn a_route_pauses_and_ends_as_an_administrator_wants() {
    let name = "a_route_pauses_and_ends_as_an_administrator_wants";
    in_namespace(name, LOOPBACK, || {
        let routes = vec![route::<Keyless>("T", 0)];
        let service = Service::start(plan(Transports::UDP, routes)).unwrap();
        let near = participant(NEAR, Transports::UDP);
        let far = participant(FAR, Transports::UDP);
        let (wqos, rqos) = reliable();
        let reader = reader::<Keyless>(&far, "T", rqos);
        let writer = writer::<Keyless>(&near, "T", wqos);
        let path = route_path("T");
        wait_until_joined(&service, &path);
        service.act(SESSION, Action::Pause).unwrap();
        wait_for(&service, &path, |node| node.state == State::Paused);
        writer.write(&keyless(1, 1)).unwrap();
        // The sample is in the input, and stays there.
        writer.wait_for_acknowledgments(SOON).unwrap();
        assert_eq!(service.state().at(&path).unwrap().counters.samples, 0);
        service.act(&path, Action::Resume).unwrap();
        assert_eq!(take(&reader, 1)[0].data().unwrap().number, 1);
        service.act(&path, Action::Disable).unwrap();
        wait_for(&service, &path, |node| node.state == State::Disabled);
        while writer.matched_count() + reader.matched_count() > 0 {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        service.act(&path, Action::Enable).unwrap();
        writer.wait_for_matched(1, SOON).unwrap();
        reader.wait_for_matched(1, SOON).unwrap();
        wait_until_joined(&service, &path);
        writer.write(&keyless(2, 1)).unwrap();
        // The end of the first writer is told, too.
        let samples = take(&reader, 2);
        let numbers: Vec<u32> = samples
            .iter()
            .filter_map(|s| s.data().map(|d| d.number))
            .collect();
        assert_eq!(numbers, [2]);
        // What has passed is not forgotten with the endpoints.
        assert_eq!(service.state().at(&path).unwrap().counters.samples, 2);
        let error = service.act("/routing_services/other", Action::Pause);
        assert!(
            error
                .unwrap_err()
                .to_string()
                .contains("/routing_services/other")
        );
    });
}

#[test]
fn a_route_learns_its_type_from_the_first_endpoint() {
    let name = "a_route_learns_its_type_from_the_first_endpoint";
    in_namespace(name, LOOPBACK, || {
        let unknown = |mut route: Route| {
            (route.inputs[0].keyed, route.inputs[0].type_name) = (None, None);
            route.outputs[0].type_name = None;
            route
        };
        let routes = vec![
            unknown(route::<Keyed>("ByWriter", 0)),
            unknown(route::<Keyed>("ByReader", 0)),
        ];
        let service = Service::start(plan(Transports::UDP, routes)).unwrap();
        let node = wait_for(&service, &route_path("ByWriter"), |_| true);
        assert_eq!(node.state, State::Enabled);
        let note = node.note.unwrap();
        assert!(
            note.contains("\"ByWriter\"") && note.contains("has keys"),
            "{note}"
        );
        let near = participant(NEAR, Transports::UDP);
        let far = participant(FAR, Transports::UDP);
        let (wqos, rqos) = reliable();
        let first = writer::<Keyed>(&near, "ByWriter", wqos.clone());
        let second = reader::<Keyed>(&far, "ByReader", rqos.clone());
        let readers = [reader::<Keyed>(&far, "ByWriter", rqos), second];
        let writers = [first, writer::<Keyed>(&near, "ByReader", wqos)];
        for (writer, reader) in writers.iter().zip(&readers) {
            wait_until_joined(&service, &route_path(writer.topic_name()));
            writer.write(&keyed("a", 1)).unwrap();
            writer.dispose(&keyed("a", 1)).unwrap();
            let samples = take(reader, 2);
            assert_eq!(samples[0].data().unwrap().number, 1);
            assert_eq!(
                samples[1].info.instance_state,
                InstanceState::NotAliveDisposed
            );
        }
        service.stop();
    });
}

#[test]
fn a_far_reader_that_hangs_is_given_up() {
    in_namespace("a_far_reader_that_hangs_is_given_up", LOOPBACK, || {
        let limited = |most| ResourceLimits {
            max_samples: Some(most),
            ..Default::default()
        };
        let mut route = route::<Keyless>("T", 0);
        route.settings.backlog.samples = 10;
        route.settings.stall_timeout = Duration::from_millis(500);
        let (mut wqos, rqos) = reliable();
        let (mut out, mut input) = reliable();
        out.resource_limits = limited(10);
        input.resource_limits = limited(10);
        route.outputs[0].qos = EndpointQos::Explicit(Box::new(out));
        route.inputs[0].qos = EndpointQos::Explicit(Box::new(input));
        let service = Service::start(plan(Transports::UDP, vec![route])).unwrap();
        let near = participant(NEAR, Transports::UDP);
        let far = participant(FAR, Transports::UDP);
        wqos.resource_limits = limited(10);
        let good = reader::<Keyless>(&far, "T", rqos.clone());
        let hangs = DataReaderQos {
            resource_limits: limited(10),
            ..rqos
        };
        let hangs = reader::<Keyless>(&far, "T", hangs);
        let writer = writer::<Keyless>(&near, "T", wqos);
        let path = format!("{}/outputs/out", route_path("T"));
        wait_for(&service, &path, |node| node.matched == 2);
        for number in 0..100 {
            writer.write(&keyless(number, 20)).unwrap();
        }
        let samples = take(&good, 100);
        let numbers = samples.iter().map(|sample| sample.data().unwrap().number);
        assert!(numbers.eq(0..100));
        wait_for(&service, &path, |node| node.counters.given_up > 0);
        let first: Vec<u32> = take(&hangs, 10)
            .iter()
            .map(|s| s.data().unwrap().number)
            .collect();
        assert!(first.into_iter().eq(0..10));
        service.stop();
    });
}

#[test]
fn a_rate_lets_the_first_and_the_last_sample_through() {
    in_namespace(
        "a_rate_lets_the_first_and_the_last_sample_through",
        LOOPBACK,
        || {
            let mut route = route::<Keyed>("T", 0);
            route.inputs[0].max_rate = Some(0.5);
            let service = Service::start(plan(Transports::UDP, vec![route])).unwrap();
            let near = participant(NEAR, Transports::UDP);
            let far = participant(FAR, Transports::UDP);
            let (wqos, rqos) = reliable();
            let reader = reader::<Keyed>(&far, "T", rqos);
            let writer = writer::<Keyed>(&near, "T", wqos);
            wait_until_joined(&service, &route_path("T"));
            for number in 0..100 {
                writer.write(&keyed("a", number)).unwrap();
            }
            let mut numbers = Vec::new();
            while numbers.last() != Some(&99) {
                reader.wait_for_data(SOON).unwrap();
                numbers.extend(reader.take().iter().map(|s| s.data().unwrap().number));
            }
            assert!(numbers[0] == 0 && numbers.len() < 100, "{numbers:?}");
            service.stop();
        },
    );
}

#[test]
fn a_mismatch_of_policies_is_told_with_both_values() {
    in_namespace(
        "a_mismatch_of_policies_is_told_with_both_values",
        LOOPBACK,
        || {
            let service = Service::start(plan(Transports::UDP, vec![route::<Keyless>("T", 0)]));
            let service = service.unwrap();
            let near = participant(NEAR, Transports::UDP);
            let lossy = DataWriterQos {
                reliability: Reliability::BEST_EFFORT,
                ..Default::default()
            };
            let _writer = near.writer_with::<Keyless>("T", lossy).unwrap();
            let path = format!("{}/inputs/in", route_path("T"));
            let node = wait_for(&service, &path, |node| node.note.is_some());
            let note = node.note.unwrap();
            for words in ["RELIABILITY", "BEST_EFFORT", "RELIABLE"] {
                assert!(note.contains(words), "{note}");
            }
            service.stop();
        },
    );
}
