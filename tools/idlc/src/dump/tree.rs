//! Types for people: one line a type, a member, a case.

use dunlin_cdr::Extensibility;
use dunlin_xtypes::{Annotations, DynamicType, Element, TryConstruct, TypeKind, idl};

use super::Selection;
use crate::model::Model;

/// The types, with ids, values and all that annotations say.
pub fn tree(model: &Model, selection: &Selection) -> String {
    let mut text = String::new();
    for constant in &model.constants {
        if selection.name.is_none() && (selection.all || !constant.is_included) {
            text.push_str(&format!(
                "const {} {} = {}\n",
                constant.ty, constant.name, constant.text
            ));
        }
    }
    for entry in &model.types {
        if !selection.has(model, entry) {
            continue;
        }
        let Some(ty) = model.ty(entry) else { continue };
        text.push_str(&described(&ty));
        if let Some(topic) = &entry.topic {
            text.push_str(&format!("    topic {topic:?}\n"));
        }
        if let Some(mask) = entry.data_representation {
            text.push_str(&format!("    data representations {mask:#05b}\n"));
        }
    }
    text
}

/// A type and what it consists of.
fn described(ty: &DynamicType) -> String {
    let mut text = format!("{} {}", ty.kind().name(), ty.name());
    if matches!(
        ty.kind(),
        TypeKind::Structure | TypeKind::Union | TypeKind::Enumeration | TypeKind::Bitmask
    ) {
        text.push_str(match ty.extensibility() {
            Extensibility::Final => " final",
            Extensibility::Appendable => " appendable",
            Extensibility::Mutable => " mutable",
        });
    }
    if let Some(bits) = ty.bit_bound() {
        text.push_str(&format!(" {bits} bits"));
    }
    let flags = [
        (ty.is_nested(), " nested"),
        (ty.has_hashed_ids(), " autoid=hash"),
        (ty.ignores_literal_names(), " ignore_literal_names"),
    ];
    flags
        .iter()
        .filter(|flag| flag.0)
        .for_each(|flag| text.push_str(flag.1));
    match ty.kind() {
        TypeKind::Structure => structure(ty, &mut text),
        TypeKind::Union => union(ty, &mut text),
        TypeKind::Alias => {
            if let Some(of) = ty.element() {
                text.push_str(&format!(" = {}", element(ty, of, ty.annotations())));
            }
            text.push('\n');
        }
        TypeKind::Enumeration => {
            let default = ty.default_literal().map(|literal| literal.value());
            text.push('\n');
            for literal in ty.literals() {
                let is_default = default == Some(literal.value());
                let mark = if is_default { " default" } else { "" };
                text.push_str(&format!(
                    "    {} {}{mark}\n",
                    literal.value(),
                    literal.name()
                ));
            }
        }
        TypeKind::Bitmask => {
            text.push('\n');
            for flag in ty.flags() {
                text.push_str(&format!("    bit {} {}\n", flag.position(), flag.name()));
            }
        }
        TypeKind::Bitset => {
            text.push('\n');
            for field in ty.fields() {
                text.push_str(&format!(
                    "    bits {}..{} {} {}\n",
                    field.position(),
                    field.position() + u16::from(field.size()),
                    field.holder().name(),
                    field.name()
                ));
            }
        }
        _ => text.push('\n'),
    }
    text
}

fn structure(ty: &DynamicType, text: &mut String) {
    if let Some(base) = ty.base() {
        text.push_str(&format!(" : {}", base.name()));
    }
    text.push('\n');
    for member in ty.own_members() {
        let of = element(ty, member.element(), member.annotations());
        text.push_str(&format!("    {:#x} {of} {}", member.id(), member.name()));
        let flags = [
            (member.is_key(), " key"),
            (member.is_optional(), " optional"),
            (member.must_understand(), " must_understand"),
        ];
        flags
            .iter()
            .filter(|flag| flag.0)
            .for_each(|flag| text.push_str(flag.1));
        text.push('\n');
    }
}

fn union(ty: &DynamicType, text: &mut String) {
    if let Some(of) = ty.discriminator() {
        let key = if ty.has_key() { " key" } else { "" };
        text.push_str(&format!(
            " switch {}{key}",
            element(ty, of, ty.annotations())
        ));
    }
    text.push('\n');
    for case in ty.cases() {
        let labels: Vec<String> = case.labels().iter().map(i64::to_string).collect();
        let default = if case.is_default() { " default" } else { "" };
        let of = match case.element() {
            Some(of) => element(ty, of, case.annotations()),
            None => "nothing".into(),
        };
        text.push_str(&format!(
            "    {:#x} [{}]{default} {of} {}\n",
            case.id(),
            labels.join(", "),
            case.name()
        ));
    }
}

fn element(ty: &DynamicType, of: Element, annotations: Option<&Annotations>) -> String {
    let mut text = String::new();
    if of.is_external {
        text.push_str("external ");
    }
    match of.try_construct {
        TryConstruct::Discard => {}
        TryConstruct::UseDefault => text.push_str("use_default "),
        TryConstruct::Trim => text.push_str("trim "),
    }
    if let Some(annotations) = annotations {
        let values = [
            ("default", &annotations.default),
            ("min", &annotations.min),
            ("max", &annotations.max),
        ];
        for (name, value) in values {
            if let Some(value) = value {
                text.push_str(&format!("{name}={} ", idl::constant(value)));
            }
        }
        if let Some(unit) = &annotations.unit {
            text.push_str(&format!("unit={unit:?} "));
        }
        if let Some(hash_id) = &annotations.hash_id {
            text.push_str(&format!("hashid={hash_id:?} "));
        }
    }
    text + &used(&ty.at(of.ty))
}

/// A type where it is used.
fn used(ty: &DynamicType) -> String {
    let inner = |of: Option<Element>| of.map_or_else(String::new, |of| element(ty, of, None));
    let bound = ty
        .bound()
        .map_or_else(String::new, |bound| format!(", {bound}"));
    match ty.kind() {
        TypeKind::String8 | TypeKind::String16 => match ty.bound() {
            Some(bound) => format!("{}<{bound}>", ty.name()),
            None => ty.name().into(),
        },
        TypeKind::Sequence => format!("sequence<{}{bound}>", inner(ty.element())),
        TypeKind::Map => format!(
            "map<{}, {}{bound}>",
            inner(ty.key_element()),
            inner(ty.element())
        ),
        TypeKind::Array => {
            let lengths = ty.dimensions().iter().map(|length| format!("[{length}]"));
            format!("{}{}", inner(ty.element()), lengths.collect::<String>())
        }
        _ => ty.name().into(),
    }
}
