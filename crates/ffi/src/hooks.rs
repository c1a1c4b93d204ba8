//! Functions of the application that are called beside listeners: at the ends of threads, and when
//! something is over.
use crate::error::entry;
use dunlin::transport::threads::{ThreadHooks, set_hooks};
use std::ffi::c_void;
use std::sync::Arc;

/// A function of the application; `context` is what was given with it.
pub type dunlin_function = Option<unsafe extern "C" fn(context: *mut c_void)>;

/// A function with its context.
pub(crate) struct Called {
    function: unsafe extern "C" fn(*mut c_void),
    context: *mut c_void,
}

// SAFETY: the header says that the functions are called on any thread with the context.
unsafe impl Send for Called {}
// SAFETY: as above.
unsafe impl Sync for Called {}

impl Called {
    /// None without a function.
    pub(crate) fn new(function: dunlin_function, context: *mut c_void) -> Option<Self> {
        function.map(|function| Self { function, context })
    }

    pub(crate) fn call(&self) {
        // SAFETY: the function is the application's, for this context.
        unsafe { (self.function)(self.context) }
    }
}

struct Hooks {
    start: Option<Called>,
    stop: Option<Called>,
}

impl ThreadHooks for Hooks {
    fn start(&self) {
        self.start.iter().for_each(Called::call);
    }

    fn stop(&self) {
        self.stop.iter().for_each(Called::call);
    }
}

/// Functions that each thread of the library calls as its first and as its last act, for runtimes
/// that attach threads. Each may be null; both null take them away. They count for threads that begin
/// from now on: set them before the first participant is made.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_set_thread_hooks(
    start: dunlin_function,
    stop: dunlin_function,
    context: *mut c_void,
) -> i32 {
    entry(|| {
        let hooks = Hooks {
            start: Called::new(start, context),
            stop: Called::new(stop, context),
        };
        let hooks: Option<Arc<dyn ThreadHooks>> = match (start, stop) {
            (None, None) => None,
            _ => Some(Arc::new(hooks)),
        };
        drop(set_hooks(hooks));
        Ok(())
    })
}
