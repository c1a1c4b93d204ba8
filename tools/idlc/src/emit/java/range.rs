//! Statements that look whether numbers are in their ranges, behind those that write or read them.
//! Structures and unions within look at their own.

use dunlin_xtypes::{Annotations, TypeKind};

use super::code::{Code, literal};
use super::names;
use super::types::Held;
use crate::emit::Unit;
use crate::plan::range::{Limit, Range, has_elements};

/// Whether there is something to be checked, short of structures and unions within.
pub(super) fn is_checked(
    unit: &Unit<'_>,
    (held, annotations): (&Held, Option<&Annotations>),
) -> bool {
    let has_range = || Range::of(annotations, &held.ty).is_some() || has_elements(&held.ty);
    unit.choices.range_checks && has_range()
}

/// Refuses a member or the value of a case; `by` is what writes or reads.
pub(super) fn part(
    unit: &Unit<'_>,
    code: &mut Code,
    by: &str,
    (held, annotations): (&Held, Option<&Annotations>),
    place: &str,
) {
    if !is_checked(unit, (held, annotations)) {
        return;
    }
    let range = Range::of(annotations, &held.ty);
    let there = |code: &mut Code| match range {
        Some(range) => number(code, by, held, range, place),
        None => elements(unit, code, by, held, place),
    };
    match held.is_optional {
        true => code.braces(format_args!("if ({place} != null)"), there),
        false => there(code),
    }
}

fn elements(unit: &Unit<'_>, code: &mut Code, by: &str, held: &Held, place: &str) {
    let ty = held.ty.resolved();
    let at = code.fresh();
    match ty.kind() {
        TypeKind::Array => rows(unit, code, by, held, (ty.dimensions().len(), place)),
        TypeKind::Map => {
            let entry = format!("e{at}");
            let head = format!("for (var {entry} : {place}.entrySet())");
            code.braces(head, |code| {
                for (half, word) in [(held.key(), "getKey"), (held.element(), "getValue")] {
                    if let Some(half) = half {
                        let value = format!("{entry}.{word}()");
                        part(unit, code, by, (&half, None), &value);
                    }
                }
            });
        }
        _ => {
            let Some(element) = held.element() else {
                return;
            };
            // Sequences of numbers are no collections of Java.
            let count = match names::row(&ty) {
                Some(_) => "length",
                None => "size",
            };
            let head = format!("for (int i{at} = 0; i{at} < {place}.{count}(); i{at}++)");
            code.braces(head, |code| {
                let value = format!("{place}.get(i{at})");
                part(unit, code, by, (&element, None), &value);
            });
        }
    }
}

fn rows(
    unit: &Unit<'_>,
    code: &mut Code,
    by: &str,
    held: &Held,
    (dimensions, place): (usize, &str),
) {
    let Some(element) = held.element() else {
        return;
    };
    let row = format!("e{}", code.fresh());
    code.braces(
        format_args!("for (var {row} : {place})"),
        |code| match dimensions {
            0 | 1 => part(unit, code, by, (&element, None), &row),
            _ => rows(unit, code, by, held, (dimensions - 1, &row)),
        },
    );
}

/// A comparison; NaN is in no range.
fn number(code: &mut Code, by: &str, held: &Held, range: Range, place: &str) {
    let kind = held.ty.resolved().kind();
    // What has no sign in IDL has one in Java, so it is compared as what is wider.
    let value = match kind {
        TypeKind::Byte | TypeKind::UInt8 => format!("({place} & 0xff)"),
        TypeKind::UInt16 => format!("({place} & 0xffff)"),
        TypeKind::UInt32 => format!("({place} & 0xffffffffL)"),
        TypeKind::Enumeration => format!("{place}.value()"),
        _ => place.into(),
    };
    let limit = |limit: Limit| match limit {
        Limit::Integer(number) => match kind {
            TypeKind::Int64 | TypeKind::UInt64 | TypeKind::UInt32 => {
                format!("{}L", number as i64)
            }
            _ => number.to_string(),
        },
        Limit::Float(number) if kind == TypeKind::Float32 => format!("{:?}f", number as f32),
        Limit::Float(number) => format!("{number:?}"),
    };
    let compare = |word: &str, end: Limit| match kind {
        TypeKind::UInt64 => {
            let compared = format!("java.lang.Long.compareUnsigned({value}, {})", limit(end));
            format!("{compared} {word} 0")
        }
        _ => format!("{value} {word} {}", limit(end)),
    };
    let min = range.min.map(|min| compare(">=", min));
    let max = range.max.map(|max| compare("<=", max));
    let is_in: Vec<String> = min.into_iter().chain(max).collect();
    let found = match kind {
        TypeKind::UInt64 => format!("java.lang.Long.toUnsignedString({value})"),
        TypeKind::Char8 | TypeKind::Char16 => format!("\"\" + (int) {value}"),
        _ => format!("\"\" + {value}"),
    };
    let (idl, text) = (literal(&held.idl), literal(&range.text(&held.ty)));
    code.braces(format_args!("if (!({}))", is_in.join(" && ")), |code| {
        code.line(format_args!("throw {by}.outside({idl}, {found}, {text});"));
    });
}
