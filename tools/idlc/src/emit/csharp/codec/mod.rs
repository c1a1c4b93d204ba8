//! Methods that write and read values, made of the steps of the codec plan.

mod collection;
mod mutable;
mod number;
pub(super) mod range;
mod read;
mod size;
mod write;

use dunlin_xtypes::{DynamicType, TypeKind};

use super::names;
use crate::emit::Unit;
use crate::emit::c::codec::{is_apart, is_shared};
use crate::emit::code::Code;
use crate::plan::{Form, Part, Plan, RoutineId};

/// What the methods of a routine are called, up to `Size`, `Write`, `Read`, without their class.
pub(super) fn name(unit: &Unit<'_>, plan: &Plan, id: RoutineId) -> String {
    let part = match (id.form, id.part) {
        (Form::Xcdr1, Part::Whole) => "Xcdr1",
        (Form::Xcdr2, Part::Whole) => "Xcdr2",
        (Form::Xcdr1, Part::Key) => "Xcdr1Key",
        (Form::Xcdr2, Part::Key) => "Xcdr2Key",
        (Form::KeyHash, Part::Key) => "KeyHash",
        (Form::KeyHash, Part::Whole) => "KeyHashWhole",
    };
    match plan.tree().get(id.ty) {
        Some(ty) if !is_shared(&ty, id) => format!("{}_{part}", flat(unit, &ty)),
        _ => part.into(),
    }
}

/// A type as a part of a name.
pub(super) fn flat(unit: &Unit<'_>, ty: &DynamicType) -> String {
    let (modules, local) = names::place(unit, ty.name());
    let parts = modules.iter().chain([&local]);
    let parts: Vec<&str> = parts.map(|part| part.trim_start_matches('@')).collect();
    parts.join("_")
}

/// The same with the class.
fn path(unit: &Unit<'_>, plan: &Plan, id: RoutineId) -> String {
    let name = name(unit, plan, id);
    match plan.tree().get(id.ty) {
        Some(ty) if is_shared(&ty, id) => {
            format!("{}.{name}", names::global(unit, ty.name(), "Support"))
        }
        _ => format!("{}.{name}", local_class(unit)),
    }
}

/// The class of what a file has for itself.
pub(super) fn local_class(unit: &Unit<'_>) -> String {
    let letter = |one: char| {
        if one.is_ascii_alphanumeric() {
            one
        } else {
            '_'
        }
    };
    let stem: String = unit.stem.chars().map(letter).collect();
    format!("DunlinIdl_{stem}")
}

/// Makes the methods of a routine.
pub(super) fn routine(unit: &Unit<'_>, code: &mut Code, plan: &Plan, id: RoutineId) {
    let (Some(ty), Some(routine)) = (plan.tree().get(id.ty), plan.routine(id)) else {
        return;
    };
    let word = match is_shared(&ty, id) {
        true => "public",
        false => "internal",
    };
    let (name, class) = (name(unit, plan, id), names::typed(unit, &ty));
    let mut method = |kind: &str, parameter: &str, body: &mut dyn FnMut(&mut Code)| {
        code.line("");
        let head = format!(
            "{word} static bool {name}{kind}(ref global::Dunlin.Cdr.{parameter}, {class} v)"
        );
        code.braces(&head, |code| {
            body(code);
            code.line("return true;");
        });
    };
    method("Size", "CdrSize z", &mut |code| {
        size::body(unit, code, plan, &ty, &routine.anywhere);
    });
    method("Write", "CdrWriter w", &mut |code| {
        write::body(unit, code, plan, &ty, &routine.anywhere);
    });
    if is_apart(&ty, id, routine) {
        method("WriteAligned", "CdrWriter w", &mut |code| {
            write::body(unit, code, plan, &ty, &routine.aligned);
        });
    }
    if id.form != Form::KeyHash {
        method("Read", "CdrReader r", &mut |code| {
            read::body(unit, code, plan, id, &ty, &routine.aligned);
        });
    }
}

/// The number that a switch over a discriminator is about.
pub(super) fn switched(ty: &DynamicType, value: &str) -> String {
    let of = ty.discriminator().map(|of| ty.at(of.ty).resolved().kind());
    match of {
        Some(TypeKind::Boolean) => format!("({value} ? 1L : 0L)"),
        Some(TypeKind::UInt64 | TypeKind::Bitmask) => format!("unchecked((long){value})"),
        _ => format!("(long){value}"),
    }
}

/// A switch over the cases of a union.
pub(super) fn cases(
    code: &mut Code,
    ty: &DynamicType,
    value: &str,
    mut body: impl FnMut(&mut Code, usize, &dunlin_xtypes::Case),
) {
    code.braces(format_args!("switch ({})", switched(ty, value)), |code| {
        let mut has_default = false;
        for (at, case) in ty.cases().iter().enumerate() {
            for one in case.labels() {
                code.line(format_args!("case {}:", label(*one)));
            }
            if case.is_default() {
                code.line("default:");
                has_default = true;
            }
            if case.labels().is_empty() && !case.is_default() {
                continue;
            }
            code.braces("", |code| body(code, at, case));
            code.line("break;");
        }
        if !has_default {
            code.line("default:");
            code.line("break;");
        }
    });
}

pub(super) fn label(value: i64) -> String {
    match value {
        i64::MIN => "long.MinValue".into(),
        _ => format!("{value}L"),
    }
}
