//! Values of the types with everything in them, for tests that try many.

#![allow(unreachable_pub)]

use crate::common::{Big, Leaf, Mode, Pick, Tree};
use proptest::prelude::*;

fn leaf() -> impl Strategy<Value = Leaf> {
    (any::<i64>(), "[a-z]{0,9}", any::<Option<f64>>()).prop_map(|(a, b, c)| Leaf {
        a,
        b,
        c: c.filter(|c| !c.is_nan()),
    })
}

fn pick() -> impl Strategy<Value = Pick> {
    prop_oneof![
        any::<u8>().prop_map(Pick::Byte),
        leaf().prop_map(Pick::Leaf),
        prop::collection::vec(any::<i64>(), 0..4).prop_map(Pick::Numbers),
        Just(Pick::Nothing),
    ]
}

/// Of about so many nodes.
fn tree(nodes: u32) -> impl Strategy<Value = Tree> {
    let tip = (any::<u16>(), pick()).prop_map(|(id, pick)| Tree {
        id,
        pick,
        ..Tree::default()
    });
    tip.prop_recursive(nodes.ilog2(), nodes, 3, |inner| {
        let children = prop::collection::vec(inner.clone(), 0..3);
        let next = prop::option::of(inner.prop_map(Box::new));
        (any::<u16>(), pick(), children, next).prop_map(|(id, pick, children, next)| Tree {
            id,
            pick,
            children,
            next,
        })
    })
}

prop_compose! {
    /// With a tree of about so many nodes, and at most `10 * nodes` bytes.
    pub fn big(nodes: u32)(
        key in "\\PC{0,20}", number in any::<u32>(), tree in tree(nodes), mode in any::<bool>(),
        bytes in prop::collection::vec(any::<u8>(), 0..10 * nodes as usize),
        shorts in prop::collection::vec(any::<u16>(), 0..2 * nodes as usize),
        flags in any::<[bool; 3]>(), grid in any::<[[u64; 2]; 3]>(), leaf in prop::option::of(leaf()),
        words in prop::option::of(prop::collection::vec("[a-z]{0,5}", 0..5)),
        map in prop::collection::btree_map("[a-z]{0,5}", leaf(), 0..4),
    ) -> Big {
        Big {
            key: key.replace('\0', ""), number, tree, mode: if mode { Mode::Slow } else { Mode::Fast },
            bytes: bytes.into(), shorts, flags, grid, leaf, words, map,
        }
    }
}
