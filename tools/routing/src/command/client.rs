//! Commands to a service that runs, over its HTTP interface.
use super::options::Options;
use super::{exit, print, run};
use crate::config::Input;
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1;
use hyper::header::{AUTHORIZATION, HOST};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Value, json};
use std::fmt;
use std::io::IsTerminal;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;
use tokio::net::TcpStream;

/// Where a service answers, unless `--http` says otherwise.
const HERE: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8085);
/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest answer that is read, in bytes: that of some 100,000 routes.
const LONGEST: usize = 256 << 20;
/// How often `top` looks.
const LOOK: Duration = Duration::from_secs(1);
/// What may not stand in the path of a request.
const UNSAFE: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'`')
    .add(b'{')
    .add(b'}');

/// Why a command did nothing.
pub(super) enum Failure {
    /// Nobody answers.
    Nobody(SocketAddr, String),
    /// The service refuses, in its own words.
    Refused(StatusCode, String),
    /// A file that the command needs.
    File(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nobody(address, why) => write!(
                f,
                "no service answers at {address}: {why}; start it with --http PORT, and name the \
                 same here"
            ),
            Self::Refused(StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN, why) => write!(
                f,
                "{why}; here --http-token-file FILE names the file with the token"
            ),
            Self::Refused(_, why) => f.write_str(why.trim_end()),
            Self::File(why) => f.write_str(why),
        }
    }
}

/// A service at an address.
pub(super) struct Client {
    address: SocketAddr,
    token: Option<String>,
    runtime: tokio::runtime::Runtime,
}

impl Client {
    pub(super) fn new(options: &Options) -> Result<Self, Failure> {
        let address = options.http.unwrap_or(HERE);
        let token = match &options.token_file {
            Some(file) => Some(run::token(file).map_err(Failure::File)?),
            None => None,
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::Nobody(address, error.to_string()))?;
        Ok(Self {
            address,
            token,
            runtime,
        })
    }

    /// Asks for something; returns the body of the answer.
    pub(super) fn ask(&self, method: Method, path: &str, body: String) -> Result<Value, Failure> {
        let exchange = self.exchange(method, path, body);
        let answered = self
            .runtime
            .block_on(async { tokio::time::timeout(PATIENCE, exchange).await });
        let nobody = |why: String| Failure::Nobody(self.address, why);
        let (status, body) = match answered {
            Ok(answer) => answer.map_err(|error| nobody(error.to_string()))?,
            Err(_) => return Err(nobody(format!("nothing came for {} s", PATIENCE.as_secs()))),
        };
        let value = serde_json::from_slice::<Value>(&body)
            .map_err(|_| nobody("what answers there is no Routing Service".to_owned()))?;
        match status.is_success() {
            true => Ok(value),
            false => {
                let why = value.get("error").and_then(Value::as_str);
                let why = why.unwrap_or("the service refuses").to_owned();
                Err(Failure::Refused(status, why))
            }
        }
    }

    async fn exchange(
        &self,
        method: Method,
        path: &str,
        body: String,
    ) -> Result<(StatusCode, Bytes), Box<dyn std::error::Error + Send + Sync>> {
        let stream = TcpStream::connect(self.address).await?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, self.address.to_string());
        if let Some(token) = &self.token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        let request = request.body(Full::new(Bytes::from(body)))?;
        let answer = async {
            let answer = sender.send_request(request).await?;
            let (head, body) = answer.into_parts();
            let body = Limited::new(body, LONGEST).collect().await?.to_bytes();
            Ok((head.status, body))
        };
        tokio::pin!(connection);
        tokio::select! {
            biased;
            answer = answer => answer,
            ended = &mut connection => Err(match ended {
                Ok(()) => "the connection ended before an answer".into(),
                Err(error) => error.into(),
            }),
        }
    }

    pub(super) fn get(&self, path: &str) -> Result<Value, Failure> {
        self.ask(Method::GET, &target(path, ""), String::new())
    }
}

/// The target of a request about an entity.
pub(super) fn target(path: &str, end: &str) -> String {
    format!("/v1{}{end}", utf8_percent_encode(path, UNSAFE))
}

pub(super) fn carried_out(done: Result<(), Failure>) -> u8 {
    match done {
        Ok(()) => exit::DONE,
        Err(failure) => {
            eprintln!("{failure}");
            match failure {
                Failure::Nobody(..) => exit::FAILED,
                Failure::Refused(..) | Failure::File(_) => exit::MISUSED,
            }
        }
    }
}

/// What stands behind the options: paths of entities, or files.
pub(super) fn operands(options: &Options) -> Vec<String> {
    let files = options.files.iter();
    files
        .map(|input| match input {
            Input::File(path) => path.display().to_string(),
            Input::Text { text, .. } => text.clone(),
        })
        .collect()
}

/// `dunlin route get PATH`: what there is.
pub(super) fn get(options: Options) -> u8 {
    carried_out(Client::new(&options).and_then(|client| {
        let tree = client.get("/routing_services")?;
        let operands = operands(&options);
        let node = match operands.as_slice() {
            [] => &tree,
            [path] => find(&tree, path)?,
            _ => return Err(Failure::File("dunlin route get PATH: one path".to_owned())),
        };
        match options.json {
            true => print(&format!(
                "{}\n",
                serde_json::to_string_pretty(node).unwrap_or_default()
            )),
            false => print(&listing(node)),
        }
        Ok(())
    }))
}

/// `dunlin route pause PATH` and the like: has entities take on a state.
pub(super) fn set_state(options: Options, state: &str) -> u8 {
    carried_out(Client::new(&options).and_then(|client| {
        let operands = operands(&options);
        if operands.is_empty() {
            let why = "name what: a path that `dunlin route get` shows, or the end of one";
            return Err(Failure::File(why.to_owned()));
        }
        let tree = client.get("/routing_services")?;
        let paths = operands
            .iter()
            .map(|operand| find(&tree, operand).map(path_of));
        for path in paths.collect::<Result<Vec<_>, _>>()? {
            let body = json!({ "state": state }).to_string();
            client.ask(Method::PUT, &target(path, "/state"), body)?;
            print(&format!("{path}: {state}\n"));
        }
        Ok(())
    }))
}

/// `dunlin route reload`: has the service read its files again, or take over another one.
pub(super) fn reload(options: Options) -> u8 {
    carried_out(Client::new(&options).and_then(|client| {
        let text = match options.files.as_slice() {
            // The service knows its own files.
            [] => String::new(),
            [Input::Text { text, .. }] => text.clone(),
            [Input::File(path)] => std::fs::read_to_string(path)
                .map_err(|error| Failure::File(format!("{}: {error}", path.display())))?,
            _ => {
                return Err(Failure::File(
                    "dunlin route reload FILE: one file".to_owned(),
                ));
            }
        };
        let place = match options.dry_run {
            true => "/v1/config?dry_run",
            false => "/v1/config",
        };
        let answer = client.ask(Method::POST, place, text)?;
        print(&format!("{}\n", differences(&answer)));
        Ok(())
    }))
}

/// What a change did, or would do.
pub(super) fn differences(answer: &Value) -> String {
    let lines = answer.get("differences").and_then(Value::as_array);
    let lines = lines.into_iter().flatten().filter_map(Value::as_str);
    let lines: Vec<&str> = lines.collect();
    match lines.is_empty() {
        true => "nothing differs".to_owned(),
        false => lines.join("\n"),
    }
}

/// `dunlin route top`: what passes now, again and again if somebody watches.
pub(super) fn top(options: Options) -> u8 {
    let watched = std::io::stdout().is_terminal() && !options.json;
    carried_out(Client::new(&options).and_then(|client| {
        let mut before = client.get("/routing_services")?;
        loop {
            std::thread::sleep(LOOK);
            let now = client.get("/routing_services")?;
            let text = rates(&before, &now, LOOK);
            if !watched {
                print(&text);
                return Ok(());
            }
            // Home, and clear from there on: nothing flickers.
            print(&format!("\x1b[H\x1b[J{text}"));
            before = now;
        }
    }))
}

pub(super) fn text<'v>(node: &'v Value, name: &str) -> &'v str {
    node.get(name).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn path_of(node: &Value) -> &str {
    text(node, "path")
}

fn children(node: &Value) -> impl Iterator<Item = &Value> {
    let all = node.get("children").and_then(Value::as_array);
    all.into_iter().flatten()
}

fn number(node: &Value, name: &str) -> u64 {
    let counter = node.get("counters").and_then(|all| all.get(name));
    counter.and_then(Value::as_u64).unwrap_or_default()
}

/// The entity and all that it contains.
pub(super) fn all(node: &Value) -> Vec<&Value> {
    let mut all = vec![node];
    let mut next = 0;
    while let Some(node) = all.get(next).copied() {
        all.extend(children(node));
        next += 1;
    }
    all
}

/// The entity with this path, or the only one whose path ends so.
pub(super) fn find<'v>(tree: &'v Value, wanted: &str) -> Result<&'v Value, Failure> {
    let nodes = all(tree);
    let wanted = wanted.trim_end_matches('/');
    if let Some(exact) = nodes.iter().find(|node| path_of(node) == wanted) {
        return Ok(exact);
    }
    let end = format!("/{}", wanted.trim_start_matches('/'));
    let ends: Vec<&Value> = nodes
        .iter()
        .filter(|node| path_of(node).ends_with(&end))
        .copied()
        .collect();
    let refused = |why: String| Err(Failure::Refused(StatusCode::NOT_FOUND, why));
    match ends.as_slice() {
        [only] => Ok(only),
        [] => {
            let last = wanted.rsplit('/').next().unwrap_or_default();
            let near = dunlin_document::did_you_mean(last, nodes.iter().map(|n| text(n, "name")));
            let help = near.unwrap_or_else(|| "`dunlin route get` shows all paths".to_owned());
            let service = path_of(tree);
            refused(format!("{service} has no entity {wanted:?}: {help}"))
        }
        [first, second, ..] => refused(format!(
            "{wanted:?} ends {} paths, such as {} and {}: write more of it",
            ends.len(),
            path_of(first),
            path_of(second)
        )),
    }
}

/// A line for each entity, indented as they contain each other.
fn listing(node: &Value) -> String {
    let mut lines = String::new();
    let mut waiting = vec![(0, node)];
    while let Some((depth, node)) = waiting.pop() {
        let (kind, name) = (text(node, "kind"), text(node, "name"));
        let place = match depth {
            0 => path_of(node),
            _ => name,
        };
        let indent = "  ".repeat(depth);
        lines += &format!("{indent}{kind} {place}: {}", text(node, "state"));
        if node.get("counters").is_some() {
            let (samples, bytes) = (number(node, "samples"), number(node, "bytes"));
            lines += &format!(", {samples} samples, {bytes} bytes");
        }
        if let Some(matched) = node.get("matched").and_then(Value::as_u64) {
            lines += &format!(", {matched} matched");
        }
        for note in ["reason", "note"] {
            if node.get(note).is_some() {
                lines += &format!("; {}", text(node, note));
            }
        }
        lines.push('\n');
        let inner: Vec<_> = children(node).collect();
        waiting.extend(inner.into_iter().rev().map(|child| (depth + 1, child)));
    }
    lines
}

/// A table of what passed each route between two looks that were `time` apart.
fn rates(before: &Value, now: &Value, time: Duration) -> String {
    let old: std::collections::HashMap<&str, &Value> =
        all(before).into_iter().map(|n| (path_of(n), n)).collect();
    let per_second = |node: &Value, name: &str| {
        let was = old.get(path_of(node)).map_or(0, |old| number(old, name));
        number(node, name).saturating_sub(was) as f64 / time.as_secs_f64()
    };
    let mut table = format!(
        "{:<40} {:<9} {:>11} {:>9} {:>9} {:>9} {:>8} {:>8}\n",
        "route", "state", "samples/s", "MB/s", "held back", "backlog", "p50 us", "p99 us"
    );
    let routes = all(now);
    for route in routes.iter().filter(|node| text(node, "kind") == "route") {
        let outputs = children(route).filter(|node| text(node, "kind") == "output");
        let (mut samples, mut bytes) = (0.0, 0.0);
        for output in outputs {
            samples += per_second(output, "samples");
            bytes += per_second(output, "bytes");
        }
        let latency = |name: &str| {
            let hop = route.get("hop").and_then(|hop| hop.get(name));
            hop.and_then(Value::as_f64)
                .map_or("-".to_owned(), |us| format!("{us:.1}"))
        };
        table += &format!(
            "{:<40} {:<9} {:>11.0} {:>9.3} {:>9.0} {:>9} {:>8} {:>8}\n",
            short(path_of(route)),
            text(route, "state"),
            samples,
            bytes / 1e6,
            per_second(route, "held_back"),
            number(route, "backlog"),
            latency("p50"),
            latency("p99"),
        );
    }
    table
}

/// A path without what all paths begin with and without the words between the names.
fn short(path: &str) -> String {
    // /routing_services/S/domain_routes/D/sessions/X/routes/R
    let names: Vec<&str> = path.split('/').skip(4).step_by(2).collect();
    names.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> Value {
        let route = |session: &str, name: &str, samples: u64| {
            let path =
                format!("/routing_services/s/domain_routes/d/sessions/{session}/routes/{name}");
            let output = json!({
                "path": format!("{path}/outputs/o"), "name": "o", "kind": "output",
                "state": "running", "matched": 1,
                "counters": {"samples": samples, "bytes": samples * 100},
            });
            json!({
                "path": path, "name": name, "kind": "route", "state": "running",
                "counters": {"backlog": 3}, "hop": {"p50": 1.25, "p99": 9.0},
                "children": [output],
            })
        };
        json!({
            "path": "/routing_services/s", "name": "s", "kind": "routing_service",
            "state": "running",
            "children": [route("a", "Square", 10), route("b", "Square", 0), route("b", "Circle", 5)],
        })
    }

    #[test]
    fn an_entity_is_found_by_its_path_or_by_the_end_of_it() {
        let tree = tree();
        let found = |wanted: &str| match find(&tree, wanted) {
            Ok(node) => path_of(node).to_owned(),
            Err(failure) => failure.to_string(),
        };
        assert!(found("Circle").ends_with("/sessions/b/routes/Circle"));
        assert!(found("a/routes/Square").ends_with("/sessions/a/routes/Square"));
        assert_eq!(found("/routing_services/s"), "/routing_services/s");
        assert!(found("Square").starts_with("\"Square\" ends 2 paths, such as "));
        let none = found("Circel");
        assert!(none.contains("did you mean \"Circle\"?"), "{none}");
    }

    #[test]
    fn what_passes_is_the_difference_of_two_looks() {
        let before = tree();
        let mut now = tree();
        now["children"][0]["children"][0]["counters"] = json!({"samples": 510, "bytes": 51_000});
        let table = rates(&before, &now, Duration::from_millis(500));
        let line = table.lines().nth(1).unwrap();
        let fields: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(
            fields,
            [
                "d/a/Square",
                "running",
                "1000",
                "0.100",
                "0",
                "3",
                "1.2",
                "9.0"
            ]
        );
        assert_eq!(table.lines().count(), 4);
    }

    #[test]
    fn paths_become_targets_of_requests() {
        assert_eq!(
            target("/routing_services/a b/\"é\"?", "/state"),
            "/v1/routing_services/a%20b/%22%C3%A9%22%3F/state"
        );
    }
}
