//! C++98: structs in the namespaces of their modules, with classes for strings, sequences and
//! members behind pointers; and the same functions as in C that write and read them.
//!
//! All is in one header for a file of IDL. The functions are in the namespace `dunlin_idl`, where
//! types have the flat names that they have in C.

mod support;
mod types;

use std::collections::BTreeSet;

use dunlin_xtypes::{DynamicType, TypeIndex, TypeKind};

use super::code::Code;
use super::keywords::{FUNCTIONS, WORDS};
use super::place::Place;
use super::value::Values;
use super::{codec, constant, functions, header, names, payload, shared};
use crate::emit::shape::is_compound;
use crate::emit::{File, Language, Scope, Unit};
use crate::plan::{Plan, RoutineId};

pub(in crate::emit) const LANGUAGE: Language = Language {
    name: "cpp98",
    aliases: &["c++98", "cxx98"],
    comment: "//",
    verbatim: &["c++", "cpp"],
    keywords: &[WORDS],
    escape: |name| format!("_cxx_{name}"),
    emit,
};

/// The namespaces of a name of IDL, and what it is called in them. Types within a struct are beside
/// it.
pub(super) fn place(unit: &Unit<'_>, name: &str) -> (Vec<String>, String) {
    let (modules, local) = unit.split(name);
    let mut local = unit.word(&local);
    if modules.is_empty() && FUNCTIONS.contains(&&*local) {
        local = (unit.language.escape)(&local);
    }
    let modules = modules.iter().map(|one| unit.word(one));
    (modules.collect(), local)
}

/// What is called so in its namespace.
pub(super) fn local(unit: &Unit<'_>, name: &str) -> String {
    place(unit, name).1
}

/// The same from anywhere.
pub(super) fn qualified(unit: &Unit<'_>, name: &str) -> String {
    unit.named("qualified", name, || {
        let (modules, local) = place(unit, name);
        let modules = modules.iter().map(|one| format!("::{one}"));
        format!("{}::{local}", modules.collect::<String>())
    })
}

/// The class of a sequence or map.
pub(super) fn collection(unit: &Unit<'_>, ty: &DynamicType) -> String {
    let part = |of: Option<dunlin_xtypes::Element>| {
        of.map_or_else(String::new, |of| names::declare_element(unit, ty, of, ""))
    };
    let element = part(ty.element());
    match ty.kind() {
        TypeKind::Map => {
            let entry = template("::DDS::MapEntry", &[part(ty.key_element()), element]);
            template("::DDS::Sequence", &[entry])
        }
        _ => template("::DDS::Sequence", &[element]),
    }
}

/// A class of a template. In C++98 neither `<:` nor `>>` may stand there.
pub(super) fn template(name: &str, arguments: &[String]) -> String {
    let arguments = arguments.join(", ");
    let begin = if arguments.starts_with(':') { " " } else { "" };
    let end = if arguments.ends_with('>') { " " } else { "" };
    format!("{name}<{begin}{arguments}{end}>")
}

fn emit(unit: &mut Unit<'_>) -> Vec<File> {
    header::check_names(unit);
    check_names(unit);
    let types = unit.made();
    let own: BTreeSet<TypeIndex> = types.iter().map(|ty| ty.index()).collect();
    let plan =
        Plan::new(&unit.model.tree, own.iter().copied()).checking_ranges(unit.choices.range_checks);
    let is_made = |id: &RoutineId| {
        let ty = plan.tree().get(id.ty);
        own.contains(&id.ty) || ty.is_some_and(|ty| !codec::is_shared(&ty, *id))
    };
    let routines = plan.routines().map(|(id, _)| *id).filter(is_made);
    let routines: Vec<RoutineId> = routines.collect();
    let mut code = Code::of_file(unit);
    let word = |one: char| match one.is_ascii_alphanumeric() {
        true => one.to_ascii_uppercase(),
        false => '_',
    };
    let guard: String = unit.stem.chars().map(word).collect();
    let guard = format!("DUNLIN_IDL_{guard}_SUPPORT_HPP");
    code.line(format_args!("#ifndef {guard}"));
    code.line(format_args!("#define {guard}"));
    code.line("");
    code.line("#include \"dunlin/dds98.hpp\"");
    for stem in header::includes(unit) {
        code.line(format_args!("#include \"{stem}Support.hpp\""));
    }
    unit.file_verbatim("begin-file")
        .for_each(|text| code.verbatim(text));
    types::types(unit, &mut code, &types);
    code.line("");
    code.line("namespace dunlin_idl {");
    codecs(unit, &mut code, &plan, &types, &routines);
    code.line("");
    code.line("} // namespace dunlin_idl");
    types::functions(unit, &mut code, &types);
    support::support(unit, &mut code, &plan, &types);
    unit.file_verbatim("end-file")
        .for_each(|text| code.verbatim(text));
    code.line("");
    code.line("#endif");
    vec![File {
        name: format!("{}Support.hpp", unit.stem),
        text: code.finish(),
    }]
}

/// Functions that write and read values, under flat names.
fn codecs(
    unit: &Unit<'_>,
    code: &mut Code,
    plan: &Plan,
    types: &[DynamicType],
    routines: &[RoutineId],
) {
    code.line("");
    for ty in types {
        let (flat, qualified) = (
            names::global(unit, ty.name()),
            names::typed(unit, ty.name()),
        );
        code.line(format_args!("typedef {qualified} {flat};"));
    }
    for ty in types.iter().filter(|ty| is_compound(ty)) {
        let name = names::global(unit, ty.name());
        code.line(format_args!(
            "DUNLIN_CDR_LOCAL bool {name}_reset({name} *value);"
        ));
        for id in shared(plan, ty) {
            for head in codec::heads(unit, plan, id) {
                code.line(format_args!("DUNLIN_CDR_LOCAL {head};"));
            }
        }
    }
    for id in routines {
        local_routine(unit, code, plan, (*id, "DECLARED"), |code| {
            for head in codec::heads(unit, plan, *id) {
                code.line(format_args!("DUNLIN_CDR_LOCAL {head};"));
            }
        });
    }
    for ty in types {
        match ty.kind() {
            TypeKind::Enumeration | TypeKind::Bitset => functions::number(unit, code, ty),
            TypeKind::Union => functions::select(unit, code, ty),
            _ => {}
        }
    }
    for ty in types.iter().filter(|ty| is_compound(ty)) {
        reset(unit, code, ty);
    }
    for id in routines {
        let is_shared = plan
            .tree()
            .get(id.ty)
            .is_some_and(|ty| codec::is_shared(&ty, *id));
        match is_shared {
            true => codec::routine(unit, code, plan, *id),
            false => local_routine(unit, code, plan, (*id, "DEFINED"), |code| {
                codec::routine(unit, code, plan, *id);
            }),
        }
    }
    codec::range::define(unit, code, types);
    for ty in types.iter().filter(|ty| is_compound(ty)) {
        payload::define(unit, code, plan, ty);
    }
}

/// What several headers may have, of which one program may include more than one.
fn local_routine(
    unit: &Unit<'_>,
    code: &mut Code,
    plan: &Plan,
    (id, word): (RoutineId, &str),
    body: impl FnOnce(&mut Code),
) {
    let ty = plan.tree().get(id.ty);
    if ty.is_none_or(|ty| codec::is_shared(&ty, id)) {
        return;
    }
    let name = codec::name(unit, plan, id);
    code.line(format_args!("#ifndef DUNLIN_{word}_{name}"));
    code.line(format_args!("#define DUNLIN_{word}_{name}"));
    body(code);
    code.line("#endif");
}

/// Gives all members their defaults.
fn reset(unit: &Unit<'_>, code: &mut Code, ty: &DynamicType) {
    let name = names::global(unit, ty.name());
    let values = Values(unit);
    let place = |part: &str| Place::root(unit, ty.clone(), "value").part(unit, part);
    let head = format!("DUNLIN_CDR_LOCAL bool {name}_reset({name} *value)");
    functions::function(code, &head, &["value"], |code| {
        if ty.kind() == TypeKind::Union {
            let d = place("_d");
            let default = constant::default(&d.ty, d.default.as_ref());
            code.line(format_args!("{name}_select(value, {default});"));
            functions::cases(code, ty, "value->_d", |code, case| {
                if case.element().is_some() {
                    values.reset(code, &place(case.name()));
                }
            });
        }
        if let Some(base) = ty.base() {
            let base = names::global(unit, base.name());
            code.line(format_args!("if (!{base}_reset(value)) return false;"));
        }
        for member in ty.own_members() {
            values.reset(code, &place(member.name()));
        }
        code.line("return true;");
    });
}

/// Reports names that are made of a type's and are another type's.
fn check_names(unit: &mut Unit<'_>) {
    let mut all = Scope::default();
    let mut reports = Vec::new();
    for entry in unit.types() {
        let Some(ty) = unit.model.ty(entry) else {
            continue;
        };
        let name = qualified(unit, ty.name());
        reports.extend(all.take(&name, ty.name(), entry.span));
        if is_compound(&ty) {
            for made in types::MADE {
                let idl = format!("{made} of {}", ty.name());
                reports.extend(all.take(&format!("{name}{made}"), &idl, entry.span));
            }
        }
    }
    unit.reports.extend(reports);
}
