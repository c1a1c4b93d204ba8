//! What other products put on the wire. The bytes were written by Debian's Cyclone DDS 0.10.2
//! (idlc, `dds_write`, `dds_dispose`) and Fast DDS 2.9.1 (fastddsgen, `TopicDataType::serialize`,
//! `getKey`), on a little-endian machine, from this IDL:
//!
//! ```idl
//! module golden {
//!   enum Color { RED, GREEN, BLUE };
//!   @bit_bound(8) enum Small { ONE, TWO };
//!   @final struct Shape { @key string<128> color; long x; long y; long shapesize; sequence<octet> payload; };
//!   @final struct Point { double x; float y; };
//!   @appendable struct Inner { @key short id; octet tag; string name; };
//!   @final union Choice switch(long) { case 1: float t; case 2: case 3: sequence<string> words; default: octet other; };
//!   @appendable union Open switch(octet) { case 1: double d; case 2: Inner core; };
//!   @final struct Plain {
//!     @key octet o; boolean b; char c; short s; unsigned short us; long l; long long ll; float f; double d;
//!     long grid[2][3]; Color hue; Color colors[2]; Point spot; sequence<Point> points; sequence<double> doubles;
//!     sequence<string> strings; string names[2]; sequence<boolean> flags; Choice pick; sequence<Color> palette;
//!   };
//!   @appendable struct Grown { @key Inner core; octet o; @optional long maybe; @optional string never; @optional double sure; Open door; sequence<Inner> inners; Inner pair[2]; double last; };
//!   @mutable struct Loose {
//!     @key @id(3) long a; @id(1) @optional string b; @id(10) sequence<short> shorts; sequence<long> longs; sequence<double> doubles;
//!     Inner core; double d; Color hue; octet raw[3]; @must_understand string name; Point spot; @key @id(2) octet k; @id(20) boolean flag; sequence<octet> bytes;
//!     Small small; long long big; sequence<Inner> inners; string names[2]; short s; Open door;
//!   };
//!   @final struct TwoKeys { @key octet a; @key long long b; long c; };
//!   @appendable struct Nested { @key Inner core; @key Point spot; long c; };
//! };
//! // Fast DDS only: its generator of that version knows no extensibility
//! struct Counted { @key long id; map<string, long> counts; map<short, double> numbers; };
//! struct TwoKeysReversed { @key long long b; @key octet a; long c; };
//! ```

use bytes::{Bytes, BytesMut};
use dunlin_cdr::{
    Char8, KeyForm, Topic, Xcdr, from_payload, from_payload_bytes, key_from_payload, key_hash,
    key_to_payload, key_to_payload_in, serialized_size, to_payload,
};
use dunlin_derive::{Data, Topic};
use std::collections::BTreeMap;
use std::fmt::Debug;

#[derive(Data, Debug, Clone, Copy, PartialEq)]
#[topic(crate = "dunlin_cdr")]
enum Color {
    Red,
    Green,
    Blue,
}

#[derive(Data, Debug, Clone, Copy, PartialEq)]
#[topic(crate = "dunlin_cdr", bit_bound = 8)]
enum Small {
    One,
    Two,
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", name = "golden::Shape", extensibility = "final")]
struct Shape {
    #[key]
    #[topic(bound = 128)]
    color: String,
    x: i32,
    y: i32,
    shapesize: i32,
    payload: Bytes,
}

#[derive(Data, Debug, Clone, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
struct Point {
    x: f64,
    y: f32,
}

#[derive(Data, Debug, Clone, PartialEq)]
#[topic(crate = "dunlin_cdr")]
struct Inner {
    #[key]
    id: i16,
    tag: u8,
    name: String,
}

#[derive(Data, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "final", discriminator = "i32")]
enum Choice {
    #[topic(case = 1)]
    T(f32),
    #[topic(case = 2, case = 3)]
    Words(Vec<String>),
    #[topic(default, case = 0)]
    Other(u8),
}

#[derive(Data, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", discriminator = "u8")]
enum Open {
    #[topic(case = 1)]
    D(f64),
    Core(Inner),
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
struct Plain {
    #[key]
    o: u8,
    b: bool,
    c: Char8,
    s: i16,
    us: u16,
    l: i32,
    ll: i64,
    f: f32,
    d: f64,
    grid: [[i32; 3]; 2],
    hue: Color,
    colors: [Color; 2],
    spot: Point,
    points: Vec<Point>,
    doubles: Vec<f64>,
    strings: Vec<String>,
    names: [String; 2],
    flags: Vec<bool>,
    pick: Choice,
    palette: Vec<Color>,
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr")]
struct Grown {
    #[key]
    core: Inner,
    o: u8,
    maybe: Option<i32>,
    never: Option<String>,
    sure: Option<f64>,
    door: Open,
    inners: Vec<Inner>,
    pair: [Inner; 2],
    last: f64,
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "mutable")]
struct Loose {
    #[key]
    #[topic(id = 3)]
    a: i32,
    #[topic(id = 1)]
    b: Option<String>,
    #[topic(id = 10)]
    shorts: Vec<i16>,
    longs: Vec<i32>,
    doubles: Vec<f64>,
    core: Inner,
    d: f64,
    hue: Color,
    raw: [u8; 3],
    #[topic(must_understand)]
    name: String,
    spot: Point,
    #[key]
    #[topic(id = 2)]
    k: u8,
    #[topic(id = 20)]
    flag: bool,
    bytes: Bytes,
    small: Small,
    big: i64,
    inners: Vec<Inner>,
    names: [String; 2],
    s: i16,
    door: Open,
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
struct TwoKeys {
    #[key]
    a: u8,
    #[key]
    b: i64,
    c: i32,
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
struct TwoKeysReversed {
    #[key]
    b: i64,
    #[key]
    a: u8,
    c: i32,
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr")]
struct Nested {
    #[key]
    core: Inner,
    #[key]
    spot: Point,
    c: i32,
}

#[derive(Topic, Debug, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
struct Counted {
    #[key]
    id: i32,
    counts: BTreeMap<String, i32>,
    numbers: BTreeMap<i16, f64>,
}

const CYCLONE_SHAPE_1: &str =
    "0001000305000000424c5545000000000a000000ecffffff1e000000050000000102030405000000";
const CYCLONE_PLAIN_1: &str = "\
    0001000001017800fdffefbe6079feff00000000efcdab89674523010000a03f00000000000000000000c0bf01000000 \
    020000000300000004000000050000000600000002000000010000000000000000000000000000000000f83f000020c0 \
    02000000000000000000f83f000020c0000000000000000000000a400000804002000000000000000000e03f9c750088 \
    3ce437fe0200000002000000610000000400000062636400030000006e310000060000006e616d653200000003000000 \
    0100010002000000020000000200000061000000040000006263640003000000020000000000000001000000";
const CYCLONE_TWOKEYS_1: &str = "000100000100000000000000887766554433221103000000";
const CYCLONE_SHAPE_2: &str =
    "0007000305000000424c5545000000000a000000ecffffff1e000000050000000102030405000000";
const CYCLONE_PLAIN_2: &str = "\
    0007000001017800fdffefbe6079feffefcdab89674523010000a03f000000000000c0bf010000000200000003000000 \
    04000000050000000600000002000000080000000100000000000000000000000000f83f000020c01c00000002000000 \
    000000000000f83f000020c00000000000000a400000804002000000000000000000e03f9c7500883ce437fe14000000 \
    020000000200000061000000040000006263640012000000030000006e310000060000006e616d653200000003000000 \
    010001000200000014000000020000000200000061000000040000006263640010000000030000000200000000000000 \
    01000000";
const CYCLONE_TWOKEYS_2: &str = "0007000001000000887766554433221103000000";
const CYCLONE_NESTED_2: &str =
    "00090000200000000c000000feff09000400000061626300000000000000f83f000020c008000000";
const CYCLONE_GROWN_2: &str = "\
    00090000900000000c000000feff09000400000061626300050100004d00000000010000000000000000044011000000 \
    020000000900000003000400010000000000000021000000020000000c000000feff0900040000006162630009000000 \
    03000400010000000000000020000000090000000300040001000000000000000c000000feff09000400000061626300 \
    0000000000002340";
const CYCLONE_LOOSE_2: &str = "\
    000b000044010000030000a02a00000001000050040000006f7074000a0000400a000000030000000100feff03000000 \
    0b0000600200000005000000060000000c00007002000000000000000000e03f9c7500883ce437fe0d00004010000000 \
    0c000000feff090004000000616263000e0000300000000000001a400f00002001000000100000400300000007080900 \
    110000d0050000006d75737400000000120000400c0000000000000000000a400000804002000080c800000014000000 \
    0100000015000050050000000102030405000000160000000100000017000030fbffffffffffffff1800005021000000 \
    020000000c000000feff0900040000006162630009000000030004000100000000000000190000501000000002000000 \
    7100000004000000727374001a000010f7ff00001b000040100000000c000000010000000000000000001ec0";
const FAST_SHAPE: &str =
    "0001000005000000424c5545000000000a000000ecffffff1e000000050000000102030405";
const FAST_PLAIN: &str = "\
    0001000001017800fdffefbe6079feff00000000efcdab89674523010000a03f00000000000000000000c0bf01000000 \
    020000000300000004000000050000000600000002000000010000000000000000000000000000000000f83f000020c0 \
    02000000000000000000f83f000020c0000000000000000000000a400000804002000000000000000000e03f9c750088 \
    3ce437fe0200000002000000610000000400000062636400030000006e310000060000006e616d653200000003000000 \
    0100010002000000020000000200000061000000040000006263640003000000020000000000000001000000";
const FAST_COUNTED: &str = "\
    000100000400000002000000040000006f6e6500010000000400000074776f0002000000020000000100000000000000 \
    0000e03f0200000000000000000000000000e0bf";
const FAST_REVERSED: &str = "0001000088776655443322110100000003000000";

#[test]
fn shape_is_what_both_peers_write() {
    let shape = Shape {
        color: "BLUE".into(),
        x: 10,
        y: -20,
        shapesize: 30,
        payload: Bytes::from_static(&[1, 2, 3, 4, 5]),
    };
    same(&shape, Xcdr::V1, CYCLONE_SHAPE_1);
    same(&shape, Xcdr::V2, CYCLONE_SHAPE_2);
    same_but_for_padding(&shape, FAST_SHAPE);
    hash(&shape, "cac217c318363f8ef1160eeedef9e886");
    key(&shape, Xcdr::V1, "0001000305000000424c554500000000");
}

#[test]
fn every_plain_kind_is_what_both_peers_write() {
    same(&plain(), Xcdr::V1, CYCLONE_PLAIN_1);
    same(&plain(), Xcdr::V2, CYCLONE_PLAIN_2);
    same_but_for_padding(&plain(), FAST_PLAIN);
    hash(&plain(), "01000000000000000000000000000000");
    key(&plain(), Xcdr::V2, "0007000301000000");
}

#[test]
fn appendable_optional_and_union_are_what_cyclone_writes() {
    let grown = grown();
    same(&grown, Xcdr::V2, CYCLONE_GROWN_2);
    hash(&grown, "fffe0000000000000000000000000000");
    let read: Grown = key_from_payload(&unhex("00090002feff0000")).unwrap();
    assert_eq!(read.core.id, -2);
}

#[test]
fn keys_come_in_the_forms_that_others_need() {
    let (bare, long) = (true, true);
    let key = |xcdr, form| {
        let mut out = BytesMut::new();
        key_to_payload_in(&grown(), xcdr, form, &mut out).unwrap();
        let read: Grown = key_from_payload(&out).unwrap();
        assert_eq!(read.core.id, -2);
        hex(&out)
    };
    let normal = KeyForm::default();
    assert_eq!(key(Xcdr::V2, normal), "000900020600000002000000feff0000");
    // As Cyclone writes and expects it.
    assert_eq!(
        key(Xcdr::V2, KeyForm { bare, ..normal }),
        "00090002feff0000"
    );
    // More than the 16 bytes of a hash.
    let filled = format!("00010002feff0000{}", "00".repeat(12));
    assert_eq!(key(Xcdr::V1, KeyForm { bare, long }), filled);
    assert_eq!(
        key(Xcdr::V1, KeyForm { bare, ..normal }),
        "00010002feff0000"
    );
}

#[test]
fn mutable_is_what_cyclone_writes() {
    let loose = loose();
    assert_eq!(
        from_payload::<Loose>(&unhex(CYCLONE_LOOSE_2)).unwrap(),
        loose
    );
    // Cyclone gives nested appendable types a length of their own (LC 4), we let the DHEADER serve
    // as such (LC 5).
    let core = "0d000040100000000c000000feff";
    let door = "1b000040100000000c0000000100";
    let ours = hex(&unhex(CYCLONE_LOOSE_2))
        .replace(core, "0d0000500c000000feff")
        .replace(door, "1b0000500c0000000100");
    let mut ours = unhex(&ours);
    let length = u32::try_from(ours.len() - 8).unwrap();
    ours[4..8].copy_from_slice(&length.to_le_bytes());
    same_bytes(&loose, Xcdr::V2, &ours);
    hash(&loose, "c80000000000002a0000000000000000");
    let read: Loose = key_from_payload(&unhex("000b0000c80000002a000000")).unwrap();
    assert_eq!((read.k, read.a), (200, 42));
}

#[test]
fn keys_are_what_the_peers_write() {
    let two = TwoKeys {
        a: 1,
        b: 0x1122_3344_5566_7788,
        c: 3,
    };
    same(&two, Xcdr::V1, CYCLONE_TWOKEYS_1);
    same(&two, Xcdr::V2, CYCLONE_TWOKEYS_2);
    hash(&two, "01000000112233445566778800000000");
    key(&two, Xcdr::V1, "0001000001000000000000008877665544332211");
    key(&two, Xcdr::V2, "00070000010000008877665544332211");
    let reversed = TwoKeysReversed {
        b: two.b,
        a: 1,
        c: 3,
    };
    same(&reversed, Xcdr::V1, FAST_REVERSED);
    hash(&reversed, "11223344556677880100000000000000");
    let nested = Nested {
        core: inner(),
        spot: Point { x: 1.5, y: -2.5 },
        c: 8,
    };
    same(&nested, Xcdr::V2, CYCLONE_NESTED_2);
    hash(&nested, "fffe00003ff8000000000000c0200000");
    let read: Nested =
        key_from_payload(&unhex("00090000feff0000000000000000f83f000020c0")).unwrap();
    assert_eq!((read.core.id, read.spot), (-2, nested.spot.clone()));
}

#[test]
fn maps_are_what_fast_writes() {
    let counted = Counted {
        id: 4,
        counts: BTreeMap::from([("one".into(), 1), ("two".into(), 2)]),
        numbers: BTreeMap::from([(1, 0.5), (2, -0.5)]),
    };
    same_but_for_padding(&counted, FAST_COUNTED);
}

/// Each prefix of each golden payload is an error or a shorter value, never a panic.
#[test]
fn a_cut_payload_never_panics() {
    fn cut<T: Topic>(hex: &str) {
        let payload = Bytes::from(unhex(hex));
        for length in 0..payload.len() {
            let _ = from_payload_bytes::<T>(&payload.slice(..length));
            let _ = key_from_payload::<T>(&payload[..length]);
        }
    }
    cut::<Shape>(CYCLONE_SHAPE_1);
    cut::<Plain>(CYCLONE_PLAIN_1);
    cut::<Plain>(CYCLONE_PLAIN_2);
    cut::<Grown>(CYCLONE_GROWN_2);
    cut::<Loose>(CYCLONE_LOOSE_2);
    cut::<Counted>(FAST_COUNTED);
}

fn inner() -> Inner {
    Inner {
        id: -2,
        tag: 9,
        name: "abc".into(),
    }
}

fn inner2() -> Inner {
    Inner {
        id: 3,
        tag: 4,
        name: String::new(),
    }
}

fn plain() -> Plain {
    let points = vec![Point { x: 1.5, y: -2.5 }, Point { x: 3.25, y: 4.0 }];
    Plain {
        o: 1,
        b: true,
        c: Char8(b'x'),
        s: -3,
        us: 0xbeef,
        l: -100_000,
        ll: 0x0123_4567_89ab_cdef,
        f: 1.25,
        d: -0.125,
        grid: [[1, 2, 3], [4, 5, 6]],
        hue: Color::Blue,
        colors: [Color::Green, Color::Red],
        spot: points[0].clone(),
        points,
        doubles: vec![0.5, -1e300],
        strings: vec!["a".into(), "bcd".into()],
        names: ["n1".into(), "name2".into()],
        flags: vec![true, false, true],
        pick: Choice::Words(vec!["a".into(), "bcd".into()]),
        palette: vec![Color::Blue, Color::Red, Color::Green],
    }
}

fn grown() -> Grown {
    Grown {
        core: inner(),
        o: 5,
        maybe: Some(77),
        never: None,
        sure: Some(2.5),
        door: Open::Core(inner2()),
        inners: vec![inner(), inner2()],
        pair: [inner2(), inner()],
        last: 9.5,
    }
}

fn loose() -> Loose {
    Loose {
        a: 42,
        b: Some("opt".into()),
        shorts: vec![1, -2, 3],
        longs: vec![5, 6],
        doubles: vec![0.5, -1e300],
        core: inner(),
        d: 6.5,
        hue: Color::Green,
        raw: [7, 8, 9],
        name: "must".into(),
        spot: Point { x: 3.25, y: 4.0 },
        k: 200,
        flag: true,
        bytes: Bytes::from_static(&[1, 2, 3, 4, 5]),
        small: Small::Two,
        big: -5,
        inners: vec![inner(), inner2()],
        names: ["q".into(), "rst".into()],
        s: -9,
        door: Open::D(-7.5),
    }
}

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The value is written as `golden`, and read from it.
fn same<T: Topic + Debug + PartialEq>(value: &T, xcdr: Xcdr, golden: &str) {
    same_bytes(value, xcdr, &unhex(golden));
}

fn same_bytes<T: Topic + Debug + PartialEq>(value: &T, xcdr: Xcdr, golden: &[u8]) {
    let mut payload = BytesMut::new();
    to_payload(value, xcdr, &mut payload).unwrap();
    assert_eq!(hex(&payload), hex(golden));
    assert_eq!(serialized_size(value, xcdr), golden.len());
    assert_eq!(&from_payload::<T>(golden).unwrap(), value);
}

/// Fast DDS 2.9 neither pads payloads nor says so.
fn same_but_for_padding<T: Topic + Debug + PartialEq>(value: &T, golden: &str) {
    let golden = unhex(golden);
    let mut padded = golden.clone();
    padded.resize(golden.len().next_multiple_of(4), 0);
    padded[3] = (padded.len() - golden.len()) as u8;
    same_bytes(value, Xcdr::V1, &padded);
    assert_eq!(&from_payload::<T>(&golden).unwrap(), value);
}

fn hash<T: Topic>(value: &T, golden: &str) {
    assert_eq!(hex(&key_hash(value).unwrap()), golden);
}

fn key<T: Topic>(value: &T, xcdr: Xcdr, golden: &str) {
    let mut payload = BytesMut::new();
    key_to_payload(value, xcdr, &mut payload).unwrap();
    assert_eq!(hex(&payload), golden);
    let read: T = key_from_payload(&payload).unwrap();
    assert_eq!(key_hash(&read).unwrap(), key_hash(value).unwrap());
}
