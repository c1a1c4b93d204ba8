//! Whose product a participant is is told by its participant data, not by its GUID prefix: security
//! plugins compute prefixes.
mod common;

use bytes::Bytes;
use common::{Keyed, Net, Plain, SOON, reader, reliable_all, take, writer};
use dunlin::observe::{DiagnosticFact, DiagnosticRequest};
use dunlin::transport::Faults;
use dunlin::{DomainParticipant, Duration, GuidPrefix, InstanceState, ParticipantConfig, Sample};
use std::time::{Duration as Span, Instant};

/// Participants whose prefixes begin like those of DDS Security, with the first bit set.
fn participants(net: &Net) -> [DomainParticipant; 2] {
    [1, 2].map(|number| {
        net.configured(ParticipantConfig {
            guid_prefix: Some(GuidPrefix([0x81, 0x0f, 7, 7, 7, 7, 7, 7, 7, 7, 7, number])),
            ..ParticipantConfig::default()
        })
    })
}

#[test]
fn checksums_stay_and_are_insisted_upon() {
    let net = Net::new(0.0);
    let (wqos, rqos) = reliable_all();
    let [a, b] = participants(&net);
    let writer = writer::<Plain>(&a, "T", wqos);
    let reader = reader::<Plain>(&b, "T", rqos);
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    assert_eq!(writer.guid().prefix.0[0], 0x81);
    net.set_faults(Faults {
        corrupt: 0.05,
        ..Default::default()
    });
    let data = Bytes::from(vec![0x5a; 300]);
    let sample = |number| Plain {
        number,
        data: data.clone(),
    };
    // Samples that are written quickly share datagrams, so how many there are is not known.
    for _ in 0..20 {
        for number in 0..3_000 {
            writer.write(&sample(number)).unwrap();
        }
        let samples = take(&reader, 3_000);
        let values: Vec<_> = samples.iter().filter_map(Sample::data).cloned().collect();
        assert_eq!(values, (0..3_000).map(sample).collect::<Vec<_>>());
        if b.counters().damaged > 50 {
            return;
        }
    }
    panic!("{:?}", b.counters());
}

#[test]
fn what_only_our_own_understand_is_said_and_believed() {
    let net = Net::new(0.0);
    let (wqos, rqos) = reliable_all();
    let [a, b] = participants(&net);
    let reader = reader::<Keyed>(&b, "T", rqos);
    let writer = writer::<Keyed>(&a, "T", wqos);
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    let sample = Keyed {
        name: "dunlin".into(),
        number: 1,
    };
    writer.write(&sample).unwrap();
    let came = take(&reader, 1);
    // The key hash of one of our own is the instance.
    assert!(!came[0].info.foreign_key_hash);
    let question = DiagnosticRequest {
        about: writer.guid(),
        other: reader.guid(),
    };
    let until = Instant::now() + Span::from_secs(300);
    let answer = loop {
        let answers = b.ask(&[question], Duration::from_millis(200));
        if let Some(answer) = answers.first() {
            break answer.clone();
        }
        assert!(Instant::now() < until, "no answer");
    };
    assert_eq!(answer.fact(DiagnosticFact::Written), Some(1));
    // That its writer disposes what it leaves is believed of our own alone.
    drop(writer);
    let gone = take(&reader, 1);
    assert_eq!(gone[0].info.instance_state, InstanceState::NotAliveDisposed);
}
