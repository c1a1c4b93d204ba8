//! What is made of our own files, as it is written in `emit/`; the test `rust` compiles it.
//!
//! `DUNLIN_BLESS=1 cargo test -p dunlin-idlc --test emit` writes what comes out into the expected
//! files; look at the difference before it is kept.

mod files;
mod ranges;
mod values;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use dunlin_idlc::emit::{self, Choices, CsharpNames, Emitted, File};
use dunlin_idlc::{Options, Parsed, parse_str};
use dunlin_xtypes::{EquivalenceKind, TypeIdentifier};
use files::{corpus, options, parse};
use serde_json::Value as Json;

/// All files that code is made of: the corpus, those of this test, the vectors.
fn inputs() -> BTreeMap<String, (Parsed, Options)> {
    let mut inputs = BTreeMap::new();
    let stem = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_string();
    for path in corpus("good").into_iter().chain(corpus("emit")) {
        let text = fs::read(&path).unwrap();
        let options = options(&String::from_utf8_lossy(&text));
        inputs.insert(stem(&path), (parse(&path), options));
    }
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/types");
    for entry in fs::read_dir(vectors).unwrap() {
        let path = entry.unwrap().path();
        let vector: Json = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let lines = vector["idl"].as_array().unwrap();
        let lines: Vec<&str> = lines.iter().map(|line| line.as_str().unwrap()).collect();
        let name = format!("vector_{}", stem(&path));
        let options = Options::default();
        let parsed = parse_str(&format!("{name}.idl"), &lines.join("\n"), &options);
        inputs.insert(name, (parsed, options));
    }
    inputs
}

fn made(parsed: &Parsed, options: &Options, language: &str) -> Emitted {
    let choices = Choices {
        all: true,
        ..Choices::default()
    };
    let emitted = emit::emit(parsed, options, emit::language(language).unwrap(), &choices);
    let reports = emitted.reports.list();
    assert!(!emitted.reports.has_errors(), "{reports:#?}");
    emitted
}

fn is_expected(path: &Path, found: &str) -> bool {
    if std::env::var_os("DUNLIN_BLESS").is_some() {
        fs::write(path, found).unwrap();
        return true;
    }
    // The version is that of this crate, and changes with each release.
    let plain = |text: &str| text.split_once('\n').map(|(_, rest)| rest.to_string());
    let expected = fs::read_to_string(path).unwrap_or_default();
    if plain(&expected) == plain(found) {
        return true;
    }
    eprintln!("{} is not as expected. It is:\n{found}", path.display());
    false
}

fn folder(language: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/emit")
        .join(language)
}

#[test]
fn files_become_the_expected_rust() {
    let (folder, mut wrong) = (folder("rust"), Vec::new());
    let (mut modules, mut checks) = (String::new(), String::new());
    for (name, (parsed, options)) in &inputs() {
        let emitted = made(parsed, options, "rust");
        let [file] = &emitted.files[..] else {
            panic!("{name} makes several files");
        };
        assert_eq!(file.name, format!("{name}.rs"));
        if !is_expected(&folder.join(&file.name), &file.text) {
            wrong.push(name.clone());
        }
        writeln!(modules, "mod {name};").unwrap();
        checks.push_str(&expectations(name, parsed, &file.text));
    }
    let list = format!(
        "//! The types that are made of IDL by the test `emit`.\n\nuse super::{{Expected, expected}};\n\n\
         {modules}\n/// What each type is known by.\n\
         pub(super) const TYPES: &[Expected] = &[\n{checks}];\n"
    );
    if !is_expected(&folder.join("mod.rs"), &list) {
        wrong.push("mod.rs".into());
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// The test `range_checks` compiles it.
#[test]
fn checks_of_ranges_become_the_expected_rust() {
    let (_, files) = ranges::made("rust");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ranges/made.rs");
    assert!(is_expected(&path, &files[0].text));
}

/// The names on the network of the types of a file, and the hashes that they have by the IDL.
fn expectations(module: &str, parsed: &Parsed, text: &str) -> String {
    let model = parsed.model.as_ref().unwrap();
    let mut lines = String::new();
    for (path, name) in types(text) {
        let ty = model
            .find(&name)
            .unwrap_or_else(|| panic!("{name} is no type of {module}"));
        let hash = |kind| match ty.type_identifier(kind) {
            Ok(TypeIdentifier::Hash(_, hash)) => hash.to_string(),
            Ok(TypeIdentifier::Component(of)) => format!("{} {}/{}", of.hash, of.index, of.length),
            other => format!("{other:?}"),
        };
        let minimal = hash(EquivalenceKind::Minimal);
        let complete = hash(EquivalenceKind::Complete);
        writeln!(
            lines,
            "    expected::<{module}::{path}>({name:?}, {minimal:?}, {complete:?}),"
        )
        .unwrap();
    }
    lines
}

/// The paths of all types in a file, and their names on the network.
fn types(text: &str) -> Vec<(String, String)> {
    let (mut modules, mut types): (Vec<&str>, _) = (Vec::new(), Vec::new());
    let mut name = None;
    for line in text.lines() {
        let item = line.trim_start();
        let depth = (line.len() - item.len()) / 4;
        if let Some(module) = item.strip_prefix("pub mod ") {
            modules.truncate(depth);
            modules.push(module.trim_end_matches(" {"));
        } else if let Some(rest) = item.strip_prefix("#[topic(name = \"") {
            name = rest.split('"').next();
        }
        let head = ["pub struct ", "pub enum "]
            .iter()
            .find_map(|head| item.strip_prefix(head));
        if let Some(head) = head {
            let ident = head.split([' ', '(']).next().unwrap();
            let plain = ident.strip_prefix("r#").unwrap_or(ident);
            let path = modules[..depth].iter().chain([&ident]).copied();
            let path = path.collect::<Vec<_>>().join("::");
            types.push((path, name.unwrap_or(plain).to_string()));
        }
        // The name of a member is no name of a type.
        if head.is_some() || item.starts_with("pub ") {
            name = None;
        }
    }
    types
}

#[test]
fn what_is_made_depends_on_the_input_alone() {
    for (parsed, options) in inputs().values().take(3) {
        let (one, other) = (made(parsed, options, "rust"), made(parsed, options, "rust"));
        assert_eq!(one.files, other.files);
        assert!(!one.files[0].text.contains('\r'));
        let mut changed = options.clone();
        changed.defines.push(("NO_ONE_USES_IT".into(), None));
        let third = made(parsed, &changed, "rust");
        assert_ne!(one.files, third.files, "the options are part of the hash");
    }
}

fn reported(idl: &str, language: &str) -> Vec<String> {
    let options = Options::default();
    let parsed = parse_str("one.idl", idl, &options);
    assert!(parsed.model.is_some(), "{}", parsed.rendered());
    let language = emit::language(language).unwrap();
    let emitted = emit::emit(&parsed, &options, language, &Choices::default());
    assert_eq!(emitted.files.is_empty(), emitted.reports.has_errors());
    let reports = emitted.reports.list().iter();
    reports
        .map(|one| format!("{} {}", one.code.text(), one.message))
        .collect()
}

#[test]
fn names_that_become_equal_are_refused() {
    for (idl, names) in [
        (
            "@final struct S { long self; octet self_; };",
            "S::self and S::self_",
        ),
        ("enum E { crate, crate_ };", "E::crate and E::crate_"),
        (
            "module u8 { const long A = 1; }; module u8_ { const long B = 1; };",
            "u8 and u8_",
        ),
        ("const long max = 1; const long MAX = 2;", "max and MAX"),
        (
            "@final struct O { struct I { long a; } i; }; @final struct O_I { long a; };",
            "O::I",
        ),
    ] {
        let reports = reported(idl, "rust");
        let [report] = &reports[..] else {
            panic!("{idl}: {reports:?}");
        };
        assert!(
            report.starts_with("E0901") && report.contains(names),
            "{report}"
        );
    }
}

/// In C a topic's type has functions and a batch, by names that IDL can have, too.
#[test]
fn names_of_functions_of_topics_are_taken_in_c() {
    let clash = "@final struct S { long a; }; @final @nested struct S_batch { long b; };";
    let reports = reported(clash, "c");
    let [report] = &reports[..] else {
        panic!("{reports:?}");
    };
    let words = "a function of S and S_batch are both S_batch";
    assert!(
        report.starts_with("E0901") && report.contains(words),
        "{report}"
    );
    let nested = "@final @nested struct S { long a; }; @final @nested struct S_batch { long b; };";
    assert_eq!(reported(nested, "c"), Vec::<String>::new());
}

fn chosen(idl: &str, language: &str, choices: &Choices) -> Vec<File> {
    let options = Options::default();
    let parsed = parse_str("one.idl", idl, &options);
    let emitted = emit::emit(
        &parsed,
        &options,
        emit::language(language).unwrap(),
        choices,
    );
    let reports = emitted.reports.list();
    assert!(!emitted.reports.has_errors(), "{reports:#?}");
    emitted.files
}

#[test]
fn members_keep_their_names_in_csharp_if_that_is_chosen() {
    let idl =
        "@final struct S { long position_x; long class; long other; long Equals; string text; };
               union U switch (long) { case 0: case 1: long select; case 2: string begin; };";
    let text = |csharp_names| {
        let choices = Choices {
            csharp_names,
            ..Choices::default()
        };
        chosen(idl, "csharp", &choices).remove(0).text
    };
    let kept = text(CsharpNames::Keep);
    for property in [
        "int position_x {",
        "int class_ {",
        "int other_ {",
        "int Equals_ {",
        "string text {",
        "int select_ {",
        "string begin {",
        "void Setselect_(int value",
    ] {
        assert!(kept.contains(property), "{property}: {kept}");
    }
    let pascal = text(CsharpNames::Pascal);
    for property in [
        "int PositionX {",
        "int Class {",
        "int Select_ {",
        "string Begin_ {",
    ] {
        assert!(pascal.contains(property), "{property}: {pascal}");
    }
}

#[test]
fn java_packages_are_within_the_one_that_is_chosen() {
    let idl = "@final struct A { long com; }; module m { @final struct B { A a; }; };";
    let choices = Choices {
        java_package: "com.example".parse().unwrap(),
        ..Choices::default()
    };
    let files = chosen(idl, "java", &choices);
    let found = |name: &str| files.iter().find(|file| file.name == name);
    let outer = &found("com/example/A.java").unwrap().text;
    assert!(outer.contains("\npackage com.example;\n"), "{outer}");
    // The member would hide the package.
    assert!(outer.contains("public int _com"), "{outer}");
    let inner = &found("com/example/m/B.java").unwrap().text;
    assert!(inner.contains("\npackage com.example.m;\n"), "{inner}");
    assert!(inner.contains("public com.example.A a"), "{inner}");
    // What is about Java changes nothing of others.
    assert_eq!(
        chosen(idl, "rust", &choices),
        chosen(idl, "rust", &Choices::default())
    );
}

#[test]
fn annotations_without_effect_are_warned_of() {
    let reports = reported(
        "@data_representation(XCDR1) @final struct S { long a; };",
        "rust",
    );
    assert!(reports[0].starts_with("W0905"), "{reports:?}");
    assert_eq!(reports.len(), 1);
}
