//! Whether two types are the same but for names of types, aliases and annotations that minimal
//! TypeObjects lack.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use super::PAIRS;
use crate::{DynamicType, Element, TypeKind};

/// `false` too if they have more pairs of types than are judged.
pub(super) fn same(reader: &DynamicType, writer: &DynamicType) -> bool {
    let mut pairs = BTreeSet::new();
    let mut open = vec![(reader.index(), writer.index())];
    while let Some((r, w)) = open.pop() {
        let (r, w) = (reader.at(r).resolved(), writer.at(w).resolved());
        if !pairs.insert((r.index().0, w.index().0)) {
            continue;
        }
        if pairs.len() > PAIRS || !alike(&r, &w) {
            return false;
        }
        open.extend(
            parts(&r)
                .into_iter()
                .zip(parts(&w))
                .map(|(r, w)| (r.ty, w.ty)),
        );
    }
    true
}

/// Whether they are the same but for the types that they refer to.
fn alike(r: &DynamicType, w: &DynamicType) -> bool {
    let flags = |of: Element| (of.try_construct, of.is_external);
    r.kind() == w.kind()
        && r.extensibility() == w.extensibility()
        && r.bound() == w.bound()
        && r.dimensions() == w.dimensions()
        && r.bit_bound() == w.bit_bound()
        && r.ignores_literal_names() == w.ignores_literal_names()
        && r.has_hashed_ids() == w.has_hashed_ids()
        && (r.kind() != TypeKind::Union || r.has_key() == w.has_key())
        && parts(r)
            .into_iter()
            .map(flags)
            .eq(parts(w).into_iter().map(flags))
        && r.members()
            .map(|of| {
                (
                    of.name(),
                    of.id(),
                    of.is_key(),
                    of.is_optional(),
                    of.must_understand(),
                )
            })
            .eq(w.members().map(|of| {
                (
                    of.name(),
                    of.id(),
                    of.is_key(),
                    of.is_optional(),
                    of.must_understand(),
                )
            }))
        && r.cases()
            .iter()
            .map(|of| {
                (
                    of.name(),
                    of.id(),
                    of.labels(),
                    of.is_default(),
                    of.element().is_some(),
                )
            })
            .eq(w.cases().iter().map(|of| {
                (
                    of.name(),
                    of.id(),
                    of.labels(),
                    of.is_default(),
                    of.element().is_some(),
                )
            }))
        && r.literals()
            .iter()
            .map(|of| (of.name(), of.value()))
            .eq(w.literals().iter().map(|of| (of.name(), of.value())))
        && r.default_literal().map(|of| of.value()) == w.default_literal().map(|of| of.value())
        && r.flags()
            .iter()
            .map(|of| (of.name(), of.position()))
            .eq(w.flags().iter().map(|of| (of.name(), of.position())))
        && r.fields()
            .iter()
            .map(|of| (of.name(), of.position(), of.size(), of.holder()))
            .eq(w
                .fields()
                .iter()
                .map(|of| (of.name(), of.position(), of.size(), of.holder())))
}

/// The types that it refers to, in one order.
fn parts(of: &DynamicType) -> Vec<Element> {
    let own = of.key_element().into_iter().chain(of.element());
    let members = of.members().map(|of| of.element());
    let cases = of.cases().iter().filter_map(|of| of.element());
    own.chain(of.discriminator())
        .chain(members)
        .chain(cases)
        .collect()
}
