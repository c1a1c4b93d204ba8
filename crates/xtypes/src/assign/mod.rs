//! Assignability: whether a reader of one type can take samples of another (DDS-XTypes 1.3 7.2.4).
//!
//! No endpoints are matched by it yet, since these rules are missing: unions that differ; the
//! extensibility of enumerations; the same literals in final enumerations; a key that is a key on
//! both sides; key holders; what products describe differently but mean alike. The work is bounded
//! for each walk, not in total: judge only types of the program itself.

mod difference;
mod same;
mod structure;

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

pub use difference::Difference;
use dunlin_cdr::Extensibility;

use crate::{DynamicType, Element, TypeKind, limits};

/// What the reader's TYPE_CONSISTENCY_ENFORCEMENT asks (DDS-XTypes 1.3 7.6.3.4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Whether types may differ at all.
    pub allow_coercion: bool,
    /// Whether a sequence or map of the writer may be longer than the reader's bound.
    pub ignore_sequence_bounds: bool,
    /// Whether a string of the writer may be longer than the reader's bound.
    pub ignore_string_bounds: bool,
    /// Whether members of equal id may have different names.
    pub ignore_member_names: bool,
    /// Whether the writer must have each member of the reader that is not optional.
    pub prevent_type_widening: bool,
}

/// The encoding of the samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// XCDR1: appendable types have no length.
    Xcdr1,
    /// XCDR2.
    Xcdr2,
}

/// How two types fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// They are the same but for names of types and aliases.
    Same,
    /// They differ, and the reader can take the samples.
    Assignable,
}

/// Whether a reader of one type can take the samples of a writer of another (DDS-XTypes 1.3
/// 7.2.4). Unions are assignable only if they are the same.
///
/// # Errors
/// The first [`Difference`] that forbids it.
pub fn assignable(
    reader: &DynamicType,
    writer: &DynamicType,
    rules: &Rules,
    encoding: Encoding,
) -> Result<Verdict, Difference> {
    if same::same(reader, writer) {
        return Ok(Verdict::Same);
    }
    let mut judge = Judge {
        rules,
        encoding,
        pairs: BTreeSet::new(),
        depth: 0,
    };
    let at = Place {
        reader: reader.name().into(),
        writer: writer.name().into(),
    };
    if !rules.allow_coercion {
        let rule =
            "the reader takes no type but its own. Allow type coercion, or give both one type.";
        return Err(at.difference(rule, reader.words(), writer.words()));
    }
    judge.assignable(reader, writer, &at)?;
    Ok(Verdict::Assignable)
}

/// Pairs of types that are judged at most.
pub(crate) const PAIRS: usize = 65_536;

struct Judge<'a> {
    rules: &'a Rules,
    encoding: Encoding,
    /// Pairs that are judged or under way. The first difference ends all, so each is assignable
    /// unless one comes.
    pairs: BTreeSet<(u32, u32)>,
    depth: usize,
}

struct Place {
    reader: String,
    writer: String,
}

impl Place {
    fn member(&self, reader: &str, writer: &str) -> Self {
        Self {
            reader: format!("{}.{reader}", self.reader),
            writer: format!("{}.{writer}", self.writer),
        }
    }

    fn part(&self, part: &str) -> Self {
        Self {
            reader: format!("{}{part}", self.reader),
            writer: format!("{}{part}", self.writer),
        }
    }

    fn difference(&self, rule: &'static str, reader: String, writer: String) -> Difference {
        Difference {
            reader_path: self.reader.clone(),
            writer_path: self.writer.clone(),
            rule,
            reader,
            writer,
        }
    }
}

impl Judge<'_> {
    fn assignable(
        &mut self,
        r: &DynamicType,
        w: &DynamicType,
        at: &Place,
    ) -> Result<(), Difference> {
        let (r, w) = (r.resolved(), w.resolved());
        if !self.pairs.insert((r.index().0, w.index().0)) {
            return Ok(());
        }
        if self.pairs.len() > PAIRS || self.depth >= limits::WALK {
            let rule = "the types are too large or too deep to compare. Make them smaller.";
            return Err(at.difference(rule, r.words(), w.words()));
        }
        self.depth += 1;
        let judged = self.by_kind(&r, &w, at);
        self.depth -= 1;
        judged
    }

    fn by_kind(&mut self, r: &DynamicType, w: &DynamicType, at: &Place) -> Result<(), Difference> {
        use TypeKind::{Array, Enumeration, Map, Sequence, String8, String16, Structure};
        let differ = |rule| Err(at.difference(rule, r.words(), w.words()));
        match (r.kind(), w.kind()) {
            (String8, String8) | (String16, String16) => {
                if self.rules.ignore_string_bounds || holds(r, w) {
                    return Ok(());
                }
                differ(
                    "the reader counts string bounds. Set ignore_string_bounds, or give both one bound.",
                )
            }
            (Sequence, Sequence) | (Map, Map) => {
                if !self.rules.ignore_sequence_bounds && !holds(r, w) {
                    let rule = "the reader counts sequence bounds. Set ignore_sequence_bounds, or give both one bound.";
                    return Err(at.difference(rule, bound(r), bound(w)));
                }
                self.elements(r.key_element(), w.key_element(), r, w, &at.part("{key}"))?;
                self.elements(r.element(), w.element(), r, w, &at.part("[]"))
            }
            (Array, Array) => {
                if r.dimensions() != w.dimensions() {
                    return differ("arrays need the same dimensions. Give both the same.");
                }
                self.elements(r.element(), w.element(), r, w, &at.part("[]"))
            }
            (Enumeration, Enumeration) => enumeration(r, w, at),
            (Structure, Structure) => self.structure(r, w, at),
            (TypeKind::Bitset, TypeKind::Bitset) => {
                let fields = |of: &DynamicType| {
                    let all = of.fields().iter();
                    all.map(|of| (of.position(), of.size(), of.holder()))
                        .collect::<Vec<_>>()
                };
                match fields(r) == fields(w) {
                    true => Ok(()),
                    false => differ("bitsets need the same fields. Give both the same."),
                }
            }
            (TypeKind::Bitmask, TypeKind::Bitmask) if r.bit_bound() == w.bit_bound() => Ok(()),
            (TypeKind::Bitmask, _) if holds_bits(w, r) => Ok(()),
            (_, TypeKind::Bitmask) if holds_bits(r, w) => Ok(()),
            _ if same::same(r, w) => Ok(()),
            _ if r.kind() == w.kind() => differ("the two definitions differ. Give both the same."),
            _ => differ("a reader takes no other kind. Give both one type."),
        }
    }

    fn elements(
        &mut self,
        r: Option<Element>,
        w: Option<Element>,
        reader: &DynamicType,
        writer: &DynamicType,
        at: &Place,
    ) -> Result<(), Difference> {
        match (r, w) {
            (Some(r), Some(w)) => self.strongly(&reader.at(r.ty), &writer.at(w.ty), at),
            _ => Ok(()),
        }
    }

    /// Assignable, and the reader finds the end of the writer's value.
    fn strongly(&mut self, r: &DynamicType, w: &DynamicType, at: &Place) -> Result<(), Difference> {
        self.assignable(r, w, at)?;
        if self.delimited(r, w, 0) || same::same(r, w) {
            return Ok(());
        }
        let rule = "the values have no length by which the reader could skip what it does not know. Give both one type, or make it mutable.";
        Err(at.difference(rule, r.words(), w.words()))
    }

    fn delimited(&self, r: &DynamicType, w: &DynamicType, depth: usize) -> bool {
        let (r, w) = (r.resolved(), w.resolved());
        let inner =
            |r: Option<Element>, w: Option<Element>, of: (&DynamicType, &DynamicType)| match (r, w)
            {
                (Some(one), Some(other)) => {
                    self.delimited(&of.0.at(one.ty), &of.1.at(other.ty), depth + 1)
                }
                _ => true,
            };
        match w.kind() {
            _ if depth >= limits::WALK => false,
            TypeKind::Structure | TypeKind::Union => match w.extensibility() {
                Extensibility::Mutable => true,
                Extensibility::Appendable if self.encoding == Encoding::Xcdr2 => true,
                Extensibility::Appendable if w.kind() == TypeKind::Structure => {
                    r.members().count() == w.members().count()
                }
                _ => false,
            },
            TypeKind::Sequence | TypeKind::Array | TypeKind::Map => {
                inner(r.key_element(), w.key_element(), (&r, &w))
                    && inner(r.element(), w.element(), (&r, &w))
            }
            _ => true,
        }
    }
}

fn holds(reader: &DynamicType, writer: &DynamicType) -> bool {
    let [most, sent] = [reader, writer].map(|of| of.bound().unwrap_or(u32::MAX));
    most >= sent
}

/// Whether it is the unsigned integer that a bitmask is on the wire.
fn holds_bits(integer: &DynamicType, bitmask: &DynamicType) -> bool {
    use TypeKind::{UInt8, UInt16, UInt32, UInt64};
    matches!(integer.kind(), UInt8 | UInt16 | UInt32 | UInt64)
        && integer.number_size() == bitmask.number_size()
}

fn bound(of: &DynamicType) -> String {
    let bound = of
        .bound()
        .map_or("none".to_string(), |bound| bound.to_string());
    format!("{} of bound {bound}", of.kind().name())
}

/// Equal names have equal values and the reverse.
fn enumeration(r: &DynamicType, w: &DynamicType, at: &Place) -> Result<(), Difference> {
    if r.bit_bound() != w.bit_bound() {
        let bits = |of: &DynamicType| format!("{} bits", of.bit_bound().unwrap_or(0));
        let rule = "enumerations need one bit bound. Give both the same @bit_bound.";
        return Err(at.difference(rule, bits(r), bits(w)));
    }
    let ignore = r.ignores_literal_names() || w.ignores_literal_names();
    let words = |one: &crate::Literal| format!("{} = {}", one.name(), one.value());
    for one in r.literals().iter().filter(|_| !ignore) {
        let clash = w
            .literals()
            .iter()
            .find(|other| (one.name() == other.name()) != (one.value() == other.value()));
        if let Some(other) = clash {
            let rule = "a literal needs one name and one value. Give both the same.";
            return Err(at.difference(rule, words(one), words(other)));
        }
    }
    Ok(())
}
