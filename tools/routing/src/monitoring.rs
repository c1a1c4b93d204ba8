//! What a service publishes of itself over DDS, and the types of that, for who subscribes.
//!
//! The IDL of these types is `idl/monitoring.idl`.
mod publisher;

pub(crate) use publisher::Monitor;

use dunlin::{Data, Topic};

/// The topic of [`EntityState`].
pub const STATE_TOPIC: &str = "dunlin/routing/state";
/// The topic of [`EntityStatistics`].
pub const STATISTICS_TOPIC: &str = "dunlin/routing/statistics";
/// The topic of [`EntityEvent`].
pub const EVENTS_TOPIC: &str = "dunlin/routing/events";

/// How an entity of a service is. Published when that changes; disposed when the entity is gone.
#[derive(Clone, Debug, Default, PartialEq, Topic)]
#[topic(name = "dunlin::routing::EntityState", extensibility = "appendable")]
pub struct EntityState {
    /// Where it is, such as `/routing_services/S/domain_routes/D/sessions/X/routes/R`.
    #[key]
    pub path: String,
    /// What it is: `routing_service`, `domain_route`, `connection`, `session`, `route`,
    /// `auto_route`, `input` or `output`.
    pub kind: String,
    /// `disabled`, `enabled`, `started`, `running`, `paused`, `stopped` or `failed`.
    pub state: String,
    /// Why it has failed, or what it waits for; empty if that is obvious.
    pub reason: String,
    /// Since when, in nanoseconds of the Unix epoch.
    pub since: i64,
}

/// What has passed a route, an input or an output since it was made.
#[derive(Clone, Debug, Default, PartialEq, Topic)]
#[topic(
    name = "dunlin::routing::EntityStatistics",
    extensibility = "appendable"
)]
pub struct EntityStatistics {
    /// Where it is. The service itself has [`process`](Self::process) alone.
    #[key]
    pub path: String,
    /// When it was counted, in nanoseconds of the Unix epoch.
    pub time: i64,
    /// Samples.
    pub samples: u64,
    /// Bytes of payload.
    pub bytes: u64,
    /// Disposes.
    pub disposes: u64,
    /// Unregisters, those that dispose included.
    pub unregisters: u64,
    /// Changes that came a second time.
    pub duplicates: u64,
    /// Changes that the configuration holds back.
    pub held_back: u64,
    /// Best-effort samples for which a reliable output had no room.
    pub dropped_full: u64,
    /// Changes that could not be written.
    pub failed: u64,
    /// How often a reader was given up that had held up an output.
    pub given_up: u64,
    /// Changes that wait for room, now.
    pub backlog: u64,
    /// Bytes of these.
    pub backlog_bytes: u64,
    /// Endpoints of others that it is matched with, now.
    pub matched: u32,
    /// Of the last period of sampling.
    pub samples_per_second: f64,
    /// Of the last period of sampling.
    pub bytes_per_second: f64,
    /// The most samples a second of the periods of sampling since the last publication.
    pub most_samples_per_second: f64,
    /// How long samples took through the service; of routes that have measured it.
    pub hop: Option<Hop>,
    /// What the process takes; of the service.
    pub process: Option<ProcessUse>,
}

/// The time that samples take through the service, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Data)]
#[topic(name = "dunlin::routing::Hop", extensibility = "appendable")]
pub struct Hop {
    /// Bursts that were measured.
    pub count: u64,
    /// Half of them took no longer.
    pub p50: f64,
    /// 99 of 100.
    pub p99: f64,
    /// 9,999 of 10,000.
    pub p9999: f64,
    /// All of them.
    pub max: f64,
}

/// What the process of a service takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Data)]
#[topic(name = "dunlin::routing::ProcessUse", extensibility = "appendable")]
pub struct ProcessUse {
    /// Processors that it kept busy since the last publication: 1 is one of them.
    pub processors: f64,
    /// Bytes of memory that are resident.
    pub resident_bytes: u64,
}

/// A change of state.
#[derive(Clone, Debug, Default, PartialEq, Topic)]
#[topic(name = "dunlin::routing::EntityEvent", extensibility = "appendable")]
pub struct EntityEvent {
    /// Of which entity.
    #[key]
    pub path: String,
    /// When, in nanoseconds of the Unix epoch.
    pub time: i64,
    /// What it is.
    pub kind: String,
    /// The state before; empty if it is new.
    pub before: String,
    /// The state now; `gone` if it is there no more.
    pub after: String,
    /// Why.
    pub reason: String,
}
