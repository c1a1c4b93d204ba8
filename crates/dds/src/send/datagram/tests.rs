use super::*;
use dunlin_transport::{Listen, Outgoing, Reach, Receiver, Sent, TransportProperties};
use dunlin_wire::{
    Data, DataFrag, EntityId, FragmentNumber, Guid, Heartbeat, Locator, Message, Parameters,
    Payload, SequenceNumber,
};

fn datagrams() -> Datagrams {
    holding(Bytes::new())
}

/// Datagrams of a participant that shares these bytes with its peers.
fn holding(bytes: Bytes) -> Datagrams {
    Datagrams::new(GuidPrefix([7; 12]), 65_000, Arc::new(Holds(bytes)))
}

/// A transport that never sends.
struct Holds(Bytes);

impl Transport for Holds {
    fn properties(&self) -> &'static [TransportProperties] {
        &[]
    }
    fn send(&self, _: &[Outgoing<'_>]) -> Sent {
        Sent::default()
    }
    fn open(&self, _: &[Listen]) -> std::io::Result<Box<dyn Receiver>> {
        Err(std::io::ErrorKind::Unsupported.into())
    }
    fn reaches(&self, _: &Locator) -> Reach {
        Reach::No
    }
    fn holds(&self, bytes: &[u8]) -> bool {
        self.0.as_ptr_range().contains(&bytes.as_ptr())
    }
    fn max_datagram(&self) -> usize {
        65_507
    }
    fn max_whole_datagram(&self, _: &Locator) -> usize {
        65_507
    }
}

fn whole(datagrams: &Datagrams) -> Vec<Vec<u8>> {
    let bytes = |piece: &Piece| {
        let part = |range: &Range<usize>| &datagrams.arena[range.clone()];
        [part(&piece.head), &piece.payload, part(&piece.tail)].concat()
    };
    let all: Vec<_> = datagrams.pieces.iter().map(bytes).collect();
    assert_eq!(datagrams.len(), all.iter().map(Vec::len).sum());
    all
}

fn fragment(payload: &[u8]) -> Submessage<'_> {
    Submessage::DataFrag(DataFrag {
        reader: EntityId::UNKNOWN,
        writer: EntityId::UNKNOWN,
        sequence: SequenceNumber(1),
        first: FragmentNumber(1),
        count: 1,
        fragment_size: u16::MAX,
        sample_size: 1 << 20,
        inline_qos: Parameters::NONE,
        key: false,
        payload,
    })
}

fn data(payload: &[u8]) -> Submessage<'_> {
    Submessage::Data(Data {
        reader: EntityId::UNKNOWN,
        writer: EntityId::UNKNOWN,
        sequence: SequenceNumber(1),
        inline_qos: Parameters::NONE,
        payload: Payload::Data(payload),
    })
}

/// Three pieces of these lengths, each with an owner that has more.
fn pieces(lengths: [usize; 3]) -> [Bytes; 3] {
    let mut next = 0u32;
    lengths.map(|length| {
        let bytes = (0..length + 9).map(|_| {
            next = next.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (next >> 24) as u8
        });
        bytes.collect()
    })
}

fn parts<'a>(owners: &'a [Bytes; 3], lengths: [usize; 3]) -> Vec<Part<'a>> {
    let parts = owners.iter().zip(lengths).map(|(owner, length)| Part {
        owner,
        bytes: &owner[5..5 + length],
    });
    parts.collect()
}

#[test]
fn pieces_make_the_datagrams_that_one_piece_makes() {
    let all = [
        [36, 60_000, 3],
        [0, 60_000, 1],
        [1, 5_000, 0],
        [30_000, 20_000, 9_001],
        [40, 100, 2],
        [9_000, 9_000, 9_000],
        [0, 3, 50_000],
        [0, 0, 0],
    ];
    for make in [data, fragment] {
        let (mut gathered, mut copied) = (datagrams(), datagrams());
        for lengths in all {
            let owners = pieces(lengths);
            let parts = parts(&owners, lengths);
            let one: Bytes = parts.iter().flat_map(|p| p.bytes).copied().collect();
            gathered.push_pieces(To::Matched, make(&[]), &parts);
            copied.push(To::Matched, make(&one), &one);
            for out in [&mut gathered, &mut copied] {
                out.push(To::Matched, Submessage::Pad, &Bytes::new());
            }
        }
        assert_eq!(whole(&gathered), whole(&copied));
        assert!(whole(&gathered).iter().all(|d| d.len() <= 65_000));
    }
}

#[test]
fn a_sample_in_one_go_makes_the_datagrams_that_two_submessages_make() {
    let samples = [
        (36, 1),
        (0, 1),
        (3, 2),
        (9_000, 2),
        (20_000, 2),
        (5, 2),
        (60_000, 3),
        (16_384, 3),
        (16_384, 3),
        (16_384, 3),
        (16_384, 3),
        (1, 3),
    ];
    let (mut quick, mut slow) = (datagrams(), datagrams());
    for (number, (length, time)) in samples.into_iter().enumerate() {
        let bytes = Bytes::from(vec![number as u8; length]);
        let to = [To::Matched, To::Passing(3)][number / 6];
        let Submessage::Data(sample) = data(&bytes) else {
            unreachable!()
        };
        quick.push_sample(to, Timestamp(time), sample, &bytes);
        let stamp = Submessage::InfoTimestamp(Some(Timestamp(time)));
        slow.push(to, stamp, &Bytes::new());
        slow.push(to, data(&bytes), &bytes);
        assert_eq!(quick.has_room(36), slow.has_room(36), "{number}");
        if number % 3 == 2 {
            quick.push(to, heartbeat(), &Bytes::new());
            slow.push(to, heartbeat(), &Bytes::new());
        }
    }
    assert_eq!(whole(&quick), whole(&slow));
}

#[test]
fn the_longest_piece_stays_where_it_is() {
    let lengths = [36, 60_000, 3];
    let owners = pieces(lengths);
    let mut out = datagrams();
    out.push_pieces(To::Matched, data(&[]), &parts(&owners, lengths));
    let [piece] = &out.pieces[..] else {
        panic!("one datagram")
    };
    assert_eq!(piece.payload.as_ptr(), owners[1][5..].as_ptr());
    assert!(out.arena.len() < 200, "{} bytes copied", out.arena.len());
    let shared = owners[1].clone();
    out.pieces.clear();
    drop(owners);
    assert!(shared.is_unique());
}

fn heartbeat() -> Submessage<'static> {
    Submessage::Heartbeat(Heartbeat {
        reader: EntityId::UNKNOWN,
        writer: EntityId::UNKNOWN,
        first: SequenceNumber(1),
        last: SequenceNumber(2),
        count: 1,
        is_final: false,
        liveliness: false,
        group: None,
    })
}

fn names(datagram: &[u8]) -> Vec<String> {
    let all = Message::parse(datagram).unwrap().into_iter();
    let name = |message: Submessage<'_>| match message {
        Submessage::InfoTimestamp(_) => "TS".into(),
        Submessage::Data(data) => format!("DATA {}", data.payload.bytes().len()),
        Submessage::DataFrag(frag) => format!("FRAG {}", frag.payload.len()),
        Submessage::Heartbeat(_) => "HEARTBEAT".into(),
        other => format!("{other:?}"),
    };
    all.map(|message| name(message.unwrap())).collect()
}

/// What a writer says of each sample: its time, itself, and now and then a question.
fn say(out: &mut Datagrams, number: u64, message: impl FnOnce(&mut Datagrams)) {
    let time = Submessage::InfoTimestamp(Some(Timestamp(number as i64)));
    out.push(To::Matched, time, &Bytes::new());
    message(out);
}

#[test]
fn nothing_follows_what_goes_on_to_the_end_and_its_time_is_right() {
    let large = Bytes::from(vec![3; 10 << 20]);
    let small = Bytes::from(vec![4; 100]);
    let mut out = datagrams();
    say(&mut out, 1, |out| {
        out.push(To::Matched, data(&large), &large)
    });
    out.push(To::Matched, heartbeat(), &Bytes::new());
    say(&mut out, 1, |out| {
        out.push(To::Matched, data(&large), &large)
    });
    say(&mut out, 1, |out| {
        out.push(To::Matched, data(&small), &small)
    });
    say(&mut out, 2, |out| {
        out.push(To::Matched, data(&large), &large)
    });
    let got: Vec<_> = whole(&out).iter().map(|d| names(d)).collect();
    assert_eq!(got[0], ["TS", "DATA 10485760"]);
    assert_eq!(got[1], ["HEARTBEAT", "TS"]);
    assert_eq!(got[2], ["TS", "DATA 10485760"]);
    assert_eq!(got[3], ["TS", "DATA 100", "TS"]);
    assert_eq!(got[4], ["TS", "DATA 10485760"]);
    assert_eq!(got.len(), 5);
    assert!(out.arena.len() < 1000, "{} bytes copied", out.arena.len());
}

#[test]
fn what_peers_can_read_stays_where_it_is_whatever_its_size() {
    for length in [32, 5_000, 60_000, 10 << 20] {
        let owners = pieces([4, length, 0]);
        let parts = parts(&owners, [4, length, 0]);
        let mut out = holding(owners[1].clone());
        say(&mut out, 1, |out| {
            out.push_pieces(To::Matched, data(&[]), &parts)
        });
        out.push(To::Matched, heartbeat(), &Bytes::new());
        let [sample, question] = &out.pieces[..] else {
            panic!("{} datagrams", out.pieces.len());
        };
        assert_eq!(sample.payload.as_ptr(), owners[1][5..].as_ptr());
        // Who gets the payload by another way sees the rest only, and it is a message.
        let head = out.arena[sample.head.clone()].to_vec();
        assert_eq!(head[head.len() - 26..head.len() - 24], [0, 0]);
        assert_eq!(names(&head), ["TS", "DATA 4"]);
        assert!(question.payload.is_empty());
        let all = format!("DATA {}", 4 + length);
        assert_eq!(names(&whole(&out)[0]), ["TS", &all]);
    }
}

#[test]
fn a_sample_around_what_peers_can_read_is_in_one_go_what_two_submessages_are() {
    for lengths in [[36, 32, 0], [4, 5_000, 3], [0, 60_000, 1], [1, 0, 0]] {
        let owners = pieces(lengths);
        let parts: [Part<'_>; 3] = parts(&owners, lengths).try_into().unwrap();
        let (mut quick, mut slow) = (holding(owners[1].clone()), holding(owners[1].clone()));
        // The second one finds a datagram before it.
        for time in [1, 2] {
            let Submessage::Data(sample) = data(&[]) else {
                unreachable!()
            };
            let time = Timestamp(time);
            quick.push_sample_pieces(To::Matched, time, sample, &parts);
            let stamp = Submessage::InfoTimestamp(Some(time));
            slow.push(To::Matched, stamp, &Bytes::new());
            slow.push_pieces(To::Matched, data(&[]), &parts);
        }
        assert!(quick.local_queue.leaves(To::Matched));
        assert_eq!(quick.has_room(36), slow.has_room(36));
        for out in [&mut quick, &mut slow] {
            out.push(To::Matched, heartbeat(), &Bytes::new());
        }
        assert_eq!(whole(&quick), whole(&slow));
        let held = |out: &Datagrams| {
            let destinations = out.pieces.iter().map(|piece| piece.payload.as_ptr_range());
            destinations.collect::<Vec<_>>()
        };
        assert_eq!(held(&quick), held(&slow));
    }
}

#[test]
fn a_fragment_is_whole_even_of_what_peers_can_read() {
    let owners = pieces([4, 60_000, 0]);
    let parts = parts(&owners, [4, 60_000, 0]);
    let mut out = holding(owners[1].clone());
    let mut said = fragment(&[]);
    if let Submessage::DataFrag(frag) = &mut said {
        frag.fragment_size = 60_004;
    }
    out.push_pieces(To::Matched, said, &parts);
    out.push(To::Matched, fragment(&owners[1]), &owners[1]);
    assert!(out.pieces.iter().all(|piece| piece.payload.is_empty()));
    assert_eq!(names(&whole(&out)[0]), ["FRAG 60004"]);
}

/// Keeps what is sent, and how many datagrams came with each call.
#[derive(Default)]
struct Keeps(
    std::sync::Mutex<Vec<(Locator, Vec<u8>)>>,
    std::sync::Mutex<Vec<usize>>,
);

impl Transport for Keeps {
    fn properties(&self) -> &'static [TransportProperties] {
        const { &[TransportProperties::datagrams(Locator::KIND_UDP_V4)] }
    }
    fn send(&self, datagrams: &[Outgoing<'_>]) -> Sent {
        let all = datagrams.iter().map(|d| (d.to, d.to_vec()));
        self.0.lock().unwrap().extend(all);
        self.1.lock().unwrap().push(datagrams.len());
        Sent::default()
    }
    fn open(&self, _: &[Listen]) -> std::io::Result<Box<dyn Receiver>> {
        Err(std::io::ErrorKind::Unsupported.into())
    }
    fn reaches(&self, _: &Locator) -> Reach {
        Reach::Subnet
    }
    fn max_datagram(&self) -> usize {
        65_507
    }
    fn max_whole_datagram(&self, _: &Locator) -> usize {
        65_507
    }
}

#[test]
fn whatever_leaves_for_one_of_ours_far_away_has_a_checksum() {
    use crate::send::checksum::{Verdict, verify};
    use dunlin_wire::VendorId;
    let transport = Keeps::default();
    let place = |port, vendor| {
        let locator = Locator::udp_v4([10, 0, 0, 1].into(), port);
        Destination::of(&transport, vendor, locator)
    };
    let (ours, other) = (place(1, VendorId::DUNLIN), place(2, VendorId::CYCLONE_DDS));
    // The way for one destination, that for several, and a large payload that is gathered.
    for destinations in [vec![ours.clone()], vec![other.clone()], vec![ours, other]] {
        for size in [10, 30_000] {
            let mut out = datagrams();
            let payload = Bytes::from(vec![5; size]);
            let data = Data {
                reader: EntityId::UNKNOWN,
                writer: EntityId([0, 0, 1, 3]),
                sequence: SequenceNumber(1),
                inline_qos: Parameters::NONE,
                payload: Payload::Data(&payload),
            };
            out.push_sample(To::Matched, Timestamp(0), data, &payload);
            let expected = whole(&out).remove(0);
            out.flush(&transport, |_| &destinations);
            let sent = std::mem::take(&mut *transport.0.lock().unwrap());
            assert_eq!(sent.len(), destinations.len());
            for (to, datagram) in sent {
                let (verdict, rest) = match to.port {
                    1 => (Verdict::Whole, 20 + GROWTH..),
                    _ => (Verdict::Absent, 20..),
                };
                assert_eq!(verify(&datagram), verdict);
                assert_eq!(
                    (&datagram[..20], &datagram[rest]),
                    (&expected[..20], &expected[20..])
                );
            }
        }
    }
}

/// The transport can have the kernel take fragments as one message if it gets them together.
#[test]
fn fragments_that_leave_with_checksums_are_handed_over_together() {
    use crate::send::checksum::{Verdict, verify};
    use dunlin_wire::VendorId;
    let transport = Keeps::default();
    let locator = Locator::udp_v4([10, 0, 0, 1].into(), 1);
    let far = [Destination::of(&transport, VendorId::DUNLIN, locator)];
    let prefix = GuidPrefix([7; 12]);
    let mut out = Datagrams::new(prefix, 1_400, Arc::new(Keeps::default()));
    let payload = Bytes::from((0..130 * 1_344).map(|n| (n / 7) as u8).collect::<Vec<_>>());
    for bytes in payload.chunks(1_344) {
        out.push(To::Matched, fragment(bytes), &payload);
    }
    let expected = whole(&out);
    out.flush(&transport, |_| &far);
    let sent = std::mem::take(&mut *transport.0.lock().unwrap());
    assert_eq!((expected.len(), sent.len()), (130, 130));
    for ((_, datagram), expected) in sent.iter().zip(expected) {
        assert_eq!(verify(datagram), Verdict::Whole);
        assert_eq!(datagram[20 + GROWTH..], expected[20..]);
    }
    // As many as a message to the kernel may have.
    assert_eq!(*transport.1.lock().unwrap(), [46, 46, 38]);
}

/// What each of these participants is told, each DATA with its time.
fn told(out: &Datagrams, all: &[GuidPrefix]) -> Vec<Vec<(Option<Timestamp>, Vec<u8>)>> {
    let mut told = vec![Vec::new(); all.len()];
    for (piece, bytes) in out.pieces.iter().zip(whole(out)) {
        let To::Endpoint(guid) = piece.to else {
            continue;
        };
        let of = all
            .iter()
            .position(|prefix| *prefix == guid.prefix)
            .unwrap();
        let mut time = None;
        for submessage in Message::parse(&bytes).unwrap().submessages {
            let submessage = submessage.unwrap();
            match submessage {
                Submessage::InfoTimestamp(timestamp) => time = timestamp,
                Submessage::InfoDestination(prefix) => assert_eq!(prefix, guid.prefix),
                _ => {
                    let mut said = BytesMut::new();
                    submessage.encode(&mut said);
                    let is_data = matches!(submessage, Submessage::Data(_));
                    told[of].push((time.filter(|_| is_data), said.to_vec()));
                }
            }
        }
    }
    told
}

#[test]
fn what_is_for_built_in_endpoints_of_a_participant_shares_datagrams() {
    let all = [1, 2, 3].map(|byte| GuidPrefix([byte; 12]));
    let heartbeat = Submessage::Heartbeat(Heartbeat {
        reader: EntityId::SEDP_PUBLICATIONS_READER,
        writer: EntityId::SEDP_PUBLICATIONS_WRITER,
        first: SequenceNumber(1),
        last: SequenceNumber(3),
        count: 1,
        is_final: false,
        liveliness: false,
        group: None,
    });
    let small = Bytes::from_static(&[7; 300]);
    let large = Bytes::from(vec![9; COPY_LIMIT + 4]);
    let time = |nth| Submessage::InfoTimestamp(Some(Timestamp(nth)));
    let mut out = datagrams();
    let mut say = |to: To, message: Submessage<'_>, payload: &Bytes| out.push(to, message, payload);
    say(To::Announce, data(&small), &small);
    for nth in 0..300 {
        for prefix in all {
            let to = |entity| To::Endpoint(Guid::new(prefix, entity));
            let writers = to(EntityId::SEDP_PUBLICATIONS_READER);
            let readers = to(EntityId::SEDP_SUBSCRIPTIONS_READER);
            say(writers, time(nth), &Bytes::new());
            say(writers, data(&small), &small);
            say(writers, heartbeat.clone(), &Bytes::new());
            // Of no time.
            say(readers, data(&small), &small);
            if nth == 150 {
                say(readers, data(&large), &large);
            }
        }
    }
    let user = To::Endpoint(Guid::new(all[0], EntityId([0, 0, 1, 7])));
    say(user, heartbeat, &Bytes::new());
    let before = (told(&out, &all), out.pieces.len());
    out.join_builtin(&mut Joining::default());
    assert_eq!(told(&out, &all), before.0);
    assert!(whole(&out).iter().all(|datagram| datagram.len() <= 65_000));
    // Five for each, since a large payload lies apart; one announcement, and one for a reader.
    assert_eq!([before.1, out.pieces.len()], [2702, 3 * 5 + 2]);
}
