//! What a request is answered with, without any socket.
use super::json::tree_to_json;
use super::{Administered, Bounds, change, tree_to_metrics};
use hyper::header::{AUTHORIZATION, HOST, HeaderMap, HeaderName, ORIGIN};
use hyper::{Method, StatusCode};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use std::net::{IpAddr, SocketAddr};
use subtle::ConstantTimeEq;

/// The page: one file, without anything from elsewhere.
const PAGE: &str = include_str!("page.html");

/// Who may do what.
#[derive(Clone, Debug)]
pub(super) struct Access {
    /// What a request must show to change something.
    pub(super) token: Option<String>,
    /// Only programs of this host can connect.
    pub(super) loopback: bool,
}

/// A request without its body.
pub(super) struct Asked<'a> {
    pub(super) method: &'a Method,
    pub(super) path: &'a str,
    pub(super) query: Option<&'a str>,
    pub(super) headers: &'a HeaderMap,
}

/// An answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// All of it.
    Whole {
        status: StatusCode,
        kind: &'static str,
        body: String,
    },
    /// Changes, as long as the other side listens.
    Events,
}

const JSON: &str = "application/json";
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";
const HTML: &str = "text/html; charset=utf-8";

/// Answers a request; called without any lock.
pub(super) fn answer(
    asked: &Asked<'_>,
    body: &[u8],
    service: &dyn Administered,
    access: &Access,
    bounds: &Bounds,
) -> Answer {
    if let Err((status, why)) = access.check(asked) {
        return refusal(status, &why);
    }
    let Ok(path) = percent_decode_str(asked.path).decode_utf8() else {
        return refusal(StatusCode::BAD_REQUEST, "the path is no UTF-8");
    };
    // Whoever sends the answer leaves its body out.
    let method = match *asked.method {
        Method::HEAD => "GET",
        _ => asked.method.as_str(),
    };
    dispatch((method, &path, asked.query), body, service, bounds)
}

/// Does what a method, a path and a query say; who asks may.
pub(super) fn dispatch(
    (method, path, query): (&str, &str, Option<&str>),
    body: &[u8],
    service: &dyn Administered,
    bounds: &Bounds,
) -> Answer {
    match (method, path) {
        ("GET", "/") => whole(StatusCode::OK, HTML, PAGE.to_owned()),
        ("GET", "/metrics") => {
            let text = tree_to_metrics(&service.state(), bounds.series);
            whole(StatusCode::OK, TEXT, text)
        }
        ("GET", "/v1/events") => Answer::Events,
        ("GET", path) => match path.strip_prefix("/v1") {
            Some(path) => entity(service, path),
            None => nothing(path),
        },
        ("PUT", path) => {
            let entity = path
                .strip_prefix("/v1")
                .and_then(|p| p.strip_suffix("/state"));
            match entity {
                Some(path) => change::state(service, (path, query), body),
                None => nothing(path),
            }
        }
        ("POST", "/v1/config") => change::configure(service, query, body),
        ("POST" | "PATCH" | "DELETE", path) => match path.strip_prefix("/v1") {
            Some(entity) => change::edit(service, (method, query), entity, body),
            None => nothing(path),
        },
        (method, _) => refusal(
            StatusCode::METHOD_NOT_ALLOWED,
            &format!("{method} is not understood; GET, PUT, POST, PATCH and DELETE are"),
        ),
    }
}

pub(super) fn entity(service: &dyn Administered, path: &str) -> Answer {
    let tree = service.state();
    // `/v1` and `/v1/routing_services` mean the service, whatever its name is.
    let node = match path.trim_end_matches('/') {
        "" | "/routing_services" => Some(&tree),
        path => tree.at(path),
    };
    match node {
        Some(node) => json_answer(StatusCode::OK, &tree_to_json(node)),
        None => nothing(path),
    }
}

fn nothing(path: &str) -> Answer {
    let why = format!(
        "there is nothing at {path:?}; GET /v1/routing_services lists what there is, with paths"
    );
    refusal(StatusCode::NOT_FOUND, &why)
}

pub(super) fn refusal(status: StatusCode, why: &str) -> Answer {
    json_answer(status, &json!({ "error": why }))
}

pub(super) fn json_answer(status: StatusCode, value: &Value) -> Answer {
    whole(status, JSON, format!("{value}\n"))
}

fn whole(status: StatusCode, kind: &'static str, body: String) -> Answer {
    Answer::Whole { status, kind, body }
}

impl Access {
    /// Whether the request may be answered at all.
    fn check(&self, asked: &Asked<'_>) -> Result<(), (StatusCode, String)> {
        let refused = |why: &str| Err((StatusCode::FORBIDDEN, why.to_owned()));
        // A name that resolves to this host may belong to a page of somebody else's.
        let host = text(asked.headers, &HOST).unwrap_or_default();
        if !names_an_address(host) {
            return refused("the Host header has to be an address or localhost");
        }
        if let Some(origin) = text(asked.headers, &ORIGIN)
            && origin.split_once("://").map(|(_, rest)| rest) != Some(host)
        {
            return refused("the Origin header is another place than this");
        }
        let changes = ![Method::GET, Method::HEAD].contains(asked.method);
        if self.loopback && !changes {
            return Ok(());
        }
        let Some(token) = &self.token else {
            return refused(
                "nothing can be changed here: start the service with --http-token-file",
            );
        };
        let shown = text(asked.headers, &AUTHORIZATION).unwrap_or_default();
        let (scheme, shown) = shown.split_once(' ').unwrap_or_default();
        let shown = match scheme.eq_ignore_ascii_case("Bearer") {
            true => shown,
            false => "",
        };
        match bool::from(shown.as_bytes().ct_eq(token.as_bytes())) {
            true => Ok(()),
            false => Err((
                StatusCode::UNAUTHORIZED,
                "send the token: Authorization: Bearer TOKEN".to_owned(),
            )),
        }
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// True for `localhost`, an address, and these with a port.
fn names_an_address(host: &str) -> bool {
    let bare = host.rsplit_once(':').map_or(host, |(bare, _)| bare);
    let is_address = |text: &str| text.parse::<IpAddr>().is_ok();
    host == "localhost"
        || bare == "localhost"
        || host.parse::<SocketAddr>().is_ok()
        || is_address(host)
        || is_address(host.trim_start_matches('[').trim_end_matches(']'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::edit::{Edit, EditError};
    use crate::plan::{Difference, DifferenceKind, Path};
    use crate::service::{Action, UnknownPath};
    use crate::state::{EndPlace, EntityKind, Node, State};
    use std::sync::Mutex;

    /// A service that has two routes and remembers what was done.
    #[derive(Default)]
    struct Fixed(Mutex<Vec<(String, Action)>>);

    const ROUTE: &str = "/routing_services/s/domain_routes/d/sessions/x/routes/rt\"1";

    impl Administered for Fixed {
        fn state(&self) -> Node {
            let mut input = Node::new(
                Path(format!("{ROUTE}/inputs/i")),
                EntityKind::Input,
                State::Running,
            );
            input.end = Some(EndPlace {
                connection: "a".into(),
                topic: "Squa\nre".into(),
                type_source: None,
                type_name: Some("ShapeType".into()),
            });
            input.matched = 2;
            input.counters.samples = 7;
            let mut route = Node::new(Path(ROUTE.into()), EntityKind::Route, State::Running);
            route.children = vec![input];
            let failed = Node::new(
                Path("/routing_services/s/domain_routes/d/connections/a".into()),
                EntityKind::Connection,
                State::Failed("no interface".into()),
            );
            let mut service = Node::new(
                Path("/routing_services/s".into()),
                EntityKind::Service,
                State::Running,
            );
            service.children = vec![failed, route];
            service
        }

        fn act(&self, path: &str, action: Action) -> Result<(), UnknownPath> {
            if self.state().at(path).is_none() {
                return Err(UnknownPath(path.to_owned()));
            }
            self.0.lock().unwrap().push((path.to_owned(), action));
            Ok(())
        }

        fn edit(&self, wanted: &Edit<'_>, _: bool) -> Result<Vec<Difference>, EditError> {
            let (path, kind) = match *wanted {
                Edit::Add { text: "there", .. } => {
                    return Err(EditError::Conflict("there".to_owned()));
                }
                Edit::Add { within, .. } if !within.ends_with("/routes") => {
                    return Err(EditError::Unknown(within.to_owned()));
                }
                Edit::Add { within, .. } => (within, DifferenceKind::Added),
                Edit::Set { text: "bad", .. } => return Err(EditError::Wrong("bad".to_owned())),
                Edit::Set { path, text } => (path, DifferenceKind::Set(vec![text.to_owned()])),
                Edit::Remove { path: ROUTE } => (ROUTE, DifferenceKind::Removed),
                Edit::Remove { path } => return Err(EditError::Unknown(path.to_owned())),
            };
            let path = Path(path.to_owned());
            Ok(vec![Difference { path, kind }])
        }

        fn configure(&self, text: &str, _: bool) -> Result<Vec<Difference>, String> {
            match text {
                "good" => Ok(vec![Difference {
                    path: Path(ROUTE.into()),
                    kind: DifferenceKind::Added,
                }]),
                _ => Err("line 1: no".to_owned()),
            }
        }
    }

    fn ask(
        service: &Fixed,
        access: &Access,
        (method, path): (&str, &str),
        headers: &[(HeaderName, &str)],
        body: &str,
    ) -> (u16, String) {
        let mut all = HeaderMap::new();
        all.insert(HOST, "127.0.0.1:8085".parse().unwrap());
        for (name, value) in headers {
            all.insert(name.clone(), value.parse().unwrap());
        }
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let (path, query) = match path.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (path, None),
        };
        let asked = Asked {
            method: &method,
            path,
            query,
            headers: &all,
        };
        match answer(&asked, body.as_bytes(), service, access, &Bounds::default()) {
            Answer::Whole { status, body, .. } => (status.as_u16(), body),
            Answer::Events => (200, "events".to_owned()),
        }
    }

    fn here(token: Option<&str>) -> Access {
        Access {
            token: token.map(str::to_owned),
            loopback: true,
        }
    }

    #[test]
    fn entities_are_found_by_their_paths() {
        let (service, access) = (Fixed::default(), here(None));
        let get = |path: &str| ask(&service, &access, ("GET", path), &[], "");
        let (status, all) = get("/v1/routing_services");
        assert_eq!(status, 200);
        let all: Value = serde_json::from_str(&all).unwrap();
        assert_eq!(all["name"], "s");
        assert_eq!(all["children"][0]["reason"], "no interface");
        let one = &all["children"][1]["children"][0];
        assert_eq!(
            (&one["matched"], &one["counters"]["samples"]),
            (&2.into(), &7.into())
        );
        let path = ROUTE.replace('"', "%22");
        let (status, route) = get(&format!("/v1{path}"));
        assert_eq!(status, 200);
        assert!(route.contains("\"kind\":\"route\""), "{route}");
        assert_eq!(get("/v1/routing_services/other").0, 404);
        assert_eq!(get("/v2").0, 404);
        assert_eq!(get("/%ff").0, 400);
        assert!(get("/").1.contains("<!doctype html>"));
        assert_eq!(ask(&service, &access, ("HEAD", "/"), &[], "").0, 200);
    }

    #[test]
    fn metrics_escape_names_and_are_bounded() {
        let service = Fixed::default();
        let text = ask(&service, &here(None), ("GET", "/metrics"), &[], "").1;
        assert!(
            text.contains("topic=\"Squa\\nre\"") && text.contains("rt\\\"1"),
            "{text}"
        );
        assert!(
            text.contains("dunlin_routing_samples_total{") && text.contains("} 7\n"),
            "{text}"
        );
        let few = tree_to_metrics(&service.state(), 3);
        assert!(few.ends_with("series are left out\n"), "{few}");
        let series = few.lines().filter(|line| !line.starts_with('#'));
        assert_eq!(series.count(), 3);
    }

    #[test]
    fn changes_need_the_token() {
        let service = Fixed::default();
        let path = format!("/v1{}/state", ROUTE.replace('"', "%22"));
        let put = |access: &Access, shown: &str, body: &str| {
            let headers = [(AUTHORIZATION, shown)];
            ask(&service, access, ("PUT", &path), &headers, body)
        };
        let pause = r#"{"state": "paused"}"#;
        let (status, why) = put(&here(None), "Bearer x", pause);
        assert!(status == 403 && why.contains("--http-token-file"), "{why}");
        assert_eq!(put(&here(Some("secret")), "Bearer secre", pause).0, 401);
        assert_eq!(put(&here(Some("secret")), "secret", pause).0, 401);
        assert!(service.0.lock().unwrap().is_empty());
        assert_eq!(put(&here(Some("secret")), "Bearer secret", pause).0, 200);
        assert_eq!(
            *service.0.lock().unwrap(),
            [(ROUTE.to_owned(), Action::Pause)]
        );
        let (status, why) = put(&here(Some("secret")), "Bearer secret", r#"{"state": 1}"#);
        assert!(status == 400 && why.contains("paused"), "{why}");
        assert_eq!(put(&here(Some("secret")), "Bearer secret", "x").0, 400);
        // What only wants to know does nothing.
        let (access, headers) = (here(Some("secret")), [(AUTHORIZATION, "bearer secret")]);
        let tried = ("PUT", &*format!("{path}?dry_run"));
        assert_eq!(ask(&service, &access, tried, &headers, pause).0, 400);
        assert_eq!(service.0.lock().unwrap().len(), 1);
        // From elsewhere nothing is told without it.
        let far = Access {
            loopback: false,
            ..here(Some("secret"))
        };
        assert_eq!(ask(&service, &far, ("GET", "/v1"), &[], "").0, 401);
        assert_eq!(ask(&service, &far, ("DELETE", "/v1"), &[], "").0, 401);
        let delete = ask(&service, &here(None), ("GET", "/v1/nothing/state"), &[], "");
        assert_eq!(delete.0, 404);
    }

    #[test]
    fn a_configuration_is_taken_over_with_the_token_or_changes_nothing() {
        let service = Fixed::default();
        let access = here(Some("secret"));
        let post = |path: &str, shown: &str, body: &str| {
            let headers = [(AUTHORIZATION, shown)];
            ask(&service, &access, ("POST", path), &headers, body)
        };
        assert_eq!(post("/v1/config", "", "good").0, 401);
        let (status, answer) = post("/v1/config?dry_run", "Bearer secret", "good");
        assert_eq!(status, 200);
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["dry_run"], true);
        assert_eq!(answer["differences"][0], format!("+ {ROUTE}"));
        let (status, why) = post("/v1/config", "Bearer secret", "bad");
        assert!(status == 422 && why.contains("line 1"), "{why}");
        assert_eq!(post("/v1/config?dry", "Bearer secret", "good").0, 400);
        assert_eq!(post("/v1/elsewhere", "Bearer secret", "good").0, 404);
    }

    #[test]
    fn pages_of_others_are_not_answered() {
        let (service, access) = (Fixed::default(), here(None));
        let get =
            |headers: &[(HeaderName, &str)]| ask(&service, &access, ("GET", "/v1"), headers, "").0;
        assert_eq!(get(&[(HOST, "evil.example:8085")]), 403);
        assert_eq!(get(&[(HOST, "localhost:8085")]), 200);
        assert_eq!(get(&[(HOST, "[::1]:8085")]), 200);
        assert_eq!(get(&[(ORIGIN, "http://127.0.0.1:8085")]), 200);
        assert_eq!(get(&[(ORIGIN, "http://127.0.0.1:9999")]), 403);
        assert_eq!(get(&[(ORIGIN, "null")]), 403);
    }

    #[test]
    fn entities_are_added_changed_and_removed_with_the_token() {
        let service = Fixed::default();
        let access = here(Some("secret"));
        let ask = |method: &str, path: &str, shown: &str, body: &str| {
            let headers = [(AUTHORIZATION, shown)];
            let path = format!("/v1{}", path.replace('"', "%22"));
            let (status, answer) = ask(&service, &access, (method, &path), &headers, body);
            (status, serde_json::from_str::<Value>(&answer).unwrap())
        };
        let good = "Bearer secret";
        for method in ["POST", "PATCH", "DELETE"] {
            assert_eq!(ask(method, ROUTE, "", "x").0, 401);
            assert_eq!(ask(method, &format!("{ROUTE}?dry"), good, "x").0, 400);
        }
        let (status, answer) = ask("POST", "/routing_services/s/x/routes", good, "new");
        assert_eq!((status, &answer["dry_run"]), (201, &Value::Bool(false)));
        let added = "+ /routing_services/s/x/routes";
        assert_eq!(answer["differences"], json!([added]));
        let (status, answer) = ask("PATCH", &format!("{ROUTE}?dry_run"), good, "rate");
        assert_eq!((status, &answer["dry_run"]), (200, &Value::Bool(true)));
        assert_eq!(
            answer["differences"],
            json!([format!("~ {ROUTE}: set rate")])
        );
        let (status, answer) = ask("DELETE", ROUTE, good, "");
        assert_eq!(status, 200);
        assert_eq!(answer["differences"], json!([format!("- {ROUTE}")]));
        assert_eq!(ask("POST", "/s/routes", good, "there").0, 409);
        assert_eq!(ask("PATCH", ROUTE, good, "bad").0, 422);
        let (status, answer) = ask("DELETE", "/other", good, "");
        assert_eq!((status, &answer["error"]), (404, &json!("/other")));
    }
}
