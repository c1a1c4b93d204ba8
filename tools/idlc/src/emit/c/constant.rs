//! Values as C writes them.

use dunlin_xtypes::{Constant, DynamicType, TypeKind};

use super::code::{integer, literal};
use super::{cpp98, names};
use crate::emit::Unit;
use crate::model::NamedConstant;

/// An initializer for a number of a type; `None` if it is no number.
pub(super) fn number(ty: &DynamicType, value: &Constant) -> Option<String> {
    let is_single = ty.resolved().kind() == TypeKind::Float32;
    Some(match value {
        Constant::Boolean(value) => value.to_string(),
        Constant::Integer(value) => integer(*value),
        Constant::Float(value) if is_single => format!("{:?}f", *value as f32),
        Constant::Float(value) => format!("{value:?}"),
        Constant::Float128(bytes) => {
            let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:#04x}")).collect();
            format!("DUNLIN_FLOAT128({})", bytes.join(", "))
        }
        Constant::Char8(value) => format!("(char){value}"),
        Constant::Char16(value) => value.to_string(),
        Constant::String8(_) | Constant::String16(_) => return None,
    })
}

/// What a number is where nothing else is said.
pub(super) fn default(ty: &DynamicType, said: Option<&Constant>) -> String {
    let of = ty.resolved();
    if let Some(text) = said.and_then(|said| number(ty, said)) {
        return text;
    }
    match of.kind() {
        TypeKind::Boolean => "false".into(),
        TypeKind::Enumeration => {
            let literal = of.default_literal();
            integer(literal.map_or(0, |one| one.value()).into())
        }
        TypeKind::Float32 => "0.0f".into(),
        TypeKind::Float64 => "0.0".into(),
        _ => "0".into(),
    }
}

/// UTF-16 units of a text as an initializer.
pub(super) fn units(text: &str) -> Vec<String> {
    text.encode_utf16()
        .map(|unit| format!("{unit:#06x}"))
        .collect()
}

/// A constant of the IDL.
pub(super) fn constant(unit: &Unit<'_>, of: &NamedConstant) -> Option<String> {
    let name = match names::has_classes(unit) {
        true => cpp98::local(unit, &of.name),
        false => names::global(unit, &of.name),
    };
    Some(match &of.value {
        Constant::String8(text) => format!("static const char {name}[] = {};", literal(text)),
        Constant::String16(text) => {
            let mut units = units(text);
            units.push("0".into());
            format!("static const uint16_t {name}[] = {{{}}};", units.join(", "))
        }
        value => {
            let ty = unit.model.tree.get(of.index?)?;
            let declared = names::declare(unit, &ty, &name);
            let cast = names::cast(unit, &ty);
            format!("static const {declared} = {cast}{};", number(&ty, value)?)
        }
    })
}
