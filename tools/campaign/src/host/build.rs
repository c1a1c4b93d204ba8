//! How the program itself was built, which figures depend on as much as on the machine.

use super::advice::Finding;

/// What the compiler was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Build {
    /// To be debugged.
    Debug,
    /// To be fast.
    Release,
    /// By a profile of the program itself (`scripts/tune.sh`, which sets the variable).
    Tuned,
}

impl Build {
    /// Of this program.
    pub(super) const THIS: Self = match (cfg!(debug_assertions), option_env!("DUNLIN_TUNED")) {
        (true, _) => Self::Debug,
        (false, None) => Self::Release,
        (false, Some(_)) => Self::Tuned,
    };

    /// The version of this program and how it was built, for `--version`.
    pub(super) const VERSION: &'static str = match Self::THIS {
        Self::Debug => concat!(env!("CARGO_PKG_VERSION"), ", debug build"),
        Self::Release => concat!(env!("CARGO_PKG_VERSION"), ", release build"),
        Self::Tuned => concat!(
            env!("CARGO_PKG_VERSION"),
            ", release build, optimized by a profile of its own"
        ),
    };

    /// As a report tells it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Release => "release",
            Self::Tuned => "release, optimized by a profile of its own",
        }
    }

    /// Would another one be faster?
    pub(super) fn finding(self) -> Option<Finding> {
        let (what, effect, weight) = match self {
            Self::Debug => ("a debug build", "10 times the latency, and more", 1_000.0),
            Self::Release => (
                "a release build without a profile",
                "0.2 to 0.6 us for each sample, seen on one machine",
                0.4,
            ),
            Self::Tuned => return None,
        };
        Some(Finding {
            what: format!("perftest is {what}"),
            effect: effect.into(),
            why: "What runs for each sample lies between what never runs, and does not fit into the first-level instruction cache.",
            command: "make tuned builds one with a profile; docs/tuning.md tells how to build your own program so".into(),
            weight,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_a_debug_build_and_told_so() {
        assert_eq!(Build::THIS.name(), "debug");
        assert!(Build::THIS.finding().unwrap().line().contains("make tuned"));
        assert_eq!(Build::Tuned.finding(), None);
    }
}
