//! What a writer knows of one reader (RTPS 2.5 8.4.7.5).
use super::ReaderProxyConfig;
use crate::Time;
use crate::counter::Counter;
use dunlin_qos::Durability;

pub(super) struct ReaderProxy {
    pub(super) config: ReaderProxyConfig,
    /// The first number that concerns the reader.
    pub(super) start: i64,
    /// All up to here is acknowledged, or never concerned the reader.
    pub(super) acknowledged: i64,
    pub(super) ack_nacks: Counter,
    pub(super) nack_frags: Counter,
    /// When the reader was last told what there is because it asked without need.
    pub(super) told: Option<Time>,
}

impl ReaderProxy {
    pub(super) fn new(config: ReaderProxyConfig, start: i64) -> Self {
        Self {
            config,
            start,
            acknowledged: start - 1,
            ack_nacks: Counter::default(),
            nack_frags: Counter::default(),
            told: None,
        }
    }

    /// Where it begins, if it has to begin anew: after what it has acknowledged, or with the history again.
    pub(super) fn wanted_from(&self) -> i64 {
        match self.config.durability {
            Durability::Volatile => self.acknowledged + 1,
            _ => self.start,
        }
    }

    pub(super) fn lags(&self, last: i64) -> bool {
        self.config.reliable && self.acknowledged < last
    }
}
