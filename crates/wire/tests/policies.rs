//! Policies as peers send them: in full, in short, and damaged.
mod common;

use common::{cyclone, fast};
use dunlin_qos::{
    BinaryProperty, Duration, LivelinessKind, Properties, Property, TypeConsistencyEnforcement,
};
use dunlin_wire::{EntityId, Error, Guid, Parameters, ReaderData, WriterData};

const READER: [u8; 16] = *b"\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\0\0\x01\x07";

/// An announcement of a reader with one parameter more, in both byte orders; numbers of the value
/// are given for either.
fn announced(id: u16, value: [&[u8]; 2]) -> [Result<ReaderData, Error>; 2] {
    let swap = [u16::to_le_bytes as fn(u16) -> [u8; 2], u16::to_be_bytes];
    core::array::from_fn(|order| {
        let (name, swap) = (
            [&b"\x02\0\0\0T\0\0\0"[..], b"\0\0\0\x02T\0\0\0"][order],
            swap[order],
        );
        let mut payload = vec![0, [3, 2][order], 0, 0];
        let identity: [(u16, &[u8]); 4] = [
            (0x005a, &READER),
            (0x0005, name),
            (0x0007, name),
            (id, value[order]),
        ];
        for (id, value) in identity {
            payload.extend(swap(id));
            payload.extend(swap(u16::try_from(value.len()).unwrap()));
            payload.extend_from_slice(value);
        }
        payload.extend(swap(1));
        payload.extend([0, 0]);
        ReaderData::parse(&payload)
    })
}

fn consistency(value: [&[u8]; 2]) -> [Result<TypeConsistencyEnforcement, Error>; 2] {
    announced(0x0074, value).map(|reader| reader.map(|r| r.qos.type_consistency))
}

#[test]
fn type_consistency_is_read_in_full_and_in_short() {
    let usual = TypeConsistencyEnforcement::default();
    let disallow = TypeConsistencyEnforcement::DISALLOW;
    let strict = TypeConsistencyEnforcement {
        ignore_sequence_bounds: false,
        ignore_string_bounds: false,
        ignore_member_names: true,
        prevent_type_widening: true,
        force_type_validation: true,
        ..usual
    };
    let table: [([&[u8]; 2], _); 8] = [
        // As Cyclone DDS and Fast DDS send the defaults.
        (
            [b"\x01\0\x01\x01\0\0\0\0", b"\0\x01\x01\x01\0\0\0\0"],
            usual,
        ),
        (
            [b"\x01\0\0\0\x01\x01\x01\0", b"\0\x01\0\0\x01\x01\x01\0"],
            strict,
        ),
        ([b"\0\0\0\0\0\x01\0\0", b"\0\0\0\0\0\x01\0\0"], disallow),
        // The first edition of the standard: a kind alone.
        ([b"\x01\0\0\0", b"\0\x01\0\0"], usual),
        ([b"\0\0\0\0", b"\0\0\0\0"], disallow),
        // A kind of some product's own, and one that no 16 bits are for.
        (
            [b"\x02\0\x01\x01\0\0\0\0", b"\0\x02\x01\x01\0\0\0\0"],
            usual,
        ),
        ([b"\xff\xff\0\0", b"\xff\xff\0\0"], usual),
        // Any bits but none are true.
        (
            [b"\x01\0\xff\x02\0\0\0\x07", b"\0\x01\xff\x02\0\0\0\x07"],
            usual,
        ),
    ];
    for (value, expected) in table {
        let expected = Ok(expected);
        assert_eq!(consistency(value), [expected, expected], "{value:x?}");
    }
}

#[test]
fn type_consistency_without_a_kind_is_refused() {
    for read in consistency([b"", b""]) {
        assert!(read.is_err(), "{read:?}");
    }
}

#[test]
fn type_consistency_takes_eight_bytes_and_is_never_left_out() {
    let mut reader = ReaderData::new(Guid::from_bytes(READER), "T", "T");
    reader.qos.type_consistency = TypeConsistencyEnforcement::default();
    let payload = reader.encode().unwrap();
    let written = b"\x74\0\x08\0\x01\0\x01\x01\0\0\0\0";
    let found = payload
        .windows(written.len())
        .any(|window| window == written);
    assert!(found, "{payload:x?}");
}

#[test]
fn type_consistency_that_is_left_out_stays_so() {
    let reader = ReaderData {
        leaves_out_type_consistency: true,
        ..ReaderData::new(Guid::from_bytes(READER), "T", "T")
    };
    let payload = reader.encode().unwrap();
    assert!(!payload.windows(4).any(|window| window == b"\x74\0\x08\0"));
    assert_eq!(ReaderData::parse(&payload), Ok(reader));
}

/// Fast DDS 2.9 always announces the default; Cyclone DDS leaves it out, which reads as
/// if it did not know the policy.
#[test]
fn other_products_ask_for_nothing_special() {
    let usual = TypeConsistencyEnforcement::default();
    for (goldens, expected) in [
        (fast(), usual),
        (cyclone(), TypeConsistencyEnforcement::DISALLOW),
    ] {
        let samples = goldens
            .iter()
            .flat_map(|golden| golden.samples_of(EntityId::SEDP_SUBSCRIPTIONS_WRITER));
        let readers = samples.map(|data| ReaderData::parse(data.payload.bytes()));
        let announced: Vec<_> = readers.filter_map(Result::ok).collect();
        assert!(!announced.is_empty());
        for reader in announced {
            assert_eq!(reader.qos.type_consistency, expected);
        }
    }
}

fn properties(value: [&[u8]; 2]) -> [Properties; 2] {
    announced(0x0059, value).map(|reader| reader.unwrap().qos.property)
}

#[test]
fn properties_are_read_with_bytes_and_without() {
    let texts = Properties::default().with("a", "xyz").with("bcd", "");
    let mut both = texts.clone();
    both.binary_values.push(BinaryProperty {
        name: "k".into(),
        value: vec![1, 2, 3, 4, 5],
        propagate: true,
    });
    const TEXTS: [&[u8]; 2] = [
        b"\x02\0\0\0\x02\0\0\0a\0\0\0\x04\0\0\0xyz\0\x04\0\0\0bcd\0\x01\0\0\0\0\0\0\0",
        b"\0\0\0\x02\0\0\0\x02a\0\0\0\0\0\0\x04xyz\0\0\0\0\x04bcd\0\0\0\0\x01\0\0\0\0",
    ];
    const BYTES: [&[u8]; 2] = [
        b"\x01\0\0\0\x02\0\0\0k\0\0\0\x05\0\0\0\x01\x02\x03\x04\x05\0\0\0",
        b"\0\0\0\x01\0\0\0\x02k\0\0\0\0\0\0\x05\x01\x02\x03\x04\x05\0\0\0",
    ];
    let with = |tail: [&[u8]; 2]| [0, 1].map(|order| [TEXTS[order], tail[order]].concat());
    let read = |value: [Vec<u8>; 2]| properties([&value[0], &value[1]]);
    assert_eq!(read(with([b"", b""])), [texts.clone(), texts.clone()]);
    assert_eq!(read(with(BYTES)), [both.clone(), both]);
    // None of them, and damaged ones: the texts are there all the same.
    assert_eq!(read(with([&[0; 4]; 2])), [texts.clone(), texts.clone()]);
    assert_eq!(read(with([&[0xff; 8]; 2])), [texts.clone(), texts]);
}

#[test]
fn damaged_properties_cost_no_endpoint() {
    let none = Properties::default();
    for value in [&b""[..], b"\xff\xff\xff\xff", b"\x01\0\0\x01abcd"] {
        assert_eq!(properties([value; 2]), [none.clone(), none.clone()]);
    }
}

#[test]
fn what_is_not_to_be_propagated_is_not_written() {
    let mut writer = WriterData::new(Guid::from_bytes(READER), "T", "T");
    let plain = writer.encode().unwrap();
    writer.qos.property.values.push(Property {
        name: "secret".into(),
        value: "stays here".into(),
        propagate: false,
    });
    assert_eq!(writer.encode().unwrap(), plain);
    writer.qos.property = writer.qos.property.with("place", "mudflat");
    let told = WriterData::parse(&writer.encode().unwrap()).unwrap();
    let expected = Properties::default().with("place", "mudflat");
    assert_eq!(told.qos.property, expected);
}

#[test]
fn more_properties_than_anybody_keeps_are_not_written() {
    let mut writer = WriterData::new(Guid::from_bytes(READER), "T", "T");
    writer.qos.property = Properties::default().with("n", "x".repeat(10_000));
    let refused = writer.encode().unwrap_err();
    assert!(matches!(
        refused,
        Error::Limit {
            what: "properties",
            ..
        }
    ));
    writer.qos.property = Properties::default().with("n\0", "");
    assert!(writer.encode().is_err());
}

fn name(value: [&[u8]; 2]) -> [String; 2] {
    announced(0x0062, value).map(|reader| reader.unwrap().qos.entity_name)
}

#[test]
fn names_of_endpoints_are_read_and_faulty_ones_cost_no_endpoint() {
    let left = [&b"\x05\0\0\0left\0\0\0\0"[..], b"\0\0\0\x05left\0\0\0\0"];
    assert_eq!(name(left), ["left", "left"]);
    for value in [&b""[..], b"\xff\xff\xff\xff", b"\x01\0\0\x01abcd"] {
        assert_eq!(name([value; 2]), ["", ""]);
    }
    // Not UTF-8: each byte becomes three.
    let long = [&301_u32.to_le_bytes()[..], &[0xc3; 300], &[0; 4]].concat();
    let [read, _] = announced(0x0062, [&long, b""]);
    let read = read.unwrap();
    let length = read.qos.entity_name.len();
    assert!((250..=256).contains(&length), "{length}");
    assert_eq!(ReaderData::parse(&read.encode().unwrap()), Ok(read));
}

/// Everybody's default, and the one value that products write and read differently.
#[test]
fn limits_without_end_are_left_out() {
    let guid = Guid::from_bytes(READER);
    let ids = |payload: &[u8]| -> Vec<u16> {
        let list = Parameters::little_endian(&payload[4..]);
        list.iter()
            .map(|parameter| parameter.unwrap().id.0)
            .collect()
    };
    let limits = [0x0023, 0x001b, 0x002b];
    let mut writer = WriterData::new(guid, "T", "T");
    let mut reader = ReaderData::new(guid, "T", "T");
    for payload in [writer.encode().unwrap(), reader.encode().unwrap()] {
        let said = ids(&payload);
        assert!(!limits.iter().any(|id| said.contains(id)), "{said:x?}");
    }
    let second = Duration::from_secs(1);
    writer.qos.deadline = second;
    writer.qos.lifespan = second;
    // The lease has no end, but the kind is not the default.
    writer.qos.liveliness.kind = LivelinessKind::ManualByTopic;
    reader.qos.deadline = second;
    reader.qos.liveliness.lease_duration = second;
    let payload = writer.encode().unwrap();
    assert!(limits.iter().all(|id| ids(&payload).contains(id)));
    assert_eq!(WriterData::parse(&payload), Ok(writer));
    let payload = reader.encode().unwrap();
    assert!(limits[..2].iter().all(|id| ids(&payload).contains(id)));
    assert_eq!(ReaderData::parse(&payload), Ok(reader));
}
