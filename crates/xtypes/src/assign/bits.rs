//! Enumerations, bitmasks and bitsets (DDS-XTypes 1.3 7.2.4.4.2 and 7.2.4.4.3).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use dunlin_cdr::Extensibility;

use super::Difference;
use super::judge::{Judge, Task};
use super::structure::extensibility_word;
use crate::tree::{Bitset, Enumeration, Node};
use crate::{Bitfield, Literal, TypeKind};

/// `None` fits any.
pub(super) fn said(extensibility: Extensibility, fits_any: bool) -> Option<Extensibility> {
    (!fits_any).then_some(extensibility)
}

impl<'t> Judge<'t> {
    pub(super) fn enumeration(
        &mut self,
        task: &Task,
        r: &'t Enumeration,
        w: &'t Enumeration,
    ) -> Result<(), Difference> {
        let differ = |judge: &Self, rule, words| judge.difference(task.at, None, rule, words);
        let extensibility = match (extensibility(r), extensibility(w)) {
            (Some(one), Some(other)) if one != other => {
                let rule = "both enumerations need one extensibility. Write @final or @appendable \
                            in both.";
                let words = [one, other].map(|of| extensibility_word(of).into());
                return Err(differ(self, rule, words));
            }
            (one, other) => one.or(other),
        };
        if r.bit_bound != w.bit_bound {
            let rule = "enumerations need one bit bound. Give both the same @bit_bound.";
            let words = [r, w].map(|of| format!("@bit_bound({})", of.bit_bound));
            return Err(differ(self, rule, words));
        }
        self.take(r.literals.len() + w.literals.len(), task)?;
        let ignore_names = r.ignores_literal_names || w.ignores_literal_names;
        if !ignore_names && let Some((one, other)) = clash(r, w) {
            let rule = "a literal needs one name and one value. Give both the same, or write \
                        @ignore_literal_names.";
            return Err(differ(self, rule, [one, other].map(literal)));
        }
        match lone(r, w) {
            Some((one, is_reader)) if extensibility == Some(Extensibility::Final) => {
                let rule = "final enumerations need the same literals. Add it to the other, or \
                            make both appendable.";
                let words = [literal(one), "no such literal".into()];
                Err(differ(self, rule, turned(words, !is_reader)))
            }
            _ => Ok(()),
        }
    }

    /// One of both is a bitmask at least.
    pub(super) fn bitmask(
        &mut self,
        task: &Task,
        r: &'t Node,
        w: &'t Node,
    ) -> Result<(), Difference> {
        use TypeKind::{UInt8, UInt16, UInt32, UInt64};
        let sizes = [
            self.reader.facts(task.reader).size,
            self.writer.facts(task.writer).size,
        ];
        let rule = match (r, w) {
            (Node::Bitmask(r), Node::Bitmask(w)) => {
                if r.bit_bound == w.bit_bound {
                    return Ok(());
                }
                let rule = "bitmasks need one bit bound. Give both the same @bit_bound.";
                let words = [r, w].map(|of| format!("@bit_bound({})", of.bit_bound));
                return Err(self.difference(task.at, None, rule, words));
            }
            (Node::Primitive(kind), _) | (_, Node::Primitive(kind))
                if matches!(kind, UInt8 | UInt16 | UInt32 | UInt64) =>
            {
                if sizes[0] == sizes[1] {
                    return Ok(());
                }
                "an integer that stands for a bitmask has as many bytes as it. Use uint8 for 1 to \
                 8 bits, uint16 to 16, uint32 to 32, else uint64."
            }
            _ => {
                "a bitmask fits a bitmask and the unsigned integer of its size. Give both one type."
            }
        };
        Err(self.difference(task.at, None, rule, self.words(task)))
    }

    pub(super) fn bitset(
        &mut self,
        task: &Task,
        r: &'t Bitset,
        w: &'t Bitset,
    ) -> Result<(), Difference> {
        self.take(r.fields.len() + w.fields.len(), task)?;
        let sorted = [r, w].map(|of| {
            let mut fields: Vec<&Bitfield> = of.fields.iter().collect();
            fields.sort_by_key(|field| field.position);
            fields
        });
        let [reader, writer] = &sorted;
        let count = reader.len().max(writer.len());
        let clash = (0..count).find_map(|n| {
            let (one, other) = (reader.get(n), writer.get(n));
            let bits = |of: Option<&&Bitfield>| of.map(|of| (of.position, of.size, of.holder));
            (bits(one) != bits(other)).then_some([one, other])
        });
        let Some(fields) = clash else {
            return Ok(());
        };
        let rule =
            "bitsets need fields of the same positions, sizes and types. Give both the same.";
        let words =
            fields.map(|field| field.map_or("no such field".into(), |field| bitfield(field)));
        Err(self.difference(task.at, None, rule, words))
    }
}

fn extensibility(of: &Enumeration) -> Option<Extensibility> {
    said(of.extensibility, of.fits_any_extensibility)
}

/// The words of the reader come first.
fn turned([one, other]: [String; 2], turn: bool) -> [String; 2] {
    match turn {
        true => [other, one],
        false => [one, other],
    }
}

fn literal(of: &Literal) -> String {
    format!("{} = {}", of.name, of.value)
}

fn bitfield(of: &Bitfield) -> String {
    let (holder, size, position) = (of.holder.name(), of.size, of.position);
    format!("{} of {size} bits from bit {position} ({holder})", of.name)
}

/// Two literals of one name and two values, or of one value and two names.
fn clash<'t>(r: &'t Enumeration, w: &'t Enumeration) -> Option<(&'t Literal, &'t Literal)> {
    let (ours, theirs) = (by_value(r), by_value(w));
    let of_value = ours.iter().find_map(|one| {
        let other = find(&theirs, one.value)?;
        (other.name != one.name).then_some((*one, other))
    });
    of_value.or_else(|| {
        let mut named = theirs;
        named.sort_unstable_by_key(|of| &of.name);
        ours.iter().find_map(|one| {
            let at = named.binary_search_by_key(&&one.name, |of| &of.name).ok()?;
            let other = named.get(at)?;
            (other.value != one.value).then_some((*one, *other))
        })
    })
}

/// A literal whose value the other lacks, and whether it is the reader's.
fn lone<'t>(r: &'t Enumeration, w: &'t Enumeration) -> Option<(&'t Literal, bool)> {
    let lacks = |of: &Enumeration, one: &Literal| of.values.binary_search(&one.value).is_err();
    let ours = r.literals.iter().find(|one| lacks(w, one));
    let theirs = || w.literals.iter().find(|one| lacks(r, one));
    ours.map(|one| (one, true))
        .or_else(|| theirs().map(|one| (one, false)))
}

pub(super) fn by_value(of: &Enumeration) -> Vec<&Literal> {
    let mut literals: Vec<&Literal> = of.literals.iter().collect();
    literals.sort_unstable_by_key(|of| of.value);
    literals
}

fn find<'t>(sorted: &[&'t Literal], value: i32) -> Option<&'t Literal> {
    let at = sorted.binary_search_by_key(&value, |of| of.value).ok()?;
    sorted.get(at).copied()
}
