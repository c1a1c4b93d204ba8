//! Java that is made of the golden vectors' types, compiled, and asked what their payloads are.

mod payloads;
mod ranges;
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

/// A JDK that is new enough.
struct Jdk {
    home: PathBuf,
    /// The classes of the library.
    library: PathBuf,
}

impl Jdk {
    /// Tests that run beside each other have folders of their own.
    fn find(test: &str) -> Option<Self> {
        let found = Command::new(folder("scripts/java-home.sh"))
            .output()
            .unwrap();
        if !found.status.success() {
            let says = String::from_utf8_lossy(&found.stderr);
            assert!(std::env::var_os("CI").is_none(), "java: {says}");
            eprintln!("Java is not compiled: {says}");
            return None;
        }
        let home = String::from_utf8(found.stdout).unwrap();
        let jdk = Self {
            home: home.trim().into(),
            library: clean(&format!("library_of_{test}")),
        };
        let sources = sources(&folder("bindings/java/src/main/java"));
        jdk.compile(&jdk.library, &[], &sources);
        Some(jdk)
    }

    fn compile(&self, to: &Path, classpath: &[&Path], sources: &[PathBuf]) {
        let mut compiler = Command::new(self.home.join("bin/javac"));
        compiler
            .args(["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"])
            .args(["--release", "22", "-Xlint:all,-options", "-Werror", "-d"])
            .arg(to)
            .args(sources);
        if !classpath.is_empty() {
            compiler.arg("-cp").arg(joined(classpath));
        }
        run(&mut compiler);
    }
}

fn joined(paths: &[&Path]) -> std::ffi::OsString {
    std::env::join_paths(paths).unwrap()
}

/// Runs a program that has to succeed.
fn run(command: &mut Command) {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{command:?}\n{errors}\n{said}");
}

/// An empty folder.
fn clean(name: &str) -> PathBuf {
    let to = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("java")
        .join(name);
    let _ = fs::remove_dir_all(&to);
    fs::create_dir_all(&to).unwrap();
    to
}

/// The sources of Java in a folder and those within.
fn sources(of: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(of).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "java") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Makes files in a folder of an IDL file there.
fn emitted(to: &Path, name: &str) -> Model {
    let options = Options::default();
    let parsed = parse_file(&to.join(format!("{name}.idl")), &options);
    let model = parsed.model.clone();
    let model = model.unwrap_or_else(|| panic!("{}", parsed.rendered()));
    let language = emit::language("java").unwrap();
    let emitted = emit::emit(&parsed, &options, language, &Choices::default());
    assert!(!emitted.files.is_empty(), "{:?}", emitted.reports);
    for file in &emitted.files {
        let path = to.join(&file.name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &file.text).unwrap();
    }
    model
}

/// A program that is asked about the structures and unions of a model.
struct Program<'j> {
    jdk: &'j Jdk,
    folder: PathBuf,
}

impl<'j> Program<'j> {
    /// `class` says what types are called.
    fn new(jdk: &'j Jdk, to: &Path, model: &Model, class: impl Fn(&str) -> String) -> Self {
        let mut text = "final class Main {\n    public static void main(String[] words) throws Exception {\n        Driver driver = new Driver();\n".to_string();
        for entry in &model.types {
            let ty = model.ty(entry).unwrap();
            if matches!(ty.kind(), TypeKind::Structure | TypeKind::Union) {
                let _ = writeln!(text, "        driver.add({}.TYPE);", class(ty.name()));
            }
        }
        text.push_str("        driver.run();\n    }\n}\n");
        Self::of(jdk, to, &text)
    }

    /// A program that begins with this class.
    fn of(jdk: &'j Jdk, to: &Path, main: &str) -> Self {
        fs::write(to.join("Main.java"), main).unwrap();
        let driver = folder("tools/idlc/tests/java/Driver.java");
        fs::copy(driver, to.join("Driver.java")).unwrap();
        let folder = to.join("classes");
        fs::create_dir_all(&folder).unwrap();
        jdk.compile(&folder, &[&jdk.library], &sources(to));
        Self { jdk, folder }
    }

    /// What it says to each line.
    fn answers(&self, lines: &[String]) -> Vec<String> {
        let mut child = Command::new(self.jdk.home.join("bin/java"))
            .args([
                "-XX:+UseSerialGC",
                "-esa",
                "-ea",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
            ])
            .arg(joined(&[&self.jdk.library, &self.folder]))
            .arg("Main")
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
        assert!(
            output.status.success(),
            "{}\n{errors}",
            self.folder.display()
        );
        assert_eq!(answers.len(), lines.len());
        answers
    }
}

fn class(name: &str) -> String {
    // Names that classes would hide.
    if name == "Egg::Egg" {
        return "Egg._Egg".into();
    }
    if let Some(rest) = name.strip_prefix("Process::") {
        return format!("_Process.{rest}");
    }
    let words = ["class", "int", "java"];
    let parts = name.split("::").map(|part| match words.contains(&part) {
        true => format!("_{part}"),
        false => part.into(),
    });
    parts.collect::<Vec<String>>().join(".")
}

/// A type and a payload, and what is to be said of it; `None`: whether it is a value.
type Question = (DynamicType, String, Vec<u8>, Option<String>);

/// Each payload is written as the vector says, in both encodings, and so are keys. What is shorter
/// is a value just where it is one by the type, and so is what is changed.
fn questions(model: &Model, values: &[Json]) -> Vec<Question> {
    let mut all = Vec::new();
    for value in values {
        let ty = model.find(value["type"].as_str().unwrap()).unwrap();
        let ty = ty.resolved();
        if !matches!(ty.kind(), TypeKind::Structure | TypeKind::Union) {
            continue;
        }
        let is_keyed = ty.kind() == TypeKind::Structure && ty.has_key();
        let name = ty.name().to_string();
        let (payloads, keys) = (&value["payloads"], &value["keys"]);
        for world in WORLDS {
            let payload = bytes(payloads[world].as_str().unwrap());
            let mut expected = format!("ok {}", native(payloads));
            if is_keyed {
                let _ = write!(expected, " {}", native(keys));
                let key = bytes(keys[world].as_str().unwrap());
                let expected = format!("ok {}", native(keys));
                all.push((ty.clone(), format!("key:{name}"), key, Some(expected)));
            }
            let broken = payloads::broken(&payload, 200);
            all.extend(broken.map(|one| (ty.clone(), name.clone(), one, None)));
            all.push((ty.clone(), name.clone(), payload, Some(expected)));
        }
    }
    all
}

fn ask(program: &Program<'_>, name: &str, questions: &[Question]) {
    let lines: Vec<String> = questions
        .iter()
        .map(|(_, name, payload, _)| format!("{name} {}", hex(payload)))
        .collect();
    for (((ty, _, payload, expected), line), answer) in
        questions.iter().zip(&lines).zip(program.answers(&lines))
    {
        if let Some(expected) = expected {
            assert_eq!(&answer, expected, "{name} {line}");
            continue;
        }
        let valid = ty.validate(payload);
        let is_read = answer.starts_with("ok");
        assert_eq!(is_read, valid.is_ok(), "{name} {line}\n{answer}\n{valid:?}");
    }
}

#[test]
fn payloads_of_the_vectors_are_read_and_written() {
    let Some(jdk) = Jdk::find("vectors") else {
        return;
    };
    for path in payloads::vectors() {
        let all: Json = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let to = clean(&name);
        fs::write(to.join(format!("{name}.idl")), payloads::idl(&all)).unwrap();
        let model = emitted(&to, &name);
        let program = Program::new(&jdk, &to, &model, class);
        let mut questions = questions(&model, all["values"].as_array().unwrap());
        for (name, payload) in payloads::others(&all) {
            questions.push((model.find(&name).unwrap(), name, payload, None));
        }
        ask(&program, &name, &questions);
    }
}

/// With `range_checks` what is out of its range is neither read nor written.
#[test]
fn numbers_out_of_their_ranges_are_refused() {
    let Some(jdk) = Jdk::find("ranges") else {
        return;
    };
    let to = clean("ranges");
    let (model, files) = ranges::made("java");
    ranges::write(&files, &to);
    // Not all bits of it are a value, so that it is no view of memory.
    assert!(!to.join("Ranges/PairView.java").exists());
    assert!(to.join("Ranges/FreeView.java").exists());
    let program = Program::new(&jdk, &to, &model, class);
    ranges::ask_all(&model, |lines| program.answers(lines));
    let to = clean("refused");
    ranges::write(&files, &to);
    let said = Program::of(&jdk, &to, REFUSED).answers(&vec![String::new(); 6]);
    ranges::refused(&said.join("\n"));
}

/// Members of a value get values out of their ranges.
const REFUSED: &str = r#"
import org.dunlin.DdsException;
import org.dunlin.type.CdrWriter;

final class Main {
    private static void say(Runnable write) {
        try {
            write.run();
            System.out.println("written");
        } catch (DdsException error) {
            System.out.println(error.getMessage());
        }
    }

    public static void main(String[] words) {
        CdrWriter w = CdrWriter.create();
        Ranges.All value = new Ranges.All();
        Runnable all = () -> {
            w.begin(2, Ranges.All.TYPE.extensibility());
            Ranges.All.TYPE.write(w, value);
        };
        Runnable key = () -> {
            w.begin(0, Ranges.All.TYPE.extensibility());
            Ranges.All.TYPE.writeKey(w, value);
        };
        say(all);
        value.i8 = 6;
        say(all);
        say(key);
        value.i8 = 5;
        value.twins[1].a = 11;
        say(all);
        value.twins[1].a = 10;
        value.f32 = Float.NaN;
        say(all);
        value.f32 = 0;
        value.id = -1;
        say(key);
    }
}
"#;

#[test]
fn words_of_java_are_names() {
    let Some(jdk) = Jdk::find("torture") else {
        return;
    };
    let idl = fs::read_to_string(folder("tools/idlc/tests/c/torture.idl")).unwrap();
    let more = "\nmodule org { struct java { long TYPE, org, var; string Integer, hash, List, from, other, that, w, v; sequence<long> made; }; };
        module Egg { struct Egg { long x; }; struct Nest { Egg one; sequence<Egg> all; }; };
        module Process { struct Thread { long x; }; struct Process { Thread one; Egg::Egg egg; }; };
        @final union choice switch (boolean) { case TRUE: long class; case FALSE: org::java discriminator; };
        @final struct strings { @optional string none; string<4> cut[2]; long double wide[2]; };";
    let to = clean("words");
    fs::write(to.join("words.idl"), idl + more).unwrap();
    let model = emitted(&to, "words");
    let program = Program::new(&jdk, &to, &model, class);
    let lines = [
        format!("inline {}", hex(&long_texts())),
        "choice 0006000000000000".into(),
        "choice 00060000010000000000002a".into(),
    ];
    let answers = program.answers(&lines);
    // Texts that are too long are cut, or take their default; all else of it is empty.
    let payload = bytes(answers[0].split(' ').nth(2).unwrap());
    let held = |text: &[u8]| payload.windows(text.len()).any(|part| part == text);
    assert!(
        held(b"\x05\0\0\0long\0") && held(b"\x04\0\0\0why\0"),
        "{answers:?}"
    );
    assert!(answers[1].starts_with("error "), "{answers:?}");
    assert!(
        answers[2].ends_with("01000000 2a000000".replace(' ', "").as_str()),
        "{answers:?}"
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

#[test]
fn types_that_java_cannot_name_are_reported() {
    let idl =
        "@nested struct Alone { long x; }; module A { struct Holder { sequence<Alone> all; }; };
        module B { struct Same { long class; long _class_; }; struct Twice { long TYPE; }; };";
    let options = Options::default();
    let parsed = dunlin_idlc::parse_str("alone.idl", idl, &options);
    let language = emit::language("java").unwrap();
    let emitted = emit::emit(&parsed, &options, language, &Choices::default());
    assert!(emitted.files.is_empty());
    let reports = emitted.reports.list();
    assert_eq!(reports.len(), 1, "{reports:?}");
    assert!(
        format!("{:?}", reports[0]).contains("Alone is in no module"),
        "{reports:?}"
    );
}
