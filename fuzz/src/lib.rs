//! What each fuzz target does with its bytes: plain functions, so that the corpora can be replayed without a fuzzer.
mod cdr;
mod discovery;
mod wire;

pub use cdr::cdr;
pub use discovery::discovery;
pub use wire::{datagram, discovery_data, parameter_list};

/// Panics if a promise about these bytes is broken.
pub type Target = fn(&[u8]);

/// All targets by name, which is also the name of their corpus.
pub const TARGETS: &[(&str, Target)] = &[
    ("cdr", cdr),
    ("datagram", datagram),
    ("discovery", discovery),
    ("parameter_list", parameter_list),
    ("discovery_data", discovery_data),
];
