//! Real processes over Dunlin.

mod common;

use common::{SENDS, check_death, check_loops, script, stdout};

#[test]
fn loops_on_both_sides_give_one_row_per_run() {
    let latency = "-pub -latencyTest -numIter 200";
    let sizes = ["32", "1262", "1263", "63000", "65470", "65471", "1048576"];
    check_loops(latency, "-sub", &sizes, "200");
    let keyed = "-keyed -instances 1000";
    check_loops(&format!("{latency} {keyed}"), keyed, &["32", "8192"], "200");
    let best = "-best -nic lo -peer 127.0.0.1";
    check_loops(&format!("{latency} {best}"), best, &["32", "8192"], "200");
    check_loops(
        "-pub -numIter 20000 -latencyCount 100",
        "-sub -useReadThread",
        &["32", "1024"],
        "20000",
    );
}

#[test]
fn a_content_filter_counts_what_passes() {
    let throughput = "-pub -numIter 1000 -latencyCount 100 -instances 500";
    for (publisher, subscriber, count) in [
        ("-keyed", "-keyed -cft 2", "2"),
        ("-keyed", "-keyed -cft 10:2", "18"),
        ("-keyed", "-keyed -cft 250:300 -useReadThread", "102"),
        ("", "-cft 0:65534", "1000"),
        ("-keyed -transport UDPv4", "-keyed -cft 499:600", "2"),
        // There is no such key; the end comes all the same.
        ("-keyed -batchSize 0", "-keyed -cft 500", "0"),
    ] {
        let publisher = format!("{throughput} {publisher}");
        let subscriber = format!("-sub {subscriber} -instances 500");
        check_loops(&publisher, &subscriber, &["32", "1024"], count);
    }
    check_loops(
        "-pub -latencyTest -numIter 200 -keyed -instances 500 -writeInstance 300",
        "-sub -keyed -cft 257:300",
        &["32", "63000"],
        "200",
    );
}

#[test]
fn loops_over_shared_memory_give_one_row_per_run() {
    let latency = "-pub -latencyTest -numIter 200 -transport SHMEM";
    let sizes = ["32", "63000", "65471", "1048576", "10485760"];
    check_loops(latency, "-sub -transport SHMEM", &sizes, "200");
    let others = ["-keyed -instances 1000", "-best -nic lo"];
    for extra in others {
        check_loops(
            &format!("{latency} {extra}"),
            &format!("-sub -transport SHMEM {extra}"),
            &["32", "63000"],
            "200",
        );
    }
    check_loops(
        "-pub -numIter 20000 -latencyCount 100 -transport SHMEM",
        "-sub -useReadThread -transport SHMEM",
        &["32", "1024"],
        "20000",
    );
}

#[test]
fn samples_are_built_and_read_where_they_are() {
    let latency = "-pub -latencyTest -numIter 200";
    for (publisher, subscriber) in [
        ("-flatData -transport UDPv4", "-transport UDPv4"),
        ("-flatData", ""),
        ("-zeroCopy -keyed", "-zeroCopy -keyed -checkConsistency"),
        ("", "-zeroCopy"),
    ] {
        check_loops(
            &format!("{latency} {publisher}"),
            &format!("-sub {subscriber}"),
            &["32", "63000", "1048576"],
            "200",
        );
    }
    check_loops(
        "-pub -numIter 2000 -latencyCount 100 -zeroCopy",
        "-sub -zeroCopy",
        &["63000", "1048576"],
        "2000",
    );
}

#[test]
fn only_the_publisher_need_say_how_long_samples_are() {
    let output = script(
        "cd $(mktemp -d)
         Q='-noPrint -noOutputHeaders -zeroCopy'
         $P -sub $Q 2> s & sub=$!
         $P -pub -latencyTest -numIter 100 -dataLen 63000 $Q 2> p; echo $?
         wait $sub; echo $?",
    );
    let text = stdout(&output);
    assert_eq!(
        text.lines().filter(|line| *line == "0").count(),
        2,
        "{text}"
    );
    let rows = text.lines().filter(|line| line.contains(','));
    assert!(
        rows.clone().all(|row| row.trim().starts_with("63000")),
        "{text}"
    );
    assert_eq!(rows.count(), 2, "{text}");
}

#[test]
fn the_death_of_a_side_ends_the_other_one_with_a_partial_row() {
    for (mode, common) in [("-latencyTest", ""), ("-pubRate 1000", "-best")] {
        for victim in ["sub", "pub"] {
            check_death(victim, mode, common);
            check_death(victim, mode, &format!("{common} -transport SHMEM"));
        }
    }
}

#[test]
fn both_sides_share_one_processor() {
    for transport in ["UDPv4", "SHMEM"] {
        let output = script(&format!(
            "cd $(mktemp -d)
             Q='taskset -c 0 '$P' -noPrint -noOutputHeaders -transport {transport}'
             $Q -sub 2> /dev/null & sub=$!
             $Q -pub -latencyTest -exec 1 2> /dev/null; echo $?
             wait $sub; echo $?"
        ));
        let text = stdout(&output);
        let lines = |good: &dyn Fn(&&str) -> bool| text.lines().filter(good).count();
        assert_eq!(lines(&|line| *line == "0"), 2, "{text}");
        assert_eq!(lines(&|line| line.contains(',')), 2, "{text}");
    }
}

#[test]
fn several_subscribers_and_publishers_take_part() {
    let output = script(
        "cd $(mktemp -d)
         Q='-noPrint -noOutputHeaders'
         $P -sub -sid 0 $Q 2> s0 & $P -sub -sid 1 $Q 2> s1 &
         $P -pub -latencyTest -numIter 100 -numSubscribers 2 $Q 2> p; wait
         $P -sub -numPublishers 2 $Q 2> s &
         $P -pub -pid 1 -numIter 500 $Q 2> p1 & $P -pub -pid 0 -numIter 500 -latencyCount 1 $Q 2> p0; wait",
    );
    let text = stdout(&output);
    let second: Vec<_> = text
        .lines()
        .map(|line| line.split(',').nth(1).unwrap().trim())
        .collect();
    assert_eq!(
        second.iter().filter(|count| **count == "100").count(),
        2,
        "{text}"
    );
    assert_eq!(
        second.iter().filter(|count| **count == "1000").count(),
        1,
        "{text}"
    );
    assert_eq!(second.len(), 5, "{text}");
}

#[test]
fn sides_with_different_types_are_told_so() {
    for (patient, hasty, own) in [
        ("-sub -keyed", "-pub", "TestData_t"),
        ("-pub", "-sub -keyed", "TestDataKeyed_t"),
    ] {
        let output = script(&format!(
            "$P {patient} 2> /dev/null & other=$!
             $P {hasty} -discoveryTimeout 10; status=$?; kill $other; wait; exit $status"
        ));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(
            errors.contains(&format!("This side has type {own}")),
            "{errors}"
        );
    }
}

#[test]
fn a_lonely_side_gives_up_with_a_reason() {
    let output = script("$P -sub -discoveryTimeout 1");
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.contains("No other participant was discovered"),
        "{errors}"
    );
}

#[test]
fn data_travels_by_multicast_if_asked_for() {
    let latency = "-pub -latencyTest -numIter 200";
    for multicast in ["-multicast", "-multicastAddr 239.255.7.1 -best"] {
        let sizes = ["32", "63000", "1048576"];
        check_loops(&format!("{latency} {multicast}"), multicast, &sizes, "200");
    }
    // Both subscribers are in the groups, seen from outside, and the publisher in that of the
    // echoes.
    let output = script(&format!(
        "{SENDS}; cd $(mktemp -d)
         Q='-noPrint -noOutputHeaders -multicast'
         $P -sub -sid 0 $Q 2> s0 & $P -sub -sid 1 $Q 2> s1 &
         $P -pub -latencyTest -numIter 100000000 -numSubscribers 2 $Q 2> p & pub=$!
         sends p; echo groups $(ip maddr show dev lo | grep -o '239.255.1.*'); kill -INT $pub; wait",
    ));
    let text = stdout(&output);
    let groups = text.lines().find(|l| l.starts_with("groups")).unwrap();
    for group in ["239.255.1.1 users 2", "239.255.1.2", "239.255.1.100"] {
        assert!(groups.contains(group), "{text}");
    }
    assert_eq!(
        text.lines().filter(|line| line.contains(',')).count(),
        3,
        "{text}"
    );
}

/// The latencies of one row of an open loop, in microseconds.
fn times(text: &str, which: &str) -> Vec<f64> {
    let row = text.lines().find(|line| line.contains(which));
    let cells = row.unwrap_or_else(|| panic!("{text}")).split(',').skip(3);
    cells.map(|cell| cell.trim().parse().unwrap()).collect()
}

#[test]
fn a_subscriber_that_stalls_shows_in_the_response_times() {
    let output = script(&format!(
        "{SENDS}; cd $(mktemp -d)
         $P -sub -noPrint -noOutputHeaders > sub.csv 2> sub.err & sub=$!
         $P -pub -openLoop 500 -exec 6 -noPrint > pub.csv 2> pub.err & pub=$!
         sends pub.err
         for _ in 1 2; do sleep 0.5; kill -STOP $sub; sleep 0.4; kill -CONT $sub; sleep 0.3; done
         wait $pub; echo $?; wait $sub; echo $?
         cat pub.csv pub.err; cat sub.csv",
    ));
    let text = stdout(&output);
    assert!(text.starts_with("0\n0\n"), "{text}");
    let (response, service) = (times(&text, "response,"), times(&text, "service,"));
    // Average, deviation, minimum, maximum, percentiles. An eighth of the pings fall into a stall.
    // The first 50, which were under way, wait it out and count half of their round trip; for the
    // others there is no room until it is over.
    assert!(response[3] > 100_000.0 && response[6] > 50_000.0, "{text}");
    assert!(
        service[0] < response[0] && service[6] <= response[6],
        "{text}"
    );
}
