//! Writers and readers of a Rust type: they serialize and call the untyped ones.
#[cfg(feature = "async")]
pub(crate) mod futures;
pub(crate) mod loan;
pub(crate) mod query_condition;
pub(crate) mod topic;
mod type_support;
pub(crate) mod view;
