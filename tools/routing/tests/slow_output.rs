//! A far reader that hangs holds up its own topic alone, and that for `stall_timeout` at most.
mod common;

use common::namespace::{LOOPBACK, in_namespace};
use common::*;
use dunlin::*;
use dunlin_routing::Service;
use dunlin_routing::plan::*;
use std::time::Instant;

/// Samples that writers, readers and backlogs hold at most.
const FEW: u32 = 10;
/// What is written while the only reader hangs.
const WRITTEN: u32 = 6 * FEW;

fn few() -> ResourceLimits {
    ResourceLimits {
        max_samples: Some(FEW),
        ..Default::default()
    }
}

/// A route that holds few samples, and gives up readers beyond after this time.
fn narrow(topic: &str, stall_timeout: Duration) -> Route {
    let mut route = route::<Keyless>(topic, 0);
    route.settings.backlog.samples = FEW as usize;
    route.settings.stall_timeout = stall_timeout;
    let (mut out, mut input) = reliable();
    out.resource_limits = few();
    input.resource_limits = few();
    route.outputs[0].qos = EndpointQos::Explicit(Box::new(out));
    route.inputs[0].qos = EndpointQos::Explicit(Box::new(input));
    route
}

/// A source that blocks for so long, and a reader beyond, which both know the service.
fn ends(
    service: &Service,
    (near, far): (&DomainParticipant, &DomainParticipant),
    topic: &str,
    max_blocking_time: Duration,
) -> (DataWriter<Keyless>, DataReader<Keyless>) {
    let (mut wqos, mut rqos) = reliable();
    wqos.resource_limits = few();
    wqos.reliability.max_blocking_time = max_blocking_time;
    rqos.resource_limits = few();
    let reader = reader::<Keyless>(far, topic, rqos);
    let writer = writer::<Keyless>(near, topic, wqos);
    wait_until_joined(service, &route_path(topic));
    (writer, reader)
}

fn numbers(samples: &[Sample<Keyless>]) -> impl Iterator<Item = u32> {
    samples.iter().map(|sample| sample.data().unwrap().number)
}

#[test]
fn a_reader_that_hangs_holds_up_no_other_topic() {
    let name = "a_reader_that_hangs_holds_up_no_other_topic";
    in_namespace(name, LOOPBACK, || {
        let routes = vec![
            narrow("hangs", Duration::INFINITE),
            narrow("flows", Duration::INFINITE),
        ];
        let service = Service::start(plan(Transports::UDP, routes)).unwrap();
        let near = participant(NEAR, Transports::UDP);
        let far = participant(FAR, Transports::UDP);
        let sides = (&near, &far);
        let (stuck, hangs) = ends(&service, sides, "hangs", Duration::from_millis(100));
        let (writer, reader) = ends(&service, sides, "flows", SOON);
        let output = format!("{}/outputs/out", route_path("hangs"));
        let backlog = || service.state().at(&output).unwrap().counters.backlog;
        let mut written = 0;
        // A source that blocks before the output is full was only faster than the service.
        let mut is_blocked = false;
        while !is_blocked || backlog() < u64::from(FEW) {
            is_blocked = stuck.write(&keyless(written, 20)).is_err();
            written += u32::from(!is_blocked);
            assert!(written < 1_000, "nothing holds up the source");
        }
        for number in 0..500 {
            writer.write(&keyless(number, 20)).unwrap();
            assert!(numbers(&take(&reader, 1)).eq([number]));
        }
        // The other one waits still, and loses nothing.
        assert_eq!(backlog(), u64::from(FEW));
        let samples = take(&hangs, written as usize);
        assert!(numbers(&samples).eq(0..written));
        service.stop();
    });
}

#[test]
fn a_topic_goes_on_without_its_only_reader_and_the_reader_when_it_takes_again() {
    let name = "a_topic_goes_on_without_its_only_reader_and_the_reader_when_it_takes_again";
    in_namespace(name, LOOPBACK, || {
        let routes = vec![narrow("T", Duration::from_millis(300))];
        let service = Service::start(plan(Transports::UDP, routes)).unwrap();
        let near = participant(NEAR, Transports::UDP);
        let far = participant(FAR, Transports::UDP);
        let (writer, reader) = ends(&service, (&near, &far), "T", SOON);
        // More than writers, readers and the backlog hold together.
        for number in 0..WRITTEN {
            writer.write(&keyless(number, 20)).unwrap();
        }
        let output = format!("{}/outputs/out", route_path("T"));
        wait_for(&service, &output, |node| {
            node.counters.given_up > 0 && node.counters.backlog == 0
        });
        assert!(numbers(&take(&reader, FEW as usize)).eq(0..FEW));
        let mut came = Vec::new();
        for number in WRITTEN.. {
            writer.write(&keyless(number, 20)).unwrap();
            came.extend(numbers(&reader.take()).filter(|number| *number >= WRITTEN));
            if came.len() >= 10 {
                break;
            }
            assert!(number < 100_000, "nothing comes any more");
        }
        // Without a gap from where it goes on.
        assert!(came.windows(2).all(|two| two[1] == two[0] + 1), "{came:?}");
        service.stop();
    });
}

#[test]
fn a_source_feels_a_reader_that_hangs_whatever_the_limits_of_both_are() {
    let name = "a_source_feels_a_reader_that_hangs_whatever_the_limits_of_both_are";
    in_namespace(name, LOOPBACK, || {
        let mut all = auto(0);
        all.settings.stall_timeout = Duration::INFINITE;
        let _service = Service::start(with_auto(vec![all])).unwrap();
        let near = participant(NEAR, Transports::UDP);
        let far = participant(FAR, Transports::UDP);
        let (mut wqos, mut rqos) = reliable();
        wqos.resource_limits = few();
        wqos.reliability.max_blocking_time = Duration::from_millis(500);
        rqos.resource_limits = few();
        let reader = far.reader_with::<Keyless>("T", rqos).unwrap();
        let writer = near.writer_with::<Keyless>("T", wqos).unwrap();
        reader.wait_for_matched(1, SOON).unwrap();
        writer.wait_for_matched(1, SOON).unwrap();
        let mut written = 0;
        while writer.write(&keyless(written, 20)).is_ok() {
            written += 1;
            assert!(written < 30_000, "nothing holds up the source");
        }
        // Whatever has found no room in the reader comes when that has room again.
        let samples = take(&reader, 5 * FEW as usize);
        assert!(numbers(&samples).eq(0..samples.len() as u32));
    });
}

#[test]
fn a_reader_that_goes_on_hanging_is_waited_for_once() {
    let name = "a_reader_that_goes_on_hanging_is_waited_for_once";
    in_namespace(name, LOOPBACK, || {
        let routes = vec![narrow("T", Duration::from_millis(1_000))];
        let service = Service::start(plan(Transports::UDP, routes)).unwrap();
        let near = participant(NEAR, Transports::UDP);
        let far = participant(FAR, Transports::UDP);
        let (writer, hangs) = ends(&service, (&near, &far), "T", SOON);
        let (_, mut rqos) = reliable();
        rqos.resource_limits = few();
        let other = reader::<Keyless>(&far, "T", rqos);
        wait_for(
            &service,
            &format!("{}/outputs/out", route_path("T")),
            |node| node.matched == 2,
        );
        let mut came = 0;
        let mut write = |numbers: std::ops::Range<u32>| {
            let begun = Instant::now();
            for number in numbers {
                writer.write(&keyless(number, 20)).unwrap();
                came += other.take().len();
            }
            begun.elapsed()
        };
        // It is given up once it has held up the route for a second.
        write(0..WRITTEN);
        // Each time that the output is full again would take a second more.
        let time = write(WRITTEN..11 * WRITTEN);
        assert!(time.as_secs() < 8, "{time:?}");
        assert_eq!(hangs.take().len(), FEW as usize);
        service.stop();
    });
}
