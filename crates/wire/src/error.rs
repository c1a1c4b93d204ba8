//! What can be wrong with received bytes.

/// Why bytes were refused; `offset` counts from the start of the message or payload that was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The bytes end within the named thing.
    #[error("{what} is cut short at byte {offset}")]
    Truncated {
        /// What was being read.
        what: &'static str,
        /// Where the missing bytes would begin.
        offset: usize,
    },
    /// The named thing breaks a rule of the standard.
    #[error("invalid {what} at byte {offset}")]
    Invalid {
        /// What is wrong.
        what: &'static str,
        /// Where it ends.
        offset: usize,
    },
    /// A value without a default is absent.
    #[error("{what} is missing")]
    Missing {
        /// What should be there.
        what: &'static str,
    },
    /// A parameter that only its author knows says that it must not be skipped (RTPS 2.5
    /// 9.6.2.2.1).
    #[error("parameter {id:#06x} must be understood, but is not known")]
    MustUnderstand {
        /// The parameter's id with all its bits.
        id: u16,
    },
    /// More than Dunlin takes.
    #[error("{what} exceeds the limit of {limit}")]
    Limit {
        /// What is too long.
        what: &'static str,
        /// The most that is taken, in bytes or elements.
        limit: usize,
    },
}
