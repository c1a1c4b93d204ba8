//! The HTTP server over real sockets: answers, events, limits, its end.
use dunlin_routing::config::edit::{Edit, EditError};
use dunlin_routing::plan::{Difference, Path};
use dunlin_routing::service::{Action, UnknownPath};
use dunlin_routing::show::{Administered, Bounds, Http, HttpOptions};
use dunlin_routing::state::{EntityKind, Node, State};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// Longer than anything takes that ends by itself.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Default)]
struct Fixed {
    paused: AtomicBool,
}

impl Administered for Fixed {
    fn state(&self) -> Node {
        let state = match self.paused.load(SeqCst) {
            true => State::Paused,
            false => State::Running,
        };
        let path = Path("/routing_services/s".into());
        Node::new(path, EntityKind::Service, state)
    }

    fn configure(&self, _: &str, _: bool) -> Result<Vec<Difference>, String> {
        Ok(Vec::new())
    }

    fn edit(&self, _: &Edit<'_>, _: bool) -> Result<Vec<Difference>, EditError> {
        Ok(Vec::new())
    }

    fn act(&self, _: &str, action: Action) -> Result<(), UnknownPath> {
        self.paused.store(action == Action::Pause, SeqCst);
        Ok(())
    }
}

fn start(bounds: Bounds) -> Http {
    let options = HttpOptions {
        address: "127.0.0.1:0".parse().unwrap(),
        token: Some("secret".into()),
        bounds,
    };
    Http::start(Arc::new(Fixed::default()), options).unwrap()
}

fn connect(http: &Http) -> TcpStream {
    let stream = TcpStream::connect(http.address()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Sends text and reads until the other side closes.
fn ask(http: &Http, request: &str) -> String {
    let mut stream = connect(http);
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    // What was sent and is not read any more makes the end an error.
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

fn get(http: &Http, path: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    ask(http, &request)
}

/// Changes the state of the service, with more or fewer bytes than announced.
fn put(http: &Http, length: usize, body: &str) -> String {
    let request = format!(
        "PUT /v1/routing_services/s/state HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Authorization: Bearer secret\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    ask(http, &request)
}

/// Reads until what has come contains `text`.
fn read_until(stream: &mut TcpStream, text: &str) -> String {
    let (mut seen, mut part) = (String::new(), [0; 4096]);
    while !seen.contains(text) {
        let length = stream.read(&mut part).unwrap();
        assert!(length > 0, "it closed after {seen:?}");
        seen.push_str(&String::from_utf8_lossy(&part[..length]));
    }
    seen
}

#[test]
fn the_page_is_whole_and_loads_nothing_from_elsewhere() {
    let http = start(Bounds::default());
    let page = get(&http, "/");
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("default-src 'none'"));
    let (head, body) = page.split_once("\r\n\r\n").unwrap();
    assert!(head.contains("nosniff") && body.contains("<!doctype html>"));
    // The name of an XML namespace is no address to load from.
    let body = body.replace("http://www.w3.org/2000/svg", "");
    for elsewhere in ["http://", "https://", "src=", "@import", "innerHTML"] {
        assert!(!body.contains(elsewhere), "{elsewhere}");
    }
}

#[test]
fn changes_of_state_come_as_events() {
    let http = start(Bounds {
        look: Duration::from_millis(5),
        ..Bounds::default()
    });
    let mut events = connect(&http);
    let request = b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n";
    events.write_all(request).unwrap();
    let first = read_until(&mut events, "\"running\"");
    assert!(first.contains("text/event-stream") && first.contains("event: change"));
    let body = r#"{"state":"paused"}"#;
    let changed = put(&http, body.len(), body);
    assert!(changed.starts_with("HTTP/1.1 200"), "{changed}");
    read_until(&mut events, "\"paused\"");
    // One who still listens does not keep the server from ending.
    let (done, is_done) = mpsc::channel();
    std::thread::spawn(move || {
        drop(http);
        done.send(()).unwrap();
    });
    is_done.recv_timeout(PATIENCE).unwrap();
}

#[test]
fn what_is_too_long_or_too_slow_is_cut_off() {
    let http = start(Bounds {
        body: 100,
        time: Duration::from_millis(100),
        ..Bounds::default()
    });
    let long = put(&http, 200, &"x".repeat(200));
    assert!(long.starts_with("HTTP/1.1 413"), "{long}");
    let slow = put(&http, 20, "x");
    assert!(slow.starts_with("HTTP/1.1 408"), "{slow}");
    // The head never ends, so the connection does.
    ask(&http, "GET / HTTP/1.1\r\nHost:");
    assert!(!ask(&http, "nonsense\r\n\r\n").contains("200 OK"));
    assert!(get(&http, "/v1").starts_with("HTTP/1.1 200"));
}

#[test]
fn more_connections_than_allowed_wait() {
    let http = start(Bounds {
        connections: 2,
        time: Duration::from_millis(300),
        ..Bounds::default()
    });
    // They say nothing until they are cut off; then the next one is answered.
    let idle: Vec<_> = (0..4).map(|_| connect(&http)).collect();
    assert!(get(&http, "/v1").starts_with("HTTP/1.1 200"));
    drop(idle);
}

#[test]
fn an_address_that_others_reach_needs_a_token() {
    let options = HttpOptions {
        address: "0.0.0.0:0".parse().unwrap(),
        token: None,
        bounds: Bounds::default(),
    };
    let error = Http::start(Arc::new(Fixed::default()), options).unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains("0.0.0.0") && error.contains("--http-token-file"),
        "{error}"
    );
}
