//! Types are told apart by their descriptions, whatever they are called.

#[path = "../../cdr/tests/common/mod.rs"]
mod common;

use common::{Big, MutableBig, Pick, Tree};
use dunlin_cdr::{Extensibility, Layout};
use dunlin_derive::{Data, Topic};
use dunlin_xtypes::{DynamicType, Element, TypeIndex, TypeTreeBuilder};

fn digest<T: Layout>() -> Option<u64> {
    DynamicType::of::<T>().unwrap().digest()
}

/// Each in a module of its own, under one name and with one member that differs from the first.
macro_rules! variants {
    ($($module:ident: { $($shape:tt)* })*) => {
        $(mod $module {
            use super::*;
            #[derive(Topic, Clone, Default)]
            #[topic(crate = "dunlin_cdr")]
            pub(crate) struct Shape { $($shape)* }
        })*
        /// With the module of each.
        fn digests() -> Vec<(&'static str, u64)> {
            vec![$((stringify!($module), digest::<$module::Shape>().unwrap())),*]
        }
    };
}

variants! {
    first: { #[key] color: String, x: i32, #[topic(bound = 9)] tail: Vec<u8>, spot: Option<i16> }
    no_key: { color: String, x: i32, #[topic(bound = 9)] tail: Vec<u8>, spot: Option<i16> }
    renamed: { #[key] color: String, y: i32, #[topic(bound = 9)] tail: Vec<u8>, spot: Option<i16> }
    other_number: { #[key] color: String, x: u32, #[topic(bound = 9)] tail: Vec<u8>, spot: Option<i16> }
    other_bound: { #[key] color: String, x: i32, #[topic(bound = 8)] tail: Vec<u8>, spot: Option<i16> }
    unbounded: { #[key] color: String, x: i32, tail: Vec<u8>, spot: Option<i16> }
    array: { #[key] color: String, x: i32, tail: [u8; 9], spot: Option<i16> }
    other_array: { #[key] color: String, x: i32, tail: [u8; 8], spot: Option<i16> }
    never_absent: { #[key] color: String, x: i32, #[topic(bound = 9)] tail: Vec<u8>, spot: i16 }
    other_order: { #[key] color: String, #[topic(bound = 9)] tail: Vec<u8>, x: i32, spot: Option<i16> }
    one_more: { #[key] color: String, x: i32, #[topic(bound = 9)] tail: Vec<u8>, spot: Option<i16>, more: bool }
    one_less: { #[key] color: String, x: i32, #[topic(bound = 9)] tail: Vec<u8> }
    nested: { #[key] color: String, x: Inner, #[topic(bound = 9)] tail: Vec<u8>, spot: Option<i16> }
}

#[derive(Data, Clone, Default)]
#[topic(crate = "dunlin_cdr")]
struct Inner {
    x: i32,
}

#[test]
fn whatever_differs_makes_another_digest() {
    let mut all = digests();
    all.extend([
        ("Big", digest::<Big>().unwrap()),
        ("MutableBig", digest::<MutableBig>().unwrap()),
        ("Pick", digest::<Pick>().unwrap()),
    ]);
    for (at, (name, digest)) in all.iter().enumerate() {
        for (other, same) in &all[at + 1..] {
            assert_ne!(digest, same, "{name} and {other}");
        }
    }
}

#[test]
fn names_of_types_do_not_count() {
    #[derive(Topic, Clone, Default)]
    #[topic(crate = "dunlin_cdr", name = "other::Name")]
    struct Other {
        #[key]
        color: String,
        x: i32,
        #[topic(bound = 9)]
        tail: Vec<u8>,
        spot: Option<i16>,
    }
    assert_eq!(digest::<Other>(), digest::<first::Shape>());
    // A number that others compute as well: it must stay what it is.
    assert_eq!(digest::<Inner>(), Some(0x9505_8b2c_122a_21f9));
}

#[test]
fn a_type_that_contains_itself_has_a_digest() {
    assert!(digest::<Tree>().is_some());
    assert_ne!(digest::<Tree>(), digest::<Inner>());
}

/// The shape of `first`, member by member; `change` makes another of it.
fn built(change: &str) -> Option<u64> {
    let mut types = TypeTreeBuilder::new();
    let color = types.string(if change == "bound" { 8 } else { 0 });
    let octets = types.sequence(TypeIndex::BYTE, 9);
    let tail = types.alias("Tail", octets);
    let number = types.alias("Number", TypeIndex::INT32);
    let external = Element {
        is_external: true,
        ..number.into()
    };
    let mut shape = types
        .structure("elsewhere::Shape", Extensibility::Appendable)
        .member("color", color);
    if change != "key" {
        shape = shape.key();
    }
    let spot = shape
        .member("x", external)
        .member("tail", tail)
        .member("spot", TypeIndex::INT16);
    let shape = match change {
        "optional" => spot.finish(),
        _ => spot.optional().finish(),
    };
    types.build(shape).unwrap().digest()
}

#[test]
fn a_type_that_was_built_is_the_derived_one() {
    assert_eq!(built(""), digest::<first::Shape>());
    for change in ["bound", "key", "optional"] {
        assert_ne!(built(change), digest::<first::Shape>(), "{change}");
    }
}

#[test]
fn a_long_chain_of_types_has_no_digest() {
    let mut types = TypeTreeBuilder::new();
    let mut last = TypeIndex::INT32;
    for n in 0..10_000 {
        let all = types.sequence(last, 0);
        let name = format!("T{n}");
        let structure = types.structure(&name, Extensibility::Final);
        last = structure.member("all", all).finish();
    }
    assert_eq!(types.build(last).unwrap().digest(), None);
}

#[test]
fn a_rust_type_may_have_any_name() {
    #[derive(Topic, Clone, Default)]
    #[topic(crate = "dunlin_cdr", name = "a b::\r:\u{1b}::")]
    struct Odd {
        x: i32,
    }
    let odd = DynamicType::of::<Odd>().unwrap();
    assert_eq!(odd.name(), "a_b::___::_");
    assert_eq!(odd.digest(), digest::<Inner>());
}
