//! Attributes of members of structs.

use bytes::Bytes;
use dunlin_cdr::{
    Char8, Deserialize, Endianness, Error, Float128, Row, String16, Xcdr, from_payload,
    to_payload_as,
};
use dunlin_derive::{Data, Topic};

use super::{WORLDS, round_trip, same};

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", name = "M::Named", extensibility = "mutable")]
struct Named {
    #[topic(name = "Type")]
    kind: i32,
    #[topic(name = "camelCase", id = 7)]
    camel_case: String,
    #[key]
    #[topic(must_understand)]
    r#match: u16,
    #[topic(must_understand)]
    last: Option<u8>,
}

#[test]
fn names_and_must_understand() {
    let idl = "module M { @mutable struct Named {
        long Type; @id(7) string camelCase; @key @must_understand unsigned short match;
        @must_understand @optional uint8 last; }; };";
    let value = Named {
        kind: 1,
        camel_case: "b".into(),
        r#match: 3,
        last: Some(4),
    };
    round_trip(idl, &value);
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr")]
struct Octets {
    #[key]
    #[topic(octet)]
    one: u8,
    two: u8,
    #[topic(octet)]
    several: [u8; 4],
    #[topic(octet)]
    maybe: Option<u8>,
    #[topic(octet, bound = 9)]
    list: Vec<u8>,
    #[topic(bound = 9)]
    bytes: Bytes,
    #[topic(uint8)]
    others: Bytes,
    #[topic(octet)]
    lists: Vec<Vec<u8>>,
}

#[test]
fn octets_are_not_small_integers() {
    let idl = "struct Octets { @key octet one; uint8 two; octet several[4]; @optional octet maybe;
        sequence<octet, 9> list; sequence<octet, 9> bytes; sequence<uint8> others;
        sequence<sequence<octet>> lists; };";
    let value = Octets {
        one: 1,
        two: 2,
        several: [3; 4],
        maybe: Some(4),
        list: vec![5, 6],
        bytes: Bytes::from_static(b"abc"),
        others: Bytes::new(),
        lists: vec![vec![1], vec![]],
    };
    round_trip(idl, &value);
}

#[derive(Data, Debug, Clone, Copy, PartialEq, Eq)]
#[topic(crate = "dunlin_cdr", default)]
enum Color {
    Red,
    #[topic(default)]
    Green,
    Blue,
}

const COLOR: &str = "enum Color { Red, @default_literal Green, Blue };";

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "appendable", default)]
struct Defaults {
    #[key]
    first: u8,
    #[topic(default = -5)]
    number: i16,
    #[topic(default = "text")]
    text: String,
    #[topic(default = "weit")]
    wide: String16,
    #[topic(default = true)]
    flag: bool,
    #[topic(default = 0.1)]
    float: f32,
    #[topic(default = Char8(b'c'))]
    letter: Char8,
    #[topic(default = Color::Blue)]
    color: Color,
    green: Color,
    #[topic(external, default = 18_446_744_073_709_551_615)]
    boxed: Box<u64>,
    #[topic(default = Float128::from_le_bytes([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f]))]
    long: Float128,
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", name = "Defaults", extensibility = "mutable")]
struct Loose {
    #[key]
    first: u8,
    #[topic(default = "text")]
    text: String,
    #[topic(default = 7)]
    number: u32,
}

#[test]
fn defaults_are_what_a_sender_lacks() {
    let idl = format!(
        "{COLOR} struct Defaults {{ @key uint8 first; @default(-5) short number;
        @default(\"text\") string text; @default(L\"weit\") wstring wide; @default(TRUE) boolean flag;
        @default(0.1) float float; @default('c') char letter; @default(Blue) Color color;
        Color green; @external @default(18446744073709551615) uint64 boxed;
        @default(1.5) long double long; }};"
    )
    .replace("float float", "float _float")
    .replace("double long;", "double _long;");
    let defaults = Defaults::default();
    assert_eq!((defaults.number, defaults.text.as_str()), (-5, "text"));
    assert_eq!(
        (defaults.color, defaults.green),
        (Color::Blue, Color::Green)
    );
    assert_eq!((*defaults.boxed, defaults.flag), (u64::MAX, true));
    assert_eq!(defaults.wide.to_string(), "weit");
    assert_eq!(Color::default(), Color::Green);
    round_trip(&idl, &defaults);
    let short = |id: [u8; 2], body: &[u8]| [&id[..], &[0, 0], body].concat();
    let read: Defaults = from_payload(&short([0, 1], &[9])).unwrap();
    assert_eq!(
        read,
        Defaults {
            first: 9,
            ..Defaults::default()
        }
    );
    let read: Defaults = from_payload(&short([0, 9], &[1, 0, 0, 0, 9])).unwrap();
    assert_eq!(
        read,
        Defaults {
            first: 9,
            ..Defaults::default()
        }
    );
    // Parameter lists that are empty.
    let empty = [short([0, 3], &[2, 0x7f, 0, 0]), short([0, 11], &[0; 4])];
    for payload in empty {
        let read: Loose = from_payload(&payload).unwrap();
        assert_eq!((read.text.as_str(), read.number), ("text", 7));
    }
    let idl = "@mutable struct Defaults { @key uint8 first; @default(\"text\") string text;
        @default(7) unsigned long number; };";
    round_trip(idl, &Loose::default_value());
}

#[derive(Data, Debug, Clone, PartialEq, Default)]
#[topic(crate = "dunlin_cdr", extensibility = "final", nested)]
struct Base {
    #[key]
    id: i32,
    #[topic(id = 9, name = "Other")]
    other: i32,
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "final", base = "Base")]
struct Derived {
    #[key]
    id: i32,
    #[topic(id = 9, name = "Other")]
    other: i32,
    first: u8,
    #[topic(external)]
    inner: Box<Base>,
    #[topic(external)]
    maybe: Option<Box<Base>>,
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "final", base = "Derived")]
struct More {
    #[key]
    id: i32,
    #[topic(id = 9, name = "Other")]
    other: i32,
    first: u8,
    #[topic(external)]
    inner: Box<Base>,
    #[topic(external)]
    maybe: Option<Box<Base>>,
    last: u16,
}

#[test]
fn bases_and_externals() {
    let idl = "@final @nested struct Base { @key long id; @id(9) long Other; };
        @final struct Derived : Base { uint8 first; @external Base inner;
            @optional @external Base maybe; };";
    let base = Base { id: 1, other: 2 };
    let derived = Derived {
        id: 3,
        other: 4,
        first: 5,
        inner: base.clone().into(),
        maybe: None,
    };
    round_trip(idl, &derived);
    let more = More {
        id: 3,
        other: 4,
        first: 5,
        inner: base.clone().into(),
        maybe: Some(base.into()),
        last: 6,
    };
    let idl = format!("{idl} @final struct More : Derived {{ uint16 last; }};");
    round_trip(&idl, &more);
}

#[derive(Topic, Debug, PartialEq, Default)]
#[topic(crate = "dunlin_cdr", extensibility = "mutable", autoid = "hash")]
struct Hashed {
    #[key]
    color: i32,
    #[topic(name = "y")]
    why: i32,
    #[topic(id = 3)]
    z: i32,
}

#[derive(Topic, Debug, PartialEq, Default)]
#[topic(crate = "dunlin_cdr", extensibility = "mutable", autoid = "sequential")]
struct HashedMembers {
    first: i32,
    #[topic(hashid)]
    second: i32,
    #[topic(hashid = "shapesize")]
    third: i32,
    fourth: i32,
}

#[test]
fn ids_may_come_from_names() {
    let hashed = Hashed {
        color: 1,
        why: 2,
        z: 3,
    };
    round_trip(
        "@mutable @autoid(HASH) struct Hashed { @key long color; long y; @id(3) long z; };",
        &hashed,
    );
    let members = HashedMembers::default();
    let idl = "@mutable struct HashedMembers { long first; @hashid long second;
        @hashid(\"shapesize\") long third; long fourth; };";
    round_trip(idl, &members);
}

type Name = String;
type Names = Vec<Name>;

#[derive(Topic, Debug, PartialEq, Default, Clone)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
struct Aliases {
    #[topic(alias = "M::Names", bound = 10, element(alias = "M::Name", bound = 8))]
    names: Names,
    #[topic(element(alias = "M::Names", bound = 10, element(alias = "M::Name", bound = 8)))]
    lists: Vec<Names>,
    #[topic(alias = "M::Other", alias = "M::Name", bound = 8)]
    other: Option<Name>,
    #[topic(alias("M::Ratio", min = 0.0, max = 1.0, unit = "of all"), min = 0.5)]
    ratio: f64,
    #[topic(alias = "M::Matrix", element(element(alias = "M::Cell", octet)))]
    matrix: [[u8; 3]; 2],
    #[topic(
        bound = 3,
        map_key(alias = "M::Name", bound = 8),
        element(bound = 2, octet)
    )]
    map: std::collections::BTreeMap<Name, Vec<u8>>,
}

const ALIASES: &str = "module M { typedef string<8> Name; typedef sequence<Name, 10> Names;
    typedef Name Other; @range(min = 0.0, max = 1.0) @unit(\"of all\") typedef double Ratio;
    typedef octet Cell; typedef Cell Matrix[2][3]; };
    @final struct Aliases { M::Names names; sequence<M::Names> lists; @optional M::Other other;
        @min(0.5) M::Ratio ratio; M::Matrix matrix; map<M::Name, sequence<octet, 2>, 3> map; };";

#[test]
fn aliases_and_nested_bounds() {
    let idl = ALIASES.replace(" map; }", " _map; }");
    let value = Aliases {
        names: vec!["a".into(), "12345678".into()],
        lists: vec![vec![], vec!["b".into()]],
        other: Some("c".into()),
        ratio: 0.75,
        matrix: [[1, 2, 3], [4, 5, 6]],
        map: [("k".into(), vec![1, 2])].into(),
    };
    round_trip(&idl, &value);
    let too_long = |length, bound| Err(Error::BoundExceeded { length, bound });
    let mut out = bytes::BytesMut::new();
    let mut write = |value: &Aliases| to_payload_as(value, Xcdr::V2, Endianness::Little, &mut out);
    let names = vec!["123456789".into()];
    let wrong = Aliases {
        names: names.clone(),
        ..value.clone()
    };
    assert_eq!(write(&wrong), too_long(9, 8));
    let wrong = Aliases {
        lists: vec![names],
        ..value.clone()
    };
    assert_eq!(write(&wrong), too_long(9, 8));
    let wrong = Aliases {
        map: [("k".into(), vec![1, 2, 3])].into(),
        ..value.clone()
    };
    assert_eq!(write(&wrong), too_long(3, 2));
    let wrong = Aliases {
        map: [("123456789".into(), vec![])].into(),
        ..value
    };
    assert_eq!(write(&wrong), too_long(9, 8));
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", name = "Aliases", extensibility = "final")]
struct Unbounded {
    names: Vec<String>,
    lists: Vec<Vec<String>>,
    other: Option<String>,
    ratio: f64,
    matrix: [[u8; 3]; 2],
    map: std::collections::BTreeMap<String, Vec<u8>>,
}

#[test]
fn nested_bounds_are_checked_when_reading() {
    let value = Unbounded {
        names: vec![],
        lists: vec![vec!["123456789".into()]],
        other: None,
        ratio: 0.0,
        matrix: [[0; 3]; 2],
        map: Default::default(),
    };
    for (xcdr, endianness) in WORLDS {
        let mut out = bytes::BytesMut::new();
        to_payload_as(&value, xcdr, endianness, &mut out).unwrap();
        let expected = Err(Error::BoundExceeded {
            length: 9,
            bound: 8,
        });
        assert_eq!(from_payload::<Aliases>(&out), expected);
    }
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
struct KeyOfLists {
    #[key]
    #[topic(bound = 2, element(bound = 1))]
    words: Vec<String>,
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
struct KeyOfWords {
    #[key]
    #[topic(element(element(bound = 1)))]
    words: [[String; 1]; 2],
}

#[test]
fn keys_of_bounded_elements_fit_a_hash_or_not() {
    // 4 and 4 of the sequence, 6 and 2 to align, 6: 22 bytes.
    let idl = "@final struct KeyOfLists { @key sequence<string<1>, 2> words; };";
    round_trip(
        idl,
        &KeyOfLists {
            words: vec!["a".into()],
        },
    );
    // 4, 6, 2, 6: 18 bytes.
    let idl = "@final struct KeyOfWords { @key string<1> words[2][1]; };";
    round_trip(
        idl,
        &KeyOfWords {
            words: [["a".into()], ["b".into()]],
        },
    );
}

#[derive(Data, Debug, PartialEq, Default)]
#[topic(crate = "dunlin_cdr", extensibility = "final", nested)]
struct Annotated {
    #[topic(min = 1, max = 9, default = 5, octet)]
    a: u8,
    #[topic(unit = "m", min = -10)]
    b: Option<i32>,
}

#[test]
fn ranges_and_units() {
    same::<Annotated>(
        "@final @nested struct Annotated { @range(min = 1, max = 9) @default(5) octet a;
        @unit(\"m\") @min(-10) @optional long b; };",
    );
}

#[derive(Data, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
struct Item {
    #[topic(id = 2)]
    b: u32,
    #[key]
    #[topic(id = 1)]
    a: u8,
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
struct KeyOfItems {
    #[key]
    items: [Item; 1],
    #[key]
    tail: [u8; 5],
}

/// Elements are in a key as a whole, with their members as they are declared: 14 bytes.
#[test]
fn all_of_an_element_is_in_a_key() {
    let idl = "@final struct Item { @id(2) uint32 b; @key @id(1) uint8 a; };
        @final struct KeyOfItems { @key Item items[1]; @key uint8 tail[5]; };";
    let items = [Item {
        b: 0x0102_0304,
        a: 5,
    }];
    let value = KeyOfItems {
        items,
        tail: [9; 5],
    };
    round_trip(idl, &value);
    let expected = [0, 0, 0, 5, 1, 2, 3, 4, 5, 9, 9, 9, 9, 9, 0, 0];
    assert_eq!(dunlin_cdr::key_hash(&value), Ok(expected));
    assert_eq!(dunlin_cdr::key_max_size::<KeyOfItems>(), Some(14));
}

#[test]
fn an_error_names_the_element_that_is_too_long() {
    let mut value = Aliases {
        lists: vec![vec![], vec!["".into(), "123456789".into()]],
        ..Aliases::default()
    };
    let found = dunlin_cdr::faulty_member(&value, false);
    assert_eq!(found.as_deref(), Some("lists[1][1] (string<8>)"));
    value.lists.clear();
    value.map = [("123456789".into(), vec![])].into();
    let found = dunlin_cdr::faulty_member(&value, false);
    assert_eq!(found.as_deref(), Some("map[key 0] (string<8>)"));
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "mutable")]
struct Matrices {
    #[key]
    one: [[i16; 3]; 2],
    #[key]
    #[topic(element(alias = "Line"))]
    other: [Row<[i16; 3]>; 2],
    #[topic(element(alias = "Words", element(bound = 3)))]
    words: [Row<[String; 2]>; 1],
    #[topic(element(alias = "Lines", element(alias = "Line")))]
    list: Vec<[Row<[i16; 3]>; 2]>,
}

#[test]
fn arrays_of_arrays_have_more_lengths_than_those_of_two_dimensions() {
    let idl = "typedef short Line[3]; typedef Line Lines[2]; typedef string<3> Words[2];
        @mutable struct Matrices { @key short one[2][3]; @key Line other[2]; Words words[1];
            sequence<Lines> list; };";
    let line = [1, 2, 3];
    let lines = [Row(line), Row(line)];
    let value = Matrices {
        one: [line, line],
        other: lines,
        words: [Row(["a".into(), "abc".into()])],
        list: vec![lines],
    };
    round_trip(idl, &value);
    assert_eq!((lines[1][2], Row::from(line)), (3, lines[0]));
}
