//! Code of the application that Dunlin's threads call: a panic in it ends the call, not the thread.
//!
//! That is a log subscriber's code too: one that writes to a closed pipe may panic at each message.
//! So messages are written by the macros of [`log`], which catch that. A program that is built with
//! `panic = "abort"` ends at its first panic as ever.
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Panics that `quietly` has caught in this process.
static CAUGHT: AtomicU64 = AtomicU64::new(0);

/// Runs code of the application; if it panics, says with which message.
///
/// Whatever the code has changed stays as the panic left it: callers give it nothing that they need
/// whole.
#[inline]
pub fn catch<R>(code: impl FnOnce() -> R) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(code)).map_err(message)
}

/// As `catch`, of what belongs to no participant; a panic is counted in [`count`].
#[inline]
pub fn quietly<R>(code: impl FnOnce() -> R) -> Option<R> {
    match catch(code) {
        Ok(result) => Some(result),
        Err(_) => {
            CAUGHT.fetch_add(1, Relaxed);
            None
        }
    }
}

/// How many panics `quietly` has caught in this process.
pub fn count() -> u64 {
    CAUGHT.load(Relaxed)
}

/// What a panic says.
#[cold]
pub fn message(panic: Box<dyn Any + Send>) -> String {
    let text = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (None, Some(text)) => text.clone(),
        (None, None) => "no message".to_owned(),
    };
    // The value that it was raised with is the application's, and so is its end.
    if let Err(another) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        std::mem::forget(another);
    }
    text
}

/// `tracing`'s macros for messages: a panic of who reads them is caught and counted.
pub mod log {
    pub use crate::{
        __log_debug as debug, __log_error as error, __log_info as info, __log_warn as warn,
    };
    #[doc(hidden)]
    pub use tracing;
}

#[doc(hidden)]
#[macro_export]
macro_rules! __log_error {
    ($($message:tt)+) => {{
        $crate::panics::quietly(|| $crate::panics::log::tracing::error!($($message)+));
    }};
}

#[doc(hidden)]
#[macro_export]
macro_rules! __log_warn {
    ($($message:tt)+) => {{
        $crate::panics::quietly(|| $crate::panics::log::tracing::warn!($($message)+));
    }};
}

#[doc(hidden)]
#[macro_export]
macro_rules! __log_info {
    ($($message:tt)+) => {{
        $crate::panics::quietly(|| $crate::panics::log::tracing::info!($($message)+));
    }};
}

#[doc(hidden)]
#[macro_export]
macro_rules! __log_debug {
    ($($message:tt)+) => {{
        $crate::panics::quietly(|| $crate::panics::log::tracing::debug!($($message)+));
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_says_what_it_was_raised_with() {
        struct Bomb;
        impl Drop for Bomb {
            fn drop(&mut self) {
                panic!("at its end, too");
            }
        }
        assert_eq!(catch(|| 7), Ok(7));
        assert_eq!(catch(|| panic!("simple")), Err::<(), _>("simple".into()));
        assert_eq!(
            catch(|| panic!("with {}", 1)),
            Err::<(), _>("with 1".into())
        );
        let bomb = || std::panic::panic_any(Bomb);
        assert_eq!(catch(bomb), Err::<(), _>("no message".into()));
        let before = count();
        assert_eq!(quietly(|| panic!("caught")), None::<()>);
        assert!(count() > before);
    }
}
