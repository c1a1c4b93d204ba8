//! `dunlin route`, the Routing Service: joins data domains and passes samples between them.
//!
//! A configuration, in the XML of RTI Routing Service or in TOML, becomes a checked [`plan`]. The
//! table decides which endpoints there are, the engine makes them and forwards, and neither knows
//! how the plan was written.
#![forbid(unsafe_code)]

pub mod adapter;
pub mod administration;
mod clock;
pub mod command;
pub mod config;
mod engine;
pub mod monitoring;
pub mod plan;
pub mod processor;
pub mod service;
pub mod show;
#[cfg(feature = "simulation")]
pub mod simulation;
pub mod state;
mod table;
pub mod transformation;
pub mod types;

pub use service::{Service, StartError};
