//! What late joiners get, as an application sees it: HISTORY decides with TRANSIENT_LOCAL,
//! DURABILITY_SERVICE with TRANSIENT and PERSISTENT. The rules one by one are tested with a virtual
//! clock (`crates/rtps/tests/durability.rs`).
mod common;

use common::{Keyed, Net, SOON, reader, reliable_all, take, writer};
use dunlin::*;
use std::time::{Duration as Span, Instant};

fn bird(name: &str, number: u32) -> Keyed {
    let name = name.into();
    Keyed { name, number }
}

/// A writer that keeps all for readers that it has, and two samples of each instance otherwise.
fn qos(durability: Durability) -> (DataWriterQos, DataReaderQos) {
    let (mut wqos, mut rqos) = reliable_all();
    (wqos.durability, rqos.durability) = (durability, durability);
    wqos.durability_service.history = History::KeepLast(2);
    (wqos, rqos)
}

/// Participants in different processes, as far as they know, and in one.
fn pairs() -> [(Net, DomainParticipant, DomainParticipant); 2] {
    [false, true].map(|local| {
        let net = Net::new(0.0);
        let [a, b] = [(), ()].map(|()| {
            if !local {
                return net.participant();
            }
            net.within(ParticipantConfig::default())
        });
        (net, a, b)
    })
}

/// The samples of the history that a reader gets which joins now.
fn history(of: &DomainParticipant, qos: DataReaderQos) -> Vec<(String, u32)> {
    let reader = reader::<Keyed>(of, "T", qos);
    reader.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_historical_data(SOON).unwrap();
    let samples = reader.take();
    let valid = samples.iter().filter_map(|sample| sample.data());
    valid.map(|bird| (bird.name.clone(), bird.number)).collect()
}

#[test]
fn late_joiners_of_a_transient_writer_get_what_its_service_keeps() {
    for durability in [Durability::Transient, Durability::Persistent] {
        for (_net, a, b) in pairs() {
            let (wqos, rqos) = qos(durability);
            let writer = writer::<Keyed>(&a, "T", wqos);
            let early = reader::<Keyed>(&b, "T", rqos.clone());
            writer.wait_for_matched(1, SOON).unwrap();
            for number in 0..50 {
                writer.write(&bird("dunlin", number)).unwrap();
                writer.write(&bird("knot", number)).unwrap();
            }
            writer.wait_for_acknowledgments(SOON).unwrap();
            assert_eq!(take(&early, 100).len(), 100);
            let late = history(&b, rqos);
            let of = |name: &str| {
                let of = late.iter().filter(|(n, _)| n == name);
                of.map(|(_, number)| *number).collect::<Vec<_>>()
            };
            assert_eq!((of("dunlin"), of("knot")), (vec![48, 49], vec![48, 49]));
        }
    }
}

#[test]
fn late_joiners_of_a_transient_local_writer_get_what_its_history_keeps() {
    let net = Net::new(0.0);
    let (a, b) = (net.participant(), net.participant());
    let (wqos, rqos) = qos(Durability::TransientLocal);
    let writer = writer::<Keyed>(&a, "T", wqos);
    for number in 0..50 {
        writer.write(&bird("dunlin", number)).unwrap();
    }
    assert_eq!(history(&b, rqos).len(), 50);
}

#[test]
fn an_instance_that_is_gone_is_told_to_late_joiners_until_the_delay_is_over() {
    for (delay, stays) in [
        (Duration::INFINITE, true),
        (Duration::from_millis(50), false),
        (Duration::ZERO, false),
    ] {
        let net = Net::new(0.0);
        let (a, b) = (net.participant(), net.participant());
        let (mut wqos, rqos) = qos(Durability::Transient);
        wqos.durability_service.service_cleanup_delay = delay;
        let writer = writer::<Keyed>(&a, "T", wqos);
        writer.write(&bird("dunlin", 1)).unwrap();
        writer.write(&bird("knot", 2)).unwrap();
        writer.unregister_instance(&bird("dunlin", 1)).unwrap();
        let both = vec![("dunlin".to_owned(), 1), ("knot".to_owned(), 2)];
        let one = vec![("knot".to_owned(), 2)];
        let expected = if stays { &both } else { &one };
        let start = Instant::now();
        while history(&b, rqos.clone()) != *expected {
            assert!(start.elapsed() < Span::from_secs(300), "{delay:?}");
        }
    }
}
