//! Samples by instance, ends of instances at times of the application's, and why samples are
//! rejected.
mod common;

use common::{Keyed, Net, SOON, reader, reliable_all, take, writer};
use dunlin::*;
use std::time::{Duration as Span, Instant};

fn bird(name: &str, number: u32) -> Keyed {
    let name = name.into();
    Keyed { name, number }
}

fn pair(
    change: impl Fn(&mut DataReaderQos),
) -> (DataWriter<Keyed>, DataReader<Keyed>, [DomainParticipant; 2]) {
    let net = Net::new(0.0);
    let both = [net.participant(), net.participant()];
    let (wqos, mut rqos) = reliable_all();
    change(&mut rqos);
    let writer = writer::<Keyed>(&both[0], "T", wqos);
    let reader = reader::<Keyed>(&both[1], "T", rqos);
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    (writer, reader, both)
}

#[test]
fn instances_are_gone_through_one_by_one() {
    let (writer, reader, _both) = pair(|_| {});
    for number in 0..3 {
        for name in ["dunlin", "knot", "stint"] {
            writer.write(&bird(name, number)).unwrap();
        }
    }
    writer.wait_for_acknowledgments(SOON).unwrap();
    let mut after = InstanceHandle::NIL;
    let mut seen = Vec::new();
    loop {
        let samples = reader.read_next_instance(after);
        let Some(first) = samples.first() else { break };
        assert!(first.info.instance > after);
        after = first.info.instance;
        assert_eq!(reader.read_instance(after).len(), 3);
        assert_eq!(reader.take_instance(after).len(), 3);
        let name = first.data().unwrap().name.clone();
        assert!(samples.iter().all(|s| s.data().unwrap().name == name));
        seen.push(name);
    }
    seen.sort();
    assert_eq!(seen, ["dunlin", "knot", "stint"]);
    assert!(reader.take_next_instance(InstanceHandle::NIL).is_empty());
}

#[test]
fn an_instance_ends_when_the_application_says_it_did() {
    let (writer, reader, _both) = pair(|_| {});
    let times = [Timestamp(5_000_000_000), Timestamp(6_000_000_000)];
    writer
        .write_with_timestamp(&bird("dunlin", 1), times[0])
        .unwrap();
    writer
        .dispose_with_timestamp(&bird("dunlin", 1), times[1])
        .unwrap();
    writer
        .write_with_timestamp(&bird("knot", 1), times[0])
        .unwrap();
    writer
        .unregister_instance_with_timestamp(&bird("knot", 1), times[1])
        .unwrap();
    writer.wait_for_acknowledgments(SOON).unwrap();
    let samples = take(&reader, 4);
    let ends: Vec<_> = samples.iter().filter(|s| !s.info.valid_data).collect();
    assert_eq!(ends.len(), 2);
    for end in ends {
        assert_eq!(end.info.source_timestamp, Some(times[1]));
        assert_eq!(end.info.instance_state, InstanceState::NotAliveDisposed);
    }
}

#[test]
fn a_sample_that_is_rejected_says_which_limit_it_met() {
    type Limit = fn(&mut ResourceLimits);
    let table: [(Limit, RejectionReason); 3] = [
        (|l| l.max_samples = Some(1), RejectionReason::Samples),
        (|l| l.max_instances = Some(1), RejectionReason::Instances),
        (
            |l| l.max_samples_per_instance = Some(1),
            RejectionReason::SamplesPerInstance,
        ),
    ];
    for (limit, reason) in table {
        let (writer, reader, _both) = pair(|qos| limit(&mut qos.resource_limits));
        writer.write(&bird("dunlin", 1)).unwrap();
        let second = match reason {
            RejectionReason::SamplesPerInstance => "dunlin",
            _ => "knot",
        };
        writer.write(&bird(second, 2)).unwrap();
        let begun = Instant::now();
        let status = loop {
            let status = reader.sample_rejected_status();
            if status.total_count > 0 {
                break status;
            }
            assert!(begun.elapsed() < Span::from_secs(300), "{reason:?}");
            std::thread::sleep(Span::from_millis(5));
        };
        assert_eq!(status.last_reason, Some(reason));
        let handle = writer.register_instance(&bird(second, 2)).unwrap();
        assert_eq!(status.last_instance, handle);
    }
}
