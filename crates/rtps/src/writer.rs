//! A writer: numbers changes, keeps them as long as QoS says, and repeats what readers lack (RTPS 2.5 8.4.7 to 8.4.9).
mod config;

pub use config::{Acknowledgement, ReaderProxyConfig, WriteError, WriterConfig};

use crate::{Change, Outbox, Time};
use dunlin_wire::{AckNack, Guid, NackFrag, SequenceNumber};

/// A stateful writer, best effort or reliable.
pub struct Writer {
    config: WriterConfig,
    last: i64,
}

#[allow(unused_variables, clippy::unused_self)]
impl Writer {
    /// A writer without readers that has written nothing.
    pub fn new(config: WriterConfig) -> Self {
        Self { config, last: 0 }
    }

    /// Who it is.
    pub fn guid(&self) -> Guid {
        self.config.guid
    }

    /// Gives the change its number, keeps it if need be, and sends it to all matched readers.
    pub fn write(
        &mut self,
        now: Time,
        change: &Change,
        out: &mut impl Outbox,
    ) -> Result<SequenceNumber, WriteError> {
        self.last += 1;
        Ok(SequenceNumber(self.last))
    }

    /// Matches a reader; a late joiner that asks for history gets it.
    pub fn add_reader(&mut self, now: Time, reader: ReaderProxyConfig, out: &mut impl Outbox) {}

    /// Forgets a reader; true if it held something back.
    pub fn remove_reader(&mut self, reader: Guid) -> bool {
        false
    }

    /// What the reader `from` has and lacks (RTPS 2.5 8.4.7.5).
    pub fn handle_ack_nack(
        &mut self,
        now: Time,
        from: Guid,
        ack_nack: &AckNack,
        out: &mut impl Outbox,
    ) -> Acknowledgement {
        Acknowledgement::default()
    }

    /// Which fragments the reader `from` lacks.
    pub fn handle_nack_frag(
        &mut self,
        now: Time,
        from: Guid,
        nack_frag: &NackFrag,
        out: &mut impl Outbox,
    ) {
    }

    /// Asks all that lag for an answer now.
    pub fn heartbeat(&mut self, now: Time, out: &mut impl Outbox) {}

    /// Does what is due.
    pub fn handle_timeout(&mut self, now: Time, out: &mut impl Outbox) {}

    /// When to call `handle_timeout`, unless something else happens first.
    pub fn next_timeout(&self) -> Option<Time> {
        None
    }

    /// True if every reliable reader has everything up to `sequence`.
    pub fn is_acknowledged(&self, up_to: SequenceNumber) -> bool {
        true
    }

    /// The number of the last change, 0 if there is none.
    pub fn last_sequence(&self) -> SequenceNumber {
        SequenceNumber(self.last)
    }

    /// The reliable reader that has acknowledged least, and how far.
    pub fn slowest_reader(&self) -> Option<(Guid, SequenceNumber)> {
        None
    }
}
