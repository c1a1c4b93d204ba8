//! What types are called in C, and how things of them are declared.

use dunlin_xtypes::{DynamicType, Element, TypeKind};

use super::cpp98;
use super::keywords::FUNCTIONS;
use crate::emit::Unit;

/// Whether strings, sequences and members behind pointers are classes, which own what they have.
pub(super) fn has_classes(unit: &Unit<'_>) -> bool {
    unit.language.name == cpp98::LANGUAGE.name
}

/// What is before a function that other files may call.
pub(super) fn linkage(unit: &Unit<'_>) -> &'static str {
    match has_classes(unit) {
        true => "DUNLIN_CDR_LOCAL ",
        false => "",
    }
}

/// The name of a type that IDL names, or of a constant.
pub(super) fn global(unit: &Unit<'_>, name: &str) -> String {
    unit.named("flat", name, || {
        let made = unit.escaped(name.replace("::", "_"));
        match has_classes(unit) && FUNCTIONS.contains(&&*made) {
            true => (unit.language.escape)(&made),
            false => made,
        }
    })
}

/// A type that IDL names where something of it is declared.
pub(super) fn typed(unit: &Unit<'_>, name: &str) -> String {
    match has_classes(unit) {
        true => cpp98::qualified(unit, name),
        false => global(unit, name),
    }
}

/// The type of one number.
pub(super) fn number(unit: &Unit<'_>, ty: &DynamicType) -> String {
    match primitive(ty.kind()) {
        Some(word) => word.into(),
        None => typed(unit, ty.name()),
    }
}

/// Declares what selects the case of a union: any number, also one that is no enumerator.
pub(super) fn selector(unit: &Unit<'_>, ty: &DynamicType, inner: &str) -> String {
    match ty.resolved().kind() {
        TypeKind::Enumeration => format!("int32_t {inner}"),
        _ => declare(unit, ty, inner),
    }
}

/// What makes a number one of the type.
pub(super) fn cast(unit: &Unit<'_>, ty: &DynamicType) -> String {
    match ty.resolved().kind() {
        TypeKind::Enumeration => format!("({})", declare(unit, ty, "")),
        _ => String::new(),
    }
}

/// What makes a pointer one to elements of a type; C needs nothing of the kind.
pub(super) fn pointer_cast(unit: &Unit<'_>, declared: &str, name: &str) -> String {
    match has_classes(unit) {
        true => format!("({})", declared.replacen(&format!("*{name}"), "*", 1)),
        false => "(void *)".into(),
    }
}

/// The type of a primitive value.
pub(super) fn primitive(kind: TypeKind) -> Option<&'static str> {
    Some(match kind {
        TypeKind::Boolean => "bool",
        TypeKind::Byte | TypeKind::UInt8 => "uint8_t",
        TypeKind::Int8 => "int8_t",
        TypeKind::Int16 => "int16_t",
        TypeKind::UInt16 | TypeKind::Char16 => "uint16_t",
        TypeKind::Int32 => "int32_t",
        TypeKind::UInt32 => "uint32_t",
        TypeKind::Int64 => "int64_t",
        TypeKind::UInt64 => "uint64_t",
        TypeKind::Float32 => "float",
        TypeKind::Float64 => "double",
        TypeKind::Float128 => "dunlin_float128",
        TypeKind::Char8 => "char",
        _ => return None,
    })
}

/// Whether values have a string of fixed room: `char[N + 1]`.
pub(super) fn is_text_within(ty: &DynamicType) -> bool {
    let ty = ty.resolved();
    ty.kind() == TypeKind::String8 && ty.bound().is_some()
}

/// Whether it is a string.
pub(super) fn is_text(ty: &DynamicType) -> bool {
    ty.resolved().kind() == TypeKind::String8
}

/// Declares something of a type: `inner` is its name, or what is around it.
pub(super) fn declare(unit: &Unit<'_>, ty: &DynamicType, inner: &str) -> String {
    let sized = |of: &str| match inner.starts_with('*') {
        true => format!("({inner}){of}"),
        false => format!("{inner}{of}"),
    };
    let spaced = |word: &str| declared(word, inner);
    match ty.kind() {
        TypeKind::String8 if has_classes(unit) => spaced("::DDS::String"),
        TypeKind::String16 if has_classes(unit) => spaced("::DDS::WString"),
        TypeKind::String8 => match ty.bound() {
            Some(bound) => format!("char {}", sized(&format!("[{}]", u64::from(bound) + 1))),
            None => format!("char *{inner}"),
        },
        TypeKind::String16 => spaced("dunlin_wstring"),
        TypeKind::Array => {
            let lengths = ty.dimensions().iter().map(|length| format!("[{length}]"));
            let inner = sized(&lengths.collect::<String>());
            match ty.element() {
                Some(of) => declare_element(unit, ty, of, &inner),
                None => inner,
            }
        }
        TypeKind::Sequence | TypeKind::Map => spaced(&collection(unit, ty)),
        TypeKind::Alias | TypeKind::Structure | TypeKind::Union => spaced(&typed(unit, ty.name())),
        _ => spaced(&number(unit, ty)),
    }
}

/// The same for what is held as an element: `@external` ones are pointers.
pub(super) fn declare_element(
    unit: &Unit<'_>,
    of: &DynamicType,
    element: Element,
    inner: &str,
) -> String {
    declare_held(unit, &of.at(element.ty), element.is_external, inner)
}

/// The same for what may be a pointer. That to a string is the string.
pub(super) fn declare_held(
    unit: &Unit<'_>,
    ty: &DynamicType,
    is_pointer: bool,
    inner: &str,
) -> String {
    match is_pointer {
        false => declare(unit, ty, inner),
        true if has_classes(unit) => {
            let owned = cpp98::template("::DDS::Owned", &[declare(unit, ty, "")]);
            declared(&owned, inner)
        }
        true if is_text(ty) => format!("char *{inner}"),
        true => declare(unit, ty, &format!("*{inner}")),
    }
}

/// A name of a type, and what is declared of it.
fn declared(word: &str, inner: &str) -> String {
    match inner.is_empty() {
        true => word.into(),
        false => format!("{word} {inner}"),
    }
}

/// The function that does something with a sequence or map.
pub(super) fn of_collection(unit: &Unit<'_>, ty: &DynamicType, function: &str) -> String {
    match has_classes(unit) {
        true => format!("dunlin_cdr_{function}"),
        false => format!("{}_{function}", collection(unit, ty)),
    }
}

/// The struct of a sequence or map.
pub(super) fn collection(unit: &Unit<'_>, ty: &DynamicType) -> String {
    if has_classes(unit) {
        return cpp98::collection(unit, ty);
    }
    let part =
        |of: Option<Element>| of.map_or_else(String::new, |of| mangled_element(unit, ty, of));
    match ty.kind() {
        TypeKind::Map => format!(
            "dunlin_map_{}_{}",
            part(ty.key_element()),
            part(ty.element())
        ),
        _ => match part(ty.element()) {
            octet if octet == "octet" => "dunlin_octet_member".into(),
            element => format!("dunlin_sequence_{element}"),
        },
    }
}

fn mangled_element(unit: &Unit<'_>, of: &DynamicType, element: Element) -> String {
    let name = mangled(unit, &of.at(element.ty));
    match element.is_external {
        true => format!("external_{name}"),
        false => name,
    }
}

/// A type as part of a name.
fn mangled(unit: &Unit<'_>, ty: &DynamicType) -> String {
    let element = || match ty.element() {
        Some(of) => mangled_element(unit, ty, of),
        None => String::new(),
    };
    let word = match ty.kind() {
        TypeKind::Boolean => "boolean",
        TypeKind::Byte => "octet",
        TypeKind::Int8 => "int8",
        TypeKind::UInt8 => "uint8",
        TypeKind::Int16 => "int16",
        TypeKind::UInt16 => "uint16",
        TypeKind::Int32 => "int32",
        TypeKind::UInt32 => "uint32",
        TypeKind::Int64 => "int64",
        TypeKind::UInt64 => "uint64",
        TypeKind::Float32 => "float",
        TypeKind::Float64 => "double",
        TypeKind::Float128 => "float128",
        TypeKind::Char8 => "char",
        TypeKind::Char16 => "wchar",
        TypeKind::String16 => "wstring",
        TypeKind::String8 => match ty.bound() {
            Some(bound) => return format!("string_{bound}"),
            None => "string",
        },
        TypeKind::Sequence | TypeKind::Map => {
            let name = collection(unit, ty);
            return name.replacen("dunlin_", "", 1);
        }
        TypeKind::Array => {
            let lengths = ty.dimensions().iter().map(|length| format!("{length}_"));
            return format!("array_{}{}", lengths.collect::<String>(), element());
        }
        _ => return named(&ty.name().replace("::", "_")),
    };
    word.into()
}

/// Names of IDL do not look like those that are made here.
fn named(name: &str) -> String {
    const WORDS: &[&str] = &[
        "boolean",
        "octet",
        "int",
        "uint",
        "float",
        "double",
        "char",
        "wchar",
        "wstring",
        "string",
        "sequence",
        "octet_member",
        "map",
        "array",
        "external",
    ];
    let begin = name.trim_end_matches(|one: char| one.is_ascii_digit());
    let first = name.split('_').next().unwrap_or_default();
    match WORDS.contains(&begin) || WORDS.contains(&first) {
        true => format!("named_{name}"),
        false => name.into(),
    }
}

/// The sequences that `dunlin/types.h` has.
pub(super) fn is_provided(name: &str) -> bool {
    const PROVIDED: &[&str] = &[
        "boolean", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
        "float", "double", "float128", "char", "wchar", "string", "wstring",
    ];
    let element = name.strip_prefix("dunlin_sequence_");
    name == "dunlin_octet_member" || element.is_some_and(|element| PROVIDED.contains(&element))
}

/// Whether values of a type are octets that may be counted: `dunlin_octet_member`, `OctetSeq`.
pub(super) fn are_octets(ty: &DynamicType) -> bool {
    let ty = ty.resolved();
    let element = ty.element().filter(|of| !of.is_external);
    ty.kind() == TypeKind::Sequence
        && element.is_some_and(|of| ty.at(of.ty).kind() == TypeKind::Byte)
}

/// Whether a value has memory of its own behind pointers, or a part that decides about others.
pub(super) fn has_memory(ty: &DynamicType) -> bool {
    let mut seen = Vec::new();
    memory(ty, &mut seen)
}

fn memory(ty: &DynamicType, seen: &mut Vec<dunlin_xtypes::TypeIndex>) -> bool {
    let ty = ty.resolved();
    if ty.number_size().is_some() || seen.contains(&ty.index()) {
        return false;
    }
    match ty.kind() {
        TypeKind::String8 => ty.bound().is_none(),
        TypeKind::Array => ty
            .element()
            .is_some_and(|of| of.is_external || memory(&ty.at(of.ty), seen)),
        TypeKind::Structure => {
            seen.push(ty.index());
            ty.members().any(|member| {
                let of = member.element();
                member.is_optional() || of.is_external || memory(&ty.at(of.ty), seen)
            })
        }
        _ => true,
    }
}
