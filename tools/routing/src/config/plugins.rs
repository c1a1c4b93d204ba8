//! What is compiled in, by name.

/// Processors.
pub(crate) const PROCESSORS: [&str; 8] = [
    "forward", "merge", "split", "filter", "rate", "sample", "delay", "last",
];

/// Transformations.
pub(crate) const TRANSFORMATIONS: [&str; 1] = ["map"];

/// Adapters.
pub(crate) const ADAPTERS: [&str; 0] = [];
