//! `<types>` as IDL, which the front end of the IDL compiler checks and makes types of.
use super::includes::{Includes, types_of};
use crate::config::idl::mistake;
use crate::types::Types;
use dunlin::xtypes::TypeKind;
use dunlin_document::{Document, Element, Problem, Problems};
use dunlin_idlc::{Options, parse_str};
use std::fmt::Write as _;

/// Whose word it is.
const SOURCE: &str = "<types>";
/// Types of DDS-XTypes 1.3 7.3.3 and of RTI, and what they are in IDL.
const BASIC: [(&str, &str); 26] = [
    ("boolean", "boolean"),
    ("byte", "octet"),
    ("octet", "octet"),
    ("char", "char"),
    ("char8", "char"),
    ("wchar", "wchar"),
    ("char16", "wchar"),
    ("int8", "int8"),
    ("uint8", "uint8"),
    ("int16", "int16"),
    ("uint16", "uint16"),
    ("int32", "int32"),
    ("uint32", "uint32"),
    ("int64", "int64"),
    ("uint64", "uint64"),
    ("short", "int16"),
    ("unsignedShort", "uint16"),
    ("long", "int32"),
    ("unsignedLong", "uint32"),
    ("longLong", "int64"),
    ("unsignedLongLong", "uint64"),
    ("float", "float"),
    ("float32", "float"),
    ("double", "double"),
    ("float64", "double"),
    ("longDouble", "long double"),
];

/// The structures and unions of all documents. What is not understood is a warning, and there are none then.
pub(super) fn types(documents: &[Document], includes: &Includes, problems: &mut Problems) -> Types {
    let mut types = Types::default();
    for element in documents.iter().flat_map(types_of) {
        let mut text = String::new();
        let written = scope(element, includes, &mut text);
        let made = written.and_then(|()| add(&text, &mut types));
        if let Err(why) = made {
            let message = format!("of <types> only keys are known: {why}");
            problems.push(Problem::warning(element.span(), message));
        }
    }
    types
}

fn add(text: &str, types: &mut Types) -> Result<(), String> {
    let parsed = parse_str("types.idl", text, &Options::default());
    let model = parsed.model.as_ref().ok_or_else(|| mistake(&parsed))?;
    for ty in model.tree.types() {
        if matches!(ty.kind(), TypeKind::Structure | TypeKind::Union) {
            let name = ty.name().to_owned();
            types.add(&name, ty, SOURCE);
        }
    }
    Ok(())
}

fn scope(element: Element<'_>, includes: &Includes, out: &mut String) -> Result<(), String> {
    for child in element.children() {
        let name =
            || attribute(child, "name").ok_or_else(|| format!("{} has no name", child.name()));
        match child.name() {
            "module" => {
                let _ = write!(out, "module {} {{ ", name()?);
                scope(child, includes, out)?;
                out.push_str("};\n");
            }
            "struct" | "valuetype" => structure(child, name()?, out)?,
            "union" => union(child, name()?, out)?,
            "enum" => enumeration(child, name()?, out)?,
            "bitmask" => bitmask(child, name()?, out)?,
            "bitset" => bitset(child, name()?, out)?,
            "typedef" => {
                let _ = writeln!(out, "typedef {};", declared(child, name()?)?);
            }
            "const" => {
                let ty = basic(attribute(child, "type").unwrap_or_default())?;
                let value = attribute(child, "value").unwrap_or_default();
                let _ = writeln!(out, "const {ty} {} = {value};", name()?);
            }
            "include" => {
                let mut all = includes.get(child).into_iter();
                all.try_for_each(|types| scope(types, includes, out))?;
            }
            "forward_dcl" | "directive" => {}
            other => return Err(format!("{other} is not read")),
        }
    }
    Ok(())
}

fn attribute<'d>(element: Element<'d>, name: &str) -> Option<&'d str> {
    element.attribute(name).map(|value| value.text)
}

fn is_true(element: Element<'_>, name: &str) -> bool {
    matches!(attribute(element, name), Some("true" | "1" | "yes"))
}

/// How a type may grow; appendable if nothing is said.
fn extensibility(element: Element<'_>) -> Result<&'static str, String> {
    match attribute(element, "extensibility") {
        None | Some("append" | "appendable" | "extensible") => Ok("@appendable"),
        Some("final") => Ok("@final"),
        Some("mutable") => Ok("@mutable"),
        Some(other) => Err(format!("extensibility {other:?} is none")),
    }
}

fn structure(element: Element<'_>, name: &str, out: &mut String) -> Result<(), String> {
    type_annotations(element, out)?;
    let _ = write!(out, "struct {name}");
    let base = attribute(element, "baseType").or_else(|| attribute(element, "baseClass"));
    if let Some(base) = base.filter(|base| !base.is_empty()) {
        let _ = write!(out, " : {base}");
    }
    out.push_str(" {\n");
    for member in element.children() {
        if member.name() != "member" {
            continue;
        }
        let _ = writeln!(out, "{};", member_of(member)?);
    }
    out.push_str("};\n");
    Ok(())
}

/// What is said of a type before its name.
fn type_annotations(element: Element<'_>, out: &mut String) -> Result<(), String> {
    let _ = write!(out, "{} ", extensibility(element)?);
    if is_true(element, "nested") {
        out.push_str("@nested ");
    }
    match attribute(element, "autoid") {
        None => {}
        Some("hash" | "HASH") => out.push_str("@autoid(HASH) "),
        Some("sequential" | "SEQUENTIAL") => out.push_str("@autoid(SEQUENTIAL) "),
        Some(other) => return Err(format!("autoid {other:?} is neither hash nor sequential")),
    }
    Ok(())
}

/// A member with what is said of it: `@key @id(3) long x`.
fn member_of(member: Element<'_>) -> Result<String, String> {
    let name = attribute(member, "name").ok_or("a member has no name")?;
    let mut out = String::new();
    for (attribute, annotation) in [
        ("key", "@key "),
        ("optional", "@optional "),
        ("mustUnderstand", "@must_understand "),
        ("external", "@external "),
    ] {
        if is_true(member, attribute) {
            out.push_str(annotation);
        }
    }
    for (name, annotation) in [("id", "id"), ("min", "min"), ("max", "max")] {
        if let Some(value) = attribute(member, name) {
            let _ = write!(out, "@{annotation}({value}) ");
        }
    }
    if let Some(hashed) = attribute(member, "hashid") {
        let _ = write!(out, "@hashid({}) ", quoted(hashed));
    }
    if let Some(value) = attribute(member, "default") {
        let value = match attribute(member, "type") {
            Some("string" | "wstring") => quoted(value),
            _ => value.to_owned(),
        };
        let _ = write!(out, "@default({value}) ");
    }
    out.push_str(&declared(member, name)?);
    Ok(out)
}

/// A text as IDL has it.
fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{text}\"")
}

fn union(element: Element<'_>, name: &str, out: &mut String) -> Result<(), String> {
    let discriminator = element.children().find(|c| c.name() == "discriminator");
    let discriminator = discriminator.ok_or_else(|| format!("{name} has no discriminator"))?;
    let key = match is_true(discriminator, "key") {
        true => "@key ",
        false => "",
    };
    let ty = plain(discriminator, name)?;
    type_annotations(element, out)?;
    let _ = writeln!(out, "union {name} switch ({key}{ty}) {{");
    for case in element.children().filter(|c| c.name() == "case") {
        for label in case.children().filter(|c| c.name() == "caseDiscriminator") {
            match attribute(label, "value").unwrap_or_default() {
                "default" => out.push_str("default: "),
                // An enumerator is in RTI's files the one in parentheses, too.
                value => {
                    let value = value.trim().trim_matches(['(', ')']);
                    let _ = write!(out, "case {value}: ");
                }
            }
        }
        let member = case.children().find(|c| c.name() == "member");
        let member = member.ok_or_else(|| format!("a case of {name} has no member"))?;
        let _ = writeln!(out, "{};", member_of(member)?);
    }
    out.push_str("};\n");
    Ok(())
}

/// The first of these attributes that is there: vendors differ.
fn either<'d>(element: Element<'d>, names: &[&str]) -> Option<&'d str> {
    names.iter().find_map(|name| attribute(element, name))
}

fn bitmask(element: Element<'_>, name: &str, out: &mut String) -> Result<(), String> {
    if let Some(bits) = either(element, &["bitBound", "bit_bound"]) {
        let _ = write!(out, "@bit_bound({bits}) ");
    }
    let _ = write!(out, "bitmask {name} {{ ");
    let flags = element.children();
    let flags = flags.filter(|c| ["flag", "bit_value"].contains(&c.name()));
    for (at, flag) in flags.enumerate() {
        let name = attribute(flag, "name").ok_or("a flag has no name")?;
        if at > 0 {
            out.push_str(", ");
        }
        if let Some(position) = either(flag, &["position", "value"]) {
            let _ = write!(out, "@position({position}) ");
        }
        out.push_str(name);
    }
    out.push_str(" };\n");
    Ok(())
}

fn bitset(element: Element<'_>, name: &str, out: &mut String) -> Result<(), String> {
    let _ = write!(out, "bitset {name}");
    if let Some(base) = attribute(element, "baseType").filter(|base| !base.is_empty()) {
        let _ = write!(out, " : {base}");
    }
    out.push_str(" {\n");
    for field in element.children().filter(|c| c.name() == "bitfield") {
        let bits = either(field, &["bitCount", "bitcount", "bitBound", "bit_bound"]);
        let bits = bits.ok_or_else(|| format!("a bit field of {name} has no bitCount"))?;
        match attribute(field, "type") {
            Some(ty) => drop(write!(out, "bitfield<{bits}, {}>", basic(ty)?)),
            None => drop(write!(out, "bitfield<{bits}>")),
        }
        // Without a name it is room that nobody uses.
        let _ = writeln!(out, " {};", attribute(field, "name").unwrap_or_default());
    }
    out.push_str("};\n");
    Ok(())
}

fn enumeration(element: Element<'_>, name: &str, out: &mut String) -> Result<(), String> {
    if let Some(bits) = attribute(element, "bitBound") {
        let _ = write!(out, "@bit_bound({bits}) ");
    }
    let _ = write!(out, "{} enum {name} {{ ", extensibility(element)?);
    let literals = element.children().filter(|c| c.name() == "enumerator");
    for (at, literal) in literals.enumerate() {
        let name = attribute(literal, "name").ok_or("an enumerator has no name")?;
        if at > 0 {
            out.push_str(", ");
        }
        if let Some(value) = attribute(literal, "value") {
            let _ = write!(out, "@value({value}) ");
        }
        if is_true(literal, "defaultLiteral") {
            out.push_str("@default_literal ");
        }
        out.push_str(name);
    }
    out.push_str(" };\n");
    Ok(())
}

fn basic(name: &str) -> Result<&'static str, String> {
    let found = BASIC.iter().find(|(xml, _)| *xml == name);
    let found = found.map(|(_, idl)| *idl);
    found.ok_or_else(|| format!("{name:?} is no type that is read"))
}

/// Bounds of nothing are none.
fn bound<'d>(element: Element<'d>, name: &str) -> Option<&'d str> {
    attribute(element, name).filter(|bound| !matches!(*bound, "-1" | "0"))
}

/// A type by the attributes of these names: which it is, its bound if it is a string, and its name
/// if it is none of the language's.
fn named(element: Element<'_>, [ty, length, other]: [&str; 3], of: &str) -> Result<String, String> {
    match attribute(element, ty).unwrap_or_default() {
        string @ ("string" | "wstring") => Ok(match bound(element, length) {
            Some(bound) => format!("{string}<{bound}>"),
            None => string.to_owned(),
        }),
        "nonBasic" => {
            let name = attribute(element, other).ok_or_else(|| format!("{of} has no {other}"))?;
            Ok(name.to_owned())
        }
        name => basic(name).map(str::to_owned),
    }
}

/// The type of an element without collections.
fn plain(element: Element<'_>, of: &str) -> Result<String, String> {
    named(element, ["type", "stringMaxLength", "nonBasicTypeName"], of)
}

/// A type and a name: `sequence<string<8>, 4> names[2]`.
fn declared(element: Element<'_>, name: &str) -> Result<String, String> {
    let mut ty = plain(element, name)?;
    if attribute(element, "sequenceMaxLength").is_some() {
        ty = match bound(element, "sequenceMaxLength") {
            Some(bound) => format!("sequence<{ty}, {bound}>"),
            None => format!("sequence<{ty}>"),
        };
    }
    if attribute(element, "mapKeyType").is_some() {
        let key = [
            "mapKeyType",
            "mapKeyStringMaxLength",
            "mapKeyNonBasicTypeName",
        ];
        let key = named(element, key, name)?;
        ty = match bound(element, "mapMaxLength") {
            Some(bound) => format!("map<{key}, {ty}, {bound}>"),
            None => format!("map<{key}, {ty}>"),
        };
    }
    let dimensions = attribute(element, "arrayDimensions").unwrap_or_default();
    let dimensions = dimensions
        .split(',')
        .map(str::trim)
        .filter(|d| !d.is_empty());
    let dimensions: String = dimensions.map(|d| format!("[{d}]")).collect();
    Ok(format!("{ty} {name}{dimensions}"))
}
