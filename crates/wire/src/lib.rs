//! RTPS 2.5 on the wire: what travels, and nothing about why.
//!
//! Identifiers, locators, submessages, parameter lists and discovery data, each with one parser that
//! never panics, never allocates more than its input warrants, and one encoder.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

mod guid;
mod locator;
mod sequence;
mod submessage;
mod time;

pub use guid::{EntityId, EntityKind, Guid, GuidPrefix, ProtocolVersion, VendorId};
pub use locator::Locator;
pub use sequence::{FragmentNumber, FragmentNumberSet, SequenceNumber, SequenceNumberSet};
pub use submessage::{
    AckNack, Data, DataFrag, Gap, Heartbeat, HeartbeatFrag, NackFrag, Payload, Submessage,
};
pub use time::Timestamp;
