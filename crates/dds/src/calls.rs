//! Calls of a listener for data: by whichever thread receives, one at a time.
use crate::lock::{LEAF, Ranked};
use std::sync::Arc;

/// Whose turn it is to call the listener.
pub(crate) struct Calls<L: ?Sized>(Ranked<Desk<L>, LEAF>);

struct Desk<L: ?Sized> {
    /// It is away while it is called: taken and brought back, it need not be counted.
    listener: Option<Arc<L>>,
    /// How often it was replaced: one that was meanwhile is not brought back.
    replaced: u64,
    calling: bool,
    /// Another call is due.
    again: bool,
}

impl<L: ?Sized> Default for Calls<L> {
    fn default() -> Self {
        Self(Ranked::new(Desk {
            listener: None,
            replaced: 0,
            calling: false,
            again: false,
        }))
    }
}

impl<L: ?Sized> Calls<L> {
    /// From now on this one is called; the old one is given back, for what it owns may be an entity, unless it is away.
    #[must_use]
    pub(crate) fn replace(&self, listener: Option<Arc<L>>) -> Option<Arc<L>> {
        let mut desk = self.0.lock();
        desk.replaced += 1;
        std::mem::replace(&mut desk.listener, listener)
    }

    #[cfg(test)]
    fn call(&self, call: impl Fn(&L)) {
        self.call_up_to(u32::MAX, call);
    }

    /// As often as need be, but not more often than `most`; false if another call is due then. Calls the listener, if there is
    /// one, without any lock. If another thread is in it, or this one further up its stack, that call is followed by another
    /// instead.
    pub(crate) fn call_up_to(&self, most: u32, call: impl Fn(&L)) -> bool {
        for _ in 0..most {
            let Some((listener, replaced)) = self.begin() else {
                return true;
            };
            call(&listener);
            if !self.end(listener, replaced) {
                return true;
            }
        }
        false
    }

    fn begin(&self) -> Option<(Arc<L>, u64)> {
        let mut desk = self.0.lock();
        if desk.calling {
            desk.again = true;
            return None;
        }
        let listener = desk.listener.take()?;
        desk.calling = true;
        Some((listener, desk.replaced))
    }

    /// True if another call is due.
    fn end(&self, listener: Arc<L>, replaced: u64) -> bool {
        let mut desk = self.0.lock();
        desk.calling = false;
        let again = std::mem::take(&mut desk.again);
        if desk.replaced == replaced {
            desk.listener = Some(listener);
        } else {
            // Its end may run code of the application.
            drop(desk);
            drop(listener);
        }
        again
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn a_call_within_a_call_follows_it() {
        let calls = Calls::<Mutex<u32>>::default();
        calls.call(|_| unreachable!("there is no listener"));
        assert!(calls.replace(Some(Arc::default())).is_none());
        for _ in 0..2 {
            calls.call(|count| {
                let count = {
                    let mut count = count.lock().unwrap();
                    *count += 1;
                    *count
                };
                if count % 3 != 0 {
                    calls.call(|_| unreachable!("calls overlap"));
                }
            });
        }
        let listener = calls.replace(None).unwrap();
        assert_eq!(*listener.lock().unwrap(), 6);
    }

    #[test]
    fn who_has_something_else_to_do_calls_not_for_ever() {
        let calls = Calls::<()>::default();
        assert!(calls.replace(Some(Arc::new(()))).is_none());
        let again = |()| calls.call(|()| unreachable!("calls overlap"));
        assert!(!calls.call_up_to(3, |&l| again(l)));
        assert!(calls.call_up_to(3, |()| {}));
    }

    #[test]
    fn a_listener_that_is_replaced_in_its_call_goes_with_it() {
        let calls = Calls::<str>::default();
        let old = Arc::from("old");
        let known = Arc::downgrade(&old);
        assert!(calls.replace(Some(old)).is_none());
        let seen = Mutex::new(Vec::new());
        calls.call(|name| {
            seen.lock().unwrap().push(name.to_owned());
            if name == "old" {
                assert!(calls.replace(Some(Arc::from("new"))).is_none());
                calls.call(|_| unreachable!("calls overlap"));
                assert!(known.upgrade().is_some());
            }
        });
        assert!(known.upgrade().is_none());
        assert_eq!(*seen.lock().unwrap(), ["old", "new"]);
    }
}
