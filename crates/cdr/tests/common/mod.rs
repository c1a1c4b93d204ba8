//! Types with everything in them, once per extensibility; the fuzz target uses them as well.

#![allow(dead_code, missing_docs, unreachable_pub)]

use bytes::{Bytes, BytesMut};
use dunlin_cdr::{
    Endianness, Topic, Xcdr, from_payload, from_payload_bytes, key_from_payload, key_hash,
    serialized_size, to_payload,
};
use dunlin_derive::{Data, Topic};
use std::collections::BTreeMap;

/// All encodings and byte orders.
pub const WORLDS: [(Xcdr, Endianness); 4] = [
    (Xcdr::V1, Endianness::Big),
    (Xcdr::V1, Endianness::Little),
    (Xcdr::V2, Endianness::Big),
    (Xcdr::V2, Endianness::Little),
];

#[derive(Data, Debug, Clone, Copy, PartialEq, Default)]
#[topic(crate = "dunlin_cdr", bit_bound = 16)]
pub enum Mode {
    Slow = -3,
    #[default]
    #[topic(default)]
    Fast = 500,
}

#[derive(Data, Debug, Clone, PartialEq, Default)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
pub struct Leaf {
    pub a: i64,
    pub b: String,
    pub c: Option<f64>,
}

#[derive(Data, Debug, Clone, PartialEq)]
#[topic(crate = "dunlin_cdr", discriminator = "i16")]
pub enum Pick {
    #[topic(case = -1)]
    Byte(u8),
    Leaf(Leaf),
    #[topic(case = 7, bound = 4)]
    Numbers(Vec<i64>),
    #[topic(default, case = 100)]
    Nothing,
}

#[derive(Data, Debug, Clone, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "mutable")]
pub struct Tree {
    #[key]
    pub id: u16,
    pub pick: Pick,
    pub children: Vec<Tree>,
    pub next: Option<Box<Tree>>,
}

impl Default for Tree {
    fn default() -> Self {
        Self {
            id: 0,
            pick: Pick::Nothing,
            children: Vec::new(),
            next: None,
        }
    }
}

macro_rules! big {
    ($name:ident, $extensibility:literal, $first:literal) => {
        #[derive(Topic, Debug, Clone, PartialEq, Default)]
        #[topic(crate = "dunlin_cdr", extensibility = $extensibility)]
        pub struct $name {
            #[key]
            #[topic(id = $first, bound = 200)]
            pub key: String,
            #[key]
            #[topic(id = 2)]
            pub number: u32,
            #[key]
            pub tree: Tree,
            pub mode: Mode,
            pub bytes: Bytes,
            pub shorts: Vec<u16>,
            pub flags: [bool; 3],
            pub grid: [[u64; 2]; 3],
            pub leaf: Option<Leaf>,
            pub words: Option<Vec<String>>,
            pub map: BTreeMap<String, Leaf>,
        }
    };
}

big!(Big, "appendable", 0);
big!(FinalBig, "final", 30);
big!(MutableBig, "mutable", 30);

macro_rules! from_big {
    ($wrapper:ident, $topic:ident) => {
        pub struct $wrapper(pub Big);

        impl $wrapper {
            pub fn into_topic(self) -> $topic {
                $topic {
                    key: self.0.key,
                    number: self.0.number,
                    tree: self.0.tree,
                    mode: self.0.mode,
                    bytes: self.0.bytes,
                    shorts: self.0.shorts,
                    flags: self.0.flags,
                    grid: self.0.grid,
                    leaf: self.0.leaf,
                    words: self.0.words,
                    map: self.0.map,
                }
            }
        }
    };
}

from_big!(Final, FinalBig);
from_big!(Mutable, MutableBig);

/// Reads the payload as each type. What can be read can be written, and then reads the same again.
pub fn read_everything(payload: &Bytes) {
    read::<Big>(payload);
    read::<FinalBig>(payload);
    read::<MutableBig>(payload);
}

fn read<T: Topic>(payload: &Bytes) {
    if let Ok(key) = key_from_payload::<T>(payload) {
        key_hash(&key).unwrap();
    }
    let Ok(value) = from_payload_bytes::<T>(payload) else {
        return;
    };
    for xcdr in [Xcdr::V1, Xcdr::V2] {
        let mut first = BytesMut::new();
        to_payload(&value, xcdr, &mut first).unwrap();
        assert_eq!(first.len(), serialized_size(&value, xcdr));
        let again: T = from_payload(&first).unwrap();
        let mut second = BytesMut::new();
        to_payload(&again, xcdr, &mut second).unwrap();
        assert_eq!(first, second);
    }
}
