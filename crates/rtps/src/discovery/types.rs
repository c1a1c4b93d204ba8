//! Do a writer and a reader of one topic name mean the same type? (DDS-XTypes 1.3 7.6.3.4)
use alloc::string::String;
use core::fmt;
use dunlin_qos::TypeConsistencyEnforcement;
use dunlin_wire::{EntityKind, ReaderData, WriterData};

/// How the types of two endpoints of one topic name differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeDifference {
    /// Their names.
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
}

/// Names and keys first; then, where the reader wants more than the same name, what both types are.
pub(super) fn difference(writer: &WriterData, reader: &ReaderData) -> Option<TypeDifference> {
    if writer.type_name != reader.type_name {
        return Some(TypeDifference::Name {
            writer: writer.type_name.clone(),
            reader: reader.type_name.clone(),
        });
    }
    let writer_keyed = writer.guid.entity.kind() == EntityKind::WriterWithKey;
    let reader_keyed = reader.guid.entity.kind() == EntityKind::ReaderWithKey;
    if writer_keyed != reader_keyed {
        return Some(TypeDifference::Keys { writer_keyed });
    }
    contents(writer, reader)
}

/// What differs may still be assignable, which is not weighed: that is allowed to who does not ask
/// for it to be checked.
fn contents(writer: &WriterData, reader: &ReaderData) -> Option<TypeDifference> {
    let wanted = reader.qos.type_consistency;
    match (writer.type_digest, reader.type_digest) {
        (Some(one), Some(other)) => {
            (one != other && wanted.wants_same()).then_some(TypeDifference::Contents { wanted })
        }
        (of_writer, _) => wanted
            .force_type_validation
            .then_some(TypeDifference::Unknown {
                of_writer: of_writer.is_none(),
            }),
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
        }
    }
}
