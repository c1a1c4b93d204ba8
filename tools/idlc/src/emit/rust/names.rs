//! Names and paths of Rust.

use std::collections::{BTreeSet, HashMap, HashSet};

use dunlin_xtypes::{TypeIndex, TypeKind};

use super::super::{Scope, Unit};
use crate::report::Report;
use crate::source::Span;

/// Words of Rust 2024 that are no identifiers, those that are reserved included.
#[rustfmt::skip]
pub(super) const KEYWORDS: &[&str] = &[
    "Self", "_", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue",
    "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if",
    "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub",
    "ref", "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Types that are no keywords: a type or module of such a name would hide them.
#[rustfmt::skip]
const PRIMITIVES: &[&str] = &[
    "bool", "char", "f128", "f16", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str",
    "u128", "u16", "u32", "u64", "u8", "usize",
];

/// A keyword as an identifier: `r#type`, but `self_`.
pub(super) fn escape(word: &str) -> String {
    match word {
        "Self" | "_" | "crate" | "self" | "super" => format!("{word}_"),
        _ => format!("r#{word}"),
    }
}

/// The name of a member, case, literal or flag.
pub(super) fn word(name: &str) -> String {
    super::LANGUAGE.word(name)
}

/// The name of a type or module.
fn type_word(name: &str) -> String {
    match PRIMITIVES.contains(&name) {
        true => format!("{name}_"),
        false => word(name),
    }
}

fn is_lower(name: &str) -> bool {
    !name.contains(|c: char| c.is_ascii_uppercase())
}

/// The name of a type that is a tuple struct: code that is derived binds names in lower case, and
/// must not meet such a constructor.
fn tuple_word(name: &str) -> String {
    match is_lower(name) {
        true => format!("{name}_"),
        false => type_word(name),
    }
}

/// The name of a constant: in upper case if it has no such letter, for the same reason.
fn constant_word(name: &str) -> String {
    match is_lower(name) {
        true => word(&name.to_ascii_uppercase()),
        false => word(name),
    }
}

/// The module that a file that is made is the content of.
fn file_word(stem: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = stem.chars().map(letter).collect();
    match name.starts_with(|c: char| c.is_ascii_digit()) {
        true => format!("_{name}"),
        false => type_word(&name),
    }
}

/// Where something is.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    /// The file that it is in if that is another one, as a module beside this file.
    file: Option<String>,
    pub(super) modules: Vec<String>,
    pub(super) ident: String,
}

/// The Rust names of all types and modules.
pub(super) struct Names {
    types: HashMap<TypeIndex, Place>,
    /// Where types are in the order of their dependencies.
    order: HashMap<TypeIndex, usize>,
    modules: HashMap<String, Vec<String>>,
    /// Structures and unions, which may have types within them.
    holders: HashSet<String>,
    /// Identifiers of types and modules.
    taken: HashSet<String>,
}

impl Names {
    pub(super) fn new(unit: &Unit<'_>) -> Self {
        let model = unit.model;
        let types = model.types.iter().filter_map(|entry| model.ty(entry));
        let holders = types.filter(|ty| matches!(ty.kind(), TypeKind::Structure | TypeKind::Union));
        let mut names = Self {
            types: HashMap::new(),
            order: HashMap::new(),
            modules: HashMap::new(),
            holders: holders.map(|ty| ty.name().into()).collect(),
            taken: HashSet::new(),
        };
        for module in &model.modules {
            let path = module.name.split("::").map(type_word).collect();
            names.modules.insert(module.name.clone(), path);
        }
        for (number, entry) in model.types.iter().enumerate() {
            let Some(ty) = model.ty(entry) else { continue };
            let is_elsewhere = entry.is_included && !unit.choices.all;
            let word = match ty.kind() {
                TypeKind::Bitmask | TypeKind::Bitset => tuple_word,
                _ => type_word,
            };
            let mut place = names.place(ty.name(), word);
            place.file = is_elsewhere.then(|| file_word(&unit.stem_at(entry.span)));
            names.taken.insert(place.ident.clone());
            names.taken.extend(place.modules.iter().cloned());
            names.types.insert(entry.index, place);
            names.order.insert(entry.index, number);
        }
        names
    }

    /// What is within a structure has the name of it in front.
    fn place(&self, name: &str, word: fn(&str) -> String) -> Place {
        let parts: Vec<&str> = name.split("::").collect();
        let mut at = 0;
        let mut path = String::new();
        for (number, part) in parts.iter().enumerate() {
            path = match path.is_empty() {
                true => (*part).into(),
                false => format!("{path}::{part}"),
            };
            if self.holders.contains(&path) || number + 1 == parts.len() {
                at = number;
                break;
            }
        }
        let modules = parts.iter().take(at).map(|part| type_word(part));
        let last: Vec<&str> = parts.iter().skip(at).copied().collect();
        Place {
            file: None,
            modules: modules.collect(),
            ident: word(&last.join("_")),
        }
    }

    pub(super) fn get(&self, index: TypeIndex) -> Option<&Place> {
        self.types.get(&index)
    }

    pub(super) fn constant(&self, name: &str) -> Place {
        self.place(name, constant_word)
    }

    pub(super) fn module(&self, name: &str) -> Option<&[String]> {
        self.modules.get(name).map(Vec::as_slice)
    }

    /// Whether a type is not yet complete where another one is declared.
    pub(super) fn is_later(&self, index: TypeIndex, than: TypeIndex) -> bool {
        self.order.get(&index) >= self.order.get(&than)
    }

    /// A type as it is written at a place.
    pub(super) fn path(&self, index: TypeIndex, from: &Place) -> String {
        let Some(to) = self.types.get(&index) else {
            return "()".into();
        };
        let shared = match &to.file {
            Some(_) => 0,
            None => {
                let pairs = to.modules.iter().zip(&from.modules);
                pairs.take_while(|(one, other)| one == other).count()
            }
        };
        let up = from.modules.len() - shared + usize::from(to.file.is_some());
        let mut path = "super::".repeat(up);
        let down = to.file.iter().chain(to.modules.iter().skip(shared));
        for part in down {
            // A module may have the name of a crate.
            if path.is_empty() {
                path.push_str("self::");
            }
            path.push_str(part);
            path.push_str("::");
        }
        path + &to.ident
    }

    /// A type that is in scope everywhere; with its path if a type that is made has its name.
    pub(super) fn prelude(&self, name: &'static str) -> String {
        let path = match name {
            "Box" => "::std::boxed::",
            "Option" => "::std::option::",
            "String" => "::std::string::",
            _ => "::std::vec::",
        };
        match self.taken.contains(name) {
            true => format!("{path}{name}"),
            false => name.into(),
        }
    }

    /// Types, modules and constants of one module that would have one name.
    pub(super) fn collisions(&self, unit: &Unit<'_>) -> Vec<Report> {
        let mut found = Collisions::default();
        let spans: HashMap<&str, Span> = unit
            .model
            .modules
            .iter()
            .map(|module| (&*module.name, module.span))
            .collect();
        for entry in unit.types() {
            let (Some(ty), Some(place)) = (unit.model.ty(entry), self.types.get(&entry.index))
            else {
                continue;
            };
            found.take(&place.modules, &place.ident, ty.name(), entry.span, false);
            found.modules(ty.name(), place, |path| {
                *spans.get(path).unwrap_or(&entry.span)
            });
        }
        for one in unit.constants() {
            let place = self.constant(&one.name);
            found.take(&place.modules, &place.ident, &one.name, one.span, true);
            found.modules(&one.name, &place, |path| {
                *spans.get(path).unwrap_or(&one.span)
            });
        }
        found.reports
    }
}

#[derive(Default)]
struct Collisions {
    /// By modules; values are in a scope of their own.
    scopes: HashMap<(Vec<String>, bool), Scope>,
    seen: BTreeSet<String>,
    reports: Vec<Report>,
}

impl Collisions {
    fn take(&mut self, modules: &[String], ident: &str, name: &str, span: Span, is_value: bool) {
        let scope = self.scopes.entry((modules.to_vec(), is_value)).or_default();
        self.reports.extend(scope.take(ident, name, span));
    }

    /// The modules that something is in, each once.
    fn modules(&mut self, name: &str, place: &Place, span: impl Fn(&str) -> Span) {
        let mut path = String::new();
        for (depth, (part, made)) in name.split("::").zip(&place.modules).enumerate() {
            path = match path.is_empty() {
                true => part.into(),
                false => format!("{path}::{part}"),
            };
            if self.seen.insert(path.clone()) {
                let outer = place.modules.get(..depth).unwrap_or_default();
                self.take(outer, made, &path, span(&path), false);
            }
        }
    }
}
