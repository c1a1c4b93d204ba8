//! Input that is too large, too deep or has no end: an error at once, in memory that stays small.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dunlin_idlc::source::Memory;
use dunlin_idlc::{Options, Parsed, limits, parse, parse_file, parse_str};

/// The limit of time is for a program that runs alone.
fn options() -> Options {
    Options {
        time_limit: Duration::from_secs(3_600),
        ..Options::default()
    }
}

fn codes(parsed: &Parsed) -> Vec<&'static str> {
    let reports = parsed.reports.list().iter();
    reports.map(|report| report.code.text()).collect()
}

#[track_caller]
fn fails(text: &str, code: &str) {
    let parsed = parse_str("limits.idl", text, &options());
    assert!(parsed.model.is_none());
    assert_eq!(codes(&parsed), [code], "{}", parsed.rendered());
}

#[track_caller]
fn passes(text: &str) {
    let parsed = parse_str("limits.idl", text, &options());
    assert!(!parsed.reports.has_errors(), "{}", parsed.rendered());
    assert!(parsed.model.is_some());
}

#[test]
fn what_is_nested_too_deep_is_refused() {
    fails(&format!("const long A = {}1;", "(".repeat(10_000)), "E0807");
    fails(&format!("const long A = {}1;", "-".repeat(10_000)), "E0807");
    fails(
        &format!("struct A {{ {}", "sequence<".repeat(1_000)),
        "E0807",
    );
    fails(&"module A { ".repeat(10_000), "E0807");
    fails(&"#if 1\n".repeat(1_000), "E0807");
    let annotations = format!("@x({}) @final struct A {{ long a; }};", "(".repeat(1_000));
    fails(&annotations, "E0807");
    let condition = format!("#if {}1\n#endif\n", "(".repeat(10_000));
    fails(&condition, "E0208");
    passes(&format!(
        "const long A = {}1{};",
        "(".repeat(90),
        ")".repeat(90)
    ));
    passes(&format!("const long A = 1{};", " + 1".repeat(10_000)));
    passes(&format!("#if 1{}\n#endif\n", " + 1".repeat(10_000)));
}

#[test]
fn types_within_each_other_have_a_limit() {
    let chain = |count: usize| {
        let types = (1..count).map(|n| format!("@final struct S{n} {{ S{} s; }};", n - 1));
        format!(
            "@final struct S0 {{ long a; }};{}",
            types.collect::<String>()
        )
    };
    passes(&chain(60));
    fails(&chain(100), "E0808");
}

#[test]
fn macros_do_not_explode() {
    let doubling = |depth: usize| {
        let lines = (1..depth).map(|n| format!("#define M{n} M{} M{}\n", n - 1, n - 1));
        format!(
            "#define M0 x\n{}M{}\n",
            lines.collect::<String>(),
            depth - 1
        )
    };
    fails(&doubling(60), "E0805");
    let wide: String = "x ".repeat(50_000);
    let text = format!("#define W {wide}\n{}", "W ".repeat(1_000));
    fails(&text, "E0802");
    let chain = (1..300).map(|n| format!("#define C{n} C{}\n", n - 1));
    fails(&format!("{}C299\n", chain.collect::<String>()), "E0806");
    let nested = format!(
        "#define F(x) x\n{}1{}",
        "F(".repeat(1_000),
        ")".repeat(1_000)
    );
    fails(&nested, "E0806");
    passes("#define A B\n#define B A\n@final struct A { long a; };");
}

fn with_files(files: &[(&str, &str)]) -> Parsed {
    let files = files.iter();
    let files: HashMap<PathBuf, Vec<u8>> = files
        .map(|(name, text)| (PathBuf::from(name), text.as_bytes().to_vec()))
        .collect();
    parse(Path::new("a.idl"), None, &options(), &Memory(files))
}

#[test]
fn includes_have_limits() {
    let parsed = with_files(&[
        ("a.idl", "#include \"b.idl\"\n"),
        ("b.idl", "\n#include \"a.idl\"\n"),
    ]);
    assert_eq!(codes(&parsed), ["E0804"]);
    let text = parsed.rendered();
    assert!(
        text.contains("in a circle: a.idl -> b.idl -> a.idl")
            || text.contains("b.idl -> a.idl -> b.idl"),
        "{text}"
    );

    let many = "#include \"b.idl\"\n".repeat(limits::INCLUDES + 1);
    let parsed = with_files(&[("a.idl", &many), ("b.idl", "")]);
    assert_eq!(codes(&parsed), ["E0803"]);

    let parsed = with_files(&[("b.idl", "")]);
    assert_eq!(codes(&parsed), ["E0201"]);
}

#[test]
fn a_file_of_the_system_that_is_not_there_is_an_error() {
    let parsed = parse_file(Path::new("/nowhere/to be found.idl"), &options());
    assert_eq!(codes(&parsed), ["E0201"]);
}

#[test]
fn sizes_have_limits() {
    let large = " ".repeat(limits::FILE + 1);
    fails(&large, "E0801");
    fails(
        &format!("struct A {{ long a{}; }};", "[1]".repeat(65)),
        "E0810",
    );
    let members = |count: usize| {
        (0..count)
            .map(|n| format!("long m{n};"))
            .collect::<String>()
    };
    passes(&format!(
        "@final struct A {{ {} }};",
        members(limits::MEMBERS)
    ));
    fails(
        &format!("@final struct A {{ {} }};", members(limits::MEMBERS + 1)),
        "E0809",
    );
    let types = |count: usize| {
        (0..count)
            .map(|n| format!("typedef long T{n};"))
            .collect::<String>()
    };
    passes(&types(60_000));
    fails(&types(70_000), "E0808");
}

#[test]
fn only_so_many_reports_are_kept() {
    let mistakes = |n: usize| {
        (0..n)
            .map(|n| format!("struct S{n} {{ Nowhere{n} a; }};\n"))
            .collect::<String>()
    };
    let parsed = parse_str("many.idl", &mistakes(1_000), &options());
    assert_eq!(parsed.reports.list().len(), limits::REPORTS);
    assert_eq!(parsed.reports.left_out(), 1_000 - limits::REPORTS);
    assert!(parsed.rendered().ends_with("900 more are not shown\n"));
}

#[test]
fn long_literals_are_read_in_time() {
    let digits = "7".repeat(1 << 18);
    fails(&format!("const long A = {digits};"), "E0104");
    fails(&format!("const double A = {digits}.5;"), "E0506");
    passes(&format!("const long double A = 0.{digits};"));
    passes(&format!(
        "const double A = 0.{digits}e-99999999999999999999;"
    ));
}

#[test]
fn time_has_a_limit() {
    let options = Options {
        time_limit: Duration::ZERO,
        ..Options::default()
    };
    let text = "typedef long T; ".repeat(10_000);
    let parsed = parse_str("slow.idl", &text, &options);
    assert_eq!(codes(&parsed), ["E0811"]);
}
