//! Submessages of big-endian peers, written out by hand.
use dunlin_wire::*;

const READER: EntityId = EntityId([0, 0, 1, 7]);
const WRITER: EntityId = EntityId([0, 0, 1, 2]);
const IDS: [u32; 2] = [0x107, 0x102];

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_be_bytes()).collect()
}

/// The ids of reader and writer and then `rest`.
fn endpoints(rest: &[u32]) -> Vec<u8> {
    [words(&IDS), words(rest)].concat()
}

/// What a message of one submessage says.
fn check(kind: u8, flags: u8, body: &[u8], expected: &Submessage<'_>) {
    let mut bytes = b"RTPS\x02\x02\x01\x01............".to_vec();
    bytes.extend_from_slice(&[kind, flags]);
    bytes.extend_from_slice(&(body.len() as u16).to_be_bytes());
    bytes.extend_from_slice(body);
    let read: Vec<_> = Message::parse(&bytes).unwrap().into_iter().collect();
    assert_eq!(read, [Ok(expected.clone())]);
    // Length 0: to the end of the message.
    if !body.is_empty() && kind != 0x09 {
        bytes[22..24].copy_from_slice(&[0, 0]);
        let read: Vec<_> = Message::parse(&bytes).unwrap().into_iter().collect();
        assert_eq!(read, [Ok(expected.clone())]);
    }
}

#[test]
fn data() {
    let qos = [
        0x0070_0010,
        1,
        2,
        3,
        4,
        0x0071_0004,
        3,
        0x8001_0004,
        9,
        0x0001_0000,
    ];
    let list = words(&qos);
    let inline_qos = Parameters::new(&list, Endianness::Big);
    let hash = core::array::from_fn(|i| if i % 4 == 3 { i as u8 / 4 + 1 } else { 0 });
    let understood = InlineQos {
        key_hash: Some(hash),
        status_info: Some(InlineQos::STATUS_DISPOSED | InlineQos::STATUS_UNREGISTERED),
        ..InlineQos::default()
    };
    assert_eq!(InlineQos::parse(inline_qos), Ok(understood));
    let data = Data {
        reader: READER,
        writer: WRITER,
        sequence: SequenceNumber(0x1_0000_0002),
        inline_qos,
        payload: Payload::Key(b"\0\0\0\0key!"),
    };
    let body = [
        &words(&[16, IDS[0], IDS[1], 1, 2])[..],
        &list,
        b"\0\0\0\0key!",
    ]
    .concat();
    check(0x15, 0x0a, &body, &Submessage::Data(data));
    // A later version puts 4 bytes more before the inline QoS.
    let body = [
        &words(&[20, IDS[0], IDS[1], 1, 2, 0xffff])[..],
        &list,
        b"\0\0\0\0key!",
    ]
    .concat();
    check(0x15, 0x0a, &body, &Submessage::Data(data));
    // Passed on, it keeps its byte order.
    let mut out = Vec::new();
    Header::new(GuidPrefix::UNKNOWN).encode(&mut out);
    Submessage::Data(data).encode(&mut out);
    assert_eq!(out[21] & 1, 0);
    let read = Message::parse(&out).unwrap().submessages.next();
    assert_eq!(read, Some(Ok(Submessage::Data(data))));
}

#[test]
fn data_frag() {
    let frag = DataFrag {
        reader: READER,
        writer: WRITER,
        sequence: SequenceNumber(9),
        first: FragmentNumber(2),
        count: 2,
        fragment_size: 8,
        sample_size: 21,
        inline_qos: Parameters::NONE,
        key: false,
        payload: b"abcdefghijklm",
    };
    let head = words(&[28, IDS[0], IDS[1], 0, 9, 2, 0x0002_0008, 21]);
    let body = [&head[..], b"abcdefghijklm\0\0\0"].concat();
    check(0x16, 0, &body, &Submessage::DataFrag(frag));
    check(
        0x16,
        4,
        &body,
        &Submessage::DataFrag(DataFrag { key: true, ..frag }),
    );
}

#[test]
fn heartbeats_and_answers() {
    let (reader, writer) = (READER, WRITER);
    let heartbeat = Heartbeat {
        reader,
        writer,
        first: SequenceNumber(5),
        last: SequenceNumber(4),
        count: 77,
        is_final: true,
        liveliness: true,
        group: None,
    };
    let body = endpoints(&[0, 5, 0, 4, 77]);
    check(0x07, 6, &body, &Submessage::Heartbeat(heartbeat));
    // Group information follows (flag G).
    let group = GroupInfo {
        current: SequenceNumber(9),
        first: SequenceNumber(7),
        last: SequenceNumber(8),
        writers: [0, 0, 0, 0x11],
        secure_writers: [0, 0, 0, 0x12],
    };
    let heartbeat = Heartbeat {
        group: Some(group),
        ..heartbeat
    };
    let body = endpoints(&[0, 5, 0, 4, 77, 0, 9, 0, 7, 0, 8, 0x11, 0x12]);
    check(0x07, 0x0e, &body, &Submessage::Heartbeat(heartbeat));
    let sequence = SequenceNumber(6);
    let last = FragmentNumber(8);
    let frag = HeartbeatFrag {
        reader,
        writer,
        sequence,
        last,
        count: 9,
    };
    let body = endpoints(&[0, 6, 8, 9]);
    check(0x13, 0, &body, &Submessage::HeartbeatFrag(frag));

    let mut state = SequenceNumberSet::new(SequenceNumber(10));
    assert!(state.insert(SequenceNumber(10)) && state.insert(SequenceNumber(42)));
    let answer = AckNack {
        reader,
        writer,
        state,
        count: 3,
        is_final: false,
    };
    // What stands behind the last bit does not count.
    let body = endpoints(&[0, 10, 33, 0x8000_0000, 0x8fff_ffff, 3]);
    check(0x06, 0, &body, &Submessage::AckNack(answer));
    let state = SequenceNumberSet::new(SequenceNumber::FIRST);
    let early = AckNack {
        state,
        count: 1,
        is_final: true,
        ..answer
    };
    check(
        0x06,
        2,
        &endpoints(&[0, 0, 0, 1]),
        &Submessage::AckNack(early),
    );

    let mut state = FragmentNumberSet::new(FragmentNumber(3));
    assert!(state.insert(FragmentNumber(4)));
    let nack = NackFrag {
        reader,
        writer,
        sequence,
        state,
        count: 5,
    };
    let body = endpoints(&[0, 6, 3, 2, 0x4000_0000, 5]);
    check(0x12, 0, &body, &Submessage::NackFrag(nack));

    let mut list = SequenceNumberSet::new(SequenceNumber(20));
    assert!(list.insert(SequenceNumber(21)));
    let start = SequenceNumber(11);
    let gap = Gap {
        reader,
        writer,
        start,
        list,
    };
    let body = endpoints(&[0, 11, 0, 20, 2, 0x4000_0000]);
    check(0x08, 0, &body, &Submessage::Gap(gap));
}

#[test]
fn information() {
    let half = Timestamp(3_500_000_000);
    check(
        0x09,
        0,
        &words(&[3, 1 << 31]),
        &Submessage::InfoTimestamp(Some(half)),
    );
    check(0x09, 2, &[], &Submessage::InfoTimestamp(None));
    let invalid = words(&[u32::MAX, u32::MAX]);
    check(0x09, 0, &invalid, &Submessage::InfoTimestamp(None));
    let prefix = GuidPrefix(*b"abcdefghijkl");
    check(0x0e, 0, &prefix.0, &Submessage::InfoDestination(prefix));
    let source = Submessage::InfoSource {
        version: ProtocolVersion { major: 2, minor: 1 },
        vendor: VendorId([1, 16]),
        prefix,
    };
    check(0x0c, 0, b"\0\0\0\0\x02\x01\x01\x10abcdefghijkl", &source);
    let locator = Locator::udp_v4([192, 0, 2, 1].into(), 7411);
    let reply = Submessage::InfoReply {
        unicast: vec![locator],
        multicast: vec![],
    };
    check(0x0f, 0, &words(&[1, 1, 7411, 0, 0, 0, 0xc000_0201]), &reply);
    check(0x0d, 0, &words(&[0xc000_0201, 7411]), &reply);
    let both = Submessage::InfoReply {
        unicast: vec![locator],
        multicast: vec![locator],
    };
    check(
        0x0d,
        2,
        &words(&[0xc000_0201, 7411, 0xc000_0201, 7411]),
        &both,
    );
    check(0x01, 0, &[], &Submessage::Pad);
    check(
        0x80,
        0,
        b"what only its vendor knows",
        &Submessage::Unknown(0x80),
    );
}

#[test]
fn header_extension() {
    let list = words(&[0x3123_0000, 0x0001_0000]);
    let extension = HeaderExtension {
        message_length: Some(100),
        timestamp: Some(Timestamp(1_000_000_000)),
        u_extension: Some(*b"uuuu"),
        w_extension: Some(*b"wwwwwwww"),
        checksum: Some(Checksum::Crc32c(*b"crc!")),
        parameters: Parameters::new(&list, Endianness::Big),
    };
    let body = [&words(&[100, 1, 0])[..], b"uuuuwwwwwwwwcrc!", &list].concat();
    check(0x00, 0xbe, &body, &Submessage::HeaderExtension(extension));
}
