//! How a receiver waits: the largest single lever on latency.
use std::time::Duration;

/// Spin, sleep, or first one and then the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// Sleep in the kernel: no idle CPU use, tens of microseconds to wake on virtual machines.
    Block,
    /// Poll for this long after the last arrival, then sleep.
    SpinThenBlock(Duration),
    /// Poll for ever: one CPU is always busy.
    Spin,
}

impl Default for Waiting {
    fn default() -> Self {
        Self::SpinThenBlock(Duration::from_micros(50))
    }
}

impl Waiting {
    /// The environment variable that overrides the configuration.
    pub const VARIABLE: &'static str = "DUNLIN_WAITING";

    /// Reads `block`, `spin` or `spin-then-block[:MICROSECONDS]`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let expected = || {
            format!(
                "{text:?} is not a waiting strategy; allowed are block, spin, spin-then-block and spin-then-block:MICROSECONDS"
            )
        };
        match text.split_once(':') {
            None if text == "block" => Ok(Self::Block),
            None if text == "spin" => Ok(Self::Spin),
            None if text == "spin-then-block" => Ok(Self::default()),
            Some(("spin-then-block", micros)) => micros
                .parse()
                .map(|m| Self::SpinThenBlock(Duration::from_micros(m)))
                .map_err(|_| expected()),
            _ => Err(expected()),
        }
    }
}

impl std::fmt::Display for Waiting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Block => f.write_str("block"),
            Self::Spin => f.write_str("spin"),
            Self::SpinThenBlock(d) => write!(f, "spin {} us then block", d.as_micros()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_each_strategy() {
        assert_eq!(Waiting::parse("block"), Ok(Waiting::Block));
        assert_eq!(Waiting::parse("spin"), Ok(Waiting::Spin));
        assert_eq!(Waiting::parse("spin-then-block"), Ok(Waiting::default()));
        let ten = Waiting::SpinThenBlock(Duration::from_micros(10));
        assert_eq!(Waiting::parse("spin-then-block:10"), Ok(ten));
        assert!(Waiting::parse("sleep").unwrap_err().contains("allowed are"));
    }
}
