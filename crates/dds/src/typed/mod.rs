//! Writers and readers of a Rust type: they serialize and call the untyped ones.
pub(crate) mod content_filter;
#[cfg(feature = "async")]
pub(crate) mod futures;
pub(crate) mod handle;
pub(crate) mod loan;
pub(crate) mod participant;
pub(crate) mod reader;
pub(crate) mod topic;
mod type_support;
pub(crate) mod view;
pub(crate) mod writer;
