//! Structures.

use dunlin_cdr::Extensibility;
use dunlin_xtypes::{Annotations, DynamicType, Member, hash_id};

use super::module::{self, Item};
use super::names::{Place, word};
use super::{Rust, member_docs, member_span, topic};
use crate::model::NamedType;
use crate::plan::range::has_own;
use crate::source::Span;

/// The id that a member gets by itself: that of the one before plus one, or that of its name.
pub(super) struct Ids {
    is_hashed: bool,
    next: u32,
}

impl Ids {
    pub(super) fn new(ty: &DynamicType, first: u32) -> Self {
        Self {
            is_hashed: ty.has_hashed_ids(),
            next: first,
        }
    }

    /// What says the id of a member.
    pub(super) fn words(
        &mut self,
        name: &str,
        id: u32,
        annotations: Option<&Annotations>,
    ) -> Option<String> {
        let by_itself = match self.is_hashed {
            true => hash_id(name),
            false => self.next,
        };
        self.next = id.wrapping_add(1);
        match annotations.and_then(|of| of.hash_id.as_deref()) {
            Some("") => Some("hashid".into()),
            Some(text) => Some(format!("hashid = {text:?}")),
            None => (id != by_itself).then(|| format!("id = {id}")),
        }
    }
}

impl Rust<'_, '_> {
    pub(super) fn structure(
        &mut self,
        entry: &NamedType,
        ty: &DynamicType,
        place: &Place,
    ) -> Vec<Item> {
        self.fields(entry, ty);
        let derive = match ty.is_nested() {
            true => "Data",
            false => "Topic",
        };
        let mut words = self.head(ty, place);
        if let Some(base) = ty.base() {
            words.push(format!("base = {:?}", self.names.path(base.index(), place)));
        }
        let docs = module::docs(entry.docs.as_deref());
        let head = format!(
            "{docs}#[derive(Clone, Debug, PartialEq, ::dunlin::{derive})]\n{}pub struct {} {{\n",
            topic(&words),
            place.ident
        );
        let mut docs = Vec::new();
        let mut level = Some(ty.clone());
        while let Some(ty) = level {
            let entry = self.unit.entry(ty.index());
            let members = 0..ty.own_members().len();
            let of = |number| entry.map_or_else(String::new, |entry| member_docs(entry, number));
            docs.splice(0..0, members.map(of));
            level = ty.base();
        }
        let mut ids = Ids::new(ty, 0);
        let mut text = String::new();
        for (member, docs) in ty.members().zip(docs) {
            text.push_str(&docs);
            text.push_str(&self.field(ty, member, &mut ids, place));
        }
        self.declaration(entry, head, &text)
    }

    /// A declaration with braces, with the texts that `@verbatim` puts into it.
    pub(super) fn declaration(&self, entry: &NamedType, head: String, content: &str) -> Vec<Item> {
        let mut text = head;
        let indented =
            |text: &str| -> String { text.lines().map(|line| format!("    {line}\n")).collect() };
        let texts = |placement| self.unit.verbatim(entry, placement).map(indented);
        text.extend(texts("begin-declaration"));
        text.push_str(&indented(content));
        text.extend(texts("end-declaration"));
        vec![Item::code(format!("{text}}}\n"))]
    }

    /// What is to be said of a structure or union.
    pub(super) fn head(&self, ty: &DynamicType, place: &Place) -> Vec<String> {
        let mut words = vec![name(ty.name(), &place.ident), Some(extensibility(ty))];
        words.push(ty.is_nested().then(|| "nested".into()));
        words.push(ty.has_hashed_ids().then(|| "autoid = \"hash\"".into()));
        words.push(Some("default".into()));
        let is_checked = self.unit.choices.range_checks && has_own(ty);
        words.push(is_checked.then(|| "range_checks".into()));
        words.into_iter().flatten().collect()
    }

    fn fields(&mut self, entry: &NamedType, ty: &DynamicType) {
        let inherited = ty.members().count() - ty.own_members().len();
        let members = ty.members().enumerate().map(|(number, member)| {
            let span = match number.checked_sub(inherited) {
                Some(number) => member_span(entry, number),
                None => entry.span,
            };
            (member.name(), word(member.name()), span)
        });
        let members: Vec<(&str, String, Span)> = members.collect();
        self.members(ty, members.into_iter());
    }

    fn field(&self, ty: &DynamicType, member: &Member, ids: &mut Ids, place: &Place) -> String {
        let of = member.element();
        let ident = word(member.name());
        let held = self.held(of);
        let mut name_of = self.ty(of, place);
        if member.is_optional() {
            // One that is not complete yet would be within itself.
            if held.is_some_and(|held| self.names.is_later(held, ty.index())) {
                name_of = format!("{}<{name_of}>", self.names.prelude("Box"));
            }
            name_of = format!("{}<{name_of}>", self.names.prelude("Option"));
        }
        let mut words: Vec<String> = name(member.name(), &ident).into_iter().collect();
        words.extend(ids.words(member.name(), member.id(), member.annotations()));
        if member.must_understand() {
            words.push("must_understand".into());
        }
        let mut annotations = member.annotations().cloned().unwrap_or_default();
        if member.is_optional() {
            annotations.default = None;
        }
        let target = ty.at(of.ty);
        words.extend(self.annotations(Some(&annotations), "default", &target, place));
        words.extend(self.words(of, place));
        let key = if member.is_key() { "#[key]\n" } else { "" };
        format!("{key}{}pub {ident}: {name_of},\n", topic(&words))
    }
}

/// The name on the wire, if Rust has another one.
pub(super) fn name(name: &str, ident: &str) -> Option<String> {
    let plain = ident.strip_prefix("r#").unwrap_or(ident);
    (plain != name).then(|| format!("name = {name:?}"))
}

pub(super) fn extensibility(ty: &DynamicType) -> String {
    let word = match ty.extensibility() {
        Extensibility::Final => "final",
        Extensibility::Appendable => "appendable",
        Extensibility::Mutable => "mutable",
    };
    format!("extensibility = {word:?}")
}
