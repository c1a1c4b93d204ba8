//! Programs in C++98: made of IDL, compiled with the headers, linked with the shared library, and run.
mod common;
use common::namespace::{LOOPBACK, in_namespace};
use dunlin_idlc::emit::{self, Choices};
use dunlin_idlc::{Options, parse_file};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

const STRICT: [&str; 7] = [
    "-pedantic",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-fno-exceptions",
    "-fno-rtti",
    "-g",
];
const SANITIZERS: [&str; 2] = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn own(name: &str) -> PathBuf {
    root().join("crates/ffi/tests/cpp98").join(name)
}

/// A folder with what is made of an IDL file, and with the shared library under its name; none
/// where there is no compiler.
fn made(idl: &Path) -> Option<TempDir> {
    if Command::new("g++").arg("--version").output().is_err() {
        println!("SKIPPED: no g++");
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let test = std::env::current_exe().unwrap();
    let library = test.with_file_name("libdunlin_ffi.so");
    std::os::unix::fs::symlink(library, folder.path().join("libdunlin.so.0")).unwrap();
    let options = Options::default();
    let parsed = parse_file(idl, &options);
    assert!(parsed.model.is_some(), "{}", parsed.rendered());
    let language = emit::language("cpp98").unwrap();
    let emitted = emit::emit(&parsed, &options, language, &Choices::default());
    for file in &emitted.files {
        std::fs::write(folder.path().join(&file.name), &file.text).unwrap();
    }
    Some(folder)
}

fn compiler(name: &str, folder: &TempDir, flags: &[&str], source: &Path) -> Command {
    let mut command = Command::new(name);
    command.args(STRICT).args(flags);
    for include in [
        "crates/ffi/include",
        "bindings/c/include",
        "bindings/cpp98/include",
        "tests/languages/omg",
    ] {
        command.arg("-I").arg(root().join(include));
    }
    command.arg("-I").arg(folder.path()).arg(source);
    command
}

/// A program of a source.
fn program(folder: &TempDir, flags: &[&str], source: &Path) -> Command {
    let to = folder.path().join(source.file_stem().unwrap());
    let mut compiler = compiler("g++", folder, &["-std=c++98"], source);
    compiler.args(flags).args(SANITIZERS).arg("-o").arg(&to);
    compiler.arg(folder.path().join("libdunlin.so.0"));
    succeeds(compiler);
    let mut command = Command::new(to);
    command.env("LD_LIBRARY_PATH", folder.path());
    command
}

fn succeeds(mut command: Command) {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
}

fn runs(source: &str) {
    runs_with(&[], source);
}

fn runs_with(flags: &[&str], source: &str) {
    if let Some(folder) = made(&own("shape.idl")) {
        succeeds(program(&folder, flags, &own(source)));
    }
}

#[test]
fn samples_are_written_read_and_lent() {
    in_namespace("samples_are_written_read_and_lent", LOOPBACK, || {
        runs("samples.cpp");
    });
}

#[test]
fn large_octets_are_written_and_lent_without_a_copy() {
    in_namespace(
        "large_octets_are_written_and_lent_without_a_copy",
        LOOPBACK,
        || runs("octets.cpp"),
    );
}

#[test]
fn listeners_conditions_filters_and_coherent_sets() {
    in_namespace(
        "listeners_conditions_filters_and_coherent_sets",
        LOOPBACK,
        || runs("events.cpp"),
    );
}

#[test]
fn others_are_discovered_looked_at_and_ignored() {
    in_namespace(
        "others_are_discovered_looked_at_and_ignored",
        LOOPBACK,
        || runs("discovery.cpp"),
    );
}

/// Null pointers, wrong kinds, objects deleted in the wrong order and within callbacks.
#[test]
fn mistakes_are_errors() {
    in_namespace("mistakes_are_errors", LOOPBACK, || {
        runs("misuse.cpp");
        runs_with(&["-DDUNLIN_DEBUG", "-fexceptions"], "misuse.cpp");
    });
}

/// What the OMG's shapes program needs is there.
#[test]
fn shapes_are_shown_and_watched() {
    in_namespace("shapes_are_shown_and_watched", LOOPBACK, || {
        runs("shape_names.cpp");
    });
}

#[test]
fn the_example_prints_what_is_expected_of_it() {
    in_namespace(
        "the_example_prints_what_is_expected_of_it",
        LOOPBACK,
        || {
            let hello = root().join("examples/hello");
            let Some(folder) = made(&hello.join("Position.idl")) else {
                return;
            };
            let mut subscriber = program(&folder, &[], &hello.join("cpp98/subscriber.cpp"));
            let publisher = program(&folder, &[], &hello.join("cpp98/publisher.cpp"));
            let printing = subscriber.stdout(Stdio::piped()).spawn().unwrap();
            succeeds(publisher);
            let output = printing.wait_with_output().unwrap();
            assert!(output.status.success(), "{:?}", output.status);
            let expected = std::fs::read(hello.join("expected")).unwrap();
            assert_eq!(output.stdout, expected);
        },
    );
}

/// No warning, with optimization and without, whatever the standard and the compiler.
#[test]
fn headers_compile_in_all_standards() {
    let Some(folder) = made(&own("shape.idl")) else {
        return;
    };
    let is_here = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    for name in ["g++", "clang++"].into_iter().filter(is_here) {
        for standard in ["c++98", "c++11", "c++17", "c++20", "c++2b"] {
            let standard = format!("-std={standard}");
            let flags = [&standard, "-O2", "-c", "-o", "/dev/null"];
            succeeds(compiler(name, &folder, &flags, &own("samples.cpp")));
        }
    }
}
