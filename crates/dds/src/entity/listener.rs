//! How listeners are kept and called, whichever they are.
pub(crate) mod dispatch;
pub(crate) mod slot;
