//! Each example runs, and prints what it is about: both sides in one process, and as two processes.
use std::process::{Child, Command, Output, Stdio};

/// An example in a network namespace that nothing leaves.
fn command(program: &str, side: &str) -> String {
    format!("{program} {side}")
}

fn start(script: &str) -> Child {
    Command::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/interop/netns.sh"
    ))
    .args(["sh", "-c", script])
    .stdin(Stdio::null())
    .stdout(Stdio::piped())
    .stderr(Stdio::piped())
    .spawn()
    .expect("the wrapper starts")
}

/// `None` where no network namespace can be made.
fn output(script: &str) -> Option<String> {
    const NOT_POSSIBLE: i32 = 69;
    let Output {
        status,
        stdout,
        stderr,
    } = start(script).wait_with_output().expect("it ends");
    if status.code() == Some(NOT_POSSIBLE) {
        eprintln!("SKIPPED: {}", String::from_utf8_lossy(&stderr));
        return None;
    }
    let stdout = String::from_utf8_lossy(&stdout).into_owned();
    assert!(
        status.success(),
        "{script}: {status}\n{stdout}{}",
        String::from_utf8_lossy(&stderr)
    );
    Some(stdout)
}

/// Runs an example in one process, then in two, and looks for each of `lines` in what it printed.
fn shows(program: &str, lines: &[&str]) {
    let together = command(program, "");
    let apart = format!(
        "{} & subscriber=$!; {} && wait $subscriber",
        command(program, "subscribe"),
        command(program, "publish")
    );
    for script in [together, apart] {
        let Some(printed) = output(&script) else {
            return;
        };
        for line in lines {
            assert!(
                printed.contains(line),
                "{script}: no {line:?} in\n{printed}"
            );
        }
    }
}

#[test]
fn hello() {
    shows(env!("CARGO_BIN_EXE_hello"), &["hello, world"]);
}

#[test]
fn keyed() {
    let lines = ["bird: 1, x: 2.0, y: 1.0", "bird 2: NotAliveDisposed"];
    shows(env!("CARGO_BIN_EXE_keyed"), &lines);
}

#[test]
fn large_data() {
    shows(
        env!("CARGO_BIN_EXE_large_data"),
        &["frame 5: 8388608 bytes"],
    );
}

#[test]
fn zero_copy() {
    shows(
        env!("CARGO_BIN_EXE_zero_copy"),
        &["image 5: first pixel 42"],
    );
}

#[test]
fn content_filter() {
    let lines = ["celsius: 60.0", "celsius: 100.0"];
    shows(env!("CARGO_BIN_EXE_content_filter"), &lines);
}

#[test]
fn wait_set() {
    let lines = ["writers so far: 1", "Count { value: 3 }", "told to stop"];
    shows(env!("CARGO_BIN_EXE_wait_set"), &lines);
}

#[test]
fn asynchronous() {
    shows(env!("CARGO_BIN_EXE_asynchronous"), &["Tick { number: 3 }"]);
}

#[test]
fn late_joiner() {
    let lines = ["\"gain\", value: 2", "\"limit\", value: 10"];
    shows(env!("CARGO_BIN_EXE_late_joiner"), &lines);
}

#[test]
fn idl_type() {
    let line = "color: \"BLUE\", x: 30, y: 40, shapesize: 0";
    shows(env!("CARGO_BIN_EXE_idl_type"), &[line]);
}

#[test]
fn why() {
    let Some(printed) = output(env!("CARGO_BIN_EXE_why")) else {
        return;
    };
    for policy in ["RELIABILITY", "DURABILITY"] {
        assert!(printed.contains(policy), "{printed}");
    }
}

#[test]
fn untyped() {
    let lines = ["Alive: 32 bytes", "Disposed: "];
    shows(env!("CARGO_BIN_EXE_untyped"), &lines);
}

#[test]
fn forward() {
    let Some(printed) = output(env!("CARGO_BIN_EXE_forward")) else {
        return;
    };
    let line = "1001 samples in domain 1; the end of bird 9 was Some(SampleIdentity";
    assert!(printed.contains(line), "{printed}");
}

#[test]
fn forward_measures() {
    let Some(printed) = output(&command(env!("CARGO_BIN_EXE_forward"), "measure 1000")) else {
        return;
    };
    assert!(printed.contains("of 1000 samples"), "{printed}");
}
