//! Types that are a number on the wire: enumerations, bitmasks, bitsets.

use dunlin_xtypes::{DynamicType, TypeKind};

use super::module::{self, Item};
use super::names::{Place, word};
use super::structure::{extensibility, name};
use super::{Rust, member_docs, member_span, topic};
use crate::model::NamedType;
use crate::source::Span;

impl Rust<'_, '_> {
    pub(super) fn enumeration(
        &mut self,
        entry: &NamedType,
        ty: &DynamicType,
        place: &Place,
    ) -> Vec<Item> {
        let names = ty.literals().iter().map(|one| one.name());
        self.idents(entry, ty, names.collect());
        let mut words: Vec<String> = name(ty.name(), &place.ident).into_iter().collect();
        words.push(extensibility(ty));
        words.extend(bits(ty));
        if ty.ignores_literal_names() {
            words.push("ignore_literal_names".into());
        }
        words.push("default".into());
        let head = format!(
            "{}{}{}pub enum {} {{\n",
            module::docs(entry.docs.as_deref()),
            DERIVES,
            topic(&words),
            place.ident
        );
        let default = ty.default_literal().map(|one| one.value());
        let first = ty.literals().first().map(|one| one.value());
        let mut text = String::new();
        for (number, literal) in ty.literals().iter().enumerate() {
            let ident = word(literal.name());
            let mut words: Vec<String> = name(literal.name(), &ident).into_iter().collect();
            if default == Some(literal.value()) && default != first {
                words.push("default".into());
            }
            text.push_str(&member_docs(entry, number));
            text.push_str(&topic(&words));
            text.push_str(&format!("{ident} = {},\n", literal.value()));
        }
        self.declaration(entry, head, &text)
    }

    pub(super) fn bitmask(&mut self, entry: &NamedType, ty: &DynamicType, place: &Place) -> Item {
        let names = ty.flags().iter().map(|one| one.name());
        self.idents(entry, ty, names.collect());
        let mut next = 0;
        let flags = ty.flags().iter().enumerate().map(|(number, flag)| {
            let ident = word(flag.name());
            let position = match flag.position() == next {
                true => ident.clone(),
                false => format!("{ident} = {}", flag.position()),
            };
            next = flag.position() + 1;
            let mut words = vec![position];
            words.extend(name(flag.name(), &ident));
            words.extend(docs(entry, number));
            topic(&[format!("flag({})", words.join(", "))])
        });
        let flags: String = flags.collect();
        let mut words = vec!["bitmask".into(), extensibility(ty)];
        words.extend(bits(ty));
        self.number(entry, ty, place, words, &flags)
    }

    pub(super) fn bitset(&mut self, entry: &NamedType, ty: &DynamicType, place: &Place) -> Item {
        let names = ty.fields().iter().map(|one| one.name()).enumerate();
        let idents = names.map(|(number, name)| {
            let span = member_span(entry, number);
            [
                (name, field_word(name), span),
                (name, format!("set_{}", field_word(name)), span),
            ]
        });
        let idents: Vec<(&str, String, Span)> = idents.flatten().collect();
        self.members(ty, idents.into_iter());
        let mut next = 0;
        let fields = ty.fields().iter().enumerate().map(|(number, field)| {
            let ident = field_word(field.name());
            let mut words = vec![
                format!("{ident}: {}", holder(field.holder())),
                format!("size = {}", field.size()),
            ];
            if field.position() != next {
                words.push(format!("position = {}", field.position()));
            }
            if field.holder() == TypeKind::Byte {
                words.push("octet".into());
            }
            next = field.position() + u16::from(field.size());
            words.extend(name(field.name(), &ident));
            words.extend(docs(entry, number));
            topic(&[format!("field({})", words.join(", "))])
        });
        let fields: String = fields.collect();
        self.number(entry, ty, place, vec!["bitset".into()], &fields)
    }

    fn number(
        &self,
        entry: &NamedType,
        ty: &DynamicType,
        place: &Place,
        words: Vec<String>,
        parts: &str,
    ) -> Item {
        let mut all: Vec<String> = name(ty.name(), &place.ident).into_iter().collect();
        all.extend(words);
        all.push("default".into());
        let number = match ty.number_size() {
            Some(1) => "u8",
            Some(2) => "u16",
            Some(4) => "u32",
            _ => "u64",
        };
        Item::code(format!(
            "{}{DERIVES}{}{parts}pub struct {}(pub {number});\n",
            module::docs(entry.docs.as_deref()),
            topic(&all),
            place.ident
        ))
    }

    fn idents(&mut self, entry: &NamedType, ty: &DynamicType, names: Vec<&str>) {
        let names = names.into_iter().enumerate();
        let idents = names.map(|(number, name)| (name, word(name), member_span(entry, number)));
        let idents: Vec<(&str, String, Span)> = idents.collect();
        self.members(ty, idents.into_iter());
    }
}

const DERIVES: &str =
    "#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, ::dunlin::Data)]\n";

/// The name of a field of a bitset is part of those of two methods, so it is no raw identifier.
fn field_word(name: &str) -> String {
    match word(name) == name {
        true => name.into(),
        false => format!("{name}_"),
    }
}

/// The bits of an enumeration or bitmask, if they are not the usual 32.
fn bits(ty: &DynamicType) -> Option<String> {
    let bits = ty.bit_bound().filter(|bits| *bits != 32)?;
    Some(format!("bit_bound = {bits}"))
}

fn docs(entry: &NamedType, number: usize) -> Option<String> {
    let docs = entry.member_docs.get(number).and_then(Option::as_deref)?;
    Some(format!("doc = {docs:?}"))
}

fn holder(kind: TypeKind) -> &'static str {
    match kind {
        TypeKind::Boolean => "bool",
        TypeKind::Byte | TypeKind::UInt8 => "u8",
        TypeKind::Int8 => "i8",
        TypeKind::UInt16 => "u16",
        TypeKind::Int16 => "i16",
        TypeKind::UInt32 => "u32",
        TypeKind::Int32 => "i32",
        TypeKind::Int64 => "i64",
        _ => "u64",
    }
}
