//! Many topics at once, services that start again and again, endpoints that come and go.
mod common;

use common::namespace::{LOOPBACK, in_namespace};
use common::*;
use dunlin::*;
use dunlin_routing::Service;
use std::time::{Duration as Span, Instant};

const AUTO: &str = "/routing_services/test/domain_routes/d/sessions/s/auto_routes/all 0";

/// What readers that have come and gone may leave.
const GROWTH: i64 = 1 << 20;

/// Waits until it is so.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Span::from_secs(120), "{what}");
        std::thread::sleep(Span::from_millis(5));
    }
}

#[test]
fn two_hundred_topics_pass_at_once_and_leave_nothing() {
    let name = "two_hundred_topics_pass_at_once_and_leave_nothing";
    topics_pass_at_once(name, 200);
}

#[test]
#[ignore = "takes ten seconds"]
fn a_thousand_topics_pass_at_once_and_leave_nothing() {
    let name = "a_thousand_topics_pass_at_once_and_leave_nothing";
    topics_pass_at_once(name, 1000);
}

fn topics_pass_at_once(name: &str, topics: usize) {
    in_namespace(name, LOOPBACK, || {
        let service = Service::start(with_auto(vec![auto(0)])).unwrap();
        let near = participant(NEAR, Transports::UDP);
        let far = participant(FAR, Transports::UDP);
        let (wqos, rqos) = reliable();
        let topic = |at: usize| format!("topic {at}");
        let writers: Vec<DataWriter<Keyless>> = (0..topics)
            .map(|at| near.writer_with(&topic(at), wqos.clone()).unwrap())
            .collect();
        let readers: Vec<DataReader<Keyless>> = (0..topics)
            .map(|at| far.reader_with(&topic(at), rqos.clone()).unwrap())
            .collect();
        let begun = Instant::now();
        until("not all routes have matched both sides", || {
            let tree = service.state();
            let auto = tree.at(AUTO).unwrap();
            let ends = auto.children.iter().flat_map(|route| &route.children);
            auto.children.len() == topics && ends.clone().all(|end| end.matched == 1)
        });
        println!("{topics} routes have matched after {:?}", begun.elapsed());
        // The service knows a writer or reader before that knows the service.
        for (writer, reader) in writers.iter().zip(&readers) {
            writer.wait_for_matched(1, SOON).unwrap();
            reader.wait_for_matched(1, SOON).unwrap();
        }
        for (at, writer) in writers.iter().enumerate() {
            writer.write(&keyless(at as u32, 8)).unwrap();
        }
        for (at, reader) in readers.iter().enumerate() {
            assert_eq!(take(reader, 1)[0].data().unwrap().number, at as u32);
        }
        drop((writers, readers));
        wait_for(&service, AUTO, |auto| auto.children.is_empty());
        // Nothing of the service is left for others to see either.
        until("endpoints of the service stay", || {
            let (near, far) = (near.domain(), far.domain());
            near.readers.len() + far.writers.len() == 0
        });
        service.stop();
    });
}

#[test]
fn a_service_that_starts_again_goes_on() {
    in_namespace("a_service_that_starts_again_goes_on", LOOPBACK, || {
        let near = participant(NEAR, Transports::UDP);
        let far = participant(FAR, Transports::UDP);
        let (wqos, rqos) = reliable();
        let reader = far.reader_with::<Keyless>("T", rqos).unwrap();
        let writer = near.writer_with::<Keyless>("T", wqos).unwrap();
        for round in 0..5_u32 {
            let service = Service::start(with_auto(vec![auto(0)])).unwrap();
            let mut number = round * 1000;
            until("nothing passes", || {
                number += 1;
                writer.write(&keyless(number, 8)).unwrap();
                let samples = reader.take();
                let mut numbers = samples.iter().filter_map(|s| s.data().map(|d| d.number));
                numbers.any(|number| number > round * 1000)
            });
            // Half of them go without a word of farewell to their routes.
            match round % 2 {
                0 => service.stop(),
                _ => drop(service),
            }
            until("the service stays", || {
                writer.matched_count() + reader.matched_count() == 0
            });
        }
    });
}

#[test]
fn readers_that_come_and_go_leave_nothing() {
    readers_come_and_go("readers_that_come_and_go_leave_nothing", 50);
}

#[test]
#[ignore = "takes ten seconds"]
fn ten_thousand_readers_that_come_and_go_leave_nothing() {
    let name = "ten_thousand_readers_that_come_and_go_leave_nothing";
    readers_come_and_go(name, 10_000);
}

/// Bytes of memory that this process has.
fn memory() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = statm.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096
}

fn readers_come_and_go(name: &str, readers: u32) {
    in_namespace(name, LOOPBACK, || {
        let service = Service::start(with_auto(vec![auto(0)])).unwrap();
        let near = participant(NEAR, Transports::UDP);
        let far = participant(FAR, Transports::UDP);
        let (wqos, rqos) = reliable();
        let writer = near.writer_with::<Keyless>("T", wqos).unwrap();
        let output = format!("{AUTO}/routes/T/outputs/out");
        let mut warm = memory();
        for round in 0..readers {
            if round == readers / 5 {
                warm = memory();
            }
            let reader = far.reader_with::<Keyless>("T", rqos.clone()).unwrap();
            reader.wait_for_matched(1, SOON).unwrap();
            if round % 10 == 0 {
                writer.wait_for_matched(1, SOON).unwrap();
                // What comes before the service knows this reader is not for it, and whom the
                // service knows may still be the one before.
                until("nothing passes", || {
                    writer.write(&keyless(round, 8)).unwrap();
                    let samples = reader.take();
                    let mut numbers = samples.iter().filter_map(|s| s.data().map(|d| d.number));
                    numbers.any(|number| number == round)
                });
            }
        }
        wait_for(&service, &output, |node| node.matched == 0);
        let grown = memory() as i64 - warm as i64;
        println!("{readers} readers: {grown} bytes more than after a fifth of them");
        // The first ones fill what stays.
        assert!(readers < 10_000 || grown <= GROWTH, "{grown} bytes");
        drop(writer);
        wait_for(&service, AUTO, |auto| auto.children.is_empty());
        service.stop();
    });
}
