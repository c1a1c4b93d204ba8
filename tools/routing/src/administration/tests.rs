use super::*;
use crate::config::edit::{Edit, EditError};
use crate::plan::{Difference, Path};
use crate::service::{Action, UnknownPath};
use crate::state::{EntityKind, Node, State, Tree};
use proptest::prelude::*;
use std::sync::Mutex;

/// A service that remembers what it was asked for.
#[derive(Default)]
struct Noted(Mutex<Vec<String>>);

impl Noted {
    fn note(&self, what: String) {
        self.0.lock().unwrap().push(what);
    }
}

impl Administered for Noted {
    fn state(&self) -> Tree {
        let path = Path("/routing_services/yard".into());
        Node::new(path, EntityKind::Service, State::Running)
    }

    fn act(&self, path: &str, action: Action) -> Result<(), UnknownPath> {
        self.note(format!("{action:?} {path}"));
        Ok(())
    }

    fn configure(&self, text: &str, is_dry_run: bool) -> Result<Vec<Difference>, String> {
        self.note(format!("configure {text} {is_dry_run}"));
        Ok(Vec::new())
    }

    fn edit(&self, wanted: &Edit<'_>, is_dry_run: bool) -> Result<Vec<Difference>, EditError> {
        self.note(format!("{wanted:?} {is_dry_run}"));
        Ok(Vec::new())
    }
}

fn request(action: &str, path: &str, body: &str) -> Request {
    Request {
        id: "7".into(),
        action: action.into(),
        path: path.into(),
        body: body.into(),
    }
}

fn code(service: &Noted, request: &Request, allows_changes: bool) -> Option<i32> {
    answer(request, service, allows_changes).map(|reply| reply.code)
}

#[test]
fn verbs_do_what_they_do_by_http() {
    let service = Noted::default();
    let own = "/routing_services/yard";
    for (action, path, body, expected, does) in [
        ("GET", "", "", 200, ""),
        (
            "PUT",
            "/state",
            r#"{"state": "paused"}"#,
            200,
            "Pause /routing_services/yard",
        ),
        ("POST", "/x/routes", "a", 201, "Add"),
        ("PATCH", "/x?dry_run", "a", 200, "true"),
        ("DELETE", "/x", "", 200, "Remove"),
        ("POST", "/config", "text", 200, "configure text false"),
        ("PATCH", "/x?what", "a", 400, ""),
        ("TRACE", "", "", 405, ""),
        ("GET", "/none", "", 404, ""),
        ("PUT", "/state", "paused", 400, ""),
    ] {
        let reply = answer(
            &request(action, &format!("{own}{path}"), body),
            &service,
            true,
        );
        let reply = reply.unwrap();
        assert_eq!((&*reply.id, reply.code), ("7", expected), "{action} {path}");
        assert!(serde_json::from_str::<serde_json::Value>(&reply.text).is_ok());
        let done: Vec<String> = std::mem::take(&mut *service.0.lock().unwrap());
        assert_eq!(done.is_empty(), does.is_empty(), "{done:?}");
        assert!(done.iter().all(|done| done.contains(does)), "{done:?}");
    }
}

#[test]
fn nothing_is_changed_unless_the_configuration_allows_it() {
    let service = Noted::default();
    let own = "/routing_services/yard";
    assert_eq!(code(&service, &request("GET", own, ""), false), Some(200));
    for action in ["PUT", "POST", "PATCH", "DELETE", "get"] {
        let asked = request(action, own, "");
        assert_eq!(code(&service, &asked, false), Some(403), "{action}");
    }
    assert!(service.0.lock().unwrap().is_empty());
}

#[test]
fn requests_to_others_are_not_answered_and_long_ones_are_refused() {
    let service = Noted::default();
    for path in [
        "",
        "/",
        "/routing_services",
        "/routing_services/yard2",
        "/metrics",
    ] {
        assert_eq!(
            code(&service, &request("GET", path, ""), true),
            None,
            "{path}"
        );
    }
    let long = "x".repeat((1 << 20) + 1);
    let own = "/routing_services/yard";
    assert_eq!(
        code(&service, &request("POST", own, &long), true),
        Some(413)
    );
    let asked = Request {
        id: "i".repeat(257),
        ..request("GET", own, "")
    };
    let reply = answer(&asked, &service, true).unwrap();
    assert_eq!((reply.code, reply.id.len()), (400, 256));
}

#[test]
fn replies_have_bounded_lengths() {
    let long = reply("7", 200, "x".repeat(LONGEST_TEXT + 1));
    assert!(
        long.code == 413 && long.text.contains("4 MiB"),
        "{}",
        long.text
    );
    let most = reply("7", 200, "x".repeat(LONGEST_TEXT));
    assert_eq!((most.code, most.text.len()), (200, LONGEST_TEXT));
    // No character is cut in two.
    let id = format!("{}ä", "x".repeat(LONGEST_ID - 1));
    assert_eq!(reply(&id, 200, String::new()).id.len(), LONGEST_ID - 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Whatever comes is answered with JSON, or not at all.
    #[test]
    fn anything_is_answered(
        id in ".{0,300}", action in "[A-Z]{0,8}", path in ".{0,60}", body in ".{0,60}",
    ) {
        let service = Noted::default();
        let path = format!("/routing_services/yard{path}");
        let asked = Request { id, action, path, body };
        if let Some(reply) = answer(&asked, &service, true) {
            prop_assert!(reply.id.len() <= LONGEST_ID);
            prop_assert!(serde_json::from_str::<serde_json::Value>(&reply.text).is_ok());
        }
    }
}
