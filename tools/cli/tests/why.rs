//! `dunlin why` beside living participants that do not get on, each staged mismatch in a network
//! namespace of its own: the cause has to be named, with both values.
mod common;
use common::*;
use dunlin::*;
use std::process::{Command, Output};
use std::time::{Duration as Span, Instant};

/// Generous: the machine may be busy.
const LONG: Span = Span::from_secs(40);

/// Runs `dunlin why` until it says all the words in one line, as it has to in the end, whatever the
/// moment at which it looked.
fn expect(arguments: &str, words: &[&str]) {
    expect_of(|| dunlin(&format!("why {arguments}")), words);
}

/// The same with a command that does not share memory, which no firewall keeps out.
fn expect_over_udp(arguments: &str, words: &[&str]) {
    let run = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dunlin"));
        command.arg("why").args(arguments.split_whitespace());
        command.env("DUNLIN_TRANSPORTS", "udp").output().unwrap()
    };
    expect_of(run, words);
}

fn expect_of(run: impl Fn() -> Output, words: &[&str]) {
    let until = Instant::now() + LONG;
    loop {
        let output = run();
        let text = String::from_utf8(output.stdout).unwrap();
        let found = text
            .lines()
            .any(|line| words.iter().all(|word| line.contains(word)));
        if found {
            assert_eq!(output.status.code(), Some(1), "{text}");
            return;
        }
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(
            Instant::now() < until,
            "no line with {words:?} in:\n{text}{complaint}"
        );
    }
}

/// A writer and a reader of one topic, each with a participant of its own.
struct Pair {
    writer: DataWriter<Shape>,
    reader: DataReader<Shape>,
    participants: [DomainParticipant; 2],
}

impl Pair {
    fn new(writer: DataWriterQos, reader: DataReaderQos) -> Self {
        Self::grouped((writer, Default::default()), (reader, Default::default()))
    }

    fn grouped(
        (writer, publisher): (DataWriterQos, PublisherQos),
        (reader, subscriber): (DataReaderQos, SubscriberQos),
    ) -> Self {
        let (north, south) = (participant(0, "north"), participant(0, "south"));
        Self::of(north, south, (writer, publisher), (reader, subscriber))
    }

    /// Without shared memory.
    fn over_udp() -> Self {
        let of = |name: &str| {
            let config = ParticipantConfig {
                name: name.into(),
                transports: Transports::UDP,
                ..ParticipantConfig::default()
            };
            DomainParticipant::with_config(0, config).unwrap()
        };
        Self::of(
            of("north"),
            of("south"),
            Default::default(),
            Default::default(),
        )
    }

    fn of(
        north: DomainParticipant,
        south: DomainParticipant,
        (writer, publisher): (DataWriterQos, PublisherQos),
        (reader, subscriber): (DataReaderQos, SubscriberQos),
    ) -> Self {
        Self {
            writer: common::writer(&north, "Square", writer, publisher),
            reader: common::reader(&south, "Square", reader, subscriber),
            participants: [north, south],
        }
    }

    fn met(self) -> Self {
        let wait = Duration::from_secs(40);
        self.writer.wait_for_matched(1, wait).unwrap();
        self.reader.wait_for_matched(1, wait).unwrap();
        self
    }

    fn write(&self, count: i32) {
        for x in 0..count {
            self.writer.write(&shape("BLUE", x)).unwrap();
        }
        self.writer
            .wait_for_acknowledgments(Duration::from_secs(40))
            .unwrap();
    }
}

fn shape(color: &str, x: i32) -> Shape {
    Shape {
        color: color.into(),
        x,
    }
}

fn reliable() -> DataReaderQos {
    DataReaderQos {
        reliability: Reliability::RELIABLE,
        ..Default::default()
    }
}

/// Each test: a name, and what happens in its namespace.
macro_rules! staged {
    ($($name:ident $body:block)+) => {
        $(#[test]
        fn $name() {
            in_namespace(stringify!($name), LOOPBACK, || $body);
        })+
    };
}

staged! {
    what_matches_and_flows_has_no_findings {
        let pair = Pair::new(Default::default(), reliable()).met();
        pair.write(3);
        let text = printed("why Square --wait 20");
        assert!(text.contains("1 writer, 1 reader, 1 pair matches"), "{text}");
        assert!(text.contains("nothing stands in the way") && text.contains("\"north\""), "{text}");
        let both = format!("why --wait 20 {} {}", pair.writer.guid(), pair.reader.guid());
        assert!(printed(&both).contains("nothing stands in the way"));
        assert_eq!(dunlin("why Square 123").status.code(), Some(2));
    }

    another_domain {
        let (north, south) = (participant(0, "north"), participant(3, "south"));
        let _w = writer::<Shape>(&north, "Square", Default::default(), Default::default());
        let _r = reader::<Shape>(&south, "Square", Default::default(), Default::default());
        expect("Square", &["domain: domain 3 has 0 writers and 1 readers", "domain 0", "\"south\""]);
    }

    nobody_at_all {
        expect("Square --wait 1 --elsewhere 0-2", &["nobody:", "domain 0"]);
    }

    a_slip_in_a_topic_name {
        let (north, south) = (participant(0, "north"), participant(0, "south"));
        let _w = writer::<Shape>(&north, "Sqaure", Default::default(), Default::default());
        let _r = reader::<Shape>(&south, "Square", Default::default(), Default::default());
        expect("Square --elsewhere 0-1", &["topic:", "\"Sqaure\" is written", "did you mean"]);
    }

    another_type {
        // Names decide where one side says nothing of its type.
        let types = TypeSettings { announce: TypeAnnouncement::None, ..Default::default() };
        let south = ParticipantConfig { types, ..common::config("south") };
        let south = DomainParticipant::with_config(0, south).unwrap();
        let north = participant(0, "north");
        let _w = writer::<Shape>(&north, "Square", Default::default(), Default::default());
        let _r = reader::<Misspelt>(&south, "Square", Default::default(), Default::default());
        expect("Square", &["type:", "\"ShapeType\"", "\"shape_type\"", "alike"]);
    }

    keys_on_one_side_only {
        let (north, south) = (participant(0, "north"), participant(0, "south"));
        let _w = writer::<Shape>(&north, "Square", Default::default(), Default::default());
        let _r = reader::<Keyless>(&south, "Square", Default::default(), Default::default());
        expect("Square", &["type:", "the writer's type has keys, the reader's has none"]);
    }

    reliability {
        let qos = DataWriterQos { reliability: Reliability::BEST_EFFORT, ..Default::default() };
        let _pair = Pair::new(qos, reliable());
        expect("Square", &["RELIABILITY", "W1 offers BEST_EFFORT", "R1 requests RELIABLE"]);
    }

    durability {
        let qos = DataReaderQos { durability: Durability::TransientLocal, ..reliable() };
        let _pair = Pair::new(Default::default(), qos);
        expect("Square", &["DURABILITY", "offers VOLATILE", "requests TRANSIENT_LOCAL"]);
    }

    deadline {
        let offered = DataWriterQos { deadline: Duration::from_secs(5), ..Default::default() };
        let requested = DataReaderQos { deadline: Duration::from_secs(2), ..Default::default() };
        let _pair = Pair::new(offered, requested);
        expect("Square", &["DEADLINE", "offers 5 s", "requests 2 s"]);
    }

    latency_budget {
        let millis = Duration::from_millis;
        let offered = DataWriterQos { latency_budget: millis(20), ..Default::default() };
        let requested = DataReaderQos { latency_budget: millis(10), ..Default::default() };
        let _pair = Pair::new(offered, requested);
        expect("Square", &["LATENCY_BUDGET", "offers 20 ms", "requests 10 ms"]);
    }

    ownership {
        let requested = DataReaderQos { ownership: Ownership::Exclusive, ..Default::default() };
        let _pair = Pair::new(Default::default(), requested);
        expect("Square", &["OWNERSHIP", "offers SHARED", "requests EXCLUSIVE"]);
    }

    liveliness_kind_and_lease {
        let liveliness = |kind, secs| Liveliness { kind, lease_duration: Duration::from_secs(secs) };
        let offered = liveliness(LivelinessKind::Automatic, 9);
        let requested = liveliness(LivelinessKind::ManualByTopic, 4);
        let _pair = Pair::new(
            DataWriterQos { liveliness: offered, ..Default::default() },
            DataReaderQos { liveliness: requested, ..Default::default() },
        );
        expect("Square", &["LIVELINESS", "AUTOMATIC with lease 9 s", "MANUAL_BY_TOPIC with lease 4 s"]);
    }

    destination_order {
        let order = DestinationOrder::BySourceTimestamp;
        let requested = DataReaderQos { destination_order: order, ..Default::default() };
        let _pair = Pair::new(Default::default(), requested);
        expect("Square", &["DESTINATION_ORDER", "BY_RECEPTION_TIMESTAMP", "requests BY_SOURCE_TIMESTAMP"]);
    }

    presentation {
        let presentation = Presentation {
            access_scope: AccessScope::Topic,
            ordered_access: true,
            ..Default::default()
        };
        let subscriber = SubscriberQos { presentation, ..Default::default() };
        let _pair = Pair::grouped(Default::default(), (Default::default(), subscriber));
        expect("Square", &["PRESENTATION", "offers INSTANCE", "requests TOPIC ordered"]);
    }

    representation {
        let offered = DataWriterQos { representation: DataRepresentation::Xcdr2, ..Default::default() };
        let requested = DataReaderQos {
            representation: vec![DataRepresentation::Xcdr1],
            ..Default::default()
        };
        let _pair = Pair::new(offered, requested);
        expect("Square", &["DATA_REPRESENTATION", "offers XCDR2", "requests XCDR1"]);
    }

    partition {
        let partition = |name: &str| Partition(vec![name.to_owned()]);
        let publisher = PublisherQos { partition: partition("left"), ..Default::default() };
        let subscriber = SubscriberQos { partition: partition("right*"), ..Default::default() };
        let _pair = Pair::grouped((Default::default(), publisher), (Default::default(), subscriber));
        expect("Square", &["PARTITION", "W1 is in partition \"left\"", "R1 in \"right*\""]);
    }

    a_late_joiner_gets_no_history {
        let pair = Pair::new(Default::default(), reliable()).met();
        pair.write(2);
        drop(pair.reader);
        let late = participant(0, "late");
        let _late = reader::<Shape>(&late, "Square", reliable(), Default::default());
        expect("Square", &["nothing written", "2 changes", "none reached reader R1", "VOLATILE"]);
    }

    nothing_was_written {
        let _pair = Pair::new(Default::default(), reliable()).met();
        expect("Square", &["nothing written", "W1"]);
    }

    ownership_is_lost_to_a_stronger_writer {
        let offer = |strength| DataWriterQos {
            ownership: Ownership::Exclusive,
            ownership_strength: strength,
            ..Default::default()
        };
        let requested = DataReaderQos { ownership: Ownership::Exclusive, ..reliable() };
        let weak = Pair::new(offer(3), requested).met();
        let east = participant(0, "east");
        let strong = writer::<Shape>(&east, "Square", offer(8), Default::default());
        strong.wait_for_matched(1, Duration::from_secs(40)).unwrap();
        strong.write(&shape("BLUE", 0)).unwrap();
        strong.wait_for_acknowledgments(Duration::from_secs(40)).unwrap();
        weak.write(5);
        expect("Square", &["OWNERSHIP_STRENGTH", "5 changes", "has strength 3", "has 8"]);
    }

    a_time_based_filter_passes_samples_over {
        let separation = Duration::from_secs(3600);
        let requested = DataReaderQos { time_based_filter: separation, ..reliable() };
        let pair = Pair::new(Default::default(), requested).met();
        pair.write(6);
        expect("Square", &["TIME_BASED_FILTER", "3600 s", "passed over 5"]);
    }

    a_participant_is_ignored {
        let pair = Pair::new(Default::default(), reliable()).met();
        let [north, south] = &pair.participants;
        south.ignore_participant(InstanceHandle(north.guid().to_bytes()));
        expect("Square", &["ignored:", "\"south\"", "ignores W1", "\"north\""]);
    }

    a_topic_is_ignored {
        let pair = Pair::new(Default::default(), reliable()).met();
        pair.participants[0].ignore_topic("Square");
        expect("Square", &["ignored:", "\"north\"", "ignores R1", "\"south\""]);
    }

    a_content_filter_lets_nothing_through {
        let (north, south) = (participant(0, "north"), participant(0, "south"));
        let offered = DataWriterQos::default();
        let writer = writer::<Shape>(&north, "Square", offered, Default::default());
        let topic = south.create_topic::<Shape>("Square", Default::default()).unwrap();
        let small = south
            .create_contentfilteredtopic("Small", &topic, "x < %0", &["5"])
            .unwrap();
        let subscriber = south.create_subscriber(Default::default());
        let _reader = subscriber.create_datareader(&small, reliable()).unwrap();
        writer.wait_for_matched(1, Duration::from_secs(40)).unwrap();
        for x in 7..10 {
            writer.write(&shape("BLUE", x)).unwrap();
        }
        writer.wait_for_acknowledgments(Duration::from_secs(40)).unwrap();
        expect("Square", &["content filter", "x < %0", "[5]", "none of 3 samples"]);
    }

    a_lifespan_is_too_short {
        let offered = DataWriterQos { lifespan: Duration::from_millis(1), ..Default::default() };
        let pair = Pair::new(offered, reliable()).met();
        for color in ["RED", "GREEN", "BLUE"] {
            pair.writer.write(&shape(color, 0)).unwrap();
        }
        expect("Square", &["LIFESPAN", "expired in reader R1", "1 ms"]);
    }

    a_reader_is_full {
        let requested = DataReaderQos {
            history: History::KeepAll,
            resource_limits: ResourceLimits { max_samples: Some(4), ..Default::default() },
            ..reliable()
        };
        let offered = DataWriterQos { history: History::KeepAll, ..Default::default() };
        let pair = Pair::new(offered, requested).met();
        for x in 0..6 {
            pair.writer.write(&shape("BLUE", x)).unwrap();
        }
        expect("Square", &["RESOURCE_LIMITS", "R1 is full", "max_samples 4", "holds 4"]);
    }

    liveliness_is_lost {
        let liveliness = Liveliness {
            kind: LivelinessKind::ManualByTopic,
            lease_duration: Duration::from_millis(200),
        };
        let offered = DataWriterQos { liveliness, ..Default::default() };
        let pair = Pair::new(offered, reliable()).met();
        pair.write(1);
        expect("Square", &["LIVELINESS", "W1 has not shown its life", "MANUAL_BY_TOPIC with lease 200 ms"]);
    }

    multicast_is_blocked {
        if !filter("output", "ip daddr 224.0.0.0/4") {
            return;
        }
        let _pair = Pair::over_udp();
        expect_over_udp("Square", &["multicast:", "not even what we announced ourselves"]);
        expect_over_udp("Square", &["not heard:", "\"north\"", "has not heard of", "\"south\""]);
    }

    unicast_is_dropped_by_a_firewall {
        // Nothing gets to the second participant's ports but what is sent to the group.
        if !filter("input", "ip daddr 127.0.0.0/8 udp dport 7412-7413") {
            return;
        }
        let _pair = Pair::over_udp();
        let words = ["no answer:", "\"south\"", "does not answer by unicast", ":7412", "firewall"];
        expect_over_udp("Square --wait 2", &words);
    }

    a_reader_that_hears_nothing_is_behind {
        let qos = DataReaderQos { reliability: Reliability::RELIABLE, ..Default::default() };
        let config = |name: &str| ParticipantConfig { transports: Transports::UDP, ..config(name) };
        let of = |name| DomainParticipant::with_config(0, config(name)).unwrap();
        let both = (Default::default(), (qos, Default::default()));
        let pair = Pair::of(of("north"), of("south"), both.0, both.1).met();
        // From now on no sample and no heartbeat gets to the second participant.
        if !filter("input", "ip daddr 127.0.0.0/8 udp dport 7413") {
            return;
        }
        for x in 0..1000 {
            pair.writer.write(&shape("BLUE", x)).unwrap();
        }
        let words = ["behind: reader R1", "\"south\"", "1000 of 1000 changes of writer W1"];
        expect_over_udp("Square --wait 2", &words);
    }
}

/// Has the namespace drop what suits the rule; false, and it says so, if this system cannot.
fn filter(hook: &str, rule: &str) -> bool {
    let script = format!(
        "nft add table ip t && nft 'add chain ip t c {{ type filter hook {hook} priority 0; }}' && nft add rule ip t c {rule} drop"
    );
    let done = Command::new("sh").args(["-c", &script]).status();
    let done = done.is_ok_and(|status| status.success());
    if !done {
        println!("SKIPPED: nft cannot filter here");
    }
    done
}

/// As `Shape`, under another name.
#[derive(Topic, Clone, Debug, Default)]
#[topic(name = "shape_type", extensibility = "appendable")]
struct Misspelt {
    #[key]
    #[topic(bound = 128)]
    color: String,
    x: i32,
}

/// As `Shape`, without a key.
#[derive(Topic, Clone, Debug, Default)]
#[topic(name = "ShapeType", extensibility = "appendable")]
struct Keyless {
    color: String,
    x: i32,
}
