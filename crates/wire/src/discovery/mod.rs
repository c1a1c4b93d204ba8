//! What participants tell each other about themselves and their endpoints: SPDP, SEDP and liveliness
//! (RTPS 2.5 8.5, 9.6.2), as plain data to and from serialized payloads.
mod content_filter;
mod identity;
mod inquiry;
mod introduction;
mod key;
mod message;
mod participant;
mod policy;
mod property;
mod reader;
mod type_consistency;
mod value;
mod writer;

pub use content_filter::ContentFilterProperty;
pub use inquiry::{Acquaintance, Answer, Fact, Question};
pub use introduction::Introduction;
pub use key::{endpoint_key, parse_key, participant_key};
pub use message::ParticipantMessage;
pub use participant::{BuiltinEndpoints, ParticipantData};
pub use reader::ReaderData;
pub use writer::WriterData;

/// Longest name of a topic, type, partition or entity.
const MAX_NAME: usize = 256;
/// Most partitions of an endpoint.
const MAX_PARTITIONS: usize = 64;
