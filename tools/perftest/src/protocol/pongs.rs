//! The pongs of a publisher: matched with their pings and measured in the thread that receives
//! them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use super::control::{Kind, Tag, read};
use super::flights::Flights;
use crate::clock::{Nanos, monotonic};
use crate::messaging::Sample;
use crate::stats::{Latencies, LatencySummary};

/// Which pongs count, and from when.
pub(super) enum Manner {
    /// Stop and wait: only the pong of the ping in flight.
    OneAtATime,
    /// From the time of writing that each brings back.
    Streaming,
    /// From the time when each should have been written, which it brings back, and from when it
    /// was.
    Scheduled(Flights, Box<Mutex<Latencies>>),
}

impl Manner {
    /// That of an open loop.
    pub(super) fn scheduled(responses: Latencies) -> Self {
        Manner::Scheduled(Flights::new(), Box::new(Mutex::new(responses)))
    }
}

/// Shared by the reader of echoes and the sending thread.
pub(super) struct Pongs {
    tag: Tag,
    manner: Manner,
    /// The ping in flight: its sequence number + 1, or 0.
    outstanding: AtomicU64,
    sent_at: AtomicU64,
    /// Streaming: no ping was sent before this time, so an older stamp is not ours.
    since: AtomicU64,
    echoes: AtomicU64,
    late: AtomicU64,
    /// Pongs that were measured, unless one ping at a time is in flight.
    answers: AtomicU64,
    measured: Mutex<Latencies>,
}

impl Pongs {
    /// Nothing measured yet.
    pub(super) fn new(tag: Tag, manner: Manner, latencies: Latencies) -> Self {
        Self {
            tag,
            manner,
            outstanding: AtomicU64::new(0),
            sent_at: AtomicU64::new(0),
            since: AtomicU64::new(Nanos::MAX),
            echoes: AtomicU64::new(0),
            late: AtomicU64::new(0),
            answers: AtomicU64::new(0),
            measured: Mutex::new(latencies),
        }
    }

    /// Takes an echo. Never blocks for long: the sending thread holds the lock only between two
    /// pings.
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
        let measured = match &self.manner {
            Manner::OneAtATime => self.match_outstanding(sample.header.seq_num),
            Manner::Streaming => self.match_stamp(sample, now),
            Manner::Scheduled(flights, responses) => {
                self.match_flight(sample, now, flights, responses)
            }
        };
        let Some(sent) = measured else {
            self.late.fetch_add(1, Ordering::Relaxed);
            return;
        };
        self.with(|measured| measured.record(now.saturating_sub(sent) / 2));
        match self.manner {
            // Last, so that the sending thread finds the lock free and the result recorded.
            Manner::OneAtATime => self.outstanding.store(0, Ordering::Release),
            Manner::Streaming | Manner::Scheduled(..) => {
                self.answers.fetch_add(1, Ordering::Release);
            }
        }
    }

    /// The time that a sample brings back, if it is one of ours.
    fn match_stamp(&self, sample: &Sample<'_>, now: Nanos) -> Option<Nanos> {
        let sent = sample.header.timestamp();
        let ours = self.since.load(Ordering::Relaxed)..=now;
        ours.contains(&sent).then_some(sent)
    }

    /// When a scheduled ping was sent. Records what the response took: how late the ping was, and
    /// half of the round trip.
    fn match_flight(
        &self,
        sample: &Sample<'_>,
        now: Nanos,
        flights: &Flights,
        responses: &Mutex<Latencies>,
    ) -> Option<Nanos> {
        let due = self.match_stamp(sample, now)?;
        let lag = flights.end(sample.header.seq_num)?;
        let sent = due.saturating_add(lag);
        let response = lag.saturating_add(now.saturating_sub(sent) / 2);
        lock(responses).record(response);
        Some(sent)
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

    /// Notes a scheduled ping about to be written.
    pub(super) fn scheduled(&self, seq: u32, due: Nanos, now: Nanos) {
        if let Manner::Scheduled(flights, _) = &self.manner {
            flights.begin(seq, now.saturating_sub(due));
        }
    }

    /// Pings of this segment that were answered, of several in flight.
    pub(super) fn answers(&self) -> u64 {
        self.answers.load(Ordering::Acquire)
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
        if let Manner::Scheduled(flights, responses) = &self.manner {
            flights.clear();
            lock(responses).clear();
        }
        self.answers.store(0, Ordering::Relaxed);
        self.late.store(0, Ordering::Relaxed);
        self.outstanding.store(0, Ordering::Release);
        self.since.store(now, Ordering::Relaxed);
    }

    /// Looks at what was measured.
    pub(super) fn with<R>(&self, then: impl FnOnce(&mut Latencies) -> R) -> R {
        then(&mut lock(&self.measured))
    }

    /// Looks at the latencies in order of arrival: those of the responses, where pings are
    /// scheduled.
    pub(super) fn history<R>(&self, then: impl FnOnce(&[Nanos]) -> R) -> R {
        let latencies = match &self.manner {
            Manner::Scheduled(_, responses) => responses,
            Manner::OneAtATime | Manner::Streaming => &self.measured,
        };
        then(lock(latencies).history())
    }

    /// Looks at the responses to scheduled pings.
    pub(super) fn with_responses<R>(&self, then: impl FnOnce(&Latencies) -> R) -> Option<R> {
        match &self.manner {
            Manner::Scheduled(_, responses) => Some(then(&lock(responses))),
            Manner::OneAtATime | Manner::Streaming => None,
        }
    }

    /// What the responses to scheduled pings took.
    pub(super) fn responses(&self) -> Option<LatencySummary> {
        self.with_responses(Latencies::summary)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{MILLISECOND, SECOND};
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
        let pongs = Pongs::new(tag, Manner::OneAtATime, Latencies::new(None));
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
        let pongs = Pongs::new(tag, Manner::OneAtATime, Latencies::new(None));
        pongs.sent(1, monotonic());
        arrive(&pongs, echo(tag.with_id(1), 1));
        assert!(pongs.give_up());
        assert_eq!(pongs.late(), 0);
    }

    #[test]
    fn a_stamp_from_outside_the_segment_is_not_measured() {
        let tag = Tag::new_run(0);
        let pongs = Pongs::new(tag, Manner::Streaming, Latencies::new(None));
        let now = monotonic();
        pongs.begin(now);
        for stamp in [0, now - 1, u64::MAX, now] {
            let mut header = echo(tag, 0);
            header.stamp(stamp);
            arrive(&pongs, header);
        }
        assert_eq!((pongs.with(|m| m.count()), pongs.late()), (1, 3));
    }

    /// A schedule of a millisecond, kept by a sender that stands still for 10 ms in each second.
    #[test]
    fn a_stall_is_in_the_responses_of_all_who_waited_for_it_and_in_no_service() {
        const SERVICE: Nanos = 20_000;
        let tag = Tag::new_run(0);
        let pongs = Pongs::new(
            tag,
            Manner::scheduled(Latencies::new(None)),
            Latencies::new(None),
        );
        let start = monotonic() - 11 * SECOND;
        pongs.begin(start);
        for ping in 0..10_000u32 {
            let due = start + u64::from(ping) * MILLISECOND;
            let in_second = (due - start) % SECOND;
            // The stall begins with the second; what falls into it is sent when it is over.
            let sent = due + (10 * MILLISECOND).saturating_sub(in_second);
            pongs.scheduled(ping, due, sent);
            let mut header = echo(tag, ping);
            header.stamp(due);
            let sample = Sample {
                header,
                data: &[],
                shared: None,
            };
            pongs.pong(&sample, sent + SERVICE);
        }
        let service = pongs.with(|measured| measured.summary());
        assert_eq!((service.nanos.min, service.nanos.max), (10_000, 10_000));
        let response = pongs.responses().unwrap();
        assert_eq!(
            (response.count, pongs.late(), pongs.answers()),
            (10_000, 0, 10_000)
        );
        assert_eq!(response.nanos.max, 10 * MILLISECOND + 10_000);
        // Ten of a thousand pings wait, 1 to 10 ms: that is the last percent.
        assert_eq!(response.nanos.percentiles[1], 10_000);
        assert_eq!(response.nanos.percentiles[2] / MILLISECOND, 1);
        assert_eq!(response.nanos.average, 55_000.0 + 10_000.0);
    }
}
