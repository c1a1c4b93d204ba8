//! A service from its start to its end.
use crate::common::*;
use crate::*;
use dunlin::untyped::{TypeSupport, UntypedReader, UntypedReaderOptions};

/// Runs a service by a file until a shape has crossed it and it is interrupted; returns its log.
fn log_of_a_crossing(name: &str, text: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    let file = written(directory.path(), name, text);
    let program = Path::new(env!("CARGO_BIN_EXE_dunlin"));
    let service = start(program, &["route", "run", &file, "-stopAfter", "600"]);
    a_shape_crosses();
    let output = interrupted(service);
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{log}");
    log
}

#[test]
fn shapes_cross_by_xml_until_the_service_is_interrupted() {
    let test = "run::shapes_cross_by_xml_until_the_service_is_interrupted";
    in_namespace(test, LOOPBACK, || {
        let log = log_of_a_crossing("bridge.xml", XML);
        let place = "/routing_services/bridge/domain_routes/d";
        // The shape is written until it has crossed.
        let crossed = log.contains("Stopped: samples ") && !log.contains("samples 0,");
        assert!(log.contains(place) && crossed, "{log}");
    });
}

#[test]
fn shapes_cross_by_toml_with_the_qos_of_their_writer() {
    let test = "run::shapes_cross_by_toml_with_the_qos_of_their_writer";
    in_namespace(test, LOOPBACK, || {
        let log = log_of_a_crossing("yard.toml", TOML);
        assert!(log.contains("/auto_routes/route_1/routes/Square"), "{log}");
    });
}

#[test]
fn the_name_of_rtis_program_takes_its_command_line() {
    let test = "run::the_name_of_rtis_program_takes_its_command_line";
    in_namespace(test, LOOPBACK, || {
        let directory = tempfile::tempdir().unwrap();
        let file = written(directory.path(), "bridge.xml", XML);
        let directory = directory.path().display().to_string();
        printed(&format!("route link {directory}"));
        let program = Path::new(&directory).join("rtiroutingservice");
        let arguments = [
            "-cfgFile",
            &*file,
            "-cfgName",
            "bridge",
            "-domainIdBase",
            "0",
        ];
        let arguments = [&arguments[..], &["-verbosity", "1", "-skipDefaultFiles"]].concat();
        let service = start(&program, &arguments);
        a_shape_crosses();
        let output = interrupted(service);
        let log = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{log}");
        assert_eq!(log, "");
    });
}

#[test]
fn a_service_stops_after_a_time() {
    in_namespace("run::a_service_stops_after_a_time", LOOPBACK, || {
        let directory = tempfile::tempdir().unwrap();
        let file = written(directory.path(), "yard.toml", TOML);
        let output = dunlin(&format!("route run {file} -stopAfter 1"));
        assert_eq!(output.status.code(), Some(0));
        let log = String::from_utf8_lossy(&output.stderr);
        assert!(
            log.contains("service yard: participants 2, routes 0, auto routes 1"),
            "{log}"
        );
    });
}

#[test]
fn what_keeps_participants_from_starting_is_named() {
    let test = "run::what_keeps_participants_from_starting_is_named";
    in_namespace(test, LOOPBACK, || {
        let taken = std::net::TcpListener::bind("0.0.0.0:0").unwrap();
        let port = taken.local_addr().unwrap().port();
        let text = TOML
            .replace(
                "domain = 0",
                &format!("domain = 0\ntransports = \"tcp\"\ntcp = {{ port = {port} }}"),
            )
            .replace("domain = 1", "domain = 1\ninterfaces = [\"eth7\"]");
        let directory = tempfile::tempdir().unwrap();
        let file = written(directory.path(), "yard.toml", &text);
        let output = dunlin(&format!("route run {file} -stopAfter 600"));
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{told}");
        let holder = format!("TCP port {port}, which process {} (", std::process::id());
        assert!(told.contains("near: ") && told.contains(&holder), "{told}");
        let missing = told.lines().find(|line| line.contains("far: "));
        assert!(
            missing.is_some_and(|line| line.contains("`eth7`") && line.contains("there are: lo")),
            "{told}"
        );
    });
}

/// A reader of shapes that takes what comes by each way.
fn of_each_way(of: &DomainParticipant, qos: &DataReaderQos) -> UntypedReader {
    let support = TypeSupport::of::<Shape>();
    let topic = of.create_untyped_topic("Square", &support, TopicQos::default());
    let options = UntypedReaderOptions {
        duplicates: None,
        ..UntypedReaderOptions::default()
    };
    let subscriber = of.create_subscriber(SubscriberQos::default());
    subscriber
        .create_untyped_datareader_with_options(&topic.unwrap(), qos.clone(), options, None::<()>)
        .unwrap()
}

#[test]
fn a_service_that_runs_already_is_told_of_and_ignored() {
    let test = "run::a_service_that_runs_already_is_told_of_and_ignored";
    in_namespace(test, LOOPBACK, || {
        let directory = tempfile::tempdir().unwrap();
        let file = written(directory.path(), "yard.toml", TOML);
        let program = Path::new(env!("CARGO_BIN_EXE_dunlin"));
        let mut services = [(); 2].map(|()| start(program, &["route", "run", &file]));
        let mut logs = services.each_mut().map(Log::of);
        let ids = [services[1].id(), services[0].id()];
        for (log, other) in logs.iter_mut().zip(ids) {
            let process = format!("in process {other}: each ignores the other");
            let told = "service \"yard\" of group \"yard\" runs already on host ";
            log.wait_for(&["/connections/near Running", told, &process]);
        }
        let (near, far) = (participant(0, "near"), participant(1, "far"));
        let history = DataWriterQos {
            history: History::KeepAll,
            ..Default::default()
        };
        let qos = DataReaderQos {
            reliability: Reliability::RELIABLE,
            history: History::KeepAll,
            ..Default::default()
        };
        let every = of_each_way(&far, &qos);
        let reader = reader::<Shape>(&far, "Square", qos, Default::default());
        let writer = writer::<Shape>(&near, "Square", history, Default::default());
        writer.wait_for_matched(2, SOON).unwrap();
        reader.wait_for_matched(2, SOON).unwrap();
        every.wait_for_matched(2, SOON).unwrap();
        for x in 0..10 {
            let color = "BLUE".into();
            writer.write(&Shape { color, x }).unwrap();
        }
        writer.wait_for_acknowledgments(SOON).unwrap();
        // Each has its outputs acknowledged before it ends.
        for service in services {
            assert_eq!(interrupted(service).status.code(), Some(0));
        }
        let mut seen = Vec::new();
        reader.take_each(|sample| seen.extend(sample.into_data().map(|shape| shape.x)));
        // Each once, though both bring it.
        assert_eq!(seen, Vec::from_iter(0..10));
        // By each service once: none passes on what the other wrote.
        let mut all = Vec::new();
        every.take(&Select::default(), &mut all);
        let numbers = all.iter().filter_map(|sample| {
            let original = sample.info.original_writer()?;
            Some(original.sequence.0)
        });
        let mut numbers: Vec<i64> = numbers.collect();
        numbers.sort_unstable();
        assert_eq!(numbers, Vec::from_iter((0..20).map(|at| 1 + at / 2)));
    });
}
