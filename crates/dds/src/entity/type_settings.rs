//! What a participant tells others of its types, and what it asks of theirs.
use crate::error::{Error, Result};
use crate::runtime::environment::variable;
use dunlin_qos::Duration;

/// What a participant tells others of its types, and what it asks of theirs (DDS-XTypes 1.3 7.6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeSettings {
    /// To whom its endpoints announce their types.
    pub announce: TypeAnnouncement,
    /// Types of others that are needed for matching are asked for by the TypeLookup service, and
    /// others get the participant's own. Without announcements there is nothing to ask for.
    pub lookup: bool,
    /// How long a match waits for the type of the other side; then names decide, or there is none
    /// if the reader has `force_type_validation`.
    pub timeout: Duration,
}

/// To whom endpoints announce their types: the identifiers of the minimal and of the complete
/// TypeObject, and of those that they refer to. Where both sides announce, types decide about a
/// match, not their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TypeAnnouncement {
    /// To everybody, in PID_TYPE_INFORMATION. Other products refuse types then that they describe
    /// otherwise, even where names and bytes are the same.
    All,
    /// To Dunlin's participants, in a parameter that others skip.
    Dunlin,
    /// To nobody: names decide about matches.
    None,
}

impl Default for TypeSettings {
    fn default() -> Self {
        Self {
            announce: TypeAnnouncement::Dunlin,
            lookup: true,
            timeout: Duration::from_secs(5),
        }
    }
}

impl TypeSettings {
    /// The environment variable that overrides the configuration: `all` and `dunlin` announce to
    /// these and ask, `off` announces nothing and asks nothing.
    pub const VARIABLE: &'static str = "DUNLIN_TYPES";

    /// The participant asks and answers.
    pub(crate) fn asks(&self) -> bool {
        self.lookup && self.announce != TypeAnnouncement::None
    }

    /// These settings with what the environment says laid over them.
    pub(crate) fn with_environment(self) -> Result<Self> {
        let (announce, lookup) = match variable(Self::VARIABLE)?.as_deref().map(str::trim) {
            None => return Ok(self),
            Some("all") => (TypeAnnouncement::All, true),
            Some("dunlin") => (TypeAnnouncement::Dunlin, true),
            Some("off") => (TypeAnnouncement::None, false),
            Some(other) => {
                return Err(Error::BadParameter(format!(
                    "environment variable {}: {other:?} is none of all, dunlin and off: all announces types to everybody, dunlin to Dunlin's participants, off leaves matching to their names",
                    Self::VARIABLE
                )));
            }
        };
        Ok(Self {
            announce,
            lookup,
            ..self
        })
    }
}
