//! How much a filter may be: others send them to us, and each sample is measured by them.

/// Bytes of an expression.
pub const EXPRESSION: usize = 4096;
/// Parameters, `%0` to `%99` (DDS 1.4 annex B).
pub const PARAMETERS: usize = 100;
/// Bytes of a parameter.
pub const PARAMETER: usize = 1024;
/// Comparisons, BETWEENs and LIKEs of an expression.
pub const PREDICATES: usize = 128;
/// Parentheses and NOTs within each other.
pub const DEPTH: usize = 32;
/// Different members that an expression names.
pub const MEMBERS: usize = 32;
/// Dots and indexes of one member's name.
pub const PATH: usize = 16;
/// Bytes of a LIKE's pattern.
pub const PATTERN: usize = 256;
