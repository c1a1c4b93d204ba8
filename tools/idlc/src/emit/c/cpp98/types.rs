//! Types and constants in the namespaces of their modules.

use dunlin_xtypes::{DynamicType, TypeKind};

use super::super::code::{Code, docs, integer};
use super::super::place::{Held, Place};
use super::super::{constant, functions, header, names};
use super::place;
use crate::emit::Unit;
use crate::emit::shape::is_compound;
use crate::model::NamedType;

/// What is made of a struct or union `Foo`: `FooSeq`.
pub(super) const MADE: &[&str] = &["Seq", "_ptr", "_var", "_initialize", "_finalize", "_copy"];

/// Code in the namespaces of a name.
pub(super) fn within(
    unit: &Unit<'_>,
    code: &mut Code,
    name: &str,
    body: impl FnOnce(&mut Code, &str),
) {
    let (modules, local) = place(unit, name);
    code.line("");
    if modules.is_empty() {
        return body(code, &local);
    }
    let open = modules.iter().map(|one| format!("namespace {one} {{ "));
    code.line(open.collect::<String>().trim_end());
    body(code, &local);
    code.line("} ".repeat(modules.len()).trim_end());
}

/// All types and constants, each behind those that it needs.
pub(super) fn types(unit: &Unit<'_>, code: &mut Code, types: &[DynamicType]) {
    for ty in types.iter().filter(|ty| is_compound(ty)) {
        within(unit, code, ty.name(), |code, name| {
            code.line(format_args!("struct {name};"));
        });
    }
    for entry in unit.types() {
        let Some(ty) = unit.model.ty(entry) else {
            continue;
        };
        within(unit, code, ty.name(), |code, name| {
            verbatim(unit, code, entry, "before-declaration");
            docs(code, entry.docs.as_deref());
            named(unit, code, (entry, &ty), name);
            verbatim(unit, code, entry, "after-declaration");
        });
    }
    for of in unit.constants() {
        if let Some(line) = constant::constant(unit, of) {
            within(unit, code, &of.name, |code, _| {
                docs(code, of.docs.as_deref());
                code.line(line);
            });
        }
    }
}

fn verbatim(unit: &Unit<'_>, code: &mut Code, entry: &NamedType, placement: &str) {
    unit.verbatim(entry, placement)
        .for_each(|text| code.verbatim(text));
}

fn named(unit: &Unit<'_>, code: &mut Code, (entry, ty): (&NamedType, &DynamicType), name: &str) {
    match ty.kind() {
        TypeKind::Alias => {
            if let Some(of) = ty.element() {
                let of = names::declare(unit, &ty.at(of.ty), name);
                code.line(format_args!("typedef {of};"));
            }
        }
        TypeKind::Enumeration => enumeration(unit, code, (entry, ty), name),
        TypeKind::Bitmask => bitmask(code, (entry, ty), name),
        TypeKind::Bitset => bitset(unit, code, (entry, ty), name),
        TypeKind::Structure => structure(unit, code, (entry, ty), name),
        TypeKind::Union => union(unit, code, (entry, ty), name),
        _ => {}
    }
}

fn enumeration(
    unit: &Unit<'_>,
    code: &mut Code,
    (entry, ty): (&NamedType, &DynamicType),
    name: &str,
) {
    code.block(format_args!("enum {name} {{"), "};", |code| {
        let literals = ty.literals();
        for (at, one) in literals.iter().enumerate() {
            docs(code, header::member_docs(entry, at));
            let comma = if at + 1 == literals.len() { "" } else { "," };
            let value = integer(one.value().into());
            let one = unit.word(one.name());
            code.line(format_args!("{one} = {value}{comma}"));
        }
    });
}

fn bitmask(code: &mut Code, (entry, ty): (&NamedType, &DynamicType), name: &str) {
    let bits = ty.number_size().unwrap_or(4) * 8;
    code.line(format_args!("typedef uint{bits}_t {name};"));
    for (at, flag) in ty.flags().iter().enumerate() {
        docs(code, header::member_docs(entry, at));
        let bit = 1_u64.checked_shl(flag.position().into()).unwrap_or(0);
        let flag = flag.name();
        code.line(format_args!(
            "static const {name} {name}_{flag} = {bit:#x}u;"
        ));
    }
}

fn bitset(unit: &Unit<'_>, code: &mut Code, (entry, ty): (&NamedType, &DynamicType), name: &str) {
    code.block(format_args!("struct {name} {{"), "};", |code| {
        for (at, field) in ty.fields().iter().enumerate() {
            docs(code, header::member_docs(entry, at));
            let holder = names::primitive(field.holder()).unwrap_or("uint64_t");
            code.line(format_args!("{holder} {};", unit.word(field.name())));
        }
    });
}

fn structure(
    unit: &Unit<'_>,
    code: &mut Code,
    (entry, ty): (&NamedType, &DynamicType),
    name: &str,
) {
    let base = ty.base();
    let base = base.map(|base| format!(" : {}", names::typed(unit, base.name())));
    let base = base.unwrap_or_default();
    code.block(format_args!("struct {name}{base} {{"), "};", |code| {
        verbatim(unit, code, entry, "begin-declaration");
        for (at, member) in ty.own_members().iter().enumerate() {
            docs(code, header::member_docs(entry, at));
            code.line(header::held(unit, ty, Held::member(member), member.name()));
        }
        verbatim(unit, code, entry, "end-declaration");
    });
    made(code, name);
}

/// All members side by side, for in C++98 members of unions cannot have constructors.
fn union(unit: &Unit<'_>, code: &mut Code, (entry, ty): (&NamedType, &DynamicType), name: &str) {
    let cases = ty.cases().iter().enumerate();
    let with_value: Vec<_> = cases
        .filter_map(|(at, of)| Some((at, of, of.element()?)))
        .collect();
    let by = functions::discriminator(ty);
    let d = Place::root(unit, ty.clone(), "value").part(unit, "_d");
    let default = constant::default(&d.ty, d.default.as_ref());
    let cast = names::cast(unit, &by);
    code.block(format_args!("struct {name} {{"), "};", |code| {
        let members = if with_value.is_empty() { "" } else { ", _u()" };
        code.line(format_args!("{name}() : _d({cast}{default}){members} {{}}"));
        code.line("");
        if let Some(of) = ty.discriminator() {
            code.line(format_args!(
                "{};",
                names::declare(unit, &ty.at(of.ty), "_d")
            ));
        }
        if with_value.is_empty() {
            return;
        }
        code.block("struct Members {", "};", |code| {
            for (at, case, element) in with_value {
                docs(code, header::member_docs(entry, at));
                code.line(header::held(unit, ty, Held::element(element), case.name()));
            }
        });
        code.line("Members _u;");
    });
    made(code, name);
}

/// Types that the mapping makes of a struct or union.
fn made(code: &mut Code, name: &str) {
    code.line(format_args!("typedef ::DDS::Sequence<{name}> {name}Seq;"));
    code.line(format_args!("typedef {name} *{name}_ptr;"));
    code.line(format_args!("typedef ::DDS::Var<{name}> {name}_var;"));
}

/// What an application calls to begin, end and copy a value.
pub(super) fn functions(unit: &Unit<'_>, code: &mut Code, types: &[DynamicType]) {
    for ty in types.iter().filter(|ty| is_compound(ty)) {
        let flat = names::global(unit, ty.name());
        within(unit, code, ty.name(), |code, name| {
            code.line("// Gives all members their defaults. False: no memory.");
            code.line(format_args!(
                "inline bool {name}_initialize({name} *value) {{ return ::dunlin_idl::{flat}_reset(value); }}"
            ));
            code.line("// Ends what the members own.");
            code.line(format_args!(
                "inline void {name}_finalize({name} *value) {{ *value = {name}(); }}"
            ));
            code.line(format_args!(
                "inline void {name}_copy({name} *to, const {name} *from) {{ *to = *from; }}"
            ));
        });
    }
}
