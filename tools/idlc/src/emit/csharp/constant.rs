//! Values as C# writes them.

use dunlin_xtypes::{Constant, DynamicType, TypeKind};

use super::names;
use crate::emit::Unit;
use crate::model::NamedConstant;

/// A number of a type; what it is where nothing is said.
pub(super) fn number(unit: &Unit<'_>, ty: &DynamicType, said: Option<&Constant>) -> String {
    let of = ty.resolved();
    let kind = of.kind();
    match (kind, said) {
        (TypeKind::Bitset, _) => format!("default({})", names::typed(unit, &of)),
        (TypeKind::Enumeration, said) => {
            let value = match said {
                Some(Constant::Integer(value)) => i64::try_from(*value).ok(),
                _ => of.default_literal().map(|one| one.value().into()),
            };
            enumerator(unit, &of, value.unwrap_or(0))
        }
        (TypeKind::Bitmask, said) => {
            let value = match said {
                Some(Constant::Integer(value)) => *value,
                _ => 0,
            };
            format!("({}){value}u", names::typed(unit, &of))
        }
        (_, Some(Constant::Boolean(value))) => value.to_string(),
        (_, Some(Constant::Integer(value))) => integer(kind, *value),
        (_, Some(Constant::Float(value))) => float(kind, *value),
        (_, Some(Constant::Float128(bytes))) => float128(bytes),
        (_, Some(Constant::Char8(value))) => format!("'\\u{value:04x}'"),
        (_, Some(Constant::Char16(value))) => format!("'\\u{value:04x}'"),
        (TypeKind::Boolean, _) => "false".into(),
        (TypeKind::Char8 | TypeKind::Char16, _) => "'\\0'".into(),
        (TypeKind::Float128, _) => "default(global::Dunlin.Float128)".into(),
        _ => "0".into(),
    }
}

fn enumerator(unit: &Unit<'_>, ty: &DynamicType, value: i64) -> String {
    let named = ty
        .literals()
        .iter()
        .find(|one| i64::from(one.value()) == value);
    let name = names::typed(unit, ty);
    match named {
        Some(one) => format!("{name}.{}", unit.word(one.name())),
        None => format!("({name})({value})"),
    }
}

fn integer(kind: TypeKind, value: i128) -> String {
    match kind {
        TypeKind::UInt32 => format!("{value}u"),
        TypeKind::UInt64 => format!("{value}ul"),
        TypeKind::Int64 if value == i128::from(i64::MIN) => "long.MinValue".into(),
        TypeKind::Int64 => format!("{value}L"),
        _ => value.to_string(),
    }
}

fn float(kind: TypeKind, value: f64) -> String {
    let (ty, ending) = match kind {
        TypeKind::Float32 => ("float", "f"),
        _ => ("double", "d"),
    };
    if value.is_nan() {
        return format!("{ty}.NaN");
    }
    if value.is_infinite() {
        let sign = if value < 0.0 { "Negative" } else { "Positive" };
        return format!("{ty}.{sign}Infinity");
    }
    match kind {
        TypeKind::Float32 => format!("{:?}{ending}", value as f32),
        _ => format!("{value:?}{ending}"),
    }
}

/// The bytes are those of the number, the least significant first.
fn float128(bytes: &[u8; 16]) -> String {
    let number = u128::from_le_bytes(*bytes);
    let (high, low) = ((number >> 64) as u64, number as u64);
    format!("new global::Dunlin.Float128({high:#x}ul, {low:#x}ul)")
}

/// The declaration of a constant of the IDL, called `Value`.
pub(super) fn constant(unit: &Unit<'_>, of: &NamedConstant) -> Option<String> {
    Some(match &of.value {
        Constant::String8(text) | Constant::String16(text) => {
            format!("public const string Value = {};", names::literal(text))
        }
        value => {
            let ty = unit.model.tree.get(of.index?)?;
            let word = match ty.resolved().kind() {
                TypeKind::Float128 | TypeKind::Bitset => "static readonly",
                _ => "const",
            };
            let (typed, value) = (names::typed(unit, &ty), number(unit, &ty, Some(value)));
            format!("public {word} {typed} Value = {value};")
        }
    })
}
