//! Which instance of a topic.
use core::fmt;

/// An instance's key hash (RTPS 2.5 9.6.4.8), by which DDS names it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct InstanceHandle(pub [u8; 16]);

impl InstanceHandle {
    /// All zero: the one instance of a topic without keys.
    pub const NIL: Self = Self([0; 16]);
}

impl fmt::Debug for InstanceHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}
