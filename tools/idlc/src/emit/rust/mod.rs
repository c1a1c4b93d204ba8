//! Rust: types that derive their encoding (`dunlin::Topic`, `dunlin::Data`), so there is one codec.
//!
//! A file that is made is the content of a module. Types of included files are in the modules
//! beside it that have the names of those files.

mod module;
mod names;
mod number;
mod structure;
mod types;
mod union;
mod value;

use dunlin_xtypes::{DynamicType, TypeKind};

use super::{File, Language, Scope, Unit};
use crate::model::{NamedConstant, NamedType};
use crate::report::codes;
use crate::source::Span;
use module::{Item, Module};
use names::{Names, Place};

pub(super) const LANGUAGE: Language = Language {
    name: "rust",
    aliases: &["rs"],
    comment: "//",
    verbatim: &["rust"],
    keywords: &[names::KEYWORDS],
    escape: names::escape,
    emit,
};

/// Where the items of the library are found.
const CDR: &str = "::dunlin::cdr";

fn emit(unit: &mut Unit<'_>) -> Vec<File> {
    let mut rust = Rust {
        names: Names::new(unit),
        unit,
    };
    let root = rust.root();
    let text = format!("{}{}", rust.unit.header, root.print());
    let name = format!("{}.rs", rust.unit.stem);
    vec![File { name, text }]
}

struct Rust<'u, 'm> {
    unit: &'u mut Unit<'m>,
    names: Names,
}

impl<'m> Rust<'_, 'm> {
    fn root(&mut self) -> Module {
        self.check_names();
        let mut root = Module::default();
        for module in &self.unit.model.modules {
            if let (Some(docs), Some(path)) = (&module.docs, self.names.module(&module.name)) {
                root.at(path).docs = Some(docs.clone());
            }
        }
        root.extend(self.unit.file_verbatim("begin-file").map(Item::verbatim));
        for one in self.unit.constants() {
            let place = self.names.constant(&one.name);
            let item = self.constant(one, &place);
            root.at(&place.modules).items.push(item);
        }
        for entry in self.unit.types() {
            let (Some(ty), Some(place)) = (self.unit.model.ty(entry), self.names.get(entry.index))
            else {
                continue;
            };
            let place = place.clone();
            let module = root.at(&place.modules);
            module.extend(
                self.unit
                    .verbatim(entry, "before-declaration")
                    .map(Item::verbatim),
            );
            module.items.extend(self.item(entry, &ty, &place));
            module.extend(
                self.unit
                    .verbatim(entry, "after-declaration")
                    .map(Item::verbatim),
            );
        }
        root.extend(self.unit.file_verbatim("end-file").map(Item::verbatim));
        root
    }

    /// Names that are equal in a module, and annotations that come to nothing.
    fn check_names(&mut self) {
        let mut reports = self.names.collisions(self.unit);
        self.unit.reports.append(&mut reports);
        for entry in self.unit.types() {
            if entry.data_representation.is_some() {
                let message = "@data_representation has no effect in Rust: readers and writers have \
                               a policy for it";
                self.unit.report(codes::NO_EFFECT, entry.span, message);
            }
        }
    }

    fn item(&mut self, entry: &NamedType, ty: &DynamicType, place: &Place) -> Vec<Item> {
        match ty.kind() {
            TypeKind::Structure => self.structure(entry, ty, place),
            TypeKind::Union => self.union(entry, ty, place),
            TypeKind::Enumeration => self.enumeration(entry, ty, place),
            TypeKind::Bitmask => vec![self.bitmask(entry, ty, place)],
            TypeKind::Bitset => vec![self.bitset(entry, ty, place)],
            TypeKind::Alias => self.alias(entry, ty, place).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    fn alias(&self, entry: &NamedType, ty: &DynamicType, place: &Place) -> Option<Item> {
        let of = self.ty(ty.element()?, place);
        let docs = module::docs(entry.docs.as_deref());
        Some(Item::code(format!(
            "{docs}pub type {} = {of};\n",
            place.ident
        )))
    }

    fn constant(&self, one: &NamedConstant, place: &Place) -> Item {
        let docs = module::docs(one.docs.as_deref());
        let ty = one.index.map(|index| self.unit.model.tree.get(index));
        let (name, value) = match ty.flatten() {
            Some(ty) => (
                self.ty(ty.index().into(), place),
                self.value(&one.value, &ty, place),
            ),
            None => ("&str".into(), value::text(&one.value)),
        };
        Item::code(format!(
            "{docs}pub const {}: {name} = {value};\n",
            place.ident
        ))
    }

    /// The names of members in one type: equal ones are reported.
    fn members<'n>(
        &mut self,
        ty: &DynamicType,
        names: impl Iterator<Item = (&'n str, String, Span)>,
    ) {
        let mut scope = Scope::default();
        for (name, made, span) in names {
            let original = format!("{}::{name}", ty.name());
            let report = scope.take(&made, &original, span);
            self.unit.reports.extend(report);
        }
    }
}

/// The span of a member by its number.
fn member_span(entry: &NamedType, number: usize) -> Span {
    entry
        .member_spans
        .get(number)
        .copied()
        .unwrap_or(entry.span)
}

/// The documentation of a member by its number.
fn member_docs(entry: &NamedType, number: usize) -> String {
    let docs = entry.member_docs.get(number).and_then(Option::as_deref);
    module::docs(docs)
}

/// `#[topic(..)]` and the line's end; nothing if there is nothing to say.
fn topic(words: &[String]) -> String {
    match words.is_empty() {
        true => String::new(),
        false => format!("#[topic({})]\n", words.join(", ")),
    }
}
