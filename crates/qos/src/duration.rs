//! A span of time as DDS policies state it.

/// Nanoseconds, or infinite (DDS 1.4 2.3.3 `Duration_t`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
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

/// The same words as `Display`: whoever prints a QoS wants to read `infinite`, not a number.
impl core::fmt::Debug for Duration {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        core::fmt::Display::fmt(self, f)
    }
}

/// What is more than 292 years counts as infinite.
impl From<core::time::Duration> for Duration {
    fn from(time: core::time::Duration) -> Self {
        i64::try_from(time.as_nanos()).map_or(Self::INFINITE, Self)
    }
}

/// The standard library has no duration without end.
impl TryFrom<Duration> for core::time::Duration {
    type Error = InfiniteDuration;

    fn try_from(duration: Duration) -> Result<Self, InfiniteDuration> {
        match u64::try_from(duration.0) {
            Ok(nanos) if !duration.is_infinite() => Ok(Self::from_nanos(nanos)),
            _ => Err(InfiniteDuration),
        }
    }
}

/// An infinite duration has no counterpart in the standard library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InfiniteDuration;

impl core::fmt::Display for InfiniteDuration {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(
            "an infinite duration has no counterpart in the standard library: ask `is_infinite` first",
        )
    }
}

impl core::error::Error for InfiniteDuration {}

impl core::fmt::Display for Duration {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.0 {
            i64::MAX => f.write_str("infinite"),
            n if n % 1_000_000_000 == 0 => write!(f, "{} s", n / 1_000_000_000),
            n if n % 1_000_000 == 0 => write!(f, "{} ms", n / 1_000_000),
            n if n % 1_000 == 0 => write!(f, "{} us", n / 1_000),
            n => write!(f, "{n} ns"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use core::time::Duration as Span;

    #[test]
    fn durations_are_shown_in_words() {
        let shown = [
            Duration::INFINITE,
            Duration::ZERO,
            Duration::from_secs(10),
            Duration::from_millis(1_500),
            Duration::from_nanos(20_000),
            Duration::from_nanos(7),
        ]
        .map(|duration| (format!("{duration}"), format!("{duration:?}")));
        let expected = ["infinite", "0 s", "10 s", "1500 ms", "20 us", "7 ns"];
        assert_eq!(shown, expected.map(|words| (words.into(), words.into())));
    }

    #[test]
    fn durations_of_the_standard_library_are_taken_and_given() {
        assert_eq!(
            Duration::from(Span::from_millis(5)),
            Duration::from_millis(5)
        );
        assert_eq!(Duration::from(Span::MAX), Duration::INFINITE);
        assert_eq!(
            Span::try_from(Duration::from_secs(3)),
            Ok(Span::from_secs(3))
        );
        assert_eq!(Span::try_from(Duration::INFINITE), Err(InfiniteDuration));
    }
}
