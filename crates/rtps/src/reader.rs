//! A reader: puts changes in order, asks for what is missing, and keeps samples until they are taken (RTPS 2.5 8.4.10 to 8.4.12).
mod config;

pub use config::{Delivery, ReaderConfig, Rejection, RejectionReason, WriterProxyConfig};

use crate::{InstanceHandle, Intake, Outbox, Sample, Select, Time};
use dunlin_wire::{Data, DataFrag, Gap, Guid, Heartbeat, HeartbeatFrag, InlineQos, Timestamp};

/// A stateful reader, best effort or reliable.
pub struct Reader {
    config: ReaderConfig,
}

#[allow(unused_variables, clippy::unused_self, clippy::too_many_arguments)]
impl Reader {
    /// A reader without writers.
    pub fn new(config: ReaderConfig) -> Self {
        Self { config }
    }

    /// Who it is.
    pub fn guid(&self) -> Guid {
        self.config.guid
    }

    /// Matches a writer; a reliable one is asked at once what it has.
    pub fn add_writer(&mut self, now: Time, writer: WriterProxyConfig, out: &mut impl Outbox) {}

    /// Forgets a writer; instances that nobody else writes lose their last one.
    pub fn remove_writer(&mut self, now: Time, writer: Guid) -> Delivery {
        Delivery::default()
    }

    /// A whole change.
    pub fn handle_data(
        &mut self,
        now: Time,
        writer: Guid,
        timestamp: Option<Timestamp>,
        data: &Data<'_>,
        inline: &InlineQos,
        intake: &mut impl Intake,
        out: &mut impl Outbox,
    ) -> Delivery {
        Delivery::default()
    }

    /// A part of a change.
    pub fn handle_data_frag(
        &mut self,
        now: Time,
        writer: Guid,
        timestamp: Option<Timestamp>,
        frag: &DataFrag<'_>,
        inline: &InlineQos,
        intake: &mut impl Intake,
        out: &mut impl Outbox,
    ) -> Delivery {
        Delivery::default()
    }

    /// What a writer has.
    pub fn handle_heartbeat(
        &mut self,
        now: Time,
        writer: Guid,
        heartbeat: &Heartbeat,
        out: &mut impl Outbox,
    ) -> Delivery {
        Delivery::default()
    }

    /// Which fragments a writer has.
    pub fn handle_heartbeat_frag(
        &mut self,
        now: Time,
        writer: Guid,
        heartbeat: &HeartbeatFrag,
        out: &mut impl Outbox,
    ) -> Delivery {
        Delivery::default()
    }

    /// What a writer will never send.
    pub fn handle_gap(
        &mut self,
        now: Time,
        writer: Guid,
        gap: &Gap,
        out: &mut impl Outbox,
    ) -> Delivery {
        Delivery::default()
    }

    /// Does what is due.
    pub fn handle_timeout(&mut self, now: Time, out: &mut impl Outbox) -> Delivery {
        Delivery::default()
    }

    /// When to call `handle_timeout`, unless something else happens first. Look again after `take`: room may have come for samples that wait.
    pub fn next_timeout(&self) -> Option<Time> {
        None
    }

    /// Moves the selected samples out, in order; says how many.
    pub fn take(&mut self, select: &Select, sink: impl FnMut(Sample)) -> usize {
        0
    }

    /// Shows the selected samples and keeps them; says how many.
    pub fn read(&mut self, select: &Select, sink: impl FnMut(Sample)) -> usize {
        0
    }

    /// Is there a sample in any of these states? Without delay if all of view and instance state are asked for.
    pub fn has_data(&self, sample_states: u32, view_states: u32, instance_states: u32) -> bool {
        false
    }

    /// Is the instance known?
    pub fn lookup(&self, instance: InstanceHandle) -> bool {
        false
    }
}
