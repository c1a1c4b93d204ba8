//! A relay between a publisher and a subscriber that do not know of it.

mod common;

use common::{SENDS, script, stdout, three_hosts};

/// For scripts: `passed FILE SIDE` prints how many messages of a side a relay has passed on, from
/// its table in JSON.
const PASSED: &str = r#"passed() { grep -o "\"from_$2\":{[^}]*}" $1 | grep -o '"messages":[0-9]*' | tr -dc '0-9\n'; }"#;

/// A latency test of `count` samples through a relay; the publisher's row, then what was passed.
fn through(transport: &str, waiting: &str, size: u32, count: u32) -> Vec<String> {
    let (own, other) = match transport {
        // The relay listens at a port of its own.
        "TCP" => ("-transportServerBindPort 7401", "-peer 127.0.0.1:7401"),
        _ => ("", ""),
    };
    let length = match transport {
        "SHMEM" => format!("-dataLen {size}"),
        _ => String::new(),
    };
    let output = script(&format!(
        "cd $(mktemp -d); {PASSED}
         Q='-rawTransport -transport {transport} -noPrint -noOutputHeaders'
         $P -relay -transport {transport} {own} {waiting} {length} -outputFormat json > relay 2> relay.err & relay=$!
         $P -sub $Q -dataLen {size} -domain 2 {other} > sub 2> sub.err & sub=$!
         $P -pub $Q -dataLen {size} -domain 1 -latencyTest -numIter {count} > pub 2> pub.err
         echo pub $?; wait $sub; echo sub $?; wait $relay; echo relay $?
         cut -d, -f1 pub; cut -d, -f1,2 sub; passed relay publisher; passed relay subscriber
         grep -h ^Error *.err"
    ));
    let text = stdout(&output);
    assert!(
        text.starts_with("pub 0\nsub 0\nrelay 0\n"),
        "{transport} {waiting} {size}: {text}"
    );
    text.lines()
        .skip(3)
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

fn check(transport: &str, waiting: &str, size: u32) {
    let lines = through(transport, waiting, size, 300);
    let [publisher, subscriber, sent, echoed] = lines.as_slice() else {
        panic!("{transport} {waiting} {size}: {lines:?}");
    };
    assert_eq!(*publisher, size.to_string());
    assert_eq!(*subscriber, format!("{size}, 300"));
    for counted in [sent, echoed] {
        let messages: u32 = counted.parse().expect("a number");
        // The warm-up and the hand-shake pass, too.
        assert!(messages > 300, "{transport} {waiting} {size}: {lines:?}");
    }
}

#[test]
fn samples_and_echoes_of_all_sizes_pass() {
    for size in [32, 64, 1_024, 63_000, 200_000] {
        check("UDPv4", "", size);
    }
    check("UDPv4", "-rawBlocking", 32);
    check("UDPv4", "-rawBlocking", 63_000);
}

#[test]
fn tcp_and_shared_memory_are_relayed_too() {
    for waiting in ["", "-rawBlocking"] {
        for size in [32, 63_000] {
            check("TCP", waiting, size);
            check("SHMEM", waiting, size);
        }
    }
}

#[test]
fn a_relay_on_a_host_of_its_own_joins_two_that_do_not_see_each_other() {
    let output = three_hosts(&format!(
        "{PASSED}
         Q='-rawTransport -noPrint -noOutputHeaders -dataLen 63000 -domain 3'
         $BETWEEN $P -relay -domain 3 -outputDomain 3 -peer 172.16.1.1 -outputPeer 172.16.2.2 \
             -outputFormat json > relay 2> relay.err & relay=$!
         $THERE $P -sub $Q -nic 172.16.2.2 -peer 172.16.2.3 > sub 2> sub.err & sub=$!
         $P -pub $Q -nic 172.16.1.1 -peer 172.16.1.3 -latencyTest -numIter 100 > pub 2> pub.err
         echo pub $?; wait $sub; echo sub $?; wait $relay; echo relay $?; wc -l < pub; cat *.err"
    ));
    let text = stdout(&output);
    assert!(text.starts_with("pub 0\nsub 0\nrelay 0\n1\n"), "{text}");
}

#[test]
fn it_ends_with_its_time_with_a_signal_and_with_a_side_that_dies() {
    let output = script(&format!(
        "cd $(mktemp -d); {SENDS}
         Q='-rawTransport -noPrint -noOutputHeaders'
         pair() {{ : > pub.err; $P -sub $Q -domain 2 > /dev/null 2>&1 & sub=$!
             $P -pub $Q -domain 1 -latencyTest > /dev/null 2> pub.err & pub=$!; sends pub.err; }}
         $P -relay -executionTime 0.5 -noOutputHeaders > row 2> /dev/null & relay=$!
         pair; wait $relay; echo time $?; wc -l < row; wait $pub; wait $sub
         $P -relay > row 2> /dev/null & relay=$!
         pair; kill -INT $relay; wait $relay; echo signal $?; wc -l < row; wait $pub; wait $sub
         $P -relay > row 2> relay.err & relay=$!
         pair; kill -9 $sub; wait $relay; echo death $?; tail -1 relay.err; wait $pub; echo publisher $?"
    ));
    let text = stdout(&output);
    let expected = "time 0\n2\nsignal 0\n3\ndeath 1\n\
                    Error: the subscriber has gone, and the publisher has not\npublisher 1\n";
    assert_eq!(text, expected, "{output:?}");
}

#[test]
fn wrong_options_and_sides_that_never_come_are_named() {
    let output = script(
        "$P -relay -sub 2>&1; echo $?; $P -relay -keyed 2>&1; echo $?; $P -sub -outputDomain 3 2>&1; echo $?
         $P -relay -domain 3 -outputDomain 3 2>&1 | tail -1
         $P -relay -peer 127.0.0.1 -discoveryTimeout 1 2>&1 | tail -1",
    );
    let text = stdout(&output);
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(
        lines[0],
        "Error: -relay and -sub exclude each other: a relay is neither side."
    );
    assert_eq!(lines[2], "Error: -keyed is no option of a relay (-relay).");
    assert_eq!(
        lines[4],
        "Error: -outputDomain is no option of a subscriber (-sub, the default); it is for -relay."
    );
    assert_eq!([lines[1], lines[3], lines[5]], ["255"; 3]);
    assert!(
        lines[6].starts_with("Error: -outputDomain 3 is the publisher's own domain"),
        "{text}"
    );
    let silent = "Error: the publisher has sent nothing within -discoveryTimeout. Raw sockets";
    assert!(lines[7].starts_with(silent), "{text}");
}

/// By strace, which is not everywhere.
#[test]
fn a_datagram_costs_one_receive_and_one_send() {
    let output = script(&format!(
        "command -v strace > /dev/null || {{ echo no strace; exit; }}
         cd $(mktemp -d); {PASSED}
         Q='-rawTransport -noPrint -noOutputHeaders'
         strace -f -c -o calls $P -relay -rawBlocking -outputFormat json > relay 2> /dev/null & relay=$!
         $P -sub $Q -domain 2 > /dev/null 2>&1 & sub=$!
         $P -pub $Q -domain 1 -latencyTest -numIter 3000 > /dev/null 2>&1
         wait $sub; wait $relay; passed relay publisher; passed relay subscriber
         awk '$NF == \"sendto\" || $NF == \"recvfrom\" {{ print $NF, $4, (NF > 5 ? $5 : 0) }}' calls | sort"
    ));
    let text = stdout(&output);
    if text == "no strace\n" {
        return;
    }
    let numbers: Vec<Vec<u32>> = text
        .lines()
        .map(|line| {
            line.split_whitespace()
                .filter_map(|word| word.parse().ok())
                .collect()
        })
        .collect();
    let [publisher, subscriber, receive, send] = numbers.as_slice() else {
        panic!("{text}");
    };
    let passed = publisher[0] + subscriber[0];
    assert!(passed > 6_000, "{text}");
    // What had nothing to receive is not counted; questions to the sides are a few a second.
    let (received, sent) = (receive[0] - receive[1], send[0]);
    let few = passed / 50 + 1_000;
    assert!((passed..passed + few).contains(&received), "{text}");
    assert!((passed..passed + few).contains(&sent), "{text}");
}
