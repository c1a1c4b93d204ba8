//! When samples go and where: at once, with others in a batch, or after a moment while the writer
//! is ahead of the network.
use super::{Batch, Publish, WriterCore};
use crate::entity::due::{Due, TimedEndpoint, Work};
use crate::receive::deferred;
use crate::send::coalescing::{self, Look, this_thread};
use crate::send::datagram::{COPY_LIMIT, Datagrams};
use crate::send::destination::Destination;
use dunlin_qos::Duration;
use dunlin_rtps::{Time, To};
use dunlin_wire::{Guid, Timestamp};
use std::sync::Arc;
use std::sync::atomic::{
    AtomicI64,
    Ordering::{Relaxed, SeqCst},
};

impl WriterCore {
    /// Sends a batch that is full; otherwise says until when it may wait.
    pub(super) fn send_if_full(&self, turn: &mut Publish, most: usize) -> Option<Time> {
        if turn.datagrams.len() >= most {
            self.flush_turn(turn);
        }
        let held_back = !turn.datagrams.is_empty();
        held_back.then(|| {
            let begun = self.batch(turn).begun;
            begun.after(self.shared.config.heartbeat_period)
        })
    }

    /// The batch under way, which begins now if there is none.
    #[inline]
    pub(super) fn batch(&self, publish: &mut Publish) -> Batch {
        let clock = &self.shared.clock;
        *publish.batch.get_or_insert_with(|| Batch {
            stamp: clock.wall(),
            begun: clock.coarse(),
        })
    }

    /// Sends the sample that was stored at `now`, with those that wait, unless the writer is ahead
    /// of the network.
    pub(super) fn send_or_hold(self: &Arc<Self>, turn: &mut Publish, now: Timestamp, size: usize) {
        if size > COPY_LIMIT {
            // It shares no datagram, so its pace is of no interest.
            return self.flush_turn(turn);
        }
        let may_wait = turn.coalescer.may_wait(now.0, self.shared.arrivals());
        if may_wait && turn.datagrams.has_room(size) {
            turn.coalescer.hold(now.0, this_thread());
            self.shared.note_held();
            return self.watch(turn.coalescer.first_look());
        }
        self.flush_turn(turn);
        turn.coalescer.measure(now.0, self.shared.clock.wall().0);
    }

    /// Has the timer look for samples that wait, unless it will.
    pub(super) fn watch(self: &Arc<Self>, after: i64) {
        if self.watched.load(SeqCst) == i64::MAX {
            let at = self.shared.clock.now().after(Duration::from_nanos(after));
            self.shared.timer.schedule(at, &self.watched, || {
                let writer = Arc::downgrade(self);
                Due::Endpoint(writer, Work::HeldBack)
            });
        }
    }

    /// The timer's look: the writer may have stopped and left samples behind.
    fn look(self: &Arc<Self>) {
        let again = match self.publish.try_lock() {
            // Somebody is about to write, or to send.
            None => Some(coalescing::LOOK),
            Some(mut turn) => match turn.coalescer.look(self.shared.clock.wall().0) {
                Look::Later(after) => Some(after),
                Look::Quiet => None,
                Look::Send => {
                    self.flush_turn(&mut turn);
                    Some(coalescing::LOOK)
                }
            },
        };
        if let Some(after) = again {
            self.watch(after);
        }
    }

    /// This thread is about to do something else than to write; false if samples of another
    /// thread's still wait.
    pub(crate) fn send_held_back(&self) -> bool {
        let Some(mut turn) = self.publish.try_lock() else {
            return false;
        };
        if turn.coalescer.holds_for(this_thread()) {
            self.flush_turn(&mut turn);
        }
        !turn.coalescer.holds()
    }

    /// So that `flush` in vain costs no lock.
    #[inline]
    pub(super) fn note_waiting(&self, turn: &Publish) {
        let waits = !turn.datagrams.is_empty();
        if self.waits.load(Relaxed) != waits {
            self.waits.store(waits, Relaxed);
        }
    }

    pub(super) fn flush_turn(&self, publish: &mut Publish) {
        publish.coalescer.sent();
        publish.batch = None;
        self.refresh(publish);
        let alone = |to| matches!(to, To::Endpoint(_));
        if publish.datagrams.destinations().any(alone) {
            return self.flush_with_questions(publish);
        }
        let matched = &publish.destinations;
        let (dscp, transport) = (self.dscp.load(Relaxed), &*self.shared.transport);
        publish.datagrams.flush_as(dscp, transport, |to| match to {
            To::Matched | To::Passing(_) => matched,
            _ => &[],
        });
    }

    /// As `flush_turn`, with a question to the one reader that lags, now and then; answers go out
    /// where the question came in.
    #[inline(never)]
    pub(super) fn flush_with_questions(&self, publish: &mut Publish) {
        let matched = &publish.destinations;
        let routes = self.shared.routes();
        let (dscp, transport) = (self.dscp.load(Relaxed), &*self.shared.transport);
        publish.datagrams.flush_as(dscp, transport, |to| match to {
            To::Matched | To::Passing(_) => matched,
            To::Endpoint(reader) => routes.stream(&reader),
            To::Announce => &[],
        });
    }

    /// Learns where samples go now.
    #[inline]
    pub(super) fn refresh(&self, publish: &mut Publish) {
        let generation = self.destinations_generation.load(SeqCst);
        if generation != publish.generation {
            self.learn_destinations(publish, generation);
        }
    }

    #[cold]
    pub(super) fn learn_destinations(&self, publish: &mut Publish, generation: u64) {
        publish.destinations = Arc::clone(&self.destinations.lock());
        publish.generation = generation;
        self.aim(&mut publish.datagrams);
        publish.put_off = std::mem::take(&mut *self.put_off.lock());
    }

    /// There is a sample to be sent: ways that were put off are worth making now.
    #[inline]
    pub(super) fn want_ways(&self, publish: &mut Publish) {
        if !publish.put_off.is_empty() {
            self.make_ways(publish);
        }
    }

    #[cold]
    fn make_ways(&self, publish: &mut Publish) {
        let ways = std::mem::take(&mut publish.put_off);
        self.shared.transport.want(&ways);
    }

    /// Tells who the matched readers in this process are, and whether there are others.
    pub(super) fn aim(&self, out: &mut Datagrams) {
        let far = !self.destinations.lock().is_empty();
        let local_readers = Arc::clone(&self.local_readers.lock());
        out.local_queue().aim(local_readers, far);
    }

    /// Sends what batching holds back, if this thread or one that it has heard of since wrote
    /// something.
    pub(crate) fn flush(&self) {
        if !self.waits.load(Relaxed) {
            return;
        }
        let _deferred = deferred::scope();
        let mut turn = self.publish.lock();
        self.flush_turn(&mut turn);
        self.note_waiting(&turn);
    }

    /// Sends questions of the writer's own, by the way that its samples go, so that they do not
    /// overtake these.
    pub(super) fn ask(&self, out: &mut Datagrams) {
        let routes = self.shared.routes();
        self.send_by(out, |guid| routes.stream(guid));
    }

    pub(super) fn send_by<'r>(
        &self,
        out: &mut Datagrams,
        destination: impl Fn(&Guid) -> &'r [Destination],
    ) {
        if out.is_empty() {
            return;
        }
        let matched = Arc::clone(&self.destinations.lock());
        let (dscp, transport) = (self.dscp.load(Relaxed), &*self.shared.transport);
        out.flush_as(dscp, transport, |to| match to {
            To::Matched | To::Passing(_) => &matched,
            To::Endpoint(guid) => destination(&guid),
            To::Announce => &[],
        });
    }
}

impl TimedEndpoint for WriterCore {
    fn scheduled(&self, work: Work) -> &AtomicI64 {
        match work {
            Work::Timeout => &self.scheduled,
            Work::HeldBack => &self.watched,
        }
    }

    fn handle_due(self: Arc<Self>, work: Work, now: Time, out: &mut Datagrams) {
        match work {
            Work::Timeout => self.handle_timeout(now, out),
            Work::HeldBack => self.look(),
        }
    }
}
