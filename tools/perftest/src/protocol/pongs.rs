//! The pongs of a publisher: matched with their pings and measured in the thread that receives them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::control::{Kind, Tag, read};
use crate::clock::{Nanos, monotonic};
use crate::messaging::Sample;
use crate::stats::Latencies;

/// Shared by the reader of echoes and the sending thread.
pub(super) struct Pongs {
    tag: Tag,
    /// Stop and wait: only the pong of the ping in flight counts.
    one_at_a_time: bool,
    /// The ping in flight: its sequence number + 1, or 0.
    outstanding: AtomicU64,
    sent_at: AtomicU64,
    /// Streaming: no ping was sent before this time, so an older stamp is not ours.
    since: AtomicU64,
    echoes: AtomicU64,
    late: AtomicU64,
    measured: Mutex<Latencies>,
}

impl Pongs {
    /// Nothing measured yet.
    pub(super) fn new(tag: Tag, one_at_a_time: bool, latencies: Latencies) -> Self {
        Self {
            tag,
            one_at_a_time,
            outstanding: AtomicU64::new(0),
            sent_at: AtomicU64::new(0),
            since: AtomicU64::new(Nanos::MAX),
            echoes: AtomicU64::new(0),
            late: AtomicU64::new(0),
            measured: Mutex::new(latencies),
        }
    }

    /// Takes an echo. Never blocks for long: the sending thread holds the lock only between two pings.
    pub(super) fn on_pong(&self, sample: &Sample<'_>) {
        let now = monotonic();
        match read(sample) {
            Some((tag, Kind::Data(Some(_)))) if tag == self.tag => self.pong(sample, now),
            Some((tag, Kind::WarmUp)) if tag == self.tag => {
                self.echoes.fetch_add(1, Ordering::Release);
            }
            _ => {}
        }
    }

    fn pong(&self, sample: &Sample<'_>, now: Nanos) {
        let sent = if self.one_at_a_time {
            self.match_outstanding(sample.header.seq_num)
        } else {
            let sent = sample.header.timestamp();
            let ours = self.since.load(Ordering::Relaxed)..=now;
            ours.contains(&sent).then_some(sent)
        };
        match sent {
            Some(sent) => self.with(|measured| measured.record(now.saturating_sub(sent) / 2)),
            None => {
                self.late.fetch_add(1, Ordering::Relaxed);
                return;
            }
        }
        if self.one_at_a_time {
            // Last, so that the sending thread finds the lock free and the result recorded.
            self.outstanding.store(0, Ordering::Release);
        }
    }

    /// When the ping with this number was sent, if it is the one in flight.
    fn match_outstanding(&self, seq: u32) -> Option<Nanos> {
        let expected = u64::from(seq) + 1;
        // Only this thread answers a ping; a second echo of it finds the place empty.
        (self.outstanding.load(Ordering::Acquire) == expected)
            .then(|| self.sent_at.load(Ordering::Relaxed))
    }

    /// Notes a ping about to be written.
    pub(super) fn sent(&self, seq: u32, now: Nanos) {
        self.sent_at.store(now, Ordering::Relaxed);
        self.outstanding
            .store(u64::from(seq) + 1, Ordering::Release);
    }

    /// Whether no ping is in flight.
    pub(super) fn answered(&self) -> bool {
        self.outstanding.load(Ordering::Acquire) == 0
    }

    /// Gives the ping in flight up; true if it was still unanswered.
    pub(super) fn give_up(&self) -> bool {
        self.outstanding.swap(0, Ordering::AcqRel) != 0
    }

    /// Warm-up echoes so far.
    pub(super) fn echoes(&self) -> u64 {
        self.echoes.load(Ordering::Acquire)
    }

    /// Pongs that came too late to count.
    pub(super) fn late(&self) -> u64 {
        self.late.load(Ordering::Relaxed)
    }

    /// Begins a segment at `now`.
    pub(super) fn begin(&self, now: Nanos) {
        self.with(Latencies::clear);
        self.late.store(0, Ordering::Relaxed);
        self.outstanding.store(0, Ordering::Release);
        self.since.store(now, Ordering::Relaxed);
    }

    /// Looks at what was measured.
    pub(super) fn with<R>(&self, then: impl FnOnce(&mut Latencies) -> R) -> R {
        then(
            &mut self
                .measured
                .lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messaging::Header;

    fn echo(tag: Tag, seq_num: u32) -> Header {
        Header {
            entity_id: tag.entity_id(),
            seq_num,
            ..Header::default()
        }
    }

    fn arrive(pongs: &Pongs, header: Header) {
        pongs.on_pong(&Sample {
            header,
            data: &[],
            shared: None,
        });
    }

    #[test]
    fn only_the_pong_of_the_ping_in_flight_counts_and_only_once() {
        let tag = Tag::new_run(0);
        let pongs = Pongs::new(tag, true, Latencies::new(None));
        pongs.begin(0);
        pongs.sent(7, monotonic());
        arrive(&pongs, echo(tag, 6));
        assert!(!pongs.answered());
        arrive(&pongs, echo(tag, 7));
        arrive(&pongs, echo(tag, 7));
        assert!(pongs.answered());
        assert_eq!((pongs.with(|m| m.count()), pongs.late()), (1, 2));
    }

    #[test]
    fn echoes_of_another_run_are_nothing_to_us() {
        let tag = Tag::new_run(0);
        let pongs = Pongs::new(tag, true, Latencies::new(None));
        pongs.sent(1, monotonic());
        arrive(&pongs, echo(tag.with_id(1), 1));
        assert!(pongs.give_up());
        assert_eq!(pongs.late(), 0);
    }

    #[test]
    fn a_stamp_from_outside_the_segment_is_not_measured() {
        let tag = Tag::new_run(0);
        let pongs = Pongs::new(tag, false, Latencies::new(None));
        let now = monotonic();
        pongs.begin(now);
        for stamp in [0, now - 1, u64::MAX, now] {
            let mut header = echo(tag, 0);
            header.stamp(stamp);
            arrive(&pongs, header);
        }
        assert_eq!((pongs.with(|m| m.count()), pongs.late()), (1, 3));
    }
}
