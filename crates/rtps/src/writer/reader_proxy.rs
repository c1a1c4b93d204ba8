//! What a writer knows of one reader (RTPS 2.5 8.4.7.5).
use super::progress::Progress;
use super::{ReaderFilter, ReaderProxyConfig};
use crate::Time;
use crate::counter::Counter;
use crate::proxies::Named;
use dunlin_qos::Durability;
use dunlin_wire::{Guid, VendorId};

pub(super) struct ReaderProxy {
    pub(super) config: ReaderProxyConfig,
    /// Which samples it wants, if not all.
    pub(super) filter: Option<ReaderFilter>,
    /// The largest sample that it takes, if it says so.
    pub(super) limit: Option<u32>,
    /// Numbers that are not for it, from the first to before the second, and of which it was not
    /// told.
    pub(super) skipped: Option<(i64, i64)>,
    /// The first number that concerns the reader.
    pub(super) start: i64,
    /// All up to here is acknowledged, or never concerned the reader.
    pub(super) acknowledged: i64,
    /// What it said shows that it knows where it begins.
    pub(super) begun: bool,
    /// It is told where it begins when something is written.
    pub(super) told_by_first: bool,
    pub(super) ack_nacks: Counter,
    pub(super) nack_frags: Counter,
    /// It has never said anything, for too long: it is not waited for.
    pub(super) silent: bool,
    /// When the reader was last told what there is because it asked without need.
    pub(super) told: Option<Time>,
    /// Which change it got whole when it asked for fragments, and when.
    pub(super) whole: Option<(i64, Time)>,
    /// How far it has come, and what it last said.
    pub(super) progress: Progress,
}

impl Named for ReaderProxy {
    fn guid(&self) -> Guid {
        self.config.guid
    }
}

impl ReaderProxy {
    pub(super) fn new(config: ReaderProxyConfig, start: i64) -> Self {
        Self {
            config,
            filter: None,
            limit: None,
            skipped: None,
            start,
            acknowledged: start - 1,
            begun: false,
            told_by_first: false,
            silent: false,
            ack_nacks: Counter::default(),
            nack_frags: Counter::default(),
            told: None,
            whole: None,
            progress: Progress::default(),
        }
    }

    /// Where it begins, if it has to begin anew: after what it has acknowledged, or with the
    /// history again.
    pub(super) fn wanted_from(&self) -> i64 {
        match self.config.durability {
            Durability::Volatile => self.acknowledged + 1,
            _ => self.start,
        }
    }

    /// It takes from the heartbeat what is not for it. One that asks for such changes did not
    /// notice that it was forgotten for a while: it lost them, which a GAP would hide.
    pub(super) fn counts_by_heartbeat(&self) -> bool {
        self.config.vendor == VendorId::DUNLIN
    }

    /// It takes note of GAPs: so do best-effort readers of ours, which would take the numbers for
    /// lost.
    pub(super) fn hears_gaps(&self) -> bool {
        self.config.reliable || self.config.vendor == VendorId::DUNLIN
    }

    /// What it says, that it has nothing, is true if it forgot the writer and found it again,
    /// unnoticed by the writer. As a late joiner it gets the history again, and nothing of it may
    /// go until it has it.
    pub(super) fn wants_history_again(&self) -> bool {
        let history = self.config.durability != Durability::Volatile;
        history && self.acknowledged >= self.start
    }

    /// It begins anew at `start`. What it has not acknowledged, and the history has replaced since,
    /// stays so.
    pub(super) fn rewind(&mut self, start: i64) {
        self.start = start;
        self.acknowledged = self.acknowledged.min(start - 1);
    }

    /// It takes no change of so many bytes.
    pub(super) fn refuses(&self, length: usize) -> bool {
        self.limit.is_some_and(|limit| length > limit as usize)
    }

    /// It has to be asked what it lacks.
    pub(super) fn lags(&self, last: i64) -> bool {
        let begins = !self.begun && !self.told_by_first;
        self.is_waited_for() && (self.acknowledged < last || begins)
    }
}
