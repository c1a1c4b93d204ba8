//! Placeholder
pub(crate) const MAX_DATA_LEN: usize = 32 << 20;
