//! What others see of a service over HTTP: its state as JSON, changes as they happen, counters for
//! Prometheus, and a page that shows all of it live.
//!
//! | request | answer |
//! |---|---|
//! | `GET /` | the page |
//! | `GET /v1/routing_services/S/..` | an entity and all that it contains |
//! | `PUT /v1/routing_services/S/../state` | enables, disables, pauses or resumes it |
//! | `GET /v1/events` | each change of state, as server-sent events |
//! | `GET /metrics` | counters in the text form of Prometheus |
//!
//! Requests that change something need the token; without one nothing can be changed. All limits
//! are in [`Bounds`].
mod answer;
mod changes;
mod json;
mod metrics;
mod server;

pub use json::tree_to_json;
pub use metrics::tree_to_metrics;
pub use server::{Http, HttpOptions};

use crate::service::{Action, Service, UnknownPath};
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
}

impl Administered for Service {
    fn state(&self) -> Tree {
        Self::state(self)
    }

    fn act(&self, path: &str, action: Action) -> Result<(), UnknownPath> {
        Self::act(self, path, action)
    }
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
