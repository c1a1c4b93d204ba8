//! What things are called in C#, and which type they have.

use dunlin_xtypes::{Constant, DynamicType, Element, Member, TypeKind};

use super::keywords::{LOCAL, TAKEN, TAKEN_IN_UNIONS, WORDS};
use crate::emit::code::is_itself;
use crate::emit::shape::is_endless;
use crate::emit::{CsharpNames, Unit};

/// The namespaces that something of IDL is in, and its name there. What is within a struct has the
/// name of it in front.
pub(super) fn place(unit: &Unit<'_>, name: &str) -> (Vec<String>, String) {
    let (modules, local) = unit.split(name);
    let modules = modules.iter().map(|part| unit.word(part));
    let local = unit.word(&local);
    // No class has a member of its own name.
    let escape = if TAKEN.contains(&&*local) { "_" } else { "" };
    (modules.collect(), local + escape)
}

/// The full name of a type that IDL names, with an ending of its own.
pub(super) fn global(unit: &Unit<'_>, name: &str, ending: &'static str) -> String {
    unit.named(ending, name, || {
        let (modules, local) = place(unit, name);
        let path: String = modules.iter().map(|part| format!("{part}.")).collect();
        format!("global::{path}{}", ended(&local, ending))
    })
}

/// A name with an ending: then it is no keyword.
pub(super) fn ended(local: &str, ending: &str) -> String {
    match ending {
        "" => local.into(),
        _ => format!("{}{ending}", local.trim_start_matches('@')),
    }
}

/// A name of IDL as one of C# that begins with a capital: `position_x` is `PositionX`.
fn pascal(name: &str) -> String {
    let mut joined = String::with_capacity(name.len() + 1);
    for part in name.split('_') {
        let mut letters = part.chars();
        joined.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        joined.push_str(letters.as_str());
    }
    match joined.starts_with(|first: char| first.is_ascii_digit()) || joined.is_empty() {
        true => format!("_{joined}"),
        false => joined,
    }
}

/// The property of a member in the class of `of`: no class has a property of its own name.
pub(super) fn property(unit: &Unit<'_>, of: &DynamicType, member: &str) -> String {
    let mut name = match unit.choices.csharp_names {
        CsharpNames::Pascal => pascal(member),
        CsharpNames::Keep => member.into(),
    };
    // What a class is called ends with its name in IDL, with underscores behind it at most. It is
    // made only if it may be that of the property, for this is asked for each use of a property.
    let last = of.name().rsplit("::").next().unwrap_or_default();
    let may_be_class = name
        .trim_end_matches('_')
        .ends_with(last.trim_end_matches('_'));
    let class = may_be_class.then(|| place(unit, of.name()).1);
    // Words and names of parameters begin with a small letter.
    let is_capital = name.starts_with(|first: char| first.is_ascii_uppercase());
    let is_union = of.kind() == TypeKind::Union;
    while TAKEN.contains(&&*name)
        || is_union && TAKEN_IN_UNIONS.contains(&&*name)
        || !is_capital && (WORDS.contains(&&*name) || LOCAL.contains(&&*name))
        || class.as_ref() == Some(&name)
    {
        name.push('_');
    }
    name
}

/// The class of a constant, which has a member `Value`.
pub(super) fn constant(unit: &Unit<'_>, name: &str) -> (Vec<String>, String) {
    let (modules, local) = place(unit, name);
    let escape = if local == "Value" { "_" } else { "" };
    (modules, local + escape)
}

/// What holds the value of a property that is not only a value.
pub(super) fn field(property: &str) -> String {
    let mut letters = property.chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    format!("_{}{}", first.unwrap_or('_'), letters.as_str())
}

/// The type of a primitive value.
pub(super) fn primitive(kind: TypeKind) -> Option<&'static str> {
    Some(match kind {
        TypeKind::Boolean => "bool",
        TypeKind::Byte | TypeKind::UInt8 => "byte",
        TypeKind::Int8 => "sbyte",
        TypeKind::Int16 => "short",
        TypeKind::UInt16 => "ushort",
        TypeKind::Int32 => "int",
        TypeKind::UInt32 => "uint",
        TypeKind::Int64 => "long",
        TypeKind::UInt64 => "ulong",
        TypeKind::Float32 => "float",
        TypeKind::Float64 => "double",
        TypeKind::Float128 => "global::Dunlin.Float128",
        TypeKind::Char8 | TypeKind::Char16 => "char",
        _ => return None,
    })
}

/// The number that an enumeration or bitmask is.
pub(super) fn underlying(ty: &DynamicType) -> &'static str {
    let is_signed = ty.kind() == TypeKind::Enumeration;
    match (ty.number_size().unwrap_or(4), is_signed) {
        (1, true) => "sbyte",
        (1, false) => "byte",
        (2, true) => "short",
        (2, false) => "ushort",
        (8, true) => "long",
        (8, false) => "ulong",
        (_, true) => "int",
        (_, false) => "uint",
    }
}

/// Whether an element is a reference that begins as null, for else it would never end.
pub(super) fn is_null_at_first(ty: &DynamicType, element: Element) -> bool {
    element.is_external && is_endless(&ty.at(element.ty)) && is_reference(&ty.at(element.ty))
}

/// Whether values are objects.
pub(super) fn is_reference(ty: &DynamicType) -> bool {
    ty.resolved().number_size().is_none()
}

/// The type of a value.
pub(super) fn typed(unit: &Unit<'_>, ty: &DynamicType) -> String {
    let ty = ty.resolved();
    match ty.kind() {
        TypeKind::String8 | TypeKind::String16 => "string".into(),
        TypeKind::Array => {
            let (core, ranks) = array(unit, &ty);
            core + &ranks
        }
        TypeKind::Sequence => format!("global::Dunlin.Seq<{}>", element(unit, &ty, ty.element())),
        TypeKind::Map => format!(
            "global::System.Collections.Generic.SortedDictionary<{}, {}>",
            element(unit, &ty, ty.key_element()),
            element(unit, &ty, ty.element())
        ),
        kind => match primitive(kind) {
            Some(word) => word.into(),
            None => global(unit, ty.name(), ""),
        },
    }
}

/// The type of an element.
pub(super) fn element(unit: &Unit<'_>, ty: &DynamicType, of: Option<Element>) -> String {
    let Some(of) = of else { return "int".into() };
    let null = if is_null_at_first(ty, of) { "?" } else { "" };
    typed(unit, &ty.at(of.ty)) + null
}

/// An array as what is in it and the ranks: C# has the outer ones first.
fn array(unit: &Unit<'_>, ty: &DynamicType) -> (String, String) {
    let rank = format!("[{}]", ",".repeat(ty.dimensions().len().saturating_sub(1)));
    let Some(of) = ty.element() else {
        return ("int".into(), rank);
    };
    let inner = ty.at(of.ty).resolved();
    match inner.kind() {
        TypeKind::Array => {
            let (core, ranks) = array(unit, &inner);
            (core, rank + &ranks)
        }
        _ => (element(unit, ty, Some(of)), rank),
    }
}

/// A new value of a type.
pub(super) fn fresh(unit: &Unit<'_>, ty: &DynamicType, said: Option<&Constant>) -> String {
    let of = ty.resolved();
    match of.kind() {
        TypeKind::Array => fresh_array(unit, &of),
        TypeKind::Map => format!("new {}({})", typed(unit, &of), order(&of)),
        TypeKind::String8 | TypeKind::String16 => match said {
            Some(Constant::String8(text) | Constant::String16(text)) => literal(text),
            _ => "\"\"".into(),
        },
        _ if of.number_size().is_some() => super::constant::number(unit, &of, said),
        _ => format!("new {}()", typed(unit, &of)),
    }
}

fn fresh_array(unit: &Unit<'_>, ty: &DynamicType) -> String {
    let (core, ranks) = array(unit, ty);
    let lengths: Vec<String> = ty.dimensions().iter().map(u32::to_string).collect();
    let inner = ranks.split_once(']').map_or("", |(_, rest)| rest);
    let plain = format!("new {core}[{}]{inner}", lengths.join(", "));
    let Some(of) = ty.element() else { return plain };
    let element_type = ty.at(of.ty).resolved();
    let made = fresh(unit, &element_type, None);
    let is_zero = match element_type.kind() {
        TypeKind::Enumeration => element_type
            .default_literal()
            .is_none_or(|one| one.value() == 0),
        _ => element_type.number_size().is_some(),
    };
    if is_zero || is_null_at_first(ty, of) {
        return plain;
    }
    let types = format!("{}, {}", typed(unit, ty), element(unit, ty, Some(of)));
    format!("global::Dunlin.Cdr.Values.Filled<{types}>({plain}, () => {made})")
}

/// How a map compares its keys, if not as usual.
fn order(ty: &DynamicType) -> &'static str {
    let key = ty.key_element().map(|of| ty.at(of.ty).resolved().kind());
    match key {
        Some(TypeKind::String8) => "global::Dunlin.Cdr.TextOrder.Utf8",
        Some(TypeKind::String16) => "global::System.StringComparer.Ordinal",
        _ => "",
    }
}

/// Whether a property may be null.
pub(super) fn is_nullable(ty: &DynamicType, member: &Member) -> bool {
    member.is_optional() || is_null_at_first(ty, member.element())
}

/// A text as a literal.
pub(super) fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    if text.bytes().all(is_itself) {
        out.push_str(text);
        out.push('"');
        return out;
    }
    for unit in text.encode_utf16() {
        match char::from_u32(unit.into()) {
            Some(one @ ('"' | '\\')) => {
                out.push('\\');
                out.push(one);
            }
            Some(one @ ' '..='~') => out.push(one),
            _ => out.push_str(&format!("\\u{unit:04x}")),
        }
    }
    out.push('"');
    out
}
