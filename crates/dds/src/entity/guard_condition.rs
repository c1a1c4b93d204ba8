//! Conditions that the application itself sets (DDS 1.4 2.2.2.1.8).
use crate::entity::identity::same_entity;
use crate::runtime::signal::Waiters;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

/// A condition that the application itself sets.
#[derive(Clone, Default)]
pub struct GuardCondition {
    inner: Arc<Guard>,
}

same_entity!(GuardCondition, inner, |_| "guard condition".into());

#[derive(Default)]
struct Guard {
    value: AtomicBool,
    waiters: Waiters,
}

impl GuardCondition {
    /// A condition that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets or resets it; setting wakes the wait sets it is attached to. Costs a few nanoseconds if
    /// nobody sleeps.
    pub fn set_trigger_value(&self, value: bool) {
        self.inner.value.store(value, SeqCst);
        if value {
            self.inner.waiters.raise_all();
        }
    }

    /// Is it set?
    pub fn trigger_value(&self) -> bool {
        self.inner.value.load(SeqCst)
    }

    pub(crate) fn waiters(&self) -> &Waiters {
        &self.inner.waiters
    }
}
