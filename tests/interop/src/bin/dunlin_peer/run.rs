//! One run of a peer: its bound in time, its standard input, the events that both roles print.

use crate::options::Options;
use dunlin::{IncompatibleQosStatus, MatchedStatus, PolicyId};
use std::fmt;
use std::io::Read;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Why a peer does not succeed.
pub(crate) enum Failure {
    /// An operation of Dunlin failed.
    Operation(dunlin::Error),
    /// The time is over; the text says what is missing.
    Timeout(String),
    /// A sample's content is not what its number says.
    Corrupt,
    /// A match where an incompatible QoS was expected.
    Unexpected,
    /// Somebody where nobody was expected.
    NotAlone,
}

impl Failure {
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Operation(_) => 1,
            Self::Timeout(_) => 2,
            Self::Corrupt => 3,
            Self::Unexpected | Self::NotAlone => 4,
        })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operation(error) => write!(f, "error {error}"),
            Self::Timeout(what) => write!(f, "timeout waiting for {what}"),
            Self::Corrupt => write!(f, "error content is not what the sequence number says"),
            Self::Unexpected => write!(f, "error matched although the QoS is incompatible"),
            Self::NotAlone => write!(f, "error there is somebody"),
        }
    }
}

impl From<dunlin::Error> for Failure {
    fn from(error: dunlin::Error) -> Self {
        Self::Operation(error)
    }
}

/// The statuses of a writer or a reader.
pub(crate) trait Endpoint {
    fn matched(&self) -> MatchedStatus;
    fn incompatible(&self) -> IncompatibleQosStatus;
    fn deadlines_missed(&self) -> i32;
    /// What Dunlin says about endpoints that do not match.
    fn explain(&self) -> Vec<String>;
}

/// What has happened so far.
pub(crate) struct Run<'a> {
    pub(crate) options: &'a Options,
    pub(crate) end: Instant,
    pub(crate) matched: MatchedStatus,
    incompatible: i32,
    deadlines_missed: i32,
    released: Arc<AtomicBool>,
}

impl<'a> Run<'a> {
    pub(crate) fn new(options: &'a Options) -> Self {
        let released = Arc::new(AtomicBool::new(false));
        if options.hold {
            let released = Arc::clone(&released);
            std::thread::spawn(move || {
                let mut input = std::io::stdin();
                while input.read(&mut [0; 64]).is_ok_and(|length| length > 0) {}
                released.store(true, Relaxed);
            });
        }
        Self {
            options,
            end: Instant::now() + Duration::from_secs(options.timeout_s.into()),
            matched: MatchedStatus::default(),
            incompatible: 0,
            deadlines_missed: 0,
            released,
        }
    }

    /// Prints what changed.
    pub(crate) fn poll(&mut self, endpoint: &impl Endpoint) {
        let matched = endpoint.matched();
        if matched.current_count != self.matched.current_count
            || matched.total_count != self.matched.total_count
        {
            println!("matched {}", matched.current_count);
        }
        self.matched = matched;
        let incompatible = endpoint.incompatible();
        if incompatible.total_count != self.incompatible {
            println!(
                "incompatible policy={}",
                policy_name(incompatible.last_policy)
            );
        }
        self.incompatible = incompatible.total_count;
        let missed = endpoint.deadlines_missed();
        if missed > 0 && self.deadlines_missed == 0 {
            println!("deadline missed");
        }
        self.deadlines_missed = missed;
    }

    /// Polls until `met`; the failure says `what` was missing.
    pub(crate) fn wait_until<E: Endpoint>(
        &mut self,
        endpoint: &E,
        what: &str,
        mut met: impl FnMut(&mut Self) -> Result<bool, Failure>,
    ) -> Result<(), Failure> {
        loop {
            self.poll(endpoint);
            if met(self)? {
                return Ok(());
            }
            if Instant::now() >= self.end {
                let explanation = endpoint.explain().join("; ");
                return Err(Failure::Timeout(format!("{what}: {explanation}")));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    pub(crate) fn wait_for_match(&mut self, endpoint: &impl Endpoint) -> Result<(), Failure> {
        self.wait_until(endpoint, "a match", |run| {
            Ok(run.matched.current_count >= run.options.wait_match)
        })
    }

    /// If that was asked for.
    pub(crate) fn wait_for_missed_deadline(
        &mut self,
        endpoint: &impl Endpoint,
    ) -> Result<(), Failure> {
        let wanted = self.options.expect_deadline_missed;
        self.wait_until(endpoint, "a missed deadline", |run| {
            Ok(!wanted || run.deadlines_missed > 0)
        })
    }

    fn stay(&mut self, endpoint: &impl Endpoint, time: Duration) {
        let end = Instant::now() + time;
        while Instant::now() < end {
            self.poll(endpoint);
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Long enough for two that suit each other to match.
    pub(crate) fn expect_nothing(&mut self, endpoint: &impl Endpoint) -> Result<(), Failure> {
        self.stay(endpoint, Duration::from_millis(1500));
        if self.matched.total_count > 0 || self.incompatible > 0 {
            return Err(Failure::NotAlone);
        }
        println!("done alone");
        Ok(())
    }

    /// Stays a little after the event: a match, which would be wrong, may come late.
    pub(crate) fn wait_for_incompatible(
        &mut self,
        endpoint: &impl Endpoint,
    ) -> Result<(), Failure> {
        self.wait_until(endpoint, "an incompatible QoS", |run| {
            Ok(run.incompatible > 0)
        })?;
        self.stay(endpoint, Duration::from_millis(300));
        if self.matched.total_count > 0 {
            return Err(Failure::Unexpected);
        }
        println!("done incompatible={}", self.incompatible);
        Ok(())
    }

    /// After `done`, with `--hold`: whoever started this peer lets it go by closing its standard
    /// input.
    pub(crate) fn wait_for_release(&mut self, endpoint: &impl Endpoint) -> Result<(), Failure> {
        let hold = self.options.hold;
        self.wait_until(endpoint, "the end of standard input", |run| {
            Ok(!hold || run.released.load(Relaxed))
        })
    }
}

fn policy_name(policy: Option<PolicyId>) -> &'static str {
    match policy {
        Some(PolicyId::Durability) => "DURABILITY",
        Some(PolicyId::Deadline) => "DEADLINE",
        Some(PolicyId::Ownership) => "OWNERSHIP",
        Some(PolicyId::Liveliness) => "LIVELINESS",
        Some(PolicyId::Reliability) => "RELIABILITY",
        Some(PolicyId::DestinationOrder) => "DESTINATION_ORDER",
        Some(PolicyId::DataRepresentation) => "DATA_REPRESENTATION",
        _ => "OTHER",
    }
}
