//! What happens to values that the type of the reader cannot hold.

use std::collections::BTreeMap;

use bytes::{Bytes, BytesMut};
use dunlin_cdr::{Error, String16, Topic, from_payload, to_payload_as};
use dunlin_derive::{Data, Topic};

use super::{WORLDS, round_trip};

#[derive(Data, Debug, Clone, Copy, PartialEq)]
#[topic(crate = "dunlin_cdr")]
enum Color {
    Red,
    #[topic(default)]
    Green,
}

#[derive(Data, Debug, Clone, Copy, PartialEq)]
#[topic(crate = "dunlin_cdr", bitmask, flag(A), flag(B), default)]
struct Flags(u32);

#[derive(Data, Debug, Clone, PartialEq)]
#[topic(
    crate = "dunlin_cdr",
    extensibility = "final",
    discriminator("Color", try_construct = "use_default")
)]
enum Choice {
    #[topic(case = Color::Red, name = "red")]
    Red(u8),
    #[topic(case = Color::Green, name = "green")]
    Green(u16),
}

#[derive(Data, Debug, Clone, PartialEq)]
#[topic(crate = "dunlin_cdr")]
struct Inner {
    #[topic(bound = 2)]
    text: String,
    #[topic(default = 9)]
    number: u8,
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", name = "Values", extensibility = "mutable")]
struct Receiver {
    #[topic(bound = 3, try_construct = "trim")]
    cut: String,
    #[topic(bound = 2, try_construct = "trim")]
    wide: String16,
    #[topic(bound = 3, try_construct = "use_default", default = "no")]
    replaced: String,
    #[topic(
        bound = 2,
        try_construct = "trim",
        element(bound = 1, try_construct = "trim")
    )]
    list: Vec<String>,
    #[topic(element(bound = 1, try_construct = "use_default"))]
    pair: Vec<Bytes>,
    #[topic(try_construct = "use_default", default = Color::Red)]
    color: Color,
    #[topic(try_construct = "use_default")]
    flags: Flags,
    #[topic(try_construct = "use_default")]
    inner: Inner,
    #[topic(try_construct = "use_default")]
    inners: Vec<Inner>,
    choice: Choice,
    #[topic(
        bound = 2,
        try_construct = "trim",
        map_key(bound = 1, try_construct = "trim"),
        element(bound = 1, try_construct = "trim")
    )]
    named: BTreeMap<String, Vec<u16>>,
    #[topic(bound = 1, try_construct = "trim")]
    maybe: Option<String>,
    last: u32,
}

const RECEIVER: &str = "enum Color { Red, @default_literal Green };
    bitmask Flags { A, B };
    @final union Choice switch (@try_construct(USE_DEFAULT) Color) {
        case Red: uint8 red; case Green: uint16 green; };
    struct Inner { string<2> text; @default(9) uint8 number; };
    @mutable struct Values {
        @try_construct(TRIM) string<3> cut; @try_construct(TRIM) wstring<2> wide;
        @try_construct(USE_DEFAULT) @default(\"no\") string<3> replaced;
        @try_construct(TRIM) sequence<@try_construct(TRIM) string<1>, 2> list;
        sequence<@try_construct(USE_DEFAULT) sequence<octet, 1>> pair;
        @try_construct(USE_DEFAULT) @default(Red) Color color;
        @try_construct(USE_DEFAULT) Flags flags;
        @try_construct(USE_DEFAULT) Inner inner;
        @try_construct(USE_DEFAULT) sequence<Inner> inners;
        Choice choice;
        @try_construct(TRIM) map<@try_construct(TRIM) string<1>,
            @try_construct(TRIM) sequence<uint16, 1>, 2> named;
        @optional @try_construct(TRIM) string<1> maybe;
        uint32 last; };";

#[derive(Data, Debug, Clone, PartialEq)]
#[topic(
    crate = "dunlin_cdr",
    name = "Choice",
    extensibility = "final",
    discriminator = "i32"
)]
enum AnyChoice {
    #[topic(case = 7)]
    Any(u16),
}

#[derive(Data, Debug, Clone, PartialEq)]
#[topic(crate = "dunlin_cdr", name = "Inner")]
struct AnyInner {
    text: String,
    number: u8,
}

#[derive(Topic, Debug, Clone, PartialEq)]
#[topic(crate = "dunlin_cdr", name = "Values", extensibility = "mutable")]
struct Sender {
    cut: String,
    wide: String16,
    replaced: String,
    list: Vec<String>,
    pair: Vec<Bytes>,
    color: i32,
    flags: u32,
    inner: AnyInner,
    inners: Vec<AnyInner>,
    choice: AnyChoice,
    named: BTreeMap<String, Vec<u16>>,
    maybe: Option<String>,
    last: u32,
}

fn inner(text: &str) -> AnyInner {
    AnyInner {
        text: text.into(),
        number: 1,
    }
}

fn sent() -> Sender {
    Sender {
        cut: "ab\u{e4}".into(),
        wide: "a\u{1d11e}".into(),
        replaced: "long".into(),
        list: vec!["xy".into(), "z".into(), "".into()],
        pair: vec![Bytes::from_static(b"12"), Bytes::from_static(b"3")],
        color: 5,
        flags: 4,
        inner: inner("long"),
        inners: vec![inner("a"), inner("long")],
        choice: AnyChoice::Any(7),
        named: [
            ("ab".into(), vec![1, 2]),
            ("cd".into(), vec![]),
            ("e".into(), vec![]),
        ]
        .into(),
        maybe: Some("xyz".into()),
        last: 0x0102_0304,
    }
}

fn expected() -> Receiver {
    Receiver {
        cut: "ab".into(),
        wide: "a".into(),
        replaced: "no".into(),
        list: vec!["x".into(), "z".into()],
        pair: vec![Bytes::new(), Bytes::from_static(b"3")],
        color: Color::Red,
        flags: Flags(0),
        inner: Inner {
            text: String::new(),
            number: 9,
        },
        inners: vec![],
        choice: Choice::Green(7),
        named: [("a".into(), vec![1]), ("c".into(), vec![])].into(),
        maybe: Some("x".into()),
        last: 0x0102_0304,
    }
}

#[test]
fn values_that_do_not_fit_are_cut_or_replaced() {
    round_trip(RECEIVER, &expected());
    for (xcdr, endianness) in WORLDS {
        let mut out = BytesMut::new();
        to_payload_as(&sent(), xcdr, endianness, &mut out).unwrap();
        let read: Receiver = from_payload(&out).unwrap();
        assert_eq!(read, expected(), "{xcdr:?}");
    }
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", name = "Values")]
struct Strict {
    color: Color,
    #[topic(bound = 1)]
    inners: Vec<Inner>,
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", name = "Values")]
struct Lenient {
    #[topic(try_construct = "trim")]
    color: Color,
    #[topic(bound = 1, try_construct = "trim")]
    inners: Vec<Inner>,
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", name = "Values")]
struct Source {
    color: i32,
    inners: Vec<AnyInner>,
}

#[test]
fn otherwise_the_sample_is_refused() {
    fn error<T: Topic + std::fmt::Debug>(color: i32, texts: &[&str]) -> Error {
        let inners = texts.iter().map(|text| inner(text)).collect();
        let mut out = BytesMut::new();
        let (xcdr, endianness) = WORLDS[2];
        to_payload_as(&Source { color, inners }, xcdr, endianness, &mut out).unwrap();
        from_payload::<T>(&out).unwrap_err()
    }
    let too_long = |length, bound| Error::BoundExceeded { length, bound };
    assert_eq!(error::<Strict>(2, &[]), Error::UnknownEnumerator(2));
    assert_eq!(error::<Strict>(0, &["", ""]), too_long(2, 1));
    assert_eq!(error::<Strict>(0, &["long"]), too_long(4, 2));
    // There is nothing to cut of an enumerator or a struct.
    assert_eq!(error::<Lenient>(2, &[]), Error::UnknownEnumerator(2));
    assert_eq!(error::<Lenient>(0, &["long"]), too_long(4, 2));
}
