//! Writers prove that they live, or do not (RTPS 2.5 8.4.13).
use crate::network::{MS, Network, SECOND};
use dunlin_qos::{Duration, Liveliness, LivelinessKind};
use dunlin_rtps::discovery::Event;
use dunlin_wire::Guid;

fn network(kind: LivelinessKind) -> (Network, Guid, Guid) {
    let mut network = Network::of(2);
    let writer = network.writer(0, |w| {
        w.qos.liveliness = Liveliness {
            kind,
            lease_duration: Duration::from_millis(300),
        };
    });
    let reader = network.reader(1, |_| {});
    network.run(100 * MS);
    assert_eq!(network.nodes[1].matched(reader), [writer]);
    (network, writer, reader)
}

/// What the reader was told of the writer's liveliness since the last call.
fn changes(network: &mut Network) -> Vec<bool> {
    let events = network.nodes[1].news().into_iter();
    events
        .filter_map(|e| match e {
            Event::LivelinessChanged { alive, .. } => Some(alive),
            _ => None,
        })
        .collect()
}

#[test]
fn an_automatic_writer_lives_as_long_as_its_participant() {
    let (mut network, ..) = network(LivelinessKind::Automatic);
    network.run(5 * SECOND);
    assert_eq!(changes(&mut network), []);
    network.kill(0);
    network.run(SECOND);
    assert_eq!(changes(&mut network), [false]);
}

#[test]
fn an_automatic_writer_survives_loss_of_some_assertions() {
    let (mut network, ..) = network(LivelinessKind::Automatic);
    network.nodes[0].cut_off = true;
    network.run(150 * MS);
    network.nodes[0].cut_off = false;
    network.run(SECOND);
    assert_eq!(changes(&mut network), []);
    network.nodes[0].cut_off = true;
    network.run(SECOND);
    network.nodes[0].cut_off = false;
    network.run(SECOND);
    assert_eq!(changes(&mut network), [false, true]);
}

#[test]
fn a_manual_writer_lives_as_long_as_its_participant_is_asserted() {
    let (mut network, writer, _) = network(LivelinessKind::ManualByParticipant);
    for _ in 0..40 {
        network.act(0, |d, now, out, events| {
            d.assert_participant(now, out, events);
        });
        network.run(50 * MS);
    }
    assert_eq!(changes(&mut network), []);
    assert!(
        !network.nodes[0]
            .events
            .contains(&Event::LivelinessLost { writer })
    );
    network.run(SECOND);
    assert_eq!(changes(&mut network), [false]);
    assert!(
        network.nodes[0]
            .events
            .contains(&Event::LivelinessLost { writer })
    );
    network.act(0, |d, now, out, events| {
        d.assert_writer(now, writer, out, events);
    });
    network.run(100 * MS);
    assert_eq!(changes(&mut network), [true]);
}

#[test]
fn a_writer_that_asserts_itself_is_heard_by_its_samples() {
    let (mut network, writer, _) = network(LivelinessKind::ManualByTopic);
    for _ in 0..10 {
        network.act(1, |d, now, out, events| {
            d.assert_writer(now, writer, out, events);
        });
        network.run(200 * MS);
    }
    assert_eq!(changes(&mut network), []);
    network.act(0, |d, now, out, events| {
        d.assert_participant(now, out, events);
    });
    network.run(SECOND);
    assert_eq!(
        changes(&mut network),
        [false],
        "the participant does not speak for it"
    );
}

#[test]
fn a_new_reader_is_told_that_the_writer_is_silent() {
    let (mut network, writer, _) = network(LivelinessKind::ManualByTopic);
    network.run(SECOND);
    network.nodes[1].news();
    let reader = network.reader(1, |_| {});
    assert!(network.nodes[1].events.contains(&Event::LivelinessChanged {
        reader,
        writer,
        alive: false
    }));
}
