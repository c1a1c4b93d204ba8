//! What is compiled in, by name.

use crate::processor::BUILT_IN;

/// Processors.
pub(crate) fn processors() -> Vec<&'static str> {
    BUILT_IN.iter().map(|processor| processor.class).collect()
}
