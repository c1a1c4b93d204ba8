//! RTPS 2.5 on the wire: what travels, and nothing about why.
//!
//! Identifiers, locators, submessages, parameter lists and discovery data, each with one parser
//! that never panics, never allocates more than its input warrants, and one encoder.
#![no_std]
#![forbid(unsafe_code)]
#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]
#![cfg_attr(
    test,
    allow(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::unwrap_used
    )
)]
extern crate alloc;

mod cursor;
mod discovery;
mod encode;
mod error;
mod guid;
mod header;
mod header_template;
mod inline_qos;
mod locator;
mod message;
mod parameter;
mod parameter_writer;
pub mod ports;
mod sample_origin;
mod sequence;
pub mod stream;
mod submessage;
mod time;

pub use cursor::Endianness;
pub use discovery::{
    BuiltinEndpoints, ContentFilterProperty, DiagnosticFact, DiagnosticReply, DiagnosticRequest,
    EncodedTypeInformation, GossipedParticipant, ParticipantData, ParticipantMessage, PeerState,
    ReaderData, UnknownParameters, WriterData, endpoint_key, parse_key, participant_key,
};
pub use error::Error;
pub use guid::{EntityId, EntityKind, Guid, GuidPrefix, ProtocolVersion, VendorId};
pub use header::Header;
pub use header_template::HeaderTemplate;
pub use inline_qos::{InlineQos, SetMembership};
pub use locator::Locator;
pub use message::{Message, Submessages};
pub use parameter::{Parameter, ParameterId, ParameterIter, Parameters};
pub use parameter_writer::ParameterWriter;
pub use sample_origin::{Hops, SampleIdentity, SampleOrigin};
pub use sequence::{FragmentNumber, FragmentNumberSet, SequenceNumber, SequenceNumberSet};
pub use submessage::{
    AckNack, Checksum, Data, DataFrag, Gap, GroupInfo, HeaderExtension, Heartbeat, HeartbeatFrag,
    MAX_LOCATORS, NackFrag, Payload, Submessage,
};
pub use time::Timestamp;
