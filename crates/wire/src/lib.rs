//! RTPS 2.5 on the wire: what travels, and nothing about why.
//!
//! Identifiers, locators, submessages, parameter lists and discovery data, each with one parser that
//! never panics, never allocates more than its input warrants, and one encoder.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

mod cursor;
mod error;
mod guid;
mod inline_qos;
mod locator;
mod parameter;
mod sequence;
mod submessage;
mod time;

pub use cursor::Endianness;
pub use error::Error;
pub use guid::{EntityId, EntityKind, Guid, GuidPrefix, ProtocolVersion, VendorId};
pub use inline_qos::InlineQos;
pub use locator::Locator;
pub use parameter::{Parameter, ParameterId, ParameterIter, Parameters};
pub use sequence::{FragmentNumber, FragmentNumberSet, SequenceNumber, SequenceNumberSet};
pub use submessage::{
    AckNack, Checksum, Data, DataFrag, Gap, HeaderExtension, Heartbeat, HeartbeatFrag, NackFrag,
    Payload, Submessage,
};
pub use time::Timestamp;
