//! What readers have, and so what the history has room for: their answers, and those who wait for
//! them.
use super::{Outcome, WriterCore};
use crate::error::Error;
use crate::receive::deferred::{self, DeferredCall};
use crate::runtime::signal::PooledSignal;
#[cfg(feature = "async")]
use crate::runtime::signal::Waiters;
use crate::send::datagram::Datagrams;
use dunlin_qos::Duration;
use dunlin_rtps::Time;
use dunlin_wire::{Guid, SequenceNumber, Submessage};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};

impl WriterCore {
    /// Waits until there may be more room than at `epoch`; false if there is none at `until`.
    pub(super) fn wait_for_room(&self, epoch: u64, until: Time) -> bool {
        let signal = PooledSignal::new();
        self.room.add(&signal);
        let room = self
            .shared
            .user
            .wait(&self.shared, &signal, Some(until), || {
                self.room_epoch.load(SeqCst) != epoch || self.is_gone()
            });
        self.room.remove(&signal);
        room
    }

    pub(super) fn blocked(&self) -> Error {
        if let Err(gone) = self.check_present() {
            return gone;
        }
        let state = self.state.lock();
        let (behind, is_open) = (state.slowest_reader(), state.is_open());
        drop(state);
        Error::Timeout {
            entity: self.describe(),
            waited: self.fixed().reliability.max_blocking_time,
            why: match behind {
                _ if is_open => "a sample that was begun by UntypedWriter::open is not complete; complete or drop it".into(),
                Some((reader, acknowledged)) => format!(
                    "the history is full and reader {reader} has acknowledged only up to {}; raise RELIABILITY.max_blocking_time \
                     or RESOURCE_LIMITS.max_samples, or use HISTORY KEEP_LAST",
                    acknowledged.0
                ),
                None => "the history is full".into(),
            },
        }
    }

    /// Waits until all matched reliable readers have everything.
    pub(crate) fn wait_for_acknowledgments(
        self: &Arc<Self>,
        timeout: Duration,
    ) -> Result<(), Error> {
        self.flush();
        let deadline = self.shared.clock.now().after(timeout);
        let last = self.ask_for_acknowledgments();
        if self.is_acknowledged(last) {
            return Ok(());
        }
        let signal = PooledSignal::new();
        self.room.add(&signal);
        // A writer that is gone has no readers, and so nothing that they lack.
        let mut gone = false;
        let done = self
            .shared
            .user
            .wait(&self.shared, &signal, Some(deadline), || {
                gone = self.is_gone();
                gone || self.is_acknowledged(last)
            });
        self.room.remove(&signal);
        if gone {
            self.check_present()?;
        }
        if done {
            return Ok(());
        }
        let behind = self.state.lock().slowest_reader();
        Err(Error::Timeout {
            entity: self.describe(),
            waited: timeout,
            why: match behind {
                Some((reader, got)) => format!(
                    "reader {reader} has acknowledged {} of {} changes",
                    got.0, last.0
                ),
                None => "acknowledgements are missing".into(),
            },
        })
    }

    /// Asks the readers what they have, if some lack anything; returns the last change.
    pub(crate) fn ask_for_acknowledgments(&self) -> SequenceNumber {
        let _deferred = deferred::scope();
        let mut out = self.shared.datagrams();
        self.aim(&mut out);
        let mut state = self.state.lock();
        let last = state.last_sequence();
        if !state.is_acknowledged(last) {
            state.heartbeat(self.shared.clock.now(), &mut out);
            drop(state);
            self.ask(&mut out);
        }
        last
    }

    /// Gives up a reader; true if it lacked something.
    pub(crate) fn give_up(self: &Arc<Self>, reader: Guid) -> bool {
        self.flush();
        let _deferred = deferred::scope();
        let mut out = self.shared.datagrams();
        self.aim(&mut out);
        let mut state = self.state.lock();
        let last = state.last_sequence();
        let lacked = state
            .acknowledged_by(reader)
            .is_some_and(|up_to| up_to < last);
        let room = state.give_up(self.shared.clock.now(), reader, &mut out);
        let retired = !state.retired().is_empty();
        drop(state);
        self.ask(&mut out);
        if retired {
            self.release_retired();
        }
        if room {
            self.announce_room();
        }
        lacked
    }

    pub(crate) fn is_acknowledged(&self, sequence: SequenceNumber) -> bool {
        self.state.lock().is_acknowledged(sequence)
    }

    /// Those who wait for room or for acknowledgements.
    #[cfg(feature = "async")]
    pub(crate) fn room(&self) -> &Waiters {
        &self.room
    }

    /// Says that there may be room or that acknowledgements came.
    pub(crate) fn announce_room(self: &Arc<Self>) {
        self.wake_for_room();
        if self.wants_room.load(Relaxed) && self.wants_room.swap(false, SeqCst) {
            let writer = Arc::clone(self);
            deferred::add(DeferredCall::RoomListener(writer));
        }
    }

    /// Wakes whoever waits for room or for acknowledgements.
    pub(super) fn wake_for_room(&self) {
        self.room_epoch.fetch_add(1, SeqCst);
        self.room.raise_all();
    }

    /// Handles ACKNACK and NACK_FRAG without running code of the application: the caller buries
    /// what is `retired`.
    pub(crate) fn take_answer(
        &self,
        now: Time,
        from: Guid,
        message: &Submessage<'_>,
        out: &mut Datagrams,
    ) -> Outcome {
        let mut state = self.state.lock();
        let room = match message {
            Submessage::AckNack(ack) => {
                let acknowledgement = state.handle_ack_nack(now, from, ack, out);
                if acknowledgement.implausible {
                    self.shared.counters.implausible(self.guid);
                }
                acknowledgement.room
            }
            Submessage::NackFrag(nack) => {
                state.handle_nack_frag(now, from, nack, out);
                false
            }
            _ => false,
        };
        let retired = !state.retired().is_empty();
        Outcome { room, retired }
    }

    /// True if a reliable reader still lacks something.
    pub(crate) fn has_unacknowledged(&self) -> bool {
        let state = self.state.lock();
        !state.is_acknowledged(state.last_sequence())
    }
}
