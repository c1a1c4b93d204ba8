//! `dunlin idl` as people and build systems use it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dunlin"))
        .arg("idl")
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    fs::create_dir(folder.path().join("include")).unwrap();
    write(
        "include/base.idl",
        "#ifndef B\n#define B\n@final struct Base { @key long id; };\n#endif\n",
    );
    write(
        "good.idl",
        "#include \"base.idl\"\n@final struct Point : Base { double x, y; };\n",
    );
    write(
        "bad.idl",
        "struct A { lnog a; };\nstruct B { A a; long a; };\n",
    );
    write("names.idl", "@final struct Map { long a, A; };\n");
    write("plain.idl", "struct Plain { long a; };\n");
    folder
}

#[test]
fn check_says_what_is_wrong() {
    let folder = folder();
    let run = |arguments: &[&str]| run(folder.path(), arguments);
    let good = run(&["check", "-I", "include", "good.idl"]);
    assert_eq!(good.status.code(), Some(0), "{}", stderr(&good));
    let bad = run(&["check", "bad.idl", "good.idl", "-Iinclude"]);
    assert_eq!(bad.status.code(), Some(1));
    let text = stderr(&bad);
    assert!(
        text.contains("error[E0401]") && text.contains("bad.idl:1:12"),
        "{text}"
    );
    assert!(
        text.contains("error[E0409]") && text.contains("2 errors"),
        "{text}"
    );
    let missing = run(&["check", "nowhere.idl"]);
    assert_eq!(missing.status.code(), Some(2));
    assert_eq!(run(&["check"]).status.code(), Some(2));
    assert_eq!(
        run(&["check", "--no-such-option", "good.idl"])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn reports_come_as_json() {
    let folder = folder();
    let output = run(folder.path(), &["check", "--json", "bad.idl"]);
    assert_eq!(output.status.code(), Some(1));
    let lines = stdout(&output);
    let lines: Vec<serde_json::Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["code"], "E0401");
    assert_eq!(lines[0]["severity"], "error");
    assert_eq!(lines[0]["line"], 1);
    assert_eq!(lines[0]["column"], 12);
    assert_eq!(lines[0]["fix"]["text"], "long");
    assert_eq!(lines[0]["fix"]["range"]["end_column"], 16);
}

#[test]
fn warnings_are_what_the_user_makes_of_them() {
    let folder = folder();
    let code = |arguments: &[&str]| run(folder.path(), arguments).status.code();
    assert_eq!(code(&["check", "names.idl"]), Some(0));
    assert_eq!(code(&["check", "--strict", "names.idl"]), Some(1));
    assert_eq!(code(&["check", "-Werror", "names.idl"]), Some(1));
    assert_eq!(code(&["check", "-Werror=W0404", "names.idl"]), Some(1));
    assert_eq!(
        code(&["check", "-Werror", "-Wno-W0403", "-cs", "names.idl"]),
        Some(0)
    );
    let plain = run(folder.path(), &["check", "plain.idl"]);
    assert!(stderr(&plain).contains("N0701"));
    let plain = run(folder.path(), &["check", "-de", "final", "plain.idl"]);
    assert_eq!(
        (plain.status.code(), stderr(&plain).as_str()),
        (Some(0), "")
    );
}

#[test]
fn options_of_other_compilers_are_taken() {
    let folder = folder();
    let run = |arguments: &[&str]| run(folder.path(), arguments);
    let output = run(&[
        "dump",
        "-x",
        "final",
        "-language",
        "C++",
        "-d",
        "out",
        "-t",
        "tmp",
        "plain.idl",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).starts_with("struct Plain final"));
    assert!(stderr(&output).contains("-language C++ has no effect"));
    assert!(!folder.path().join("out").exists());
    let output = run(&["check", "-fcase-sensitive", "-Iinclude", "-UB", "good.idl"]);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn dump_shows_the_types() {
    let folder = folder();
    let run = |arguments: &[&str]| run(folder.path(), arguments);
    let tree = run(&["dump", "-Iinclude", "good.idl"]);
    assert_eq!(
        stdout(&tree),
        "struct Point final : Base\n    0x1 double x\n    0x2 double y\n"
    );
    let all = run(&["dump", "-Iinclude", "--all", "good.idl"]);
    assert!(stdout(&all).starts_with("struct Base final\n    0x0 int32 id key\n"));
    let one = run(&["dump", "-Iinclude", "--type", "Base", "good.idl"]);
    assert_eq!(stdout(&one), "struct Base final\n    0x0 int32 id key\n");
    let none = run(&["dump", "-Iinclude", "--type", "Bass", "good.idl"]);
    assert_eq!(none.status.code(), Some(2));
    let json = run(&["dump", "-Iinclude", "--format", "json", "good.idl"]);
    let json: serde_json::Value = serde_json::from_str(&stdout(&json)).unwrap();
    assert_eq!(json["types"][0]["base"], "Base");
    assert_eq!(json["types"][0]["members"][1]["id"], 2);
    let idl = run(&["dump", "-Iinclude", "--format", "idl", "good.idl"]);
    fs::write(folder.path().join("again.idl"), idl.stdout).unwrap();
    let again = run(&["dump", "--all", "again.idl"]);
    assert_eq!(stdout(&again), stdout(&all));
}

#[test]
fn explain_has_a_page_for_each_code() {
    let folder = folder();
    let run = |arguments: &[&str]| run(folder.path(), arguments);
    let list = stdout(&run(&["explain"]));
    assert!(list.lines().count() > 90);
    let page = run(&["explain", "e0607"]);
    assert!(stdout(&page).starts_with("E0607: a type contains itself by value\n\n"));
    assert_eq!(run(&["explain", "E9999"]).status.code(), Some(2));
}

#[test]
fn the_preprocessor_runs_alone() {
    let folder = folder();
    let run = |arguments: &[&str]| run(folder.path(), arguments);
    let output = run(&[
        "check",
        "-E",
        "-Iinclude",
        "--depfile",
        "good.d",
        "good.idl",
    ]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).contains("#line 3 \"include/base.idl\"\n@final struct Base"));
    let rules = fs::read_to_string(folder.path().join("good.d")).unwrap();
    assert_eq!(rules, "good.idl: include/base.idl\n");
}

#[test]
fn dump_shows_what_other_products_know_types_by() {
    let folder = folder();
    let run = |arguments: &[&str]| run(folder.path(), arguments);
    let ou = "@final struct ou { @key long id; unsigned long long ts; unsigned long s; };\n\
        @appendable struct Node { long value; sequence<Node> children; };\n\
        @final union Wide switch (long long) { case 5000000000: long a; };\n";
    fs::write(folder.path().join("known.idl"), ou).unwrap();
    let one = run(&["dump", "--format", "hash", "--type", "ou", "known.idl"]);
    assert_eq!(one.status.code(), Some(0), "{}", stderr(&one));
    assert_eq!(
        stdout(&one),
        "ou minimal 5a3c0c46e4529da3ac2f9f6e5b40 complete 9c5c29a140fe220dd3565a277db9\n"
    );
    let node = run(&["dump", "--format", "hash", "--type", "Node", "known.idl"]);
    assert!(stdout(&node).ends_with("2b9be087b1121b4ff1771979daf5 component 1/1\n"));
    let plan = run(&["dump", "--format", "plan", "--type", "ou", "known.idl"]);
    let plan: serde_json::Value = serde_json::from_slice(&plan.stdout).unwrap();
    assert_eq!(plan["types"][0]["routines"][0]["max_size"], 20);
    let objects = run(&["dump", "--format", "typeobject", "known.idl"]);
    let text = stdout(&objects);
    assert!(
        text.starts_with("ou minimal 43000000f15101000100000000"),
        "{text}"
    );
    assert_eq!(text.lines().count(), 4, "{text}");
    assert_eq!(objects.status.code(), Some(1));
    let why = stderr(&objects);
    assert!(why.contains("Wide") && why.contains("5000000000"), "{why}");
}

#[test]
fn gen_makes_files_and_leaves_those_of_others() {
    let folder = folder();
    let run = |arguments: &[&str]| run(folder.path(), arguments);
    let path = folder.path().join("made/src/good.rs");
    let make = [
        "gen",
        "-l",
        "rust",
        "-o",
        "made/src",
        "-Iinclude",
        "good.idl",
    ];
    let first = run(&make);
    assert_eq!(first.status.code(), Some(0), "{}", stderr(&first));
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("// Made by dunlin idl "), "{text}");
    assert!(text.contains("from good.idl. Do not edit"), "{text}");
    assert!(text.contains("base = \"super::base::Base\""), "{text}");
    assert!(!text.contains("pub struct Base"), "{text}");

    // It is not written again, unless something changes.
    let time = || fs::metadata(&path).unwrap().modified().unwrap();
    let before = time();
    run(&make);
    assert_eq!(time(), before);
    let all = run(&[&make[..], &["--all"]].concat());
    assert_eq!(all.status.code(), Some(0), "{}", stderr(&all));
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("pub struct Base"), "{text}");
    assert!(text.contains("base = \"Base\""), "{text}");

    fs::write(&path, "mine").unwrap();
    let foreign = run(&make);
    assert_eq!(foreign.status.code(), Some(2));
    assert!(stderr(&foreign).contains("E0903"), "{}", stderr(&foreign));
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    let forced = run(&[&make[..], &["--force"]].concat());
    assert_eq!(forced.status.code(), Some(0), "{}", stderr(&forced));
}

#[test]
fn gen_takes_the_options_of_other_compilers() {
    let folder = folder();
    let run = |arguments: &[&str]| run(folder.path(), arguments);
    let output = run(&[
        "gen",
        "-language",
        "Rust",
        "-d",
        "made",
        "-t",
        "temporary",
        "-replace",
        "--depfile",
        "good.d",
        "-Iinclude",
        "good.idl",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("-t temporary has no effect"));
    let rule = fs::read_to_string(folder.path().join("good.d")).unwrap();
    assert_eq!(rule, "made/good.rs: good.idl \\\n  include/base.idl\n");
    let unknown = run(&["gen", "-l", "cobol", "good.idl"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("rust"), "{}", stderr(&unknown));
}

#[test]
fn gen_makes_checks_of_ranges() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    let idl = "@final struct Tank { @max(100) octet level; };\n";
    fs::write(path("tank.idl"), idl).unwrap();
    let made = |arguments: &[&str]| {
        let all = [&["gen", "-l", "c"], arguments, &["tank.idl"]].concat();
        let output = run(folder.path(), &all);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        fs::read_to_string(path("tank.c")).unwrap()
    };
    let checked = "Tank.level\", (int64_t)v->level, \"100 and below\"";
    assert!(made(&["--range-checks"]).contains(checked));
    assert!(!made(&[]).contains("dunlin_cdr_outside"));
    fs::write(path("tank.idl"), idl.replace("@max(100)", "@min(1)")).unwrap();
    let output = run(
        folder.path(),
        &["gen", "-l", "c", "--range-checks", "tank.idl"],
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("E0906"), "{}", stderr(&output));
}

#[test]
fn gen_makes_nothing_that_is_wrong() {
    let folder = folder();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    fs::create_dir(folder.path().join("other")).unwrap();
    write("other/plain.idl", "@final struct Other { long a; };\n");
    write("equal.idl", "@final struct S { long self; long self_; };\n");
    let run = |arguments: &[&str]| run(folder.path(), arguments);
    let bad = run(&["gen", "-l", "rust", "bad.idl"]);
    assert_eq!(bad.status.code(), Some(1));
    assert!(!folder.path().join("bad.rs").exists());
    let equal = run(&["gen", "-l", "rust", "equal.idl"]);
    assert_eq!(equal.status.code(), Some(1));
    let text = stderr(&equal);
    assert!(
        text.contains("E0901") && text.contains("S::self_"),
        "{text}"
    );
    let clash = run(&["gen", "-l", "rust", "plain.idl", "other/plain.idl"]);
    assert_eq!(clash.status.code(), Some(1));
    assert!(stderr(&clash).contains("E0904"), "{}", stderr(&clash));
}
