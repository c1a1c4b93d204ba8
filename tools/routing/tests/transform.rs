//! Outputs that make something else of samples.
mod common;

use common::namespace::{LOOPBACK, in_namespace};
use common::*;
use dunlin::observe::TypeState;
use dunlin::xtypes::DynamicType;
use dunlin::*;
use dunlin_routing::Service;
use dunlin_routing::plan::*;
use dunlin_routing::service::Action;
use dunlin_routing::state::State;
use dunlin_routing::transformation::{Refusal, Transformation, Written, register};

/// What a map makes of `Keyed`; the key is another one.
#[derive(Topic, Clone, Debug, PartialEq, Default)]
struct Mapped {
    stamp: u64,
    total: i64,
    #[key]
    #[topic(bound = 64)]
    id: String,
    note: String,
}

fn transformation(class: &str, all: &[(&str, &str)]) -> Plugin {
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Plugin {
        class: class.into(),
        properties: all.iter().map(own).collect(),
    }
}

/// A route from `Keyed` to `Mapped`, whose type a file tells.
fn mapped(all: &[(&str, &str)]) -> Plan {
    let mut route = route::<Keyed>("T", 0);
    let output = &mut route.outputs[0];
    output.type_name = Some(Mapped::TYPE_NAME.into());
    output.keyed = Some(true);
    output.transformation = Some(transformation("map", all));
    let mut plan = plan(Transports::UDP, vec![route]);
    let ty = DynamicType::of::<Mapped>().unwrap();
    plan.types.add(Mapped::TYPE_NAME, ty, "mapped.idl");
    plan
}

const ALL: [(&str, &str); 4] = [
    ("id", "name"),
    ("total", "number"),
    ("note", "'made'"),
    ("stamp", "@now"),
];

/// Applications on both sides that the service has matched.
fn ends<In: TopicData, Out: TopicData>(
    service: &Service,
) -> (DataWriter<In>, DataReader<Out>, [DomainParticipant; 2]) {
    let (near, far) = (
        participant(NEAR, Transports::UDP),
        participant(FAR, Transports::UDP),
    );
    let (wqos, rqos) = reliable();
    let reader = reader::<Out>(&far, "T", rqos);
    let writer = writer::<In>(&near, "T", wqos);
    wait_until_joined(service, &route_path("T"));
    (writer, reader, [near, far])
}

#[test]
fn a_map_makes_samples_and_instances_of_another_type() {
    in_namespace(
        "a_map_makes_samples_and_instances_of_another_type",
        LOOPBACK,
        || {
            let service = Service::start(mapped(&ALL)).unwrap();
            let (writer, reader, _participants) = ends::<Keyed, Mapped>(&service);
            writer.write(&keyed("a", 1)).unwrap();
            writer.write(&keyed("b", 2)).unwrap();
            writer.write(&keyed("a", 3)).unwrap();
            writer.dispose(&keyed("a", 0)).unwrap();
            writer.unregister_instance(&keyed("b", 0)).unwrap();
            let taken = take(&reader, 5);
            // A take has what is there instance by instance, so how they take turns is chance.
            let (mut data, ends): (Vec<_>, Vec<_>) =
                taken.iter().partition(|sample| sample.data().is_some());
            data.sort_by_key(|sample| sample.data().map(|d| d.id.clone()));
            let [a, also_a, b] = data[..] else {
                panic!("{taken:?}");
            };
            let said = data.iter().filter_map(|sample| sample.data());
            let said: Vec<_> = said.map(|d| (&*d.id, d.total, &*d.note)).collect();
            assert_eq!(said, [("a", 1, "made"), ("a", 3, "made"), ("b", 2, "made")]);
            assert!(a.data().unwrap().stamp > 1_600_000_000_000_000_000);
            // The reader computes its own hashes where it can: both agree on the instance.
            assert_eq!(a.info.instance, also_a.info.instance);
            assert_ne!(a.info.instance, b.info.instance);
            // A writer disposes what it unregisters, unless its QoS says otherwise.
            for instance in [a.info.instance, b.info.instance] {
                let mut own = ends.iter().filter(|end| end.info.instance == instance);
                let state = own.next().map(|end| end.info.instance_state);
                assert_eq!(state, Some(InstanceState::NotAliveDisposed), "{taken:?}");
            }
            service.stop();
        },
    );
}

#[test]
fn an_output_announces_the_type_that_it_makes() {
    let name = "an_output_announces_the_type_that_it_makes";
    in_namespace(name, LOOPBACK, || {
        for tells in [true, false] {
            let mut plan = mapped(&ALL);
            let route = &mut plan.domain_routes[0].sessions[0].routes[0];
            route.settings.route_types = tells;
            let service = Service::start(plan).unwrap();
            let (_writer, reader, [_near, far]) = ends::<Keyed, Mapped>(&service);
            let [guid] = reader.matched_publications()[..] else {
                panic!("{:?}", reader.matched_publications());
            };
            let writers = far.domain().writers;
            let writer = writers.iter().find(|writer| writer.guid == guid).unwrap();
            assert_eq!(writer.type_information.is_some(), tells);
            assert_eq!(writer.type_name, Mapped::TYPE_NAME);
            if !tells {
                continue;
            }
            // Whoever asks is told all of it.
            let begun = std::time::Instant::now();
            let told = loop {
                if let Some(TypeState::Known(ty)) = far.look_up_type(guid) {
                    break ty;
                }
                assert!(
                    begun.elapsed().as_secs() < 120,
                    "{:?}",
                    far.look_up_type(guid)
                );
                std::thread::sleep(std::time::Duration::from_millis(5));
            };
            let own = DynamicType::of::<Mapped>().unwrap();
            assert_eq!(told.digest(), own.digest());
            service.stop();
        }
    });
}

#[test]
fn the_end_of_a_source_disposes_what_was_made_of_its_instances() {
    in_namespace(
        "the_end_of_a_source_disposes_what_was_made_of_its_instances",
        LOOPBACK,
        || {
            let service = Service::start(mapped(&ALL)).unwrap();
            let (writer, reader, participants) = ends::<Keyed, Mapped>(&service);
            writer.write(&keyed("a", 1)).unwrap();
            let first = take(&reader, 1);
            let [near, _far] = participants;
            near.close();
            drop(writer);
            let end = take(&reader, 1);
            assert_eq!(end[0].info.instance, first[0].info.instance);
            assert_eq!(end[0].info.instance_state, InstanceState::NotAliveDisposed);
            service.stop();
        },
    );
}

#[test]
fn what_is_wrong_with_a_map_is_said_where_it_is() {
    in_namespace(
        "what_is_wrong_with_a_map_is_said_where_it_is",
        LOOPBACK,
        || {
            for (all, expected) in [
                (
                    [("id", "nane"), ("total", "number")],
                    "did you mean \"name\"?\n  id = nane\n       ^~~~",
                ),
                (
                    [("id", "number"), ("total", "number")],
                    "uint32 does not fit string<64>\n  id = number",
                ),
            ] {
                let service = Service::start(mapped(&all)).unwrap();
                let near = participant(NEAR, Transports::UDP);
                let _writer = near.writer_with::<Keyed>("T", reliable().0).unwrap();
                let input = format!("{}/inputs/in", route_path("T"));
                let failed = wait_for(&service, &input, |node| {
                    matches!(node.state, State::Failed(_))
                });
                let State::Failed(reason) = failed.state else {
                    return;
                };
                assert!(reason.contains(expected), "{reason}");
                service.stop();
            }
        },
    );
}

/// Refuses odd numbers, panics for 1000 and more, holds 500 to 999 back.
struct Picky;

impl Transformation for Picky {
    fn apply(
        &mut self,
        sample: &mut dunlin_routing::transformation::Sample,
    ) -> std::result::Result<Written, Refusal> {
        let data: Keyless = dunlin::cdr::from_payload(&sample.payload)
            .map_err(|error| Refusal(error.to_string()))?;
        assert!(data.number < 1000);
        match (data.number % 2, data.number) {
            (1, number) => Err(Refusal(format!("{number} is odd"))),
            (_, 500..) => Ok(Written::Nothing),
            _ => Ok(Written::Sample),
        }
    }
}

#[test]
fn refusals_and_panics_cost_their_sample_and_pause_the_route_after_a_hundred() {
    in_namespace(
        "refusals_and_panics_cost_their_sample_and_pause_the_route_after_a_hundred",
        LOOPBACK,
        || {
            register("picky", |_, _| Ok(Box::new(Picky))).unwrap();
            assert!(register("picky", |_, _| Ok(Box::new(Picky))).is_err());
            assert!(register("map", |_, _| Ok(Box::new(Picky))).is_err());
            let mut route = route::<Keyless>("T", 0);
            route.outputs[0].transformation = Some(transformation("picky", &[]));
            let service = Service::start(plan(Transports::UDP, vec![route])).unwrap();
            let (writer, reader, _participants) = ends::<Keyless, Keyless>(&service);
            for number in [0, 1, 2, 1000, 500, 4] {
                writer.write(&keyless(number, 5)).unwrap();
            }
            let taken = take(&reader, 3);
            let numbers: Vec<u32> = taken.iter().map(|s| s.data().unwrap().number).collect();
            assert_eq!(numbers, [0, 2, 4]);
            let output = format!("{}/outputs/out", route_path("T"));
            let node = wait_for(&service, &output, |node| node.counters.samples == 3);
            assert_eq!((node.counters.failed, node.counters.held_back), (2, 1));
            for count in 3..=102 {
                writer.write(&keyless(1001 - count % 2 * 2, 5)).unwrap();
                wait_for(&service, &output, |node| {
                    node.counters.failed == u64::from(count)
                });
            }
            let path = route_path("T");
            wait_for(&service, &path, |node| node.state == State::Paused);
            let node = wait_for(&service, &output, |node| node.note.is_some());
            let note = node.note.unwrap();
            assert!(note.contains("a sample cannot be transformed"), "{note}");
            service.act(&path, Action::Resume).unwrap();
            wait_for(&service, &path, is_running);
            writer.write(&keyless(6, 5)).unwrap();
            assert_eq!(take(&reader, 1)[0].data().unwrap().number, 6);
            service.stop();
        },
    );
}
