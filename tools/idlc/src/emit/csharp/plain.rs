//! Structs whose memory is the encoding of a value: `FooPlain`.

use dunlin_xtypes::{DynamicType, Element, TypeKind};

use super::names;
use super::types::within;
use crate::emit::Unit;
use crate::emit::code::Code;
use crate::emit::shape;
use crate::plan::{Form, Plan};

const INTEROP: &str = "global::System.Runtime.InteropServices";

/// Whether a type has such a struct.
pub(super) fn is_plain(plan: &Plan, ty: &DynamicType) -> bool {
    ty.kind() == TypeKind::Structure
        && (plan.is_plain(ty, Form::Xcdr1) || plan.is_plain(ty, Form::Xcdr2))
}

/// What the support of the type says of it.
pub(super) fn said(code: &mut Code, plan: &Plan, ty: &DynamicType) {
    let Some((one, two)) = shape::plain(plan, ty) else {
        return;
    };
    let all = [("Xcdr1", one), ("Xcdr2", two)];
    let all = all.iter().filter(|of| of.1).map(|of| of.0);
    let all = all.map(|one| format!("representation == global::Dunlin.Qos.Representation.{one}"));
    code.line(format_args!(
        "public override bool IsPlain(global::Dunlin.Qos.Representation representation) => {};",
        all.collect::<Vec<_>>().join(" || ")
    ));
}

/// Makes the struct.
pub(super) fn define(unit: &Unit<'_>, code: &mut Code, ty: &DynamicType) {
    within(unit, code, ty.name(), |code, local| {
        let name = names::ended(local, "Plain");
        let of = names::typed(unit, ty);
        code.line("/// <summary>The same as memory that is its own encoding, for loans and views.</summary>");
        code.line(format_args!(
            "[{INTEROP}.StructLayout({INTEROP}.LayoutKind.Sequential)]"
        ));
        code.braces(
            format_args!("public struct {name} : global::Dunlin.IPlain<{of}>"),
            |code| {
                for member in ty.members() {
                    // As in the class: of a base class what that calls it.
                    let property = names::property(unit, ty, member.name());
                    let held = ty.at(member.element().ty).resolved();
                    let typed = match held.kind() {
                        TypeKind::Array => {
                            let array = format!("{property}Array");
                            row(unit, code, &held, &array);
                            array
                        }
                        _ => element(unit, &held),
                    };
                    code.line(format_args!("public {typed} {property};"));
                }
            },
        );
    });
}

/// An array as a struct of its size, for C# has none within structs but in unsafe code.
fn row(unit: &Unit<'_>, code: &mut Code, ty: &DynamicType, name: &str) {
    let Some(of) = ty.element() else { return };
    let (element, each, count) = innermost(unit, ty, of, ty.length() as u64);
    let layout = format!(
        "{INTEROP}.StructLayout({INTEROP}.LayoutKind.Sequential, Size = {})",
        each * count
    );
    code.line(format_args!("[{layout}]"));
    code.braces(format_args!("public struct {name}"), |code| {
        code.line(format_args!("private {element} first;"));
        code.line("/// <summary>The elements, row by row.</summary>");
        code.line(format_args!(
            "public global::System.Span<{element}> Span => {INTEROP}.MemoryMarshal.CreateSpan(ref first, {count});"
        ));
    });
}

/// What rows of rows consist of, its size, and how often it is there.
fn innermost(unit: &Unit<'_>, ty: &DynamicType, of: Element, count: u64) -> (String, u64, u64) {
    let inner = ty.at(of.ty).resolved();
    match (inner.kind(), inner.element()) {
        (TypeKind::Array, Some(next)) => innermost(
            unit,
            &inner,
            next,
            count.saturating_mul(inner.length() as u64),
        ),
        _ => (element(unit, &inner), shape::plain_size(&inner), count),
    }
}

/// The type of what is no array.
fn element(unit: &Unit<'_>, ty: &DynamicType) -> String {
    match ty.kind() {
        // A `char` of C# has 16 bits.
        TypeKind::Char8 => "byte".into(),
        TypeKind::Structure => names::global(unit, ty.name(), "Plain"),
        _ => names::typed(unit, ty),
    }
}
