//! The return codes of the standard (DDS 1.4 2.2.1.1), for those whose language has them.
use crate::error::Error;
use std::fmt;

/// What an operation returns where errors are numbers (DDS 1.4 2.2.1.1, 2.3.3). The numbers are the
/// standard's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum ReturnCode {
    /// The operation succeeded.
    Ok = 0,
    /// Something else than the codes below.
    Error = 1,
    /// Dunlin does not have this operation.
    Unsupported = 2,
    /// An argument makes no sense.
    BadParameter = 3,
    /// The operation is not possible now.
    PreconditionNotMet = 4,
    /// A limit is reached.
    OutOfResources = 5,
    /// The entity has not been enabled.
    NotEnabled = 6,
    /// The policy cannot be changed while the entity lives.
    ImmutablePolicy = 7,
    /// The policies contradict each other.
    InconsistentPolicy = 8,
    /// The entity has been deleted.
    AlreadyDeleted = 9,
    /// It took longer than allowed.
    Timeout = 10,
    /// There is nothing to take or to read.
    NoData = 11,
    /// The operation is not for this kind of entity.
    IllegalOperation = 12,
}

impl ReturnCode {
    /// Its name in the standard.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::Error => "ERROR",
            Self::Unsupported => "UNSUPPORTED",
            Self::BadParameter => "BAD_PARAMETER",
            Self::PreconditionNotMet => "PRECONDITION_NOT_MET",
            Self::OutOfResources => "OUT_OF_RESOURCES",
            Self::NotEnabled => "NOT_ENABLED",
            Self::ImmutablePolicy => "IMMUTABLE_POLICY",
            Self::InconsistentPolicy => "INCONSISTENT_POLICY",
            Self::AlreadyDeleted => "ALREADY_DELETED",
            Self::Timeout => "TIMEOUT",
            Self::NoData => "NO_DATA",
            Self::IllegalOperation => "ILLEGAL_OPERATION",
        }
    }
}

impl fmt::Display for ReturnCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Error {
    /// The return code of the standard that stands for it.
    pub fn return_code(&self) -> ReturnCode {
        match self {
            Self::Timeout { .. } => ReturnCode::Timeout,
            Self::OutOfResources { .. } | Self::SampleTooLarge { .. } => ReturnCode::OutOfResources,
            Self::InconsistentPolicy { .. } => ReturnCode::InconsistentPolicy,
            Self::ImmutablePolicy { .. } => ReturnCode::ImmutablePolicy,
            Self::NotEnabled { .. } => ReturnCode::NotEnabled,
            Self::AlreadyDeleted { .. } => ReturnCode::AlreadyDeleted,
            Self::BadParameter(_) | Self::Serialization { .. } => ReturnCode::BadParameter,
            Self::PreconditionNotMet(_) => ReturnCode::PreconditionNotMet,
            Self::ParticipantFailed { .. }
            | Self::Deserialization { .. }
            | Self::Withdrawn { .. }
            | Self::Io { .. } => ReturnCode::Error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_standard() {
        let all = [
            ReturnCode::Ok,
            ReturnCode::Error,
            ReturnCode::Unsupported,
            ReturnCode::BadParameter,
            ReturnCode::PreconditionNotMet,
            ReturnCode::OutOfResources,
            ReturnCode::NotEnabled,
            ReturnCode::ImmutablePolicy,
            ReturnCode::InconsistentPolicy,
            ReturnCode::AlreadyDeleted,
            ReturnCode::Timeout,
            ReturnCode::NoData,
            ReturnCode::IllegalOperation,
        ];
        for (number, code) in (0..).zip(all) {
            assert_eq!(code as i32, number, "{code}");
        }
    }

    #[test]
    fn an_error_has_the_code_that_its_text_speaks_of() {
        let entity = String::from("writer");
        let gone = Error::AlreadyDeleted { entity };
        assert_eq!(gone.return_code().to_string(), "ALREADY_DELETED");
        let wrong = Error::BadParameter("no name".into());
        assert_eq!(wrong.return_code(), ReturnCode::BadParameter);
    }
}
