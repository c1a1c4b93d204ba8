//! Which samples pass: said by whoever knows the type.
use crate::Payload;
use alloc::sync::Arc;
use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

type Judge = dyn Fn(&[u8], &mut usize) -> Option<bool> + Send + Sync;

/// A content filter over serialized samples, encapsulation header included. Clones are the same.
#[derive(Clone)]
pub struct ContentFilter(Arc<Inner<Judge>>);

struct Inner<J: ?Sized> {
    given_up: AtomicBool,
    judge: J,
}

impl ContentFilter {
    /// By this function, of which nobody asks how much it does.
    pub fn new(passes: impl Fn(&[u8]) -> bool + Send + Sync + 'static) -> Self {
        Self::counting(move |sample, _| Some(passes(sample)))
    }

    /// By this function, which takes off the steps that it needs, and says nothing if they do not
    /// suffice; then it leaves none.
    pub fn counting(
        judge: impl Fn(&[u8], &mut usize) -> Option<bool> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(Inner {
            given_up: AtomicBool::new(false),
            judge,
        }))
    }

    /// Does this sample pass? However many steps that takes.
    #[inline]
    pub fn passes(&self, sample: &[u8]) -> bool {
        let mut steps = usize::MAX;
        (self.0.judge)(sample, &mut steps).unwrap_or(true)
    }

    /// Does this sample pass? A loaned one is copied for that; one that is withdrawn does not pass.
    // Not inlined: the path of readers without a query should stay short.
    #[inline(never)]
    pub fn passes_payload(&self, sample: &Payload) -> bool {
        match sample {
            Payload::Inline(bytes) => self.passes(bytes),
            Payload::Loaned(loaned) => loaned.to_bytes().is_ok_and(|bytes| self.passes(&bytes)),
        }
    }

    /// Does this sample pass? `None` if so many steps do not say; those that were taken are taken
    /// off. All pass if the filter was given up.
    #[inline]
    pub fn passes_within(&self, sample: &[u8], steps: &mut usize) -> Option<bool> {
        match self.is_given_up() {
            true => Some(true),
            false => (self.0.judge)(sample, steps),
        }
    }

    /// It takes too many steps: from now on whoever counts them lets all samples pass, and the
    /// reader judges them by itself.
    pub fn give_up(&self) {
        self.0.given_up.store(true, Relaxed);
    }

    /// Has it taken too many?
    #[inline]
    pub fn is_given_up(&self) -> bool {
        self.0.given_up.load(Relaxed)
    }
}

impl fmt::Debug for ContentFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ContentFilter")
    }
}
