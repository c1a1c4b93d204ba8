//! `dunlin.h` is what the sources say, compiles everywhere, and declares what the library exports.
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;

fn crate_dir() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The header. With `DUNLIN_BLESS=1` it is written anew before anything looks at it.
fn header() -> PathBuf {
    static BLESSED: Once = Once::new();
    let path = crate_dir().join("include/dunlin/dunlin.h");
    BLESSED.call_once(|| {
        if std::env::var_os("DUNLIN_BLESS").is_some_and(|value| value == "1") {
            std::fs::write(&path, made()).unwrap();
        }
    });
    path
}

fn made() -> String {
    let config = cbindgen::Config::from_file(crate_dir().join("cbindgen.toml")).unwrap();
    let bindings = cbindgen::Builder::new()
        .with_crate(crate_dir())
        .with_config(config)
        .generate()
        .unwrap();
    let mut text = Vec::new();
    bindings.write(&mut text);
    without_pointer_types(&String::from_utf8(text).unwrap())
}

/// The types by which the sources take pointers are pointers in C: their names are replaced by what
/// they are, and their declarations are left out.
fn without_pointer_types(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut pointers = Vec::new();
    for line in text.lines() {
        match pointer_type(line) {
            None => lines.push(line.into()),
            Some(pointer) => {
                pointers.push(pointer);
                // With the comment before it and the empty line before that.
                let comment = lines.iter().rposition(|line| line == "/**").unwrap();
                lines.truncate(comment - 1);
            }
        }
    }
    for line in &mut lines {
        for (name, is) in &pointers {
            if let Some(at) = line.find(&format!("{name} ")) {
                let before = line[..at].chars().next_back();
                if before.is_none_or(|c| !c.is_alphanumeric() && c != '_') {
                    line.replace_range(at..=at + name.len(), is);
                }
            }
        }
    }
    lines.join("\n") + "\n"
}

/// The name of a type of pointers and what it is.
fn pointer_type(line: &str) -> Option<(String, String)> {
    let declared = line.strip_prefix("typedef ")?.strip_suffix(';')?;
    let (is, name) = declared.rsplit_once('*')?;
    let is_one = ["In_", "Out_", "Array_", "OutArray_"]
        .iter()
        .any(|kind| name.starts_with(kind));
    is_one.then(|| (name.into(), format!("{is}*")))
}

#[test]
fn the_header_is_what_the_sources_say() {
    let checked_in = std::fs::read_to_string(header()).unwrap_or_default();
    assert!(
        made() == checked_in,
        "include/dunlin/dunlin.h is not what the sources say: run DUNLIN_BLESS=1 cargo test -p dunlin-ffi --test header"
    );
}

const C: &[&str] = &["c99", "c11", "c17", "c2x"];
const CPP: &[&str] = &["c++98", "c++11", "c++14", "c++17", "c++20", "c++2b"];
const STRICT: [&str; 4] = ["-pedantic", "-Wall", "-Wextra", "-Werror"];

fn exists(compiler: &str) -> bool {
    Command::new(compiler).arg("--version").output().is_ok()
}

/// Compiles a program that includes the header, and does not link it.
fn compile(compiler: &str, language: &str, standard: &str, source: &Path) {
    let output = Command::new(compiler)
        .args(STRICT)
        .args(["-fsyntax-only", "-x", language])
        .arg(format!("-std={standard}"))
        .arg("-I")
        .arg(crate_dir().join("include"))
        .arg("-I")
        .arg(crate_dir().join("../../bindings/c/include"))
        .arg(source)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{compiler} -std={standard}:\n{said}"
    );
}

#[test]
fn it_compiles_in_each_standard_without_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("include.c");
    std::fs::write(
        &source,
        "#include <dunlin/dunlin.h>\n#include <dunlin/listener.h>\n#include <dunlin/typed.h>\n\
         int main(void) { return 0; }\n",
    )
    .unwrap();
    let _ = header();
    for (compilers, language, standards) in
        [(["gcc", "clang"], "c", C), (["g++", "clang++"], "c++", CPP)]
    {
        for compiler in compilers {
            if !exists(compiler) {
                println!("SKIPPED {compiler}: not installed");
                continue;
            }
            for standard in standards {
                compile(compiler, language, standard, &source);
            }
        }
    }
}

/// Names of the functions that the header declares.
fn declared() -> Vec<String> {
    let text = std::fs::read_to_string(header()).unwrap();
    let begins = ["int32_t dunlin_", "uint32_t dunlin_", "const char *dunlin_"];
    let functions = text
        .lines()
        .filter(|line| begins.iter().any(|begin| line.starts_with(begin)));
    let names = functions.filter_map(|line| {
        let at = line.find("dunlin_")?;
        let (name, _) = line[at..].split_once('(')?;
        Some(name.to_owned())
    });
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

/// The shared library of this build, which cargo puts beside the tests.
fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().unwrap();
    folder.join("libdunlin_ffi.so")
}

#[test]
fn the_library_exports_what_the_header_declares_and_nothing_else() {
    let library = library();
    if !library.exists() || !exists("nm") {
        println!(
            "SKIPPED: no nm, or no {}: cargo build -p dunlin-ffi",
            library.display()
        );
        return;
    }
    let output = Command::new("nm")
        .args(["-D", "--defined-only"])
        .arg(&library)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut exported: Vec<_> = text
        .lines()
        .filter_map(|line| line.split_whitespace().last())
        .map(str::to_owned)
        .collect();
    exported.sort();
    assert_eq!(exported, declared());
    let dynamic = Command::new("readelf")
        .arg("-d")
        .arg(&library)
        .output()
        .unwrap();
    let dynamic = String::from_utf8(dynamic.stdout).unwrap();
    assert!(dynamic.contains("[libdunlin.so.0]"), "{dynamic}");
    assert!(dynamic.contains("NODELETE"), "{dynamic}");
}
