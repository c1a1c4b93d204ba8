//! The header: structs, constants and functions.

use std::collections::BTreeSet;

use dunlin_xtypes::{DynamicType, Element, TypeKind};

use super::code::{Code, docs, integer};
use super::place::Held;
use super::{constant, names, typed};
use crate::emit::{Scope, Unit};
use crate::model::NamedType;

/// Makes the header.
pub(super) struct Header<'u, 'm> {
    unit: &'u Unit<'m>,
    code: Code,
    /// Structs of sequences and maps that are there.
    made: BTreeSet<String>,
    /// Entries of maps whose values are not complete yet.
    pending: Vec<DynamicType>,
    /// Structs and unions of this file that are not there yet.
    open: BTreeSet<String>,
}

/// What a header includes.
pub(super) fn includes(unit: &Unit<'_>) -> BTreeSet<String> {
    let made: BTreeSet<_> = unit.types().map(|entry| entry.index).collect();
    let others = unit
        .model
        .types
        .iter()
        .filter(|entry| !made.contains(&entry.index));
    let stems = others.map(|entry| unit.stem_at(entry.span));
    stems.filter(|stem| *stem != unit.stem).collect()
}

pub(super) fn header(unit: &Unit<'_>, functions: Code, has_topics: bool) -> String {
    let word = |one: char| {
        if one.is_ascii_alphanumeric() {
            one.to_ascii_uppercase()
        } else {
            '_'
        }
    };
    let guard = format!(
        "DUNLIN_IDL_{}_H",
        unit.stem.chars().map(word).collect::<String>()
    );
    let mut header = Header {
        unit,
        code: Code::of_file(unit),
        made: BTreeSet::new(),
        pending: Vec::new(),
        open: BTreeSet::new(),
    };
    let code = &mut header.code;
    code.line(format_args!("#ifndef {guard}"));
    code.line(format_args!("#define {guard}"));
    code.line("");
    code.line(match has_topics {
        true => "#include \"dunlin/typed.h\"",
        false => "#include \"dunlin/types.h\"",
    });
    for stem in includes(unit) {
        code.line(format_args!("#include \"{stem}.h\""));
    }
    unit.file_verbatim("begin-file")
        .for_each(|text| code.verbatim(text));
    code.line("");
    code.line("#ifdef __cplusplus");
    code.line("extern \"C\" {");
    code.line("#endif");
    header.types();
    header.constants();
    let code = &mut header.code;
    code.append(functions);
    code.line("");
    code.line("#ifdef __cplusplus");
    code.line("}");
    code.line("#endif");
    unit.file_verbatim("end-file")
        .for_each(|text| code.verbatim(text));
    code.line("");
    code.line("#endif");
    header.code.finish()
}

impl Header<'_, '_> {
    fn types(&mut self) {
        let all: Vec<&NamedType> = self.unit.types().collect();
        self.code.line("");
        for entry in &all {
            let Some(ty) = self.unit.model.ty(entry) else {
                continue;
            };
            if matches!(ty.kind(), TypeKind::Structure | TypeKind::Union) {
                let name = names::global(self.unit, ty.name());
                self.code
                    .line(format_args!("typedef struct {name} {name};"));
                self.open.insert(name);
            }
        }
        for entry in all {
            if let Some(ty) = self.unit.model.ty(entry) {
                self.named(entry, &ty);
            }
        }
    }

    fn constants(&mut self) {
        for of in self.unit.constants() {
            if let Some(line) = constant::constant(self.unit, of) {
                self.code.line("");
                docs(&mut self.code, of.docs.as_deref());
                self.code.line(line);
            }
        }
    }

    fn verbatim(&mut self, entry: &NamedType, placement: &str) {
        for text in self.unit.verbatim(entry, placement) {
            self.code.verbatim(text);
        }
    }

    fn named(&mut self, entry: &NamedType, ty: &DynamicType) {
        self.collections(ty);
        self.verbatim(entry, "before-declaration");
        self.code.line("");
        docs(&mut self.code, entry.docs.as_deref());
        let name = names::global(self.unit, ty.name());
        match ty.kind() {
            TypeKind::Alias => {
                if let Some(of) = ty.element() {
                    let of = names::declare(self.unit, &ty.at(of.ty), &name);
                    self.code.line(format_args!("typedef {of};"));
                }
            }
            TypeKind::Enumeration => self.enumeration(entry, ty, &name),
            TypeKind::Bitmask => self.bitmask(entry, ty, &name),
            TypeKind::Bitset => self.bitset(entry, ty, &name),
            TypeKind::Structure => self.structure(entry, ty, &name),
            TypeKind::Union => self.union(entry, ty, &name),
            _ => {}
        }
        self.open.remove(&name);
        self.verbatim(entry, "after-declaration");
        self.entries();
    }

    fn enumeration(&mut self, entry: &NamedType, ty: &DynamicType, name: &str) {
        self.code.line(format_args!("typedef int32_t {name};"));
        self.code.block("enum {", "};", |code| {
            let literals = ty.literals();
            for (at, one) in literals.iter().enumerate() {
                docs(code, member_docs(entry, at));
                let comma = if at + 1 == literals.len() { "" } else { "," };
                let value = integer(one.value().into());
                code.line(format_args!("{name}_{} = {value}{comma}", one.name()));
            }
        });
    }

    fn bitmask(&mut self, entry: &NamedType, ty: &DynamicType, name: &str) {
        let bits = ty.number_size().unwrap_or(4) * 8;
        self.code.line(format_args!("typedef uint{bits}_t {name};"));
        for (at, flag) in ty.flags().iter().enumerate() {
            docs(&mut self.code, member_docs(entry, at));
            let bit = 1_u64.checked_shl(flag.position().into()).unwrap_or(0);
            let flag = flag.name();
            self.code.line(format_args!(
                "static const {name} {name}_{flag} = {bit:#x}u;"
            ));
        }
    }

    fn bitset(&mut self, entry: &NamedType, ty: &DynamicType, name: &str) {
        let unit = self.unit;
        self.code.block(
            format_args!("typedef struct {name} {{"),
            &format!("}} {name};"),
            |code| {
                for (at, field) in ty.fields().iter().enumerate() {
                    docs(code, member_docs(entry, at));
                    let holder = names::primitive(field.holder()).unwrap_or("uint64_t");
                    code.line(format_args!("{holder} {};", unit.word(field.name())));
                }
                if ty.fields().is_empty() {
                    code.line("char _empty;");
                }
            },
        );
    }

    fn structure(&mut self, entry: &NamedType, ty: &DynamicType, name: &str) {
        let unit = self.unit;
        let begin: Vec<_> = unit.verbatim(entry, "begin-declaration").collect();
        let end: Vec<_> = unit.verbatim(entry, "end-declaration").collect();
        self.code
            .block(format_args!("struct {name} {{"), "};", |code| {
                begin.iter().for_each(|text| code.verbatim(text));
                if let Some(base) = ty.base() {
                    code.line(format_args!("{};", names::declare(unit, &base, "parent")));
                }
                for (at, member) in ty.own_members().iter().enumerate() {
                    docs(code, member_docs(entry, at));
                    code.line(held(unit, ty, Held::member(member), member.name()));
                }
                if ty.base().is_none() && ty.own_members().is_empty() {
                    code.line("char _empty;");
                }
                end.iter().for_each(|text| code.verbatim(text));
            });
    }

    fn union(&mut self, entry: &NamedType, ty: &DynamicType, name: &str) {
        let unit = self.unit;
        let cases = ty.cases().iter().enumerate();
        let with_value: Vec<_> = cases
            .filter_map(|(at, of)| Some((at, of, of.element()?)))
            .collect();
        self.code
            .block(format_args!("struct {name} {{"), "};", |code| {
                if let Some(of) = ty.discriminator() {
                    code.line(format_args!(
                        "{};",
                        names::declare(unit, &ty.at(of.ty), "_d")
                    ));
                }
                if with_value.is_empty() {
                    return;
                }
                code.block("union {", "} _u;", |code| {
                    for (at, case, element) in with_value {
                        docs(code, member_docs(entry, at));
                        code.line(held(unit, ty, Held::element(element), case.name()));
                    }
                });
            });
    }

    /// The structs of sequences and maps that a type has in it.
    fn collections(&mut self, ty: &DynamicType) {
        let elements: Vec<Element> = match ty.kind() {
            TypeKind::Structure => ty.own_members().iter().map(|of| of.element()).collect(),
            TypeKind::Union => ty.cases().iter().filter_map(|of| of.element()).collect(),
            _ => ty.key_element().into_iter().chain(ty.element()).collect(),
        };
        for element in elements {
            let of = ty.at(element.ty);
            let is_anonymous = matches!(
                of.kind(),
                TypeKind::Sequence | TypeKind::Map | TypeKind::Array
            );
            if is_anonymous {
                self.collections(&of);
                self.collection(&of);
            }
        }
        if ty.kind() == TypeKind::Alias {
            self.collection(ty);
        }
    }

    fn collection(&mut self, ty: &DynamicType) {
        let is_map = match ty.kind() {
            TypeKind::Sequence => false,
            TypeKind::Map => true,
            _ => return,
        };
        let name = names::collection(self.unit, ty);
        let Some(element) = ty.element() else { return };
        if names::is_provided(&name) || !self.made.insert(name.clone()) {
            return;
        }
        let element = match is_map {
            true => format!("{name}_entry *_buffer"),
            false => names::declare_element(self.unit, ty, element, "*_buffer"),
        };
        self.code.line("");
        self.code.line(format_args!("#ifndef HAS_{name}"));
        self.code.line(format_args!("#define HAS_{name}"));
        if is_map {
            self.code
                .line(format_args!("typedef struct {name}_entry {name}_entry;"));
        }
        self.code.block(
            format_args!("typedef struct {name} {{"),
            &format!("}} {name};"),
            |code| {
                code.line("uint32_t _maximum;");
                code.line("uint32_t _length;");
                code.line(format_args!("{element};"));
                code.line("bool _release;");
            },
        );
        self.code.line("#endif");
        if is_map {
            self.pending.push(ty.clone());
            self.entries();
        }
    }

    /// Entries of maps whose values are complete now.
    fn entries(&mut self) {
        for ty in std::mem::take(&mut self.pending) {
            let (Some(key), Some(value)) = (ty.key_element(), ty.element()) else {
                continue;
            };
            if !value.is_external && self.is_open(&ty.at(value.ty)) {
                self.pending.push(ty);
                continue;
            }
            let name = names::collection(self.unit, &ty);
            let unit = self.unit;
            self.code.line("");
            self.code.line(format_args!("#ifndef HAS_{name}_entry"));
            self.code.line(format_args!("#define HAS_{name}_entry"));
            self.code
                .block(format_args!("struct {name}_entry {{"), "};", |code| {
                    code.line(held(unit, &ty, Held::element(key), "key"));
                    code.line(held(unit, &ty, Held::element(value), "value"));
                });
            self.code.line("#endif");
        }
    }

    /// Whether values of a type need a struct that is not there yet.
    fn is_open(&self, ty: &DynamicType) -> bool {
        let ty = ty.resolved();
        match ty.kind() {
            TypeKind::Structure | TypeKind::Union => {
                self.open.contains(&names::global(self.unit, ty.name()))
            }
            TypeKind::Array => ty
                .element()
                .is_some_and(|of| !of.is_external && self.is_open(&ty.at(of.ty))),
            _ => false,
        }
    }
}

pub(super) fn held(unit: &Unit<'_>, ty: &DynamicType, held: Held, name: &str) -> String {
    let name = unit.word(name);
    let of = ty.at(held.element.ty);
    format!(
        "{};",
        names::declare_held(unit, &of, held.is_pointer, &name)
    )
}

pub(super) fn member_docs(entry: &NamedType, at: usize) -> Option<&str> {
    entry.member_docs.get(at)?.as_deref()
}

/// Reports names that are equal in C and not in IDL.
pub(super) fn check_names(unit: &mut Unit<'_>) {
    let mut all = Scope::default();
    let mut reports = Vec::new();
    for entry in unit.types() {
        let Some(ty) = unit.model.ty(entry) else {
            continue;
        };
        let name = names::global(unit, ty.name());
        reports.extend(all.take(&name, ty.name(), entry.span));
        let literals = ty.literals().iter().map(|one| one.name());
        for one in literals.chain(ty.flags().iter().map(|one| one.name())) {
            let idl = format!("{}::{one}", ty.name());
            reports.extend(all.take(&format!("{name}_{one}"), &idl, entry.span));
        }
        if typed::is_topic(unit, &ty) && !names::has_classes(unit) {
            let original = format!("a function of {}", ty.name());
            let words = typed::words().iter().map(|word| format!("{name}_{word}"));
            reports.extend(words.filter_map(|word| all.take(&word, &original, entry.span)));
        }
        reports.extend(check_members(unit, entry, &ty));
    }
    for of in unit.constants() {
        reports.extend(all.take(&names::global(unit, &of.name), &of.name, of.span));
    }
    unit.reports.extend(reports);
}

fn check_members(
    unit: &Unit<'_>,
    entry: &NamedType,
    ty: &DynamicType,
) -> Vec<crate::report::Report> {
    let mut scope = Scope::default();
    let base = ty
        .base()
        .and_then(|base| scope.take("parent", base.name(), entry.span));
    let members = ty.own_members().iter().map(|of| of.name());
    let fields = ty.fields().iter().map(|of| of.name());
    let names = members
        .chain(ty.cases().iter().map(|of| of.name()))
        .chain(fields);
    let clashes = names.enumerate().filter_map(|(at, name)| {
        let span = entry.member_spans.get(at).copied().unwrap_or(entry.span);
        scope.take(&unit.word(name), &format!("{}.{name}", ty.name()), span)
    });
    let clashes: Vec<_> = clashes.collect();
    base.into_iter().chain(clashes).collect()
}
