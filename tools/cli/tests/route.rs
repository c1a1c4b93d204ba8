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

/// What a service has written to its log; it is read while it runs, so that the pipe does not fill.
struct Log {
    lines: std::sync::mpsc::Receiver<String>,
    seen: Vec<String>,
}

impl Log {
    fn of(child: &mut Child) -> Self {
        use std::io::BufRead;
        let stderr = std::io::BufReader::new(child.stderr.take().unwrap());
        let (sender, lines) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(|line| line.ok()) {
                let _ = sender.send(line);
            }
        });
        let seen = Vec::new();
        Self { lines, seen }
    }

    /// Waits for a line that has all of these words; lines before it are passed over.
    fn wait_for(&mut self, words: &[&str]) {
        let soon = std::time::Duration::from_secs(120);
        while let Ok(line) = self.lines.recv_timeout(soon) {
            let is_it = words.iter().all(|word| line.contains(word));
            self.seen.push(line);
            if is_it {
                return;
            }
        }
        panic!("no line with {words:?}:\n{}", self.seen.join("\n"));
    }
}

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let done = Command::new("kill").args([name, &id]).status().unwrap();
    assert!(done.success());
}

#[test]
fn a_running_service_takes_over_its_changed_file() {
    let test = "a_running_service_takes_over_its_changed_file";
    in_namespace(test, LOOPBACK, || {
        let directory = tempfile::tempdir().unwrap();
        let file = written(directory.path(), "yard.toml", TOML);
        let program = Path::new(env!("CARGO_BIN_EXE_dunlin"));
        let arguments = ["route", "run", &file, "--watch", "-stopAfter", "600"];
        let mut service = start(program, &arguments);
        let mut log = Log::of(&mut service);
        log.wait_for(&["auto_routes/route_1", "Running"]);
        // By SIGHUP, although nothing differs.
        signal(&service, "-HUP");
        log.wait_for(&["Reloaded", "nothing differs"]);
        // By looking at the file.
        let more =
            format!("{TOML}[[routes]]\nfrom = \"far\"\nto = \"near\"\ntopics = [\"Back\"]\n");
        written(directory.path(), "yard.toml", &more);
        log.wait_for(&["Reloaded", "+ ", "auto_routes/route_2"]);
        // What is wrong changes nothing.
        let wrong = more.replace("\"Back\"", "Back");
        written(directory.path(), "yard.toml", &wrong);
        log.wait_for(&["Refused", "nothing has changed"]);
        a_shape_crosses();
        written(directory.path(), "yard.toml", TOML);
        log.wait_for(&["Reloaded", "- ", "auto_routes/route_2"]);
        assert_eq!(interrupted(service).status.code(), Some(0));
    });
}

#[test]
fn a_running_service_is_looked_at_and_commanded() {
    let test = "a_running_service_is_looked_at_and_commanded";
    in_namespace(test, LOOPBACK, || {
        let directory = tempfile::tempdir().unwrap();
        let file = written(directory.path(), "bridge.xml", XML);
        let token = written(directory.path(), "token", "0123456789abcdef\n");
        let refused = |command: &str| {
            let output = dunlin(command);
            let code = output.status.code();
            (code, String::from_utf8_lossy(&output.stderr).into_owned())
        };
        let (code, nobody) = refused("route get --http 8085");
        assert_eq!(code, Some(1));
        assert!(
            nobody.starts_with("no service answers at 127.0.0.1:8085: "),
            "{nobody}"
        );
        let program = Path::new(env!("CARGO_BIN_EXE_dunlin"));
        let run = format!("route run {file} -stopAfter 600 --http 8085 --http-token-file {token}");
        let arguments: Vec<&str> = run.split(' ').collect();
        let service = start(program, &arguments);
        a_shape_crosses();
        let all = printed("route get");
        let route = all.lines().find(|line| line.contains("route square"));
        assert!(
            route.is_some_and(|line| line.contains(": running")),
            "{all}"
        );
        let one = printed("route get square --json");
        let one: serde_json::Value = serde_json::from_str(&one).unwrap();
        assert_eq!(
            (&one["kind"], &one["state"]),
            (&"route".into(), &"running".into())
        );
        let top = printed("route top");
        assert!(
            top.lines().any(|line| line.starts_with("d/s/square ")),
            "{top}"
        );
        // What changes something needs the token.
        let (code, why) = refused("route pause square");
        assert!(
            code == Some(2) && why.contains("--http-token-file"),
            "{why}"
        );
        let path = one["path"].as_str().unwrap();
        let with_token = |command: &str| printed(&format!("{command} --http-token-file {token}"));
        assert_eq!(
            with_token("route pause square"),
            format!("{path}: paused\n")
        );
        assert!(printed("route get square").contains("route "));
        assert!(printed(&format!("route get {path}")).contains(": paused"));
        with_token("route resume square");
        let (code, why) = refused("route get sqare");
        assert!(
            code == Some(2) && why.contains("did you mean \"square\"?"),
            "{why}"
        );
        // Another configuration: first what it would do, then it.
        let other = XML.replace("topic_route name=\"square\"", "topic_route name=\"quad\"");
        let other = written(directory.path(), "other.xml", &other);
        let told = with_token(&format!("route reload {other} --dry-run"));
        let has = |mark: &str, name: &str| {
            let is_it = |line: &str| line.starts_with(mark) && line.ends_with(name);
            assert!(told.lines().any(is_it), "{told}");
        };
        has("+ ", "/routes/quad");
        has("- ", "/routes/square");
        assert!(printed("route get").contains("route square"));
        assert_eq!(with_token(&format!("route reload {other}")), told);
        assert!(printed("route get").contains("route quad"));
        a_shape_crosses();
        // Its own file again.
        assert!(with_token("route reload").contains("/routes/square"));
        let (code, why) = refused(&format!("route reload {token} --http-token-file {token}"));
        assert!(code == Some(2) && why.contains("error"), "{why}");
        assert_eq!(interrupted(service).status.code(), Some(0));
    });
}

#[test]
fn routes_are_added_changed_and_removed_while_a_service_runs() {
    let test = "routes_are_added_changed_and_removed_while_a_service_runs";
    in_namespace(test, LOOPBACK, || {
        let directory = tempfile::tempdir().unwrap();
        let file = written(
            directory.path(),
            "yard.toml",
            &TOML.replace("Square", "Circle"),
        );
        let token = written(directory.path(), "token", "0123456789abcdef\n");
        let program = Path::new(env!("CARGO_BIN_EXE_dunlin"));
        let run = format!("route run {file} -stopAfter 600 --http 8085 --http-token-file {token}");
        let arguments: Vec<&str> = run.split(' ').collect();
        let mut service = start(program, &arguments);
        let mut log = Log::of(&mut service);
        log.wait_for(&["Shown"]);
        let told = |command: &str| printed(&format!("{command} --http-token-file {token}"));
        let path = "/routing_services/yard/domain_routes/default/sessions/default/auto_routes";
        let add = "route add name=more from=near to=far topics=Square";
        let added = format!("+ {path}/more\n");
        assert_eq!(told(&format!("{add} --dry-run")), added);
        assert!(!printed("route get").contains("auto_route more"));
        assert_eq!(told(add), added);
        a_shape_crosses();
        let set = told("route set more max_rate=1000 filter=x>0");
        assert_eq!(
            set,
            format!("~ {path}/more: set content_filter, max_rate\n")
        );
        a_shape_crosses();
        let refused = |command: &str| {
            let output = dunlin(&format!("{command} --http-token-file {token}"));
            let why = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{why}");
            why
        };
        let why = refused("route set more max_rat=5");
        assert!(why.contains("did you mean \"max_rate\"?"), "{why}");
        let why = refused(add);
        assert!(why.contains("is there already"), "{why}");
        // A file has keys of a route, or XML.
        let keys = "name = \"third\"\nfrom = \"near\"\nto = \"far\"\ntopics = [\"Triangle\"]\n";
        let keys = written(directory.path(), "third.toml", keys);
        assert_eq!(
            told(&format!("route add {keys}")),
            format!("+ {path}/third\n")
        );
        assert_eq!(told("route remove more"), format!("- {path}/more\n"));
        let left = printed("route get");
        assert!(
            !left.contains("route more") && left.contains("route third"),
            "{left}"
        );
        // The files count again.
        assert_eq!(told("route reload"), format!("- {path}/third\n"));
        assert_eq!(interrupted(service).status.code(), Some(0));
    });
}

#[test]
fn a_running_service_is_administered_over_dds() {
    use dunlin_routing::administration::{REPLY_TOPIC, REQUEST_TOPIC, Reply, Request};
    in_namespace(
        "a_running_service_is_administered_over_dds",
        LOOPBACK,
        || {
            let directory = tempfile::tempdir().unwrap();
            let asked = "[administration]\ndomain = 2\nallow_changes = true\n";
            let file = written(directory.path(), "yard.toml", &format!("{asked}{TOML}"));
            let program = Path::new(env!("CARGO_BIN_EXE_dunlin"));
            let service = start(program, &["route", "run", &file, "-stopAfter", "600"]);
            let administrator = participant(2, "administrator");
            let reliable = DataReaderQos {
                reliability: Reliability::RELIABLE,
                ..Default::default()
            };
            let replies = administrator
                .reader_with::<Reply>(REPLY_TOPIC, reliable)
                .unwrap();
            let requests = administrator
                .writer_with::<Request>(REQUEST_TOPIC, DataWriterQos::default())
                .unwrap();
            requests.wait_for_matched(1, SOON).unwrap();
            replies.wait_for_matched(1, SOON).unwrap();
            let path = "/routing_services/yard/domain_routes/default/sessions/default/auto_routes";
            for (action, path, body, code) in [
                (
                    "POST",
                    path.to_owned(),
                    r#"{"name": "more", "from": "near", "to": "far", "topics": "Circle"}"#,
                    201,
                ),
                ("DELETE", format!("{path}/more"), "", 200),
                // Its files again; nothing differs from them any more.
                ("POST", "/routing_services/yard/config".to_owned(), "", 200),
            ] {
                let request = Request {
                    id: path.clone(),
                    action: action.into(),
                    path: path.clone(),
                    body: body.into(),
                };
                requests.write(&request).unwrap();
                let mut seen = Vec::new();
                while seen.is_empty() {
                    replies.wait_for_data(SOON).unwrap();
                    replies.take_each(|sample| seen.extend(sample.into_data()));
                }
                assert_eq!(
                    (&seen[0].id, seen[0].code),
                    (&path, code),
                    "{}",
                    seen[0].text
                );
            }
            a_shape_crosses();
            assert_eq!(interrupted(service).status.code(), Some(0));
        },
    );
}

#[test]
fn what_keeps_participants_from_starting_is_named() {
    let test = "what_keeps_participants_from_starting_is_named";
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

#[test]
fn a_service_that_runs_already_is_told_of_and_ignored() {
    let test = "a_service_that_runs_already_is_told_of_and_ignored";
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
        let reader = reader::<Shape>(&far, "Square", qos, Default::default());
        let writer = writer::<Shape>(&near, "Square", history, Default::default());
        writer.wait_for_matched(2, SOON).unwrap();
        reader.wait_for_matched(2, SOON).unwrap();
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
        // By each service once: none passes on what the other wrote.
        seen.sort_unstable();
        assert!(
            seen.iter().copied().eq((0..20).map(|at| at / 2)),
            "{seen:?}"
        );
    });
}
