//! Real processes over raw sockets.

mod common;

use common::{check_death, check_loops, script, stdout};

#[test]
fn loops_on_both_sides_give_one_row_per_run() {
    check_loops(
        "-pub -rawTransport -latencyTest -numIter 300",
        "-sub -rawTransport",
        &["32", "64", "1234", "1262", "1263", "8192", "70000"],
        "300",
    );
}

#[test]
fn loops_over_shared_memory_give_one_row_per_run() {
    let shared = "-rawTransport -transport SHMEM";
    check_loops(
        &format!("-pub {shared} -latencyTest -numIter 300"),
        &format!("-sub {shared}"),
        &["32", "64", "8192", "70000", "10485760"],
        "300",
    );
    for extra in ["-zeroCopy", "-rawBlocking", "-useReadThread"] {
        check_loops(
            &format!("-pub {shared} -numIter 20000 -latencyCount 100 {extra}"),
            &format!("-sub {shared} {extra}"),
            &["32", "1048576"],
            "20000",
        );
    }
}

#[test]
fn loops_over_tcp_give_one_row_per_run() {
    let tcp = "-rawTransport -transport TCP";
    check_loops(
        &format!("-pub {tcp} -latencyTest -numIter 300"),
        &format!("-sub {tcp}"),
        &["32", "64", "8192", "70000", "10485760"],
        "300",
    );
    for extra in ["", "-rawBlocking"] {
        check_loops(
            &format!("-pub {tcp} -numIter 20000 -latencyCount 100 {extra}"),
            &format!("-sub {tcp} {extra}"),
            &["32", "65536"],
            "20000",
        );
    }
    check_loops(
        &format!("-pub {tcp} -latencyTest -numIter 300 -transportServerBindPort 7500"),
        &format!("-sub {tcp} -useReadThread -peer 0@tcpv4_lan://localhost:7500"),
        &["32"],
        "300",
    );
}

#[test]
fn a_port_that_is_taken_is_told_with_the_option_to_choose_another() {
    let output = script(
        "Q='-pub -rawTransport -transport TCP'
         $P $Q 2> /dev/null & other=$!; sleep 0.5
         $P $Q; status=$?; kill $other; wait; exit $status",
    );
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(
        errors.contains("7400") && errors.contains("-transportServerBindPort"),
        "{errors}"
    );
}

#[test]
fn several_sides_meet_in_shared_memory() {
    check_several("SHMEM");
}

#[test]
fn several_sides_meet_by_tcp() {
    check_several("TCP");
}

fn check_several(transport: &str) {
    let output = script(&format!(
        "cd $(mktemp -d)
         Q='-noPrint -noOutputHeaders -rawTransport -transport {transport} -dataLen 2000'
         $P -sub -sid 0 $Q 2> s0 & $P -sub -sid 1 $Q 2> s1 &
         $P -pub -latencyTest -numIter 100 -numSubscribers 2 $Q 2> p; wait
         $P -sub -numPublishers 2 $Q 2> s &
         $P -pub -pid 1 -numIter 500 $Q 2> p1 & $P -pub -pid 0 -numIter 500 -latencyCount 1 $Q 2> p0; wait",
    ));
    let text = stdout(&output);
    let counted = |count: &str| {
        let second = |line: &&str| line.split(',').nth(1).map(str::trim) == Some(count);
        text.lines().filter(second).count()
    };
    assert_eq!((counted("100"), counted("1000")), (2, 1), "{text}");
}

#[test]
fn the_death_of_a_side_ends_the_other_one_with_a_partial_row() {
    for mode in ["-latencyTest", "-latencyTest -rawBlocking", "-pubRate 1000"] {
        for victim in ["sub", "pub"] {
            check_death(victim, mode, "-rawTransport", 4);
            check_death(victim, mode, "-rawTransport -transport SHMEM", 4);
            check_death(victim, mode, "-rawTransport -transport TCP", 4);
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
    assert!((1_000..6_000).contains(&took), "{text}");
    assert!(text.ends_with("0\n"), "{text}");
}

#[test]
fn wrong_options_are_all_named_and_nothing_goes_to_stdout() {
    let output = script("$P -dataLen 27 -latencyTset -transport UDPv6");
    assert_eq!(output.status.code(), Some(255));
    assert!(output.stdout.is_empty());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(errors.lines().count(), 3, "{errors}");
    assert!(errors.contains("-latencyTest?") && errors.contains("UDPv6 is not available"));
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
