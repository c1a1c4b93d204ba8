//! C and C++ that are made of the golden vectors' types, compiled, and asked what their payloads are.

#[path = "../payloads/mod.rs"]
mod payloads;
#[path = "../ranges/mod.rs"]
mod ranges;
mod refused;
#[path = "../values/mod.rs"]
mod values;

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use dunlin_idlc::emit::{self, Choices};
use dunlin_idlc::{Model, Options, parse_file};
use dunlin_xtypes::{DynamicType, TypeKind};
use payloads::{WORLDS, bytes, folder, hex, native};
use serde_json::Value as Json;
use tempfile::TempDir;

/// What files are made in, and how they become a program.
struct Dialect {
    language: &'static str,
    compiler: &'static str,
    standard: &'static str,
    header: &'static str,
    main: &'static str,
}

const C: Dialect = Dialect {
    language: "c",
    compiler: "gcc",
    standard: "-std=c99",
    header: ".h",
    main: "main.c",
};
const CPP98: Dialect = Dialect {
    language: "cpp98",
    compiler: "g++",
    standard: "-std=c++98",
    header: "Support.hpp",
    main: "main.cpp",
};

const FLAGS: &[&str] = &["-pedantic", "-Wall", "-Wextra", "-Werror"];
const SANITIZERS: &[&str] = &[
    "-g",
    "-O1",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
];
/// The last one as compilers of 2022 call it, too.
const CPP_STANDARDS: [&str; 6] = ["c++98", "c++11", "c++14", "c++17", "c++20", "c++2b"];

/// Which of these compilers the machine has.
fn those_here(compilers: [&'static str; 2]) -> impl Iterator<Item = &'static str> {
    let is_here = |compiler: &&str| Command::new(compiler).arg("--version").output().is_ok();
    compilers.into_iter().filter(is_here)
}

fn has_gcc() -> bool {
    let found = Command::new("gcc").arg("--version").output().is_ok();
    if !found {
        eprintln!("C is not compiled: there is no gcc");
    }
    found
}

/// Runs a program that has to succeed.
fn run(command: &mut Command) -> Vec<u8> {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{command:?}\n{errors}\n{said}");
    output.stdout
}

/// A folder with the files that are made of an IDL file.
fn made(dialect: &Dialect, name: &str, idl: &str) -> (TempDir, Model) {
    let to = empty_folder();
    fs::write(to.path().join(format!("{name}.idl")), idl).unwrap();
    let model = emitted(dialect, to.path(), name);
    (to, model)
}

/// A folder of this run alone.
fn empty_folder() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// Makes files beside an IDL file.
fn emitted(dialect: &Dialect, to: &Path, name: &str) -> Model {
    let options = Options::default();
    let parsed = parse_file(&to.join(format!("{name}.idl")), &options);
    let model = parsed.model.clone();
    let model = model.unwrap_or_else(|| panic!("{}", parsed.rendered()));
    let language = emit::language(dialect.language).unwrap();
    let emitted = emit::emit(&parsed, &options, language, &Choices::default());
    assert!(!emitted.files.is_empty(), "{:?}", emitted.reports);
    for file in &emitted.files {
        fs::write(to.join(&file.name), &file.text).unwrap();
    }
    model
}

/// The headers of codecs and of the library, which is not linked.
fn include() -> Vec<String> {
    let folders = [
        "bindings/c/include",
        "bindings/cpp98/include",
        "crates/ffi/include",
    ];
    let all = folders.iter();
    all.map(|of| format!("-I{}", folder(of).display()))
        .collect()
}

fn c_name(ty: &DynamicType) -> String {
    ty.name().replace("::", "_")
}

fn is_keyed(ty: &DynamicType) -> bool {
    ty.kind() == TypeKind::Structure && ty.has_key()
}

/// What is made in a folder.
fn sources(to: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(to).unwrap().map(|file| file.unwrap().path());
    let wanted = |path: &PathBuf| {
        path.extension().is_some_and(|ending| ending == "c") && !path.ends_with("main.c")
    };
    files.filter(wanted).collect()
}

fn driver(
    dialect: &Dialect,
    to: &Path,
    name: &str,
    types: &[DynamicType],
    c_name: impl Fn(&DynamicType) -> String,
) -> PathBuf {
    let header = dialect.header;
    // The library is not linked.
    let mut text = "#define DUNLIN_DDS98_CODEC_ONLY\n".to_string();
    let _ = write!(text, "#include \"{name}{header}\"\n#include \"driver.c\"\n");
    if dialect.main.ends_with(".cpp") {
        text.push_str("using namespace dunlin_idl;\n");
    }
    let mut entries = String::new();
    for ty in types {
        let (name, key) = (c_name(ty), if is_keyed(ty) { "A_KEY" } else { "NO_KEY" });
        let _ = writeln!(text, "DEFINE({name}, {key})");
        let _ = writeln!(entries, "    {{\"{}\", run_{name}}},", ty.name());
        if is_keyed(ty) {
            let _ = writeln!(text, "DEFINE_KEY({name})");
            let _ = writeln!(entries, "    {{\"key:{}\", key_{name}}},", ty.name());
        }
    }
    let _ = writeln!(text, "static const struct entry all[] = {{\n{entries}}};");
    text.push_str("int main(void) {\n    return drive(all, sizeof all / sizeof *all);\n}\n");
    fs::write(to.join(dialect.main), text).unwrap();
    let program = to.join("driver");
    run(Command::new(dialect.compiler)
        .arg(dialect.standard)
        .args(FLAGS)
        .args(SANITIZERS)
        .args(include())
        .arg(format!("-I{}", folder("tools/idlc/tests/c").display()))
        .arg(to.join(dialect.main))
        .args(sources(to))
        .arg("-o")
        .arg(&program));
    program
}

/// What a driver says to each line.
fn answers(program: &Path, lines: &[String]) -> Vec<String> {
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let text = lines
        .iter()
        .fold(String::new(), |all, line| all + line + "\n");
    let writer = std::thread::spawn(move || {
        let _ = input.write_all(text.as_bytes());
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let answers: Vec<String> = said.lines().map(str::to_string).collect();
    let errors = String::from_utf8_lossy(&output.stderr);
    let last = lines.get(answers.len().saturating_sub(1));
    assert!(
        output.status.success(),
        "{}\n{last:?}\n{:?}\n{errors}",
        program.display(),
        answers.last()
    );
    assert_eq!(answers.len(), lines.len());
    answers
}

struct Vector {
    name: String,
    model: Model,
    values: Vec<Json>,
    others: Vec<(String, Vec<u8>)>,
    program: PathBuf,
    /// Where the program is.
    _folder: TempDir,
}

impl Vector {
    fn read(dialect: &Dialect, path: &Path) -> Self {
        let all: Json = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let (folder, model) = made(dialect, &name, &payloads::idl(&all));
        let types = model.types.iter().filter_map(|entry| model.ty(entry));
        let compound =
            |ty: &DynamicType| matches!(ty.kind(), TypeKind::Structure | TypeKind::Union);
        let types: Vec<DynamicType> = types.filter(compound).collect();
        let program = driver(dialect, folder.path(), &name, &types, c_name);
        let values = all["values"].as_array().unwrap().clone();
        let others = payloads::others(&all);
        Self {
            name,
            model,
            values,
            others,
            program,
            _folder: folder,
        }
    }

    fn ty(&self, value: &Json) -> DynamicType {
        self.model
            .find(value["type"].as_str().unwrap())
            .unwrap()
            .resolved()
    }

    /// Each payload is written as the vector says, in both encodings, and so are keys.
    fn payloads(&self) {
        let mut lines = Vec::new();
        let mut expected = Vec::new();
        for value in &self.values {
            let ty = self.ty(value);
            if !matches!(ty.kind(), TypeKind::Structure | TypeKind::Union) {
                continue;
            }
            let (payloads, keys) = (&value["payloads"], &value["keys"]);
            let text = |json: &Json| json.as_str().unwrap().to_string();
            let key = format!("{} {}", native(keys), text(&value["key_hash"]));
            for world in WORLDS {
                lines.push(format!("{} {}", ty.name(), text(&payloads[world])));
                expected.push(match is_keyed(&ty) {
                    true => format!("ok {} {key}", native(payloads)),
                    false => format!("ok {}", native(payloads)),
                });
                if is_keyed(&ty) {
                    lines.push(format!("key:{} {}", ty.name(), text(&keys[world])));
                    expected.push(format!("ok {key}"));
                }
            }
        }
        assert!(lines.len() >= 4, "{}", self.name);
        for ((found, expected), line) in answers(&self.program, &lines)
            .iter()
            .zip(&expected)
            .zip(&lines)
        {
            assert_eq!(found, expected, "{} {line}", self.name);
        }
    }

    /// What is shorter is a value just where it is one by the type, and so is what is changed.
    fn broken(&self) {
        let mut all = Vec::new();
        for value in &self.values {
            let ty = self.ty(value);
            for world in WORLDS {
                let payload = bytes(value["payloads"][world].as_str().unwrap());
                all.extend(payloads::broken(&payload, 400).map(|one| (ty.clone(), one)));
            }
        }
        for (name, payload) in &self.others {
            all.push((self.model.find(name).unwrap(), payload.clone()));
        }
        let lines: Vec<String> = all
            .iter()
            .map(|(ty, payload)| format!("{} {}", ty.name(), hex(payload)))
            .collect();
        for ((ty, payload), answer) in all.iter().zip(answers(&self.program, &lines)) {
            let valid = ty.validate(payload);
            let is_read = answer.starts_with("ok");
            assert_eq!(
                is_read,
                valid.is_ok(),
                "{} {} {}\n{answer}\n{valid:?}",
                self.name,
                ty.name(),
                hex(payload)
            );
        }
    }
}

fn vectors(dialect: &Dialect) -> Vec<Vector> {
    let paths = payloads::vectors();
    let all = paths.iter().map(|path| Vector::read(dialect, path));
    all.collect()
}

#[test]
fn payloads_of_the_vectors_are_read_and_written() {
    if has_gcc() {
        for vector in vectors(&C) {
            vector.payloads();
            vector.broken();
        }
    }
}

#[test]
fn payloads_of_the_vectors_are_read_and_written_in_cpp98() {
    if has_gcc() {
        for vector in vectors(&CPP98) {
            vector.payloads();
            vector.broken();
        }
    }
}

/// Optimizers see through calls, and warn of more.
#[test]
fn optimized_code_is_compiled_without_a_warning() {
    if !has_gcc() {
        return;
    }
    for name in ["loose", "nested_keys"] {
        let path = folder("tests/vectors/types").join(name);
        let all: Json =
            serde_json::from_slice(&fs::read(path.with_extension("json")).unwrap()).unwrap();
        let (to, _) = made(&C, name, &payloads::idl(&all));
        for compiler in those_here(["gcc", "clang"]) {
            run(Command::new(compiler)
                .args(FLAGS)
                .args(["-std=c99", "-O3", "-c", "-o", "/dev/null"])
                .args(include())
                .args(sources(to.path())));
        }
    }
}

#[test]
fn words_of_c_and_cpp_are_names_in_all_standards() {
    if !has_gcc() {
        return;
    }
    let idl = fs::read_to_string(folder("tools/idlc/tests/c/torture.idl")).unwrap();
    let (folder, model) = made(&C, "torture", &idl);
    let to = folder.path();
    let source = to.join("torture.c");
    for compiler in those_here(["gcc", "clang"]) {
        for standard in ["c99", "c11", "c17", "c2x"] {
            run(Command::new(compiler)
                .args(FLAGS)
                .args([&*format!("-std={standard}"), "-O2", "-fsyntax-only"])
                .args(include())
                .arg(&source));
        }
    }
    let text = to.join("torture.cpp");
    fs::write(&text, "#include \"torture.h\"\n").unwrap();
    for compiler in those_here(["g++", "clang++"]) {
        for standard in CPP_STANDARDS {
            run(Command::new(compiler)
                .args(FLAGS)
                .args([&*format!("-std={standard}"), "-fsyntax-only"])
                .args(include())
                .arg(&text));
        }
    }
    let compound = |ty: &DynamicType| matches!(ty.kind(), TypeKind::Structure | TypeKind::Union);
    let types = model.types.iter().filter_map(|entry| model.ty(entry));
    let types: Vec<DynamicType> = types.filter(compound).collect();
    let names = |ty: &DynamicType| match ty.name() {
        "boolean_::size_t" | "plain" | "plains" | "halves" => ty.name().replace("::", "_"),
        name => format!("{name}_"),
    };
    let program = driver(&C, to, "torture", &types, names);
    // Texts that are too long are cut, or take their default; all else of it is empty.
    let line = format!("inline {}", hex(&long_texts()));
    let answer = answers(&program, &[line]).concat();
    let payload = bytes(answer.split(' ').nth(2).unwrap());
    let held = |text: &[u8]| payload.windows(text.len()).any(|part| part == text);
    assert!(
        answer.starts_with("ok") && held(b"\x05\0\0\0long\0") && held(b"\x04\0\0\0why\0"),
        "{answer}"
    );
}

/// Also without exceptions and types at run time.
#[test]
fn words_of_cpp_are_names_in_all_its_standards() {
    if !has_gcc() {
        return;
    }
    let idl = fs::read_to_string(folder("tools/idlc/tests/c/torture.idl")).unwrap();
    let (folder, model) = made(&CPP98, "torture", &idl);
    let to = folder.path();
    let text = to.join("torture.cpp");
    fs::write(&text, "#include \"tortureSupport.hpp\"\n").unwrap();
    for compiler in those_here(["g++", "clang++"]) {
        for standard in CPP_STANDARDS {
            run(Command::new(compiler)
                .args(FLAGS)
                .args([&*format!("-std={standard}"), "-O2", "-fsyntax-only"])
                .args(["-fno-exceptions", "-fno-rtti"])
                .args(include())
                .arg(&text));
        }
    }
    let compound = |ty: &DynamicType| matches!(ty.kind(), TypeKind::Structure | TypeKind::Union);
    let types = model.types.iter().filter_map(|entry| model.ty(entry));
    let types: Vec<DynamicType> = types.filter(compound).collect();
    let names = |ty: &DynamicType| match ty.name() {
        "boolean_::size_t" | "plain" | "plains" | "halves" => ty.name().replace("::", "_"),
        name => format!("_cxx_{name}"),
    };
    let program = driver(&CPP98, to, "torture", &types, names);
    let line = format!("inline {}", hex(&long_texts()));
    let answer = answers(&program, &[line]).concat();
    assert!(answer.starts_with("ok"), "{answer}");
}

#[test]
fn types_of_included_files_are_made_apart() {
    if has_gcc() {
        included(&C);
        included(&CPP98);
    }
}

/// Types of an included file are in a file of their own, keys of theirs in that which needs them.
fn included(dialect: &Dialect) {
    let base = "module Base { enum Kind { ONE, TWO }; bitset Bits { bitfield<3> a; };
        @appendable union Choice switch (Kind) { case ONE: string text; case TWO: Bits bits; };
        @mutable struct Point { double x; sequence<Choice> choices; map<string, long> counts; }; };";
    let folder = empty_folder();
    let to = folder.path();
    fs::write(to.join("base.idl"), base).unwrap();
    emitted(dialect, to, "base");
    let idl = "#include \"base.idl\"\n @mutable struct User : Base::Point {
        @key Base::Choice choice; @key Base::Kind kind; @optional Base::Point more; };
        @final struct Keyed { @key sequence<Base::Point, 2> points; @key Base::Point point; };";
    fs::write(to.join("user.idl"), idl).unwrap();
    let model = emitted(dialect, to, "user");
    let types: Vec<DynamicType> = ["User", "Keyed"]
        .map(|name| model.find(name).unwrap())
        .into();
    let program = driver(dialect, to, "user", &types, c_name);
    // Mutable types without members are values, and so are empty sequences.
    let lines = [
        "User 000b000000000000".to_string(),
        "Keyed 0007000004000000000000000000000000".into(),
    ];
    let found = answers(&program, &lines);
    assert!(
        found.iter().all(|answer| answer.starts_with("ok ")),
        "{found:?}"
    );
}

/// An `inline` of the torture file in XCDR2 that ends behind two texts of more than 4 bytes.
fn long_texts() -> Vec<u8> {
    let mut body = Vec::new();
    body.extend([1, 0, 0, 0]);
    body.extend(1.5_f64.to_le_bytes());
    // There is no `auto`, and `static` is a byte of two.
    body.extend([0, 0, 0x11, 0]);
    for text in ["longer", "too long"] {
        body.resize(body.len().next_multiple_of(4), 0);
        body.extend((text.len() as u32 + 1).to_le_bytes());
        body.extend(text.as_bytes());
        body.push(0);
    }
    let mut payload = vec![0, 9, 0, 0];
    payload.extend((body.len() as u32).to_le_bytes());
    payload.extend(body);
    payload
}
