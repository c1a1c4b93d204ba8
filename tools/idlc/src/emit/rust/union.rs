//! Unions: enums with data.

use dunlin_xtypes::{Case, DynamicType, TypeKind};

use super::module::{self, Item};
use super::names::{Place, word};
use super::structure::{Ids, name};
use super::{Rust, member_docs, member_span, topic};
use crate::model::NamedType;
use crate::source::Span;

/// The variant of values that have a discriminator alone.
const OTHER: &str = "Other";

impl Rust<'_, '_> {
    pub(super) fn union(
        &mut self,
        entry: &NamedType,
        ty: &DynamicType,
        place: &Place,
    ) -> Vec<Item> {
        self.variants(entry, ty);
        let Some(of) = ty.discriminator() else {
            return Vec::new();
        };
        let discriminator = ty.at(of.ty);
        let selector = self.ty(of, place);
        let mut words = self.head(ty, place);
        words.push(self.selector(ty, &selector, place));
        let docs = module::docs(entry.docs.as_deref());
        let head = format!(
            "{docs}#[derive(Clone, Debug, PartialEq, ::dunlin::Data)]\n{}pub enum {} {{\n",
            topic(&words),
            place.ident
        );
        let mut ids = Ids::new(ty, 1);
        let mut text = String::new();
        for (number, case) in ty.cases().iter().enumerate() {
            text.push_str(&member_docs(entry, number));
            text.push_str(&self.variant(&discriminator, case, &mut ids, &selector, place));
        }
        if !is_complete(ty, &discriminator.resolved()) {
            let other = other(ty);
            text.push_str("/// The discriminator selects no member.\n");
            text.push_str(&format!("#[topic(other)]\n{other}({selector}),\n"));
        }
        self.declaration(entry, head, &text)
    }

    /// `discriminator = ".."`, or with all that annotations say.
    fn selector(&self, ty: &DynamicType, selector: &str, place: &Place) -> String {
        let Some(of) = ty.discriminator() else {
            return String::new();
        };
        let mut words = Vec::new();
        if ty.has_key() {
            words.push("key".into());
        }
        words.extend(self.words(of, place));
        words.extend(self.annotations(ty.annotations(), "default", &ty.at(of.ty), place));
        match words.is_empty() {
            true => format!("discriminator = {selector:?}"),
            false => format!("discriminator({selector:?}, {})", words.join(", ")),
        }
    }

    fn variant(
        &self,
        discriminator: &DynamicType,
        case: &Case,
        ids: &mut Ids,
        selector: &str,
        place: &Place,
    ) -> String {
        let ident = word(case.name());
        let mut words: Vec<String> = name(case.name(), &ident).into_iter().collect();
        for label in case.labels() {
            words.push(format!(
                "case = {}",
                self.label(*label, discriminator, place)
            ));
        }
        if case.is_default() {
            words.push("default".into());
        }
        words.extend(ids.words(case.name(), case.id(), case.annotations()));
        let Some(of) = case.element() else {
            return format!("{}{ident},\n", topic(&words));
        };
        let target = discriminator.at(of.ty);
        words.extend(self.annotations(case.annotations(), "default_value", &target, place));
        words.extend(self.words(of, place));
        let value = self.ty(of, place);
        // Which of several labels it was is kept.
        let content = match case.is_default() || case.labels().len() > 1 {
            true => format!("{selector}, {value}"),
            false => value,
        };
        format!("{}{ident}({content}),\n", topic(&words))
    }

    fn variants(&mut self, entry: &NamedType, ty: &DynamicType) {
        let cases = ty.cases().iter().enumerate();
        let cases = cases
            .map(|(number, case)| (case.name(), word(case.name()), member_span(entry, number)));
        let cases: Vec<(&str, String, Span)> = cases.collect();
        self.members(ty, cases.into_iter());
    }
}

/// A name that no case has.
fn other(ty: &DynamicType) -> String {
    let mut name = String::from(OTHER);
    while ty.cases().iter().any(|case| case.name() == name) {
        name.push('_');
    }
    name
}

/// Whether all discriminators select a member.
fn is_complete(ty: &DynamicType, discriminator: &DynamicType) -> bool {
    if ty.cases().iter().any(Case::is_default) {
        return true;
    }
    let labels: usize = ty.cases().iter().map(|case| case.labels().len()).sum();
    match discriminator.kind() {
        TypeKind::Boolean => labels == 2,
        TypeKind::Byte | TypeKind::UInt8 | TypeKind::Int8 | TypeKind::Char8 => labels == 256,
        TypeKind::Enumeration => labels == discriminator.literals().len(),
        _ => false,
    }
}
