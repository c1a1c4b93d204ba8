//! Sites that are joined: what passes, in which order, and what happens when a part is away.
mod common;

use common::*;
use dunlin::*;
use dunlin_routing::config::{Options, builtin, load};
use std::time::Instant;
use zenoh::Wait;

/// Two sites of which one listens: what is written here is read there, and the other way round.
#[test]
fn two_sites_are_joined() {
    in_namespace("two_sites_are_joined", LOOPBACK, || {
        let a = site("a", 0, "{ listen = [\"tcp/127.0.0.1:7447\"] }");
        let b = site("b", 1, "{ connect = [\"tcp/127.0.0.1:7447\"] }");
        let (near, far) = (participant(0), participant(1));
        let (offered, asked) = reliable();
        for (from, to, topic) in [(&near, &far, "There"), (&far, &near, "Back")] {
            let writer = writer(from, topic, offered.clone());
            let reader = reader(to, topic, asked.clone());
            writer.wait_for_matched(1, SOON).unwrap();
            reader.wait_for_matched(1, SOON).unwrap();
            for number in 0..500 {
                writer.write(&pose("p", number)).unwrap();
            }
            let got = take(&reader, 500);
            let numbers: Vec<u32> = got
                .iter()
                .map(|sample| sample.data().unwrap().number)
                .collect();
            assert_eq!(numbers, (0..500).collect::<Vec<_>>(), "{topic}");
            let first = got.first().unwrap().info;
            assert_eq!(first.original_writer().unwrap().writer, writer.guid());
        }
        let notes = |tree: &dunlin_routing::state::Node| {
            let all = tree.walk();
            all.iter()
                .filter_map(|node| node.note.clone())
                .collect::<Vec<_>>()
                .join("\n")
        };
        assert!(
            notes(&a.state()).contains("sees site"),
            "{}",
            notes(&a.state())
        );
        assert!(
            notes(&b.state()).contains("sees site"),
            "{}",
            notes(&b.state())
        );
    });
}

/// The node between two sites is a service itself.
#[test]
fn a_service_in_router_mode_is_a_node() {
    in_namespace("a_service_in_router_mode_is_a_node", LOOPBACK, || {
        let client = "{ connect = [\"tcp/127.0.0.1:7447\"], mode = \"client\" }";
        let listen = "{ listen = [\"tcp/127.0.0.1:7447\"], mode = \"router\" }";
        let _node = site("node", 2, listen);
        let (_a, _b) = (site("a", 0, client), site("b", 1, client));
        let (near, far, between) = (participant(0), participant(1), participant(2));
        let (offered, asked) = reliable();
        let writer = writer(&near, "T", offered);
        let readers = [&far, &between].map(|site| reader(site, "T", asked.clone()));
        writer.wait_for_matched(1, SOON).unwrap();
        for reader in &readers {
            reader.wait_for_matched(1, SOON).unwrap();
        }
        for number in 0..100 {
            writer.write(&pose("p", number)).unwrap();
        }
        for reader in &readers {
            let last = take(reader, 1).last().unwrap().data().unwrap().number;
            let rest = take(reader, 99 - last as usize);
            let number = rest.last().map_or(last, |s| s.data().unwrap().number);
            assert_eq!(number, 99);
        }
    });
}

/// Two sites are joined by what is built in, each by one command.
#[test]
fn what_is_built_in_joins_two_sites() {
    in_namespace("what_is_built_in_joins_two_sites", LOOPBACK, || {
        let start = |variables: &[(&str, &str)]| {
            let _ = dunlin_routing_zenoh::register();
            let mut options = Options {
                service: Some(builtin::ZENOH.to_owned()),
                ..Options::default()
            };
            for (name, value) in variables {
                options.variables.give(*name, *value);
            }
            let read = load(&[], &options);
            assert_eq!(read.report(), "");
            dunlin_routing::Service::start(read.plan.unwrap()).unwrap()
        };
        let _a = start(&[("ZENOH_LISTEN", "tcp/127.0.0.1:7447")]);
        let _b = start(&[
            ("ZENOH_CONNECT", "tcp/127.0.0.1:7447"),
            ("DOMAIN_A", "1"),
            ("ZENOH_SITE", "b"),
        ]);
        let (near, far) = (participant(0), participant(1));
        let (offered, asked) = durable();
        let (writer, reader) = (writer(&near, "T", offered), reader(&far, "T", asked));
        writer.write(&pose("p", 7)).unwrap();
        assert_eq!(take(&reader, 1)[0].data().unwrap().number, 7);
    });
}

/// What one site disposes is disposed at the other, and a source that ends unregisters.
#[test]
fn dispose_and_unregister_cross() {
    in_namespace("dispose_and_unregister_cross", LOOPBACK, || {
        let _a = site("a", 0, "{ listen = [\"tcp/127.0.0.1:7447\"] }");
        let _b = site("b", 1, "{ connect = [\"tcp/127.0.0.1:7447\"] }");
        let (near, far) = (participant(0), participant(1));
        let (mut offered, asked) = durable();
        // Else the end of the source disposes.
        offered
            .writer_data_lifecycle
            .autodispose_unregistered_instances = false;
        let (writer, reader) = (writer(&near, "T", offered), reader(&far, "T", asked));
        writer.wait_for_matched(1, SOON).unwrap();
        reader.wait_for_matched(1, SOON).unwrap();
        writer.write(&pose("gone", 1)).unwrap();
        writer.write(&pose("stays", 2)).unwrap();
        take(&reader, 2);
        writer.dispose(&pose("gone", 1)).unwrap();
        let got = take(&reader, 1);
        let last = got.last().unwrap().info;
        assert_eq!(last.instance_state, InstanceState::NotAliveDisposed);
        drop(writer);
        near.close();
        let got = take(&reader, 1);
        let last = got.last().unwrap().info;
        assert_eq!(last.instance_state, InstanceState::NotAliveNoWriters);
    });
}

/// A site that joins late gets the last sample of each of 10,000 instances.
#[test]
fn late_joiners_get_all_instances() {
    in_namespace("late_joiners_get_all_instances", LOOPBACK, || {
        const COUNT: u32 = 10_000;
        let a = site("a", 0, "{ listen = [\"tcp/127.0.0.1:7447\"] }");
        let near = participant(0);
        let (offered, asked) = durable();
        let writer = writer(&near, "T", offered);
        writer.wait_for_matched(1, SOON).unwrap();
        for number in 0..COUNT {
            writer.write(&pose(&format!("p{number}"), 0)).unwrap();
            writer.write(&pose(&format!("p{number}"), number)).unwrap();
        }
        writer.wait_for_acknowledgments(SOON).unwrap();
        wait_until(&a, |tree| {
            let all = tree.walk();
            all.iter()
                .any(|node| node.counters.samples >= u64::from(2 * COUNT))
        });
        let _b = site("b", 1, "{ connect = [\"tcp/127.0.0.1:7447\"] }");
        let far = participant(1);
        let reader = reader(&far, "T", asked);
        let mut last = std::collections::BTreeMap::new();
        let begun = Instant::now();
        while last.len() < COUNT as usize || last.values().sum::<u32>() < COUNT * (COUNT - 1) / 2 {
            reader.wait_for_data(SOON).unwrap();
            for sample in reader.take() {
                let pose = sample.data().unwrap();
                last.insert(pose.name.clone(), pose.number);
            }
            assert!(begun.elapsed().as_secs() < 60, "{}", last.len());
        }
        assert!(
            last.iter()
                .all(|(name, number)| *name == format!("p{number}"))
        );
    });
}

/// Who has another layout of keys is told of in a line, and goes again.
#[test]
fn a_site_of_another_version_is_told_of() {
    in_namespace("a_site_of_another_version_is_told_of", LOOPBACK, || {
        let between = node(7447);
        let a = site("a", 0, "{ connect = [\"tcp/127.0.0.1:7447\"] }");
        let note = |says: &str| {
            let is_said = |tree: &dunlin_routing::state::Node| {
                let all = tree.walk();
                all.iter()
                    .any(|node| node.note.as_deref().is_some_and(|note| note.contains(says)))
            };
            wait_until(&a, is_said)
        };
        let key = "@dunlin/7/dunlin/here/a1b2";
        let token = between.liveliness().declare_token(key).wait().unwrap();
        note("sees no other site; site a1b2 runs another version, with layout 7 of keys");
        drop(token);
        wait_until(&a, |tree| {
            let all = tree.walk();
            !all.iter()
                .any(|node| node.note.as_deref().is_some_and(|n| n.contains("layout")))
        });
    });
}

/// A program of zenoh's that knows nothing of us reads our data, and makes a source be read.
#[test]
fn a_plain_zenoh_program_reads_our_data() {
    in_namespace("a_plain_zenoh_program_reads_our_data", LOOPBACK, || {
        let _node = node(7447);
        let client = "{ connect = [\"tcp/127.0.0.1:7447\"], mode = \"client\", scope = \"yard\" }";
        let _a = site("a", 0, client);
        let near = participant(0);
        let writer = writer(&near, "rt/pose", reliable().0);
        let mut config = zenoh::Config::default();
        for (key, value) in [
            ("mode", "\"client\""),
            ("connect/endpoints", "[\"tcp/127.0.0.1:7447\"]"),
            ("scouting/multicast/enabled", "false"),
        ] {
            config.insert_json5(key, value).unwrap();
        }
        let plain = zenoh::open(config).wait().unwrap();
        let heard = plain.declare_subscriber("yard/**").wait().unwrap();
        writer.wait_for_matched(1, SOON).unwrap();
        writer.write(&pose("p", 7)).unwrap();
        let sample = heard
            .recv_timeout(std::time::Duration::from_secs(60))
            .unwrap()
            .unwrap();
        assert_eq!(sample.key_expr().as_str(), "yard/rt/pose");
        let payload = sample.payload().to_bytes();
        // Encapsulation, a string of two octets, a number.
        assert_eq!(&payload[..4], [0, 1, 0, 0]);
        assert_eq!(&payload[4..], [2, 0, 0, 0, b'p', 0, 0, 0, 7, 0, 0, 0]);
        // Which sites there are, and what each has.
        let soon = std::time::Duration::from_secs(60);
        let all = "@dunlin/2/yard/here/*/*";
        let begun = std::time::Instant::now();
        // A site is heard of a little later than its first sample.
        let token = loop {
            let tokens = plain.liveliness().get(all).wait().unwrap();
            if let Ok(Some(token)) = tokens.recv_timeout(soon) {
                break token;
            }
            assert!(begun.elapsed() < soon, "there is no token");
            std::thread::sleep(std::time::Duration::from_millis(10));
        };
        let token = token.result().unwrap().key_expr().to_string();
        let site = token.split('/').nth(4).unwrap();
        let answers = plain
            .get(format!("@dunlin/2/yard/topics/{site}"))
            .wait()
            .unwrap();
        let answer = answers.recv_timeout(soon).unwrap().unwrap();
        let payload = answer.result().unwrap().payload().to_bytes();
        assert_eq!(std::str::from_utf8(&payload).unwrap(), "offer rt/pose\n");
    });
}
