//! A type with everything in it that a filter can name or has to pass over, once per extensibility.

#![allow(dead_code, missing_docs, unreachable_pub)]

use bytes::Bytes;
use dunlin_cdr::{Char8, Endianness, Topic, Xcdr, to_payload_as};
use dunlin_derive::{Data, Topic};
use std::collections::BTreeMap;

pub const WORLDS: [(Xcdr, Endianness); 4] = [
    (Xcdr::V1, Endianness::Big),
    (Xcdr::V1, Endianness::Little),
    (Xcdr::V2, Endianness::Big),
    (Xcdr::V2, Endianness::Little),
];

#[derive(Data, Debug, Clone, Copy, PartialEq, Eq)]
#[topic(crate = "dunlin_cdr", bit_bound = 16)]
pub enum Mode {
    Slow = -3,
    #[topic(default)]
    Fast = 500,
    Warp = 9,
}

#[derive(Data, Debug, Clone, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
pub struct Point {
    pub x: i64,
    pub name: String,
    pub weight: Option<f64>,
}

#[derive(Data, Debug, Clone, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "mutable")]
pub struct Tagged {
    #[topic(id = 40)]
    pub tag: u16,
    pub note: Option<String>,
}

#[derive(Data, Debug, Clone, PartialEq)]
#[topic(crate = "dunlin_cdr", discriminator = "i16")]
pub enum Pick {
    #[topic(case = -1)]
    Byte(u8),
    Point(Point),
    #[topic(case = 7)]
    Numbers(Vec<i32>),
    #[topic(default, case = 100)]
    Nothing,
}

#[derive(Data, Debug, Clone, PartialEq)]
#[topic(
    crate = "dunlin_cdr",
    discriminator = "Mode",
    extensibility = "mutable"
)]
pub enum Other {
    #[topic(case = Mode::Slow)]
    Text(String),
    #[topic(case = Mode::Warp)]
    Level(u64),
}

macro_rules! everything {
    ($name:ident, $extensibility:literal) => {
        #[derive(Topic, Debug, Clone, PartialEq)]
        #[topic(crate = "dunlin_cdr", extensibility = $extensibility)]
        pub struct $name {
            #[key]
            #[topic(bound = 64)]
            pub color: String,
            pub small: u8,
            pub signed: i16,
            pub size: i32,
            pub huge: u64,
            pub flag: bool,
            pub letter: Char8,
            pub single: f32,
            pub double: f64,
            pub mode: Mode,
            pub raw: Bytes,
            pub point: Point,
            pub maybe: Option<Point>,
            pub tagged: Tagged,
            pub pick: Pick,
            pub other: Other,
            pub points: Vec<Point>,
            pub grid: [[u16; 2]; 3],
            pub names: [[String; 2]; 2],
            pub pairs: Vec<[String; 2]>,
            pub map: BTreeMap<String, u32>,
            pub boxed: Box<Tagged>,
            pub last: u32,
        }
    };
}

everything!(Appendable, "appendable");
everything!(Final, "final");
everything!(Mutable, "mutable");

macro_rules! from_appendable {
    ($name:ident) => {
        impl From<Appendable> for $name {
            fn from(v: Appendable) -> Self {
                Self {
                    color: v.color,
                    small: v.small,
                    signed: v.signed,
                    size: v.size,
                    huge: v.huge,
                    flag: v.flag,
                    letter: v.letter,
                    single: v.single,
                    double: v.double,
                    mode: v.mode,
                    raw: v.raw,
                    point: v.point,
                    maybe: v.maybe,
                    tagged: v.tagged,
                    pick: v.pick,
                    other: v.other,
                    points: v.points,
                    grid: v.grid,
                    names: v.names,
                    pairs: v.pairs,
                    map: v.map,
                    boxed: v.boxed,
                    last: v.last,
                }
            }
        }
    };
}

from_appendable!(Final);
from_appendable!(Mutable);

pub fn sample() -> Appendable {
    let point = |x, name: &str, weight| Point {
        x,
        name: name.into(),
        weight,
    };
    Appendable {
        color: "RED".into(),
        small: 200,
        signed: -5,
        size: 20,
        huge: u64::MAX,
        flag: true,
        letter: Char8(b'k'),
        single: 0.1,
        double: 2.5,
        mode: Mode::Warp,
        raw: Bytes::from_static(b"\x01\x02\x03"),
        point: point(7, "origin", Some(1.5)),
        maybe: None,
        tagged: Tagged {
            tag: 3,
            note: Some("hi".into()),
        },
        pick: Pick::Numbers(vec![1, 2, 3]),
        other: Other::Level(12),
        points: vec![point(1, "a", None), point(2, "bb", Some(-1.0))],
        grid: [[1, 2], [3, 4], [5, 6]],
        names: [["p".into(), "qq".into()], [String::new(), "it's".into()]],
        pairs: vec![["u".into(), "vvv".into()], ["w".into(), "x".into()]],
        map: [("k".to_owned(), 1)].into(),
        boxed: Box::new(Tagged { tag: 9, note: None }),
        last: 0xdead,
    }
}

pub fn payload<T: Topic>(value: &T, xcdr: Xcdr, endianness: Endianness) -> Bytes {
    let mut out = bytes::BytesMut::new();
    to_payload_as(value, xcdr, endianness, &mut out).unwrap();
    out.freeze()
}
