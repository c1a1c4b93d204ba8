//! Which samples pass: said by whoever knows the type.
use alloc::sync::Arc;
use core::fmt;

type Passes = dyn Fn(&[u8]) -> bool + Send + Sync;

/// A content filter over serialized samples, encapsulation header included.
#[derive(Clone)]
pub struct ContentFilter(Arc<Passes>);

impl ContentFilter {
    /// By this function.
    pub fn new(passes: impl Fn(&[u8]) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(passes))
    }

    /// Does this sample pass?
    #[inline]
    pub fn passes(&self, sample: &[u8]) -> bool {
        (self.0)(sample)
    }
}

impl fmt::Debug for ContentFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ContentFilter")
    }
}
