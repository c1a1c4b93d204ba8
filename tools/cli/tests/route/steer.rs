//! A running service is watched, changed and commanded.
use crate::common::*;
use crate::*;
use std::io::{Read, Write};
use std::net::TcpStream;

/// The body of an answer to `GET`.
fn get(port: u16, path: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    body.to_owned()
}

#[test]
fn the_state_is_read_by_http() {
    in_namespace("steer::the_state_is_read_by_http", LOOPBACK, || {
        let directory = tempfile::tempdir().unwrap();
        let file = written(directory.path(), "bridge.xml", XML);
        let program = Path::new(env!("CARGO_BIN_EXE_dunlin"));
        let arguments = ["route", "run", &file, "--http", "8085", "-stopAfter", "600"];
        let service = start(program, &arguments);
        let written = a_shape_crosses();
        let count = format!("}} {written}");
        let is_counted = |line: &str| {
            line.starts_with("dunlin_routing_samples_total{path=\"")
                && line.contains("/routes/square/outputs/output_1\"")
                && line.ends_with(&count)
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

#[test]
fn a_running_service_takes_over_its_changed_file() {
    let test = "steer::a_running_service_takes_over_its_changed_file";
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
    let test = "steer::a_running_service_is_looked_at_and_commanded";
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
    let test = "steer::routes_are_added_changed_and_removed_while_a_service_runs";
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
        "steer::a_running_service_is_administered_over_dds",
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
