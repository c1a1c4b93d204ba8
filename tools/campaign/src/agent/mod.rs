//! A subscriber on another host: `perftest agent` waits there, and a campaign tells it what to run.
//!
//! Both sides know a secret and prove it to each other before anything else is said ([`channel`]):
//! the caller first, so that the agent gives nothing away. Every message after that carries a code
//! made of the secret, both nonces and its number, so none can be changed, repeated or put in by
//! others; they are not encrypted, for they are no secret. An agent runs nothing but perftest as a
//! subscriber, with options of a short list ([`allow`]), for a bounded time, for one campaign at a
//! time; what runs ends with the connection.

pub mod allow;
pub mod channel;
pub mod remote;
pub mod secret;
pub mod serve;

use serde::{Deserialize, Serialize};

use crate::record::Host;

/// What a campaign says.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    /// Run perftest with these arguments. Whatever ran before is ended.
    Start {
        /// Of this run; answers carry it.
        id: u64,
        /// As on a command line.
        arguments: Vec<String>,
        /// It is ended after this time.
        seconds: f64,
    },
    /// End the run.
    Stop {
        /// Which one.
        id: u64,
    },
}

/// What an agent says.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// At the beginning: the campaign may go on.
    Ready {
        /// Of Dunlin.
        version: String,
        /// The agent's machine.
        host: Host,
    },
    /// At the beginning, or instead of a run: why not.
    Refused {
        /// For the user.
        reason: String,
    },
    /// The run has begun.
    Started {
        /// Which one.
        id: u64,
    },
    /// The run has ended.
    Ended {
        /// Which one.
        id: u64,
        /// Its standard output.
        output: String,
        /// Why it failed.
        failure: Option<String>,
    },
}
