//! Requests that change a service.
use super::Administered;
use super::answer::{Answer, entity, json_answer, refusal};
use crate::config::edit::{Edit, EditError};
use crate::plan::Difference;
use crate::service::Action;
use hyper::StatusCode;
use serde_json::{Value, json};

/// Has an entity take on a state.
pub(super) fn state(
    service: &dyn Administered,
    (path, query): (&str, Option<&str>),
    body: &[u8],
) -> Answer {
    const STATES: &str =
        r#"the body is {"state": S}, where S is "enabled", "disabled", "paused" or "running""#;
    if let Some(query) = query.filter(|query| !query.is_empty()) {
        let why = format!("?{query} is not understood for a state: nothing is done");
        return refusal(StatusCode::BAD_REQUEST, &why);
    }
    let Ok(body) = serde_json::from_slice::<Value>(body) else {
        return refusal(StatusCode::BAD_REQUEST, &format!("no JSON: {STATES}"));
    };
    let action = match body.get("state").and_then(Value::as_str) {
        Some("enabled") => Action::Enable,
        Some("disabled") => Action::Disable,
        Some("paused") => Action::Pause,
        Some("running") => Action::Resume,
        _ => return refusal(StatusCode::BAD_REQUEST, STATES),
    };
    match service.act(path, action) {
        Ok(()) => entity(service, path),
        Err(error) => refusal(StatusCode::NOT_FOUND, &error.to_string()),
    }
}

/// Takes over a configuration.
pub(super) fn configure(service: &dyn Administered, query: Option<&str>, body: &[u8]) -> Answer {
    let (is_dry_run, text) = match wanted(query, body) {
        Ok(wanted) => wanted,
        Err(refusal) => return refusal,
    };
    match service.configure(text, is_dry_run) {
        Ok(differences) => done(StatusCode::OK, is_dry_run, &differences),
        Err(why) => refusal(StatusCode::UNPROCESSABLE_ENTITY, &why),
    }
}

/// Adds to what is at a path, or changes or removes it.
pub(super) fn edit(
    service: &dyn Administered,
    (method, query): (&str, Option<&str>),
    path: &str,
    body: &[u8],
) -> Answer {
    let (is_dry_run, text) = match wanted(query, body) {
        Ok(wanted) => wanted,
        Err(refusal) => return refusal,
    };
    let (edit, status) = match method {
        "POST" => (Edit::Add { within: path, text }, StatusCode::CREATED),
        "PATCH" => (Edit::Set { path, text }, StatusCode::OK),
        _ => (Edit::Remove { path }, StatusCode::OK),
    };
    match service.edit(&edit, is_dry_run) {
        Ok(differences) if is_dry_run => done(StatusCode::OK, true, &differences),
        Ok(differences) => done(status, false, &differences),
        Err(error) => {
            let status = match error {
                EditError::Unknown(_) => StatusCode::NOT_FOUND,
                EditError::Conflict(_) => StatusCode::CONFLICT,
                EditError::Wrong(_) => StatusCode::UNPROCESSABLE_ENTITY,
            };
            refusal(status, &error.to_string())
        }
    }
}

/// Whether only to tell what would happen, and the body as text.
fn wanted<'b>(query: Option<&str>, body: &'b [u8]) -> Result<(bool, &'b str), Answer> {
    let is_dry_run = match query {
        None | Some("") => false,
        Some("dry_run" | "dry_run=1" | "dry_run=true") => true,
        Some(other) => {
            let why = format!("?{other} is not understood; ?dry_run is");
            return Err(refusal(StatusCode::BAD_REQUEST, &why));
        }
    };
    match std::str::from_utf8(body) {
        Ok(text) => Ok((is_dry_run, text)),
        Err(_) => Err(refusal(StatusCode::BAD_REQUEST, "the body is no UTF-8")),
    }
}

fn done(status: StatusCode, is_dry_run: bool, differences: &[Difference]) -> Answer {
    let lines: Vec<String> = differences.iter().map(ToString::to_string).collect();
    let answer = json!({ "dry_run": is_dry_run, "differences": lines });
    json_answer(status, &answer)
}
