//! Receiving is a role, not a thread: leader and followers.
//!
//! Each receiver has one `Role`. Its dedicated thread, the follower, holds the role while nobody
//! else waits. An application thread that waits (wait set, blocked write, acknowledgements) takes
//! the role if it can and runs the receive work itself, listeners included, so nothing has to wake
//! it. When it leaves it does not wake the follower, which would cost more than a whole round trip;
//! instead the follower looks in from time to time (`GRACE`) and takes over when the role has been
//! idle. Only when the follower sleeps for good, because one thread held the role for long, does
//! leaving wake it.
//!
//! The mutex around the worker is only ever tried, never waited for, and it is free while listeners
//! run: a listener that waits for room or for a condition receives by itself.
use crate::WaitStrategy;
use crate::receive::deferred;
use crate::receive::participant::ReceivingParticipant;
use crate::receive::worker::{Arrivals, Pause, Worker};
use crate::runtime::clock::Clock;
use crate::runtime::signal::{Signal, Waiters};
use dunlin_lock::{Guard, Lock};
use dunlin_rtps::Time;
use dunlin_transport::panics::catch;
use dunlin_transport::{ReceiveStatistics, Receiver, Reception, Waker};
use dunlin_wire::Locator;
use std::sync::atomic::{
    AtomicBool, AtomicI64, AtomicU8, AtomicU64, AtomicUsize,
    Ordering::{Relaxed, SeqCst},
};
use std::sync::{Arc, OnceLock};
use std::thread::Thread;
use std::time::Duration;

/// A role that nobody has used for this long goes back to the follower.
const GRACE: Duration = Duration::from_millis(1);
/// How often the follower looks at a role that application threads have used for a while: less
/// often, since each look costs the thread that holds it a context switch when both run on one CPU.
const BUSY_GRACE: Duration = Duration::from_millis(4);
/// After this many looks at a role that is always taken the follower sleeps until it is woken.
const LOOKS: u32 = 20;

/// A thread that brought others what they waited for so many times, and got nothing itself, leaves
/// the role to them: who receives its own data needs not be woken.
const SERVICES: u64 = 3;

/// A net under that sleep, which tests do without.
const SLEEP: Duration = Duration::from_secs(if cfg!(test) { 3_600 } else { 1 });

const AWAY: u8 = 0;
const ASLEEP: u8 = 1;
const RECEIVING: u8 = 2;

pub(crate) struct Role<P: ReceivingParticipant> {
    worker: Lock<Worker<P>>,
    /// It receives what is addressed to user endpoints.
    of_user: bool,
    clock: Clock,
    waker: Arc<dyn Waker>,
    gauge: Arc<dyn ReceiveStatistics>,
    locators: Vec<Locator>,
    follower: OnceLock<Thread>,
    /// What the follower does: `AWAY` (looks in every `GRACE`), `ASLEEP` or `RECEIVING`.
    following: AtomicU8,
    /// Application threads that hold the role, in listeners or not.
    leaders: AtomicUsize,
    /// Application threads that would like the role.
    wanted: AtomicUsize,
    /// Those of them that do not look in any more.
    dozing: AtomicUsize,
    wanting: Waiters,
    /// How often somebody who wanted the role got what it waited for from another thread.
    served: AtomicU64,
    left_at: AtomicI64,
    /// A thread that polls found that the follower has the role; counts in `wanted` until the
    /// follower has left it.
    asked: AtomicBool,
    stopped: AtomicBool,
}

/// An application thread has the role while this lives; a panic in that time gives it back, too.
struct Leader<'a, P: ReceivingParticipant>(&'a Role<P>);

impl<'a, P: ReceivingParticipant> Leader<'a, P> {
    fn new(role: &'a Role<P>) -> Self {
        role.leaders.fetch_add(1, SeqCst);
        Self(role)
    }
}

impl<P: ReceivingParticipant> Drop for Leader<'_, P> {
    fn drop(&mut self) {
        self.0.leave();
    }
}

/// How a thread's time with the role ended.
enum RoleEnd {
    /// It has what it waited for.
    Done,
    /// Time is up, or another thread has the role.
    Over,
    /// It only worked for others.
    ForOthers,
}

impl<P: ReceivingParticipant> Role<P> {
    /// `of_user`: it receives what is addressed to user endpoints. What our own kind sends to it
    /// over a network always has a checksum, and its threads make the calls that others defer.
    pub(crate) fn new(
        receiver: Box<dyn Receiver>,
        clock: &Clock,
        waiting: WaitStrategy,
        of_user: bool,
    ) -> Self {
        Self {
            waker: receiver.waker(),
            gauge: receiver.statistics(),
            locators: receiver.locators(),
            worker: Lock::new(Worker::new(receiver, clock.clone(), waiting, of_user)),
            of_user,
            clock: clock.clone(),
            follower: OnceLock::new(),
            following: AtomicU8::new(AWAY),
            leaders: AtomicUsize::new(0),
            wanted: AtomicUsize::new(0),
            dozing: AtomicUsize::new(0),
            wanting: Waiters::default(),
            served: AtomicU64::new(0),
            left_at: AtomicI64::new(0),
            asked: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
        }
    }

    /// Waits until `done` or the deadline, receiving meanwhile if the role can be had. `signal` is
    /// raised by whatever may make `done` true. Returns what `done` last said.
    pub(crate) fn wait(
        &self,
        shared: &Arc<P>,
        signal: &Arc<Signal>,
        deadline: Option<Time>,
        mut done: impl FnMut() -> bool,
    ) -> bool {
        shared.send_held_back();
        let _aside = deferred::aside();
        if done() {
            return true;
        }
        let mut looks = 0;
        while deadline.is_none_or(|at| self.clock.now() < at) && !self.stopped.load(SeqCst) {
            // A role that is free at once is taken at once; later on, only one that its last holder
            // does not come back to.
            let free = looks == 0 || self.is_forsaken();
            match free.then(|| self.try_lead()).flatten() {
                Some(mut worker) => {
                    looks = 0;
                    worker.expect();
                    let leader = Leader::new(self);
                    // The caller is a thread of the application: it hears of it as of what ends a
                    // thread of ours.
                    let led = catch(|| self.lead(worker, shared, signal, deadline, &mut done));
                    drop(leader);
                    let led = led.unwrap_or_else(|why| {
                        shared.fail(&format!("receiving has panicked: {why}"));
                        RoleEnd::Over
                    });
                    match led {
                        RoleEnd::Done => return true,
                        RoleEnd::Over => {}
                        // As one who found the role taken: it comes back only if nobody else wants
                        // it.
                        RoleEnd::ForOthers => looks = 1,
                    }
                }
                None => {
                    looks = self.ask(signal, deadline, looks);
                    if signal.consume() && done() {
                        self.served.fetch_add(1, Relaxed);
                        return true;
                    }
                }
            }
        }
        done()
    }

    /// Takes the role for one turn if it is free, without waiting for anything; false if nothing
    /// was there, or the role is taken. With `asks` the follower leaves it to those who poll, as
    /// long as one comes each `GRACE`.
    pub(crate) fn poll(&self, shared: &Arc<P>, asks: bool) -> bool {
        let Some(mut worker) = self.try_lead() else {
            if asks && self.following.load(SeqCst) == RECEIVING {
                self.ask_follower();
            }
            return false;
        };
        let leader = Leader::new(self);
        let polled = catch(|| {
            let calls = self.of_user && shared.has_deferred();
            let (received, arrivals) = worker.poll(shared);
            self.give_back(self.tell(worker, shared, arrivals));
            received || calls
        });
        drop(leader);
        polled.unwrap_or_else(|why| {
            shared.fail(&format!("receiving has panicked: {why}"));
            false
        })
    }

    /// Has the follower leave the role.
    #[cold]
    fn ask_follower(&self) {
        if !self.asked.swap(true, SeqCst) {
            self.wanted.fetch_add(1, SeqCst);
            self.waker.wake();
        }
    }

    /// The follower, which does not have the role now, stays away for a `GRACE` if it was asked to.
    fn settle_asked(&self) {
        if self.asked.load(SeqCst) && self.asked.swap(false, SeqCst) {
            self.left_at.store(self.clock.now().0, SeqCst);
            self.wanted.fetch_sub(1, SeqCst);
        }
    }

    /// Holds the role until `done` or the deadline. The worker itself is let go while listeners
    /// run, so that a listener which waits can go on receiving.
    fn lead(
        &self,
        first: Guard<'_, Worker<P>>,
        shared: &Arc<P>,
        signal: &Arc<Signal>,
        deadline: Option<Time>,
        done: &mut impl FnMut() -> bool,
    ) -> RoleEnd {
        let served = self.served.load(Relaxed);
        let interrupted = || signal.is_raised() || shared.has_deferred();
        let pause = Pause {
            interrupted: &interrupted,
            signal: Some(signal),
            deadline,
        };
        let (mut worker, mut arrivals) = (Some(first), None);
        let mut led = RoleEnd::Over;
        while let Some(held) = worker.take().or_else(|| self.try_lead()) {
            arrivals = self.serve(held, shared, &pause, arrivals);
            if signal.consume() && done() {
                led = RoleEnd::Done;
                break;
            }
            if self.stopped.load(SeqCst) || deadline.is_some_and(|at| self.clock.coarse() >= at) {
                break;
            }
            if self.served.load(Relaxed).wrapping_sub(served) >= SERVICES {
                led = RoleEnd::ForOthers;
                break;
            }
            if self.clock.is_stepped() && !interrupted() {
                self.clock.park(deadline);
            }
        }
        self.give_back(arrivals);
        led
    }

    /// One turn of the worker, then tells those who wait or listen; user code runs here, without
    /// any lock. The container of the news comes from the turn before, and goes to the next one.
    #[inline]
    fn serve(
        &self,
        mut held: Guard<'_, Worker<P>>,
        shared: &Arc<P>,
        pause: &Pause<'_>,
        mut empty: Option<Box<Arrivals<P>>>,
    ) -> Option<Box<Arrivals<P>>> {
        held.reuse(&mut empty);
        let arrivals = held.turn(shared, pause);
        self.tell(held, shared, arrivals).or(empty)
    }

    /// Lets go of the worker, then tells those who wait or listen what its turn has brought.
    #[inline]
    fn tell(
        &self,
        held: Guard<'_, Worker<P>>,
        shared: &Arc<P>,
        mut arrivals: Option<Box<Arrivals<P>>>,
    ) -> Option<Box<Arrivals<P>>> {
        drop(held);
        if self.of_user {
            shared.run_deferred();
        }
        if let Some(arrivals) = &mut arrivals {
            arrivals.deliver(shared);
        }
        arrivals
    }

    /// The next one who receives need not make a container for news.
    fn give_back(&self, mut arrivals: Option<Box<Arrivals<P>>>) {
        let Some(container) = &mut arrivals else {
            return;
        };
        container.forget();
        if let Some(mut worker) = self.try_lead() {
            worker.reuse(&mut arrivals);
        }
    }

    fn try_lead(&self) -> Option<Guard<'_, Worker<P>>> {
        self.worker.try_lock()
    }

    /// Sleeps until the signal is raised, or for a moment to see whether the role is free then;
    /// after many looks in vain, until its holder leaves. Returns the looks so far.
    fn ask(&self, signal: &Arc<Signal>, deadline: Option<Time>, looks: u32) -> u32 {
        let dozes = looks >= LOOKS;
        self.wanting.add(signal);
        self.wanted.fetch_add(1, SeqCst);
        self.dozing.fetch_add(usize::from(dozes), SeqCst);
        if self.following.load(SeqCst) == RECEIVING {
            self.waker.wake();
        }
        let span = if dozes { SLEEP } else { GRACE };
        let until = self.clock.now().after(span.into());
        let until = deadline.map_or(until, |at| at.min(until));
        // Whoever leaves from here on sees that this one dozes; whoever left before is no leader
        // any more.
        if !dozes || self.leaders.load(SeqCst) > 0 {
            signal.park(&self.clock, Some(until));
        }
        self.dozing.fetch_sub(usize::from(dozes), SeqCst);
        self.wanted.fetch_sub(1, SeqCst);
        self.wanting.remove(signal);
        if dozes { 1 } else { looks + 1 }
    }

    fn leave(&self) {
        self.left_at.store(self.clock.now().0, SeqCst);
        self.leaders.fetch_sub(1, SeqCst);
        // Others who want the role look in by themselves, and waking them now would only make two
        // threads fight over it.
        if self.dozing.load(SeqCst) > 0 {
            self.wanting.raise_all();
        }
        // Those who want the role may have what they wait for already, so the follower must look in
        // all the same.
        if self.following.load(SeqCst) == ASLEEP
            && let Some(thread) = self.follower.get()
        {
            thread.unpark();
        }
    }

    /// The body of the follower's thread.
    pub(crate) fn follow(&self, shared: &Arc<P>) {
        let _ = self.follower.set(std::thread::current());
        let (mut looks, mut busy) = (0, 0u32);
        while !self.stopped.load(SeqCst) && !shared.is_ended() {
            self.settle_asked();
            match self.is_idle().then(|| self.try_lead()).flatten() {
                Some(worker) => {
                    (looks, busy) = (0, 0);
                    self.receive_for_all(worker, shared);
                }
                None if looks < LOOKS => {
                    looks = if self.leaders.load(SeqCst) > 0 {
                        looks + 1
                    } else {
                        0
                    };
                    busy = busy.saturating_add(1);
                    let used = busy > LOOKS / 2;
                    std::thread::park_timeout(if used { BUSY_GRACE } else { GRACE });
                }
                None => {
                    looks = 0;
                    self.following.store(ASLEEP, SeqCst);
                    // Whoever leaves from here on sees `ASLEEP`; whoever left before is no leader
                    // any more.
                    if self.leaders.load(SeqCst) > 0 {
                        std::thread::park_timeout(SLEEP);
                    }
                    self.following.store(AWAY, SeqCst);
                }
            }
        }
    }

    /// Nobody has the role or wants it, nor had it a moment ago.
    fn is_idle(&self) -> bool {
        self.wanted.load(SeqCst) == 0 && self.is_forsaken()
    }

    /// No application thread has the role, nor had it a moment ago.
    fn is_forsaken(&self) -> bool {
        let idle = self.clock.now().0.saturating_sub(self.left_at.load(SeqCst));
        self.leaders.load(SeqCst) == 0 && u128::from(idle.unsigned_abs()) >= GRACE.as_nanos()
    }

    fn receive_for_all(&self, first: Guard<'_, Worker<P>>, shared: &Arc<P>) {
        let stopped = || self.stopped.load(SeqCst) || shared.is_ended();
        let over = || self.wanted.load(SeqCst) != 0 || stopped();
        let pause = Pause {
            interrupted: &|| over() || shared.has_deferred(),
            signal: None,
            deadline: None,
        };
        self.following.store(RECEIVING, SeqCst);
        let (mut worker, mut arrivals) = (Some(first), None);
        while let Some(held) = worker.take().or_else(|| self.try_lead()) {
            arrivals = self.serve(held, shared, &pause, arrivals);
            if over() {
                break;
            }
        }
        self.give_back(arrivals);
        self.following.store(AWAY, SeqCst);
        self.wanting.raise_all();
    }

    /// The participant has ended: whom its datagrams went to know it, and would keep it.
    pub(crate) fn forget(&self) {
        if let Some(mut worker) = self.try_lead() {
            worker.forget();
        }
    }

    /// Something else than a datagram waits for whoever receives.
    pub(crate) fn nudge(&self) {
        self.waker.wake();
    }

    /// What its receiver was granted and what it lost.
    pub(crate) fn reception(&self) -> Reception {
        self.gauge.read()
    }

    /// Where its receiver listens.
    pub(crate) fn locators(&self) -> &[Locator] {
        &self.locators
    }

    /// Neither is anybody receiving, nor does somebody count who is not.
    #[cfg(feature = "simulation")]
    pub(crate) fn is_free(&self) -> bool {
        let counts = [&self.leaders, &self.wanted, &self.dozing];
        self.try_lead().is_some() && counts.iter().all(|count| count.load(SeqCst) == 0)
    }

    /// Has the participant ended?
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(SeqCst)
    }

    /// Ends all waiting on this role.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, SeqCst);
        self.waker.wake();
        if let Some(thread) = self.follower.get() {
            thread.unpark();
        }
        self.wanting.raise_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DomainParticipant, ParticipantConfig};
    use bytes::BytesMut;
    use dunlin_transport::{Faults, MemoryNetwork, Received, Wait};
    use std::io;
    use std::time::Instant;

    /// Nothing ever comes.
    struct Silence;

    impl Receiver for Silence {
        fn receive(&mut self, _: &mut BytesMut, _: Wait) -> io::Result<Option<Received>> {
            std::thread::sleep(GRACE);
            Ok(None)
        }
        fn waker(&self) -> Arc<dyn Waker> {
            Arc::new(Silence)
        }
        fn locators(&self) -> Vec<Locator> {
            Vec::new()
        }
        fn statistics(&self) -> Arc<dyn ReceiveStatistics> {
            Arc::new(Silence)
        }
    }

    impl ReceiveStatistics for Silence {
        fn read(&self) -> Reception {
            Reception::default()
        }
    }

    impl Waker for Silence {
        fn wake(&self) {}
    }

    fn soon(condition: impl Fn() -> bool) -> bool {
        let limit = Instant::now() + Duration::from_secs(20);
        while !condition() && Instant::now() < limit {
            std::thread::sleep(GRACE);
        }
        condition()
    }

    #[test]
    fn the_follower_takes_over_although_somebody_wanted_the_role_and_did_not_take_it() {
        let config = ParticipantConfig {
            transport: Some(Arc::new(MemoryNetwork::new(1, Faults::default()).host())),
            ..ParticipantConfig::default()
        };
        let participant = DomainParticipant::with_config(0, config).unwrap();
        let shared = &participant.guard.shared;
        let role = Role::new(
            Box::new(Silence),
            &Clock::System,
            WaitStrategy::Block,
            false,
        );
        let (signal, over) = (Signal::new(), AtomicBool::new(false));
        let steps = std::thread::scope(|scope| {
            scope.spawn(|| role.wait(shared, &signal, None, || over.load(SeqCst)));
            let led = soon(|| role.leaders.load(SeqCst) == 1);
            scope.spawn(|| role.follow(shared));
            let slept = soon(|| role.following.load(SeqCst) == ASLEEP);
            // The leader leaves while another one wants the role, who then has what it waits for
            // and goes.
            role.wanted.fetch_add(1, SeqCst);
            over.store(true, SeqCst);
            signal.raise();
            let left = soon(|| role.leaders.load(SeqCst) == 0);
            role.wanted.fetch_sub(1, SeqCst);
            let received = soon(|| role.following.load(SeqCst) == RECEIVING);
            role.stop();
            [led, slept, left, received]
        });
        assert_eq!(steps, [true; 4], "led, slept, left, received");
    }
}
