//! C: structs of plain memory, and functions that write and read them (C99; the header is for C++,
//! too).
//!
//! What is written follows the codec plan step by step. What is read does so, too, but supposes
//! nothing: where numbers do not stand as the plan says, for a newer sender had more to say in
//! front of them, they are read one by one.

pub(super) mod code;
pub(super) mod codec;
mod constant;
pub(super) mod cpp98;
pub(super) mod functions;
mod header;
mod keywords;
mod names;
mod payload;
pub(super) mod place;
mod typed;
pub(super) mod value;

use std::collections::{BTreeMap, BTreeSet};

use dunlin_xtypes::{DynamicType, TypeIndex, TypeKind};

use super::shape::is_compound;
use super::{File, Language, Unit};
use crate::plan::{Plan, RoutineId};
use code::Code;

pub(super) const LANGUAGE: Language = Language {
    name: "c",
    aliases: &["c99"],
    comment: "//",
    verbatim: &["c"],
    keywords: &[keywords::WORDS, keywords::FUNCTIONS],
    escape: |name| format!("{name}_"),
    emit,
};

fn emit(unit: &mut Unit<'_>) -> Vec<File> {
    header::check_names(unit);
    let types = unit.made();
    let own: BTreeSet<TypeIndex> = types.iter().map(|ty| ty.index()).collect();
    let plan =
        Plan::new(&unit.model.tree, own.iter().copied()).checking_ranges(unit.choices.range_checks);
    let routines: Vec<RoutineId> = plan
        .routines()
        .map(|(id, _)| *id)
        .filter(|id| {
            let ty = plan.tree().get(id.ty);
            own.contains(&id.ty) || ty.is_some_and(|ty| !codec::is_shared(&ty, *id))
        })
        .collect();
    let has_topics = types.iter().any(|ty| typed::is_topic(unit, ty));
    let mut declared = Code::default();
    declare(unit, &mut declared, &plan, &types);
    let header = File {
        name: format!("{}.h", unit.stem),
        text: header::header(unit, declared, has_topics),
    };
    let source = File {
        name: format!("{}.c", unit.stem),
        text: source(unit, &plan, &types, &routines),
    };
    vec![header, source]
}

fn shared(plan: &Plan, ty: &DynamicType) -> Vec<RoutineId> {
    let all = plan.routines_of(ty.index()).map(|(id, _)| *id);
    all.filter(|id| codec::is_shared(ty, *id)).collect()
}

fn declare(unit: &Unit<'_>, code: &mut Code, plan: &Plan, types: &[DynamicType]) {
    for ty in types.iter().filter(|ty| is_compound(ty)) {
        functions::declare(code, &names::global(unit, ty.name()));
        payload::declare(unit, code, plan, ty);
        code.line("");
        code.line("/* For the files of types that have it in them. */");
        for id in shared(plan, ty) {
            for head in codec::heads(unit, plan, id) {
                code.line(format_args!("{head};"));
            }
        }
        if typed::is_topic(unit, ty) {
            typed::define(unit, code, plan, ty);
        }
    }
}

fn source(unit: &Unit<'_>, plan: &Plan, types: &[DynamicType], routines: &[RoutineId]) -> String {
    let mut code = Code::of_file(unit);
    code.line(format_args!("#include \"{}.h\"", unit.stem));
    code.line("");
    code.line("#include \"dunlin/cdr.h\"");
    code.line("#include \"dunlin/key.h\"");
    // Routines of included types may be made here, too.
    let mut parts = Parts::default();
    types.iter().for_each(|ty| parts.of(unit, ty));
    for id in routines {
        if let Some(ty) = unit.model.tree.get(id.ty) {
            parts.of(unit, &ty);
        }
    }
    code.line("");
    for ty in parts.collections.values() {
        functions::declare_collection(unit, &mut code, ty);
    }
    for id in routines {
        let is_local = plan
            .tree()
            .get(id.ty)
            .is_some_and(|ty| !codec::is_shared(&ty, *id));
        for head in codec::heads(unit, plan, *id).iter().filter(|_| is_local) {
            code.line(format_args!("DUNLIN_CDR_LOCAL {head};"));
        }
    }
    parts
        .numbers
        .values()
        .for_each(|ty| functions::number(unit, &mut code, ty));
    let own: BTreeSet<TypeIndex> = types.iter().map(|ty| ty.index()).collect();
    for ty in parts.unions.values() {
        functions::select(unit, &mut code, ty);
    }
    for ty in types {
        match ty.kind() {
            TypeKind::Structure => functions::structure(unit, &mut code, ty),
            TypeKind::Union => functions::union(unit, &mut code, ty),
            _ => {}
        }
    }
    parts
        .collections
        .values()
        .for_each(|ty| functions::collection(unit, &mut code, ty));
    routines
        .iter()
        .for_each(|id| codec::routine(unit, &mut code, plan, *id));
    codec::range::define(unit, &mut code, types);
    for ty in types
        .iter()
        .filter(|ty| is_compound(ty) && own.contains(&ty.index()))
    {
        payload::define(unit, &mut code, plan, ty);
    }
    code.finish()
}

/// The types that types consist of, as far as a file has functions for them.
#[derive(Default)]
struct Parts {
    collections: BTreeMap<String, DynamicType>,
    /// Enumerations and bitsets.
    numbers: BTreeMap<String, DynamicType>,
    unions: BTreeMap<String, DynamicType>,
    seen: BTreeSet<TypeIndex>,
}

impl Parts {
    /// Those of a struct or union, and of the structs that are written as parts of it.
    fn of(&mut self, unit: &Unit<'_>, ty: &DynamicType) {
        if !self.seen.insert(ty.index()) {
            return;
        }
        let name = || names::global(unit, ty.name());
        match ty.kind() {
            TypeKind::Enumeration | TypeKind::Bitset => {
                self.numbers.insert(name(), ty.clone());
            }
            TypeKind::Sequence | TypeKind::Map => {
                let collection = names::collection(unit, ty);
                self.collections
                    .entry(collection)
                    .or_insert_with(|| ty.clone());
            }
            TypeKind::Union => {
                self.unions.insert(name(), ty.clone());
            }
            _ => {}
        }
        let members = ty.members().map(|member| member.element().ty);
        let cases = ty
            .cases()
            .iter()
            .filter_map(|case| case.element().map(|of| of.ty));
        let elements = ty.key_element().into_iter().chain(ty.element());
        let elements = elements.chain(ty.discriminator()).map(|of| of.ty);
        let all: Vec<TypeIndex> = members.chain(cases).chain(elements).collect();
        all.into_iter()
            .for_each(|index| self.of(unit, &ty.at(index)));
    }
}
