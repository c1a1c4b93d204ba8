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
//! Who does the work: the thread that calls [`DataWriter::write`] serializes and sends; the thread
//! that receives fills the reader's cache and calls its listener. A thread that waits in a
//! [`WaitSet`] receives by itself. `docs/walk.md` tells a sample's journey.
#![forbid(unsafe_code)]

mod builtin_subscriber;
mod discovery;
mod entity;
mod error;
pub mod idl;
mod receive;
mod return_code;
mod runtime;
mod send;
#[cfg(feature = "simulation")]
#[doc(hidden)]
pub mod simulation;
mod status;
mod typed;
pub mod untyped;

pub use discovery::{observe, why};

pub use builtin_subscriber::BuiltinSubscriber;
pub use discovery::builtin_topics::{
    ParticipantBuiltinTopicData, PublicationBuiltinTopicData, SubscriptionBuiltinTopicData,
    TopicBuiltinTopicData,
};
pub use discovery::peers::{
    PeerClass, PeerDescriptor, PeerError, PeerHost, PeerIndexes, PeerStatus,
};
pub use dunlin_cdr as cdr;
pub use dunlin_cdr::Plain;
pub use dunlin_derive::{Data, Topic};
pub use dunlin_qos::*;
pub use dunlin_rtps::{
    ChangeKind, InstanceHandle, InstanceState, OriginBounds, RejectionReason, SampleInfo,
    SampleState, Select, SetPlace, ViewState, Which,
};
pub use dunlin_shm::Trust;
pub use dunlin_transport as transport;
pub use dunlin_wire::{
    EntityId, EntityKind, Guid, GuidPrefix, Hops, Locator, SampleIdentity, SampleOrigin,
    SequenceNumber, Timestamp, VendorId,
};
pub use dunlin_xtypes as xtypes;
pub use entity::config::{ParticipantConfig, TcpSettings, Transports};
pub use entity::guard_condition::GuardCondition;
pub use entity::listener_thread::ListenerThread;
pub use entity::participant::{
    DiscoveryEvents, DomainParticipant, ParticipantCounters, ReceiverStatus,
};
pub use entity::type_settings::{TypeAnnouncement, TypeSettings};
pub use error::{Error, Result};
pub use return_code::ReturnCode;
pub use runtime::wait_strategy::WaitStrategy;
pub use status::{
    BacklogStatus, DeadlineMissedStatus, IncompatibleQosStatus, InconsistentTopicStatus,
    LivelinessChangedStatus, LivelinessLostStatus, MatchedStatus, SampleCountStatus,
    SampleRejectedStatus, StatusKind, StatusMask,
};
pub use typed::content_filter::{ContentFilteredTopic, TopicDescription};
#[cfg(feature = "async")]
pub use typed::futures::{Acknowledgments, SampleStream, Triggered};
pub use typed::loan::Loan;
pub use typed::reader::{DataReader, DataReaderListener, Sample};
pub use typed::topic::{Topic, TopicData};
pub use typed::view::{Octets, View};
pub use typed::writer::{DataWriter, DataWriterListener};
pub use untyped::condition::{Condition, ReadCondition, StatusCondition, Wake};
pub use untyped::listener::{
    DomainParticipantListener, PublisherListener, SubscriberListener, TopicListener,
};
pub use untyped::publisher::Publisher;
pub use untyped::query_condition::QueryCondition;
pub use untyped::subscriber::Subscriber;
pub use untyped::wait_set::WaitSet;
pub use untyped::{
    LoanedBytes, UntypedReader, UntypedReaderListener, UntypedTopic, UntypedWriter,
    UntypedWriterListener,
};
