//! perftest in C and C++98: each runs with each other one and with the one in Rust, by the same
//! command lines, and leaves the same tables.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use dunlin_idlc::emit::{self, Choices};
use dunlin_idlc::{Options, parse_file};
use serde_json::Value;
use tempfile::TempDir;

use common::{SENDS, script, stdout, two_hosts};

const STRICT: [&str; 6] = ["-pedantic", "-Wall", "-Wextra", "-Werror", "-O1", "-I"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The programs, which are made once; none where there is no compiler.
fn programs() -> Option<&'static Path> {
    static MADE: OnceLock<Option<TempDir>> = OnceLock::new();
    MADE.get_or_init(made).as_ref().map(TempDir::path)
}

fn made() -> Option<TempDir> {
    for compiler in ["gcc", "g++"] {
        if Command::new(compiler).arg("--version").output().is_err() {
            assert!(std::env::var_os("CI").is_none(), "{compiler} is missing");
            println!("SKIPPED: no {compiler}");
            return None;
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let beside = std::env::current_exe().unwrap();
    for (library, name) in [
        ("libdunlin_ffi.so", "libdunlin.so.0"),
        ("libdunlin_perftest_abi.so", "libdunlin_perftest.so.0"),
    ] {
        std::os::unix::fs::symlink(beside.with_file_name(library), at.join(name)).unwrap();
    }
    for language in ["c", "cpp98"] {
        types(language, at);
    }
    let own = root().join("tools/perftest/languages");
    let sources = ["driver.c", "loop.c", "allocations.c"].map(|file| own.join("c").join(file));
    compile(
        "gcc",
        "-std=c99",
        at,
        &sources,
        Some("TestData.c"),
        "perftest_c",
    );
    // In C, as in `scripts/languages/perftest.sh`.
    let counting = at.join("allocations.o");
    run(compiler("gcc", "-std=c99", at)
        .arg("-c")
        .arg(own.join("c/allocations.c"))
        .arg("-o")
        .arg(&counting));
    let sources = [own.join("cpp98/driver.cpp"), counting];
    compile("g++", "-std=c++98", at, &sources, None, "perftest_cpp");
    Some(folder)
}

/// Makes the types of a language.
fn types(language: &str, to: &Path) {
    let options = Options::default();
    let idl = root().join("tools/perftest/languages/TestData.idl");
    let parsed = parse_file(&idl, &options);
    assert!(parsed.model.is_some(), "{}", parsed.rendered());
    let language = emit::language(language).unwrap();
    for file in emit::emit(&parsed, &options, language, &Choices::default()).files {
        std::fs::write(to.join(&file.name), &file.text).unwrap();
    }
}

fn compiler(program: &str, standard: &str, at: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg(standard).args(STRICT).arg(at);
    for include in [
        "crates/ffi/include",
        "bindings/c/include",
        "bindings/cpp98/include",
        "tools/perftest-abi/include",
    ] {
        command.arg("-I").arg(root().join(include));
    }
    if program == "g++" {
        command.args(["-fno-exceptions", "-fno-rtti"]);
    }
    command
}

fn compile(
    program: &str,
    standard: &str,
    at: &Path,
    sources: &[PathBuf],
    generated: Option<&str>,
    name: &str,
) {
    let mut command = compiler(program, standard, at);
    command
        .args(sources)
        .args(generated.map(|file| at.join(file)));
    command.args(["libdunlin.so.0", "libdunlin_perftest.so.0"].map(|library| at.join(library)));
    command.arg("-pthread").arg("-o").arg(at.join(name));
    run(&mut command);
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
}

/// Runs a script in which `$C`, `$X` and `$P` are perftest in C, in C++98 and in Rust, in an empty
/// folder; what it printed. Nothing where there is no compiler.
fn with_programs(text: &str) -> Option<String> {
    let at = programs()?.display();
    let output = script(&format!(
        "cd $(mktemp -d); export LD_LIBRARY_PATH={at}; C={at}/perftest_c; X={at}/perftest_cpp
         {text}"
    ));
    Some(stdout(&output))
}

/// For scripts: runs the publisher `$1` and the subscriber `$2`, each with its own options; both
/// tables, and what went wrong.
const PAIR: &str = "pair() {
    $2 -sub -noPrint $4 > s.csv 2> s.err & sub=$!
    $1 -pub -noPrint $3 > p.csv 2> p.err || { echo publisher failed; cat p.err; }
    wait $sub || { echo subscriber failed; cat s.err; }
    cat p.csv s.csv; }";

/// The cells of the rows of a table.
fn rows(text: &str) -> Vec<Vec<&str>> {
    let lines = text.lines();
    lines
        .map(|line| line.split(',').map(str::trim).collect())
        .collect()
}

#[test]
fn every_language_runs_with_every_other() {
    let text = with_programs(&format!(
        "{PAIR}
         for p in $P $C $X; do for s in $P $C $X; do
             pair $p $s '-latencyTest -numIter 200 -scan 32:63000 -transport UDPv4' '-transport UDPv4'
         done; done"
    ));
    let Some(text) = text else { return };
    let rows = rows(&text);
    assert_eq!(rows.len(), 9 * 6, "{text}");
    let titles = (&rows[0], &rows[3]);
    for pair in rows.chunks(6) {
        assert_eq!((&pair[0], &pair[3]), titles, "{text}");
        for (row, size) in [(1, "32"), (2, "63000"), (4, "32"), (5, "63000")] {
            assert_eq!(pair[row][0], size, "{text}");
            assert!(pair[row].iter().all(|cell| cell.parse::<f64>().is_ok()));
        }
        for row in &pair[4..] {
            assert_eq!((row[1], row[4]), ("200", "0"), "{text}");
        }
    }
}

#[test]
fn data_streams_with_pings_in_between() {
    let text = with_programs(&format!(
        "{PAIR}
         for sides in \"$C $X\" \"$X $P\" \"$P $C\"; do
             for options in '-transport SHMEM' '-keyed -instances 500 -transport UDPv4' \\
                 '-transport SHMEM -dataLen 8192'; do
                 pair $sides \"-numIter 5000 -latencyCount 10 $options -noOutputHeaders\" \"$options -noOutputHeaders\"
             done
         done"
    ));
    let Some(text) = text else { return };
    let rows = rows(&text);
    assert_eq!(rows.len(), 18, "{text}");
    for pair in rows.chunks(2) {
        assert_eq!((pair[0].len(), pair[1].len()), (10, 6), "{text}");
        assert!(pair[0][1].parse::<f64>().unwrap() > 0.0, "{text}");
        assert_eq!((pair[1][1], pair[1][4]), ("5000", "0"), "{text}");
    }
}

#[test]
fn the_options_mean_the_same() {
    let text = with_programs(&format!(
        "{PAIR}
         Q=-noOutputHeaders
         pair $C $X \"-latencyTest -numIter 200 -best -keyed -instances 1000 -dataLen 63000 $Q\" \"-best -keyed -instances 1000 -dataLen 63000 $Q\"
         pair $X $C \"-latencyTest -numIter 100 -zeroCopy -dataLen 1048577 $Q\" \"-zeroCopy -checkConsistency -dataLen 1048577 $Q\"
         pair $C $C \"-latencyTest -numIter 100 -flatData -dataLen 63000 -transport UDPv4 $Q\" \"-dataLen 63000 -transport UDPv4 $Q\"
         export DUNLIN_CHECK_PAYLOADS=1
         pair $X $X \"-latencyTest -numIter 100 -dataLen 63001 $Q\" \"-dataLen 63001 $Q\"
         pair $X $X \"-latencyTest -numIter 100 -pubRate 1000 -keyed -instances 500 -writeInstance 300 $Q\" \"-keyed -cft 257:300 $Q\""
    ));
    let Some(text) = text else { return };
    let rows = rows(&text);
    let received: Vec<_> = rows.iter().filter(|row| row.len() == 6).collect();
    assert_eq!((rows.len(), received.len()), (10, 5), "{text}");
    let counts: Vec<_> = received.iter().map(|row| row[1]).collect();
    assert_eq!(counts, ["200", "100", "100", "100", "100"], "{text}");
}

/// The options of the published measurements over TCP, on two hosts.
#[test]
fn the_published_command_lines_are_those_of_cpp_too() {
    let Some(at) = programs().map(Path::display) else {
        return;
    };
    let both =
        "-keyed -instances 500 -datalen $size -noPrint -noOutputHeaders -noXML -transport TCP";
    let output = two_hosts(&format!(
        "export LD_LIBRARY_PATH={at}; X={at}/perftest_cpp
         for size in 32 63000; do
             $THERE $X -best {both} -sub -peer 0@tcpv4_lan://172.16.0.1:7400 -nic 172.16.0.2 2> s.err & sub=$!
             $X -best {both} -pub -peer 0@tcpv4_lan://172.16.0.2:7400 -nic 172.16.0.1 -exec 1 -initialBurst 100 \
                 -latencyTest 2> p.err || cat p.err
             wait $sub || cat s.err
         done"
    ));
    let text = stdout(&output);
    let mut rows = rows(&text);
    rows.sort_by_key(Vec::len);
    let shapes: Vec<_> = rows.iter().map(|row| (row.len(), row[0])).collect();
    assert_eq!(
        shapes,
        [(6, "32"), (6, "63000"), (10, "32"), (10, "63000")],
        "{text}"
    );
}

#[test]
fn a_sample_allocates_nothing() {
    let text = with_programs(&format!(
        "{PAIR}
         for sides in \"$C $C\" \"$X $X\"; do
             pair $sides '-latencyTest -numIter 3000 -dataLen 32 -transport SHMEM -outputFormat json' '-transport SHMEM -outputFormat json'
         done"
    ));
    let Some(text) = text else { return };
    let tables = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
    let tables: Vec<Value> = tables.map(Result::unwrap).collect();
    assert_eq!(tables.len(), 4, "{text}");
    for table in tables {
        let allocations = &table["perftest"][0]["summary"]["cost"]["allocations"];
        // Heartbeats, announcements and the end of the test are among them: the longer a busy machine takes, the more. What
        // a sample took itself would be one at least.
        let each = allocations.as_f64().unwrap();
        assert!(each < 0.5, "{each} allocations for a sample: {text}");
    }
}

#[test]
fn a_side_that_dies_ends_the_other_one() {
    for victim in ["sub", "pub"] {
        let survivor = if victim == "sub" { "pub" } else { "sub" };
        let text = with_programs(&format!(
            "$X -sub -noPrint -noOutputHeaders > sub.csv 2> sub.err & sub=$!
             $C -pub -latencyTest -noPrint -noOutputHeaders > pub.csv 2> pub.err & pub=$!
             {SENDS}; sends pub.err
             sleep 0.5
             kill -9 ${victim}
             wait ${survivor}; echo status $?
             cat {survivor}.csv; tail -1 {survivor}.err"
        ));
        let Some(text) = text else { return };
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{victim}: {text}");
        assert_eq!(lines[0], "status 1", "{victim}: {text}");
        assert!(lines[2].starts_with("Error: "), "{victim}: {text}");
    }
}

#[test]
fn what_cannot_be_is_said() {
    let text = with_programs(
        "$C -pub -dataLen 27 2>&1 | grep -c Error; $X -foo 2> /dev/null; echo $?
         $X -pub -openLoop 100 2>&1 | tail -1
         $C -sub -discoveryTimeout 1 2>&1 | grep -c 'No other participant'
         $C -version | grep -c 'Dunlin perftest'",
    );
    let Some(text) = text else { return };
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 5, "{text}");
    assert_eq!((lines[0], lines[1]), ("1", "255"), "{text}");
    assert!(lines[2].contains("-openLoop"), "{text}");
    assert_ne!(lines[3], "0", "{text}");
    assert_eq!(lines[4], "1", "{text}");
}

#[test]
fn payload_without_a_bound_is_another_type() {
    let text = with_programs(&format!(
        "{PAIR}
         pair $P $C '-latencyTest -numIter 10 -keyed -dataLen 65471 -noOutputHeaders' '-keyed -dataLen 65471 -noOutputHeaders'
         pair $X $P '-latencyTest -numIter 10 -dataLen 65471 -noOutputHeaders' '-dataLen 65471 -noOutputHeaders'"
    ));
    let Some(text) = text else { return };
    let counts: Vec<_> = rows(&text).iter().map(|row| row[1].to_string()).collect();
    assert_eq!(counts.len(), 4, "{text}");
    assert_eq!((&*counts[1], &*counts[3]), ("10", "10"), "{text}");
}
