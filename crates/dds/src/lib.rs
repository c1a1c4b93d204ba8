//! Dunlin: DDS (OMG DDS 1.4 over RTPS 2.5) with the lowest latency that the machine allows.
//!
//! ```no_run
//! use dunlin::{DataReaderQos, DataWriterQos, DomainParticipant, Topic};
//!
//! #[derive(Topic, Debug)]
//! struct Position {
//!     #[key]
//!     bird: u32,
//!     x: f64,
//!     y: f64,
//! }
//!
//! # fn main() -> dunlin::Result<()> {
//! let participant = DomainParticipant::new(0)?;
//! let topic = participant.create_topic::<Position>("Positions", Default::default())?;
//! let subscriber = participant.create_subscriber(Default::default());
//! let _reader = subscriber.create_datareader_with_listener(&topic, DataReaderQos::default(), |reader: &dunlin::DataReader<Position>| {
//!     while let Some(sample) = reader.take_next_sample() {
//!         println!("{:?}", sample.data());
//!     }
//! })?;
//! let publisher = participant.create_publisher(Default::default());
//! let writer = publisher.create_datawriter(&topic, DataWriterQos::default())?;
//! writer.write(&Position { bird: 7, x: 1.0, y: 2.0 })?;
//! # Ok(())
//! # }
//! ```
//!
//! Who does the work: the thread that calls [`DataWriter::write`] serializes and sends; the thread that receives fills the
//! reader's cache and calls its listener. A thread that waits in a [`WaitSet`] receives by itself. `docs/walk.md` tells
//! a sample's journey.
#![forbid(unsafe_code)]

mod any;
mod beside;
mod budget;
mod builtin;
mod calls;
mod checksum;
mod clock;
mod condition;
mod config;
mod datagram;
mod desk;
mod dialect;
mod directory;
mod environment;
mod error;
mod filtered;
#[cfg(feature = "async")]
mod futures;
mod gate;
mod group;
mod identity;
mod inquiry;
mod life;
mod listener;
mod loan;
mod local;
mod lock;
pub mod observe;
mod pace;
mod participant;
mod peer;
mod place;
mod pool;
mod publisher;
mod query;
mod reader;
mod receive;
mod role;
mod sets;
mod shared;
mod signal;
mod slot;
mod status;
mod subscriber;
mod timer;
mod topic;
mod view;
mod waiting;
pub mod why;
mod writer;

pub use any::{AnyDataReader, AnyDataWriter, AnyTopic};
pub use builtin::{
    BuiltinSubscriber, ParticipantBuiltinTopicData, PublicationBuiltinTopicData,
    SubscriptionBuiltinTopicData, TopicBuiltinTopicData,
};
pub use condition::{Condition, GuardCondition, ReadCondition, StatusCondition, WaitSet};
pub use config::{ParticipantConfig, TcpSettings, Transports};
pub use dunlin_cdr as cdr;
pub use dunlin_cdr::Plain;
pub use dunlin_derive::{Data, Topic};
pub use dunlin_qos::*;
pub use dunlin_rtps::{
    InstanceHandle, InstanceState, RejectionReason, SampleInfo, SampleState, Select, ViewState,
    Which,
};
pub use dunlin_shm::Trust;
pub use dunlin_transport as transport;
pub use dunlin_wire::{EntityId, Guid, GuidPrefix, Locator, SequenceNumber, Timestamp, VendorId};
pub use error::{Error, Result};
pub use filtered::{ContentFilteredTopic, TopicDescription};
#[cfg(feature = "async")]
pub use futures::{Acknowledgments, SampleStream, Triggered};
pub use listener::{
    DomainParticipantListener, PublisherListener, SubscriberListener, TopicListener,
};
pub use loan::{Loan, LoanedBytes};
pub use participant::{DomainParticipant, ParticipantCounters, ReceiverStatus};
pub use peer::{PeerClass, PeerDescriptor, PeerError, PeerHost, PeerIndexes, PeerStatus};
pub use publisher::{DataWriter, DataWriterListener, Publisher};
pub use query::QueryCondition;
pub use status::{
    BacklogStatus, DeadlineMissedStatus, IncompatibleQosStatus, InconsistentTopicStatus,
    LivelinessChangedStatus, LivelinessLostStatus, MatchedStatus, SampleCountStatus,
    SampleRejectedStatus, StatusKind, StatusMask,
};
pub use subscriber::{DataReader, DataReaderListener, Sample, Subscriber};
pub use topic::{Topic, TopicData};
pub use view::{Octets, View};
pub use waiting::Waiting;
