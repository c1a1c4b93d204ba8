//! What encodes a type: `FooSupport`.

use dunlin_cdr::Extensibility;
use dunlin_xtypes::{DynamicType, KeyPlan, TypeKind};

use super::place::Place;
use super::types::within;
use super::{codec, names, plain, value};
use crate::emit::Unit;
use crate::emit::c::codec::{fixed_size, is_apart, is_shared};
use crate::emit::code::Code;
use crate::emit::shape::{is_keyed, routine as id};
use crate::plan::{Form, Part, Plan, RoutineId};

/// The encodings that a type has, by their names in the library.
fn forms(ty: &DynamicType) -> Vec<(&'static str, RoutineId)> {
    let mut all = vec![
        ("Xcdr1", id(ty, Form::Xcdr1, Part::Whole)),
        ("Xcdr2", id(ty, Form::Xcdr2, Part::Whole)),
    ];
    if is_keyed(ty) {
        all.push(("Xcdr1Key", id(ty, Form::Xcdr1, Part::Key)));
        all.push(("Xcdr2Key", id(ty, Form::Xcdr2, Part::Key)));
        all.push(("KeyHash", id(ty, Form::KeyHash, Part::Key)));
    }
    all
}

/// Makes the class.
pub(super) fn define(unit: &Unit<'_>, code: &mut Code, plan: &Plan, ty: &DynamicType) {
    within(unit, code, ty.name(), |code, local| {
        let class = names::ended(local, "Support");
        let of = names::typed(unit, ty);
        let base = format!("global::Dunlin.TypeSupport<{of}>");
        code.line("/// <summary>Encodes values of a type.</summary>");
        code.braces(
            format_args!("public sealed class {class} : {base}"),
            |code| {
                known(unit, code, plan, ty, &of);
                dispatch(unit, code, plan, ty, &of);
                defaults(unit, code, ty, &of);
                let routines = plan.routines_of(ty.index()).map(|(id, _)| *id);
                let own = routines.filter(|id| is_shared(ty, *id));
                own.for_each(|id| codec::routine(unit, code, plan, id));
            },
        );
    });
}

fn known(unit: &Unit<'_>, code: &mut Code, plan: &Plan, ty: &DynamicType, of: &str) {
    let kind = match ty.extensibility() {
        Extensibility::Final => "Final",
        Extensibility::Appendable => "Appendable",
        Extensibility::Mutable => "Mutable",
    };
    let name = names::literal(ty.name());
    code.line(format_args!("public override string TypeName => {name};"));
    code.line(format_args!(
        "public override bool IsKeyed => {};",
        is_keyed(ty)
    ));
    code.line(format_args!(
        "public override global::Dunlin.Cdr.Extensibility Extensibility => global::Dunlin.Cdr.Extensibility.{kind};"
    ));
    if is_keyed(ty) && fits_hash(plan, ty) {
        code.line("public override bool IsKeyInHash => true;");
    }
    plain::said(code, plan, ty);
    code.line(format_args!("public override {of} Create() => new {of}();"));
    code.line(format_args!(
        "public override void Reset({of} value) => ResetValue(value);"
    ));
    let bytes = match ty.is_nested() {
        true => None,
        false => unit.type_objects(ty),
    };
    let span = "global::System.ReadOnlySpan<byte>";
    match bytes {
        None => code.line(format_args!(
            "public override {span} TypeObjects => default;"
        )),
        Some(bytes) => code.block(
            format_args!("public override {span} TypeObjects => new byte[] {{"),
            "};",
            |code| code.octets(&bytes),
        ),
    }
}

/// Whether the key hash is the key.
fn fits_hash(plan: &Plan, ty: &DynamicType) -> bool {
    let routine = plan.routine(id(ty, Form::KeyHash, Part::Key));
    let most = routine.and_then(|routine| routine.max_size);
    KeyPlan::new(ty).fits_hash() && most.is_some_and(|most| most <= 16)
}

/// The methods that the library calls.
fn dispatch(unit: &Unit<'_>, code: &mut Code, plan: &Plan, ty: &DynamicType, of: &str) {
    let has_ranges = codec::range::called(unit, ty, Part::Whole).is_some();
    let mut method = |kind: &str, parameter: &str, call: &dyn Fn(RoutineId) -> Option<String>| {
        let head = format!(
            "public override bool {kind}(ref global::Dunlin.Cdr.{parameter}, {of} value, global::Dunlin.Cdr.CdrForm form)"
        );
        code.braces(head, |code| {
            if kind != "Size" && has_ranges {
                code.line("global::Dunlin.Cdr.CdrFault fault = default;");
            }
            code.braces("switch (form)", |code| {
                for (form, id) in forms(ty) {
                    if let Some(line) = call(id) {
                        code.line(format_args!("case global::Dunlin.Cdr.CdrForm.{form}:"));
                        line.lines()
                            .for_each(|line| code.line(format_args!("    {line}")));
                    }
                }
                code.line("default:");
                code.line(
                    "    throw new global::System.ArgumentOutOfRangeException(nameof(form));",
                );
            });
        });
    };
    method("Size", "CdrSize z", &|id| {
        let fixed = plan
            .routine(id)
            .and_then(|routine| fixed_size(&routine.aligned));
        Some(match fixed {
            Some(size) => format!("z.At = {size};\nreturn true;"),
            None => format!("return {}Size(ref z, value);", codec::name(unit, plan, id)),
        })
    });
    method("Write", "CdrWriter w", &|id| {
        let ending = match plan.routine(id) {
            Some(routine) if is_apart(ty, id, routine) => "WriteAligned",
            _ => "Write",
        };
        let name = codec::name(unit, plan, id);
        let refuse = codec::range::called(unit, ty, id.part)
            .map(|ranges| format!("if (!{ranges}(value, ref fault)) return w.Refuse(fault);\n"));
        let refuse = refuse.unwrap_or_default();
        Some(format!("{refuse}return {name}{ending}(ref w, value);"))
    });
    method("Read", "CdrReader r", &|id| {
        let is_read = id.form != Form::KeyHash;
        let read = format!("{}Read(ref r, value)", codec::name(unit, plan, id));
        is_read.then(|| match codec::range::called(unit, ty, id.part) {
            Some(ranges) => format!(
                "if (!{read}) return false;\nreturn {ranges}(value, ref fault) || r.Refuse(fault);"
            ),
            None => format!("return {read};"),
        })
    });
}

fn defaults(unit: &Unit<'_>, code: &mut Code, ty: &DynamicType, of: &str) {
    code.line("");
    code.line("/// <summary>Gives all members their defaults.</summary>");
    code.braces(
        format_args!("public static void ResetValue({of} v)"),
        |code| {
            let root = Place::root(ty.clone(), "v").inside();
            match ty.kind() {
                TypeKind::Union => {
                    let d = root.part(unit, "_d");
                    let default = value::number(unit, &d, d.of.default.as_ref());
                    code.line(format_args!("v.Select({default});"));
                    codec::cases(code, ty, "v.Discriminator", |code, _, case| {
                        if case.element().is_some() {
                            value::reset(unit, code, &root.part(unit, case.name()));
                        }
                    });
                }
                _ => {
                    if let Some(base) = ty.base() {
                        let base = names::global(unit, base.name(), "Support");
                        code.line(format_args!("{base}.ResetValue(v);"));
                    }
                    for member in ty.own_members() {
                        value::reset(unit, code, &root.part(unit, member.name()));
                    }
                }
            }
        },
    );
}
