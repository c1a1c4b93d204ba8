//! What can go wrong, said to the user: which entity, which policy, both values, what to do.
use dunlin_cdr::Topic as TopicData;
use dunlin_qos::{Duration, ImmutablePolicy, InvalidQos};
use dunlin_wire::Guid;
use std::fmt;

/// Why an operation did not succeed.
///
/// `Debug` says the same as `Display`: it is what a `fn main() -> dunlin::Result<()>` and `unwrap`
/// print, and some errors have several lines, with marks under the part of a text that is wrong.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Waited as long as allowed (DDS `RETCODE_TIMEOUT`).
    #[error("{entity}: timed out after {waited}: {why}")]
    Timeout {
        /// Which entity.
        entity: String,
        /// How long it waited.
        waited: Duration,
        /// What was missing and what to do.
        why: String,
    },
    /// A resource limit is reached and waiting would not help (`RETCODE_OUT_OF_RESOURCES`).
    #[error("{entity}: a limit is reached: {limit}")]
    OutOfResources {
        /// Which entity.
        entity: String,
        /// Which limit, its value, and what to do.
        limit: String,
    },
    /// The sample is longer than any matched reader takes (`RETCODE_OUT_OF_RESOURCES`). Nothing was
    /// written.
    #[error(
        "{entity}: the sample has {length} bytes, and no matched reader takes so many: reader {reader} takes at most {limit}; raise \
         ParticipantConfig::max_sample_size of its participant (DUNLIN_MAX_SAMPLE_SIZE), or write smaller samples"
    )]
    SampleTooLarge {
        /// Which writer.
        entity: String,
        /// Bytes of the sample.
        length: usize,
        /// The reader that takes most.
        reader: Guid,
        /// The most bytes that it takes.
        limit: u32,
    },
    /// Policies that contradict each other (`RETCODE_INCONSISTENT_POLICY`).
    #[error("{entity}: {error}")]
    InconsistentPolicy {
        /// Which entity.
        entity: String,
        /// Which policies, and both values.
        error: InvalidQos,
    },
    /// A policy that cannot be changed while the entity lives (`RETCODE_IMMUTABLE_POLICY`).
    #[error("{entity}: {error}")]
    ImmutablePolicy {
        /// Which entity.
        entity: String,
        /// Which policy, and both values.
        error: ImmutablePolicy,
    },
    /// The entity has not been enabled (`RETCODE_NOT_ENABLED`).
    #[error("{entity} is not enabled: call `enable`, or let ENTITY_FACTORY enable what is created")]
    NotEnabled {
        /// Which entity.
        entity: String,
    },
    /// The entity has been deleted while handles of it remain (`RETCODE_ALREADY_DELETED`).
    #[error("{entity} has been deleted: create another one")]
    AlreadyDeleted {
        /// Which entity.
        entity: String,
    },
    /// A thread of the participant has ended against all rules, and so the participant has left the
    /// domain (`RETCODE_ERROR`).
    #[error("{entity}: its participant has ended: {why}; make another participant")]
    ParticipantFailed {
        /// Which entity.
        entity: String,
        /// What ended it.
        why: String,
    },
    /// An argument makes no sense (`RETCODE_BAD_PARAMETER`).
    #[error("{0}")]
    BadParameter(String),
    /// A topic of that name exists with another type or QoS (`RETCODE_PRECONDITION_NOT_MET`).
    #[error("{0}")]
    PreconditionNotMet(String),
    /// A sample could not be serialized.
    #[error("{entity}: {member} cannot be serialized: {error}")]
    Serialization {
        /// Which entity.
        entity: String,
        /// Which member of the sample, with its type: `member points[3].name (string<10>)`.
        member: String,
        /// Why.
        error: dunlin_cdr::Error,
    },
    /// A received sample is not of the reader's type.
    #[error("{entity}: a sample cannot be read: {error}")]
    Deserialization {
        /// Which entity.
        entity: String,
        /// Why.
        error: dunlin_cdr::Error,
    },
    /// The writer's process has used the memory of a sample again, against the rules: what was read
    /// of it is not the sample.
    #[error("{entity}: the writer has withdrawn a sample that was being read")]
    Withdrawn {
        /// Which entity.
        entity: String,
    },
    /// The operating system refused something.
    #[error("{what}: {error}")]
    Io {
        /// What was tried.
        what: String,
        /// What the system said.
        error: std::io::Error,
    },
}

impl Error {
    /// A sample, of which only the key is wanted or everything, cannot be serialized.
    #[cold]
    pub(crate) fn serialization<T: TopicData>(
        entity: String,
        sample: &T,
        keys_only: bool,
        error: dunlin_cdr::Error,
    ) -> Self {
        let found = dunlin_cdr::faulty_member(sample, keys_only);
        Self::Serialization {
            entity,
            member: found.map_or_else(|| "the sample".into(), |member| format!("member {member}")),
            error,
        }
    }

    /// As [`serialization`](Self::serialization), of what a part knew that knows no types.
    #[cold]
    pub(crate) fn of_sample<T: TopicData>(self, sample: &T, keys_only: bool) -> Self {
        match self {
            Self::Serialization { entity, error, .. } => {
                Self::serialization(entity, sample, keys_only, error)
            }
            other => other,
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Policies have to agree with each other.
pub(crate) fn consistent(entity: &str, valid: std::result::Result<(), InvalidQos>) -> Result<()> {
    valid.map_err(|error| Error::InconsistentPolicy {
        entity: entity.into(),
        error,
    })
}

/// A kind of entity, and the name of this one if it has one.
pub(crate) fn called(kind: &str, name: &str) -> String {
    match name {
        "" => kind.to_owned(),
        name => format!("{kind} {name:?}"),
    }
}

/// Result of Dunlin's operations.
pub type Result<T> = std::result::Result<T, Error>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_main_prints_has_lines_and_no_escapes() {
        let peer: std::result::Result<crate::PeerDescriptor, _> = "x@h".parse();
        let error = Error::BadParameter(peer.unwrap_err().to_string());
        let text = format!("{error:?}");
        assert_eq!(text, error.to_string());
        assert!(text.lines().count() > 2 && !text.contains("\\n"), "{text}");
    }
}
