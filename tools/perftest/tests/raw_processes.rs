//! Real processes over raw sockets.

mod common;

use common::{LISTENS, SENDS, check_death, check_loops, script, stdout};

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
    let output = script(&format!(
        "{LISTENS}
         Q='-pub -rawTransport -transport TCP'
         $P $Q 2> /dev/null & other=$!; listens
         $P $Q; status=$?; kill $other; wait; exit $status",
    ));
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
        // Rows of latency have ten columns, and any number in the second.
        let is_of = |line: &&str| {
            let columns: Vec<&str> = line.split(',').map(str::trim).collect();
            columns.len() == 6 && columns[1] == count
        };
        text.lines().filter(is_of).count()
    };
    assert_eq!((counted("100"), counted("1000")), (2, 1), "{text}");
}

#[test]
fn the_death_of_a_side_ends_the_other_one_with_a_partial_row() {
    for mode in ["-latencyTest", "-latencyTest -rawBlocking", "-pubRate 1000"] {
        for victim in ["sub", "pub"] {
            check_death(victim, mode, "-rawTransport");
            check_death(victim, mode, "-rawTransport -transport SHMEM");
            check_death(victim, mode, "-rawTransport -transport TCP");
        }
    }
}

#[test]
fn an_interrupted_publisher_ends_both_sides_with_their_rows() {
    let output = script(&format!(
        "{SENDS}; cd $(mktemp -d)
         $P -sub -rawTransport -noPrint -noOutputHeaders 2> /dev/null & sub=$!
         $P -pub -latencyTest -rawTransport -noPrint -noOutputHeaders 2> pub.err & pub=$!
         sends pub.err; kill -INT $pub; wait $pub; echo $?; wait $sub; echo $?",
    ));
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
    // Far less than without end; how much more than a second the rest takes depends on what else
    // the machine does.
    assert!((1_000..60_000).contains(&took), "{text}");
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
fn a_word_that_is_no_command_brings_the_one_that_was_meant() {
    for (line, meant) in [
        ("doctr", "did you mean perftest doctor?"),
        ("camapign quick", "did you mean perftest campaign?"),
        ("datalen 32", "did you mean -dataLen?"),
        ("campaign qick", "did you mean quick?"),
        ("campaign quick --with rwa", "did you mean raw?"),
        ("campaign quick --secnds 1", "'--seconds'"),
    ] {
        let output = script(&format!("$P {line}"));
        assert!(!output.status.success(), "{line}");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains(meant), "{line}: {errors}");
    }
}

#[test]
fn the_version_names_the_build() {
    for (line, name) in [
        ("-version", "Dunlin perftest"),
        ("--version", "Dunlin perftest"),
        ("campaign --version", "perftest campaign"),
        ("doctor --version", "perftest doctor"),
    ] {
        let output = script(&format!("$P {line}"));
        assert!(output.status.success());
        let expected = format!("{name} {}", dunlin_perftest::VERSION);
        assert_eq!(stdout(&output).trim_end(), expected);
        assert!(expected.ends_with(" build"), "{expected}");
    }
}

#[test]
fn a_negative_number_is_told_with_the_range() {
    for (line, text) in [
        ("-dataLen -5", "-dataLen -5 is not a number from 28 to"),
        (
            "campaign quick --seconds -1",
            "-1 seconds are not from 0.01 to 3600",
        ),
        ("campaign quick --repetitions -3", "-3 is not in 1..=1000"),
        ("compare a b --threshold -1%", "'-1%' for '--threshold"),
        (
            "agent --listen a --secret-file b --longest -5",
            "-5 is not in 1..=4294967295",
        ),
    ] {
        let output = script(&format!("$P {line}"));
        assert!(!output.status.success(), "{line}");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains(text), "{line}: {errors}");
    }
}

#[test]
fn a_latency_test_prints_a_row_each_second_and_the_summary() {
    let output = script(
        "$P -sub -rawTransport -noPrint > /dev/null 2>&1 & sub=$!
         $P -pub -latencyTest -rawTransport -exec 2.5 2> /dev/null; wait $sub",
    );
    let text = stdout(&output);
    let (intervals, summary) = text.split_once("One-way Latency Summary").expect(&text);
    let rows = |text: &str| {
        let first = |line: &&str| line.trim_start().starts_with("100,");
        text.lines().filter(first).count()
    };
    assert!((1..=2).contains(&rows(intervals)), "{text}");
    assert_eq!(rows(summary), 1, "{text}");
}

/// Each kind of output, where nothing can be written and where nobody reads any more.
#[test]
fn what_cannot_be_written_is_an_error_and_a_closed_pipe_is_none() {
    for line in [
        "-help",
        "-version",
        "doctor",
        "campaign --list",
        "campaign quick --show",
    ] {
        let full = script(&format!("$P {line} > /dev/full"));
        let errors = String::from_utf8_lossy(&full.stderr);
        assert_eq!(full.status.code(), Some(1), "{line}: {errors}");
        assert!(errors.contains("No space left"), "{line}: {errors}");
        let closed = script(&format!("$P {line} | true; echo ${{PIPESTATUS[0]}}"));
        assert_eq!(stdout(&closed), "0\n", "{line}");
        assert!(closed.stderr.is_empty(), "{line}: {closed:?}");
    }
}

#[test]
fn a_test_whose_rows_cannot_be_written_ends_at_once() {
    let both = |sink: &str| {
        let output = script(&format!(
            "$P -sub -rawTransport -noPrint > /dev/null 2>&1 & sub=$!
             $P -pub -latencyTest -rawTransport -exec 30000 {sink}
             echo ended ${{PIPESTATUS[0]}}; wait $sub"
        ));
        (
            stdout(&output),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let (ended, errors) = both("> /dev/full");
    assert_eq!(ended, "ended 1\n", "{errors}");
    assert!(
        errors.contains("the results could not be written: No space left"),
        "{errors}"
    );
    let (ended, errors) = both("| true");
    assert_eq!(ended, "ended 0\n", "{errors}");
    assert!(!errors.contains("Error"), "{errors}");
}

/// Files that there was no room for: what was there before stays, a part of what was to come does
/// not, and the status tells.
#[test]
fn a_full_disk_leaves_whole_rows_and_an_error() {
    for (option, old) in [
        ("outputFile", true),
        ("latencyFile", true),
        ("histogramFile", false),
    ] {
        let output = script(&format!(
            r#"cd $(mktemp -d); unshare -m bash -c '
             mkdir small && mount -t tmpfs -o size=64k none small || exit
             printf "%04090d\\n" 7 > small/file
             $P -sub -rawTransport -noPrint > /dev/null 2>&1 & sub=$!
             $P -pub -latencyTest -rawTransport -numIter 100000 -exec 3 -noPrint -{option} small/file > /dev/null 2> err & pub=$!
             until grep -q "Sending data" err || [ ! -e /proc/$pub ]; do sleep 0.02; done
             head -c 100k /dev/zero > small/filler 2> /dev/null
             wait $pub; echo ended $?; grep -c "^Error.*No space left" err; wait $sub
             stat -c %s small/file; ls small'"#
        ));
        let text = stdout(&output);
        let (ended, rest) = text
            .split_once("\n1\n")
            .unwrap_or_else(|| panic!("{option}: {output:?}"));
        assert_eq!(ended, "ended 1", "{option}: {text}");
        // The log of histograms is made anew. Of the others a part would fit into the page that is
        // there.
        let left = if old { 4_091 } else { 0 };
        assert_eq!(rest, format!("{left}\nfile\nfiller\n"), "{option}");
    }
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
