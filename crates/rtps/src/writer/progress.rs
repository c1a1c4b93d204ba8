//! How far a reliable reader has come, since when it is behind, and what it last said.
//!
//! Looked at when readers are asked what they lack, at most once in each heartbeat period; so a
//! write costs nothing, and "since when" is exact to a period.
use super::Writer;
use super::reader_proxy::ReaderProxy;
use crate::Time;
use dunlin_qos::Duration;
use dunlin_wire::{Guid, SequenceNumber, SequenceNumberSet};

/// How far a reliable reader has come ([`Writer::progress_of`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReaderProgress {
    /// Which reader.
    pub reader: Guid,
    /// All up to here is acknowledged, or never concerned it.
    pub acknowledged: SequenceNumber,
    /// For how long something has waited for its acknowledgement; zero if nothing does. A reader
    /// that goes on acknowledging, but slowly, is behind for as long as its last acknowledgement
    /// took.
    pub behind_for: Duration,
    /// How long ago it said anything; `None` if it never did.
    pub heard_ago: Option<Duration>,
    /// How many changes it asked for when it last said anything.
    pub asked_for: u32,
    /// It holds up the writer while it lacks something; false for one that has never said anything
    /// for `WriterConfig::silent_after`.
    pub waited_for: bool,
}

/// What is remembered of one reader.
#[derive(Clone, Copy, Default)]
pub(super) struct Progress {
    heard: Option<Time>,
    asked_for: u32,
    /// A number that was written by this time and was not acknowledged then.
    mark: Option<(i64, Time)>,
    /// How long the mark before took.
    took: Duration,
}

impl Progress {
    /// It said something: that it has all up to `acknowledged` of `last`, and which it lacks.
    pub(super) fn heard(
        &mut self,
        now: Time,
        (acknowledged, last): (i64, i64),
        lacks: &SequenceNumberSet,
    ) {
        self.heard = Some(now);
        self.asked_for = match lacks.is_empty() {
            true => 0,
            false => u32::try_from(lacks.iter().count()).unwrap_or(u32::MAX),
        };
        if let Some((mark, at)) = self.mark
            && acknowledged >= mark
        {
            (self.mark, self.took) = (None, now.since(at));
        }
        if acknowledged >= last {
            (self.mark, self.took) = (None, Duration::ZERO);
        }
    }

    /// It is behind, and is asked for all up to `last`; what it was asked for before goes on
    /// waiting.
    pub(super) fn asked(&mut self, now: Time, last: i64) {
        self.mark.get_or_insert((last, now));
    }

    /// Since when it has been asked, if it never said anything.
    pub(super) fn waits_for_first_word(&self, now: Time) -> Option<Duration> {
        let (_, at) = self.mark.filter(|_| self.heard.is_none())?;
        Some(now.since(at))
    }

    /// It is not waited for any more.
    pub(super) fn given_up(&mut self) {
        (self.mark, self.took) = (None, Duration::ZERO);
    }

    fn behind_for(&self, now: Time, is_behind: bool) -> Duration {
        let open = self.mark.filter(|_| is_behind);
        let waiting = open.map_or(Duration::ZERO, |(_, at)| now.since(at));
        match is_behind {
            true => waiting.max(self.took),
            false => Duration::ZERO,
        }
    }
}

impl ReaderProxy {
    fn progress(&self, now: Time, last: i64) -> ReaderProgress {
        let is_behind = self.config.reliable && self.acknowledged < last;
        ReaderProgress {
            reader: self.config.guid,
            acknowledged: SequenceNumber(self.acknowledged),
            behind_for: self.progress.behind_for(now, is_behind),
            heard_ago: self.progress.heard.map(|at| now.since(at)),
            asked_for: self.progress.asked_for,
            waited_for: self.is_waited_for(),
        }
    }
}

impl Writer {
    /// How far a matched reader has come; `None` for one that is not matched or is best effort.
    pub fn progress_of(&self, now: Time, reader: Guid) -> Option<ReaderProgress> {
        let proxy = self.readers.get(self.index(reader)?)?;
        let reliable = proxy.config.reliable;
        reliable.then(|| proxy.progress(now, self.last))
    }

    /// The reliable reader that has acknowledged least, and how far it has come.
    pub fn slowest_progress(&self, now: Time) -> Option<ReaderProgress> {
        let (reader, _) = self.slowest_reader()?;
        self.progress_of(now, reader)
    }

    /// Remembers what readers that are behind are asked for now, at most once in each period.
    pub(super) fn note_asked(&mut self, now: Time) {
        if now < self.noted.after(self.config.heartbeat_period) {
            return;
        }
        self.noted = now;
        let last = self.last;
        let behind = self.readers.iter_mut().filter(|r| r.lags(last));
        behind.for_each(|proxy| proxy.progress.asked(now, last));
    }
}
