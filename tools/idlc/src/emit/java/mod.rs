//! Java: a class for each type, in the package of its modules, with a `TYPE` that writes and reads
//! values.
//!
//! The codec follows the types, not the steps of a plan: one method serves both encodings, and the
//! library aligns. The just-in-time compiler makes of it what the steps would say.

mod code;
mod constant;
mod names;
mod number;
mod package;
mod range;
mod read;
mod structure;
mod types;
mod union;
mod value;
mod view;
mod write;

use std::collections::BTreeSet;

use dunlin_cdr::Extensibility;
use dunlin_xtypes::{DynamicType, EquivalenceKind, TypeIndex, TypeKind};

use super::{File, Language, Scope, Unit, shape};
use crate::model::NamedType;
use crate::report::codes;
use code::Code;
pub use package::{JavaPackage, NoPackage};

pub(super) const LANGUAGE: Language = Language {
    name: "java",
    aliases: &[],
    comment: "//",
    verbatim: &["java"],
    keywords: &[names::KEYWORDS],
    escape: |name| format!("_{name}"),
    emit,
};

/// Where the classes of the library are.
const LIBRARY: &str = "org.dunlin.type";

/// What lints would say about generated code is said about the IDL.
const ALLOW: &str = "@SuppressWarnings({\"unchecked\", \"rawtypes\", \"cast\"})";

fn emit(unit: &mut Unit<'_>) -> Vec<File> {
    check_names(unit);
    let mut files = Vec::new();
    for one in unit.constants() {
        let text = constant::class(unit, one);
        files.push(file(unit, &one.name, text));
    }
    for entry in unit.types() {
        let Some(ty) = unit.model.ty(entry) else {
            continue;
        };
        let mut code = Code::default();
        match ty.kind() {
            TypeKind::Structure => structure::class(unit, &mut code, entry, &ty),
            TypeKind::Union => union::class(unit, &mut code, entry, &ty),
            TypeKind::Enumeration => number::enumeration(unit, &mut code, entry, &ty),
            TypeKind::Bitmask => number::bitmask(unit, &mut code, entry, &ty),
            TypeKind::Bitset => number::bitset(unit, &mut code, entry, &ty),
            // Typedefs are unrolled.
            _ => continue,
        }
        files.push(file(unit, ty.name(), code.finish()));
        files.extend(view::file(unit, &ty));
    }
    files
}

/// The file of a public class.
fn file(unit: &Unit<'_>, name: &str, text: String) -> File {
    let (package, class) = names::place(unit, name);
    let head = match package.is_empty() {
        true => String::new(),
        false => format!("package {};\n\n", package.join(".")),
    };
    let folder: String = package.iter().map(|part| format!("{part}/")).collect();
    File {
        name: format!("{folder}{class}.java"),
        text: format!("{}{head}{text}", unit.header),
    }
}

/// Documentation, annotations and the texts of `@verbatim` in front of a class.
fn head(unit: &Unit<'_>, code: &mut Code, entry: &NamedType, head: &str) {
    unit.verbatim(entry, "begin-file")
        .chain(unit.verbatim(entry, "before-declaration"))
        .for_each(|text| code.line(text));
    code.docs(entry.docs.as_deref());
    code.line(ALLOW);
    code.line(format_args!("public {head} {{"));
    code.deeper();
    unit.verbatim(entry, "begin-declaration")
        .for_each(|text| code.line(text));
}

/// The end of a class.
fn tail(unit: &Unit<'_>, code: &mut Code, entry: &NamedType) {
    unit.verbatim(entry, "end-declaration")
        .for_each(|text| code.line(text));
    code.shallower();
    code.line("}");
    unit.verbatim(entry, "after-declaration")
        .chain(unit.verbatim(entry, "end-file"))
        .for_each(|text| code.line(text));
}

/// The documentation of a member by its number.
fn member_docs(entry: &NamedType, number: usize) -> Option<&str> {
    entry.member_docs.get(number).and_then(Option::as_deref)
}

fn extensibility(ty: &DynamicType) -> &'static str {
    match ty.extensibility() {
        Extensibility::Final => "FINAL",
        Extensibility::Appendable => "APPENDABLE",
        Extensibility::Mutable => "MUTABLE",
    }
}

/// Begins the `TYPE` of a class, with what all of them have.
fn type_support(unit: &Unit<'_>, code: &mut Code, ty: &DynamicType) {
    let class = names::qualified(unit, ty.name());
    let is_keyed = shape::is_keyed(ty);
    code.line("");
    code.docs(Some("What the library knows of the type."));
    code.line(format_args!(
        "public static final {LIBRARY}.TypeSupport<{class}> TYPE = new {LIBRARY}.TypeSupport<>("
    ));
    code.deeper();
    code.deeper();
    let objects = objects(ty);
    code.line(format_args!(
        "{}, {LIBRARY}.Extensibility.{}, {is_keyed}{}",
        code::literal(ty.name()),
        extensibility(ty),
        if objects.is_empty() { ") {" } else { "," }
    ));
    let last = objects.len().saturating_sub(1);
    for (at, lines) in objects.iter().enumerate() {
        let end = if at == last { ") {" } else { "," };
        let lines: Vec<String> = lines.iter().map(|line| format!("\"{line}\"")).collect();
        code.line(format_args!("{}{end}", lines.join("\n            + ")));
    }
    code.shallower();
    code.line("@Override");
    code.braces(format_args!("public {class} create()"), |code| {
        code.line(format_args!("return new {class}();"));
    });
    code.line("@Override");
    code.braces(format_args!("public {class} copy({class} value)"), |code| {
        code.line("return value.copy();");
    });
}

fn type_support_end(code: &mut Code) {
    code.shallower();
    code.line("};");
}

/// The TypeObjects in hexadecimal: constants of a class are limited, and so are lines.
fn objects(ty: &DynamicType) -> Vec<Vec<String>> {
    let Ok(objects) = ty.type_objects(EquivalenceKind::Complete) else {
        return Vec::new();
    };
    let rows = objects.to_sequence();
    let rows: Vec<String> = rows
        .chunks(48)
        .map(|row| row.iter().map(|byte| format!("{byte:02x}")).collect())
        .collect();
    rows.chunks(500).map(<[String]>::to_vec).collect()
}

/// Reports names that are equal in Java, and types that cannot be named from where they are used.
fn check_names(unit: &mut Unit<'_>) {
    let mut all = Scope::default();
    let mut reports = Vec::new();
    let types = unit.types().filter_map(|entry| {
        let ty = unit.model.ty(entry)?;
        let is_class = ty.kind() != TypeKind::Alias;
        is_class.then_some((entry, ty))
    });
    let types: Vec<(&NamedType, DynamicType)> = types.collect();
    for one in unit.constants() {
        let made = names::qualified(unit, &one.name);
        reports.extend(all.take(&made, &one.name, one.span));
    }
    for (entry, ty) in &types {
        let made = names::qualified(unit, ty.name());
        reports.extend(all.take(&made, ty.name(), entry.span));
        if view::file(unit, ty).is_some() {
            let made = names::qualified(unit, &view::name(ty));
            let idl = format!("the view of {}", ty.name());
            reports.extend(all.take(&made, &idl, entry.span));
        }
        let mut members = Scope::default();
        for (at, (name, made)) in member_names(unit, ty).into_iter().enumerate() {
            let span = entry.member_spans.get(at).copied().unwrap_or(entry.span);
            reports.extend(members.take(&made, &format!("{}::{name}", ty.name()), span));
        }
    }
    unit.reports.extend(reports);
    for (entry, ty) in types {
        let is_packed = !names::place(unit, ty.name()).0.is_empty();
        let mut seen = BTreeSet::new();
        let unreachable = is_packed.then(|| unpacked(unit, &ty, &mut seen)).flatten();
        if let Some(name) = unreachable {
            let message = format!(
                "{name} is in no module, so that Java cannot name it in {}: put it into a module",
                ty.name()
            );
            unit.report(codes::NOT_IN_LANGUAGE, entry.span, message);
        }
    }
}

/// Own members, cases, literals, flags or fields, and what they are in Java.
fn member_names(unit: &Unit<'_>, ty: &DynamicType) -> Vec<(String, String)> {
    let pair = |name: &str| (name.to_string(), names::member(unit, name));
    match ty.kind() {
        TypeKind::Structure => ty
            .own_members()
            .iter()
            .map(|one| pair(one.name()))
            .collect(),
        TypeKind::Union => {
            let accessor = |name: &str| (name.to_string(), names::accessor("get", name));
            ty.cases().iter().map(|one| accessor(one.name())).collect()
        }
        TypeKind::Enumeration => ty.literals().iter().map(|one| pair(one.name())).collect(),
        TypeKind::Bitmask => ty.flags().iter().map(|one| pair(one.name())).collect(),
        _ => {
            let named = ty.fields().iter().filter(|one| !one.name().is_empty());
            named.map(|one| pair(one.name())).collect()
        }
    }
}

/// A type without a package that a type refers to.
fn unpacked(unit: &Unit<'_>, ty: &DynamicType, seen: &mut BTreeSet<TypeIndex>) -> Option<String> {
    let ty = ty.resolved();
    let is_named = matches!(
        ty.kind(),
        TypeKind::Structure
            | TypeKind::Union
            | TypeKind::Enumeration
            | TypeKind::Bitmask
            | TypeKind::Bitset
    );
    if is_named && names::place(unit, ty.name()).0.is_empty() {
        return Some(ty.name().to_string());
    }
    if !seen.insert(ty.index()) || is_named && seen.len() > 1 {
        return None;
    }
    let members = ty.members().map(|member| member.element());
    let cases = ty.cases().iter().filter_map(|case| case.element());
    let elements = ty.key_element().into_iter().chain(ty.element());
    let all = members.chain(cases).chain(elements);
    let all: Vec<TypeIndex> = all.chain(ty.discriminator()).map(|of| of.ty).collect();
    all.into_iter()
        .find_map(|index| unpacked(unit, &ty.at(index), seen))
}
