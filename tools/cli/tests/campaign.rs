//! Campaigns through routers of this very program.

use std::fs;
use std::process::Command;

/// Two routers in a row, data and echoes of both reliabilities; everybody sleeps, so the number of
/// processors does not matter.
#[test]
fn perftest_is_measured_through_one_router_and_through_two() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("c.toml");
    let text = "seconds = 1\nrepetitions = 1\nwith = [\"dunlin-routed\", \"dunlin-routed-twice\"]\n\
                network = \"hosts\"\n[[work]]\ntransports = [\"UDPv4\"]\nsizes = [32, 63000]\n\
                reliability = [\"best effort\", \"reliable\"]\nwaiting = [\"block\"]\n";
    fs::write(&file, text).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_dunlin"))
        .args([
            "perftest", "campaign", "c.toml", "--output", "out", "--plain",
        ])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{errors}");
    let runs = fs::read_to_string(folder.path().join("out/runs.jsonl")).unwrap();
    let with = |what: &str| runs.lines().filter(|line| line.contains(what)).count();
    assert_eq!(with("\"measured\""), 12, "{text}{errors}");
    assert_eq!(with("\"processes\":1"), 4, "{runs}");
    assert_eq!(with("\"processes\":2"), 4, "{runs}");
    // Each router adds something.
    let hops = fs::read_to_string(folder.path().join("out/csv/hop.csv")).unwrap();
    assert_eq!(
        hops.lines().filter(|line| line.contains(",50,")).count(),
        4,
        "{hops}"
    );
}
