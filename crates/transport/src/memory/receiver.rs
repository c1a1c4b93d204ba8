//! The receiving end of a host in memory.
use std::io;
use std::sync::{Arc, Condvar, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use dunlin_wire::Locator;

use super::MemoryNetwork;
use super::state::{Clock, INBOX, Opened, State};
use crate::traits::{ReceiveStatistics, Received, Receiver, Reception, Wait, Waker};

#[derive(Debug)]
pub(super) struct MemoryReceiver {
    network: MemoryNetwork,
    inbox: u64,
    bell: Arc<Condvar>,
    locators: Vec<Locator>,
    /// The datagram that was taken last came by multicast.
    was_multicast: bool,
}

impl MemoryReceiver {
    pub(super) fn new(network: MemoryNetwork, opened: Opened) -> Self {
        Self {
            network,
            inbox: opened.inbox,
            bell: opened.bell,
            locators: opened.locators,
            was_multicast: false,
        }
    }

    /// Appends the next datagram that has arrived and fits; says whether it came by multicast.
    fn take(&self, state: &mut State, buffer: &mut BytesMut) -> Option<(Received, bool)> {
        while let Some(parcel) = state.take(self.inbox) {
            let length = parcel.bytes.len();
            if length <= buffer.spare_capacity_mut().len() {
                buffer.extend_from_slice(&parcel.bytes);
                let from = parcel.from;
                let received = Received {
                    length,
                    from,
                    loaned: false,
                };
                return Some((received, parcel.multicast));
            }
            if let Some(inbox) = state.inbox(self.inbox) {
                inbox.oversized += 1;
            }
        }
        None
    }

    /// Until something may have come. On virtual time nothing comes by itself, so that only a ring
    /// ends this.
    fn sleep<'a>(
        &self,
        state: MutexGuard<'a, State>,
        deadline: Option<Instant>,
    ) -> MutexGuard<'a, State> {
        let arrival = match state.clock {
            Clock::Real(_) => state.due(self.inbox),
            Clock::Virtual(_) => None,
        };
        let arrival = arrival.map(|due| due.saturating_sub(state.clock.now()));
        let left = deadline.map(|d| d.saturating_duration_since(Instant::now()));
        let limit: Option<Duration> = [arrival, left].into_iter().flatten().min();
        match limit {
            Some(limit) => {
                let waited = self.bell.wait_timeout(state, limit);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
            None => {
                let waited = self.bell.wait(state);
                waited.unwrap_or_else(PoisonError::into_inner)
            }
        }
    }
}

impl Receiver for MemoryReceiver {
    fn receive(&mut self, buffer: &mut BytesMut, wait: Wait) -> io::Result<Option<Received>> {
        let mut state = self.network.lock();
        loop {
            if let Some((received, multicast)) = self.take(&mut state, buffer) {
                self.was_multicast = multicast;
                return Ok(Some(received));
            }
            let Wait::Until(deadline) = wait else {
                return Ok(None);
            };
            let woken = state
                .inbox(self.inbox)
                .is_some_and(|i| std::mem::take(&mut i.woken));
            if woken || deadline.is_some_and(|d| d <= Instant::now()) {
                return Ok(None);
            }
            state = self.sleep(state, deadline);
        }
    }

    fn is_ready(&self) -> bool {
        let state = self.network.lock();
        let due = state.due(self.inbox);
        due.is_some_and(|due| due <= state.clock.now())
    }

    fn was_multicast(&self) -> bool {
        self.was_multicast
    }

    fn waker(&self) -> Arc<dyn Waker> {
        Arc::new(MemoryWaker {
            network: self.network.clone(),
            inbox: self.inbox,
        })
    }

    fn locators(&self) -> Vec<Locator> {
        self.locators.clone()
    }

    fn statistics(&self) -> Arc<dyn ReceiveStatistics> {
        Arc::new(MemoryReceiveStatistics {
            network: self.network.clone(),
            inbox: self.inbox,
        })
    }
}

impl Drop for MemoryReceiver {
    fn drop(&mut self) {
        self.network.lock().close(self.inbox);
    }
}

struct MemoryReceiveStatistics {
    network: MemoryNetwork,
    inbox: u64,
}

impl ReceiveStatistics for MemoryReceiveStatistics {
    fn read(&self) -> Reception {
        let mut state = self.network.lock();
        state
            .inbox(self.inbox)
            .map_or(Reception::default(), |inbox| Reception {
                asked: INBOX,
                granted: INBOX,
                dropped: inbox.dropped,
                oversized: inbox.oversized,
            })
    }
}

struct MemoryWaker {
    network: MemoryNetwork,
    inbox: u64,
}

impl Waker for MemoryWaker {
    fn wake(&self) {
        if let Some(inbox) = self.network.lock().inbox(self.inbox) {
            inbox.woken = true;
            inbox.bell.notify_all();
        }
    }
}
