//! What an emitter works on.

use dunlin_xtypes::{DynamicType, EquivalenceKind, TypeIndex};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::rc::Rc;

use super::{Choices, Language};
use crate::model::{NamedConstant, NamedType, Verbatim};
use crate::report::{Code, Report};
use crate::source::{Sources, Span};
use crate::{Model, Parsed};

/// One IDL file, the language that it is made into, and what is wrong so far.
pub(crate) struct Unit<'m> {
    pub(crate) model: &'m Model,
    pub(crate) language: &'m Language,
    pub(crate) choices: &'m Choices,
    /// The name of the IDL file, without directories.
    pub(crate) file: String,
    /// The same without its ending.
    pub(crate) stem: String,
    /// What each file that is made begins with.
    pub(crate) header: String,
    pub(crate) reports: Vec<Report>,
    sources: &'m Sources,
    entries: HashMap<TypeIndex, &'m NamedType>,
    /// The words that cannot be names in the language.
    words: HashSet<&'static str>,
    /// The first parts of the names of modules.
    roots: HashSet<&'m str>,
    /// Complete TypeObjects, as far as they were asked for: each is made of hashes of others.
    objects: RefCell<HashMap<TypeIndex, Option<Rc<[u8]>>>>,
    /// Names in the language by what they are for and by their names in IDL.
    named: RefCell<HashMap<&'static str, HashMap<String, String>>>,
}

impl<'m> Unit<'m> {
    pub(super) fn new(
        model: &'m Model,
        parsed: &'m Parsed,
        language: &'m Language,
        choices: &'m Choices,
    ) -> Self {
        let path = parsed.paths.first();
        let path = path.map_or_else(String::new, |path| path.to_string_lossy().into_owned());
        let entries = model.types.iter().map(|entry| (entry.index, entry));
        let modules = model.modules.iter().map(|module| &*module.name);
        let roots = modules.filter_map(|name| name.split("::").next());
        Self {
            model,
            language,
            choices,
            file: file(&path),
            stem: stem(&path),
            header: String::new(),
            reports: Vec::new(),
            sources: &parsed.sources,
            entries: entries.collect(),
            words: language
                .keywords
                .iter()
                .copied()
                .flatten()
                .copied()
                .collect(),
            roots: roots.collect(),
            objects: RefCell::default(),
            named: RefCell::default(),
        }
    }

    /// A name of IDL as one of the language: [`Language::word`], for those who ask very often.
    pub(crate) fn word(&self, name: &str) -> String {
        self.escaped(name.into())
    }

    /// The same of a name that was made.
    pub(crate) fn escaped(&self, name: String) -> String {
        match self.words.contains(&*name) {
            true => (self.language.escape)(&name),
            false => name,
        }
    }

    /// What a type is called for a purpose, for those who ask each time that the type is mentioned.
    pub(crate) fn named(
        &self,
        purpose: &'static str,
        name: &str,
        make: impl FnOnce() -> String,
    ) -> String {
        let known = |all: &HashMap<String, String>| all.get(name).cloned();
        if let Some(known) = self.named.borrow().get(purpose).and_then(known) {
            return known;
        }
        let made = make();
        let mut all = self.named.borrow_mut();
        let all = all.entry(purpose).or_default();
        all.insert(name.into(), made.clone());
        made
    }

    /// The complete TypeObjects of a type, its own first: XCDR2, little endian. `None` if
    /// DDS-XTypes 1.3 cannot describe it.
    pub(crate) fn type_objects(&self, ty: &DynamicType) -> Option<Rc<[u8]>> {
        if let Some(known) = self.objects.borrow().get(&ty.index()) {
            return known.clone();
        }
        let objects = ty.type_objects(EquivalenceKind::Complete).ok();
        let bytes: Option<Rc<[u8]>> = objects.map(|objects| objects.to_sequence().into());
        self.objects.borrow_mut().insert(ty.index(), bytes.clone());
        bytes
    }

    /// Whether a module that is in no other one is called so.
    pub(crate) fn is_root(&self, name: &str) -> bool {
        self.roots.contains(name)
    }

    /// What the model knows of a type beside its node.
    pub(crate) fn entry(&self, index: TypeIndex) -> Option<&'m NamedType> {
        self.entries.get(&index).copied()
    }

    /// The types that are made, each behind those that it needs.
    pub(crate) fn types(&self) -> impl Iterator<Item = &'m NamedType> + use<'m> {
        let all = self.choices.all;
        let types = self.model.types.iter();
        types.filter(move |entry| all || !entry.is_included)
    }

    /// The constants that are made.
    pub(crate) fn constants(&self) -> impl Iterator<Item = &'m NamedConstant> + use<'m> {
        let all = self.choices.all;
        let constants = self.model.constants.iter();
        constants.filter(move |one| all || !one.is_included)
    }

    /// The name of the file, without directories and ending, that has a place; what is made of it
    /// is in the file of the same name.
    pub(crate) fn stem_at(&self, span: Span) -> String {
        let span = self.sources.written(span);
        let file = self.sources.file(self.sources.file_at(span.start));
        stem(file.map_or("", |file| &file.name))
    }

    /// The modules that something of IDL is in, and what it is called there: what is within a type
    /// has the name of that in front.
    pub(crate) fn split<'n>(&self, name: &'n str) -> (Vec<&'n str>, String) {
        let mut modules: Vec<&str> = name.split("::").collect();
        let mut ends = name.match_indices("::").map(|(end, _)| name.get(..end));
        let is_type = |outer: &str| self.model.by_name.contains_key(outer);
        let outer = ends.position(|outer| outer.is_some_and(is_type));
        let at = outer.unwrap_or(modules.len().saturating_sub(1));
        let local = modules.split_off(at).join("_");
        (modules, local)
    }

    /// The types that are made.
    pub(crate) fn made(&self) -> Vec<DynamicType> {
        let types = self.types();
        types.filter_map(|entry| self.model.ty(entry)).collect()
    }

    /// The texts that `@verbatim` gives for this language at a place: `before-declaration`.
    pub(crate) fn verbatim<'v>(
        &self,
        entry: &'v NamedType,
        placement: &'v str,
    ) -> impl Iterator<Item = &'v str> + use<'v> {
        let names = self.language.verbatim;
        let fits = move |one: &&Verbatim| {
            let mut names = names.iter();
            let is_for = one.language == "*" || names.any(|name| *name == one.language);
            is_for && one.placement == placement
        };
        entry.verbatim.iter().filter(fits).map(|one| &*one.text)
    }

    /// The same for `begin-file` and `end-file`: those of all types that are made.
    pub(crate) fn file_verbatim<'v>(&'v self, placement: &'v str) -> impl Iterator<Item = &'v str> {
        self.types()
            .flat_map(move |entry| self.verbatim(entry, placement))
    }

    /// Says what cannot be made, or not as the IDL has it.
    pub(crate) fn report(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.reports.push(Report::new(code, span, message));
    }
}

fn file(path: &str) -> String {
    let name = Path::new(path).file_name();
    name.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn stem(path: &str) -> String {
    let name = Path::new(path).file_stem();
    name.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}
