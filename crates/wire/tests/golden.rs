//! What Cyclone DDS and Fast DDS send is understood, field by field.
mod common;

use bytes::BytesMut;
use common::{Golden, all, cyclone, fast, find};
use core::net::Ipv4Addr;
use dunlin_qos::{
    DataRepresentation, Durability, Duration, History, Reliability, ReliabilityKind, ResourceLimits,
};
use dunlin_wire::*;

fn kind(submessage: &Submessage<'_>) -> &'static str {
    match submessage {
        Submessage::Data(_) => "DATA",
        Submessage::DataFrag(_) => "DATA_FRAG",
        Submessage::Heartbeat(_) => "HEARTBEAT",
        Submessage::HeartbeatFrag(_) => "HEARTBEAT_FRAG",
        Submessage::AckNack(_) => "ACKNACK",
        Submessage::NackFrag(_) => "NACK_FRAG",
        Submessage::Gap(_) => "GAP",
        Submessage::InfoTimestamp(_) => "INFO_TS",
        Submessage::InfoDestination(_) => "INFO_DST",
        Submessage::InfoSource { .. } => "INFO_SRC",
        Submessage::InfoReply { .. } => "INFO_REPLY",
        Submessage::Pad => "PAD",
        Submessage::HeaderExtension(_) => "HEADER_EXTENSION",
        Submessage::Unknown(_) => "Unknown",
    }
}

fn guid(prefix: &str, entity: &str) -> Guid {
    let bytes = common::unhex(&[prefix, entity].concat());
    Guid::from_bytes(bytes.try_into().unwrap())
}

#[test]
fn each_datagram_holds_the_submessages_that_tshark_sees() {
    for golden in all() {
        let kinds: Vec<_> = golden.submessages().iter().map(kind).collect();
        assert_eq!(kinds, golden.kinds, "{}", golden.name);
    }
}

/// Both write little endian as we do, so even the bytes are the same: but for their own
/// submessages, and for times, which they round down.
#[test]
fn each_submessage_is_the_same_when_sent_again() {
    for golden in all() {
        let message = Message::parse(&golden.bytes).unwrap();
        let mut original = &golden.bytes[..];
        let mut out = BytesMut::new();
        message.header.encode(&mut out);
        assert_eq!(out, original[..Header::SIZE]);
        original = &original[Header::SIZE..];
        for submessage in golden.submessages() {
            if matches!(submessage, Submessage::Unknown(_)) {
                break;
            }
            out.truncate(Header::SIZE);
            submessage.encode(&mut out);
            let again = Message::parse(&out).unwrap().submessages.next().unwrap();
            assert_eq!(again, Ok(submessage.clone()), "{}", golden.name);
            let (sent, rest) = original.split_at(submessage.encoded_len());
            // Fast DDS begins with an ACKNACK whose base is 0; we write 1.
            let early = matches!(submessage, Submessage::AckNack(_)) && sent[12..20] == [0; 8];
            if !early && !matches!(submessage, Submessage::InfoTimestamp(_)) {
                assert_eq!(out[Header::SIZE..], *sent, "{}", golden.name);
            }
            original = rest;
        }
    }
}

#[test]
fn discovery_data_are_the_same_when_sent_again() {
    for golden in all() {
        for data in golden.samples_of(EntityId::SPDP_WRITER) {
            if let Payload::Data(payload) = data.payload {
                let mut participant = ParticipantData::parse(payload).unwrap();
                // Each product has its own words for that, and we have none.
                participant.product_version.clear();
                let again = participant.encode().unwrap();
                assert_eq!(ParticipantData::parse(&again), Ok(participant));
            }
        }
        for data in golden.samples_of(EntityId::SEDP_PUBLICATIONS_WRITER) {
            if let Payload::Data(payload) = data.payload {
                let writer = WriterData::parse(payload).unwrap();
                let again = writer.encode().unwrap();
                assert_eq!(WriterData::parse(&again), Ok(writer));
            }
        }
        for data in golden.samples_of(EntityId::SEDP_SUBSCRIPTIONS_WRITER) {
            if let Payload::Data(payload) = data.payload {
                let reader = ReaderData::parse(payload).unwrap();
                let again = reader.encode().unwrap();
                assert_eq!(ReaderData::parse(&again), Ok(reader));
            }
        }
        for data in golden.samples_of(EntityId::PARTICIPANT_MESSAGE_WRITER) {
            let Payload::Data(payload) = data.payload else {
                continue;
            };
            let message = ParticipantMessage::parse(payload).unwrap();
            assert_eq!(message.kind, ParticipantMessage::AUTOMATIC);
            let again = message.encode();
            assert!(payload.starts_with(&again), "{}", golden.name);
        }
    }
}

#[test]
fn cyclone_announces_itself() {
    let goldens = cyclone();
    let golden = find(&goldens, "keyed-xcdr2-dispose/5");
    let header = Message::parse(&golden.bytes).unwrap().header;
    assert_eq!(header.version, ProtocolVersion { major: 2, minor: 1 });
    assert_eq!(header.vendor, VendorId([1, 0x10]));
    let data = golden.samples_of(EntityId::SPDP_WRITER)[0];
    assert_eq!(data.reader, EntityId::SPDP_READER);
    let participant = ParticipantData::parse(data.payload.bytes()).unwrap();
    assert_eq!(participant.guid.prefix, header.prefix);
    assert_eq!(participant.guid.entity, EntityId::PARTICIPANT);
    assert_eq!(participant.domain, Some(0));
    assert_eq!(participant.domain_tag, "");
    assert_eq!(participant.lease_duration, Duration::from_secs(10));
    let liveliness = BuiltinEndpoints(0xc00);
    for endpoints in [BuiltinEndpoints::REQUIRED, liveliness] {
        assert!(participant.builtin_endpoints.contains(endpoints));
    }
    assert_eq!(participant.metatraffic_unicast, participant.default_unicast);
    assert_eq!(participant.default_unicast[0].address[12..], [127, 0, 0, 1]);
    let group = Locator::udp_v4(ports::SPDP_GROUP, ports::metatraffic_multicast(0).unwrap());
    assert_eq!(participant.metatraffic_multicast, [group]);
    let process = participant.properties.value("__ProcessName");
    assert_eq!(process, Some("cyclone_peer"));
    assert!(participant.product_version.ends_with("/0.10.2/Linux/Linux"));
}

#[test]
fn fast_announces_itself() {
    let goldens = fast();
    let golden = find(&goldens, "appendable-xcdr1/1");
    let header = Message::parse(&golden.bytes).unwrap().header;
    assert_eq!(header.version, ProtocolVersion { major: 2, minor: 3 });
    assert_eq!(header.vendor, VendorId([1, 0x0f]));
    let data = golden.samples_of(EntityId::SPDP_WRITER)[0];
    let participant = ParticipantData::parse(data.payload.bytes()).unwrap();
    assert_eq!(participant.guid.prefix, header.prefix);
    assert_eq!(participant.vendor, header.vendor);
    assert_eq!(participant.domain, None);
    assert_eq!(participant.builtin_endpoints, BuiltinEndpoints(0x0c3f_0c3f));
    assert_eq!(participant.lease_duration, Duration::from_secs(20));
    assert_eq!(participant.entity_name, "RTPSParticipant");
    let [locator] = participant.metatraffic_unicast[..] else {
        panic!("one locator");
    };
    let port = locator.port as u16;
    assert_eq!(locator, Locator::udp_v4(Ipv4Addr::LOCALHOST, port));
    assert!((0..50).any(|p| ports::metatraffic_unicast(0, p) == Some(port)));
    assert_eq!(participant.properties.values.len(), 4);
    let kind = participant.properties.value("PARTICIPANT_TYPE");
    assert_eq!(kind, Some("SIMPLE"));
}

#[test]
fn cyclone_offers_and_requests_xcdr2() {
    let goldens = cyclone();
    let golden = find(&goldens, "keyed-xcdr2-dispose/14");
    let data = golden.samples_of(EntityId::SEDP_PUBLICATIONS_WRITER)[0];
    let writer = WriterData::parse(data.payload.bytes()).unwrap();
    assert_eq!(writer.guid, guid("011020904d025e1cf31ed73c", "00000202"));
    assert_eq!(
        writer.participant,
        guid("011020904d025e1cf31ed73c", "000001c1")
    );
    assert_eq!(
        (&*writer.topic, &*writer.type_name),
        ("T", "interop::Keyed")
    );
    assert_eq!(writer.qos.representation, DataRepresentation::Xcdr2);
    assert_eq!(writer.qos.history, History::KeepAll);
    assert_eq!(writer.qos.reliability.kind, ReliabilityKind::Reliable);
    assert_eq!(writer.qos.deadline, Duration::INFINITE);
    assert!(writer.unicast.is_empty());

    let golden = find(&goldens, "keyed-xcdr2-dispose/10");
    let data = golden.samples_of(EntityId::SEDP_SUBSCRIPTIONS_WRITER)[0];
    let reader = ReaderData::parse(data.payload.bytes()).unwrap();
    assert_eq!(reader.guid, guid("01101a2846c3991254161d4e", "00000207"));
    assert_eq!(reader.qos.representation, [DataRepresentation::Xcdr2]);
    assert!(reader.qos.reliability.is_reliable());
    assert!(!reader.expects_inline_qos);
}

#[test]
fn what_cyclone_leaves_out_is_the_default() {
    let goldens = cyclone();
    let golden = find(&goldens, "besteffort/7");
    let data = golden.samples_of(EntityId::SEDP_SUBSCRIPTIONS_WRITER)[0];
    let reader = ReaderData::parse(data.payload.bytes()).unwrap();
    assert!(!reader.qos.reliability.is_reliable());
    assert_eq!(reader.qos.representation, [DataRepresentation::Xcdr1]);
    assert_eq!(reader.qos.durability, Durability::Volatile);
    let golden = find(&goldens, "besteffort/8");
    let data = golden.samples_of(EntityId::SEDP_PUBLICATIONS_WRITER)[0];
    let writer = WriterData::parse(data.payload.bytes()).unwrap();
    assert_eq!(writer.qos.reliability.kind, ReliabilityKind::BestEffort);
    assert_eq!(writer.qos.representation, DataRepresentation::Xcdr1);
}

#[test]
fn fast_says_all_of_its_policies() {
    let goldens = fast();
    let golden = find(&goldens, "keyed-dispose/16");
    let data = golden.samples_of(EntityId::SEDP_SUBSCRIPTIONS_WRITER)[0];
    let reader = ReaderData::parse(data.payload.bytes()).unwrap();
    assert_eq!(reader.guid, guid("010f7f01512291c400000000", "00000107"));
    assert_eq!(
        (&*reader.topic, &*reader.type_name),
        ("T", "interop::Keyed")
    );
    assert_eq!(reader.unicast, [Locator::udp_v4(Ipv4Addr::LOCALHOST, 7411)]);
    assert_eq!(reader.qos.reliability, Reliability::RELIABLE);
    assert_eq!(reader.qos.latency_budget, Duration::ZERO);
    assert_eq!(reader.qos.resource_limits, ResourceLimits::default());

    let golden = find(&goldens, "transient-local/18");
    let [data] = golden.samples_of(EntityId::SEDP_PUBLICATIONS_WRITER)[..] else {
        panic!("one writer");
    };
    let writer = WriterData::parse(data.payload.bytes()).unwrap();
    assert_eq!(writer.qos.durability, Durability::TransientLocal);
    assert_eq!(writer.qos.liveliness.lease_duration, Duration::INFINITE);
    assert_eq!(writer.qos.lifespan, Duration::INFINITE);
}

/// Each goodbye names the one who goes, in the key payload or as key hash.
#[test]
fn goodbyes_are_understood() {
    let mut seen = [0; 3];
    let writers = [
        EntityId::SPDP_WRITER,
        EntityId::SEDP_PUBLICATIONS_WRITER,
        EntityId::SEDP_SUBSCRIPTIONS_WRITER,
    ];
    for golden in all() {
        for (count, writer) in seen.iter_mut().zip(writers) {
            for data in golden.samples_of(writer) {
                let qos = InlineQos::parse(data.inline_qos).unwrap();
                let Some(status) = qos.status_info else {
                    assert!(matches!(data.payload, Payload::Data(_)));
                    continue;
                };
                assert_eq!(
                    status,
                    InlineQos::STATUS_DISPOSED | InlineQos::STATUS_UNREGISTERED
                );
                let gone = match data.payload {
                    Payload::Key(key) => parse_key(key).unwrap(),
                    _ => Guid::from_bytes(qos.key_hash.unwrap()),
                };
                let prefix = Message::parse(&golden.bytes).unwrap().header.prefix;
                assert_eq!(gone.prefix, prefix, "{}", golden.name);
                assert_eq!(
                    gone.entity == EntityId::PARTICIPANT,
                    writer == EntityId::SPDP_WRITER
                );
                *count += 1;
            }
        }
    }
    assert!(seen.iter().all(|n| *n > 0), "{seen:?}");
}

fn user_data<'a>(golden: &'a Golden) -> Data<'a> {
    let submessages = golden.submessages().into_iter();
    let mut user = submessages.filter_map(|s| match s {
        Submessage::Data(data) if !data.writer.is_builtin() => Some(data),
        _ => None,
    });
    user.next().expect(golden.name)
}

#[test]
fn disposed_and_unregistered_instances_are_named() {
    let goldens = fast();
    let data = user_data(find(&goldens, "keyed-dispose/23"));
    let qos = InlineQos::parse(data.inline_qos).unwrap();
    assert_eq!(data.payload, Payload::None);
    assert_eq!(data.sequence, SequenceNumber(5));
    assert_eq!(qos.status_info, Some(InlineQos::STATUS_DISPOSED));
    let hash = common::unhex("3eecf9d661a94593f3a5dab6d8e8f268");
    assert_eq!(qos.key_hash, hash.try_into().ok());

    let goldens = cyclone();
    let data = user_data(find(&goldens, "keyed-unregister/17"));
    let qos = InlineQos::parse(data.inline_qos).unwrap();
    assert_eq!(qos.status_info, Some(InlineQos::STATUS_UNREGISTERED));
    assert!(matches!(data.payload, Payload::Key(key) if key.len() > 4));
}

#[test]
fn fragments_are_where_they_say() {
    let goldens = cyclone();
    let golden = find(&goldens, "fragments-1mb/18");
    let Some(Submessage::DataFrag(frag)) = golden.submessages().pop() else {
        panic!("a fragment");
    };
    assert_eq!(frag.sequence, SequenceNumber(1));
    assert_eq!(frag.payload.len(), usize::from(frag.fragment_size));
    assert!((1_000_000..1_000_100).contains(&frag.sample_size));
    let golden = find(&goldens, "fragments-1mb/16");
    let missing = golden.submessages().into_iter().find_map(|s| match s {
        Submessage::NackFrag(nack) => Some(nack.state),
        _ => None,
    });
    assert_eq!(missing.unwrap().iter().count(), 10);

    let goldens = fast();
    let golden = find(&goldens, "fragments-1mb/37");
    let frag = golden.submessages().into_iter().find_map(|s| match s {
        Submessage::DataFrag(frag) => Some(frag),
        _ => None,
    });
    let frag = frag.unwrap();
    let range = frag.range().unwrap();
    assert_eq!(range.end, frag.sample_size as usize, "the last one");
    assert_eq!(range.len(), frag.payload.len());
}

#[test]
fn source_times_are_exact() {
    let goldens = fast();
    let golden = find(&goldens, "keyed-dispose/16");
    let time = golden.submessages().into_iter().find_map(|s| match s {
        Submessage::InfoTimestamp(time) => time,
        _ => None,
    });
    // 2026-11-20 18:29:07.414378258 UTC, says tshark.
    assert_eq!(time, Some(Timestamp(1_795_199_347_414_378_258)));
}

/// RTPS 2.5 9.4.5.1.3: a length of 0 leads to the end of the message, and 65535 bytes are the most
/// that can be said.
#[test]
fn what_is_too_long_to_say_goes_on_to_the_end() {
    let bytes: Vec<u8> = (0..70_000_u32).map(|n| (n / 7) as u8).collect();
    for (length, to_end, said) in [
        (65_512, false, [0xfc, 0xff]),
        (65_513, false, [0, 0]),
        (70_000, false, [0, 0]),
        (65_512, true, [0, 0]),
        (3, true, [0, 0]),
    ] {
        let payload = &bytes[..length];
        let data = Submessage::Data(Data {
            reader: EntityId::UNKNOWN,
            writer: EntityId::UNKNOWN,
            sequence: SequenceNumber(1),
            inline_qos: Parameters::NONE,
            payload: Payload::Data(payload),
        });
        let mut out = BytesMut::new();
        Header::new(GuidPrefix([1; 12])).encode(&mut out);
        Submessage::InfoTimestamp(Some(Timestamp(5 << 32))).encode(&mut out);
        let start = out.len();
        let padding = match to_end {
            true => data.encode_head_to_end(0, &mut out),
            false => data.encode_head(&mut out),
        };
        assert_eq!(out[start..start + 4], [0x15, 5, said[0], said[1]]);
        out.extend_from_slice(payload);
        out.extend_from_slice(&[0; 3][..padding]);
        assert_eq!(out.len() % 4, 0);
        let read: Vec<_> = Message::parse(&out).unwrap().into_iter().collect();
        let [
            Ok(Submessage::InfoTimestamp(Some(_))),
            Ok(Submessage::Data(got)),
        ] = &read[..]
        else {
            panic!("{length}: {} submessages", read.len());
        };
        let got = got.payload.bytes();
        assert_eq!(&got[..length], payload);
        assert!(got.len() - length < 4);
    }
}
