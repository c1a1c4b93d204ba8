//! What is done with values in memory: defaults, copies, comparisons.

use dunlin_xtypes::{Constant, DynamicType, TypeKind};

use super::code::{Code, literal};
use super::types::Held;
use super::{LIBRARY, names};
use crate::emit::Unit;

/// A number or text as Java writes it; `None` if the type has no such constant.
pub(super) fn constant(unit: &Unit<'_>, ty: &DynamicType, value: &Constant) -> Option<String> {
    let ty = ty.resolved();
    let word = names::number(ty.kind()).map(|word| word.0);
    Some(match value {
        Constant::Boolean(value) => value.to_string(),
        Constant::Integer(value) => match ty.kind() {
            TypeKind::Enumeration => {
                let literal = ty
                    .literals()
                    .iter()
                    .find(|one| i128::from(one.value()) == *value)?;
                let class = names::qualified(unit, ty.name());
                format!("{class}.{}", names::member(unit, literal.name()))
            }
            TypeKind::Bitmask => format!(
                "new {}({}L)",
                names::qualified(unit, ty.name()),
                *value as i64
            ),
            _ => match word? {
                "byte" => format!("(byte) {}", *value as i8),
                "short" => format!("(short) {}", *value as i16),
                "long" => format!("{}L", *value as i64),
                "int" => (*value as i32).to_string(),
                _ => return None,
            },
        },
        Constant::Float(value) => {
            let is_single = word == Some("float");
            let class = if is_single {
                "java.lang.Float"
            } else {
                "java.lang.Double"
            };
            match (value.is_nan(), value.is_infinite()) {
                (true, _) => format!("{class}.NaN"),
                (_, true) if *value > 0.0 => format!("{class}.POSITIVE_INFINITY"),
                (_, true) => format!("{class}.NEGATIVE_INFINITY"),
                _ if is_single => format!("{:?}f", *value as f32),
                _ => format!("{value:?}"),
            }
        }
        Constant::Float128(bytes) => {
            let (low, high) = halves(bytes);
            format!("new {LIBRARY}.Float128({}L, {}L)", high as i64, low as i64)
        }
        Constant::Char8(value) => format!("(char) {value}"),
        Constant::Char16(value) => format!("(char) {value}"),
        Constant::String8(text) | Constant::String16(text) => literal(text),
    })
}

/// The halves of a number whose bytes are in the order of this machine.
fn halves(bytes: &[u8; 16]) -> (u64, u64) {
    let number = u128::from_ne_bytes(*bytes);
    (number as u64, (number >> 64) as u64)
}

/// The default of a member.
pub(super) fn default(unit: &Unit<'_>, held: &Held) -> String {
    match held.is_null() {
        true => "null".into(),
        false => fresh(unit, held),
    }
}

/// The same where it may not be null.
pub(super) fn fresh(unit: &Unit<'_>, held: &Held) -> String {
    let ty = held.ty.resolved();
    let said = held.default.as_ref();
    if let Some(text) = said.and_then(|said| constant(unit, &ty, said)) {
        return text;
    }
    match ty.kind() {
        TypeKind::Boolean => "false".into(),
        TypeKind::Byte | TypeKind::Int8 | TypeKind::UInt8 => "(byte) 0".into(),
        TypeKind::Int16 | TypeKind::UInt16 => "(short) 0".into(),
        TypeKind::Int32 | TypeKind::UInt32 => "0".into(),
        TypeKind::Int64 | TypeKind::UInt64 => "0L".into(),
        TypeKind::Float32 => "0.0f".into(),
        TypeKind::Float64 => "0.0".into(),
        TypeKind::Char8 | TypeKind::Char16 => "(char) 0".into(),
        TypeKind::Float128 => format!("{LIBRARY}.Float128.ZERO"),
        TypeKind::String8 | TypeKind::String16 => "\"\"".into(),
        TypeKind::Enumeration => {
            let literal = ty.default_literal().or(ty.literals().first());
            let literal = literal.map_or_else(String::new, |one| names::member(unit, one.name()));
            format!("{}.{literal}", names::qualified(unit, ty.name()))
        }
        TypeKind::Sequence if names::row(&ty).is_none() => format!("new {LIBRARY}.Seq<>()"),
        TypeKind::Map => {
            let order = held.key().and_then(|key| order(unit, &key.ty));
            format!("new java.util.TreeMap<>({})", order.unwrap_or_default())
        }
        TypeKind::Array => array(unit, held),
        _ => format!("new {}()", names::object(unit, &ty)),
    }
}

/// The order of keys of a map, where it is not that of their class.
fn order(unit: &Unit<'_>, ty: &DynamicType) -> Option<String> {
    let ty = ty.resolved();
    Some(match ty.kind() {
        TypeKind::Byte | TypeKind::UInt8 => "java.lang.Byte::compareUnsigned".into(),
        TypeKind::UInt16 => "java.lang.Short::compareUnsigned".into(),
        TypeKind::UInt32 => "java.lang.Integer::compareUnsigned".into(),
        TypeKind::UInt64 => "java.lang.Long::compareUnsigned".into(),
        TypeKind::String8 => format!("{LIBRARY}.Values.TEXT"),
        TypeKind::Enumeration => {
            let class = names::qualified(unit, ty.name());
            format!("java.util.Comparator.comparingInt({class}::value)")
        }
        _ => return None,
    })
}

/// An array of defaults.
fn array(unit: &Unit<'_>, held: &Held) -> String {
    let ty = held.ty.resolved();
    let Some(element) = held.element() else {
        return "null".into();
    };
    let lengths: String = ty
        .dimensions()
        .iter()
        .map(|length| format!("[{length}]"))
        .collect();
    let class = names::ty(unit, &element.ty);
    let base = class.trim_end_matches("[]");
    let more = "[]".repeat((class.len() - base.len()) / 2);
    let made = match base.split_once('<') {
        None => format!("new {base}{lengths}{more}"),
        Some((raw, _)) => format!("({}) new {raw}{lengths}{more}", names::object(unit, &ty)),
    };
    if names::number(element.ty.resolved().kind()).is_some() || element.is_null() {
        return made;
    }
    format!(
        "{LIBRARY}.Values.fill({made}, {}, () -> {})",
        ty.dimensions().len(),
        fresh(unit, &element)
    )
}

/// Gives a place its default again.
pub(super) fn reset(unit: &Unit<'_>, code: &mut Code, held: &Held, place: &str) {
    let ty = held.ty.resolved();
    let default = default(unit, held);
    match ty.kind() {
        _ if held.is_null() => code.line(format_args!("{place} = null;")),
        TypeKind::Structure | TypeKind::Union => {
            let class = names::qualified(unit, ty.name());
            code.braces(format_args!("if ({place} == null)"), |code| {
                code.line(format_args!("{place} = {default};"));
            });
            code.braces("else", |code| {
                code.line(format_args!("{class}.TYPE.reset({place});"))
            });
        }
        TypeKind::Sequence | TypeKind::Map => {
            code.braces(format_args!("if ({place} == null)"), |code| {
                code.line(format_args!("{place} = {default};"));
            });
            code.braces("else", |code| code.line(format_args!("{place}.clear();")));
        }
        _ => code.line(format_args!("{place} = {default};")),
    }
}

/// A copy of a value that is not null.
fn copy(unit: &Unit<'_>, code: &mut Code, held: &Held, value: &str) -> String {
    let ty = held.ty.resolved();
    let at = code.fresh();
    let mut inner = |of: Option<Held>| match of {
        Some(of) => {
            let place = format!("e{at}");
            let text = copy_of(unit, code, &of, &place);
            (place, text)
        }
        None => (String::new(), String::new()),
    };
    match ty.kind() {
        TypeKind::Sequence if names::row(&ty).is_none() => {
            let (place, text) = inner(held.element());
            format!("{value}.copy({place} -> {text})")
        }
        TypeKind::Map => {
            let (place, text) = inner(held.element());
            format!("{LIBRARY}.Values.copy({value}, {place} -> {text})")
        }
        TypeKind::Array => rows(unit, code, held, ty.dimensions().len(), value),
        TypeKind::Sequence
        | TypeKind::Structure
        | TypeKind::Union
        | TypeKind::Bitmask
        | TypeKind::Bitset => format!("{value}.copy()"),
        _ => value.into(),
    }
}

fn rows(unit: &Unit<'_>, code: &mut Code, held: &Held, dimensions: usize, value: &str) -> String {
    let Some(element) = held.element() else {
        return value.into();
    };
    let is_number = names::number(element.ty.resolved().kind()).is_some();
    if dimensions == 1 && is_number {
        return format!("{value}.clone()");
    }
    let place = format!("e{}", code.fresh());
    let text = match dimensions {
        1 => copy_of(unit, code, &element, &place),
        _ => rows(unit, code, held, dimensions - 1, &place),
    };
    format!("{LIBRARY}.Values.copy({value}, {place} -> {text})")
}

/// A copy of a value, which may be null.
pub(super) fn copy_of(unit: &Unit<'_>, code: &mut Code, held: &Held, value: &str) -> String {
    let copied = copy(unit, code, held, value);
    match copied == value {
        true => copied,
        false => format!("{value} == null ? null : {copied}"),
    }
}

/// Whether values at two places are equal.
pub(super) fn equal(held: &Held, one: &str, other: &str) -> String {
    let kind = held.ty.resolved().kind();
    match kind {
        _ if held.is_optional => format!("{LIBRARY}.Values.equal({one}, {other})"),
        TypeKind::Float32 | TypeKind::Float64 => {
            format!("{LIBRARY}.Values.same({one}, {other})")
        }
        _ if names::number(kind).is_some() => format!("{one} == {other}"),
        _ => format!("{LIBRARY}.Values.equal({one}, {other})"),
    }
}

/// The hash of a value.
pub(super) fn hash(held: &Held, value: &str) -> String {
    let kind = held.ty.resolved().kind();
    match (kind, names::number(kind)) {
        _ if held.is_optional => format!("{LIBRARY}.Values.hash({value})"),
        (TypeKind::Float32 | TypeKind::Float64, _) => {
            format!("{LIBRARY}.Values.hash((double) {value})")
        }
        (_, Some((_, class))) => format!("{class}.hashCode({value})"),
        _ => format!("{LIBRARY}.Values.hash({value})"),
    }
}

/// A value as text.
pub(super) fn text(held: &Held, value: &str) -> String {
    match names::number(held.ty.resolved().kind()).is_some() && !held.is_optional {
        true => value.into(),
        false => format!("{LIBRARY}.Values.text({value})"),
    }
}
