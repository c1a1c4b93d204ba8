//! Each submessage comes back as it was sent, whatever it holds.
use bytes::BytesMut;
use dunlin_wire::*;
use proptest::prelude::*;

fn entity() -> impl Strategy<Value = EntityId> {
    any::<[u8; 4]>().prop_map(EntityId)
}

fn sequence() -> impl Strategy<Value = SequenceNumber> {
    prop_oneof![1..300_i64, (1_i64 << 31)..(1 << 34), 1..i64::MAX - 256].prop_map(SequenceNumber)
}

fn sequence_set() -> impl Strategy<Value = SequenceNumberSet> {
    (sequence(), 0..=256_u32, any::<[u32; 8]>())
        .prop_map(|(base, bits, words)| SequenceNumberSet::from_bitmap(base, bits, words).unwrap())
}

fn fragment_set() -> impl Strategy<Value = FragmentNumberSet> {
    (1..u32::MAX - 256, 0..=256_u32, any::<[u32; 8]>()).prop_map(|(base, bits, words)| {
        FragmentNumberSet::from_bitmap(FragmentNumber(base), bits, words).unwrap()
    })
}

fn locators() -> impl Strategy<Value = Vec<Locator>> {
    let locator = (any::<i32>(), any::<u32>(), any::<[u8; 16]>());
    let locator = locator.prop_map(|(kind, port, address)| Locator {
        kind,
        port,
        address,
    });
    proptest::collection::vec(locator, 0..=MAX_LOCATORS)
}

fn inline_qos() -> impl Strategy<Value = InlineQos> {
    let (hash, status) = (any::<Option<[u8; 16]>>(), any::<Option<u32>>());
    let all = (hash, status, set(), proptest::option::of(origin()));
    all.prop_map(|(key_hash, status_info, set, origin)| InlineQos {
        key_hash,
        status_info,
        set,
        origin: origin.filter(|origin| !origin.is_empty()),
    })
}

fn identity() -> impl Strategy<Value = SampleIdentity> {
    let number = prop_oneof![
        5 => (1..i64::MAX).prop_map(SequenceNumber),
        1 => Just(SequenceNumber::UNKNOWN),
    ];
    (any::<[u8; 12]>(), any::<[u8; 4]>(), number).prop_map(|(prefix, entity, sequence)| {
        SampleIdentity {
            writer: Guid::new(GuidPrefix(prefix), EntityId(entity)),
            sequence,
        }
    })
}

fn origin() -> impl Strategy<Value = SampleOrigin> {
    let identity = || proptest::option::of(identity());
    let ids = proptest::collection::vec(any::<u32>(), 0..=Hops::MOST);
    let all = (identity(), identity(), any::<bool>(), ids);
    all.prop_map(|(original_writer, related, foreign_key_hash, ids)| {
        let mut hops = Hops::default();
        assert!(ids.into_iter().all(|id| hops.push(id)));
        SampleOrigin {
            original_writer,
            related,
            foreign_key_hash,
            hops,
        }
    })
}

fn group_info() -> impl Strategy<Value = Option<GroupInfo>> {
    let numbers = any::<[i64; 3]>().prop_map(|numbers| numbers.map(SequenceNumber));
    let info = (numbers, any::<[u8; 4]>(), any::<[u8; 4]>());
    let info = info.prop_map(
        |([current, first, last], writers, secure_writers)| GroupInfo {
            current,
            first,
            last,
            writers,
            secure_writers,
        },
    );
    proptest::option::of(info)
}

fn set() -> impl Strategy<Value = SetMembership> {
    let numbers = any::<[i64; 3]>().prop_map(|numbers| numbers.map(SequenceNumber));
    let digest = any::<Option<[u8; 4]>>();
    (numbers, digest, any::<bool>()).prop_map(|(numbers, writers, is_in_one)| {
        let [first, group_sequence, group_first] = numbers;
        match is_in_one {
            true => SetMembership {
                first,
                group_sequence,
                group_first,
                writers,
            },
            false => SetMembership::NONE,
        }
    })
}

fn encode(message: &Submessage<'_>) -> BytesMut {
    let mut out = BytesMut::new();
    Header::new(GuidPrefix([7; 12])).encode(&mut out);
    assert_eq!(out.len(), Header::SIZE);
    message.encode(&mut out);
    assert_eq!(out.len(), Header::SIZE + message.encoded_len());
    assert_eq!(out.len() % 4, 0);

    let mut pieces = BytesMut::new();
    let padding = message.encode_head(&mut pieces);
    pieces.extend_from_slice(message.payload());
    pieces.resize(pieces.len() + padding, 0);
    assert_eq!(pieces, out[Header::SIZE..], "iovec sending says the same");
    out
}

/// Sends `message` with another one behind it; both arrive.
fn round_trip(message: &Submessage<'_>) {
    let mut out = encode(message);
    Submessage::InfoTimestamp(None).encode(&mut out);
    let received = Message::parse(&out).unwrap();
    assert_eq!(received.header, Header::new(GuidPrefix([7; 12])));
    assert_eq!(
        submessages(received),
        [message.clone(), Submessage::InfoTimestamp(None)]
    );
}

fn submessages(message: Message<'_>) -> Vec<Submessage<'_>> {
    message.into_iter().map(|s| s.unwrap()).collect()
}

proptest! {
    #[test]
    fn data(
        (reader, writer) in (entity(), entity()), sequence in sequence(), qos in inline_qos(),
        bytes in proptest::collection::vec(any::<u8>(), 0..64), kind in 0..3,
    ) {
        let mut list = BytesMut::new();
        qos.encode(&mut list);
        prop_assert!(list.len() <= InlineQos::MAX_SIZE);
        let whole = &bytes[..bytes.len() & !3];
        let payload = match kind {
            0 => Payload::None,
            1 => Payload::Data(whole),
            _ => Payload::Key(whole),
        };
        let inline_qos = Parameters::little_endian(&list);
        let data = Data { reader, writer, sequence, inline_qos, payload };
        round_trip(&Submessage::Data(data));
        prop_assert_eq!(InlineQos::parse(inline_qos), Ok(qos));

        // A payload of any length arrives with at most three zero bytes behind it.
        let sent = encode(&Submessage::Data(Data { payload: Payload::Data(&bytes), ..data }));
        let received = submessages(Message::parse(&sent).unwrap());
        let received = received[0].payload();
        prop_assert!(received.starts_with(&bytes) && received[bytes.len()..].iter().all(|b| *b == 0));
        prop_assert!(received.len() < bytes.len() + 4);
    }

    #[test]
    fn fragments(
        (reader, writer) in (entity(), entity()), sequence in sequence(), qos in inline_qos(),
        fragment_size in 1..100_u16, sample_size in 1..5000_u32, first in 0..5000_u32, count in 1..5_u16, key: bool,
    ) {
        let total = sample_size.div_ceil(fragment_size.into());
        let first = first % total;
        let count = u32::from(count).min(total - first);
        let begin = first * u32::from(fragment_size);
        let end = (begin + count * u32::from(fragment_size)).min(sample_size);
        let bytes: Vec<_> = (begin..end).map(|b| b as u8).collect();
        let mut list = BytesMut::new();
        qos.encode(&mut list);
        let frag = DataFrag {
            reader, writer, sequence, first: FragmentNumber(first + 1), count: count as u16, fragment_size, sample_size,
            inline_qos: Parameters::little_endian(&list), key, payload: &bytes,
        };
        prop_assert_eq!(frag.range(), Some(begin as usize..end as usize));
        round_trip(&Submessage::DataFrag(frag));
    }

    #[test]
    fn heartbeats(
        (reader, writer) in (entity(), entity()), first in sequence(), more in 0..1000_i64, count: u32,
        is_final: bool, liveliness: bool, last in 1..u32::MAX, group in group_info(),
    ) {
        let sequence = first;
        let last_sequence = SequenceNumber(first.0.saturating_add(more) - 1);
        let heartbeat = Heartbeat { reader, writer, first, last: last_sequence, count, is_final, liveliness, group };
        round_trip(&Submessage::Heartbeat(heartbeat));
        let last = FragmentNumber(last);
        round_trip(&Submessage::HeartbeatFrag(HeartbeatFrag { reader, writer, sequence, last, count }));
    }

    #[test]
    fn answers(
        (reader, writer) in (entity(), entity()), sequence in sequence(), numbers in sequence_set(),
        fragments in fragment_set(), count: u32, is_final: bool,
    ) {
        round_trip(&Submessage::AckNack(AckNack { reader, writer, state: numbers, count, is_final }));
        round_trip(&Submessage::NackFrag(NackFrag { reader, writer, sequence, state: fragments, count }));
        round_trip(&Submessage::Gap(Gap { reader, writer, start: sequence, list: numbers }));
    }

    #[test]
    fn sets_hold_what_was_inserted(base in sequence(), offsets in proptest::collection::btree_set(0..256_u32, 0..256)) {
        let mut set = SequenceNumberSet::new(base);
        let mut fragments = FragmentNumberSet::new(FragmentNumber(5));
        for offset in offsets.iter().rev() {
            prop_assert!(set.insert(SequenceNumber(base.0 + i64::from(*offset))));
            prop_assert!(fragments.insert(FragmentNumber(5 + offset)));
        }
        prop_assert!(!set.insert(SequenceNumber(base.0 + 256)) && !set.insert(SequenceNumber(base.0 - 1)));
        let held: Vec<_> = set.iter().map(|n| (n.0 - base.0) as u32).collect();
        prop_assert_eq!(&held, &offsets.iter().copied().collect::<Vec<_>>());
        prop_assert_eq!(held, fragments.iter().map(|n| n.0 - 5).collect::<Vec<_>>());
        prop_assert_eq!(set.is_empty(), offsets.is_empty());
        let (bits, words) = set.bitmap();
        prop_assert_eq!(SequenceNumberSet::from_bitmap(base, bits, *words), Some(set));
    }

    #[test]
    fn information(
        nanos in 0..i64::MAX / 4, prefix: [u8; 12], vendor: [u8; 2], version: [u8; 2], unicast in locators(), multicast in locators(),
    ) {
        let prefix = GuidPrefix(prefix);
        round_trip(&Submessage::InfoTimestamp(Some(Timestamp(nanos))));
        round_trip(&Submessage::InfoDestination(prefix));
        let [major, minor] = version;
        let version = ProtocolVersion { major, minor };
        round_trip(&Submessage::InfoSource { version, vendor: VendorId(vendor), prefix });
        round_trip(&Submessage::InfoReply { unicast, multicast });
        round_trip(&Submessage::Pad);
    }

    #[test]
    fn header_extensions(
        message_length: Option<u32>, nanos in proptest::option::of(0..i64::MAX / 4), u_extension: Option<[u8; 4]>,
        w_extension: Option<[u8; 8]>, sum: [u8; 16], kind in 0..4, qos in inline_qos(),
    ) {
        let mut list = BytesMut::new();
        qos.encode(&mut list);
        let checksum = match kind {
            0 => None,
            1 => Some(Checksum::Crc32c(sum[..4].try_into().unwrap())),
            2 => Some(Checksum::Crc64(sum[..8].try_into().unwrap())),
            _ => Some(Checksum::Md5(sum)),
        };
        let extension = HeaderExtension {
            message_length, timestamp: nanos.map(Timestamp), u_extension, w_extension, checksum,
            parameters: Parameters::little_endian(&list),
        };
        // Length 0 says "to the end", so an empty extension would swallow what follows.
        prop_assume!(extension != HeaderExtension::default());
        round_trip(&Submessage::HeaderExtension(extension));
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let mut message = b"RTPS\x02\x05\x01\x02\0\0\0\0\0\0\0\0\0\0\0\0".to_vec();
        message.extend_from_slice(&bytes);
        prop_assert!(Message::parse(&message).unwrap().into_iter().count() <= bytes.len());
    }

    #[test]
    fn a_sample_read_at_once_is_what_its_parts_are(
        parts in proptest::collection::vec((0..8, proptest::collection::vec(any::<u8>(), 0..40)), 0..8),
        sequence in -2..300_i64, mess in any::<[usize; 2]>(), by in any::<u8>(),
    ) {
        let mut sent = encode(&Submessage::Pad);
        let mut list = BytesMut::new();
        InlineQos { status_info: Some(1), ..InlineQos::NONE }.encode(&mut list);
        let mut hash = BytesMut::new();
        InlineQos { key_hash: Some([6; 16]), ..InlineQos::NONE }.encode(&mut hash);
        for (kind, bytes) in &parts {
            let inline_qos = match kind {
                5 => Parameters::little_endian(&list),
                6.. => Parameters::little_endian(&hash),
                _ => Parameters::NONE,
            };
            match kind {
                0 => Submessage::InfoTimestamp(None),
                1 => Submessage::InfoTimestamp(Some(Timestamp(sequence))),
                2 => Submessage::InfoDestination(GuidPrefix([8; 12])),
                _ => Submessage::Data(Data {
                    reader: EntityId([1; 4]),
                    writer: EntityId([2; 4]),
                    sequence: SequenceNumber(sequence),
                    inline_qos,
                    payload: if *kind == 4 { Payload::Key(bytes) } else { Payload::Data(bytes) },
                }),
            }
            .encode(&mut sent);
        }
        let at = Header::SIZE + mess[0] % (sent.len() - Header::SIZE);
        sent[at] = by;
        sent.truncate(Header::SIZE + mess[1] % (2 * sent.len()));
        let Ok(message) = Message::parse(&sent) else { return Ok(()) };
        let mut rest = message.submessages.clone();
        let mut expected = message.submessages;
        loop {
            let mut ahead = rest.clone();
            let Some((time, data)) = ahead.next_user_sample() else {
                let read = rest.next();
                prop_assert_eq!(&read, &expected.next());
                if read.is_none() {
                    break;
                }
                continue;
            };
            if let Some(time) = time {
                prop_assert_eq!(expected.next(), Some(Ok(Submessage::InfoTimestamp(Some(time)))));
            }
            prop_assert_eq!(expected.next(), Some(Ok(Submessage::Data(data))));
            let mut others = (3..6).map(|byte| EntityId([byte; 4]));
            let other = others.find(|id| ![data.writer, data.reader].contains(id)).unwrap();
            let mut between = rest.clone();
            prop_assert_eq!(between.next_sample_between(other, data.reader), None);
            prop_assert_eq!(between.next_sample_between(data.writer, other), None);
            prop_assert_eq!(between.next_sample_between(data.writer, data.reader), Some((time, data)));
            prop_assert_eq!(between.collect::<Vec<_>>(), ahead.clone().collect::<Vec<_>>());
            rest = ahead;
        }
    }
}

#[test]
fn a_sample_alone_is_what_its_parts_are() {
    let header = Header::new(GuidPrefix([7; 12]));
    let time = Timestamp(0x1234_5678_9abc_def0);
    for (length, inline_qos) in [
        (0, false),
        (1, false),
        (32, true),
        (33, false),
        (70_000, true),
    ] {
        let payload = vec![9; length];
        let qos = [2, 0, 4, 0, 1, 2, 3, 4, 1, 0, 0, 0];
        let data = Data {
            reader: EntityId::UNKNOWN,
            writer: EntityId([1, 2, 3, 4]),
            sequence: SequenceNumber(0x12_3456_789a),
            inline_qos: match inline_qos {
                true => Parameters::little_endian(&qos),
                false => Parameters::NONE,
            },
            payload: Payload::Data(&payload),
        };
        let mut parts = BytesMut::new();
        header.encode(&mut parts);
        let first = parts.len();
        Submessage::InfoTimestamp(Some(time)).encode(&mut parts);
        let before = parts.len();
        Submessage::Data(data).encode(&mut parts);
        let mut whole = BytesMut::new();
        data.encode_alone(&header, time, &mut whole);
        assert_eq!(whole, parts);
        let mut timed = BytesMut::new();
        data.encode_timed(time, &mut timed);
        assert_eq!(timed, parts[first..]);
        assert_eq!(data.encoded_len(), parts.len() - before);
    }
}

#[test]
fn a_sample_alone_with_a_payload_elsewhere_is_what_its_parts_are() {
    let header = Header::new(GuidPrefix([7; 12]));
    let time = Timestamp(0x1234_5678_9abc_def0);
    let qos = [2, 0, 4, 0, 1, 2, 3, 4, 1, 0, 0, 0];
    for inline_qos in [Parameters::NONE, Parameters::little_endian(&qos)] {
        for (more, to_end) in [
            (0, true),
            (1, true),
            (70_003, true),
            (0, false),
            (33_001, false),
        ] {
            let data = Data {
                reader: EntityId::UNKNOWN,
                writer: EntityId([1, 2, 3, 4]),
                sequence: SequenceNumber(0x12_3456_789a),
                inline_qos,
                payload: Payload::Data(&[]),
            };
            let mut parts = BytesMut::new();
            header.encode(&mut parts);
            Submessage::InfoTimestamp(Some(time)).encode(&mut parts);
            let message = Submessage::Data(data);
            let padding = match to_end {
                true => message.encode_head_to_end(more, &mut parts),
                false => message.encode_head_before(more, &mut parts),
            };
            let mut whole = BytesMut::new();
            assert_eq!(
                data.encode_head_alone(&header, time, (more, to_end), &mut whole),
                padding
            );
            assert_eq!(whole, parts);
        }
    }
}

#[test]
fn a_sample_is_read_at_once_whatever_its_inline_qos_says() {
    let list = |qos: InlineQos| {
        let mut list = BytesMut::new();
        qos.encode(&mut list);
        list
    };
    let hash = InlineQos {
        key_hash: Some([6; 16]),
        ..InlineQos::NONE
    };
    let disposed = InlineQos {
        status_info: Some(InlineQos::STATUS_DISPOSED),
        ..hash
    };
    let forwarded = InlineQos {
        origin: Some(SampleOrigin {
            original_writer: Some(SampleIdentity {
                writer: Guid::new(GuidPrefix([9; 12]), EntityId([0, 0, 1, 3])),
                sequence: SequenceNumber(0x12_3456_789a),
            }),
            ..SampleOrigin::default()
        }),
        ..InlineQos::NONE
    };
    for qos in [InlineQos::NONE, hash, disposed, forwarded] {
        let list = list(qos);
        let data = Data {
            reader: EntityId::UNKNOWN,
            writer: EntityId([1, 2, 3, 4]),
            sequence: SequenceNumber(1),
            inline_qos: match list.is_empty() {
                true => Parameters::NONE,
                false => Parameters::little_endian(&list),
            },
            payload: Payload::Data(&[7; 32]),
        };
        let sent = encode(&Submessage::Data(data));
        let mut submessages = Message::parse(&sent).unwrap().submessages;
        assert_eq!(submessages.next_user_sample(), Some((None, data)));
        assert!(submessages.is_empty());
        assert_eq!(InlineQos::parse(data.inline_qos), Ok(qos));
        // A list without end is left to whoever says what is wrong with it.
        if let Some(sentinel) = sent.len().checked_sub(32 + 4).filter(|_| !list.is_empty()) {
            let mut endless = sent.clone();
            endless[sentinel] = 2;
            let mut submessages = Message::parse(&endless).unwrap().submessages;
            assert_eq!(submessages.next_user_sample(), None);
        }
    }
}

/// A list of parameters with a sentinel.
fn list(parameters: &[(u16, &[u8])]) -> Vec<u8> {
    let mut list = Vec::new();
    for (id, value) in parameters {
        list.extend_from_slice(&id.to_le_bytes());
        list.extend_from_slice(&u16::try_from(value.len()).unwrap().to_le_bytes());
        list.extend_from_slice(value);
    }
    list.extend_from_slice(&[1, 0, 0, 0]);
    list
}

#[test]
fn identities_stand_as_the_standards_and_fast_dds_have_them() {
    let guid: Vec<u8> = (1..=16).collect();
    let value = [&guid[..], &[1, 0, 0, 0, 2, 0, 0, 0]].concat();
    let identity = SampleIdentity {
        writer: Guid::new(
            GuidPrefix(guid[..12].try_into().unwrap()),
            EntityId(guid[12..].try_into().unwrap()),
        ),
        sequence: SequenceNumber(0x1_0000_0002),
    };
    let parse = |list: &[u8]| {
        InlineQos::parse(Parameters::little_endian(list))
            .unwrap()
            .origin
    };
    let related = SampleOrigin {
        related: Some(identity),
        ..SampleOrigin::default()
    };
    let original = SampleOrigin {
        original_writer: Some(identity),
        ..SampleOrigin::default()
    };
    // The writer's QoS may follow in ORIGINAL_WRITER_INFO.
    let with_qos = [&value[..], &[1, 0, 0, 0]].concat();
    assert_eq!(parse(&list(&[(0x61, &with_qos)])), Some(original));
    assert_eq!(parse(&list(&[(0x83, &value)])), Some(related));
    // Older versions of Fast DDS know their own number alone; newer ones say both.
    assert_eq!(parse(&list(&[(0x800f, &value)])), Some(related));
    let both = list(&[(0x83, &value), (0x800f, &value)]);
    assert_eq!(parse(&both), Some(related));
    let mut written = BytesMut::new();
    let qos = InlineQos {
        origin: Some(related),
        ..InlineQos::NONE
    };
    qos.encode(&mut written);
    assert_eq!(written, both);
    // Its sequence number is unknown, since a request has the number that it has.
    let unknown = [&guid[..], &[255, 255, 255, 255, 0, 0, 0, 0]].concat();
    let request = parse(&list(&[(0x83, &unknown)])).unwrap().related.unwrap();
    assert_eq!(request.sequence, SequenceNumber::UNKNOWN);
}

#[test]
fn an_origin_that_cannot_be_leaves_the_sample_as_it_is() {
    for wrong in [&[][..], &[1; 20], &[0; 24]] {
        for id in [0x61, 0x83, 0x800f, 0x8d07] {
            let list = list(&[(0x71, &[0, 0, 0, 1]), (id, wrong)]);
            let qos = InlineQos::parse(Parameters::little_endian(&list)).unwrap();
            assert_eq!(qos.status_info, Some(1));
            if id != 0x8d07 {
                assert_eq!(qos.origin, None);
            }
        }
    }
}
