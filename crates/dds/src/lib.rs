//! dds
