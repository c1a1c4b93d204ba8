//! Types for programs.

use dunlin_cdr::Extensibility;
use dunlin_xtypes::{Annotations, Constant, DynamicType, Element, TryConstruct, TypeKind, idl};
use serde_json::{Map, Value, json as value};

use super::Selection;
use crate::model::{Model, NamedType};

/// The model as JSON: modules, constants, types in the order in which they need each other.
pub fn json(model: &Model, selection: &Selection) -> String {
    let modules = model.modules.iter();
    let modules = modules.map(|module| value!({"name": module.name, "docs": module.docs}));
    let constants = model.constants.iter();
    let constants =
        constants.filter(|one| selection.name.is_none() && (selection.all || !one.is_included));
    let constants = constants.map(|one| {
        value!({"name": one.name, "type": one.ty, "value": constant(&one.value), "docs": one.docs})
    });
    let types = model
        .types
        .iter()
        .filter(|entry| selection.has(model, entry));
    let types = types.filter_map(|entry| Some(described(entry, &model.ty(entry)?)));
    let all = value!({
        "modules": modules.collect::<Vec<_>>(),
        "constants": constants.collect::<Vec<_>>(),
        "types": types.collect::<Vec<_>>(),
    });
    format!("{all:#}\n")
}

fn described(entry: &NamedType, ty: &DynamicType) -> Value {
    let mut object = Map::new();
    object.insert("kind".into(), ty.kind().name().into());
    object.insert("name".into(), ty.name().into());
    put(&mut object, "docs", entry.docs.clone().map(Value::from));
    if let Some(word) = extensibility(ty) {
        object.insert("extensibility".into(), word.into());
    }
    put(&mut object, "nested", ty.is_nested().then_some(true.into()));
    put(
        &mut object,
        "autoid",
        ty.has_hashed_ids().then_some("hash".into()),
    );
    put(&mut object, "bit_bound", ty.bit_bound().map(Value::from));
    put(&mut object, "topic", entry.topic.clone().map(Value::from));
    put(
        &mut object,
        "platform",
        entry.platform.clone().map(Value::from),
    );
    let mask = entry.data_representation.map(Value::from);
    put(&mut object, "data_representation", mask);
    put(
        &mut object,
        "base",
        ty.base().map(|base| base.name().into()),
    );
    let docs = |at: usize| {
        entry
            .member_docs
            .get(at)
            .cloned()
            .flatten()
            .map(Value::from)
    };
    match ty.kind() {
        TypeKind::Structure => {
            let members = ty.own_members().iter().enumerate().map(|(at, member)| {
                let mut object = element(ty, member.element(), member.annotations());
                object.insert("name".into(), member.name().into());
                object.insert("id".into(), member.id().into());
                put(&mut object, "key", member.is_key().then_some(true.into()));
                put(
                    &mut object,
                    "optional",
                    member.is_optional().then_some(true.into()),
                );
                let must = member.must_understand().then_some(true.into());
                put(&mut object, "must_understand", must);
                put(&mut object, "docs", docs(at));
                Value::Object(object)
            });
            object.insert("members".into(), members.collect());
        }
        TypeKind::Union => {
            if let Some(of) = ty.discriminator() {
                let mut by = element(ty, of, ty.annotations());
                put(&mut by, "key", ty.has_key().then_some(true.into()));
                object.insert("discriminator".into(), Value::Object(by));
            }
            let cases = ty.cases().iter().enumerate().map(|(at, case)| {
                let of = case.element();
                let mut object = of.map_or_else(Map::new, |of| element(ty, of, case.annotations()));
                object.insert("name".into(), case.name().into());
                object.insert("id".into(), case.id().into());
                object.insert("labels".into(), case.labels().into());
                put(
                    &mut object,
                    "default",
                    case.is_default().then_some(true.into()),
                );
                put(&mut object, "docs", docs(at));
                Value::Object(object)
            });
            object.insert("cases".into(), cases.collect());
        }
        TypeKind::Alias => {
            if let Some(of) = ty.element() {
                object.extend(element(ty, of, ty.annotations()));
            }
        }
        TypeKind::Enumeration => {
            let default = ty.default_literal().map(|literal| literal.name().into());
            put(&mut object, "default", default);
            let literals = ty.literals().iter().enumerate().map(
                |(at, one)| value!({"name": one.name(), "value": one.value(), "docs": docs(at)}),
            );
            object.insert("literals".into(), literals.collect());
        }
        TypeKind::Bitmask => {
            let flags = ty.flags().iter().enumerate().map(|(at, one)| {
                value!({"name": one.name(), "position": one.position(), "docs": docs(at)})
            });
            object.insert("flags".into(), flags.collect());
        }
        TypeKind::Bitset => {
            let fields = ty.fields().iter().map(|one| {
                value!({
                    "name": one.name(),
                    "position": one.position(),
                    "size": one.size(),
                    "type": one.holder().name(),
                })
            });
            object.insert("fields".into(), fields.collect());
        }
        _ => {}
    }
    Value::Object(object)
}

fn put(object: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        object.insert(name.into(), value);
    }
}

fn extensibility(ty: &DynamicType) -> Option<&'static str> {
    let grows = matches!(
        ty.kind(),
        TypeKind::Structure | TypeKind::Union | TypeKind::Enumeration | TypeKind::Bitmask
    );
    grows.then_some(match ty.extensibility() {
        Extensibility::Final => "final",
        Extensibility::Appendable => "appendable",
        Extensibility::Mutable => "mutable",
    })
}

fn element(ty: &DynamicType, of: Element, annotations: Option<&Annotations>) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("type".into(), used(&ty.at(of.ty)));
    put(
        &mut object,
        "external",
        of.is_external.then_some(true.into()),
    );
    let rule = match of.try_construct {
        TryConstruct::Discard => None,
        TryConstruct::UseDefault => Some("use_default".into()),
        TryConstruct::Trim => Some("trim".into()),
    };
    put(&mut object, "try_construct", rule);
    if let Some(annotations) = annotations {
        let value = |value: &Option<Constant>| value.as_ref().map(constant);
        put(&mut object, "default_value", value(&annotations.default));
        put(&mut object, "min", value(&annotations.min));
        put(&mut object, "max", value(&annotations.max));
        let text = |text: &Option<Box<str>>| text.as_deref().map(Value::from);
        put(&mut object, "unit", text(&annotations.unit));
        put(&mut object, "hashid", text(&annotations.hash_id));
    }
    object
}

/// A type where it is used: its name, or what a collection consists of.
fn used(ty: &DynamicType) -> Value {
    let mut object = Map::new();
    let inner = |of: Element| Value::Object(element(ty, of, None));
    match ty.kind() {
        TypeKind::String8 | TypeKind::String16 if ty.bound().is_none() => {
            return ty.name().into();
        }
        TypeKind::String8
        | TypeKind::String16
        | TypeKind::Sequence
        | TypeKind::Array
        | TypeKind::Map => {}
        _ => return ty.name().into(),
    }
    object.insert("kind".into(), ty.kind().name().into());
    put(&mut object, "key", ty.key_element().map(inner));
    put(&mut object, "element", ty.element().map(inner));
    put(&mut object, "bound", ty.bound().map(Value::from));
    if ty.kind() == TypeKind::Array {
        object.insert("dimensions".into(), ty.dimensions().into());
    }
    Value::Object(object)
}

/// A number as a number where JSON has it, anything else as IDL.
fn constant(value: &Constant) -> Value {
    match value {
        Constant::Boolean(value) => (*value).into(),
        Constant::Integer(value) => match (i64::try_from(*value), u64::try_from(*value)) {
            (Ok(value), _) => value.into(),
            (_, Ok(value)) => value.into(),
            _ => value.to_string().into(),
        },
        Constant::Float(value) => (*value).into(),
        Constant::String8(text) | Constant::String16(text) => (&**text).into(),
        other => idl::constant(other).into(),
    }
}
