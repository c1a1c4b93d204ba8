//! `dunlin route add|set|remove`: entities of a service that runs are added, changed and removed.
use super::client::{
    Client, Failure, carried_out, differences, find, operands, path_of, target, text,
};
use super::options::Options;
use super::print;
use hyper::Method;
use serde_json::{Map, Value};
use std::path::Path;

/// Operands that are keys with values, and the others.
fn parted(options: &Options) -> (Vec<String>, Vec<String>) {
    let is_key = |operand: &String| operand.contains('=') && !Path::new(operand).exists();
    operands(options).into_iter().partition(is_key)
}

/// Keys with values as JSON. A value is one of TOML, else a text; without any it is `null`.
fn body(keys: &[String]) -> Result<String, Failure> {
    let (mut lines, mut all) = (String::new(), Map::new());
    for pair in keys {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (key, value) = (key.trim(), value.trim());
        if value.is_empty() {
            all.insert(key.to_owned(), Value::Null);
            continue;
        }
        let line = format!("{key} = {value}\n");
        lines += &match toml::from_str::<toml::Table>(&line) {
            Ok(_) => line,
            Err(_) => format!("{key} = {}\n", toml::Value::String(value.to_owned())),
        };
    }
    let wrong = |error: String| Failure::File(format!("{}: {error}", keys.join(" ")));
    let table: toml::Table = toml::from_str(&lines).map_err(|error| wrong(error.to_string()))?;
    let table = serde_json::to_value(table).map_err(|error| wrong(error.to_string()))?;
    if let Value::Object(table) = table {
        all.extend(table);
    }
    Ok(Value::Object(all).to_string())
}

fn send(
    client: &Client,
    options: &Options,
    method: Method,
    path: &str,
    body: String,
) -> Result<(), Failure> {
    let end = if options.dry_run { "?dry_run" } else { "" };
    let answer = client.ask(method, &target(path, end), body)?;
    print(&format!("{}\n", differences(&answer)));
    Ok(())
}

/// `dunlin route set PATH KEY=VALUE ..`: changes a route.
pub(super) fn set(options: Options) -> u8 {
    carried_out(Client::new(&options).and_then(|client| {
        let (keys, paths) = parted(&options);
        let ([wanted], false) = (paths.as_slice(), keys.is_empty()) else {
            let why = "dunlin route set PATH KEY=VALUE ..: one route, and keys such as max_rate=20";
            return Err(Failure::File(why.to_owned()));
        };
        let tree = client.get("/routing_services")?;
        let path = path_of(find(&tree, wanted)?);
        send(&client, &options, Method::PATCH, path, body(&keys)?)
    }))
}

/// `dunlin route remove PATH ..`: removes routes and sessions.
pub(super) fn remove(options: Options) -> u8 {
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
            send(&client, &options, Method::DELETE, path, String::new())?;
        }
        Ok(())
    }))
}

/// `dunlin route add [SESSION] FILE|KEY=VALUE ..`: adds a route to a session.
pub(super) fn add(options: Options) -> u8 {
    carried_out(Client::new(&options).and_then(|client| {
        let (keys, mut others) = parted(&options);
        let body = match (keys.is_empty(), others.pop()) {
            (true, Some(file)) => std::fs::read_to_string(&file)
                .map_err(|error| Failure::File(format!("{file}: {error}")))?,
            (false, session) => {
                others.extend(session);
                body(&keys)?
            }
            (true, None) => {
                let why = "dunlin route add [SESSION] FILE, or KEY=VALUE .. such as from=near \
                           to=far topics=Square";
                return Err(Failure::File(why.to_owned()));
            }
        };
        let tree = client.get("/routing_services")?;
        let session = match others.as_slice() {
            [wanted] => find(&tree, wanted)?,
            [] => only_session(&tree)?,
            _ => return Err(Failure::File("name one session".to_owned())),
        };
        let path = format!("{}/auto_routes", path_of(session));
        send(&client, &options, Method::POST, &path, body)
    }))
}

/// The session of a service that has only one.
fn only_session(tree: &Value) -> Result<&Value, Failure> {
    let all = super::client::all(tree);
    let mut sessions = all.iter().filter(|node| text(node, "kind") == "session");
    match (sessions.next(), sessions.next()) {
        (Some(session), None) => Ok(session),
        _ => Err(Failure::File(
            "the service has several sessions, or none: name one before the file".to_owned(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_toml_or_texts() {
        let keys = |all: &[&str]| -> Vec<String> { all.iter().map(|one| (*one).into()).collect() };
        let all = [
            "max_rate=20",
            "filter=x > 5 AND color = 'RED'",
            "topics=[\"a\", \"b\"]",
            "qos.reader.deadline=1 s",
            "qos.reader.history=keep_all",
            "processor=",
        ];
        let body: Value = serde_json::from_str(&body(&keys(&all)).ok().unwrap()).unwrap();
        let expected = serde_json::json!({
            "processor": null,
            "max_rate": 20,
            "filter": "x > 5 AND color = 'RED'",
            "topics": ["a", "b"],
            "qos": { "reader": { "deadline": "1 s", "history": "keep_all" } },
        });
        assert_eq!(body, expected);
        assert!(super::body(&keys(&["a b=5"])).is_err());
        assert!(super::body(&keys(&["a=5", "a=6"])).is_err());
    }
}
