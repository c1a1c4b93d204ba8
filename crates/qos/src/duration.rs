//! A span of time as DDS policies state it.

/// Nanoseconds, or infinite (DDS 1.4 2.3.3 `Duration_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Duration(i64);

impl Duration {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// For ever; greater than any other duration.
    pub const INFINITE: Self = Self(i64::MAX);

    /// `nanos` nanoseconds; negative values count as zero.
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(if nanos < 0 { 0 } else { nanos })
    }

    /// `millis` milliseconds.
    pub const fn from_millis(millis: u32) -> Self {
        Self(millis as i64 * 1_000_000)
    }

    /// `secs` seconds.
    pub const fn from_secs(secs: u32) -> Self {
        Self(secs as i64 * 1_000_000_000)
    }

    /// Nanoseconds; `i64::MAX` for an infinite duration.
    pub const fn as_nanos(self) -> i64 {
        self.0
    }

    /// True for `INFINITE`.
    pub const fn is_infinite(self) -> bool {
        self.0 == i64::MAX
    }
}

impl core::fmt::Display for Duration {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.0 {
            i64::MAX => f.write_str("infinite"),
            n if n % 1_000_000_000 == 0 => write!(f, "{} s", n / 1_000_000_000),
            n if n % 1_000_000 == 0 => write!(f, "{} ms", n / 1_000_000),
            n => write!(f, "{n} ns"),
        }
    }
}
