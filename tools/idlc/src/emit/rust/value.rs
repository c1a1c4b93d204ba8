//! Values as expressions.

use dunlin_xtypes::{Constant, DynamicType, TypeKind};

use super::names::{Place, word};
use super::{CDR, Rust};

impl Rust<'_, '_> {
    /// A value of a type, as it is written at a place. That of a string is a literal.
    pub(super) fn value(&self, value: &Constant, ty: &DynamicType, from: &Place) -> String {
        let ty = ty.resolved();
        match value {
            Constant::Boolean(value) => value.to_string(),
            Constant::Integer(value) => self.integer(*value, &ty, from),
            Constant::Float(value) => match ty.kind() {
                TypeKind::Float32 => float32(*value as f32),
                _ => float64(*value),
            },
            Constant::Float128(bytes) => format!("{CDR}::Float128::from_le_bytes({bytes:?})"),
            Constant::Char8(value) => format!("{CDR}::Char8({value})"),
            Constant::Char16(value) => format!("{CDR}::Char16({value})"),
            Constant::String8(_) | Constant::String16(_) => text(value),
        }
    }

    fn integer(&self, value: i128, ty: &DynamicType, from: &Place) -> String {
        let path = || self.names.path(ty.index(), from);
        match ty.kind() {
            TypeKind::Enumeration => {
                let mut literals = ty.literals().iter();
                let literal = literals.find(|one| i128::from(one.value()) == value);
                let name = literal.map_or_else(String::new, |literal| word(literal.name()));
                format!("{}::{name}", path())
            }
            TypeKind::Bitmask => format!("{}({value})", path()),
            TypeKind::Boolean => (value != 0).to_string(),
            TypeKind::Char8 => format!("{CDR}::Char8({value})"),
            TypeKind::Char16 => format!("{CDR}::Char16({value})"),
            TypeKind::Float32 | TypeKind::Float64 => format!("{value}.0"),
            _ => value.to_string(),
        }
    }

    /// A label of a union.
    pub(super) fn label(&self, label: i64, discriminator: &DynamicType, from: &Place) -> String {
        let ty = discriminator.resolved();
        let value = match (ty.kind(), ty.number_size()) {
            (TypeKind::UInt64, _) | (TypeKind::Bitmask, Some(8)) => (label as u64).into(),
            _ => label.into(),
        };
        self.integer(value, &ty, from)
    }
}

/// A text as a literal.
pub(super) fn text(value: &Constant) -> String {
    match value {
        Constant::String8(text) | Constant::String16(text) => format!("{text:?}"),
        _ => "\"\"".into(),
    }
}

fn float32(value: f32) -> String {
    match value {
        _ if value.is_nan() => "f32::NAN".into(),
        f32::INFINITY => "f32::INFINITY".into(),
        f32::NEG_INFINITY => "f32::NEG_INFINITY".into(),
        _ => format!("{value:?}"),
    }
}

fn float64(value: f64) -> String {
    match value {
        _ if value.is_nan() => "f64::NAN".into(),
        f64::INFINITY => "f64::INFINITY".into(),
        f64::NEG_INFINITY => "f64::NEG_INFINITY".into(),
        _ => format!("{value:?}"),
    }
}
