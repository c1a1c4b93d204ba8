//! Hostile and broken participants stay within their bounds.
use crate::network::{MS, Network, SECOND, locator, prefix};
use bytes::BytesMut;
use dunlin_rtps::discovery::{Event, LossReason};
use dunlin_wire::{
    Data, EntityId, EntityKind, Guid, Header, Heartbeat, InlineQos, Locator, Parameters,
    ParticipantData, Payload, SequenceNumber, Submessage, WriterData, participant_key,
};

/// A datagram of participant `from` with one DATA of a built-in writer.
pub(crate) fn datagram(
    from: usize,
    writer: EntityId,
    sequence: i64,
    inline: &[u8],
    payload: Payload<'_>,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    Header::new(prefix(from)).encode(&mut bytes);
    let data = Data {
        reader: EntityId::UNKNOWN,
        writer,
        sequence: SequenceNumber(sequence),
        inline_qos: Parameters::little_endian(inline),
        payload,
    };
    Submessage::Data(data).encode(&mut bytes);
    bytes
}

fn announcement(index: usize) -> Vec<u8> {
    let payload = ParticipantData::new(prefix(index)).encode().unwrap();
    datagram(
        index,
        EntityId::SPDP_WRITER,
        1,
        &[],
        Payload::Data(&payload),
    )
}

#[test]
fn participants_that_never_answer_make_room_for_others() {
    let mut network = Network::new();
    network.join(|c| c.limits.participants = 10);
    network.join(|_| {});
    network.run(SECOND);
    for index in 100..1100 {
        network.inject(1, 0, announcement(index));
    }
    assert_eq!(network.nodes[0].discovery.participants().count(), 10);
    let lost = Event::ParticipantLost {
        prefix: prefix(1),
        reason: LossReason::Displaced,
    };
    assert!(!network.nodes[0].events.contains(&lost), "a real one stays");
    network.join(|_| {});
    network.run(SECOND);
    let known = network.nodes[0].discovery.participants();
    assert!(known.map(|p| p.guid.prefix).any(|p| p == prefix(2)));
}

#[test]
fn a_participant_that_never_answers_does_not_stay_for_ever() {
    let mut network = Network::of(1);
    let mut ghost = ParticipantData::new(prefix(100));
    ghost.lease_duration = dunlin_qos::Duration::INFINITE;
    let payload = ghost.encode().unwrap();
    let spdp = EntityId::SPDP_WRITER;
    network.join(|_| {});
    network.inject(1, 0, datagram(100, spdp, 1, &[], Payload::Data(&payload)));
    let before = network.datagrams;
    network.run(59 * SECOND);
    let said = network.datagrams - before;
    assert!(said < 100, "{said} datagrams beside announcements");
    assert_eq!(network.nodes[0].discovery.participants().count(), 2);
    network.run(2 * SECOND);
    assert_eq!(network.nodes[0].discovery.participants().count(), 1);
}

#[test]
fn real_participants_are_not_displaced() {
    let mut network = Network::new();
    network.join(|c| c.limits.participants = 2);
    (1..4).for_each(|_| {
        network.join(|_| {});
    });
    network.run(SECOND);
    assert_eq!(network.nodes[0].discovery.participants().count(), 2);
    let lost = |e: &Event| matches!(e, Event::ParticipantLost { .. });
    network.nodes[0].news();
    network.run(20 * SECOND);
    assert!(!network.nodes[0].events.iter().any(lost));
    assert!(network.nodes[0].discovery.heard().no_room > 0);
}

#[test]
fn a_participant_with_too_many_endpoints_is_heard_no_more() {
    let mut network = Network::new();
    network.join(|c| c.limits.endpoints_per_participant = 20);
    network.join(|_| {});
    for i in 0..30 {
        network.writer(1, |w| w.topic = format!("topic {i}"));
    }
    network.join(|_| {});
    let good = network.writer(2, |_| {});
    network.run(SECOND);
    let writers = network.nodes[0].discovery.writers();
    let writers: Vec<_> = writers.map(|w| w.guid).collect();
    assert_eq!(writers.len(), 21);
    assert!(writers.contains(&good), "others are heard");
    let refused = Event::TooManyEndpoints { prefix: prefix(1) };
    let reports = network.nodes[0].events.iter().filter(|e| **e == refused);
    assert_eq!(reports.count(), 1);
    network.act(1, |d, now, out, _| d.goodbye(now, out));
    network.kill(1);
    network.run(SECOND);
    assert_eq!(network.nodes[0].discovery.writers().count(), 1);
}

#[test]
fn nobody_speaks_for_another_participant() {
    let mut network = Network::of(3);
    network.writer(1, |_| {});
    network.run(SECOND);
    let victim = Guid::new(prefix(1), EntityId::PARTICIPANT);
    let key = participant_key(victim);
    let mut inline = BytesMut::new();
    InlineQos {
        key_hash: Some(victim.to_bytes()),
        status_info: Some(3),
        ..InlineQos::default()
    }
    .encode(&mut inline);
    let spdp = EntityId::SPDP_WRITER;
    network.inject(2, 0, datagram(2, spdp, 9, &inline, Payload::Key(&key)));
    network.inject(2, 0, datagram(2, spdp, 9, &inline, Payload::None));
    let other = ParticipantData::new(prefix(1)).encode().unwrap();
    network.inject(2, 0, datagram(2, spdp, 9, &[], Payload::Data(&other)));

    let foreign = Guid::new(prefix(1), EntityId::user(99, EntityKind::WriterNoKey));
    let writer = WriterData::new(foreign, "Square", "Shape")
        .encode()
        .unwrap();
    let sedp = EntityId::SEDP_PUBLICATIONS_WRITER;
    for sequence in 1..5 {
        network.inject(
            2,
            0,
            datagram(2, sedp, sequence, &[], Payload::Data(&writer)),
        );
    }
    network.run(SECOND);
    assert_eq!(network.nodes[0].discovery.participants().count(), 2);
    assert_eq!(network.nodes[0].discovery.writers().count(), 1);
    assert_eq!(network.nodes[0].discovery.heard().malformed, 3 + 4);
}

#[test]
fn an_announcement_that_a_goodbye_overtook_does_not_bring_a_participant_back() {
    let mut network = Network::of(2);
    network.run(SECOND);
    network.act(1, |d, now, out, _| d.goodbye(now, out));
    network.kill(1);
    network.run(MS);
    network.inject(1, 0, announcement(1));
    assert_eq!(network.nodes[0].discovery.participants().count(), 0);
}

#[test]
fn bytes_that_make_no_sense_are_counted_and_change_nothing() {
    let mut network = Network::of(2);
    network.writer(1, |_| {});
    network.run(SECOND);
    let spdp = EntityId::SPDP_WRITER;
    for garbage in [
        &[][..],
        &[0, 3],
        &[0, 3, 0, 0],
        &[0, 3, 0, 0, 0x50, 0, 0xff, 0xff],
    ] {
        network.inject(1, 0, datagram(1, spdp, 1, &[], Payload::Data(garbage)));
        network.inject(1, 0, datagram(1, spdp, 1, &[], Payload::Key(garbage)));
    }
    let sedp = EntityId::SEDP_PUBLICATIONS_WRITER;
    let mut inline = BytesMut::new();
    InlineQos {
        key_hash: Some(Guid::new(prefix(1), EntityId::user(5, EntityKind::WriterNoKey)).to_bytes()),
        status_info: None,
        ..InlineQos::default()
    }
    .encode(&mut inline);
    for sequence in 2..20 {
        network.inject(
            1,
            0,
            datagram(1, sedp, sequence, &inline, Payload::Data(&[0, 3, 0])),
        );
    }
    network.run(SECOND);
    assert_eq!(network.nodes[0].discovery.writers().count(), 1);
    assert_eq!(network.nodes[0].discovery.heard().malformed, 8 + 18);
}

/// Somebody's address, given as the participant's own.
pub(crate) fn spoofed(index: usize, victim: usize) -> Vec<u8> {
    let mut data = ParticipantData::new(prefix(index));
    data.metatraffic_unicast = vec![locator(victim)];
    data.default_unicast = vec![locator(victim)];
    let payload = data.encode().unwrap();
    let spdp = EntityId::SPDP_WRITER;
    datagram(index, spdp, 1, &[], Payload::Data(&payload))
}

#[test]
fn a_stranger_is_sent_at_most_three_times_what_came_in_its_name() {
    let mut network = Network::of(2);
    for i in 0..100 {
        network.writer(0, |w| w.topic = format!("topic {i}"));
    }
    network.run(SECOND);
    let (ghost, victim) = (100, 50);
    for repeated in 1..20 {
        let spoofed = spoofed(ghost, victim);
        network.inject(1, 0, spoofed.clone());
        network.run(20 * SECOND);
        let sent = network.sent_to(locator(victim));
        assert!(
            sent > 0 && sent <= 3 * repeated * spoofed.len(),
            "{sent} bytes drawn by {repeated} times {}",
            spoofed.len()
        );
    }
}

#[test]
fn endpoints_of_a_stranger_are_not_believed() {
    let mut network = Network::of(2);
    let writer = network.writer(0, |_| {});
    network.run(SECOND);
    network.inject(1, 0, spoofed(100, 50));
    let guid = Guid::new(prefix(100), EntityId::user(1, EntityKind::ReaderNoKey));
    let reader = dunlin_wire::ReaderData::new(guid, "Square", "Shape");
    let payload = reader.encode().unwrap();
    let sedp = EntityId::SEDP_SUBSCRIPTIONS_WRITER;
    network.inject(1, 0, datagram(100, sedp, 1, &[], Payload::Data(&payload)));
    network.run(SECOND);
    assert!(network.nodes[0].matched(writer).is_empty());
    assert!(network.nodes[0].discovery.heard().misplaced > 0);
}

pub(crate) fn farewell(index: usize) -> Vec<u8> {
    let gone = Guid::new(prefix(index), EntityId::PARTICIPANT);
    let mut inline = BytesMut::new();
    InlineQos {
        key_hash: Some(gone.to_bytes()),
        status_info: Some(3),
        ..InlineQos::default()
    }
    .encode(&mut inline);
    let key = participant_key(gone);
    datagram(index, EntityId::SPDP_WRITER, 9, &inline, Payload::Key(&key))
}

#[test]
fn a_goodbye_from_elsewhere_counts_only_if_silence_follows() {
    let mut network = Network::of(3);
    let writer = network.writer(0, |_| {});
    let reader = network.reader(1, |_| {});
    network.run(SECOND);
    network.inject(2, 0, farewell(1));
    network.run(5 * SECOND);
    assert_eq!(network.nodes[0].matched(writer), [reader], "it lives");
    network.kill(1);
    network.inject(2, 0, farewell(1));
    network.run(4 * SECOND - 10 * MS);
    assert_eq!(network.nodes[0].matched(writer), [reader]);
    network.run(200 * MS);
    assert!(network.nodes[0].matched(writer).is_empty(), "it is silent");
}

#[test]
fn new_locators_are_believed_only_from_the_participants_own_socket() {
    let mut network = Network::of(3);
    network.run(SECOND);
    network.inject(2, 0, spoofed(1, 50));
    assert_eq!(
        network.nodes[0].discovery.metatraffic_locators(prefix(1)).0,
        [locator(1)]
    );
    network.inject(1, 0, spoofed(1, 50));
    assert_eq!(
        network.nodes[0].discovery.metatraffic_locators(prefix(1)).0,
        [locator(50)]
    );
}

#[test]
fn a_neighbour_on_the_same_host_does_not_speak_for_a_participant() {
    let mut network = Network::of(3);
    let writer = network.writer(0, |_| {});
    let reader = network.reader(1, |_| {});
    network.run(SECOND);
    let neighbour = Locator {
        port: 999,
        ..locator(1)
    };
    // It knows us by name, so its heartbeat is heard; that does not make its socket the
    // participant's.
    let mut heartbeat = Vec::new();
    Header::new(prefix(1)).encode(&mut heartbeat);
    Submessage::InfoDestination(prefix(0)).encode(&mut heartbeat);
    Submessage::Heartbeat(Heartbeat {
        reader: EntityId::UNKNOWN,
        writer: EntityId::SEDP_PUBLICATIONS_WRITER,
        first: SequenceNumber(1),
        last: SequenceNumber(0),
        count: 1000,
        is_final: true,
        liveliness: false,
        group: None,
    })
    .encode(&mut heartbeat);
    for bytes in [heartbeat, spoofed(1, 50), farewell(1)] {
        network.inject_from(2, neighbour, 0, bytes);
    }
    network.run(5 * SECOND);
    let place = network.nodes[0].discovery.metatraffic_locators(prefix(1)).0;
    assert_eq!(place, [locator(1)]);
    assert_eq!(network.nodes[0].matched(writer), [reader]);
}

#[test]
fn a_participant_joins_in_the_middle_of_a_flood() {
    let mut network = Network::new();
    network.join(|c| c.limits.participants = 100);
    network.join(|_| {});
    network.run(SECOND);
    let writer = network.writer(0, |_| {});
    for index in 1000..2000 {
        network.inject(1, 0, announcement(index));
    }
    network.join(|_| {});
    let reader = network.reader(2, |_| {});
    for index in 2000..3000 {
        network.inject(1, 0, announcement(index));
        network.run(MS / 10);
    }
    network.run(SECOND);
    assert_eq!(network.nodes[0].matched(writer), [reader]);
}
