//! Statements about values in memory.

use dunlin_xtypes::{Constant, TypeKind};

use super::names;
use super::place::Place;
use crate::emit::Unit;
use crate::emit::code::Code;

/// Makes sure that there is an object, so that it can be read into.
pub(super) fn ensure(unit: &Unit<'_>, code: &mut Code, place: &Place) {
    let ty = place.resolved();
    let value = &place.value;
    match ty.kind() {
        _ if !names::is_reference(&ty) => {}
        TypeKind::String8 | TypeKind::String16 => {}
        TypeKind::Array => {
            let made = names::fresh(unit, &ty, None);
            let length = ty.length();
            code.line(format_args!(
                "if ({value} == null || {value}.Length != {length}) {value} = {made};"
            ));
        }
        _ => code.line(format_args!(
            "{value} ??= {};",
            names::fresh(unit, &ty, None)
        )),
    }
}

/// Gives a value its default. What is there is valid.
pub(super) fn reset(unit: &Unit<'_>, code: &mut Code, place: &Place) {
    let value = &place.value;
    if place.is_nullable {
        return code.line(format_args!("{value} = null;"));
    }
    let ty = place.resolved();
    let said = place.of.default.as_ref();
    match ty.kind() {
        TypeKind::String8 | TypeKind::String16 => {
            code.line(format_args!("{value} = {};", names::fresh(unit, &ty, said)));
        }
        TypeKind::Sequence => code.line(format_args!("{value}.Resize(0);")),
        TypeKind::Map => code.line(format_args!("{value}.Clear();")),
        TypeKind::Structure | TypeKind::Union => {
            let support = names::global(unit, ty.name(), "Support");
            code.line(format_args!("{support}.ResetValue({value});"));
        }
        TypeKind::Array => reset_array(unit, code, place),
        _ => code.line(format_args!("{value} = {};", number(unit, place, said))),
    }
}

/// The default of a number.
pub(super) fn number(unit: &Unit<'_>, place: &Place, said: Option<&Constant>) -> String {
    super::constant::number(unit, &place.resolved(), said)
}

fn reset_array(unit: &Unit<'_>, code: &mut Code, place: &Place) {
    let ty = place.resolved();
    let Some(of) = ty.element() else { return };
    let inner = ty.at(of.ty).resolved();
    let is_zero = inner.number_size().is_some() && inner.kind() != TypeKind::Enumeration;
    let value = &place.value;
    if is_zero {
        return code.line(format_args!(
            "global::System.Array.Clear({value}, 0, {value}.Length);"
        ));
    }
    let depth = code.depth();
    let (s, i) = (format!("all{depth}"), format!("at{depth}"));
    code.braces("", |code| {
        code.line(format_args!("var {s} = {};", span(unit, place, true)));
        code.braces(
            format_args!("for (int {i} = 0; {i} < {s}.Length; {i}++)"),
            |code| {
                let element = place.element(&format!("{s}[{i}]"));
                if !element.is_nullable {
                    ensure(unit, code, &element);
                }
                reset(unit, code, &element);
            },
        );
    });
}

/// The elements of an array or a sequence, one behind the other.
pub(super) fn span(unit: &Unit<'_>, place: &Place, is_written: bool) -> String {
    let ty = place.resolved();
    let value = &place.value;
    if ty.kind() != TypeKind::Array {
        return format!("{value}.Span");
    }
    let of = names::element(unit, &ty, ty.element());
    let word = if is_written { "" } else { "ReadOnly" };
    match ty.dimensions().len() {
        0 | 1 => format!("new global::System.{word}Span<{of}>({value})"),
        rank => {
            let first = vec!["0"; rank].join(", ");
            format!(
                "global::System.Runtime.InteropServices.MemoryMarshal.Create{word}Span(ref {value}[{first}], {})",
                ty.length()
            )
        }
    }
}
