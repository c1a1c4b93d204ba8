//! `dunlin route` beside living participants, each test in a network namespace of its own.
mod common;
use common::*;
use dunlin::*;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

/// Longer than anything takes on a machine that has much else to do.
const SOON: Duration = Duration::from_secs(120);

const TOML: &str = "\
[participants.near]
domain = 0
[participants.far]
domain = 1
[[routes]]
from = \"near\"
to = \"far\"
topics = [\"Square\"]
";

const XML: &str = r#"<dds>
  <types>
    <struct name="ShapeType">
      <member name="color" type="string" key="true"/>
      <member name="x" type="int32"/>
    </struct>
  </types>
  <routing_service name="bridge">
    <domain_route name="d">
      <participant name="near"><domain_id>0</domain_id></participant>
      <participant name="far"><domain_id>1</domain_id></participant>
      <session name="s">
        <topic_route name="square">
          <input participant="near">
            <topic_name>Square</topic_name>
            <registered_type_name>ShapeType</registered_type_name>
            <datareader_qos base_name="BuiltinQosLib::Generic.StrictReliable"/>
          </input>
          <output participant="far">
            <topic_name>Square</topic_name>
            <registered_type_name>ShapeType</registered_type_name>
            <datawriter_qos base_name="BuiltinQosLib::Generic.StrictReliable"/>
          </output>
        </topic_route>
      </session>
    </domain_route>
  </routing_service>
</dds>
"#;

fn written(directory: &Path, name: &str, text: &str) -> String {
    let path = directory.join(name);
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

fn start(program: &Path, arguments: &[&str]) -> Child {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Ends the service as a user does.
fn interrupted(child: Child) -> Output {
    let id = child.id().to_string();
    Command::new("kill").args(["-INT", &id]).status().unwrap();
    child.wait_with_output().unwrap()
}

/// A shape crosses from domain 0 to domain 1.
fn a_shape_crosses() {
    let (near, far) = (participant(0, "near"), participant(1, "far"));
    let qos = DataReaderQos {
        reliability: Reliability::RELIABLE,
        ..Default::default()
    };
    let reader = reader::<Shape>(&far, "Square", qos, Default::default());
    let history = DataWriterQos {
        history: History::KeepAll,
        ..Default::default()
    };
    let writer = writer::<Shape>(&near, "Square", history, Default::default());
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    let shape = Shape {
        color: "BLUE".into(),
        x: 7,
    };
    writer.write(&shape).unwrap();
    reader.wait_for_data(SOON).unwrap();
    let mut seen = Vec::new();
    reader.take_each(|sample| seen.extend(sample.into_data()));
    assert_eq!((&*seen[0].color, seen[0].x), ("BLUE", 7));
}

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
    let test = "shapes_cross_by_xml_until_the_service_is_interrupted";
    in_namespace(test, LOOPBACK, || {
        let log = log_of_a_crossing("bridge.xml", XML);
        let place = "/routing_services/bridge/domain_routes/d";
        assert!(log.contains(place) && log.contains("samples 1,"), "{log}");
    });
}

#[test]
fn shapes_cross_by_toml_with_the_qos_of_their_writer() {
    let test = "shapes_cross_by_toml_with_the_qos_of_their_writer";
    in_namespace(test, LOOPBACK, || {
        let log = log_of_a_crossing("yard.toml", TOML);
        assert!(log.contains("/auto_routes/route_1/routes/Square"), "{log}");
    });
}

#[test]
fn the_name_of_rtis_program_takes_its_command_line() {
    let test = "the_name_of_rtis_program_takes_its_command_line";
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
    in_namespace("a_service_stops_after_a_time", LOOPBACK, || {
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
fn explain_shows_the_plan_and_what_matches_now() {
    let test = "explain_shows_the_plan_and_what_matches_now";
    in_namespace(test, LOOPBACK, || {
        let near = participant(0, "near");
        let _square = writer::<Shape>(&near, "Square", Default::default(), Default::default());
        let directory = tempfile::tempdir().unwrap();
        let file = written(directory.path(), "yard.toml", TOML);
        let text = printed(&format!("route explain {file}"));
        for line in [
            "service yard (group yard)",
            "    participant near: domain 0, udp, shmem, local",
            "      auto route route_1",
            "        topics     Square",
            "        path       relay: the received bytes are sent as they are",
            "        now        Square (ShapeType): 1 writer at near",
        ] {
            assert!(text.lines().any(|one| one == line), "no {line:?}:\n{text}");
        }
        let json = printed(&format!("route explain {file} --json --no-look"));
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["name"], "yard");
        assert!(json["domain_routes"][0]["sessions"][0]["routes"][0]["matches"].is_null());
    });
}

#[test]
fn mistakes_are_told_before_anything_starts() {
    let directory = tempfile::tempdir().unwrap();
    let file = written(
        directory.path(),
        "yard.toml",
        &TOML.replace("\"far\"", "\"fra\""),
    );
    for command in ["run", "check", "explain"] {
        let output = dunlin(&format!("route {command} {file}"));
        assert_eq!(output.status.code(), Some(2));
        let report = String::from_utf8_lossy(&output.stderr);
        assert!(
            report.contains("yard.toml:7:6: error: there is no participant \"fra\""),
            "{report}"
        );
    }
    let output = dunlin("route chek");
    let report = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        report,
        "dunlin route: no command \"chek\": did you mean \"check\"?\n"
    );
}

#[test]
fn a_configuration_is_checked_listed_and_converted() {
    let directory = tempfile::tempdir().unwrap();
    let file = written(directory.path(), "bridge.xml", XML);
    let summary = printed(&format!("route check {file} --strict"));
    assert_eq!(
        summary,
        "service bridge: participants 2, routes 1, auto routes 0\n"
    );
    let list = printed(&format!("route list {file}"));
    assert!(
        list.starts_with("bridge\n") && list.contains("DomainBridgingLAN (built in)"),
        "{list}"
    );
    let toml = printed(&format!("route convert {file} --to toml"));
    let file = written(directory.path(), "bridge.toml", &toml);
    let again = printed(&format!("route convert {file} --to toml"));
    assert!(toml.contains("topics = [\"Square\"]"), "{toml}");
    assert!(again.contains("topics = [\"Square\"]"), "{again}");
}

/// The body of an answer to `GET`.
fn get(port: u16, path: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    body.to_owned()
}

#[test]
fn the_state_is_read_by_http() {
    in_namespace("the_state_is_read_by_http", LOOPBACK, || {
        let directory = tempfile::tempdir().unwrap();
        let file = written(directory.path(), "bridge.xml", XML);
        let program = Path::new(env!("CARGO_BIN_EXE_dunlin"));
        let arguments = ["route", "run", &file, "--http", "8085", "-stopAfter", "600"];
        let service = start(program, &arguments);
        a_shape_crosses();
        let is_counted = |line: &str| {
            line.starts_with("dunlin_routing_samples_total{path=\"")
                && line.contains("/routes/square/outputs/output_1\"")
                && line.ends_with("} 1")
        };
        let counted = || get(8085, "/metrics").lines().any(is_counted);
        let end = std::time::Instant::now() + std::time::Duration::from_secs(120);
        while !counted() && std::time::Instant::now() < end {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        let state: serde_json::Value =
            serde_json::from_str(&get(8085, "/v1/routing_services/bridge")).unwrap();
        assert_eq!(state["path"], "/routing_services/bridge");
        assert_eq!(state["kind"], "routing_service");
        assert!(counted(), "{}", get(8085, "/metrics"));
        assert_eq!(interrupted(service).status.code(), Some(0));
    });
}
