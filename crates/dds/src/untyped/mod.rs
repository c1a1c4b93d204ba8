//! Writers and readers of bytes: all behaviour. Every type and every language goes through them.
pub(crate) mod coherent_set;
pub(crate) mod content_filter;
pub(crate) mod reader;
pub(crate) mod type_support;
pub(crate) mod writer;

pub use type_support::TypeSupport;
