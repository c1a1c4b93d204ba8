//! What participants tell each other about themselves and their endpoints: SPDP, SEDP and
//! liveliness (RTPS 2.5 8.5, 9.6.2), as plain data to and from serialized payloads.
mod content_filter;
mod diagnostics;
mod identity;
mod key;
mod message;
mod participant;
mod peer_gossip;
mod policy;
mod property;
mod reader;
mod type_consistency;
mod type_information;
mod unknown;
mod value;
mod writer;

pub use content_filter::ContentFilterProperty;
pub use diagnostics::{DiagnosticFact, DiagnosticReply, DiagnosticRequest, PeerState};
pub use key::{endpoint_key, parse_key, participant_key};
pub use message::ParticipantMessage;
pub use participant::{BuiltinEndpoints, ParticipantData};
pub use peer_gossip::GossipedParticipant;
pub use reader::ReaderData;
pub use type_information::EncodedTypeInformation;
pub use unknown::UnknownParameters;
pub use writer::WriterData;

/// Longest name of a topic, type, partition or entity.
const MAX_NAME: usize = 256;
/// Most partitions of an endpoint.
const MAX_PARTITIONS: usize = 64;
