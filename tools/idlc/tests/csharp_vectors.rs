//! C# that is made of the golden vectors' types, compiled, and asked what their payloads are.
//!
//! Skipped with a line where there is neither a .NET SDK nor what fetches one; an error in continuous
//! integration.

mod payloads;
mod ranges;
mod values;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use dunlin_idlc::emit::{self, Choices};
use dunlin_idlc::{Model, Options, parse_file, parse_str};
use dunlin_xtypes::{DynamicType, TypeKind};
use payloads::{WORLDS, bytes, folder, hex, native};
use serde_json::Value as Json;

/// Runs a program that has to succeed.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command:?}\n{errors}\n{said}");
    said
}

/// The commands that compile and run.
struct Sdk {
    compiler: String,
    run: String,
}

impl Sdk {
    fn find() -> Option<Self> {
        let script = folder("scripts/languages/csharp-sdk.sh");
        let found = Command::new(script).stderr(Stdio::inherit()).output();
        let found = found.unwrap();
        if found.status.code() == Some(77) {
            assert!(std::env::var_os("CI").is_none(), "C# has to be tested here");
            return None;
        }
        assert!(found.status.success());
        let said = String::from_utf8_lossy(&found.stdout);
        let mut lines = said.lines().map(str::to_string);
        Some(Self {
            compiler: lines.next().unwrap(),
            run: lines.next().unwrap(),
        })
    }

    fn compile(&self, kind: &str, arguments: &[String], sources: &[PathBuf]) {
        run(Command::new(&self.compiler)
            .arg(kind)
            .args(arguments)
            .args(sources));
    }
}

fn files(of: &Path, ending: &str) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(of).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path, ending));
        } else if path.extension().is_some_and(|found| found == ending) {
            all.push(path);
        }
    }
    all.sort();
    all
}

/// An empty folder.
fn clean(name: &str) -> PathBuf {
    let to = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("csharp")
        .join(name);
    let _ = fs::remove_dir_all(&to);
    fs::create_dir_all(&to).unwrap();
    to
}

/// Makes a file beside an IDL file.
fn emitted(path: &Path) -> Model {
    let options = Options::default();
    let parsed = parse_file(path, &options);
    let model = parsed.model.clone();
    let model = model.unwrap_or_else(|| panic!("{}", parsed.rendered()));
    let language = emit::language("csharp").unwrap();
    let emitted = emit::emit(&parsed, &options, language, &Choices::default());
    assert!(!emitted.files.is_empty(), "{:?}", emitted.reports);
    for file in &emitted.files {
        fs::write(path.with_file_name(&file.name), &file.text).unwrap();
    }
    model
}

/// The library and a program of what is made in a folder. Callers are in turn, each once.
fn program(sdk: &Sdk, to: &Path) -> PathBuf {
    compiled(sdk, to, Some(&folder("tools/idlc/tests/csharp/Driver.cs")))
}

/// The same with the file that has the entry point, if it is not in the folder.
fn compiled(sdk: &Sdk, to: &Path, main: Option<&Path>) -> PathBuf {
    let library = to.join("Dunlin.dll");
    let out = |path: &Path| format!("-out:{}", path.display());
    let sources = files(&folder("bindings/csharp/src"), "cs");
    let arguments = ["-target:library".into(), "-unsafe".into(), out(&library)];
    sdk.compile("library", &arguments, &sources);
    // What users compile: without unsafe code.
    let program = to.join("Driver.dll");
    let mut sources = files(to, "cs");
    sources.extend(main.map(Path::to_path_buf));
    let reference = format!("-r:{}", library.display());
    let arguments = ["-target:exe".into(), reference, out(&program)];
    sdk.compile("program", &arguments, &sources);
    program
}

/// What a driver says to each line.
fn answers(sdk: &Sdk, program: &Path, lines: &[String]) -> Vec<String> {
    let mut child = Command::new(&sdk.run)
        .arg(program)
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
    let last = lines.get(answers.len());
    assert!(output.status.success(), "{last:?}\n{errors}");
    assert_eq!(answers.len(), lines.len());
    answers
}

/// A vector, whose types are in a module of its name: vectors have types of the same names.
struct Vector {
    module: String,
    model: Model,
    values: Vec<Json>,
    others: Vec<(String, Vec<u8>)>,
}

impl Vector {
    fn read(to: &Path, path: &Path) -> Self {
        let all: Json = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let idl = payloads::idl(&all);
        let module = format!("of_{}", path.file_stem().unwrap().to_string_lossy());
        let file = to.join(format!("{module}.idl"));
        fs::write(&file, format!("module {module} {{\n{idl}\n}};\n")).unwrap();
        Self {
            model: emitted(&file),
            values: all["values"].as_array().unwrap().clone(),
            others: payloads::others(&all),
            module,
        }
    }

    fn all(to: &Path) -> Vec<Self> {
        let paths = payloads::vectors();
        paths.iter().map(|path| Self::read(to, path)).collect()
    }

    /// The values of structs and unions.
    fn compounds(&self) -> impl Iterator<Item = (DynamicType, &Json)> {
        let all = self.values.iter();
        let all = all.map(|value| (self.ty(value["type"].as_str().unwrap()), value));
        all.filter(|(ty, _)| matches!(ty.kind(), TypeKind::Structure | TypeKind::Union))
    }

    fn ty(&self, name: &str) -> DynamicType {
        let name = format!("{}::{name}", self.module);
        self.model.find(&name).unwrap().resolved()
    }

    /// Each payload, and what it and its key are written as, in both encodings.
    fn payloads(&self) -> Vec<(String, String)> {
        let mut all = Vec::new();
        for (ty, value) in self.compounds() {
            let is_keyed = ty.kind() == TypeKind::Structure && ty.has_key();
            let (payloads, keys) = (&value["payloads"], &value["keys"]);
            let text = |json: &Json| json.as_str().unwrap().to_string();
            let key = format!("{} {}", native(keys), text(&value["key_hash"]));
            for world in WORLDS {
                let line = format!("{} {}", ty.name(), text(&payloads[world]));
                let answer = match is_keyed {
                    true => format!("ok {} {key}", native(payloads)),
                    false => format!("ok {}", native(payloads)),
                };
                all.push((line, answer));
                if is_keyed {
                    let line = format!("key:{} {}", ty.name(), text(&keys[world]));
                    all.push((line, format!("ok {key}")));
                }
            }
        }
        all
    }

    /// Payloads that are shorter, or changed.
    fn broken(&self) -> Vec<(DynamicType, Vec<u8>)> {
        let mut all = Vec::new();
        for (ty, value) in self.compounds() {
            for world in WORLDS {
                let payload = bytes(value["payloads"][world].as_str().unwrap());
                all.extend(payloads::broken(&payload, 200).map(|one| (ty.clone(), one)));
            }
        }
        for (name, payload) in &self.others {
            all.push((self.ty(name), payload.clone()));
        }
        all
    }
}

#[test]
fn payloads_of_the_vectors_are_read_and_written() {
    let Some(sdk) = Sdk::find() else { return };
    let to = clean("vectors");
    let vectors = Vector::all(&to);
    let program = program(&sdk, &to);
    let (lines, expected): (Vec<_>, Vec<_>) = vectors.iter().flat_map(Vector::payloads).unzip();
    let found = answers(&sdk, &program, &lines);
    for ((found, expected), line) in found.iter().zip(&expected).zip(&lines) {
        assert_eq!(found, expected, "{line}");
    }
    let broken: Vec<_> = vectors.iter().flat_map(Vector::broken).collect();
    let line = |(ty, payload): &(DynamicType, Vec<u8>)| format!("{} {}", ty.name(), hex(payload));
    let lines: Vec<String> = broken.iter().map(line).collect();
    for ((ty, payload), answer) in broken.iter().zip(answers(&sdk, &program, &lines)) {
        let valid = ty.validate(payload);
        let is_read = answer.starts_with("ok");
        assert_eq!(
            is_read,
            valid.is_ok(),
            "{} {}\n{answer}\n{valid:?}",
            ty.name(),
            hex(payload)
        );
    }
}

/// With `range_checks` what is out of its range is neither read nor written.
#[test]
fn numbers_out_of_their_ranges_are_refused() {
    let Some(sdk) = Sdk::find() else { return };
    let to = clean("ranges");
    let (model, files) = ranges::made("csharp");
    ranges::write(&files, &to);
    let driver = program(&sdk, &to);
    ranges::ask_all(&model, |lines| answers(&sdk, &driver, lines));
    let to = clean("refused");
    ranges::write(&files, &to);
    fs::write(to.join("Refused.cs"), REFUSED).unwrap();
    let program = compiled(&sdk, &to, None);
    ranges::refused(&run(Command::new(&sdk.run).arg(program)));
}

/// Members of a value get values out of their ranges.
const REFUSED: &str = r#"
using System;
using Dunlin;
using Dunlin.Qos;

internal static class Refused
{
    private static void Say(Action write)
    {
        try
        {
            write();
            Console.WriteLine("written");
        }
        catch (BadParameterException error)
        {
            Console.WriteLine(error.Message);
        }
    }

    private static void Main()
    {
        TypeSupport<Ranges.All> type = TypeSupport<Ranges.All>.Instance;
        Ranges.All value = type.Create();
        Action all = () => type.ToPayload(value, Representation.Xcdr2);
        Action key = () => type.ToKeyPayload(value, Representation.Xcdr1);
        Say(all);
        value.I8 = 6;
        Say(all);
        Say(key);
        value.I8 = 5;
        value.Twins[1].A = 11;
        Say(all);
        value.Twins[1].A = 10;
        value.F32 = float.NaN;
        Say(all);
        value.F32 = 0;
        value.Id = -1;
        Say(key);
        Say(() => type.InstanceOf(value));
    }
}
"#;

#[test]
fn words_of_csharp_are_names() {
    let Some(sdk) = Sdk::find() else { return };
    let to = clean("words");
    for name in ["csharp", "c"] {
        let file = to.join(format!("of_{name}.idl"));
        let from = folder(&format!("tools/idlc/tests/{name}/torture.idl"));
        let idl = fs::read_to_string(from).unwrap();
        fs::write(&file, format!("module of_{name} {{\n{idl}\n}};\n")).unwrap();
        emitted(&file);
    }
    program(&sdk, &to);
}

#[test]
fn names_that_become_equal_are_refused() {
    for (idl, names) in [
        (
            "@final struct S { long foo_bar; long FooBar; };",
            "S.foo_bar and S.FooBar are both FooBar",
        ),
        (
            "@final struct S { long a; }; @final struct SSupport { long b; };",
            "what encodes S and SSupport are both global::SSupport",
        ),
    ] {
        let options = Options::default();
        let parsed = parse_str("one.idl", idl, &options);
        assert!(parsed.model.is_some(), "{}", parsed.rendered());
        let language = emit::language("C#").unwrap();
        let emitted = emit::emit(&parsed, &options, language, &Choices::default());
        assert!(emitted.files.is_empty());
        let found: Vec<&str> = emitted
            .reports
            .list()
            .iter()
            .map(|one| &*one.message)
            .collect();
        assert!(found.iter().any(|one| one.contains(names)), "{found:?}");
    }
}
