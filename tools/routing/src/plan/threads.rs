//! How a service uses threads: how they wait, how many there are, and on which processors.
use dunlin::WaitStrategy;

/// How receivers wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// Each by itself.
    Each(WaitStrategy),
    /// One thread looks at all participants of the service and never sleeps.
    Shared,
}

impl Waiting {
    /// Reads `shared` or what [`WaitStrategy::parse`] does.
    ///
    /// # Errors
    /// What would be allowed.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "shared" => Ok(Self::Shared),
            _ => WaitStrategy::parse(text)
                .map(Self::Each)
                .map_err(|error| format!("{error}; services also allow shared")),
        }
    }

    /// As `text` is read.
    pub fn text(self) -> String {
        match self {
            Self::Shared => "shared".to_owned(),
            Self::Each(WaitStrategy::Block) => "block".to_owned(),
            Self::Each(WaitStrategy::Spin) => "spin".to_owned(),
            Self::Each(WaitStrategy::SpinThenBlock(time)) => {
                format!("spin-then-block:{}", time.as_micros())
            }
        }
    }

    /// What is done with so many processors: threads that spin need one each, beside those that
    /// they wait for.
    #[must_use]
    pub fn with_processors(self, processors: usize) -> Self {
        match self {
            Self::Each(WaitStrategy::Spin) if processors <= 2 => Self::Shared,
            other => other,
        }
    }
}

/// Threads of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadPool {
    /// How many; 1 means that whoever receives forwards.
    pub size: usize,
    /// Processors that they may run on; empty means all.
    pub processors: Vec<usize>,
}

impl Default for ThreadPool {
    fn default() -> Self {
        Self {
            size: 1,
            processors: Vec::new(),
        }
    }
}
