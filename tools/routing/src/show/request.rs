//! Requests that do not come by HTTP.
use super::answer::{Answer, dispatch, refusal};
use super::{Administered, Bounds};
use hyper::StatusCode;

/// Carries out a request about an entity of the service that is at `own`; returns the status and
/// the body that HTTP has for it. Whoever calls has checked that it may be.
pub(crate) fn carry_out(
    (action, path, query): (&str, &str, Option<&str>),
    body: &str,
    service: &dyn Administered,
    own: &str,
) -> (u16, String) {
    let is_configuration = path.strip_prefix(own) == Some("/config");
    let place = match is_configuration {
        true => "/v1/config".to_owned(),
        false => format!("/v1{path}"),
    };
    let bounds = Bounds::default();
    whole(dispatch(
        (action, &place, query),
        body.as_bytes(),
        service,
        &bounds,
    ))
}

/// A refusal as HTTP has it.
pub(crate) fn refused(status: u16, why: &str) -> (u16, String) {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
    whole(refusal(status, why))
}

fn whole(answer: Answer) -> (u16, String) {
    match answer {
        Answer::Whole { status, body, .. } => (status.as_u16(), body),
        // No path of an entity leads there.
        Answer::Events => (StatusCode::NOT_FOUND.as_u16(), String::new()),
    }
}
