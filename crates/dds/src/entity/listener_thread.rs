//! Which thread calls listeners for data from writers of the same process.
use crate::error::{Error, Result};
use crate::runtime::environment::variable;

/// Which thread calls listeners for data that a writer of the same process has written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListenerThread {
    /// The one that writes, before `write` returns: the fastest way. A slow listener makes `write`
    /// slow, and a lock that is held around `write` must not be taken in a listener.
    #[default]
    Writing,
    /// One that receives, some 30 us later: `write` has nothing to do with listeners, as if all
    /// readers were in other processes. Only a `write` that has to wait for room receives
    /// meanwhile, as all do who wait, and so may call listeners.
    Receiving,
}

impl ListenerThread {
    /// The environment variable that overrides the configuration: `writing` or `receiving`.
    pub const VARIABLE: &'static str = "DUNLIN_LISTENERS";

    /// This one, unless the environment says otherwise.
    pub(crate) fn with_environment(self) -> Result<Self> {
        match variable(Self::VARIABLE)?.as_deref().map(str::trim) {
            None => Ok(self),
            Some("writing") => Ok(Self::Writing),
            Some("receiving") => Ok(Self::Receiving),
            Some(other) => Err(Error::BadParameter(format!(
                "environment variable {}: {other:?} is neither writing nor receiving, the thread \
                 that calls listeners for data from writers of the same process",
                Self::VARIABLE
            ))),
        }
    }
}
