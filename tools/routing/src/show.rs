//! What others see of a service over HTTP: its state as JSON, changes as they happen, counters for
//! Prometheus, and a page that shows all of it live.
//!
//! | request | answer |
//! |---|---|
//! | `GET /` | the page |
//! | `GET /v1/routing_services/S/..` | an entity and all that it contains |
//! | `PUT /v1/routing_services/S/../state` | enables, disables, pauses or resumes it |
//! | `POST /v1/config` | takes over the configuration in the body, without one that of its files; `?dry_run` only tells what that would do |
//! | `POST /v1/routing_services/S/../auto_routes` | adds what the body describes; also to `routes` and `sessions` |
//! | `PATCH /v1/routing_services/S/../auto_routes/A` | changes what the body names; also of `routes` |
//! | `DELETE /v1/routing_services/S/../auto_routes/A` | removes it; also of `routes` and `sessions` |
//! | `GET /v1/events` | each change of state, as server-sent events |
//! | `GET /metrics` | counters in the text form of Prometheus |
//!
//! Requests that change something need the token; without one nothing can be changed. All limits
//! are in [`Bounds`].
mod answer;
mod change;
mod changes;
mod json;
mod metrics;
pub(crate) mod request;
mod server;

pub use json::tree_to_json;
pub(crate) use json::{kind, state};
pub use metrics::tree_to_metrics;
pub use server::{Http, HttpOptions};

use crate::config::edit::{Edit, EditError};
use crate::plan::Difference;
use crate::service::{Action, UnknownPath};
use crate::state::Tree;
use std::time::Duration;

/// A service as HTTP needs it.
pub trait Administered: Send + Sync + 'static {
    /// What there is now, and how it is.
    fn state(&self) -> Tree;

    /// Does something to an entity and all that it contains.
    ///
    /// # Errors
    /// `UnknownPath` if there is none.
    fn act(&self, path: &str, action: Action) -> Result<(), UnknownPath>;

    /// Takes over a configuration, in XML or TOML, or says what that would do; returns a line for
    /// each difference. Without a text it is the one that the service was started with, read again.
    ///
    /// # Errors
    /// What is wrong with it, as text; nothing has changed then.
    fn configure(&self, text: &str, is_dry_run: bool) -> Result<Vec<Difference>, String>;

    /// Adds, changes or removes one entity, or says what that would do; returns a line for each
    /// difference.
    ///
    /// # Errors
    /// What is wrong with it; nothing has changed then.
    fn edit(&self, wanted: &Edit<'_>, is_dry_run: bool) -> Result<Vec<Difference>, EditError>;
}

/// How much is done for those who ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Connections at once; what is beyond waits.
    pub connections: usize,
    /// Bytes of the body of a request.
    pub body: usize,
    /// Time for the head of a request, and as much for its body.
    pub time: Duration,
    /// Series in `/metrics`; the rest is left out with a comment.
    pub series: usize,
    /// How often the state is looked at for `/v1/events`.
    pub look: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            connections: 32,
            body: 1 << 20,
            time: Duration::from_secs(5),
            series: 10_000,
            look: Duration::from_millis(250),
        }
    }
}
