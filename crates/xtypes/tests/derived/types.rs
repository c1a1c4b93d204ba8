//! Types with keys of every kind, and values of them.

#![allow(unreachable_pub)]

use std::collections::BTreeMap;

use dunlin_cdr::{Char8, Char16};
use dunlin_derive::{Data, Topic};
use proptest::prelude::*;

#[derive(Data, Debug, Clone, Copy, PartialEq, Default)]
#[topic(crate = "dunlin_cdr", bit_bound = 8)]
pub enum Tiny {
    #[default]
    Minus = -100,
    Plus = 100,
}

#[derive(Data, Debug, Clone, Copy, PartialEq, Default)]
#[topic(crate = "dunlin_cdr", bit_bound = 16)]
pub enum Middle {
    #[default]
    Minus = -30_000,
    Plus = 30_000,
}

#[derive(Data, Debug, Clone, Copy, PartialEq, Default)]
#[topic(crate = "dunlin_cdr")]
pub enum Wide {
    #[default]
    Minus = -2_000_000_000,
    Plus = 2_000_000_000,
}

#[derive(Topic, Debug, Clone, PartialEq, Default)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
pub struct Numbers {
    pub a: bool,
    pub b: u8,
    pub c: i8,
    pub d: u16,
    pub e: i16,
    pub f: u32,
    pub g: i32,
    pub h: u64,
    pub i: i64,
    pub j: f32,
    pub k: f64,
    pub l: Char8,
    pub m: Char16,
    pub n: Tiny,
    pub o: Middle,
    pub p: Wide,
}

/// Nothing is marked: all of it is the key.
#[derive(Data, Debug, Clone, PartialEq, Default)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
pub struct Pair {
    #[topic(id = 9)]
    pub left: u8,
    #[topic(id = 3)]
    pub right: u16,
}

macro_rules! fixed {
    ($name:ident, $extensibility:literal) => {
        /// The order of the ids is not that of the members.
        #[derive(Topic, Debug, Clone, PartialEq, Default)]
        #[topic(crate = "dunlin_cdr", extensibility = $extensibility)]
        pub struct $name {
            pub first: u8,
            #[key]
            #[topic(id = 70)]
            pub second: i16,
            pub third: f64,
            #[key]
            #[topic(id = 5)]
            pub pair: Pair,
            #[key]
            #[topic(id = 6)]
            pub tiny: Tiny,
            #[key]
            #[topic(id = 4)]
            pub bytes: [u16; 2],
            #[topic(id = 100)]
            pub rest: Vec<String>,
        }
    };
}

fixed!(Fixed, "appendable");
fixed!(FixedMutable, "mutable");

/// Some are marked: the others are no key, also where the struct is.
#[derive(Data, Debug, Clone, PartialEq, Default)]
#[topic(crate = "dunlin_cdr", extensibility = "appendable")]
pub struct Inner {
    pub before: u16,
    #[key]
    #[topic(id = 20)]
    pub high: u32,
    #[key]
    #[topic(id = 10)]
    pub low: u8,
    pub after: String,
}

macro_rules! deep {
    ($name:ident, $extensibility:literal) => {
        #[derive(Topic, Debug, Clone, PartialEq, Default)]
        #[topic(crate = "dunlin_cdr", extensibility = $extensibility)]
        pub struct $name {
            #[key]
            #[topic(id = 2)]
            pub number: i32,
            #[key]
            #[topic(id = 1)]
            pub inner: Inner,
        }
    };
}

// The string behind the key of `Inner` is in the way of `number`, had it been behind it.
deep!(Deep, "final");
deep!(DeepMutable, "mutable");

#[derive(Topic, Debug, Clone, PartialEq)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
pub struct Long {
    pub before: u16,
    #[key]
    pub numbers: [u64; 40],
}

macro_rules! collections {
    ($name:ident, $extensibility:literal) => {
        #[derive(Topic, Debug, Clone, PartialEq, Default)]
        #[topic(crate = "dunlin_cdr", extensibility = $extensibility)]
        pub struct $name {
            #[key]
            #[topic(id = 20_000)]
            pub text: String,
            #[key]
            pub words: Vec<String>,
            #[key]
            pub pairs: Vec<Pair>,
            #[key]
            pub inners: [Inner; 2],
            #[key]
            pub modes: Vec<Middle>,
            #[key]
            pub wides: [Wide; 2],
            #[key]
            pub map: BTreeMap<u16, u64>,
            #[key]
            #[topic(id = 7)]
            pub names: BTreeMap<u8, String>,
            #[key]
            pub doubles: Vec<f64>,
            #[key]
            pub shorts: Vec<i16>,
            #[key]
            pub grid: [[f32; 2]; 2],
            #[key]
            pub boxed: Box<Pair>,
        }
    };
}

collections!(Collections, "appendable");
collections!(CollectionsMutable, "mutable");

#[derive(Data, Debug, Clone, PartialEq)]
#[topic(crate = "dunlin_cdr", discriminator = "u8", extensibility = "mutable")]
pub enum Loose {
    #[topic(case = 1)]
    Number(u64),
    #[topic(case = 2)]
    Text(String),
    #[topic(case = 3)]
    Nothing,
}

#[derive(Data, Debug, Clone, PartialEq)]
#[topic(crate = "dunlin_cdr", discriminator = "bool", extensibility = "final")]
pub enum Tight {
    #[topic(case = true)]
    Inner(Inner),
    #[topic(case = false)]
    Tiny(Tiny),
}

/// A union with a number of each size.
#[derive(Data, Debug, Clone, PartialEq)]
#[topic(crate = "dunlin_cdr", discriminator = "Middle")]
pub enum Chosen {
    #[topic(case = Middle::Minus)]
    Byte(u8),
    #[topic(case = Middle::Plus)]
    Double(f64),
}

#[derive(Topic, Debug, Clone, PartialEq)]
#[topic(crate = "dunlin_cdr")]
pub struct Unions {
    #[key]
    pub loose: Loose,
    #[key]
    pub tight: Tight,
    #[key]
    pub chosen: Chosen,
    pub maybe: Option<Loose>,
}

#[derive(Topic, Debug, Clone, PartialEq, Default)]
#[topic(crate = "dunlin_cdr")]
pub struct ShortText {
    #[key]
    #[topic(bound = 7)]
    pub text: String,
    #[topic(must_understand)]
    pub number: Option<i64>,
}

/// Nothing is marked, and what may be absent is a part of the key.
#[derive(Data, Debug, Clone, PartialEq, Default)]
#[topic(crate = "dunlin_cdr", extensibility = "mutable")]
pub struct Optionals {
    pub number: Option<i32>,
    #[topic(id = 20_000)]
    pub inner: Option<Inner>,
    pub text: Option<String>,
    pub shorts: Option<Vec<i16>>,
    pub last: u8,
}

macro_rules! with_optionals {
    ($name:ident, $extensibility:literal) => {
        #[derive(Topic, Debug, Clone, PartialEq, Default)]
        #[topic(crate = "dunlin_cdr", extensibility = $extensibility)]
        pub struct $name {
            pub first: u16,
            #[key]
            pub optionals: Optionals,
            #[key]
            pub last: u32,
        }
    };
}

with_optionals!(WithOptionals, "appendable");
with_optionals!(WithOptionalsMutable, "mutable");

/// One DHEADER each: 8 bytes and 7.
#[derive(Topic, Debug, Clone, PartialEq, Default)]
#[topic(crate = "dunlin_cdr")]
pub struct Grids {
    #[key]
    pub tiny: [[Tiny; 2]; 2],
    #[key]
    pub pairs: [[[Pair; 1]; 1]; 1],
}

#[derive(Debug, Clone)]
pub struct Keys {
    pub fixed: Fixed,
    pub fixed_mutable: FixedMutable,
    pub deep: Deep,
    pub deep_mutable: DeepMutable,
    pub long: Long,
    pub collections: Collections,
    pub collections_mutable: CollectionsMutable,
    pub unions: Unions,
    pub short_text: ShortText,
    pub optionals: WithOptionals,
    pub optionals_mutable: WithOptionalsMutable,
    pub grids: Grids,
}

fn pair() -> impl Strategy<Value = Pair> {
    any::<(u8, u16)>().prop_map(|(left, right)| Pair { left, right })
}

fn inner() -> impl Strategy<Value = Inner> {
    (any::<(u16, u32, u8)>(), "[a-z]{0,5}").prop_map(|((before, high, low), after)| Inner {
        before,
        high,
        low,
        after,
    })
}

fn middle() -> impl Strategy<Value = Middle> {
    any::<bool>().prop_map(|plus| if plus { Middle::Plus } else { Middle::Minus })
}

fn wide() -> impl Strategy<Value = Wide> {
    any::<bool>().prop_map(|plus| if plus { Wide::Plus } else { Wide::Minus })
}

fn tiny() -> impl Strategy<Value = Tiny> {
    any::<bool>().prop_map(|plus| if plus { Tiny::Plus } else { Tiny::Minus })
}

fn loose() -> impl Strategy<Value = Loose> {
    prop_oneof![
        any::<u64>().prop_map(Loose::Number),
        "[a-z]{0,9}".prop_map(Loose::Text),
        Just(Loose::Nothing),
    ]
}

prop_compose! {
    pub fn numbers()(
        (a, b, c, d, e, f, g, h, i) in any::<(bool, u8, i8, u16, i16, u32, i32, u64, i64)>(),
        (j, k, l, m) in (-1e9_f32..1e9, -1e99..1e99, any::<u8>(), any::<u16>()),
        n in tiny(), o in middle(), p in wide(),
    ) -> Numbers {
        Numbers { a, b, c, d, e, f, g, h, i, j, k, l: Char8(l), m: Char16(m), n, o, p }
    }
}

prop_compose! {
    fn fixed()(
        (first, second, third) in (any::<u8>(), any::<i16>(), -1e9..1e9), pair in pair(), tiny in tiny(),
        bytes in any::<[u16; 2]>(), rest in prop::collection::vec("[a-z]{0,5}", 0..3),
    ) -> Fixed {
        Fixed { first, second, third, pair, tiny, bytes, rest }
    }
}

prop_compose! {
    fn collections()(
        (text, words) in ("[a-z]{0,9}", prop::collection::vec("[a-z]{0,5}", 0..4)),
        (pairs, one, two) in (prop::collection::vec(pair(), 0..4), inner(), inner()),
        modes in prop::collection::vec(middle(), 0..4), wides in (wide(), wide()),
        map in prop::collection::btree_map(any::<u16>(), any::<u64>(), 0..4),
        names in prop::collection::btree_map(any::<u8>(), "[a-z]{0,5}", 0..4),
        doubles in prop::collection::vec(-1e9..1e9, 0..4), shorts in prop::collection::vec(any::<i16>(), 0..4),
        grid in prop::array::uniform2(prop::array::uniform2(-1e9_f32..1e9)), boxed in pair(),
    ) -> Collections {
        Collections {
            text, words, pairs, inners: [one, two], modes, wides: [wides.0, wides.1], map, names, doubles, shorts, grid,
            boxed: Box::new(boxed),
        }
    }
}

prop_compose! {
    fn optionals()(
        number in any::<Option<i32>>(), inner in prop::option::of(inner()), text in prop::option::of("[a-z]{0,5}"),
        shorts in prop::option::of(prop::collection::vec(any::<i16>(), 0..4)), last in any::<u8>(),
    ) -> Optionals {
        Optionals { number, inner, text, shorts, last }
    }
}

prop_compose! {
    fn grids()(tiny in prop::array::uniform2(prop::array::uniform2(tiny())), pair in pair()) -> Grids {
        Grids { tiny, pairs: [[[pair]]] }
    }
}

prop_compose! {
    pub fn keys()(
        optionals in optionals(), grids in grids(),
        fixed in fixed(), number in any::<i32>(), inner in inner(), before in any::<u16>(), numbers in any::<u64>(),
        collections in collections(), loose in loose(), maybe in prop::option::of(loose()),
        tight in prop_oneof![inner().prop_map(Tight::Inner), tiny().prop_map(Tight::Tiny)],
        chosen in prop_oneof![any::<u8>().prop_map(Chosen::Byte), (-1e9..1e9).prop_map(Chosen::Double)],
        text in "[a-z]{0,7}", optional in any::<Option<i64>>(),
    ) -> Keys {
        let (f, c) = (fixed.clone(), collections.clone());
        Keys {
            fixed,
            fixed_mutable: FixedMutable {
                first: f.first, second: f.second, third: f.third, pair: f.pair, tiny: f.tiny, bytes: f.bytes, rest: f.rest,
            },
            deep: Deep { number, inner: inner.clone() },
            deep_mutable: DeepMutable { number, inner },
            long: Long { before, numbers: std::array::from_fn(|n| numbers.rotate_left(n as u32)) },
            collections,
            collections_mutable: CollectionsMutable {
                text: c.text, words: c.words, pairs: c.pairs, inners: c.inners, modes: c.modes, wides: c.wides, map: c.map,
                names: c.names, doubles: c.doubles, shorts: c.shorts, grid: c.grid, boxed: c.boxed,
            },
            unions: Unions { loose, tight, chosen, maybe },
            short_text: ShortText { text, number: optional },
            optionals: WithOptionals { first: before, optionals: optionals.clone(), last: 7 },
            optionals_mutable: WithOptionalsMutable { first: before, optionals, last: 7 },
            grids,
        }
    }
}
