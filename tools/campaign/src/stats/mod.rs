//! What the runs of a cell say together, and how sure that is.
//!
//! The run is the unit: samples within a run share its warm caches and its neighbours on the
//! machine, so confidence comes from the repetitions alone ([`Estimate`], [`rank_test`]).
//! Percentiles are those of all samples of all repetitions ([`Distribution`]). Chance is drawn from
//! fixed seeds: the same directory gives the same report.

mod bootstrap;
mod chance;
mod distribution;
mod hlog;
mod rank;

pub use bootstrap::{CONFIDENCE, Estimate, median};
pub use distribution::{Distribution, Percentile, is_certain};
pub use hlog::{HlogError, read as read_hlog, write as write_hlog};
pub use rank::{adjusted, rank_test, smallest_p};
