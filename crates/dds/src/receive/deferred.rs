//! What is left to do when the locks are released: listeners to call, waiting threads to wake.
//!
//! The thread that hands samples to readers of this process notes here whom they concern, and goes
//! there as soon as it holds no lock. A listener that writes adds calls to those of the thread that
//! called it, which runs them when the listener has returned: the stack does not grow, and
//! listeners that answer each other cannot keep a `write` for ever, since after some calls the rest
//! is left to the thread that receives. A listener that waits runs what is left itself (`aside`).
use crate::receive::liveliness::LivelinessAssertion;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::sync::Arc;

/// A thread that has something else to do runs so many at a time.
const MOST_DEFERRED_CALLS: usize = 64;

thread_local! {
    static LEFT: RefCell<VecDeque<DeferredCall>> = const { RefCell::new(VecDeque::new()) };
    static RUNNING: Cell<bool> = const { Cell::new(false) };
    /// There may be some: asked by every write.
    static ANY: Cell<bool> = const { Cell::new(false) };
}

/// What deferred calls do with a reader.
pub(crate) trait DeferredReader: Send + Sync {
    /// Calls the listener for data; false if it should be called again.
    fn announce_data(self: Arc<Self>) -> bool;
    /// Leaves the call of the listener for data to the thread that receives.
    fn leave_data(self: Arc<Self>);
    /// Tells of samples that were lost, and of those that were rejected.
    fn tell_troubles(self: Arc<Self>, troubles: (bool, bool));
}

/// What deferred calls do with a writer.
pub(crate) trait DeferredWriter: Send + Sync {
    /// Wakes whoever waits for room.
    fn announce_room(self: Arc<Self>);
    /// Calls the listener for room.
    fn tell_room(self: Arc<Self>);
    /// Drops bytes of the application.
    fn release_retired(self: Arc<Self>);
}

/// What deferred calls do with a participant.
pub(crate) trait DeferredParticipant: Send + Sync {
    /// Tells discovery that a writer lives.
    fn tell_alive(self: Arc<Self>, sign: &Arc<LivelinessAssertion>);
}

pub(crate) enum DeferredCall {
    /// There is something to take.
    Data(Arc<dyn DeferredReader>),
    /// Samples were lost, samples were rejected.
    Trouble(Arc<dyn DeferredReader>, (bool, bool)),
    /// A history may have room again.
    Room(Arc<dyn DeferredWriter>),
    /// A listener is to hear that there may be room.
    RoomListener(Arc<dyn DeferredWriter>),
    /// A history let go of bytes of the application.
    Bury(Arc<dyn DeferredWriter>),
    /// Discovery should hear that a writer lives.
    Alive(Arc<dyn DeferredParticipant>, Arc<LivelinessAssertion>),
    /// Nothing, but it may be the end of it.
    Drop(Arc<dyn DeferredReader>),
}

impl DeferredCall {
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Data(a), Self::Data(b)) => Arc::ptr_eq(a, b),
            (Self::Room(a), Self::Room(b))
            | (Self::RoomListener(a), Self::RoomListener(b))
            | (Self::Bury(a), Self::Bury(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    fn run(self) {
        match self {
            Self::Data(reader) => {
                if !Arc::clone(&reader).announce_data() {
                    reader.leave_data();
                }
            }
            Self::Trouble(reader, troubles) => reader.tell_troubles(troubles),
            Self::Room(writer) => writer.announce_room(),
            Self::RoomListener(writer) => writer.tell_room(),
            Self::Bury(writer) => writer.release_retired(),
            Self::Alive(participant, sign) => participant.tell_alive(&sign),
            Self::Drop(reader) => drop(reader),
        }
    }

    /// As `run`, but a listener is called by the thread that receives.
    fn leave(self) {
        match self {
            Self::Data(reader) => reader.leave_data(),
            other => other.run(),
        }
    }
}

/// Notes a call for when this thread holds no lock: until the end of a [`DeferredScope`] further up
/// its stack.
pub(crate) fn add(call: DeferredCall) {
    #[cfg(debug_assertions)]
    open::check();
    let mut call = Some(call);
    let noted = LEFT.try_with(|left| {
        let mut left = left.borrow_mut();
        let known = |e: &DeferredCall| left.iter().any(|other| other.is_same(e));
        if let Some(call) = call.take().filter(|e| !known(e)) {
            left.push_back(call);
            ANY.set(true);
        }
    });
    // A thread at its end.
    if noted.is_err()
        && let Some(call) = call
    {
        call.leave();
    }
}

/// Drops a reader when this thread holds no lock, if nobody else has it.
pub(crate) fn add_if_last(reader: Arc<impl DeferredReader + 'static>) {
    if Arc::strong_count(&reader) == 1 {
        add(DeferredCall::Drop(reader));
    }
}

/// While this lives, this thread may note calls. When it ends they run, unless the thread runs some
/// already further up its stack.
///
/// It is bound to a name before any lock is taken: what is bound first is dropped last, on each way
/// out of a function. Debug builds panic where a call is noted and nothing is there to run it.
#[must_use = "bind it to a name before the first lock: calls run when it is dropped"]
pub(crate) struct DeferredScope {
    leaves: bool,
    #[cfg(debug_assertions)]
    _open: open::Open,
}

/// As [`DeferredScope`] says.
#[inline]
pub(crate) fn scope() -> DeferredScope {
    DeferredScope::new(false)
}

/// As `scope`, but calls of listeners are left to the threads that receive: for threads that must
/// not be held up.
#[inline]
pub(crate) fn leaving_scope() -> DeferredScope {
    DeferredScope::new(true)
}

impl DeferredScope {
    #[inline]
    fn new(leaves: bool) -> Self {
        Self {
            leaves,
            #[cfg(debug_assertions)]
            _open: open::Open::new(),
        }
    }
}

impl Drop for DeferredScope {
    #[inline]
    fn drop(&mut self) {
        if ANY.get() && !std::thread::panicking() {
            match self.leaves {
                true => leave(),
                false => run_all(),
            }
        }
    }
}

#[inline]
fn run() {
    if ANY.get() {
        run_all();
    }
}

#[inline(never)]
fn run_all() {
    if is_done() || RUNNING.replace(true) {
        return;
    }
    #[cfg(debug_assertions)]
    let _open = open::Open::new();
    let running = Aside(false);
    for _ in 0..MOST_DEFERRED_CALLS {
        match next() {
            Some(call) => call.run(),
            None => return,
        }
    }
    drop(running);
    leave();
}

/// Leaves the deferred calls of this thread that call listeners to those that receive.
fn leave() {
    if is_done() {
        return;
    }
    #[cfg(debug_assertions)]
    let _open = open::Open::new();
    let _running = Aside(RUNNING.replace(true));
    while let Some(call) = next() {
        call.leave();
    }
}

/// While this lives, the thread calls listeners by itself, and what they leave runs when it ends: no
/// listener runs within another.
pub(crate) fn hold() -> Hold {
    let scope = scope();
    let running = Aside(RUNNING.replace(true));
    Hold {
        _running: running,
        _scope: scope,
    }
}

/// Made by `hold`. Its members are dropped in their order.
#[must_use]
pub(crate) struct Hold {
    _running: Aside,
    _scope: DeferredScope,
}

/// Runs the deferred calls of this thread. While the result lives the thread waits within a
/// listener, and may run more as if it were not in one.
#[must_use]
pub(crate) fn aside() -> Aside {
    let aside = Aside(RUNNING.replace(false));
    run();
    aside
}

/// Restores whether deferred calls are run further up the stack.
pub(crate) struct Aside(bool);

impl Drop for Aside {
    fn drop(&mut self) {
        RUNNING.set(self.0);
    }
}

/// Has this thread a call left?
#[cfg(feature = "simulation")]
pub(crate) fn waits() -> bool {
    !is_done() || RUNNING.get()
}

fn next() -> Option<DeferredCall> {
    LEFT.try_with(|left| left.borrow_mut().pop_front())
        .ok()
        .flatten()
}

fn is_done() -> bool {
    let done = LEFT.try_with(|left| left.borrow().is_empty());
    let done = done.unwrap_or(true);
    ANY.set(!done);
    done
}

/// Whether a scope is open.
#[cfg(debug_assertions)]
mod open {
    use std::cell::Cell;

    thread_local! {
        static SCOPES: Cell<usize> = const { Cell::new(0) };
    }

    /// One more scope of this thread is open while this lives.
    pub(super) struct Open(());

    impl Open {
        pub(super) fn new() -> Self {
            SCOPES.set(SCOPES.get() + 1);
            Self(())
        }
    }

    impl Drop for Open {
        fn drop(&mut self) {
            SCOPES.set(SCOPES.get() - 1);
        }
    }

    pub(super) fn check() {
        assert!(
            SCOPES.get() > 0,
            "a call is deferred where nothing runs it: `deferred::scope()` belongs before the locks"
        );
    }
}
