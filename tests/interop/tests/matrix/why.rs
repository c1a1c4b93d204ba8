//! An observer says why endpoints of other products do not hear each other, by what these announce.
use crate::namespace::Namespace;
use crate::peer::{Peer, Vendor};

/// What the observer prints with these two beside it.
fn seen((publisher, offered): (Vendor, &str), (subscriber, requested): (Vendor, &str)) -> String {
    let namespace = Namespace::new();
    let _subscriber = Peer::start(&namespace, subscriber, "sub", requested, &[]);
    let _publisher = Peer::start(&namespace, publisher, "pub", offered, &[]);
    let mut observer = namespace.command(env!("CARGO_BIN_EXE_dunlin_peer"));
    let output = observer
        .args(["why", "Interop"])
        .output()
        .expect("nsenter starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    text
}

#[track_caller]
fn assert_line(text: &str, words: &[&str]) {
    let has = |line: &str| words.iter().all(|word| line.contains(word));
    assert!(text.lines().any(has), "no line with {words:?}:\n{text}");
}

#[test]
fn policies_of_other_products_are_compared_and_their_processes_named() {
    let text = seen(
        (Vendor::Cyclone, "--reliability be"),
        (Vendor::FastDds, "--reliability reliable"),
    );
    let words = ["RELIABILITY", "offers BEST_EFFORT", "requests RELIABLE"];
    assert_line(&text, &words);
    for vendor in ["vendor=Cyclone DDS", "vendor=Fast DDS"] {
        assert_line(&text, &[vendor, "host=true", "answers=true"]);
        assert!(!text.contains("process=untold"), "{text}");
    }
}

#[test]
fn partitions_and_types_of_other_products_are_compared() {
    let partitions = ("--partition left", "--partition right");
    let text = seen(
        (Vendor::FastDds, partitions.0),
        (Vendor::Cyclone, partitions.1),
    );
    assert_line(&text, &["PARTITION", "\"left\"", "\"right\""]);
    let text = seen(
        (Vendor::Cyclone, "--type keyed"),
        (Vendor::FastDds, "--type plain"),
    );
    assert_line(&text, &["type", "interop::Keyed", "interop::Plain"]);
}
