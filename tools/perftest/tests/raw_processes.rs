//! Real processes over raw sockets, in a network namespace of their own where one can be made (otherwise over
//! 127.0.0.1, which they do not leave either).

use std::process::{Command, Output, Stdio};

const PERFTEST: &str = env!("CARGO_BIN_EXE_perftest");

/// Runs a shell script in which `$P` is perftest.
fn script(text: &str) -> Output {
    let inside = |flags: &str| {
        let mut command = Command::new("unshare");
        command.args([
            flags,
            "--",
            "sh",
            "-c",
            "ip link set lo up && exec \"$@\"",
            "sh",
        ]);
        command
    };
    let works = |flags: &&&str| {
        let status = inside(flags).arg("true").stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    let mut command = match ["-n", "-Urn"].iter().find(works) {
        Some(flags) => inside(flags),
        None => Command::new("env"),
    };
    let output = command
        .args(["timeout", "60", "bash", "-c", text])
        .env("P", PERFTEST)
        .output()
        .unwrap();
    assert_ne!(
        output.status.code(),
        Some(124),
        "the script hung: {output:?}"
    );
    output
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Two loops without any synchronisation on one domain, as the published scripts have them.
#[test]
fn loops_on_both_sides_give_one_row_per_run() {
    let output = script(
        "cd $(mktemp -d)
         loop() { extra=; for size in 32 64 1234 1262 1263 8192 70000; do
             $P -datalen $size $1 -rawTransport -noPrint $extra >> $2.csv 2>> $2.err || echo $2 $size failed
             extra=-noOutputHeaders
         done; }
         loop -sub sub & sleep 0.2
         loop '-pub -latencyTest -numIter 300' pub
         wait
         cat pub.csv; echo ----; cat sub.csv",
    );
    let text = stdout(&output);
    let (publisher, subscriber) = text
        .split_once("----\n")
        .unwrap_or_else(|| panic!("{text}"));
    for (table, fields) in [(publisher, 10), (subscriber, 6)] {
        let lines: Vec<_> = table.lines().collect();
        assert_eq!(lines.len(), 8, "{text}");
        assert!(lines[0].starts_with("Sample Size (Bytes),"), "{text}");
        assert!(
            lines.iter().all(|line| line.split(',').count() == fields),
            "{text}"
        );
        let sizes: Vec<_> = lines[1..]
            .iter()
            .map(|line| line.split(',').next().unwrap().trim())
            .collect();
        assert_eq!(sizes, ["32", "64", "1234", "1262", "1263", "8192", "70000"]);
    }
    let received = subscriber
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(1).unwrap().trim());
    assert!(received.into_iter().all(|count| count == "300"), "{text}");
}

/// Kills one side in the middle; what the other one prints, its status and how long it took.
fn survivor(victim: &str, mode: &str) -> String {
    let survivor = if victim == "pub" { "sub" } else { "pub" };
    let output = script(&format!(
        "cd $(mktemp -d)
         $P -sub -rawTransport -noPrint -noOutputHeaders > sub.csv 2> sub.err & sub=$!
         sleep 0.2
         $P -pub {mode} -rawTransport -noPrint -noOutputHeaders > pub.csv 2> pub.err & pub=$!
         sleep 1.5
         kill -9 ${victim}; begun=$SECONDS
         wait ${survivor}; echo status $?
         [ $((SECONDS - begun)) -le 4 ] || echo slow
         cat {survivor}.csv; tail -1 {survivor}.err"
    ));
    stdout(&output)
}

#[test]
fn the_death_of_a_side_ends_the_other_one_with_a_partial_row() {
    for mode in ["-latencyTest", "-latencyTest -rawBlocking", "-pubRate 1000"] {
        for (victim, fields) in [("sub", 10), ("pub", 6)] {
            let text = survivor(victim, mode);
            let lines: Vec<_> = text.lines().collect();
            assert_eq!(lines.len(), 3, "{victim} {mode}: {text}");
            assert_eq!(lines[0], "status 1", "{victim} {mode}: {text}");
            assert_eq!(
                lines[1].split(',').count(),
                fields,
                "{victim} {mode}: {text}"
            );
            assert!(
                lines[2].starts_with("Error: ") && lines[2].contains("gone"),
                "{victim} {mode}: {text}"
            );
        }
    }
}

#[test]
fn an_interrupted_publisher_ends_both_sides_with_their_rows() {
    let output = script(
        "cd $(mktemp -d)
         $P -sub -rawTransport -noPrint -noOutputHeaders 2> /dev/null & sub=$!
         $P -pub -latencyTest -rawTransport -noPrint -noOutputHeaders 2> /dev/null & pub=$!
         sleep 1; kill -INT $pub; wait $pub; echo $?; wait $sub; echo $?",
    );
    let text = stdout(&output);
    assert_eq!(
        text.lines().filter(|line| *line == "1").count(),
        2,
        "{text}"
    );
    assert_eq!(
        text.lines().filter(|line| line.contains(',')).count(),
        2,
        "{text}"
    );
}

#[test]
fn the_time_of_a_test_is_kept_though_the_publisher_streams() {
    let output = script(
        "cd $(mktemp -d)
         $P -sub -rawTransport -noPrint -noOutputHeaders 2> /dev/null & sub=$!
         begun=$(date +%s%N)
         $P -pub -exec 1 -rawTransport -noPrint -noOutputHeaders 2> /dev/null
         echo took $(( ($(date +%s%N) - begun) / 1000000 )); wait $sub; echo $?",
    );
    let text = stdout(&output);
    let took: u64 = text
        .lines()
        .find_map(|line| line.strip_prefix("took ")?.parse().ok())
        .unwrap_or_else(|| panic!("{text}"));
    assert!((1_000..3_000).contains(&took), "{text}");
    assert!(text.ends_with("0\n"), "{text}");
}

#[test]
fn wrong_options_are_all_named_and_nothing_goes_to_stdout() {
    let output = script("$P -dataLen 27 -latencyTset -transport SHMEM");
    assert_eq!(output.status.code(), Some(255));
    assert!(output.stdout.is_empty());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(errors.lines().count(), 3, "{errors}");
    assert!(errors.contains("-latencyTest?") && errors.contains("SHMEM is not available"));
}

#[test]
fn help_goes_to_stdout() {
    for spelling in ["-help", "-h", "--help"] {
        let output = script(&format!("$P {spelling}"));
        assert!(output.status.success());
        assert!(stdout(&output).contains("-latencyTest"));
    }
}

#[test]
fn a_lonely_side_gives_up_with_a_reason() {
    let output = script("$P -sub -rawTransport -discoveryTimeout 1");
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    assert!(String::from_utf8_lossy(&output.stderr).contains("nothing has come from there"));
}
