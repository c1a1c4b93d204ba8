//! Whether two types are the same: whether minimal TypeObjects say the same of them, aliases
//! resolved.
//!
//! All pairs of types that are reached from a pair are looked at once, and then what differs makes
//! those that refer to it differ. So types that contain themselves are compared, and no walk is
//! repeated.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem::discriminant;

use super::bits::{by_value, said};
use super::judge::{Exhausted, Work};
use crate::tree::{Bitmask, Bitset, Enumeration, Node, Structure, Union};
use crate::{Bitfield, Case, Element, Flag, TypeIndex, TypeTree};

pub(super) struct Sameness<'t> {
    reader: &'t TypeTree,
    writer: &'t TypeTree,
    is_one_tree: bool,
    /// Places in `pairs`.
    known: BTreeMap<(TypeIndex, TypeIndex), usize>,
    pairs: Vec<Pair>,
    /// Those that are not looked at yet.
    open: Vec<(usize, TypeIndex, TypeIndex)>,
}

#[derive(Default)]
struct Pair {
    differs: bool,
    /// The pairs that refer to it.
    users: Vec<usize>,
}

/// The types that two nodes refer to, in one order.
type Parts = Vec<(TypeIndex, TypeIndex)>;

impl<'t> Sameness<'t> {
    pub(super) fn new(reader: &'t TypeTree, writer: &'t TypeTree) -> Self {
        Self {
            reader,
            writer,
            is_one_tree: Arc::ptr_eq(&reader.0, &writer.0),
            known: BTreeMap::new(),
            pairs: Vec::new(),
            open: Vec::new(),
        }
    }

    /// Aliases are resolved.
    pub(super) fn is_same(
        &mut self,
        reader: TypeIndex,
        writer: TypeIndex,
        work: &mut Work,
    ) -> Result<bool, Exhausted> {
        if let Some(same) = self.at_once(reader, writer) {
            return Ok(same);
        }
        let first = self.pairs.len();
        let pair = self.pair(reader, writer);
        let mut parts = Vec::new();
        while let Some((pair, reader, writer)) = self.open.pop() {
            work.take(1)?;
            let (one, other) = (self.reader.node(reader), self.writer.node(writer));
            parts.clear();
            let same = alike(one, other, &mut parts, work)?
                && parts.iter().all(|part| self.refer(first, pair, *part));
            if let Some(pair) = self.pairs.get_mut(pair) {
                pair.differs = !same;
            }
        }
        self.spread(first);
        Ok(!self.differs(pair))
    }

    fn differs(&self, pair: usize) -> bool {
        self.pairs.get(pair).is_none_or(|pair| pair.differs)
    }

    /// Of what takes no time, and of one type.
    fn at_once(&self, reader: TypeIndex, writer: TypeIndex) -> Option<bool> {
        if self.is_one_tree && reader == writer {
            return Some(true);
        }
        match (self.reader.node(reader), self.writer.node(writer)) {
            (Node::Primitive(one), Node::Primitive(other)) => Some(one == other),
            (Node::String8 { bound: one }, Node::String8 { bound: other })
            | (Node::String16 { bound: one }, Node::String16 { bound: other }) => {
                Some(one == other)
            }
            (one, other) => (discriminant(one) != discriminant(other)).then_some(false),
        }
    }

    /// The place of a pair, which is looked at if it was not yet.
    fn pair(&mut self, reader: TypeIndex, writer: TypeIndex) -> usize {
        let next = self.pairs.len();
        let pair = *self.known.entry((reader, writer)).or_insert(next);
        if pair == next {
            self.pairs.push(Pair::default());
            self.open.push((pair, reader, writer));
        }
        pair
    }

    /// A pair refers to a part. `false`: it is known that the part differs. Pairs before the first
    /// one are settled.
    fn refer(
        &mut self,
        first: usize,
        user: usize,
        (reader, writer): (TypeIndex, TypeIndex),
    ) -> bool {
        let (reader, writer) = (self.reader.resolve(reader), self.writer.resolve(writer));
        if let Some(same) = self.at_once(reader, writer) {
            return same;
        }
        let part = self.pair(reader, writer);
        match self.pairs.get_mut(part) {
            Some(part) if part.differs => return false,
            Some(of) if part >= first => of.users.push(user),
            _ => {}
        }
        true
    }

    /// What refers to something that differs differs.
    fn spread(&mut self, first: usize) {
        let differs = |pair: &usize| self.differs(*pair);
        let mut open: Vec<usize> = (first..self.pairs.len()).filter(differs).collect();
        while let Some(pair) = open.pop() {
            let users = self
                .pairs
                .get_mut(pair)
                .map(|of| core::mem::take(&mut of.users));
            for user in users.unwrap_or_default() {
                if let Some(of) = self.pairs.get_mut(user).filter(|of| !of.differs) {
                    of.differs = true;
                    open.push(user);
                }
            }
        }
    }
}

/// Whether they are the same but for the types that they refer to.
fn alike(r: &Node, w: &Node, parts: &mut Parts, work: &mut Work) -> Result<bool, Exhausted> {
    Ok(match (r, w) {
        (
            Node::Sequence { element, bound },
            Node::Sequence {
                element: other,
                bound: sent,
            },
        ) => bound == sent && elements(*element, *other, parts),
        (
            Node::Array {
                element,
                dimensions,
            },
            Node::Array {
                element: other,
                dimensions: others,
            },
        ) => dimensions == others && elements(*element, *other, parts),
        (
            Node::Map { key, value, bound },
            Node::Map {
                key: other_key,
                value: other,
                bound: sent,
            },
        ) => bound == sent && elements(*key, *other_key, parts) && elements(*value, *other, parts),
        (Node::Enumeration(one), Node::Enumeration(other)) => enumeration(one, other, work)?,
        (Node::Bitmask(one), Node::Bitmask(other)) => bitmask(one, other),
        (Node::Bitset(one), Node::Bitset(other)) => bitset(one, other),
        (Node::Structure(one), Node::Structure(other)) => structure(one, other, parts, work)?,
        (Node::Union(one), Node::Union(other)) => union(one, other, parts, work)?,
        _ => false,
    })
}

fn elements(one: Element, other: Element, parts: &mut Parts) -> bool {
    parts.push((one.ty, other.ty));
    one.try_construct == other.try_construct && one.is_external == other.is_external
}

fn structure(
    one: &Structure,
    other: &Structure,
    parts: &mut Parts,
    work: &mut Work,
) -> Result<bool, Exhausted> {
    if one.members.len() != other.members.len() {
        return Ok(false);
    }
    work.take(one.members.len())?;
    let bases = match (one.base, other.base) {
        (None, None) => true,
        (Some(one), Some(other)) => {
            parts.push((one, other));
            true
        }
        _ => false,
    };
    Ok(bases
        && one.extensibility == other.extensibility
        && one.is_nested == other.is_nested
        && one.has_hashed_ids == other.has_hashed_ids
        && one.members.iter().zip(&other.members).all(|(one, other)| {
            one.id == other.id
                && one.is_key == other.is_key
                && one.is_optional == other.is_optional
                // A key is to be understood, whether its TypeObject says so or not.
                && (one.is_key || one.must_understand == other.must_understand)
                && one.name == other.name
                && elements(one.element, other.element, parts)
        }))
}

fn union(
    one: &Union,
    other: &Union,
    parts: &mut Parts,
    work: &mut Work,
) -> Result<bool, Exhausted> {
    work.take(one.by_label.len() + one.cases.len() + other.cases.len())?;
    Ok(one.extensibility == other.extensibility
        && one.is_nested == other.is_nested
        && one.has_hashed_ids == other.has_hashed_ids
        && one.is_key == other.is_key
        && elements(one.discriminator, other.discriminator, parts)
        && cases(one, other, parts)
        && unlabelled(one) == unlabelled(other))
}

fn cases(one: &Union, other: &Union, parts: &mut Parts) -> bool {
    let valued = |of: &Case| of.element.is_some();
    let ours = one.cases.iter().filter(|case| valued(case));
    let theirs = other.cases.iter().filter(|case| valued(case));
    if ours.clone().count() != theirs.clone().count() {
        return false;
    }
    ours.zip(theirs).all(|(one, other)| {
        let (Some(element), Some(of_other)) = (one.element, other.element) else {
            return false;
        };
        one.id == other.id
            && one.is_default == other.is_default
            && one.name == other.name
            && (one.labels == other.labels || sorted(&one.labels) == sorted(&other.labels))
            && elements(element, of_other, parts)
    })
}

/// The labels that select nothing, though there is a default. No TypeObject says that.
fn unlabelled(of: &Union) -> Vec<i64> {
    let valued = |case: &Case| case.element.is_some();
    let has_default = of.cases.iter().any(|case| case.is_default && valued(case));
    let without = of.cases.iter().filter(|case| has_default && !valued(case));
    let labels: Vec<i64> = without
        .flat_map(|case| case.labels.iter().copied())
        .collect();
    sorted(&labels)
}

fn sorted(labels: &[i64]) -> Vec<i64> {
    let mut labels = labels.to_vec();
    labels.sort_unstable();
    labels
}

fn enumeration(one: &Enumeration, other: &Enumeration, work: &mut Work) -> Result<bool, Exhausted> {
    let extensibility = |of: &Enumeration| said(of.extensibility, of.fits_any_extensibility);
    if one.literals.len() != other.literals.len()
        || one.bit_bound != other.bit_bound
        || one.default != other.default
        || !agree(extensibility(one), extensibility(other))
    {
        return Ok(false);
    }
    work.take(one.literals.len())?;
    Ok(one.literals == other.literals || by_value(one) == by_value(other))
}

fn bitmask(one: &Bitmask, other: &Bitmask) -> bool {
    let extensibility = |of: &Bitmask| said(of.extensibility, of.fits_any_extensibility);
    let flags = |of: &Bitmask| {
        let mut flags: Vec<Flag> = of.flags.to_vec();
        flags.sort_unstable_by_key(|flag| flag.position);
        flags
    };
    one.bit_bound == other.bit_bound
        && agree(extensibility(one), extensibility(other))
        && (one.flags == other.flags || flags(one) == flags(other))
}

fn bitset(one: &Bitset, other: &Bitset) -> bool {
    let fields = |of: &Bitset| {
        let mut fields: Vec<Bitfield> = of.fields.to_vec();
        fields.sort_unstable_by_key(|field| field.position);
        fields
    };
    one.fields == other.fields || fields(one) == fields(other)
}

/// What says nothing agrees with all.
fn agree<T: PartialEq>(one: Option<T>, other: Option<T>) -> bool {
    one.is_none() || other.is_none() || one == other
}
