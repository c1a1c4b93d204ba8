//! What happens when the process forks: in the child, all that there was belongs to the parent.
//!
//! The handlers hold the locks that the child needs to go on, so that no other thread is within
//! them at the moment of the fork. The child has no other thread, and nothing there is destroyed:
//! the parent uses the same sockets.
use crate::handle::Held;
use crate::library;
use crate::log::{self, Log};
use crate::memory::{Blocks, blocks};
use crate::object::{Entry, Family, OBJECTS, family};
use crate::samples::{Lenders, lenders};
use dunlin::transport::close_lifelines;
use dunlin::transport::threads::{Hooks, hold_hooks};
use std::cell::Cell;
use std::sync::{MutexGuard, Once, RwLockReadGuard};

/// What is held from before a fork until behind it.
struct Locks {
    family: MutexGuard<'static, Family>,
    objects: Held<'static, Entry>,
    lenders: MutexGuard<'static, Lenders>,
    blocks: MutexGuard<'static, Blocks>,
    log: MutexGuard<'static, Log>,
    hooks: RwLockReadGuard<'static, Hooks>,
}

thread_local! {
    static LOCKS: Cell<Option<Locks>> = const { Cell::new(None) };
}

/// Forks are heard of from now on.
pub(crate) fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the functions stay loaded, since the library is linked with `-z nodelete`.
        // Without memory for it forks are not heard of.
        let _ = unsafe { libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child)) };
    });
}

extern "C" fn before() {
    // In the order in which everybody takes them.
    let family = family();
    let objects = OBJECTS.hold();
    let locks = Locks {
        family,
        objects,
        lenders: lenders(),
        blocks: blocks(),
        log: log::log(),
        hooks: hold_hooks(),
    };
    let _ = LOCKS.try_with(|held| held.set(Some(locks)));
}

extern "C" fn in_parent() {
    let _ = LOCKS.try_with(Cell::take);
}

extern "C" fn in_child() {
    if let Ok(Some(Locks {
        mut family,
        objects,
        mut lenders,
        blocks,
        mut log,
        hooks,
    })) = LOCKS.try_with(Cell::take)
    {
        family.disinherit();
        objects.disinherit();
        std::mem::forget(std::mem::take(&mut *lenders));
        log.disinherit();
        // Blocks are memory of this process, too, and are given back as ever; and so with hooks.
        drop((blocks, log, hooks));
        // SAFETY: nothing of before the fork is used or dropped from now on, and no other thread is
        // here.
        unsafe { close_lifelines() };
        library::disinherit();
    }
}
