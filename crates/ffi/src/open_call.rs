//! Calls of listeners that are open on a thread, so that a `longjmp` out of one of them is found.
//!
//! Stacks grow downwards: while a listener is called, all of this thread is below the place where
//! the call began. Whoever is at that place or above it has left the call without returning.
use crate::error::{Failure, Outcome};
use dunlin::ReturnCode;
use std::cell::Cell;

thread_local! {
    /// Where the innermost call began, and of which entity it is; 0 without one.
    static OPEN: Cell<(usize, u64)> = const { Cell::new((0, 0)) };
}

/// Calls a listener of an entity.
#[inline]
pub(crate) fn within(entity: u64, call: impl FnOnce()) {
    let place = 0_u8;
    let here = (&raw const place).addr();
    // Looked up once: that takes as long as all the rest.
    OPEN.with(|open| {
        let (begun, of) = open.replace((here, entity));
        let outer = match begun != 0 && here >= begun && is_left(here, begun) {
            true => left(of),
            false => (begun, of),
        };
        call();
        open.set(outer);
    });
}

#[cold]
fn left(of: u64) -> (usize, u64) {
    tracing::error!("{}", message(of));
    (0, 0)
}

/// Fails once if a `longjmp` of this thread has left a call of a listener.
#[inline]
pub(crate) fn check() -> Outcome {
    let place = 0_u8;
    let here = (&raw const place).addr();
    match OPEN.get() {
        (begun, of) if begun != 0 && here >= begun => found(here, begun, of),
        _ => Ok(()),
    }
}

#[cold]
fn found(here: usize, begun: usize, of: u64) -> Outcome {
    if !is_left(here, begun) {
        return Ok(());
    }
    OPEN.set((0, 0));
    let text = message(of);
    tracing::error!("{text}");
    Err(Failure::Told(ReturnCode::Error, text))
}

fn message(of: u64) -> String {
    format!(
        "a longjmp has left a function of the listener that was called for {of:#x}, which must \
         return: what the call held is lost, and its participant may receive nothing more; close \
         the participant"
    )
}

/// Whether both places are on the stack that the system gave this thread. A program may have stacks
/// of its own, of which nothing can be said.
#[cold]
fn is_left(here: usize, begun: usize) -> bool {
    let stack = stack();
    stack.contains(&here) && stack.contains(&begun)
}

#[cold]
fn stack() -> std::ops::Range<usize> {
    let mut start = std::ptr::null_mut();
    let mut size = 0;
    // SAFETY: the attributes are made by the first call before the others use them, and destroyed
    // once; all places for results are those of this function.
    let known = unsafe {
        let mut attributes = std::mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &raw mut attributes) != 0 {
            return 0..0;
        }
        let known =
            libc::pthread_attr_getstack(&raw const attributes, &raw mut start, &raw mut size);
        libc::pthread_attr_destroy(&raw mut attributes);
        known
    };
    match known {
        0 => start.addr()..start.addr().saturating_add(size),
        _ => 0..0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(never)]
    fn deeper(of: u64, call: &mut dyn FnMut()) {
        let room = std::hint::black_box([0_u8; 256]);
        within(of, &mut *call);
        std::hint::black_box(room);
    }

    #[test]
    fn calls_within_each_other_are_no_fault() {
        let mut inner = 0;
        within(1, || {
            assert!(check().is_ok());
            deeper(2, &mut || {
                assert!(check().is_ok());
                inner += 1;
            });
            assert!(check().is_ok());
        });
        assert!(check().is_ok());
        assert_eq!((inner, OPEN.get()), (1, (0, 0)));
    }

    #[test]
    fn a_call_that_was_left_is_told_once() {
        let mut below = (0, 0);
        deeper(7, &mut || below = OPEN.get());
        // As a longjmp leaves it.
        OPEN.set(below);
        let Err(Failure::Told(ReturnCode::Error, text)) = check() else {
            panic!("nothing was found");
        };
        assert!(text.contains("longjmp") && text.contains("0x7"), "{text}");
        assert!(check().is_ok());
    }

    #[test]
    fn stacks_of_the_program_s_own_are_no_fault() {
        let other = Box::new([0_u8; 64]);
        OPEN.set((other.as_ptr().addr(), 7));
        assert!(check().is_ok());
        within(8, || assert!(check().is_ok()));
        OPEN.set((0, 0));
    }
}
