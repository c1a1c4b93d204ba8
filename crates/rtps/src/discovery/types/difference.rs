//! How the types of a writer and a reader differ.
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;
use dunlin_qos::TypeConsistencyEnforcement;
use dunlin_wire::Guid;
use dunlin_xtypes::assign::Difference;

/// How the types of two endpoints of one topic name differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeDifference {
    /// Their names, where one of them does not announce what it is.
    Name {
        /// Type name of the writer.
        writer: String,
        /// Type name of the reader.
        reader: String,
    },
    /// One has keys, the other has none.
    Keys {
        /// True if it is the writer's that has keys.
        writer_keyed: bool,
    },
    /// A reader of the one cannot take samples of the other (DDS-XTypes 1.3 7.2.4).
    Members(Difference),
    /// Something else, and the reader wants its own type alone.
    Contents {
        /// What the reader wants.
        wanted: TypeConsistencyEnforcement,
    },
    /// Nobody knows whether they do, and the reader wants to be sure.
    Unknown {
        /// True if it is the writer that says nothing of its type.
        of_writer: bool,
    },
    /// Both are announced and are not the same; what one of them is could not be found out, and the
    /// reader wants to be sure.
    Unavailable {
        /// The endpoint whose type is not known.
        of: Guid,
        /// Why, in words.
        why: String,
    },
}

impl TypeDifference {
    /// The difference as one side reads it: its own type is `here`.
    pub fn seen_by(&self, writer: bool) -> String {
        match (self, writer) {
            (Self::Members(difference), true) => difference.for_writer(),
            (Self::Members(difference), false) => difference.to_string(),
            _ => self.to_string(),
        }
    }
}

impl fmt::Display for TypeDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name { writer, reader } => {
                write!(
                    f,
                    "the writer's type is {writer:?}, the reader's {reader:?}"
                )
            }
            Self::Keys { writer_keyed: true } => {
                f.write_str("the writer's type has keys, the reader's has none")
            }
            Self::Keys {
                writer_keyed: false,
            } => f.write_str("the reader's type has keys, the writer's has none"),
            Self::Members(difference) => f.write_str(&from_outside(difference)),
            Self::Contents { wanted } => write!(
                f,
                "the types of this name are not the same, and the reader wants its own alone (TYPE_CONSISTENCY_ENFORCEMENT {wanted})"
            ),
            Self::Unknown { of_writer } => {
                let who = if *of_writer { "writer" } else { "reader" };
                write!(
                    f,
                    "the {who} tells no more of its type than the name, and the reader wants types to be compared (TYPE_CONSISTENCY_ENFORCEMENT force_type_validation)"
                )
            }
            Self::Unavailable { of, why } => {
                let who = match of.entity.is_writer() {
                    true => "writer",
                    false => "reader",
                };
                write!(
                    f,
                    "the type of the {who} is another one and is not known ({why}), and the reader wants types to be compared (TYPE_CONSISTENCY_ENFORCEMENT force_type_validation)"
                )
            }
        }
    }
}

/// As somebody reads it who has neither of them.
fn from_outside(difference: &Difference) -> String {
    let Difference {
        reader_path,
        writer_path,
        rule,
        reader,
        writer,
    } = difference;
    match reader_path == writer_path {
        true => {
            format!("{reader_path}: {reader} in the reader, {writer} in the writer, and {rule}")
        }
        false => format!(
            "{reader} at {reader_path} in the reader, {writer} at {writer_path} in the writer, and {rule}"
        ),
    }
}
