//! Real processes over TCP, on two hosts: network namespaces with a cable between them.

mod common;

use std::path::Path;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

use common::{LISTENS, check_death_with, script, stdout, two_hosts};

/// The options of the published measurements, of both sides; they stand behind the others.
const SUB: &str = "-sub -transport TCP -peer 0@tcpv4_lan://172.16.0.1:7400 -nic 172.16.0.2 -noPrint -noOutputHeaders -noXML";
const PUB: &str = "-pub -transport TCP -peer 0@tcpv4_lan://172.16.0.2:7400 -nic 172.16.0.1 -noPrint -noOutputHeaders -exec 1 \
                   -initialBurst 100 -noXML -latencyTest";

/// Runs the publisher here and the subscriber there, each option list in turn, `first` of them
/// `ahead` seconds before the other one; the rows of both sides.
fn rows(lists: &[&str], first: &str, ahead: &str) -> [Vec<String>; 2] {
    let list: Vec<String> = lists.iter().map(|options| format!("'{options}'")).collect();
    let output = two_hosts(&format!(
        "run() {{ side=$1; shift; for options in {list}; do
             \"$@\" $options >> $side.csv 2> $side.err || {{ echo $side failed: $options; cat $side.err; }}
         done; }}
         publish() {{ $P $@ {PUB}; }}
         subscribe() {{ $THERE $P $@ {SUB}; }}
         late=$([ {first} = pub ] && echo sub || echo pub)
         what() {{ [ $1 = pub ] && echo publish || echo subscribe; }}
         run {first} $(what {first}) & early=$!; sleep {ahead}; run $late $(what $late); wait $early
         cat pub.csv; echo ----; cat sub.csv",
        list = list.join(" "),
    ));
    let text = stdout(&output);
    let (publisher, subscriber) = text
        .split_once("----\n")
        .unwrap_or_else(|| panic!("{text}"));
    [publisher, subscriber].map(|table| table.lines().map(String::from).collect())
}

/// Each run gives one complete row on each side.
fn check_rows(lists: &[&str], first: &str, ahead: &str) {
    let tables = rows(lists, first, ahead);
    for (table, fields) in tables.iter().zip([10, 6]) {
        assert_eq!(table.len(), lists.len(), "{tables:?}");
        for (row, options) in table.iter().zip(lists) {
            let cells: Vec<&str> = row.split(',').map(str::trim).collect();
            assert_eq!(cells.len(), fields, "{tables:?}");
            let size = options.split_whitespace().last();
            assert_eq!(cells.first().copied(), size, "{tables:?}");
            let numbers = cells.iter().all(|cell| cell.parse::<f64>().is_ok());
            assert!(numbers, "{row}");
        }
    }
    // Nothing is lost: the last two of a subscriber's columns say so.
    for row in &tables[1] {
        let lost: Vec<&str> = row.rsplit(',').map(str::trim).take(2).collect();
        assert_eq!(lost, ["0.00", "0"], "{row}");
    }
}

#[test]
fn the_published_command_lines_give_a_complete_row_each() {
    check_rows(
        &[
            "-best -datalen 32",
            "-datalen 32",
            "-datalen 63000",
            "-datalen 100000",
            "-datalen 10485760",
        ],
        "sub",
        "0.5",
    );
}

#[test]
fn the_published_command_lines_with_instances_do_so_too() {
    check_rows(
        &[
            "-best -keyed -instances 100000 -datalen 1024",
            "-keyed -instances 100000 -datalen 63000",
        ],
        "sub",
        "0.5",
    );
}

#[test]
fn it_does_not_matter_which_side_comes_first() {
    for first in ["pub", "sub"] {
        check_rows(&["-datalen 32", "-best -datalen 8192"], first, "4");
    }
}

#[test]
fn a_side_may_have_no_port_and_streams_are_complete() {
    let output = two_hosts(
        "Q='-transport TCP -noPrint -noOutputHeaders -dataLen 1024'
         $THERE $P -sub $Q 2> sub.err & sub=$!
         $P -pub $Q -numIter 50000 -latencyCount 1000 -peer 172.16.0.2 -transportServerBindPort 0 2> pub.err || cat pub.err
         wait $sub || cat sub.err",
    );
    let text = stdout(&output);
    let received = text.lines().filter(|line| line.split(',').count() == 6);
    let counts: Vec<_> = received.filter_map(|row| row.split(',').nth(1)).collect();
    assert_eq!(counts.len(), 1, "{text}");
    assert_eq!(counts[0].trim(), "50000", "{text}");
}

#[test]
fn both_sides_share_a_host_at_two_ports_and_at_one_are_told_so() {
    let output = script(&format!(
        "{LISTENS}; cd $(mktemp -d)
         Q='-transport TCP -noPrint -noOutputHeaders'
         $P -sub $Q -transportServerBindPort 7401 2> sub.err & sub=$!
         $P -pub $Q -latencyTest -numIter 100 -peer 127.0.0.1:7401; echo $?
         wait $sub; echo $?
         $P -sub $Q 2> /dev/null & sub=$!; listens
         $P -pub $Q -latencyTest -peer 127.0.0.1; echo $?; kill $sub; wait",
    ));
    let (text, errors) = (stdout(&output), String::from_utf8_lossy(&output.stderr));
    let statuses: Vec<_> = text.lines().filter(|line| line.len() == 1).collect();
    assert_eq!(statuses, ["0", "0", "1"], "{text}{errors}");
    let last = errors.lines().last().unwrap_or_default();
    assert!(
        last.contains("7400") && last.contains("-transportServerBindPort"),
        "{errors}"
    );
}

#[test]
fn the_death_of_a_side_ends_the_other_one_with_a_partial_row() {
    for victim in ["sub", "pub"] {
        check_death_with(
            victim,
            "-latencyTest",
            ["-peer 127.0.0.1:7401", "-transportServerBindPort 7401"],
            "-transport TCP",
        );
    }
}

/// In a folder: the certificates and keys of a publisher and a subscriber, by the names that
/// perftest looks for, and somebody else's.
fn certificates(folder: &Path) {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority =
        |_| CertifiedIssuer::self_signed(params.clone(), KeyPair::generate().unwrap()).unwrap();
    let [ours, other] = [0, 1].map(authority);
    let write = |name: &str, text: String| std::fs::write(folder.join(name), text).unwrap();
    write("cacert.pem", ours.pem());
    for (name, issuer) in [("pub", &ours), ("sub", &ours), ("other", &other)] {
        let key = KeyPair::generate().unwrap();
        let signed = CertificateParams::new(vec![name.to_owned()]).unwrap();
        let signed = signed.signed_by(&key, issuer).unwrap();
        write(&format!("{name}.pem"), signed.pem());
        write(&format!("{name}key.pem"), key.serialize_pem());
    }
}

#[test]
fn through_tls_only_those_take_part_who_have_a_certificate() {
    let name = format!("dunlin-perftest-tls-{}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    let secure = folder.join("resource/secure");
    std::fs::create_dir_all(&secure).unwrap();
    certificates(&secure);
    let output = two_hosts(&format!(
        "cd {folder}
         Q='-transport TLS -noPrint -noOutputHeaders -dataLen 100000'
         S='-sub -peer 0@tlsv4_lan://172.16.0.1:7400'
         $THERE $P $Q $S 2> sub.err & sub=$!
         $P $Q -pub -latencyTest -numIter 100 -peer 172.16.0.2 2> pub.err; echo status $? of publisher
         wait $sub; echo status $? of subscriber
         $THERE $P $Q $S -transportCertFile resource/secure/other.pem -transportPrivateKey resource/secure/otherkey.pem 2> sub.err & sub=$!
         $P $Q -pub -latencyTest -numIter 100 -peer 172.16.0.2 -discoveryTimeout 3 2> pub.err; echo status $? of one beside a stranger
         kill $sub; wait $sub 2> /dev/null; cd /; $P $Q -sub; echo status $? without certificates",
        folder = folder.display()
    ));
    let _ = std::fs::remove_dir_all(&folder);
    let (text, errors) = (stdout(&output), String::from_utf8_lossy(&output.stderr));
    for expected in [
        "status 0 of publisher",
        "status 0 of subscriber",
        "status 1 of one beside a stranger",
        "status 1 without certificates",
    ] {
        assert!(text.contains(expected), "{text}{errors}");
    }
    assert!(errors.contains("./resource/secure/"), "{errors}");
}

#[test]
fn a_side_that_is_called_by_nobody_says_so() {
    let output = script("$P -sub -transport TCP -multicast -discoveryTimeout 1");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    for expected in [
        "-multicast is ignored",
        "calls nobody",
        "TCP, port 7400",
        "TCP finds nobody by itself",
    ] {
        assert!(errors.contains(expected), "{errors}");
    }
}
