//! What happens when a node, a link or a site is away, or slow.
mod common;

use bytes::Bytes;
use common::*;
use dunlin::*;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::{sleep, spawn};
use std::time::Instant;

type Span = std::time::Duration;

const CLIENT: &str = "{ connect = [\"tcp/127.0.0.1:7447\"], mode = \"client\" }";

#[test]
#[ignore = "a process of other tests"]
fn node_process() {
    be_node();
}

#[test]
#[ignore = "a process of other tests"]
fn site_process() {
    be_site();
}

/// The node between two sites is killed under load and comes back: nothing reliable is lost, and
/// the order stays.
#[test]
fn a_node_is_killed_and_nothing_is_lost() {
    in_namespace("a_node_is_killed_and_nothing_is_lost", LOOPBACK, || {
        const COUNT: u32 = 3000;
        let mut between = Some(start_node("node_process"));
        let (_a, _b) = (site("a", 0, CLIENT), site("b", 1, CLIENT));
        let (near, far) = (participant(0), participant(1));
        let (offered, asked) = reliable();
        let (writer, reader) = (writer(&near, "T", offered), reader(&far, "T", asked));
        writer.wait_for_matched(1, SOON).unwrap();
        reader.wait_for_matched(1, SOON).unwrap();
        for number in 0..COUNT {
            writer.write(&pose("p", number)).unwrap();
            if number == COUNT / 3 {
                drop(between.take());
            }
            if number == 2 * COUNT / 3 {
                between = Some(start_node("node_process"));
            }
            sleep(Span::from_millis(1));
        }
        let got = take(&reader, COUNT as usize);
        let numbers = got.iter().map(|sample| sample.data().unwrap().number);
        assert!(numbers.eq(0..COUNT));
        drop(between);
    });
}

/// Sites are apart until they have forgotten each other. What was written meanwhile and is kept for
/// those who join late is there afterwards.
#[test]
fn after_a_long_cut_history_is_complete() {
    in_namespace("after_a_long_cut_history_is_complete", LOOPBACK, || {
        let between = start_node("node_process");
        let (a, b) = (site("a", 0, CLIENT), site("b", 1, CLIENT));
        let (near, far) = (participant(0), participant(1));
        let (offered, asked) = durable();
        let (writer, reader) = (writer(&near, "T", offered), reader(&far, "T", asked));
        writer.wait_for_matched(1, SOON).unwrap();
        reader.wait_for_matched(1, SOON).unwrap();
        let write = |round: u32| {
            for number in 0..200 {
                let name = format!("p{}", number % 100);
                writer.write(&pose(&name, round * 1000 + number)).unwrap();
            }
        };
        write(0);
        let all_of = |round: u32| {
            let mut last = BTreeMap::new();
            while last.len() < 100 || last.values().any(|number| *number < round * 1000 + 100) {
                reader.wait_for_data(SOON).unwrap();
                for sample in reader.take() {
                    if let Some(pose) = sample.data() {
                        last.insert(pose.name.clone(), pose.number);
                    }
                }
            }
        };
        all_of(0);
        drop(between);
        let is_alone = |service: &dunlin_routing::Service| {
            wait_until(service, |tree| {
                let notes = tree.walk();
                notes.iter().any(|node| {
                    let note = node.note.as_deref().unwrap_or_default();
                    note.contains("sees no other site")
                })
            });
        };
        is_alone(&a);
        is_alone(&b);
        write(1);
        let _between = start_node("node_process");
        all_of(1);
    });
}

/// No key, and large.
#[derive(Topic, Clone, Debug, PartialEq)]
struct Blob {
    number: u32,
    data: Bytes,
}

/// Passes a connection on, so slowly.
fn slow_link(port: u16, to: u16, bytes_per_second: usize) {
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    spawn(move || {
        for inbound in listener.incoming() {
            let (Ok(inbound), Ok(outbound)) = (inbound, TcpStream::connect(("127.0.0.1", to)))
            else {
                continue;
            };
            let ways = [
                (inbound.try_clone().unwrap(), outbound.try_clone().unwrap()),
                (outbound, inbound),
            ];
            for (mut from, mut into) in ways {
                spawn(move || {
                    let mut piece = vec![0; bytes_per_second / 50];
                    while let Ok(length @ 1..) = from.read(&mut piece) {
                        if into.write_all(&piece[..length]).is_err() {
                            return;
                        }
                        sleep(Span::from_millis(20));
                    }
                });
            }
        }
    });
}

/// A site behind a link of 128 kb/s does not hold up another one.
#[test]
fn a_slow_site_holds_up_nobody() {
    in_namespace("a_slow_site_holds_up_nobody", LOOPBACK, || {
        const COUNT: u32 = 2000;
        let _a = site("a", 0, "{ listen = [\"tcp/127.0.0.1:7447\"] }");
        slow_link(7448, 7447, 16_000);
        let _b = site("b", 1, "{ connect = [\"tcp/127.0.0.1:7447\"] }");
        let _c = site("c", 2, "{ connect = [\"tcp/127.0.0.1:7448\"] }");
        let (near, far, slow) = (participant(0), participant(1), participant(2));
        let (offered, asked) = reliable();
        let slow = slow.reader_with::<Blob>("T", asked.clone()).unwrap();
        let writer = near.writer_with::<Blob>("T", offered).unwrap();
        let reader = far.reader_with::<Blob>("T", asked).unwrap();
        for reader in [&slow, &reader] {
            reader.wait_for_matched(1, SOON).unwrap();
        }
        writer.wait_for_matched(1, SOON).unwrap();
        let data = Bytes::from(vec![7; 4096]);
        let begun = Instant::now();
        for number in 0..COUNT {
            let data = data.clone();
            writer.write(&Blob { number, data }).unwrap();
        }
        let mut numbers = Vec::new();
        while numbers.len() < COUNT as usize {
            reader.wait_for_data(SOON).unwrap();
            let taken = reader.take();
            numbers.extend(taken.iter().map(|sample| sample.data().unwrap().number));
        }
        assert!(numbers.into_iter().eq(0..COUNT));
        // The slow one needs eight minutes for all that.
        assert!(begun.elapsed().as_secs() < 120, "{:?}", begun.elapsed());
        assert!(slow.take().len() < COUNT as usize);
    });
}

/// The numbers that arrive, until one is `last`.
fn numbers_until(reader: &DataReader<Pose>, last: u32, into: &mut Vec<u32>) {
    while into.last() != Some(&last) {
        reader.wait_for_data(SOON).unwrap();
        let taken = reader.take();
        into.extend(taken.iter().filter_map(|s| Some(s.data()?.number)));
    }
}

/// Of two services at a site one carries. It is killed, the other one takes over, and no sample
/// comes twice, though nobody can tell by its origin.
#[test]
fn one_of_two_services_carries_and_the_other_one_takes_over() {
    let test = "one_of_two_services_carries_and_the_other_one_takes_over";
    in_namespace(test, LOOPBACK, || {
        let folder = tempfile::tempdir().unwrap();
        let service = |id: &str| {
            let file = folder.path().join(format!("{id}.json5"));
            let text =
                format!("{{ id: \"{id}\", scouting: {{ multicast: {{ enabled: false }} }} }}");
            std::fs::write(&file, text).unwrap();
            let zenoh = format!(
                "{{ connect = [\"tcp/127.0.0.1:7447\"], mode = \"client\", site = \"b\", file = {file:?} }}"
            );
            configuration_with(id, 1, &zenoh, "original_info = false")
        };
        let _node = node(7447);
        let plain = configuration_with("a", 0, CLIENT, "original_info = false");
        let _a = dunlin_routing::Service::start(plan(plain)).unwrap();
        let first = site_apart(&service("b1"));
        let (near, far) = (participant(0), participant(1));
        let (offered, asked) = reliable();
        let there = writer(&near, "There", offered.clone());
        let back = writer(&far, "Back", offered);
        let there_reader = reader(&far, "There", asked.clone());
        let back_reader = reader(&near, "Back", asked);
        let (offered, asked) = durable();
        let kept = writer(&near, "Kept", offered);
        for number in 0..50 {
            kept.write(&pose(&format!("p{number}"), number)).unwrap();
        }
        for (writer, reader) in [(&there, &there_reader), (&back, &back_reader)] {
            writer.wait_for_matched(1, SOON).unwrap();
            reader.wait_for_matched(1, SOON).unwrap();
        }
        // A route may not be ready at once, in either service.
        let (mut ways, mut number) = ([Vec::new(), Vec::new()], 0);
        let second = dunlin_routing::Service::start(plan(service("b2"))).unwrap();
        wait_until(&second, |tree| {
            tree.walk().iter().any(|node| {
                let note = node.note.as_deref().unwrap_or_default();
                note.contains("stands by") && note.contains("sees")
            })
        });
        let mut write = |count: u32| {
            for _ in 0..count {
                number += 1;
                there.write(&pose("p", number)).unwrap();
                back.write(&pose("p", number)).unwrap();
                sleep(Span::from_millis(2));
            }
            number
        };
        let last = write(500);
        numbers_until(&there_reader, last, &mut ways[0]);
        numbers_until(&back_reader, last, &mut ways[1]);
        for way in &mut ways {
            assert!(way.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{way:?}");
            way.clear();
        }
        drop(first);
        let begun = Instant::now();
        let (mut taken, mut away) = ([false; 2], [Span::ZERO; 2]);
        while taken.contains(&false) {
            assert!(begun.elapsed().as_secs() < 60, "nobody takes over");
            write(1);
            for (way, reader) in [&there_reader, &back_reader].into_iter().enumerate() {
                let got = reader.take();
                ways[way].extend(got.iter().filter_map(|s| Some(s.data()?.number)));
                if !taken[way] && !ways[way].is_empty() {
                    (taken[way], away[way]) = (true, begun.elapsed());
                }
            }
        }
        println!("taken over within {away:?}");
        let last = write(200);
        numbers_until(&there_reader, last, &mut ways[0]);
        numbers_until(&back_reader, last, &mut ways[1]);
        for way in &ways {
            assert!(way.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{way:?}");
        }
        // What is kept for those who join late is there as well.
        let late = reader(&far, "Kept", asked);
        let mut all = BTreeMap::new();
        while all.len() < 50 {
            late.wait_for_data(SOON).unwrap();
            for sample in late.take() {
                if let Some(pose) = sample.data() {
                    all.insert(pose.name.clone(), pose.number);
                }
            }
        }
    });
}
