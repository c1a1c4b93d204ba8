use serde_json::json;

use super::*;
use crate::record::Directory;
use crate::side::{Local, Place};

fn cell() -> Cell {
    Cell {
        system: "dunlin".into(),
        transport: "UDPv4".into(),
        mode: Mode::Latency,
        reliable: true,
        keyed: false,
        zero_copy: false,
        blocking: false,
        size: 32,
        chapter: String::new(),
        variant: Default::default(),
    }
}

fn with_turn<T>(cell: &Cell, network: Network, then: impl FnOnce(&Turn<'_>) -> T) -> T {
    let here = || -> Box<dyn Place> {
        Box::new(Local {
            perftest: vec![],
            before: vec![],
        })
    };
    let bench = Bench {
        seconds: 0.5,
        network,
        pins: [Some(3), None],
        places: [here(), here()],
        between: None,
        counts_calls: false,
        stop: Default::default(),
    };
    let directory = Directory::at("/nowhere");
    then(&Turn {
        cell,
        repetition: 2,
        seconds: bench.seconds,
        bench: &bench,
        directory: &directory,
    })
}

fn words(system: Perftest, cell: &Cell, network: Network) -> [String; 2] {
    with_turn(cell, network, |turn| {
        [PUBLISHER, SUBSCRIBER].map(|side| system.arguments(turn, side, None).join(" "))
    })
}

#[test]
fn both_sides_are_told_the_same_work() {
    let [publisher, subscriber] = words(Perftest::Dunlin, &cell(), Network::Namespace);
    let common = "-transport UDPv4 -dataLen 32 -discoveryTimeout 20 -noPrint -cpu -nsResolution -outputFormat json";
    let file = "/nowhere/histograms/udpv4-latency-32-bytes-reliable-unkeyed-dunlin-latency-2.hlog";
    let own = format!("-pub -executionTime 0.5 -latencyTest -histogramFile {file} -pin 3");
    assert_eq!(publisher, format!("{common} {own}"));
    assert_eq!(subscriber, format!("{common} -sub"));
    let keyed = Cell {
        keyed: true,
        reliable: false,
        mode: Mode::Throughput { batched: false },
        ..cell()
    };
    let [publisher, subscriber] = words(Perftest::Dunlin, &keyed, Network::Loopback);
    assert!(publisher.contains("-bestEffort -keyed -instances 100000"));
    assert!(subscriber.contains("-bestEffort -keyed -instances 100000"));
    assert!(publisher.contains("-batchSize 0") && !subscriber.contains("-batchSize"));
    assert!(publisher.ends_with("-nic 127.0.0.1 -peer 127.0.0.1"));
}

#[test]
fn by_tcp_each_side_is_told_where_the_other_one_is() {
    let tcp = Cell {
        transport: "TCP".into(),
        ..cell()
    };
    let hosts = Network::Hosts([[10, 0, 0, 1].into(), [10, 0, 0, 2].into()]);
    let [publisher, subscriber] = words(Perftest::Dunlin, &tcp, Network::Namespace);
    let here = "-nic 127.0.0.1 -transportServerBindPort";
    assert!(publisher.ends_with(&format!("{here} 7401 -peer 127.0.0.1:7400")));
    assert!(subscriber.ends_with(&format!("{here} 7400 -peer 127.0.0.1:7401")));
    let [publisher, subscriber] = words(Perftest::Raw, &tcp, hosts);
    assert!(publisher.ends_with("-nic 10.0.0.1 -transportServerBindPort 7400"));
    assert!(subscriber.ends_with("-transportServerBindPort 7400 -peer 10.0.0.1:7400"));
}

#[test]
fn at_a_switch_each_side_knows_the_other_one_or_what_is_between_them() {
    let switch = Network::Switch([1, 2, 3].map(|last| [10, 0, 0, last].into()));
    let [publisher, subscriber] = words(Perftest::Dunlin, &cell(), switch);
    assert!(publisher.ends_with("-nic 10.0.0.1 -peer 10.0.0.2"));
    assert!(subscriber.ends_with("-nic 10.0.0.2 -peer 10.0.0.1"));
    let asleep = Cell {
        blocking: true,
        ..cell()
    };
    let both = |system: Perftest| {
        with_turn(&asleep, switch, |turn| {
            system
                .routed(turn, [1, 3])
                .unwrap()
                .map(|side| (side.arguments.join(" "), side.environment))
        })
    };
    let [publisher, subscriber] = both(Perftest::Raw);
    assert!(publisher.0.contains("-rawBlocking") && publisher.1.is_empty());
    assert!(
        publisher
            .0
            .ends_with("-domain 1 -nic 10.0.0.1 -peer 10.0.0.3")
    );
    assert!(
        subscriber
            .0
            .ends_with("-domain 3 -nic 10.0.0.2 -peer 10.0.0.3")
    );
    let [publisher, _] = both(Perftest::Dunlin);
    assert_eq!(publisher.1, [("DUNLIN_WAITING".into(), "block".into())]);
}

#[test]
fn the_figures_come_out_of_the_tables() {
    let publisher = json!({
        "latency_ave": 3.5, "latency_std": 0.25, "latency_min": 3, "latency_max": 90, "latency_50": 3.2,
        "latency_90": 4, "latency_99": 5, "latency_99.99": 80, "latency_99.9999": 90, "samples": 1000,
        "lost_pings": 1, "late_pongs": 2, "warm_up_samples": 50,
    });
    let subscriber = json!({"cost": {"cpu": 7.0, "context_switches": 0.5, "page_faults": 0,
        "system_calls": null, "allocations": null}});
    let measured = with_turn(&cell(), Network::Namespace, |turn| {
        Perftest::Dunlin.figures(turn, &publisher, &subscriber)
    })
    .unwrap();
    let latency = measured.latency.unwrap();
    assert_eq!(latency.percentiles, [3_200, 4_000, 5_000, 80_000, 90_000]);
    assert_eq!((latency.samples, latency.lost, latency.late), (1000, 1, 2));
    assert_eq!((latency.deviation, measured.warm_up), (250.0, 50));
    assert_eq!(
        measured.cost[SUBSCRIBER].as_ref().map(|cost| cost.cpu),
        Some(7.0)
    );
    assert!(super::latency(&json!({}), String::new()).is_err());
    let mut loaded = publisher.clone();
    loaded["unsent"] = json!(4);
    loaded["response"] = publisher.clone();
    loaded["response"]["latency_50"] = json!(77);
    let response = response(&loaded, String::new()).unwrap();
    assert_eq!((response.percentiles[0], response.lost), (77_000, 5));
    let counted = json!({"packets": 9, "packets/sAve": 4.5, "mbpsAve": 0.5, "lost": 1});
    assert_eq!(
        throughput(&json!({}), &counted).unwrap().samples_per_second,
        4.5
    );
}

#[test]
fn what_a_system_does_not_have_has_a_reason() {
    let zero_copy = Cell {
        zero_copy: true,
        blocking: false,
        ..cell()
    };
    let reason = Perftest::Dunlin.has(&zero_copy).unwrap_err();
    assert_eq!(reason, "dunlin has no zero copy by UDPv4");
    let batched = Cell {
        mode: Mode::Throughput { batched: true },
        ..cell()
    };
    assert_eq!(
        Perftest::Raw.has(&batched),
        Err("raw has no batches".into())
    );
    assert_eq!(Perftest::Dunlin.has(&batched), Ok(()));
    let loaded = Cell {
        mode: Mode::Loaded { rate: 1_000.0 },
        ..cell()
    };
    assert_eq!(
        Perftest::C.has(&loaded),
        Err("dunlin-c has no fixed rates".into())
    );
}

#[test]
fn other_languages_are_other_programs_with_the_same_arguments() {
    let own = words(Perftest::Dunlin, &cell(), Network::Namespace);
    assert_eq!(words(Perftest::Cpp98, &cell(), Network::Namespace), own);
    assert!(Perftest::Raw.is_perftest() && !Perftest::C.is_perftest());
    let reason = Perftest::C.prepare().unwrap_err();
    assert!(reason.contains("make languages"), "{reason}");
}
