//! Large samples pass through a service before they are whole.
mod common;

use bytes::{Bytes, BytesMut};
use common::namespace::{LOOPBACK, in_namespace};
use common::*;
use dunlin::cdr::{Xcdr, to_payload};
use dunlin::untyped::{Arriving, TypeSupport, UntypedReaderOptions, WriteOptions};
use dunlin::*;
use dunlin_routing::Service;
use dunlin_routing::plan::*;

const OUTPUT: &str = "outputs/out";

fn payload(number: u32, size: usize) -> Bytes {
    let mut out = BytesMut::new();
    to_payload(&keyless(number, size), Xcdr::V1, &mut out).unwrap();
    out.freeze()
}

fn source(at: &DomainParticipant) -> UntypedWriter {
    let ty = TypeSupport::of::<Keyless>();
    let topic = at
        .create_untyped_topic("T", &ty, TopicQos::default())
        .unwrap();
    let publisher = at.create_publisher(PublisherQos::default());
    let writer = publisher.create_untyped_datawriter(&topic, reliable().0);
    let writer = writer.unwrap();
    writer.wait_for_matched(1, SOON).unwrap();
    writer
}

fn sink(at: &DomainParticipant) -> UntypedReader {
    let ty = TypeSupport::of::<Keyless>();
    let topic = at
        .create_untyped_topic("T", &ty, TopicQos::default())
        .unwrap();
    let options = UntypedReaderOptions {
        stream: true,
        arriving: Some(1),
        ..Default::default()
    };
    let subscriber = at.create_subscriber(SubscriberQos::default());
    let reader = subscriber.create_untyped_datareader_with_options(
        &topic,
        reliable().1,
        options,
        None::<()>,
    );
    let reader = reader.unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    reader
}

/// Waits until something is seen.
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = std::time::Instant::now();
    while !is_so() {
        assert!(begun.elapsed().as_secs() < 120, "{what} never came");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// Waits until so many bytes of an incomplete sample are here, and returns them.
fn arriving(reader: &UntypedReader, least: usize) -> Vec<u8> {
    let (mut news, mut all) = (Vec::new(), Vec::new());
    wait_until("a part", || {
        reader.take_arriving(&mut news);
        for one in news.drain(..) {
            match one {
                Arriving::Begins { .. } | Arriving::Ends { .. } => all.clear(),
                Arriving::Grows { bytes, .. } => all.extend_from_slice(&bytes),
            }
        }
        all.len() >= least
    });
    all
}

fn take_payload(reader: &UntypedReader) -> Bytes {
    let mut taken = Vec::new();
    wait_until("a sample", || {
        let select = Select {
            max: 1,
            ..Select::default()
        };
        reader.take(&select, &mut taken) > 0
    });
    taken[0].payload().unwrap()
}

#[test]
fn the_first_part_passes_before_the_source_has_the_last() {
    in_namespace(
        "the_first_part_passes_before_the_source_has_the_last",
        LOOPBACK,
        || {
            let route = route::<Keyless>("T", 0);
            let service = Service::start(plan(Transports::UDP, vec![route])).unwrap();
            let (near, far) = (
                participant(NEAR, Transports::UDP),
                participant(FAR, Transports::UDP),
            );
            let (sink, source) = (sink(&far), source(&near));
            let path = route_path("T");
            wait_until_joined(&service, &path);
            let options = WriteOptions::default();
            for number in 1..=3 {
                let whole = payload(number, 1_000_000);
                let open = source.open(whole.len(), &options).unwrap().unwrap();
                open.extend(whole.slice(..600_000));
                let part = arriving(&sink, 400_000);
                assert_eq!(part, whole[..part.len()]);
                open.complete(whole.clone()).unwrap();
                assert_eq!(take_payload(&sink), whole);
            }
            // Of one that does not become whole nothing comes, and the next one passes.
            let (dropped, next) = (payload(4, 1_000_000), payload(5, 1_000_000));
            let open = source.open(dropped.len(), &options).unwrap().unwrap();
            open.extend(dropped.slice(..600_000));
            arriving(&sink, 400_000);
            drop(open);
            let end = format!("{path}/{OUTPUT}");
            wait_for(&service, &end, |node| node.counters.cut_short == 1);
            source.write(ChangeKind::Alive, &next, &options).unwrap();
            assert_eq!(take_payload(&sink), next);
            let node = wait_for(&service, &end, |node| node.counters.samples == 4);
            assert!(node.counters.cut_through >= 3, "{node:#?}");
            assert_eq!(node.counters.failed, 0);
            assert_eq!(sink.sample_lost_status().total_count, 0);
            service.stop();
        },
    );
}

/// A key, and much beside it.
#[derive(Topic, Clone, Debug, PartialEq)]
struct Picture {
    #[key]
    camera: u32,
    number: u32,
    data: Bytes,
}

#[test]
fn large_samples_of_instances_pass_before_they_are_whole() {
    in_namespace(
        "large_samples_of_instances_pass_before_they_are_whole",
        LOOPBACK,
        || {
            // They say whose they are, and keep their time.
            let mut route = route::<Picture>("T", 0);
            route.settings = RouteSettings::toml();
            let service = Service::start(plan(Transports::UDP, vec![route])).unwrap();
            let (near, far) = (
                participant(NEAR, Transports::UDP),
                participant(FAR, Transports::UDP),
            );
            let (wqos, rqos) = reliable();
            let reader = reader::<Picture>(&far, "T", rqos);
            let writer = writer::<Picture>(&near, "T", wqos);
            let path = route_path("T");
            wait_until_joined(&service, &path);
            // Of more fragments than are gathered before they are passed on.
            let picture = |number: u32| Picture {
                camera: number % 3,
                number,
                data: vec![number as u8; 8_000_000].into(),
            };
            for number in 0..6 {
                writer.write(&picture(number)).unwrap();
            }
            let mut taken = take(&reader, 6);
            taken.sort_by_key(|sample| sample.info.sequence);
            for (number, sample) in (0..).zip(&taken) {
                assert_eq!(sample.data(), Some(&picture(number)), "{number}");
                let original = sample.info.original_writer().unwrap();
                assert_eq!(original.writer, writer.guid());
            }
            let end = format!("{path}/{OUTPUT}");
            let node = wait_for(&service, &end, |node| node.counters.samples == 6);
            assert!(node.counters.cut_through > 0, "{node:#?}");
            assert_eq!(node.counters.failed, 0);
            service.stop();
        },
    );
}

#[test]
fn samples_of_all_sizes_pass_once_and_in_order() {
    in_namespace(
        "samples_of_all_sizes_pass_once_and_in_order",
        LOOPBACK,
        || {
            let route = route::<Keyless>("T", 0);
            let service = Service::start(plan(Transports::UDP, vec![route])).unwrap();
            let (near, far) = (
                participant(NEAR, Transports::UDP),
                participant(FAR, Transports::UDP),
            );
            let (wqos, rqos) = reliable();
            let reader = reader::<Keyless>(&far, "T", rqos);
            let writer = writer::<Keyless>(&near, "T", wqos);
            wait_until_joined(&service, &route_path("T"));
            let sizes = [10, 300_000, 100, 2_000_000, 70_000];
            for number in 0..100 {
                let size = sizes[number as usize % sizes.len()];
                writer.write(&keyless(number, size)).unwrap();
            }
            let taken = take(&reader, 100);
            for (number, sample) in (0..).zip(&taken) {
                let size = sizes[number as usize % sizes.len()];
                assert_eq!(sample.data(), Some(&keyless(number, size)), "{number}");
            }
            assert_eq!(reader.sample_lost_status().total_count, 0);
            service.stop();
        },
    );
}
