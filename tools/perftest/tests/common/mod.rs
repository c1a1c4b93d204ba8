//! Shell scripts in a network namespace of their own, so that nothing leaves this machine and
//! nothing else is met.
#![allow(dead_code, reason = "each test uses a part")]

use std::process::{Command, Output, Stdio};

const SETUP: &str = "ip link set lo up && ip link set lo multicast on && \
                     ip route add 239.255.0.0/16 dev lo && exec \"$@\"";

fn inside(flags: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args([flags, "--", "sh", "-c", SETUP, "sh"]);
    command
}

/// Runs a script in which `$P` is perftest. On a machine with much else to do it may take minutes.
pub(crate) fn script(text: &str) -> Output {
    let works = |flags: &&&str| {
        let status = inside(flags).arg("true").stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    let flags = ["-n", "-Urn"];
    let flags = flags.iter().find(works).expect(
        "these tests need a network namespace: unshare and ip, as root or with user namespaces",
    );
    let output = inside(flags)
        .args(["timeout", "600", "bash", "-c", text])
        .env("P", env!("CARGO_BIN_EXE_perftest"))
        .output()
        .unwrap();
    assert_ne!(
        output.status.code(),
        Some(124),
        "the script hung: {output:?}"
    );
    output
}

/// As [`script`], on a host with the address 172.16.0.1 and a cable to another one, 172.16.0.2,
/// where `$THERE command` runs. The working directory is empty.
pub(crate) fn two_hosts(text: &str) -> Output {
    script(&format!(
        "cd $(mktemp -d)
         unshare -n sleep 1200 & other=$!; trap 'kill $other' EXIT
         here=$(readlink /proc/self/ns/net)
         while [ \"$(readlink /proc/$other/ns/net)\" = $here ]; do sleep 0.05; done
         THERE=\"nsenter -t $other -n\"
         ip link add va type veth peer name vb netns $other
         ip addr add 172.16.0.1/24 dev va && ip link set va up
         $THERE ip addr add 172.16.0.2/24 dev vb && $THERE ip link set vb up && $THERE ip link set lo up
         {text}"
    ))
}

/// For scripts: waits until a publisher whose messages are in a file has begun, or has ended.
pub(crate) const SENDS: &str = "sends() { for _ in $(seq 3000); do grep -qE '^(Sending data|Error)' $1 && break; sleep 0.1; done; }";

/// For scripts: waits until somebody listens at port 7400 of this network.
pub(crate) const LISTENS: &str = "listens() { for _ in $(seq 3000); do grep -q ':1CE8 00000000:0000 0A' /proc/net/tcp && break; sleep 0.1; done; }";

/// What it printed.
pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Loops on both sides without any synchronisation on one domain, as the published scripts have
/// them: one header and a row per size on each side, `count` samples in each.
pub(crate) fn check_loops(publisher: &str, subscriber: &str, sizes: &[&str], count: &str) {
    let list = sizes.join(" ");
    let output = script(&format!(
        "cd $(mktemp -d)
         loop() {{ extra=; for size in {list}; do
             $P -datalen $size $1 -noPrint $extra >> $2.csv 2>> $2.err || {{ echo $2 $size failed; tail -3 $2.err; }}
             extra=-noOutputHeaders
         done; }}
         loop '{subscriber}' sub & sleep 0.2
         loop '{publisher}' pub
         wait
         cat pub.csv; echo ----; cat sub.csv"
    ));
    let text = stdout(&output);
    let (publisher, subscriber) = text
        .split_once("----\n")
        .unwrap_or_else(|| panic!("{text}"));
    for (table, fields) in [(publisher, 10), (subscriber, 6)] {
        let lines: Vec<_> = table.lines().collect();
        assert_eq!(lines.len(), sizes.len() + 1, "{text}");
        assert!(lines[0].starts_with("Sample Size (Bytes),"), "{text}");
        assert!(
            lines.iter().all(|line| line.split(',').count() == fields),
            "{text}"
        );
        let first = |line: &&str| line.split(',').next().unwrap().trim().to_string();
        let seen: Vec<_> = lines[1..].iter().map(first).collect();
        assert_eq!(seen, sizes);
    }
    for line in subscriber.lines().skip(1) {
        let received = line.split(',').nth(1).unwrap().trim();
        assert_eq!(received, count, "{text}");
    }
}

/// Kills one side in the middle: the other one ends by itself, with status 1, its row, and the
/// reason.
pub(crate) fn check_death(victim: &str, mode: &str, common: &str) {
    check_death_with(victim, mode, ["", ""], common);
}

/// Likewise, with options of the publisher and of the subscriber.
pub(crate) fn check_death_with(victim: &str, mode: &str, own: [&str; 2], common: &str) {
    let [publisher, subscriber] = own;
    let survivor = if victim == "pub" { "sub" } else { "pub" };
    let output = script(&format!(
        "cd $(mktemp -d)
         $P -sub {common} {subscriber} -noPrint -noOutputHeaders > sub.csv 2> sub.err & sub=$!
         sleep 0.2
         $P -pub {mode} {common} {publisher} -noPrint -noOutputHeaders > pub.csv 2> pub.err & pub=$!
         {SENDS}; sends pub.err
         sleep 0.5
         kill -9 ${victim}
         wait ${survivor}; echo status $?
         cat {survivor}.csv; tail -1 {survivor}.err"
    ));
    let text = stdout(&output);
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{victim} {mode}: {text}");
    assert_eq!(lines[0], "status 1", "{victim} {mode}: {text}");
    let fields = if survivor == "pub" { 10 } else { 6 };
    assert_eq!(
        lines[1].split(',').count(),
        fields,
        "{victim} {mode}: {text}"
    );
    assert!(lines[2].starts_with("Error: "), "{victim} {mode}: {text}");
}

/// As [`script`], on a host with the address 172.16.1.1 and a cable to another one, 172.16.1.3,
/// where `$BETWEEN command` runs, whose second cable, 172.16.2.3, leads to a third one, 172.16.2.2,
/// where `$THERE command` runs. The working directory is empty.
pub(crate) fn three_hosts(text: &str) -> Output {
    script(&format!(
        "cd $(mktemp -d)
         unshare -n sleep 1200 & between=$!; unshare -n sleep 1200 & there=$!
         trap 'kill $between $there' EXIT
         here=$(readlink /proc/self/ns/net)
         for one in $between $there; do
             while [ \"$(readlink /proc/$one/ns/net)\" = $here ]; do sleep 0.05; done
         done
         BETWEEN=\"nsenter -t $between -n\"; THERE=\"nsenter -t $there -n\"
         ip link add va type veth peer name vb netns $between
         $BETWEEN ip link add vc type veth peer name vd netns $there
         ip addr add 172.16.1.1/24 dev va && ip link set va up
         $BETWEEN ip addr add 172.16.1.3/24 dev vb && $BETWEEN ip link set vb up && $BETWEEN ip link set lo up
         $BETWEEN ip addr add 172.16.2.3/24 dev vc && $BETWEEN ip link set vc up
         $THERE ip addr add 172.16.2.2/24 dev vd && $THERE ip link set vd up && $THERE ip link set lo up
         {text}"
    ))
}
