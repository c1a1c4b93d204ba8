//! Samples of one type made of those of another.

use std::time::Duration;

use bytes::BytesMut;
use dunlin_cdr::{
    Constant, Endianness, Topic, Xcdr, from_payload, key_to_payload_as, to_payload_as,
};
use dunlin_derive::{Data, Topic};
use dunlin_xtypes::{
    Assignment, Converter, DynamicType, KeyPlan, Mapping, MappingError, MemberPath, Origin, Value,
    ValueError,
};

#[derive(Data, Debug, Clone, Copy, PartialEq, Default)]
#[topic(crate = "dunlin_cdr")]
enum Mode {
    #[default]
    Off = 0,
    On = 5,
}

#[derive(Data, Debug, Clone, PartialEq, Default)]
#[topic(crate = "dunlin_cdr", extensibility = "appendable")]
struct Position {
    #[key]
    zone: u16,
    x: f64,
    y: f64,
}

#[derive(Topic, Debug, Clone, PartialEq, Default)]
#[topic(crate = "dunlin_cdr", extensibility = "mutable")]
struct In {
    #[key]
    name: String,
    count: i64,
    #[key]
    #[topic(id = 40)]
    at: Position,
    words: Vec<String>,
    maybe: Option<u32>,
    mode: Mode,
    ratio: f64,
}

#[derive(Data, Debug, Clone, PartialEq, Default)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
struct Time {
    sec: i32,
    nanosec: u32,
}

#[derive(Topic, Debug, Clone, PartialEq, Default)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
struct Out {
    stamp: Time,
    nanoseconds: u64,
    #[key]
    #[topic(bound = 4)]
    id: String,
    #[key]
    zone: u32,
    small: u8,
    mode: Mode,
    number: i32,
    words: Vec<String>,
    maybe: Option<u32>,
    other: Option<u64>,
    at: Where,
    fixed: String,
    rest: [u16; 3],
}

#[derive(Data, Debug, Clone, PartialEq, Default)]
#[topic(crate = "dunlin_cdr", extensibility = "mutable")]
struct Where {
    y: f32,
    text: String,
}

fn types() -> (DynamicType, DynamicType) {
    (
        DynamicType::of::<In>().unwrap(),
        DynamicType::of::<Out>().unwrap(),
    )
}

fn member(ty: &DynamicType, path: &str) -> MemberPath {
    MemberPath::new(ty, path).unwrap()
}

fn assignments(all: &[(&str, &str)]) -> Vec<Assignment> {
    let (from, to) = types();
    let made = all.iter().map(|(target, origin)| Assignment {
        target: member(&to, target),
        origin: match *origin {
            "@now" => Origin::Now,
            text if text.starts_with('\'') => {
                Origin::Constant(Constant::String8(text.trim_matches('\'').into()))
            }
            text => Origin::Member(member(&from, text)),
        },
    });
    made.collect()
}

const ALL: [(&str, &str); 9] = [
    ("stamp", "@now"),
    ("nanoseconds", "@now"),
    ("id", "name"),
    ("zone", "at.zone"),
    ("small", "count"),
    ("number", "mode"),
    ("other", "maybe"),
    ("fixed", "'here'"),
    ("at.text", "words[1]"),
];

fn mapping() -> Mapping {
    let (from, to) = types();
    Mapping::new(&from, &to, &assignments(&ALL)).unwrap()
}

fn payload<T: Topic>(value: &T, xcdr: Xcdr, endianness: Endianness) -> BytesMut {
    let mut out = BytesMut::new();
    to_payload_as(value, xcdr, endianness, &mut out).unwrap();
    out
}

const WORLDS: [(Xcdr, Endianness); 4] = [
    (Xcdr::V1, Endianness::Big),
    (Xcdr::V1, Endianness::Little),
    (Xcdr::V2, Endianness::Big),
    (Xcdr::V2, Endianness::Little),
];

fn sample() -> In {
    In {
        name: "RED".into(),
        count: 200,
        at: Position {
            zone: 7,
            x: 1.0,
            y: -2.5,
        },
        words: vec!["a".into(), "bcd".into()],
        maybe: Some(9),
        mode: Mode::On,
        ratio: 0.5,
    }
}

#[test]
fn members_are_copied_converted_and_filled_in() {
    let mapping = mapping();
    assert!(mapping.tells_time() && mapping.maps_keys());
    let now = Duration::new(1_700_000_000, 123);
    for (xcdr, endianness) in WORLDS {
        let mut out = BytesMut::new();
        let bytes = payload(&sample(), xcdr, endianness);
        mapping.map(&bytes, now, &mut out).unwrap();
        let expected = Out {
            stamp: Time {
                sec: 1_700_000_000,
                nanosec: 123,
            },
            nanoseconds: 1_700_000_000_000_000_123,
            id: "RED".into(),
            zone: 7,
            small: 200,
            mode: Mode::On,
            number: 5,
            words: vec!["a".into(), "bcd".into()],
            maybe: Some(9),
            other: Some(9),
            at: Where {
                y: -2.5,
                text: "bcd".into(),
            },
            fixed: "here".into(),
            rest: [0; 3],
        };
        assert_eq!(from_payload::<Out>(&out).unwrap(), expected);
        assert_eq!(out, payload(&expected, xcdr, Endianness::NATIVE));
        let (_, to) = types();
        to.validate(&out).unwrap();
    }
}

#[test]
fn what_is_absent_has_its_default() {
    let mapping = mapping();
    for (xcdr, endianness) in WORLDS {
        let value = In {
            words: vec!["only".into()],
            maybe: None,
            ..sample()
        };
        let mut out = BytesMut::new();
        let bytes = payload(&value, xcdr, endianness);
        mapping.map(&bytes, Duration::ZERO, &mut out).unwrap();
        let made: Out = from_payload(&out).unwrap();
        assert_eq!((made.maybe, made.other, &*made.at.text), (None, None, ""));
    }
}

#[test]
fn values_that_do_not_fit_are_refused() {
    let mapping = mapping();
    let too_large = In {
        count: 256,
        ..sample()
    };
    let too_long = In {
        name: "GREEN".into(),
        ..sample()
    };
    for value in [too_large, too_long] {
        for (xcdr, endianness) in WORLDS {
            let mut out = BytesMut::from(&b"before"[..]);
            let bytes = payload(&value, xcdr, endianness);
            let refused = mapping.map(&bytes, Duration::ZERO, &mut out);
            assert!(matches!(refused, Err(ValueError::DoesNotFit(_))));
            assert_eq!(out, &b"before"[..]);
        }
    }
    let mut out = BytesMut::new();
    let bytes = payload(&sample(), Xcdr::V2, Endianness::Little);
    let late = Duration::from_secs(1 << 31);
    let refused = mapping.map(&bytes, late, &mut out);
    assert!(matches!(refused, Err(ValueError::DoesNotFit(_))));
}

#[test]
fn a_dispose_of_one_instance_is_one_of_the_other() {
    let mapping = mapping();
    let (_, to) = types();
    for (xcdr, endianness) in WORLDS {
        let mut key = BytesMut::new();
        key_to_payload_as(&sample(), xcdr, endianness, &mut key).unwrap();
        let (mut made_key, mut made) = (BytesMut::new(), BytesMut::new());
        assert_eq!(mapping.map_key(&key, &mut made_key), Ok(true));
        let bytes = payload(&sample(), xcdr, endianness);
        mapping.map(&bytes, Duration::ZERO, &mut made).unwrap();
        let plan = KeyPlan::new(&to);
        assert_eq!(
            plan.key_hash_of_key(&made_key).unwrap(),
            plan.key_hash(&made).unwrap()
        );
    }
    // A key that is made of something else says nothing of a dispose.
    let (from, to) = types();
    let other = assignments(&[("id", "words[0]"), ("at.text", "name")]);
    let mapping = Mapping::new(&from, &to, &other).unwrap();
    assert!(!mapping.maps_keys());
    let mut key = BytesMut::new();
    key_to_payload_as(&sample(), Xcdr::V1, Endianness::Big, &mut key).unwrap();
    assert_eq!(mapping.map_key(&key, &mut BytesMut::new()), Ok(false));
}

#[test]
fn what_does_not_fit_is_said_with_both_types() {
    let (from, to) = types();
    let wrong = |all: &[(&str, &str)]| Mapping::new(&from, &to, &assignments(all)).unwrap_err();
    for (all, expected) in [
        (&[("id", "count")][..], "int64 does not fit string<4>"),
        (&[("at", "at")], "struct Position does not fit struct Where"),
        (&[("small", "'x'")], "the value does not fit uint8"),
        (&[("mode", "@now")], "enum Mode is no time"),
        (&[("id", "name"), ("id", "name")], "it is assigned twice"),
        (
            &[("stamp.sec", "maybe"), ("stamp", "@now")],
            "it is assigned twice",
        ),
        (
            &[("words[0]", "name")],
            "a part of sequence<string> cannot be assigned",
        ),
    ] {
        let error = wrong(all);
        assert!(error.to_string().starts_with(expected), "{error}");
        assert_eq!(error.assignment(), Some(all.len() - 1));
    }
    assert!(matches!(
        Mapping::new(&from, &DynamicType::of::<Other>().unwrap(), &[]),
        Err(MappingError::Unlike { .. })
    ));
}

#[derive(Topic, Debug, Clone, PartialEq, Default)]
#[topic(crate = "dunlin_cdr")]
struct Other {
    count: String,
}

#[derive(Topic, Debug, Clone, PartialEq, Default)]
#[topic(crate = "dunlin_cdr", extensibility = "mutable")]
struct Flat {
    #[key]
    a: u32,
    b: u32,
}

/// What a mutable type has of a member that comes twice is the same for all who look: what one
/// judges is what the other sees.
#[test]
fn the_last_of_members_that_come_twice_counts() {
    // EMHEADERs with length code 2: 4 bytes follow (DDS-XTypes 1.3 7.4.3.4.2).
    let members: [(u32, u32); 5] = [(1, 10), (0, 1), (1, 20), (0, 2), (1, 30)];
    let mut twice = vec![0, 0x0b, 0, 0, 40, 0, 0, 0];
    for (id, value) in members {
        twice.extend(((2_u32 << 28) | id).to_le_bytes());
        twice.extend(value.to_le_bytes());
    }
    let seen = Flat { a: 2, b: 30 };
    assert_eq!(from_payload::<Flat>(&twice).unwrap(), seen);
    let ty = DynamicType::of::<Flat>().unwrap();
    for (path, value) in [("a", 2), ("b", 30)] {
        let found = member(&ty, path).locate(&twice).unwrap().unwrap();
        assert_eq!(found.value(), Some(Value::Unsigned(value)), "{path}");
    }
    for xcdr in [Xcdr::V1, Xcdr::V2] {
        let mut out = BytesMut::new();
        let converter = Converter::new(&ty, xcdr, Endianness::NATIVE);
        converter.convert(&twice, &mut out).unwrap();
        assert_eq!(from_payload::<Flat>(&out).unwrap(), seen);
    }
    let assignment = Assignment {
        target: member(&ty, "a"),
        origin: Origin::Member(member(&ty, "b")),
    };
    let mapping = Mapping::new(&ty, &ty, &[assignment]).unwrap();
    let mut out = BytesMut::new();
    mapping.map(&twice, Duration::ZERO, &mut out).unwrap();
    assert_eq!(from_payload::<Flat>(&out).unwrap(), Flat { a: 30, b: 30 });
    let hash = KeyPlan::new(&ty).key_hash(&twice).unwrap();
    let once = payload(&seen, Xcdr::V2, Endianness::NATIVE);
    assert_eq!(KeyPlan::new(&ty).key_hash(&once).unwrap(), hash);
}
