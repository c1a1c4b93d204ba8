//! Threads of the library: named, with stacks of a known size, and seen by whoever wants to know when
//! one begins and ends.
use crate::panics::quietly;
use std::io;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::thread::{Builder, JoinHandle};

/// Code of the application that runs at both ends of each thread, within it.
pub trait ThreadHooks: Send + Sync {
    /// Before anything else.
    fn start(&self);
    /// After all else.
    fn stop(&self);
}

/// What is run at the ends of threads.
pub type Hooks = Option<Arc<dyn ThreadHooks>>;

static HOOKS: RwLock<Hooks> = RwLock::new(None);

/// Threads that begin from now on run these hooks at both of their ends; those that run keep theirs.
/// The hooks before are given back.
pub fn set_hooks(hooks: Hooks) -> Hooks {
    let mut now = HOOKS.write().unwrap_or_else(PoisonError::into_inner);
    std::mem::replace(&mut now, hooks)
}

/// The hooks cannot be changed while this lives: for whoever forks.
pub fn hold_hooks() -> RwLockReadGuard<'static, Hooks> {
    HOOKS.read().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the hooks' end when the thread ends, also by a panic.
struct Hooked(Hooks);

impl Hooked {
    fn new() -> Self {
        let hooks = hold_hooks().clone();
        if let Some(hooks) = &hooks {
            quietly(|| hooks.start());
        }
        Self(hooks)
    }
}

impl Drop for Hooked {
    fn drop(&mut self) {
        if let Some(hooks) = self.0.take() {
            quietly(|| hooks.stop());
        }
    }
}

/// Starts a thread of the library.
///
/// # Errors
/// Those of the system, which may have no room for another one.
pub fn spawn(
    name: &str,
    stack: usize,
    body: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    let builder = Builder::new().name(name.into()).stack_size(stack);
    builder.spawn(move || {
        let hooked = Hooked::new();
        body();
        drop(hooked);
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[derive(Default)]
    struct Noted(Mutex<Vec<&'static str>>);

    impl Noted {
        /// Threads of other tests begin and end, too.
        fn note(&self, what: &'static str) {
            if std::thread::current().name() == Some("hooked") {
                self.0.lock().unwrap().push(what);
            }
        }
    }

    impl ThreadHooks for Noted {
        fn start(&self) {
            self.note("start");
        }
        fn stop(&self) {
            self.note("stop");
            panic!("is caught");
        }
    }

    #[test]
    fn hooks_run_at_both_ends_of_a_thread_also_if_it_panics() {
        let noted = Arc::new(Noted::default());
        set_hooks(Some(Arc::<Noted>::clone(&noted)));
        let within = Arc::clone(&noted);
        let thread = spawn("hooked", 64 << 10, move || within.note("body"));
        thread.unwrap().join().unwrap();
        let other = spawn("hooked", 64 << 10, || panic!("as it is to"));
        assert!(other.unwrap().join().is_err());
        set_hooks(None);
        spawn("hooked", 64 << 10, || {}).unwrap().join().unwrap();
        let noted = noted.0.lock().unwrap();
        assert_eq!(*noted, ["start", "body", "stop", "start", "stop"]);
    }
}
