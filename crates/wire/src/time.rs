//! Wall-clock time as RTPS writes it (RTPS 2.5 9.3.2.1).

/// Nanoseconds since 1970-01-01 00:00 UTC; on the wire 32 bits of seconds and 32 bits of 2^-32 s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(pub i64);
