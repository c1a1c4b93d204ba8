//! What is left to do when the locks are released: listeners to call, waiting threads to wake.
//!
//! The thread that hands samples to readers of this process notes here whom they concern, and goes
//! there as soon as it holds no lock. A listener that writes adds calls to those of the thread that
//! called it, which runs them when the listener has returned: the stack does not grow, and
//! listeners that answer each other cannot keep a `write` for ever, since after some calls the rest
//! is left to the thread that receives. A listener that waits runs what is left itself (`aside`).
use crate::entity::shared::Shared;
use crate::receive::liveliness::LivelinessAssertion;
use crate::untyped::reader::ReaderCore;
use crate::untyped::writer::WriterCore;
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

pub(crate) enum DeferredCall {
    /// There is something to take.
    Data(Arc<ReaderCore>),
    /// Samples were lost, samples were rejected.
    Trouble(Arc<ReaderCore>, (bool, bool)),
    /// A history may have room again.
    Room(Arc<WriterCore>),
    /// A listener is to hear that there may be room.
    RoomListener(Arc<WriterCore>),
    /// A history let go of bytes of the application.
    Bury(Arc<WriterCore>),
    /// Discovery should hear that a writer lives.
    Alive(Arc<Shared>, Arc<LivelinessAssertion>),
    /// Nothing, but it may be the end of it.
    Drop(Arc<ReaderCore>),
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
                if !reader.announce_data_briefly() {
                    reader.shared.defer_data(&reader);
                }
            }
            Self::Trouble(reader, troubles) => reader.tell_troubles(troubles),
            Self::Room(writer) => writer.announce_room(),
            Self::RoomListener(writer) => writer.tell_room(),
            Self::Bury(writer) => writer.release_retired(),
            Self::Alive(shared, sign) => shared.discover(|matching, _| matching.tell(&sign)),
            Self::Drop(reader) => drop(reader),
        }
    }

    /// As `run`, but a listener is called by the thread that receives.
    fn leave(self) {
        match self {
            Self::Data(reader) => reader.shared.defer_data(&reader),
            other => other.run(),
        }
    }
}

/// Notes a call for when this thread holds no lock.
pub(crate) fn add(call: DeferredCall) {
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
pub(crate) fn add_if_last(reader: Arc<ReaderCore>) {
    if Arc::strong_count(&reader) == 1 {
        add(DeferredCall::Drop(reader));
    }
}

/// Runs the deferred calls of this thread, unless it does so already further up its stack.
#[inline]
pub(crate) fn run() {
    if ANY.get() {
        run_all();
    }
}

#[inline(never)]
fn run_all() {
    if is_done() || RUNNING.replace(true) {
        return;
    }
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

/// Leaves the deferred calls of this thread that call listeners to those that receive: for threads
/// that must not be held up.
pub(crate) fn leave() {
    if is_done() {
        return;
    }
    let _running = Aside(RUNNING.replace(true));
    while let Some(call) = next() {
        call.leave();
    }
}

/// While this lives, the thread calls listeners by itself, and what they leave waits until it ends:
/// no listener runs within another.
#[must_use]
pub(crate) fn hold() -> Aside {
    Aside(RUNNING.replace(true))
}

/// While this lives, the thread waits within a listener, and may run deferred calls as if it were
/// not in one.
#[must_use]
pub(crate) fn aside() -> Aside {
    Aside(RUNNING.replace(false))
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
