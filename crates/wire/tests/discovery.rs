//! Discovery data come back as they were sent; what they do not say is as the standard assumes it.
#[path = "discovery/values.rs"]
mod values;

use dunlin_qos::*;
use dunlin_wire::*;
use proptest::prelude::*;
use values::*;

proptest! {
    #[test]
    fn writers(
        guid in guid(), topic in name(), type_name in name(), qos in policies(), publisher in group(),
        topic_data in octets(), unicast in locators(), multicast in locators(),
        (property, entity_name, type_information) in (properties(), name(), type_information()),
    ) {
        let qos = DataWriterQos { property, entity_name, ..qos };
        let writer = WriterData { type_information, qos, publisher, topic_data, unicast, multicast, ..WriterData::new(guid, topic, type_name) };
        let payload = writer.encode().unwrap();
        prop_assert_eq!(payload.len() % 4, 0);
        prop_assert_eq!(WriterData::parse(&payload), Ok(writer));
    }

    #[test]
    fn readers(
        guid in guid(), topic in name(), type_name in name(), qos in policies(), subscriber in group(), filter in duration(),
        representation in prop_oneof![
            Just(vec![DataRepresentation::Xcdr1]),
            Just(vec![DataRepresentation::Xcdr2, DataRepresentation::Xcdr1]),
            Just(vec![DataRepresentation::Xcdr1, DataRepresentation::Xml, DataRepresentation::Xcdr2]),
        ],
        topic_data in octets(), expects_inline_qos: bool, unicast in locators(), multicast in locators(),
        content_filter in prop::option::of(content_filter()),
        (max_sample_size, type_consistency) in (any::<Option<u32>>(), type_consistency()),
        (property, entity_name, type_information) in (properties(), name(), type_information()),
    ) {
        let PublisherQos { presentation, partition, group_data, .. } = subscriber;
        let qos = DataReaderQos {
            durability: qos.durability,
            deadline: qos.deadline,
            latency_budget: qos.latency_budget,
            liveliness: qos.liveliness,
            reliability: qos.reliability,
            destination_order: qos.destination_order,
            history: qos.history,
            resource_limits: qos.resource_limits,
            user_data: qos.user_data,
            ownership: qos.ownership,
            time_based_filter: filter,
            representation,
            type_consistency,
            property,
            entity_name,
            ..DataReaderQos::default()
        };
        let reader = ReaderData {
            type_information,
            max_sample_size,
            qos, subscriber: SubscriberQos { presentation, partition, group_data, ..SubscriberQos::default() }, topic_data, expects_inline_qos, unicast,
            multicast, content_filter, ..ReaderData::new(guid, topic, type_name)
        };
        let payload = reader.encode().unwrap();
        prop_assert_eq!(ReaderData::parse(&payload), Ok(reader));
    }

    #[test]
    fn participants(
        prefix: [u8; 12], domain: Option<u32>, domain_tag in name(), (builtin, builtin_endpoint_qos) in any::<(u32, u32)>(),
        lease_duration in duration(), expects_inline_qos: bool, manual_liveliness_count: i32, entity_name in name(),
        user_data in octets(), properties in properties(),
        (metatraffic_unicast, metatraffic_multicast) in (locators(), locators()),
        (default_unicast, default_multicast) in (locators(), locators()),
    ) {
        let participant = ParticipantData {
            domain, domain_tag, builtin_endpoints: BuiltinEndpoints(builtin), builtin_endpoint_qos, lease_duration,
            expects_inline_qos, manual_liveliness_count, metatraffic_unicast, metatraffic_multicast, default_unicast,
            default_multicast, entity_name, user_data, properties, vendor: VendorId::DUNLIN,
            ..ParticipantData::new(GuidPrefix(prefix))
        };
        let payload = participant.encode().unwrap();
        prop_assert_eq!(ParticipantData::parse(&payload), Ok(participant));
    }

    #[test]
    fn liveliness(prefix: [u8; 12], kind: [u8; 4], data in octets()) {
        let message = ParticipantMessage { prefix: GuidPrefix(prefix), kind, data: &data };
        let payload = message.encode();
        prop_assert_eq!(ParticipantMessage::parse(&payload), Ok(message));
    }

    #[test]
    fn introductions(prefix: [u8; 12], teller: [u8; 12], locators in locators()) {
        let (prefix, teller) = (GuidPrefix(prefix), GuidPrefix(teller));
        let mut said = GossipedParticipant { prefix, teller, locators };
        let payload = said.encode();
        said.locators.truncate(8);
        let key = GossipedParticipant::key(prefix, teller);
        prop_assert_eq!(parse_key(&payload), Ok(key));
        prop_assert_eq!(parse_key(&endpoint_key(key)), Ok(key));
        prop_assert_eq!(GossipedParticipant::parse(&payload, teller), Ok(said));
        let other = GuidPrefix(teller.0.map(|b| b ^ 1));
        prop_assert!(GossipedParticipant::parse(&payload, other).is_err(), "it names its teller");
    }

    #[test]
    fn keys(guid in guid()) {
        prop_assert_eq!(parse_key(&participant_key(guid)), Ok(guid));
        prop_assert_eq!(parse_key(&endpoint_key(guid)), Ok(guid));
        prop_assert_eq!(parse_key(&[&[0, 1, 0, 0][..], &guid.to_bytes()].concat()), Ok(guid));
    }
}

/// A payload of parameters, big endian: id and value.
fn big_endian(parameters: &[(u16, &[u8])]) -> Vec<u8> {
    let mut bytes = vec![0, 2, 0, 0];
    for (id, value) in parameters {
        bytes.extend_from_slice(&id.to_be_bytes());
        bytes.extend_from_slice(&(value.len() as u16).to_be_bytes());
        bytes.extend_from_slice(value);
    }
    bytes.extend_from_slice(&[0, 1, 0, 0]);
    bytes
}

const WRITER: [u8; 16] = *b"\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\0\0\x01\x02";

#[test]
fn big_endian_peers_are_understood() {
    let payload = big_endian(&[
        (0x005a, &WRITER),
        (0x0005, b"\0\0\0\x07Square\0\0"),
        (0x0007, b"\0\0\0\x02T\0\0\0"),
        (0x001a, b"\0\0\0\x01\0\0\0\x02\x80\0\0\0"),
        (0x001d, b"\0\0\0\x01"),
        (0x0023, b"\0\0\0\x03\x40\0\0\0"),
        (0x0006, b"\xff\xff\xff\xfe"),
        (0x0040, b"\0\0\0\0\0\0\0\x05"),
        (0x0041, b"\0\0\0\x0a\xff\xff\xff\xff\0\0\0\x02"),
        (0x0021, b"\0\0\0\x02\x01\0\0\0"),
        (0x0029, b"\0\0\0\x02\0\0\0\x02a\0\0\0\0\0\0\x03b*\0\0"),
        (0x0073, b"\0\0\0\x02\0\x02\0\0"),
        (
            0x002f,
            b"\0\0\0\x01\0\0\x1c\xf3\0\0\0\0\0\0\0\0\0\0\0\0\x7f\0\0\x01",
        ),
        (0x8123, b"\0\0\0\x01"),
        (0x0000, b"\0\0\0\x01"),
        (0x3abc, b""),
    ]);
    let writer = WriterData::parse(&payload).unwrap();
    assert_eq!((&*writer.topic, &*writer.type_name), ("Square", "T"));
    assert_eq!(writer.guid, Guid::from_bytes(WRITER));
    assert_eq!(writer.participant.entity, EntityId::PARTICIPANT);
    assert!(!writer.qos.reliability.is_reliable());
    let blocking = writer.qos.reliability.max_blocking_time;
    assert_eq!(blocking, Duration::from_millis(2500));
    assert_eq!(writer.qos.durability, Durability::TransientLocal);
    assert_eq!(writer.qos.deadline, Duration::from_millis(3250));
    assert_eq!(writer.qos.ownership_strength, -2);
    assert_eq!(writer.qos.history, History::KeepLast(5));
    assert_eq!(writer.qos.resource_limits.max_samples, Some(10));
    assert_eq!(writer.qos.resource_limits.max_instances, None);
    assert_eq!(
        writer.publisher.presentation.access_scope,
        AccessScope::Group
    );
    assert!(writer.publisher.presentation.coherent_access);
    assert_eq!(writer.publisher.partition.0, ["a", "b*"]);
    assert_eq!(writer.qos.representation, DataRepresentation::Xcdr2);
    assert_eq!(
        writer.unicast,
        [Locator::udp_v4([127, 0, 0, 1].into(), 7411)]
    );
}

#[test]
fn what_is_not_said_is_the_default_of_the_standard() {
    let identity: [(u16, &[u8]); 3] = [
        (0x005a, &WRITER),
        (0x0005, b"\0\0\0\x02T\0\0\0"),
        (0x0007, b"\0\0\0\x02T\0\0\0"),
    ];
    let writer = WriterData::parse(&big_endian(&identity)).unwrap();
    assert_eq!(writer, WriterData::new(Guid::from_bytes(WRITER), "T", "T"));
    assert_eq!(writer.qos.reliability, Reliability::RELIABLE);
    assert_eq!(writer.qos.representation, DataRepresentation::Xcdr1);
    let reader = ReaderData::parse(&big_endian(&identity)).unwrap();
    let expected = ReaderData {
        leaves_out_type_consistency: true,
        ..ReaderData::new(Guid::from_bytes(WRITER), "T", "T")
    };
    assert_eq!(reader, expected);
    assert_eq!(reader.qos.reliability, Reliability::BEST_EFFORT);
    assert_eq!(reader.qos.representation, [DataRepresentation::Xcdr1]);
    assert!(!reader.expects_inline_qos);

    let guid = [&WRITER[..12], b"\0\0\x01\xc1"].concat();
    let participant = ParticipantData::parse(&big_endian(&[(0x50, &guid)])).unwrap();
    assert_eq!(participant.lease_duration, Duration::from_secs(100));
    assert_eq!(participant.builtin_endpoints, BuiltinEndpoints::REQUIRED);
    assert_eq!(participant.domain, None);
    let tagged = big_endian(&[(0x50, &guid), (0x4014, b"\0\0\0\x02t\0\0\0")]);
    assert_eq!(ParticipantData::parse(&tagged).unwrap().domain_tag, "t");
    let empty_list: (u16, &[u8]) = (0x0073, b"\0\0\0\0");
    let payload = big_endian(&[identity[0], identity[1], identity[2], empty_list]);
    let writer = WriterData::parse(&payload).unwrap();
    assert_eq!(writer.qos.representation, DataRepresentation::Xcdr1);
}

#[test]
fn what_cannot_be_written_is_refused_by_name() {
    let writer = WriterData::new(Guid::from_bytes(WRITER), "T", "T");
    let limit = |what, limit| Err(Error::Limit { what, limit });
    let long = WriterData {
        topic: "x".repeat(257),
        ..writer.clone()
    };
    assert_eq!(long.encode(), limit("topic name", 256));
    let nul = WriterData {
        type_name: "a\0b".into(),
        ..writer.clone()
    };
    assert_eq!(nul.encode(), limit("type name", 256));
    let mut crowd = writer.clone();
    crowd.publisher.partition = Partition(vec!["p".into(); 65]);
    assert_eq!(crowd.encode(), limit("partitions", 64));
    let mut large = writer;
    large.qos.user_data = vec![7; 65528];
    let payload = large.encode().unwrap();
    assert_eq!(WriterData::parse(&payload), Ok(large.clone()));
    large.qos.user_data = vec![7; 65529];
    assert_eq!(large.encode(), limit("parameter", 65532));
}

#[test]
fn a_filter_that_is_too_long_or_damaged_is_none() {
    let plain = ReaderData::new(Guid::from_bytes(WRITER), "T", "T");
    let filter = |expression: String, parameters| ContentFilterProperty {
        topic: "F".into(),
        related_topic: "T".into(),
        class: ContentFilterProperty::SQL.into(),
        expression,
        parameters,
    };
    let of = |filter| ReaderData {
        content_filter: Some(filter),
        ..plain.clone()
    };
    assert!(
        of(filter("x".repeat(4096), vec!["1".into(); 100]))
            .encode()
            .is_ok()
    );
    assert!(of(filter("x".repeat(4097), vec![])).encode().is_err());
    assert!(
        of(filter("x".into(), vec!["1".into(); 101]))
            .encode()
            .is_err()
    );
    assert!(
        of(filter("x".into(), vec!["1".repeat(1025)]))
            .encode()
            .is_err()
    );
    assert!(of(filter("x\0".into(), vec![])).encode().is_err());

    // The number of parameters stands at the end: as many as there cannot be.
    let payload = of(filter("x = 1".into(), vec![])).encode().unwrap();
    let place = payload.windows(5).position(|w| w == b"x = 1").unwrap() + 8;
    let mut damaged = payload.to_vec();
    damaged[place..place + 4].copy_from_slice(&7u32.to_le_bytes());
    assert_eq!(ReaderData::parse(&damaged), Ok(plain));
}

/// A list in discovery data of either byte order.
fn listed(endianness: Endianness, parameters: &[(u16, &[u8])]) -> Vec<u8> {
    let number = |number: u16| match endianness {
        Endianness::Little => number.to_le_bytes(),
        Endianness::Big => number.to_be_bytes(),
    };
    let mut list = vec![
        0,
        if endianness == Endianness::Little {
            3
        } else {
            2
        },
        0,
        0,
    ];
    for (id, value) in parameters {
        list.extend_from_slice(&number(*id));
        list.extend_from_slice(&number(u16::try_from(value.len()).unwrap()));
        list.extend_from_slice(value);
    }
    list.extend_from_slice(&number(1));
    list.extend_from_slice(&[0, 0]);
    list
}

#[test]
fn what_has_no_field_is_kept_as_it_came() {
    let guid: Vec<u8> = (1..=12).chain([0, 0, 1, 0xc1]).collect();
    for endianness in [Endianness::Little, Endianness::Big] {
        let payload = listed(
            endianness,
            &[
                (0x50, &guid),
                (0x8abc, &[1, 2, 3, 4]),
                (0x75, &[]),
                (0, &[9; 4]),
            ],
        );
        let data = ParticipantData::parse(&payload).unwrap();
        let unknown: Vec<_> = data.unknown.iter().collect();
        let expected = [
            (ParameterId(0x8abc), &[1, 2, 3, 4][..]),
            (ParameterId::TYPE_INFORMATION, &[]),
        ];
        assert_eq!(unknown, expected);
        assert_eq!(data.unknown.endianness(), endianness);
        assert!(!data.unknown.is_cut());
        // They are said again if that means the same.
        let again = ParticipantData::parse(&data.encode().unwrap()).unwrap();
        assert_eq!(
            again.unknown == data.unknown,
            endianness == Endianness::Little
        );
        // What must be understood is not kept but refused.
        let payload = listed(endianness, &[(0x50, &guid), (0x4abc, &[0; 4])]);
        assert!(ParticipantData::parse(&payload).is_err());
    }
}

#[test]
fn of_what_has_no_field_no_more_is_kept_than_a_few_kilobytes() {
    let mut writer = ParameterWriter::payload();
    let known = WriterData::new(
        Guid::new(GuidPrefix([1; 12]), EntityId([0, 0, 1, 2])),
        "T",
        "Type",
    );
    let known = known.encode().unwrap();
    let mut payload = known[..known.len() - 4].to_vec();
    for id in 0..100 {
        writer.put(ParameterId(0x8100 + id), |value| {
            value.extend_from_slice(&[7; 400])
        });
    }
    // One that is too long alone leaves room for those behind it.
    let long = [
        &0x8200u16.to_le_bytes()[..],
        &5000u16.to_le_bytes(),
        &[1; 5000],
    ]
    .concat();
    payload.extend_from_slice(&long);
    payload.extend_from_slice(&writer.finish().unwrap()[4..]);
    let data = WriterData::parse(&payload).unwrap();
    assert!(data.unknown.is_cut());
    let kept: Vec<_> = data
        .unknown
        .iter()
        .map(|(id, value)| (id.0, value.len()))
        .collect();
    let expected: Vec<_> = (0..10).map(|id| (0x8100 + id, 400)).collect();
    assert_eq!(kept, expected);
    assert_eq!(data.topic, "T");
}

const READER: [u8; 16] = *b"\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\0\0\x01\x07";

/// What a writer and a reader say of their type in a list of this order.
fn told(
    endianness: Endianness,
    information: &[u8],
) -> [(Option<EncodedTypeInformation>, UnknownParameters); 2] {
    let length = match endianness {
        Endianness::Little => 2_u32.to_le_bytes(),
        Endianness::Big => 2_u32.to_be_bytes(),
    };
    let name = [&length[..], b"T\0\0\0"].concat();
    let of = |guid: &[u8]| {
        let list = [
            (0x5a, guid),
            (0x05, &name[..]),
            (0x07, &name),
            (0x75, information),
            (0x8abc, &[1, 2, 3, 4]),
        ];
        listed(endianness, &list)
    };
    let writer = WriterData::parse(&of(&WRITER)).unwrap();
    let reader = ReaderData::parse(&of(&READER)).unwrap();
    [
        (writer.type_information, writer.unknown),
        (reader.type_information, reader.unknown),
    ]
}

#[test]
fn type_information_is_kept_apart_with_its_byte_order() {
    for endianness in [Endianness::Little, Endianness::Big] {
        for (information, unknown) in told(endianness, &[9; 8192]) {
            let information = information.unwrap();
            assert_eq!(information.bytes[..], [9; 8192]);
            assert_eq!(information.endianness, endianness);
            assert!(!unknown.is_cut());
            assert_eq!(unknown.iter().count(), 1);
        }
    }
}

#[test]
fn type_information_that_is_empty_or_too_large_costs_nothing_but_itself() {
    for endianness in [Endianness::Little, Endianness::Big] {
        for (information, unknown) in told(endianness, &[9; 8196]) {
            assert_eq!(information, None);
            assert!(unknown.is_cut());
            assert_eq!(unknown.iter().count(), 1);
        }
        for (information, unknown) in told(endianness, &[]) {
            assert_eq!(information, None);
            assert!(!unknown.is_cut());
        }
    }
}

#[test]
fn type_information_of_the_other_byte_order_is_not_said_again() {
    let guid = Guid::from_bytes(WRITER);
    let mut writer = WriterData::new(guid, "T", "T");
    writer.type_information = Some(EncodedTypeInformation {
        endianness: Endianness::Big,
        ..EncodedTypeInformation::little_endian(vec![1, 2, 3, 4])
    });
    let again = WriterData::parse(&writer.encode().unwrap()).unwrap();
    assert_eq!(again.type_information, None);
    writer.type_information = Some(EncodedTypeInformation::little_endian(vec![1; 8193]));
    let error = writer.encode().unwrap_err().to_string();
    assert!(error.contains("type information"), "{error}");
}

#[test]
fn the_type_lookup_service_has_four_endpoints_without_keys() {
    let endpoints = [
        (
            EntityId::TYPE_LOOKUP_REQUEST_WRITER,
            0x0003_00c3_u32,
            BuiltinEndpoints::TYPE_LOOKUP_REQUEST_WRITER,
        ),
        (
            EntityId::TYPE_LOOKUP_REQUEST_READER,
            0x0003_00c4,
            BuiltinEndpoints::TYPE_LOOKUP_REQUEST_READER,
        ),
        (
            EntityId::TYPE_LOOKUP_REPLY_WRITER,
            0x0003_01c3,
            BuiltinEndpoints::TYPE_LOOKUP_REPLY_WRITER,
        ),
        (
            EntityId::TYPE_LOOKUP_REPLY_READER,
            0x0003_01c4,
            BuiltinEndpoints::TYPE_LOOKUP_REPLY_READER,
        ),
    ];
    for (bit, (entity, id, endpoint)) in (12..).zip(endpoints) {
        assert_eq!(u32::from_be_bytes(entity.0), id);
        assert_eq!(endpoint, BuiltinEndpoints(1 << bit));
        let kind = match bit {
            12 | 14 => EntityKind::WriterNoKey,
            _ => EntityKind::ReaderNoKey,
        };
        assert_eq!(entity.kind(), kind);
        // Nobody is asked who does not say that it answers.
        assert!(!BuiltinEndpoints::REQUIRED.contains(endpoint));
    }
}
