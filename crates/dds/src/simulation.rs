//! Participants without threads, on clocks that a test moves: only with the feature `simulation`,
//! and only for tests.
//!
//! The owner of such a participant does all that its threads would do: [`run_due`] what the timer
//! would, [`DomainParticipant::poll_once`] what the receivers would. Nothing else happens by
//! itself. A wait, as in [`WaitSet::wait`](crate::WaitSet::wait), receives in the calling thread as
//! ever; where it would sleep, it calls what [`SimulatedClock::on_wait`] was given instead. The
//! same calls on a transport without chance of its own give the same run.
use crate::entity::config::ParticipantConfig;
use crate::entity::participant::DomainParticipant;
use crate::error::Result;
use crate::receive::deferred;
pub use crate::runtime::clock::SimulatedClock;
use crate::runtime::lock::assert_none_held;
pub use crate::runtime::simulated::{Simulation, Tuning};
use crate::typed::topic::TopicData;
use crate::typed::writer::DataWriter;
use crate::untyped::{UntypedReader, UntypedWriter};
pub use dunlin_rtps::{
    ChangeKind, Holdings, MissedDeadlines, Reader, Time, Writer, discovery::Discovery,
};
use dunlin_wire::{Guid, SequenceNumber, Timestamp};

/// Changes [`Tuning::max_pending`] for readers to come.
pub fn set_max_pending(participant: &DomainParticipant, most: u32) {
    participant.guard.shared.tuning.lock().max_pending = Some(most);
}

/// Joins a domain as [`DomainParticipant::with_config`] does, but without threads, by the given
/// clocks, and whatever the environment says. `config` names the transport.
///
/// # Errors
/// As there.
pub fn join(
    domain: u32,
    config: ParticipantConfig,
    simulation: Simulation,
) -> Result<DomainParticipant> {
    DomainParticipant::simulated(domain, config, simulation)
}

/// When the participant has something to do, if nothing comes before.
pub fn next_due(participant: &DomainParticipant) -> Option<Time> {
    participant.guard.shared.timer.next_due()
}

/// Does the first thing that is due; false if nothing is.
pub fn run_due(participant: &DomainParticipant) -> bool {
    let shared = &participant.guard.shared;
    let mut out = shared.datagrams();
    let done = shared.timer.run_next(shared, &mut out).is_ok();
    assert_none_held();
    done
}

/// What is wrong with a participant that nobody works for at the moment; `None` if nothing is.
pub fn unsettled(participant: &DomainParticipant) -> Option<String> {
    let shared = &participant.guard.shared;
    let counters = participant.counters();
    assert_none_held();
    if !shared.user.is_free() || !shared.meta.is_free() {
        return Some("a receive role is taken and nobody has it".into());
    }
    if deferred::waits() || shared.has_deferred() {
        return Some("a deferred call was not made".into());
    }
    let bad = counters.malformed + counters.damaged + counters.listener_panics;
    (bad > 0).then(|| format!("{counters:?}"))
}

/// Lets `look` see what the participant has discovered.
pub fn discovery<R>(participant: &DomainParticipant, look: impl FnOnce(&Discovery) -> R) -> R {
    look(participant.guard.shared.matching.lock().knowledge())
}

/// Lets `look` see the protocol's writer.
pub fn writer<R>(writer: &UntypedWriter, look: impl FnOnce(&Writer) -> R) -> R {
    writer.core().inspect(look)
}

/// Lets `look` see the protocol's reader.
pub fn reader<R>(reader: &UntypedReader, look: impl FnOnce(&Reader) -> R) -> R {
    reader.core().inspect(look)
}

/// Writes any kind of change, with the time of day unless there is another.
///
/// # Errors
/// As [`DataWriter::write`].
pub fn change<T: TopicData>(
    writer: &DataWriter<T>,
    kind: ChangeKind,
    sample: &T,
    timestamp: Option<Timestamp>,
) -> Result<SequenceNumber> {
    writer.change(kind, sample, timestamp)
}

/// Grows whenever a writer that was full may have room.
pub fn room(writer: &UntypedWriter) -> u64 {
    writer.core().room_epoch()
}

/// How many samples the reader has lost of each writer.
pub fn lost(reader: &UntypedReader) -> Vec<(Guid, u64)> {
    reader.core().lost_by_writer()
}
