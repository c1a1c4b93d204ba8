//! What strangers call themselves, their topics and the rest, printed by `dunlin ls` and
//! `dunlin why`: nothing of it acts on the terminal, or looks like a line that the command has
//! printed.
mod common;
use common::*;
use dunlin::*;

/// Clears the screen in two ways, turns the direction of writing, and says that all is well.
macro_rules! hostile {
    () => {
        "a\u{1b}[2J\u{9b}2J\u{202e}\u{2028}\r\nFAKE: all is well\u{7f}"
    };
}
const HOSTILE: &str = hostile!();

#[derive(Topic, Clone, Debug, Default)]
#[topic(name = "a\u{1b}[2J\u{9b}2J\u{202e}\u{2028}\r\nFAKE: type")]
struct Stranger {
    #[key]
    color: String,
}

/// One who chooses everything that others see.
fn stranger() -> DomainParticipant {
    let told = |name: &str, value: &str| Property {
        name: name.into(),
        value: value.into(),
        propagate: true,
    };
    let property = Properties {
        values: vec![
            told("dds.sys_info.hostname", HOSTILE),
            told("dds.sys_info.process_id", HOSTILE),
            told(HOSTILE, HOSTILE),
        ],
        ..Default::default()
    };
    let config = ParticipantConfig {
        name: HOSTILE.into(),
        announces_process: false,
        qos: DomainParticipantQos {
            property,
            ..Default::default()
        },
        ..Default::default()
    };
    DomainParticipant::with_config(0, config).unwrap()
}

/// Everything that can be named by somebody is named so, on both sides of a topic.
struct Scene {
    _writer: DataWriter<Stranger>,
    _reader: DataReader<Stranger>,
}

impl Scene {
    fn new(topic: &str) -> Self {
        let participant = stranger();
        let partition = |name: &str| Partition(vec![name.to_owned(), HOSTILE.into()]);
        let publisher = PublisherQos {
            partition: partition("left"),
            ..Default::default()
        };
        let offered = DataWriterQos {
            entity_name: HOSTILE.into(),
            user_data: HOSTILE.into(),
            reliability: Reliability::BEST_EFFORT,
            property: Properties {
                values: vec![Property {
                    name: HOSTILE.into(),
                    value: HOSTILE.into(),
                    propagate: true,
                }],
                ..Default::default()
            },
            ..Default::default()
        };
        let writer = common::writer(&participant, topic, offered, publisher);
        let related = participant.create_topic(topic, Default::default()).unwrap();
        let expression = format!("color <> '{HOSTILE}'");
        let part = participant
            .create_contentfilteredtopic("part", &related, &expression, &[] as &[&str])
            .unwrap();
        let subscriber = participant.create_subscriber(SubscriberQos {
            partition: partition("right"),
            ..Default::default()
        });
        let requested = DataReaderQos {
            entity_name: HOSTILE.into(),
            reliability: Reliability::RELIABLE,
            ..Default::default()
        };
        Self {
            _writer: writer,
            _reader: subscriber.create_datareader(&part, requested).unwrap(),
        }
    }
}

/// What the command prints, with what came of the names in it.
fn harmless(arguments: &[&str]) -> String {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_dunlin"))
        .args(arguments)
        .output()
        .unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    let acts = |c: &char| *c != '\n' && !is_printable(*c);
    let acting: Vec<char> = text.chars().filter(acts).collect();
    assert!(acting.is_empty(), "{acting:?} in {text}");
    for line in text.lines() {
        assert!(!line.trim_start().starts_with("FAKE"), "{text}");
    }
    assert!(text.contains("FAKE"), "{text}");
    text
}

#[test]
fn what_strangers_choose_stays_in_its_place() {
    let test = "what_strangers_choose_stays_in_its_place";
    in_namespace(test, LOOPBACK, || {
        let _scene = Scene::new(HOSTILE);
        let text = harmless(&["ls", "--wait", "20"]);
        for (policy, count) in [("PARTITION", 2), ("CONTENT_FILTER", 1), ("PROPERTY", 1)] {
            assert_eq!(text.matches(policy).count(), count, "{policy} in {text}");
        }
        assert!(
            text.contains(r"a\u{1b}[2J\u{9b}2J\u{202e}\u{2028}\r\nFAKE"),
            "{text}"
        );
        let json = harmless(&["ls", "--wait", "20", "--json"]);
        let all: serde_json::Value = serde_json::from_str(&json).unwrap();
        let participant = &all["domains"][0]["participants"][0];
        assert_eq!(participant["name"], HOSTILE);
        assert_eq!(participant["host"], HOSTILE);
        assert_eq!(all["domains"][0]["endpoints"][0]["topic"], HOSTILE);

        for arguments in [
            &["why", "--wait", "20"] as &[&str],
            &["why", "--wait", "20", "--json"],
            // Another topic, so that those that there are are listed.
            &["why", "nothing", "--wait", "1", "--elsewhere", "0-1"],
        ] {
            harmless(arguments);
        }
    });
}
