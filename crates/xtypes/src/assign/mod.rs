//! Assignability: whether a reader of one type can take samples of another (DDS-XTypes 1.3 7.2.4).
//!
//! The rules are those of the standard, and where it leaves something open, those that the tests of
//! the OMG settle. All work is bounded, whatever the types are: they may come from a peer. What
//! products describe differently but mean alike is made equal where TypeObjects become types.

mod bits;
mod collection;
mod difference;
mod judge;
mod place;
mod same;
mod structure;
mod union;

pub use difference::Difference;

use crate::DynamicType;
use judge::Judge;

/// What the reader's TYPE_CONSISTENCY_ENFORCEMENT asks (DDS-XTypes 1.3 7.6.3.4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Whether types may differ at all.
    pub allow_coercion: bool,
    /// Whether a sequence or map of the writer may be longer than the reader's bound.
    pub ignore_sequence_bounds: bool,
    /// Whether a string of the writer may be longer than the reader's bound.
    pub ignore_string_bounds: bool,
    /// Whether members of equal id may have different names.
    pub ignore_member_names: bool,
    /// Whether the writer must have each member of the reader that is not optional.
    pub prevent_type_widening: bool,
}

/// The encoding of the samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// XCDR1: appendable types have no length.
    Xcdr1,
    /// XCDR2.
    Xcdr2,
}

/// How two types fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Minimal TypeObjects say the same of them, aliases resolved: they differ at most in names of
    /// types and in annotations that no byte depends on.
    Same,
    /// They differ, and the reader can take the samples.
    Assignable,
}

/// Whether a reader of one type can take the samples of a writer of another (DDS-XTypes 1.3
/// 7.2.4).
///
/// Types that contain themselves are compared too. Types are refused as too large where more than
/// 65,536 pairs of types, members, cases, literals and flags would have to be looked at.
///
/// # Errors
/// The first [`Difference`] that forbids it.
pub fn assignable(
    reader: &DynamicType,
    writer: &DynamicType,
    rules: &Rules,
    encoding: Encoding,
) -> Result<Verdict, Difference> {
    Judge::new(reader, writer, rules, encoding).verdict()
}
