//! Build scripts, and types that agree with files.

use std::fs;

use dunlin_build::Idl;
use dunlin_derive::Data;

#[test]
fn files_are_made_or_nothing_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("base.idl"), "@final struct Base { long id; };\n").unwrap();
    let derived = "#include \"base.idl\"\n@final struct Point : Base { double x; };\n";
    fs::write(path("point.idl"), derived).unwrap();
    let idl = Idl::new().output(path("out")).file(path("point.idl"));

    let made = idl.try_compile().unwrap();
    assert_eq!(made, [path("out/point.rs")]);
    let text = fs::read_to_string(&made[0]).unwrap();
    assert!(text.contains("pub struct Base"), "{text}");

    // One that is compiled, too, is a module beside it.
    let made = idl.file(path("base.idl")).try_compile().unwrap();
    assert_eq!(made.len(), 2);
    let text = fs::read_to_string(&made[0]).unwrap();
    assert!(!text.contains("pub struct Base"), "{text}");
    assert!(text.contains("super::base::Base"), "{text}");

    fs::write(path("bad.idl"), "@final struct Bad { lnog a; };\n").unwrap();
    let bad = Idl::new().output(path("bad")).file(path("bad.idl"));
    let error = bad.try_compile().unwrap_err().to_string();
    assert!(
        error.contains("E0401") && error.contains("bad.idl:1:21"),
        "{error}"
    );
    assert!(!path("bad").exists());
}

#[test]
fn ranges_are_checked_if_that_is_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tank.idl");
    fs::write(&path, "@final struct Tank { @max(100) octet level; };\n").unwrap();
    let idl = Idl::new().output(folder.path()).file(&path);
    let text = |idl: &Idl| fs::read_to_string(&idl.try_compile().unwrap()[0]).unwrap();
    assert!(!text(&idl).contains("range_checks"));
    assert!(text(&idl.range_checks()).contains("range_checks"));
}

#[derive(Data)]
#[topic(crate = "dunlin_cdr", extensibility = "final")]
#[allow(dead_code)]
struct Point {
    #[key]
    id: u32,
    x: f64,
}

#[derive(Data)]
#[topic(crate = "dunlin_cdr", name = "Point", extensibility = "final")]
#[allow(dead_code)]
struct Other {
    #[key]
    id: u32,
    x: f32,
}

#[test]
fn a_type_agrees_with_a_file_or_says_where_not() {
    dunlin_build::assert_matches!("tests/point.idl", Point);
    let directory = env!("CARGO_MANIFEST_DIR");
    let why = dunlin_build::difference::<Other>(directory, "tests/point.idl").unwrap_err();
    let lines: Vec<&str> = why
        .lines()
        .filter(|line| line.starts_with(['-', '+']))
        .collect();
    assert!(lines.len() == 2 && why.contains("float"), "{why}");
}
