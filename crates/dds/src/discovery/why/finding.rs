//! A cause with its cure.
use dunlin_qos::PolicyId;
use dunlin_wire::Guid;
use std::fmt;

/// What keeps samples from arriving.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// Nobody is there.
    Nobody,
    /// Multicast does not work here.
    Multicast,
    /// A participant announces itself and does not answer.
    Unanswering,
    /// One participant has not heard of another one.
    Unheard,
    /// None of the addresses that an endpoint announces can be reached.
    Unreachable,
    /// A participant is ignored by the application.
    Ignored,
    /// The topic is in another domain.
    OtherDomain,
    /// There is no such topic, or no endpoint on one side of it.
    Topic,
    /// The types differ.
    Type,
    /// A policy does not fit, or does what it is for.
    Policy(PolicyId),
    /// A content filter lets nothing through.
    ContentFilter,
    /// A reliable reader has not acknowledged what was written.
    Behind,
    /// A listener for data takes long.
    SlowListener,
    /// Nothing was written.
    NothingWritten,
    /// Samples were lost.
    Lost,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nobody => "nobody",
            Self::Multicast => "multicast",
            Self::Unanswering => "no answer",
            Self::Unheard => "not heard",
            Self::Unreachable => "not reachable",
            Self::Ignored => "ignored",
            Self::OtherDomain => "domain",
            Self::Topic => "topic",
            Self::Type => "type",
            Self::Policy(policy) => policy.name(),
            Self::ContentFilter => "content filter",
            Self::Behind => "behind",
            Self::SlowListener => "slow listener",
            Self::NothingWritten => "nothing written",
            Self::Lost => "lost",
        })
    }
}

/// One thing that keeps samples from arriving. `Display` says it in a line: cause, what was seen,
/// what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What sort of thing.
    pub cause: Cause,
    /// What was seen, with both values where two do not fit.
    pub what: String,
    /// What helps.
    pub cure: String,
    /// The endpoints that it concerns: of those that are alike, the first.
    pub endpoints: Vec<Guid>,
    /// How many there are that are alike, this one included; pairs, where it is about a pair.
    pub alike: usize,
}

impl Finding {
    pub(super) fn new(
        cause: Cause,
        endpoints: impl Into<Vec<Guid>>,
        what: impl Into<String>,
        cure: impl Into<String>,
    ) -> Self {
        Self {
            cause,
            what: what.into(),
            cure: cure.into(),
            endpoints: endpoints.into(),
            alike: 1,
        }
    }

    /// The same holds for so many, this one included.
    pub(super) fn alike(self, alike: usize) -> Self {
        Self { alike, ..self }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = if self.what.ends_with('?') { "" } else { "." };
        let others = match self.alike {
            0 | 1 => String::new(),
            2 => "; 1 other pair is like it".to_owned(),
            alike => format!("; {} other pairs are like it", alike - 1),
        };
        write!(
            f,
            "{}: {}{others}{end} {}.",
            self.cause, self.what, self.cure
        )
    }
}
