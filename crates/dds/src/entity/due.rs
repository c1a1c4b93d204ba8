//! What the timer of a participant does: it touches discovery and endpoints when time, not data,
//! asks for it. And what is deferred for discovery.
use crate::entity::shared::Shared;
use crate::receive::deferred::{self, DeferredParticipant};
use crate::receive::liveliness::LivelinessAssertion;
use crate::runtime::timer::Timer;
use crate::send::datagram::Datagrams;
use dunlin_rtps::Time;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
use std::sync::{Arc, Weak};

/// Whom a time-out concerns.
pub(crate) enum Due {
    Discovery,
    Endpoint(Weak<dyn TimedEndpoint>, Work),
}

/// What an endpoint does when it is due.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Work {
    /// What the protocol asks for: heartbeats, acknowledgements, deadlines, lifespans.
    Timeout,
    /// Sends samples that a writer holds back while it is ahead of the network.
    HeldBack,
}

/// A writer or a reader, as the timer sees it.
pub(crate) trait TimedEndpoint: Send + Sync {
    /// When the timer will come for `work`; `i64::MAX` if it will not.
    fn scheduled(&self, work: Work) -> &AtomicI64;

    /// Does what is due.
    fn handle_due(self: Arc<Self>, work: Work, now: Time, out: &mut Datagrams);
}

impl Due {
    /// Does what is due. What was scheduled for an earlier time since has another entry for it:
    /// then this one is void, so that each has one that counts.
    fn run(self, at: Time, now: Time, shared: &Arc<Shared>, out: &mut Datagrams) {
        let counts = |scheduled: &AtomicI64| {
            scheduled
                .compare_exchange(at.0, i64::MAX, SeqCst, SeqCst)
                .is_ok()
        };
        match self {
            Self::Discovery => {
                if counts(&shared.discovery_scheduled) {
                    shared.discovery_timeout();
                }
            }
            Self::Endpoint(endpoint, work) => {
                let endpoint = endpoint.upgrade();
                if let Some(endpoint) = endpoint.filter(|e| counts(e.scheduled(work))) {
                    endpoint.handle_due(work, now, out);
                }
            }
        }
    }
}

impl Timer<Due> {
    /// The body of the timer's thread.
    pub(crate) fn run(&self, shared: &Arc<Shared>) {
        let mut out = shared.datagrams();
        self.serve(&shared.clock, || self.run_next(shared, &mut out));
    }

    /// Does what is due first, if anything is; otherwise says when to come again at the latest.
    pub(crate) fn run_next(&self, shared: &Arc<Shared>, out: &mut Datagrams) -> Result<(), Time> {
        let now = shared.clock.now();
        let (at, due) = self.pop(now)?;
        // Listeners could hold up other endpoints.
        let _deferred = deferred::leaving_scope();
        due.run(at, now, shared, out);
        Ok(())
    }
}

impl DeferredParticipant for Shared {
    fn tell_alive(self: Arc<Self>, sign: &Arc<LivelinessAssertion>) {
        self.discover(|matching, _| matching.tell(sign));
    }
}
