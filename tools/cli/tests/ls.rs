//! `dunlin ls` beside living participants, each test in a network namespace of its own.
mod common;
use common::*;
use dunlin::*;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

#[test]
fn a_domain_is_listed_for_people_and_for_programs() {
    let test = "a_domain_is_listed_for_people_and_for_programs";
    in_namespace(test, LOOPBACK, || {
        let (north, south) = (participant(0, "north"), participant(0, "south"));
        let qos = DataWriterQos {
            deadline: Duration::from_secs(1),
            history: History::KeepAll,
            ..Default::default()
        };
        let partition = PublisherQos {
            partition: Partition(vec!["left".into()]),
            ..Default::default()
        };
        let square = writer::<Shape>(&north, "Square", qos, partition);
        let _circle = reader::<Shape>(&south, "Circle", Default::default(), Default::default());

        let text = printed("ls --wait 20");
        assert!(
            text.starts_with("domain 0: 2 participants, 2 topics, 2 endpoints\n"),
            "{text}"
        );
        let line = |words: &[&str]| {
            let has = |line: &&str| words.iter().all(|word| line.contains(word));
            assert!(
                text.lines().any(|line| has(&line)),
                "no line with {words:?}:\n{text}"
            );
        };
        let process = format!("process {}", std::process::id());
        line(&["\"north\"", "Dunlin", "host ", &process, "lease 10 s"]);
        line(&["Square", "ShapeType", "1 writer", "0 readers"]);
        line(&[
            "writer",
            "DEADLINE 1 s",
            "HISTORY KEEP_ALL",
            "PARTITION \"left\"",
        ]);
        line(&["reader", "Circle"]);
        assert!(!text.contains('\x1b'), "colour without a terminal");

        let all: Value =
            serde_json::from_str(&printed("ls --wait 20 --json --topic Squ*")).unwrap();
        let domain = &all["domains"][0];
        assert_eq!(domain["participants"].as_array().unwrap().len(), 1);
        assert_eq!(domain["participants"][0]["name"], "north");
        assert_eq!(domain["endpoints"].as_array().unwrap().len(), 1);
        let endpoint = &domain["endpoints"][0];
        assert_eq!(endpoint["kind"], "writer");
        assert_eq!(endpoint["guid"], square.guid().to_string());
        assert_eq!(endpoint["qos"]["DEADLINE"], "1 s");
        assert_eq!(endpoint["partition"], "\"left\"");
    });
}

#[test]
fn several_domains_are_looked_at_at_once() {
    let test = "several_domains_are_looked_at_at_once";
    in_namespace(test, LOOPBACK, || {
        let _participants = [participant(1, "one"), participant(3, "three")];
        let text = printed("ls --domain 0-3 --wait 5");
        assert!(
            text.contains("domain 1: 1 participant,") && text.contains("\"three\""),
            "{text}"
        );
        assert!(!text.contains("domain 2"), "{text}");
    });
}

#[test]
fn nobody_is_said_to_be_there_if_nobody_is_and_wrong_options_are_refused() {
    let test = "nobody_is_said_to_be_there_if_nobody_is_and_wrong_options_are_refused";
    in_namespace(test, LOOPBACK, || {
        let text = printed("ls --wait 0.5 --domain 7");
        assert!(text.contains("nobody was heard in domain 7"), "{text}");
        assert_eq!(dunlin("ls --domain 999").status.code(), Some(2));
        assert_eq!(dunlin("ls --peer nobody://x").status.code(), Some(2));
    });
}

#[test]
fn what_comes_and_goes_is_told_while_it_watches() {
    let test = "what_comes_and_goes_is_told_while_it_watches";
    in_namespace(test, LOOPBACK, || {
        let north = participant(0, "north");
        let mut watch = Command::new(env!("CARGO_BIN_EXE_dunlin"))
            .args(["ls", "--watch"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines();
        let mut expect = |words: &[&str]| {
            let mut lines = lines.by_ref().map(|line| line.unwrap());
            let found = lines.find(|line| words.iter().all(|word| line.contains(word)));
            assert!(found.is_some(), "no {words:?}");
        };
        expect(&["\"north\""]);
        let square = writer::<Shape>(&north, "Square", Default::default(), Default::default());
        expect(&["+ domain 0: writer", "Square"]);
        drop(square);
        expect(&["- domain 0: writer", "Square"]);
        let pid = watch.id().to_string();
        Command::new("kill").args(["-INT", &pid]).status().unwrap();
        assert!(watch.wait().unwrap().success());
    });
}

#[test]
fn a_full_disk_is_an_error_and_a_closed_pipe_is_none() {
    let test = "a_full_disk_is_an_error_and_a_closed_pipe_is_none";
    in_namespace(test, LOOPBACK, || {
        let _north = participant(0, "north");
        for command in ["ls", "why"] {
            let to = |stdout: Stdio| {
                Command::new(env!("CARGO_BIN_EXE_dunlin"))
                    .args([command, "--wait", "1"])
                    .stdout(stdout)
                    .output()
                    .unwrap()
            };
            let full = std::fs::OpenOptions::new()
                .write(true)
                .open("/dev/full")
                .unwrap();
            let output = to(full.into());
            let complaint = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success(), "{command}");
            assert!(
                complaint.starts_with(&format!("dunlin {command}: stdout: ")),
                "{complaint}"
            );

            let (reader, writer) = std::io::pipe().unwrap();
            drop(reader);
            let output = to(writer.into());
            assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{command}");
        }
    });
}
