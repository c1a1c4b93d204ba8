//! What a test gives a participant instead of what the machine gives a product's.
use crate::runtime::clock::SimulatedClock;
use dunlin_rtps::{ReaderConfig, WriterConfig};
use dunlin_wire::{GuidPrefix, SequenceNumber};
use std::sync::Arc;

/// What a simulated participant does not get from the machine.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// Its name; the first two bytes are those of Dunlin's vendor id.
    pub prefix: GuidPrefix,
    /// Its clocks.
    pub clock: Arc<SimulatedClock>,
    /// Its entities get the numbers that follow this one.
    pub entities: u32,
    /// How its endpoints differ from those of a program.
    pub tuning: Tuning,
}

/// Numbers of the protocol that a test may want to be others.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tuning {
    /// The number of each writer's first change.
    pub first_sequence: Option<SequenceNumber>,
    /// Whether writers send key hashes.
    pub send_key_hash: Option<bool>,
    /// The most samples per writer that wait in a reader for an earlier one.
    pub max_pending: Option<u32>,
}

impl Tuning {
    pub(crate) fn tune_writer(&self, config: WriterConfig) -> WriterConfig {
        WriterConfig {
            first_sequence: self.first_sequence.unwrap_or(config.first_sequence),
            send_key_hash: self.send_key_hash.unwrap_or(config.send_key_hash),
            ..config
        }
    }

    pub(crate) fn tune_reader(&self, config: ReaderConfig) -> ReaderConfig {
        ReaderConfig {
            max_pending: self.max_pending.unwrap_or(config.max_pending),
            ..config
        }
    }
}
